"""What may be said about groups of cases that were tested against the rest."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from scipy.special import ndtri

from assay.comparison import Difference, gap_is_of_means
from assay.measures import Measure
from assay.renderers import in_notebook
from assay.results import PairTable, counted
from assay.text import bracketed, p_words, shortened, value_words

__all__ = ["Gap", "Gaps"]

# How often a gap that is said to show would do so.
POWER = 0.8
# So many groups are named in a sentence.
MOST_NAMED = 3


@dataclass(frozen=True)
class Gap:
    """A measure in one group and in all cases outside it: how far they are apart."""

    column: str
    group: str
    n: int
    value: float
    rest: float
    difference: Difference

    _repr_html_ = in_notebook

    @property
    def is_tested(self) -> bool:
        """Whether there is an interval."""
        return self.difference.undefined is None

    @property
    def differs(self) -> bool:
        """Whether 0 lies outside the interval."""
        return self.is_tested and not self.difference.low <= 0 <= self.difference.high

    def to_dict(self) -> dict[str, Any]:
        """The gap as JSON holds it: nan as None."""
        facts = asdict(self) | {name: getattr(self.difference, name) for name in ("low", "high", "p_value", "method")}
        facts |= {"gap": self.difference.value, "undefined": self.difference.undefined}
        del facts["difference"]
        return {name: None if isinstance(fact, float) and math.isnan(fact) else fact for name, fact in facts.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Gaps:
    """A measure in each group against the rest, with intervals and p-values that hold for all groups at once.

    `found` are the groups; those too small to be tested have a reason in place of an interval. `comparisons` is what
    the adjustment counts: the groups tested, of all columns together, two groups that are all there is as one.
    `undefined` says why nothing was tested.

    >>> import assay
    >>> truth, site = [0, 1] * 100, ["north"] * 80 + ["south"] * 120
    >>> called = [0, 1] * 40 + [0, 1, 1, 0, 0, 1] * 20
    >>> assay.evaluate(truth, y_pred=called, by=site, positive=1).gaps("accuracy")
    Accuracy differs between the groups of by: north is higher than south by 0.333 [0.248, 0.421] (p < 0.001; one ...
    """

    measure: Measure
    columns: tuple[str, ...]
    level: float
    found: tuple[Gap, ...] = ()
    comparisons: int = 0
    undefined: str | None = field(default=None)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return self.sentence

    @property
    def tested(self) -> tuple[Gap, ...]:
        """The groups that have an interval."""
        return tuple(gap for gap in self.found if gap.is_tested)

    @property
    def left_out(self) -> tuple[Gap, ...]:
        """The groups that were not tested, each with its reason in `difference.undefined`."""
        return tuple(gap for gap in self.found if not gap.is_tested)

    @property
    def differing(self) -> tuple[Gap, ...]:
        """The groups that differ from the rest, the surest first."""
        return tuple(sorted((gap for gap in self.found if gap.differs), key=lambda gap: gap.difference.p_value))

    @property
    def sentence(self) -> str:
        """What these cases say about the groups, over how many groups that holds, and which were left out."""
        said = self._not_tested() if not self.tested else self._differ() if self.differing else self._cannot_tell()
        return " ".join(part for part in (said, self._left_out()) if part)

    def table(self) -> PairTable:
        """Every group, with the gap to the rest and why it was left out."""
        keys: dict[str, list[Any]] = {"column": [gap.column for gap in self.found]} if len(self.columns) > 1 else {}
        keys |= {"group": [gap.group for gap in self.found], "cases": [gap.n for gap in self.found]}
        keys |= {"value": [gap.value for gap in self.found], "rest": [gap.rest for gap in self.found]}
        title = f"{self.measure.title}: each group minus the rest, {100 * self.level:g} % intervals that hold at once"
        return PairTable.of(keys, [gap.difference.row() for gap in self.found], title)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` holds."""
        return {
            "measure": self.measure.name,
            "columns": list(self.columns),
            "level": self.level,
            "comparisons": self.comparisons,
            "groups": [gap.to_dict() for gap in self.found],
            "undefined": self.undefined,
            "sentence": self.sentence,
        }

    @property
    def _of(self) -> str:
        return " and ".join(shortened(column) for column in self.columns)

    @property
    def _is_one_pair(self) -> bool:
        return len(self.columns) == 1 and len(self.found) == 2

    def _not_tested(self) -> str:
        reason = self.undefined or f"no group is left: {self._named(self.left_out)}"
        return f"{self.measure.title} was not tested between the groups of {self._of}: {reason}."

    def _differ(self) -> str:
        if self._is_one_pair:
            first, second = self.found
            said = _apart(first.group, second.group, first.difference)
            return f"{self._differs}: {said} ({_p(first)}; one comparison of 2 groups)."
        shown = self.differing[:MOST_NAMED]
        named = [f"{_apart(gap.group, 'the rest', gap.difference)} (adjusted {_p(gap)})" for gap in shown]
        more = len(self.differing) - len(shown)
        others = f", and {counted(more, 'more group')}" if more else ""
        beside = " A group may stand out because another one is in its rest." if len(self.differing) > 1 else ""
        return f"{self._differs}: {', '.join(named)}{others}.{beside} {self._scope}"

    @property
    def _differs(self) -> str:
        title = self.measure.title
        if self._is_one_pair or gap_is_of_means(self.measure):
            return f"{title} differs between the groups of {self._of}"
        # The rest is ranked together: groups with the same area may still have a rest with another one.
        return f"{title} in groups of {self._of} differs from that of all other cases together"

    @property
    def _scope(self) -> str:
        columns = f" of {len(self.columns)} columns" if len(self.columns) > 1 else ""
        held = (
            f"hold for all {len(self.tested)} groups{columns} at once" if len(self.tested) > 1 else "are of one group"
        )
        return f"Intervals and p-values {held}; other columns, measures and models that you look at are not counted."

    def _cannot_tell(self) -> str:
        is_alone = len(self.tested) == 1
        groups = f"{shortened(self.tested[0].group, 24)} and the rest" if is_alone else f"the groups of {self._of}"
        reach = {gap.group: self._detectable(gap) for gap in self.tested}
        best, worst = min(reach, key=lambda name: reach[name]), max(reach, key=lambda name: reach[name])
        seen = f"a gap of {reach[best]:.2g} would show in 4 of 5 samples like these"
        if not self._is_one_pair and f"{reach[best]:.2g}" != f"{reach[worst]:.2g}":
            seen = (
                f"to show in 4 of 5 samples like these, a gap would have to be {reach[best]:.2g} in "
                f"{shortened(best, 24)} and {reach[worst]:.2g} in {shortened(worst, 24)}"
            )
        scope = "" if self._is_one_pair else f" {self._scope}"
        return f"{self.measure.title}: these cases cannot tell whether it differs between {groups}; {seen}.{scope}"

    def _detectable(self, gap: Gap) -> float:
        reach = float(ndtri(1 - (1 - self.level) / (2 * max(self.comparisons, 1))))
        return gap.difference.half_width * (reach + float(ndtri(POWER))) / reach

    def _left_out(self) -> str:
        return f"Left out: {self._named(self.left_out)}." if self.left_out and self.tested else ""

    def _named(self, gaps: tuple[Gap, ...]) -> str:
        """The groups with what keeps them from being tested, the first of many."""
        named = "; ".join(f"{shortened(gap.group, 24)} ({gap.difference.undefined})" for gap in gaps[:MOST_NAMED])
        more = len(gaps) - MOST_NAMED
        return f"{named} and {counted(more, 'more group')}" if more > 0 else named


def _apart(first: str, second: str, gap: Difference) -> str:
    """Who is lower or higher than whom, by how much."""
    is_lower = gap.value < 0
    size = replace(gap, value=-gap.value, low=-gap.high, high=-gap.low) if is_lower else gap
    names = f"{shortened(first, 24)} is {'lower' if is_lower else 'higher'} than {shortened(second, 24)}"
    return f"{names} by {value_words(size)} {bracketed(size)}"


def _p(gap: Gap) -> str:
    words = p_words(gap.difference.p_value)
    return f"p {words}" if words.startswith("<") else f"p = {words}"
