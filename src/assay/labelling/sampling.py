"""Which rows to label: inclusion probabilities from the scores alone, and a sample drawn with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.evidence import ConfusionMatrix
from assay.labelling.estimators import Calls, score_limits
from assay.labelling.masses import CLIP, LabelledRows
from assay.labelling.sampled_measures import FEWEST_LABELS, SCORES
from assay.measures import Measure
from assay.types import Codes, Floats

__all__ = [
    "Kind",
    "draw_rows",
    "expected_half_width",
    "expected_value",
    "inclusion_probabilities",
    "labels_needed",
    "unlabelled",
]

Kind = Literal["systematic", "poisson", "simple"]


def unlabelled(score: Floats, called: NDArray[np.bool_]) -> LabelledRows:
    """Return rows without any label, under the working model that the scores are the chances.

    >>> unlabelled(np.array([0.2, 0.7]), np.array([False, True])).labels
    0
    """
    model = np.clip(score, CLIP, 1 - CLIP)
    return LabelledRows(np.full(len(score), np.nan), np.ones(len(score)), score, called, model)


def inclusion_probabilities(rows: LabelledRows, measures: Sequence[Measure], labels: int, floor: float) -> Floats:
    """Return the probability with which each row is to be drawn, so that these measures have narrow limits.

    Neyman's allocation: proportional to how far the label of a row moves the measure times the standard deviation of
    that label, averaged over the measures. A share `floor` of the labels is spread evenly over all rows, which is what
    finds errors that no score shows.

    >>> from assay.measures import registry
    >>> rows = unlabelled(np.array([0.1, 0.4, 0.5, 0.9]), np.array([False, False, True, True]))
    >>> inclusion_probabilities(rows, [registry["recall"]], 2, 0.25).round(2)
    array([0.54, 0.81, 0.37, 0.27])
    """
    even = np.full(len(rows), 1 / len(rows))
    wanted = np.zeros(len(rows))
    for measure in measures:
        own = np.abs(_measure_slopes(rows, measure)) * np.sqrt(rows.spread)
        wanted += own / own.sum() if own.sum() > 0 else even
    return _capped_probabilities((1 - floor) * wanted / max(len(measures), 1) + floor * even, labels)


def _measure_slopes(rows: LabelledRows, measure: Measure) -> Floats:
    """How the label of each row moves a measure, if the working model is right."""
    if measure.needs is not ConfusionMatrix:
        return SCORES[measure.name].estimate(rows).slopes
    assert rows.called is not None
    calls = Calls.of(rows)
    a, b = calls.called.positives, calls.rest.positives
    step = 1e-4 * max(min(a, calls.called.rows - a, b, calls.rest.rows - b), 1e-6)

    def moved(on_called: float, on_rest: float) -> float:
        up, down = (calls.with_positives(a + sign * on_called, b + sign * on_rest) for sign in (1, -1))
        return float(measure(up) - measure(down)) / 2

    return np.where(rows.called, moved(step, 0.0) / step, moved(0.0, step) / step)


def expected_value(rows: LabelledRows, measure: Measure) -> float:
    """Return a measure of all rows, if the working model is right."""
    if measure.needs is ConfusionMatrix:
        return float(measure(Calls.of(rows).matrix))
    return SCORES[measure.name].estimate(rows).value


def expected_half_width(rows: LabelledRows, measure: Measure, probability: Floats, level: float) -> float:
    """Return half the width of the interval that labels drawn with these probabilities will give, as the model says."""
    planned = replace(rows, inclusion=probability)
    if measure.needs is ConfusionMatrix:
        interval = Calls.of(planned).limits(lambda matrix: float(measure(matrix)), level)
    else:
        how = SCORES[measure.name]
        interval = score_limits(planned, how.estimate(planned), level, how.scale)
    return (interval.high - interval.low) / 2


def labels_needed(
    rows: LabelledRows, measure: Measure, half_width: float, floor: float, level: float, *, simple: bool = False
) -> int | None:
    """Return about how many labels make the interval of a measure so narrow; None where labels of all rows would not.

    With `simple`, every row has the same probability.
    """

    def reached(labels: int) -> bool:
        even = np.full(len(rows), labels / len(rows))
        chance = even if simple else inclusion_probabilities(rows, [measure], labels, floor)
        return expected_half_width(rows, measure, chance, level) <= half_width

    low, high = FEWEST_LABELS, len(rows) - 1
    if reached(low):
        return low
    if high <= low or not reached(high):
        return None
    while high - low > max(1, low // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _capped_probabilities(share: Floats, labels: int) -> Floats:
    """Shares of the labels as probabilities: what is above 1 is spread over the other rows."""
    found = np.minimum(labels * share, 1.0)
    for _ in range(len(share)):
        is_sure = found >= 1
        left = labels - np.count_nonzero(is_sure)
        rest = float(share[~is_sure].sum())
        if not rest > 0 or left <= 0:
            break
        again = np.where(is_sure, 1.0, share * left / rest)
        if not (again[~is_sure] > 1).any():
            return np.asarray(again)
        found = np.minimum(again, 1.0)
    return found


def draw_rows(probability: Floats, order: Codes, kind: Kind, seed: int) -> Codes:
    """Return the places of the rows that are drawn, in ascending order; `order` makes it independent of how they lie.

    >>> draw_rows(np.full(8, 0.5), np.arange(8), "systematic", 1)
    array([1, 3, 5, 7])
    """
    generator = np.random.default_rng(seed)
    chances = probability[order]
    if kind == "systematic":
        total = np.cumsum(chances)
        points = generator.random() + np.arange(round(float(total[-1])))
        picked = np.searchsorted(total, points[points < total[-1]], side="right")
    elif kind == "poisson":
        picked = np.flatnonzero(generator.random(len(order)) < chances)
    else:
        picked = generator.permutation(len(order))[: round(float(chances.sum()))]
    return np.sort(order[picked])
