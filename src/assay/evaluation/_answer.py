"""The answer of a comparison, made once for every surface: verdicts by a primary measure, then by secondary ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

from assay.cautions import Caution
from assay.comparison import (
    FRESH_CASES,
    SAME,
    UNKNOWN,
    Alternative,
    Difference,
    Verdict,
    bonferroni_level,
    in_family,
    judge,
    not_worse,
    numbers_of,
)
from assay.errors import OptionError
from assay.evaluation._evaluation import Evaluation
from assay.evidence import ConfusionMatrix
from assay.measures import Measure
from assay.renderers import in_notebook
from assay.text import in_sentence, listed, threshold_words

if TYPE_CHECKING:
    from assay.evaluation._pairwise import PairwiseComparison

# The caution about comparisons that leave open who is better.
INCONCLUSIVE = "A405"
# What there is to be careful about, given the differences of the primary measure.
CautionsAbout = Callable[[Measure, Sequence[Difference]], tuple[Caution, ...]]
OTHER_SIDE: Mapping[Alternative, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


class HowTested(TypedDict):
    """By which method which side of which difference is tested."""

    method: str | None
    alternative: Alternative
    null: float


class HowCompared(TypedDict, total=False):
    """How differences are asked for: beside which control, by which method, which side of which difference."""

    control: str | None
    method: str | None
    alternative: Alternative
    null: float


class HowJudged(TypedDict, total=False):
    """How verdicts are asked for: with which margin, and whether the first is to be shown no worse by more than it."""

    control: str | None
    method: str | None
    alternative: Alternative
    margin: float | None
    non_inferior: bool


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonAnswer:
    """The differences and verdicts of one comparison by measure, the primary one first, with its cautions.

    The primary measure is the one asked for; its intervals and p-values are not adjusted for other measures. The other
    measures are secondary and adjusted among themselves. Every measure is adjusted over all pairs that are compared.

    >>> import assay
    >>> cmp = assay.compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
    >>> answer = cmp.answer()
    >>> print(answer.headline)
    a has a significantly higher ROC AUC than b. Secondary measures: a has the better Brier score and accuracy at \
