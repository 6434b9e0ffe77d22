"""A study beside scikit-learn's cross_validate: what keeping everything costs, and what many cells cost in memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_validate

import assay
from benchmarks._timing import best_of

__all__ = ["megabytes_of_cells", "page_of_a_study", "study_overhead"]

# A fit of this forest takes 50 ms or a little more.
FOREST = RandomForestClassifier(25, random_state=0)
PLAN = assay.plans.repeated_kfold(10, 2)
FEW_REPEATS = 15


def study_overhead(rng: np.random.Generator, rounds: int = 5) -> tuple[float, float]:
    """How many per cent more processor time a study takes than cross_validate on the same splits, in one process.

    Both sides fit, and predict classes and probabilities of the cases tested and of those learned from; the study also
    measures the models and stores every prediction tested. First beside the same learners, which are a forest and the
    dummy that every study has; then beside the forest alone, so that the dummy counts as overhead. Rounds alternate;
    the median of the ratios in a round counts.
    """
    cases, classes = make_classification(1000, 20, n_informative=8, random_state=int(rng.integers(2**31)))
    splits = [(split.train, split.test) for split in PLAN.splits(classes)]

    def study() -> None:
        with TemporaryDirectory() as folder:
            store = f"{folder}/study.db"
            assay.experiment((cases, classes), FOREST, PLAN, store=store, jobs=1, progress=False).store.close()

    def plain(learner: ClassifierMixin) -> None:
        scoring = ("accuracy", "roc_auc")
        cross_validate(learner, cases, classes, cv=splits, scoring=scoring, return_train_score=True)

    work = (study, partial(plain, FOREST), partial(plain, DummyClassifier(strategy="prior")))
    _seconds(work)  # what is imported or remembered once is not what is measured
    taken = [_seconds(work) for _ in range(rounds)]
    same = median(ours / (forest + dummy) for ours, forest, dummy in taken)
    without_dummy = median(ours / forest for ours, forest, _ in taken)
    return 100 * (same - 1), 100 * (without_dummy - 1)


def _seconds(work: Sequence[Callable[[], None]]) -> list[float]:
    """The processor time of each, one after the other: a shared machine does not lengthen it."""
    taken = []
    for each in work:
        start = process_time()
        each()
        taken.append(process_time() - start)
    return taken


def megabytes_of_cells(times: int = 8) -> float:
    """How many megabytes more a process needs at its peak for so many times as many cells, predictions and all."""
    few, many = (_peak(repeats) for repeats in (FEW_REPEATS, times * FEW_REPEATS))
    return many - few


def page_of_a_study(rounds: int = 3) -> float:
    """How many times as long the page of a study of 600 cells takes as its table, both from the store alone."""
    rng = np.random.default_rng(0)
    data = {f"data {k}": (rng.normal(size=(200, 5)), rng.integers(2, size=200)) for k in range(3)}
    with TemporaryDirectory() as folder:
        store = Path(folder) / "study.db"
        plan = assay.plans.repeated_kfold(10, 5)
        learners = ["nb", "stump", "lda"]
        assay.experiment(data, learners, plan, store=store, jobs=1, progress=False).store.close()

        def opened(read: Callable[[assay.Study], object]) -> None:
            # A study opened anew: what an earlier one worked out would be remembered.
            study = assay.experiments.open_study(store)
            read(study)
            study.store.close()

        t = best_of(
            {
                "table": lambda: opened(lambda study: study.table()),
                "page": lambda: opened(lambda study: study.report(Path(folder) / "page.html")),
            },
            rounds,
        )
    return t["page"] / t["table"]


def _peak(repeats: int) -> float:
    """Megabytes at the peak of a fresh process that runs a study of 20 x `repeats` cells."""
    done = subprocess.run([sys.executable, "-m", __name__, str(repeats)], check=True, capture_output=True, text=True)
    return float(done.stdout)


def _cheap_study(repeats: int) -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(2000, 5)), rng.integers(2, size=2000)
    with TemporaryDirectory() as folder:
        store = Path(folder) / "study.db"
        plan = assay.plans.repeated_kfold(10, repeats)
        assay.experiment(data, "nb", plan, store=store, jobs=1, progress=False).store.close()


if __name__ == "__main__":
    _cheap_study(int(sys.argv[1]))
    # Kilobytes on Linux, bytes on macOS.
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))
