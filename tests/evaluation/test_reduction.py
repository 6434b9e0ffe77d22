"""Evidence of many classes: its sums say what the cases say, whole or merged, and bounds hold the exact value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import assay
from assay.errors import OptionError
from assay.evidence import ClassSums, Reduced

AREAS = ("hand_till", "macro_roc_auc", "weighted_roc_auc", "ovo_weighted_roc_auc", "micro_roc_auc")
PRECISIONS = ("macro_average_precision", "weighted_average_precision", "micro_average_precision")
LOSSES = ("brier", "brier_skill", "log_loss", "log_loss_skill", "ranked_probability_score", "ranked_probability_skill")


def drawn(n: int = 400, classes: int = 3, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, n, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2))
    raised = np.exp(rng.normal(0, 1, (n, classes)) + 1.3 * np.eye(classes)[truth])
    return truth, raised / raised.sum(1, keepdims=True)


def many(evidence: assay.Evidence) -> assay.ManyClassEvaluation:
    ev = evidence.evaluate()
    assert isinstance(ev, assay.ManyClassEvaluation)
    return ev


def only(evidence: assay.Evidence) -> tuple[Reduced, ClassSums]:
    (model,) = evidence.models.values()
    assert model.sums is not None
    return model, model.sums


def of_rows(*given: Any, **said: Any) -> assay.ManyClassEvaluation:
    ev = assay.evaluate(*given, **said)
    assert isinstance(ev, assay.ManyClassEvaluation)
    return ev


DESIGNS: dict[str, Any] = {
    "plain": lambda n: {},
    "weights": lambda n: {"weight": np.random.default_rng(5).integers(1, 9, n) / 4},
    "counts": lambda n: {"count": np.random.default_rng(5).integers(0, 4, n)},
    "both": lambda n: {
        "weight": np.random.default_rng(5).integers(1, 9, n) / 4, "count": np.random.default_rng(6).integers(1, 4, n)
    },
}  # fmt: skip


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("classes", [3, 12])
def test_losses_are_those_of_cases_and_so_are_their_intervals(design: str, classes: int) -> None:
    truth, shares = drawn(500, classes)
    said = DESIGNS[design](500)
    ev, exact = many(assay.reduce(truth, y_proba=shares, **said)), of_rows(truth, y_proba=shares, **said)
    for name in LOSSES:
        found, known = ev.estimate(name), exact.estimate(name)
        assert (found.value, found.low, found.high, found.n) == pytest.approx(
            (known.value, known.low, known.high, known.n), rel=1e-9
        ), name
        assert found.method == known.method
        assert found.bounds == (found.value, found.value)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("classes", [3, 12])
def test_areas_and_precisions_lie_in_their_bounds_and_limits_are_never_narrower(design: str, classes: int) -> None:
    """Which scores belong to one case is not known: no way of belonging together may give a wider interval."""
    truth, shares = drawn(n := 250 * classes, classes)
    said = DESIGNS[design](n)
    ev = many(assay.reduce(truth, y_proba=shares, bits=6, **said))
    exact = of_rows(truth, y_proba=shares, **said)
    for name in (*AREAS, *PRECISIONS):
        found, known = ev.estimate(name), exact.estimate(name)
        if classes > 10 and name in ("hand_till", "ovo_weighted_roc_auc"):
            assert found.undefined is not None
            assert "kept of up to 10 classes" in found.undefined
            continue
        assert found.bounds is not None
        assert found.bounds[0] - 1e-12 <= known.value <= found.bounds[1] + 1e-12, name
        assert found.bounds[1] - found.bounds[0] < 0.02
        assert found.se is not None
        assert known.se is not None
        assert 0.999 * known.se <= found.se <= 3 * known.se, name
        assert found.method == "influence function, logit, at most"


@pytest.mark.parametrize("exact", [False, True])
def test_few_different_scores_are_exact(exact: bool) -> None:
    truth, shares = drawn(2000)
    shares = np.round(shares * 20) / 20
    shares[:, 0] = np.round(1 - shares[:, 1:].sum(1), 2)
    shares = np.clip(shares, 0, 1)
    said: dict[str, Any] = {"exact": True} if exact else {}
    ev, known = many(assay.reduce(truth, y_proba=shares, **said)), of_rows(truth, y_proba=shares)
    for name in (*AREAS[:4], *PRECISIONS[:2], *LOSSES):
        assert ev.estimate(name).value == pytest.approx(known.estimate(name).value, abs=1e-12), name
    assert ev.calibration.confidence.ece.value == pytest.approx(known.calibration.confidence.ece.value, abs=1e-9)
    assert ev.calibration.against_rest("1").ece.value == pytest.approx(
        known.calibration.against_rest("1").ece.value, abs=1e-9
    )
    mine, theirs = (np.interp(0.3, each.x[::-1], each.y[::-1]) for each in (ev.curves.reject, known.curves.reject))
    # Differences of such scores differ in their last digit, and cells put those together.
    assert mine == pytest.approx(theirs, abs=1e-9 if exact else 0.005)
    for at in (-0.42, -0.07, 0.22):
        below = [float(each.cases[each.margin < at].sum()) for each in (ev.curves.margin, known.curves.margin)]
        assert below[0] == below[1]


@given(cut=st.integers(40, 260), bits=st.integers(0, 18), weighted=st.sampled_from(["none", "one", "both"]))
@settings(max_examples=20, deadline=None)
def test_merged_sums_are_those_of_the_whole(cut: int, bits: int, weighted: str) -> None:
    truth, shares = drawn(300)
    weight = np.random.default_rng(1).integers(1, 5, 300) / 4
    if weighted == "one":
        weight[:cut] = 1.0
    parts = []
    for name, rows in (("a", slice(0, cut)), ("b", slice(cut, None))):
        said: dict[str, Any] = (
            {} if weighted == "none" or (weighted == "one" and name == "a") else {"weight": weight[rows]}
        )
        parts.append(assay.reduce(truth[rows], y_proba=shares[rows], name=name, bits=bits, **said))
    of_all: dict[str, Any] = {} if weighted == "none" else {"weight": weight}
    whole = assay.reduce(truth, y_proba=shares, bits=bits, **of_all)
    merged, single = only(parts[1] + parts[0])[1], only(whole)[1]
    for mine, theirs in zip(merged.by_truth, single.by_truth, strict=True):
        assert np.array_equal(mine, theirs)
    for name, loss in single.losses.items():
        assert merged.losses[name] == pytest.approx(loss, rel=1e-12)
    for name, table in single.answers.items():
        other: Any = merged.answers[name]
        assert (other.cell.tolist(), other.positive.tolist()) == (table.cell.tolist(), table.positive.tolist())  # type: ignore[union-attr]
    for measure in (*AREAS, *LOSSES):
        found, known = (many(each).estimate(measure).value for each in (parts[0] + parts[1], whole))
        assert found == pytest.approx(known, abs=1e-12)


def test_coarser_cells_are_those_of_fewer_bits() -> None:
    truth, shares = drawn()
    fine, coarse = (only(assay.reduce(truth, y_proba=shares, bits=bits)) for bits in (16, 5))
    assert all(map(np.array_equal, fine[0].coarser(5).sums.by_truth, coarse[1].by_truth))  # type: ignore[union-attr]


def test_gathered_batch_by_batch_it_is_the_same() -> None:
    truth, shares = drawn(600)
    acc, other = (assay.Accumulator([0, 1, 2]) for _ in range(2))
    for start in range(0, 600, 50):
        (acc if start < 300 else other).update(truth[start : start + 50], shares[start : start + 50])
    both = acc + assay.Accumulator.of_state(other.state())
    ev = both.evaluate()
    exact = of_rows(truth, y_proba=shares)
    for name in LOSSES:
        assert ev.estimate(name).low == pytest.approx(exact.estimate(name).low, rel=1e-9)
    bounds = ev.estimate("hand_till").bounds
    assert bounds is not None
    assert bounds[0] <= exact.hand_till.value <= bounds[1]
    assert assay.Accumulator.of_state(both.state()) == both


def test_a_file_of_before_there_were_sums_is_read() -> None:
    old = assay.load(Path(__file__).with_name("of_before_sums.evidence"))
    ev = many(old)
    assert ev.n == 60
    assert ev.accuracy.value == 1.0
    assert "each case for all classes" in str(ev.hand_till.undefined)
    truth, shares = drawn(60)
    assert "each case for all classes" in str(many(old + assay.reduce(truth, y_proba=shares)).brier.undefined)


def test_what_sums_do_not_hold_is_refused_by_name() -> None:
    truth, shares = drawn()
    ev = many(assay.reduce(truth, y_proba=shares))
    with pytest.raises(OptionError, match="the classwise ECE looks at all scores of each case"):
        _ = ev.calibration.classwise_ece
    with pytest.raises(OptionError, match="the ROC surface looks at all scores of each case"):
        _ = ev.curves.surface
    assert [*ev.calibration.table().columns["statistic"]] == ["ece"]
    kept = (truth != 2) | (np.cumsum(truth == 2) <= 5)
    few = many(assay.reduce(truth[kept], y_proba=shares[kept], least=8, bits=0))
    assert "fewer cases than may be shown" in str(few.brier.undefined)
