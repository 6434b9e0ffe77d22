"""Scores of many classes: what each case was given for every class.

Scores of many classes without the cases: what adds beside the scores of each class against the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence._kernels import arranged, tabulate_ordered, tabulate_weights
from assay.evidence.binning import Binned
from assay.evidence.confusion import ADDED_CLASSES, ADDED_CLUSTERS, ConfusionMatrix, case_weights
from assay.evidence.score_table import ScoreTable
from assay.predictions import in_order
from assay.types import Floats

__all__ = [
    "ANSWERS",
    "FEWEST_TIED",
    "MOST_PAIRED",
    "NUMBERS_AT_ONCE",
    "POWERS",
    "SIDES",
    "SUM_MAY_MISS_ONE_BY",
    "ClassScores",
    "ClassSums",
    "RankedCases",
    "SummedClasses",
    "highest_class",
    "ordered_table",
    "paired",
    "power_sums",
]


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
    def _run_starts(self) -> NDArray[np.intp] | None:
        """Where each run of equal scores begins; None where no two are equal."""
        is_new = self.score[1:] != self.score[:-1]
        return None if is_new.all() else np.concatenate(([0], np.flatnonzero(is_new) + 1))

    @cached_property
    def _case_ranks(self) -> NDArray[np.intp]:
        """Where each case stands in the order."""
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(place))
        return place

    def below(self, weights: Floats) -> Floats:
        """For each case in order, the weight of those that score lower and half of those that score the same."""
        if self._run_starts is None:
            return np.cumsum(weights, axis=-1) - 0.5 * weights
        tied = np.add.reduceat(weights, self._run_starts, axis=-1)
        return self.spread(np.cumsum(tied, axis=-1) - 0.5 * tied)

    def spread(self, values: Floats) -> Floats:
        """Values of distinct scores, for each case in order."""
        if self._run_starts is None:
            return values
        return np.repeat(values, np.diff(self._run_starts, append=len(self.order)), axis=-1)

    def back(self, values: Floats) -> Floats:
        """Values of cases in order, in the order they came."""
        return np.asarray(values[self._case_ranks])

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
    order = _sorted_class_positions(classes)
    if order is None:
        return np.asarray(probability.argmax(1))
    return np.asarray(order[probability[:, order].argmax(1)])


@lru_cache(maxsize=64)
def _sorted_class_positions(classes: tuple[str, ...]) -> NDArray[np.intp] | None:
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


Scores = Binned | ScoreTable

# Of so many classes the cells of each say which class every case in them is of; of more they take too much room, and
# so would finer cells: of these a pair of classes has its area known to some parts in 100,000.
MOST_PAIRED, PAIRED_BITS = 10, 12
# How sure each answer was: its probability, by how much it led the second, by how much the own class led or fell short.
ANSWERS = ("top", "margin", "lead")
# Sums of a loss to the powers 0 to 4, which tell a mean, its error, and how well that is known.
POWERS = 5
SIDES = ("wrong", "right")
# A score that fewer cases share might be somebody's.
FEWEST_TIED = 5


@dataclass(frozen=True, eq=False, repr=False)
class ClassSums:
    """What cases of many classes are reduced to beside the scores of each class against the rest; two of these add.

    `by_truth` says for each class how much every true class (row) weighs at each entry of its scores, as `paired` has
    them, and with weights the sums of their squares after that; it is empty of too many classes. `answers` are how sure
    each answer was against whether it was right. `losses` are sums over the cases of each true class of a loss to the
    powers 0 to 4, of weights, of their squares and of their fourth powers (once where cases weigh nothing else).
    `certain_and_wrong` are cases of a class that was called impossible.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> tables = tuple(scores.against_rest(k) for k in range(3))
    >>> sums = ClassSums.of(scores, tables, {"squared error": scores.squared_errors})
    >>> sums.by_truth[1][0]
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 1., 0.]])
    >>> sums.answers["top"]
    ScoreTable(3 distinct scores from 0.4 to 0.7; 1 negatives, 2 positives)
    """

    by_truth: tuple[Floats, ...]
    answers: Mapping[str, Scores]
    losses: Mapping[str, Floats]
    certain_and_wrong: float = 0.0
    are_probabilities: bool = True
    # What each cluster adds to the sums of weights and of losses (last axis), by true class.
    clusters: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        scores: ClassScores,
        kept: Sequence[Scores],
        losses: Mapping[str, Floats],
        put: Callable[[ScoreTable], Scores] = lambda table: table,
    ) -> ClassSums:
        """The sums of cases whose scores are kept as `kept`, and how sure answers were as `put` keeps a table."""
        by_truth = tuple(_weights_by_true_class(scores, k, each) for k, each in enumerate(kept))
        answers = {name: put(table) for name, table in _confidence_tables(scores).items()}
        weights = [scores.each]
        if scores.weight is not None:
            # A count is as many equal cases, each with its own weight.
            times = 1.0 if scores.count is None else scores.count
            weights = [times * scores.weight**power for power in (1, 2, 4)]
        sums = {name: power_sums(loss, scores.truth, len(scores.classes), weights) for name, loss in losses.items()}
        certain = float(scores.each[scores.given_to_truth <= 0].sum())
        is_few = len(scores.classes) <= MOST_PAIRED
        return cls(by_truth if is_few else (), answers, sums, certain, scores.are_probabilities)

    @classmethod
    def sum(cls, parts: Sequence[ClassSums], kept: Sequence[Sequence[Scores]], whole: Sequence[Scores]) -> ClassSums:
        """Many as one; `kept` are the scores that each is of, and `whole` those of all."""
        by_truth = tuple(
            _align_counts([part.by_truth[k] for part in parts], [paired(scores[k]) for scores in kept], paired(table))
            for k, table in enumerate(whole)
            if all(part.by_truth for part in parts)
        )
        answers = {name: _add_scores([part.answers[name] for part in parts]) for name in ANSWERS}
        names = [name for name in parts[0].losses if all(name in part.losses for part in parts)]
        losses = {name: np.sum(_as_weighted_arrays([part.losses[name] for part in parts]), axis=0) for name in names}
        certain = sum(part.certain_and_wrong for part in parts)
        return cls(by_truth, answers, losses, certain, all(part.are_probabilities for part in parts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassSums):
            return NotImplemented
        facts = [(each.certain_and_wrong, each.are_probabilities, sorted(each.losses)) for each in (self, other)]
        return (
            facts[0] == facts[1]
            and dict(self.answers) == dict(other.answers)
            and len(self.by_truth) == len(other.by_truth)
            and all(map(np.array_equal, self.by_truth, other.by_truth))
            and all(np.allclose(each, other.losses[name], rtol=1e-12) for name, each in self.losses.items())
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        return f"ClassSums({', '.join((*self.answers, *self.losses))})"

    def coarser(self, bits: int, kept: Sequence[Scores], coarse: Sequence[Scores]) -> ClassSums:
        """The same beside scores whose cells were put together."""
        by_truth = tuple(
            _coarsen_counts(counts, paired(fine), paired(wide))
            for counts, fine, wide in zip(self.by_truth, kept, coarse, strict=bool(self.by_truth))
        )
        held = {name: each for name, each in self.answers.items() if isinstance(each, Binned)}
        cells = {name: each.coarser(bits).withheld(FEWEST_TIED) for name, each in held.items()}
        return replace(self, by_truth=by_truth, answers={**self.answers, **cells})

    def shown(self, fewest: int, cases: Sequence[int]) -> ClassSums:
        """Of this what may be shown where cells of fewer cases are not: no small cell, no sums over so few cases."""
        answers = {
            name: each.without_small(fewest).withheld(max(FEWEST_TIED, fewest)) if isinstance(each, Binned) else each
            for name, each in self.answers.items()
        }
        are_few = any(0 < size < fewest for size in cases)
        return replace(self, answers=answers, losses={} if are_few else self.losses)


def paired(scores: Scores) -> Scores:
    """The scores of one class as coarse as they are kept for every true class."""
    is_fine = isinstance(scores, Binned) and scores.grid.bits > PAIRED_BITS
    return scores.coarser(PAIRED_BITS) if is_fine and isinstance(scores, Binned) else scores


def power_sums(loss: Floats, truth: Any, classes: int, weights: Sequence[Floats]) -> Floats:
    """Sums of a loss to the powers 0 to 4 by true class, once for each kind of weights.

    >>> power_sums(np.array([2.0, 3.0]), np.array([0, 1]), 2, [np.ones(2)])[0, 1]
    array([ 1.,  3.,  9., 27., 81.])
    """
    return np.array(
        [[np.bincount(truth, each * loss**power, classes) for power in range(POWERS)] for each in weights]
    ).swapaxes(1, 2)


def _weights_by_true_class(scores: ClassScores, k: int, kept: Scores) -> Floats:
    """How much every true class weighs at each entry of the scores of one class; with weights also their squares."""
    if len(scores.classes) > MOST_PAIRED:
        return np.zeros(0)
    own, at = scores.probability[:, k] + 0.0, paired(kept)
    is_kept: Any = slice(None)
    if isinstance(kept, Binned) and isinstance(at, Binned):
        if any(kept.hidden):
            # Those in cells too small to be shown are nowhere.
            is_kept = np.isin(kept.grid.cells(own), kept.cell)
        place = np.searchsorted(at.cell, at.grid.cells(own[is_kept]))
    else:
        place = kept.places(own) if isinstance(kept, ScoreTable) else np.zeros(0, np.intp)
    code, size = scores.truth[is_kept] * len(at) + place, len(scores.classes) * len(at)
    weights = (scores.each, scores.squared) if scores.is_weighted else (scores.each,)
    return np.array([np.bincount(code, w[is_kept], size).reshape(-1, len(at)) for w in weights], dtype=np.float64)


def _confidence_tables(scores: ClassScores) -> dict[str, ScoreTable]:
    """How sure each answer was, against whether it was right."""
    rows, decided = np.arange(len(scores)), scores.decided()
    others = scores.probability.copy()
    others[rows, decided] = -np.inf
    top, second = scores.probability[rows, decided], others.max(1)
    is_right = decided == scores.truth
    short = np.where(is_right, top - second, top - scores.given_to_truth)
    return {
        name: ScoreTable.of(values, is_right, SIDES, weight=scores.weight, count=scores.count)
        for name, values in zip(ANSWERS, (top, top - second, short), strict=True)
    }


def _bins_or_scores(scores: Scores) -> Any:
    return scores.cell if isinstance(scores, Binned) else scores.score


def _align_counts(counts: Sequence[Floats], kept: Sequence[Scores], whole: Scores) -> Floats:
    """Counts of several tables at the entries of the one that all of them make."""
    every = _as_weighted_arrays(counts)
    found = np.zeros((*every[0].shape[:-1], len(whole)))
    for each, scores in zip(every, kept, strict=True):
        found[..., np.searchsorted(_bins_or_scores(whole), _bins_or_scores(scores))] += each
    return found


def _as_weighted_arrays(arrays: Sequence[Floats]) -> list[Floats]:
    """Arrays of cases with and without weights as if all had weights: of those without, sums of squares are counts."""
    most = max(len(each) for each in arrays)
    return [each if len(each) == most else np.repeat(each, most, axis=0) for each in arrays]


def _coarsen_counts(counts: Floats, fine: Scores, wide: Scores) -> Floats:
    if not (isinstance(fine, Binned) and isinstance(wide, Binned)):
        return counts
    place = np.searchsorted(wide.cell, fine.grid.coarser(fine.cell, wide.grid.bits))
    first = np.flatnonzero(np.diff(place, prepend=-1))
    return np.asarray(np.add.reduceat(counts, first, axis=-1)) if len(first) else counts


def _add_scores(parts: Sequence[Scores]) -> Scores:
    cells = [each for each in parts if isinstance(each, Binned)]
    if cells and len(cells) < len(parts):
        raise OptionError("one has every score, the other bins", "the same kind, to add them")
    if cells:
        return Binned.sum(cells)
    first, *others = [each for each in parts if isinstance(each, ScoreTable)]
    for each in others:
        first = first + each
    return first


@dataclass(frozen=True, eq=False, repr=False)
class SummedClasses:
    """Scores of many classes where there are no cases any more: what measures read in the place of `ClassScores`.

    `scores` are those of each class against the rest, `sizes` what the cases of each class weigh, and `kish` how many
    equally weighted cases those are worth.
    """

    classes: tuple[str, ...]
    scores: tuple[Scores, ...]
    tables: tuple[ScoreTable, ...]
    sums: ClassSums
    sizes: Floats
    kish: Floats
    is_weighted: bool = False
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls, scores: tuple[Scores, ...], tables: tuple[ScoreTable, ...], sums: ClassSums, matrix: ConfusionMatrix
    ) -> SummedClasses:
        """The scores of each class, as they are kept and as tables, and the matrix of the same cases."""
        sizes = matrix.counts.sum(1)
        squares = sizes if matrix.squares is None else matrix.squares.sum(1)
        kish = np.divide(sizes**2, squares, out=np.zeros(len(sizes)), where=squares > 0)
        return cls(matrix.classes, scores, tables, sums, sizes, kish, matrix.squares is not None)

    def __repr__(self) -> str:
        return f"SummedClasses({float(self.total):,.15g} cases, {len(self.classes):,} classes)"

    @cached_property
    def total(self) -> Any:
        """All cases."""
        return self.sizes.sum()

    @cached_property
    def squared(self) -> Floats:
        """The sums of squared weights of each class."""
        return np.divide(self.sizes**2, self.kish, out=np.zeros(len(self.sizes)), where=self.kish > 0)

    @property
    def clusters(self) -> None:
        """Nothing: intervals from these sums look at clusters themselves."""

    @property
    def are_probabilities(self) -> bool:
        """Whether all lie in [0, 1] and those of each case sum to one, but for rounding."""
        return self.sums.are_probabilities

    @cached_property
    def pair_tables(self) -> tuple[ScoreTable, ...]:
        """The tables of each class that every true class is counted in."""
        return tuple(
            at.table() if isinstance(at := paired(each), Binned) and at is not each else table
            for each, table in zip(self.scores, self.tables, strict=True)
        )

    def against_rest(self, k: int) -> ScoreTable:
        """The score table of class k against all others."""
        return self.tables[k]

    def answers(self, name: str) -> ScoreTable:
        """How sure answers were, against whether they were right: `top`, `margin` or `lead`."""
        held = self.sums.answers[name]
        if name not in self.cache:
            self.cache[name] = held.table() if isinstance(held, Binned) else held
        table: ScoreTable = self.cache[name]
        return table

    @cached_property
    def pooled(self) -> tuple[Scores, ...]:
        """The scores of all classes on one grid, so that they can be put together."""
        bits = min((each.grid.bits for each in self.scores if isinstance(each, Binned)), default=0)
        alike = (each.coarser(bits) if isinstance(each, Binned) else each for each in self.scores)
        return tuple(replace(each, classes=("rest", "own")) for each in alike)

    @property
    def cache(self) -> dict[Hashable, Any]:
        """What was computed from these sums, by the key of whoever did."""
        return self._known
