"""Each of many classes against the rest: what a page of two classes shows, once for every class that has room."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.report.blocks import Block, Heading, Picture, Sentence
from assay.report.sections.calibration import calibration
from assay.report.sections.confusion import confusion
from assay.report.sections.costs import expected_cost
from assay.report.sections.decisions import net_benefit
from assay.report.sections.discrimination import densities, gain, precision_recall, roc
from assay.report.sections.figures import by_f1, has_both_classes, some_rows
from assay.report.sections.measures import key_measures
from assay.report.wording import listed, number, shortened
from assay.results import counted

__all__ = ["Panel", "about_classes", "panels"]

Section = Callable[[Mapping[str, Evaluation]], list[Block] | None]

# What is shown of a class, in the order of the page.
SHOWN: Mapping[str, Section] = {
    "operating-point": key_measures,
    "confusion": confusion,
    "roc": roc,
    "precision-recall": precision_recall,
    "expected-cost": expected_cost,
    "densities": densities,
}
# What more is shown of each of so few classes that a page has room for it.
MOST_IN_FULL = 12
IN_FULL = {**SHOWN, "calibration": calibration, "gain": gain, "net-benefit": net_benefit}
# So many classes have figures all; of more, so many of the commonest and so many of those with the lowest F1.
MOST_CLASSES = 30
MOST_OF_EACH = 6
# Rows of the table behind a figure: thirty classes have a hundred figures.
MOST_ROWS = 5


@dataclass(frozen=True)
class Panel:
    """One class against the rest: its name, a line about it, the evaluations of two classes, and their sections."""

    name: str
    title: str
    note: str
    models: Mapping[str, TwoClassEvaluation]
    sections: Mapping[str, list[Block]]
    is_open: bool = False


def panels(models: Mapping[str, Evaluation]) -> list[Panel]:
    """For each class that is shown its figures and decisions; none where there are two classes, or no scores."""
    first = next(iter(models.values()))
    of_many = {key: ev for key, ev in models.items() if isinstance(ev, ManyClassEvaluation)}
    having = {key: ev for key, ev in of_many.items() if ev.has_scores}
    if not isinstance(first, ManyClassEvaluation) or not having:
        return []
    chosen, sizes = _panel_classes(first), first.class_sizes
    shown = [name for name in first.classes if name in chosen]
    commonest = max(shown, key=lambda name: sizes[name], default="")
    sections = IN_FULL if len(first.classes) <= MOST_IN_FULL else SHOWN
    return [
        _class_panel(
            place, name, sections, {key: ev.against(name) for key, ev in having.items()}, is_open=name == commonest
        )
        for place, name in enumerate(shown)
    ]


def about_classes(ev: Evaluation, shown: list[Panel]) -> list[Block]:
    """What stands above the figures: of which classes there are any."""
    said = "Each class against all others, with a threshold on its own score; initially the predicted labels are used."
    if len(shown) < len(ev.classes):
        names = listed(panel.title for panel in shown)
        which = (
            f"the {MOST_OF_EACH} most frequent and the {MOST_OF_EACH} with the lowest F1"
            if len(ev.classes) > MOST_CLASSES
            else "all that have cases"
        )
        said = f"{said} {len(shown):,} of {len(ev.classes):,} classes have figures, {which}: {names}."
    return [Heading("One class against the rest"), Sentence(said)]


def _panel_classes(ev: ManyClassEvaluation) -> set[str]:
    """The classes that have cases, and of too many the commonest and those with the lowest F1."""
    sizes = ev.class_sizes
    having = {name for name, size in sizes.items() if 0 < size < sum(sizes.values())}
    if len(sizes) <= MOST_CLASSES:
        return having
    worst = [ev.classes[k] for k in by_f1(ev.matrix)]
    commonest = sorted(ev.classes, key=lambda name: -sizes[name])
    return {name for order in (commonest, worst) for name in [each for each in order if each in having][:MOST_OF_EACH]}


def _class_panel(
    place: int, name: str, shown: Mapping[str, Section], models: dict[str, TwoClassEvaluation], *, is_open: bool
) -> Panel:
    first = next(iter(models.values()))
    found = {key: section(models) for key, section in shown.items()}
    area = f", ROC AUC {number(first.estimate('roc_auc').value)}" if has_both_classes(first) else ""
    note = counted(first.class_counts[first.positive], "case") + (area if len(models) == 1 else "")
    sections = {key: [_nested_block(block, place) for block in blocks] for key, blocks in found.items() if blocks}
    return Panel(name, shortened(name, 24), note, models, sections, is_open)


def _nested_block(block: Block, place: int) -> Block:
    """A block one heading further down; figures of many classes must not share a name."""
    if isinstance(block, Heading):
        return replace(block, level=block.level + 1)
    if isinstance(block, Picture) and block.figure is not None:
        table = None if block.table is None else some_rows(block.table, MOST_ROWS)
        return replace(block, figure=replace(block.figure, name=f"{block.figure.name}-{place}"), table=table)
    return block
