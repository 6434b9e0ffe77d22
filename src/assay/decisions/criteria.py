"""What a threshold can be the best for: a cost, a distance, or any measure of decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.costs import Costs
from assay.errors import OptionError, UnknownName
from assay.evidence import ConfusionMatrix
from assay.measures import Measure, find, function_of_matrix
from assay.measures.agreement import informedness
from assay.measures.decision import expected_cost
from assay.measures.rates import fnr, fpr

__all__ = ["Criterion", "best_of", "corner_distance", "criterion_of", "reweighted"]

# Values closer than this, relative to the largest, are equal: they differ by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Criterion:
    """A measure of decisions to make as good as possible, at the prevalence of the data or at another one."""

    measure: Measure
    # Whether only the two classes' own distributions matter, the share of positives being given or irrelevant.
    is_of_each_class: bool

    @property
    def title(self) -> str:
        """What it is called."""
        return self.measure.title

    @property
    def sign(self) -> float:
        """1 where higher is better, -1 where lower is."""
        return 1.0 if self.measure.better == "higher" else -1.0

    def gains(self, matrix: ConfusionMatrix) -> Any:
        """The value of each matrix of a batch, so turned that higher is better; -inf where it is undefined."""
        gain = np.asarray(self.measure(matrix))
        gain = gain if self.sign > 0 else -gain
        is_undefined = np.isnan(gain)
        return np.where(is_undefined, -np.inf, gain) if is_undefined.any() else gain


def best_of(gains: Any) -> Any:
    """Which gains along the last axis are the highest, rounding apart."""
    top = gains.max(-1, keepdims=True)
    scale = np.maximum(1.0, np.abs(np.where(np.isfinite(top), top, 0.0)))
    return gains >= top - ROUNDING * scale


@function_of_matrix(
    family="criteria",
    title="Distance to the corner",
    notation="sqrt(FNR^2 + FPR^2)",
    bounds=(0.0, 2.0**0.5),
    better="lower",
    undefined="a class is missing",
    reference="Perkins & Schisterman (2006), who advise against it",
    of_each_class=True,
)
def corner_distance(matrix: ConfusionMatrix) -> Any:
    """How far the ROC point is from the corner where every decision is right; it stands for no cost.

    >>> corner_distance(ConfusionMatrix.binary(tp=4, fn=1, fp=1, tn=4)).round(4).item()
    0.2828
    """
    return np.hypot(fnr(matrix), fpr(matrix))


def criterion_of(by: str | Measure | None, costs: Costs | None, prevalence: float | None) -> Criterion:
    """What `choose_threshold` was asked to make as good as possible.

    >>> criterion_of("f1", None, None).title
    'F1'
    >>> criterion_of("recal", None, None)
    Traceback (most recent call last):
    assay.errors.UnknownName: there is no measure 'recal'; did you mean recall?; needed: 'cost', 'youden', ...
    """
    if costs is not None and by not in (None, "cost"):
        raise OptionError(
            f"both costs and {_criterion_name(by)!r} are given", "one of them: a threshold is best for one thing"
        )
    if costs is not None:
        where = costs if prevalence is None else costs.at(prevalence)
        return Criterion(expected_cost(where), is_of_each_class=where.prevalence is not None)
    if by is None or by == "cost":
        raise OptionError("specify what to optimize", "costs, or a measure to make as good as possible")
    measure = _criterion_measure(by)
    if measure.needs is not ConfusionMatrix or measure.better == "neither":
        raise OptionError(
            f"{measure.name} is no measure of predictions at a threshold", "a measure of decisions, such as 'f1'"
        )
    if prevalence is None or measure.of_each_class:
        return Criterion(measure, is_of_each_class=measure.of_each_class)
    return Criterion(_measure_at_prevalence(measure, prevalence), is_of_each_class=True)


def reweighted(matrix: ConfusionMatrix, prevalence: float) -> ConfusionMatrix:
    """The same decisions where this share of cases is positive; nan where a class is missing.

    >>> reweighted(ConfusionMatrix.binary(tp=8, fn=2, fp=1, tn=9), 0.2).counts
    array([[14.4,  1.6],
           [ 0.8,  3.2]])
    """
    sizes = matrix.actual
    wanted = np.array([1 - prevalence, prevalence]) * np.asarray(matrix.total)[..., None]
    factor = np.divide(wanted, sizes, out=np.full(np.shape(sizes), np.nan), where=sizes > 0)
    return ConfusionMatrix(matrix.counts * factor[..., None], matrix.classes, matrix.decisions)


def _measure_at_prevalence(measure: Measure, prevalence: float) -> Measure:
    """A measure of the same decisions at another prevalence, its interval from the posterior of the matrix."""

    def formula(matrix: ConfusionMatrix) -> Any:
        return measure(reweighted(matrix, prevalence))

    formula.__name__ = formula.__qualname__ = measure.name
    formula.__doc__, formula.__module__ = measure.__doc__, __name__
    make: Callable[[Callable[[ConfusionMatrix], Any]], Measure] = function_of_matrix(
        family="criteria",
        title=f"{measure.title} at prevalence {prevalence:g}",
        notation=measure.notation,
        bounds=measure.bounds,
        better=measure.better,
        undefined=f"a class is missing, or {measure.undefined}",
        made_by=(_measure_at_prevalence, (measure, prevalence)),
    )
    return make(formula)


def _criterion_measure(by: str | Measure) -> Measure:
    if isinstance(by, Measure):
        return by
    if not isinstance(by, str):
        return find(by)
    named = {"youden": informedness, "closest": corner_distance, "corner_distance": corner_distance}
    key = by.strip().lower()
    if key in named:
        return named[key]
    try:
        return find(by)
    except UnknownName as error:
        raise UnknownName(error.found, "'cost', 'youden', 'closest', or a measure of decisions") from None


def _criterion_name(by: str | Measure | None) -> str:
    return by.name if isinstance(by, Measure) else str(by)
