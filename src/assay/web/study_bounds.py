"""What a study may touch that is run from the workbench: files of the served folder, and this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError, OptionError
from assay.experiments.datasets import BUNDLED
from assay.experiments.learners import Learner, learners_of
from assay.experiments.study_file import study_of
from assay.web.workbench import Workbench

__all__ = ["SUFFIX", "bounded_study", "checked_learners", "study_path"]

SUFFIX = ".toml"
LONGEST = 80  # characters of a study's name
FORBIDDEN = frozenset('/\\:*?"<>|')
# What a study file may say, and what becomes of it outside this machine or this folder.
ELSEWHERE = {
    "address": "a cluster at an address",
    "spool": "a folder to put data into",
    "lease": "a lease, for programs on other machines",
}
BY_HAND = "it left out here, or the study run by: assay experiment run"


def study_path(workbench: Workbench, name: str) -> Path:
    """Where a study of this name lies, or is to lie: a file of the served folder itself.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study_path(Workbench(Path(folder)), "flowers").name
    'flowers.toml'
    """
    called = name.removesuffix(SUFFIX).strip()
    wrong = not called or len(called) > LONGEST or called.startswith(".") or not called.isprintable()
    if wrong or FORBIDDEN & set(called):
        raise OptionError(
            f"the study is called {name[:LONGEST]!r}", f"a name of at most {LONGEST} letters, digits, blanks and dashes"
        )
    path = workbench.folder / f"{called}{SUFFIX}"
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OptionError(f"{path.name!r} is there and is no file", "another name")
    return path


def bounded_study(workbench: Workbench, text: str, file: Path) -> dict[str, Any]:
    """What the text of a study file says, if all of it stays in the served folder and on this machine."""
    said = study_of(text, file)
    for key, what in ELSEWHERE.items():
        if key in said:
            raise InputError(f"{file.name!r} names {what}", BY_HAND)
    if said.get("backend", "processes") != "processes":
        raise InputError(f"{file.name!r} has backend {said['backend']!r}"[:120], BY_HAND)
    said["store"] = str(_store(workbench, said["store"], file))
    for each in said["datasets"]:
        _refuse_outside(workbench, each)
    return said


def checked_learners(workbench: Workbench, given: Any) -> tuple[Learner, ...]:
    """The learners that a study names: presets, classes of scikit-learn and ours, and of packages allowed at start."""
    try:
        return learners_of(given, allow=workbench.allow)
    except InputError as error:
        package = error.options.get("allow")
        if package is None:
            raise
        raise InputError(error.found, f"the workbench started with: assay serve --allow {package}") from None


def _store(workbench: Workbench, place: str, file: Path) -> Path:
    refused = InputError(f"{file.name!r} keeps its cells in {place[:80]!r}", "a file of its own in the served folder")
    if "://" in place:
        raise refused
    path = Path(place)
    try:
        real = path.resolve()
        is_free = not path.is_symlink() and (path.is_file() or not path.exists())
    except (OSError, ValueError, RuntimeError):
        raise refused from None
    if not is_free or not real.is_relative_to(workbench.folder) or not real.parent.is_dir():
        raise refused
    if real in (file.resolve(), workbench.listing.path):
        raise refused
    return real


def _refuse_outside(workbench: Workbench, dataset: Any) -> None:
    """Refuse a data set that is neither bundled nor a file of the folder."""
    if not isinstance(dataset, Mapping):
        if dataset not in BUNDLED:
            needed = f'a bundled one ({", ".join(BUNDLED)}), or a file of the folder: {{ path = "cases.csv" }}'
            raise InputError(f"a data set is {str(dataset)[:60]!r}", needed)
        return
    for key in ("path", "test", "validation"):
        if isinstance(dataset.get(key), str):
            for name in _files_behind(Path(dataset[key])):
                workbench.file(name)


def _files_behind(path: Path) -> list[str]:
    """The files that reading a path may open: KEEL's folds are those beside it, or those in a folder."""
    try:
        if path.is_dir():
            return [str(each) for each in path.iterdir()] or [str(path)]
        if path.suffix.lower() == ".dat" and path.exists():
            return [str(path), *(str(each) for each in path.parent.glob("*.dat"))]
    except (OSError, ValueError):
        pass  # the folder says of what is no file that it is none
    return [str(path)]
