"""The ROC convex hull: which classifier, at which threshold, is the best one under which costs and prevalence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.costs import Costs
from assay.curves.curve import Drawable, Drawing, Ruler, Spot, Trace, need_between
from assay.curves.threshold import line
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable, joint_hull
from assay.measures import fpr, recall
from assay.renderers import in_notebook
from assay.request import checked_between, checked_numbers
from assay.results import Table
from assay.text import number
from assay.types import Floats

Classifier = ScoreTable | ConfusionMatrix

# Sums of weights that are not counts, and rates of samples of different size, are only equal up to rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Owner:
    """What reaches a point of the hull: a classifier, and the lowest score it calls positive there.

    A classifier that only gave labels has no threshold (nan); those of calling nobody and everybody positive are
    infinite.
    """

    classifier: str
    threshold: float = float("nan")

    def __str__(self) -> str:
        if not np.isfinite(self.threshold):
            return self.classifier
        return " ".join(part for part in (self.classifier, f"from {self.threshold:.6g}") if part)


NOBODY, EVERYBODY = Owner("nobody positive", np.inf), Owner("everybody positive", -np.inf)


@dataclass(frozen=True, slots=True)
class Mixture:
    """How to reach a point of the hull between two of its corners: use the second one for a random `share` of cases."""

    fpr: float
    recall: float
    first: Owner
    second: Owner
    share: float

    _repr_html_ = in_notebook

    def __str__(self) -> str:
        if self.share == 0:
            return f"always {self.first}"
        return f"{self.second} for a random {100 * self.share:.3g} % of cases, {self.first} for the others"


@dataclass(frozen=True, eq=False, repr=False)
class Tangents:
    """Where lines of equal cost touch the hull: the best corner for each cost ratio and prevalence.

    `ratio` is how many false alarms a miss is worth, `slope` the slope of the line, `corner` a position among the
    hull's corners, `cost` what a case costs on average, in false alarms.
    """

    hull: Hull
    ratio: Floats
    prevalence: Floats
    slope: Floats
    corner: NDArray[np.intp]
    cost: Floats

    _repr_html_ = in_notebook

    def table(self) -> Table:
        """A row for each cost ratio and prevalence."""
        corner = self.corner.ravel()
        return Table(
            {
                "miss/false alarm": self.ratio.ravel().tolist(),
                "prevalence": self.prevalence.ravel().tolist(),
                "best": [self.hull.words(int(i)) for i in corner],
                "threshold": [self.hull.owners[i][0].threshold for i in corner],
                "fpr": self.hull.fpr[corner].tolist(),
                "recall": self.hull.recall[corner].tolist(),
                "cost": self.cost.ravel().tolist(),
            },
            title="Best operating point by costs",
        )

    def __repr__(self) -> str:
        return str(self.table())


@dataclass(frozen=True, eq=False, repr=False)
class Hull(Drawable):
    """The corners of the ROC convex hull, from calling nobody positive to calling everybody positive.

    Corner i, at (fpr[i], recall[i]), is the cheapest operating point there is while the slope of lines of equal cost,
    (1 - prevalence) / (prevalence * ratio), is at least `slope_low[i]` and below `slope_high[i]`. Where two classifiers
    reach the same corner both own it. Found on the cases it is drawn from, a hull is optimistic: build it on others.

    References: Provost & Fawcett (2001); Fawcett & Niculescu-Mizil (2007).
    """

    fpr: Floats
    recall: Floats
    owners: tuple[tuple[Owner, ...], ...]
    prevalence: float
    never_optimal: tuple[str, ...]

    _repr_html_ = in_notebook

    def __len__(self) -> int:
        return len(self.fpr)

    def __repr__(self) -> str:
        return f"<ROC hull: {len(self):,} corners, area {number(self.area)}>"

    @property
    def is_defined(self) -> bool:
        """Whether it has corners: where truth holds one class there is no hull to make."""
        return len(self) > 0

    def drawing(self) -> Drawing:
        """The hull above the diagonal of chance."""
        return Drawing(
            name="roc_hull",
            title="ROC convex hull",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(line((0, 0), (1, 1), "chance"), Trace(self.fpr, self.recall)),
            points=len(self),
            is_square=True,
        )

    @property
    def area(self) -> float:
        """The area under the hull: at least the area under any of the curves below it."""
        return float(np.diff(self.fpr) @ (self.recall[1:] + self.recall[:-1]) / 2)

    @property
    def slopes(self) -> Floats:
        """The slope of each side, falling; on one classifier's side it is the likelihood ratio of a score there."""
        run, rise = np.diff(self.fpr), np.diff(self.recall)
        return np.asarray(np.divide(rise, run, out=np.full(len(run), np.inf), where=run > 0))

    @property
    def slope_low(self) -> Floats:
        """For each corner, the smallest slope of lines of equal cost it is best for."""
        return np.append(self.slopes, 0.0)

    @property
    def slope_high(self) -> Floats:
        """For each corner, the slope from which on another corner is better."""
        return np.append(np.inf, self.slopes)

    def words(self, corner: int) -> str:
        """Who reaches a corner, as text."""
        return " or ".join(map(str, self.owners[corner]))

    def _share(self, prevalence: float | None) -> float:
        """The share of positives asked for, or that of the data."""
        return self.prevalence if prevalence is None else checked_between(prevalence, "prevalence", closed=True)

    def table(self, prevalence: float | None = None, ratio: float = 1.0) -> Table:
        """Each corner with the costs and the prevalence it is best for.

        A corner is the cheapest while a miss costs from `ratio_low` to `ratio_high` false alarms at this prevalence
        (the data's, where none is given), and while the prevalence lies between its two bounds at this cost `ratio`.

        >>> print(roc_hull(ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0])).table())
        best                  fpr  recall  slope_low  slope_high  ratio_low  ratio_high  prevalence_low  prevalence_high
        nobody positive     0.000   0.000        inf         inf      0.000       0.000           0.000            0.000
        from 0.9            0.000   0.500      1.000         inf      0.000       1.000           0.000            0.500
        from 0.4            0.500   1.000      0.000       1.000      1.000         inf           0.500            1.000
        everybody positive  1.000   1.000      0.000       0.000        inf         inf           1.000            1.000
        """
        odds = _negatives_per_positive(self._share(prevalence))
        low, high = self.slope_low, self.slope_high
        with np.errstate(divide="ignore"):
            columns = {
                "fpr": self.fpr,
                "recall": self.recall,
                "slope_low": low,
                "slope_high": high,
                "ratio_low": np.divide(odds, high),
                "ratio_high": np.divide(odds, low),
                "prevalence_low": 1 / (1 + high * ratio),
                "prevalence_high": 1 / (1 + low * ratio),
            }
        best = [self.words(i) for i in range(len(self))]
        return Table({"best": best, **{k: v.tolist() for k, v in columns.items()}}, title="ROC convex hull")

    def sentences(self, prevalence: float | None = None) -> list[str]:
        """The table in words: each corner that some cost ratio makes the best, from dear misses to dear false alarms.

        >>> hull = roc_hull(ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0]))
        >>> print(*hull.sentences(), sep="\\n")
        from 0.4: optimal while a miss costs at least 1 false alarm, at prevalence 0.5
        from 0.9: optimal while a miss costs at most 1 false alarm, at prevalence 0.5
        """
        at = self._share(prevalence)
        table = self.table(at).columns
        rows = zip(table["best"], table["ratio_low"], table["ratio_high"], strict=True)
        told = [
            f"{best}: optimal while a miss costs {_range_words(low, high)}" for best, low, high in rows if low < high
        ]
        return [f"{sentence}, at prevalence {at:g}" for sentence in reversed(told)]

    def at(self, ratio: ArrayLike, prevalence: ArrayLike | None = None) -> Tangents:
        """The best corner where a miss is worth `ratio` false alarms; any number of ratios and prevalences at once.

        Where a whole side is best, the corner that calls fewer cases positive is taken.

        >>> hull = roc_hull(ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0]))
        >>> hull.at([0.5, 2.0]).cost
        array([0.125, 0.25 ])
        """
        at = self.prevalence if prevalence is None else prevalence
        each, share = np.broadcast_arrays(checked_numbers(ratio, "ratio"), checked_numbers(at, "prevalence"))
        need_between(share, "prevalence")
        with np.errstate(divide="ignore"):
            slope = np.divide(1 - share, share * each)
        # A slope that is a side's but for rounding is that side's.
        corner = np.searchsorted(-self.slopes, -slope * (1 + ROUNDING), side="left")
        cost = (1 - share) * self.fpr[corner] + share * each * (1 - self.recall[corner])
        return Tangents(self, each, share, slope, corner, cost)

    def mix(self, *, fpr: float | None = None, recall: float | None = None) -> Mixture:
        """How to reach the hull's point at a false-positive rate, or at a recall, by chance between two corners.

        >>> hull = roc_hull(ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0]))
        >>> print(hull.mix(fpr=0.25))
        from 0.4 for a random 50 % of cases, from 0.9 for the others
        """
        wanted = fpr if recall is None else recall
        if (fpr is None) == (recall is None) or wanted is None:
            found = "neither fpr nor recall is given" if wanted is None else "both fpr and recall are given"
            raise OptionError(found, "one of them")
        checked_between(wanted, "fpr" if recall is None else "recall", closed=True)
        last = len(self) - 1
        if fpr is not None:
            first = int(np.searchsorted(self.fpr, fpr, side="right")) - 1
            second, along = min(first + 1, last), self.fpr
        else:
            second = int(np.searchsorted(self.recall, wanted, side="left"))
            first, along = max(second - 1, 0), self.recall
        length = along[second] - along[first]
        share = float((wanted - along[first]) / length) if length > 0 else 0.0
        if share == 1:
            first, share = second, 0.0
        x, y = (float((1 - share) * axis[first] + share * axis[second]) for axis in (self.fpr, self.recall))
        return Mixture(x, y, self.owners[first][0], self.owners[second][0], share)

    def likelihood_ratios(self) -> Table:
        """For each side, the scores it stands for and how many times likelier they are for a positive.

        They are pooled until they rise with the score, as isotonic calibration pools them. The pools were found by
        looking at these cases, so there is no interval.
        """
        thresholds = [some[0].threshold for some in self.owners]
        return Table(
            {
                "score_from": thresholds[1:],
                "score_below": thresholds[:-1],
                "share_of_negatives": np.diff(self.fpr).tolist(),
                "share_of_positives": np.diff(self.recall).tolist(),
                "likelihood_ratio": self.slopes.tolist(),
            },
            title="Likelihood ratio by score",
        )

    def scaled(self, costs: Costs, prevalence: float | None = None) -> Table:
        """The corners on Hilden's axes: costs of false alarms and costs saved by finding positives, a case.

        There lines of equal cost rise at 45 degrees, whatever the costs, so the best corner is the one furthest above
        the diagonal: `scaled_picture` draws it.
        """
        return self.scaled_picture(costs, prevalence).table()

    def scaled_picture(self, costs: Costs, prevalence: float | None = None) -> ScaledHull:
        """The picture of the corners on Hilden's axes, with the line of equal cost that touches the best one.

        >>> hull = roc_hull(ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0]))
        >>> hull.scaled_picture(Costs(fp=1, fn=3))
        <ROC hull on axes scaled by costs: best from 0.4, net 1.250>
        """
        share = self._share(prevalence if prevalence is not None else costs.positive_share)
        false_alarm, miss = costs.regret
        paid, saved = (1 - share) * false_alarm * self.fpr, share * miss * self.recall
        return ScaledHull(paid, saved, tuple(self.words(i) for i in range(len(self))))


