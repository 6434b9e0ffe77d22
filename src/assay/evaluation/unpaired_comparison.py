"""Classifiers that were tested on cases of their own: two months, two sites, before and after a change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assay.comparison import (
    Alternative,
    Difference,
    one_sided,
    p_by_inversion,
    two_sided,
    two_sided_level,
    unpaired_auc,
    unpaired_interval,
    unpaired_test,
)
from assay.errors import OptionError
from assay.evaluation.comparison import PairwiseComparison
from assay.evaluation.differences import Pair, from_drawn, held_together
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.evaluations import Evaluations
from assay.evaluation.pair_tests import UnpairedTests
from assay.evaluation.sample_size import doubt_about, sample_method
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.measures.interval_methods import replicates_of
from assay.request import checked_level

ASSUMES = (
    "Assumes independent cases, and that no case is in two samples. Whatever else differs between them counts too."
)
NO_TEST = "no test between samples keeps its level for it; compare the intervals of either"
DEPENDENT = "the test assumes independent cases, and these come in clusters; compare the intervals of either"
WEIGHTED = "the test counts cases, and these have weights; compare the intervals of either"


@dataclass(frozen=True, eq=False)
class IndependentSamples:
    """Evaluations on cases of their own, of which each varies by itself.

    Shares of right answers have Miettinen and Nurminen's score test, the ROC AUC DeLong's variances added; whatever
    has no test between samples is shown without one.
    """

    models: Mapping[str, Evaluation]
    assumptions = ASSUMES
    shared = None

    @property
    def n(self) -> int:
        """How many cases there are in all samples."""
        return sum(ev.n for ev in self.models.values())

    def has_test(self, measure: Measure) -> bool:
        """Whether a difference of the measure has a test: of areas and of shares of answers."""
        return measure.pairs is not None or measure.answers is not None

    def why_not(self, measure: Measure) -> str | None:
        """Why the measure cannot be compared, or None."""
        return next((why for ev in self.models.values() if (why := ev.reason_unavailable(measure))), None)

    def differences(
        self,
        measure: Measure,
        pairs: Sequence[Pair],
        level: float,
        method: str | None = None,
        *,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
        among: Sequence[Pair] = (),
    ) -> list[Difference]:
        """Differences of a measure, each found by itself; of several, or `among` several, Bonferroni over them."""

        def one(pair: Pair, each: float) -> Difference:
            found = self._difference(measure, pair, two_sided_level(each, alternative), method, null)
            return one_sided(found, each, alternative)

        return held_together(pairs, level, among, one)

    def _difference(self, measure: Measure, pair: Pair, level: float, name: str | None, null: float) -> Difference:
        names = list(self.models)[pair[0]], list(self.models)[pair[1]]
        one, other = (self.models[name] for name in names)
        obstacle = one.reason_unavailable(measure) or other.reason_unavailable(measure)
        if obstacle is not None:
            raise OptionError(f"{measure.title} cannot be compared: {obstacle}", "a measure that every sample has")
        method = sample_method(measure, name)
        estimates, nan = [ev.estimate(measure) for ev in (one, other)], math.nan
        value, n = estimates[0].value - estimates[1].value, sum(each.n for each in estimates)
        empty = Difference(measure.name, *names, value, nan, nan, level, nan, "none", n, null=null)
        reason = estimates[0].undefined or estimates[1].undefined if math.isnan(value) else _obstacle(one, other)
        if reason is not None:
            return replace(empty, undefined=reason)
        tables: Any = (one.evidence_for(measure), other.evidence_for(measure))
        if method == "bootstrap":
            return _bootstrap_difference(empty, measure, tables)
        if measure.pairs is not None and all(isinstance(table, ScoreTable) for table in tables):
            return _area_difference(empty, measure.pairs.scale, tables, method)
        if measure.answers is not None and all(isinstance(table, ConfusionMatrix) for table in tables):
            answers = _correct_and_total(tables[0], measure), _correct_and_total(tables[1], measure)
            return _named_share_difference(empty, *answers, method) if method else _share_difference(empty, *answers)
        return replace(empty, undefined=NO_TEST)


@dataclass(frozen=True, eq=False, repr=False)
class UnpairedComparison(PairwiseComparison):
    """Evaluations on different cases: how far their measures are apart, and whether that is more than chance.

    Every difference is the first minus the second, found by `IndependentSamples`.
    """

    models: Evaluations
    level: float = 0.95

    matched_by = "nothing: samples of other cases"
    unmatched = None
    item = "sample"

    @cached_property
    def _estimator(self) -> IndependentSamples:
        return IndependentSamples(self.models)

    @property
    def tests(self) -> UnpairedTests:
        """Other tests of these samples: `two.tests.venkatraman("june", "july")`."""
        return UnpairedTests(self)


def compare_unpaired(samples: Mapping[str, Evaluation], *, level: float = 0.95) -> UnpairedComparison:
    """Evaluations of different cases, by name, to be compared: `compare` is for classifiers of the same cases.

    >>> import assay
    >>> january = assay.from_counts(tp=154, fn=29, fp=25, tn=1202)
    >>> february = assay.from_counts(tp=131, fn=52, fp=31, tn=1150)
    >>> compare_unpaired({"january": january, "february": february}).difference("recall", "january", "february")
    january - february: +0.126 [0.041, 0.210], p = 0.004 (score test (Miettinen-Nurminen))
    """
    if not isinstance(samples, Mapping) or not all(isinstance(ev, Evaluation) for ev in samples.values()):
        raise OptionError(
            f"samples is {type(samples).__name__}", "evaluations by name: {'january': ev, 'february': other}"
        )
    if len(samples) < 2:
        raise OptionError(f"there is one sample ({', '.join(map(repr, samples))})", "two at least to compare")
    first, *others = samples.items()
    for name, ev in others:
        if ev.classes != first[1].classes:
            raise OptionError(f"{name!r} has the classes {ev.classes}, {first[0]!r} {first[1].classes}", "the same")
    return UnpairedComparison(Evaluations(samples), checked_level(level))


def _obstacle(*evaluations: Evaluation) -> str | None:
    rows = [ev.rows for ev in evaluations if ev.rows is not None]
    if any(each.cluster is not None for each in rows):
        return DEPENDENT
    return WEIGHTED if any(each.weight is not None for each in rows) else None


def _correct_and_total(matrix: Any, measure: Measure) -> tuple[float, float]:
    """How many cases count for a share of answers, and of how many."""
    assert measure.answers is not None
    within = measure.answers.within
    whole = float(matrix.total if within is None else matrix.actual[within])
    right = float(matrix.correct if within is None else matrix.counts[within, within])
    return (right if measure.answers.sign > 0 else whole - right), whole


def _area_difference(empty: Difference, scale: float, tables: tuple[ScoreTable, ScoreTable], method: str) -> Difference:
    names, null = (empty.first, empty.second), empty.null / scale
    found = unpaired_auc(*tables, names=names, level=empty.level, null=null, method=method or None)
    caution = found.caution or doubt_about(method)
    return replace(
        found, measure=empty.measure, value=empty.value, low=scale * found.low, high=scale * found.high,
        null=empty.null, se=None if found.se is None else scale * found.se, caution=caution,
    )  # fmt: skip


def _bootstrap_difference(empty: Difference, measure: Measure, tables: tuple[Any, Any]) -> Difference:
    """Equal tails of differences of replicates, drawn of either sample by itself."""
    found = [replicates_of(measure, table, seed) for seed, table in enumerate(tables)]
    if any(each is None for each in found):
        return replace(empty, method="bootstrap", undefined="a sample leaves nothing to draw from")
    return replace(
        from_drawn(empty, found[0] - found[1]), method="unpaired bootstrap", caution=doubt_about("bootstrap")
    )


def _share_difference(empty: Difference, first: tuple[float, float], second: tuple[float, float]) -> Difference:
    test, interval = unpaired_test(*first, *second, empty.level)
    if interval.undefined is not None or test.undefined is not None:
        return replace(empty, undefined=interval.undefined or test.undefined)
    method = f"score test ({interval.method})"
    found = replace(empty, low=interval.low, high=interval.high, method=method)
    if empty.null == 0:
        return replace(found, p_value=test.p_value, statistic=test.statistic, freedom=math.inf)

    def limits(level: float) -> tuple[float, float]:
        at = unpaired_test(*first, *second, level)[1]
        return at.low, at.high

    return replace(found, p_value=p_by_inversion(limits, empty.value, empty.null))


def _named_share_difference(
    empty: Difference, first: tuple[float, float], second: tuple[float, float], method: str
) -> Difference:
    found = unpaired_interval(*first, *second, empty.level, method)
    caution = doubt_about(method)
    if found.otherwise is not None:
        caution, found = found.undefined, found.otherwise()
    if found.undefined is not None:
        return replace(empty, method=found.method, undefined=found.undefined)
    limited = replace(empty, low=found.low, high=found.high, method=found.method, se=found.se, caution=caution)
    if not found.se:
        return limited
    z = (empty.value - empty.null) / found.se
    return replace(limited, p_value=two_sided(z), statistic=z, freedom=math.inf)
