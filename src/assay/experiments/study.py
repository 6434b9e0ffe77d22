"""A study: every learner on every data set by one plan, all of them on the same partitions, kept in a store."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, InputError, OptionError
from assay.experiments._parting import Cases, Indices, Split
from assay.experiments._progress import watched
from assay.experiments.backends import engine
from assay.experiments.curves import rows_of
from assay.experiments.data_facts import data_facts
from assay.experiments.datasets import Dataset, dataset_of, datasets_of
from assay.experiments.flow import Flow, flow_of
from assay.experiments.learners import Learner, built, learners_of
from assay.experiments.nested_cv import nested_cross_validation
from assay.experiments.plans import Plan, kfold, plan_of
from assay.experiments.results import Results
from assay.experiments.runner import Executor, Window, run_cells
from assay.experiments.store import LEASE, LOOKED_THROUGH, Driver, Store
from assay.experiments.task import TUNER, CellSpec, PredictedRows, forget_data, spool
from assay.request import checked_level, checked_positive, checked_seed, front_door
from assay.results import Estimate
from assay.types import Floats

# What identifies a cell, whose it is, and the place of its split.
Cell = tuple[dict[str, Any], Learner, int]
TO_BE_READ = "the study was opened to be read; call experiment() with its data sets and learners to run it"
NAME, PROCESSES = "study", "processes"
WINDOW = 16  # cells out at once with an executor whose size nobody said
CLAIMED_AT_ONCE = 8  # cells a driver makes its own in one step, where several of them run side by side
LOOK = 2.0  # seconds after which a driver that waits for others looks again


@dataclass(frozen=True)
class Study(Results):
    """A study in its store: what it found, and a way to run what is missing.

    `seed` fixes the partitions and whatever is random in a learner; `given` are the data sets and learners themselves,
    None where the study was opened only to be read.
    """

    seed: int = 0
    given: tuple[tuple[Dataset, ...], tuple[Learner, ...]] | None = None

    def _repr_html_(self) -> str:
        from assay.report.many import show_study

        return show_study(self)

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

    def refitted(self, dataset: str, learner: str) -> NDArray[np.integer] | None:
        """What a model of all cases says of them; None where the study was opened without its data."""
        if self.given is None:
            return None
        data, chosen = self._given(dataset, learner)
        model = built(chosen.recipe, chosen.given, self.seed).fit(data.features, data.target)
        said: NDArray[np.integer] = np.asarray(model.predict(data.features))
        return said

    def nested_error(self, dataset: str, learner: str, *, repeats: int = 50, level: float = 0.95) -> Estimate:
        """The error rate of the one model of all cases, by nested cross-validation (Bates, Hastie & Tibshirani 2024).

        It fits 55 models for each of `repeats`, here and now; nothing of it is kept in the store.
        """
        if self.given is None:
            raise AssayError(TO_BE_READ)
        self._refuse_unknown(dataset, learner)
        data, chosen = self._given(dataset, learner)

        def loss_of(train: Indices, test: Indices) -> Floats:
            model = built(chosen.recipe, chosen.given, self.seed).fit(rows_of(data.features, train), data.target[train])
            return np.asarray(model.predict(rows_of(data.features, test)) != data.target[test], dtype=np.float64)

        return nested_cross_validation(loss_of, data.target, repeats=repeats, level=level, seed=self.seed)

    def _given(self, dataset: str, learner: str) -> tuple[Dataset, Learner]:
        assert self.given is not None
        data = next(one for one in self.given[0] if one.name == dataset)
        return data, next(one for one in self.given[1] if one.name == learner)

    def run(
        self,
        *,
        jobs: int | None = None,
        backend: str | None = None,
        address: str | None = None,
        executor: Executor | None = None,
        window: int | None = None,
        spool: str | PathLike[str] | None = None,
        lease: float | None = None,
        progress: bool | None = None,
    ) -> Study:
        """Run every cell that is to do; whatever was done before, by this program or another, stays as it is.

        `jobs` processes run side by side (1: this one alone; by default as many as there are cores). `backend` "dask"
        or "ray" runs them on a cluster, the one at `address` or one started here; `executor` takes their place:
        anything with `submit` that gives futures, `window` of them at once. `spool` is the folder through which workers
        get the data, a temporary one by default; those on other machines must see it under the same path. Several
        programs may run one study at once: each takes cells the others have not, waits for theirs at the end, and takes
        over those of a program that was not heard of for `lease` seconds.
        """
        if self.given is None:
            raise AssayError(TO_BE_READ)
        for name, value in {"jobs": jobs, "backend": backend, "address": address}.items():
            if executor is not None and value is not None:
                raise OptionError(f"{name} is given beside an executor", "one of them: it runs the cells as it is")
        lease = LEASE if lease is None else checked_positive(lease, "lease", "a number of seconds above 0")
        backend = backend or PROCESSES
        with self.store.driver(self.name, lease=lease) as driver:
            while cells := _next(driver, lease, progress):
                with (
                    _put_into(spool) as place,
                    watched(cells, shown=progress) as watch,
                    _engine(executor, window, cells, watch.say, backend=backend, jobs=jobs, address=address) as (
                        run_by,
                        ahead,
                    ),
                ):
                    ran = 0
                    for outcome in run_cells(_claimed(self, driver, place, ahead), run_by, window=ahead):
                        driver.finish(outcome)
                        watch.ended(outcome)
                        ran += 1
                    forget_data()
                if not ran and not driver.left()["running"]:
                    break  # what is left was added by a program that has a newer definition of this study
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Keep the study in a new SQLite file, which `experiment(..., store=path)` and `assay experiment` go on with.

        >>> study = experiment("iris", "nb", "swapped_halves", jobs=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study.save(folder + "/study.db")
        ...     again = open_study(folder + "/study.db")
        ...     print(again)
        ...     again.store.close()
        Study('study': 1 data sets x 2 learners by 2 folds, stratified; 4 done)
        """
        self.store.save(path)

    def report(self, path: str | PathLike[str], measure: str = "accuracy", *, level: float = 0.95) -> None:
        """Write a page anyone can open about one measure: one offline HTML file."""
        level = checked_level(level)
        from assay.report.many import write_study

        write_study(self, path, measure, level=level)


