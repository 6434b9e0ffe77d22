"""The confusion matrix: how often each class was given each decision.

Counts of one moment as plain numbers: what a stream's events add to, thousands of times a second.

Which rows stand for a cell of a confusion matrix where not all of them can be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence._kernels import tabulate_clusters, tabulate_pairs
from assay.renderers import in_notebook
from assay.types import Floats

__all__ = [
    "ADDED_CLASSES",
    "ADDED_CLUSTERS",
    "OTHER_CLASSES",
    "ROUNDING",
    "ConfusionMatrix",
    "FourCells",
    "PairTally",
    "case_weights",
    "rows_behind",
]


class FourCells:
    """The two-class matrix as four Python numbers, or four arrays of them, for formulas that are asked for often.

    Measures are the same formulas as of a `ConfusionMatrix`, which has the same names; building arrays for four numbers
    would cost more than all ten measures a stream may be watched by.

    >>> cells = FourCells(1202.0, 5.0, 29.0, 154.0)
    >>> cells.correct, cells.positives, cells.spreads
    (1356.0, 183.0, (441762.0, 391458.0))
    """

    __slots__ = ("correct", "fn", "fp", "negatives", "positives", "tn", "total", "tp")

    classes = decisions = ("0", "1")

    def __init__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> None:
        self.tn, self.fp, self.fn, self.tp = tn, fp, fn, tp
        self.negatives, self.positives = tn + fp, fn + tp
        self.total, self.correct = self.negatives + self.positives, tn + tp

    @property
    def missed(self) -> Any:
        """Positives given the negative label."""
        return self.fn

    @property
    def left_open(self) -> Any:
        """Answers that chance with these margins gets wrong, times n squared."""
        return self.negatives * (self.fp + self.tp) + self.positives * (self.tn + self.fn)

    @property
    def spreads(self) -> tuple[Any, Any]:
        """Pairs of cases that differ in class, and pairs that differ in label, every pair counted twice."""
        return 2.0 * self.negatives * self.positives, 2.0 * (self.fp + self.tp) * (self.tn + self.fn)


class PairTally:
    """Pairs of a positive and a negative in order (ties half), with the size of either class: what an AUC is made of.

    >>> from assay.measures import roc_auc
    >>> roc_auc.formula(PairTally(3.0, 2.0, 2.0))
    0.75
    """

    __slots__ = ("negatives", "pairs_in_order", "positives")

    def __init__(self, pairs_in_order: float, negatives: float, positives: float) -> None:
        self.pairs_in_order, self.negatives, self.positives = pairs_in_order, negatives, positives


# Why two pieces of evidence do not add, and what would.
OTHER_CLASSES = ("the two have different classes", "the same classes, in the same order")
ADDED_CLASSES = ("the matrices have different classes or labels", "the same classes and labels, in the same order")
# A share of the cases that rounding of weights may leave where there are none.
ROUNDING = 1e-12
ADDED_CLUSTERS = ("these cases come in clusters", "all rows at once: a cluster may be in both parts")


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix:
    """Weight of each (true class, decision): rows are the truth, always; leading axes are a batch.

    Decisions are the classes in the same order, then any label that never occurs in truth. With two classes the second
    is the positive one. Counts are float64, so nothing overflows and nothing is lost below 2**53.

    >>> ConfusionMatrix(np.array([[1202, 5], [29, 154]]), ("ham", "spam"))
            ham  spam  <- decided
    ham   1,202     5
    spam     29   154
    """

    counts: Floats
    classes: tuple[str, ...] = ()
    decisions: tuple[str, ...] = field(default=())
    # Sums of squared weights, where weights are not counts; and the counts of each cluster, on the first axis.
    squares: Floats | None = None
    clusters: Floats | None = None
    # The counts at the ends of what they could be, on the first axis, where the scores behind them are in cells.
    ends: Floats | None = None

    _repr_html_ = in_notebook

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts, dtype=np.float64)
        object.__setattr__(self, "counts", counts)
        if not self.classes:
            object.__setattr__(self, "classes", tuple(str(k) for k in range(counts.shape[-2])))
        if not self.decisions:
            object.__setattr__(self, "decisions", self.classes)

    @classmethod
    def of(
        cls,
        truth: NDArray[np.integer],
        decision: NDArray[np.integer],
        classes: Sequence[str],
        decisions: Sequence[str] = (),
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
        cluster: NDArray[np.integer] | None = None,
    ) -> ConfusionMatrix:
        """The matrix of class codes and decision codes, case by case.

        >>> codes = np.array([0, 1, 1])
        >>> weighted = ConfusionMatrix.of(codes, codes, ["no", "yes"], weight=np.array([2.0, 1.0, 3.0]))
        >>> weighted.counts.tolist(), round(weighted.kish, 3)
        ([[2.0, 0.0], [0.0, 4.0]], 2.571)
        """
        decisions = tuple(decisions) or tuple(classes)
        rows, columns = len(classes), len(decisions)
        each, squared = case_weights(weight, count)
        counts = tabulate_pairs(truth, decision, rows, columns, each)
        squares = None if squared is None else tabulate_pairs(truth, decision, rows, columns, squared)
        clusters = None
        if cluster is not None:
            cell = np.multiply(truth, columns, dtype=np.intp) + decision
            clusters = tabulate_clusters(cluster, cell, rows * columns, each).reshape(-1, rows, columns)
        return cls(counts, tuple(classes), decisions, squares, clusters)

    @classmethod
    def binary(cls, *, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> ConfusionMatrix:
        """The two-class matrix from named cells: no order to get wrong.

        >>> ConfusionMatrix.binary(tp=154, fn=29, fp=5, tn=1202).counts
        array([[1202.,    5.],
               [  29.,  154.]])
        """
        cells = np.broadcast_arrays(*(np.asarray(cell, dtype=np.float64) for cell in (tn, fp, fn, tp)))
        return cls(np.stack(cells, axis=-1).reshape(*cells[0].shape, 2, 2))

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if (self.classes, self.decisions) != (other.classes, other.decisions):
            raise OptionError(*ADDED_CLASSES)
        if self.clusters is not None or other.clusters is not None:
            raise OptionError(*ADDED_CLUSTERS)
        squares = None
        if self.squares is not None or other.squares is not None:
            squares = self.squared_weights + other.squared_weights
        return ConfusionMatrix(self.counts + other.counts, self.classes, self.decisions, squares)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        names_agree = (self.classes, self.decisions) == (other.classes, other.decisions)
        return names_agree and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # holds an array

    @property
    def squared_weights(self) -> Floats:
        """Sums of squared weights; of cases that count once these are the counts."""
        return self.counts if self.squares is None else self.squares

    @property
    def kish(self) -> float:
        """Kish's effective number of cases: how many equally weighted ones would be as informative."""
        return float(self.total**2 / self.squared_weights.sum())

    def effective(self) -> ConfusionMatrix:
        """The same shares on the effective number of cases: what methods that know no weights may look at."""
        if self.squares is None:
            return self
        return ConfusionMatrix(self.counts * (self.kish / float(self.total)), self.classes, self.decisions)

    @cached_property
    def total(self) -> Any:
        """All cases."""
        if self.counts.ndim > 2 and self.counts.shape[-2:] == (2, 2):
            return self.negatives + self.positives
        return self.counts.sum((-2, -1))

    @cached_property
    def correct(self) -> Any:
        """Cases given their own class."""
        return np.trace(self.counts, axis1=-2, axis2=-1)

    @cached_property
    def actual(self) -> Any:
        """Cases of each class."""
        return self.counts.sum(-1)

    @cached_property
    def predicted(self) -> Any:
        """Cases given each class's label, whatever they are."""
        return self.counts.sum(-2)[..., : len(self.classes)]

    @property
    def tp(self) -> Any:
        """Positives given the positive label."""
        return self._of_two(1)[..., 1]

    @property
    def tn(self) -> Any:
        """Negatives given the negative label."""
        return self._of_two(0)[..., 0]

    @property
    def fp(self) -> Any:
        """Negatives given the positive label."""
        return self._of_two(0)[..., 1]

    @cached_property
    def fn(self) -> Any:
        """Positives not given the positive label."""
        return self.positives - self.tp

    @cached_property
    def positives(self) -> Any:
        """Cases of the positive class."""
        return _row_sum(self._of_two(1))

    @cached_property
    def negatives(self) -> Any:
        """Cases of the negative class."""
        return _row_sum(self._of_two(0))

    @cached_property
    def cells(self) -> FourCells:
        """The two-class matrix of one classifier as plain numbers."""
        return FourCells(*self.counts.ravel().tolist())

    @property
    def missed(self) -> Any:
        """Positives given the negative label; those given neither are not among them."""
        return self._of_two(1)[..., 0]

    @property
    def left_open(self) -> Any:
        """Answers that chance with these margins gets wrong, times n squared."""
        return (self.actual * (self.total[..., None] - self.predicted)).sum(-1)

    @property
    def spreads(self) -> tuple[Any, Any]:
        """Pairs of cases that differ in class, and pairs that differ in label, every pair counted twice."""
        total = self.total[..., None]
        # Of weights that all stand in one class rounding may leave something, or less than nothing.
        of_truth, of_labels = (
            (m * np.where(total - m > ROUNDING * total, total - m, 0.0)).sum(-1)
            for m in (self.actual, self.counts.sum(-2))
        )
        return of_truth, of_labels

    def _of_two(self, k: int) -> Any:
        """The row of one of two classes."""
        if len(self.classes) != 2:
            found = f"the matrix has {len(self.classes)} classes"
            raise OptionError(found, "two classes; by_class() has each class against the rest")
        return self.counts[..., k, :]

    def flipped(self) -> ConfusionMatrix:
        """The two-class matrix with the other class as the positive one.

        >>> ConfusionMatrix.binary(tp=1, fn=2, fp=3, tn=4).flipped() == ConfusionMatrix(
        ...     np.array([[1, 2], [3, 4]]), ("1", "0"))
        True
        """
        self._of_two(1)  # refuses more classes
        columns = [1, 0, *range(2, len(self.decisions))]
        decisions = tuple(self.decisions[column] for column in columns)
        return self._mapped(lambda counts: counts[..., ::-1, :][..., columns], self.classes[::-1], decisions)

    def by_class(self) -> list[ConfusionMatrix]:
        """For each class, the two-class matrix in which it is the positive one.

        With two classes a label that never occurs in truth stays apart, as neither positive nor negative; with more,
        all other labels are one.
        """
        if len(self.classes) == 2:
            return [self.flipped(), self]
        each = self.one_vs_rest()
        return [each._mapped(lambda counts, k=k: counts[..., k, :, :]) for k in range(len(self.classes))]  # type: ignore[misc]

    def one_vs_rest(self) -> ConfusionMatrix:
        """For each class, the two-class matrix of it against all others, as a batch axis.

        >>> ConfusionMatrix(np.array([[3, 1, 0], [0, 2, 2], [1, 0, 4]])).one_vs_rest().counts[1]
        array([[8., 1.],
               [2., 2.]])
        """
        return self._mapped(_one_vs_rest_counts)

    def _mapped(
        self, sums: Callable[[Floats], Floats], classes: tuple[str, ...] = (), decisions: tuple[str, ...] = ()
    ) -> ConfusionMatrix:
        """Another matrix whose cells are sums of this one's: the same sums make its squares and its clusters."""
        squares = None if self.squares is None else sums(self.squares)
        clusters = None if self.clusters is None else sums(self.clusters)
        ends = None if self.ends is None else sums(self.ends)
        return ConfusionMatrix(sums(self.counts), classes, decisions, squares, clusters, ends)

    def __repr__(self) -> str:
        if self.counts.ndim > 2:
            return f"ConfusionMatrix(a batch of {self.counts.shape[:-2]} over {len(self.classes)} classes)"
        head = ["", *self.decisions, "<- decided"]
        rows = [[name, *(f"{n:,.15g}" for n in row), ""] for name, row in zip(self.classes, self.counts, strict=True)]
        widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
        aligned = (
            [
                cell.ljust(w) if i in (0, len(line) - 1) else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(line, widths, strict=True))
            ]
            for line in [head, *rows]
        )
        return "\n".join("  ".join(line).rstrip() for line in aligned)


