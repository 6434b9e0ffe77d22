"""ROC curves with what they are read against: hull, lines of equal cost, bands, the perfect and the useless one."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from assay.curves._curve import Drawable, whole
from assay.curves._drawing import Drawing, Ruler, Spot, Trace
from assay.curves.hull import Hull
from assay.curves.threshold import fp_fn, line, roc
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import find, fpr, recall
from assay.request import checked_positive
from assay.results import Table
from assay.types import Floats
from assay.uncertainty.curve_bands import Band


@dataclass(frozen=True, eq=False, repr=False)
class DrawnBand(Band, Drawable):
    """Limits around a curve that draw themselves: `.svg()`, `.plot()`."""

    @classmethod
    def of(cls, band: Band) -> DrawnBand:
        """The same band, able to draw itself."""
        return cls(**{each.name: getattr(band, each.name) for each in fields(Band)})

    @property
    def is_defined(self) -> bool:
        """Whether there is a curve."""
        return bool(np.isfinite(self.y).any())

    def drawing(self) -> Drawing:
        """The curve over its band."""
        shown, known = np.isfinite(self.low) & np.isfinite(self.high), np.isfinite(self.y)
        x, y = (_ruler(name, values) for name, values in ((self.x_name, self.x), (self.y_name, self.y)))
        limits = (Trace(self.x[shown], self.high[shown], "model", "", self.low[shown]),) if shown.any() else ()
        return Drawing(
            name=f"{self.y_name}_band",
            title=f"{y.title} with a {self.kind} {100 * self.level:g} % band",
            x=x,
            y=y,
            traces=(*limits, Trace(self.x[known], self.y[known])),
            points=len(self.x),
        )


def _ruler(name: str, values: Floats) -> Ruler:
    try:
        title = find(name).title
    except LookupError:
        title = name.replace("_", " ").capitalize()
    inside = values[np.isfinite(values)]
    is_share = bool(len(inside) and inside.min() >= 0 and inside.max() <= 1)
    return Ruler(title, (0.0, 1.0) if is_share else None)


@dataclass(frozen=True, eq=False, repr=False)
class RocPicture(Drawable):
    """A ROC curve with what was asked for around it; `tangent` is the slope of the lines of equal cost."""

    scores: ScoreTable
    hull: Hull | None = None
    tangent: float | None = None
    band: Band | None = None
    perfect: bool = False
    useless: bool = True

    def __repr__(self) -> str:
        return f"<ROC picture: {len(roc(self.scores)):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether both classes are present."""
        return roc(self.scores).is_defined

    def table(self) -> Table:
        """The points of the curve."""
        return roc(self.scores).table()

    @property
    def touched(self) -> tuple[float, float]:
        """Where the line of equal cost of that slope touches the hull: the cheapest point."""
        if self.tangent is None or self.hull is None:
            raise OptionError("there is no tangent to touch with", "tangent=, the slope of the lines of equal cost")
        best = int(np.argmax(self.hull.recall - self.tangent * self.hull.fpr))
        return float(self.hull.fpr[best]), float(self.hull.recall[best])

    def drawing(self) -> Drawing:
        """The curve and what stands around it."""
        plain, traces, spots = roc(self.scores).drawing(), list[Trace](), list[Spot]()
        if self.useless:
            traces.append(line((0, 0), (1, 1), "useless"))
        if self.perfect:
            traces.append(Trace(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]), "reference", "perfect"))
        if self.band is not None:
            shown = np.isfinite(self.band.low) & np.isfinite(self.band.high)
            if shown.any():
                traces.append(Trace(self.band.x[shown], self.band.high[shown], "model", "", self.band.low[shown]))
        if self.hull is not None:
            traces.append(Trace(self.hull.fpr, self.hull.recall, "faint", "hull"))
        if self.tangent is not None:
            x, y = self.touched
            traces.append(_tangent(x, y, self.tangent))
            spots.append(Spot(x, y, "cheapest"))
        curve = next(trace for trace in plain.traces if trace.role == "model")
        return Drawing(
            name="roc_picture",
            title=plain.title,
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(*traces, curve),
            points=plain.points,
            spots=tuple(spots),
            is_square=True,
        )


