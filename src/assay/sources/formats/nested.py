"""Tables whose values are lists or objects, and tables in other programs' files: as plain rows, an object on each line.

Lists of probabilities get a column for each class, one-hot true labels become one column, and JSON of whole columns or
with the rows inside it becomes rows. Databases of SQLite and files of Stata and SPSS are read a row at a time.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import gzip
import io
import json
import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.request import Request
from assay.sources.column_names import NAMES, folded, named_as
from assay.sources.conversion import softmax
from assay.sources.formats.compression import memory, temporary_copy
from assay.sources.formats.delimited import layout
from assay.sources.formats.detection import Opened
from assay.sources.quoting import listed, shown
from assay.sources.sqlite import refuse_queries

__all__ = ["unfolded"]

Row = dict[str, Any]
# What a column of lists of scores is called, probabilities before logits.
OF_PROBABILITIES = (
    *("probs", "probabilities", "probas", "prob", "proba", "probability", "yprob", "yproba", "predproba", "predprobs"),
    *("predictedprobabilities", "classprobabilities", "predictedlabelprobs", "softmax", "scores", "score", "yscore"),
    *("predictproba", "topk", "predictions", "prediction", "output", "outputs"),
)
OF_LOGITS = ("logits", "logit")
LABELS, SCORES = (
    ("label", "class", "name", "category"),
    ("score", "prob", "probability", "proba", "confidence", "value"),
)
TRUTHS = ("y_true", "true", "truth", "actual", "target", "gt", "label", "y")
OF_CLASSES = ("y_score", "y_prob", "y_proba", "prob", "proba", "pred_proba", "probability", "score", "logit", "p")
# What torch and numpy write around a list.
WRAPPED = re.compile(r"(?:tensor|array)\((\[.*?\])(?:, *(?:dtype|device|grad_fn)=[^)]*)?\)", re.DOTALL)
SCALAR = re.compile(r"(?:np|numpy)\.(?:float|int)\d+\(([^()]*)\)")
VECTOR = re.compile(r"\[\s*([-+.\deE]+(?:[\s,]+[-+.\deE]+)*)[\s,]*\]")
NUMBERED = re.compile(r"LABEL_(\d+)")
LONGEST_LIST = 100_000
MOST_LISTED = 1_000
SHARE_OF_MEMORY = 8


def unfolded(file: Opened, request: Request, stack: contextlib.ExitStack) -> Opened:
    """Return the file, or a copy of it as plain rows where it holds a table in another form."""
    if file.format in READERS:
        return _rows_as_json_lines(
            file, READERS[file.format](file, request), ("rows of plain values",), stack, is_read=True
        )
    if file.format == "jsonl":
        return _flatten_json(file, request, stack)
    if file.format in ("csv", "tsv"):
        return _flatten_delimited(file, request, stack)
    return _flatten_parquet(file, request, stack) if file.format == "parquet" else file


def _rows_as_json_lines(
    file: Opened, rows: Iterable[Row], notes: Sequence[str], stack: contextlib.ExitStack, *, is_read: bool = False
) -> Opened:
    """The rows as a file of their own, an object on each line."""
    path, append = stack.enter_context(temporary_copy())
    head = b""
    for row in rows:
        line = json.dumps(row, default=str).encode() + b"\n"
        head += line if len(head) < len(line) + 65536 else b""
        append(line)
    if not head:
        raise InputError(f"{shown(file.name)} holds no rows", "at least one row")
    more = file.notes if is_read else (*file.notes, *notes)
    return replace(file, path=path, format="jsonl", gzipped=False, head=head, notes=more)


# JSON


def _flatten_json(file: Opened, request: Request, stack: contextlib.ExitStack) -> Opened:
    first = _first_object(file.head)
    if first is not None and not any(isinstance(value, list | dict) for value in first.values()):
        return file
    if file.path.stat().st_size > memory() // SHARE_OF_MEMORY:
        return file
    with gzip.open(file.path) if file.gzipped else file.path.open("rb") as stream:
        text = stream.read()
    try:
        rows, notes = _parse_json_rows(text)
    except (ValueError, RecursionError):
        return file  # the reader of JSON lines says what is wrong with it
    if rows is None or not rows:
        return file
    flat = [dict(_flatten_row(row)) for row in rows]
    if not notes and all(one.keys() == row.keys() for one, row in zip(flat, rows, strict=True)):
        notes = []
    return _expand_score_lists(file, flat, notes, request, stack, is_whole=True)


def _first_object(head: bytes) -> Row | None:
    """The first object in a file, where its beginning holds all of it."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    text = text[1:].lstrip() if text.startswith("[") else text
    try:
        found, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> Row:
    names = [name for name, _ in pairs]
    if len({*names}) < len(names):
        # The reader of JSON lines says in which row.
        raise InputError("a name is there twice", "one value for each name")
    return dict(pairs)


def _parse_json_rows(text: bytes) -> tuple[list[Row] | None, list[str]]:
    """The rows of a text in JSON, and what was done to find them; none where it holds no table."""
    plain = text.decode("utf-8-sig")
    try:
        whole = json.loads(plain, object_pairs_hook=_refuse_duplicate_keys)
    except json.JSONDecodeError:
        lines = (line for line in plain.splitlines() if line.strip())
        whole = [json.loads(line, object_pairs_hook=_refuse_duplicate_keys) for line in lines]
    if isinstance(whole, list):
        return (whole if all(isinstance(row, dict) for row in whole) else None), []
    return _object_rows(whole) if isinstance(whole, dict) else (None, [])


def _object_rows(whole: Row) -> tuple[list[Row] | None, list[str]]:
    """The rows of one object: of columns, of rows by their names, or with the rows inside it."""
    names, rows = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(rows, list) and {*whole} <= {"columns", "index", "data", "index_names"}:
        return [dict(zip(map(str, names), row, strict=True)) for row in rows], []
    if isinstance(rows, list) and "schema" in whole and all(isinstance(row, dict) for row in rows):
        return rows, []
    values = list(whole.values())
    if values and all(isinstance(value, dict) for value in values) and len({tuple(value) for value in values}) == 1:
        return _rows_by_name(whole), []
    lengths = {len(value) for value in values if isinstance(value, list)}
    if len(values) > 1 and len(lengths) == 1 and all(isinstance(value, list) for value in values):
        return [dict(zip(whole, row, strict=True)) for row in zip(*values, strict=True)], []
    inside = [name for name, value in whole.items() if _is_list_of_objects(value)]
    return (whole[inside[0]], [f"the rows in {inside[0]}"]) if len(inside) == 1 else (None, [])


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(row, dict) for row in value)


