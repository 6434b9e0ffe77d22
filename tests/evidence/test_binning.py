"""Tables on the grid add: any split of the rows, in any order and nesting, makes the same one.

The shared grid: every score in one cell, cells in the order of scores, coarser ones made of finer ones.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import OptionError
from assay.evidence import Binned, ScoreGrid, ScoreTable
from assay.evidence.binning import HIGHEST, LOWEST

Rows = list[tuple[float, bool, int]]

scores = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.integers(0, 8).map(lambda k: k / 8)
)
rows = st.lists(st.tuples(scores, st.booleans(), st.integers(0, 3)), max_size=25)
grids = st.builds(ScoreGrid, st.sampled_from(["probability", "real"]), st.integers(0, 20))


def binned(cases: Rows, grid: ScoreGrid, *, weighted: bool = False) -> Binned:
    score, truth, count = (np.array([case[i] for case in cases], dtype=float) for i in range(3))
    design = {"weight": count} if weighted else {"count": count}
    return Binned.of(score, truth.astype(bool), ("no", "yes"), grid, **design)


@pytest.mark.parametrize("weighted", [False, True])
@given(a=rows, b=rows, c=rows, grid=grids)
def test_any_split_order_and_nesting_is_the_same(a: Rows, b: Rows, c: Rows, grid: ScoreGrid, weighted: bool) -> None:
    one, two, three = (binned(part, grid, weighted=weighted) for part in (a, b, c))
    whole = binned(a + b + c, grid, weighted=weighted)
    parts = [(one + two) + three, one + (two + three), (three + one) + two, Binned.sum([two, three, one])]
    assert all(part == whole for part in parts)


@given(a=rows, grid=grids, fewer=st.integers(0, 20))
def test_coarser_is_what_the_coarser_grid_makes(a: Rows, grid: ScoreGrid, fewer: int) -> None:
    bits = min(fewer, grid.bits)
    assert binned(a, grid).coarser(bits) == binned(a, ScoreGrid(grid.kind, bits))


@given(a=rows, b=rows, grid=grids)
def test_every_score_is_within_reach_and_every_case_counted(a: Rows, b: Rows, grid: ScoreGrid) -> None:
    table = (binned(a, grid).withheld(2) + binned(b, grid)).table()
    exact = (
        ScoreTable.of(*zip(*((s, p) for s, p, n in a + b for _ in range(n)), strict=True))
        if any(n for *_, n in a + b)
        else ScoreTable.of([], [])
    )
    assert table.reach is not None
    assert (table.reach.low <= table.score).all()
    assert (table.score <= table.reach.high).all()
    assert (np.diff(table.score) > 0).all()
    assert (table.reach.high[:-1] < table.reach.low[1:]).all()
    assert (table.negatives, table.positives) == (exact.negatives, exact.positives)
    place = np.searchsorted(table.reach.high, exact.score)
    assert (table.reach.low[place] <= exact.score).all()
    np.testing.assert_array_equal(np.bincount(place, exact.negative, len(table)), table.negative)


@given(a=rows, b=rows, grid=grids)
def test_what_is_withheld_stays_so(a: Rows, b: Rows, grid: ScoreGrid) -> None:
    one, two = binned(a, grid).withheld(10), binned(b, grid)
    both = one + two
    assert both == two + one
    hidden = np.isin(both.cell, one.cell[np.isnan(one.least)])
    assert np.isnan(both.least[hidden]).all()


@given(a=rows, grid=grids)
def test_small_cells_leave_their_classes(a: Rows, grid: ScoreGrid) -> None:
    whole = binned(a, grid)
    kept = whole.without_small(4)
    assert kept.negative.sum() + kept.hidden[0] == whole.negative.sum()
    assert kept.positive.sum() + kept.hidden[1] == whole.positive.sum()
    assert (kept.negative + kept.positive >= 4).all()
    assert (kept + kept).hidden == (2 * kept.hidden[0], 2 * kept.hidden[1])


@pytest.mark.parametrize(
    ("classes", "kind", "bits", "words"),
    [
        (("a", "c"), "real", 4, "different classes"),
        (("a", "b"), "probability", 4, "the same grid, to add them"),
        (("a", "b"), "real", 5, "4 bits and the other one of real scores with 5"),
    ],
)
def test_what_does_not_add_says_so(
    classes: tuple[str, str], kind: Literal["probability", "real"], bits: int, words: str
) -> None:
    one = Binned.of([0.1], [True], ("a", "b"), ScoreGrid("real", 4))
    with pytest.raises(OptionError, match=words):
        _ = one + Binned.of([0.1], [True], classes, ScoreGrid(kind, bits))


def test_what_a_grid_cannot_hold_is_refused() -> None:
    with pytest.raises(OptionError, match=r"a score is -0\.5, but the grid is for probabilities"):
        Binned.of([-0.5, 0.2], [True, False], ("a", "b"), ScoreGrid("probability", 4))
    with pytest.raises(OptionError, match="fewer bits"):
        Binned.of([0.2], [True], ("a", "b"), ScoreGrid("probability", 4)).coarser(5)


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
