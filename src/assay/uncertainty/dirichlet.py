"""Posterior draws of a confusion matrix, for intervals of any function of its cells.

The posterior of a two-by-two matrix at evenly spread points, not random ones: as exact with a fifth as many.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri

__all__ = ["posterior_matrices", "two_by_two", "weighted_posterior"]


Floats = NDArray[np.float64]

# A lattice of Korobov's: point k stands at k (1, a, a^2) / n, modulo 1 (Korobov 1959; Sloan & Joe 1994). Over eight
# matrices and seven measures its limits are off by a seventy-fifth of their standard error on average; those of 20,000
# random draws by a fiftieth.
POINTS, MULTIPLIER = 4096, 1487
# A quantile of a beta distribution on the logit scale is a smooth function of the normal deviate, even where half a
# case stands in a cell: a polynomial through so many points of it is right to six digits.
DEGREE, REACH = 32, 5.0

_AT = np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1)
_NODES: Floats = REACH * np.cos(_AT)
_TAIL: Floats = ndtr(-np.abs(_NODES))
# From the values at Chebyshev's points to the coefficients of his polynomials.
_TO_COEFFICIENTS: Floats = 2 / (DEGREE + 1) * np.cos(np.outer(np.arange(DEGREE + 1), _AT))
_TO_COEFFICIENTS[0] /= 2


def two_by_two(rows: Floats, shares: Floats, seed: int) -> Floats:
    """Matrices of cell probabilities: of each row as its cells say, of the two rows as their `shares` do.

    Half a case is added to every cell, and so one to each row. Where shares are the sums of rows this is the posterior
    of Jeffreys' prior. With the classes changed about it is the same, changed about.

    >>> draws = two_by_two(np.array([[50.0, 0.0], [5.0, 45.0]]), np.array([50.0, 50.0]), seed=0)
    >>> draws.shape, round(float(draws[:, 1, 1].mean()), 3), round((45 + 0.5) / 102, 3)
    ((4096, 2, 2), 0.446, 0.446)
    """
    said = (*rows.ravel().tolist(), *shares.tolist())
    turned = (*said[3::-1], *said[:3:-1])
    if turned < said:
        return _posterior_matrices(turned, seed)[:, ::-1, ::-1]
    return _posterior_matrices(said, seed)


@lru_cache(maxsize=4)
def _posterior_matrices(said: tuple[float, ...], seed: int) -> Floats:
    """Cached, because every measure of one matrix reads the same."""
    tn, fp, fn, tp = (cell + 0.5 for cell in said[:4])
    of_negatives, of_positives = (share + 1.0 for share in said[4:])
    prevalence, fallout, recall = (
        _logit_quantiles(part, rest) @ of_point
        for part, rest, of_point in zip(
            (of_positives, fp, tp), (of_negatives, tn, fn), _quadrature_points(seed), strict=True
        )
    )
    # Each cell lies in one piece of memory: sums over rows and columns are several times faster so.
    cells = np.empty((2, 2, POINTS))
    for row, share, within in zip((0, 1), _complementary_shares(prevalence), (fallout, recall), strict=True):
        np.multiply(share, _complementary_shares(within), out=cells[row])
    cells.flags.writeable = False
    return np.moveaxis(cells, -1, 0)


@lru_cache(maxsize=4)
def _quadrature_points(seed: int) -> Floats:
    """For each of the three shares that make a matrix, Chebyshev's polynomials at the normal deviates of the points."""
    start = np.random.default_rng(seed).random(3)
    steps = np.array([1, MULTIPLIER, MULTIPLIER**2 % POINTS]) / POINTS
    uniform = (start[:, None] + steps[:, None] * np.arange(POINTS)) % 1.0
    angle = np.arccos(np.clip(ndtri(uniform), -REACH, REACH) / REACH)
    polynomials: Floats = np.cos(np.arange(DEGREE + 1)[:, None] * angle[:, None, :])
    return polynomials


