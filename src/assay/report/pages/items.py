"""What is shown of the scores of a language model's answers: as text, as a page, and in any format of the commands."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence

from assay.comparison import Difference
from assay.items import (
    BattleEvaluation,
    ItemComparison,
    ItemEvaluation,
    ItemLine,
    JudgedShare,
    JudgeEvaluation,
    VarianceSplit,
)
from assay.renderers import renders
from assay.report.answers import Answer
from assay.report.blocks import Block, Cell, Forest, ForestRow, Grid, Heading, Note, Notes, Said, Sentence, Tabled
from assay.report.renderers.html import render_fragment, render_still, write_page
from assay.report.renderers.text import render_blocks
from assay.report.sections.provenance import versions
from assay.report.wording import shortened
from assay.results import Estimate, Table, counted
from assay.text import bracketed, value_words

__all__ = [
    "battles_answer",
    "comparison_answer",
    "items_answer",
    "judge_answer",
    "render_battles",
    "render_comparison",
    "render_items",
    "render_judge",
]

MOST_GROUPS, MOST_VERDICTS, MOST_DRAWN = 4, 3, 60
METHODS = {
    "mean": "the mean over items of the mean score of their answers; the wider limits of t on the logit scale and of "
    "two pseudo-items, one scored 0 and one scored 1. In clusters: delete-one-cluster variance (CR3) with effective "
    "degrees of freedom.",
    "pass@k": "the probability that at least one of k answers drawn without replacement is correct. Chen et al. "
    "(2021).",
    "majority@k": "the probability that most of k answers drawn without replacement are correct; a tie counts one "
    "half.",
    "coverage": "simulated: verification/items.",
}
OF_COMPARISONS = {
    "difference": "mean over the common items of the difference of their mean scores; the wider limits of t and of t "
    "with one half-item at +1 and one at -1. In clusters: CR3 with effective degrees of freedom.",
    "several pairs": "adjusted by Bonferroni, intervals and p-values alike.",
    "tied for the best": "every model that no other beats beyond the largest of correlated t statistics, with "
    "half-items. Hsu (1984).",
    "coverage": "simulated: verification/items.",
}


def items_answer(found: ItemEvaluation) -> Answer:
    """The mean scores in a log, with what they rest on."""

    def blocks(form: str) -> Iterator[Block]:
        if form == "csv":
            yield Tabled(found.table())
            return
        yield Said(tuple(_count_sentences(found)))
        yield Tabled(found.table())
        yield from [Said(tuple(lines))] if (lines := _finding_sentences(found)) else []
        yield from _caution_blocks(found)
        yield from [Said(tuple(lines))] if (lines := _reading_notes(found)) else []

    return Answer(found.to_dict, blocks)


def _lines_by_task(found: ItemEvaluation) -> dict[tuple[str, str, str], list[ItemLine]]:
    """The lines by file, task and model: their answers are the same."""
    groups: dict[tuple[str, str, str], list[ItemLine]] = {}
    for line in found.lines:
        groups.setdefault((line.scores.source, line.scores.task, line.scores.model), []).append(line)
    return groups


def _count_sentences(found: ItemEvaluation) -> Iterator[str]:
    """How many items, answers and clusters there are, and what became of the answers."""
    groups = _lines_by_task(found)
    for (source, task, model), lines in list(groups.items())[:MOST_GROUPS]:
        scores, spread = lines[0].scores, lines[0].spread
        fewest, most = scores.repeats
        each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        answers = f"{each} answer{'' if most == 1 else 's'} per item"
        about = ", ".join(part for part in (shortened(source, 60), scores.tool, task, shortened(model, 60)) if part)
        clusters = [] if spread.clusters is None else [counted(spread.clusters, "cluster")]
        without = [f"{counted(len(scores.unscored), 'item')} without a score"] if scores.unscored else []
        states = scores.states
        named = {"error": "error", "refused": "refusal", "cut": "truncated answer", "unscored": "unscored answer"}
        kinds = [counted(states[state], word) for state, word in named.items() if states.get(state)]
        parts = [counted(len(scores.items), "item"), answers, *clusters, *without, *kinds]
        yield f"{about}: {'; '.join(parts)}."
    if len(groups) > MOST_GROUPS:
        yield f"And {counted(len(groups) - MOST_GROUPS, 'other run')}."


def _finding_sentences(found: ItemEvaluation) -> list[str]:
    """The second reading with errors as wrong, and what more repeats or items would give."""
    lines = []
    for line in found.lines:
        name = f"{_line_name(line, found)}: " if len(found.lines) > 1 else ""
        other = line.with_errors
        if other is not None and len(found.lines) <= MOST_GROUPS:
            lines.append(f"{name}With errors counted as incorrect: {value_words(other)} {bracketed(other)}.")
        if len(found.lines) == 1 and line.estimate.undefined is None:
            lines += _size_sentences(line)
    return lines


def _size_sentences(line: ItemLine) -> list[str]:
    """How wide the interval would be with more repeats, and with more items."""
    return _variance_sentences(line.variance, line.estimate, line.measure)


def _variance_sentences(split: VarianceSplit, interval: Estimate | Difference, measure: str) -> list[str]:
    half = (interval.high - interval.low) / 2
    if measure != "mean" or math.isnan(half):
        return []
    if split.undefined is not None:
        return [
            "One answer per item: sampling variation of answers cannot be separated from differences between items."
        ]
    if split.is_copied or split.se() == 0:
        return []
    endless, twice = (half * split.se(**more) / split.se() for more in ({"repeats": math.inf}, {"items": 2 * split.n}))
    words = f"The interval is ±{half:.3f}. With unlimited repeats it would be ±{endless:.3f}"
    return [f"{words}, with twice the items ±{twice:.3f}."]


def _line_name(line: ItemLine, found: ItemEvaluation) -> str:
    """What sets a line apart from the others."""
    parts = {
        "task": (line.scores.task, [one.scores.task for one in found.lines]),
        "model": (line.scores.label, [one.scores.label for one in found.lines]),
        "scorer": (line.scores.scorer, [one.scores.scorer for one in found.lines]),
        "measure": (line.measure, [one.measure for one in found.lines]),
    }
    different = [own for own, every in parts.values() if len(set(every)) > 1]
    return shortened(", ".join(different) or line.scores.source, 60)


def _caution_blocks(found: ItemEvaluation) -> list[Block]:
    """Every caution once, with the lines it is about where these are not all."""
    about: dict[str, list[str]] = {}
    for line in found.lines:
        for caution in line.cautions:
            about.setdefault(caution, []).append(_line_name(line, found))
    notes = [
        Note("caution", caution if len(names) == len(found.lines) else f"{', '.join(dict.fromkeys(names))}: {caution}")
        for caution, names in about.items()
    ]
    return [Notes(tuple(notes), apart=True)] if notes else []


def _reading_notes(found: ItemEvaluation) -> list[str]:
    """What was noted while reading, and which choices there are."""
    lines = [f"{note[0].upper()}{note[1:]}." for note in found.notes]
    lines += [f"{name} is {why}: not shown." for name, why in (found.refused or {}).items()]
    scorers = list(dict.fromkeys(line.scores.scorer for line in found.lines))
    if len(scorers) > 1:
        lines.append(f"{len(scorers)} scorers, each separately. Choose one: --scorer {scorers[0].split(',')[0]}")
    if found.clusterings:
        names = ", ".join(f"{name} ({size})" for name, size in list(found.clusterings.items())[:MOST_GROUPS])
        first = next(iter(found.clusterings))
        lines.append(f"Columns that could be clusters of items: {names}. Use one: --cluster {first}")
    return lines


def comparison_answer(found: ItemComparison) -> Answer:
    """Models on the same items: who is tied for the best, and every pair."""

    def blocks(form: str) -> Iterator[Block]:
        if form == "csv":
            yield Tabled(found.table())
            return
        yield Said(tuple(_tied_set_sentences(found)))
        yield Tabled(found.means(), found.means().title)
        if form == "table" and len(found.pairs) <= MOST_VERDICTS:
            yield from (Said(tuple(_verdict_lines(found, place))) for place in range(len(found.pairs)))
        else:
            yield Tabled(found.table(), "Differences, first minus second")
        cautions = tuple(Note("caution", caution) for caution in _comparison_cautions(found))
        yield from [Notes(cautions, apart=True)] if cautions else []

    return Answer(found.to_dict, blocks)


def _tied_set_sentences(found: ItemComparison) -> Iterator[str]:
    """How many items are compared, and which models are tied for the best."""
    clusters = found.pairs[0].spread.clusters
    within = "" if clusters is None else f" in {counted(clusters, 'cluster')}"
    yield f"{counted(len(found.lines), 'model')} on {counted(len(found.common), 'common item')}{within}."
    if len(found.lines) > 2 and found.best is not None:
        level = f"{100 * found.level:g} %"
        names = ", ".join(found.best)
        yield f"Tied for the best ({level}): {names}." if len(found.best) > 1 else f"The best ({level}): {names}."


def _verdict_lines(found: ItemComparison, place: int) -> list[str]:
    """The verdict about a pair, or why there is none, and what more repeats or items would give."""
    pair = found.pairs[place]
    if pair.withheld is not None:
        return [pair.withheld]
    alike = [f"No item distinguishes {pair.names[0]} from {pair.names[1]}."] if pair.is_undecided_by_items else []
    words = pair.verdict(found.margin).words.splitlines()
    return [*alike, *words, *_variance_sentences(pair.variance, pair.difference, pair.first.measure)]


def _comparison_cautions(found: ItemComparison) -> list[str]:
    of_lines = [caution for line in found.lines.values() for caution in line.cautions]
    return list(dict.fromkeys([*found.cautions, *of_lines]))


def _comparison_sections(found: ItemComparison) -> dict[str, list[Block]]:
    cautions = _comparison_cautions(found)
    verdicts = [line for place in range(min(len(found.pairs), MOST_VERDICTS)) for line in _verdict_lines(found, place)]
    rows = tuple(
        ForestRow(f"{one.first} - {one.second}", one, "higher", is_drawn=not math.isnan(one.low))
        for one in (pair.difference for pair in found.pairs[:MOST_DRAWN])
    )
    sections: dict[str, list[Block]] = {
        "scores": [Heading("Scores"), *map(Sentence, _tied_set_sentences(found)), _table_grid(found.means())],
        "verdicts": [Heading("Verdicts"), Said(tuple(verdicts))],
        "differences": [Heading("Differences"), Forest(rows, found.margin, head="Models")],
        "cautions": [Heading("Cautions"), Said(tuple(cautions))] if cautions else [],
        "notes": [Heading("Notes"), Said(found.notes)] if found.notes else [],
        "methods": [Heading("Methods"), Notes(tuple(Note(name, text) for name, text in OF_COMPARISONS.items()))],
        "reproduce": [Heading("Reproduce"), Notes((versions("numpy", "scipy"),))],
    }
    return {name: blocks for name, blocks in sections.items() if blocks}


def render_comparison(found: ItemComparison) -> str:
    """The page of models compared on the same items."""
    about = [shortened(name, 60) for name in found.names[:MOST_GROUPS]]
    first = found.pairs[0]
    verdict = first.withheld or first.verdict(found.margin).headline
    tied = "" if found.best is None else f"Tied for the best: {', '.join(found.best)}"
    return render_still(about, tied if len(found.lines) > 2 and tied else verdict, _comparison_sections(found))


@renders("text", ItemComparison)
def text_of_comparison(found: ItemComparison) -> str:
    """The verdicts and the means, as text."""
    return render_blocks(list(comparison_answer(found).blocks("table")))


@renders("view", ItemComparison)
def view_of_comparison(found: ItemComparison) -> str:
    """The same in a notebook."""
    return render_fragment(list(comparison_answer(found).blocks("table")))


@renders("page", ItemComparison)
def write_comparison(found: ItemComparison, path: str | os.PathLike[str]) -> None:
    """Write the page."""
    write_page(lambda: render_comparison(found), path)


OF_JUDGES = {
    "share": "with human labels of a random part: prediction-powered inference (PPI++), the wider of Wilson's limits "
    "and of two more items on which the judge errs. Angelopoulos et al. (2023).",
    "known rates": "the wider of Lang and Reiczigel's limits (2014) and of all shares that a score test does not "
    "reject.",
    "agreement": "kappa, Gwet's AC1, Krippendorff's alpha with half an item more in each cell, jackknife over items.",
    "coverage": "simulated: verification/items.",
}
RANDOM_PART = "The human labels must be of a random part of the items; agreement says nothing of the share by itself."


def judge_answer(found: JudgeEvaluation) -> Answer:
    """The share that passes, beside what human labels alone and the judge alone say."""

    def blocks(form: str) -> Iterator[Block]:
        yield Tabled(found.table(), found.table().title, key={"table": "shares"})
        if len(found.agreement_table()):
            yield Tabled(found.agreement_table(), found.agreement_table().title, key={"table": "agreement"})
        if form != "csv":
            yield Said(tuple(_of_judge(found)))
            notes = tuple(Note("caution", text) for share in found.shares.values() for text in share.cautions)
            yield from [Notes(notes, apart=True)] if notes else []

    return Answer(found.to_dict, blocks)


def _of_judge(found: JudgeEvaluation) -> Iterator[str]:
    """Which interval was narrower, and what the judge did on the labelled part."""
    for name, share in list(found.shares.items())[:MOST_GROUPS]:
        yield from _of_share(f"{shortened(name, 40)}: " if len(found.shares) > 1 else "", share)
    if all(share.rates is None for share in found.shares.values()):
        yield RANDOM_PART


def _of_share(name: str, share: JudgedShare) -> Iterator[str]:
    alone, facts = share.humans_alone, share.facts
    if share.rates is None and alone is not None:
        widths = [one.high - one.low for one in (share.estimate, alone)]
        narrower = "With the judge" if widths[0] < widths[1] else "By human labels alone"
        ratio = f"{widths[0] / widths[1]:.2f} times as wide with the judge" if widths[1] > 0 else "of no width alone"
        yield f"{name}{narrower} the interval is narrower ({ratio})."
    if len(share.human):
        known = {key: value for key, value in facts.items() if not math.isnan(value)}
        words = ", ".join(f"{key} {value:.3f}" for key, value in known.items())
        yield f"{name}On {counted(len(share.human), 'labelled item')}: {words}."


def render_judge(found: JudgeEvaluation) -> str:
    """The page of a judge and humans."""
    first = next(iter(found.shares.values()))
    agreement = found.agreement_table()
    sections: dict[str, list[Block]] = {
        "scores": [Heading("Share that passes"), _table_grid(found.table()), *map(Sentence, _of_judge(found))],
        "agreement": [Heading("Agreement"), _table_grid(agreement)] if len(agreement) else [],
        "methods": [Heading("Methods"), Notes(tuple(Note(name, text) for name, text in OF_JUDGES.items()))],
        "reproduce": [Heading("Reproduce"), Notes((versions("numpy", "scipy"),))],
    }
    verdict = f"share that passes: {value_words(first.estimate)} {bracketed(first.estimate)}"
    several = f"Share that passes of {counted(len(found.shares), 'model')}"
    shown = {name: blocks for name, blocks in sections.items() if blocks}
    return render_still([shortened(found.name, 60)], verdict if len(found.shares) == 1 else several, shown)


@renders("text", JudgeEvaluation)
def text_of_judge(found: JudgeEvaluation) -> str:
    """The shares and the agreement, as text."""
    return render_blocks(list(judge_answer(found).blocks("table")))


@renders("view", JudgeEvaluation)
def view_of_judge(found: JudgeEvaluation) -> str:
    """The same in a notebook."""
    return render_fragment(list(judge_answer(found).blocks("table")))


@renders("page", JudgeEvaluation)
def write_judge(found: JudgeEvaluation, path: str | os.PathLike[str]) -> None:
    """Write the page."""
    write_page(lambda: render_judge(found), path)


OF_BATTLES = {
    "strengths": "Bradley-Terry on the logit scale, ties one half, with a term for the first place; every pair is "
    "taken to have played once more each way at weight 1/(k - 1).",
    "limits": "the wider of the information matrix and of leaving out a question at a time (CR3).",
    "coverage": "simulated: verification/items.",
}


def battles_answer(found: BattleEvaluation) -> Answer:
    """Strengths of models by their battles."""

    def blocks(form: str) -> Iterator[Block]:
        table = found.table()
        yield Tabled(table, table.title)
        if form != "csv":
            yield Said(tuple(_of_battles(found)))
            notes = tuple(Note("caution", text) for text in found.cautions)
            yield from [Notes(notes, apart=True)] if notes else []

    return Answer(found.to_dict, blocks)


def _of_battles(found: BattleEvaluation) -> Iterator[str]:
    """What was read, who is tied for the best, and the advantage of the first place."""
    battles, place = found.battles, found.advantage
    questions, ties = len(set(battles.question)), int((battles.result == 0.5).sum())
    bad = f", {battles.both_bad:,} of them both bad" if battles.both_bad else ""
    yield f"{counted(len(battles.first), 'battle')} on {counted(questions, 'question')}; {counted(ties, 'tie')}{bad}."
    which = "Tied for the best" if len(found.best) > 1 else "The best"
    yield f"{which} ({100 * found.level:g} %): {', '.join(found.best)}."
    yield f"Advantage of the first place (logit): {value_words(place)} {bracketed(place)}."


def render_battles(found: BattleEvaluation) -> str:
    """The page of battles."""
    sections: dict[str, list[Block]] = {
        "scores": [Heading("Strengths"), _table_grid(found.table()), *map(Sentence, _of_battles(found))],
        "cautions": [Heading("Cautions"), Said(tuple(found.cautions))] if found.cautions else [],
        "methods": [Heading("Methods"), Notes(tuple(Note(name, text) for name, text in OF_BATTLES.items()))],
        "reproduce": [Heading("Reproduce"), Notes((versions("numpy", "scipy"),))],
    }
    verdict = f"Tied for the best: {', '.join(found.best)}" if len(found.best) > 1 else f"The best: {found.best[0]}"
    return render_still([shortened(found.name, 60)], verdict, {name: each for name, each in sections.items() if each})


@renders("text", BattleEvaluation)
def text_of_battles(found: BattleEvaluation) -> str:
    """The strengths, as text."""
    return render_blocks(list(battles_answer(found).blocks("table")))


@renders("view", BattleEvaluation)
def view_of_battles(found: BattleEvaluation) -> str:
    """The same in a notebook."""
    return render_fragment(list(battles_answer(found).blocks("table")))


@renders("page", BattleEvaluation)
def write_battles(found: BattleEvaluation, path: str | os.PathLike[str]) -> None:
    """Write the page."""
    write_page(lambda: render_battles(found), path)


def _sections(found: ItemEvaluation) -> dict[str, list[Block]]:
    cautions, findings = _caution_blocks(found), _finding_sentences(found)
    used = {line.measure.split("@")[0] for line in found.lines}
    methods = [Note(name, text) for name, text in METHODS.items() if name.split("@")[0] in {*used, "coverage"}]
    sections: dict[str, list[Block]] = {
        "scores": [Heading("Scores"), *map(Sentence, _count_sentences(found)), _table_grid(found.table())],
        "findings": [Heading("Precision with more answers"), *map(Sentence, findings)] if findings else [],
        "cautions": [Heading("Cautions"), *cautions] if cautions else [],
        "notes": [Heading("Notes"), Said(tuple(found.notes))] if found.notes else [],
        "methods": [Heading("Methods"), Notes(tuple(methods))],
        "reproduce": [Heading("Reproduce"), Notes((versions("numpy", "scipy"),))],
    }
    return {name: blocks for name, blocks in sections.items() if blocks}


def _table_grid(table: Table) -> Grid:
    head, *lines = table.cells()
    rows = tuple((Cell(shortened(line[0], 60)), tuple(map(Cell, line[1:]))) for line in lines)
    return Grid(head[0], tuple(head[1:]), rows, is_plain=True)


def _verdict(lines: Sequence[ItemLine]) -> str:
    first = lines[0]
    if len(lines) > 1:
        return f"{len(lines)} lines, one for each model, task and scorer"
    return f"{first.scores.scorer}: {value_words(first.estimate)} {bracketed(first.estimate)}"


def render_items(found: ItemEvaluation) -> str:
    """The page of a log."""
    about = [*dict.fromkeys(shortened(line.scores.source, 60) for line in found.lines)][:MOST_GROUPS]
    return render_still(about, _verdict(found.lines), _sections(found))


@renders("text", ItemEvaluation)
def text_of_items(found: ItemEvaluation) -> str:
    """The table and what it rests on, as text."""
    return render_blocks(list(items_answer(found).blocks("table")))


@renders("view", ItemEvaluation)
def view_of_items(found: ItemEvaluation) -> str:
    """The same in a notebook."""
    return render_fragment(list(items_answer(found).blocks("table")))


@renders("page", ItemEvaluation)
def write_items(found: ItemEvaluation, path: str | os.PathLike[str]) -> None:
    """Write the page."""
    write_page(lambda: render_items(found), path)
