"""Predictions of several models about the same cases, joined by the id of each case: several files, or one long one."""

# ruff: noqa: S608 -- whatever a file or a user brings into a query passes through `_sql.quoted` or `_sql.named` first

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.request import Request, memory_bytes
from assay.results import counted
from assay.sources.ambiguity import with_clusters
from assay.sources.assembly import columns_used
from assay.sources.column_data import LEAST_MEMORY
from assay.sources.column_inference import infer
from assay.sources.column_roles import ONLY_MODEL, ModelColumns, Roles, of_relation
from assay.sources.engine import queries
from assay.sources.files import READERS, _open_relation, notes_on, refuse_many
from assay.sources.formats.delimited import fault
from assay.sources.formats.detection import Opened, opened
from assay.sources.frames import from_frame
from assay.sources.quoting import listed, shown
from assay.sources.source_record import Reading

if TYPE_CHECKING:
    import duckdb

__all__ = ["Joined", "from_joined"]


@dataclass(frozen=True)
class Joined:
    """The predictions of all models about the cases that all of them have, and how many of its own each left behind."""

    reading: Reading
    unmatched: Mapping[str, int]


@dataclass(frozen=True)
class _Part:
    """One model's rows in the engine: a table of place, id, y_true, the design and the model's own columns."""

    model: str
    table: str
    columns: tuple[str, ...]
    roles: Roles
    rows: int

    @property
    def of_cases(self) -> dict[str, str]:
        """What is the same whichever model is asked: the role each column plays, under the name it has here."""
        used = {role: column for role, column in self.roles.used.items() if role != "id"}
        return {"y_true": self.roles.truth, **used, **({} if self.roles.by is None else {"by": self.roles.by})}


def from_joined(paths: Sequence[str | os.PathLike[str]], request: Request | None = None) -> Joined:
    """Files of one or several models each, or one file with a column of model names, as one reading with a row a case.

    Cases are those that all models have; where they are missing "pairwise", those that any has.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = Path(folder, "bayes.csv"), Path(folder, "svm.csv")
    ...     _ = one.write_text("id,target,score\\n1,0,0.2\\n2,1,0.7\\n3,1,0.4\\n")
    ...     _ = two.write_text("id,target,score\\n3,1,0.9\\n2,1,0.6\\n7,0,0.1\\n1,0,0.3\\n")
    ...     found = from_joined([one, two])
    >>> found.reading.models["svm"].score.tolist(), found.unmatched
    ([0.3, 0.6, 0.9], {'bayes': 0, 'svm': 1})
    """
    request = request or Request()
    with queries.connect(memory=max(LEAST_MEMORY, memory_bytes(request.memory))) as connection, ExitStack() as stack:
        files = [stack.enter_context(opened(path, request)) for path in paths]
        queries.confine(connection, [file.path for file in files])
        parts: list[_Part] = []
        for file in files:
            parts += _read_model_parts(connection, file, request, taken=[part.model for part in parts])
        if len(parts) < 2:
            raise InputError(f"there is only one model ({shown(parts[0].model)})", "at least two models")
        refuse_many(files[-1].name, max(part.rows for part in parts), request)
        _refuse_contradictory_cases(connection, parts)
        join = _join_all_cases if request.missing == "pairwise" else _join_common_cases
        reading = from_frame(join(connection, parts), _request_for_joined_columns(request, parts[0]))
    names = " and ".join(file.name for file in files)
    matched = reading.source.rows
    # Columns by the names they have in the first file, not by those they were given to be joined.
    source = replace(
        reading.source,
        name=names,
        format="joined",
        columns=columns_used(parts[0].roles),
        unused=parts[0].roles.left_over,
        notes=tuple(dict.fromkeys([*(note for file in files for note in notes_on(file)), *reading.source.notes])),
    )
    if len(files) == 1:
        source = replace(source, sha256=files[0].sha256)
    unmatched = {} if request.missing == "pairwise" else {part.model: part.rows - matched for part in parts}
    by = None if reading.by is None else replace(reading.by, column=str(parts[0].roles.by))
    return Joined(replace(reading, source=source, by=by), unmatched)


