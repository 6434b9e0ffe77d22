"""Scores in cells: the bounds hold whatever the scores themselves give, and narrow with the cells."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.calibration import (
    CalibrationError,
    Groups,
    bias,
    confidence_band,
    corp_parts,
    cox,
    ece_in_cells,
    equal_width,
    miscalibration_test,
    observed_to_expected,
    spherical_score,
)
from assay.calibration.errors import mean_distance
from assay.calibration.miscalibrated_ranges import _places_outside_band
from assay.evaluation.binary import TwoClassEvaluation
from assay.evidence import Binned, ConfusionMatrix, ScoreGrid, ScoreTable
from assay.evidence.probability_losses import ErrorSums
from assay.measures import FORMS, Measure, find, on_request, registry
from assay.results import Estimate
from assay.sources import Source

NAMES = [*registry, *on_request, *(form.example for form in FORMS.values())]
SHAPES = ("continuous", "rounded", "few levels", "saturated", "two clusters")
RULES: tuple[Literal["brier", "log_loss"], ...] = ("brier", "log_loss")
PARTS = ("mean", "miscalibration", "discrimination", "uncertainty")
# Sums of a million terms and their logarithms are off by so much.
ROUNDING = 1e-9


def scores_of(shape: str, n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    truth = rng.random(n) < rng.choice([0.1, 0.5, 0.8])
    truth[:2] = False, True
    odds = {"continuous": (1.0, 1.5), "saturated": (8.0, 6.0)}.get(shape)
    if odds is not None:
        return 1 / (1 + np.exp(-rng.normal(odds[0] * (truth - 0.5), odds[1]))), truth
    if shape == "rounded":
        return np.round(rng.random(n), 2), truth
    if shape == "few levels":
        return rng.choice([0.0, 0.25, 0.3, 0.5, 1.0], n), truth
    return np.where(rng.random(n) < 0.5, 0.3, 0.7) + rng.normal(0, 1e-3, n), truth


def evaluation(table: ScoreTable, threshold: float) -> TwoClassEvaluation:
    return TwoClassEvaluation(source=Source("x", "x", rows=1), matrix=table.at(threshold), scores=table)


def bounds_of(ev: TwoClassEvaluation, measure: Measure) -> tuple[float, float]:
    evidence = ev.evidence_for(measure)
    value = float(measure(evidence))
    return measure.of_cells(evidence, value) or (value, value)


def sticks_out(inner: tuple[float, float], outer: tuple[float, float]) -> bool:
    """Whether some of one range lies outside another; where one is undefined, there is nothing to say."""
    return inner[0] < outer[0] - ROUNDING or inner[1] > outer[1] + ROUNDING


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 10_000), bits=st.integers(0, 4), least=st.integers(1, 6), weighted=st.booleans())
def test_every_measure_lies_within_its_bounds(shape: str, seed: int, bits: int, least: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    score, truth = scores_of(shape, int(rng.integers(4, 60)), rng)
    weight = rng.choice([0.5, 1.0, 3.0], len(score)) if weighted else None
    exact, threshold = ScoreTable.of(score, truth, weight=weight), float(rng.random())
    binned = Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", bits), weight=weight)
    binned = binned.withheld(least).without_small(int(rng.integers(1, 4)))
    if not len(binned):
        return
    known, judged = evaluation(exact, threshold), evaluation(binned.table(), threshold)
    for measure in map(find, NAMES):
        value = float(measure(known.evidence_for(measure)))
        low, high = bounds_of(judged, measure)
        if math.isnan(value) or math.isnan(low):
            continue  # undefined with these counts
        assert low - ROUNDING <= value <= high + ROUNDING, (measure, low, value, high)


def calibration_of(table: ScoreTable) -> dict[str, Estimate | CalibrationError]:
    """Every figure of calibration that has bounds, by its name."""
    line = cox(table)
    error = CalibrationError("ece", float(mean_distance(*both(table))), "", 1)
    found: dict[str, Estimate | CalibrationError] = {
        "bias": bias(table),
        "observed to expected": observed_to_expected(table),
        "spherical": spherical_score(table),
        "ece": ece_in_cells(error, table, 7),
        "in the large": line.in_the_large,
        "intercept": line.intercept,
        "slope": line.slope,
    }
    for rule in RULES:
        parts = corp_parts(table, rule)
        found |= {f"{rule} {name}": getattr(parts, name) for name in PARTS}
    return found


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 10_000), bits=st.integers(0, 6), small=st.integers(1, 4), weighted=st.booleans())
@settings(max_examples=20)
def test_calibration_lies_within_its_bounds(shape: str, seed: int, bits: int, small: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    score, truth = scores_of(shape, int(rng.integers(20, 80)), rng)
    weight = rng.choice([0.5, 1.0, 3.0], len(score)) if weighted else None
    grid = ScoreGrid("probability", bits)
    binned = Binned.of(score, truth, ("0", "1"), grid, weight=weight).withheld(5).without_small(small)
    if not len(binned):
        return
    found = calibration_of(binned.table())
    for scores in (score, at_edges(grid, score, truth, rng)):
        for name, exact in calibration_of(ScoreTable.of(scores, truth, weight=weight)).items():
            value, bounds = exact.value, found[name].bounds
            if math.isnan(found[name].value) or math.isnan(value):
                continue
            assert bounds is not None, name
            off = ROUNDING * max(1.0, abs(value))
            assert bounds[0] - off <= value <= bounds[1] + off, (name, found[name].value, bounds, value)


def at_edges(grid: ScoreGrid, score: NDArray[Any], truth: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Other scores with the same cells, at their ends: ties that are known to be ones stay."""
    binned = Binned.of(score, truth, ("0", "1"), grid)
    table = binned.withheld(5).table()
    assert table.reach is not None
    place = np.searchsorted(binned.cell, grid.cells(score))
    upward = {0: truth, 1: ~truth, 2: rng.random(len(score)) < 0.5, 3: score < 0.5}[int(rng.integers(4))]
    return np.where(upward, table.reach.high[place], table.reach.low[place])


