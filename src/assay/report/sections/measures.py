"""All measures that apply, by family.

The headline: how well scores rank and how good they are as probabilities.

Key measures: what scores and decisions are worth, beside what answers give that look at no case.

Subgroups: each evaluated by itself, the small ones marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.cautions.data import TINY_CLASS
from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.report.blocks import Block, Cell, Estimates, Forest, ForestRow, Grid, Heading, Row, Sentence
from assay.report.sections.estimate_rows import (
    decisions_by,
    estimate_cell,
    in_cells,
    is_shown,
    of_labels_alone,
    row,
    rows_by_measure,
)
from assay.report.wording import listed, model_names, quoted, shortened, tamed
from assay.results import counted

__all__ = ["headline", "key_measures", "measures", "subgroups"]


FAMILIES = {
    "ranking": "Ranking",
    "probability": "Probabilities",
    "rates": "Rates",
    "agreement": "Agreement",
    "averages": "Averages over classes",
}
OF_SCORES = ("ranking", "probability")


def measures(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One table a model."""
    names = model_names(models)
    blocks: list[Block] = [Heading("All measures")]
    for k, (key, ev) in enumerate(models.items()):
        if names[key]:
            blocks.append(Heading(names[key], 3))
        blocks.append(Estimates(_measure_rows(ev, k)))
        blocks.extend(Sentence(text) for text in _omitted_measures_sentences(ev))
    return blocks


def _measure_rows(ev: Evaluation, series: int) -> tuple[Row, ...]:
    by_family: dict[str, list[Row]] = {}
    for name, measure in ev.registry.items():
        if is_shown(ev, name):
            group = _group_title(ev, measure.family)
            by_family.setdefault(group, []).append(row(ev, name, series=series, group=group))
    return tuple(row for rows in by_family.values() for row in rows)


def _group_title(ev: Evaluation, family: str) -> str:
    title = FAMILIES.get(family, family.capitalize())
    if family in OF_SCORES:
        return title
    decided, threshold = decisions_by({"": ev})
    return f"{title} {decided[0].lower()}{decided[1:]} {threshold}".strip()


def _omitted_measures_sentences(ev: Evaluation) -> list[str]:
    """What is not in the table, by reason."""
    by_reason: dict[str, list[str]] = {}
    for name, measure in ev.registry.items():
        reason = ev.reason_unavailable(name)
        if reason is not None:
            by_reason.setdefault(reason, []).append(measure.title)
    return [f"Not computed, because {reason}: {listed(titles)}." for reason, titles in by_reason.items()]


MEASURES = ("roc_auc", "average_precision", "brier")
OF_LABELS = ("accuracy", "balanced_accuracy", "kappa", "mcc")
OF_MANY = ("accuracy", "balanced_accuracy", "macro_f1", "kappa", "hand_till", "log_loss", "brier")

SEVERAL = (
    "Overlapping intervals do not show whether one model is better than another. Use a paired comparison on the "
    "same cases"
)


def headline(models: Mapping[str, Evaluation], said: Sequence[str] | None = None) -> list[Block] | None:
    """The few numbers that do not depend on a threshold (of many classes: that look at all), beside their baselines.

    What may be `said` about several models is what their comparison found; nothing where it is said elsewhere.
    """
    is_binary = isinstance(next(iter(models.values())), TwoClassEvaluation)
    of_two = OF_LABELS if all(map(of_labels_alone, models.values())) else MEASURES
    rows = rows_by_measure(models, of_two if is_binary else OF_MANY)
    blocks: list[Block] = [Estimates(rows, is_headline=True)] if rows else []
    if len(models) > 1:
        blocks.extend(map(Sentence, [f"{SEVERAL}: assay compare."] if said is None else said))
    return blocks or None


KEY_MEASURES_OF_SCORES = ("roc_auc", "average_precision", "brier_skill")
OF_DECISIONS = ("recall", "precision", "specificity", "accuracy", "f1")
KEY_MEASURES_OF_LABELS = ("recall", "precision", "specificity", "accuracy", "balanced_accuracy", "f1", "kappa", "mcc")


def key_measures(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The few measures of two classes that a page begins with."""
    if isinstance(next(iter(models.values())), ManyClassEvaluation):
        return None
    deciding = {key: ev for key, ev in models.items() if ev.matrix is not None}
    only_labels = all(map(of_labels_alone, models.values()))
    of_scores = () if only_labels else rows_by_measure(models, KEY_MEASURES_OF_SCORES)
    of_decisions = (
        rows_by_measure(deciding, KEY_MEASURES_OF_LABELS if only_labels else OF_DECISIONS) if deciding else ()
    )
    blocks: list[Block] = [Heading("Key measures")]
    if of_scores:
        # Bounds are no remark to leave out: without them the interval would be taken for all that is open.
        blocks.append(
            Estimates(tuple(replace(row, remark=in_cells(row.estimate)) for row in of_scores), is_headline=True)
        )
    if of_decisions:
        title, threshold = decisions_by(deciding)
        blocks.append(Estimates(of_decisions, title, threshold, is_headline=True))
    return blocks if len(blocks) > 1 else None


SUBGROUPS_MEASURES = ("roc_auc", "recall", "precision", "accuracy")
SUBGROUPS_OF_MANY = ("accuracy", "balanced_accuracy", "macro_f1", "hand_till")
# So many fit beside one another on a terminal.
MOST_SHOWN = 3

NOT_A_TEST = (
    "Each interval applies to its own subgroup. With many subgroups, some differ by chance: selecting the worst one "
    "and its interval alone overstates the difference."
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
            blocks += [_subgroup_grid(ev, series), *_subgroup_test_blocks(ev)]
    return [*blocks, Sentence(NOT_A_TEST)]


def _subgroup_test_blocks(ev: Evaluation) -> list[Block]:
    """Whether the subgroups differ, by a test of all of them at once, and how far each is from the rest."""
    if ev.grouping is None:
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


def _subgroup_grid(ev: Evaluation, series: int) -> Grid:
    wanted = SUBGROUPS_MEASURES if isinstance(ev, TwoClassEvaluation) else SUBGROUPS_OF_MANY
    measures = [name for name in wanted if is_shown(ev, name)][:MOST_SHOWN]
    named = [*((shortened(name, 24), group) for name, group in ev.subgroups.items()), ("all", ev)]

    def cells(group: Evaluation) -> tuple[Cell, ...]:
        return tuple(estimate_cell(group.estimate(name), series, ev.estimate(name)) for name in measures)

    return Grid(
        corner="Subgroup",
        columns=tuple(ev.registry[name].title for name in measures),
        rows=tuple((Cell(name, _subgroup_size_words(group)), cells(group)) for name, group in named),
        is_plain=True,
    )


def _subgroup_size_words(group: Evaluation) -> str:
    """How many cases there are, and of which class too few."""
    name, fewest = min(group.class_counts.items(), key=lambda item: item[1])
    few = f", only {fewest:,} of {quoted(name, 12)}" if fewest < TINY_CLASS else ""
    return counted(group.n, "case") + few
