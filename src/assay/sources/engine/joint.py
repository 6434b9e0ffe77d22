"""What several models made of the same rows, where these stay where they lie: the sums that a comparison needs.

What was decided about rows that stay where they lie: counted by one query for all models, or all pairs of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix, JointScores, ModelSums, ScoreGrid, ScoreTable
from assay.evidence.joint_sums import JOINT_BITS, MOST_BITS, SPAN
from assay.evidence.paired import PairedDecisions
from assay.sources.engine.binned_predictions import Known, width_of
from assay.sources.engine.scan import (
    Found,
    Subject,
    cluster_codes,
    coded,
    is_positive,
    kept_rows,
    of_each,
    of_model,
    of_subgroups,
    others_of,
    sums_of,
    truth_codes,
    with_cells,
    with_sides,
)
from assay.sources.engine.tables import Survey
from assay.sources.labels import Classes, aligned
from assay.sources.source_record import stage
from assay.types import Floats

__all__ = ["MOST_COMPARED", "LabelSums", "decided", "how_paired", "names_of", "paired_decisions", "together_of"]


# What decides: columns of scores or that of labels, and a threshold.
Way = tuple[tuple[str, ...], str | None, float | None]


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
    stage(f"{survey.rows:,} rows: predicted labels")
    called = _Called.of(survey, subjects, classes, [threshold] * len(subjects))
    columns = [f"called{place}" for place in range(len(called.columns))]
    found = of_each(called.rows, columns, "value", _grouping_function(survey))
    return {
        subject.name: {
            group: _decision_sums(survey, only, classes, called.size, names)
            for group, only in of_subgroups(survey, of_model(survey, _select_pair(found, place), subject)).items()
        }
        for subject, place, names in zip(subjects, called.places, called.decisions, strict=True)
    }


def paired_decisions(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, thresholds: Sequence[float | None]
) -> dict[tuple[int, int], PairedDecisions]:
    """What each two models decided about the same rows, where all labels are classes; each by its own threshold."""
    import narwhals as nw

    stage(f"{survey.rows:,} rows: predicted labels of each pair of models")
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
    found = of_each(rows, list(both), "value", _grouping_function(survey))
    shape = (len(classes.names), size, size)
    return {
        pair: PairedDecisions(
            _sums_by_code(survey, only := _select_pair(found, place), shape, "weight"),
            classes.names,
            classes.names,
            _sums_by_code(survey, only, shape, "squares") if "weight" in survey.lying.columns else None,
            _counts_per_cluster(survey, only, shape) if survey.lying.clusters else None,
        )
        for place, pair in enumerate(pairs)
    }


def _grouping_function(survey: Survey) -> Any:
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
        decisions = [_decision_names(survey, subject, classes, threshold) for subject, threshold in each]
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
            rows = _add_decision_column(rows, place, way, names_of(survey, way[1], classes), names)
        coded_so = {f"called{place}": nw.col("code") * size + nw.col(f"called{place}") for place in range(len(columns))}
        rows = rows.with_columns(**coded_so).drop("code", *used)
        return cls(rows, size, columns, [columns.index(way) for way in ways], decisions)


def _decision_names(survey: Survey, subject: Subject, classes: Classes, threshold: float | None) -> tuple[str, ...]:
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


def _add_decision_column(
    rows: Any, place: int, way: Way, names: Mapping[Any, str | None], decisions: tuple[str, ...]
) -> Any:
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


def _select_pair(found: Found, place: int) -> Found:
    here = found["of"] == place
    return {name: values[here] for name, values in found.items()}


def _decision_sums(survey: Survey, found: Found, classes: Classes, size: int, names: tuple[str, ...]) -> LabelSums:
    lying, shape = survey.lying, (len(classes.names), size)
    wide = slice(None), slice(0, len(names))
    squares = _sums_by_code(survey, found, shape, "squares")[wide] if "weight" in lying.columns else None
    clusters = _counts_per_cluster(survey, found, shape)[:, *wide] if lying.clusters else None
    matrix = ConfusionMatrix(
        _sums_by_code(survey, found, shape, "weight")[wide], classes.names, names, squares, clusters
    )
    cases = _sums_by_code(survey, found, shape, "times" if "count" in lying.columns else "rows").sum(1)
    return LabelSums(matrix, {name: round(float(size)) for name, size in zip(classes.names, cases, strict=True)})


def _counts_per_cluster(survey: Survey, found: Found, shape: tuple[int, ...]) -> Floats:
    """The counts of each cluster."""
    place, size = cluster_codes(survey, found), int(np.prod(shape))
    sums = found["weight" if survey.lying.weights else "rows"].astype(np.float64)
    cells = np.bincount(place * size + found["value"].astype(np.intp), sums, minlength=(int(place.max()) + 1) * size)
    return cells.astype(np.float64).reshape(-1, *shape)


def _sums_by_code(survey: Survey, found: Found, shape: tuple[int, ...], what: str) -> Floats:
    """The sums at each code, as a table."""
    name = "rows" if what == "weight" and not survey.lying.weights else what
    sums = found[name].astype(np.float64)
    cells = np.bincount(found["value"].astype(np.intp), sums, minlength=int(np.prod(shape)))
    return cells.astype(np.float64).reshape(shape)


# So many models have pairs of cells that one scan can hold beside one another.
MOST_COMPARED = 10
# At most so many of all pairs of a positive and a negative may lie in one cell: what placements are off by is far less.
TIED_AT_MOST = 0.005
# Pairs of cells that fit into memory, with all that is known of each.
MOST_PAIRS_OF_CELLS = 6_000_000


def together_of(
    survey: Survey,
    subjects: Sequence[Subject],
    classes: Classes,
    known: Mapping[str, Known],
    thresholds: Sequence[float | None],
) -> ModelSums | None:
    """The sums over pairs of models of the same rows; None where there are no such.

    `known` are their scores in cells, `thresholds` what decides about each; None: labels, or the highest score.
    """
    if not 1 < len(subjects) <= MOST_COMPARED or any(subject.model is not None for subject in subjects):
        return None
    names = tuple(subject.name for subject in subjects)
    scores = {}
    # Of clusters each table says what they move it by, so that nothing need be known of pairs of cells.
    if not survey.lying.clusters and not classes.are_many and all(subject.scores for subject in subjects):
        scores = _joint_scores(survey, subjects, classes, [known[name] for name in names])
    is_decided = [
        threshold is not None or subject.pred is not None or classes.are_many
        for subject, threshold in zip(subjects, thresholds, strict=True)
    ]
    decisions = paired_decisions(survey, subjects, classes, thresholds) if all(is_decided) else {}
    return ModelSums(names, scores, decisions, {})


def _joint_scores(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, known: Sequence[Known]
) -> dict[tuple[int, int], JointScores]:
    """The joint histogram of each two models, in one scan, on a grid that is as fine as their cells ask for."""
    import narwhals as nw

    stage(f"{survey.rows:,} rows: bins of each pair of models")
    kind: Any = "probability" if all(each.binned.grid.kind == "probability" for each in known) else "real"
    pairs = list(combinations(range(len(subjects)), 2))
    grid = ScoreGrid(kind, _joint_grid_bits(known, len(pairs)))
    columns = {f"model{place}": nw.col(subject.scores[0]) for place, subject in enumerate(subjects)}
    rows = kept_rows(survey, positive=is_positive(survey, classes), **columns)
    for place, subject in enumerate(subjects):
        low, high = survey.range_of(subject.scores[0])
        rows = with_cells(rows.rename({f"model{place}": "score"}), grid, max(-low, high))
        rows = rows.rename({"cell": f"cell{place}"}).drop("score")
    both = {f"pair{n}": nw.col(f"cell{i}") * SPAN + nw.col(f"cell{j}") for n, (i, j) in enumerate(pairs)}
    rows = rows.with_columns(**both).drop(*(f"cell{place}" for place in range(len(subjects))))

    def grouped(each: Any, keys: list[str]) -> Any:
        return with_sides(each, survey.lying).group_by(*keys, "pair").agg(*sums_of(survey.lying))

    found = of_each(rows, list(both), "pair", grouped)
    return {
        pair: JointScores((grid, grid), _joint_score_table(survey, found, place)) for place, pair in enumerate(pairs)
    }


def _joint_grid_bits(known: Sequence[Known], pairs: int) -> int:
    """The fewest bits of which no model has many scores of both classes in one cell, as far as all cells fit.

    Where every different score is known, none but equal ones: then DeLong's covariance is that of the rows.
    """
    bits, most = JOINT_BITS, TIED_AT_MOST
    if all(width_of(each.table) == 0 for each in known):
        most = 0.0
    while bits < MOST_BITS and max(_tied_pair_share(each, bits) for each in known) > most:
        cells = sorted(len(_coarsen_table(each, bits + 1)) for each in known)
        if cells[-1] * cells[-2] * pairs > MOST_PAIRS_OF_CELLS:
            break
        bits += 1
    return bits


def how_paired(both: ModelSums, known: Mapping[str, Known]) -> list[str]:
    """Whether the scores of each two models were counted exactly, or in cells of how many bits."""
    if not both.scores:
        return []
    bits = next(iter(both.scores.values())).grids[0].bits
    if all(_tied_pair_share(each, bits) == 0 for each in known.values()):
        return ["the joint scores of each pair of models are counted exactly, so that DeLong standard errors are exact"]
    return [f"the joint scores of each pair of models are counted in bins of {bits} bits"]


def _coarsen_table(known: Known, bits: int) -> ScoreTable:
    binned = known.binned
    return (binned.coarser(bits) if bits < binned.grid.bits else binned).table()


def _tied_pair_share(known: Known, bits: int) -> float:
    return width_of(_coarsen_table(known, bits))


def _joint_score_table(survey: Survey, found: Found, place: int) -> ScoreTable:
    here = np.flatnonzero(found["of"] == place)
    here = here[np.argsort(found["pair"][here])]
    lying = survey.lying

    def sides(name: str) -> tuple[Floats, Floats]:
        whole = found[name][here].astype(np.float64)
        positive = found["positives" if name == "rows" else f"positive_{name}"][here].astype(np.float64)
        return np.maximum(whole - positive, 0.0), positive

    weights = sides("weight" if lying.weights else "rows")
    squares = sides("squares") if "weight" in lying.columns else (None, None)
    pairs = found["pair"][here].astype(np.float64)
    return ScoreTable(pairs, *weights, negative_squares=squares[0], positive_squares=squares[1])
