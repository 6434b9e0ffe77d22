"""Several classifiers of the same cases as sums: any split and order gives the same, and a file holds all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.comparison import Rows, error_within_cells, joint_areas, joint_auc
from assay.errors import InputError
from assay.evidence import JointLosses, JointScores, ScoreGrid, ScoreTable, tied_cells
from assay.sources import evidence_bytes, evidence_file

SHAPES = ("continuous", "rounded", "few", "saturated", "clusters")


def pairs_of(seed: int, n: int, shape: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes and two classifiers' scores that go together."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    truth[:2] = False, True
    shared = rng.normal(truth * 1.5 - 0.7, 1)
    both = shared + rng.normal(0, 0.7, (2, n))
    chance = 1 / (1 + np.exp(-both))
    turned = {
        "continuous": chance,
        "rounded": chance.round(2),
        "few": (4 * chance).round() / 4,
        "saturated": np.clip(1.6 * chance - 0.3, 0, 1),
        "clusters": 0.3 + 0.4 * (chance > 0.5) + 1e-4 * chance,
    }
    return truth, *turned[shape]


cut_places = st.lists(st.integers(0, 120), max_size=4).map(sorted)


@given(st.integers(0, 99), st.sampled_from(SHAPES), cut_places, st.booleans())
@settings(max_examples=50, deadline=None)
def test_any_split_and_order_gives_the_same_sums(seed: int, shape: str, cuts: list[int], weighted: bool) -> None:
    truth, one, two = pairs_of(seed, 120, shape)
    rng = np.random.default_rng(seed)
    # Weights in eighths add without rounding.
    weight = rng.integers(1, 20, 120) / 8 if weighted else None

    def of(rows: Any) -> tuple[JointScores, JointLosses]:
        w = None if weight is None else weight[rows]
        return (
            JointScores.of(one[rows], two[rows], truth[rows], weight=w),
            JointLosses.of((np.stack([one, two]) - truth)[:, rows] ** 2, ("a", "b"), weight=w),
        )

    whole, parts = of(np.arange(120)), [of(rows) for rows in np.split(rng.permutation(120), cuts) if len(rows)]
    for place in (0, 1):
        forth: Any = parts[0][place]
        back: Any = parts[-1][place]
        for part in parts[1:]:
            forth = forth + part[place]
        for part in parts[-2::-1]:
            back = part[place] + back
        assert forth == whole[place] == back
        kind = type(forth)
        assert kind.from_arrays(forth.to_arrays()) == forth
    assert whole[0].turned == JointScores.of(two, one, truth, weight=weight)
    assert whole[0] != of(np.arange(119))[0]


@given(st.integers(0, 400), st.sampled_from(SHAPES), st.sampled_from([0, 1, 4]), st.integers(20, 150))
@settings(max_examples=80, deadline=None)
def test_the_standard_error_is_off_by_no_more_than_its_bound(seed: int, shape: str, bits: int, n: int) -> None:
    truth, one, two = pairs_of(seed, n, shape)
    truth[:4] = False, False, True, True
    grid = ScoreGrid("probability", bits)
    held = JointScores.of(one, two, truth, (grid, grid))
    exact = joint_auc(truth, {"a": one, "b": two}).error(0, 1)
    tables = [ScoreTable.of(score, truth) for score in (one, two)]
    found = joint_areas(("a", "b"), tables, {(0, 1): held})
    none = np.zeros(0, dtype=np.int64)
    assert abs(found.error(0, 1) - exact) <= error_within_cells(held, (none, none)) + 1e-12
    ties = (tied_cells(tables[0], grid), tied_cells(tables[1], grid))
    assert abs(found.error(0, 1) - exact) <= error_within_cells(held, ties) + 1e-12


@given(st.integers(0, 200), st.sampled_from(SHAPES))
@settings(max_examples=30, deadline=None)
def test_the_bound_holds_with_weights_too(seed: int, shape: str) -> None:
    truth, one, two = pairs_of(seed, 80, shape)
    truth[:4] = False, False, True, True
    weight = np.random.default_rng(seed).uniform(0.2, 5, 80)
    held = JointScores.of(one, two, truth, (ScoreGrid("probability", 1),) * 2, weight=weight)
    exact = joint_auc(Rows(truth, weight), {"a": one, "b": two}).error(0, 1)
    tables = [ScoreTable.of(score, truth, weight=weight) for score in (one, two)]
    none = np.zeros(0, dtype=np.int64)
    found = joint_areas(("a", "b"), tables, {(0, 1): held})
    assert abs(found.error(0, 1) - exact) <= error_within_cells(held, (none, none)) + 1e-12


def test_the_usual_cells_give_the_standard_error_to_four_digits() -> None:
    truth, one, two = pairs_of(1, 40_000, "continuous")
    held = JointScores.of(one, two, truth)
    tables = [ScoreTable.of(score, truth) for score in (one, two)]
    found = joint_areas(("a", "b"), tables, {(0, 1): held})
    assert found.error(0, 1) == pytest.approx(joint_auc(truth, {"a": one, "b": two}).error(0, 1), rel=3e-4)
    assert found.values == pytest.approx(joint_auc(truth, {"a": one, "b": two}).values, rel=1e-12)


def test_grids_and_models_that_differ_do_not_add() -> None:
    one = JointScores.of([0.2], [0.3], [True])
    with pytest.raises(InputError, match="the scores are on different grids"):
        one + JointScores.of([0.2], [0.3], [True], (ScoreGrid("real", 4),) * 2)
    with pytest.raises(InputError, match="a grid of 17 bits; needed: at most 16 bits"):
        JointScores.of([0.2], [0.3], [True], (ScoreGrid("real", 17),) * 2)
    with pytest.raises(InputError, match="the classifiers differ"):
        JointLosses.of([[0.1]], ("a",)) + JointLosses.of([[0.1]], ("b",))


@pytest.mark.parametrize("kind", ["probability", "real"])
def test_a_file_holds_all_of_it(kind: str, tmp_path: Path) -> None:
    truth, one, two = pairs_of(0, 200, "rounded")
    scores = {"a": one, "b": two} if kind == "probability" else {"a": 9 * one - 5, "b": -two}
    weight = np.random.default_rng(0).random(200) + 0.1
    for given_weight in (None, weight):
        (part,) = assay.reduce(truth.astype(int), scores, weight=given_weight).parts
        assert part.together is not None
        assert part.together.scores[0, 1].is_weighted == (given_weight is not None)
        path = tmp_path / f"{given_weight is None}.evidence"
        path.write_bytes(evidence_bytes([part]))
        read = evidence_file(path)
        assert read is not None
        (again,), _ = read
        assert again.together == part.together
        assert replace(again, name="") == part


def test_cells_too_small_to_be_shown_leave_no_pairs_of_cells() -> None:
    truth, one, two = pairs_of(0, 200, "continuous")
    found = assay.reduce(truth.astype(int), {"a": one, "b": two}, least=5)
    with pytest.raises(
        InputError, match="lacks the joint predictions of its models; needed: models reduced together, without least"
    ):
        assay.compare(found)
