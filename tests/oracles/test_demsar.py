"""R's stats, scmamp and coin on Demsar's (2006) table of four trees over 14 data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, leaves

from assay.ranks import compare_pairs, nemenyi_difference, rank_algorithms
from assay.ranks.omnibus import friedman, friedman_aligned, iman_davenport, quade
from assay.ranks.posthoc import adjusted, sign_test, signed_ranks, wilcoxon
from assay.results import TestResult

CASE = "friedman_nemenyi_demsar2006"
RANKS = rank_algorithms(DATA / CASE / "scores.csv")
NAMES = list(RANKS.results.algorithms)
GAINS = RANKS.results.gains
C45, WITH_M = GAINS[:, 0], GAINS[:, 1]
# R's qtukey stops searching that far from the quantile; scipy's and ours agree to 1e-12.
SEARCHED = 5e-9
LEAVES = [
    replace(leaf, tolerance=SEARCHED) if leaf.path.startswith("nemenyi_cd") else leaf
    for leaf in leaves(CASE)
    if not leaf.path.endswith(("/estimate", "/conf_int", "/rows", "/cols"))
]


def figures_of(path: str, found: TestResult, freedom: Any = None) -> dict[str, Ours]:
    """An R test's statistic, degrees of freedom (the method names them) and p-value."""
    mine = {f"{path}/statistic": Ours(lambda: found.statistic), f"{path}/p_value": Ours(lambda: found.p_value)}
    if freedom is not None:
        mine[f"{path}/parameter"] = Ours(lambda: freedom)
        words = " and ".join(map(str, freedom)) if isinstance(freedom, list) else str(freedom)
        assert f"{words} df" in found.method
    return mine


def matrix_of(test: Any) -> list[list[float]]:
    """The p-values of all pairs as R lays them out."""
    found = np.full((4, 4), np.nan)
    for pair in compare_pairs(GAINS, NAMES, test=test, adjust="none").pairs:
        i, j = NAMES.index(pair.first), NAMES.index(pair.second)
        found[i, j] = found[j, i] = pair.p_value
    whole: list[list[float]] = found.tolist()
    return whole


def each(path: str, figures: Mapping[str, float]) -> dict[str, Ours]:
    """One figure for each algorithm."""
    return {f"{path}/{name}": Ours(partial(float, figure)) for name, figure in figures.items()}


def with_the_tie() -> Any:
    """The table as printed: on voting, two of the trees are tied."""
    tied = GAINS.copy()
    tied[RANKS.results.datasets.index("voting"), NAMES.index("C4.5+cf")] = 0.975
    return tied


def smaller_sum_with_zeros_split() -> float:
    """Demsar's T: zeros are ranked, and half of their ranks goes to either sum."""
    found = signed_ranks(WITH_M - C45, "pratt")
    return found.smaller + (len(GAINS) * (len(GAINS) + 1) / 2 - found.up - found.down) / 2


def z_of(zeros: Any) -> float:
    found = signed_ranks(WITH_M - C45, zeros)
    return (found.up - found.down) / math.sqrt(float((found.ranks**2).sum()))


CONTROL = {pair.second: pair for pair in RANKS.compare("ranks", control="C4.5").pairs}
NORMAL = wilcoxon(WITH_M, C45, method="normal")
CORRECTED = wilcoxon(WITH_M, C45, method="normal, continuity corrected")
PRATT = wilcoxon(WITH_M, C45, zeros="pratt", method="normal")
SIGNS = next(p for p in RANKS.compare("sign").pairs if (p.first, p.second) == ("C4.5", "C4.5+m"))

OURS = {
    **each("avg_ranks", RANKS.mean_ranks),
    **each("avg_ranks_with_tie", rank_algorithms(with_the_tie(), algorithms=NAMES).mean_ranks),
    **figures_of("friedman_scmamp", friedman(GAINS, tie_corrected=False), 3),
    **figures_of("friedman_R_tie_corrected", friedman(GAINS), 3),
    **figures_of("iman_davenport", iman_davenport(GAINS, tie_corrected=False), [3, 39]),
    **figures_of("quade_R", quade(GAINS), [3, 39]),
    **figures_of("friedman_aligned", friedman_aligned(GAINS), 3),
    **figures_of("wilcox_C45_C45m_R_zero_dropped", CORRECTED),
    **figures_of("wilcox_C45_C45m_R_nocc", NORMAL),
    "nemenyi_cd_05_demsar": Ours(lambda: nemenyi_difference(4, 14, 0.05)),
    "nemenyi_cd_10_demsar": Ours(lambda: nemenyi_difference(4, 14, 0.1)),
    "nemenyi_p_matrix/values": Ours(lambda: matrix_of("nemenyi")),
    "friedman_post_raw_z/values": Ours(lambda: matrix_of("ranks")),
    **each("post_control_C45_raw", {name: pair.p_value for name, pair in CONTROL.items()}),
    **each("post_control_C45_holm", {name: pair.adjusted for name, pair in CONTROL.items()}),
    "wilcox_scmamp_T": Ours(smaller_sum_with_zeros_split),
    "coin_wilcox_pratt/p": Ours(lambda: PRATT.p_value),
    "coin_wilcox_pratt/z": Ours(lambda: z_of("pratt")),
    "coin_wilcox_wilcoxon/p": Ours(lambda: NORMAL.p_value),
    "coin_wilcox_wilcoxon/z": Ours(lambda: z_of("drop")),
    "sign_test_wins_C45m/wins": Ours(lambda: SIGNS.losses),
    "sign_test_wins_C45m/losses": Ours(lambda: SIGNS.wins),
    "sign_test_wins_C45m/ties": Ours(lambda: SIGNS.ties),
    "sign_test_wins_C45m/p": Ours(lambda: sign_test(WITH_M, C45).p_value),
}
LEFT_OUT = {
    "nemenyi_cd_05_scmamp": "known defect: the studentized range at finite degrees of freedom",
    "wilcox_scmamp_one_sided_p": "its p-value is one-sided: half of what it is used for",
    "wilcox_C45_*/parameter": "a signed-rank test has no degrees of freedom",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_demsar(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_the_figures_quoted_from_the_paper() -> None:
    """As the case's notes quote Demsar (2006): 9.28, 3.69 and critical differences of 1.25 and 1.12."""
    assert friedman(GAINS, tie_corrected=False).statistic == pytest.approx(9.28, abs=0.005)
    assert iman_davenport(GAINS, tie_corrected=False).statistic == pytest.approx(3.69, abs=0.005)
    assert nemenyi_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert nemenyi_difference(4, 14, 0.1) == pytest.approx(1.12, abs=0.005)


def test_holm_by_hand() -> None:
    raw = np.array([CONTROL[name].p_value for name in NAMES[1:]])
    assert adjusted(raw, "holm").max() == pytest.approx(raw.max())
    assert float(-ndtri(raw.min() / 2)) == pytest.approx(abs(CONTROL["C4.5+m+cf"].statistic))
