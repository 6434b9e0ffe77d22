"""The tables as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from verification._row import Row

__all__ = ["HEAD", "lines", "page", "summary", "write"]

NAMES = (
    *("measure", "method", "design", "n", "positives", "true value", "level", "coverage", "se", "mean width"),
    *("no interval", "expected", "bar", "verdict"),
)
TEXT = ("measure", "method", "design", "verdict")
HEAD = f"| {' | '.join(NAMES)} |\n|{'|'.join('---' if name in TEXT else '--:' for name in NAMES)}|\n"


def page(title: str, said: str, rows: Sequence[Row]) -> str:
    """One page: what was simulated, the rows that miss their bar first, then all."""
    missed = [row for row in rows if not row.passes]
    top = f"# {title}\n\n{said}\n\n{summary(rows)}\n"
    failing = f"\n## Rows that miss their bar\n\n{HEAD}{lines(missed)}" if missed else ""
    return f"{top}{failing}\n## All rows\n\n{HEAD}{lines(rows)}"


def summary(rows: Sequence[Row]) -> str:
    """How many rows meet their bar."""
    refused = sum(row.verdict == "refused" for row in rows)
    missed = sum(not row.passes for row in rows)
    met = len(rows) - refused - missed
    return f"{len(rows)} rows: {met} meet their bar, {missed} miss it, {refused} are refused by the tool."


def write(folder: Path, name: str, text: str) -> None:
    """Write one page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def lines(rows: Iterable[Row]) -> str:
    """The rows of a table."""
    return "".join(_line(row) for row in rows)


def _line(row: Row) -> str:
    cells = (
        row.measure,
        row.method,
        row.design,
        f"{row.n:g}",
        f"{row.positives:g}" if math.isfinite(row.positives) else "-",
        f"{row.truth:.4g}" if math.isfinite(row.truth) else "-",
        f"{row.level:g}",
        _number(row.coverage),
        _number(row.error) if row.error else "exact",
        f"{row.width:.3g}" if math.isfinite(row.width) else "-",
        _number(row.missing),
        _number(row.expected),
        _number(row.bar) if row.bar else "-",
        row.verdict,
    )
    return "| " + " | ".join(cells) + " |\n"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"
