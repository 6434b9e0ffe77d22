"""A window equals the evaluation of its rows, however events are cut into chunks, interrupted and resumed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import streams
from assay.evaluation import Evaluation
from assay.evidence import ConfusionMatrix, FourCells
from assay.measures import registry, registry_of_many
from assay.predictions import Predictions

VIEWS = (
    streams.cumulative(),
    streams.sliding(7),
    streams.tumbling(5),
    streams.fading(0.9),
    streams.sliding(seconds=4.0),
    streams.tumbling(seconds=6.0),
)
KAPPAS = ("kappa_temporal", "kappa_m")
SETTINGS = settings(max_examples=25, deadline=None)


@st.composite
def two_class_streams(draw: st.DrawFn) -> dict[str, Any]:
    """Labels, scores with many ties, and times that stand still now and then."""
    count = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    truth = (rng.random(count) < draw(st.sampled_from([0.1, 0.5, 0.9]))).astype(int)
    return {
        "truth": truth,
        "score": np.round(np.clip(rng.normal(0.3 + 0.3 * truth, 0.3, count), 0, 1), draw(st.sampled_from([1, 12]))),
        "time": np.cumsum(rng.integers(0, 4, count)).astype(float),
    }


def run_of_two(**options: Any) -> streams.Prequential:
    return streams.prequential(classes=(0, 1), positive=1, views=VIEWS, **options)


def fed(run: streams.Prequential, stream: dict[str, Any], start: int = 0, stop: int | None = None) -> Any:
    said = {name: values[start:stop] for name, values in stream.items()}
    run.update_many(said.pop("truth"), **said)
    return run


def one_by_one(run: streams.Prequential, stream: dict[str, Any], start: int = 0, stop: int | None = None) -> Any:
    for row in zip(*(values[start:stop].tolist() for values in stream.values()), strict=True):
        said = dict(zip(stream, row, strict=True))
        run.update(said.pop("truth"), **said)
    return run


def assert_same_state(first: Any, second: Any, path: str = "") -> None:
    """Bit for bit."""
    if isinstance(first, dict):
        assert first.keys() == second.keys(), path
        for key in first:
            assert_same_state(first[key], second[key], f"{path}/{key}")
    elif isinstance(first, list | tuple):
        assert len(first) == len(second), path
        for a, b in zip(first, second, strict=True):
            assert_same_state(a, b, path)
    elif isinstance(first, np.ndarray):
        assert np.array_equal(first, second, equal_nan=first.dtype.kind == "f"), path
    else:
        assert first == second or (first != first and second != second), (path, first, second)


def assert_equal_values(found: dict[str, float], wanted: dict[str, float]) -> None:
    for name, value in wanted.items():
        same = (math.isnan(value) and math.isnan(found[name])) or found[name] == pytest.approx(
            value, abs=1e-11, rel=1e-11
        )
        assert same, (name, found[name], value)


def plain_values(ev: Evaluation) -> dict[str, float]:
    """Every measure of an evaluation, nan where it does not apply."""
    return {
        name: math.nan if ev.reason_unavailable(name) is not None else float(measure(ev.evidence_for(measure)))
        for name, measure in ev.registry.items()
    }


def held_rows(stream: dict[str, Any]) -> dict[str, slice]:
    """Which rows each window holds at the end, told by its definition."""
    time, count = stream["time"], len(stream["truth"])
    block = np.floor(time / 6.0)
    return {
        "sliding 7": slice(max(count - 7, 0), count),
        "tumbling 5": slice((count - 1) // 5 * 5, count),
        "sliding 4 s": slice(int((time <= time[-1] - 4.0).sum()), count),
        "tumbling 6 s": slice(int((block < block[-1]).sum()), count),
        "cumulative": slice(0, count),
    }


@SETTINGS
@given(two_class_streams())
def test_a_window_equals_the_evaluation_of_its_rows(stream: dict[str, Any]) -> None:
    for feed in (fed, one_by_one):
        run = feed(run_of_two(), stream)
        for name, rows in held_rows(stream).items():
            truth, score = stream["truth"][rows], stream["score"][rows]
            predictions = Predictions(("0", "1"), truth, score=score)
            wanted = plain_values(assay.evaluate(predictions, threshold=0.5))
            assert_equal_values(run.view(name).values(tuple(registry)), wanted)
            assert_equal_values(plain_values(run.view(name).evaluation), wanted)


@SETTINGS
@given(two_class_streams(), st.data())
def test_chunks_of_any_size_give_the_same_state(stream: dict[str, Any], data: st.DataObject) -> None:
    options = {"record": ("accuracy", "roc_auc", "brier", *KAPPAS), "every": 3, "most_scores": 64}
    whole, chunks = fed(run_of_two(**options), stream), run_of_two(**options)
    at = 0
    while at < len(stream["truth"]):
        size = data.draw(st.integers(1, 20))
        data.draw(st.sampled_from([fed, one_by_one]))(chunks, stream, at, at + size)
        at += size
    first, second = whole.state(), chunks.state()
    for state in (first, second):
        # Values of measures may differ in their last bit between one matrix and a batch; what they come from may not.
        state["recorded"] = [np.round(each, 12) for each in state["record"].pop("values")]
    assert_same_state(first, second)


@SETTINGS
@given(two_class_streams(), st.data())
def test_resumed_at_any_event_it_goes_on_as_if_nothing_had_happened(
    stream: dict[str, Any], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(stream["truth"])))
    options = {"record": ("f1", "kappa_m"), "every": 2}
    whole = one_by_one(run_of_two(**options), stream)
    again = streams.resume(one_by_one(run_of_two(**options), stream, 0, at).state())
    assert_same_state(whole.state(), one_by_one(again, stream, at).state())


@SETTINGS
@given(two_class_streams(), st.data())
def test_two_halves_merged_equal_the_whole(stream: dict[str, Any], data: st.DataObject) -> None:
    del stream["time"]
    at = data.draw(st.integers(0, len(stream["truth"])))
    runs = [streams.prequential(classes=(0, 1)) for _ in range(3)]
    whole, first, second = fed(runs[0], stream), fed(runs[1], stream, 0, at), fed(runs[2], stream, at)
    if not (first.events and second.events):
        return
    merged = first + second
    assert merged.view("cumulative").matrix == whole.view("cumulative").matrix
    assert merged.view("cumulative").table == whole.view("cumulative").table
    assert_equal_values(
        merged.view("cumulative").values(tuple(registry)), whole.view("cumulative").values(tuple(registry))
    )


@SETTINGS
@given(st.integers(0, 10**6), st.integers(1, 40), st.booleans())
def test_windows_of_many_classes_too(seed: int, count: int, has_scores: bool) -> None:
    rng = np.random.default_rng(seed)
    truth, names = rng.integers(0, 3, count), ("a", "b", "c")
    rows = rng.dirichlet(np.ones(3), count)
    said: dict[str, Any] = {"scores": rows} if has_scores else {"prediction": rows.argmax(1).astype(str)}
    views = (streams.cumulative(), streams.sliding(9), streams.fading(0.8))
    runs = [streams.prequential(classes=("0", "1", "2"), views=views) for _ in range(2)]
    runs[0].update_many(truth.astype(str), **said)
    for at in range(count):
        runs[1].update(str(truth[at]), **{name: values[at] for name, values in said.items()})
    assert_same_state(runs[0].state(), runs[1].state())
    for name, size in (("cumulative", count), ("sliding 9", min(9, count))):
        kept: dict[str, Any] = {"probability": rows[-size:]} if has_scores else {"decision": rows.argmax(1)[-size:]}
        wanted = plain_values(assay.evaluate(Predictions(names, truth[-size:], **kept)))
        assert_equal_values(runs[0].view(name).values(tuple(registry_of_many)), wanted)


@SETTINGS
@given(two_class_streams())
def test_fading_is_the_weighted_evaluation(stream: dict[str, Any]) -> None:
    """Weights alpha^age: the sums, and with squared weights Kish's number of events."""
    run = fed(run_of_two(), stream)
    weight = np.power(0.9, np.arange(len(stream["truth"]), dtype=np.float64)[::-1])
    predictions = Predictions(("0", "1"), stream["truth"], score=stream["score"], weight=weight)
    wanted = assay.evaluate(predictions, threshold=0.5)
    view = run.view("fading 0.9")
    assert_equal_values(view.values(tuple(registry)), plain_values(wanted))
    assert wanted.matrix is not None
    assert view.matrix.kish == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    if len(weight) > 1:
        assert view.matrix.kish == pytest.approx(wanted.matrix.kish)


