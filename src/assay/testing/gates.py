"""Gates: requirements on the predictions of a classifier, with four outcomes.

What a requirement was checked on: what its own interval would be on more cases, or at another value.

The classifier of another file, about the same cases: what `delta(roc_auc, base.csv)` is a difference from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from assay.comparison import Difference, about, cases_factor
from assay.errors import AssayError, OptionError, UnknownName
from assay.evaluation import (
    Comparison,
    Evaluation,
    TwoClassEvaluation,
    compare,
    compared,
    evaluate,
    evaluated,
    half_width_at,
)
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import PairedCorrectness
from assay.measures import Measure, find, registry
from assay.renderers import in_notebook
from assay.request import GateOptions, Request, front_door
from assay.results import Estimate, counted, open_in_cells
from assay.sources import listed, shown
from assay.testing.language import CheckedQuantity, Demand, Requirement, parse
from assay.text import bounds_words, decimals, rounded

__all__ = [
    "FAIL",
    "INCONCLUSIVE",
    "IN_WORDS",
    "LIMIT_NAMES",
    "MOST_DIGITS",
    "OF_ROWS",
    "OPEN_IN_CELLS",
    "PASS",
    "UNJUDGED",
    "BaselineComparison",
    "Basis",
    "DifferenceBasis",
    "EstimateBasis",
    "Finding",
    "Gate",
    "Outcome",
    "compared_with",
    "half_as_wide",
    "judge",
    "status_at",
    "status_of",
]


@dataclass(frozen=True, eq=False)
class EstimateBasis:
    """A measure, the evidence it was computed from, and the evaluation that knows which interval it has."""

    evaluation: Evaluation
    measure: Measure
    evidence: Any

    def at(self, evidence: Any) -> Estimate:
        """Return the estimate, by the same method and at the same level, on other evidence."""
        return self.evaluation.estimate_of(self.measure, evidence)

    @property
    def half_width(self) -> Callable[[float], float] | None:
        """Return what tells half the width of the interval on so many times as many cases like these."""
        is_of_folds = self.evaluation.fold_count is not None
        return None if is_of_folds else half_width_at(self.at, self.evidence)


@dataclass(frozen=True, eq=False)
class DifferenceBasis:
    """A difference of two classifiers on more cases; of shares of right answers also who was right, and the sign."""

    found: Difference
    right: PairedCorrectness | None = None
    sign: int = 1

    @property
    def half_width(self) -> Callable[[float], float] | None:
        """Return what tells half the width of the interval on so many times as many cases like these."""
        return None if self.found.forecast is None else self.found.forecast.half_width


Basis = EstimateBasis | DifferenceBasis


def half_as_wide(found: Estimate | Difference, basis: Basis | None, rows: int, *, clustered: bool) -> str:
    """What more rows would do. It looks at the width alone: the distance from the bound is itself a matter of luck."""
    now = (found.high - found.low) / 2
    factor = cases_factor(now, now / 2, None if basis is None else basis.half_width)
    where = ", in new clusters," if clustered else ""
    more = about(rows * (factor - 1))
    return (
        f"About {more:,} more rows like these{where} would halve the width of the interval; whether it then meets the "
        "bound depends on the true value."
    )


OF_ROWS = ("weight", "count", "cluster", "fold")


@dataclass(frozen=True, eq=False)
class BaselineComparison:
    """Two classifiers side by side: the one that is checked, and the one it is compared with."""

    comparison: Comparison
    ours: str
    theirs: str
    matched: str

    def difference(self, measure: str) -> Difference:
        """How much higher a measure is for the one that is checked."""
        cmp, pair = self.comparison, (self.ours, self.theirs)
        obstacles = (cmp.models[name].reason_unavailable(measure) for name in pair)
        reason = next((obstacle for obstacle in obstacles if obstacle is not None), None)
        if reason is None:
            try:
                return cmp.difference(measure, *pair)
            except OptionError as error:
                # Some measures have no test of a difference, and say so when they are asked for one.
                reason = str(error)
        nan = math.nan
        return Difference(measure, *pair, nan, nan, nan, cmp.level, nan, "none", cmp.n, reason)

    def basis(self, measure: Measure, found: Difference) -> DifferenceBasis:
        """What a difference rests on: who was right, where right answers are compared and every case counts once."""
        answers, cmp = measure.answers, self.comparison
        if answers is None or any(cmp.models[name].reason_unavailable(measure) for name in (self.ours, self.theirs)):
            return DifferenceBasis(found)
        paired = cmp.decisions(self.ours, self.theirs)
        if paired.squares is not None or paired.clusters is not None:
            return DifferenceBasis(found)
        return DifferenceBasis(found, paired.correctness(answers.within), answers.sign)


def compared_with(
    base: str,
    data: Any,
    models: Mapping[str, Evaluation],
    model: str,
    request: Request,
) -> BaselineComparison:
    """One of the models beside that of another file: case by case, by id where there is one, else in the same order."""
    is_file = isinstance(data, str | PathLike)
    if is_file and (request.id is not None or "id" in models[model].source.design):
        return _baseline_by_id(base, data, models, model, request)
    kept = ("missing", "threshold", "level", "seed")
    asked = request if is_file else Request.of({name: getattr(request, name) for name in kept})
    if not is_file:
        ours = models[model]
        asked = asked.replace({"positive": ours.positive if isinstance(ours, TwoClassEvaluation) else None})
    return _baseline_by_row_order(base, models[model], evaluated(Path(base), asked), model, is_file=is_file)


def _baseline_by_row_order(
    base: str, ev: Evaluation, others: Mapping[str, Evaluation], model: str, *, is_file: bool
) -> BaselineComparison:
    """Both take row by row for the same case, and so what is known of ours (weights, clusters) for that of theirs."""
    theirs = others[_baseline_model(base, list(others), model)]
    if ev.predictions is None or theirs.predictions is None:
        raise AssayError("there are counts and no rows; needed: the rows, to compare classifiers case by case")
    _refuse_unsure_order(base, ev, theirs, is_file=is_file)
    rows = replace(theirs.predictions, **{role: getattr(ev.predictions, role) for role in OF_ROWS})
    given = theirs.threshold_used if isinstance(theirs, TwoClassEvaluation) and theirs.threshold_was_given else None
    again = evaluate(rows, threshold=given, level=ev.level, seed=ev.seed)
    cmp = compare({"checked": ev, "base": again}, level=ev.level, seed=ev.seed)
    return BaselineComparison(cmp, "checked", "base", ", matched by the order of the rows")


def _baseline_by_id(
    base: str, data: Any, models: Mapping[str, Evaluation], model: str, request: Request
) -> BaselineComparison:
    source = models[model].source
    if str(data) == "-":
        raise AssayError("standard input cannot be read again to join it by id; needed: a file, to compare with a base")
    if "model" in source.columns:
        raise AssayError(
            f"{shown(source.name)} names its models in a column, so it cannot be joined with {shown(base)}; "
            "needed: one column of scores for each model"
        )
    cmp = compared([data, base], request.replace({"keep_ids": False}))
    names = list(cmp.unmatched or {})
    ours, theirs = names[: len(models)], names[len(models) :]
    return BaselineComparison(
        cmp, ours[list(models).index(model)], _baseline_model(base, theirs, model), ", matched by id"
    )


def _baseline_model(base: str, names: Sequence[str], model: str) -> str:
    """The only model of the other file, or the one called the same."""
    if len(names) == 1:
        return names[0]
    # A join of two files with the same models puts the second file's name before those of its own.
    for name in (model, f"{Path(base).name.split('.')[0]} {model}"):
        if name in names:
            return name
    raise AssayError(f"{shown(base)} holds the models {listed(names)}; needed: one, or one called {shown(model)}")


def _refuse_unsure_order(base: str, ours: Evaluation, theirs: Evaluation, *, is_file: bool) -> None:
    if ours.source.dropped or theirs.source.dropped:
        raise AssayError(
            f"rows with missing values were left out, so those of {shown(base)} no longer match by their order; "
            "needed: a column id in both files"
        )
    if ours.source.rows != theirs.source.rows:
        raise AssayError(
            f"{shown(base)} has {counted(theirs.source.rows, 'row')} and {shown(ours.source.name)} has "
            f"{ours.source.rows:,}; needed: the same cases in the same order, or a column id in both files"
        )
    if is_file and "id" in theirs.source.design:
        raise AssayError(
            f"{shown(base)} has a column of ids and {shown(ours.source.name)} has none; needed: the same ids in both"
        )


PASS, FAIL, INCONCLUSIVE = "pass", "fail", "inconclusive"
# No number to hold against the bound: such a requirement could never fail, so it must not count as met.
UNJUDGED = "unjudged"
IN_WORDS = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}
LIMIT_NAMES = {"low": "lower limit", "value": "value, whatever its interval,", "high": "upper limit"}
MOST_DIGITS = 15
OPEN_IN_CELLS = (
    ", with scores at the centres of their bins, but not for all scores within the binning bounds. "
    "Use narrower bins: assay reduce with more --bits, or without --least."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one demand: its status, its estimate or difference, and a sentence with both."""

    demand: Demand
    status: str
    found: Estimate | Difference
    sentence: str
    basis: Basis | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None."""
        asked = self.demand.quantity
        return {
            "demand": str(self.demand),
            "status": self.status,
            "measure": self.found.name if isinstance(self.found, Estimate) else self.found.measure,
            "limit": asked.limit,
            "class": asked.of_class,
            "group": asked.group,
            "base": asked.base,
            "operator": self.demand.operator,
            "bound": self.demand.bound,
            "found": self.found.to_dict(),
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a requirement: failed if any demand failed, passed if all passed."""

    requirement: Requirement
    findings: tuple[Finding, ...]
    model: str = ""

    _repr_html_ = in_notebook

    @property
    def status(self) -> str:
        """ "pass", "fail", "inconclusive", or "unjudged" where a number that it needs does not exist."""
        return status_of(finding.status for finding in self.findings)

    @property
    def needs_fresh_cases(self) -> bool:
        """Whether adding cases and testing again would not keep the level; limits of a stream allow for every look."""
        return any(one.status == INCONCLUSIVE and not one.demand.is_of_stream for one in self.findings)

    @property
    def sentence(self) -> str:
        """The results, one sentence per demand."""
        return " ".join(finding.sentence for finding in self.findings)

    def __repr__(self) -> str:
        of_model = f" ({self.model})" if self.model else ""
        return f"{self.status}: {self.requirement}{of_model}\n{self.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        return {
            "requirement": str(self.requirement),
            "model": self.model,
            "status": self.status,
            "sentence": self.sentence,
            "demands": [finding.to_dict() for finding in self.findings],
        }


