"""The page of ranks: what was found in words, the ranking, the tests behind it, and how to find it again.

The tables of the page of ranks.

The critical-difference diagram of a page: bars by the test that the page's sentence rests on, not by another.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import starmap
from typing import TYPE_CHECKING

from assay.ranks import MOSTLY, effects_words
from assay.ranks.ranks import could_not_pass, findings, reservations
from assay.ranks.weka_table import MARKS
from assay.report.blocks import (
    Block,
    Cell,
    Grid,
    Heading,
    Note,
    Notes,
    Picture,
    RankBar,
    RankDiagram,
    RankName,
    Sentence,
    Shares,
)
from assay.report.glossary import EFFECTS, meaning
from assay.report.sections.provenance import Option, command_words, python_call, versions
from assay.report.wording import listed, number, p_equals, p_words, short_names, shortened, tamed, visible
from assay.results import PairTable, Table, counted

if TYPE_CHECKING:
    from assay.ranks import PairComparison, RankAnswer, Ranks

__all__ = [
    "about_ranks",
    "any_difference",
    "by_data_set",
    "difference_picture",
    "effect_sizes",
    "every_adjustment",
    "grid",
    "names_of",
    "not_told_apart",
    "of_ranks",
    "otherwise_by_difference",
    "pairs",
    "posteriors",
    "rank_diagram",
    "ranking",
    "ranks_cautions",
    "ranks_lede",
    "ranks_methods",
    "ranks_sections",
    "ranks_verdict",
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
    "Mean and standard deviation over folds; v, *: significantly better, worse than {base} on that data set alone. Not "
    "adjusted for multiple comparisons."
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
        (names[name], (f"{rank:.3f}", number(mean), number(median), f"{first:.0f}", *_pair_cells(answer, own, name)))
        for _, name, rank, mean, median, first in table.rows()
        if name in names
    ]
    beside = short_names(ranks.results.baselines)
    rows += [
        (beside[name], ("", number(mean), number(median), "", "", "", "baseline, not tested"))
        for _, name, _, mean, median, _ in table.rows()
        if name in beside
    ]
    columns = ("Mean rank", "Mean", "Median", "First on", f"{names[own]}: wins, ties, losses", "Adjusted p", "Verdict")
    what = f"Wins, ties and losses are those of {names[own]}; adjusted p-values of {answer.comparisons.test}"
    note = Sentence(
        f"Rank 1 is best, ties share the mean rank; first on: number of data sets where no other is better. {what}."
    )
    return [Heading("Ranks"), grid("Algorithm", columns, rows), note]


def _pair_cells(answer: RankAnswer, own: str, name: str) -> tuple[str, str, str]:
    """Wins of the first over one of the others, the p-value of the pair, and what it says of the other."""
    pair = next((one for one in answer.comparisons.pairs if {one.first, one.second} == {own, name}), None)
    if pair is None:
        return "", "", ""
    wins, losses = (pair.wins, pair.losses) if pair.first == own else (pair.losses, pair.wins)
    winner = pair.better(answer.ranks.alpha)
    said = (
        "inconclusive" if winner is None else f"{'worse' if winner == own else 'better'} than {names_of(answer)[own]}"
    )
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
                    number(float(ranks.results.values[d, k])),
                    _rank_words(ranks.ranks[d, k]),
                    shade=_rank_shade(ranks, d, k),
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
    note = Sentence(f"Each value with its rank on that data set; darker is better.{some}{more}")
    return [Heading("On each data set"), table, note]


def _rank_words(rank: float) -> str:
    return f"{rank:g}"


def _rank_shade(ranks: Ranks, dataset: int, algorithm: int) -> int:
    """Four steps from the worst rank to the best."""
    algorithms = len(ranks.results.algorithms)
    return 4 - min(3, int(4 * (float(ranks.ranks[dataset, algorithm]) - 1) / max(algorithms - 1, 1)))


def any_difference(answer: RankAnswer) -> list[Block] | None:
    """The omnibus tests, where there are three algorithms or more."""
    if len(answer.ranks.results.algorithms) < 3:
        return None
    tests, rows = answer.ranks.omnibus(), []
    heading = Heading("Omnibus tests")
    reasons = {test.undefined for test in tests.values()}
    if len(reasons) == 1 and None not in reasons:
        return [heading, Sentence(f"Not tested: {reasons.pop()}.")]
    for name, test in tests.items():
        found = test.undefined or "significant differences"
        if test.undefined is None and test.p_value > answer.ranks.alpha:
            found = "not significant"
        rows.append((TITLES[name], (_statistic_text(test.statistic), p_words(test.p_value), test.method, found)))
    columns = ("Statistic", "p", "By", f"At {answer.ranks.alpha:g}")
    return [heading, grid("Test", columns, rows)]


def _statistic_text(statistic: float) -> str:
    return "-" if math.isnan(statistic) else f"{statistic:.4g}"


def pairs(answer: RankAnswer) -> list[Block]:
    """Every comparison with its p-value before and after adjustment; of very many those with the smallest."""
    compared, names = answer.comparisons, names_of(answer)
    kept = sorted(compared.pairs, key=lambda pair: (math.isnan(pair.adjusted), pair.adjusted))[:MOST_PAIRS]
    beside = {
        "Wins, ties, losses": [f"{pair.wins}, {pair.ties}, {pair.losses}" for pair in kept],
        "Better": [_significant_winner(pair, answer) for pair in kept],
    }
    labels = [f"{names[pair.first]} and {names[pair.second]}" for pair in kept]
    fold = f"All {counted(len(compared.pairs), 'comparison')}"
    table = pair_grid("Comparison", labels, replace(compared, pairs=tuple(kept)).table(), beside, fold=fold)
    left = len(compared.pairs) - len(kept)
    more = f" {counted(left, 'comparison')} with larger p-values are left out; --format csv has all." if left else ""
    what = "Differences: first minus second, positive where the first is better; "
    held = f"the adjusted p-value ({compared.adjustment}) is compared with {answer.ranks.alpha:g}."
    return [Heading(f"Pairwise comparisons: {compared.test}"), table, Sentence(f"{what}{held}{more}")]


def _significant_winner(pair: PairComparison, answer: RankAnswer) -> str:
    """The one that is better beyond chance, if any."""
    winner = pair.better(answer.ranks.alpha)
    undecided = "equal everywhere" if math.isnan(pair.adjusted) else "inconclusive"
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
    return [
        folded,
        Sentence("Choose the adjustment before looking at these p-values; choosing afterwards invalidates them."),
    ]


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
    return [Heading("Effect sizes"), table, Sentence(words + more)]


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
    why = "" if table.undefined is None else f" No marks: {table.undefined}."
    order = [(names[name], tuple(map(str, counts))) for *counts, name in table.ranking().rows()]
    return [
        Heading("Tests on each data set, as in WEKA"),
        marks,
        Sentence(WEKA_KEY.format(base=names[base]) + why),
        Heading("Ranking by wins minus losses", 3),
        grid("Algorithm", ("Wins minus losses", "Wins", "Losses"), order),
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
    parts = ("First better", f"Equivalent within {rope:g}", "Second better")
    error = max(one.error for one in answer.posteriors)
    note = f"{MOSTLY} By simulation, standard error at most {error:.4f}."
    return [Heading("Posterior probabilities of a better algorithm"), Shares("Pair", parts, rows), Sentence(note)]


# Where the axis lies in a drawing 1200 wide, and the rows below it.
LEFT, RIGHT, AXIS = 230.0, 970.0, 70.0
FIRST_BAR, BAR_STEP, ROW_STEP = 86.0, 14.0, 30.0
# Names that find room beside the axis, and bars that can still be told apart.
RANK_DIAGRAM_MOST_NAMED = 30
MOST_BARS = 12
MOST_TICKS = 10
LONGEST_NAME = 18
MOST_PAIRS_NAMED = 4


def rank_diagram(answer: RankAnswer) -> RankDiagram:
    """Algorithms by mean rank; a bar joins those that no comparison tells apart, with a dot on it for each of them."""
    order, ranks = answer.ranks.order, answer.ranks.mean_ranks
    shown, k = order[:RANK_DIAGRAM_MOST_NAMED], len(order)
    names = short_names(order, LONGEST_NAME)
    step = max(1, -(-(k - 1) // (MOST_TICKS - 1)))
    groups = not_told_apart(answer, shown)
    bars = tuple(
        RankBar(FIRST_BAR + BAR_STEP * row, tuple(_rank_position(ranks[name], k) for name in group))
        for row, group in enumerate(groups[:MOST_BARS])
    )
    top = FIRST_BAR + BAR_STEP * max(len(bars), 1) + 18
    half = (len(shown) + 1) // 2 if len(shown) > 1 else 1
    left, right = shown[:half], shown[half:][::-1]
    placed = [
        RankName(
            names[name],
            f"{ranks[name]:.2f}",
            _rank_position(ranks[name], k),
            top + ROW_STEP * row,
            is_left,
            name == order[0],
        )
        for side, is_left in ((left, True), (right, False))
        for row, name in enumerate(side)
    ]
    found = answer.difference
    reach = None if found.undefined is not None else min(found.difference / max(k - 1, 1), 1.0) * (RIGHT - LEFT)
    table = found.table()
    short = Table({**table.columns, "algorithm": [names[name] for name in table.columns["algorithm"]]}, table.title)
    return RankDiagram(
        names=tuple(placed),
        ticks=tuple((f"{tick}", _rank_position(tick, k)) for tick in dict.fromkeys((*range(1, k, step), k))),
        bars=bars,
        height=top + ROW_STEP * half,
        reach=reach,
        difference="" if reach is None else f"critical difference {found.difference:.3g} ({found.method})",
        subtitle=_subtitle(answer, len(order) - len(shown), len(groups) - len(bars)),
        caption=otherwise_by_difference(answer),
        table=Table({name: short.columns[name] for name in ("place", "algorithm", "mean_rank")}, short.title),
    )


def _rank_position(rank: float, algorithms: int) -> float:
    return LEFT + (RIGHT - LEFT) * (rank - 1) / max(algorithms - 1, 1)


def _subtitle(answer: RankAnswer, left_out: int, bars_left_out: int) -> str:
    compared = answer.comparisons
    whom = "the control and those" if compared.control is not None else "algorithms"
    how = f"{compared.test}, {_adjustment_words(compared.adjustment)} {counted(len(compared.pairs), 'pair')}"
    more = [f"the {RANK_DIAGRAM_MOST_NAMED} best; {left_out:,} more are ranked"] if left_out else []
    more += [f"{bars_left_out:,} more bars are not drawn"] if bars_left_out > 0 else []
    words = f"A bar joins {whom} without a significant difference, marked by dots. {how}."
    return " ".join([words, *(f"{one[0].upper()}{one[1:]}." for one in more)])


def _adjustment_words(adjustment: str) -> str:
    named = {"none": "unadjusted over", "all pairs at once": "all at once over"}
    return named.get(adjustment, f"{adjustment.title()} over")


def not_told_apart(answer: RankAnswer, algorithms: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The largest groups of which no two are told apart, each from the best down; with a control, all it is not told
    from."""
    alpha, place = answer.ranks.alpha, {name: k for k, name in enumerate(algorithms)}
    near: dict[str, set[str]] = {name: set() for name in algorithms}
    for pair in answer.comparisons.pairs:
        if pair.better(alpha) is None and pair.first in near and pair.second in near:
            near[pair.first].add(pair.second)
            near[pair.second].add(pair.first)
    control = answer.comparisons.control
    if control is not None:
        own = {control, *near.get(control, ())}
        return [tuple(sorted(own, key=place.__getitem__))] if len(own) > 1 and control in place else []
    groups = [tuple(sorted(group, key=place.__getitem__)) for group in _cliques(near) if len(group) > 1]
    return sorted(groups, key=lambda group: (place[group[0]], -len(group), [place[name] for name in group]))


