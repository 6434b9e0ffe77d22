"""ResourceSelection's Hosmer-Lemeshow test: groups between quantiles, two degrees fewer than groups."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves, scores

from assay.calibration import HosmerLemeshow, cut_at, hosmer_lemeshow, quantile_cuts

CASE = "hosmer_lemeshow"
LEAVES = leaves(CASE)


def found(column: str, groups: int) -> HosmerLemeshow:
    table = scores(CASE, column)
    return hosmer_lemeshow(cut_at(table, quantile_cuts(table, groups)), fitted=True)


def both_sides(result: HosmerLemeshow, column: str) -> list[list[float]]:
    columns = result.table.columns
    return [[n - part, part] for n, part in zip(columns["cases"], columns[column], strict=True)]


def ours(path: str, column: str, groups: int) -> dict[str, Ours]:
    result = found(column, groups)
    return {
        f"{path}/chisq": Ours(lambda: result.test.statistic),
        f"{path}/df": Ours(lambda: result.freedom),
        f"{path}/p": Ours(lambda: result.test.p_value),
        f"{path}/observed/values": Ours(lambda: both_sides(result, "observed")),
        f"{path}/expected/values": Ours(lambda: both_sides(result, "expected")),
    }


OURS = {**ours("a_g10", "score_a", 10), **ours("a_g5", "score_a", 5), **ours("b_g10", "score_b", 10)}
LEFT_OUT = {"*/rows": "labels of the groups", "*/cols": "labels of the columns"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_hosmer_lemeshow(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_fewer_groups_than_asked_are_said() -> None:
    """Ten quantiles of two-decimal scores make nine groups; the cuts that fell together are no group at all."""
    assert len(quantile_cuts(scores(CASE, "score_b"), 10)) == 8
