"""Every column of a table, the role it would take, and why: before anything is evaluated."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from assay.errors import InputError
from assay.request import ColumnsOptions, Request, front_door
from assay.results import Table
from assay.sources._assemble import columns_used
from assay.sources._columns import WATCH
from assay.sources._contents import Contents, Profile
from assay.sources._models import class_of
from assay.sources._names import DESIGN, IS_WORD, NAMES, folded, is_id, named_as
from assay.sources._roles import Roles
from assay.sources.files import from_file
from assay.sources.frames import from_frame

__all__ = ["Overview", "columns", "overview"]

NOT_USED, OPEN = "not used", "open"
SAID = (
    *("truth", "score", "pred", "certainty", "model", "weight", "count", "cluster", "fold", "by", "amount", "id"),
    "ignore",
)


@dataclass(frozen=True)
class Overview:
    """The columns of a table: for each its role, why it has it, and what it holds; and what stops a reading, if any."""

    name: str
    rows: int
    columns: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()
    stopped: InputError | None = None

    def table(self) -> Table:
        """A row for each column."""
        names = ("column", "role", "why", "different", "missing", "holds")
        return Table({name: [column[name] for column in self.columns] for name in names})


@front_door
def columns(data: Any, **options: Unpack[ColumnsOptions]) -> Table:
    """Which column of a file or a data frame `evaluate` would take for what, and why.

    >>> import polars
    >>> print(columns(polars.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.7, 0.4], "age": [30, 41, 52]})))
    column  role      why          different  missing  holds
    y       truth     by its name          2        0  0, 1
    p       score     by its name          3        0  0.2, 0.7, 0.4
    age     not used                       3        0  30, 41, 52
    """
    request = Request.of(options)
    request.refuse_unused("file" if isinstance(data, str | os.PathLike) else "frame")
    return overview(data, request).table()


def overview(data: Any, request: Request) -> Overview:
    """The roles that columns of a file or a data frame would take, and why.

    >>> import polars
    >>> found = overview(polars.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.7, 0.4], "age": [30, 41, 52]}), Request())
    >>> [(column["column"], column["role"], column["why"]) for column in found.columns]
    [('y', 'truth', 'by its name'), ('p', 'score', 'by its name'), ('age', 'not used', '')]
    """
    seen: dict[str, Profile] = {}
    guessed: list[Roles] = []

    def watch(columns: Sequence[str], contents: Contents | None, roles: Roles | None) -> None:
        seen.update({column: Profile(0, 0, 0) for column in columns} if contents is None else contents.of(columns))
        guessed.extend([] if roles is None else [roles])

    is_file = isinstance(data, str | os.PathLike)
    name, stopped = str(os.fspath(data)) if is_file else "frame", None
    notes: tuple[str, ...] = ()
    token = WATCH.set(watch)
    try:
        reading = (from_file if is_file else from_frame)(data, request.but({"missing": "drop"}))
        name, notes = reading.source.name, reading.source.remarks
        roles_of = _by_column(reading.source.columns, reading.source.design)
    except InputError as error:
        if not seen:
            raise
        stopped = error
        roles_of = _by_column(columns_used(guessed[-1]), guessed[-1].design) if guessed else dict.fromkeys(seen, OPEN)
    finally:
        WATCH.reset(token)
    found = tuple(_fact(column, profile, roles_of.get(column), request) for column, profile in seen.items())
    rows = max((profile.rows for profile in seen.values()), default=0)
    return Overview(name, rows, found, notes, stopped)


def _by_column(columns: Mapping[str, str | tuple[str, ...]], design: Mapping[str, str]) -> dict[str, str]:
    found = {column: role for role, column in design.items()}
    for role, held in columns.items():
        found |= dict.fromkeys((held,) if isinstance(held, str) else held, role)
    return found


def _fact(column: str, profile: Profile, role: str | None, request: Request) -> dict[str, Any]:
    return {
        "column": column,
        "role": role or NOT_USED,
        "why": _why(column, role, request),
        "different": profile.distinct,
        "missing": profile.rows - profile.there,
        "holds": ", ".join(profile.examples),
    }


def _why(column: str, role: str | None, request: Request) -> str:
    said = {each for name in SAID for each in _texts(getattr(request, name))}
    if folded(column) in {folded(each) for each in said}:
        return "named by you"
    if role in (None, OPEN):
        return ""
    by_name = role in DESIGN and folded(column) == role
    by_name |= role in NAMES and bool(named_as(role, [column]))
    by_name |= (role == "truth" and IS_WORD.match(column) is not None) or (role == "id" and is_id(column))
    by_name |= role in ("score", "proba", "pred") and bool(class_of(column) or {*_words(column)} & {*_ROLE_WORDS})
    by_name |= role == "pred" and folded(column) in NAMES["truth"]
    return "by its name" if by_name else "by its contents"


_ROLE_WORDS = ("score", "prob", "proba", "probability", "pred", "prediction")


def _words(column: str) -> list[str]:
    return [word for word in column.casefold().replace(".", "_").replace("-", "_").replace(" ", "_").split("_") if word]


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, tuple) else ()
