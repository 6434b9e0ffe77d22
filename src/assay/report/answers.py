"""What commands answer: for each a function that gives its record and its blocks, and the one way to write any of them.

A terminal gets sentences; whatever goes on with an answer gets tables.

What the commands about models of a study answer: a model shown, new cases scored, a learner held against chance.

What is answered about numbers by themselves: some measures alone, and two of them at every threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from assay.cautions import Caution
from assay.comparison import FRESH_CASES
from assay.curves import Curve, Drawable
from assay.decisions import ImpliedCosts, ThresholdChoice
from assay.evaluation import (
    ComparisonAnswer,
    Evaluation,
    HowCompared,
    HowJudged,
    NamedTests,
    PairwiseComparison,
    UnpairedComparison,
)
from assay.report.blocks import Block, Heading, Note, Notes, Said, Sentence, Tabled, Verbatim
from assay.report.renderers.csv import csv_blocks, render_csv
from assay.report.renderers.html import render_fragment
from assay.report.renderers.json import json_text, render_json
from assay.report.renderers.latex import latex_blocks, render_latex
from assay.report.renderers.markdown import markdown_blocks, render_markdown
from assay.report.renderers.text import render_blocks
from assay.report.sections.comparison import Compared, NotCompared, difference_table, hull_owners
from assay.report.wording import short_names
from assay.results import Table, counted
from assay.text import bounds_words, listed, share_words

if TYPE_CHECKING:
    from assay.comparison.power import SamplePlan
    from assay.experiments import Study
    from assay.experiments.model_description import Importances
    from assay.experiments.model_validation import AgainstChance
    from assay.experiments.models import FittedModel
    from assay.experiments.new_cases import Scored
    from assay.ranks import RankAnswer
    from assay.sources import Overview
    from assay.testing import GatePower, Outcome

__all__ = [
    "Answer",
    "Chosen",
    "chance",
    "columns",
    "comparison",
    "curve",
    "detectable",
    "drawn",
    "estimates",
    "evaluations",
    "gates",
    "model",
    "plan",
    "power",
    "ranks",
    "render",
    "scored",
    "study",
    "summary",
    "tested",
    "thresholds",
    "unpaired",
]


WORST_FIRST = ("fail", "unjudged", "inconclusive", "pass")
FINDING = ("model", "requirement", "outcome", "demand", "status", "value", "low", "high", "level", "method", "n")
MOST_EFFECTS = 15  # pairs whose effect sizes stand on a screen; tables and pages have all
MARKS = "v, *: significantly better, worse than (1) on that data set alone; not adjusted for multiple comparisons."
# The choice for one model, the costs that the threshold in use implies, and what to be careful about.
Chosen = tuple[ThresholdChoice, ImpliedCosts | None, tuple[Caution, ...]]


@dataclass(frozen=True)
class Answer:
    """What a command found: its record, what of it is written in a format, and for gates the same as tests."""

    record: Callable[[], Any]
    blocks: Callable[[str], Iterable[Block]]
    junit: Callable[[], str] | None = None


RENDERERS: dict[str, Callable[[list[Block]], str]] = {
    "table": render_blocks,
    "markdown": markdown_blocks,
    "latex": latex_blocks,
    "csv": csv_blocks,
    "html": render_fragment,
}


def render(answer: Answer, form: str) -> str:
    """An answer in a format: table, markdown, latex, csv, html (a fragment), json, or junit where it has that."""
    if form == "junit" and answer.junit is not None:
        return answer.junit()
    return json_text(answer.record()) if form == "json" else RENDERERS[form](list(answer.blocks(form)))


def evaluations(
    models: Mapping[str, Evaluation], form: str, compared: Callable[[], Compared | NotCompared | None] = lambda: None
) -> str:
    """How good each model is, in a format that other programs go on with; what compares them is made if it is used."""
    if form in ("json", "csv"):
        return (render_json if form == "json" else render_csv)(models)
    return (render_markdown if form == "markdown" else render_latex)(models, compared())


def thresholds(models: Mapping[str, Chosen]) -> Answer:
    """Which threshold to use, for each model."""

    def record() -> dict[str, Any]:
        found = {
            name: {
                **choice.to_dict(),
                "in_use": None if in_use is None else in_use.to_dict(),
                "cautions": [caution.to_dict() for caution in cautions],
            }
            for name, (choice, in_use, cautions) in models.items()
        }
        return {"schema": "assay.threshold/1", **(found.popitem()[1] if len(found) == 1 else {"models": found})}

    def blocks(form: str) -> Iterator[Block]:
        for key, (choice, in_use, cautions) in models.items():
            name, lines = "" if len(models) == 1 else key, choice.words().splitlines()
            if form == "table":
                used = [] if in_use is None else [f"The threshold in use, {in_use.threshold:.6g}, is {in_use}."]
                yield Said((*([name] if name else []), *lines, *used))
                yield from _caution_notes(cautions)
            else:
                yield from [Heading(name)] if name else []
                yield from (Sentence(lines[0]), Tabled(choice.table(), key={"model": name}))

    return Answer(record, blocks)


def columns(found: Overview) -> Answer:
    """Which column would be taken for what, and what stops a reading, if anything does."""
    stopped = None if found.stopped is None else found.stopped.for_command_line()

    def record() -> dict[str, Any]:
        about = {"schema": "assay.columns/1", "name": found.name, "rows": found.rows}
        return {**about, "columns": list(found.columns), "notes": list(found.notes), "stopped": stopped}

    def blocks(form: str) -> Iterator[Block]:
        yield Tabled(found.table())
        if form != "csv":
            yield from [Said(found.notes)] if found.notes else []
            yield from [Verbatim(stopped)] if stopped is not None else []

    return Answer(record, blocks)


def comparison(asked: Compared, by_name: HowJudged | None = None) -> Answer:
    """Whether one classifier is better than another, by each measure; `by_name` is what else was asked for."""
    said: HowJudged = {"margin": asked.margin, "control": asked.control, **(by_name or {})}
    return _comparison_answer(asked.comparison, asked.measures, said, partial(_paired_blocks, asked))


def unpaired(found: UnpairedComparison, measures: Sequence[str], said: HowJudged) -> Answer:
    """Whether samples of other cases differ, by each measure."""
    return _comparison_answer(found, measures, said, lambda answer: [])


def _comparison_answer(
    cmp: PairwiseComparison,
    measures: Sequence[str],
    said: HowJudged,
    more: Callable[[ComparisonAnswer], Iterable[Block]],
) -> Answer:
    """The answer of any comparison; on a terminal `more` stands between what is assumed and the cautions."""
    answer = cache(lambda: cmp.answer(measures or None, **said))

    def blocks(form: str) -> Iterator[Block]:
        if form != "table":
            for table in (_pair_table(cmp, one, said) for one in answer().by_measure()):
                yield Tabled(table, table.title)
            yield from (Sentence(text) for text in (answer().family_words, cmp.assumptions) if text)
            return
        # Verdicts first and assumptions last; the numbers stand between them.
        headline, *others = cmp.verdict_lines(answer())
        yield Sentence(headline, is_finding=True)
        yield from map(Sentence, others)
        yield from difference_table(answer(), short_names(cmp.names), cmp.models)
        yield from [Said(tuple(cmp.closing_lines(answer(), **said)))]
        wins = cmp.win_table(answer(), **said)
        yield from [Tabled(wins, wins.title)] if wins is not None else []
        yield from more(answer())
        yield from _caution_notes(answer().cautions, apart=True)

    def record() -> Any:
        """The record of an answer, or one for each of several measures that were asked for."""
        return [*map(cmp.record, answer().by_measure())] if len(measures) > 1 else cmp.record(answer())

    return Answer(record, blocks)


def tested(found: NamedTests, source: Any, n: int) -> Answer:
    """Every pair by a test that has no difference of a measure to show."""

    def record() -> dict[str, Any]:
        about = {"schema": "assay.tests/1", "source": source.to_dict(), "n": n, "method": found.method}
        return {**about, "pairs": [one.to_dict() for one in found.pairs], "caution": found.caution}

    def blocks(form: str) -> Iterator[Block]:
        yield Tabled(found.table())
        if form != "csv":
            yield Said((f"Supposed: {found.null}.", f"Caution: {found.caution}."))

    return Answer(record, blocks)


def _paired_blocks(asked: Compared, answer: ComparisonAnswer) -> Iterator[Block]:
    """What only a comparison on the same cases shows: differences within subgroups, and who owns the hull."""
    cmp = asked.comparison
    pairs = [(d.first, d.second) for d in answer.primary] if cmp.omitted_pairs else combinations(cmp.names, 2)
    for pair in pairs if cmp.evaluations[0].subgroups else ():
        for measure in answer.measures if len(asked.measures) > 1 else answer.measures[:1]:
            table = cmp.by_subgroup(measure.name, *pair)
            yield Tabled(table, table.title)
    # Which of many is the cheapest under which costs, where they have scores of two classes.
    yield from (hull_owners(asked) or []) if len(cmp.names) > 2 else []


def _pair_table(cmp: PairwiseComparison, answer: ComparisonAnswer, said: HowJudged) -> Table:
    """The pairs with what may be said of each; of what was asked for by name with the numbers of its test."""
    judged, measure = answer.primary, answer.measures[0].name
    how: HowCompared = {"control": said.get("control")}
    if not said.keys() <= {"margin", "control"}:
        how = {**how, "method": said.get("method"), "alternative": judged[0].alternative, "null": judged[0].null}
    pairs = cmp.pair_table(answer.differences[measure], answer.level, how, se=len(how) > 1)
    words = {"verdict": [one.outcome for one in judged], "better": [one.winner or "" for one in judged]}
    role = ["" if one.family is None else one.family.role for one in judged]
    return Table({"measure": [measure] * len(judged), "role": role, **pairs.columns, **words}, title=pairs.title)


def gates(
    outcomes: Sequence[Outcome], source: Any, *, strict: bool = False, powers: Sequence[GatePower] = ()
) -> Answer:
    """What became of requirements; with `strict` what is inconclusive does not pass. `powers` is what they catch."""
    from assay.testing import status_of, to_junit

    def record() -> dict[str, Any]:
        status = status_of(outcome.status for outcome in outcomes)
        about = {"schema": "assay.check/1", "source": source.to_dict(), "status": status, "strict": strict}
        caught = {"power": [one.to_dict() for one in powers]} if powers else {}
        return {**about, "requirements": [outcome.to_dict() for outcome in outcomes], **caught}

    def blocks(form: str) -> Iterator[Block]:
        if form == "table":
            yield Notes(tuple(map(_gate_note, outcomes)))
            yield Said(
                (summary(outcomes), *([FRESH_CASES] if any(outcome.needs_fresh_cases for outcome in outcomes) else []))
            )
            yield from [Said(tuple(map(repr, powers)))] if powers else []
        elif form == "csv":
            yield Tabled(_gate_table(outcomes))
        else:
            # So that what is cut off to fit a comment is what passed.
            ranked = sorted(outcomes, key=lambda one: WORST_FIRST.index(one.status))
            asked = [f"{one.requirement} ({one.model})" if one.model else str(one.requirement) for one in ranked]
            found = {"Outcome": [one.status for one in ranked], "Requirement": asked}
            table = Table(found | {"Found": [one.sentence for one in ranked]})
            yield Tabled(table, source.name, summary(outcomes), is_strong=True, may_end=True)
            yield from [Said(tuple(map(repr, powers)))] if powers else []

    return Answer(record, blocks, lambda: to_junit(outcomes, suite=source.name, strict=strict))


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many requirements fared how."""
    seen = Counter(outcome.status for outcome in outcomes)
    unjudged = f", {seen['unjudged']:,} not evaluated" if seen["unjudged"] else ""
    return f"{seen['pass']:,} passed, {seen['fail']:,} failed, {seen['inconclusive']:,} inconclusive{unjudged}."


