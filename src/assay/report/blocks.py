"""What reports and answers are made of: blocks. Sections make them, renderers write them, neither knows others.

Blocks that only a page shows: the matrix of many classes, and the diagram of ranks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.plots import Figure
from assay.results import Estimate, Table

if TYPE_CHECKING:
    from assay.comparison import Difference

__all__ = [
    "Baseline",
    "Block",
    "Cell",
    "ClassCell",
    "ClassLine",
    "ClassMatrix",
    "ClassName",
    "Estimates",
    "Forest",
    "ForestRow",
    "Grid",
    "Heading",
    "IntervalAxis",
    "Note",
    "Notes",
    "Picture",
    "RankBar",
    "RankDiagram",
    "RankName",
    "Row",
    "Said",
    "Sentence",
    "Shares",
    "Tabled",
    "Verbatim",
]


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


@dataclass(frozen=True)
class Heading:
    """The title of a section (2) or of a part of one (3).

    `live` is the name of something a page's script rewrites, and the words in the text that it rewrites.
    """

    kind: ClassVar[str] = "heading"
    text: str
    level: int = 2
    live: tuple[str, str] | None = None


@dataclass(frozen=True)
class Sentence:
    """Plain words. `live` names the sentence that a page's script rewrites them as, and `place` whose it is."""

    kind: ClassVar[str] = "sentence"
    text: str
    live: str = ""
    place: int | None = None
    # In a terminal it stands out.
    is_finding: bool = False


@dataclass(frozen=True)
class Baseline:
    """What an answer that looks at no case would score."""

    name: str
    value: float


@dataclass(frozen=True)
class Row:
    """One estimate and how to read it. `series` counts the models, so that each keeps its colour.

    `place` is the model's number in a page's data, where the numbers of the row follow a threshold. One whose measure
    is not bounded has no bar in a terminal.
    """

    title: str
    estimate: Estimate
    better: Literal["higher", "lower", "neither"] = "neither"
    baseline: Baseline | None = None
    meaning: str = ""
    remark: str = ""
    model: str = ""
    series: int = 0
    group: str = ""
    place: int | None = None
    is_bounded: bool = True


@dataclass(frozen=True)
class Estimates:
    """Estimates under one another, each with its interval.

    `is_headline` sets them large. Where there is little room, only rows whose title is `in_brief` are written, in one
    line after the title; without any such names the table stays a table. `heads` say what the titles and the models of
    the rows are.
    """

    kind: ClassVar[str] = "estimates"
    rows: tuple[Row, ...]
    title: str = ""
    threshold: str = ""
    is_headline: bool = False
    in_brief: tuple[str, ...] = ()
    heads: tuple[str, str] = ("Measure", "Model")

    @property
    def full_title(self) -> str:
        """The title with its threshold."""
        return f"{self.title} {self.threshold}".strip()

    @property
    def level(self) -> str:
        """The level of the intervals, as a percentage."""
        return f"{100 * self.rows[0].estimate.level:g} %"

    @property
    def names_models(self) -> bool:
        """Whether rows say whose they are."""
        return any(row.model for row in self.rows)


@dataclass(frozen=True)
class Cell:
    """A cell of a grid: what it says, a note in smaller type, and whether it is one of those to look for.

    One with a `bar` is an estimate, whose interval a page draws; one with a `shade`, of 1 to 4, is set on the darker
    ground the more it holds; `shares` of its row and its column a page shows in place of the text when asked.
    """

    text: str
    note: str = ""
    is_match: bool = False
    bar: Row | None = None
    shade: int = 0
    shares: tuple[str, ...] = ()
    # What a page's script writes in place of the text, and whose it is.
    out: str = ""
    place: int | None = None


