"""Limits at every look: however events are cut into chunks, whenever one stops, and whichever way losses run."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import OptionError, UnknownName
from assay.uncertainty import SEQUENCES, Asymptotic, Betting, Predictable, sequence_of
from assay.uncertainty.confidence_sequences import CROSSED

losses = st.lists(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)), min_size=1, max_size=150)
cuts = st.lists(st.integers(0, 150), max_size=6)
methods = st.sampled_from(SEQUENCES)
sides = st.sampled_from(["both", "lower", "upper"])


def fed(sequence: Any, values: list[float], stops: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Limits after each event, the events handed over in chunks that end at these places."""
    places = sorted({0, len(values), *(stop for stop in stops if stop < len(values))})
    parts = [sequence.extend(values[a:b]) for a, b in pairwise(places)]
    return np.concatenate([low for low, _ in parts]), np.concatenate([high for _, high in parts])


@settings(deadline=None)
@given(losses, cuts, methods, sides)
def test_any_chunks_give_the_same_limits(values: list[float], stops: list[int], method: str, side: str) -> None:
    whole = sequence_of(method, side=side).extend(values)
    parts = fed(sequence_of(method, side=side), values, stops)
    one_by_one = sequence_of(method, side=side)
    singles = np.array([one_by_one.update(value) for value in values]).T
    for at in (0, 1):
        np.testing.assert_array_equal(whole[at], parts[at])
        np.testing.assert_allclose(whole[at], singles[at], atol=1e-12)


@settings(deadline=None)
@given(losses, st.integers(0, 150), methods, sides)
def test_an_interruption_leaves_no_trace(values: list[float], stop: int, method: str, side: str) -> None:
    whole, part = sequence_of(method, side=side), sequence_of(method, side=side)
    expected = whole.extend(values)
    part.extend(values[:stop])
    # Through text, as a checkpoint would keep it.
    part = type(part).resume(json.loads(json.dumps(part.state())))
    found = part.extend(values[stop:])
    for at in (0, 1):
        np.testing.assert_array_equal(expected[at][stop:], found[at])
    assert part.n == whole.n
    assert part.mean == whole.mean


@settings(deadline=None)
@given(losses)
def test_limits_of_betting_are_nested(values: list[float]) -> None:
    low, high = Betting().extend(values)
    assert np.all(np.diff(low) >= 0)
    assert np.all(np.diff(high) <= 0)


@settings(deadline=None)
@given(st.lists(st.integers(0, 8), min_size=1, max_size=150), methods)
def test_mirrored_losses_mirror_the_limits(eighths: list[int], method: str) -> None:
    values = np.array(eighths) / 8
    low, high = sequence_of(method).extend(values)
    mirrored_low, mirrored_high = sequence_of(method).extend(1 - values)
    np.testing.assert_allclose(1 - mirrored_high, low, atol=1e-12)
    np.testing.assert_allclose(1 - mirrored_low, high, atol=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(-1, 1), min_size=1, max_size=120))
def test_paired_differences_are_rescaled(differences: list[int]) -> None:
    values = np.array(differences, dtype=float)
    low, high = Betting(bounds=(-1, 1)).extend(values)
    plain_low, plain_high = Betting().extend((values + 1) / 2)
    np.testing.assert_allclose(low, 2 * plain_low - 1, atol=1e-12)
    np.testing.assert_allclose(high, 2 * plain_high - 1, atol=1e-12)


@pytest.mark.parametrize("method", SEQUENCES)
def test_one_sided_limits_are_tighter_on_their_side(method: str) -> None:
    values = (np.random.default_rng(3).random(800) < 0.2).astype(float)
    both, lower, upper = (sequence_of(method, side=side) for side in ("both", "lower", "upper"))
    for each in (both, lower, upper):
        each.extend(values)
    assert both.low < lower.low < values.mean()
    assert values.mean() < upper.high < both.high
    assert lower.high >= 1
    assert upper.low <= 0


def test_an_estimate_says_what_it_is() -> None:
    found = Betting()
    found.extend([0, 1, 0, 0] * 100)
    estimate = found.estimate("error_rate")
    assert estimate.low < 0.25 < estimate.high
    assert (estimate.method, estimate.n) == ("betting, at every look", 400)


def test_a_mean_that_changed_is_told_and_not_limited() -> None:
    found = Betting()
    found.extend([0.0] * 500 + [1.0] * 1500)
    assert found.low > found.high
    estimate = found.estimate()
    assert math.isnan(estimate.low)
    assert estimate.undefined == CROSSED


def test_a_loss_without_bounds_has_no_limits_before_100_events() -> None:
    found = Asymptotic()
    found.extend(np.linspace(0, 3, 99))
    estimate = found.estimate("log_loss")
    assert math.isnan(estimate.low)
    assert estimate.undefined == "limits at every look of a loss without bounds need about 100 events"
    found.update(1.0)
    assert found.estimate("log_loss").undefined is None


@pytest.mark.parametrize("value", [1.5, -0.1, math.nan])
def test_a_loss_beyond_its_bounds_is_refused(value: float) -> None:
    with pytest.raises(OptionError, match=r"a loss is .* where bounds are 0 and 1"):
        Betting().extend([0.5, value])
    with pytest.raises(OptionError, match=r"a loss is .* where bounds are 0 and 1"):
        Betting().update(value)
    with pytest.raises(OptionError, match="a loss is"):
        Predictable().extend([value])


def test_what_cannot_be_asked_is_refused_by_name() -> None:
    with pytest.raises(OptionError, match="bounds is"):
        Betting(bounds=(1, 0))
    with pytest.raises(OptionError, match="method 'Hoeffding' needs bounds"):
        sequence_of("Hoeffding", bounds=None)
    with pytest.raises(UnknownName, match="side is 'left'"):
        Betting(side="left")
    with pytest.raises(OptionError, match="level is 5"):
        Asymptotic(5)
    with pytest.raises(OptionError, match="not a finite number"):
        Asymptotic().extend([math.inf])


def test_a_value_added_to_the_grid_is_exact() -> None:
    values = (np.random.default_rng(5).random(400) < 0.3).astype(float)
    fine = Betting(side="lower", at=(0.12345,))
    low, _ = fine.extend(values)
    assert 0.12345 in low or low[-1] > 0.12345
    coarse = Betting(side="lower", at=(0.12345,), steps=1)
    crossed = coarse.extend(values)[0] >= 0.12345
    np.testing.assert_array_equal(crossed, low >= 0.12345)


def test_one_stream_in_twenty_at_most_is_ever_wrong() -> None:
    """All looks at once; the full table stands in docs/verification/streams.md."""
    rng, missed = np.random.default_rng(11), 0
    for _ in range(200):
        low, high = Betting(steps=100).extend(rng.random(500) < 0.1)
        missed += bool(low[-1] > 0.1 or high[-1] < 0.1)
    assert missed <= 17  # of 200: 0.05 and three standard errors
