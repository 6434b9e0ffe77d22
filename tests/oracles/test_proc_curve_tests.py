"""pROC's tests of whole curves and of points at a fixed rate, and its ordinal multiclass AUC."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, columns, leaves
from tests.oracles.test_proc_areas import ELSEWHERE
from tests.oracles.weak import CASES, many, of, two

import assay
from assay.measures import ordinal_hand_till
from assay.results import TestResult

CASE = "proc_tests_bc_weak"
LEAVES = leaves(CASE)
COLUMNS = columns(CASE)
TRUTH = COLUMNS["y_true"].astype(int)
CMP = assay.compare(TRUTH, {model: COLUMNS[column] for model, column in CASES.items()}, positive=1)
with (DATA / CASE / "predictions.csv").open(newline="") as lines:
    SITE = np.array([row["site"] for row in csv.DictReader(lines)])
SAMPLES = assay.compare_unpaired(
    {
        "lr": assay.evaluate(TRUTH[SITE == "A"], COLUMNS["score_lr"][SITE == "A"], positive=1),
        "nb": assay.evaluate(TRUTH[SITE == "B"], COLUMNS["score_nb"][SITE == "B"], positive=1),
    }
)


def statistic(found: TestResult) -> Ours:
    return Ours(lambda: found.statistic)


def p_value(found: TestResult) -> Ours:
    return Ours(lambda: found.p_value)


# As many replicates as pROC drew: its tolerances are for two such runs.
PAIRED, WITH_TREE = (CMP.tests.venkatraman("lr", other, times=5000) for other in ("nb", "tree"))
UNPAIRED = SAMPLES.tests.venkatraman("lr", "nb", times=5000)
AT_SPECIFICITY = CMP.tests.sensitivities("lr", "nb", specificity=0.9, times=10_000)
ONE_SIDE = CMP.tests.sensitivities("lr", "nb", specificity=0.9, alternative="greater", times=10_000)
AT_SENSITIVITY = CMP.tests.specificities("lr", "nb", recall=0.9, times=10_000)
SEVERITY = columns(CASE, "multiclass.csv")
SCORE, CODE = SEVERITY["severity"], SEVERITY["y_true"].astype(int)


def pairs() -> list[float]:
    found = []
    for low, high in ((0, 1), (0, 2), (1, 2)):
        kept = (low == CODE) | (high == CODE)
        found.append(ordinal_hand_till(SCORE[kept], CODE[kept]).value)
    return found


OURS = {
    "venkatraman_paired.statistic": statistic(PAIRED),
    "venkatraman_paired.p_value": p_value(PAIRED),
    "venkatraman_paired_lr_tree.p_value": p_value(WITH_TREE),
    "venkatraman_unpaired.p_value": p_value(UNPAIRED),
    "at_specificity_0.9.statistic": statistic(AT_SPECIFICITY),
    "at_specificity_0.9.p_value": p_value(AT_SPECIFICITY),
    "at_specificity_0.9_greater.statistic": statistic(ONE_SIDE),
    "at_specificity_0.9_greater.p_value": p_value(ONE_SIDE),
    "at_sensitivity_0.9.statistic": statistic(AT_SENSITIVITY),
    "at_sensitivity_0.9.p_value": p_value(AT_SENSITIVITY),
    **{f"sens_at_spec/{model}": of(two(CASE, model), "recall(specificity=0.9)") for model in ("lr", "nb")},
    **{f"spec_at_sens/{model}": of(two(CASE, model), "specificity(recall=0.9)") for model in ("lr", "nb")},
    "multiclass_ordinal_severity/auc": Ours(lambda: ordinal_hand_till(SCORE, CODE).value),
    "multiclass_ordinal_severity/pairs": Ours(pairs),
    "multiclass_hand_till_lr": of(many(CASE, "lr", "multiclass.csv"), "hand_till"),
}
LEFT_OUT = {
    "venkatraman_paired_lr_tree.statistic": "ties are broken by the order of rows there; here they count by halves",
    "venkatraman_unpaired.statistic": "the share of positives is taken over twice the first sample there, below",
}
MATCHED = ("venkatraman", "at_s", "sens_at_spec", "spec_at_sens", "multiclass")
HERE = [leaf for leaf in LEAVES if leaf.path.startswith(MATCHED)]


@pytest.mark.parametrize("leaf", HERE, ids=lambda leaf: leaf.path)
def test_curve_tests(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(HERE, OURS, LEFT_OUT)


def test_the_rest_of_the_case_is_matched_with_the_areas() -> None:
    assert MATCHED == ELSEWHERE


def summed(share: float) -> float:
    """The area between two error curves by the trapezoid rule over their points, mixed with a share of positives.

    Of case k in the order of the scores, errors are the positives up to it and the negatives beyond (Venkatraman 2000).
    """
    curves = []
    for site, model in (("A", "score_lr"), ("B", "score_nb")):
        here = site == SITE
        is_positive = TRUTH[here][np.argsort(COLUMNS[model][here], kind="stable")] == 1
        hits, alarms = (np.cumsum(side) / side.sum() for side in (is_positive, ~is_positive))
        curves.append((share * hits + (1 - share) * alarms, share * hits + (1 - share) * (1 - alarms)))
    at = np.sort(np.concatenate([place for place, _ in curves]))
    gap = np.abs(np.subtract(*(np.interp(at, *curve, left=np.nan) for curve in curves)))
    return float(np.nansum((gap[1:] + gap[:-1]) * np.diff(at)) / 2)


def test_the_unpaired_statistic_mixes_the_classes_by_their_share_in_both_samples() -> None:
    """The mixing share is that of the positives in both samples together (Venkatraman 2000).

    pROC 1.18 divides the positives of both by twice the size of the first sample, which is the same only where the
    samples are equally large. With that share the trapezoid rule gives its figure, with the right one ours but for the
    gaps in which the curves cross, whose area the rule overstates.
    """
    theirs = next(leaf.expected for leaf in LEAVES if leaf.path == "venkatraman_unpaired.statistic")
    positives, cases, first = (TRUTH == 1).sum(), len(TRUTH), (SITE == "A").sum()
    assert first != cases - first
    assert summed(positives / (2 * first)) == pytest.approx(theirs, rel=1e-12)
    assert UNPAIRED.statistic == pytest.approx(summed(positives / cases), abs=5e-5)
    assert UNPAIRED.statistic < summed(positives / cases)
