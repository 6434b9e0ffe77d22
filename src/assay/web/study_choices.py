"""What a study of a served folder can be made of: tables in it, their columns, learners and measures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.web.opening import files_of
from assay.web.study_bounds import SUFFIX
from assay.words import visible

if TYPE_CHECKING:
    from assay.experiments import Study
    from assay.web.workbench import Workbench

__all__ = ["columns_of", "measures_of", "studies_in", "tables_in"]

TABLES = (".csv", ".tsv", ".arff", ".parquet", ".feather", ".arrow", ".jsonl", ".json", ".xlsx", ".dat")
PACKED = ".gz"
MOST_STUDIES = 300
MOST_VALUES = 20  # different values of a column that are offered as classes


def tables_in(workbench: Workbench) -> list[str]:
    """The files of the folder that may hold cases to learn from, by name; links that lead out of it are none."""
    names = (str(each["name"]) for each in files_of(workbench))
    return sorted(name for name in names if name.lower().removesuffix(PACKED).endswith(TABLES))


def studies_in(workbench: Workbench) -> list[str]:
    """The study files of the folder itself, by name: TOML files that name data sets and learners."""
    from assay.experiments.study_file import read_study

    found = []
    for path in sorted(workbench.folder.glob(f"*{SUFFIX}"))[:MOST_STUDIES]:
        if path.name.startswith(".") or not _is_ours(workbench, path):
            continue
        try:
            read_study(path)
        except AssayError:
            continue
        found.append(workbench.name_of(path))
    return found


def columns_of(workbench: Workbench, name: str) -> dict[str, Any]:
    """The columns of a table, the one that would be the class, and the values of those that may be."""
    from assay.experiments.datasets import TARGETS
    from assay.sources.features import columns_of_file

    columns, last = columns_of_file(workbench.file(name))
    names = list(columns)
    likely = [each for each in names if each.lower() in TARGETS]
    target = names[-1] if last else likely[0] if len(likely) == 1 else ""
    described = [{"name": each, **_described(columns[each])} for each in names]
    return {"target": target, "rows": len(columns[names[0]]) if names else 0, "columns": described}


def measures_of(study: Study | None) -> list[tuple[str, str]]:
    """The measures that a study can be judged by, each with its title; of none, those of two classes."""
    from assay.experiments.scoring import measure_of
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


def _described(values: Any) -> dict[str, Any]:
    """What a column holds: how many different values, and the values where they are few."""
    counts = Counter(values.tolist())
    shown = [visible(_word(value)) for value in counts if value is not None and value == value]
    is_text = values.dtype.kind not in "iufb"
    few = sorted(shown) if len(shown) <= MOST_VALUES else []
    return {"kind": "text" if is_text else "number", "different": len(shown), "values": few}


def _word(value: Any) -> str:
    return f"{value:.0f}" if isinstance(value, float) and value == int(value) else str(value)


def _is_ours(workbench: Workbench, path: Path) -> bool:
    try:
        workbench.file(str(path))
    except AssayError:
        return False
    return True
