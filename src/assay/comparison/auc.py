"""Comparing areas under ROC curves: on the same cases, on some of the same cases, or on others altogether."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from assay.comparison._rows import Rows, shared
from assay.comparison.adjustment import NOTHING_VARIES, Difference, Joint
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import Measure
from assay.request import checked_level
from assay.results import counted
from assay.types import Bools, Floats
from assay.uncertainty import AucMoments

# With a smaller class than this the interval of a difference did not keep its level (docs/verification/score_tests.md).
FEWEST_CASES = 20
# From here on the normal distribution serves; below, t with the degrees of freedom that the cases' unevenness leaves.
ENOUGH_FOR_NORMAL = 50


def placements(table: ScoreTable, score: Floats, is_positive: Bools) -> Floats:
    """For each case, the share of the other class that it stands on the right side of, ties counted half.

    The mean over either class is the AUC.

    >>> score, truth = np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True])
    >>> placements(ScoreTable.of(score, truth), score, truth).tolist()
    [1.0, 0.75, 0.75, 1.0]
    """
    place = table.places(score)
    won, lost = table.negatives_below / table.negatives, table.positives_above / table.positives
    return np.asarray(np.where(is_positive, won[place], lost[place]))


def joint_auc(
    is_positive: ArrayLike | Rows,
    scores: Mapping[str, ArrayLike],
    *,
    distribution: Literal["t", "normal"] | None = None,
    tables: Sequence[ScoreTable] = (),
) -> Joint:
    """The AUCs of several classifiers with the covariance DeLong, DeLong & Clarke-Pearson (1988) give them.

    A score of nan is missing: each AUC rests on its own cases, the covariance of two on those both have (Zhou &
    Gatsonis 1996). Clusters give Obuchowski's (1997) covariance, with t on clusters - 1 degrees of freedom; folds are
    ranked each by itself. `distribution` is normal, or t where a class has fewer than 50 cases, unless it is given.
    `tables` are the score tables, where they are made already.

    >>> truth = [0, 0, 1, 1, 1, 0] * 20
    >>> joint = joint_auc(truth, {"a": [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 20, "b": [0.2, 0.6, 0.3, 0.4, 0.9, 0.1] * 20})
    >>> joint.difference(0, 1)
    a - b: +0.111 [0.054, 0.168], p < 0.001 (paired DeLong)
    """
    rows, given, kept = _given(is_positive, scores)
    found = [_standing(rows, score, here, tables[k] if tables else None) for k, (score, here) in _each(given, kept)]
    moved, values = np.stack([standing for standing, _ in found]), np.array([value for _, value in found])
    return _joint(rows, tuple(scores), values, moved, kept, distribution)


def _given(is_positive: ArrayLike | Rows, scores: Mapping[str, ArrayLike]) -> tuple[Rows, Floats, Bools]:
    """Rows, scores by classifier and row (with -0.0 and 0.0 the one score they are), and which are there."""
    given = np.stack([np.add(np.asarray(score, dtype=np.float64), 0.0) for score in scores.values()])
    return Rows.of(is_positive), given, ~np.isnan(given)


def _each(given: Floats, kept: Bools) -> list[tuple[int, tuple[Floats, Bools]]]:
    return list(enumerate(zip(given, kept, strict=True)))


def _standing(rows: Rows, score: Floats, kept: Bools, table: ScoreTable | None) -> tuple[Floats, float]:
    """How far each row stands from the mean, in its fold, and the mean of the folds' AUCs."""
    moved, means = np.zeros(len(score)), []
    folds = [kept] if rows.fold is None else [kept & (rows.fold == fold) for fold in range(int(rows.fold.max()) + 1)]
    for here in folds:
        ranked = table if table is not None and len(folds) == 1 else rows.table(score, here)
        pairs = float(ranked.negatives * ranked.positives)
        mean = float(ranked.positive @ ranked.negatives_below) / pairs if pairs > 0 else math.nan
        if pairs > 0:
            moved[here] = placements(ranked, score[here], rows.is_positive[here]) - mean
        means.append(mean)
    return moved, sum(means) / len(means)


def _joint(
    rows: Rows, names: tuple[str, ...], values: Floats, moved: Floats, kept: Bools, distribution: str | None
) -> Joint:
    sides, covariance, smaller = [], np.zeros((len(names), len(names))), math.inf
    for side in (rows.is_positive, ~rows.is_positive):
        here = kept & side
        size = rows.sizes(here)
        share = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
        sums = rows.sums(moved * side * share[:, None])
        sides.append(sums)
        covariance += shared(rows.bessel(here), sums @ sums.T)
        smaller = min(smaller, float(np.diag(rows.kish(here)).min()))
    won, lost = sides
    is_normal = distribution == "normal" or (distribution is None and smaller >= ENOUGH_FOR_NORMAL)
    freedom: float | None = math.inf if is_normal else None
    method = ("paired DeLong" if kept.all() else "partially paired DeLong") + ("" if is_normal else ", t")
    if rows.cluster is not None:
        together = won @ lost.T
        covariance += shared(rows.bessel(kept), together + together.T)
        freedom, method = max(rows.units - 1.0, 1.0), f"Obuchowski, {counted(rows.units, 'cluster')}"
    if rows.fold is not None:
        method += ", folds ranked apart"
    target = "these classifiers" if rows.fold is None else "the models of these folds"
    n = float((kept.any(0) * rows.times).sum())
    refusal = rows.too_few_clusters() or _too_few(smaller)
    return Joint("roc_auc", names, values, covariance, n, method, freedom, won + lost, refusal, target)


def _too_few(smaller: float) -> str | None:
    if smaller >= FEWEST_CASES:
        return None
    cases = counted(round(smaller), "case")
    return f"{cases} in a class: below {FEWEST_CASES} the interval of a difference did not keep its level"


def unpaired_auc(
    first: ScoreTable, second: ScoreTable, *, names: tuple[str, str] = ("first", "second"), level: float = 0.95
) -> Difference:
    """The difference of two AUCs on different cases: DeLong's variances added, with Welch's degrees of freedom.

    >>> one = ScoreTable.of([0.1, 0.4, 0.35, 0.8] * 20, [0, 0, 1, 1] * 20)
    >>> two = ScoreTable.of([0.1, 0.4, 0.2, 0.3] * 20, [0, 0, 1, 1] * 20)
    >>> unpaired_auc(one, two)
    first - second: +0.250 [0.056, 0.444], p = 0.012 (unpaired DeLong)
    """
    level = checked_level(level)
    moments = [AucMoments.of(table) for table in (first, second)]
    value, parts = moments[0].auc - moments[1].auc, [found.variance for found in moments]
    sizes = [found.positives + found.negatives for found in moments]
    smaller = min(min(found.positives, found.negatives) for found in moments)
    found = Difference("roc_auc", *names, value, math.nan, math.nan, level, math.nan, "unpaired DeLong", sum(sizes))
    if smaller < FEWEST_CASES or not sum(parts) > 0:
        return replace(found, undefined=_too_few(smaller) or NOTHING_VARIES)
    freedom = sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    error = math.sqrt(sum(parts))
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    p_value = 2 * float(stdtr(freedom, -abs(value) / error))
    return replace(found, low=value - half, high=value + half, p_value=p_value)


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
