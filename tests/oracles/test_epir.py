"""epiR's epi.tests: a diagnostic two by two table with intervals."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, by_row, check, check_lists, estimate, high, leaves, low, value

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
    "p.dntp": ("fdr", "Clopper-Pearson"),
    "p.dptn": ("false_omission_rate", "Clopper-Pearson"),
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


def youden(side: str) -> float:
    """epiR's convention: it adds the exact limits of two rates, which is no interval of their sum."""
    rates = (estimate(name, MATRIX, "Clopper-Pearson") for name in ("recall", "specificity"))
    return sum(float(getattr(rate, side)) for rate in rates) - 1


def not_called(side: str) -> float:
    return 1 - float(getattr(estimate("predicted_prevalence", MATRIX, "Clopper-Pearson"), side))


OURS |= {
    "detail/youden/est": value("informedness", MATRIX),
    "detail/youden/lower": Ours(lambda: youden("low")),
    "detail/youden/upper": Ours(lambda: youden("high")),
    # Number needed to diagnose: the inverse, its limits those of Youden's index exchanged.
    "detail/nndx/est": Ours(lambda: 1 / estimate("informedness", MATRIX).value, ("informedness",)),
    "detail/nndx/lower": Ours(lambda: 1 / youden("high")),
    "detail/nndx/upper": Ours(lambda: 1 / youden("low")),
    "detail/p.rout/est": Ours(lambda: not_called("value"), ("predicted_prevalence",)),
    "detail/p.rout/lower": Ours(lambda: not_called("high")),
    "detail/p.rout/upper": Ours(lambda: not_called("low")),
}
LEFT_OUT: dict[str, str] = {}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_epir(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_the_table_is_the_one_in_the_call() -> None:
    assert CELLS == {"tp": 187, "fp": 14, "fn": 25, "tn": 343}
