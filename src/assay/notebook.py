"""How whatever a user holds shows itself in a notebook: one way up to the report, where views are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["in_notebook"]


def in_notebook(held: Any) -> str:
    """The view of an object as HTML; as a class's `_repr_html_` it is what Jupyter and its like ask for."""
    if TYPE_CHECKING:  # a type checker would follow the import round in a circle
        view: Callable[[Any], str]
    else:
        from assay.report.views import view
    return view(held)
