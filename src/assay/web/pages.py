"""Pages of the workbench: one template around them, in the report's look, style and scripts allowed by hash."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from assay import __version__
from assay.errors import InputError
from assay.plots.style import stylesheet
from assay.report.renderers.html import digest
from assay.text import shortened, visible
from assay.web.records import Answer

if TYPE_CHECKING:
    from jinja2 import Environment

    from assay.web.workbench import Workbench

__all__ = ["Code", "failed", "history", "page"]

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
    style = stylesheet() + "".join(_file(f"{name}.css") for name in ("workbench", *styles))
    written = [_file(f"{name}.js") for name in ("workbench", *scripts)]
    listed = _listed(workbench)
    own = {
        "style": style, "scripts": written, "title": title, "at": at, "code": code or Code(), "version": __version__,
        "navigation": _navigation(), "listed": listed, "list_version": _version(listed), "address": workbench.address,
    }  # fmt: skip
    text = _environment().get_template(template).render(**{"current": "", "folded": False, **own, **values})
    return Answer(text, status=status, headers=(("Content-Security-Policy", _policy(style, written)),))


def history(workbench: Workbench, current: str) -> dict[str, str]:
    """The list of opened items as a page shows it, and its version, so that every window can follow it."""
    listed = _listed(workbench)
    html = _environment().get_template("_history.html.j2").render(listed=listed, current=current)
    return {"version": _version(listed), "html": html}


def failed(workbench: Workbench, sentence: str, status: int) -> Answer:
    """The page that says what went wrong."""
    return page(workbench, "failed.html.j2", title="Not done", at="", status=status, sentence=sentence)


def _policy(style: str, scripts: Sequence[str]) -> str:
    """What the page may do: use its own style and scripts, talk to this server, hold a report."""
    allowed = " ".join(f"'sha256-{digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; style-src 'sha256-{digest(style)}'; script-src {allowed}; img-src data:; "
        "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def _navigation() -> list[tuple[str, str]]:
    """The screens with a title of their own, and where they are."""
    from assay.web.routes import ROUTES

    return [(route.title, route.pattern) for route in ROUTES if route.title]


def _version(listed: Sequence[Mapping[str, str]]) -> str:
    return hashlib.sha256(repr(listed).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _listed(workbench: Workbench) -> list[Mapping[str, str]]:
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
def _file(name: str) -> str:
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
