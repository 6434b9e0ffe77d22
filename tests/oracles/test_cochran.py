"""coin and R's stats: Cochran's Q of three models, Stuart-Maxwell and Bowker on labels of three classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.comparison import bowker, cochran_q, stuart_maxwell
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import JointCorrectness, PairedDecisions
from assay.results import TestResult

CASE = "cochran_q_marginal_homogeneity"
LEAVES = leaves(CASE)
CANCER, WINE = columns(CASE), columns(CASE, "wine.csv")
RIGHT = np.stack([CANCER[f"pred_{name}"] == CANCER["y_true"] for name in ("lr", "nb", "tree")], axis=1)
TRUTH, A, B = (WINE[name].astype(np.int64) for name in ("y_true", "pred_a", "pred_b"))
CLASSES = ("0", "1", "2")
BOTH = PairedDecisions.of(TRUTH, A, B, CLASSES).labels()


def truth_against(decision: NDArray[np.int64]) -> ConfusionMatrix:
    return ConfusionMatrix.of(TRUTH, decision, CLASSES)


def both(path: str, test: Callable[[], TestResult]) -> dict[str, Ours]:
    return {f"{path}/statistic": Ours(lambda: test().statistic), f"{path}/p_value": Ours(lambda: test().p_value)}


OURS = {
    **both("cochran_q", lambda: cochran_q(JointCorrectness.of(RIGHT, ("lr", "nb", "tree")))),
    **both("stuart_maxwell_a_b", lambda: stuart_maxwell(BOTH)),
    **both("stuart_maxwell_pred_truth_a", lambda: stuart_maxwell(truth_against(A))),
    **both("bowker_a_b", lambda: bowker(BOTH)),
    **both("bowker_b_truth", lambda: bowker(truth_against(B))),
}
LEFT_OUT = {
    "cochran_q/df": "in the method's name",
    "bowker_*/parameter": "in the method's name",
    "bowker_*/estimate": "the other system gives none",
    "bowker_*/conf_int": "the other system gives none",
    "mantelhaen_*": "association of labels and truth by fold: no comparison of classifiers",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_cochran(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_degrees_of_freedom_are_named() -> None:
    assert cochran_q(JointCorrectness.of(RIGHT, ("lr", "nb", "tree"))).method == "chi-square, 2 degrees"
    assert bowker(BOTH).method == "chi-square, 3 degrees"
