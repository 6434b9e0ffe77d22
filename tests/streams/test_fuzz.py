"""Hostile values anywhere: an event is taken or refused in a sentence of ours, and what is refused leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.streams.test_laws import assert_same_state

from assay import streams
from assay.errors import AssayError

ODD: tuple[Any, ...] = (
    *(None, float("nan"), float("inf"), -1, 1.5, 10**400, True, np.float64("nan"), np.array([1])),
    *("maybe", b"yes", "", " ", "0.5", ["x"], {}, object()),
)
VIEWS = (
    (streams.cumulative(),),
    (streams.sliding(3), streams.fading(0.9)),
    (streams.tumbling(seconds=3), streams.cumulative()),
)


class Fuzzer:
    """A run with options drawn by lot, and what is done to it."""

    def __init__(self, seed: int) -> None:
        self.lot = lot = Random(seed)
        self.classes = lot.choice([None, ("no", "yes"), (0, 1), ("a", "b", "c"), (True, False)])
        self.labels = list(self.classes or ("no", "yes"))
        options: dict[str, Any] = {
            "positive": lot.choice([None, None, self.labels[-1]]) if len(self.labels) == 2 else None,
            "threshold": lot.choice([None, None, 0.5, 2.0]),
            "record": lot.choice([(), ("accuracy", "kappa_m")]),
            "expire_after": lot.choice([None, 2]),
        }
        self.run = streams.prequential(
            classes=self.classes, views=lot.choice(VIEWS), peeks=lot.random() < 0.5, **options
        )

    def maybe_odd(self, usual: Callable[[], Any]) -> Any:
        return self.lot.choice(ODD) if self.lot.random() < 0.15 else usual()

    def label(self) -> Any:
        return self.maybe_odd(lambda: self.lot.choice(self.labels))

    def answer(self) -> dict[str, Any]:
        kinds: dict[str, tuple[float, Callable[[], Any]]] = {
            "score": (0.7, lambda: self.maybe_odd(self.lot.random)),
            "scores": (0.1, lambda: self.maybe_odd(lambda: [self.lot.random() for _ in self.labels])),
            "prediction": (0.3, self.label),
        }
        return {name: make() for name, (often, make) in kinds.items() if self.lot.random() < often}

    def do(self, step: int) -> None:
        kind, time = self.lot.random(), self.lot.random() < 0.4
        if kind < 0.5:
            said = {"time": self.maybe_odd(lambda: float(step))} if time else {}
            self.run.update(self.label(), **self.answer(), **said)
        elif kind < 0.8:
            rows = [self.answer() for _ in range(self.lot.randint(0, 4))]
            columns = {name: [row.get(name) for row in rows] for name in (rows[0] if rows else {})}
            said = {"time": [float(step)] * len(rows)} if time else {}
            self.run.update_many([self.label() for _ in rows], **columns, **said)  # type: ignore[arg-type]
        elif kind < 0.9:
            self.run.predicted(self.maybe_odd(lambda: self.lot.randint(0, 5)), **self.answer())
        else:
            self.run.labelled(self.lot.randint(0, 5), self.label())


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_nothing_hostile_gets_in(first: int) -> None:
    taken = 0
    for seed in range(first, first + 50):
        fuzzer = Fuzzer(seed)
        for step in range(20):
            before = fuzzer.run.state()
            try:
                fuzzer.do(step)
            except AssayError:
                assert_same_state(before, fuzzer.run.state())
            else:
                taken += 1
            for view in fuzzer.run.views.values():
                view.values(("accuracy", "kappa_temporal"))
    assert taken > 50
