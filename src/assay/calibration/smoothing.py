"""A smooth calibration curve, and how far the probabilities lie from it.

The default is a restricted cubic spline of the probability's logit, fitted by logistic regression: a curve with few
coefficients, so that it has a covariance and a band. Lowess is what rms's val.prob draws; it has neither.

Cleveland's (1979) locally weighted line, without robustness passes, as R's `lowess(iter = 0)` computes it.

A curve of what happened against what was promised, with its limits, over the diagonal of right probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import chdtri, expit, fdtri, logit, stdtrit

from assay.calibration.groups import of_the_middle
from assay.calibration.isotonic import Mass, equal_mass
from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.curves.threshold import line
from assay.evidence import ScoreTable
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Table, counted
from assay.types import Floats
from assay.uncertainty.logistic import fit_logistic

# The share of cases in a window, and how far apart (as a share of the range) lines are fitted; R's own choices.
SPAN = 2 / 3
APART = 0.01


def lowess(x: Floats, y: Floats, cases: Floats) -> Floats:
    """The local line's value at each of the increasing x, where `cases` cases have the mean outcome y.

    Lines are fitted at points at least a hundredth of the range apart, and joined by straight lines.

    >>> lowess(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 3.0]), np.ones(4)).round(6)
    array([0., 1., 2., 3.])
    """
    edges = np.cumsum(cases)
    window = min(max(int(SPAN * edges[-1] + 1e-7), 2), int(edges[-1]))
    at, left = 0, 0
    places: list[int] = []
    values: list[float] = []
    while True:
        left = _moved_window(x, edges, at, left, window)
        value = _local_line_at(x, y, cases, edges, float(x[at]), left, window)
        places.append(at)
        values.append(y[at] if math.isnan(value) else value)
        if at == len(x) - 1:
            return np.interp(x, x[places], values)
        reached = int(np.searchsorted(x, x[at] + APART * (x[-1] - x[0]), side="right"))
        at = max(at + 1, reached - 1)


def _moved_window(x: Floats, edges: Floats, at: int, left: int, window: int) -> int:
    """The first case of the window about x[at]: it moves right while the case beyond its end is nearer than its first.

    Cases are counted one by one: equal scores move the window as many times as there are of them.
    """
    total = int(edges[-1])
    while left + window < total:
        first, beyond = (int(np.searchsorted(edges, case, side="right")) for case in (left, left + window))
        if x[at] - x[first] <= x[beyond] - x[at]:
            break
        # Every case at the first score is as far away, and every one at the score beyond the end as near.
        left += min(int(edges[first]) - left, int(edges[beyond]) - (left + window))
    return left


def _local_line_at(x: Floats, y: Floats, cases: Floats, edges: Floats, where: float, left: int, window: int) -> float:
    """A line through the window's cases, weighted by how near they are; nan where no case is near."""
    first, last = (int(np.searchsorted(edges, case, side="right")) for case in (left, left + window - 1))
    width = max(where - x[first], x[last] - where)
    distance = np.abs(x[first:] - where)
    # Beyond .999 of the width nothing counts, within .001 everything counts in full: R's guard against rounding.
    share = np.minimum(distance, width) / (width or 1.0)
    nearness = np.where(distance <= 0.001 * width, 1.0, (1 - share**3) ** 3)
    weight = np.where(distance <= 0.999 * width, nearness, 0.0) * cases[first:]
    weight[0] *= (edges[first] - left) / cases[first]
    if not weight.sum() > 0:
        return math.nan
    weight /= weight.sum()
    centre = float(weight @ x[first:])
    spread = float(weight @ (x[first:] - centre) ** 2)
    if math.sqrt(spread) > 0.001 * (x[-1] - x[0]):
        weight *= 1 + (where - centre) / spread * (x[first:] - centre)
    return float(weight @ y[first:])


def over_diagonal(name: str, title: str, score: Floats, rate: Floats, low: Floats, high: Floats) -> Drawing:
    """What there is to draw; limits only where there are some everywhere."""
    has_limits = bool(np.isfinite(low).all() and np.isfinite(high).all())
    return Drawing(
        name=name,
        title=title,
        x=Ruler("Probability"),
        y=Ruler("Share of positives"),
        traces=(
            line((0, 0), (1, 1), "right"),
            *((Trace(score, high, "model", "", low),) if has_limits else ()),
            Trace(score, rate),
        ),
        points=len(score),
        is_square=True,
    )


