"""Several classifiers on the same cases: which is better, by how much, and how sure one can be.

Comparisons of classifiers, whatever their estimates come from: one set of answers, tables and sentences.

The answer of a comparison, made once for every surface: verdicts by a primary measure, then by secondary ones.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from os import PathLike
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution, ComparisonFacts, check
from assay.comparison import (
    ALTERNATIVES,
    FRESH_CASES,
    SAME,
    UNKNOWN,
    Alternative,
    Cheapest,
    Difference,
    Verdict,
    bonferroni,
    bonferroni_level,
    constant_sentence,
    cost_difference,
    holm,
    in_family,
    judge,
    net_benefit_difference,
    not_worse,
    numbers_of,
)
from assay.comparison.costs import Method as CostMethod
from assay.costs import Costs
from assay.curves import Hull, roc_hull
from assay.deprecated import with_old_names
from assay.errors import OptionError, UnknownName
from assay.evaluation.binary import TwoClassEvaluation
from assay.evaluation.comparison_from_sums import paired_estimator
from assay.evaluation.differences import JointEstimator, Pair, PairedRows, Shared, costs_by_row, losses_of
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.evaluations import Evaluations, cautions_about_crossing, cheapest_models, crossing_pairs
from assay.evaluation.pair_tests import PairTests
from assay.evaluation.topics import COMPARISON, comparison_help, shown_names
from assay.evidence import ConfusionMatrix, ModelSums
from assay.evidence.paired import PairedCorrectness, PairedDecisions
from assay.help_tree import HelpTree, public_names
from assay.measures import Measure
from assay.renderers import in_notebook, render
from assay.request import checked_choice, checked_level, checked_number
from assay.results import PairTable, Table, TestResult
from assay.text import in_sentence, listed, threshold_words
from assay.uncertainty import p_of_folds

# The caution about comparisons that leave open who is better.
INCONCLUSIVE = "A405"
# Shares nearer than this differ by rounding.
ROUNDING = 1e-12
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
    # That always answering the commonest class has a higher accuracy than every classifier, where it has.
    above_all: str = ""

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
        """The verdict by the primary measure, those by the secondary ones, and what no classifier is better than."""
        return " ".join(filter(None, [self.pair_words(self.measures[0]), self.secondary_words, self.constant_words]))

    @property
    def constant_words(self) -> str:
        """Beside verdicts by accuracy: that a constant answer has a higher one than every classifier, where it has."""
        return self.above_all if any(map(is_accuracy, self.measures)) else ""

    @property
    def secondary_words(self) -> str:
        """Who is better by which secondary measures."""
        if not self.secondary:
            return ""
        if len(self.primary) > 1 or self.primary[0].alternative != "two-sided":
            return f"Secondary measures: {' '.join(map(self.pair_words, self.measures[1:]))}"
        return f"Secondary measures: {'; '.join(self._clauses())}."

    def pair_words(self, measure: Measure) -> str:
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
            by_kind.setdefault((verdict.winner is None, _verdict_clause(verdict)), []).append(self.title(measure))
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
        found = [*filter(None, [self.secondary_words, self.constant_words])]
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


def _verdict_clause(verdict: Verdict) -> str:
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
        how: HowCompared = {**_test_options(measure, options), "control": options.get("control")}
        differences[measure] = differences_of(cmp, measure, measures[1:] if place else (), level, how)
    return _comparison_answer(cmp, differences, options, level, within, cautions)


def _comparison_answer(
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
        above_all=_constant_above_all(cmp) if any(map(is_accuracy, differences)) else "",
    )


def is_accuracy(measure: Measure) -> bool:
    """Whether always answering the commonest class is the best constant answer by a measure, and higher is better."""
    return measure.best_constant == "commonest" and measure.better == "higher"


def _constant_above_all(cmp: PairwiseComparison) -> str:
    """That the commonest class of all is right more often than every classifier, where it is."""
    answers = {(ev.baselines.majority_class, ev.baselines.value("majority", "accuracy")) for ev in cmp.evaluations}
    accuracy = cmp.find("accuracy")
    if len(answers) > 1 or not cmp.applies(accuracy):
        return ""
    ((name, constant),) = answers
    if any(float(accuracy(ev.evidence_for(accuracy))) >= constant - ROUNDING for ev in cmp.evaluations):
        return ""
    return constant_sentence(name, constant, len(cmp.names))


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
    pairs = cmp.family_size(how.get("control"), len(found))
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
    (first, second), how = pair, _test_options(measure, options)
    if len(cmp.names) == 2 or first == second or not {first, second} <= {*cmp.names}:
        found = in_family([cmp.difference(measure, first, second, level=level, **how)], level)
    elif (alone := cmp.among_all_pairs(measure, pair, level, how)) is not None:
        found = in_family([alone], level, pairs=cmp.family_size(None, 1))
    elif cmp.names.index(first) < cmp.names.index(second):
        found = differences_of(cmp, measure, (), level, {**how, "control": None})
    else:
        how = {**how, "alternative": OTHER_SIDE[how["alternative"]], "null": 0.0 - how["null"]}
        found = [one.flipped() for one in differences_of(cmp, measure, (), level, {**how, "control": None})]
    of_pair = [d for d in found if (d.first, d.second) == pair]
    answer = _comparison_answer(cmp, {measure: of_pair}, options, level, [measure], cautions)
    return replace(answer.primary[0], cautions=tuple(f"{one.code}  {one.message}" for one in answer.cautions))


def _test_options(measure: Measure, options: HowJudged) -> HowTested:
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


SCHEMA = "assay.comparison/1"
SHOWN = ("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "f1", "balanced_accuracy", "mcc")
SHOWN_OF_MANY = ("hand_till", "macro_roc_auc", "brier", "log_loss", "accuracy", "macro_f1", "balanced_accuracy", "mcc")
# What is compared where no measure is named, one for ranking, probabilities and decisions; and of labels alone.
KEYS = ("roc_auc", "hand_till", "brier", "accuracy")
KEYS_OF_LABELS = ("accuracy", "f1", "macro_f1")
# With more pairs of classifiers than this only the primary measure is compared.
MOST_PAIRS_OF_KEYS = 3
# Of more pairs than this, those of the best observed classifier are compared: all pairs of 25 classifiers.
MOST_PAIRS = 300


@with_old_names
class PairwiseComparison(ABC):
    """Differences and verdicts of classifiers from one joint estimator; every report shows its `answer`.

    `Comparison` is of the same cases, from their rows or from sums over them, `UnpairedComparison` of cases of their
    own: each adds what only such cases have.
    """

    models: Evaluations
    level: float
    # How cases are matched, and how many rows of each were left out for want of a counterpart.
    matched_by: str
    unmatched: Mapping[str, int] | None
    item: ClassVar[str] = "model"

    _repr_html_ = in_notebook

    def __dir__(self) -> list[str]:
        hidden = {*public_names(type(self))} - shown_names(type(self), COMPARISON)
        return sorted({*super().__dir__()} - hidden)

    def help(self) -> HelpTree:
        """Return what this comparison offers as a tree of topics, one line for each name."""
        return comparison_help(type(self))

    def __repr__(self) -> str:
        cautions = [f"{one.code}  {one.message}" for one in self.answer().cautions]
        parts = (str(self.table()), *self.sentences(), "\n".join(cautions))
        return "\n\n".join(part for part in parts if part)

    @property
    @abstractmethod
    def _estimator(self) -> JointEstimator:
        """What estimates the measures and how far they differ."""

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers or samples, in order."""
        return tuple(self.models)

    @property
    def evaluations(self) -> list[Evaluation]:
        """The evaluation of each, in order."""
        return list(self.models.values())

    @property
    def n(self) -> int:
        """How many cases there are."""
        return self._estimator.n

    @property
    def shared_cases(self) -> Shared | None:
        """How many cases each has and each two share, where not all have all of them."""
        return self._estimator.shared

    @property
    def assumptions(self) -> str:
        """What every comparison takes for granted, and what it cannot see."""
        return f"{self._estimator.assumptions}{self.omitted_pairs}"

    @property
    def default_measure(self) -> str:
        """The measure that is compared where none is named: the first of the usual ones that all have, with a test."""
        return next(name for name in (*self._shown, "accuracy") if self._is_tested(name))

    @property
    def _shown(self) -> tuple[str, ...]:
        return SHOWN if len(self._first.classes) == 2 else SHOWN_OF_MANY

    @property
    def _first(self) -> Evaluation:
        return next(iter(self.models.values()))

    def _is_tested(self, name: str) -> bool:
        registry = self._first.registry
        return name in registry and self.applies(name) and self._estimator.has_test(registry[name])

    def _usual(self, options: HowJudged) -> Sequence[str]:
        """The default measure, and a key measure of each other kind where there are few pairs and no named test."""
        primary = self.default_measure
        if not is_usual(options) or len(self.pairs_of(options.get("control"))) > MOST_PAIRS_OF_KEYS:
            return [primary]
        keys = KEYS_OF_LABELS if self.find(primary).needs is ConfusionMatrix else KEYS
        return list(dict.fromkeys((primary, *filter(self._is_tested, keys))))

    def applies(self, measure: str | Measure) -> bool:
        """Whether a measure can be computed for every classifier."""
        return all(ev.reason_unavailable(measure) is None for ev in self.models.values())

    def find(self, measure: str | Measure) -> Measure:
        """The measure of a name, which may be an alias or have parameters."""
        return self._first.find(measure)

    def _level(self, level: float | None) -> float:
        return self.level if level is None else checked_level(level)

    def _place(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.names:
            raise UnknownName(f"there is no {self.item} {name!r}", f"one of {', '.join(map(repr, self.names))}")
        return self.names.index(name)

    @cached_property
    def _every_pair(self) -> list[Pair]:
        return list(combinations(range(len(self.names)), 2))

    @property
    def omitted_pairs(self) -> str:
        """Which pairs are not compared, where there are too many, and how to compare them."""
        count, every = len(self.names), len(self._every_pair)
        if every <= MOST_PAIRS:
            return ""
        return (
            f" Of {count} {self.item}s only the best observed is compared with each other: {count - 1} of {every:,} "
            f"pairs, adjusted over all {every:,}; for other pairs use control."
        )

    def pairs_of(self, control: str | None, measure: Measure | None = None) -> list[Pair]:
        """The places of every pair that is compared by a measure, or of all others beside one control.

        Where there are too many pairs, these are the best by the measure, as observed, with each other one.
        """
        if control is not None:
            at = self._place(control)
            return [(k, at) for k in range(len(self.names)) if k != at]
        if not self.omitted_pairs:
            return self._every_pair
        named = measure or self.find(self.default_measure)
        sign = -1.0 if named.better == "lower" else 1.0
        values = [sign * float(named(ev.evidence_for(named))) for ev in self.models.values()]
        best = int(np.argmax(np.nan_to_num(values, nan=-np.inf)))
        return [(best, k) for k in range(len(self.names)) if k != best]

    def family_size(self, control: str | None, compared: int) -> int:
        """The number of pairs that intervals and p-values are adjusted for, where so many are compared."""
        return compared if control is not None else len(self._every_pair)

    def among_all_pairs(
        self, measure: Measure, pair: tuple[str, str], level: float, how: HowTested
    ) -> Difference | None:
        """The difference of one pair adjusted for all pairs, where there are too many to compare all of them."""
        if not self.omitted_pairs:
            return None
        places = self._place(pair[0]), self._place(pair[1])
        (found,) = self._estimator.differences(measure, [places], level, **how, among=self._every_pair)
        return found

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
        """How much higher a measure is for the first classifier, or sample, than for the second.

        `method` is the measure's own unless named: "DeLong", "Hanley-McNeil", "Obuchowski" (AUC), "Newcombe", "Wald"
        (shares), "bootstrap"; on the same cases also "Tango" (shares), "t" (mean losses), "Dirichlet", "normal",
        "influence", on cases of their own "Agresti-Caffo" (shares). What is named is computed wherever it can be, with
        a `caution`. The `alternative` "greater" or "less" gives a one-sided limit and the p-value of the same test;
        `null` is the difference that is tested.

        >>> import assay
        >>> cmp = assay.compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
        >>> cmp.difference("roc_auc", "a", "b", method="delong", alternative="greater")
        a - b: +0.250 [0.142, inf], p < 0.001 (paired DeLong, greater)
        """
        pair = self._place(first), self._place(second)
        if pair[0] == pair[1]:
            raise OptionError(f"{first!r} cannot be compared with itself", f"two {self.item}s")
        checked_choice(alternative, ALTERNATIVES, "alternative")
        tested, level, named = checked_number(null, "null"), self._level(level), self.find(measure)
        (found,) = self._estimator.differences(named, [pair], level, method, alternative=alternative, null=tested)
        return found

    def differences(
        self,
        measure: str | Measure,
        *,
        control: str | None = None,
        level: float | None = None,
        method: str | None = None,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
    ) -> list[Difference]:
        """All pairs (of over 25 models the best with each), or all with one control, adjusted to hold together."""
        named, level, null = self.find(measure), self._level(level), checked_number(null, "null")
        checked_choice(alternative, ALTERNATIVES, "alternative")
        pairs, among = self.pairs_of(control, named), self._every_pair if control is None else ()
        return self._estimator.differences(named, pairs, level, method, alternative=alternative, null=null, among=among)

    @cached_property
    def _answers(self) -> dict[tuple[Any, ...], ComparisonAnswer]:
        return {}

    def answer(
        self,
        measure: str | Measure | Sequence[str] | None = None,
        *,
        level: float | None = None,
        **asked: Unpack[HowJudged],
    ) -> ComparisonAnswer:
        """What may be said of these classifiers by a primary measure and secondary ones, as every report shows it.

        The first measure is primary: its intervals and p-values are not adjusted for other measures. The others are
        secondary and adjusted among themselves. Each is adjusted over all pairs, or all others against the `control`.
        Without a `measure` a key measure of each kind is compared, and of more than three pairs or by a named method
        the primary one alone. A `margin` is about the measures that are named, or else the primary one; `method`,
        `alternative` and `non_inferior` as in `verdicts`.

        >>> import assay
        >>> cmp = assay.compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
        >>> [(verdict.measure, verdict.family.role) for verdict in (*cmp.answer().primary, *cmp.answer().secondary)]
        [('roc_auc', 'primary'), ('brier', 'secondary'), ('accuracy', 'secondary')]
        """
        is_one = isinstance(measure, str | Measure) or not isinstance(measure, Iterable)
        several: Any = [measure] if is_one else measure
        if asked.get("control") is not None and not isinstance(asked["control"], str):
            raise OptionError(
                f"control is {asked['control']!r}"[:80], f"one of {', '.join(self.names)}", about="control"
            )
        measures: Iterable[Any] = self._usual(asked) if measure is None else several
        named = tuple(dict.fromkeys(map(self.find, measures)))
        if not named:
            raise OptionError("measure is an empty list", "the name of one, such as 'roc_auc'", about="measure")
        within, level = named[:1] if measure is None else named, self._level(level)
        key = (named, within, level, *sorted(asked.items()))
        if key not in self._answers:
            self._answers[key] = answer_of(self, named, asked, level, within, self._cautions_about)
        return self._answers[key]

    def verdict(
        self,
        measure: str | Measure,
        first: str,
        second: str,
        *,
        margin: float | None = None,
        level: float | None = None,
        method: str | None = None,
        alternative: Alternative = "two-sided",
    ) -> Verdict:
        """What may be said about two classifiers: better, practically the same, or inconclusive, and the cautions.

        `margin` is the largest difference that would not matter; `method` and `alternative` as in `difference`. With
        three or more classifiers it is adjusted over all pairs, as `differences` and the command line do.
        """
        asked: HowJudged = {"margin": margin, "method": method, "alternative": alternative}
        return self._verdict(measure, (first, second), asked, level)

    def non_inferiority(
        self,
        measure: str | Measure,
        first: str,
        second: str,
        *,
        margin: float,
        level: float | None = None,
        method: str | None = None,
    ) -> Verdict:
        """Whether the first is no worse than the second by more than the margin: one-sided, limit and p from one test.

        >>> import assay
        >>> cmp = assay.compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
        >>> cmp.non_inferiority("roc_auc", "a", "b", margin=0.05).outcome
        'not worse by more than the margin'
        """
        asked: HowJudged = {"margin": margin, "method": method, "non_inferior": True}
        return self._verdict(measure, (first, second), asked, level)

    def _verdict(self, measure: str | Measure, pair: tuple[str, str], asked: HowJudged, level: float | None) -> Verdict:
        about = partial(self._cautions_about, pair=pair)
        return verdict_of(self, self.find(measure), pair, asked, self._level(level), about)

    def verdicts(self, measure: str | Measure, **asked: Unpack[HowJudged]) -> list[Verdict]:
        """What may be said of every pair, or of all others beside one `control`, all of it holding together.

        `margin`, `method` and `alternative` as in `verdict`; `non_inferior` asks of each first one whether it is no
        worse by more than the margin.
        """
        return list(self.answer(measure, **asked).primary)

    def cautions(self, measure: str | None = None, *, control: str | None = None) -> tuple[Caution, ...]:
        """What to be careful about when these are compared by a measure."""
        return self.answer(measure or self.default_measure, control=control).cautions

    def _cautions_about(
        self, measure: Measure, found: Sequence[Difference], pair: tuple[str, str] | None = None
    ) -> tuple[Caution, ...]:
        """What a careful reader would ask about these comparisons, or about one pair among them."""
        unclear = [d.half_width for d in found if d.low <= 0 <= d.high]
        family = found[0].family
        facts = ComparisonFacts(
            comparisons=len(found) if family is None else family.pairs,
            dropped=max(ev.source.dropped for ev in self.evaluations),
            unclear=(in_sentence(measure.title), max(unclear)) if unclear else None,
            **self._facts_about(pair),
        )
        return tuple(check(facts))

    def _facts_about(self, pair: tuple[str, str] | None) -> dict[str, Any]:
        """What else cautions look at."""
        return {}

    def pairs(
        self, measure: str | Measure, *, level: float | None = None, se: bool = False, **asked: Unpack[HowCompared]
    ) -> PairTable:
        """The same as a table; `holm` shows what Holm's step-down procedure would decide, without intervals.

        With `se` also the standard errors, statistics and degrees of freedom of the tests.
        """
        return self.pair_table(self.differences(measure, level=level, **asked), self._level(level), asked, se=se)

    def pair_table(
        self, found: Sequence[Difference], level: float, options: HowCompared, *, se: bool = False
    ) -> PairTable:
        """Return differences of one measure as a table, with what Holm's procedure would decide about each pair."""
        how: dict[str, Any] = {key: value for key, value in options.items() if key != "control"}
        measure, family = self.find(found[0].measure), found[0].family
        each = bonferroni_level(level, 1 if family is None else len(family.adjusted_for))
        # Pairs that were chosen by their values are decided by p-values that are adjusted for that.
        if self.omitted_pairs and options.get("control") is None:
            differing = [d.p_value <= 1 - level for d in found]
        else:
            alone = [self.difference(measure, d.first, d.second, level=level, **how) for d in found]
            differing = holm([one.p_value for one in alone], each)
        return PairTable.of(
            {"first": [d.first for d in found], "second": [d.second for d in found]},
            [d.row(se=se) for d in found],
            f"{measure.title}: differences with {100 * level:g} % intervals that hold all at once",
            beside={"holm": ["differ" if differ else "" for differ in differing]},
        )

    def wins(self, measure: str | Measure) -> Table:
        """Who beats whom by the adjusted intervals: + the row is better, - it is worse, ? inconclusive."""
        named = self.find(measure)
        if named.better == "neither":
            found = f"neither high nor low values of {named.title} are better, so there is no winner"
            raise OptionError(found, "a measure that is better high or low")
        sign = {name: dict.fromkeys(self.names, "") for name in self.names}
        for d in self.differences(named):
            up = d.low > 0 if named.better == "higher" else d.high < 0
            down = d.high < 0 if named.better == "higher" else d.low > 0
            sign[d.first][d.second] = "+" if up else "-" if down else "?"
            sign[d.second][d.first] = "-" if up else "+" if down else "?"
        columns: dict[str, Sequence[Any]] = {"": list(self.names)}
        columns |= {name: [sign[row][name] for row in self.names] for name in self.names}
        columns["wins"] = [sum(mark == "+" for mark in sign[row].values()) for row in self.names]
        return Table(columns, title=f"{named.title}: + better, - worse, ? inconclusive")

    def table(self) -> Table:
        """The usual measures of each, every one with its own interval."""
        cells = [(self.find(m), name, ev) for m in self._shown if self.applies(m) for name, ev in self.models.items()]
        estimates = [ev.estimate(measure) for measure, _, ev in cells]
        return Table(
            {
                "measure": [measure.title for measure, _, _ in cells],
                self.item: [name for _, name, _ in cells],
                "estimate": [e.value for e in estimates],
                "low": [e.low for e in estimates],
                "high": [e.high for e in estimates],
                "method": [e.method for e in estimates],
            },
            title=f"Measures with {100 * self.level:g} % intervals, each by itself",
        )

    def sentences(self, measure: str | Sequence[str] | None = None, **asked: Unpack[HowJudged]) -> list[str]:
        """What the command line prints: a verdict for two, tables for more; asked for as `answer` is."""
        answer = self.answer(measure, **asked)
        doubts = dict.fromkeys(one.caution for one in (*answer.primary, *answer.secondary))
        cautions = [f"Caution: {doubt}." for doubt in doubts if doubt]
        *lines, assumed = answer.lines
        if len(self.names) == 2:
            (verdict,) = answer.primary
            details = "" if is_usual(asked) else f"{verdict.details[:1].upper()}{verdict.details[1:]}."
            lines += [assumed, details.removeprefix("."), *cautions, self._counts_words(verdict)]
            return ["\n".join(line for line in lines if line)]
        wins = self.win_table(answer, **asked)
        tables = [] if wins is None else [f"{wins.title}\n{wins}"]
        return ["\n".join([*lines, *cautions]), *tables, assumed]

    def verdict_lines(self, answer: ComparisonAnswer) -> list[str]:
        """Return the verdicts without their numbers: the primary ones, the secondary ones, and about margins."""
        margins = [
            line
            for measure in answer.measures
            for verdict in answer.verdicts[measure.name]
            for line in verdict.brief.split("\n")[1:]
        ]
        lines = [answer.pair_words(answer.measures[0]), answer.secondary_words, answer.constant_words, *margins]
        return [line for line in lines if line]

    def closing_lines(self, answer: ComparisonAnswer, **asked: Unpack[HowJudged]) -> list[str]:
        """Return what the verdicts assume, what is to be doubted about them, and the counts behind one pair."""
        verdicts = [*answer.primary, *answer.secondary]
        doubts = dict.fromkeys(one.caution for one in verdicts)
        lines = [answer.lines[-1]]
        if len(self.names) == 2:
            details = "" if is_usual(asked) else answer.primary[0].details
            lines += [f"{details[:1].upper()}{details[1:]}." if details else ""]
        lines += [f"Caution: {doubt}." for doubt in doubts if doubt]
        lines += [self._counts_words(answer.primary[0])] if len(self.names) == 2 else []
        return [line for line in lines if line]

    def win_table(self, answer: ComparisonAnswer, **asked: Unpack[HowJudged]) -> Table | None:
        """Return who wins against whom, of three or more by the usual test of every pair; None otherwise."""
        is_whole = asked.get("control") is None and not self.omitted_pairs and len(self.names) > 2
        has_wins = is_whole and answer.measures[0].better != "neither" and is_usual(asked)
        return self.wins(answer.measures[0]) if has_wins else None

    def _counts_words(self, verdict: Verdict) -> str:
        """How many cases stand behind the verdict about two, where that is known."""
        return ""

    def to_dict(self, measure: str | Sequence[str] | None = None, **asked: Unpack[HowJudged]) -> dict[str, Any]:
        """The record that `--format json` prints: each classifier's estimate, each pair's difference and verdict."""
        return self.record(self.answer(measure, **asked))

    def record(self, answer: ComparisonAnswer) -> dict[str, Any]:
        """Return an answer as JSON holds it, with what was compared."""
        measure = answer.measures[0]
        return {
            "schema": SCHEMA,
            "source": self._first.source.to_dict(),
            "n": self.n,
            "matched_by": self.matched_by,
            "unmatched": dict(self.unmatched or {}),
            "shared": None if self.shared_cases is None else self.shared_cases.to_dict(),
            "measure": measure.name,
            "level": answer.level,
            "models": {name: ev.estimate(measure).to_dict() for name, ev in self.models.items()},
            **answer.to_dict(),
        }


# Scores that correlate so nearly may come from models of which one contains the other.
NEARLY_THE_SAME = 0.98


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(PairwiseComparison):
    """Several classifiers' predictions about the same cases; every difference is the first minus the second.

    `unmatched` counts the rows of each that were left out because another had none for the same case; `shared` says who
    has which cases where all are used. Without rows, `joint_sums` holds sums over the cases.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(400) < 0.4
    >>> good, poor = (1 / (1 + np.exp(-rng.normal(truth * gap - 1, 1))) for gap in (2.0, 1.2))
    >>> from assay.evaluation.entry_points import compare
    >>> cmp = compare(truth, {"good": good, "poor": poor})
    >>> cmp.difference("roc_auc", "good", "poor")
    good - poor: +0.106 [0.056, 0.156], p < 0.001 (paired DeLong)
    >>> cmp.verdict("roc_auc", "good", "poor", margin=0.01).outcome
    'better'
    """

    models: Evaluations
    unmatched: Mapping[str, int] | None = None
    matched_by: str = "row"
    level: float = 0.95
    seed: int = 0
    joint_sums: ModelSums | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)

    @cached_property
    def _estimator(self) -> PairedRows:
        return paired_estimator(self.joint_sums, self.models, self.places, self.seed)

    @cached_property
    def _by_subgroup(self) -> dict[tuple[Measure, int, int], PairTable]:
        return {}

    @property
    def places(self) -> Mapping[str, NDArray[np.intp]] | None:
        """Which of all cases each classifier's rows are, where not all have all of them."""
        return self.models.places

    def _facts_about(self, pair: tuple[str, str] | None) -> dict[str, Any]:
        return {
            "compared_models": len(self.names),
            "unmatched": sum((self.unmatched or {}).values()),
            "nearly_equal": self.nearly_equal if pair is None or {*(self.nearly_equal or ())} == {*pair} else None,
        }

    def _cautions_about(
        self, measure: Measure, found: Sequence[Difference], pair: tuple[str, str] | None = None
    ) -> tuple[Caution, ...]:
        cautions = super()._cautions_about(measure, found, pair)
        # A winner by the area may be the worse one where it matters, so curves that cross are told of whoever wins.
        if measure.planned != "auc":
            return cautions
        crossing = [each for each in self.crossing_curves if pair is None or {*each} == {*pair}]
        return (*cautions, *cautions_about_crossing(self.models, crossing))

    def _counts_words(self, verdict: Verdict) -> str:
        if any(ev.matrix is None for ev in self.evaluations):
            return ""
        first, second = verdict.first, verdict.second
        right = self.joint_correctness(first, second)
        cells = (right.total, right.both, right.only_first, right.only_second, right.neither)
        n, both, one, other, neither = (f"{float(cell):,.15g}" for cell in cells)
        alone = f"only {first} {one} · only {second} {other}"
        return f"Of {n} cases: both correct {both} · {alone} · both misclassified {neither}"

    def test(self, measure: str = "roc_auc", *, method: str | None = None) -> TestResult:
        """Whether all classifiers score alike on a measure, as one test (for the AUC DeLong's, jointly).

        By the name "DeLong" it is chi-squared as published, from two cases a class on.
        """
        named = self.find(measure)
        joint, folds = self._estimator.jointly_by_name(named, method), self._estimator.fold_count
        found = joint.test()
        if method is not None:
            return found
        return found if folds is None else replace(found, p_value=p_of_folds(found.p_value, folds))

    def decisions(self, first: str, second: str) -> PairedDecisions:
        """The joint table of truth and both classifiers' decisions."""
        return self._estimator.paired(self._place(first), self._place(second))

    def joint_correctness(self, first: str, second: str) -> PairedCorrectness:
        """How many cases both got right, only one of them, or neither."""
        return self.decisions(first, second).correctness()

    def mcnemar(self, first: str, second: str, form: str = "mid-p") -> TestResult:
        """McNemar's test that both are right equally often, in the form named."""
        return self.tests.mcnemar(first, second, form)

    def cost_difference(
        self, first: str, second: str, *, costs: Costs | None = None, method: CostMethod = "smoothed"
    ) -> Difference:
        """How much more the first's decisions cost a case; every error costs 1 unless `costs` says otherwise."""
        paired = self.decisions(first, second)
        matrix = losses_of(costs, paired)
        if paired.squares is None and paired.clusters is None:
            return cost_difference(
                paired, matrix, method=method, names=(first, second), level=self.level, seed=self.seed
            )
        pair = {name: self._place(name) for name in (first, second)}
        return costs_by_row(self._estimator, pair, matrix, self.level)

    def cheapest(self, ratio: float = 1.0, *, prevalence: float | None = None) -> Cheapest:
        """Who is cheapest where a miss costs `ratio` false alarms, each at its cheapest threshold (cross-fitted)."""
        return cheapest_models(self.models, [ratio], prevalence, level=self.level, seed=self.seed)[0]

    def net_benefit_difference(self, first: str, second: str, threshold: float) -> Difference:
        """How much higher the first's net benefit is when both call positive from a threshold probability on."""
        at = Evaluations({name: ev.at(threshold) for name, ev in self.models.items()}, places=self.places)
        moved = Comparison(at, level=self.level)
        found = net_benefit_difference(moved.decisions(first, second), threshold, level=self.level, seed=self.seed)
        return replace(found, first=first, second=second)

    @cached_property
    def tests(self) -> PairTests:
        """Every other test of these classifiers, by the name of its author: `cmp.tests.cochran_q()`."""
        return PairTests(self)

    @cached_property
    def nearly_equal(self) -> tuple[str, str] | None:
        """Two classifiers whose scores nearly lie on a line, without being the same; None where there are none."""
        return next(_nearly_equal_pairs(self), None)

    @cached_property
    def crossing_curves(self) -> list[tuple[str, str]]:
        """The pairs of classifiers whose ROC curves cross by more than chance."""
        return crossing_pairs(self.models)

    @cached_property
    def hull(self) -> Hull:
        """The ROC hull of all of them: which is optimal under which costs and prevalence.

        A model with scores has its curve, one with predicted labels alone its one point.

        >>> import assay
        >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> settings = {"cautious": [0, 0, 0, 0, 0, 0, 1, 1], "bold": [0, 0, 1, 1, 1, 1, 1, 1]}
        >>> assay.compare(y_true, y_pred=settings).hull.at([0.5, 2]).table().columns["best"]
        ['cautious', 'bold']
        """
        of_two = {name: ev for name, ev in self.models.items() if isinstance(ev, TwoClassEvaluation)}
        each = {name: ev.matrix if ev.scores is None else ev.scores for name, ev in of_two.items()}
        known = {name: evidence for name, evidence in each.items() if evidence is not None}
        if not known:
            raise OptionError("a hull needs two classes", "models of two classes")
        return roc_hull(known)

    def by_subgroup(self, measure: str, first: str, second: str) -> PairTable:
        """The difference within each subgroup, adjusted so that all intervals and p-values hold together."""
        key = self.find(measure), self._place(first), self._place(second)
        if key not in self._by_subgroup:
            self._by_subgroup[key] = _subgroup_table(self, key[0].name, first, second)
        return self._by_subgroup[key]

    def report(
        self,
        path: str | PathLike[str],
        measure: str | Sequence[str] | None = None,
        *,
        margin: float | None = None,
        control: str | None = None,
        embed_rows: bool = False,
    ) -> None:
        """Write a page anyone can open: one offline HTML file; the first measure is the primary one.

        With `embed_rows` it holds the rows behind each cell of the confusion matrices.
        """
        asked = [measure] if isinstance(measure, str) else list(measure or [])
        names = tuple(self.find(name).name for name in asked)
        render("page", self, path, names, margin, control, embed_rows=embed_rows)


