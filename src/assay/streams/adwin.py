"""ADWIN: a window that grows while its mean stays the same, and lets its old end go when it does not.

Source: Bifet & Gavalda, Learning from time-changing data with adaptive windowing, SDM 2007.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from assay.streams._detector import Detector

__all__ = ["Adwin"]


@dataclass
class Adwin(Detector):
    """ADWIN: two parts of the window have means further apart than chance (`delta`) allows; any numbers will do.

    The window is kept as sums over stretches of 1, 2, 4, ... events, `stretches` of each length, so memory grows with
    the logarithm of its width. It is looked at every `clock` events. River drops the whole window after a change and
    reports changes in both directions; MOA drops the old part only and reports rises only.

    >>> adwin = Adwin()
    >>> adwin.extend([0, 0, 0, 0, 1] * 100 + [0, 1] * 100), adwin.width
    ([607], 92)
    """

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "delta": (0, 1),
        "clock": (0, math.inf),
        "stretches": (1, math.inf),
        "shortest": (0, math.inf),
    }
    errors_only: ClassVar[bool] = False

    delta: float = 0.002
    clock: int = 32
    stretches: int = 5
    shortest: int = 5
    grace: int = 10
    like: str = "river"
    ticks: int = field(default=0, init=False)
    width: int = field(default=0, init=False)
    total: float = field(default=0.0, init=False)
    squares: float = field(default=0.0, init=False)
    # Of each length, the oldest first: the sum and the sum of squared departures from the mean of each stretch.
    rows: list[list[list[float]]] = field(default_factory=list, init=False)

    @property
    def mean(self) -> float:
        """The mean of the window; nan where it is empty."""
        return self.total / self.width if self.width else math.nan

    def _begin(self) -> None:
        self.ticks, self.width, self.total, self.squares, self.rows = 0, 0, 0.0, 0.0, [[]]

    def _step(self, x: float) -> bool:
        if self.changed and self.like == "river":
            self._begin()
        before = self.mean
        self._insert(x)
        self.ticks += 1
        cut = False
        if self.ticks % self.clock == 0 and self.width > self.grace:
            while self._has_cut():
                self._drop_oldest()
                cut = True
        return cut and (self.like == "river" or self.mean > before)

    def _insert(self, x: float) -> None:
        if self.width:
            away = x - self.total / self.width
            self.squares += self.width * away * away / (self.width + 1)
        self.width += 1
        self.total += x
        self.rows[0].append([x, 0.0])
        row = 0
        while len(self.rows[row]) > self.stretches:
            self._merge(row)
            row += 1

    def _merge(self, row: int) -> None:
        """The two oldest stretches of a length become one of the next."""
        size = 2**row
        (first, of_first), (second, of_second) = self.rows[row][:2]
        del self.rows[row][:2]
        apart = first / size - second / size
        if row + 1 == len(self.rows):
            self.rows.append([])
        self.rows[row + 1].append([first + second, of_first + of_second + size * size * apart * apart / (2 * size)])

    def _drop_oldest(self) -> None:
        size = 2 ** (len(self.rows) - 1)
        total, squares = self.rows[-1].pop(0)
        self.width -= size
        self.total -= total
        away = total / size - self.total / self.width
        self.squares -= squares + size * self.width * away * away / (size + self.width)
        if not self.rows[-1]:
            self.rows.pop()

    def _has_cut(self) -> bool:
        """Whether the window falls into an old and a new part with different means, at the end of some stretch."""
        old, of_old = 0, 0.0
        # What rounding leaves of nothing may lie below 0.
        spread = max(self.squares / self.width, 0.0)
        chance = math.log(2 * math.log(self.width) / self.delta)
        fewest = self.shortest + 2 if self.like == "moa" else self.shortest
        for row in range(len(self.rows) - 1, -1, -1):
            for total, _ in self.rows[row]:
                old += 2**row
                of_old += total
                new = self.width - old
                if new < fewest or old < fewest:
                    continue
                share = 1 / (old - self.shortest + 1) + 1 / (new - self.shortest + 1)
                bound = math.sqrt(2 * share * spread * chance) + 2 / 3 * chance * share
                if abs(of_old / old - (self.total - of_old) / new) > bound:
                    return True
        return False
