"""Where the best threshold lies: all those that these cases do not show to be worse than the one they choose."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from assay.decisions._cuts import Task, runs_of
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import matrix_influence
from assay.results import Estimate
from assay.types import Floats

__all__ = ["NOT_WORSE", "not_worse"]

NOT_WORSE = "not shown to be worse"


def not_worse(table: ScoreTable, task: Task, gains: Floats, threshold: float, level: float) -> Estimate:
    """The threshold, with the lowest and the highest that would be worse by no more than chance explains.

    Two thresholds differ by the cases between them alone: by what it gains to call the positives among these, and
    loses to call the negatives. Thresholds whose difference from the best stays within so many standard errors, one
    pseudo-case of each class added, held the best threshold of the population in at least 95 % of samples of nearly
    all populations drawn at random, though the best here was chosen (verification/thresholds.py).
    """
    swept = table.swept()
    best = int(np.argmax(gains))
    gain, loss = _worth(task, swept, best)
    n = float(table.total)
    called = [np.abs(side - side[best]) for side in (np.asarray(swept.tp), np.asarray(swept.fp))]
    squares = (gain**2 * (called[0] + 1) + loss**2 * (called[1] + 1)) / n
    variance = squares - ((gain * called[0] - loss * called[1]) / n) ** 2
    reach = float(ndtri(0.5 + level / 2)) * np.sqrt(np.maximum(variance, 0.0) / n)
    runs = runs_of(gains >= gains[best] - reach, table, widest=True)
    low, high = min(runs[-1][0], threshold), max(runs[0][1], threshold)
    return Estimate("threshold", threshold, low, high, level, NOT_WORSE, n)


def _worth(task: Task, swept: ConfusionMatrix, best: int) -> tuple[float, float]:
    """What it gains to call a positive, and loses to call a negative, near the best threshold."""
    here = ConfusionMatrix(swept.counts[best], swept.classes)
    moved = matrix_influence(task.criterion.measure, here)
    sign = task.criterion.sign
    return sign * float(moved[1, 1] - moved[1, 0]), sign * float(moved[0, 0] - moved[0, 1])
