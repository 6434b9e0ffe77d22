"""Every deliberate difference from scikit-learn that docs/differences.md lists, shown; and no other."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.exceptions import UndefinedMetricWarning

import assay

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
LISTED = re.findall(r"^## (D\d+) ", PAGE.read_text(), flags=re.MULTILINE)


def undefined(estimate: Any) -> bool:
    return math.isnan(estimate.value) and bool(estimate.undefined)


def test_the_page_and_these_tests_list_the_same_differences() -> None:
    shown = [name for name in globals() if re.match(r"test_d\d+_", name)]
    assert [name.split("_")[1].upper() for name in shown] == LISTED


def test_d1_undefined_ratios_are_nan_with_a_reason() -> None:
    truth, decision = [0, 0, 1, 1], [0, 0, 0, 0]
    with pytest.warns(UndefinedMetricWarning):
        assert sk.precision_score(truth, decision) == 0.0
    ev = assay.evaluate(truth, y_pred=decision, positive=1)
    assert undefined(ev.precision)
    assert undefined(assay.evaluate([0, 0, 1], y_pred=[1, 1, 1], positive=1).npv)


def test_d2_f1_is_zero_only_when_it_is_zero() -> None:
    with pytest.warns(UndefinedMetricWarning):
        assert sk.f1_score([0, 0], [0, 0]) == 0.0
    assert undefined(assay.from_counts(tp=0, fn=0, fp=0, tn=2).f1)
    assert sk.f1_score([1, 0], [0, 0]) == assay.from_counts(tp=0, fn=1, fp=0, tn=1).f1.value == 0.0


def test_d3_matthews_correlation_of_a_constant_is_undefined() -> None:
    truth, decision = [0, 0, 1, 1], [0, 0, 0, 0]
    assert sk.matthews_corrcoef(truth, decision) == 0.0
    assert undefined(assay.evaluate(truth, y_pred=decision, positive=1).mcc)


def test_d4_balanced_accuracy_does_not_forget_a_class() -> None:
    with pytest.warns(UserWarning, match="not in y_true"):
        assert sk.balanced_accuracy_score([1, 1], [1, 0]) == 0.5
    ev = assay.from_counts(tp=1, fn=1, fp=0, tn=0)
    assert undefined(ev.balanced_accuracy)
    assert undefined(ev.informedness)


def test_d5_one_class_has_no_auc_and_no_average_precision_but_everything_else() -> None:
    truth, score = [0, 0, 0], [0.1, 0.2, 0.3]
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(sk.roc_auc_score(truth, score))
    with pytest.warns(UserWarning, match="No positive class"):
        assert sk.average_precision_score(truth, score) == 0.0
    ev = assay.evaluate(truth, score)
    assert undefined(ev.roc_auc)
    assert undefined(ev.average_precision)
    assert ev.brier.value == pytest.approx(0.14 / 3)


def test_d6_log_loss_counts_what_it_clips_and_then_has_no_interval() -> None:
    truth, score = [0, 1, 1, 0], [0.2, 0.0, 0.8, 0.3]
    ev = assay.evaluate(truth, score)
    assert ev.log_loss.value == pytest.approx(sk.log_loss(truth, score), rel=1e-9)
    assert math.isnan(ev.log_loss.low)
    assert "1 case" in str(ev.log_loss.undefined)
    assert "A202" in [caution.code for caution in ev.cautions]


def test_d7_a_score_at_the_threshold_is_positive() -> None:
    ev = assay.evaluate([0, 1], [0.5, 0.7])
    assert ev.matrix is not None
    assert ev.matrix.counts.tolist() == [[0, 1], [0, 1]]
    rounded = np.round([0.5, 0.7])  # the usual idiom before sklearn.metrics: half goes to the even number, 0
    assert sk.confusion_matrix([0, 1], rounded).tolist() == [[1, 0], [0, 1]]


def test_d8_a_label_truth_never_holds_is_no_class() -> None:
    truth, decision = ["a", "b", "b", "a"], ["a", "b", "c", "a"]
    ev = assay.evaluate(truth, y_pred=decision, positive="b")
    assert sk.confusion_matrix(truth, decision).shape == (3, 3)
    assert ev.matrix is not None
    assert ev.matrix.counts.shape == (2, 3)
    assert ev.accuracy.value == sk.accuracy_score(truth, decision) == 0.75
    assert "A105" in [caution.code for caution in ev.cautions]


def test_d9_infinite_ratios_are_infinite_with_a_lower_limit() -> None:
    truth, decision = [0, 0, 1, 1] * 8, [0, 0, 1, 1] * 8
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(sk.class_likelihood_ratios(truth, decision)[0])
    ratio = assay.evaluate(truth, y_pred=decision, positive=1).likelihood_ratio_positive
    assert (ratio.value, ratio.high) == (math.inf, math.inf)
    assert 1 < ratio.low < 10
    assert ratio.to_dict()["high"] == "Infinity"


def test_d10_skill_is_measured_against_the_prevalence_of_both_classes() -> None:
    truth, score = [1, 1], [0.9, 0.8]
    assert undefined(assay.evaluate(truth, score, positive=1).brier_skill)
    assert undefined(assay.evaluate(truth, score, positive=1).log_loss_skill)


def test_d11_kappa_of_one_and_the_same_class_is_undefined() -> None:
    with pytest.warns(UserWarning, match="label|undefined|kappa"):
        assert math.isnan(sk.cohen_kappa_score([1, 1], [1, 1]))
    assert undefined(assay.from_counts(tp=2, fn=0, fp=0, tn=0).kappa)
