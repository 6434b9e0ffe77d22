"""What a cell says of the cases it tested, beside what is true of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.experiments._packed import PredictedRows
from assay.predictions import REJECTED, Predictions


def rows_about(packed: bytes, classes: tuple[str, ...], target: NDArray[np.int64]) -> PredictedRows:
    """The predictions of a cell, if they can be about this data set."""
    rows = PredictedRows.unpacked(packed)
    if not rows.fits(len(target), len(classes)):
        found = "the predictions of a cell in the store are not about the data set they stand beside"
        raise InputError(found, "the study resumed, or run into a new store")
    return rows


def as_predictions(rows: PredictedRows, classes: tuple[str, ...], target: NDArray[np.int64]) -> Predictions:
    """The same as evaluations take it; two classes have one score, and what was handed on is a decision of its own."""
    score, probability = rows.score, rows.probability
    if probability is not None and len(classes) == 2:
        score, probability = probability[:, 1], None
    truth = target[rows.rows]
    decision = rows.label.astype(np.int64)
    decisions = (*classes, REJECTED) if (decision == len(classes)).any() else classes
    return Predictions(classes, truth, score=score, probability=probability, decision=decision, decisions=decisions)


def pooled_rows(parts: Sequence[Predictions]) -> Predictions:
    """What the models of several folds said, together; each fold is known as one where there are several."""
    together: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("truth", "score", "decision", "probability")
        if all(getattr(part, name) is not None for part in parts)
    }
    fold = np.repeat(np.arange(len(parts)), [len(part) for part in parts]) if len(parts) > 1 else None
    if "score" in together and _follow(together["decision"], together["score"]):
        del together["decision"]  # a threshold says as much, and can be moved
    decisions = max((part.decisions for part in parts), key=len) if "decision" in together else ()
    return Predictions(parts[0].classes, **together, decisions=decisions, fold=fold)


def _follow(decision: NDArray[np.integer], score: NDArray[np.float64]) -> bool:
    """Whether labels are simply those of probabilities of one half or more."""
    return bool(score.min() >= 0 and score.max() <= 1 and ((score >= 0.5) == decision).all())
