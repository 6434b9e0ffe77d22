"""Studies that run in the background: each in a program of its own, so that neither it nor the server can lose a cell.

What is known of a run is in the library and in the study's store, never in memory: a server that was killed and started
again, or another window, sees the same.

Who runs a study now: a lock that the system itself takes back from a program that died, however it died.

How far a study has come, from its store and from the word its runs left: what every window and every server sees.

What a study may touch that is run from the workbench: files of the served folder, and this machine.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, InputError, OptionError
from assay.experiments.datasets import BUNDLED
from assay.experiments.learners import Learner, learners_of
from assay.experiments.study_file import study_of
from assay.results import counted
from assay.text import visible
from assay.web.workbench import Library, Workbench

if TYPE_CHECKING:
    from assay.experiments import Study
    from assay.experiments.study_grid import StudyGrid

__all__ = [
    "MOVING",
    "STATES",
    "SUFFIX",
    "Runs",
    "StudyRun",
    "begin_run",
    "bounded_study",
    "cancel_run",
    "checked_learners",
    "fingerprint",
    "held",
    "is_held",
    "opened_study",
    "progress_events",
    "progress_of",
    "running_studies",
    "state_of",
    "study_path",
]


PATIENCE = 2.0  # seconds, so that whoever only looks whether it is held keeps nobody out


@contextmanager
def held(study: Path) -> Iterator[bool]:
    """Hold the lock of a study for as long as the block lasts; False where another program has it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "flowers.toml")
    ...     before = is_held(file)
    ...     with held(file) as mine:
    ...         before, mine, is_held(file)
    (False, True, True)
    """
    with closing(_connect_store(study, PATIENCE)) as connection:
        yield _supports_statement(connection, "BEGIN EXCLUSIVE")


def is_held(study: Path) -> bool:
    """Whether some program runs the study."""
    if not _store_path(study).exists():
        return False
    with closing(_connect_store(study, 0)) as connection:
        # To read needs a lock that any number may have at once: those who look are not taken for one who runs it.
        return not _supports_statement(connection, "SELECT count(*) FROM sqlite_master")


def _supports_statement(connection: sqlite3.Connection, what: str) -> bool:
    try:
        connection.execute(what)
    except sqlite3.OperationalError:
        return False
    return True


def _connect_store(study: Path, patience: float) -> sqlite3.Connection:
    # SQLite for its locks alone, which it has on every system; nothing is ever written.
    return sqlite3.connect(_store_path(study), timeout=patience, isolation_level=None)


def _store_path(study: Path) -> Path:
    return study.with_name(f".{study.stem}.running")


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
        raise AssayError(f"the program that runs {study.name!r} did not start; run the study again")


def cancel_run(workbench: Workbench, study: Path) -> None:
    """Ask the program that runs a study to stop; cells that are done stay done."""
    if is_held(study):
        Runs(workbench.listing).tell(workbench.name_of(study), stop=1)


SUFFIX = ".toml"
STUDY_BOUNDS_LONGEST = 80  # characters of a study's name
FORBIDDEN = frozenset('/\\:*?"<>|')
# What a study file may say, and what becomes of it outside this machine or this folder.
ELSEWHERE = {
    "address": "a cluster at an address",
    "spool": "a folder to put data into",
    "lease": "a lease, for programs on other machines",
}
BY_HAND = "it left out here, or the study run by: assay experiment run"


def study_path(workbench: Workbench, name: str) -> Path:
    """Where a study of this name lies, or is to lie: a file of the served folder itself.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study_path(Workbench(Path(folder)), "flowers").name
    'flowers.toml'
    """
    called = name.removesuffix(SUFFIX).strip()
    wrong = not called or len(called) > STUDY_BOUNDS_LONGEST or called.startswith(".") or not called.isprintable()
    if wrong or FORBIDDEN & set(called):
        raise OptionError(
            f"invalid study name {name[:STUDY_BOUNDS_LONGEST]!r}",
            f"a name of at most {STUDY_BOUNDS_LONGEST} letters, digits, blanks and dashes",
        )
    path = workbench.folder / f"{called}{SUFFIX}"
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OptionError(f"{path.name!r} exists and is not a regular file", "another name")
    return path


def bounded_study(workbench: Workbench, text: str, file: Path) -> dict[str, Any]:
    """What the text of a study file says, if all of it stays in the served folder and on this machine."""
    said = study_of(text, file)
    for key, what in ELSEWHERE.items():
        if key in said:
            raise InputError(f"{file.name!r} names {what}", BY_HAND)
    if said.get("backend", "processes") != "processes":
        raise InputError(f"{file.name!r} has backend {said['backend']!r}"[:120], BY_HAND)
    said["store"] = str(_open_store(workbench, said["store"], file))
    for each in said["datasets"]:
        _refuse_outside(workbench, each)
    return said


def checked_learners(workbench: Workbench, given: Any) -> tuple[Learner, ...]:
    """The learners that a study names: presets, classes of scikit-learn and ours, and of packages allowed at start."""
    try:
        return learners_of(given, allow=workbench.allow)
    except InputError as error:
        package = error.options.get("allow")
        if package is None:
            raise
        raise InputError(error.found, f"the workbench started with: assay serve --allow {package}") from None


def _open_store(workbench: Workbench, place: str, file: Path) -> Path:
    refused = InputError(f"{file.name!r} stores its runs in {place[:80]!r}", "a separate file in the served folder")
    if "://" in place:
        raise refused
    path = Path(place)
    try:
        real = path.resolve()
        is_free = not path.is_symlink() and (path.is_file() or not path.exists())
    except (OSError, ValueError, RuntimeError):
        raise refused from None
    if not is_free or not real.is_relative_to(workbench.folder) or not real.parent.is_dir():
        raise refused
    if real in (file.resolve(), workbench.listing.path):
        raise refused
    return real


def _refuse_outside(workbench: Workbench, dataset: Any) -> None:
    """Refuse a data set that is neither bundled nor a file of the folder."""
    if not isinstance(dataset, Mapping):
        if dataset not in BUNDLED:
            needed = f'a bundled one ({", ".join(BUNDLED)}), or a file of the folder: {{ path = "cases.csv" }}'
            raise InputError(f"invalid data set {str(dataset)[:60]!r}", needed)
        return
    for key in ("path", "test", "validation"):
        if isinstance(dataset.get(key), str):
            for name in _files_read(Path(dataset[key])):
                workbench.file(name)


def _files_read(path: Path) -> list[str]:
    """The files that reading a path may open: KEEL's folds are those beside it, or those in a folder."""
    try:
        if path.is_dir():
            return [str(each) for each in path.iterdir()] or [str(path)]
        if path.suffix.lower() == ".dat" and path.exists():
            return [str(path), *(str(each) for each in path.parent.glob("*.dat"))]
    except (OSError, ValueError):
        pass  # the folder says of what is no file that it is none
    return [str(path)]