# More cells than this do not move the curve visibly.
MOST_CELLS = 1024
MOST_CELLS_LOWESS = 4096
# Probabilities nearer than this to 0 or 1 have no usable logit.
CLIP = 1e-12
# The smaller class needs this many cases for each coefficient of the curve.
CASES_A_KNOT = 10
# Harrell's places for three, four and five knots, as quantiles of the logits.
KNOTS = {3: (0.1, 0.5, 0.9), 4: (0.05, 0.35, 0.65, 0.95), 5: (0.05, 0.275, 0.5, 0.725, 0.95)}
# Below this many cases in a class no band was seen to hold.
FEWEST = 30
FEWEST_CLUSTERS = 10

ONE_CLASS = "all true labels are of one class, so there is no curve to fit"
ONE_SCORE = "every case has the same probability, so there is no curve to fit"
NO_BAND = "lowess has no standard error here; smooth_curve(table) has a band"


@dataclass(frozen=True, eq=False, repr=False)
class SmoothCurve(Drawable):
    """How often the event happens at each probability, as a smooth curve with a band, and how far they are apart.

    `ici` is the mean distance of probability and curve over all cases (integrated calibration index), `e50` and `e90`
    the median and the distance that one case in ten exceeds, `emax` the largest. All are above 0 by chance alone.
    """

    score: Floats
    rate: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    is_simultaneous: bool
    ici: Estimate
    e50: Estimate
    e90: Estimate
    emax: Estimate
    # Cases whose probability was moved off 0 or 1, where the logit is infinite.
    clipped: float
    n: float
    undefined: str | None = None

    def __repr__(self) -> str:
        return f"<smooth calibration curve: {self.method}; mean distance {self.ici.value:.3g}>"

    def table(self) -> Table:
        """The curve and its band at every score it was fitted at."""
        columns = {"score": self.score, "rate": self.rate, "low": self.low, "high": self.high}
        return Table({name: values.tolist() for name, values in columns.items()}, title="Smooth calibration curve")

    @property
    def is_defined(self) -> bool:
        """Whether a curve could be fitted."""
        return bool(np.isfinite(self.rate).any())

    def drawing(self) -> Drawing:
        """The curve over the diagonal of right probabilities, with its band where it has one."""
        curve = self.score, self.rate, self.low, self.high
        return over_diagonal("smooth_calibration", "Smooth calibration curve", *curve)


class _Fitted(NamedTuple):
    """A curve at its cells and the limits about it; nan where `undefined` says why, for the curve or the band alone."""

    rate: Floats
    low: Floats
    high: Floats
    method: str
    undefined: str | None = None
    # The mean distance that calibrated probabilities of this many cases would show; nan if not worked out.
    by_chance: float = math.nan


def smooth_curve(
    table: ScoreTable,
    *,
    smoother: Literal["spline", "lowess"] = "spline",
    level: float = 0.95,
    simultaneous: bool = True,
) -> SmoothCurve:
    """How often the event happens at each probability, smoothed, with the mean and largest distance from it.

    Weights and clusters enter the spline's covariance. Its band knows the spread of the coefficients and not what a
    curve of this few coefficients cannot follow.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(3000)
    >>> curve = smooth_curve(ScoreTable.of(p, rng.random(3000) < p**2))
    >>> curve
    <smooth calibration curve: spline with 5 knots, 1024 equal-mass cells; mean distance 0.172>
    >>> curve.ici.undefined
    'it is never below 0: calibrated probabilities of this many cases show 0.012 on average'

    References: Austin & Steyerberg (2019); Harrell (2015).
    """
    level = checked_level(level)
    checked_choice(smoother, ("spline", "lowess"), "smoother")
    if smoother == "lowess":
        cells = equal_mass(table, MOST_CELLS_LOWESS)
        fitted = _lowess_curve(table, cells)
    else:
        cells = equal_mass(table, MOST_CELLS)
        fitted = _spline_curve(table, cells, level, simultaneous)
    is_moved = (table.score <= 0) | (table.score >= 1)
    clipped = float((table.negative + table.positive)[is_moved].sum()) if smoother == "spline" else 0.0
    ici, e50, e90, emax = _distance_estimates(table, cells, fitted, level)
    return SmoothCurve(
        cells.score,
        fitted.rate,
        fitted.low,
        fitted.high,
        level,
        fitted.method,
        simultaneous,
        ici,
        e50,
        e90,
        emax,
        clipped,
        float(table.total),
        fitted.undefined,
    )


