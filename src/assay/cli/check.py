"""`assay check FILE --require REQUIREMENT`."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli._options import asks, source_of, write_out
from assay.cli.evaluate import narrate
from assay.errors import OptionError
from assay.request import Request

if TYPE_CHECKING:
    from assay.testing import Gate, Outcome

__all__ = ["command"]

SCHEMA = "assay.check/1"
WIDTH = 100
GATE_FAILED, NOT_SURE = 1, 4
WORST_FIRST = ("fail", "inconclusive", "pass")
# Comments end at 65,536 bytes; the rest is room for whoever pastes it.
MOST_BYTES, LONGEST = 60_000, 2_000


@click.command("check", short_help="Fail where predictions do not meet requirements.")
@click.argument("file", metavar="FILE")
@asks("check")
def command(file: str, request: Request) -> None:
    """Fail where the predictions in FILE do not meet requirements.

    \b
    --require 'roc_auc >= 0.80'                        all of the interval must be at least 0.80
    --require 'recall.low > 0.7 and brier < 0.1'       .low, .value or .high: one number; and: both
    --require 'delta(roc_auc, base.csv) >= -0.01'      the same cases, another classifier
    --require 'recall["spam"] >= 0.9'                  one class against the rest
    --require 'roc_auc in "north" >= 0.75' --by site   one subgroup

    A measure by itself passes if its whole interval keeps the bound, fails if no part of it does, and is inconclusive
    in between. Exit code 0: passed or inconclusive; 1: failed; 4: inconclusive, with --strict.
    """
    from assay.testing import Gate, parse, status_of

    if not request.require:
        raise OptionError("no requirement was given", "one at least", {"require": "roc_auc >= 0.80"})
    strict, quiet, output = request.strict, request.quiet, request.output
    requirements = [parse(text) for text in request.require]
    gate = Gate.asked(source_of(file), request)
    gate.refuse_unused(requirements)
    if not quiet:
        narrate(gate.models)
    outcomes = [outcome for requirement in requirements for outcome in gate.check(requirement)]
    _put_out(RENDERERS[request.format](gate, outcomes, strict), output)
    if output is not None and not quiet:
        click.echo(_summary(outcomes), err=True)
    status = status_of(outcome.status for outcome in outcomes)
    sys.exit(GATE_FAILED if status == "fail" else NOT_SURE if strict and status == "inconclusive" else 0)


def _summary(outcomes: Sequence[Outcome]) -> str:
    seen = Counter(outcome.status for outcome in outcomes)
    return f"{seen['pass']:,} passed, {seen['fail']:,} failed, {seen['inconclusive']:,} inconclusive."


def _text(gate: Gate, outcomes: Sequence[Outcome], strict: bool) -> str:
    from assay.comparison import FRESH_CASES
    from assay.report.words import visible

    lines = []
    for outcome in outcomes:
        of_model = f"  ({outcome.model})" if outcome.model else ""
        lines.append(visible(f"{outcome.status.upper():<14}{outcome.requirement}{of_model}"))
        for finding in outcome.findings:
            said = visible(finding.sentence)
            lines += textwrap.wrap(said, WIDTH, initial_indent=" " * 14, subsequent_indent=" " * 14)
    lines += ["", _summary(outcomes)]
    if any(outcome.status == "inconclusive" for outcome in outcomes):
        lines.append(FRESH_CASES)
    return "\n".join(lines)


def _json(gate: Gate, outcomes: Sequence[Outcome], strict: bool) -> str:
    from assay.testing import status_of

    record = {
        "schema": SCHEMA,
        "source": next(iter(gate.models.values())).source.to_dict(),
        "status": status_of(outcome.status for outcome in outcomes),
        "strict": strict,
        "requirements": [outcome.to_dict() for outcome in outcomes],
    }
    return json.dumps(record, indent=2, allow_nan=False)


def _junit(gate: Gate, outcomes: Sequence[Outcome], strict: bool) -> str:
    from assay.testing import to_junit

    return to_junit(outcomes, suite=next(iter(gate.models.values())).source.name, strict=strict)


def _markdown(gate: Gate, outcomes: Sequence[Outcome], strict: bool) -> str:
    """The worst first, so that what is cut off to stay below 64 KB is what passed."""
    name = next(iter(gate.models.values())).source.name
    head = [f"**{_cell(name)}**: {_summary(outcomes)}", "", "| Outcome | Requirement | Found |", "|---|---|---|"]
    rows = list(_rows(outcomes))
    room = MOST_BYTES - len("\n".join(head).encode())
    kept = 0
    while kept < len(rows) and room >= len(rows[kept].encode()) + 1:
        room -= len(rows[kept].encode()) + 1
        kept += 1
    cut = [f"\n_{len(rows) - kept:,} more rows are left out to stay below 64 KB._"] if kept < len(rows) else []
    return "\n".join([*head, *rows[:kept], *cut])


def _rows(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in sorted(outcomes, key=lambda each: WORST_FIRST.index(each.status)):
        of_model = f" ({outcome.model})" if outcome.model else ""
        cells = (f"{outcome.requirement}{of_model}", outcome.sentence)
        yield f"| **{outcome.status}** | {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    from assay.report import markdown_text
    from assay.report.words import shortened

    return markdown_text(shortened(text, LONGEST))


def _put_out(text: str, output: Path | None) -> None:
    try:
        write_out(text, output)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone, but a gate answers with its exit code: that must not become 0.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


RENDERERS: dict[str, Callable[[Gate, Sequence[Outcome], bool], str]] = {
    "table": _text,
    "json": _json,
    "junit": _junit,
    "markdown": _markdown,
}
