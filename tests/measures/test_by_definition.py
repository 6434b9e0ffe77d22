"""Ranking and probability measures against their definitions on small samples, and influence against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import (
    average_precision,
    brier,
    certain_and_wrong,
    chance_matrix,
    f1,
    f_beta,
    log_loss,
    mcc,
    registry,
    roc_auc,
)
from assay.uncertainty import PROPORTION_METHODS, standard_error

cases = st.lists(st.tuples(st.integers(1, 15).map(lambda k: k / 16), st.booleans()), min_size=1, max_size=30)


def table_of(rows: list[tuple[float, bool]]) -> ScoreTable:
    return ScoreTable.of([s for s, _ in rows], [p for _, p in rows])


@given(rows=cases)
def test_auc_by_all_pairs(rows: list[tuple[float, bool]]) -> None:
    positive, negative = ([s for s, p in rows if p is side] for side in (True, False))
    assume(positive and negative)
    won = [1.0 if a > b else 0.5 if a == b else 0.0 for a in positive for b in negative]
    table = table_of(rows)
    assert roc_auc(table) == pytest.approx(sum(won) / len(won), rel=1e-13)
    assert table.pairs == (won.count(1.0), won.count(0.5), won.count(0.0))


@given(rows=cases)
def test_average_precision_by_definition(rows: list[tuple[float, bool]]) -> None:
    positive = [s for s, p in rows if p]
    assume(positive)
    precisions = [
        sum(p for s, p in rows if s >= threshold) / sum(s >= threshold for s, _ in rows) for threshold in positive
    ]
    assert average_precision(table_of(rows)) == pytest.approx(sum(precisions) / len(precisions), rel=1e-13)


@given(rows=cases)
def test_brier_and_log_loss_row_by_row(rows: list[tuple[float, bool]]) -> None:
    table = table_of(rows)
    assert brier(table) == pytest.approx(sum((s - p) ** 2 for s, p in rows) / len(rows), rel=1e-12)
    losses = [-math.log(s if p else 1 - s) for s, p in rows]
    assert log_loss(table) == pytest.approx(sum(losses) / len(rows), rel=1e-12)


INFLUENTIAL = [name for name, m in registry.items() if m.needs is ScoreTable and m.parts is not None]


def numeric_influence(name: str, table: ScoreTable, cls: str, at: int) -> float:
    """n times the derivative by the weight of a case: what a little more of it does to the estimate."""
    step = 1e-5

    def moved(sign: int) -> float:
        weights = {"negative": table.negative.copy(), "positive": table.positive.copy()}
        weights[cls][at] += sign * step
        return float(registry[name](ScoreTable(table.score, weights["negative"], weights["positive"])))

    return float(table.total) * (moved(1) - moved(-1)) / (2 * step)


@pytest.mark.parametrize("name", INFLUENTIAL)
@given(rows=cases.filter(lambda rows: len(rows) > 5))
def test_influence_is_the_derivative_by_a_cases_weight(name: str, rows: list[tuple[float, bool]]) -> None:
    table = table_of(rows)
    assume(table.positives >= 2 and table.negatives >= 2)
    parts = registry[name].parts
    assert parts is not None
    of_negatives, of_positives = (np.broadcast_to(part, table.score.shape) for part in parts(table))
    for cls, weights, found in (
        ("negative", table.negative, of_negatives),
        ("positive", table.positive, of_positives),
    ):
        for at in np.flatnonzero(weights):
            expected = numeric_influence(name, table, cls, int(at))
            assert found[at] == pytest.approx(expected, rel=1e-4, abs=1e-4), (cls, at)


@pytest.mark.parametrize("name", INFLUENTIAL)
@given(rows=cases.filter(lambda rows: len(rows) > 5))
def test_influence_has_mean_zero(name: str, rows: list[tuple[float, bool]]) -> None:
    table = table_of(rows)
    assume(table.positives >= 1 and table.negatives >= 1)
    parts = registry[name].parts
    assert parts is not None
    of_negatives, of_positives = parts(table)
    mean = (table.negative * of_negatives + table.positive * of_positives).sum() / table.total
    assert mean == pytest.approx(0, abs=1e-9 * (1 + np.abs(of_positives).max() + np.abs(of_negatives).max()))


@pytest.mark.parametrize("name", INFLUENTIAL)
def test_the_standard_error_is_the_jackknifes_in_large_samples(name: str) -> None:
    rng = np.random.default_rng(8)
    positive = rng.random(600) < 0.3
    score = (1 / (1 + np.exp(-rng.normal(positive * 1.5 - 1, 1)))).round(2).clip(0.01, 0.99)
    table = ScoreTable.of(score, positive)
    without = [float(registry[name](ScoreTable.of(np.delete(score, i), np.delete(positive, i)))) for i in range(600)]
    jackknife = math.sqrt(599 / 600 * np.square(np.array(without) - np.mean(without)).sum())
    parts = registry[name].parts
    assert parts is not None
    assert standard_error(table, *parts(table)) == pytest.approx(jackknife, rel=0.02)


def test_the_mean_of_a_loss_has_the_textbook_standard_error() -> None:
    score, positive = np.array([0.1, 0.4, 0.8, 0.9]), np.array([0, 1, 1, 0])
    losses = (score - positive) ** 2
    table = ScoreTable.of(score, positive)
    assert brier.parts is not None
    assert standard_error(table, *brier.parts(table)) == pytest.approx(losses.std(ddof=1) / 2, rel=1e-12)


def test_certainty_is_counted_only_where_it_was_wrong() -> None:
    assert certain_and_wrong(ScoreTable.of([0.0, 0.0, 1.0, 1.0, 0.5], [0, 1, 1, 0, 1])) == 2


def test_a_wrong_certainty_leaves_log_loss_without_limits() -> None:
    found = log_loss.estimate(ScoreTable.of([0.0, 0.3, 0.8] * 20, [1, 0, 1] * 20))
    assert found.value > 10
    assert math.isnan(found.low)
    assert "20 cases" in str(found.undefined)


def test_average_precision_refuses_limits_below_three_positives() -> None:
    score = np.linspace(0, 1, 100)
    for positives, is_refused in ((2, True), (3, False)):
        positive = np.zeros(100, dtype=bool)
        positive[40 : 40 + positives] = True
        assert math.isnan(average_precision.estimate(ScoreTable.of(score, positive)).low) == is_refused


def test_f_interval_is_wilson_on_the_share_of_hits() -> None:
    """F1 = 2 J / (1 + J) with J = TP / (TP + FN + FP), whose Wilson limits are carried over."""
    matrix = ConfusionMatrix.binary(tp=30, fn=12, fp=8, tn=50)
    low, high = PROPORTION_METHODS["Wilson"](30, 30 + 12 + 8, 0.95)
    found = f1.estimate(matrix)
    assert (found.low, found.high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)), rel=1e-12)


@pytest.mark.parametrize("beta", [0.25, 0.5, 1, 2, 4])
def test_f_limits_follow_their_weight(beta: float) -> None:
    measure = f_beta(beta)
    matrix = ConfusionMatrix.binary(tp=300, fn=120, fp=80, tn=500)
    default, dirichlet = (measure.estimate(matrix, method=method) for method in ("Wilson, Jaccard", "Dirichlet"))
    assert default.low < default.value < default.high
    assert default.high - default.low == pytest.approx(dirichlet.high - dirichlet.low, rel=0.2)


def test_the_chance_matrix_keeps_its_margins() -> None:
    matrix = ConfusionMatrix(np.array([[5, 2, 1], [3, 9, 4]]), ("a", "b"), ("a", "b", "?"))
    chance = chance_matrix(matrix)
    np.testing.assert_allclose(chance.counts.sum(0), matrix.counts.sum(0))
    np.testing.assert_allclose(chance.counts.sum(1), matrix.counts.sum(1))
    assert registry["kappa"](chance) == pytest.approx(0, abs=1e-12)


def test_weights_that_all_stand_in_one_class_have_no_correlation() -> None:
    """Sums of weights are rounded, so that what is left of the others may be a little, or less than nothing."""
    for seed in range(50):
        counts = np.zeros((4, 4))
        counts[:, 2] = np.random.default_rng(seed).random(4) * 1e3
        assert np.isnan(mcc(ConfusionMatrix(counts, tuple("abcd"), tuple("abcd"))))
