"""The rows that count, with all that is summed of them, and one query that groups several columns of them at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.sources._collected import collected
from assay.sources._labels import Classes
from assay.sources._lying import Lying, Survey, held
from assay.sources._subjects import Subject

__all__ = [
    "cluster_codes",
    "coded",
    "is_positive",
    "kept_rows",
    "of_each",
    "of_model",
    "of_subgroups",
    "others_of",
    "sums_of",
    "truth_codes",
    "with_sides",
]

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
        with contextlib.suppress(_out_of_memory()):
            return collected(grouped(nw.concat(parts), ["of"]))
    # Whatever one query cannot hold, one after the other may.
    found = [collected(grouped(part, ["of"])) for part in parts]
    return {name: np.concatenate([each[name] for each in found]) for name in found[0]}


def _out_of_memory() -> type[Exception]:
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
