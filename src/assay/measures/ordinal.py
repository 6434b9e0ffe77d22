"""Hand and Till's mean of pairwise areas from one score that should rise with the classes."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import OptionError
from assay.evidence import ordered_table
from assay.measures._measure import ratio
from assay.measures._ordered import ordered_estimate
from assay.request import checked_level
from assay.results import Estimate
from assay.types import Floats

NAME = "ordinal_hand_till"


def ordinal_hand_till(scores: ArrayLike, codes: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Chance that of cases of two classes the one of the higher class scores higher, a mean over all pairs of classes.

    Classes are codes 0, 1, 2, ... in their order, and ties count half. Every pair of classes counts the same. The
    interval is from the variances of each class's components, as DeLong's of an AUC, on the logit scale; where few
    cases tell how much it varies, the wider of it and of plus four.

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
    if len(counts) < 2:
        why, n = "fewer than two classes occur, so there is no pair to rank", float(counts.sum())
        return Estimate(NAME, math.nan, math.nan, math.nan, level, "none", n, undefined=why)
    return ordered_estimate(NAME, _components, counts, level)


def _components(counts: Floats) -> tuple[float, list[Floats]]:
    """The mean area over pairs, and what a case of each class at each score adds to it."""
    sizes = counts.sum(-1)
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
