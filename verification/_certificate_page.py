"""The certificate's page: its lines, the failures by design, and the populations that fail."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from verification._space import Kind

__all__ = ["TITLES", "Failing", "failing_of", "paper"]

TITLES: dict[Kind, str] = {
    "rows": "Independent rows", "normal": "Normal classes", "weights": "Weighted rows", "clusters": "Clustered rows",
    "sized": "Clustered rows, larger clusters harder or easier",
    "classes": "Many classes", "ordered": "Three classes in their order",
    "lacking": "Two models that lack scores of some cases", "alike": "Tests",
}  # fmt: skip
HEAD = "| measure | populations | samples | least | 5 % | median | too good | too bad | refused | width | fail |\n"
FAILING = "\n## Populations that fail\n\n"


class Failing(NamedTuple):
    """A population on which the intervals of a measure surely hold too seldom."""

    measure: str
    kind: Kind
    coverage: float
    shown: float
    words: str


def paper(
    title: str,
    said: str,
    told: Sequence[dict[str, Any]],
    failing: Sequence[Failing],
    designs: Sequence[tuple[Kind, str]],
) -> str:
    """The page, from the lines, the populations that fail, and the kind and words of every pair that was tried."""
    lines = [f"# {title}\n\n{said}\n"]
    for kind, words in TITLES.items():
        lines.append(f"\n## {words}\n\n{HEAD}|---|{'--:|' * 10}\n")
        lines += [_line(record) for record in told if record["kind"] == kind]
    lines.append(_by_size(failing, designs))
    lines.append(f"{FAILING}| measure | of | coverage | shown | population |\n|---|---|--:|--:|---|\n")
    worst = sorted(failing, key=lambda one: one.coverage)
    lines += [
        f"| {o.measure} | {TITLES[o.kind].lower()} | {o.coverage:.3f} | {o.shown:.2f} | {o.words} |\n" for o in worst
    ]
    return "".join(lines)


def failing_of(page: str) -> list[Failing]:
    """The populations that a page says fail.

    >>> page = paper("", "", [], [Failing("ks", "rows", 0.5, 1.0, "n 30, 9 % positive")], [])
    >>> failing_of(page)
    [Failing(measure='ks', kind='rows', coverage=0.5, shown=1.0, words='n 30, 9 % positive')]
    """
    kinds = {words.lower(): kind for kind, words in TITLES.items()}
    rows = [line.strip("| \n").split(" | ") for line in page.split(FAILING)[1].splitlines()[2:]]
    return [Failing(what, kinds[of], float(held), float(shown), words) for what, of, held, shown, words in rows]


def _by_size(failing: Sequence[Failing], designs: Sequence[tuple[Kind, str]]) -> str:
    """How many pairs fail, by how many cases of the rarer class the design expects."""
    bounds = (10, 20, 50, 200)
    names = [f"below {bounds[0]}", *(f"{low} to {high}" for low, high in pairwise(bounds)), f"{bounds[-1]} and more"]
    counts: dict[tuple[Kind, int], list[int]] = defaultdict(lambda: [0, 0])
    for column, each in enumerate((designs, [(one.kind, one.words) for one in failing])):
        for kind, words in each:
            told = re.match(r"n (\d+), ([\d.]+) % positive", words)
            if told is not None:
                rarer = int(told[1]) * min(float(told[2]), 100 - float(told[2])) / 100
                counts[kind, int(np.searchsorted(bounds, rarer, side="right"))][column] += 1
    head = "\n## Failures by the design\n\n| rarer class expected | independent rows | weighted rows |\n|---|--:|--:|\n"
    rows = (
        f"| {name} | "
        + " | ".join("{1} of {0:,}".format(*counts[kind, place]) for kind in ("rows", "weights"))
        + " |\n"
        for place, name in enumerate(names)
    )
    return head + "".join(rows)


def _line(record: dict[str, Any]) -> str:
    shares = ("least", "fifth", "median", "too_good", "too_bad", "refused")
    cells = [record["name"], str(record["populations"]), f"{record['samples']:,}"]
    cells += ["-" if record[key] is None else f"{record[key]:.3f}" for key in shares]
    cells += ["-" if record["width"] is None else f"{record['width']:.2f}", str(record["fails"])]
    return f"| {' | '.join(cells)} |\n"
