"""The rows that a window holds: packed codes, scores and times in buffers that events enter and leave."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from assay.types import Codes, Floats

__all__ = ["DECISION", "MASK", "TRUTH", "Held", "Ring", "packed", "unpacked"]

# How a row is packed into one whole number: the true class, the decision, and whether the two baselines were right.
TRUTH, DECISION = 17, 2
MASK = (1 << (TRUTH - DECISION)) - 1
FIRST_ROOM = 64


def packed(truth: Any, decision: Any, same: Any, majority: Any) -> Any:
    """One whole number for a row, or one for each of many."""
    return truth << TRUTH | decision << DECISION | same << 1 | majority


def unpacked(codes: Codes) -> tuple[Codes, Codes, Codes, Codes]:
    """True classes, decisions, and whether no-change and majority were right."""
    return codes >> TRUTH, codes >> DECISION & MASK, codes >> 1 & 1, codes & 1


class Held:
    """Rows in the order they came: packed codes, and their scores and times where there are any."""

    __slots__ = ("codes", "scores", "times")

    def __init__(self, codes: Codes, scores: Floats | None, times: Floats | None) -> None:
        self.codes, self.scores, self.times = codes, scores, times

    def then(self, other: Held) -> Held:
        """These rows followed by others."""
        pairs = ((self.scores, other.scores), (self.times, other.times))
        scores, times = (None if a is None or b is None else np.concatenate((a, b)) for a, b in pairs)
        return Held(np.concatenate((self.codes, other.codes)), scores, times)

    def since(self, first: int) -> Held:
        """The rows from a place on."""
        pieces = (None if part is None else part[first:] for part in (self.codes, self.scores, self.times))
        return Held(*pieces)  # type: ignore[arg-type]


class Ring:
    """A queue of rows in flat buffers, which numpy reads without asking for each row.

    `width` is how many scores a row has: 0 for labels alone, 1 for two classes, one a class for more. `most` is how
    many rows there can be, where that is known: full, the buffers have room for no more.

    >>> ring = Ring(width=1, timed=False)
    >>> for code in range(5):
    ...     ring.push(code, code / 10, 0.0)
    >>> ring.drop(3)
    >>> held = ring.held()
    >>> held.codes.tolist(), held.scores.tolist(), len(ring)
    ([3, 4], [0.3, 0.4], 2)
    """

    def __init__(self, width: int, *, timed: bool, most: int | None = None) -> None:
        self.width, self.timed, self.most = width, timed, most
        self.start = self.length = 0
        self._fill(self._room_for(1))

    def _room_for(self, count: int) -> int:
        room = FIRST_ROOM
        while room < count:
            room *= 2
        return room if self.most is None else min(room, self.most)

    def _fill(self, room: int) -> None:
        self.room = room
        self.codes = array("q", bytes(8 * room))
        self.scores = array("d", bytes(8 * room * self.width))
        self.times = array("d", bytes(8 * room if self.timed else 0))

    def __len__(self) -> int:
        return self.length

    def push(self, code: int, score: Any, time: float) -> None:
        """A row at the end."""
        if self.length == self.room:
            self.replace(self.held(), self._room_for(2 * self.room))
        at = self.start + self.length
        if at >= self.room:
            at -= self.room
        self.codes[at] = code
        if self.width == 1:
            self.scores[at] = score
        elif self.width:
            self.scores[at * self.width : (at + 1) * self.width] = array("d", score)
        if self.timed:
            self.times[at] = time
        self.length += 1

    def drop(self, count: int) -> None:
        """Forget the oldest rows."""
        self.start = (self.start + count) % self.room
        self.length -= count

    def time(self, place: int) -> float:
        """The time of a row."""
        return self.times[(self.start + place) % self.room]

    def held(self) -> Held:
        """All rows, copied in their order."""
        order = (self.start + np.arange(self.length)) % self.room
        scores = np.frombuffer(self.scores).reshape(self.room, self.width)[order] if self.width else None
        return Held(
            np.frombuffer(self.codes, dtype=np.int64)[order],
            scores[:, 0] if scores is not None and self.width == 1 else scores,
            np.frombuffer(self.times)[order] if self.timed else None,
        )

    def replace(self, held: Held, room: int | None = None) -> None:
        """Hold these rows and no others."""
        count = len(held.codes)
        self._fill(self._room_for(count) if room is None else room)
        self.start, self.length = 0, count
        np.frombuffer(self.codes, dtype=np.int64)[:count] = held.codes
        if held.scores is not None and self.width:
            np.frombuffer(self.scores)[: count * self.width] = held.scores.reshape(-1)
        if held.times is not None and self.timed:
            np.frombuffer(self.times)[:count] = held.times
