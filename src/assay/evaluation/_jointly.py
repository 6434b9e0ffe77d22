"""How estimates of several classifiers vary together on the same cases, for any measure that cases move."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.comparison import (
    Joint,
    joint_auc,
    joint_binormal,
    joint_influence,
    posterior_differences,
)
from assay.comparison.joint import Limits
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable, quantiles
from assay.measures import Measure
from assay.measures.ranking import roc_auc
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import turned_moves, usual_moves

if TYPE_CHECKING:
    from assay.evaluation._differences import PairedRows

# Methods that are computed as their authors do wherever they can be.
NAMED = ("DeLong", "Obuchowski", "normal", "t")
# The fewest cases whose differences were simulated.
FEWEST_CASES = 30
# The largest joint table whose draws stay small.
MOST_CELLS = 1_000
# Among more cases than this, pseudo-cases change no limit that anybody would see.
SEEN_ENOUGH = 100_000


def jointly(models: PairedRows, measure: Measure, method: str) -> Joint:
    """Estimates of a measure and their covariance, from how much each case moves them.

    By default ("") as simulated; by a name as its authors do, without a word against it but a doubt.
    """
    if measure.pairs is not None:
        areas = _binormal_areas(models) if method == "Obuchowski" else _areas(models, measure, method)
        joint = areas.scaled(measure.name, measure.pairs.scale, measure.pairs.shift)
    else:
        joint = _moved_jointly(models, measure, method)
    return joint.asked_for() if method else joint


def _moved_jointly(models: PairedRows, measure: Measure, method: str) -> Joint:
    how, freedom = ("paired t", models.worth - 1) if measure.is_mean_loss else ("paired influence", None)
    if method == "normal":
        how, freedom = "paired normal", math.inf
    how = how if models.places is None else f"partially {how}"
    return moved_jointly(models, measure, method, np.nan_to_num(models.moves(measure)), how, freedom)


def moved_jointly(
    models: PairedRows, measure: Measure, method: str, moved: Floats, how: str = "", freedom: float | None = None
) -> Joint:
    """Return estimates that each row, or the rows of a class in a cluster, moves by so much, with their covariance."""
    return joint_influence(
        measure.name, models.names, values_of(models, measure), moved, models.rows, models.kept,
        method=how, freedom=freedom, refusal=None if measure.pairs is not None else refusal_of(models, measure),
        weighs=weighs(measure), moves=None if method in NAMED else usual_moves_of(models, measure, models.worth),
        of_one=limits_of(models, measure, method),
        of_pair=None if method in NAMED else weighted_posterior(models, measure),
    )  # fmt: skip


def values_of(models: PairedRows, measure: Measure) -> Floats:
    """Return the value of a measure of each classifier."""
    return np.array([float(measure(models.evidence(measure, k))) for k in range(len(models.names))])


def refusal_of(models: PairedRows, measure: Measure) -> str | None:
    """Return why no interval of a difference is honest, or None."""
    undefined = next((e.undefined for ev in models.evaluations if (e := ev.estimate(measure)).undefined), None)
    return undefined or (too_few(round(models.worth), FEWEST_CASES) if models.worth < FEWEST_CASES else None)


def weighted_posterior(models: PairedRows, measure: Measure) -> Limits | None:
    """Limits of a difference of weighted decisions, from the posterior of as many cases as Kish's; None for others.

    Two that decide alike here may differ on cases that the sample lacks, and its influences know nothing of those.
    """
    rows = models.rows
    if measure.needs is not ConfusionMatrix or rows.weight is None or rows.cluster is not None:
        return None

    @cache
    def draws(first: int, second: int) -> Floats:
        paired = models.paired(first, second)
        assert paired.squares is not None
        worth = paired.counts * float(paired.total / paired.squares.sum())
        found: Floats = posterior_differences(replace(paired, counts=worth, squares=None), [measure], models.seed)[0]
        return np.asarray(found[np.isfinite(found)])

    def limits(first: int, second: int, level: float) -> tuple[float, float]:
        if models.paired(first, second).counts.size > MOST_CELLS or not len(draws(first, second)):
            return math.inf, -math.inf
        low, high = quantiles(draws(first, second), [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    return limits


def _areas(models: PairedRows, measure: Measure, method: str) -> Joint:
    each = range(len(models.names))
    given = [models.score(k) for k in each]
    scores = dict(zip(models.names, given if models.places is None else models.spread(given), strict=True))
    tables = [table for k in each if isinstance(table := models.evidence(measure, k), ScoreTable)]
    return joint_auc(
        models.rows, scores, distribution="normal" if method == "DeLong" else None, tables=tables,
        of_one=limits_of(models, roc_auc, method) if len(tables) == len(models.names) else None,
    )  # fmt: skip


def _binormal_areas(models: PairedRows) -> Joint:
    """AUCs that vary together as those of normal scores would (Obuchowski & McClish 1997)."""
    if models.rows.cluster is not None:
        # His covariance of AUCs of clusters (1997), which is the usual one there.
        return _areas(models, roc_auc, "")
    refuse_partly_paired(models, "Obuchowski")
    scores = [models.score(k) for k in range(len(models.names))]
    tables = [models.evidence(roc_auc, k) for k in range(len(models.names))]
    values = np.array([float(roc_auc(table)) for table in tables])
    return joint_binormal(models.names, values, tables, scores, models.rows)


def refuse_partly_paired(models: PairedRows, method: str) -> None:
    """Refuse cases that only some have scored, or that count unequally, where a method knows none of that."""
    if models.places is not None or models.rows.weight is not None or models.rows.cluster is not None:
        raise OptionError(f"{method} takes equal, independent cases that both have scored", "leave method out")


def _recovers(models: PairedRows, measure: Measure, method: str) -> bool:
    """Whether limits of a difference had better be recovered from those of either estimate."""
    is_skewed = measure.counts_errors and not measure.is_mean_loss
    # Of weighted decisions a few heavy cases may tell how they vary; the limits of one know what they are worth.
    is_weighted = measure.needs is ConfusionMatrix and models.rows.weight is not None
    return method not in NAMED and (is_skewed or is_weighted or models.rows.cluster is not None)


def limits_of(
    models: PairedRows, measure: Measure, method: str = ""
) -> Callable[[int, float], tuple[float, float]] | None:
    """The limits of each classifier's own estimate, where those of a difference had better be recovered from them."""
    if not _recovers(models, measure, method):
        return None

    def of_one(k: int, level: float) -> tuple[float, float]:
        found = measure.estimate(models.evidence(measure, k), level=level, seed=models.seed)
        return found.low, found.high

    return of_one


def usual_moves_of(models: PairedRows, measure: Measure, cases: float) -> Floats | None:
    """What a usual case of each class moves each classifier's estimate by, with its label and with the other.

    None where so many cases leave no need for it.
    """
    if cases > SEEN_ENOUGH or not measure.counts_errors or measure.moved_by is None:
        return None
    if not 0 < np.count_nonzero(models.truth == 1) < models.size:
        return None
    found = []
    for k in range(len(models.names)):
        table = models.evidence(measure, k)
        moves = measure.moved_by(table)
        found.append(list(zip(usual_moves(table, *moves), turned_moves(table, *moves), strict=True)))
    return np.array(found)


def weighs(measure: Measure) -> Literal["rows", "classes", "mixed"]:
    """What clusters are told by: rows, or the classes apart."""
    if measure.needs is not ScoreTable or measure.needs_probability:
        return "rows"
    return "classes" if measure.of_each_class else "mixed"


def too_few(cases: float, fewest: int) -> str:
    """Why so few cases have no interval of a difference."""
    return f"{counted(cases, 'case')}: below {fewest} the interval of a difference was not shown to hold"
