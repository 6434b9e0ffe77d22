"""Pairs in order of a window, event by event, against the table of the same events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence import ScoreTable, pair_window, pairs_along
from assay.evidence._kernels import plain_windows

SCORES = st.sampled_from([-0.0, 0.0, 0.1, 0.25, 0.5, 0.75, 1.0, -3.0, 1e300])
EVENTS = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=40)


def in_order(events: list[tuple[float, bool]]) -> float:
    if not events:
        return 0.0
    score, is_positive = zip(*events, strict=True)
    return float(ScoreTable.of(score, is_positive).pairs_in_order)


@given(EVENTS, st.integers(1, 12), st.integers(0, 40))
def test_pairs_after_every_event_are_those_of_its_window(
    events: list[tuple[float, bool]], width: int, cut: int
) -> None:
    window, found = pair_window(), []
    for piece in (events[:cut], events[cut:]):
        score, positive = np.array([s for s, _ in piece]), np.array([p for _, p in piece], dtype=np.bool_)
        found += window.extend(score, positive, width).tolist()
    assert found == [in_order(events[max(end - width, 0) : end]) for end in range(1, len(events) + 1)]
    assert len(window) == min(width, len(events))


@given(EVENTS, st.integers(1, 50))
def test_pairs_of_a_whole_line_are_those_event_by_event(events: list[tuple[float, bool]], width: int) -> None:
    score, positive = np.array([s for s, _ in events]), np.array([p for _, p in events], dtype=np.bool_)
    assert pairs_along(score, positive, width).tolist() == pair_window().extend(score, positive, width).tolist()


@pytest.mark.parametrize("scores", ["continuous", "tied", "alike", "falling", "crowded"])
def test_pairs_of_a_long_line(scores: str) -> None:
    rng, cases = np.random.default_rng(5), 9_000
    made = {
        "continuous": rng.normal(size=cases),
        "tied": rng.integers(0, 40, cases) / 40,
        "alike": np.zeros(cases),
        "falling": -np.arange(float(cases)),
        "crowded": np.where(rng.random(cases) < 0.5, 1e300, 5e-324 * rng.integers(0, 9, cases)),
    }[scores]
    line = np.repeat(made, 2)[::2]
    positive = np.repeat(rng.random(cases) < 0.2, 2)[::2]
    for width in (1, 700, 5_000, 20_000):
        np.testing.assert_array_equal(
            pairs_along(line, positive, width), plain_windows.pairs_along(line, positive, width)
        )


def test_pairs_of_no_events_and_of_one() -> None:
    assert pairs_along(np.zeros(0), np.zeros(0, np.bool_), 5).tolist() == []
    assert pairs_along(np.ones(1), np.ones(1, np.bool_), 5).tolist() == [0.0]


@given(EVENTS, st.data())
def test_what_is_dropped_is_forgotten(events: list[tuple[float, bool]], data: st.DataObject) -> None:
    window = pair_window()
    for event in events:
        window.add(*event, len(events))
    count = data.draw(st.integers(0, len(events)))
    window.drop(count)
    assert (window.pairs, len(window)) == (in_order(events[count:]), len(events) - count)
    assert window.add(0.3, True, len(events) + 1) == in_order([*events[count:], (0.3, True)])
