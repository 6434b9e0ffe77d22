"""Columns: what each column of a file would be taken for and why, and the same said by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import AssayError, InputError, OptionError
from assay.report.renderers.html import about
from assay.results import counted
from assay.sources import Overview
from assay.web.evaluations import ROLES, Read, SeenColumns, checked_options, columns_of, read
from assay.web.messages import Answer, Asked, Route, sent_to
from assay.web.pages import code_of_columns, page, while_waiting
from assay.web.pages import stopped as nothing_to_show
from assay.web.workbench import Workbench

__all__ = ["ROUTES"]

NOT_USED, OPEN = "not used", "open"
# What menus call the roles, and what each is for.
MENU = {
    "truth": ("True label", ""),
    "score": ("Score", "of the positive class; one for each model"),
    "pred": ("Predicted label", ""),
    "certainty": ("Certainty", "probability of the predicted label"),
    "model": ("Model", "names the model of each row"),
    "id": ("Case id", "identifies rows"),
    "by": ("Subgroup", "each value is also evaluated separately"),
    "cluster": ("Cluster", "groups of dependent rows"),
    "fold": ("Fold", "of a cross-validation"),
    "weight": ("Weight", "sampling weight of a case"),
    "count": ("Count", "number of equal cases in a row"),
    "amount": ("Amount", "amount of a case, such as money"),
    NOT_USED: ("Not used", ""),
}
SEVERAL = ("score", "pred", "ignore")
ONLY_NAMED = ("weight", "count", "cluster", "fold")
DROP = "drop"


def show(workbench: Workbench, asked: Asked) -> Answer:
    """The columns with their roles, before anything is evaluated."""
    opened = workbench.listing.find(asked.name("id"))
    if opened.kind != "file":
        return sent_to(f"/result/{opened.id}")
    job, models = columns_of(workbench, opened), read(workbench, opened)
    waiting = while_waiting(workbench, opened, job) or while_waiting(workbench, opened, models)
    if waiting is not None:
        return waiting
    will, stopped = _planned_reading(models)
    try:
        found: SeenColumns = job.result()
    except InputError as error:
        # Evidence and databases show no columns, and have a result all the same.
        if will is not None:
            return sent_to(f"/result/{opened.id}")
        return nothing_to_show(workbench, opened, stopped if isinstance(stopped, InputError) else error)
    code = code_of_columns(opened, None if will is None or will.models is None else len(will.models))
    return page(
        workbench, "columns.html.j2", title=f"{opened.name}: columns", at="", current=opened.id, code=code,
        opened=opened, rows=f"{'the first ' if found.note else ''}{counted(found.found.rows, 'row')}",
        columns=_column_lines(found), notes=[note for note in (found.note, *found.found.notes) if note], menu=MENU,
        will=_reading_words(will), stopped=stopped, missing=opened.options.get("missing") == DROP,
        positive=opened.options.get("positive", ""), unused=_unused_columns(found.found),
    )  # fmt: skip


def _planned_reading(job: Any) -> tuple[Read | None, InputError | AssayError | None]:
    """What will be read, or what stands in the way."""
    try:
        return job.result(), None
    except AssayError as error:
        return None, error


def _column_lines(found: SeenColumns) -> list[dict[str, Any]]:
    """Of each column its role, why, and how it looks; roles that no option names stay on offer where they are."""
    firsts = found.rows.names if found.rows is not None else ()
    lines = []
    for place, column in enumerate(found.found.columns):
        values = [row[place] for row in found.rows.values] if found.rows is not None and place < len(firsts) else None
        lines.append(
            {
                **column,
                "first": values if values is not None else column["holds"].split(", "),
                "look": "off" if column["role"] == NOT_USED else "maybe" if column["why"] == "by its contents" else "",
                "own": column["role"] if column["role"] not in MENU else "",
            }
        )
    return lines


def _unused_columns(found: Overview) -> list[str]:
    return [column["column"] for column in found.columns if column["role"] == NOT_USED]


def _reading_words(will: Read | None) -> dict[str, Any] | None:
    """How it will be read, in words."""
    if will is None or will.models is None:
        return None
    first = next(iter(will.models.values()))
    return {
        "about": about(will.models),
        "models": list(will.models),
        "classes": list(first.classes),
        "dropped": first.source.dropped,
        "remarks": list(first.source.remarks),
    }


def say(workbench: Workbench, asked: Asked) -> Answer:
    """Keep what was said of columns; then the columns again, or the result."""
    opened = workbench.listing.find(asked.name("id"))
    found: SeenColumns = columns_of(workbench, opened).result()
    named = _column_options(asked.form.get("column", ()), asked.form.get("role", ()), found.unsaid)
    kept = {name: value for name, value in opened.options.items() if name not in ROLES}
    for name in ("positive", "missing"):
        kept.pop(name, None)
        if asked.form.get(name, ("",))[0]:
            kept[name] = asked.form[name][0]
    options = checked_options({**kept, **named})
    workbench.listing.keep(opened.kind, opened.name, options)
    return sent_to(f"/result/{opened.id}" if "evaluate" in asked.form else f"/columns/{opened.id}")


def settle(workbench: Workbench, asked: Asked) -> Answer:
    """Take one of the ways that a refusal names."""
    opened = workbench.listing.find(asked.name("id"))
    _, stopped = _planned_reading(read(workbench, opened))
    ways = stopped.ways if isinstance(stopped, InputError) else ()
    number = asked.said("way")
    if not number.isdigit() or int(number) >= len(ways):
        raise OptionError("this suggestion is outdated", "reloading the page")
    said = {name: list(value) if isinstance(value, tuple) else value for name, value in ways[int(number)][0].items()}
    workbench.listing.keep(opened.kind, opened.name, checked_options({**opened.options, **said}))
    return sent_to(f"/columns/{opened.id}")  # which leads on where there are no columns to say


def _column_options(columns: Sequence[str], roles: Sequence[str], unsaid: Overview) -> dict[str, Any]:
    """The options that give each column its role: only those that would not be inferred anyway.

    >>> guessed = Overview("f", 3, ({"column": "y", "role": "truth"}, {"column": "w", "role": "weight"}))
    >>> [_column_options(["y", "w"], ["truth", role], guessed) for role in ("weight", "not used")]
    [{}, {'ignore': ['w']}]
    """
    inferred = {column["column"]: column["role"] for column in unsaid.columns}
    if len(columns) != len(roles) or list(columns) != list(inferred):
        raise OptionError("the columns of the file have changed", "reloading the page")
    wanted = dict(zip(columns, roles, strict=True))
    changed = [column for column in columns if wanted[column] != inferred[column]]
    # Once some are named, these are used only if they are named too.
    touched = {*(inferred[column] for column in changed), *(wanted[column] for column in changed)}
    touched |= {*ONLY_NAMED} if changed else set()
    named: dict[str, Any] = {}
    for column, role in wanted.items():
        if role not in touched:
            continue
        if role == NOT_USED and inferred[column] not in (NOT_USED, OPEN):
            named.setdefault("ignore", []).append(column)
        elif role in SEVERAL:
            named.setdefault(role, []).append(column)
        elif role in named:
            raise OptionError(
                f"{named[role]!r} and {column!r} both have the role {MENU[role][0].lower()}", "one column"
            )
        elif role in MENU and role != NOT_USED:
            named[role] = column
        elif role != NOT_USED and role != inferred[column]:
            raise OptionError(f"{role[:40]!r} is not a role of columns", "a role from the menu")
    return named


ROUTES = (
    Route("GET", "/columns/{id}", show),
    Route("POST", "/columns/{id}", say),
    Route("POST", "/columns/{id}/settle", settle),
)
