"""Open: files of the folder, files that a browser sends, the bundled example."""

from __future__ import annotations

from assay.web.pages import page
from assay.web.records import Answer, Asked, Route
from assay.web.workbench import Workbench

__all__ = ["ROUTES"]


def home(workbench: Workbench, asked: Asked) -> Answer:
    """The first screen."""
    return page(workbench, "open.html.j2", title="Open", at="Open")


ROUTES = (Route("GET", "/", home, "Open"),)