def _cliques(near: Mapping[str, Set[str]]) -> Iterator[set[str]]:
    """All sets of names that are near one another and near no further name in common (Bron & Kerbosch 1973)."""

    def grown(kept: set[str], open_: set[str], past: set[str]) -> Iterator[set[str]]:
        if not open_ and not past:
            yield kept
            return
        pivot = max(open_ | past, key=lambda name: (len(near[name] & open_), name))
        for name in sorted(open_ - near[pivot]):
            yield from grown(kept | {name}, open_ & near[name], past & near[name])
            open_ = open_ - {name}
            past = past | {name}

    yield from grown(set(), set(near), set())


def otherwise_by_difference(answer: RankAnswer) -> str:
    """The pairs of which the critical difference says otherwise than the comparisons do."""
    found, compared, names = answer.difference, answer.comparisons, short_names(answer.ranks.order, LONGEST_NAME)
    if found.undefined is not None or compared.test == "Nemenyi" or len(names) < 3:
        return ""
    alpha = answer.ranks.alpha
    lost = [
        pair
        for pair in compared.pairs
        if pair.better(alpha) is not None and not _is_beyond_critical_difference(answer, pair)
    ]
    won = [
        pair for pair in compared.pairs if pair.better(alpha) is None and _is_beyond_critical_difference(answer, pair)
    ]
    said = [
        f"{_pair_names(pairs, names)} would {word}significant"
        for pairs, word in ((lost, "not be "), (won, "be "))
        if pairs
    ]
    if not said:
        return "The critical difference gives the same result for every pair."
    is_of_pairs = compared.test in ("Wilcoxon signed-rank", "sign test")
    why = f": its ranks are among all {len(names)}, this test compares the two alone" if is_of_pairs else ""
    return f"By the critical difference alone {'; '.join(said)}{why}."