def status_of(statuses: Any) -> str:
    """What several statuses come to together: the worst of them.

    >>> status_of(["pass", "inconclusive"]), status_of(["inconclusive", "fail"]), status_of([])
    ('inconclusive', 'fail', 'pass')
    >>> status_of(["inconclusive", "unjudged"]), status_of(["unjudged", "fail"])
    ('unjudged', 'fail')
    """
    seen = set(statuses)
    return next((status for status in (FAIL, UNJUDGED, INCONCLUSIVE) if status in seen), PASS)


@dataclass(frozen=True, eq=False)
class Gate:
    """The models of one source, to check requirements on each of them.

    >>> gate = Gate.of([0, 0, 1, 1, 1, 0] * 50, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 50)
    >>> gate.check("roc_auc >= 0.8")
    [pass: roc_auc >= 0.8
    ROC AUC is 0.889 [0.848, 0.920] (95 % interval, DeLong, logit; 300 cases): all of the interval is at least 0.8.]
    >>> gate.check("recall > 0.7")[0].status, gate.check("recall.value > 0.7")[0].status
    ('inconclusive', 'fail')
    """

    data: Any
    models: Mapping[str, Evaluation]
    request: Request = field(default_factory=Request)
    _baselines: dict[tuple[str, str], BaselineComparison] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    @front_door
    def of(cls, y_true: Any, y_score: Any = None, y: Any = None, **options: Unpack[GateOptions]) -> Gate:
        """From whatever `assay.evaluate_models` takes; `id` names the column that joins cases with those of a base."""
        return cls.asked(y_true, Request.of({**options, "y_score": y_score, "y": y}))

    @classmethod
    def asked(cls, data: Any, request: Request) -> Gate:
        """The same from a request."""
        if request.id is not None and not isinstance(data, str | PathLike):
            raise OptionError("id is given without a file", "a file, whose cases are joined with those of the base")
        # Ids are for joining only: a gate shows no rows.
        return cls(data, evaluated(data, request.replace({"keep_ids": None if request.id is None else False})), request)

    def refuse_unused(self, requirements: Sequence[Requirement]) -> None:
        """Refuse by its name what was said about the source and concerns no requirement."""
        asked = [demand.quantity for requirement in requirements for demand in requirement.demands]
        if self.request.by is not None and all(quantity.group is None for quantity in asked):
            raise OptionError(
                "by is given, but no requirement has a subgroup", 'such as roc_auc in "north"', about="by"
            )
        if self.request.id is not None and all(quantity.base is None for quantity in asked):
            raise OptionError(
                "id is given, but no requirement compares with a base", "delta(roc_auc, FILE)", about="id"
            )

    def check(self, requirement: str | Requirement) -> list[Outcome]:
        """Return the outcome of a requirement for each model."""
        asked = parse(requirement) if isinstance(requirement, str) else requirement
        is_one = len(self.models) == 1
        return [
            Outcome(
                asked, tuple(self._finding(asked, demand, name) for demand in asked.demands), "" if is_one else name
            )
            for name in self.models
        ]

    def check_stream(self) -> list[Outcome]:
        """Return the outcome of the rows, taken as a stream in their order, for each model.

        It fails where an alarm rang or all limits of the error rate lie above the bound (the request's `reference` plus
        `margin`), passes where all of them keep it, and is inconclusive in between.
        """
        from assay.testing.stream_gate import stream_outcomes

        return stream_outcomes(self.models, self.request)

    def _finding(self, requirement: Requirement, demand: Demand, model: str) -> Finding:
        asked, ev = demand.quantity, self.models[model]
        if asked.base is not None:
            return self._difference(requirement, demand, model)
        part = _requested_evaluation(ev, requirement, asked)
        found, basis, clustered = (
            _requested_estimate(part, requirement, asked),
            _estimate_basis(part, requirement, asked),
            _is_clustered(part),
        )
        return judge(demand, found, _measure_title(part, asked), rows=part.n, clustered=clustered, basis=basis)

    def _difference(self, requirement: Requirement, demand: Demand, model: str) -> Finding:
        asked, ev = demand.quantity, self.models[model]
        assert asked.base is not None
        measure = _requested_measure(ev, requirement, asked)
        key = (model, asked.base)
        if key not in self._baselines:
            self._baselines[key] = compared_with(asked.base, self.data, self.models, model, self.request)
        baseline = self._baselines[key]
        title = f"{measure.title} minus that of {_model_words(asked.base)}"
        rows, matched = baseline.comparison.n, baseline.matched
        found, clustered = baseline.difference(measure.name), _is_clustered(ev)
        basis = baseline.basis(measure, found)
        return judge(demand, found, title, rows=rows, clustered=clustered, matched=matched, basis=basis)


