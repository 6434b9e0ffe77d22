"""What a recalibration changes on cases that it was not fitted to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from assay.calibration.groups import of_the_middle
from assay.calibration.recalibration import RECALIBRATIONS, Recalibration
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import Measure, brier, log_loss, roc_auc
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_seed, checked_whole
from assay.results import Estimate, Table, counted
from assay.types import Floats
from assay.uncertainty import between_rows, class_sizes, standard_error

# Below this many cases (or clusters) in a class, no interval of a change was seen to hold.
FEWEST = 50

NOTHING_CHANGES = "no probability changes, so there is nothing to be uncertain about"


@dataclass(frozen=True)
class RecalibrationEffect:
    """Brier score, log loss and AUC before and after, and the change (after minus before) with its interval.

    `roc` says what happened to the ROC curve, `fitted_to` what the recalibration was fitted to.
    """

    method: str
    before: Mapping[str, Estimate]
    after: Mapping[str, Estimate]
    change: Mapping[str, Estimate]
    roc: str
    fitted_to: str
    # What to doubt where scores are in cells.
    caution: str | None = None

    _repr_html_ = in_notebook

    def table(self) -> Table:
        """One row a measure."""
        missing = Estimate("", math.nan, math.nan, math.nan, 0.0, "", 0.0)
        changes = [self.change.get(name, missing) for name in self.before]
        return Table(
            {
                "measure": list(self.before),
                "before": [each.value for each in self.before.values()],
                "after": [each.value for each in self.after.values()],
                "change": [each.value for each in changes],
                "low": [each.low for each in changes],
                "high": [each.high for each in changes],
            },
            title=f"Recalibrated by {self.method}, {self.fitted_to}",
        )


class _HeldOut(NamedTuple):
    """Cases, and the recalibration that they had no part in."""

    fitted: Recalibration
    table: ScoreTable


def recalibration_effect(fitted: Recalibration, table: ScoreTable, *, level: float = 0.95) -> RecalibrationEffect:
    """What a recalibration does to cases that it was not fitted to: a split, or data from elsewhere.

    >>> rng = np.random.default_rng(0)
    >>> p, y = rng.random(2000), rng.random(2000)
    >>> table = ScoreTable.of(p**3, y < p)
    >>> fit_on, try_on = split_cases(table, 2)
    >>> effect = recalibration_effect(RECALIBRATIONS["beta"](fit_on), try_on)
    >>> effect.change["brier"]
    -0.078 [-0.094, -0.062]
    >>> effect.roc
    'the ROC curve stays as it is: higher scores stay higher'
    """
    level = checked_level(level)
    where = f"fitted to {counted(fitted.n, 'other case')}"
    return _effect(fitted.method, [_HeldOut(fitted, table)], table, level, where)


def cross_fitted_effect(
    table: ScoreTable, method: str, *, folds: int = 5, level: float = 0.95, seed: int = 0
) -> RecalibrationEffect:
    """What recalibrating does, each fold's cases mapped by what was fitted to the other folds.

    It speaks of the method more than of one fitted curve: there are as many curves as folds.

    >>> rng = np.random.default_rng(0)
    >>> p, y = rng.random(2000), rng.random(2000)
    >>> cross_fitted_effect(ScoreTable.of(p**3, y < p), "isotonic").roc
    'the ROC curve may change: 5 curves, one a fold, were put together, and ties count half'
    """
    level = checked_level(level)
    checked_choice(method, RECALIBRATIONS, "method")
    checked_whole(folds, "folds", 2, 10**6)
    parts = split_cases(table, folds, seed=seed)
    pairs = []
    for left_out in parts:
        others = [part for part in parts if part is not left_out]
        fit_on = others[0]
        for other in others[1:]:
            fit_on = fit_on + other
        pairs.append(_HeldOut(RECALIBRATIONS[method](fit_on), left_out))
    return _effect(method, pairs, table, level, f"cross-fitted over {folds} folds")


def split_cases(table: ScoreTable, parts: int, *, seed: int = 0) -> list[ScoreTable]:
    """The cases of a table dealt out at random, either class evenly.

    >>> [float(part.total) for part in split_cases(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True]), 2)]
    [2.0, 1.0]
    """
    checked_whole(parts, "parts")
    seed = checked_seed(seed)
    if table.is_weighted or table.rows is not None:
        they = "these cases have weights" if table.is_weighted else "these cases come in clusters"
        raise OptionError(they, "whole, independent cases to deal out: make a table of each part's rows")
    rng = np.random.default_rng(seed)
    sides = [_dealt(side, parts, rng) for side in (table.negative, table.positive)]
    found = []
    for negative, positive in zip(*sides, strict=True):
        kept = negative + positive > 0
        found.append(ScoreTable(table.score[kept], negative[kept], positive[kept], table.classes))
    return found


def _dealt(counts: Floats, parts: int, rng: np.random.Generator) -> Floats:
    """How many of each score's cases go to each part."""
    each = np.repeat(np.arange(len(counts)), counts.astype(np.intp))
    part = rng.permutation(len(each)) % parts
    dealt = np.bincount(part * len(counts) + each, minlength=parts * len(counts))
    return dealt.astype(np.float64).reshape(parts, len(counts))


