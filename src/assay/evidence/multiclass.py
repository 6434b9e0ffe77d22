"""Scores of many classes: what each case was given for every class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence._kernels import arranged, tabulate_ordered, tabulate_weights
from assay.evidence.confusion import ADDED_CLASSES, ADDED_CLUSTERS, case_weights
from assay.evidence.scores import ScoreTable
from assay.predictions import in_order
from assay.types import Floats

# Files round probabilities to a few digits, so their sum is 1 only nearly.
SUM_MAY_MISS_ONE_BY = 0.01
# Rows are worked through in pieces of about so many numbers, so that no second copy of them all is made.
NUMBERS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class RankedCases:
    """The cases in the order of their scores for one class: which they are, their scores, and who is of that class.

    Everything that ranks a class reads this, and nothing sorts again.

    >>> ranked = ClassScores.of([[0.7, 0.3], [0.2, 0.8], [0.7, 0.3]], [0, 1, 1], "ab").ranked(0)
    >>> ranked.below(np.ones(3)), ranked.back(ranked.score)
    (array([0.5, 2. , 2. ]), array([0.7, 0.2, 0.7]))
    """

    order: NDArray[np.intp]
    score: Floats
    is_own: NDArray[np.bool_]

    @cached_property
    def _first(self) -> NDArray[np.intp] | None:
        """Where each run of equal scores begins; None where no two are equal."""
        is_new = self.score[1:] != self.score[:-1]
        return None if is_new.all() else np.concatenate(([0], np.flatnonzero(is_new) + 1))

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """Where each case stands in the order."""
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(place))
        return place

    def below(self, weights: Floats) -> Floats:
        """For each case in order, the weight of those that score lower and half of those that score the same."""
        if self._first is None:
            return np.cumsum(weights, axis=-1) - 0.5 * weights
        tied = np.add.reduceat(weights, self._first, axis=-1)
        return self.spread(np.cumsum(tied, axis=-1) - 0.5 * tied)

    def spread(self, values: Floats) -> Floats:
        """Values of distinct scores, for each case in order."""
        if self._first is None:
            return values
        return np.repeat(values, np.diff(self._first, append=len(self.order)), axis=-1)

    def back(self, values: Floats) -> Floats:
        """Values of cases in order, in the order they came."""
        return np.asarray(values[self._place])

    def table(self) -> ScoreTable:
        """The score table of the class against all others, every case counting once."""
        return ScoreTable(*tabulate_ordered(self.score, self.is_own))


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
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False)

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
        return np.asarray(self.probability[np.arange(len(self)), self.truth])

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
        """The class with the highest score of each case; of tied ones the first in sorted order."""
        return highest_class(self.probability, self.classes)

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

    def ranked(self, k: int) -> RankedCases:
        """The cases in the order of their scores for class k."""
        order, score = arranged(self.probability[:, k])
        return RankedCases(order, score, self.truth[order] == k)

    @property
    def cache(self) -> dict[Hashable, Any]:
        """What was computed from these scores, by the key of whoever did: several numbers rest on the same sums."""
        return self._known


def highest_class(probability: Floats, classes: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the code of the class with the highest score of each case; of tied ones the first in sorted order.

    The order in which the columns were given decides nothing, so that arrays, frames and files give the same answer.

    >>> scores = np.array([[0.2, 0.4, 0.4], [0.5, 0.3, 0.2]])
    >>> highest_class(scores, ("a", "b", "c")), highest_class(scores, ("a", "c", "b"))
    (array([1, 0]), array([2, 0]))
    """
    order = _sorted_places(classes)
    if order is None:
        return np.asarray(probability.argmax(1))
    return np.asarray(order[probability[:, order].argmax(1)])


@lru_cache(maxsize=64)
def _sorted_places(classes: tuple[str, ...]) -> NDArray[np.intp] | None:
    """Return the places of the classes in sorted order; None where they stand in it."""
    places = [classes.index(name) for name in in_order(classes)]
    return None if places == list(range(len(classes))) else np.array(places)


def ordered_table(score: Floats, code: NDArray[np.integer], classes: int) -> Floats:
    """How many cases of each class (row) have each distinct score, the scores in increasing order.

    >>> ordered_table(np.array([0.2, 0.1, 0.2]), np.array([1, 0, 2]), 3)
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    _, counts = tabulate_weights(score + 0.0, (code == np.arange(classes)[:, None]).astype(np.float64))
    return counts
