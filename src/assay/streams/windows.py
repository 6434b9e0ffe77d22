"""A window: a sum that forgets. Rows enter at one end and leave at the other, and the counts follow.

What of a stream counts now: everything so far, the last events, the events of a block, or all of them fading.

The rows that a window holds: packed codes, scores and times in buffers that events enter and leave.

Counts at many moments of a chunk at once, and what two baselines that need no classifier would have answered.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.evidence import PairWindow, pair_window, pairs_along
from assay.request import checked_between, checked_positive, checked_whole
from assay.state import Saved, Stateful
from assay.types import Codes, Floats, Places

__all__ = [
    "DECISION",
    "MASK",
    "TRUTH",
    "Chunk",
    "Held",
    "Moments",
    "Ring",
    "ViewSpec",
    "Window",
    "counts_at",
    "cumulative",
    "fading",
    "majority_hits",
    "packed",
    "sizes_along",
    "sliding",
    "tumbling",
    "unpacked",
]


MOST_HELD = 1 << 26


@dataclass(frozen=True)
class ViewSpec:
    """One way to look at a stream, by the name under which a run holds it.

    >>> sliding(1000).name, sliding(seconds=3600).name, fading(0.999).name
    ('sliding 1000', 'sliding 3600 s', 'fading 0.999')
    """

    kind: Literal["cumulative", "sliding", "tumbling", "fading"]
    events: int | None = None
    seconds: float | None = None
    factor: float = 1.0

    @property
    def name(self) -> str:
        """What it is called among the views of a run."""
        if self.events is not None:
            return f"{self.kind} {self.events}"
        if self.seconds is not None:
            return f"{self.kind} {self.seconds:.15g} s"
        return self.kind if self.kind == "cumulative" else f"{self.kind} {self.factor:.15g}"

    @property
    def is_window(self) -> bool:
        """Whether it holds rows and forgets them whole."""
        return self.kind in ("sliding", "tumbling")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, from which it can be made again."""
        return asdict(self)


def cumulative() -> ViewSpec:
    """Everything since the stream began: every event counts once, for ever.

    >>> cumulative().name
    'cumulative'
    """
    return ViewSpec("cumulative")


def sliding(events: int | None = None, *, seconds: float | None = None) -> ViewSpec:
    """The last so many events, or the events of the last so many seconds before the latest one, however many these are.

    >>> sliding(500) == sliding(events=500)
    True
    """
    return _window_spec("sliding", events, seconds)


def tumbling(events: int | None = None, *, seconds: float | None = None) -> ViewSpec:
    """Blocks of so many events, or of so many seconds counted from time 0: a full block is followed by an empty one.

    >>> tumbling(seconds=60).name
    'tumbling 60 s'
    """
    return _window_spec("tumbling", events, seconds)


def fading(factor: float) -> ViewSpec:
    """Every event weighs `factor` times as much as the one after it: the past fades and is never cut off.

    Sums and the number of events fade alike, so that their ratio is not biased at the start: the published correction
    S_i / N_i of Gama, Sebastiao & Rodrigues (2013). Scores that have faded below 2**-64 of an event are forgotten.

    >>> fading(1.0)
    Traceback (most recent call last):
    assay.errors.OptionError: factor is 1.0; needed: a number between 0 and 1
    """
    return ViewSpec("fading", factor=checked_between(factor, "factor"))


def _window_spec(kind: Literal["sliding", "tumbling"], events: int | None, seconds: float | None) -> ViewSpec:
    if (events is None) == (seconds is None):
        which = "neither a number of events nor" if events is None else "both a number of events and"
        needed = f"one of them, as in {kind}(1000) or {kind}(seconds=3600)"
        raise OptionError(f"a {kind} window has {which} a time", needed)
    if events is not None:
        return ViewSpec(kind, events=checked_whole(events, "events", 1, MOST_HELD))
    span = checked_positive(seconds, "seconds")
    assert math.isfinite(span)
    return ViewSpec(kind, seconds=span)


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
        self._allocate_room(self._capacity_for(1))

    def _capacity_for(self, count: int) -> int:
        room = FIRST_ROOM
        while room < count:
            room *= 2
        return room if self.most is None else min(room, self.most)

    def _allocate_room(self, room: int) -> None:
        self.room = room
        self.codes = array("q", bytes(8 * room))
        self.scores = array("d", bytes(8 * room * self.width))
        self.times = array("d", bytes(8 * room if self.timed else 0))

    def __len__(self) -> int:
        return self.length

    def push(self, code: int, score: Any, time: float) -> None:
        """A row at the end."""
        if self.length == self.room:
            self.replace(self.held(), self._capacity_for(2 * self.room))
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
        self._allocate_room(self._capacity_for(count) if room is None else room)
        self.start, self.length = 0, count
        np.frombuffer(self.codes, dtype=np.int64)[:count] = held.codes
        if held.scores is not None and self.width:
            np.frombuffer(self.scores)[: count * self.width] = held.scores.reshape(-1)
        if held.times is not None and self.timed:
            np.frombuffer(self.times)[:count] = held.times


