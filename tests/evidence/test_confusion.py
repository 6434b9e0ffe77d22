"""The confusion matrix beyond what the laws reach."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import recall, registry


def test_named_cells_land_where_rows_are_the_truth() -> None:
    matrix = ConfusionMatrix.binary(tp=1, fn=2, fp=3, tn=4)
    assert matrix.counts.tolist() == [[4, 3], [2, 1]]
    assert (matrix.tp, matrix.fn, matrix.fp, matrix.tn) == (1, 2, 3, 4)
    assert (matrix.positives, matrix.negatives, matrix.total, matrix.correct) == (3, 7, 10, 5)
    assert matrix.actual.tolist() == [7, 3]
    assert matrix.predicted.tolist() == [6, 4]


def test_a_decision_truth_never_holds_is_wrong_and_neither_positive_nor_negative() -> None:
    matrix = ConfusionMatrix(np.array([[4, 1, 2], [0, 3, 5]]), ("no", "yes"), ("no", "yes", "?"))
    assert matrix.correct == 7
    assert matrix.total == 15
    assert matrix.predicted.tolist() == [4, 4]
    assert matrix.fn == 5
    assert matrix.fp == 1


def test_one_against_the_rest_keeps_every_case() -> None:
    rng = np.random.default_rng(1)
    matrix = ConfusionMatrix(rng.integers(0, 9, (4, 5)).astype(float), tuple("abcd"), tuple("abcd?"))
    each = matrix.one_vs_rest()
    np.testing.assert_array_equal(each.total, [matrix.total] * 4)
    np.testing.assert_array_equal(each.tp, np.diagonal(matrix.counts))
    np.testing.assert_array_equal(each.positives, matrix.actual)
    np.testing.assert_array_equal(each.tp + each.fp, matrix.predicted)


def test_one_against_the_rest_of_a_batch() -> None:
    counts = np.random.default_rng(2).integers(0, 9, (6, 3, 3)).astype(float)
    together = ConfusionMatrix(counts).one_vs_rest().counts
    alone = [ConfusionMatrix(one).one_vs_rest().counts for one in counts]
    np.testing.assert_array_equal(together, alone)


def test_counts_are_floats_from_birth() -> None:
    assert ConfusionMatrix(np.array([[2**31, 1], [1, 2**31]], dtype=np.int64)).counts.dtype == np.float64


def test_matrices_compare_by_content_and_have_no_hash() -> None:
    one, two = (ConfusionMatrix.binary(tp=1, fn=2, fp=3, tn=4) for _ in range(2))
    assert one == two
    assert one != ConfusionMatrix.binary(tp=2, fn=2, fp=3, tn=4)
    assert one != "a matrix"
    with pytest.raises(TypeError):
        hash(one)


def test_small_codes_do_not_overflow() -> None:
    codes = np.full(10, 120, dtype=np.int8)
    names = [str(k) for k in range(121)]
    assert ConfusionMatrix.of(codes, codes, names).counts[120, 120] == 10


def test_the_repr_names_rows_and_columns() -> None:
    assert "<- decided" in repr(ConfusionMatrix.binary(tp=1, fn=2, fp=3, tn=4))
    assert "batch" in repr(ConfusionMatrix(np.zeros((3, 2, 2))))


@pytest.mark.parametrize("threshold", [-np.inf, 0.1, 0.25, 0.9, 0.91, np.inf])
def test_at_calls_scores_of_at_least_the_threshold_positive(threshold: float) -> None:
    score, positive = np.array([0.1, 0.25, 0.25, 0.9]), np.array([0, 1, 0, 1])
    matrix = ScoreTable.of(score, positive).at(threshold)
    expected = ConfusionMatrix.of(positive, (score >= threshold).astype(int), ("0", "1"))
    assert matrix == expected


CELLS = ("tp", "tn", "fp", "fn", "positives", "negatives")


@pytest.mark.parametrize("name", CELLS)
def test_cells_of_the_positive_class_need_two_classes(name: str) -> None:
    for counts in (np.ones((3, 3)), np.ones((4, 3, 3)), np.ones((1, 1))):
        classes = counts.shape[-1]
        with pytest.raises(OptionError) as caught:
            getattr(ConfusionMatrix(counts), name)
        needed = "two classes; by_class() has each class against the rest"
        assert str(caught.value) == f"the matrix has {classes} classes; needed: {needed}"


def test_many_classes_are_not_turned_round_and_have_no_recall_of_their_own() -> None:
    three = ConfusionMatrix(np.ones((3, 3)))
    with pytest.raises(OptionError, match="the matrix has 3 classes"):
        three.flipped()
    with pytest.raises(OptionError, match="the matrix has 3 classes"):
        recall(three)
    assert [float(recall(one)) for one in three.by_class()] == pytest.approx([1 / 3] * 3)
    assert float(registry["accuracy"](three)) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", CELLS)
def test_a_batch_of_two_classes_has_its_cells(name: str) -> None:
    counts = np.random.default_rng(3).integers(0, 9, (5, 4, 2, 3)).astype(float)
    batch = ConfusionMatrix(counts, ("no", "yes"), ("no", "yes", "?"))
    each = [getattr(ConfusionMatrix(one, batch.classes, batch.decisions), name) for one in counts.reshape(20, 2, 3)]
    np.testing.assert_array_equal(getattr(batch, name), np.reshape(each, (5, 4)))
    assert batch.flipped().classes == ("yes", "no")
