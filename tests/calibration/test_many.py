"""Calibration errors of many classes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.calibration import classwise_ece, confidence_ece, confidence_table, ece, equal_width, top_label_ece
from assay.evidence import ClassScores, ScoreTable

ERRORS = (classwise_ece, confidence_ece, top_label_ece)


def sampled(seed: int, n: int = 300, power: float = 1.0, **design: np.ndarray) -> ClassScores:
    rng = np.random.default_rng(seed)
    given = rng.dirichlet([1.0, 2.0, 0.7], n)
    truth = (rng.random((n, 1)) > np.cumsum(given, axis=1)[:, :-1]).sum(1)
    told = given**power
    return ClassScores.of(told / told.sum(1, keepdims=True), truth, "abc", **design)


def test_the_classwise_error_is_the_mean_over_one_against_rest() -> None:
    scores = sampled(1)
    each = [ece(equal_width(scores.against_rest(k), 10), replicates=1).value for k in range(3)]
    assert classwise_ece(scores, 10, replicates=1).value == pytest.approx(np.mean(each), abs=1e-12)


def test_the_top_label_error_is_averaged_over_the_classes_given() -> None:
    scores = sampled(2)
    decided = scores.decided()
    top = scores.probability.max(1)
    parts = []
    for k in range(3):
        own = decided == k
        table = ScoreTable.of(top[own], scores.truth[own] == k)
        parts.append(own.mean() * ece(equal_width(table, 10), replicates=1).value)
    found = top_label_ece(scores, 10, replicates=1).value
    assert found == pytest.approx(sum(parts), abs=1e-12)
    assert found >= confidence_ece(scores, 10, replicates=1).value - 1e-12


def test_the_confidence_table_counts_who_is_right() -> None:
    scores = sampled(3)
    table = confidence_table(scores)
    assert float(table.positives) == (scores.decided() == scores.truth).sum()
    assert float(table.score[-1]) == scores.probability.max()


def test_of_two_classes_both_sides_err_alike() -> None:
    rng = np.random.default_rng(4)
    p = rng.random(200)
    scores = ClassScores.of(np.column_stack((1 - p, p)), rng.random(200) < p, "ab")
    one = ece(equal_width(scores.against_rest(1), 7), replicates=1).value
    other = ece(equal_width(scores.against_rest(0), 7, closed="left"), replicates=1).value
    assert one == pytest.approx(other, abs=1e-12)
    assert classwise_ece(scores, 7, replicates=1).value == pytest.approx(one, abs=1e-12)


@pytest.mark.parametrize("error", ERRORS)
def test_right_probabilities_look_right_and_wrong_ones_do_not(error) -> None:  # type: ignore[no-untyped-def]
    rejected = sum(error(sampled(seed), 10, replicates=99).p_value <= 0.1 for seed in range(60))
    assert rejected <= 14  # a binomial of 60 and .1 goes above with probability .001
    wrong = error(sampled(1, 1000, power=3.0), 10, replicates=199)
    assert wrong.value > wrong.high
    assert wrong.p_value == pytest.approx(1 / 200)


@pytest.mark.parametrize("error", ERRORS)
def test_counts_are_repeated_rows(error) -> None:  # type: ignore[no-untyped-def]
    times = np.random.default_rng(0).integers(1, 4, 300)
    scores = sampled(5)
    repeated = ClassScores.of(np.repeat(scores.probability, times, axis=0), np.repeat(scores.truth, times), "abc")
    counted = ClassScores.of(scores.probability, scores.truth, "abc", count=times.astype(float))
    mine, theirs = (error(each, 10, replicates=200) for each in (repeated, counted))
    assert mine.value == pytest.approx(theirs.value, abs=1e-12)
    assert mine.usual == pytest.approx(theirs.usual, rel=0.05)


@pytest.mark.parametrize("error", ERRORS)
def test_weights_and_clusters_have_a_value_and_no_null(error) -> None:  # type: ignore[no-untyped-def]
    for design in ({"weight": np.linspace(1, 3, 300)}, {"cluster": np.arange(300) // 5}):
        found = error(sampled(6, **design), 10)
        assert math.isfinite(found.value)
        assert math.isnan(found.p_value)
        assert found.undefined is not None
