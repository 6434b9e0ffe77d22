"""Small files as people and tools write them, each with its right answer: which column is what, and the figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Realistic", "Write", "accuracy", "area", "csv", "json_lines", "words"]

ROWS = 90
RANDOM = np.random.default_rng(390039)
Y = (RANDOM.random(ROWS) < 0.4).astype(int)
P = np.round(np.clip(RANDOM.normal(0.35 + 0.3 * Y, 0.17), 0.01, 0.99), 3)
WORSE = np.round(np.clip(RANDOM.normal(0.42 + 0.14 * Y, 0.2), 0.01, 0.99), 3)
CALLED = (P >= 0.5).astype(int)
SURE = np.round(np.where(CALLED == 1, P, 1 - P), 3)
LOGIT = np.round(np.log(P / (1 - P)), 4)
AGE = np.round(RANDOM.uniform(18, 90, ROWS), 1)
MALE = (RANDOM.random(ROWS) < 0.5).astype(int)
ID = np.arange(1000, 1000 + ROWS)
IRIS = np.array(["setosa", "versicolor", "virginica"])
SPECIES = RANDOM.integers(0, 3, ROWS)
SHARES = RANDOM.dirichlet([1, 1, 1], ROWS) + 1.2 * np.eye(3)[SPECIES] * RANDOM.random((ROWS, 1))
SHARES = np.round(SHARES / SHARES.sum(1, keepdims=True), 3)
SHARES[:, 2] = np.round(1 - SHARES[:, 0] - SHARES[:, 1], 3)
TOP = SHARES.argmax(1)

Write = Callable[[Path], None]


@dataclass(frozen=True)
class Realistic:
    """A file, and the right reading of it.

    `truth` is the column of true labels, nothing where the file has none. `positive` are the classes that may be the
    positive one. Each of `figures` that an answer holds has to have this value, and one at least has to be there;
    figures of several models are called `<model>.<measure>`. What is `asked` has to stop with a question, what is not
    has to be evaluated; where it is None, either will do. `first` says whether the first hint has to be right.
    """

    name: str
    write: Write
    truth: str | None
    figures: Mapping[str, float] = field(default_factory=dict)
    positive: Sequence[str] = ("1",)
    options: tuple[str, ...] = ()
    asked: bool | None = None
    first: bool = True


def area(score: Any, truth: Any = Y) -> float:
    """The ROC AUC by its definition: the share of pairs in which the positive one scores higher, ties for half."""
    positive, negative = score[truth == 1], score[truth == 0]
    return float((positive[:, None] > negative).mean() + (positive[:, None] == negative).mean() / 2)


def accuracy(called: Any, truth: Any = Y) -> float:
    """The share of predicted labels that are right."""
    return float((called == truth).mean())


def words(values: Any, names: str) -> Any:
    """The names, parted by blanks, that 0, 1, ... stand for."""
    return np.array(names.split())[values]


def csv(heading: str, *columns: Any, sep: str = ",", **how: Any) -> Write:
    """A table under a heading whose names are parted by `|`."""

    def write(path: Path) -> None:
        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.to_csv(path, index=False, header=heading.split("|"), sep=sep, **how)

    return write


def json_lines(**columns: Any) -> Write:
    """An object for each row."""

    def write(path: Path) -> None:
        lists = [values.tolist() if isinstance(values, np.ndarray) else list(values) for values in columns.values()]
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    return write
