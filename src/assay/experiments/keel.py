"""KEEL's data files, whose folds are files of their own: name-10-1tra.dat to learn from, name-10-1tst.dat to test."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from assay.errors import InputError
from assay.experiments.splitting import Split
from assay.results import counted
from assay.sources.features import Column

# name-10-1tra.dat, name-5dobscv-3tst.dat: the data set, how it was parted, which fold, which part.
NAMED = re.compile(r"(?P<name>.+)-(?P<how>\d+[a-z]*)-(?P<fold>\d+)(?P<part>tra|tst)\.dat", re.IGNORECASE)
ATTRIBUTE = re.compile(
    r"@attribute\s+(?P<name>'[^']+'|\S+?)\s*(?P<kind>\{.*\}|(?:real|integer|numeric)\b.*)$", re.IGNORECASE
)
MISSING = ("?", "<null>", "")
LARGEST = 1 << 30  # bytes of one file: more is no part of KEEL's


@dataclass(frozen=True)
class _KeelFile:
    """One file: its columns in their order, which are numbers, the class, and the rows as they are written."""

    names: tuple[str, ...]
    numeric: tuple[bool, ...]
    output: str
    rows: tuple[tuple[str, ...], ...]


def keel_folder(given: str | PathLike[str]) -> bool:
    """Whether a path is a folder, or one of the files, of KEEL's folds, or a file in KEEL's format."""
    path = Path(given)
    if path.is_dir():
        return any(NAMED.fullmatch(each.name) for each in path.iterdir())
    if path.suffix.lower() != ".dat" or not path.is_file():
        return False
    with path.open("rb") as file:  # others write tables into files of that name, too
        return NAMED.fullmatch(path.name) is not None or file.read(1000).lstrip().startswith(b"@")


def read_keel(given: str | PathLike[str]) -> tuple[str, dict[str, Column], str, tuple[Split, ...] | None]:
    """A data set's name, its columns, which of them is the class, and its folds; none for a file that has no fellows.

    Every case is in one test part; what a fold learns from must be the test parts of the others.
    """
    files = _fold_files(Path(given))
    if not files:
        whole = _read_keel_file(Path(given))
        return Path(given).stem, _keel_columns(whole, whole.rows), whole.output, None
    called = NAMED.sub(r"\g<name>", next(iter(next(iter(files.values())).values())).name)
    read = {fold: {part: _read_keel_file(path) for part, path in pair.items()} for fold, pair in files.items()}
    first = next(iter(read.values()))["tst"]
    for fold, pair in read.items():
        for each in pair.values():
            if (each.names, each.output) != (first.names, first.output):
                raise InputError(
                    f"fold {fold} of {str(given)!r} has other attributes than the first",
                    "the same attributes in each fold",
                )
    tested = [pair["tst"].rows for pair in read.values()]
    for fold, (place, pair) in zip(read, enumerate(read.values()), strict=True):
        others = Counter(row for k, rows in enumerate(tested) if k != place for row in rows)
        if Counter(pair["tra"].rows) != others:
            found = f"the training cases of fold {fold} of {str(given)!r} are not the test cases of the other folds"
            raise InputError(found, "folds as KEEL writes them, or separate training and test files")
    every = tuple(row for rows in tested for row in rows)
    ends = np.cumsum([len(rows) for rows in tested])
    of_fold = [np.arange(end - len(rows), end) for end, rows in zip(ends, tested, strict=True)]
    splits = tuple(
        Split(np.setdiff1d(np.arange(len(every)), rows), rows, fold=fold) for fold, rows in enumerate(of_fold)
    )
    return called, _keel_columns(first, every), first.output, splits


def _fold_files(path: Path) -> dict[int, dict[str, Path]]:
    """The files of each fold, by its number; a folder's, or those beside one of them."""
    own = NAMED.fullmatch(path.name)
    if not path.is_dir() and own is None:
        return {}
    files: dict[int, dict[str, Path]] = {}
    names = set[str]()
    for each in sorted((path if path.is_dir() else path.parent).iterdir()):
        found = NAMED.fullmatch(each.name)
        if found is not None and (own is None or (found["name"], found["how"]) == (own["name"], own["how"])):
            files.setdefault(int(found["fold"]), {})[found["part"].lower()] = each
            names.add(f"{found['name']}-{found['how']}")
    if len(names) > 1:
        found_names = " and ".join(sorted(names)[:3])
        raise InputError(f"{str(path)!r} has files of {found_names}", "the path of one of their files")
    lone = next((fold for fold, pair in files.items() if len(pair) < 2), None)
    if lone is not None:
        part = "tst" if "tra" in files[lone] else "tra"
        raise InputError(f"fold {lone} of {str(path)!r} has no {part} file", "both parts of every fold")
    if len(files) < 2:
        raise InputError(f"{str(path)!r} has only {counted(len(files), 'fold')}", "all folds of a data set")
    return dict(sorted(files.items()))