def both(table: ScoreTable) -> tuple[Groups, NDArray[Any]]:
    groups = equal_width(table, 7)
    return groups, groups.positive


@pytest.mark.parametrize("shape", SHAPES)
def test_bounds_narrow_with_the_cells_and_suppression_widens_them(shape: str) -> None:
    rng = np.random.default_rng(5)
    score, truth = scores_of(shape, 400, rng)
    fine = Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", 9)).withheld(5)
    tables = [fine.coarser(bits) for bits in (2, 4, 6)] + [fine]
    for name in NAMES:
        measure = find(name)
        steps = [bounds_of(evaluation(each.table(), 0.37), measure) for each in tables]
        for (low, high), (lower, higher) in zip(steps[1:], steps[:-1], strict=True):
            assert not sticks_out((low, high), (lower, higher)), (name, steps)
        hidden = bounds_of(evaluation(tables[1].without_small(5).table(), 0.37), measure)
        shown = bounds_of(evaluation(tables[1].table(), 0.37), measure)
        assert not sticks_out(shown, hidden), (name, hidden, shown)


@pytest.mark.parametrize("shape", SHAPES)
def test_bounds_of_calibration_narrow_with_the_cells_and_suppression_widens_them(shape: str) -> None:
    rng = np.random.default_rng(5)
    score, truth = scores_of(shape, 400, rng)
    fine = Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", 12)).withheld(5)
    tables = [fine.coarser(bits).table() for bits in (2, 5)] + [fine.table()]
    steps = [calibration_of(table) for table in (fine.coarser(2).without_small(5).table(), *tables)]
    for wide, narrow in itertools.pairwise(steps):
        for name, found in narrow.items():
            if math.isnan(found.value) or math.isnan(wide[name].value):
                continue
            inner, outer = found.bounds, wide[name].bounds
            assert inner is not None, name
            assert outer is not None, name
            assert not sticks_out(inner, outer), (name, inner, outer)


