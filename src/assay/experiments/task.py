"""One cell of a study: fit one learner to one training part, predict its test part, and say how that went."""

from __future__ import annotations

import io
import json
import pickle
import time
import traceback
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.experiments._answers import (
    WrongAnswer,
    checked_labels,
    checked_probabilities,
    checked_scores,
    known_classes,
)
from assay.experiments._apart import ended_after
from assay.experiments._parting import Split
from assay.experiments.datasets import Dataset
from assay.experiments.learners import built
from assay.experiments.plans import plan_of

TUNER = "sklearn.model_selection.GridSearchCV"
MOST_WARNINGS = 5
OPEN_AT_ONCE = 8


@dataclass(frozen=True)
class CellSpec:
    """What a worker must know to run a cell: small, since the data are read from `folder`, once for each worker.

    `split` is the place of the cell's partition in that folder, `inner` the plan by which a tuned learner chooses its
    settings, `given` an estimator that has no recipe, `timeout` the seconds after which the worker is ended.
    """

    key: str
    dataset: str
    learner: str
    repeat: int
    fold: int
    folder: str
    split: int
    classes: int
    recipe: Mapping[str, Any]
    seed: int = 0
    inner: Mapping[str, Any] | None = None
    given: Any = None
    timeout: float | None = None


@dataclass(frozen=True)
class CellOutcome:
    """How a cell went: packed predictions and what they cost, or the traceback of what went wrong.

    `predictions` are the bytes of a compressed npz file (see `PredictedRows`); `model_bytes` is the size of the fitted
    model as it would be saved.
    """

    key: str
    predictions: bytes | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    model_bytes: int | None = None
    train_cases: int | None = None
    error: str | None = None
    warnings: str | None = None


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """What one fitted model said of its test cases: their row numbers, labels, and scores or probabilities if any.

    >>> packed = PredictedRows(np.array([3, 7]), np.array([0, 1]), score=np.array([-0.5, 2.0])).packed()
    >>> PredictedRows.unpacked(packed).score
    array([-0.5,  2. ])
    """

    rows: NDArray[np.integer]
    label: NDArray[np.integer]
    probability: NDArray[np.float64] | None = None
    score: NDArray[np.float64] | None = None

    def packed(self) -> bytes:
        """The arrays as a compressed npz file: no pickle, so that a store can come from anywhere."""
        kept = {name: values for name, values in vars(self).items() if values is not None}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **kept)
        return buffer.getvalue()

    @classmethod
    def unpacked(cls, packed: bytes) -> PredictedRows:
        """The arrays of a packed file, which must hold one row number and one label for each case."""
        with suppress(Exception):  # bytes from anywhere: zip, zlib and numpy each have errors of their own
            with np.load(io.BytesIO(packed), allow_pickle=False) as held:
                found = cls(**{name: held[name] for name in held.files})
            if found._has_shape():
                return found
        raise InputError("the predictions of a cell are damaged", "the study resumed, which runs it again")

    def _has_shape(self) -> bool:
        cases = (len(self.rows),)
        kinds = {name: values.dtype.kind for name, values in vars(self).items() if values is not None}
        return (
            kinds == {name: "i" if name in ("rows", "label") else "f" for name in kinds}
            and self.rows.shape == self.label.shape == cases
            and (self.score is None or self.score.shape == cases)
            and (self.probability is None or self.probability.shape == (*cases, *self.probability.shape[1:2]))
        )

    def fits(self, cases: int, classes: int) -> bool:
        """Whether this can be about a data set of so many cases and classes."""
        known = (self.rows >= 0).all() and (self.rows < cases).all()
        named = (self.label >= 0).all() and (self.label < classes).all()
        numbers = all(np.isfinite(each).all() for each in (self.probability, self.score) if each is not None)
        wide = self.probability is None or self.probability.shape[1] == classes
        return bool(known and named and numbers and wide and len(self.rows))


def spool(folder: Path, data: Dataset, splits: Iterable[Split]) -> None:
    """Write a data set where workers map it into memory, and its partitions, each once for all learners."""
    folder.mkdir(parents=True)
    np.save(folder / "features.npy", data.features)
    np.save(folder / "target.npy", data.target)
    if data.groups is not None:
        np.save(folder / "groups.npy", data.groups)
    sizes: dict[str, list[int]] = {"train": [], "test": []}
    with (folder / "train").open("wb") as train, (folder / "test").open("wb") as test:
        for split in splits:
            for part, rows, file in (("train", split.train, train), ("test", split.test, test)):
                file.write(rows.astype(np.int32).tobytes())
                sizes[part].append(len(rows))
    for part in sizes:
        np.save(folder / f"{part}_ends.npy", np.cumsum(sizes[part]))


