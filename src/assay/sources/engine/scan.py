"""The rows that count, with all that is summed of them, and one query that groups several columns of them at once.

The cell of the shared grid that a score lies in, as an expression that every engine can compute.

Which columns, and which rows, are each model's, where rows stay where they lie.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.evidence.binning import LOWEST, ScoreGrid
from assay.request import Request
from assay.sources.ambiguity import rank_positives
from assay.sources.assembly import refuse_foreign_labels
from assay.sources.column_roles import FEWEST_OF_MANY, Roles
from assay.sources.engine.tables import Lying, Survey, collected, held
from assay.sources.labels import (
    Classes,
    aligned,
    class_names,
    in_order,
    refuse_idle_order,
    refuse_spellings,
    refuse_strange,
    settle,
)
from assay.sources.probabilities import columns_of_classes, tolerance
from assay.sources.quoting import shown

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "Subject",
    "classes_of",
    "cluster_codes",
    "coded",
    "furthest_sum",
    "is_positive",
    "kept_rows",
    "of_each",
    "of_model",
    "of_subgroups",
    "one_against_the_rest",
    "others_of",
    "own_column",
    "subjects_of",
    "sums_of",
    "truth_codes",
    "used_columns",
    "with_cells",
    "with_sides",
]


Frame = TypeVar("Frame", "nw.DataFrame[Any]", "nw.LazyFrame[Any]")

# Distances from 0 are brought between a quarter and a half, where a step of the grid is one part of 2^bits.
AT_LEAST, BELOW = 0.25, 0.5


def with_cells(frame: Frame, grid: ScoreGrid, largest: float) -> Frame:
    """The frame with `cell`, the number of the cell that each `score` lies in: what `ScoreGrid.cells` gives.

    Engines cannot look at the bits of a number, and their logarithms differ. So the distance from 0 (or from 1) is
    multiplied by powers of 2, which is exact everywhere, and what was multiplied is counted. `largest` is the largest
    distance from 0 there is.

    >>> import narwhals, polars
    >>> grid, score = ScoreGrid("probability", 2), [0.0, 0.25, 0.3, 0.5, 0.9, 1.0]
    >>> cells = with_cells(narwhals.from_native(polars.DataFrame({"score": score})), grid, 1.0)["cell"]
    >>> cells.to_list() == grid.cells(score).tolist()
    True
    """
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_duckdb():
        return _add_bins_by_case(frame, grid, largest)
    score, steps = nw.col("score"), float(1 << grid.bits)
    is_real = grid.kind == "real"
    # A mirrored cell holds its outer edge instead of the inner one.
    is_mirrored = score < 0 if is_real else score >= BELOW
    mirrored = -score if is_real else 1.0 - score
    frame = frame.with_columns(
        distance=nw.when(is_mirrored).then(mirrored).otherwise(score), passed=nw.lit(0.0), mirrored=is_mirrored
    )
    distance, passed = nw.col("distance"), nw.col("passed")
    for halvings in _halving_powers(largest) if is_real else ():
        is_far = distance >= AT_LEAST * 2.0**halvings
        frame = frame.with_columns(
            distance=nw.when(is_far).then(distance * 2.0**-halvings).otherwise(distance),
            passed=nw.when(is_far).then(passed + halvings * steps).otherwise(passed),
        )
    for halvings in (32, 16, 8, 4, 2, 1):
        is_near = distance < BELOW * 2.0**-halvings
        frame = frame.with_columns(
            distance=nw.when(is_near).then(distance * 2.0**halvings).otherwise(distance),
            passed=nw.when(is_near).then(passed - halvings * steps).otherwise(passed),
        )
    return frame.with_columns(cell=_bin_number(grid, steps)).drop("distance", "passed", "mirrored")


def _add_bins_by_case(frame: nw.LazyFrame[Any], grid: ScoreGrid, largest: float) -> nw.LazyFrame[Any]:
    """The same by a branch for each halving: DuckDB looks in each only at the rows that no earlier one took."""
    import narwhals as nw

    highest = math.frexp(largest)[1] - 1 if grid.kind == "real" and largest > 0 else -2
    if grid.kind == "real":
        below, above = (
            _bin_number_sql("(-score)", "ceil", 1, highest, grid),
            _bin_number_sql("score", "floor", 0, highest, grid),
        )
        cell = f"CASE WHEN score < 0 THEN -({below}) ELSE {above} END"
    else:
        below, above = (
            _bin_number_sql("score", "floor", 0, -2, grid),
            _bin_number_sql("(1 - score)", "ceil", 1, -2, grid),
        )
        cell = f"CASE WHEN score < {BELOW} THEN {below} ELSE {grid.last} - ({above}) END"
    found: nw.LazyFrame[Any] = nw.from_native(frame.to_native().project(f"*, CAST({cell} AS BIGINT) AS cell"))
    return found


def _bin_number_sql(distance: str, rounded: str, less: int, highest: int, grid: ScoreGrid) -> str:
    """How many cells lie between 0 and a distance; mirrored ones hold their outer edge, so that there is one less."""
    each = (
        f"WHEN {distance} >= {2.0**halving!r} THEN {rounded}({distance} * {2.0 ** (grid.bits - halving)!r}) "
        f"+ {((halving - LOWEST - 1) << grid.bits) + 2 - less}"
        for halving in range(max(highest, LOWEST), LOWEST - 1, -1)
    )
    return f"CASE {' '.join(each)} ELSE CAST({distance} > 0 AS INTEGER) END"


def _halving_powers(largest: float) -> list[int]:
    """The powers of 2 that bring every distance below a half, from the largest down."""
    every = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)
    return [halvings for halvings in every if largest >= AT_LEAST * 2.0**halvings]


def _bin_number(grid: ScoreGrid, steps: float) -> nw.Expr:
    import narwhals as nw

    within = nw.col("distance") * (steps / AT_LEAST)
    # Cell 0 is 0 itself and cell 1 what lies below the lowest edge.
    before = nw.col("passed") + (-2 - LOWEST - 1) * steps + 2
    is_mirrored = nw.col("mirrored")
    number = nw.when(is_mirrored).then(within.ceil() + before - 1).otherwise(within.floor() + before)
    # Nothing may be cast to a whole number that an engine holds for infinite or far too large.
    number = nw.when(nw.col("distance") > 0).then(nw.when(number > 1).then(number).otherwise(1.0)).otherwise(0.0)
    counted = number.cast(nw.Int64)
    turned = -counted if grid.kind == "real" else grid.last - counted
    return nw.when(is_mirrored).then(turned).otherwise(counted)


# Of so many classes an expression names each, and each has cells of its own.
MOST_CLASSES = 100


@dataclass(frozen=True)
class Subject:
    """One model: its columns of scores (one of two classes, else one for each), and that of its predicted labels.

    `model` is what it is called in the column of models, where each has rows of its own.
    """

    name: str
    scores: tuple[str, ...] = ()
    pred: str | None = None
    model: str | None = None


def classes_of(survey: Survey, roles: Roles, request: Request) -> Classes:
    """The classes that the true labels are of."""
    sizes = survey.sizes()
    names = sorted(sizes)
    refuse_spellings(roles.truth, names)
    preds = {survey.lying.columns[label]: _sorted_label_names(survey, label) for label in survey.lying.labels}
    predicted = sorted({name for each in preds.values() for name in aligned(each, names)})
    known = class_names(request.classes)
    refuse_strange(names, known, roles.truth)
    is_settled = bool(known) or (len(names) <= 2 and request.positive is not None)
    further = [] if is_settled else _unobserved_classes(survey, roles, names)
    classes = settle(
        names, predicted, request.positive, column=roles.truth, rows=survey.rows,
        known=in_order([*names, *further]) if further else known, sizes=lambda: sizes, others=tuple,
        ranked=lambda ways: rank_positives(ways, roles),
    )  # fmt: skip
    refuse_idle_order(classes, known, names, roles.truth)
    refuse_foreign_labels(roles, {column: aligned(each, names) for column, each in preds.items()}, classes)
    if len(classes.names) > MOST_CLASSES:
        found = f"{shown(roles.truth)} holds {len(classes.names):,} classes, but the rows do not fit into memory"
        raise InputError(found, f"at most {MOST_CLASSES} there, or one of them against the rest",
                         {"positive": classes.names[0]})  # fmt: skip
    return classes


def one_against_the_rest(roles: Roles, classes: Classes) -> tuple[Classes, Roles]:
    """Two classes where one of many is asked about, and the column of its scores."""
    chosen = classes.against
    if chosen is None:
        return classes, roles
    models = tuple(
        replace(model, score=dict(model.per_class).get(chosen, model.score), per_class=()) for model in roles.models
    )
    return Classes((f"not {chosen}", chosen), against=chosen, as_found=classes.names), replace(roles, models=models)


def used_columns(roles: Roles) -> set[str]:
    """The columns that hold the answers of models, once it is known what each is."""
    each = ((m.score, m.certainty, m.pred, *(column for _, column in m.per_class)) for m in roles.models)
    return {column for columns in each for column in columns if column is not None}


def subjects_of(survey: Survey, roles: Roles) -> list[Subject]:
    """The models: one for each set of columns, or one for each name in the column of models."""
    own = {column: name for name, column in survey.lying.columns.items()}
    found = []
    for model in roles.models:
        columns = [column for _, column in model.per_class] or ([model.score] if model.score is not None else [])
        pred = None if model.pred is None else own[model.pred]
        found.append(Subject(model.name, tuple(own[column] for column in columns), pred))
    if roles.model is None:
        return found
    return [replace(found[0], name=name, model=name) for name in in_order([*survey.sizes("model")])]


def own_column(lying: Lying, column: str) -> str:
    """What a column of the user's is called here."""
    return next(name for name, held in lying.columns.items() if held == column)


