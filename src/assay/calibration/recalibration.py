"""Repairing probabilities: curves fitted to other cases than those they are used on.

Every method is a function from a score table to a `Recalibration`, which maps scores to probabilities and says what it
does to the ROC curve. How much it helps must be seen on cases that it was not fitted to: `recalibration_effect` and
`cross_fitted_effect`, in effect.py.

Repairing the probabilities of many classes: each by itself, the row scaled to sum to 1, or all by a temperature.

What a recalibration changes on cases that it was not fitted to.

Venn-Abers probabilities: isotonic regression tried with the new case in either class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, logit, stdtrit

from assay.calibration.groups import of_the_middle
from assay.calibration.isotonic import isotonic_fit
from assay.calibration.smoothing import KNOTS
from assay.errors import OptionError
from assay.evidence import ClassScores, ScoreTable
from assay.measures import Measure, brier, log_loss, registry_of_many, roc_auc
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_seed, checked_whole
from assay.results import Estimate, Table, counted
from assay.types import Codes, Floats
from assay.uncertainty import between_rows, class_sizes, standard_error
from assay.uncertainty.logistic import fit_logistic

__all__ = [
    "CLIP",
    "EVERY_LOGIT",
    "FEWEST",
    "NOTHING_CHANGES",
    "ONE_CLASS",
    "ONE_SCORE",
    "RECALIBRATIONS",
    "REVERSED",
    "ClassRecalibration",
    "Recalibration",
    "RecalibrationEffect",
    "cross_fitted_effect",
    "cross_fitted_of_many",
    "effect_on_many",
    "fit_beta",
    "fit_isotonic",
    "fit_many",
    "fit_platt",
    "fit_spline",
    "fit_temperature",
    "fit_tilt",
    "fit_venn_abers",
    "placed",
    "recalibration_effect",
    "split_cases",
    "venn_abers_pair",
]


def venn_abers_pair(table: ScoreTable) -> tuple[Floats, Floats]:
    """The isotonic rate at every place a new score can have, if the new case is negative, and if it is positive.

    Places run from below the lowest score over each score and each gap between two to above the highest: two for a
    score and one more. A new case weighs what those of the table weigh on average.

    >>> low, high = venn_abers_pair(ScoreTable.of([0.2, 0.6], [False, True]))
    >>> low.round(3), high.round(3)
    (array([0. , 0. , 0. , 0.5, 0.5]), array([0.5, 0.5, 1. , 1. , 1. ]))

    References: Vovk, Petej & Fedorova (2015).
    """
    weight = table.negative + table.positive
    x, y = (np.concatenate(([0.0], np.cumsum(part))) for part in (weight, table.positive))
    added = float(sum(side.sum() for side in table.squared_weights) / weight.sum())
    chains = _hull_to_the_left(x, y), _hull_to_the_right(x, y)
    return _inductive_isotonic_rates(x, y, chains, added, 0.0), _inductive_isotonic_rates(x, y, chains, added, 1.0)


def placed(scores: Floats, at: Floats) -> NDArray[np.intp]:
    """Where scores stand among those of a table, as `venn_abers_pair` counts places.

    >>> placed(np.array([0.2, 0.6]), np.array([0.1, 0.2, 0.3, 0.6, 0.7])).tolist()
    [0, 1, 2, 3, 4]
    """
    left: NDArray[np.intp] = np.searchsorted(scores, at, side="left")
    right: NDArray[np.intp] = np.searchsorted(scores, at, side="right")
    return left + right


def _inductive_isotonic_rates(x: Floats, y: Floats, chains: tuple[Codes, Codes], added: float, truth: float) -> Floats:
    """The isotonic rate of a case that is added at each place.

    With the sums of weights and of positives as points, it is the slope of the line that touches from below both the
    points up to the new case, which are moved back by its own weight, and those beyond it. Both ends walk outwards
    along their hulls, for all places at once, until neither finds a line that lies lower.
    """
    back, on = chains
    place = np.arange(2 * len(x) - 1)
    a, b = place // 2, (place + 1) // 2
    rise, run = added * truth, added

    def slope(start: Codes, end: Codes) -> Floats:
        return np.asarray((y[end] - y[start] + rise) / (x[end] - x[start] + run))

    walking = place
    while len(walking):
        start, end = a[walking], b[walking]
        here = slope(start, end)
        further = on[end]
        moves_on = (further != end) & (slope(start, further) <= here)
        end = np.where(moves_on, further, end)
        here = slope(start, end)
        further = back[start]
        moves_back = (further != start) & (slope(further, end) >= here)
        a[walking], b[walking] = np.where(moves_back, further, start), end
        walking = walking[moves_on | moves_back]
    return slope(a, b)


def _hull_to_the_right(x: Floats, y: Floats) -> Codes:
    """For each point the next one of the lower hull of it and all points to its right."""
    back = _hull_to_the_left(-x[::-1], y[::-1])
    return np.asarray(len(x) - 1 - back[::-1])


def _hull_to_the_left(x: Floats, y: Floats) -> Codes:
    """For each point the next one, to the left, of the lower hull of it and all points before it."""
    across, up = x.tolist(), y.tolist()
    before = [0] * len(across)
    for i in range(1, len(across)):
        j = i - 1
        while j > 0:
            k = before[j]
            # A point that lies on or above the line from here to the one behind it is no corner.
            if (up[i] - up[j]) * (across[j] - across[k]) > (up[j] - up[k]) * (across[i] - across[j]):
                break
            j = k
        before[i] = j
    return np.array(before, dtype=np.intp)


# Probabilities nearer than this to 0 or 1 have no usable logarithm.
CLIP = 1e-12

# Where a curve is looked at that must not fall.
EVERY_LOGIT = np.linspace(-27.0, 27.0, 1081)

ONE_CLASS = "all true labels are of one class, so there is nothing to fit"
ONE_SCORE = "every case has the same score, so there is no curve"
REVERSED = "higher scores go with fewer positives, which this method cannot turn round; fit_platt can"


@dataclass(frozen=True, eq=False)
class Recalibration:
    """A function from scores to probabilities, fitted to some cases and meant for others.

    `parameters` are its numbers by name; an isotonic one has `knots` instead, and a Venn-Abers one the `pair` of rates
    at each place of a new score beside them. `undefined` says why it could not be fitted; then it gives nan.
    """

    method: str
    parameters: Mapping[str, float]
    n: float
    knots: tuple[Floats, Floats] | None = field(default=None, repr=False)
    undefined: str | None = None
    pair: tuple[Floats, Floats] | None = field(default=None, repr=False)

    _repr_html_ = in_notebook

    def limits(self, scores: Any) -> tuple[Floats, Floats]:
        """The two probabilities of Venn-Abers: what isotonic regression gives if the new case is negative, or positive.

        One of the two is calibrated whatever the scores are, but nobody knows which: far apart, they say that there
        were few cases near this score.

        >>> fitted = RECALIBRATIONS["venn_abers"](ScoreTable.of([0.2, 0.6], [False, True]))
        >>> fitted.limits([0.1, 0.4])
        (array([0., 0.]), array([0.5, 1. ]))
        """
        if self.pair is None or self.knots is None:
            raise OptionError(f"{self.method} gives one probability, and no pair of them", "method 'venn_abers'")
        place = placed(self.knots[0], np.asarray(scores, dtype=np.float64))
        return self.pair[0][place], self.pair[1][place]

    def __call__(self, scores: Any) -> Floats:
        """The probabilities of these scores."""
        at = np.asarray(scores, dtype=np.float64)
        return np.full(at.shape, np.nan) if self.undefined else np.asarray(_CURVES[self.method](self, at))

    def refuse_unfitted(self) -> None:
        """Say why there is no curve, where none could be fitted."""
        if self.undefined:
            raise OptionError(f"nothing was fitted: {self.undefined}", "other cases, or another method")

    def apply(self, table: ScoreTable) -> ScoreTable:
        """The evidence as it would be with the recalibrated scores; scores that become equal are put together.

        >>> table = ScoreTable.of([0.1, 0.5, 0.9, 0.95], [False, True, False, True])
        >>> tilt = Recalibration("tilt", {"intercept": -0.5, "slope": 2.0}, 4.0)
        >>> tilt.apply(table).score
        array([0. , 0.5, 1. ])
        """
        self.refuse_unfitted()
        moved = self(table.score)
        order = slice(None, None, -1) if len(moved) and moved[0] > moved[-1] else slice(None)
        moved = moved[order]
        first = np.flatnonzero(np.diff(moved, prepend=-np.inf) > 0)
        negative, positive = (np.add.reduceat(side[order], first) for side in (table.negative, table.positive))
        of_negatives, of_positives = (
            None if side is None else np.add.reduceat(side[order], first)
            for side in (table.negative_squares, table.positive_squares)
        )
        place = np.empty(len(moved), dtype=np.intp)
        place[order] = np.cumsum(np.diff(moved, prepend=-np.inf) > 0) - 1
        rows = None if table.rows is None else table.rows._replace(position=place[table.rows.position])
        return ScoreTable(moved[first], negative, positive, table.classes, of_negatives, of_positives, rows)

    def effect_on_roc(self, table: ScoreTable) -> str:
        """What it does to the ROC curve of these scores, in a sentence.

        >>> table = ScoreTable.of([0.1, 0.5, 0.9, 0.95], [False, True, False, True])
        >>> Recalibration("tilt", {"intercept": -0.5, "slope": 2.0}, 4.0).effect_on_roc(table)
        'the ROC curve may change: 4 distinct scores become 3, and ties count half'
        """
        if self.undefined:
            return f"nothing was fitted: {self.undefined}"
        before, moved = len(table), self(table.score)
        after = int(np.count_nonzero(np.diff(moved))) + 1
        if before > 1 and moved[0] > moved[-1]:
            return "the ROC curve is reversed: higher scores become lower probabilities"
        if after < before:
            return f"the ROC curve may change: {before:,} distinct scores become {after:,}, and ties count half"
        return "the ROC curve stays as it is: higher scores stay higher"


def fit_tilt(table: ScoreTable, *, groups: int = 10) -> Recalibration:
    """The straight line through the points of a calibration plot with equal groups, held between 0 and 1.

    Ordinary least squares of the groups' shares of positives on their mean scores; groups are cut behind the cases
    floor(i n / groups), and cases with equal scores are shared out between groups in proportion.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> {name: round(value, 6) for name, value in fit_tilt(table, groups=3).parameters.items()}
    {'intercept': -0.458974, 'slope': 1.794872}

    Reference: Vinterbo & Ohno-Machado (1999).
    """
    n = float(table.total)
    if checked_whole(groups, "groups", 2) > n:
        raise OptionError(f"groups is {groups} for {counted(n, 'case')}", "from 2 to as many as cases")
    x, y = _group_means(table, groups)
    away = x - x.mean()
    if not float(away @ away) > 0:
        return _failed_recalibration("tilt", table, ONE_SCORE)
    slope = float(away @ y) / float(away @ away)
    return Recalibration("tilt", {"intercept": float(y.mean() - slope * x.mean()), "slope": slope}, n)


def _group_means(table: ScoreTable, groups: int) -> tuple[Floats, Floats]:
    """Mean score and share of positives of each of equally large groups of cases in the order of their scores."""
    cases = table.negative + table.positive
    share = np.arange(groups + 1) * (float(table.total) / groups)
    cuts = share if table.is_weighted else np.floor(share + 1e-9)
    passed = np.concatenate(([0.0], np.cumsum(cases)))
    score, positive = (
        np.interp(cuts, passed, np.concatenate(([0.0], np.cumsum(part))))
        for part in (cases * table.score, table.positive)
    )
    return np.diff(score) / np.diff(cuts), np.diff(positive) / np.diff(cuts)


def fit_platt(table: ScoreTable) -> Recalibration:
    """A logistic curve of the score itself, which need not be a probability (Platt 1999).

    Its targets are drawn in from 0 and 1 as Platt does, so that classes without overlap have a best curve too.

    >>> table = ScoreTable.of([-2.0, -1.0, 0.5, 0.2, 1.0, 3.0], [0, 0, 0, 1, 1, 1])
    >>> fit_platt(table)([-2.0, 3.0]).round(3)
    array([0.19 , 0.854])
    """
    n0, n1 = float(table.negatives), float(table.positives)
    up, down = (n1 + 1) / (n1 + 2), 1 / (n0 + 2)
    positive = up * table.positive + down * table.negative
    return _logistic_recalibration("platt", table, {"intercept": np.ones(len(table)), "slope": table.score}, positive)


def fit_beta(table: ScoreTable) -> Recalibration:
    """logit q = c + a log p - b log(1 - p): right where the scores of each class are Beta distributed.

    a and b are kept from being negative, so that it never falls (Kull et al. 2017).

    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> fitted = fit_beta(ScoreTable.of(p, rng.random(4000) < p))
    >>> bool(np.abs(fitted([0.1, 0.5, 0.9]) - [0.1, 0.5, 0.9]).max() < 0.03)
    True
    """
    p = np.clip(table.score, CLIP, 1 - CLIP)
    columns = {"a": np.log(p), "b": -np.log1p(-p), "c": np.ones(len(p))}
    for _ in range(2):
        fitted = _logistic_recalibration("beta", table, columns)
        negative = [name for name in ("a", "b") if fitted.parameters.get(name, 0.0) < 0]
        if not negative:
            break
        del columns[min(negative, key=lambda name: fitted.parameters[name])]
    if fitted.undefined is None and fitted.parameters.get("a", 0.0) <= 0 and fitted.parameters.get("b", 0.0) <= 0:
        return _failed_recalibration("beta", table, REVERSED)
    return fitted


def fit_temperature(table: ScoreTable) -> Recalibration:
    """logit q = logit p / T: a T above 1 draws overconfident probabilities towards one half (Guo et al. 2017).

    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> fitted = fit_temperature(ScoreTable.of(expit(2 * logit(p)), rng.random(4000) < p))
    >>> round(fitted.parameters["temperature"], 1)
    2.1
    """
    fitted = _logistic_recalibration("temperature", table, {"slope": logit(np.clip(table.score, CLIP, 1 - CLIP))})
    if fitted.undefined:
        return fitted
    slope = fitted.parameters["slope"]
    return (
        replace(fitted, parameters={"temperature": 1 / slope})
        if slope > 0
        else _failed_recalibration("temperature", table, REVERSED)
    )


def fit_isotonic(table: ScoreTable) -> Recalibration:
    """The rising steps nearest to the outcomes, joined by straight lines (Zadrozny & Elkan 2002).

    It needs no shape and makes ties; its first and last steps are often exactly 0 and 1, where log loss is infinite.

    >>> fit_isotonic(ScoreTable.of([0.1, 0.2, 0.6, 0.9], [False, True, False, True]))([0.0, 0.4, 0.75])
    array([0.  , 0.5 , 0.75])
    """
    fit = isotonic_fit(table)
    knots = np.column_stack((fit.low, fit.high)).ravel(), np.repeat(fit.rate, 2)
    return Recalibration("isotonic", {}, float(table.total), knots)


def fit_venn_abers(table: ScoreTable) -> Recalibration:
    """Isotonic regression with the new case put in either class, the two rates p0 and p1 merged: p1 / (1 - p0 + p1).

    It is never exactly 0 or 1, unlike isotonic regression alone, and makes ties as that does; `limits` are the two.

    >>> fit_venn_abers(ScoreTable.of([0.1, 0.2, 0.6, 0.9], [False, True, False, True]))([0.0, 0.4, 0.95]).round(3)
    array([0.333, 0.5  , 0.667])

    References: Vovk, Petej & Fedorova (2015).
    """
    low, high = venn_abers_pair(table)
    merged = high / (1 - low + high)
    return Recalibration("venn_abers", {}, float(table.total), (table.score, merged), pair=(low, high))


def fit_spline(table: ScoreTable) -> Recalibration:
    """A restricted cubic spline of the log odds, fitted by logistic regression: bends that two numbers cannot follow.

    It has as many knots, from five down to three, as the smaller class has tens of cases, and is straight beyond the
    outer ones. Where it would fall somewhere, and so change the order of cases, it has fewer, or is a straight line.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> fitted = fit_spline(ScoreTable.of(p, rng.random(4000) < p**2))
    >>> bool(np.abs(fitted([0.2, 0.5, 0.9]) - [0.04, 0.25, 0.81]).max() < 0.03)
    True

    References: Harrell (2015); Lucena (2018).
    """
    odds = logit(np.clip(table.score, CLIP, 1 - CLIP))
    most = min(max(int(min(table.negatives, table.positives) // 10), 3), 5)
    for places in (*(KNOTS[number] for number in range(most, 2, -1)), ()):
        knots = _weighted_quantiles(odds, table.negative + table.positive, places)
        if not (np.diff(knots) > 0).all():
            continue
        columns = {f"term{k}": column for k, column in enumerate(_spline_columns(odds, knots).T)}
        fitted = replace(_logistic_recalibration("spline", table, columns), knots=(knots, np.zeros(0)))
        if fitted.undefined is None and (np.diff(fitted(expit(EVERY_LOGIT))) >= 0).all():
            return fitted
    return _failed_recalibration("spline", table, fitted.undefined or REVERSED)


def _weighted_quantiles(values: Floats, weight: Floats, places: tuple[float, ...]) -> Floats:
    reached = (np.cumsum(weight) - weight / 2) / weight.sum()
    return np.asarray(np.interp(np.array(places), reached, values))


def _spline_columns(odds: Floats, knots: Floats) -> Floats:
    """One, the log odds, and Harrell's terms, which are straight beyond the outer knots."""
    if len(knots) == 0:
        return np.column_stack((np.ones(len(odds)), odds))
    last, before = knots[-1], knots[-2]

    def cube(knot: float) -> Floats:
        return np.maximum(odds - knot, 0.0) ** 3

    width = (last - knots[0]) ** 2
    terms = [
        (cube(k) - cube(before) * (last - k) / (last - before) + cube(last) * (before - k) / (last - before)) / width
        for k in knots[:-2]
    ]
    return np.column_stack((np.ones(len(odds)), odds, *terms))


