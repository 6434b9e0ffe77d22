"""The past of a stream in batches: enough of its order to see how events depend on one another, in constant memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.types import Codes, Floats

__all__ = ["Batches"]

# Batches are joined in pairs when there are so many; half as many are left, so there are always enough to judge by.
MOST = 512


class Batches:
    """Counts of each cell in stretches of equal length, one after the other; the last one may be unfinished.

    Whatever the length of the stream, there are fewer than 512 stretches, and as soon as there have been 256 events
    never fewer than 256 that are finished.

    >>> batches = Batches(2)
    >>> batches.extend(np.array([0, 1] * 300))
    >>> batches.length, len(batches.finished()), batches.finished()[0].tolist()
    (2, 300, [1.0, 1.0])
    """

    def __init__(self, cells: int) -> None:
        self.cells, self.length, self.filled = cells, 1, 0
        self.done: list[list[float]] = []
        self.open = [0.0] * cells

    def add(self, cell: int) -> None:
        """One event more."""
        self.open[cell] += 1.0
        self.filled += 1
        if self.filled == self.length:
            self._close(self.open)

    def _close(self, counts: list[float]) -> None:
        self.done.append(counts)
        self.open, self.filled = [0.0] * self.cells, 0
        if len(self.done) == MOST:
            pairs = zip(self.done[::2], self.done[1::2], strict=True)
            self.done = [[a + b for a, b in zip(*pair, strict=True)] for pair in pairs]
            self.length *= 2

    def extend(self, cells: Codes) -> None:
        """Several events more."""
        at = 0
        while at < len(cells):
            stop = min(at + self.length - self.filled, len(cells))
            counts = np.bincount(cells[at:stop], minlength=self.cells)
            self.open = [own + more for own, more in zip(self.open, counts.tolist(), strict=True)]
            self.filled += stop - at
            at = stop
            if self.filled == self.length:
                self._close(self.open)

    def finished(self) -> Floats:
        """The counts of the stretches that are whole, a row each."""
        return np.array(self.done).reshape(-1, self.cells)

    def grow(self, old: int, new: int) -> None:
        """Make room for classes that were not known before: cells are pairs of classes."""

        def wider(counts: list[float]) -> list[float]:
            square = np.zeros((new, new))
            square[:old, :old] = np.reshape(counts, (old, old))
            wide: list[float] = square.ravel().tolist()
            return wide

        self.cells = new * new
        self.done, self.open = [wider(each) for each in self.done], wider(self.open)

    def state(self) -> dict[str, Any]:
        """Every count."""
        return {"length": self.length, "filled": self.filled, "done": self.finished(), "open": np.array(self.open)}

    def restore(self, state: dict[str, Any]) -> None:
        """Hold what another one held."""
        self.length, self.filled = int(state["length"]), int(state["filled"])
        self.done = np.asarray(state["done"], np.float64).reshape(-1, self.cells).tolist()
        self.open = np.asarray(state["open"], np.float64).tolist()
