"""Classifiers driven over a drifting stream, beside loops written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import tree
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from assay import streams
from assay.errors import AssayError, InputError, OptionError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import roc_auc

RNG = np.random.default_rng(5)
COUNT = 600
X = RNG.normal(size=(COUNT, 3))
# At event 300 the feature that tells the classes apart is another one.
Y = (np.where(np.arange(COUNT) < 300, X[:, 0], X[:, 1]) + 0.3 * RNG.normal(size=COUNT) > 0).astype(int)


def matrix_of(pairs: list[tuple[int, int]]) -> ConfusionMatrix:
    truth, decision = np.array(pairs).T
    return ConfusionMatrix.of(truth, decision, ("0", "1"))


def logistic() -> SGDClassifier:
    return SGDClassifier(loss="log_loss", random_state=0)


def run_of(**options: Any) -> streams.Prequential:
    return streams.prequential(classes=(0, 1), views=(streams.cumulative(), streams.sliding(100)), **options)


@pytest.mark.parametrize(("batch", "warm_up"), [(1, 30), (32, 0)])
def test_naive_bayes_equals_a_loop_written_by_hand(batch: int, warm_up: int) -> None:
    run = run_of()
    run.drive(GaussianNB(), X, Y, streams.interleaved(batch, warm_up=warm_up))
    first = warm_up or batch
    model, truth, score = GaussianNB().partial_fit(X[:first], Y[:first], classes=[0, 1]), [], []
    for start in range(first, COUNT, batch):
        piece = slice(start, start + batch)
        score += model.predict_proba(X[piece])[:, 1].tolist()
        truth += Y[piece].tolist()
        model.partial_fit(X[piece], Y[piece])
    view, called = run.view("cumulative"), [int(value >= 0.5) for value in score]
    assert view.matrix == matrix_of(list(zip(truth, called, strict=True)))
    assert view.value("roc_auc") == float(roc_auc(ScoreTable.of(score, np.array(truth) == 1)))
    assert run.unpredicted == first
    assert f"{first} events came before the classifier could predict" in run.cautions[0]
    assert run.view("sliding 100").matrix == matrix_of(list(zip(truth, called, strict=True))[-100:])


def test_a_classifier_without_probabilities_gives_labels() -> None:
    run = streams.prequential(classes=("no", "yes"))
    labels = np.array(["no", "yes"])[Y]
    run.drive(SGDClassifier(random_state=0), X, labels)
    model, pairs = SGDClassifier(random_state=0), list[tuple[int, int]]()
    for row, label, code in zip(X, labels, Y, strict=True):
        if pairs or hasattr(model, "classes_"):
            pairs.append((code, int(model.predict([row])[0] == "yes")))
        model.partial_fit([row], [label], classes=["no", "yes"])
    assert run.view("cumulative").matrix.counts.tolist() == matrix_of(pairs).counts.tolist()
    assert run.unpredicted == 1


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_tree_of_river_equals_a_loop_written_by_hand(as_frame: bool) -> None:
    columns = ["a", "b", "c"] if as_frame else [0, 1, 2]
    run = run_of()
    run.drive(tree.HoeffdingTreeClassifier(grace_period=20), pd.DataFrame(X, columns=columns) if as_frame else X, Y)
    model, score, truth = tree.HoeffdingTreeClassifier(grace_period=20), [], []
    for row, label in zip(X.tolist(), Y.tolist(), strict=True):
        shares = model.predict_proba_one(dict(zip(columns, row, strict=True)))
        if shares:
            score.append(shares.get(1, 0.0))
            truth.append(label)
        model.learn_one(dict(zip(columns, row, strict=True)), label)
    assert run.view("cumulative").value("roc_auc") == float(roc_auc(ScoreTable.of(score, np.array(truth) == 1)))
    assert run.events + run.unpredicted == COUNT


def test_many_classes_are_driven_in_whatever_order_they_were_said() -> None:
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    found = []
    for classes in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        run = streams.prequential(classes=classes)
        run.drive(GaussianNB(), X, three, streams.interleaved(warm_up=30))
        found.append(run.view("cumulative").values(("accuracy", "macro_f1")))
    assert found[0]["accuracy"] > 0.8
    assert found[0] == found[1] == found[2]


def test_many_classes_and_a_frame() -> None:
    labels = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    run = streams.prequential(classes=("a", "b", "c"), views=(streams.sliding(200),))
    plan = streams.interleaved(warm_up=30)
    run.drive(GaussianNB(), pd.DataFrame(X, columns=["p", "q", "r"]), pd.Series(labels), plan)
    assert run.view("sliding 200").value("accuracy") > 0.85
    assert run.view("sliding 200").value("hand_till") > 0.9


def test_what_cannot_be_predicted_is_answered_by_a_default_if_there_is_one() -> None:
    run = run_of()
    run.drive(logistic(), X, Y, default=0)
    assert (run.events, run.unpredicted) == (COUNT, 1)
    river = run_of()
    river.drive(tree.HoeffdingTreeClassifier(), X, Y, default=1)
    assert (river.events, river.unpredicted) == (COUNT, 1)
    with pytest.raises(OptionError, match="default is 7"):
        run_of().drive(GaussianNB(), X, Y, default=7)


def test_periodic_holdout_learns_no_event_it_tests() -> None:
    run = run_of()
    run.drive(GaussianNB(), X, Y, streams.periodic_holdout(every=80, test=20))
    model, pairs = GaussianNB(), []
    for start in range(0, COUNT, 100):
        model.partial_fit(X[start : start + 80], Y[start : start + 80], classes=[0, 1])
        tested = slice(start + 80, start + 100)
        pairs += list(zip(Y[tested], (model.predict_proba(X[tested])[:, 1] >= 0.5).astype(int), strict=True))
    assert run.view("cumulative").matrix == matrix_of(pairs)
    assert run.unpredicted == 0


@pytest.mark.parametrize("kind", ["cross-validation", "split", "bootstrap"])
def test_distributed_copies_test_what_they_do_not_learn(kind: str) -> None:
    class Counting(SGDClassifier):  # type: ignore[misc]  # untyped
        """Counts what it learns."""

        learned = 0

        def partial_fit(self, rows: Any, labels: Any, classes: Any = None) -> Any:
            type(self).learned += 1
            return super().partial_fit(rows, labels, classes=classes)

    found = streams.distributed(run_of(), Counting(loss="log_loss", random_state=0), X, Y, kind=kind, copies=5, seed=3)
    tested = sum(run.events + run.unpredicted for run in found.runs)
    share = {"cross-validation": 1 / 5, "split": 4 / 5, "bootstrap": np.exp(-1)}[kind]
    assert tested / (5 * COUNT) == pytest.approx(share, abs=0.03 if kind == "bootstrap" else 1e-12)
    learned = {"cross-validation": 4 * COUNT, "split": COUNT, "bootstrap": 5 * COUNT}[kind]
    assert pytest.approx(learned, rel=0.05 if kind == "bootstrap" else 0) == Counting.learned
    again = streams.distributed(run_of(), logistic(), X, Y, kind=kind, copies=5, seed=3)
    assert found.values("accuracy").tolist() == again.values("accuracy").tolist()
    table = found.table(["accuracy", "roc_auc"], view="sliding 100")
    assert table.columns["copies"] == [5, 5]
    assert table.columns["sd"][0] > 0


class Failing(SGDClassifier):  # type: ignore[misc]  # untyped
    """Fails at its tenth lesson, or at its tenth answer."""

    def __init__(self, at: str) -> None:
        super().__init__(loss="log_loss", random_state=0)
        self.at, self.calls = at, 0

    def partial_fit(self, rows: Any, labels: Any, classes: Any = None) -> Any:
        self.calls += 1
        if self.at == "learning" and self.calls == 10:
            raise RuntimeError("out of luck")
        return super().partial_fit(rows, labels, classes=classes)

    def predict_proba(self, rows: Any) -> Any:
        if self.at == "predicting" and self.calls == 9:
            raise RuntimeError("out of luck")
        shares = super().predict_proba(rows)
        return shares * np.nan if self.at == "nan" and self.calls == 9 else shares


@pytest.mark.parametrize("at", ["learning", "predicting"])
def test_a_classifier_that_fails_is_told_with_its_event(at: str) -> None:
    with pytest.raises(InputError, match=f"event 10: {at} failed with RuntimeError: out of luck"):
        run_of().drive(Failing(at), X, Y)


def test_a_classifier_that_answers_nan_is_told_with_its_event() -> None:
    run = run_of()
    with pytest.raises(InputError, match="event 10: the score is nan"):
        run.drive(Failing("nan"), X, Y)
    assert run.events == 8


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: run_of().drive(DecisionTreeClassifier(), X, Y), "neither partial_fit nor learn_one"),
        (lambda: run_of().drive(GaussianNB(), X, Y[:5]), r"x and y must have the same length \(600 and 5\)"),
        (lambda: run_of().drive(GaussianNB(), X, Y, plan="kfold"), "the plan is 'kfold'"),  # type: ignore[arg-type]
        (lambda: streams.prequential().drive(GaussianNB(), X, Y), "the classes of the run are unknown"),
        (lambda: streams.distributed(run_of(), GaussianNB(), X, Y, kind="jackknife"), "kind is 'jackknife'"),
        (lambda: run_of().drive(GaussianNB().fit(X, Y + 1), X, Y), "the classifier does not know the class '0'"),
    ],
)
def test_what_cannot_be_driven(call: Any, sentence: str) -> None:
    with pytest.raises(AssayError, match=sentence):
        call()
