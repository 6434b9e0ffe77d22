"""Rates of two classifiers on the same cases: what tests and intervals must agree on, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.comparison import compare_rates, global_test, predictive_value_test, rate_ratio
from assay.comparison.rates import RATES, rate_contrast
from assay.errors import OptionError, UnknownName
from assay.evidence.paired import PairedDecisions

BINARY = ("no", "yes")
tables = st.lists(st.integers(5, 60), min_size=8, max_size=8)


def paired_of(counts: list[int] | NDArray[np.float64], **facts: NDArray[np.float64]) -> PairedDecisions:
    return PairedDecisions(np.array(counts, dtype=np.float64).reshape(2, 2, 2), BINARY, BINARY, **facts)


def exchanged(paired: PairedDecisions) -> PairedDecisions:
    return PairedDecisions(paired.counts.swapaxes(-1, -2), BINARY, BINARY)


@given(counts=tables, rate=st.sampled_from(RATES), level=st.sampled_from([0.8, 0.95, 0.99]))
def test_interval_and_p_value_never_contradict(counts: list[int], rate: str, level: float) -> None:
    for found, null in (
        (rate_contrast(paired_of(counts), rate, level), None),
        (rate_ratio(paired_of(counts), rate, level), 1.0),
    ):
        same = (0.0 if found.effect.name == "difference" else 1.0) if null is None else null
        assert found.effect.low <= found.effect.value <= found.effect.high
        assert (found.effect.low <= same <= found.effect.high) == (found.test.p_value > 1 - level)


@given(counts=tables, rate=st.sampled_from(RATES))
def test_exchanging_the_classifiers_inverts_the_ratio(counts: list[int], rate: str) -> None:
    one, other = rate_ratio(paired_of(counts), rate), rate_ratio(exchanged(paired_of(counts)), rate)
    assert one.effect.value * other.effect.value == pytest.approx(1)
    assert one.effect.low * other.effect.high == pytest.approx(1)
    assert one.test.p_value == pytest.approx(other.test.p_value)


@given(counts=tables, rate=st.sampled_from(["precision", "npv"]))
def test_exchanging_the_classifiers_keeps_the_tests(counts: list[int], rate: str) -> None:
    for form in ("score", "weighted score"):
        one, other = (predictive_value_test(p, rate, form) for p in (paired_of(counts), exchanged(paired_of(counts))))
        assert one.statistic == pytest.approx(other.statistic, rel=1e-9, abs=1e-9)


@given(counts=tables)
def test_turning_the_classes_round_turns_precision_into_npv(counts: list[int]) -> None:
    paired = paired_of(counts)
    turned = paired_of(paired.counts[::-1, ::-1, ::-1])
    for one, other in (("precision", "npv"), ("recall", "specificity")):
        assert rate_ratio(paired, one).effect.value == pytest.approx(rate_ratio(turned, other).effect.value)
        assert rate_contrast(paired, one).test.p_value == pytest.approx(rate_contrast(turned, other).test.p_value)


def test_without_shared_calls_the_weighted_score_is_that_of_two_samples() -> None:
    """Kosinski's reason for the weights: classifiers that never call the same case are two independent samples."""
    from scipy.stats import chi2_contingency

    counts = np.array([[[100, 30], [12, 0]], [[40, 50], [45, 0]]])
    statistic, _, _, _ = chi2_contingency(np.array([[12, 45], [30, 50]]), correction=False)
    assert predictive_value_test(paired_of(counts), "precision").statistic == pytest.approx(statistic)
    assert predictive_value_test(paired_of(counts), "precision", "score").statistic != pytest.approx(statistic)


def test_identical_classifiers() -> None:
    paired = paired_of(np.array([[[50, 0], [0, 10]], [[8, 0], [0, 40]]]))
    for rate in RATES:
        found = rate_ratio(paired, rate)
        assert found.test.p_value == 1
        assert found.effect.undefined == "the classifiers do not differ on any case"
        assert rate_contrast(paired, rate).test.p_value == 1
    assert predictive_value_test(paired, "precision", "score").p_value == 1
    assert predictive_value_test(paired, "precision").p_value == 1
    assert global_test(paired).p_value == 1


def test_too_few_hits_or_misses_have_neither_interval_nor_p_value() -> None:
    found = rate_ratio(paired_of([60, 3, 1, 0, 4, 6, 5, 30]), "precision")
    assert math.isfinite(found.effect.value)
    assert math.isnan(found.effect.low)
    assert found.effect.undefined == found.test.undefined == ("hits or misses: 1; at least 5 needed")
    assert "at least 5" in str(global_test(paired_of([60, 3, 1, 0, 4, 6, 5, 30]), ("precision", "npv")).undefined)


