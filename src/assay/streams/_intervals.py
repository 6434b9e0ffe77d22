"""Intervals of what a view holds that respect how events depend on those before them; at one look."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison import score_influence
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, matrix_influence
from assay.results import Estimate, Interval
from assay.streams._baselines import BaselineKappa
from assay.streams._memory import Memory
from assay.streams._ring import unpacked
from assay.streams._window import Window
from assay.types import Codes, Floats
from assay.uncertainty import dependent_interval, dependent_mean

if TYPE_CHECKING:
    from assay.streams.view import View

__all__ = ["dependent_estimate"]

FADES = "of events that fade no interval under dependence was found to hold: look at a window, or at all events"
NO_ORDER = "all events are kept as sums, and these do not tell how scores depend on one another: look at a window"
NO_MOVES = "how much each event moves it is not known"


def dependent_estimate(view: View, measure: Measure | BaselineKappa, value: float, level: float) -> Estimate:
    """A measure of a view with limits by the long-run variance of how much each event moves it."""
    tally, n = view.tally, float(len(view))
    if isinstance(tally, Window):
        moves = _moves(view, tally, measure, value)
    elif tally is None or tally.is_fading:
        moves = FADES
    elif tally.batches is None:
        moves = NO_ORDER
    elif isinstance(measure, Measure) and measure.needs is ConfusionMatrix:
        moves = _of_batches(view, tally, measure)
    else:
        moves = NO_ORDER
    found = Interval.missing("none", moves) if isinstance(moves, str) else _interval(value, moves, level, measure)
    if found.undefined is not None:
        return Estimate(measure.name, value, math.nan, math.nan, level, found.method, n, undefined=found.undefined)
    low, high = min(found.low, value), max(found.high, value)
    return Estimate(measure.name, value, low, high, level, found.method, n)


def _interval(value: float, moves: Floats, level: float, measure: Measure | BaselineKappa) -> Interval:
    if not math.isfinite(value):
        return Interval.missing("none", f"at {value:g} no event moves it by how much it might")
    outcomes = moves + value
    rounded = np.rint(outcomes)
    # A share of all events: each is in it or not, which says more than how much it moves.
    if np.all(np.abs(outcomes - rounded) < 1e-9) and rounded.min() >= 0 and rounded.max() <= 1:
        found = dependent_mean(rounded, level, name=measure.name)
        return Interval(found.low, found.high, found.method, found.undefined)
    bounds = measure.bounds if isinstance(measure, Measure) else (-math.inf, 1.0)
    return dependent_interval(value, moves, level, bounds=bounds)


def _moves(view: View, window: Window, measure: Measure | BaselineKappa, value: float) -> Floats | str:
    """How much each event of a window moves a measure, in their order."""
    held = window.ring.held()
    truth, decision, same, majority = unpacked(held.codes)
    if isinstance(measure, BaselineKappa):
        return _of_kappa(truth == decision, same if measure.hits == "same" else majority, value)
    if measure.needs is ConfusionMatrix:
        at = view.places()
        return np.asarray(matrix_influence(measure.formula, view.matrix)[at[truth], at[decision]])
    table = view.table
    if measure.needs is not ScoreTable or table is None or held.scores is None:
        return NO_MOVES
    if measure.pairs is None and measure.moved_by is None:
        return NO_MOVES
    return np.asarray(score_influence(measure, table, held.scores, truth == 1))


def _of_kappa(right: Any, hits: Codes, value: float) -> Floats:
    """(p - q) / (1 - q) moves by how much its two shares move."""
    p, q = float(np.mean(right)), float(np.mean(hits))
    moved = (right - p) / (1 - q) - (hits - q) * (1 - p) / (1 - q) ** 2
    return np.asarray(moved, dtype=np.float64)


def _of_batches(view: View, memory: Memory, measure: Measure) -> Floats:
    """How much the mean event of each stretch moves a measure."""
    assert memory.batches is not None
    at = view.places()
    per_cell = matrix_influence(measure.formula, view.matrix)[np.ix_(at, at)].ravel()
    return np.asarray(memory.batches.finished() @ per_cell / memory.batches.length)
