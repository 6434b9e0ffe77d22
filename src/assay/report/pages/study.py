"""The page of a study: what was run, how good each learner is on each data set, and which differ.

The models that a study keeps, on its page: their size, and trees and coefficients where the data are there.

The parts of a study's page that set training beside test, and all pairs of learners beside one another.

A study as its page shows it: one measure, its estimates, the order of the learners, the best two.

The tables and figures of a study's page: estimates, the best two, plan and data, speed and size, what failed.
"""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from assay.comparison import Difference
from assay.errors import AssayError
from assay.experiments.algorithm_tests import AllPairs
from assay.experiments.model_description import Described
from assay.experiments.models import FittedModel
from assay.experiments.optimism import about_choice, side_by_side_value
from assay.measures import Measure
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
from assay.report.glossary import meaning
from assay.report.pages.ranks import grid, of_ranks, pair_grid, ranks_cautions, ranks_lede, ranks_methods, ranks_verdict
from assay.report.sections.provenance import Option, command_words, versions
from assay.report.wording import (
    beats,
    count,
    listed,
    number,
    percent,
    short_names,
    shortened,
    tamed,
    value_words,
    visible,
)
from assay.results import Estimate, Table, counted
from assay.results import shown as figure

if TYPE_CHECKING:
    from assay.experiments import Study
    from assay.experiments.optimism import Winner
    from assay.ranks import RankAnswer

__all__ = [
    "Shown",
    "about_study",
    "all_pairs",
    "best_two",
    "chosen_words",
    "data_sets",
    "estimates",
    "failures",
    "kept_models",
    "parts",
    "plan",
    "speed",
    "study_sections",
    "study_verdict",
]


