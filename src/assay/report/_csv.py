"""Evaluations as tidy CSV: a row for every estimate."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from assay.evaluation import Evaluation
from assay.report.words import UNNAMED
from assay.results import Estimate

__all__ = ["render_csv", "safe"]

FACTS = ("value", "low", "high", "level", "method", "n", "target", "undefined")
# A spreadsheet would run a cell that starts so.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def render_csv(models: Mapping[str, Evaluation]) -> str:
    """Every measure of every model, then those of each class against the rest; what is undefined is empty.

    Where the cases were parted into subgroups, a column names them, and it is empty for all cases together.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    has_groups = any(ev.subgroups for ev in models.values())
    writer.writerow(("model", *(["subgroup"] if has_groups else []), "class", "measure", *FACTS))
    for model, group, of_class, estimate in _estimates(models):
        record = estimate.to_dict()
        place = [model, group, of_class] if has_groups else [model, of_class]
        writer.writerow([safe(cell) for cell in (*place, estimate.name, *(record[fact] for fact in FACTS))])
    return text.getvalue()


def _estimates(models: Mapping[str, Evaluation]) -> Iterator[tuple[str, str, str, Estimate]]:
    for key, whole in models.items():
        name = "" if len(models) == 1 and key in UNNAMED else key
        for group, ev in {"": whole, **whole.subgroups}.items():
            for estimate in ev.measures.values():
                yield name, group, "", estimate
            for of_class, estimates in ev.per_class.items():
                for estimate in estimates.values():
                    yield name, group, of_class, estimate


def safe(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula.

    >>> safe("=1+1"), safe(-0.5), safe(None)
    ("'=1+1", -0.5, '')
    """
    if cell is None:
        return ""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell
