"""The worked examples of the source documents, recomputed: `expected` counts, not what was `printed`."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from tests.oracles.foreign import DATA, Leaf, Ours, assert_same, check, check_lists, value

import assay
from assay.curves import roc
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import auc_grade, chance_matrix, f1, registry
from assay.uncertainty import AucMoments
from assay.uncertainty.delong import hanley_mcneil_variance

EXAMPLES: list[dict[str, Any]] = json.loads((DATA / "seed_examples.json").read_text())["examples"]
BY_ID = {example["id"]: example for example in EXAMPLES}
LEAVES = [Leaf(e["id"], e["expected"], e["tolerance"], is_known_defect=False) for e in EXAMPLES]


def matrix_of(inputs: dict[str, Any]) -> ConfusionMatrix:
    if "P" in inputs:
        p, n, fn, fp = (inputs[key] for key in ("P", "N", "FN", "FP"))
        return ConfusionMatrix.binary(tp=p - fn, fn=fn, fp=fp, tn=n - fp)
    return ConfusionMatrix.binary(**{cell: inputs[cell] for cell in ("tp", "fn", "fp", "tn")})


def one(name: str, measure: str) -> tuple[str, Ours]:
    return name, value(measure, matrix_of(BY_ID[name]["inputs"]))


def several(name: str, *measures: str, factor: float = 1.0) -> tuple[str, Ours]:
    matrix = matrix_of(BY_ID[name]["inputs"])
    return name, Ours(lambda: [factor * float(registry[measure](matrix)) for measure in measures], measures)


HAN, T72 = BY_ID["han_roc.table"]["inputs"], BY_ID["T7.2.cindex"]["inputs"]
HAN_TABLE = ScoreTable.of(HAN["score"], HAN["y"])
T72_TABLE = ScoreTable.of(T72["phi"], T72["d"])
BIFET = matrix_of(BY_ID["bifet.kappa"]["inputs"])
CANCER = matrix_of(BY_ID["cancer.det_auc"]["inputs"])


def han_rows() -> list[list[float]]:
    table = roc(HAN_TABLE).table().columns
    kept = ("threshold", "TP", "FP", "TN", "FN", "recall", "fpr")
    return [list(row) for row in zip(*(table[name] for name in kept), strict=True)][1:]


def weka_rows() -> list[list[float]]:
    matrix = ConfusionMatrix(np.array(BY_ID["weka.table"]["inputs"]["confusion_rows_actual_cols_pred"]))
    each = matrix.one_vs_rest()
    names = ("recall", "fpr", "precision", "recall", "f1")
    return np.stack([registry[name](each) for name in names], axis=-1).tolist()  # type: ignore[no-any-return]


def hanley_mcneil_error(name: str) -> Ours:
    inputs = BY_ID[name]["inputs"]
    return Ours(
        lambda: math.sqrt(hanley_mcneil_variance(inputs["auc"], inputs["n_pos"], inputs["n_neg"])), ("roc_auc",)
    )


def wald_quantile() -> float:
    """z read back from a Wald interval of ours, whose half-width is z times the standard error."""
    found = registry["accuracy"].estimate(ConfusionMatrix.binary(tp=50, fn=50, fp=0, tn=0), method="Wald")
    return (found.high - found.low) / 2 / math.sqrt(0.25 / 100)


def grades() -> list[list[str | float]]:
    """The bins, each holding its lower end and all up to the next; 1 belongs to the best."""
    ends = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    bins = [(low, high) for low, high in pairwise(ends) if auc_grade(low) == auc_grade(math.nextafter(high, 0))]
    return [[auc_grade(low), low, high] for low, high in reversed(bins)]


RATTLE = [name for name in BY_ID if name.startswith("rattle.q") and name != "rattle.q4.5.accuracy"]
OURS = dict(
    [
        one("sms.accuracy", "accuracy"),
        one("sms.error", "error_rate"),
        one("sms.sensitivity", "recall"),
        one("sms.specificity", "specificity"),
        one("sms.ppv", "precision"),
        one("sms.f1", "f1"),
        one("sms.recall", "recall"),
        one("sms.npv", "npv"),
        one("sms.kappa", "kappa"),
        one("sms.mcc", "mcc"),
        one("sms.balanced_accuracy", "balanced_accuracy"),
        one("sms.gmean", "g_mean"),
        several("sms.prose", "recall", "specificity", "fpr", factor=100),
        one("newborn.accuracy", "accuracy"),
        one("newborn.error", "error_rate"),
        several("newborn.undefined", "precision", "f1", "mcc", "kappa"),
        one("bifet.accuracy", "accuracy"),
        one("bifet.arith", "balanced_accuracy"),
        one("bifet.geom", "g_mean"),
        one("bifet.kappa", "kappa"),
        one("bifet.mcc", "mcc"),
        several("bifet.prf", "precision", "recall", "f1"),
        one("bifet.fpr", "fpr"),
        several("buys.metrics", "accuracy", "recall", "specificity", "precision", "f1"),
        one("cancer.accuracy", "accuracy"),
        one("cancer.acc_printed_b", "accuracy"),
        one("cancer.sens", "recall"),
        one("cancer.spec", "specificity"),
        one("cancer.prec", "precision"),
        one("cancer.f1", "f1"),
        several("cancer_yes", "precision", "recall", "f1", "accuracy", "specificity"),
        several("cancer_no", "precision", "recall", "f1", "accuracy"),
        one("cancer_no.accuracy_text", "accuracy"),
        several("cancer_yes.text", "accuracy", "specificity", "recall"),
        several("cancer_no_plus1", "precision", "recall", "f1"),
        *(several(name, "error_rate", "averaged_class_error", factor=100) for name in RATTLE),
    ]
)
OURS |= {
    "rattle.q4.5.accuracy": Ours(lambda: 100 * float(registry["accuracy"](matrix_of(BY_ID["rattle.q4.5"]["inputs"])))),
    "rattle.class_dist": value("prevalence", ConfusionMatrix.binary(tp=41, fn=0, fp=0, tn=215)),
    # The documents put the positive class first; ours stands last.
    "bifet.chance_matrix": Ours(lambda: chance_matrix(BIFET).counts[::-1, ::-1].tolist(), ("kappa",)),
    "bifet.p_chance": Ours(lambda: float(chance_matrix(BIFET).correct / BIFET.total), ("kappa",)),
    "cancer.det_auc": Ours(lambda: float(registry["balanced_accuracy"](CANCER)), ("balanced_accuracy",)),
    "auc.grades": Ours(grades),
    "f1.harmonic": Ours(lambda: float(f1(ConfusionMatrix.binary(tp=1, fn=1, fp=1, tn=0))), ("f1",)),
    "weka.table": Ours(weka_rows, ("recall",)),
    "wald.z": Ours(wald_quantile),
    "han_roc.table": Ours(han_rows),
    "han_roc.auc": value("roc_auc", HAN_TABLE),
    "han_roc.delong_var": Ours(lambda: AucMoments.of(HAN_TABLE).variance, ("roc_auc",)),
    "han_roc.hm_se": hanley_mcneil_error("han_roc.hm_se"),
    "han_roc.ap": value("average_precision", HAN_TABLE),
    "T7.2.cindex": value("roc_auc", T72_TABLE),
    "T7.2.brier": value("brier", T72_TABLE),
    "T7.2.delong_var": Ours(lambda: AucMoments.of(T72_TABLE).variance, ("roc_auc",)),
    "T7.2.hm_se": hanley_mcneil_error("T7.2.hm_se"),
}
CALIBRATION, COMPARISONS = (
    "matched in test_brier_parts.py; the tilt in test_corp.py",
    "matched in test_mcnemar.py, test_hanley_mcneil.py or test_boot.py",
)
LEFT_OUT = {
    "T7.2.points": CALIBRATION,
    "T7.2.calib_in_large": CALIBRATION,
    "T7.2.murphy*": CALIBRATION,
    "T7.2.yates": CALIBRATION,
    "T7.2.hosmer_lemeshow": CALIBRATION,
    "T7.2.spiegelhalter": CALIBRATION,
    "T7.2.linear_recalibration": CALIBRATION,
    "boot.*": "matched in test_seeds_resampling.py",
    "mcnemar.*": COMPARISONS,
    "f5x2.crit": "matched in test_seeds_resampling.py",
    "bdeltacost.order": COMPARISONS,
    "paired_diff.se": COMPARISONS,
    "nemenyi.*": COMPARISONS,
    "han_roc.hull": "matched in test_hull.py",
    "han_roc.nw": "matched in test_thresholds.py",
    "ttest.*": "matched in test_seeds_resampling.py",
    "rattle.auc": "not reproducible: the inputs are missing",
    "bagging_tradeoff": "not reproducible: the inputs are missing",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_textbook(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_pairs_of_the_c_index() -> None:
    assert T72_TABLE.pairs == (23, 0, 2)
    assert HAN_TABLE.pairs == (19, 0, 6)


def test_always_yes_and_always_no_have_reasons_for_what_is_undefined() -> None:
    always_yes = assay.from_counts(**{c: BY_ID["cancer_yes"]["inputs"][c] for c in ("tp", "fn", "fp", "tn")})
    always_no = assay.from_counts(**{c: BY_ID["cancer_no"]["inputs"][c] for c in ("tp", "fn", "fp", "tn")})
    assert always_yes.npv.undefined == "nothing was predicted negative"
    assert always_no.precision.undefined == "nothing was predicted positive"
    for ev in (always_yes, always_no):
        assert math.isnan(ev.mcc.value)
        assert ev.mcc.undefined
        assert ev.kappa.value == pytest.approx(0, abs=1e-12)


def test_the_ten_tuples_through_the_front_door() -> None:
    ev = assay.evaluate(HAN["y"], HAN["score"])
    assert_same(ev.roc_auc.value, BY_ID["han_roc.auc"]["expected"], 1e-9, "auc")
    assert_same(ev.average_precision.value, BY_ID["han_roc.ap"]["expected"], 1e-9, "ap")
    assert ev.roc.table().columns["threshold"][0] == math.inf


def test_the_error_rate_interval_of_the_slides_is_available_by_name() -> None:
    found = assay.from_counts(tp=154, fn=29, fp=5, tn=1202).estimate("error_rate", method="wald")
    p, n = 34 / 1390, 1390
    half = float(ndtri(0.975)) * math.sqrt(p * (1 - p) / n)
    assert_same([found.low, found.high], [p - half, p + half], 1e-12, "wald")
