"""The score table: every distinct score with the weight of each class at it. The only sorted thing in Assay.

The scores of a table that positives have: precision is averaged over these alone.

Rows of a score table that depend on one another.

What the scores of a table could be, where it says only which cell each lies in: what every bound is made from.

What score tables know beside what they are, and how to forget it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence._kernels import (
    merge_tables,
    pairs_in_order,
    picked,
    placed,
    placement_sums,
    positions_among,
    precision_sums,
    table_hull,
    tabulate_clusters,
    tabulate_scores,
    tabulate_weights,
)
from assay.evidence.confusion import ADDED_CLUSTERS, OTHER_CLASSES, ConfusionMatrix, case_weights
from assay.renderers import in_notebook
from assay.types import Floats

__all__ = [
    "ADDED_CELLS",
    "KNOWS_PAIRS",
    "MOST_KEPT",
    "ROUNDING",
    "ClusteredRows",
    "PairCounts",
    "PositiveBlocks",
    "Reach",
    "ScoreTable",
    "forget_long",
]


class PositiveBlocks(NamedTuple):
    """The scores that positives have, from the lowest up, with what is called when each is the threshold.

    `place` is where they stand in the table; `positive` and `cases` have such a score, `hits` (positives) and `flags`
    (cases) have at least it.
    """

    place: NDArray[np.intp]
    positive: Floats
    cases: Floats
    hits: Floats
    flags: Floats


class ClusteredRows(NamedTuple):
    """Where each row stands in a table, and which rows belong together."""

    position: NDArray[np.integer]
    is_positive: NDArray[np.bool_]
    weight: Floats
    cluster: NDArray[np.integer]

    def sums(self, of_negatives: Floats, of_positives: Floats) -> tuple[Floats, Floats]:
        """For each cluster, the weighted sum over its negatives and over its positives of values given per score."""
        clusters = int(self.cluster.max()) + 1
        sides = ((of_negatives, ~self.is_positive), (of_positives, self.is_positive))
        negative, positive = (
            np.bincount(self.cluster, self.weight * values[self.position] * mask, minlength=clusters).astype(np.float64)
            for values, mask in sides
        )
        return negative, positive

    def own_called(self) -> tuple[Floats, Floats]:
        """For each row, what of its own cluster is called when it is the threshold: the positives, and all rows."""
        count = int(self.position.max()) + 1
        # Rows of a cluster from the highest score down, those of one score together.
        place = self.cluster.astype(np.int64) * count + (count - 1 - self.position)
        key, group = np.unique(place, return_inverse=True)
        starts = np.searchsorted(key, (key // count) * count)

        def called(weight: Floats) -> Floats:
            sums = np.cumsum(np.bincount(group, weight)).astype(np.float64)
            own: Floats = (sums - np.where(starts > 0, sums[starts - 1], 0.0))[group]
            return own

        return called(self.weight * self.is_positive), called(self.weight)

    def parted(self, cut: int) -> Floats:
        """The confusion matrix of each cluster when positions from `cut` on are called positive."""
        cell = 2 * self.is_positive.astype(np.intp) + (self.position >= cut)
        return tabulate_clusters(self.cluster, cell, 4, self.weight).reshape(-1, 2, 2)


@dataclass(frozen=True, eq=False)
class Reach:
    """The least and the greatest that the scores at each entry of a table could be; equal where they are true ties.

    `negatives` and `positives` are cases of which nothing is known but their class, since their cells were too small
    to be shown. They stand at no entry of the table, and their scores could be anything from `least` to `greatest`.
    """

    low: Floats
    high: Floats
    negatives: float = 0.0
    positives: float = 0.0
    least: float = 0.0
    greatest: float = 1.0

    @property
    def hidden(self) -> float:
        """Cases of which nothing is known but their class."""
        return self.negatives + self.positives

    @property
    def is_exact(self) -> bool:
        """Whether nothing is left open."""
        return self.hidden == 0 and bool((self.low == self.high).all())

    def split_by(self, threshold: float) -> tuple[int, int]:
        """From where to where entries of the table lie that a threshold may split: scores on both sides of it."""
        below = int(np.searchsorted(self.high, threshold, side="left"))
        return below, max(below, int(np.searchsorted(self.low, threshold, side="left")))


# Sums of weights are off by so much that three points on a line may seem to bend.
ROUNDING = 1e-12
ADDED_CELLS = ("the scores are counted in bins", "the bins, to add them: assay.merge")
KNOWS_PAIRS = "the pairs of the unbinned scores"
# Scores of a table up to which the counts at every threshold are kept, some 130 MB of them.
MOST_KEPT = 1 << 22


class PairCounts(NamedTuple):
    """Of all pairs of a positive and a negative, how many the scores put in the right order, tie, or reverse."""

    concordant: float
    tied: float
    discordant: float

    def _repr_html_(self) -> str:
        return in_notebook(self)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable:
    """Strictly increasing scores and how many negatives and positives have each.

    Everything that ranks reads this and nothing sorts again. `negative` and `positive` may carry leading batch axes
    (bootstrap replicates over the same scores).

    >>> table = ScoreTable.of([0.1, 0.4, 0.4, 0.9], [False, False, True, True])
    >>> table
    ScoreTable(3 distinct scores from 0.1 to 0.9; 2 negatives, 2 positives)
    >>> table.pairs
    PairCounts(concordant=3.0, tied=1.0, discordant=0.0)
    >>> table + table == ScoreTable.of([0.1, 0.4, 0.4, 0.9] * 2, [False, False, True, True] * 2)
    True
    """

    score: Floats
    negative: Floats
    positive: Floats
    classes: tuple[str, str] = ("0", "1")
    # Sums of squared weights at each score, where weights are not counts; and the rows, where they depend on others.
    negative_squares: Floats | None = None
    positive_squares: Floats | None = None
    rows: ClusteredRows | None = None
    # What the scores at each entry could be, where the table was put together from cells; None: they are what they are.
    reach: Reach | None = None
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        score: ArrayLike,
        is_positive: ArrayLike,
        classes: tuple[str, str] = ("0", "1"),
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
        cluster: NDArray[np.integer] | None = None,
    ) -> ScoreTable:
        """Reduce scores and their true class to a table.

        >>> ScoreTable.of([0.1, 0.9], [False, True], weight=np.array([2.0, 3.0])).positive_squares
        array([0., 9.])
        """
        scores = np.asarray(score, dtype=np.float64)
        positive = np.asarray(is_positive, dtype=np.bool_)
        each, squared = case_weights(weight, count)
        if each is not None and not each.all():
            # A row that counts for nothing must not leave an empty score behind.
            kept = each > 0
            scores, positive, each = scores[kept], positive[kept], each[kept]
            squared = None if squared is None else squared[kept]
            cluster = None if cluster is None else cluster[kept]
        if each is None:
            table = cls(*tabulate_scores(scores, positive), classes)
            positives = np.count_nonzero(positive)
            table.__dict__.update(negatives=np.float64(len(positive) - positives), positives=np.float64(positives))
        else:
            sides = (each, each) if squared is None else (each, each, squared, squared)
            masks = (~positive, positive) * 2
            sums = (side * mask for side, mask in zip(sides, masks, strict=False))
            distinct, below, above, *squares = tabulate_weights(scores, *sums)
            table = cls(distinct, below, above, classes, *_unpack_squares(squares))
        if cluster is None:
            return table
        position = np.searchsorted(table.score, scores)
        weights = np.ones(len(scores)) if each is None else each
        return replace(table, rows=ClusteredRows(position, positive, weights, cluster))

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if self.classes != other.classes:
            raise OptionError(*OTHER_CLASSES)
        if self.rows is not None or other.rows is not None:
            raise OptionError(*ADDED_CLUSTERS)
        if self.reach is not None or other.reach is not None:
            raise OptionError(*ADDED_CELLS)
        is_weighted = self.is_weighted or other.is_weighted
        score, *weights = merge_tables(*((t.score, *t._class_weights(with_squares=is_weighted)) for t in (self, other)))
        return ScoreTable(score, weights[0], weights[1], self.classes, *_unpack_squares(weights[2:]))

    def _class_weights(self, *, with_squares: bool) -> tuple[Floats, ...]:
        return (self.negative, self.positive, *(self.squared_weights if with_squares else ()))

    @property
    def is_weighted(self) -> bool:
        """Whether the weights are not counts."""
        return self.negative_squares is not None

    @property
    def squared_weights(self) -> tuple[Floats, Floats]:
        """Sums of squared weights of negatives and positives; of cases that count once these are the counts."""
        if self.negative_squares is None or self.positive_squares is None:
            return self.negative, self.positive
        return self.negative_squares, self.positive_squares

    @cached_property
    def sums_of_squares(self) -> tuple[float, float]:
        """The squared weights of all negatives and of all positives."""
        if not self.is_weighted and self.negative.ndim == 1 == self.positive.ndim:
            return float(self.negatives), float(self.positives)
        return float(self.squared_weights[0].sum()), float(self.squared_weights[1].sum())

    @cached_property
    def kish(self) -> tuple[float, float]:
        """Kish's effective number of negatives and of positives."""
        sizes, squares = (self.negatives, self.positives), self.sums_of_squares
        if not self.is_weighted:
            return squares
        low, high = (float(size**2 / square) if size else 0.0 for size, square in zip(sizes, squares, strict=True))
        return low, high

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        mine, theirs = ((t.score, *t._class_weights(with_squares=True)) for t in (self, other))
        return self.classes == other.classes and all(map(np.array_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        if self.negative.ndim > 1:
            return f"ScoreTable(a batch of {self.negative.shape[:-1]} over {len(self):,} scores)"
        span = f" from {self.score[0]:g} to {self.score[-1]:g}" if len(self) else ""
        sizes = f"{self.negatives:,.15g} negatives, {self.positives:,.15g} positives"
        return f"ScoreTable({len(self):,} distinct scores{span}; {sizes})"

    @cached_property
    def negatives(self) -> Any:
        """Cases of the negative class."""
        return self.negative.sum(-1)

    @cached_property
    def positives(self) -> Any:
        """Cases of the positive class."""
        return self.positive.sum(-1)

    @property
    def total(self) -> Any:
        """All cases."""
        return self.negatives + self.positives

    @cached_property
    def placement_sums(self) -> tuple[float, float, float]:
        """Pairs in order, ties half; and sums over positives and negatives of squared weights and placements.

        The placement of a case is how many of the other class it beats, less the mean of that: what the AUC and its
        variance are made of.
        """
        return placement_sums(
            self.negative, self.positive, *self.squared_weights, float(self.negatives), float(self.positives)
        )

    def with_pairs(self, sums: tuple[float, float, float]) -> ScoreTable:
        """The same cells with the placement sums of the scores themselves, where whoever made the cells had them.

        >>> table = ScoreTable.of([0.1, 0.4, 0.4, 0.9], [False, False, True, True])
        >>> table.with_pairs((4.0, 0.0, 0.0)).pairs_in_order, table.with_pairs((4.0, 0.0, 0.0)).knows_pairs
        (np.float64(4.0), True)
        """
        found = replace(self)
        found.__dict__["placement_sums"] = sums
        found._known[KNOWS_PAIRS] = True
        return found

    @property
    def knows_pairs(self) -> bool:
        """Whether the pairs are those of the scores themselves, though these are in cells."""
        return KNOWS_PAIRS in self._known

    @property
    def pairs_in_order(self) -> Any:
        """Pairs of a positive and a negative that the scores put in order, ties half; of a batch, of each in it."""
        if self.negative.ndim == 1 == self.positive.ndim:
            return np.float64(self.placement_sums[0])
        return pairs_in_order(self.negative, self.positive)

    @property
    def precision_sums(self) -> tuple[Any, Any]:
        """The precision at the score of each positive, added up, and what it lacks of 1; of a batch, of each in it.

        >>> ScoreTable.of([0.1, 0.4, 0.8, 0.9], [True, False, True, True]).precision_sums
        (np.float64(2.75), np.float64(0.25))
        """
        right, wrong = precision_sums(self.negative, self.positive)
        return right[()], wrong[()]

    @cached_property
    def negatives_below(self) -> Floats:
        """Negatives scored below each score, those at it counted half: a positive's wins there."""
        return np.cumsum(self.negative, axis=-1) - 0.5 * self.negative

    @cached_property
    def positives_above(self) -> Floats:
        """Positives scored above each score, those at it counted half: how often a negative loses there."""
        return np.asarray(self.positives[..., None] - (np.cumsum(self.positive, axis=-1) - 0.5 * self.positive))

    @cached_property
    def positive_blocks(self) -> PositiveBlocks:
        """The scores that positives have: precision is averaged over these alone, and most scores may have none.

        >>> ScoreTable.of([0.1, 0.4, 0.8], [True, False, True]).positive_blocks.flags
        array([3., 1.])
        """
        has_positives = self.positive.reshape(-1, len(self)).any(0)
        place = np.flatnonzero(has_positives)
        positive, negative = self.positive[..., place], self.negative[..., place]
        hits = np.cumsum(positive[..., ::-1], axis=-1)[..., ::-1]
        alarms = np.cumsum(self.negative[..., ::-1], axis=-1)[..., ::-1][..., place]
        return PositiveBlocks(place, positive, positive + negative, hits, hits + alarms)

    @property
    def pairs(self) -> PairCounts:
        """Concordant, tied and discordant pairs of a positive and a negative, the parts of the c-index."""
        tied = (self.negative * self.positive).sum(-1)
        concordant = self.pairs_in_order - tied / 2
        total = self.negatives * self.positives
        return PairCounts(*(float(part) for part in (concordant, tied, total - concordant - tied)))

    def places(self, scores: Floats) -> NDArray[np.intp]:
        """Where each of the scores that the table was made of stands in it.

        Cases that weigh nothing are in no table: they get the place of a neighbour, where they count for nothing.
        """
        return np.minimum(positions_among(scores, self.score), len(self) - 1)

    def of_cases(self, scores: Floats, is_positive: NDArray[np.bool_], negatives: Floats, positives: Floats) -> Floats:
        """For each of the cases that the table was made of, what stands at its score for its class.

        >>> table = ScoreTable.of([0.1, 0.4], [False, True])
        >>> table.of_cases(np.array([0.4, 0.1]), np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        array([4., 1.])
        """
        return picked(scores, is_positive, self.score, negatives, positives)

    def placements(
        self,
        scores: Floats,
        is_positive: NDArray[np.bool_],
        *,
        about: float = 0.0,
        shares: tuple[float, float] = (1.0, 1.0),
        out: Floats | None = None,
    ) -> Floats:
        """For each of the cases the table was made of, the share of the other class it stands on the right side of.

        Ties count half. The mean over either class is the AUC. `about` is taken off each, and what is left of a
        negative and of a positive multiplied by its share. `out` is an array in one piece to put them into.

        >>> score, truth = np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True])
        >>> ScoreTable.of(score, truth).placements(score, truth).tolist()
        [1.0, 0.75, 0.75, 1.0]
        """
        sizes = float(self.negatives), float(self.positives)
        return placed(scores, is_positive, self.score, self.negative, self.positive, *sizes, about, shares, out)

    def at(self, threshold: float) -> ConfusionMatrix:
        """The confusion matrix when scores of at least `threshold` are called positive.

        >>> table = ScoreTable.of([0.1, 0.4, 0.4, 0.9], [False, False, True, True])
        >>> table.at(0.4).counts
        array([[1., 1.],
               [0., 2.]])
        """
        cut = int(np.searchsorted(self.score, threshold, side="left"))
        if self.negative.ndim == 1 == self.positive.ndim and not self.is_weighted:
            below = [float(np.add.reduce(side[:cut])) for side in (self.negative, self.positive)]
            sizes = float(self.negatives), float(self.positives)
            counts = np.array([(low, size - low) for low, size in zip(below, sizes, strict=True)])
        else:
            counts = _counts_at_cut(self.negative, self.positive, cut)
        squares = _counts_at_cut(*self.squared_weights, cut) if self.is_weighted else None
        clusters = None if self.rows is None else self.rows.parted(cut)
        return ConfusionMatrix(counts, self.classes, self.classes, squares, clusters, self._count_bounds_at(threshold))

    def _count_bounds_at(self, threshold: float) -> Floats | None:
        """The counts at the ends of what they could be, with cells that the threshold splits on either side of it."""
        if self.reach is None:
            return None
        start, stop = self.reach.split_by(threshold)
        sides = []
        for side, hidden in ((self.negative, self.reach.negatives), (self.positive, self.reach.positives)):
            below, split, above = (float(part.sum()) for part in np.split(side, [start, stop]))
            sides.append(((below + split + hidden, above), (below, split + hidden + above)))
        ends = np.array([(negative, positive) for negative in sides[0] for positive in sides[1]])
        return None if (ends == ends[0]).all() else ends

    def swept(self) -> ConfusionMatrix:
        """The confusion matrix at every threshold that matters, from "nothing is positive" to the lowest score."""
        if self.is_too_long_to_cache:
            return self._matrices_of_all_thresholds()
        if "swept" not in self.cache:
            self.cache["swept"] = self._matrices_of_all_thresholds()
        swept: ConfusionMatrix = self.cache["swept"]
        return swept

    def _matrices_of_all_thresholds(self) -> ConfusionMatrix:
        cells = np.empty((2, 2, *self.negative.shape[:-1], len(self) + 1))
        for row, weights, total in ((0, self.negative, self.negatives), (1, self.positive, self.positives)):
            called = cells[row, 1]
            called[..., 0] = 0.0
            np.cumsum(weights[..., ::-1], axis=-1, out=called[..., 1:])
            np.subtract(total[..., None], called, out=cells[row, 0])
        cells.flags.writeable = False
        # Each cell lies in one piece of memory, which makes every measure of all thresholds several times faster.
        return ConfusionMatrix(np.moveaxis(cells, (0, 1), (-2, -1)), self.classes)

    @property
    def cases(self) -> Floats:
        """How many cases have each score, whatever their class."""
        if self.is_too_long_to_cache:
            return self.negative + self.positive
        if "cases" not in self.cache:
            self.cache["cases"] = self.negative + self.positive
        cases: Floats = self.cache["cases"]
        return cases

    @cached_property
    def hull_corners(self) -> NDArray[np.intp]:
        """Which of the thresholds `swept` visits are corners of the ROC curve's convex hull, the two ends included.

        Between two of them lie the scores that isotonic calibration pools.

        >>> ScoreTable.of([0.9, 0.8, 0.4], [True, False, True]).hull_corners
        array([0, 1, 3])
        """
        return table_hull(self.negative, self.positive, ROUNDING if self.is_weighted else 0.0)

    @property
    def cache(self) -> dict[Hashable, Any]:
        """What was computed from this table, by the key of whoever did: several numbers rest on the same long sums."""
        return self._known

    @property
    def is_too_long_to_cache(self) -> bool:
        """Whether what is several times as long as the table is computed anew: memory would run out before time."""
        return len(self) > MOST_KEPT

    def thresholds(self) -> Floats:
        """The thresholds `swept` visits: infinity, then the scores from the highest down."""
        return np.concatenate(([np.inf], self.score[::-1]))


def _unpack_squares(squares: list[Floats]) -> tuple[Floats | None, Floats | None]:
    return (squares[0], squares[1]) if squares else (None, None)


def _counts_at_cut(negative: Floats, positive: Floats, cut: int) -> Floats:
    """Two-class counts when positions from `cut` on are called positive."""
    if negative.ndim == 1 == positive.ndim:
        sides = [(float(side[:cut].sum()), float(side[cut:].sum())) for side in (negative, positive)]
        return np.array(sides)
    tn, fn = negative[..., :cut].sum(-1), positive[..., :cut].sum(-1)
    return ConfusionMatrix.binary(tp=positive.sum(-1) - fn, fn=fn, fp=negative.sum(-1) - tn, tn=tn).counts


def forget_long(table: ScoreTable) -> None:
    """Forget what was computed of a table that is as long as it is: where it is needed, it is computed again.

    >>> table = ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])
    >>> swept = table.swept()
    >>> forget_long(table)
    >>> table.swept() is swept, table.swept() == swept
    (False, True)
    """
    for key in [key for key, value in table._known.items() if _largest_array_size(value) >= max(1, len(table))]:
        del table._known[key]


def _largest_array_size(value: Any) -> int:
    """How many numbers the largest array in a value holds."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, ConfusionMatrix | ScoreTable):
        value = list(vars(value).values())
    return max(map(_largest_array_size, value), default=0) if isinstance(value, tuple | list) else 0
