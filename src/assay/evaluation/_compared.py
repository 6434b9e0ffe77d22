"""What else there is to say about classifiers that are compared: who owns the hull, subgroups, and what to doubt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution, ComparisonFacts, check
from assay.comparison import Difference
from assay.errors import OptionError
from assay.evaluation._several import Evaluations
from assay.evaluation._together import cautions_about_crossing
from assay.measures import Measure
from assay.results import Table
from assay.words import in_sentence

if TYPE_CHECKING:
    from assay.evaluation._comparison import Comparison

__all__ = ["cautions_of", "nearly_equal", "subgroup_differences", "subgroup_table"]

# Scores that correlate so nearly may come from models of which one contains the other.
NEARLY_THE_SAME = 0.98


def subgroup_differences(cmp: Comparison, measure: str, first: str, second: str) -> dict[str, Difference]:
    """The difference within each subgroup, all intervals and p-values holding together (Bonferroni)."""
    known = {name: list(ev.subgroups) for name, ev in cmp.models.items()}
    groups = [group for group in known[first] if group in known[second]]
    if not groups:
        raise OptionError("the cases are in no subgroups", "the column that parts them: by='COLUMN'")
    level = 1 - (1 - cmp.level) / len(groups)
    found = {}
    for group in groups:
        parts = {name: cmp.models[name].subgroups[group] for name in (first, second)}
        of_group = type(cmp)(Evaluations(parts, places=_places_in(cmp, group, parts)), level=level, seed=cmp.seed)
        found[group] = of_group.difference(measure, first, second)
    return found


def _places_in(cmp: Comparison, group: str, parts: Iterable[str]) -> dict[str, NDArray[np.intp]] | None:
    """Which of a subgroup's cases each classifier's rows are, where not all have all of them."""
    if cmp.places is None:
        return None
    partings = {name: cmp.models[name].parting for name in parts}
    here = {
        name: cmp.places[name][one.codes == one.names.index(group)] for name, one in partings.items() if one is not None
    }
    someone = np.zeros(1 + max(int(places.max()) for places in here.values()), dtype=np.bool_)
    for places in here.values():
        someone[places] = True
    among = np.cumsum(someone) - 1
    return {name: among[places] for name, places in here.items()}


def subgroup_table(cmp: Comparison, measure: str, first: str, second: str) -> Table:
    """The same as a table; p-values are multiplied by the number of subgroups."""
    found = subgroup_differences(cmp, measure, first, second)
    each = list(found.values())
    times = len(each)
    return Table(
        {
            "subgroup": list(found),
            "cases": [round(d.n) for d in each],
            "difference": [d.value for d in each],
            "low": [d.low for d in each],
            "high": [d.high for d in each],
            "p_value": [min(1.0, times * d.p_value) for d in each],
            **({"undefined": [d.undefined or "" for d in each]} if any(d.undefined for d in each) else {}),
        },
        title=f"{cmp.find(measure).title} by subgroup, {first} - {second}: "
        f"{100 * cmp.level:g} % intervals that hold for all {times} at once",
    )


def cautions_of(
    cmp: Comparison, measure: Measure, differences: Sequence[Difference], pair: Collection[str] | None = None
) -> tuple[Caution, ...]:
    """What a careful reader would ask about these comparisons, or about one pair among them."""
    unclear = [d.half_width for d in differences if d.low <= 0 <= d.high]
    family = differences[0].family
    facts = ComparisonFacts(
        comparisons=len(differences) if family is None else family.pairs,
        compared_models=len(cmp.names),
        unmatched=sum((cmp.unmatched or {}).values()),
        dropped=max(ev.source.dropped for ev in cmp.models.values()),
        nearly_equal=cmp.nearly_equal if pair is None or {*(cmp.nearly_equal or ())} == {*pair} else None,
        unclear=(in_sentence(measure.title), max(unclear)) if unclear else None,
    )
    # A winner by the area may be the worse one where it matters, so curves that cross are told of whoever wins.
    if measure.planned != "auc":
        return tuple(check(facts))
    crossing = [each for each in cmp.crossing if pair is None or {*each} == {*pair}]
    return (*check(facts), *cautions_about_crossing(cmp.models, crossing))


def nearly_equal(cmp: Comparison) -> tuple[str, str] | None:
    """The first pair of models whose scores nearly lie on a line, without being the same."""
    return next(_nearly_equal(cmp), None)


def _nearly_equal(cmp: Comparison) -> Iterator[tuple[str, str]]:
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
