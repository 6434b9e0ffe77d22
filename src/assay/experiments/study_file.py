"""A study as a file: data sets, learners and a plan in TOML, to be run from the command line and kept beside it.

A study written as TOML, to be read again by `read_study` and by people.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import InputError, OptionError
from assay.experiments.plans import plan_of, study_seed
from assay.request import StudyRequest, checked_flag, checked_text, named_texts
from assay.request.toml import toml_of

# How to run it, which does not change what it finds.
HOW = ("jobs", "backend", "address", "spool", "lease", "cell_timeout")
EXAMPLES = {"datasets": "iris", "learners": "tree"}


def _refuse_non_list(value: Any, key: str) -> None:
    if not isinstance(value, list) and not (key == "learners" and isinstance(value, Mapping)):
        raise OptionError(f"{key} is {value!r}"[:120], f'a list of them, such as ["{EXAMPLES[key]}"]')


# What every key may be; a value that may not is refused by the key's name.
CHECKS: Mapping[str, Callable[[Any, str], Any]] = {
    "name": checked_text,
    "seed": lambda value, _: study_seed(value),
    "store": checked_text,
    "plan": lambda value, _: plan_of(value),
    "datasets": _refuse_non_list,
    "ignore": named_texts,
    "positive": lambda value, key: checked_text(value if isinstance(value, str) else str(value), key),
    "learners": _refuse_non_list,
    "keep_models": checked_flag,
    **{key: StudyRequest.options()[key].check or checked_text for key in HOW},
}
KNOWN = tuple(CHECKS)


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
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"no study file {str(path)!r}", "the path of a study file such as examples/study.toml"
        ) from None
    except (OSError, ValueError) as error:  # that of an encoding is a ValueError
        raise _toml_error(file, error) from None
    return study_of(text, file)


def study_of(text: str, file: Path) -> dict[str, Any]:
    """What the text of a study file says; `file` is where it lies, or is to lie."""
    try:
        said = toml_of(text)
    except ValueError as error:
        raise _toml_error(file, error) from None
    unknown = next((key for key in said if key not in KNOWN), None)
    if unknown is not None:
        raise InputError(f"{file.name!r} has {unknown!r}", f"only {', '.join(KNOWN)}")
    for key in EXAMPLES:
        if not said.get(key):
            raise InputError(f"{file.name!r} names no {key}", f'some, such as {key} = ["{EXAMPLES[key]}"]')
    for key, value in said.items():
        _refuse_invalid_entry(key, value, file.name)
    store = str(said.get("store", f"{file.stem}.db"))
    if "spool" in said:
        said["spool"] = str(file.parent / said["spool"])
    return {
        "name": file.stem,
        **said,
        "store": store if "://" in store else str(file.parent / store),
        "datasets": [_resolve_dataset_paths(each, file.parent) for each in said["datasets"]],
    }


def _toml_error(file: Path, error: Exception) -> InputError:
    return InputError(f"{file.name!r} cannot be read as TOML: {error}", "a study file in TOML")


def _refuse_invalid_entry(key: str, value: Any, file: str) -> None:
    try:
        CHECKS[key](value, key)
    except InputError as error:
        found = error.found if error.found.startswith(key) else f"{key}: {error.found}"
        raise InputError(f"{file!r}: {found}", error.needed) from None


def _resolve_dataset_paths(dataset: Any, folder: Path) -> Any:
    """A data set whose path is seen from the folder of the study file."""
    if not isinstance(dataset, Mapping):
        return dataset
    files = ("path", "test", "validation")
    return {**dataset, **{key: str(folder / dataset[key]) for key in files if isinstance(dataset.get(key), str)}}


BARE = re.compile(r"[A-Za-z0-9_-]+")
# What a study file may end with as a list of tables, one below the other: easier to read and to edit than one line.
LISTED = ("datasets", "learners")


def study_text(said: Mapping[str, Any]) -> str:
    """What a study is, as the text of a file that says so: `tomllib` reads the very same from it.

    >>> print(study_text({"seed": 0, "plan": {"kind": "kfold", "folds": 5}, "datasets": ["iris"],
    ...     "learners": [{"preset": "tree", "grid": {"max_depth": [2, 4]}}, {"preset": "nb"}]}), end="")
    seed = 0
    plan = { kind = "kfold", folds = 5 }
    datasets = ["iris"]
    <BLANKLINE>
    [[learners]]
    preset = "tree"
    grid = { max_depth = [2, 4] }
    <BLANKLINE>
    [[learners]]
    preset = "nb"
    """
    tables = [key for key in LISTED if _is_list_of_tables(said.get(key))]
    lines = [f"{_toml_key(key)} = {toml_value(value)}" for key, value in said.items() if key not in tables]
    for key in tables:
        for each in said[key]:
            lines += ["", f"[[{key}]]", *(f"{_toml_key(name)} = {toml_value(value)}" for name, value in each.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def toml_value(value: Any) -> str:
    r"""A value as TOML writes it, on one line; what TOML cannot hold is refused.

    >>> print(toml_value({"a b": ["x\n", 1.0, True, float("inf")]}))
    { "a b" = ["x\n", 1.0, true, inf] }
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _toml_string(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"{value}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_toml_key(key)} = {toml_value(each)}" for key, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    found = f"a study has {str(value)[:60]!r}"
    raise InputError(found, "texts, numbers, true or false, and lists and tables of them")


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) and each for each in value)


def _toml_key(key: Any) -> str:
    name = str(key)
    return name if BARE.fullmatch(name) else _toml_string(name)


def _toml_string(value: str) -> str:
    """A text in quotation marks. JSON escapes as TOML does, but for DEL and for halves of characters, which it has."""
    if any(0xD800 <= ord(each) <= 0xDFFF for each in value):
        raise InputError(f"{value[:60]!r} has an unpaired surrogate", "a text of valid Unicode")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
