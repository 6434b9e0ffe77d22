"""WEKA's and caret's ways of writing an evaluation, where the reference cases do not lead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.report.samples import HOSTILE, labelled, scored, single_class

from assay.evaluation import from_counts
from assay.evidence import ConfusionMatrix
from assay.predictions import Predictions
from assay.report.renderers.caret import render_caret
from assay.report.renderers.weka import render_weka

IRIS = ConfusionMatrix(np.array([[49, 1, 0], [0, 47, 3], [0, 2, 48]]), ("setosa", "versicolor", "virginica"))


def test_rows_and_their_evidence_print_the_same() -> None:
    """A score table gives what the rows behind it give, except that nobody knows their folds."""
    ev = scored()
    assert ev.scores is not None
    table = ev.scores
    truth = np.repeat([0, 1], len(table))
    weight = np.concatenate((table.negative, table.positive))
    rows = Predictions(("0", "1"), truth, score=np.tile(table.score, 2), count=weight)
    assert ev.matrix is not None
    assert render_weka({"": ev}) == render_weka({"": labelled(ev.matrix, rows)})


def test_without_folds_it_says_whose_class_shares_it_took() -> None:
    assert "use the class shares of these cases" in render_weka({"": scored()})


def test_labels_alone_are_probabilities_of_zero_and_one() -> None:
    text = render_weka({"": labelled(IRIS)})
    assert "Note: Labels only" in text
    # Six of 150 cases give 0 to their class and 1 to another: 2/3 of an error each.
    assert "Mean absolute error                      0.0267\n" in text


def test_scores_that_are_no_probabilities_have_no_errors() -> None:
    text = render_weka({"": scored(as_logits=True)})
    assert "Mean absolute error" not in text
    assert "The scores are not probabilities" in text
    assert "ROC Area" in text


@pytest.mark.parametrize("render", [render_weka, render_caret])
def test_without_decisions_it_says_so(render: Callable[..., str]) -> None:
    assert "No predicted labels" in render({"": scored(threshold=None, as_logits=True)})


def test_several_models_are_named() -> None:
    text = render_weka({"bayes": scored(), "tree": scored(strength=1.0)})
    assert "Scheme:       bayes\n" in text
    assert "Scheme:       tree\n" in text
    assert "Confusion Matrix and Statistics: tree\n" in render_caret({"bayes": scored(), "tree": scored()})


def test_a_class_that_never_occurs_is_a_question_mark_or_nothing() -> None:
    new, old = render_weka({"": single_class()}), render_weka({"": single_class()}, version="3.6")
    assert "?        0.250    0.000      ?        ?" in new
    assert "0         0.25       0         0         0          ?        1\n" in old


def test_abstentions_are_unclassified_and_in_no_cell() -> None:
    classes, decisions = ("no", "yes"), ("no", "yes", "abstained")
    truth, decision = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 2, 1])
    rows = Predictions(
        classes, truth, score=np.array([0.1, 0.7, 0.9, 0.5, 0.8]), decision=decision, decisions=decisions
    )
    text = render_weka({"": labelled(ConfusionMatrix.of(truth, decision, classes, decisions), rows)})
    assert "Correctly Classified Instances           3               60      %\n" in text
    assert "Incorrectly Classified Instances         1               20      %\n" in text
    assert "UnClassified Instances                   1               20      %\n" in text
    assert "Mean absolute error                      0.275 \n" in text
    assert " 1 1 | a = no\n 0 2 | b = yes\n" in text


def test_fractional_weights_show_two_decimals() -> None:
    text = render_weka({"": labelled(ConfusionMatrix(np.array([[10.25, 0.5], [1.0, 4.0]]), ("a", "b")))})
    assert "  a     b      <-- classified as\n 10.25  0.5  |     a = a\n  1     4    |     b = b\n" in text


def test_more_classes_than_letters() -> None:
    names = tuple(f"c{k}" for k in range(30))
    text = render_weka({"": labelled(ConfusionMatrix(np.eye(30) * 4, names))})
    assert " |  a = c0\n" in text
    assert " | ab = c27\n" in text


def test_what_caret_prints() -> None:
    lines = render_caret({"": from_counts(tp=187, fn=25, fp=14, tn=343)}).splitlines()
    assert lines[2:6] == [
        "          Reference",
        "Prediction   1   0",
        "         1 187  14",
        "         0  25 343",
    ]
    assert "                 95% CI : (0.9075, 0.9508)   Clopper-Pearson" in lines
    assert "    No Information Rate : 0.6274" in lines
    assert " Mcnemar's Test P-Value : 0.1093   McNemar, continuity corrected" in lines
    assert "       'Positive' Class : 1" in lines
    assert "It compares the predictions with the true labels" in " ".join(lines)


def test_rows_may_be_the_truth_and_the_positive_class_last() -> None:
    ev = from_counts(tp=187, fn=25, fp=14, tn=343)
    lines = render_caret({"": ev}, layout="actual-rows", positive_first=False).splitlines()
    assert lines[2:6] == [
        "         Prediction",
        "Reference   0   1",
        "        0 343  14",
        "        1  25 187",
    ]


def test_caret_sets_classes_side_by_side_and_names_methods() -> None:
    lines = render_caret({"": labelled(IRIS)}).splitlines()
    assert lines[2:7] == [
        "            Reference",
        "Prediction   setosa versicolor virginica",
        "  setosa         49          0         0",
        "  versicolor      1         47         2",
        "  virginica       0          3        48",
    ]
    assert any(line.startswith("Sensitivity             0.9800 (") for line in lines)
    assert any(line.startswith("Intervals: Wilson (Sensitivity, ") for line in lines)


def test_caret_says_why_a_number_is_missing() -> None:
    never_b = ConfusionMatrix(np.array([[5, 0, 1], [2, 0, 2], [1, 0, 6]]), ("a", "b", "c"))
    text = render_caret({"": labelled(never_b)})
    assert " NA" in text
    assert "Not everywhere: " in text
    weighted = ConfusionMatrix.of(
        np.array([0, 1, 1]), np.array([0, 1, 0]), ("a", "b"), weight=np.array([1.5, 2.0, 0.5])
    )
    text = render_caret({"": labelled(weighted)})
    assert "NA   (the test counts cases, and these have weights)" in text
    assert "Clopper-Pearson" not in text


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("render", [render_weka, render_caret])
def test_no_name_becomes_more_than_a_name(render: Callable[..., str], name: str) -> None:
    text = render({name: scored(classes=("rest", name))})
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    text.encode()


@pytest.mark.parametrize("classes", [3, 30])
def test_caret_stays_within_a_terminal(classes: int) -> None:
    names = tuple(f"class number {k}" for k in range(classes))
    text = render_caret({"": labelled(ConfusionMatrix(np.eye(classes) * 20 + 1, names))})
    assert max(map(len, text.splitlines())) <= 100
