"""A comparison with what was asked of it: which measures, which margin, which control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.comparison import Cheapest, Difference, Verdict, judge
from assay.errors import InputError, OptionError
from assay.evaluation import Comparison, Evaluation, Evaluations, cheapest_models, paired
from assay.report.families import Family, families_of
from assay.report.knots import RATIOS
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

    def shown_of(self, measure: str) -> list[Difference]:
        """The same as a page shows them: of two models those that decide hold together."""
        if len(self.comparison.names) != 2:
            return self.of(measure)
        by_measure = {one.by_level[self.comparison.level].measure: one for one in self.families}
        found = by_measure.get(self.comparison.find(measure).name)
        return self.of(measure) if found is None else [found.by_level[self.comparison.level]]

    @cached_property
    def families(self) -> list[Family]:
        """Of two models the key measure of each family; where others were asked for, these."""
        first, second = self.comparison.names[:2]
        is_usual = self.measures == (self.comparison.default_measure,)
        return families_of(self.comparison, first, second, () if is_usual else self.measures)

    @cached_property
    def cheapest(self) -> tuple[list[Cheapest], str]:
        """Who is cheapest at each cost ratio that the page stops at; or none, and why."""
        level, seed = self.comparison.level, self.comparison.seed
        try:
            return cheapest_models(self.comparison.models, RATIOS, level=level, seed=seed), ""
        except OptionError as error:
            return [], str(error).split(";")[0]

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
        found = paired(models if isinstance(models, Evaluations) else Evaluations(models))
    except InputError as error:
        return NotCompared(str(error))
    return Compared(found, (found.default_measure,), asked=False)
