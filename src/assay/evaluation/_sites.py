"""Several sites: each by itself first, then what they have in common and how far they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from assay.cautions import Cautions, check
from assay.comparison import pooled, small_sites_test
from assay.errors import OptionError
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._forest import SitesForest
from assay.evaluation._reduce import Evidence
from assay.evaluation._several import Evaluations
from assay.evaluation._site_facts import facts_of
from assay.evaluation._site_values import SiteValue, pooling_scale, site_value
from assay.evaluation._sites_summary import SitesSummary
from assay.evaluation._unpaired import UnpairedComparison
from assay.measures import Measure
from assay.renderers import in_notebook, render
from assay.request import DEFAULT_LEVEL, checked_level
from assay.results import Table, TestResult
from assay.text import bounds_words

__all__ = ["Sites", "pool"]

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
        raise OptionError(f"{measure.title} is known of one site alone, {only!r}{why}", "two sites at least")

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
        return _checked(Sites(*_of_parts(sites, threshold, level)))
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
        return _checked(Sites(Evaluations(sites.subgroups), asked, sites.by))
    if not isinstance(sites, Mapping) or not all(isinstance(ev, Evaluation) for ev in sites.values()):
        raise OptionError(
            f"sites are {type(sites).__name__}",
            "a mapping from their names to evaluations, one evaluation made with by=, or merged evidence",
        )
    if not sites:
        raise OptionError("there is no site", "two at least, by name")
    first = next(iter(sites.values()))
    return _checked(Sites(Evaluations(sites), first.level if level is None else checked_level(level)))


def _of_parts(evidence: Evidence, threshold: float | None, level: float | None) -> tuple[Evaluations, float]:
    """The evaluation of every part of evidence, where it is of one model."""
    asked = DEFAULT_LEVEL if level is None else checked_level(level)
    found = evidence.by_part(threshold=threshold, level=asked)
    several = next((name for name, models in found.items() if len(models) > 1), None)
    if several is not None:
        names = ", ".join(map(repr, found[several]))
        raise OptionError(f"the evidence holds several models ({names})", "that of one: sites are of one classifier")
    return Evaluations({name: next(iter(models.values())) for name, models in found.items()}), asked


def _checked(sites: Sites) -> Sites:
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
