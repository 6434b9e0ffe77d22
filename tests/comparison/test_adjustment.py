"""Many comparisons at once: one adjustment for intervals and p-values alike, Holm's decisions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.comparison import Joint, bonferroni, bonferroni_level, holm, joint_auc

TRUTH = np.arange(300) % 3 == 0


def joint(seed: int, k: int) -> Joint:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=300)
    return joint_auc(TRUTH, {f"m{i}": TRUTH * (0.5 + 0.2 * i) + shared + rng.normal(size=300) for i in range(k)})


@pytest.mark.parametrize("seed", range(8))
def test_adjusted_intervals_and_p_values_never_contradict_one_another(seed: int) -> None:
    pairs = list(itertools.combinations(range(4), 2))
    for level in (0.9, 0.95, 0.99):
        for found in joint(seed, 4).differences(pairs, level):
            assert (found.p_value < 1 - level + 1e-12) == (not found.low <= 0 <= found.high)


def test_adjusting_widens_but_less_than_bonferroni() -> None:
    pairs = list(itertools.combinations(range(5), 2))
    one = joint(1, 5)
    for (first, second), adjusted in zip(pairs, one.differences(pairs), strict=True):
        alone = one.difference(first, second)
        careful = one.difference(first, second, bonferroni_level(0.95, len(pairs)))
        assert alone.half_width < adjusted.half_width <= careful.half_width + 1e-12
        assert alone.p_value <= adjusted.p_value <= bonferroni(alone.p_value, len(pairs)) + 1e-12
        assert adjusted.adjusted == "10 comparisons at once"


def test_max_t_of_two_differences_is_the_bivariate_normal_quantile() -> None:
    """Two independent differences: the largest of two |z| has the quantile of level**(1/2)."""
    spread = np.diag([1.0, 1.0, 1.0, 1.0])
    apart = Joint("x", ("a", "b", "c", "d"), np.zeros(4), spread, 100, "normal")
    found = apart.differences([(0, 1), (2, 3)])
    from scipy.stats import norm

    exact = norm.ppf(0.5 + math.sqrt(0.95) / 2) * math.sqrt(2)
    assert found[0].half_width == pytest.approx(exact, rel=0.02)


def test_one_comparison_needs_no_adjustment() -> None:
    one = joint(2, 3)
    assert one.differences([(0, 2)]) == [one.difference(0, 2)]


def test_the_same_seed_gives_the_same_numbers() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert joint(3, 3).differences(pairs, seed=5) == joint(3, 3).differences(pairs, seed=5)


def test_classifiers_that_agree_are_left_out_of_the_largest() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(TRUTH), rng.normal(TRUTH)
    found = joint_auc(TRUTH, {"a": a, "b": b, "c": a}).differences([(0, 1), (0, 2), (1, 2)])
    assert found[1].p_value == 1.0
    assert found[1].undefined
    assert found[0].p_value == pytest.approx(found[2].p_value)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_its_definition(p_values: list[float]) -> None:
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    expected, still = [False] * len(p_values), True
    for rank, place in enumerate(order):
        still = still and p_values[place] * (len(p_values) - rank) <= 0.05
        expected[place] = still
    found = holm(p_values, 0.95)
    ties = len(set(p_values)) < len(p_values)
    assert sum(found) == sum(expected) if ties else found == expected


def test_holm_leaves_undefined_ones_alone() -> None:
    assert holm([math.nan, 0.01, 0.04]) == [False, True, True]


def test_a_joint_test_of_what_never_varies_is_undefined_unless_it_is_equal() -> None:
    none = np.zeros((2, 2))
    assert Joint("x", ("a", "b"), np.array([1.0, 1.0]), none, 9, "m").test().p_value == 1.0
    apart = Joint("x", ("a", "b"), np.array([1.0, 0.5]), none, 9, "m")
    assert math.isnan(apart.test().p_value)
    assert apart.difference(0, 1).undefined
