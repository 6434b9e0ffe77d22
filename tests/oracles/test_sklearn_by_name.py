"""Measures found by name against scikit-learn's: averages over classes, pooled rankings, crossings, and scorers."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn import metrics as sk
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import assay
from assay.errors import OptionError, UnknownName
from assay.measures import find, find_for_many, top_k_accuracy

LABELS = [0, 1, 2]


def _equal_errors(y: Any, s: Any) -> float:
    fpr, tpr, _ = sk.roc_curve(y, s, drop_intermediate=False)
    return float(brentq(lambda x: 1 - x - np.interp(x, fpr, tpr), 0.0, 1.0)) if tpr[0] < 1 else 0.0


def _lines(y: Any, s: Any) -> float:
    precision, recall, _ = sk.precision_recall_curve(y, s)
    return float(sk.auc(recall, precision))


OF_MANY: dict[str, Callable[[Any, Any], float]] = {
    **{
        f"{kind}_jaccard": lambda y, p, kind=kind: sk.jaccard_score(y, p.argmax(1), average=kind, labels=LABELS)  # type: ignore[misc]
        for kind in ("macro", "micro", "weighted")
    },
    "macro_f_beta(2)": lambda y, p: sk.fbeta_score(y, p.argmax(1), beta=2, average="macro", labels=LABELS),
    "micro_f_beta(0.5)": lambda y, p: sk.fbeta_score(y, p.argmax(1), beta=0.5, average="micro", labels=LABELS),
    "weighted_f_beta(2)": lambda y, p: sk.fbeta_score(y, p.argmax(1), beta=2, average="weighted", labels=LABELS),
    "micro_roc_auc": lambda y, p: sk.roc_auc_score(np.eye(3)[y], p, average="micro"),
    "micro_average_precision": lambda y, p: sk.average_precision_score(np.eye(3)[y], p, average="micro"),
    "top_k_accuracy(2)": lambda y, p: sk.top_k_accuracy_score(y, p, k=2, labels=LABELS),
    "zero_one_loss": lambda y, p: sk.zero_one_loss(y, p.argmax(1)),
    "hamming_loss": lambda y, p: sk.hamming_loss(y, p.argmax(1)),
}
OF_TWO: dict[str, Callable[[Any, Any], float]] = {
    "equal_error_rate": _equal_errors,
    "pr_area_lines": _lines,
}


@pytest.mark.parametrize("name", OF_MANY)
@pytest.mark.parametrize("seed", range(3))
def test_more_than_two_classes(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.concatenate((LABELS, rng.integers(0, 3, 120)))
    odds = rng.random((123, 3)) + 0.8 * np.eye(3)[truth]
    proba = odds / odds.sum(1, keepdims=True)
    ev = assay.evaluate(truth, y_proba=proba, classes=LABELS)
    found = ev.estimate(name)
    assert found.value == pytest.approx(OF_MANY[name](truth, proba), abs=1e-12)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("name", OF_TWO)
@settings(max_examples=40)
@given(cases=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20)), min_size=2, max_size=60))
def test_two_classes(name: str, cases: list[tuple[int, int]]) -> None:
    truth, score = (np.array(side) for side in zip(*([(0, 3), (1, 7), *cases]), strict=True))
    ours = assay.evaluate(truth, score / 20).estimate(name)
    assert ours.value == pytest.approx(OF_TWO[name](truth, score / 20), abs=1e-9)
    assert "interval" in (ours.undefined or "")


def test_ties_at_the_edge_of_the_first_k_count_by_halves() -> None:
    ev = assay.evaluate([0, 1, 2], y_proba=[[0.5, 0.5, 0], [0, 0.5, 0.5], [0.4, 0.3, 0.3]])
    assert ev.estimate("top_k_accuracy(1)").value == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert ev.estimate("top_k_accuracy(2)").value == pytest.approx((1 + 1 + 0.5) / 3)
    assert ev.estimate(top_k_accuracy(3)).value == 1


def test_top_k_with_weights_and_clusters() -> None:
    rng = np.random.default_rng(4)
    truth, proba = rng.integers(0, 4, 200), rng.dirichlet(np.ones(4), 200)
    plain = assay.evaluate(truth, y_proba=proba, classes=range(4)).estimate("top_k_accuracy(2)")
    heavy = assay.evaluate(truth, y_proba=proba, classes=range(4), weight=rng.exponential(1, 200))
    tied = assay.evaluate(truth, y_proba=proba, classes=range(4), cluster=np.arange(200) // 4)
    assert plain.method == "Wilson"
    assert "effective n" in heavy.estimate("top_k_accuracy(2)").method
    assert "50 clusters" in tied.estimate("top_k_accuracy(2)").method
    assert pickle.loads(pickle.dumps(find_for_many("top_k_accuracy(2)"))) == top_k_accuracy(2)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("top_k_accuracy(2)", "of more than two classes"),
        ("micro_roc_auc", "of more than two classes"),
        ("top_k_accuracy", "of more than two classes"),
    ],
)
def test_two_classes_say_what_is_of_more(name: str, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        find(name)


def test_what_has_parameters_says_so() -> None:
    with pytest.raises(UnknownName, match=r"it as in top_k_accuracy\(3\)"):
        find_for_many("top_k_accuracy")
    for wrong in ("top_k_accuracy(0)", "top_k_accuracy(1.5)"):
        with pytest.raises(OptionError, match="k"):
            find_for_many(wrong)


MODEL = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
X, Y = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("roc_auc", "roc_auc"),
        ("log_loss", "neg_log_loss"),
        ("brier", "neg_brier_score"),
        ("f1", "f1"),
        ("accuracy", "accuracy"),
        ("average_precision", "average_precision"),
    ],
)
def test_scorers_score_as_scikit_learns_do(ours: str, theirs: str) -> None:
    mine, other = (cross_val_score(MODEL, X, Y, cv=3, scoring=one) for one in (assay.scorer(ours), theirs))
    np.testing.assert_allclose(mine, other, atol=1e-9)


def test_scorers_search() -> None:
    for name in ("h_measure", "log_loss"):
        search = GridSearchCV(MODEL, {"logisticregression__C": [1e-4, 1.0]}, cv=3, scoring=assay.scorer(name))
        assert search.fit(X, Y).best_params_ == {"logisticregression__C": 1.0}
    both = cross_validate(MODEL, X, Y, cv=3, scoring={"h": assay.scorer("h_measure"), "eer": assay.scorer("eer")})
    assert (both["test_h"] > 0.8).all()
    assert (both["test_eer"] < 0).all()


def test_scorers_of_many_classes_and_of_decisions() -> None:
    wine = load_wine(return_X_y=True)
    assert (cross_val_score(MODEL, *wine, cv=3, scoring=assay.scorer("hand_till")) > 0.95).all()
    assert (cross_val_score(MODEL, *wine, cv=3, scoring=assay.scorer("top_k_accuracy(2)")) > 0.95).all()
    machine = make_pipeline(StandardScaler(), LinearSVC())
    assert (cross_val_score(machine, X, Y, cv=3, scoring=assay.scorer("roc_auc")) > 0.95).all()


def test_scorers_say_what_is_wrong() -> None:
    with pytest.raises(UnknownName, match="did you mean accuracy"):
        assay.scorer("acuracy")
    machine = make_pipeline(StandardScaler(), LinearSVC()).fit(X, Y)
    with pytest.raises(OptionError, match="no probabilities"):
        assay.scorer("log_loss")(machine, X, Y)
    fitted = MODEL.fit(X, Y)
    assert math.isnan(assay.scorer("roc_auc")(fitted, X[Y == 1], Y[Y == 1]))
    zeroes = assay.scorer("recall", positive=0)(fitted, X, Y)
    assert zeroes == pytest.approx(sk.recall_score(Y, fitted.predict(X), pos_label=0))
    heavy = np.where(Y == 1, 2.0, 1.0)
    weighted = assay.scorer("accuracy")(fitted, X, Y, sample_weight=heavy)
    assert weighted == pytest.approx(sk.accuracy_score(Y, fitted.predict(X), sample_weight=heavy))
    assert repr(pickle.loads(pickle.dumps(assay.scorer("f1", positive=0)))) == "assay.scorer('f1', positive=0)"
