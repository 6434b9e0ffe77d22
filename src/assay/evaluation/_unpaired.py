"""Classifiers that were tested on cases of their own: two months, two sites, before and after a change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Unpack

from assay.comparison import (
    ALTERNATIVES,
    FRESH_CASES,
    UNPAIRED_METHODS,
    Alternative,
    Difference,
    bonferroni,
    bonferroni_level,
    one_sided,
    p_by_inversion,
    two_sided,
    two_sided_level,
    unpaired_auc,
    unpaired_interval,
    unpaired_test,
)
from assay.errors import OptionError, UnknownName
from assay.evaluation._answer import HowCompared, HowJudged
from assay.evaluation._answering import Answering
from assay.evaluation._curve_tests import UnpairedTests
from assay.evaluation._difference_names import doubt_about
from assay.evaluation._each_difference import from_drawn
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._judged import unpaired_table
from assay.evaluation._several import Evaluations
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.measures.by_name import replicates_of, squeezed
from assay.notebook import in_notebook
from assay.request import checked_choice, checked_level, checked_number
from assay.results import Table

__all__ = ["UnpairedComparison", "compare_unpaired"]

OF_AREAS = ("DeLong", "Hanley-McNeil", "Obuchowski")
ASSUMES = (
    "Assumes independent cases, and that no case is in two samples. Whatever else differs between them counts too."
)
NO_TEST = "no test between samples was shown to hold for it; compare the intervals of either"
DEPENDENT = "the test takes cases as independent, and these come in clusters; compare the intervals of either"
WEIGHTED = "the test counts cases, and these have weights; compare the intervals of either"


@dataclass(frozen=True, eq=False, repr=False)
class UnpairedComparison(Answering):
    """Evaluations on different cases: how far their measures are apart, and whether that is more than chance.

    Shares of right answers have Miettinen and Nurminen's score test, the ROC AUC DeLong's variances added; whatever
    has no test between samples is shown without one.
    """

    samples: Evaluations
    level: float = 0.95

    matched_by = "nothing: samples of other cases"
    unmatched = None
    shared = None
    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return "\n".join([*self.sentences(), self.assumptions])

    @property
    def names(self) -> tuple[str, ...]:
        """The samples, in order."""
        return tuple(self.samples)

    @property
    def tests(self) -> UnpairedTests:
        """Other tests of these samples: `two.tests.venkatraman("june", "july")`."""
        return UnpairedTests(self)

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
        self,
        measure: str | Measure,
        first: str,
        second: str,
        *,
        level: float | None = None,
        method: str | None = None,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
    ) -> Difference:
        """How much higher a measure is in the first sample than in the second.

        `method` names another way: of an AUC "DeLong", "Hanley-McNeil", "Obuchowski" or "bootstrap"; of a share
        "Newcombe" or "Agresti-Caffo", which belong to no test, "Wald" or "bootstrap"; of anything else "bootstrap".
        The `alternative` "greater" or "less" gives a one-sided limit; `null` is the difference that is tested.
        """
        self._known(first, second)
        checked_choice(alternative, ALTERNATIVES, "alternative")
        named, wanted = self.find(measure), self._level(level)
        return self._sided(named, (first, second), wanted, method, alternative, checked_number(null, "null"))

    def differences(
        self, measure: str | Measure, *, level: float | None = None, **asked: Unpack[HowCompared]
    ) -> list[Difference]:
        """All pairs, or all others against one control, adjusted so that all intervals and p-values hold together."""
        named, wanted, pairs = self.find(measure), self._level(level), self._pairs(asked.get("control"))
        alternative = checked_choice(asked.get("alternative", "two-sided"), ALTERNATIVES, "alternative")
        each, method, null = bonferroni_level(wanted, len(pairs)), asked.get("method"), asked.get("null", 0.0)
        found = [self._sided(named, pair, each, method, alternative, null) for pair in pairs]  # type: ignore[arg-type]
        if len(pairs) == 1:
            return found
        words = f"Bonferroni over {len(pairs)} comparisons"
        return [replace(d, level=wanted, p_value=bonferroni(d.p_value, len(pairs)), adjusted=words) for d in found]

    def pairs(self, measure: str | Measure, *, se: bool = False, **asked: Unpack[HowJudged]) -> Table:
        """The differences as a table, with what may be said of each; with `se` also the numbers of their tests."""
        return unpaired_table(self.answer(measure, **asked), se=se)

    def sentences(self, measure: str | Sequence[str] | None = None, **asked: Unpack[HowJudged]) -> list[str]:
        """What may be said of each pair, in words; of a method that was named also what is to be doubted."""
        answer = self.answer(measure, **asked)
        doubts = dict.fromkeys(one.caution for one in (*answer.primary, *answer.secondary))
        return [*answer.brief, *answer.secondary_lines, *(f"Caution: {said}." for said in doubts if said)]

    @property
    def assumptions(self) -> str:
        """What every such comparison takes for granted."""
        return f"{ASSUMES} {FRESH_CASES}"

    @property
    def evaluations(self) -> list[Evaluation]:
        """The evaluation of each sample, in order."""
        return list(self.samples.values())

    @property
    def n(self) -> int:
        """How many cases there are in all samples."""
        return sum(ev.n for ev in self.samples.values())

    def _usual(self, options: HowJudged) -> Sequence[str]:
        return [self.default_measure]

    def _applies(self, measure: Measure) -> bool:
        return all(ev.applies(measure) is None for ev in self.samples.values())

    def _known(self, *names: str) -> None:
        for name in names:
            if not isinstance(name, str) or name not in self.samples:
                raise UnknownName(f"there is no sample {name!r}", f"one of {', '.join(map(repr, self.names))}")

    def _pairs(self, control: str | None) -> list[tuple[str, str]]:
        if control is None:
            return list(combinations(self.names, 2))
        self._known(control)
        return [(name, control) for name in self.names if name != control]

    def _sided(
        self,
        measure: Measure,
        pair: tuple[str, str],
        level: float,
        method: str | None,
        alternative: Alternative,
        null: float,
    ) -> Difference:
        found = self._difference(measure, pair, two_sided_level(level, alternative), method, null)
        return one_sided(found, level, alternative)

    def _difference(
        self, measure: Measure, pair: tuple[str, str], level: float, method: str | None, null: float
    ) -> Difference:
        one, other = (self.samples[name] for name in pair)
        obstacle = one.applies(measure) or other.applies(measure)
        if obstacle is not None:
            raise OptionError(f"{measure.title} cannot be compared: {obstacle}", "a measure that every sample has")
        estimates, nan = [ev.estimate(measure) for ev in (one, other)], math.nan
        value, n = estimates[0].value - estimates[1].value, sum(each.n for each in estimates)
        empty = Difference(measure.name, *pair, value, nan, nan, level, nan, "none", n, null=null)
        chosen = unpaired_method(measure, method)
        reason = estimates[0].undefined or estimates[1].undefined if math.isnan(value) else _why_not(one, other)
        if reason is not None:
            return replace(empty, undefined=reason)
        tables: Any = (one.evidence_for(measure), other.evidence_for(measure))
        if chosen == "bootstrap":
            return _redrawn(empty, measure, tables)
        if measure.pairs is not None and all(isinstance(table, ScoreTable) for table in tables):
            return _areas(empty, measure.pairs.scale, tables, chosen)
        if measure.answers is not None and all(isinstance(table, ConfusionMatrix) for table in tables):
            answers = _answered(tables[0], measure), _answered(tables[1], measure)
            return _shares(empty, *answers) if chosen is None else _by_name(empty, *answers, chosen)
        return replace(empty, undefined=NO_TEST)


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


def unpaired_method(measure: Measure, name: str | None) -> str | None:
    """The method of a difference between samples that goes by a name; None for the usual one."""
    if name is None:
        return None
    of_areas = OF_AREAS if measure.pairs is not None else ()
    possible = (*of_areas, *(tuple(UNPAIRED_METHODS) if measure.answers is not None else ()), "bootstrap")
    known = {squeezed(each): each for each in possible} | {"percentile": "bootstrap"}
    known |= {"normal": "DeLong", "wald": "DeLong"} if of_areas else {"normal": "Wald", "score": "Miettinen-Nurminen"}
    found = known.get(squeezed(str(name)))
    if found not in possible:
        instead = f"one of {', '.join(map(repr, possible))}"
        raise UnknownName(f"method is {name!r}, which {measure.title} has not between samples", instead)
    return found


def _areas(empty: Difference, scale: float, tables: tuple[ScoreTable, ScoreTable], method: str | None) -> Difference:
    names, null = (empty.first, empty.second), empty.null / scale
    found = unpaired_auc(*tables, names=names, level=empty.level, null=null, method=method)
    caution = found.caution or (None if method is None else doubt_about(method))
    return replace(
        found, measure=empty.measure, value=empty.value, low=scale * found.low, high=scale * found.high,
        null=empty.null, se=None if found.se is None else scale * found.se, caution=caution,
    )  # fmt: skip


def _redrawn(empty: Difference, measure: Measure, tables: tuple[Any, Any]) -> Difference:
    """Equal tails of differences of replicates, drawn of either sample by itself."""
    found = [replicates_of(measure, table, seed) for seed, table in enumerate(tables)]
    if any(each is None for each in found):
        return replace(empty, method="bootstrap", undefined="a sample leaves nothing to draw from")
    return replace(
        from_drawn(empty, found[0] - found[1]), method="unpaired bootstrap", caution=doubt_about("bootstrap")
    )


def _shares(empty: Difference, first: tuple[float, float], second: tuple[float, float]) -> Difference:
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


def _by_name(empty: Difference, first: tuple[float, float], second: tuple[float, float], method: str) -> Difference:
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
