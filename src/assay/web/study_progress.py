"""How far a study has come, from its store and from the word its runs left: what every window and every server sees."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.results import counted
from assay.text import visible
from assay.web.study_bounds import bounded_study
from assay.web.study_runs import Runs, StudyRun, fingerprint, state_of

if TYPE_CHECKING:
    from assay.experiments import Study
    from assay.experiments.study_grid import StudyGrid
    from assay.web.workbench import Workbench

__all__ = ["MOVING", "STATES", "opened_study", "progress_events", "progress_of"]

LOOKS = 0.5  # seconds between two looks of a window
LONGEST = 600.0  # seconds of one stream of events, which the browser then asks for anew
SHOWN_FAILURES = 6  # kinds of them
MOST_ROWS, MOST_COLUMNS = 40, 12  # of the grid of learners by data sets
ENOUGH = 5  # cells after which the time of the others can be told
MOVING = ("running", "stopping")
SENTENCES = {
    "new": "Not run yet.",
    "running": "Running.",
    "stopping": "Stopping.",
    "interrupted": "The program that ran it was stopped before it was done.",
    "cancelled": "Cancelled.",
    "refused": "It could not be run.",
    "begun": "Run in part, by another program.",
    "done": "Done.",
}
# What to do next after a run that ended early: with finished cells in the store, and without.
NEXT = {True: "What is finished is stored; press Resume to continue.", False: "Nothing is stored yet; press Run."}
ENDED_EARLY = ("interrupted", "cancelled")
# The same in a few words, for the list of what was opened.
STATES = {
    **{state: state for state in ("running", "stopping", "interrupted", "cancelled", "done")},
    "new": "not run yet",
    "refused": "could not be run",
    "begun": "run in part",
}
CHANGED = {
    True: "The file was changed since this run began; it goes on with what the file said then.",
    False: "The file was changed since it was run; run it to see what changes.",
}


def opened_study(workbench: Workbench, file: Path) -> Study | None:
    """A study as its store holds it, to be read; nothing while no run of it has stored anything."""
    from assay.experiments.store import NoStudy
    from assay.experiments.study import open_study

    said = bounded_study(workbench, _text(file), file)
    if not Path(said["store"]).exists():
        return None
    try:
        return open_study(said["store"], said["name"])
    except NoStudy:
        return None


def progress_of(workbench: Workbench, file: Path) -> dict[str, Any]:
    """How far a study has come."""
    study = _readable(workbench, file)
    if study is None:
        return _progress(workbench, file, None)
    with closing(study.store):
        return _progress(workbench, file, study, _grid_of(study))


def progress_events(workbench: Workbench, file: Path) -> Iterator[Mapping[str, Any] | None]:
    """How far a study has come, again whenever that changes, until nothing moves any more."""
    until, last, study = time.monotonic() + LONGEST, dict[str, Any](), None
    grid: StudyGrid | None = None
    try:
        while time.monotonic() < until:
            study = study or _readable(workbench, file)
            try:
                if study is not None and grid is None:
                    grid = _grid_of(study)
                told = _progress(workbench, file, study, grid)
            except AssayError:  # the store went away
                told = _progress(workbench, file, None)
            yield told if told != last else None
            last = told
            if told["over"]:
                return
            time.sleep(LOOKS)
    finally:
        if study is not None:
            study.store.close()


def _readable(workbench: Workbench, file: Path) -> Study | None:
    with suppress(AssayError, OSError):  # a store that is only being made, or a file that is being edited
        return opened_study(workbench, file)
    return None


def _progress(workbench: Workbench, file: Path, study: Study | None, grid: StudyGrid | None = None) -> dict[str, Any]:
    state, run = state_of(workbench, file), Runs(workbench.listing).find(workbench.name_of(file))
    counts = {"todo": 0, "running": 0, "done": 0, "failed": 0} if study is None else study.progress()
    cells = sum(counts.values())
    ended, missing = counts["done"] + counts["failed"], counts["todo"] + counts["running"]
    if state == "new" and cells:  # by the command line
        state = "begun" if missing else "done"
    elif state == "done" and missing:
        state = "interrupted"
    words = _words(state, cells, counts, _times(state, run, ended, missing))
    failures = [] if study is None or not counts["failed"] else _failures(study)
    is_changed = run is not None and run.text != fingerprint(_text(file))
    return {
        "state": state,
        "cells": cells,
        "done": counts["done"],
        "failed": counts["failed"],
        "missing": missing,
        "words": words,
        "spoken": SENTENCES[state] if state in MOVING else words,
        "line": f"{ended:,} of {counted(cells, 'cell')}, {STATES[state]}" if cells else STATES[state],
        "said": "" if run is None or state in MOVING else visible(run.said),
        "failures": failures[:SHOWN_FAILURES],
        "more": max(0, len(failures) - SHOWN_FAILURES),
        "grid": [] if study is None or grid is None or not cells else _grid_rows(grid.look(study)),
        "changed": CHANGED[state in MOVING] if is_changed else "",
        "over": state not in MOVING,
        "verb": "Resume" if ended and not is_changed else "Run",
        "runs": state not in MOVING and (state != "done" or is_changed or run is None),
    }


def _grid_of(study: Study) -> StudyGrid:
    from assay.experiments.study_grid import StudyGrid

    return StudyGrid(study.datasets, study.learners)


def _grid_rows(grid: StudyGrid) -> list[list[str]]:
    """Learners by data sets, the names of these first; as much as a screen has room for."""
    head = ["learner", *(visible(name) for name in grid.datasets[:MOST_COLUMNS])]
    return [head, *(row[: MOST_COLUMNS + 1] for row in grid.rows()[:MOST_ROWS])]


def _words(state: str, cells: int, counts: Mapping[str, int], times: str) -> str:
    said = [SENTENCES[state]]
    if cells:
        failed = f", {counts['failed']:,} failed" if counts["failed"] else ""
        said.append(f"{counts['done'] + counts['failed']:,} of {counted(cells, 'cell')}{failed}{times}.")
    elif state == "running":
        said.append("Reading the data.")
    if state in ENDED_EARLY:
        said.append(NEXT[counts["done"] + counts["failed"] > 0])
    return " ".join(said)


def _times(state: str, run: StudyRun | None, ended: int, missing: int) -> str:
    if run is None:
        return ""
    seconds = (run.ended or time.time()) - run.began
    if state not in MOVING:
        return f", in {_duration(seconds)}" if run.ended is not None else ""
    new = ended - (run.before if run.before is not None else ended)
    left = f", about {_duration(seconds * missing / new)} left" if new >= ENOUGH and missing else ""
    return f", {_duration(seconds)}{left}"


def _duration(seconds: float) -> str:
    """Seconds as one reads them.

    >>> _duration(0.4), _duration(75), _duration(7300)
    ('0 s', '1 min 15 s', '2 h 1 min')
    """
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _failures(study: Study) -> list[dict[str, str]]:
    """Cells that failed, those of a learner that failed alike together: where, and the last line of why."""
    table = study.failures()
    alike: dict[tuple[str, str], Counter[str]] = {}
    for row in table.rows():
        cell = dict(zip(table.columns, row, strict=True))
        why = str(cell["error"]).strip().split("\n")[-1][:300]
        alike.setdefault((cell["learner"], why), Counter())[cell["dataset"]] += 1
    return [
        {"where": visible(f"{learner}: {counted(where.total(), 'cell')} of {', '.join(where)}"), "why": visible(why)}
        for (learner, why), where in alike.items()
    ]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
