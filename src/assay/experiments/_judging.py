"""What a cell says of the cases it tested, beside what is true of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.experiments.task import PredictedRows
from assay.predictions import Predictions


def rows_about(packed: bytes, classes: tuple[str, ...], target: NDArray[np.int64]) -> PredictedRows:
    """The predictions of a cell, if they can be about this data set."""
    rows = PredictedRows.unpacked(packed)
    if not rows.fits(len(target), len(classes)):
        found = "the predictions of a cell in the store are not about the data set they stand beside"
        raise InputError(found, "the study resumed, or run into a new store")
    return rows


def as_predictions(rows: PredictedRows, classes: tuple[str, ...], target: NDArray[np.int64]) -> Predictions:
    """The same as evaluations take it; two classes have one score."""
    score, probability = rows.score, rows.probability
    if probability is not None and len(classes) == 2:
        score, probability = probability[:, 1], None
    truth = target[rows.rows]
    return Predictions(classes, truth, score=score, probability=probability, decision=rows.label.astype(np.int64))


def follow(decision: NDArray[np.integer], score: NDArray[np.float64]) -> bool:
    """Whether labels are simply those of probabilities of one half or more."""
    return bool(score.min() >= 0 and score.max() <= 1 and ((score >= 0.5) == (decision == 1)).all())
