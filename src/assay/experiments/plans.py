"""Plans: how cases are parted into those a learner is fitted to and those it is judged on.

A plan is plain data: two learners given the same plan, cases and seed see exactly the same partitions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError, OptionError, UnknownName, UnknownOption
from assay.experiments.splitting import PARTINGS, Cases, Flow, Indices, Split, flow_of, given_parts, is_splitter
from assay.request import checked_between, checked_flag, checked_seed, checked_text, checked_whole

TITLES = MappingProxyType(
    {
        "bootstrap": "{replicates} bootstrap samples, tested on what each left out",
        "given": "the given parts",
        "grouped_kfold": "{folds} folds of whole groups",
        "holdout": "hold-out, {test:.0%} for testing",
        "kfold": "{folds} folds",
        "leave_one_out": "leave one out",
        "leave_pair_out": "leave pairs of one case of each class out",
        "repeated_kfold": "{repeats} times {folds} folds",
        "resubstitution": "tested on the training cases",
        "shuffle": "{repeats} random splits, {test:.0%} for testing",
        "time_series": "{folds} steps forward in time",
        "train_validation_test": "{train:.0%} for training, {validation:.0%} for validation, the rest for testing",
    }
)

MOST = 1_000_000  # folds, repeats and the like: beyond it a number was misread rather than meant
LARGEST_SEED = 2**32 - 1  # what scikit-learn's splitters take


@dataclass(frozen=True)
class Plan:
    """A way to part cases, as data; `inner` is the plan by which settings are chosen within each training part.

    `splitter` is an object that parts them, of the plan `given()` alone; a study keeps the parts it made.

    >>> plan = repeated_kfold(5, 2)
    >>> plan.name, plan.to_dict()
    ('2 times 5 folds, stratified', {'kind': 'repeated_kfold', 'folds': 5, 'repeats': 2, 'stratified': True})
    >>> plan.splits(["no"] * 20 + ["yes"] * 10)[7]
    <split 2.3: 24 to learn from, 6 to predict>
    """

    kind: str
    options: tuple[tuple[str, Any], ...] = ()
    inner: Plan | None = None
    splitter: Any = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The plan in a few words."""
        settings = dict(self.options)
        if self.kind == "grouped_kfold" and settings["folds"] is None:
            settings["folds"] = "as many"
        if self.kind == "given" and settings["column"] is not None:
            return f"the parts in column {settings['column']!r}"
        title = TITLES[self.kind].format(**settings) + (", stratified" if settings.get("stratified") else "")
        return title if self.inner is None else f"{title}; tuned by inner {self.inner.name}"

    def splits(self, y: ArrayLike, groups: ArrayLike | None = None, seed: int = 0) -> list[Split]:
        """The partitions of these cases, the same for every learner; refused where a learner could not be fitted.

        >>> kfold(5).splits(["no"] * 20 + ["yes"] * 3)
        Traceback (most recent call last):
        assay.errors.InputError: class 'yes' has 3 cases for 5 folds; needed: folds=3 or fewer, or stratified=False
        """
        return list(self.each(y, groups, seed))

    def each(
        self,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        seed: int = 0,
        parts: Sequence[Split] | None = None,
        time: Indices | None = None,
    ) -> Iterator[Split]:
        """The same partitions one by one, so that a plan of many thousand takes no more memory than one of few.

        `parts` are those that a data set was given with, `time` is the place of each case in time.
        """
        cases = replace(_encode_cases(y, groups, seed), time=time)
        if self.kind == "given" or parts is not None:
            yield from given_parts(cases, self._given(parts))
            return
        if cases.groups is not None and self.kind not in ("grouped_kfold", "resubstitution"):
            raise InputError(f"the plan '{self.name}' separates cases of a group", "grouped_kfold()")
        if time is not None and self.kind not in ("time_series", "resubstitution"):
            raise InputError(f"the plan '{self.name}' trains on cases later than its test cases", "time_series()")
        yield from PARTINGS[self.kind](cases, **dict(self.options))

    def _given(self, parts: Sequence[Split] | None) -> Sequence[Split]:
        if self.kind != "given":
            raise InputError(f"the data set has its own parts, but the plan is '{self.name}'", "the plan given()")
        if parts is None:
            raise InputError("the data set has no given parts", "a column of parts: given('fold'), or split = 'fold'")
        return parts

    def inner_splits(self, split: Split, y: ArrayLike, groups: ArrayLike | None = None, seed: int = 0) -> list[Split]:
        """The partitions of one training part by which its settings are chosen, in row numbers of all cases."""
        seed = checked_seed(seed)
        if self.inner is None:
            raise OptionError(f"the plan '{self.name}' tunes nothing", "nested(outer, inner)")
        own = int(np.random.SeedSequence([seed, split.repeat, split.fold]).generate_state(1)[0])
        of_groups = None if groups is None else np.asarray(groups)[split.train]
        return [
            _map_split_rows(part, split.train) for part in self.inner.splits(np.asarray(y)[split.train], of_groups, own)
        ]

    def flow(self, y: ArrayLike, groups: ArrayLike | None = None, seed: int = 0) -> Flow:
        """How many cases, and of which class, each part of each split holds.

        >>> print(holdout().flow(["no"] * 20 + ["yes"] * 10).table())
        repeat  fold  part   cases  no  yes
             1     1  train     20  13    7
             1     1  test      10   7    3
        """
        return flow_of(self.splits(y, groups, seed), _encode_cases(y, groups, seed), self.name)

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON and TOML hold it; `plan_of` reads it back."""
        settings = {name: value for name, value in self.options if value is not None}
        return {"kind": self.kind, **settings} | ({} if self.inner is None else {"inner": self.inner.to_dict()})


def resubstitution() -> Plan:
    """Testing on the training cases: optimistic, and good only for showing by how much."""
    return Plan("resubstitution")


def holdout(test: float = 1 / 3, *, stratified: bool = True) -> Plan:
    """One part to learn from and one to test on: about the one model fitted, not about the algorithm."""
    return Plan("holdout", (("test", checked_between(test, "test")), _stratified_option(stratified)))


def swapped_halves(*, stratified: bool = True) -> Plan:
    """Two halves, each learned from and tested on once, and the two results averaged."""
    return kfold(2, stratified=stratified)


def train_validation_test(train: float = 0.7, validation: float = 0.15, *, stratified: bool = True) -> Plan:
    """A part to learn from, one to choose settings on and, with the rest, one to test the choice on."""
    shares = (
        ("train", checked_between(train, "train")),
        ("validation", checked_between(validation, "validation")),
        _stratified_option(stratified),
    )
    checked_between(train + validation, "train + validation")
    return Plan("train_validation_test", shares)


def shuffle(repeats: int = 10, test: float = 1 / 3, *, stratified: bool = True) -> Plan:
    """So many random splits into a part to learn from and one to test on; the parts overlap between splits."""
    return Plan(
        "shuffle",
        (
            ("repeats", checked_whole(repeats, "repeats", most=MOST)),
            ("test", checked_between(test, "test")),
            _stratified_option(stratified),
        ),
    )


def kfold(folds: int = 10, *, stratified: bool = True) -> Plan:
    """Every case is tested once, by a model that learned from all folds but its own."""
    return Plan("kfold", (("folds", checked_whole(folds, "folds", 2, MOST)), _stratified_option(stratified)))


def repeated_kfold(folds: int = 10, repeats: int = 10, *, stratified: bool = True) -> Plan:
    """Cross-validation over again with other folds, which lessens the luck of the partition but adds no cases."""
    options = (
        ("folds", checked_whole(folds, "folds", 2, MOST)),
        ("repeats", checked_whole(repeats, "repeats", most=MOST)),
        _stratified_option(stratified),
    )
    return Plan("repeated_kfold", options)


def grouped_kfold(folds: int | None = None, *, stratified: bool = False) -> Plan:
    """Folds that keep the cases of a group (a patient, a site) together; without `folds`, one for each group."""
    return Plan(
        "grouped_kfold",
        (("folds", None if folds is None else checked_whole(folds, "folds", 2, MOST)), _stratified_option(stratified)),
    )


def leave_one_out() -> Plan:
    """Each case by itself is tested on a model of all the others; a fold has no AUC (see `leave_pair_out`)."""
    return Plan("leave_one_out")


def leave_pair_out(pairs: int | None = None) -> Plan:
    """Each pair of a negative and a positive is ranked by a model of all other cases: an AUC without pooling folds.

    With `pairs`, only so many, drawn at random.
    """
    return Plan("leave_pair_out", (("pairs", None if pairs is None else checked_whole(pairs, "pairs", most=MOST)),))


def five_by_two(*, stratified: bool = True) -> Plan:
    """Five times two folds, as the 5 x 2 tests need them."""
    return repeated_kfold(2, 5, stratified=stratified)


def bootstrap(replicates: int = 200) -> Plan:
    """Samples as large as the data, drawn with replacement; each is tested on the cases it left out."""
    return Plan("bootstrap", (("replicates", checked_whole(replicates, "replicates", most=MOST)),))


def time_series(folds: int = 5, *, gap: int = 0, window: int | None = None) -> Plan:
    """Learn from the past and test on what comes next, by the column of `time` of a data set or the order of its rows.

    Cases of the same time as one that is tested are not learned from. `gap` rows between the two are left out; `window`
    is the longest past to learn from.
    """
    return Plan(
        "time_series",
        (
            ("folds", checked_whole(folds, "folds", 2, MOST)),
            ("gap", checked_whole(gap, "gap", 0)),
            ("window", None if window is None else checked_whole(window, "window")),
        ),
    )


def given(by: Any = None, *, random: bool = False) -> Plan:
    """The parts that somebody else made: a column of folds or of train, validation and test; or a splitter object.

    Without `by`, those that the data sets have: a column named as their `split`, files of their own for test and
    validation, KEEL's parts. `random` says that the folds were drawn at random, without which no interval speaks of the
    algorithm: folds by site or by time vary in other ways.

    >>> given("fold").name, given().to_dict()
    ("the parts in column 'fold'", {'kind': 'given', 'random': False})
    """
    options = (("column", by if isinstance(by, str) else None), ("random", checked_flag(random, "random")))
    if by is None or isinstance(by, str):
        return Plan("given", options)
    if not is_splitter(by):
        found = f"given() takes no {type(by).__name__}"
        raise OptionError(found, "the name of a column, or a splitter such as scikit-learn's PredefinedSplit")
    return Plan("given", options, splitter=by)


def nested(outer: Plan, inner: Plan) -> Plan:
    """Settings are chosen by `inner` within each training part of `outer`, so that no test case takes part in it.

    >>> nested(kfold(5), kfold(3)).name
    '5 folds, stratified; tuned by inner 3 folds, stratified'
    """
    if outer.kind == "train_validation_test":
        found = f"the plan '{outer.name}' has a validation part, and an inner plan is set too"
        raise OptionError(found, "one of them: holdout() as the outer plan, or no inner plan")
    return replace(outer, inner=inner)


def _stratified_option(value: Any) -> tuple[str, bool]:
    return "stratified", checked_flag(value, "stratified")


FACTORIES: Mapping[str, Callable[..., Plan]] = MappingProxyType(
    {
        factory.__name__: factory
        for factory in (
            *(
                bootstrap,
                five_by_two,
                given,
                grouped_kfold,
                holdout,
                kfold,
                leave_one_out,
                leave_pair_out,
                repeated_kfold,
            ),
            *(resubstitution, shuffle, swapped_halves, time_series, train_validation_test),
        )
    }
)


def plan_of(record: Mapping[str, Any] | str) -> Plan:
    """The plan a record (or the name of a kind by itself) stands for.

    >>> plan_of({"kind": "kfold", "folds": 5}) == kfold(5)
    True
    >>> plan_of("k_fold")
    Traceback (most recent call last):
    assay.errors.UnknownName: unknown plan 'k_fold'; needed: one of bootstrap, five_by_two, given, ...
    """
    if not isinstance(record, str | Mapping):
        raise OptionError(f"the plan is {record!r}"[:120], "the name of one, or a table with its kind")
    options: dict[str, Any] = {"kind": record} if isinstance(record, str) else dict(record)
    if options.get("kind") == "given" and "column" in options:
        options["by"] = checked_text(options.pop("column"), "the column of a plan")
    kind, inner = checked_text(options.pop("kind", None), "the kind of a plan"), options.pop("inner", None)
    if kind not in FACTORIES:
        raise UnknownName(f"unknown plan {kind!r}", f"one of {', '.join(FACTORIES)}")
    known = inspect.signature(FACTORIES[kind]).parameters
    unknown = [name for name in options if name not in known]
    if unknown:
        raise UnknownOption(f"the plan {kind} has no {unknown[0]!r}", f"one of {', '.join(known) or 'nothing'}")
    plan = FACTORIES[kind](**options)
    return plan if inner is None else nested(plan, plan_of(inner))


def study_seed(seed: Any) -> int:
    """A seed that every splitter and learner takes."""
    return checked_whole(seed, "seed", 0, LARGEST_SEED)


def _encode_cases(y: ArrayLike, groups: ArrayLike | None, seed: int) -> Cases:
    seed = study_seed(seed)
    labels = np.asarray(y)
    codes, classes = _encode_labels(labels)
    if len(classes) < 2:
        raise InputError(f"y has {'a single class' if len(classes) else 'no case'}", "at least two classes")
    if groups is None:
        return Cases(codes, classes, None, seed)
    of_groups = np.asarray(groups)
    if len(of_groups) != len(labels):
        raise InputError(f"{len(of_groups)} groups for {len(labels)} cases", "one group for each case")
    return Cases(codes, classes, _encode_labels(of_groups)[0], seed)


def _encode_labels(labels: Any) -> tuple[Indices, tuple[str, ...]]:
    """Numbers for labels in the order of the labels, and their names."""
    listed = labels.tolist()
    distinct = set(listed)
    try:
        names = sorted(distinct)
    except TypeError:  # labels of several types have no order of their own
        names = sorted(distinct, key=str)
    place = {name: code for code, name in enumerate(names)}
    return np.array([place[label] for label in listed], dtype=np.intp), tuple(str(name) for name in names)


def _map_split_rows(part: Split, rows: Indices) -> Split:
    validation = None if part.validation is None else rows[part.validation]
    return Split(rows[part.train], rows[part.test], validation, part.repeat, part.fold)
