"""The volume under the ROC surface: does one score put cases of three ordered classes in their order?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import OptionError
from assay.evidence import ordered_table
from assay.measures._measure import ratio
from assay.measures._ordered import ordered_estimate
from assay.request import checked_level
from assay.results import Estimate
from assay.types import Floats

NAME = "volume_under_surface"


def volume_under_surface(scores: ArrayLike, codes: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Chance that one case of each of three ordered classes (codes 0, 1, 2) is scored in their order.

    A tie of two counts half, a tie of all three a sixth: chance is 1/6. The interval is from the variances of each
    class's components, as DeLong's of an AUC, on the logit scale; where few cases tell how much it varies, the wider of
    it and of plus four.

    >>> volume_under_surface([1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2]).value
    0.875

    References: Dreiseitl, Ohno-Machado & Binder (2000); Nakas & Yiannoutsos (2004).
    """
    level = checked_level(level)
    code = np.asarray(codes)
    if not np.isin(code, (0, 1, 2)).all():
        raise OptionError("some classes have other codes", "0, 1 and 2, in the order of the classes")
    counts = ordered_table(np.asarray(scores, dtype=np.float64), code.astype(np.intp), 3)
    if not (counts.sum(-1) > 0).all():
        why, n = "a class is missing, so there is no triple to rank", float(counts.sum())
        return Estimate(NAME, math.nan, math.nan, math.nan, level, "none", n, undefined=why)
    return ordered_estimate(NAME, _components, counts, level)


def _components(counts: Floats) -> tuple[float, list[Floats]]:
    """The volume, and the share of pairs of the two other classes that a case at each score is in order with."""
    first, second, third = counts
    sizes = counts.sum(-1)
    below = np.cumsum(first) - first
    above = third.sum() - np.cumsum(third)
    # A tie of all three is a sixth, where two halves would make it a quarter.
    of_second = (below + first / 2) * (above + third / 2) - first * third / 12
    pairs = second * (above + third / 2)
    of_first = pairs.sum() - np.cumsum(pairs) + second * (above / 2 + third / 6)
    pairs = second * (below + first / 2)
    of_third = np.cumsum(pairs) - pairs + second * (below / 2 + first / 6)
    placed = (of_first, of_second, of_third)
    components = [np.asarray(ratio(part, np.prod(np.delete(sizes, k)))) for k, part in enumerate(placed)]
    return float(ratio(second @ components[1], sizes[1])), components