def _gate_note(outcome: Outcome) -> Note:
    asked = f"{outcome.requirement}  ({outcome.model})" if outcome.model else str(outcome.requirement)
    return Note(f"{outcome.status.upper():<12}", "\n".join([asked, *(one.sentence for one in outcome.findings)]))


def _gate_table(outcomes: Sequence[Outcome]) -> Table:
    """A row for each demand, in the order asked."""
    rows: list[dict[str, Any]] = []
    for one in outcomes:
        about = {"model": one.model, "requirement": str(one.requirement), "outcome": one.status}
        records = [finding.to_dict() for finding in one.findings]
        rows += [{**about, **record, **record["found"]} for record in records]
    return Table({name: [row[name] for row in rows] for name in (*FINDING, "bound", "undefined")})


def ranks(found: RankAnswer) -> Answer:
    """Algorithms ranked over data sets: a terminal gets only the tables that sentences leave open."""
    from assay.ranks import MOSTLY, about_posterior, effects_table, effects_words

    def blocks(form: str) -> Iterator[Block]:
        said = found.words().splitlines()
        if form != "table":
            yield Said(tuple(said))
            for title, table in found.tables().items():
                yield Tabled(table, title.capitalize(), key={"table": title})
            return
        yield Tabled(found.ranks.table())
        if len(found.effects) <= MOST_EFFECTS:
            said.append(effects_words(found.effects, len(found.ranks.results.datasets)))
        yield Said((*said, *map(about_posterior, found.posteriors), *([MOSTLY] if found.posteriors else [])))
        if len(found.effects) <= MOST_EFFECTS:
            yield Tabled(effects_table(found.effects))
        if found.adjustments is not None:
            yield Tabled(found.adjustments, found.adjustments.title)
        if found.weka is not None:
            yield from (Verbatim(str(found.weka)), Said((MARKS,)), Verbatim(found.weka.summary()))
            yield Tabled(found.weka.ranking())

    return Answer(found.to_dict, blocks)


