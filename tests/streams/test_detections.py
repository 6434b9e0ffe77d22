"""How good alarms were, when the true moments are known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from assay.errors import OptionError
from assay.streams import detections

places = st.sets(st.integers(0, 999), max_size=12).map(sorted)


@given(places, places, st.none() | st.integers(1, 300))
def test_every_alarm_finds_one_change_or_is_false(moments: list[int], alarms: list[int], tolerance: int | None) -> None:
    found = detections(moments, alarms, 1000, tolerance=tolerance)
    hits = [delay for delay in found.delays if not math.isnan(delay)]
    assert len(hits) + len(found.false_alarms) == len(alarms)
    assert len(hits) + found.missed == len(moments)
    assert all(0 <= delay <= (tolerance or 1000) for delay in hits)
    assert found.table().to_dict()["outcome"].count("missed") == found.missed


def test_an_alarm_after_the_next_change_belongs_to_that_one() -> None:
    found = detections([100, 200], [250], 1000)
    assert found.delays[1] == 50
    assert found.missed == 1
    assert found.false_alarms == ()


def test_one_too_late_and_one_too_many_are_false() -> None:
    found = detections([100], [90, 150, 160], 1000, tolerance=40)
    assert found.missed == 1
    assert found.false_alarms == (90, 150, 160)
    assert detections([100], [90, 150, 160], 1000, tolerance=50).false_alarms == (90, 160)


def test_figures_carry_their_limits() -> None:
    found = detections([100, 500], [120, 300, 560], 1000)
    between = found.between_false_alarms()
    assert between.value == 1000
    assert between.low == pytest.approx(1000 / (chi2.ppf(0.975, 4) / 2))
    assert between.high == pytest.approx(1000 / (chi2.ppf(0.025, 2) / 2))
    assert found.found_share().value == 1
    assert found.delay().value == 40
    assert "no interval of their mean was verified" in str(found.delay().undefined)
    assert found.ratio() == pytest.approx(1000 / 40)
    assert found.words == "2 of 2 changes found after 40 events on average, 1 false alarm in 1,000 events"


def test_nothing_found_and_nothing_false() -> None:
    found = detections([], [], 500)
    assert math.isinf(found.between_false_alarms().value)
    assert found.between_false_alarms().low == pytest.approx(500 / -math.log(0.025))
    assert found.found_share().undefined == "there was no true change"
    assert found.delay().undefined == "no change was found"


def test_places_are_questioned() -> None:
    with pytest.raises(OptionError, match="alarms are not in order"):
        detections([1], [5, 3], 10)
    with pytest.raises(OptionError, match="moments is 12; needed: at most 9"):
        detections([12], [], 10)