def _sorted_label_names(survey: Survey, label: str) -> list[str]:
    return sorted({name for name in survey.lying.names[label].values() if name is not None})


def _unobserved_classes(survey: Survey, roles: Roles, truth: Sequence[str]) -> list[str]:
    """Classes that never occur but have a column, where all columns together are probabilities that sum to 1."""
    found: dict[str, None] = {}
    for model in roles.models:
        columns = columns_of_classes(model, truth) if model.per_class else {}
        is_whole = len(columns) >= FEWEST_OF_MANY and set(truth) < set(columns)
        if is_whole and furthest_sum(survey, [*columns.values()]) <= tolerance(len(columns)):
            found |= dict.fromkeys(name for name in columns if name not in truth)
    return list(found)


def furthest_sum(survey: Survey, columns: Sequence[str]) -> float:
    """How far from 1 the sums of some columns are at most; looked for again where others were summed before."""
    own = frozenset(own_column(survey.lying, column) for column in columns)
    known = [frozenset(each) for each in survey.lying.shares]
    if own not in known:
        survey = Survey.of(replace(survey.lying, shares=(tuple(sorted(own)),)))
    return survey.furthest(known.index(own) if own in known else 0)


Found = dict[str, NDArray[Any]]


def kept_rows(survey: Survey, **columns: Any) -> Any:
    """The rows that stand for somebody and lack nothing: other names of theirs, `columns`, and what they weigh.

    `weight` is what a row adds to a sum, `times` how many cases it is, `squares` what it adds to a sum of squares.
    """
    import narwhals as nw

    lying, col = survey.lying, nw.col
    rows = lying.frame.with_columns(*(col(name) + 0.0 for name in lying.numbers)) if lying.numbers else lying.frame
    if survey.dropped or survey.nobodies:
        rows = lying.judged().filter((col("lacks") == 0) & (col("nobody") == 0))
        for key in lying.keys:
            rows = rows.filter(col(key).is_in(survey.raw(key)))
    each = [col(name) for name in lying.weights]
    wanted = dict(columns)
    wanted |= {"times": col("count")} if "count" in lying.columns else {}
    wanted |= {"weight": each[0] if len(each) == 1 else each[0] * each[1]} if each else {}
    # A count is as many equal cases: each of them has the squared weight.
    wanted |= {"squares": wanted["weight"] * col("weight")} if "weight" in lying.columns else {}
    return rows.select(*others_of(lying), **wanted)


