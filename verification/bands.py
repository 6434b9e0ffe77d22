"""Coverage of the bands of curves: pointwise at single points, simultaneous over the whole curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

from assay.curves.roc_bands import (
    auc_bounds,
    bootstrap_roc_band,
    net_benefit_band,
    precision_band,
    reject_band,
    roc_band,
    roc_difference_band,
    sensitivity_band,
    specificity_band,
)
from assay.evidence import ScoreTable
from assay.measures import roc_auc
from assay.uncertainty.curve_bands import Band
from verification import _pages
from verification._coverage import Design, Limits, generator, row_of
from verification._row import Row
from verification._whole_curves import NAME, summed_up, whole_curves

__all__ = ["jobs", "page", "run"]

SAID = """Cases are drawn, so the number of positives varies. Binormal scores; b is the spread of negatives over that of
positives; ratings are scores cut into grades, and the true curve is then that of the ratings. Net benefit and the
accuracy of accepted cases are of the true probabilities. A simultaneous band holds if it holds the whole true curve;
the bar of exact ones is their level. The true value of a row about a whole curve is given as 0. Two models on the same
cases have scores correlated at .6 and the same AUC, the first with spread b, the second with 1. With weights, twice
as many cases are drawn and kept with a chance that rises with the score from .2 to 1; the weight is its inverse."""

Floats = NDArray[np.float64]
Job = tuple[str, int, float, float, float, int, float]
# A population drawn at random, by its seed.
Drawn = tuple[str, int]
POPULATIONS = 40

POSITIVES = (20, 50, 200)
PREVALENCES = (0.05, 0.2, 0.5)
AREAS = (0.7, 0.9, 0.97)
SPECIFICITIES = np.array([0.5, 0.8, 0.9, 0.95, 0.98])
RECALLS = np.array([0.5, 0.8, 0.9, 0.95])
THRESHOLDS = np.array([0.05, 0.1, 0.3, 0.6])
COVERAGES = np.array([0.2, 0.5, 0.8, 1.0])
CURVE = np.arange(1, 200) / 200


def jobs(*, quick: bool) -> list[Job | Drawn]:
    """Every design; then populations drawn at random, by odd seeds."""
    return [*_designed(quick=quick), *(("drawn", 2 * k + 1) for k in range(6 if quick else POPULATIONS))]


def _designed(*, quick: bool) -> list[Job]:
    """What is banded, expected positives, prevalence, AUC, spread b, ratings (0: continuous) and level."""
    shapes = ((1.0, 0), (0.5, 0), (2.0, 0), (1.0, 9))
    designs: list[tuple[int, float, float, float, int]] = [
        (n1, prevalence, area, 1.0, 0) for n1 in POSITIVES for prevalence in PREVALENCES for area in AREAS
    ]
    shaped = [(n1, 0.2, 0.85, *shape) for n1 in POSITIVES for shape in shapes[1:]]
    few = [(10, 0.5, 0.85, 1.0, 0), (10, 0.1, 0.85, 2.0, 0), (200, 0.9, 0.85, 1.0, 0)]
    if quick:
        designs, shaped, few = designs[1::9], shaped[:1], []
    found: list[Job] = [("rates", *design, 0.95) for design in designs + shaped + few]
    # What holds for any distribution is tried on fewer.
    found += [("roc", *design, 0.95) for design in designs + shaped if design[1] == 0.2]
    found += [("probabilities", *design, 0.95) for design in designs + few if design[3] == 1.0]
    paired = [(n1, p, area, b, 0) for n1, p in ((30, 0.5), (50, 0.2), (100, 0.5)) for area in AREAS for b in (1.0, 2.0)]
    found += [("difference", *design, 0.95) for design in (paired[:1] if quick else paired)]
    weighted = [(n1, 0.2, area, 1.0, 0) for n1 in (50, 200) for area in (0.7, 0.9)]
    found += [("weighted", *design, 0.95) for design in (weighted[:1] if quick else weighted)]
    levels = [(what, 50, 0.2, 0.85, 1.0, 0, level) for what in ("rates", "roc") for level in (0.9, 0.99)]
    return found + ([] if quick else levels)


def page(title: str, said: str, rows: Sequence[Row]) -> str:
    """The page of all parts, with the drawn populations summed up before their rows."""
    top, head, listed = _pages.page(title, said, rows).partition("\n## All rows")
    return top + summed_up([row for row in rows if row.measure == NAME]) + head + listed


def run(job: Job | Drawn, replicates: int = 500) -> list[Row]:
    """One design, banded in one way."""
    if len(job) == 2:
        return whole_curves(job[1], replicates)
    banded = {
        "rates": _rates,
        "roc": _roc,
        "probabilities": _probabilities,
        "difference": _difference,
        "weighted": _weighted,
    }
    return banded[job[0]](Population(*job[1:6]), job[6], replicates)


@dataclass(frozen=True)
class Population:
    """Where cases are drawn from."""

    positives: int
    prevalence: float
    area: float
    b: float
    ratings: int

    @property
    def n(self) -> int:
        """Cases in a sample."""
        return round(self.positives / self.prevalence)

    @property
    def shift(self) -> float:
        """How far the positives' mean lies above the negatives'."""
        return math.sqrt(1 + 1 / self.b**2) * float(ndtri(self.area))

    @property
    def cuts(self) -> Floats:
        """Between the grades."""
        return np.linspace(-1.5, self.shift + 1.5, self.ratings - 1)

    def design(self) -> Design:
        """The population in words."""
        kind = f", {self.ratings} ratings" if self.ratings else ""
        words = f"prevalence {self.prevalence:g}, AUC {self.area:g}, b = {self.b:g}{kind}"
        return Design(words, self.n, self.positives)

    def samples(self, what: str, replicates: int) -> Iterable[tuple[Floats, NDArray[np.bool_]]]:
        """Scores and classes; samples with a missing class are drawn again."""
        rng = generator("bands", what, *(self.positives, self.prevalence, self.area, self.b, self.ratings))
        made = 0
        while made < replicates:
            is_positive = rng.random(self.n) < self.prevalence
            noise = rng.standard_normal(self.n)
            if 0 < is_positive.sum() < self.n:
                made += 1
                score = np.where(is_positive, noise / self.b + self.shift, noise)
                yield (np.searchsorted(self.cuts, score).astype(np.float64) if self.ratings else score), is_positive

    def recall_at(self, fpr: Floats) -> Floats:
        """The true ROC curve, straight between grades."""
        if not self.ratings:
            curve: Floats = ndtr((self.shift + ndtri(fpr)) * self.b)
            return curve
        across, up = self._graded()
        return np.interp(fpr, across, up)

    def fpr_at(self, recall: Floats) -> Floats:
        """The same curve read the other way."""
        if not self.ratings:
            curve: Floats = ndtr(ndtri(recall) / self.b - self.shift)
            return curve
        across, up = self._graded()
        return np.interp(recall, up, across)

    def _graded(self) -> tuple[Floats, Floats]:
        ends = (np.array([0.0]), np.array([1.0]))
        across, up = ndtr(-self.cuts)[::-1], ndtr((self.shift - self.cuts) * self.b)[::-1]
        return np.concatenate((ends[0], across, ends[1])), np.concatenate((ends[0], up, ends[1]))

    def probability(self, score: Floats) -> Floats:
        """The probability of a positive at a score, where both spreads are alike."""
        return np.asarray(expit(logit(self.prevalence) + self.shift * score - self.shift**2 / 2))


def _rates(population: Population, level: float, replicates: int) -> list[Row]:
    """Recall at fixed specificities, specificity at fixed recalls, precision at fixed recalls."""
    tables = [ScoreTable.of(*sample) for sample in population.samples("rates", replicates)]
    return _of_rates(population, tables, level)


def _weighted(population: Population, level: float, replicates: int) -> list[Row]:
    """The same where high scores were likelier to be kept, and weights make up for it."""
    rng = generator("weighted", population)
    tables, benefits = [], []
    for score, is_positive in replace(population, positives=2 * population.positives).samples("weighted", replicates):
        chance = 0.2 + 0.8 * ndtr(score - 0.5)
        kept = rng.random(len(score)) < chance
        tables.append(ScoreTable.of(score[kept], is_positive[kept], weight=1 / chance[kept]))
        probable = replace(tables[-1], score=population.probability(tables[-1].score))
        benefits.append(net_benefit_band(probable, level, at=THRESHOLDS))
    rows = _of_rates(population, tables, level)
    rows += _points("net benefit at threshold", THRESHOLDS, _benefit(population), benefits, population, level)
    return [replace(row, design=f"{row.design}, weights") for row in rows]


def _of_rates(population: Population, tables: list[ScoreTable], level: float) -> list[Row]:
    odds = population.prevalence / (1 - population.prevalence)
    alarms = population.fpr_at(RECALLS)
    hits = RECALLS * odds
    truths: tuple[tuple[str, Callable[..., Band], Floats, Floats], ...] = (
        ("recall at specificity", sensitivity_band, SPECIFICITIES, population.recall_at(1 - SPECIFICITIES)),
        ("specificity at recall", specificity_band, RECALLS, 1 - alarms),
        ("precision at recall", _precisions, RECALLS, hits / (hits + alarms)),
    )
    return [
        row
        for name, make, at, truth in truths
        for row in _points(name, at, truth, [make(table, at, level) for table in tables], population, level)
    ]


def _precisions(table: ScoreTable, at: Floats, level: float) -> Band:
    return precision_band(table, level, at=at)


def _probabilities(population: Population, level: float, replicates: int) -> list[Row]:
    """Net benefit at threshold probabilities, and accuracy at given coverages."""
    benefits, accepted = [], []
    for score, is_positive in population.samples("probabilities", replicates):
        probability = population.probability(score)
        benefits.append(net_benefit_band(ScoreTable.of(probability, is_positive), level, at=THRESHOLDS))
        right = (probability >= 0.5) == is_positive
        confidence = ScoreTable.of(np.maximum(probability, 1 - probability), right)
        accepted.append(reject_band(confidence, level, at=COVERAGES))
    rows = _points("net benefit at threshold", THRESHOLDS, _benefit(population), benefits, population, level)
    return rows + _points("accuracy at coverage", COVERAGES, _accuracies(population), accepted, population, level)


def _benefit(population: Population) -> Floats:
    """The true net benefit of the true probabilities."""
    cut = (logit(THRESHOLDS) - logit(population.prevalence) + population.shift**2 / 2) / population.shift
    odds = THRESHOLDS / (1 - THRESHOLDS)
    hits, alarms = ndtr(population.shift - cut), ndtr(-cut)
    benefit: Floats = population.prevalence * hits - (1 - population.prevalence) * odds * alarms
    return benefit


@cache
def _accuracies(population: Population, points: int = 400_000) -> Floats:
    """The true accuracy among the most confident, by adding up the densities of both classes over the score."""
    score = np.linspace(-9.0, 9.0 + population.shift, points)
    probability = population.probability(score)
    density = (1 - population.prevalence) * np.exp(-(score**2) / 2) + population.prevalence * np.exp(
        -((score - population.shift) ** 2) / 2
    )
    density /= density.sum()
    confidence = np.maximum(probability, 1 - probability)
    order = confidence.argsort()[::-1]
    covered, right = np.cumsum(density[order]), np.cumsum((density * confidence)[order])
    accuracies: Floats = np.interp(COVERAGES, covered, right) / COVERAGES
    return accuracies


def _roc(population: Population, level: float, replicates: int) -> list[Row]:
    """The whole ROC curve inside simultaneous bands, and the area inside its bounds."""
    tables = [ScoreTable.of(*sample) for sample in population.samples("roc", replicates)]
    truth = population.recall_at(CURVE)
    area = float(np.trapezoid(*_closed(population)))
    rows = []
    for method in ("equal local levels", "Kolmogorov-Smirnov"):
        bands = [roc_band(table, level, kind="simultaneous", at=CURVE, method=method) for table in tables]
        rows.append(_whole("whole ROC curve", truth, bands, population, level, bar=level))
        bounds = [auc_bounds(table, level, method=method) for table in tables]
        limits = Limits(np.array([b.low for b in bounds]), np.array([b.high for b in bounds]), bounds[0].method)
        rows.append(_row("AUC bounds", population, area, limits, level, bar=level))
    # Replicates of replicates take their time: fewer samples.
    drawn = [bootstrap_roc_band(table, level, draws=400, seed=i) for i, table in enumerate(tables[: replicates // 3])]
    return [*rows, _whole("ROC curve at 49 rates", population.recall_at(drawn[0].x), drawn, population, level)]


def _closed(population: Population) -> tuple[Floats, Floats]:
    """The true curve's heights and places, with its ends."""
    at = np.concatenate(([0.0], ndtr(np.linspace(-8, 8, 20_001)), [1.0]))
    at = np.concatenate((at, population._graded()[0])) if population.ratings else at
    at.sort()
    with np.errstate(divide="ignore"):
        return population.recall_at(at), at


