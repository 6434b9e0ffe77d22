"""Hmisc, riskRegression and SpecsVerification on the same thousand synthetic scores."""

from __future__ import annotations

import math

import pytest
from tests.oracles.foreign import Leaf, Ours, by_row, check, check_lists, high, leaves, low, scores, value

from assay.evidence import ScoreTable
from assay.measures import registry
from assay.uncertainty import PROPORTION_METHODS, AucMoments, standard_error

HMISC, RISK, SPECS = "hmisc_concordance", "riskregression_score", "brier_decomposition"
LEAVES = {
    HMISC: leaves(HMISC),
    RISK: leaves(RISK, {"auc": by_row("model"), "brier": by_row("model")}),
    SPECS: leaves(SPECS),
}
A, B = (scores(HMISC, name) for name in ("score_a", "score_b"))
A_REPEATED, B_REPEATED = (scores(HMISC, name, repeated=1) for name in ("score_a", "score_b"))
Z = 1.959963984540054


def somers(path: str, table: ScoreTable) -> dict[str, Ours]:
    return {
        f"{path}/C": value("roc_auc", table),
        f"{path}/Dxy": value("gini", table),
        f"{path}/n": Ours(lambda: float(table.total)),
        f"{path}/Missing": Ours(lambda: 0),
    }


def censored(path: str, table: ScoreTable) -> dict[str, Ours]:
    """Hmisc counts each pair in both directions."""
    return {
        f"{path}/C Index": value("roc_auc", table),
        f"{path}/Dxy": value("gini", table),
        f"{path}/n": Ours(lambda: float(table.total)),
        f"{path}/Relevant Pairs": Ours(lambda: 2 * sum(table.pairs)),
        f"{path}/Concordant": Ours(lambda: 2 * table.pairs.concordant + table.pairs.tied),
    }


def binconf(name: str) -> Ours:
    counts = zip((0, 3, 15, 50, 100), (10, 10, 40, 100, 100), strict=True)
    return Ours(lambda: [[x / n, *PROPORTION_METHODS[name](x, n, 0.95)] for x, n in counts])


def auc_error(table: ScoreTable) -> Ours:
    return Ours(lambda: math.sqrt(AucMoments.of(table).variance), ("roc_auc",))


def influence_error(measure: str, table: ScoreTable) -> float:
    """The standard error behind an interval from an influence function."""
    parts = registry[measure].parts
    assert parts is not None
    return standard_error(table, *parts(table))


def normal_limit(measure: str, table: ScoreTable, sign: int) -> Ours:
    """riskRegression's limit: the normal quantile where ours is Student's."""
    return Ours(lambda: float(registry[measure](table)) + sign * Z * influence_error(measure, table), (measure,))


def risk(model: str, table: ScoreTable) -> dict[str, Ours]:
    return {
        f"auc/{model}/AUC": value("roc_auc", table),
        f"auc/{model}/se": auc_error(table),
        f"auc/{model}/lower": low("roc_auc", table, "DeLong"),
        f"auc/{model}/upper": high("roc_auc", table, "DeLong"),
        f"brier/{model}/Brier": value("brier", table),
        f"brier/{model}/IPA": value("brier_skill", table),
        f"brier/{model}/se": Ours(lambda: influence_error("brier", table), ("brier",)),
        f"brier/{model}/lower": normal_limit("brier", table, -1),
        f"brier/{model}/upper": normal_limit("brier", table, +1),
    }


BINCONF = "binconf_x_0_3_15_50_100_of_10_10_40_100_100"
OURS = {
    HMISC: {
        **somers("somers_a", A),
        **somers("somers_b", B),
        **somers("somers_a_weighted", A_REPEATED),
        **somers("somers_b_weighted", B_REPEATED),
        **somers("somers_b_replicated", B_REPEATED),
        **censored("rcorrcens_a", A),
        **censored("rcorrcens_b", B),
        f"{BINCONF}/wilson/values": binconf("Wilson"),
        f"{BINCONF}/exact/values": binconf("Clopper-Pearson"),
        f"{BINCONF}/asymptotic/values": binconf("Wald"),
        "rcorrp_a_b/C X1": value("roc_auc", A),
        "rcorrp_a_b/C X2": value("roc_auc", B),
        "rcorrp_a_b/Dxy X1": value("gini", A),
        "rcorrp_a_b/Dxy X2": value("gini", B),
        "rcorrp_a_b/n": Ours(lambda: float(A.total)),
        "rcorrp_a_b/Relevant Pairs": Ours(lambda: 2 * sum(A.pairs)),
    },
    RISK: {**risk("a", A), **risk("b", B)},
    SPECS: {
        "auc_a/auc": value("roc_auc", A),
        "auc_a/auc_sd": auc_error(A),
        "auc_b/auc": value("roc_auc", B),
        "auc_b/auc_sd": auc_error(B),
        "auc_diff_a_ref_b/auc": value("roc_auc", A),
        "auc_diff_a_ref_b/auc_sd": auc_error(A),
        "auc_diff_a_ref_b/auc_ref": value("roc_auc", B),
        "auc_diff_a_ref_b/auc_ref_sd": auc_error(B),
        "brier_skill_vs_climate/skillscore": value("brier_skill", A),
        "brier_skill_vs_climate/skillscore.sd": Ours(lambda: influence_error("brier_skill", A), ("brier_skill",)),
    },
}
PAIRED = "a paired comparison: matched in test_riskregression.py"
LEFT_OUT = {
    HMISC: {
        "rcorrcens_?/S.D.": "another U-statistic variance than DeLong's, not interchangeable (README row 5)",
        "rcorrcens_?/missing": "bookkeeping",
        "rcorrcens_?/uncensored": "bookkeeping of survival times",
        "rcorrcens_?/Uncertain": "bookkeeping of survival times",
        "rcorrp_a_b/Dxy": PAIRED,
        "rcorrp_a_b/S.D.": PAIRED,
        "rcorrp_a_b/x? more concordant": PAIRED,
        "rcorrp_a_b/missing": "bookkeeping",
        "rcorrp_a_b/un*": "bookkeeping of survival times",
        "rcorrp_a_b/Un*": "bookkeeping of survival times",
        "binconf*/rows": "bookkeeping",
        "binconf*/cols": "bookkeeping",
    },
    RISK: {
        "auc_contrasts/*": PAIRED,
        "brier_contrasts/*": PAIRED,
        "brier/Null model/*": "the constant probability is a baseline here, without an interval",
    },
    SPECS: {
        "a/*": "decomposition of the Brier score: matched in test_brier_parts.py",
        "b/*": "decomposition of the Brier score: matched in test_brier_parts.py",
        "?_bias_corrected/*": "decomposition of the Brier score: matched in test_brier_parts.py",
        "b_bins_5/*": "decomposition of the Brier score: matched in test_brier_parts.py",
        "reliability_b/*": "reliability diagram: matched in test_brier_parts.py",
        "auc_diff_a_ref_b/auc_diff*": PAIRED,
        "brier_diff/*": PAIRED,
    },
}
PAIRS = [(case, leaf) for case, found in LEAVES.items() for leaf in found]


@pytest.mark.parametrize(("case", "leaf"), PAIRS, ids=lambda part: getattr(part, "path", part))
def test_synthetic(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LEFT_OUT[case])


@pytest.mark.parametrize("case", LEAVES)
def test_lists_hold_nothing_stale(case: str) -> None:
    check_lists(LEAVES[case], OURS[case], LEFT_OUT[case])
