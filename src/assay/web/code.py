"""The command line and the Python that give the same as a screen, each value as a literal."""

from __future__ import annotations

import re
import shlex
from keyword import iskeyword
from pathlib import PurePosixPath
from typing import Any

from assay.errors import InputError
from assay.request import Request
from assay.web.listing import Opened
from assay.web.pages import Code

__all__ = ["call", "code_of_columns", "code_of_result", "held_as", "item_said", "model_of", "python_of", "typed"]


def call(function: str, *given: Any, **options: Any) -> str:
    """A call in Python.

    >>> call("assay.evaluate", "a.csv", truth="y", score=["p"])
    "assay.evaluate('a.csv', truth='y', score=['p'])"
    """
    for name in options:
        # Names may come from a list that somebody else wrote, and must not be more than names.
        if not name.isidentifier() or iskeyword(name):
            raise InputError(f"an option is called {name[:60]!r}", "a name of letters, digits and underscores")
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


def code_of_columns(opened: Opened, models: int | None) -> Code:
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


def python_of(opened: Opened, models: int) -> str:
    """The Python that reads what was opened: one model, several, or their comparison."""
    options = dict(opened.options)
    if opened.kind == "joined":
        return f"{held_as(opened)} = {call('assay.compare', options.pop('files'), **options)}"
    if opened.kind == "counts":
        counts, classes = options.pop("counts"), options.pop("classes")
        named = {} if classes is None else {"classes": classes}
        return f"{held_as(opened)} = {call('assay.from_counts', counts, **named, **options)}"
    function = "assay.evaluate" if models == 1 else "assay.evaluate_models"
    return f"{held_as(opened)} = {call(function, opened.name, **options)}"


def item_said(opened: Opened, models: int) -> dict[str, Any]:
    """What a step says of something opened, and of how many models that are in it."""
    return {"kind": opened.kind, "name": opened.name, "options": dict(opened.options), "models": models}


def held_as(opened: Opened) -> str:
    """What Python calls it: a name that no other thing opened here has.

    >>> held_as(Opened("3f2a99", "file", "uploads/eights-2.csv"))
    'eights_2_3f2a'
    """
    stem = re.sub(r"\W+", "_", PurePosixPath(opened.name).name.split(".")[0], flags=re.ASCII).strip("_").lower()
    return f"{stem if stem[:1].isalpha() else 'opened'}_{opened.id[:4]}"


def model_of(opened: Opened, models: int, model: str) -> str:
    """What Python calls one of its models."""
    if opened.kind == "joined":
        return f"{held_as(opened)}.models[{model!r}]"
    return held_as(opened) if models == 1 else f"{held_as(opened)}[{model!r}]"


def code_of_result(opened: Opened, models: int) -> Code:
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
