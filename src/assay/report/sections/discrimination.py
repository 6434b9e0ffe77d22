"""The ROC curve: recall against false alarms at every threshold.

The precision-recall curve: what share of the flags is right at every share of positives found.

Gain and lift: for those who work a ranking from the top.

The risk chart: for those who work a ranking from the top and look for money, not only for cases.

Score densities: how the scores of either class are spread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.curves import (
    Band,
    Curve,
    Hull,
    RiskChart,
    ScoreDensities,
    precision_at_recall,
    precision_band,
    recall_at_k,
    roc_band,
    roc_hull,
    score_densities,
)
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.plots import Figure
from assay.plots.drawing import labelled
from assay.plots.figure import Line, Segment, SideNote
from assay.plots.labels import letter
from assay.plots.style import model_role
from assay.report.blocks import Block, Heading, Picture, Sentence
from assay.report.live_text import caption_of_roc
from assay.report.sections.figures import (
    Drawn,
    best_dot,
    cut_at,
    drawn,
    heads,
    operating,
    points_drawn,
    points_of,
    pointwise,
    scored,
    table_of,
)
from assay.report.wording import count, listed, model_names, number, percent, threshold_words

__all__ = ["densities", "gain", "independent", "lift", "precision_recall", "risk_chart", "roc"]


# More models than this do not fit a one-line caption.
MOST_NAMED = 3
# What a miss and a false alarm cost on the page as written; its script moves that.
RATIO = "1 : 1"
# Places at which a band is worked out.
AT = np.linspace(0.0, 1.0, 26)
COLUMNS = heads("threshold", "fpr", "recall", "TP", "FP")


def roc(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The curves of all models that have scores, their hull, their operating points, and the line of equal cost."""
    if all(not isinstance(ev, TwoClassEvaluation) or ev.scores is None for ev in models.values()):
        return None
    heading = Heading("ROC curve")
    found = drawn(
        models,
        "roc",
        scored(models),
        lambda ev: ev.roc,
        point=lambda ev: operating(ev, "fpr", "recall"),
        summary=lambda ev: ev.estimate("roc_auc"),
        band=_roc_band,
    )
    if found is None:
        return [heading, Picture(None, "There is no ROC curve: the true labels have a single class.")]
    figure = _with_tangent(_with_hull(found.figure, models), models)
    curves = {key: curve for key, curve in found.made.items() if isinstance(curve, Curve)}
    tables = {key: points_of(curve) for key, curve in curves.items()}
    table = table_of(models, tables, COLUMNS)
    outs = ("why", "mixture")
    subtitle = _precision_recall_subtitle(found, models)
    caption, remark = _roc_caption(curves, list(models)), points_drawn(found.figure)
    live = ""
    if len(models) == 1 and (at := caption_of_roc(next(iter(scored(models).values())))):
        caption, live = at, "roc.caption"
    picture = Picture(figure, caption, subtitle, table, outs, live=("ratio", RATIO), remark=remark, live_caption=live)
    return [heading, picture]


def independent(ev: TwoClassEvaluation) -> bool:
    """Whether rows are independent, as bands take them to be."""
    return ev.curves.scores.rows is None


def _roc_band(ev: TwoClassEvaluation) -> Band | None:
    return roc_band(ev.curves.scores, ev.level, at=AT) if independent(ev) else None


def _joint_hull(models: Mapping[str, Evaluation]) -> Hull:
    tables = {key: ev.curves.scores for key, ev in scored(models).items()}
    return roc_hull(tables) if len(tables) > 1 else roc_hull(*tables.values())


def _with_hull(figure: Figure, models: Mapping[str, Evaluation]) -> Figure:
    """The hull of all curves, under them."""
    hull = _joint_hull(models)
    return replace(figure, lines=(*figure.lines, Line(hull.fpr, hull.recall, "hull", "hull")))


def _with_tangent(figure: Figure, models: Mapping[str, Evaluation]) -> Figure:
    """The line of equal cost of the first model where a miss costs one false alarm, and where it touches the hull."""
    key, ev = next(iter(scored(models).items()))
    hull = _joint_hull({key: ev})
    best = hull.at(1.0)
    corner, slope = int(best.corner), float(best.slope)
    x, y = float(hull.fpr[corner]), float(hull.recall[corner])
    rule = Segment(*_line_across_square(x, y, slope), "tangent", 0)
    return replace(figure, rules=(*figure.rules, rule), dots=(*figure.dots, best_dot(x, y, 0)))


