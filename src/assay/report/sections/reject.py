"""The reject curve: how accurate the rest is when the least sure cases are handed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from assay.curves import Band, Curve, Drawing, Ruler, reject_band
from assay.curves import confidence as sureness
from assay.evaluation import Curves, Evaluation
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import Limits, drawn, points_drawn, points_of, pointwise, table_of
from assay.report.words import model_names, number
from assay.results import Table

__all__ = ["reject"]

AT = np.arange(1, 26) / 25
# The share handed on that the caption speaks of.
HANDED_ON = 0.2
COLUMNS = {
    "rejected": "rejected",
    "accuracy": "accuracy of the rest",
    "accepted right": "accepted right",
    "accepted wrong": "accepted wrong",
}


def reject(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The curves of all models whose scores can be read as probabilities, of two classes or more."""
    curve = cache(_curve)
    having = {key: ev for key, ev in models.items() if ev.has_probabilities and ev.n > 0}
    found = drawn(models, "reject", having, lambda ev: _drawing(curve(ev)), band=_band)
    if found is None:
        return None
    curves = {key: curve(models[key]) for key in found.made}
    table = table_of(models, {key: _falling(curve) for key, curve in curves.items()}, COLUMNS)
    remark = points_drawn(found.figure)
    picture = Picture(found.figure, _caption(models, curves), pointwise(models, found), table, remark=remark)
    return [Heading("Reject curve"), picture]


def _curve(ev: Evaluation) -> Curve:
    return ev.curves.reject


def _drawing(curve: Curve) -> Drawing:
    """The curve on an axis that begins near its lowest accuracy: from 0 on, all curves would look alike."""
    drawing = curve.drawing()
    return replace(drawing, y=Ruler(drawing.y.title, None), is_square=False)


def _falling(curve: Curve) -> Table:
    """The points without the one at which everything is rejected, which has no accuracy."""
    whole = points_of(curve)
    return Table({name: list(values)[:0:-1] for name, values in whole.columns.items()}, whole.title)


def _band(ev: Evaluation) -> Limits | None:
    curves = ev.curves
    table = sureness(curves.scores if isinstance(curves, Curves) else curves.class_scores)
    if table.is_weighted or table.rows is not None:
        return None
    band: Band = reject_band(table, ev.level, at=AT)
    return Limits((1 - band.x)[::-1], band.low[::-1], band.high[::-1])


def _caption(models: Mapping[str, Evaluation], curves: Mapping[str, Curve]) -> str:
    names = model_names(models)
    gained = {key: (float(curve.y[-1]), _at_share(curve)) for key, curve in curves.items()}
    key = max(gained, key=lambda each: gained[each][1])
    before, after = gained[key]
    whose = f" of {names[key]}" if names[key] and len(curves) > 1 else ""
    moved = f"moves the accuracy{whose} from {number(before)} to {number(after)}"
    return f"Handing on the least sure {100 * HANDED_ON:.0f} % {moved}."


def _at_share(curve: Curve) -> float:
    """The accuracy of the rest at the share handed on, ties entered evenly."""
    known = np.isfinite(curve.y)
    return float(np.interp(HANDED_ON, curve.x[known][::-1], curve.y[known][::-1]))