def _spline_curve(fitted: Recalibration, at: Floats) -> Floats:
    assert fitted.knots is not None
    odds = logit(np.clip(at, CLIP, 1 - CLIP))
    design = _spline_columns(odds.ravel(), fitted.knots[0])
    return np.asarray(expit(design @ np.array(list(fitted.parameters.values())))).reshape(at.shape)


RECALIBRATIONS: Mapping[str, Callable[[ScoreTable], Recalibration]] = MappingProxyType(
    {
        "tilt": fit_tilt,
        "platt": fit_platt,
        "isotonic": fit_isotonic,
        "beta": fit_beta,
        "temperature": fit_temperature,
        "venn_abers": fit_venn_abers,
        "spline": fit_spline,
    }
)


def _logistic_recalibration(
    method: str, table: ScoreTable, columns: Mapping[str, Floats], positive: Floats | None = None
) -> Recalibration:
    """A logistic regression on named columns, as a recalibration."""
    if min(table.negatives, table.positives) == 0:
        return _failed_recalibration(method, table, ONE_CLASS)
    if len(table) == 1 and len(columns) > 1:
        return _failed_recalibration(method, table, ONE_SCORE)
    target = table.positive if positive is None else positive
    fit = fit_logistic(np.column_stack(list(columns.values())), table.negative + table.positive - target, target)
    if fit.undefined is not None:
        return _failed_recalibration(method, table, fit.undefined)
    parameters = dict(zip(columns, fit.coefficients.tolist(), strict=True))
    return Recalibration(method, parameters, float(table.total))


