"""A stream left off, as a file: what is needed to go on as if nothing had happened, whole or not there."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.evidence import differing_field
from assay.output_files import write_all
from assay.sources import shown

__all__ = ["load_checkpoint", "save_checkpoint"]

MAGIC = b"assay stream checkpoint "
VERSION = 1
ARRAY = "#array"
HEADER = "header"
NEEDED = "a checkpoint that assay stream wrote, or the path of a new one"


def save_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state of plain values and arrays: the old file is there or the new one, whenever it is stopped.

    What a state holds is evidence: counts, sums, the scores that views need, moments, and the predictions that wait
    for their label under their ids. Rows are in it only as far as a window holds them by its nature, as codes of
    classes and scores: no other column of what was read. Nothing in the file is code, and a checksum covers all of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(Path(folder, "stream.state"), {"events": 3, "counts": [np.arange(3), {"a": np.nan}]})
    ...     load_checkpoint(Path(folder, "stream.state"))
    {'events': 3, 'counts': [array([0, 1, 2]), {'a': nan}]}
    """
    arrays: dict[str, NDArray[Any]] = {}
    header = json.dumps(_without_arrays(state, arrays), ensure_ascii=True).encode()
    packed = io.BytesIO()
    np.savez(packed, **{HEADER: np.frombuffer(header, np.uint8)}, **arrays)  # type: ignore[arg-type]
    data = packed.getvalue()
    differing = differing_field(state, _unpacked(data), "state")
    if differing is not None:
        raise InputError(
            f"the checkpoint would not be read back as it is: {differing} differs", "a report of this error"
        )
    write_all({path: MAGIC + f"{VERSION} {_checksum(data)}\n".encode() + data})


def load_checkpoint(path: Path) -> dict[str, Any] | None:
    """The state in a file; None where there is no file, and a sentence where it is no checkpoint or a damaged one."""
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{shown(path)} cannot be read: {(error.strerror or 'it failed').lower()}", NEEDED) from None
    first, data = (*whole.split(b"\n", 1), b"")[:2]
    if not first.startswith(MAGIC):
        raise InputError(f"{shown(path)} is no checkpoint of a stream", NEEDED)
    version, checksum = (*first[len(MAGIC) :].split(b" ", 1), b"")[:2]
    if version != str(VERSION).encode():
        found = f"{shown(path)} is a checkpoint of version {shown(version.decode('ascii', 'replace'))}"
        raise InputError(found, f"version {VERSION}, or the path of a new one")
    if checksum != _checksum(data).encode():
        raise damaged(path)
    try:
        return _unpacked(data)
    except Exception as error:
        # The header of an array is a piece of Python to numpy, and what may go wrong with it has no end of kinds.
        raise damaged(path) from error


def damaged(path: Path) -> InputError:
    """What to say of a checkpoint that does not hold what it should."""
    return InputError(f"{shown(path)} is a checkpoint that is damaged", NEEDED)


def _unpacked(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        if sum(member.file_size for member in members.infolist()) > len(data):
            raise zipfile.BadZipFile  # what is written here is not compressed: this would fill the memory
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    if any(array.dtype.kind not in "biufU" or not array.dtype.itemsize for array in arrays.values()):
        raise zipfile.BadZipFile("a state has no such values")
    found: dict[str, Any] = _with_arrays(json.loads(arrays[HEADER].tobytes()), arrays)
    return found


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _without_arrays(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """The same with every array put aside and its name in its place."""
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {ARRAY: name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {key: _without_arrays(each, arrays) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_arrays(each, arrays) for each in value]
    return value


def _with_arrays(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        if value.keys() == {ARRAY}:
            return arrays[value[ARRAY]]
        return {key: _with_arrays(each, arrays) for key, each in value.items()}
    return [_with_arrays(each, arrays) for each in value] if isinstance(value, list) else value
