"""Expected cost: what every threshold costs beside the answers that look at no case.

The cost curve: the least expected cost for every mix of costs and classes.

Hand's picture: over which costs the AUC averages, and over which the H measure does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from assay.curves import CostCurve, CostWeights, Curve, Drawing, Ruler, Trace, relative_cost, roc_hull
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.plots import Figure
from assay.plots.figure import Dot
from assay.report.blocks import Block, Heading, Picture
from assay.report.live_text import short_thresholds
from assay.report.sections.figures import best_dot, cut_at, drawn, heads, points_drawn, points_of, scored, table_of
from assay.report.wording import model_names, number, threshold_words

__all__ = ["cost_curve", "cost_weights", "expected_cost"]


# Where a miss costs one false alarm, which is how the page is written; its script moves that.
RATIO = 1.0
# Costs above this many times the best constant answer are off the plot.
HIGHEST = 1.5
COLUMNS = heads("threshold", "cost", "FP", "FN")
# By the name of a line, what its height follows.
MOVES = {"all": "cost-all", "none": "cost-none"}


def expected_cost(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The cost at every threshold divided by that of the cheaper constant answer, and where it is least."""
    curve = cache(_cost_curve)  # the line and the table rest on the same million points
    found = drawn(models, "cost", scored(models), lambda ev: _cost_drawing(ev, curve(ev)))
    if found is None:
        return None
    figure = replace(cut_at(models, _figure_with_marks(found.figure, models)), unit="relative")
    tables = {key: points_of(curve(ev)) for key, ev in scored(models).items()}
    subtitle, live = "best constant classifier = 1, cost ratio FN : FP = 1 : 1", ("ratio", "1 : 1")
    table, remark = table_of(models, tables, COLUMNS), points_drawn(found.figure)
    return [Heading("Expected cost"), Picture(figure, _cost_caption(models), subtitle, table, live=live, remark=remark)]


def _best_constant_cost(ev: TwoClassEvaluation) -> float:
    """What the cheaper of flagging everyone and no one costs a case."""
    share = ev.class_shares[ev.positive]
    return min(RATIO * share, 1 - share)


def _cost_curve(ev: TwoClassEvaluation) -> Curve:
    return relative_cost(ev.curves.scores, ratio=RATIO, prevalence=ev.class_shares[ev.positive])


def _cost_drawing(ev: TwoClassEvaluation, curve: Curve) -> Drawing:
    drawing = curve.drawing()
    share, (line,) = ev.class_shares[ev.positive], drawing.traces
    ends = np.array([line.x[0], line.x[-1]])
    constant = _best_constant_cost(ev)
    references = tuple(
        Trace(ends, np.full(2, cost / constant), "reference", f"flag {name}")
        for name, cost in (("all", 1 - share), ("none", RATIO * share))
        if cost / constant <= HIGHEST
    )
    y = Ruler(drawing.y.title, (0.0, HIGHEST))
    x = Ruler(drawing.x.title, (0.0, 1.0)) if (ends >= 0).all() and (ends <= 1).all() else drawing.x
    return replace(drawing, x=x, y=y, traces=(*references, line))


def _figure_with_marks(figure: Figure, models: Mapping[str, Evaluation]) -> Figure:
    """The figure with dots at the thresholds in use, a ring at the cheapest of the first, and what moves its lines."""
    having = list(scored(models).values())
    dots = []
    for place, ev in enumerate(having):
        x = ev.threshold_used
        cost = np.inf if x is None else _cost_at(ev, x)
        is_seen = cost <= HIGHEST
        dots.append(Dot(figure.x.low if x is None else x, min(cost, HIGHEST), model=place, is_hidden=not is_seen))
    threshold, cost = _cheapest_threshold(having[0])
    if np.isfinite(threshold) and cost <= HIGHEST:
        dots.append(best_dot(threshold, cost, 0))
    lines = tuple(
        replace(line, moves="cost" if line.model is not None else _moving_text(line.name)) for line in figure.lines
    )
    labels = tuple(replace(label, moves=_moving_text(label.text)) for label in figure.labels)
    return replace(figure, lines=lines, labels=labels, dots=(*figure.dots, *dots))


def _moving_text(words: str) -> str:
    return next((move for name, move in MOVES.items() if words == f"flag {name}"), "")


def _cost_at(ev: TwoClassEvaluation, threshold: float) -> float:
    table = ev.curves.scores
    matrix = table.at(threshold)
    return float(matrix.fp + RATIO * matrix.fn) / (float(table.total) * _best_constant_cost(ev))


