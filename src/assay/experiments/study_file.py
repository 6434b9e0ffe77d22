"""A study as a file: data sets, learners and a plan in TOML, to be run from the command line and kept beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import InputError

HOW = ("jobs", "backend", "address", "spool", "lease")  # how to run it, which does not change what it finds
KNOWN = ("name", "seed", "store", "plan", "datasets", "learners", *HOW)


def read_study(path: str | PathLike[str]) -> dict[str, Any]:
    """What a study file says, as the arguments of `experiment`; paths in it are seen from where it lies.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "flowers.toml")
    ...     _ = file.write_text('datasets = ["iris"]\\nlearners = ["tree"]\\nplan = { kind = "kfold", folds = 5 }')
    ...     read = read_study(file)
    >>> read["plan"], read["datasets"], read["name"], Path(read["store"]).name
    ({'kind': 'kfold', 'folds': 5}, ['iris'], 'flowers', 'flowers.db')
    """
    file = Path(path)
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"there is no study file {str(path)!r}", "the path of one; examples/study.toml shows how"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{file.name!r} cannot be read as TOML: {error}", "a study file in TOML") from None
    unknown = next((key for key in said if key not in KNOWN), None)
    if unknown is not None:
        raise InputError(f"{file.name!r} has {unknown!r}", f"only {', '.join(KNOWN)}")
    for key in ("datasets", "learners"):
        if not said.get(key):
            raise InputError(f"{file.name!r} names no {key}", f'some, such as {key} = ["{EXAMPLES[key]}"]')
    store = str(said.get("store", f"{file.stem}.db"))
    if "spool" in said:
        said["spool"] = str(file.parent / said["spool"])
    return {
        "name": file.stem,
        **said,
        "store": store if "://" in store else str(file.parent / store),
        "datasets": [_placed(each, file.parent) for each in said["datasets"]],
    }


EXAMPLES = {"datasets": "iris", "learners": "tree"}


def _placed(dataset: Any, folder: Path) -> Any:
    """A data set whose path is seen from the folder of the study file."""
    if isinstance(dataset, Mapping) and "path" in dataset:
        return {**dataset, "path": str(folder / dataset["path"])}
    return dataset
