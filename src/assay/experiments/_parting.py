"""How each kind of plan parts the cases. scikit-learn's splitters do it wherever there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, MissingExtra
from assay.results import counted

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


def _splitters() -> Any:
    return sklearn_part("model_selection", "parting cases into folds")


def _repeated_kfold(cases: Cases, folds: int, repeats: int, stratified: bool) -> Iterator[Split]:
    _enough(cases, folds, stratified)
    kinds = _splitters()
    if repeats == 1:
        splitter = (kinds.StratifiedKFold if stratified else kinds.KFold)(folds, shuffle=True, random_state=cases.seed)
    else:
        kind = kinds.RepeatedStratifiedKFold if stratified else kinds.RepeatedKFold
        splitter = kind(n_splits=folds, n_repeats=repeats, random_state=cases.seed)
    return _numbered(cases, splitter.split(cases.codes, cases.codes), folds, whole=not stratified)


def _shuffle(cases: Cases, repeats: int, test: float, stratified: bool) -> Iterator[Split]:
    learned, tested = _sizes(cases, (1 - test, test), stratified)
    kinds = _splitters()
    kind = kinds.StratifiedShuffleSplit if stratified else kinds.ShuffleSplit
    splitter = kind(repeats, train_size=learned, test_size=tested, random_state=cases.seed)
    return _numbered(cases, splitter.split(cases.codes, cases.codes), 1, whole=not stratified)


def _train_validation_test(cases: Cases, train: float, validation: float, stratified: bool) -> Iterator[Split]:
    sizes = _sizes(cases, (train, validation, 1 - train - validation), stratified)
    kinds = _splitters()
    kind = kinds.StratifiedShuffleSplit if stratified else kinds.ShuffleSplit
    first = kind(1, train_size=sizes[0], test_size=sizes[1] + sizes[2], random_state=cases.seed)
    learned, rest = next(first.split(cases.codes, cases.codes))
    second = kind(1, train_size=sizes[1], test_size=sizes[2], random_state=cases.seed)
    chosen, tested = next(second.split(rest, cases.codes[rest]))
    for part in (learned, rest[chosen], rest[tested]):
        _whole(cases, part, "a part", "stratified=True, or more cases")
    yield Split(learned, rest[tested], validation=rest[chosen])


def _grouped_kfold(cases: Cases, folds: int | None, stratified: bool) -> Iterator[Split]:
    if cases.groups is None:
        raise InputError("the plan keeps groups together and there are none", "which group each case belongs to")
    there = int(cases.groups.max()) + 1
    wanted = there if folds is None else folds
    if there < wanted or there < 2:
        raise InputError(
            f"there are {counted(there, 'group')} for {wanted} folds", f"folds={there} or fewer, at least 2"
        )
    kinds = _splitters()
    if stratified and wanted < there:
        _enough(cases, wanted, stratified)
    kind = kinds.StratifiedGroupKFold if stratified else kinds.GroupKFold
    splitter = kind(wanted, shuffle=True, random_state=cases.seed)
    return _numbered(cases, splitter.split(cases.codes, cases.codes, cases.groups), wanted)


def _leave_pair_out(cases: Cases, pairs: int | None) -> Iterator[Split]:
    """Every pair of a negative and a positive, or so many drawn without repetition."""
    if len(cases.classes) != 2:
        raise InputError(f"truth holds {len(cases.classes)} classes", "two, a pair being one case of each")
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


def _bootstrap(cases: Cases, replicates: int) -> Iterator[Split]:
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


def _time_series(cases: Cases, folds: int, gap: int, window: int | None) -> Iterator[Split]:
    if cases.n <= folds + gap:
        raise InputError(f"there are {cases.n} cases for {folds} steps in time", f"at least {folds + gap + 1} cases")
    splitter = _splitters().TimeSeriesSplit(folds, gap=gap, max_train_size=window)
    try:
        parted = list(splitter.split(cases.codes))
    except ValueError as error:
        raise InputError(f"{cases.n} cases are too few for {folds} steps and a gap of {gap}", "fewer steps") from error
    return _numbered(cases, parted if cases.time is None else _in_time(cases.time, parted), folds)


def _in_time(time: NDArray[np.integer], parted: Iterable[tuple[Indices, Indices]]) -> Iterator[tuple[Indices, Indices]]:
    """Steps over cases in order of time; whatever is of the time of a tested case, or later, is not learned from."""
    order = np.argsort(time, kind="stable")
    for train, test in parted:
        tested = order[test]
        learned = order[train]
        yield learned[time[learned] < time[tested].min()], tested


def given_parts(cases: Cases, parts: Iterable[Split]) -> Iterator[Split]:
    """Parts that somebody else made, refused where a learner could not be fitted or a group is parted."""
    for place, split in enumerate(parts, 1):
        _whole(cases, split.train, f"what part {place} learns from", "cases of every class in it")
        if cases.groups is not None and np.isin(cases.groups[split.test], cases.groups[split.train]).any():
            raise InputError("the parts it was given with part cases of one group", "parts that keep groups together")
        yield split


def _numbered(
    cases: Cases, parted: Iterable[tuple[Indices, Indices]], folds: int, *, whole: bool = False
) -> Iterator[Split]:
    """Splits with their numbers; what is learned from must hold every class, with `whole` what is predicted too."""
    for k, (train, test) in enumerate(parted):
        where = f"fold {k % folds + 1}" if folds > 1 else f"split {k + 1}"
        _whole(cases, train, f"what {where} learns from", "a plan with larger or stratified parts")
        if whole:
            _whole(cases, test, where, "stratified=True")
        yield Split(train, test, repeat=k // folds, fold=k % folds)


def _whole(cases: Cases, rows: Indices, where: str, needed: str) -> None:
    absent = lacking(cases, rows)
    if absent is not None:
        raise InputError(f"{where} holds no case of class {absent!r}", needed)


def _enough(cases: Cases, folds: int, stratified: bool) -> None:
    if cases.n < folds:
        raise InputError(f"there are {counted(cases.n, 'case')} for {folds} folds", f"folds={cases.n} or fewer")
    rarest, count = cases.smallest()
    if stratified and count < folds:
        instead = f"folds={count} or fewer, or stratified=False" if count > 1 else "more cases, or stratified=False"
        raise InputError(f"class {rarest!r} has {counted(count, 'case')} for {folds} folds", instead)


def _sizes(cases: Cases, shares: tuple[float, ...], stratified: bool) -> list[int]:
    """So many cases for each share, the last taking what is left; each part must be able to hold every class."""
    sizes = [round(share * cases.n) for share in shares[:-1]]
    sizes.append(cases.n - sum(sizes))
    if min(sizes) < (len(cases.classes) if stratified else 1):
        found = f"{counted(cases.n, 'case')} give parts of {', '.join(str(size) for size in sizes)}"
        raise InputError(found, "at least one case of each class in every part")
    rarest, count = cases.smallest()
    if stratified and count < len(shares):
        raise InputError(f"class {rarest!r} has {counted(count, 'case')}", f"one for each of {len(shares)} parts")
    return sizes


PARTINGS: Mapping[str, Callable[..., Iterator[Split]]] = MappingProxyType(
    {
        "bootstrap": _bootstrap,
        "grouped_kfold": _grouped_kfold,
        "holdout": lambda cases, **options: _shuffle(cases, 1, **options),
        "kfold": lambda cases, **options: _repeated_kfold(cases, repeats=1, **options),
        "leave_one_out": lambda cases: _numbered(cases, _splitters().LeaveOneOut().split(cases.codes), cases.n),
        "leave_pair_out": _leave_pair_out,
        "repeated_kfold": _repeated_kfold,
        "resubstitution": lambda cases: iter([Split(np.arange(cases.n), np.arange(cases.n))]),
        "shuffle": _shuffle,
        "time_series": _time_series,
        "train_validation_test": _train_validation_test,
    }
)
