"""Omnibus tests of several classifiers and of labels, and the pairs behind them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.comparison import bowker, class_shares, cochran_q, label_pairs, mcnemar, right_pairs, stuart_maxwell
from assay.comparison.labels import score_test
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import JointCorrectness

NAMES = ("a", "b", "c", "d")
seeds = st.integers(0, 500)


def right(seed: int, n: int = 40, k: int = 4) -> NDArray[np.bool_]:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.random((n, k)) < np.linspace(0.6, 0.9, k))


def labels(seed: int, k: int = 3, n: int = 80) -> ConfusionMatrix:
    rng = np.random.default_rng(seed)
    return ConfusionMatrix(rng.multinomial(n, rng.dirichlet(np.ones(k * k))).reshape(k, k).astype(float))


@given(seed=seeds)
def test_of_two_classifiers_it_is_mcnemar(seed: int) -> None:
    joint = JointCorrectness.of(right(seed, k=2), ("a", "b"))
    pair = joint.pair(0, 1)
    uncorrected = mcnemar(float(pair.only_first), float(pair.only_second), "uncorrected")
    assert cochran_q(joint).statistic == pytest.approx(uncorrected.statistic)
    assert cochran_q(joint).p_value == pytest.approx(uncorrected.p_value)


@given(seed=seeds)
def test_cochran_from_rows(seed: int) -> None:
    """The textbook's sums over cases and classifiers, without the joint sums."""
    x = right(seed).astype(float)
    k, columns, rows = x.shape[1], x.sum(0), x.sum(1)
    q = (k - 1) * (k * (columns**2).sum() - columns.sum() ** 2) / (k * rows.sum() - (rows**2).sum())
    assert cochran_q(JointCorrectness.of(right(seed), NAMES)).statistic == pytest.approx(q)


@given(seed=seeds)
def test_two_classes_are_mcnemar_of_the_labels(seed: int) -> None:
    matrix = labels(seed, k=2)
    b, c = matrix.counts[0, 1], matrix.counts[1, 0]
    wanted = mcnemar(b, c, "uncorrected").p_value
    assert bowker(matrix).p_value == pytest.approx(wanted)
    assert stuart_maxwell(matrix).p_value == pytest.approx(wanted)


@given(seed=seeds)
def test_symmetry_implies_equal_shares(seed: int) -> None:
    counts = labels(seed).counts
    even = ConfusionMatrix(counts + counts.T)
    for test in (bowker, stuart_maxwell):
        assert test(even).statistic == pytest.approx(0, abs=1e-9)
        assert test(ConfusionMatrix(counts)).statistic == pytest.approx(test(ConfusionMatrix(counts.T)).statistic)


def test_equal_shares_do_not_imply_symmetry() -> None:
    cycle = ConfusionMatrix(np.array([[30, 20, 0], [0, 30, 20], [20, 0, 30]]))
    assert stuart_maxwell(cycle).p_value == pytest.approx(1)
    assert bowker(cycle).p_value < 1e-6


def test_classes_that_never_occur_take_no_degree_of_freedom() -> None:
    counts = np.zeros((4, 4))
    counts[:3, :3] = labels(3).counts
    for test in (bowker, stuart_maxwell):
        whole, part = test(ConfusionMatrix(counts)), test(ConfusionMatrix(counts[:3, :3]))
        assert whole.statistic == pytest.approx(part.statistic)
        assert whole.p_value == pytest.approx(part.p_value)


def test_labels_no_row_has() -> None:
    matrix = ConfusionMatrix(np.array([[20, 3, 4], [2, 30, 5]]), ("a", "b"), ("a", "b", "?"))
    assert stuart_maxwell(matrix).method == "chi-square, 2 degrees"
    assert class_shares(matrix).columns["difference"][2] == pytest.approx(-9 / 64)


def test_where_nothing_differs_there_is_no_evidence() -> None:
    same = np.repeat(right(1, k=1), 3, axis=1)
    assert cochran_q(JointCorrectness.of(same, NAMES[:3])).p_value == 1
    agreed = ConfusionMatrix(np.diag([3.0, 4.0, 5.0]))
    assert (bowker(agreed).p_value, stuart_maxwell(agreed).p_value) == (1, 1)


@given(seed=seeds)
def test_pairs_are_adjusted_alike(seed: int) -> None:
    """Bonferroni on both sides: an adjusted interval leaves 0 out exactly where the adjusted p-value is small."""
    for table in (
        right_pairs(JointCorrectness.of(right(seed), NAMES)),
        label_pairs(labels(seed)),
        class_shares(labels(seed)),
    ):
        for low, high, p in zip(*(table.columns[name] for name in ("low", "high", "p_value")), strict=True):
            assert (low <= 0 <= high) == (p > 0.05)


def test_pairs_name_first_minus_second() -> None:
    joint = JointCorrectness.of(right(2), NAMES)
    table = right_pairs(joint)
    assert list(zip(table.columns["first"], table.columns["second"], strict=True)) == list(combinations("abcd", 2))
    pair = joint.pair(0, 3)
    test, interval = score_test(float(pair.only_first), float(pair.only_second), 40, 1 - 0.05 / 6)
    assert table.columns["low"][2] == interval.low
    assert table.columns["p_value"][2] == pytest.approx(min(1, 6 * test.p_value))
    assert table.columns["difference"][2] == pytest.approx(right(2)[:, 0].mean() - right(2)[:, 3].mean())


def test_weights_and_clusters_are_refused_with_what_takes_them() -> None:
    weighted = JointCorrectness.of(right(1), NAMES, weight=np.linspace(1, 2, 40))
    clustered = JointCorrectness.of(right(1), NAMES, cluster=np.arange(40) // 5)
    for joint in (weighted, clustered):
        assert "right_pairs" in str(cochran_q(joint).undefined)
        assert all(math.isfinite(p) for p in right_pairs(joint).columns["p_value"])
    matrix = ConfusionMatrix(labels(1).counts, squares=2 * labels(1).counts)
    assert "weights" in str(bowker(matrix).undefined)
    assert "weights" in str(stuart_maxwell(matrix).undefined)
