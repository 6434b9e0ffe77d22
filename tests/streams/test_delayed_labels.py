"""Labels that come later, in another order, or never."""

from __future__ import annotations

import numpy as np
import pytest
from tests.streams.test_laws import assert_same_state

from assay import streams
from assay.errors import InputError

RNG = np.random.default_rng(6)
TRUTH = RNG.integers(0, 2, 200)
SCORE = np.round(RNG.random(200), 2)
VIEWS = (streams.cumulative(), streams.sliding(30), streams.fading(0.95))


def test_events_are_judged_in_the_order_their_labels_arrive() -> None:
    order = RNG.permutation(200)
    delayed, direct = (streams.prequential(classes=(0, 1), views=VIEWS) for _ in range(2))
    for at in range(200):
        delayed.predicted(f"case {at}", score=float(SCORE[at]))
    assert delayed.waiting == 200
    assert delayed.labels.oldest == "case 0"
    for at in order.tolist():
        delayed.labelled(f"case {at}", int(TRUTH[at]))
        direct.update(int(TRUTH[at]), score=float(SCORE[at]))
    assert delayed.waiting == 0
    first, second = delayed.state(), direct.state()
    assert first.pop("waiting")["made"] == 200
    second.pop("waiting")
    assert_same_state(first, second)


def test_an_id_is_predicted_once_and_labelled_once() -> None:
    run = streams.prequential(classes=(0, 1))
    run.predicted("a", score=0.3)
    with pytest.raises(InputError, match="duplicate id 'a': it is waiting for its label"):
        run.predicted("a", score=0.4)
    run.labelled("a", 1)
    with pytest.raises(InputError, match="no prediction is waiting"):
        run.labelled("a", 1)
    with pytest.raises(InputError, match="no prediction is waiting for a label under the id 'b'"):
        run.labelled("b", 1)
    assert run.events == 1


def test_a_label_that_is_refused_leaves_its_prediction_waiting() -> None:
    run = streams.prequential(classes=(0, 1))
    run.predicted(7, score=0.3)
    with pytest.raises(InputError, match="the true label '2' is none"):
        run.labelled(7, 2)
    run.labelled(7, 0)
    assert run.view("cumulative").value("accuracy") == 1.0


def test_labels_that_never_come_are_counted_and_bound_what_can_be_said() -> None:
    run = streams.prequential(classes=(0, 1), expire_after=10)
    for at in range(100):
        run.predicted(at, score=0.9)
        if at % 4:
            run.labelled(at, 1 if at % 4 < 3 else 0)
    run.labelled(0, 1)
    labels = run.labels
    assert (labels.predicted, run.events, labels.waiting, labels.expired, labels.late) == (100, 75, 2, 23, 1)
    assert labels.missing == 25
    bounds = labels.accuracy_bounds(50, 75)
    assert (bounds.low, bounds.high) == (0.5, 0.75)
    never, late, between = run.cautions
    assert between.endswith("is between 0.500 and 0.750")
    assert run.accuracy_bounds() == bounds
    assert "23 predictions (23.0 %) expired without a label: all results are for labelled events only" in never
    assert "1 label not counted: the ids had expired" in late


def test_what_waits_survives_a_state() -> None:
    run = streams.prequential(classes=("a", "b", "c"), expire_after=5)
    run.predicted(1, scores=[0.2, 0.5, 0.3])
    run.predicted("two", scores=[0.6, 0.1, 0.3])
    again = streams.resume(run.state())
    for each in (run, again):
        each.labelled("two", "a")
        each.labelled(1, "c")
    assert_same_state(run.state(), again.state())
    assert again.view("cumulative").value("accuracy") == 0.5


def test_labels_alone_may_be_late_too() -> None:
    run = streams.prequential()
    run.predicted("x", "spam")
    run.labelled("x", "ham")
    run.predicted("y", "ham")
    run.labelled("y", "ham")
    assert run.view("cumulative").matrix.counts.tolist() == [[1, 1], [0, 0]]
