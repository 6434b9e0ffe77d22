"""Driving a classifier over a stream: when it is tested, when it is taught, and how many of it there are.

Classifiers that learn as they go, behind one face: scikit-learn's `partial_fit` and river's `learn_one`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from assay.errors import AssayError, InputError, OptionError
from assay.request import checked_choice, checked_seed, checked_whole
from assay.results import Table
from assay.sources import label_name, listed
from assay.types import Floats

if TYPE_CHECKING:
    from assay.streams.prequential import Prequential

__all__ = [
    "Answer",
    "Distributed",
    "Interleaved",
    "PeriodicHoldout",
    "StreamLearner",
    "distributed",
    "driven",
    "interleaved",
    "learner_of",
    "periodic_holdout",
    "rows_of",
]


# What is said of one event, as keywords of `update`; None where nothing can be said yet.
Answer = dict[str, Any] | None


class StreamLearner(Protocol):
    """What driving needs of a classifier."""

    def predict(self, rows: Sequence[Any]) -> list[Answer]:
        """What it says of each row."""

    def learn(self, rows: Sequence[Any], labels: Sequence[Any]) -> None:
        """Teach it these rows."""

    def certain(self, name: str) -> Answer:
        """What it would say if it were certain of a class: the same kind of answer as its others."""

    def copy(self) -> StreamLearner:
        """Another one that knows as much."""


def learner_of(model: Any, names: tuple[str, ...], labels: Sequence[Any]) -> StreamLearner:
    """A classifier by what it can do; `names` are the run's classes, `labels` the same as the data spells them.

    >>> learner_of(object(), ("a", "b"), ["a", "b"])
    Traceback (most recent call last):
    assay.errors.OptionError: object has neither partial_fit nor learn_one; needed: a classifier that learns as it goes
    """
    if callable(getattr(model, "partial_fit", None)):
        return _Batches(model, names, labels)
    if callable(getattr(model, "learn_one", None)):
        return _One(model, names)
    kind = type(model).__name__
    raise OptionError(f"{kind} has neither partial_fit nor learn_one", "a classifier for online learning")


class _Batches:
    """A classifier with `partial_fit`, told all classes when it is taught for the first time."""

    def __init__(self, model: Any, names: tuple[str, ...], labels: Sequence[Any]) -> None:
        self.model, self.names, self.labels = model, names, labels
        self.is_taught = hasattr(model, "classes_")

    def predict(self, rows: Sequence[Any]) -> list[Answer]:
        if not self.is_taught:
            return [None] * len(rows)
        if not hasattr(self.model, "predict_proba"):
            return [{"prediction": label} for label in self.model.predict(_stack_rows(rows)).tolist()]
        shares = self.model.predict_proba(_stack_rows(rows))
        columns = _class_column_positions(
            [label_name(each) for each in np.asarray(self.model.classes_).tolist()], self.names
        )
        return _probability_answers(shares[:, columns].tolist())

    def learn(self, rows: Sequence[Any], labels: Sequence[Any]) -> None:
        told = {} if self.is_taught else {"classes": np.asarray(self.labels)}
        self.model.partial_fit(_stack_rows(rows), np.asarray(labels), **told)
        self.is_taught = True

    def certain(self, name: str) -> Answer:
        return _certain_answer(name, self.names) if hasattr(self.model, "predict_proba") else {"prediction": name}

    def copy(self) -> _Batches:
        return _Batches(deepcopy(self.model), self.names, self.labels)


class _One:
    """A classifier with `learn_one`, whose rows are dictionaries of features by name."""

    def __init__(self, model: Any, names: tuple[str, ...]) -> None:
        self.model, self.names = model, names
        self.has_shares = True

    def predict(self, rows: Sequence[Any]) -> list[Answer]:
        return [self._predict_row(_row_as_mapping(row)) for row in rows]

    def _predict_row(self, row: Mapping[Any, Any]) -> Answer:
        try:
            shares = self.model.predict_proba_one(row)
        except NotImplementedError:
            self.has_shares = False
            label = self.model.predict_one(row)
            return None if label is None else {"prediction": label}
        if not shares:
            return None
        by_name = {label_name(label): float(share) for label, share in shares.items()}
        # A class that the classifier has not met has no share.
        return _probability_answers([[by_name.get(name, 0.0) for name in self.names]])[0]

    def learn(self, rows: Sequence[Any], labels: Sequence[Any]) -> None:
        for row, label in zip(rows, labels, strict=True):
            self.model.learn_one(_row_as_mapping(row), label)

    def certain(self, name: str) -> Answer:
        return _certain_answer(name, self.names) if self.has_shares else {"prediction": name}

    def copy(self) -> _One:
        return _One(deepcopy(self.model), self.names)


def _probability_answers(shares: list[list[float]]) -> list[Answer]:
    """Shares of the classes, in the run's order, as what `update` takes."""
    return [{"score": row[1]} if len(row) == 2 else {"scores": row} for row in shares]


