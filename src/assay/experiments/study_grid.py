"""Learners by data sets while a study runs: what is done, running and failed, and the accuracy so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.experiments.database import PredictedRows
from assay.experiments.task import CellOutcome, CellSpec
from assay.text import visible

if TYPE_CHECKING:
    from assay.experiments.results import Results

STATES = ("todo", "running", "done", "failed")
FEW = 4  # new cells of a learner on a data set that are read one by one, and not with all the others


@dataclass
class Entry:
    """One learner on one data set: its cells by state, and the right predictions among all that were made so far."""

    todo: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    right: int = 0
    tested: int = 0

    def words(self) -> str:
        """The entry in a few signs: the accuracy so far, cells that ended of all, those that failed.

        >>> Entry(todo=2, running=1, done=7, failed=0, right=60, tested=80).words()
        '0.750  7/10 *'
        """
        cells = self.todo + self.running + self.done + self.failed
        figure = f"{self.right / self.tested:.3f}" if self.tested else "    -"
        failed = f" {self.failed} failed" if self.failed else ""
        return f"{figure}  {self.done + self.failed}/{cells}{' *' if self.running else ''}{failed}"


class StudyGrid:
    """Learners by data sets while a study runs: what is done, running and failed, and the accuracy so far."""

    def __init__(self, datasets: Sequence[str] = (), learners: Sequence[str] = ()) -> None:
        self.datasets, self.learners = tuple(datasets), tuple(learners)
        self.entries = {(data, learner): Entry() for data in self.datasets for learner in self.learners}
        self.places: dict[str, tuple[str, str]] = {}
        self.truth: dict[str, NDArray[np.int64]] = {}
        self.known: set[str] = set()

    def look(self, study: Results) -> StudyGrid:
        """Take the states of all cells from the store, and predictions of those that were not done at the last look.

        Where a part is set aside to choose on, no figure of the test part is shown.
        """
        states: Counter[tuple[str, str, str]] = Counter()
        new: dict[tuple[str, str], list[str]] = {}
        for cell in study.store.cells(study.name, "key", "dataset", "learner", "status"):
            place = cell["dataset"], cell["learner"]
            states[*place, cell["status"]] += 1
            if cell["status"] == "done" and cell["key"] not in self.known:
                new.setdefault(place, []).append(cell["key"])
        for place, entry in self.entries.items():
            entry.todo, entry.running, entry.done, entry.failed = (states[*place, each] for each in STATES)
        if not study.validates:
            for place, keys in new.items():
                self._read_new_cells(study, *place, keys)
        return self

    def _read_new_cells(self, study: Results, dataset: str, learner: str, keys: list[str]) -> None:
        """Read the predictions of cells that are done since the last look."""
        if dataset not in self.truth:
            _, self.truth[dataset] = study.truth(dataset)
        of_all: dict[str, Any] = {"dataset": dataset, "learner": learner, "status": "done"}
        for one in [of_all] if len(keys) > FEW else [{"key": key} for key in keys]:
            for cell in study.store.cells(study.name, "key", "predictions", **one):
                if cell["key"] in keys:
                    self._count_correct_predictions(dataset, learner, cell["key"], cell["predictions"])

    def _count_correct_predictions(self, dataset: str, learner: str, key: str, packed: bytes) -> None:
        """Count the right predictions of a cell that is done."""
        self.known.add(key)
        rows, entry = PredictedRows.unpacked(packed), self.entries[dataset, learner]
        entry.right += int((rows.label == self.truth[dataset][rows.rows]).sum())
        entry.tested += len(rows.rows)

    def began(self, spec: CellSpec) -> None:
        """A cell was handed out."""
        self.places[spec.key] = spec.dataset, spec.learner
        entry = self.entries[spec.dataset, spec.learner]
        entry.todo, entry.running = max(0, entry.todo - 1), entry.running + 1

    def ended(self, outcome: CellOutcome) -> None:
        """A cell ended, with predictions or without."""
        place = self.places.pop(outcome.key, None)
        if place is None:
            return
        entry = self.entries[place]
        entry.running -= 1
        if outcome.error is not None or outcome.predictions is None:
            entry.failed += 1
            return
        entry.done += 1
        if place[0] in self.truth:
            self._count_correct_predictions(*place, outcome.key, outcome.predictions)

    def rows(self) -> list[list[str]]:
        """A row for each learner: its name, and an entry for each data set."""
        return [
            [visible(learner), *(self.entries[data, learner].words() for data in self.datasets)]
            for learner in self.learners
        ]
