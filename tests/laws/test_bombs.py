"""Small files that unpack to very much: each is refused in one sentence by a process that may take little memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import assay
from assay.errors import InputError
from assay.sources import features

ADDRESS_SPACE = 3 << 30  # libraries alone take one gigabyte of it
LARGE = 450 << 20
MOST_RESIDENT = 500_000_000
OPENING = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
import assay
from assay.errors import AssayError
for path in sys.argv[1:]:
    try:
        print("evaluated:", assay.{door}(path))
    except AssayError as error:
        print("refused:", error)
    # Of this process alone: the largest size that `getrusage` returns may be that of the one which started it.
    with open("/proc/self/status") as status:
        print("peak", next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")))
"""
MEMBERS = (
    "mimetype", "[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml", "evidence.json", "content.xml",
    "word/document.xml", "META-INF/manifest.xml", "y_true.npy", "__MACOSX/a.csv", "a.csv", "a.csv.gz", "a.duckdb",
)  # fmt: skip


def refusals(paths: Sequence[Path], door: str = "evaluate") -> list[str]:
    """What one process with little memory says of each file: all are refused, and its memory stays small."""
    script = OPENING.format(limit=ADDRESS_SPACE, door=door)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    line = [sys.executable, "-c", script, *map(str, paths)]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
    found = re.findall(r"^(refused|evaluated): (.*?)^peak (\d+)$", done.stdout, re.DOTALL | re.MULTILINE)
    assert len(found) == len(paths)
    for path, (outcome, said, peak) in zip(paths, found, strict=True):
        assert outcome == "refused", (path.name, said)
        assert int(peak) < MOST_RESIDENT, (path.name, said, peak)
    return [said for _, said, _ in found]


def zipped(*members: tuple[str, int | bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive whose members are zeros, so many, or these bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how, compresslevel=1) as archive:
        for name, held in members:
            with archive.open(name, "w") as member:
                if isinstance(held, bytes):
                    member.write(held)
                    continue
                for _ in range(held >> 20):
                    member.write(bytes(1 << 20))
    return file.getvalue()


def lying(data: bytes) -> bytes:
    """The same archive, whose entries give their size as ten bytes."""
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.find(mark)
        while at >= 0:
            data = data[: at + place] + struct.pack("<I", 10) + data[at + place + 4 :]
            at = data.find(mark, at + 1)
    return data


def zeros(size: int = LARGE) -> bytes:
    return bytes(size)


def npy_of_nothing() -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "|V0", "fortran_order": False, "shape": (10**11,)})
    return file.getvalue()


def feather() -> bytes:
    rows = 30_000_000
    table = pa.table({"y_true": np.zeros(rows, np.int8), "y_score": np.zeros(rows, np.float32)})
    file = io.BytesIO()
    pyarrow.feather.write_feather(table, file, compression="zstd")
    return file.getvalue()


def arrow_of_nothing() -> bytes:
    rows = 2_000_000_000
    none = pa.NullArray.from_buffers(pa.null(), rows, [None])
    table = pa.table({"y_true": none, "y_score": none})
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


CELLS = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">'
    b'<c r="A1" t="str"><v>y_true</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    b"</worksheet>"
)
BOOK = (
    b'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.'
    b'openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="s" sheetId="1" r:id="rId1"/></sheets>'
    b"</workbook>"
)
RELATION = (
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
)
OFFICE = b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'