def _difference(population: Population, level: float, replicates: int) -> list[Row]:
    """Two models on the same cases."""
    other = replace(population, b=1.0)
    bands = []
    rng = generator("second model", population)
    for score, is_positive in population.samples("difference", replicates // 3):
        noise = np.where(is_positive, (score - population.shift) * population.b, score)
        mixed = 0.6 * noise + 0.8 * rng.standard_normal(len(noise))
        second = mixed + other.shift * is_positive
        bands.append(roc_difference_band(is_positive, score, second, level, draws=400, seed=int(rng.integers(1 << 31))))
    truth = population.recall_at(bands[0].x) - other.recall_at(bands[0].x)
    return [_whole("difference of two ROC curves", truth, bands, population, level)]


def _points(name: str, at: Floats, truth: Floats, bands: list[Band], population: Population, level: float) -> list[Row]:
    """A row for each point."""
    low, high = (np.array([getattr(band, side) for band in bands]) for side in ("low", "high"))
    return [
        _row(f"{name} {x:g}", population, float(truth[i]), Limits(low[:, i], high[:, i], bands[0].method), level)
        for i, x in enumerate(at)
    ]


def _whole(
    name: str, truth: Floats, bands: list[Band], population: Population, level: float, bar: float | None = None
) -> Row:
    """A row for a whole curve: a band that misses it anywhere becomes an interval that misses 0."""
    low, high = (np.array([getattr(band, side) for band in bands]) for side in ("low", "high"))
    shown = np.isfinite(low)
    outside = (((truth < low) | (truth > high)) & shown).any(1)
    width = np.where(shown, high - low, 0.0).sum(1) / np.maximum(shown.sum(1), 1)
    ends = np.where(shown.any(1), np.where(outside, width, -width / 2), math.nan)
    return _row(name, population, 0.0, Limits(ends, ends + width, bands[0].method), level, bar=bar)


def _row(name: str, population: Population, truth: float, limits: Limits, level: float, **facts: Any) -> Row:
    row = row_of(roc_auc, population.design(), truth, limits, level=level, replicates=len(limits.low), **facts)
    return replace(row, measure=name)