# Up to so many cells each is summed along the whole line, if moments are not rarer than events by more than that.
FEW_CELLS = 16


@dataclass(frozen=True, eq=False)
class Chunk:
    """Events in their order, read and checked: class codes, decisions, scores, times.

    `same` says whether the no-change answer (the true class of the event before) was right.
    """

    truth: Codes
    decision: Codes
    same: Codes
    score: Floats | None = None
    time: Floats | None = None

    def __len__(self) -> int:
        return len(self.truth)

    def cut(self, start: int, stop: int) -> Chunk:
        """The events from one place to another."""
        parts = (self.truth, self.decision, self.same, self.score, self.time)
        return Chunk(*(None if part is None else part[start:stop] for part in parts))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Moments:
    """What a view held after some events of a chunk: matrices as a batch, hits of the baselines, pairs in order."""

    counts: Floats
    same: Floats | None = None
    majority: Floats | None = None
    pairs: Floats | None = None


def sizes_along(truth: Codes, classes: int) -> Floats:
    """How many events of each class (row) come before each place of the line, and before its end.

    >>> sizes_along(np.array([0, 1, 1]), 2)
    array([[0., 1., 1., 1.],
           [0., 0., 1., 2.]])
    """
    return _running_counts(truth, classes).astype(np.float64)


def _running_counts(codes: Codes, count: int) -> NDArray[np.int32]:
    """How often each code comes before each place of a line, and before its end."""
    sums = np.zeros((count, len(codes) + 1), dtype=np.int32)
    for code in range(count):
        np.cumsum(codes == code, dtype=np.int32, out=sums[code, 1:])
    return sums


def majority_hits(sizes: Floats, truth: Codes) -> Codes:
    """Whether the commonest class, the first of them in a tie, was the true one; nothing seen answers nothing.

    >>> majority_hits(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0, 0]))
    array([0, 1])
    """
    best, most = np.zeros(len(truth), dtype=np.int64), sizes[0]
    for code in range(1, len(sizes)):
        best[sizes[code] > most] = code
        most = np.maximum(most, sizes[code])
    hits: Codes = ((best == truth) & (most > 0)).astype(np.int64)
    return hits


def counts_at(cell: Codes, cells: int, starts: Places, ends: Places) -> Floats:
    """How often each cell (row) occurs between the places `starts` and `ends` of a line, which only go forward.

    >>> counts_at(np.array([0, 1, 1, 0]), 2, np.array([0, 1]), np.array([2, 4]))
    array([[1., 1.],
           [1., 2.]])
    >>> counts_at(np.array([0, 1, 1, 0]), 20, np.array([0, 1]), np.array([2, 4]))[:2]
    array([[1., 1.],
           [1., 2.]])
    """
    if cells <= FEW_CELLS and len(ends) * FEW_CELLS > len(cell):
        sums = _running_counts(cell, cells)
        return np.subtract(sums.take(ends, axis=1), sums.take(starts, axis=1), dtype=np.float64)
    is_cut = np.zeros(len(cell) + 1, dtype=np.intp)
    is_cut[starts] = is_cut[ends] = 1
    piece = np.cumsum(is_cut)
    counts = np.zeros((int(piece[-1]) + 1, cells))
    # Row p of the sums holds what comes before the p-th cut: pieces are numbered from the cuts passed.
    np.cumsum(
        np.bincount(piece[:-1] * cells + cell, minlength=counts.size).reshape(counts.shape)[:-1],
        axis=0,
        out=counts[1:],
    )
    taken: Floats = np.ascontiguousarray((counts[piece[ends]] - counts[piece[starts]]).T)
    return taken


# A chunk this many times shorter than the window is fed event by event: whole lines are walked otherwise.
WORTH_A_LINE = 8
NO_LIMIT = 1 << 62


