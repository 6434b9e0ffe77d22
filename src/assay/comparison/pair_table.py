"""What the tests of labels share: what keeps a test from being used, and tables of many of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

from assay.comparison.adjustment import bonferroni
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import JointCorrectness, PairedCorrectness, PairedDecisions
from assay.results import Interval, NullDistribution, PairRow, PairTable, TestResult

Kind = ConfusionMatrix | PairedCorrectness | PairedDecisions | JointCorrectness

# Enough to leave less than one unit in the last place of a value inside [-1, 1].
HALVINGS = 60

# A test and the interval that holds exactly the values this test does not reject.
Compared = tuple[TestResult, Interval]


def obstacle(evidence: Kind, instead: str) -> str | None:
    """Why a test that counts independent cases cannot be used here, and what can; None if it can.

    >>> weighted = PairedCorrectness(np.ones((2, 2)), squares=np.ones((2, 2)))
    >>> obstacle(weighted, "the score test")
    'the test counts cases, and these have weights; use the score test'
    """
    if float(evidence.total) == 0:
        return "there are no cases"
    if evidence.squares is not None:
        return f"the test counts cases, and these have weights; use {instead}"
    if evidence.clusters is not None:
        return f"the test assumes independent cases, and these come in clusters; use {instead}"
    return None


def refused(name: str, null: str, reason: str) -> TestResult:
    """No test, and why."""
    return TestResult(name, null, math.nan, math.nan, "none", reason)


def chi_square(name: str, null: str, statistic: float, degrees: int, method: str) -> TestResult:
    """A statistic with its tail of the chi-square distribution; where nothing differs, 0 and a p-value of 1.

    >>> chi_square("a test", "nothing differs", 3.841458820694124, 1, "chi-square").p_value.__round__(9)
    0.05
    """
    p_value = float(chdtrc(degrees, statistic)) if degrees > 0 else 1.0
    distribution = NullDistribution("chi-square", (degrees,)) if degrees > 0 else None
    return TestResult(name, null, statistic, p_value, method, null_distribution=distribution)


def two_sided(z: float) -> float:
    """The probability of a standard normal at least this far from 0."""
    return float(2 * ndtr(-abs(z)))


def quantile(level: float) -> float:
    """How many standard errors an interval of this level reaches to either side."""
    return float(ndtri(0.5 + level / 2))


def furthest(is_inside: Callable[[Any], Any], inside: Any, outside: Any) -> Any:
    """The last value that is inside on the way to `outside`, by halving; for arrays each has its own way.

    >>> round(furthest(lambda x: x * x < 2, 0.0, 2.0), 9)
    1.414213562
    """
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        kept = is_inside(middle)
        if isinstance(kept, np.ndarray):
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        else:
            inside, outside = (middle, outside) if kept else (inside, middle)
    return inside


def pair_table(
    keys: Mapping[str, Sequence[str]], differences: Sequence[float], found: Sequence[Compared], title: str
) -> PairTable:
    """Return several compared pairs: intervals already at the adjusted level, p-values times their number."""
    count = len(found)
    rows = [
        PairRow(
            value, interval.low, interval.high, p_value=bonferroni(test.p_value, count),
            method=f"{test.method}, Bonferroni over {count}", undefined=interval.undefined or test.undefined or "",
        )
        for value, (test, interval) in zip(differences, found, strict=True)
    ]  # fmt: skip
    return PairTable.of(keys, rows, title)
