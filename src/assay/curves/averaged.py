"""ROC curves of several folds as one: averaged, where pooling would mix scores that do not compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from assay.curves._curve import Drawable
from assay.curves._drawing import Drawing, Floats, Ruler, Trace
from assay.curves.threshold import line, roc
from assay.evidence import ScoreTable
from assay.measures import fpr, ratio, recall
from assay.results import Table

__all__ = ["AveragedRoc", "threshold_average", "vertical_average"]


@dataclass(frozen=True, eq=False, repr=False)
class AveragedRoc(Drawable):
    """The mean of several ROC curves, with the lowest and the highest of them at each point (Fawcett, 2006).

    `threshold` is nan where the mean is taken at equal false-positive rates. Folds share training cases, so their
    spread is no interval.
    """

    fpr: Floats
    recall: Floats
    lowest: Floats
    highest: Floats
    threshold: Floats
    folds: int

    def __repr__(self) -> str:
        return f"<ROC curve averaged over {self.folds:,} folds: {len(self.fpr):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether every fold has a curve."""
        return bool(np.isfinite(self.recall).all())

    def table(self) -> Table:
        """Every point with the range of the folds' recalls."""
        columns = {
            "threshold": self.threshold,
            "fpr": self.fpr,
            "recall": self.recall,
            "lowest": self.lowest,
            "highest": self.highest,
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Averaged ROC curve")

    def drawing(self) -> Drawing:
        """The mean curve over the range of the folds."""
        return Drawing(
            name="averaged_roc",
            title="Averaged ROC curve",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(
                line((0, 0), (1, 1), "chance"),
                Trace(self.fpr, self.highest, "model", "", self.lowest),
                Trace(self.fpr, self.recall),
            ),
            points=len(self.fpr),
            is_square=True,
        )


def vertical_average(folds: Sequence[ScoreTable], points: int = 101) -> AveragedRoc:
    """The mean recall of the folds at each of so many equally spaced false-positive rates.

    >>> fold = ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True])
    >>> vertical_average([fold, fold], points=3).recall.tolist()
    [0.5, 1.0, 1.0]
    """
    at = np.linspace(0.0, 1.0, points)
    curves = [roc(fold) for fold in folds]
    # Where a curve rises straight up, np.interp takes the upper end, as Fawcett does.
    recalls = np.stack([np.interp(at, curve.x, curve.y) for curve in curves])
    return _averaged(np.tile(at, (len(folds), 1)), recalls, np.full(points, np.nan))


def threshold_average(folds: Sequence[ScoreTable]) -> AveragedRoc:
    """The mean of both rates over the folds at each threshold, which only scores on one scale allow.

    >>> fold = ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True])
    >>> threshold_average([fold, fold]).recall.tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    threshold = reduce(add, folds).thresholds()
    rates = np.stack(
        [[_share_from(fold, side, threshold) for side in (fold.negative, fold.positive)] for fold in folds]
    )
    return _averaged(rates[:, 0], rates[:, 1], threshold)


def _share_from(fold: ScoreTable, side: NDArray[np.float64], threshold: Floats) -> Floats:
    above = np.append(np.cumsum(side[::-1])[::-1], 0.0)
    share: Floats = ratio(above[np.searchsorted(fold.score, threshold)], side.sum())
    return share


def _averaged(rates: Floats, recalls: Floats, threshold: Floats) -> AveragedRoc:
    return AveragedRoc(rates.mean(0), recalls.mean(0), recalls.min(0), recalls.max(0), threshold, len(recalls))
