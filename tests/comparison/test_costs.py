"""Comparing costs: BDeltaCost as it was described, smoothing, any loss matrix, net benefit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assay.comparison import bdeltacost, cost_difference, cost_matrix, net_benefit_difference
from assay.comparison.costs import order_limits
from assay.evidence.paired import PairedDecisions

COUNTS = np.array([[[400.0, 20], [10, 30]], [[30, 10], [20, 80]]])
PAIRED = PairedDecisions(COUNTS, ("no", "yes"), ("no", "yes"))
METHODS: tuple[Any, ...] = ("smoothed", "bdeltacost", "bca", "normal")


def test_the_order_statistics_of_the_slides() -> None:
    means = np.random.default_rng(0).permutation(np.arange(1.0, 1001.0))
    low, high = order_limits(means, 0.95)
    assert (low, high) == (26.0, 975.0)
    assert np.count_nonzero((means >= low) & (means <= high)) == 950


@pytest.mark.parametrize("method", METHODS)
def test_the_difference_is_that_of_the_mean_costs(method: Any) -> None:
    losses = cost_matrix(fp=1, fn=5)
    found = cost_difference(PAIRED, losses, method=method)
    costs = [float((matrix.counts * losses).sum()) / 600 for matrix in (PAIRED.first, PAIRED.second)]
    assert found.value == pytest.approx(costs[0] - costs[1])
    assert found.low <= found.value <= found.high
    assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


def test_all_methods_agree_where_there_is_plenty() -> None:
    many = PairedDecisions(COUNTS * 50, ("no", "yes"), ("no", "yes"))
    found = [cost_difference(many, cost_matrix(fp=1, fn=5), method=method) for method in METHODS]
    for one in found[1:]:
        assert one.low == pytest.approx(found[0].low, rel=0.05)
        assert one.high == pytest.approx(found[0].high, rel=0.05)


def test_only_smoothing_sees_dear_errors_that_have_not_happened() -> None:
    counts = COUNTS.copy()
    counts[1] = [[0.0, 0], [0, 140]]
    unseen = PairedDecisions(counts, ("no", "yes"), ("no", "yes"))
    losses = cost_matrix(fp=1, fn=100)
    smoothed = cost_difference(unseen, losses)
    blind = cost_difference(unseen, losses, method="bdeltacost")
    assert smoothed.high - smoothed.low > 3 * (blind.high - blind.low)


def test_classifiers_that_never_differ_have_no_interval_but_a_smoothed_one() -> None:
    counts = np.zeros((2, 2, 2))
    counts[0, 0, 0] = counts[1, 1, 1] = 50
    same = PairedDecisions(counts, ("no", "yes"), ("no", "yes"))
    assert math.isnan(cost_difference(same, cost_matrix(), method="normal").low)
    assert cost_difference(same, cost_matrix()).p_value == 1.0


def test_few_cases_have_no_interval() -> None:
    few = PairedDecisions(COUNTS.round(-1) / 40, ("no", "yes"), ("no", "yes"))
    assert "at least 30" in str(cost_difference(few, cost_matrix()).undefined)


def test_any_loss_matrix_of_many_classes() -> None:
    counts = np.random.default_rng(1).integers(0, 20, (3, 3, 3)).astype(float)
    losses = np.array([[0, 1, 4], [1, 0, 1], [9, 1, 0.0]])
    found = cost_difference(PairedDecisions(counts, ("a", "b", "c"), ("a", "b", "c")), losses)
    change = losses[:, :, None] - losses[:, None, :]
    assert found.value == pytest.approx(float((counts * change).sum() / counts.sum()))
    with pytest.raises(ValueError, match="3 true classes by 3 decisions"):
        cost_difference(PairedDecisions(counts, ("a", "b", "c"), ("a", "b", "c")), cost_matrix())


def test_net_benefit_is_its_formula() -> None:
    odds = 0.2 / 0.8
    benefits = [float(m.tp - odds * m.fp) / 600 for m in (PAIRED.first, PAIRED.second)]
    assert net_benefit_difference(PAIRED, 0.2).value == pytest.approx(benefits[0] - benefits[1])
    with pytest.raises(ValueError, match="between 0 and 1"):
        net_benefit_difference(PAIRED, 1.0)


def test_bdeltacost_of_rows_is_that_of_cells() -> None:
    losses = cost_matrix(fp=1, fn=5)
    truth, first, second = np.unravel_index(np.repeat(np.arange(8), COUNTS.ravel().astype(int)), (2, 2, 2))
    rows = bdeltacost(losses[truth, first], losses[truth, second])
    cells = cost_difference(PAIRED, losses, method="bdeltacost")
    assert rows.value == pytest.approx(cells.value)
    assert rows.low == pytest.approx(cells.low, abs=0.03)


def test_weighted_cells_are_refused_with_a_way_out() -> None:
    weighted = PairedDecisions(COUNTS, ("no", "yes"), ("no", "yes"), squares=COUNTS * 2)
    with pytest.raises(ValueError, match="losses of each row"):
        cost_difference(weighted, cost_matrix())
