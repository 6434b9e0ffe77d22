"""A comparison with what was asked of it: which measures, which margin, which control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.comparison import Cheapest, Difference, Verdict
from assay.errors import InputError, OptionError
from assay.evaluation import (
    Comparison,
    ComparisonAnswer,
    Evaluation,
    Evaluations,
    HowCompared,
    cheapest_models,
    differences_of,
    paired,
)
from assay.measures import Measure
from assay.report.knots import RATIOS
from assay.report.words import model_names

# Levels that a reader of a page may choose.
LEVELS = (0.9, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class NotCompared:
    """Several models that are no pairs, and why."""

    reason: str


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison as it is reported: the first of `measures` is primary; without any they are the usual ones.

    One that was not `asked` for comes along with the evaluation of several models.
    """

    comparison: Comparison
    measures: tuple[str, ...] = ()
    margin: float | None = None
    control: str | None = None
    asked: bool = True

    @cached_property
    def answer(self) -> ComparisonAnswer:
        """What every surface shows."""
        return self.answer_at(self.comparison.level, self.margin)

    def answer_at(self, level: float, margin: float | None) -> ComparisonAnswer:
        """The same at another level and with another margin."""
        return self.comparison.answer(self.measures or None, level=level, margin=margin, control=self.control)

    @cached_property
    def answers(self) -> Mapping[float, ComparisonAnswer]:
        """The answer at each level that a page offers."""
        levels = sorted({*LEVELS, self.comparison.level})
        first, *others = self.answer.measures
        for measure in (first, *others):
            # A measure at all levels before the next: what it is compared by is worked out once.
            for level in levels:
                how: HowCompared = {"control": self.control}
                differences_of(self.comparison, measure, others if measure is not first else (), level, how)
        return {level: self.answer_at(level, self.margin) for level in levels}

    @property
    def measure(self) -> Measure:
        """The primary measure."""
        return self.answer.measures[0]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What each model is called on the page."""
        return model_names(self.comparison.models)

    @property
    def differences(self) -> Sequence[Difference]:
        """The differences that the primary verdicts rest on."""
        return self.answer.differences[self.measure.name]

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """What may be said about each pair by the primary measure."""
        return self.answer.primary

    @cached_property
    def cheapest(self) -> tuple[list[Cheapest], str]:
        """Who is cheapest at each cost ratio that the page stops at; or none, and why."""
        level, seed = self.comparison.level, self.comparison.seed
        try:
            return cheapest_models(self.comparison.models, RATIOS, level=level, seed=seed), ""
        except OptionError as error:
            return [], str(error).split(";")[0]

    @cached_property
    def best(self) -> str:
        """The model with the best value on these cases, whatever its interval."""
        return self.best_by(self.measure)

    def best_by(self, measure: Measure) -> str:
        """The same by any measure."""
        values = {key: ev.estimate(measure).value for key, ev in self.comparison.models.items()}
        sign = -1 if measure.better == "lower" else 1
        return max(values, key=lambda key: sign * values[key])


def pairing(models: Mapping[str, Evaluation]) -> Compared | NotCompared | None:
    """The comparison of models that were evaluated together, or why there is none; None for one model."""
    if len(models) < 2:
        return None
    try:
        found = paired(models if isinstance(models, Evaluations) else Evaluations(models))
    except InputError as error:
        return NotCompared(str(error))
    return Compared(found, asked=False)
