"""What is refused is refused in one sentence, and leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.streams.test_laws import assert_same_state

from assay import streams
from assay.errors import AssayError, InputError, OptionError

Feed = Callable[[streams.Prequential], None]
SCORED: dict[str, tuple[Feed, str]] = {
    "nan": (lambda run: run.update("yes", score=float("nan")), "score is nan; needed: a finite number"),
    "infinite": (lambda run: run.update("yes", score=float("inf")), "score is inf; needed: a finite number"),
    "text": (lambda run: run.update("yes", score="0.5"), "the score is '0.5'; needed: a finite number"),
    "no class": (lambda run: run.update("maybe", score=0.5), "the true label 'maybe' is none of the classes"),
    "missing": (
        lambda run: run.update(None, score=0.5),
        "the true label is missing .*; needed: a class for each event",
    ),
    "beyond": (lambda run: run.update("yes", score=1.5), r"the score 1.5 is outside \[0, 1\].*threshold=0.0"),
    "nothing": (lambda run: run.update("yes"), "neither a prediction nor a score"),
    "both": (lambda run: run.update("yes", score=0.5, scores=[0.5, 0.5]), "both score and scores are set"),
    "a label": (lambda run: run.update("yes", "yes"), "this event has labels, those before it had a score"),
    "more": (
        lambda run: run.update("yes", "yes", score=0.5),
        "this event has labels and a score, those before it had a",
    ),
    "compound": (lambda run: run.update(["yes"], score=0.5), "the true label is not a single value"),
    "time": (lambda run: run.update("yes", score=0.5, time=3), "time is not used: no view is by time"),
    "weight": (lambda run: run.update("yes", score=0.5, weight=2), "weight is not supported: every event of a stream"),  # type: ignore[arg-type]
    "length": (
        lambda run: run.update_many(["yes"], score=[0.5, 0.6]),
        r"true labels and scores must have the same length \(1 and 2\)",
    ),
    "chunk nan": (lambda run: run.update_many(["no", "yes"], score=[0.5, np.nan]), "row 2: the score is nan"),
    "chunk class": (lambda run: run.update_many(["no", "ja"], score=[0.5, 0.6]), "'ja' is none of the classes"),
    "chunk missing": (lambda run: run.update_many(["no", None], score=[0.5, 0.6]), "row 2: 'truth' is missing"),
    "chunk beyond": (lambda run: run.update_many(["no", "yes"], score=[0.5, -3.0]), r"the score -3 is outside"),
    "table": (lambda run: run.update_many(["no"], score=[[0.5, 0.5]]), r"'score' has shape \(1, 2\)"),
    "chunk weight": (lambda run: run.update_many(["no"], score=[0.5], weight=[1.0]), "weight is not supported"),  # type: ignore[arg-type]
    "late label": (lambda run: run.labelled("a", "yes"), "no prediction is waiting for a label under the id 'a'"),
    "id": (lambda run: run.predicted(None, score=0.5), "the id is 'None'; needed: a text or an integer"),
}


@pytest.mark.parametrize("case", SCORED)
def test_nothing_is_left_of_what_is_refused(case: str) -> None:
    feed, sentence = SCORED[case]
    views = (streams.cumulative(), streams.sliding(3), streams.fading(0.9))
    run = streams.prequential(classes=("no", "yes"), views=views, record=("accuracy",))
    run.update_many(["no", "yes", "yes"], score=[0.1, 0.6, 0.3])
    before = run.state()
    with pytest.raises(AssayError, match=sentence):
        feed(run)
    assert_same_state(before, run.state())


def test_a_chunk_that_is_refused_adds_no_class() -> None:
    run = streams.prequential()
    run.update_many(["a", "b"], ["a", "a"])
    with pytest.raises(InputError, match="true labels and predictions must have the same length"):
        run.update_many(["c", "a"], ["d"])
    assert list(run.classes) == ["a", "b"]
    run.update("c", "a")
    assert list(run.classes) == ["a", "b", "c"]
    assert run.view("cumulative").matrix.counts.tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_an_event_that_is_refused_settles_no_class() -> None:
    run = streams.prequential()
    with pytest.raises(InputError, match="finite"):
        run.update("yes", score=float("nan"))
    run.update("1", score=0.4)
    assert run.classes == ("0", "1")
    two = streams.prequential(positive="spam")
    with pytest.raises(InputError, match="finite"):
        two.update("eggs", score=float("nan"))
    two.update("ham", score=0.4)
    with pytest.raises(InputError, match="none of the classes 'ham', 'spam'"):
        two.update("eggs", score=0.4)


def test_classes_that_are_not_said_are_added_in_any_order() -> None:
    truth, decision = ["9", "10", "11", "10"], ["9", "9", "11", "10"]
    one, many = streams.prequential(views=(streams.sliding(3),)), streams.prequential(views=(streams.sliding(3),))
    many.update_many(truth, decision)
    for pair in zip(truth, decision, strict=True):
        one.update(*pair)
    assert_same_state(one.state(), many.state())
    assert one.classes == ("9", "10", "11")
    assert one.view("sliding 3").values(("accuracy", "macro_f1")) == pytest.approx(
        {"accuracy": 2 / 3, "macro_f1": (2 / 3 + 1) / 2}
    )


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcdef")), min_size=1, max_size=25), st.data())
def test_classes_met_on_the_way_are_the_same_however_the_stream_is_cut(
    events: list[tuple[str, str]], data: st.DataObject
) -> None:
    views = (streams.cumulative(), streams.sliding(4), streams.fading(0.9))
    one, many = (streams.prequential(views=views, record=("accuracy", "macro_f1", "kappa_m")) for _ in range(2))
    for event in events:
        one.update(*event)
    at = 0
    while at < len(events):
        size = data.draw(st.integers(1, 10))
        truth, decision = zip(*events[at : at + size], strict=True)
        many.update_many(truth, decision)
        at += size
    assert one.classes == many.classes
    first, second = one.state(), many.state()
    for state in (first, second):
        state["recorded"] = [np.round(each, 12) for each in state["record"].pop("values")]
    assert_same_state(first, second)


def test_two_classes_of_which_neither_is_known_as_positive() -> None:
    run = streams.prequential()
    assert np.isnan(run.view("cumulative").value("accuracy"))
    run.update("ham", "ham")
    assert run.view("cumulative").estimate("accuracy").undefined == "only one class so far"
    run.update("spam", "ham")
    view = run.view("cumulative")
    assert view.value("accuracy") == 0.5
    assert np.isnan(view.value("recall"))
    assert "pass positive=" in str(view.estimate("recall").undefined)
    with pytest.raises(InputError, match="which one is positive"):
        _ = view.evaluation
    settled = streams.prequential(positive="spam")
    settled.update_many(["spam", "ham"], ["spam", "spam"])
    assert settled.classes == ("ham", "spam")
    assert settled.view("cumulative").values(("recall", "precision")) == {"recall": 1.0, "precision": 0.5}
    with pytest.raises(InputError, match="none of the classes 'ham', 'spam'"):
        settled.update("eggs", "ham")


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["no", "yes"], np.array([0.0, 1.0]), [b"n", b"y"]])
def test_labels_of_any_kind_and_scores_without_classes(labels: Any) -> None:
    run = streams.prequential()
    for label, score in zip(labels, (0.2, 0.9), strict=True):
        run.update(label, score=score)
    run.update_many(labels, score=[0.3, 0.7])
    assert run.view("cumulative").value("accuracy") == 1.0


def test_numbers_and_booleans_are_told_apart_as_everywhere() -> None:
    run = streams.prequential(classes=(0, 1))
    run.update(1, score=0.9)
    run.update(True, score=0.9)  # where truth holds 0 and 1, true is 1
    with pytest.raises(InputError, match="the true label '2' is none"):
        run.update(2, score=0.9)
    assert run.events == 2


def test_a_measure_of_more_classes_has_no_value_while_there_are_two() -> None:
    run = streams.prequential(record=("macro_f1", "accuracy"))
    run.update_many([0, 1, 1], score=[0.2, 0.7, 0.1])
    assert np.isnan(run.series("cumulative", "macro_f1")[1]).all()
    assert run.series("cumulative", "accuracy")[1].tolist() == pytest.approx([1, 1, 2 / 3])


def test_scores_whose_positive_class_nobody_knows() -> None:
    with pytest.raises(InputError, match="which class is positive"):
        streams.prequential().update("ham", score=0.3)
    with pytest.raises(InputError, match="which class is positive"):
        streams.prequential(classes=("ham", "spam"))
    with pytest.raises(OptionError, match="one score for 3 classes"):
        streams.prequential(classes=["a", "b", "c"]).update("a", score=0.3)
    with pytest.raises(OptionError, match="scores= needs the classes"):
        streams.prequential().update("a", scores=[0.3, 0.7])


def test_labels_and_a_threshold_do_not_go_together() -> None:
    with pytest.raises(OptionError, match="threshold cannot be used with predicted labels"):
        streams.prequential(classes=(0, 1), threshold=0.3).update(1, 1, score=0.4)


def test_given_labels_decide_and_scores_rank() -> None:
    run = streams.prequential(classes=(0, 1))
    run.update_many([0, 1, 1], [1, 1, 0], score=[0.2, 0.9, 0.8])
    view = run.view("cumulative")
    assert view.values(("accuracy", "roc_auc")) == {"accuracy": 1 / 3, "roc_auc": 1.0}
    assert view.evaluation.matrix == view.matrix


TIMED: dict[str, tuple[Feed, str]] = {
    "backwards": (lambda run: run.update("no", "no", time=9.0), "the time 9, before the previous 10"),
    "none": (lambda run: run.update("no", "no"), "time is missing, and a view is by time"),
    "nan": (lambda run: run.update("no", "no", time=float("nan")), "times in increasing order"),
    "chunk": (
        lambda run: run.update_many(["no"] * 2, ["no"] * 2, time=[12, 11]),
        "row 2 has the time 11, before the previous 12",
    ),
    "length": (lambda run: run.update_many(["no"] * 2, ["no"] * 2, time=[12]), "times of shape .* for 2 events"),
}


@pytest.mark.parametrize("case", TIMED)
def test_time_does_not_go_backwards(case: str) -> None:
    feed, sentence = TIMED[case]
    run = streams.prequential(classes=("no", "yes"), views=(streams.sliding(seconds=5),))
    run.update("no", "no", time=10.0)
    before = run.state()
    with pytest.raises(InputError, match=sentence):
        feed(run)
    assert_same_state(before, run.state())


def test_dates_are_times() -> None:
    moments = np.array(["2024-01-01T00:00:00", "2024-01-01T00:00:03", "2024-01-01T00:00:09"], dtype="datetime64[s]")
    one, many = (streams.prequential(classes=(0, 1), views=(streams.sliding(seconds=7),)) for _ in range(2))
    many.update_many([0, 1, 1], [0, 1, 0], time=moments)
    for second, truth, decision in ((0, 0, 0), (3, 1, 1), (9, 1, 0)):
        one.update(truth, decision, time=datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC))
    assert_same_state(one.state(), many.state())
    assert len(one.view("sliding 7 s")) == 2


OPTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "both": (lambda: streams.sliding(3, seconds=4), "both a number of events and a time"),
    "neither": (streams.tumbling, "neither a number of events nor a time"),
    "factor": (lambda: streams.fading(0), "factor is 0; needed: a number between 0 and 1"),
    "twice": (lambda: streams.prequential(views=(streams.cumulative(),) * 2), "duplicate view"),
    "no views": (lambda: streams.prequential(views=(3,)), "views has an element that is no view"),  # type: ignore[arg-type]
    "one class": (lambda: streams.prequential(classes=("a", "a")), "two different classes"),
    "positive of three": (
        lambda: streams.prequential(classes=["a", "b", "c"], positive="a"),
        "positive='a' cannot be used with 3 classes",
    ),
    "record": (lambda: streams.prequential(record="accuracy"), r"record=\['accuracy'\]"),
    "unknown": (lambda: streams.prequential(record=["acuracy"]), "did you mean accuracy"),
    "of more classes": (lambda: streams.prequential(classes=(0, 1), record=["macro_f1"]), "of more than two classes"),
    "of two classes": (lambda: streams.prequential(classes=(0, 1, 2), record=["recall"]), "or macro_recall"),
    "option": (lambda: streams.prequential(labels=[0, 1]), "did you mean classes"),  # type: ignore[call-arg]
    "view": (lambda: streams.prequential().view("sliding"), "there is no view 'sliding'"),
    "measure": (lambda: streams.prequential(classes=(0, 1)).view("cumulative").estimate("acuracy"), "mean accuracy"),
    "not recorded": (lambda: streams.prequential().series("cumulative", "accuracy"), "no measures were recorded"),
    "state": (lambda: streams.resume({"version": 9}), "the state has version 9"),
    "windows": (
        lambda: streams.prequential(views=(streams.sliding(3),)) + streams.prequential(views=(streams.sliding(3),)),
        "the views sliding 3 cannot be added",
    ),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_are_refused_by_name(case: str) -> None:
    call, sentence = OPTIONS[case]
    with pytest.raises(AssayError, match=sentence):
        call()