def plan(found: SamplePlan) -> Answer:
    """How many cases would tell, and what that rests on."""
    positives, each = found.positives, " of each" if "its own" in found.purpose else ""
    classes = "" if positives is None else f" ({positives:,} positive, {found.cases - positives:,} negative)"
    said = {
        "to": found.purpose,
        "method": f"{found.method}, level {100 * found.level:g} %",
        "reaches": f"{found.reaches:.3g}",
        "assumes": found.assumes,
    }
    notes = Notes(tuple(Note(f"  {label:<8}", text) for label, text in said.items()))
    return facts(found.to_dict(), [Sentence(f"{found.cases:,} cases{each}{classes}"), notes])


def power(purpose: str, cases: int, found: float, *, level: float, method: str, assumes: str) -> Answer:
    """How often so many cases would show what is asked about."""
    record = {"purpose": purpose, "cases": cases, "power": found, "level": level, "method": method, "assumes": assumes}
    said = {"method": f"{method}, level {100 * level:g} %", "assumes": assumes}
    notes = Notes(tuple(Note(f"  {label:<8}", text) for label, text in said.items()))
    return facts(record, [Sentence(f"{counted(cases, 'case')} {purpose} in {share_words(found)} of samples"), notes])


def detectable(measure: str, found: float, low: float, high: float, *, level: float, power: float) -> Answer:
    """The true difference that data with such an interval would have shown, this often."""
    record = {"measure": measure, "detectable": found, "low": low, "high": high, "level": level, "power": power}
    said = (
        f"Data with an interval from {low:g} to {high:g} would have detected a true difference in {measure} of "
        f"{found:.3g} with {100 * power:g} % power, and smaller ones with less. This depends on the width only."
    )
    return facts(record, [Said((said, FRESH_CASES))])


