"""The binormal ROC curve: smooth, by maximum likelihood, from ratings or from continuous scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.special import chdtrc, chdtri, ndtr, ndtri, stdtrit

from assay.curves._binormal_fit import BinormalFit, area_of, fit_binormal
from assay.curves._curve import Drawable
from assay.curves._drawing import Drawing, Ruler, Trace
from assay.curves.roc_picture import DrawnBand
from assay.curves.threshold import line, roc
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import fpr, recall
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Table, TestResult, counted
from assay.types import Floats
from assay.uncertainty.curve_bands import Band, Kind

# Simulated from here on: the area (verification/certificate.py), and the rest (verification/smooth_curves.py).
FEWEST_FOR_AREA, FEWEST_OF_A_CLASS = 5, 20
ROBUST, PROBIT, WALD = "binormal, robust", "binormal, probit", "binormal, Wald"
GRID = 200
WEIGHTED = "the cases have weights, and the information of a likelihood is of counts"
CLUSTERED = "rows of a cluster depend on one another, and the likelihood takes them as independent"


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
