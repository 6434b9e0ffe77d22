"""Long streams: blocks end, scores outgrow their room, and memory stays what it was."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import numpy as np
import pytest
from tests.streams.test_laws import assert_same_state

from assay import streams
from assay.evidence import ScoreTable
from assay.measures import roc_auc

RNG = np.random.default_rng(12)
COUNT = 10_000
TRUTH = (RNG.random(COUNT) < 0.3).astype(int)
SCORE = 1 / (1 + np.exp(-RNG.normal(TRUTH * 1.2 - 1, 1)))
VIEWS = (streams.cumulative(), streams.sliding(1000), streams.fading(0.9), streams.fading(0.999), streams.fading(0.01))


def fed(sizes: list[int], **options: Any) -> streams.Prequential:
    """The stream in chunks of these sizes over and over; a size of 1 is an update."""
    run, at, turn = streams.prequential(classes=(0, 1), **options), 0, 0
    while at < COUNT:
        size = sizes[turn % len(sizes)]
        if size == 1:
            run.update(int(TRUTH[at]), score=float(SCORE[at]))
        else:
            run.update_many(TRUTH[at : at + size], score=SCORE[at : at + size])
        at, turn = at + size, turn + 1
    return run


@pytest.mark.parametrize("most", [64, 1000, 1 << 16])
def test_blocks_end_at_the_same_events_whatever_the_chunks(most: int) -> None:
    whole = fed([COUNT], views=VIEWS, most_scores=most).state()
    for sizes in ([1], [1, 1, 700], [4096], [4095, 2, 1], [311]):
        assert_same_state(whole, fed(sizes, views=VIEWS, most_scores=most).state())


def test_fading_over_blocks_is_fading_at_every_event() -> None:
    run = fed([313], views=VIEWS)
    for factor in (0.9, 0.999, 0.01):
        weight = factor ** np.arange(COUNT, dtype=float)[::-1]
        view = run.view(f"fading {factor:g}")
        counts = np.bincount(2 * TRUTH + (SCORE >= 0.5), weight, minlength=4).reshape(2, 2)
        assert view.matrix.counts == pytest.approx(counts, rel=1e-11)
        assert view.matrix.kish == pytest.approx(weight.sum() ** 2 / (weight**2).sum(), rel=1e-11)
        kept = weight > 0
        exact = ScoreTable.of(SCORE[kept], TRUTH[kept] == 1, weight=weight[kept])
        assert view.value("roc_auc") == pytest.approx(float(roc_auc(exact)), abs=1e-11)


def test_scores_that_fit_are_exact_and_say_nothing() -> None:
    view = fed([1000], most_scores=1 << 16).view("cumulative")
    assert view.rounding is None
    assert view.table == ScoreTable.of(SCORE, TRUTH == 1, ("0", "1"))


@pytest.mark.parametrize("most", [64, 500, 4000])
@pytest.mark.parametrize("stretch", [1.0, 1e-9, 1e6])
def test_scores_that_do_not_fit_are_rounded_and_it_is_said(most: int, stretch: float) -> None:
    run = streams.prequential(classes=(0, 1), most_scores=most, threshold=0.5 * stretch)
    for start in range(0, COUNT, 900):
        run.update_many(TRUTH[start : start + 900], score=stretch * SCORE[start : start + 900])
    view = run.view("cumulative")
    rounding, table = view.rounding, view.table
    assert rounding is not None
    assert table is not None
    assert len(table) <= most + 4096
    assert np.log2(rounding.step) == round(np.log2(rounding.step))
    exact = float(roc_auc(ScoreTable.of(stretch * SCORE, TRUTH == 1)))
    assert rounding.auc_low <= exact <= rounding.auc_high
    assert rounding.auc_high - rounding.auc_low < 6 / most
    assert rounding.auc_low <= view.value("roc_auc") <= rounding.auc_high
    assert any("rounded" in each for each in view.cautions)
    # Decisions were made by the scores as they came.
    assert view.matrix.counts.tolist() == np.bincount(2 * TRUTH + (SCORE >= 0.5), minlength=4).reshape(2, 2).tolist()


def test_many_classes_keep_rows_while_they_fit_and_say_so_when_they_do_not() -> None:
    rows = RNG.dirichlet(np.ones(3), 200)
    run = streams.prequential(classes=["a", "b", "c"], most_scores=150)
    run.update_many(np.array(["a", "b", "c"])[RNG.integers(0, 3, 150)], scores=rows[:150])
    assert run.view("cumulative").value("hand_till") == pytest.approx(0.5, abs=0.2)
    run.update_many(np.array(["a", "b", "c"])[RNG.integers(0, 3, 50)], scores=rows[150:])
    told = run.view("cumulative").estimate("hand_till")
    assert told.undefined is not None
    assert "use a window" in told.undefined
    assert run.view("cumulative").estimate("accuracy").n == 200


def test_memory_stays_what_it_was() -> None:
    """10^6 events; a window, a fading view and all of the past with scores that are all different."""
    run = streams.prequential(classes=(0, 1), views=VIEWS[:4], most_scores=1 << 12)
    rng = np.random.default_rng(0)

    def feed(times: int) -> None:
        for _ in range(times):
            truth = rng.random(20_000) < 0.3
            run.update_many(truth, score=1 / (1 + np.exp(-rng.normal(truth * 1.2 - 1, 1))))

    tracemalloc.start()
    feed(5)
    before = tracemalloc.get_traced_memory()[0]
    feed(45)
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert run.events == 10**6
    assert after < before + 200_000
    assert peak < 64 << 20


def test_a_state_is_plain_values_and_arrays() -> None:
    run = streams.prequential(classes=("no", "yes"), views=VIEWS, record=("f1",), every=50)
    names = np.array(["no", "yes"])
    run.update_many(names[TRUTH[:5000]], score=SCORE[:5000])
    run.predicted("a", score=0.3)

    def written(value: Any) -> Any:
        assert isinstance(value, np.ndarray)
        return value.tolist()

    again = streams.resume(json.loads(json.dumps(run.state(), default=written)))
    for each in (run, again):
        each.labelled("a", "yes")
        each.update_many(names[TRUTH[5000:]], score=SCORE[5000:])
    assert_same_state(run.state(), again.state())
