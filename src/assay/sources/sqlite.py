"""SQLite files that somebody else may have made: what they hold beside plain tables could run without end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from assay.errors import InputError
from assay.sources.quoting import shown

__all__ = ["refuse_queries"]

# Everything in a file that computes something whenever a table is read or written.
QUERIES = """
SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')
UNION ALL SELECT 'virtual table', name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'
UNION ALL SELECT 'generated column', c.name FROM sqlite_master t, pragma_table_xinfo(t.name) c
    WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND c.hidden > 1
UNION ALL SELECT 'index of an expression', i.name FROM sqlite_master i, pragma_index_xinfo(i.name) c
    WHERE i.type = 'index' AND c.cid = -2
LIMIT 1
"""


def refuse_queries(execute: Callable[[str], Iterable[Any]], name: str, needed: str) -> None:
    """Refuse a file that holds more than tables; `execute` runs a statement in it and gives its rows.

    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> refuse_queries(connection.execute, "a.db", "a store that assay wrote")
    >>> _ = connection.execute("CREATE VIEW cells AS SELECT 1")
    >>> refuse_queries(connection.execute, "a.db", "a store that assay wrote")
    Traceback (most recent call last):
    assay.errors.InputError: 'a.db' holds the view 'cells', but only plain tables are read; needed: a store that ...
    """
    for kind, each in execute(QUERIES):
        raise InputError(f"{shown(name)} holds the {kind} {shown(str(each))}, but only plain tables are read", needed)
