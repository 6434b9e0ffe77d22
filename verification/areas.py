"""Coverage of the intervals of the partial AUC and of the interpolated area under precision-recall."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.evidence import ScoreTable
from assay.measures import Measure, partial_auc, partial_auc_recall, pr_area
from verification._coverage import Design, generator, limits_of_all, row_of
from verification._row import Row
from verification.precision_recall import population_value

__all__ = ["jobs", "partial_population_value", "run"]

SAID = """Binormal scores; b is the spread of negatives over that of positives; ratings are scores cut into grades. The
bands are false-positive rates up to .1 and recalls from .9 on. Raw areas and other standardisations are linear in these
and have the same coverage."""

Job = tuple[int, int, float, float, int, float]

# Positives and negatives.
SIZES = ((10, 50), (20, 20), (20, 50), (30, 100), (50, 50), (100, 100), (20, 500), (50, 500), (500, 50), (300, 300))
AREAS = (0.55, 0.7, 0.85, 0.95)
SHAPES = ((1.0, 0), (0.5, 0), (2.0, 0), (1.0, 9))
MEASURES: tuple[Measure, ...] = (partial_auc, partial_auc_recall, pr_area)
POINTS = 200_000


def jobs(*, quick: bool) -> list[Job]:
    """Positives, negatives, AUC, spread, ratings (0: continuous) and level."""
    sizes = ((20, 50), (50, 50), (50, 500)) if quick else SIZES
    areas = (0.7, 0.95) if quick else AREAS
    shapes = SHAPES[:2] if quick else SHAPES
    main: list[Job] = [(*size, area, *shape, 0.95) for size in sizes for area in areas for shape in shapes]
    levels: list[Job] = [(100, 100, area, 1.0, 0, level) for area in (0.7, 0.95) for level in (0.9, 0.99)]
    return main + ([] if quick else levels)


def run(job: Job, replicates: int = 2000) -> list[Row]:
    """One design; both classes have the size named, so the prevalence is theirs."""
    n1, n0, area, b, ratings, level = job
    rng = generator("areas", n1, n0, area, b, ratings)
    shift = math.sqrt(1 + 1 / b**2) * float(ndtri(area))
    positive = rng.standard_normal((replicates, n1)) / b + shift
    negative = rng.standard_normal((replicates, n0))
    cuts = np.linspace(-1.0, shift + 1.0, ratings - 1) if ratings else np.empty(0)
    if ratings:
        positive, negative = (np.searchsorted(cuts, x).astype(np.float64) for x in (positive, negative))
    is_positive = np.arange(n1 + n0) < n1
    tables = [ScoreTable.of(sample, is_positive) for sample in np.concatenate((positive, negative), axis=1)]
    kind = f", {ratings} ratings" if ratings else ""
    design = Design(f"{n1} against {n0}, AUC {area:g}, b = {b:g}{kind}", n1 + n0, n1)
    limits = limits_of_all(MEASURES, tables, level)
    truths = _truths(cuts, shift, b, n1, n0)
    return [
        row_of(one, design, truths[one.name], limits[one.name], level=level, replicates=replicates) for one in MEASURES
    ]


def partial_population_value(shift: float, b: float = 1.0) -> float:
    """Recall over false-positive rates up to .1, standardised, of continuous scores.

    >>> round(partial_population_value(0.0), 4)
    0.5
    """
    rates = 0.1 * (np.arange(POINTS) + 0.5) / POINTS
    mean = float(ndtr((shift + ndtri(rates)) * b).mean())
    return 0.5 * (1 + (mean - 0.05) / 0.95)


def _truths(cuts: NDArray[np.float64], shift: float, b: float, n1: int, n0: int) -> dict[str, float]:
    if len(cuts):
        table = _population(cuts, shift, b, n1, n0)
        return {one.name: float(one(table)) for one in MEASURES}
    return {
        "partial_auc": partial_population_value(shift, b),
        # The other axis: negatives and positives exchange places, measured in the positives' spread.
        "partial_auc_recall": partial_population_value(shift * b, 1 / b),
        "pr_area": population_value(n1 / (n1 + n0), shift, b),
    }


def _population(cuts: NDArray[np.float64], shift: float, b: float, n1: int, n0: int) -> ScoreTable:
    """Ratings of the whole population as one table."""
    ends = np.concatenate(([0.0], ndtr(cuts), [1.0])), np.concatenate(([0.0], ndtr((cuts - shift) * b), [1.0]))
    below, above = (np.diff(each) for each in ends)
    return ScoreTable(np.arange(len(below), dtype=np.float64), 1e6 * n0 * below, 1e6 * n1 * above)
