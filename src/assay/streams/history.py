"""Sums over the whole past: every event counts for ever, or a little less with every event that follows.

The past of a stream in batches: enough of its order to see how events depend on one another, in constant memory.

The scores of a whole stream in bounded room: exact while they fit, then on a dyadic grid, and it is said.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from assay.evidence import ScoreTable
from assay.state import Saved, Stateful
from assay.streams.windows import (
    Chunk,
    Held,
    Moments,
    Ring,
    ViewSpec,
    counts_at,
    majority_hits,
    packed,
    sizes_along,
    unpacked,
)
from assay.types import Bools, Codes, Floats, Places

__all__ = ["Batches", "Memory", "Rounding", "RowMemory", "TableMemory"]


# Batches are joined in pairs when there are so many; half as many are left, so there are always enough to judge by.
MOST = 512


class Batches(Stateful):
    """Counts of each cell in stretches of equal length, one after the other; the last one may be unfinished.

    Whatever the length of the stream, there are fewer than 512 stretches, and as soon as there have been 256 events
    never fewer than 256 that are finished.

    >>> batches = Batches(2)
    >>> batches.extend(np.array([0, 1] * 300))
    >>> batches.length, len(batches.finished()), batches.finished()[0].tolist()
    (2, 300, [1.0, 1.0])
    """

    _saved = (
        *map(Saved, ("length", "filled")),
        Saved("done", "_rows"),
        Saved("open", "", np.array, lambda counts: np.asarray(counts, np.float64).tolist()),
    )

    def __init__(self, cells: int) -> None:
        self.cells, self.length, self.filled = cells, 1, 0
        self.done: list[list[float]] = []
        self.open = [0.0] * cells

    def add(self, cell: int) -> None:
        """One event more."""
        self.open[cell] += 1.0
        self.filled += 1
        if self.filled == self.length:
            self._close_batch(self.open)

    def _close_batch(self, counts: list[float]) -> None:
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
                self._close_batch(self.open)

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

    @property
    def _rows(self) -> Floats:
        return self.finished()

    @_rows.setter
    def _rows(self, rows: Floats) -> None:
        self.done = np.asarray(rows, np.float64).tolist()


# What an event weighs when its score is forgotten: nothing that a double would notice beside the latest one.
FORGOTTEN = 2.0**-64
PAST = ("score", "negative", "positive", "negative_squares", "positive_squares")
# Finer grids are tried first: scores often crowd together.
FINER = 8


@dataclass(frozen=True)
class Rounding:
    """How scores of a view were rounded, and between which values the AUC of the unrounded ones lies for certain.

    Pairs in one cell count as ties; either order of all of them bounds what rounding can have changed.
    """

    step: float
    auc_low: float
    auc_high: float

    def __str__(self) -> str:
        return (
            f"scores are rounded to multiples of {self.step:g} to fit into memory; the ROC AUC of the "
            f"unrounded scores is between {self.auc_low:.6f} and {self.auc_high:.6f}"
        )


class TableMemory(Stateful):
    """A score table that grows by blocks, each event of a block weighing by its place in it.

    >>> memory = TableMemory([1.0] * 9, 1.0, most=6)
    >>> for score in (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.9):
    ...     memory.add(score, score > 0.25)
    >>> memory.end_block()
    >>> memory.step, memory.table(1.0).score
    (0.5, array([0. , 0.5, 1. ]))
    """

    _saved = (
        Saved("step"),
        *(Saved(name, by=attrgetter(f"past.{name}")) for name in PAST),
        Saved("recent_scores", "scores"),
        Saved("recent_positive", "positive"),
    )

    def __init__(self, units: Sequence[float], by: float, most: int) -> None:
        self.units, self.by, self.most = units, by, most
        self.step = 0.0  # of the grid; 0 where scores are as they came
        self.past = ScoreTable(*np.zeros((3, 0)))
        self.scores, self.positive = array("d"), array("b")

    @property
    def is_fading(self) -> bool:
        """Whether events weigh less as others follow."""
        return self.by < 1

    def add(self, score: float, is_positive: bool) -> None:
        """One event more."""
        self.scores.append(score)
        self.positive.append(is_positive)

    def extend(self, scores: Floats, is_positive: Bools) -> None:
        """Several events of one block."""
        self.scores.frombytes(np.ascontiguousarray(scores, dtype=np.float64).tobytes())
        self.positive.frombytes(is_positive.astype(np.int8).tobytes())

    def table(self, scale: float, classes: tuple[str, str] = ("0", "1")) -> ScoreTable:
        """The scores as they stand; `scale` makes the latest event weigh 1."""
        return _scale_weights(self._complete_table(), scale, classes)

    def _complete_table(self) -> ScoreTable:
        if not self.scores:
            return self.past
        scores = _round_to_grid(np.array(self.scores), self.step)
        weight = np.array(self.units[: len(scores)]) if self.is_fading else None
        recent = ScoreTable.of(scores, np.array(self.positive, dtype=np.bool_), weight=weight)
        if self.is_fading and recent.negative_squares is None:
            recent = ScoreTable(recent.score, recent.negative, recent.positive, recent.classes, *_class_counts(recent))
        return recent if len(self.past) == 0 else self.past + recent

    def end_block(self) -> None:
        """Add the events of a block to the past, forget what has faded away, and round if there is too much."""
        table = self._complete_table()
        if self.is_fading:
            table = _scale_weights(table, self.by, table.classes)
            table = _select_table_rows(table, table.negative + table.positive >= FORGOTTEN)
        self.past = self._limit_table_size(table)
        self.scores, self.positive = array("d"), array("b")

    def _limit_table_size(self, table: ScoreTable) -> ScoreTable:
        """The table, on the finest grid that leaves room for as many scores again."""
        if len(table) <= self.most:
            return table
        room = self.most // 2
        coarse = math.floor(math.log2(max(room - 2, 1) / float(table.score[-1] - table.score[0])))
        finest = coarse + FINER if not self.step else min(coarse + FINER, round(-math.log2(self.step)) - 1)
        for exponent in range(finest, min(coarse, finest) - 1, -1):
            rounded = _regroup_on_grid(table, 2.0**-exponent)
            if len(rounded) <= room:
                break
        self.step = 2.0**-exponent
        return rounded

    def rounding(self) -> Rounding | None:
        """What rounding may have done to the AUC; None while scores are exact."""
        if not self.step:
            return None
        table = self._complete_table()
        pairs = float(table.negatives * table.positives)
        tied = float((table.negative * table.positive).sum())
        if not pairs:
            return Rounding(self.step, math.nan, math.nan)
        value = float(table.pairs_in_order)
        return Rounding(self.step, (value - tied / 2) / pairs, (value + tied / 2) / pairs)

    def _restored(self, state: Mapping[str, Any]) -> None:
        columns = [None if state[name] is None else np.array(state[name], np.float64) for name in PAST]
        score, negative, positive, below, above = columns
        self.past = ScoreTable(score, negative, positive, ("0", "1"), below, above)  # type: ignore[arg-type]

    def merge(self, other: TableMemory) -> None:
        """Add another table of events that all count once, on the coarser of two grids."""
        step = max(self.step, other.step)
        mine, theirs = (
            _regroup_on_grid(each._complete_table(), step) if step else each._complete_table() for each in (self, other)
        )
        self.step = step
        self.past = self._limit_table_size(
            mine + theirs if len(mine) and len(theirs) else mine if len(mine) else theirs
        )
        self.scores, self.positive = array("d"), array("b")


class RowMemory(Stateful):
    """The rows of scores of more than two classes, as long as they fit: averages over classes need whole rows.

    >>> memory = RowMemory(3, 1.0, most=2)
    >>> for _ in range(3):
    ...     memory.add([0.2, 0.3, 0.5], 2, 2)
    >>> memory.is_lost
    True
    """

    _saved = (
        Saved("is_lost"),
        Saved("codes", by=lambda memory: memory.ring.held().codes),
        Saved("scores", by=lambda memory: memory.ring.held().scores),
    )

    def __init__(self, width: int, factor: float, most: int) -> None:
        self.ring, self.factor, self.most = Ring(width, timed=False), factor, most
        self.is_lost = False
        # After so many events nothing is left of one.
        self.life = math.ceil(math.log(FORGOTTEN) / math.log(factor)) if factor < 1 else math.inf

    def add(self, scores: Sequence[float], truth: int, decision: int) -> None:
        """One event more."""
        if self.is_lost:
            return
        if self.ring.length >= self.life:
            self.ring.drop(1)
        if self.ring.length >= self.most:
            self._drop_all_rows()
            return
        self.ring.push(packed(truth, decision, 0, 0), scores, 0.0)

    def _drop_all_rows(self) -> None:
        self.is_lost = True
        self.ring = Ring(self.ring.width, timed=False)

    def extend(self, scores: Floats, truth: Codes, decision: Codes) -> None:
        """Several events."""
        if self.is_lost:
            return
        for row, of, given in zip(scores.tolist(), truth.tolist(), decision.tolist(), strict=True):
            self.add(row, of, given)

    def rows(self) -> tuple[Floats, Codes, Codes, Floats | None]:
        """Scores, true classes, decisions and weights of the rows that are held."""
        held = self.ring.held()
        truth, decision, _, _ = unpacked(held.codes)
        assert held.scores is not None
        age = np.arange(len(truth), dtype=np.float64)[::-1]
        weight = np.power(self.factor, age) if self.factor < 1 else None
        return held.scores, truth, decision, weight

    def _restored(self, state: Mapping[str, Any]) -> None:
        self.ring.replace(Held(np.array(state["codes"], np.int64), np.array(state["scores"], np.float64), None))

    def merge(self, other: RowMemory) -> None:
        """Put the rows of both together, if they fit."""
        if self.is_lost or other.is_lost or len(self.ring) + len(other.ring) > self.most:
            self._drop_all_rows()
        else:
            self.ring.replace(self.ring.held().then(other.ring.held()))


def _round_to_grid(scores: Floats, step: float) -> Floats:
    return np.rint(scores / step) * step if step else scores


def _scale_weights(table: ScoreTable, scale: float, classes: tuple[str, str]) -> ScoreTable:
    if scale == 1 and table.negative_squares is None:
        return ScoreTable(table.score, table.negative, table.positive, classes)
    below, above = (scale * scale * each for each in table.squared_weights)
    return ScoreTable(table.score, scale * table.negative, scale * table.positive, classes, below, above)


def _class_counts(table: ScoreTable) -> tuple[Floats, Floats]:
    return table.negative, table.positive


def _select_table_rows(table: ScoreTable, mask: Bools) -> ScoreTable:
    below, above = (each[mask] for each in table.squared_weights)
    return ScoreTable(table.score[mask], table.negative[mask], table.positive[mask], table.classes, below, above)


def _regroup_on_grid(table: ScoreTable, step: float) -> ScoreTable:
    """The table on a grid: neighbours that round to one score are one row."""
    score = _round_to_grid(table.score, step) + 0.0
    first = np.concatenate(([0], np.flatnonzero(score[1:] != score[:-1]) + 1)) if len(score) else np.zeros(0, np.intp)
    parts: list[Any] = [table.negative, table.positive]
    if table.negative_squares is not None and table.positive_squares is not None:
        parts += [table.negative_squares, table.positive_squares]
    sums: list[Any] = [np.add.reduceat(part, first) if len(first) else part for part in parts]
    return ScoreTable(score[first], sums[0], sums[1], table.classes, *sums[2:])


BLOCK = 4096
# Within a block an event weighs up to so many times as much as the first one of it.
HEAVIEST = 1e60


class Memory(Stateful):
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

    _saved = (
        *map(Saved, ("seen", "counts", "squares", "sizes", "same", "majority")),
        Saved("scores", "_scores"),
        Saved("batches"),
    )

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
            self._apply_fading()
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

    def _apply_fading(self) -> None:
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
                self._apply_fading()
            stop = min(at + self.block - place, len(chunk))
            here = wanted[(wanted > at) & (wanted <= stop)] - at
            found.append(self._add_block_events(chunk, at, stop, here))
            at = stop
        return None if ends is None else _concatenate_moments(found)

    def _add_block_events(self, chunk: Chunk, at: int, stop: int, ends: Places) -> Moments:
        """Events of one block."""
        place, count = self.seen % self.block, stop - at
        truth, decision, same = chunk.truth[at:stop], chunk.decision[at:stop], chunk.same[at:stop]
        units = np.array(self.units[place : place + count])
        sizes = self._running_class_sizes(truth, units)
        majority = majority_hits(sizes[:, 1:] if self.peeks else sizes[:, :-1], truth)
        cells = truth * self.classes + decision
        flags = np.stack((same, majority))
        found = (self._moments_of_faded_sums if self.is_fading else self._moments_of_counts)(cells, flags, units, ends)
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

    def _running_class_sizes(self, truth: Codes, units: Floats) -> Floats:
        base = np.array(self.sizes)[:, None]
        if not self.is_fading:
            return base + sizes_along(truth, self.classes)
        own = np.where(truth == np.arange(self.classes)[:, None], units, 0.0)
        return np.cumsum(np.concatenate((base, own), axis=1), axis=1)

    def _moments_of_counts(self, cells: Codes, flags: Codes, units: Floats, ends: Places) -> Moments:
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

    def _moments_of_faded_sums(self, cells: Codes, flags: Codes, units: Floats, ends: Places) -> Moments:
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

    @property
    def _scores(self) -> TableMemory | RowMemory | None:
        return self.table or self.rows

    def merge(self, other: Memory) -> None:
        """Add what another cumulative view counted; the baselines are each stream's own."""
        for name in ("counts", "sizes"):
            pairs = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [a + b for a, b in pairs])
        self.same += other.same
        self.majority += other.majority
        self.seen += other.seen
        self.batches = None
        if self.table is not None and other.table is not None:
            self.table.merge(other.table)
        elif self.rows is not None and other.rows is not None:
            self.rows.merge(other.rows)


def _concatenate_moments(found: list[Moments]) -> Moments:
    parts: Any = zip(*((each.counts, each.same, each.majority) for each in found), strict=True)
    return Moments(*map(np.concatenate, parts))
