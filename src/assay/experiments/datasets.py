"""Data sets to learn from: bundled ones by name, files, data frames, arrays, sparse matrices and texts.

Feature columns as numbers: what a learner was given of each, so that new cases can be given in the same way.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.experiments.containers import (
    ColumnTable,
    case_count,
    column_of,
    described_container,
    fingerprint,
    is_sparse,
    labels_in,
    without_columns,
)
from assay.experiments.keel import keel_folder, read_keel
from assay.experiments.splitting import Split, parts_of_column, sklearn_part, together
from assay.request import Request, checked_text, named_texts
from assay.results import counted
from assay.sources import from_arrays, listed
from assay.sources.features import Column, column_of_values, columns_of_file, columns_of_frame, eager_frame, is_missing

Numbers = NDArray[np.float64]
MISSING, REFUSE = "missing", "refuse"
MOST_VALUES = 100  # a text column with more different values is taken for an id, not for a feature


@dataclass(frozen=True)
class FeatureColumn:
    """One column of the data that were learned from: its name and, where it holds text, the values it had.

    >>> FeatureColumn("wind", ("N", "S")).encoded(np.array(["S", None, "N"], dtype=object)).tolist()
    [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """

    name: str
    values: tuple[str, ...] | None = None

    @classmethod
    def of(cls, name: str, column: Column) -> FeatureColumn:
        """What there is to know of a column to learn from."""
        if column.dtype.kind in "fiub":
            return cls(name)
        return cls(name, tuple(sorted({str(value) for value in column if value is not None})))

    @property
    def names(self) -> list[str]:
        """What its numbers are called: itself, or one name for each value of a text."""
        return [f"{self.name}={value}" for value in self.values] if self.values else [self.name]

    def encoded(self, column: Column) -> Numbers:
        """The column as numbers: itself, or a 0/1 column for each value; what is missing is 0 in all of them."""
        if self.values is None:
            return np.asarray(column, dtype=np.float64).reshape(-1, 1)
        held = np.array(["" if value is None else str(value) for value in column])
        present = np.array([value is not None for value in column])
        each = [((held == value) & present).astype(np.float64) for value in self.values]
        return np.column_stack(each or [np.zeros(len(column))])

    def like(self, column: Column, unseen: str = REFUSE) -> Column:
        """A new column as the old one was: numbers, or texts that are known; refused where it is something else."""
        return (
            self._convert_to_numbers(column)
            if self.values is None
            else self._convert_to_categories(column, self.values, unseen)
        )

    def _convert_to_numbers(self, column: Column) -> Column:
        if column.dtype.kind in "fiub":
            return column
        odd = next((value for value in column if value is not None and not _is_number(value)), None)
        if odd is not None:
            found = f"column {self.name!r} has {str(odd)[:40]!r}, but was numeric in training"
            raise InputError(found, "numbers, or empty if missing")
        return np.array([np.nan if value is None else float(value) for value in column])

    def _convert_to_categories(self, column: Column, known: tuple[str, ...], unseen: str) -> Column:
        texts = np.array([_category_text(value) for value in column.tolist()], dtype=object)
        new = [text for text in texts if text is not None and text not in known]
        if new and unseen == REFUSE:
            first = str(new[0])[:40]
            found = f"column {self.name!r} has {first!r}, which does not occur in training ({counted(len(new), 'row')})"
            needed = f"one of {_quoted_list(known)}; or treat such values as missing"
            raise InputError(found, needed, {"unseen": MISSING})
        return np.array([text if text in known else None for text in texts], dtype=object)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _category_text(value: Any) -> str | None:
    """A value of a text column; a column of a new file may hold nothing but numbers."""
    if is_missing(value):
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _quoted_list(values: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(repr(value[:40]) for value in values[:most])
    return f"{shown} and {len(values) - most} more" if len(values) > most else shown


def encoded_like(known: tuple[FeatureColumn, ...], new: Mapping[str, Column], unseen: str = REFUSE) -> Numbers:
    """New cases as the numbers that a learner of the known columns takes."""
    missing = [column.name for column in known if column.name not in new]
    if missing:
        more = f" and {len(missing) - 1} more training columns" if len(missing) > 1 else ""
        found = f"the new cases have no column {missing[0]!r}{more}"
        raise InputError(found, f"every training column (available: {_quoted_list(tuple(new))})")
    rows = max((len(values) for values in new.values()), default=0)
    if not rows:
        raise InputError("no cases to score", "at least one row")
    return np.column_stack([column.encoded(column.like(new[column.name], unseen)) for column in known])


OURS: Mapping[str, Mapping[str, Any]] = {
    "weather": {"target": "RainTomorrow", "positive": "Yes", "ignore": ("Date", "Location", "RISK_MM")}
}
BUNDLED = ("breast_cancer", "digits", "iris", *OURS, "wine")
TEXTS = ("name", "path", "target", "group", "time", "weight", "split", "test", "validation")
# Columns that say something about cases and are no features.
BESIDE = ("group", "time", "weight", "split")
DATE = re.compile(r"\d{4}-\d{2}(-\d{2}.*)?")
TARGETS = ("target", "class", "label", "y", "outcome")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Cases to learn from, as they were given, with a row of numbers for each where that can be had.

    `given` is what learners of a user's own get, `labels` their classes in their own spelling; None where the data came
    from a file or by name, of which they get the numbers. `features` are those numbers, and `target` codes of classes:
    what presets get, through an encoder of `table` where columns of a frame hold text.

    `classes` are the names behind the codes, the positive one last where there are two. `groups` says which rows belong
    together (a patient, a site), for plans that must not part them; splitters get `group_names`, as they were given.
    `time` is the place of each case in time, `weight` its sample_weight where it is learned from. `origin` is how to
    read it again, where that can be said in a few words: a bundled name, or a file and its columns. `positive_inferred`
    is true where nobody said which of two classes is the positive one. `splits` are the parts it was given with, for
    the plan `given()`: a column of folds, files of their own, KEEL's parts. `columns` are the features as they were
    given, before text became numbers, and `target_name` the column of classes.

    >>> iris = dataset_of("iris")
    >>> iris
    Dataset('iris': 150 rows, 4 features, classes 'setosa', 'versicolor', 'virginica')
    """

    name: str
    features: NDArray[np.float64] | None
    target: NDArray[np.int64]
    classes: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    groups: NDArray[np.int64] | None = None
    origin: Mapping[str, Any] | None = field(default=None)
    positive_inferred: bool = False
    splits: tuple[Split, ...] | None = None
    columns: tuple[FeatureColumn, ...] = ()
    target_name: str = "target"
    given: Any = None
    labels: Any = None
    table: ColumnTable | None = None
    time: NDArray[np.int64] | None = None
    weight: NDArray[np.float64] | None = None
    group_names: Any = None

    def __len__(self) -> int:
        return len(self.target)

    def __repr__(self) -> str:
        names = ", ".join(repr(name) for name in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        what = f"{len(self.columns):,} columns" if self.columns else described_container(self.given)
        what = what if self.features is None else f"{self.features.shape[1]:,} features"
        return f"Dataset({self.name!r}: {len(self):,} rows, {what}, classes {names})"

    @cached_property
    def hash(self) -> str:
        """What the data are, as a fingerprint: the same numbers, classes and groups give the same one."""
        shape = fingerprint(self.given) if self.features is None else self.features.shape
        digest = hashlib.sha256(json.dumps([shape, self.classes]).encode())
        weights = () if self.weight is None else (self.weight,)
        for values in (self.features, self.target, self.groups, *weights):
            digest.update(b"-" if values is None else np.ascontiguousarray(values).tobytes())
        return digest.hexdigest()

    @cached_property
    def spelling(self) -> tuple[Any, ...]:
        """The label behind each code, as it was given."""
        codes, rows = np.unique(self.target, return_index=True)
        labels = labels_in(self.labels)
        known = {int(code): labels[row] for code, row in zip(codes, rows, strict=True)}
        return tuple(known.get(code, name) for code, name in enumerate(self.classes))

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The features as numbers, where they are such."""
        if self.features is None:
            found = f"data set {self.name!r} is a {described_container(self.given)}, which has no numeric columns"
            raise InputError(found, "a table of numbers, or of texts with few values")
        return self.features


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
        missing = "no data sets" if not found else f"duplicate data set name {twice!r}"
        raise InputError(missing, "at least one, with unique names: {'train': frame, 'other': 'iris'}")
    return found


def dataset_of(
    given: Any,
    *,
    name: str | None = None,
    target: Hashable | None = None,
    positive: Any = None,
    group: Hashable | None = None,
    time: Hashable | None = None,
    weight: Hashable | None = None,
    split: Hashable | None = None,
    test: str | PathLike[str] | None = None,
    validation: str | PathLike[str] | None = None,
    ignore: Iterable[Hashable] = (),
) -> Dataset:
    """One data set from a bundled name, the path of a file, a data frame, `(X, y)` or `(X, y, groups)`.

    A frame, and X and y, reach a user's learners as they are: frames of any library, arrays of any shape and type,
    sparse matrices, lists of texts, labels in their own spelling. Presets encode columns of text inside each fold.

    `target` names the column of classes, `group` that of rows that belong together, `time` that of their times (numbers
    or dates such as 2024-05-31), `weight` that of their sample_weight, `split` that of folds or of train,
    validation and test; `test` and `validation` are files of their own beside one to learn from. `ignore` are columns
    that are no features; other columns are features. Columns whose names are no texts, such as 0 or ("a", 1), go by
    these or as texts, and features may share a name. Text of a file becomes one 0/1 column for each of its values,
    missing text 0 in all of them; missing numbers stay nan, for learners to deal with inside each training part.

    >>> dataset_of(([[1.0], [2.0], [3.0]], ["no", "yes", "yes"]), name="toy")
    Dataset('toy': 3 rows, 1 features, classes 'no', 'yes')
    """
    said: dict[str, Any] = {"target": target, "positive": positive, "group": group, "ignore": _as_text_tuple(ignore)}
    said |= {"time": time, "weight": weight, "split": split, "test": test, "validation": validation}
    if isinstance(given, Mapping) and {"name", "path"} & set(given):
        return _dataset_of_record(given, said)
    if isinstance(given, Dataset) or (isinstance(given, str) and given in BUNDLED):
        _refuse_column_options(given if isinstance(given, str) else given.name, said)
        if isinstance(given, Dataset):
            return given if name is None else replace(given, name=name)
        return _bundled_dataset(given, name or given)
    if isinstance(given, str | PathLike):
        return _dataset_of_file(given, name, said)
    for what in ("test", "validation"):
        if said[what] is not None:
            raise InputError(
                f"{what} cannot be used with data in memory", "all parts in one table, with a column of the part"
            )
    said |= {role: None if said[role] is None else str(said[role]) for role in ("target", *BESIDE)}
    if isinstance(given, list | tuple):
        return _dataset_of_arrays(given, name or "data", said)
    frame = eager_frame(given)
    columns = columns_of_frame(frame)
    _refuse_duplicate_role_columns(frame, name or "frame", (said["target"], *_role_columns(said)))
    found = _dataset_of_columns(columns, name or "frame", said, None, in_memory=True)
    aside = [found.target_name, *_role_columns(said)]
    return replace(found, given=without_columns(frame, aside), labels=column_of(frame, found.target_name))


def _as_text_tuple(names: Iterable[Hashable]) -> tuple[str, ...]:
    return tuple(str(name) for name in ([names] if isinstance(names, str) else names))


def _refuse_duplicate_role_columns(frame: Any, name: str, roles: Iterable[str | None]) -> None:
    """Refuse a role that several columns could have; features may share a name."""
    given = [str(each) for each in getattr(frame, "column_names", frame.columns)]
    twice = next((role for role in roles if given.count(str(role)) > 1), None)
    if twice is not None:
        raise InputError(f"data set {name!r} has {given.count(twice)} columns {twice!r}", "one column of that name")


def _refuse_column_options(name: str, said: Mapping[str, Any]) -> None:
    """Whatever is said of columns of a data set that is settled is refused by its name."""
    what = next((key for key, value in said.items() if value not in (None, ())), None)
    if what is not None:
        raise InputError(f"{what} cannot be used with the prepared data set {name!r}", "a file, a frame or (X, y)")


def _dataset_of_file(given: str | PathLike[str], name: str | None, said: dict[str, Any]) -> Dataset:
    plain = {key: str(value) if isinstance(value, PathLike) else value for key, value in said.items() if value}
    origin = {"path": str(Path(given)), **plain}
    aside = {part: said[part] for part in ("validation", "test") if said[part] is not None}
    if keel_folder(given):
        called, columns, output, splits = read_keel(given)
        if splits is not None and (aside or said["split"]):
            raise InputError(f"data set {called!r} is already split by its KEEL files", "neither split nor test")
        said = {**said, "target": said["target"] or output}
        found = _dataset_of_columns(columns, name or called, said, origin)
        return found if splits is None else replace(found, splits=splits)
    called = name or Path(given).name.split(".")[0]
    columns, last = columns_of_file(given)
    if not aside:
        return _dataset_of_columns(columns, called, said, origin, last=last)
    if said["split"] is not None or "test" not in aside:
        what = "both split and test are set" if "test" in aside else "validation needs test"
        raise InputError(
            f"data set {called!r}: {what}", "the files of the training and test part, or a column with the part"
        )
    parts = {"train": columns, **{part: columns_of_file(path)[0] for part, path in aside.items()}}
    joined, splits = together(parts, called)
    return replace(_dataset_of_columns(joined, called, said, origin, last=last), splits=splits)


def _dataset_of_record(record: Mapping[str, Any], beside: Mapping[str, Any]) -> Dataset:
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
        found = f"the data set has split {said['split']!r} but the study has {beside['split']!r}"
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
    _refuse_column_options(record["name"], beside)
    return dataset_of(record["name"])


def _bundled_dataset(which: str, name: str) -> Dataset:
    if which in OURS:
        with as_file(files("assay") / "data" / f"{which}.csv") as path:
            columns, _ = columns_of_file(path)
        return _dataset_of_columns(columns, name, {**dict.fromkeys(BESIDE), **OURS[which]}, {"name": which})
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
        and all(hasattr(part, "__len__") or hasattr(part, "collect") for part in given[:2])
        and (not any(isinstance(part, str | PathLike | Dataset | Mapping) for part in given))
    )


def _dataset_of_arrays(given: Any, name: str, said: Mapping[str, Any]) -> Dataset:
    if not _is_pair_of_arrays(given):
        raise InputError(f"data set {name!r} is a list of {len(given)} elements", "(X, y) or (X, y, groups)")
    X, y, groups = given[0], given[1], given[2] if len(given) == 3 else None  # noqa: N806 -- scikit-learn's name
    for what in ("target", "group"):
        if said[what] is not None:
            raise InputError(
                f"{what} cannot be used with (X, y) of data set {name!r}", "the labels and groups as (X, y, groups)"
            )
    X = eager_frame(X) if hasattr(type(X), "columns") else X  # noqa: N806
    columns = _feature_columns(X, name)
    sizes = {"X": case_count(X), "y": case_count(y)} | ({} if groups is None else {"groups": case_count(groups)})
    if len(set(sizes.values())) > 1:
        raise InputError(
            f"data set {name!r} has {max(sizes.values()):,} and {min(sizes.values()):,} rows", "as many of each"
        )
    names = {role: _free_name(role, columns or {}) for role in ("y", "group")}
    beside = {names["y"]: _label_column(y)} | ({} if groups is None else {names["group"]: np.asarray(groups)})
    own = {"target": names["y"], "group": None if groups is None else names["group"]}
    if columns is None:
        return _dataset_without_columns(X, y, beside, name, {**said, **own})
    found = _dataset_of_columns({**columns, **beside}, name, {**said, **own}, None, in_memory=True)
    kept = without_columns(X, _role_columns({**said, "group": None})) if hasattr(X, "columns") else X
    if type(X) is np.ndarray and X.dtype == np.float64 and X.flags.c_contiguous and found.features is not None:
        found = replace(found, features=X)  # the same numbers, once
    return replace(found, given=kept, labels=y)


def _free_name(role: str, columns: Iterable[str]) -> str:
    """The name of a role, or another one where a feature has that name."""
    return role if role not in columns else _free_name(f"{role} of (X, y)", columns)


def _label_column(y: Any) -> Column:
    """Classes as a column, whatever holds them."""
    values = np.asarray(y)
    return values.reshape(-1) if values.ndim == 2 and values.shape[1] == 1 else values


def _feature_columns(X: Any, name: str) -> dict[str, Column] | None:  # noqa: N803 -- scikit-learn's name
    """The columns of X where it is a frame or a table of numbers and texts; None where it is something else."""
    if hasattr(X, "columns"):
        return columns_of_frame(X)
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "fiu":
        X = np.ma.filled(X.astype(np.float64), np.nan)  # noqa: N806
    if is_sparse(X):
        return None
    try:
        table = np.asarray(X)
    except ValueError:  # a list of things of different length
        return None
    is_text = table.dtype.kind in "OUS"
    if table.ndim > 2 or (table.ndim == 1 and is_text):
        return None
    if table.ndim != 2:
        raise InputError(
            f"X of data set {name!r} has shape {table.shape}", "one row for each case and one column for each feature"
        )
    if is_text:
        return {f"x{place}": column_of_values(table[:, place].tolist()) for place in range(table.shape[1])}
    if table.dtype.kind not in "fiub":
        return None
    numbers = table.astype(np.float64)
    return {f"x{place}": numbers[:, place] for place in range(table.shape[1])}


def _dataset_without_columns(
    X: Any,  # noqa: N803 -- scikit-learn's name
    y: Any,
    beside: Mapping[str, Column],
    name: str,
    said: Mapping[str, Any],
) -> Dataset:
    """Cases that are no table, such as texts and images, or a sparse matrix."""
    what = next((each for each in ("split", "time", "weight", "ignore") if said[each]), None)
    if what is not None:
        found = f"{what} is given, and data set {name!r} is a {described_container(X)}, without column names"
        raise InputError(found, "a data frame, or a splitter as the plan")
    codes, classes, inferred = _encode_classes(beside[said["target"]], name, "y", said["positive"])
    groups = None if said["group"] is None else numbered(beside[said["group"]].tolist())
    return Dataset(
        name,
        None,
        codes,
        classes,
        groups=groups,
        positive_inferred=inferred,
        target_name="y",
        given=X,
        labels=y,
        group_names=None if said["group"] is None else beside[said["group"]],
    )


def _dataset_of_columns(
    columns: Mapping[str, Column],
    name: str,
    said: Mapping[str, Any],
    origin: Any,
    *,
    last: bool = False,
    in_memory: bool = False,
) -> Dataset:
    target = said["target"] or _infer_target(list(columns), name, last=last)
    for column in (target, *_role_columns(said)):
        if column not in columns:
            raise InputError(f"data set {name!r} has no column {column!r}", f"one of {', '.join(map(repr, columns))}")
    codes, classes, inferred = _encode_classes(columns[target], name, target, said["positive"])
    apart = {target, *_role_columns(said)}
    known = tuple(
        FeatureColumn.of(column, values) if in_memory else _checked_feature_column(column, values, name)
        for column, values in columns.items()
        if column not in apart
    )
    if not known:
        raise InputError(f"data set {name!r} has no column besides {target!r}", "at least one feature")
    has_text = any(column.values is not None for column in known)
    # Of data in memory a column may hold any text: a user's learner gets the column itself.
    is_wide = any(column.values is not None and len(column.values) > MOST_VALUES for column in known)
    features = None if is_wide else np.column_stack([column.encoded(columns[column.name]) for column in known])
    return Dataset(
        name,
        None if features is None else np.ascontiguousarray(features),
        codes,
        classes,
        tuple(feature for column in known for feature in column.names),
        None if said["group"] is None else numbered(columns[said["group"]].tolist()),
        origin,
        inferred,
        None if said["split"] is None else parts_of_column(columns[said["split"]], said["split"]),
        known,
        target,
        labels=None if in_memory else _learner_labels(columns[target], classes, codes),
        table=ColumnTable({each.name: columns[each.name] for each in known}) if in_memory and has_text else None,
        time=None if said["time"] is None else _time_ranks(columns[said["time"]], said["time"], name),
        group_names=None if said["group"] is None else columns[said["group"]],
        weight=None if said["weight"] is None else _checked_weights(columns[said["weight"]], said["weight"], name),
    )


def _role_columns(said: Mapping[str, Any]) -> list[str]:
    """The columns that are named and are no features."""
    return [each for each in (*(said[role] for role in BESIDE), *said["ignore"]) if each is not None]


def _time_ranks(column: Column, called: str, name: str) -> NDArray[np.int64]:
    """The place of each case in time; cases of one time have one place."""
    values = column.tolist()
    odd = next((value for value in values if is_missing(value)), False)
    if odd is not False:
        raise InputError(f"column {called!r} of data set {name!r} has a missing time", "a time for each case")
    text = next((value for value in values if isinstance(value, str) and not DATE.fullmatch(value)), None)
    if text is not None:
        found = f"column {called!r} of data set {name!r} has {text[:40]!r}, which is not a time"
        raise InputError(found, "numbers, or dates such as 2024-05-31")
    place = {value: order for order, value in enumerate(sorted(set(values)))}
    return np.array([place[value] for value in values], dtype=np.int64)


def _checked_weights(column: Column, called: str, name: str) -> NDArray[np.float64]:
    if column.dtype.kind not in "fiub" or not (np.isfinite(column) & (column >= 0)).all():
        raise InputError(f"column {called!r} of data set {name!r} has invalid weights", "non-negative numbers")
    return column.astype(np.float64)


def _learner_labels(column: Column, classes: tuple[str, ...], codes: NDArray[np.int64]) -> NDArray[Any]:
    """The classes of a file as its learners are given them: whole numbers, or texts."""
    if column.dtype.kind in "iub":
        return column
    if column.dtype.kind == "f" and (column == np.floor(column)).all():
        return column.astype(np.int64)
    return np.asarray(classes)[codes]


def _infer_target(columns: list[str], name: str, *, last: bool) -> str:
    if last:
        return columns[-1]
    found = [column for column in columns if column.lower() in TARGETS]
    if len(found) != 1:
        problem = f"no label column for data set {name!r}"
        raise InputError(problem, f"target, one of {listed(columns)}")
    return found[0]


def _encode_classes(
    values: Column, name: str, target: str, positive: Any
) -> tuple[NDArray[np.int64], tuple[str, ...], bool]:
    """Class codes as `evaluate` would give them; where it would ask which is positive, the one it suggests."""
    try:
        read = from_arrays(values, Request(y_pred=values, positive=positive))
    except InputError as error:
        if positive is None and "positive" in error.options:
            return (*_encode_classes(values, name, target, error.options["positive"])[:2], True)
        raise InputError(f"column {target!r} of data set {name!r}: {error.found}", error.needed) from None
    rows = read.models["model"]
    if len(rows.classes) < 2 or np.ptp(rows.truth) == 0:
        raise InputError(f"column {target!r} of data set {name!r} has only one class", "at least two classes")
    return rows.truth.astype(np.int64), rows.classes, len(rows.classes) == 2 and positive is None


def _checked_feature_column(column: str, values: Column, name: str) -> FeatureColumn:
    """What is learned from a column; a text with too many values is an id."""
    found = FeatureColumn.of(column, values)
    if found.values is not None and len(found.values) > MOST_VALUES:
        said = f"column {column!r} of data set {name!r} has {len(found.values):,} different texts"
        raise InputError(said, f"at most {MOST_VALUES}; remove id columns", {"ignore": column})
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
            found = f"positive is {wanted!r}, which is not a class of any two-class data set"
            raise OptionError(found, f"one of {listed(known)}" if known else "it left out", about="positive")
        agreed |= dict.fromkeys(having, wanted)
    return tuple(_set_positive_class(one, agreed.get(frozenset(one.classes)), wanted) for one in data)


def _set_positive_class(data: Dataset, positive: str | None, wanted: str | None) -> Dataset:
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