def far_away() -> bytes:
    """A workbook of two cells with all of a sheet between them."""
    return zipped(
        ("[Content_Types].xml", b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'),
        ("_rels/.rels", RELATION + OFFICE + b'officeDocument" Target="xl/workbook.xml"/></Relationships>'),
        ("xl/workbook.xml", BOOK),
        (
            "xl/_rels/workbook.xml.rels",
            RELATION + OFFICE + b'worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        ),
        ("xl/worksheets/sheet1.xml", CELLS),
    )


BOMBS: dict[str, Callable[[], bytes]] = {
    "spreadsheet.ods": lambda: zipped(("mimetype", LARGE), ("content.xml", b"<a/>")),
    "lying.xlsx": lambda: lying(zipped(("[Content_Types].xml", b"<a/>"), ("xl/workbook.xml", LARGE))),
    "far.xlsx": far_away,
    "lying.npz": lambda: lying(zipped(("y_true.npy", LARGE))),
    "nothing.npz": lambda: zipped(("y_true.npy", npy_of_nothing())),
    "nothing.npy": npy_of_nothing,
    "bzip2 inside.zip": lambda: zipped(("a.csv", LARGE), how=zipfile.ZIP_BZIP2),
    "lzma inside.zip": lambda: zipped(("a.csv", LARGE), how=zipfile.ZIP_LZMA),
    "bzip2 inside.npz": lambda: zipped(("y_true.npy", LARGE), how=zipfile.ZIP_BZIP2),
    "twice.csv.gz": lambda: gzip.compress(gzip.compress(zeros())),
    "gz in xz in zip.zip": lambda: zipped(("a.csv.gz.xz", lzma.compress(gzip.compress(zeros(), 9)))),
    "zip in bz2.zip.bz2": lambda: bz2.compress(zipped(("a.csv", LARGE))),
    "zip in zip.zip": lambda: zipped(("b.zip", zipped(("mimetype", LARGE)))),
    "a.feather": feather,
    "nothing.arrow": arrow_of_nothing,
}


def test_members_of_any_name_are_counted_before_they_are_kept(tmp_path: Path) -> None:
    paths = [tmp_path / f"{place}.zip" for place, _ in enumerate(MEMBERS)]
    for path, member in zip(paths, MEMBERS, strict=True):
        path.write_bytes(zipped((member, LARGE)))
        assert path.stat().st_size < LARGE / 100
    refusals(paths)
    refusals(paths, "merge")


def test_whatever_is_packed_is_refused_with_its_limit(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in BOMBS]
    for path in paths:
        path.write_bytes(BOMBS[path.name]())
        assert path.stat().st_size < 4_000_000, path
    words = ("unpacks to more than 100 times", "takes more than", "is damaged", "unusual packing", "zip archive of 2")
    for path, said in zip(paths, refusals(paths), strict=True):
        assert any(each in said for each in words), (path.name, said)


def test_the_limit_holds_for_all_layers_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sources.formats.compression.memory", lambda: 0)
    rng = np.random.default_rng(0)
    plain = (
        b"y_true,y_score\n" + b"".join(b"%d,%.3f\n" % (k % 2, rng.random()) for k in range(400)) + b"0,0.5\n" * 20_000
    )
    inner = gzip.compress(plain, 9)
    assert len(plain) < 100 * len(inner)  # no layer by itself is over the limit
    path = tmp_path / "a.csv.gz.gz"
    path.write_bytes(gzip.compress(inner + bytes(90 * len(inner)), 9))
    with pytest.raises(InputError, match=r"unpacks to more than 100 times its size and 0 MB"):
        assay.evaluate(path)


def test_rows_that_take_nothing_in_parquet_are_reduced_where_they_lie(tmp_path: Path) -> None:
    path = tmp_path / "alike.parquet"
    query = "SELECT (k % 2)::TINYINT AS y_true, 0.5::FLOAT AS y_score FROM range(4_000_000) t(k)"
    duckdb.sql(f"COPY ({query}) TO '{path}' (COMPRESSION zstd)")
    assert path.stat().st_size < 50_000
    ev = assay.evaluate(path, memory="200MB")
    assert ev.n == 4_000_000
    assert ev.rows is None
    with pytest.raises(InputError, match="does not fit into memory"):
        assay.compare([path, path], memory="200MB")


def test_texts_that_are_stored_once_are_counted_before_they_are_kept(tmp_path: Path) -> None:
    path, feather = tmp_path / "long.parquet", tmp_path / "long.feather"
    names = pa.array(["a" * 3_000_000, "b" * 3_000_000])
    label = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 10_000, pa.int32()), names)
    columns = {"y_true": [0, 1] * 10_000, "y_score": [0.25, 0.75] * 10_000}
    table = pa.table({"y_true": label, "y_score": columns["y_score"]})
    pq.write_table(table, path, compression="zstd")
    pyarrow.feather.write_feather(table, feather, compression="zstd")
    for file in (path, feather):
        assert file.stat().st_size < 100_000
        with pytest.raises(InputError, match=r"holds 60\.0 GB of text, which does not fit into memory \(4GB\)"):
            assay.evaluate(file)
    # Texts that nobody needs are not read.
    pq.write_table(pa.table({**columns, "note": label}), path, compression="zstd")
    assert assay.evaluate(path).n == 20_000


def test_rows_in_a_packed_file_are_counted_too(tmp_path: Path) -> None:
    path = tmp_path / "short.csv.gz"
    rng = np.random.default_rng(1)
    rows = "".join(f"{y},{s}\n" for y, s in zip(rng.integers(0, 2, 900_000), rng.integers(0, 2, 900_000), strict=True))
    path.write_bytes(gzip.compress(f"y_true,y_score\n{rows}".encode(), 1))
    with pytest.raises(InputError, match=r"holds 900,000 rows, which do not fit into memory \(200MB\).*memory='1GB'"):
        assay.evaluate(path, memory="200MB")
    assert assay.evaluate(path, memory="1GB").n == 900_000


def test_a_workbook_of_times_and_texts_is_read_as_before(tmp_path: Path) -> None:
    from datetime import date, datetime

    import xlsxwriter

    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet("one")
        cells = [["day", "at", "y", "ok", "x"], [date(2024, 2, 29), datetime(2024, 2, 29, 12, 30), 1, True, "é"]]
        for place, row in enumerate(cells):
            sheet.write_row(place, 0, row)
    found = features.texts_of_table(path)
    assert found["day"] == ["2024-02-29"]
    assert found["at"][0] is not None
    assert found["at"][0].startswith("2024-02-29")
    assert (found["y"], found["x"]) == (["1"], ["é"])
