"""caret's summaries of probabilities, its calibration bins and lift points, and the means of its resamples."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves, scores, value

from assay.calibration import equal_width
from assay.curves import lift_curve
from assay.experiments.estimates import FoldScores, fold_average
from assay.uncertainty import PROPORTION_METHODS

CASE = "caret_summaries_resamples"
LEAVES = leaves(CASE)
LR = scores(CASE, "score_lr")
DECIDED = LR.at(0.5)
BINS = equal_width(LR, 10, closed="right")
LIFT = lift_curve(LR).table().columns
HEAD = slice(0, 40)


def bars(side: int) -> list[float]:
    """caret's limits in per cent, by name; ours are Wilson's unless one asks."""
    exact = PROPORTION_METHODS["Clopper-Pearson"]
    return [100 * float(exact(part, n, 0.95)[side]) for part, n in zip(BINS.positive, BINS.total, strict=True)]


def lift_points(name: str) -> list[float]:
    true, false, unmoved, missed = (np.array(LIFT[cell][HEAD]) for cell in ("TP", "FP", "TN", "FN"))
    flagged, cases = true + false, true + false + unmoved + missed
    points: dict[str, Any] = {
        "cuts": LIFT["threshold"][HEAD],
        "events": true,
        "n": flagged,
        "Sn": true / (true + missed),
        "Sp": unmoved / (unmoved + false),
        "EventPct": 100 * true / flagged,
        "CumEventPct": 100 * true / (true + missed),
        "lift": LIFT["lift"][HEAD],
        "CumTestedPct": 100 * flagged / cases,
    }
    return list(points[name])


def mean_over_folds(name: str) -> float:
    values = columns(CASE, "folds.csv")[name]
    sizes = np.full(len(values), 512.1), np.full(len(values), 56.9)
    return fold_average(FoldScores(name, values, *sizes)).value


OURS = {
    "two_class/ROC": value("roc_auc", LR),
    "two_class/Sens": value("recall", DECIDED),
    "two_class/Spec": value("specificity", DECIDED),
    "pr_summary/Precision": value("precision", DECIDED),
    "pr_summary/Recall": value("recall", DECIDED),
    "pr_summary/F": value("f1", DECIDED),
    "mn_log_loss/logLoss": value("log_loss", LR),
    "default_summary/Accuracy": value("accuracy", DECIDED),
    "default_summary/Kappa": value("kappa", DECIDED),
    "calibration_bins/Percent": Ours(lambda: (100 * BINS.rate).tolist()),
    "calibration_bins/Lower": Ours(lambda: bars(0)),
    "calibration_bins/Upper": Ours(lambda: bars(1)),
    "calibration_bins/Count": Ours(lambda: BINS.positive.tolist()),
    "calibration_bins/midpoint": Ours(lambda: (10 * (BINS.place + 0.5)).tolist()),
    **{
        leaf.path: Ours(partial(lift_points, leaf.path.split("/")[1]))
        for leaf in LEAVES
        if leaf.path.startswith("lift_points_head/")
    },
    **{
        leaf.path: Ours(partial(mean_over_folds, leaf.path.split("/")[1]))
        for leaf in LEAVES
        if leaf.path.startswith("fold_accuracy_mean/")
    },
}
LEFT_OUT = {
    "pr_summary/AUC": "MLmetrics leaves out the area left of the first recall",
    "calibration_bins/bin": "words for the bins, whose middles are matched",
    "multi_class_wine_a/*": "matched in test_many_classes.py",
    "diff_*": "matched in test_weka_corrected_t.py",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_caret_summaries(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