def _lowess_curve(table: ScoreTable, cells: Mass) -> _Fitted:
    nothing = np.full(len(cells.score), np.nan)
    if table.is_weighted:
        why = "lowess counts whole cases, and these have sampling weights; smooth_curve(table) takes them"
        return _Fitted(nothing, nothing, nothing, "lowess", why)
    rate = lowess(cells.score, cells.positive / cells.cases, cells.cases)
    return _Fitted(rate, nothing, nothing, f"lowess, span 2/3{cells.words}", NO_BAND)


def _spline_curve(table: ScoreTable, cells: Mass, level: float, simultaneous: bool) -> _Fitted:
    nothing = np.full(len(cells.score), np.nan)
    x = logit(_clipped_scores(cells.score))
    refusal = ONE_CLASS if min(table.kish) == 0 else ONE_SCORE if len(cells.score) == 1 else None
    # Where no case decides a bend of the curve, a curve with fewer bends may still have a best fit.
    for knots in _knot_choices(x, cells.cases, min(table.kish)):
        design = _design_matrix(x, knots)
        fit = fit_logistic(design, cells.cases - cells.positive, cells.positive)
        if fit.undefined is None:
            break
    method = f"spline with {len(knots)} knots{cells.words}" if len(knots) else f"straight line of logits{cells.words}"
    if refusal or fit.undefined:
        return _Fitted(nothing, nothing, nothing, method, refusal or fit.undefined)
    line = design @ fit.coefficients
    covariance, freedom = _coefficient_covariance(table, cells, design, expit(line), fit.information)
    chance = _distance_by_chance(cells, design) if _is_unweighted_and_independent(table) else math.nan
    refusal = _no_band_reason(table, freedom)
    if refusal is not None:
        return _Fitted(expit(line), nothing, nothing, method, refusal, chance)
    reach = _band_multiplier(level, design.shape[1], freedom, simultaneous)
    half = reach * np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
    return _Fitted(expit(line), expit(line - half), expit(line + half), method, None, chance)


def _clipped_scores(score: Floats) -> Floats:
    """Probabilities off 0 and 1, where the logit is infinite: half as far from the end as the nearest not there.

    Votes of 20 trees say 0 where they mean less than 1/20; a logit of -30 would bend the whole curve.
    """
    inner = score[(score > 0) & (score < 1)]
    if not len(inner):
        return np.clip(score, 0.25, 0.75)
    return np.clip(score, max(inner[0] / 2, CLIP), 1 - max((1 - inner[-1]) / 2, CLIP))


def _knot_choices(x: Floats, cases: Floats, smaller: float) -> Iterator[Floats]:
    """Knots, first as many as the smaller class can pay for and the logits can part, at last none: a straight line."""
    for count, places in reversed(KNOTS.items()):
        at: Floats = np.quantile(x, places, weights=cases, method="inverted_cdf")
        if smaller >= CASES_A_KNOT * count and (np.diff(at) > 0).all():
            yield at
    yield np.empty(0)


def _design_matrix(x: Floats, knots: Floats) -> Floats:
    """One, x, and for all knots but two a cubic that is straight beyond the outer ones (Stone & Koo 1985)."""

    def beyond(knot: float) -> Floats:
        return np.maximum(x - knot, 0.0) ** 3

    columns = [np.ones(len(x)), x]
    if len(knots):
        *inner, before, last = knots
        width, scale = last - before, (last - knots[0]) ** 2
        columns += [
            (beyond(knot) - beyond(before) * (last - knot) / width + beyond(last) * (before - knot) / width) / scale
            for knot in inner
        ]
    return np.column_stack(columns)


