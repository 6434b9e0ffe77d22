"""WEKA's errors and information against their definitions, case by case."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.errors import OptionError
from assay.evidence import ConfusionMatrix
from assay.evidence.probability_losses import ErrorSums, laplace_priors
from assay.measures import Measure, registry
from assay.measures.information import (
    ERROR_MEASURES,
    kb_information,
    mean_absolute_error,
    mean_cost,
    region_coverage,
    region_size,
    relative_absolute_error,
    root_mean_squared_error,
    root_relative_squared_error,
    sf_entropy_gain,
    sf_prior_entropy,
    sf_scheme_entropy,
    total_cost,
)

SIXTEENTHS = st.lists(st.integers(0, 16), min_size=3, max_size=3).filter(lambda shares: sum(shares) > 0)
rows = st.lists(st.tuples(st.integers(0, 2), SIXTEENTHS, st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=20)
Rows = list[tuple[int, list[int], float]]


def sums_of(cases: Rows) -> ErrorSums:
    truth = np.array([code for code, _, _ in cases])
    given_to = np.array([np.array(shares) / sum(shares) for _, shares, _ in cases])
    return ErrorSums.of(truth, given_to, priors=np.array([0.5, 0.3, 0.2]), weight=np.array([w for _, _, w in cases]))


@given(cases=rows)
def test_errors_by_definition(cases: Rows) -> None:
    absolute = squared = prior_absolute = prior_squared = total = 0.0
    prior = (0.5, 0.3, 0.2)
    for code, shares, weight in cases:
        total += weight
        for k in range(3):
            is_true = float(k == code)
            p = shares[k] / sum(shares)
            absolute += weight * abs(p - is_true) / 3
            squared += weight * (p - is_true) ** 2 / 3
            prior_absolute += weight * abs(prior[k] - is_true) / 3
            prior_squared += weight * (prior[k] - is_true) ** 2 / 3
    sums = sums_of(cases)
    assert mean_absolute_error(sums) == pytest.approx(absolute / total)
    assert root_mean_squared_error(sums) == pytest.approx(math.sqrt(squared / total))
    assert relative_absolute_error(sums) == pytest.approx(absolute / prior_absolute)
    assert root_relative_squared_error(sums) == pytest.approx(math.sqrt(squared / prior_squared))


@given(cases=rows)
def test_information_by_definition(cases: Rows) -> None:
    information = bits = prior_bits = 0.0
    for code, shares, weight in cases:
        p, prior = max(shares[code] / sum(shares), 5e-324), (0.5, 0.3, 0.2)[code]
        bits -= weight * math.log2(p)
        prior_bits -= weight * math.log2(prior)
        gained = math.log2(p / prior) if p >= prior else -math.log2((1 - p) / (1 - prior))
        information += weight * gained
    sums = sums_of(cases)
    assert kb_information(sums) == pytest.approx(information)
    assert sf_scheme_entropy(sums) == pytest.approx(bits)
    assert sf_prior_entropy(sums) == pytest.approx(prior_bits)
    assert sf_entropy_gain(sums) == pytest.approx(prior_bits - bits)


@given(cases=rows)
def test_regions_by_definition(cases: Rows) -> None:
    covered = size = total = 0.0
    for code, shares, weight in cases:
        total += weight
        held = 0.0
        for k in sorted(range(3), key=lambda k: (shares[k], k), reverse=True):
            if held >= 0.95:
                break
            held += shares[k] / sum(shares)
            size += weight / 3
            covered += weight * (k == code)
    assert region_coverage(sums_of(cases)) == pytest.approx(covered / total)
    assert region_size(sums_of(cases)) == pytest.approx(size / total)


@given(first=rows, second=rows)
def test_sums_add(first: Rows, second: Rows) -> None:
    added, whole = sums_of(first) + sums_of(second), sums_of(first + second)
    for measure in ERROR_MEASURES:
        assert measure(added) == pytest.approx(measure(whole), rel=1e-12, abs=1e-12)


@given(cases=rows)
def test_the_prior_itself_is_the_measure_of_all(cases: Rows) -> None:
    truth, priors = np.array([code for code, _, _ in cases]), np.array([0.5, 0.3, 0.2])
    sums = ErrorSums.of(truth, np.tile(priors, (len(truth), 1)), priors=priors)
    assert relative_absolute_error(sums) == pytest.approx(1)
    assert root_relative_squared_error(sums) == pytest.approx(1)
    assert kb_information(sums) == 0
    assert sf_entropy_gain(sums) == 0


@given(cases=rows, folds=st.lists(st.integers(0, 3), min_size=20, max_size=20))
def test_priors_of_a_fold_are_the_shares_outside_it(cases: Rows, folds: list[int]) -> None:
    fold = np.array(folds[: len(cases)])
    assume(len(set(fold.tolist())) > 1)
    truth, weight = np.array([code for code, _, _ in cases]), np.array([w for _, _, w in cases])
    for i, prior in enumerate(laplace_priors(truth, 3, fold=fold, weight=weight)):
        outside = [weight[(fold != fold[i]) & (truth == k)].sum() + 1 for k in range(3)]
        assert prior == pytest.approx(np.array(outside) / sum(outside))


def test_one_fold_tells_nothing_about_training() -> None:
    truth = np.array([0, 0, 1])
    assert np.array_equal(laplace_priors(truth, 2, fold=np.zeros(3, dtype=int)), laplace_priors(truth, 2))


def test_many_pieces_are_one_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    truth, given_to = rng.integers(0, 3, 50), rng.dirichlet([1, 1, 1], 50)
    whole = ErrorSums.of(truth, given_to, priors=np.full(3, 1 / 3))
    monkeypatch.setattr("assay.evidence.probability_losses.NUMBERS_AT_ONCE", 20)
    pieces = ErrorSums.of(truth, given_to, priors=np.full(3, 1 / 3))
    assert all(measure(pieces) == pytest.approx(measure(whole), rel=1e-12) for measure in ERROR_MEASURES)


def test_what_was_given_no_probability_is_in_no_error() -> None:
    truth, given_to = np.array([0, 1]), np.array([[0.8, 0.2], [0.0, 0.0]])
    sums = ErrorSums.of(truth, given_to, priors=np.full(2, 0.5), weight=np.array([1.0, 3.0]))
    assert (sums.total, sums.unclassified, sums.classified) == (4.0, 3.0, 1.0)
    assert mean_absolute_error(sums) == pytest.approx(0.2)


@pytest.mark.parametrize("measure", ERROR_MEASURES, ids=lambda measure: measure.name)
def test_without_a_case_there_is_a_reason(measure: Measure) -> None:
    estimate = measure.estimate(ErrorSums(2))
    assert math.isnan(estimate.value)
    assert estimate.undefined


def test_no_interval_is_claimed_that_nobody_simulated() -> None:
    sums = ErrorSums.of(np.array([0, 1]), np.array([[0.8, 0.2], [0.4, 0.6]]), priors=np.full(2, 0.5))
    for measure in ERROR_MEASURES:
        estimate = measure.estimate(sums)
        assert math.isfinite(estimate.value)
        assert math.isnan(estimate.low)
        assert estimate.undefined == "no interval was simulated for it"
        assert measure.bounds[0] <= estimate.value <= measure.bounds[1]
        assert measure.definition.endswith(".")
        assert pickle.loads(pickle.dumps(measure)) is measure
    assert not {measure.name for measure in ERROR_MEASURES} & set(registry)


def test_sums_of_other_classes_do_not_add() -> None:
    with pytest.raises(
        OptionError, match="the two have different classes; needed: the same classes, in the same order"
    ):
        ErrorSums(2) + ErrorSums(3)


def test_no_decision_costs_the_worst_there_is() -> None:
    matrix = ConfusionMatrix(np.array([[5, 1, 2], [1, 3, 0]]), ("a", "b"), ("a", "b", "abstained"))
    assert total_cost(matrix, [[0, 2], [7, 0]]) == 1 * 2 + 2 * 2 + 1 * 7
    assert mean_cost(matrix, [[0, 2], [7, 0]]) == pytest.approx(13 / 12)
