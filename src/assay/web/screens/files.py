"""Open: files of the folder, files that a browser sends, what is pasted, the bundled example."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.errors import InputError, OptionError
from assay.results import counted
from assay.sources import refuse_unreadable
from assay.web.evaluations import read
from assay.web.messages import Answer, Asked, Route, json_of, sent_to
from assay.web.pages import Code, page
from assay.web.workbench import UPLOADS, Opened, Workbench

__all__ = ["ROUTES", "files_of", "is_text"]

READABLE = (
    *(".csv", ".tsv", ".tab", ".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".feather", ".arrow", ".ipc", ".arff"),
    *(".xlsx", ".npy", ".npz", ".evidence", ".duckdb", ".txt", ".log", ".gz", ".bz2", ".xz", ".zip"),
)
MOST_FILES, MOST_FOLDERS, DEEPEST = 500, 200, 4
LONGEST_NAME = 120
# Letters that a name of a file keeps; a browser may send any.
PLAIN = re.compile(r"[^\w.\- ()+,=@]", re.ASCII)
KINDS = ("file", "stream")


def home(workbench: Workbench, asked: Asked) -> Answer:
    """The first screen: somewhere to drop a file, and the files that lie in the folder."""
    code = Code("import assay\nassay.columns('predictions.csv')   # which column would be taken for what", "assay demo")
    return page(
        workbench, "open.html.j2", title="Open", at="Open", code=code, scripts=("opening",),
        folder=str(workbench.folder), files=files_of(workbench), upload=workbench.upload,
    )  # fmt: skip


def files_of(workbench: Workbench) -> list[dict[str, Any]]:
    """The files of the folder, each with its size in words."""
    return list(_candidate_files(workbench))


def _candidate_files(workbench: Workbench) -> Iterator[dict[str, Any]]:
    """The files of the folder and of folders in it that may be predictions, as far as anybody would look."""
    waiting, seen, shown = [(workbench.folder, 0)], 0, 0
    while waiting and seen < MOST_FOLDERS and shown < MOST_FILES:
        folder, depth = waiting.pop(0)
        seen += 1
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink() or not is_text(entry.name):
                continue
            if entry.is_dir():
                waiting += [(Path(entry.path), depth + 1)] if depth + 1 < DEEPEST else []
            elif entry.is_file() and entry.name.lower().endswith(READABLE) and shown < MOST_FILES:
                shown += 1
                yield {"name": workbench.name_of(Path(entry.path)), "size": _file_size_words(entry.stat().st_size)}


def is_text(name: str) -> bool:
    """Whether a name can stand on a page and in an address: one with half a character cannot."""
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in name)


def _file_size_words(size: int) -> str:
    """How large a file is, in words.

    >>> _file_size_words(899), _file_size_words(31_035_791)
    ('899 B', '31 MB')
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} B"


def open_file(workbench: Workbench, asked: Asked) -> Answer:
    """Open a file that lies in the folder, where it lies."""
    kind = asked.form.get("kind", ("file",))[0]
    if kind not in KINDS:
        raise OptionError(f"unknown kind {kind[:40]!r}", f"one of {', '.join(KINDS)}", about="kind")
    path = workbench.file(asked.said("name"))
    return _result_redirect(workbench, workbench.listing.keep(kind, workbench.name_of(path)))


def open_demo(workbench: Workbench, asked: Asked) -> Answer:
    """Put the bundled example into the folder and open it."""
    with (files("assay") / "data" / "demo.csv").open("rb") as bundled:
        data = bundled.read()
    return _result_redirect(workbench, workbench.listing.keep("file", _store_bytes(workbench, "demo.csv", data)))


def upload(workbench: Workbench, asked: Asked) -> Answer:
    """Take in a file that a browser sent, and open it."""
    if len(asked.files) != 1 or not asked.files[0].name:
        raise OptionError(f"{counted(len(asked.files), 'file')} uploaded", "one file at a time")
    (sent,) = asked.files
    name = _safe_file_name(sent.name)
    here = workbench.folder / name
    if here.is_file() and not here.is_symlink() and _have_same_content(here, sent.path):
        opened = workbench.listing.keep("file", name)  # it lies in the folder: no second copy
    else:
        kept = _store_upload(workbench, name, sent.path)
        try:
            refuse_unreadable(str(workbench.file(kept)))
        except InputError:
            workbench.file(kept).unlink(missing_ok=True)
            raise
        opened = workbench.listing.keep("file", kept)
    read(workbench, opened)  # begins while the columns are looked at
    if "script" in asked.form:
        return json_of({"address": f"/columns/{opened.id}"})
    return _result_redirect(workbench, opened)


