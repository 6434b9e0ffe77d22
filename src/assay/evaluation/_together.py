"""What can only be said about several models together."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from assay.cautions import Caution, ComparisonFacts, check
from assay.curves import curves_cross, roc_difference_band
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._two_classes import TwoClassEvaluation

__all__ = ["cautions_together"]

# More cases or models would keep a user waiting for a remark.
MOST_CASES = 20_000
MOST_MODELS = 4
DRAWS = 500
STRICT = 0.99


def cautions_together(models: Mapping[str, Evaluation]) -> tuple[Caution, ...]:
    """Whether the ROC curves of two models cross by more than chance, all pairs looked at together."""
    if not 2 <= len(models) <= MOST_MODELS:
        return ()
    pairs = list(combinations(models, 2))
    level = 1 - (1 - STRICT) / len(pairs)
    crossing = [(first, second) for first, second in pairs if _cross(models[first], models[second], level)]
    return tuple(caution for pair in crossing for caution in check(ComparisonFacts(crossing=pair)))


def _cross(first: Evaluation, second: Evaluation, level: float) -> bool:
    one, other = first.rows, second.rows
    if one is None or other is None or one.score is None or other.score is None:
        return False
    is_plain = all(rows.weight is None and rows.cluster is None for rows in (one, other)) and one.count is None
    same = len(one) == len(other) and len(one) <= MOST_CASES and np.array_equal(one.truth, other.truth)
    if not is_plain or not same or not isinstance(first, TwoClassEvaluation):
        return False
    band = roc_difference_band(one.truth == 1, one.score, other.score, level, draws=DRAWS)
    return curves_cross(band)
