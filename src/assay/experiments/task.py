"""One cell of a study: fit one learner to one training part, predict its test part, and say how that went.

What a learner answered, checked before it is kept: a wrong answer must fail its cell, not every table after it.

Fitting with a part set aside: learners that stop or prune on it are given it, and settings are chosen on it.

Learners that do not fit a plan, refused when a study is defined and not by every one of its cells.

A learner held apart from the program that runs it: what it prints goes to stderr, and it may take only so long.
"""

from __future__ import annotations

import ctypes
import faulthandler
import inspect
import json
import os
import pickle
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, InputError
from assay.experiments.containers import case_count, labels_in, put_container, rows_of, stored_container
from assay.experiments.database import PredictedRows
from assay.experiments.datasets import Dataset
from assay.experiments.learners import TUNED_FOLDS, Learner, built
from assay.experiments.plans import plan_of
from assay.experiments.preparation import encoded, encoder_for, with_coded_weights, with_encoder
from assay.experiments.run_predictions import JudgedPart, training_part, validation_part
from assay.experiments.splitting import Split, is_splitter, sklearn_part
from assay.sources import abstention_of

ROUNDING = 1e-6  # by how much probabilities may miss 0, 1 and a sum of 1


class WrongAnswer(InputError):
    """What a learner said of its test cases cannot be used."""


def checked_labels(
    said: Any, cases: int, classes: int, abstention: Any = None, spelling: Sequence[Any] | None = None
) -> NDArray[np.int32]:
    """One class code for each case; one past the classes where the learner abstained.

    `spelling` are the labels behind the codes, where the learner was given those.

    >>> checked_labels([0, 2, 1], 3, 3)
    array([0, 2, 1], dtype=int32)
    >>> checked_labels([0, -1, 1], 3, 2, abstention=-1)
    array([0, 2, 1], dtype=int32)
    >>> checked_labels(["ham", "spam"], 2, 2, spelling=["spam", "ham"])
    array([1, 0], dtype=int32)
    >>> checked_labels([0, 2], 3, 3)
    Traceback (most recent call last):
    assay.experiments.task.WrongAnswer: predict returned shape (2,); needed: one value for each of 3 cases
    """
    labels = checked_length(said, "predict", cases)
    if abstention is not None:
        abstained = np.asarray(labels == abstention)
        known = 0 if spelling is None else spelling[0]
        some = labels.astype(object) if spelling is not None else labels.copy()
        some[abstained] = known
        return np.where(abstained, np.int32(classes), checked_labels(some, cases, classes, spelling=spelling))
    if spelling is not None:
        return _encode_predicted_labels(labels, spelling, "predict")
    if labels.dtype.kind not in "iufb" or not np.isin(labels, np.arange(classes)).all():
        found = labels[~np.isin(labels, np.arange(classes))] if labels.dtype.kind in "iufb" else labels
        raise WrongAnswer(
            f"predict returned {str(found[0])[:40]!r}, which is not a class code", "the codes of the training labels"
        )
    return labels.astype(np.int32)


def _encode_predicted_labels(labels: NDArray[Any], spelling: Sequence[Any], method: str) -> NDArray[np.int32]:
    """The codes of labels in their own spelling."""
    place = {label: code for code, label in enumerate(spelling)}
    values = labels.tolist()
    try:
        return np.array([place[value] for value in values], dtype=np.int32)
    except (KeyError, TypeError):
        odd = next(value for value in values if not _is_known_label(value, place))
        needed = f"the training labels, such as {spelling[0]!r}"
        raise WrongAnswer(f"{method} returned {str(odd)[:40]!r}, which is not a label of the data", needed) from None


def _is_known_label(value: Any, place: dict[Any, int]) -> bool:
    try:
        return value in place
    except TypeError:
        return False


def checked_scores(said: Any, cases: int) -> NDArray[np.float64]:
    """One finite score for each case."""
    return _as_finite_numbers(checked_length(said, "decision_function", cases), "decision_function")


