"""The operating point: what the decisions are worth, beside the answer that looks at no case.

Thresholds: where others would stand, and what each is worth once the optimism of choosing it is taken off.

The reject curve: how accurate the rest is when the least sure cases are handed on.

Net benefit: is it better to act on the scores than on everyone or on no one?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from assay.costs import Costs
from assay.curves import Band, Curve, DecisionCurve, Drawing, Ruler, net_benefit_band, reject_band
from assay.curves import confidence as sureness
from assay.decisions import Aim, ThresholdChoice, choose_thresholds, implied_costs
from assay.evaluation import Curves, Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.report.blocks import Block, Cell, Estimates, Grid, Heading, Picture, Sentence
from assay.report.sections.calibration import are_probabilities
from assay.report.sections.discrimination import independent
from assay.report.sections.estimate_rows import decisions_by, of_labels_alone, rows_by_measure
from assay.report.sections.figures import (
    Limits,
    cut_at,
    drawn,
    hides_cases,
    points_drawn,
    points_of,
    pointwise,
    scored,
    table_of,
)
from assay.report.wording import (
    bracketed,
    model_names,
    number,
    percent,
    quoted,
    threshold_words,
    value_words,
)
from assay.results import Table

__all__ = ["net_benefit", "operating_point", "reject", "thresholds"]


MEASURES = ("accuracy", "recall", "specificity", "precision", "f1")
# Of labels alone the headline holds the accuracy already.
OF_LABELS = ("recall", "specificity", "precision", "f1")
# More models than this are summed up as a range.
MOST_NAMED = 3


def operating_point(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The measures of the decisions, at the threshold that made them."""
    deciding = {key: ev for key, ev in models.items() if ev.matrix is not None}
    if not deciding:
        obstacle = next(iter(models.values())).reason_unavailable("accuracy")
        return [Sentence(f"No measures of predicted labels: {obstacle}.")]
    title, threshold = decisions_by(deciding)
    names = model_names(models)
    if isinstance(next(iter(models.values())), ManyClassEvaluation):
        return [Sentence(text) for text in _majority_sentences(deciding)]
    rows = rows_by_measure(models, OF_LABELS if all(map(of_labels_alone, models.values())) else MEASURES)
    blocks: list[Block] = [Estimates(rows, title, threshold, is_headline=True)]
    blocks.extend(Sentence(text) for text in _majority_sentences(deciding))
    blocks.extend(Sentence(text) for text in _implied_cost_sentences(deciding, names))
    return blocks


def _implied_cost_sentences(models: Mapping[str, Evaluation], names: Mapping[str, str]) -> list[str]:
    """For which costs the threshold in use is the best one; nothing where labels were given, or no class is missing."""
    said = []
    for key, ev in scored(models).items():
        if ev.threshold_used is None or len(models) > MOST_NAMED or hides_cases(ev):
            continue
        implied = implied_costs(ev.curves.scores, ev.threshold_used)
        # Off the hull some neighbour is better for every cost, mostly by next to nothing: not worth a word here.
        if implied.is_optimal:
            whose = f"{names[key]}: " if names[key] else ""
            said.append(f"{whose}{threshold_words(ev.threshold_used)} is {implied}.")
    return said


def _majority_sentences(models: Mapping[str, Evaluation]) -> list[str]:
    """The accuracy of the classifiers beside that of the commonest class; one sentence a data set."""
    by_classes: dict[tuple[tuple[str, float], ...], list[str]] = {}
    for key, ev in models.items():
        by_classes.setdefault(tuple(ev.class_sizes.items()), []).append(key)
    return [_accuracy_sentence({key: models[key] for key in keys}) for keys in by_classes.values()]


