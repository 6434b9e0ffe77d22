"""Evidence as a file: a zip archive of one JSON header and plain numpy arrays, the same bytes for the same evidence."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources.formats.compression import UnpackingLimit

__all__ = ["FORMAT", "HEADER", "MARK", "VERSION", "is_evidence", "packed", "unpacked"]

FORMAT, VERSION = "assay.evidence", 2
HEADER = "evidence.json"
MARK = b"PK\x03\x04"
LAST_RECORD = b"PK\x05\x06"
# What an archive may hold when it is unpacked; some 40 million cells.
MOST_BYTES = 1 << 29
MOST_ARRAYS = 200_000
# A header of so many bytes describes a hundred thousand sites.
MOST_HEADER = 1 << 25
# The date that an archive has to give each file: the first that there is.
EPOCH = (1980, 1, 1, 0, 0, 0)
WHOLE = "the file as written by assay reduce or assay merge"
# The last bytes of a file: the SHA-256 of all before them, so that no bit changes unseen, wherever in it that is.
# Other programs that pack an archive may leave it out.
SEAL = b"sha256 "
SEALED = len(SEAL) + 64
DTYPES = tuple(np.dtype(name) for name in ("u1", "<u2", "<u4", "<u8", "<f8"))


def is_evidence(head: bytes) -> bool:
    """Whether a file begins as evidence does.

    >>> is_evidence(packed({}, {})[:64]), is_evidence(b"label,score")
    (True, False)
    """
    return head.startswith(MARK) and head[30 : 30 + len(HEADER)] == HEADER.encode()


def packed(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a header and of arrays, with a checksum over all of them."""
    members = {f"{name}.npy": _npy_bytes(array) for name, array in arrays.items()}
    said = {"format": FORMAT, "version": VERSION, **header}
    said["checksum"] = _archive_checksum(said, members)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in {HEADER: _canonical_json(said), **members}.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
        archive.comment = bytes(SEALED)
    return _append_checksum(file.getvalue()[:-SEALED])


def unpacked(data: bytes, name: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a file, if it is whole.

    >>> header, arrays = unpacked(packed({"classes": ["a", "b"]}, {"cells": np.array([1, 2], np.uint8)}), "x.evidence")
    >>> header["classes"], arrays["cells"]
    (['a', 'b'], array([1, 2], dtype=uint8))
    """
    if not data.startswith(MARK):
        raise InputError(f"{name} is not an evidence file", "a file written by assay reduce or assay merge")
    is_sealed = data[-SEALED:].startswith(SEAL)
    if is_sealed and _append_checksum(data[:-SEALED]) != data:
        raise _damaged_file_error(name)
    try:
        members = _archive_members(data, name)
        # nan and the infinities are no JSON, and no checksum fits a header without them.
        said = json.loads(members.pop(HEADER), parse_constant=lambda _: None)
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, NotImplementedError, EOFError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise _damaged_file_error(name) from error
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise InputError(f"{name} is not an evidence file", "a file written by assay reduce or assay merge")
    _refuse_newer_version(said, name)
    # Without a seal an archive ends with its own last record, which says that nothing follows.
    is_whole = is_sealed or (data[-22:-18] == LAST_RECORD and data[-2:] == b"\0\0")
    if said.pop("checksum", None) != _archive_checksum(said, members) or not is_whole:
        raise _damaged_file_error(name)
    return said, {each.removesuffix(".npy"): _read_npy_array(each_data, name) for each, each_data in members.items()}


def _refuse_newer_version(said: Mapping[str, Any], name: str) -> None:
    version = said.get("version")
    if isinstance(version, int) and version > VERSION:
        wrote = f" by assay {str(said.get('written_by'))[:20]}" if "written_by" in said else ""
        found = (
            f"{name} was written{wrote} as version {version} of the format, but this version of Assay reads {VERSION}"
        )
        raise InputError(found, "a newer version: pip install -U assay-eval")


def _archive_members(data: bytes, name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        most = min(MOST_BYTES, UnpackingLimit(name, len(data)).most)
        header = max((entry.file_size for entry in entries if entry.filename == HEADER), default=0)
        if size > most or len(entries) > MOST_ARRAYS or header > MOST_HEADER:
            found = f"{name} would unpack to {size:,} bytes in {len(entries):,} parts"
            needed = f"at most {most:,} in {MOST_ARRAYS:,}, of them {MOST_HEADER:,} of header: evidence of fewer bits"
            raise InputError(found, f"{needed}, or of fewer sites")
        if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
            raise _damaged_file_error(name)
        # What a file says of its size is checked while it is read: no more of it than that is unpacked.
        return {entry.filename: archive.read(entry) for entry in entries}


def _append_checksum(data: bytes) -> bytes:
    return data + SEAL + hashlib.sha256(data).hexdigest().encode()


def _damaged_file_error(name: str) -> InputError:
    return InputError(f"{name} is damaged: it is incomplete or was changed after writing", WHOLE)


def _canonical_json(said: Mapping[str, Any]) -> bytes:
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode(
        "utf-8", "backslashreplace"
    )


def _archive_checksum(said: Mapping[str, Any], members: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256(_canonical_json(said))
    for name in sorted(members):
        digest.update(f"\0{name}\0{len(members[name])}\0".encode("utf-8", "backslashreplace"))
        digest.update(members[name])
    return digest.hexdigest()


def _npy_bytes(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def _read_npy_array(data: bytes, name: str) -> NDArray[Any]:
    """An array whose header says no more than there is."""
    file = io.BytesIO(data)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise _damaged_file_error(name)
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except Exception as error:
        # A header is a piece of Python to numpy, and what may go wrong with it has no end of kinds.
        raise _damaged_file_error(name) from error
    left = len(data) - file.tell()
    if (
        is_fortran
        or dtype not in DTYPES
        or len(shape) > 3
        or int(np.prod(shape, dtype=object)) * dtype.itemsize != left
    ):
        raise _damaged_file_error(name)
    return np.frombuffer(data, dtype, offset=file.tell()).reshape(shape)
