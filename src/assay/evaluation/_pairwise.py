"""Comparisons of classifiers, whatever their estimates come from: one set of answers, tables and sentences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from typing import Any, ClassVar, Unpack

import numpy as np

from assay.cautions import Caution, ComparisonFacts, check
from assay.comparison import ALTERNATIVES, Alternative, Difference, Verdict, bonferroni_level, holm
from assay.errors import OptionError, UnknownName
from assay.evaluation._answer import (
    ComparisonAnswer,
    HowCompared,
    HowJudged,
    HowTested,
    answer_of,
    is_usual,
    verdict_of,
)
from assay.evaluation._differences import JointEstimator, Pair
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._several import Evaluations
from assay.evaluation._shared import Shared
from assay.evidence import ConfusionMatrix
from assay.measures import Measure
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_number
from assay.results import PairTable, Table
from assay.text import in_sentence

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
    thing: ClassVar[str] = "model"

    _repr_html_ = in_notebook

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
    def shared(self) -> Shared | None:
        """How many cases each has and each two share, where not all have all of them."""
        return self._estimator.shared

    @property
    def assumptions(self) -> str:
        """What every comparison takes for granted, and what it cannot see."""
        return f"{self._estimator.assumptions}{self.left_out}"

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
        return all(ev.applies(measure) is None for ev in self.models.values())

    def find(self, measure: str | Measure) -> Measure:
        """The measure of a name, which may be an alias or have parameters."""
        return self._first.find(measure)

    def _level(self, level: float | None) -> float:
        return self.level if level is None else checked_level(level)

    def _place(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.names:
            raise UnknownName(f"there is no {self.thing} {name!r}", f"one of {', '.join(map(repr, self.names))}")
        return self.names.index(name)

    @cached_property
    def _every_pair(self) -> list[Pair]:
        return list(combinations(range(len(self.names)), 2))

    @property
    def left_out(self) -> str:
        """Which pairs are not compared, where there are too many, and how to compare them."""
        count, every = len(self.names), len(self._every_pair)
        if every <= MOST_PAIRS:
            return ""
        return (
            f" Of {count} {self.thing}s only the best observed is compared with each other: {count - 1} of {every:,} "
            f"pairs, adjusted over all {every:,}; for other pairs use control."
        )

    def pairs_of(self, control: str | None, measure: Measure | None = None) -> list[Pair]:
        """The places of every pair that is compared by a measure, or of all others beside one control.

        Where there are too many pairs, these are the best by the measure, as observed, with each other one.
        """
        if control is not None:
            at = self._place(control)
            return [(k, at) for k in range(len(self.names)) if k != at]
        if not self.left_out:
            return self._every_pair
        named = measure or self.find(self.default_measure)
        sign = -1.0 if named.better == "lower" else 1.0
        values = [sign * float(named(ev.evidence_for(named))) for ev in self.models.values()]
        best = int(np.argmax(np.nan_to_num(values, nan=-np.inf)))
        return [(best, k) for k in range(len(self.names)) if k != best]

    def pairs_at_once(self, control: str | None, compared: int) -> int:
        """The number of pairs that intervals and p-values are adjusted for, where so many are compared."""
        return compared if control is not None else len(self._every_pair)

    def among_all_pairs(
        self, measure: Measure, pair: tuple[str, str], level: float, how: HowTested
    ) -> Difference | None:
        """The difference of one pair adjusted for all pairs, where there are too many to compare all of them."""
        if not self.left_out:
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
            raise OptionError(f"{first!r} cannot be compared with itself", f"two {self.thing}s")
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
        if self.left_out and options.get("control") is None:
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
            found = f"neither high nor low values of {named.title} are better, so nobody wins"
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
                self.thing: [name for _, name, _ in cells],
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
        is_whole = asked.get("control") is None and not self.left_out
        has_wins = is_whole and answer.measures[0].better != "neither" and is_usual(asked)
        wins = [self.wins(answer.measures[0])] if has_wins else []
        return ["\n".join([*lines, *cautions]), *(f"{table.title}\n{table}" for table in wins), assumed]

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
            "shared": None if self.shared is None else self.shared.to_dict(),
            "measure": measure.name,
            "level": answer.level,
            "models": {name: ev.estimate(measure).to_dict() for name, ev in self.models.items()},
            **answer.to_dict(),
        }
