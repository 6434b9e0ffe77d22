"""The binormal ROC curve: smooth, by maximum likelihood, from ratings or from continuous scores.

The binormal model by maximum likelihood: two normal classes behind ordered categories (Dorfman & Alf, 1969).

Continuous scores are put into categories that hold runs of one class, or ties: thresholds inside such a run tell
nothing about the curve (Metz, Herman & Shen, 1998).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.linalg import solveh_banded
from scipy.special import chdtrc, chdtri, log_ndtr, ndtr, ndtri, stdtrit

from assay.curves.curve import Drawable, Drawing, Ruler, Trace
from assay.curves.roc_curve import DrawnBand
from assay.curves.threshold import line, roc
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import fpr, recall
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Table, TestResult, counted
from assay.types import Floats
from assay.uncertainty.curve_bands import Band, Kind

MOST_STEPS = 200
# Where a parameter has gone so far the likelihood has no highest point within reach.
FARTHEST = 50.0
SPREADS = (0.02, 50.0)


class BinormalFit(NamedTuple):
    """Recall = Phi(a + b Phi^-1(FPR)): the most likely a and b, their covariance, cut points and the log likelihood.

    `robust` is their covariance from how much each case moves them, which holds if no normal classes made the scores.
    """

    a: float
    b: float
    covariance: Floats
    robust: Floats
    cuts: Floats
    cut_errors: Floats
    log_likelihood: float
    # The counts of either class in each category, and the lowest score of each but the first.
    negative: Floats
    positive: Floats
    starts: Floats


def truth_runs(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """Counts of both classes in the categories that the curve rests on, and the lowest score of each but the first.

    >>> truth_runs(ScoreTable.of([1, 2, 3, 4, 5], [0, 0, 1, 1, 0]))
    (array([2., 0., 1.]), array([0., 2., 0.]), array([3., 5.]))
    """
    kept = (table.negative + table.positive) > 0
    negative, positive = table.negative[kept], table.positive[kept]
    # 0 and 1 for blocks of one class alone, 2 for blocks of both, which stand by themselves.
    kind = np.where(negative == 0, 1, np.where(positive == 0, 0, 2))
    first = np.flatnonzero(np.append(True, (kind[1:] != kind[:-1]) | (kind[1:] == 2)))
    sums = np.add.reduceat(negative, first), np.add.reduceat(positive, first)
    return *sums, table.score[kept][first[1:]]


class _Side(NamedTuple):
    """How the log likelihood of one class moves with its standardised cut points: gradient, and a banded Hessian."""

    value: float
    uphill: Floats
    diagonal: Floats
    beside: Floats


def _log_category_probabilities(cuts: Floats) -> Floats:
    """The logarithms of the chances of the categories between cut points, exact in both tails."""
    ends = np.concatenate(([-np.inf], cuts, [np.inf]))
    low, high = ends[:-1], ends[1:]
    # Above the middle the other tail keeps the digits.
    flipped = low > 0
    low, high = np.where(flipped, -high, low), np.where(flipped, -low, high)
    upper, lower = log_ndtr(high), log_ndtr(low)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(upper + np.log1p(-np.exp(np.minimum(lower - upper, 0.0))))


def _class_terms(cuts: Floats, counts: Floats, *, expected: bool) -> _Side:
    logs = _log_category_probabilities(cuts)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        density = -0.5 * cuts * cuts - 0.5 * math.log(2 * math.pi)
        # Densities over the chances of the categories on either side of each cut.
        before, after = np.exp(density - logs[:-1]), np.exp(density - logs[1:])
        uphill = counts[:-1] * before - counts[1:] * after
        weights = counts.sum() * np.exp(logs) if expected else counts
        diagonal = -(weights[:-1] * before**2 + weights[1:] * after**2) - (0.0 if expected else cuts * uphill)
        beside = weights[1:-1] * after[:-1] * before[1:]
        value = float(counts[counts > 0] @ logs[counts > 0])
    return _Side(value, uphill, diagonal, beside)


def _tridiagonal_product(side: _Side, vector: Floats) -> Floats:
    found = side.diagonal * vector
    found[:-1] += side.beside * vector[1:]
    found[1:] += side.beside * vector[:-1]
    return found


class _Moments(NamedTuple):
    """Gradient and information: of the cut points (banded), between them and (a, b), and of (a, b)."""

    value: float
    uphill_cuts: Floats
    uphill: Floats
    band: Floats
    across: Floats
    corner: Floats


def _likelihood_moments(
    a: float, b: float, cuts: Floats, negative: Floats, positive: Floats, *, expected: bool
) -> _Moments:
    of_negatives = _class_terms(cuts, negative, expected=expected)
    of_positives = _class_terms(b * cuts - a, positive, expected=expected)
    ones = np.ones(len(cuts))
    by_a, by_b = _tridiagonal_product(of_positives, ones), _tridiagonal_product(of_positives, cuts)
    band = np.zeros((2, len(cuts)))
    band[1] = -(of_negatives.diagonal + b * b * of_positives.diagonal)
    band[0, 1:] = -(of_negatives.beside + b * b * of_positives.beside)
    turn = 0.0 if expected else of_positives.uphill
    across = np.stack((b * by_a, -(b * by_b + turn)), 1)
    corner = -np.array([[ones @ by_a, -(ones @ by_b)], [-(ones @ by_b), cuts @ by_b]])
    return _Moments(
        of_negatives.value + of_positives.value,
        of_negatives.uphill + b * of_positives.uphill,
        np.array([-of_positives.uphill.sum(), of_positives.uphill @ cuts]),
        band,
        across,
        corner,
    )


def _scoring_step(found: _Moments) -> tuple[Floats, Floats, Floats] | None:
    """The step of (a, b), of the cut points, and the covariance of (a, b); None where the information is no such."""
    try:
        inner = solveh_banded(found.band, np.column_stack((found.across, found.uphill_cuts)))
        left = found.corner - found.across.T @ inner[:, :2]
        if not (np.isfinite(left).all() and (np.linalg.eigvalsh(left) > 0).all()):
            return None
        covariance: Floats = np.asarray(np.linalg.inv(left), dtype=np.float64)
    except (np.linalg.LinAlgError, ValueError):
        return None
    step = covariance @ (found.uphill - found.across.T @ inner[:, 2])
    return step, inner[:, 2] - inner[:, :2] @ step, covariance


def _starting_values(negative: Floats, positive: Floats) -> tuple[float, float, Floats]:
    """Where to begin: normal scores of the ranks, and either class's mean and spread among them."""
    total = negative + positive
    n = float(total.sum())
    reached = np.cumsum(total)
    middle = ndtri((reached - total / 2) / n)
    means = [float(side @ middle / side.sum()) for side in (negative, positive)]
    spreads = [
        max(math.sqrt(float(side @ (middle - mean) ** 2 / side.sum())), 0.1)
        for side, mean in zip((negative, positive), means, strict=True)
    ]
    cuts = (ndtri(reached[:-1] / n) - means[0]) / spreads[0]
    return (means[1] - means[0]) / spreads[1], spreads[0] / spreads[1], cuts


