"""The critical-difference diagram of a page: bars by the test that the page's sentence rests on, not by another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING

from assay.report.page_blocks import RankBar, RankDiagram, RankName
from assay.report.words import short_names
from assay.results import Table, counted

if TYPE_CHECKING:
    from assay.ranks import PairComparison, RankAnswer

__all__ = ["not_told_apart", "otherwise_by_difference", "rank_diagram"]

# Where the axis lies in a drawing 1200 wide, and the rows below it.
LEFT, RIGHT, AXIS = 230.0, 970.0, 70.0
FIRST_BAR, BAR_STEP, ROW_STEP = 86.0, 14.0, 30.0
# Names that find room beside the axis, and bars that can still be told apart.
MOST_NAMED = 30
MOST_BARS = 12
MOST_TICKS = 10
LONGEST_NAME = 18
MOST_PAIRS_NAMED = 4


def rank_diagram(answer: RankAnswer) -> RankDiagram:
    """Algorithms by mean rank; a bar joins those that no comparison tells apart, with a dot on it for each of them."""
    order, ranks = answer.ranks.order, answer.ranks.mean_ranks
    shown, k = order[:MOST_NAMED], len(order)
    names = short_names(order, LONGEST_NAME)
    step = max(1, -(-(k - 1) // (MOST_TICKS - 1)))
    groups = not_told_apart(answer, shown)
    bars = tuple(
        RankBar(FIRST_BAR + BAR_STEP * row, tuple(_x(ranks[name], k) for name in group))
        for row, group in enumerate(groups[:MOST_BARS])
    )
    top = FIRST_BAR + BAR_STEP * max(len(bars), 1) + 18
    half = (len(shown) + 1) // 2 if len(shown) > 1 else 1
    left, right = shown[:half], shown[half:][::-1]
    placed = [
        RankName(names[name], f"{ranks[name]:.2f}", _x(ranks[name], k), top + ROW_STEP * row, is_left, name == order[0])
        for side, is_left in ((left, True), (right, False))
        for row, name in enumerate(side)
    ]
    found = answer.difference
    reach = None if found.undefined is not None else min(found.difference / max(k - 1, 1), 1.0) * (RIGHT - LEFT)
    table = found.table()
    short = Table({**table.columns, "algorithm": [names[name] for name in table.columns["algorithm"]]}, table.title)
    return RankDiagram(
        names=tuple(placed),
        ticks=tuple((f"{tick}", _x(tick, k)) for tick in dict.fromkeys((*range(1, k, step), k))),
        bars=bars,
        height=top + ROW_STEP * half,
        reach=reach,
        difference="" if reach is None else f"critical difference {found.difference:.3g} ({found.method})",
        subtitle=_subtitle(answer, len(order) - len(shown), len(groups) - len(bars)),
        caption=otherwise_by_difference(answer),
        table=Table({name: short.columns[name] for name in ("place", "algorithm", "mean_rank")}, short.title),
    )


def _x(rank: float, algorithms: int) -> float:
    return LEFT + (RIGHT - LEFT) * (rank - 1) / max(algorithms - 1, 1)


def _subtitle(answer: RankAnswer, left_out: int, bars_left_out: int) -> str:
    compared = answer.comparisons
    whom = "the control and those" if compared.control is not None else "algorithms"
    how = f"{compared.test}, {_adjusted(compared.adjustment)} {counted(len(compared.pairs), 'pair')}"
    more = [f"the {MOST_NAMED} best; {left_out:,} more are ranked"] if left_out else []
    more += [f"{bars_left_out:,} more bars are not drawn"] if bars_left_out > 0 else []
    words = f"A bar joins {whom} that cannot be told apart; only those with a dot on it belong. {how}."
    return " ".join([words, *(f"{one[0].upper()}{one[1:]}." for one in more)])


def _adjusted(adjustment: str) -> str:
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
    lost = [pair for pair in compared.pairs if pair.better(alpha) is not None and not _far(answer, pair)]
    won = [pair for pair in compared.pairs if pair.better(alpha) is None and _far(answer, pair)]
    said = [
        f"{_named(pairs, names)} would {word} told apart" for pairs, word in ((lost, "not be"), (won, "be")) if pairs
    ]
    if not said:
        return "The critical difference says the same of every pair."
    is_of_pairs = compared.test in ("Wilcoxon signed-rank", "sign test")
    why = f": it ranks each pair among all {len(names)}, this test looks at the pair" if is_of_pairs else ""
    return f"By the critical difference alone {'; '.join(said)}{why}."


def _far(answer: RankAnswer, pair: PairComparison) -> bool:
    ranks = answer.ranks.mean_ranks
    return abs(ranks[pair.first] - ranks[pair.second]) > answer.difference.difference


def _named(pairs: list[PairComparison], names: Mapping[str, str]) -> str:
    named = [f"{names[pair.first]} and {names[pair.second]}" for pair in pairs[:MOST_PAIRS_NAMED]]
    more = len(pairs) - len(named)
    if len(pairs) == 1:
        return named[0]
    return f"these pairs ({', '.join([*named, *([f'{more:,} more'] if more else [])])})"
