"""Per class: each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluation import Evaluation
from assay.measures import registry
from assay.report.blocks import Block, Cell, Grid, Heading
from assay.report.words import bracketed, count, model_names, no_interval, number, shortened
from assay.results import Estimate

__all__ = ["per_class"]

MEASURES = ("recall", "precision", "f1")


def per_class(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One table a model, a row a class."""
    names = model_names(models)
    blocks: list[Block] = []
    for key, ev in models.items():
        if not ev.per_class:
            continue
        if names[key]:
            blocks.append(Heading(names[key], 3))
        blocks.append(_grid(ev))
    return [Heading("Per class"), *blocks] if blocks else None


def _grid(ev: Evaluation) -> Grid:
    return Grid(
        corner="Class",
        columns=tuple(registry[name].title for name in MEASURES),
        rows=tuple(
            (
                Cell(shortened(name, 24), f"{count(ev.class_sizes[name])} cases"),
                tuple(_cell(found[measure]) for measure in MEASURES),
            )
            for name, found in ev.per_class.items()
        ),
    )


def _cell(estimate: Estimate) -> Cell:
    return Cell(number(estimate.value), bracketed(estimate) or no_interval(estimate))