def fit_binormal(table: ScoreTable) -> BinormalFit | str:
    """The most likely binormal curve behind a score table, or why there is none.

    >>> ratings = np.repeat([1, 2, 3, 4, 5] * 2, [33, 6, 6, 11, 2, 3, 2, 2, 11, 33])
    >>> fit = fit_binormal(ScoreTable.of(ratings, np.arange(109) >= 58))
    >>> round(fit.a, 4), round(fit.b, 4)
    (1.6568, 0.713)
    """
    if not (table.negatives > 0 and table.positives > 0):
        return "all true labels are of one class, so there is no curve"
    negative, positive, starts = truth_runs(table)
    if len(negative) < 3:
        return "the scores leave fewer than two points between the corners, and a binormal curve needs two"
    a, b, cuts = _starting_values(negative, positive)
    for _ in range(MOST_STEPS):
        exact = _likelihood_moments(a, b, cuts, negative, positive, expected=False)
        solved = _scoring_step(exact) or _scoring_step(
            _likelihood_moments(a, b, cuts, negative, positive, expected=True)
        )
        if solved is None:
            break
        step, step_cuts, _ = solved
        gain = float(step @ exact.uphill + step_cuts @ exact.uphill_cuts)
        size = _step_fraction(a, b, cuts, step, step_cuts, exact.value, negative, positive)
        a, b, cuts = a + size * step[0], b + size * step[1], cuts + size * step_cuts
        if not (abs(a) < FARTHEST and SPREADS[0] < b < SPREADS[1]) or size == 0:
            break
        if size == 1 and gain < 1e-12 * float((negative + positive).sum()) and np.abs(step).max() < 1e-7:
            return _maximum_likelihood_fit(a, b, cuts, negative, positive, starts)
    return "no binormal curve fits best: the classes hardly overlap, or the points lie on the edge of the plot"


