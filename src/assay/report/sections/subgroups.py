"""Subgroups: each evaluated by itself, the small ones marked."""

from __future__ import annotations

from collections.abc import Mapping

from assay.cautions.data import TINY_CLASS
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Cell, Forest, ForestRow, Grid, Heading, Sentence
from assay.report.sections._rows import estimate_cell, is_shown
from assay.report.words import model_names, quoted, shortened, tamed
from assay.results import counted

__all__ = ["subgroups"]

MEASURES = ("roc_auc", "recall", "precision", "accuracy")
OF_MANY = ("accuracy", "balanced_accuracy", "macro_f1", "hand_till")
# So many fit beside one another on a terminal.
MOST_SHOWN = 3

NOT_A_TEST = (
    "Each interval of the table is for its own subgroup. Of many subgroups some differ by chance: picking out the "
    "worst one and reading its interval alone overstates the difference."
)


def subgroups(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One table a model, a row a subgroup, all cases last, and whether subgroups differ."""
    parted = {key: ev for key, ev in models.items() if ev.subgroups}
    if not parted:
        return None
    names = model_names(models)
    column = next(iter(parted.values())).by or ""
    blocks: list[Block] = [Heading(f"Subgroups by {quoted(column)}")]
    for series, (key, ev) in enumerate(models.items()):
        if key in parted:
            blocks += [Heading(names[key], 3)] if names[key] else []
            blocks += [_grid(ev, series), *_tested(ev)]
    return [*blocks, Sentence(NOT_A_TEST)]


def _tested(ev: Evaluation) -> list[Block]:
    """Whether the subgroups differ, by a test of all of them at once, and how far each is from the rest."""
    if ev.parting is None:
        return []
    found = ev.gaps()
    # Two subgroups have one gap, between them.
    is_pair = len(found.found) == 2
    other = shortened(found.found[1].group, 24) if is_pair else "the rest"
    rows = tuple(
        ForestRow(
            found.measure.title, gap.difference, found.measure.better, f"{shortened(gap.group, 24)} minus {other}"
        )
        for gap in (found.tested[:1] if is_pair else found.tested)
    )
    return [Sentence(tamed(found.sentence)), *([Forest(rows)] if rows else [])]


def _grid(ev: Evaluation, series: int) -> Grid:
    wanted = MEASURES if isinstance(ev, TwoClassEvaluation) else OF_MANY
    measures = [name for name in wanted if is_shown(ev, name)][:MOST_SHOWN]
    named = [*((shortened(name, 24), group) for name, group in ev.subgroups.items()), ("all", ev)]

    def cells(group: Evaluation) -> tuple[Cell, ...]:
        return tuple(estimate_cell(group.estimate(name), series, ev.estimate(name)) for name in measures)

    return Grid(
        corner="Subgroup",
        columns=tuple(ev.registry[name].title for name in measures),
        rows=tuple((Cell(name, _size(group)), cells(group)) for name, group in named),
        is_plain=True,
    )


def _size(group: Evaluation) -> str:
    """How many cases there are, and of which class too few."""
    name, fewest = min(group.class_counts.items(), key=lambda item: item[1])
    few = f", only {fewest:,} of {quoted(name, 12)}" if fewest < TINY_CLASS else ""
    return counted(group.n, "case") + few
