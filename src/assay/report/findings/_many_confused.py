"""Which classes are taken for which: the largest wrong cell of the matrix, by a rule and with its price."""

from __future__ import annotations

import math

from assay.evaluation import ManyClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.report.findings._lines import BETWEEN, LENGTHS, LONGEST_EVIDENCE, fitting, line
from assay.report.said import FoundLine, Mark, Text, Wording, plain, said
from assay.report.sections.confusion import (
    largest_cells,
    pair_count,
    pair_share,
    pairs_have_limits,
    wrong_answers,
)
from assay.report.words import bracketed, count, listed, percent, share_limits, short_names, value_words
from assay.results import counted

# Cells of the same size that are named; of more only the first.
MOST_TIED = 2
LOWEST_RECALLS = 2
MOST_UNCALLED = 3


def confused_of_many(ev: ManyClassEvaluation) -> FoundLine | None:
    """The largest confusion with an interval that holds for all cells, or that none stands out; None without labels."""
    matrix = ev.matrix
    if matrix is None or not matrix.total:
        return None
    cells = largest_cells(matrix)
    link = {"link": "confusion", "link_words": "Matrix"}
    if not cells:
        never = said("many.confuses.never", cases=counted(float(matrix.total), "case"))
        return FoundLine("Confuses?", "sought", never, _evidence(ev, matrix, cells), _noproof(), **link)
    i, j = cells[0]
    wrong = wrong_answers(matrix)
    usual = float(wrong[i].sum()) / (len(matrix.decisions) - 1)
    share, cases = pair_share(matrix, i, j, ev.level), counted(float(wrong[i, j]), "case")
    if not float(wrong[i, j]) > usual:
        nothing = said("many.confuses.none", cases=cases)
        return FoundLine("Confuses?", "sought", nothing, _evidence(ev, matrix, cells), _looking(matrix), **link)
    is_told = share.low > usual / float(matrix.actual[i])
    key = "many.confuses.told" if is_told or math.isnan(share.low) else "many.confuses.open"
    words = {"share": percent(share.value), "limits": share_limits(share.low, share.high)}
    if key == "many.confuses.open" and len(cells) == 1:
        cases = f"{count(float(wrong[i, j]))} of {count(float(matrix.actual[i]))}"
    words["cases"] = cases if len(cells) == 1 else f"{cases} each"
    found = fitting(_named(key, matrix, cells, words, most) for most in LENGTHS)
    mark: Mark = "told" if is_told else "open"
    return FoundLine("Confuses?", mark, found, _evidence(ev, matrix, cells), _looking(matrix), **link)


def _named(key: str, matrix: ConfusionMatrix, cells: list[tuple[int, int]], words: dict[str, str], most: int) -> Text:
    """The sentence with names of so many letters; every name stays one that no other class has."""
    names = list(short_names(matrix.decisions, most).values())
    shown = [f"{names[i]} with {names[j]}" for i, j in (cells if len(cells) <= MOST_TIED else cells[:1])]
    more = len(cells) - len(shown)
    pairs = f"{shown[0]} and {more} more pairs" if more else ", and ".join(shown)
    return said(key, **words, pairs=pairs, **{"class": f'"{names[cells[0][0]]}"'})


def _evidence(ev: ManyClassEvaluation, matrix: ConfusionMatrix, cells: list[tuple[int, int]]) -> Text:
    """How many of the errors sit there, the classes that nothing is called, and the lowest recalls."""
    errors, held = float(matrix.total - matrix.correct), sum(float(matrix.counts[cell]) for cell in cells)
    numbers = {"errors": count(held), "all": count(errors), "cells": str(len(cells)), "of": f"{pair_count(matrix):,}"}
    parts = [said("many.confuses.errors", **numbers)] if cells else []
    names = short_names(ev.classes, LENGTHS[2])
    called = matrix.counts.sum(0)
    uncalled = [names[name] for k, name in enumerate(matrix.classes) if matrix.actual[k] > 0 and not called[k]]
    if uncalled:
        more = [f"{len(uncalled) - MOST_UNCALLED:,} more"] if len(uncalled) > MOST_UNCALLED else []
        parts.append(said("many.confuses.uncalled", classes=listed([*uncalled[:MOST_UNCALLED], *more])))
    parts += _recalls(ev, names, LONGEST_EVIDENCE - sum(len(plain(part)) + len(BETWEEN) for part in parts))
    return line(parts)


def _recalls(ev: ManyClassEvaluation, names: dict[str, str], room: int) -> list[Text]:
    """The lowest recalls, as many as there is room for."""
    found = {name: each["recall"] for name, each in ev.per_class.items()}
    lowest = sorted((name for name in found if not math.isnan(found[name].value)), key=lambda name: found[name].value)
    for most in range(LOWEST_RECALLS, 0, -1):
        runs: list[Wording] = list(said("many.confuses.recall", classes=""))
        for place, name in enumerate(lowest[:most]):
            runs += [Wording(f"{', ' if place else ' '}{names[name]} "), Wording(value_words(found[name]), "b")]
            runs.append(Wording(f" {bracketed(found[name])}"))
        if lowest and len(plain(tuple(runs))) <= room:
            return [tuple(runs)]
    return []


def _looking(matrix: ConfusionMatrix) -> Text:
    if not pairs_have_limits(matrix):
        return said("many.confuses.weighed")
    return said("many.confuses.looking", cells=f"{pair_count(matrix):,}")


def _noproof() -> Text:
    return said("many.confuses.noproof")
