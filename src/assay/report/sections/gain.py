"""Gain and lift: for those who work a ranking from the top."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.curves import recall_at_k
from assay.evaluation import Evaluation
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import drawn, movable, points_drawn, points_of, table_of
from assay.report.words import model_names, percent

__all__ = ["gain", "lift"]

# The part of the ranking that the captions speak of.
TOP = 0.1
GAIN_COLUMNS = {"threshold": "threshold", "taken": "share taken", "recall": "recall", "TP": "hits"}
LIFT_COLUMNS = {"threshold": "threshold", "taken": "share taken", "lift": "lift"}


def gain(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Share of the positives found against the share of cases taken, from the top of the ranking."""
    drawing = drawn(
        models,
        "gain",
        lambda ev: ev.curves.gain,
        point=lambda ev: (ev.estimate("predicted_prevalence"), ev.estimate("recall")),
    )
    if drawing is None:
        return None
    who, share = _best(models)
    table = table_of(models, {key: points_of(curve) for key, curve in drawing.made.items()}, GAIN_COLUMNS)
    caption = f"{who} tenth of the cases holds {percent(share)} of the positives."
    return [Heading("Cumulative gain"), Picture(drawing.figure, caption, points_drawn(drawing.figure), table)]


def lift(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """How many times the positives that chance would find, from the top of the ranking."""
    drawing = drawn(
        models,
        "lift",
        lambda ev: ev.curves.lift,
        point=lambda ev: (ev.estimate("predicted_prevalence"), ev.estimate("lift")),
    )
    if drawing is None:
        return None
    who, share = _best(models)
    table = table_of(models, {key: points_of(curve) for key, curve in drawing.made.items()}, LIFT_COLUMNS)
    caption = f"{who} tenth of the cases holds {share / TOP:.3g} times the positives that chance would find."
    return [Heading("Lift"), Picture(drawing.figure, caption, points_drawn(drawing.figure), table)]


def _best(models: Mapping[str, Evaluation]) -> tuple[str, float]:
    """Whose top of the ranking holds most positives, as the beginning of a sentence, and how many of them."""
    found = {key: _in_top(models[key]) for key in movable(models)}
    key = max(found, key=lambda each: found[each])
    name = model_names(models)[key]
    return (f"{name}'s top" if name and len(found) > 1 else "The top"), found[key]


def _in_top(ev: Evaluation) -> float:
    """The share of the positives that the top of the ranking holds; ties at its end are entered evenly."""
    assert ev.scores is not None
    if ev.scores.is_weighted:
        curve = ev.curves.gain
        return float(np.interp(TOP, curve.x, curve.y))
    return float(recall_at_k(ev.scores, TOP * float(ev.scores.total)))
