"""Files of evidence: every number is read as it was written, and figures that disagree are refused by name."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.resealed import members, resealed

import assay
from assay.errors import InputError
from assay.evidence import ScoreTable, differing_field

WRITTEN = Path(__file__).parent / "written"
SCORES = st.one_of(
    st.integers(-300, 300).map(float),
    st.sampled_from([-(2.0**53), -70_000.0, -5e9, 1e30, 2.0**64, -0.5, 0.25, 65_535.0, 65_536.0]),
)


@given(
    cases=st.lists(st.tuples(st.booleans(), SCORES), min_size=2, max_size=30),
    shape=st.sampled_from([{"exact": True}, {}, {"bits": 3}, {"grid": "real"}, {"least": 2, "bits": 0}]),
    threshold=st.one_of(st.none(), SCORES),
    weights=st.sampled_from([None, 1.0, 0.5, 3.0]),
)
@settings(max_examples=150, deadline=None)
def test_scores_of_any_sign_and_size_are_read_as_they_were_written(
    cases: Any, shape: dict[str, Any], threshold: float | None, weights: float | None, tmp_path_factory: Any
) -> None:
    truth, score = np.array([t for t, _ in cases]).astype(int), np.array([s for _, s in cases])
    weight = None if weights is None else np.linspace(weights, 2 * weights, len(score))
    try:
        evidence = assay.reduce(truth, score, threshold=threshold, weight=weight, **shape)
    except InputError as error:
        if not any(words in str(error) for words in ("no bin of", "which class")):
            raise
        return
    path = tmp_path_factory.mktemp("x") / "x.evidence"
    evidence.save(path)
    back = assay.load(path)
    assert differing_field(back.parts[0].models, evidence.parts[0].models) is None
    (model,) = back.models.values()
    assert model.threshold == threshold or (threshold is None and model.threshold in (None, 0.5))
    if shape == {"exact": True} and weights is None:
        (table,) = model.scores
        assert isinstance(table, ScoreTable)
        assert table.score.tolist() == sorted(set(score.tolist()))


@pytest.mark.parametrize("seed", range(24))
def test_evidence_of_any_design_is_read_as_it_was_written(seed: int) -> None:
    """Weights, counts, labels, several models and thresholds, of rows in memory and of rows in an engine."""
    rng, pick = np.random.default_rng(seed), random.Random(seed)
    n, models = pick.choice([10, 60, 500]), pick.choice(["a", "ab", "abc"])
    columns: dict[str, Any] = {"y_true": rng.integers(0, 2, n)}
    scores = [rng.random(n), rng.normal(size=n), rng.integers(-9, 9, n) * 1.0, rng.choice([-7, -6.5, 0, 1e30], n)]
    kind = pick.randrange(len(scores))
    columns |= {f"score__{name}": rng.permutation(scores[kind]) for name in models}
    if pick.random() < 0.3:
        columns |= {f"pred__{name}": rng.integers(0, 2, n) for name in models}
    if pick.random() < 0.5:
        columns["weight"] = rng.random(n).round(2) * pick.choice([1, 1e-6, 1e9])
    if pick.random() < 0.4:
        columns["count"] = rng.integers(0, 4, n)
    frame = pl.DataFrame(columns)
    for shape in ({}, {"exact": True}, {"threshold": 0.25}, {"bits": 2, "threshold": -5.0}):
        evidence = assay.reduce(frame, **shape)
        assert evidence.to_bytes()  # which reads it back
        if "exact" not in shape:
            assert assay.reduce(frame.lazy(), memory="1kB", **shape).to_bytes()
            assert evidence.coarser(1).to_bytes()


def test_whole_scores_below_zero_stay_what_they_are(tmp_path: Path) -> None:
    truth, score = [0, 0, 1, 0, 1, 0, 1], [-7, -6, -5, -4, -3, -7, -4]
    assay.reduce(truth, score, exact=True, threshold=-5).save(tmp_path / "a.evidence")
    found, known = assay.load(tmp_path / "a.evidence"), assay.evaluate(truth, score, threshold=-5)
    assert found.evaluate().threshold_used == -5
    assert found.evaluate().scores == known.scores
    assert found.roc_auc.value == known.roc_auc.value
    # Five cases of one score are known to be a tie, and that score may be below 0.
    tied = assay.reduce([0, 1] * 25, np.repeat([-2, -1, 0, 1, 2], 10))
    tied.save(tmp_path / "b.evidence")
    (cells,) = assay.load(tmp_path / "b.evidence").parts[0].models["model"].scores
    assert cells.least.tolist() == [-2, -1, 0, 1, 2]  # type: ignore[union-attr]


def test_ties_that_coarser_cells_put_together_are_no_ties(tmp_path: Path) -> None:
    truth, score = [0, 1] * 50, np.repeat(np.linspace(0.05, 0.95, 20), 5)
    exact = assay.evaluate(truth, score).roc_auc.value
    coarse = assay.merge(assay.reduce(truth, score), bits=1)
    coarse.save(tmp_path / "x.evidence")
    back = assay.load(tmp_path / "x.evidence")
    assert differing_field(back.models, coarse.models) is None
    assert back.roc_auc.bounds is not None
    assert back.roc_auc.bounds[0] <= exact <= back.roc_auc.bounds[1]


@pytest.mark.parametrize("path", sorted(WRITTEN.iterdir()), ids=lambda path: path.stem)
def test_files_of_before_are_read_and_written_as_they_were(path: Path) -> None:
    evidence = assay.load(path)
    assert evidence.to_bytes() == path.read_bytes()
    assert len(evidence.evaluations()) == (2 if "models" in path.stem else 1)


def test_what_would_not_be_read_back_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = __import__("sys").modules["assay.sources.evidence_files"]
    monkeypatch.setattr(module, "_smallest_dtype_array", lambda values: values.astype("u1"))
    path = tmp_path / "x.evidence"
    path.write_bytes(b"old")
    evidence = assay.reduce([0, 1] * 20, np.arange(40) / 4, exact=True)
    for write in (evidence.save, assay.merge(evidence).save):
        with pytest.raises(InputError, match=r"would not be read back as it is: parts.*score differs|is inconsistent"):
            write(path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["x.evidence"]


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    """An edit of the header of one part."""

    def edit(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        held = header["parts"][0]
        for key in path[:-1]:
            held = held[key]
        held[path[-1]] = to(held[path[-1]]) if callable(to) else to

    return edit


def _array(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def edit(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = change(arrays[name])

    return edit


SOUTH = members((WRITTEN / "merged.evidence").read_bytes())[0]["parts"][1]["sources"]
MODEL, SCORE = ("models", 0), ("models", 0, "scores", 0)
EDITS: dict[str, tuple[str, Any, str]] = {
    "a matrix of other cases": (
        "scores", _set(*MODEL, "matrix", "counts", to=[[1, 0], [0, 1]]), "confusion matrix holds 1",
    ),
    "too many cases": ("scores", _set(*MODEL, "cases", 0, to=10**9), "and there are 1,000,000,000"),
    "no cases": ("scores", _set(*MODEL, "cases", to=[0, 0]), "numbers of cases are"),
    "no cases of a class": ("scores", _set(*MODEL, "cases", 1, to=0), "and there are 0"),
    "no cases of weights": ("weights", _set(*MODEL, "cases", 1, to=0), "do not fit the weights"),
    "twice the negatives": ("scores", _array("negative", lambda x: x * 2), "the scores hold"),
    "twice the negatives without a matrix": ("real", _array("negative", lambda x: x * 2), "the scores hold"),
    "twice the weights": ("weights", _array("negative", lambda x: x * 2), "the scores hold"),
    "squared weights": ("weights", _array("positive_squares", lambda x: x * 1.1), "squared weights"),
    "swapped classes": ("scores", _set(*SCORE, "classes", to=["1", "0"]), "the scores are of the classes '1', '0'"),
    "foreign classes": ("scores", _set(*SCORE, "classes", to=["a", "b"]), "the scores are of the classes 'a', 'b'"),
    "foreign classes of many": ("many", _set(*SCORE, "classes", 1, to="z"), "the scores are of the classes"),
    "huge entries": ("labels", _set(*MODEL, "matrix", "counts", to=[[1e308, 0], [0, 1e308]]), "not those of cases"),
    "fractions": ("labels", _set(*MODEL, "matrix", "counts", 0, to=[30.5, 3.5]), "fractions of cases"),
    "threshold nan": ("scores", _set(*MODEL, "threshold", to=float("nan")), "is damaged"),
    "another threshold": ("threshold", _set(*MODEL, "threshold", to=0.75), "at the threshold 0.75"),
    "hidden cases": ("least", _set(*SCORE, "hidden", 0, to=lambda x: x + 1), "the scores hold"),
    "labels": ("labels", _set(*MODEL, "matrix", "decisions", to=["1", "0"]), "of other classes"),
    "one answer more": ("many", _set(*MODEL, "sums", "answers", "top", "hidden", 0, to=1), "the answers by top"),
    "a class more": ("many", _array("by_truth", lambda x: np.roll(x, 1)), "the counts of true classes"),
    "losses of others": ("many", _set(*MODEL, "sums", "losses", "surprise", 0, 0, 0, to=1), "the sums of surprise"),
    "losses of nobody": ("many", _set(*MODEL, "sums", "losses", "surprise", 0, 0, 4, to=0), "the powers of one loss"),
    "another log loss": (
        "many", _set(*MODEL, "sums", "losses", "surprise", 0, 0, 1, to=lambda x: 1.001 * x), "not those of the scores",
    ),
    "another Brier score": (
        "many-exact", _set(*MODEL, "sums", "losses", "squared error", 0, 0, 1, to=lambda x: 0.999 * x), "of the scores",
    ),
    "impossible": ("many", _set(*MODEL, "sums", "certain_and_wrong", to=9), "given no probability"),
    "both right": ("models", _set("joint", "counts", 1, 2, to=lambda x: x + 1), "the correct predictions"),
    "decided together": (
        "models", _set("together", "decisions", 0, "counts", 0, to=[[5, 5], [5, 5]]), "decisions of models 1 and 2",
    ),
    "scored together": ("models", _array("pair_negative", lambda x: np.roll(x, 1)), "scores of two models together"),
    "lost together": ("models", _set("together", "losses", "brier", "sums", 0, to=3.0), "the sums of brier"),
    "the same rows": ("merged", _set("sources", to=lambda _: SOUTH), "were made from the same rows"),
    "a truncated number": ("scores", _set(*MODEL, "cases", 0, to=lambda x: x + 0.7), "a whole number"),
}  # fmt: skip


@pytest.mark.parametrize("case", EDITS)
def test_figures_that_disagree_are_refused_by_name(case: str, tmp_path: Path) -> None:
    name, edit, words = EDITS[case]
    header, arrays = members((WRITTEN / f"{name}.evidence").read_bytes())
    header = copy.deepcopy(header)
    edit(header, arrays)
    (tmp_path / "x.evidence").write_bytes(resealed(header, arrays))
    with pytest.raises(InputError, match=words) as caught:
        assay.load(tmp_path / "x.evidence")
    assert "x.evidence" in str(caught.value)
    assert "\n" not in str(caught.value)
