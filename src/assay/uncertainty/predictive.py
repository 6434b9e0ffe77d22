"""Limits of a predictive value where positives are as common as someone says, not as in these cases."""

from __future__ import annotations

import math

from scipy.special import ndtri

from assay.results import Interval
from assay.uncertainty.proportions import log_ratio_variance, recovered_ratio

__all__ = ["logit_predictive", "recovered_predictive"]


def logit_predictive(x1: float, n1: float, x0: float, n0: float, odds: float, level: float) -> Interval:
    """Mercaldo, Lau & Zhou (2007): normal on the logit scale.

    The value is the chance that a call is right, when it is made for x1 of n1 cases it is right about and for x0 of n0
    it is wrong about, and the former are `odds` times as common. The odds are taken as known.

    >>> logit_predictive(187, 212, 14, 357, 0.05 / 0.95, 0.95)
    Interval(low=0.414..., high=0.664..., method='logit, Mercaldo', undefined=None)
    """
    name = "logit, Mercaldo"
    if min(x1, x0) <= 0:
        return Interval.missing(name, "a cell is empty, so the logit has no standard error")
    z = float(ndtri(0.5 + level / 2))
    value, factor = odds * (x1 / n1) / (x0 / n0), math.exp(z * math.sqrt(log_ratio_variance(x1, n1, x0, n0)))
    return Interval(_share(value / factor), _share(value * factor), name)


def recovered_predictive(x1: float, n1: float, x0: float, n0: float, odds: float, level: float) -> Interval:
    """The same from Wilson's limits of either share (Donner & Zou 2012), which holds in small samples.

    >>> recovered_predictive(9, 10, 0, 20, 0.05 / 0.95, 0.95)
    Interval(low=0.216..., high=1.0, method='MOVER, Wilson', undefined=None)
    """
    name = "MOVER, Wilson"
    if x0 > 0:
        low, high = recovered_ratio(x1, n1, x0, n0, level)
        return Interval(_share(odds * low), _share(odds * high), name)
    # No wrong call was seen: the limits of the inverse ratio, which has an end.
    low, high = recovered_ratio(x0, n0, x1, n1, level)
    return Interval(1 - _share(high / odds), 1 - _share(low / odds), name)


def _share(odds: float) -> float:
    return odds / (1 + odds) if math.isfinite(odds) else 1.0
