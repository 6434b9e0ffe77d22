"""Classifiers that learn as they go, behind one face: scikit-learn's `partial_fit` and river's `learn_one`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Protocol

import numpy as np

from assay.errors import InputError, OptionError
from assay.sources import label_name

__all__ = ["Answer", "StreamLearner", "learner_of", "rows_of"]

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
    raise OptionError(f"{kind} has neither partial_fit nor learn_one", "a classifier that learns as it goes")


class _Batches:
    """A classifier with `partial_fit`, told all classes when it is taught for the first time."""

    def __init__(self, model: Any, names: tuple[str, ...], labels: Sequence[Any]) -> None:
        self.model, self.names, self.labels = model, names, labels
        self.is_taught = hasattr(model, "classes_")

    def predict(self, rows: Sequence[Any]) -> list[Answer]:
        if not self.is_taught:
            return [None] * len(rows)
        if not hasattr(self.model, "predict_proba"):
            return [{"prediction": label} for label in self.model.predict(_stacked(rows)).tolist()]
        shares = self.model.predict_proba(_stacked(rows))
        columns = _columns([label_name(each) for each in np.asarray(self.model.classes_).tolist()], self.names)
        return _answers(shares[:, columns].tolist())

    def learn(self, rows: Sequence[Any], labels: Sequence[Any]) -> None:
        told = {} if self.is_taught else {"classes": np.asarray(self.labels)}
        self.model.partial_fit(_stacked(rows), np.asarray(labels), **told)
        self.is_taught = True

    def certain(self, name: str) -> Answer:
        return _certain(name, self.names) if hasattr(self.model, "predict_proba") else {"prediction": name}

    def copy(self) -> _Batches:
        return _Batches(deepcopy(self.model), self.names, self.labels)


class _One:
    """A classifier with `learn_one`, whose rows are dictionaries of features by name."""

    def __init__(self, model: Any, names: tuple[str, ...]) -> None:
        self.model, self.names = model, names
        self.has_shares = True

    def predict(self, rows: Sequence[Any]) -> list[Answer]:
        return [self._of(_features(row)) for row in rows]

    def _of(self, row: Mapping[Any, Any]) -> Answer:
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
        return _answers([[by_name.get(name, 0.0) for name in self.names]])[0]

    def learn(self, rows: Sequence[Any], labels: Sequence[Any]) -> None:
        for row, label in zip(rows, labels, strict=True):
            self.model.learn_one(_features(row), label)

    def certain(self, name: str) -> Answer:
        return _certain(name, self.names) if self.has_shares else {"prediction": name}

    def copy(self) -> _One:
        return _One(deepcopy(self.model), self.names)


def _answers(shares: list[list[float]]) -> list[Answer]:
    """Shares of the classes, in the run's order, as what `update` takes."""
    return [{"score": row[1]} if len(row) == 2 else {"scores": row} for row in shares]


def _certain(name: str, names: tuple[str, ...]) -> Answer:
    return _answers([[float(each == name) for each in names]])[0]


def _columns(found: Sequence[str | None], names: tuple[str, ...]) -> list[int]:
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(f"the classifier knows no class {missing[0]!r}", "one that was taught the classes of the run")
    return [found.index(name) for name in names]


def _stacked(rows: Sequence[Any]) -> Any:
    return np.asarray([list(row.values()) if isinstance(row, Mapping) else row for row in rows])


def _features(row: Any) -> Mapping[Any, Any]:
    return row if isinstance(row, Mapping) else dict(enumerate(np.asarray(row).tolist()))


def rows_of(x: Any, y: Any) -> Iterable[tuple[Any, Any]]:
    """Pairs of a row and its label: of arrays, of a data frame and its column, or of anything that can be walked.

    >>> import pandas as pd
    >>> list(rows_of(pd.DataFrame({"a": [1, 2]}), [0, 1]))
    [({'a': 1}, 0), ({'a': 2}, 1)]
    """
    labels = y.tolist() if hasattr(y, "tolist") else y
    if hasattr(x, "columns") and hasattr(x, "to_dict"):
        x = _records(x)
    if hasattr(x, "__len__") and hasattr(labels, "__len__") and len(x) != len(labels):
        raise InputError(f"there are {len(x):,} rows but {len(labels):,} labels", "as many of one as of the other")
    return zip(x, labels, strict=True)


def _records(frame: Any) -> list[dict[str, Any]]:
    names = [str(name) for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(frame[name].to_list() for name in frame), strict=True)]
