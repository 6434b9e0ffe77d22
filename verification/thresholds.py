"""Chosen thresholds: does the interval of their place hold the best one, that of their worth what they are worth?

And the interval of the expected cost of decisions that were not chosen by looking.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.costs import Costs
from assay.decisions import Constraint, Criterion, ThresholdChoice, at_least, choose_threshold, criterion_of
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import recall
from assay.measures.decision import expected_cost
from verification._coverage import Design, Limits, generator, row_of
from verification._row import Row

__all__ = ["best_threshold", "jobs", "optimism", "population", "run"]

SAID = """Binormal scores. "place" rows: how often the interval of the chosen threshold holds the threshold that is the
best one in the population. "worth" rows: how often the interval of the criterion holds what the chosen threshold is
worth in the population; the true value shown is the mean of those. "sure" rows: how often a threshold with specificity
of at least .9 at 95 % confidence truly has it; its bar is the confidence itself. "demand" is the most recall with a
specificity of at least .9 on the cases themselves. "fixed" rows: the expected cost of decisions given beforehand, with
and without a prevalence given.

The best threshold is found at the cube-root rate, for which the bootstrap is not consistent. The optimism it shows is
therefore multiplied by 2^(1/3), as theory asks; in small samples up to a third of the optimism is still left."""

Job = tuple[str, int, float, float]

CRITERIA: dict[str, tuple[str | None, Costs | None]] = {
    "youden": ("youden", None),
    "f1": ("f1", None),
    "cost 1:5": (None, Costs(fp=1, fn=5)),
    "cost 5:1": (None, Costs(fp=5, fn=1)),
    "cost 1:20": (None, Costs(fp=1, fn=20)),
    "demand": ("recall", None),
}
# On the cases themselves, and with a confidence.
DEMAND = at_least("specificity", 0.9)
SURE = at_least("specificity", 0.9, confidence=0.95)
SAMPLES = ((60, 0.5), (100, 0.1), (100, 0.2), (400, 0.1), (400, 0.5))
AREAS = (0.7, 0.9)
REPLICATES, DRAWS = 200, 100
LOSSES = (Costs(fp=1, fn=1), Costs(fp=1, fn=5), Costs(fp=1, fn=20), Costs(fp=1, fn=20, prevalence=0.02))


def jobs(*, quick: bool) -> list[Job]:
    """What is chosen for, cases, prevalence and AUC."""
    samples = ((100, 0.2), (400, 0.5)) if quick else SAMPLES
    kinds = ("youden", "cost 1:5") if quick else (*CRITERIA, "sure", "fixed")
    return [(kind, n, share, area) for kind in kinds for n, share in samples for area in AREAS]


def run(job: Job, replicates: int = REPLICATES) -> list[Row]:
    """Rows of one design."""
    kind, n, share, area = job
    if kind == "fixed":
        return _fixed(n, share, area, replicates=1000)
    shift = math.sqrt(2) * float(ndtri(area))
    design = Design(f"{kind}, prevalence {share:g}, AUC {area:g}", n, n * share)
    constraint: tuple[Constraint, ...] = {"sure": (SURE,), "demand": (DEMAND,)}.get(kind, ())
    by, costs = CRITERIA.get(kind, (None, None))
    tables = _samples(n, share, shift, replicates, generator("thresholds", kind, n, share, area))
    found = [
        choose_threshold(table, by, costs=costs, constraint=constraint, draws=DRAWS, seed=i)
        for i, table in enumerate(tables)
    ]
    if kind == "sure":
        return [_sure(found, shift, design)]
    criterion = criterion_of(by, costs, None)
    best = float(ndtri(DEMAND.bound)) if kind == "demand" else best_threshold(criterion, share, shift)
    return [_place(found, best, design), _worth(found, criterion, share, shift, design)]


def population(share: float, shift: float, threshold: float | NDArray[np.float64]) -> ConfusionMatrix:
    """The confusion matrix of the whole population at a threshold.

    >>> population(0.5, 0.0, 0.0).counts.round(2).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """
    tpr, fpr = 1 - ndtr(np.asarray(threshold) - shift), 1 - ndtr(threshold)
    return ConfusionMatrix.binary(
        tp=share * tpr, fn=share * (1 - tpr), fp=(1 - share) * fpr, tn=(1 - share) * (1 - fpr)
    )


def best_threshold(criterion: Criterion, share: float, shift: float) -> float:
    """The best threshold of the population.

    >>> round(best_threshold(criterion_of("youden", None, None), 0.2, 1.5), 2)
    0.75
    """
    grid = np.linspace(-4.0, shift + 4.0, 20_001)
    return float(grid[int(criterion.gains(population(share, shift, grid)).argmax())])


def optimism(n: int, share: float, area: float, replicates: int) -> tuple[float, float]:
    """Mean of apparent less true Youden index of the chosen threshold, and of what is taken off for it."""
    shift = math.sqrt(2) * float(ndtri(area))
    tables = _samples(n, share, shift, replicates, generator("optimism", n, share, area))
    found = [choose_threshold(table, "youden", draws=100, seed=i) for i, table in enumerate(tables)]
    true = criterion_of("youden", None, None).measure(population(share, shift, np.array([c.threshold for c in found])))
    apparent = np.array([choice.apparent for choice in found])
    return float((apparent - true).mean()), float(np.mean([choice.optimism for choice in found]))


def _samples(n: int, share: float, shift: float, times: int, rng: np.random.Generator) -> list[ScoreTable]:
    tables: list[ScoreTable] = []
    while len(tables) < times:
        positive = rng.random(n) < share
        if 1 < positive.sum() < n - 1:
            tables.append(ScoreTable.of(rng.standard_normal(n) + shift * positive, positive))
    return tables


def _place(found: list[ThresholdChoice], best: float, design: Design) -> Row:
    low, high = (np.array([getattr(choice.place, side) for choice in found]) for side in ("low", "high"))
    limits = Limits(low, high, "not shown to be worse")
    # Where an end is infinite the width says nothing.
    row = row_of(recall, design, best, limits, level=0.95, replicates=len(found))
    return replace(row, measure="place", width=math.nan if math.isinf(row.width) else row.width)


def _worth(found: list[ThresholdChoice], criterion: Criterion, share: float, shift: float, design: Design) -> Row:
    true = criterion.measure(population(share, shift, np.array([choice.threshold for choice in found])))
    low, high = (np.array([getattr(choice.value, side) for choice in found]) for side in ("low", "high"))
    limits = Limits(low - true, high - true, next(c.value.method for c in found))
    row = row_of(recall, design, 0.0, limits, level=0.95, replicates=len(found))
    return replace(row, measure="worth", truth=float(true.mean()))


def _sure(found: list[ThresholdChoice], shift: float, design: Design) -> Row:
    true = ndtr(np.array([choice.threshold for choice in found]))
    limits = Limits(np.where(true >= SURE.bound, 0.0, 1.0), np.ones(len(found)), "Clopper-Pearson")
    row = row_of(recall, design, 0.5, limits, level=0.95, replicates=len(found), bar=0.95)
    return replace(row, measure="sure", truth=SURE.bound, width=math.nan)


def _fixed(n: int, share: float, area: float, replicates: int) -> list[Row]:
    """Decisions at the threshold that is best in the population for equal costs."""
    shift = math.sqrt(2) * float(ndtri(area))
    truth = population(share, shift, best_threshold(criterion_of("accuracy", None, None), share, shift))
    rng = generator("fixed", n, share, area)
    drawn = rng.multinomial(n, truth.counts.ravel(), size=replicates).astype(np.float64).reshape(-1, 2, 2)
    drawn = drawn[(drawn.sum(-1) > 0).all(-1)]
    measures = [expected_cost(costs) for costs in LOSSES]
    # Sample by sample, so that all costs read the same draws from its posterior.
    found = [[measure.estimate(ConfusionMatrix(counts)) for measure in measures] for counts in drawn]
    rows = []
    for i, (costs, measure) in enumerate(zip(LOSSES, measures, strict=True)):
        where = "" if costs.prevalence is None else ", prevalence given .02"
        design = Design(f"fixed, 1:{costs.fn:g}{where}, prevalence {share:g}, AUC {area:g}", n, n * share)
        low, high = (np.array([getattr(some[i], side) for some in found]) for side in ("low", "high"))
        limits = Limits(low, high, "Dirichlet")
        rows.append(row_of(measure, design, float(measure(truth)), limits, level=0.95, replicates=len(drawn)))
    return rows