def _failed_recalibration(method: str, table: ScoreTable, reason: str) -> Recalibration:
    return Recalibration(method, {}, float(table.total), undefined=reason)


def _beta_curve(fitted: Recalibration, at: Floats) -> Floats:
    p, known = np.clip(at, CLIP, 1 - CLIP), fitted.parameters
    return np.asarray(expit(known.get("a", 0.0) * np.log(p) - known.get("b", 0.0) * np.log1p(-p) + known["c"]))


def _linear_curve(fitted: Recalibration, at: Floats) -> Floats:
    return fitted.parameters["intercept"] + fitted.parameters["slope"] * at


def _step_curve(fitted: Recalibration, at: Floats) -> Floats:
    assert fitted.knots is not None
    return np.interp(at, *fitted.knots)


def _merged_curve(fitted: Recalibration, at: Floats) -> Floats:
    assert fitted.knots is not None
    score, rate = fitted.knots
    return np.asarray(rate[placed(score, at)])


_CURVES: Mapping[str, Callable[[Recalibration, Floats], Any]] = MappingProxyType(
    {
        "spline": _spline_curve,
        "tilt": lambda fitted, at: np.clip(_linear_curve(fitted, at), 0.0, 1.0),
        "platt": lambda fitted, at: expit(_linear_curve(fitted, at)),
        "isotonic": _step_curve,
        "beta": _beta_curve,
        "venn_abers": _merged_curve,
        "temperature": lambda fitted, at: expit(logit(np.clip(at, CLIP, 1 - CLIP)) / fitted.parameters["temperature"]),
    }
)


