"""Results fold by fold: the same folds for every algorithm, or they cannot be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.types import Floats

Number = Callable[[Any, str], float]
# Digits that are kept where arithmetic made the numbers: what differs only beyond them is a tie.
DIGITS = 12


@dataclass(frozen=True, eq=False)
class Folds:
    """For each data set the values of all algorithms (rows) on its folds, and how many cases tested per case trained.

    The ratio is nan where neither the sizes of the folds nor their number are known.
    """

    values: tuple[Floats, ...]
    ratio: Floats

    def of(self, algorithms: list[int]) -> Folds:
        """Only some of the algorithms."""
        return Folds(tuple(values[algorithms] for values in self.values), self.ratio)

    def take(self, places: NDArray[np.int64]) -> Folds:
        """Only some of the data sets."""
        return Folds(tuple(self.values[i] for i in places), self.ratio[places])


def settled(values: Floats) -> Floats:
    """The values without the noise of floating-point arithmetic, so that equal differences are tied.

    >>> settled(np.array([0.9 - 0.8, 0.3 - 0.2])).tolist()
    [0.1, 0.1]
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if not np.isfinite(largest) or largest == 0:
        return values
    return np.asarray(np.round(values, DIGITS - int(np.ceil(np.log10(largest)))))


def averaged(
    data: Mapping[str, list[Any]], chosen: Mapping[str, str], number: Number, ratio: float | None
) -> tuple[tuple[str, ...], tuple[str, ...], Floats, Folds | None]:
    """A long table as data sets by algorithms, folds averaged; and the folds themselves if there are any."""
    names = {role: [str(value) for value in data[chosen[role]]] for role in ("dataset", "algorithm")}
    datasets, algorithms = (tuple(dict.fromkeys(names[role])) for role in ("dataset", "algorithm"))
    folds = [
        tuple(str(data[chosen[role]][i]) for role in ("repeat", "fold") if role in chosen)
        for i in range(len(names["dataset"]))
    ]
    values = [number(value, chosen["value"]) for value in data[chosen["value"]]]
    cells: dict[tuple[str, str], dict[tuple[str, ...], float]] = {}
    for dataset, algorithm, fold, value in zip(names["dataset"], names["algorithm"], folds, values, strict=True):
        cell = cells.setdefault((dataset, algorithm), {})
        if fold in cell:
            raise _repeated(dataset, algorithm, fold)
        cell[fold] = value
    rows = [[cells.get((dataset, algorithm), {}) for algorithm in algorithms] for dataset in datasets]
    means = np.array([[float(np.mean(list(cell.values()))) if cell else np.nan for cell in row] for row in rows])
    if "fold" not in chosen and "repeat" not in chosen:
        return datasets, algorithms, means, None
    blocks = tuple(_block(dataset, algorithms, row) for dataset, row in zip(datasets, rows, strict=True))
    shares = np.array([_ratio(data, chosen, number, names["dataset"], dataset, ratio) for dataset in datasets])
    return datasets, algorithms, settled(means), Folds(blocks, shares)


def _repeated(dataset: str, algorithm: str, fold: tuple[str, ...]) -> InputError:
    where = f" in fold {' of repeat '.join(reversed(fold))}" if fold else ""
    wanted = {"repeat": "run"} if fold else {"fold": "fold"}
    return InputError(
        f"{algorithm!r} has several values on {dataset!r}{where}",
        f"one, or the column that tells them apart ({next(iter(wanted))})",
        wanted,
    )


def _block(dataset: str, algorithms: tuple[str, ...], row: list[dict[tuple[str, ...], float]]) -> Floats:
    """Algorithms by folds, in one order of folds."""
    filled = [cell for cell in row if cell]
    for algorithm, cell in zip(algorithms, row, strict=True):
        if cell and cell.keys() != filled[0].keys():
            raise InputError(
                f"{algorithm!r} was not run on the folds of {dataset!r} that others were", "the same folds"
            )
    order = list(filled[0])
    return np.array([[cell.get(fold, np.nan) for fold in order] for cell in row])


def _ratio(
    data: Mapping[str, list[Any]],
    chosen: Mapping[str, str],
    number: Number,
    names: list[str],
    dataset: str,
    ratio: float | None,
) -> float:
    """Cases tested per case trained: as given, from the sizes (of all splits together), or from the number of folds."""
    if ratio is not None:
        return ratio
    here = [i for i, name in enumerate(names) if name == dataset]
    if "n_train" in chosen and "n_test" in chosen:
        tested, trained = (
            sum(number(data[chosen[role]][i], chosen[role]) for i in here) for role in ("n_test", "n_train")
        )
        return tested / trained
    folds = len({str(data[chosen["fold"]][i]) for i in here}) if "fold" in chosen else 1
    return 1 / (folds - 1) if folds > 1 else float("nan")