@front_door
def experiment(
    datasets: Any,
    learners: Any,
    plan: Plan | Mapping[str, Any] | str | None = None,
    *,
    store: str | PathLike[str] | None = None,
    name: str = NAME,
    seed: int = 0,
    retry: bool = False,
    run: bool = True,
    jobs: int | None = None,
    backend: str | None = None,
    address: str | None = None,
    executor: Executor | None = None,
    window: int | None = None,
    spool: str | PathLike[str] | None = None,
    lease: float | None = None,
    progress: bool | None = None,
) -> Study:
    """Fit every learner to every data set by one plan, on the same partitions, and keep every fold's predictions.

    Data sets are bundled names, paths, frames or `(X, y)`; learners are preset names, import paths, estimators or
    records with parameters and grids; a learner that looks at no feature is always among them. `plan` is ten stratified
    folds unless said otherwise. Cells are kept in memory, and leave no file behind; `study.save(path)` keeps them. With
    a `store`, one SQLite file or a database URL, each is kept as it ends: call again with the same study and only what
    is missing is run; with a changed one, `study.stale()` says what is no longer of use. `retry` runs failed cells
    again. How to run it (`jobs`, `backend`, `address`, `executor`, `progress`, ...) is said as to `Study.run`, which is
    called at once unless `run` is False.

    >>> print(experiment("iris", "nb", "swapped_halves", jobs=1).wide())
    dataset  dummy     nb
    iris     0.333  0.947
    """
    seed = checked_seed(seed)
    how: dict[str, Any] = {"jobs": jobs, "backend": backend, "address": address, "executor": executor, "window": window}
    how |= {"spool": spool, "lease": lease, "progress": progress}
    said = {name: value for name, value in how.items() if value is not None}
    if said and not run:
        raise OptionError(f"{next(iter(said))} is given and run is False", "it said to study.run() when that is called")
    study = _defined(
        (datasets_of(datasets), learners_of(learners)),
        plan if isinstance(plan, Plan) else kfold(10) if plan is None else plan_of(plan),
        Store(store),
        name,
        seed=seed,
        retry=retry,
    )
    return study.run(**said) if run else study


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
    cells = (cell for one in data for cell, *_ in _cells(study, one))
    store.define(name, json.dumps(definition, default=str), held, cells, retry=retry)
    return study


