"""Curves for those who work a ranking from the top: what share of the positives so many cases hold.

The risk chart of auditors and insurers: working a ranking from the top, how much of the positives, and of the money
at stake, so large a caseload finds. After Rattle's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.curves.curve import Drawable, Drawing, Quantity, Ruler, Sweep, Trace, need_between, stepped, whole
from assay.curves.threshold import line, share_from
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable, tabulate_weights
from assay.measures import ks, lift, precision, predicted_prevalence, ratio, recall
from assay.results import Estimate, Table
from assay.text import number
from assay.types import Floats


def _between_chance_and_perfect(prevalence: float) -> tuple[Trace, ...]:
    perfect = Trace(np.array([0.0, prevalence, 1.0]), np.array([0.0, 1.0, 1.0]), "reference", "perfect")
    return line((0, 0), (1, 1), "chance"), perfect


def _prevalence_line(prevalence: float) -> tuple[Trace, ...]:
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
lift_curve = Sweep("lift_curve", "Lift", TAKEN, lift, references=_prevalence_line, starts_at_first_block=True)


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
    """The confusion matrix to expect when the k cases of the highest scores are predicted positive.

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


def amounts_at_stake(score: ArrayLike, is_positive: ArrayLike, amount: ArrayLike, *times: Floats) -> ScoreTable:
    """The amount at stake at each score, of either class: evidence like any other, so that parts of it add.

    Amounts may be negative: what is found is then to be paid back. `times` are weights or counts of the cases.

    >>> amounts_at_stake([0.9, 0.6, 0.6], [True, True, False], [100.0, 300.0, -50.0]).positive.tolist()
    [300.0, 100.0]
    """
    scores = np.asarray(score, dtype=np.float64) + 0.0
    try:
        amounts = np.asarray(amount, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError("the amounts at stake are no numbers", "an amount for each case", about="amounts") from None
    if amounts.shape != scores.shape:
        shape = f"there are {len(scores):,} cases, and the amounts at stake have shape {amounts.shape}"
        raise OptionError(shape, "an amount for each case", about="amounts")
    if not np.isfinite(amounts).all():
        raise OptionError("some amounts at stake are nan or infinite", "finite numbers", about="amounts")
    found = np.asarray(is_positive, dtype=np.bool_)
    for each in times:
        amounts = amounts * each
    distinct, of_negatives, of_positives = tabulate_weights(scores, amounts * ~found, amounts * found)
    return ScoreTable(distinct, of_negatives, of_positives)


@dataclass(frozen=True, eq=False, repr=False)
class RiskChart(Drawable):
    """For each threshold the share of cases to look at, of positives found and of money found; and the strike rate."""

    threshold: Floats
    caseload: Floats
    recall: Floats
    precision: Floats
    prevalence: float
    risk: Floats | None = None

    def __repr__(self) -> str:
        return f"<Risk chart: {len(self.threshold):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a positive to find."""
        return bool(np.isfinite(self.recall).all())

    @property
    def recall_area(self) -> float:
        """Share of the positives found, averaged over all caseloads; 0.5 for chance."""
        return float(np.trapezoid(self.recall, self.caseload))

    @property
    def risk_area(self) -> float:
        """Share of the amount found, averaged over all caseloads; nan where no amounts were given."""
        return float("nan") if self.risk is None else float(np.trapezoid(self.risk, self.caseload))

    @property
    def recall_of_best(self) -> float:
        """The recall area as a share of that of a perfect ranking, which Rattle prints on its chart."""
        return 2 * self.recall_area / (2 - self.prevalence)

    @property
    def lead(self) -> Floats:
        """How far recall and risk together run ahead of the caseload."""
        return sum((found - self.caseload for found in (self.recall, self.risk) if found is not None), np.zeros(1))

    def table(self) -> Table:
        """Every point: threshold, caseload, recall, risk, strike rate, lead."""
        columns = {
            "threshold": self.threshold,
            "caseload": self.caseload,
            "recall": self.recall,
            **({} if self.risk is None else {"risk": self.risk}),
            "strike_rate": self.precision,
            "lead": self.lead,
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Risk chart")

    def drawing(self) -> Drawing:
        """Recall and risk over the caseload, and the strike rate below them."""
        called = slice(1, None)
        risk = () if self.risk is None else (Trace(self.caseload, self.risk, "negatives", "risk"),)
        return Drawing(
            name="risk_chart",
            title="Risk chart",
            x=Ruler("Caseload"),
            y=Ruler("Recall"),
            traces=(
                line((0, 0), (1, 1), "chance"),
                Trace(self.caseload[called], self.precision[called], "faint", "strike rate"),
                Trace(self.caseload, self.recall, "positives", "recall"),
                *risk,
            ),
            points=len(self.threshold),
            is_square=True,
        )


def risk_chart(table: ScoreTable, amounts: ScoreTable | None = None) -> RiskChart:
    """The risk chart of scores and, if `amounts` were tabulated at the same scores, of the money they find.

    >>> score, found, dollars = [0.9, 0.6, 0.6, 0.2], [True, True, False, False], [100.0, 300.0, 0.0, 0.0]
    >>> print(risk_chart(ScoreTable.of(score, found), amounts_at_stake(score, found, dollars)).table())
    threshold  caseload  recall   risk  strike_rate   lead
          inf     0.000   0.000  0.000            -  0.000
        0.900     0.250   0.500  0.250        1.000  0.250
        0.600     0.750   1.000  1.000        0.667  0.500
        0.200     1.000   1.000  1.000        0.500  0.000
    """
    matrix, threshold = table.swept(), table.thresholds()
    return RiskChart(
        threshold,
        predicted_prevalence(matrix),
        recall(matrix),
        precision(matrix),
        float(ratio(table.positives, table.total)),
        None if amounts is None else share_from(amounts, amounts.negative + amounts.positive, threshold),
    )
