"""Adjusted p-values: their order, their closed tests, and what they may never do."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from assay.ranks import ADJUSTMENTS, LOGICAL
from assay.ranks.adjustments import _exhaustive_sets, _rom_factors, _true_together, adjusted, bergmann_hommel, shaffer

P = st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=7).map(np.array)
PAIRS_OF_FOUR = st.lists(st.floats(1e-6, 1.0), min_size=6, max_size=6).map(np.array)
STEPWISE = [name for name in ADJUSTMENTS if name != "none"]


@given(P, st.sampled_from(STEPWISE))
def test_adjusting_never_lowers_and_keeps_the_order(p: Any, method: str) -> None:
    found = adjusted(p, method)
    assert (found >= p * (1 - 1e-9)).all() or method == "li"
    assert (found <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()


@given(P, st.sampled_from(STEPWISE), st.randoms(use_true_random=False))
def test_the_order_in_which_they_come_does_not_matter(p: Any, method: str, random: Any) -> None:
    turned = list(range(len(p)))
    random.shuffle(turned)
    assert adjusted(p[turned], method) == pytest.approx(adjusted(p, method)[turned])


@given(P)
def test_stronger_ones_are_nowhere_above_weaker_ones(p: Any) -> None:
    chain = [adjusted(p, name) for name in ("bonferroni", "holm", "hochberg", "hommel")]
    for weaker, stronger in pairwise(chain):
        assert (stronger <= weaker + 1e-12).all()
    assert (adjusted(p, "rom") <= adjusted(p, "hochberg") + 1e-9).all()
    assert (adjusted(p, "holland") <= adjusted(p, "holm") + 1e-12).all()
    assert (adjusted(p, "benjamini-hochberg") <= adjusted(p, "hochberg") + 1e-12).all()


@given(P)
def test_holm_and_hommel_are_closed_tests(p: Any) -> None:
    """Each p-value is the largest of those of all sets of hypotheses it belongs to: by Bonferroni's test, by Simes'."""
    subsets = [list(s) for size in range(1, len(p) + 1) for s in combinations(range(len(p)), size)]
    bonferroni = {tuple(s): min(1.0, len(s) * p[s].min()) for s in subsets}
    simes = {tuple(s): (len(s) * np.sort(p[s]) / np.arange(1, len(s) + 1)).min() for s in subsets}
    for name, tests in (("holm", bonferroni), ("hommel", simes)):
        closed = [max(value for s, value in tests.items() if i in s) for i in range(len(p))]
        assert adjusted(p, name) == pytest.approx(closed)


@given(P)
def test_benjamini_hochberg_is_scipys(p: Any) -> None:
    assert adjusted(p, "benjamini-hochberg") == pytest.approx(false_discovery_control(p))


@given(PAIRS_OF_FOUR)
def test_knowing_that_they_are_pairs_helps(p: Any) -> None:
    holm, static, exhaustive = adjusted(p, "holm"), shaffer(p, 4), bergmann_hommel(p, 4)
    assert (static <= holm + 1e-12).all()
    assert (exhaustive <= static + 1e-12).all()
    assert (exhaustive >= p - 1e-12).all()


def test_how_many_pairs_can_be_equal_at_once() -> None:
    assert _true_together(4) == {0, 1, 2, 3, 6}
    assert _true_together(5) == {0, 1, 2, 3, 4, 6, 10}


@pytest.mark.parametrize(("algorithms", "partitions"), [(3, 5), (5, 52), (8, 4140)])
def test_every_partition_is_gone_through(algorithms: int, partitions: int) -> None:
    """As many as Bell's numbers say, less the one that parts all."""
    sets = _exhaustive_sets(algorithms)
    assert len(np.unique(sets, axis=0)) == len(sets) == partitions - 1


def test_exhaustive_sets_are_those_of_equal_means() -> None:
    """What any equalities among four means make true, found by trying means."""
    pairs = list(combinations(range(4), 2))
    means = {tuple(means[i] == means[j] for i, j in pairs) for means in np.ndindex(4, 4, 4, 4)}
    found = {tuple(row) for row in _exhaustive_sets(4).tolist()}
    assert found == {row for row in means if any(row)}


def test_roms_critical_values() -> None:
    """Those of Rom (1990) at 0.05: 0.05, 0.025, 0.0169, 0.0127, 0.0102."""
    assert 0.05 / _rom_factors(5, 0.05) == pytest.approx([0.05, 0.025, 0.0169, 0.0127, 0.0102], abs=5e-5)


def test_rom_keeps_its_level_exactly() -> None:
    """Independent p-values that are uniform: the largest step is exhausted, so the error rate is alpha itself."""
    drawn = np.random.default_rng(7).random((20_000, 3))
    rate = np.mean([adjusted(p, "rom").min() <= 0.05 for p in drawn])
    assert rate == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 20_000))


def test_rom_depends_on_alpha() -> None:
    p = np.array([0.01, 0.5, 0.6, 0.7])
    strict, loose = (adjusted(p, "rom", alpha=alpha)[0] for alpha in (0.01, 0.2))
    assert 0.01 * 4 > strict > loose


@pytest.mark.parametrize("method", [*ADJUSTMENTS, *LOGICAL])
def test_what_is_undefined_stays_so_and_still_counts(method: str) -> None:
    found = adjusted(np.array([0.01, np.nan, 0.5]), method, 3)
    assert np.isnan(found).tolist() == [False, True, False]
    assert found[0] == pytest.approx(adjusted(np.array([0.01, 1.0, 0.5]), method, 3)[0])


def test_all_orders_of_three_pairs() -> None:
    """With three algorithms the second and third pair need no further factor: Shaffer's classical case."""
    for p in permutations((0.01, 0.03, 0.04)):
        assert sorted(shaffer(np.array(p), 3)) == pytest.approx([0.03, 0.03, 0.04])