STUDY_PROGRESS_LOOKS = 0.5  # seconds between two looks of a window
LONGEST = 600.0  # seconds of one stream of events, which the browser then asks for anew
SHOWN_FAILURES = 6  # kinds of them
MOST_ROWS, MOST_COLUMNS = 40, 12  # of the grid of learners by data sets
ENOUGH = 5  # cells after which the time of the others can be told
MOVING = ("running", "stopping")
SENTENCES = {
    "new": "Not run yet.",
    "running": "Running.",
    "stopping": "Stopping.",
    "interrupted": "The program was stopped before the study was finished.",
    "cancelled": "Cancelled.",
    "refused": "The study could not be run.",
    "begun": "Partly run, by another program.",
    "done": "Done.",
}
# What to do next after a run that ended early: with finished cells in the store, and without.
NEXT = {True: "Finished runs are stored; press Resume to continue.", False: "Nothing is stored yet; press Run."}
ENDED_EARLY = ("interrupted", "cancelled")
# The same in a few words, for the list of what was opened.
STATES = {
    **{state: state for state in ("running", "stopping", "interrupted", "cancelled", "done")},
    "new": "not run yet",
    "refused": "could not be run",
    "begun": "partly run",
}
CHANGED = {
    True: "The file was changed since this run began; it continues with the earlier version.",
    False: "The file was changed since the last run; run it again to update the results.",
}


def opened_study(workbench: Workbench, file: Path) -> Study | None:
    """A study as its store holds it, to be read; nothing while no run of it has stored anything."""
    from assay.experiments.store import NoStudy
    from assay.experiments.study import open_study

    said = bounded_study(workbench, _read_text(file), file)
    if not Path(said["store"]).exists():
        return None
    try:
        return open_study(said["store"], said["name"])
    except NoStudy:
        return None


def progress_of(workbench: Workbench, file: Path) -> dict[str, Any]:
    """How far a study has come."""
    study = _open_readable_study(workbench, file)
    if study is None:
        return _progress_data(workbench, file, None)
    with closing(study.store):
        return _progress_data(workbench, file, study, _study_grid(study))


def progress_events(workbench: Workbench, file: Path) -> Iterator[Mapping[str, Any] | None]:
    """How far a study has come, again whenever that changes, until nothing moves any more."""
    until, last, study = time.monotonic() + LONGEST, dict[str, Any](), None
    grid: StudyGrid | None = None
    try:
        while time.monotonic() < until:
            study = study or _open_readable_study(workbench, file)
            try:
                if study is not None and grid is None:
                    grid = _study_grid(study)
                told = _progress_data(workbench, file, study, grid)
            except AssayError:  # the store went away
                told = _progress_data(workbench, file, None)
            yield told if told != last else None
            last = told
            if told["over"]:
                return
            time.sleep(STUDY_PROGRESS_LOOKS)
    finally:
        if study is not None:
            study.store.close()


