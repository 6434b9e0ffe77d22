"""What a stream is held against: a known number, or an estimate that enters with its own limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from assay.errors import OptionError
from assay.request import checked_between, checked_number, checked_whole
from assay.results import Estimate
from assay.text import number
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS, sequence_of

__all__ = ["Bounds", "Reference", "reference_of"]

Bounds = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference with its upper limit, which is itself where the reference is known; `spent` is the limit's alpha."""

    value: float
    high: float
    cases: int | None = None
    spent: float = 0.0

    @property
    def words(self) -> str:
        """How sentences name it."""
        if self.cases is None:
            return f"the reference {number(self.value)}"
        return f"the reference {number(self.value)} (at most {number(self.high)} by its {self.cases:,} cases)"


def reference_of(reference: Any, cases: Any, bounds: Bounds, alpha: float) -> Reference:
    """The reference with an upper limit that fails in at most `alpha` of samples, where it is an estimate.

    >>> reference_of(0.1, 500, (0.0, 1.0), 0.025).high.__round__(4)
    0.1297
    """
    if isinstance(reference, Estimate):
        way = {"reference": float(reference), "cases": int(reference.n)}
        raise OptionError("reference is an estimate, whose interval has another level", "its value and cases", way)
    if isinstance(reference, Real):
        value = _within(checked_number(reference, "reference"), bounds)
        return Reference(value, value) if cases is None else _of_share(value, cases, bounds, alpha)
    if cases is not None:
        raise OptionError("cases are given beside the losses of the reference", "the losses alone", about="cases")
    return _of_losses(np.asarray(reference, dtype=np.float64), bounds, alpha)


def _within(value: float, bounds: Bounds) -> float:
    return value if bounds is None else checked_between(value, "reference", *bounds, closed=True)


def _of_share(value: float, cases: Any, bounds: Bounds, alpha: float) -> Reference:
    if bounds != (0.0, 1.0):
        needed = "reference as the list of losses that it is the mean of"
        raise OptionError("cases fit a share of errors only, and this loss has other bounds", needed, about="cases")
    n = checked_whole(cases, "cases")
    return Reference(value, _upper_share(value * n, n, alpha), n, alpha)


def _upper_share(part: float, whole: float, alpha: float) -> float:
    return float(PROPORTION_METHODS["Clopper-Pearson"](part, whole, 1 - 2 * alpha)[1])


def _of_losses(losses: Floats, bounds: Bounds, alpha: float) -> Reference:
    if losses.ndim != 1 or not len(losses):
        raise OptionError("reference is neither a number nor a list of losses", "one of the two", about="reference")
    n, mean = len(losses), float(losses.mean())
    if bounds == (0.0, 1.0) and np.all((losses == 0) | (losses == 1)):
        return Reference(mean, _upper_share(float(losses.sum()), n, alpha), n, alpha)
    # A limit that holds at every look holds at the last one too.
    sequence = sequence_of(level=1 - alpha, side="upper", bounds=bounds)
    sequence.extend(losses)
    if math.isnan(sequence.high):
        raise OptionError(
            f"reference has {n} losses without bounds", "at least 100 of them, or bounds", about="reference"
        )
    return Reference(mean, max(sequence.high, mean), n, alpha)
