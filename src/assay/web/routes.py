"""Every address and who answers it, and what a failure looks like in a browser."""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import replace

from assay.errors import AssayError, UnknownName
from assay.web import pages
from assay.web.messages import Answer, Asked, Route, json_of
from assay.web.pages import failed
from assay.web.screens import columns, files, results, rows, session, studies, thresholds
from assay.web.workbench import Workbench

__all__ = ["ROUTES", "answer"]

ROUTES: tuple[Route, ...] = (
    *(*files.ROUTES, *columns.ROUTES, *results.ROUTES, *thresholds.ROUTES, *rows.ROUTES, *studies.ROUTES),
    *(*pages.ROUTES, *session.ROUTES),
)
# Addresses for scripts, which get the reason of a failure as JSON.
FOR_SCRIPTS = "api"


def answer(workbench: Workbench, asked: Asked) -> Answer:
    """The answer to a request, whatever happens."""
    matches = [(route, names) for route in ROUTES if (names := route.match(asked.parts)) is not None]
    for route, names in matches:
        if route.method == asked.method:
            try:
                return route.handler(workbench, replace(asked, names=names))
            except AssayError as error:
                return _error_answer(workbench, asked, str(error), 404 if isinstance(error, UnknownName) else 422)
            except Exception as error:
                if os.environ.get("ASSAY_DEBUG"):
                    traceback.print_exc(file=sys.stderr)
                return _error_answer(
                    workbench, asked, f"internal error, please report it ({type(error).__name__}: {error})", 500
                )
    if matches:
        return _error_answer(workbench, asked, f"{asked.method} is not supported at this address", 405)
    return _error_answer(workbench, asked, "no page at this address", 404)


def _error_answer(workbench: Workbench, asked: Asked, sentence: str, status: int) -> Answer:
    if asked.parts[:1] == (FOR_SCRIPTS,):
        return json_of({"error": sentence}, status)
    return failed(workbench, sentence, status)
