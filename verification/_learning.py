"""Two normal classes to learn from, a learner whose errors are known in closed form, and rows about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from assay.results import Estimate, counted
from verification._row import Row, lowest_allowed

__all__ = ["Bools", "Floats", "Model", "Population", "discriminant", "interval_row", "monte_carlo_error"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Model = tuple[Floats, float]


@dataclass(frozen=True)
class Population:
    """Two equally frequent normal classes so far apart in so many features, each of which says as much."""

    n: int
    features: int
    gap: float

    def sample(self, rng: np.random.Generator, learners: int = 1) -> tuple[Floats, Bools]:
        """Cases and their classes; `learners` times the features, each so many a population of their own."""
        truth = rng.permutation(np.arange(self.n) % 2 == 0)
        cases = rng.normal(size=(self.n, learners * self.features))
        cases[truth] += self.gap / math.sqrt(self.features)
        return cases, truth

    def error(self, model: Model) -> float:
        """The share of new cases a discriminant decides wrongly."""
        direction, cut = model
        length = float(np.linalg.norm(direction))
        shift = self.gap / math.sqrt(self.features) * float(direction.sum())
        return float(ndtr(-cut / length) + ndtr((cut - shift) / length)) / 2

    def area(self, model: Model) -> float:
        """The AUC of a discriminant on new cases."""
        direction, _ = model
        shift = self.gap / math.sqrt(self.features) * float(direction.sum())
        return float(ndtr(shift / np.linalg.norm(direction) / math.sqrt(2)))

    def __str__(self) -> str:
        return f"{counted(self.features, 'feature')}, distance {self.gap:g}"


def discriminant(cases: Floats, truth: Bools) -> Model:
    """A direction and where to cut along it."""
    means = [cases[side].mean(0) for side in (truth, ~truth)]
    centred = cases - np.where(truth[:, None], *means)
    direction = np.linalg.solve(centred.T @ centred / (len(cases) - 2), means[0] - means[1])
    return direction, float(direction @ (means[0] + means[1])) / 2


def interval_row(
    name: str,
    population: Population,
    found: Sequence[Estimate],
    truth: float | Sequence[float],
    *,
    measure: str = "error_rate",
    words: str = "",
    bar: float | None = None,
    expected: float = math.nan,
) -> Row:
    """How often intervals hold the true value, one for all samples or each sample's own."""
    low, high = (np.array([getattr(one, side) for one in found]) for side in ("low", "high"))
    shown = ~np.isnan(low)
    held = (low <= truth) & (np.asarray(truth) <= high)
    share, missed = float(shown.mean()), float((shown & ~held).mean())
    level = found[0].level
    return Row(
        measure=measure,
        method=name,
        design=words or str(population),
        n=population.n,
        positives=population.n / 2,
        truth=float(np.mean(truth)),
        level=level,
        coverage=1 - missed / share if share else math.nan,
        error=monte_carlo_error(missed, len(found)),
        width=float((high - low)[shown].mean()) if share else math.nan,
        missing=1 - share,
        bar=lowest_allowed(level) if bar is None else bar,
        expected=expected,
        slack=0.06,
    )


def monte_carlo_error(share: float, replicates: int) -> float:
    """The standard error of a share over so many samples, never quite 0."""
    return math.sqrt(max(share * (1 - share), 0.25 / replicates) / replicates)