def _step_fraction(
    a: float,
    b: float,
    cuts: Floats,
    step: Floats,
    step_cuts: Floats,
    before: float,
    negative: Floats,
    positive: Floats,
) -> float:
    """The part of a step that keeps the cut points in order and makes the fit no worse; 0 where none does."""
    size = 1.0
    for _ in range(60):
        slope, moved = b + size * step[1], cuts + size * step_cuts
        if slope > 0 and (np.diff(moved) > 0).all():
            shifted = slope * moved - a - size * step[0]
            sides = ((moved, negative), (shifted, positive))
            value = sum(float(side[side > 0] @ _log_category_probabilities(at)[side > 0]) for at, side in sides)
            if value >= before - 1e-9 * abs(before):
                return size
        size /= 2
    return 0.0


def _maximum_likelihood_fit(
    a: float, b: float, cuts: Floats, negative: Floats, positive: Floats, starts: Floats
) -> BinormalFit | str:
    found = _likelihood_moments(a, b, cuts, negative, positive, expected=False)
    solved = _scoring_step(found)
    if solved is None:
        return "no binormal curve fits best: the likelihood is flat around its maximum"
    covariance = solved[2]
    inner = solveh_banded(found.band, found.across)
    own = _diagonal_of_inverse(found.band)
    errors = np.sqrt(own + np.einsum("ij,jk,ik->i", inner, covariance, inner))
    robust = _sandwich_part(b, cuts, inner, covariance, negative) + _sandwich_part(
        b, cuts, inner, covariance, positive, a
    )
    return BinormalFit(float(a), float(b), covariance, robust, cuts, errors, found.value, negative, positive, starts)


def _sandwich_part(
    b: float, cuts: Floats, inner: Floats, covariance: Floats, counts: Floats, a: float | None = None
) -> Floats:
    """What the cases of one class add to the covariance of a and b, from how much each moves them.

    A case moves them by its efficient score: its own less what the cut points take of it (`inner`). Without `a` the
    class is that of the negatives, which tell of the cut points alone.
    """
    own = cuts if a is None else b * cuts - a
    logs = _log_category_probabilities(own)
    with np.errstate(over="ignore", under="ignore"):
        density = -0.5 * own * own - 0.5 * math.log(2 * math.pi)
        before, after = np.exp(density - logs[:-1]), np.exp(density - logs[1:])

    def change(along: Floats) -> Floats:
        moved = np.zeros(len(counts))
        moved[:-1] += before * along
        moved[1:] -= after * along
        return moved

    if a is None:
        scores = np.stack([-change(inner[:, 0]), -change(inner[:, 1])], 1)
    else:
        scores = np.stack([-change(1 + b * inner[:, 0]), change(cuts - b * inner[:, 1])], 1)
    here, size = counts > 0, float(counts.sum())
    moved = (scores @ covariance)[here]
    moved -= counts[here] @ moved / size
    found: Floats = (moved * counts[here, None]).T @ moved
    return found * (size / (size - 1) if size > 1 else math.nan)


def _diagonal_of_inverse(band: Floats) -> Floats:
    """The diagonal of the inverse of a tridiagonal matrix, by the two recursions of its continued fractions."""
    beside, diagonal = band[0, 1:], band[1]
    n = len(diagonal)
    left, right = diagonal.copy(), diagonal.copy()
    for i in range(1, n):
        left[i] = diagonal[i] - beside[i - 1] ** 2 / left[i - 1]
    for i in range(n - 2, -1, -1):
        right[i] = diagonal[i] - beside[i] ** 2 / right[i + 1]
    return np.asarray(1 / (left + right - diagonal))


def area_of(a: float, b: float) -> float:
    """The area under a binormal curve.

    >>> round(area_of(1.656782, 0.713002), 6)
    0.911331
    """
    return float(ndtr(a / math.sqrt(1 + b * b)))


# Simulated from here on: the area (verification/certificate.py), and the rest (verification/smooth_curves.py).
FEWEST_FOR_AREA, FEWEST_OF_A_CLASS = 5, 20
ROBUST, PROBIT, WALD = "binormal, robust", "binormal, probit", "binormal, Wald"
GRID = 200
WEIGHTED = "the cases have weights, and the information of a likelihood is of counts"
CLUSTERED = "rows of a cluster are dependent, and the likelihood assumes independent rows"


