"""Coverage of the intervals of one proportion: exact, by summing the binomial distribution."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri, xlog1py, xlogy

from assay.evidence import ConfusionMatrix
from assay.measures import accuracy
from assay.uncertainty import PROPORTION_METHODS
from verification._coverage import Design, Limits, row_of
from verification._row import Row, lowest_allowed

__all__ = ["deepest_dip", "jobs", "run"]

SAID = """Accuracy, error rate, recall, specificity, the false positive and false negative rates, prevalence, predicted
prevalence and detection rate are all this one interval. Coverage is exact: binomial probabilities are summed,
nothing is drawn. Only Wilson is a default; the others are there to be asked for by name."""

SIZES = (5, 10, 30, 100, 300, 1000)
SHARES = (0.005, 0.02, 0.05, 0.1, 0.3, 0.5, 0.9, 0.98)
# STATISTICS.md V1, to its printed digits.
EXPECTED = {
    ("Wald", 30, 0.05): 0.782,
    ("Wilson", 30, 0.05): 0.939,
    ("Clopper-Pearson", 30, 0.05): 0.984,
    ("Jeffreys", 30, 0.05): 0.984,
    ("Wald", 10, 0.02): 0.183,
    ("Wald", 100, 0.05): 0.877,
    ("Wilson", 100, 0.05): 0.966,
    ("Clopper-Pearson", 100, 0.05): 0.983,
    ("Jeffreys", 100, 0.05): 0.935,
}
# With more than this many successes and failures expected Wilson keeps at least 1 - 1.6 (1 - level).
THIN = 1.5
NO_FLOOR = 0.0


def jobs(*, quick: bool) -> list[tuple[str, int, float]]:
    """A method, a sample size and a level for each job."""
    methods = ("Wilson", "Clopper-Pearson") if quick else tuple(PROPORTION_METHODS)
    levels = {"Wilson": (0.95, 0.9, 0.99), "Clopper-Pearson": (0.95, 0.9, 0.99)}
    # Blaker's limits are searched on a grid: beyond a few dozen cases that takes minutes.
    return [
        (method, n, level)
        for method in methods
        for n in SIZES
        if not (method == "Blaker" and n > 30)
        for level in levels.get(method, (0.95,))
    ]


def run(job: tuple[str, int, float]) -> list[Row]:
    """All true values at one sample size."""
    method, n, level = job
    low, high = _limits(method, n, level)
    counts = np.arange(n + 1)
    return [
        row_of(
            accuracy,
            Design(f"proportion, p = {p:g}", n, n * p),
            p,
            Limits(low, high, method),
            level=level,
            weights=_binomial(counts, n, p),
            bar=_bar(method, n * min(p, 1 - p), level),
            expected=EXPECTED.get((method, n, p), math.nan) if level == 0.95 else math.nan,
        )
        for p in SHARES
    ]


def _bar(method: str, rarer: float, level: float) -> float:
    if method in ("Clopper-Pearson", "Blaker"):
        return level
    if method != "Wilson":
        return NO_FLOOR
    return deepest_dip(level) if rarer <= THIN else lowest_allowed(level)


def deepest_dip(level: float) -> float:
    """The least coverage of Wilson's interval for a share near 0, whatever n is.

    Just below the expected count m at which one success first excludes it, only samples without any hold the true one,
    and these have probability exp(-m), where (1 - m)**2 = z**2 m. Samples of a few cases differ a little.

    >>> round(deepest_dip(0.95), 3), round(deepest_dip(0.99), 3)
    (0.836, 0.887)
    """
    z = float(ndtri(0.5 + level / 2))
    m = 1 + z * z / 2 - z * math.sqrt(1 + z * z / 4)
    return math.exp(-m) - 0.002


@cache
def _limits(method: str, n: int, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    matrices = (ConfusionMatrix.binary(tp=k, fn=n - k, fp=0, tn=0) for k in range(n + 1))
    found = [accuracy.estimate(matrix, level=level, method=method) for matrix in matrices]
    return np.array([e.low for e in found]), np.array([e.high for e in found])


def _binomial(counts: NDArray[np.int64], n: int, p: float) -> NDArray[np.float64]:
    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    mass: NDArray[np.float64] = np.exp(ways + xlogy(counts, p) + xlog1py(n - counts, -p))
    return mass
