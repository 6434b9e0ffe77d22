"""Drift detectors: one interface, any chunks, any interruption. Their figures stand in tests/oracles.

How good alarms were, when the true moments are known.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from assay.errors import MissingExtra, OptionError, UnknownName, UnknownOption
from assay.streams import detections
from assay.streams.drift import DETECTORS, Adwin, Ddm, detector, river

names = st.sampled_from(list(DETECTORS))
streams = st.lists(
    st.tuples(st.sampled_from([0.02, 0.1, 0.5, 0.9]), st.integers(1, 200), st.integers(0, 99)), min_size=1, max_size=4
)


def errors_of(stretches: list[tuple[float, int, int]]) -> list[int]:
    return [int(wrong) for rate, n, seed in stretches for wrong in np.random.default_rng(seed).random(n) < rate]


def options(name: str, like: str) -> dict[str, Any]:
    return {} if name.startswith("hddm") else {"like": like}


@settings(deadline=None, max_examples=60)
@given(streams, names, st.sampled_from(["moa", "river"]), st.integers(0, 800))
def test_chunks_and_interruptions_leave_no_trace(
    stretches: list[tuple[float, int, int]], name: str, like: str, stop: int
) -> None:
    errors = errors_of(stretches)
    whole, part = detector(name, **options(name, like)), detector(name, **options(name, like))
    places = [place for place, error in enumerate(errors) if whole.update(error)]
    before = part.extend(errors[:stop])
    part = type(part).resume(json.loads(json.dumps(part.state())))
    assert before + part.extend(errors[stop:]) == places
    assert part.state() == whole.state()
    assert whole.changed_at == (places[-1] if places else None)


@pytest.mark.parametrize("name", DETECTORS)
def test_a_plain_change_is_found(name: str) -> None:
    rng = np.random.default_rng(1)
    made = detector(name, threshold=15.0) if name == "page-hinkley" else detector(name)
    found = made.extend(np.concatenate([rng.random(1000) < 0.05, rng.random(500) < 0.5]))
    assert [place for place in found if 1000 <= place < 1200]


def test_the_window_of_adwin_is_what_it_says() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=777)
    made = Adwin(like="moa")
    assert made.extend(values) == []
    assert made.width == 777
    assert made.mean == pytest.approx(values.mean())
    assert made.squares == pytest.approx(((values - values.mean()) ** 2).sum())
    assert sum(map(len, made.rows)) <= 5 * 9


@pytest.mark.parametrize(
    ("ask", "kind", "sentence"),
    [
        (lambda: detector("dmm"), UnknownName, "detector is 'dmm'; needed: 'adwin', .*"),
        (lambda: detector("ddm", delta=1), UnknownOption, "ddm has no option 'delta'; needed: one of fewest, .*"),
        (lambda: Ddm(like="weka"), UnknownName, "like is 'weka'; needed: 'river' or 'moa'"),
        (lambda: Adwin(delta=2), OptionError, "delta is 2; needed: a number between 0 and 1"),
        (lambda: Ddm().update(0.5), OptionError, "an error is 0.5; needed: 0 for correct and 1 for misclassified"),
        (lambda: Adwin().update(float("nan")), OptionError, "an error is nan; needed: a finite number"),
        (lambda: detector("page-hinkley", direction="left"), UnknownName, "direction is 'left'; needed: .*"),
        (
            lambda: detector("page-hinkley", direction="down", like="moa"),
            OptionError,
            "MOA has no direction 'down'; needed: like='river'",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(ask: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=f"^{sentence}$"):
        ask()


def test_a_chunk_that_is_refused_leaves_the_detector_as_it_was() -> None:
    made = Ddm()
    made.extend([0, 1])
    before = made.state()
    with pytest.raises(OptionError, match="an error is 2"):
        made.extend([0, 1, 2])
    assert made.state() == before


def test_any_detector_of_river_behind_the_same_names() -> None:
    drift = pytest.importorskip("river.drift")
    errors = errors_of([(0.05, 800, 1), (0.6, 400, 2)])
    ours, theirs = Ddm(), river(drift.binary.DDM())
    assert ours.extend(errors) == theirs.extend(errors)
    assert theirs.changed_at == ours.changed_at
    assert theirs.n == 1200
    assert river("KSWIN").update(0.0) is False
    assert not river("ADWIN").warning
    with pytest.raises(OptionError, match="river has no drift detector 'DMM'"):
        river("DMM")


def test_without_river_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(MissingExtra, match="a drift detector of river needs river, which is not installed"):
        river("ADWIN")


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
    assert "no interval of their mean has verified coverage" in str(found.delay().undefined)
    assert found.ratio() == pytest.approx(1000 / 40)
    assert found.words == "2 of 2 changes detected after 40 events on average, 1 false alarm in 1,000 events"


def test_nothing_found_and_nothing_false() -> None:
    found = detections([], [], 500)
    assert math.isinf(found.between_false_alarms().value)
    assert found.between_false_alarms().low == pytest.approx(500 / -math.log(0.025))
    assert found.found_share().undefined == "no true changes"
    assert found.delay().undefined == "no change was detected"


def test_places_are_questioned() -> None:
    with pytest.raises(OptionError, match="alarms must be increasing"):
        detections([1], [5, 3], 10)
    with pytest.raises(OptionError, match="moments is 12; needed: at most 9"):
        detections([12], [], 10)
