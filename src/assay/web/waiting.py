"""A page for work that is not done yet, which tells how far it is and then makes room for the result."""

from __future__ import annotations

from assay.errors import InputError
from assay.web.jobs import Job
from assay.web.listing import Opened
from assay.web.pages import page
from assay.web.records import Answer, Asked, Route, events_of
from assay.web.workbench import Workbench

__all__ = ["ROUTES", "stopped", "while_waiting"]

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


def stopped(workbench: Workbench, opened: Opened, error: InputError) -> Answer:
    """The page that says what stands in the way of a result, and offers what would settle it."""
    return page(
        workbench,
        "stopped.html.j2",
        title=opened.name,
        at="",
        current=opened.id,
        status=422,
        opened=opened,
        error=error,
    )


def progress(workbench: Workbench, asked: Asked) -> Answer:
    """What a job is at, as it goes on."""
    return events_of(workbench.jobs.find(asked.name("id")).told())


ROUTES = (Route("GET", "/api/jobs/{id}", progress),)