def _subgroup_differences(cmp: Comparison, measure: str, first: str, second: str) -> dict[str, Difference]:
    """The difference within each subgroup, all intervals and p-values holding together (Bonferroni)."""
    known = {name: list(ev.subgroups) for name, ev in cmp.models.items()}
    groups = [group for group in known[first] if group in known[second]]
    if not groups:
        raise OptionError("the cases are in no subgroups", "the column that parts them: by='COLUMN'")
    level = 1 - (1 - cmp.level) / len(groups)
    found = {}
    for group in groups:
        parts = {name: cmp.models[name].subgroups[group] for name in (first, second)}
        of_group = type(cmp)(
            Evaluations(parts, places=_row_places_in_subgroup(cmp, group, parts)), level=level, seed=cmp.seed
        )
        found[group] = of_group.difference(measure, first, second)
    return found


def _row_places_in_subgroup(cmp: Comparison, group: str, parts: Iterable[str]) -> dict[str, NDArray[np.intp]] | None:
    """Which of a subgroup's cases each classifier's rows are, where not all have all of them."""
    if cmp.places is None:
        return None
    partings = {name: cmp.models[name].grouping for name in parts}
    here = {
        name: cmp.places[name][one.codes == one.names.index(group)] for name, one in partings.items() if one is not None
    }
    someone = np.zeros(1 + max(int(places.max()) for places in here.values()), dtype=np.bool_)
    for places in here.values():
        someone[places] = True
    among = np.cumsum(someone) - 1
    return {name: among[places] for name, places in here.items()}


def _subgroup_table(cmp: Comparison, measure: str, first: str, second: str) -> PairTable:
    """The same as a table; p-values are multiplied by the number of subgroups."""
    found = _subgroup_differences(cmp, measure, first, second)
    each = list(found.values())
    times = len(each)
    rows = [replace(d.row(), p_value=bonferroni(d.p_value, times)) for d in each]
    return PairTable.of(
        {"subgroup": list(found), "cases": [round(d.n) for d in each]},
        rows,
        title=f"{cmp.find(measure).title} by subgroup, {first} - {second}: "
        f"{100 * cmp.level:g} % intervals that hold for all {times} at once",
    )


def _nearly_equal_pairs(cmp: Comparison) -> Iterator[tuple[str, str]]:
    """Pairs of models whose scores nearly lie on a line, without being the same."""
    scores = {
        name: ev.rows.score for name, ev in cmp.models.items() if ev.rows is not None and ev.rows.score is not None
    }
    for first, second in combinations(scores, 2) if cmp.places is None else ():
        one, other = scores[first], scores[second]
        if np.array_equal(one, other) or not (one.std() and other.std()):
            continue
        if float(np.corrcoef(one, other)[0, 1]) > NEARLY_THE_SAME:
            yield first, second