def facts(record: dict[str, Any], said: list[Block]) -> Answer:
    """A record whose facts stand in a table as they are."""
    table = Table({"quantity": list(record), "value": list(record.values())})
    return Answer(lambda: record, lambda form: said if form == "table" else [Tabled(table)])


def study(found: Study, table: Table, cautions: tuple[Caution, ...] = ()) -> Answer:
    """One table of a study; tracebacks in a terminal stand under one another."""

    def record() -> dict[str, Any]:
        about = {"study": found.name, "plan": found.plan.to_dict(), "seed": found.seed, "cells": found.progress()}
        said = [caution.to_dict() for caution in cautions]
        shown = {"title": table.title, "table": table.to_dict(), "cautions": said}
        return {"schema": "assay.experiment/1", **about, **shown}

    def blocks(form: str) -> Iterator[Block]:
        if form in ("table", "markdown"):  # the reason stands above everything else
            yield from (Sentence(f"{sentence[0].upper()}{sentence[1:]}") for sentence in found.failure_messages())
        if form == "table" and "error" in table.columns:
            failed = [f"{d}, {n}, repeat {r + 1}, fold {f + 1}:\n{error}" for d, n, r, f, error in table.rows()]
            yield Verbatim("\n".join(failed) or "Nothing failed.")
            return
        by_dataset = _means_by_dataset(table) if form == "table" else None
        if by_dataset is None:
            yield Tabled(table, table.title if form == "table" else "")
        else:
            yield from (Tabled(by_dataset, table.title), Said(_common_remarks(table)))
        yield from _caution_notes(cautions, apart=True)

    return Answer(record, blocks)


