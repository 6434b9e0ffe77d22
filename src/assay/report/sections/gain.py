"""Gain and lift: for those who work a ranking from the top."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.curves import recall_at_k
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import drawn, operating, points_drawn, points_of, scored, table_of
from assay.report.words import model_names, percent

__all__ = ["gain", "lift"]

# The part of the ranking that the captions speak of.
TOP = 0.1
GAIN_COLUMNS = {"threshold": "threshold", "taken": "share taken", "recall": "recall", "TP": "hits"}
LIFT_COLUMNS = {"threshold": "threshold", "taken": "share taken", "lift": "lift"}


def gain(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Share of the positives found against the share of cases taken, from the top of the ranking."""
    found = _from_the_top(models, "gain", "recall", GAIN_COLUMNS)
    if found is None:
        return None
    who, share = _best(models)
    caption = f"{who} tenth of the cases holds {percent(share)} of the positives."
    return [Heading("Cumulative gain"), replace(found, caption=caption, subtitle="highest scores first")]


def lift(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """How many times the positives that chance would find, from the top of the ranking."""
    found = _from_the_top(models, "lift", "lift", LIFT_COLUMNS)
    if found is None:
        return None
    who, share = _best(models)
    caption = f"{who} tenth of the cases holds {share / TOP:.3g} times the positives that chance would find."
    return [Heading("Lift"), replace(found, caption=caption, subtitle="recall over the share taken")]


def _from_the_top(
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


def _best(models: Mapping[str, Evaluation]) -> tuple[str, float]:
    """Whose top of the ranking holds most positives, as the beginning of a sentence, and how many of them."""
    found = {key: _in_top(ev) for key, ev in scored(models).items()}
    key = max(found, key=lambda each: found[each])
    name = model_names(models)[key]
    return (f"{name}'s top" if name and len(found) > 1 else "The top"), found[key]


def _in_top(ev: TwoClassEvaluation) -> float:
    """The share of the positives that the top of the ranking holds; ties at its end are entered evenly."""
    table = ev.curves.scores
    if table.is_weighted:
        curve = ev.curves.gain
        return float(np.interp(TOP, curve.x, curve.y))
    return float(recall_at_k(table, TOP * float(table.total)))