# Below this many cases (or clusters) in a class, no interval of a change was seen to hold.
FEWEST = 50

NOTHING_CHANGES = "no probability changes, so there is nothing to be uncertain about"


@dataclass(frozen=True)
class RecalibrationEffect:
    """Brier score, log loss and AUC before and after, and the change (after minus before) with its interval.

    `roc` says what happened to the ROC curve, `fitted_to` what the recalibration was fitted to.
    """

    method: str
    before: Mapping[str, Estimate]
    after: Mapping[str, Estimate]
    change: Mapping[str, Estimate]
    roc: str
    fitted_to: str
    # What to doubt where scores are in cells.
    caution: str | None = None

    _repr_html_ = in_notebook

    def table(self) -> Table:
        """One row a measure."""
        missing = Estimate("", math.nan, math.nan, math.nan, 0.0, "", 0.0)
        changes = [self.change.get(name, missing) for name in self.before]
        return Table(
            {
                "measure": list(self.before),
                "before": [each.value for each in self.before.values()],
                "after": [each.value for each in self.after.values()],
                "change": [each.value for each in changes],
                "low": [each.low for each in changes],
                "high": [each.high for each in changes],
            },
            title=f"Recalibrated by {self.method}, {self.fitted_to}",
        )


class _HeldOut(NamedTuple):
    """Cases, and the recalibration that they had no part in."""

    fitted: Recalibration
    table: ScoreTable


