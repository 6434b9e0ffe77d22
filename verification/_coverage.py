"""From a measure and weighted samples to a row: every interval comes from `Measure.estimate`, as users get it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from assay.measures import Measure
from assay.results import Estimate
from verification._row import Row, lowest_allowed

__all__ = ["Design", "Limits", "generator", "limits_of", "limits_of_all", "limits_over", "row_of", "unique_rows"]


@dataclass(frozen=True, slots=True)
class Design:
    """A population to draw samples from, in words and numbers."""

    words: str
    n: int
    positives: float

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Limits:
    """Lower and upper limits over samples (nan where none is shown), and the method that gave most of them."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: str


def generator(*key: object) -> np.random.Generator:
    """Random numbers that depend on what is simulated alone, so that rows do not change when others come or go."""
    return np.random.default_rng(crc32(repr(key).encode()))


def limits_of(measure: Measure, samples: Iterable[Any], level: float, method: str | None = None) -> Limits:
    """The interval of each sample."""
    return limits_of_all([measure], samples, level, method)[measure.name]


def limits_of_all(
    measures: Sequence[Measure], samples: Iterable[Any], level: float, method: str | None = None
) -> dict[str, Limits]:
    """The intervals of each sample by measure; sample by sample, so that measures share what the package caches."""
    found: dict[str, list[Estimate]] = {measure.name: [] for measure in measures}
    for sample in samples:
        for measure in measures:
            found[measure.name].append(measure.estimate(sample, level=level, method=method))
    return limits_over(found)


def limits_over(found: Mapping[str, Sequence[Estimate]]) -> dict[str, Limits]:
    """The limits of estimates by measure, over the samples."""
    return {name: _limits(estimates) for name, estimates in found.items()}


def _limits(estimates: Sequence[Estimate]) -> Limits:
    low, high = (np.array([getattr(e, side) for e in estimates]) for side in ("low", "high"))
    names = [e.method for e in estimates if e.method != "none"]
    return Limits(low, high, max(sorted(set(names)), key=names.count, default="none"))


def row_of(
    measure: Measure,
    design: Design,
    truth: float,
    limits: Limits,
    *,
    level: float,
    weights: NDArray[np.float64] | None = None,
    replicates: int = 0,
    bar: float | None = None,
    expected: float = math.nan,
) -> Row:
    """Coverage, width and refusals over samples; `replicates` is 0 where `weights` are exact probabilities."""
    weight = np.full(len(limits.low), 1 / len(limits.low)) if weights is None else weights
    shown = ~np.isnan(limits.low)
    share = float(weight[shown].sum())
    held = float(weight[(limits.low <= truth) & (truth <= limits.high)].sum())
    widths = np.where(shown, limits.high - limits.low, 0.0)
    missed = share - held
    return Row(
        measure=measure.name,
        method=limits.method,
        design=str(design),
        n=design.n,
        positives=design.positives,
        truth=truth,
        level=level,
        coverage=held / share if share > 0 else math.nan,
        error=math.sqrt(max(missed * (1 - missed), 0.25 / replicates) / replicates) if replicates else 0.0,
        width=float(weight @ widths) / share if share > 0 else math.nan,
        missing=max(0.0, 1 - float(share / weight.sum())),
        bar=lowest_allowed(level) if bar is None else bar,
        expected=expected,
    )


def unique_rows(samples: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Distinct samples with the share of each: small tables repeat, and each needs one interval only."""
    distinct, counts = np.unique(samples, axis=0, return_counts=True)
    return distinct, counts / counts.sum()
