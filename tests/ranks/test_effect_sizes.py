"""Effect sizes: by counting, by scipy's Harrell-Davis median, in every answer, and what they refuse."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import mstats
from verification._pages import page

from assay.ranks import rank_algorithms
from assay.ranks.effect_sizes import akinshin_gamma, cliff_delta, smooth_median
from verification import effect_sizes

TABLE = Path(__file__).parents[2] / "docs" / "verification" / "effect_sizes.md"
values = arrays(np.float64, 9, elements=st.integers(-8, 8).map(float))


@given(values, values)
def test_cliffs_delta_counts_pairs_of_data_sets(first: np.ndarray, second: np.ndarray) -> None:
    pairs = [(a > b) - (a < b) for a, b in product(first.tolist(), second.tolist())]
    found = cliff_delta(first, second)
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    assert -1 <= found.low <= found.value <= found.high <= 1
    turned = cliff_delta(second, first)
    assert (turned.value, turned.low, turned.high) == pytest.approx((-found.value, -found.high, -found.low))


@given(arrays(np.float64, st.integers(1, 12), elements=st.floats(-5, 5)))
def test_the_smooth_median_is_harrell_and_daviss(sample: np.ndarray) -> None:
    if len(sample) > 1:
        theirs = float(np.asarray(mstats.hdquantiles(sample, prob=[0.5]))[0])
        assert smooth_median(sample) == pytest.approx(theirs, abs=1e-9)
    else:
        assert smooth_median(sample) == pytest.approx(sample[0])


def test_gamma_of_normal_values_is_near_cohens_d() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(1.5, 2, 1500), rng.normal(0, 2, 1500)
    assert akinshin_gamma(first, second).value == pytest.approx(0.75, abs=0.1)


def test_gamma_needs_a_spread_and_delta_enough_data_sets() -> None:
    found = akinshin_gamma(np.ones(6), np.ones(6))
    assert np.isnan(found.value)
    assert "no spread" in str(found.undefined)
    four = cliff_delta(np.arange(4.0), np.arange(4.0) - 1)
    assert np.isnan(four.low)
    assert "need at least 5" in str(four.undefined)
    assert four.value == (10 - 3) / 16


def test_lower_values_better_turn_the_signs() -> None:
    table = {"a": [0.1, 0.2, 0.1, 0.3, 0.2], "b": [0.4, 0.5, 0.6, 0.5, 0.4]}
    (lower,), (higher,) = (rank_algorithms(table, better=b).effect_sizes() for b in ("lower", "higher"))
    assert lower.delta.value == 1 == -higher.delta.value
    assert lower.gamma.value == pytest.approx(-higher.gamma.value)


def test_the_committed_table_has_every_row_and_none_misses() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert text.count("| Cliff's delta |") == len(effect_sizes.jobs(quick=False))
    assert "MISS" not in text
    assert effect_sizes.SAID in text


def test_a_row_is_made_again_as_it_was_committed() -> None:
    (line,) = page("", "", effect_sizes.run(("shared 1", 2.0, 14))).splitlines()[-1:]
    assert line in TABLE.read_text(encoding="utf-8")