@dataclass(frozen=True, eq=False, repr=False)
class ScaledHull(Drawable):
    """The corners of a ROC hull on Hilden's axes: costs of false positives, and costs saved by true positives, a case.

    Lines of equal cost rise at 45 degrees, whatever the costs; the best corner is the one furthest above the diagonal,
    and below the diagonal nothing is gained over calling nobody positive. References: Hilden (1991).
    """

    paid: Floats
    saved: Floats
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<ROC hull on axes scaled by costs: best {self.names[self.best]}, net {number(self.net[self.best])}>"

    def __len__(self) -> int:
        return len(self.paid)

    @property
    def is_defined(self) -> bool:
        """Whether it has corners."""
        return len(self) > 0

    @property
    def net(self) -> Floats:
        """What each corner saves over calling nobody positive, a case."""
        return self.saved - self.paid

    @property
    def best(self) -> int:
        """The place of the corner that saves most."""
        return int(np.argmax(self.net))

    def table(self) -> Table:
        """A row for each corner: what it costs, what it saves, and the net of both."""
        columns = {"paid": self.paid.tolist(), "saved": self.saved.tolist(), "net": self.net.tolist()}
        return Table({"best": list(self.names), **columns}, title="ROC hull on axes scaled by costs")

    def drawing(self) -> Drawing:
        """The hull, the diagonal on which nothing is gained, and the line of equal cost through the best corner."""
        top = float(max(self.paid.max(), self.saved.max())) or 1.0
        net, x = float(self.net[self.best]), float(self.paid[self.best])
        tangent = Trace(np.array([0.0, top - net]), np.array([net, top]), "mark", "equal cost")
        return Drawing(
            name="scaled_hull",
            title="ROC convex hull on axes scaled by costs",
            x=Ruler("Costs of false positives per case", (0.0, top)),
            y=Ruler("Costs saved by true positives per case", (0.0, top)),
            traces=(line((0, 0), (top, top), "nothing gained"), tangent, Trace(self.paid, self.saved)),
            points=len(self),
            spots=(Spot(x, x + net, self.names[self.best]),),
            is_square=True,
        )