def test_the_fading_mean_is_the_published_one() -> None:
    """Gama, Sebastiao & Rodrigues (2013): S_i = loss + alpha S, N_i = 1 + alpha N, and their ratio, not biased."""
    rng = np.random.default_rng(4)
    wrong = rng.random(3000) < 0.3
    run = streams.prequential(classes=(0, 1), views=(streams.fading(0.99),), record=("error_rate",))
    run.update_many(np.zeros(3000, int), wrong.astype(int))
    total = number = 0.0
    for at, value in enumerate(run.series("fading 0.99", "error_rate")[1]):
        total, number = wrong[at] + 0.99 * total, 1 + 0.99 * number
        assert value == pytest.approx(total / number, abs=1e-12)


@pytest.mark.parametrize("feed", [fed, one_by_one])
def test_recorded_measures_are_those_at_that_moment(feed: Callable[..., Any]) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    stream = {"truth": truth, "score": np.round(rng.random(60), 1), "time": np.arange(60.0)}
    names = ("accuracy", "f1", "roc_auc", "g_mean", *KAPPAS)
    run = feed(run_of_two(record=names, every=4), stream)
    for at, name in ((8, "sliding 7"), (24, "tumbling 5"), (60, "fading 0.9"), (40, "sliding 4 s"), (20, "cumulative")):
        there = one_by_one(run_of_two(), stream, 0, at).view(name)
        for measure in names:
            positions, values = run.series(name, measure)
            assert values[list(positions).index(at)] == pytest.approx(there.value(measure), abs=1e-12, nan_ok=True)
    assert len(run.history()) == 15 * len(VIEWS) * len(names)
    # A plan made before the first event does not know that there are scores to rank.
    assert [step.kind for step in run.view("sliding 7").steps(names)] == ["cells"] * 2 + ["pairs", "cells"] + [
        "baseline"
    ] * 2


