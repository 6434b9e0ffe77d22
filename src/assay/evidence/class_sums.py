"""Scores of many classes without the cases: what adds beside the scores of each class against the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.errors import OptionError
from assay.evidence.binned import Binned
from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.multiclass import ClassScores
from assay.evidence.scores import ScoreTable
from assay.types import Floats

__all__ = [
    "ANSWERS",
    "FEWEST_TIED",
    "MOST_PAIRED",
    "POWERS",
    "SIDES",
    "ClassSums",
    "SummedClasses",
    "paired",
    "power_sums",
]

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
        by_truth = tuple(_by_truth(scores, k, each) for k, each in enumerate(kept))
        answers = {name: put(table) for name, table in _sureness(scores).items()}
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
            _placed([part.by_truth[k] for part in parts], [paired(scores[k]) for scores in kept], paired(table))
            for k, table in enumerate(whole)
            if all(part.by_truth for part in parts)
        )
        answers = {name: _added([part.answers[name] for part in parts]) for name in ANSWERS}
        names = [name for name in parts[0].losses if all(name in part.losses for part in parts)]
        losses = {name: np.sum(_alike([part.losses[name] for part in parts]), axis=0) for name in names}
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
            _coarse(counts, paired(fine), paired(wide))
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


def _by_truth(scores: ClassScores, k: int, kept: Scores) -> Floats:
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


def _sureness(scores: ClassScores) -> dict[str, ScoreTable]:
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


def _entries(scores: Scores) -> Any:
    return scores.cell if isinstance(scores, Binned) else scores.score


def _placed(counts: Sequence[Floats], kept: Sequence[Scores], whole: Scores) -> Floats:
    """Counts of several tables at the entries of the one that all of them make."""
    every = _alike(counts)
    found = np.zeros((*every[0].shape[:-1], len(whole)))
    for each, scores in zip(every, kept, strict=True):
        found[..., np.searchsorted(_entries(whole), _entries(scores))] += each
    return found


def _alike(arrays: Sequence[Floats]) -> list[Floats]:
    """Arrays of cases with and without weights as if all had weights: of those without, sums of squares are counts."""
    most = max(len(each) for each in arrays)
    return [each if len(each) == most else np.repeat(each, most, axis=0) for each in arrays]


def _coarse(counts: Floats, fine: Scores, wide: Scores) -> Floats:
    if not (isinstance(fine, Binned) and isinstance(wide, Binned)):
        return counts
    place = np.searchsorted(wide.cell, fine.grid.coarser(fine.cell, wide.grid.bits))
    first = np.flatnonzero(np.diff(place, prepend=-1))
    return np.asarray(np.add.reduceat(counts, first, axis=-1)) if len(first) else counts


def _added(parts: Sequence[Scores]) -> Scores:
    cells = [each for each in parts if isinstance(each, Binned)]
    if cells and len(cells) < len(parts):
        raise OptionError("one holds every score and the other cells of them", "the same kind, to add them")
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
