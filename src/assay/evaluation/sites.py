"""Several sites: each by itself first, then what they have in common and how far they differ.

What cautions look at in several sites: their classes, their weights, how far they differ.

What one site adds to a summary of several: its value and standard error on the scale that sites are pooled on.

The summary of several sites as users hold it: on the measure's own scale, with everything needed to read it.

The forest plot: every site with its interval, the mean of all below them, and what a new site may show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from scipy.special import chdtrc

from assay.cautions import Cautions, SitesFacts, check
from assay.comparison import LIMITS, METHODS, Pooled, pooled, small_sites_test
from assay.errors import OptionError, UnknownName
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.evaluations import Evaluations
from assay.evaluation.reduction import Evidence
from assay.evaluation.unpaired_comparison import UnpairedComparison
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.renderers import in_notebook, plot, render, svg
from assay.request import DEFAULT_LEVEL, checked_level
from assay.results import Estimate, Interval, Table, TestResult, percent
from assay.text import bounds_words, bracketed, number, p_words, shortened, value_words
from assay.uncertainty import IDENTITY, Scale, scale_of, with_ends

__all__ = [
    "SiteValue",
    "Sites",
    "SitesForest",
    "SitesSummary",
    "facts_of",
    "pool",
    "pooling_scale",
    "site_value",
    "value_of_evidence",
]


# Added to every cell of a matrix, or cases of each class at either end of the scores, where a site shows no error.
HALF_A_CASE, A_CASE = 0.5, 1.0
MOVED = "half a case was added to each of its cells"
MOVED_SCORES = "a case of each class was added at either end of its scores"
NO_ERROR = "has no standard error"
OF_FOLDS = "models of several folds made these predictions, and no standard error of theirs is known"


@dataclass(frozen=True)
class SiteValue:
    """A site's value and variance on the pooling scale; `remark` says what was added to get them.

    `undefined` says why the site has none, and then is left out of every summary.
    """

    value: float
    variance: float
    remark: str = ""
    undefined: str | None = None


def pooling_scale(measure: Measure) -> Scale:
    """The scale on which a measure's values are averaged over sites: logit for shares and areas, z for correlations.

    >>> from assay.measures import find
    >>> pooling_scale(find("roc_auc")).name, pooling_scale(find("mcc")).name, pooling_scale(find("log_loss")).name
    ('logit', 'z', 'log')
    """
    low, high = measure.bounds
    is_known = (low, high) in ((0.0, math.inf), (-math.inf, 1.0)) or math.isfinite(high - low)
    return scale_of(measure.bounds) if is_known else IDENTITY


def site_value(ev: Evaluation, measure: Measure) -> SiteValue:
    """What an evaluation of one site adds; one whose value has no end in reach and no error gets a case or two more."""
    shown = ev.estimate(measure)
    if math.isnan(shown.value):
        return SiteValue(math.nan, math.nan, undefined=shown.undefined)
    found = on_scale(shown if ev.fold_count is not None else _estimate_with_error(ev, measure), measure)
    if found is not None:
        return found
    moved = None if ev.fold_count is not None else value_of_evidence(measure, ev.evidence_for(measure))
    if moved is not None:
        return moved
    why = OF_FOLDS if ev.fold_count is not None else f"{measure.title} {NO_ERROR} here"
    return SiteValue(math.nan, math.nan, undefined=why)


def value_of_evidence(measure: Measure, evidence: Any) -> SiteValue | None:
    """The same of plain evidence: with cases added only where it has no error without; None where neither has one."""
    found = on_scale(measure.estimate(evidence, method="normal"), measure)
    if found is not None:
        return found
    if isinstance(evidence, ConfusionMatrix) and evidence.clusters is None:
        more: Any = replace(evidence, counts=evidence.counts + HALF_A_CASE)
        moved = on_scale(measure.estimate(more, method="normal"), measure)
        return None if moved is None else replace(moved, remark=MOVED)
    if isinstance(evidence, ScoreTable) and evidence.rows is None and min(evidence.negatives, evidence.positives) > 0:
        moved = on_scale(measure.estimate(with_ends(evidence, A_CASE), method="normal"), measure)
        return None if moved is None else replace(moved, remark=MOVED_SCORES)
    return None


def _estimate_with_error(ev: Evaluation, measure: Measure) -> Estimate:
    """The estimate with its plain standard error: DeLong's of an AUC, the usual one of a share, ..."""
    try:
        return ev.estimate(measure, method="normal")
    except UnknownName:
        raise OptionError(
            f"{measure.title} {NO_ERROR}, so that sites cannot be weighed by it",
            "a measure that has one",
            about="measure",
        ) from None


