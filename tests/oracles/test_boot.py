"""R's boot: limits from the 999 replicates that R drew, to the last digit."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from scipy.special import ndtri
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, columns, leaves

from assay.uncertainty import percentile_limits as limits

CASE = "boot_ci_methods"
LEAVES = leaves(CASE)
ROWS, REPLICATES = columns(CASE), columns(CASE, "replicates.csv")


def right(model: str) -> Any:
    return (ROWS[f"pred_{model}"] == ROWS["y_true"]).astype(float)


OBSERVED = {"acc_lr": float(right("lr").mean()), "diff_lr_nb": float((right("lr") - right("nb")).mean())}
ACCELERATION = {leaf.path.split("/")[0]: leaf.expected for leaf in LEAVES if leaf.path.endswith("/bca_a")}


def record(name: str) -> dict[str, Ours]:
    drawn, value = REPLICATES[name], OBSERVED[name]

    def interval(kind: str) -> Ours:
        return Ours(lambda: list(limits(drawn, value, 0.95, kind, ACCELERATION[name])))  # type: ignore[arg-type]

    return {
        f"{name}/t0": Ours(lambda: value),
        f"{name}/bias": Ours(lambda: float(drawn.mean()) - value),
        f"{name}/se": Ours(lambda: float(drawn.std(ddof=1))),
        f"{name}/bca_z0": Ours(lambda: float(ndtri((drawn < value).mean()))),
        **{f"{name}/{kind}": interval(kind) for kind in ("normal", "basic", "percentile", "bca")},
    }


OURS = {**record("acc_lr"), **record("diff_lr_nb")}
LEFT_OUT = {"*/bca_a": "R's regression estimate of the acceleration: taken from it, so that the limits can be compared"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_boot(leaf: Leaf) -> None:
    # The case allows .002 for other replicates; these are the same, so only the spelling of a tie may differ.
    check(Leaf(leaf.path, leaf.expected, 1e-9, leaf.is_known_defect), OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_all_replicates_are_there() -> None:
    with (DATA / CASE / "replicates.csv").open(newline="") as lines:
        assert sum(1 for _ in csv.DictReader(lines)) == 999