def _cheapest_threshold(ev: TwoClassEvaluation) -> tuple[float, float]:
    """The threshold that costs least on these cases, and what it costs."""
    table, best = ev.curves.scores, roc_hull(ev.curves.scores).at(RATIO)
    place = table.hull_corners[[int(best.corner)]]
    # As short as the page's script writes it.
    threshold = short_thresholds(table, np.concatenate(([0], place)), ev.threshold_used)[-1] if place[0] else np.inf
    return float(threshold), float(best.cost) / _best_constant_cost(ev)


def _cost_caption(models: Mapping[str, Evaluation]) -> str:
    """What the threshold in use and the cheapest one cost."""
    having, names = scored(models), model_names(models)
    if len(having) > 1:
        costs = {key: _cheapest_threshold(ev)[1] for key, ev in having.items()}
        low = min(costs, key=lambda key: costs[key])
        return f"Each at its cheapest threshold, {names[low]} has the lowest cost on these cases, {number(costs[low])}."
    (ev,) = having.values()
    threshold, cost = _cheapest_threshold(ev)
    where = threshold_words(threshold) if np.isfinite(threshold) else "a constant prediction"
    best = f"the cheapest on these cases, {where}, costs {number(cost)}."
    if ev.threshold_used is None:
        return best[0].upper() + best[1:]
    return f"{threshold_words(ev.threshold_used)} costs {number(_cost_at(ev, ev.threshold_used))}; {best}"


COST_CURVE_COLUMNS = {
    "best_from": "FN cost share from",
    "best_to": "to",
    "threshold": "cheapest threshold",
    "cost_from": "cost from",
    "cost_to": "cost to",
}
# Savings below this share of the cost are rounding.
NOTHING = 1e-9


def cost_curve(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The lower envelopes of all models, over the two answers that look at no case."""
    found = drawn(models, "cost_curve", scored(models), lambda ev: ev.curves.cost)
    if found is None:
        return None
    curves = {key: curve for key, curve in found.made.items() if isinstance(curve, CostCurve)}
    table = table_of(models, {key: curve.table() for key, curve in curves.items()}, COST_CURVE_COLUMNS)
    subtitle = "each faint line is a threshold; the curve is the cheapest threshold"
    return [Heading("Cost curve"), Picture(found.figure, _cost_curve_caption(models, curves), subtitle, table)]


def _cost_curve_caption(models: Mapping[str, Evaluation], curves: Mapping[str, CostCurve]) -> str:
    """While misses carry which share of the cost some threshold is cheaper than both constant answers."""
    names = model_names(models)
    spans = {key: _useful_range(curve) for key, curve in curves.items()}
    key = max(spans, key=lambda each: spans[each][1] - spans[each][0])
    low, high = spans[key]
    who = (
        f"{names[key]}'s best threshold is cheaper than"
        if names[key] and len(curves) > 1
        else "Some threshold is cheaper than"
    )
    if not high > low:
        return "No threshold is cheaper than a constant classifier on these cases."
    return (
        f"{who} both constant classifiers where false negatives account for {number(low)} to {number(high)} of "
        "the cost."
    )


def _useful_range(curve: CostCurve) -> tuple[float, float]:
    x = np.linspace(0.0, 1.0, 1001)
    is_useful = curve.at(x) < np.minimum(x, 1 - x) - NOTHING
    return (float(x[is_useful][0]), float(x[is_useful][-1])) if is_useful.any() else (0.0, 0.0)


COST_WEIGHTS_COLUMNS = {
    "cost": "FP cost share up to",
    "auc_below": "weight in the AUC up to it",
    "h_below": "weight in the H measure",
}


def cost_weights(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The weight that each model's AUC gives to what a false alarm may cost, and that of the H measure."""
    found = drawn(models, "cost_weights", scored(models), lambda ev: ev.curves.cost_weights)
    if found is None:
        return None
    made = {key: each for key, each in found.made.items() if isinstance(each, CostWeights)}
    table = table_of(models, {key: each.table() for key, each in made.items()}, COST_WEIGHTS_COLUMNS)
    # What the page's prevalence is set to does not move it: the weights are those of the cases at hand.
    subtitle = (
        "at the prevalence of these cases; the AUC weights costs by each model's scores, the H measure equally for all"
    )
    return [Heading("Weights over costs"), Picture(found.figure, _cost_weights_caption(models, made), subtitle, table)]


def _cost_weights_caption(models: Mapping[str, Evaluation], made: Mapping[str, CostWeights]) -> str:
    key, first = next(iter(made.items()))
    name = model_names(models)[key]
    whose = f"{name}: half the" if name and len(made) > 1 else "Half of the"
    of_auc, of_h = first.medians
    return f"{whose} weight of the AUC lies below {number(of_auc)}, half of that of the H measure below {number(of_h)}."