def checked_probabilities(
    said: Any, known: Any, cases: int, classes: int, spelling: Sequence[Any] | None = None
) -> NDArray[np.float64]:
    """A row of probabilities for each case, in the columns of the classes that the learner knows.

    >>> checked_probabilities([[0.25, 0.75]], [0, 2], 1, 3)
    array([[0.25, 0.  , 0.75]])
    >>> checked_probabilities([[0.25, 1.75]], [0, 2], 1, 3)
    Traceback (most recent call last):
    assay.experiments.task.WrongAnswer: predict_proba returned 1.75; needed: probabilities from 0 to 1
    """
    columns = known_classes(known, classes, spelling)
    found = _as_finite_numbers(_as_array(said, "predict_proba"), "predict_proba")
    if found.shape != (cases, len(columns)):
        needed = f"a row for each of {cases} cases and a column for each of {len(columns)} classes"
        raise WrongAnswer(f"predict_proba returned shape {found.shape}", needed)
    outside = found[(found < -ROUNDING) | (found > 1 + ROUNDING)]
    if len(outside):
        raise WrongAnswer(f"predict_proba returned {outside[0]:.6g}", "probabilities from 0 to 1")
    sums = found.sum(axis=1)
    if not (np.abs(sums - 1) < 1e3 * ROUNDING).all():
        worst = sums[np.abs(sums - 1).argmax()]
        raise WrongAnswer(f"predict_proba returned probabilities that sum to {worst:.6g}", "rows that sum to 1")
    probability = np.zeros((cases, classes))
    probability[:, columns] = np.clip(found, 0, 1)
    return probability


def known_classes(said: Any, classes: int, spelling: Sequence[Any] | None = None) -> NDArray[np.intp]:
    """The class codes a learner says that it knows, each once."""
    known = np.atleast_1d(_as_array(said, "classes_"))
    if spelling is not None and known.ndim == 1:
        known = _encode_predicted_labels(known, spelling, "classes_")
    fits = known.ndim == 1 and known.dtype.kind in "iufb" and np.isin(known, np.arange(classes)).all()
    if not fits or len(np.unique(known)) != len(known):
        raise WrongAnswer(f"classes_ is {str(known.tolist())[:60]}", f"class codes below {classes}, each once")
    return known.astype(np.intp)


def checked_length(said: Any, method: str, cases: int) -> NDArray[Any]:
    """One value for each case; a table of one column is as good.

    >>> checked_length([["yes"], ["no"]], "predict", 2).tolist()
    ['yes', 'no']
    """
    found = _as_array(said, method)
    if found.shape not in ((cases,), (cases, 1)):
        raise WrongAnswer(f"{method} returned shape {found.shape}", f"one value for each of {cases} cases")
    return found.reshape(cases)


def _as_array(said: Any, method: str) -> NDArray[Any]:
    try:
        return np.asarray(said)
    except Exception as error:  # whatever it is, it makes no array
        raise WrongAnswer(
            f"{method} returned a {type(said).__name__}, which cannot be converted to an array", "an array"
        ) from error


def _as_finite_numbers(found: NDArray[Any], method: str) -> NDArray[np.float64]:
    try:
        numbers = found.astype(np.float64)
    except (TypeError, ValueError):
        raise WrongAnswer(f"{method} returned values of type {found.dtype}", "numbers") from None
    if not np.isfinite(numbers).all():
        raise WrongAnswer(f"{method} returned values that are nan or infinite", "finite ones")
    return numbers


# What a `fit` that can use a validation part calls it, as scikit-learn's own do.
NAMES = ("X_val", "y_val")
# What XGBoost, LightGBM and CatBoost call it: a list of pairs.
PAIRS = "eval_set"
Aside = tuple[NDArray[Any], NDArray[Any]]


def takes_validation(estimator: Any) -> bool:
    """Whether `fit` of an estimator, or of the last step of a pipeline, takes cases to stop or prune on.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from assay.experiments.validation_learners import PrunedTree
    >>> takes_validation(PrunedTree()), takes_validation(DecisionTreeClassifier())
    (True, False)
    """
    known = inspect.signature(_last_step(estimator).fit).parameters
    return all(name in known for name in NAMES) or PAIRS in known


def needs_validation(estimator: Any) -> bool:
    """Whether an estimator says that it cannot be fitted without cases set aside."""
    return bool(getattr(_last_step(estimator), "needs_validation", False))