def recalibration_effect(fitted: Recalibration, table: ScoreTable, *, level: float = 0.95) -> RecalibrationEffect:
    """What a recalibration does to cases that it was not fitted to: a split, or data from elsewhere.

    >>> rng = np.random.default_rng(0)
    >>> p, y = rng.random(2000), rng.random(2000)
    >>> table = ScoreTable.of(p**3, y < p)
    >>> fit_on, try_on = split_cases(table, 2)
    >>> effect = recalibration_effect(RECALIBRATIONS["beta"](fit_on), try_on)
    >>> effect.change["brier"]
    -0.078 [-0.094, -0.062]
    >>> effect.roc
    'the ROC curve stays as it is: higher scores stay higher'
    """
    level = checked_level(level)
    where = f"fitted to {counted(fitted.n, 'other case')}"
    return _recalibration_effect(fitted.method, [_HeldOut(fitted, table)], table, level, where)


def cross_fitted_effect(
    table: ScoreTable, method: str, *, folds: int = 5, level: float = 0.95, seed: int = 0
) -> RecalibrationEffect:
    """What recalibrating does, each fold's cases mapped by what was fitted to the other folds.

    It speaks of the method more than of one fitted curve: there are as many curves as folds.

    >>> rng = np.random.default_rng(0)
    >>> p, y = rng.random(2000), rng.random(2000)
    >>> cross_fitted_effect(ScoreTable.of(p**3, y < p), "isotonic").roc
    'the ROC curve may change: 5 curves, one per fold, were combined, and ties count half'
    """
    level = checked_level(level)
    checked_choice(method, RECALIBRATIONS, "method")
    checked_whole(folds, "folds", 2, 10**6)
    parts = split_cases(table, folds, seed=seed)
    pairs = []
    for left_out in parts:
        others = [part for part in parts if part is not left_out]
        fit_on = others[0]
        for other in others[1:]:
            fit_on = fit_on + other
        pairs.append(_HeldOut(RECALIBRATIONS[method](fit_on), left_out))
    return _recalibration_effect(method, pairs, table, level, f"cross-fitted over {folds} folds")


