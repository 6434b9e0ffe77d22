"""Verdicts: every outcome, in the words the design gives, from the interval alone."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.comparison import FRESH_CASES, Difference, Verdict, judge


def seen(low: float, high: float, *, n: float = 1000, measure: str = "roc_auc") -> Difference:
    middle = (low + high) / 2
    p = 0.5 if low <= 0 <= high else 0.01
    return Difference(measure, "bayes", "svm", middle, low, high, 0.95, p, "paired DeLong", n)


def verdict(low: float, high: float, margin: float | None = None, better: str = "higher") -> Verdict:
    return judge(seen(low, high), "ROC AUC", better, margin=margin)


@pytest.mark.parametrize(
    ("low", "high", "margin", "outcome", "winner"),
    [
        (0.01, 0.03, None, "better", "bayes"),
        (-0.03, -0.01, None, "better", "svm"),
        (-0.01, 0.03, None, "cannot tell", None),
        (0.02, 0.05, 0.01, "better", "bayes"),
        (-0.05, -0.02, 0.01, "better", "svm"),
        (0.005, 0.05, 0.01, "better, perhaps by less than the margin", "bayes"),
        (-0.05, -0.005, 0.01, "better, perhaps by less than the margin", "svm"),
        (-0.005, 0.008, 0.01, "practically the same", None),
        (0.002, 0.008, 0.01, "practically the same", None),
        (-0.005, 0.05, 0.01, "cannot tell", None),
        (-0.05, 0.05, 0.01, "cannot tell", None),
    ],
)
def test_outcomes(low: float, high: float, margin: float | None, outcome: str, winner: str | None) -> None:
    found = verdict(low, high, margin)
    assert (found.outcome, found.winner) == (outcome, winner)


def test_lower_is_better_turns_the_winner() -> None:
    assert verdict(0.01, 0.03, better="lower").winner == "svm"
    assert verdict(0.01, 0.03, better="lower").words.startswith("svm has a significantly lower ROC AUC than bayes.")
    assert verdict(0.01, 0.03, better="neither").words.startswith("bayes has a significantly higher ROC AUC than svm.")


def test_the_same_though_not_equal() -> None:
    assert "though not equal: 0 is excluded" in verdict(0.002, 0.008, 0.01).words
    assert "0 is excluded" not in verdict(-0.002, 0.008, 0.01).words


def test_more_cases_come_from_the_width_alone() -> None:
    found = judge(seen(-0.03, 0.05), "ROC AUC", "higher", margin=0.01)
    assert found.n_more == math.ceil(1000 * (0.04 / 0.01) ** 2 - 1000)
    moved = judge(seen(-0.04, 0.04), "ROC AUC", "higher", margin=0.01)
    assert moved.n_more == found.n_more
    assert "About 15,000 more cases" in found.words


def test_a_narrow_interval_across_the_margin_asks_for_none() -> None:
    found = verdict(0.006, 0.014, 0.01)
    assert found.n_more == 0
    assert "already as narrow" in found.words


def test_without_a_margin_the_detectable_difference_is_shown() -> None:
    found = verdict(-0.0196, 0.0196)
    assert found.n_more is None
    assert found.detectable == pytest.approx(0.01 * (1.95996 + 0.84162), rel=1e-4)
    assert "0.028 would show in 4 of 5" in found.words


@given(st.floats(-0.5, 0.5), st.floats(0.001, 0.4), st.one_of(st.none(), st.floats(0.001, 0.3)))
def test_every_verdict_ends_with_fresh_cases_and_follows_its_interval(
    middle: float, half: float, margin: float | None
) -> None:
    low, high = middle - half, middle + half
    found = verdict(low, high, margin)
    assert found.words.endswith(FRESH_CASES)
    excludes_zero = low > 0 or high < 0
    if margin is None:
        assert (found.outcome == "better") == excludes_zero
    if found.outcome == "practically the same":
        assert margin is not None
        assert max(abs(low), abs(high)) <= margin
    if "better" in found.outcome:
        assert excludes_zero
        assert found.winner == ("bayes" if middle > 0 else "svm")


def test_no_interval_cannot_tell_and_says_why() -> None:
    nan = math.nan
    unknown = Difference("roc_auc", "a", "b", 0.1, nan, nan, 0.95, nan, "paired DeLong", 20, "too few cases")
    found = judge(unknown, "ROC AUC", "higher", margin=0.01)
    assert found.outcome == "cannot tell"
    assert "no interval: too few cases" in found.words
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["low"] is None
    undefined = Difference("roc_auc", "a", "b", nan, nan, nan, 0.95, nan, "none", 20, "a class is missing")
    assert "undefined, a class is missing" in judge(undefined, "ROC AUC", "higher").words


def test_a_margin_must_be_above_zero() -> None:
    with pytest.raises(ValueError, match="above 0"):
        verdict(0.1, 0.2, margin=0.0)


def test_assumptions_stand_before_the_last_sentence() -> None:
    found = judge(seen(0.01, 0.02), "ROC AUC", "higher", assumptions="Assumes independent rows.")
    assert found.words.splitlines()[-1] == f"Assumes independent rows. {FRESH_CASES}"


def test_several_that_agree_on_every_case_are_compared() -> None:
    truth, score = [k % 2 for k in range(120)], [k * 37 % 100 / 100 for k in range(120)]
    same = assay.compare(truth, dict.fromkeys("abc", score))
    alone = same.difference("roc_auc", "a", "b")
    for found in same.differences("roc_auc"):
        assert found.value == 0
        assert repr(found.low) == repr(alone.low)
