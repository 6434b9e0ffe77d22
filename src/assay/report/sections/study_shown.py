"""A study as its page shows it: one measure, its estimates, the order of the learners, the best two."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.comparison import Difference
from assay.errors import AssayError
from assay.experiments.optimism import side_by_side_value
from assay.measures import Measure
from assay.report.words import short_names
from assay.results import Estimate, Table

if TYPE_CHECKING:
    from assay.experiments import Study
    from assay.experiments.optimism import Winner
    from assay.ranks import RankAnswer

__all__ = ["Shown"]


@dataclass(frozen=True, eq=False)
class Shown:
    """What of a study a page is about; everything is worked out once."""

    study: Study
    measure: str
    level: float

    @cached_property
    def facts(self) -> Measure:
        """The measure's title and direction."""
        return self.study.facts(self.measure)

    @cached_property
    def definition(self) -> Mapping[str, Any]:
        """What the store holds about data sets and learners."""
        held: Mapping[str, Any] = json.loads(self.study.store.definition(self.study.name))
        return held

    @cached_property
    def learners(self) -> dict[str, str]:
        """What each learner is called on the page."""
        return short_names(self.study.learners)

    @cached_property
    def datasets(self) -> dict[str, str]:
        """What each data set is called on the page."""
        return short_names(self.study.datasets)

    @cached_property
    def dummy(self) -> str | None:
        """The learner that looks at no feature."""
        return next(iter(self.study.baselines), None)

    @cached_property
    def chosen(self) -> dict[str, Winner]:
        """Where the plan sets a part aside to choose on: the learner chosen on each data set, if one can be."""
        found = {}
        for dataset in self.study.datasets if self.study.validates and self.facts.better != "neither" else ():
            with suppress(AssayError):
                found[dataset] = self.study.winner(dataset, self.measure, level=self.level)
        return found

    @cached_property
    def parts(self) -> Table:
        """The measure on the cases learned from beside that on others."""
        return self.study.optimism(self.measure)

    @cached_property
    def estimates(self) -> dict[tuple[str, str], Estimate]:
        """The measure of every learner on every data set."""
        return {
            (dataset, learner): self.study.estimate(dataset, learner, self.measure, level=self.level)
            for dataset in self.study.datasets
            for learner in self.study.learners
        }

    @cached_property
    def ranked(self) -> RankAnswer | str | None:
        """The learners ranked over the data sets, why they cannot be, or nothing where there is nothing to rank."""
        if len(self.study.datasets) < 2 or self.facts.better == "neither":
            return None
        try:
            return self.study.ranks(self.measure).answer()
        except AssayError as error:
            return str(error)

    @property
    def answer(self) -> RankAnswer | None:
        """The learners ranked over the data sets, where they can be."""
        return None if isinstance(self.ranked, str) else self.ranked

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Learners that have a value everywhere, from the best: by mean rank over data sets, or by value on the one."""
        if self.facts.better == "neither":
            return ()
        if self.answer is not None:
            return self.answer.ranks.order
        sign = -1 if self.facts.better == "higher" else 1
        means = {
            learner: sign * sum(self._value(dataset, learner) for dataset in self.study.datasets)
            for learner in self.study.learners
            if learner != self.dummy or len(self.study.learners) == 1
        }
        return tuple(sorted((name for name in means if not math.isnan(means[name])), key=means.__getitem__))

    def _value(self, dataset: str, learner: str) -> float:
        """What a learner is put in order by: the part to choose on, where there is one."""
        if self.study.validates:
            return side_by_side_value(self.study, dataset, learner, self.measure)
        return self.estimates[dataset, learner].value

    @property
    def pairs(self) -> int:
        """How many pairs of learners there were to choose from."""
        return len(self.order) * (len(self.order) - 1) // 2

    def difference(self, dataset: str, first: str, second: str) -> Difference:
        """The first less the second on a data set by the corrected t test, its limits wide enough for any pair.

        The pair was chosen by looking, so that limits and p-value hold for all pairs at once.
        """
        by = f"all {self.pairs} pairs at once, Bonferroni" if self.pairs > 1 else None
        nan = math.nan
        try:
            level = 1 - (1 - self.level) / self.pairs
            table = self.study.compare(dataset, first, second, self.measure, level=level)
        except AssayError as error:
            return Difference(
                self.measure, first, second, nan, nan, nan, self.level, nan, "corrected resampled t", 0, str(error), by
            )
        test, value, low, high, _, _, p_value, note = next(table.rows())
        why = None if not math.isnan(low) else note
        if self.study.not_drawn is not None:
            low = high = p_value = nan
            why = f"the test was made for folds and random splits, not for '{self.study.plan.name}'"
        raised = p_value if math.isnan(p_value) else min(1.0, self.pairs * p_value)
        splits = len(self.study.fold_scores(dataset, first, self.measure).values)
        return Difference(self.measure, first, second, value, low, high, self.level, raised, test, splits, why, by)

    @cached_property
    def best_two(self) -> dict[str, Difference]:
        """The best learner less the next one, on each data set."""
        for first, second in pairwise(() if self.study.validates else self.order[:2]):
            return {dataset: self.difference(dataset, first, second) for dataset in self.study.datasets}
        return {}

    def winner(self, found: Difference) -> str | None:
        """The better one of a difference, if that is beyond chance."""
        if math.isnan(found.low) or found.low <= 0 <= found.high:
            return None
        return found.first if (found.value > 0) == (self.facts.better == "higher") else found.second