@pytest.mark.parametrize("name", sorted({*registry}))
def test_every_formula_of_decisions_takes_plain_numbers(name: str) -> None:
    """Else it is read from arrays, twenty times slower; a measure that cannot be otherwise may stand here as such."""
    measure = registry[name]
    if measure.needs is not ConfusionMatrix:
        return
    for tn, fp, fn, tp in ((5, 3, 2, 7), (0, 0, 2, 7), (4, 0, 0, 0), (0, 3, 0, 0), (3, 0, 0, 5)):
        plain = measure.formula(FourCells(float(tn), float(fp), float(fn), float(tp)))
        wanted = float(measure(ConfusionMatrix.binary(tn=tn, fp=fp, fn=fn, tp=tp)))
        assert isinstance(plain, float)
        assert plain == pytest.approx(wanted, nan_ok=True, abs=1e-15)


@pytest.mark.parametrize("classes", [("no", "yes"), ("yes", "no"), ("c", "a", "b"), ("a", "b", "c")])
def test_scores_of_classes_stand_as_the_classes_were_said(classes: tuple[str, ...]) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(len(classes), size=60)
    scores = rng.dirichlet(np.ones(len(classes)), 60) + 2 * np.eye(len(classes))[truth]
    names = [classes[code] for code in truth]
    scores /= scores.sum(1, keepdims=True)
    one, many = streams.prequential(classes=classes), streams.prequential(classes=classes)
    many.update_many(names, scores=scores)
    for name, row in zip(names, scores.tolist(), strict=True):
        one.update(name, scores=row)
    assert many.view("cumulative").value("accuracy") == one.view("cumulative").value("accuracy") == 1.0
    evaluated: Any = assay.evaluate(names, y_proba=scores, classes=list(classes))
    mine: Any = many.view("cumulative").evaluation
    assert mine.log_loss.value == pytest.approx(evaluated.log_loss.value)


@pytest.mark.parametrize("positive", [0, 1])
def test_areas_of_chunks_and_of_single_events_go_on_from_one_another(positive: int) -> None:
    """A long chunk counts by places known beforehand, a short one and single events by a tree: all the same pairs."""
    rng = np.random.default_rng(8)
    lengths = (300, 5, 1, 1, 90, 3, 20, 400, 1, 2, 250)
    truth, score = rng.integers(0, 2, sum(lengths)), np.round(rng.random(sum(lengths)), 2)
    runs = [
        streams.prequential(
            classes=(0, 1), positive=positive, views=(streams.sliding(200), streams.tumbling(150)), record=("roc_auc",)
        )
        for _ in range(2)
    ]
    at = 0
    for length in lengths:
        here = slice(at, at + length)
        if length == 1:
            runs[0].update(int(truth[at]), score=float(score[at]))
        else:
            runs[0].update_many(truth[here], score=score[here])
        at += length
    for one, value in zip(truth.tolist(), score.tolist(), strict=True):
        runs[1].update(one, score=value)
    for name in ("sliding 200", "tumbling 150"):
        found, wanted = (run.series(name, "roc_auc")[1] for run in runs)
        np.testing.assert_array_equal(found, wanted)
        last = runs[0].view(name).table
        assert last is not None
        assert runs[0].view(name).value("roc_auc") == pytest.approx(float(registry["roc_auc"](last)), abs=1e-12)
