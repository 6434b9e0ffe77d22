"""The rows behind a cell of a confusion matrix, as the file holds them: the most confidently wrong first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evaluation import Evaluation
from assay.evidence import rows_behind
from assay.report.renderers.html import sureness
from assay.report.wording import number
from assay.request import Request, checked_number
from assay.sources import HeldRows, held_rows
from assay.text import shortened, visible
from assay.web.evaluations import WRITTEN, Read, paths_of, read
from assay.web.messages import Answer, Asked, Route, found, json_of
from assay.web.workbench import Opened, Workbench

__all__ = ["ROUTES"]

ON_A_PAGE, LONGEST = 50, 80


def behind(workbench: Workbench, asked: Asked) -> Answer:
    """A page of the rows of one cell."""
    opened = workbench.listing.find(asked.name("id"))
    held: Read = read(workbench, opened).result()
    ev: Evaluation = found(held.models or {}, asked.query.get("model", ""), "model")
    rows = ev.rows
    if rows is None or ev.matrix is None:
        raise InputError("the source is counts or an evidence file, without rows", "the file of predictions")
    classes, decisions = ev.matrix.classes, ev.matrix.decisions
    truth, called = _whole_number(asked, "truth", len(classes)), _whole_number(asked, "called", len(decisions))
    threshold = asked.query.get("threshold", "")
    places, scores = _entry_row_places(
        ev, truth, called, checked_number(_parse_number(threshold), "threshold") if threshold else None
    )
    start = _whole_number(asked, "start", max(1, len(places)))
    shown = places[start : start + ON_A_PAGE]
    columns, values, note = _rows_table(workbench, opened, ev, shown, scores)
    return json_of(
        {
            "truth": visible(classes[truth]), "called": visible(decisions[called]), "total": len(places),
            "start": start, "order": "lowest confidence first" if truth == called else "highest confidence first",
            "columns": columns, "rows": values, "note": note, "page": ON_A_PAGE,
        }
    )  # fmt: skip


def _whole_number(asked: Asked, name: str, below: int) -> int:
    text = asked.query.get(name, "0")
    if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) >= below:
        raise OptionError(f"invalid {name} {text[:20]!r}", f"a whole number below {below:,}", about=name)
    return int(text)


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"invalid threshold {text[:20]!r}", "a number", about="threshold") from None


def _entry_row_places(
    ev: Evaluation, truth: int, called: int, threshold: float | None
) -> tuple[NDArray[np.intp], dict[str, NDArray[np.float64]]]:
    """The places of a cell's rows, the most wrong first, and the scores to show of each row."""
    rows = ev.rows
    assert rows is not None
    decided = rows.decision if threshold is None or rows.score is None else (rows.score >= threshold).astype(np.intp)
    if decided is None:
        raise InputError("these rows have no predicted labels", "labels or a threshold", {"threshold": 0.5})
    sure, columns = sureness(rows, decided)
    places = np.flatnonzero((rows.truth == truth) & (decided == called))
    if sure is not None:
        wrongness = sure[places] if truth != called else -sure[places]
        places = places[rows_behind(np.zeros(len(places), np.intp), wrongness, len(places))]
    return places, columns


def _rows_table(
    workbench: Workbench, opened: Opened, ev: Evaluation, places: NDArray[np.intp], scores: dict[str, Any]
) -> tuple[list[str], list[list[str]], str]:
    """The rows as a table: what is known of each, and its own columns where the file can be asked."""
    rows = ev.rows
    assert rows is not None
    own = [] if rows.id is None else [("id", [shortened(visible(str(rows.id[place])), LONGEST) for place in places])]
    titles = {
        "score": "score" if len(ev.classes) == 2 else "score of the predicted class",
        "own": "score of the true class",
    }
    known = [("row", [f"{place + 1:,}" for place in places]), *own]
    known += [(titles[name], [number(float(values[place])) for place in places]) for name, values in scores.items()]
    file, note = _rows_from_file(workbench, opened, ev, places)
    if file is not None:
        # The scores of other models tell what they made of the same row; a model's own one stands there already.
        scored = _role_columns(ev, "score")
        skipped = {*(scored if len(scored) == 1 else ()), *_role_columns(ev, "id")}
        kept = [k for k, name in enumerate(file.names) if name not in skipped]
        known += [(visible(file.names[k]), [visible(row[k] or "") for row in file.values]) for k in kept]
    return [name for name, _ in known], [list(row) for row in zip(*(values for _, values in known), strict=True)], note


def _role_columns(ev: Evaluation, role: str) -> tuple[str, ...]:
    held = ev.source.columns.get(role, ev.source.design.get(role, ()))
    return (held,) if isinstance(held, str) else tuple(held)


def _rows_from_file(
    workbench: Workbench, opened: Opened, ev: Evaluation, places: NDArray[np.intp]
) -> tuple[HeldRows | None, str]:
    """The same rows as the file holds them, in their order; why not, where that cannot be told."""
    if opened.kind != "file" or not len(places):
        return None, ""
    source, column = ev.source, _role_columns(ev, "id")
    (path,) = paths_of(workbench, opened)
    # How the file is written counts here as it did when it was read.
    written = Request.of({name: opened.options[name] for name in WRITTEN if name in opened.options})
    try:
        if not source.dropped and "model" not in source.columns:
            found_rows = held_rows(path, written, places=[int(place) + 1 for place in places])
            return _reordered_rows(found_rows, list(found_rows.places), [int(place) + 1 for place in places]), ""
        rows = ev.rows
        if rows is None or rows.id is None or not column or source.duplicates or "model" in source.columns:
            return (
                None,
                "Rows were left out or belong to several models: without an id column their contents are not shown.",
            )
        wanted = [str(rows.id[place]) for place in places]
        found_rows = held_rows(path, written, ids=(column[0], wanted))
        at = found_rows.names.index(column[0])
        return _reordered_rows(found_rows, [row[at] for row in found_rows.values], wanted), ""
    except InputError as error:
        return None, str(error)


def _reordered_rows(held: HeldRows, keys: Sequence[Any], wanted: Sequence[Any]) -> HeldRows | None:
    """Rows in the order in which they were asked for; None where the file does not hold them all any more."""
    at = {key: k for k, key in enumerate(keys)}
    if any(key not in at for key in wanted):
        return None
    order = [at[key] for key in wanted]
    return HeldRows(held.names, tuple(held.places[k] for k in order), tuple(held.values[k] for k in order))


ROUTES = (Route("GET", "/api/result/{id}/rows", behind),)
