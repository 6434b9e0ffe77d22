"""A database that fails at any one moment: what is asked of SQLite is counted, and the n-th time something happens."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.experiments import Study, experiment, open_study
from assay.experiments.plans import kfold

__all__ = ["FAULTS", "dies", "failing_at", "fails", "run_small", "values"]

FAULTS = ("database or disk is full", "disk I/O error", "interrupted", "attempt to write a readonly database")


class Moment:
    """Which of the calls it is at which something happens, and what; `came` says whether it was reached."""

    def __init__(self, number: int, act: Callable[[], None]) -> None:
        self.left, self.act, self.came = number, act, False

    def reached(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.came = True
            self.act()


def fails(number: int) -> Moment:
    """One of the faults a disk can have, another at each moment."""

    def act() -> None:
        raise sqlite3.OperationalError(FAULTS[number % len(FAULTS)])

    return Moment(number, act)


def dies(number: int) -> Moment:
    """The process ends as if it were killed."""
    return Moment(number, lambda: os._exit(9))


@contextmanager
def failing_at(moment: Moment) -> Iterator[Moment]:
    """While the block lasts, every new connection to SQLite counts what it is asked and what it commits."""

    class Cursor(sqlite3.Cursor):
        def execute(self, *asked: Any) -> Any:
            moment.reached()
            return super().execute(*asked)

        def executemany(self, *asked: Any) -> Any:
            moment.reached()
            return super().executemany(*asked)

    class Connection(sqlite3.Connection):
        def cursor(self, *_: Any) -> Any:
            return super().cursor(Cursor)

        def commit(self) -> None:
            moment.reached()
            super().commit()

    real = sqlite3.dbapi2.connect
    sqlite3.dbapi2.connect = lambda *args, **how: real(*args, **{**how, "factory": Connection})
    try:
        yield moment
    finally:
        sqlite3.dbapi2.connect = real


def run_small(place: Path, *learners: str) -> None:
    """Define and run a study of two folds in a store that may be there or not."""
    experiment("iris", learners or ["nb"], kfold(2), store=place, jobs=1, progress=False).store.close()


def values(study: Study) -> dict[tuple[Any, ...], float]:
    """The accuracy of each cell that is done, by its place."""
    table = study.folds().columns
    where = zip(table["learner"], table["fold"], table["status"], strict=True)
    found = zip(where, table["accuracy"], strict=True)
    return {(learner, fold): value for (learner, fold, status), value in found if status == "done"}


def killed_at_every_moment(place: Path) -> int:
    """Run the study again and again, dying one call later each time, until it ends; how often that was."""
    number = 1
    while True:
        child = os.fork()
        if child == 0:
            with failing_at(dies(number)):
                run_small(place.with_name(f"{number}.db"))
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return number - 1
        run_small(place.with_name(f"{number}.db"))  # whoever comes after goes on
        number += 1


if __name__ == "__main__":
    import sys

    folder = Path(sys.argv[1])
    kills = killed_at_every_moment(folder / "s.db")
    run_small(folder / "whole.db")
    known = values(open_study(folder / "whole.db"))
    for each in range(1, kills + 1):
        study = open_study(folder / f"{each}.db")
        assert values(study) == known, each
        assert study.progress()["done"] == len(known), each
    print(kills)