def _means_by_dataset(table: Table) -> Table | None:
    """The means of a study with their limits, a row for each learner and a column for each data set.

    None where the table is another one, or two rows are about one learner and data set.
    """
    of, names = table.columns, list(table.columns)
    if names[:2] != ["dataset", "learner"] or names[3:5] != ["low", "high"] or not {"splits", "failed"} <= {*names}:
        return None
    _, *rows = table.cells()
    cells: dict[tuple[str, str], str] = {}
    for row, failed, splits in zip(rows, of["failed"], of["splits"], strict=True):
        dataset, learner, value, low, high = row[:5]
        if (dataset, learner) in cells:
            return None
        limits = "" if "-" in (low, high) else f" [{low}, {high}]"
        count = f"{failed:,} of {failed + splits:,} failed" if failed else ""
        cells[dataset, learner] = (
            count if value == "-" and count else f"{value}{limits}{f' ({count})' if count else ''}"
        )
    learners, datasets = (list(dict.fromkeys(of[name])) for name in ("learner", "dataset"))
    columns = {dataset: [cells.get((dataset, learner), "-") for learner in learners] for dataset in datasets}
    return Table({names[2]: learners, **columns}, table.title) if names[2] not in columns else None


def _common_remarks(table: Table) -> tuple[str, ...]:
    """What holds of every cell of such a table, and where the rest of it is."""
    said = (
        [listed(dict.fromkeys(str(method) for method in table.columns["method"] if method))]
        if any(table.columns["method"])
        else []
    )
    said += [f"{listed(dict.fromkeys(f'{count:,}' for count in table.columns['splits']), 'or')} splits"]
    why = dict.fromkeys(reason for reason in table.columns.get("undefined", ()) if reason)
    return (f"{', '.join(said)}. Times and sizes of models: --format csv.", *(f"No interval: {one}." for one in why))


def curve(table: Table, dataset: str, learner: str) -> Answer:
    """What becomes of one learner on one data set as its cases, or the noise in them, grow."""
    about = {"schema": "assay.experiment-curve/1", "dataset": dataset, "learner": learner, "title": table.title}
    titled = Tabled(table, table.title, f"{learner} on {dataset}")
    return Answer(
        lambda: {**about, "table": table.to_dict()}, lambda form: [titled if form == "table" else Tabled(table)]
    )


def _caution_notes(cautions: Iterable[Caution], *, apart: bool = False) -> list[Notes]:
    """Every caution under its code, if there are any."""
    items = tuple(Note(caution.code, caution.message) for caution in cautions)
    return [Notes(items, apart=apart)] if items else []


def model(found: FittedModel, importances: Importances | None = None) -> Answer:
    """One model: its size, its rules or coefficients, and importances where they were asked for."""

    def record() -> dict[str, Any]:
        said = None if importances is None else {"words": importances.said, "table": importances.table().to_dict()}
        about = {"dataset": found.data.name, "learner": found.learner.name, "cases": found.cases}
        held_out = 0 if found.held_out is None else len(found.held_out)
        told = {
            "held_out": held_out,
            "chosen_on": found.chosen_on,
            "checked": found.checked,
            **found.described.to_dict(),
        }
        return {"schema": "assay.experiment-model/1", **about, **told, "importances": said}

    def blocks(form: str) -> Iterator[Block]:
        if form == "table":
            yield Verbatim(found.words())
        else:
            tables = (found.described.rules, found.described.coefficients)
            yield from (Tabled(table, key={"table": table.title.lower()}) for table in tables if table is not None)
        if importances is not None:
            yield Tabled(importances.table(), importances.table().title, key={"table": "importances"})
            yield Said((importances.said,))

    return Answer(record, blocks)


def scored(found: Scored) -> Answer:
    """New cases with what a model says of them, and how they were decided."""

    def record() -> dict[str, Any]:
        about = {"dataset": found.model.data.name, "learner": found.model.learner.name, "words": list(found.words())}
        how = {"threshold": found.threshold, "choice": None if found.choice is None else found.choice.to_dict()}
        return {"schema": "assay.experiment-score/1", **about, **how, "cases": found.table().to_dict()}

    def blocks(form: str) -> Iterator[Block]:
        yield Tabled(found.written() if form == "csv" else found.table())

    return Answer(record, blocks)


