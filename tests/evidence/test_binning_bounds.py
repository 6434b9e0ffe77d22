"""The ends of what scores in cells could be: the tables of cases that all stand at one end of their cells."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence import Binned, ScoreGrid, ScoreTable, arrangements

ENDS = ((False, True), (True, False), (False, False), (True, True))


@given(
    st.lists(st.tuples(st.integers(0, 40), st.booleans(), st.integers(1, 3)), min_size=1, max_size=60),
    st.integers(0, 3),
)
def test_each_class_stands_at_one_end(rows: list[tuple[int, bool, int]], bits: int) -> None:
    score = np.array([place / 40 for place, _, _ in rows])
    count = np.array([float(times) for _, _, times in rows])
    truth = np.array([is_positive for _, is_positive, _ in rows])
    grid = ScoreGrid("probability", bits)
    table = Binned.of(score, truth, ("0", "1"), grid, count=count).table()
    found = arrangements(table)
    assert table.reach is not None
    assert (found == ()) == table.reach.is_exact
    cells, place = np.unique(grid.cells(score), return_inverse=True)
    assert len(cells) == len(table)
    for (negatives_high, positives_high), each in zip(ENDS, found, strict=False):
        is_high = np.where(truth, positives_high, negatives_high)
        ends = np.where(is_high, table.reach.high[place], table.reach.low[place])
        assert each == ScoreTable.of(ends, truth, count=count)
