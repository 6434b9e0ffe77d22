"""The parts of the Brier score sum to it, exactly, whatever the groups."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.samples import tables

from assay.calibration import (
    Groups,
    by_score,
    covariance_parts,
    equal_size,
    equal_width,
    murphy_part_errors,
    murphy_parts,
    spherical_score,
)
from assay.evidence import ScoreTable
from assay.measures import brier

EXACT = 1e-12


def sampled(seed: int, n: int = 200, **design: np.ndarray) -> ScoreTable:
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 2, n)
    return ScoreTable.of(p, rng.random(n) < p**1.3, **design)  # type: ignore[arg-type]


@given(tables, st.integers(1, 12))
def test_the_parts_of_any_groups_sum_to_the_brier_score(table: ScoreTable, count: int) -> None:
    assume(count <= table.total)
    groupings = [equal_size(table, count, ties=ties) for ties in ("together", "split")]
    for groups in (*groupings, equal_width(table, count), by_score(table)):
        assert murphy_parts(groups).brier == pytest.approx(float(brier(table)), abs=EXACT)


@given(st.integers(0, 2**20), st.integers(1, 15))
def test_weighted_parts_sum_to_the_weighted_brier_score(seed: int, count: int) -> None:
    table = sampled(seed, weight=np.random.default_rng(seed).gamma(1.0, 1.0, 200))
    assert murphy_parts(equal_size(table, count)).brier == pytest.approx(float(brier(table)), abs=EXACT)
    assert covariance_parts(table).brier == pytest.approx(float(brier(table)), abs=EXACT)


@given(tables)
def test_nothing_varies_inside_groups_of_one_probability(table: ScoreTable) -> None:
    parts = murphy_parts(by_score(table))
    assert abs(parts.within_variance) < EXACT
    assert abs(parts.within_covariance) < EXACT


@given(tables)
def test_the_covariance_parts_sum_to_the_brier_score_or_have_no_slope(table: ScoreTable) -> None:
    parts = covariance_parts(table)
    if min(table.negatives, table.positives) == 0:
        assert math.isnan(parts.slope)
        assert parts.undefined is not None
    else:
        assert parts.brier == pytest.approx(float(brier(table)), abs=EXACT)
        assert parts.scatter >= 0


@given(tables, st.integers(1, 6))
def test_corrected_parts_keep_their_sum(table: ScoreTable, count: int) -> None:
    """What is taken from reliability is taken from resolution, but for what is added to uncertainty and resolution."""
    assume(count <= table.total)
    groups = equal_width(table, count)
    parts = murphy_parts(groups, corrected=True)
    if (groups.total == 1).any():
        assert math.isnan(parts.reliability)
        assert parts.undefined is not None
    else:
        assert parts.brier == pytest.approx(float(brier(table)), abs=EXACT)


def test_corrected_reliability_is_nought_on_average_where_probabilities_are_right() -> None:
    rng = np.random.default_rng(3)
    found = []
    for _ in range(400):
        p = rng.integers(1, 10, 60) / 10
        groups = equal_size(ScoreTable.of(p, rng.random(60) < p), 6)
        if (groups.total > 1).all():
            found.append([murphy_parts(groups, corrected=c).reliability for c in (False, True)])
    plain, corrected = np.mean(found, axis=0)
    error = float(np.std([row[1] for row in found])) / math.sqrt(len(found))
    assert abs(corrected) < 4 * error
    assert plain > 10 * error


def resampled_parts(groups: Groups, rng: np.random.Generator, *, corrected: bool) -> list[float]:
    table = groups.table
    cells = np.concatenate((table.negative, table.positive))
    drawn = rng.multinomial(int(table.total), cells / cells.sum()).astype(float).reshape(2, -1)
    kept = drawn.sum(0) > 0
    again = equal_width(ScoreTable(table.score[kept], *drawn[:, kept]), 5)
    parts = murphy_parts(again, corrected=corrected)
    return [parts.uncertainty, parts.reliability, parts.resolution]


@pytest.mark.parametrize("corrected", [False, True])
def test_standard_errors_are_those_of_resampling(corrected: bool) -> None:
    rng = np.random.default_rng(11)
    p = rng.beta(1, 2, 3000)
    groups = equal_width(ScoreTable.of(p, rng.random(3000) < p**1.4), 5)
    draws = np.array([resampled_parts(groups, rng, corrected=corrected) for _ in range(400)])
    assert list(murphy_part_errors(groups, corrected=corrected)) == pytest.approx(list(draws.std(0)), rel=0.15)


def test_standard_errors_stay_away_where_they_are_not_known() -> None:
    clustered = sampled(1, cluster=np.arange(200) // 4)
    assert all(map(math.isnan, murphy_part_errors(equal_width(clustered, 5))))
    weighted = sampled(1, weight=np.random.default_rng(0).gamma(1.0, 1.0, 200))
    assert all(map(math.isnan, murphy_part_errors(equal_width(weighted, 5), corrected=True)))
    assert not any(map(math.isnan, murphy_part_errors(equal_width(weighted, 5))))


def test_parts_take_a_batch() -> None:
    table = sampled(5)
    batch = ScoreTable(
        table.score, np.stack((table.negative, table.positive)), np.stack((table.positive, table.negative))
    )
    for corrected in (False, True):
        both, one = (murphy_parts(equal_width(t, 5), corrected=corrected) for t in (batch, table))
        assert both.brier[0] == pytest.approx(one.brier, abs=EXACT)
        assert both.reliability.shape == (2,)


@given(tables)
def test_the_spherical_score_is_the_mean_over_rows(table: ScoreTable) -> None:
    rows = [
        (p, y)
        for p, n, m in zip(table.score, table.negative, table.positive, strict=True)
        for y, k in ((0, n), (1, m))
        for _ in range(int(k))
    ]
    wanted = np.mean([(p if y else 1 - p) / math.sqrt(p * p + (1 - p) ** 2) for p, y in rows])
    found = spherical_score(table)
    assert found.value == pytest.approx(float(wanted), abs=EXACT)
    assert 0 <= found.value <= 1
    assert math.isnan(found.low) or 0 <= found.low <= found.value <= found.high <= 1


def test_the_spherical_score_is_proper() -> None:
    """Right probabilities score higher on average than any others."""
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    happened = rng.random(20_000) < p
    right = spherical_score(ScoreTable.of(p, happened)).value
    assert all(right > spherical_score(ScoreTable.of(p**power, happened)).value for power in (0.5, 0.8, 1.25, 2.0))
