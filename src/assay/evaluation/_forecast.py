"""What is known of differences on more cases than these, and were they larger than they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.comparison import Difference, Forecast, areas_stretch, no_stretch, quantile, shares_stretch
from assay.measures import Measure

if TYPE_CHECKING:
    from assay.evaluation._differences import Pair, PairedRows

__all__ = ["forecast"]

HalfWidth = Callable[[float], float]


def forecast(
    models: PairedRows,
    measure: Measure,
    pairs: Sequence[Pair],
    found: Sequence[Difference],
    half_widths: Sequence[HalfWidth] | None,
) -> list[Difference]:
    """Return the differences of some pairs with what is known of each on other cases."""
    widths: Sequence[HalfWidth | None] = half_widths or [None] * len(found)
    return [
        replace(
            one, forecast=Forecast(width, _stretch(models, measure, pair, one), measure.bounds[1] - measure.bounds[0])
        )
        for one, pair, width in zip(found, pairs, widths, strict=True)
    ]


def _stretch(models: PairedRows, measure: Measure, pair: Pair, found: Difference) -> Callable[[float], float]:
    """How the standard error of a difference grows with the true difference."""
    rows = models.rows
    if measure.is_mean_loss:
        return no_stretch
    if measure.answers is not None and rows.weight is None and rows.cluster is None:
        return shares_stretch(found.half_width, quantile(found.level), found.n)
    if measure.pairs is None:
        return Forecast().stretch
    positives = float((rows.is_positive * rows.times).sum())
    sizes = max(positives, 1.0), max(float(rows.times.sum()) - positives, 1.0)
    scale, shift = measure.pairs.scale, measure.pairs.shift
    level = sum(float(measure(models.evidence(measure, k))) for k in pair) / 2
    return areas_stretch((level - shift) / scale, *sizes, abs(scale))
