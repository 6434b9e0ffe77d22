"""Every deliberate difference from other systems that docs/differences.md lists, shown; and no other."""

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
from assay.comparison import bowker, mcnemar
from assay.curves import vertical_average
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.report import render_weka
from assay.uncertainty import label_bias_test

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


RNG = np.random.default_rng(7)
TRUTH = RNG.random(120) < 0.3
FIRST, SECOND = (1 / (1 + np.exp(-RNG.normal(gap * TRUTH - 1, 1))) for gap in (2.0, 1.4))
PAIR = assay.compare(TRUTH, {"a": FIRST, "b": SECOND})
MANY = assay.evaluate(list("aabbccab"), y_pred=list("abbbccac"))


def test_d12_fowlkes_mallows_is_of_one_class() -> None:
    ev = assay.from_counts(tp=30, fn=10, fp=20, tn=40)
    truth, decided = [1] * 40 + [0] * 60, [1] * 30 + [0] * 10 + [1] * 20 + [0] * 40
    assert ev.estimate("fowlkes_mallows").value == pytest.approx(math.sqrt(30 / 40 * 30 / 50))
    assert sk.fowlkes_mallows_score(truth, decided) < ev.estimate("fowlkes_mallows").value - 0.05


def test_d13_the_interval_of_an_auc_cannot_leave_its_range() -> None:
    perfect = assay.evaluate([0] * 20 + [1] * 20, np.arange(40) / 40)
    assert perfect.roc_auc.low < 1  # pROC: [1, 1]
    plain, usual = PAIR.models["a"].estimate("roc_auc", method="delong"), PAIR.models["a"].estimate("roc_auc")
    assert plain.high - plain.value == pytest.approx(plain.value - plain.low)
    assert usual.high - usual.value < usual.value - usual.low


def test_d14_a_difference_of_aucs_is_held_against_t_where_proc_has_z() -> None:
    usual, named = (PAIR.difference("roc_auc", "a", "b", method=method) for method in (None, "delong"))
    assert named.freedom == math.inf
    assert named.p_value == pytest.approx(math.erfc(abs(named.statistic or 0.0) / math.sqrt(2)))
    assert usual.p_value > named.p_value
    assert usual.low < named.low
    two = assay.compare([0, 0, 1, 1], {"a": [0.1, 0.6, 0.5, 0.9], "b": [0.2, 0.3, 0.1, 0.8]})
    assert math.isnan(two.difference("roc_auc", "a", "b").low)
    assert math.isfinite(two.difference("roc_auc", "a", "b", method="delong").low)
    assert two.test("roc_auc", method="delong").caution


def test_d15_a_one_sided_p_value_stands_beside_a_one_sided_limit() -> None:
    one, two = (
        PAIR.difference("roc_auc", "a", "b", method="delong", alternative=side) for side in ("greater", "two-sided")
    )
    assert one.high == math.inf
    assert one.p_value == pytest.approx(two.p_value / 2)
    assert one.low > two.low  # pROC prints the two-sided one beside either


def test_d16_the_bootstraps_p_value_is_its_inverted_interval() -> None:
    usual, named = (PAIR.difference("roc_auc", "a", "b", method=m) for m in ("bootstrap", "bootstrap, normal"))
    assert usual.se == named.se
    assert (named.high + named.low) / 2 == pytest.approx(named.value)
    assert usual.p_value != named.p_value


def test_d17_obuchowskis_variance_has_both_classes_in_their_places() -> None:
    found = [PAIR.models["a"].estimate("roc_auc", method=method).se or 0.0 for method in ("obuchowski", "delong")]
    assert found[0] == pytest.approx(found[1], rel=0.15)


def test_d18_a_plan_is_for_a_difference_that_was_said_beforehand() -> None:
    with pytest.raises(TypeError, match="difference"):
        PAIR.tests.plan("roc_auc", "a", "b")  # type: ignore[call-arg]
    ours, theirs = (
        PAIR.tests.plan("roc_auc", "a", "b", difference=0.05, null_of_first=first) for first in (False, True)
    )
    assert ours.cases != theirs.cases


def test_d19_a_vertical_average_takes_the_upper_end_of_a_step() -> None:
    fold = ScoreTable.of([0.9, 0.8, 0.7, 0.1], [True, True, False, False])
    assert vertical_average([fold], points=3).recall[0] == 1.0
    rocr = np.mean([0.0, 0.5, 1.0])  # the points at a false-positive rate of 0
    assert rocr == 0.5


