"""Posterior draws of a confusion matrix."""

from __future__ import annotations

import numpy as np
import pytest

from assay.evidence import ConfusionMatrix
from assay.measures import informedness, kappa, mcc
from assay.uncertainty import posterior_matrices, weighted_posterior


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (5, 5)])
def test_draws_have_the_moments_of_the_dirichlet(shape: tuple[int, int]) -> None:
    counts = np.random.default_rng(0).integers(5, 60, shape).astype(float)
    draws = posterior_matrices(counts, seed=1)
    alpha = counts + 2 / counts.size
    mean = alpha / alpha.sum()
    assert draws.shape[1:] == shape
    np.testing.assert_allclose(draws.sum((1, 2)), 1)
    np.testing.assert_allclose(
        draws.mean(0), mean, atol=4 * np.sqrt(mean * (1 - mean) / alpha.sum() / len(draws)).max()
    )
    np.testing.assert_allclose(draws.var(0), mean * (1 - mean) / (alpha.sum() + 1), rtol=0.1)


def test_draws_depend_on_the_seed_and_on_nothing_else() -> None:
    counts = np.array([[50.0, 3.0], [5.0, 45.0]])
    first = posterior_matrices(counts, seed=3).copy()
    np.testing.assert_array_equal(first, posterior_matrices(counts.copy(), seed=3))
    assert not np.array_equal(first, posterior_matrices(counts, seed=4))


def test_draws_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        posterior_matrices(np.array([[1.0, 2.0], [3.0, 4.0]]), seed=0)[0] = 0


@pytest.mark.parametrize(
    "cells", [(50, 5, 8, 30), (20, 0, 3, 7), (60, 40, 2, 0), (1, 0, 3, 30), (50_000, 3_000, 20, 5)]
)
def test_points_of_a_lattice_stand_for_many_random_ones(cells: tuple[int, ...]) -> None:
    """Limits of three measures beside those of very many random draws, in standard errors."""
    counts = np.reshape(cells, (2, 2)).astype(float)
    gammas = np.random.default_rng(2).standard_gamma(counts.ravel() + 0.5, size=(200_000, 4))
    random = (gammas / gammas.sum(1, keepdims=True)).reshape(-1, 2, 2)
    for measure in (kappa, mcc, informedness):
        wanted, found = (measure(ConfusionMatrix(draws)) for draws in (random, posterior_matrices(counts, seed=0)))
        off = np.quantile(found, [0.025, 0.975]) - np.quantile(wanted, [0.025, 0.975])
        assert np.abs(off).max() < 0.06 * wanted.std()


def test_classes_changed_about_change_the_points_about() -> None:
    counts = np.array([[50.0, 3.0], [5.0, 45.0]])
    turned = posterior_matrices(counts[::-1, ::-1].copy(), seed=0)
    np.testing.assert_array_equal(turned, posterior_matrices(counts, seed=0)[:, ::-1, ::-1])
    matrix = ConfusionMatrix(counts)
    assert mcc.estimate(matrix).to_dict() == mcc.estimate(matrix.flipped()).to_dict()


def test_weights_that_are_all_alike_are_no_weights() -> None:
    counts = np.array([[50.0, 3.0], [5.0, 45.0]])
    np.testing.assert_allclose(weighted_posterior(counts, counts, 4), posterior_matrices(counts, 4), rtol=1e-12)


def test_limits_hardly_move_with_the_seed() -> None:
    matrix = ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)
    found = [kappa.estimate(matrix, seed=seed) for seed in range(5)]
    width = found[0].high - found[0].low
    assert np.ptp([estimate.low for estimate in found]) < 0.05 * width
    assert np.ptp([estimate.high for estimate in found]) < 0.05 * width


def test_large_samples_agree_with_the_delta_method() -> None:
    """Kappa's standard error by Fleiss, Cohen and Everitt (1969) on a large table."""
    matrix = ConfusionMatrix.binary(tp=7500, fn=800, fp=700, tn=1000)
    p = matrix.counts / matrix.total
    rows, columns, agreed = p.sum(1), p.sum(0), float(np.trace(p))
    chance = float(rows @ columns)
    value = (agreed - chance) / (1 - chance)
    on = sum(p[i, i] * (1 - (rows[i] + columns[i]) * (1 - value)) ** 2 for i in range(2))
    off = (1 - value) ** 2 * sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j)
    variance = (on + off - (value - chance * (1 - value)) ** 2) / ((1 - chance) ** 2 * matrix.total)
    found = kappa.estimate(matrix)
    assert (found.high - found.low) / 2 / 1.959964 == pytest.approx(float(np.sqrt(variance)), rel=0.03)
