"""Everything that was asked of ranks at once, before it is written in one format or another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.ranks.effect_sizes import EffectSize, effects_table
from assay.renderers import in_notebook
from assay.results import Table

if TYPE_CHECKING:
    from assay.ranks.bayesian import SignedRankPosterior
    from assay.ranks.critical_difference import CriticalDifference
    from assay.ranks.posthoc import Comparisons
    from assay.ranks.ranks import Ranks
    from assay.ranks.weka_table import WekaTable

SCHEMA = "assay.ranks/1"


@dataclass(frozen=True, eq=False, repr=False)
class RankAnswer:
    """Ranks with the comparisons, the critical difference and whatever else was asked for.

    `asked` holds what was asked otherwise than usual, by the name of the option.
    """

    ranks: Ranks
    comparisons: Comparisons
    difference: CriticalDifference
    posteriors: tuple[SignedRankPosterior, ...] = ()
    weka: WekaTable | None = None
    adjustments: Table | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return self.words()

    @cached_property
    def effects(self) -> tuple[EffectSize, ...]:
        """How far apart the compared pairs lie."""
        return self.ranks.effect_sizes(control=self.comparisons.control)

    def words(self) -> str:
        """What all this says, in sentences, a line each."""
        return self.ranks.words(self.comparisons)

    def omnibus(self) -> Table:
        """The tests of any difference at all, a row each; where one is undefined it says why."""
        tests = self.ranks.omnibus()
        facts = ("statistic", "p_value", "method", "undefined")
        columns = {fact: [getattr(one, fact) for one in tests.values()] for fact in facts}
        return Table({"test": list(tests), **columns}, title="Any difference at all")

    def tables(self) -> dict[str, Table]:
        """Every table, by its title."""
        found = {"ranks": self.ranks.table(), "omnibus": self.omnibus(), "comparisons": self.comparisons.table()}
        found["critical difference"] = self.difference.table()
        found["effect sizes"] = effects_table(self.effects)
        if self.adjustments is not None:
            found["adjustments"] = self.adjustments
        if self.posteriors:
            names = ("first", "second", "first_better", "same", "second_better", "rope", "error")
            found["bayesian"] = Table({name: [getattr(one, name) for one in self.posteriors] for name in names})
        return found if self.weka is None else found | {"weka": self.weka.table(), "weka ranking": self.weka.ranking()}

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""
        return {
            "schema": SCHEMA,
            **self.ranks.to_dict(),
            "critical_difference": self.difference.to_dict(),
            "comparisons": self.comparisons.to_dict(),
            "effect_sizes": [one.to_dict() for one in self.effects],
            "adjustments": None if self.adjustments is None else self.adjustments.to_dict(),
            "bayesian": [one.to_dict() for one in self.posteriors],
            "weka": None if self.weka is None else self.weka.to_dict(),
            "words": self.words().splitlines(),
        }
