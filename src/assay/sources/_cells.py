"""The cell of the shared grid that a score lies in, as an expression that every engine can compute."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from assay.evidence.binning import LOWEST, ScoreGrid

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["with_cells"]

Frame = TypeVar("Frame", "nw.DataFrame[Any]", "nw.LazyFrame[Any]")

# Distances from 0 are brought between a quarter and a half, where a step of the grid is one part of 2^bits.
AT_LEAST, BELOW = 0.25, 0.5


def with_cells(frame: Frame, grid: ScoreGrid, largest: float) -> Frame:
    """The frame with `cell`, the number of the cell that each `score` lies in: what `ScoreGrid.cells` gives.

    Engines cannot look at the bits of a number, and their logarithms differ. So the distance from 0 (or from 1) is
    multiplied by powers of 2, which is exact everywhere, and what was multiplied is counted. `largest` is the largest
    distance from 0 there is.

    >>> import narwhals, polars
    >>> grid, score = ScoreGrid("probability", 2), [0.0, 0.25, 0.3, 0.5, 0.9, 1.0]
    >>> cells = with_cells(narwhals.from_native(polars.DataFrame({"score": score})), grid, 1.0)["cell"]
    >>> cells.to_list() == grid.cells(score).tolist()
    True
    """
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_duckdb():
        return _with_branches(frame, grid, largest)
    score, steps = nw.col("score"), float(1 << grid.bits)
    is_real = grid.kind == "real"
    # A mirrored cell holds its outer edge instead of the inner one.
    is_mirrored = score < 0 if is_real else score >= BELOW
    mirrored = -score if is_real else 1.0 - score
    frame = frame.with_columns(
        distance=nw.when(is_mirrored).then(mirrored).otherwise(score), passed=nw.lit(0.0), mirrored=is_mirrored
    )
    distance, passed = nw.col("distance"), nw.col("passed")
    for halvings in _factors(largest) if is_real else ():
        is_far = distance >= AT_LEAST * 2.0**halvings
        frame = frame.with_columns(
            distance=nw.when(is_far).then(distance * 2.0**-halvings).otherwise(distance),
            passed=nw.when(is_far).then(passed + halvings * steps).otherwise(passed),
        )
    for halvings in (32, 16, 8, 4, 2, 1):
        is_near = distance < BELOW * 2.0**-halvings
        frame = frame.with_columns(
            distance=nw.when(is_near).then(distance * 2.0**halvings).otherwise(distance),
            passed=nw.when(is_near).then(passed - halvings * steps).otherwise(passed),
        )
    return frame.with_columns(cell=_numbered(grid, steps)).drop("distance", "passed", "mirrored")


def _with_branches(frame: nw.LazyFrame[Any], grid: ScoreGrid, largest: float) -> nw.LazyFrame[Any]:
    """The same by a branch for each halving: DuckDB looks in each only at the rows that no earlier one took."""
    import narwhals as nw

    highest = math.frexp(largest)[1] - 1 if grid.kind == "real" and largest > 0 else -2
    if grid.kind == "real":
        below, above = _branches("(-score)", "ceil", 1, highest, grid), _branches("score", "floor", 0, highest, grid)
        cell = f"CASE WHEN score < 0 THEN -({below}) ELSE {above} END"
    else:
        below, above = _branches("score", "floor", 0, -2, grid), _branches("(1 - score)", "ceil", 1, -2, grid)
        cell = f"CASE WHEN score < {BELOW} THEN {below} ELSE {grid.last} - ({above}) END"
    found: nw.LazyFrame[Any] = nw.from_native(frame.to_native().project(f"*, CAST({cell} AS BIGINT) AS cell"))
    return found


def _branches(distance: str, rounded: str, less: int, highest: int, grid: ScoreGrid) -> str:
    """How many cells lie between 0 and a distance; mirrored ones hold their outer edge, so that there is one less."""
    each = (
        f"WHEN {distance} >= {2.0**halving!r} THEN {rounded}({distance} * {2.0 ** (grid.bits - halving)!r}) "
        f"+ {((halving - LOWEST - 1) << grid.bits) + 2 - less}"
        for halving in range(max(highest, LOWEST), LOWEST - 1, -1)
    )
    return f"CASE {' '.join(each)} ELSE CAST({distance} > 0 AS INTEGER) END"


def _factors(largest: float) -> list[int]:
    """The powers of 2 that bring every distance below a half, from the largest down."""
    every = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)
    return [halvings for halvings in every if largest >= AT_LEAST * 2.0**halvings]


def _numbered(grid: ScoreGrid, steps: float) -> nw.Expr:
    import narwhals as nw

    within = nw.col("distance") * (steps / AT_LEAST)
    # Cell 0 is 0 itself and cell 1 what lies below the lowest edge.
    before = nw.col("passed") + (-2 - LOWEST - 1) * steps + 2
    is_mirrored = nw.col("mirrored")
    number = nw.when(is_mirrored).then(within.ceil() + before - 1).otherwise(within.floor() + before)
    # Nothing may be cast to a whole number that an engine holds for infinite or far too large.
    number = nw.when(nw.col("distance") > 0).then(nw.when(number > 1).then(number).otherwise(1.0)).otherwise(0.0)
    counted = number.cast(nw.Int64)
    turned = -counted if grid.kind == "real" else grid.last - counted
    return nw.when(is_mirrored).then(turned).otherwise(counted)
