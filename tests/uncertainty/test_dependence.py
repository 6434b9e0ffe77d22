"""Limits of a stretch of a stream whose events depend on those before."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.errors import OptionError, UnknownName
from assay.uncertainty import (
    ONE_LOOK,
    dependent_interval,
    dependent_mean,
    long_run,
)


def clinging(rng: np.random.Generator, n: int, rate: float, correlation: float) -> NDArray[np.float64]:
    """Errors of a rate that stay as they were with a probability: a two-state Markov chain."""
    fresh, kept = (rng.random(n) < rate).astype(float), rng.random(n) < correlation
    kept[0] = False
    return fresh[np.maximum.accumulate(np.where(kept, 0, np.arange(n)))]


@pytest.mark.parametrize("correlation", [0.0, 0.4, 0.8])
def test_the_long_run_variance_is_that_of_the_chain(correlation: float) -> None:
    found = long_run(clinging(np.random.default_rng(1), 200_000, 0.3, correlation))
    assert found.variance == pytest.approx(0.21 * (1 + correlation) / (1 - correlation), rel=0.08)
    assert found.correlation == pytest.approx(correlation, abs=0.02)
    assert found.worth == pytest.approx(200_000 * (1 - correlation) / (1 + correlation), rel=0.08)


def test_limits_hold_where_plain_ones_do_not() -> None:
    rng, held, plain = np.random.default_rng(3), 0, 0
    for _ in range(300):
        errors = clinging(rng, 1000, 0.2, 0.6)
        estimate, half = dependent_mean(errors), 1.96 * errors.std() / math.sqrt(1000)
        held += estimate.low <= 0.2 <= estimate.high
        plain += abs(errors.mean() - 0.2) <= half
    assert plain < 0.8 * 300
    assert held >= 300 * (0.95 - 3 * 0.0126)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=300), st.sampled_from([0.8, 0.95]))
def test_mirrored_errors_mirror_the_limits(errors: list[float], level: float) -> None:
    values = np.array(errors)
    one, other = dependent_mean(values, level), dependent_mean(1 - values, level)
    assert (one.undefined is None) == (other.undefined is None)
    if one.undefined is None:
        assert one.low == pytest.approx(1 - other.high, abs=1e-9)
        assert 0 <= one.low <= one.value <= one.high <= 1


@pytest.mark.parametrize(
    ("losses", "why"),
    [
        ([], "there are no events"),
        ([0.0, 1.0] * 49, "from 100 events on"),
        ([0.2, 0.7] * 99, "from 200 events on"),
        ([0.0] * 300, "all events are alike"),
        ([0.0] * 299 + [1.0], "the rarer outcome has fewer than 2.5"),
        (list(np.repeat([0.2, 0.9, 0.3], 100)), "fewer than 15 independent events' worth"),
    ],
)
def test_where_nothing_is_known_to_hold_there_are_no_limits(losses: list[float], why: str) -> None:
    found = dependent_mean(losses)
    assert math.isnan(found.low)
    assert why in str(found.undefined)


def test_a_method_by_name_is_computed_all_the_same() -> None:
    few = clinging(np.random.default_rng(5), 60, 0.3, 0.2)
    named = dependent_mean(few, method="long-run variance")
    drawn = dependent_mean(few, method="block bootstrap")
    assert named.low < few.mean() < named.high
    assert drawn.low < few.mean() < drawn.high
    assert drawn.method.startswith("block bootstrap, blocks of ")
    assert drawn.to_dict() == dependent_mean(few, method="block bootstrap").to_dict()
    assert drawn.to_dict() != dependent_mean(few, method="block bootstrap", seed=1).to_dict()
    with pytest.raises(UnknownName, match="method is 'jackknife'"):
        dependent_mean(few, method="jackknife")


def test_every_limit_says_that_it_holds_at_one_look() -> None:
    errors = clinging(np.random.default_rng(5), 400, 0.3, 0.2)
    for found in (
        dependent_mean(errors),
        dependent_mean(errors + 0.5),
        dependent_mean(errors, method="block bootstrap"),
    ):
        assert found.method.endswith("one look")
    assert dependent_interval(0.3, errors - errors.mean()).method.endswith("one look")
    assert "valid at a single time point" in ONE_LOOK


def test_a_loss_that_is_no_number_is_refused() -> None:
    with pytest.raises(OptionError, match="a loss is not a finite number"):
        dependent_mean([0.0, math.nan])