def test_d20_the_area_under_precision_recall_is_not_made_of_straight_lines() -> None:
    ev = PAIR.models["a"]
    precision, recall, _ = sk.precision_recall_curve(TRUTH, np.round(FIRST, 1))
    lines = sk.auc(recall, precision)
    tied = assay.evaluate(TRUTH, np.round(FIRST, 1))
    assert tied.estimate("average_precision").value == pytest.approx(
        sk.average_precision_score(TRUTH, np.round(FIRST, 1))
    )
    assert abs(tied.estimate("pr_area").value - lines) > 1e-3
    assert ev.estimate("pr_area").value != ev.estimate("average_precision").value


def test_d21_balanced_accuracy_of_many_classes_is_the_mean_recall() -> None:
    found = MANY.estimate("balanced_accuracy").value
    caret = (MANY.estimate("macro_recall").value + MANY.estimate("macro_specificity").value) / 2
    assert found == pytest.approx(sk.balanced_accuracy_score(list("aabbccab"), list("abbbccac")))
    assert caret > found


def test_d22_bowkers_test_leaves_out_what_was_never_exchanged() -> None:
    found = bowker(ConfusionMatrix(np.array([[20, 5, 0], [2, 30, 3], [0, 1, 15]])))
    assert found.statistic == pytest.approx(9 / 7 + 4 / 4)
    assert "2 degrees" in found.method


def test_d23_mcnemars_test_is_of_two_classifiers() -> None:
    matrix = ConfusionMatrix(np.array([[40, 10], [2, 48]]))
    caret = label_bias_test(matrix)
    assert caret.p_value == pytest.approx(mcnemar(10, 2, "corrected").p_value)
    assert PAIR.mcnemar("a", "b").null == "both classifiers have the same accuracy"


def test_d24_the_calibration_curve_is_a_spline_with_a_band() -> None:
    truth, p = RNG.random(400) < 0.4, RNG.random(400)
    found = assay.evaluate(truth, p).calibration
    assert np.isfinite(found.smooth.low).all()
    assert np.isnan(found.lowess.low).all()
    assert found.lowess.emax.value >= found.lowess.e90.value >= found.lowess.e50.value > 0


def test_d25_a_rate_that_is_0_over_0_is_undefined() -> None:
    ev = assay.evaluate([0, 0, 1, 1], y_pred=[0, 0, 0, 0], positive=1)
    assert undefined(ev.precision)
    old, new = (render_weka({"": ev}, version=version) for version in ("3.6", "3.8"))
    assert "?" not in old.split("=== Detailed")[1].splitlines()[4].split("0.5")[0]
    assert "?" in new


def test_d26_a_score_at_the_threshold_is_positive_and_the_last_threshold_is_infinite() -> None:
    ev = assay.evaluate([0, 1, 1, 0], [0.5, 0.7, 0.5, 0.2])
    assert ev.matrix is not None
    assert ev.matrix.counts.tolist() == [[1, 1], [0, 2]]
    assert math.isinf(ev.roc.table().columns["threshold"][0])


def test_d27_the_error_rate_is_no_cost() -> None:
    ev = assay.from_counts(tp=37, fn=48, fp=33, tn=168)
    text = render_weka({"": ev}, costs=[[0, 1], [4, 0]])
    assert ev.error_rate.value == pytest.approx(81 / 286)
    assert "Average Cost                             0.7867" in text


def test_d28_the_interval_of_a_share_is_not_walds() -> None:
    ev = assay.from_counts(tp=30, fn=10, fp=20, tn=40)
    wald, half = ev.estimate("recall", method="wald"), 1.959964 * math.sqrt(0.75 * 0.25 / 40)
    assert [wald.low, wald.high] == pytest.approx([0.75 - half, 0.75 + half])
    assert ev.recall.high < wald.high


def test_d29_the_interval_of_kappa_knows_the_whole_table() -> None:
    ev = assay.from_counts(tp=30, fn=10, fp=20, tn=40)
    agreed, by_chance = 0.7, 0.4 * 0.5 + 0.6 * 0.5
    simple = math.sqrt(agreed * (1 - agreed) / (100 * (1 - by_chance) ** 2))
    named = ev.estimate("kappa", method="fleiss-cohen-everitt")
    assert named.se != pytest.approx(simple, rel=1e-3)
    assert named.high - named.value == pytest.approx(1.959964 * (named.se or 0.0))
