"""Who was right: of how many cases both, one, or neither."""

from __future__ import annotations

from itertools import combinations

from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections._compared import Compared
from assay.report.words import count, p_equals, percent

__all__ = ["who_was_right"]

# More pairs than this are shown as one table of how often they part.
MOST_PAIRS = 3


def who_was_right(compared: Compared) -> list[Block] | None:
    """A table of four cells a pair, at each classifier's own decisions."""
    cmp = compared.comparison
    if any(ev.matrix is None for ev in cmp.models.values()):
        return None
    pairs = list(combinations(cmp.names, 2))
    if cmp.left_out:
        pairs = [(d.first, d.second) for d in compared.differences]
    if len(pairs) > MOST_PAIRS:
        return [Heading("Who was right"), _parting(compared, pairs)]
    blocks: list[Block] = [Heading("Who was right")]
    for first, second in pairs:
        blocks += _pair(compared, first, second)
    return blocks


def _pair(compared: Compared, first: str, second: str) -> list[Block]:
    right = compared.comparison.who_was_right(first, second)
    total = float(right.total)

    def cell(cases: float, name: str, *, is_match: bool = False) -> Cell:
        return Cell(count(cases), f"{name}, {percent(cases / total)}", is_match=is_match)

    one, other = compared.names[first], compared.names[second]
    both, only_one, only_other, neither = (
        float(part) for part in (right.both, right.only_first, right.only_second, right.neither)
    )
    grid = Grid(
        corner=one,
        across=other,
        columns=("right", "wrong"),
        rows=(
            (Cell("right"), (cell(both, "both right", is_match=True), cell(only_one, f"only {one}"))),
            (Cell("wrong"), (cell(only_other, f"only {other}"), cell(neither, "both wrong"))),
        ),
        is_matrix=True,
    )
    apart = only_one + only_other
    test = compared.comparison.mcnemar(first, second) if right.squares is None and right.clusters is None else None
    p = "" if test is None or test.undefined else f" (McNemar's mid-p {p_equals(test.p_value)})"
    words = f"They part on {count(apart)} of {count(total)} cases; {one} wins {count(only_one)} of these{p}."
    return [grid, Sentence(words)]


def _parting(compared: Compared, pairs: list[tuple[str, str]]) -> Grid:
    rows = []
    for first, second in pairs:
        right = compared.comparison.who_was_right(first, second)
        parts = (right.both, right.only_first, right.only_second, right.neither)
        label = Cell(f"{compared.names[first]} and {compared.names[second]}")
        rows.append((label, tuple(Cell(count(float(part))) for part in parts)))
    columns = ("Both right", "Only the first", "Only the second", "Both wrong")
    return Grid("Pair", columns, tuple(rows), is_plain=True)
