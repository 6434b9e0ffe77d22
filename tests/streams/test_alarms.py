"""Alarms: what rings, when, with what promise, and what they say."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from assay.errors import OptionError
from assay.results import Estimate
from assay.streams import Alarm, ArrivingPairs, ChangeAlarm, FadedMcNemar
from assay.streams.alarms import Lag
from assay.uncertainty import Betting

errors = st.lists(st.sampled_from([0, 1]), min_size=1, max_size=200)


def make(kind: str) -> Any:
    if kind == "mean":
        return Alarm(0.1, steps=50)
    if kind == "change":
        return ChangeAlarm(0.1)
    if kind == "mean, together":
        return Alarm(0.1, steps=50, together=7)
    if kind == "change, together":
        return ChangeAlarm(0.1, together=7)
    if kind == "run length":
        return ChangeAlarm(0.1, run_length=300)
    return Alarm(0.1, bounds=None)


KINDS = ["mean", "change", "run length", "without bounds", "mean, together", "change, together"]


@settings(deadline=None)
@given(errors, st.lists(st.integers(0, 200), max_size=5), st.sampled_from(KINDS))
def test_any_chunks_ring_at_the_same_event(stream: list[int], stops: list[int], kind: str) -> None:
    whole, parts, singles = make(kind), make(kind), make(kind)
    whole.extend(stream)
    places = sorted({0, len(stream), *(stop for stop in stops if stop < len(stream))})
    for start, stop in pairwise(places):
        found = parts.extend(stream[start:stop])
        assert found is None or start + found == parts.rang_at
    rung = [place for place, error in enumerate(stream) if singles.update(error)]
    assert rung == ([] if whole.rang_at is None else [whole.rang_at])
    assert whole.rang_at == parts.rang_at == singles.rang_at
    assert whole.words == parts.words == singles.words


@settings(deadline=None)
@given(errors, st.integers(0, 200), st.sampled_from(KINDS))
def test_an_interruption_leaves_no_trace(stream: list[int], stop: int, kind: str) -> None:
    whole, part = make(kind), make(kind)
    whole.extend(stream)
    part.extend(stream[:stop])
    part = type(part).resume(json.loads(json.dumps(part.state())))
    part.extend(stream[stop:])
    assert part.words == whole.words
    assert json.dumps(part.state()) == json.dumps(whole.state())


def test_an_alarm_is_the_lower_limit_reaching_the_bar() -> None:
    stream = (np.random.default_rng(1).random(3000) < 0.2).astype(float)
    alarm = Alarm(0.1, margin=0.02, alpha=0.05)
    alarm.extend(stream)
    low, _ = Betting(0.95, side="lower", at=(0.12,)).extend(stream)
    assert alarm.rang_at == int(np.flatnonzero(low >= 0.12)[0])


def test_a_reference_from_cases_enters_with_its_own_limit() -> None:
    alarm = Alarm(0.1, cases=500)
    assert alarm.reference.high == pytest.approx(beta.ppf(0.975, 51, 450), abs=1e-9)
    assert alarm.bar == pytest.approx(alarm.reference.high + 0.02)
    assert alarm.sequence.level == pytest.approx(0.975)
    listed = Alarm([1] * 50 + [0] * 450)
    assert listed.reference == alarm.reference
    assert Alarm([0.1, 0.3] * 300).reference.high > 0.2
    assert "upper limit 0.130" in alarm.reference.words
    assert Alarm(0.1).sequence.level == 0.95


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: Alarm(1.2), "reference is 1.2; needed: a number from 0 to 1"),
        (lambda: Alarm(0.1, margin=-1), "margin is -1; needed: a number from 0 to inf"),
        (lambda: Alarm(0.1, alpha=5), "alpha is 5; needed: a number between 0 and 1"),
        (
            lambda: Alarm(0.99),
            "reference plus margin is 1.01, but losses are at most 1; needed: .*",
        ),
        (lambda: Alarm(0.0, cases=10, bounds=(-1, 1)), "cases can only be used with an error rate, .*"),
        (lambda: Alarm([0.1, 0.2], cases=2), "cases cannot be used with a list of losses; needed: .*"),
        (
            lambda: Alarm([[0.1]]),
            "reference is neither a number nor a list of losses; needed: a number, or a list of losses",
        ),
        (
            lambda: Alarm([0.1] * 50, bounds=None),
            "reference has only 50 losses without bounds; needed: at least 100 .*",
        ),
        (
            lambda: ChangeAlarm(0.1, alpha=0.1, run_length=100),
            "both alpha and run_length are set; needed: one of them.*",
        ),
        (lambda: ChangeAlarm(0.1, run_length=0.5), "run_length is 0.5; needed: a number between 1 and inf"),
        (lambda: Alarm(0.1).extend([2]), "a loss is 2 where bounds are 0 and 1; needed: .*"),
        (lambda: FadedMcNemar(2), "fading is 2; needed: .*"),
        (lambda: FadedMcNemar().extend([0, 2], [0, 1]), "first_wrong has 2; needed: True and False, or 1 and 0"),
        (
            lambda: FadedMcNemar().extend([0], [0, 1]),
            "first_wrong and second_wrong must have the same length .1 and 2.; needed: .*",
        ),
        (lambda: ArrivingPairs().extend(["spam"], [1]), "positive has 'spam'; needed: True and False, or 1 and 0"),
        (lambda: ArrivingPairs().extend([1], [math.nan]), "a score is nan; needed: a number for each case"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(ask: Any, sentence: str) -> None:
    with pytest.raises(OptionError, match=f"^{sentence}$"):
        ask()


def test_an_estimate_for_reference_is_refused_with_the_way_to_say_it() -> None:
    error_rate = Estimate("error_rate", 0.1, 0.08, 0.12, 0.95, "Wilson", 500)
    with pytest.raises(OptionError, match=r"pass reference=0\.1, cases=500"):
        Alarm(error_rate)


def test_what_an_alarm_says() -> None:
    alarm = Alarm(0.1)
    assert alarm.words.startswith(
        "no alarm after 0 events: the lower limit of the error since the start has not exceeded 0.120"
    )
    alarm.extend(np.random.default_rng(2).random(2000) < 0.3)
    assert alarm.rang_at is not None
    assert alarm.words.startswith(f"alarm after {alarm.rang_at + 1} events: the error since the start is at least 0.2")
    assert alarm.words.endswith(
        "more than 0.020 above the reference 0.100; false-alarm probability at most 0.05, valid under "
        "continuous monitoring"
    )
    assert alarm.to_dict()["rang_at"] == alarm.rang_at
    alarm.reset()
    assert not alarm.rings
    assert alarm.n == 2000
    alarm.extend(np.ones(100))
    assert "since event 2,000 is at least" in alarm.words
    assert "(separately after each reset)" in alarm.words


def test_the_objection_comes_first() -> None:
    clinging = np.repeat(np.random.default_rng(3).random(300) < 0.3, 5)
    for alarm in (Alarm(0.1), ChangeAlarm(0.1), Alarm(0.1, bounds=None)):
        alarm.extend(clinging)
        assert alarm.words.startswith("the error is autocorrelated (autocorrelation 0.7")
    assert "running mean of conditional means" in alarm.words


def test_two_classifiers_in_the_same_form() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.random(2000) < 0.3, rng.random(2000) < 0.1
    for kind in (Alarm, ChangeAlarm):
        worse, better = kind.between(), kind.between()
        worse.extend(first.astype(float) - second)
        better.extend(second.astype(float) - first)
        assert worse.rings
        assert not better.rings
    worse = Alarm.between()
    worse.extend(first.astype(float) - second)
    assert "the loss of the first classifier minus the second's since the start is at least" in worse.words


def test_a_change_is_found_soon_after_long_good_times() -> None:
    rng = np.random.default_rng(5)
    stream = np.concatenate([rng.random(20_000) < 0.08, rng.random(600) < 0.25])
    alarm, mean = ChangeAlarm(0.1), Alarm(0.1, steps=10)
    alarm.extend(stream)
    mean.extend(stream)
    assert alarm.rang_at is not None
    assert alarm.changed_at is not None
    assert 20_000 < alarm.rang_at < 20_300
    assert abs(alarm.changed_at - 20_000) < 60
    assert not mean.rings
    assert f"since about event {alarm.changed_at:,}" in alarm.words


def test_the_stakes_of_a_change_alarm_add_up_to_one_at_most() -> None:
    alarm = ChangeAlarm(0.1)
    assert alarm._stakes(1)[0] == pytest.approx(1 - 1 / math.log2(3))
    assert 0.9 < alarm._stakes(1_000_000).sum() < 1


@pytest.mark.parametrize("kind", ["mean", "change"])
def test_false_alarms_are_rare_at_the_bar_itself(kind: str) -> None:
    """A few streams only: docs/verification/streams.md has the full figures."""
    rng, rung = np.random.default_rng(6), 0
    for _ in range(100):
        alarm = make(kind)
        alarm.extend(rng.random(1000) < 0.12)
        rung += alarm.rings
    assert rung <= 11  # of 100: 0.05 and three standard errors


def test_events_together_are_as_their_means_would_be() -> None:
    clinging = np.repeat(np.random.default_rng(3).random(400) < 0.3, 5)
    for kind in (Alarm, ChangeAlarm):
        made, of_means = kind(0.1, together=20), kind(0.1)
        made.extend(clinging[:13])
        made.extend(clinging[13:])
        of_means.extend(clinging.reshape(-1, 20).mean(axis=1))
        assert of_means.rang_at is not None
        assert made.rang_at == 20 * (of_means.rang_at + 1) - 1
        assert made.words.startswith("alarm after")
        made.reset()
        assert made.n == 2000
        made.extend([0.0] * 30)
        assert made.n == 2030
    with pytest.raises(OptionError, match="a loss is 2"):
        Alarm(0.1, together=20).extend([0.0] * 19 + [2.0])
    with pytest.raises(OptionError, match="together is 0"):
        ChangeAlarm(0.1, together=0)
    with pytest.raises(OptionError, match="at most 1,000,000"):
        Alarm(0.1, together=10**40)


def test_lag_finds_what_is_there() -> None:
    lag = Lag()
    assert math.isnan(lag.correlation)
    assert not lag.is_plain
    for chunk in np.array_split(1e6 + np.random.default_rng(7).normal(size=4000), 7):
        lag.extend(chunk)
    assert abs(lag.correlation) < 0.05
    assert not lag.is_plain


def test_faded_mcnemar_is_as_published_and_its_p_value_holds() -> None:
    test = FadedMcNemar(0.99)
    first, second = [1, 0, 1, 1, 0], [0, 0, 1, 0, 1]
    test.extend(first, second)
    only_first, only_second = 0.99**4 + 0.99, 1.0
    assert test.result().statistic == pytest.approx((only_first - only_second) ** 2 / (only_first + only_second))
    assert math.isnan(test.result().p_value)
    assert "effective number below 10" in str(test.result().undefined)
    assert FadedMcNemar.resume(json.loads(json.dumps(test.state()))).state() == test.state()
    rng, rejected = np.random.default_rng(8), 0
    for _ in range(300):
        one = FadedMcNemar(0.99)
        one.extend(rng.random(600) < 0.2, rng.random(600) < 0.2)
        rejected += one.result().p_value < 0.05
    assert 0.01 * 300 < rejected < (0.05 + 3 * 0.0126) * 300


def test_unfaded_mcnemar_is_mcnemars() -> None:
    test = FadedMcNemar(1.0)
    test.extend([1] * 30 + [0] * 12, [0] * 30 + [1] * 12)
    assert test.result().statistic == pytest.approx(18**2 / 42)
    assert test.result().p_value == pytest.approx(math.erfc(math.sqrt(18**2 / 42 / 2)))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=60), st.integers(0, 60))
def test_pairs_use_each_case_once_in_any_chunks(cases: list[tuple[bool, int]], stop: int) -> None:
    positive, score = [one for one, _ in cases], [float(two) for _, two in cases]
    whole, part = ArrivingPairs(), ArrivingPairs()
    found = whole.extend(positive, score)
    first = part.extend(positive[:stop], score[:stop])
    part = ArrivingPairs.resume(json.loads(json.dumps(part.state())))
    np.testing.assert_array_equal(found, np.concatenate([first, part.extend(positive[stop:], score[stop:])]))
    assert 2 * len(found) + whole.unpaired == len(cases)
    assert len(found) == min(sum(positive), len(cases) - sum(positive))


def test_pairs_estimate_the_auc() -> None:
    rng = np.random.default_rng(9)
    positive = rng.random(6000) < 0.2
    pairs = ArrivingPairs()
    found = pairs.extend(positive, rng.normal(size=6000) + positive)
    limits = Betting()
    limits.extend(found)
    assert limits.low < 0.7602 < limits.high  # of two normals one apart: the distribution function at 1 / sqrt(2)
    assert pairs.let_go > 0
