"""Laws of a summary over sites: what must hold whatever the sites."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.comparison import LIMITS, METHODS, PREDICTIONS, Pooled, pooled
from assay.types import Floats

number = st.floats(-4, 4).map(lambda x: round(x, 3))
error = st.floats(0.02, 1.5).map(lambda x: round(x, 3))
SITES = st.lists(st.tuples(number, error), min_size=2, max_size=12)
WAYS = st.sampled_from(
    [(m, limits, p) for m in METHODS for limits in LIMITS for p in PREDICTIONS if m != "fixed" or limits == "z"]
)
laws = settings(max_examples=120, deadline=None)


def numbers(sites: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    both = np.array(sites)
    return both[:, 0], both[:, 1] ** 2


def made(sites: list[tuple[float, float]], way: tuple[str, str, str], level: float = 0.95) -> Pooled:
    method, limits, prediction = way
    return pooled(*numbers(sites), method=method, limits=limits, prediction=prediction, level=level)


def same(one: Pooled, other: Pooled, turn: Callable[[float], float] = lambda x: x) -> None:
    # Fisher's scoring stops near a flat top of the likelihood, wherever it came from.
    for name in ("estimate", "low", "high"):
        assert turn(getattr(one, name)) == pytest.approx(getattr(other, name), rel=1e-6, abs=1e-6)
    assert (one.predicted is None) == (other.predicted is None)
    if one.predicted is not None and other.predicted is not None:
        assert [turn(end) for end in one.predicted] == pytest.approx(other.predicted, rel=1e-5, abs=1e-5)


@laws
@given(SITES, WAYS, st.randoms())
def test_the_order_of_sites_does_not_matter(
    sites: list[tuple[float, float]], way: tuple[str, str, str], rng: object
) -> None:
    turned = list(sites)
    rng.shuffle(turned)  # type: ignore[attr-defined]
    same(made(sites, way), made(turned, way))


@laws
@given(number, error, st.integers(2, 9), WAYS)
def test_identical_sites_do_not_differ(value: float, spread: float, times: int, way: tuple[str, str, str]) -> None:
    found = made([(value, spread)] * times, way)
    assert found.tau2 == 0
    assert found.i2 == 0
    assert found.estimate == pytest.approx(value)
    assert found.fixed.p_value == pytest.approx(1)


@laws
@given(SITES, WAYS)
def test_the_mean_lies_among_the_sites_and_every_limit_on_its_side(
    sites: list[tuple[float, float]], way: tuple[str, str, str]
) -> None:
    found, rounding = made(sites, way), 1e-9
    assert found.values.min() - rounding <= found.estimate <= found.values.max() + rounding
    assert found.low <= found.estimate <= found.high
    assert found.weights.sum() == pytest.approx(1)
    assert found.tau2_limits[0] <= found.tau2_limits[1]
    if found.predicted is not None:
        assert found.predicted[0] <= found.low + rounding
        assert found.predicted[1] >= found.high - rounding


@laws
@given(SITES, WAYS, st.sampled_from([0.01, 3.0, 250.0]), number)
def test_another_unit_changes_the_unit_alone(
    sites: list[tuple[float, float]], way: tuple[str, str, str], unit: float, shift: float
) -> None:
    moved = [(unit * (value + shift), unit * spread) for value, spread in sites]
    one, other = made(sites, way), made(moved, way)
    same(one, other, lambda x: unit * (x + shift)) if unit < 10 else None
    assert other.i2 == pytest.approx(one.i2, rel=1e-5, abs=1e-5)
    assert other.tau2 == pytest.approx(unit**2 * one.tau2, rel=1e-4, abs=1e-6 * unit**2)


@laws
@given(SITES, WAYS, number, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_limits_and_p_value_say_the_same(
    sites: list[tuple[float, float]], way: tuple[str, str, str], null: float, level: float
) -> None:
    found = made(sites, way, level)
    if min(abs(null - found.low), abs(null - found.high)) > 1e-6:
        assert (found.p_value(null) < 1 - level - 1e-12) == (not found.low <= null <= found.high)


@laws
@given(SITES, st.sampled_from(sorted(LIMITS)))
def test_a_higher_level_is_wider(sites: list[tuple[float, float]], limits: str) -> None:
    narrow, wide = (made(sites, ("reml", limits, "q-profile"), level) for level in (0.8, 0.95))
    assert wide.low <= narrow.low + 1e-9
    assert wide.high >= narrow.high - 1e-9
    assert wide.predicted is not None
    assert narrow.predicted is not None
    assert wide.predicted[0] <= narrow.predicted[0] + 1e-9


def test_a_new_site_is_known_no_better_than_the_mean_of_all() -> None:
    found = made([(0.0, 1.0), (2.0, 0.5), (2.0, 0.25)], ("reml", "q-profile", "k-2"))
    assert found.predicted is not None
    assert found.predicted[0] <= found.low < found.high <= found.predicted[1]
