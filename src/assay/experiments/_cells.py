"""The cells of a study: what each is made of, what the store is told of them, and which of them a driver takes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.experiments._driver import LOOKED_THROUGH, Driver
from assay.experiments._packed import PredictedRows
from assay.experiments._parting import Split
from assay.experiments.data_facts import data_facts
from assay.experiments.datasets import Dataset
from assay.experiments.learners import Learner
from assay.experiments.preparation import input_digest, learner_input, routes_metadata
from assay.experiments.refusals import refuse_unfit
from assay.experiments.runner import Window
from assay.experiments.task import CellSpec, spool

if TYPE_CHECKING:
    from assay.experiments.study import Study

# What identifies a cell, whose it is, and the place of its split.
Cell = tuple[dict[str, Any], Learner, int]
CLAIMED_AT_ONCE = 8  # cells a driver makes its own in one step, where several of them run side by side


def define(study: Study, *, retry: bool) -> None:
    """Write down what the study is, so that any program can take part in it."""
    assert study.given is not None
    data, learners = study.given
    for one in data:
        refuse_unfit(one.name, next(_splits(study, one)), learners)
    definition = {
        "plan": study.plan.to_dict(),
        "seed": study.seed,
        "keep_models": study.keep_models,
        "positive": study.positive,
        "datasets": [
            {"name": one.name, "origin": one.origin, "hash": one.hash, "facts": data_facts(one, _splits(study, one))}
            for one in data
        ],
        "learners": [{"name": one.name, "recipe": one.recipe, "preset": one.is_preset} for one in learners],
    }
    held = [{"hash": one.hash, "classes": json.dumps(one.classes), "target": _packed(one)} for one in data]
    cells = (cell for one in data for cell, *_ in _cells(study, one))
    study.store.define(study.name, json.dumps(definition, default=str), held, cells, retry=retry)


def _packed(data: Dataset) -> bytes:
    return PredictedRows(np.arange(len(data), dtype=np.int32), data.target.astype(np.int32)).packed()


def _splits(study: Study, data: Dataset) -> Iterator[Split]:
    try:
        yield from study.plan.each(data.target, data.groups, study.seed, data.splits, data.time)
    except InputError as error:
        raise InputError(f"data set {data.name!r}: {error.found}", error.needed) from None


def _cells(study: Study, data: Dataset) -> Iterator[Cell]:
    """Every cell of a data set: its key says what it is made of, so that any change makes it another cell."""
    assert study.given is not None
    inner = None if study.plan.inner is None else study.plan.inner.to_dict()
    inputs = {one.name: input_digest(data, learner_input(data, one)) for one in study.given[1]}
    for place, split in enumerate(_splits(study, data)):
        parts = (split.train, split.test, *(() if split.validation is None else (split.validation,)))
        of_rows = hashlib.sha256(b"|".join(map(_rows, parts))).hexdigest()
        for learner in study.given[1]:
            within = inner if learner.is_search else None
            made_of = [data.hash, learner.hash, of_rows, split.repeat, split.fold, study.seed, within]
            if inputs[learner.name] is not None:
                made_of.append(inputs[learner.name])
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


def _rows(part: Any) -> bytes:
    return np.asarray(part, dtype=np.int64).tobytes()


def _taken(driver: Driver, cells: Iterator[Cell], most: int) -> Iterator[Cell]:
    """The cells that are still to do, each claimed before it is given out; few are held at once, however many come."""
    while some := list(islice(cells, LOOKED_THROUGH)):
        of_key = {cell["key"]: (cell, learner, split) for cell, learner, split in some}
        yield from (of_key[key] for key in driver.take(of_key, most))


def claimed(
    study: Study, driver: Driver, folder: Path, window: Window, timeout: float | None = None
) -> Iterator[CellSpec]:
    """Cells to run, each this driver's own by now; a data set is put into the folder when its first one is."""
    assert study.given is not None
    inner = None if study.plan.inner is None else study.plan.inner.to_dict()
    routes = routes_metadata()
    for number, data in enumerate(study.given[0]):
        todo = {cell["key"] for cell in study.store.cells(study.name, "key", dataset=data.name, status="todo")}
        place = folder / str(number)
        waiting = (each for each in _cells(study, data) if each[0]["key"] in todo)
        for cell, learner, split in _taken(driver, waiting, 1 if window == 1 else CLAIMED_AT_ONCE):
            if not place.exists():
                _put(place, data, _splits(study, data))
            yield CellSpec(
                **{name: cell[name] for name in ("key", "dataset", "learner", "repeat", "fold")},
                folder=str(place),
                split=split,
                classes=len(data.classes),
                recipe=learner.recipe,
                seed=study.seed,
                inner=inner if learner.is_search else None,
                given=learner.given,
                timeout=timeout,
                **learner_input(data, learner).fields(),
                routes=routes,
            )


def _put(place: Path, data: Dataset, splits: Iterator[Split]) -> None:
    try:
        spool(place, data, splits)
    except OSError as error:
        found = f"the data cannot be put into the folder {str(place.parent.parent)!r}: {error.strerror or error}"
        raise InputError(found, "one with room for them", {"spool": "/a/larger/folder"}) from None