def split_cases(table: ScoreTable, parts: int, *, seed: int = 0) -> list[ScoreTable]:
    """The cases of a table dealt out at random, either class evenly.

    >>> [float(part.total) for part in split_cases(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True]), 2)]
    [2.0, 1.0]
    """
    checked_whole(parts, "parts")
    seed = checked_seed(seed)
    if table.is_weighted or table.rows is not None:
        they = "these cases have weights" if table.is_weighted else "these cases come in clusters"
        raise OptionError(they, "whole, independent cases to deal out: make a table of each part's rows")
    rng = np.random.default_rng(seed)
    sides = [_split_counts(side, parts, rng) for side in (table.negative, table.positive)]
    found = []
    for negative, positive in zip(*sides, strict=True):
        kept = negative + positive > 0
        found.append(ScoreTable(table.score[kept], negative[kept], positive[kept], table.classes))
    return found


def _split_counts(counts: Floats, parts: int, rng: np.random.Generator) -> Floats:
    """How many of each score's cases go to each part."""
    each = np.repeat(np.arange(len(counts)), counts.astype(np.intp))
    part = rng.permutation(len(each)) % parts
    dealt = np.bincount(part * len(counts) + each, minlength=parts * len(counts))
    return dealt.astype(np.float64).reshape(parts, len(counts))


def _recalibration_effect(
    method: str, parts: Sequence[_HeldOut], table: ScoreTable, level: float, fitted_to: str
) -> RecalibrationEffect:
    for part in parts:
        part.fitted.refuse_unfitted()
    moved = [part.fitted.apply(part.table) for part in parts]
    after = moved[0]
    for other in moved[1:]:
        after = after + other
    measures = (brier, log_loss, roc_auc)
    several = f"the ROC curve may change: {len(parts)} curves, one per fold, were combined, and ties count half"
    return RecalibrationEffect(
        method,
        {measure.name: measure.estimate(table, level=level) for measure in measures},
        {measure.name: measure.estimate(after, level=level) for measure in measures},
        {measure.name: _effect_change(measure, parts, level) for measure in measures if measure.is_mean_loss},
        parts[0].fitted.effect_on_roc(parts[0].table) if len(parts) == 1 else several,
        fitted_to,
        of_the_middle(table),
    )


def _effect_change(measure: Measure, parts: Sequence[_HeldOut], level: float) -> Estimate:
    """How much lower a mean loss is after, with an interval from how much it moved case by case."""
    evidence, of_negatives, of_positives = _loss_influence(measure, parts)
    value = float(evidence.negative @ of_negatives + evidence.positive @ of_positives) / float(evidence.total)
    influence = of_negatives - value, of_positives - value
    name, n = f"{measure.name}_change", float(evidence.total)
    if evidence.rows is None:
        method, error, count = "paired", standard_error(evidence, *influence), min(evidence.kish)
        freedom = count - 1
    else:
        negative, positive = evidence.rows.sums(*influence)
        found = between_rows(negative + positive, class_sizes(evidence))
        method, error, count, freedom = "paired, cluster-robust", found.error, found.clusters, found.freedom
    reason = _no_interval_reason(measure, parts, count, error)
    if reason is not None:
        return Estimate(name, value, math.nan, math.nan, level, method, n, undefined=reason)
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    return Estimate(name, value, value - half, value + half, level, method, n)


def _no_interval_reason(measure: Measure, parts: Sequence[_HeldOut], count: float, error: float) -> str | None:
    """Why a change has no interval, if so."""
    certain = sum(_certain_cases(part.table) + _certain_cases(part.fitted.apply(part.table)) for part in parts)
    if measure is log_loss and certain:
        return (
            f"{counted(certain, 'case')} with a probability of 0 or 1, before or after: one that is "
            "misclassified makes log loss infinite"
        )
    if count < FEWEST:
        return f"{counted(round(count), 'case')} in a class: at least {FEWEST} needed"
    return None if error > 0 else NOTHING_CHANGES


