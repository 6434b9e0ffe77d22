"""What a band is, and pointwise limits of one rate at fixed values of another."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.results import Estimate, Table, counted
from assay.types import Floats
from assay.uncertainty.curve_limits import Side, mixture_limits, positions

__all__ = [
    "A_CLASS_IS_MISSING",
    "MIXTURE",
    "Band",
    "Kind",
    "as_estimate",
    "few_in_class",
    "few_weighted",
    "heights",
    "held",
    "missing",
    "pointwise",
    "refuse_clusters",
    "refuse_weights",
    "sides",
    "too_few",
]

Kind = Literal["pointwise", "simultaneous"]

MIXTURE = "Jeffreys over the threshold's positions"
A_CLASS_IS_MISSING = "truth holds a single class, so there is no curve"
# Below these nothing kept its level (verification/bands.py): cases in a class, and cases expected beyond the threshold,
# of which it takes more where some count more than others.
FEWEST_IN_CLASS = 10
FEWEST_BEYOND = 2
FEWEST_WEIGHTED = 10


@dataclass(frozen=True, eq=False, repr=False)
class Band:
    """Limits around a curve: at x[i] the curve is estimated as y[i] and lies between low[i] and high[i].

    A `pointwise` band holds the true value at each single x with `level`; a `simultaneous` one holds the whole true
    curve with `level`. `undefined` says why some limits are nan.
    """

    x_name: str
    y_name: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    level: float
    kind: Kind
    method: str
    n: float
    undefined: str | None = None

    _repr_html_ = in_notebook

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        shown = int(np.isfinite(self.low).sum())
        return (
            f"<{self.kind} {100 * self.level:g} % band of {self.y_name} at given {self.x_name}: "
            f"limits at {shown:,} of {counted(len(self), 'point')}, {self.method}>"
        )

    def table(self) -> Table:
        """The points with their limits.

        >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
        >>> from assay.curves.bands import roc_band
        >>> print(roc_band(table, at=[0.3, 0.6]).table())
          fpr  recall    low   high
        0.300   0.500  0.296  0.839
        0.600   1.000  0.397  1.000
        """
        columns = {self.x_name: self.x, self.y_name: self.y, "low": self.low, "high": self.high}
        return Table({name: values.tolist() for name, values in columns.items()})


def pointwise(names: tuple[str, str], across: Side, up: Side, x: Floats, share: Floats, level: float) -> Band:
    """The share of one class beyond the score that parts off a given share of the other, with pointwise limits.

    `x` is what the band calls that given share. The true score is unknown: it may stand at any of the positions that
    the sampling of `across` allows, and given one of them the rate is a binomial share of `up`.
    """
    if not across.size or not up.size:
        return missing(names, x, level, A_CLASS_IS_MISSING, across.size + up.size)
    value = np.interp(share, across.shares, up.shares)
    at = heights(across, up, positions(across, share))
    n = up.effective(at)
    low, high = mixture_limits(at * n, (1 - at) * n, level)
    reasons = (few_in_class(across, up), too_few(across, share, "the threshold"), few_weighted(up, value))
    return held(Band(*names, x, value, low, high, level, "pointwise", MIXTURE, across.size + up.size), *reasons)


def heights(across: Side, up: Side, share: Floats) -> Floats:
    """The share of `up` where so much of `across` is parted off: the mean of half a case before and half a case after.

    Just where the curve rises vertically, as it does at each single case of `up`, that is half-way.
    """
    half = 0.5 / across.kish
    before, after = (np.interp(at, across.shares, up.shares) for at in (share - half, share + half))
    middle: Floats = 0.5 * (before + after)
    return middle


def held(band: Band, *reasons: tuple[NDArray[np.bool_], str]) -> Band:
    """The band with its limits around the value, and without those that a reason forbids."""
    low, high = np.minimum(band.low, band.y), np.maximum(band.high, band.y)
    forbidden, said = np.isnan(band.y), []
    for where, why in reasons:
        where = np.broadcast_to(where, forbidden.shape)
        if (where & ~forbidden).any():
            said.append(why)
        forbidden = forbidden | where
    low, high = (np.where(forbidden, math.nan, limit) for limit in (low, high))
    return replace(band, low=low, high=high, undefined="; ".join(said) or band.undefined)


def few_in_class(*classes: Side) -> tuple[NDArray[np.bool_], str]:
    """Refuses small classes."""
    smaller = min(side.kish for side in classes)
    why = f"{counted(round(smaller), 'case')} in a class: below {FEWEST_IN_CLASS} the limits did not keep their level"
    return np.array(smaller < FEWEST_IN_CLASS), why


def too_few(side: Side, share: Floats, thing: str) -> tuple[NDArray[np.bool_], str]:
    """Refuses points with hardly a case on one side of the threshold, where its position is a guess."""
    fewest = FEWEST_WEIGHTED if side.is_weighted else FEWEST_BEYOND
    why = f"no limits where fewer than {fewest} cases are expected on one side of {thing}"
    return side.beyond(share) < fewest * (1 - 1e-9), why


def few_weighted(side: Side, share: Floats) -> tuple[NDArray[np.bool_], str]:
    """Refuses weighted shares that rest on hardly a case: one more of a large weight would change them much."""
    why = f"no limits where weights leave fewer than {FEWEST_WEIGHTED} effective cases of a kind"
    return np.asarray(side.is_weighted & (side.beyond(share) < FEWEST_WEIGHTED)), why


def sides(table: ScoreTable, *, from_the_top: bool = True) -> tuple[Side, Side]:
    """Negatives and positives in the order a curve meets them."""
    step = -1 if from_the_top else 1
    negative, positive = table.negative[::step], table.positive[::step]
    if not table.is_weighted:
        return Side(negative, negative), Side(positive, positive)
    squares = table.squared_weights
    return Side(negative, squares[0][::step]), Side(positive, squares[1][::step])


def missing(names: tuple[str, str], x: Floats, level: float, reason: str, n: float) -> Band:
    """A band without a value or limits, and why."""
    none = np.full(len(x), math.nan)
    return Band(*names, x, none, none, none, level, "pointwise", "none", n, reason)


def as_estimate(band: Band) -> Estimate:
    """A band of one point as an estimate."""
    value, low, high = (float(part[0]) for part in (band.y, band.low, band.high))
    return Estimate(band.y_name, value, low, high, band.level, band.method, band.n, undefined=band.undefined)


def refuse_clusters(table: ScoreTable) -> None:
    """Bands take rows as independent."""
    if table.rows is not None:
        found = "these cases come in clusters, and a band takes them as independent"
        raise OptionError(found, "the measures at a threshold, or roc_auc: their intervals take clusters")


def refuse_weights(table: ScoreTable, instead: str) -> None:
    """Some bands count whole cases."""
    if table.is_weighted:
        raise OptionError("these cases have weights, and this counts whole ones", f"{instead}, which takes weights")
