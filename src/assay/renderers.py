"""The renderers of results: `assay.report` and `assay.plots` register them here, and a result shows itself by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Literal, TypeVar

from assay.errors import UnknownName

__all__ = ["Form", "in_notebook", "latex_text", "plot", "render", "renders", "svg"]

# Text, a view in a notebook, a page in a file, LaTeX, a figure as data, a figure in matplotlib, a picture.
Form = Literal["text", "view", "page", "latex", "figure", "plot", "svg"]
Renderer = TypeVar("Renderer", bound=Callable[..., Any])

# The module whose import registers a form of a package's results; "" is every other package. Ranks, studies and
# streams have modules of their own, which load what no other report needs.
MODULES: Mapping[tuple[Form, str], str] = {
    ("text", ""): "assay.report",
    ("view", ""): "assay.report.notebook_views",
    ("view", "ranks"): "assay.report.pages.benchmarks",
    ("view", "experiments"): "assay.report.pages.benchmarks",
    ("view", "streams"): "assay.report.pages.stream",
    ("text", "items"): "assay.report.pages.items",
    ("page", "items"): "assay.report.pages.items",
    ("view", "items"): "assay.report.pages.items",
    ("page", ""): "assay.report",
    ("page", "ranks"): "assay.report.pages.benchmarks",
    ("page", "experiments"): "assay.report.pages.benchmarks",
    ("page", "streams"): "assay.report.pages.stream",
    ("latex", ""): "assay.report.notebook_views",
    ("figure", "evaluation"): "assay.plots.forest",
    ("figure", "ranks"): "assay.plots.critical_difference",
    ("plot", ""): "assay.plots",
    ("svg", ""): "assay.plots",
}

_renderers: dict[tuple[Form, type], Callable[..., Any]] = {}


def renders(form: Form, *kinds: type) -> Callable[[Renderer], Renderer]:
    """Register a function that renders results of these classes, and of those derived from them."""

    def register(renderer: Renderer) -> Renderer:
        _renderers.update(dict.fromkeys([(form, kind) for kind in kinds], renderer))
        return renderer

    return register


def render(form: Form, result: Any, *given: Any, **options: Any) -> Any:
    """Return a result in a form, by the renderer of its class; the module that registers it is imported first."""
    for kind in type(result).__mro__:
        package = kind.__module__.removeprefix("assay.").split(".")[0]
        module = MODULES.get((form, package)) or MODULES.get((form, ""))
        if module is not None:
            import_module(module)
        if (form, kind) in _renderers:
            return _renderers[form, kind](result, *given, **options)
    raise UnknownName(f"there is no {form} of {type(result).__name__}", "a result that can be shown so")


def in_notebook(result: Any) -> str:
    """The view of a result as HTML; as a class's `_repr_html_` it is what Jupyter and its like ask for."""
    return str(render("view", result))


def latex_text(table: Any) -> str:
    """Return a table as LaTeX (booktabs), ready to be \\input."""
    return str(render("latex", table))


def plot(result: Any, ax: Any = None, **style: Any) -> Any:
    """Draw with matplotlib, into `ax` if given; returns the axes."""
    return render("plot", result, ax, **style)


def svg(result: Any) -> str:
    """The drawing as a standalone SVG picture."""
    return str(render("svg", result))
