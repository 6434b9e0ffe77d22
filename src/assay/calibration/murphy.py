"""Murphy diagrams: for which costs of a mistake are whose probabilities the better guide?

Whoever acts when the probability is at least theta says by that what a false alarm costs against a missed event: theta
to 1 - theta. The diagram shows the mean cost for every theta; all proper scores are averages of it (Ehm et al. 2016).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.request import checked_level, checked_numbers
from assay.results import Estimate, Table
from assay.types import Floats

# With fewer cases than this on which only one of two classifiers errs, no interval of the difference was seen to hold.
FEWEST_DISCORDANT = 10


@dataclass(frozen=True, eq=False, repr=False)
class MurphyCurve(Drawable):
    """The mean cost of acting on probabilities of at least theta, where a false alarm costs theta and a miss 1 - theta.

    Between neighbouring scores the mistakes do not change, so the curve is exact: up to `score[i]`, and above the score
    before it, `false_alarms[i]` and `misses[i]` are the shares of all cases; the last entries hold above every score.
    """

    score: Floats
    false_alarms: Floats
    misses: Floats
    n: float

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<Murphy diagram: {len(self.score):,} steps; {self.n:,.15g} cases>"

    @property
    def is_defined(self) -> bool:
        """Whether there are cases."""
        return self.n > 0

    def __call__(self, theta: ArrayLike) -> Floats:
        """The mean cost at any theta.

        >>> curve = murphy_curve(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True]))
        >>> curve([0.1, 0.25, 0.5]).round(6)
        array([0.033333, 0.      , 0.166667])
        """
        at = checked_numbers(theta, "theta")
        place = np.searchsorted(self.score, at, side="left")
        cost: Floats = at * self.false_alarms[place] + (1 - at) * self.misses[place]
        return cost

    def table(self) -> Table:
        """For every step, theta up to which it goes, the shares of mistakes, and the cost there."""
        upto = np.append(self.score, 1.0)
        columns = {
            "theta": upto,
            "false alarms": self.false_alarms,
            "misses": self.misses,
            "cost": upto * self.false_alarms + (1 - upto) * self.misses,
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Murphy diagram")

    def drawing(self) -> Drawing:
        """The curve, and the better of acting always and never."""
        steps = self.score[(self.score > 0) & (self.score < 1)]
        # Mistakes change just above a score, so the curve is read at it and right behind it.
        at = np.concatenate(([0.0], np.column_stack((steps, np.nextafter(steps, 1))).ravel(), [1.0]))
        cost, prevalence = self(at), float(self.misses[-1])
        peak = prevalence * (1 - prevalence)
        constant = Trace(np.array([0.0, prevalence, 1.0]), np.array([0.0, peak, 0.0]), "reference", "constant")
        return Drawing(
            name="murphy",
            title="Murphy diagram",
            x=Ruler("Threshold probability"),
            y=Ruler("Mean cost", (0.0, float(max(cost.max(), peak)))),
            traces=(constant, Trace(at, cost)),
            points=len(self.score),
        )


def murphy_curve(table: ScoreTable) -> MurphyCurve:
    """The mean cost of acting on the probabilities, for every ratio of costs; twice its area is the Brier score.

    >>> murphy_curve(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True]))
    <Murphy diagram: 3 steps; 3 cases>

    References: Ehm, Gneiting, Jordan & Krueger (2016).
    """
    n = float(table.total)
    called = np.append(np.cumsum(table.negative[::-1])[::-1], 0.0)
    passed = np.concatenate(([0.0], np.cumsum(table.positive)))
    return MurphyCurve(table.score, called / n, passed / n, n)


def cheapest(curves: Mapping[str, MurphyCurve]) -> Table:
    """For which thetas which classifier's probabilities cost least on these cases, those that cost as much together.

    It describes these cases; `murphy_difference` says how sure a difference is.

    >>> good = murphy_curve(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True]))
    >>> poor = murphy_curve(ScoreTable.of([0.3, 0.2, 0.8], [False, True, True]))
    >>> print(cheapest({"good": good, "poor": poor}))
     from     to  cheapest
    0.000  0.100  good, poor
    0.100  0.400  good
    0.400  1.000  good, poor
    """
    ends = _breakpoints(list(curves.values()))
    middle = (ends[1:] + ends[:-1]) / 2
    costs = np.array([curve(middle) for curve in curves.values()])
    is_least = costs <= costs.min(0) + 1e-12
    # A stretch begins where another set of classifiers costs least than in the one before.
    starts = np.flatnonzero(np.concatenate(([True], (is_least[:, 1:] != is_least[:, :-1]).any(0))))
    names = [", ".join(name for name, least in zip(curves, is_least[:, i], strict=True) if least) for i in starts]
    return Table(
        {
            "from": ends[starts].tolist(),
            "to": ends[np.append(starts[1:], len(ends) - 1)].tolist(),
            "cheapest": names,
        }
    )


def _breakpoints(curves: list[MurphyCurve]) -> Floats:
    """Every theta at which the order of the curves can change: where one of them bends, and where two cross between."""
    ends = np.array([0.0, 1.0])
    for curve in curves:
        ends = np.union1d(ends, curve.score[(curve.score > 0) & (curve.score < 1)])
    left, right, crossings = ends[:-1], ends[1:], ends
    places = [np.searchsorted(curve.score, (left + right) / 2, side="left") for curve in curves]
    for i, one in enumerate(curves):
        for j, other in enumerate(curves[:i]):
            alarms = one.false_alarms[places[i]] - other.false_alarms[places[j]]
            missed = one.misses[places[i]] - other.misses[places[j]]
            at = np.divide(missed, missed - alarms, out=np.full(len(left), np.nan), where=missed != alarms)
            crossings = np.union1d(crossings, at[(at > left) & (at < right)])
    return crossings


class _Steps(NamedTuple):
    """How many cases a threshold lies within: those above `low` and up to `high`, for any theta."""

    score: Floats
    inside: Floats

    @classmethod
    def between(cls, low: Floats, high: Floats) -> _Steps:
        ends = ScoreTable.of(np.concatenate((low, high)), np.arange(2 * len(low)) >= len(low))
        return cls(ends.score, np.concatenate(([0.0], np.cumsum(ends.negative - ends.positive))))

    def __call__(self, theta: Floats) -> Floats:
        return self.inside[np.searchsorted(self.score, theta, side="left")]


@dataclass(frozen=True, eq=False, repr=False)
class MurphyDifference:
    """How much more the first classifier's probabilities cost than the second's on the same cases, for every theta.

    Only cases on which one of them errs matter: those are counted exactly for any theta. The interval is for one theta
    fixed beforehand, not for one found by looking at the diagram.
    """

    alarms: tuple[_Steps, _Steps]
    misses: tuple[_Steps, _Steps]
    n: float
    level: float

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<difference of two Murphy diagrams: {self.n:,.15g} cases>"

    def __call__(self, theta: ArrayLike) -> Floats:
        """First minus second, at any theta: below 0 where the first is cheaper."""
        return self._costs(np.asarray(theta, dtype=np.float64), 0.0)[0]

    def _costs(self, theta: Floats, added: float) -> tuple[Floats, Floats, Floats]:
        """Mean difference, its standard error, and the cases it rests on, with `added` cases in every kind of error."""
        alarms, misses = ([steps(theta) + added for steps in kind] for kind in (self.alarms, self.misses))
        n = self.n + 4 * added
        mean = (theta * (alarms[0] - alarms[1]) + (1 - theta) * (misses[0] - misses[1])) / n
        square = (theta**2 * (alarms[0] + alarms[1]) + (1 - theta) ** 2 * (misses[0] + misses[1])) / n
        error: Floats = np.sqrt(np.maximum(square - mean**2, 0.0) / n)
        return mean, error, alarms[0] + alarms[1] + misses[0] + misses[1] - 4 * added

    def limits(self, theta: ArrayLike) -> tuple[Floats, Floats]:
        """Pointwise limits at any theta; nan where the classifiers part on fewer than 10 cases.

        Half a case is added to each kind of error: a rare and dear one not seen yet is still possible.
        """
        at = np.asarray(theta, dtype=np.float64)
        mean, error, discordant = self._costs(at, 0.5)
        half = np.where(discordant >= FEWEST_DISCORDANT, float(ndtri(0.5 + self.level / 2)) * error, np.nan)
        return mean - half, mean + half

    def estimate(self, theta: float) -> Estimate:
        """The difference at one theta, with its interval.

        >>> rng = np.random.default_rng(1)
        >>> p = rng.random(500)
        >>> difference = murphy_difference(rng.random(500) < p, p, np.full(500, 0.5))
        >>> difference.estimate(0.3)
        -0.053 [-0.071, -0.035]
        """
        low, high = (float(limit) for limit in self.limits(theta))
        why = f"the classifiers part on fewer than {FEWEST_DISCORDANT} cases there" if math.isnan(low) else None
        value, method = float(self(theta)), "Wald, half a case added to each kind of error"
        return Estimate("murphy_difference", value, low, high, self.level, method, self.n, undefined=why)

    def table(self, theta: ArrayLike | None = None) -> Table:
        """The difference and its pointwise limits; at .05, .1, ... .95 unless told where."""
        at = np.arange(1, 20) / 20 if theta is None else np.asarray(theta, dtype=np.float64)
        low, high = self.limits(at)
        columns = {"theta": at, "difference": self(at), "low": low, "high": high}
        return Table({name: values.tolist() for name, values in columns.items()}, title="First minus second")


def murphy_difference(
    is_positive: ArrayLike, first: ArrayLike, second: ArrayLike, *, level: float = 0.95
) -> MurphyDifference:
    """Which of two classifiers' probabilities for the same cases is the cheaper guide, for every ratio of costs.

    >>> murphy_difference([False, True], [0.1, 0.9], [0.6, 0.4])([0.5])
    array([-0.5])
    """
    level = checked_level(level)
    truth = np.asarray(is_positive, dtype=np.bool_)
    one, other = (np.asarray(scores, dtype=np.float64) for scores in (first, second))

    def inside(low: Floats, high: Floats, of: NDArray[np.bool_]) -> _Steps:
        kept = of & (low < high)
        return _Steps.between(low[kept], high[kept])

    return MurphyDifference(
        alarms=(inside(other, one, ~truth), inside(one, other, ~truth)),
        misses=(inside(one, other, truth), inside(other, one, truth)),
        n=float(len(truth)),
        level=level,
    )
