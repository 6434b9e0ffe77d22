"""The ROC curve: recall against false alarms at every threshold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.curves import Curve
from assay.evaluation import Evaluation
from assay.plots import Figure, OperatingPoint, draw_curve
from assay.plots.draw import letter
from assay.report.blocks import Block, Heading, Picture
from assay.report.words import count, listed, model_names, number, percent

__all__ = ["roc"]

# More models than this do not fit a one-line caption.
MOST_NAMED = 3


def roc(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The curves of all models that have scores, with their operating points."""
    names = model_names(models)
    curves = {names[key]: ev.roc if ev.scores is not None else None for key, ev in models.items()}
    if all(curve is None for curve in curves.values()):
        return None
    heading = Heading("ROC curve")
    if not any(curve is not None and curve.is_defined for curve in curves.values()):
        return [heading, Picture(None, "There is no ROC curve: truth holds a single class.")]
    figure = draw_curve(
        curves,
        operating_points={
            names[key]: OperatingPoint(ev.estimate("fpr"), ev.estimate("recall"), ev.cutoff)
            for key, ev in models.items()
            if ev.matrix is not None
        },
        summaries={names[key]: ev.estimate("roc_auc") for key, ev in models.items()},
    )
    return [heading, Picture(figure, _caption(list(curves.values())), _subtitle(figure))]


def _caption(curves: list[Curve | None]) -> str:
    """What half of the positives costs in false alarms."""
    drawn = {letter(k): curve for k, curve in enumerate(curves) if curve is not None and curve.is_defined}
    costs = {name: _false_alarms_at_half(curve) for name, curve in drawn.items()}
    if len(curves) == 1:
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


def _subtitle(figure: Figure) -> str:
    if figure.drawn == figure.points:
        return f"all {count(figure.points)} points drawn"
    left_out = f"within {number(figure.off_by)} of the line" if figure.off_by else "on straight lines between them"
    return f"{count(figure.drawn)} of {count(figure.points)} points drawn, the others {left_out}"
