"""What becomes of an algorithm as something grows: the cases it learns from, the noise in them, or a parameter.

How long an algorithm takes as the cases grow.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.curves import Drawable, Drawing, Ruler, Scale, Trace
from assay.errors import InputError
from assay.experiments.containers import rows_of
from assay.experiments.estimates import CORRECTED, FoldScores, fold_average
from assay.experiments.plans import Plan, given, plan_of, shuffle
from assay.experiments.splitting import Indices, Split, is_splitter, parts_of_splitter
from assay.request import checked_choice, checked_level, checked_seed
from assay.results import Estimate, Table
from assay.types import Floats

# Learns from cases and their classes, and gives what predicts others.
Predict = Callable[[Any], Any]
Fit = Callable[[Any, Any], Predict]
Measure = Callable[[Any, Any], float]


def share_right(truth: Any, decided: Any) -> float:
    """The share of cases decided rightly.

    >>> share_right([0, 1, 1], [0, 1, 0])
    0.6666666666666666
    """
    return float(np.mean(np.asarray(truth) == np.asarray(decided)))


def fit_of(estimator: Any) -> Fit:
    """Return a function that fits a fresh copy of a scikit-learn estimator and returns its `predict`."""

    def fit(cases: Any, classes: Any) -> Predict:
        from sklearn.base import clone

        predict: Predict = clone(estimator).fit(cases, classes).predict
        return predict

    return fit


def _fit_function(learner: Any) -> Fit:
    if hasattr(learner, "fit") and not isinstance(learner, type):
        return fit_of(learner)
    if not callable(learner) or isinstance(learner, type):
        shown = learner.__name__ if isinstance(learner, type) else repr(learner)
        raise InputError(f"not a learner: {shown}", "an estimator with fit and predict, or a function fit(X, y)")
    fit: Fit = learner
    return fit


@dataclass(frozen=True, eq=False, repr=False)
class GrowthCurve(Drawable):
    """A measure against something that grows, with a band; `values[i]` are those of place i, split by split.

    `places` are the names of what is no number, such as values of a parameter; `x` then counts them.

    The limits are Nadeau & Bengio's for the mean over training sets, place by place and not for all places together.
    """

    name: str
    title: str
    grows: str
    measure: str
    x: Floats
    values: tuple[FoldScores, ...]
    level: float = 0.95
    bounds: tuple[float, float] | None = (0.0, 1.0)
    scale: Scale = "linear"
    places: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.title}: {len(self.x)} points of {len(self.values[0].values)} splits>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a point."""
        return len(self.x) > 0

    @property
    def estimates(self) -> list[Estimate]:
        """The mean at each place with its interval."""
        return [fold_average(scores, self.level, self.bounds) for scores in self.values]

    def change(self, first: int = -2, second: int = -1) -> Estimate:
        """How much the measure changes from one place to another, over the same splits; by default the last step.

        A learning curve has levelled off where the interval holds 0 and is narrow, not where nothing was found.
        """
        before, after = self.values[first], self.values[second]
        fewer = min((before, after), key=lambda scores: float(scores.train.mean()))
        gap = FoldScores(f"change of {self.measure}", after.values - before.values, fewer.train, fewer.test)
        return fold_average(gap, self.level, bounds=None)

    def table(self) -> Table:
        """Each place: cases learned from and tested on, mean, limits, and why there are none."""
        found = self.estimates
        columns = {
            self.grows: list(self.places) or self.x.tolist(),
            "learned from": [round(float(scores.train.mean())) for scores in self.values],
            "tested on": [round(float(scores.test.mean())) for scores in self.values],
            "splits": [len(scores.values) for scores in self.values],
            self.measure: [one.value for one in found],
            "low": [one.low for one in found],
            "high": [one.high for one in found],
            "no interval because": [one.undefined or "" for one in found],
        }
        return Table(columns, title=self.title)

    def _axis_label(self) -> str:
        if not self.places:
            return self.grows.capitalize()
        return (
            f"{self.grows}: {', '.join(f'{place:g} {name}' for place, name in zip(self.x, self.places, strict=True))}"
        )

    def drawing(self) -> Drawing:
        """The means over their band."""
        found = self.estimates
        mean, low, high = (np.array([getattr(one, side) for one in found]) for side in ("value", "low", "high"))
        is_there = np.isfinite(low)
        band = (Trace(self.x[is_there], high[is_there], "model", "", low[is_there]),) if is_there.any() else ()
        return Drawing(
            name=self.name,
            title=self.title,
            x=Ruler(self._axis_label(), None, self.scale),
            y=Ruler(self.measure.replace("_", " ").capitalize(), _axis_limits(mean, low, high)),
            traces=(*band, Trace(self.x, mean)),
            points=len(self.x),
        )


