"""Hand's picture: over which costs the AUC averages, and over which the H measure does."""

from __future__ import annotations

from collections.abc import Mapping

from assay.curves import CostWeights
from assay.evaluation import Evaluation
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import drawn, scored, table_of
from assay.report.words import model_names, number

__all__ = ["cost_weights"]

COLUMNS = {
    "cost": "false alarms carry up to",
    "auc_below": "weight in the AUC up to there",
    "h_below": "in the H measure",
}


def cost_weights(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The weight that each model's AUC gives to what a false alarm may cost, and that of the H measure."""
    found = drawn(models, "cost_weights", scored(models), lambda ev: ev.curves.cost_weights)
    if found is None:
        return None
    made = {key: each for key, each in found.made.items() if isinstance(each, CostWeights)}
    table = table_of(models, {key: each.table() for key, each in made.items()}, COLUMNS)
    # What the page's prevalence is set to does not move it: the weights are those of the cases at hand.
    subtitle = "at these cases' prevalence; the AUC's weights are the model's own, H's the same for all"
    return [Heading("Weights over costs"), Picture(found.figure, _caption(models, made), subtitle, table)]


def _caption(models: Mapping[str, Evaluation], made: Mapping[str, CostWeights]) -> str:
    key, first = next(iter(made.items()))
    name = model_names(models)[key]
    whose = f"{name}: half the" if name and len(made) > 1 else "Half of the"
    of_auc, of_h = first.medians
    return f"{whose} AUC's weight lies up to {number(of_auc)}, half of H's up to {number(of_h)}."
