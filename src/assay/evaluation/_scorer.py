"""Measures as scorers: what cross_val_score, GridSearchCV and their kin take as `scoring`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from assay.errors import OptionError, UnknownName
from assay.evaluation._evaluate import evaluate
from assay.measures import Measure, find, find_for_many

__all__ = ["Scorer", "scorer"]


@dataclass(frozen=True)
class Scorer:
    """A measure as scikit-learn's searches call it: of a fitted classifier, cases and their classes; higher is better.

    `sign` is -1 where lower values of the measure are better, so that a search for the highest finds the best.
    """

    measure: str
    positive: Any = None
    sign: int = 1

    def __repr__(self) -> str:
        said = "" if self.positive is None else f", positive={self.positive!r}"
        return f"assay.scorer({self.measure!r}{said})"

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803 -- scikit-learn's
        """The measure of what the classifier says of these cases, times the sign; nan where it is undefined."""
        ev = evaluate(estimator, X, y, positive=self.positive, weight=sample_weight)
        found = ev.find(self.measure)
        obstacle = ev.applies(found)
        if obstacle is not None:
            raise OptionError(f"{found.name} of this {type(estimator).__name__}: {obstacle}", "a measure that applies")
        value = float(found(ev.evidence_for(found)))
        return math.nan if math.isnan(value) else self.sign * value


def scorer(measure: str | Measure, *, positive: Any = None) -> Scorer:
    """A measure as a scorer for scikit-learn: `cross_val_score(model, X, y, scoring=assay.scorer("h_measure"))`.

    Any name that `ev.estimate` takes will do, with parameters too. Measures that should be low come with their sign
    turned, as scikit-learn's own losses do. `positive` names the positive of two classes where it is not the second.

    >>> scorer("h_measure"), scorer("log_loss").sign
    (assay.scorer('h_measure'), -1)
    >>> scorer("prevalence")
    Traceback (most recent call last):
    assay.errors.OptionError: prevalence says nothing about a classifier; needed: a measure that should be high or low
    """
    found = measure if isinstance(measure, Measure) else _known(measure)
    if found.better == "neither":
        raise OptionError(f"{found.name} says nothing about a classifier", "a measure that should be high or low")
    name = found.name if isinstance(measure, Measure) else measure
    return Scorer(name, positive, -1 if found.better == "lower" else 1)


def _known(name: str) -> Measure:
    """The measure called so of two classes, else of many."""
    try:
        return find(name)
    except UnknownName:
        try:
            return find_for_many(name)
        except UnknownName:
            pass
        raise
