"""The summary of several sites as users hold it: on the measure's own scale, with everything needed to read it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.comparison import LIMITS, METHODS, Pooled
from assay.measures import Measure
from assay.renderers import in_notebook
from assay.results import Estimate, Interval, Table, TestResult, percent
from assay.text import bracketed, number, p_words, shortened, value_words
from assay.uncertainty import Scale

__all__ = ["SitesSummary"]

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
        low, high = self._back(self.on_scale.low, self.on_scale.high)
        value = self._kept(self.scale.backward(self.on_scale.estimate))
        return Estimate(self.measure.name, value, low, high, self.level, self.method, self.cases, TARGET)

    @property
    def prediction(self) -> Interval:
        """Where the true value of a new site may lie."""
        found, pooled = self.on_scale.predicted, self.on_scale
        how = f"{PREDICTED[pooled.prediction]}, {self.scale.name}"
        if found is None:
            return Interval.missing(how, ALL_ALIKE if pooled.method == "fixed" else NO_PREDICTION)
        return Interval(*self._back(*found), how)

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
            f"Of the spread between sites {percent(self.i2)} is no sampling error (I2{limits}); "
            f"tau2 = {number(self.tau2)}; Cochran's Q = {number(q.statistic)}, {_p_said(q.p_value)}."
        )
        # Where sites differ much, the mean says little about the next one.
        first = [ahead, mean] if self.differs_much else [mean, ahead]
        left = [f"Left out: {names} ({why})." for why, names in _by_reason(self.left_out)]
        moved = [f"For want of an error of its own, {why}: {names}." for why, names in _by_reason(self.remarks)]
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
                "low": _plain(predicted.low),
                "high": _plain(predicted.high),
                "method": predicted.method,
                "undefined": predicted.undefined,
            },
            "on_scale": {"estimate": pooled.estimate, "se": pooled.se, "low": pooled.low, "high": pooled.high},
            "tau2": _with_limits(pooled.tau2, pooled.tau2_limits),
            "i2": _with_limits(pooled.i2, pooled.i2_limits),
            "h2": _with_limits(pooled.h2, pooled.h2_limits),
            "q": q.to_dict(),
            "weights": self.weights,
            "left_out": dict(self.left_out),
        }

    def _back(self, *limits: float) -> tuple[float, float]:
        """Limits on the measure's own scale, lower first whichever way the scale runs, inside the measure's range."""
        low, high = sorted(self._kept(self.scale.backward(limit)) for limit in limits)
        return low, high

    def _kept(self, value: float) -> float:
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


def _by_reason(said: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each reason once, with the sites it is about.

    >>> _by_reason({"a": "no case", "b": "no error", "c": "no case"})
    [('no case', 'a, c'), ('no error', 'b')]
    """
    reasons = {why: [name for name, other in said.items() if other == why] for why in said.values()}
    shown = {why: ", ".join(shortened(name) for name in names[:MOST_NAMED]) for why, names in reasons.items()}
    more = {why: len(names) - MOST_NAMED for why, names in reasons.items()}
    return [(why, f"{names} and {more[why]:,} more" if more[why] > 0 else names) for why, names in shown.items()]


def _p_said(p_value: float) -> str:
    said = p_words(p_value)
    return f"p {said}" if said.startswith("<") else f"p = {said}"


def _plain(limit: float) -> float | str | None:
    """A limit as a record holds it: nan as None, infinity by its name."""
    if math.isnan(limit):
        return None
    return limit if math.isfinite(limit) else "Infinity" if limit > 0 else "-Infinity"


def _with_limits(value: float, limits: tuple[float, float]) -> dict[str, float]:
    return {"value": value, "low": limits[0], "high": limits[1]}