def learning_curve(
    learner: Any,
    cases: Any,
    y: ArrayLike,
    *,
    shares: Sequence[float] = (0.15, 0.3, 0.45, 0.6, 0.75),
    test: float = 0.25,
    repeats: int = 20,
    measure: Measure = share_right,
    name: str = "accuracy",
    bounds: tuple[float, float] | None = (0.0, 1.0),
    level: float = 0.95,
    seed: int = 0,
) -> GrowthCurve:
    """The measure against the share of cases learned from, the same cases being tested on at every share.

    In each of `repeats` random splits a part of `test` is set aside, and growing parts of the rest are learned from,
    each holding the one before it. `learner` is a scikit-learn estimator, of which a fresh copy is fitted each time, or
    a function `fit(X, y)` that returns a function to predict with.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> x = y + rng.normal(size=200)
    >>> def fit(x, y):
    ...     cut = (x[y == 1].mean() + x[y == 0].mean()) / 2
    ...     return lambda x: x > cut
    >>> curve = learning_curve(fit, x, y, shares=(0.1, 0.7), repeats=10)
    >>> curve
    <Learning curve: 2 points of 10 splits>
    >>> curve.change()
    0.018 [-0.126, 0.162]
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    classes = np.asarray(y)
    if max(shares) > 1 - test + 1e-9 or min(shares) <= 0:
        raise InputError(f"shares from {min(shares):g} to {max(shares):g}", f"shares above 0 and up to {1 - test:g}")
    splits = [
        _shuffle_training_rows(split, classes, seed) for split in shuffle(repeats, test).splits(classes, seed=seed)
    ]
    points = [
        [Split(split.train[: round(share * len(classes))], split.test, repeat=split.repeat) for split in splits]
        for share in shares
    ]
    fit = _fit_function(learner)
    values = tuple(_score_on_splits(fit, cases, classes, point, measure, name) for point in points)
    at = np.asarray(shares, dtype=np.float64)
    return GrowthCurve("learning_curve", "Learning curve", "share learned from", name, at, values, level, bounds)


WIDE = 50  # from the smallest to the largest of so many times as much on, values stand on a logarithmic axis


def validation_curve(
    learner: Any,
    cases: Any,
    y: ArrayLike,
    *,
    parameter: str,
    values: Sequence[Any],
    plan: Any = None,
    groups: ArrayLike | None = None,
    measure: Measure = share_right,
    name: str = "accuracy",
    bounds: tuple[float, float] | None = (0.0, 1.0),
    level: float = 0.95,
    seed: int = 0,
) -> GrowthCurve:
    """Return the measure on test parts against the values of one parameter of a scikit-learn estimator.

    `learner` may also be a function that returns `fit(X, y)` for a value, which returns a function to predict with.
    Every value is tried on the same splits: those of `plan` (a plan, a splitter of scikit-learn's, which get the
    `groups`, or a list of splits), twenty random ones by default. There are intervals where these are random, which
    `given(splitter, random=True)` states of a splitter. The best of the values looks better here than it is:
    `plans.nested` chooses it inside each training part.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> x = (y + rng.normal(size=200))[:, None]
    >>> curve = validation_curve(KNeighborsClassifier(), x, y, parameter="n_neighbors", values=(1, 25))
    >>> curve.estimates[0].value < curve.estimates[1].value
    True
    """
    if not values:
        raise InputError(f"no values of {parameter}", "at least one: values=[1, 2, 4]")
    classes = np.asarray(y)
    fits = _fit_functions_by_value(learner, parameter, values)
    splits, refusal = _splits_of_plan(plan, cases, classes, groups, checked_seed(seed))
    tried = (_score_on_splits(fit, cases, classes, splits, measure, name) for fit in fits)
    scores = tuple(replace(each, refusal=refusal) for each in tried)
    are_numbers = all(isinstance(each, int | float | np.number) and not isinstance(each, bool) for each in values)
    at = np.asarray(values if are_numbers else range(1, len(values) + 1), dtype=np.float64)
    are_wide = are_numbers and at.min() > 0 and at.max() >= WIDE * at.min()
    return GrowthCurve(
        "validation_curve",
        f"Validation curve of {parameter}",
        parameter,
        name,
        at,
        scores,
        checked_level(level),
        bounds,
        scale="log" if are_wide else "linear",
        places=() if are_numbers else tuple(str(each) for each in values),
    )


def _fit_functions_by_value(learner: Any, parameter: str, values: Sequence[Any]) -> list[Fit]:
    """What fits the learner with each value."""
    from sklearn.base import clone

    if callable(learner) and not isinstance(learner, type):
        return [learner(value) for value in values]
    if not hasattr(learner, "get_params") or isinstance(learner, type):
        raise InputError(f"not an estimator: {learner!r}"[:120], "one with get_params, such as SVC()")
    checked_choice(parameter, sorted(learner.get_params()), "parameter")
    return [fit_of(clone(learner).set_params(**{parameter: value})) for value in values]


def _splits_of_plan(
    plan: Any, cases: Any, classes: Any, groups: ArrayLike | None, seed: int
) -> tuple[Sequence[Split], str | None]:
    """The splits of a plan, its record or a splitter, and why means over them have no interval."""
    if isinstance(plan, list | tuple):
        return plan, None
    planned = given(plan) if is_splitter(plan) else plan or shuffle(20)
    planned = planned if isinstance(planned, Plan) else plan_of(planned)
    parts = planned.splitter and parts_of_splitter(planned.splitter, cases, classes, groups)
    return list(planned.each(classes, groups, seed, parts)), why_not_random(planned)


def why_not_random(plan: Plan) -> str | None:
    """Return why the means over the splits of a plan have no interval; None where the splits are drawn at random."""
    if plan.kind in CORRECTED or dict(plan.options).get("random", False):
        return None
    what = "as declared by given(..., random=True)" if plan.kind == "given" else f"not for '{plan.name}'"
    return f"the interval is valid for folds and random splits, {what}"


def _shuffle_training_rows(split: Split, classes: Any, seed: int) -> Split:
    """The training part in random order, beginning with a case of each class so that every share can be learned."""
    order = np.random.default_rng([seed, split.repeat]).permutation(split.train)
    first = [order[classes[order] == name][:1] for name in dict.fromkeys(classes.tolist())]
    ahead = np.concatenate(first)
    return Split(np.concatenate((ahead, order[~np.isin(order, ahead)])), split.test, repeat=split.repeat)


def _replace_labels_at_random(cases: Any, classes: Any, amount: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """So many of the classes replaced by another one at random."""
    names = list(dict.fromkeys(classes.tolist()))
    codes = np.array([names.index(name) for name in classes.tolist()])
    hit = rng.random(len(codes)) < amount
    codes[hit] = (codes[hit] + rng.integers(1, len(names), size=int(hit.sum()))) % len(names)
    return cases, np.asarray(names, dtype=classes.dtype)[codes]


def _add_feature_noise(cases: Any, classes: Any, amount: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Normal noise of so many standard deviations of each feature added to it."""
    plain = np.asarray(cases, dtype=np.float64)
    return plain + amount * np.nanstd(plain, axis=0) * rng.normal(size=plain.shape), classes