def _tangent(x: float, y: float, slope: float) -> Trace:
    """A line through a point as far as the plot reaches."""
    ends = np.array([max(0.0, x - y / slope), min(1.0, x + (1 - y) / slope)])
    return Trace(ends, y + slope * (ends - x), "mark", f"slope {slope:.3g}")


@dataclass(frozen=True, eq=False, repr=False)
class ErrorsPicture(Drawable):
    """False positives against false negatives, and the line of equal cost that touches the curve: its slope is -ratio.

    `ratio` is how many false positives a false negative is worth. The cheapest threshold is where the line touches.
    """

    scores: ScoreTable
    ratio: float

    def __repr__(self) -> str:
        negatives, positives, threshold = self.touched
        where = f"{negatives:g} false negatives, {positives:g} false positives from {threshold:.6g}"
        return f"<False positives against false negatives: slope {-self.ratio:g} touches at {where}>"

    @property
    def is_defined(self) -> bool:
        """Whether both classes are present."""
        return fp_fn(self.scores).is_defined

    @property
    def touched(self) -> tuple[float, float, float]:
        """Return the false negatives, the false positives and the threshold of the cheapest point."""
        curve = fp_fn(self.scores)
        best = int(np.argmin(curve.x + self.ratio * curve.y))
        return float(curve.y[best]), float(curve.x[best]), float(curve.threshold[best])

    def table(self) -> Table:
        """Every threshold with both numbers of errors and what they cost together, in false positives."""
        curve = fp_fn(self.scores)
        cost = (curve.x + self.ratio * curve.y).tolist()
        columns = {"threshold": curve.threshold.tolist(), "FN": whole(curve.y), "FP": whole(curve.x)}
        return Table({**columns, "cost": cost}, title="False positives against false negatives")

    def drawing(self) -> Drawing:
        """The curve, and the tangent as far as both axes reach."""
        curve, (x, y, _) = fp_fn(self.scores), self.touched
        most, top = float(curve.y.max()) or 1.0, float(curve.x.max()) or 1.0
        ends = np.array([max(0.0, x - (top - y) / self.ratio), min(most, x + y / self.ratio)])
        tangent = Trace(ends, y - self.ratio * (ends - x), "mark", f"slope {-self.ratio:.3g}")
        return Drawing(
            name="errors_picture",
            title="False positives against false negatives",
            x=Ruler("False negatives", (0.0, most)),
            y=Ruler("False positives", (0.0, top)),
            traces=(tangent, Trace(curve.y, curve.x)),
            points=len(curve),
            spots=(Spot(x, y, "cheapest"),),
        )


def errors_picture(table: ScoreTable, ratio: float) -> ErrorsPicture:
    """Return false positives against false negatives with the tangent of slope -ratio.

    >>> errors_picture(ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True]), 2)
    <False positives against false negatives: slope -2 touches at 0 false negatives, 1 false positives from 0.3>
    """
    return ErrorsPicture(table, checked_positive(ratio, "ratio"))


def roc_picture(
    table: ScoreTable,
    hull: Hull,
    *,
    tangent: float | None = None,
    band: Band | None = None,
    show_hull: bool = True,
    perfect: bool = False,
    useless: bool = True,
) -> RocPicture:
    """A ROC curve with its hull, the tangent of a slope, a band, and the perfect and the useless classifier.

    >>> from assay.curves import roc_hull
    >>> table = ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True])
    >>> roc_picture(table, roc_hull(table), tangent=1.0).touched
    (0.0, 0.5)
    """
    if tangent is not None:
        checked_positive(tangent, "tangent")
    return RocPicture(table, hull if show_hull or tangent is not None else None, tangent, band, perfect, useless)
