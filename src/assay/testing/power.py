"""The power of a gate: the probability that it fails a classifier with a true value worse than the bound.

A proportion is summed exactly over all counts, with the verdict of the gate's own interval for each. Other measures are
taken as normal about the value asked about, with the interval that their method gives there.

Evidence on which a measure takes another value: each class reweighted as little as that takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr, logit, ndtr, ndtri

from assay.comparison import MOST_SUMMED, quantile, tango_excludes, trinomial
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.evidence.paired import PairedCorrectness
from assay.measures import Measure, matrix_influence
from assay.renderers import in_notebook
from assay.request import checked_positive
from assay.results import counted
from assay.testing.gates import FAIL, PASS, DifferenceBasis, EstimateBasis, Finding, Outcome, status_at
from assay.testing.language import Demand
from assay.text import share_words
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS, widened_level

__all__ = ["GatePower", "gate_power", "gate_powers", "tilted"]


Tiltable = TypeVar("Tiltable", bound=ConfusionMatrix | ScoreTable)
# The largest exponent of a weight, and how much of a case of either class is added with the other class's scores or
# predictions, so that a value which the sample happens to rule out can be reached.
STEEPEST, ADDED = 30.0, 0.5


def tilted(measure: Measure, evidence: Tiltable, value: float) -> Tiltable | None:
    """Return evidence of as many cases of either class on which `measure` is `value`; None where there is none.

    Cases are weighted by exp(t u), u their influence on the measure (exponential tilting, Efron 1981): of all
    distributions on these cases with that value the one nearest to theirs.

    >>> from assay.measures import roc_auc
    >>> table = ScoreTable.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 1, 0, 1, 1])
    >>> round(float(roc_auc(tilted(roc_auc, table, 0.7))), 6)
    0.7
    """
    sides, influence, rebuild = _parts_of(measure, evidence)
    if influence is None:
        return None
    scale = max(float(np.abs(influence[sides > 0]).max(initial=0.0)), 1e-300)

    def at(t: float) -> Floats:
        weights = sides * np.exp(t * np.clip(influence / scale, -1, 1))
        total = weights.sum(-1, keepdims=True)
        return np.asarray(weights / np.where(total > 0, total, 1.0) * sides.sum(-1, keepdims=True))

    def beyond(t: float) -> float:
        return float(measure(rebuild(at(t)))) - value

    low, high = beyond(-STEEPEST), beyond(STEEPEST)
    if not (math.isfinite(low) and math.isfinite(high) and low * high <= 0):
        return None
    return rebuild(at(float(brentq(beyond, -STEEPEST, STEEPEST, xtol=1e-6))))


Parts = tuple[Floats, Floats | None, Callable[[Floats], Tiltable]]


def _parts_of(measure: Measure, evidence: Tiltable) -> Parts[Tiltable]:
    """The cases of each class (rows), how each moves the measure, and what makes evidence of other numbers of them."""
    parts: Any = _matrix_parts if isinstance(evidence, ConfusionMatrix) else _table_parts
    return parts(measure, evidence)  # type: ignore[no-any-return]


def _matrix_parts(measure: Measure, matrix: ConfusionMatrix) -> Parts[ConfusionMatrix]:
    known = matrix.counts
    sides = known + ADDED / known.shape[-1] * (known.sum(-1, keepdims=True) > 0)
    sides = sides if matrix.clusters is None else known

    def rebuild(counts: Floats) -> ConfusionMatrix:
        factor = np.divide(counts, known, out=np.ones_like(counts), where=known > 0)
        squares = None if matrix.squares is None else matrix.squares * factor
        clusters = None if matrix.clusters is None else matrix.clusters * factor
        return replace(matrix, counts=counts, squares=squares, clusters=clusters, ends=None)

    return sides, matrix_influence(measure, rebuild(sides)), rebuild


def _table_parts(measure: Measure, table: ScoreTable) -> Parts[ScoreTable]:
    known = np.stack([table.negative, table.positive])
    sizes = known.sum(-1, keepdims=True)
    other = known[::-1] * ADDED / np.maximum(sizes[::-1], 1e-300)
    sides = known if table.rows is not None or table.is_weighted else (known + other) * sizes / (sizes + ADDED)

    def rebuild(counts: Floats) -> ScoreTable:
        factor = np.divide(counts, known, out=np.ones_like(counts), where=known > 0)
        of_negatives, of_positives = (
            None if squares is None else squares * each
            for squares, each in zip((table.negative_squares, table.positive_squares), factor, strict=True)
        )
        rows = table.rows
        if rows is not None:
            weight = rows.weight * factor[rows.is_positive.astype(np.intp), rows.position]
            rows = rows._replace(weight=weight)
        return ScoreTable(table.score, counts[0], counts[1], table.classes, of_negatives, of_positives, rows)

    return sides, _influence(measure, rebuild(sides)), rebuild


def _influence(measure: Measure, table: ScoreTable) -> Floats | None:
    """What a negative (first row) and a positive at each score move a measure by."""
    if measure.pairs is not None:
        of_negatives, of_positives = table.positives_above, table.negatives_below
        sides = np.stack([of_negatives / float(table.positives), of_positives / float(table.negatives)])
        return np.asarray(
            math.copysign(1.0, measure.pairs.scale) * (sides - float((sides[1] @ table.positive) / table.positives))
        )
    if measure.moved_by is None:
        return None
    return np.asarray(np.stack([np.broadcast_to(side, table.score.shape) for side in measure.moved_by(table)]))


EXACT, TRINOMIAL = "exact binomial", "exact, observed disagreement"
AT_VALUE, AS_SEEN = "normal, interval at that value", "normal, interval of the observed width"
# Steps in which the estimate at which a verdict changes is found: each moves the limit onto the bound.
STEPS = 4


@dataclass(frozen=True, slots=True)
class GatePower:
    """How often a demand fails, and how often it is not passed, if the true value lies `worse` beyond its bound.

    Either follows from the true value and the number of cases, never from the value that was seen; `method` is how.
    """

    demand: str
    model: str
    worse: float
    fails: float
    stops: float
    n: float
    undefined: str | None = None
    method: str = "none"

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        of_model = f" of {self.model}" if self.model else ""
        if self.undefined is not None:
            return f"The power of {self.demand}{of_model} is undefined: {self.undefined}."
        cases = counted(round(self.n), "case")
        often = f"in {share_words(self.fails)} of runs"
        if self.fails != self.stops:
            often += f", and would not let it pass in {share_words(self.stops)}"
        return (
            f"{self.demand}{of_model}: these {cases} would fail a true value {self.worse:g} beyond the bound {often}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None."""
        return {name: None if value != value else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class _Often:
    """How often a demand fails, how often it does not pass, and how that was found."""

    fails: float
    stops: float
    method: str


def gate_powers(outcomes: Sequence[Outcome], worse: float) -> list[GatePower]:
    """Return the power of every demand."""
    return [gate_power(finding, worse, one.model) for one in outcomes for finding in one.findings]


def gate_power(finding: Finding, worse: float, model: str = "") -> GatePower:
    """How often so many cases fail a demand, if the true value lies so much on the wrong side of its bound.

    >>> from assay.testing import Gate
    >>> (outcome,) = Gate.of([0, 0, 1, 1, 1, 0] * 200, y_pred=[0, 1, 1, 0, 1, 0] * 200).check("accuracy >= 0.8")
    >>> gate_power(outcome.findings[0], 0.03)
    accuracy >= 0.8: these 1,200 cases would fail a true value 0.03 beyond the bound in 71.9 % of runs, and would ...
    """
    checked_positive(worse, "power_for", "the distance of a true value from the bound, above 0")
    found, demand, nan = finding.found, finding.demand, math.nan
    truth = demand.bound - worse if _is_lower_bound(demand) else demand.bound + worse
    reason = found.undefined if math.isnan(found.low) else _impossible_value_reason(finding, truth)
    often = reason or _pass_probability(finding, truth)
    if isinstance(often, str):
        return GatePower(str(demand), model, worse, nan, nan, found.n, often)
    return GatePower(str(demand), model, worse, often.fails, often.stops, found.n, None, often.method)


def _impossible_value_reason(finding: Finding, truth: float) -> str | None:
    """Why there is no such true value."""
    basis, bounds = finding.basis, (-math.inf, math.inf)
    if isinstance(basis, EstimateBasis):
        bounds = basis.measure.bounds
    elif isinstance(basis, DifferenceBasis) and basis.right is not None:
        bounds = (-1.0, 1.0)
    is_inside = bounds[0] <= truth <= bounds[1]
    return None if is_inside else f"{finding.demand.quantity} cannot be {truth:g}, this far beyond the bound"


def _pass_probability(finding: Finding, truth: float) -> _Often | str:
    basis, demand = finding.basis, finding.demand
    right = basis.right if isinstance(basis, DifferenceBasis) else None
    if isinstance(basis, DifferenceBasis) and right is not None and 0 < float(right.total) <= MOST_SUMMED:
        return _paired_pass_probability(demand, right, basis.sign, truth, finding.found.level)
    if isinstance(basis, EstimateBasis):
        if _is_plain_share(basis):
            return _share_pass_probability(demand, basis, truth, finding.found.level, finding.found.n)
        often = _pass_probability_at_value(demand, basis, truth)
        if often is not None:
            return often
    return _pass_probability_as_observed(finding, truth)


def _is_lower_bound(demand: Demand) -> bool:
    return demand.operator in (">", ">=")


def _is_plain_share(basis: EstimateBasis) -> bool:
    """Whether the gate looks at a proportion of independent cases."""
    matrix, methods = basis.evidence, basis.measure.intervals.methods
    is_share = basis.measure.parts is not None and next(iter(methods)) == "Wilson"
    return is_share and isinstance(matrix, ConfusionMatrix) and matrix.clusters is None


def _share_pass_probability(demand: Demand, basis: EstimateBasis, truth: float, level: float, cases: float) -> _Often:
    """Summed over all counts: with weights, of as many equal cases as are worth as much (Kish)."""
    n, folds = max(1, round(cases)), basis.evaluation.fold_count
    at = level if folds is None else widened_level(level, folds)
    wilson = PROPORTION_METHODS["Wilson"]

    def status(count: int) -> str:
        low, high = wilson(count, n, at)
        return status_at(demand, min(low, count / n), count / n, max(high, count / n))

    if _is_lower_bound(demand):
        failing = _first_count(n, lambda count: status(count) != FAIL)
        passing = _first_count(n, lambda count: status(count) == PASS)
        return _Often(_probability_below(failing, n, truth), _probability_below(passing, n, truth), EXACT)
    failing, passing = (
        _first_count(n, lambda count: status(count) == FAIL),
        _first_count(n, lambda count: status(count) != PASS),
    )
    return _Often(1 - _probability_below(failing, n, truth), 1 - _probability_below(passing, n, truth), EXACT)


def _first_count(n: int, holds: Callable[[int], bool]) -> int:
    """The first count of 0 to n at which something holds that then holds at all larger ones; n + 1: at none."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _probability_below(count: int, n: int, share: float) -> float:
    """The binomial probability of fewer than so many."""
    return float(bdtr(count - 1, n, share)) if count > 0 else 0.0


def _paired_pass_probability(demand: Demand, right: PairedCorrectness, sign: int, truth: float, level: float) -> _Often:
    """Summed over how many cases only either classifier gets right, which as many in all do as here."""
    n, gap = float(right.total), sign * truth
    discordant = max(float(right.only_first + right.only_second) / n, abs(gap))
    first, second, weight = trinomial(round(n), (discordant + gap) / 2, (discordant - gap) / 2)
    values, limit = sign * (first - second) / n, demand.quantity.limit
    above, below = tango_excludes(first, second, n, sign * demand.bound, level)
    if sign < 0:
        above, below = below, above
    on_right, on_wrong = (above, below) if _is_lower_bound(demand) else (below, above)
    if limit == "value":
        passes = np.array([demand.holds(value) for value in values.tolist()])
        fails = ~passes
    elif limit is None:
        fails, passes = on_wrong, on_right
    else:
        # One limit alone keeps the bound where it lies on its right side, or is not excluded from it.
        is_near = (limit == "low") == _is_lower_bound(demand)
        passes = on_right if is_near else ~on_wrong
        fails = ~passes
    return _Often(float(weight @ fails), 1 - float(weight @ passes), TRINOMIAL)


def _pass_probability_at_value(demand: Demand, basis: EstimateBasis, truth: float) -> _Often | None:
    """Normal about the true value, with verdicts from the interval that the gate's method gives at each estimate."""
    at_truth = _interval_at(basis, truth)
    if at_truth is None:
        return None
    error = at_truth[2]
    is_share = basis.measure.bounds == (0.0, 1.0)

    def up_to(value: float) -> float:
        """How often the estimate lies below a value."""
        if is_share and 0 < truth < 1:
            if not 0 < value < 1:
                return float(value >= 1)
            return float(ndtr((logit(value) - logit(truth)) * truth * (1 - truth) / error))
        return float(ndtr((value - truth) / error))

    ends = {end: _estimate_with_limit(basis, demand.bound, end) for end in ("low", "high")}
    if any(value is None for value in ends.values()):
        return None
    below = {end: up_to(value) for end, value in ends.items() if value is not None} | {"value": up_to(demand.bound)}
    wrong = below if _is_lower_bound(demand) else {end: 1 - share for end, share in below.items()}
    limit = demand.quantity.limit
    if limit is not None:
        return _Often(wrong[limit], wrong[limit], AT_VALUE)
    return _Often(min(wrong["low"], wrong["high"]), max(wrong["low"], wrong["high"]), AT_VALUE)


def _estimate_with_limit(basis: EstimateBasis, bound: float, end: str) -> float | None:
    """The estimate whose lower or upper limit is the bound, by steps that move the limit there."""
    least, most = basis.measure.bounds
    value = bound
    for _ in range(STEPS):
        found = _interval_at(basis, value)
        if found is None:
            return None
        limit = found[0] if end == "low" else found[1]
        moved = value + bound - limit
        if not least < moved < most:
            # No estimate has a limit there: as far as it goes.
            return moved
        value = moved
    return value


def _interval_at(basis: EstimateBasis, value: float) -> tuple[float, float, float] | None:
    """The gate's own interval on cases like these whose value is this, and the standard error."""
    evidence = basis.evidence
    if not isinstance(evidence, ConfusionMatrix | ScoreTable):
        return None
    moved = tilted(basis.measure, evidence, value)
    found = None if moved is None else basis.at(moved)
    if found is None or not math.isfinite(found.high - found.low):
        return None
    half = (found.high - found.low) / 2
    error = found.se if found.se is not None else half / quantile(found.level)
    return (found.low, found.high, error) if error > 0 else None


def _pass_probability_as_observed(finding: Finding, truth: float) -> _Often | str:
    """Normal about the true value, with an interval as wide as the one at hand."""
    found, demand = finding.found, finding.demand
    half, z = (found.high - found.low) / 2, float(ndtri(0.5 + found.level / 2))
    error = found.se if found.se is not None else half / z
    if not (math.isfinite(error) and error > 0):
        return "the interval has no width"
    away, limit = abs(truth - demand.bound) / error, demand.quantity.limit
    flatters = "high" if _is_lower_bound(demand) else "low"
    reach = half / error
    shift = {None: -reach, "value": 0.0}.get(limit, -reach if limit == flatters else reach)
    fails = float(ndtr(away + shift))
    return _Often(fails, float(ndtr(away + reach)) if limit is None else fails, AS_SEEN)
