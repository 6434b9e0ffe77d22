"""Do groups of cases differ? A measure in each group against the rest of the cases, all groups at once.

What may be said about groups of cases that were tested against the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.comparison import Apart, Difference, Rows, at_once, gap_is_of_means, gap_is_tested
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, DecidedRows, ScoreTable
from assay.measures import Measure
from assay.renderers import in_notebook
from assay.results import PairTable, counted
from assay.text import bracketed, p_words, shortened, value_words
from assay.types import Bools, Codes, Floats
from assay.uncertainty import p_of_folds, widened_level

__all__ = ["Gap", "Gaps", "Parting", "asked_partings", "gaps_of", "parted_by"]


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
            said = _significant_gap_words(first.group, second.group, first.difference)
            return f"{self._differs}: {said} ({_p_value_words(first)}; one comparison of 2 groups)."
        shown = self.differing[:MOST_NAMED]
        named = [
            f"{_significant_gap_words(gap.group, 'the rest', gap.difference)} (adjusted {_p_value_words(gap)})"
            for gap in shown
        ]
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


def _significant_gap_words(first: str, second: str, gap: Difference) -> str:
    """Who is lower or higher than whom, by how much."""
    is_lower = gap.value < 0
    size = replace(gap, value=-gap.value, low=-gap.high, high=-gap.low) if is_lower else gap
    names = f"{shortened(first, 24)} is {'lower' if is_lower else 'higher'} than {shortened(second, 24)}"
    return f"{names} by {value_words(size)} {bracketed(size)}"


def _p_value_words(gap: Gap) -> str:
    words = p_words(gap.difference.p_value)
    return f"p {words}" if words.startswith("<") else f"p = {words}"


# So many moves of gaps by cases are kept at once; beyond, Bonferroni's bound serves alone.
MOST_MOVES = 20_000_000


@dataclass(frozen=True, eq=False)
class Parting:
    """A column that parts cases into groups: the names of its groups and the code of each case's."""

    column: str
    names: tuple[str, ...]
    codes: Codes

    @property
    def present(self) -> list[tuple[str, Bools]]:
        """The groups that hold a case, each with where its cases are."""
        each = ((name, self.codes == code) for code, name in enumerate(self.names))
        return [(name, here) for name, here in each if here.any()]


def asked_partings(by: Any, own: Parting | None, cases: int) -> list[Parting]:
    """The columns that are asked for: the one cases were parted by already, or values for each case, by name."""
    if isinstance(by, Mapping):
        if not by:
            raise OptionError("by names no column", "at least one: {'site': values}", about="by")
        return [parted_by(str(column), values, cases) for column, values in by.items()]
    if by is not None and not isinstance(by, str):
        return [parted_by("group", by, cases)]
    if own is None:
        raise OptionError("the cases are in no subgroups", "the column that parts them: by='COLUMN'", about="by")
    if by is not None and by != own.column:
        raise OptionError(
            f"the subgroups are those of {own.column!r}, not of {by!r}", "values for each case", about="by"
        )
    return [own]


def parted_by(column: str, values: Any, cases: int) -> Parting:
    """Cases parted by a value for each.

    >>> parted_by("site", ["north", "south", "north"], 3).names
    ('north', 'south')
    """
    try:
        given = np.asarray(values).tolist()
    except ValueError:
        raise OptionError("by is a table of lists", "a value for each case", about="by") from None
    if not isinstance(given, list) or len(given) != cases:
        found = f"by has {len(given):,} values" if isinstance(given, list) else "by is one value"
        raise OptionError(f"{found}, and there are {cases:,} cases", "a value for each case", about="by")
    for row, value in enumerate(given, 1):
        if value is None or value != value:
            raise OptionError(f"row {row:,}: the group in {column!r} is missing", "a value for each case", about="by")
    texts = [str(value) for value in given]
    places = {name: place for place, name in enumerate(sorted(set(texts)))}
    return Parting(column, tuple(places), np.array([places[text] for text in texts], dtype=np.intp))


def gaps_of(
    rows: DecidedRows, measure: Measure, partings: Sequence[Parting], *, level: float = 0.95, seed: int = 0
) -> Gaps:
    """The gap between each group of one or more columns and the rest, all of them at once."""
    columns = tuple(parting.column for parting in partings)
    reason = _test_obstacle(rows, measure, partings)
    if reason is not None:
        return Gaps(measure, columns, level, undefined=reason)
    each, masks, comparisons = [], [], 0
    for parting in partings:
        present = parting.present
        new = [_apart(rows, measure, parting.column, *one) for one in present]
        each += new
        masks += [here for _, here in present]
        tested = sum(one.why_not is None for one in new)
        # Of two groups the one's gap is the other's with its sign turned: that is one comparison.
        comparisons += min(tested, 1) if len(new) == 2 else tested
    moved = _moves(rows, measure, each, masks) if comparisons > 1 else None
    found = _gaps_of_folds(rows, level, lambda at: at_once(each, moved, level=at, seed=seed, comparisons=comparisons))
    listed = tuple(_subgroup_gap(one, here, gap, rows) for one, here, gap in zip(each, masks, found, strict=True))
    return Gaps(measure, columns, level, listed, comparisons)


