"""The sampling error of an AUC of binormal scores, from the line that its ROC curve makes on normal deviates."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from assay.evidence import ScoreTable
from assay.results import Interval

__all__ = ["BinormalLine", "binormal_line", "obuchowski", "obuchowski_covariance"]

NO_LINE = "no point of the ROC curve lies off its edges, so that no line runs through it on normal deviates"


class BinormalLine(NamedTuple):
    """The ROC curve of normal scores: the deviate of recall is `a` plus `b` times that of the false-positive rate.

    `a` is how far the classes' means are apart, `b` the spread of the negatives, both in spreads of the positives.
    """

    a: float
    b: float

    @property
    def slopes(self) -> tuple[float, float]:
        """How much the area moves with a and with b."""
        whole = 1 + self.b * self.b
        height = math.exp(-self.a * self.a / (2 * whole)) / math.sqrt(2 * math.pi * whole)
        return height, -height * self.a * self.b / whole


def binormal_line(table: ScoreTable) -> BinormalLine | None:
    """The least-squares line through the points of the ROC curve that have normal deviates; None where there is none.

    Where there is a single such point the classes are taken as equally spread.

    >>> binormal_line(ScoreTable.of([0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 1, 1]))
    BinormalLine(a=0.8614..., b=1.0)
    """
    fpr, recall = (np.cumsum(side[::-1])[:-1] / side.sum() for side in (table.negative, table.positive))
    inside = (fpr > 0) & (fpr < 1) & (recall > 0) & (recall < 1)
    if not inside.any():
        return None
    x, y = ndtri(fpr[inside]), ndtri(recall[inside])
    apart = x - x.mean()
    b = float(apart @ y) / float(apart @ apart) if float(apart @ apart) > 0 else 1.0
    return BinormalLine(float(y.mean() - b * x.mean()), b)


def obuchowski_covariance(
    one: BinormalLine, other: BinormalLine, positives: float, negatives: float, within: tuple[float, float] = (1.0, 1.0)
) -> float:
    """The covariance of two binormal AUCs on the same cases, whose scores correlate so within negatives and positives.

    Of a curve with itself it is the variance. Obuchowski & McClish (1997), by the delta method.

    >>> line = BinormalLine(1.0, 1.0)
    >>> round(obuchowski_covariance(line, line, 50, 50) ** 0.5, 4)
    0.0466
    """
    (f1, g1), (f2, g2), (r0, r1) = one.slopes, other.slopes, within
    ratio = negatives / positives
    spread = f1 * f2 * (r1 + r0 * one.b * other.b / ratio + r1 * r1 * one.a * other.a / 2)
    spread += g1 * g2 * one.b * other.b * (r0 * r0 + ratio * r1 * r1) / (2 * ratio)
    spread += (f1 * g2 * one.a * other.b + f2 * g1 * other.a * one.b) * r1 * r1 / 2
    return spread / positives


def obuchowski(table: ScoreTable, level: float) -> Interval:
    """The plain AUC with the standard error of a binormal one (Obuchowski & McClish 1997)."""
    line, (negatives, positives) = binormal_line(table), table.kish
    if line is None:
        return Interval.missing("Obuchowski", NO_LINE)
    auc = float(table.pairs_in_order) / float(table.positives * table.negatives)
    se = math.sqrt(obuchowski_covariance(line, line, positives, negatives))
    half = float(ndtri(0.5 + level / 2)) * se
    return Interval(max(0.0, auc - half), min(1.0, auc + half), "Obuchowski", se=se)
