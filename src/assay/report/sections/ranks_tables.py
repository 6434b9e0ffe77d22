"""The tables of the page of ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.ranks import MOSTLY, effects_words
from assay.ranks.weka_table import MARKS
from assay.report.blocks import Block, Cell, Grid, Heading, Sentence, Shares
from assay.report.words import number, p_words, short_names, tamed
from assay.results import PairTable, counted

if TYPE_CHECKING:
    from assay.ranks import PairComparison, RankAnswer, Ranks

__all__ = [
    "any_difference",
    "by_data_set",
    "effect_sizes",
    "every_adjustment",
    "grid",
    "names_of",
    "pairs",
    "posteriors",
    "ranking",
    "weka_marks",
    "win_tie_loss",
]

# More pairs than this are no longer read; a table of all of them comes as CSV.
MOST_PAIRS = 200
# Pairs up to which every adjustment is shown: those of ten algorithms.
MOST_ADJUSTED = 45
# A matrix of more algorithms than this cannot be read.
MOST_IN_MATRIX = 16
# Data sets that a page lists, and up to which it does so without folding them away.
MOST_DATASETS = 200
MOST_UNFOLDED = 30
TITLES = {
    "iman_davenport": "Iman-Davenport",
    "friedman": "Friedman",
    "iman_davenport_uncorrected": "Iman-Davenport, ties not corrected",
    "friedman_uncorrected": "Friedman, ties not corrected",
    "friedman_aligned": "Friedman, aligned ranks",
    "quade": "Quade",
}
WEKA_KEY = (
    "Mean and standard deviation over folds; v, *: better, worse than {base} beyond chance on that data set alone. No "
    "account is taken of how many such comparisons are made."
)


def names_of(answer: RankAnswer) -> dict[str, str]:
    """What each algorithm is called on the page."""
    return short_names(answer.ranks.results.algorithms)


def grid(corner: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], *, fold: str = "") -> Grid:
    """A table of words: a label and its cells in each row."""
    cells = tuple((Cell(label), tuple(map(Cell, row))) for label, row in rows)
    return Grid(corner, tuple(columns), cells, fold=fold)


# How a page heads the numbers of a table of pairs; a column that is missing here is headed by its own name.
HEADS = {"difference": "Difference", "se": "Standard error", "df": "df", "p_value": "p", "adjusted": "Adjusted p"}


def pair_grid(
    corner: str,
    labels: Sequence[str],
    table: PairTable,
    beside: Mapping[str, Sequence[str]] | None = None,
    *,
    interval: str = "Interval",
    fold: str = "",
) -> Grid:
    """Return a table of pairs as a page shows it: every number of `table` in its digits, limits as an interval.

    `beside` are further columns of words; the test of all pairs and their notes stand in the text around it.
    """
    head, *lines = table.cells()
    text = dict(zip(head, map(list, zip(*lines, strict=True)), strict=True))
    columns: dict[str, Sequence[str]] = {}
    for name in table.numbers():
        if name == "high":
            continue
        if name != "low":
            columns[HEADS.get(name, name.capitalize())] = text[name]
            continue
        limits = zip(table.columns["low"], text["low"], text["high"], strict=True)
        columns[interval] = ["" if math.isnan(value) else f"[{low}, {high}]" for value, low, high in limits]
    columns |= beside or {}
    return grid(corner, list(columns), zip(labels, zip(*columns.values(), strict=True), strict=True), fold=fold)


def ranking(answer: RankAnswer) -> list[Block]:
    """The algorithms from the best mean rank to the worst, and what the test says of each and the first, or control."""
    names, table, ranks = names_of(answer), answer.ranks.table(), answer.ranks
    own = answer.comparisons.control or ranks.order[0]
    rows = [
        (names[name], (f"{rank:.3f}", number(mean), number(median), f"{first:.0f}", *_against(answer, own, name)))
        for _, name, rank, mean, median, first in table.rows()
        if name in names
    ]
    beside = short_names(ranks.results.baselines)
    rows += [
        (beside[name], ("", number(mean), number(median), "", "", "", "to be better than; in no test"))
        for _, name, _, mean, median, _ in table.rows()
        if name in beside
    ]
    columns = ("Mean rank", "Mean", "Median", "First on", f"{names[own]}: wins, ties, losses", "Adjusted p", "Verdict")
    what = f"Wins, ties and losses are those of {names[own]}; the p-value is {answer.comparisons.test}'s, adjusted"
    note = Sentence(f"Rank 1 is best, tied algorithms share; first on: data sets where none is better. {what}.")
    return [Heading("Ranks"), grid("Algorithm", columns, rows), note]


def _against(answer: RankAnswer, own: str, name: str) -> tuple[str, str, str]:
    """Wins of the first over one of the others, the p-value of the pair, and what it says of the other."""
    pair = next((one for one in answer.comparisons.pairs if {one.first, one.second} == {own, name}), None)
    if pair is None:
        return "", "", ""
    wins, losses = (pair.wins, pair.losses) if pair.first == own else (pair.losses, pair.wins)
    winner = pair.better(answer.ranks.alpha)
    said = "cannot tell" if winner is None else f"{'worse' if winner == own else 'better'} than {names_of(answer)[own]}"
    return f"{wins}, {pair.ties}, {losses}", p_words(pair.adjusted), said


def by_data_set(answer: RankAnswer) -> list[Block]:
    """Every value with its rank, a row a data set; of many algorithms those that rank best."""
    ranks, names = answer.ranks, names_of(answer)
    shown = ranks.order[:MOST_IN_MATRIX]
    places = [ranks.results.algorithms.index(name) for name in shown]
    datasets, beside = list(short_names(ranks.results.datasets).values()), ranks.results.baseline_values
    rows = tuple(
        (
            Cell(dataset),
            tuple(
                Cell(
                    number(float(ranks.results.values[d, k])), _rank_words(ranks.ranks[d, k]), shade=_shade(ranks, d, k)
                )
                for k in places
            )
            + tuple(Cell(number(float(value))) for value in ([] if beside is None else beside[d])),
        )
        for d, dataset in enumerate(datasets[:MOST_DATASETS])
    )
    left = len(datasets) - len(rows)
    more = f" {counted(left, 'more data set')} are left out." if left else ""
    some = f" The {len(shown)} best of {len(names)} algorithms." if len(shown) < len(names) else ""
    fold = f"Values and ranks on {counted(len(datasets), 'data set')}" if len(datasets) > MOST_UNFOLDED else ""
    last = tuple(short_names(ranks.results.baselines).values())
    table = Grid("Data set", (*(names[name] for name in shown), *last), rows, fold=fold)
    note = Sentence(f"Each value with its rank on that data set; the darker, the better.{some}{more}")
    return [Heading("On each data set"), table, note]


def _rank_words(rank: float) -> str:
    return f"{rank:g}"


def _shade(ranks: Ranks, dataset: int, algorithm: int) -> int:
    """Four steps from the worst rank to the best."""
    algorithms = len(ranks.results.algorithms)
    return 4 - min(3, int(4 * (float(ranks.ranks[dataset, algorithm]) - 1) / max(algorithms - 1, 1)))


def any_difference(answer: RankAnswer) -> list[Block] | None:
    """The omnibus tests, where there are three algorithms or more."""
    if len(answer.ranks.results.algorithms) < 3:
        return None
    tests, rows = answer.ranks.omnibus(), []
    heading = Heading("Do they differ at all?")
    reasons = {test.undefined for test in tests.values()}
    if len(reasons) == 1 and None not in reasons:
        return [heading, Sentence(f"That cannot be tested: {reasons.pop()}.")]
    for name, test in tests.items():
        found = test.undefined or "they differ beyond chance"
        if test.undefined is None and test.p_value > answer.ranks.alpha:
            found = "cannot tell"
        rows.append((TITLES[name], (_digits(test.statistic), p_words(test.p_value), test.method, found)))
    columns = ("Statistic", "p", "By", f"At {answer.ranks.alpha:g}")
    return [heading, grid("Test", columns, rows)]


def _digits(statistic: float) -> str:
    return "-" if math.isnan(statistic) else f"{statistic:.4g}"


def pairs(answer: RankAnswer) -> list[Block]:
    """Every comparison with its p-value before and after adjustment; of very many those with the smallest."""
    compared, names = answer.comparisons, names_of(answer)
    kept = sorted(compared.pairs, key=lambda pair: (math.isnan(pair.adjusted), pair.adjusted))[:MOST_PAIRS]
    beside = {
        "Wins, ties, losses": [f"{pair.wins}, {pair.ties}, {pair.losses}" for pair in kept],
        "Better": [_better(pair, answer) for pair in kept],
    }
    labels = [f"{names[pair.first]} and {names[pair.second]}" for pair in kept]
    fold = f"All {counted(len(compared.pairs), 'comparison')}"
    table = pair_grid("Comparison", labels, replace(compared, pairs=tuple(kept)).table(), beside, fold=fold)
    left = len(compared.pairs) - len(kept)
    more = f" {counted(left, 'comparison')} with larger p-values are left out; --format csv has all." if left else ""
    what = "Differences are of the first less the second, positive where the first is better; "
    held = f"the adjusted p-value ({compared.adjustment}) is held against {answer.ranks.alpha:g}."
    return [Heading(f"Which differ: {compared.test}"), table, Sentence(f"{what}{held}{more}")]


def _better(pair: PairComparison, answer: RankAnswer) -> str:
    """The one that is better beyond chance, if any."""
    winner = pair.better(answer.ranks.alpha)
    undecided = "equal everywhere" if math.isnan(pair.adjusted) else "cannot tell"
    return undecided if winner is None else names_of(answer)[winner]


def every_adjustment(answer: RankAnswer) -> list[Block] | None:
    """The p-values by every adjustment, folded away; where they were asked for, or where there are few."""
    table, compared = answer.adjustments, answer.comparisons
    if table is None:
        if compared.adjustment == "all pairs at once" or not 1 < len(compared.pairs) <= MOST_ADJUSTED:
            return None
        test = answer.asked.get("test", "wilcoxon")
        table = answer.ranks.every_adjustment(test, control=compared.control)
    names = names_of(answer)
    rows = [
        (f"{names[first]} and {names[second]}", tuple(map(p_words, p_values)))
        for first, second, *p_values in table.rows()
    ][:MOST_PAIRS]
    columns = ("p", *(name.capitalize() for name in list(table.columns)[3:]))
    folded = grid("Comparison", columns, rows, fold="These p-values by every adjustment")
    return [folded, Sentence("To choose an adjustment after a look at these is to choose the answer.")]


def effect_sizes(answer: RankAnswer) -> list[Block]:
    """How far apart every pair lies, beside whether that is beyond chance."""
    names, found = names_of(answer), answer.effects
    rows = [
        (
            f"{names[one.first]} and {names[one.second]}",
            (repr(one.delta), "-" if math.isnan(one.gamma.value) else number(one.gamma.value)),
        )
        for one in found[:MOST_PAIRS]
    ]
    table = grid(
        "Pair", ("Cliff's delta", "Akinshin's gamma"), rows, fold=f"Effect sizes of {counted(len(found), 'pair')}"
    )
    words = effects_words(found, len(answer.ranks.results.datasets))
    left = len(found) - len(rows)
    more = f" {counted(left, 'pair')} more: --format csv has all." if left else ""
    return [Heading("How far apart they lie"), table, Sentence(words + more)]


def win_tie_loss(answer: RankAnswer) -> list[Block] | None:
    """On how many data sets the row is ahead of the column, level with it and behind it."""
    names = names_of(answer)
    if not 2 < len(names) <= MOST_IN_MATRIX:
        return None
    cells = {}
    for pair in answer.comparisons.pairs:
        cells[pair.first, pair.second] = f"{pair.wins}/{pair.ties}/{pair.losses}"
        cells[pair.second, pair.first] = f"{pair.losses}/{pair.ties}/{pair.wins}"
    order = answer.ranks.order
    rows = [(names[row], tuple(cells.get((row, column), "") for column in order)) for row in order]
    heading = Heading("Wins, ties and losses")
    return [heading, grid("Row against column", [names[name] for name in order], rows)]


def weka_marks(answer: RankAnswer) -> list[Block] | None:
    """WEKA's table and ranking, where there are folds."""
    if answer.ranks.results.folds is None:
        return None
    table, names = answer.weka or answer.ranks.weka(), names_of(answer)
    base, *rest = table.algorithms
    rows = [
        (
            Cell(tamed(dataset), f"{table.folds[d]} folds"),
            tuple(
                Cell(
                    f"{table.means[d, j]:.3f} ({table.deviations[d, j]:.3f})", MARKS[int(table.better[d, j, 0])].strip()
                )
                for j in range(len(names))
            ),
        )
        for d, dataset in enumerate(table.datasets)
    ]
    counts = ("", *("({}/{}/{})".format(*table.counts(j)) for j in range(1, 1 + len(rest))))
    rows.append((Cell("(v/ /*)"), tuple(map(Cell, counts))))
    marks = Grid("Data set", tuple(names[name] for name in table.algorithms), tuple(rows))
    why = "" if table.undefined is None else f" Nothing is marked: {table.undefined}."
    order = [(names[name], tuple(map(str, counts))) for *counts, name in table.ranking().rows()]
    return [
        Heading("Each data set by itself, as WEKA marks it"),
        marks,
        Sentence(WEKA_KEY.format(base=names[base]) + why),
        Heading("By marks won less marks lost", 3),
        grid("Algorithm", ("Won less lost", "Won", "Lost"), order),
    ]


def posteriors(answer: RankAnswer) -> list[Block] | None:
    """How likely either is better, or both are the same, for each pair."""
    if not answer.posteriors:
        return None
    names, rope = names_of(answer), answer.posteriors[0].rope
    rows = tuple(
        (f"{names[one.first]} and {names[one.second]}", (one.first_better, one.same, one.second_better))
        for one in answer.posteriors[:MOST_PAIRS]
    )
    parts = ("First mostly better", f"Mostly the same within {rope:g}", "Second mostly better")
    error = max(one.error for one in answer.posteriors)
    note = f"{MOSTLY} By simulation with a standard error of at most {error:.4f}."
    return [Heading("How likely is either mostly better?"), Shares("Pair", parts, rows), Sentence(note)]
