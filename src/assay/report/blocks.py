"""What a report is made of: six kinds of blocks. Sections make them, renderers write them, neither knows the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.plots import Figure
from assay.results import Estimate

__all__ = ["Baseline", "Block", "Cell", "Estimates", "Grid", "Heading", "Note", "Notes", "Picture", "Row", "Sentence"]


@dataclass(frozen=True)
class Heading:
    """The title of a section (2) or of a part of one (3)."""

    kind: ClassVar[str] = "heading"
    text: str
    level: int = 2


@dataclass(frozen=True)
class Sentence:
    """Plain words."""

    kind: ClassVar[str] = "sentence"
    text: str


@dataclass(frozen=True)
class Baseline:
    """What an answer that looks at no case would score."""

    name: str
    value: float


@dataclass(frozen=True)
class Row:
    """One estimate and how to read it. `series` counts the models, so that each keeps its colour."""

    title: str
    estimate: Estimate
    better: Literal["higher", "lower", "neither"] = "neither"
    baseline: Baseline | None = None
    meaning: str = ""
    remark: str = ""
    model: str = ""
    series: int = 0
    group: str = ""


@dataclass(frozen=True)
class Estimates:
    """Estimates under one another, each with its interval.

    `is_headline` sets them large. Where there is little room, only rows whose title is `in_brief` are written, in one
    line after the title; without any such names the table stays a table.
    """

    kind: ClassVar[str] = "estimates"
    rows: tuple[Row, ...]
    title: str = ""
    threshold: str = ""
    is_headline: bool = False
    in_brief: tuple[str, ...] = ()

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
    """A cell of a grid: what it says, a note in smaller type, and whether it is one of those to look for."""

    text: str
    note: str = ""
    is_match: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of cells with a label on each row and column.

    `is_matrix` sets the cells large, `is_plain` small and without boxes. One that `is_wide` is written only where it
    can scroll.
    """

    kind: ClassVar[str] = "grid"
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, tuple[Cell, ...]], ...]
    across: str = ""
    is_matrix: bool = False
    is_plain: bool = False
    is_wide: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure with what to see in it; without a figure the caption says why there is none."""

    kind: ClassVar[str] = "picture"
    figure: Figure | None
    caption: str
    subtitle: str = ""


@dataclass(frozen=True)
class Note:
    """A label and what is said under it; code is kept as it is written."""

    label: str
    text: str
    is_code: bool = False


@dataclass(frozen=True)
class Notes:
    """Labelled remarks: cautions by code, methods by name, what is needed to reproduce by kind."""

    kind: ClassVar[str] = "notes"
    items: tuple[Note, ...]


Block = Heading | Sentence | Estimates | Grid | Picture | Notes
