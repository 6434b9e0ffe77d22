"""The posterior of a two-by-two matrix at evenly spread points, not random ones: as exact with a fifth as many."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri

__all__ = ["two_by_two"]

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
        return _matrices(turned, seed)[:, ::-1, ::-1]
    return _matrices(said, seed)


@lru_cache(maxsize=4)
def _matrices(said: tuple[float, ...], seed: int) -> Floats:
    """Cached, because every measure of one matrix reads the same."""
    tn, fp, fn, tp = (cell + 0.5 for cell in said[:4])
    of_negatives, of_positives = (share + 1.0 for share in said[4:])
    prevalence, fallout, recall = (
        _logit_quantiles(part, rest) @ of_point
        for part, rest, of_point in zip((of_positives, fp, tp), (of_negatives, tn, fn), _points(seed), strict=True)
    )
    # Each cell lies in one piece of memory: sums over rows and columns are several times faster so.
    cells = np.empty((2, 2, POINTS))
    for row, share, within in zip((0, 1), _two_shares(prevalence), (fallout, recall), strict=True):
        np.multiply(share, _two_shares(within), out=cells[row])
    cells.flags.writeable = False
    return np.moveaxis(cells, -1, 0)


@lru_cache(maxsize=4)
def _points(seed: int) -> Floats:
    """For each of the three shares that make a matrix, Chebyshev's polynomials at the normal deviates of the points."""
    start = np.random.default_rng(seed).random(3)
    steps = np.array([1, MULTIPLIER, MULTIPLIER**2 % POINTS]) / POINTS
    uniform = (start[:, None] + steps[:, None] * np.arange(POINTS)) % 1.0
    angle = np.arccos(np.clip(ndtri(uniform), -REACH, REACH) / REACH)
    polynomials: Floats = np.cos(np.arange(DEGREE + 1)[:, None] * angle[:, None, :])
    return polynomials


def _two_shares(logits: Floats) -> Floats:
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