def _accuracy_sentence(models: Mapping[str, Evaluation]) -> str:
    """The baseline of the accuracies that a table shows; more models than a table is read for are summed up."""
    baselines = next(iter(models.values())).baselines
    constant = number(baselines.value("majority", "accuracy"))
    baseline = f"always predicting {quoted(baselines.majority_class)} has an accuracy of {constant}"
    if len(models) <= MOST_NAMED:
        return f"{baseline[0].upper()}{baseline[1:]}."
    values = [ev.estimate("accuracy").value for ev in models.values()]
    return f"Accuracy from {number(min(values))} to {number(max(values))}; {baseline}."


# What a threshold may be chosen for, in the words of the table's rows.
AIMS: Mapping[str, Aim] = {
    "Youden's index": Aim("youden"),
    "F1": Aim("f1"),
    "cost, FN : FP = 1 : 1": Aim(costs=Costs(fp=1, fn=1)),
    "cost, FN : FP = 10 : 1": Aim(costs=Costs(fp=1, fn=10)),
}
# Resampling more cases than this would keep a reader waiting.
MOST_CASES = 200_000

CHOSEN_HERE = (
    "Each threshold was chosen on these cases. The value on new cases is corrected for this optimism by resampling. "
    "For your own costs, prevalence and requirements: assay threshold."
)


def thresholds(models: Mapping[str, Evaluation], *, by_costs: bool = True) -> list[Block] | None:
    """One table a model, a row for each thing a threshold may be chosen for; with costs where no page answers them."""
    names = model_names(models)
    shown = {key: ev for key, ev in scored(models).items() if ev.n <= MOST_CASES and independent(ev)}
    blocks: list[Block] = []
    for key, ev in shown.items():
        blocks += [Heading(names[key], 3)] if names[key] else []
        blocks.append(_threshold_grid(ev, {name: aim for name, aim in AIMS.items() if by_costs or aim.costs is None}))
    return [Heading("Thresholds"), *blocks, Sentence(CHOSEN_HERE)] if blocks else None


def _threshold_grid(ev: TwoClassEvaluation, aims: Mapping[str, Aim]) -> Grid:
    choices = choose_thresholds(ev.curves.scores, aims.values(), level=ev.level, seed=ev.seed)
    return Grid(
        corner="Best for",
        columns=("Threshold", "Here", "On new cases", "Recall", "Precision"),
        rows=tuple((Cell(aim), _threshold_cells(choice)) for aim, choice in zip(aims, choices, strict=True)),
        is_plain=True,
    )


def _threshold_cells(choice: ThresholdChoice) -> tuple[Cell, ...]:
    place, value, matrix = choice.place, choice.value, choice.matrix
    found, called = float(matrix.tp), float(matrix.tp + matrix.fp)
    where = "" if place.undefined else f"[{threshold_words(place.low)}, {threshold_words(place.high)}]"
    worth = "" if value.undefined else bracketed(value)
    return (
        Cell(threshold_words(choice.threshold), where),
        Cell(number(choice.apparent)),
        Cell(value_words(value), worth),
        Cell(percent(found / float(matrix.positives))),
        Cell(percent(found / called) if called else "-"),
    )


AT = np.arange(1, 26) / 25
# The share handed on that the caption speaks of.
HANDED_ON = 0.2
COLUMNS = {
    "rejected": "rejected",
    "accuracy": "accuracy of the accepted",
    "accepted right": "accepted, correct",
    "accepted wrong": "accepted, wrong",
}


