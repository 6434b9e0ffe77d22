"""How estimates of several classifiers vary together on the same cases, for any measure that cases move."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.comparison import Joint, joint_auc, joint_influence, score_influence
from assay.evidence import ClassScores, ScoreTable
from assay.measures import Measure
from assay.measures.ranking import roc_auc
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import matrix_influence, turned_moves, usual_moves

if TYPE_CHECKING:
    from assay.evaluation._differences import Aligned

__all__ = ["FEWEST_CASES", "jointly", "too_few"]

# The fewest cases whose differences were simulated.
FEWEST_CASES = 30
# Among more cases than this, pseudo-cases change no limit that anybody would see.
SEEN_ENOUGH = 100_000


def jointly(models: Aligned, measure: Measure, method: str) -> Joint:
    """Estimates of a measure and their covariance, from how much each case moves them."""
    if measure.pairs is not None:
        return _areas(models, measure, method).scaled(measure.name, measure.pairs.scale, measure.pairs.shift)
    each = range(len(models.names))
    moved = models.spread([_moved(models, measure, k) for k in each])
    values = np.array([float(measure(models.evidence(measure, k))) for k in each])
    refusal = next((e.undefined for ev in models.evaluations if (e := ev.estimate(measure)).undefined), None)
    cases = float(np.diag(models.rows.kish(models.kept)).min())
    how, freedom = ("paired t", cases - 1) if measure.is_mean_loss else ("paired influence", None)
    if method == "normal":
        how, freedom = "paired normal", math.inf
    few = too_few(round(cases), FEWEST_CASES) if cases < FEWEST_CASES else None
    return joint_influence(
        measure.name, models.names, values, np.nan_to_num(moved), models.rows, models.kept,
        method=how, freedom=freedom, refusal=refusal or few, weighs=_weighs(measure),
        moves=None if method == "normal" or cases > SEEN_ENOUGH else _usual_moves(models, measure),
        of_one=_limits_of(models, measure) if _recovers(models, measure, method) else None,
    )  # fmt: skip


def _areas(models: Aligned, measure: Measure, method: str) -> Joint:
    each = range(len(models.names))
    scores = dict(zip(models.names, models.spread([models.score(k) for k in each]), strict=True))
    tables = [table for k in each if isinstance(table := models.evidence(measure, k), ScoreTable)]
    recovers = _recovers(models, roc_auc, method) and len(tables) == len(models.names)
    return joint_auc(
        models.rows, scores, distribution="normal" if method == "normal" else None, tables=tables,
        of_one=_limits_of(models, roc_auc) if recovers else None,
    )  # fmt: skip


def _recovers(models: Aligned, measure: Measure, method: str) -> bool:
    """Whether limits of a difference had better be recovered from those of either estimate."""
    is_skewed = measure.turned is not None and not measure.is_mean_loss
    return method != "normal" and (is_skewed or models.rows.cluster is not None)


def _limits_of(models: Aligned, measure: Measure) -> Callable[[int, float], tuple[float, float]]:
    """The limits of each classifier's own estimate."""

    def of_one(k: int, level: float) -> tuple[float, float]:
        found = measure.estimate(models.evidence(measure, k), level=level, seed=models.seed)
        return found.low, found.high

    return of_one


def _usual_moves(models: Aligned, measure: Measure) -> Floats | None:
    """What a usual case of each class moves each classifier's estimate by, with its label and with the other."""
    if measure.turned is None or measure.moved_by is None or measure.needs is not ScoreTable:
        return None
    if not 0 < np.count_nonzero(models.truth == 1) < models.size:
        return None
    found = []
    for k in range(len(models.names)):
        table = models.evidence(measure, k)
        kept = usual_moves(table, *measure.moved_by(table))
        found.append(list(zip(kept, turned_moves(table, *measure.turned(table)), strict=True)))
    return np.array(found)


def _moved(models: Aligned, measure: Measure, k: int) -> Floats:
    evidence, truth = models.evidence(measure, k), models.decided(k).truth
    if measure.needs is ScoreTable:
        return score_influence(measure, evidence, models.score(k) + 0.0, truth == 1)
    if isinstance(evidence, ClassScores):
        assert measure.influence is not None
        return np.asarray(measure.influence(evidence), dtype=np.float64)
    code, _ = models.decision(k)
    moved: Floats = matrix_influence(measure, evidence)[truth, code]
    return moved


def _weighs(measure: Measure) -> Literal["rows", "classes", "mixed"]:
    """What clusters are told by: rows, or the classes apart."""
    if measure.needs is not ScoreTable or measure.needs_probability:
        return "rows"
    return "classes" if measure.of_each_class else "mixed"


def too_few(cases: float, fewest: int) -> str:
    """Why so few cases have no interval of a difference."""
    return f"{counted(cases, 'case')}: below {fewest} the interval of a difference was not shown to hold"