def _complementary_shares(logits: Floats) -> Floats:
    """What lacks of 1, and the share, of logits that are nowhere near those whose exponential no double holds."""
    odds = np.exp(logits)
    whole = 1 + odds
    return np.stack((1 / whole, odds / whole))


def _logit_quantiles(part: float, rest: float) -> Floats:
    """The logit of a beta distribution's quantiles, as coefficients of polynomials in the normal deviate."""
    is_low = _NODES < 0
    # The smaller of a share and what it lacks of 1, which keeps its digits.
    less = betaincinv(np.where(is_low, part, rest), np.where(is_low, rest, part), _TAIL)
    logits = np.log(less) - np.log1p(-less)
    coefficients: Floats = _TO_COEFFICIENTS @ np.where(is_low, logits, -logits)
    return coefficients


# So many that the limits move by about a fortieth of their standard error from one seed to another.
DRAWS = 20_000
# Matrices of many classes are drawn less often, so that all draws together stay below about 30 MB: at 30 classes their
# limits move by about a twentieth of their standard error.
FEWEST_DRAWS, NUMBERS = 4_000, 180_000


def weighted_posterior(counts: NDArray[np.float64], squares: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The same for weighted cases: the classes' shares rest on Kish's n of all, each class's row on Kish's n of it.

    A Dirichlet distribution is one of row totals times one of each row, so with equal weights this is the other.
    """
    prior = 2.0 / counts.size
    rows = counts.sum(1)
    effective_rows = counts * _safe_ratio(rows, squares.sum(1))[:, None]
    effective_shares = rows * (rows.sum() / squares.sum())
    if counts.shape == (2, 2):
        return two_by_two(effective_rows, effective_shares, seed)
    times = min(DRAWS, max(FEWEST_DRAWS, NUMBERS // counts.size))
    rng = np.random.default_rng(seed)
    inside = rng.standard_gamma(effective_rows + prior, size=(times, *counts.shape))
    shares = rng.standard_gamma(effective_shares + prior * counts.shape[1], size=(times, len(rows)))
    of_class: NDArray[np.float64] = shares / shares.sum(-1, keepdims=True)
    draws: NDArray[np.float64] = inside / inside.sum(-1, keepdims=True) * of_class[..., None]
    return draws


def _safe_ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def posterior_matrices(counts: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Matrices of cell probabilities the counts are compatible with, as a batch.

    The prior spreads a total weight of two cases evenly over the cells: half a case a cell for two classes (Jeffreys'),
    less for more, because half a case in each of a hundred cells would drown the data.

    >>> draws = posterior_matrices(np.array([[50.0, 0.0], [5.0, 45.0]]), seed=0)
    >>> draws.shape, round(float(draws[:, 0, 1].mean()), 3)
    ((4096, 2, 2), 0.005)
    """
    if counts.shape == (2, 2):
        return two_by_two(counts, counts.sum(1), seed)
    return _posterior_draws(tuple(counts.ravel().tolist()), counts.shape[0], seed)


@lru_cache(maxsize=4)
def _posterior_draws(cells: tuple[float, ...], rows: int, seed: int) -> NDArray[np.float64]:
    """Cached, because every measure of one matrix reads the same draws."""
    shape = np.asarray(cells) + 2.0 / len(cells)
    times = min(DRAWS, max(FEWEST_DRAWS, NUMBERS // len(cells)))
    gammas = np.random.default_rng(seed).standard_gamma(shape, size=(times, len(cells)))
    shares = (gammas / gammas.sum(-1, keepdims=True)).reshape(times, rows, -1)
    # Each cell lies in one piece of memory: sums over rows and columns are several times faster so.
    draws: NDArray[np.float64] = np.moveaxis(np.ascontiguousarray(np.moveaxis(shares, 0, -1)), -1, 0)
    draws.flags.writeable = False
    return draws
