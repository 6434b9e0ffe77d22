"""What can only be said about several models together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assay.cautions import Caution, ComparisonFacts, check
from assay.curves import curves_cross, roc_difference_bands
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.types import Floats

__all__ = ["cautions_about_crossing", "crossing_pairs"]

# More cases or models would keep a user waiting for a remark.
MOST_CASES = 20_000
MOST_MODELS = 4
DRAWS = 500
STRICT = 0.99


def cautions_about_crossing(
    models: Mapping[str, Evaluation], pairs: Iterable[tuple[str, str]], names: Mapping[str, str] | None = None
) -> tuple[Caution, ...]:
    """What to say of models whose ROC curves are known to cross, under other names if you like."""
    shown = names or dict(zip(models, models, strict=True))
    every = (ComparisonFacts(crossing=(shown[first], shown[second])) for first, second in pairs)
    return tuple(caution for facts in every for caution in check(facts))


def crossing_pairs(models: Mapping[str, Evaluation]) -> list[tuple[str, str]]:
    """The pairs of models whose ROC curves cross by more than chance."""
    if not 2 <= len(models) <= MOST_MODELS:
        return []
    pairs = list(combinations(models, 2))
    level = 1 - (1 - STRICT) / len(pairs)
    crossed: set[tuple[str, str]] = set()
    for truth, scores in _on_the_same_cases(models):
        bands = roc_difference_bands(truth == 1, list(scores.values()), level, draws=DRAWS)
        named = zip(combinations(scores, 2), bands.values(), strict=True)
        crossed |= {pair for pair, band in named if curves_cross(band)}
    return [pair for pair in pairs if pair in crossed]


def _on_the_same_cases(models: Mapping[str, Evaluation]) -> list[tuple[NDArray[np.integer], dict[str, Floats]]]:
    """The truth of equal and independent cases, and the scores of all models that were given them."""
    found: list[tuple[NDArray[np.integer], dict[str, Floats]]] = []
    for name, ev in models.items():
        rows = ev.rows
        if rows is None or rows.score is None or len(rows) > MOST_CASES or not isinstance(ev, TwoClassEvaluation):
            continue
        if rows.weight is not None or rows.cluster is not None or rows.count is not None:
            continue
        same = next((scores for truth, scores in found if np.array_equal(truth, rows.truth)), None)
        if same is None:
            found.append((rows.truth, {name: rows.score}))
        else:
            same[name] = rows.score
    return found