@dataclass(frozen=True)
class Grid:
    """A table of cells with a label on each row and column.

    `is_matrix` sets the cells large, `is_plain` small and without boxes. One that has a `fold` is
    written only where it can be folded away, under these words. `totals` are those of the rows and of the columns with
    that of all, which a terminal shows.
    """

    kind: ClassVar[str] = "grid"
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, tuple[Cell, ...]], ...]
    across: str = ""
    is_matrix: bool = False
    is_plain: bool = False
    fold: str = ""
    totals: tuple[tuple[str, ...], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Picture:
    """A figure with what to see in it, and the numbers behind it; without a figure the caption says why there is none.

    `remark` stands beside those numbers: how much of them is drawn. `outs` names what a page's script writes below it,
    `live` what of the subtitle it rewrites. One that has a `fold` can be folded away, under these words.
    """

    kind: ClassVar[str] = "picture"
    figure: Figure | None
    caption: str
    subtitle: str = ""
    table: Table | None = None
    outs: tuple[str, ...] = ()
    fold: str = ""
    live: tuple[str, str] | None = None
    remark: str = ""
    # The sentence that a page's script rewrites the caption as.
    live_caption: str = ""


@dataclass(frozen=True)
class ForestRow:
    """One difference: what it is of, how it was tested, its value with limits and p, and whether higher is better.

    What has no range is not drawn: beside it nothing else could be seen.
    """

    title: str
    difference: Difference
    better: Literal["higher", "lower", "neither"]
    pair: str = ""
    is_drawn: bool = True
    # For a page's script: the measure, the numbers of both models, and the controls that it depends on.
    measure: str = ""
    places: tuple[int, int] | None = None
    depends: str = ""
    # For a terminal: the value of either model, where there are two.
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forest:
    """Differences under one another on one axis, zero in the middle; the margin is shaded.

    `head` says what the titles of the rows are, `names` whose their values are.
    """

    kind: ClassVar[str] = "forest"
    rows: tuple[ForestRow, ...]
    margin: float | None = None
    head: str = "Measure"
    names: tuple[str, ...] = ()

    @property
    def reach(self) -> float:
        """How far the axis goes to either side: a round number that no difference and no finite limit exceeds."""
        drawn = [row.difference for row in self.rows if row.is_drawn]
        ends = [abs(end) for found in drawn for end in (found.low, found.value, found.high)]
        widest = max((end for end in ends if math.isfinite(end)), default=1.0)
        power = 10.0 ** math.floor(math.log10(max(widest, 1e-6)))
        return next(step * power for step in (1, 2, 3, 5, 10) if step * power >= widest)

    @property
    def level(self) -> str:
        """The level of the intervals, as a percentage."""
        return f"{100 * self.rows[0].difference.level:g} %"

    @property
    def names_pairs(self) -> bool:
        """Whether rows say between whom they are."""
        return any(row.pair for row in self.rows)


@dataclass(frozen=True)
class Shares:
    """Bars of full length, each parted into what is how likely; a row is a label and its parts in the order of `parts`.

    The first part stands on the left, the last on the right, and what lies between is neither's.
    """

    kind: ClassVar[str] = "shares"
    corner: str
    parts: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Said:
    """What an answer comes to, a line each; where there is room the lines are points of a list."""

    kind: ClassVar[str] = "said"
    apart: ClassVar[bool] = True
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Tabled:
    """A table of results under its title, and what else the title says.

    `key` names the table where rows of several stand in one file. One that `may_end` early leaves its last rows out
    where Markdown would not fit a comment; the cells of the first column stand out where they are `is_strong`.
    """

    kind: ClassVar[str] = "tabled"
    apart: ClassVar[bool] = True
    table: Table
    title: str = ""
    about: str = ""
    key: Mapping[str, str] = field(default_factory=dict)
    is_strong: bool = False
    may_end: bool = False

    @property
    def full_title(self) -> str:
        """The title with what else it says."""
        return f"{self.title}: {self.about}" if self.about else self.title


@dataclass(frozen=True)
class Verbatim:
    """Text whose lines stay as they are."""

    kind: ClassVar[str] = "verbatim"
    apart: ClassVar[bool] = True
    text: str


@dataclass(frozen=True)
class Note:
    """A label and what is said under it, perhaps in several lines; code is kept as it is written."""

    label: str
    text: str
    is_code: bool = False
    # The sentence that a page's script rewrites the text as, and whose it is; or the controls that it depends on.
    live: str = ""
    place: int | None = None
    depends: str = ""


@dataclass(frozen=True)
class Notes:
    """Labelled remarks: cautions by code, methods by name, what is needed to reproduce by kind.

    Those that stand `apart` have an empty line before them in text.
    """

    kind: ClassVar[str] = "notes"
    items: tuple[Note, ...]
    apart: bool = False


Block = (
    Heading
    | Sentence
    | Estimates
    | Forest
    | Grid
    | ClassMatrix
    | Picture
    | RankDiagram
    | Notes
    | Shares
    | Said
    | Tabled
    | Verbatim
)
