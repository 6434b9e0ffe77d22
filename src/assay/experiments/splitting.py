"""How each kind of plan parts the cases. scikit-learn's splitters do it wherever there is one.

Parts that somebody else made: a column of folds or of train and test, a splitter object, a test set of its own.

The flow of a plan: how many cases, and of which class, go where.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.errors import InputError, MissingExtra
from assay.results import Table, counted
from assay.sources.features import Column, is_missing

Indices = NDArray[np.intp]
# How often a bootstrap sample that lost a class is drawn again before the data are refused.
REDRAWS = 100


@dataclass(frozen=True, eq=False)
class Split:
    """One fit of a plan: which cases to learn from and which to predict, by their row numbers.

    `validation` are the cases to stop, prune and choose on, where the plan keeps some for that. A bootstrap sample
    names a case as often as it was drawn.

    >>> Split(np.array([0, 1, 3]), np.array([2]), repeat=1, fold=4)
    <split 2.5: 3 to learn from, 1 to predict>
    """

    train: Indices
    test: Indices
    validation: Indices | None = None
    repeat: int = 0
    fold: int = 0

    def __repr__(self) -> str:
        return (
            f"<split {self.repeat + 1}.{self.fold + 1}: {len(self.train)} to learn from, {len(self.test)} to predict>"
        )


@dataclass(frozen=True, eq=False)
class Cases:
    """What a plan needs to know of the cases: class codes, groups, order in time, and the seed of random choices."""

    codes: NDArray[np.intp]
    classes: tuple[str, ...]
    groups: NDArray[np.intp] | None
    seed: int
    time: NDArray[np.integer] | None = None

    @property
    def n(self) -> int:
        """How many cases there are."""
        return len(self.codes)

    def counts(self, rows: Indices) -> NDArray[np.intp]:
        """How many of each class are among some rows."""
        return np.bincount(self.codes[rows], minlength=len(self.classes))

    def smallest(self) -> tuple[str, int]:
        """The rarest class and its number of cases."""
        counts = self.counts(np.arange(self.n))
        rarest = int(counts.argmin())
        return self.classes[rarest], int(counts[rarest])


def lacking(cases: Cases, rows: Indices) -> str | None:
    """The first class that is not among some rows, if there is one."""
    return next((name for name, count in zip(cases.classes, cases.counts(rows), strict=True) if count == 0), None)


def sklearn_part(name: str, purpose: str) -> Any:
    """A module of scikit-learn, which is installed for experiments only."""
    try:
        return import_module(f"sklearn.{name}" if name else "sklearn")
    except ImportError as error:
        raise MissingExtra("scikit-learn", extra="learn", purpose=purpose) from error


def _sklearn_splitters() -> Any:
    return sklearn_part("model_selection", "splitting cases into folds")


def _repeated_kfold_splits(cases: Cases, folds: int, repeats: int, stratified: bool) -> Iterator[Split]:
    _refuse_too_few_cases(cases, folds, stratified)
    kinds = _sklearn_splitters()
    if repeats == 1:
        splitter = (kinds.StratifiedKFold if stratified else kinds.KFold)(folds, shuffle=True, random_state=cases.seed)
    else:
        kind = kinds.RepeatedStratifiedKFold if stratified else kinds.RepeatedKFold
        splitter = kind(n_splits=folds, n_repeats=repeats, random_state=cases.seed)
    return _number_splits(cases, splitter.split(cases.codes, cases.codes), folds, whole=not stratified)


def _shuffle_splits(cases: Cases, repeats: int, test: float, stratified: bool) -> Iterator[Split]:
    learned, tested = _part_sizes(cases, (1 - test, test), stratified)
    kinds = _sklearn_splitters()
    kind = kinds.StratifiedShuffleSplit if stratified else kinds.ShuffleSplit
    splitter = kind(repeats, train_size=learned, test_size=tested, random_state=cases.seed)
    return _number_splits(cases, splitter.split(cases.codes, cases.codes), 1, whole=not stratified)


def _train_validation_test_splits(cases: Cases, train: float, validation: float, stratified: bool) -> Iterator[Split]:
    sizes = _part_sizes(cases, (train, validation, 1 - train - validation), stratified)
    kinds = _sklearn_splitters()
    kind = kinds.StratifiedShuffleSplit if stratified else kinds.ShuffleSplit
    first = kind(1, train_size=sizes[0], test_size=sizes[1] + sizes[2], random_state=cases.seed)
    learned, rest = next(first.split(cases.codes, cases.codes))
    second = kind(1, train_size=sizes[1], test_size=sizes[2], random_state=cases.seed)
    chosen, tested = next(second.split(rest, cases.codes[rest]))
    for part in (learned, rest[chosen], rest[tested]):
        _refuse_missing_class(cases, part, "a part", "stratified=True, or more cases")
    yield Split(learned, rest[tested], validation=rest[chosen])


def _grouped_kfold_splits(cases: Cases, folds: int | None, stratified: bool) -> Iterator[Split]:
    if cases.groups is None:
        raise InputError("the plan splits by group, but there are no groups", "the group of each case")
    there = int(cases.groups.max()) + 1
    wanted = there if folds is None else folds
    if there < wanted or there < 2:
        raise InputError(f"only {counted(there, 'group')} for {wanted} folds", f"folds={there} or fewer, at least 2")
    kinds = _sklearn_splitters()
    if stratified and wanted < there:
        _refuse_too_few_cases(cases, wanted, stratified)
    kind = kinds.StratifiedGroupKFold if stratified else kinds.GroupKFold
    splitter = kind(wanted, shuffle=True, random_state=cases.seed)
    return _number_splits(cases, splitter.split(cases.codes, cases.codes, cases.groups), wanted)


def _leave_pair_out_splits(cases: Cases, pairs: int | None) -> Iterator[Split]:
    """Every pair of a negative and a positive, or so many drawn without repetition."""
    if len(cases.classes) != 2:
        raise InputError(f"y has {len(cases.classes)} classes", "two classes, for pairs of one case of each")
    if cases.smallest()[1] < 2:
        raise InputError(f"class {cases.smallest()[0]!r} has 1 case", "at least 2 of each class, one being left out")
    negative, positive = (np.flatnonzero(cases.codes == code) for code in (0, 1))
    every = len(negative) * len(positive)
    drawn = np.arange(every)
    if pairs is not None and pairs < every:
        drawn = np.random.default_rng(cases.seed).choice(every, pairs, replace=False)
    for fold, pair in enumerate(drawn):
        out = np.array([negative[pair // len(positive)], positive[pair % len(positive)]])
        yield Split(np.delete(np.arange(cases.n), out), out, fold=fold)


def _bootstrap_splits(cases: Cases, replicates: int) -> Iterator[Split]:
    """Samples of n cases with replacement, tested on what they left out; one that lost a class is drawn again."""
    rng = np.random.default_rng(cases.seed)
    for repeat in range(replicates):
        for _ in range(REDRAWS):
            train = rng.integers(cases.n, size=cases.n)
            out = np.flatnonzero(np.bincount(train, minlength=cases.n) == 0)
            if len(out) and lacking(cases, train) is None:
                yield Split(train, out, repeat=repeat)
                break
        else:
            rarest, count = cases.smallest()
            found = f"class {rarest!r} has {counted(count, 'case')}, and bootstrap samples keep losing it"
            raise InputError(found, "more cases of that class, or leave_one_out()")


def _time_series_splits(cases: Cases, folds: int, gap: int, window: int | None) -> Iterator[Split]:
    if cases.n <= folds + gap:
        raise InputError(f"only {cases.n} cases for {folds} steps in time", f"at least {folds + gap + 1} cases")
    splitter = _sklearn_splitters().TimeSeriesSplit(folds, gap=gap, max_train_size=window)
    try:
        parted = list(splitter.split(cases.codes))
    except ValueError as error:
        raise InputError(f"{cases.n} cases are too few for {folds} steps and a gap of {gap}", "fewer steps") from error
    return _number_splits(cases, parted if cases.time is None else _time_ordered_splits(cases.time, parted), folds)


def _time_ordered_splits(
    time: NDArray[np.integer], parted: Iterable[tuple[Indices, Indices]]
) -> Iterator[tuple[Indices, Indices]]:
    """Steps over cases in order of time; whatever is of the time of a tested case, or later, is not learned from."""
    order = np.argsort(time, kind="stable")
    for train, test in parted:
        tested = order[test]
        learned = order[train]
        yield learned[time[learned] < time[tested].min()], tested


def given_parts(cases: Cases, parts: Iterable[Split]) -> Iterator[Split]:
    """Parts that somebody else made, refused where a learner could not be fitted or a group is parted."""
    for place, split in enumerate(parts, 1):
        _refuse_missing_class(cases, split.train, f"the training part {place}", "cases of every class in it")
        if cases.groups is not None and np.isin(cases.groups[split.test], cases.groups[split.train]).any():
            raise InputError("the given parts separate cases of a group", "parts with whole groups")
        yield split


def _number_splits(
    cases: Cases, parted: Iterable[tuple[Indices, Indices]], folds: int, *, whole: bool = False
) -> Iterator[Split]:
    """Splits with their numbers; what is learned from must hold every class, with `whole` what is predicted too."""
    for k, (train, test) in enumerate(parted):
        where = f"fold {k % folds + 1}" if folds > 1 else f"split {k + 1}"
        _refuse_missing_class(cases, train, f"the training part of {where}", "a plan with larger or stratified parts")
        if whole:
            _refuse_missing_class(cases, test, where, "stratified=True")
        yield Split(train, test, repeat=k // folds, fold=k % folds)


def _refuse_missing_class(cases: Cases, rows: Indices, where: str, needed: str) -> None:
    absent = lacking(cases, rows)
    if absent is not None:
        raise InputError(f"{where} has no case of class {absent!r}", needed)


def _refuse_too_few_cases(cases: Cases, folds: int, stratified: bool) -> None:
    if cases.n < folds:
        raise InputError(f"only {counted(cases.n, 'case')} for {folds} folds", f"folds={cases.n} or fewer")
    rarest, count = cases.smallest()
    if stratified and count < folds:
        instead = f"folds={count} or fewer, or stratified=False" if count > 1 else "more cases, or stratified=False"
        raise InputError(f"class {rarest!r} has {counted(count, 'case')} for {folds} folds", instead)


def _part_sizes(cases: Cases, shares: tuple[float, ...], stratified: bool) -> list[int]:
    """So many cases for each share, the last taking what is left; each part must be able to hold every class."""
    sizes = [round(share * cases.n) for share in shares[:-1]]
    sizes.append(cases.n - sum(sizes))
    if min(sizes) < (len(cases.classes) if stratified else 1):
        found = f"{counted(cases.n, 'case')} would be split into parts of {', '.join(str(size) for size in sizes)}"
        raise InputError(found, "at least one case of each class in every part")
    rarest, count = cases.smallest()
    if stratified and count < len(shares):
        raise InputError(f"class {rarest!r} has {counted(count, 'case')}", f"one for each of {len(shares)} parts")
    return sizes


PARTINGS: Mapping[str, Callable[..., Iterator[Split]]] = MappingProxyType(
    {
        "bootstrap": _bootstrap_splits,
        "grouped_kfold": _grouped_kfold_splits,
        "holdout": lambda cases, **options: _shuffle_splits(cases, 1, **options),
        "kfold": lambda cases, **options: _repeated_kfold_splits(cases, repeats=1, **options),
        "leave_one_out": lambda cases: _number_splits(
            cases, _sklearn_splitters().LeaveOneOut().split(cases.codes), cases.n
        ),
        "leave_pair_out": _leave_pair_out_splits,
        "repeated_kfold": _repeated_kfold_splits,
        "resubstitution": lambda cases: iter([Split(np.arange(cases.n), np.arange(cases.n))]),
        "shuffle": _shuffle_splits,
        "time_series": _time_series_splits,
        "train_validation_test": _train_validation_test_splits,
    }
)


# What the parts of a single split are called in a column, in lower case.
WORDS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("train", "training", "learn", "tra"), "train")
    | dict.fromkeys(("validation", "validate", "valid", "val", "dev"), "validation")
    | dict.fromkeys(("test", "testing", "tst"), "test")
)
ALWAYS_LEARNED = -1.0  # as scikit-learn's PredefinedSplit marks cases that no fold tests
PARTS = ("train", "validation", "test")


def parts_of_column(values: Column, column: str) -> tuple[Split, ...]:
    """The splits that a column says: train, validation and test, or folds, each of which is tested once.

    A fold of -1 is always learned from and never tested, as for scikit-learn's PredefinedSplit.

    >>> parts_of_column(np.array(["train", "train", "test"], dtype=object), "split")
    (<split 1.1: 2 to learn from, 1 to predict>,)
    >>> [split.test.tolist() for split in parts_of_column(np.array([1, 2, 1, -1, 2]), "fold")]
    [[0, 2], [1, 4]]
    """
    missing = [row for row, value in enumerate(values.tolist()) if is_missing(value)]
    if missing:
        found = f"column {column!r} is missing in {counted(len(missing), 'row')}, first in row {missing[0] + 1:,}"
        raise InputError(found, "a fold, or train, validation or test, for every row")
    texts = [str(value).strip().lower() for value in values.tolist()]
    if set(texts) <= set(WORDS):
        return parts_of_roles([WORDS[text] for text in texts], column)
    folds = _rows_by_fold(values)
    if len(folds) < (1 if len(folds) < len(set(texts)) else 2):
        found = f"column {column!r} has the same value {texts[0]!r} in every row"
        raise InputError(found, "a value for each fold, or train and test")
    return tuple(Split(np.setdiff1d(np.arange(len(texts)), rows), rows, fold=fold) for fold, rows in enumerate(folds))


def parts_of_roles(roles: Sequence[str], column: str) -> tuple[Split, ...]:
    """The one split of rows that are each called train, validation or test."""
    rows = {part: np.flatnonzero(np.array([role == part for role in roles])) for part in PARTS}
    absent = next((part for part in ("train", "test") if not len(rows[part])), None)
    if absent is not None:
        raise InputError(f"column {column!r} has no row with {absent!r}", "training rows and test rows")
    return (Split(rows["train"], rows["test"], rows["validation"] if len(rows["validation"]) else None),)


def _rows_by_fold(values: Column) -> list[Indices]:
    """The rows of each fold, in the order of the folds; those that are always learned from are in none."""
    listed = values.tolist()
    if values.dtype.kind in "fiub":
        names = [name for name in sorted(set(listed)) if float(name) != ALWAYS_LEARNED]
    else:
        names = sorted(set(listed), key=_natural_sort_key)
    return [np.flatnonzero(np.array([value == name for value in listed])) for name in names]


def _natural_sort_key(name: Any) -> tuple[float, str]:
    digits = "".join(letter for letter in str(name) if letter.isdigit())
    return (float(digits) if digits else -1.0, str(name))


def is_splitter(given: Any) -> bool:
    """Whether something parts cases as scikit-learn's splitters do."""
    return callable(getattr(given, "split", None)) and callable(getattr(given, "get_n_splits", None))


