"""ROC curves with what they are read against: hull, lines of equal cost, bands, the perfect and the useless one.

Dominance: does one ROC curve lie above another everywhere, or do they cross?

Classifiers that give labels and no scores: one point each, and families of them as a curve.

The ROC surface of three ordered classes: how many of the middle one are kept apart from the other two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from assay.curves.curve import Drawable, Drawing, Ruler, Spot, Trace, whole
from assay.curves.hull import ROUNDING, Hull
from assay.curves.threshold import fp_fn, line, roc
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable, ordered_table
from assay.measures import balanced_accuracy, find, fpr, ratio, recall, volume_under_surface
from assay.renderers import in_notebook
from assay.request import checked_positive, checked_whole
from assay.results import Estimate, Table
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
        x, y = (_axis_ruler(name, values) for name, values in ((self.x_name, self.x), (self.y_name, self.y)))
        limits = (Trace(self.x[shown], self.high[shown], "model", "", self.low[shown]),) if shown.any() else ()
        return Drawing(
            name=f"{self.y_name}_band",
            title=f"{y.title} with a {self.kind} {100 * self.level:g} % band",
            x=x,
            y=y,
            traces=(*limits, Trace(self.x[known], self.y[known])),
            points=len(self.x),
        )


def _axis_ruler(name: str, values: Floats) -> Ruler:
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
            traces.append(_tangent_line(x, y, self.tangent))
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


def _tangent_line(x: float, y: float, slope: float) -> Trace:
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


@dataclass(frozen=True)
class Dominance:
    """How two ROC curves lie to one another, as drawn: `verdict` is "first", "second", "equal" or "cross".

    A curve that dominates is nowhere below the other, and above it somewhere. `fpr` and `recall` are the points where
    the curves cross. Sampling noise makes curves cross: a band of their difference says whether it means anything.
    """

    verdict: str
    fpr: tuple[float, ...]
    recall: tuple[float, ...]

    _repr_html_ = in_notebook


def dominance(first: ScoreTable, second: ScoreTable) -> Dominance:
    """Whether one ROC curve lies above another everywhere, and where they cross if not.

    >>> good = ScoreTable.of([0.9, 0.8, 0.3, 0.2], [1, 1, 0, 0])
    >>> dominance(good, ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0])).verdict
    'first'
    >>> dominance(ScoreTable.of([4, 3, 2, 1], [1, 0, 0, 1]), ScoreTable.of([4, 3, 2, 1], [0, 1, 1, 0]))
    Dominance(verdict='cross', fpr=(0.5,), recall=(0.5,))
    """
    (along_a, above_a), (along_b, above_b) = _rotated_curve(first), _rotated_curve(second)
    along = _merged_sorted(along_a, along_b)
    gap = np.interp(along, along_a, above_a) - np.interp(along, along_b, above_b)
    gap[np.abs(gap) < ROUNDING] = 0.0
    sign = np.sign(gap)
    if not (sign > 0).any() or not (sign < 0).any():
        verdict = "first" if (sign > 0).any() else "second" if (sign < 0).any() else "equal"
        return Dominance(verdict, (), ())
    at = np.flatnonzero(sign)
    turn = np.flatnonzero(sign[at[1:]] != sign[at[:-1]])
    left, right = at[turn], at[turn + 1]
    # Between the last point on one side and the first on the other: in the middle of where they run together, if so.
    share = np.where(right - left > 1, 0.5, gap[left] / (gap[left] - gap[right]))
    start, end = np.where(right - left > 1, left + 1, left), np.where(right - left > 1, right - 1, right)
    where = along[start] + share * (along[end] - along[start])
    height = np.interp(where, along_a, above_a)
    fpr, recall = (where - height) / 2, (where + height) / 2
    return Dominance("cross", tuple(fpr.tolist()), tuple(recall.tolist()))


def _rotated_curve(table: ScoreTable) -> tuple[Floats, Floats]:
    """The curve turned by 45 degrees, where even its vertical pieces are a function: recall + fpr, recall - fpr."""
    swept = table.swept()
    x, y = swept.fp / table.negatives, swept.tp / table.positives
    return x + y, y - x


def _merged_sorted(a: Floats, b: Floats) -> Floats:
    """Two rising arrays as one."""
    both = np.empty(len(a) + len(b))
    both[np.arange(len(a)) + np.searchsorted(b, a, side="left")] = a
    both[np.arange(len(b)) + np.searchsorted(a, b, side="right")] = b
    return both


@dataclass(frozen=True, eq=False, repr=False)
class RocPoints(Drawable):
    """Where classifiers without scores stand in ROC space, each with the area under the two lines to the corners.

    That area is (recall + specificity) / 2; all points of equal area lie on a line parallel to the diagonal.
    """

    fpr: Mapping[str, Estimate]
    recall: Mapping[str, Estimate]
    area: Mapping[str, Estimate]
    is_family: bool

    def __repr__(self) -> str:
        return f"<ROC points of {len(self.fpr):,} classifiers>"

    @property
    def is_defined(self) -> bool:
        """Whether any of them has a point."""
        return any(np.isfinite([self.fpr[name].value, self.recall[name].value]).all() for name in self.fpr)

    def table(self) -> Table:
        """Each classifier's rates and area, with their intervals.

        >>> matrix = ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)
        >>> print(roc_points({"always wary": matrix}).table())
        classifier      fpr  fpr_low  fpr_high  recall  recall_low  recall_high   area  area_low  area_high
        always wary  0.0144   0.0122    0.0170   0.300       0.251        0.354  0.643     0.618      0.670
        """
        columns: dict[str, list[float | str]] = {"classifier": list(self.fpr)}
        for name, found in (("fpr", self.fpr), ("recall", self.recall), ("area", self.area)):
            columns[name] = [one.value for one in found.values()]
            columns[f"{name}_low"] = [one.low for one in found.values()]
            columns[f"{name}_high"] = [one.high for one in found.values()]
        return Table(columns, title="ROC points")

    def drawing(self) -> Drawing:
        """The points, for each a line of equal area and, for a family, the way from one setting to the next."""
        places = {name: (self.fpr[name].value, self.recall[name].value) for name in self.fpr}
        seen = {name: place for name, place in places.items() if np.isfinite(place).all()}
        equal = [_equal_area_line(self.area[name].value) for name in seen] if not self.is_family else []
        x, y = (np.array([0.0, *(place[k] for place in seen.values()), 1.0]) for k in (0, 1))
        way = (Trace(x, y),) if self.is_family else ()
        return Drawing(
            name="roc_points",
            title="ROC points",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(line((0, 0), (1, 1), "chance"), *equal, *way),
            points=len(seen),
            spots=tuple(Spot(*place, name) for name, place in seen.items()),
            is_square=True,
        )


def _equal_area_line(area: float) -> Trace:
    """All points of this area: recall - fpr = 2 area - 1."""
    lead = 2 * area - 1
    ends = ((0.0, lead), (1 - lead, 1.0)) if lead >= 0 else ((-lead, 0.0), (1.0, 1 + lead))
    return line(*ends, f"area {area:.3f}")


def roc_points(
    classifiers: Mapping[str, ConfusionMatrix], *, is_family: bool = False, level: float = 0.95
) -> RocPoints:
    """The ROC points of classifiers that give labels only.

    A family is one learner at several settings (costs, margins, votes needed), in their order: together they trace a
    curve, as a threshold does. Which settings are worth having, the convex hull says.
    """
    across, up, area = (
        {name: measure.estimate(matrix, level=level) for name, matrix in classifiers.items()}
        for measure in (fpr, recall, balanced_accuracy)
    )
    return RocPoints(across, up, area, is_family)


# The sections that are drawn: the share of the third class that is recognised along each.
SECTIONS = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, eq=False, repr=False)
class RocSurface(Drawable):
    """With two thresholds on one score: `middle[i, j]` of the second class are called so where `first[i]` of the first
    and `last[j]` of the third are.

    Its volume is the chance that one case of each class is put in order; 1/6 by chance.
    """

    first: Floats
    last: Floats
    middle: Floats
    volume: Estimate
    classes: tuple[str, str, str]

    def __repr__(self) -> str:
        return f"<ROC surface of {', '.join(self.classes)}: volume {self.volume}>"

    @property
    def is_defined(self) -> bool:
        """Whether all three classes occur."""
        return bool(np.isfinite(self.middle).all())

    def table(self) -> Table:
        """The share of the second class at every fifth share of the other two."""
        at = np.linspace(0, 1, 6)
        rows = [(u, w) for u in at for w in at]
        columns = {
            f"share of {self.classes[0]}": [u for u, _ in rows],
            f"share of {self.classes[2]}": [w for _, w in rows],
            f"share of {self.classes[1]}": [self.at(u, w) for u, w in rows],
        }
        return Table(columns, title="ROC surface")

    def at(self, first: float, last: float) -> float:
        """The share of the second class that is recognised where these shares of the first and the third are."""
        along = np.array([np.interp(last, self.last, row) for row in self.middle])
        return float(np.interp(first, self.first, along))

    def drawing(self) -> Drawing:
        """Sections through the surface, each where so much of the third class is recognised."""
        sections = [np.array([np.interp(share, self.last, row) for row in self.middle]) for share in SECTIONS]
        traces = [
            Trace(self.first, section, "model" if k == 0 else "faint", f"{share:g} of {self.classes[2]}")
            for k, (share, section) in enumerate(zip(SECTIONS, sections, strict=True))
        ]
        return Drawing(
            name="roc_surface",
            title="ROC surface, in sections",
            x=Ruler(f"Recall of {self.classes[0]}"),
            y=Ruler(f"Recall of {self.classes[1]}"),
            traces=tuple(traces),
            points=self.middle.size,
            is_square=True,
        )


def roc_surface(
    scores: ArrayLike,
    codes: ArrayLike,
    *,
    classes: tuple[str, str, str] = ("first", "second", "third"),
    level: float = 0.95,
    points: int = 51,
) -> RocSurface:
    """The ROC surface of one score that should rise with three classes (codes 0, 1, 2).

    >>> surface = roc_surface([1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2])
    >>> surface.at(0.5, 1.0), surface.volume.value
    (1.0, 0.875)

    References: Mossman (1999); Dreiseitl, Ohno-Machado & Binder (2000).
    """
    volume = volume_under_surface(scores, codes, level=level)
    at = np.linspace(0.0, 1.0, checked_whole(points, "points", least=2))
    code = np.asarray(codes).astype(np.intp)
    counts = ordered_table(np.asarray(scores, dtype=np.float64), code, 3)
    below = np.concatenate((np.zeros((3, 1)), ratio(np.cumsum(counts, -1), counts.sum(-1, keepdims=True))), axis=1)
    # Of equal places the lowest threshold that recognises so many of the first class, the highest for the third.
    lower = np.interp(-at, -below[0][::-1], below[1][::-1])
    upper = np.interp(1 - at, below[2], below[1])
    middle = np.maximum(upper[None, :] - lower[:, None], 0.0)
    return RocSurface(at, at, middle, volume, classes)
