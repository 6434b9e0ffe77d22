"""Studies that run in the background: each in a program of its own, so that neither it nor the server can lose a cell.

What is known of a run is in the library and in the study's store, never in memory: a server that was killed and started
again, or another window, sees the same.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.web.listing import Library
from assay.web.study_lock import is_held
from assay.web.workbench import Workbench

__all__ = ["Runs", "StudyRun", "begin_run", "cancel_run", "fingerprint", "running_studies", "state_of"]

STARTED = 20.0  # seconds that a program may take to say that it has begun
LOOKS = 0.05  # seconds between two looks whether it has
TABLE = (
    "CREATE TABLE IF NOT EXISTS study_runs (study TEXT PRIMARY KEY, run TEXT NOT NULL, began REAL NOT NULL,"
    " ended REAL, stop INTEGER NOT NULL, before INTEGER, text TEXT NOT NULL, outcome TEXT NOT NULL, said TEXT NOT NULL)"
)


@dataclass(frozen=True)
class StudyRun:
    """The last run of a study: `before` counts the cells that had ended when it began, `text` is what file it was of.

    `outcome` is done, cancelled or refused once it has ended; `said` is why.
    """

    study: str
    run: str
    began: float
    ended: float | None = None
    stop: int = 0
    before: int | None = None
    text: str = ""
    outcome: str = ""
    said: str = ""


class Runs:
    """The last run of every study of a folder, in its library."""

    def __init__(self, library: Library) -> None:
        self.listing = library

    def find(self, study: str) -> StudyRun | None:
        """The last run of a study."""
        names = ", ".join(each.name for each in fields(StudyRun))
        with self._table() as connection:
            row = connection.execute(f"SELECT {names} FROM study_runs WHERE study = ?", (study,)).fetchone()  # noqa: S608
        return None if row is None else StudyRun(*row)

    def begin(self, run: StudyRun) -> None:
        """A program has begun to run a study."""
        values = tuple(getattr(run, each.name) for each in fields(StudyRun))
        names, marks = ", ".join(each.name for each in fields(StudyRun)), ", ".join("?" for _ in values)
        with self._table() as connection:
            connection.execute(f"INSERT OR REPLACE INTO study_runs ({names}) VALUES ({marks})", values)  # noqa: S608

    def tell(self, study: str, **news: Any) -> None:
        """Keep what became of a run."""
        changed = ", ".join(f"{name} = ?" for name in news)
        with self._table() as connection:
            connection.execute(f"UPDATE study_runs SET {changed} WHERE study = ?", (*news.values(), study))  # noqa: S608

    @contextmanager
    def _table(self) -> Iterator[Any]:
        with self.listing.changing() as connection:
            connection.execute(TABLE)
            yield connection


def fingerprint(text: str) -> str:
    """What a text is, to tell whether it was changed meanwhile."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def state_of(workbench: Workbench, study: Path) -> str:
    """How it stands with the runs of a study: new, running, stopping, interrupted, done, cancelled or refused."""
    run = Runs(workbench.listing).find(workbench.name_of(study))
    if is_held(study):
        return "stopping" if run is not None and run.stop else "running"
    if run is None:
        return "new"
    return run.outcome if run.ended is not None else "interrupted"


def running_studies(workbench: Workbench) -> list[str]:
    """The studies of the folder that some program runs now."""
    names = [one.name for one in workbench.listing.all() if one.kind == "study"]
    return [name for name in names if is_held(workbench.folder / name)]


def begin_run(workbench: Workbench, study: Path, *, retry: bool = False) -> None:
    """Start the program that runs a study, unless one does: however often it is asked for, it is one run."""
    if is_held(study):
        return
    name, run = workbench.name_of(study), uuid.uuid4().hex
    asked = ["--retry"] if retry else []
    asked += [word for package in workbench.allow for word in ("--allow", package)]
    command = [sys.executable, "-P", "-m", "assay.web.study_runner", str(workbench.folder), name, run, *asked]
    # The same places to import from as the server's, and none that the served folder could add.
    path = os.pathsep.join(each or str(Path.cwd()) for each in sys.path)
    begun = subprocess.Popen(  # noqa: S603 -- this program's own module, with words that were checked
        command,
        cwd=workbench.folder.anchor,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # what ends the server does not end it
    )
    threading.Thread(target=begun.wait, daemon=True).start()  # so that the system may forget it when it ends
    until, runs = time.monotonic() + STARTED, Runs(workbench.listing)
    while time.monotonic() < until:
        found = runs.find(name)
        if found is not None and found.run == run:
            return
        if begun.poll() is not None:
            break
        time.sleep(LOOKS)
    if begun.poll() != 0 or not is_held(study):  # it ends by itself where another was quicker
        raise AssayError(f"the program that runs {study.name!r} did not begin; start the study again")


def cancel_run(workbench: Workbench, study: Path) -> None:
    """Ask the program that runs a study to stop; cells that are done stay done."""
    if is_held(study):
        Runs(workbench.listing).tell(workbench.name_of(study), stop=1)
