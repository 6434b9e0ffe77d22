"""Which costs the AUC averages over: Hand's identity, and the distribution of the H measure beside it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from assay.curves import cost_curve, cost_weights
from assay.evidence import ScoreTable
from assay.measures import hull_area

CASES = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=40).filter(
    lambda cases: len({is_positive for _, is_positive in cases}) == 2
)


@given(CASES)
def test_losses_averaged_with_these_weights_are_the_area(cases: list[tuple[int, bool]]) -> None:
    """Hand (2009): 1 - AUC of the hull is the mean least loss under the weights, over twice both class shares."""
    table = ScoreTable.of(*zip(*cases, strict=True))
    weights, share = cost_weights(table), float(table.positives / table.total)
    scale = (1 - weights.cost) * share + weights.cost * (1 - share)
    place = np.divide((1 - weights.cost) * share, scale, out=np.zeros_like(scale), where=scale > 0)
    loss = scale * cost_curve(table).at(place)
    assert 1 - float(weights.mass @ loss) / (2 * share * (1 - share)) == pytest.approx(float(hull_area(table)))


@given(CASES)
def test_both_weights_sum_to_one(cases: list[tuple[int, bool]]) -> None:
    weights = cost_weights(ScoreTable.of(*zip(*cases, strict=True)))
    columns = weights.table().columns
    assert columns["auc_below"][-1] == pytest.approx(1)
    assert columns["h_below"][-1] == pytest.approx(1)
    assert (np.diff(weights.cost) > 0).all()
    drawn = weights.drawing().traces
    for trace in drawn:
        assert np.trapezoid(trace.y, trace.x) == pytest.approx(1, abs=0.01)


def test_the_weight_of_h_is_the_beta_distribution() -> None:
    weights = cost_weights(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5], [1, 0, 1, 0, 0]))
    assert weights.beta == (1.4, 1.6)
    at = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(weights.below(at)[1], beta(1.4, 1.6).cdf(at))
    assert weights.medians[1] == pytest.approx(beta(1.4, 1.6).median())


def test_half_of_the_weight_lies_below_the_median() -> None:
    weights = cost_weights(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 0]))
    assert weights.medians[0] == 0.0
    assert weights.below(weights.medians[0])[0] == pytest.approx(0.5)


def test_a_single_class_has_no_weights() -> None:
    weights = cost_weights(ScoreTable.of([0.9, 0.8], [True, True]))
    assert not weights.is_defined
