"""The cells of a study: what each is made of, what the store is told of them, and which of them a driver takes.

What a data set and its partitions show about leaks: found when a study is defined, since its store keeps no row.

Data sets and the plan that parts them: a plan may name a column of theirs, and data sets may come in parts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.experiments.containers import row_keys
from assay.experiments.database import PredictedRows
from assay.experiments.datasets import Dataset, datasets_of, numbered, with_one_positive
from assay.experiments.learners import Learner
from assay.experiments.plans import Plan, given, kfold, plan_of
from assay.experiments.preparation import input_digest, learner_input, routes_metadata
from assay.experiments.runner import Window
from assay.experiments.splitting import Split, is_splitter, parts_of_splitter
from assay.experiments.task import CellSpec, refuse_unfit, spool
from assay.experiments.worker import LOOKED_THROUGH, Driver

if TYPE_CHECKING:
    from assay.experiments.study import Study


# Splits looked at for copies: a plan of a thousand shows no more than its first ones.
MOST_SPLITS = 50
# How near to 0 and 1 means, deviations and correlations are where somebody made them so.
MADE_SO = 1e-6
# A column called so, or ending so, seems to say whom or what a row is about.
IDS = r"(.*[_\-. ])?(id|ids|subject|patient|person|user|customer|household|session|site|group)"
# Plans that test single cases or pairs, where no part is meant to hold every class.
SINGLE = 2


def data_facts(data: Dataset, splits: Iterable[Split]) -> dict[str, Any]:
    """What `cautions` needs to know of rows, as JSON holds it.

    `repeated`: of the cases tested, the share with exactly the features of a case learned from, and of those the share
    of its class too. `id_like`: a feature that seems to say whom a row is about, and its number of values. `prepared`:
    what seems to have been done to all rows at once. `rarest`: the class with the fewest cases in a test part.

    >>> from assay.experiments.datasets import dataset_of
    >>> twice = dataset_of((np.repeat(np.arange(10.0), 2)[:, None], [0, 1] * 10))
    >>> data_facts(twice, [Split(np.arange(1, 20), np.array([0]))])["repeated"]
    [1.0, 0.0]
    """
    coming = iter(splits)
    some = list(islice(coming, MOST_SPLITS))
    return {
        "repeated": _duplicate_shares(data, some),
        "id_like": _id_like_column(data),
        "prepared": None if data.features is None else _preprocessing_type(data.features),
        "rarest": _rarest_test_class(data, chain(some, coming)),
        **({} if data.time is None else {"timed": True}),
    }


def _duplicate_shares(data: Dataset, splits: Sequence[Split]) -> list[float] | None:
    # Adding 0 makes the two zeros one.
    alike = numbered(row_keys(data.given if data.features is None else data.features + 0.0))
    if len(alike) == alike.max() + 1:
        return None
    same = numbered(zip(alike.tolist(), data.target.tolist(), strict=True))
    tested = seen = agreed = 0
    for split in splits:
        known, known_with_class = (np.bincount(codes[split.train], minlength=len(alike)) for codes in (alike, same))
        tested += len(split.test)
        seen += int((known[alike[split.test]] > 0).sum())
        agreed += int((known_with_class[same[split.test]] > 0).sum())
    return [seen / tested, agreed / seen] if seen else None


def _id_like_column(data: Dataset) -> list[Any] | None:
    """The first column called like an id whose values recur; a text column counts by its values' columns."""
    if data.features is None:
        return None
    columns: dict[str, list[int]] = {}
    for place, name in enumerate(data.feature_names):
        columns.setdefault(name.split("=")[0], []).append(place)
    for name, places in columns.items():
        if re.fullmatch(IDS, name.strip(), re.IGNORECASE):
            values = len(places) if len(places) > 1 else len(set(data.features[:, places[0]].tolist()))
            if 1 < values <= len(data) / 2:
                return [name, values]
    return None


def _preprocessing_type(features: NDArray[np.float64]) -> str | None:
    """Whether every column that varies has mean 0 and deviation 1, or mean 0 and nothing in common with the others."""
    known = features[:, np.isfinite(features).all(0)]
    varying = known[:, np.ptp(known, axis=0) > 0] if known.size else known
    if varying.shape[1] < 2:
        return None
    mean, deviation = varying.mean(0), varying.std(0)
    if (np.abs(mean) > MADE_SO * deviation).any():
        return None
    # Dividing by n or by n - 1: either is somebody's standard deviation.
    sample = deviation * np.sqrt(len(varying) / (len(varying) - 1))
    if any((np.abs(each - 1) < MADE_SO).all() for each in (deviation, sample)):
        return "they had been standardised"
    shared = np.corrcoef(varying, rowvar=False) - np.eye(varying.shape[1])
    if len(varying) > varying.shape[1] and (np.abs(shared) < MADE_SO).all():
        return "they were components (PCA) found"
    return None


def _rarest_test_class(data: Dataset, splits: Iterable[Split]) -> list[Any] | None:
    fewest, largest = np.full(len(data.classes), len(data)), 0
    for split in splits:
        fewest = np.minimum(fewest, np.bincount(data.target[split.test], minlength=len(data.classes)))
        largest = max(largest, len(split.test))
    if largest <= SINGLE:
        return None
    place = int(fewest.argmin())
    return [data.classes[place], int(fewest[place])]


