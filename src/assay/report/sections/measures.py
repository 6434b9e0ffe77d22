"""All measures that apply, by family."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluation import Evaluation
from assay.report.blocks import Block, Estimates, Heading, Row, Sentence
from assay.report.sections._rows import decisions_by, is_shown, row
from assay.report.words import listed, model_names

__all__ = ["measures"]

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
        blocks.append(Estimates(_rows(ev, k)))
        blocks.extend(Sentence(text) for text in _left_out(ev))
    return blocks


def _rows(ev: Evaluation, series: int) -> tuple[Row, ...]:
    by_family: dict[str, list[Row]] = {}
    for name, measure in ev.registry.items():
        if is_shown(ev, name):
            group = _group(ev, measure.family)
            by_family.setdefault(group, []).append(row(ev, name, series=series, group=group))
    return tuple(row for rows in by_family.values() for row in rows)


def _group(ev: Evaluation, family: str) -> str:
    title = FAMILIES.get(family, family.capitalize())
    if family in OF_SCORES:
        return title
    decided, threshold = decisions_by({"": ev})
    return f"{title} {decided[0].lower()}{decided[1:]} {threshold}".strip()


def _left_out(ev: Evaluation) -> list[str]:
    """What is not in the table, by reason."""
    by_reason: dict[str, list[str]] = {}
    for name, measure in ev.registry.items():
        reason = ev.applies(name)
        if reason is not None:
            by_reason.setdefault(reason, []).append(measure.title)
    return [f"Not computed, because {reason}: {listed(titles)}." for reason, titles in by_reason.items()]
