"""Working a ranking from the top, against brute force over every order of tied cases."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from tests.laws.samples import rows, table_of

from assay.curves import cumulative_gain, ks_curve, lift_curve, precision_at_k, recall_at_k, risk_chart, roc, top_k
from assay.curves.ranking import expected_at_k
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import f1, gini, lift

few = st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.8]), st.booleans()), min_size=2, max_size=6)
both = rows.filter(lambda cases: len({positive for _, positive in cases}) == 2)


def hits_in_every_order(cases: list[tuple[float, bool]], k: int) -> list[int]:
    """How many positives are among the first k, for each order that the scores allow."""
    orders = (order for order in permutations(cases) if all(a[0] >= b[0] for a, b in pairwise(order)))
    return [sum(positive for _, positive in order[:k]) for order in orders]


@given(cases=few)
def test_at_k_is_the_mean_over_all_orders_of_ties(cases: list[tuple[float, bool]]) -> None:
    table, positives = table_of(cases), sum(positive for _, positive in cases)
    for k in range(1, len(cases) + 1):
        hits = hits_in_every_order(cases, k)
        assert float(precision_at_k(table, k)) == pytest.approx(np.mean(hits) / k)
        if positives:
            assert float(recall_at_k(table, k)) == pytest.approx(np.mean(hits) / positives)
            by_f1 = np.mean([2 * found / (k + positives) for found in hits])
            assert float(f1(expected_at_k(table, k))) == pytest.approx(by_f1)


def test_every_k_there_is() -> None:
    table = ScoreTable.of([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    found = top_k(table)
    assert found.k.tolist() == [1, 2, 3, 4]
    assert found.precision.tolist() == [1, 0.75, 2 / 3, 0.5]
    assert found.recall.tolist() == [0.5, 0.75, 1, 1]
    assert top_k(table, [2]).table().columns == {"k": [2], "precision": [0.75], "recall": [0.75]}


def test_counts_are_cases() -> None:
    counted = ScoreTable.of([0.9, 0.5], [True, False], count=np.array([3.0, 2.0]))
    assert float(precision_at_k(counted, 4)) == 0.75


def test_the_first_k_of_weighted_cases_are_refused_by_name_of_what_can() -> None:
    weighted = ScoreTable.of([0.9, 0.5], [True, False], weight=np.array([1.5, 2.0]))
    with pytest.raises(ValueError, match="cumulative_gain"):
        precision_at_k(weighted, 1)


@pytest.mark.parametrize("k", [-1, 3])
def test_k_is_a_number_of_cases_there_are(k: int) -> None:
    with pytest.raises(OptionError, match=f"k is {k}; needed: a number from 0 to 2"):
        precision_at_k(ScoreTable.of([0.9, 0.5], [True, False]), k)


@given(cases=both)
def test_the_gap_is_scipys_statistic(cases: list[tuple[float, bool]]) -> None:
    found = ks_curve(table_of(cases))
    low, high = ([score for score, positive in cases if positive is side] for side in (False, True))
    assert found.statistic.value == pytest.approx(float(ks_2samp(low, high, method="exact").statistic))
    smaller = min(len(low), len(high))
    assert math.isnan(found.statistic.low) == (smaller < 10)
    np.testing.assert_allclose(found.gap, roc(table_of(cases)).y - roc(table_of(cases)).x, atol=1e-12)


def test_a_single_class_has_no_gap() -> None:
    found = ks_curve(ScoreTable.of([0.1, 0.2], [True, True]))
    assert not found.is_defined
    assert math.isnan(found.statistic.value)
    assert "all true labels are of one class" in (found.statistic.undefined or "")


@given(cases=both)
def test_gain_lift_and_gini_hang_together(cases: list[tuple[float, bool]]) -> None:
    table = table_of(cases)
    gain, lifts = cumulative_gain(table), lift_curve(table)
    np.testing.assert_allclose(lifts.y, gain.y[1:] / gain.x[1:], rtol=1e-12)
    np.testing.assert_array_equal(lifts.y, lift(table.swept())[1:])
    prevalence = gain.prevalence
    above_chance = float(np.trapezoid(gain.y, gain.x)) - 0.5
    assert above_chance == pytest.approx(float(gini(table)) * (1 - prevalence) / 2, abs=1e-12)
    chart = risk_chart(table)
    assert chart.recall_area - 0.5 == pytest.approx(above_chance)
