"""What several models made of the same rows, where these stay where they lie: the sums that a comparison needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from assay.evidence import JointScores, ModelSums, ScoreGrid, ScoreTable
from assay.evidence.joint_sums import JOINT_BITS, MOST_BITS, SPAN
from assay.sources._cells import with_cells
from assay.sources._decisions import paired_decisions
from assay.sources._known import Known, width_of
from assay.sources._labels import Classes
from assay.sources._lying import Survey
from assay.sources._progress import stage
from assay.sources._scan import Found, is_positive, kept_rows, of_each, sums_of, with_sides
from assay.sources._subjects import Subject
from assay.types import Floats

__all__ = ["MOST_COMPARED", "how_paired", "together_of"]

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

    stage(f"{survey.rows:,} rows into cells of each two models")
    kind: Any = "probability" if all(each.binned.grid.kind == "probability" for each in known) else "real"
    pairs = list(combinations(range(len(subjects)), 2))
    grid = ScoreGrid(kind, _bits(known, len(pairs)))
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
    return {pair: JointScores((grid, grid), _table(survey, found, place)) for place, pair in enumerate(pairs)}


def _bits(known: Sequence[Known], pairs: int) -> int:
    """The fewest bits of which no model has many scores of both classes in one cell, as far as all cells fit.

    Where every different score is known, none but equal ones: then DeLong's covariance is that of the rows.
    """
    bits, most = JOINT_BITS, TIED_AT_MOST
    if all(width_of(each.table) == 0 for each in known):
        most = 0.0
    while bits < MOST_BITS and max(_tied(each, bits) for each in known) > most:
        cells = sorted(len(_coarse(each, bits + 1)) for each in known)
        if cells[-1] * cells[-2] * pairs > MOST_PAIRS_OF_CELLS:
            break
        bits += 1
    return bits


def how_paired(both: ModelSums, known: Mapping[str, Known]) -> list[str]:
    """Whether the scores of each two models were counted exactly, or in cells of how many bits."""
    if not both.scores:
        return []
    bits = next(iter(both.scores.values())).grids[0].bits
    if all(_tied(each, bits) == 0 for each in known.values()):
        return ["the scores of each two models are counted together exactly, so that DeLong's errors are those of rows"]
    return [f"the scores of each two models are counted together in cells of {bits} bits"]


def _coarse(known: Known, bits: int) -> ScoreTable:
    binned = known.binned
    return (binned.coarser(bits) if bits < binned.grid.bits else binned).table()


def _tied(known: Known, bits: int) -> float:
    return width_of(_coarse(known, bits))


def _table(survey: Survey, found: Found, place: int) -> ScoreTable:
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