def roc_hull(classifiers: Classifier | Mapping[str, Classifier]) -> Hull:
    """The hull of one classifier's ROC curve, or of many classifiers' curves and (for labels alone) points.

    >>> hull = roc_hull({"a": ConfusionMatrix.binary(tp=8, fn=2, fp=1, tn=9),
    ...                  "b": ConfusionMatrix.binary(tp=7, fn=3, fp=2, tn=8)})
    >>> hull, hull.never_optimal
    (<ROC hull: 3 corners, area 0.850>, ('b',))
    """
    if isinstance(classifiers, ScoreTable):
        if "ROC hull" not in classifiers.cache:
            classifiers.cache["ROC hull"] = _joint_hull({"": classifiers})
        own: Hull = classifiers.cache["ROC hull"]
        return own
    return _joint_hull(classifiers if isinstance(classifiers, Mapping) else {"": classifiers})


def _joint_hull(named: Mapping[str, Classifier]) -> Hull:
    sizes = [(float(one.negatives), float(one.positives)) for one in named.values()]
    if not all(n0 > 0 and n1 > 0 for n0, n1 in sizes):
        raise OptionError("all true labels are of one class", "both classes, for a ROC curve and its hull")
    # In counts where all saw equally many cases, because counts are exact; else in rates.
    unit = sizes[0] if len(set(sizes)) == 1 else (1.0, 1.0)
    x, y, owners = _joined_points([_classifier_points(name, one, unit) for name, one in named.items()])
    exact = unit == sizes[0] and not any(map(_is_weighted, named.values()))
    corners = joint_hull(x, y, 0.0 if exact else ROUNDING)
    # Of owners that stand for calling nobody or everybody positive one is enough.
    held = [tuple(dict.fromkeys(owners[i] for i in np.flatnonzero((x == x[c]) & (y == y[c])))) for c in corners]
    optimal = {owner.classifier for some in held for owner in some}
    never = tuple(name for name in named if name and name not in optimal)
    positives, total = sum(n1 for _, n1 in sizes), sum(n0 + n1 for n0, n1 in sizes)
    return Hull(x[corners] / unit[0], y[corners] / unit[1], tuple(held), positives / total, never)


