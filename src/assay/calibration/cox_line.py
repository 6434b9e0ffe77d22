"""The logistic line through a score table: logit P(positive) = intercept + slope x, fitted by maximum likelihood.

Cox's line of scores in cells: between what its coefficients lie, wherever the scores lie inside their cells.

For given scores the likelihood of a line is concave. With one coefficient held and the other at its best, the
likelihood rises towards the best line: where it falls for all scores that the cells allow, the coefficient of every one
of them lies below. What it rises by is a sum over the cases, so that its greatest value is at most the sum of theirs.

What cells of scores leave open of Cox's line, beside its coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logit

from assay.evidence import ScoreTable, arrangements, line_pulls
from assay.results import Estimate
from assay.types import Floats
from assay.uncertainty.logistic import fit_line, pieces

# A first fit on cells of so many scores, or on so many cells of more, brings the fit on all within a step or two.
EACH, FEWEST, COARSE = 16, 512, 16_384

PARTED = "the probabilities part the classes without overlap, so a steeper line always fits better and none fits best"
MEETING = (
    "{share} of the cases are at the one probability that both classes have, and to either side of it stands one class "
    "at most, so a steeper line always fits better and none fits best"
)
ONE_CLASS = "all true labels are of one class, so no line fits best"
ONE_SCORE = "every case has the same probability, which gives no slope"
NOT_FOUND = "the fit did not converge: the logits are too close together, or a few are extreme"


class FittedLine(NamedTuple):
    """Intercept and slope, and the inverse of the information about them."""

    at: Floats
    covariance: Floats

    def __call__(self, x: Floats) -> Floats:
        return np.asarray(self.at[0] + self.at[1] * x)


def why_no_line(table: ScoreTable, *, with_slope: bool) -> str | None:
    """Why no line fits best, if so: one class, one probability, or classes that share no probability, or only one.

    >>> why_no_line(ScoreTable.of([0.2, 0.7, 0.8], [False, True, True]), with_slope=True)
    'the probabilities part the classes without overlap, so a steeper line always fits better and none fits best'
    >>> why_no_line(ScoreTable.of([0.1, 0.2, 0.2, 0.2], [False, False, True, True]), with_slope=True)
    '75 % of the cases are at the one probability that both classes have, and to either side of it stands one class...
    """
    if min(table.negatives, table.positives) == 0:
        return ONE_CLASS
    if not with_slope:
        return None
    if len(table) == 1:
        return ONE_SCORE
    of_negatives, of_positives = (_first_and_last(side > 0) for side in (table.negative, table.positive))
    # What lies between the highest of the one class and the lowest of the other, whichever is below.
    gap = max(of_positives[0] - of_negatives[1], of_negatives[0] - of_positives[1])
    if gap > 0:
        return PARTED
    if gap < 0:
        return None
    at = of_positives[0] if of_positives[0] == of_negatives[1] else of_negatives[0]
    share = float(table.negative[at] + table.positive[at]) / float(table.total)
    return MEETING.format(share=f"{100 * share:.3g} %")


def _first_and_last(is_there: NDArray[np.bool_]) -> tuple[int, int]:
    """The first and the last place at which something is."""
    return int(is_there.argmax()), len(is_there) - 1 - int(is_there[::-1].argmax())


def logistic(logits: Floats) -> Floats:
    """Probabilities from logits; numpy's exp takes a third of the time of scipy's function for this.

    >>> logistic(np.array([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ])
    """
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-logits)))


def logits(probability: Floats | float, clip: float) -> Floats:
    """Log odds, with 0 and 1 held so far from certainty.

    >>> logits(np.array([0.0, 0.5, 1.0]), 0.001).round(3)
    array([-6.907,  0.   ,  6.907])
    """
    p = np.clip(probability, clip, 1 - clip)
    return np.asarray(np.log(p / (1 - p)))


def fitted(table: ScoreTable, x: Floats, *, with_slope: bool) -> FittedLine | str:
    """The best line, with the slope free or held at 1, or why there is none.

    >>> table = ScoreTable.of([0.2, 0.2, 0.8, 0.8], [False, True, True, True])
    >>> line = fitted(table, logit(table.score), with_slope=False)
    >>> line.at.round(3), round(float(line.covariance[0, 0]), 3)
    (array([1.582, 1.   ]), 1.7)
    """
    reason = why_no_line(table, with_slope=with_slope)
    if reason is not None:
        return reason
    start = np.array([float(logit(table.positives / table.total)), 0.0]) if with_slope else np.array([0.0, 1.0])
    if len(x) > EACH * FEWEST:
        first = np.arange(0, len(x), max(EACH, len(x) // COARSE))
        negative, positive = (np.add.reduceat(side, first) for side in (table.negative, table.positive))
        middle = np.add.reduceat(x * table.cases, first) / (negative + positive)
        near = _maximum_likelihood_line(middle, negative, positive, start, with_slope=with_slope)
        start = start if near is None else near.at
    line = _maximum_likelihood_line(x, table.negative, table.positive, start, with_slope=with_slope)
    return NOT_FOUND if line is None else line


def _maximum_likelihood_line(
    x: Floats, negative: Floats, positive: Floats, start: Floats, *, with_slope: bool
) -> FittedLine | None:
    fit = fit_line(x, negative, positive, start, with_slope=with_slope)
    if fit is None:
        return None
    free = slice(None) if with_slope else slice(1)
    covariance = np.zeros((2, 2))
    covariance[free, free] = np.linalg.inv(fit.information)
    return FittedLine(fit.coefficients, covariance)


class Pulls(NamedTuple):
    """How cases pull at intercept and slope: the sums of products of it, and what usual cases with labels turned would.

    `turned` has a row for the negatives and one for the positives, each summed.
    """

    products: Floats
    turned: Floats


def pulls_of(table: ScoreTable, x: Floats, line: FittedLine) -> Pulls:
    """How single cases pull at a line, their weights squared."""
    sums = np.array(line_pulls(x, *table.squared_weights, float(line.at[0]), float(line.at[1])))
    return Pulls(sums[[[0, 1], [1, 2]]], np.array((sums[3:5], -sums[5:])))


def sandwich(table: ScoreTable, x: Floats, line: FittedLine, pulls: Pulls | None = None) -> Floats:
    """The covariance of intercept and slope that holds whatever the shape, the weights and the clusters (White 1982).

    Divided by cases less coefficients (by clusters less one), without which it is too small in small samples.
    """
    if table.rows is not None:
        p = logistic(line(x))
        each = np.stack([sum(table.rows.sums(-p * v, (1 - p) * v)) for v in (np.ones(len(x)), x)])
        pulled, cases, spent = each @ each.T, float(each.shape[1]), 1
    else:
        pulled = (pulls or pulls_of(table, x, line)).products
        cases, spent = sum(table.kish), int(np.count_nonzero(np.diag(line.covariance)))
    grown = cases / (cases - spent) if cases > spent else math.nan
    return np.asarray(line.covariance @ pulled @ line.covariance * grown)


Pair = tuple[float, float]

# The first places that are tried lie so much further out than a straight calculation says, and each next one more.
FURTHER, GROWTH = 1.05, 1.4
# No coefficient further out than this says anything that "without end" does not.
FARTHEST = 1e4
# How often what is left open of the other coefficient is halved, and a place that was found far out moved back in.
MOST_HALVED, MOVED_BACK = 6, 6
# A box of lines further about the fitted one is not worth trying, and steps smaller than rounding are none.
CLOSE, LEAST_STEP = 1.0, 1e-11
# Of cases that may be anywhere between 0 and 1, that is cut into so many stretches.
STRETCHES = 512
# What sums of many terms may be off by, of the sum of their sizes.
ROUNDING = 1e-13


class _Span(NamedTuple):
    """The least and greatest logit that cases could have, a stretch."""

    low: Floats
    high: Floats

    def most(self, at: Pair, ways: Sequence[Pair]) -> Iterator[tuple[Floats, Floats]]:
        """Of each way (u, v): no less than (outcome - probability) (u + v logit), of negatives and of positives."""
        width = self.high - self.low
        p = [logistic(at[0] + at[1] * end) for end in self]
        least, greatest = _variance_bounds(*p)
        for across in ways:
            along = [across[0] + across[1] * end for end in self]
            # How the term rises with the logit: v (outcome - p) - slope p (1 - p) (u + v logit).
            bent = [-at[1] * each for each in along]
            falls, rises = np.minimum(*bent), np.maximum(*bent)
            falls *= np.where(falls < 0, greatest, least)
            rises *= np.where(rises > 0, greatest, least)
            both = []
            for outcome in (0.0, 1.0):
                missed = [outcome - each for each in p]
                tilt = [across[1] * each for each in missed]
                steepest, lowest = np.maximum(*tilt) + rises, np.minimum(*tilt) + falls
                corners = [one * two for one in missed for two in along]
                from_low = corners[0] + width * np.maximum(steepest, 0.0)
                from_high = corners[3] + width * np.maximum(-lowest, 0.0)
                both.append(np.minimum(np.minimum(from_low, from_high), np.maximum.reduce(corners)))
            yield both[0], both[1]

    def turned(self, at: Pair, radii: Pair, across: Pair, other: int) -> tuple[Floats, Floats]:
        """Between what -p (1 - p) (u + v logit) z lies, of lines up to so far from this; z is 1 or the logit."""
        lines = [at[0] + at[1] * end for end in self]
        around = radii[0] + radii[1] * np.maximum(*map(np.abs, self))
        least, greatest = _variance_bounds(logistic(np.minimum(*lines) - around), logistic(np.maximum(*lines) + around))
        along = [across[0] + across[1] * end for end in self]
        products = along if other == 0 else [one * two for one in along for two in self]
        low, high = np.minimum.reduce(products), np.maximum.reduce(products)
        return -high * np.where(high > 0, greatest, least), -low * np.where(low < 0, greatest, least)


@dataclass(frozen=True)
class _Open:
    """The logits that scores in their cells could have; those of cases that are not shown may be anywhere."""

    span: _Span
    negative: Floats
    positive: Floats
    anywhere: _Span
    hidden: tuple[float, float]

    @classmethod
    def of(cls, table: ScoreTable, clip: float) -> _Open:
        reach = table.reach
        assert reach is not None
        least, greatest = (float(logits(end, clip)) for end in (reach.least, reach.greatest))
        # In short stretches the bound of each is close, and the greatest of them that of all.
        steps = np.linspace(least, greatest, STRETCHES + 1)
        span, anywhere = _Span(logits(reach.low, clip), logits(reach.high, clip)), _Span(steps[:-1], steps[1:])
        return cls(span, table.negative, table.positive, anywhere, (reach.negatives, reach.positives))

    def _parts(self) -> Iterator[tuple[_Span, Floats, Floats]]:
        for part in pieces(len(self.negative)):
            yield _Span(*(end[part] for end in self.span)), self.negative[part], self.positive[part]

    def most(self, at: Pair, *ways: Pair) -> Floats:
        """Of each way (u, v) the greatest sum of (outcome - probability) (u + v logit) that scores could give."""
        found, size = np.zeros((2, len(ways)))
        for span, *sides in self._parts():
            for k, each in enumerate(span.most(at, ways)):
                for cases, best in zip(sides, each, strict=True):
                    found[k] += float(cases @ best)
                    size[k] += float(cases @ np.abs(best))
        if any(self.hidden):
            for k, each in enumerate(self.anywhere.most(at, ways)):
                found[k] += sum(n * float(best.max()) for n, best in zip(self.hidden, each, strict=True))
        return found + ROUNDING * size

    def turned(self, at: Pair, radii: Pair, across: Pair, other: int) -> Pair:
        """Between what the rise of that sum with one coefficient lies, of lines up to so far from this."""
        low = high = 0.0
        for span, negative, positive in self._parts():
            ends = span.turned(at, radii, across, other)
            cases = negative + positive
            low, high = low + float(cases @ ends[0]), high + float(cases @ ends[1])
        if any(self.hidden):
            ends, n = self.anywhere.turned(at, radii, across, other), sum(self.hidden)
            low, high = low + n * float(ends[0].min()), high + n * float(ends[1].max())
        return low, high

    def mean(self, at: Pair, which: int) -> float:
        """What to take off one predictor so that the other does not move with it, at the middle of the cells."""
        sums = np.zeros(3)
        for span, negative, positive in self._parts():
            x = (span.low + span.high) / 2
            p = logistic(at[0] + at[1] * x)
            spread = (negative + positive) * p * (1 - p)
            sums += spread.sum(), spread @ x, spread @ x**2
        whole = sums[0] if which == 1 else sums[2]
        return float(sums[1] / whole) if whole > 0 else 0.0


def _variance_bounds(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The least and greatest p (1 - p) between two probabilities."""
    spreads = [p * (1 - p) for p in (one, other)]
    has_middle = (np.minimum(one, other) < 0.5) & (np.maximum(one, other) > 0.5)
    return np.minimum(*spreads), np.where(has_middle, 0.25, np.maximum(*spreads))


def line_in_cells(table: ScoreTable, line: FittedLine, clip: float) -> tuple[Pair, Pair]:
    """Between what intercept and slope of the best line lie; `line` is that of scores in the middle of their cells.

    Certain, and close to the best that can be said where cells are narrow; without end where the cells allow classes
    that do not overlap.

    >>> from assay.calibration.cox_line import fitted
    >>> from assay.evidence import Binned, ScoreGrid
    >>> rng = np.random.default_rng(1)
    >>> p = rng.random(500)
    >>> table = Binned.of(p, rng.random(500) < p, ("0", "1"), ScoreGrid("probability", 8)).withheld(5).table()
    >>> line = fitted(table, logits(table.score, 1e-9), with_slope=True)
    >>> intercept, slope = line_in_cells(table, line, 1e-9)
    >>> [round(end, 4) for end in (slope[0], float(line.at[1]), slope[1])]
    [0.9777, 0.9804, 0.9832]
    """
    search = _Search(_Open.of(table, clip), line)
    near = search.box()
    if near is not None:
        return near
    first, second = ((search.end(which, -1), search.end(which, 1)) for which in (0, 1))
    return first, second


class _Search:
    """Looks for places beyond which a coefficient cannot lie, outward from the fitted line."""

    def __init__(self, cells: _Open, line: FittedLine) -> None:
        self.cells, self.at = cells, (float(line.at[0]), float(line.at[1]))
        self.information, self.rows = np.linalg.inv(line.covariance), line.covariance.tolist()
        # How far a Newton step from the fitted line may go, whatever the scores: up and down of either coefficient.
        ways = [(side * row[0], side * row[1]) for row in self.rows for side in (1.0, -1.0)]
        self.steps = np.maximum(np.reshape(cells.most(self.at, *ways), (2, 2)), LEAST_STEP)

    def box(self) -> tuple[Pair, Pair] | None:
        """Where Newton's steps lead back into a box about the fitted line, the best line of any scores is in it.

        References: Krawczyk (1969); the best line is the only one, so the root in the box is it.
        """
        radii = FURTHER * self.steps.max(1)
        if radii.max() > CLOSE:
            return None
        about = (float(radii[0]), float(radii[1]))
        turned = [[self.cells.turned(self.at, about, (row[0], row[1]), other) for other in (0, 1)] for row in self.rows]
        left = np.abs(np.eye(2)[:, :, None] + turned).max(2) @ radii
        if (self.steps.max(1) + left >= radii).any():
            return None
        first, second = (
            (at - float(down + more), at + float(up + more))
            for at, (up, down), more in zip(self.at, self.steps, left, strict=True)
        )
        return first, second

    def end(self, which: int, side: int) -> float:
        """A place that no line's coefficient lies beyond; without end where none was found."""
        step, before = FURTHER * float(self.steps[which, (1 - side) // 2]), 0.0
        while not self._is_beyond(which, side, step):
            before, step = step, step * GROWTH
            if step > FARTHEST:
                return side * math.inf
        for _ in range(MOVED_BACK):
            middle = (before + step) / 2
            before, step = (before, middle) if self._is_beyond(which, side, middle) else (middle, step)
        return self.at[which] + side * step

    def _is_beyond(self, which: int, side: int, step: float) -> bool:
        other, held = 1 - which, self.at[which] + side * step
        middle = self.at[other] - float(self.information[0, 1] / self.information[other, other]) * side * step
        low, high = (self._end_of_other(other, held, middle, way) for way in (-1, 1))
        return self._falls(which, side, held, low, high, MOST_HALVED)

    def _end_of_other(self, other: int, held: float, middle: float, way: int) -> float:
        """How far the other coefficient's best can lie where this one is held."""
        radius = FURTHER * float(self.steps[other].max())
        while radius < FARTHEST:
            at = _intercept_and_slope(other, middle + way * radius, held)
            if self.cells.most(at, _intercept_and_slope(other, way, 0.0))[0] < 0:
                return middle + way * radius
            radius *= 2
        return way * math.inf

    def _falls(self, which: int, side: int, held: float, low: float, high: float, halved: int) -> bool:
        """Whether the likelihood falls outward here, wherever the other coefficient's best lies between these."""
        other, middle, radius = 1 - which, (low + high) / 2, (high - low) / 2
        if not math.isfinite(radius):
            return False
        at = _intercept_and_slope(other, middle, held)
        across = _intercept_and_slope(other, -side * self.cells.mean(at, which), side)
        most = float(self.cells.most(at, across)[0])
        if most >= 0:
            return False
        turned = self.cells.turned(at, _intercept_and_slope(other, radius, 0.0), across, other)
        if most + radius * float(np.abs(turned).max()) < 0:
            return True
        return halved > 0 and all(
            self._falls(which, side, held, *ends, halved - 1) for ends in ((low, middle), (middle, high))
        )


def _intercept_and_slope(other: int, at_other: float, held: float) -> Pair:
    """Intercept and slope, from the one of them that is held and the other."""
    return (at_other, held) if other == 0 else (held, at_other)


IN_THESE_CELLS = "; computed at bin centers, the exact value needs the rows"


def line_with_bounds(
    found: tuple[Estimate, ...], table: ScoreTable, line: FittedLine | str, clip: float
) -> Iterator[Estimate]:
    """Shift, intercept and slope with what cells leave open, or why there is no line though the scores may have one."""
    reach = table.reach
    ends: list[tuple[float, ...]] = [(), (), ()]
    if reach is not None and not reach.is_exact and found[0].undefined != ONE_CLASS:
        ends[0] = shift_in_cells(table, clip)
        ends[1:] = ((), ()) if isinstance(line, str) else line_in_cells(table, line, clip)
    for one, open_ in zip(found, ends, strict=True):
        if reach is None or (math.isnan(one.value) and (reach.is_exact or one.undefined == ONE_CLASS)):
            yield one
        elif math.isnan(one.value):
            is_certain = one.undefined == PARTED and not reach.hidden
            yield one if is_certain else replace(one, undefined=f"{one.undefined}{IN_THESE_CELLS}")
        else:
            yield replace(one, bounds=(min(one.value, *open_), max(one.value, *open_)) if open_ else (one.value,) * 2)


def shift_in_cells(table: ScoreTable, clip: float) -> tuple[float, ...]:
    """The ends of where the intercept lies if the slope is held at 1: it only falls as any score rises.

    >>> from assay.evidence import Binned, ScoreGrid
    >>> table = Binned.of([0.2, 0.3, 0.7], [False, True, True], ("0", "1"), ScoreGrid("probability", 2)).withheld(5)
    >>> [round(end, 3) for end in shift_in_cells(table.table(), 1e-9)]
    [1.214, 1.473]
    """
    return tuple(_intercept_shift(each, logits(each.score, clip)) for each in arrangements(table)[:1:-1])


def _intercept_shift(table: ScoreTable, x: Floats) -> float:
    line = fitted(table, x, with_slope=False)
    if isinstance(line, FittedLine):
        return float(line.at[0])
    # Newton's steps get lost where nearly all cases are called certain; between these ends the promise meets the truth.
    share, cases = float(table.positives / table.total), table.negative + table.positive
    middle = math.log(share / (1 - share))
    ends = middle - float(x.max()) - 1, middle - float(x.min()) + 1
    return float(brentq(lambda a: float(cases @ logistic(a + x) - table.positives), *ends))
