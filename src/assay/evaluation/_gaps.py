"""Do groups of cases differ? A measure in each group against the rest of the cases, all groups at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.comparison import Apart, Difference, Rows, at_once, gap_is_tested
from assay.errors import OptionError
from assay.evaluation._gap_words import Gap, Gaps
from assay.evidence import ConfusionMatrix, DecidedRows, ScoreTable
from assay.measures import Measure
from assay.types import Bools, Codes, Floats
from assay.uncertainty import p_of_folds, widened_level

__all__ = ["Parting", "asked_partings", "gaps_of", "parted_by"]

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
        raise OptionError(f"the cases were parted by {own.column!r}, not by {by!r}", "values for each case", about="by")
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
    reason = _why_not(rows, measure, partings)
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
    found = _of_folds(rows, level, lambda at: at_once(each, moved, level=at, seed=seed, comparisons=comparisons))
    listed = tuple(_gap(one, here, gap, rows) for one, here, gap in zip(each, masks, found, strict=True))
    return Gaps(measure, columns, level, listed, comparisons)


def _of_folds(rows: DecidedRows, level: float, find: Callable[[float], list[Difference]]) -> list[Difference]:
    """Gaps at a level; of models of several folds with the intervals and p-values they need."""
    if rows.fold is None:
        return find(level)
    folds = int(rows.fold.max()) + 1
    found = find(widened_level(level, folds))
    return [replace(one, level=level, p_value=p_of_folds(one.p_value, folds)) for one in found]


def _gap(one: Apart, here: Bools, found: Difference, rows: DecidedRows) -> Gap:
    cases = float(here.sum() if rows.count is None else rows.count[here].sum())
    return Gap(one.column, one.group, round(cases), *one.values, found)


def _why_not(rows: DecidedRows, measure: Measure, partings: Sequence[Parting]) -> str | None:
    """Why nothing can be tested, or None."""
    if not gap_is_tested(measure) or measure.needs not in (ConfusionMatrix, ScoreTable):
        return "no test between groups was shown to hold its level for this measure"
    if measure.ranks_folds_apart and rows.fold is not None:
        return "folds are ranked each by itself, and no test between groups was shown to hold its level for that"
    if rows.cluster is not None and measure.is_mean_loss:
        return "rows come in clusters, and no test between groups of them was shown to hold its level for a mean loss"
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