def _open_readable_study(workbench: Workbench, file: Path) -> Study | None:
    with suppress(AssayError, OSError):  # a store that is only being made, or a file that is being edited
        return opened_study(workbench, file)
    return None


def _progress_data(
    workbench: Workbench, file: Path, study: Study | None, grid: StudyGrid | None = None
) -> dict[str, Any]:
    state, run = state_of(workbench, file), Runs(workbench.listing).find(workbench.name_of(file))
    counts = {"todo": 0, "running": 0, "done": 0, "failed": 0} if study is None else study.progress()
    cells = sum(counts.values())
    ended, missing = counts["done"] + counts["failed"], counts["todo"] + counts["running"]
    if state == "new" and cells:  # by the command line
        state = "begun" if missing else "done"
    elif state == "done" and missing:
        state = "interrupted"
    words = _state_words(state, cells, counts, _time_words(state, run, ended, missing))
    failures = [] if study is None or not counts["failed"] else _failure_groups(study)
    is_changed = run is not None and run.text != fingerprint(_read_text(file))
    return {
        "state": state,
        "cells": cells,
        "done": counts["done"],
        "failed": counts["failed"],
        "missing": missing,
        "words": words,
        "spoken": SENTENCES[state] if state in MOVING else words,
        "line": f"{ended:,} of {counted(cells, 'run')}, {STATES[state]}" if cells else STATES[state],
        "said": "" if run is None or state in MOVING else visible(run.said),
        "failures": failures[:SHOWN_FAILURES],
        "more": max(0, len(failures) - SHOWN_FAILURES),
        "grid": [] if study is None or grid is None or not cells else _grid_rows(grid.look(study)),
        "changed": CHANGED[state in MOVING] if is_changed else "",
        "over": state not in MOVING,
        "verb": "Resume" if ended and not is_changed else "Run",
        "runs": state not in MOVING and (state != "done" or is_changed or run is None),
    }


def _study_grid(study: Study) -> StudyGrid:
    from assay.experiments.study_grid import StudyGrid

    return StudyGrid(study.datasets, study.learners)


def _grid_rows(grid: StudyGrid) -> list[list[str]]:
    """Learners by data sets, the names of these first; as much as a screen has room for."""
    head = ["learner", *(visible(name) for name in grid.datasets[:MOST_COLUMNS])]
    return [head, *(row[: MOST_COLUMNS + 1] for row in grid.rows()[:MOST_ROWS])]


def _state_words(state: str, cells: int, counts: Mapping[str, int], times: str) -> str:
    said = [SENTENCES[state]]
    if cells:
        failed = f", {counts['failed']:,} failed" if counts["failed"] else ""
        said.append(f"{counts['done'] + counts['failed']:,} of {counted(cells, 'run')}{failed}{times}.")
    elif state == "running":
        said.append("Reading the data.")
    if state in ENDED_EARLY:
        said.append(NEXT[counts["done"] + counts["failed"] > 0])
    return " ".join(said)


def _time_words(state: str, run: StudyRun | None, ended: int, missing: int) -> str:
    if run is None:
        return ""
    seconds = (run.ended or time.time()) - run.began
    if state not in MOVING:
        return f", in {_duration_words(seconds)}" if run.ended is not None else ""
    new = ended - (run.before if run.before is not None else ended)
    left = f", about {_duration_words(seconds * missing / new)} left" if new >= ENOUGH and missing else ""
    return f", {_duration_words(seconds)}{left}"


def _duration_words(seconds: float) -> str:
    """Seconds as one reads them.

    >>> _duration_words(0.4), _duration_words(75), _duration_words(7300)
    ('0 s', '1 min 15 s', '2 h 1 min')
    """
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _failure_groups(study: Study) -> list[dict[str, str]]:
    """Cells that failed, those of a learner that failed alike together: where, and the last line of why."""
    table = study.failures()
    alike: dict[tuple[str, str], Counter[str]] = {}
    for row in table.rows():
        cell = dict(zip(table.columns, row, strict=True))
        why = str(cell["error"]).strip().split("\n")[-1][:300]
        alike.setdefault((cell["learner"], why), Counter())[cell["dataset"]] += 1
    return [
        {"where": visible(f"{learner}: {counted(where.total(), 'run')} on {', '.join(where)}"), "why": visible(why)}
        for (learner, why), where in alike.items()
    ]


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