def _rows_by_name(whole: Mapping[str, Row]) -> list[Row] | None:
    """The rows of objects in an object, of which either names the columns: pandas writes columns of rows."""
    inner = next(iter(whole.values()))
    outer_tells, inner_tells = ([name for name in names if _is_role_name(name)] for names in (whole, inner))
    if inner_tells and not outer_tells:
        return list(whole.values())
    return [{name: of[key] for name, of in whole.items()} for key in inner]


def _is_role_name(name: str) -> bool:
    return any(folded(name) in names for names in NAMES.values())


def _flatten_row(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values of a row, those of objects in it by their own names where no other value has them."""
    inner = [name for value in row.values() if isinstance(value, dict) for name in value]
    for name, value in row.items():
        if isinstance(value, dict) and not _is_class_score_object(value) and value:
            for key, each in _flatten_row(value):
                is_only = inner.count(key) == 1 and key not in row
                yield (key if is_only else f"{name}.{key}"), each
        else:
            yield name, value


def _is_class_score_object(value: Mapping[str, Any]) -> bool:
    """Whether an object holds a score for each class."""
    return (
        len(value) > 1
        and all(_is_number(one) for one in value.values())
        and math.isclose(sum(value.values()), 1, abs_tol=0.01)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Lists of scores


def _scores_by_class(value: Any) -> Row | None:
    """The scores in a value by class, those of a list by place; None where it holds none."""
    if isinstance(value, str):
        value = _parse_list_text(value)
    if isinstance(value, dict):
        return {str(name): one for name, one in value.items()} if _is_class_score_object(value) else None
    if not isinstance(value, list) or not 2 <= len(value) <= MOST_LISTED:
        return None
    if all(map(_is_number, value)):
        return {str(place): one for place, one in enumerate(value)}
    return _label_score_pairs(value) if all(isinstance(one, dict) for one in value) else None


def _label_score_pairs(items: Sequence[Row]) -> Row | None:
    """The scores of a pipeline's answer, which names a label beside each."""
    label = next((name for name in LABELS if all(name in one for one in items)), None)
    score = next((name for name in SCORES if all(_is_number(one.get(name)) for one in items)), None)
    if label is None or score is None:
        return None
    found = {str(one[label]): one[score] for one in items}
    numbered = [NUMBERED.fullmatch(name) for name in found]
    if all(numbered):
        found = {match[1]: one for match, one in zip(numbered, found.values(), strict=True) if match}
    return found if len(found) == len(items) else None


def _parse_list_text(text: str) -> Any:
    """A text as the list or the object that it writes, as JSON, Python, numpy or torch do; None where it is none."""
    text = text.strip()
    if text[:1] not in ("[", "{", "t", "a") or len(text) > LONGEST_LIST:
        return None
    wrapped = WRAPPED.fullmatch(text)
    text = SCALAR.sub(r"\1", wrapped[1] if wrapped else text)
    if text[:1] not in ("[", "{"):
        return None
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    if vector := VECTOR.fullmatch(text):
        with contextlib.suppress(ValueError):
            return [float(each) for each in re.split(r"[\s,]+", vector[1])]
    with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        return ast.literal_eval(text)
    return None


def _score_list_column(names: Iterable[str], first: Mapping[str, Any]) -> str | None:
    """The column whose values are lists of scores, probabilities before logits."""
    by_name = {folded(name): name for name in reversed([*names])}
    order = [by_name[each] for each in (*OF_PROBABILITIES, *OF_LOGITS) if each in by_name]
    return next((name for name in order if _scores_by_class(first.get(name)) is not None), None)


def _score_column_prefix(column: str, scores: Row) -> str:
    is_share = all(0 <= one <= 1 for one in scores.values())
    # Of two classes neither logit by itself orders the cases: their difference does, and so does its probability.
    return "prob" if (is_share and folded(column) not in OF_LOGITS) or len(scores) == 2 else "logit"


def _expand_score_lists(
    file: Opened,
    rows: Iterable[Row],
    notes: list[str],
    request: Request,
    stack: contextlib.ExitStack,
    *,
    is_whole: bool = False,
) -> Opened:
    """The file with a column for each class in place of lists of scores and of one-hot true labels."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return file
    column = _score_list_column(first, first)
    hot = _one_hot_columns([*first]) if request.truth is None and not request.score else None
    if column is None and hot is None and not (notes or is_whole):
        return file
    every = _prepend_row(first, rows)
    if column is not None:
        scores = _scores_by_class(first[column])
        assert scores is not None
        names = _class_list_column(first, column, len(scores))
        every = _expand_score_column(file, every, column, scores, names, request)
        single = column in request.score
        notes = [*notes, f"{column} as {column if single else f'{_score_column_prefix(column, scores)}_<class>'}"]
    if hot is not None:
        held = list(every)
        if all(_hot_label(row, hot) is not None for row in held):
            notes = [*notes, f"{len(hot)} one-hot columns as y_true"]
            held = [_add_one_hot_truth(row, hot) for row in held]
        elif column is None and not (notes or is_whole):
            return file
        every = iter(held)
    return _rows_as_json_lines(file, every, notes, stack)


def _prepend_row(first: Row, rows: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rows


def _class_list_column(first: Row, column: str, count: int) -> tuple[str, list[str]] | None:
    """The column that lists the classes in the order of the scores, and these; None where no other does."""
    for name, value in first.items():
        found = _parse_list_text(value) if isinstance(value, str) else value
        is_list = isinstance(found, list) and len(found) == count and all(isinstance(each, str) for each in found)
        if name != column and is_list and len({*found}) == count:
            return name, found
    return None


def _expand_score_column(
    file: Opened, rows: Iterable[Row], column: str, first: Row, names: tuple[str, list[str]] | None, request: Request
) -> Iterator[Row]:
    """The rows with the scores of a column of lists each in a column of its own."""
    classes, stem = {*first}, _score_column_prefix(column, first)
    single = column in request.score and len(first) == 2
    are_logits = len(first) == 2 and (folded(column) in OF_LOGITS or not all(0 <= one <= 1 for one in first.values()))
    for place, row in enumerate(rows, 1):
        value = row[column]
        if names is not None and _class_list_column(row, column, len(first)) != names:
            found = f"row {place:,} of {shown(file.name)}: {shown(names[0])} holds {shown(str(row[names[0]]))}"
            raise InputError(found, f"the same classes in every row: {listed(names[1])}")
        scores = _scores_by_class(value)
        if value is not None and (scores is None or {*scores} != classes):
            found = f"row {place:,} of {shown(file.name)}: {shown(column)} holds {shown(str(value))}"
            raise InputError(found, f"a list of {len(classes)} numbers in every row, as in the first")
        kept = {name: each for name, each in row.items() if name != column and (names is None or name != names[0])}
        values = scores or dict.fromkeys(first)
        if scores and are_logits:
            values = dict(zip(first, softmax([scores[name] for name in first]).tolist(), strict=True))
        if single:
            yield {**kept, column: [*values.values()][-1]}
        else:
            called = first if names is None else dict(zip(first, names[1], strict=True))
            yield {**kept, **{f"{stem}_{called[key] if names else key}": values[key] for key in first}}


# One-hot true labels


def _one_hot_columns(names: Sequence[str]) -> dict[str, str] | None:
    """The columns that may hold one-hot true labels by their classes: those for which there are scores of as many."""
    for stem in TRUTHS:
        hot = _columns_by_prefix(names, stem)
        if len(hot) < (2 if stem != "y" else 3) or named_as("truth", names):
            continue
        if any({*_columns_by_prefix(names, each)} == {*hot} for each in OF_CLASSES):
            return {column: name for name, column in hot.items()}
    return None


def _columns_by_prefix(names: Sequence[str], stem: str) -> dict[str, str]:
    pattern = re.compile(rf"{stem}[_. -](.+)", re.IGNORECASE)
    return {match[1]: name for name in names if (match := pattern.fullmatch(name))}


def _hot_label(row: Row, hot: Mapping[str, str]) -> str | None:
    """The class whose column alone holds 1; None where no column or several do."""
    values = {column: str(row.get(column)).strip().lower() for column in hot}
    ones = [column for column, text in values.items() if text in ("1", "1.0", "true")]
    zeros = sum(text in ("0", "0.0", "false") for text in values.values())
    return hot[ones[0]] if len(ones) == 1 and zeros == len(hot) - 1 else None


def _add_one_hot_truth(row: Row, hot: Mapping[str, str]) -> Row:
    return {"y_true": _hot_label(row, hot), **{name: each for name, each in row.items() if name not in hot}}


# Tables


def _flatten_delimited(file: Opened, request: Request, stack: contextlib.ExitStack) -> Opened:
    """A table in text, where a column holds lists of scores or several hold one-hot true labels."""
    try:
        found = layout(file)
    except InputError:
        return file  # which its reader says
    names = [name for name in found.names if name]
    may_list = any(folded(name) in (*OF_PROBABILITIES, *OF_LOGITS) for name in names)
    if not (may_list and re.search(rb"[\[{]", file.head)) and _one_hot_columns(names) is None:
        return file
    if len({*found.names}) < len(found.names) or file.path.stat().st_size > memory() // SHARE_OF_MEMORY:
        return file

    def rows() -> Iterator[Row]:
        with gzip.open(file.path) if file.gzipped else file.path.open("rb") as stream:
            text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
            for _ in range(found.skipped):
                text.readline()
            lines = csv.reader(text, delimiter=found.delimiter)
            next(lines, None)
            for cells in lines:
                if len(cells) != len(found.names):
                    if not cells:
                        continue
                    raise csv.Error
                yield {n: c if c != "" else None for n, c in zip(found.names, cells, strict=True) if n}

    with contextlib.suppress(csv.Error, UnicodeDecodeError):  # which the reader of tables says
        return _expand_score_lists(file, rows(), [], request, stack)
    return file


def _flatten_parquet(file: Opened, request: Request, stack: contextlib.ExitStack) -> Opened:
    """A Parquet file with lists or objects in a column of scores."""
    import duckdb

    path = str(file.path).replace("'", "''")
    try:
        with duckdb.connect() as connection:
            found = connection.execute(f"SELECT * FROM read_parquet('{path}', hive_partitioning = false)")  # noqa: S608
            kinds = {name: str(kind) for name, kind, *_ in found.description or ()}
            scores = (*OF_PROBABILITIES, *OF_LOGITS)
            nested = [name for name, kind in kinds.items() if folded(name) in scores and kind.endswith("]")]
            if not nested or file.path.stat().st_size > memory() // SHARE_OF_MEMORY:
                return file
            columns = list(kinds)

            def rows() -> Iterator[Row]:
                while batch := found.fetchmany(10_000):
                    yield from (dict(zip(columns, map(_tuples_as_lists, row), strict=True)) for row in batch)

            return _expand_score_lists(file, rows(), [], request, stack)
    except duckdb.Error:
        return file  # which the reader of Parquet says


def _tuples_as_lists(value: Any) -> Any:
    return list(map(_tuples_as_lists, value)) if isinstance(value, list | tuple) else value


# Other programs' files


def _read_sqlite_rows(file: Opened, request: Request) -> Iterator[Row]:
    """The rows of a table in a database of SQLite: of the only one, or of that which is named."""
    needed = f"a database of plain tables, or the table as CSV: sqlite3 -header -csv {file.name!r}"
    try:
        with contextlib.closing(sqlite3.connect(f"{file.path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            refuse_queries(connection.execute, file.name, needed)
            query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
            tables = [name for (name,) in connection.execute(query)]
            yield from _table_rows(connection, _choose_table(file, tables, request.table))
    except sqlite3.Error:
        raise InputError(f"{shown(file.name)} is an SQLite database that is damaged", "the whole file") from None


def _choose_table(file: Opened, tables: Sequence[str], wanted: str | None) -> str:
    if not tables:
        raise InputError(f"{shown(file.name)} is an SQLite database without tables", "a table of predictions")
    if wanted is None and len(tables) > 1:
        found = f"{shown(file.name)} has {len(tables)} tables ({listed(tables)})"
        raise InputError(found, "which one", ways=[({"table": name}, "") for name in tables[:12]])
    if wanted is not None and wanted not in tables:
        found = f"{shown(file.name)} has no table {shown(wanted)}; its tables are {listed(tables)}"
        raise InputError(found, "a table that it has", {"table": tables[0]})
    return wanted or tables[0]


def _table_rows(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    found = connection.execute(f'SELECT * FROM "{table.replace(chr(34), chr(34) * 2)}"')  # noqa: S608
    names = [each[0] for each in found.description]
    for row in found:
        yield dict(zip(names, row, strict=True))


def _pandas_reader(reader: str) -> Callable[[Opened, Request], Iterator[Row]]:
    def rows(file: Opened, request: Request) -> Iterator[Row]:
        import pandas

        try:
            frame = getattr(pandas, reader)(Path(file.path))
        except Exception as error:  # what may go wrong in a damaged file has no end of kinds
            raise InputError(f"{shown(file.name)} cannot be read by pandas.{reader}", "the whole file") from error
        texts = frame.astype(object).where(frame.notna(), None)
        for row in texts.itertuples(index=False, name=None):
            yield dict(zip(map(str, frame.columns), (_native_value(value) for value in row), strict=True))

    return rows


def _native_value(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


READERS: dict[str, Callable[[Opened, Request], Iterator[Row]]] = {
    "sqlite": _read_sqlite_rows,
    "stata": _pandas_reader("read_stata"),
    "spss": _pandas_reader("read_spss"),
}