def _last_step(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if isinstance(steps, list) and steps else estimator


def fit_with(
    estimator: Any, cases: Any, classes: Any, aside: Aside | None, weight: Any = None, groups: Any = None
) -> None:
    """Fit to the training part; a learner that can use the part set aside is given it, as the steps before it leave it.

    Whatever stands before it in a pipeline is fitted to the training part alone. Weights of cases go to a learner that
    takes them, which is stated where it takes none, and groups to a search whose folds need them.
    """
    beside = _fit_metadata(estimator, weight, groups)
    if aside is None or not takes_validation(estimator):
        estimator.fit(cases, classes, **beside)
        return
    last = _last_step(estimator)
    beside = {name.rpartition("__")[2]: value for name, value in beside.items()}
    if last is estimator:
        estimator.fit(cases, classes, **_validation_arguments(last, *aside), **beside)
        return
    before = estimator[:-1]
    prepared = before.fit_transform(cases, classes)
    last.fit(prepared, classes, **_validation_arguments(last, before.transform(aside[0]), aside[1]), **beside)


def _validation_arguments(estimator: Any, cases: Any, classes: Any) -> dict[str, Any]:
    """The part set aside by the names that `fit` has for it."""
    known = inspect.signature(estimator.fit).parameters
    if all(name in known for name in NAMES):
        return dict(zip(NAMES, (cases, classes), strict=True))
    return {PAIRS: [(cases, classes)], **({"verbose": False} if "verbose" in known else {})}


def _fit_metadata(estimator: Any, weight: Any, groups: Any) -> dict[str, Any]:
    """What goes to `fit` beside cases and classes: by scikit-learn's metadata routing where that is switched on."""
    found: dict[str, Any] = {}
    last = _last_step(estimator)
    if sklearn_part("", "weights of cases").get_config()["enable_metadata_routing"]:
        return _routed_metadata(estimator, weight, groups)
    if groups is not None and _has_group_splitter(last):
        found[_step_parameter_name(estimator, "groups")] = groups
    if weight is None:
        return found
    inner = getattr(last, "estimator", last)
    if _accepts_sample_weight(last):
        found[_step_parameter_name(estimator, "sample_weight")] = weight
    elif hasattr(last, "cv") and _accepts_sample_weight(_last_step(inner)):
        found[_step_parameter_name(estimator, _step_parameter_name(inner, "sample_weight"))] = weight
    else:
        _warn_unweighted(last)
    return found


def _warn_unweighted(estimator: Any) -> None:
    warnings.warn(
        f"{type(estimator).__name__} does not support sample_weight and is fitted without weights", stacklevel=2
    )


def _accepts_sample_weight(estimator: Any) -> bool:
    """Whether `fit` takes sample_weight, or hands on what it is given to estimators that all take it."""
    if sklearn_part("utils.validation", "weights of cases").has_fit_parameter(estimator, "sample_weight"):
        return True
    members = getattr(estimator, "estimators", None)
    if not isinstance(members, list) or not any(
        each.kind is each.VAR_KEYWORD for each in inspect.signature(estimator.fit).parameters.values()
    ):
        return False
    every = [*(member for _, member in members), getattr(estimator, "final_estimator", None)]
    return all(_accepts_sample_weight(one) for one in every if one is not None and not isinstance(one, str))


def _routed_metadata(estimator: Any, weight: Any, groups: Any) -> dict[str, Any]:
    """What goes to `fit` by scikit-learn's metadata routing, as its cross_validate finds it."""
    kinds = sklearn_part("utils.metadata_routing", "metadata routing")
    mapping = kinds.MethodMapping().add(caller="fit", callee="fit")
    router = kinds.MetadataRouter(owner="experiment").add(estimator=estimator, method_mapping=mapping)
    wanted = {"groups": groups} if groups is not None and router.consumes("fit", ["groups"]) else {}
    try:
        weights = {} if weight is None else {"sample_weight": weight}
        return dict(kinds.process_routing(router, "fit", **wanted, **weights).estimator.fit)
    except TypeError:  # nothing in it requests weights; where somebody has to decide that, it is another error
        _warn_unweighted(estimator)
        return dict(kinds.process_routing(router, "fit", **wanted).estimator.fit) if wanted else {}


def _step_parameter_name(estimator: Any, name: str) -> str:
    """The name of a parameter of `fit`, with that of the last step of a pipeline before it."""
    steps = getattr(estimator, "steps", None)
    return f"{steps[-1][0]}__{name}" if isinstance(steps, list) and steps else name


def _has_group_splitter(search: Any) -> bool:
    """Whether a search has folds of its own that keep groups together: scikit-learn's for groups, or anybody else's."""
    cv: Any = getattr(search, "cv", None)
    if not is_splitter(cv):
        return False
    if type(cv).__module__.startswith("sklearn."):
        return "Group" in type(cv).__name__
    return "groups" in inspect.signature(cv.split).parameters


def tuned_on(search: Any, cases: Any, classes: Any, asked: Any, truth: Any) -> tuple[Any, dict[str, Any]]:
    """The estimator of a grid search with the settings that did best on the part set aside, to be fitted; and these.

    Each setting is fitted to the training part alone, the one chosen too.
    """
    base = sklearn_part("base", "tuning on a validation part")
    selection = sklearn_part("model_selection", "tuning on a validation part")
    judge: Callable[[Any, Any, Any], float] = sklearn_part("metrics", "tuning").check_scoring(
        search.estimator, search.scoring
    )
    best, chosen = -np.inf, None
    for setting in selection.ParameterGrid(search.param_grid):
        tried = base.clone(search.estimator).set_params(**setting)
        fit_with(tried, cases, classes, (asked, truth))
        found = float(judge(tried, asked, truth))
        if found > best:
            best, chosen = found, setting
    settings = dict(chosen or {})
    return base.clone(search.estimator).set_params(**settings), settings


def settings_of(estimator: Any) -> dict[str, Any] | None:
    """The settings that a fitted search chose, if the estimator or the last step of a pipeline is one.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2)
    >>> settings_of(search.fit([[0.0], [1.0]] * 5, [0, 1] * 5))
    {'max_depth': 1}
    """
    chosen = getattr(_last_step(estimator), "best_params_", None)
    return dict(chosen) if isinstance(chosen, Mapping) else None


OUT, ERR = 1, 2  # what a process writes to, by number


@contextmanager
def prints_to_stderr(*, is_shown: bool = True) -> Iterator[None]:
    """Whatever is printed meanwhile, by Python or by compiled code, goes to stderr: stdout belongs to the answer.

    It goes nowhere unless `is_shown`.
    """
    if not is_shown:
        with _silence_output():
            yield
        return
    kept = None
    with suppress(OSError, ValueError):  # closed, or no files at all: then there is nothing to keep clean
        _flush_output()
        kept = os.dup(OUT)
        os.dup2(ERR, OUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            _flush_output()
            os.dup2(kept, OUT)
            os.close(kept)


@contextmanager
def _silence_output() -> Iterator[None]:
    kept: dict[int, int] = {}
    with suppress(OSError, ValueError):
        _flush_output()
        kept = {stream: os.dup(stream) for stream in (OUT, ERR)}
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in kept:
            os.dup2(nowhere, stream)
        os.close(nowhere)
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
            yield
    finally:
        if kept:
            _flush_output()
        for stream, copy in kept.items():
            os.dup2(copy, stream)
            os.close(copy)


def _flush_output() -> None:
    for stream in (sys.stdout, sys.__stdout__):
        with suppress(Exception):  # a stream that was replaced by anything
            if stream is not None:
                stream.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)  # what compiled code has not written yet


def overdue(folder: str, key: str) -> Path:
    """The file that says a cell took too long: the process that ran it is gone when it is looked for."""
    return Path(folder) / f"overdue-{key}"


@contextmanager
def ended_after(seconds: float | None, folder: str, key: str) -> Iterator[None]:
    """End this whole process if the block takes longer, and leave word in the folder why.

    Compiled code that never looks up cannot be stopped in any other way.
    """
    if seconds is None:
        yield
        return
    note = overdue(folder, key)
    with note.open("w", encoding="utf-8") as file:
        faulthandler.dump_traceback_later(seconds, exit=True, file=file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
    note.unlink(missing_ok=True)


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
    for name in ("table", "given", "labels", "group_names"):
        held = getattr(data, name)
        if held is not None and held is not data.features:
            put_container(folder, name, held)
    if data.labels is not None:
        spelling = np.asarray(data.spelling)
        is_plain = not spelling.dtype.hasobject and spelling.tolist() == list(data.spelling)
        put_container(folder, "spelling", spelling if is_plain else data.spelling)
    for name in ("groups", "weight", "time"):
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
            with (
                _limit_to_one_thread(json.dumps(spec.recipe, sort_keys=True)),
                ended_after(spec.timeout, spec.folder, spec.key),
            ):
                outcome = _fit_and_predict(spec, estimator)
        except AssayError as error:  # it says what is needed, and a traceback would hide that
            outcome = {"error": f"learner {spec.learner!r}: {error}"}
        except KeyboardInterrupt:  # the user's, who stops the study
            raise
        except BaseException:  # also one that calls sys.exit
            outcome = {"error": traceback.format_exc()}
    said = dict.fromkeys(_warning_text(each) for each in heard)
    return CellOutcome(spec.key, **outcome, warnings="\n".join(list(said)[:MOST_WARNINGS]) or None)


def fitted_here(spec: CellSpec) -> tuple[Any, PredictedRows]:
    """The fitted estimator of a cell itself, and what it said of the test cases; whatever it raises goes on."""
    estimator = built(spec.recipe, spec.given, spec.seed)
    with warnings.catch_warnings(), _limit_to_one_thread(json.dumps(spec.recipe, sort_keys=True)):
        warnings.simplefilter("ignore")  # they were heard when the cell was run
        estimator, _ = _fit_or_tune(spec, estimator)
        tested = _predict_rows(spec, estimator, _part_rows(spec, "test"))
    return estimator, tested


def said_by(estimator: Any, asked: Any, classes: int, spelling: Sequence[Any] | None = None) -> PredictedRows:
    """What a fitted estimator says of cases, checked; `spelling` are the labels it was given, if not codes."""
    return _checked_predictions(estimator, asked, np.arange(case_count(asked), dtype=np.int32), classes, spelling)


def _warning_text(warning: warnings.WarningMessage) -> str:
    try:
        said = str(warning.message).split("\n")[0]
    except Exception:  # a warning of a foreign class that cannot be shown
        said = "..."
    return f"{warning.category.__name__}: {said}"


def _fit_or_tune(spec: CellSpec, estimator: Any) -> tuple[Any, dict[str, Any] | None]:
    """The estimator fitted to the training part, or the one that was chosen on the part set aside.

    With it the settings that a search chose, if it is one.
    """
    settings = None
    cases, labels = (
        _cached_container(spec.folder, spec.form),
        _cached_container(spec.folder, "labels" if spec.spelled else "target"),
    )
    train, validation = _part_rows(spec, "train"), _part_rows(spec, "validation")
    learned, truth = rows_of(cases, train), rows_of(labels, train)
    encoder = encoder_for(learned)
    learned = encoded(learned, encoder)
    aside = None
    if len(validation):
        aside = encoded(rows_of(cases, validation), encoder), rows_of(labels, validation)
    if not spec.spelled:
        estimator = with_coded_weights(estimator, _memory_mapped_array(spec.folder, "names").tolist())
    if spec.recipe.get("path") == TUNER and aside is not None:
        estimator, settings = tuned_on(estimator, learned, truth, *aside)
    elif spec.inner is not None:
        estimator = estimator.set_params(
            cv=_inner_splits(spec, train, _memory_mapped_array(spec.folder, "target")[train])
        )
    weight, groups = _training_part_of(spec, "weight", train), _group_names(spec, train)
    with _metadata_routing_context(spec.routes):
        fit_with(estimator, learned, truth, aside, weight, groups)
    settings = settings if settings is not None else settings_of(estimator)
    return estimator if encoder is None else with_encoder(encoder, estimator), settings


def _fit_and_predict(spec: CellSpec, estimator: Any) -> dict[str, Any]:
    target = _memory_mapped_array(spec.folder, "target")
    train, test, validation = (_part_rows(spec, part) for part in PARTS)
    start = time.perf_counter()
    estimator, settings = _fit_or_tune(spec, estimator)
    fitted = time.perf_counter()
    tested = _predict_rows(spec, estimator, test)
    predicted = time.perf_counter()
    # The predictions of one training part are few beside the data; those of many splits would be most of the store.
    is_only_split = len(_memory_mapped_array(spec.folder, "train_ends")) == 1
    is_whole = is_only_split or len(train) <= MOST_TRAINING
    some = train if is_whole else train[np.linspace(0, len(train) - 1, MOST_TRAINING).astype(int)]
    learned = _predict_rows(spec, estimator, some)
    trained = training_part(learned, target, spec.classes, with_predictions=is_only_split, settings=settings)
    parts = [trained]
    if len(validation):
        parts.append(validation_part(_predict_rows(spec, estimator, validation)))
    return {
        "predictions": tested.packed(),
        "fit_seconds": fitted - start,
        "predict_seconds": predicted - fitted,
        "model_bytes": _pickled_size(estimator),
        "train_cases": len(train),
        "parts": tuple(parts),
    }


def _predict_rows(spec: CellSpec, estimator: Any, rows: NDArray[np.int32]) -> PredictedRows:
    """The predictions of a fitted model for some rows of the data of a cell."""
    cases = rows_of(_cached_container(spec.folder, spec.form), rows)
    spelling = labels_in(_cached_container(spec.folder, "spelling")) if spec.spelled else None
    return _checked_predictions(estimator, cases, rows, spec.classes, spelling)


def _checked_predictions(
    estimator: Any, asked: Any, rows: NDArray[np.int32], classes: int, spelling: Sequence[Any] | None
) -> PredictedRows:
    """What a fitted model says of some cases, checked."""
    labels = checked_labels(estimator.predict(asked), len(rows), classes, abstention_of(estimator), spelling)
    return PredictedRows(rows, labels, **_probabilities_or_scores(estimator, asked, len(rows), classes, spelling))


def _inner_splits(spec: CellSpec, train: NDArray[np.integer], truth: NDArray[Any]) -> list[tuple[Any, Any]]:
    """The partitions of this training part by which settings are chosen."""
    assert spec.inner is not None
    groups, time_of = _training_part_of(spec, "groups", train), _training_part_of(spec, "time", train)
    parts = plan_of(spec.inner).each(truth, groups, spec.seed, time=time_of)
    return [(part.train, part.test) for part in parts]


def _training_part_of(spec: CellSpec, name: str, train: NDArray[np.integer]) -> NDArray[Any] | None:
    """What the data hold beside cases and classes, of the training part."""
    return _memory_mapped_array(spec.folder, name)[train] if (Path(spec.folder) / f"{name}.npy").exists() else None


def _group_names(spec: CellSpec, train: NDArray[np.integer]) -> Any:
    """The groups of the training part as they were given: folds for groups may go by the order of their names."""
    is_there = (Path(spec.folder) / "groups.npy").exists()
    return rows_of(_cached_container(spec.folder, "group_names"), train) if is_there else None


def _metadata_routing_context(is_on: bool) -> Any:
    """scikit-learn's metadata routing, as it is set in the program that drives the study."""
    return sklearn_part("", "an experiment").config_context(enable_metadata_routing=is_on)


def _probabilities_or_scores(
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


def _pickled_size(estimator: Any) -> int | None:
    counter = _Counter()
    try:
        pickle.Pickler(counter, protocol=5).dump(estimator)
    except Exception:  # whatever a foreign estimator raises, its size is then unknown and nothing worse
        return None
    return counter.length


@lru_cache(maxsize=OPEN_AT_ONCE * 8)
def _memory_mapped_array(folder: str, name: str) -> NDArray[Any]:
    """An array of the data, mapped into memory once for each worker; learners see a plain array."""
    return np.asarray(np.load(Path(folder) / f"{name}.npy", mmap_mode="r"))


@lru_cache(maxsize=OPEN_AT_ONCE * 4)
def _cached_container(folder: str, name: str) -> Any:
    """A container of the data, read once for each worker."""
    return stored_container(Path(folder), name)


def forget_data() -> None:
    """Let go of the data this process mapped, so that their files can go."""
    _memory_mapped_array.cache_clear()
    _cached_container.cache_clear()


def _part_rows(spec: CellSpec, part: str) -> NDArray[np.int32]:
    """The rows of a part, read and not mapped: a process that runs many cells would hold those of all of them."""
    ends = _memory_mapped_array(spec.folder, f"{part}_ends")
    start = int(ends[spec.split - 1]) if spec.split else 0
    size = np.dtype(np.int32).itemsize
    return np.fromfile(Path(spec.folder) / part, np.int32, int(ends[spec.split]) - start, offset=size * start)


def _limit_to_one_thread(recipe: str) -> Any:
    """Keep linear algebra to one thread: cells are what runs side by side, and sums must not depend on how many do."""
    return _threadpool_controller(recipe).limit(limits=1)


@lru_cache(maxsize=64)
def _threadpool_controller(recipe: str) -> Any:
    """Finding the libraries takes as long as a small fit: it is done once for each learner, when it was imported."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


ASIDE = "a plan with one: train_validation_test(), or a column with train, validation and test"


def refuse_unfit(dataset: str, split: Split, learners: Iterable[Learner]) -> None:
    """Refuse a learner that needs a validation part where there is none, and folds to tune by where there is one."""
    for learner in learners:
        is_tuned = learner.recipe.get("path") == TUNER
        made = learner.build(seed=0)
        if split.validation is None and needs_validation(made.estimator if is_tuned else made):
            found = f"learner {learner.name!r} needs a validation part, which data set {dataset!r} does not have"
            raise InputError(found, ASIDE)
        if split.validation is not None and is_tuned and made.cv not in (None, TUNED_FOLDS):
            found = f"learner {learner.name!r} has tuning folds, but the plan has a validation part"
            raise InputError(found, "one of them: remove the folds")
