"""One line of a verification table: a measure, a design, and how often its interval held the true value."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Row", "lowest_allowed"]

# A miss may happen this many times as often as the level says before a row fails: 8 % at level 95 %.
TOLERATED = 1.6


def lowest_allowed(level: float) -> float:
    """The bar of approximate intervals: the least share of samples without a misleading interval.

    >>> round(lowest_allowed(0.95), 3), round(lowest_allowed(0.99), 3)
    (0.92, 0.984)
    """
    return 1 - TOLERATED * (1 - level)


@dataclass(frozen=True, slots=True)
class Row:
    """What was simulated and what came of it.

    `coverage` is the share of intervals that hold the true value among those shown, `missing` the share of samples
    where the tool shows none. A bar is met by samples, not by intervals: one not shown misleads no one, so `safe`
    counts it as held. `error` is the Monte-Carlo standard error of `safe`, 0 where the sum is exact.
    """

    measure: str
    method: str
    design: str
    n: float
    positives: float
    truth: float
    level: float
    coverage: float
    error: float
    width: float
    missing: float
    bar: float
    expected: float = math.nan
    # How far from `expected` a row may lie beside three standard errors: the digits it was printed with.
    slack: float = 0.005

    @property
    def safe(self) -> float:
        """Share of samples that show no interval or one that holds the true value."""
        return 1.0 if math.isnan(self.coverage) else self.missing + (1 - self.missing) * self.coverage

    @property
    def passes(self) -> bool:
        """Whether the row meets its bar, and its expected value where the literature or the catalogue gives one."""
        low_enough = self.safe + 3 * self.error >= self.bar - 1e-9
        as_expected = math.isnan(self.expected) or abs(self.coverage - self.expected) <= 3 * self.error + self.slack
        return low_enough and as_expected

    @property
    def verdict(self) -> str:
        """A word for the table."""
        if self.missing > 0.999:
            return "refused"
        return "ok" if self.passes else "MISS"