def test_the_default_grid_leaves_little_open_of_a_line() -> None:
    """Below a tenth of a percent of the standard error, of a hundred thousand cases."""
    rng = np.random.default_rng(1)
    truth = rng.random(100_000) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(1.4 * (truth - 0.5), 1.2)))
    line = cox(Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", 18)).withheld(5).table())
    for found in (line.in_the_large, line.intercept, line.slope):
        assert found.bounds is not None
        assert 0 < found.bounds[1] - found.bounds[0] < 1e-3 * (found.high - found.low)


def test_no_line_in_cells_says_that_the_scores_may_have_one() -> None:
    score, truth = [0.1] * 5 + [0.3, 0.31, 0.32] + [0.9] * 5, [False] * 5 + [True, False, True] + [True] * 5
    grid = ScoreGrid("probability", 0)
    meeting = cox(Binned.of(score, truth, ("0", "1"), grid).withheld(5).table()).slope
    assert math.isnan(meeting.value)
    assert "needs the rows" in str(meeting.undefined)
    assert math.isfinite(cox(ScoreTable.of(score, truth)).slope.value)
    parted = cox(Binned.of([0.1, 0.2, 0.9], [False, False, True], ("0", "1"), grid).withheld(5).table()).slope
    assert "needs the rows" not in str(parted.undefined)


def test_true_ties_leave_nothing_open() -> None:
    rng = np.random.default_rng(1)
    score, truth = rng.choice([0.1, 0.37, 0.8], 300), rng.random(300) < 0.4
    ev = evaluation(Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", 2)).withheld(5).table(), 0.37)
    exact = evaluation(ScoreTable.of(score, truth), 0.37)
    for measure in map(find, NAMES):
        found, known = (measure.estimate(each.evidence_for(measure)) for each in (ev, exact))
        assert (found.value, found.low, found.high) == pytest.approx((known.value, known.low, known.high), nan_ok=True)
        if measure.needs is ScoreTable and not math.isnan(found.low):
            assert found.bounds == (found.value, found.value)
            assert known.bounds is None


def test_a_threshold_at_the_edge_of_a_cell_splits_none() -> None:
    rng = np.random.default_rng(2)
    score, truth = rng.random(1000), rng.random(1000) < 0.4
    table = Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", 5)).withheld(5).table()
    for threshold in (0.5, 0.25, 0.75, 0.0):
        assert table.at(threshold) == ScoreTable.of(score, truth).at(threshold)
        assert table.at(threshold).ends is None
    inside = table.at(0.3)
    assert inside.ends is not None
    exact = ScoreTable.of(score, truth).at(0.3).counts
    assert (inside.ends.min(0) <= exact).all()
    assert (exact <= inside.ends.max(0)).all()


def test_the_evidence_of_every_measure_has_ends() -> None:
    """A new kind of evidence must say what bounds it has."""
    assert {measure.needs for measure in map(find, NAMES)} == {ScoreTable, ConfusionMatrix, ErrorSums}


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 10_000), bits=st.integers(0, 6))
@settings(max_examples=10)
def test_ranges_shown_to_be_wrong_are_wrong_wherever_scores_lie_in_their_cells(
    shape: str, seed: int, bits: int
) -> None:
    rng = np.random.default_rng(seed)
    score, truth = scores_of(shape, 300, rng)
    table = Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", bits)).withheld(5).table()
    reach = table.reach
    assert reach is not None
    # Cells and their counts say which cases the band puts together: the same ones wherever the scores are.
    low, high = (_are_outside(table, limit) for limit in (0, 1))
    for where in (reach.low, reach.high, reach.low + rng.random() * (reach.high - reach.low)):
        other = ScoreTable(where, table.negative, table.positive)
        assert not (low & ~_are_outside(other, 0)).any()
        assert not (high & ~_are_outside(other, 1)).any()


def _are_outside(table: ScoreTable, limit: int) -> NDArray[Any]:
    """Which scores lie outside a limit of the band."""
    found = np.zeros(len(table), dtype=np.bool_)
    band = confidence_band(table)
    if band.undefined is None:
        for start, stop in zip(*_places_outside_band(table, band)[limit], strict=True):
            found[start:stop] = True
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_the_test_of_calibration_lies_within_its_bounds_and_they_narrow(shape: str) -> None:
    rng = np.random.default_rng(9)
    score, _ = scores_of(shape, 600, rng)
    truth = rng.random(600) < 0.15 + 0.7 * score
    widths = []
    for bits in (1, 4, 16):
        table = Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", bits)).withheld(5).table()
        found, reach = miscalibration_test(table), table.reach
        assert reach is not None
        low, high = found.bounds or (found.p_value, found.p_value)
        widths.append(high - low)
        for where in (reach.low, reach.high, reach.low + rng.random(len(table)) * (reach.high - reach.low)):
            assert low <= miscalibration_test(ScoreTable(where, table.negative, table.positive)).p_value <= high
    assert widths[0] >= widths[1] >= widths[2]
    assert widths[2] < 0.01
    hidden = Binned.of(score, truth, ("0", "1"), ScoreGrid("probability", 4)).withheld(5).without_small(400)
    assert not len(hidden) or miscalibration_test(hidden.table()).bounds == (0.0, 1.0)
