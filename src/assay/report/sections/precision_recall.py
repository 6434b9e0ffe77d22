"""The precision-recall curve: what share of the flags is right at every share of positives found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.curves import Band, precision_at_recall, precision_band
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.plots import Figure
from assay.plots.labels import letter
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import drawn, operating, points_drawn, points_of, pointwise, scored, table_of
from assay.report.sections.roc import MOST_NAMED, independent
from assay.report.words import listed, percent

__all__ = ["precision_recall"]

AT = np.arange(1, 26) / 25
# The share of the positives that the caption speaks of.
FOUND = 0.8
COLUMNS = {"threshold": "threshold", "recall": "recall", "precision": "precision", "TP": "hits", "FP": "false alarms"}


def precision_recall(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The curves of all models that have scores, over the precision of flagging everyone."""
    found = drawn(
        models,
        "pr",
        scored(models),
        lambda ev: ev.precision_recall,
        point=lambda ev: operating(ev, "recall", "precision"),
        summary=lambda ev: ev.estimate("average_precision"),
        band=_band,
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
    table = table_of(models, {key: points_of(curve) for key, curve in found.made.items()}, COLUMNS)
    picture = Picture(_moving(found.figure), _caption(wrong), subtitle, table, remark=remark)
    return [Heading("Precision and recall"), picture]


def _band(ev: TwoClassEvaluation) -> Band | None:
    return precision_band(ev.curves.scores, ev.level, at=AT) if independent(ev) else None


def _moving(figure: Figure) -> Figure:
    """The figure with everything marked that another prevalence moves, which is all of it."""
    lines = tuple(replace(line, moves="precision") for line in figure.lines)
    areas = tuple(replace(area, moves="precision") for area in figure.areas)
    labels = tuple(replace(label, moves="precision") for label in figure.labels)
    return replace(figure, lines=lines, areas=areas, labels=labels)


def _caption(wrong: Mapping[str, float]) -> str:
    if len(wrong) == 1:
        share = percent(next(iter(wrong.values())))
        return f"To find {100 * FOUND:.0f} % of the positives, {share} of the flags will be false alarms."
    if len(wrong) > MOST_NAMED:
        span = f"{percent(min(wrong.values()))} to {percent(max(wrong.values()))}"
        return f"To find {100 * FOUND:.0f} % of the positives, {span} of the flags will be wrong."
    shares = listed(f"{name} {percent(share)}" for name, share in wrong.items())
    return f"At {100 * FOUND:.0f} % recall the share of wrong flags is {shares}."