def _read_model_parts(
    connection: duckdb.DuckDBPyConnection, file: Opened, request: Request, taken: Sequence[str]
) -> list[_Part]:
    import duckdb

    if file.format in READERS:
        raise InputError(f"{shown(file.name)} cannot be joined", "CSV, TSV, Parquet or JSON lines")
    try:
        relation, names = _open_relation(file, connection, strict=True)
        contents = of_relation(relation, names)
        roles = _resolve_repeated_clusters(
            relation, names, infer(names, request.replace({"keep_ids": True}), contents), request
        )
        if roles.id is None:
            apart = contents.of(roles.unused)
            raise InputError(
                f"{shown(file.name)} has no column id; its columns are {listed(names)}",
                "a column that identifies the same case in every file",
                ways=[({"id": column}, p.described()) for column, p in apart.items() if 1 < p.distinct == p.rows],
            )
        return [
            _create_model_part(connection, rows, names, roles, model, f"rows_{len(taken) + place}")
            for place, (rows, model) in enumerate(_models_of_file(relation, names, roles, file, taken))
        ]
    except duckdb.Error:
        raise fault(file) or InputError(f"{shown(file.name)} cannot be read", "an intact file") from None


def _resolve_repeated_clusters(
    relation: duckdb.DuckDBPyRelation, names: Sequence[str], roles: Roles, request: Request
) -> Roles:
    """The roles after a look at which clusters repeat; that ids do not is looked at model by model."""
    unsure = next((model.certainty for model in roles.models if model.certainty is not None), None)
    if unsure is not None:
        found = f"{shown(unsure)} is a certainty, the probability of the predicted label"
        raise InputError(found, "scores of the positive class, to join files", {"ignore": unsure})
    roles = replace(roles, watched=())
    if not roles.clusters:
        return roles
    found_again = queries.repeats(queries.prepared(relation, names, roles), roles)
    settled = with_clusters(roles, found_again, request)
    # A column of patients that is the only id there is joins the files.
    ids = {"id": settled.design["id"]} if "id" in settled.design else {}
    return replace(settled, used={**settled.used, **ids}, design={r: c for r, c in settled.design.items() if r != "id"})


def _models_of_file(
    relation: duckdb.DuckDBPyRelation, names: Sequence[str], roles: Roles, file: Opened, taken: Sequence[str]
) -> Iterator[tuple[duckdb.DuckDBPyRelation, ModelColumns]]:
    """The rows of each model in a file, with its columns and a name that no other model has."""
    stem = file.name.split(".")[0]
    if roles.model is not None:
        column = names.index(roles.model) + 1
        numbered = relation.project(f"*, row_number() OVER () AS place, CAST(#{column} AS VARCHAR) AS model_name")
        seen = numbered.aggregate("model_name, min(place) AS place", "model_name").order("place")
        for name, _ in seen.fetchall():
            if name is not None:
                own = f"{stem} {name}" if name in taken else name
                yield numbered.filter(f"model_name = {queries.quoted(name)}"), replace(roles.models[0], name=own)
        return
    for model in roles.models:
        name = stem if model.name == ONLY_MODEL else model.name
        yield relation, replace(model, name=f"{stem} {name}" if name in taken else name)


def _create_model_part(
    connection: duckdb.DuckDBPyConnection,
    relation: duckdb.DuckDBPyRelation,
    names: Sequence[str],
    roles: Roles,
    model: ModelColumns,
    table: str,
) -> _Part:
    key = roles.used["id"]
    own = {f"score__{model.name}": model.score, f"pred__{model.name}": model.pred}
    own |= {f"proba__{model.name}__{label}": column for label, column in model.per_class}
    own = {alias: column for alias, column in own.items() if column is not None}
    columns = [f"{queries.id_text(relation, names.index(key) + 1)} AS id", "row_number() OVER () AS place"]
    part = _Part(model.name, table, tuple(own), roles, 0)
    wanted = part.of_cases | own
    columns += [f"#{names.index(str(column)) + 1} AS {queries.named(alias)}" for alias, column in wanted.items()]
    relation.project(", ".join(columns)).create(table)
    rows, distinct = connection.sql(f"SELECT count(*), count(DISTINCT id) FROM {table}").fetchall()[0]
    if rows > distinct:
        found = (
            f"{counted(rows - distinct, 'row')} of {shown(model.name)} have a repeated or missing id in {shown(key)}"
        )
        raise InputError(found, "one row per case and model")
    return replace(part, rows=rows)