threshold 0.50.
    >>> answer.verdicts["accuracy"][0].family.words
    'adjusted for 2 secondary measures'
    """

    measures: tuple[Measure, ...]
    differences: Mapping[str, Sequence[Difference]]
    # The words for the threshold that a measure was computed at, where it depends on one.
    thresholds: Mapping[str, str]
    # The difference that would not matter, of the measures that it is about.
    margins: Mapping[str, float]
    level: float
    assumptions: str
    _cautions_about: CautionsAbout = field(repr=False)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return "\n".join([*self.lines, *(f"{one.code}  {one.message}" for one in self.cautions)])

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about: where all pairs differ significantly, nothing about too few cases."""
        is_told = all(verdict.outcome != UNKNOWN for verdict in self.primary)
        found = self._cautions_about(self.measures[0], self.differences[self.measures[0].name])
        return tuple(one for one in found if not is_told or one.code != INCONCLUSIVE)

    def by_measure(self) -> list[ComparisonAnswer]:
        """What is said by each measure, in the family that it was adjusted in."""
        return [replace(self, measures=(measure,)) for measure in self.measures]

    @property
    def primary(self) -> Sequence[Verdict]:
        """The verdicts of the measure asked for."""
        return self.verdicts[self.measures[0].name]

    @property
    def secondary(self) -> list[Verdict]:
        """The verdicts of the other measures."""
        return [verdict for measure in self.measures[1:] for verdict in self.verdicts[measure.name]]

    def renamed(self, names: Mapping[str, str]) -> ComparisonAnswer:
        """The same with other names of the classifiers, as a page shortens them."""
        differences = {
            name: [replace(d, first=names[d.first], second=names[d.second]) for d in found]
            for name, found in self.differences.items()
        }
        return replace(self, differences=differences)

    @cached_property
    def verdicts(self) -> Mapping[str, Sequence[Verdict]]:
        """What may be said of each pair, by measure."""
        found: dict[str, Sequence[Verdict]] = {}
        for one in self.measures:
            margin, at = self.margins.get(one.name), self.thresholds[one.name]
            found[one.name] = [
                judge(d, one.title, one.better, margin=margin, assumptions=self.assumptions, at=at)
                for d in self.differences[one.name]
            ]
        return found

    def title(self, measure: Measure) -> str:
        """The title of a measure inside a sentence, with the threshold it was computed at."""
        return f"{in_sentence(measure.title)} {self.thresholds[measure.name]}".strip()

    @property
    def headline(self) -> str:
        """The verdict by the primary measure, then those by the secondary ones."""
        return " ".join(filter(None, [self._of_pairs(self.measures[0]), self.secondary_words]))

    @property
    def secondary_words(self) -> str:
        """Who is better by which secondary measures."""
        if not self.secondary:
            return ""
        if len(self.primary) > 1 or self.primary[0].alternative != "two-sided":
            return f"Secondary measures: {' '.join(map(self._of_pairs, self.measures[1:]))}"
        return f"Secondary measures: {'; '.join(self._clauses())}."

    def _of_pairs(self, measure: Measure) -> str:
        """The verdicts about every pair, and once that there is no other significant difference."""
        said = [one.headline for one in self.verdicts[measure.name] if one.outcome != UNKNOWN]
        rest = list(dict.fromkeys(one.headline for one in self.verdicts[measure.name] if one.outcome == UNKNOWN))
        if said and rest:
            rest = [f"No other significant difference in {self.title(measure)}."]
        return " ".join([*said, *rest])

    def _clauses(self) -> list[str]:
        """What the secondary verdicts about one pair say, those that say the same of several measures in one clause."""
        by_kind: dict[tuple[bool, str], list[str]] = {}
        for measure in self.measures[1:]:
            (verdict,) = self.verdicts[measure.name]
            by_kind.setdefault((verdict.winner is None, _clause(verdict)), []).append(self.title(measure))
        order = sorted(by_kind, key=lambda kind: kind[0])
        return [kind[1].format(titles=listed(by_kind[kind])) for kind in order]

    @property
    def family_words(self) -> str:
        """What intervals and p-values are adjusted for, as a sentence; nothing of one difference alone."""
        first = self.primary[0].family
        assert first is not None
        if not self.secondary:
            return f"Intervals and p-values are {first.words}." if first.words else ""
        others = self.secondary[0].family
        assert others is not None
        beside, others_are = ("other", "other is") if len(self.measures) == 2 else ("others", "others are")
        own = first.words or f"not adjusted for the {beside}"
        return f"{self.measures[0].title}, the primary measure, is {own}; the {others_are} {others.words}."

    @property
    def secondary_lines(self) -> list[str]:
        """The secondary verdicts, then the numbers behind them with what is to be said of a margin."""
        found = [self.secondary_words] if self.secondary else []
        for measure in self.measures[1:]:
            for difference, verdict in zip(self.differences[measure.name], self.verdicts[measure.name], strict=True):
                found += [numbers_of(difference, measure.title), *verdict.brief.split("\n")[1:]]
        return found

    @property
    def brief(self) -> list[str]:
        """The primary verdicts in lines, without what all of them assume."""
        if len(self.primary) == 1:
            return self.primary[0].words.split("\n")[:-1]
        return [line for verdict in self.primary for line in verdict.brief.split("\n")]

    @property
    def lines(self) -> list[str]:
        """The whole in lines: primary verdicts, secondary ones with their numbers, and what all of them assume."""
        return [*self.brief, *self.secondary_lines, f"{self.assumptions} {FRESH_CASES}"]

    def to_dict(self) -> dict[str, Any]:
        """The verdicts as JSON holds them."""
        return {
            "comparisons": [verdict.to_dict() for verdict in self.primary],
            "secondary": [verdict.to_dict() for verdict in self.secondary],
            "assumptions": self.assumptions,
            "cautions": [one.to_dict() for one in self.cautions],
        }


def _clause(verdict: Verdict) -> str:
    if verdict.winner is not None:
        return f"{verdict.winner.replace('{', '{{').replace('}', '}}')} has the better {{titles}}"
    if math.isnan(verdict.low):
        return "{titles} not tested"
    if verdict.outcome == UNKNOWN:
        return "no significant difference in {titles}"
    if verdict.outcome == SAME:
        return f"no relevant difference in {{titles}} (within ±{verdict.margin:g})"
    return "significant difference in {titles}"


def is_usual(options: HowJudged) -> bool:
    """Whether every measure has the test: no method is named, and no side."""
    is_two_sided = options.get("alternative", "two-sided") == "two-sided"
    return is_two_sided and not options.get("method") and not options.get("non_inferior")


