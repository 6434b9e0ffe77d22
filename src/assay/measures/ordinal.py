"""Hand and Till's mean of pairwise areas from one score that should rise with the classes."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from assay.errors import OptionError
from assay.evidence import ordered_table
from assay.measures._measure import ratio
from assay.request import checked_level
from assay.results import Estimate, counted
from assay.uncertainty import LOGIT

NAME, METHOD = "ordinal_hand_till", "components, logit"
# Intervals were simulated from this many cases in the smallest class on (verification/surface.py).
FEWEST_OF_A_CLASS = 10


def ordinal_hand_till(scores: ArrayLike, codes: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Chance that of cases of two classes the one of the higher class scores higher, a mean over all pairs of classes.

    Classes are codes 0, 1, 2, ... in their order, and ties count half. Every pair of classes counts the same. The
    interval is from the variances of each class's components, as DeLong's of an AUC, on the logit scale.

    >>> ordinal_hand_till([1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2]).value
    0.9583333333333333

    References: Hand & Till (2001); pROC's multiclass.roc of one predictor.
    """
    level = checked_level(level)
    code = np.asarray(codes)
    if not (np.equal(np.mod(code, 1), 0).all() and code.min(initial=0) >= 0):
        raise OptionError("some classes have other codes", "whole numbers from 0 on, in the order of the classes")
    counts = ordered_table(np.asarray(scores, dtype=np.float64), code.astype(np.intp), int(code.max(initial=0)) + 1)
    counts = counts[counts.sum(-1) > 0]
    sizes = counts.sum(-1)
    n = float(sizes.sum())
    if len(counts) < 2:
        why = "fewer than two classes occur, so there is no pair to rank"
        return Estimate(NAME, math.nan, math.nan, math.nan, level, "none", n, undefined=why)
    value, components = _components(counts, sizes)
    smallest = float(sizes.min())
    if smallest < FEWEST_OF_A_CLASS:
        why = f"{counted(smallest, 'case')} in the smallest class: below {FEWEST_OF_A_CLASS} none was checked"
        return Estimate(NAME, value, math.nan, math.nan, level, METHOD, n, undefined=why)
    variance = sum(
        float(ratio(at @ np.square(part - float(ratio(at @ part, size))), size * (size - 1)))
        for at, part, size in zip(counts, components, sizes, strict=True)
    )
    if not variance > 0 or not 0 < value < 1:
        why = "the components do not vary, so the standard error is 0"
        return Estimate(NAME, value, math.nan, math.nan, level, METHOD, n, undefined=why)
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(variance) * LOGIT.slope(value)
    low, high = (LOGIT.backward(LOGIT.forward(value) + sign * half) for sign in (-1, 1))
    return Estimate(NAME, value, low, high, level, METHOD, n)


def _components(counts: Any, sizes: Any) -> tuple[float, list[Any]]:
    """The mean area over pairs, and what a case of each class at each score adds to it."""
    pairs = list(combinations(range(len(counts)), 2))
    each = float(ratio(1.0, len(pairs)))
    below = np.cumsum(counts, axis=-1) - counts / 2
    components = [np.zeros(counts.shape[-1]) for _ in counts]
    value = 0.0
    for low, high in pairs:
        won, lost = ratio(below[low], sizes[low]), 1 - ratio(below[high], sizes[high])
        components[high] += each * won
        components[low] += each * lost
        value += each * float(ratio(counts[high] @ won, sizes[high]))
    return value, components
