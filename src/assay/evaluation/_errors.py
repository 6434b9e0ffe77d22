"""What the probabilities of an evaluation miss the truth by, beside what class shares alone would."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.evidence import ScoreTable, arrangements
from assay.evidence.confusion import case_weights
from assay.evidence.probability_losses import ErrorSums, laplace_priors
from assay.predictions import Predictions

if TYPE_CHECKING:
    from assay.evaluation._evaluation import Evaluation

__all__ = ["error_sums", "rows_of_scores"]


def error_sums(ev: Evaluation, scores: ScoreTable | None = None) -> ErrorSums | None:
    """The error sums of cases with probabilities, from their rows or from a table of scores; None without either.

    Priors are the class shares outside a case's own fold; without folds they can only be those of the cases themselves.
    """
    if scores is not None and scores.reach is not None and ev.has_probabilities:
        at_ends = (_sums(ev, rows_of_scores(each)) for each in arrangements(scores))
        return replace(_sums(ev, rows_of_scores(scores)), ends=tuple(at_ends))
    rows = ev.predictions if scores is None or ev.predictions is not None else rows_of_scores(scores)
    if rows is None or not ev.has_probabilities:
        return None
    return _sums(ev, rows)


def _sums(ev: Evaluation, rows: Predictions) -> ErrorSums:
    if rows.probability is not None:
        probability = rows.probability
    else:
        assert rows.score is not None
        probability = np.stack((1 - rows.score, rows.score), 1)
    classes = len(ev.classes)
    if rows.decision is not None and len(rows.decisions) > classes:
        # Called by a name that is no class, a case has no probability in WEKA's sums.
        probability = np.where((rows.decision < classes)[:, None], probability, 0.0)
    weight, _ = case_weights(rows.weight, rows.count)
    priors = laplace_priors(rows.truth, classes, fold=rows.fold, weight=weight)
    return ErrorSums.of(rows.truth, probability, priors=priors, weight=weight)


def rows_of_scores(table: ScoreTable) -> Predictions:
    """Rows that make the same table of scores, where the rows themselves are not there."""
    truth, weight = np.repeat([0, 1], len(table)), np.concatenate((table.negative, table.positive))
    return Predictions(table.classes, truth, score=np.tile(table.score, 2), weight=weight)