def _certain_cases(table: ScoreTable) -> float:
    """Cases given probability 0 or 1."""
    return float((table.negative + table.positive)[(table.score <= 0) | (table.score >= 1)].sum())


def _loss_influence(measure: Measure, parts: Sequence[_HeldOut]) -> tuple[ScoreTable, Floats, Floats]:
    """All parts end to end, and how much the loss of a negative and of a positive moves at each of their scores."""
    of_negatives, of_positives = [], []
    for fitted, table in parts:
        before, after = (_losses_by_class(measure, score) for score in (table.score, fitted(table.score)))
        of_negatives.append(after[0] - before[0])
        of_positives.append(after[1] - before[1])
    joined = parts[0].table
    if len(parts) > 1:
        sides = [np.concatenate(side) for side in zip(*((t.negative, t.positive) for _, t in parts), strict=True)]
        joined = ScoreTable(np.arange(len(sides[0]), dtype=np.float64), sides[0], sides[1], joined.classes)
    return joined, np.concatenate(of_negatives), np.concatenate(of_positives)


def _losses_by_class(measure: Measure, score: Floats) -> tuple[Floats, Floats]:
    """The loss of a negative and of a positive with each score: a mean loss keeps their distances from the mean."""
    assert measure.parts is not None
    any_cases = ScoreTable(score, np.ones(len(score)), np.ones(len(score)))
    mean = float(measure(any_cases))
    of_negatives, of_positives = measure.parts(any_cases)
    return of_negatives + mean, of_positives + mean


# How far apart the logarithms of two temperatures may lie.
TEMPERATURES = (-5.0, 5.0)
ROC = "each class's ROC curve against the rest may change: a class's probability depends on all the others"


@dataclass(frozen=True, eq=False)
class ClassRecalibration:
    """A function from rows of probabilities to rows of probabilities, fitted to some cases and meant for others.

    `parts` are the curves of the classes, each fitted to that class against the rest; the row is then scaled to sum to
    1. A temperature has none: it draws all classes together by one number, and never changes which is the likeliest.
    """

    method: str
    classes: tuple[str, ...]
    n: float
    parts: tuple[Recalibration, ...] = ()
    temperature: float | None = None

    _repr_html_ = in_notebook

    def __call__(self, probabilities: Any) -> Floats:
        """The repaired probabilities, a column a class."""
        given = np.asarray(probabilities, dtype=np.float64)
        if self.temperature is not None:
            return np.asarray(np.exp(log_softmax(np.log(np.clip(given, CLIP, 1.0)) / self.temperature, axis=1)))
        each = np.column_stack([part(given[:, k]) for k, part in enumerate(self.parts)])
        total = each.sum(axis=1, keepdims=True)
        # Where every class was brought down to 0 nothing is known.
        return np.where(total > 0, each / np.where(total > 0, total, 1.0), 1 / each.shape[1])

    def apply(self, scores: ClassScores) -> ClassScores:
        """The evidence as it would be with the recalibrated probabilities."""
        return ClassScores(
            self(scores.probability), scores.truth, scores.classes, scores.weight, scores.count, scores.cluster
        )


def fit_many(scores: ClassScores, method: str) -> ClassRecalibration:
    """A recalibration of many classes; "temperature" is one number for all, other methods one curve a class.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], 3000)
    >>> truth = (p.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    >>> sharp = p**2 / (p**2).sum(axis=1, keepdims=True)
    >>> round(fit_many(ClassScores.of(sharp, truth, "abc"), "temperature").temperature, 1)
    2.1

    References: Zadrozny & Elkan (2002); Guo et al. (2017).
    """
    checked_choice(method, RECALIBRATIONS, "method")
    _refuse_no_probabilities(scores)
    n = float(scores.total)
    if method == "temperature":
        return ClassRecalibration(method, scores.classes, n, temperature=_fitted_temperature(scores))
    parts = tuple(RECALIBRATIONS[method](scores.against_rest(k)) for k in range(len(scores.classes)))
    for name, part in zip(scores.classes, parts, strict=True):
        if part.undefined:
            raise OptionError(
                f"nothing was fitted to class {name!r}: {part.undefined}",
                "'isotonic' or 'venn_abers', which always fit",
            )
    return ClassRecalibration(method, scores.classes, n, parts)


def _refuse_no_probabilities(scores: ClassScores) -> None:
    if not scores.are_probabilities:
        raise OptionError("these scores of classes are no probabilities", "rows of numbers from 0 to 1 that sum to 1")


def _fitted_temperature(scores: ClassScores) -> float:
    logs = np.log(np.clip(scores.probability, CLIP, 1.0))
    own = np.arange(len(scores)), scores.truth

    def loss(log_temperature: float) -> float:
        return -float(scores.each @ log_softmax(logs / math.exp(log_temperature), axis=1)[own])

    return math.exp(minimize_scalar(loss, bounds=TEMPERATURES, method="bounded", options={"xatol": 1e-8}).x)


