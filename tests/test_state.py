"""States: what is saved is what is restored, whatever the kinds of values."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from assay.errors import InputError
from assay.state import Resumable, Saved, Stateful, as_list, finite_or_none


@dataclass
class Counter(Resumable):
    """A record with an option, a number and a list of lists."""

    step: int
    count: int = field(default=0, init=False)
    rows: list[list[float]] = field(default_factory=list, init=False)


class Parts(Stateful):
    """An object with a part that is made again, one that is restored in its place, and arrays."""

    _saved = (
        Saved("counter"),
        Saved("own"),
        Saved("both", "_both"),
        Saved("values"),
        as_list("sums"),
        finite_or_none("latest", absent=-math.inf),
        Saved("size", by=lambda parts: len(parts.values)),
    )

    def __init__(self, own: Inner, others: Sequence[Inner] = ()) -> None:
        self.counter, self.own, self.others = Counter(1), own, others
        self.values, self.sums, self.latest = array("d"), np.zeros(2), -math.inf

    @property
    def _both(self) -> tuple[Inner, ...]:
        return tuple(self.others)

    def _restored(self, state: object) -> None:
        self.latest += 0.5


class Inner(Stateful):
    """A part that needs what its owner knows."""

    _saved = (Saved("name", "_name"), Saved("flag"))

    def __init__(self, name: str) -> None:
        self._name, self.flag = name, False


def test_what_is_saved_is_restored() -> None:
    one = Parts(Inner("a"), [Inner("b"), Inner("c")])
    one.counter = Counter(3)
    one.counter.count, one.counter.rows = 7, [[1.0, 2.0], []]
    one.own.flag, one.others[1].flag = True, True
    one.values.extend([1.5, 2.5])
    one.sums[:] = 4, 5
    state = one.state()
    assert state["counter"] == {"step": 3, "count": 7, "rows": [[1.0, 2.0], []]}
    assert state["both"] == [{"name": "b", "flag": False}, {"name": "c", "flag": True}]
    assert (state["sums"], state["latest"], state["size"]) == ([4.0, 5.0], None, 2)
    inner = Inner("x")
    other = Parts(inner, [Inner("y"), Inner("z")])
    other.restore(state)
    assert other.own is inner
    assert (inner._name, inner.flag, other.others[1].flag) == ("a", True, True)
    assert other.counter == one.counter
    assert other.counter.rows is not one.counter.rows
    assert (other.values, other.sums.tolist(), other.latest) == (one.values, [4.0, 5.0], -math.inf)
    one.latest = 2.0
    other.restore(one.state())
    assert other.latest == 2.5  # what follows from several entries is made last


def test_a_state_without_an_entry_or_with_a_wrong_one_is_refused() -> None:
    with pytest.raises(KeyError, match="rows"):
        Counter.resume({"step": 1, "count": 2})
    with pytest.raises(InputError, match="the state has a str for a number"):
        Counter.resume({"step": 1, "count": "2", "rows": []})
    one = Parts(Inner("a"), [Inner("b")])
    with pytest.raises(ValueError, match="zip"):
        one.restore(Parts(Inner("a"), [Inner("b"), Inner("c")]).state())
