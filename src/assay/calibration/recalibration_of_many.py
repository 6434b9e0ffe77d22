"""Repairing the probabilities of many classes: each by itself, the row scaled to sum to 1, or all by a temperature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, stdtrit

from assay.calibration.effect import FEWEST, NOTHING_CHANGES, RecalibrationEffect
from assay.calibration.recalibration import CLIP, RECALIBRATIONS, Recalibration
from assay.errors import OptionError
from assay.evidence import ClassScores
from assay.measures import Measure, registry_of_many
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_seed, checked_whole
from assay.results import Estimate, counted
from assay.types import Floats

__all__ = ["ClassRecalibration", "cross_fitted_of_many", "effect_on_many", "fit_many"]

# How far apart the logarithms of two temperatures may lie.
TEMPERATURES = (-5.0, 5.0)
ROC = "each class's ROC curve against the rest may change: what a class is given depends on all the others too"


@dataclass(frozen=True, eq=False)
class ClassRecalibration:
    """A function from rows of probabilities to rows of probabilities, fitted to some cases and meant for others.

    `parts` are the curves of the classes, each fitted to that class against the rest; the row is then scaled to sum to
    1. A temperature has none: it draws all classes together by one number, and never changes which is the likeliest.
    """

    method: str
    classes: tuple[str, ...]
    n: float
    parts: tuple[Recalibration, ...] = ()
    temperature: float | None = None

    _repr_html_ = in_notebook

    def __call__(self, probabilities: Any) -> Floats:
        """The repaired probabilities, a column a class."""
        given = np.asarray(probabilities, dtype=np.float64)
        if self.temperature is not None:
            return np.asarray(np.exp(log_softmax(np.log(np.clip(given, CLIP, 1.0)) / self.temperature, axis=1)))
        each = np.column_stack([part(given[:, k]) for k, part in enumerate(self.parts)])
        total = each.sum(axis=1, keepdims=True)
        # Where every class was brought down to 0 nothing is known.
        return np.where(total > 0, each / np.where(total > 0, total, 1.0), 1 / each.shape[1])

    def apply(self, scores: ClassScores) -> ClassScores:
        """The evidence as it would be with the recalibrated probabilities."""
        return ClassScores(
            self(scores.probability), scores.truth, scores.classes, scores.weight, scores.count, scores.cluster
        )


def fit_many(scores: ClassScores, method: str) -> ClassRecalibration:
    """A recalibration of many classes; "temperature" is one number for all, other methods one curve a class.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], 3000)
    >>> truth = (p.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    >>> sharp = p**2 / (p**2).sum(axis=1, keepdims=True)
    >>> round(fit_many(ClassScores.of(sharp, truth, "abc"), "temperature").temperature, 1)
    2.1

    References: Zadrozny & Elkan (2002); Guo et al. (2017).
    """
    checked_choice(method, RECALIBRATIONS, "method")
    _refuse_no_probabilities(scores)
    n = float(scores.total)
    if method == "temperature":
        return ClassRecalibration(method, scores.classes, n, temperature=_temperature(scores))
    parts = tuple(RECALIBRATIONS[method](scores.against_rest(k)) for k in range(len(scores.classes)))
    for name, part in zip(scores.classes, parts, strict=True):
        if part.undefined:
            raise OptionError(
                f"nothing was fitted to class {name!r}: {part.undefined}",
                "'isotonic' or 'venn_abers', which always fit",
            )
    return ClassRecalibration(method, scores.classes, n, parts)


def _refuse_no_probabilities(scores: ClassScores) -> None:
    if not scores.are_probabilities:
        raise OptionError("these scores of classes are no probabilities", "rows of numbers from 0 to 1 that sum to 1")


def _temperature(scores: ClassScores) -> float:
    logs = np.log(np.clip(scores.probability, CLIP, 1.0))
    own = np.arange(len(scores)), scores.truth

    def loss(log_temperature: float) -> float:
        return -float(scores.each @ log_softmax(logs / math.exp(log_temperature), axis=1)[own])

    return math.exp(minimize_scalar(loss, bounds=TEMPERATURES, method="bounded", options={"xatol": 1e-8}).x)


def effect_on_many(fitted: ClassRecalibration, scores: ClassScores, *, level: float = 0.95) -> RecalibrationEffect:
    """What a recalibration does to cases of many classes that it was not fitted to.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], 900)
    >>> truth = (p.cumsum(axis=1) < rng.random((900, 1))).sum(axis=1)
    >>> sharp = ClassScores.of(p**3 / (p**3).sum(axis=1, keepdims=True), truth, "abc")
    >>> fit_on, try_on = (ClassScores.of(sharp.probability[k::2], truth[k::2], "abc") for k in (0, 1))
    >>> effect_on_many(fit_many(fit_on, "venn_abers"), try_on).change["brier"]
    -0.081 [-0.113, -0.049]
    """
    level = checked_level(level)
    where = f"fitted to {counted(fitted.n, 'other case')}"
    return _effect(fitted.method, scores, fitted.apply(scores), level, where)


def cross_fitted_of_many(
    scores: ClassScores, method: str, *, folds: int = 5, level: float = 0.95, seed: int = 0
) -> RecalibrationEffect:
    """The same, each fold's cases mapped by what was fitted to the other folds."""
    level = checked_level(level)
    checked_whole(folds, "folds", 2)
    rng = np.random.default_rng(checked_seed(seed))
    if scores.weight is not None or scores.count is not None or scores.cluster is not None:
        raise OptionError("these cases have weights, counts or clusters", "whole, independent cases to deal out")
    fold = _dealt(scores, folds, rng)
    after = np.empty_like(scores.probability)
    for each in range(folds):
        out = fold == each
        fit_on = ClassScores(scores.probability[~out], scores.truth[~out], scores.classes)
        after[out] = fit_many(fit_on, method)(scores.probability[out])
    moved = ClassScores(after, scores.truth, scores.classes)
    return _effect(method, scores, moved, level, f"cross-fitted over {folds} folds")