def _is_beyond_critical_difference(answer: RankAnswer, pair: PairComparison) -> bool:
    ranks = answer.ranks.mean_ranks
    return abs(ranks[pair.first] - ranks[pair.second]) > answer.difference.difference


def _pair_names(pairs: list[PairComparison], names: Mapping[str, str]) -> str:
    named = [f"{names[pair.first]} and {names[pair.second]}" for pair in pairs[:MOST_PAIRS_NAMED]]
    more = len(pairs) - len(named)
    if len(pairs) == 1:
        return named[0]
    return f"these pairs ({', '.join([*named, *([f'{more:,} more'] if more else [])])})"


# Fewer data sets than this make no one the best, whatever the test.
FEWEST = 5
MOST_NAMED = 3
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

OMNIBUS = ("Iman-Davenport", "Friedman", "Aligned ranks", "Quade")
ASSUMED = "Inference is about a population of such data sets: each counts equally, as one independent observation."


def about_ranks(answer: RankAnswer) -> list[str]:
    """What was read: file, sizes, direction, hash."""
    results, source = answer.ranks.results, answer.ranks.results.source
    sizes = [counted(len(results.algorithms), "algorithm"), counted(len(results.datasets), "data set")]
    name = "results" if source is None else shortened(source.name, 60)
    digest = [] if source is None or source.sha256 is None else [f"sha256 {source.sha256[:8]}…"]
    return [name, *sizes, f"{results.better} values better", *digest]