@dataclass(frozen=True, eq=False, repr=False)
class BinormalRoc(Drawable):
    """Recall = Phi(a + b Phi^-1(FPR)): the curve of two normal classes, whatever scale the scores are on.

    It holds if some increasing transformation makes both classes normal. `undefined` says why there is none,
    `no_limits` why these cases have no intervals, however many they are.

    References: Dorfman & Alf (1969); Metz, Herman & Shen (1998).
    """

    scores: ScoreTable
    fit: BinormalFit | None
    level: float
    undefined: str | None = None
    no_limits: str | None = None

    def __repr__(self) -> str:
        return f"<binormal ROC curve: {self.undefined or self.auc}>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a curve."""
        return self.fit is not None

    @property
    def a(self) -> Estimate:
        """How far the mean of the positives lies above that of the negatives, in standard deviations of positives."""
        return self._parameter("binormal_a", 0)

    @property
    def b(self) -> Estimate:
        """The standard deviation of the negatives over that of the positives: the slope on normal-deviate axes."""
        return self._parameter("binormal_b", 1)

    @property
    def da(self) -> float:
        """The distance of the classes in units of their root mean variance: sqrt(2) a / sqrt(1 + b^2)."""
        return math.nan if self.fit is None else math.sqrt(2) * self.fit.a / math.sqrt(1 + self.fit.b**2)

    def _parameter(self, name: str, place: int) -> Estimate:
        n = float(self.scores.total)
        if self.fit is None:
            return Estimate(name, math.nan, math.nan, math.nan, self.level, "none", n, undefined=self.undefined)
        value = (self.fit.a, self.fit.b)[place]
        if (refusal := self._refusal(FEWEST_OF_A_CLASS)) is not None:
            return Estimate(name, value, math.nan, math.nan, self.level, WALD, n, undefined=refusal)
        half = self._z * math.sqrt(self.fit.covariance[place, place])
        return Estimate(name, value, value - half, value + half, self.level, WALD, n)

    @property
    def _z(self) -> float:
        return float(ndtri(0.5 + self.level / 2))

    @property
    def _smaller(self) -> float:
        return float(min(self.scores.negatives, self.scores.positives))

    def _refusal(self, fewest: int) -> str | None:
        if self.no_limits is not None or self._smaller >= fewest:
            return self.no_limits
        return f"{counted(round(self._smaller), 'case')} in a class: below {fewest} the limits were not simulated"

    @property
    def auc(self) -> Estimate:
        """The area under the curve, its limits symmetric on the normal-deviate scale."""
        return self.area()

    def area(self, method: str = ROBUST) -> Estimate:
        """The area under the curve, its limits symmetric on the normal-deviate scale.

        Its standard error is the larger of that of the likelihood and of that from how much each case moves it, which
        holds better where the classes are not normal. By "binormal, probit" it is that of the likelihood alone, as
        published; by "binormal, Wald" the limits are symmetric about the area.
        """
        checked_choice(method, (ROBUST, PROBIT, WALD), "method")
        n = float(self.scores.total)
        if self.fit is None:
            return Estimate(
                "binormal_auc", math.nan, math.nan, math.nan, self.level, "none", n, undefined=self.undefined
            )
        value, at = area_of(self.fit.a, self.fit.b), self.da / math.sqrt(2)
        if (refusal := self._refusal(FEWEST_FOR_AREA if method == ROBUST else 1)) is not None:
            return Estimate("binormal_auc", value, math.nan, math.nan, self.level, method, n, undefined=refusal)
        if method == WALD:
            half = self._z * self.area_error
            low, high = max(0.0, value - half), min(1.0, value + half)
        else:
            half = self._z * self._deviate_error if method == PROBIT else self._robust_half
            low, high = (float(ndtr(at + sign * half)) for sign in (-1, 1))
        return Estimate("binormal_auc", value, low, high, self.level, method, n)

    def _error_by(self, covariance: Floats) -> float:
        """The standard error of the area's normal deviate."""
        assert self.fit is not None
        a, b = self.fit.a, self.fit.b
        spread = math.sqrt(1 + b * b)
        slope = np.array([1 / spread, -a * b / spread**3])
        return math.sqrt(float(slope @ covariance @ slope))

    @property
    def _deviate_error(self) -> float:
        assert self.fit is not None
        return self._error_by(self.fit.covariance)

    @property
    def _robust_half(self) -> float:
        """Half the interval of the deviate: t of the smaller class, whose cases tell the least."""
        assert self.fit is not None
        error = max(self._deviate_error, self._error_by(self.fit.robust))
        return float(stdtrit(self._smaller - 1, 0.5 + self.level / 2)) * error

    @property
    def area_error(self) -> float:
        """The standard error of the area, by the delta method."""
        at = self.da / math.sqrt(2)
        return self._deviate_error * math.exp(-at * at / 2) / math.sqrt(2 * math.pi)

    def at(self, rates: ArrayLike) -> Floats:
        """The recall at false-positive rates."""
        given = np.asarray(rates, dtype=np.float64)
        if self.fit is None:
            return np.full(given.shape, np.nan)
        return np.asarray(ndtr(self.fit.a + self.fit.b * ndtri(given)))

    def partial_area(self, low: float, high: float) -> float:
        """The plain area between two false-positive rates."""
        return float(quad(lambda rate: float(self.at(rate)), low, high)[0])

    def band(self, rates: ArrayLike | None = None, *, kind: Kind = "pointwise") -> DrawnBand:
        """Limits of the recall at false-positive rates: at each, or (Working and Hotelling's) at all at once."""
        checked_choice(kind, ("pointwise", "simultaneous"), "kind")
        x = np.linspace(0.005, 0.995, GRID) if rates is None else np.atleast_1d(np.asarray(rates, dtype=np.float64))
        method = "binormal" if kind == "pointwise" else "binormal, Working-Hotelling"
        plain = Band("fpr", "recall", x, self.at(x), x * np.nan, x * np.nan, self.level, kind, method, 0.0)
        refusal = self.undefined or self._refusal(FEWEST_OF_A_CLASS)
        plain = replace(plain, n=float(self.scores.total), undefined=refusal)
        if self.fit is None or refusal is not None:
            return DrawnBand.of(plain)
        times = self._z if kind == "pointwise" else math.sqrt(float(chdtri(2, 1 - self.level)))
        deviate = ndtri(x)
        v = self.fit.covariance
        with np.errstate(invalid="ignore"):
            error = np.sqrt(np.maximum(v[0, 0] + 2 * deviate * v[0, 1] + deviate**2 * v[1, 1], 0.0))
            middle = self.fit.a + self.fit.b * deviate
            low, high = ndtr(middle - times * error), ndtr(middle + times * error)
        low, high = (np.where(np.isfinite(deviate), limit, x) for limit in (low, high))
        return DrawnBand.of(replace(plain, low=low, high=high))

    @cached_property
    def goodness(self) -> TestResult:
        """Pearson's test that two normal classes made the counts of each category: for ratings, not for long runs."""
        if self.fit is None:
            raise OptionError(f"there is no curve: {self.undefined}", "scores that one fits")
        sides = [(self.fit.cuts, self.fit.negative), (self.fit.b * self.fit.cuts - self.fit.a, self.fit.positive)]
        expected = [counts.sum() * np.diff(np.concatenate(([0.0], ndtr(cuts), [1.0]))) for cuts, counts in sides]
        statistic = sum(float(((c - e) ** 2 / e).sum()) for (_, c), e in zip(sides, expected, strict=True))
        freedom = len(self.fit.negative) - 3
        if freedom < 1:
            raise OptionError("three categories fit any binormal curve exactly", "four ratings or more")
        null, method = "two normal classes made the counts of every category", f"{freedom} degrees of freedom"
        return TestResult("binormal goodness of fit", null, statistic, float(chdtrc(freedom, statistic)), method)

    def table(self) -> Table:
        """The curve with its pointwise limits on a grid of false-positive rates."""
        return self.band(np.linspace(0.05, 0.95, 19)).table()

    def drawing(self) -> Drawing:
        """The curve over its pointwise band, with the empirical curve in grey."""
        band = self.band(np.concatenate(([0.0], np.geomspace(1e-4, 0.02, 40), np.linspace(0.025, 1.0, GRID))))
        plain = roc(self.scores)
        has_limits = bool(np.isfinite(band.low).all())
        return Drawing(
            name="binormal_roc",
            title="Binormal ROC curve",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(
                line((0, 0), (1, 1), "chance"),
                *((Trace(band.x, band.high, "model", "", band.low),) if has_limits else ()),
                Trace(plain.x, plain.y, "negatives", "empirical"),
                Trace(band.x, band.y),
            ),
            points=len(plain),
            is_square=True,
        )


def binormal_roc(table: ScoreTable, level: float = 0.95) -> BinormalRoc:
    """The most likely binormal ROC curve of ratings (Dorfman & Alf) or of continuous scores (Metz).

    >>> ratings = np.repeat([1, 2, 3, 4, 5] * 2, [33, 6, 6, 11, 2, 3, 2, 2, 11, 33])
    >>> curve = binormal_roc(ScoreTable.of(ratings, np.arange(109) >= 58))
    >>> curve.auc, curve.at(0.1).round(4).item()
    (0.911 [0.836, 0.957], 0.7713)
    """
    level = checked_level(level)
    found: Any = fit_binormal(table)
    if isinstance(found, str):
        return BinormalRoc(table, None, level, undefined=found)
    reason = CLUSTERED if table.rows is not None else WEIGHTED if table.is_weighted else None
    return BinormalRoc(table, found, level, no_limits=reason)