# What identifies a cell, whose it is, and the place of its split.
Cell = tuple[dict[str, Any], Learner, int]
CLAIMED_AT_ONCE = 8  # cells a driver makes its own in one step, where several of them run side by side


def define(study: Study, *, retry: bool) -> None:
    """Write down what the study is, so that any program can take part in it."""
    assert study.given is not None
    data, learners = study.given
    for one in data:
        refuse_unfit(one.name, next(_iterate_splits(study, one)), learners)
    definition = {
        "plan": study.plan.to_dict(),
        "seed": study.seed,
        "keep_models": study.keep_models,
        "positive": study.positive,
        "datasets": [
            {
                "name": one.name,
                "origin": one.origin,
                "hash": one.hash,
                "facts": data_facts(one, _iterate_splits(study, one)),
            }
            for one in data
        ],
        "learners": [{"name": one.name, "recipe": one.recipe, "preset": one.is_preset} for one in learners],
    }
    held = [{"hash": one.hash, "classes": json.dumps(one.classes), "target": _pack_labels(one)} for one in data]
    cells = (cell for one in data for cell, *_ in _study_cells(study, one))
    study.store.define(study.name, json.dumps(definition, default=str), held, cells, retry=retry)


def _pack_labels(data: Dataset) -> bytes:
    return PredictedRows(np.arange(len(data), dtype=np.int32), data.target.astype(np.int32)).packed()


def _iterate_splits(study: Study, data: Dataset) -> Iterator[Split]:
    try:
        yield from study.plan.each(data.target, data.groups, study.seed, data.splits, data.time)
    except InputError as error:
        raise InputError(f"data set {data.name!r}: {error.found}", error.needed) from None


def _study_cells(study: Study, data: Dataset) -> Iterator[Cell]:
    """Every cell of a data set: its key says what it is made of, so that any change makes it another cell."""
    assert study.given is not None
    inner = None if study.plan.inner is None else study.plan.inner.to_dict()
    inputs = {one.name: input_digest(data, learner_input(data, one)) for one in study.given[1]}
    for place, split in enumerate(_iterate_splits(study, data)):
        parts = (split.train, split.test, *(() if split.validation is None else (split.validation,)))
        of_rows = hashlib.sha256(b"|".join(map(_rows_as_bytes, parts))).hexdigest()
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


def _rows_as_bytes(part: Any) -> bytes:
    return np.asarray(part, dtype=np.int64).tobytes()


def _claim_cells(driver: Driver, cells: Iterator[Cell], most: int) -> Iterator[Cell]:
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
    for number, data in enumerate(study.given[0]):
        todo = {cell["key"] for cell in study.store.cells(study.name, "key", dataset=data.name, status="todo")}
        place = folder / str(number)
        waiting = (each for each in _study_cells(study, data) if each[0]["key"] in todo)
        for cell, learner, split in _claim_cells(driver, waiting, 1 if window == 1 else CLAIMED_AT_ONCE):
            if not place.exists():
                _spool_dataset(place, data, _iterate_splits(study, data))
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
                routes=routes_metadata(learner),
            )


def _spool_dataset(place: Path, data: Dataset, splits: Iterator[Split]) -> None:
    try:
        spool(place, data, splits)
    except OSError as error:
        found = f"the data cannot be put into the folder {str(place.parent.parent)!r}: {error.strerror or error}"
        raise InputError(found, "one with room for them", {"spool": "/a/larger/folder"}) from None


def parted(
    datasets: Any, plan: Any, ignore: Iterable[str] = (), positive: Any = None
) -> tuple[tuple[Dataset, ...], Plan]:
    """The data sets a user named and the plan for them; where all come with parts of their own that is the plan.

    >>> from sklearn.model_selection import PredefinedSplit
    >>> data, plan = parted({"toy": ([[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 0])}, PredefinedSplit([0, 0, 1, 1]))
    >>> plan.name, data[0].splits
    ('the given parts', (<split 1.1: 2 to learn from, 2 to predict>, ...))
    """
    if plan is not None and not isinstance(plan, Plan):
        plan = given(plan) if is_splitter(plan) else plan_of(plan)
    column = None if plan is None else dict(plan.options).get("column")
    data = with_one_positive(datasets_of(datasets, split=column, ignore=ignore), positive)
    if plan is None:
        own = [one for one in data if one.splits is not None]
        return data, given() if own and len(own) == len(data) else kfold(10)
    if plan.splitter is None:
        return data, plan
    return tuple(_add_splitter_splits(one, plan) for one in data), plan


def _add_splitter_splits(data: Dataset, plan: Plan) -> Dataset:
    """A data set with the parts an object makes of it; only the program that has the object can read it again."""
    if data.splits is not None:
        raise InputError(f"data set {data.name!r} has its own parts, and the plan is a splitter", "one of them")
    cases = data.features if data.given is None else data.given
    splits = parts_of_splitter(plan.splitter, cases, data.target, data.group_names)
    return replace(data, splits=splits, origin=None)
