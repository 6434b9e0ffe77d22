"""An estimate acts as its number beside plain numbers, and refuses what would lose its interval."""

from __future__ import annotations

import copy
import dataclasses
import math
import operator
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError, LostInterval
from assay.results import Estimate

NAN = float("nan")
AUC = Estimate("roc_auc", 0.875, 0.8, 0.95, 0.95, "DeLong, logit", 2500)
OTHER = dataclasses.replace(AUC, name="recall", value=0.5)
NOWHERE = dataclasses.replace(AUC, value=NAN, low=NAN, high=NAN, undefined="nothing was predicted positive")
ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.floordiv, operator.mod, operator.pow),
)
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
NUMBERS = (2, 0.5, True, Fraction(1, 4), np.float64(0.5), np.float32(0.25), np.int64(3))


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize("work", [*ARITHMETIC, *COMPARISONS])
def test_it_reckons_as_its_number_on_either_side(work: Callable[[Any, Any], Any], number: Any) -> None:
    for found, expected in ((work(AUC, number), work(0.875, number)), (work(number, AUC), work(number, 0.875))):
        assert found == pytest.approx(expected)
        assert isinstance(found, bool | np.bool_ if work in COMPARISONS else float)


def test_with_numbers_of_python_it_gives_those_of_python() -> None:
    assert type(AUC - 1) is type(1 - AUC) is type(AUC * np.float64(2)) is type(AUC + Fraction(1, 2)) is float
    limit: Any = np.float64(0.1)
    assert type(AUC < 1) is type(operator.gt(AUC, limit)) is bool


def test_it_formats_and_rounds() -> None:
    assert f"{AUC:.3f} {AUC:.1%} {AUC}" == "0.875 87.5% 0.875 [0.800, 0.950]"
    assert (f"{AUC!r}", str(AUC), f"{NOWHERE:.2f}") == ("0.875 [0.800, 0.950]", "0.875 [0.800, 0.950]", "nan")
    assert (round(AUC, 1), round(AUC), int(AUC), float(AUC)) == (0.9, 1, 0, 0.875)
    assert (abs(-AUC), +AUC, math.sqrt(AUC)) == (0.875, 0.875, math.sqrt(0.875))
    assert [type(number) for number in (round(AUC, 1), round(AUC), -AUC)] == [float, int, float]


def test_equal_things_have_equal_hashes() -> None:
    assert hash(AUC) == hash(0.875)
    assert {0.875: "here"}[AUC] == "here"  # type: ignore[index]
    assert Decimal("0.875") == AUC
    assert AUC != "0.875"
    assert AUC != None  # noqa: E711 -- the habit this is about
    assert bool(AUC)
    assert not bool(dataclasses.replace(AUC, value=0.0))


def test_arrays_take_it_for_a_number() -> None:
    assert np.array([AUC, 1.0]).dtype == np.float64
    assert (np.array([1.0, 2.0]) - AUC).tolist() == (-(AUC - np.array([1.0, 2.0]))).tolist() == [0.125, 1.125]
    assert (np.array([0.875, 1.0]) == AUC).tolist() == [True, False]
    assert np.isclose(AUC, 0.875)
    assert pytest.approx(0.875) == AUC


@pytest.mark.parametrize("work", [*ARITHMETIC, *COMPARISONS])
def test_two_of_them_refuse_and_name_compare(work: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(LostInterval, match=r"roc_auc .* recall of two estimates would lose") as caught:
        work(AUC, OTHER)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, AssayError)
    asked = "verdict" if work in COMPARISONS else "difference"
    assert f"assay.compare(y_true, {{'a': a, 'b': b}}).{asked}('roc_auc', 'a', 'b')" in str(caught.value)
    with pytest.raises(LostInterval):
        work(AUC, AUC)


def test_what_it_names_works() -> None:
    y_true, a, b = [0, 1] * 20, [0.1, 0.8, 0.3, 0.9] * 10, [0.4, 0.3, 0.2, 0.9] * 10
    one, other = assay.evaluate(y_true, a), assay.evaluate(y_true, b)
    with pytest.raises(LostInterval) as caught:
        _ = one.roc_auc - other.roc_auc  # type: ignore[operator]
    call = str(caught.value).split("needed: ")[1].split(", or their")[0]
    found = eval(call, {"assay": assay, "y_true": y_true, "a": a, "b": b})
    assert found.value == one.roc_auc.value - other.roc_auc.value
    assert max([one.roc_auc, other.roc_auc], key=float) is one.roc_auc


def test_texts_are_no_numbers() -> None:
    for work in (operator.sub, operator.lt):
        with pytest.raises(TypeError, match="'float' and 'str'"):
            work(AUC, "0.5")


def test_copies_are_as_it_was() -> None:
    for again in (pickle.loads(pickle.dumps(AUC)), copy.deepcopy(AUC), copy.copy(AUC), dataclasses.replace(AUC)):
        assert type(again) is Estimate
        assert dataclasses.astuple(again) == dataclasses.astuple(AUC)
    with pytest.raises(dataclasses.FrozenInstanceError):
        AUC.value = 0.1  # type: ignore[misc]


def test_options_take_it_where_they_take_a_number() -> None:
    ev = assay.evaluate([0, 1] * 20, [0.1, 0.8, 0.3, 0.9] * 10)
    assert ev.at(AUC).threshold_used == 0.875  # type: ignore[arg-type]
