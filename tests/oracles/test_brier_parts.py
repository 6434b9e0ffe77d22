"""SpecsVerification's and riskRegression's parts of the Brier score, and the thesis's ten cases."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, assert_same, by_row, check, check_lists, leaves, scores, value

from assay.calibration import (
    bias,
    brier_test,
    by_score,
    covariance_parts,
    equal_size,
    equal_width,
    hosmer_lemeshow,
    murphy_part_errors,
    murphy_parts,
)
from assay.evidence import ScoreTable

SPECS, RISK = "brier_decomposition", "riskregression_score"
A, B = (scores(SPECS, name) for name in ("score_a", "score_b"))
N = float(A.total)


def decomposition(table: ScoreTable, bins: int, *, corrected: bool) -> Ours:
    """The parts over their standard deviations, as printed; theirs divide by n where a standard error has n - 1."""

    def compute() -> list[list[float]]:
        groups = equal_width(table, bins)
        parts = murphy_parts(groups, corrected=corrected)
        errors = murphy_part_errors(groups, corrected=corrected)
        shrunk = math.sqrt((N - 1) / N)
        return [
            [parts.reliability, parts.resolution, parts.uncertainty],
            [shrunk * error for error in (errors.reliability, errors.resolution, errors.uncertainty)],
        ]

    return Ours(compute)


RELIABILITY = equal_width(B, 10)
OURS = {
    SPECS: {
        "a/values": decomposition(A, 10, corrected=False),
        "b/values": decomposition(B, 10, corrected=False),
        "a_bias_corrected/values": decomposition(A, 10, corrected=True),
        "b_bias_corrected/values": decomposition(B, 10, corrected=True),
        "b_bins_5/values": decomposition(B, 5, corrected=False),
        "reliability_b/p.avgs": Ours(lambda: RELIABILITY.mean.tolist()),
        "reliability_b/cond.probs": Ours(lambda: RELIABILITY.rate.tolist()),
    },
    RISK: {
        "brier/Null model/Brier": Ours(lambda: murphy_parts(equal_width(A, 10)).uncertainty),
        "brier/a/Brier": Ours(lambda: murphy_parts(by_score(A)).brier),
        "brier/b/Brier": Ours(lambda: covariance_parts(B).brier),
        "brier/a/IPA": value("brier_skill", A),
        "brier/b/IPA": value("brier_skill", B),
    },
}
ELSEWHERE = "matched in test_synthetic.py"
LEFT_OUT = {
    SPECS: {
        "*/rows": "bookkeeping",
        "*/cols": "bookkeeping",
        "auc*": ELSEWHERE,
        "brier_diff/*": "a paired comparison: with the comparisons",
        "brier_skill_vs_climate/*": ELSEWHERE,
    },
    RISK: {
        "auc*": ELSEWHERE,
        "brier_contrasts/*": "a paired comparison: with the comparisons",
        "brier/?/se": ELSEWHERE,
        "brier/?/lower": ELSEWHERE,
        "brier/?/upper": ELSEWHERE,
        "brier/Null model/se": "the constant probability is a baseline here, without an interval",
        "brier/Null model/lower": "the constant probability is a baseline here, without an interval",
        "brier/Null model/upper": "the constant probability is a baseline here, without an interval",
        "brier/Null model/IPA": "zero by definition",
    },
}
LEAVES = {SPECS: leaves(SPECS), RISK: leaves(RISK, {"auc": by_row("model"), "brier": by_row("model")})}
PAIRS = [(case, leaf) for case, found in LEAVES.items() for leaf in found]


@pytest.mark.parametrize(("case", "leaf"), PAIRS, ids=lambda part: getattr(part, "path", part))
def test_parts(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LEFT_OUT[case])


@pytest.mark.parametrize("case", LEAVES)
def test_lists_hold_nothing_stale(case: str) -> None:
    check_lists(LEAVES[case], OURS[case], LEFT_OUT[case])


EXAMPLES: list[dict[str, Any]] = json.loads((DATA / "seed_examples.json").read_text())["examples"]
THESIS = {e["id"]: e for e in EXAMPLES if e["id"].startswith("T7.2.")}
CASES = THESIS["T7.2.points"]["inputs"]
TABLE = ScoreTable.of(CASES["phi"], CASES["d"])
GROUPS = equal_size(TABLE, CASES["g"])


def thesis_parts() -> list[float]:
    parts = murphy_parts(GROUPS)
    between = [parts.uncertainty, parts.reliability, parts.resolution]
    return [*between, parts.within_variance, parts.within_covariance]


def thesis_exact_parts() -> list[float]:
    parts = murphy_parts(by_score(TABLE))
    return [parts.uncertainty, parts.reliability, parts.resolution]


def thesis_covariance_parts() -> list[float]:
    parts = covariance_parts(TABLE)
    return [parts.bias, parts.slope, parts.scatter, parts.minimum_variance, parts.uncertainty]


def thesis_hosmer_lemeshow() -> list[float]:
    fitted, fresh = (hosmer_lemeshow(GROUPS, fitted=on_training).test for on_training in (True, False))
    return [fresh.statistic, fitted.p_value, fresh.p_value]


def thesis_spiegelhalter() -> list[float]:
    test = brier_test(TABLE).test
    return [test.statistic, test.p_value]


THESIS_OURS = {
    "T7.2.points": lambda: [list(point) for point in zip(GROUPS.rate, GROUPS.mean, strict=True)],
    "T7.2.brier": lambda: brier_test(TABLE).brier,
    "T7.2.calib_in_large": lambda: bias(TABLE).value,
    "T7.2.murphy": thesis_parts,
    "T7.2.murphy_unique": thesis_exact_parts,
    "T7.2.yates": thesis_covariance_parts,
    "T7.2.hosmer_lemeshow": thesis_hosmer_lemeshow,
    "T7.2.spiegelhalter": thesis_spiegelhalter,
}


@pytest.mark.parametrize("name", THESIS_OURS)
def test_the_thesis_table(name: str) -> None:
    assert_same(THESIS_OURS[name](), THESIS[name]["expected"], THESIS[name]["tolerance"], name)


def test_the_thesis_table_sizes_and_its_warning() -> None:
    assert GROUPS.total.tolist() == CASES["group_sizes"]
    assert any("fewer than 5" in caution for caution in hosmer_lemeshow(GROUPS).cautions)