def chance(found: AgainstChance) -> Answer:
    """A learner beside what permuted labels give."""

    def record() -> dict[str, Any]:
        about = {"dataset": found.dataset, "learner": found.learner, "measure": found.measure, "value": found.value}
        told = {"test": found.test.to_dict(), "permuted": found.values.tolist(), "words": found.words()}
        return {"schema": "assay.experiment-chance/1", **about, **told}

    return Answer(record, lambda form: [Said((found.words(),)) if form == "table" else Tabled(found.table())])


# So many points of a curve are printed; a file takes them all.
MOST_POINTS = 24


def estimates(models: Mapping[str, Evaluation], measures: Sequence[str], method: str | None) -> Answer:
    """Some measures alone, each with its standard error and, where it was asked for by name, what is to be doubted."""
    found = {name: {one: ev.estimate(one, method=method) for one in measures} for name, ev in models.items()}

    def record() -> dict[str, Any]:
        first = next(iter(models.values()))
        every = {name: {one: e.to_dict() for one, e in each.items()} for name, each in found.items()}
        about = {"schema": "assay.estimates/1", "source": first.source.to_dict(), "n": first.n}
        return {**about, "models": every}

    def blocks(form: str) -> Iterator[Block]:
        rows = [(name, one, e) for name, each in found.items() for one, e in each.items()]
        columns: dict[str, Any] = {"model": [name for name, _, _ in rows]} if len(models) > 1 else {}
        columns["measure"] = [models[name].find(one).title for name, one, _ in rows]
        columns |= {"estimate": [e.value for _, _, e in rows], "low": [e.low for _, _, e in rows]}
        columns |= {"high": [e.high for _, _, e in rows], "se": [e.se for _, _, e in rows]}
        if any(e.bounds for _, _, e in rows):
            columns["in cells"] = [bounds_words(e) for _, _, e in rows]
        columns |= {"method": [e.method for _, _, e in rows], "n": [round(e.n) for _, _, e in rows]}
        columns |= {"undefined": [e.undefined or "" for _, _, e in rows]}
        if form == "csv":
            columns["caution"] = [e.caution or "" for _, _, e in rows]
        yield Tabled(Table(columns))
        doubts = dict.fromkeys(e.caution for _, _, e in rows if e.caution)
        yield from [Said(tuple(f"Caution: {doubt}." for doubt in doubts))] if doubts and form != "csv" else []

    return Answer(record, blocks)


def _thinned_table(table: Table, title: str) -> tuple[Table, str, str]:
    """Points from all along a long curve, its title, and how many it has."""
    rows = len(table)
    if rows <= MOST_POINTS:
        return table, title, ""
    kept = [round(k * (rows - 1) / (MOST_POINTS - 1)) for k in range(MOST_POINTS)]
    some = {name: [values[k] for k in kept] for name, values in table.columns.items()}
    return Table(some), title, f"{MOST_POINTS} of {rows:,} points; --format csv has them all"


def drawn(curves: Mapping[str, Drawable]) -> Answer:
    """The points of a curve, for each model: two measures at every threshold, or a picture that has a name."""
    tables = {name: one.table() for name, one in curves.items()}
    shows = next(iter(curves.values())).drawing()
    about = {"schema": "assay.curve/1", "title": shows.title, **_axis_titles(next(iter(curves.values())))}

    def blocks(form: str) -> Iterator[Block]:
        for name, table in tables.items():
            shown = name if len(tables) > 1 else ""
            if form == "table":
                title = f"{shows.title}{f', {shown}' if shown else ''}"
                yield Tabled(*_thinned_table(table, title))
            else:
                yield Tabled(table, key={"model": shown})

    return Answer(lambda: {**about, "models": {name: one.to_dict() for name, one in tables.items()}}, blocks)


def _axis_titles(curve: Drawable) -> dict[str, str]:
    """What stands on either axis: measures by their names, anything else by its title."""
    if isinstance(curve, Curve):
        return {"x": curve.kind.x.name, "y": curve.kind.y.name}
    shows = curve.drawing()
    return {"x": shows.x.title, "y": shows.y.title}
