"""How near joint histograms come to the standard error of a difference of AUCs: `python -m benchmarks.joint`.

The bits of the joint cells are chosen by this table.
"""

from __future__ import annotations

import argparse

import numpy as np

from assay.comparison import error_within_cells, joint_areas, joint_auc
from assay.evidence import JointScores, ScoreGrid, ScoreTable, tied_cells
from assay.types import Floats

SHAPES = ("continuous", "saturated", "rare", "rounded", "clusters")


def drawn(shape: str, n: int) -> tuple[Floats, Floats, Floats]:
    """Classes and two classifiers' scores that go together."""
    rng = np.random.default_rng(0)
    truth = rng.random(n) < 0.2
    odds = rng.normal(size=n) + rng.normal(np.stack([1.5 * truth, 1.2 * truth]) - 1.5, 1)
    scale, shift = {"saturated": (6, 0), "rare": (1, -6)}.get(shape, (1, 0))
    chance = 1 / (1 + np.exp(-scale * odds - shift))
    if shape == "rounded":
        chance = chance.round(2)
    if shape == "clusters":
        chance = 0.3 + 0.4 * (odds > 0) + 1e-3 * chance
    return truth.astype(np.float64), chance[0], chance[1]


def rows(n: int) -> None:
    """Print a row for each shape and number of bits."""
    print("| scores | bits | pairs of cells | standard error off by | at most |\n|---|--:|--:|--:|--:|")
    for shape in SHAPES:
        truth, one, two = drawn(shape, n)
        exact = joint_auc(truth == 1, {"a": one, "b": two}).error(0, 1)
        tables = [ScoreTable.of(score, truth == 1) for score in (one, two)]
        for bits in (2, 3, 4, 5):
            grid = ScoreGrid("probability", bits)
            held = JointScores.of(one, two, truth == 1, (grid, grid))
            found = joint_areas(("a", "b"), tables, {(0, 1): held}).error(0, 1)
            most = error_within_cells(held, (tied_cells(tables[0], grid), tied_cells(tables[1], grid)))
            shares = f"{abs(found / exact - 1):.1e} | {most / exact:.1e}"
            print(f"| {shape} | {bits} | {len(held):,} | {shares} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=400_000)
    rows(parser.parse_args().cases)
