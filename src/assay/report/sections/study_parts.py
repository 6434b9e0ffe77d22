"""The parts of a study's page that set training beside test, and all pairs of learners beside one another."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.experiments.algorithm_tests import AllPairs
from assay.experiments.optimism import about_choice
from assay.report.blocks import Block, Heading, Sentence
from assay.report.sections.ranks_tables import grid, pair_grid
from assay.report.sections.study_shown import Shown
from assay.report.words import listed, number, tamed, value_words
from assay.results import counted

if TYPE_CHECKING:
    from assay.experiments.optimism import Winner

__all__ = ["all_pairs", "chosen_words", "parts"]

# More rows than this are no longer read; the command line has them as CSV.
MOST_ROWS = 200
# Data sets up to which the learner chosen on each is named in the first sentence.
MOST_NAMED = 3


def chosen_words(shown: Shown) -> str:
    """Which learner was chosen on the part set aside, and how good it is on the test part."""
    if not shown.chosen:
        return "No learner has a value on the part to choose on yet"
    said = [
        f"{shown.learners[one.name]} on {shown.datasets[dataset]} ({value_words(one.corrected)})"
        for dataset, one in shown.chosen.items()
    ]
    if len(said) > MOST_NAMED:
        return f"A learner was chosen on each of {counted(len(said), 'data set')}, and judged on its test part"
    return f"Chosen, and judged by {shown.facts.title} on an untouched test part: {listed(said)}"


def parts(shown: Shown) -> list[Block] | None:
    """Training, validation and test side by side, with by how much the first flatters."""
    table, has_aside = shown.parts, "validation" in shown.parts.columns
    if all(math.isnan(value) for value in table.columns["training"]):
        return None
    rows = []
    for row in table.rows():
        one = dict(zip(table.columns, row, strict=True))
        cells = [one["training"], *([one["validation"]] if has_aside else []), one["test"], one["optimism"]]
        words = ["" if math.isnan(cell) else number(cell) for cell in cells]
        picked = shown.chosen.get(one["dataset"])
        is_chosen = picked is not None and picked.name == one["learner"]
        if picked is not None and is_chosen and not math.isnan(picked.corrected.low):
            words[-2] += f" [{number(picked.corrected.low)}, {number(picked.corrected.high)}]"
        rows.append((f"{shown.datasets[one['dataset']]}, {shown.learners[one['learner']]}", words))
    columns = ("Training", *(["Validation"] if has_aside else []), "Test", "Optimism")
    more = len(rows) - MOST_ROWS
    note = "Optimism: by how much the figure on the cases learned from is better than the one on others."
    note += f" {counted(more, 'more row')} are left out." if more > 0 else ""
    said = [Sentence(note), *(Sentence(tamed(f"{name}: {about_choice(one)}.")) for name, one in _picked(shown))]
    title = f"{shown.facts.title}: {'training, validation and test' if has_aside else 'training and test'} side by side"
    return [Heading(title), grid("Data set, learner", columns, rows[:MOST_ROWS]), *said]


def _picked(shown: Shown) -> list[tuple[str, Winner]]:
    first = list(shown.chosen.items())[:MOST_NAMED]
    return [(f"{shown.learners[one.name]} on {shown.datasets[dataset]}", one) for dataset, one in first]


def all_pairs(shown: Shown) -> list[Block] | None:
    """All pairs of learners on each data set with limits that hold for all of them at once, where there are three."""
    if shown.study.validates or len(shown.order) <= 2:
        return None
    tables: list[tuple[str, AllPairs]] = []
    reasons = dict[str, None]()
    for dataset, title in shown.datasets.items():
        try:
            found = shown.study.pairs(dataset, shown.measure, level=shown.level)
        except AssayError as error:
            reasons[f"{title}: {tamed(str(error))}"] = None
            continue
        tables.append((title, found))
        reasons |= {tamed(pair.note): None for pair in found.pairs if pair.note}
    if not tables:
        return None
    every = [(title, pair) for title, found in tables for pair in found.pairs]
    labels = [f"{title}: {shown.learners[pair.first]} minus {shown.learners[pair.second]}" for title, pair in every]
    pairs = tuple(pair for _, pair in every[:MOST_ROWS])
    interval = f"{100 * shown.level:g} % for all at once"
    table = pair_grid("Pair", labels[:MOST_ROWS], replace(tables[0][1], pairs=pairs).table(), interval=interval)
    more = len(every) - MOST_ROWS
    note = (
        "Limits and p-values of a data set hold for all its pairs at once (Bonferroni); the learner that looks at no "
    )
    note += "feature is in no pair." + (f" {counted(more, 'more row')} are left out." if more > 0 else "")
    said = [Sentence(f"{words[0].upper()}{words[1:]}.") for words in list(reasons)[:MOST_NAMED]]
    return [Heading("All pairs of learners"), table, Sentence(note), *said]
