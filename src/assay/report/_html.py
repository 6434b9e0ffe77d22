"""Evaluations as one HTML page that needs nothing but itself, and as a fragment for notebooks."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import secrets
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import __version__
from assay.evaluation import Evaluation
from assay.plots import svg_fragment
from assay.plots.style import MODELS, stylesheet
from assay.report.blocks import Row
from assay.report.sections import written
from assay.report.verdict import about, verdict
from assay.report.words import bracketed, no_interval, number

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render_html", "render_notebook", "write_html"]

IN_NOTEBOOKS = ("headline", "operating-point", "cautions")
# Names of a baseline this near an end of its axis are set inwards.
NEAR_AN_END = 0.18


def render_html(models: Mapping[str, Evaluation]) -> str:
    """The page: no script, no request to anywhere, its style allowed by hash alone."""
    style = stylesheet() + _file("report.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            style=style,
            digest=digest,
            about=about(models),
            verdict=verdict(models),
            sections=written(models),
            version=__version__,
        )
    )


def render_notebook(models: Mapping[str, Evaluation]) -> str:
    """The short table as a fragment that styles nothing but itself."""
    return (
        _environment()
        .get_template("notebook.html.j2")
        .render(style=_file("notebook.css"), sections=written(models, IN_NOTEBOOKS))
    )


def write_html(models: Mapping[str, Evaluation], path: str | os.PathLike[str]) -> None:
    """Write the page; whoever reads `path` meanwhile sees the old file or the new one, never half of one."""
    page = render_html(models)
    target = Path(path)
    unfinished = target.with_name(f".assay-{secrets.token_hex(8)}.tmp")
    try:
        with unfinished.open("x", encoding="utf-8", newline="\n") as file:
            file.write(page)
        unfinished.replace(target)
    except OSError as error:
        # The user knows the name they gave, not ours.
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _file(name: str) -> str:
    return (files("assay.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("assay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": lambda value: "\u2013" if math.isnan(value) else number(value),
        "limits": bracketed,
        "reason": no_interval,
        "at": _at,
        "groupby_in_order": _grouped,
        "unbroken": lambda text: text.replace(" %", "\u00a0%"),
    }
    environment.globals |= {
        # The only markup that does not come from a template; it escapes what it is given itself.
        "svg": lambda figure: Markup(svg_fragment(figure)),  # noqa: S704
        "bar": _bar,
        "models": MODELS,
    }
    return environment


def _grouped(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [{"name": name, "rows": list(group)} for name, group in groupby(rows, lambda row: row.group)]


def _at(value: float) -> str:
    """A place on an axis from 0 to 1, as a coordinate that stretches with it."""
    return f"{100 * value:.2f}%"


def _bar(row: Row) -> dict[str, Any]:
    """What of a row fits an axis from 0 to 1: the estimate, its limits, its baseline."""
    estimate, baseline = row.estimate, row.baseline
    is_inside = 0 <= estimate.value <= 1
    has_limits = is_inside and estimate.low >= 0 and estimate.high <= 1
    return {
        "is_drawn": is_inside and (has_limits or math.isnan(estimate.low)),
        "has_limits": has_limits,
        "baseline": baseline if baseline is not None and 0 <= baseline.value <= 1 else None,
        "anchor": "middle" if baseline is None else _anchor(baseline.value),
    }


def _anchor(value: float) -> str:
    return "start" if value < NEAR_AN_END else "end" if value > 1 - NEAR_AN_END else "middle"
