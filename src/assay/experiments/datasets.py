"""Data sets to learn from: bundled ones by name, files, data frames and arrays, each as numbers and class codes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.experiments._parting import Split, sklearn_part
from assay.experiments.encoding import FeatureColumn
from assay.experiments.given import parts_of_column, together
from assay.experiments.keel import keel_folder, read_keel
from assay.request import Request, checked_text, named_texts
from assay.sources import from_arrays, listed
from assay.sources.features import Column, columns_of_file, columns_of_frame

OURS: Mapping[str, Mapping[str, Any]] = {
    "weather": {"target": "RainTomorrow", "positive": "Yes", "ignore": ("Date", "Location", "RISK_MM")}
}
BUNDLED = ("breast_cancer", "digits", "iris", *OURS, "wine")
TEXTS = ("name", "path", "target", "group", "split", "test", "validation")
TARGETS = ("target", "class", "label", "y", "outcome")
MOST_VALUES = 100  # a text column with more different values is taken for an id, not for a feature


@dataclass(frozen=True, eq=False)
class Dataset:
    """Cases to learn from: a row of numbers and the code of a class for each.

    `classes` are the names behind the codes, the positive one last where there are two. `groups` says which rows belong
    together (a patient, a site), for plans that must not part them. `origin` is how to read it again, where that can be
    said in a few words: a bundled name, or a file and its columns. `positive_inferred` is true where nobody said which
    of two classes is the positive one. `splits` are the parts it was given with, for the plan `given()`: a column of
    folds, files of their own, KEEL's parts. `columns` are the features as they were given, before text became numbers,
    and `target_name` the column of classes.

    >>> iris = dataset_of("iris")
    >>> iris
    Dataset('iris': 150 rows, 4 features, classes 'setosa', 'versicolor', 'virginica')
    """

    name: str
    features: NDArray[np.float64]
    target: NDArray[np.int64]
    classes: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    groups: NDArray[np.int64] | None = None
    origin: Mapping[str, Any] | None = field(default=None)
    positive_inferred: bool = False
    splits: tuple[Split, ...] | None = None
    columns: tuple[FeatureColumn, ...] = ()
    target_name: str = "target"

    def __len__(self) -> int:
        return len(self.target)

    def __repr__(self) -> str:
        names = ", ".join(repr(name) for name in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        return f"Dataset({self.name!r}: {len(self):,} rows, {self.features.shape[1]:,} features, classes {names})"

    @cached_property
    def hash(self) -> str:
        """What the data are, as a fingerprint: the same numbers, classes and groups give the same one."""
        digest = hashlib.sha256(json.dumps([self.features.shape, self.classes]).encode())
        for values in (self.features, self.target, self.groups):
            digest.update(b"-" if values is None else np.ascontiguousarray(values).tobytes())
        return digest.hexdigest()


def datasets_of(given: Any, *, split: str | None = None, ignore: Iterable[str] = ()) -> tuple[Dataset, ...]:
    """Every data set a user named: one of them, a list, or a mapping of names to them.

    `split` is the column of each that says its folds, or what is train and what is test; `ignore` are columns that are
    no features, wherever they are.
    """
    said: dict[str, Any] = {"split": split, "ignore": named_texts(ignore, "ignore")}
    if isinstance(given, Mapping) and not {"name", "path"} & set(given):
        found = tuple(dataset_of(one, name=str(name), **said) for name, one in given.items())
    elif isinstance(given, list | tuple) and not _is_pair_of_arrays(given):
        found = tuple(dataset_of(one, **said) for one in given)
    else:
        found = (dataset_of(given, **said),)
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if not found or twice is not None:
        missing = "there is no data set" if not found else f"two data sets are called {twice!r}"
        raise InputError(missing, "at least one, each with a name of its own: {'train': frame, 'other': 'iris'}")
    return found


def dataset_of(
    given: Any,
    *,
    name: str | None = None,
    target: str | None = None,
    positive: Any = None,
    group: str | None = None,
    split: str | None = None,
    test: str | PathLike[str] | None = None,
    validation: str | PathLike[str] | None = None,
    ignore: Iterable[str] = (),
) -> Dataset:
    """One data set from a bundled name, the path of a file, a data frame, `(X, y)` or `(X, y, groups)`.

    `target` names the column of classes, `group` that of rows that belong together, `split` that of folds or of train,
    validation and test; `test` and `validation` are files of their own beside one to learn from. `ignore` are columns
    that are no features; other columns are features. Text becomes one 0/1 column for each of its values, missing text 0
    in all of them; missing numbers stay nan, for learners to deal with inside each training part.

    >>> dataset_of(([[1.0], [2.0], [3.0]], ["no", "yes", "yes"]), name="toy")
    Dataset('toy': 3 rows, 1 features, classes 'no', 'yes')
    """
    said: dict[str, Any] = {"target": target, "positive": positive, "group": group, "ignore": tuple(ignore)}
    said |= {"split": split, "test": test, "validation": validation}
    if isinstance(given, Mapping) and {"name", "path"} & set(given):
        return _of_record(given, said)
    if isinstance(given, Dataset) or (isinstance(given, str) and given in BUNDLED):
        _refuse_beside(given if isinstance(given, str) else given.name, said)
        return given if isinstance(given, Dataset) else _bundled(given, name or given)
    if isinstance(given, str | PathLike):
        return _of_file(given, name, said)
    for what in ("test", "validation"):
        if said[what] is not None:
            raise InputError(
                f"{what} is given beside data in memory", "the parts as one, with a column that says which"
            )
    if isinstance(given, list | tuple):
        return _of_arrays(given, name or "data", said)
    return _of_columns(columns_of_frame(given), name or "frame", said, None)


def _refuse_beside(name: str, said: Mapping[str, Any]) -> None:
    """Whatever is said of columns of a data set that is settled is refused by its name."""
    what = next((key for key, value in said.items() if value not in (None, ())), None)
    if what is not None:
        raise InputError(
            f"{what} is given, and data set {name!r} is as it is", "a file, a frame or (X, y), whose it is"
        )


def _of_file(given: str | PathLike[str], name: str | None, said: dict[str, Any]) -> Dataset:
    plain = {key: str(value) if isinstance(value, PathLike) else value for key, value in said.items() if value}
    origin = {"path": str(Path(given)), **plain}
    aside = {part: said[part] for part in ("validation", "test") if said[part] is not None}
    if keel_folder(given):
        called, columns, output, splits = read_keel(given)
        if splits is not None and (aside or said["split"]):
            raise InputError(f"KEEL's parts of {called!r} say how it is parted", "neither split nor test beside them")
        said = {**said, "target": said["target"] or output}
        found = _of_columns(columns, name or called, said, origin)
        return found if splits is None else replace(found, splits=splits)
    called = name or Path(given).name.split(".")[0]
    columns, last = columns_of_file(given)
    if not aside:
        return _of_columns(columns, called, said, origin, last=last)
    if said["split"] is not None or "test" not in aside:
        what = "split is given beside test" if "test" in aside else "validation is given without test"
        raise InputError(f"data set {called!r}: {what}", "the files of train and test, or a column that says which")
    parts = {"train": columns, **{part: columns_of_file(path)[0] for part, path in aside.items()}}
    joined, splits = together(parts, called)
    return replace(_of_columns(joined, called, said, origin, last=last), splits=splits)


def _of_record(record: Mapping[str, Any], beside: Mapping[str, Any]) -> Dataset:
    """A data set as a study file or a store names it; `beside` is what is said of all data sets of a study."""
    known = {*TEXTS, "positive", "ignore"}
    unknown = next((key for key in record if key not in known), None)
    if unknown is not None:
        raise InputError(f"a data set has {unknown!r}"[:120], f"only {', '.join(sorted(known))}")
    said: dict[str, Any] = {
        key: checked_text(value, f"{key} of a data set") for key, value in record.items() if key in TEXTS
    }
    if "ignore" in record:
        said["ignore"] = named_texts(record["ignore"], "ignore of a data set")
    if beside["split"] is not None and said.setdefault("split", beside["split"]) != beside["split"]:
        found = f"a data set has split {said['split']!r} and its study {beside['split']!r}"
        raise InputError(found, "one of them")
    if beside["ignore"]:
        said["ignore"] = tuple(dict.fromkeys((*said.get("ignore", ()), *beside["ignore"])))
    if "positive" in record:
        if not isinstance(record["positive"], str | bool | int | float):
            raise InputError(f"positive of a data set is {record['positive']!r}"[:120], "one of its classes")
        said["positive"] = record["positive"]
    if "path" in record:
        return dataset_of(said.pop("path"), **said)
    if record["name"] not in BUNDLED:
        found = f"no data set {record['name']!r} is bundled"
        raise InputError(found, f"a path beside the name, or one of {', '.join(BUNDLED)}")
    if len(record) > 1:
        found = f"the bundled data set {record['name']!r} has {', '.join(key for key in record if key != 'name')}"
        raise InputError(found, "its name alone")
    _refuse_beside(record["name"], beside)
    return dataset_of(record["name"])


def _bundled(which: str, name: str) -> Dataset:
    if which in OURS:
        with as_file(files("assay") / "data" / f"{which}.csv") as path:
            columns, _ = columns_of_file(path)
        return _of_columns(columns, name, {"group": None, "split": None, **OURS[which]}, {"name": which})
    bunch = getattr(sklearn_part("datasets", "a bundled data set"), f"load_{which}")()
    return Dataset(
        name,
        np.ascontiguousarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target, dtype=np.int64),
        tuple(str(label) for label in bunch.target_names),
        tuple(str(feature) for feature in bunch.feature_names),
        origin={"name": which},
        positive_inferred=len(bunch.target_names) == 2,
        columns=tuple(FeatureColumn(str(feature)) for feature in bunch.feature_names),
    )


def _is_pair_of_arrays(given: Any) -> bool:
    return (
        isinstance(given, tuple)
        and len(given) in (2, 3)
        and all(hasattr(part, "__len__") for part in given[:2])
        and (not any(isinstance(part, str | PathLike | Dataset | Mapping) for part in given))
    )


def _of_arrays(given: Any, name: str, said: Mapping[str, Any]) -> Dataset:
    if not _is_pair_of_arrays(given):
        raise InputError(f"data set {name!r} is a list of {len(given)} things", "(X, y) or (X, y, groups)")
    groups = given[2] if len(given) == 3 else None
    if hasattr(given[0], "columns"):
        columns = columns_of_frame(given[0])
    else:
        table = _matrix(given[0], name)
        columns = {f"x{place}": table[:, place] for place in range(table.shape[1])}
    columns["y"] = np.asarray(given[1])
    columns |= {} if groups is None else {"group": np.asarray(groups)}
    rows = {key: len(values) for key, values in columns.items()}
    if len(set(rows.values())) > 1:
        raise InputError(
            f"data set {name!r} has {max(rows.values()):,} and {min(rows.values()):,} rows", "as many of each"
        )
    for what in ("target", "group"):
        if said[what] is not None:
            raise InputError(
                f"{what} is given beside (X, y) of data set {name!r}", "the classes and groups as y and groups"
            )
    own = {"target": "y", "group": None if groups is None else "group"}
    return _of_columns(columns, name, {**said, **own}, None)


def _matrix(values: Any, name: str) -> NDArray[np.float64]:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"X of data set {name!r} holds no numbers", "a table of numbers, or a data frame") from None
    if table.ndim != 2:
        raise InputError(
            f"X of data set {name!r} has shape {table.shape}", "a row for each case, a column for each feature"
        )
    return table


def _of_columns(
    columns: Mapping[str, Column], name: str, said: Mapping[str, Any], origin: Any, *, last: bool = False
) -> Dataset:
    target = said["target"] or _likely_target(list(columns), name, last=last)
    for column in (target, said["group"], said["split"], *said["ignore"]):
        if column is not None and column not in columns:
            raise InputError(f"data set {name!r} has no column {column!r}", f"one of {', '.join(map(repr, columns))}")
    codes, classes, inferred = _classes(columns[target], name, target, said["positive"])
    apart = {target, said["group"], said["split"], *said["ignore"]}
    known = tuple(_feature(column, values, name) for column, values in columns.items() if column not in apart)
    if not known:
        raise InputError(f"data set {name!r} has no column beside {target!r}", "at least one feature")
    return Dataset(
        name,
        np.ascontiguousarray(np.column_stack([column.encoded(columns[column.name]) for column in known])),
        codes,
        classes,
        tuple(feature for column in known for feature in column.names),
        None if said["group"] is None else numbered(columns[said["group"]].tolist()),
        origin,
        inferred,
        None if said["split"] is None else parts_of_column(columns[said["split"]], said["split"]),
        known,
        target,
    )


def _likely_target(columns: list[str], name: str, *, last: bool) -> str:
    if last:
        return columns[-1]
    found = [column for column in columns if column.lower() in TARGETS]
    if len(found) != 1:
        problem = f"data set {name!r} does not name its column of class labels"
        raise InputError(problem, f"target, one of {listed(columns)}")
    return found[0]


def _classes(values: Column, name: str, target: str, positive: Any) -> tuple[NDArray[np.int64], tuple[str, ...], bool]:
    """Class codes as `evaluate` would give them; where it would ask which is positive, the one it suggests."""
    try:
        read = from_arrays(values, Request(y_pred=values, positive=positive))
    except InputError as error:
        if positive is None and "positive" in error.options:
            return (*_classes(values, name, target, error.options["positive"])[:2], True)
        raise InputError(f"column {target!r} of data set {name!r}: {error.found}", error.needed) from None
    rows = read.models["model"]
    if len(rows.classes) < 2 or np.ptp(rows.truth) == 0:
        raise InputError(f"column {target!r} of data set {name!r} holds one class", "at least two classes to learn")
    return rows.truth.astype(np.int64), rows.classes, len(rows.classes) == 2 and positive is None


def _feature(column: str, values: Column, name: str) -> FeatureColumn:
    """What is learned from a column; a text with too many values is an id."""
    found = FeatureColumn.of(column, values)
    if found.values is not None and len(found.values) > MOST_VALUES:
        said = f"column {column!r} of data set {name!r} holds {len(found.values):,} different texts"
        raise InputError(said, f"at most {MOST_VALUES}; leave out what is an id", {"ignore": column})
    return found


def with_one_positive(data: Sequence[Dataset], positive: Any = None) -> tuple[Dataset, ...]:
    """Return the data sets with one positive class for all that have the same two classes.

    It is `positive` where that is one of the two; else the one that was specified for such a data set, else that of the
    first of them.

    >>> first = dataset_of(([[1.0], [2.0], [3.0]], ["no", "yes", "no"]), name="first")
    >>> other = dataset_of(([[1.0], [2.0], [3.0]], ["no", "yes", "no"]), name="other", positive="no")
    >>> [one.classes for one in with_one_positive([first, other])]
    [('yes', 'no'), ('yes', 'no')]
    """
    wanted = None if positive is None else str(positive)
    specified = [one for one in data if not one.positive_inferred]
    agreed: dict[frozenset[str], str] = {}
    for one in (*specified, *data):
        if len(one.classes) == 2:
            agreed.setdefault(frozenset(one.classes), one.classes[-1])
    if wanted is not None:
        having = [pair for pair in agreed if wanted in pair]
        if not having:
            known = sorted({label for pair in agreed for label in pair})
            found = f"positive is {wanted!r}, which is a class of no data set of two classes"
            raise OptionError(found, f"one of {listed(known)}" if known else "it left out", about="positive")
        agreed |= dict.fromkeys(having, wanted)
    return tuple(_with_positive(one, agreed.get(frozenset(one.classes)), wanted) for one in data)


def _with_positive(data: Dataset, positive: str | None, wanted: str | None) -> Dataset:
    """The data set with a positive class agreed on; one that was specified for it stays."""
    if positive is None or (not data.positive_inferred and positive != wanted):
        return data
    if data.classes[-1] != positive:
        if not data.positive_inferred:
            raise OptionError(
                f"data set {data.name!r} has positive {data.classes[-1]!r} and its study {positive!r}",
                "one of them",
                about="positive",
            )
        data = replace(data, classes=data.classes[::-1], target=1 - data.target)
    return replace(data, positive_inferred=data.positive_inferred and wanted is None)


def numbered(values: Iterable[Any]) -> NDArray[np.int64]:
    """Which values are the same, as numbers in the order in which they first come.

    >>> numbered("abac").tolist()
    [0, 1, 0, 2]
    """
    places: dict[Any, int] = {}
    return np.array([places.setdefault(value, len(places)) for value in values], dtype=np.int64)
