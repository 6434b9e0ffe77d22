"""The page of several sites: each by itself, the forest plot, how far they differ, what to be careful about.

What is said about several sites: as an answer in any format, as a page, and as text.
"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.comparison import LIMITS
from assay.evaluation import Sites
from assay.renderers import renders
from assay.report.answers import Answer
from assay.report.blocks import Block, Cell, Grid, Heading, Note, Notes, Picture, Said, Sentence, Tabled
from assay.report.glossary import meaning
from assay.report.renderers.html import render_still, write_page
from assay.report.renderers.text import render_blocks
from assay.report.sections.estimate_rows import estimate_cell
from assay.report.sections.provenance import command_words, options_of, python_call, versions
from assay.report.wording import quoted, shortened, visible
from assay.results import Table, counted
from assay.text import bounds_words, number

if TYPE_CHECKING:
    from assay.evaluation import SitesSummary
    from assay.measures import Measure

__all__ = ["about_sites", "render_sites", "sites_answer", "sites_sections", "sites_verdict"]


AS_KNOWN = "normal quantiles; the variance between sites is treated as known."
HETEROGENEITY = (
    "tau2 is the variance of the sites' true values; I2 the share of the variation that is not sampling "
    "error (Higgins & Thompson 2002); limits of both by Q-profile (Viechtbauer 2007)."
)
WITHOUT = "Mean of the other sites: shows whether the result depends on a single site."
MOST_SITES = 200
MOST_SOURCES = 6


def about_sites(sites: Sites) -> list[str]:
    """What was read."""
    source = next(iter(sites.evaluations.values())).source
    name = [shortened(source.name, 60)] if sites.by is not None else []
    return [*name, counted(len(sites.names), "site"), counted(sites.n, "case")]


def sites_verdict(sites: Sites, found: SitesSummary) -> str:
    """From where to where the sites lie, before any mean of them is told."""
    values = [ev.estimate(found.measure).value for ev in sites.evaluations.values()]
    known = [value for value in values if not math.isnan(value)]
    return f"{found.measure.title} from {number(min(known))} to {number(max(known))} at {len(known)} sites"


def sites_sections(sites: Sites, found: SitesSummary, asked: Mapping[str, Any]) -> dict[str, list[Block]]:
    """Every section of the page, the sites before any mean of them."""
    cautions = sites.cautions(found.measure, **asked)
    notes = Notes(tuple(Note(one.code, one.message) for one in cautions))
    sections: dict[str, list[Block]] = {
        "sites": _site_rows(sites, found),
        "forest": _forest_blocks(sites, found, asked),
        "heterogeneity": _heterogeneity_blocks(found),
        "leave-one-out": _leave_one_out_blocks(sites, found, asked),
        "cautions": [Heading("Cautions"), notes] if cautions else [],
        "methods": _method_blocks(sites, found),
        "reproduce": _reproduction_blocks(sites, found, asked),
    }
    return {name: blocks for name, blocks in sections.items() if blocks}


def _site_rows(sites: Sites, found: SitesSummary) -> list[Block]:
    """A row a site: cases, classes, estimate with its interval."""
    named = found.measure
    first = next(iter(sites.evaluations.values()))
    shown = list(sites.evaluations.items())[:MOST_SITES]
    has_each = len(first.classes) <= 4
    open_ = [bounds_words(ev.estimate(named)) for _, ev in shown]
    columns = (
        *((f"of {shortened(name, 12)}" for name in first.classes) if has_each else ()),
        named.title,
        *(["binned"] if any(open_) else []),
    )
    rows = tuple(
        (
            Cell(shortened(name, 24), counted(ev.n, "case")),
            (
                *((Cell(f"{size:,}") for size in ev.class_counts.values()) if has_each else ()),
                estimate_cell(ev.estimate(named), 0),
                *([Cell(in_cells)] if any(open_) else []),
            ),
        )
        for (name, ev), in_cells in zip(shown, open_, strict=True)
    )
    more = len(sites.names) - len(shown)
    note = [Sentence(f"And {more:,} more sites, included in the mean.")] if more else []
    title = f"Sites by {quoted(sites.by)}" if sites.by is not None else "Sites"
    return [Heading(title), Grid("Site", columns, rows, is_plain=True), *note]


def _forest_blocks(sites: Sites, found: SitesSummary, asked: Mapping[str, Any]) -> list[Block]:
    drawn = sites.forest(found.measure, **asked)
    more = len(drawn.estimates) - len(drawn.shown)
    words = (
        "Dot size: weight of the site. Diamond: mean over sites with its interval; line below: prediction interval of "
        "a new site."
    )
    caption = f"{words} The first {len(drawn.shown)} sites are drawn." if more else words
    return [
        Heading("Forest plot"),
        Picture(drawn.figure(), caption, " ".join(found.sentences[:2]), table=drawn.table()),
    ]


def _heterogeneity_blocks(found: SitesSummary) -> list[Block]:
    table = found.table()
    return [Heading("Heterogeneity between sites"), Sentence(found.sentences[2]), _table_grid(table)]


def _leave_one_out_blocks(sites: Sites, found: SitesSummary, asked: Mapping[str, Any]) -> list[Block]:
    if not 3 <= len(found.sites) <= MOST_SITES:
        return []
    table = sites.leave_one_out(found.measure, **asked)
    return [Heading("Leave-one-site-out means"), Sentence(WITHOUT), _table_grid(table)]


def _table_grid(table: Table) -> Grid:
    """A table as a page sets it."""
    head, *lines = table.cells()
    rows = tuple((Cell(shortened(line[0], 40)), tuple(map(Cell, line[1:]))) for line in lines)
    return Grid(head[0], tuple(head[1:]), rows, is_plain=True)


def _method_blocks(sites: Sites, found: SitesSummary) -> list[Block]:
    pooled = found.on_scale
    each = next(iter(sites.evaluations.values())).estimate(found.measure).method
    items = [
        Note("each site", each),
        Note(
            "scale",
            f"values are averaged on the {found.scale.name} scale, where their distribution is closest to normal.",
        ),
        Note("between sites", meaning(pooled.method)),
        Note(LIMITS[pooled.limits], AS_KNOWN if pooled.limits == "z" else meaning(LIMITS[pooled.limits])),
        Note("heterogeneity", HETEROGENEITY),
        Note("assumes", sites.assumptions),
    ]
    return [Heading("Methods"), Notes(tuple(items))]


def _reproduction_blocks(sites: Sites, found: SitesSummary, asked: Mapping[str, Any]) -> list[Block]:
    """What to type to find it again, where the sites came from files."""
    evaluations = sites.evaluations
    sources = [ev.source for ev in evaluations.values()][: 1 if sites.by is not None else None]
    rows = [ev.source.rows for ev in evaluations.values()]
    rows = rows if sites.by is None else [sum(rows)]
    named = list(zip(sources, rows, strict=True))[:MOST_SOURCES]
    items = [Note("source", f"{shortened(one.name, 60)}, {counted(size, 'row')}") for one, size in named]
    items += [Note("sources", f"and {len(sources) - MOST_SOURCES:,} more")] if len(sources) > MOST_SOURCES else []
    if all(one.sha256 is not None for one in sources):
        options = dict(options_of(next(iter(evaluations.values()))))
        options |= {} if sites.by is None else {"by": sites.by}
        said = {name: value for name, value in asked.items() if value is not None}
        words = command_words("pool", sources[0].name, {**options, "measure": found.measure.name, **said})
        words[3:3] = [one.name for one in sources[1:]]
        items.append(Note("command", visible(shlex.join([*words, "--html", "report.html"])), is_code=True))
        calls = [python_call("evaluate", one.name, options) for one in sources]
        every = ", ".join(f"{name!r}: {call}" for name, call in zip(sites.names, calls, strict=False))
        pooled = calls[0] if sites.by is not None else f"{{{every}}}"
        arguments = "".join(f", {name}={value!r}" for name, value in said.items())
        call = f"assay.pool({pooled}).report('report.html', {found.measure.name!r}{arguments})"
        items.append(Note("Python", f"import assay\n{visible(call)}", is_code=True))
    items.append(versions("numpy", "scipy"))
    return [Heading("Reproduce"), Notes(tuple(items))]


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