def _refuse_contradictory_cases(connection: duckdb.DuckDBPyConnection, parts: Sequence[_Part]) -> None:
    """What is said of a case in several files must be the same in all: its truth, and what the rows are."""
    for part in parts[1:]:
        for role, column in part.of_cases.items():
            if role not in parts[0].of_cases:
                having, lacking = shown(part.model), shown(parts[0].model)
                found = f"{shown(column)} is a column of {having}, but not of {lacking}"
                raise InputError(found, "the column in both files, or in neither", {"ignore": column})
    # A case that the first lacks may be in two others.
    for first, part in combinations(parts, 2):
        for role in part.of_cases.keys() & first.of_cases.keys():
            query = (
                f"SELECT id FROM {first.table} a JOIN {part.table} b USING (id) "
                f"WHERE a.{queries.named(role)} IS DISTINCT FROM b.{queries.named(role)}"
            )
            differing = connection.sql(query).limit(1).fetchall()
            if differing:
                what = "truth" if role == "y_true" else role
                raise InputError(
                    f"case {shown(differing[0][0])} has one {what} for {shown(first.model)} and another for "
                    f"{shown(part.model)}",
                    "ids of the same cases in every file",
                )


def _join_common_cases(connection: duckdb.DuckDBPyConnection, parts: Sequence[_Part]) -> duckdb.DuckDBPyRelation:
    columns = ["p0.id", *(f"p0.{queries.named(role)}" for role in parts[0].of_cases)]
    columns += [f"p{place}.{queries.named(name)}" for place, part in enumerate(parts) for name in part.columns]
    joins = "".join(f" JOIN {part.table} p{place} USING (id)" for place, part in enumerate(parts) if place)
    relation = connection.sql(f"SELECT {', '.join(columns)} FROM {parts[0].table} p0{joins} ORDER BY p0.place")
    if not relation.limit(1).fetchall():
        found = "no id occurs in all of them"
        raise InputError(
            found, "the same cases with the same ids; for different cases use --unpaired or compare_unpaired"
        )
    return relation


def _join_all_cases(connection: duckdb.DuckDBPyConnection, parts: Sequence[_Part]) -> duckdb.DuckDBPyRelation:
    """The same of all cases that any model has; what another has not is missing."""
    having = {
        role: [f"p{place}.{queries.named(role)}" for place, part in enumerate(parts) if role in part.of_cases]
        for role in parts[0].of_cases
    }
    columns = ["id", *(f"coalesce({', '.join(each)}) AS {queries.named(role)}" for role, each in having.items())]
    columns += [f"p{place}.{queries.named(name)}" for place, part in enumerate(parts) for name in part.columns]
    joins = "".join(f" FULL JOIN {part.table} p{place} USING (id)" for place, part in enumerate(parts) if place)
    order = ", ".join(f"p{place}.place NULLS LAST" for place in range(len(parts)))
    return connection.sql(f"SELECT {', '.join(columns)} FROM {parts[0].table} p0{joins} ORDER BY {order}")


def _request_for_joined_columns(request: Request, first: _Part) -> Request:
    """The same request about columns that now have names of their own."""
    kept = {name: getattr(request, name) for name in ("positive", "classes", "missing", "default_class", "decimal")}
    of_cases = {role: role for role in first.of_cases if role != "y_true"}
    return Request.of({"truth": "y_true", "id": "id", "keep_ids": request.keeps_ids, **kept, **of_cases})
