"""pROC's paired DeLong tests of three models, and SpecsVerification's difference of two."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.comparison import brier_losses, joint_auc, paired_loss_test

THREE, SPECS = "proc_breastcancer_three_models", "brier_decomposition"
LEAVES = {THREE: leaves(THREE), SPECS: leaves(SPECS)}
MODELS = ("lr", "nb", "tree")
ROWS, SYNTHETIC = columns(THREE), columns(SPECS)
JOINT = joint_auc(ROWS["y_true"] == 1, {name: ROWS[f"score_{name}"] for name in MODELS}, distribution="normal")
TWO = joint_auc(SYNTHETIC["y_true"] == 1, {name: SYNTHETIC[f"score_{name}"] for name in "ab"}, distribution="normal")


def pair(first: str, second: str) -> dict[str, Ours]:
    i, j = MODELS.index(first), MODELS.index(second)
    found, path = JOINT.difference(i, j), f"{first}_{second}"
    return {
        f"{path}/statistic": Ours(lambda: found.value / JOINT.error(i, j)),
        f"{path}/p_value": Ours(lambda: found.p_value),
        f"{path}/estimate": Ours(lambda: [float(JOINT.values[i]), float(JOINT.values[j])]),
        f"{path}/conf_int": Ours(lambda: [found.low, found.high]),
    }


def brier_difference() -> dict[str, Ours]:
    """The reference's score minus this one's, and a one-sided p-value."""
    losses = [brier_losses(SYNTHETIC[f"score_{name}"], SYNTHETIC["y_true"] == 1) for name in "ba"]
    found = paired_loss_test(*losses, distribution="normal")
    half = (found.high - found.low) / 2
    return {
        "brier_diff/score.diff": Ours(lambda: found.value),
        "brier_diff/score.diff.sd": Ours(lambda: half / 1.959963984540054),
        "brier_diff/p.value": Ours(lambda: found.p_value / 2),
        "brier_diff/L": Ours(lambda: found.low),
        "brier_diff/U": Ours(lambda: found.high),
    }


OURS = {
    THREE: {**pair("lr", "nb"), **pair("lr", "tree"), **pair("nb", "tree")},
    SPECS: {
        "auc_diff_a_ref_b/auc": Ours(lambda: float(TWO.values[0])),
        "auc_diff_a_ref_b/auc_sd": Ours(lambda: float(TWO.covariance[0, 0]) ** 0.5),
        "auc_diff_a_ref_b/auc_ref": Ours(lambda: float(TWO.values[1])),
        "auc_diff_a_ref_b/auc_ref_sd": Ours(lambda: float(TWO.covariance[1, 1]) ** 0.5),
        "auc_diff_a_ref_b/auc_diff": Ours(lambda: TWO.difference(0, 1).value),
        "auc_diff_a_ref_b/auc_diff_sd": Ours(lambda: TWO.error(0, 1)),
        **brier_difference(),
    },
}
ELSEWHERE = "one classifier by itself: matched in test_proc.py or test_synthetic.py"
LEFT_OUT = {
    THREE: {
        "*_*/parameter": "pROC leaves it empty for the normal distribution",
        "*_*/method": "pROC's words",
        "*_*/alternative": "pROC's words",
        "auc/*": ELSEWHERE,
        "var/*": ELSEWHERE,
        "ci_*": ELSEWHERE,
        "pauc_*": ELSEWHERE,
        "best_youden_*": ELSEWHERE,
        "n_distinct_thresholds": ELSEWHERE,
    },
    SPECS: {
        "a/*": "decompositions of one Brier score: calibration",
        "a_bias_corrected/*": "decompositions of one Brier score: calibration",
        "b/*": "decompositions of one Brier score: calibration",
        "b_bias_corrected/*": "decompositions of one Brier score: calibration",
        "b_bins_5/*": "decompositions of one Brier score: calibration",
        "reliability_b/*": "a reliability diagram: calibration",
        "auc_a/*": ELSEWHERE,
        "auc_b/*": ELSEWHERE,
        "brier_skill_vs_climate/*": ELSEWHERE,
    },
}
PAIRS = [(case, leaf) for case, found in LEAVES.items() for leaf in found]


@pytest.mark.parametrize(("case", "leaf"), PAIRS, ids=lambda part: getattr(part, "path", part))
def test_proc_paired(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LEFT_OUT[case])


@pytest.mark.parametrize("case", LEAVES)
def test_lists_hold_nothing_stale(case: str) -> None:
    check_lists(LEAVES[case], OURS[case], LEFT_OUT[case])


def test_the_joint_test_of_two_is_the_square_of_the_paired_one() -> None:
    z = TWO.difference(0, 1).value / TWO.error(0, 1)
    assert TWO.test().statistic == pytest.approx(z * z)
    assert TWO.test().p_value == pytest.approx(TWO.difference(0, 1).p_value)
