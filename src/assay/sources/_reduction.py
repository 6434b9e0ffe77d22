"""Rows reduced where they lie: one scan counts the classes in each cell of the shared grid, wherever the rows are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence import Binned, ConfusionMatrix, ScoreGrid, ScoreTable
from assay.sources._cells import with_cells
from assay.sources._collected import collected
from assay.sources._labels import Classes, in_order
from assay.sources._lying import Survey
from assay.sources._progress import stage
from assay.sources._records import Source
from assay.types import Floats

__all__ = ["Grouped", "Reduction", "first_bits", "how_closely", "missing_bits", "of_binned", "reduced", "width_of"]

# A share of the standard error that nobody would see beside it.
NEGLIGIBLE = 0.01
# Bits of the finest grid, cells of the largest table, and how often the rows are looked at again.
MOST_BITS, MOST_CELLS, MOST_PASSES = 40, 6_000_000, 3
# The AUC's standard error is about this, divided by the root of the smaller class, and so many cells of a halving of
# the distance to 0 or 1 hold as many scores as all of them would evenly: measured on scores of many shapes.
USUAL_ERROR, USUAL_HALVINGS = 0.3, 5.0


@dataclass(frozen=True, eq=False)
class Grouped:
    """One model's scores, put together: how many cases each class has, whatever they weigh, and the cells.

    `matrix` is what a threshold makes of the rows, where it was asked for and cells do not tell; `width` is how far the
    AUC of the rows may be from that of the cells, `error` its standard error.
    """

    cases: Mapping[str, int]
    binned: Binned
    width: float
    error: float
    matrix: ConfusionMatrix | None = None
    subgroups: Mapping[str, Grouped] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Reduction:
    """What is known of each model where rows stay where they lie, and where that is."""

    models: Mapping[str, Grouped]
    source: Source
    by: str | None = None


def reduced(survey: Survey, score: str, classes: Classes, within: float | None, threshold: float | None) -> Grouped:
    """One column of scores put together, refined until the AUC is known closely enough; models by name, if any."""
    low, high = survey.range_of(score)
    kind: Any = "probability" if low >= 0 and high <= 1 else "real"
    kept = _kept(survey, score, classes)
    positives = survey.sizes().get(classes.positive, 0)
    bits = first_bits(min(positives, survey.rows - survey.dropped - survey.nobodies - positives), within)
    for _ in range(MOST_PASSES):
        stage(f"{survey.rows:,} rows into cells of {bits} bits")
        found = _cells(survey, kept, ScoreGrid(kind, bits), max(-low, high), classes)
        extra = missing_bits(found, bits, within)
        if extra <= 0:
            break
        bits += extra
    return found if threshold is None else _decided(survey, kept, found, threshold, classes)


def _kept(survey: Survey, score: str, classes: Classes) -> Any:
    """The rows that stand for somebody and lack nothing, with all that is summed."""
    import narwhals as nw

    lying, col = survey.lying, nw.col
    others = lying.keys[1:]
    rows = lying.frame.with_columns(*(col(name) + 0.0 for name in lying.numbers))
    if survey.dropped or survey.nobodies:
        rows = lying.judged().filter((col("lacks") == 0) & (col("nobody") == 0))
        for key in lying.keys:
            rows = rows.filter(col(key).is_in(survey.raw(key)))
    positive = survey.raw("truth", classes.positive)
    is_positive = nw.when(col("truth").is_in(positive)).then(nw.lit(1)).otherwise(nw.lit(0)) if positive else nw.lit(0)
    each = [col(name) for name in lying.weights]
    columns = {"score": col(score), "positive": is_positive}
    columns |= {"times": col("count")} if "count" in lying.columns else {}
    columns |= {"weight": each[0] if len(each) == 1 else each[0] * each[1]} if each else {}
    rows = rows.select(*others, **columns, **({"single": col("weight")} if "weight" in lying.columns else {}))
    if not each:
        return rows
    # A count is as many equal cases: each of them has the squared weight.
    more = {"positive_weight": col("weight") * col("positive")}
    more |= {"positive_times": col("times") * col("positive")} if "count" in lying.columns else {}
    if "weight" in lying.columns:
        more["squares"] = col("weight") * col("single")
        more["positive_squares"] = col("weight") * col("single") * col("positive")
    return rows.with_columns(**more)


SUMMED = ("weight", "positive_weight", "times", "positive_times", "squares", "positive_squares")


def _sums(survey: Survey) -> list[Any]:
    import narwhals as nw

    lying = survey.lying
    wanted = [*SUMMED[:2]] if lying.weights else []
    wanted += [*SUMMED[2:4]] if "count" in lying.columns else []
    wanted += [*SUMMED[4:]] if "weight" in lying.columns else []
    return [
        nw.len().alias("rows"), nw.col("positive").sum().alias("positives"), *(nw.col(name).sum() for name in wanted)
    ]  # fmt: skip


def _cells(survey: Survey, kept: Any, grid: ScoreGrid, largest: float, classes: Classes) -> Grouped:
    import narwhals as nw

    others = survey.lying.keys[1:]
    score = nw.col("score")
    kept = with_cells(kept, grid, largest).with_columns(greatest=score)
    sums = [*_sums(survey), score.min().alias("least"), nw.col("greatest").max()]
    found = collected(kept.group_by(*others, "cell").agg(*sums))
    if "by" not in others:
        return _put_together(survey, found, grid, classes)
    names = np.array([survey.names["by"][_plain(raw)] for raw in found["by"]], dtype=object)
    parts = {}
    for name in in_order([*survey.sizes("by")]):
        here = names == name
        if here.any():
            rows = {key: column[here] for key, column in found.items()}
            parts[name] = _put_together(survey, rows, grid, classes)
    whole = _put_together(survey, found, grid, classes)
    return replace(whole, subgroups=parts)


def _plain(raw: Any) -> Any:
    return raw.item() if isinstance(raw, np.generic) else raw


def _put_together(survey: Survey, found: Mapping[str, NDArray[Any]], grid: ScoreGrid, classes: Classes) -> Grouped:
    """The table of what an engine found, in order: it may come in any, and a cell more than once."""
    order = np.argsort(found["cell"])
    cell = found["cell"].astype(np.int64, copy=False)[order]
    first = np.flatnonzero(np.diff(cell, prepend=cell[:1] - 1))

    def put(name: str, by: np.ufunc) -> Floats:
        values = found[name].astype(np.float64, copy=False)[order]
        return values if len(first) == len(cell) else np.asarray(by.reduceat(values, first))

    def summed(name: str) -> Floats:
        return put(name, np.add)

    def sides(name: str) -> tuple[Floats, Floats]:
        both, positive = summed(name), summed({"rows": "positives"}.get(name, f"positive_{name}"))
        return np.maximum(both - positive, 0.0), positive

    lying = survey.lying
    weights = sides("weight" if lying.weights else "rows")
    squares = sides("squares") if "weight" in lying.columns else (None, None)
    cases = sides("times") if "count" in lying.columns else sides("rows")
    least, greatest = put("least", np.minimum), put("greatest", np.maximum)
    names = (classes.names[0], classes.names[1])
    binned = Binned(grid, cell[first], *weights, least, greatest, names, *squares)
    counts = {name: round(float(side.sum())) for name, side in zip(names, cases, strict=True)}
    return of_binned(binned, counts)


def _known_to(table: ScoreTable) -> tuple[float, float]:
    """How far the AUC of the rows may be from that of the cells on either side together, and its standard error."""
    _, of_positives, of_negatives = table.placement_sums
    pairs = float(table.positives) * float(table.negatives)
    if not pairs:
        return 0.0, math.nan
    return width_of(table), math.sqrt((of_positives + of_negatives) / pairs / pairs)


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


def missing_bits(found: Grouped, bits: int, within: float | None) -> int:
    """By how many bits the grid has to be finer, for the AUC to be known as closely as it should; as far as it may."""
    goal = NEGLIGIBLE * found.error if within is None else within
    if not found.width > goal > 0:
        return 0
    room = int(math.log2(max(1.0, MOST_CELLS / max(1, len(found.binned)))))
    return min(math.ceil(math.log2(found.width / goal)), MOST_BITS - bits, room)


def of_binned(binned: Binned, cases: Mapping[str, int]) -> Grouped:
    """What is known of scores in cells."""
    return Grouped(cases, binned, *_known_to(binned.table()))


def how_closely(model: Grouped) -> str:
    """Whether scores are exact, or how closely the AUC is known."""
    cells = f"{len(model.binned):,}"
    if (model.binned.least == model.binned.greatest).all():
        return f"exact: {cells} different scores"
    share = f", {100 * model.width / model.error:.2g} % of its standard error" if model.error > 0 else ""
    return f"scores put together in {cells} cells: the ROC AUC is known to within {model.width:.2g}{share}"


def _decided(survey: Survey, kept: Any, found: Grouped, threshold: float, classes: Classes) -> Grouped:
    """The same with what a threshold makes of the rows, counted in one more scan where it splits a cell."""
    import narwhals as nw

    table = found.binned.table()
    assert table.reach is not None
    begins, ends = table.reach.split_by(threshold)
    if begins == ends:
        return found
    called = nw.when(nw.col("score") >= threshold).then(nw.lit(1)).otherwise(nw.lit(0))
    others = [key for key in survey.lying.keys[1:] if key == "by"]
    stage(f"{survey.rows:,} rows at the threshold")
    counts = collected(kept.with_columns(called=called).group_by(*others, "called").agg(*_sums(survey)))
    names = [survey.names["by"][_plain(raw)] for raw in counts["by"]] if others else [None] * len(counts["rows"])
    parts = {
        name: replace(part, matrix=_matrix(survey, counts, np.array([each == name for each in names]), classes))
        for name, part in found.subgroups.items()
    }
    return replace(found, matrix=_matrix(survey, counts, np.ones(len(names), dtype=np.bool_), classes), subgroups=parts)


def _matrix(
    survey: Survey, counts: Mapping[str, NDArray[Any]], here: NDArray[np.bool_], classes: Classes
) -> ConfusionMatrix:
    """Who was called what."""

    def cells(name: str) -> Floats:
        found = np.zeros((2, 2))
        positive = {"rows": "positives"}.get(name, f"positive_{name}")
        for called in (0, 1):
            rows = here & (counts["called"] == called)
            found[1, called] = counts[positive][rows].astype(np.float64).sum()
            found[0, called] = counts[name][rows].astype(np.float64).sum() - found[1, called]
        return found

    names = (classes.names[0], classes.names[1])
    squares = cells("squares") if "weight" in survey.lying.columns else None
    return ConfusionMatrix(cells("weight" if survey.lying.weights else "rows"), names, names, squares)