def _gaps_of_folds(rows: DecidedRows, level: float, find: Callable[[float], list[Difference]]) -> list[Difference]:
    """Gaps at a level; of models of several folds with the intervals and p-values they need."""
    if rows.fold is None:
        return find(level)
    folds = int(rows.fold.max()) + 1
    found = find(widened_level(level, folds))
    return [replace(one, level=level, p_value=p_of_folds(one.p_value, folds)) for one in found]


def _subgroup_gap(one: Apart, here: Bools, found: Difference, rows: DecidedRows) -> Gap:
    cases = float(here.sum() if rows.count is None else rows.count[here].sum())
    return Gap(one.column, one.group, round(cases), *one.values, found)


def _test_obstacle(rows: DecidedRows, measure: Measure, partings: Sequence[Parting]) -> str | None:
    """Why nothing can be tested, or None."""
    if not gap_is_tested(measure) or measure.needs not in (ConfusionMatrix, ScoreTable):
        return "no test between groups keeps its level for this measure"
    if measure.ranks_folds_apart and rows.fold is not None:
        return "folds are ranked separately, and no test between groups keeps its level there"
    if rows.cluster is not None and measure.is_mean_loss:
        return "the rows come in clusters, and no test between groups of clusters keeps its level for a mean loss"
    for parting in partings:
        groups = len(parting.present)
        if groups < 2:
            return f"{parting.column} has one value, so that no case is outside its group"
        if rows.cluster is not None:
            pairs = np.zeros((int(rows.cluster.max()) + 1, len(parting.names)), dtype=np.bool_)
            pairs[rows.cluster, parting.codes] = True
            spread = int((pairs.sum(1) > 1).sum())
            if spread:
                several = "cluster has" if spread == 1 else "clusters have"
                return (
                    f"{spread:,} {several} rows in several groups of {parting.column}, so that a group and the rest "
                    "depend on one another"
                )
    return None


def _apart(rows: DecidedRows, measure: Measure, column: str, group: str, here: Bools) -> Apart:
    inside, outside = (_evidence(rows.only(side), measure) for side in (here, ~here))
    return Apart(column, group, measure, inside, outside)


def _evidence(rows: DecidedRows, measure: Measure) -> ConfusionMatrix | ScoreTable:
    if measure.needs is ConfusionMatrix:
        matrix = rows.matrix()
        assert matrix is not None
        return matrix
    assert rows.score is not None
    return ScoreTable.of(rows.score, rows.truth == 1, (rows.classes[0], rows.classes[1]), **rows.design)


def _moves(rows: DecidedRows, measure: Measure, each: Sequence[Apart], masks: Sequence[Bools]) -> Floats | None:
    """How much each case, or cluster, would move each gap if all varied alike; None where that is too much to keep.

    How they do vary is not looked at: where few cases err, a handful of errors would make all gaps look like one.
    """
    if len(each) * len(rows) > MOST_MOVES:
        return None
    design = {name: getattr(rows, name) for name in ("weight", "count", "cluster")}
    known = Rows(rows.truth == 1, **design)
    taking_part = _taking_part(rows, measure)
    moved = np.zeros((len(each), len(rows)))
    for gap, one, here in zip(moved, each, masks, strict=True):
        if one.why_not is None:
            for side, sign in ((here, 1.0), (~here, -1.0)):
                for part in taking_part:
                    gap[side & part] = sign / float(known.sizes(side & part))
    return known.sums(moved)


def _taking_part(rows: DecidedRows, measure: Measure) -> list[Bools]:
    """The cases that a measure is a mean over: of each class by itself, of those in its denominator, or of all."""
    if measure.needs is ScoreTable:
        is_positive = rows.truth == 1
        return [is_positive, ~is_positive] if measure.of_each_class else [np.ones(len(rows), dtype=np.bool_)]
    assert measure.parts is not None
    assert rows.decision is not None
    shape = len(rows.classes), len(rows.decisions)
    cells = np.eye(shape[0] * shape[1]).reshape(-1, *shape)
    _, whole = measure.parts(ConfusionMatrix(cells, rows.classes, rows.decisions))
    counts = np.asarray(whole).reshape(shape) > 0
    return [np.asarray(counts[rows.truth, rows.decision])]
