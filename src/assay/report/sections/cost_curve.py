"""The cost curve: the least expected cost for every mix of costs and classes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.curves import CostCurve
from assay.evaluation import Evaluation
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import drawn, scored, table_of
from assay.report.words import model_names, number

__all__ = ["cost_curve"]

COLUMNS = {
    "best_from": "misses carry from",
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
    table = table_of(models, {key: curve.table() for key, curve in curves.items()}, COLUMNS)
    subtitle = "each faint line a threshold, the curve the cheapest of them"
    return [Heading("Cost curve"), Picture(found.figure, _caption(models, curves), subtitle, table)]


def _caption(models: Mapping[str, Evaluation], curves: Mapping[str, CostCurve]) -> str:
    """While misses carry which share of the cost some threshold is cheaper than both constant answers."""
    names = model_names(models)
    spans = {key: _useful(curve) for key, curve in curves.items()}
    key = max(spans, key=lambda each: spans[each][1] - spans[each][0])
    low, high = spans[key]
    who = f"{names[key]}'s thresholds beat" if names[key] and len(curves) > 1 else "Some threshold beats"
    if not high > low:
        return "No threshold is cheaper than a constant answer, on these cases."
    return f"{who} both constant answers while misses carry {number(low)} to {number(high)} of the cost."


def _useful(curve: CostCurve) -> tuple[float, float]:
    x = np.linspace(0.0, 1.0, 1001)
    is_useful = curve.at(x) < np.minimum(x, 1 - x) - NOTHING
    return (float(x[is_useful][0]), float(x[is_useful][-1])) if is_useful.any() else (0.0, 0.0)