def _read_keel_file(path: Path) -> _KeelFile:
    header = _KeelHeader(path.name)
    lines = enumerate((each.strip() for each in _read_lines(path)), 1)
    meant = ((number, line) for number, line in lines if line and not line.startswith("%"))
    for number, line in meant:
        if line.split(None, 1)[0].lower() == "@data":
            break
        header.take(number, line)
    rows = []
    for number, line in meant:
        cells = tuple(cell.strip() for cell in line.split(","))
        if len(cells) != len(header.names):
            found = f"line {number:,} of {path.name!r} has {counted(len(cells), 'value')}"
            raise InputError(f"{found} for {counted(len(header.names), 'attribute')}", "one value for each attribute")
        rows.append(cells)
    return _KeelFile(tuple(header.names), tuple(header.numeric), _class_attribute(header), tuple(rows))


def _read_lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path.name!r} is larger than {LARGEST:,} bytes", "a part of a KEEL data set")
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        why = (error.strerror or "failed").lower()
        raise InputError(f"{str(path)!r} cannot be read: {why}", "KEEL's files") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name!r} is not UTF-8 text", "a data file in KEEL's format") from None


@dataclass
class _KeelHeader:
    """What stands before the rows: attributes, which of them are numbers, and what goes in and comes out."""

    file: str
    names: list[str] = field(default_factory=list)
    numeric: list[bool] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def take(self, number: int, line: str) -> None:
        """Read one line of it."""
        word, _, rest = line.partition(" ")
        kind = word.lower().rstrip("s")
        if kind == "@attribute":
            declared = ATTRIBUTE.match(line)
            if declared is None:
                found = f"line {number:,} of {self.file!r} is {line[:60]!r}"
                raise InputError(found, "@attribute NAME real or {a, b}")
            self.names.append(declared["name"].strip("'"))
            self.numeric.append(not declared["kind"].startswith("{"))
        elif kind in ("@input", "@output"):
            listed = self.inputs if kind == "@input" else self.outputs
            listed.extend(each.strip().strip("'") for each in rest.split(",") if each.strip())
        elif kind != "@relation":
            raise InputError(f"line {number:,} of {self.file!r} is {line[:60]!r}", "KEEL's header, then @data")


def _class_attribute(header: _KeelHeader) -> str:
    """The class: what @outputs names, or the last attribute where nothing does."""
    file, names, inputs = header.file, header.names, header.inputs
    if not names:
        raise InputError(f"{file!r} declares no attribute", "a data file in KEEL's format")
    found = header.outputs or [name for name in names if name not in inputs][-1:] or names[-1:]
    if len(found) != 1 or found[0] not in names:
        raise InputError(f"{file!r} names {', '.join(map(repr, found))} as @outputs", "one attribute that it declares")
    unknown = next((name for name in inputs if name not in names), None)
    if unknown is not None:
        raise InputError(f"{file!r} names {unknown!r} in @inputs", "attributes that it declares")
    return found[0]


def _keel_columns(file: _KeelFile, rows: tuple[tuple[str, ...], ...]) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for place, (name, is_number) in enumerate(zip(file.names, file.numeric, strict=True)):
        cells = [None if row[place].lower() in MISSING else row[place] for row in rows]
        if not is_number or name == file.output:
            found[name] = np.array(cells, dtype=object)
            continue
        try:
            found[name] = np.array([np.nan if cell is None else float(cell) for cell in cells])
        except ValueError:
            raise InputError(f"attribute {name!r} is declared numeric but has texts", "numbers") from None
    return found
