"""What a study of a served folder can be made of: tables in it, their columns, learners and measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, InputError
from assay.sources import listed
from assay.text import visible
from assay.web.opening import files_of, is_text
from assay.web.study_bounds import SUFFIX

if TYPE_CHECKING:
    from assay.experiments import Study
    from assay.web.workbench import Workbench

__all__ = ["checked_targets", "columns_of", "measures_of", "studies_in", "tables_in"]

TABLES = (".csv", ".tsv", ".arff", ".parquet", ".feather", ".arrow", ".jsonl", ".json", ".xlsx", ".dat")
PACKED, KEEL = ".gz", ".dat"
MOST_STUDIES = 300
LARGE, LOOKED_AT = 20_000_000, 1_000  # bytes of a table of which only so many rows are looked at
MOST_VALUES = 20  # different values of a column that are offered as classes


def tables_in(workbench: Workbench) -> list[str]:
    """The files of the folder that may hold cases to learn from, by name; links that lead out of it are none."""
    names = (str(each["name"]) for each in files_of(workbench))
    return sorted(name for name in names if name.lower().removesuffix(PACKED).endswith(TABLES))


def studies_in(workbench: Workbench) -> dict[str, dict[str, Any]]:
    """The study files of the folder itself, by name, with what each says: TOML that names data sets and learners."""
    from assay.experiments.study_file import read_study

    found = {}
    for path in sorted(workbench.folder.glob(f"*{SUFFIX}"))[:MOST_STUDIES]:
        if path.name.startswith(".") or not is_text(path.name) or not _is_ours(workbench, path):
            continue
        with suppress(AssayError):  # TOML of another kind
            found[workbench.name_of(path)] = read_study(path)
    return found


def columns_of(workbench: Workbench, name: str) -> dict[str, Any]:
    """The columns of a table, the one that would be the class, and the values of those that may be."""
    from assay.sources.features import columns_of_file

    file = workbench.file(name)
    if file.stat().st_size > (LARGE // 20 if file.suffix == PACKED else LARGE):
        return _first_rows(file)
    columns, last = columns_of_file(file)
    described = [{"name": each, **_described(values.tolist())} for each, values in columns.items()]
    rows = len(next(iter(columns.values()), ()))
    target = list(columns)[-1] if last and columns else _likely(columns)
    return {"target": target, "rows": f"{rows:,} rows", "columns": described}


def checked_targets(workbench: Workbench, datasets: Iterable[Any]) -> None:
    """Refuse a table whose column of class labels is neither given nor recognised by its name.

    The program that runs a study would refuse it too, but only after it was started. Folders and KEEL's folds name
    their class themselves.
    """
    for each in datasets:
        path = Path(each["path"]) if isinstance(each, Mapping) and isinstance(each.get("path"), str) else None
        if path is None or not path.name.lower().removesuffix(PACKED).endswith(TABLES) or path.suffix == KEEL:
            continue
        name = workbench.name_of(workbench.file(str(path)))
        stamp = path.stat()
        names, likely = _names_and_target(workbench, name, stamp.st_mtime_ns, stamp.st_size)
        target = each.get("target")
        if target is None and not likely:
            found = f"{name!r} has no column of class labels chosen, and none is recognised by its name"
            raise InputError(found, f"target, one of {listed(names)}")
        if isinstance(target, str) and target not in names:
            raise InputError(f"{name!r} has no column {target[:60]!r}", f"target, one of {listed(names)}")


@lru_cache(maxsize=64)
def _names_and_target(workbench: Workbench, name: str, changed: int, size: int) -> tuple[tuple[str, ...], str]:
    """The columns of a file as it was when it was last changed: a form asks for them at every key."""
    seen = columns_of(workbench, name)
    return tuple(str(column["name"]) for column in seen["columns"]), str(seen["target"])


def _first_rows(file: Path) -> dict[str, Any]:
    """The same of a large table by its first rows alone: the study reads it whole, in a program of its own."""
    from assay.sources import held_rows

    held = held_rows(file, first=LOOKED_AT)
    described = [
        {"name": name, **_described([row[place] for row in held.values])} for place, name in enumerate(held.names)
    ]
    return {"target": _likely(held.names), "rows": f"the first {LOOKED_AT:,} rows", "columns": described}


def _likely(columns: Iterable[str]) -> str:
    from assay.experiments.datasets import TARGETS

    likely = [each for each in columns if each.lower() in TARGETS]
    return likely[0] if len(likely) == 1 else ""


def measures_of(study: Study | None) -> list[tuple[str, str]]:
    """The measures that a study can be judged by, each with its title; of none, those of two classes."""
    from assay.experiments.estimates import measure_of
    from assay.measures import registry

    classes = {2} if study is None else {len(study.truth(dataset)[0]) for dataset in study.datasets}
    found = {}
    for one in registry.values():
        try:
            titles = [measure_of(one.name, each).title for each in sorted(classes)]
        except AssayError:
            continue
        found[one.name] = titles[0]
    return list(found.items())


def _described(values: list[Any]) -> dict[str, Any]:
    """What a column holds: the different values, where they are few."""
    shown = {visible(_word(value)) for value in values if value is not None and value == value}
    return {"values": sorted(shown) if len(shown) <= MOST_VALUES else []}


def _word(value: Any) -> str:
    return f"{value:.0f}" if isinstance(value, float) and value == int(value) else str(value)


def _is_ours(workbench: Workbench, path: Path) -> bool:
    try:
        workbench.file(str(path))
    except AssayError:
        return False
    return True