def others_of(lying: Lying) -> list[str]:
    """The columns of names beside the truth, and that of clusters."""
    return [*(key for key in lying.keys if key != "truth"), *lying.clusters]


def summed_of(lying: Lying) -> list[str]:
    """What is summed of each group beside the number of its rows."""
    wanted = ["weight"] if lying.weights else []
    wanted += ["times"] if "count" in lying.columns else []
    return wanted + (["squares"] if "weight" in lying.columns else [])


def with_sides(rows: Any, lying: Lying) -> Any:
    """The rows with what those of the positive class add, beside what all of them do."""
    import narwhals as nw

    more = {f"positive_{name}": nw.col(name) * nw.col("positive") for name in summed_of(lying)}
    return rows.with_columns(**more) if more else rows


def sums_of(lying: Lying, *, sides: bool = True) -> list[Any]:
    """The sums over each group, and those of its positives."""
    import narwhals as nw

    names = summed_of(lying)
    of_positives = [nw.col("positive").sum().alias("positives"), *(nw.col(f"positive_{name}").sum() for name in names)]
    return [nw.len().alias("rows"), *(nw.col(name).sum() for name in names), *(of_positives if sides else [])]


def coded(column: str, names: Mapping[Any, str | None], codes: Mapping[str, int]) -> Any:
    """The code of each name in a column, -1 of what has none."""
    import narwhals as nw

    found: Any = nw.lit(-1, nw.Int64)
    raws: dict[int, list[Any]] = {}
    for raw, name in names.items():
        if name is not None and name in codes:
            raws.setdefault(codes[name], []).append(raw)
    for code, values in raws.items():
        found = nw.when(nw.col(column).is_in(values)).then(nw.lit(code, nw.Int64)).otherwise(found)
    return found


