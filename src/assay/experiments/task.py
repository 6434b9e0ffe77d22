"""One cell of a study: fit one learner to one training part, predict its test part, and say how that went."""

from __future__ import annotations

import json
import pickle
import time
import traceback
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.experiments._answers import (
    checked_labels,
    checked_probabilities,
    checked_scores,
    known_classes,
)
from assay.experiments._apart import ended_after
from assay.experiments._packed import PredictedRows
from assay.experiments._parting import Split, sklearn_part
from assay.experiments._parts import JudgedPart, training_part, validation_part
from assay.experiments._validating import fit_with, settings_of, tuned_on
from assay.experiments.containers import case_count, labels_in, put_container, rows_of, stored_container
from assay.experiments.datasets import Dataset
from assay.experiments.learners import built
from assay.experiments.plans import plan_of
from assay.experiments.preparation import encoded, encoder_for, with_coded_weights, with_encoder
from assay.sources import abstention_of

TUNER = "sklearn.model_selection.GridSearchCV"
MOST_WARNINGS = 5
OPEN_AT_ONCE = 8
# Cases of a training part by which it is judged: evenly over all of it where there are more, so that a learner that is
# slow to predict is not asked about most of the data in every fold.
MOST_TRAINING = 10_000
PARTS = ("train", "test", "validation")


