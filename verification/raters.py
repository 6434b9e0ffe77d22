"""Coverage of the intervals of measures found by name only: kappas and their kin, Rand indices, predictive values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import assay.uncertainty.dirichlet as dirichlet
from assay.evidence import ConfusionMatrix
from assay.measures import (
    Measure,
    adjusted_rand,
    brennan_prediger,
    gwet_ac1,
    krippendorff_alpha,
    linear_kappa,
    npv_at,
    ppv_at,
    quadratic_kappa,
    rand_index,
    scott_pi,
)
from verification._coverage import Design, generator, limits_of_all, row_of, unique_rows
from verification._row import Row, lowest_allowed
from verification.matrices import CLASSIFIERS, DRAWS, bar_of, cells_of, matrices_of
from verification.proportions import deepest_dip

__all__ = ["jobs", "run"]

SAID = """Weighted kappas: ordered classes, equally common or each half as common as the one before; a decision is off
by a rounded normal error of the spread named. The others: the 2 x 2 designs of the matrix table, predictive values at a
prevalence of 5 %."""

Job = tuple[int, int, float, bool]

ORDERED: tuple[Measure, ...] = (linear_kappa, quadratic_kappa)
# Corrected for chance: of two classes and, where each has cases enough, of more.
CHANCE: tuple[Measure, ...] = (scott_pi, gwet_ac1, krippendorff_alpha, brennan_prediger)
BINARY: tuple[Measure, ...] = (rand_index, adjusted_rand, ppv_at(0.05, "ppv_at"), npv_at(0.05, "npv_at"), *CHANCE)
# So many cases that a pair of one case with itself does not matter.
MANY = 1e12


def jobs(*, quick: bool) -> list[Job]:
    """Cases, classes (2: the binary designs), spread of the error or prevalence, whether classes are skewed."""
    sizes = (30,) if quick else (10, 30, 100, 500)
    spreads = (0.6,) if quick else (0.3, 0.6, 1.5)
    ordered = [
        (n, k, spread, skew)
        for k in ((3,) if quick else (3, 5, 10))
        for n in sizes
        for spread in spreads
        for skew in (False, True)
        if n >= 10 * (k - 2)
    ]
    binary = [(n, 2, share, False) for n in (20, 100, 500) for share in (0.5, 0.1) if n * share >= 2]
    return ordered + (binary[:2] if quick else binary)


def run(job: Job, replicates: int = 2000) -> list[Row]:
    """One design."""
    n, classes, spread, skew = job
    dirichlet.DRAWS = DRAWS
    if classes == 2:
        return [row for one in CLASSIFIERS for row in _binary(n, spread, one, replicates)]
    cells = ordered_cells(classes, spread, skew=skew)
    kind = "skewed" if skew else "equal"
    design = Design(f"{classes} {kind} classes, error spread {spread:g}", n, n * float(cells.sum(1).min()))
    # Where nearly every case is right, the few that are not decide, as for any proportion.
    thin = n * (1 - float(np.trace(cells))) <= 3
    bar = deepest_dip(0.95) - 0.036 if thin else lowest_allowed(0.95)
    return _rows((*ORDERED, *CHANCE), cells, design, replicates, bar)


def _binary(n: int, prevalence: float, classifier: tuple[float, float], replicates: int) -> list[Row]:
    recall, specificity = classifier
    cells = cells_of(prevalence, recall, specificity)
    words = f"recall {recall:g}, specificity {specificity:g}, prevalence {prevalence:g}"
    return _rows(BINARY, cells.reshape(2, 2), Design(words, n, n * prevalence), replicates, bar_of(n, cells, 0.95))


def _rows(
    measures: tuple[Measure, ...], cells: NDArray[np.float64], design: Design, replicates: int, bar: float
) -> list[Row]:
    samples = generator("raters", str(design), design.n).multinomial(design.n, cells.ravel(), size=replicates)
    tables, weights = unique_rows(samples)
    matrices = matrices_of(tables, len(cells))
    limits = limits_of_all(measures, matrices, 0.95)
    truths = {one.name: float(one(ConfusionMatrix(cells * MANY))) for one in measures}
    return [
        row_of(
            one,
            design,
            truths[one.name],
            limits[one.name],
            level=0.95,
            weights=weights,
            replicates=replicates,
            bar=bar,
        )
        for one in measures
    ]


def ordered_cells(classes: int, spread: float, *, skew: bool) -> NDArray[np.float64]:
    """Probabilities of truth and decision when decisions miss by a rounded normal error.

    >>> ordered_cells(3, 0.3, skew=False).sum().round(12).item()
    1.0
    """
    places = np.arange(classes)
    share = 0.5**places if skew else np.ones(classes)
    kernel = np.exp(-0.5 * ((places[:, None] - places[None, :]) / spread) ** 2)
    decided = kernel / kernel.sum(1, keepdims=True)
    return np.asarray((share / share.sum())[:, None] * decided, dtype=np.float64)
