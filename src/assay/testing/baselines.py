"""The classifier of another file, about the same cases: what `delta(roc_auc, base.csv)` is a difference from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from assay.comparison import Difference
from assay.errors import AssayError, OptionError
from assay.evaluation import Comparison, Evaluation, TwoClassEvaluation, compare, compared, evaluate, evaluated
from assay.measures import Measure
from assay.request import Request
from assay.results import counted
from assay.sources import listed, shown
from assay.testing.basis import DifferenceBasis

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
        obstacles = (cmp.models[name].applies(measure) for name in pair)
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
        if answers is None or any(cmp.models[name].applies(measure) for name in (self.ours, self.theirs)):
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
        return _joined(base, data, models, model, request)
    kept = ("missing", "threshold", "level", "seed")
    asked = request if is_file else Request.of({name: getattr(request, name) for name in kept})
    if not is_file:
        ours = models[model]
        asked = asked.but({"positive": ours.positive if isinstance(ours, TwoClassEvaluation) else None})
    return _in_order(base, models[model], evaluated(Path(base), asked), model, is_file=is_file)


def _in_order(
    base: str, ev: Evaluation, others: Mapping[str, Evaluation], model: str, *, is_file: bool
) -> BaselineComparison:
    """Both take row by row for the same case, and so what is known of ours (weights, clusters) for that of theirs."""
    theirs = others[_same_model(base, list(others), model)]
    if ev.predictions is None or theirs.predictions is None:
        raise AssayError("there are counts and no rows; needed: the rows, to compare classifiers case by case")
    _refuse_unsure_order(base, ev, theirs, is_file=is_file)
    rows = replace(theirs.predictions, **{role: getattr(ev.predictions, role) for role in OF_ROWS})
    given = theirs.threshold_used if isinstance(theirs, TwoClassEvaluation) and theirs.threshold_was_given else None
    again = evaluate(rows, threshold=given, level=ev.level, seed=ev.seed)
    cmp = compare({"checked": ev, "base": again}, level=ev.level, seed=ev.seed)
    return BaselineComparison(cmp, "checked", "base", ", matched by the order of the rows")


def _joined(base: str, data: Any, models: Mapping[str, Evaluation], model: str, request: Request) -> BaselineComparison:
    source = models[model].source
    if str(data) == "-":
        raise AssayError("standard input cannot be read again to join it by id; needed: a file, to compare with a base")
    if "model" in source.columns:
        raise AssayError(
            f"{shown(source.name)} names its models in a column, so it cannot be joined with {shown(base)}; "
            "needed: one column of scores for each model"
        )
    cmp = compared([data, base], request.but({"keep_ids": False}))
    names = list(cmp.unmatched or {})
    ours, theirs = names[: len(models)], names[len(models) :]
    return BaselineComparison(cmp, ours[list(models).index(model)], _same_model(base, theirs, model), ", matched by id")


def _same_model(base: str, names: Sequence[str], model: str) -> str:
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
