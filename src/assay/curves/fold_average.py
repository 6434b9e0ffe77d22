"""ROC curves of several folds as one: averaged, where pooling would mix scores that do not compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from assay.curves.curve import Drawable, Drawing, Ruler, Trace
from assay.curves.threshold import line, roc, share_from
from assay.evidence import ScoreTable
from assay.measures import fpr, recall
from assay.request import checked_choice
from assay.results import Table
from assay.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class AveragedRoc(Drawable):
    """The mean of several ROC curves (Fawcett, 2006); `recalls[i]` are those of fold i at each point.

    `threshold` is nan where the mean is taken at equal false-positive rates. Folds share training cases, so their
    spread, `lowest` to `highest`, is no interval. `band` are limits of the mean curve, point by point and not for all
    points together, nan where none holds; whoever knows how the folds were made adds it, or says in `no_band` why not.
    """

    fpr: Floats
    recalls: Floats
    threshold: Floats
    band: tuple[Floats, Floats] | None = None
    level: float = math.nan
    method: str = ""
    no_band: str = ""

    def __repr__(self) -> str:
        return f"<ROC curve averaged over {self.folds:,} folds: {len(self.fpr):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether every fold has a curve."""
        return bool(np.isfinite(self.recalls).all())

    @property
    def folds(self) -> int:
        """How many curves there are."""
        return len(self.recalls)

    @property
    def recall(self) -> Floats:
        """The mean recall of the folds at each point."""
        return np.asarray(self.recalls.mean(0))

    @property
    def lowest(self) -> Floats:
        """The lowest recall of a fold at each point."""
        return np.asarray(self.recalls.min(0))

    @property
    def highest(self) -> Floats:
        """The highest recall of a fold at each point."""
        return np.asarray(self.recalls.max(0))

    def table(self) -> Table:
        """Every point with the range of the folds' recalls and, where there is one, the band of their mean."""
        columns = {
            "threshold": self.threshold,
            "fpr": self.fpr,
            "recall": self.recall,
            "lowest": self.lowest,
            "highest": self.highest,
        } | ({} if self.band is None else {"low": self.band[0], "high": self.band[1]})
        limits = "" if self.band is None else f", {100 * self.level:g} % limits of each point by itself"
        title = f"ROC curve averaged over {self.folds:,} folds{limits}"
        return Table({name: values.tolist() for name, values in columns.items()}, title=title)

    def drawing(self) -> Drawing:
        """The mean curve over its band, or where there is none over the range of the folds."""
        low, high = (self.lowest, self.highest) if self.band is None else self.band
        shown = np.isfinite(low)
        return Drawing(
            name="averaged_roc",
            title="Averaged ROC curve",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(
                line((0, 0), (1, 1), "chance"),
                *((Trace(self.fpr[shown], high[shown], "model", "", low[shown]),) if shown.any() else ()),
                Trace(self.fpr, self.recall),
            ),
            points=len(self.fpr),
            is_square=True,
        )


def vertical_average(folds: Sequence[ScoreTable], points: int = 101, *, ties: str | None = None) -> AveragedRoc:
    """The mean recall of the folds at each of so many equally spaced false-positive rates.

    Each curve is read as it runs. With `ties` "max" or "mean" the points of equal rate are first put together into
    their highest or their mean recall and joined by straight lines, which lie above the curve: "mean" is ROCR's way.

    >>> fold = ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True])
    >>> vertical_average([fold, fold], points=3).recall.tolist()
    [0.5, 1.0, 1.0]
    """
    at = np.linspace(0.0, 1.0, points)
    curves = [roc(fold) for fold in folds]
    # Where a curve rises straight up, np.interp takes the upper end, as Fawcett does.
    recalls = np.stack([np.interp(at, *_merged_curve(curve.x, curve.y, ties, "max")) for curve in curves])
    return AveragedRoc(at, recalls, np.full(points, np.nan))


