"""Who has which cases, where some of several classifiers lack some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from assay.results import Table, counted
from assay.types import Bools, Floats

__all__ = ["LACKING", "Shared"]

LACKING = "missing is 'pairwise', and some models lack cases that others have"

# The cases of more pairs than this are told by the fewest that any two share.
MOST_PAIRS = 3


@dataclass(frozen=True)
class Shared:
    """How many of all cases each classifier has an answer for, and how many each two have both.

    >>> import assay
    >>> scores = {"a": [0.1, 0.8, float("nan"), 0.9] * 15, "b": [0.4, float("nan"), 0.2, 0.9] * 15}
    >>> cmp = assay.compare([0, 1] * 30, scores, missing="pairwise")
    >>> cmp.shared.words
    'of 60 cases a has 45 and b has 45; a and b share 30'
    """

    total: int
    cases: dict[str, int]
    pairs: dict[tuple[str, str], int]

    @classmethod
    def of(cls, names: Sequence[str], kept: Bools, times: Floats) -> Shared:
        """From which cases (columns) each classifier (row) has, and how often each case counts."""
        rows = dict(zip(names, kept, strict=True))
        return cls(
            round(float(kept.any(0) @ times)),
            {name: round(float(here @ times)) for name, here in rows.items()},
            {pair: round(float((rows[pair[0]] & rows[pair[1]]) @ times)) for pair in combinations(names, 2)},
        )

    @property
    def words(self) -> str:
        """The same in a few words."""
        each = _listed([f"{name} has {cases:,}" for name, cases in self.cases.items()])
        both = [f"{first} and {second} share {cases:,}" for (first, second), cases in self.pairs.items()]
        least = f"any two share {min(self.pairs.values()):,} at least"
        return f"of {counted(self.total, 'case')} {each}; {_listed(both) if len(both) <= MOST_PAIRS else least}"

    def table(self) -> Table:
        """A row a classifier: its cases, and those that it shares with each other one."""
        names = list(self.cases)
        known = self.pairs | {(second, first): cases for (first, second), cases in self.pairs.items()}
        shared = {f"shared with {one}": [known.get((name, one), self.cases[name]) for name in names] for one in names}
        return Table({"model": names, "cases": list(self.cases.values()), **shared}, title="Who has which cases")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        pairs = [{"first": one, "second": other, "cases": n} for (one, other), n in self.pairs.items()]
        return {"cases": dict(self.cases), "pairs": pairs}


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
