"""Measures with parameters are spelt in one way, found like any other, and mean what they say."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import assay
from assay.cli import check, compare, explain
from assay.curves.ranking import top_k
from assay.curves.roc_bands import sensitivity_at, specificity_at
from assay.errors import OptionError, UnknownName
from assay.evidence import ScoreTable
from assay.experiments import experiment, kfold
from assay.measures import (
    FORMS,
    Measure,
    f_beta,
    find,
    find_for_many,
    hand_till,
    npv_at,
    partial_auc,
    partial_auc_between,
    ppv_at,
    recall,
)
from assay.measures.decision import h_measure_with
from assay.measures.multiclass import class_brier
from assay.measures.ranking import precision_at, recall_at_specificity, specificity_at_recall
from assay.testing import assert_measure

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(400) < 0.4).astype(int)
GOOD, POOR = (np.round(gap * TRUTH + (1 - gap) * RNG.random(400), 2) for gap in (0.3, 0.15))
EV, CMP = assay.evaluate(TRUTH, GOOD), assay.compare(TRUTH, {"good": GOOD, "poor": POOR})
CLASSES = RNG.integers(0, 3, 300)
SHARES = RNG.dirichlet(np.ones(3), 300) + 0.5 * np.eye(3)[CLASSES]
MANY = assay.evaluate(CLASSES, y_proba=SHARES / SHARES.sum(1, keepdims=True))

shares = st.floats(0, 1)
positive = st.floats(1e-3, 1e3)
bands = st.tuples(shares, shares).filter(lambda ends: ends[0] != ends[1]).map(sorted)
made = st.one_of(
    positive.map(f_beta),
    st.builds(
        lambda ends, axis, raw: partial_auc_between(ends[0], ends[1], axis, not raw),
        bands,
        st.sampled_from(("fpr", "recall")),
        st.booleans(),
    ),
    shares.map(recall_at_specificity),
    shares.map(specificity_at_recall),
    st.integers(1, 10**6).map(precision_at),
    st.floats(1e-6, 1 - 1e-6).map(ppv_at),
    st.floats(1e-6, 1 - 1e-6).map(npv_at),
    positive.map(h_measure_with),
    st.just(h_measure_with("prevalence")),
)


@given(measure=made)
def test_the_name_parses_back_to_an_equal_measure(measure: Measure) -> None:
    again = find(measure.name)
    assert again == measure
    assert hash(again) == hash(measure)
    assert (again.name, again.title) == (measure.name, measure.title)
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_every_form_is_shown_by_an_example_that_is_spelt_as_it_should_be() -> None:
    for form in FORMS.values():
        assert find(form.example).name == form.example
    assert find(" Sensitivity( specificity = .9 ) ").name == "recall(specificity=0.9)"
    assert find("partial_auc(high=0.2, low=0)") == find("pauc(0,.2)") == partial_auc_between(0, 0.2)
    assert find("f_beta(2)") != find("f_beta(3)")
    assert find("partial_auc(0, 0.1)") != partial_auc


@pytest.mark.parametrize("beta", [0.3, 2, 7])
def test_f_beta_is_scikit_learns(beta: float) -> None:
    theirs = sk.fbeta_score(TRUTH, GOOD >= 0.5, beta=beta)
    assert EV.estimate(f"f_beta({beta})").value == pytest.approx(theirs, abs=1e-12)
    each = sk.fbeta_score(CLASSES, SHARES.argmax(1), beta=beta, average="macro")
    assert MANY.estimate(f"macro_f_beta({beta})").value == pytest.approx(each, abs=1e-12)


@pytest.mark.parametrize("high", [0.05, 0.2, 0.77, 1])
def test_the_partial_area_is_scikit_learns(high: float) -> None:
    theirs = sk.roc_auc_score(TRUTH, GOOD, max_fpr=None if high == 1 else high)
    assert EV.estimate(f"partial_auc(0, {high})").value == pytest.approx(theirs, abs=1e-12)


@given(share=shares, k=st.integers(1, 400))
def test_points_of_the_ranking_are_those_of_the_curves(share: float, k: int) -> None:
    table = EV.scores
    assert table is not None
    for measure, theirs in (
        (recall_at_specificity(share), sensitivity_at(table, share)),
        (specificity_at_recall(share), specificity_at(table, share)),
    ):
        ours = measure.estimate(table)
        np.testing.assert_allclose([ours.value, ours.low, ours.high], [theirs.value, theirs.low, theirs.high])
        assert ours.undefined == theirs.undefined
    assert precision_at(k)(table) == pytest.approx(top_k(table, [k]).precision[0], abs=1e-12)


def test_a_batch_equals_a_loop() -> None:
    drawn = RNG.integers(0, 5, (2, 6, 8)).astype(float)
    score = np.arange(8.0)
    for measure in (find(form.example) for form in FORMS.values() if find(form.example).needs is ScoreTable):
        alone = [float(measure(ScoreTable(score, n, p))) for n, p in zip(*drawn, strict=True)]
        np.testing.assert_allclose(measure(ScoreTable(score, *drawn)), alone, rtol=1e-12)


def test_a_measure_serves_wherever_its_name_does() -> None:
    for measure in (partial_auc_between(0, 0.2), f_beta(2), recall):
        assert EV.estimate(measure).to_dict() == EV.estimate(measure.name).to_dict()
        assert EV.reason_unavailable(measure) is None
        assert CMP.difference(measure, "good", "poor") == CMP.difference(measure.name, "good", "poor")
    # Two measures of one name are not taken for one another.
    other = partial_auc_between(0, 0.5, name="partial_auc")
    assert EV.estimate(other).value == other(EV.scores) != EV.estimate("partial_auc").value
    assert EV.estimate(class_brier).to_dict() == EV.brier.to_dict()
    assert MANY.estimate(assay.measures.kappa) is MANY.estimate("kappa")


def test_where_no_interval_is_honest_there_is_none() -> None:
    for name, words in (
        ("precision_at(50)", "its sampling variance is unknown"),
        ("recall(specificity=0.9)", "the covariance of two values on the same cases is unknown"),
    ):
        found = CMP.difference(name, "good", "poor")
        assert np.isnan(found.low)
        assert words in str(found.undefined)
    assert EV.estimate("precision_at(50)").undefined
    assert EV.estimate("precision_at(500)").undefined == "there are fewer than 500 cases"
    assert CMP.difference("recall(specificity=0.9)", "good", "poor", method="bootstrap").low > -1


def test_the_commands_and_gates_take_them(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"{y},{a},{b}" for y, a, b in zip(TRUTH, GOOD, POOR, strict=True)]
    path.write_text("\n".join(["truth,score_good,score_poor", *rows]))
    asked = [str(path), "--truth", "truth", "--score", "score_good", "--score", "score_poor", "--format", "json"]
    shown = CliRunner().invoke(compare.command, [*asked, "--measure", "partial_auc(0, 0.2)"])
    assert '"measure": "partial_auc(0, 0.2)"' in shown.output
    assert "Recall at specificity 0.9" in CliRunner().invoke(explain.command, ["recall(specificity=0.9)"]).output
    demand = 'recall(specificity=0.9) >= 0.2 and f_beta(2)["1"] > 0.2 and f_beta(2).low > 0.1'
    said = CliRunner().invoke(
        check.command, [str(path), "--truth", "truth", "--score", "score_good", "--require", demand]
    )
    assert said.exit_code == 0, said.output
    assert_measure(TRUTH, GOOD, "recall(specificity=0.9) >= 0.2 and partial_auc(0, 0.2) > 0.5")


def test_a_study_takes_them(tmp_path: Path) -> None:
    x = RNG.normal(size=(120, 2)) + TRUTH[:120, None]
    study = experiment((x, TRUTH[:120]), {"nb": GaussianNB()}, kfold(5), store=tmp_path / "study.db", jobs=1)
    shown, folds = study.table("f_beta(2)"), study.folds("f_beta(2)").columns["f_beta(2)"]
    assert np.mean(folds[5:]) in [value for column in shown.columns.values() for value in column]
    study.store.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f_beta", "f_beta has parameters; needed: it as in f_beta(2)"),
        ("f_beta(2", "'f_beta(2' cannot be read as a measure; needed: a name and its parameters"),
        ("f_beta()", "f_beta lacks beta; needed: it as in f_beta(2)"),
        ("f_beta(0)", "beta is 0; needed: a number above 0"),
        ("f_beta(two)", "beta is 'two'; needed: a number above 0"),
        ("f_beta(2, 3)", "f_beta takes 1 parameter by place"),
        ("recall(0.9)", "recall takes no parameter by place; needed: it as in recall(specificity=0.9)"),
        ("recall(precision=0.9)", "recall has no parameter 'precision'; needed: it as in recall(specificity=0.9)"),
        ("recall(specificity=2)", "specificity is 2; needed: a number from 0 to 1"),
        ("partial_auc(0.2, 0.1)", "the band runs from 0.2 to 0.1"),
        ("partial_auc(0, 1, low=0)", "low of partial_auc is given twice"),
        ("partial_auc(0, 1, standardised=x)", "standardised is 'x'; needed: true or false"),
        ("precision_at(2.5)", "k is 2.5; needed: an integer of at least 1"),
        ("h_measure(severity_ratio=x)", "severity_ratio is 'x'; needed: a number above 0, or prevalence"),
        ("accuracy(3)", "accuracy has no parameters; needed: accuracy alone"),
        ("acuracy(3)", "there is no measure 'acuracy' with parameters; needed: one such as partial_auc(0, 0.2)"),
        ("f_beta(__import__('os'))", "cannot be read as a measure"),
    ],
)
def test_what_cannot_be_is_said(text: str, said: str) -> None:
    with pytest.raises(OptionError) as caught:
        EV.estimate(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("f_beta(2)", "f_beta(2) is of one class: see per_class, or macro_f_beta(2)"),
        (recall, "recall is of one class: see per_class, or macro_recall"),
        ("macro_recall(specificity=0.9)", "recall(specificity=0.9) has no average over classes"),
    ],
)
def test_of_more_classes_there_are_averages(asked: Any, said: str) -> None:
    with pytest.raises(UnknownName) as caught:
        MANY.estimate(asked)
    assert said in str(caught.value)
    assert find_for_many("macro_f_beta(2)") == find_for_many("Macro_F-beta(2.0)")
    with pytest.raises(UnknownName, match="hand_till is of more than two classes"):
        EV.estimate(hand_till)