def ranks_verdict(answer: RankAnswer) -> str:
    """Who ranks first, how many of the others it beats by the page's test, and whom it cannot be told from."""
    ranks, names = answer.ranks, names_of(answer)
    if too_few(answer):
        whom = "both algorithms" if len(names) == 2 else f"{len(names):,} algorithms"
        number = counted(len(ranks.results.datasets), "data set")
        return f"With {number}, no difference between {whom} can be significant"
    if len(names) == 2:
        return _two_algorithms_sentence(answer)
    if answer.comparisons.control is not None:
        return _control_sentence(answer, answer.comparisons.control)
    best = ranks.order[0]
    shared = [name for name in ranks.order if ranks.mean_ranks[name] == ranks.mean_ranks[best]]
    if len(shared) > 1:
        named = listed(names[name] for name in shared) if len(shared) <= MOST_NAMED else f"{len(shared):,} algorithms"
        return f"{named} share the best mean rank, {ranks.mean_ranks[best]:.2f} of {len(names)}"
    rivals = dict(_opponents_and_winners(answer, best))
    beaten = [other for other, winner in rivals.items() if winner == best]
    unclear = [names[other] for other, winner in rivals.items() if winner is None]
    ahead = [names[other] for other, winner in rivals.items() if winner == other]
    if not beaten and not ahead:
        others = _number_word(len(rivals))
        return f"{names[best]} ranks first, but is not significantly better than any of the other {others}"
    everyone = "both others" if len(rivals) == 2 else f"all {_number_word(len(rivals))} others"
    how_many = everyone if len(beaten) == len(rivals) else _fraction_words(len(beaten), len(rivals))
    return (
        f"{names[best]} ranks first and is significantly better than {how_many}{_remaining_pairs_words(unclear, ahead)}"
    )


def too_few(answer: RankAnswer) -> bool:
    """Whether so few data sets could not have told two algorithms apart, however far apart they lay."""
    count, compared = len(answer.ranks.results.datasets), answer.comparisons
    return count < FEWEST or could_not_pass(compared, count, answer.ranks.alpha)


def _opponents_and_winners(answer: RankAnswer, own: str) -> list[tuple[str, str | None]]:
    """Every algorithm that one is compared with, in the order of ranks, and the better of the two, if any."""
    found = {
        pair.second if pair.first == own else pair.first: pair.better(answer.ranks.alpha)
        for pair in answer.comparisons.pairs
        if own in (pair.first, pair.second)
    }
    return [(other, found[other]) for other in answer.ranks.order if other in found]