def _certain_answer(name: str, names: tuple[str, ...]) -> Answer:
    return _probability_answers([[float(each == name) for each in names]])[0]


def _class_column_positions(found: Sequence[str | None], names: tuple[str, ...]) -> list[int]:
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(
            f"the classifier does not know the class {missing[0]!r}", "a classifier fitted to the classes of the run"
        )
    return [found.index(name) for name in names]


def _stack_rows(rows: Sequence[Any]) -> Any:
    return np.asarray([list(row.values()) if isinstance(row, Mapping) else row for row in rows])


def _row_as_mapping(row: Any) -> Mapping[Any, Any]:
    return row if isinstance(row, Mapping) else dict(enumerate(np.asarray(row).tolist()))


def rows_of(x: Any, y: Any) -> Iterable[tuple[Any, Any]]:
    """Pairs of a row and its label: of arrays, of a data frame and its column, or of anything that can be walked.

    >>> import pandas as pd
    >>> list(rows_of(pd.DataFrame({"a": [1, 2]}), [0, 1]))
    [({'a': 1}, 0), ({'a': 2}, 1)]
    """
    labels = y.tolist() if hasattr(y, "tolist") else y
    if hasattr(x, "columns") and hasattr(x, "to_dict"):
        x = _frame_records(x)
    if hasattr(x, "__len__") and hasattr(labels, "__len__") and len(x) != len(labels):
        raise InputError(
            f"x and y must have the same length ({len(x):,} and {len(labels):,})", "one label for each row"
        )
    return zip(x, labels, strict=True)


def _frame_records(frame: Any) -> list[dict[str, Any]]:
    names = [str(name) for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(frame[name].to_list() for name in frame), strict=True)]


KINDS = ("cross-validation", "split", "bootstrap")
Found = TypeVar("Found")
Row = tuple[Any, Any]


@dataclass(frozen=True)
class Interleaved:
    """Every event is predicted, then learned; with a `batch`, so many are predicted before the same are learned.

    The first `warm_up` events are learned at once and not predicted: some classifiers answer nan until they have seen a
    few of each class.
    """

    batch: int = 1
    warm_up: int = 0


@dataclass(frozen=True)
class PeriodicHoldout:
    """After every `every` events that are learned, the next `test` ones are predicted and not learned."""

    every: int
    test: int


def interleaved(batch: int = 1, *, warm_up: int = 0) -> Interleaved:
    """Test, then train: every event judges the classifier before it teaches it, but for the first `warm_up` ones.

    >>> interleaved()
    Interleaved(batch=1, warm_up=0)
    """
    return Interleaved(checked_whole(batch, "batch"), checked_whole(warm_up, "warm_up", 0))