def parts_of_splitter(splitter: Any, features: Any, target: Any, groups: Any) -> tuple[Split, ...]:
    """The splits of a splitter object; a repeat ends where a case comes to be tested again.

    >>> from sklearn.model_selection import PredefinedSplit
    >>> parts_of_splitter(PredefinedSplit([0, 1, -1, 0]), np.zeros((4, 1)), [0, 1, 0, 1], None)
    (<split 1.1: 2 to learn from, 2 to predict>, <split 1.2: 3 to learn from, 1 to predict>)
    """
    cases, called = len(target), type(splitter).__name__
    told = getattr(splitter, "test_fold", None)
    if told is not None and len(told) != cases:
        raise InputError(f"{called} has {len(told):,} cases, but there are {cases:,}", "a splitter of the same cases")
    try:
        parted = [
            (np.asarray(a, dtype=np.intp), np.asarray(b, dtype=np.intp))
            for a, b in _splits_of_splitter(splitter, features, target, groups)
        ]
    except (TypeError, ValueError, IndexError) as error:
        why = str(error).strip().split("\n")[0][:200] or type(error).__name__
        raise InputError(f"{called} cannot split these cases: {why}", "another splitter") from None
    return numbered_splits(parted, cases, called)


def _splits_of_splitter(splitter: Any, features: Any, target: Any, groups: Any) -> list[tuple[Any, Any]]:
    with warnings.catch_warnings():
        # One that needs no groups says so, and parts of one group are refused all the same.
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        return list(splitter.split(features, target) if groups is None else splitter.split(features, target, groups))


