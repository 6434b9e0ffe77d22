"""Headers of numpy arrays that somebody made up, in every file that holds arrays: each is refused in one sentence."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.experiments.database import PredictedRows
from assay.sources import evidence_archive
from assay.streams.session import load_checkpoint, save_checkpoint

# To numpy a header is a piece of Python, which it reads with the means of Python.
HEADERS = {
    "half a line": b"{'descr': (",
    "nested": b"(" * 3000 + b")" * 3000,
    "signs": b"-" * 3000 + b"1",
    "more than memory": b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,)}",
    "more than a machine counts": b"{'descr': '<f8', 'fortran_order': False, 'shape': (1" + b"0" * 40 + b",)}",
    "less than nothing": b"{'descr': '<f8', 'fortran_order': False, 'shape': (-5,)}",
    "values of no bytes": b"{'descr': '|V0', 'fortran_order': False, 'shape': (100000000000,)}",
    "arrays in values": b"{'descr': [('a', '<f8', (100000, 100000))], 'fortran_order': False, 'shape': (2,)}",
    "objects": b"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
    "long texts": b"{'descr': '<U1000000000', 'fortran_order': False, 'shape': (20,)}",
    "times without steps": b"{'descr': '<M8[0s]', 'fortran_order': False, 'shape': (2,)}",
    "truth as a size": b"{'descr': '<f8', 'fortran_order': False, 'shape': (True,)}",
    "one name thrice": b"{'descr': {'names': ['a', 'a', 'a']}, 'fortran_order': False, 'shape': (2,)}",
    "many dimensions": b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"1, " * 200 + b")}",
    "a zero byte": b"{'descr': '<f8\x00', 'fortran_order': False, 'shape': (2,)}",
    "no text": b"\xff\xfe" * 20,
    "nothing": b"",
}
VERSIONS = ((1, 0), (2, 0), (3, 0), (9, 9))


def array_of(header: bytes, version: tuple[int, int]) -> bytes:
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY" + bytes(version) + len(header).to_bytes(2 if version == (1, 0) else 4, "little") + header


def archived(members: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def plain(array: bytes, path: Path) -> None:
    path = path.with_suffix(".npy")
    path.write_bytes(array)
    assay.evaluate(path)


def several(array: bytes, path: Path) -> None:
    file, path = io.BytesIO(), path.with_suffix(".npz")
    np.save(file, np.linspace(0, 1, 2))
    path.write_bytes(archived({"y_true.npy": array, "y_score.npy": file.getvalue()}))
    assay.evaluate(path)


def evidence(array: bytes, path: Path) -> None:
    held = members(assay.reduce(np.arange(40) % 2, np.linspace(0, 1, 40)).to_bytes())
    header = json.loads(held.pop(evidence_archive.HEADER))
    del header["checksum"]
    held[min(held)] = array
    whole = json.dumps({**header, "checksum": evidence_archive._archive_checksum(header, held)}).encode()
    path.write_bytes(evidence_archive._append_checksum(archived({evidence_archive.HEADER: whole, **held})))
    assay.load(path)


def checkpoint(array: bytes, path: Path) -> None:
    save_checkpoint(path, {"counts": np.arange(3)})
    held = {**members(path.read_bytes().partition(b"\n")[2]), "a0.npy": array}
    data = archived(held)
    path.write_bytes(b"assay stream checkpoint 1 " + hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    load_checkpoint(path)


def cell(array: bytes, path: Path) -> None:
    PredictedRows.unpacked(archived({"rows.npy": array, "label.npy": array}))


@pytest.mark.parametrize("read", [plain, several, evidence, checkpoint, cell])
def test_any_header_of_an_array_is_one_sentence(read: Callable[[bytes, Path], None], tmp_path: Path) -> None:
    for name, header in HEADERS.items():
        for version in VERSIONS:
            with pytest.raises(InputError) as caught:
                read(array_of(header, version), tmp_path / "made")
            assert "\n" not in str(caught.value), (name, version)
            assert len(str(caught.value)) < 400, (name, version)