def judge(
    demand: Demand,
    found: Estimate | Difference,
    title: str,
    *,
    rows: int,
    clustered: bool = False,
    matched: str = "",
    basis: Basis | None = None,
) -> Finding:
    """Whether an estimate keeps a bound, and what to say of it.

    `basis` is the evidence it rests on, which tells what more of it would do.

    >>> seen = Estimate("recall", 0.75, 0.68, 0.81, 0.95, "Wilson", 150)
    >>> print(judge(Demand(CheckedQuantity("recall"), ">", 0.7), seen, "Recall", rows=300).sentence)
    Recall is 0.750 [0.680, 0.810] (95 % interval, Wilson; 150 cases): part of the interval is above 0.7, part is not.
    About 900 more rows like these would halve the width of the interval; whether it then meets the bound depends on the
    true value.
    """
    limit = demand.quantity.limit
    ends = (found.low, found.high) if limit is None else (getattr(found, limit),)
    numbers = _estimate_words(demand, found, title, matched)
    if any(math.isnan(end) for end in ends):
        return Finding(demand, UNJUDGED, found, f"{numbers}. {_needed_words(demand, found)}", basis)
    down, up = open_in_cells(found)
    at_middle = _status_of(demand, ends)
    status = _status_of(demand, (min(ends) - down, max(ends) + up))
    if status != at_middle:
        return Finding(demand, status, found, f"{numbers}{_verdict_words(demand, at_middle)}{OPEN_IN_CELLS}", basis)
    more = ""
    if limit is None and status == INCONCLUSIVE and math.isfinite(found.high - found.low):
        more = f" {half_as_wide(found, basis, rows, clustered=clustered)}"
    return Finding(demand, status, found, f"{numbers}{_verdict_words(demand, status)}.{more}", basis)


