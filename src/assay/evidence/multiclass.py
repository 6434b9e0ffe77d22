"""Scores of many classes: what each case was given for every class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence._kernels import tabulate_weights
from assay.evidence.confusion import ADDED_CLASSES, ADDED_CLUSTERS, case_weights
from assay.evidence.scores import ScoreTable
from assay.types import Floats

__all__ = ["ClassScores", "highest_class", "ordered_table"]

# Files round probabilities to a few digits, so their sum is 1 only nearly.
SUM_MAY_MISS_ONE_BY = 0.01
# Rows are worked through in pieces of about so many numbers, so that no second copy of them all is made.
NUMBERS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores:
    """A row of scores for each case, one a class, and its true class.

    Averages over classes need to know which scores belong to one case, so the rows stay; two of these add by putting
    their rows together. What adds in less room is read off them: a score table a class (`against_rest`).

    `weight`, `count` and `cluster` mean what they mean everywhere: weights enter standard errors squared, a count is a
    number of equal cases, rows of a cluster depend on one another.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> scores
    ClassScores(3 cases, 3 classes)
    >>> scores.decided().tolist()
    [0, 1, 0]
    >>> scores.against_rest(2).pairs
    PairCounts(concordant=1.0, tied=1.0, discordant=0.0)
    """

    probability: Floats
    truth: NDArray[np.integer]
    classes: tuple[str, ...]
    weight: Floats | None = None
    count: Floats | None = None
    cluster: NDArray[np.integer] | None = None
    _known: dict[str, Any] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        probability: ArrayLike,
        truth: ArrayLike,
        classes: Sequence[str],
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
        cluster: NDArray[np.integer] | None = None,
    ) -> ClassScores:
        """The scores (cases by classes) and the codes of the true classes."""
        rows = np.asarray(probability, dtype=np.float64)
        return cls(rows, np.asarray(truth, dtype=np.intp), tuple(classes), weight, count, cluster)

    def __add__(self, other: ClassScores) -> ClassScores:
        if self.classes != other.classes:
            raise OptionError(*ADDED_CLASSES)
        if self.cluster is not None or other.cluster is not None:
            raise OptionError(*ADDED_CLUSTERS)

        def joined(mine: Floats | None, theirs: Floats | None) -> Floats | None:
            if mine is None and theirs is None:
                return None
            return np.concatenate([np.ones(len(s)) if w is None else w for s, w in ((self, mine), (other, theirs))])

        return ClassScores(
            np.concatenate((self.probability, other.probability)),
            np.concatenate((self.truth, other.truth)),
            self.classes,
            joined(self.weight, other.weight),
            joined(self.count, other.count),
        )

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same cases, in whatever order."""
        if not isinstance(other, ClassScores):
            return NotImplemented
        return self.classes == other.classes and np.array_equal(self._in_order(), other._in_order())

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __len__(self) -> int:
        return len(self.truth)

    def __repr__(self) -> str:
        return f"ClassScores({len(self):,} cases, {len(self.classes):,} classes)"

    def _in_order(self) -> Floats:
        ones = np.ones(len(self))
        design = (self.truth, *(ones if values is None else values for values in (self.weight, self.count)))
        rows = np.column_stack((self.probability, *design))
        return rows[np.lexsort(rows.T)]

    @cached_property
    def each(self) -> Floats:
        """What each row adds to a sum over cases."""
        each, _ = case_weights(self.weight, self.count)
        return np.ones(len(self)) if each is None else each

    @cached_property
    def squared(self) -> Floats:
        """What each row adds to a sum of squared weights; for cases that count once that is its count."""
        _, squared = case_weights(self.weight, self.count)
        return self.each if squared is None else squared

    @cached_property
    def total(self) -> Any:
        """All cases."""
        return self.each.sum()

    @cached_property
    def sizes(self) -> Floats:
        """Cases of each class."""
        return np.bincount(self.truth, self.each, minlength=len(self.classes)).astype(np.float64)

    @property
    def is_weighted(self) -> bool:
        """Whether the weights are not counts."""
        return self.weight is not None

    @cached_property
    def kish(self) -> Floats:
        """Kish's effective number of cases of each class; without weights their number."""
        squares = np.bincount(self.truth, self.squared, minlength=len(self.classes))
        return np.divide(self.sizes**2, squares, out=np.zeros(len(self.sizes)), where=squares > 0)

    @property
    def clusters(self) -> None:
        """Nothing: intervals from these rows look at `cluster` themselves."""

    @cached_property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest score."""
        return float(self.probability.min()), float(self.probability.max())

    @cached_property
    def are_probabilities(self) -> bool:
        """Whether all lie in [0, 1] and each row sums to one, but for rounding."""
        low, high = self.range
        return low >= 0 and high <= 1 and float(np.abs(self.probability.sum(1) - 1).max()) <= SUM_MAY_MISS_ONE_BY

    @cached_property
    def given_to_truth(self) -> Floats:
        """The score each case was given for its own class."""
        given: Floats = self.probability[np.arange(len(self)), self.truth]
        return given

    @cached_property
    def squared_errors(self) -> Floats:
        """For each case, the sum over the classes of squared differences between score and what happened."""
        step = max(1, NUMBERS_AT_ONCE // len(self.classes))
        pieces = []
        for start in range(0, len(self), step):
            errors = self.probability[start : start + step].copy()
            errors[np.arange(len(errors)), self.truth[start : start + step]] -= 1
            pieces.append(np.einsum("ij,ij->i", errors, errors))
        return np.concatenate(pieces)

    def decided(self) -> NDArray[np.intp]:
        """The class each case was given most of, the first of them where several tie."""
        return highest_class(self.probability)

    def against_rest(self, k: int) -> ScoreTable:
        """The score table of class k against all others."""
        return ScoreTable.of(
            self.probability[:, k],
            self.truth == k,
            ("rest", self.classes[k]),
            weight=self.weight,
            count=self.count,
            cluster=self.cluster,
        )

    @cached_property
    def pair_areas(self) -> Floats:
        """How often a case of class k (row) has a higher score for k than a case of class j (column), ties half.

        >>> ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc").pair_areas
        array([[nan, 1. , 1. ],
               [1. , nan, 1. ],
               [1. , 0.5, nan]])
        """
        areas = np.full((len(self.classes),) * 2, np.nan)
        for k in range(len(self.classes)):
            above, order = self._own_above(k)
            areas[k] = self._mean_by_class(above, self.truth[order], self.each[order])
            areas[k, k] = np.nan
        return areas

    def rank_influence(self, weights: Floats) -> Floats:
        """How much each case moves weighted sums of the pair areas: weights (sums, K, K) give (sums, cases).

        One sort a class, whatever the number of pairs: a case of class k stands among all others, each weighed by what
        its own class weighs beside k; any other case stands among those of k.
        """
        moved = np.zeros((len(weights), len(self)))
        shares = self.sizes / self.total
        weights = np.where(self.sizes[:, None] > 0, weights, 0.0)
        for k in np.flatnonzero(self.sizes):
            above, order = self._own_above(int(k))
            code, areas = self.truth[order], np.nan_to_num(self.pair_areas[k])
            is_own = code == k
            per_class = np.divide(weights[:, k], shares, out=np.zeros_like(weights[:, k]), where=shares > 0)
            change = per_class[:, code] * (above - areas[code])
            below = self._below(self.probability[order, k], per_class[:, code] * self.each[order] / self.total)
            change[:, is_own] = (below[:, is_own] - (weights[:, k] * areas).sum(-1)[:, None]) / shares[k]
            moved[:, order] += change
        return moved

    def _own_above(self, k: int) -> tuple[Floats, NDArray[np.intp]]:
        """In the order of their scores for k: the share of class k that scores higher than each case, ties half."""
        order = self.probability[:, k].argsort(kind="stable")
        own = self.each[order] * (self.truth[order] == k)
        size = self.sizes[k]
        if not size:
            return np.full(len(self), np.nan), order
        return 1 - self._below(self.probability[order, k], own[None])[0] / size, order

    @staticmethod
    def _below(score: Floats, weights: Floats) -> Floats:
        """For each of increasing scores, the weight of those below it and half of those at it."""
        is_new = np.concatenate(([True], score[1:] != score[:-1]))
        if is_new.all():
            return np.cumsum(weights, axis=-1) - 0.5 * weights
        tied = np.add.reduceat(weights, np.flatnonzero(is_new), axis=-1)
        middle = np.cumsum(tied, axis=-1) - 0.5 * tied
        each: Floats = np.take(middle, np.cumsum(is_new) - 1, axis=-1)
        return each

    def _mean_by_class(self, values: Floats, code: NDArray[np.integer], each: Floats) -> Floats:
        sums = np.bincount(code, each * values, minlength=len(self.classes))
        means: Floats = np.divide(sums, self.sizes, out=np.full(len(self.sizes), np.nan), where=self.sizes > 0)
        return means

    def remember(self, key: str, compute: Callable[[], Any]) -> Any:
        """What `compute` gives, computed once: several numbers rest on the same long sums."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]


def highest_class(probability: Floats) -> NDArray[np.intp]:
    """The class each case was given most of, the first of them where several tie.

    >>> highest_class(np.array([[0.2, 0.4, 0.4], [0.5, 0.3, 0.2]]))
    array([1, 0])
    """
    highest: NDArray[np.intp] = probability.argmax(1)
    return highest


def ordered_table(score: Floats, code: NDArray[np.integer], classes: int) -> Floats:
    """How many cases of each class (row) have each distinct score, the scores in increasing order.

    >>> ordered_table(np.array([0.2, 0.1, 0.2]), np.array([1, 0, 2]), 3)
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    _, counts = tabulate_weights(score + 0.0, (code == np.arange(classes)[:, None]).astype(np.float64))
    return counts
