"""The scores of a whole stream in bounded room: exact while they fit, then on a dyadic grid, and it is said."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.evidence import ScoreTable
from assay.streams._ring import Held, Ring, packed, unpacked
from assay.types import Bools, Codes, Floats

__all__ = ["Rounding", "RowMemory", "TableMemory"]

# What an event weighs when its score is forgotten: nothing that a double would notice beside the latest one.
FORGOTTEN = 2.0**-64
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
            f"scores are rounded to multiples of {self.step:g} because there are more than fit; the ROC AUC of the "
            f"unrounded ones lies between {self.auc_low:.6f} and {self.auc_high:.6f}"
        )


class TableMemory:
    """A score table that grows by blocks, each event of a block weighing by its place in it.

    >>> memory = TableMemory([1.0] * 9, 1.0, most=6)
    >>> for score in (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.9):
    ...     memory.add(score, score > 0.25)
    >>> memory.end_block()
    >>> memory.step, memory.table(1.0).score
    (0.5, array([0. , 0.5, 1. ]))
    """

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
        return _scaled(self._all(), scale, classes)

    def _all(self) -> ScoreTable:
        if not self.scores:
            return self.past
        scores = _on_grid(np.array(self.scores), self.step)
        weight = np.array(self.units[: len(scores)]) if self.is_fading else None
        recent = ScoreTable.of(scores, np.array(self.positive, dtype=np.bool_), weight=weight)
        if self.is_fading and recent.negative_squares is None:
            recent = ScoreTable(recent.score, recent.negative, recent.positive, recent.classes, *_counts(recent))
        return recent if len(self.past) == 0 else self.past + recent

    def end_block(self) -> None:
        """Add the events of a block to the past, forget what has faded away, and round if there is too much."""
        table = self._all()
        if self.is_fading:
            table = _scaled(table, self.by, table.classes)
            table = _kept(table, table.negative + table.positive >= FORGOTTEN)
        self.past = self._bounded(table)
        self.scores, self.positive = array("d"), array("b")

    def _bounded(self, table: ScoreTable) -> ScoreTable:
        """The table, on the finest grid that leaves room for as many scores again."""
        if len(table) <= self.most:
            return table
        room = self.most // 2
        coarse = math.floor(math.log2(max(room - 2, 1) / float(table.score[-1] - table.score[0])))
        finest = coarse + FINER if not self.step else min(coarse + FINER, round(-math.log2(self.step)) - 1)
        for exponent in range(finest, min(coarse, finest) - 1, -1):
            rounded = _regrouped(table, 2.0**-exponent)
            if len(rounded) <= room:
                break
        self.step = 2.0**-exponent
        return rounded

    def rounding(self) -> Rounding | None:
        """What rounding may have done to the AUC; None while scores are exact."""
        if not self.step:
            return None
        table = self._all()
        pairs = float(table.negatives * table.positives)
        tied = float((table.negative * table.positive).sum())
        if not pairs:
            return Rounding(self.step, math.nan, math.nan)
        value = float(table.pairs_in_order)
        return Rounding(self.step, (value - tied / 2) / pairs, (value + tied / 2) / pairs)

    def state(self) -> dict[str, Any]:
        """Every sum, and the scores of the block that has not ended."""
        past = self.past
        return {
            "step": self.step,
            "score": past.score,
            "negative": past.negative,
            "positive": past.positive,
            "negative_squares": past.negative_squares,
            "positive_squares": past.positive_squares,
            "recent_scores": np.array(self.scores),
            "recent_positive": np.array(self.positive, dtype=np.int8),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Hold what another one held."""
        names = ("score", "negative", "positive", "negative_squares", "positive_squares")
        columns: list[Any] = [None if state[name] is None else np.asarray(state[name], np.float64) for name in names]
        self.step = float(state["step"])
        score, negative, positive, below, above = columns
        self.past = ScoreTable(score, negative, positive, ("0", "1"), below, above)
        self.scores, self.positive = array("d"), array("b")
        recent = np.asarray(state["recent_positive"], np.int8).astype(np.bool_)
        self.extend(np.asarray(state["recent_scores"], np.float64), recent)

    def merge(self, other: TableMemory) -> None:
        """Add another table of events that all count once, on the coarser of two grids."""
        step = max(self.step, other.step)
        mine, theirs = (_regrouped(each._all(), step) if step else each._all() for each in (self, other))
        self.step = step
        self.past = self._bounded(mine + theirs if len(mine) and len(theirs) else mine if len(mine) else theirs)
        self.scores, self.positive = array("d"), array("b")


class RowMemory:
    """The rows of scores of more than two classes, as long as they fit: averages over classes need whole rows.

    >>> memory = RowMemory(3, 1.0, most=2)
    >>> for _ in range(3):
    ...     memory.add([0.2, 0.3, 0.5], 2, 2)
    >>> memory.is_lost
    True
    """

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
            self._lose()
            return
        self.ring.push(packed(truth, decision, 0, 0), scores, 0.0)

    def _lose(self) -> None:
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

    def state(self) -> dict[str, Any]:
        """The rows."""
        held = self.ring.held()
        return {"is_lost": self.is_lost, "codes": held.codes, "scores": held.scores}

    def restore(self, state: dict[str, Any]) -> None:
        """Hold what another one held."""
        self.is_lost = bool(state["is_lost"])
        self.ring.replace(Held(np.asarray(state["codes"], np.int64), np.asarray(state["scores"], np.float64), None))

    def merge(self, other: RowMemory) -> None:
        """Put the rows of both together, if they fit."""
        if self.is_lost or other.is_lost or len(self.ring) + len(other.ring) > self.most:
            self._lose()
        else:
            self.ring.replace(self.ring.held().then(other.ring.held()))


def _on_grid(scores: Floats, step: float) -> Floats:
    return np.rint(scores / step) * step if step else scores


def _scaled(table: ScoreTable, scale: float, classes: tuple[str, str]) -> ScoreTable:
    if scale == 1 and table.negative_squares is None:
        return ScoreTable(table.score, table.negative, table.positive, classes)
    below, above = (scale * scale * each for each in table.squared_weights)
    return ScoreTable(table.score, scale * table.negative, scale * table.positive, classes, below, above)


def _counts(table: ScoreTable) -> tuple[Floats, Floats]:
    return table.negative, table.positive


def _kept(table: ScoreTable, mask: Bools) -> ScoreTable:
    below, above = (each[mask] for each in table.squared_weights)
    return ScoreTable(table.score[mask], table.negative[mask], table.positive[mask], table.classes, below, above)


def _regrouped(table: ScoreTable, step: float) -> ScoreTable:
    """The table on a grid: neighbours that round to one score are one row."""
    score = _on_grid(table.score, step) + 0.0
    first = np.concatenate(([0], np.flatnonzero(score[1:] != score[:-1]) + 1)) if len(score) else np.zeros(0, np.intp)
    parts: list[Any] = [table.negative, table.positive]
    if table.negative_squares is not None and table.positive_squares is not None:
        parts += [table.negative_squares, table.positive_squares]
    sums: list[Any] = [np.add.reduceat(part, first) if len(first) else part for part in parts]
    return ScoreTable(score[first], sums[0], sums[1], table.classes, *sums[2:])