def numbered_splits(parted: Sequence[tuple[Indices, Indices]], cases: int, called: str) -> tuple[Split, ...]:
    """Pairs of training and test rows as splits, refused where they are not of these cases, or have some in common."""
    if not parted:
        raise InputError(f"{called} makes no split", "at least one split")
    found, repeat, fold, tested = [], 0, 0, np.zeros(cases, dtype=bool)
    for place, (train, test) in enumerate(parted, 1):
        for part, rows in (("learn from", train), ("test", test)):
            if not len(rows) or rows.min() < 0 or rows.max() >= cases:
                raise InputError(f"split {place} of {called} has {part} rows that do not exist", "row numbers")
        if np.isin(test, train).any():
            raise InputError(f"split {place} of {called} tests on training cases", "disjoint parts")
        if tested[test].any():
            repeat, fold, tested = repeat + 1, 0, np.zeros(cases, dtype=bool)
        tested[test] = True
        found.append(Split(train, test, None, repeat, fold))
        fold += 1
    return tuple(found)


def together(parts: Mapping[str, Mapping[str, Column]], name: str) -> tuple[dict[str, Column], tuple[Split, ...]]:
    """The columns of several files under one another, with the one split that they make; they must have the same ones.

    >>> columns, splits = together({"train": {"x": np.array([1.0, 2.0])}, "test": {"x": np.array([3.0])}}, "d")
    >>> columns["x"], splits
    (array([1., 2., 3.]), (<split 1.1: 2 to learn from, 1 to predict>,))
    """
    first = list(parts["train"])
    for part, columns in parts.items():
        odd = next((column for column in (*first, *columns) if (column in first) != (column in columns)), None)
        if odd is not None:
            where = "only" if odd in columns else "not"
            raise InputError(
                f"column {odd!r} of data set {name!r} is {where} in its {part} file", "the same columns in each file"
            )
    roles = [part for part, columns in parts.items() for _ in range(len(next(iter(columns.values()))))]
    joined = {column: _concatenate_columns([columns[column] for columns in parts.values()]) for column in first}
    return joined, parts_of_roles(roles, "its files")


