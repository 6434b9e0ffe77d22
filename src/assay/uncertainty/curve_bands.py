"""What a band is, and pointwise limits of one rate at fixed values of another.

Limits of many rates at once: at points of a curve whose threshold is itself estimated, and at given thresholds.

Limits of a whole distribution function at once, whatever the distribution: what simultaneous bands are made of.

Limits of a whole ROC curve at once: all points that some point of the curve seen makes likely enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, expit, gammaln, ndtr, ndtri, xlogy

from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.results import Estimate, Table, counted
from assay.types import Floats

__all__ = [
    "A_CLASS_IS_MISSING",
    "MIXTURE",
    "POSITION_WEIGHTS",
    "Band",
    "Kind",
    "Side",
    "as_estimate",
    "contrast_limits",
    "equal_level_limits",
    "few_in_class",
    "few_weighted",
    "heights",
    "held",
    "kolmogorov_limits",
    "likelihood_limits",
    "missing",
    "mixture_limits",
    "pointwise",
    "positions",
    "refuse_clusters",
    "refuse_weights",
    "share_limits",
    "sides",
    "too_few",
    "wilson_limits",
]


# Where the threshold may truly stand: so many positions, evenly spaced in standard errors up to four on either side.
_STEPS = np.linspace(-4.0, 4.0, 65)
POSITION_WEIGHTS = np.exp(-(_STEPS**2) / 2) / np.exp(-(_STEPS**2) / 2).sum()
# Halvings of a bracket some ten standard deviations wide.
HALVINGS = 16


@dataclass(frozen=True)
class Side:
    """One class along a curve: its weight and squared weight at each score, in the order the curve meets them.

    >>> side = Side(np.array([1.0, 0.0, 3.0]), np.array([1.0, 0.0, 3.0]))
    >>> side.shares
    array([0.  , 0.25, 0.25, 1.  ])
    >>> side.effective(np.array([0.25])), side.beyond(np.array([0.25, 0.5]))
    (array([4.]), array([1., 2.]))
    """

    weight: Floats
    squares: Floats

    @cached_property
    def size(self) -> float:
        """The weight of the class."""
        return float(self.weight.sum())

    @property
    def kish(self) -> float:
        """Kish's effective number of cases."""
        return self.size**2 / float(self.squares.sum())

    @cached_property
    def shares(self) -> Floats:
        """The share of the class before, between and after the scores; none of an empty class."""
        return self._weight_sums / (self.size or 1.0)

    def __add__(self, other: Side) -> Side:
        """All cases of either class."""
        weight = self.weight + other.weight
        is_counted = self.squares is self.weight and other.squares is other.weight
        return Side(weight, weight if is_counted else self.squares + other.squares)

    def parted(self, cut: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Weight and squared weight of what stands before each cut."""
        return self._weight_sums[cut], self._square_sums[cut]

    @cached_property
    def _weight_sums(self) -> Floats:
        return _running_totals(self.weight)

    @cached_property
    def _square_sums(self) -> Floats:
        return self._weight_sums if self.squares is self.weight else _running_totals(self.squares)

    @cached_property
    def is_weighted(self) -> bool:
        """Whether some cases count more than others."""
        if self.squares is self.weight:
            return False
        return not np.allclose(self.weight * self.squares.sum(), self.squares * self.size)

    def beyond(self, share: Floats) -> Floats:
        """The effective number of cases on the thinner side when this share of the class is parted off."""
        part, squares = share * self.size, np.interp(share, self.shares, self._square_sums)
        sides = ((part, squares), (self.size - part, self.squares.sum() - squares))
        below, above = (np.divide(w**2, s, out=np.zeros(np.shape(w)), where=s > 0) for w, s in sides)
        return np.minimum(below, above)

    def effective(self, share: Floats) -> Floats:
        """How many equally weighted cases tell as much about a share of the class."""
        part = np.interp(share, self.shares, self._square_sums)
        spread = part * (1 - share) ** 2 + (self.squares.sum() - part) * share**2
        inside = (share > 0) & (share < 1)
        out = np.full(np.shape(share), self.kish)
        effective: Floats = np.divide(share * (1 - share) * self.size**2, spread, out=out, where=inside & (spread > 0))
        return effective


def positions(side: Side, share: Floats) -> Floats:
    """Where, among the observed cases of a class, the score that truly parts off this share of it may stand.

    The number of observed cases beyond that score is binomial, so its share has about this Beta distribution; the
    answer holds such places along a last axis, to be counted with POSITION_WEIGHTS.

    >>> places = positions(Side(np.ones(50), np.ones(50)), np.array([0.1]))
    >>> (places @ POSITION_WEIGHTS).round(3)
    array([0.108])
    """
    n = side.effective(share)[..., None]
    at = share[..., None]
    found: Floats = np.asarray(betaincinv(n * at + 0.5, n * (1 - at) + 0.5, ndtr(_STEPS)), dtype=np.float64)
    return found


def mixture_limits(successes: Floats, failures: Floats, level: float) -> tuple[Floats, Floats]:
    """The middle of a mixture of Beta distributions, one for each position of the threshold along the last axis.

    Given where the threshold stands, a rate has the Jeffreys posterior of the cases found there.

    >>> low, high = mixture_limits(np.full((1, 65), 8.0), np.full((1, 65), 2.0), 0.95)
    >>> low.round(3), high.round(3)
    (array([0.497]), array([0.956]))
    """
    a, b = successes + 0.5, failures + 0.5
    centre = a / (a + b)
    mean = centre @ POSITION_WEIGHTS
    spread = (centre * (1 - centre) / (a + b + 1) + centre**2) @ POSITION_WEIGHTS - mean**2
    tail = (1 - level) / 2
    # No more than a tail lies beyond this distance, whatever the distribution (Chebyshev).
    reach = np.sqrt(np.maximum(spread, 0.0) / tail)
    start = np.maximum(mean - reach, 0.0)
    step = np.minimum(mean + reach, 1.0) - start
    tails = np.array([tail, 1 - tail]).reshape(2, *[1] * mean.ndim)
    below = np.broadcast_to(start, (2, *start.shape)).copy()
    for _ in range(HALVINGS):
        step = step / 2
        reached = betainc(a, b, (below + step)[..., None]) @ POSITION_WEIGHTS
        below += step * (reached < tails)
    middle = below + step / 2
    return middle[0], middle[1]


def share_limits(part: Any, whole: Any, level: float) -> tuple[Floats, Floats]:
    """Clopper and Pearson's limits of many shares: each covers at least `level`, always.

    >>> low, high = share_limits(np.array([0.0, 8.0]), 10.0, 0.95)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.4439]), array([0.3085, 0.9748]))
    """
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    tail = (1 - level) / 2
    # One in place of zero only keeps the function defined; those limits are replaced.
    low = np.where(part > 0, betaincinv(np.maximum(part, 1), whole - part + 1, tail), 0.0)
    high = np.where(part < whole, betaincinv(part + 1, np.maximum(whole - part, 1), 1 - tail), 1.0)
    return low, high


def wilson_limits(share: Any, n: Any, level: float) -> tuple[Floats, Floats]:
    """Wilson's limits of many shares of n cases, which need not be whole numbers.

    >>> low, high = wilson_limits(np.array([0.0, 0.8]), 10.0, 0.95)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.4902]), array([0.2775, 0.9433]))
    """
    z2 = float(ndtri(0.5 + level / 2)) ** 2
    centre = (share * n + z2 / 2) / (n + z2)
    half = np.sqrt(z2) / (n + z2) * np.sqrt(n * share * (1 - share) + z2 / 4)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def contrast_limits(
    first: tuple[Floats, Floats, Floats], second: tuple[Floats, Floats, Floats], weight: Floats, correlation: Any
) -> tuple[Floats, Floats]:
    """Limits of first - weight * second recovered from those of either (Zou & Donner 2008).

    Each is given as (value, low, high); `correlation` is that of the two estimates.

    >>> limits = contrast_limits((np.array([0.3]), np.array([0.2]), np.array([0.4])),
    ...                          (np.array([0.1]), np.array([0.05]), np.array([0.2])), np.array([1.0]), 0.0)
    >>> [limit.round(4).item() for limit in limits]
    [0.0586, 0.3118]
    """
    value = first[0] - weight * second[0]
    down, up = first[0] - first[1], first[2] - first[0]
    of_down, of_up = weight * (second[2] - second[0]), weight * (second[0] - second[1])
    low = value - np.sqrt(np.maximum(down**2 + of_down**2 - 2 * correlation * down * of_down, 0.0))
    high = value + np.sqrt(np.maximum(up**2 + of_up**2 - 2 * correlation * up * of_up, 0.0))
    return low, high


def _running_totals(weights: Floats) -> Floats:
    """Running totals, starting at none."""
    return np.concatenate(([0.0], np.cumsum(weights)))


Kind = Literal["pointwise", "simultaneous"]

MIXTURE = "Jeffreys over the threshold's positions"
A_CLASS_IS_MISSING = "all true labels are of one class, so there is no curve"
# Below these nothing kept its level (verification/bands.py): cases in a class, and cases expected beyond the threshold,
# of which it takes more where some count more than others.
FEWEST_IN_CLASS = 10
FEWEST_BEYOND = 2
FEWEST_WEIGHTED = 10


@dataclass(frozen=True, eq=False, repr=False)
class Band:
    """Limits around a curve: at x[i] the curve is estimated as y[i] and lies between low[i] and high[i].

    A `pointwise` band holds the true value at each single x with `level`; a `simultaneous` one holds the whole true
    curve with `level`. `undefined` says why some limits are nan.
    """

    x_name: str
    y_name: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    level: float
    kind: Kind
    method: str
    n: float
    undefined: str | None = None

    _repr_html_ = in_notebook

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        shown = int(np.isfinite(self.low).sum())
        return (
            f"<{self.kind} {100 * self.level:g} % band of {self.y_name} at given {self.x_name}: "
            f"limits at {shown:,} of {counted(len(self), 'point')}, {self.method}>"
        )

    def table(self) -> Table:
        """The points with their limits.

        >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
        >>> from assay.curves.roc_bands import roc_band
        >>> print(roc_band(table, at=[0.3, 0.6]).table())
          fpr  recall    low   high
        0.300   0.500  0.296  0.839
        0.600   1.000  0.397  1.000
        """
        columns = {self.x_name: self.x, self.y_name: self.y, "low": self.low, "high": self.high}
        return Table({name: values.tolist() for name, values in columns.items()})


def pointwise(names: tuple[str, str], across: Side, up: Side, x: Floats, share: Floats, level: float) -> Band:
    """The share of one class beyond the score that parts off a given share of the other, with pointwise limits.

    `x` is what the band calls that given share. The true score is unknown: it may stand at any of the positions that
    the sampling of `across` allows, and given one of them the rate is a binomial share of `up`.
    """
    if not across.size or not up.size:
        return missing(names, x, level, A_CLASS_IS_MISSING, across.size + up.size)
    value = np.interp(share, across.shares, up.shares)
    at = heights(across, up, positions(across, share))
    n = up.effective(at)
    low, high = mixture_limits(at * n, (1 - at) * n, level)
    reasons = (few_in_class(across, up), too_few(across, share, "the threshold"), few_weighted(up, value))
    return held(Band(*names, x, value, low, high, level, "pointwise", MIXTURE, across.size + up.size), *reasons)


def heights(across: Side, up: Side, share: Floats) -> Floats:
    """The share of `up` where so much of `across` is parted off: the mean of half a case before and half a case after.

    Just where the curve rises vertically, as it does at each single case of `up`, that is half-way.
    """
    half = 0.5 / across.kish
    before, after = (np.interp(at, across.shares, up.shares) for at in (share - half, share + half))
    middle: Floats = 0.5 * (before + after)
    return middle


def held(band: Band, *reasons: tuple[NDArray[np.bool_], str]) -> Band:
    """The band with its limits around the value, and without those that a reason forbids."""
    low, high = np.minimum(band.low, band.y), np.maximum(band.high, band.y)
    forbidden, said = np.isnan(band.y), []
    for where, why in reasons:
        where = np.broadcast_to(where, forbidden.shape)
        if (where & ~forbidden).any():
            said.append(why)
        forbidden = forbidden | where
    low, high = (np.where(forbidden, math.nan, limit) for limit in (low, high))
    return replace(band, low=low, high=high, undefined="; ".join(said) or band.undefined)


def few_in_class(*classes: Side) -> tuple[NDArray[np.bool_], str]:
    """Refuses small classes."""
    smaller = min(side.kish for side in classes)
    why = f"{counted(round(smaller), 'case')} in a class: at least {FEWEST_IN_CLASS} needed"
    return np.array(smaller < FEWEST_IN_CLASS), why


def too_few(side: Side, share: Floats, thing: str) -> tuple[NDArray[np.bool_], str]:
    """Refuses points with hardly a case on one side of the threshold, where its position is a guess."""
    fewest = FEWEST_WEIGHTED if side.is_weighted else FEWEST_BEYOND
    why = f"no limits where fewer than {fewest} cases are expected on one side of {thing}"
    return side.beyond(share) < fewest * (1 - 1e-9), why


def few_weighted(side: Side, share: Floats) -> tuple[NDArray[np.bool_], str]:
    """Refuses weighted shares that rest on hardly a case: one more of a large weight would change them much."""
    why = f"no limits where weights leave fewer than {FEWEST_WEIGHTED} effective cases of a kind"
    return np.asarray(side.is_weighted & (side.beyond(share) < FEWEST_WEIGHTED)), why


def sides(table: ScoreTable, *, from_the_top: bool = True) -> tuple[Side, Side]:
    """Negatives and positives in the order a curve meets them."""
    step = -1 if from_the_top else 1
    negative, positive = table.negative[::step], table.positive[::step]
    if not table.is_weighted:
        return Side(negative, negative), Side(positive, positive)
    squares = table.squared_weights
    return Side(negative, squares[0][::step]), Side(positive, squares[1][::step])


def missing(names: tuple[str, str], x: Floats, level: float, reason: str, n: float) -> Band:
    """A band without a value or limits, and why."""
    none = np.full(len(x), math.nan)
    return Band(*names, x, none, none, none, level, "pointwise", "none", n, reason)


def as_estimate(band: Band) -> Estimate:
    """A band of one point as an estimate."""
    value, low, high = (float(part[0]) for part in (band.y, band.low, band.high))
    return Estimate(band.y_name, value, low, high, band.level, band.method, band.n, undefined=band.undefined)


def refuse_clusters(table: ScoreTable) -> None:
    """Bands take rows as independent."""
    if table.rows is not None:
        found = "a band assumes independent cases, and these come in clusters"
        raise OptionError(found, "the measures at a threshold, or roc_auc: their intervals are cluster-robust")


def refuse_weights(table: ScoreTable, instead: str) -> None:
    """Some bands count whole cases."""
    if table.is_weighted:
        raise OptionError("these cases have weights, and this counts whole ones", f"{instead}, which takes weights")


# In larger samples the band is held at this many of the ranks; in between the next one counts, which is safe.
MOST_RANKS = 600
# Of these, so many at either end stand close together: there the limits change fastest.
CLOSE_RANKS = 50
CURVE_SIMULTANEOUS_HALVINGS = 10
# Products larger than this are quicker by Fourier transform.
LONG_CONVOLUTION = 1 << 18


def kolmogorov_limits(n: int, level: float) -> tuple[Floats, Floats]:
    """Limits of the share of a population beyond a score, when 0, 1, ... n of n cases lie beyond it.

    They hold at every score at once with at least `level` (Dvoretzky, Kiefer & Wolfowitz 1956, Massart's constant), for
    any distribution and any n; equally wide everywhere, and so wide at the ends.

    >>> low, high = kolmogorov_limits(100, 0.95 ** 0.5)
    >>> (high - low)[50].round(4)
    np.float64(0.2956)
    """
    half = math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    share = np.arange(n + 1) / n
    return np.maximum(share - half, 0.0), np.minimum(share + half, 1.0)


@lru_cache(maxsize=64)
def equal_level_limits(n: int, level: float) -> tuple[Floats, Floats]:
    """Limits of the share of a population beyond a score, when 0, 1, ... n of n cases lie beyond it.

    They hold at every score at once with `level`, for any distribution, and each rank has the same chance to fall
    outside: narrow at the ends, where Kolmogorov's are wide (Aldor-Noiman et al. 2013). The chance of a rank is found
    by halving, with the exact probability that uniform order statistics stay inside.

    >>> low, high = equal_level_limits(100, 0.95 ** 0.5)
    >>> (high - low)[[0, 50, 100]].round(4)
    array([0.0731, 0.3286, 0.0731])
    """
    ranks = _band_ranks(n)
    inside, outside = (1 - level) / (2 * len(ranks)), 1 - level
    for _ in range(CURVE_SIMULTANEOUS_HALVINGS):
        middle = math.sqrt(inside * outside)
        keeps = _probability_inside(n, ranks, *_order_statistic_limits(n, ranks, middle)) >= level
        inside, outside = (middle, outside) if keeps else (inside, middle)
    low, high = _order_statistic_limits(n, ranks, inside)
    counts = np.arange(n + 1)
    before = np.searchsorted(ranks, counts, side="right")
    return np.concatenate(([0.0], low))[before], np.concatenate((high, [1.0]))[before]


def _band_ranks(n: int) -> NDArray[np.int64]:
    """The ranks at which the band is held."""
    if n <= MOST_RANKS:
        return np.arange(1, n + 1)
    close = np.arange(1, CLOSE_RANKS + 1)
    spread = np.linspace(CLOSE_RANKS, n + 1 - CLOSE_RANKS, MOST_RANKS - 2 * CLOSE_RANKS + 2)[1:-1].astype(np.int64)
    return np.concatenate((close, spread, n + 1 - close[::-1]))


def _order_statistic_limits(n: int, ranks: NDArray[np.int64], chance: float) -> tuple[Floats, Floats]:
    """Where each of the order statistics of n uniform numbers lies but for this chance."""
    whole = ranks.astype(np.float64)
    low, high = (np.asarray(betaincinv(whole, n - whole + 1, t), np.float64) for t in (chance / 2, 1 - chance / 2))
    return low, high


def _probability_inside(n: int, ranks: NDArray[np.int64], low: Floats, high: Floats) -> float:
    """The probability that the order statistics of n uniform numbers all stay within their limits.

    The number below t is followed through all limits as a Poisson process, then conditioned on n at the end (Moscovich
    & Nadler 2017): at a lower limit it must still be below the rank, at an upper limit have reached it.
    """
    chances, first = np.ones(1), 0
    time, lows, highs = 0.0, 0, 0
    while highs < len(ranks):
        is_low = lows < len(ranks) and low[lows] <= high[highs]
        at = float(low[lows] if is_low else high[highs])
        if is_low:
            lows += 1
        else:
            highs += 1
        most = int(ranks[lows]) - 1 if lows < len(ranks) else n
        most = min(most, int(ranks[lows - 1]) - 1) if is_low else most
        fewest = max(first, int(ranks[highs - 1]) if highs else 0)
        chances = _poisson_shifted(chances, n * (at - time), fewest - first, most - first)
        time, first = at, fewest
    final = _poisson_shifted(chances, n * (1 - time), n - first, n - first)
    return float(final[0] / np.exp(_log_poisson(np.array(n), float(n))))


def _poisson_shifted(chances: Floats, mean: float, fewest: int, most: int) -> Floats:
    """The distribution of a count after a Poisson number more, kept from `fewest` to `most`."""
    steps = np.exp(_log_poisson(np.arange(most + 1), mean))
    if len(chances) * len(steps) < LONG_CONVOLUTION:
        return np.convolve(chances, steps)[fewest : most + 1]
    size = len(chances) + len(steps)
    joined = np.fft.irfft(np.fft.rfft(chances, size) * np.fft.rfft(steps, size), size)
    return np.maximum(joined[fewest : most + 1], 0.0)


def _log_poisson(count: Any, mean: float) -> Any:
    return xlogy(count, mean) - mean - gammaln(count + 1)


# How unlikely a point may be: found by simulation, not proved. Its 95 % point over all curves tried and 15 to 20,000
# cases moved from 1.6 to 5.1 only (verification/bands.py).
AT_95, PER_LOG_CASES, BELOW_95 = 2.0, 0.35, 0.8
# Inside a tie block points so many standard errors apart stand for those between them: at the point of a straight
# line that is the likeliest, a shift of half of that changes the log likelihood by less than .008.
APART = 0.25
NEAR, TINY, HUGE = 1e-12, 1e-300, 1e300
MOST_STEPS = 60
# Corners tried of a curve that has but one.
CORNERS = 513
# The logarithm of a chance of 0: no count times it is ever likely enough.
NEVER = -1e300


def likelihood_limits(negative: Floats, positive: Floats, fpr: Floats, level: float) -> tuple[Floats, Floats]:
    """The least and the greatest recall at each false-positive rate, so that with `level` the whole true curve is held.

    `negative` and `positive` are the cases of tie blocks from the highest score down; neither class is empty. A point
    (f, t) is held where some point (i, j) of the curve of counts has n0 KL(i/n0, f) + n1 KL(j/n1, t) <= c, KL being
    Bernoulli's divergence: a likelihood ball around every point of the curve, after the bands of Berk & Jones (1979)
    and Owen (1995) for one distribution. Tie blocks are walked along their diagonal, case by case of the class that has
    more in them. Where there are two scores only, the curve runs straight to its one corner and straight on, which
    makes the band narrower.

    >>> negative, positive = np.array([1.0, 4.0, 15.0]), np.array([12.0, 5.0, 3.0])
    >>> [side.round(3).tolist() for side in likelihood_limits(negative, positive, np.array([0.0, 0.5]), 0.95)]
    [[0.0, 0.643], [0.152, 0.995]]
    """
    n0, n1 = float(negative.sum()), float(positive.sum())
    reach = _likelihood_radius(n0 + n1, level)
    if len(negative) == 2:
        return _corner_recall_range(float(negative[0]), float(positive[0]), n0, n1, fpr, reach)
    across, up = _count_curve(negative, positive)
    moves = np.diff(across) > 0
    # Over one and the same false-positive rate the lowest point decides the lower limit and the highest the upper one.
    lowest, highest = np.concatenate(([True], moves)), np.concatenate((moves, [True]))
    low = _lowest_recall(across[lowest], up[lowest], n0, n1, fpr, reach)
    # Turned upside down, what is highest is lowest.
    high = 1 - _lowest_recall(across[highest], n1 - up[highest], n0, n1, fpr, reach)
    return low, high


def _corner_recall_range(
    alarms: float, hits: float, n0: float, n1: float, fpr: Floats, reach: float
) -> tuple[Floats, Floats]:
    """The least and greatest recall on straight lines to a corner in its ball, and on from there.

    The lines begin in the ball of (0, 0) and end in that of (1, 1), since scores that nobody here has may be rare: at
    the corner of the rectangle around either ball that is furthest out.
    """
    ends = (
        _inverse_divergence(np.array([share]), np.array([reach / n0]))[0] for share in (alarms / n0, 1 - alarms / n0)
    )
    first, last = next(ends), 1 - next(ends)
    # Evenly spaced on the scale where the spread of a share is the same everywhere.
    angle = np.linspace(math.asin(math.sqrt(first)), math.asin(math.sqrt(last)), CORNERS)
    # Never quite 0 or 1, where the curve may rise straight up.
    corner, fpr = (np.clip(share, NEAR, 1 - NEAR) for share in (np.sin(angle) ** 2, fpr))
    own = n0 * _negative_entropy(np.array([alarms / n0]))
    left = np.maximum(reach - _scaled_divergence(np.array([alarms]), np.array([n0 - alarms]), own, corner), 0.0) / n1
    low = _inverse_divergence(np.full(CORNERS, hits / n1), left)
    high = 1 - _inverse_divergence(np.full(CORNERS, 1 - hits / n1), left)
    across, up = -math.expm1(-reach / n0), -math.expm1(-reach / n1)
    place = np.searchsorted(corner, fpr)
    rise = low / np.maximum(corner - across, NEAR)
    fall = (1 - up - low) / np.maximum(1 - corner, NEAR)
    lowest = np.minimum(
        np.maximum(fpr - across, 0.0) * _prefix_minimum(rise[::-1], CORNERS - place),
        1 - up + (1 - fpr) * _prefix_minimum(-fall, place),
    )
    rise = (high - up) / np.maximum(corner, NEAR)
    fall = (1 - high) / np.maximum(1 - across - corner, NEAR)
    highest = np.maximum(
        up - fpr * _prefix_minimum(-rise[::-1], CORNERS - place),
        1 - np.maximum(1 - across - fpr, 0.0) * _prefix_minimum(fall, place),
    )
    return np.clip(lowest, 0.0, 1.0), np.clip(highest, 0.0, 1.0)


def _prefix_minimum(values: Floats, count: NDArray[np.intp]) -> Floats:
    """The least of the first so many values; a huge one where that is none."""
    return np.concatenate(([HUGE], np.minimum.accumulate(values)))[count]


def _likelihood_radius(cases: float, level: float) -> float:
    """How far from the likeliest a point may be, on the scale of log likelihoods."""
    more = math.log(0.05 / (1 - level))
    return AT_95 + PER_LOG_CASES * math.log(cases) + (more if more > 0 else BELOW_95 * more)


def _count_curve(negative: Floats, positive: Floats) -> tuple[Floats, Floats]:
    """The curve of counts, vertex by vertex, with steps of at most one case of either class inside a tie block."""
    steps = np.maximum(np.ceil(np.maximum(negative, positive)), 1).astype(np.int64)
    block = np.repeat(np.arange(len(steps)), steps)
    place = np.arange(1, len(block) + 1) - np.repeat(np.cumsum(steps) - steps, steps)
    part = place / steps[block]
    walked = []
    for side in (negative, positive):
        before = np.cumsum(side) - side
        walked.append(np.concatenate(([0.0], before[block] + part * side[block])))
    across, up = walked
    if len(across) == len(steps) + 1:
        return across, up
    passed = sum(2 * np.sqrt(side[-1]) * np.arcsin(np.sqrt(np.minimum(side / side[-1], 1))) for side in walked)
    mark = np.floor(passed / APART)
    ends = np.concatenate(([True], part == 1))
    kept = ends | (np.diff(mark, prepend=-1.0) > 0)
    return across[kept], up[kept]


def _lowest_recall(across: Floats, up: Floats, n0: float, n1: float, fpr: Floats, reach: float) -> Floats:
    """The least t at each f that a point of the curve reaches; `across` rises, `up` only rises or only falls.

    Only points whose own count is likely at f matter, a narrow range of the curve. Beginning at the lowest of them, the
    one that has most to spare at t is found by products alone, and t moves to the least that this one reaches: until
    none has anything to spare.
    """
    first, last = _likely_places(across, n0, fpr, reach)
    place = np.minimum(first[:, None] + np.arange(int((last - first).max())), last[:, None] - 1)
    yes = up[place]
    no = n1 - yes
    x = across[place]
    left = reach - _scaled_divergence(x, n0 - x, (n0 * _negative_entropy(across / n0))[place], fpr[:, None])
    spare = np.where(left >= 0, left - (n1 * _negative_entropy(up / n1))[place], -np.inf)
    rows = np.arange(len(fpr))
    found = np.where(left >= 0, yes, n1).min(1) / n1
    while True:
        slack = spare + yes * _safe_log(found)[:, None]
        slack += no * _safe_log(1 - found)[:, None]
        best = np.argmax(slack, axis=1)
        lower = _inverse_divergence(yes[rows, best] / n1, left[rows, best] / n1)
        moved = lower < found - NEAR
        if not moved.any():
            return np.asarray(found)
        found = np.where(moved, lower, found)


def _likely_places(across: Floats, n: float, fpr: Floats, reach: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Between which places the counts may be likely at each rate, by Bernstein's bound, which is a little too wide."""
    third = reach / n / 3
    far = third + np.sqrt(third * third + 2 * reach / n * fpr * (1 - fpr))
    # A case more, so that there is always one.
    low, high = n * (fpr - far) - 1, n * (fpr + far) + 1
    return np.searchsorted(across, low), np.searchsorted(across, high, side="right")


def _inverse_divergence(share: Floats, radius: Floats) -> Floats:
    """The least t with KL(share, t) <= radius, by Newton's method on the logit scale.

    There the divergence is convex, so that steps from below never pass the limit.
    """
    own, inside = _negative_entropy(share), (share > 0) & (radius > 0)
    p = np.where(inside, share, 0.5)
    by_pinsker = np.maximum(p - np.sqrt(np.maximum(radius, 0.0) / 2), 0.0)
    logit = np.maximum(_safe_log(by_pinsker) - _safe_log(1 - by_pinsker), (own - radius) / p)
    for _ in range(MOST_STEPS):
        t = expit(logit)
        step = (own - p * logit + np.logaddexp(0.0, logit) - radius) / np.maximum(p - t, TINY)
        step = np.where(inside & (p > t), np.maximum(step, 0.0), 0.0)
        logit += step
        if (step <= NEAR * (1 + np.abs(logit))).all():
            break
    found: Floats = np.where(inside, np.minimum(expit(logit), share), share)
    return found


def _negative_entropy(share: Floats) -> Floats:
    rest = np.maximum(1 - share, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.nan_to_num(share * np.log(share)) + np.nan_to_num(rest * np.log(rest))
    return found


def _scaled_divergence(yes: Floats, no: Floats, entropy: Floats, chance: Floats) -> Floats:
    """n KL(yes / n, chance), given n times the negative entropy of the share."""
    found: Floats = entropy - yes * _safe_log(chance) - no * _safe_log(1 - chance)
    return found


def _safe_log(chance: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(np.maximum(chance, 0.0)), NEVER)
