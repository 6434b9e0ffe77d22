"""What was decided about rows that stay where they lie: counted by one query for all models, or all pairs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix
from assay.evidence.paired import PairedDecisions
from assay.sources._labels import Classes, aligned
from assay.sources._lying import Survey
from assay.sources._progress import stage
from assay.sources._scan import (
    Found,
    cluster_codes,
    coded,
    kept_rows,
    of_each,
    of_model,
    of_subgroups,
    others_of,
    sums_of,
    truth_codes,
)
from assay.sources._subjects import Subject
from assay.types import Floats

# What decides: columns of scores or that of labels, and a threshold.
Way = tuple[tuple[str, ...], str | None, float | None]

__all__ = ["LabelSums", "decided", "names_of", "paired_decisions"]


@dataclass(frozen=True, eq=False)
class LabelSums:
    """What was decided about the rows of one model, and how many cases each class has, whatever they weigh."""

    matrix: ConfusionMatrix
    cases: Mapping[str, int]


def decided(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, threshold: float | None
) -> dict[str, dict[str | None, LabelSums]]:
    """Who was called what, by the names of models and of subgroups (None: all).

    A threshold decides, else labels, else the highest of many scores.
    """
    if not subjects:
        return {}
    stage(f"{survey.rows:,} rows as they were decided")
    called = _Called.of(survey, subjects, classes, [threshold] * len(subjects))
    columns = [f"called{place}" for place in range(len(called.columns))]
    found = of_each(called.rows, columns, "value", _grouped(survey))
    return {
        subject.name: {
            group: _matrix(survey, only, classes, called.size, names)
            for group, only in of_subgroups(survey, of_model(survey, _at(found, place), subject)).items()
        }
        for subject, place, names in zip(subjects, called.places, called.decisions, strict=True)
    }


def paired_decisions(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, thresholds: Sequence[float | None]
) -> dict[tuple[int, int], PairedDecisions]:
    """What each two models decided about the same rows, where all labels are classes; each by its own threshold."""
    import narwhals as nw

    stage(f"{survey.rows:,} rows as each two models decided them")
    called = _Called.of(survey, subjects, classes, thresholds)
    if any(names != classes.names for names in called.decisions):
        return {}
    pairs, size, col = list(combinations(range(len(subjects)), 2)), called.size, nw.col
    both = {
        f"pair{place}": col(f"called{called.places[i]}") * size + col(f"called{called.places[j]}") % size
        for place, (i, j) in enumerate(pairs)
    }
    single = [f"called{place}" for place in range(len(called.columns))]
    rows = called.rows.with_columns(**both).drop(*single)
    found = of_each(rows, list(both), "value", _grouped(survey))
    shape = (len(classes.names), size, size)
    return {
        pair: PairedDecisions(
            _cells(survey, only := _at(found, place), shape, "weight"),
            classes.names,
            classes.names,
            _cells(survey, only, shape, "squares") if "weight" in survey.lying.columns else None,
            _of_clusters(survey, only, shape) if survey.lying.clusters else None,
        )
        for place, pair in enumerate(pairs)
    }


def _grouped(survey: Survey) -> Any:
    def grouped(rows: Any, keys: list[str]) -> Any:
        return rows.group_by(*others_of(survey.lying), *keys, "value").agg(*sums_of(survey.lying, sides=False))

    return grouped


@dataclass(frozen=True, eq=False)
class _Called:
    """The rows with what each model made of them, as `called0`, ...: the true class times `size`, and the decision."""

    rows: Any
    size: int
    # What was decided with, once where models of one table share it, and its place for each model.
    columns: list[Way]
    places: list[int]
    decisions: list[tuple[str, ...]]

    @classmethod
    def of(
        cls, survey: Survey, subjects: Sequence[Subject], classes: Classes, thresholds: Sequence[float | None]
    ) -> _Called:
        import narwhals as nw

        each = list(zip(subjects, thresholds, strict=True))
        decisions = [_decisions_of(survey, subject, classes, threshold) for subject, threshold in each]
        size = max(map(len, decisions))
        ways: list[Way] = [
            (subject.scores, None, threshold)
            if threshold is not None or subject.pred is None
            else ((), subject.pred, None)
            for subject, threshold in each
        ]
        columns = list(dict.fromkeys(ways))
        used = {name: nw.col(name) for scores, pred, _ in columns for name in (*scores, pred) if name is not None}
        rows = kept_rows(survey, code=truth_codes(survey, classes), **used)
        for place, way in enumerate(columns):
            names = decisions[ways.index(way)]
            rows = _with_decision(rows, place, way, names_of(survey, way[1], classes), names)
        coded_so = {f"called{place}": nw.col("code") * size + nw.col(f"called{place}") for place in range(len(columns))}
        rows = rows.with_columns(**coded_so).drop("code", *used)
        return cls(rows, size, columns, [columns.index(way) for way in ways], decisions)


def _decisions_of(survey: Survey, subject: Subject, classes: Classes, threshold: float | None) -> tuple[str, ...]:
    """The classes, and whatever else labels call a row."""
    if threshold is not None or subject.pred is None:
        return classes.names
    labels = {name for name in names_of(survey, subject.pred, classes).values() if name is not None}
    return (*classes.names, *sorted(labels - {*classes.names}))


def names_of(survey: Survey, pred: str | None, classes: Classes) -> dict[Any, str | None]:
    """The decision that each value of predicted labels is, spelled as the classes are."""
    if pred is None:
        return {}
    names = survey.lying.names[pred]
    known = [name for name in names.values() if name is not None]
    truth = sorted({name for name in survey.names["truth"].values() if name is not None})
    spelled = dict(zip(known, aligned(known, truth), strict=True))
    found = {raw: None if name is None else spelled[name] for raw, name in names.items()}
    if classes.against is None:
        return found
    merged = {name: classes.names[int(name == classes.against)] for name in classes.as_found}
    return {raw: None if name is None else merged.get(name, name) for raw, name in found.items()}


def _with_decision(rows: Any, place: int, way: Way, names: Mapping[Any, str | None], decisions: tuple[str, ...]) -> Any:
    import narwhals as nw

    scores, pred, threshold = way
    called, best, col = f"called{place}", f"best{place}", nw.col
    if pred is not None:
        return rows.with_columns(**{called: coded(pred, names, {name: code for code, name in enumerate(decisions)})})
    one, none = nw.lit(1, nw.Int64), nw.lit(0, nw.Int64)
    if threshold is not None:
        return rows.with_columns(**{called: nw.when(col(scores[0]) >= threshold).then(one).otherwise(none)})
    rows = rows.with_columns(**{called: none, best: col(scores[0])})
    for code, score in enumerate(scores[1:], 1):
        # The largest of several columns is not found by every engine.
        is_more = col(score) > col(best)
        rows = rows.with_columns(
            **{
                called: nw.when(is_more).then(nw.lit(code, nw.Int64)).otherwise(col(called)),
                best: nw.when(is_more).then(col(score)).otherwise(col(best)),
            }
        )
    return rows.drop(best)


def _at(found: Found, place: int) -> Found:
    here = found["of"] == place
    return {name: values[here] for name, values in found.items()}


def _matrix(survey: Survey, found: Found, classes: Classes, size: int, names: tuple[str, ...]) -> LabelSums:
    lying, shape = survey.lying, (len(classes.names), size)
    wide = slice(None), slice(0, len(names))
    squares = _cells(survey, found, shape, "squares")[wide] if "weight" in lying.columns else None
    clusters = _of_clusters(survey, found, shape)[:, *wide] if lying.clusters else None
    matrix = ConfusionMatrix(_cells(survey, found, shape, "weight")[wide], classes.names, names, squares, clusters)
    cases = _cells(survey, found, shape, "times" if "count" in lying.columns else "rows").sum(1)
    return LabelSums(matrix, {name: round(float(size)) for name, size in zip(classes.names, cases, strict=True)})


def _of_clusters(survey: Survey, found: Found, shape: tuple[int, ...]) -> Floats:
    """The counts of each cluster."""
    place, size = cluster_codes(survey, found), int(np.prod(shape))
    sums = found["weight" if survey.lying.weights else "rows"].astype(np.float64)
    cells = np.bincount(place * size + found["value"].astype(np.intp), sums, minlength=(int(place.max()) + 1) * size)
    return cells.astype(np.float64).reshape(-1, *shape)


def _cells(survey: Survey, found: Found, shape: tuple[int, ...], what: str) -> Floats:
    """The sums at each code, as a table."""
    name = "rows" if what == "weight" and not survey.lying.weights else what
    sums = found[name].astype(np.float64)
    cells = np.bincount(found["value"].astype(np.intp), sums, minlength=int(np.prod(shape)))
    return cells.astype(np.float64).reshape(shape)
