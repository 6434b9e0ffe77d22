"""Does a measure differ between groups of cases? Each group against all cases outside it, all groups at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from assay.comparison.adjustment import Difference
from assay.comparison.joint import adjusted_p, critical_value, draws_of_largest, level_that_reaches_zero
from assay.comparison.pair_table import two_sided
from assay.comparison.rates import FEWEST_EACH
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.request import checked_level, checked_seed
from assay.results import Estimate, counted
from assay.types import Floats

REST = "the rest"
# With fewer cases of a class than this on either side no interval of a gap was shown to hold its level.
FEWEST_OF_CLASS = 5


@dataclass(frozen=True, eq=False)
class Apart:
    """A group and all cases outside it, as evidence of one measure; the two share no case and no cluster.

    >>> from assay.measures import find
    >>> north = ConfusionMatrix.binary(tp=40, fn=10, fp=5, tn=45)
    >>> rest = ConfusionMatrix.binary(tp=90, fn=10, fp=2, tn=98)
    >>> Apart("site", "north", find("recall"), north, rest).alone()
    north - the rest: -0.100 [-0.234, 0.016], p = 0.094 (MOVER, Jeffreys)
    """

    column: str
    group: str
    measure: Measure
    inside: ConfusionMatrix | ScoreTable
    outside: ConfusionMatrix | ScoreTable

    @cached_property
    def values(self) -> tuple[float, float]:
        """The measure in the group, and in the rest."""
        return float(self.measure(self.inside)), float(self.measure(self.outside))

    @property
    def value(self) -> float:
        """How much higher the measure is in the group."""
        return self.values[0] - self.values[1]

    @cached_property
    def n(self) -> float:
        """The cases it rests on, on both sides."""
        return self.measure.cases(self.inside) + self.measure.cases(self.outside)

    @cached_property
    def why_not(self) -> str | None:
        """Why this group is not tested, or None. Nothing but the numbers of cases has a say, and what varies at all."""
        for side, where in ((self.inside, ""), (self.outside, "in the rest ")):
            reason = too_few(self.measure, side)
            found = self._estimate(side, 0.95) if reason is None else None
            if found is not None and math.isnan(found.low):
                reason = found.undefined or "it is undefined"
            if reason is not None:
                return where + reason
        return None

    @property
    def method(self) -> str:
        """How the limits are made."""
        return "MOVER" if self._of_one is None else f"MOVER, {self._of_one}"

    def alone(self, level: float = 0.95) -> Difference:
        """The gap with its interval and p-value, were this the only group that is looked at."""
        level, nan = checked_level(level), math.nan
        empty = Difference(self.measure.name, self.group, REST, self.value, nan, nan, level, nan, "none", self.n)
        if self.why_not is not None:
            return replace(empty, undefined=self.why_not)
        low, high = self.limits(level)
        return replace(empty, low=low, high=high, p_value=self.p_value, method=self.method)

    @cached_property
    def p_value(self) -> float:
        """The least miss rate at which 0 lies outside the limits."""
        return level_that_reaches_zero(self.limits, self.value)

    def limits(self, level: float) -> tuple[float, float]:
        """The limits of the gap, recovered from those of either side, which are independent (Zou 2007)."""
        one, other = (self._estimate(side, level) for side in (self.inside, self.outside))
        low = self.value - math.hypot(one.value - one.low, other.high - other.value)
        return low, self.value + math.hypot(one.high - one.value, other.value - other.low)

    def _estimate(self, side: ConfusionMatrix | ScoreTable, level: float) -> Estimate:
        return self.measure.estimate(side, level=level, method=self._of_one)

    @property
    def _of_one(self) -> str | None:
        """The interval of a share by itself; None for the usual one.

        Wilson's, and the score test, take a single error in a small group for far too much where errors are rare.
        """
        is_clustered = isinstance(self.inside, ConfusionMatrix) and self.inside.clusters is not None
        return "Jeffreys" if is_share(self.measure) and not is_clustered else None


def is_share(measure: Measure) -> bool:
    """Whether a measure is a share of cases: of right answers, or of the cases given one label."""
    return measure.parts is not None and (measure.answers is not None or measure.of_calls)


def gap_is_tested(measure: Measure) -> bool:
    """Whether gaps of a measure were shown to hold their level: shares of cases, the AUC, mean losses."""
    return is_share(measure) or measure.pairs is not None or measure.planned == "loss"


def gap_is_of_means(measure: Measure) -> bool:
    """Whether the rest's value is a mean of the values of the groups in it, so that equal groups have no gap."""
    return is_share(measure) or measure.planned == "loss"


def too_few(measure: Measure, evidence: ConfusionMatrix | ScoreTable) -> str | None:
    """Why so few cases give no interval of a gap; None where they do."""
    if isinstance(evidence, ScoreTable):
        fewest = min(evidence.kish)
        said = f"{counted(round(fewest), 'case')} in a class, fewer than {FEWEST_OF_CLASS}"
        return said if fewest < FEWEST_OF_CLASS else None
    cases = measure.cases(evidence)
    said = f"{counted(round(cases), 'case')} that it is a share of, fewer than {FEWEST_EACH}"
    return said if cases < FEWEST_EACH else None


def at_once(
    each: Sequence[Apart], moved: Floats | None = None, *, level: float = 0.95, seed: int = 0, comparisons: int = 0
) -> list[Difference]:
    """The gaps of several groups whose intervals hold all at once and whose p-values keep the level among them all.

    The largest standardised gap is held against its own distribution (single-step max-T), drawn with the correlations
    that shared cases give; where Bonferroni's bound is sharper it is taken. `moved[g, i]` is how much case (or cluster)
    i moves gap g; without it Bonferroni's bound serves alone. `comparisons` counts those that are not another's mirror.
    """
    level, seed = checked_level(level), checked_seed(seed)
    tested = [k for k, one in enumerate(each) if one.why_not is None]
    count = min(comparisons or len(tested), len(tested))
    largest = (
        None if moved is None or count < 2 else _draws_of_largest_gap(moved[tested], [each[k] for k in tested], seed)
    )
    critical = float(ndtri(1 - (1 - level) / (2 * max(count, 1))))
    if largest is not None:
        critical = min(critical, critical_value(largest, level))
    words = f"{counted(count, 'comparison')} at once" if count > 1 else None
    found = []
    for one in each:
        gap = one.alone(1 - two_sided(critical))
        adjusted = adjusted_p(gap.p_value, largest, count) if gap.undefined is None else math.nan
        found.append(replace(gap, level=level, p_value=adjusted, adjusted=words))
    return found


def _draws_of_largest_gap(moved: Floats, each: Sequence[Apart], seed: int) -> Floats:
    """Draws of the largest standardised gap, were there none."""
    # Drawn in an order that the names of the groups have no part in, so that neither have the limits.
    order = sorted(range(len(each)), key=lambda k: (each[k].n, each[k].values, moved[k] @ moved[k]))
    return draws_of_largest((moved @ moved.T)[np.ix_(order, order)], math.inf, seed)
