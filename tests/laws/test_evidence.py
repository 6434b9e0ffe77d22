"""Evidence adds: reducing parts and adding them equals reducing everything at once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.samples import probabilities, rows, table_of

from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable

labelled = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=30)
CLASSES, DECISIONS = ("a", "b", "c"), ("a", "b", "c", "?")


def matrix_of(cases: list[tuple[int, int]]) -> ConfusionMatrix:
    truth, decision = (np.array([case[i] for case in cases], dtype=np.int64) for i in (0, 1))
    return ConfusionMatrix.of(truth, decision, CLASSES, DECISIONS)


@given(a=labelled, b=labelled, c=labelled)
def test_confusion_matrices_add(a: list[tuple[int, int]], b: list[tuple[int, int]], c: list[tuple[int, int]]) -> None:
    one, two, three = matrix_of(a), matrix_of(b), matrix_of(c)
    assert one + two == matrix_of(a + b)
    assert one + two == two + one
    assert (one + two) + three == one + (two + three) == matrix_of(a + b + c)
    assert one + matrix_of([]) == one


anything = st.lists(st.tuples(st.one_of(probabilities, st.floats(-1e9, 1e9)), st.booleans()), min_size=1, max_size=30)


@given(a=anything, b=anything, c=anything)
def test_score_tables_add(
    a: list[tuple[float, bool]], b: list[tuple[float, bool]], c: list[tuple[float, bool]]
) -> None:
    one, two, three = table_of(a), table_of(b), table_of(c)
    assert one + two == table_of(a + b)
    assert one + two == two + one
    assert (one + two) + three == one + (two + three) == table_of(a + b + c)


@given(a=rows)
def test_an_empty_score_table_changes_nothing(a: list[tuple[float, bool]]) -> None:
    table, empty = table_of(a), table_of([])
    assert table + empty == table
    assert empty + table == table
    assert empty + empty == empty


@given(a=rows, b=rows)
def test_thresholds_and_pairs_follow_the_sum(a: list[tuple[float, bool]], b: list[tuple[float, bool]]) -> None:
    one, two = table_of(a), table_of(b)
    for threshold in (-1.0, 0.0, 0.25, 0.5, 1.0, 2.0):
        assert one.at(threshold) + two.at(threshold) == (one + two).at(threshold)
    pairs = (one + two).pairs
    assert sum(pairs) == (one + two).positives * (one + two).negatives


@given(a=rows)
def test_a_table_has_strictly_increasing_scores_and_every_case(a: list[tuple[float, bool]]) -> None:
    table = table_of(a)
    assert (np.diff(table.score) > 0).all()
    assert (table.negative + table.positive > 0).all()
    assert table.total == len(a)
    assert table.positives == sum(positive for _, positive in a)


@given(a=rows)
def test_the_sweep_is_the_matrix_at_every_threshold(a: list[tuple[float, bool]]) -> None:
    table = table_of(a)
    swept = table.swept().counts
    for counts, threshold in zip(swept, table.thresholds(), strict=True):
        np.testing.assert_array_equal(counts, table.at(float(threshold)).counts)


@given(a=rows)
def test_batches_add_like_their_members(a: list[tuple[float, bool]]) -> None:
    table = table_of(a)
    batch = ScoreTable(table.score, np.stack([table.negative, 2 * table.negative]), np.stack([table.positive] * 2))
    total = batch + batch
    np.testing.assert_array_equal(total.negative[1], 4 * table.negative)
    np.testing.assert_array_equal(total.positive[0], 2 * table.positive)


def test_zero_and_minus_zero_are_one_score() -> None:
    assert len(ScoreTable.of([-0.0, 0.0], [False, True])) == 1


def test_evidence_of_other_classes_does_not_add() -> None:
    with pytest.raises(
        OptionError, match="the two have different classes; needed: the same classes, in the same order"
    ):
        ScoreTable.of([1.0], [True], ("a", "b")) + ScoreTable.of([1.0], [True], ("a", "c"))
    with pytest.raises(
        OptionError, match="the matrices have different classes or labels; needed: the same classes and labels"
    ):
        ConfusionMatrix(np.eye(2), ("a", "b")) + ConfusionMatrix(np.eye(2), ("b", "a"))


def test_evidence_survives_pickle() -> None:
    table, matrix = ScoreTable.of([0.1, 0.9], [False, True]), ConfusionMatrix.binary(tp=1, fn=2, fp=3, tn=4)
    assert table.negatives == 1  # a cached part must not get in the way
    assert pickle.loads(pickle.dumps(table)) == table
    assert pickle.loads(pickle.dumps(matrix)) == matrix


def test_the_reduction_leaves_the_callers_arrays_alone() -> None:
    score, positive = np.array([0.9, 0.1, 0.5]), np.array([True, False, True])
    ScoreTable.of(score, positive)
    assert score.tolist() == [0.9, 0.1, 0.5]
    assert positive.tolist() == [True, False, True]


def test_threads_sort_as_one_would() -> None:
    rng = np.random.default_rng(0)
    for share in (0.02, 0.5, 0.98):
        score = rng.normal(size=300_000).round(3)
        positive = rng.random(300_000) < share
        halves = [ScoreTable.of(score[k::3], positive[k::3]) for k in range(3)]  # each below the threaded size
        assert ScoreTable.of(score, positive) == halves[0] + halves[1] + halves[2]