def on_scale(estimate: Estimate, measure: Measure) -> SiteValue | None:
    """The delta method: an estimate and its error where the measure's range has no end; None where it has neither."""
    if estimate.se is None or not estimate.se > 0 or estimate.value in measure.bounds:
        return None
    scale = pooling_scale(measure)
    value, error = scale.forward(estimate.value), estimate.se * scale.slope(estimate.value)
    is_usable = math.isfinite(value) and math.isfinite(error) and error > 0
    return SiteValue(value, error * error) if is_usable else None


TARGET = "the mean of sites like these"
PREDICTED = {"q-profile": "prediction, Q-profile average", "k-2": "prediction, t of k - 2", "as-limits": "prediction"}
NO_PREDICTION = "t of k - 2 has no freedom with two sites; needed: three at least, or prediction='q-profile'"
ALL_ALIKE = "a fixed effect takes all sites for the same, so that a new one shows what the mean shows"


@dataclass(frozen=True, eq=False, repr=False)
class SitesSummary:
    """What sites have in common and how far they differ, of one measure.

    `estimate` is the mean of the sites' true values (on the scale named, so that of a share or an area it is that of a
    typical site), `prediction` where the true value of a new site may lie; `on_scale` holds the same on that scale.
    """

    measure: Measure
    scale: Scale
    on_scale: Pooled
    sites: tuple[str, ...]
    cases: int
    left_out: Mapping[str, str]
    remarks: Mapping[str, str]

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    @property
    def level(self) -> float:
        """The level of all limits."""
        return self.on_scale.level

    @property
    def method(self) -> str:
        """How it was made: the variance between sites, the limits, the scale."""
        made = METHODS[self.on_scale.method], LIMITS[self.on_scale.limits], self.scale.name
        return ", ".join(made)

    @property
    def estimate(self) -> Estimate:
        """The mean of the sites with its limits."""
        low, high = self._limits_on_measure_scale(self.on_scale.low, self.on_scale.high)
        value = self._clipped_to_range(self.scale.backward(self.on_scale.estimate))
        return Estimate(self.measure.name, value, low, high, self.level, self.method, self.cases, TARGET)

    @property
    def prediction(self) -> Interval:
        """Where the true value of a new site may lie."""
        found, pooled = self.on_scale.predicted, self.on_scale
        how = f"{PREDICTED[pooled.prediction]}, {self.scale.name}"
        if found is None:
            return Interval.missing(how, ALL_ALIKE if pooled.method == "fixed" else NO_PREDICTION)
        return Interval(*self._limits_on_measure_scale(*found), how)

    @property
    def weights(self) -> dict[str, float]:
        """The share that each site has in the mean."""
        return dict(zip(self.sites, self.on_scale.weights.tolist(), strict=True))

    @property
    def tau2(self) -> float:
        """The variance between sites, on the scale they are pooled on."""
        return self.on_scale.tau2

    @property
    def i2(self) -> float:
        """The share of the spread of the sites' values that is no sampling error."""
        return self.on_scale.i2

    @property
    def q(self) -> TestResult:
        """Cochran's test of whether sites differ at all."""
        fixed = self.on_scale.fixed
        return TestResult(
            "Cochran's Q",
            "all sites have one true value",
            fixed.q,
            fixed.p_value,
            f"chi-square, {fixed.freedom} degree{'' if fixed.freedom == 1 else 's'} of freedom",
        )

    def test(self, null: float) -> TestResult:
        """Whether the mean is a given value: p is below 1 - level just where the interval leaves that out."""
        pooled, at = self.on_scale, self.scale.forward(null)
        said = f"the mean {self.measure.title} of sites is {number(null)}"
        return TestResult("mean of sites", said, pooled.statistic(at), pooled.p_value(at), self.method)

    def without(self, site: str) -> SitesSummary:
        """The same of all sites but one."""
        kept = tuple(name for name in self.sites if name != site)
        rest = self.on_scale.without(self.sites.index(site))
        return SitesSummary(self.measure, self.scale, rest, kept, self.cases, self.left_out, self.remarks)

    @property
    def sentences(self) -> list[str]:
        """What was found, in words: the mean, a new site, how far sites differ, who is left out."""
        found, predicted, q = self.estimate, self.prediction, self.q
        ahead = (
            f"A new site's true value is expected {between(predicted)}."
            if predicted.undefined is None
            else f"No prediction for a new site: {predicted.undefined}."
        )
        shown = f"{value_words(found)} {bracketed(found)} ({found.method})"
        mean = f"{self.measure.title} over {len(self.sites)} sites: {shown}."
        low, high = self.on_scale.i2_limits
        # Limits of no width would look like certainty: Q is too small for any variance between sites, 0 included.
        limits = f", {percent(low)} to {percent(high)}" if high > 0 else "; no limits: closer than chance expects"
        differ = (
            f"{percent(self.i2)} of the variance between sites is not sampling error (I2{limits}); "
            f"tau2 = {number(self.tau2)}; Cochran's Q = {number(q.statistic)}, {_p_value_words(q.p_value)}."
        )
        # Where sites differ much, the mean says little about the next one.
        first = [ahead, mean] if self.differs_much else [mean, ahead]
        left = [f"Left out: {names} ({why})." for why, names in _sites_by_reason(self.left_out)]
        moved = [
            f"No standard error from the site itself ({why}): {names}." for why, names in _sites_by_reason(self.remarks)
        ]
        return [*first, differ, *left, *moved]

    @property
    def differs_much(self) -> bool:
        """Whether at least half of the spread of the sites is no sampling error."""
        return self.i2 >= MUCH

    def table(self) -> Table:
        """Every figure of the summary with its limits."""
        nan, pooled, predicted = math.nan, self.on_scale, self.prediction
        mean, q = self.estimate, self.q
        rows: list[tuple[str, float, float, float]] = [
            ("mean of sites", mean.value, mean.low, mean.high),
            ("a new site", nan, predicted.low, predicted.high),
            (f"mean of sites, {self.scale.name} scale", pooled.estimate, pooled.low, pooled.high),
            (f"its standard error, {self.scale.name} scale", pooled.se, nan, nan),
            ("tau2", pooled.tau2, *pooled.tau2_limits),
            ("tau", math.sqrt(pooled.tau2), math.sqrt(pooled.tau2_limits[0]), math.sqrt(pooled.tau2_limits[1])),
            ("I2", pooled.i2, *pooled.i2_limits),
            ("H2", pooled.h2, *pooled.h2_limits),
            ("Cochran's Q", q.statistic, nan, nan),
            ("p of Q", q.p_value, nan, nan),
        ]
        names, values, lows, highs = zip(*rows, strict=True)
        columns = {"quantity": list(names), "value": list(values), "low": list(lows), "high": list(highs)}
        return Table(columns, title=f"{self.measure.title} over {len(self.sites)} sites")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, nan as None."""
        pooled, predicted, q = self.on_scale, self.prediction, self.q
        return {
            "measure": self.measure.name,
            "sites": list(self.sites),
            "method": pooled.method,
            "limits": pooled.limits,
            "scale": self.scale.name,
            "estimate": self.estimate.to_dict(),
            "prediction": {
                "low": _plain_limit(predicted.low),
                "high": _plain_limit(predicted.high),
                "method": predicted.method,
                "undefined": predicted.undefined,
            },
            "on_scale": {"estimate": pooled.estimate, "se": pooled.se, "low": pooled.low, "high": pooled.high},
            "tau2": _value_and_limits(pooled.tau2, pooled.tau2_limits),
            "i2": _value_and_limits(pooled.i2, pooled.i2_limits),
            "h2": _value_and_limits(pooled.h2, pooled.h2_limits),
            "q": q.to_dict(),
            "weights": self.weights,
            "left_out": dict(self.left_out),
        }

    def _limits_on_measure_scale(self, *limits: float) -> tuple[float, float]:
        """Limits on the measure's own scale, lower first whichever way the scale runs, inside the measure's range."""
        low, high = sorted(self._clipped_to_range(self.scale.backward(limit)) for limit in limits)
        return low, high

    def _clipped_to_range(self, value: float) -> float:
        low, high = self.measure.bounds
        return min(max(value, low), high)


# From this share of the spread on, sites differ more than samples of them do; and sites that a sentence names.
MUCH = 0.5
MOST_NAMED = 6


def between(found: Interval) -> str:
    """Both limits in words.

    >>> between(Interval(0.71234, 0.85, "prediction"))
    'between 0.712 and 0.850'
    """
    return f"between {number(found.low)} and {number(found.high)}"


def _sites_by_reason(said: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each reason once, with the sites it is about.

    >>> _sites_by_reason({"a": "no case", "b": "no error", "c": "no case"})
    [('no case', 'a, c'), ('no error', 'b')]
    """
    reasons = {why: [name for name, other in said.items() if other == why] for why in said.values()}
    shown = {why: ", ".join(shortened(name) for name in names[:MOST_NAMED]) for why, names in reasons.items()}
    more = {why: len(names) - MOST_NAMED for why, names in reasons.items()}
    return [(why, f"{names} and {more[why]:,} more" if more[why] > 0 else names) for why, names in shown.items()]


