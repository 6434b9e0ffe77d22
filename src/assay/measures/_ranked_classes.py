"""What ranking says about every class, in one pass: the cases are sorted once for each class, and never again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from assay.evidence import ClassScores, RankedCases, ScoreTable, cores
from assay.measures._measure import ratio
from assay.measures.ranking import _average_precision_influence as influence
from assay.measures.ranking import _without_own_hit as without_own_hit
from assay.measures.ranking import average_precision
from assay.types import Floats

# Fewer cases than this are sorted before a second thread has begun.
WORTH_A_THREAD = 1 << 13


@dataclass(frozen=True, eq=False)
class Ranking:
    """How well each class is ranked, and how much each case moves sums of that.

    `areas` say how often a case of class k (row) has a higher score for k than a case of class j (column), ties half;
    `moved` how much each case moves each weighted sum of them. `precisions` are the average precisions of each class
    against the rest, 0 for those that do not occur; `without_own` the same with each case left out of the precision it
    is averaged over; `precision_moved` how much each case moves each weighted sum of them.
    """

    areas: Floats
    moved: Floats
    precisions: Floats
    without_own: Floats
    precision_moved: Floats


def rank_classes(scores: ClassScores, pair_weights: Floats, class_weights: Floats) -> Ranking:
    """The ranking of every class, for sums that weigh pairs (sums, K, K) and sums that weigh classes (sums, K).

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> rank_classes(scores, np.ones((1, 3, 3)), np.ones((1, 3))).areas
    array([[nan, 1. , 1. ],
           [1. , nan, 1. ],
           [1. , 0.5, nan]])
    """
    number = len(scores.classes)
    found = Ranking(
        areas=np.full((number, number), np.nan),
        moved=np.zeros((len(pair_weights), len(scores))),
        precisions=np.zeros(number),
        without_own=np.zeros(number),
        precision_moved=np.zeros((len(class_weights), len(scores))),
    )
    for k, ranked in _ranked(scores, np.flatnonzero(scores.sizes).tolist()):
        _add_areas(found, scores, ranked, k, pair_weights[:, k])
        _add_precision(found, scores, ranked, k, class_weights[:, k])
    return found


def _ranked(scores: ClassScores, codes: list[int]) -> Iterator[tuple[int, RankedCases]]:
    """The cases in the order of each class: of many cases the next class is sorted while one is worked through."""
    if cores() == 1 or len(scores) < WORTH_A_THREAD:
        yield from ((k, scores.ranked(k)) for k in codes)
        return
    with ThreadPoolExecutor(1) as other:
        waiting = deque([other.submit(scores.ranked, codes[0])])
        for k, after in zip(codes, [*codes[1:], None], strict=True):
            if after is not None:
                waiting.append(other.submit(scores.ranked, after))
            yield k, waiting.popleft().result()


def _add_areas(found: Ranking, scores: ClassScores, ranked: RankedCases, k: int, weights: Floats) -> None:
    """The areas of one class against each other, and how each case moves what they add to the sums.

    A case of class k stands among all others, each weighed by what its own class weighs beside k; any other case stands
    among those of k.
    """
    shares, weights = ratio(scores.sizes, scores.total), weights.copy()
    weights[:, k] = 0.0
    each, code = scores.each[ranked.order], scores.truth[ranked.order]
    above = 1 - ratio(ranked.below(each * ranked.is_own), scores.sizes[k])
    sums = np.bincount(code, each * above, minlength=len(shares))
    areas = ratio(sums, scores.sizes)
    areas[k] = np.nan
    found.areas[k] = areas
    areas = np.nan_to_num(areas)
    higher = ranked.back(above) - areas[scores.truth]
    per_class = np.divide(weights, shares, out=np.zeros_like(weights), where=shares > 0)
    own = ranked.order[ranked.is_own]
    for row, per, expected in zip(found.moved, per_class, weights @ areas, strict=True):
        row += per[scores.truth] * higher
        lower = ratio(ranked.below(per[code] * each)[ranked.is_own], scores.total)
        row[own] += ratio(lower - expected, shares[k])


def _add_precision(found: Ranking, scores: ClassScores, ranked: RankedCases, k: int, weights: Floats) -> None:
    """The average precision of one class against the rest, and how each case moves what it adds to the sums."""
    if scores.weight is None and scores.count is None:
        table = ranked.table()
        of_rest, of_own = (ranked.spread(side) for side in influence(table))
        moved = ranked.back(np.where(ranked.is_own, of_own, of_rest))
    else:
        table = scores.against_rest(k)
        moved = _by_place(scores, table, k, *influence(table))
    found.precisions[k] = float(average_precision(table))
    found.without_own[k] = without_own_hit(table)
    for row, weight in zip(found.precision_moved, weights.tolist(), strict=True):
        row += weight * moved


def _by_place(scores: ClassScores, table: ScoreTable, k: int, of_rest: Floats, of_own: Floats) -> Floats:
    position = table.places(scores.probability[:, k])
    return np.where(scores.truth == k, of_own[position], of_rest[position])
