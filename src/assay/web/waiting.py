"""A page for work that is not done yet, which tells how far it is and then makes room for the result."""

from __future__ import annotations

from assay.errors import InputError
from assay.web.jobs import Job
from assay.web.listing import Opened
from assay.web.pages import history, page
from assay.web.records import Answer, Asked, Route, events_of, json_of
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
