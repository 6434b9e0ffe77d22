"""A window: a sum that forgets. Rows enter at one end and leave at the other, and the counts follow."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.evidence import PairWindow, pair_window, pairs_along
from assay.streams._moments import Chunk, Moments, counts_at, majority_hits, sizes_along
from assay.streams._ring import DECISION, MASK, TRUTH, Held, Ring, packed, unpacked
from assay.streams.views import ViewSpec
from assay.types import Floats, Places

__all__ = ["Window"]

# A chunk this many times shorter than the window is fed event by event: whole lines are walked otherwise.
WORTH_A_LINE = 8
NO_LIMIT = 1 << 62


class Window:
    """The rows of a sliding or tumbling window and their counts: cells, classes, hits of the two baselines.

    Counts are whole numbers throughout, so that taking away what was added leaves nothing behind.
    """

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
            self._forget(self._leaving(time))
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

    def _leaving(self, time: float) -> int:
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

    def _forget(self, count: int) -> None:
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
            for at, event in enumerate(_events(chunk)):
                self.add(*event, float(chunk.time[at]) if chunk.time is not None else 0.0)
            return None
        before, old = self.ring.held(), len(self)
        truth = np.concatenate((unpacked(before.codes)[0], chunk.truth))
        times = None if before.times is None or chunk.time is None else np.concatenate((before.times, chunk.time))
        starts = self._starts(old, len(chunk), times)
        sizes = sizes_along(truth, self.classes)
        places = old + np.arange(len(chunk))
        majority = majority_hits(sizes[:, places + int(self.peeks)] - sizes[:, starts], chunk.truth)
        codes = packed(chunk.truth, chunk.decision, chunk.same, majority)
        line = before.then(Held(codes, chunk.score, chunk.time))
        found = None if ends is None else self._moments(line, starts[ends - 1], old + ends, kinds)
        if found is not None and ends is not None and with_pairs:
            if is_short or self._slides_after < 0:
                pairs = self._pairs_after_each(chunk, starts)
            else:
                assert line.scores is not None
                pairs = pairs_along(line.scores, truth == 1, self._slides_after)[old:]
            found = replace(found, pairs=pairs[ends - 1])
        self._hold(line.since(int(starts[-1])), self.seen + len(chunk))
        return found

    def _starts(self, old: int, new: int, times: Floats | None) -> Places:
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

    def _moments(self, line: Held, starts: Places, ends: Places, kinds: Collection[str]) -> Moments:
        truth, decision, same, majority = unpacked(line.codes)
        k = self.classes
        counts = counts_at(truth * k + decision, k * k, starts, ends).reshape(k, k, -1)
        flags = (same, majority) if "baseline" in kinds else ()
        return Moments(np.moveaxis(counts, -1, 0), *(counts_at(flag, 2, starts, ends)[1] for flag in flags))

    def _hold(self, held: Held, seen: int) -> None:
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

    def _pairs_after_each(self, chunk: Chunk, starts: Places) -> Any:
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
        self._hold(self.ring.held(), self.seen)

    def state(self) -> dict[str, Any]:
        """The rows, from which everything else is made again."""
        held = self.ring.held()
        return {"seen": self.seen, "codes": held.codes, "scores": held.scores, "times": held.times}

    def restore(self, state: dict[str, Any]) -> None:
        """Hold what another one held."""
        numbers = (None if state[name] is None else np.asarray(state[name], np.float64) for name in ("scores", "times"))
        self._hold(Held(np.asarray(state["codes"], np.int64), *numbers), int(state["seen"]))


def _events(chunk: Chunk) -> Sequence[tuple[int, int, int, Any]]:
    scores = [None] * len(chunk) if chunk.score is None else chunk.score.tolist()
    columns = (chunk.truth.tolist(), chunk.decision.tolist(), chunk.same.tolist(), scores)
    return list(zip(*columns, strict=True))
