"""Result: the report itself, live, what else can be asked of it, and ways to take it along."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from assay.errors import InputError, OptionError
from assay.report import answers, movable
from assay.web.evaluations import Read, checked_options, read
from assay.web.messages import Answer, Asked, Route, sent_to
from assay.web.pages import code_of_result, item_said, page, stopped, while_waiting
from assay.web.screens.files import files_of
from assay.web.workbench import Opened, Workbench

__all__ = ["ROUTES", "framed"]

# What one file may hold and another one of the same cases not.
OF_ONE_FILE = ("score", "pred", "certainty", "by", "amount", "ignore")
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
FORMS = {
    "html": ("text/html; charset=utf-8", ""),
    "json": ("application/json", "json"),
    "csv": ("text/csv; charset=utf-8", "csv"),
    "md": ("text/markdown; charset=utf-8", "markdown"),
    "tex": ("application/x-tex; charset=utf-8", "latex"),
}


def show(workbench: Workbench, asked: Asked) -> Answer:
    """The report with the workbench around it."""
    opened = workbench.listing.find(asked.name("id"))
    job = read(workbench, opened)
    waiting = while_waiting(workbench, opened, job)
    if waiting is not None:
        return waiting
    try:
        found: Read = job.result()
    except InputError as error:
        return _obstacle_page(workbench, opened, error)
    if found.models is not None:
        workbench.listing.note(opened.id, "read", item_said(opened, len(found.models)))
    return page(
        workbench, "result.html.j2", title=opened.name, at="", current=opened.id, scripts=("result",),
        code=code_of_result(opened, len(found.models or ())), opened=opened, models=_model_views(found),
        columns=_subgroup_columns(opened, found),
        others=_joinable_files(workbench, opened),
        is_scored=any(one["movable"] is not None for one in _model_views(found)),
        prevalence=_prevalence_value(found), folded=True,
    )  # fmt: skip


def _obstacle_page(workbench: Workbench, opened: Opened, error: InputError) -> Answer:
    """The page that states what prevents a result; a comparison that nothing can settle is taken off the list."""
    if opened.kind != "joined":
        return stopped(workbench, opened, error)
    first = opened.options["files"][0]
    back = next((one.id for one in workbench.listing.all() if (one.kind, one.name) == ("file", first)), "")
    if not error.ways:
        workbench.listing.forget(opened.id)
    return stopped(workbench, opened, error, back=back)


def _model_views(found: Read) -> list[dict[str, Any]]:
    """The models: which matrix of the page is whose, and which of its thresholds."""
    if found.models is None:
        return []
    numbers = movable(found.models)
    having = [name for name, ev in found.models.items() if ev.matrix is not None]
    return [
        {
            "name": name, "movable": numbers.get(name), "matrix": having.index(name) if name in having else None,
            "classes": list(ev.classes), "decisions": [] if ev.matrix is None else list(ev.matrix.decisions),
            "rows": ev.rows is not None,
        }
        for name, ev in found.models.items()
    ]  # fmt: skip


def _prevalence_value(found: Read) -> str:
    from assay.evaluation import TwoClassEvaluation

    first = next(iter(found.models.values()), None) if found.models is not None else None
    return f"{100 * first.class_shares[first.positive]:.3g}" if isinstance(first, TwoClassEvaluation) else ""


def _subgroup_columns(opened: Opened, found: Read) -> list[str]:
    """The columns that subgroups can be made by."""
    if opened.kind != "file" or found.models is None:
        return []
    source = next(iter(found.models.values())).source
    by = source.columns.get("by", ())
    held = [*([by] if isinstance(by, str) else by), *source.unused]
    return list(dict.fromkeys(held))


def _joinable_files(workbench: Workbench, opened: Opened) -> list[str]:
    """Files that might hold other models' predictions of the same cases."""
    if opened.kind not in ("file", "joined"):
        return []
    own = opened.options.get("files", [opened.name])
    return [file["name"] for file in files_of(workbench) if file["name"] not in own]


def report(workbench: Workbench, asked: Asked) -> Answer:
    """The page, as it would be saved."""
    found: Read = read(workbench, workbench.listing.find(asked.name("id"))).result()
    return framed(found.page)


def framed(text: str) -> Answer:
    """A report that a screen of the workbench holds, which allows itself no more than as a file."""
    allowed = POLICY.search(text)
    policy = f"{allowed[1]}; frame-ancestors 'self'" if allowed else "default-src 'none'; frame-ancestors 'self'"
    return Answer(text, headers=(("Content-Security-Policy", policy.replace("&#39;", "'")),))


def saved(workbench: Workbench, asked: Asked) -> Answer:
    """The same offline page, or its numbers in another form, to keep."""
    opened = workbench.listing.find(asked.name("id"))
    found: Read = read(workbench, opened).result()
    form = asked.name("form").removeprefix("report.")
    if form not in FORMS or (found.models is None and form != "html"):
        raise OptionError(
            f"{form[:20]!r} is not a format of this report", "html" if found.models is None else ", ".join(FORMS)
        )
    kind, written = FORMS[form]
    text = (
        found.page
        if found.models is None or not written
        else answers.evaluations(found.models, written, lambda: found.compared)
    )
    stem = re.sub(r"[^\w.-]", "_", PurePosixPath(opened.name).name.split(".")[0], flags=re.ASCII) or "report"
    name = f'attachment; filename="{stem}-report.{form}"'
    return Answer(text, kind, headers=(("Content-Disposition", name),))


def change(workbench: Workbench, asked: Asked) -> Answer:
    """Make subgroups by another column, or by none."""
    opened = workbench.listing.find(asked.name("id"))
    said = {name: value for name, value in opened.options.items() if name != "by"}
    by = asked.said("by")
    options = checked_options({**said, **({"by": by} if by else {})})
    workbench.listing.keep(opened.kind, opened.name, options)
    return sent_to(f"/result/{opened.id}")


def join(workbench: Workbench, asked: Asked) -> Answer:
    """Put another file of the same cases beside this one: rows are matched by their ids."""
    opened = workbench.listing.find(asked.name("id"))
    if opened.kind not in ("file", "joined"):
        raise OptionError(f"{opened.name!r} has no rows to match", "a file with rows")
    other = workbench.name_of(workbench.file(asked.said("name")))
    files = [*opened.options.get("files", [opened.name]), other]
    # What is said of one file's own columns the other one need not have.
    kept = {name: value for name, value in opened.options.items() if name not in ("files", *OF_ONE_FILE)}
    options = {**kept, "files": files}
    together = workbench.listing.keep(
        "joined", " + ".join(PurePosixPath(name).name for name in files), options, repr(files)
    )
    return sent_to(f"/result/{together.id}")


ROUTES = (
    Route("GET", "/result/{id}", show),
    Route("GET", "/result/{id}/page", report),
    Route("GET", "/result/{id}/save/{form}", saved),
    Route("POST", "/result/{id}/by", change),
    Route("POST", "/result/{id}/join", join),
)