def _p_value_words(p_value: float) -> str:
    said = p_words(p_value)
    return f"p {said}" if said.startswith("<") else f"p = {said}"


def _plain_limit(limit: float) -> float | str | None:
    """A limit as a record holds it: nan as None, infinity by its name."""
    if math.isnan(limit):
        return None
    return limit if math.isfinite(limit) else "Infinity" if limit > 0 else "-Infinity"


def _value_and_limits(value: float, limits: tuple[float, float]) -> dict[str, float]:
    return {"value": value, "low": limits[0], "high": limits[1]}


# Shares of a class differ where chance would show so much in at most this share of samples, and they are so far apart.
BEYOND_CHANCE, TIMES = 0.01, 1.5
# What one over a variance on the scale counts, where the scale is another than the logit of a share.
CASES_WORTH = {"logit": 1.0, "z": 0.25}


def facts_of(sites: Mapping[str, Evaluation], summary: SitesSummary) -> SitesFacts:
    """The facts of some sites and of what was made of them."""
    counts = {name: ev.class_counts for name, ev in sites.items()}
    lacking = {name: tuple(c for c, size in each.items() if size == 0) for name, each in counts.items()}
    lacking = {name: classes for name, classes in lacking.items() if classes}
    predicted, pooled = summary.prediction, summary.on_scale
    worth = CASES_WORTH.get(summary.scale.name, math.inf)
    return SitesFacts(
        sites=len(summary.sites),
        measure=summary.measure.title,
        shares=_most_different_share(counts),
        moves_with_shares=not summary.measure.of_each_class,
        lacking=lacking,
        left_out={name: why for name, why in summary.left_out.items() if name not in lacking},
        heaviest=max(summary.weights.items(), key=lambda item: item[1]),
        i2=summary.i2,
        new_site=None if predicted.undefined else (predicted.low, predicted.high),
        told_by_median=worth / float(np.median(pooled.variances)),
    )


