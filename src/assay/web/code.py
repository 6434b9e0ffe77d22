"""The command line and the Python that give the same as a screen, and a whole session as a script that runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from assay.request import Request
from assay.web.library import Opened
from assay.web.pages import Code
from assay.web.records import Answer, Asked, Route
from assay.web.workbench import Workbench

__all__ = ["ROUTES", "call", "code_of_columns", "code_of_result", "held_as", "model_of", "python_of", "typed"]

HEAD = "# What was done in the workbench, in its order. Run it in the folder that was served: python session.py"


def call(function: str, *given: Any, **options: Any) -> str:
    """A call in Python.

    >>> call("assay.evaluate", "a.csv", truth="y", score=["p"])
    "assay.evaluate('a.csv', truth='y', score=['p'])"
    """
    return f"{function}({', '.join([*map(repr, given), *(f'{name}={value!r}' for name, value in options.items())])})"


def typed(command: str, *files: str, **options: Any) -> str:
    """A command line; an option with several values is typed once for each.

    >>> typed("evaluate", "a b.csv", score=["p", "q"], default_class="no")
    "assay evaluate 'a b.csv' --score p --score q --default-class no"
    """
    # A name that begins like an option is a file's all the same.
    words = ["assay", command, *(f"./{name}" if name.startswith("-") else name for name in files)]
    for name, value in options.items():
        each = Request.options().get(name)
        flag = "--" + ((each.flag if each else "") or name.replace("_", "-"))
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [flag] if one is True else [flag, f"{one:g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)


def code_of_columns(opened: Opened, models: Mapping[str, Any] | None) -> Code:
    """What says which column is what."""
    options = dict(opened.options)
    roles = {
        name: value
        for name, value in options.items()
        if name in Request.options() and "columns" in Request.options()[name].commands
    }
    python = f"import assay\n\nprint({call('assay.columns', opened.name, **roles)})"
    if models is not None:
        python += f"\n{python_of(opened, models)}"
    return Code(python, typed("columns", opened.name, **roles) + "\n" + typed("evaluate", opened.name, **options))


def python_of(opened: Opened, models: Mapping[str, Any] | None) -> str:
    """The Python that reads what was opened: one model, several, or their comparison."""
    options = dict(opened.options)
    if opened.kind == "joined":
        return f"{held_as(opened)} = {call('assay.compare', options.pop('files'), **options)}"
    if opened.kind == "counts":
        counts, classes = options.pop("counts"), options.pop("classes")
        named = {} if classes is None else {"classes": classes}
        return f"{held_as(opened)} = {call('assay.from_counts', counts, **named, **options)}"
    function = "assay.evaluate" if models is not None and len(models) == 1 else "assay.evaluate_models"
    return f"{held_as(opened)} = {call(function, opened.name, **options)}"


def held_as(opened: Opened) -> str:
    """What Python calls it: a name that no other thing opened here has.

    >>> held_as(Opened("3f2a99", "file", "uploads/eights-2.csv"))
    'eights_2_3f2a'
    """
    stem = re.sub(r"\W+", "_", PurePosixPath(opened.name).name.split(".")[0], flags=re.ASCII).strip("_").lower()
    return f"{stem if stem[:1].isalpha() else 'opened'}_{opened.id[:4]}"


def model_of(opened: Opened, models: Mapping[str, Any], model: str) -> str:
    """What Python calls one of its models."""
    if opened.kind == "joined":
        return f"{held_as(opened)}.models[{model!r}]"
    return held_as(opened) if len(models) == 1 else f"{held_as(opened)}[{model!r}]"


def code_of_result(opened: Opened, models: Mapping[str, Any] | None) -> Code:
    """What gives the numbers of a result, and its page."""
    held = held_as(opened)
    if opened.kind == "stream":
        line = typed("stream", opened.name, **opened.options, html="report.html")
        return Code(f"import subprocess\n\nsubprocess.run({shlex.split(line)!r}, check=True)", line)
    python = f"import assay\n\n{python_of(opened, models)}\nprint({held})\n{held}.report('report.html')"
    options = dict(opened.options)
    if opened.kind == "counts":
        return Code(python, "# counts are given in Python alone")
    files = options.pop("files", [opened.name])
    return Code(
        python, typed("compare" if opened.kind == "joined" else "evaluate", *files, **options, html="report.html")
    )


def session(workbench: Workbench, asked: Asked) -> Answer:
    """The whole session as a script."""
    body = "\n\n".join(workbench.library.steps()) or "# Nothing was evaluated yet."
    text = f"{HEAD}\n\nimport assay\n\n{body}\n"
    return Answer(
        text, "text/x-python; charset=utf-8", headers=(("Content-Disposition", 'attachment; filename="session.py"'),)
    )


ROUTES = (Route("GET", "/session.py", session),)
