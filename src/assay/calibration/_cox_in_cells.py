"""What cells of scores leave open of Cox's line, beside its coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from scipy.optimize import brentq

from assay.calibration._line import ONE_CLASS, PARTED, FittedLine, fitted, logistic, logits
from assay.calibration._line_in_cells import line_in_cells
from assay.evidence import ScoreTable, arrangements
from assay.results import Estimate
from assay.types import Floats

IN_THESE_CELLS = "; that is of the middle of the cells, and what the scores in them give needs the rows"


def line_with_bounds(
    found: tuple[Estimate, ...], table: ScoreTable, line: FittedLine | str, clip: float
) -> Iterator[Estimate]:
    """Shift, intercept and slope with what cells leave open, or why there is no line though the scores may have one."""
    reach = table.reach
    ends: list[tuple[float, ...]] = [(), (), ()]
    if reach is not None and not reach.is_exact and found[0].undefined != ONE_CLASS:
        ends[0] = shift_in_cells(table, clip)
        ends[1:] = ((), ()) if isinstance(line, str) else line_in_cells(table, line, clip)
    for one, open_ in zip(found, ends, strict=True):
        if reach is None or (math.isnan(one.value) and (reach.is_exact or one.undefined == ONE_CLASS)):
            yield one
        elif math.isnan(one.value):
            is_certain = one.undefined == PARTED and not reach.hidden
            yield one if is_certain else replace(one, undefined=f"{one.undefined}{IN_THESE_CELLS}")
        else:
            yield replace(one, bounds=(min(one.value, *open_), max(one.value, *open_)) if open_ else (one.value,) * 2)


def shift_in_cells(table: ScoreTable, clip: float) -> tuple[float, ...]:
    """The ends of where the intercept lies if the slope is held at 1: it only falls as any score rises.

    >>> from assay.evidence import Binned, ScoreGrid
    >>> table = Binned.of([0.2, 0.3, 0.7], [False, True, True], ("0", "1"), ScoreGrid("probability", 2)).withheld(5)
    >>> [round(end, 3) for end in shift_in_cells(table.table(), 1e-9)]
    [1.214, 1.473]
    """
    return tuple(_shift(each, logits(each.score, clip)) for each in arrangements(table)[:1:-1])


def _shift(table: ScoreTable, x: Floats) -> float:
    line = fitted(table, x, with_slope=False)
    if isinstance(line, FittedLine):
        return float(line.at[0])
    # Newton's steps get lost where nearly all cases are called certain; between these ends the promise meets the truth.
    share, cases = float(table.positives / table.total), table.negative + table.positive
    middle = math.log(share / (1 - share))
    ends = middle - float(x.max()) - 1, middle - float(x.min()) + 1
    return float(brentq(lambda a: float(cases @ logistic(a + x) - table.positives), *ends))
