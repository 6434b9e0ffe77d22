"""What was opened, read: its columns, the evaluations, the page; each once, and again where the file has changed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InputError, OptionError
from assay.evaluation import Evaluations, compared, evaluated, evidence_at, from_counts
from assay.report import Compared, pairing, render_html
from assay.report.first_screen import findings
from assay.report.sentences import plain
from assay.request import Request, StreamRequest
from assay.results import counted
from assay.sources import LISTENER, HeldRows, Overview, held_rows, overview
from assay.text import shortened
from assay.web.messages import found
from assay.web.workbench import Job, Opened, Workbench

__all__ = [
    *("OPTIONS", "ROLES", "WRITTEN", "Read", "SeenColumns", "checked_options", "columns_of", "paths_of", "read"),
    "request_of",
]

# What a column may be, as options call it.
ROLES = (
    *("truth", "score", "pred", "certainty", "model", "id", "by", "cluster", "fold", "weight", "count", "amount"),
    "ignore",
)
# How a file is written, which its columns are looked at by.
WRITTEN = ("decimal", "encoding", "sheet")
# What may be said of a file beside that.
OPTIONS = (
    *ROLES,
    "positive",
    "missing",
    "default_class",
    "decimal",
    "encoding",
    "sheet",
    "table",
    "threshold",
    "level",
)
FIRST_ROWS = 4
# Of files in lines that are larger than this, columns are looked at in their first bytes.
IN_LINES, LARGE, LOOKED_AT = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson"), 200_000_000, 20_000_000
LONGEST_LINE = 120


@dataclass(frozen=True)
class SeenColumns:
    """What columns would be, what they would be if nothing were said, and the first rows where they can be shown."""

    found: Overview
    unsaid: Overview
    rows: HeldRows | None
    # Of how much of the file this is, where that is not all of it.
    note: str = ""


@dataclass(frozen=True)
class Read:
    """Evaluations, how they compare, and the page about them; of a stream the page alone."""

    page: str
    line: str
    models: Evaluations | None = None
    compared: Any = None


def checked_options(said: Mapping[str, Any]) -> dict[str, Any]:
    """Options as they are kept, or a refusal that names the one that is wrong."""
    for name in said:
        if name not in OPTIONS:
            raise OptionError(f"{name[:60]!r} is not an option of files", f"one of {', '.join(OPTIONS)}")
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in Request.of(_request_options(said)).given.items()
    }


def _request_options(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in said.items() if name in OPTIONS}


def request_of(opened: Opened) -> Request:
    """What was said of something opened."""
    return Request.of(_request_options(opened.options))


def paths_of(workbench: Workbench, opened: Opened) -> list[Any]:
    """The files of something opened, which must still be in the folder."""
    names = opened.options["files"] if opened.kind == "joined" else [opened.name]
    return [workbench.file(name) for name in names]


def _cache_key(workbench: Workbench, opened: Opened, what: str) -> tuple[Any, ...]:
    """What a result hangs on: what was opened and how, and when its files were last changed."""
    files = [] if opened.kind == "counts" else paths_of(workbench, opened)
    stamps = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return (what, opened.kind, opened.name, json.dumps(opened.options, sort_keys=True), *stamps)


def columns_of(workbench: Workbench, opened: Opened) -> Job:
    """The columns of a file: a `SeenColumns`."""
    (path,) = paths_of(workbench, opened)

    def work() -> SeenColumns:
        asked = request_of(opened)
        with beginning(path) as (looked, note):
            written = {name: asked.given[name] for name in asked.given if name in WRITTEN}
            roles = {name: asked.given[name] for name in asked.given if name in ROLES}
            said = overview(looked, Request.of({**written, **roles}))
            unsaid = overview(looked, Request.of(written)) if roles else said
            try:
                rows = held_rows(looked, Request.of(written), first=FIRST_ROWS)
            except InputError:
                rows = None
        return SeenColumns(said, unsaid, rows, note)

    return workbench.jobs.of(_cache_key(workbench, opened, "columns"), work, f"columns {opened.id}")


@contextmanager
def beginning(path: Path) -> Iterator[tuple[Path, str]]:
    """A file, or of a large one in lines its beginning, and how much of it that is: columns show themselves there."""
    if path.suffix.lower() not in IN_LINES or path.stat().st_size <= LARGE:
        yield path, ""
        return
    with tempfile.TemporaryDirectory() as folder, path.open("rb") as file:
        head = file.read(LOOKED_AT)
        copy = Path(folder, path.name)
        copy.write_bytes(head[: head.rfind(b"\n") + 1])
        yield (
            copy,
            f"Columns were inferred from the first {LOOKED_AT // 1_000_000} MB; the whole file is evaluated.",
        )


def read(workbench: Workbench, opened: Opened) -> Job:
    """What there is to show of something opened: a `Read`."""
    work = found(KINDS, opened.kind, "kind of thing to open")

    def told() -> Read:
        seen: Read = work(workbench, opened)
        workbench.listing.say(opened.id, seen.line)
        return seen

    return workbench.jobs.of(_cache_key(workbench, opened, "read"), told, f"read {opened.id}")


def _evaluate_file(workbench: Workbench, opened: Opened) -> Read:
    (path,) = paths_of(workbench, opened)
    request = request_of(opened)
    models = evaluated(path, request) if evidence_at(path) is not None else _evaluations_with_ids(path, request)
    return _read_with_page(models, pairing(models))


def _evaluations_with_ids(path: Path, request: Request) -> Evaluations:
    """Evaluations that know rows by their ids where there are any: not of evidence, nor of rows that do not fit."""
    try:
        return evaluated(path, request.replace({"keep_ids": True}))
    except InputError:
        return evaluated(path, request)


def _evaluate_joined_files(workbench: Workbench, opened: Opened) -> Read:
    both = compared(paths_of(workbench, opened), request_of(opened))
    return _read_with_page(both.models, Compared(both))


def _evaluate_counts(workbench: Workbench, opened: Opened) -> Read:
    said = opened.options
    counted_ones = from_counts(said["counts"], classes=said["classes"], level=said.get("level", 0.95))
    return _read_with_page(Evaluations({"": counted_ones}), None)


def _read_with_page(models: Evaluations, pairs: Any) -> Read:
    LISTENER.get()("writing the report")
    first = next(iter(models.values()))
    lines = findings(models, pairs)
    several = f", {len(models)} models" if len(models) > 1 else ""
    verdict = plain(lines[0].finding).split(": ")[0].split(". ")[0] if lines else ""
    line = f"{counted(round(first.n), 'case')}{several}\n{shortened(verdict, LONGEST_LINE)}".strip()
    return Read(render_html(models, pairs), line, models, pairs)


def _evaluate_stream(workbench: Workbench, opened: Opened) -> Read:
    from assay.report.pages.stream import WatchShown, render_stream
    from assay.streams.session import StreamSession

    (path,) = paths_of(workbench, opened)
    session = StreamSession(str(path), _stream_request(opened), lambda said: None, lambda moment: None)
    for _ in session.run():
        pass
    if session.watch is None:
        raise InputError(f"{opened.name} has no events", "a header line and a row for each event")
    shown = WatchShown(session.watch)
    return Read(render_stream(shown), f"{counted(session.watch.events, 'event')}, as a stream")


def _stream_request(opened: Opened) -> StreamRequest:
    """What was said of a stream, which is of one classifier: one score, one label."""
    each = {
        name: value[0] if name in ("score", "pred") else value
        for name, value in _request_options(opened.options).items()
    }
    return StreamRequest.of(each)


KINDS = {
    "file": _evaluate_file,
    "joined": _evaluate_joined_files,
    "counts": _evaluate_counts,
    "stream": _evaluate_stream,
}
