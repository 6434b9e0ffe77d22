"""Coverage of the intervals of the ROC AUC: binormal scores, equal and unequal spread, and coarse ratings."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.evidence import ScoreTable
from assay.measures import roc_auc
from verification._coverage import Design, generator, limits_of, row_of
from verification._row import Row

__all__ = ["jobs", "run"]

SAID = """Binormal scores; b is the spread of negatives over that of positives; ratings are scores cut into grades."""

Job = tuple[int, int, float, float, int, float, str | None]

SIZES = (
    (5, 5),
    (10, 10),
    (20, 20),
    (30, 30),
    (50, 50),
    (20, 180),
    (5, 500),
    (10, 990),
    (30, 300),
    (30, 3000),
    (300, 30),
)
AREAS = (0.5, 0.6, 0.7, 0.9, 0.95, 0.99)
# Spread of negatives over that of positives, and the number of ratings (0: continuous).
SHAPES = ((1.0, 0), (0.5, 0), (2.0, 0), (1.0, 5))
# STATISTICS.md V4 counts DeLong's interval of no width at an AUC of 1 as a miss; here it is none.
EXPECTED = {
    ("DeLong", 20, 20, 0.95): 0.838,
    ("DeLong", 50, 50, 0.9): 0.923,
    ("DeLong", 20, 180, 0.95): 0.858,
    ("Hanley-McNeil", 20, 20, 0.95): 0.891,
    ("Hanley-McNeil", 50, 50, 0.9): 0.944,
    ("Hanley-McNeil", 20, 180, 0.95): 0.977,
    ("Newcombe 5", 20, 20, 0.95): 0.968,
    ("Newcombe 5", 20, 20, 0.99): 0.974,
    ("Newcombe 5", 50, 50, 0.9): 0.966,
    ("Newcombe 5", 20, 180, 0.95): 0.970,
}


def jobs(*, quick: bool) -> list[Job]:
    """Positives, negatives, AUC, shape, level and method (None: the default)."""
    sizes = ((10, 10), (30, 30), (20, 180), (30, 300)) if quick else SIZES
    areas = (0.7, 0.99) if quick else AREAS
    shapes = SHAPES[:2] if quick else SHAPES
    default: list[Job] = [(*size, area, *shape, 0.95, None) for size in sizes for area in areas for shape in shapes]
    levels: list[Job] = [
        (*size, area, 1.0, 0, level, None)
        for size in ((20, 20), (30, 300))
        for area in (0.7, 0.95)
        for level in (0.9, 0.99)
    ]
    named: list[Job] = [(n1, n0, area, 1.0, 0, 0.95, method) for method, n1, n0, area in EXPECTED]
    return default + ([] if quick else levels) + named


def run(job: Job, replicates: int = 2000) -> list[Row]:
    """One design."""
    n1, n0, area, b, ratings, level, method = job
    rng = generator("auc", n1, n0, area, b, ratings)
    # Half as many where a sample has thousands of cases.
    replicates = replicates if n1 + n0 < 900 else replicates // 2
    shift = math.sqrt(1 + 1 / b**2) * float(ndtri(area))
    positive = rng.standard_normal((replicates, n1)) / b + shift
    negative = rng.standard_normal((replicates, n0))
    truth = area
    if ratings:
        cuts = np.linspace(-0.5, shift + 0.5, ratings - 1) if shift > 0.3 else np.linspace(-1.0, 1.0, ratings - 1)
        truth = _rated_area(cuts, shift, b)
        positive, negative = (np.searchsorted(cuts, x).astype(np.float64) for x in (positive, negative))
    is_positive = np.arange(n1 + n0) < n1
    tables = [ScoreTable.of(sample, is_positive) for sample in np.concatenate((positive, negative), axis=1)]
    kind = f", {ratings} ratings" if ratings else ""
    design = Design(f"{n1} against {n0}, b = {b:g}{kind}", n1 + n0, n1)
    limits = limits_of(roc_auc, tables, level, method)
    bar = 0.0 if method else None
    expected = EXPECTED.get((method or "", n1, n0, area), math.nan)
    return [row_of(roc_auc, design, truth, limits, level=level, replicates=replicates, bar=bar, expected=expected)]


def _rated_area(cuts: NDArray[np.float64], shift: float, b: float) -> float:
    """The AUC of the ratings themselves: coarse ratings rank less well than the scores behind them."""
    of_negatives = np.diff(np.concatenate(([0.0], ndtr(cuts), [1.0])))
    of_positives = np.diff(np.concatenate(([0.0], ndtr((cuts - shift) * b), [1.0])))
    below = np.concatenate(([0.0], np.cumsum(of_negatives)[:-1]))
    return float(of_positives @ (below + of_negatives / 2))