def periodic_holdout(every: int, test: int) -> PeriodicHoldout:
    """Learn `every` events, then test on the next `test` ones, which are not learned, and so on.

    >>> periodic_holdout(every=1000, test=200)
    PeriodicHoldout(every=1000, test=200)
    """
    return PeriodicHoldout(checked_whole(every, "every"), checked_whole(test, "test"))


def driven(
    run: Prequential, model: Any, x: Any, y: Any, plan: Interleaved | PeriodicHoldout, default: Any = None
) -> None:
    """Feed a run with what a classifier says of a stream, by a plan."""
    rows, learner = _prepare_stream(run, model, x, y)
    if isinstance(plan, Interleaved):
        _run_interleaved(run, learner, rows, plan, default)
    elif isinstance(plan, PeriodicHoldout):
        _run_periodic_holdout(run, learner, rows, plan, default)
    else:
        raise OptionError(f"the plan is {plan!r}", "streams.interleaved() or streams.periodic_holdout(1000, 200)")


def _prepare_stream(run: Prequential, model: Any, x: Any, y: Any) -> tuple[Iterator[Row], StreamLearner]:
    """The rows of a stream, and the classifier, which is told all classes by the names the labels have in the data."""
    if run.is_open or len(run.classes) < 2:
        raise OptionError("the classes of the run are unknown", "all classes before training")
    rows = iter(rows_of(x, y))
    head = list(islice(rows, 1))
    like = head[0][1] if head else None
    names = run.classes if len(run.classes) == 2 else run.classes_of_scores
    return _chain_rows(head, rows), learner_of(model, names, [_class_in_data_type(name, like) for name in names])


def _chain_rows(head: list[Row], rest: Iterator[Row]) -> Iterator[Row]:
    yield from head
    yield from rest


def _class_in_data_type(name: str, like: Any) -> Any:
    """A class as the labels of the data spell it: their kind is that of the first one."""
    if isinstance(like, bool | np.bool_):
        return name in ("True", "1")
    if isinstance(like, int | np.integer):
        return int(name)
    return float(name) if isinstance(like, float | np.floating) else name


def _run_interleaved(
    run: Prequential, learner: StreamLearner, rows: Iterator[Row], plan: Interleaved, default: Any
) -> None:
    first = list(islice(rows, plan.warm_up))
    _train_learner(learner, first, 0)
    number = len(first)
    run.unpredicted += number
    while piece := list(islice(rows, plan.batch)):
        _test_piece(run, learner, piece, number, default)
        _train_learner(learner, piece, number)
        number += len(piece)


def _run_periodic_holdout(
    run: Prequential, learner: StreamLearner, rows: Iterator[Row], plan: PeriodicHoldout, default: Any
) -> None:
    number = 0
    while piece := list(islice(rows, plan.every)):
        _train_learner(learner, piece, number)
        number += len(piece)
        tested = list(islice(rows, plan.test))
        _test_piece(run, learner, tested, number, default)
        number += len(tested)


def _test_piece(run: Prequential, learner: StreamLearner, piece: Sequence[Row], number: int, default: Any) -> None:
    if not piece:
        return
    answers = _run_user_code(lambda: learner.predict([row for row, _ in piece]), number, len(piece), "predicting")
    instead = None if default is None else learner.certain(_checked_default_class(run, default))
    for offset, ((_, truth), answer) in enumerate(zip(piece, answers, strict=True)):
        _evaluate_event(run, truth, answer, number + offset, instead)


def _checked_default_class(run: Prequential, default: Any) -> str:
    name = label_name(default)
    if name not in run.classes:
        raise OptionError(f"default is {default!r}", f"one of the classes {listed(run.classes)}", about="default")
    return name


def _evaluate_event(run: Prequential, truth: Any, answer: Answer, number: int, instead: Answer) -> None:
    if answer is None:
        run.unpredicted += 1
        answer = instead
    if answer is None:
        return
    try:
        run.update(truth, **answer)
    except AssayError as error:
        raise InputError(f"event {number + 1:,}: {error}") from error


