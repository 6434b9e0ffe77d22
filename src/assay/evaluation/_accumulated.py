"""What batches have gathered: cases put together, put into cells, as plain arrays, and as an evaluation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.evaluation._class_sums import class_sums
from assay.evaluation._reduce import Evidence
from assay.evidence import (
    Binned,
    ClassScores,
    ClassSums,
    ConfusionMatrix,
    Contribution,
    DecidedRows,
    ScoreGrid,
    ScoreTable,
)
from assay.evidence.multiclass import ANSWERS, SIDES
from assay.evidence.reduction import Reduced, Scores
from assay.predictions import Predictions
from assay.sources import refuse_inconsistent_model

__all__ = [
    "arrays_of_rows",
    "concatenated",
    "evidence_of_reduced",
    "reduced_of",
    "reduced_rows",
    "rows_of",
    "state_of",
]

OF_CASES = ("truth", "score", "probability", "decision", "weight", "count")
LOSS = "loss_"
OF_CELLS = ("cell", "negative", "positive", "least", "greatest", "negative_squares", "positive_squares")


def concatenated(parts: Sequence[Predictions]) -> Predictions:
    """The cases of several batches as those of one; where some have weights, those of the others are 1."""
    if len(parts) == 1:
        return parts[0]
    found: dict[str, Any] = {}
    for name in OF_CASES:
        held = [getattr(part, name) for part in parts]
        if any(values is not None for values in held):
            filled = [np.ones(len(p)) if v is None else v for p, v in zip(parts, held, strict=True)]
            found[name] = np.concatenate(filled)
    return Predictions(parts[0].classes, **found)


def reduced_rows(rows: Predictions, threshold: float | None, grid: ScoreGrid | None) -> Reduced:
    """Cases reduced to their decisions and to their scores: in the cells of a grid, or one by one where there is none.

    Decisions are those of the cases themselves, not of their cells, so that any threshold is exact.
    """

    def put(table: ScoreTable) -> Scores:
        return table if grid is None else Binned.from_table(table, grid)

    decided = DecidedRows(rows, threshold)
    counts = np.bincount(rows.truth, rows.count, minlength=len(rows.classes))
    tables: list[ScoreTable] = []
    scores = None
    if rows.probability is not None:
        scores = ClassScores.of(rows.probability, rows.truth, rows.classes, weight=rows.weight, count=rows.count)
        tables = [scores.against_rest(k) for k in range(len(rows.classes))]
    elif rows.score is not None:
        of_two = (rows.classes[0], rows.classes[1])
        tables = [ScoreTable.of(rows.score, rows.truth == 1, of_two, weight=rows.weight, count=rows.count)]
    kept = tuple(map(put, tables))
    cases = tuple(round(float(n)) for n in counts)
    sums = None if scores is None else class_sums(scores, kept, put)
    return Reduced(rows.classes, cases, decided.matrix(), kept, threshold, sums=sums)


def evidence_of_reduced(found: Reduced, name: str = "") -> Evidence:
    """Evidence without rows, as one part that is known by what it holds."""
    digest = hashlib.sha256()
    for each, values in sorted(state_of(found).items()):
        digest.update(each.encode() + b"\0" + np.ascontiguousarray(values).tobytes())
    return Evidence((Contribution(name, {"": found}, (digest.hexdigest(),)),), "batches")


def state_of(found: Reduced) -> dict[str, NDArray[Any]]:
    """Evidence as plain arrays by name."""
    state: dict[str, NDArray[Any]] = {"cases": np.array(found.cases)}
    if found.matrix is not None:
        state["matrix"] = found.matrix.counts
        state |= {} if found.matrix.squares is None else {"matrix_squares": found.matrix.squares}
    for place, scores in [*enumerate(found.scores), *(() if found.sums is None else found.sums.answers.items())]:
        held = {name: getattr(scores, name, None) for name in (*OF_CELLS, "score")}
        state |= {f"{name}_{place}": values for name, values in held.items() if values is not None}
    if found.sums is not None:
        state["sums"] = np.array([found.sums.certain_and_wrong, found.sums.are_probabilities])
        state |= {f"{LOSS}{name}": values for name, values in found.sums.losses.items()}
        state |= {f"by_truth_{place}": values for place, values in enumerate(found.sums.by_truth)}
    return state


def reduced_of(
    state: Mapping[str, NDArray[Any]], classes: tuple[str, ...], grid: ScoreGrid, threshold: float | None
) -> Reduced:
    """The evidence that such arrays hold, if their figures agree."""
    matrix = (
        ConfusionMatrix(state["matrix"], classes, classes, state.get("matrix_squares")) if "matrix" in state else None
    )
    scores: list[Scores] = []
    while f"cell_{len(scores)}" in state:
        pair = (classes[0], classes[1]) if len(classes) == 2 else ("rest", classes[len(scores)])
        scores.append(_cells_of(state, len(scores), grid, pair))
    sums = _sums_of(state, grid) if "sums" in state else None
    found = Reduced(classes, tuple(int(n) for n in state["cases"]), matrix, tuple(scores), threshold, sums=sums)
    refuse_inconsistent_model(found)
    return found


def _cells_of(state: Mapping[str, NDArray[Any]], place: int | str, grid: ScoreGrid, pair: tuple[str, str]) -> Binned:
    held: dict[str, Any] = {name: state.get(f"{name}_{place}") for name in OF_CELLS}
    return Binned(grid, classes=pair, **held)


def _sums_of(state: Mapping[str, NDArray[Any]], grid: ScoreGrid) -> ClassSums:
    by_truth: list[Any] = []
    while f"by_truth_{len(by_truth)}" in state:
        by_truth.append(state[f"by_truth_{len(by_truth)}"])
    answers = {name: _cells_of(state, name, grid, SIDES) for name in ANSWERS}
    losses = {name.removeprefix(LOSS): values for name, values in state.items() if name.startswith(LOSS)}
    certain, are_shares = state["sums"].tolist()
    return ClassSums(tuple(by_truth), answers, losses, certain, bool(are_shares))


def arrays_of_rows(rows: Predictions) -> dict[str, NDArray[Any]]:
    """Cases as plain arrays by name."""
    held = {name: getattr(rows, name) for name in OF_CASES}
    return {name: np.array(values) for name, values in held.items() if values is not None}


def rows_of(state: Mapping[str, NDArray[Any]], classes: tuple[str, ...]) -> Predictions:
    """The cases that such arrays hold."""
    for name in ("truth", "decision"):
        codes = state.get(name)
        if codes is not None and not (codes.dtype.kind in "iu" and ((codes >= 0) & (codes < len(classes))).all()):
            raise OptionError(
                f"the {name} is none of the {len(classes)} classes", "the number of a class for each case"
            )
    held: dict[str, Any] = {name: state[name] for name in OF_CASES if name in state}
    return Predictions(classes, **held)
