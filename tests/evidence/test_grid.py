"""The shared grid: every score in one cell, cells in the order of scores, coarser ones made of finer ones."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.grid import HIGHEST, LOWEST, ScoreGrid

PROBABILITIES = st.one_of(
    st.floats(0, 1),
    st.floats(0, 1).map(lambda x: 1 - x),
    st.integers(0, 60).map(lambda k: 2.0**-k),
    st.integers(1, 60).map(lambda k: 1 - 2.0**-k),
)
REALS = st.floats(-1e100, 1e100).map(lambda x: x + 0.0)


@pytest.mark.parametrize("bits", [0, 3, 16, 24])
@pytest.mark.parametrize("kind", ["probability", "real"])
@given(st.data())
def test_a_score_lies_in_its_cell_and_cells_in_order(
    kind: Literal["probability", "real"], bits: int, data: st.DataObject
) -> None:
    grid, values = ScoreGrid(kind, bits), PROBABILITIES if kind == "probability" else REALS
    score = np.unique(data.draw(st.lists(values, min_size=1, max_size=30))) + 0.0
    cells = grid.cells(score)
    low, high = grid.edges(cells)
    assert ((low < score) | (low == score)).all()
    assert ((score < high) | ((low == high) & (score == low))).all()
    assert (np.diff(cells) >= 0).all()
    # Another cell begins where this one ends.
    assert (high[:-1] <= low[1:])[np.diff(cells) > 0].all()
    # An edge belongs to the cell that it begins.
    assert (grid.cells(low)[(low != 0) | (score == 0)] == cells[(low != 0) | (score == 0)]).all()


@pytest.mark.parametrize("kind", ["probability", "real"])
@given(st.data())
def test_cells_of_a_coarser_grid_are_made_of_these(kind: Literal["probability", "real"], data: st.DataObject) -> None:
    fine, coarse = ScoreGrid(kind, 20), ScoreGrid(kind, 5)
    values = PROBABILITIES if kind == "probability" else REALS
    score = np.array(data.draw(st.lists(values, min_size=1, max_size=30)))
    assert (fine.coarser(fine.cells(score), 5) == coarse.cells(score)).all()


def test_the_ends_and_minus_zero() -> None:
    grid = ScoreGrid("probability", 4)
    first, least, below, last = grid.cells([-0.0, 5e-324, np.nextafter(1, 0), 1.0])
    assert (first, least) == (0, 1)
    assert last - below == 1
    assert grid.edges([below])[1][0] == 1
    reals = ScoreGrid("real", 4)
    assert reals.cells([-5e-324, -0.0, 5e-324]).tolist() == [-1, 0, 1]
    assert np.isfinite(reals.edges(reals.cells([2.0 ** (HIGHEST - 1), -(2.0 ** (HIGHEST - 1))]))).all()
    assert grid.edges([1])[1][0] == 2.0**LOWEST
