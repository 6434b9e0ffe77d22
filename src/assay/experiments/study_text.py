"""A study written as TOML, to be read again by `read_study` and by people."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from assay.errors import InputError

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
    tables = [key for key in LISTED if _is_tables(said.get(key))]
    lines = [f"{_key(key)} = {toml_value(value)}" for key, value in said.items() if key not in tables]
    for key in tables:
        for each in said[key]:
            lines += ["", f"[[{key}]]", *(f"{_key(name)} = {toml_value(value)}" for name, value in each.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def toml_value(value: Any) -> str:
    r"""A value as TOML writes it, on one line; what TOML cannot hold is refused.

    >>> print(toml_value({"a b": ["x\n", 1.0, True, float("inf")]}))
    { "a b" = ["x\n", 1.0, true, inf] }
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"{value}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {toml_value(each)}" for key, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    found = f"a study holds {str(value)[:60]!r}"
    raise InputError(found, "texts, numbers, true or false, and lists and tables of them")


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) and each for each in value)


def _key(key: Any) -> str:
    name = str(key)
    return name if BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """A text in quotation marks. JSON escapes as TOML does, but for DEL and for halves of characters, which it has."""
    if any(0xD800 <= ord(each) <= 0xDFFF for each in value):
        raise InputError(f"{value[:60]!r} holds half a character", "a text that can be written down")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