def _train_learner(learner: StreamLearner, piece: Sequence[Row], number: int) -> None:
    if piece:
        rows, labels = [row for row, _ in piece], [label for _, label in piece]
        _run_user_code(lambda: learner.learn(rows, labels), number, len(piece), "learning")


def _run_user_code(work: Callable[[], Found], number: int, count: int, what: str) -> Found:
    """The work of somebody else's classifier; where it fails, at which event."""
    try:
        return work()
    except AssayError:
        raise
    except Exception as error:  # whatever a foreign classifier raises
        place = f"event {number + 1:,}" if count == 1 else f"events {number + 1:,} to {number + count:,}"
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise InputError(f"{place}: {what} failed with {said}", "a classifier that accepts every event") from error


@dataclass(frozen=True, eq=False)
class Distributed:
    """Several copies of a classifier over one stream, each with a run of its own.

    Their spread says how much the value depends on which events a copy happened to learn; it is no interval: the copies
    share most of what they learned.
    """

    kind: str
    runs: tuple[Prequential, ...]

    def values(self, name: str, view: str = "cumulative") -> Floats:
        """A measure of a view, one for each copy."""
        return np.array([run.view(view).value(name) for run in self.runs])

    def table(self, names: Sequence[str], view: str = "cumulative") -> Table:
        """Mean, standard deviation, smallest and largest value over the copies."""
        values = [self.values(name, view) for name in names]
        spread = [float(each.std(ddof=1)) if len(each) > 1 else float("nan") for each in values]
        return Table(
            {
                "measure": list(names),
                "mean": [float(each.mean()) for each in values],
                "sd": spread,
                "least": [float(each.min()) for each in values],
                "most": [float(each.max()) for each in values],
                "copies": [len(each) for each in values],
            },
            title=f"{len(self.runs)} copies, {self.kind}",
        )


def distributed(
    run: Prequential, model: Any, x: Any, y: Any, *, kind: str = "cross-validation", copies: int = 10, seed: int = 0
) -> Distributed:
    """Several copies of a classifier over one stream, which test and learn different events of it.

    In "cross-validation" an event tests one copy, drawn by lot, and teaches all others; in "split" it teaches one and
    tests all others; in "bootstrap" each copy draws from Poisson(1) how often it learns it, and those that drew 0 are
    tested (Bifet, de Francisci Morales, Read, Holmes & Pfahringer 2015). `run` is the pattern the copies' runs are made
    by and stays empty.
    """
    checked_choice(kind, KINDS, "kind")
    count, rng = checked_whole(copies, "copies", 2), np.random.default_rng(checked_seed(seed))
    if run.events:
        raise OptionError(f"the run has {run.events:,} events already", "an empty run as the template")
    rows, first = _prepare_stream(run, model, x, y)
    learners = [first.copy() for _ in range(count)]
    runs = tuple(run.fresh() for _ in range(count))
    for number, row in enumerate(rows):
        times = _training_counts(kind, count, rng)
        for learner, own, learned in zip(learners, runs, times, strict=True):
            if learned == 0:
                _test_piece(own, learner, [row], number, None)
        for learner, learned in zip(learners, times, strict=True):
            _train_repeatedly(learner, row, learned, number)
    return Distributed(kind, runs)


def _training_counts(kind: str, copies: int, rng: np.random.Generator) -> Iterable[int]:
    """How often each copy learns an event; those that do not are tested on it."""
    if kind == "bootstrap":
        drawn: list[int] = rng.poisson(1.0, copies).tolist()
        return drawn
    chosen = int(rng.integers(copies))
    return [int((copy == chosen) == (kind == "split")) for copy in range(copies)]


def _train_repeatedly(learner: StreamLearner, row: Row, times: int, number: int) -> None:
    for _ in range(times):
        _train_learner(learner, [row], number)
