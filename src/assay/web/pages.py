"""Pages of the workbench: one template around them, in the report's look, style and scripts allowed by hash.

The command line and the Python that give the same as a screen, each value as a literal.

A page for work that is not done yet, which tells how far it is and then makes room for the result.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from keyword import iskeyword
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from assay import __version__
from assay.errors import InputError
from assay.plots.style import stylesheet
from assay.report.renderers.html import digest
from assay.request import Request
from assay.text import shortened, visible
from assay.web.messages import Answer, Asked, Route, events_of, json_of
from assay.web.workbench import Job, Opened, Workbench

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "ROUTES",
    "Code",
    "call",
    "code_of_columns",
    "code_of_result",
    "failed",
    "held_as",
    "history",
    "item_said",
    "model_of",
    "page",
    "python_of",
    "stopped",
    "typed",
    "while_waiting",
]


MOST_LISTED = 50
SHOWN_NAME = 24


@dataclass(frozen=True)
class Code:
    """What gives the same as a screen: Python, and the command line."""

    python: str = ""
    command: str = ""


def page(
    workbench: Workbench,
    template: str,
    *,
    title: str,
    at: str,
    code: Code | None = None,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
    status: int = 200,
    **values: Any,
) -> Answer:
    """A page of the workbench; `at` is the title in the navigation it belongs to, `scripts` are built ones by name."""
    style = stylesheet() + "".join(_template_file(f"{name}.css") for name in ("workbench", *styles))
    written = [_template_file(f"{name}.js") for name in ("workbench", *scripts)]
    listed = _library_items(workbench)
    own = {
        "style": style, "scripts": written, "title": title, "at": at, "code": code or Code(), "version": __version__,
        "navigation": _navigation_links(), "listed": listed, "list_version": _listing_version(listed),
        "address": workbench.address,
    }  # fmt: skip
    text = _environment().get_template(template).render(**{"current": "", "folded": False, **own, **values})
    return Answer(text, status=status, headers=(("Content-Security-Policy", _content_security_policy(style, written)),))


def history(workbench: Workbench, current: str) -> dict[str, str]:
    """The list of opened items as a page shows it, and its version, so that every window can follow it."""
    listed = _library_items(workbench)
    html = _environment().get_template("_history.html.j2").render(listed=listed, current=current)
    return {"version": _listing_version(listed), "html": html}


def failed(workbench: Workbench, sentence: str, status: int) -> Answer:
    """The page that says what went wrong."""
    return page(workbench, "failed.html.j2", title="Error", at="", status=status, sentence=sentence)


def _content_security_policy(style: str, scripts: Sequence[str]) -> str:
    """What the page may do: use its own style and scripts, talk to this server, hold a report."""
    allowed = " ".join(f"'sha256-{digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; style-src 'sha256-{digest(style)}'; script-src {allowed}; img-src data:; "
        "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def _navigation_links() -> list[tuple[str, str]]:
    """The screens with a title of their own, and where they are."""
    from assay.web.routes import ROUTES

    return [(route.title, route.pattern) for route in ROUTES if route.title]


def _listing_version(listed: Sequence[Mapping[str, str]]) -> str:
    return hashlib.sha256(repr(listed).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _library_items(workbench: Workbench) -> list[Mapping[str, str]]:
    try:
        items = workbench.listing.all()[:MOST_LISTED]
    except InputError:
        items = []  # the page that says why is one with this list
    return [
        {
            "id": one.id,
            "name": one.name,
            "line": one.line,
            "at": time.strftime("%d %b %H:%M", time.localtime(one.at)),
            "address": f"/{'experiment' if one.kind == 'study' else 'result'}/{one.id}",
        }
        for one in items
    ]


@cache
def _template_file(name: str) -> str:
    return (files("assay.web") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("assay.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"visible": visible, "short": lambda text: shortened(visible(text), SHOWN_NAME)}
    return environment


def call(function: str, *given: Any, **options: Any) -> str:
    """A call in Python.

    >>> call("assay.evaluate", "a.csv", truth="y", score=["p"])
    "assay.evaluate('a.csv', truth='y', score=['p'])"
    """
    for name in options:
        # Names may come from a list that somebody else wrote, and must not be more than names.
        if not name.isidentifier() or iskeyword(name):
            raise InputError(f"invalid option name {name[:60]!r}", "a name of letters, digits and underscores")
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
        return Code(python, "# counts: Python only")
    files = options.pop("files", [opened.name])
    return Code(
        python, typed("compare" if opened.kind == "joined" else "evaluate", *files, **options, html="report.html")
    )


# Whoever waits no longer than this need not be told.
SOON = 0.8


def while_waiting(workbench: Workbench, opened: Opened, job: Job) -> Answer | None:
    """The page that waits for a job; None where it is done."""
    if job.is_done(SOON):
        return None
    return page(
        workbench, "waiting.html.j2", title=opened.name, at="", current=opened.id, scripts=("waiting",), status=202,
        opened=opened, job=job,
    )  # fmt: skip


def stopped(workbench: Workbench, opened: Opened, error: InputError, back: str = "") -> Answer:
    """The page that states what prevents a result, and offers what would settle it or the way `back`."""
    return page(
        workbench,
        "stopped.html.j2",
        title=opened.name,
        at="",
        current=opened.id,
        status=422,
        opened=opened,
        error=error,
        back=back,
    )


def progress(workbench: Workbench, asked: Asked) -> Answer:
    """What a job is at, as it goes on."""
    return events_of(workbench.jobs.find(asked.name("id")).told())


def listed(workbench: Workbench, asked: Asked) -> Answer:
    """Return the list of opened items where it has changed since a window was told its version."""
    found = history(workbench, asked.query.get("current", ""))
    return json_of(found if found["version"] != asked.query.get("version") else {"version": found["version"]})


ROUTES = (Route("GET", "/api/jobs/{id}", progress), Route("GET", "/api/history", listed))