def _most_different_share(counts: Mapping[str, Mapping[str, int]]) -> tuple[str, str, float, str, float] | None:
    """The class whose share differs most between sites, if the classes do so beyond chance."""
    table = np.array([list(each.values()) for each in counts.values()], dtype=np.float64)
    here, there = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    names, classes = (
        [name for name, size in zip(counts, here[:, 0], strict=True) if size > 0],
        list(next(iter(counts.values()))),
    )
    table, here = table[here[:, 0] > 0], here[here > 0][:, None]
    expected = here * there / table.sum()
    present = expected > 0
    statistic = float((np.square(table - expected)[present] / expected[present]).sum())
    freedom = (len(names) - 1) * (int((there > 0).sum()) - 1)
    if freedom < 1 or chdtrc(freedom, statistic) >= BEYOND_CHANCE:
        return None
    shares = table / here
    low, high = shares.min(axis=0), shares.max(axis=0)
    # A class that a site has not is another matter than one that is rarer there.
    apart = np.where(low > 0, high / np.where(low > 0, low, 1.0), 0.0)
    most = int(np.argmax(apart))
    if apart[most] < TIMES:
        return None
    where = names[int(np.argmin(shares[:, most]))], names[int(np.argmax(shares[:, most]))]
    return classes[most], where[0], float(low[most]), where[1], float(high[most])


