"""Thresholds: where others would stand, and what each is worth once the optimism of choosing it is taken off."""

from __future__ import annotations

from collections.abc import Mapping

from assay.costs import Costs
from assay.decisions import Aim, ThresholdChoice, choose_thresholds
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections._pictures import scored
from assay.report.sections.roc import independent
from assay.report.words import bracketed, model_names, number, percent, threshold_words, value_words

__all__ = ["thresholds"]

# What a threshold may be chosen for, in the words of the table's rows.
AIMS: Mapping[str, Aim] = {
    "Youden's index": Aim("youden"),
    "F1": Aim("f1"),
    "cost, miss 1 : alarm 1": Aim(costs=Costs(fp=1, fn=1)),
    "cost, miss 10 : alarm 1": Aim(costs=Costs(fp=1, fn=10)),
}
# Resampling more cases than this would keep a reader waiting.
MOST_CASES = 200_000

CHOSEN_HERE = (
    "Each threshold was chosen on these very cases. The value on new cases has the optimism of that taken off by "
    "resampling; assay threshold does the same for your own costs, prevalence and demands."
)


def thresholds(models: Mapping[str, Evaluation], *, by_costs: bool = True) -> list[Block] | None:
    """One table a model, a row for each thing a threshold may be chosen for; with costs where no page answers them."""
    names = model_names(models)
    shown = {key: ev for key, ev in scored(models).items() if ev.n <= MOST_CASES and independent(ev)}
    blocks: list[Block] = []
    for key, ev in shown.items():
        blocks += [Heading(names[key], 3)] if names[key] else []
        blocks.append(_grid(ev, {name: aim for name, aim in AIMS.items() if by_costs or aim.costs is None}))
    return [Heading("Thresholds"), *blocks, Sentence(CHOSEN_HERE)] if blocks else None


def _grid(ev: TwoClassEvaluation, aims: Mapping[str, Aim]) -> Grid:
    choices = choose_thresholds(ev.curves.scores, aims.values(), level=ev.level, seed=ev.seed)
    return Grid(
        corner="Best for",
        columns=("Threshold", "Here", "On new cases", "Recall", "Precision"),
        rows=tuple((Cell(aim), _cells(choice)) for aim, choice in zip(aims, choices, strict=True)),
        is_plain=True,
    )


def _cells(choice: ThresholdChoice) -> tuple[Cell, ...]:
    place, value, matrix = choice.place, choice.value, choice.matrix
    found, called = float(matrix.tp), float(matrix.tp + matrix.fp)
    where = "" if place.undefined else f"[{threshold_words(place.low)}, {threshold_words(place.high)}]"
    worth = "" if value.undefined else bracketed(value)
    return (
        Cell(threshold_words(choice.threshold), where),
        Cell(number(choice.apparent)),
        Cell(value_words(value), worth),
        Cell(percent(found / float(matrix.positives))),
        Cell(percent(found / called) if called else "-"),
    )
