"""The ends of what scores in cells could be: between them lies whatever the scores themselves would give."""

from __future__ import annotations

import numpy as np

from assay.evidence._kernels import tabulate_weights
from assay.evidence.score_table import Reach, ScoreTable

__all__ = ["arrangements"]

# Two of the four share the weights of the table itself, and the others are about as long as it is.
MOST_ARRANGED = 1 << 24


def arrangements(table: ScoreTable) -> tuple[ScoreTable, ...]:
    """Tables with each class at one end of the reach of its scores; none where nothing is left open.

    The first is the best that the scores could be (negatives as low, positives as high as they may), the second the
    worst; in the third all are as low as may be, in the fourth as high. A measure of ranking, a mean loss, or a number
    that only rises with the scores lies between its values on these and on the table itself.

    >>> from assay.evidence import Binned, ScoreGrid
    >>> table = Binned.of([0.38, 0.4], [False, True], ("0", "1"), ScoreGrid("probability", 3)).table()
    >>> [each.pairs_in_order.item() for each in (table, *arrangements(table))]
    [0.5, 1.0, 0.0, 0.5, 0.5]
    """
    if table.reach is None or table.reach.is_exact:
        return ()
    if len(table) > MOST_ARRANGED:
        return _extreme_tables(table)
    if "arrangements" not in table.cache:
        table.cache["arrangements"] = _extreme_tables(table)
    found: tuple[ScoreTable, ...] = table.cache["arrangements"]
    return found


def _extreme_tables(table: ScoreTable) -> tuple[ScoreTable, ...]:
    return tuple(
        _table_at_bin_ends(table, negatives_high=n, positives_high=p)
        for n, p in ((False, True), (True, False), (False, False), (True, True))
    )


def _has_disjoint_bins(table: ScoreTable, reach: Reach) -> bool:
    """Whether no score could lie above one that comes after it."""
    if "in order" not in table.cache:
        table.cache["in order"] = bool((reach.high[:-1] < reach.low[1:]).all())
    return bool(table.cache["in order"])


def _table_at_bin_ends(table: ScoreTable, *, negatives_high: bool, positives_high: bool) -> ScoreTable:
    reach = table.reach
    assert reach is not None
    if not reach.hidden and _has_disjoint_bins(table, reach):
        return _table_of_disjoint_bins(table, reach, negatives_high=negatives_high, positives_high=positives_high)
    hidden, scores, sides = (reach.negatives, reach.positives), [], []
    for k, (side, is_high) in enumerate(
        zip((table.negative, table.positive), (negatives_high, positives_high), strict=True)
    ):
        at = reach.high if is_high else reach.low
        scores.append(np.append(at, reach.greatest if is_high else reach.least))
        weights = np.zeros((2, len(at) + 1))
        weights[k] = np.append(side, hidden[k])
        sides.append(weights)
    score, (negative, positive) = np.concatenate(scores), np.concatenate(sides, axis=1)
    is_there = (negative > 0) | (positive > 0)
    distinct, negative, positive = tabulate_weights(score[is_there], negative[is_there], positive[is_there])
    return ScoreTable(distinct, negative, positive, table.classes)


def _table_of_disjoint_bins(
    table: ScoreTable, reach: Reach, *, negatives_high: bool, positives_high: bool
) -> ScoreTable:
    """The same where no cell reaches into another: nothing has to be put in order again."""
    if negatives_high == positives_high:
        at = reach.high if negatives_high else reach.low
        return ScoreTable(at, table.negative, table.positive, table.classes)
    lower, upper = (table.positive, table.negative) if negatives_high else (table.negative, table.positive)
    score, sides = np.empty(2 * len(table)), np.zeros((2, 2 * len(table)))
    score[::2], score[1::2] = reach.low, reach.high
    is_tied = reach.low == reach.high
    of_lower, of_upper = sides[::-1] if negatives_high else sides
    of_lower[::2], of_upper[::2], of_upper[1::2] = lower, np.where(is_tied, upper, 0.0), np.where(is_tied, 0.0, upper)
    is_there = (sides[0] > 0) | (sides[1] > 0)
    return ScoreTable(score[is_there], sides[0][is_there], sides[1][is_there], table.classes)
