"""Blocks that only a page shows: the matrix of many classes, and the diagram of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.results import Estimate, Table

__all__ = ["ClassCell", "ClassLine", "ClassMatrix", "ClassName", "IntervalAxis", "RankBar", "RankDiagram", "RankName"]


@dataclass(frozen=True)
class ClassName:
    """A class as it is shown, its whole name, and its place among the classes as they were given."""

    text: str
    whole: str
    given: int


@dataclass(frozen=True)
class ClassCell:
    """How many of a true class were called so; `says` is that with its share and limits, in words.

    `shade` goes from 1 to 20, for more the darker; `place` are the codes of the true class and of the label, where the
    cell stands for one of each.
    """

    text: str
    says: str = ""
    shade: int = 0
    is_match: bool = False
    is_chosen: bool = False
    shares: tuple[str, ...] = ()
    place: tuple[int, int] | None = None


@dataclass(frozen=True)
class ClassLine:
    """A true class: its cells and, where it is one class, how many were found and how many so called are rightly so.

    `of` ends what is said of a wrong cell, `none` is what is said of an empty one.
    """

    name: ClassName
    cases: str
    cells: tuple[ClassCell, ...]
    of: str
    none: str
    recall: Estimate | None = None
    precision: Estimate | None = None


@dataclass(frozen=True)
class IntervalAxis:
    """An axis up to 1 that begins where the data do, and the mean of what is drawn on it."""

    low: float
    ticks: tuple[float, ...]
    mean: float

    def at(self, value: float) -> str:
        """A place on it, as a coordinate that stretches with it."""
        return f"{100 * (value - self.low) / (1 - self.low):.2f}%"


@dataclass(frozen=True)
class ClassMatrix:
    """A confusion matrix of many classes with recall and precision of each on its row; only a page shows it.

    `said` is what the read-out line says before a cell is pointed at: the largest wrong one, whose
    names stand out. `found` ends what is said of right answers. Cells of one that `is_small` have no room for counts,
    and axes of one that `is_tight` none for more than their ends.
    """

    kind: ClassVar[str] = "classes"
    columns: tuple[ClassName, ...]
    lines: tuple[ClassLine, ...]
    recall: IntervalAxis
    precision: IntervalAxis
    said: tuple[str, str]
    found: str
    note: str
    is_small: bool = False
    is_tight: bool = False


@dataclass(frozen=True)
class RankName:
    """An algorithm beside a diagram of ranks: its name, its mean rank, and where both stand in a drawing 1200 wide."""

    text: str
    rank: str
    x: float
    y: float
    is_left: bool
    is_best: bool


@dataclass(frozen=True)
class RankBar:
    """A bar that joins algorithms which cannot be told apart: where it lies, and where each of them stands on it."""

    y: float
    dots: tuple[float, ...]


@dataclass(frozen=True)
class RankDiagram:
    """Algorithms on an axis of mean ranks, with the bars of those that cannot be told apart; only a page shows it.

    `reach` is how long the critical difference is, where there is one.
    """

    kind: ClassVar[str] = "ranks"
    names: tuple[RankName, ...]
    ticks: tuple[tuple[str, float], ...]
    bars: tuple[RankBar, ...]
    height: float
    reach: float | None
    difference: str
    subtitle: str
    caption: str
    table: Table
    remark: str = ""
