"""yardstick and MLmetrics on weak models: areas by straight lines, and averages over three classes by name."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves
from tests.oracles.weak import many, of, two

CASE = "yardstick_mlmetrics_bc_weak"
LEAVES = leaves(CASE)
TWO = {model: two(CASE, model) for model in ("lr", "nb", "tree")}
MANY = {model: many(CASE, model, "multiclass.csv") for model in ("lr", "knn")}
OF_TWO = {
    "pr_auc": "pr_area_lines",
    "average_precision": "average_precision",
    "roc_auc": "roc_auc",
    "gain_capture": "gini",
    "mn_log_loss_binary": "log_loss",
}
OF_MANY = {
    "mn_log_loss_multi": "log_loss",
    "roc_auc_multi_hand_till": "hand_till",
    "roc_auc_multi_macro": "macro_roc_auc",
    "roc_auc_multi_macro_weighted": "weighted_roc_auc",
    "average_precision_multi_macro": "macro_average_precision",
    "accuracy_multi": "accuracy",
    "kap_multi": "kappa",
    "mcc_multi": "mcc",
    "f_meas_multi": "macro_f1",
    "precision_multi": "macro_precision",
    "recall_multi": "macro_recall",
    "sens_multi": "macro_sensitivity",
    "specificity_multi": "macro_specificity",
    "j_index_multi": "macro_youden",
    "ppv_multi": "macro_ppv",
    "npv_multi": "macro_npv",
    "detection_prevalence_multi": "macro_detection_prevalence",
    "f_meas_multi_micro": "micro_f1",
    "f_meas_multi_macro_weighted": "weighted_f1",
    "precision_multi_micro": "micro_precision",
    "precision_multi_macro_weighted": "weighted_precision",
    "recall_multi_micro": "micro_recall",
    "recall_multi_macro_weighted": "weighted_recall",
}


def mean_area(model: str) -> Ours:
    """Mean over the classes of the straight-line area of each against the rest."""
    ev = MANY[model]
    return Ours(lambda: sum(ev.against(name).estimate("pr_area_lines").value for name in ev.classes) / 3)


OURS = {
    **{
        leaf.path: of(TWO[leaf.path.split("/")[1]], OF_TWO[leaf.path.split("/")[0]])
        for leaf in LEAVES
        if leaf.path.split("/")[0] in OF_TWO
    },
    **{f"{theirs}/{model}": of(ev, ours) for theirs, ours in OF_MANY.items() for model, ev in MANY.items()},
    **{f"pr_auc_multi_macro/{model}": mean_area(model) for model in MANY},
    **{
        # yardstick's is the mean of each class's own: recall and specificity of one against the rest, halved.
        f"bal_accuracy_multi/{model}": Ours(lambda ev=ev: (ev.macro_recall.value + ev.macro_specificity.value) / 2)  # type: ignore[misc]
        for model, ev in MANY.items()
    },
    "mn_log_loss_multi_sum/lr": Ours(lambda: MANY["lr"].n * MANY["lr"].log_loss.value),
    "roc_aunu_aunp/aunu_lr": of(MANY["lr"], "aunu"),
    "roc_aunu_aunp/aunp_lr": of(MANY["lr"], "aunp"),
    "kap_multi_weighted/linear": of(MANY["lr"], "linear_kappa"),
    "kap_multi_weighted/quadratic": of(MANY["lr"], "quadratic_kappa"),
    "pr_curve_tree/recall": Ours(lambda: [0.0, *TWO["tree"].precision_recall.x]),
    "pr_curve_tree/precision": Ours(lambda: [1.0, *TWO["tree"].precision_recall.y]),
    "mlmetrics_logloss/lr": of(TWO["lr"], "log_loss"),
    "mlmetrics_logloss/multi_lr": of(MANY["lr"], "log_loss"),
    "mlmetrics_gini_ks/gini": of(TWO["lr"], "gini"),
    "mlmetrics_gini_ks/normalized_gini": of(TWO["lr"], "gini"),
    "mlmetrics_gini_ks/ks_stat": Ours(lambda: 100 * TWO["lr"].ks.value, ("ks",)),
}
LEFT_OUT = {
    "pr_curve_tree/threshold": "the distinct scores, from infinity down",
    "mlmetrics_prauc/*": "known defect: the area left of the first recall is lost",
    "mlmetrics_gini_ks/gain_auc": "the area under the cumulative gain curve: half of what gini says beside a constant",
    "mlmetrics_gini_ks/lift_auc": "an area under lifts that grows with the grid: no measure of a classifier",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_yardstick_weak(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
