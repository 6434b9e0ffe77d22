"""What a comparison on the same cases and one between samples of other cases answer alike: verdicts and the record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from typing import Any, Unpack, cast

from assay.cautions import Caution
from assay.comparison import Alternative, Difference, Verdict
from assay.evaluation._answer import ComparisonAnswer, HowCompared, HowJudged, HowTested, answer_of, verdict_of
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._judged import record_of
from assay.measures import Measure
from assay.request import checked_level

__all__ = ["Answering"]


class Answering(ABC):
    """Differences and verdicts of classifiers; every report shows its `answer` and works out nothing itself."""

    level: float

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The classifiers, in order."""

    @property
    @abstractmethod
    def evaluations(self) -> list[Evaluation]:
        """The evaluation of each, in order."""

    @property
    @abstractmethod
    def assumptions(self) -> str:
        """What every comparison takes for granted."""

    @abstractmethod
    def find(self, measure: str | Measure) -> Measure:
        """The measure called so, which may be an alias."""

    @abstractmethod
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
        """How much higher a measure is for the first than for the second, by itself."""

    @abstractmethod
    def differences(
        self, measure: str | Measure, *, level: float | None = None, **asked: Unpack[HowCompared]
    ) -> list[Difference]:
        """All pairs, or all others against one control, adjusted for each other."""

    @abstractmethod
    def _usual(self, options: HowJudged) -> Sequence[str]:
        """The measures compared where none is named, the primary one first."""

    def pairs_at_once(self, control: str | None, compared: int) -> int:
        """The number of pairs that intervals and p-values are adjusted for, where so many are compared."""
        return compared

    def among_all_pairs(
        self, measure: Measure, pair: tuple[str, str], level: float, how: HowTested
    ) -> Difference | None:
        """The difference of one pair adjusted for all pairs; None where all pairs are compared anyway."""
        return None

    def _cautions_about(
        self, measure: Measure, found: Sequence[Difference], pair: tuple[str, str] | None = None
    ) -> tuple[Caution, ...]:
        """What there is to be careful about; no rule looks at samples of other cases."""
        return ()

    @cached_property
    def _answers(self) -> dict[tuple[Any, ...], ComparisonAnswer]:
        return {}

    def _level(self, level: float | None) -> float:
        return self.level if level is None else checked_level(level)

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
        if measure is None:
            measures: Iterable[str | Measure] = self._usual(asked)
        else:
            is_one = isinstance(measure, str | Measure) or not isinstance(measure, Iterable)
            measures = [cast("str | Measure", measure)] if is_one else cast("Iterable[str | Measure]", measure)
        named = tuple(dict.fromkeys(map(self.find, measures)))
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

    def to_dict(self, measure: str | Sequence[str] | None = None, **asked: Unpack[HowJudged]) -> dict[str, Any]:
        """The record that `--format json` prints: each classifier's estimate, each pair's difference and verdict."""
        return record_of(self, self.answer(measure, **asked))
