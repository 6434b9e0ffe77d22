"""Net benefit: is it better to act on the scores than on everyone or on no one?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.curves import Band, DecisionCurve, net_benefit_band
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import cut_at, drawn, pointwise, table_of
from assay.report.sections.calibration import are_probabilities
from assay.report.sections.roc import independent
from assay.report.words import model_names

__all__ = ["net_benefit"]

COLUMNS = {"threshold": "threshold", "net_benefit": "net benefit", "act_on_all": "acting on all"}


def net_benefit(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The decision curves of all models whose scores can be read as probabilities."""
    having = {key: ev for key, ev in models.items() if are_probabilities(ev)}
    found = drawn(models, "net_benefit", having, lambda ev: ev.curves.decision(), band=_band)
    if found is None:
        return None
    curves = {key: curve for key, curve in found.made.items() if isinstance(curve, DecisionCurve)}
    band = pointwise(models, found)
    table = table_of(models, {key: curve.table() for key, curve in curves.items()}, COLUMNS)
    figure = cut_at(models, found.figure)
    picture = Picture(figure, _caption(models, curves), band or "beside acting on all and on none", table)
    return [Heading("Net benefit"), picture]


def _band(ev: TwoClassEvaluation) -> Band | None:
    return net_benefit_band(ev.curves.scores, ev.level) if independent(ev) else None


def _caption(models: Mapping[str, Evaluation], curves: Mapping[str, DecisionCurve]) -> str:
    """From where to where acting on the scores gains more than either constant answer, on these cases."""
    names = model_names(models)
    wins = {key: curve.net_benefit > np.maximum(curve.act_on_all, 0.0) for key, curve in curves.items()}
    key = max(wins, key=lambda each: int(wins[each].sum()))
    at = curves[key].threshold[wins[key]]
    who = names[key] if names[key] and len(curves) > 1 else "the scores"
    if not len(at):
        return f"Acting on {who} gains nowhere more than acting on all or on none, on these cases."
    part = "" if len(at) == round((at[-1] - at[0]) * 100) + 1 else "mostly "
    return f"Acting on {who} gains more than all or none {part}from {at[0]:.2f} to {at[-1]:.2f}, on these cases."
