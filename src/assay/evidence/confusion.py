"""The confusion matrix: how often each class was given each decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.evidence._kernels import Floats, tabulate_pairs

__all__ = ["ConfusionMatrix"]


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
    ) -> ConfusionMatrix:
        """The matrix of class codes and decision codes, case by case."""
        decisions = tuple(decisions) or tuple(classes)
        counts = tabulate_pairs(truth, decision, len(classes), len(decisions))
        return cls(counts, tuple(classes), decisions)

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
            raise ValueError("only confusion matrices of the same classes and decisions add")
        return ConfusionMatrix(self.counts + other.counts, self.classes, self.decisions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        names_agree = (self.classes, self.decisions) == (other.classes, other.decisions)
        return names_agree and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # holds an array

    @property
    def total(self) -> Any:
        """All cases."""
        return self.counts.sum((-2, -1))

    @property
    def correct(self) -> Any:
        """Cases given their own class."""
        return np.trace(self.counts, axis1=-2, axis2=-1)

    @property
    def actual(self) -> Any:
        """Cases of each class."""
        return self.counts.sum(-1)

    @property
    def predicted(self) -> Any:
        """Cases given each class's label, whatever they are."""
        return self.counts.sum(-2)[..., : len(self.classes)]

    @property
    def tp(self) -> Any:
        """Positives given the positive label."""
        return self.counts[..., 1, 1]

    @property
    def tn(self) -> Any:
        """Negatives given the negative label."""
        return self.counts[..., 0, 0]

    @property
    def fp(self) -> Any:
        """Negatives given the positive label."""
        return self.counts[..., 0, 1]

    @property
    def fn(self) -> Any:
        """Positives not given the positive label."""
        return self.positives - self.tp

    @property
    def positives(self) -> Any:
        """Cases of the positive class."""
        return self.counts[..., 1, :].sum(-1)

    @property
    def negatives(self) -> Any:
        """Cases of the negative class."""
        return self.counts[..., 0, :].sum(-1)

    def flipped(self) -> ConfusionMatrix:
        """The two-class matrix with the other class as the positive one.

        >>> ConfusionMatrix.binary(tp=1, fn=2, fp=3, tn=4).flipped() == ConfusionMatrix(
        ...     np.array([[1, 2], [3, 4]]), ("1", "0"))
        True
        """
        columns = [1, 0, *range(2, len(self.decisions))]
        decisions = tuple(self.decisions[column] for column in columns)
        return ConfusionMatrix(self.counts[..., ::-1, :][..., columns], self.classes[::-1], decisions)

    def by_class(self) -> list[ConfusionMatrix]:
        """For each class, the two-class matrix in which it is the positive one.

        With two classes a label that never occurs in truth stays apart, as neither positive nor negative; with more,
        all other labels are one.
        """
        if len(self.classes) == 2:
            return [self.flipped(), self]
        return [ConfusionMatrix(counts) for counts in self.one_vs_rest().counts]

    def one_vs_rest(self) -> ConfusionMatrix:
        """For each class, the two-class matrix of it against all others, as a batch axis.

        >>> ConfusionMatrix(np.array([[3, 1, 0], [0, 2, 2], [1, 0, 4]])).one_vs_rest().counts[1]
        array([[8., 1.],
               [2., 2.]])
        """
        tp = np.diagonal(self.counts, axis1=-2, axis2=-1)
        fn = self.actual - tp
        fp = self.predicted - tp
        tn = self.total[..., None] - tp - fn - fp
        return ConfusionMatrix.binary(tp=tp, fn=fn, fp=fp, tn=tn)

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
