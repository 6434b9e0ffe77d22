"""A study: every learner on every data set by one plan, all of them on the same partitions, kept in a store."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError, InputError
from assay.experiments._parting import Cases, Split
from assay.experiments._progress import watched
from assay.experiments.data_facts import data_facts
from assay.experiments.datasets import Dataset, dataset_of, datasets_of
from assay.experiments.flow import Flow, flow_of
from assay.experiments.learners import Learner, learners_of
from assay.experiments.plans import Plan, kfold, plan_of
from assay.experiments.results import Results
from assay.experiments.runner import Executor, cores, run_cells, workers
from assay.experiments.store import Store
from assay.experiments.task import TUNER, CellSpec, Rows, forget_data, spool

__all__ = ["Study", "experiment", "open_study"]

STORE, NAME = "study.db", "study"
WINDOW = 16  # cells out at once with an executor whose size nobody said


@dataclass(frozen=True)
class Study(Results):
    """A study in its store: what it found, and a way to run what is missing.

    `seed` fixes the partitions and whatever is random in a learner; `given` are the data sets and learners themselves,
    None where the study was opened only to be read.
    """

    seed: int = 0
    given: tuple[tuple[Dataset, ...], tuple[Learner, ...]] | None = None

    def __repr__(self) -> str:
        sizes = f"{len(self.datasets)} data sets x {len(self.learners)} learners"
        states = ", ".join(f"{count:,} {state}" for state, count in self.progress().items() if count)
        return f"Study({self.name!r}: {sizes} by {self.plan.name}; {states or 'nothing yet'})"

    def flow(self, dataset: str) -> Flow:
        """How many cases, and of which class, each part of each split of a data set holds."""
        classes, target = self.truth(dataset)
        cases = Cases(target.astype(np.intp), classes, None, self.seed)
        # Groups are not in the store: their folds are what was tested, and all the rest was learned from.
        parted = (
            self._folds_run(dataset) if self.plan.kind == "grouped_kfold" else self.plan.splits(target, None, self.seed)
        )
        return flow_of(parted, cases, self.plan.name)

    def _folds_run(self, dataset: str) -> list[Split]:
        _, target = self.truth(dataset)
        by_split = {
            (c["repeat"], c["fold"]): r.rows for learner in self.learners for c, r in self.tested(dataset, learner)
        }
        if not by_split:
            raise AssayError(f"no fold of {dataset!r} is done, and its groups are not in the store; run the study")
        every = np.arange(len(target))
        return [
            Split(np.delete(every, rows), rows.astype(np.intp), None, *split)
            for split, rows in sorted(by_split.items())
        ]

    def run(
        self,
        *,
        jobs: int | None = None,
        executor: Executor | None = None,
        window: int | None = None,
        folder: str | PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> Study:
        """Run every cell that is to do; whatever was done before, by this program or another, stays as it is.

        `jobs` processes run side by side (1: this one alone; by default as many as there are cores). `executor` takes
        their place: anything with `submit` that gives futures, `window` of them at once; its workers must see `folder`,
        where the data are put for them.
        """
        if self.given is None:
            raise AssayError(
                "the study was opened to be read; call experiment() with its data sets and learners to run it"
            )
        with tempfile.TemporaryDirectory(prefix="assay-", dir=folder) as place, self.store.driver(self.name) as driver:
            todo = {cell["key"] for cell in self.store.cells(self.name, "key", status="todo")}
            claimed = (spec for spec in _specs(self, Path(place)) if spec.key in todo and driver.claim(spec.key))
            with (
                watched(len(todo), shown=progress) as watch,
                _executor(executor, window, jobs, len(todo)) as (run_by, ahead),
            ):
                for outcome in run_cells(claimed, run_by, window=ahead):
                    driver.finish(outcome)
                    watch.ended(outcome)
            forget_data()
        return self

    def report(self, path: str | PathLike[str], measure: str = "accuracy", *, level: float = 0.95) -> None:
        """Write a page anyone can open about one measure: one offline HTML file."""
        from assay.report import write_study

        write_study(self, path, measure, level=level)


def experiment(
    datasets: Any,
    learners: Any,
    plan: Plan | Mapping[str, Any] | str | None = None,
    *,
    store: str | PathLike[str] = STORE,
    name: str = NAME,
    seed: int = 0,
    retry: bool = False,
    run: bool = True,
    **how: Any,
) -> Study:
    """Fit every learner to every data set by one plan, on the same partitions, and keep every fold's predictions.

    Data sets are bundled names, paths, frames or `(X, y)`; learners are preset names, import paths, estimators or
    records with parameters and grids; a learner that looks at no feature is always among them. `plan` is ten stratified
    folds unless said otherwise. `store` is one SQLite file or a database URL: call again with the same study and only
    what is missing is run; with a changed one, `study.stale()` says what is no longer of use. `retry` runs failed cells
    again. How to run (`jobs`, `executor`, `progress`) is said as to `Study.run`.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = experiment("iris", "nb", "swapped_halves", store=folder + "/study.db", jobs=1)
    ...     print(study.wide())
    ...     study.store.close()
    dataset  dummy     nb
    iris     0.333  0.947
    """
    study = _defined(
        (datasets_of(datasets), learners_of(learners)),
        plan if isinstance(plan, Plan) else kfold(10) if plan is None else plan_of(plan),
        Store(store),
        name,
        seed=seed,
        retry=retry,
    )
    return study.run(**how) if run else study


def open_study(store: str | PathLike[str], name: str = NAME, *, to_run: bool = False, retry: bool = False) -> Study:
    """A study from its store alone: to be read, or (`to_run`) with its data and learners made again to go on.

    That takes data sets from files or bundled ones and learners with a recipe; the rest only their program has.
    """
    held = Store(store, create=False)
    definition = json.loads(held.definition(name))
    plan, seed = plan_of(definition["plan"]), definition["seed"]
    names = {kind: tuple(each["name"] for each in definition[kind]) for kind in ("datasets", "learners")}
    if not to_run:
        return Study(held, name, names["datasets"], names["learners"], plan, seed)
    data = tuple(_again(each) for each in definition["datasets"])
    learners = tuple(Learner(each["name"], each["recipe"]) for each in definition["learners"])
    lost = next((one.name for one in learners if "object" in one.recipe), None)
    if lost is not None:
        raise InputError(
            f"learner {lost!r} was given as an object", "its program, which makes it: call experiment() again"
        )
    return _defined((data, learners), plan, held, name, seed=seed, retry=retry)


def _again(record: Mapping[str, Any]) -> Dataset:
    if record["origin"] is None:
        found = f"data set {record['name']!r} was given as arrays or a frame"
        raise InputError(found, "its program, which has it: call experiment() again")
    return replace(dataset_of(record["origin"]), name=record["name"])


def _defined(
    given: tuple[tuple[Dataset, ...], tuple[Learner, ...]],
    plan: Plan,
    store: Store,
    name: str,
    *,
    seed: int,
    retry: bool,
) -> Study:
    """Write down what the study is, so that any program can take part in it."""
    data, learners = given
    names = tuple(one.name for one in data), tuple(one.name for one in learners)
    study = Study(store, name, *names, plan, seed, given)
    definition = {
        "plan": plan.to_dict(),
        "seed": seed,
        "datasets": [
            {"name": one.name, "origin": one.origin, "hash": one.hash, "facts": data_facts(one, _splits(study, one))}
            for one in data
        ],
        "learners": [{"name": one.name, "recipe": one.recipe} for one in learners],
    }
    held = [{"hash": one.hash, "classes": json.dumps(one.classes), "target": _packed(one)} for one in data]
    cells = (cell for one in data for cell, *_ in _cells(study, one, _splits(study, one)))
    store.define(name, json.dumps(definition, default=str), held, cells, retry=retry)
    return study


def _packed(data: Dataset) -> bytes:
    return Rows(np.arange(len(data), dtype=np.int32), data.target.astype(np.int32)).packed()


def _splits(study: Study, data: Dataset) -> list[Split]:
    try:
        return study.plan.splits(data.target, data.groups, study.seed)
    except InputError as error:
        raise InputError(f"data set {data.name!r}: {error.found}", error.needed) from None


def _cells(study: Study, data: Dataset, splits: Sequence[Split]) -> Iterator[tuple[dict[str, Any], Learner, int]]:
    """Every cell of a data set: its key says what it is made of, so that any change makes it another cell."""
    assert study.given is not None
    inner = None if study.plan.inner is None else study.plan.inner.to_dict()
    hashes = [hashlib.sha256(b"|".join(_rows(part) for part in (s.train, s.test))).hexdigest() for s in splits]
    for place, split in enumerate(splits):
        for learner in study.given[1]:
            within = inner if learner.recipe.get("path") == TUNER else None
            made_of = [data.hash, learner.hash, hashes[place], split.repeat, split.fold, study.seed, within]
            cell = {
                "key": hashlib.sha256(json.dumps([data.name, learner.name, *made_of]).encode()).hexdigest(),
                "dataset": data.name,
                "learner": learner.name,
                "repeat": split.repeat,
                "fold": split.fold,
                "data_hash": data.hash,
                "learner_hash": learner.hash,
                "split_hash": hashes[place],
            }
            yield cell, learner, place


@contextmanager
def _executor(
    given: Executor | None, window: int | None, jobs: int | None, cells: int
) -> Iterator[tuple[Executor, int]]:
    """What runs the cells, and how many to hand out at once."""
    if given is not None:
        yield given, window or WINDOW
        return
    if jobs is not None and jobs < 1:
        raise InputError(f"{jobs} jobs were asked for", "1 or more")
    with workers(max(1, min(jobs or cores(), cells))) as (executor, ahead):
        yield executor, window or ahead


def _rows(part: Any) -> bytes:
    return np.asarray(part, dtype=np.int64).tobytes()


def _specs(study: Study, folder: Path) -> Iterator[CellSpec]:
    """Every cell as a worker gets it; each data set is put into the folder once."""
    assert study.given is not None
    inner = None if study.plan.inner is None else study.plan.inner.to_dict()
    for number, data in enumerate(study.given[0]):
        splits = _splits(study, data)
        spool(folder / str(number), data, splits)
        for cell, learner, place in _cells(study, data, splits):
            yield CellSpec(
                **{name: cell[name] for name in ("key", "dataset", "learner", "repeat", "fold")},
                folder=str(folder / str(number)),
                split=place,
                classes=len(data.classes),
                recipe=learner.recipe,
                seed=study.seed,
                inner=inner,
                given=learner.given,
            )
