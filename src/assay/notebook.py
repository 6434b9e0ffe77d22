"""How objects show themselves in a notebook or a paper: one way up to the report, where views are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["in_notebook", "latex_text"]


def in_notebook(held: Any) -> str:
    """The view of an object as HTML; as a class's `_repr_html_` it is what Jupyter and its like ask for."""
    if TYPE_CHECKING:  # a type checker would follow the import round in a circle
        view: Callable[[Any], str]
    else:
        from assay.report.views import view
    return view(held)


def latex_text(table: Any) -> str:
    """Return a table as LaTeX (booktabs), ready to be \\input."""
    if TYPE_CHECKING:
        written: Callable[[Any], str]
    else:
        from assay.report.views import latex_table as written
    return written(table)
