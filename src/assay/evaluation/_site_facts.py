"""What cautions look at in several sites: their classes, their weights, how far they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import chdtrc

from assay.cautions import SitesFacts
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._sites_summary import SitesSummary

__all__ = ["facts_of"]

# Shares of a class differ where chance would show so much in at most this share of samples, and they are so far apart.
BEYOND_CHANCE, TIMES = 0.01, 1.5
# What one over a variance on the scale counts, where the scale is another than the logit of a share.
CASES_WORTH = {"logit": 1.0, "z": 0.25}


def facts_of(sites: Mapping[str, Evaluation], summary: SitesSummary) -> SitesFacts:
    """The facts of some sites and of what was made of them."""
    counts = {name: ev.class_counts for name, ev in sites.items()}
    lacking = {name: tuple(c for c, size in each.items() if size == 0) for name, each in counts.items()}
    lacking = {name: classes for name, classes in lacking.items() if classes}
    predicted, pooled = summary.prediction, summary.on_scale
    worth = CASES_WORTH.get(summary.scale.name, math.inf)
    return SitesFacts(
        sites=len(summary.sites),
        measure=summary.measure.title,
        shares=_unlike_shares(counts),
        moves_with_shares=not summary.measure.of_each_class,
        lacking=lacking,
        left_out={name: why for name, why in summary.left_out.items() if name not in lacking},
        heaviest=max(summary.weights.items(), key=lambda item: item[1]),
        i2=summary.i2,
        new_site=None if predicted.undefined else (predicted.low, predicted.high),
        told_by_median=worth / float(np.median(pooled.variances)),
    )


def _unlike_shares(counts: Mapping[str, Mapping[str, int]]) -> tuple[str, str, float, str, float] | None:
    """The class whose share differs most between sites, if the classes do so beyond chance."""
    table = np.array([list(each.values()) for each in counts.values()], dtype=np.float64)
    here, there = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    names, classes = (
        [name for name, size in zip(counts, here[:, 0], strict=True) if size > 0],
        list(next(iter(counts.values()))),
    )
    table, here = table[here[:, 0] > 0], here[here > 0][:, None]
    expected = here * there / table.sum()
    present = expected > 0
    statistic = float((np.square(table - expected)[present] / expected[present]).sum())
    freedom = (len(names) - 1) * (int((there > 0).sum()) - 1)
    if freedom < 1 or chdtrc(freedom, statistic) >= BEYOND_CHANCE:
        return None
    shares = table / here
    low, high = shares.min(axis=0), shares.max(axis=0)
    # A class that a site has not is another matter than one that is rarer there.
    apart = np.where(low > 0, high / np.where(low > 0, low, 1.0), 0.0)
    most = int(np.argmax(apart))
    if apart[most] < TIMES:
        return None
    where = names[int(np.argmin(shares[:, most]))], names[int(np.argmax(shares[:, most]))]
    return classes[most], where[0], float(low[most]), where[1], float(high[most])
