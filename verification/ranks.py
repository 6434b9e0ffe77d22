"""Algorithms that are all equally good: how often does a test of their ranks say otherwise?"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from assay.ranks import compare_pairs, nemenyi_difference
from assay.ranks.omnibus import friedman_aligned, friedman_statistic, iman_davenport_statistic, quade, ranks_within
from verification._coverage import generator
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """All algorithms are equally good: their results on a data set are independent normal values, so that all orders
are equally likely. "coverage" is the share of samples in which a test at level .05 rightly finds nothing (one minus its
size); for comparisons of pairs, in which none of all pairs is found (one minus the family-wise error rate). n is the
number of data sets, "positives" the number of algorithms. Rows with an expected value are those of the catalogue. Tied
rows round the results to whole numbers, so that many are tied.

Friedman's chi-square finds too little with few data sets; Iman and Davenport's F keeps its level from 5 data sets on,
and below 5 the tool shows no p-value. Exact signed ranks with Holm's adjustment can find nothing at all while the data
sets are few, which the tool says."""

ALPHA = 0.05
Job = tuple[str, int, int, bool]
Found = Callable[[NDArray[np.float64]], NDArray[np.bool_]]

NUMBERS = (3, 5, 7, 10)
DATASETS = (5, 6, 10, 15, 30)
# Tests of whole batches of tables, and those of one table after another, in fewer samples.
BATCHED = ("Friedman", "Iman-Davenport", "Nemenyi")
ADJUSTED = ("Holm", "Hochberg", "Hommel", "Holland", "Finner", "Rom", "Li", "Shaffer", "Bergmann-Hommel")
SINGLE = ("aligned ranks", "Quade", "Wilcoxon, Holm", *(f"ranks, {name}" for name in ADJUSTED))
REPLICATES = {True: 20_000, False: 1_000}
# Sizes in the catalogue, by number of algorithms and data sets.
EXPECTED = {
    ("Friedman", 5, 10): 0.043,
    ("Iman-Davenport", 5, 10): 0.052,
    ("Nemenyi", 5, 10): 0.039,
    ("Friedman", 7, 15): 0.045,
    ("Iman-Davenport", 7, 15): 0.051,
    ("Nemenyi", 7, 15): 0.051,
}


def jobs(*, quick: bool) -> list[Job]:
    """Every test in every design; with `quick` those of the catalogue."""
    designs = [(k, n) for k in NUMBERS for n in DATASETS] if not quick else [(5, 10), (7, 15)]
    found = [(test, k, n, False) for test in BATCHED for k, n in designs]
    found += [(test, 5, 15, True) for test in BATCHED]
    few = [(5, 10)] if quick else [(3, 10), (5, 5), (5, 10), (5, 30)]
    return found + [(test, k, n, False) for test in SINGLE for k, n in few]


def run(job: Job) -> list[Row]:
    """One row: one test in one design."""
    test, k, n, tied = job
    replicates = REPLICATES[test in BATCHED]
    gains = generator("ranks", *job).standard_normal((replicates, n, k))
    gains = np.round(gains) if tied else gains
    size = float(_found(test)(gains).mean())
    return [
        Row(
            measure="size",
            method=test,
            design=f"{k} equal algorithms{', tied' if tied else ''}",
            n=n,
            positives=k,
            truth=0.0,
            level=1 - ALPHA,
            coverage=1 - size,
            error=math.sqrt(max(size * (1 - size), 0.25 / replicates) / replicates),
            width=math.nan,
            missing=0.0,
            bar=lowest_allowed(1 - ALPHA),
            expected=math.nan if tied else 1 - EXPECTED.get((test, k, n), math.nan),
        )
    ]


def _found(test: str) -> Found:
    """Whether a test finds something in each of many tables."""
    named: dict[str, Found] = {
        "Friedman": _friedman,
        "Iman-Davenport": _iman_davenport,
        "Nemenyi": _nemenyi,
        "aligned ranks": _each(lambda gains: friedman_aligned(gains).p_value),
        "Quade": _each(lambda gains: quade(gains).p_value),
        "Wilcoxon, Holm": _each(lambda gains: _smallest(gains, "wilcoxon", "holm")),
    }
    return named.get(test) or _each(lambda gains: _smallest(gains, "ranks", test.removeprefix("ranks, ").lower()))


def _friedman(gains: NDArray[np.float64]) -> NDArray[np.bool_]:
    statistic = friedman_statistic(ranks_within(gains))
    found: NDArray[np.bool_] = chdtrc(gains.shape[-1] - 1, statistic) <= ALPHA
    return found


def _iman_davenport(gains: NDArray[np.float64]) -> NDArray[np.bool_]:
    n, k = gains.shape[-2:]
    statistic = iman_davenport_statistic(ranks_within(gains))
    found: NDArray[np.bool_] = fdtrc(k - 1, (k - 1) * (n - 1), statistic) <= ALPHA
    return found


def _nemenyi(gains: NDArray[np.float64]) -> NDArray[np.bool_]:
    n, k = gains.shape[-2:]
    found: NDArray[np.bool_] = np.ptp(ranks_within(gains).mean(-2), axis=-1) > nemenyi_difference(k, n, ALPHA)
    return found


def _each(p_value: Callable[[NDArray[np.float64]], float]) -> Found:
    return lambda tables: np.array([p_value(gains) <= ALPHA for gains in tables])


def _smallest(gains: NDArray[np.float64], test: str, adjust: str) -> float:
    names = [str(j) for j in range(gains.shape[1])]
    pairs = compare_pairs(gains, names, test=test, adjust=adjust).pairs  # type: ignore[arg-type]
    return min(pair.adjusted for pair in pairs)