def answer_of(
    cmp: PairwiseComparison,
    measures: Sequence[Measure],
    options: HowJudged,
    level: float,
    within: Sequence[Measure],
    cautions: CautionsAbout,
) -> ComparisonAnswer:
    """The answer by some measures, the first of them primary; `within` are those that a margin is about."""
    differences = {}
    for place, measure in enumerate(measures):
        how: HowCompared = {**_tested(measure, options), "control": options.get("control")}
        differences[measure] = differences_of(cmp, measure, measures[1:] if place else (), level, how)
    return _answer(cmp, differences, options, level, within, cautions)


def _answer(
    cmp: PairwiseComparison,
    differences: Mapping[Measure, Sequence[Difference]],
    options: HowJudged,
    level: float,
    within: Sequence[Measure],
    cautions: CautionsAbout,
) -> ComparisonAnswer:
    margin = options.get("margin")
    return ComparisonAnswer(
        measures=tuple(differences),
        differences={measure.name: found for measure, found in differences.items()},
        thresholds={measure.name: threshold_of(measure, cmp.evaluations) for measure in differences},
        margins={} if margin is None else {measure.name: margin for measure in within},
        level=level,
        assumptions=cmp.assumptions,
        _cautions_about=cautions,
    )


def differences_of(
    cmp: PairwiseComparison,
    measure: Measure,
    secondary: Sequence[Measure],
    level: float,
    how: HowCompared,
) -> list[Difference]:
    """The differences of one measure in its family: the primary one alone, or all that are `secondary`."""
    each = bonferroni_level(level, max(1, len(secondary)))
    found = cmp.differences(measure, level=each, **how)
    pairs = cmp.pairs_at_once(how.get("control"), len(found))
    return in_family(found, level, [one.name for one in secondary], pairs)


def verdict_of(
    cmp: PairwiseComparison,
    measure: Measure,
    pair: tuple[str, str],
    options: HowJudged,
    level: float,
    cautions: CautionsAbout,
) -> Verdict:
    """What may be said of one pair by the measure asked for: adjusted over all pairs, as where all are shown."""
    (first, second), how = pair, _tested(measure, options)
    if len(cmp.names) == 2 or first == second or not {first, second} <= {*cmp.names}:
        found = in_family([cmp.difference(measure, first, second, level=level, **how)], level)
    elif (alone := cmp.among_all_pairs(measure, pair, level, how)) is not None:
        found = in_family([alone], level, pairs=cmp.pairs_at_once(None, 1))
    elif cmp.names.index(first) < cmp.names.index(second):
        found = differences_of(cmp, measure, (), level, {**how, "control": None})
    else:
        how = {**how, "alternative": OTHER_SIDE[how["alternative"]], "null": 0.0 - how["null"]}
        found = [one.flipped() for one in differences_of(cmp, measure, (), level, {**how, "control": None})]
    of_pair = [d for d in found if (d.first, d.second) == pair]
    answer = _answer(cmp, {measure: of_pair}, options, level, [measure], cautions)
    return replace(answer.primary[0], cautions=tuple(f"{one.code}  {one.message}" for one in answer.cautions))


def _tested(measure: Measure, options: HowJudged) -> HowTested:
    """By which method which side of which difference is tested."""
    method, alternative, margin = options.get("method"), options.get("alternative", "two-sided"), options.get("margin")
    if not options.get("non_inferior"):
        return {"method": method, "alternative": alternative, "null": 0.0}
    if margin is None:
        raise OptionError("non_inferior is given without margin", "the difference that would not matter")
    if alternative != "two-sided":
        raise OptionError("non_inferior and alternative are both given", "one of them", about="alternative")
    side, null = not_worse(measure.title, measure.better, margin)
    return {"method": method, "alternative": side, "null": null}


def threshold_of(measure: Measure, evaluations: Sequence[Evaluation]) -> str:
    """At which threshold a measure of predicted labels was computed; nothing where no threshold decided."""
    used = [getattr(ev, "threshold_used", None) for ev in evaluations]
    each = list(dict.fromkeys(threshold_words(at) for at in used if at is not None))
    if measure.needs is not ConfusionMatrix or None in used:
        return ""
    return f"at threshold{'s' if len(each) > 1 else ''} {listed(each)}"
