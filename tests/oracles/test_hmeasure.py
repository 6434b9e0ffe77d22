"""R's hmeasure: H with several opinions about costs, the area under the hull, least error and loss."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves, value

from assay.costs import Costs
from assay.evidence import ScoreTable
from assay.measures import ks, registry
from assay.measures.decision import Severity, h_measure_with, hull_area, minimum_cost

CASE = "hmeasure_synthetic_breastcancer"
LEAVES = leaves(CASE)


def scores(file: str, column: str) -> ScoreTable:
    data = columns(CASE, file)
    return ScoreTable.of(data[column], data["y_true"] == 1)


A, B = scores("predictions.csv", "score_a"), scores("predictions.csv", "score_b")
CANCER = {name: scores("breast_cancer.csv", f"score_{name}") for name in ("lr", "nb", "tree")}
# Scores, severity ratio and threshold of each result.
RUNS: dict[str, tuple[ScoreTable, Severity, float]] = {
    "syn_a": (A, "prevalence", 0.5),
    "syn_b": (B, "prevalence", 0.5),
    "syn_a_sr1": (A, 1.0, 0.5),
    "syn_a_sr01": (A, 0.1, 0.5),
    "syn_b_thr03": (B, "prevalence", 0.3),
    **{f"bc_{name}": (table, "prevalence", 0.5) for name, table in CANCER.items()},
}


def least_loss(table: ScoreTable, severity: Severity) -> float:
    """Their loss is twice ours, with costs that sum to one."""
    odds = float(table.positives / table.negatives) if severity == "prevalence" else severity
    return 2 * float(minimum_cost(Costs(fp=odds / (1 + odds), fn=1 / (1 + odds)))(table))


def figures(table: ScoreTable, severity: Severity, threshold: float) -> dict[str, Ours]:
    # They call scores above the threshold positive, we those from it on; the next number makes it the same.
    above = float(table.score[table.score > threshold][0])
    matrix = table.at(above)
    rates = {"Sens": "recall", "Spec": "specificity", "Precision": "precision", "Recall": "recall", "TPR": "recall"}
    rates |= {"FPR": "fpr", "F": "f1", "Youden": "informedness", "ER": "error_rate"}
    return {
        "H": Ours(lambda: float(h_measure_with(severity)(table)), ("h_measure",)),
        "AUCH": Ours(lambda: float(hull_area(table)), ("hull_area",)),
        "MER": Ours(lambda: float(minimum_cost(Costs(fp=1, fn=1))(table)), ("minimum_cost",)),
        "MWL": Ours(lambda: least_loss(table, severity), ("minimum_cost",)),
        "KS": Ours(lambda: float(ks(table)), ("ks",)),
        "AUC": value("roc_auc", table),
        "Gini": value("gini", table),
        **{name: Ours(lambda ours=ours: float(registry[ours](matrix)), (ours,)) for name, ours in rates.items()},  # type: ignore[misc]
        **{cell: Ours(lambda cell=cell: float(getattr(matrix, cell.lower()))) for cell in ("TP", "FP", "TN", "FN")},  # type: ignore[misc]
    }


OURS = {f"{run}/{name}": ours for run, (t, s, cut) in RUNS.items() for name, ours in figures(t, s, cut).items()}
LEFT_OUT = {
    "*/Spec.Sens95": "specificity at a given recall belongs to the curves' bands",
    "*/Sens.Spec95": "recall at a given specificity belongs to the curves' bands",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_hmeasure(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
