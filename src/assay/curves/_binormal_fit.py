"""The binormal model by maximum likelihood: two normal classes behind ordered categories (Dorfman & Alf, 1969).

Continuous scores are put into categories that hold runs of one class, or ties: thresholds inside such a run tell
nothing about the curve (Metz, Herman & Shen, 1998).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import solveh_banded
from scipy.special import log_ndtr, ndtr, ndtri

from assay.evidence import ScoreTable
from assay.types import Floats

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


def _log_cells(cuts: Floats) -> Floats:
    """The logarithms of the chances of the categories between cut points, exact in both tails."""
    ends = np.concatenate(([-np.inf], cuts, [np.inf]))
    low, high = ends[:-1], ends[1:]
    # Above the middle the other tail keeps the digits.
    flipped = low > 0
    low, high = np.where(flipped, -high, low), np.where(flipped, -low, high)
    upper, lower = log_ndtr(high), log_ndtr(low)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(upper + np.log1p(-np.exp(np.minimum(lower - upper, 0.0))))


def _side(cuts: Floats, counts: Floats, *, expected: bool) -> _Side:
    logs = _log_cells(cuts)
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


def _times(side: _Side, vector: Floats) -> Floats:
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


def _moments(a: float, b: float, cuts: Floats, negative: Floats, positive: Floats, *, expected: bool) -> _Moments:
    of_negatives = _side(cuts, negative, expected=expected)
    of_positives = _side(b * cuts - a, positive, expected=expected)
    ones = np.ones(len(cuts))
    by_a, by_b = _times(of_positives, ones), _times(of_positives, cuts)
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


def _solved(found: _Moments) -> tuple[Floats, Floats, Floats] | None:
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


def _start(negative: Floats, positive: Floats) -> tuple[float, float, Floats]:
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
        return "truth holds a single class, so there is no curve"
    negative, positive, starts = truth_runs(table)
    if len(negative) < 3:
        return "the scores leave fewer than two points between the corners, and a binormal curve needs two"
    a, b, cuts = _start(negative, positive)
    for _ in range(MOST_STEPS):
        exact = _moments(a, b, cuts, negative, positive, expected=False)
        solved = _solved(exact) or _solved(_moments(a, b, cuts, negative, positive, expected=True))
        if solved is None:
            break
        step, step_cuts, _ = solved
        gain = float(step @ exact.uphill + step_cuts @ exact.uphill_cuts)
        size = _taken(a, b, cuts, step, step_cuts, exact.value, negative, positive)
        a, b, cuts = a + size * step[0], b + size * step[1], cuts + size * step_cuts
        if not (abs(a) < FARTHEST and SPREADS[0] < b < SPREADS[1]) or size == 0:
            break
        if size == 1 and gain < 1e-12 * float((negative + positive).sum()) and np.abs(step).max() < 1e-7:
            return _fitted(a, b, cuts, negative, positive, starts)
    return "no binormal curve fits best: the classes hardly overlap, or the points lie on the edge of the plot"


def _taken(
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
            value = sum(float(side[side > 0] @ _log_cells(at)[side > 0]) for at, side in sides)
            if value >= before - 1e-9 * abs(before):
                return size
        size /= 2
    return 0.0


def _fitted(a: float, b: float, cuts: Floats, negative: Floats, positive: Floats, starts: Floats) -> BinormalFit | str:
    found = _moments(a, b, cuts, negative, positive, expected=False)
    solved = _solved(found)
    if solved is None:
        return "no binormal curve fits best: the likelihood is level around the best one found"
    covariance = solved[2]
    inner = solveh_banded(found.band, found.across)
    own = _diagonal_of_inverse(found.band)
    errors = np.sqrt(own + np.einsum("ij,jk,ik->i", inner, covariance, inner))
    robust = _robust(b, cuts, inner, covariance, negative) + _robust(b, cuts, inner, covariance, positive, a)
    return BinormalFit(float(a), float(b), covariance, robust, cuts, errors, found.value, negative, positive, starts)


def _robust(
    b: float, cuts: Floats, inner: Floats, covariance: Floats, counts: Floats, a: float | None = None
) -> Floats:
    """What the cases of one class add to the covariance of a and b, from how much each moves them.

    A case moves them by its efficient score: its own less what the cut points take of it (`inner`). Without `a` the
    class is that of the negatives, which tell of the cut points alone.
    """
    own = cuts if a is None else b * cuts - a
    logs = _log_cells(own)
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
