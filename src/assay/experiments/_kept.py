"""Scores of learners by split, kept once worked out: every page and table of a study rests on the same ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from assay.experiments.estimates import FoldScores

# Numbers held in all: 128 MiB. Of a learner on a data set it is one for each case and four for each split.
MOST_NUMBERS = 1 << 24


class KeptScores:
    """The scores that were last asked for, as many as `most` numbers hold.

    >>> import numpy as np
    >>> kept, one = KeptScores(most=10), FoldScores("accuracy", *np.ones((3, 2)))
    >>> kept.found("a", lambda: one) is kept.found("a", lambda: None), kept.found("b", lambda: one) is one, "a" in kept
    (True, True, False)
    """

    def __init__(self, most: int = MOST_NUMBERS) -> None:
        self._most, self._held = most, 0
        self._scores: OrderedDict[Hashable, FoldScores] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._scores

    def found(self, key: Hashable, compute: Callable[[], FoldScores]) -> FoldScores:
        """What was kept under a key, or what `compute` gives, which is kept from now on."""
        if key not in self._scores:
            self._scores[key] = compute()
            self._held += _numbers(self._scores[key])
        self._scores.move_to_end(key)
        while self._held > self._most and len(self._scores) > 1:
            self._held -= _numbers(self._scores.popitem(last=False)[1])
        return self._scores[key]


def _numbers(scores: FoldScores) -> int:
    return 4 * len(scores.values) + (0 if scores.moved is None else len(scores.moved))
