"""How readings are ranked: figures on all rows, the same whatever holds the columns, and what speaks against one."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.sources.realistic_files import CALLED, SURE, WORSE, P, Y, area

import assay
from assay.errors import InputError
from assay.sources.ambiguity import CandidateReading
from assay.sources.column_roles import Contents, ModelColumns, Roles, of_frame, of_lazy, of_lists, of_relation

MANY = np.random.default_rng(5).normal(size=3000)
MANY_Y = (MANY + np.random.default_rng(6).normal(size=3000) > 0).astype(int)
SOURCES = ("lists", "pandas", "polars", "lazy", "relation")


def contents(kind: str, columns: dict[str, Any]) -> Contents:
    """The columns as one kind of source holds them."""
    names, frame = list(columns), pl.DataFrame(columns)
    if kind == "lists":
        return of_lists(lambda name: list(columns[name]))
    if kind == "relation":
        return of_relation(duckdb.from_arrow(frame.to_arrow()), names)
    import narwhals as nw

    if kind == "lazy":
        return of_lazy(nw.from_native(frame.lazy()), names)
    return of_frame(nw.from_native(pd.DataFrame(columns) if kind == "pandas" else frame), names)


def candidate(kind: str, model: ModelColumns, truth: str = "y", **columns: Any) -> CandidateReading:
    held = contents(kind, columns)
    return CandidateReading(Roles(truth, (model,), contents=held), "1", held)


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_counts_values_together(kind: str) -> None:
    held = contents(kind, {"y": Y.tolist(), "l": np.array(["no", "yes"])[CALLED].tolist()})
    expected = {(str(y), ("no", "yes")[c]): 0 for y in (0, 1) for c in (0, 1)}
    for y, c in zip(Y, CALLED, strict=True):
        expected[(str(y), ("no", "yes")[c])] += 1
    assert dict(held.joint(["y", "l"])) == expected


@pytest.mark.parametrize("kind", SOURCES)
def test_figures_are_those_of_all_rows(kind: str) -> None:
    exact = candidate(kind, ModelColumns("m", "p"), y=Y.tolist(), p=P.tolist())
    assert exact.fits[0].value == pytest.approx(area(P), abs=1e-12)
    binned = candidate(kind, ModelColumns("m", "p"), y=MANY_Y.tolist(), p=MANY.tolist())
    assert binned.fits[0].value == pytest.approx(area(MANY, MANY_Y), abs=2e-3)
    labels = candidate(kind, ModelColumns("m", None, "l"), y=Y.tolist(), l=CALLED.tolist())
    assert labels.fits[0].value == pytest.approx((CALLED == Y).mean(), abs=1e-12)
    both = ModelColumns("m", None, "l", certainty="s")
    sure = candidate(kind, both, y=Y.tolist(), l=CALLED.tolist(), s=SURE.tolist())
    assert sure.fits[1].value == pytest.approx(area(P), abs=1e-12)


@pytest.mark.parametrize(
    ("columns", "first"),
    [
        ({"gender": CALLED[::-1], "died": Y, "risk": P}, {"truth": "died"}),
        ({"one": Y, "two": CALLED, "three": P}, {"truth": "one", "pred": "two", "score": "three"}),
        ({"label": Y, "llm_label": CALLED, "confidence": SURE}, {"pred": "llm_label", "certainty": "confidence"}),
        ({"label": np.array(["ham", "spam"])[Y], "score": P}, {"positive": "spam"}),
    ],
)
def test_files_frames_and_engines_give_the_same_hints(columns: dict[str, Any], first: Any, tmp_path: Any) -> None:
    frame = pl.DataFrame({name: values.tolist() for name, values in columns.items()})
    frame.write_csv(tmp_path / "preds.csv")
    sources: list[tuple[Any, dict[str, Any]]] = [
        (tmp_path / "preds.csv", {}),
        (frame, {}),
        (frame.lazy(), {"memory": "1kB"}),
        (tmp_path / "preds.csv", {"memory": "1kB"}),
    ]
    ways = []
    for source, options in sources:
        with pytest.raises(InputError) as caught:
            assay.evaluate(source, **options)
        ways.append(caught.value.ways)
    assert ways[0][0][0] == first
    assert all(found == ways[0] for found in ways)


PLAIN = ModelColumns("m", "p", "l")
DOUBTS = [
    (ModelColumns("m", None, "y"), "pred_y", "the name 'pred_y' suggests predictions"),
    (ModelColumns("m", None, "actual_y"), "y", "the name 'actual_y' suggests true labels"),
    (ModelColumns("m", None, "acc"), "y", "the name 'acc' suggests that it scores correctness"),
    (ModelColumns("m", "p"), "l", "'l' looks like 'p' cut at a threshold"),
    (ModelColumns("m", "s"), "y", "'s' is never below 0.5, as probabilities of predicted labels are"),
    (ModelColumns("m", None, "again"), "y", "'again' equals 'y' in every row"),
]


@pytest.mark.parametrize(("model", "truth", "doubt"), DOUBTS, ids=[doubt for *_, doubt in DOUBTS])
def test_what_speaks_against_a_reading(model: ModelColumns, truth: str, doubt: str) -> None:
    columns = {"y": Y, "pred_y": CALLED, "actual_y": CALLED, "acc": CALLED, "l": CALLED, "p": P, "s": SURE, "again": Y}
    lists = {name: values.tolist() for name, values in columns.items()}
    doubtful = candidate("lists", model, truth, **lists)
    assert doubtful.doubts == (doubt,)
    sound = candidate("lists", PLAIN, **lists)
    assert sound.doubts == ()
    assert sound.rank < doubtful.rank


def test_a_reading_that_is_worse_than_chance_comes_last() -> None:
    lists = {"y": Y.tolist(), "p": (1 - P).tolist(), "w": WORSE.tolist()}
    worse, better = (candidate("lists", ModelColumns("m", name), **lists) for name in ("p", "w"))
    assert better.rank < worse.rank
    assert worse.described == "ROC AUC 0.12, worse than chance"
