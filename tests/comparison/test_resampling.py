"""The bootstrap: cells instead of rows, never a sort, the same replicates for all; limits and what belongs to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.comparison import Placed, Rows, bootstrap, joint_auc, percentile_p, posterior_differences
from assay.comparison.resampling import _draw_multiplicities, inverted_p
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.evidence.paired import PairedDecisions
from assay.measures import average_precision, brier, f1, mcc, registry, roc_auc
from assay.uncertainty import percentile_limits as limits

RNG = np.random.default_rng(0)
TRUTH = np.arange(120) % 3 == 0
FIRST, SECOND = (np.round(1 / (1 + np.exp(-RNG.normal(TRUTH * 1.5 - 1))), 2) for _ in range(2))


def placed(score: np.ndarray, truth: np.ndarray = TRUTH) -> tuple[Placed, Placed]:
    table = ScoreTable.of(score, truth)
    decided = (score >= 0.5).astype(int)
    matrix = ConfusionMatrix.of(truth.astype(int), decided, ("no", "yes"))
    return Placed.of_scores(table, score, truth), Placed.of_decisions(matrix, truth.astype(int), decided)


def test_redrawn_cells_are_redrawn_rows() -> None:
    """Each replicate's values are those of the rows it drew, made from scratch."""
    measures = [roc_auc, average_precision, brier, f1, mcc]
    evidence = [(s, s, s, m, m) for s, m in (placed(FIRST), placed(SECOND))]
    found = bootstrap(evidence, measures, Rows(TRUTH), times=5, seed=3)
    times = _draw_multiplicities(3, Rows(TRUTH), range(5), stratified=False).astype(int)
    assert (times.sum(1) == len(TRUTH)).all()
    for r, count in enumerate(times):
        truth = np.repeat(TRUTH, count)
        for k, score in enumerate((np.repeat(FIRST, count), np.repeat(SECOND, count))):
            table = ScoreTable.of(score, truth)
            matrix = ConfusionMatrix.of(truth.astype(int), (score >= 0.5).astype(int), ("no", "yes"))
            made = [m(table if m.needs is ScoreTable else matrix) for m in measures]
            np.testing.assert_allclose(found.values[:, k, r], made, rtol=1e-12)


def test_every_measure_of_two_classes_takes_a_batch_of_replicates() -> None:
    scores, decisions = placed(FIRST)
    measures = list(registry.values())
    evidence = [[scores if m.needs is ScoreTable else decisions for m in measures]]
    found = bootstrap(evidence, measures, Rows(TRUTH), times=3)
    assert found.values.shape == (len(measures), 1, 3)


def test_stratified_replicates_keep_the_class_sizes() -> None:
    times = _draw_multiplicities(0, Rows(TRUTH), range(20), stratified=True)
    assert set(times[:, TRUTH].sum(1)) == {float(TRUTH.sum())}
    free = _draw_multiplicities(0, Rows(TRUTH), range(20), stratified=False)
    assert len(set(free[:, TRUTH].sum(1))) > 1


def test_replicates_are_the_same_in_any_parts_by_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    measures = [roc_auc, average_precision, brier]
    evidence = [[placed(score)[0]] * 3 for score in (FIRST, SECOND)]
    whole = bootstrap(evidence, measures, Rows(TRUTH), times=100)
    for at_once, threads in ((700, 1), (700, 4), (5_000, 3)):
        monkeypatch.setattr("assay.comparison.resampling.AT_ONCE", at_once)
        monkeypatch.setattr("assay.comparison.resampling.cores", lambda threads=threads: threads)
        found = bootstrap(evidence, measures, Rows(TRUTH), times=100)
        # The draws are; sums of more replicates at once may differ in the last digit.
        np.testing.assert_allclose(found.values, whole.values, rtol=1e-14)


def test_clusters_are_drawn_whole() -> None:
    cluster = np.repeat(np.arange(40), 3)
    times = _draw_multiplicities(0, Rows(TRUTH, cluster=cluster), range(10), stratified=False)
    assert (times.reshape(10, 40, 3).min(-1) == times.reshape(10, 40, 3).max(-1)).all()


def test_a_replicate_without_a_class_is_redrawn_and_counted() -> None:
    truth = np.arange(40) < 2
    score = RNG.random(40)
    found = bootstrap([[placed(score, truth)[0]]], [roc_auc], Rows(truth), times=200)
    assert found.values.shape[-1] == 200
    assert not np.isnan(found.values).any()
    assert found.redrawn > 10


def test_the_bootstrap_spreads_as_delong_says() -> None:
    found = bootstrap([[placed(FIRST)[0]], [placed(SECOND)[0]]], [roc_auc], Rows(TRUTH), stratified=True)
    spread = (found.values[0, 0] - found.values[0, 1]).std()
    assert spread == pytest.approx(joint_auc(TRUTH, {"a": FIRST, "b": SECOND}).error(0, 1), rel=0.1)


def test_weights_enter_the_cells() -> None:
    weight = np.where(TRUTH, 3.0, 0.5)
    table = ScoreTable.of(FIRST, TRUTH, weight=weight)
    found = bootstrap([[Placed.of_scores(table, FIRST, TRUTH)]], [brier], Rows(TRUTH, weight=weight), times=400)
    assert found.values.mean() == pytest.approx(float(brier(table)), rel=0.05)


@given(st.floats(-1, 1), st.integers(0, 50))
def test_the_p_value_at_once_is_the_one_by_halving(shift: float, seed: int) -> None:
    values = np.random.default_rng(seed).normal(shift, 0.4, 399)

    def around(level: float) -> tuple[float, float]:
        low, high = limits(values, shift, level)
        return min(low, shift), max(high, shift)

    p = percentile_p(values, shift)
    assert p == pytest.approx(inverted_p(around, 399), abs=1e-5)
    low, high = around(0.95)
    assert (p < 0.05) == (not low <= 0 <= high)


def test_limits_between_replicates_are_interpolated_and_end_at_the_last() -> None:
    values = np.arange(1.0, 101.0)
    low, high = limits(values, 50.0, 0.95)
    assert 2 < low < 3
    assert high == pytest.approx(101 - low)
    assert limits(values, 50.0, 0.9999) == (1.0, 100.0)


def test_bca_without_bias_and_skewness_is_the_percentile() -> None:
    values = np.arange(-500.0, 500.0) + 0.5
    assert limits(values, 0.0, 0.9, "bca") == pytest.approx(limits(values, 0.0, 0.9))
    assert limits(values, 0.0, 0.9, "bca", 0.05)[1] > limits(values, 0.0, 0.9)[1]


def test_posterior_draws_centre_on_the_counts_and_are_kept() -> None:
    counts = np.array([[[400.0, 20], [10, 30]], [[30, 10], [20, 80]]])
    paired = PairedDecisions(counts, ("no", "yes"), ("no", "yes"))
    drawn = posterior_differences(paired, [f1, mcc])
    assert drawn[0].mean() == pytest.approx(float(f1(paired.first) - f1(paired.second)), abs=0.005)
    np.testing.assert_array_equal(drawn, posterior_differences(paired, [f1, mcc]))
