"""pROC's coordinates: the row of our curves at the threshold it chose."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves, scores

from assay.curves import Curve, against_threshold, roc, sweep
from assay.measures import find

THREE, DEGENERATE = "proc_breastcancer_three_models", "proc_degenerate"
LEAVES = {case: leaves(case) for case in (THREE, DEGENERATE)}
MODELS = {name: scores(THREE, f"score_{name}") for name in ("lr", "nb", "tree")}
EDGES = {name: scores(DEGENERATE, name) for name in ("perfect", "constant", "reversed", "onetie")}
COORDINATES = (
    "specificity",
    "sensitivity",
    "accuracy",
    "npv",
    "ppv",
    "fpr",
    "fdr",
    "tpr",
    "tnr",
    "fnr",
    "precision",
    "recall",
)
CELLS = {"tp": (1, 1), "fp": (0, 1), "tn": (0, 0), "fn": (1, 0)}


def youden_row(model: str) -> tuple[Curve, int]:
    """Our curve, and the point of it that pROC's best threshold stands on: the largest informedness."""
    curve = against_threshold("informedness")(MODELS[model])
    return curve, int(np.argmax(curve.y))


def coordinate(model: str, measure: str) -> Ours:
    def compute() -> list[float]:
        return [float(against_threshold(measure)(MODELS[model]).y[youden_row(model)[1]])]

    return Ours(compute, (find(measure).name,))


def count(model: str, cell: str) -> Ours:
    def compute() -> list[float]:
        curve, row = youden_row(model)
        return [float(curve.counts[row, *CELLS[cell]])]

    return Ours(compute)


def threshold(model: str) -> Ours:
    """pROC gives the middle between the score of the best point and the next lower one."""

    def compute() -> list[float]:
        curve, row = youden_row(model)
        return [float(curve.threshold[row : row + 2].mean())]

    return Ours(compute)


def youden(model: str) -> Ours:
    """pROC leaves out the - 1."""
    return Ours(lambda: [float(youden_row(model)[0].y.max()) + 1], ("informedness",))


def to_the_corner(model: str) -> Ours:
    def compute() -> list[float]:
        curve, row = sweep("fnr", "fpr")(MODELS[model]), youden_row(model)[1]
        return [float(curve.x[row] ** 2 + curve.y[row] ** 2)]

    return Ours(compute)


def area(table: str) -> Ours:
    curve = roc(EDGES[table])
    return Ours(lambda: float(np.trapezoid(curve.y, curve.x)))


BEST = ("lr", "tree")
OURS = {
    THREE: {
        **{f"best_youden_{m}/{name}": coordinate(m, name) for m in BEST for name in COORDINATES},
        **{f"best_youden_{m}/{cell}": count(m, cell) for m in BEST for cell in CELLS},
        **{f"best_youden_{m}/threshold": threshold(m) for m in BEST},
        **{f"best_youden_{m}/youden": youden(m) for m in BEST},
        **{f"best_youden_{m}/closest.topleft": to_the_corner(m) for m in BEST},
        "n_distinct_thresholds": Ours(lambda: [len(roc(table)) for table in MODELS.values()]),
    },
    DEGENERATE: {
        "perfect_auc": area("perfect"),
        "constant_auc": area("constant"),
        "reversed_auc_forced": area("reversed"),
        "onetie_auc": area("onetie"),
    },
}
NO_CURVE = "no curve: test_proc.py"
LEFT_OUT = {
    THREE: dict.fromkeys(("auc/*", "var/*", "ci_*", "pauc_*", "lr_*", "nb_*"), NO_CURVE),
    DEGENERATE: {
        "*_ci": NO_CURVE,
        "onetie_var": NO_CURVE,
        "reversed_auc_auto": "pROC flips the direction by itself; our curve stays below the diagonal",
    },
}
PAIRS = [(case, leaf) for case, found in LEAVES.items() for leaf in found]


@pytest.mark.parametrize(("case", "leaf"), PAIRS, ids=lambda part: getattr(part, "path", part))
def test_proc_coordinates(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LEFT_OUT[case])


@pytest.mark.parametrize("case", LEAVES)
def test_lists_hold_nothing_stale(case: str) -> None:
    check_lists(LEAVES[case], OURS[case], LEFT_OUT[case])


def test_a_constant_score_has_the_two_corners_only() -> None:
    curve = roc(EDGES["constant"])
    assert (curve.x.tolist(), curve.y.tolist()) == ([0, 1], [0, 1])
