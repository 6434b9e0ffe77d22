"""A stream under watch: moments, limits at every look, alarms and changes, however the events come."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import streams
from assay.errors import OptionError

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(3000) < 0.4).astype(int)
# Right in nine of ten until event 1,500, in six of ten from then on.
WRONG = RNG.random(3000) < np.where(np.arange(3000) < 1500, 0.1, 0.4)
DECIDED = np.where(WRONG, 1 - TRUTH, TRUTH)


def watched(**options: Any) -> streams.StreamWatch:
    views = (streams.cumulative(), streams.sliding(300))
    return streams.watch(classes=(0, 1), views=views, reference=0.1, every=100, **options)


def test_a_change_is_found_and_the_alarm_says_so() -> None:
    seen = watched(detectors=("adwin", "ddm"))
    seen.update_many(TRUTH, DECIDED)
    assert seen.has_alarm
    late = [change for change in seen.changes if change.events > 1500]
    assert {change.detector for change in late} == {"adwin", "ddm"}
    assert min(change.events for change in late) < 1800
    rang_at = seen.alarms[1].rang_at
    assert rang_at is not None
    assert 1500 < rang_at < 1800
    assert "alarm after" in seen.now().alarms[0]
    assert [moment.events for moment in seen.moments] == list(range(100, 3001, 100))


def test_no_alarm_rings_where_nothing_rose() -> None:
    seen = watched()
    seen.update_many(TRUTH[:1500], DECIDED[:1500])
    assert not seen.has_alarm
    assert seen.now().alarms == ()


def test_moments_are_those_of_the_views_then() -> None:
    seen = watched(measures=("accuracy", "f1", "kappa_m"))
    run = streams.prequential(classes=(0, 1), views=(streams.cumulative(), streams.sliding(300)))
    seen.update_many(TRUTH, DECIDED)
    run.update_many(TRUTH[:700], DECIDED[:700])
    moment = seen.moments[6]
    for view, found in moment.estimates.items():
        for name, estimate in found.items():
            assert estimate.to_dict() == run.view(view).estimate(name).to_dict()
    assert moment.matrix == tuple(map(tuple, run.view("sliding 300").matrix.counts.tolist()))
    assert moment.error.value == pytest.approx(WRONG[:700].mean())
    assert moment.error.low < 0.1 < moment.error.high


@settings(max_examples=25, derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 450), max_size=4), st.integers(0, 450), st.booleans())
def test_any_cut_and_any_interruption_leave_no_trace(cuts: list[int], stop: int, singly: bool) -> None:
    """Chunks of any size, one by one, and a state taken at any event: the same lines come out."""
    ends = sorted({0, *cuts, stop, 450})
    seen, lines = watched(detectors=("adwin", "hddm-w")), []
    for start, end in pairwise(ends):
        if singly:
            for at in range(start, end):
                seen.update(int(TRUTH[at]), int(DECIDED[at]))
        else:
            seen.update_many(TRUTH[start:end], DECIDED[start:end])
        lines += [json.dumps(moment.to_dict()) for moment in seen.new_moments()]
        if end == stop:
            seen = streams.resume_watch(seen.state())
    whole = watched(detectors=("adwin", "hddm-w"))
    whole.update_many(TRUTH[:450], DECIDED[:450])
    assert lines == [json.dumps(moment.to_dict()) for moment in whole.new_moments()]
    assert json.dumps(seen.now().to_dict()) == json.dumps(whole.now().to_dict())
    assert [m.to_dict() for m in seen.moments] == [m.to_dict() for m in whole.moments]


def test_moments_stay_few_however_long_the_stream() -> None:
    seen = streams.watch(classes=(0, 1), views=(streams.sliding(5),), measures=("accuracy",), every=1, detectors=())
    seen.update_many(np.tile(TRUTH, 1)[:1200], DECIDED[:1200])
    places = [moment.events for moment in seen.moments]
    assert len(places) < 512
    assert set(np.diff(places)) == {4}
    assert len(seen.new_moments()) == 512


def test_usual_measures_fit_the_stream() -> None:
    labels, scored, many = streams.watch(), streams.watch(), streams.watch()
    labels.update_many(["no", "yes"] * 5, ["no", "no"] * 5)
    scored.update_many(["no", "yes"] * 5, score=[0.2, 0.6] * 5)
    many.update_many(list("abcab"), list("abcbb"))
    assert "roc_auc" not in labels.measures
    assert "roc_auc" in scored.measures
    assert {"accuracy", "kappa", "kappa_temporal", "kappa_m"} <= set(many.measures)
    for each in (labels, scored, many):
        assert not np.isnan(each.now().estimates["cumulative"]["accuracy"].value)


def test_a_label_that_comes_later_is_heard_then() -> None:
    seen = watched()
    seen.predicted("a", 1)
    assert seen.events == 0
    seen.labelled("a", 0)
    assert seen.events == 1
    assert seen.now().error.value == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measures": "accuracy"}, "a list of names"),
        ({"detectors": ("crystal ball",)}, "detector"),
        ({"measures": ("acuracy",)}, "acuracy"),
        ({"margin": -1}, "margin"),
        ({"alpha": 2}, "alpha"),
    ],
)
def test_what_is_not_known_is_refused_before_any_event(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        watched(**options)


def test_a_reference_needs_its_error_rate() -> None:
    with pytest.raises(OptionError, match="needs a reference"):
        streams.watch(reference_cases=100)