def status_at(demand: Demand, low: float, value: float, high: float) -> str:
    """What a demand comes to on an estimate with these limits.

    >>> status_at(Demand(CheckedQuantity("recall"), ">", 0.7), 0.68, 0.75, 0.81)
    'inconclusive'
    """
    limit = demand.quantity.limit
    return _status_of(demand, (low, high) if limit is None else ({"low": low, "value": value, "high": high}[limit],))


def _status_of(demand: Demand, ends: tuple[float, ...]) -> str:
    kept = {demand.holds(end) for end in ends}
    return INCONCLUSIVE if len(kept) == 2 else PASS if True in kept else FAIL


def _needed_words(demand: Demand, found: Estimate | Difference) -> str:
    """What a requirement that cannot be evaluated is waiting for."""
    if math.isnan(found.value):
        return "The requirement cannot be evaluated; needed: predictions for which the measure is defined."
    as_value = replace(demand.quantity, limit="value")
    return (
        "The requirement cannot be evaluated; needed: predictions for which there is an interval, another measure, or "
        f"{as_value}, which looks at the estimate alone."
    )


def _verdict_words(demand: Demand, status: str) -> str:
    bound = f"{IN_WORDS[demand.operator]} {demand.bound:.15g}"
    if demand.quantity.limit is not None:
        return f": its {LIMIT_NAMES[demand.quantity.limit]} is {'' if status == PASS else 'not '}{bound}"
    if status == INCONCLUSIVE:
        return f": part of the interval is {bound}, part is not"
    return f": {'all' if status == PASS else 'none'} of the interval is {bound}"


