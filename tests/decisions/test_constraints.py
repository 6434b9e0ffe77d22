"""Demands with a confidence: exact limits, and a guarantee that survives choosing the threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv, ndtr

from assay.decisions import at_least, at_most, at_most_flagged, choose_threshold
from assay.decisions.constraints import _critical_count
from assay.errors import InputError
from assay.evidence import ScoreTable


@given(n=st.integers(1, 300), bound=st.sampled_from([0.01, 0.3, 0.9, 0.99]), alpha=st.sampled_from([0.01, 0.05, 0.2]))
def test_the_fewest_successes_are_those_whose_clopper_pearson_limit_passes(n: int, bound: float, alpha: float) -> None:
    counts = np.arange(1, n + 1)
    limits = betaincinv(counts, n - counts + 1, alpha)
    passing = counts[limits >= bound - 1e-12]
    assert _critical_count(n, bound, alpha) == (passing[0] if len(passing) else n + 1)


def test_a_sure_threshold_is_one_whose_limit_passes_and_none_lower_does() -> None:
    rng = np.random.default_rng(2)
    negative, positive = rng.standard_normal(200), rng.standard_normal(200) + 1
    table = ScoreTable.of(np.concatenate((negative, positive)), np.arange(400) >= 200)
    choice = choose_threshold(table, constraint=at_least("specificity", 0.9, confidence=0.95), draws=100)
    tn = float(choice.matrix.tn)
    assert betaincinv(tn, 200 - tn + 1, 0.05) >= 0.9
    assert betaincinv(tn - 1, 200 - tn + 2, 0.05) < 0.9


def test_at_most_mirrors_at_least() -> None:
    table = ScoreTable.of(np.arange(200.0), np.arange(200) % 3 == 0)
    first = choose_threshold(table, constraint=at_least("specificity", 0.8, confidence=0.9), draws=100)
    second = choose_threshold(table, "recall", constraint=at_most("fpr", 0.2, confidence=0.9), draws=100)
    assert first.threshold == second.threshold


def test_with_too_few_cases_only_calling_nobody_positive_is_sure() -> None:
    table = ScoreTable.of(np.arange(40.0), np.arange(40) >= 20)
    assert (
        choose_threshold(table, constraint=at_least("specificity", 0.99, confidence=0.95), draws=100).threshold
        == np.inf
    )
    assert choose_threshold(table, constraint=at_least("recall", 0.99, confidence=0.95), draws=100).threshold == -np.inf


def test_a_sure_threshold_is_wrong_no_more_often_than_allowed() -> None:
    """Chosen for the most recall among those sure of a specificity of .9: the looking does not spend the confidence."""
    demand = at_least("specificity", 0.9, confidence=0.9)
    rng, wrong, times = np.random.default_rng(5), 0, 150
    for _ in range(times):
        score = np.concatenate((rng.standard_normal(120), rng.standard_normal(60) + 1))
        choice = choose_threshold(ScoreTable.of(score, np.arange(180) >= 120), constraint=demand, draws=100)
        wrong += int(ndtr(choice.threshold) < 0.9)
    assert wrong / times <= 0.1 + 3 * (0.1 * 0.9 / times) ** 0.5
    assert wrong > 0


def test_the_capacity_can_be_sure_too_but_not_at_another_prevalence() -> None:
    table = ScoreTable.of(np.arange(300.0), np.arange(300) % 4 == 0)
    demand = at_most_flagged(30, per=300, confidence=0.95)
    assert choose_threshold(table, constraint=demand, draws=100).flagged < 0.1
    with pytest.raises(InputError, match="no exact limit"):
        choose_threshold(table, constraint=demand, prevalence=0.1, draws=100)


def test_what_moves_both_ways_cannot_be_sure() -> None:
    with pytest.raises(InputError, match="precision is not monotone"):
        at_least("precision", 0.8, confidence=0.95)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        at_least("recall", 0.8, confidence=confidence)


def test_nonsense_is_refused() -> None:
    with pytest.raises(InputError, match="no more than there are"):
        at_most_flagged(300, per=200)
    with pytest.raises(InputError, match="did you mean specificity"):
        at_least("specifity", 0.9)
    with pytest.raises(InputError, match="of no threshold"):
        at_least("roc_auc", 0.9)
