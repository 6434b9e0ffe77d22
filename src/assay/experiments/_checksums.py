"""What a store holds of a cell or a data set, checked before it is believed: a checksum, or the shape of every part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from assay.errors import InputError
from assay.experiments._database import CELL, COSTS
from assay.experiments._packed import PredictedRows

STATES = ("todo", "running", "done", "failed")
CHECKED = ("key", *CELL, "status", *COSTS, "predictions", "error", "warnings")


def checksum_of(row: Mapping[str, Any]) -> str:
    """A fingerprint of a row's names and values: any other value of any column gives another one.

    >>> one = {"key": "a", "fold": 1}
    >>> checksum_of(one) == checksum_of({"fold": 1, "key": "a"}), checksum_of(one) == checksum_of({**one, "fold": 2})
    (True, False)
    """
    digest = hashlib.sha256()
    for name in sorted(row):
        value = row[name]
        said = bytes(value) if isinstance(value, bytes | memoryview) else repr(value).encode("utf-8", "surrogatepass")
        digest.update(f"{name} {len(said)} ".encode())
        digest.update(said)
    return digest.hexdigest()


def is_whole(cell: Mapping[str, Any]) -> bool:
    """Whether a cell that ended is as it was written; without a checksum, whether it can be read at all."""
    if cell["status"] not in STATES:
        return False
    if cell["status"] not in STATES[2:]:
        return True
    if cell.get("checksum") is not None:
        return bool(cell["checksum"] == checksum_of({name: cell[name] for name in CHECKED}))
    return _has_its_types(cell) and (cell["status"] == "failed" or _can_be_read(cell["predictions"]))


def _has_its_types(cell: Mapping[str, Any]) -> bool:
    kinds: dict[str, Any] = dict.fromkeys(("key", "dataset", "learner", "data_hash"), str) | {
        "repeat": int,
        "fold": int,
    }
    kinds["error" if cell["status"] == "failed" else "train_cases"] = str if cell["status"] == "failed" else int
    costs = all(cell[name] is None or isinstance(cell[name], float | int) for name in COSTS)
    return costs and all(isinstance(cell[name], kind) for name, kind in kinds.items())


def _can_be_read(packed: Any) -> bool:
    try:
        PredictedRows.unpacked(packed)
    except InputError:
        return False
    return True


def truth_of(row: Mapping[str, Any]) -> tuple[tuple[str, ...], PredictedRows] | None:
    """The classes of a data set and the true one of every row, or None where what is held is damaged."""
    held = {name: row[name] for name in ("hash", "classes", "target")}
    if row.get("checksum") is not None and row["checksum"] != checksum_of(held):
        return None
    try:
        classes, rows = json.loads(row["classes"]), PredictedRows.unpacked(row["target"])
    except (InputError, TypeError, ValueError, RecursionError):
        return None
    named = isinstance(classes, list) and len(classes) > 1 and all(isinstance(each, str) for each in classes)
    # Every case is of some class: only a learner may hand one on.
    known = named and rows.fits(len(rows.rows), len(classes)) and int(rows.label.max()) < len(classes)
    return (tuple(classes), rows) if known else None
