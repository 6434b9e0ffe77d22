"""Posterior draws of a confusion matrix, for intervals of any function of its cells."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.uncertainty.lattice import two_by_two

__all__ = ["posterior_matrices", "weighted_posterior"]

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
    effective_rows = counts * _over(rows, squares.sum(1))[:, None]
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


def _over(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
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
    return _draws(tuple(counts.ravel().tolist()), counts.shape[0], seed)


@lru_cache(maxsize=4)
def _draws(cells: tuple[float, ...], rows: int, seed: int) -> NDArray[np.float64]:
    """Cached, because every measure of one matrix reads the same draws."""
    shape = np.asarray(cells) + 2.0 / len(cells)
    times = min(DRAWS, max(FEWEST_DRAWS, NUMBERS // len(cells)))
    gammas = np.random.default_rng(seed).standard_gamma(shape, size=(times, len(cells)))
    shares = (gammas / gammas.sum(-1, keepdims=True)).reshape(times, rows, -1)
    # Each cell lies in one piece of memory: sums over rows and columns are several times faster so.
    draws: NDArray[np.float64] = np.moveaxis(np.ascontiguousarray(np.moveaxis(shares, 0, -1)), -1, 0)
    draws.flags.writeable = False
    return draws
