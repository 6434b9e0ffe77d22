"""Classifiers that were tested on cases of their own: two months, two sites, before and after a change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from assay.comparison import (
    FRESH_CASES,
    Difference,
    Verdict,
    bonferroni,
    bonferroni_level,
    judge,
    unpaired_auc,
    unpaired_interval,
    unpaired_test,
)
from assay.errors import OptionError, UnknownName
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._several import Evaluations
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.notebook import in_notebook
from assay.request import checked_level
from assay.results import Table

__all__ = ["UnpairedComparison", "compare_unpaired"]

ASSUMES = (
    "Assumes independent cases, and that no case is in two samples. Whatever else differs between them counts too."
)
NO_TEST = "no test between samples was shown to hold for it; compare the intervals of either"
DEPENDENT = "the test takes cases as independent, and these come in clusters; compare the intervals of either"
WEIGHTED = "the test counts cases, and these have weights; compare the intervals of either"


@dataclass(frozen=True, eq=False, repr=False)
class UnpairedComparison:
    """Evaluations on different cases: how far their measures are apart, and whether that is more than chance.

    Shares of right answers have Miettinen and Nurminen's score test, the ROC AUC DeLong's variances added; whatever
    has no test between samples is shown without one.
    """

    samples: Evaluations
    level: float = 0.95

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return "\n".join([*self.sentences(self.default_measure), self.assumptions])

    @property
    def names(self) -> tuple[str, ...]:
        """The samples, in order."""
        return tuple(self.samples)

    @property
    def default_measure(self) -> str:
        """The measure that is compared where none is named: the first of the usual ones that has a test."""
        first = next(iter(self.samples.values()))
        return next(
            name for name, one in first.registry.items() if one.planned in ("auc", "share") and self._applies(one)
        )

    def find(self, measure: str | Measure) -> Measure:
        """The measure called so, which may be an alias or have parameters."""
        return next(iter(self.samples.values())).find(measure)

    def difference(
        self, measure: str | Measure, first: str, second: str, *, level: float | None = None, method: str | None = None
    ) -> Difference:
        """How much higher a measure is in the first sample than in the second.

        `method` names another interval of a share: "Newcombe", "Agresti-Caffo" or "Wald", which belong to no test.
        """
        self._known(first, second)
        return self._difference(self.find(measure), (first, second), self._level(level), method)

    def differences(
        self, measure: str | Measure, *, control: str | None = None, level: float | None = None
    ) -> list[Difference]:
        """All pairs, or all others against one control, adjusted so that all intervals and p-values hold together."""
        named, wanted, pairs = self.find(measure), self._level(level), self._pairs(control)
        found = [self._difference(named, pair, bonferroni_level(wanted, len(pairs))) for pair in pairs]
        if len(pairs) == 1:
            return found
        words = f"Bonferroni over {len(pairs)} comparisons"
        return [replace(d, level=wanted, p_value=bonferroni(d.p_value, len(pairs)), adjusted=words) for d in found]

    def verdict(
        self,
        measure: str | Measure,
        first: str,
        second: str,
        *,
        margin: float | None = None,
        level: float | None = None,
    ) -> Verdict:
        """What may be said about two samples: better, practically the same, or that these cases cannot tell."""
        named, found = self.find(measure), self.difference(measure, first, second, level=level)
        return judge(found, named.title, named.better, margin=margin, assumptions=ASSUMES)

    def pairs(self, measure: str | Measure, *, control: str | None = None, margin: float | None = None) -> Table:
        """The differences as a table, with what may be said of each."""
        named, found = self.find(measure), self.differences(measure, control=control)
        judged = [judge(d, named.title, named.better, margin=margin) for d in found]
        facts = {"difference": "value"} | {name: name for name in ("low", "high", "p_value", "method")}
        shown: dict[str, Any] = {name: [getattr(d, name) for d in found] for name in ("first", "second")}
        shown |= {name: [getattr(d, fact) for d in found] for name, fact in facts.items()}
        shown["undefined"] = [d.undefined or "" for d in found]
        shown |= {"verdict": [one.outcome for one in judged], "better": [one.winner or "" for one in judged]}
        return Table(shown, title=f"{named.title}: differences between samples of other cases")

    def sentences(self, measure: str, *, margin: float | None = None, control: str | None = None) -> list[str]:
        """What may be said of each pair, in words."""
        named = self.find(measure)
        found = self.differences(measure, control=control)
        return [judge(d, named.title, named.better, margin=margin).words.split("\n")[0] for d in found]

    @property
    def assumptions(self) -> str:
        """What every such comparison takes for granted."""
        return f"{ASSUMES} {FRESH_CASES}"

    def to_dict(
        self, measure: str | None = None, *, margin: float | None = None, control: str | None = None
    ) -> dict[str, Any]:
        """The record that `--format json` prints; it has the schema of any comparison."""
        named = self.find(measure or self.default_measure)
        judged = [
            judge(d, named.title, named.better, margin=margin, assumptions=ASSUMES)
            for d in self.differences(named, control=control)
        ]
        return {
            "schema": "assay.comparison/1",
            "source": next(iter(self.samples.values())).source.to_dict(),
            "n": sum(ev.n for ev in self.samples.values()),
            "matched_by": "nothing: samples of other cases",
            "unmatched": {},
            "measure": named.name,
            "level": self.level,
            "models": {name: ev.estimate(named).to_dict() for name, ev in self.samples.items()},
            "comparisons": [verdict.to_dict() for verdict in judged],
            "assumptions": ASSUMES,
            "cautions": [],
        }

    def _level(self, level: float | None) -> float:
        return self.level if level is None else checked_level(level)

    def _applies(self, measure: Measure) -> bool:
        return all(ev.applies(measure) is None for ev in self.samples.values())

    def _known(self, *names: str) -> None:
        for name in names:
            if name not in self.samples:
                raise UnknownName(f"there is no sample {name!r}", f"one of {', '.join(map(repr, self.names))}")

    def _pairs(self, control: str | None) -> list[tuple[str, str]]:
        if control is None:
            return list(combinations(self.names, 2))
        self._known(control)
        return [(name, control) for name in self.names if name != control]

    def _difference(
        self, measure: Measure, pair: tuple[str, str], level: float, method: str | None = None
    ) -> Difference:
        one, other = (self.samples[name] for name in pair)
        obstacle = one.applies(measure) or other.applies(measure)
        if obstacle is not None:
            raise OptionError(f"{measure.title} cannot be compared: {obstacle}", "a measure that every sample has")
        estimates, nan = [ev.estimate(measure) for ev in (one, other)], math.nan
        value, n = estimates[0].value - estimates[1].value, sum(each.n for each in estimates)
        empty = Difference(measure.name, *pair, value, nan, nan, level, nan, "none", n)
        reason = estimates[0].undefined or estimates[1].undefined if math.isnan(value) else _why_not(one, other)
        if reason is not None:
            return replace(empty, undefined=reason)
        tables = one.evidence_for(measure), other.evidence_for(measure)
        if method is not None and measure.answers is None:
            raise OptionError(f"method is given, and {measure.title} is no share of answers", "it left out")
        if measure.pairs is not None and all(isinstance(table, ScoreTable) for table in tables):
            found = unpaired_auc(*tables, names=pair, level=level)  # type: ignore[arg-type]
            scale = measure.pairs.scale
            return replace(found, measure=measure.name, value=value, low=scale * found.low, high=scale * found.high)
        if measure.answers is not None and all(isinstance(table, ConfusionMatrix) for table in tables):
            answers = _answered(tables[0], measure), _answered(tables[1], measure)
            return _shares(empty, *answers, level) if method is None else _by_name(empty, *answers, level, method)
        return replace(empty, undefined=NO_TEST)


def compare_unpaired(samples: Mapping[str, Evaluation], *, level: float = 0.95) -> UnpairedComparison:
    """Evaluations of different cases, by name, to be compared: `compare` is for classifiers of the same cases.

    >>> import assay
    >>> january = assay.from_counts(tp=154, fn=29, fp=25, tn=1202)
    >>> february = assay.from_counts(tp=131, fn=52, fp=31, tn=1150)
    >>> compare_unpaired({"january": january, "february": february}).difference("recall", "january", "february")
    january - february: +0.126 [0.041, 0.210], p = 0.004 (score test (Miettinen-Nurminen))
    """
    if len(samples) < 2:
        raise OptionError(f"there is one sample ({', '.join(map(repr, samples))})", "two at least to compare")
    first, *others = samples.items()
    for name, ev in others:
        if ev.classes != first[1].classes:
            raise OptionError(f"{name!r} has the classes {ev.classes}, {first[0]!r} {first[1].classes}", "the same")
    return UnpairedComparison(Evaluations(samples), checked_level(level))


def _why_not(*evaluations: Evaluation) -> str | None:
    rows = [ev.rows for ev in evaluations if ev.rows is not None]
    if any(each.cluster is not None for each in rows):
        return DEPENDENT
    return WEIGHTED if any(each.weight is not None for each in rows) else None


def _answered(matrix: Any, measure: Measure) -> tuple[float, float]:
    """How many cases count for a share of answers, and of how many."""
    assert measure.answers is not None
    within = measure.answers.within
    whole = float(matrix.total if within is None else matrix.actual[within])
    right = float(matrix.correct if within is None else matrix.counts[within, within])
    return (right if measure.answers.sign > 0 else whole - right), whole


def _shares(empty: Difference, first: tuple[float, float], second: tuple[float, float], level: float) -> Difference:
    test, interval = unpaired_test(*first, *second, level)
    if interval.undefined is not None or test.undefined is not None:
        return replace(empty, undefined=interval.undefined or test.undefined)
    method = f"score test ({interval.method})"
    return replace(empty, low=interval.low, high=interval.high, p_value=test.p_value, method=method)


def _by_name(
    empty: Difference, first: tuple[float, float], second: tuple[float, float], level: float, method: str
) -> Difference:
    found = unpaired_interval(*first, *second, level, method)
    return replace(empty, low=found.low, high=found.high, method=found.method, undefined=found.undefined)