@dataclass(frozen=True, eq=False)
class Shown:
    """What of a study a page is about; everything is worked out once."""

    study: Study
    measure: str
    level: float

    @cached_property
    def facts(self) -> Measure:
        """The measure's title and direction."""
        return self.study.facts(self.measure)

    @cached_property
    def definition(self) -> Mapping[str, Any]:
        """What the store holds about data sets and learners."""
        held: Mapping[str, Any] = json.loads(self.study.store.definition(self.study.name))
        return held

    @cached_property
    def learners(self) -> dict[str, str]:
        """What each learner is called on the page."""
        return short_names(self.study.learners)

    @cached_property
    def datasets(self) -> dict[str, str]:
        """What each data set is called on the page."""
        return short_names(self.study.datasets)

    @cached_property
    def dummy(self) -> str | None:
        """The learner that looks at no feature."""
        return next(iter(self.study.baselines), None)

    @cached_property
    def chosen(self) -> dict[str, Winner]:
        """Where the plan sets a part aside to choose on: the learner chosen on each data set, if one can be."""
        found = {}
        for dataset in self.study.datasets if self.study.validates and self.facts.better != "neither" else ():
            with suppress(AssayError):
                found[dataset] = self.study.winner(dataset, self.measure, level=self.level)
        return found

    @cached_property
    def parts(self) -> Table:
        """The measure on the cases learned from beside that on others."""
        return self.study.optimism(self.measure)

    @cached_property
    def estimates(self) -> dict[tuple[str, str], Estimate]:
        """The measure of every learner on every data set."""
        return {
            (dataset, learner): self.study.estimate(dataset, learner, self.measure, level=self.level)
            for dataset in self.study.datasets
            for learner in self.study.learners
        }

    @cached_property
    def ranked(self) -> RankAnswer | str | None:
        """The learners ranked over the data sets, why they cannot be, or nothing where there is nothing to rank."""
        if len(self.study.datasets) < 2 or self.facts.better == "neither":
            return None
        try:
            return self.study.ranks(self.measure).answer()
        except AssayError as error:
            return str(error)

    @property
    def answer(self) -> RankAnswer | None:
        """The learners ranked over the data sets, where they can be."""
        return None if isinstance(self.ranked, str) else self.ranked

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Learners that have a value everywhere, from the best: by mean rank over data sets, or by value on the one."""
        if self.facts.better == "neither":
            return ()
        if self.answer is not None:
            return self.answer.ranks.order
        sign = -1 if self.facts.better == "higher" else 1
        means = {
            learner: sign * sum(self._value(dataset, learner) for dataset in self.study.datasets)
            for learner in self.study.learners
            if learner != self.dummy or len(self.study.learners) == 1
        }
        return tuple(sorted((name for name in means if not math.isnan(means[name])), key=means.__getitem__))

    def _value(self, dataset: str, learner: str) -> float:
        """What a learner is put in order by: the part to choose on, where there is one."""
        if self.study.validates:
            return side_by_side_value(self.study, dataset, learner, self.measure)
        return self.estimates[dataset, learner].value

    @property
    def pairs(self) -> int:
        """How many pairs of learners there were to choose from."""
        return len(self.order) * (len(self.order) - 1) // 2

    def difference(self, dataset: str, first: str, second: str) -> Difference:
        """The first less the second on a data set by the corrected t test, its limits wide enough for any pair.

        The pair was chosen by looking, so that limits and p-value hold for all pairs at once.
        """
        by = f"Bonferroni over {self.pairs} pairs" if self.pairs > 1 else None
        nan = math.nan
        try:
            level = 1 - (1 - self.level) / self.pairs
            table = self.study.compare(dataset, first, second, self.measure, level=level)
        except AssayError as error:
            return Difference(
                self.measure, first, second, nan, nan, nan, self.level, nan, "corrected resampled t", 0, str(error), by
            )
        test, value, low, high, _, _, p_value, note = next(table.rows())
        why = None if not math.isnan(low) else note
        if self.study.untestable_reason is not None:
            low = high = p_value = nan
            why = f"the test is valid for folds and random splits, not for '{self.study.plan.name}'"
        raised = p_value if math.isnan(p_value) else min(1.0, self.pairs * p_value)
        splits = len(self.study.fold_scores(dataset, first, self.measure).values)
        return Difference(self.measure, first, second, value, low, high, self.level, raised, test, splits, why, by)

    @cached_property
    def best_two(self) -> dict[str, Difference]:
        """The best learner less the next one, on each data set."""
        for first, second in pairwise(() if self.study.validates else self.order[:2]):
            return {dataset: self.difference(dataset, first, second) for dataset in self.study.datasets}
        return {}

    def winner(self, found: Difference) -> str | None:
        """The better one of a difference, if that is beyond chance."""
        if math.isnan(found.low) or found.low <= 0 <= found.high:
            return None
        return found.first if (found.value > 0) == (self.facts.better == "higher") else found.second


# Models that a page fits again to print them; more are counted.
MOST_PRINTED = 12
HOW = "Stored as recipes and predictions, never as pickles, and refitted when inspected."
ELSEWHERE = "assay experiment model STUDY --learner NAME prints one, assay experiment score STUDY NEW.csv uses it."


def kept_models(found: Shown) -> list[Block] | None:
    """A row for each model, and what can be printed of it."""
    table = found.study.models()
    if not len(table):
        return None
    rows = []
    for dataset, learner, cases, seconds, size, _, failed in table.rows():
        of = f"{shortened(learner, 24)} of {shortened(dataset, 24)}"
        rows.append((of, (figure(cases), figure(seconds, 4), figure(size), tamed(failed) or "kept")))
    columns = ("Cases", "Seconds to fit", "Bytes", "State")
    blocks: list[Block] = [Heading("Models of all cases"), grid("Model", columns, rows), Sentence(f"{HOW} {ELSEWHERE}")]
    return [*blocks, *_fitted_model_blocks(found, table.columns["dataset"], table.columns["learner"])]


def _model_blocks(name: str, said: Described) -> list[Block]:
    """A tree as it branches; coefficients in a table that is folded away."""
    if said.tree is not None:
        return [Notes((Note(name, said.words(), is_code=True),))]
    if said.coefficients is None:
        return []
    column, *heads = said.coefficients.columns
    rows = [(first, tuple(figure(value, 4) for value in rest)) for first, *rest in said.coefficients.rows()]
    fold = f"Coefficients of {name}: {counted(len(rows), 'row')}"
    return [grid(column.capitalize(), heads, rows, fold=fold), *(Sentence(note) for note in said.notes)]


def _fitted_model_blocks(found: Shown, datasets: Sequence[str], learners: Sequence[str]) -> list[Block]:
    if found.study.given is None:
        return []
    blocks: list[Block] = []
    pairs = list(zip(datasets, learners, strict=True))
    for dataset, learner in pairs[:MOST_PRINTED]:
        try:
            model: FittedModel = found.study.model(dataset, learner)
        except AssayError as error:
            blocks.append(Sentence(tamed(str(error))))
            continue
        blocks += _model_blocks(f"{shortened(learner, 24)} of {shortened(dataset, 24)}", model.described)
    left = len(pairs) - MOST_PRINTED
    return [*blocks, *([Sentence(f"{counted(left, 'model')} more not shown.")] if left > 0 else [])]


# More rows than this are no longer read; the command line has them as CSV.
MOST_ROWS = 200
# Data sets up to which the learner chosen on each is named in the first sentence.
MOST_NAMED = 3


def chosen_words(shown: Shown) -> str:
    """Which learner was chosen on the part set aside, and how good it is on the test part."""
    if not shown.chosen:
        return "No learner has a value on the validation part yet"
    said = [
        f"{shown.learners[one.name]} on {shown.datasets[dataset]} ({value_words(one.corrected)})"
        for dataset, one in shown.chosen.items()
    ]
    if len(said) > MOST_NAMED:
        return f"A learner was selected on each of {counted(len(said), 'data set')} and evaluated on its test part"
    return f"Selected, and evaluated by {shown.facts.title} on an independent test part: {listed(said)}"


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
    note = "Optimism: the value on the training cases minus that on other cases."
    note += f" {counted(more, 'more row')} are left out." if more > 0 else ""
    said = [
        Sentence(note),
        *(Sentence(tamed(f"{name}: {about_choice(one)}.")) for name, one in _winners_by_dataset(shown)),
    ]
    title = f"{shown.facts.title}: {'training, validation and test' if has_aside else 'training and test'} compared"
    return [Heading(title), grid("Data set, learner", columns, rows[:MOST_ROWS]), *said]


def _winners_by_dataset(shown: Shown) -> list[tuple[str, Winner]]:
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
    interval = f"{100 * shown.level:g} % simultaneous"
    table = pair_grid("Pair", labels[:MOST_ROWS], replace(tables[0][1], pairs=pairs).table(), interval=interval)
    more = len(every) - MOST_ROWS
    note = "Limits and p-values are adjusted over all pairs of a data set (Bonferroni). The dummy learner is not "
    note += "compared." + (f" {counted(more, 'more row')} are left out." if more > 0 else "")
    said = [Sentence(f"{words[0].upper()}{words[1:]}.") for words in list(reasons)[:MOST_NAMED]]
    return [Heading("All pairs of learners"), table, Sentence(note), *said]


# More splits than this are a surface, not a figure.
MOST_SPLITS = 500
# Shares of more classes than this are not spelled out.
MOST_CLASSES = 6
STUDY_TABLES_MOST_NAMED = 8


def estimates(shown: Shown) -> list[Block]:
    """Every learner on every data set, the one that looks at no feature as the baseline."""
    rows = []
    for dataset in shown.study.datasets:
        base = None if shown.dummy is None else shown.estimates[dataset, shown.dummy].value
        baseline = None if base is None or math.isnan(base) else Baseline("dummy", base)
        for k, learner in enumerate(shown.study.learners):
            found = shown.estimates[dataset, learner]
            own = None if learner == shown.dummy else baseline
            name = shown.learners[learner]
            rows.append(Row(shown.datasets[dataset], found, shown.facts.better, own, "", "", name, k))
    table = Estimates(tuple(rows), is_headline=True, heads=("Data set", "Learner"))
    note = "Means over splits; each interval is for the performance of the learning algorithm."
    note += "" if shown.dummy is None else " The vertical line is the dummy learner, which uses no feature."
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
    return [heading, Forest(rows, head="Data set"), Sentence(_best_two_sentence(shown))]


def _best_two_sentence(shown: Shown) -> str:
    said: dict[str, list[str]] = {}
    for dataset, gap in shown.best_two.items():
        winner = shown.winner(gap)
        words = "no significant difference" if winner is None else f"{shown.learners[winner]} is significantly better"
        said.setdefault("no test" if math.isnan(gap.low) else words, []).append(shown.datasets[dataset])
    parts = [f"on {_some_names(names)}: {words}" for words, names in said.items()]
    found = f"O{'; '.join(parts)[1:]}."
    if list(said) == ["no test"]:
        return found
    chosen = f"The two were selected on these results, so limits and p-values are adjusted for all {shown.pairs} pairs"
    alone = "By the corrected resampled t test on each data set."
    return f"{found} {f'{chosen} (Bonferroni). ' if shown.pairs > 1 else ''}{alone}"


def _some_names(names: list[str]) -> str:
    return listed(names) if len(names) <= STUDY_TABLES_MOST_NAMED else counted(len(names), "data set")


def plan(shown: Shown) -> list[Block]:
    """The plan drawn as the parts of each split of the first data set."""
    study, name = shown.study, shown.study.datasets[0]
    heading = Heading(f"Plan: {study.plan.name}")
    splits = len(study.store.cells(study.name, "fold", dataset=name, learner=study.learners[0]))
    if splits > MOST_SPLITS:
        return [heading, Picture(None, f"{count(splits)} splits of {shown.datasets[name]}: too many to draw.")]
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
    return [heading, Picture(figure, caption, "Training and test cases of each split", flow.table())]


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
        cells = [_weighted_mean([(table[cost][k], table["splits"][k]) for k in here]) for cost in COSTS]
        sizes = (f"{cells[0]:.4f}", f"{cells[1]:.4f}", f"{cells[2] / 1024:,.1f}")
        known = ["-" if math.isnan(cell) else words for cell, words in zip(cells, sizes, strict=True)]
        rows.append((name, (*known, count(done), count(sum(table["failed"][k] for k in here)))))
    columns = ("Fitting, seconds", "Predicting, seconds", "Model, KB", "Splits done", "Failed")
    note = Sentence("Means over the finished splits, on the machines that ran them.")
    return [Heading("Speed and size"), grid("Learner", columns, rows), note]


COSTS = ("fit_seconds", "predict_seconds", "model_bytes")


def _weighted_mean(weighed: list[tuple[float, int]]) -> float:
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
    return [Heading("Failed runs"), Notes(items), whole]


MOST_HASHES = 50
UNTOUCHED = "of the selected model, on cases not used to fit or select it."
OF_ONE_MODEL = "Intervals are for the selected model on new cases from the same source, not for its algorithm."
OF_THE_ALGORITHM = "Intervals and tests allow for other training sets of this size from the same source."
# Sections of ranks that come before everything else.
FIRST = ("critical-difference", "ranking")
# The method of intervals of an algorithm; others are of a single model.
OF_ALGORITHMS = "Nadeau-Bengio corrected t"


def about_study(shown: Shown) -> list[str]:
    """What was run: name, sizes, plan, measure."""
    study = shown.study
    sizes = [counted(len(study.datasets), "data set"), counted(len(study.learners), "learner")]
    return [shortened(study.name, 60), *sizes, study.plan.name, f"seed {study.seed}", shown.facts.title]


def study_verdict(shown: Shown) -> str:
    """The best learner, and how many of the others it is shown to beat; of a single data set by the corrected t."""
    if shown.facts.better == "neither":
        return f"{shown.facts.title}: neither high nor low values are better, so no learner is best"
    if not shown.order:
        return "No learner has a value on every data set yet"
    if shown.study.validates:
        return chosen_words(shown)
    if shown.answer is not None:
        return f"{ranks_verdict(shown.answer)}, by {shown.facts.title}"
    best, *rest = shown.order
    if len(shown.study.datasets) > 1:
        return f"{shown.learners[best]} has the best mean {shown.facts.title} of the finished runs"
    dataset = shown.study.datasets[0]
    beaten = sum(shown.winner(shown.difference(dataset, best, other)) == best for other in rest)
    value = value_words(shown.estimates[dataset, best])
    words = f"{shown.learners[best]} has the best {shown.facts.title} on {shown.datasets[dataset]}, {value}"
    return f"{words}; it is {beats(beaten, len(rest))}" if rest else words


def study_sections(shown: Shown) -> dict[str, list[Block]]:
    """All sections of the page that have something to say."""
    found: dict[str, list[Block] | None] = {
        **_first_sections(shown),
        "best-two": best_two(shown),
        "all-pairs": all_pairs(shown),
        "cautions": _caution_blocks(shown),
        "verdicts": _run_blocks(shown),
        **_rank_sections(shown),
        "plan": plan(shown),
        "data-sets": data_sets(shown),
        "speed": speed(shown),
        "models": kept_models(shown),
        "failures": failures(shown),
        "methods": _method_blocks(shown),
        "reproduce": _reproduction_blocks(shown),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _run_blocks(shown: Shown) -> list[Block]:
    study, states = shown.study, shown.study.progress()
    cells = sum(states.values())
    done = f"{count(states['done'])} of {count(cells)} runs are finished, {count(states['failed'])} failed."
    sizes = f"{counted(len(study.datasets), 'data set')} by {counted(len(study.learners), 'learner')}"
    said = f"{sizes}, every learner on the same partitions: {study.plan.name}. {done}"
    order = ", ".join(shown.learners[name] for name in shown.order)
    best = [Sentence(f"From best to worst: {order}.")] if len(shown.order) > 1 else []
    if isinstance(shown.ranked, str):
        best.append(Sentence(f"Not ranked: {tamed(shown.ranked)}."))
    return [Heading("Study"), Sentence(said), *best]


def _caution_blocks(shown: Shown) -> list[Block] | None:
    states, items = shown.study.progress(), []
    missing = states["todo"] + states["running"]
    if missing:
        items.append(Note("missing", f"{counted(missing, 'run')} not finished: these numbers will change."))
    if states["failed"]:
        items.append(Note("failed", f"{counted(states['failed'], 'run')} failed; means are over the other splits."))
    stale = len(shown.study.stale())
    if stale:
        items.append(
            Note("stale", f"{counted(stale, 'run')} of an earlier version of the study are stored and not used.")
        )
    items += [] if shown.answer is None else ranks_cautions(shown.answer)
    items += [Note(one.code, tamed(one.message)) for one in shown.study.cautions]
    return [Heading("Cautions"), Notes(tuple(items))] if items else None


def _first_sections(shown: Shown) -> dict[str, list[Block] | None]:
    """What is seen first: of ranked learners the diagram, then every learner's intervals."""
    ranked = {} if shown.answer is None else of_ranks(shown.answer)
    first: dict[str, list[Block] | None] = {name: ranked[name] for name in FIRST if name in ranked}
    lede: list[Block] | None = None if shown.answer is None else [Sentence(ranks_lede(shown.answer))]
    if shown.study.validates:
        return {"lede": None, "parts": parts(shown)}
    return {"lede": lede, **first, "estimates": estimates(shown), "parts": parts(shown)}