def _coefficient_covariance(
    table: ScoreTable, cells: Mass, design: Floats, rate: Floats, information: Floats
) -> tuple[Floats, float]:
    """The covariance of the coefficients and its degrees of freedom: a sandwich if there are weights or clusters."""
    bread: Floats = np.linalg.inv(information).astype(np.float64)
    if _is_unweighted_and_independent(table):
        return bread, math.inf
    if table.rows is None:
        negative, positive = (np.add.reduceat(side, cells.first) for side in table.squared_weights)
        spread = negative * rate**2 + positive * (1 - rate) ** 2
        return bread @ ((design * spread[:, None]).T @ design) @ bread, math.inf
    sizes = cells.last - cells.first + 1
    pulls = np.column_stack(
        [
            sum(table.rows.sums(np.repeat(-rate * column, sizes), np.repeat((1 - rate) * column, sizes)))
            for column in design.T
        ]
    )
    clusters = len(pulls)
    return bread @ (pulls.T @ pulls) @ bread * clusters / max(clusters - 1, 1), float(clusters - 1)


def _no_band_reason(table: ScoreTable, freedom: float) -> str | None:
    """Why there is no band, if so."""
    if freedom < FEWEST_CLUSTERS - 1:
        return f"{counted(freedom + 1, 'cluster')}: at least {FEWEST_CLUSTERS} needed"
    smaller = min(table.kish)
    if smaller < FEWEST:
        return f"{counted(round(smaller), 'case')} in a class: at least {FEWEST} needed"
    return None


def _band_multiplier(level: float, coefficients: int, freedom: float, simultaneous: bool) -> float:
    """How many standard errors: Scheffe's for the whole curve, Student's for a point of it."""
    if not simultaneous:
        return float(stdtrit(freedom, 0.5 + level / 2))
    if math.isinf(freedom):
        return math.sqrt(float(chdtri(coefficients, 1 - level)))
    rest = freedom + 1 - coefficients
    return math.sqrt(coefficients * freedom / rest * float(fdtri(coefficients, rest, level)))


def _distance_by_chance(cells: Mass, design: Floats) -> float:
    """The mean distance between right probabilities and a curve fitted to outcomes drawn from them, to first order."""
    right = _clipped_scores(cells.score)
    spread = right * (1 - right)
    covariance = np.linalg.inv((design * (cells.cases * spread)[:, None]).T @ design)
    error = spread * np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
    return float(cells.cases @ error) / float(cells.cases.sum()) * math.sqrt(2 / math.pi)


def _distance_estimates(table: ScoreTable, cells: Mass, fitted: _Fitted, level: float) -> tuple[Estimate, ...]:
    """Mean, median, ninth decile and largest distance between probability and curve."""
    distance = np.abs(fitted.rate - cells.score)
    if table.is_weighted:
        middle, ninth = np.quantile(distance, (0.5, 0.9), weights=cells.cases, method="inverted_cdf")
    else:
        middle, ninth = np.quantile(np.repeat(distance, cells.cases.astype(np.intp)), (0.5, 0.9))
    values = {"ici": cells.cases @ distance / cells.cases.sum(), "e50": middle, "e90": ninth, "emax": distance.max()}
    n, caution = float(table.total), of_the_middle(table)
    return tuple(
        Estimate(name, float(value), math.nan, math.nan, level, fitted.method, n, undefined=why, caution=caution)
        for (name, value), why in zip(values.items(), _distance_refusals(fitted), strict=True)
    )


def _distance_refusals(fitted: _Fitted) -> list[str | None]:
    """Why the distances have no interval, or no value."""
    if np.isnan(fitted.rate).any():
        return [fitted.undefined] * 4
    never = "it is never below 0, so its interval is not valid near 0"
    if math.isnan(fitted.by_chance):
        return [never] * 4
    chance = f"it is never below 0: calibrated probabilities of this many cases show {fitted.by_chance:.2g} on average"
    return [chance, never, never, never]


def _is_unweighted_and_independent(table: ScoreTable) -> bool:
    """Whether cases count once and are independent."""
    return not table.is_weighted and table.rows is None