def of_each(rows: Any, columns: Sequence[str], value: str, grouped: Callable[[Any, list[str]], Any]) -> Found:
    """What is found in each of some columns of numbers, in one query: as `value`, with its place in `of`.

    `grouped` groups rows by what it wants and by the names it is given. Tables in memory are grouped column by column.
    DuckDB reads each column once if they are put under one another, and takes twice as long to turn every row; other
    engines turn it, so that whatever made the rows is done once.
    """
    import narwhals as nw

    if len(columns) == 1:
        only = collected(grouped(rows.rename({columns[0]: value}), []))
        return {**only, "of": np.zeros(len(only["rows"]), dtype=np.int64)}
    kept = [name for name in rows.collect_schema().names() if name not in columns]
    is_lazy = isinstance(rows, nw.LazyFrame)
    if is_lazy and not rows.implementation.is_duckdb():
        numbered = {column: f"c{place}" for place, column in enumerate(columns)}
        tall = rows.rename(numbered).unpivot(on=[*numbered.values()], index=kept, variable_name="of", value_name=value)
        return collected(grouped(tall.with_columns(of=nw.col("of").str.slice(1).cast(nw.Int64)), ["of"]))
    parts = [
        rows.select(*kept, nw.col(column).alias(value), of=nw.lit(place, nw.Int64))
        for place, column in enumerate(columns)
    ]
    if is_lazy:
        with contextlib.suppress(_memory_error_type()):
            return collected(grouped(nw.concat(parts), ["of"]))
    # Whatever one query cannot hold, one after the other may.
    found = [collected(grouped(part, ["of"])) for part in parts]
    return {name: np.concatenate([each[name] for each in found]) for name in found[0]}


def _memory_error_type() -> type[Exception]:
    import duckdb

    return duckdb.OutOfMemoryException


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


def cluster_codes(survey: Survey, found: Found) -> NDArray[np.intp]:
    """The cluster, or the group of whole clusters, of each row of what was found, numbered from 0."""
    names = survey.lying.names.get("cluster")
    called = found["cluster"] if names is None else np.array([names[held(raw)] for raw in found["cluster"]])
    return np.asarray(np.unique(called, return_inverse=True)[1])


def of_model(survey: Survey, found: Found, subject: Subject) -> Found:
    """What was found of the rows of one model."""
    if subject.model is None:
        return found
    here = np.array([survey.names["model"][held(raw)] == subject.model for raw in found["model"]], dtype=np.bool_)
    return {name: values[here] for name, values in found.items()}


def of_subgroups(survey: Survey, found: Found) -> dict[str | None, Found]:
    """What was found of all rows (None), and of each subgroup by its name."""
    parts: dict[str | None, Found] = {None: found}
    if "by" not in found:
        return parts
    groups = np.array([survey.names["by"][held(raw)] for raw in found["by"]], dtype=object)
    for name in dict.fromkeys(groups.tolist()):
        parts[name] = {key: values[groups == name] for key, values in found.items()}
    return parts
