"""Trials: every learner fitted to a small sample of every data set first, so that failures are stated early."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.experiments.containers import rows_of
from assay.experiments.datasets import Dataset
from assay.experiments.preparation import learner_input, routes_metadata
from assay.experiments.runner import Executor, Window, run_cells
from assay.experiments.splitting import Split
from assay.experiments.task import CellSpec, spool
from assay.results import counted
from assay.text import error_line

if TYPE_CHECKING:
    from assay.experiments.study import Study

# Cases of a sample in all, where every class has as many as it needs, and of each class.
CASES, FEWEST_OF_A_CLASS = 100, 10
UNWEIGHTED = "does not support sample_weight"


def sample_of(data: Dataset, seed: int) -> NDArray[np.intp]:
    """The rows of a stratified sample: each class by its share of a hundred, at least ten of it or all there are.

    >>> from assay.experiments.datasets import dataset_of
    >>> np.bincount(dataset_of("breast_cancer").target[sample_of(dataset_of("breast_cancer"), 0)]).tolist()
    [37, 63]
    """
    rng, rows = np.random.default_rng(seed), []
    for code in range(len(data.classes)):
        of_class = np.flatnonzero(data.target == code)
        wanted = max(FEWEST_OF_A_CLASS, round(CASES * len(of_class) / len(data)))
        rows.append(rng.permutation(of_class)[:wanted])
    return np.sort(np.concatenate(rows))


def only_rows(data: Dataset, rows: NDArray[np.intp]) -> Dataset:
    """Some cases of a data set, in the containers that it has."""
    held: dict[str, Any] = {
        name: None if getattr(data, name) is None else rows_of(getattr(data, name), rows)
        for name in ("features", "target", "groups", "given", "labels", "table", "time", "weight", "group_names")
    }
    if data.given is data.features:
        held["given"] = held["features"]
    return replace(data, **held, splits=None)


def warn_of_failures(
    study: Study, place: Path, executor: Executor, window: Window, say: Callable[[str], None], timeout: float | None
) -> None:
    """Try every learner that has cells to do on a sample, and state what fails; the study goes on all the same."""
    with _preserve_random_states():
        specs = {spec.key: spec for spec in _trial_specs(study, place, timeout)}
        for outcome in run_cells(specs.values(), executor, window=window):
            spec = specs[outcome.key]
            if outcome.error is not None:
                why = error_line(outcome.error)
                say(f"Trial: learner {spec.learner!r} fails on a sample of data set {spec.dataset!r}: {why}")
            elif UNWEIGHTED in (outcome.warnings or ""):
                say(f"Trial: learner {spec.learner!r} {UNWEIGHTED}: the weights of {spec.dataset!r} are not used")


def _trial_specs(study: Study, place: Path, timeout: float | None) -> Iterator[CellSpec]:
    assert study.given is not None
    cells = study.store.cells(study.name, "dataset", "learner", status="todo")
    todo = {(cell["dataset"], cell["learner"]) for cell in cells}
    for number, data in enumerate(study.given[0]):
        learners = [one for one in study.given[1] if not one.is_baseline and (data.name, one.name) in todo]
        if not learners:
            continue
        sample = only_rows(data, sample_of(data, study.seed))
        rows, folder = np.arange(len(sample)), place / f"trial-{number}"
        spool(folder, sample, [Split(rows, rows, rows if _has_validation_part(study, data) else None)])
        for learner in learners:
            yield CellSpec(
                key=f"trial of {learner.name} on {counted(len(rows), 'case')} of {data.name}",
                dataset=data.name,
                learner=learner.name,
                repeat=0,
                fold=0,
                folder=str(folder),
                split=0,
                classes=len(data.classes),
                recipe=learner.recipe,
                seed=study.seed,
                inner=study.plan.inner.to_dict() if study.plan.inner is not None and learner.is_search else None,
                routes=routes_metadata(learner),
                given=learner.given,
                timeout=timeout,
                is_trial=True,
                **learner_input(sample, learner).fields(),
            )


def _has_validation_part(study: Study, data: Dataset) -> bool:
    try:
        first = next(study.plan.each(data.target, data.groups, study.seed, data.splits, data.time), None)
    except AssayError:
        return False
    return first is not None and first.validation is not None


@contextmanager
def _preserve_random_states() -> Iterator[None]:
    """Learners that draw from the generators of the process find them as if there had been no trial."""
    of_numpy, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002 -- learners draw from it
    try:
        yield
    finally:
        np.random.set_state(of_numpy)  # noqa: NPY002
        random.setstate(of_python)