def paste(workbench: Workbench, asked: Asked) -> Answer:
    """Open what was pasted: a confusion matrix, or rows of a spreadsheet."""
    text = asked.said("text").replace("\r\n", "\n").strip("\n")
    if not text.strip():
        raise InputError("the pasted text is empty", "a confusion matrix, or rows with a header line")
    counts = _parse_matrix(text)
    if counts is None:
        suffix = "tsv" if "\t" in text.split("\n", 1)[0] else "csv"
        return _result_redirect(
            workbench, workbench.listing.keep("file", _store_bytes(workbench, f"pasted.{suffix}", f"{text}\n".encode()))
        )
    classes, rows = counts
    options = {"counts": rows, "classes": classes}
    name = f"matrix of {counted(round(sum(map(sum, rows))), 'case')}"
    return sent_to(f"/result/{workbench.listing.keep('counts', name, options, repr(options)).id}")


def _parse_matrix(text: str) -> tuple[list[str] | None, list[list[float]]] | None:
    """A square of counts with or without names around it; None where it is something else.

    >>> _parse_matrix("50 3\\n4 43")
    (None, [[50.0, 3.0], [4.0, 43.0]])
    >>> _parse_matrix("\\tham\\tspam\\nham\\t50\\t3\\nspam\\t4\\t43")
    (['ham', 'spam'], [[50.0, 3.0], [4.0, 43.0]])
    >>> _parse_matrix("label,score\\nham,0.1")
    """
    parted = next((mark for mark in ("\t", ",", ";", "|") if mark in text), None)
    lines = [[cell.strip() for cell in line.split(parted)] for line in text.split("\n") if line.strip(" |-+=")]
    if len(lines) < 2:
        return None
    numbers = [[_parse_number(cell) for cell in line] for line in lines]
    if all(None not in line for line in numbers) and {len(line) for line in lines} == {len(lines)}:
        return None, [[float(value or 0) for value in line] for line in numbers]
    rows = [line[1:] for line in numbers[1:]]
    size = len(rows)
    names = [line[0] for line in lines[1:]]
    is_named = {len(row) for row in rows} == {size} and lines[0][-size:] == names and size > 1
    if not is_named or any(value is None for row in rows for value in row):
        return None
    return names, [[float(value or 0) for value in row] for row in rows]


def _parse_number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,15}(\.\d{1,9})?", text) else None


def forget(workbench: Workbench, asked: Asked) -> Answer:
    """Take something off the list; its file stays."""
    workbench.listing.forget(asked.name("id"))
    return sent_to("/")


def _result_redirect(workbench: Workbench, opened: Opened) -> Answer:
    return sent_to(f"/columns/{opened.id}" if opened.kind == "file" else f"/result/{opened.id}")


def _safe_file_name(name: str) -> str:
    """A name that a file can have: no folders, nothing hidden, nothing that means something to a shell.

    >>> _safe_file_name("../../etc/pass\\x1bwd"), _safe_file_name("..\\\\data\\\\a b.csv"), _safe_file_name("..")
    ('pass_wd', 'a b.csv', 'file')
    """
    last = re.split(r"[/\\]", name)[-1]
    plain = PLAIN.sub("_", last).strip(". ")[-LONGEST_NAME:]
    return plain or "file"


def _have_same_content(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        return hashlib.file_digest(first, "sha256").digest() == hashlib.file_digest(second, "sha256").digest()


def _store_upload(workbench: Workbench, name: str, sent: Path) -> str:
    """Keep a file that came, under a name that is free; what is there already is opened instead of kept twice."""
    folder = workbench.folder / UPLOADS
    folder.mkdir(exist_ok=True)
    if folder.is_symlink():
        raise InputError(f"{UPLOADS} is a link", "a regular folder for uploaded files")
    stem, *rest = name.split(".", 1)
    suffix = f".{rest[0]}" if rest else ""
    for number in range(1, 10_000):
        target = folder / (name if number == 1 else f"{stem}-{number}{suffix}")
        if target.is_symlink() or target.is_dir():
            continue
        if target.exists() and not _have_same_content(target, sent):
            continue
        if not target.exists():
            shutil.move(sent, target)
        return workbench.name_of(target)
    raise InputError(f"too many files with the name {name!r}", "another name")


def _store_bytes(workbench: Workbench, name: str, data: bytes) -> str:
    with workbench.receiving() as folder:
        sent = folder / "part"
        sent.write_bytes(data)
        return _store_upload(workbench, name, sent)


ROUTES = (
    Route("GET", "/", home, "Open"),
    Route("POST", "/open", open_file),
    Route("POST", "/demo", open_demo),
    Route("POST", "/upload", upload),
    Route("POST", "/paste", paste),
    Route("POST", "/forget/{id}", forget),
)
