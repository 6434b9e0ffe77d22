"""Curves for those who work a ranking from the top: what share of the positives so many cases hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.curves._curve import Drawable, Quantity, Sweep, whole
from assay.curves._drawing import Drawing, Ruler, Trace, stepped
from assay.curves._needs import need_between
from assay.curves.threshold import line
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import ks, lift, precision, predicted_prevalence, ratio, recall
from assay.results import Estimate, Table
from assay.text import number
from assay.types import Floats


def _between_chance_and_perfect(prevalence: float) -> tuple[Trace, ...]:
    perfect = Trace(np.array([0.0, prevalence, 1.0]), np.array([0.0, 1.0, 1.0]), "reference", "perfect")
    return line((0, 0), (1, 1), "chance"), perfect


def _one(prevalence: float) -> tuple[Trace, ...]:
    return (line((0, 1), (1, 1), "chance"),)


TAKEN = Quantity("taken", "Share of cases taken", predicted_prevalence.formula)

cumulative_gain = Sweep(
    "cumulative_gain",
    "Cumulative gain",
    TAKEN,
    recall,
    join="straight",
    references=_between_chance_and_perfect,
)
lift_curve = Sweep("lift_curve", "Lift", TAKEN, lift, references=_one, starts_at_first_block=True)


@dataclass(frozen=True, eq=False, repr=False)
class KsCurve(Drawable):
    """What share of each class scores below each threshold, and where the two differ most."""

    threshold: Floats
    negatives: Floats
    positives: Floats
    scores: ScoreTable

    def __repr__(self) -> str:
        return f"<Kolmogorov-Smirnov curve: {len(self.threshold):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether both classes are present."""
        return bool(np.isfinite(self.negatives).all() and np.isfinite(self.positives).all())

    @property
    def gap(self) -> Floats:
        """How much larger the share of the negatives is at each threshold."""
        return self.negatives - self.positives

    @property
    def widest(self) -> int:
        """Where the gap is widest, the highest threshold of several."""
        return int(np.argmax(np.abs(self.gap)))

    @property
    def statistic(self) -> Estimate:
        """The widest gap, the Kolmogorov-Smirnov statistic: the measure `ks`, with its interval.

        >>> ks_curve(ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, False, True, True])).statistic.value
        1.0
        """
        return ks.estimate(self.scores)

    def table(self) -> Table:
        """Threshold, share of either class below it, and their difference."""
        columns = {
            "threshold": self.threshold,
            "negatives_below": self.negatives,
            "positives_below": self.positives,
            "gap": self.gap,
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Kolmogorov-Smirnov curve")

    def drawing(self) -> Drawing:
        """Both cumulative distributions, and a mark where they are furthest apart."""
        at = self.threshold[self.widest]
        x, below = stepped(self.threshold, self.negatives)
        ends = np.array([self.negatives[self.widest], self.positives[self.widest]])
        traces = [
            Trace(x, stepped(self.threshold, self.positives)[1], "positives", "positives"),
            Trace(x, below, "negatives", "negatives"),
        ]
        if np.isfinite(at):
            traces.append(Trace(np.array([at, at]), ends, "mark", f"{number(abs(ends[0] - ends[1]))}"))
        return Drawing(
            name="ks_curve",
            title="Kolmogorov-Smirnov curve",
            x=Ruler("Threshold", None),
            y=Ruler("Share scored below it"),
            traces=tuple(traces),
            points=2 * len(self.threshold),
        )


def ks_curve(table: ScoreTable) -> KsCurve:
    """The distributions of the scores of both classes, side by side.

    >>> print(ks_curve(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])).table())
    threshold  negatives_below  positives_below     gap
          inf            1.000            1.000   0.000
        0.900            1.000            0.500   0.500
        0.800            0.000            0.500  -0.500
        0.400            0.000            0.000   0.000
    """
    matrix = table.swept()
    below = (ratio(matrix.tn, matrix.negatives), ratio(matrix.fn, matrix.positives))
    return KsCurve(table.thresholds(), *below, table)


def expected_at_k(table: ScoreTable, k: ArrayLike) -> ConfusionMatrix:
    """The confusion matrix to expect when the k cases of the highest scores are called positive.

    Where k ends inside a tie block, chance decides which of the block are called, so the counts are means over all
    orders of it. Precision, recall and F1 of these counts are then means themselves.

    >>> expected_at_k(ScoreTable.of([0.9, 0.5, 0.5, 0.5], [True, True, False, False]), 2).counts.round(3)
    array([[1.333, 0.667],
           [0.667, 1.333]])
    """
    if table.is_weighted:
        found = "these cases have weights, so the first k of them are no number of cases"
        raise OptionError(found, "cumulative_gain, which goes by their share")
    wanted = np.asarray(k, dtype=np.float64)
    need_between(wanted, "k", float(table.total))
    swept = table.swept()
    hits, calls = swept.tp, swept.tp + swept.fp
    tp = np.interp(wanted, calls, hits)
    fp = wanted - tp
    return ConfusionMatrix.binary(tp=tp, fn=table.positives - tp, fp=fp, tn=table.negatives - fp)


def precision_at_k(table: ScoreTable, k: ArrayLike) -> Floats:
    """Share of positives among the k cases of the highest scores, the mean over all orders of tied cases.

    >>> precision_at_k(ScoreTable.of([0.9, 0.5, 0.5, 0.5], [True, True, False, False]), [1, 2, 4]).round(3).tolist()
    [1.0, 0.667, 0.5]
    """
    found: Floats = precision(expected_at_k(table, k))
    return found


def recall_at_k(table: ScoreTable, k: ArrayLike) -> Floats:
    """Share of all positives that are among the k cases of the highest scores, the mean over all orders of tied cases.

    >>> recall_at_k(ScoreTable.of([0.9, 0.5, 0.5, 0.5], [True, True, False, False]), [1, 2, 4]).round(3).tolist()
    [0.5, 0.667, 1.0]
    """
    found: Floats = recall(expected_at_k(table, k))
    return found


@dataclass(frozen=True, eq=False, repr=False)
class TopK(Drawable):
    """Precision and recall among the k cases of the highest scores, for each k."""

    k: Floats
    precision: Floats
    recall: Floats

    def __repr__(self) -> str:
        return f"<Precision and recall at k: {len(self.k):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a positive to find."""
        return bool(np.isfinite(self.recall).any())

    def table(self) -> Table:
        """k, and precision and recall among the first k."""
        columns = {"precision": self.precision.tolist(), "recall": self.recall.tolist()}
        return Table({"k": whole(self.k), **columns}, title="Precision and recall at k")

    def drawing(self) -> Drawing:
        """Precision as the curve, recall as a grey one."""
        return Drawing(
            name="top_k",
            title="Precision and recall at k",
            x=Ruler("Cases taken from the top", None),
            y=Ruler("Precision, recall"),
            traces=(
                Trace(self.k, self.precision, "positives", "precision"),
                Trace(self.k, self.recall, "negatives", "recall"),
            ),
            points=2 * len(self.k),
        )


def top_k(table: ScoreTable, k: ArrayLike | None = None) -> TopK:
    """Precision and recall at each k, or at every k there is.

    >>> print(top_k(ScoreTable.of([0.9, 0.5, 0.5, 0.5], [True, True, False, False])).table())
    k  precision  recall
    1      1.000   0.500
    2      0.667   0.667
    3      0.556   0.833
    4      0.500   1.000
    """
    wanted = np.arange(1.0, float(table.total) + 1) if k is None else np.atleast_1d(np.asarray(k, dtype=np.float64))
    matrix = expected_at_k(table, wanted)
    return TopK(wanted, precision(matrix), recall(matrix))