def _effect(
    method: str, parts: Sequence[_HeldOut], table: ScoreTable, level: float, fitted_to: str
) -> RecalibrationEffect:
    for part in parts:
        part.fitted.refuse_unfitted()
    moved = [part.fitted.apply(part.table) for part in parts]
    after = moved[0]
    for other in moved[1:]:
        after = after + other
    measures = (brier, log_loss, roc_auc)
    several = f"the ROC curve may change: {len(parts)} curves, one a fold, were put together, and ties count half"
    return RecalibrationEffect(
        method,
        {measure.name: measure.estimate(table, level=level) for measure in measures},
        {measure.name: measure.estimate(after, level=level) for measure in measures},
        {measure.name: _change(measure, parts, level) for measure in measures if measure.is_mean_loss},
        parts[0].fitted.effect_on_roc(parts[0].table) if len(parts) == 1 else several,
        fitted_to,
        of_the_middle(table),
    )


def _change(measure: Measure, parts: Sequence[_HeldOut], level: float) -> Estimate:
    """How much lower a mean loss is after, with an interval from how much it moved case by case."""
    evidence, of_negatives, of_positives = _moves(measure, parts)
    value = float(evidence.negative @ of_negatives + evidence.positive @ of_positives) / float(evidence.total)
    influence = of_negatives - value, of_positives - value
    name, n = f"{measure.name}_change", float(evidence.total)
    if evidence.rows is None:
        method, error, count = "paired", standard_error(evidence, *influence), min(evidence.kish)
        freedom = count - 1
    else:
        negative, positive = evidence.rows.sums(*influence)
        found = between_rows(negative + positive, class_sizes(evidence))
        method, error, count, freedom = "paired, cluster-robust", found.error, found.clusters, found.freedom
    reason = _no_interval(measure, parts, count, error)
    if reason is not None:
        return Estimate(name, value, math.nan, math.nan, level, method, n, undefined=reason)
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    return Estimate(name, value, value - half, value + half, level, method, n)


def _no_interval(measure: Measure, parts: Sequence[_HeldOut], count: float, error: float) -> str | None:
    """Why a change has no interval, if so."""
    certain = sum(_certain(part.table) + _certain(part.fitted.apply(part.table)) for part in parts)
    if measure is log_loss and certain:
        return f"{counted(certain, 'case')} called certain, before or after: one that is wrong makes log loss infinite"
    if count < FEWEST:
        return f"{counted(round(count), 'case')} in a class: below {FEWEST} no interval was shown to hold"
    return None if error > 0 else NOTHING_CHANGES


def _certain(table: ScoreTable) -> float:
    """Cases given probability 0 or 1."""
    return float((table.negative + table.positive)[(table.score <= 0) | (table.score >= 1)].sum())


def _moves(measure: Measure, parts: Sequence[_HeldOut]) -> tuple[ScoreTable, Floats, Floats]:
    """All parts end to end, and how much the loss of a negative and of a positive moves at each of their scores."""
    of_negatives, of_positives = [], []
    for fitted, table in parts:
        before, after = (_losses(measure, score) for score in (table.score, fitted(table.score)))
        of_negatives.append(after[0] - before[0])
        of_positives.append(after[1] - before[1])
    joined = parts[0].table
    if len(parts) > 1:
        sides = [np.concatenate(side) for side in zip(*((t.negative, t.positive) for _, t in parts), strict=True)]
        joined = ScoreTable(np.arange(len(sides[0]), dtype=np.float64), sides[0], sides[1], joined.classes)
    return joined, np.concatenate(of_negatives), np.concatenate(of_positives)


def _losses(measure: Measure, score: Floats) -> tuple[Floats, Floats]:
    """The loss of a negative and of a positive with each score: a mean loss keeps their distances from the mean."""
    assert measure.parts is not None
    any_cases = ScoreTable(score, np.ones(len(score)), np.ones(len(score)))
    mean = float(measure(any_cases))
    of_negatives, of_positives = measure.parts(any_cases)
    return of_negatives + mean, of_positives + mean
