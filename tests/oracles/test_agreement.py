"""e1071, vcd, psych and irr on three ordered classes: kappas with their errors, Rand indices."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.evidence import ConfusionMatrix
from assay.measures import find_for_many
from assay.results import Estimate

CASE = "agreement_statistics"
LEAVES = leaves(CASE)
CLASSES = ("0", "1", "2")
TRUTH = columns(CASE)["y_true"].astype(np.int64)
A, B = (ConfusionMatrix.of(TRUTH, columns(CASE)[name].astype(np.int64), CLASSES) for name in ("pred_a", "pred_b"))
Z = 1.959963984540054


def value_of(measure: str, matrix: ConfusionMatrix) -> Ours:
    return Ours(lambda: float(find_for_many(measure)(matrix)), (measure,))


def fleiss(measure: str, matrix: ConfusionMatrix) -> Estimate:
    return find_for_many(measure).estimate(matrix, method="Fleiss-Cohen-Everitt")


def error_of(measure: str, matrix: ConfusionMatrix, power: int = 1) -> Ours:
    """The standard error read back from the interval it makes, or its square."""

    def compute() -> float:
        found = fleiss(measure, matrix)
        return float(((found.high - found.low) / (2 * Z)) ** power)

    return Ours(compute, (measure,))


def limits(*measures: str) -> Ours:
    def compute() -> list[list[float]]:
        return [[found.low, found.high] for found in (fleiss(measure, A) for measure in measures)]

    return Ours(compute, measures)


def class_agreement(path: str, matrix: ConfusionMatrix) -> dict[str, Ours]:
    names = {"diag": "accuracy", "kappa": "kappa", "rand": "rand_index", "crand": "adjusted_rand"}
    return {f"{path}/{key}": value_of(name, matrix) for key, name in names.items()}


def vcd(path: str, matrix: ConfusionMatrix, weighted: str) -> dict[str, Ours]:
    return {
        f"{path}/{row}/{column}": ours
        for row, name in (("unweighted", "kappa"), ("weighted", weighted))
        for column, ours in (("value", value_of(name, matrix)), ("ASE", error_of(name, matrix)))
    }


OURS = {
    **class_agreement("e1071_a", A),
    **class_agreement("e1071_b", B),
    **vcd("vcd_linear_a", A, "linear_kappa"),
    **vcd("vcd_quadratic_a", A, "quadratic_kappa"),
    **vcd("vcd_linear_b", B, "linear_kappa"),
    "vcd_confint_a/values": limits("kappa", "linear_kappa"),
    "psych_unweighted_a/kappa": value_of("kappa", A),
    "psych_unweighted_a/var_kappa": error_of("kappa", A, 2),
    "psych_unweighted_a/ci": Ours(lambda: [fleiss("kappa", A).low, fleiss("kappa", A).high], ("kappa",)),
    "psych_weighted_value_a": value_of("quadratic_kappa", A),
    "irr_unweighted_a/value": value_of("kappa", A),
    "irr_squared_a/value": value_of("quadratic_kappa", A),
    "irr_equal_a/value": value_of("linear_kappa", A),
}
NO_TEST = "a test of no agreement at all, with the error that holds under it: not offered"
LEFT_OUT = {
    "psych_weighted_var_a": "known defect: twice the variance that vcd and the delta method give",
    "vcd_confint_a/[rc]*s": "bookkeeping",
    "irr_*/[zp]": NO_TEST,
    "fleiss_three_raters/*": "agreement of three raters: predictions and truth are two",
    "cramers_v_a": "association in any direction, also of a classifier that is always wrong: not offered",
    "contingency_a": "association in any direction: not offered",
    "chisq_a": "association in any direction: not offered",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_agreement(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
