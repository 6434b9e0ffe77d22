"""Gaps of groups: limits recovered by hand, and what holds several at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

from assay.comparison import Apart, at_once, bonferroni
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import find


def apart(inside: tuple[int, int], outside: tuple[int, int], name: str = "accuracy") -> Apart:
    sides = [ConfusionMatrix.binary(tp=right, fn=of - right, fp=0, tn=0) for right, of in (inside, outside)]
    return Apart("site", f"{inside}", find(name), *sides)


def test_limits_of_a_share_are_recovered_from_jeffreys() -> None:
    found = apart((40, 50), (950, 1000)).alone(0.9)
    (low1, high1), (low2, high2) = (
        (beta.ppf(0.05, x + 0.5, n - x + 0.5), beta.ppf(0.95, x + 0.5, n - x + 0.5)) for x, n in ((40, 50), (950, 1000))
    )
    assert found.value == pytest.approx(-0.15)
    assert found.low == pytest.approx(-0.15 - math.hypot(0.8 - low1, high2 - 0.95))
    assert found.high == pytest.approx(-0.15 + math.hypot(high1 - 0.8, 0.95 - low2))


def test_one_error_in_a_small_group_is_not_taken_for_much() -> None:
    # The score test of the same counts has p = 0.0002, and yet every sixteenth such group has an error by chance.
    assert apart((52, 53), (4995, 5000)).alone().p_value > 0.01


def test_without_correlations_bonferroni_holds_several() -> None:
    each = [apart((40, 50), (950, 1000)), apart((90, 100), (900, 950)), apart((800, 820), (190, 230))]
    found = at_once(each)
    for one, gap in zip(each, found, strict=True):
        assert gap.p_value == pytest.approx(bonferroni(one.alone().p_value, 3))
        assert (gap.low, gap.high) == pytest.approx(one.limits(1 - 0.05 / 3), abs=1e-9)
        assert gap.adjusted == "3 comparisons at once"


def test_gaps_that_move_together_cost_less() -> None:
    each = [apart((40, 50), (950, 1000))] * 5
    moved = np.tile(np.random.default_rng(0).standard_normal(200), (5, 1))
    alone, found = each[0].alone(), at_once(each, moved)[0]
    assert found.half_width == pytest.approx(alone.half_width, rel=0.02)
    apart_moved = np.random.default_rng(0).standard_normal((5, 2000))
    assert at_once(each, apart_moved)[0].half_width > 1.2 * alone.half_width


def test_few_cases_are_left_out_whatever_they_show() -> None:
    for right in (0, 5, 9):
        assert apart((right, 9), (950, 1000)).alone().undefined == "9 cases that it is a share of, fewer than 10"
    assert apart((950, 1000), (9, 9)).alone().undefined == "in the rest 9 cases that it is a share of, fewer than 10"
    rng = np.random.default_rng(1)
    tables = [ScoreTable.of(rng.random(n), np.arange(n) < positives) for n, positives in ((40, 4), (100, 50))]
    assert Apart("site", "a", find("roc_auc"), *tables).alone().undefined == "4 cases in a class, fewer than 5"


def test_the_area_has_limits_from_those_of_either_side() -> None:
    rng = np.random.default_rng(2)
    tables = [ScoreTable.of(rng.random(n) + (np.arange(n) < n // 3), np.arange(n) < n // 3) for n in (300, 900)]
    one, other = (find("roc_auc").estimate(table, level=0.95) for table in tables)
    found = Apart("site", "a", find("roc_auc"), *tables).alone()
    assert found.low == pytest.approx(
        one.value - other.value - math.hypot(one.value - one.low, other.high - other.value)
    )
    assert found.method == "MOVER"