class Window(Stateful):
    """The rows of a sliding or tumbling window and their counts: cells, classes, hits of the two baselines.

    Counts are whole numbers throughout, so that taking away what was added leaves nothing behind.
    """

    # The rows, from which everything else is made again.
    _saved = (
        Saved("seen"),
        Saved("codes", by=lambda window: window.ring.held().codes),
        Saved("scores", by=lambda window: window.ring.held().scores),
        Saved("times", by=lambda window: window.ring.held().times),
    )

    def __init__(self, spec: ViewSpec, classes: int, width: int, *, peeks: bool) -> None:
        self.spec, self.classes, self.peeks = spec, classes, peeks
        self.seen = 0
        self.ring = Ring(width, timed=spec.seconds is not None, most=spec.events)
        self.counts = [0.0] * (classes * classes)
        self.sizes = [0.0] * classes
        self.same = self.majority = 0.0
        # How many events a sliding window holds before one leaves for each that comes; -1 where another rule holds.
        self._slides_after = spec.events if spec.kind == "sliding" and spec.events is not None else -1
        # While a sliding window fills, no counts come a second time.
        self.settles_at = max(self._slides_after, 0)
        self._pairs: PairWindow | None = None
        # The pairs are of so many events, up to this number of the stream.
        self._paired = self._paired_length = 0

    def __len__(self) -> int:
        return len(self.ring)

    @property
    def first(self) -> int:
        """The number in the stream of the oldest event held."""
        return self.seen - self.ring.length

    def add(self, truth: int, decision: int, same: int, score: Any, time: float) -> None:
        """One event more, and those that leave for it."""
        ring, counts, sizes, classes = self.ring, self.counts, self.sizes, self.classes
        is_full = ring.length == self._slides_after
        if is_full:
            # The buffers are full as well: the new row takes the place of the one that leaves.
            at = ring.start
            old = ring.codes[at]
            left = old >> TRUTH
            counts[left * classes + (old >> DECISION & MASK)] -= 1.0
            sizes[left] -= 1.0
            self.same -= old >> 1 & 1
            self.majority -= old & 1
        elif self._slides_after < 0:
            self._drop_oldest(self._expired_count(time))
        if self.peeks:
            sizes[truth] += 1.0
        if classes == 2:
            first, second = sizes
            majority = 1 if (second > first) == truth and (first or second) else 0
        else:
            most = max(sizes)
            majority = 1 if most and sizes.index(most) == truth else 0
        if not self.peeks:
            sizes[truth] += 1.0
        counts[truth * classes + decision] += 1.0
        self.same += same
        self.majority += majority
        code = truth << TRUTH | decision << DECISION | same << 1 | majority
        if is_full and ring.width < 2:
            ring.codes[at] = code
            if ring.width:
                ring.scores[at] = score
            at += 1
            ring.start = at if at < ring.room else 0
        else:
            if is_full:
                ring.drop(1)
            ring.push(code, score, time)
        self.seen += 1

    def _expired_count(self, time: float) -> int:
        """How many events leave as one of this time comes."""
        ring, spec = self.ring, self.spec
        if spec.events is not None:
            return ring.length if ring.length == spec.events else 0
        assert spec.seconds is not None
        if spec.kind == "tumbling":
            is_new = ring.length and math.floor(ring.time(0) / spec.seconds) != math.floor(time / spec.seconds)
            return ring.length if is_new else 0
        count = 0
        while count < ring.length and ring.time(count) <= time - spec.seconds:
            count += 1
        return count

    def _drop_oldest(self, count: int) -> None:
        if not count:
            return
        ring, counts, sizes = self.ring, self.counts, self.sizes
        for place in range(count):
            code = ring.codes[(ring.start + place) % ring.room]
            truth = code >> TRUTH
            counts[truth * self.classes + (code >> DECISION & MASK)] -= 1.0
            sizes[truth] -= 1.0
            self.same -= code >> 1 & 1
            self.majority -= code & 1
        ring.drop(count)

    def add_many(self, chunk: Chunk, ends: Places | None = None, kinds: Collection[str] = ()) -> Moments | None:
        """A chunk of events; and what was held after each of `ends` (numbers of its events), if that is asked for.

        `kinds` say of what: "baseline" of the hits of baselines and "pairs" of pairs in order, beside the cells.
        """
        with_pairs, is_short = "pairs" in kinds, len(chunk) * WORTH_A_LINE < len(self)
        if ends is None and is_short:
            for at, event in enumerate(_chunk_events(chunk)):
                self.add(*event, float(chunk.time[at]) if chunk.time is not None else 0.0)
            return None
        before, old = self.ring.held(), len(self)
        truth = np.concatenate((unpacked(before.codes)[0], chunk.truth))
        times = None if before.times is None or chunk.time is None else np.concatenate((before.times, chunk.time))
        starts = self._window_starts(old, len(chunk), times)
        sizes = sizes_along(truth, self.classes)
        places = old + np.arange(len(chunk))
        majority = majority_hits(sizes[:, places + int(self.peeks)] - sizes[:, starts], chunk.truth)
        codes = packed(chunk.truth, chunk.decision, chunk.same, majority)
        line = before.then(Held(codes, chunk.score, chunk.time))
        found = None if ends is None else self._counts_per_window(line, starts[ends - 1], old + ends, kinds)
        if found is not None and ends is not None and with_pairs:
            if is_short or self._slides_after < 0:
                pairs = self._ordered_pairs_per_event(chunk, starts)
            else:
                assert line.scores is not None
                pairs = pairs_along(line.scores, truth == 1, self._slides_after)[old:]
            found = replace(found, pairs=pairs[ends - 1])
        self._replace_events(line.since(int(starts[-1])), self.seen + len(chunk))
        return found

    def _window_starts(self, old: int, new: int, times: Floats | None) -> Places:
        """Where in the line of held and new events the window of each new one begins."""
        spec, places = self.spec, old + np.arange(new)
        if spec.events is not None:
            number = self.seen + np.arange(new)
            held = np.minimum(number % spec.events, places) if spec.kind == "tumbling" else spec.events - 1
            begin: Places = np.maximum(places - held, 0)
            return begin
        assert spec.seconds is not None
        assert times is not None
        if spec.kind == "tumbling":
            block = np.floor(times / spec.seconds)
            return np.searchsorted(block, block[old:])
        return np.searchsorted(times, times[old:] - spec.seconds, side="right")

    def _counts_per_window(self, line: Held, starts: Places, ends: Places, kinds: Collection[str]) -> Moments:
        truth, decision, same, majority = unpacked(line.codes)
        k = self.classes
        counts = counts_at(truth * k + decision, k * k, starts, ends).reshape(k, k, -1)
        flags = (same, majority) if "baseline" in kinds else ()
        return Moments(np.moveaxis(counts, -1, 0), *(counts_at(flag, 2, starts, ends)[1] for flag in flags))

    def _replace_events(self, held: Held, seen: int) -> None:
        """Hold these rows and no others, and count them."""
        truth, decision, same, majority = unpacked(held.codes)
        k = self.classes
        self.counts = np.bincount(truth * k + decision, minlength=k * k).astype(float).tolist()
        self.sizes = np.bincount(truth, minlength=k).astype(float).tolist()
        self.same, self.majority = float(same.sum()), float(majority.sum())
        self.ring.replace(held)
        self.seen = seen

    def in_order(self) -> float:
        """Pairs of a positive and a negative in order, ties half; what came since the last time is caught up with."""
        ring, seen, end, pairs = self.ring, self.seen, self._paired, self._pairs
        length = ring.length
        if seen == end + 1 and 0 <= length - self._paired_length <= 1 < length and pairs is not None:
            # One came, and one left for it or none: as it is most of the time.
            last = ring.start - 1 if length == ring.room else (ring.start + length - 1) % ring.room
            self._paired, self._paired_length = seen, length
            return pairs.add(ring.scores[last], ring.codes[last] >> TRUTH == 1, length)
        first, start = seen - length, end - self._paired_length
        if pairs is None or end <= first:
            pairs, start, end = pair_window(), first, first
        if first > start:
            pairs.drop(first - start)
        if seen > end:
            news = ring.held().since(end - first)
            assert news.scores is not None
            pairs.extend(news.scores, unpacked(news.codes)[0] == 1, NO_LIMIT)
        self._pairs, self._paired, self._paired_length = pairs, seen, length
        return pairs.pairs

    def _ordered_pairs_per_event(self, chunk: Chunk, starts: Places) -> Any:
        """The pairs in order after each event of a chunk, one event after the other."""
        self.in_order()  # the pairs of what is held before, which those of the chunk go on from
        window, positive, seen = self._pairs, chunk.truth == 1, self.seen + len(chunk)
        assert window is not None
        assert chunk.score is not None
        self._paired, self._paired_length = seen, len(self) + len(chunk) - int(starts[-1])
        if self._slides_after >= 0:
            return window.extend(chunk.score, positive, self._slides_after)
        found, before = [], 0
        for start, score, is_positive in zip(starts.tolist(), chunk.score.tolist(), positive.tolist(), strict=True):
            window.drop(start - before)
            before = start
            found.append(window.add(score, is_positive, NO_LIMIT))
        return np.array(found)

    def grow(self, classes: int) -> None:
        """Make room for classes that were not known before."""
        self.classes = classes
        self._replace_events(self.ring.held(), self.seen)

    def _restored(self, state: Mapping[str, Any]) -> None:
        numbers = (None if state[name] is None else np.array(state[name], np.float64) for name in ("scores", "times"))
        self._replace_events(Held(np.array(state["codes"], np.int64), *numbers), int(state["seen"]))


def _chunk_events(chunk: Chunk) -> Sequence[tuple[int, int, int, Any]]:
    scores = [None] * len(chunk) if chunk.score is None else chunk.score.tolist()
    columns = (chunk.truth.tolist(), chunk.decision.tolist(), chunk.same.tolist(), scores)
    return list(zip(*columns, strict=True))
