"""The source documents on resampling: the t-test exercise, the bootstrap's share of cases, the 5 x 2 critical value."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists

from assay.experiments.algorithm_tests import corrected_t, five_by_two_f, paired_t
from assay.experiments.estimates import HELD, FoldScores
from assay.experiments.plans import bootstrap

EXAMPLES: dict[str, dict[str, Any]] = {
    example["id"]: example
    for example in json.loads((DATA / "seed_examples.json").read_text())["examples"]
    if example["id"].startswith(("ttest.", "boot.", "f5x2."))
}
LEAVES = [Leaf(e["id"], e["expected"], e["tolerance"], is_known_defect=False) for e in EXAMPLES.values()]
M1, M2 = (EXAMPLES["ttest.t"]["inputs"][name] for name in ("M1", "M2"))
EXERCISE = paired_t(M1, M2, level=0.99)


def nadeau_bengio() -> list[float]:
    sizes = np.full(10, 90.0), np.full(10, 10.0)
    found = corrected_t(FoldScores("error", np.array(M1), *sizes), FoldScores("error", np.array(M2), *sizes))
    return [found.test.statistic, found.test.p_value]


def critical_t() -> float:
    """Read back from an interval of ours: half of it over the standard error."""
    half = (EXERCISE.difference.high - EXERCISE.difference.low) / 2
    return half * EXERCISE.test.statistic / EXERCISE.difference.value


def critical_f() -> float:
    """The statistic at which our test's p-value is 5 %, differences of a fixed spread being moved."""
    spread = np.array([[0.01, -0.01]] * 5)

    def p_value(shift: float) -> float:
        return five_by_two_f(spread + shift).p_value

    return five_by_two_f(spread + brentq(lambda shift: p_value(shift) - 0.05, 0.0, 1.0, xtol=1e-14)).statistic


OURS = {
    "ttest.diffs": Ours(lambda: (np.array(M1) - np.array(M2)).tolist()),
    "ttest.mean": Ours(lambda: EXERCISE.difference.value),
    "ttest.sd": Ours(lambda: EXERCISE.difference.value / EXERCISE.test.statistic * np.sqrt(10)),
    "ttest.t": Ours(lambda: EXERCISE.test.statistic),
    "ttest.t_pop": Ours(lambda: paired_t(M1, M2, deviation="population").test.statistic),
    "ttest.crit": Ours(critical_t),
    "ttest.decision": Ours(lambda: EXERCISE.test.p_value < 0.01),
    "ttest.p": Ours(lambda: EXERCISE.test.p_value),
    "ttest.nadeau_bengio": Ours(nadeau_bengio),
    "f5x2.crit": Ours(critical_f),
    "boot.0632": Ours(lambda: HELD),
}
LEFT_OUT = {"boot.inclusion_finite": "a chance, met by the samples of the plan below"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_documents(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_so_many_cases_are_left_out(place: int) -> None:
    """Within four standard errors of (1 - 1/n)^n, over 200 samples."""
    example = EXAMPLES["boot.inclusion_finite"]
    n, chance = example["inputs"]["d"][place], example["expected"][place]
    shares = [len(split.test) / n for split in bootstrap(200).splits(np.arange(n) % 2)]
    assert np.mean(shares) == pytest.approx(chance, abs=4 * np.std(shares) / np.sqrt(200) + 0.001 * (n == 10))


def test_the_corrected_test_does_not_reject_where_the_plain_one_does() -> None:
    assert EXERCISE.test.p_value < 0.05 < nadeau_bengio()[1]
