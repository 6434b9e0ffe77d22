"""Posterior draws of a confusion matrix, for intervals of any function of its cells."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["posterior_matrices"]

# So many that the limits move by about a fortieth of their standard error from one seed to another.
DRAWS = 20_000


def posterior_matrices(counts: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Matrices of cell probabilities the counts are compatible with, as a batch.

    The prior spreads a total weight of two cases evenly over the cells: half a case a cell for two classes (Jeffreys'),
    less for more, because half a case in each of a hundred cells would drown the data.

    >>> draws = posterior_matrices(np.array([[50.0, 0.0], [5.0, 45.0]]), seed=0)
    >>> draws.shape, round(float(draws[:, 0, 1].mean()), 3)
    ((20000, 2, 2), 0.005)
    """
    return _draws(tuple(counts.ravel().tolist()), counts.shape[0], seed)


@lru_cache(maxsize=4)
def _draws(cells: tuple[float, ...], rows: int, seed: int) -> NDArray[np.float64]:
    """Cached, because every measure of one matrix reads the same draws."""
    shape = np.asarray(cells) + 2.0 / len(cells)
    gammas = np.random.default_rng(seed).standard_gamma(shape, size=(DRAWS, len(cells)))
    draws: NDArray[np.float64] = (gammas / gammas.sum(-1, keepdims=True)).reshape(DRAWS, rows, -1)
    draws.flags.writeable = False
    return draws
