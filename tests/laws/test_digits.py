"""How numbers are written: limits hold their value and do not fall together, a share is never rounded to an end."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.report.digits import EXAMPLES, SHARES

from assay.results import Estimate, percent
from assay.text import ROUNDING, bracketed, in_digits, number, signed

finite = st.floats(-1e9, 1e9, allow_nan=False)
anywhere = finite | st.floats(0, 1) | st.floats(0, 1e-3) | st.floats(1, 1.001) | st.floats(0.999, 1)


def back(text: str) -> float:
    return float(text.replace(",", ""))


@given(st.lists(anywhere, min_size=3, max_size=3))
def test_printed_limits_hold_the_printed_value_and_stay_apart(three: list[float]) -> None:
    low, value, high = sorted(three)
    found = in_digits(SimpleNamespace(value=value, low=low, high=high))
    assert back(found.low) <= back(found.value) <= back(found.high)
    if high - low <= 4 * ROUNDING * max(map(abs, three)):
        return
    assert back(found.low) < back(found.high)
    # No more is lost than a tenth of the interval's half-width, or a half of 1.
    for one, text in zip((value, low, high), found, strict=True):
        assert abs(back(text) - one) <= max((high - low) / 20 * (1 + 1e-6), 0.0 if "." in text else 0.5), text


@given(anywhere)
def test_zero_has_no_sign(value: float) -> None:
    assert not number(value).startswith("-") or back(number(value)) < 0


@given(st.floats(0, 1))
def test_a_share_is_never_rounded_to_an_end(share: float) -> None:
    assume(share == 0 or share == 1 or min(share, 1 - share) > ROUNDING)
    assert (back(number(share)) in (0, 1)) == (share in (0, 1))
    assert (back(percent(share).removesuffix(" %")) in (0, 100)) == (share in (0, 1))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_nor_is_one_with_limits(first: float, second: float, third: float) -> None:
    low, value, high = sorted((first, second, third))
    assume(value > 0 and 1 - value > ROUNDING)
    assert 0 < back(in_digits(SimpleNamespace(value=value, low=low, high=high)).value) < 1


@pytest.mark.parametrize(("three", "words"), EXAMPLES)
def test_examples(three: tuple[float, float, float], words: str) -> None:
    value, low, high = three
    found = Estimate("x", value, low, high, 0.95, "none", 100)
    assert f"{in_digits(found).value} {bracketed(found)}".rstrip() == words
    if value > 0:
        assert signed(found) == f"+{in_digits(found).value}"


@pytest.mark.parametrize(("share", "words"), SHARES)
def test_examples_of_shares(share: float, words: str) -> None:
    assert percent(share) == words


def test_an_open_end_is_written_as_one() -> None:
    assert bracketed(SimpleNamespace(value=209.329, low=93.921, high=math.inf)) == "[94, inf]"
    assert bracketed(SimpleNamespace(value=math.inf, low=4.3, high=math.inf)) == "[4.300, inf]"