def _dealt(scores: ClassScores, folds: int, rng: np.random.Generator) -> Floats:
    """The fold of each case, every class dealt out evenly."""
    fold = np.empty(len(scores))
    for k in range(len(scores.classes)):
        own = np.flatnonzero(scores.truth == k)
        fold[own] = rng.permutation(len(own)) % folds
    return fold


def _effect(method: str, before: ClassScores, after: ClassScores, level: float, fitted_to: str) -> RecalibrationEffect:
    measures = [measure for measure in registry_of_many.values() if measure.is_mean_loss]
    return RecalibrationEffect(
        method,
        {measure.name: measure.estimate(before, level=level) for measure in measures},
        {measure.name: measure.estimate(after, level=level) for measure in measures},
        {measure.name: _change(measure, before, after, level) for measure in measures},
        "the likeliest class stays the likeliest" if method == "temperature" else ROC,
        fitted_to,
    )


def _change(measure: Measure, before: ClassScores, after: ClassScores, level: float) -> Estimate:
    """How much lower a mean loss is after, with an interval from how much it moved case by case."""
    assert measure.influence is not None
    name, n = f"{measure.name}_change", float(before.total)
    with np.errstate(invalid="ignore"):
        value = float(measure(after)) - float(measure(before))
        moves = np.asarray(measure.influence(after)) - np.asarray(measure.influence(before))
    reason = _no_interval(measure, before, after, moves)
    if reason is not None:
        return Estimate(name, value, math.nan, math.nan, level, "paired", n, undefined=reason)
    error = math.sqrt(float(before.squared @ moves**2)) / n
    half = float(stdtrit(min(before.kish[before.sizes > 0]) - 1, 0.5 + level / 2)) * error
    return Estimate(name, value, value - half, value + half, level, "paired", n)


def _no_interval(measure: Measure, scores: ClassScores, after: ClassScores, moves: Floats) -> str | None:
    """Why a change has no interval, if so."""
    fewest = float(min(scores.kish[scores.sizes > 0]))
    if scores.cluster is not None:
        return "these cases come in clusters, for which no interval of a change of many classes was tried"
    ruled_out = int(((scores.probability == 0) | (after.probability == 0)).any(axis=1).sum())
    if math.isinf(measure.bounds[1]) and ruled_out:
        cases = counted(ruled_out, "case")
        return f"{cases} with a class ruled out, before or after: one that is wrong makes {measure.title} infinite"
    if fewest < FEWEST:
        return f"{counted(round(fewest), 'case')} in a class: below {FEWEST} no interval was shown to hold"
    return None if moves.any() else NOTHING_CHANGES
