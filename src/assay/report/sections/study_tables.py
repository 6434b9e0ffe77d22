"""The tables and figures of a study's page: estimates, the best two, plan and data, speed and size, what failed."""

from __future__ import annotations

import math
from collections import Counter

from assay.errors import AssayError
from assay.plots import draw_curve
from assay.report.blocks import (
    Baseline,
    Block,
    Estimates,
    Forest,
    ForestRow,
    Heading,
    Note,
    Notes,
    Picture,
    Row,
    Sentence,
)
from assay.report.sections.ranks_tables import grid
from assay.report.sections.study_shown import Shown
from assay.report.words import count, listed, percent, tamed
from assay.results import counted

__all__ = ["best_two", "data_sets", "estimates", "failures", "plan", "speed"]

# More splits than this are a surface, not a figure.
MOST_SPLITS = 500
# Shares of more classes than this are not spelled out.
MOST_CLASSES = 6
MOST_NAMED = 8


def estimates(shown: Shown) -> list[Block]:
    """Every learner on every data set, the one that looks at no feature as the baseline."""
    rows = []
    for dataset in shown.study.datasets:
        base = None if shown.dummy is None else shown.estimates[dataset, shown.dummy].value
        baseline = None if base is None or math.isnan(base) else Baseline("no feature", base)
        for k, learner in enumerate(shown.study.learners):
            found = shown.estimates[dataset, learner]
            own = None if learner == shown.dummy else baseline
            name = shown.learners[learner]
            rows.append(Row(shown.datasets[dataset], found, shown.facts.better, own, "", "", name, k))
    table = Estimates(tuple(rows), is_headline=True, heads=("Data set", "Learner"))
    note = "Means over splits; the intervals speak of the algorithm that made the models, each by itself."
    note += "" if shown.dummy is None else " The upright line is the learner that looks at no feature."
    lower = " Lower is better." if shown.facts.better == "lower" else ""
    return [Heading(f"{shown.facts.title} by data set"), table, Sentence(f"{note}{lower}")]


def best_two(shown: Shown) -> list[Block] | None:
    """The best learner less the next one, with limits that allow for the choice."""
    found = shown.best_two
    if not found:
        return None
    first, second = (shown.learners[name] for name in shown.order[:2])
    rows = tuple(ForestRow(shown.datasets[name], gap, shown.facts.better) for name, gap in found.items())
    heading = Heading(f"The best two: {first} minus {second}")
    return [heading, Forest(rows, head="Data set"), Sentence(_about_best_two(shown))]


def _about_best_two(shown: Shown) -> str:
    said: dict[str, list[str]] = {}
    for dataset, gap in shown.best_two.items():
        winner = shown.winner(gap)
        words = "they cannot be told apart" if winner is None else f"{shown.learners[winner]} is better"
        said.setdefault("there is no test" if math.isnan(gap.low) else words, []).append(shown.datasets[dataset])
    parts = [f"on {_some(names)} {words}" for words, names in said.items()]
    found = f"O{'; '.join(parts)[1:]}."
    if list(said) == ["there is no test"]:
        return found
    chosen = f"The two were chosen by looking, so that limits and p-values hold for all {shown.pairs} pairs at once"
    alone = "By the corrected resampled t test, each data set by itself."
    return f"{found} {f'{chosen} (Bonferroni). ' if shown.pairs > 1 else ''}{alone}"


def _some(names: list[str]) -> str:
    return listed(names) if len(names) <= MOST_NAMED else counted(len(names), "data set")


def plan(shown: Shown) -> list[Block]:
    """The plan drawn as the parts of each split of the first data set."""
    study, name = shown.study, shown.study.datasets[0]
    heading = Heading(f"Plan: {study.plan.name}")
    splits = len(study.store.cells(study.name, "fold", dataset=name, learner=study.learners[0]))
    if splits > MOST_SPLITS:
        return [heading, Picture(None, f"{count(splits)} splits of {shown.datasets[name]} are too many to draw.")]
    try:
        flow = study.flow(name)
    except AssayError as error:
        return [heading, Picture(None, f"Not drawn: {tamed(str(error))}.")]
    tested = [cases for part, cases in zip(flow.part, flow.counts.sum(-1).tolist(), strict=True) if part == "test"]
    least = "" if min(tested) == max(tested) else f"{count(min(tested))} to "
    each = "each " if splits > 1 else ""
    what = f"{counted(splits, 'split')} of {shown.datasets[name]}"
    caption = f"{what}, {each}tested on {least}{counted(max(tested), 'case')}."
    figure = draw_curve({"": flow})
    return [heading, Picture(figure, caption, "Cases learned from and tested on, split by split", flow.table())]


def data_sets(shown: Shown) -> list[Block]:
    """The data sets: how many cases, of which classes."""
    rows = []
    for name, title in shown.datasets.items():
        counts = shown.study.class_counts(name)
        total = sum(counts.values())
        shares = ", ".join(f"{tamed(label)} {percent(size / total)}" for label, size in counts.items())
        kinds = shares if len(counts) <= MOST_CLASSES else f"smallest class {count(min(counts.values()))} cases"
        rows.append((title, (count(total), str(len(counts)), kinds)))
    return [Heading("Data sets"), grid("Data set", ("Cases", "Classes", "Shares"), rows)]


def speed(shown: Shown) -> list[Block]:
    """Seconds and bytes of each learner, over all its splits."""
    table = shown.study.table(shown.measure, level=shown.level).columns
    rows = []
    for learner, name in shown.learners.items():
        here = [k for k, other in enumerate(table["learner"]) if other == learner]
        done = sum(table["splits"][k] for k in here)
        cells = [_mean([(table[cost][k], table["splits"][k]) for k in here]) for cost in COSTS]
        sizes = (f"{cells[0]:.4f}", f"{cells[1]:.4f}", f"{cells[2] / 1024:,.1f}")
        known = ["-" if math.isnan(cell) else words for cell, words in zip(cells, sizes, strict=True)]
        rows.append((name, (*known, count(done), count(sum(table["failed"][k] for k in here)))))
    columns = ("Fitting, seconds", "Predicting, seconds", "Model, KB", "Splits done", "Failed")
    note = Sentence("Means over the splits that are done, on the machines that ran them.")
    return [Heading("Speed and size"), grid("Learner", columns, rows), note]


COSTS = ("fit_seconds", "predict_seconds", "model_bytes")


def _mean(weighed: list[tuple[float, int]]) -> float:
    known = [(value, weight) for value, weight in weighed if not math.isnan(value)]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total else math.nan


def failures(shown: Shown) -> list[Block] | None:
    """What went wrong where, by the last line of its traceback."""
    table = shown.study.failures()
    kinds = Counter(
        (dataset, learner, (error or "").strip().rsplit("\n", 1)[-1]) for dataset, learner, _, _, error in table.rows()
    )
    if not kinds:
        return None
    items = tuple(
        Note(f"{shown.learners[learner]} on {shown.datasets[dataset]}", f"{counted(times, 'split')}: {tamed(error)}")
        for (dataset, learner, error), times in kinds.items()
    )
    whole = Sentence("assay experiment show STUDY --failures prints every traceback; --retry runs them again.")
    return [Heading("What failed"), Notes(items), whole]