def _line_across_square(x: float, y: float, slope: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """A line through a point, from edge to edge of the unit square.

    >>> _line_across_square(0.0, 0.5, 2.0)
    ((0.0, 0.5), (0.25, 1.0))
    """
    starts = (0.0, y - slope * x) if y - slope * x >= 0 else (x - y / slope, 0.0)
    height = y + slope * (1 - x)
    ends = (1.0, height) if height <= 1 else (x + (1 - y) / slope, 1.0)
    return starts, ends


def _roc_caption(curves: Mapping[str, Curve], keys: list[str]) -> str:
    """What half of the positives costs in false alarms."""
    costs = {letter(keys.index(key)): _fpr_at_half_recall(curve) for key, curve in curves.items()}
    if len(keys) == 1:
        return f"At 50 % recall, the false-positive rate is {percent(costs[letter(0)])} (random: 50 %)."
    if len(costs) > MOST_NAMED:
        span = f"{percent(min(costs.values()))} to {percent(max(costs.values()))}"
        return f"At 50 % recall, the false-positive rates are {span}."
    return (
        "At 50 % recall, the false-positive rate is "
        f"{listed(f'{percent(cost)} ({name})' for name, cost in costs.items())}."
    )


def _fpr_at_half_recall(curve: Curve) -> float:
    """Where the drawn curve first reaches a recall of one half."""
    after = int(np.argmax(curve.y >= 0.5))
    (x0, x1), (y0, y1) = curve.x[after - 1 : after + 1], curve.y[after - 1 : after + 1]
    return float(x0 + (x1 - x0) * (0.5 - y0) / (y1 - y0))


def _precision_recall_subtitle(found: Drawn, models: Mapping[str, Evaluation]) -> str:
    parts = (pointwise(models, found), "hull", f"equal cost at {RATIO}")
    return ", ".join(part for part in parts if part)


PRECISION_RECALL_AT = np.arange(1, 26) / 25
# The share of the positives that the caption speaks of.
FOUND = 0.8
PRECISION_RECALL_COLUMNS = heads("threshold", "recall", "precision", "TP", "FP")


def precision_recall(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The curves of all models that have scores, over the precision of flagging everyone."""
    found = drawn(
        models,
        "pr",
        scored(models),
        lambda ev: ev.precision_recall,
        point=lambda ev: operating(ev, "recall", "precision"),
        summary=lambda ev: ev.estimate("average_precision"),
        band=_precision_recall_band,
    )
    if found is None:
        return None
    places = {key: place for place, key in enumerate(models)}
    wrong = {
        letter(places[key]): 1 - float(precision_at_recall(ev.curves.scores, FOUND))
        for key, ev in scored(models).items()
        if key in found.made
    }
    subtitle, remark = pointwise(models, found), points_drawn(found.figure)
    table = table_of(models, {key: points_of(curve) for key, curve in found.made.items()}, PRECISION_RECALL_COLUMNS)
    picture = Picture(
        _figure_moved_by_prevalence(found.figure), _precision_recall_caption(wrong), subtitle, table, remark=remark
    )
    return [Heading("Precision and recall"), picture]


def _precision_recall_band(ev: TwoClassEvaluation) -> Band | None:
    return precision_band(ev.curves.scores, ev.level, at=PRECISION_RECALL_AT) if independent(ev) else None


def _figure_moved_by_prevalence(figure: Figure) -> Figure:
    """The figure with everything marked that another prevalence moves, which is all of it."""
    lines = tuple(replace(line, moves="precision") for line in figure.lines)
    areas = tuple(replace(area, moves="precision") for area in figure.areas)
    labels = tuple(replace(label, moves="precision") for label in figure.labels)
    return replace(figure, lines=lines, areas=areas, labels=labels)


def _precision_recall_caption(wrong: Mapping[str, float]) -> str:
    if len(wrong) == 1:
        share = percent(next(iter(wrong.values())))
        return f"At {100 * FOUND:.0f} % recall, {share} of the predicted positives are false."
    if len(wrong) > MOST_NAMED:
        span = f"{percent(min(wrong.values()))} to {percent(max(wrong.values()))}"
        return f"At {100 * FOUND:.0f} % recall, {span} of the predicted positives are false."
    shares = listed(f"{percent(share)} ({name})" for name, share in wrong.items())
    return f"At {100 * FOUND:.0f} % recall, the share of false among predicted positives is {shares}."


# The part of the ranking that the captions speak of.
TOP = 0.1
GAIN_COLUMNS = heads("threshold", "taken", "recall", "TP")
LIFT_COLUMNS = heads("threshold", "taken", "lift")


def gain(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Share of the positives found against the share of cases taken, from the top of the ranking."""
    found = _ranking_curve_picture(models, "gain", "recall", GAIN_COLUMNS)
    if found is None:
        return None
    who, share = _best_model_words(models)
    caption = f"{who} 10 % of the cases by score contain {percent(share)} of the positives."
    return [Heading("Cumulative gain"), replace(found, caption=caption, subtitle="highest scores first")]


def lift(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """How many times the positives that chance would find, from the top of the ranking."""
    found = _ranking_curve_picture(models, "lift", "lift", LIFT_COLUMNS)
    if found is None:
        return None
    who, share = _best_model_words(models)
    caption = f"{who} 10 % of the cases by score contain {share / TOP:.3g} times as many positives as a random 10 %."
    return [Heading("Lift"), replace(found, caption=caption, subtitle="recall divided by the flagged share")]


def _ranking_curve_picture(
    models: Mapping[str, Evaluation], name: str, height: str, columns: Mapping[str, str]
) -> Picture | None:
    """The picture of a curve over the share of cases taken, with the decisions on it."""
    found = drawn(
        models,
        name,
        scored(models),
        lambda ev: getattr(ev.curves, name),
        point=lambda ev: operating(ev, "predicted_prevalence", height),
    )
    if found is None:
        return None
    table = table_of(models, {key: points_of(curve) for key, curve in found.made.items()}, columns)
    return Picture(found.figure, "", table=table, remark=points_drawn(found.figure))


def _best_model_words(models: Mapping[str, Evaluation]) -> tuple[str, float]:
    """Whose top of the ranking holds most positives, as the beginning of a sentence, and how many of them."""
    found = {key: _share_in_top(ev) for key, ev in scored(models).items()}
    key = max(found, key=lambda each: found[each])
    name = model_names(models)[key]
    return (f"{name}'s top" if name and len(found) > 1 else "The top"), found[key]


def _share_in_top(ev: TwoClassEvaluation) -> float:
    """The share of the positives that the top of the ranking holds; ties at its end are entered evenly."""
    table = ev.curves.scores
    if table.is_weighted:
        curve = ev.curves.gain
        return float(np.interp(TOP, curve.x, curve.y))
    return float(recall_at_k(table, TOP * float(table.total)))


# The part of the ranking that the caption speaks of.
RISK_CHART_COLUMNS = {
    "threshold": "threshold",
    "caseload": "flagged share",
    "recall": "recall",
    "risk": "share of the amount",
    "strike_rate": "precision",
}
NO_INTERVAL = (
    "Shares of an amount have no interval: a few large amounts can dominate them, and no interval method was simulated."
)


def risk_chart(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Positives and amount found against the caseload; None where nobody said what is at stake."""
    found = drawn(models, "risk_chart", staked(models), lambda ev: ev.curves.risk_chart())
    if found is None:
        return None
    charts = {key: chart for key, chart in found.made.items() if isinstance(chart, RiskChart)}
    table = table_of(models, {key: chart.table() for key, chart in charts.items()}, RISK_CHART_COLUMNS)
    subtitle = "of these cases; risk: share of the amount; strike rate: precision among the flagged cases"
    picture = Picture(
        found.figure, _risk_chart_caption(models, charts), subtitle, table, remark=points_drawn(found.figure)
    )
    return [Heading("Risk chart"), picture, Sentence(f"{_area_words(models, charts)} {NO_INTERVAL}")]


def staked(models: Mapping[str, Evaluation]) -> dict[str, TwoClassEvaluation]:
    """The models whose cases have amounts at stake."""
    return {key: ev for key, ev in scored(models).items() if ev.rows is not None and ev.rows.amount is not None}


def _risk_chart_caption(models: Mapping[str, Evaluation], charts: Mapping[str, RiskChart]) -> str:
    """What the top of the ranking holds, of the model whose top holds most of the amount."""
    tops = {key: _share_at(chart, chart.risk) for key, chart in charts.items()}
    key = max(tops, key=lambda each: tops[each])
    name, chart = model_names(models)[key], charts[key]
    who = f"{name}'s top" if name and len(charts) > 1 else "The top"
    found = _share_at(chart, chart.recall)
    return (
        f"{who} 10 % of the cases by score contain {percent(found)} of the positives and {percent(tops[key])} "
        "of the amount."
    )


def _share_at(chart: RiskChart, share: np.ndarray | None) -> float:
    """A share at the top of the ranking; ties at its end are entered evenly."""
    return float("nan") if share is None else float(np.interp(TOP, chart.caseload, share))


def _area_words(models: Mapping[str, Evaluation], charts: Mapping[str, RiskChart]) -> str:
    names = model_names(models)
    said = [
        f"{f'{names[key]}: area' if names[key] else 'Area'} under the recall curve {number(chart.recall_area)} "
        f"({percent(chart.recall_of_best)} of a perfect ranking's), under the amount curve {number(chart.risk_area)}."
        for key, chart in charts.items()
    ]
    return " ".join(said)


def densities(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One figure a model: both classes of several models in one would hide one another."""
    names, blocks = model_names(models), list[Block]()
    for place, (key, ev) in enumerate(scored(models).items()):
        one = {key: ev}
        found = drawn(one, f"densities{place or ''}", one, _score_densities)
        if found is None:
            continue
        table = table_of(one, {key: points_of(found.made[key])})
        subtitle = "each class scaled to its own maximum; darker: flagged"
        subtitle = f"{names[key]}: {subtitle}" if names[key] else subtitle
        figure = _figure_with_threshold(_figure_in_color(found.figure, place), ev, place)
        blocks.append(Picture(figure, _densities_caption(ev), subtitle, table, ("why",)))
    return [Heading("Scores by class"), *blocks] if blocks else None


def _score_densities(ev: TwoClassEvaluation) -> ScoreDensities:
    return score_densities(ev.curves.scores, spacing="log-odds" if ev.has_probabilities else "linear")


def _figure_in_color(figure: Figure, place: int) -> Figure:
    """A figure of one model in the colour that model has beside others."""

    def coloured(marks: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(replace(mark, role=mark.role.replace(model_role(0), model_role(place))) for mark in marks)

    areas = tuple(replace(area, model=place) for area in coloured(figure.areas))
    lines, labels, notes = (coloured(marks) for marks in (figure.lines, figure.labels, figure.notes))
    return replace(figure, areas=areas, lines=lines, labels=labels, notes=notes)


def _figure_with_threshold(figure: Figure, ev: TwoClassEvaluation, place: int) -> Figure:
    """The figure with the threshold, what it flags painted darker, and how many cases of either class that is."""
    marked = cut_at({"": ev}, figure)
    # Without a threshold nothing is painted, until a page's script moves one there.
    at = figure.x.high if ev.threshold_used is None else min(max(ev.threshold_used, figure.x.low), figure.x.high)
    flagged = tuple(replace(area, role=area.role.replace("-area", "-flagged"), beyond=at) for area in figure.areas)
    noted = replace(
        marked,
        areas=(*figure.areas, *flagged),
        rules=tuple(replace(rule, model=place) for rule in marked.rules),
        # The subtitle names the model.
        notes=_predicted_positive_notes(ev, place),
    )
    # The words on the plot step aside for the notes.
    return labelled(noted)


def _predicted_positive_notes(ev: TwoClassEvaluation, place: int) -> tuple[SideNote, ...]:
    """How many of either class are flagged; nothing where nothing was decided."""
    if ev.matrix is None:
        return ()
    cells = {"TP": "tp", "FN": "fn", "FP": "fp", "TN": "tn"}
    # What is not flagged stands grey behind what is.
    lines = tuple(
        (f"{words} {count(float(getattr(ev.matrix, cell)))}", cell in ("fn", "tn")) for words, cell in cells.items()
    )
    heading = "as predicted" if ev.threshold_used is None else f"threshold {threshold_words(ev.threshold_used)}"
    first = ("decided-note", "") if ev.threshold_used is None else ("threshold", "threshold ")
    outs = (first, *((cell, f"{words} ") for words, cell in cells.items()))
    # At the bottom, where notes are never shortened: there is no other place that says how many.
    return (SideNote(heading, "threshold-words", lines, "bottom", outs, place),)


def _densities_caption(ev: TwoClassEvaluation) -> str:
    """How many negatives reach what half of the positives reach."""
    table = ev.curves.scores
    # The median: the highest score that at least half of the positives reach.
    reached = np.cumsum(table.positive[::-1])[::-1]
    at = int(np.flatnonzero(reached >= table.positives / 2)[-1])
    share = float(table.negative[at:].sum() / table.negatives)
    median = threshold_words(float(table.score[at]))
    return f"Half of the positives and {percent(share)} of the negatives have a score of {median} or more."
