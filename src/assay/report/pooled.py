"""What is said about several sites: as an answer in any format, as a page, and as text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.evaluation import Sites
from assay.renderers import renders
from assay.report._html import render_still, write_page
from assay.report._text import render_blocks
from assay.report.answers import Answer
from assay.report.blocks import Block, Note, Notes, Said, Tabled
from assay.report.sections.sites import about_sites, sites_sections, sites_verdict

if TYPE_CHECKING:
    from assay.measures import Measure

__all__ = ["render_sites", "sites_answer"]


def sites_answer(sites: Sites, measures: Sequence[str], **asked: Any) -> Answer:
    """Each site by itself, then what they have in common, by each measure."""

    def record() -> Any:
        records = [sites.to_dict(measure, **asked) for measure in measures]
        return records[0] if len(records) == 1 else records

    def blocks(form: str) -> Iterator[Block]:
        for measure in measures:
            found, table = sites.summary(measure, **asked), sites.table(measure)
            yield Tabled(table, table.title, key={"table": f"{measure} sites"})
            if form == "table":
                yield Said(tuple(found.sentences))
            else:
                figures = found.table()
                yield Tabled(figures, figures.title, found.method, key={"table": f"{measure} summary"})
            notes = tuple(Note(one.code, one.message) for one in sites.cautions(measure, **asked))
            yield from [Notes(notes, apart=True)] if notes and form != "csv" else []
        yield from [Said((sites.assumptions,))] if form != "csv" else []

    return Answer(record, blocks)


@renders("text", Sites)
def text_of_sites(sites: Sites) -> str:
    """The table of the sites and their summary, as text."""
    return render_blocks(list(sites_answer(sites, [sites.default_measure]).blocks("table")))


def render_sites(sites: Sites, measure: str | Measure | None = None, **asked: Any) -> str:
    """The page of several sites, about one measure."""
    found = sites.summary(measure, **asked)
    return render_still(about_sites(sites), sites_verdict(sites, found), sites_sections(sites, found, asked))


@renders("page", Sites)
def write_sites(sites: Sites, path: str | os.PathLike[str], measure: str | Measure | None = None, **asked: Any) -> None:
    """Write that page."""
    write_page(lambda: render_sites(sites, measure, **asked), path)
