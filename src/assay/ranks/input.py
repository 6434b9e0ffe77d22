"""Results of algorithms over data sets, from whatever holds them: the border where they are questioned.

Results fold by fold: the same folds for every algorithm, or they cannot be compared.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.request import checked_choice, checked_numbers, checked_positive
from assay.results import counted
from assay.sources import Source
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
            raise _repeated_result_error(dataset, algorithm, fold)
        cell[fold] = value
    rows = [[cells.get((dataset, algorithm), {}) for algorithm in algorithms] for dataset in datasets]
    means = np.array([[float(np.mean(list(cell.values()))) if cell else np.nan for cell in row] for row in rows])
    if "fold" not in chosen and "repeat" not in chosen:
        return datasets, algorithms, means, None
    blocks = tuple(_values_by_fold(dataset, algorithms, row) for dataset, row in zip(datasets, rows, strict=True))
    shares = np.array(
        [_test_train_ratio(data, chosen, number, names["dataset"], dataset, ratio) for dataset in datasets]
    )
    return datasets, algorithms, settled(means), Folds(blocks, shares)


def _repeated_result_error(dataset: str, algorithm: str, fold: tuple[str, ...]) -> InputError:
    where = f" in fold {' of repeat '.join(reversed(fold))}" if fold else ""
    wanted = {"repeat": "run"} if fold else {"fold": "fold"}
    return InputError(
        f"{algorithm!r} has several results on {dataset!r}{where}",
        f"a single result, or the column of the {next(iter(wanted))}",
        wanted,
    )


def _values_by_fold(dataset: str, algorithms: tuple[str, ...], row: list[dict[tuple[str, ...], float]]) -> Floats:
    """Algorithms by folds, in one order of folds."""
    filled = [cell for cell in row if cell]
    for algorithm, cell in zip(algorithms, row, strict=True):
        if cell and cell.keys() != filled[0].keys():
            raise InputError(
                f"{algorithm!r} has other folds of {dataset!r} than the other algorithms", "results on the same folds"
            )
    order = list(filled[0])
    return np.array([[cell.get(fold, np.nan) for fold in order] for cell in row])


def _test_train_ratio(
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


Better = Literal["higher", "lower"]
# Names by which a column is recognised, in lower case and without spaces, dashes and underscores.
ROLES = {
    "dataset": ("dataset", "data", "problem", "task", "benchmark", "keydataset"),
    "algorithm": ("algorithm", "learner", "classifier", "model", "scheme", "method", "keyscheme"),
    "fold": ("fold", "keyfold"),
    "repeat": ("run", "repeat", "repetition", "keyrun"),
    "n_train": ("ntrain", "trainsize", "numberoftraininginstances"),
    "n_test": ("ntest", "testsize", "numberoftestinginstances"),
}
DELIMITERS = ",;\t"
BASELINE = "dummy"  # what studies call the learner that looks at no feature
NO_BASELINE = "none"
MISSING = ("", "na", "nan", "null", "none", "?")


@dataclass(frozen=True)
class Columns:
    """Which column plays which part; what is None is recognised by its name."""

    dataset: str | None = None
    algorithm: str | None = None
    value: str | None = None
    fold: str | None = None
    repeat: str | None = None


@dataclass(frozen=True, eq=False)
class ResultTable:
    """One value for each data set (a row) and algorithm (a column), and the folds behind it where they are known.

    `source` is the file they were read from, `ratio` the cases tested per case trained where someone said it.
    `baselines` are answers to be better than, such as that of a learner that looks at no feature, with their values:
    they stand beside the algorithms in tables, and out of every rank and test.
    """

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    values: Floats
    better: Better = "higher"
    folds: Folds | None = None
    dropped: int = 0
    source: Source | None = None
    ratio: float | None = None
    baselines: tuple[str, ...] = ()
    baseline_values: Floats | None = None

    def __repr__(self) -> str:
        return f"<Results of {len(self.algorithms)} algorithms on {len(self.datasets)} data sets>"

    @property
    def gains(self) -> Floats:
        """The values with their sign such that higher is better."""
        return self.values if self.better == "higher" else -self.values


def results_of(
    table: Any,
    *,
    better: Better = "higher",
    columns: Columns | None = None,
    algorithms: Sequence[str] | None = None,
    ratio: float | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    baseline: str | Sequence[str] | None = None,
) -> ResultTable:
    """The results in a file, a data frame, a mapping of columns or an array of data sets by algorithms.

    Wide tables have a row for each data set and a column for each algorithm; long ones a row for each value, with
    columns that name its data set and algorithm and, if they have one for each fold, its fold.

    >>> results_of({"dataset": ["iris", "wine"], "tree": [0.95, 0.9], "knn": [0.96, 0.97]})
    <Results of 2 algorithms on 2 data sets>
    >>> long = {"dataset": ["iris", "iris"], "algorithm": ["tree", "knn"], "accuracy": [0.95, 0.96]}
    >>> results_of(long).values.tolist()
    [[0.95, 0.96]]
    """
    if isinstance(table, ResultTable):
        said = {"better": better != "higher", "missing": missing != "refuse", "ratio": ratio is not None}
        said |= {"algorithms": algorithms is not None, "columns": columns not in (None, Columns())}
        said |= {"baseline": baseline is not None}
        for name in (name for name, is_given in said.items() if is_given):
            raise OptionError(f"{name} cannot be used with a ResultTable", f"{name} passed to results_of() instead")
        return table
    for name, given, choices in (("better", better, ("higher", "lower")), ("missing", missing, ("refuse", "drop"))):
        checked_choice(given, choices, name)
    if ratio is not None:
        checked_positive(ratio, "ratio", "the ratio of test to training cases, above 0, such as 0.1111")
    file = _read_delimited(table) if isinstance(table, str | os.PathLike) else None
    has_names = file is not None or isinstance(table, Mapping) or hasattr(type(table), "columns")
    if algorithms is not None and has_names:
        raise OptionError("algorithms cannot be used with a table that has column names", "an array, or no algorithms")
    data = _columns_of(table, algorithms) if file is None else dict(file.columns)
    chosen = _column_roles(data, columns or Columns())
    is_long = "algorithm" in chosen
    datasets, names, values, folds = (
        averaged(data, chosen, _parse_number, ratio) if is_long else _wide_values(data, chosen)
    )
    source = None if file is None else file.source(chosen)
    if ratio is not None and folds is None:
        raise OptionError(
            "ratio needs results by fold, and the table has no folds", "one result for each fold", about="ratio"
        )
    results = _complete_datasets(
        ResultTable(datasets, names, values, better, folds, source=source, ratio=ratio), missing
    )
    results = _without_baselines(results, _baselines(results.algorithms, baseline))
    if len(results.algorithms) < 2 or not len(results.datasets):
        size = f"{counted(len(results.algorithms), 'algorithm')} on {counted(len(results.datasets), 'data set')}"
        size += f", without the baseline {' and '.join(map(repr, results.baselines))}" if results.baselines else ""
        raise InputError(f"the table has results of {size}", "at least two algorithms on the same data sets")
    return results


def _baselines(algorithms: tuple[str, ...], asked: str | Sequence[str] | None) -> tuple[str, ...]:
    """Who stands out of the tests: as said; else what studies call the learner that looks at no feature."""
    if asked is None:
        return tuple(name for name in algorithms if name == BASELINE)
    named = (asked,) if isinstance(asked, str) else tuple(asked)
    if named == (NO_BASELINE,):
        return ()
    for name in named:
        checked_choice(name, (*algorithms, NO_BASELINE), "baseline")
    return tuple(dict.fromkeys(named))


def _without_baselines(results: ResultTable, baselines: tuple[str, ...]) -> ResultTable:
    """The results with those of baselines beside them."""
    if not baselines:
        return results
    kept = [place for place, name in enumerate(results.algorithms) if name not in baselines]
    beside = [results.algorithms.index(name) for name in baselines]
    return replace(
        results,
        algorithms=tuple(results.algorithms[place] for place in kept),
        values=results.values[:, kept],
        folds=None if results.folds is None else results.folds.of(kept),
        baselines=baselines,
        baseline_values=results.values[:, beside],
    )


@dataclass(frozen=True)
class _File:
    """A delimited text file: its name, its fingerprint, and its columns as text."""

    name: str
    sha256: str
    columns: Mapping[str, list[str]]

    def source(self, chosen: Mapping[str, str]) -> Source:
        """What is remembered of the file beside its values."""
        rows = len(next(iter(self.columns.values())))
        return Source(self.name, "csv", rows=rows, columns=dict(chosen), sha256=self.sha256)


def _read_delimited(path: str | os.PathLike[str]) -> _File:
    """The columns of a delimited text file."""
    name = Path(path).name or str(path)
    try:
        held = Path(path).read_bytes()
        text = held.decode("utf-8-sig")
        head = text.split("\n", 1)[0]
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=head.count))
        rows = [row for row in lines if row]
    except OSError as error:
        why = (error.strerror or "failed").lower()
        raise InputError(f"cannot read {name[:80]}: {why}", "a CSV file of results") from None
    except UnicodeEncodeError:
        raise InputError("the path is not a valid file name", "a CSV file of results") from None
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{name} is not a UTF-8 text file with columns", "a CSV file of results") from None
    if len(rows) < 2:
        raise InputError(f"{name} has no results", "a header line and one line for each result")
    names = [_single_line(column) for column in rows[0]]
    for place, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            found = f"row {place} of {name} has {counted(len(row), 'value')} for {counted(len(names), 'column')}"
            raise InputError(found, "one value for each column")
    _refuse_repeats("column", names)
    columns = {column: [_single_line(row[i]) for row in rows[1:]] for i, column in enumerate(names)}
    return _File(name, hashlib.sha256(held).hexdigest(), columns)


def _single_line(text: str) -> str:
    """A cell in one line."""
    return " ".join(text.split())


def _columns_of(table: Any, algorithms: Sequence[str] | None) -> dict[str, list[Any]]:
    """Columns by name, out of anything that has them."""
    if isinstance(table, Mapping):
        odd = [name for name, held in table.items() if isinstance(held, str) or not isinstance(held, Iterable)]
        if odd:
            raise InputError(
                f"the results of {odd[0]!r} are not a list: {table[odd[0]]!r:.60}",
                "a list of results, one for each data set",
            )
        return {str(name): list(values) for name, values in table.items()}
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if isinstance(names, Mapping):
        return {str(name): list(values) for name, values in names.items()}
    if names is not None:
        return {str(name): np.asarray(table[name]).tolist() for name in names}
    values = checked_numbers(table, "table")
    if values.ndim != 2:
        raise InputError(
            f"the array has {values.ndim} dimensions", "two: a row for each data set, a column for each algorithm"
        )
    named = list(algorithms or (f"algorithm {j + 1}" for j in range(values.shape[1])))
    if len(named) != values.shape[1]:
        raise InputError(f"algorithms has {len(named)} names for {values.shape[1]} columns", "one name for each column")
    _refuse_repeats("algorithm", named)
    return {str(name): values[:, j].tolist() for j, name in enumerate(named)}


def _refuse_repeats(thing: str, names: Sequence[str]) -> None:
    repeated = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if repeated:
        raise InputError(f"duplicate {thing} name {repeated[0]!r}", "unique names")


def _column_roles(data: Mapping[str, list[Any]], columns: Columns) -> dict[str, str]:
    """The column of each part: as named, else as recognised."""
    if len({len(values) for values in data.values()}) > 1:
        raise InputError("the columns have different lengths", "columns of the same length")
    found = {}
    for role in ("dataset", "algorithm", "value", "fold", "repeat", "n_train", "n_test"):
        named = getattr(columns, role, None)
        if named is not None and named not in data:
            seen = ", ".join(repr(name) for name in data)
            raise InputError(f"unknown column {named!r}; available: {seen}", f"the column of the {role}")
        like = [name for name in data if _normalized_name(name) in ROLES.get(role, ())]
        if named is not None or like:
            found[role] = named or like[0]
    if "dataset" not in found or "algorithm" not in found:
        return {role: name for role, name in found.items() if role == "dataset"}
    return found if "value" in found else found | {"value": _value_column(data, found)}


def _value_column(data: Mapping[str, list[Any]], found: Mapping[str, str]) -> str:
    others = [name for name in data if name not in found.values()]
    if len(others) != 1:
        if not others:
            raise InputError("no column of results", "a column of numbers beside data set, algorithm and fold")
        listed = ", ".join(repr(name) for name in others)
        raise InputError(f"several columns could be the results: {listed}", "the column to use", {"value": others[0]})
    return others[0]


def _normalized_name(name: str) -> str:
    return name.lower().replace(" ", "").replace("_", "").replace("-", "")


def _wide_values(
    data: Mapping[str, list[Any]], chosen: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...], Floats, None]:
    first = next(iter(data), "")
    is_text = any(isinstance(value, str) and not _is_number(value) for value in data.get(first, ()))
    key = chosen.get("dataset") or (first if is_text else None)
    names = tuple(name for name in data if name != key)
    count = len(data[first]) if data else 0
    datasets = tuple(str(value) for value in data[key]) if key else tuple(str(i + 1) for i in range(count))
    _refuse_repeats("data set", datasets)
    values = np.array([[_parse_number(value, name) for value in data[name]] for name in names], dtype=np.float64)
    return datasets, names, values.reshape(len(names), count).T, None


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except (TypeError, ValueError):
        return str(text).strip().lower() in MISSING
    return True


def _parse_number(value: Any, column: str) -> float:
    """A cell as a number, nan where it is missing."""
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING):
        return float("nan")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"column {column!r} has {value!r}, which is not a number", "numbers") from None
    if np.isinf(number):
        raise InputError(f"column {column!r} has an infinite value", "finite numbers")
    return number


def _complete_datasets(results: ResultTable, missing: str) -> ResultTable:
    """The data sets on which every algorithm has a value; others are refused, or dropped and counted."""
    is_missing = np.isnan(results.values)
    if not is_missing.any():
        return results
    if missing == "refuse":
        row, column = (int(place[0]) for place in np.nonzero(is_missing))
        raise InputError(
            f"{results.algorithms[column]!r} has no value on {results.datasets[row]!r}",
            "a result of every algorithm on every data set, or the incomplete data sets dropped",
            {"missing": "drop"},
        )
    keep = np.flatnonzero(~is_missing.any(1))
    return replace(
        results,
        datasets=tuple(results.datasets[i] for i in keep),
        values=results.values[keep],
        folds=None if results.folds is None else results.folds.take(keep),
        dropped=int(is_missing.any(1).sum()),
    )
