"""The ROC curve: recall against false alarms at every threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.curves import Band, Curve, Hull, roc_band, roc_hull
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.plots import Figure
from assay.plots.figure import Line, Segment
from assay.plots.labels import letter
from assay.report.blocks import Block, Heading, Picture
from assay.report.live import caption_of_roc
from assay.report.sections._pictures import (
    Drawn,
    best_dot,
    drawn,
    operating,
    points_drawn,
    points_of,
    pointwise,
    scored,
    table_of,
)
from assay.report.words import listed, percent

__all__ = ["independent", "roc"]

# More models than this do not fit a one-line caption.
MOST_NAMED = 3
# What a miss and a false alarm cost on the page as written; its script moves that.
RATIO = "1 : 1"
# Places at which a band is worked out.
AT = np.linspace(0.0, 1.0, 26)
COLUMNS = {"threshold": "threshold", "fpr": "FPR", "recall": "recall", "TP": "hits", "FP": "false alarms"}


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
        band=_band,
    )
    if found is None:
        return [heading, Picture(None, "There is no ROC curve: truth holds a single class.")]
    figure = _with_tangent(_with_hull(found.figure, models), models)
    curves = {key: curve for key, curve in found.made.items() if isinstance(curve, Curve)}
    tables = {key: points_of(curve) for key, curve in curves.items()}
    table = table_of(models, tables, COLUMNS)
    outs = ("why", "mixture")
    subtitle = _subtitle(found, models)
    caption, remark = _caption(curves, list(models)), points_drawn(found.figure)
    live = ""
    if len(models) == 1 and (at := caption_of_roc(next(iter(scored(models).values())))):
        caption, live = at, "roc.caption"
    picture = Picture(figure, caption, subtitle, table, outs, live=("ratio", RATIO), remark=remark, live_caption=live)
    return [heading, picture]


def independent(ev: TwoClassEvaluation) -> bool:
    """Whether rows are independent, as bands take them to be."""
    return ev.curves.scores.rows is None


def _band(ev: TwoClassEvaluation) -> Band | None:
    return roc_band(ev.curves.scores, ev.level, at=AT) if independent(ev) else None


def _hull(models: Mapping[str, Evaluation]) -> Hull:
    tables = {key: ev.curves.scores for key, ev in scored(models).items()}
    return roc_hull(tables) if len(tables) > 1 else roc_hull(*tables.values())


def _with_hull(figure: Figure, models: Mapping[str, Evaluation]) -> Figure:
    """The hull of all curves, under them."""
    hull = _hull(models)
    return replace(figure, lines=(*figure.lines, Line(hull.fpr, hull.recall, "hull", "hull")))


def _with_tangent(figure: Figure, models: Mapping[str, Evaluation]) -> Figure:
    """The line of equal cost of the first model where a miss costs one false alarm, and where it touches the hull."""
    key, ev = next(iter(scored(models).items()))
    hull = _hull({key: ev})
    best = hull.at(1.0)
    corner, slope = int(best.corner), float(best.slope)
    x, y = float(hull.fpr[corner]), float(hull.recall[corner])
    rule = Segment(*_across(x, y, slope), "tangent", 0)
    return replace(figure, rules=(*figure.rules, rule), dots=(*figure.dots, best_dot(x, y, 0)))


def _across(x: float, y: float, slope: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """A line through a point, from edge to edge of the unit square.

    >>> _across(0.0, 0.5, 2.0)
    ((0.0, 0.5), (0.25, 1.0))
    """
    starts = (0.0, y - slope * x) if y - slope * x >= 0 else (x - y / slope, 0.0)
    height = y + slope * (1 - x)
    ends = (1.0, height) if height <= 1 else (x + (1 - y) / slope, 1.0)
    return starts, ends


def _caption(curves: Mapping[str, Curve], keys: list[str]) -> str:
    """What half of the positives costs in false alarms."""
    costs = {letter(keys.index(key)): _false_alarms_at_half(curve) for key, curve in curves.items()}
    if len(keys) == 1:
        return f"Half of the positives are found at {percent(costs[letter(0)])} false alarms; chance needs 50 %."
    if len(costs) > MOST_NAMED:
        span = f"{percent(min(costs.values()))} to {percent(max(costs.values()))}"
        return f"Half of the positives are found at {span} false alarms."
    return f"Half the positives cost {listed(f'{name} {percent(cost)}' for name, cost in costs.items())} false alarms."


def _false_alarms_at_half(curve: Curve) -> float:
    """Where the drawn curve first reaches a recall of one half."""
    after = int(np.argmax(curve.y >= 0.5))
    (x0, x1), (y0, y1) = curve.x[after - 1 : after + 1], curve.y[after - 1 : after + 1]
    return float(x0 + (x1 - x0) * (0.5 - y0) / (y1 - y0))


def _subtitle(found: Drawn, models: Mapping[str, Evaluation]) -> str:
    parts = (pointwise(models, found), "hull", f"equal cost at {RATIO}")
    return ", ".join(part for part in parts if part)
