"""A comparison with what was asked of it: which measures, which margin, which control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.comparison import Difference, Verdict, judge
from assay.errors import InputError
from assay.evaluation import Comparison, Evaluation, Evaluations, paired
from assay.report.words import model_names

__all__ = ["Compared", "NotCompared", "pairing"]

# What the difference plot shows beside the measure that was asked for.
BESIDE = ("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "f1", "hand_till", "macro_f1")
# Differences of more pairs than this do not fit one plot, so only the measure asked for is shown.
MOST_PAIRS = 3


@dataclass(frozen=True)
class NotCompared:
    """Several models that are no pairs, and why."""

    reason: str


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison as it is reported; the first measure is the one that the verdict is about.

    One that was not `asked` for comes along with the evaluation of several models.
    """

    comparison: Comparison
    measures: tuple[str, ...]
    margin: float | None = None
    control: str | None = None
    asked: bool = True
    _known: dict[str, list[Difference]] = field(default_factory=dict, init=False, repr=False)

    @property
    def measure(self) -> str:
        """The measure that the verdict is about."""
        return self.measures[0]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What each model is called on the page."""
        return model_names(self.comparison.models)

    @cached_property
    def differences(self) -> list[Difference]:
        """The differences that the verdicts rest on."""
        return self.of(self.measure)

    def of(self, measure: str) -> list[Difference]:
        """The differences of a measure, all pairs or all against the control; worked out once."""
        if measure not in self._known:
            self._known[measure] = self.comparison.differences(measure, control=self.control)
        return self._known[measure]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """What may be said about each pair and the first measure."""
        named = self.comparison.find(self.measure)
        return [judge(d, named.title, named.better, margin=self.margin) for d in self.differences]

    @cached_property
    def best(self) -> str:
        """The model with the best value on these cases, whatever its interval."""
        values = {key: ev.estimate(self.measure).value for key, ev in self.comparison.models.items()}
        sign = -1 if self.comparison.find(self.measure).better == "lower" else 1
        return max(values, key=lambda key: sign * values[key])

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The measures of the difference plot: those asked for and, where there is room, the usual ones."""
        if len(self.differences) > MOST_PAIRS or len(self.measures) > 1:
            return self.measures
        usual = [m for m in BESIDE if m in self.comparison.models[self.comparison.names[0]].registry]
        return tuple(dict.fromkeys((*self.measures, *(m for m in usual if self.comparison.applies(m)))))


def pairing(models: Mapping[str, Evaluation]) -> Compared | NotCompared | None:
    """The comparison of models that were evaluated together, or why there is none; None for one model."""
    if len(models) < 2:
        return None
    try:
        found = paired(Evaluations(models))
    except InputError as error:
        return NotCompared(str(error))
    return Compared(found, (found.default_measure,), asked=False)