def effect_on_many(fitted: ClassRecalibration, scores: ClassScores, *, level: float = 0.95) -> RecalibrationEffect:
    """What a recalibration does to cases of many classes that it was not fitted to.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], 900)
    >>> truth = (p.cumsum(axis=1) < rng.random((900, 1))).sum(axis=1)
    >>> sharp = ClassScores.of(p**3 / (p**3).sum(axis=1, keepdims=True), truth, "abc")
    >>> fit_on, try_on = (ClassScores.of(sharp.probability[k::2], truth[k::2], "abc") for k in (0, 1))
    >>> effect_on_many(fit_many(fit_on, "venn_abers"), try_on).change["brier"]
    -0.081 [-0.113, -0.049]
    """
    level = checked_level(level)
    where = f"fitted to {counted(fitted.n, 'other case')}"
    return _class_recalibration_effect(fitted.method, scores, fitted.apply(scores), level, where)


def cross_fitted_of_many(
    scores: ClassScores, method: str, *, folds: int = 5, level: float = 0.95, seed: int = 0
) -> RecalibrationEffect:
    """The same, each fold's cases mapped by what was fitted to the other folds."""
    level = checked_level(level)
    checked_whole(folds, "folds", 2)
    rng = np.random.default_rng(checked_seed(seed))
    if scores.weight is not None or scores.count is not None or scores.cluster is not None:
        raise OptionError("these cases have weights, counts or clusters", "whole, independent cases to deal out")
    fold = _stratified_folds(scores, folds, rng)
    after = np.empty_like(scores.probability)
    for each in range(folds):
        out = fold == each
        fit_on = ClassScores(scores.probability[~out], scores.truth[~out], scores.classes)
        after[out] = fit_many(fit_on, method)(scores.probability[out])
    moved = ClassScores(after, scores.truth, scores.classes)
    return _class_recalibration_effect(method, scores, moved, level, f"cross-fitted over {folds} folds")


def _stratified_folds(scores: ClassScores, folds: int, rng: np.random.Generator) -> Floats:
    """The fold of each case, every class dealt out evenly."""
    fold = np.empty(len(scores))
    for k in range(len(scores.classes)):
        own = np.flatnonzero(scores.truth == k)
        fold[own] = rng.permutation(len(own)) % folds
    return fold


def _class_recalibration_effect(
    method: str, before: ClassScores, after: ClassScores, level: float, fitted_to: str
) -> RecalibrationEffect:
    measures = [measure for measure in registry_of_many.values() if measure.is_mean_loss]
    return RecalibrationEffect(
        method,
        {measure.name: measure.estimate(before, level=level) for measure in measures},
        {measure.name: measure.estimate(after, level=level) for measure in measures},
        {measure.name: _loss_change(measure, before, after, level) for measure in measures},
        "the likeliest class stays the likeliest" if method == "temperature" else ROC,
        fitted_to,
    )


def _loss_change(measure: Measure, before: ClassScores, after: ClassScores, level: float) -> Estimate:
    """How much lower a mean loss is after, with an interval from how much it moved case by case."""
    assert measure.influence is not None
    name, n = f"{measure.name}_change", float(before.total)
    with np.errstate(invalid="ignore"):
        value = float(measure(after)) - float(measure(before))
        moves = np.asarray(measure.influence(after)) - np.asarray(measure.influence(before))
    reason = _no_class_interval_reason(measure, before, after, moves)
    if reason is not None:
        return Estimate(name, value, math.nan, math.nan, level, "paired", n, undefined=reason)
    error = math.sqrt(float(before.squared @ moves**2)) / n
    half = float(stdtrit(min(before.kish[before.sizes > 0]) - 1, 0.5 + level / 2)) * error
    return Estimate(name, value, value - half, value + half, level, "paired", n)


def _no_class_interval_reason(measure: Measure, scores: ClassScores, after: ClassScores, moves: Floats) -> str | None:
    """Why a change has no interval, if so."""
    fewest = float(min(scores.kish[scores.sizes > 0]))
    if scores.cluster is not None:
        return "these cases come in clusters, for which no interval of a change of many classes was tried"
    ruled_out = int(((scores.probability == 0) | (after.probability == 0)).any(axis=1).sum())
    if math.isinf(measure.bounds[1]) and ruled_out:
        cases = counted(ruled_out, "case")
        return (
            f"{cases} with a class of probability 0, before or after: one such case of that class makes "
            f"{measure.title} infinite"
        )
    if fewest < FEWEST:
        return f"{counted(round(fewest), 'case')} in a class: at least {FEWEST} needed"
    return None if moves.any() else NOTHING_CHANGES
