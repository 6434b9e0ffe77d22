"""Limits of what a view holds: by the long-run variance, near the usual ones where events are independent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay import streams
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from assay.streams.history import Batches

RNG = np.random.default_rng(7)
TRUTH = (RNG.random(4000) < 0.3).astype(int)
DECIDED = np.where(RNG.random(4000) < 0.2, 1 - TRUTH, TRUTH)
SCORE = 1 / (1 + np.exp(-(RNG.normal(size=4000) + 1.5 * TRUTH - 1)))
VIEWS = (streams.cumulative(), streams.sliding(4000))


def labels() -> streams.Prequential:
    run = streams.prequential(classes=(0, 1), views=VIEWS)
    run.update_many(TRUTH, DECIDED)
    return run


@pytest.mark.parametrize("view", [spec.name for spec in VIEWS])
def test_of_independent_labels_limits_are_about_the_usual_ones(view: str) -> None:
    matrix = ConfusionMatrix.of(TRUTH, DECIDED, ("0", "1"))
    for name, measure in registry.items():
        if measure.needs is ConfusionMatrix:
            found, usual = labels().view(view).estimate(name), measure.estimate(matrix)
            assert found.value == pytest.approx(usual.value, rel=1e-12)
            assert found.low <= found.value <= found.high
            assert "one look" in found.method
            assert 0.75 < (found.high - found.low) / (usual.high - usual.low) < 1.6, name


def test_of_independent_scores_too() -> None:
    run = streams.prequential(classes=(0, 1), views=VIEWS)
    run.update_many(TRUTH, score=SCORE)
    table = ScoreTable.of(SCORE, TRUTH == 1)
    held = 0
    for name, measure in registry.items():
        if measure.needs is ScoreTable and (measure.pairs or measure.moved_by):
            found, usual = run.view("sliding 4000").estimate(name), measure.estimate(table)
            assert 0.7 < (found.high - found.low) / (usual.high - usual.low) < 1.6, name
            assert "use a window" in str(run.view("cumulative").estimate(name).undefined)
            held += 1
    assert held > 5


def test_errors_that_cling_widen_the_limits() -> None:
    """Each error is ten: limits must be about the root of ten as wide."""
    truth, decided = (np.repeat(each[:1000], 10) for each in (TRUTH, DECIDED))
    run = streams.prequential(classes=(0, 1), views=(streams.cumulative(), streams.sliding(10_000)))
    run.update_many(truth, decided)
    for view in run.views.values():
        for name in ("accuracy", "kappa", "f1"):
            found, usual = view.estimate(name), registry[name].estimate(ConfusionMatrix.of(truth, decided, ("0", "1")))
            assert 2.2 < (found.high - found.low) / (usual.high - usual.low) < 5


def test_kappas_against_baselines_have_limits_in_a_window() -> None:
    view = labels().view("sliding 4000")
    for name in ("kappa_temporal", "kappa_m"):
        found = view.estimate(name)
        assert found.low < found.value < found.high <= 1


def test_what_fades_or_was_merged_says_why_it_has_no_limits() -> None:
    run = streams.prequential(classes=(0, 1), views=(streams.fading(0.99),))
    run.update_many(TRUTH, DECIDED)
    assert "fading" in str(run.view("fading 0.99").estimate("accuracy").undefined)
    half = streams.prequential(classes=(0, 1))
    half.update_many(TRUTH, DECIDED)
    merged = (half + half).view("cumulative").estimate("accuracy")
    assert math.isnan(merged.low)
    assert "use a window" in str(merged.undefined)


def test_an_infinite_value_has_no_limits() -> None:
    """Nothing was called positive falsely: the likelihood ratio is infinite."""
    run = streams.prequential(classes=(0, 1), views=VIEWS)
    run.update_many(TRUTH, np.where(TRUTH == 0, 0, DECIDED))
    for view in run.views.values():
        found = view.estimate("likelihood_ratio_positive")
        assert found.value == math.inf
        assert "influence values are undefined" in str(found.undefined)


def test_few_events_have_no_limits() -> None:
    run = streams.prequential(classes=(0, 1))
    run.update_many(TRUTH[:60], DECIDED[:60])
    assert "from 100 events on" in str(run.view("cumulative").estimate("accuracy").undefined)


@pytest.mark.parametrize("n", [1, 511, 512, 5000])
def test_batches_hold_every_event_in_its_order(n: int) -> None:
    cells = RNG.integers(0, 4, n)
    whole, single = Batches(4), Batches(4)
    whole.extend(cells)
    for cell in cells.tolist():
        single.add(cell)
    np.testing.assert_array_equal(whole.finished(), single.finished())
    done = whole.finished()
    assert len(done) < 512
    assert n < 256 or len(done) >= 256
    expected = [
        np.bincount(part, minlength=4) for part in np.split(cells[: len(done) * whole.length], max(len(done), 1))
    ]
    np.testing.assert_array_equal(done, expected)
