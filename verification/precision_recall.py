"""Coverage of the interval of the average precision, and the bias of the estimate with few positives."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from assay.evidence import ScoreTable
from assay.measures import average_precision
from verification._coverage import Design, generator, limits_of, row_of
from verification._row import Row

__all__ = ["jobs", "population_value", "run"]

SAID = """Binormal scores. The true value is the population's; with few positives the estimate lies above it by the bias
named in the design."""

Job = tuple[int, float, float, float, float]

POSITIVES = (5, 10, 15, 20, 30, 50, 100, 500)
MOST_CASES = 10_000


def jobs(*, quick: bool) -> list[Job]:
    """Expected positives, prevalence, AUC of the binormal scores, spread b, level."""
    positives = (5, 20, 50) if quick else POSITIVES
    areas = (0.8,) if quick else (0.6, 0.8, 0.9, 0.97)
    prevalences = (0.5, 0.1) if quick else (0.9, 0.5, 0.1, 0.01)
    main: list[Job] = [
        (m, p, a, 1.0, 0.95) for p in prevalences for a in areas for m in positives if m / p <= MOST_CASES
    ]
    spread: list[Job] = [(20, p, a, 0.5, 0.95) for p in (0.5, 0.1, 0.01) for a in (0.6, 0.9)]
    levels: list[Job] = [(m, 0.1, 0.8, 1.0, level) for m in (20, 100) for level in (0.9, 0.99)]
    return main + ([] if quick else spread + levels)


def run(job: Job, replicates: int = 2000) -> list[Row]:
    """One design; the number of positives varies from sample to sample, as it does when cases are drawn."""
    positives, prevalence, area, b, level = job
    n = round(positives / prevalence)
    replicates = replicates if n <= 2000 else replicates // 2
    shift = math.sqrt(1 + 1 / b**2) * float(ndtri(area))
    rng = generator("average precision", positives, prevalence, area, b)
    tables = []
    for _ in range(replicates):
        is_positive = rng.random(n) < prevalence
        scores = rng.standard_normal(n)
        tables.append(ScoreTable.of(np.where(is_positive, scores / b + shift, scores), is_positive))
    truth = population_value(prevalence, shift, b)
    bias = float(np.nanmean([average_precision(table) for table in tables])) - truth
    design = Design(f"prevalence {prevalence:g}, AUC {area:g}, b = {b:g}; bias {bias:+.3f}", n, positives)
    limits = limits_of(average_precision, tables, level)
    return [row_of(average_precision, design, truth, limits, level=level, replicates=replicates)]


def population_value(prevalence: float, shift: float, b: float = 1.0, points: int = 400_000) -> float:
    """Average precision of the population: precision averaged over the scores of positives.

    >>> round(population_value(0.3, 0.0), 4)
    0.3
    """
    below = (np.arange(points) + 0.5) / points
    hits = prevalence * (1 - below)
    alarms = (1 - prevalence) * ndtr(-(shift + ndtri(below) / b))
    return float((hits / (hits + alarms)).mean())