def _estimate_words(demand: Demand, found: Estimate | Difference, title: str, matched: str) -> str:
    if math.isnan(found.value):
        return f"{title} is undefined: {found.undefined}"
    value, low, high = _formatted_figures(found, demand.bound)
    if math.isnan(found.low):
        return f"{title} is {value} (no interval: {found.undefined})"
    cases = counted(round(found.n, 1), "case") + matched
    open_ = f"; in cells {words}" if (words := bounds_words(found)) else ""
    return f"{title} is {value} [{low}, {high}] ({100 * found.level:g} % interval, {found.method}; {cases}{open_})"


def _formatted_figures(found: Estimate | Difference, bound: float) -> list[str]:
    """Value and limits in the digits they deserve, and in as many as show on which side of the bound each lies.

    >>> _formatted_figures(Estimate("recall", 0.84, 0.79999, 0.88, 0.95, "Wilson", 400), 0.8)
    ['0.84000', '0.79999', '0.88000']
    """
    numbers = (found.value, found.low, found.high)
    size = max(abs(one) for one in numbers if math.isfinite(one)) if math.isfinite(found.value) else 0.0
    for places in range(decimals(*numbers), MOST_DIGITS):
        if all(
            _sides_of_bound(float(f"{one:.{places}f}"), bound) == _sides_of_bound(one, bound)
            for one in numbers
            if math.isfinite(one)
        ):
            return [rounded(one, places, size) for one in numbers]
    return [repr(one) for one in numbers]


