"""epiR's epi.tests: a diagnostic two by two table with intervals."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import DATA, Leaf, by_row, check, check_lists, high, leaves, low, value

from assay.evidence import ConfusionMatrix

CASE = "epir_diagnostic_2x2"
LEAVES = leaves(CASE, {"detail": by_row("statistic")})
_lines = (DATA / CASE / "counts.csv").read_text().split()[1:]
CELLS = {cell: int(n) for cell, n in (line.split(",") for line in _lines)}
MATRIX = ConfusionMatrix.binary(**CELLS)

BY_NAME = {
    "ap": ("predicted_prevalence", "Clopper-Pearson"),
    "tp": ("prevalence", "Clopper-Pearson"),
    "se": ("recall", "Clopper-Pearson"),
    "sp": ("specificity", "Clopper-Pearson"),
    "diag.ac": ("accuracy", "Clopper-Pearson"),
    "diag.or": ("diagnostic_odds_ratio", "Woolf"),
    "pv.pos": ("precision", "Clopper-Pearson"),
    "pv.neg": ("npv", "Clopper-Pearson"),
    "lr.pos": ("likelihood_ratio_positive", "Simel"),
    "lr.neg": ("likelihood_ratio_negative", "Simel"),
    "p.rin": ("predicted_prevalence", "Clopper-Pearson"),
    "p.tpdn": ("fpr", "Clopper-Pearson"),
    "p.tndp": ("fnr", "Clopper-Pearson"),
}
OURS = {
    f"detail/{key}/{column}": ours
    for key, (measure, method) in BY_NAME.items()
    for column, ours in {
        "est": value(measure, MATRIX),
        "lower": low(measure, MATRIX, method),
        "upper": high(measure, MATRIX, method),
    }.items()
}
OURS["detail/youden/est"] = value("informedness", MATRIX)
LEFT_OUT = {
    "detail/youden/[lu]*er": "epiR adds the exact limits of two rates, which is no interval of their sum",
    "detail/nndx/*": "number needed to diagnose, 1 / informedness: not a measure here",
    "detail/p.rout/*": "1 - predicted prevalence: not a measure of its own here",
    "detail/p.dntp/*": "false discovery rate, 1 - precision: not a measure of its own here",
    "detail/p.dptn/*": "false omission rate, 1 - npv: not a measure of its own here",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_epir(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_the_table_is_the_one_in_the_call() -> None:
    assert CELLS == {"tp": 187, "fp": 14, "fn": 25, "tn": 343}
