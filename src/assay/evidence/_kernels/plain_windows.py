"""Pairs in order among the last events of a stream, by sorted lists: the oracle of the compiled tree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.types import Floats


class PairWindow(Protocol):
    """Pairs of a positive and a negative in order, ties half, among the last events of a stream: exact always."""

    @property
    def pairs(self) -> float:
        """How many there are now."""

    def __len__(self) -> int: ...

    def extend(self, scores: Floats, is_positive: NDArray[np.bool_], width: int) -> Floats:
        """The pairs in order after each of these events, among the last `width` of them and of those before."""

    def add(self, score: float, is_positive: bool, width: int) -> float:
        """One event: the pairs in order after it, among the last `width`."""

    def drop(self, count: int) -> None:
        """Forget the oldest `count` events."""


def pair_window() -> PairWindow:
    """An empty window of pairs.

    >>> pair_window().add(0.3, True, 1)
    0.0
    """
    return SortedPairs()


def pairs_along(scores: Floats, is_positive: NDArray[np.bool_], width: int) -> Floats:
    """The pairs in order after each of these events, among the last `width` of them.

    >>> pairs_along(np.array([0.1, 0.8, 0.4, 0.4]), np.array([False, True, False, True]), width=3)
    array([0. , 1. , 2. , 1.5])
    """
    return SortedPairs().extend(scores, is_positive, width)


class SortedPairs:
    """Pairs in order by two sorted lists.

    An event that comes or goes changes the pairs by where it stands among the other class, which two sorted lists find
    in logarithmic time (Brzezinski & Stefanowski 2017). Pairs are halves, so nothing is rounded however long it runs.

    >>> window = SortedPairs()
    >>> window.extend(np.array([0.1, 0.8, 0.4, 0.4]), np.array([False, True, False, True]), width=3)
    array([0. , 1. , 2. , 1.5])
    >>> window.drop(1)
    >>> window.pairs, len(window)
    (0.5, 2)
    """

    def __init__(self) -> None:
        self._pairs = 0.0
        self._events: deque[tuple[float, bool]] = deque()
        self._negative: list[float] = []
        self._positive: list[float] = []

    @property
    def pairs(self) -> float:
        """How many there are now."""
        return self._pairs

    def __len__(self) -> int:
        return len(self._events)

    def extend(self, scores: Floats, is_positive: NDArray[np.bool_], width: int) -> Floats:
        """The pairs in order after each of these events, among the last `width` of them and of those before."""
        add = self.add
        return np.array([add(*event, width) for event in zip(scores.tolist(), is_positive.tolist(), strict=True)])

    def add(self, score: float, is_positive: bool, width: int) -> float:
        """One event: the pairs in order after it, among the last `width`."""
        events = self._events
        if len(events) >= width:
            self.drop(len(events) - width + 1)
        events.append((score, is_positive))
        insort(self._positive if is_positive else self._negative, score)
        self._pairs += self._ordered_pairs_of_event(score, is_positive)
        return self._pairs

    def drop(self, count: int) -> None:
        """Forget the oldest `count` events."""
        for _ in range(count):
            score, is_positive = self._events.popleft()
            own = self._positive if is_positive else self._negative
            del own[bisect_left(own, score)]
            self._pairs -= self._ordered_pairs_of_event(score, is_positive)

    def _ordered_pairs_of_event(self, score: float, is_positive: bool) -> float:
        """The pairs in order that an event is part of."""
        others = self._negative if is_positive else self._positive
        below = bisect_left(others, score)
        is_tied = below < len(others) and others[below] == score
        beaten = (below + bisect_right(others, score, below)) / 2 if is_tied else below
        return beaten if is_positive else len(others) - beaten
