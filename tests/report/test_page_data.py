"""What the page's script is given: exact, small, and no row of the data."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.samples import HOSTILE, labelled, scored, single_class

from assay.curves import roc_hull
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.report.live_text import kept_thresholds, short_thresholds
from assay.report.page_data import island, written_island


def test_every_kept_threshold_calls_what_its_counts_say() -> None:
    ev = scored()
    assert ev.scores is not None
    found = island({"": ev})
    assert found is not None
    (model,) = found["models"]
    assert model["threshold"][0] is None
    assert len(model["threshold"]) == len(ev.scores) + 1 == model["points"]
    for threshold, tp, fp in zip(model["threshold"][1:], model["tp"][1:], model["fp"][1:], strict=True):
        matrix = ev.scores.at(threshold)
        assert (float(matrix.tp), float(matrix.fp)) == (tp, fp)
    assert ev.threshold_used in model["threshold"]


def test_the_hull_is_all_there() -> None:
    ev = scored(cases=400)
    assert ev.scores is not None
    (model,) = island({"": ev})["models"]  # type: ignore[index]
    hull = roc_hull(ev.scores)
    rates = [(model["fp"][i] / model["negatives"], model["tp"][i] / model["positives"]) for i in model["hull"]]
    assert np.allclose(rates, np.column_stack((hull.fpr, hull.recall)))
    assert model["hull"][-1] == len(model["threshold"]) - 1


@given(st.lists(st.tuples(st.floats(-50, 50), st.booleans()), min_size=2, max_size=40), st.floats(-50, 50))
def test_short_thresholds_call_the_same_cases(cases: list[tuple[float, bool]], used: float) -> None:
    table = ScoreTable.of([score for score, _ in cases], [positive for _, positive in cases])
    exact, short = table.thresholds(), short_thresholds(table, np.arange(len(table) + 1), used)
    for one, other in zip(exact[1:], short[1:], strict=True):
        assert np.array_equal(table.at(float(one)).counts, table.at(float(other)).counts)


def test_a_long_table_keeps_its_corners_its_ends_and_the_threshold_in_use() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.3
    table = ScoreTable.of(rng.normal(truth, 1), truth)
    hull = np.array([0, 17, len(table)])
    kept = kept_thresholds(table, hull, 0.25, most=200)
    assert len(kept) <= 204
    assert set(hull.tolist()) <= set(kept.tolist())
    assert len(table) - int(np.searchsorted(table.score, 0.25)) in kept


def test_models_without_a_threshold_to_move_are_left_out() -> None:
    matrix = ConfusionMatrix.binary(tp=3, fn=1, fp=1, tn=5)
    assert island({"": labelled(matrix)}) is None
    assert island({"": single_class()}) is None
    found = island({"labels": labelled(matrix), "scores": scored()})
    assert found is not None
    assert [model["name"] for model in found["models"]] == ["scores"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_close_no_script(name: str) -> None:
    found = island({name: scored(classes=("a", name), name=name or "file")})
    assert found is not None
    text = written_island(found)
    assert not re.search(r"[<>&]", text)
    assert text.isascii()
    assert json.loads(text)["models"][0]["name"] == name
