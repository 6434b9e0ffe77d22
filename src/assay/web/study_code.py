"""The command lines and the Python that do what the screens of a study do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pprint import pformat
from typing import Any

from assay.text import visible
from assay.web.pages import Code

__all__ = ["list_code", "shown_code", "study_code"]

WIDTH = 100


def study_code(file: str, said: Mapping[str, Any], allow: tuple[str, ...]) -> Code:
    """What runs a study, from its file and without it; both keep their cells in the same store."""
    command = ["assay", "experiment", "run", file, *_allowed(allow)]
    return Code(_called(said, allow), f"{_typed(command)}\n")


def shown_code(file: str, said: Mapping[str, Any], allow: tuple[str, ...], measure: str, level: float) -> Code:
    """What runs a study, and shows what it found by a measure."""
    asked = ["--measure", measure] + ([] if level == 0.95 else ["--level", str(level)])
    page = f"{file.removesuffix('.toml')}.html"
    run = ["assay", "experiment", "run", file, *_allowed(allow), "--quiet", *asked]
    shown = ["assay", "experiment", "show", file, *asked, "--html", page]
    levels = "" if level == 0.95 else f", level={level}"
    python = (
        f"{_called(said, allow)}print(study.table({measure!r}{levels}))\nstudy.report({page!r}, {measure!r}{levels})\n"
    )
    return Code(python, f"{_typed(run)}\n{_typed(shown)}\n")


def list_code(studies: Mapping[str, Mapping[str, Any]]) -> Code:
    """What says how far studies have come, by the names of their files."""
    if not studies:
        return Code("# no study of this folder was run yet\n", "# no study of this folder was run yet\n")
    opened = "".join(f"print(open_study({said['store']!r}, {said['name']!r}))\n" for said in studies.values())
    lines = "".join(_typed(["assay", "experiment", "show", name]) + "\n" for name in studies)
    return Code(f"from assay.experiments import open_study\n\n{opened}", lines)


def _called(said: Mapping[str, Any], allow: tuple[str, ...]) -> str:
    first = ("datasets", "learners")
    named = {
        **{key: value for key, value in said.items() if key not in first},
        **({"allow": [*allow]} if allow else {}),
    }
    lines = [*(_laid(said[key]) for key in first), *(f"{key}={_laid(value)}" for key, value in named.items())]
    inside = "".join(f"    {line},\n" for line in lines)
    return f"import assay\n\nstudy = assay.experiment(\n{inside})\n"


def _laid(value: Any) -> str:
    """An argument, a long one over several lines."""
    return pformat(value, width=WIDTH, sort_dicts=False, compact=True).replace("\n", "\n    ")


def _allowed(allow: tuple[str, ...]) -> list[str]:
    return [word for package in allow for word in ("--allow", package)]


def _typed(words: list[str]) -> str:
    return visible(shlex.join(words))
