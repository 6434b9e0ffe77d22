"""What is answered about numbers by themselves: some measures alone, and two of them at every threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.curves import Curve, Drawable
from assay.evaluation import Evaluation
from assay.report.answers import Answer
from assay.report.blocks import Block, Said, Tabled
from assay.results import Table
from assay.text import bounds_words

__all__ = ["drawn", "estimates"]

# So many points of a curve are printed; a file takes them all.
MOST_POINTS = 24


def estimates(models: Mapping[str, Evaluation], measures: Sequence[str], method: str | None) -> Answer:
    """Some measures alone, each with its standard error and, where it was asked for by name, what is to be doubted."""
    found = {name: {one: ev.estimate(one, method=method) for one in measures} for name, ev in models.items()}

    def record() -> dict[str, Any]:
        first = next(iter(models.values()))
        every = {name: {one: e.to_dict() for one, e in each.items()} for name, each in found.items()}
        about = {"schema": "assay.estimates/1", "source": first.source.to_dict(), "n": first.n}
        return {**about, "models": every}

    def blocks(form: str) -> Iterator[Block]:
        rows = [(name, one, e) for name, each in found.items() for one, e in each.items()]
        columns: dict[str, Any] = {"model": [name for name, _, _ in rows]} if len(models) > 1 else {}
        columns["measure"] = [models[name].find(one).title for name, one, _ in rows]
        columns |= {"estimate": [e.value for _, _, e in rows], "low": [e.low for _, _, e in rows]}
        columns |= {"high": [e.high for _, _, e in rows], "se": [e.se for _, _, e in rows]}
        if any(e.bounds for _, _, e in rows):
            columns["in cells"] = [bounds_words(e) for _, _, e in rows]
        columns |= {"method": [e.method for _, _, e in rows], "n": [round(e.n) for _, _, e in rows]}
        columns |= {"undefined": [e.undefined or "" for _, _, e in rows]}
        if form == "csv":
            columns["caution"] = [e.caution or "" for _, _, e in rows]
        yield Tabled(Table(columns))
        doubts = dict.fromkeys(e.caution for _, _, e in rows if e.caution)
        yield from [Said(tuple(f"Caution: {doubt}." for doubt in doubts))] if doubts and form != "csv" else []

    return Answer(record, blocks)


def _some_of(table: Table, title: str) -> tuple[Table, str, str]:
    """Points from all along a long curve, its title, and how many it has."""
    rows = len(table)
    if rows <= MOST_POINTS:
        return table, title, ""
    kept = [round(k * (rows - 1) / (MOST_POINTS - 1)) for k in range(MOST_POINTS)]
    some = {name: [values[k] for k in kept] for name, values in table.columns.items()}
    return Table(some), title, f"{MOST_POINTS} of {rows:,} points; --format csv has them all"


def drawn(curves: Mapping[str, Drawable]) -> Answer:
    """The points of a curve, for each model: two measures at every threshold, or a picture that has a name."""
    tables = {name: one.table() for name, one in curves.items()}
    shows = next(iter(curves.values())).drawing()
    about = {"schema": "assay.curve/1", "title": shows.title, **_axes(next(iter(curves.values())))}

    def blocks(form: str) -> Iterator[Block]:
        for name, table in tables.items():
            shown = name if len(tables) > 1 else ""
            if form == "table":
                title = f"{shows.title}{f', {shown}' if shown else ''}"
                yield Tabled(*_some_of(table, title))
            else:
                yield Tabled(table, key={"model": shown})

    return Answer(lambda: {**about, "models": {name: one.to_dict() for name, one in tables.items()}}, blocks)


def _axes(curve: Drawable) -> dict[str, str]:
    """What stands on either axis: measures by their names, anything else by its title."""
    if isinstance(curve, Curve):
        return {"x": curve.kind.x.name, "y": curve.kind.y.name}
    shows = curve.drawing()
    return {"x": shows.x.title, "y": shows.y.title}
