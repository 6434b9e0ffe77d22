"""Rows that come one after the other: their format, the names above them, and what each column is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.sources.column_inference import infer
from assay.sources.column_names import existing, folded
from assay.sources.column_roles import ModelColumns, Roles, of_lists
from assay.sources.evidence_archive import MARK
from assay.sources.formats.compression import packed_as
from assay.sources.formats.delimited import Layout, layout
from assay.sources.formats.detection import BY_SUFFIX, CALLED, Opened
from assay.sources.quoting import listed, shown

__all__ = ["Layout", "RowRoles", "heading", "roles_of_rows", "rows_format"]

LINES = ("csv", "tsv", "jsonl")
NEEDED = "CSV or TSV with a line of column names, or one JSON object on each line"
TIMES = ("time", "timestamp", "ts", "eventtime", "datetime", "date")
# What would change every number of a file, and cannot be said of a stream.
WEIGHING = ("weight", "count")


@dataclass(frozen=True)
class RowRoles:
    """Which column of a row plays which part; `per_class` are (class, column), `unused` those that play none.

    `of_class` is the class that the score belongs to, where its name says so.

    >>> RowRoles("y", score="p", id="case", unused=("age",)).words
    'truth=y  score=p  id=case   not used: age'
    """

    truth: str
    score: str | None = None
    pred: str | None = None
    per_class: tuple[tuple[str, str], ...] = ()
    id: str | None = None
    time: str | None = None
    of_class: str | None = None
    unused: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """The column of each part that has one; the scores of classes by their number."""
        named = {name: getattr(self, name) for name in ("truth", "score", "pred", "id", "time")}
        many = {f"class {place}": column for place, (_, column) in enumerate(self.per_class)}
        return {name: column for name, column in {**named, **many}.items() if column is not None}

    @property
    def words(self) -> str:
        """What is said of it."""
        told = {"truth": self.truth, "score": self.score, "prediction": self.pred}
        told["proba"] = _truncated_list([column for _, column in self.per_class], 6) or None
        told |= {"id": self.id, "time": self.time}
        said = [f"{role}={column}" for role, column in told.items() if column is not None]
        left = (
            f"   not used: {_truncated_list([column or '(no name)' for column in self.unused], 20)}"
            if self.unused
            else ""
        )
        return "  ".join(said) + left


def _truncated_list(columns: Sequence[str], most: int) -> str:
    return ",".join(columns[:most]) + (f" and {len(columns) - most:,} more" if len(columns) > most else "")


def rows_format(name: str, head: bytes) -> str:
    """Whether lines are CSV, TSV or JSON: by the name of their file, else by how they begin.

    >>> rows_format("events.log", b'{"y": 1}'), rows_format("standard input", b"y,p"), rows_format("a.tsv", b"y")
    ('jsonl', 'csv', 'tsv')
    """
    found = BY_SUFFIX.get(Path(name).suffix.lower())
    packed = packed_as(head[:16])
    if head.startswith(MARK):
        raise InputError(f"{shown(name)} is an archive (evidence, a workbook, a zip), which is not line-based", NEEDED)
    if packed is not None or (found is not None and found not in LINES):
        what = f"compressed with {packed}" if packed else CALLED[found or ""]
        raise InputError(f"{shown(name)} is {what}, which does not grow line by line", NEEDED)
    start = head.lstrip()[:1]
    if start == b"[" and found in (None, "jsonl"):
        raise InputError(f"{shown(name)} holds a JSON array", "one JSON object on each line, without brackets")
    if found is not None:
        return found
    return "jsonl" if start == b"{" else "tsv" if b"\t" in head.split(b"\n", 1)[0] else "csv"


def heading(head: bytes, name: str, form: str) -> Layout:
    """The names at the beginning of a table in text, what parts values, and how many lines stand above.

    >>> heading(b"# made today\\ny;p\\n", "a.csv", "csv")
    Layout(names=('y', 'p'), delimiter=';', skipped=1, comments=1)
    """
    return layout(Opened(Path(name), name, form, False, "", head))


def roles_of_rows(
    names: Sequence[str], request: Request, rows: Sequence[Sequence[Any]] | None, *, time: str | None, timed: bool
) -> RowRoles:
    """Which column plays which part, by what was said and by names; `rows` are the first ones, to look at as well.

    >>> roles_of_rows(("id", "y", "p", "age"), Request(), None, time=None, timed=False)
    RowRoles(truth='y', score='p', pred=None, per_class=(), id='id', time=None, of_class=None,
             unused=('age',))
    """
    held = {} if rows is None else {name: [row[place] for row in rows] for place, name in enumerate(names)}
    roles = infer(names, request, None if rows is None else of_lists(held.__getitem__))
    _refuse_unsupported_roles(roles)
    (one,) = roles.models
    at = existing(names, "time", time) if time is not None else _time_column(names) if timed else None
    if timed and at is None:
        found = f"a window in seconds needs a column of times, but the columns are {listed(names)}"
        raise OptionError(found, "the column of times", {"time": "COLUMN"}, about="seconds")
    score, per_class, of_class = _score_columns(one, request)
    pred = None if score is not None and request.threshold is not None else one.pred  # the threshold decides instead
    used = {roles.truth, score, pred, roles.id, at, *(column for _, column in per_class)}
    unused = tuple(name for name in names if name not in used)
    return RowRoles(roles.truth, score, pred, per_class, roles.id, at, of_class, unused)


def _time_column(names: Sequence[str]) -> str | None:
    by_name = {folded(name): name for name in reversed(names)}
    return next((by_name[name] for name in TIMES if name in by_name), None)


def _score_columns(one: ModelColumns, request: Request) -> tuple[str | None, tuple[tuple[str, str], ...], str | None]:
    """The column of scores, or those of every class; that of a single class is the score of the positive one."""
    if one.score is not None or len(one.per_class) != 1:
        return one.score, () if one.score is not None else one.per_class, None
    ((name, column),) = one.per_class
    if request.positive not in (None, name):
        raise OptionError(
            f"{shown(column)} holds scores of {shown(name)}, but positive is {shown(request.positive)}",
            options={"positive": name},
            about="positive",
        )
    return column, (), name


def _refuse_unsupported_roles(roles: Roles) -> None:
    if len(roles.models) > 1 or roles.model is not None:
        names = [model.name for model in roles.models]
        held = f"the columns of {listed(names)}" if len(names) > 1 else f"model names in {shown(roles.model)}"
        ways = [({"score": model.score}, "") for model in roles.models if model.score and len(names) > 1]
        raise InputError(f"there are {held}, but a stream is of one classifier", "only one of them", ways=ways)
    for role in WEIGHING:
        if role in roles.used:
            column = roles.used[role]
            found = f"{shown(column)} has the name of a {role}, but every event of a stream counts once"
            raise InputError(found, "an option to ignore it", {"ignore": column})