# Sites drawn; a table has all.
MOST_DRAWN = 60
# What stands beside the rows below the sites.
MEAN, NEW = "Mean of sites", "A new site"


@dataclass(frozen=True, repr=False, eq=False)
class SitesForest:
    """The forest plot of a measure over sites, as data: dots the larger the more a site weighs, a diamond for the mean.

    Sites without an interval of their own have no line; those left out of the mean have no dot.
    """

    summary: SitesSummary
    estimates: Mapping[str, Estimate]
    cases: Mapping[str, int]

    _repr_html_ = in_notebook
    plot = plot
    svg = svg

    def __repr__(self) -> str:
        return f"<forest plot of {self.summary.measure.title} over {len(self.estimates)} sites>"

    def table(self) -> Table:
        """The numbers of the plot: sites, their mean, a new site."""
        found, weights = self.summary, self.summary.weights
        mean, new = found.estimate, found.prediction
        return Table(
            {
                "site": [*self.estimates, MEAN, NEW],
                "cases": [*self.cases.values(), found.cases, None],
                "estimate": [*(one.value for one in self.estimates.values()), mean.value, None],
                "low": [*(one.low for one in self.estimates.values()), mean.low, new.low],
                "high": [*(one.high for one in self.estimates.values()), mean.high, new.high],
                "weight": [*(weights.get(name) for name in self.estimates), None, None],
            },
            title=f"{found.measure.title} over sites",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, nan as None."""
        return {"measure": self.summary.measure.name, **self.table().to_dict()}

    @property
    def shown(self) -> dict[str, Estimate]:
        """The sites that are drawn: of very many the first."""
        return dict(list(self.estimates.items())[:MOST_DRAWN])

    def figure(self) -> Any:
        """The plot as data for the drawing (`assay.plots.Figure`)."""
        return render("figure", self)


SCHEMA = "assay.sites/1"
# More classes than this have no column each.
MOST_CLASSES = 4
ASSUMES = (
    "Assumes that no case, and no cluster of cases, is in two sites, and that these sites are like a random sample of "
    "the sites the mean is to speak for."
)


@dataclass(frozen=True, eq=False, repr=False)
class Sites:
    """One classifier at several sites: a table of the sites, and a summary over them of any measure with an error.

    >>> import assay
    >>> counts = {"north": (40, 10, 12, 88), "south": (61, 9, 30, 100), "west": (25, 15, 8, 72), "east": (33, 7, 9, 61)}
    >>> named = {name: dict(zip(("tp", "fn", "fp", "tn"), each)) for name, each in counts.items()}
    >>> sites = assay.pool({name: assay.from_counts(**cells) for name, cells in named.items()})
    >>> sites.summary("recall").estimate
    0.790 [0.590, 0.909]
    """

    evaluations: Evaluations
    level: float = 0.95
    # The column that parted the sites, where they came as one.
    by: str | None = None
    _values: dict[Measure, dict[str, SiteValue]] = field(default_factory=dict, init=False, compare=False)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(render("text", self))

    @cached_property
    def comparison(self) -> UnpairedComparison:
        """Every two sites compared by a measure: no case is in two of them.

        >>> import assay
        >>> counts = {"north": (154, 29, 25, 1202), "south": (131, 52, 31, 1150)}
        >>> named = {name: dict(zip(("tp", "fn", "fp", "tn"), each)) for name, each in counts.items()}
        >>> sites = assay.pool({name: assay.from_counts(**entries) for name, entries in named.items()})
        >>> sites.comparison.difference("recall", "north", "south")
        north - south: +0.126 [0.041, 0.210], p = 0.004 (score test (Miettinen-Nurminen))
        """
        return UnpairedComparison(self.evaluations, self.level)

    @property
    def names(self) -> tuple[str, ...]:
        """The sites, in order."""
        return self.comparison.names

    @property
    def default_measure(self) -> str:
        """The measure that is pooled where none is named: the ROC AUC, or the accuracy of labels."""
        return self.comparison.default_measure

    def find(self, measure: str | Measure | None) -> Measure:
        """The measure called so, which may be an alias or have parameters; without a name the usual one."""
        return self.comparison.find(self.default_measure if measure is None else measure)

    def table(self, measure: str | Measure | None = None) -> Table:
        """Each site by itself: its cases, how many of each class, and the measure with its own interval."""
        named = self.find(measure)
        found = {name: ev.estimate(named) for name, ev in self.evaluations.items()}
        in_cells = list(map(bounds_words, found.values()))
        return Table(
            {
                "site": list(self.names),
                "cases": [ev.n for ev in self.evaluations.values()],
                **self._support(),
                "estimate": [one.value for one in found.values()],
                "low": [one.low for one in found.values()],
                "high": [one.high for one in found.values()],
                **({"in cells": in_cells} if any(in_cells) else {}),
                "method": [one.method for one in found.values()],
                "undefined": [one.undefined or "" for one in found.values()],
            },
            title=f"{named.title} at each site",
        )

    def _support(self) -> dict[str, list[Any]]:
        """Cases of each class or, of many classes, the rarest one."""
        counts = [ev.class_counts for ev in self.evaluations.values()]
        if len(counts[0]) <= MOST_CLASSES:
            return {f"of {name}": [each[name] for each in counts] for name in counts[0]}
        rarest = [min(each, key=lambda name: each[name]) for each in counts]
        fewest = [each[name] for each, name in zip(counts, rarest, strict=True)]
        return {"rarest class": rarest, "of it": fewest}

    def summary(
        self,
        measure: str | Measure | None = None,
        *,
        method: str = "reml",
        limits: str | None = None,
        prediction: str = "q-profile",
        level: float | None = None,
    ) -> SitesSummary:
        """The mean of the sites with its limits, what a new site may show, and how far the sites differ.

        `method` finds the variance between sites: "reml", "dl" (DerSimonian-Laird), "pm" (Paule-Mandel), "ml", "he"
        (Hedges), "sj" (Sidik-Jonkman) or "fixed" (there is none). `limits` of the mean are "q-profile" (averaged over
        the variances between sites that Cochran's Q allows), "hartung-knapp", "hartung-knapp-floor" (never less than
        z's error) or "z"; `prediction`, what a new site may show, is made by "q-profile", with t of "k-2", or
        "as-limits".
        """
        named = self.find(measure)
        values = self.values(named)
        used = {name: one for name, one in values.items() if one.undefined is None}
        self._refuse_too_few(named, values, used)
        numbers = np.array([[one.value, one.variance] for one in used.values()])
        found = pooled(
            numbers[:, 0], numbers[:, 1], method=method, limits=limits, prediction=prediction,
            level=self.level if level is None else checked_level(level),
        )  # fmt: skip
        left_out = {name: one.undefined for name, one in values.items() if one.undefined is not None}
        remarks = {name: one.remark for name, one in used.items() if one.remark}
        cases = sum(self.evaluations[name].n for name in used)
        return SitesSummary(named, pooling_scale(named), found, tuple(used), cases, left_out, remarks)

    def values(self, measure: str | Measure | None = None) -> Mapping[str, SiteValue]:
        """Each site's value and variance on the scale that they are pooled on."""
        named = self.find(measure)
        if named not in self._values:
            self._values[named] = {name: site_value(ev, named) for name, ev in self.evaluations.items()}
        return self._values[named]

    def _refuse_too_few(self, measure: Measure, values: Mapping[str, SiteValue], used: Mapping[str, Any]) -> None:
        if len(used) >= 2:
            return
        why = next((f": {name}: {one.undefined}" for name, one in values.items() if one.undefined), "")
        if not used:
            raise OptionError(
                f"{measure.title} cannot be pooled, no site has a standard error of it{why}", "another measure"
            )
        only = next(iter(used))
        raise OptionError(f"{measure.title} is available for one site only, {only!r}{why}", "two sites at least")

    def forest(self, measure: str | Measure | None = None, **asked: Any) -> SitesForest:
        """The forest plot: every site with its interval, the mean of all, and what a new site may show."""
        found = self.summary(measure, **asked)
        shown = {name: ev.estimate(found.measure, level=found.level) for name, ev in self.evaluations.items()}
        return SitesForest(found, shown, {name: ev.n for name, ev in self.evaluations.items()})

    def leave_one_out(self, measure: str | Measure | None = None, **asked: Any) -> Table:
        """The summary without each site in turn: whether the mean hangs on one of them."""
        found = self.summary(measure, **asked)
        if len(found.sites) < 3:
            raise OptionError(
                "there are two sites, and without one of them nothing is left to average", "three at least"
            )
        rest = [found.without(name) for name in found.sites]
        means = [one.estimate for one in rest]
        return Table(
            {
                "without": list(found.sites),
                "estimate": [one.value for one in means],
                "low": [one.low for one in means],
                "high": [one.high for one in means],
                "tau2": [one.tau2 for one in rest],
                "i2": [one.i2 for one in rest],
                "q": [one.q.statistic for one in rest],
            },
            title=f"{found.measure.title} without each site in turn",
        )

    def small_sites(self, measure: str | Measure | None = None) -> TestResult:
        """Whether less exact sites show other values than exact ones: Egger's test."""
        found = self.summary(measure).on_scale
        return small_sites_test(found.values, found.variances)

    def cautions(self, measure: str | Measure | None = None, **asked: Any) -> Cautions:
        """What to be careful about before the mean of these sites is used."""
        return check(facts_of(self.evaluations, self.summary(measure, **asked)))

    @property
    def assumptions(self) -> str:
        """What a summary takes for granted."""
        return ASSUMES

    def report(self, path: str | PathLike[str], measure: str | Measure | None = None, **asked: Any) -> None:
        """Write a page anyone can open: the table of the sites, the forest plot, how far they differ."""
        render("page", self, path, measure, **asked)

    def to_dict(self, measure: str | Measure | None = None, **asked: Any) -> dict[str, Any]:
        """The record that `assay pool --format json` prints: every site first, then their summary."""
        found, values = self.summary(measure, **asked), self.values(measure)
        sites = {
            name: {
                "cases": ev.n,
                "classes": ev.class_counts,
                "estimate": ev.estimate(found.measure).to_dict(),
                "weight": found.weights.get(name),
                "left_out": values[name].undefined,
                "remark": values[name].remark or None,
            }
            for name, ev in self.evaluations.items()
        }
        said = [caution.to_dict() for caution in self.cautions(measure, **asked)]
        about = {"schema": SCHEMA, "by": self.by, "measure": found.measure.name, "level": found.level}
        return {**about, "sites": sites, "summary": found.to_dict(), "assumptions": ASSUMES, "cautions": said}

    @property
    def n(self) -> int:
        """All cases of all sites."""
        return self.comparison.n


def pool(
    sites: Mapping[str, Evaluation] | Evaluation | Evidence,
    *,
    threshold: float | None = None,
    level: float | None = None,
) -> Sites:
    """Evaluations of one classifier at several sites; or subgroups (`by=`) of one, or parts of evidence.

    `threshold` decides at every part of evidence; evaluations are decided already.

    >>> import assay
    >>> site = ["north", "south", "west"] * 40
    >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0, 1, 0] * 15, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1, 0.6, 0.3] * 15, by=site)
    >>> pool(ev).summary("roc_auc").i2
    0.0
    """
    if isinstance(sites, Evidence):
        return _checked_sites(Sites(*_evaluations_of_parts(sites, threshold, level)))
    if threshold is not None:
        raise OptionError("threshold is given beside evaluations", "evaluations made with it", about="threshold")
    if isinstance(sites, Evaluation):
        if not sites.subgroups:
            raise OptionError(
                "the evaluation has no subgroups to pool",
                "the column or the values that say which site",
                {"by": "site"},
            )
        asked = sites.level if level is None else checked_level(level)
        return _checked_sites(Sites(Evaluations(sites.subgroups), asked, sites.by))
    if not isinstance(sites, Mapping) or not all(isinstance(ev, Evaluation) for ev in sites.values()):
        raise OptionError(
            f"sites are {type(sites).__name__}",
            "a mapping from their names to evaluations, one evaluation made with by=, or merged evidence",
        )
    if not sites:
        raise OptionError("there is no site", "two at least, by name")
    first = next(iter(sites.values()))
    return _checked_sites(Sites(Evaluations(sites), first.level if level is None else checked_level(level)))


def _evaluations_of_parts(
    evidence: Evidence, threshold: float | None, level: float | None
) -> tuple[Evaluations, float]:
    """The evaluation of every part of evidence, where it is of one model."""
    asked = DEFAULT_LEVEL if level is None else checked_level(level)
    found = evidence.by_part(threshold=threshold, level=asked)
    several = next((name for name, models in found.items() if len(models) > 1), None)
    if several is not None:
        names = ", ".join(map(repr, found[several]))
        raise OptionError(f"the evidence holds several models ({names})", "that of one: sites are of one classifier")
    return Evaluations({name: next(iter(models.values())) for name, models in found.items()}), asked


def _checked_sites(sites: Sites) -> Sites:
    """The same, if its sites are of the same classes and there are two at least."""
    if len(sites.names) < 2:
        raise OptionError(
            f"there is one site ({sites.names[0]!r}), and one says nothing of how sites differ", "two sites at least"
        )
    first, *others = sites.evaluations.items()
    for name, ev in others:
        if ev.classes != first[1].classes:
            here, there = (", ".join(map(repr, each.classes)) for each in (first[1], ev))
            raise OptionError(
                f"site {first[0]!r} has the classes {here}, and site {name!r} has {there}",
                "the same classes in the same order, the positive one last",
            )
    return sites
