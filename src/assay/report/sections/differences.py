"""Differences: every measure's difference between two classifiers with its interval, on one axis."""

from __future__ import annotations

import math
from dataclasses import replace

from assay.report.blocks import Block, Forest, ForestRow, Heading, Sentence
from assay.report.sections._compared import Compared
from assay.report.words import listed

__all__ = ["differences"]

BY_ITSELF = "Each measure is tested by itself."
TOGETHER = (
    "Limits and p of {} hold for all of them at once; each other measure is tested by itself, and decides nothing."
)


def differences(compared: Compared) -> list[Block] | None:
    """One row a measure and pair; all pairs of one measure hold at once."""
    rows = []
    for name in compared.shown:
        measure = compared.comparison.find(name)
        for found in compared.shown_of(name):
            pair = "" if len(compared.names) == 2 else f"{compared.names[found.first]} - {compared.names[found.second]}"
            rows.append(ForestRow(measure.title, found, measure.better, pair, math.isfinite(sum(measure.bounds))))
    if not any(row.is_drawn for row in rows):
        rows = [replace(row, is_drawn=True) for row in rows]
    first, second = list(compared.names.values())[:2]
    words = f"{first} minus {second}" if len(compared.names) == 2 else "the first minus the second"
    lower = " Where lower is better (↓), a difference below 0 speaks for the first." if _has_lower(rows) else ""
    own = f" {_together(compared)}" if len(compared.shown) > 1 else ""
    heading = Heading(f"Differences: {words}")
    return [heading, Forest(tuple(rows), compared.margin), Sentence(f"{lower}{own}".strip() or _adjusted(rows))]


def _together(compared: Compared) -> str:
    """Which of the measures hold together: of two models those that decide."""
    titles = [family.title for family in compared.families] if len(compared.names) == 2 else []
    return TOGETHER.format(listed(titles)) if len(titles) > 1 else BY_ITSELF


def _has_lower(rows: list[ForestRow]) -> bool:
    return any(row.better == "lower" for row in rows)


def _adjusted(rows: list[ForestRow]) -> str:
    many = f", {rows[0].difference.adjusted}" if rows[0].difference.adjusted else ""
    return f"All intervals by {rows[0].difference.method}{many}."