def _remove_values_at_random(cases: Any, classes: Any, amount: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """So many of the values taken away; the learner must know what to do with nan."""
    plain = np.array(cases, dtype=np.float64)
    plain[rng.random(plain.shape) < amount] = np.nan
    return plain, classes


Spoiler = Callable[[Any, Any, float, np.random.Generator], tuple[Any, Any]]
SPOILERS: Mapping[str, Spoiler] = MappingProxyType(
    {
        "label noise": _replace_labels_at_random,
        "feature noise": _add_feature_noise,
        "missing values": _remove_values_at_random,
    }
)


def robustness_curve(
    learner: Any,
    cases: Any,
    y: ArrayLike,
    *,
    spoil: Literal["label noise", "feature noise", "missing values"],
    amounts: Sequence[float] = (0.0, 0.05, 0.1, 0.2, 0.4),
    where: Literal["train", "test", "both"] = "train",
    plan: Plan | None = None,
    measure: Measure = share_right,
    name: str = "accuracy",
    bounds: tuple[float, float] | None = (0.0, 1.0),
    level: float = 0.95,
    seed: int = 0,
) -> GrowthCurve:
    """The measure against how much of the data was spoiled: true classes are never spoiled where they are tested.

    `amounts` are shares of labels or values, or standard deviations of feature noise; `where` says whether the cases
    learned from, those predicted, or both are spoiled (labels only where they are learned from). Every amount is tried
    on the same splits, twenty random ones by default.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> x = (3 * y + rng.normal(size=200))[:, None]
    >>> def fit(x, y):
    ...     return lambda other: y[abs(x - other.T).argmin(0)]
    >>> curve = robustness_curve(fit, x, y, spoil="label noise", amounts=(0.0, 0.3))
    >>> [round(one.value, 2) for one in curve.estimates]
    [0.91, 0.69]
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_choice(where, ("train", "test", "both"), "where")
    checked_choice(spoil, SPOILERS, "spoil")
    if spoil == "label noise" and where != "train":
        raise InputError("label noise cannot be added to test labels", "where='train'")
    classes = np.asarray(y)
    splits = (plan or shuffle(20)).splits(classes, seed=seed)

    fit = _fit_function(learner)

    def spoiled(amount: float) -> FoldScores:
        def change(part: str, one: Any, other: Any, split: Split) -> tuple[Any, Any]:
            if where not in (part, "both") or amount == 0:
                return one, other
            rng = np.random.default_rng([seed, split.repeat, split.fold, part == "test"])
            return SPOILERS[spoil](one, other, amount, rng)

        found = _score_on_splits(fit, cases, classes, splits, measure, name, change)
        return found if plan is None else replace(found, refusal=why_not_random(plan))

    at, values = np.asarray(amounts, dtype=np.float64), tuple(spoiled(amount) for amount in amounts)
    return GrowthCurve("robustness_curve", f"Robustness to {spoil}", spoil, name, at, values, level, bounds)


def _axis_limits(*values: Floats) -> tuple[float, float]:
    """An axis that holds means and limits alike, from one twentieth to another of a power of ten."""
    every = np.concatenate(values)
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    step = 10.0 ** np.ceil(np.log10(high - low or 1.0)) / 20
    return float(np.floor(low / step) * step), float(np.ceil(high / step) * step)


Change = Callable[[str, Any, Any, Split], tuple[Any, Any]]


def _unchanged_cases(part: str, cases: Any, classes: Any, split: Split) -> tuple[Any, Any]:
    return cases, classes


def _score_on_splits(
    fit: Fit,
    cases: Any,
    classes: Any,
    splits: Sequence[Split],
    measure: Measure,
    name: str,
    change: Change = _unchanged_cases,
) -> FoldScores:
    """The measure on each split, of a model fitted to what `change` makes of its training part."""

    def one(split: Split) -> float:
        predict = fit(*change("train", rows_of(cases, split.train), classes[split.train], split))
        tested, _ = change("test", rows_of(cases, split.test), classes[split.test], split)
        return measure(classes[split.test], predict(tested))

    return FoldScores.of(name, [one(split) for split in splits], splits)


@dataclass(frozen=True, eq=False, repr=False)
class TimeCurve(Drawable):
    """Seconds to fit to so many cases and to predict as many, the shortest of several tries at each number."""

    cases: Floats
    fit: Floats
    predict: Floats

    def __repr__(self) -> str:
        return f"<Time curve: {len(self.cases)} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a point."""
        return len(self.cases) > 0

    @property
    def growth(self) -> float:
        """The power of the number of cases by which the time to fit grows: 1 if in proportion; nan from one point."""
        if len(self.cases) < 2:
            return math.nan
        return float(np.polyfit(np.log(self.cases), np.log(np.maximum(self.fit, 1e-9)), 1)[0])

    def table(self) -> Table:
        """Every number of cases with both times, in seconds."""
        columns = {"cases": self.cases.astype(int), "fit_seconds": self.fit, "predict_seconds": self.predict}
        return Table({name: values.tolist() for name, values in columns.items()}, title="Time against cases")

    def drawing(self) -> Drawing:
        """Both times over the number of cases, on logarithmic axes."""
        return Drawing(
            name="time_curve",
            title="Time against cases",
            x=Ruler("Cases", None, "log"),
            y=Ruler("Seconds", None, "log"),
            traces=(
                Trace(self.cases, self.fit, "model", "fit"),
                Trace(self.cases, self.predict, "negatives", "predict"),
            ),
            points=len(self.cases),
        )


def time_curve(
    learner: Any, cases: Any, y: ArrayLike, *, sizes: Sequence[int], repeats: int = 3, seed: int = 0
) -> TimeCurve:
    """How long fitting and predicting take as the cases grow, each size being a random part of the data.

    >>> curve = time_curve(lambda x, y: lambda other: other, np.arange(100), np.arange(100) % 2, sizes=(10, 100))
    >>> curve.cases.tolist(), bool((curve.fit >= 0).all())
    ([10.0, 100.0], True)
    """
    seed = checked_seed(seed)
    classes = np.asarray(y)
    if max(sizes) > len(classes):
        raise InputError(f"sizes has {max(sizes)} cases, but there are only {len(classes)}", "sizes up to that number")
    order = np.random.default_rng(seed).permutation(len(classes))
    fit = _fit_function(learner)
    found = np.array(
        [np.min([*_fit_and_predict_seconds(fit, cases, classes, order[:size], repeats)], axis=0) for size in sizes]
    )
    return TimeCurve(np.asarray(sizes, dtype=np.float64), found[:, 0], found[:, 1])


def _fit_and_predict_seconds(
    fit: Fit, cases: Any, classes: Any, rows: Indices, repeats: int
) -> Iterator[tuple[float, float]]:
    known, answers = rows_of(cases, rows), classes[rows]
    for _ in range(repeats):
        started = time.perf_counter()
        predict = fit(known, answers)
        fitted = time.perf_counter()
        predict(known)
        yield fitted - started, time.perf_counter() - fitted