def test_what_is_not_there_is_nan_with_a_reason() -> None:
    never = paired_of([50, 10, 0, 0, 30, 20, 0, 0])
    found = rate_ratio(never, "precision")
    assert math.isnan(found.effect.value)
    assert found.effect.undefined == "a count that its logarithm is taken of is 0"
    assert predictive_value_test(never, "precision").undefined == "one of the classifiers never predicted this class"
    one_class = paired_of([50, 10, 20, 9, 0, 0, 0, 0])
    assert rate_contrast(one_class, "recall").effect.undefined == "there are no positives"


@given(counts=tables, rate=st.sampled_from(RATES))
def test_equal_weights_change_nothing(counts: list[int], rate: str) -> None:
    paired = paired_of(counts)
    weighted = paired_of(3 * paired.counts, squares=9 * paired.counts)
    one, other = rate_ratio(paired, rate), rate_ratio(weighted, rate)
    assert (one.effect.low, one.effect.high) == pytest.approx((other.effect.low, other.effect.high))
    assert one.test.p_value == pytest.approx(other.test.p_value)


def test_heavy_weights_do_not_make_up_for_few_cases() -> None:
    counts = np.array([60.0, 3, 1, 0, 4, 6, 5, 30])
    heavy = paired_of(1000 * counts, squares=(1e6 * counts).reshape(2, 2, 2))
    assert (
        rate_ratio(heavy, "precision").effect.undefined == rate_ratio(paired_of(counts), "precision").effect.undefined
    )


def clustered(seed: int, groups: int) -> PairedDecisions:
    each = np.random.default_rng(seed).integers(1, 6, (groups, 2, 2, 2)).astype(float)
    return paired_of(each.sum(0), clusters=each)


@given(seed=st.integers(0, 300), rate=st.sampled_from(RATES))
def test_clusters_have_t_and_agree_with_themselves(seed: int, rate: str) -> None:
    found = rate_contrast(clustered(seed, 12), rate)
    same = 0.0 if found.effect.name == "difference" else 1.0
    assert "12 clusters" in found.effect.method
    assert (found.effect.low <= same <= found.effect.high) == (found.test.p_value > 0.05)
    assert "Hotelling" in global_test(clustered(seed, 12)).method


def test_what_counts_cases_refuses_and_names_what_does_not() -> None:
    assert predictive_value_test(clustered(1, 9), "npv").undefined == (
        "the weighted form counts independent cases; use form='score'"
    )
    assert math.isfinite(predictive_value_test(clustered(1, 9), "npv", "score").p_value)
    assert "2 clusters" in str(rate_ratio(clustered(1, 2), "npv").effect.undefined)
    assert "2 clusters" in str(global_test(clustered(1, 2)).undefined)


def test_wrong_questions_are_answered_with_what_is_needed() -> None:
    paired = paired_of([9] * 8)
    with pytest.raises(UnknownName, match="rate is 'f1'; needed: 'recall', "):
        rate_ratio(paired, "f1")
    with pytest.raises(UnknownName, match="form is 'wald'; needed: 'weighted score' or 'score'"):
        predictive_value_test(paired, "npv", "wald")
    three = PairedDecisions(np.zeros((3, 3, 3)), ("a", "b", "c"), ("a", "b", "c"))
    with pytest.raises(OptionError, match="3 classes, and recall compares two; needed: one class against the rest"):
        rate_contrast(three, "recall")


def test_a_decision_that_is_no_class_is_neither_positive_nor_negative() -> None:
    counts = np.zeros((2, 3, 3))
    counts[:, :2, :2] = np.array([[[50, 8], [9, 11]], [[7, 12], [10, 60]]])
    counts[0, 2, 0] = counts[1, 2, 1] = 6
    paired = PairedDecisions(counts, BINARY, ("no", "yes", "?"))
    assert rate_contrast(paired, "recall").first == pytest.approx(70 / 95)
    assert rate_contrast(paired, "npv").first == pytest.approx(58 / 77)


def test_the_table_has_a_row_for_each_rate() -> None:
    table = compare_rates(paired_of([40, 8, 9, 11, 7, 12, 10, 60]))
    assert list(table.columns["rate"]) == list(RATES)
    assert len(table) == 6
