"""Repairing probabilities: curves fitted to other cases than those they are used on.

Every method is a function from a score table to a `Recalibration`, which maps scores to probabilities and says what it
does to the ROC curve. How much it helps must be seen on cases that it was not fitted to: `recalibration_effect` and
`cross_fitted_effect`, in effect.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import expit, logit

from assay.calibration.isotonic import isotonic_fit
from assay.calibration.smooth import KNOTS
from assay.calibration.venn_abers import placed, venn_abers_pair
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.request import checked_whole
from assay.results import counted
from assay.types import Floats
from assay.uncertainty.logistic import fit_logistic

# Probabilities nearer than this to 0 or 1 have no usable logarithm.
CLIP = 1e-12

# Where a curve is looked at that must not fall.
EVERY_LOGIT = np.linspace(-27.0, 27.0, 1081)

ONE_CLASS = "truth holds a single class, so there is nothing to fit"
ONE_SCORE = "every case has the same score, so no curve is decided"
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
            return "the ROC curve is turned round: higher scores become lower probabilities"
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
        return _not_fitted("tilt", table, ONE_SCORE)
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
    return _logistic("platt", table, {"intercept": np.ones(len(table)), "slope": table.score}, positive)


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
        fitted = _logistic("beta", table, columns)
        negative = [name for name in ("a", "b") if fitted.parameters.get(name, 0.0) < 0]
        if not negative:
            break
        del columns[min(negative, key=lambda name: fitted.parameters[name])]
    if fitted.undefined is None and fitted.parameters.get("a", 0.0) <= 0 and fitted.parameters.get("b", 0.0) <= 0:
        return _not_fitted("beta", table, REVERSED)
    return fitted


def fit_temperature(table: ScoreTable) -> Recalibration:
    """logit q = logit p / T: a T above 1 draws overconfident probabilities towards one half (Guo et al. 2017).

    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> fitted = fit_temperature(ScoreTable.of(expit(2 * logit(p)), rng.random(4000) < p))
    >>> round(fitted.parameters["temperature"], 1)
    2.1
    """
    fitted = _logistic("temperature", table, {"slope": logit(np.clip(table.score, CLIP, 1 - CLIP))})
    if fitted.undefined:
        return fitted
    slope = fitted.parameters["slope"]
    return (
        replace(fitted, parameters={"temperature": 1 / slope})
        if slope > 0
        else _not_fitted("temperature", table, REVERSED)
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
        knots = _quantiles_of(odds, table.negative + table.positive, places)
        if not (np.diff(knots) > 0).all():
            continue
        columns = {f"term{k}": column for k, column in enumerate(_spline_columns(odds, knots).T)}
        fitted = replace(_logistic("spline", table, columns), knots=(knots, np.zeros(0)))
        if fitted.undefined is None and (np.diff(fitted(expit(EVERY_LOGIT))) >= 0).all():
            return fitted
    return _not_fitted("spline", table, fitted.undefined or REVERSED)


def _quantiles_of(values: Floats, weight: Floats, places: tuple[float, ...]) -> Floats:
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


def _logistic(
    method: str, table: ScoreTable, columns: Mapping[str, Floats], positive: Floats | None = None
) -> Recalibration:
    """A logistic regression on named columns, as a recalibration."""
    if min(table.negatives, table.positives) == 0:
        return _not_fitted(method, table, ONE_CLASS)
    if len(table) == 1 and len(columns) > 1:
        return _not_fitted(method, table, ONE_SCORE)
    target = table.positive if positive is None else positive
    fit = fit_logistic(np.column_stack(list(columns.values())), table.negative + table.positive - target, target)
    if fit.undefined is not None:
        return _not_fitted(method, table, fit.undefined)
    parameters = dict(zip(columns, fit.coefficients.tolist(), strict=True))
    return Recalibration(method, parameters, float(table.total))


def _not_fitted(method: str, table: ScoreTable, reason: str) -> Recalibration:
    return Recalibration(method, {}, float(table.total), undefined=reason)


def _beta_curve(fitted: Recalibration, at: Floats) -> Floats:
    p, known = np.clip(at, CLIP, 1 - CLIP), fitted.parameters
    return np.asarray(expit(known.get("a", 0.0) * np.log(p) - known.get("b", 0.0) * np.log1p(-p) + known["c"]))


def _line(fitted: Recalibration, at: Floats) -> Floats:
    return fitted.parameters["intercept"] + fitted.parameters["slope"] * at


def _stepped(fitted: Recalibration, at: Floats) -> Floats:
    assert fitted.knots is not None
    return np.interp(at, *fitted.knots)


def _merged(fitted: Recalibration, at: Floats) -> Floats:
    assert fitted.knots is not None
    score, rate = fitted.knots
    return np.asarray(rate[placed(score, at)])


_CURVES: Mapping[str, Callable[[Recalibration, Floats], Any]] = MappingProxyType(
    {
        "spline": _spline_curve,
        "tilt": lambda fitted, at: np.clip(_line(fitted, at), 0.0, 1.0),
        "platt": lambda fitted, at: expit(_line(fitted, at)),
        "isotonic": _stepped,
        "beta": _beta_curve,
        "venn_abers": _merged,
        "temperature": lambda fitted, at: expit(logit(np.clip(at, CLIP, 1 - CLIP)) / fitted.parameters["temperature"]),
    }
)