def _is_weighted(evidence: Classifier) -> bool:
    return evidence.is_weighted if isinstance(evidence, ScoreTable) else evidence.squares is not None


def _classifier_points(
    name: str, evidence: Classifier, unit: tuple[float, float]
) -> tuple[Floats, Floats, list[Owner]]:
    """The points a classifier offers to a hull, in `unit` of both axes: corners of its own hull, or its one point."""
    scale = unit[0] / float(evidence.negatives), unit[1] / float(evidence.positives)
    if isinstance(evidence, ConfusionMatrix):
        x, y = (
            np.array([0.0, float(evidence.fp), float(evidence.negatives)]),
            np.array([0.0, float(evidence.tp), float(evidence.positives)]),
        )
        return x * scale[0], y * scale[1], [NOBODY, Owner(name), EVERYBODY]
    swept, corners = evidence.swept(), evidence.hull_corners
    thresholds = evidence.thresholds()[corners[1:-1]].tolist()
    owners = [NOBODY, *(Owner(name, threshold) for threshold in thresholds), EVERYBODY]
    return swept.fp[corners] * scale[0], swept.tp[corners] * scale[1], owners


def _joined_points(parts: list[tuple[Floats, Floats, list[Owner]]]) -> tuple[Floats, Floats, list[Owner]]:
    x, y = (np.concatenate([part[axis] for part in parts]) for axis in (0, 1))
    return x, y, [owner for part in parts for owner in part[2]]


def _negatives_per_positive(share: float) -> float:
    """How many negatives there are for a positive."""
    return np.inf if share == 0 else (1 - share) / share


def _range_words(low: float, high: float) -> str:
    if high == np.inf:
        return f"at least {_false_positive_words(low)}" if low > 0 else "anything"
    return (
        f"at most {_false_positive_words(high)}" if low == 0 else f"between {low:.4g} and {_false_positive_words(high)}"
    )


def _false_positive_words(number: float) -> str:
    return "1 false alarm" if number == 1 else f"{number:.4g} false alarms"
