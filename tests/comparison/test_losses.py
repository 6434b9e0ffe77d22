"""Comparing losses: the paired t test, weights, and Redelmeier's test with what it assumes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from assay.comparison import Rows, brier_losses, joint_losses, paired_loss_test, redelmeier
from assay.evidence import ScoreTable
from assay.measures import brier

RNG = np.random.default_rng(0)
TRUTH = RNG.random(80) < 0.4
FIRST, SECOND = RNG.random(80), RNG.random(80)


def test_losses_are_those_of_the_measures() -> None:
    table = ScoreTable.of(FIRST, TRUTH)
    assert brier_losses(FIRST, TRUTH).mean() == pytest.approx(float(brier(table)))


def test_it_is_the_paired_t_test() -> None:
    one, two = brier_losses(FIRST, TRUTH), brier_losses(SECOND, TRUTH)
    found, scipys = paired_loss_test(one, two), stats.ttest_rel(one, two)
    assert found.p_value == pytest.approx(scipys.pvalue, rel=1e-9)
    limits = scipys.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))


@given(arrays(np.int64, (2, 40), elements=st.integers(-3, 3)))
def test_interval_and_p_value_never_contradict_one_another(drawn: NDArray[np.int64]) -> None:
    found = paired_loss_test(drawn[0] / 4, drawn[1] / 4)
    if not math.isnan(found.low):
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


def test_the_same_losses_do_not_differ() -> None:
    assert paired_loss_test(FIRST, FIRST).p_value == 1.0
    shifted = paired_loss_test(FIRST, FIRST + 0.5)
    assert shifted.value == pytest.approx(-0.5)
    assert math.isnan(paired_loss_test(np.zeros(40), np.ones(40)).p_value)


def test_few_cases_have_no_interval() -> None:
    found = paired_loss_test(FIRST[:12], SECOND[:12])
    assert math.isnan(found.low)
    assert "12 cases" in str(found.undefined)


def test_weights_and_clusters_enter() -> None:
    losses = {"a": brier_losses(FIRST, TRUTH), "b": brier_losses(SECOND, TRUTH)}
    plain = joint_losses(losses).difference(0, 1)
    equal = joint_losses(losses, Rows(TRUTH, weight=np.full(80, 3.0))).difference(0, 1)
    assert (equal.low, equal.high) == pytest.approx((plain.low, plain.high))
    twice = {name: np.tile(values, 2) for name, values in losses.items()}
    clustered = joint_losses(twice, Rows(np.tile(TRUTH, 2), cluster=np.tile(np.arange(80), 2))).difference(0, 1)
    # Cases as clusters of their copies: one left out at a time, and t with the freedom their unevenness leaves.
    assert clustered.low == pytest.approx(plain.low, rel=0.05)
    assert clustered.low < plain.low


def test_redelmeier_is_its_formula() -> None:
    found = redelmeier(FIRST, SECOND, TRUTH)
    d = ((FIRST - SECOND) * (FIRST + SECOND - 2 * TRUTH)).sum()
    mean = (FIRST + SECOND) / 2
    z = d / math.sqrt(4 * ((FIRST - SECOND) ** 2 * mean * (1 - mean)).sum())
    assert found.statistic == pytest.approx(z)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert "true probabilities" in found.method


def test_redelmeier_of_one_and_the_same_forecast_and_of_certainty() -> None:
    assert redelmeier(FIRST, FIRST, TRUTH).p_value == 1.0
    assert redelmeier([1.0, 0.5], [1.0, 0.5], [0, 1]).p_value == 1.0