def _number_word(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def _fraction_words(some: int, whole: int) -> str:
    return f"{_number_word(some) if some else 'none'} of the other {_number_word(whole)}"


def _remaining_pairs_words(unclear: list[str], ahead: list[str]) -> str:
    """Whom the first cannot be told from, and who beats it although it ranks first."""
    said = ""
    if unclear:
        who = listed(unclear) if len(unclear) <= MOST_NAMED else f"{_number_word(len(unclear))} others"
        said = f"; no significant difference from {who}"
    if ahead:
        who = listed(ahead) if len(ahead) <= MOST_NAMED else f"{_number_word(len(ahead))} others"
        said += f"; {who} {'is' if len(ahead) == 1 else 'are'} significantly better than it"
    return said


def _control_sentence(answer: RankAnswer, control: str) -> str:
    """How many are told from a control that was named, and which way."""
    names, found = names_of(answer), _opponents_and_winners(answer, control)
    better = [names[other] for other, winner in found if winner == other]
    worse = [names[other] for other, winner in found if winner == control]
    if not better and not worse:
        return f"None of {_number_word(len(found))} differs significantly from the control {names[control]}"
    groups = ((better, "better"), (worse, "worse"))
    said = [
        f"{listed(who) if len(who) <= MOST_NAMED else _number_word(len(who))} {word}" for who, word in groups if who
    ]
    number = len(better) + len(worse)
    differ = "differs" if number == 1 else "differ"
    words = (
        f"{_number_word(number)} of {_number_word(len(found))} {differ} significantly from the control {names[control]}"
    )
    return f"{words[0].upper()}{words[1:]}: {', '.join(said)}"


def _two_algorithms_sentence(answer: RankAnswer) -> str:
    names = names_of(answer)
    (pair,) = answer.comparisons.pairs
    winner = pair.better(answer.ranks.alpha)
    if winner is None:
        number = counted(len(answer.ranks.results.datasets), "data set")
        return f"No significant difference between {names[pair.first]} and {names[pair.second]} on {number}"
    loser = pair.second if winner == pair.first else pair.first
    return f"{names[winner]} is significantly better than {names[loser]}, p {p_equals(pair.adjusted)}"


def ranks_lede(answer: RankAnswer) -> str:
    """What the sentence rests on: the mean rank, the nearest rival, and whether they differ at all."""
    ranks, names = answer.ranks, names_of(answer)
    best, number = ranks.order[0], counted(len(ranks.results.datasets), "data set")
    parts = [f"{names[best]}: mean rank {ranks.mean_ranks[best]:.2f} of {len(names)} over {number}"]
    rivals = [pair for pair in answer.comparisons.pairs if best in (pair.first, pair.second)]
    unclear = [pair for pair in rivals if pair.better(ranks.alpha) is None and not math.isnan(pair.adjusted)]
    nearest = min(unclear or rivals, key=lambda pair: -pair.adjusted, default=None)
    if nearest is not None and not math.isnan(nearest.adjusted):
        is_first = nearest.first == best
        other, wins, losses = (
            (nearest.second, nearest.wins, nearest.losses)
            if is_first
            else (nearest.first, nearest.losses, nearest.wins)
        )
        score = (
            f"{counted(wins, 'win')}, {counted(nearest.ties, 'tie')}, {losses} {'loss' if losses == 1 else 'losses'}"
        )
        parts.append(f"against {names[other]} {score}, p {p_equals(nearest.adjusted)}")
    if len(names) > 2 and (test := ranks.omnibus()["iman_davenport"]).undefined is None:
        differ = (
            "significant differences overall" if test.p_value <= ranks.alpha else "no significant differences overall"
        )
        parts.append(f"{differ}: Iman-Davenport F = {test.statistic:.3g}, p {p_equals(test.p_value)}")
    return " · ".join(parts)


def ranks_sections(answer: RankAnswer) -> dict[str, list[Block]]:
    """All sections of the page that have something to say."""
    said: list[Block] = [Sentence(tamed(line)) for line in findings(answer.ranks, answer.comparisons)]
    found: dict[str, list[Block] | None] = {
        "lede": [Sentence(ranks_lede(answer))],
        **of_ranks(answer),
        "cautions": _caution_blocks(answer),
        "verdicts": [Heading("Verdicts"), *said, Sentence(ASSUMED)],
        "weka": weka_marks(answer),
        "bayesian": posteriors(answer),
        "methods": [Heading("Methods and references"), Notes((*ranks_methods(answer), *_mark_notes(answer)))],
        "reproduce": _reproduction_blocks(answer),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def of_ranks(answer: RankAnswer) -> dict[str, list[Block] | None]:
    """The sections that a study has as well: diagram, ranking, data sets, tests, pairs and wins."""
    return {
        "critical-difference": [Heading("Critical difference diagram"), rank_diagram(answer)],
        "ranking": ranking(answer),
        "by-data-set": by_data_set(answer),
        "omnibus": any_difference(answer),
        "pairs": pairs(answer),
        "adjustments": every_adjustment(answer),
        "effect-sizes": effect_sizes(answer),
        "win-tie-loss": win_tie_loss(answer),
    }


def _caution_blocks(answer: RankAnswer) -> list[Block] | None:
    items = ranks_cautions(answer)
    return [Heading("Cautions"), Notes(items)] if items else None


def ranks_cautions(answer: RankAnswer) -> tuple[Note, ...]:
    """What to mind about ranks and comparisons."""
    minded = reservations(answer.ranks, answer.comparisons)
    return tuple(Note(label, tamed(words)) for label, words in minded.items())


def difference_picture(answer: RankAnswer) -> Picture:
    """The critical difference where there is room for one figure alone, as in a notebook: bars are its own."""
    found = answer.difference
    if found.undefined is not None:
        caption = f"No critical difference: {found.undefined}."
    else:
        own = found.mean_ranks[0] if found.control is None else answer.ranks.mean_ranks[found.control]
        away = sum(abs(rank - own) > found.difference for rank in found.mean_ranks)
        far = f"{away} of {len(found.algorithms) - 1}"
        whom = "the best" if found.control is None else "the control"
        caption = f"The critical difference is {found.difference:.3g}; {far} others differ from {whom} by more."
    joined = (
        ""
        if found.undefined
        else f"; {found.method}, {found.alpha:g}; bars join those without a significant difference"
    )
    subtitle = f"Mean ranks over data sets{joined}"
    names = names_of(answer)
    table = found.table()
    shown = Table({**table.columns, "algorithm": [names[name] for name in table.columns["algorithm"]]}, table.title)
    return Picture(found.figure(), caption, subtitle, shown)


def ranks_methods(answer: RankAnswer) -> list[Note]:
    """The tests behind this page, and no others."""
    compared, difference = answer.comparisons, answer.difference
    has_omnibus = any(test.undefined is None for test in answer.ranks.omnibus().values())
    items = [Note(name, meaning(name)) for name in OMNIBUS if has_omnibus]
    items.append(Note(compared.test, meaning(compared.test)))
    items.append(
        Note(
            compared.adjustment.title(),
            meaning("not adjusted" if compared.adjustment == "none" else compared.adjustment),
        )
    )
    if difference.undefined is None:
        items.append(Note(f"{difference.method}'s difference", meaning(difference.method)))
    items += starmap(Note, EFFECTS.items())
    items += [Note("Bayesian signed-rank", meaning("Bayesian signed-rank"))] if answer.posteriors else []
    return items


def _mark_notes(answer: RankAnswer) -> list[Note]:
    return [] if answer.ranks.results.folds is None else [Note("Marks", meaning("corrected resampled t"))]


def _reproduction_blocks(answer: RankAnswer) -> list[Block]:
    results, source = answer.ranks.results, answer.ranks.results.source
    items = [] if source is None else [Note("source", f"{shortened(source.name, 60)}, {counted(source.rows, 'row')}")]
    if source is not None and source.sha256 is not None:
        items.append(Note("sha256", source.sha256))
        given: dict[str, Option | None] = {
            **{role: column for role, column in source.columns.items() if role not in ("n_train", "n_test")},
            "better": None if results.better == "higher" else results.better,
            "alpha": None if answer.ranks.alpha == 0.05 else answer.ranks.alpha,
            "ratio": results.ratio,
            "missing": "drop" if results.dropped else None,
        }
        options = {name: value for name, value in given.items() if value is not None}
        words = [*command_words("rank", source.name, {**options, **answer.asked}), "--html", "report.html"]
        items.append(Note("command", visible(shlex.join(words)), is_code=True))
        asked = "".join(f", {name}={value!r}" for name, value in answer.asked.items())
        call = f"{python_call('rank_algorithms', source.name, options)}.report('report.html'{asked})"
        items.append(Note("Python", f"import assay\n{visible(call)}", is_code=True))
    items.append(versions("numpy", "scipy"))
    return [Heading("Reproduce"), Notes(tuple(items))]