def _rank_sections(shown: Shown) -> dict[str, list[Block] | None]:
    """The sections of ranks, where there is more than one data set and nothing is missing."""
    return {} if shown.answer is None else of_ranks(shown.answer)


def _method_blocks(shown: Shown) -> list[Block]:
    judged = [one.corrected for one in shown.chosen.values()] if shown.study.validates else shown.estimates.values()
    used = dict.fromkeys(found.method for found in judged if found.low == found.low)
    items = [Note(method, meaning(method) if method == OF_ALGORITHMS else UNTOUCHED) for method in used]
    tested = any(found.low == found.low for found in shown.best_two.values())
    names = ["Corrected resampled t", *(["Bonferroni"] if shown.pairs > 1 else [])] if tested else []
    items += [Note(name, meaning(name)) for name in names]
    items += [] if shown.answer is None else ranks_methods(shown.answer)
    if shown.facts.reference:
        items.append(Note(shown.facts.title, f"{shown.facts.reference}."))
    assumed = Sentence(OF_ONE_MODEL if shown.study.validates else OF_THE_ALGORITHM)
    return [Heading("Methods and references"), Notes(tuple(items)), assumed]


def _reproduction_blocks(shown: Shown) -> list[Block]:
    study = shown.study
    # The address of a database may hold a password.
    store = "DATABASE-URL" if "://" in study.store.place else PurePath(study.store.place).name
    options: dict[str, Option] = {"name": study.name, "measure": shown.measure}
    if shown.level != 0.95:
        options["level"] = shown.level
    command = ["assay", "experiment", *command_words("show", store, options)[1:], "--html", "report.html"]
    asked = "".join(f", {name}={value!r}" for name, value in options.items() if name != "name")
    call = f"open_study({store!r}, {study.name!r}).report('report.html'{asked})"
    hashes = [Note(shortened(one["name"], 24), f"sha256 {one['hash']}") for one in shown.definition["datasets"]]
    recipes = [
        Note(shortened(one["name"], 24), tamed(json.dumps(one["recipe"], default=str)))
        for one in shown.definition["learners"]
    ]
    items = (
        Note("command", visible(shlex.join(command)), is_code=True),
        Note("Python", f"from assay.experiments import open_study\n{visible(call)}", is_code=True),
        Note("plan", f"{json.dumps(study.plan.to_dict())}, seed {study.seed}"),
        *hashes[:MOST_HASHES],
        *recipes[:MOST_HASHES],
        versions("numpy", "scipy", "scikit-learn"),
    )
    return [Heading("Reproduce"), Notes(items)]
