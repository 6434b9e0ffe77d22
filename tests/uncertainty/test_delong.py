"""DeLong by its definition, and Newcombe's method solving its own equation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from assay.evidence import ScoreTable
from assay.uncertainty import AucMoments, delong_logit, delong_wald, hanley_mcneil, newcombe

cases = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=4, max_size=40)


def split(rows: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    positive = np.array([score for score, is_positive in rows if is_positive], dtype=float)
    negative = np.array([score for score, is_positive in rows if not is_positive], dtype=float)
    return positive, negative


def by_placements(positive: np.ndarray, negative: np.ndarray) -> tuple[float, float]:
    wins = np.sign(positive[:, None] - negative[None, :]) / 2 + 0.5
    variance = wins.mean(1).var(ddof=1) / len(positive) + wins.mean(0).var(ddof=1) / len(negative)
    return float(wins.mean()), float(variance)


@given(rows=cases)
def test_delong_is_the_variance_of_the_placements(rows: list[tuple[int, bool]]) -> None:
    positive, negative = split(rows)
    assume(min(len(positive), len(negative)) >= 2)
    moments = AucMoments.of(ScoreTable.of([s for s, _ in rows], [p for _, p in rows]))
    auc, variance = by_placements(positive, negative)
    assert moments.auc == pytest.approx(auc, rel=1e-12, abs=1e-15)
    assert moments.variance == pytest.approx(variance, rel=1e-9, abs=1e-14)


def test_a_single_case_of_a_class_has_no_variance() -> None:
    moments = AucMoments.of(ScoreTable.of([0.1, 0.5, 0.9], [0, 1, 0]))
    assert math.isnan(moments.variance)
    assert delong_wald(moments, 0.95).undefined
    assert delong_logit(moments, 0.95).undefined


def newcombe_variance(theta: float, n1: float, n0: float) -> float:
    """Newcombe (2006), method 5: Hanley and McNeil's variance with both class sizes at their mean."""
    mean = (n1 + n0) / 2
    spread = 1 + (mean - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta))
    return theta * (1 - theta) * spread / (n1 * n0)


@given(
    auc=st.floats(0, 1),
    n1=st.integers(1, 300),
    n0=st.integers(1, 300),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_newcombe_solves_its_own_equation(auc: float, n1: int, n0: int, level: float) -> None:
    assume(auc in (0.0, 1.0) or 1e-6 < auc < 1 - 1e-6)
    found = newcombe(AucMoments(auc, math.nan, n1, n0), level)
    z = stats.norm.ppf(0.5 + level / 2)
    assert found.low <= auc <= found.high
    for limit, closed in ((found.low, auc == 0.0), (found.high, auc == 1.0)):
        if closed:
            assert limit == auc
        else:
            assert abs(auc - limit) == pytest.approx(
                z * math.sqrt(newcombe_variance(limit, n1, n0)), rel=1e-6, abs=1e-9
            )


def test_hanley_and_mcneil_of_1982() -> None:
    """Their paper's example: an area of .893 from 51 diseased and 58 normal has a standard error of .032."""
    found = hanley_mcneil(AucMoments(0.893, math.nan, 51, 58), 0.95)
    assert (found.high - found.low) / 2 / 1.959964 == pytest.approx(0.032, abs=0.0006)


def test_the_logit_interval_stays_inside_and_leans_towards_the_middle() -> None:
    moments = AucMoments(0.99, 0.0001, 40, 400)
    found, plain = delong_logit(moments, 0.95), delong_wald(moments, 0.95)
    assert found.method == "DeLong, logit"
    assert found.high < 1.0
    assert found.low < plain.low


@pytest.mark.parametrize(
    ("auc", "smaller", "rests_on_enough"),
    [(0.8, 30, True), (0.8, 29, False), (0.9, 31, True), (0.95, 59, False), (0.05, 59, False)],
)
def test_few_misranked_cases_take_the_wider_of_two_intervals(auc: float, smaller: int, rests_on_enough: bool) -> None:
    """30 cases in the smaller class, and 3 cases' worth of misranking there, make DeLong's variance good enough."""
    for sizes in ((smaller, 1000), (1000, smaller)):
        for variance in (1e-5, 0.002):
            moments = AucMoments(auc, variance, *sizes)
            found, careful = delong_logit(moments, 0.95), newcombe(moments, 0.95)
            if rests_on_enough:
                assert found.method == "DeLong, logit"
            else:
                assert found.low <= careful.low
                assert found.high >= careful.high
                assert "Newcombe" in found.method or (found.low, found.high) != (careful.low, careful.high)
