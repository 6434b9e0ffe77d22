"""Calibration errors: their values, and what they are under calibration.

Calibration errors of many classes.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.samples import tables

from assay.calibration import (
    by_score,
    classwise_ece,
    confidence_ece,
    confidence_table,
    debiased_error,
    ece,
    ece_sweep,
    equal_size,
    equal_width,
    mce,
    murphy_parts,
    top_label_ece,
)
from assay.calibration.errors import under_calibration
from assay.evidence import ClassScores, ScoreTable


def sampled(seed: int, n: int, **design: np.ndarray) -> ScoreTable:
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return ScoreTable.of(p, rng.random(n) < p, **design)  # type: ignore[arg-type]


@given(tables, st.integers(1, 12))
def test_errors_by_their_definition(table: ScoreTable, count: int) -> None:
    assume(count <= table.total)
    groups = equal_size(table, count)
    gaps = np.abs(groups.rate - groups.mean)
    mean, largest = ece(groups, replicates=1).value, mce(groups, replicates=1).value
    assert mean == pytest.approx(float(groups.total @ gaps) / float(table.total), abs=1e-12)
    assert largest == pytest.approx(float(gaps.max()), abs=1e-12)
    assert mean <= largest + 1e-12


@given(tables, st.integers(1, 12))
def test_the_debiased_error_is_the_corrected_reliability(table: ScoreTable, count: int) -> None:
    """Kumar's squared error and Ferro and Fricker's reliability are one number."""
    assume(count <= table.total)
    groups = equal_size(table, count)
    wanted = murphy_parts(groups, corrected=True).reliability
    found = debiased_error(groups, replicates=1)
    assert found.value == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert math.isnan(found.value) == (found.undefined is not None)


def test_draws_under_calibration_have_the_mean_and_spread_of_the_probabilities() -> None:
    for n in (40, 3000):
        table = sampled(1, n)
        for groups in (equal_width(table, 5), equal_size(table, 7, ties="split"), equal_size(table, 3)):
            p = groups.probability
            each = groups.pieces(table.negative + table.positive)
            spread = np.sqrt(groups.sums(each * p * (1 - p)))
            drawn = under_calibration(groups, replicates=4000, seed=1)
            assert drawn.mean(0) == pytest.approx(groups.expected, abs=float(5 * spread.max() / math.sqrt(4000)))
            assert drawn.std(0) == pytest.approx(spread, rel=0.08)


def test_draws_of_a_long_table_keep_rare_groups_whole() -> None:
    """A group that expects a handful of positives is drawn case by case, however long the table."""
    p = np.linspace(1e-6, 2e-4, 60_000)
    drawn = under_calibration(equal_size(ScoreTable.of(p, np.zeros(60_000)), 1), replicates=2000)
    assert np.array_equal(drawn, np.floor(drawn))
    assert drawn.mean() == pytest.approx(p.sum(), rel=0.05)
    assert drawn.var() == pytest.approx(p.sum(), rel=0.15)


def test_an_error_that_chance_explains_is_seen_as_such() -> None:
    """At 200 cases in 15 groups right probabilities show an ECE of about .097, at 1,000 of .043, at 5,000 of .019."""
    rng = np.random.default_rng(3)
    for n, usual in ((200, 0.097), (1000, 0.043), (5000, 0.019)):
        p = rng.beta(2, 2, n)
        found = ece(equal_size(ScoreTable.of(p, rng.random(n) < p), 15))
        assert found.usual == pytest.approx(usual, rel=0.04)
        assert found.usual < found.high
        assert 0.001 < found.p_value <= 1


def test_wrong_probabilities_stand_out() -> None:
    rng = np.random.default_rng(9)
    p = rng.random(1000)
    table = ScoreTable.of(p, rng.random(1000) < p**2)
    for error in (ece, mce, debiased_error):
        found = error(equal_width(table, 10))
        assert found.value > found.high
        assert found.p_value < 0.005


def test_the_same_seed_gives_the_same_draws() -> None:
    table = sampled(4, 100)
    first, again, other = (ece(equal_width(table, 5), seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.usual != other.usual


def test_a_single_error_over_one_probability_has_the_binomial_tail() -> None:
    table = ScoreTable.of([0.5] * 10, [1] * 9 + [0])
    found = ece(by_score(table), replicates=20_000)
    assert found.value == pytest.approx(0.4)
    assert found.p_value == pytest.approx(22 / 1024, abs=0.004)


def test_groups_of_one_case_have_no_debiased_error() -> None:
    found = debiased_error(by_score(ScoreTable.of([0.1, 0.9], [0, 1])))
    assert math.isnan(found.value)
    assert "2 groups of a single case" in str(found.undefined)


@given(tables)
def test_the_sweep_takes_the_most_groups_in_order(table: ScoreTable) -> None:
    """Against the definition: one more group at a time, until a rate falls."""
    best = equal_size(table, 1)
    for count in range(2, int(table.total) + 1):
        groups = equal_size(table, count)
        if (np.diff(groups.rate) < 0).any():
            break
        best = groups
    found = ece_sweep(table)
    assert found.value == pytest.approx(ece(best, replicates=1).value, abs=1e-12)
    assert found.rule == best.rule


def test_weights_and_clusters_have_a_value_and_no_null() -> None:
    for design, word in (
        ({"weight": np.linspace(1, 3, 200)}, "weights"),
        ({"cluster": np.arange(200) // 4}, "clusters"),
    ):
        found = ece(equal_width(sampled(2, 200, **design), 5))
        assert math.isfinite(found.value)
        assert math.isnan(found.p_value)
        assert word in str(found.undefined)
        assert found.to_dict()["p_value"] is None


ERRORS = (classwise_ece, confidence_ece, top_label_ece)


def many_sampled(seed: int, n: int = 300, power: float = 1.0, **design: np.ndarray) -> ClassScores:
    rng = np.random.default_rng(seed)
    given = rng.dirichlet([1.0, 2.0, 0.7], n)
    truth = (rng.random((n, 1)) > np.cumsum(given, axis=1)[:, :-1]).sum(1)
    told = given**power
    return ClassScores.of(told / told.sum(1, keepdims=True), truth, "abc", **design)


def test_the_classwise_error_is_the_mean_over_one_against_rest() -> None:
    scores = many_sampled(1)
    each = [ece(equal_width(scores.against_rest(k), 10), replicates=1).value for k in range(3)]
    assert classwise_ece(scores, 10, replicates=1).value == pytest.approx(np.mean(each), abs=1e-12)


def test_the_top_label_error_is_averaged_over_the_classes_given() -> None:
    scores = many_sampled(2)
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
    scores = many_sampled(3)
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
    rejected = sum(error(many_sampled(seed), 10, replicates=99).p_value <= 0.1 for seed in range(60))
    assert rejected <= 14  # a binomial of 60 and .1 goes above with probability .001
    wrong = error(many_sampled(1, 1000, power=3.0), 10, replicates=199)
    assert wrong.value > wrong.high
    assert wrong.p_value == pytest.approx(1 / 200)


@pytest.mark.parametrize("error", ERRORS)
def test_counts_are_repeated_rows(error) -> None:  # type: ignore[no-untyped-def]
    times = np.random.default_rng(0).integers(1, 4, 300)
    scores = many_sampled(5)
    repeated = ClassScores.of(np.repeat(scores.probability, times, axis=0), np.repeat(scores.truth, times), "abc")
    counted = ClassScores.of(scores.probability, scores.truth, "abc", count=times.astype(float))
    mine, theirs = (error(each, 10, replicates=200) for each in (repeated, counted))
    assert mine.value == pytest.approx(theirs.value, abs=1e-12)
    assert mine.usual == pytest.approx(theirs.usual, rel=0.05)


@pytest.mark.parametrize("error", ERRORS)
def test_many_weights_and_clusters_have_a_value_and_no_null(error) -> None:  # type: ignore[no-untyped-def]
    for design in ({"weight": np.linspace(1, 3, 300)}, {"cluster": np.arange(300) // 5}):
        found = error(many_sampled(6, **design), 10)
        assert math.isfinite(found.value)
        assert math.isnan(found.p_value)
        assert found.undefined is not None
