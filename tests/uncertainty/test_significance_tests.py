"""The Mann-Whitney test against scipy.stats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from assay.evidence import ScoreTable
from assay.uncertainty import mann_whitney


@given(order=st.permutations(range(14)), n1=st.integers(1, 13))
def test_exact_p_values(order: list[int], n1: int) -> None:
    positive, negative = order[:n1], order[n1:]
    found = mann_whitney(ScoreTable.of(order, np.arange(14) < n1))
    theirs = stats.mannwhitneyu(positive, negative, method="exact")
    assert found.method == "exact"
    assert found.statistic == theirs.statistic
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize(("n1", "n0"), [(50, 50), (5, 400), (400, 5), (2, 1000)])
def test_exact_p_values_at_the_largest_samples(n1: int, n0: int) -> None:
    rng = np.random.default_rng(n1)
    positive, negative = rng.normal(0.4, 1, n1), rng.normal(0, 1, n0)
    found = mann_whitney(ScoreTable.of(np.r_[positive, negative], np.arange(n1 + n0) < n1))
    assert found.method == "exact"
    assert found.p_value == pytest.approx(stats.mannwhitneyu(positive, negative, method="exact").pvalue, rel=1e-7)


@given(rows=st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=8, max_size=60))
def test_ties_take_the_normal_distribution(rows: list[tuple[int, bool]]) -> None:
    score, positive = np.array([s for s, _ in rows]), np.array([p for _, p in rows])
    assume(0 < positive.sum() < len(rows) and len(set(score)) > 1)
    found = mann_whitney(ScoreTable.of(score, positive))
    theirs = stats.mannwhitneyu(score[positive], score[~positive], method="asymptotic", use_continuity=True)
    assert found.statistic == theirs.statistic
    if found.method != "exact":
        assert found.p_value == pytest.approx(min(theirs.pvalue, 1.0), rel=1e-9)


def test_one_class_and_one_score() -> None:
    alone = mann_whitney(ScoreTable.of([0.1, 0.2], [True, True]))
    assert np.isnan(alone.p_value)
    assert alone.undefined
    assert alone.to_dict()["p_value"] is None
    constant = mann_whitney(ScoreTable.of([0.5] * 10, [True, False] * 5))
    assert constant.p_value == 1.0