def reject(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The curves of all models whose scores can be read as probabilities, of two classes or more."""
    curve = cache(_reject_curve)
    having = {key: ev for key, ev in models.items() if ev.has_probabilities and ev.n > 0}
    found = drawn(models, "reject", having, lambda ev: _reject_drawing(curve(ev)), band=_reject_band)
    if found is None:
        return None
    curves = {key: curve(models[key]) for key in found.made}
    table = table_of(models, {key: _table_without_last_point(curve) for key, curve in curves.items()}, COLUMNS)
    remark = points_drawn(found.figure)
    picture = Picture(found.figure, _reject_caption(models, curves), pointwise(models, found), table, remark=remark)
    return [Heading("Reject curve"), picture]


def _reject_curve(ev: Evaluation) -> Curve:
    return ev.curves.reject


def _reject_drawing(curve: Curve) -> Drawing:
    """The curve on an axis that begins near its lowest accuracy: from 0 on, all curves would look alike."""
    drawing = curve.drawing()
    return replace(drawing, y=Ruler(drawing.y.title, None), is_square=False)


def _table_without_last_point(curve: Curve) -> Table:
    """The points without the one at which everything is rejected, which has no accuracy."""
    whole = points_of(curve)
    return Table({name: list(values)[:0:-1] for name, values in whole.columns.items()}, whole.title)


def _reject_band(ev: Evaluation) -> Limits | None:
    curves = ev.curves
    table = sureness(curves.scores if isinstance(curves, Curves) else curves.class_scores)
    if table.is_weighted or table.rows is not None:
        return None
    band: Band = reject_band(table, ev.level, at=AT)
    return Limits((1 - band.x)[::-1], band.low[::-1], band.high[::-1])


def _reject_caption(models: Mapping[str, Evaluation], curves: Mapping[str, Curve]) -> str:
    names = model_names(models)
    gained = {key: (float(curve.y[-1]), _accuracy_at_share(curve)) for key, curve in curves.items()}
    key = max(gained, key=lambda each: gained[each][1])
    before, after = gained[key]
    whose = f" of {names[key]}" if names[key] and len(curves) > 1 else ""
    change = f"changes the accuracy{whose} from {number(before)} to {number(after)}"
    return f"Rejecting the {100 * HANDED_ON:.0f} % least confident cases {change}."


def _accuracy_at_share(curve: Curve) -> float:
    """The accuracy of the rest at the share handed on, ties entered evenly."""
    known = np.isfinite(curve.y)
    return float(np.interp(HANDED_ON, curve.x[known][::-1], curve.y[known][::-1]))


NET_BENEFIT_COLUMNS = {"threshold": "threshold", "net_benefit": "net benefit", "act_on_all": "flag all"}


def net_benefit(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The decision curves of all models whose scores can be read as probabilities."""
    having = {key: ev for key, ev in models.items() if are_probabilities(ev)}
    found = drawn(models, "net_benefit", having, lambda ev: ev.curves.decision(), band=_net_benefit_band)
    if found is None:
        return None
    curves = {key: curve for key, curve in found.made.items() if isinstance(curve, DecisionCurve)}
    band = pointwise(models, found)
    table = table_of(models, {key: curve.table() for key, curve in curves.items()}, NET_BENEFIT_COLUMNS)
    figure = cut_at(models, found.figure)
    picture = Picture(
        figure, _net_benefit_caption(models, curves), band or "compared with flagging all and flagging none", table
    )
    return [Heading("Net benefit"), picture]


def _net_benefit_band(ev: TwoClassEvaluation) -> Band | None:
    return net_benefit_band(ev.curves.scores, ev.level) if independent(ev) else None


def _net_benefit_caption(models: Mapping[str, Evaluation], curves: Mapping[str, DecisionCurve]) -> str:
    """From where to where acting on the scores gains more than either constant answer, on these cases."""
    names = model_names(models)
    wins = {key: curve.net_benefit > np.maximum(curve.act_on_all, 0.0) for key, curve in curves.items()}
    key = max(wins, key=lambda each: int(wins[each].sum()))
    at = curves[key].threshold[wins[key]]
    who = names[key] if names[key] and len(curves) > 1 else "the scores"
    if not len(at):
        return f"The net benefit of {who} is nowhere above that of flagging all or none, on these cases."
    part = "" if len(at) == round((at[-1] - at[0]) * 100) + 1 else "mostly "
    return (
        f"The net benefit of {who} is above that of flagging all or none {part}from {at[0]:.2f} to "
        f"{at[-1]:.2f}, on these cases."
    )