def _concatenate_columns(values: Sequence[Column]) -> Column:
    """One column of several; where one of them is text all of it is."""
    if all(each.dtype.kind in "fiub" for each in values):
        return np.concatenate([each.astype(np.float64) for each in values])
    return np.concatenate(
        [
            np.array([None if is_missing(v) else _number_or_text(v) for v in each.tolist()], dtype=object)
            for each in values
        ]
    )


def _number_or_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# How a part looks in a drawing.
ROLES: Mapping[str, Literal["negatives", "model", "positives"]] = MappingProxyType(
    {"train": "negatives", "validation": "model", "test": "positives"}
)


@dataclass(frozen=True, eq=False, repr=False)
class Flow(Drawable):
    """The sizes of every part of every split; `counts[i]` are the classes' cases in part i."""

    plan: str
    classes: tuple[str, ...]
    repeat: tuple[int, ...]
    fold: tuple[int, ...]
    part: tuple[str, ...]
    counts: NDArray[np.intp]

    def __repr__(self) -> str:
        return f"<Flow of '{self.plan}': {self.part.count('train')} splits>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a split at all."""
        return len(self.part) > 0

    def table(self) -> Table:
        """A row for each part: its split, its cases, and how many of each class."""
        columns = {
            "repeat": [repeat + 1 for repeat in self.repeat],
            "fold": [fold + 1 for fold in self.fold],
            "part": list(self.part),
            "cases": self.counts.sum(-1).tolist(),
        }
        return Table(columns | dict(zip(self.classes, self.counts.T.tolist(), strict=True)), title=self.plan)

    def drawing(self) -> Drawing:
        """The parts of each split stacked on one another: learned from, chosen on, predicted."""
        return Drawing(
            name="flow",
            title=f"Plan: {self.plan}",
            x=Ruler("Split", (0.5, self.part.count("train") + 0.5)),
            y=Ruler("Cases", (0.0, float(self._cumulative_part_counts()[-1].max()))),
            traces=tuple(self._part_traces()),
            points=len(self.part),
        )

    def _cumulative_part_counts(self) -> NDArray[np.intp]:
        """Row by row, how many cases the parts up to this one have, split by split."""
        kinds = len(set(self.part))
        return np.cumsum(self.counts.sum(-1).reshape(-1, kinds).T, axis=0)

    def _part_traces(self) -> Iterator[Trace]:
        tops = self._cumulative_part_counts().astype(np.float64)
        edges = np.repeat(np.arange(tops.shape[1] + 1) + 0.5, 2)[1:-1]
        base = np.zeros(len(edges))
        for part, top in zip(self.part, np.repeat(tops, 2, axis=1), strict=False):
            role = ROLES[part]
            yield Trace(edges, top, role, "", base)
            yield Trace(edges, top, role, part)
            base = top


def flow_of(splits: Sequence[Split], cases: Cases, plan: str) -> Flow:
    """The flow of splits."""
    parts = [
        (split, name, rows)
        for split in splits
        for name, rows in (("train", split.train), ("validation", split.validation), ("test", split.test))
        if rows is not None
    ]
    return Flow(
        plan,
        cases.classes,
        tuple(split.repeat for split, _, _ in parts),
        tuple(split.fold for split, _, _ in parts),
        tuple(name for _, name, _ in parts),
        np.stack([cases.counts(rows) for _, _, rows in parts]),
    )