def case_weights(weight: Floats | None, count: Floats | None) -> tuple[Floats | None, Floats | None]:
    """What each row adds to a count and, where weights are not counts, to a sum of squared weights.

    A count is a number of equal cases; a weight belongs to each of them.
    """
    if weight is None or (weight == 1).all():
        return count, None
    if count is None:
        return weight, weight * weight
    return weight * count, weight * weight * count


def _row_sum(row: Floats) -> Any:
    # Of many matrices a cell lies in one piece of memory: two of them are added faster than an axis of two.
    return row[..., 0] + row[..., 1] if row.shape[-1] == 2 else row.sum(-1)


def _one_vs_rest_counts(counts: Floats) -> Floats:
    rows = counts.shape[-2]
    tp = np.diagonal(counts, axis1=-2, axis2=-1)
    fn = counts.sum(-1) - tp
    fp = counts.sum(-2)[..., :rows] - tp
    tn = counts.sum((-2, -1))[..., None] - tp - fn - fp
    return np.stack((tn, fp, fn, tp), axis=-1).reshape(*tp.shape, 2, 2)


def rows_behind(cell: NDArray[np.integer], wrongness: Floats, most: int) -> NDArray[np.intp]:
    """The rows to show: cell by cell, the most wrong first, and every cell has its share of `most`.

    Of too many rows the first of each cell are taken, then the second of each, until there are enough.

    >>> rows_behind(np.array([0, 0, 0, 1]), np.array([0.1, 0.9, 0.5, 0.2]), 3)
    array([1, 2, 3])
    """
    order = np.lexsort((-wrongness, cell))
    sizes = np.bincount(cell)
    starts = np.cumsum(sizes) - sizes
    rank = np.arange(len(order)) - starts[cell[order]]
    taken = np.zeros(len(order), dtype=np.bool_)
    taken[rank.argsort(kind="stable")[:most]] = True
    kept: NDArray[np.intp] = order[taken]
    return kept