@dataclass(frozen=True, eq=False, repr=False)
class HorizontalRoc(Drawable):
    """The mean of several ROC curves taken at equal recalls; `rates[i]` are the false-positive rates of fold i there.

    It says how many false alarms a wanted recall costs. Folds share training cases, so their spread, `lowest` to
    `highest`, is no interval, and none was simulated for this mean.
    """

    recall: Floats
    rates: Floats

    def __repr__(self) -> str:
        return f"<ROC curve averaged at equal recalls over {len(self.rates):,} folds: {len(self.recall):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether every fold has a curve."""
        return bool(np.isfinite(self.rates).all())

    @property
    def fpr(self) -> Floats:
        """The mean false-positive rate of the folds at each point."""
        return np.asarray(self.rates.mean(0))

    @property
    def lowest(self) -> Floats:
        """The lowest false-positive rate of a fold at each point."""
        return np.asarray(self.rates.min(0))

    @property
    def highest(self) -> Floats:
        """The highest false-positive rate of a fold at each point."""
        return np.asarray(self.rates.max(0))

    def table(self) -> Table:
        """Every recall with the mean and the range of the folds' false-positive rates."""
        columns = {"recall": self.recall, "fpr": self.fpr, "lowest": self.lowest, "highest": self.highest}
        title = f"ROC curve averaged at equal recalls over {len(self.rates):,} folds"
        return Table({name: values.tolist() for name, values in columns.items()}, title=title)

    def drawing(self) -> Drawing:
        """The mean curve between the folds' lowest and highest rates."""
        return Drawing(
            name="horizontal_roc",
            title="ROC curve averaged at equal recalls",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(
                line((0, 0), (1, 1), "chance"),
                *(Trace(side, self.recall, "faint") for side in (self.lowest, self.highest)),
                Trace(self.fpr, self.recall),
            ),
            points=len(self.recall),
            is_square=True,
        )


def _merged_curve(x: Floats, y: Floats, ties: str | None, end: str) -> tuple[Floats, Floats]:
    """A curve with one point for each x: an end or the mean of those there are; as it is where nobody asked for that.

    >>> _merged_curve(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), "mean", "max")
    (array([0., 1.]), array([0.25, 1.  ]))
    """
    if ties is None:
        return x, y
    first = np.flatnonzero(np.append(True, np.diff(x) != 0))
    if checked_choice(ties, (end, "mean"), "ties") == "mean":
        return x[first], np.add.reduceat(y, first) / np.diff(np.append(first, len(x)))
    return x[first], (np.maximum if end == "max" else np.minimum).reduceat(y, first)


def horizontal_average(folds: Sequence[ScoreTable], points: int = 101, *, ties: str | None = None) -> HorizontalRoc:
    """The mean false-positive rate of the folds at each of so many equally spaced recalls.

    Each curve is read as it runs; with `ties` "min" or "mean" points of equal recall are first put together, as in
    `vertical_average`.

    >>> fold = ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True])
    >>> horizontal_average([fold, fold], points=3).fpr.tolist()
    [0.0, 0.0, 0.5]
    """
    at = np.linspace(0.0, 1.0, points)
    curves = [roc(fold) for fold in folds]
    # Read from the end, so that where a curve runs level the left end is taken: fewer alarms reach that recall.
    turned = [(-curve.y[::-1], curve.x[::-1]) for curve in curves]
    rates = np.stack([np.interp(-at, *_merged_curve(*one, ties, "min")) for one in turned])
    return HorizontalRoc(at, rates)


def threshold_average(folds: Sequence[ScoreTable]) -> AveragedRoc:
    """The mean of both rates over the folds at each threshold, which only scores on one scale allow.

    >>> fold = ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True])
    >>> threshold_average([fold, fold]).recall.tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    threshold = reduce(add, folds).thresholds()
    rates = np.stack([[share_from(fold, side, threshold) for side in (fold.negative, fold.positive)] for fold in folds])
    return AveragedRoc(rates[:, 0].mean(0), rates[:, 1], threshold)
