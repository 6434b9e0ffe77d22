"""Draws from a counter: the same by numpy and by compiled loops, in any parts, and distributed as they should be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy import stats

from assay.evidence._kernels import KERNELS, binomials, draw_key, isotonic_rows, multiplicities, plain_draws

Floats = NDArray[np.float64]
needs_loops = pytest.mark.skipif(KERNELS != "compiled", reason="tests/evidence/test_twins.py says where loops must be")


@needs_loops
@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.integers(0, 2**70), st.integers(0, 10**6), st.integers(0, 7), st.integers(1, 50))
def test_twins_draw_the_same_units(seed: int, first: int, count: int, size: int) -> None:
    from assay.evidence._kernels import compiled_draws

    wanted, found = (twin.multiplicities(draw_key(seed), first, count, size) for twin in (plain_draws, compiled_draws))
    np.testing.assert_array_equal(found, wanted)
    cell = np.arange(size) % 3
    np.testing.assert_array_equal(compiled_draws.counted(cell, found, 3), plain_draws.counted(cell, wanted, 3))


@needs_loops
@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 10**7), st.floats(0, 1)), max_size=8), st.integers(0, 2**64), st.integers(0, 40)
)
def test_twins_draw_the_same_counts(cells: list[tuple[int, float]], seed: int, times: int) -> None:
    from assay.evidence._kernels import compiled_draws

    cases, rate = np.array([n for n, _ in cells], dtype=np.int64), np.array([p for _, p in cells])
    wanted, found = (twin.binomials(cases, rate, times, draw_key(seed)) for twin in (plain_draws, compiled_draws))
    np.testing.assert_array_equal(found, wanted)
    assert ((found >= 0) & (found <= cases)).all()
    sums = [twin.redrawn_sums(cases, rate, rate**2, times, draw_key(seed)) for twin in (plain_draws, compiled_draws)]
    # Sums whose terms cancel agree as far as the size of their terms allows.
    np.testing.assert_allclose(sums[1], sums[0], rtol=1e-12, atol=1e-14 * (1.0 + float(cases.sum())))


@needs_loops
@settings(max_examples=60, derandomize=True, deadline=None)
@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 5), st.integers(1, 30)), elements=st.floats(0, 1)))
def test_twins_fit_the_same_steps(values: Floats) -> None:
    from assay.evidence._kernels import compiled_draws

    weight = 1.0 + np.arange(values.shape[1]) % 4
    wanted, found = (twin.isotonic_rows(values, weight) for twin in (plain_draws, compiled_draws))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    assert (np.diff(found, axis=1) >= 0).all()


def test_any_part_of_a_sequence_can_be_made_by_itself() -> None:
    key = draw_key(5)
    whole = multiplicities(key, 0, 12, 30)
    np.testing.assert_array_equal(np.concatenate([multiplicities(key, k, 4, 30) for k in (0, 4, 8)]), whole)
    assert (whole.sum(1) == 30).all()


def test_seeds_and_streams_have_nothing_in_common() -> None:
    keys = {draw_key(seed, stream) for seed in (*range(200), 2**64, 2**64 + 1, 2**200) for stream in range(3)}
    assert len(keys) == 203 * 3
    first, second = (multiplicities(draw_key(seed), 0, 1, 20_000)[0] for seed in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03


def test_units_are_drawn_as_often_as_chance_has_it() -> None:
    times = multiplicities(draw_key(1), 0, 2_000, 50)
    assert stats.chisquare(times.sum(0)).pvalue > 0.001
    # How often one unit is drawn is binomial.
    seen = np.bincount(times.astype(int).ravel(), minlength=8)[:8]
    expected = stats.binom.pmf(np.arange(8), 50, 1 / 50) * times.size
    assert stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue > 0.001


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (40, 0.02), (400, 0.9), (100_000, 0.37)])
def test_counts_are_binomial(n: int, p: float) -> None:
    drawn = binomials(np.array([n]), np.array([p]), 40_000, draw_key(n))[:, 0]
    law = stats.binom(n, p)
    edges = np.unique(law.ppf(np.linspace(0, 1, 21)[1:-1]))
    cell = np.searchsorted(edges, drawn)
    chance = np.diff(np.concatenate(([0.0], law.cdf(edges), [1.0])))
    seen = np.bincount(cell, minlength=len(chance))[chance > 0]
    assert stats.chisquare(seen, chance[chance > 0] * len(drawn)).pvalue > 0.001


def test_steps_are_those_of_pooled_neighbours() -> None:
    np.testing.assert_allclose(
        isotonic_rows(np.array([[0.2, 0.1, 0.9]]), np.array([1.0, 3.0, 1.0]))[0], [0.125, 0.125, 0.9]
    )
