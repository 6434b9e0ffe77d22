"""Differences: every measure's difference between two classifiers with its interval, on one axis."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypedDict

from assay.comparison import Difference
from assay.measures import Measure
from assay.report.blocks import Block, Forest, ForestRow, Heading, Sentence
from assay.report.computed_at import depends_on
from assay.report.sections._compared import Compared
from assay.report.sections._pictures import movable

__all__ = ["differences"]


def differences(compared: Compared) -> list[Block] | None:
    """One row a measure and pair; all pairs of one measure hold at once."""
    answer, rows = compared.answer, []
    for measure in answer.measures:
        for found in answer.differences[measure.name]:
            pair = "" if len(compared.names) == 2 else f"{compared.names[found.first]} - {compared.names[found.second]}"
            is_drawn = math.isfinite(sum(measure.bounds))
            rows.append(
                ForestRow(measure.title, found, measure.better, pair, is_drawn, **_moved(compared, measure, found))
            )
    if not any(row.is_drawn for row in rows):
        rows = [replace(row, is_drawn=True) for row in rows]
    first, second = list(compared.names.values())[:2]
    words = f"{first} minus {second}" if len(compared.names) == 2 else "the first minus the second"
    lower = "Where lower is better (↓), a difference below 0 favors the first." if _has_lower(rows) else ""
    margin = (
        f"The margin is about {answer.measures[0].title}." if 0 < len(answer.margins) < len(answer.measures) else ""
    )
    said = " ".join(filter(None, [lower, *_at_threshold(compared), answer.family_words, margin]))
    note = Sentence(said or _adjusted(rows), live="differences.note" if said and rows[0].places else "")
    return [Heading(f"Differences: {words}"), Forest(tuple(rows), compared.margin), note]


class _Row(TypedDict, total=False):
    measure: str
    places: tuple[int, int]
    depends: str


def _moved(compared: Compared, measure: Measure, found: Difference) -> _Row:
    """What a page's script needs to recompute a row, where it moves the thresholds of all models."""
    numbers = movable(compared.comparison.models)
    if len(numbers) < len(compared.names):
        return {}
    places = (numbers[found.first], numbers[found.second])
    return {"measure": measure.name, "places": places, "depends": depends_on(measure)}


def _at_threshold(compared: Compared) -> list[str]:
    """At which threshold the measures of predicted labels were computed."""
    answer = compared.answer
    return [f"{each.title} is computed {at}." for each in answer.measures if (at := answer.thresholds[each.name])]


def _has_lower(rows: list[ForestRow]) -> bool:
    return any(row.better == "lower" for row in rows)


def _adjusted(rows: list[ForestRow]) -> str:
    many = f", {rows[0].difference.adjusted}" if rows[0].difference.adjusted else ""
    return f"All intervals by {rows[0].difference.method}{many}."