def _packed(data: Dataset) -> bytes:
    return PredictedRows(np.arange(len(data), dtype=np.int32), data.target.astype(np.int32)).packed()


def _splits(study: Study, data: Dataset) -> Iterator[Split]:
    try:
        yield from study.plan.each(data.target, data.groups, study.seed)
    except InputError as error:
        raise InputError(f"data set {data.name!r}: {error.found}", error.needed) from None


def _cells(study: Study, data: Dataset) -> Iterator[Cell]:
    """Every cell of a data set: its key says what it is made of, so that any change makes it another cell."""
    assert study.given is not None
    inner = None if study.plan.inner is None else study.plan.inner.to_dict()
    for place, split in enumerate(_splits(study, data)):
        of_rows = hashlib.sha256(b"|".join(_rows(part) for part in (split.train, split.test))).hexdigest()
        for learner in study.given[1]:
            within = inner if learner.recipe.get("path") == TUNER else None
            made_of = [data.hash, learner.hash, of_rows, split.repeat, split.fold, study.seed, within]
            cell = {
                "key": hashlib.sha256(json.dumps([data.name, learner.name, *made_of]).encode()).hexdigest(),
                "dataset": data.name,
                "learner": learner.name,
                "repeat": split.repeat,
                "fold": split.fold,
                "data_hash": data.hash,
                "learner_hash": learner.hash,
                "split_hash": of_rows,
            }
            yield cell, learner, place


def _next(driver: Driver, lease: float, progress: bool | None) -> int:
    """How many cells are to do, once there are any; 0 when all are done, here or elsewhere."""
    said = False
    while True:
        left = driver.left()
        if left["todo"] or not left["running"]:
            return left["todo"]
        if not said and progress is not False:
            print(f"Waiting for cells that other programs run: {left['running']:,}.", file=sys.stderr, flush=True)
            said = True
        time.sleep(min(LOOK, lease / 4))


@contextmanager
def _put_into(spool: str | PathLike[str] | None) -> Iterator[Path]:
    """A folder of this run's own inside the one that was named."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="assay-", dir=spool)
    except OSError as error:
        found = f"nothing can be put into the folder {str(spool or tempfile.gettempdir())!r}: {error.strerror}"
        raise InputError(found, "one that can be written to, and that every worker sees") from None
    with folder as place:
        yield Path(place).resolve()


@contextmanager
def _engine(
    given: Executor | None, window: int | None, cells: int, say: Callable[[str], None], **how: Any
) -> Iterator[tuple[Executor, Window]]:
    """What runs the cells, and how many to hand out at once."""
    if given is not None:
        yield given, window or WINDOW
        return
    with engine(how.pop("backend"), cells=cells, say=say, **how) as (executor, ahead):
        yield executor, window or ahead


def _rows(part: Any) -> bytes:
    return np.asarray(part, dtype=np.int64).tobytes()


def _taken(driver: Driver, cells: Iterator[Cell], most: int) -> Iterator[Cell]:
    """The cells that are still to do, each claimed before it is given out; few are held at once, however many come."""
    while some := list(islice(cells, LOOKED_THROUGH)):
        of_key = {cell["key"]: (cell, learner, split) for cell, learner, split in some}
        yield from (of_key[key] for key in driver.take(of_key, most))


def _claimed(study: Study, driver: Driver, folder: Path, window: Window) -> Iterator[CellSpec]:
    """Cells to run, each this driver's own by now; a data set is put into the folder when its first one is."""
    assert study.given is not None
    inner = None if study.plan.inner is None else study.plan.inner.to_dict()
    for number, data in enumerate(study.given[0]):
        todo = {cell["key"] for cell in study.store.cells(study.name, "key", dataset=data.name, status="todo")}
        place = folder / str(number)
        waiting = (each for each in _cells(study, data) if each[0]["key"] in todo)
        for cell, learner, split in _taken(driver, waiting, 1 if window == 1 else CLAIMED_AT_ONCE):
            if not place.exists():
                spool(place, data, _splits(study, data))
            yield CellSpec(
                **{name: cell[name] for name in ("key", "dataset", "learner", "repeat", "fold")},
                folder=str(place),
                split=split,
                classes=len(data.classes),
                recipe=learner.recipe,
                seed=study.seed,
                inner=inner,
                given=learner.given,
            )
