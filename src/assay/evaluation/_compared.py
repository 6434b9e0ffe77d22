"""What else there is to say about classifiers that are compared: who owns the hull, subgroups, and what to doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.comparison import Difference, bonferroni
from assay.errors import OptionError
from assay.evaluation._several import Evaluations
from assay.results import PairTable

if TYPE_CHECKING:
    from assay.evaluation._comparison import Comparison

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


def subgroup_table(cmp: Comparison, measure: str, first: str, second: str) -> PairTable:
    """The same as a table; p-values are multiplied by the number of subgroups."""
    found = subgroup_differences(cmp, measure, first, second)
    each = list(found.values())
    times = len(each)
    rows = [replace(d.row(), p_value=bonferroni(d.p_value, times)) for d in each]
    return PairTable.of(
        {"subgroup": list(found), "cases": [round(d.n) for d in each]},
        rows,
        title=f"{cmp.find(measure).title} by subgroup, {first} - {second}: "
        f"{100 * cmp.level:g} % intervals that hold for all {times} at once",
    )


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
