"""Rows with a score and no truth, to draw a sample of them; and the file of a sample that somebody labelled."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.request import Request
from assay.results import counted
from assay.sources.column_data import LEAST_MEMORY
from assay.sources.column_names import NAMES, close, existing, folded, named_as, which
from assay.sources.engine import queries
from assay.sources.files import READERS, _open_relation
from assay.sources.formats.delimited import fault
from assay.sources.formats.detection import opened
from assay.sources.labels import MISSING, id_texts
from assay.sources.quoting import listed, shown
from assay.types import Floats, Texts

__all__ = ["LabelFile", "ScoredRows", "read_label_file", "read_scored"]

# How a spreadsheet is kept from running a text as a formula, as this package writes it.
GUARD = "'"
CHANCE, RECIPE = "inclusionprobability", "design"


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows with a score each, what they are called, and predicted labels where there are such."""

    name: str
    format: str
    score: Floats
    id: Texts | None = None
    pred: Texts | None = None
    columns: tuple[tuple[str, str], ...] = ()
    sha256: str | None = None

    def __len__(self) -> int:
        return len(self.score)

    @property
    def digest(self) -> str:
        """A hash of the ids, whatever their order.

        >>> one, two = (ScoredRows("", "", np.zeros(2), id_texts(ids)) for ids in (["a", "b"], ["b", "a"]))
        >>> one.digest == two.digest
        True
        """
        if self.id is None:
            return ""
        total = 0
        for text in self.id.tolist():
            total += int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        return f"{total % (1 << 64):016x}"

    @property
    def order(self) -> Any:
        """The places of the rows by score, and by id where scores tie: the same however the rows lie."""
        first = np.arange(len(self)) if self.id is None else np.argsort(self.id, kind="stable")
        return first[np.argsort(self.score[first], kind="stable")]


@dataclass(frozen=True)
class LabelFile:
    """A file of drawn rows: their ids, their labels (empty where there is none), and how they were drawn."""

    name: str
    id: tuple[str, ...]
    label: tuple[str, ...]
    design: str


def read_scored(data: Any, *, score: str | None = None, pred: str | None = None, id: Any = None) -> ScoredRows:  # noqa: A002
    """Return the scores in an array, a data frame or a file, with the ids of the rows.

    >>> read_scored([0.2, 0.7], id=["a", "b"]).id.tolist()
    ['a', 'b']
    """
    if isinstance(data, str | os.PathLike):
        return _scored_rows_of_file(data, score, pred, id)
    if hasattr(type(data), "columns") or hasattr(data, "column_names"):
        return _scored_rows_of_frame(data, score, pred, id)
    try:
        values = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("the scores are not numbers", "an array of scores, a data frame or a file") from None
    if values.ndim != 1 or not len(values):
        raise InputError(f"the scores have shape {values.shape}", "one score for each row")
    ids = None if id is None else id_texts(np.asarray(id))
    return _checked_rows(ScoredRows("arrays", "arrays", values, ids, columns=(("score", "y_score"),)))


def _scored_rows_of_frame(frame: Any, score: str | None, pred: str | None, id: str | None) -> ScoredRows:  # noqa: A002
    import narwhals as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        found = f"a {type(frame).__name__} is not a data frame in memory"
        raise InputError(found, "a data frame that narwhals supports, such as pandas") from error
    names = [str(name) for name in table.columns]
    used = _role_columns(names, score, pred, id)
    values = {role: table[:, names.index(column)] for role, column in used.items()}
    try:
        numbers = values["score"].cast(nw.Float64).to_numpy()
    except Exception:  # each library raises its own
        raise InputError(f"{shown(used['score'])} holds no numbers", "a column of scores") from None
    texts: dict[str, Any] = {role: id_texts(values[role].to_list()) for role in ("id", "pred") if role in values}
    implementation = str(table.implementation).lower()
    return _checked_rows(ScoredRows("frame", implementation, numbers, columns=tuple(used.items()), **texts))


def _scored_rows_of_file(
    path: str | os.PathLike[str],
    score: str | None,
    pred: str | None,
    id: str | None,  # noqa: A002 -- the name of the option
) -> ScoredRows:
    names, columns, name, form, sha256 = _read_text_columns(path, lambda names: _role_columns(names, score, pred, id))
    texts = {role: id_texts(values) for role, values in columns.items() if role != "score"}
    numbers = _parse_scores(columns["score"], names["score"])
    return _checked_rows(ScoredRows(name, form, numbers, columns=tuple(names.items()), sha256=sha256, **texts))


