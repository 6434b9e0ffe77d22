"""Counts of one moment as plain numbers: what a stream's events add to, thousands of times a second."""

from __future__ import annotations

from typing import Any

__all__ = ["FourCells", "PairTally"]


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
