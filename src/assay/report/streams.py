"""The page of a stream, and the same as text, Markdown or JSON."""

from __future__ import annotations

import os
from pathlib import PurePath

from assay.renderers import renders
from assay.report._html import render_fragment, render_watched, write_page
from assay.report._json import json_text
from assay.report._markdown import markdown_blocks
from assay.report._text import render_blocks
from assay.report.blocks import Block, Heading, Picture, Sentence
from assay.report.layout import Part
from assay.report.sections.stream import about_stream, stream_lede, stream_sections, stream_verdict
from assay.report.sections.stream_moment import stops_data, stops_words
from assay.report.sections.stream_shown import WatchShown
from assay.streams import StreamWatch

__all__ = ["render_stream"]

# How many of twelve columns sections take; those not named take all of them.
COLUMNS = {"error": 8, "moment": 4}
# Of so many classes the matrix needs the whole width.
FEW_CLASSES = 3


def render_stream(shown: WatchShown) -> str:
    """The page: figures, and a slider over the moments that its script moves."""
    is_narrow = shown.has_matrix and len(shown.now.classes) <= FEW_CLASSES
    parts = [Part(name, _shape(name, is_narrow), blocks) for name, blocks in stream_sections(shown).items()]
    stops = {"last": len(shown.stops) - 1, "said": stops_words(shown.now, True), "lede": stream_lede(shown)}
    return render_watched(about_stream(shown), stream_verdict(shown), parts, {"stream": stops_data(shown)}, stops)


def _shape(name: str, is_narrow: bool) -> str:
    if name.startswith("panel"):
        return "c4"
    return f"c{COLUMNS.get(name, 12) if is_narrow else 12}"


@renders("page", StreamWatch)
def write_stream(
    watch: StreamWatch, path: str | os.PathLike[str], moments: tuple[int, ...] = (), tolerance: int | None = None
) -> None:
    """Write that page; a name that ends in .txt, .md or .json gets the same as text, Markdown or a record."""
    shown = WatchShown(watch, moments, tolerance)
    forms = {".txt": lambda: render_blocks(_said(shown), full=True), ".md": lambda: markdown_blocks(_said(shown)),
             ".json": lambda: json_text(_record(shown))}  # fmt: skip
    write_page(forms.get(PurePath(path).suffix.lower(), lambda: render_stream(shown)), path)


def _said(shown: WatchShown) -> list[Block]:
    """What a page says, in words and tables: figures say their captions."""
    sections = stream_sections(shown).values()
    first: list[Block] = [Heading(stream_verdict(shown)), Sentence(stream_lede(shown))]
    blocks = [*first, *(block for section in sections for block in section)]
    return [Sentence(block.caption) if isinstance(block, Picture) else block for block in blocks]


def _record(shown: WatchShown) -> dict[str, object]:
    judged = {name: {"words": found.words, **found.table().to_dict()} for name, found in shown.judged.items()}
    return {
        "schema": "assay.stream-report/1",
        "said": stream_verdict(shown),
        "rings": shown.watch.rings,
        "alarms": [alarm.words for alarm in shown.watch.alarms],
        "changes": [change.to_dict() for change in shown.watch.changes],
        "cautions": list(shown.watch.cautions),
        "moments": [moment.to_dict() for moment in shown.kept],
        **({"detections": judged} if judged else {}),
    }


@renders("view", StreamWatch)
def show_stream(watch: StreamWatch) -> str:
    """A watch in a notebook: what it says, and the error over time."""
    if not watch.events:
        return render_fragment([Sentence(repr(watch))])
    shown = WatchShown(watch)
    return render_fragment([Heading(stream_verdict(shown)), *stream_sections(shown)["error"][1:]])
