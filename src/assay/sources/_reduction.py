"""Rows reduced where they lie: one scan counts the classes in each cell of the shared grid, wherever the rows are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence import Binned, ConfusionMatrix, ModelSums, ScoreGrid, ScoreTable, Shape
from assay.evidence.binned import no_probability
from assay.evidence.clustered import ClusteredRows
from assay.sources._cells import with_cells
from assay.sources._labels import Classes
from assay.sources._lying import Survey, held
from assay.sources._progress import stage
from assay.sources._records import Source
from assay.sources._scan import Found, coded, kept_rows, of_each, others_of, sums_of, with_sides
from assay.sources._subjects import Subject
from assay.types import Floats

__all__ = [
    "Grouped",
    "Known",
    "Reduction",
    "cluster_codes",
    "first_bits",
    "how_closely",
    "is_positive",
    "known_of",
    "missing_bits",
    "only_of",
    "reduced_scores",
    "truth_codes",
    "width_of",
]  # fmt: skip

# A share of the standard error that nobody would see beside it.
NEGLIGIBLE = 0.01
# Bits of the finest grid, cells of the largest table and of all of them, and how often rows are looked at again.
MOST_BITS, MOST_CELLS, MOST_CELLS_IN_ALL, MOST_PASSES = 40, 6_000_000, 24_000_000, 3
# The AUC's standard error is about this, divided by the root of the smaller class, and so many cells of a halving of
# the distance to 0 or 1 hold as many scores as all of them would evenly: measured on scores of many shapes.
USUAL_ERROR, USUAL_HALVINGS = 0.3, 5.0
# As many halvings as usual scores fill with cells.
FILLED_HALVINGS = 8
BITS_OF_CLUSTERS = 7


@dataclass(frozen=True, eq=False)
class Known:
    """Scores put together: the cells, how far the AUC of the rows may be from that of the cells, and its error.

    `cases` are how many negatives and positives there are, whatever they weigh.
    """

    binned: Binned
    # The score table of the cells, with what each cluster has in each, where rows depend on one another.
    table: ScoreTable
    width: float
    error: float
    cases: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Grouped:
    """One model's predictions, put together: how many cases each class has, whatever they weigh, and the cells.

    `scores` are of the positive class of two, or of each of many against the rest; none where there are labels alone.
    `matrix` is what was decided about the rows, by labels, by the highest of many scores, or by a threshold that was
    asked for and of which the cells do not tell.
    """

    cases: Mapping[str, int]
    scores: tuple[Known, ...] = ()
    matrix: ConfusionMatrix | None = None
    subgroups: Mapping[str, Grouped] = field(default_factory=dict)
    is_decided_by_labels: bool = False

    @property
    def binned(self) -> Binned:
        """The cells of the first scores."""
        return self.scores[0].binned


@dataclass(frozen=True, eq=False)
class Reduction:
    """What is known of each model where rows stay where they lie, and where that is.

    `together` is what several models made of the same cases, where somebody asked for it.
    """

    models: Mapping[str, Grouped]
    source: Source
    by: str | None = None
    together: ModelSums | None = None


@dataclass(frozen=True)
class ScoreColumn:
    """One column of one model, and the class that its scores are of."""

    subject: Subject
    column: str
    code: int


ScoresFound = dict[ScoreColumn, dict[str | None, Known]]


def reduced_scores(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, within: float | None, shape: Shape | None = None
) -> dict[tuple[str, int], dict[str | None, Known]]:
    """The scores of every model, put together; by its name, the place of the class, and the subgroup (None: all).

    All columns of one kind are read in one scan, and those that are not known closely enough in a further one; or all
    of them once, in cells of a given `shape`.
    """
    many = classes.are_many
    parts = [
        ScoreColumn(subject, column, code if many else 1)
        for subject in subjects
        for code, column in enumerate(subject.scores)
    ]
    found: ScoresFound = {}
    for kind in ("probability", "real"):
        todo = [part for part in parts if _kind(survey, part, shape) == kind]
        if shape is not None and todo:
            stage(f"{survey.rows:,} rows into cells of {shape.bits} bits")
            found |= _scanned(survey, todo, classes, ScoreGrid(kind, shape.bits))
            continue
        bits = max((first_bits(_fewer(survey, part, classes), within) for part in todo), default=0)
        # Every column, every subgroup and every cluster has cells of its own.
        most = MOST_CELLS_IN_ALL // (max(1, len(parts)) * _subgroups(survey))
        bits = min(bits, BITS_OF_CLUSTERS if survey.lying.clusters else max(6, int(math.log2(most / FILLED_HALVINGS))))
        for _ in range(MOST_PASSES if todo else 0):
            stage(f"{survey.rows:,} rows into cells of {bits} bits")
            known = _scanned(survey, todo, classes, ScoreGrid(kind, bits))
            found |= known
            extra = {
                part: missing_bits(tables[None], bits, within, min(most, MOST_CELLS)) for part, tables in known.items()
            }
            todo = [part for part in todo if extra[part] > 0]
            if not todo:
                break
            bits += max(extra.values())
    return {(part.subject.name, part.code if many else 0): found[part] for part in parts}


def _subgroups(survey: Survey) -> int:
    return max(1, len(survey.sizes("by"))) if "by" in survey.lying.keys else 1


def _kind(survey: Survey, part: ScoreColumn, shape: Shape | None) -> Any:
    low, high = _ends(survey, part)
    found = "probability" if low >= 0 and high <= 1 else "real"
    if shape is None or shape.kind is None:
        return found
    if shape.kind == "probability" != found:
        raise no_probability(low if low < 0 else high)
    return shape.kind


def _ends(survey: Survey, part: ScoreColumn) -> tuple[float, float]:
    low, high = survey.range_of(part.column, part.subject.model)
    # Shares may stray by what float32 is off.
    return (max(low, 0.0), min(high, 1.0)) if len(part.subject.scores) > 1 else (low, high)


def _fewer(survey: Survey, part: ScoreColumn, classes: Classes) -> int:
    """How many cases the smaller side has."""
    sizes = survey.sizes(model=part.subject.model)
    own = sizes.get(classes.names[part.code], 0)
    return max(1, min(own, sum(sizes.values()) - own))


def _scanned(survey: Survey, parts: Sequence[ScoreColumn], classes: Classes, grid: ScoreGrid) -> ScoresFound:
    """The cells of some columns on one grid, in one query."""
    import narwhals as nw

    lying, many = survey.lying, classes.are_many
    columns = list(dict.fromkeys(part.column for part in parts))
    scores = {column: _clipped(column, parts) for column in columns}
    if many:
        rows = kept_rows(survey, code=truth_codes(survey, classes), **scores)
    else:
        rows = kept_rows(survey, positive=is_positive(survey, classes), **scores)
    wanted = {part.subject.model for part in parts}
    if len(wanted) < len(survey.sizes("model") if "model" in lying.keys else wanted):
        rows = rows.filter(nw.col("model").is_in(survey.raw("model", *map(str, wanted))))
    largest = max(max(-low, high) for low, high in (_ends(survey, part) for part in parts))
    code_of = {column: part.code for part in parts for column in [part.column]}

    def grouped(each: Any, keys: list[str]) -> Any:
        if many:
            own: Any = nw.lit(code_of[columns[0]], nw.Int64) if not keys else coded_places(columns, code_of)
            is_own = nw.when(nw.col("code") == own).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
            each = each.with_columns(positive=is_own)
        each = with_cells(with_sides(each, lying), grid, largest).with_columns(greatest=nw.col("score"))
        sums = [*sums_of(lying), nw.col("score").min().alias("least"), nw.col("greatest").max()]
        return each.group_by(*others_of(lying), *keys, "cell").agg(*sums)

    found = of_each(rows, columns, "score", grouped)
    return {part: _tables(survey, only_of(survey, found, part, columns), grid, classes, part) for part in parts}


def coded_places(columns: Sequence[str], code_of: Mapping[str, int]) -> Any:
    """The class that the column at each place is of: models have theirs in the same order, one after the other."""
    import narwhals as nw

    codes = [code_of[column] for column in columns]
    count = max(codes) + 1
    if all(code == place % count for place, code in enumerate(codes)):
        return nw.col("of") % count
    found: Any = nw.lit(codes[0], nw.Int64)
    for place, code in enumerate(codes[1:], 1):
        found = nw.when(nw.col("of") == place).then(nw.lit(code, nw.Int64)).otherwise(found)
    return found


def _clipped(column: str, parts: Sequence[ScoreColumn]) -> Any:
    import narwhals as nw

    is_share = any(part.column == column and len(part.subject.scores) > 1 for part in parts)
    return nw.col(column).clip(0.0, 1.0) if is_share else nw.col(column)


def truth_codes(survey: Survey, classes: Classes) -> Any:
    """The code of each true class; of one against the rest 1 and 0."""
    import narwhals as nw

    if classes.against is not None:
        return is_positive(survey, classes).cast(nw.Int64)
    return coded("truth", survey.names["truth"], {name: code for code, name in enumerate(classes.names)})


def is_positive(survey: Survey, classes: Classes) -> Any:
    """1 of the positive class of two, else 0: floating numbers, which engines add the fastest and no sum overflows."""
    import narwhals as nw

    positive = survey.raw("truth", classes.positive)
    one, none = nw.lit(1.0), nw.lit(0.0)
    return nw.when(nw.col("truth").is_in(positive)).then(one).otherwise(none) if positive else none


def only_of(survey: Survey, found: Found, part: ScoreColumn, columns: Sequence[str]) -> Found:
    """What was found of one column of one model."""
    here = found["of"] == columns.index(part.column)
    if part.subject.model is not None:
        names = survey.names["model"]
        here &= np.array([names[held(raw)] == part.subject.model for raw in found["model"]], dtype=np.bool_)
    return found if here.all() else {name: values[here] for name, values in found.items()}


def _tables(
    survey: Survey, found: Found, grid: ScoreGrid, classes: Classes, part: ScoreColumn
) -> dict[str | None, Known]:
    """The cells of all cases, and of each subgroup by its name."""
    names = (classes.names[0], classes.names[1]) if not classes.are_many else ("rest", classes.names[part.code])
    whole: dict[str | None, Known] = {None: _put_together(survey, found, grid, names)}
    if "by" not in found:
        return whole
    groups = np.array([survey.names["by"][held(raw)] for raw in found["by"]], dtype=object)
    for name in dict.fromkeys(groups.tolist()):
        here = groups == name
        whole[name] = _put_together(survey, {key: values[here] for key, values in found.items()}, grid, names)
    return whole


def _put_together(survey: Survey, found: Found, grid: ScoreGrid, names: tuple[str, str]) -> Known:
    """The table of what an engine found, in order: it may come in any, and a cell more than once."""
    order = np.argsort(found["cell"])
    cell = found["cell"].astype(np.int64, copy=False)[order]
    is_new = cell[1:] != cell[:-1]
    first = np.concatenate(([0], np.flatnonzero(is_new) + 1)) if len(cell) else np.zeros(0, dtype=np.intp)

    def put(name: str, by: np.ufunc) -> Floats:
        values = found[name].astype(np.float64, copy=False)[order]
        return values if len(first) == len(cell) else np.asarray(by.reduceat(values, first))

    def sides(name: str) -> tuple[Floats, Floats]:
        both, positive = put(name, np.add), put({"rows": "positives"}.get(name, f"positive_{name}"), np.add)
        return np.maximum(both - positive, 0.0), positive

    lying = survey.lying
    weights = sides("weight" if lying.weights else "rows")
    squares = sides("squares") if "weight" in lying.columns else (None, None)
    least, greatest = put("least", np.minimum), put("greatest", np.maximum)
    cases = weights if not lying.weights else sides("times" if "count" in lying.columns else "rows")
    counts = round(float(cases[0].sum())), round(float(cases[1].sum()))
    rows = _clustered(survey, found, order, first) if lying.clusters else None
    return known_of(Binned(grid, cell[first], *weights, least, greatest, names, *squares), counts, rows)


def _clustered(survey: Survey, found: Found, order: NDArray[np.intp], first: NDArray[np.intp]) -> ClusteredRows:
    """What each cluster has in each cell: a row for either class, as many cases as there are."""
    position = np.repeat(np.arange(len(first)), np.diff(first, append=len(order)))
    whole, positive = (
        found[name][order].astype(np.float64)
        for name in (("weight", "positive_weight") if survey.lying.weights else ("rows", "positives"))
    )
    each = np.concatenate((np.maximum(whole - positive, 0.0), positive))
    there = each > 0
    is_positive = np.repeat([False, True], len(whole))[there]
    cluster = np.tile(cluster_codes(survey, found)[order], 2)[there]
    return ClusteredRows(np.tile(position, 2)[there], is_positive, each[there], cluster)


def cluster_codes(survey: Survey, found: Found) -> NDArray[np.intp]:
    """The cluster, or the group of whole clusters, of each row of what was found, numbered from 0."""
    names = survey.lying.names.get("cluster")
    called = found["cluster"] if names is None else np.array([names[held(raw)] for raw in found["cluster"]])
    return np.asarray(np.unique(called, return_inverse=True)[1])


def _known_to(table: ScoreTable) -> tuple[float, float]:
    """How far the AUC of the rows may be from that of the cells on either side together, and its standard error."""
    _, of_positives, of_negatives = table.placement_sums
    pairs = float(table.positives) * float(table.negatives)
    if not pairs:
        return 0.0, math.nan
    if table.rows is None:
        return width_of(table), math.sqrt((of_positives + of_negatives) / pairs / pairs)
    # Clusters vary as wholes, so that the sum over each is squared.
    auc = float(table.pairs_in_order) / pairs
    lost = (table.positives_above / table.positives - auc) / table.negatives
    won = (table.negatives_below / table.negatives - auc) / table.positives
    return width_of(table), float(np.sqrt(np.square(sum(table.rows.sums(lost, won))).sum()))


def width_of(table: ScoreTable) -> float:
    """How wide the bounds of the AUC are: pairs in one cell could go either way, but where all have the same score."""
    reach = table.reach
    if reach is None or not float(table.positives) * float(table.negatives):
        return 0.0
    is_open = reach.low < reach.high
    return float((table.positive / table.positives * (table.negative / table.negatives))[is_open].sum())


def first_bits(fewer: int, within: float | None) -> int:
    """How fine a grid to begin with, for so many cases of the smaller class."""
    goal = NEGLIGIBLE * USUAL_ERROR / math.sqrt(max(1, fewer)) if within is None else within
    return min(max(6, math.ceil(math.log2(1 / goal / USUAL_HALVINGS))), 20)


def missing_bits(found: Known, bits: int, within: float | None, most: int = MOST_CELLS) -> int:
    """By how many bits the grid has to be finer, for the AUC to be known as closely as it should; as far as it may."""
    goal = NEGLIGIBLE * found.error if within is None else within
    if not found.width > goal > 0:
        return 0
    held = len(found.binned) if found.table.rows is None else len(found.table.rows.cluster)
    room = int(math.log2(max(1.0, most / max(1, held))))
    return min(math.ceil(math.log2(found.width / goal)), MOST_BITS - bits, room)


def known_of(binned: Binned, cases: tuple[int, int], rows: ClusteredRows | None = None) -> Known:
    """What is known of scores in cells."""
    table = binned.table() if rows is None else replace(binned.table(), rows=rows)
    return Known(binned, table, *_known_to(table), cases)


def how_closely(model: Known) -> str:
    """Whether scores are exact, or how closely the AUC is known."""
    cells = f"{len(model.binned):,}"
    if (model.binned.least == model.binned.greatest).all():
        return f"exact: {cells} different scores"
    if model.table.knows_pairs:
        return f"scores put together in {cells} cells, after the ROC AUC and its error were computed exactly"
    share = f", {100 * model.width / model.error:.2g} % of its standard error" if model.error > 0 else ""
    return f"scores put together in {cells} cells: the ROC AUC is known to within {model.width:.2g}{share}"
