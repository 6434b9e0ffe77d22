"""Blocks as CSV: their tables, numbers in full; and evaluations, a row for every estimate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assay.evaluation import Evaluation
from assay.report.blocks import Block, Tabled
from assay.report.wording import UNNAMED
from assay.results import Estimate, csv_text

FACTS = ("value", "low", "high", "level", "method", "n", "target", "undefined")


def render_csv(models: Mapping[str, Evaluation]) -> str:
    """Every measure of every model, then those of each class against the rest; what is undefined is empty.

    Where the cases were parted into subgroups, a column names them, and it is empty for all cases together.
    """
    has_groups = any(ev.subgroups for ev in models.values())
    rows = (
        (model, *([group] if has_groups else []), of_class, one.name, *map(one.to_dict().get, FACTS))
        for model, group, of_class, one in _named_estimates(models)
    )
    return csv_text(("model", *(["subgroup"] if has_groups else []), "class", "measure", *FACTS), rows)


def _named_estimates(models: Mapping[str, Evaluation]) -> Iterator[tuple[str, str, str, Estimate]]:
    for key, whole in models.items():
        name = "" if len(models) == 1 and key in UNNAMED else key
        for group, ev in {"": whole, **whole.subgroups}.items():
            for estimate in ev.measures.values():
                yield name, group, "", estimate
            for of_class, estimates in ev.per_class.items():
                for estimate in estimates.values():
                    yield name, group, of_class, estimate


def csv_blocks(blocks: Iterable[Block]) -> str:
    """The tables among some blocks under one another; those of different columns with a line for each number."""
    tables = [block for block in blocks if isinstance(block, Tabled)]
    columns = tuple(tables[0].table.columns)
    if all(tuple(one.table.columns) == columns for one in tables):
        rows = ((*one.key.values(), *row) for one in tables for row in one.table.rows())
        return csv_text((*tables[0].key, *columns), rows)
    cells = (
        (*one.key.values(), place, name, value)
        for one in tables
        for name, values in one.table.columns.items()
        for place, value in enumerate(values, 1)
    )
    return csv_text((*tables[0].key, "row", "quantity", "value"), cells)
