"""Sums over the whole past: every event counts for ever, or a little less with every event that follows."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from assay.streams._batches import Batches
from assay.streams._moments import Chunk, Moments, counts_at, majority_hits, sizes_along
from assay.streams._scores import RowMemory, TableMemory
from assay.streams.views import ViewSpec
from assay.types import Codes, Floats, Places

__all__ = ["Memory"]

BLOCK = 4096
# Within a block an event weighs up to so many times as much as the first one of it.
HEAVIEST = 1e60


class Memory:
    """The counts of a cumulative or a fading view: cells, their sums of squared weights, classes, hits of baselines.

    Multiplying every sum at every event would round every sum at every event, differently in every chunk. Instead the
    events of a block weigh more and more, by a table, and all sums are scaled down where a block of the stream ends:
    however a stream is cut into chunks, the same numbers are added in the same order.

    >>> memory = Memory(ViewSpec("fading", factor=0.5), 2, 0, peeks=False, most_scores=100)
    >>> for truth in (0, 1, 1):
    ...     memory.add(truth, truth, 0, None, 0.0)
    >>> memory.faded(memory.counts), memory.faded(memory.squares, 2)
    ([0.25, 0.0, 0.0, 1.5], [0.0625, 0.0, 0.0, 1.25])
    """

    def __init__(self, spec: ViewSpec, classes: int, width: int, *, peeks: bool, most_scores: int) -> None:
        self.spec, self.classes, self.peeks = spec, classes, peeks
        self.factor = factor = spec.factor
        self.is_fading = factor < 1
        self.block = max(min(BLOCK, int(math.log(HEAVIEST) / -math.log(factor))), 1) if self.is_fading else BLOCK
        self.units = [factor**-place for place in range(self.block)]
        self.seen = 0
        self.counts = [0.0] * (classes * classes)
        self.squares = [0.0] * (classes * classes)
        self.sizes = [0.0] * classes
        self.same = self.majority = 0.0
        # In what order cells came, as far as it can be kept; not of events that fade, nor of streams put together.
        self.batches = None if self.is_fading else Batches(classes * classes)
        self.table: TableMemory | None = None
        self.rows: RowMemory | None = None
        if width == 1:
            self.table = TableMemory(self.units, factor**self.block, most_scores)
        elif width:
            self.rows = RowMemory(width, factor, most_scores)

    def __len__(self) -> int:
        return self.seen

    @property
    def scale(self) -> float:
        """What the sums are multiplied by so that the latest event weighs 1."""
        return self.factor ** ((self.seen - 1) % self.block) if self.seen else 1.0

    def faded(self, sums: list[float], power: int = 1) -> list[float]:
        """Sums as they stand after the latest event."""
        if not self.is_fading:
            return sums
        scale = self.scale**power
        return [scale * value for value in sums]

    def add(self, truth: int, decision: int, same: int, score: Any, time: float) -> None:
        """One event more."""
        place = self.seen % self.block
        if place == 0 and self.seen:
            self._end_block()
        unit, sizes = self.units[place], self.sizes
        if self.peeks:
            sizes[truth] += unit
        most = max(sizes)
        majority = 1 if most and sizes.index(most) == truth else 0
        if not self.peeks:
            sizes[truth] += unit
        cell = truth * self.classes + decision
        self.counts[cell] += unit
        if self.batches is not None:
            self.batches.add(cell)
        elif self.is_fading:
            self.squares[cell] += unit * unit
        if same:
            self.same += unit
        if majority:
            self.majority += unit
        if self.table is not None:
            self.table.add(score, truth == 1)
        elif self.rows is not None:
            self.rows.add(score, truth, decision)
        self.seen += 1

    def _end_block(self) -> None:
        if self.is_fading:
            by = self.factor**self.block
            self.counts = [by * value for value in self.counts]
            self.squares = [by * by * value for value in self.squares]
            self.sizes = [by * value for value in self.sizes]
            self.same *= by
            self.majority *= by
        if self.table is not None:
            self.table.end_block()

    def add_many(self, chunk: Chunk, ends: Places | None = None, kinds: Collection[str] = ()) -> Moments | None:
        """A chunk of events; and the counts after each of `ends` (numbers of its events), if that is asked for."""
        assert "pairs" not in kinds  # those of the whole past are counted from its table
        found, at = [], 0
        wanted = np.zeros(0, np.intp) if ends is None else ends
        while at < len(chunk):
            place = self.seen % self.block
            if place == 0 and self.seen:
                self._end_block()
            stop = min(at + self.block - place, len(chunk))
            here = wanted[(wanted > at) & (wanted <= stop)] - at
            found.append(self._add_piece(chunk, at, stop, here))
            at = stop
        return None if ends is None else _joined(found)

    def _add_piece(self, chunk: Chunk, at: int, stop: int, ends: Places) -> Moments:
        """Events of one block."""
        place, count = self.seen % self.block, stop - at
        truth, decision, same = chunk.truth[at:stop], chunk.decision[at:stop], chunk.same[at:stop]
        units = np.array(self.units[place : place + count])
        sizes = self._sizes_along(truth, units)
        majority = majority_hits(sizes[:, 1:] if self.peeks else sizes[:, :-1], truth)
        cells = truth * self.classes + decision
        flags = np.stack((same, majority))
        found = (self._weighed if self.is_fading else self._counted)(cells, flags, units, ends)
        self.sizes = sizes[:, -1].tolist()
        if self.batches is not None:
            self.batches.extend(cells)
        if chunk.score is not None:
            if self.table is not None:
                self.table.extend(chunk.score[at:stop], truth == 1)
            elif self.rows is not None:
                self.rows.extend(chunk.score[at:stop], truth, decision)
        self.seen += count
        return found

    def _sizes_along(self, truth: Codes, units: Floats) -> Floats:
        base = np.array(self.sizes)[:, None]
        if not self.is_fading:
            return base + sizes_along(truth, self.classes)
        own = np.where(truth == np.arange(self.classes)[:, None], units, 0.0)
        return np.cumsum(np.concatenate((base, own), axis=1), axis=1)

    def _counted(self, cells: Codes, flags: Codes, units: Floats, ends: Places) -> Moments:
        """Whole numbers: all moments at once."""
        k, starts = self.classes, np.zeros(len(ends), np.intp)
        base = np.array(self.counts)
        counts = base[:, None] + counts_at(cells, k * k, starts, ends)
        same, majority = (
            hits + counts_at(flag, 2, starts, ends)[1]
            for hits, flag in zip((self.same, self.majority), flags, strict=True)
        )
        self.counts = (base + np.bincount(cells, minlength=k * k)).tolist()
        self.same += float(flags[0].sum())
        self.majority += float(flags[1].sum())
        return Moments(np.moveaxis(counts.reshape(k, k, -1), -1, 0), same, majority)

    def _weighed(self, cells: Codes, flags: Codes, units: Floats, ends: Places) -> Moments:
        """Fading sums, from one moment to the next."""
        k, place = self.classes, self.seen % self.block
        counts, squares = np.array(self.counts), np.array(self.squares)
        hits = np.array([self.same, self.majority])
        at, found = 0, []
        for end in [*ends.tolist(), len(cells)]:
            piece = slice(at, end)
            np.add.at(counts, cells[piece], units[piece])
            np.add.at(squares, cells[piece], units[piece] ** 2)
            for flag in (0, 1):
                np.add.at(hits, np.full(end - at, flag), np.where(flags[flag, piece], units[piece], 0.0))
            at = end
            scale = self.factor ** (place + end - 1)
            found.append((scale * counts.reshape(k, k), *(scale * hits)))
        self.counts, self.squares = counts.tolist(), squares.tolist()
        self.same, self.majority = hits.tolist()
        kept = found[: len(ends)]
        return Moments(
            np.array([each[0] for each in kept]).reshape(-1, k, k), *(np.array([e[i] for e in kept]) for i in (1, 2))
        )

    def grow(self, classes: int) -> None:
        """Make room for classes that were not known before."""
        k = self.classes
        for name in ("counts", "squares"):
            wider = np.zeros((classes, classes))
            wider[:k, :k] = np.reshape(getattr(self, name), (k, k))
            setattr(self, name, wider.ravel().tolist())
        self.sizes = [*self.sizes, *[0.0] * (classes - k)]
        if self.batches is not None:
            self.batches.grow(k, classes)
        self.classes = classes

    def state(self) -> dict[str, Any]:
        """The sums and the scores behind them."""
        names = ("seen", "counts", "squares", "sizes", "same", "majority")
        scores = self.table or self.rows
        return {
            **{name: getattr(self, name) for name in names},
            "scores": None if scores is None else scores.state(),
            "batches": None if self.batches is None else self.batches.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Hold what another one held."""
        self.seen = int(state["seen"])
        for name in ("counts", "squares", "sizes"):
            setattr(self, name, [float(value) for value in state[name]])
        self.same, self.majority = float(state["same"]), float(state["majority"])
        scores = self.table or self.rows
        if scores is not None:
            scores.restore(state["scores"])
        if state["batches"] is None:
            self.batches = None
        elif self.batches is not None:
            self.batches.restore(state["batches"])

    def merge(self, other: Memory) -> None:
        """Add what another cumulative view counted; the baselines are each stream's own."""
        mine, theirs = self.state(), other.state()
        for name in ("counts", "sizes"):
            setattr(self, name, [a + b for a, b in zip(mine[name], theirs[name], strict=True)])
        self.same += other.same
        self.majority += other.majority
        self.seen += other.seen
        self.batches = None
        if self.table is not None and other.table is not None:
            self.table.merge(other.table)
        elif self.rows is not None and other.rows is not None:
            self.rows.merge(other.rows)


def _joined(found: list[Moments]) -> Moments:
    parts: Any = zip(*((each.counts, each.same, each.majority) for each in found), strict=True)
    return Moments(*map(np.concatenate, parts))
