"""Costs: what is accepted, what is refused with which sentence, and what follows from them."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.costs import Costs
from assay.errors import InputError

THREE = [[0, 1, 2], [1, 0, 1], [3, 2, 0]]
amounts = st.floats(-10, 10, allow_nan=False).map(lambda x: round(x, 3))
regrets = st.floats(0.01, 20)


def test_named_cells_and_a_matrix_are_the_same() -> None:
    assert Costs(fp=1, fn=4, tp=-2, tn=0.5) == Costs([[0.5, 1.0], [4.0, -2.0]])


def test_costs_are_values() -> None:
    costs = Costs(fp=1, fn=4, prevalence=0.2, acquisition=0.1, reject=0.3)
    assert pickle.loads(pickle.dumps(costs)) == costs
    assert hash(costs) == hash(Costs(fp=1, fn=4, prevalence=0.2, acquisition=0.1, reject=0.3))
    with pytest.raises(AttributeError):
        costs.reject = 1.0  # type: ignore[misc]
    assert repr(costs) == "Costs(fp=1, fn=4, prevalence=0.2, acquisition=0.1, reject=0.3)"


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "no costs are given"),
    "two kinds": ({"matrix": THREE, "fp": 1}, "two kinds of costs"),
    "one cell": ({"fp": 1}, "fp is given without fn"),
    "a miss for free": ({"fp": 1, "fn": 0}, "predicting '1' never costs less than predicting '0'"),
    "nothing matters": ({"fp": 0, "fn": 0}, "never costs less"),
    "wrong is right": ({"fp": -1, "fn": 1}, "fp must not be negative (got -1)"),
    "a dominated decision": (
        {"matrix": [[0, 1, 2], [1, 0, 0], [1, 1, 1]]},
        "predicting '2' never costs less than predicting '1'",
    ),
    "not square": ({"matrix": [[0, 1]]}, "shape (1, 2)"),
    "not finite": ({"matrix": [[0, math.inf], [1, 0]]}, "not finite"),
    "no numbers": ({"matrix": [["a", "b"], ["c", "d"]]}, "not a matrix of numbers"),
    "names twice": ({"matrix": THREE, "classes": ("a", "a", "b")}, "3 different names"),
    "a prevalence of many": ({"matrix": THREE, "prevalence": 0.2}, "one number for 3 classes"),
    "shares that do not sum": ({"matrix": THREE, "prevalence": (0.2, 0.2, 0.2)}, "sum to 1"),
    "a share above 1": ({"fp": 1, "fn": 1, "prevalence": 1.2}, "prevalence is 1.2; needed: a number from 0 to 1"),
    "a prevalence in words": (
        {"fp": 1, "fn": 1, "prevalence": "rare"},
        "prevalence is 'rare'; needed: a number from 0 to 1",
    ),
    "a cost in words": ({"fp": 1, "fn": 1, "reject": "dear"}, "reject is 'dear'; needed: a finite number"),
    "shares of others": ({"fp": 1, "fn": 1, "prevalence": {"a": 0.5, "b": 0.5}}, "prevalence names 'a', 'b'"),
    "an endless cost": ({"fp": 1, "fn": 1, "reject": math.inf}, "reject is inf"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    arguments, words = REFUSED[name]
    with pytest.raises(InputError) as caught:
        Costs(**arguments)
    assert words in str(caught.value)


def test_prevalence_by_name_and_in_order() -> None:
    by_name = Costs([[0, 1], [5, 0]], ("good", "bad"), prevalence={"bad": 0.3, "good": 0.7})
    assert by_name.prevalence == (0.7, 0.3)
    assert by_name.positive_share == 0.3


def test_classes_in_another_order() -> None:
    costs = Costs(THREE, ("a", "b", "c"), prevalence=(0.5, 0.3, 0.2))
    turned = costs.of_classes(("c", "a", "b"))
    assert turned.matrix == ((0.0, 3.0, 2.0), (2.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    assert turned.prevalence == (0.2, 0.5, 0.3)
    assert costs.of_classes(("0", "1", "2")) is costs
    with pytest.raises(InputError, match="costs of 'x', 'y', 'z'"):
        costs.of_classes(("x", "y", "z"))


def test_cells_need_two_classes() -> None:
    with pytest.raises(InputError, match="two classes, for costs fp and fn"):
        _ = Costs(THREE).fn


@given(false_alarm=regrets, miss=regrets, tp=amounts, tn=amounts)
def test_the_theoretical_threshold_is_where_both_decisions_cost_the_same(
    false_alarm: float, miss: float, tp: float, tn: float
) -> None:
    costs = Costs(fp=tn + false_alarm, fn=tp + miss, tp=tp, tn=tn)
    p = costs.threshold
    assert 0 < p < 1
    assert p * tp + (1 - p) * costs.fp == pytest.approx(p * costs.fn + (1 - p) * tn, abs=1e-9)
    assert costs.ratio == pytest.approx((1 - p) / p)


@given(fp=amounts, fn=amounts, tp=amounts, tn=amounts)
def test_every_two_by_two_matrix_is_accepted_or_refused_for_a_reason(
    fp: float, fn: float, tp: float, tn: float
) -> None:
    if fp > tn and fn > tp:
        Costs(fp=fp, fn=fn, tp=tp, tn=tn)
    else:
        with pytest.raises(InputError):
            Costs(fp=fp, fn=fn, tp=tp, tn=tn)


def test_the_slope_of_equal_cost() -> None:
    """pi0 c_fp / (pi1 c_fn): with ten times dearer misses at equal classes one tenth."""
    assert Costs(fp=1, fn=10).slope(0.5) == pytest.approx(0.1)
    assert Costs(fp=1, fn=10).slope(0.0) == math.inf
