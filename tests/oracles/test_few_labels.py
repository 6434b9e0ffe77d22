"""Measures of 600 rows from 116 labels: arithmetic by loops, and samplics for the ratios of the labelled rows."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, leaves, value

from assay.labelling import Calls, LabelledRows
from assay.labelling.estimators import brier, log_loss, observed_over_expected, roc_auc, spread_of

CASE = "few_labels_poisson"
FOUND = leaves(CASE)
with (DATA / CASE / "predictions.csv").open(newline="") as lines:
    TABLE = list(csv.DictReader(lines))


def column(name: str) -> Any:
    return np.array([float(row[name]) if row[name] else np.nan for row in TABLE])


ROWS = LabelledRows(column("y_true"), column("pi"), column("score"), called=column("call") == 1, model=column("m"))
CALLS = Calls.of(ROWS)
RATES = ("precision", "recall", "specificity", "f1", "accuracy")
OURS = {
    "scores_used_counts/A": Ours(lambda: CALLS.called.positives),
    "scores_used_counts/B": Ours(lambda: CALLS.rest.positives),
    **{f"scores_used_rates/{name}": value(name, CALLS.matrix) for name in RATES},
    "scores_used_scores/roc_auc": Ours(lambda: roc_auc(ROWS).value),
    "scores_used_scores/brier": Ours(lambda: brier(ROWS).value),
    "scores_used_scores/log_loss": Ours(lambda: log_loss(ROWS).value),
    "scores_used_scores/observed_over_expected": Ours(lambda: observed_over_expected(ROWS).value),
    "brier_variances/V_design": Ours(lambda: spread_of(ROWS, brier(ROWS).slopes).by_design),
    "brier_variances/V_model": Ours(lambda: spread_of(ROWS, brier(ROWS).slopes).by_model),
    "brier_variances/nu": Ours(lambda: spread_of(ROWS, brier(ROWS).slopes).freedom),
}
LEFT_OUT = {
    "all_labels/*": "what labels of all rows would show, which the file does not hold: for orientation",
    "hajek_*": "ratios of the labelled rows alone, without the scores of the others: what these estimates improve on",
}


@pytest.mark.parametrize("leaf", FOUND, ids=lambda leaf: leaf.path)
def test_figures_by_loops(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_the_lists_hold_nothing_else() -> None:
    check_lists(FOUND, OURS, LEFT_OUT)