def _role_columns(names: Sequence[str], score: str | None, pred: str | None, id: str | None) -> dict[str, str]:  # noqa: A002
    """Which column is the score, which the id, and which the predicted label if one was named."""
    scores = named_as("score", names)
    found = existing(names, "score", score) if score is not None else which("score", scores)
    if found is None:
        ways = [({"score": column}, "") for column in names[:6]]
        raise InputError(
            f"no column of scores found; the columns are {listed(names)}", "the column of scores", ways=ways
        )
    used = {"score": found}
    if pred is not None:
        used["pred"] = existing(names, "pred", pred)
    ids = [existing(names, "id", id)] if id is not None else [c for c in names if folded(c) in NAMES["id"]][:1]
    return used | ({"id": ids[0]} if ids else {})


def _read_text_columns(
    path: str | os.PathLike[str], roles: Any
) -> tuple[dict[str, str], dict[str, Any], str, str, str]:
    """Some columns of a file as texts, by the roles they play."""
    import duckdb

    with queries.connect(memory=LEAST_MEMORY) as connection, opened(path, Request()) as file:
        if file.format in READERS:
            raise InputError(f"{shown(file.name)} cannot be read here", "CSV, TSV, Parquet or JSON lines")
        queries.confine(connection, [file.path])
        try:
            relation, names = _open_relation(file, connection, strict=True)
            used = roles(list(names))
            places = {role: names.index(column) + 1 for role, column in used.items()}
            wanted = [
                f"{f'CAST(#{place} AS VARCHAR)' if role != 'id' else queries.id_text(relation, place)} AS {role}"
                for role, place in places.items()
            ]
            columns = relation.project(", ".join(wanted)).fetchnumpy()
        except duckdb.Error:
            raise fault(file) or InputError(f"{shown(file.name)} cannot be read", "an intact file") from None
        texts: dict[str, Any] = {
            role: np.ma.filled(np.ma.asarray(columns[role], dtype=object), None) for role in places
        }
        return used, texts, file.name, file.format, file.sha256


def _parse_scores(texts: Any, column: str) -> Floats:
    try:
        return np.array([np.nan if text is None else float(text) for text in texts.tolist()], dtype=np.float64)
    except ValueError as error:
        raise InputError(
            f"{shown(column)} holds {str(error).rsplit(':', 1)[-1].strip()}", "a column of numbers"
        ) from None


def _checked_rows(rows: ScoredRows) -> ScoredRows:
    if not len(rows):
        raise InputError(f"{shown(rows.name)} holds no rows", "at least one row")
    if not np.isfinite(rows.score).all():
        row = int(np.isfinite(rows.score).argmin())
        raise InputError(f"row {row + 1:,}: the score is missing or infinite", "a finite score for every row")
    if rows.id is not None and len(rows.id) != len(rows):
        raise InputError(f"there are {len(rows):,} scores, but {len(rows.id):,} ids", "an id for every score")
    if rows.id is not None:
        texts = rows.id.tolist()
        again = len(texts) - len(set(texts))
        if again or "" in texts:
            raise InputError(f"{counted(again, 'row')} have a repeated or missing id", "a unique id for every row")
    return rows


def read_label_file(path: str | os.PathLike[str], truth: str | None = None) -> LabelFile:
    """Return the file that `assay sample` wrote, however a spreadsheet left it: sorted anew, with more columns."""

    def roles(names: Sequence[str]) -> dict[str, str]:
        by_name = {folded(name): name for name in reversed(list(names))}
        ids = named_as("id", names)
        labels = [existing(names, "truth", truth)] if truth is not None else named_as("truth", names)
        lacking = [
            what for what, found in (("id", ids), ("y_true", labels), (RECIPE, by_name.get(RECIPE))) if not found
        ]
        if lacking:
            near = close(lacking[0], names)
            hint = f" (is it {shown(near)}?)" if near is not None else ""
            found = f"the file of labels has no column {lacking[0]}{hint}; its columns are {listed(names)}"
            raise InputError(found, "the file written by assay sample, with the columns id, y_true and design")
        return {"id": ids[0], "label": labels[0], "design": by_name[RECIPE]}

    _, columns, name, _, _ = _read_text_columns(path, roles)
    ids = ["" if text is None else text.removeprefix(GUARD) for text in columns["id"].tolist()]
    labels = ["" if text is None or text.strip().casefold() in MISSING else text.strip() for text in columns["label"]]
    designs = {text.strip() for text in columns["design"].tolist() if text is not None and text.strip()}
    if len(designs) != 1:
        found = f"the column design of {shown(name)} holds {counted(len(designs), 'different text')}"
        raise InputError(found, "the value of one sample, as written by assay sample, in every row")
    pairs = [(each, label) for each, label in zip(ids, labels, strict=True) if each]
    if len({each for each, _ in pairs}) < len(pairs):
        raise InputError(f"{shown(name)} has repeated ids", "one row per drawn row")
    return LabelFile(name, tuple(each for each, _ in pairs), tuple(label for _, label in pairs), designs.pop())