def _sides_of_bound(value: float, bound: float) -> tuple[bool, bool]:
    return value > bound, value < bound


def _requested_evaluation(ev: Evaluation, requirement: Requirement, asked: CheckedQuantity) -> Evaluation:
    """The evaluation, or that of the subgroup asked for."""
    if asked.group is None:
        return ev
    if ev.by is None:
        raise requirement.misfit(asked, "there are no subgroups; give their column: --by COLUMN, or by=")
    if asked.group not in ev.subgroups:
        names = listed(list(ev.subgroups))
        raise requirement.misfit(asked, f"{shown(ev.by)} has no subgroup {shown(asked.group)}; it has {names}")
    return ev.subgroups[asked.group]


def _requested_measure(ev: Evaluation, requirement: Requirement, asked: CheckedQuantity) -> Measure:
    """The measure of all classes that is asked for."""
    try:
        return ev.find(asked.measure)
    except UnknownName as error:
        said = str(error.args[0])
        if asked.base is None:
            said = said.replace("see per_class", f'write {asked.measure}["CLASS"]')
        else:
            said = said.replace("see per_class", "a difference applies to a measure of all classes").replace(
                ", or", ", such as"
            )
        raise requirement.misfit(asked, said) from None


def _requested_estimate(ev: Evaluation, requirement: Requirement, asked: CheckedQuantity) -> Estimate:
    if asked.of_class is None:
        return ev.estimate(_requested_measure(ev, requirement, asked))
    if asked.of_class not in ev.classes:
        names = listed(ev.classes)
        raise requirement.misfit(asked, f"there is no class {shown(asked.of_class)}; the classes are {names}")
    try:
        measure = find(asked.measure)
        if ev.matrix is None:
            # Scores without a threshold: the measure of the positive class knows why there is none.
            return ev.estimate(measure)
        if measure.of_one_class and measure.name not in registry:
            against_rest = ev.one_vs_rest_matrices[ev.classes.index(asked.of_class)]
            return ev.estimate_of(measure, against_rest)
        return ev.per_class[asked.of_class][measure.name]
    except KeyError:
        raise requirement.misfit(asked, f"{asked.measure} does not apply to one class here; omit the class") from None


def _measure_title(ev: Evaluation, asked: CheckedQuantity) -> str:
    title = (ev.find(asked.measure) if asked.of_class is None else find(asked.measure)).title
    of_class = "" if asked.of_class is None else f" of class {_model_words(asked.of_class)}"
    return title + of_class + ("" if asked.group is None else f" in {_model_words(asked.group)}")


def _estimate_basis(ev: Evaluation, requirement: Requirement, asked: CheckedQuantity) -> EstimateBasis | None:
    """The evidence that an estimate rests on, where one interval of one piece of evidence made it."""
    if asked.of_class is None:
        measure = _requested_measure(ev, requirement, asked)
        evidence: Any = None if ev.reason_unavailable(measure) else ev.evidence_for(measure)
        is_by_folds = measure.ranks_folds_apart and ev.fold_count is not None
    else:
        measure, is_by_folds = find(asked.measure), False
        of_class = measure.needs is ConfusionMatrix and ev.matrix is not None
        evidence = ev.one_vs_rest_matrices[ev.classes.index(asked.of_class)] if of_class else None
    return None if evidence is None or is_by_folds else EstimateBasis(ev, measure, evidence)


def _model_words(name: str) -> str:
    return name if name.isidentifier() or name.replace(".", "").isalnum() else shown(name)


def _is_clustered(ev: Evaluation) -> bool:
    return ev.predictions is not None and ev.predictions.cluster is not None
