"""How much two models differ on all rows, from the same labels of some of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from assay.evidence import ConfusionMatrix
from assay.labelling import estimators
from assay.labelling.estimators import ScoreEstimate, quantile_of, spread_of
from assay.labelling.masses import LabelledRows
from assay.labelling.sampled_measures import SCORES, too_few
from assay.measures import Measure, registry

__all__ = ["COMPARED", "SampledDifference", "sampled_difference"]

# With fewer labelled rows of a class the difference of Brier scores covered .76 in the worst design.
FEWEST_TO_COMPARE = 10
# Measures whose differences were simulated.
COMPARED = tuple(one for one in registry.values() if one.has_sampled_difference)
OF_SCORES: Mapping[str, Callable[[LabelledRows], ScoreEstimate]] = MappingProxyType(
    {one.name: SCORES[one.name].estimate for one in COMPARED if one.name in SCORES}
)
METHOD = f"{estimators.SCORES}, plain scale"


class SampledDifference(NamedTuple):
    """A difference with its limits and its test, or why there is none."""

    value: float
    low: float
    high: float
    p_value: float
    se: float
    freedom: float
    undefined: str | None = None


def sampled_difference(first: LabelledRows, second: LabelledRows, measure: Measure, level: float) -> SampledDifference:
    """Return the first model's measure minus the second's, both of the same rows with the same labels.

    The working model reads the mean of both scores and half their difference; the variance is that of one sum, in which
    a label counts by how it moves the difference.
    """
    if first.score is not None and second.score is not None:
        joint = replace(first, called=None, model=None, other_score=second.score)
        first, second = (replace(each, model=joint.working) for each in (first, second))
    one, two = (_of_masses(each, measure) for each in (first, second))
    value = one.value - two.value
    why = too_few(first, FEWEST_TO_COMPARE)
    if why is None and measure.name in SCORES:
        why = next((why for each in (first, second) if (why := SCORES[measure.name].refuses(each)) is not None), None)
    if why is not None or math.isnan(value):
        nan = math.nan
        return SampledDifference(value, nan, nan, nan, nan, nan, why or measure.undefined)
    spread = spread_of(first, one.slopes - two.slopes)
    se = math.sqrt(spread.variance)
    half = quantile_of(level, spread.freedom) * se
    p_value = 2 * float(stdtr(min(spread.freedom, 1e12), -abs(value) / se)) if se > 0 else float(value == 0)
    return SampledDifference(value, value - half, value + half, p_value, se, spread.freedom)


def _of_masses(rows: LabelledRows, measure: Measure) -> ScoreEstimate:
    """A measure of all rows as one sum of masses, and how each label moves it under the working model."""
    if measure.needs is not ConfusionMatrix:
        return OF_SCORES[measure.name](rows)
    assert rows.called is not None
    # Sides as they are sums of masses; a cut at 0 or 1 would make the difference no sum.
    sizes = int(np.count_nonzero(rows.called)), int(np.count_nonzero(~rows.called))

    def value(called: float, rest: float) -> float:
        counts = {"tp": called, "fn": rest, "fp": sizes[0] - called, "tn": sizes[1] - rest}
        return float(measure(ConfusionMatrix.binary(**counts)))

    seen = float(rows.mass[rows.called].sum()), float(rows.mass[~rows.called].sum())
    a, b = float(rows.working[rows.called].sum()), float(rows.working[~rows.called].sum())
    step = 1e-5 * len(rows)
    up, down = (
        (value(a + step, b) - value(a - step, b)) / 2 / step,
        (value(a, b + step) - value(a, b - step)) / 2 / step,
    )
    return ScoreEstimate(value(*seen), np.where(rows.called, up, down))
