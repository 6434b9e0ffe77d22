"""The score table: every distinct score with the weight of each class at it. The only sorted thing in Assay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.evidence._kernels import Floats, merge_tables, tabulate_scores
from assay.evidence.confusion import ConfusionMatrix

__all__ = ["PairCounts", "ScoreTable"]


class PairCounts(NamedTuple):
    """Of all pairs of a positive and a negative, how many the scores put in the right order, tie, or reverse."""

    concordant: float
    tied: float
    discordant: float


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
    _known: dict[str, Any] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, score: ArrayLike, is_positive: ArrayLike, classes: tuple[str, str] = ("0", "1")) -> ScoreTable:
        """Reduce scores and their true class to a table."""
        # Adding 0.0 makes -0.0 and 0.0 the one score they are.
        scores = np.add(np.asarray(score, dtype=np.float64), 0.0)
        return cls(*tabulate_scores(scores, np.asarray(is_positive, dtype=np.bool_)), classes)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if self.classes != other.classes:
            raise ValueError("only score tables of the same classes add")
        mine, theirs = ((t.score, t.negative, t.positive) for t in (self, other))
        score, negative, positive = merge_tables(mine, theirs)
        return ScoreTable(score, negative, positive, self.classes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        mine, theirs = ((t.score, t.negative, t.positive) for t in (self, other))
        return self.classes == other.classes and all(map(np.array_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        if self.negative.ndim > 1:
            return f"ScoreTable(a batch of {self.negative.shape[:-1]} over {len(self):,} scores)"
        span = f" from {self.score[0]:g} to {self.score[-1]:g}" if len(self) else ""
        return (
            f"ScoreTable({len(self):,} distinct scores{span}; "
            f"{self.negatives:,.15g} negatives, {self.positives:,.15g} positives)"
        )

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
    def negatives_below(self) -> Floats:
        """Negatives scored below each score, those at it counted half: a positive's wins there."""
        return np.cumsum(self.negative, axis=-1) - 0.5 * self.negative

    @cached_property
    def positives_above(self) -> Floats:
        """Positives scored above each score, those at it counted half: how often a negative loses there."""
        above: Floats = self.positives[..., None] - (np.cumsum(self.positive, axis=-1) - 0.5 * self.positive)
        return above

    @property
    def pairs(self) -> PairCounts:
        """Concordant, tied and discordant pairs of a positive and a negative, the parts of the c-index."""
        tied = (self.negative * self.positive).sum(-1)
        concordant = (self.positive * self.negatives_below).sum(-1) - tied / 2
        total = self.negatives * self.positives
        return PairCounts(*(float(part) for part in (concordant, tied, total - concordant - tied)))

    def at(self, threshold: float) -> ConfusionMatrix:
        """The confusion matrix when scores of at least `threshold` are called positive.

        >>> table = ScoreTable.of([0.1, 0.4, 0.4, 0.9], [False, False, True, True])
        >>> table.at(0.4).counts
        array([[1., 1.],
               [0., 2.]])
        """
        cut = int(np.searchsorted(self.score, threshold, side="left"))
        fn, tn = self.positive[..., :cut].sum(-1), self.negative[..., :cut].sum(-1)
        matrix = ConfusionMatrix.binary(tp=self.positives - fn, fn=fn, fp=self.negatives - tn, tn=tn)
        return ConfusionMatrix(matrix.counts, self.classes)

    def swept(self) -> ConfusionMatrix:
        """The confusion matrix at every threshold that matters, from "nothing is positive" to the lowest score."""
        tp, fp = (_from_the_top(weights) for weights in (self.positive, self.negative))
        matrix = ConfusionMatrix.binary(
            tp=tp, fn=self.positives[..., None] - tp, fp=fp, tn=self.negatives[..., None] - fp
        )
        return ConfusionMatrix(matrix.counts, self.classes)

    def remember(self, key: str, compute: Callable[[], Any]) -> Any:
        """What `compute` gives, computed once for this table: several numbers rest on the same long sums."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    def thresholds(self) -> Floats:
        """The thresholds `swept` visits: infinity, then the scores from the highest down."""
        return np.concatenate(([np.inf], self.score[::-1]))


def _from_the_top(weights: Floats) -> NDArray[np.float64]:
    """Running totals from the highest score down, starting at none."""
    start = np.zeros((*weights.shape[:-1], 1))
    return np.concatenate((start, np.cumsum(weights[..., ::-1], axis=-1)), axis=-1)
