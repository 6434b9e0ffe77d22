"""Laws of every estimate: inside its interval, inside the bounds, nested by level, the same for the same seed."""

from __future__ import annotations

import json
import math
import pickle
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.samples import (
    LEVELS,
    METHODS,
    NAMES,
    degenerate_for,
    evidence_for,
    small_matrices,
    sums_of,
    table_of,
)

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, registry
from assay.measures.interval_methods import method_called, names_of
from assay.results import Estimate

# Blaker's limits are searched for on a grid, which takes its time and leaves them this uncertain.
SLOW, GRID = "Blaker", 1e-4


@pytest.mark.parametrize(("name", "method"), METHODS)
@settings(max_examples=5)
@given(data=st.data())
def test_every_method_holds_estimate_level_and_bounds(name: str, method: str, data: st.DataObject) -> None:
    measure = registry[name]
    evidence = data.draw(small_matrices if method == SLOW else evidence_for(measure))
    levels = LEVELS[1:3] if method == SLOW else LEVELS
    found = [measure.estimate(evidence, level=level, method=method) for level in levels]
    for estimate in found:
        check_sound(estimate, measure.bounds)
    slack = GRID if method == SLOW else 1e-12
    defined = [estimate for estimate in found if not math.isnan(estimate.low)]
    for narrow, wide in pairwise(defined):
        assert wide.low <= narrow.low + slack
        assert narrow.high <= wide.high + slack


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_default_interval_is_sound(name: str, data: st.DataObject) -> None:
    measure = registry[name]
    evidence = data.draw(evidence_for(measure))
    check_sound(measure.estimate(evidence, level=data.draw(st.sampled_from(LEVELS))), measure.bounds)


@pytest.mark.parametrize("name", NAMES)
def test_default_interval_is_sound_on_degenerate_evidence(name: str) -> None:
    measure = registry[name]
    for evidence in degenerate_for(measure):
        check_sound(measure.estimate(evidence), measure.bounds)


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_every_method_is_sound_on_degenerate_evidence(name: str, method: str) -> None:
    measure = registry[name]
    for evidence in degenerate_for(measure)[:: 16 if method == SLOW else 5]:
        check_sound(measure.estimate(evidence, method=method), measure.bounds)


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_a_method_gives_its_own_name_and_answers_to_any_spelling(name: str, method: str) -> None:
    measure = registry[name]
    evidence = plain_evidence(measure)
    for spelling in (method, method.upper().replace("-", " ").replace(",", "")):
        assert method_called(measure, spelling, evidence) is measure.intervals.methods[method]


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_method_lists_the_known_ones(name: str) -> None:
    measure = registry[name]
    with pytest.raises(ValueError, match=re.escape(next(iter(measure.intervals.methods)))):
        method_called(measure, "astrology", plain_evidence(measure))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(data=st.data())
def test_a_seed_makes_results_identical(name: str, data: st.DataObject) -> None:
    measure = registry[name]
    evidence = data.draw(evidence_for(measure))
    first, again = (pickle.dumps(measure.estimate(evidence, seed=7)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(data=st.data())
def test_estimates_survive_pickle_and_json(name: str, data: st.DataObject) -> None:
    measure = registry[name]
    estimate = measure.estimate(data.draw(evidence_for(measure)))
    assert repr(pickle.loads(pickle.dumps(estimate))) == repr(estimate)
    record = estimate.to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    always = ["value", "low", "high", "level", "method", "method_id", "n", "target", "undefined"]
    assert list(record) == [*always, *(["se"] if estimate.se is not None else [])]
    assert estimate.se is None or estimate.se >= 0
    assert (record["value"] is None) == math.isnan(estimate.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_what_every_measure_has_by_name_is_sound_and_cautioned(name: str, method: str) -> None:
    measure = registry[name]
    if not {method, "Wald", "DeLong"} & set(names_of(measure)) or (method == "bootstrap") > (
        "bootstrap" in names_of(measure)
    ):
        with pytest.raises(ValueError, match="method is"):
            measure.estimate(plain_evidence(measure), method=method)
        return
    for evidence in [plain_evidence(measure), *degenerate_for(measure)[::40]]:
        found = measure.estimate(evidence, method=method)
        check_sound(found, measure.bounds)
        assert math.isnan(found.low) or (found.caution and found.se is not None and found.se >= 0)


def plain_evidence(measure: Measure) -> Any:
    """Evidence with nothing odd about it."""
    if measure.needs is ConfusionMatrix:
        return ConfusionMatrix.binary(tp=40, fn=9, fp=12, tn=70)
    cases = [(k * 37 % 100 / 101 + 0.005, k * 37 % 100 > 30 + k % 50) for k in range(100)]
    return table_of(cases) if measure.needs is ScoreTable else sums_of(cases)


def check_sound(estimate: Estimate, bounds: tuple[float, float]) -> None:
    """The value in its interval in the bounds; or nan, with a sentence that says why."""
    context: Any = (estimate, estimate.method, bounds)
    assert estimate.n >= 0, context
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        assert math.isnan(estimate.low), context
        assert math.isnan(estimate.high), context
        assert estimate.undefined, context
        assert estimate.undefined[-1] not in ".,", "a reason is a clause, so that sentences can be built around it"
        return
    assert estimate.undefined is None, context
    assert math.isfinite(estimate.low) or bounds[0] == -math.inf, context
    assert bounds[0] <= estimate.low <= estimate.value <= estimate.high <= bounds[1], context