@dataclass(frozen=True)
class CellSpec:
    """What a worker must know to run a cell: small, since the data are read from `folder`, once for each worker.

    `split` is the place of the cell's partition in that folder, `inner` the plan by which a tuned learner chooses its
    settings, `given` an estimator that has no recipe, `timeout` the seconds after which the worker is ended. `form` is
    the container of cases that the learner gets, `spelled` whether it gets labels as given in the place of codes. What
    a trial prints is of no interest. `routes` says whether scikit-learn routes metadata.
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
    form: str = "features"
    spelled: bool = False
    is_trial: bool = False
    routes: bool = False


@dataclass(frozen=True)
class CellOutcome:
    """How a cell went: packed predictions and what they cost, or the traceback of what went wrong.

    `predictions` are the bytes of a compressed npz file (see `PredictedRows`); `model_bytes` is the size of the fitted
    model as it would be saved; `parts` what it says of the cases it learned from, and of those set aside to choose on.
    """

    key: str
    predictions: bytes | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    model_bytes: int | None = None
    train_cases: int | None = None
    error: str | None = None
    warnings: str | None = None
    parts: tuple[JudgedPart, ...] = ()


def spool(folder: Path, data: Dataset, splits: Iterable[Split]) -> None:
    """Write a data set where workers map it into memory, and its partitions, each once for all learners."""
    folder.mkdir(parents=True)
    np.save(folder / "features.npy", np.zeros((len(data), 1)) if data.features is None else data.features)
    np.save(folder / "target.npy", data.target)
    np.save(folder / "names.npy", np.asarray(data.classes))
    for name in ("table", "given", "labels"):
        held = getattr(data, name)
        if held is not None and held is not data.features:
            put_container(folder, name, held)
    if data.labels is not None:
        spelling = np.asarray(data.spelling)
        is_plain = not spelling.dtype.hasobject and spelling.tolist() == list(data.spelling)
        put_container(folder, "spelling", spelling if is_plain else data.spelling)
    for name in ("groups", "weight"):
        if getattr(data, name) is not None:
            np.save(folder / f"{name}.npy", getattr(data, name))
    sizes: dict[str, list[int]] = {part: [] for part in PARTS}
    with ExitStack() as opened:
        files = {part: opened.enter_context((folder / part).open("wb")) for part in PARTS}
        for split in splits:
            for part, file in files.items():
                given = getattr(split, part)
                rows = np.empty(0, dtype=np.int32) if given is None else given.astype(np.int32)
                file.write(rows.tobytes())
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
        except AssayError as error:  # it says what is needed, and a traceback would hide that
            outcome = {"error": f"learner {spec.learner!r}: {error}"}
        except KeyboardInterrupt:  # the user's, who stops the study
            raise
        except BaseException:  # also one that calls sys.exit
            outcome = {"error": traceback.format_exc()}
    said = dict.fromkeys(_heard(each) for each in heard)
    return CellOutcome(spec.key, **outcome, warnings="\n".join(list(said)[:MOST_WARNINGS]) or None)


def fitted_here(spec: CellSpec) -> tuple[Any, PredictedRows]:
    """The fitted estimator of a cell itself, and what it said of the test cases; whatever it raises goes on."""
    estimator = built(spec.recipe, spec.given, spec.seed)
    with warnings.catch_warnings(), _one_thread(json.dumps(spec.recipe, sort_keys=True)):
        warnings.simplefilter("ignore")  # they were heard when the cell was run
        estimator, _ = _learned(spec, estimator)
        tested = _answers(spec, estimator, _part(spec, "test"))
    return estimator, tested


def said_by(estimator: Any, asked: Any, classes: int, spelling: Sequence[Any] | None = None) -> PredictedRows:
    """What a fitted estimator says of cases, checked; `spelling` are the labels it was given, if not codes."""
    return _said(estimator, asked, np.arange(case_count(asked), dtype=np.int32), classes, spelling)


def _heard(warning: warnings.WarningMessage) -> str:
    try:
        said = str(warning.message).split("\n")[0]
    except Exception:  # a warning of a foreign class that cannot be shown
        said = "..."
    return f"{warning.category.__name__}: {said}"


def _learned(spec: CellSpec, estimator: Any) -> tuple[Any, dict[str, Any] | None]:
    """The estimator fitted to the training part, or the one that was chosen on the part set aside.

    With it the settings that a search chose, if it is one.
    """
    settings = None
    cases, labels = _container(spec.folder, spec.form), _container(spec.folder, "labels" if spec.spelled else "target")
    train, validation = _part(spec, "train"), _part(spec, "validation")
    learned, truth = rows_of(cases, train), rows_of(labels, train)
    encoder = encoder_for(learned)
    learned = encoded(learned, encoder)
    aside = None
    if len(validation):
        aside = encoded(rows_of(cases, validation), encoder), rows_of(labels, validation)
    if not spec.spelled:
        estimator = with_coded_weights(estimator, _mapped(spec.folder, "names").tolist())
    if spec.recipe.get("path") == TUNER and aside is not None:
        estimator, settings = tuned_on(estimator, learned, truth, *aside)
    elif spec.inner is not None:
        estimator = estimator.set_params(cv=_inner(spec, train, _mapped(spec.folder, "target")[train]))
    weight, groups = (_beside(spec, name, train) for name in ("weight", "groups"))
    with _routing(spec.routes):
        fit_with(estimator, learned, truth, aside, weight, groups)
    settings = settings if settings is not None else settings_of(estimator)
    return estimator if encoder is None else with_encoder(encoder, estimator), settings


def _fitted(spec: CellSpec, estimator: Any) -> dict[str, Any]:
    target = _mapped(spec.folder, "target")
    train, test, validation = (_part(spec, part) for part in PARTS)
    start = time.perf_counter()
    estimator, settings = _learned(spec, estimator)
    fitted = time.perf_counter()
    tested = _answers(spec, estimator, test)
    predicted = time.perf_counter()
    # The predictions of one training part are few beside the data; those of many splits would be most of the store.
    is_only_split = len(_mapped(spec.folder, "train_ends")) == 1
    is_whole = is_only_split or len(train) <= MOST_TRAINING
    some = train if is_whole else train[np.linspace(0, len(train) - 1, MOST_TRAINING).astype(int)]
    learned = _answers(spec, estimator, some)
    trained = training_part(learned, target, spec.classes, with_predictions=is_only_split, settings=settings)
    parts = [trained]
    if len(validation):
        parts.append(validation_part(_answers(spec, estimator, validation)))
    return {
        "predictions": tested.packed(),
        "fit_seconds": fitted - start,
        "predict_seconds": predicted - fitted,
        "model_bytes": _size(estimator),
        "train_cases": len(train),
        "parts": tuple(parts),
    }


def _answers(spec: CellSpec, estimator: Any, rows: NDArray[np.int32]) -> PredictedRows:
    """The predictions of a fitted model for some rows of the data of a cell."""
    cases = rows_of(_container(spec.folder, spec.form), rows)
    spelling = labels_in(_container(spec.folder, "spelling")) if spec.spelled else None
    return _said(estimator, cases, rows, spec.classes, spelling)


def _said(
    estimator: Any, asked: Any, rows: NDArray[np.int32], classes: int, spelling: Sequence[Any] | None
) -> PredictedRows:
    """What a fitted model says of some cases, checked."""
    labels = checked_labels(estimator.predict(asked), len(rows), classes, abstention_of(estimator), spelling)
    return PredictedRows(rows, labels, **_scores(estimator, asked, len(rows), classes, spelling))


def _inner(spec: CellSpec, train: NDArray[np.integer], truth: NDArray[Any]) -> list[tuple[Any, Any]]:
    """The partitions of this training part by which settings are chosen."""
    assert spec.inner is not None
    groups = _beside(spec, "groups", train)
    return [(part.train, part.test) for part in plan_of(spec.inner).splits(truth, groups, spec.seed)]


def _beside(spec: CellSpec, name: str, train: NDArray[np.integer]) -> NDArray[Any] | None:
    """What the data hold beside cases and classes, of the training part."""
    return _mapped(spec.folder, name)[train] if (Path(spec.folder) / f"{name}.npy").exists() else None


def _routing(is_on: bool) -> Any:
    """scikit-learn's metadata routing, as it is set in the program that drives the study."""
    return sklearn_part("", "an experiment").config_context(enable_metadata_routing=is_on)


def _scores(
    estimator: Any, asked: Any, cases: int, classes: int, spelling: Sequence[Any] | None
) -> dict[str, NDArray[np.float64]]:
    """Probabilities, a column for each class whether or not the training part had it; else two classes' scores."""
    known = getattr(estimator, "classes_", None)
    if known is None:  # in the order that scikit-learn gives classes
        known = range(classes) if spelling is None else np.unique(np.asarray(spelling))
    if hasattr(estimator, "predict_proba"):
        said = estimator.predict_proba(asked)
        return {"probability": checked_probabilities(said, known, cases, classes, spelling)}
    if classes != 2 or not hasattr(estimator, "decision_function"):
        return {}
    order = known_classes(known, classes, spelling)
    if len(order) != 2:
        return {}
    score = checked_scores(estimator.decision_function(asked), cases)
    return {"score": score if order[1] == 1 else -score}


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


@lru_cache(maxsize=OPEN_AT_ONCE * 4)
def _container(folder: str, name: str) -> Any:
    """A container of the data, read once for each worker."""
    return stored_container(Path(folder), name)


def forget_data() -> None:
    """Let go of the data this process mapped, so that their files can go."""
    _mapped.cache_clear()
    _container.cache_clear()


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
