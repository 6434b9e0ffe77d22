"""What is there to be better than stands in tables and out of tests; two tests that disagree are both named."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError, OptionError
from assay.ranks import rank_algorithms

RNG = np.random.default_rng(11)
# Three settings of one learner that nobody could tell apart, and one that looks at no feature.
ALIKE = {f"depth {k}": (0.8 + 0.02 * RNG.normal(size=8)).tolist() for k in (2, 4, 8)}
TABLE = {"dataset": [f"d{k}" for k in range(8)], "dummy": [0.5] * 8, **ALIKE}


def test_a_dummy_makes_no_difference_between_the_others() -> None:
    without, beside, among = (
        rank_algorithms({name: values for name, values in TABLE.items() if name != "dummy"}),
        rank_algorithms(TABLE),
        rank_algorithms(TABLE, baseline="none"),
    )
    assert beside.omnibus() == without.omnibus()
    assert beside.compare() == without.compare()
    assert beside.critical_difference() == without.critical_difference()
    assert among.omnibus()["friedman"].p_value < 0.01 < beside.omnibus()["friedman"].p_value
    table = beside.table().columns
    assert table["algorithm"][-1] == "dummy"
    assert math.isnan(table["mean_rank"][-1])
    assert table["mean"][-1] == 0.5
    assert table["mean"][:-1] == without.table().columns["mean"]
    assert "Baseline dummy: mean 0.500. It is excluded from ranks and tests." in beside.words()


def test_any_algorithm_may_be_named_as_one() -> None:
    named = rank_algorithms(TABLE, baseline=["dummy", "depth 2"])
    assert named.results.algorithms == ("depth 4", "depth 8")
    assert named.results.baselines == ("dummy", "depth 2")
    with pytest.raises(
        InputError, match=r"1 algorithm on 8 data sets, without the baseline 'dummy' and 'depth 2' and 'depth 4'"
    ):
        rank_algorithms(TABLE, baseline=["dummy", "depth 2", "depth 4"])
    with pytest.raises(InputError, match=r"baseline is 'nobody'"):
        rank_algorithms(TABLE, baseline="nobody")
    with pytest.raises(OptionError, match=r"control is the baseline 'dummy', which is excluded from the tests"):
        rank_algorithms(TABLE).compare(control="dummy")


def test_folds_of_a_baseline_are_in_no_marks() -> None:
    rows = [(d, a, f) for d in ("x", "y") for a in ("dummy", "tree", "knn") for f in range(5)]
    long = {
        "dataset": [d for d, _, _ in rows],
        "learner": [a for _, a, _ in rows],
        "fold": [f for _, _, f in rows],
        "value": [0.5 if a == "dummy" else 0.8 + 0.01 * f for _, a, f in rows],
    }
    assert "dummy" not in rank_algorithms(long).weka().table().columns


def test_two_tests_that_disagree_are_both_named() -> None:
    # Neighbours differ on every data set, by one rank: not enough for the difference of mean ranks.
    values = {name: [0.5 + 0.01 * k + 0.001 * d * (k + 1) for d in range(12)] for k, name in enumerate("abcd")}
    words = rank_algorithms(values).words()
    assert "Significant by Wilcoxon signed-rank but not by Nemenyi" in words
    assert "No significant difference within" in words
    assert "by it" not in words


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 12), st.integers(2, 5), st.integers(0, 10_000))
def test_whatever_stands_beside_changes_no_test(datasets: int, algorithms: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = {f"a{k}": rng.random(datasets).tolist() for k in range(algorithms)}
    plain = rank_algorithms(values)
    beside = rank_algorithms({**values, "zero": rng.random(datasets).tolist()}, baseline="zero")
    assert beside.mean_ranks == plain.mean_ranks
    assert repr(beside.compare()) == repr(plain.compare())
