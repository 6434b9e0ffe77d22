"""Comparing areas under ROC curves: on the same cases, on some of the same cases, or on others altogether."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from assay.comparison._rows import Rows, shared, spread_between_clusters
from assay.comparison.adjustment import NOTHING_VARIES, Difference
from assay.comparison.careful import OfOne, areas_by_themselves, recovered
from assay.comparison.joint import Joint, level_that_reaches_zero
from assay.comparison.together import OfClass, satterthwaite
from assay.errors import OptionError
from assay.evidence import ScoreTable, cores
from assay.measures import Measure
from assay.request import checked_level
from assay.results import counted
from assay.types import Bools, Floats
from assay.uncertainty import AucMoments, auc_interval, cases_that_vary

# With a smaller class than this nothing kept its level (docs/verification/score_tests.md).
FEWEST_CASES = 5
# From here on the normal distribution serves; below, t with Satterthwaite's degrees of freedom and what limits of
# either AUC by itself leave open.
ENOUGH_FOR_NORMAL = 50
# The same where fewer cases of a class than this lie off its commonest score, or are worth of misranking.
ENOUGH_THAT_VARY = 10
WORTH_A_THREAD = 1 << 16
RANKED_ALIKE = "they rank every pair of these cases alike, which does not tell how far they may differ on others"


def placements(table: ScoreTable, score: Floats, is_positive: Bools) -> Floats:
    """For each case, the share of the other class that it stands on the right side of, ties counted half.

    The mean over either class is the AUC.

    >>> score, truth = np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True])
    >>> placements(ScoreTable.of(score, truth), score, truth).tolist()
    [1.0, 0.75, 0.75, 1.0]
    """
    won, lost = table.negatives_below / table.negatives, table.positives_above / table.positives
    return table.of_cases(score, is_positive, lost, won)


def joint_auc(
    is_positive: ArrayLike | Rows,
    scores: Mapping[str, ArrayLike],
    *,
    distribution: Literal["t", "normal"] | None = None,
    tables: Sequence[ScoreTable] = (),
    of_one: OfOne | None = None,
) -> Joint:
    """The AUCs of several classifiers with the covariance DeLong, DeLong & Clarke-Pearson (1988) give them.

    A score of nan is missing: each AUC rests on its own cases, the covariance of two on those both have (Zhou &
    Gatsonis 1996). Clusters give Obuchowski's (1997) covariance, corrected for their sizes; folds are ranked each by
    itself. `distribution` is normal, or where little varies t and limits recovered from those of either AUC (Zou
    2007), unless it is given. `tables` are the score tables, where they are made already, and `of_one` the
    limits of each AUC by itself between clusters.

    >>> truth = [0, 0, 1, 1, 1, 0] * 20
    >>> joint = joint_auc(truth, {"a": [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 20, "b": [0.2, 0.6, 0.3, 0.4, 0.9, 0.1] * 20})
    >>> joint.difference(0, 1)
    a - b: +0.111 [0.054, 0.182], p < 0.001 (paired DeLong, with MOVER)
    """
    rows, given, kept = _given(is_positive, scores)
    made: Sequence[ScoreTable | None] = tables or [None] * len(given)
    with ThreadPoolExecutor(cores()) as threads:
        # Few cases are done before a second thread has begun.
        spread = threads.map if given.size >= WORTH_A_THREAD else map
        each = list(spread(partial(_standing, rows), given, kept, made))
    moved, values = np.stack([one.moved for one in each]), np.array([one.mean for one in each])
    rests_on = min(one.rests_on for one in each)
    return _joint(rows, tuple(scores), values, moved, kept, distribution, rests_on, of_one)


@dataclass(frozen=True)
class _Standing:
    """How far each row stands from the mean AUC (of folds), and how many cases that rests on."""

    moved: Floats
    mean: float
    rests_on: float


def _given(is_positive: ArrayLike | Rows, scores: Mapping[str, ArrayLike]) -> tuple[Rows, Floats, Bools]:
    """Rows, scores by classifier and row (with -0.0 and 0.0 the one score they are), and which are there."""
    given = np.stack([np.add(np.asarray(score, dtype=np.float64), 0.0) for score in scores.values()])
    return Rows.of(is_positive), given, ~np.isnan(given)


def _standing(rows: Rows, score: Floats, kept: Bools, table: ScoreTable | None) -> _Standing:
    moved, means, rests_on = np.zeros(len(score)), [], 0.0
    folds: list[Any] = [kept]
    if rows.fold is not None:
        folds = [kept & (rows.fold == fold) for fold in range(int(rows.fold.max()) + 1)]
    elif table is not None and kept.all():
        # Nothing to pick out, and so nothing to copy.
        folds = [slice(None)]
    for here in folds:
        ranked = table if table is not None and len(folds) == 1 else rows.table(score, here)
        pairs = float(ranked.negatives * ranked.positives)
        mean = float(ranked.pairs_in_order) / pairs if pairs > 0 else math.nan
        if pairs > 0:
            moved[here] = placements(ranked, score[here], rows.is_positive[here]) - mean
            rests_on += _rests_on(ranked, mean)
        means.append(mean)
    return _Standing(moved, sum(means) / len(means), rests_on)


def _joint(
    rows: Rows,
    names: tuple[str, ...],
    values: Floats,
    moved: Floats,
    kept: Bools,
    distribution: str | None,
    rests_on: float,
    of_one: OfOne | None,
) -> Joint:
    classes, each = [], np.empty_like(moved)
    for side in (~rows.is_positive, rows.is_positive):
        here = kept & side
        size = rows.sizes(here)
        of_side = np.where(side, moved, 0.0)
        of_side *= np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)[:, None]
        np.copyto(each, of_side, where=side)
        sums = rows.sums(of_side)
        # Exactly even sums of products, so that the order of the classifiers turns signs and nothing else.
        classes.append(OfClass(shared(rows.bessel(here), sums @ sums.T), float(np.diag(rows.kish(here)).min())))
    smaller = min(one.cases for one in classes)
    rests_on_enough = smaller >= ENOUGH_FOR_NORMAL and rests_on >= ENOUGH_THAT_VARY
    method = "paired DeLong" if kept.all() else "partially paired DeLong"
    apart = "" if rows.fold is None else ", folds ranked apart"
    joint = Joint(
        "roc_auc", names, values, classes[0].covariance + classes[1].covariance,
        float((kept.any(0) * rows.times).sum()), method + apart,
        moved=rows.sums(each), refusal=_too_few(smaller),
        target="these classifiers" if rows.fold is None else "the models of these folds",
        alike=None if distribution == "normal" else RANKED_ALIKE,
    )  # fmt: skip
    if rows.cluster is not None:
        spread = spread_between_clusters(rows, each, kept, "classes")
        method = f"Obuchowski, {counted(rows.units, 'cluster')}{apart}"
        return replace(
            joint, covariance=spread.covariance, freedom=spread.freedom, refusal=spread.refusal, method=method,
            careful=spread.careful(values, of_one),
        )  # fmt: skip
    if distribution == "normal":
        return joint
    joint = replace(joint, classes=tuple(classes))
    if rests_on_enough and distribution is None:
        return joint
    careful = recovered(values, joint.covariance, areas_by_themselves(values, classes))
    return replace(joint, freedom=None, careful=careful, method=f"{method}, with MOVER{apart}")


def _too_few(smaller: float) -> str | None:
    if smaller >= FEWEST_CASES:
        return None
    cases = counted(round(smaller), "case")
    return f"{cases} in a class: below {FEWEST_CASES} the interval of a difference did not keep its level"


def unpaired_auc(
    first: ScoreTable, second: ScoreTable, *, names: tuple[str, str] = ("first", "second"), level: float = 0.95
) -> Difference:
    """The difference of two AUCs on different cases: DeLong's variances added, with Welch's degrees of freedom.

    Where little varies, the wider limits of that and of those recovered from either AUC's own (Zou 2007).

    >>> one = ScoreTable.of([0.1, 0.4, 0.35, 0.8] * 20, [0, 0, 1, 1] * 20)
    >>> two = ScoreTable.of([0.1, 0.4, 0.2, 0.3] * 20, [0, 0, 1, 1] * 20)
    >>> unpaired_auc(one, two)
    first - second: +0.250 [0.053, 0.444], p = 0.013 (unpaired DeLong, with MOVER)
    """
    level = checked_level(level)
    moments = [AucMoments.of(table) for table in (first, second)]
    value, parts = moments[0].auc - moments[1].auc, [found.variance for found in moments]
    sizes = [found.positives + found.negatives for found in moments]
    smaller = min(min(found.positives, found.negatives) for found in moments)
    found = Difference("roc_auc", *names, value, math.nan, math.nan, level, math.nan, "unpaired DeLong", sum(sizes))
    if smaller < FEWEST_CASES or not sum(parts) > 0:
        return replace(found, undefined=_too_few(smaller) or NOTHING_VARIES)
    freedom = satterthwaite(list(zip(parts, sizes, strict=True)))
    error = math.sqrt(sum(parts))
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    p_value = 2 * float(stdtr(freedom, -abs(value) / error))
    found = replace(found, low=value - half, high=value + half, p_value=p_value)
    rests_on = min(_rests_on(table, one.auc) for table, one in zip((first, second), moments, strict=True))
    return found if min(smaller / 5, rests_on) >= ENOUGH_THAT_VARY else _with_limits_of_each(found, first, second)


def _with_limits_of_each(found: Difference, first: ScoreTable, second: ScoreTable) -> Difference:
    """The wider of the usual limits and those recovered from the limits of either AUC."""

    def of_one(k: int, level: float) -> tuple[float, float]:
        one = auc_interval((first, second)[k], level)
        return one.low, one.high

    values = np.array([AucMoments.of(table).auc for table in (first, second)])
    careful = partial(recovered(values, np.eye(2), of_one), 0, 1)
    low, high = careful(found.level)
    p_value = max(found.p_value, level_that_reaches_zero(careful, found.value))
    method = f"{found.method}, with MOVER"
    return replace(found, low=min(found.low, low), high=max(found.high, high), p_value=p_value, method=method)


def _rests_on(table: ScoreTable, auc: float) -> float:
    """On how many cases an AUC rests: those off their class's commonest score, and those worth of misranking."""
    return float(min(cases_that_vary(table), min(table.kish) * min(auc, 1 - auc)))


def score_influence(measure: Measure, table: ScoreTable, score: Floats, is_positive: Bools) -> NDArray[np.float64]:
    """How much each case moves a measure of its score table, times the number of cases."""
    if measure.pairs is not None:
        sizes = np.where(is_positive, table.positives, table.negatives)
        auc = float(table.positive @ table.negatives_below) / float(table.negatives * table.positives)
        moved: Floats = measure.pairs.scale * (placements(table, score, is_positive) - auc) * float(table.total) / sizes
        return moved
    if measure.moved_by is None:
        raise OptionError(f"{measure.name} has no influence function", "the bootstrap")
    of_negatives, of_positives = measure.moved_by(table)
    place = table.places(score)
    return np.asarray(np.where(is_positive, of_positives[place], of_negatives[place]))