def run_cell(spec: CellSpec) -> CellOutcome:
    """Fit and predict; whatever a learner raises is part of the outcome, so that the other cells go on."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            estimator = built(spec.recipe, spec.given, spec.seed)
            with _one_thread(json.dumps(spec.recipe, sort_keys=True)), ended_after(spec.timeout, spec.folder, spec.key):
                outcome = _fitted(spec, estimator)
        except WrongAnswer as error:
            outcome = {"error": f"learner {spec.learner!r}: {error}"}
        except KeyboardInterrupt:  # the user's, who stops the study
            raise
        except BaseException:  # also one that calls sys.exit
            outcome = {"error": traceback.format_exc()}
    said = dict.fromkeys(_heard(each) for each in heard)
    return CellOutcome(spec.key, **outcome, warnings="\n".join(list(said)[:MOST_WARNINGS]) or None)


def _heard(warning: warnings.WarningMessage) -> str:
    try:
        said = str(warning.message).split("\n")[0]
    except Exception:  # a warning of a foreign class that cannot be shown
        said = "..."
    return f"{warning.category.__name__}: {said}"


def _fitted(spec: CellSpec, estimator: Any) -> dict[str, Any]:
    features, target = _mapped(spec.folder, "features"), _mapped(spec.folder, "target")
    train, test = _part(spec, "train"), _part(spec, "test")
    learned, truth, asked = features[train], target[train], features[test]
    if spec.inner is not None and spec.recipe.get("path") == TUNER:
        estimator = estimator.set_params(cv=_inner(spec, train, truth))
    start = time.perf_counter()
    estimator.fit(learned, truth)
    fitted = time.perf_counter()
    labels = checked_labels(estimator.predict(asked), len(asked), spec.classes)
    scores = _scores(estimator, asked, spec.classes)
    predicted = time.perf_counter()
    return {
        "predictions": PredictedRows(test, labels, **scores).packed(),
        "fit_seconds": fitted - start,
        "predict_seconds": predicted - fitted,
        "model_bytes": _size(estimator),
        "train_cases": len(train),
    }


def _inner(spec: CellSpec, train: NDArray[np.integer], truth: NDArray[Any]) -> list[tuple[Any, Any]]:
    """The partitions of this training part by which settings are chosen."""
    assert spec.inner is not None
    grouped = (Path(spec.folder) / "groups.npy").exists()
    groups = _mapped(spec.folder, "groups")[train] if grouped else None
    return [(part.train, part.test) for part in plan_of(spec.inner).splits(truth, groups, spec.seed)]


def _scores(estimator: Any, asked: NDArray[Any], classes: int) -> dict[str, NDArray[np.float64]]:
    """Probabilities, a column for each class whether or not the training part had it; else two classes' scores."""
    known = getattr(estimator, "classes_", range(classes))
    if hasattr(estimator, "predict_proba"):
        said = estimator.predict_proba(asked)
        return {"probability": checked_probabilities(said, known, len(asked), classes)}
    if classes == 2 and len(known_classes(known, classes)) == 2 and hasattr(estimator, "decision_function"):
        return {"score": checked_scores(estimator.decision_function(asked), len(asked))}
    return {}


class _Counter:
    """A file that keeps nothing but its length, so that a large model is not held twice."""

    def __init__(self) -> None:
        self.length = 0

    def write(self, data: bytes | memoryview) -> int:
        """Count what would have been written."""
        size = memoryview(data).nbytes
        self.length += size
        return size


def _size(estimator: Any) -> int | None:
    counter = _Counter()
    try:
        pickle.Pickler(counter, protocol=5).dump(estimator)
    except Exception:  # whatever a foreign estimator raises, its size is then unknown and nothing worse
        return None
    return counter.length


@lru_cache(maxsize=OPEN_AT_ONCE * 8)
def _mapped(folder: str, name: str) -> NDArray[Any]:
    """An array of the data, mapped into memory once for each worker; learners see a plain array."""
    return np.asarray(np.load(Path(folder) / f"{name}.npy", mmap_mode="r"))


def forget_data() -> None:
    """Let go of the data this process mapped, so that their files can go."""
    _mapped.cache_clear()


def _part(spec: CellSpec, part: str) -> NDArray[np.int32]:
    """The rows of a part, read and not mapped: a process that runs many cells would hold those of all of them."""
    ends = _mapped(spec.folder, f"{part}_ends")
    start = int(ends[spec.split - 1]) if spec.split else 0
    size = np.dtype(np.int32).itemsize
    return np.fromfile(Path(spec.folder) / part, np.int32, int(ends[spec.split]) - start, offset=size * start)


def _one_thread(recipe: str) -> Any:
    """Keep linear algebra to one thread: cells are what runs side by side, and sums must not depend on how many do."""
    return _controller(recipe).limit(limits=1)


@lru_cache(maxsize=64)
def _controller(recipe: str) -> Any:
    """Finding the libraries takes as long as a small fit: it is done once for each learner, when it was imported."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
