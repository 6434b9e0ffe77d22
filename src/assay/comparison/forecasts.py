"""What more cases, or a larger true difference, would show: from the method whose verdict is foretold.

Widths come from that method on evidence of more cases. A difference that these cases would show is judged with the
standard error there would be at that difference, not with the one at none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

__all__ = [
    "MOST_DIFFERENCE",
    "Forecast",
    "about",
    "cases_factor",
    "detectable_difference_of",
    "no_stretch",
    "shares_stretch",
]

# Half the width of the interval that evidence of so many times as many cases gives.
HalfWidth = Callable[[float], float]

# How the standard error of a difference grows with the true difference: 1 at none.
Stretch = Callable[[float], float]


# No measure differs by more.
MOST_DIFFERENCE = 1e6


def unknown_stretch(gap: float) -> float:
    """What is taken where nothing tells: so much that F measures, Matthews correlations and average precision hold."""
    return 1.08 if gap else 1.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a difference would be on other cases: half its width on more of them, and its error were it larger."""

    half_width: HalfWidth | None = None
    stretch: Stretch = unknown_stretch
    # The largest difference there can be.
    most: float = MOST_DIFFERENCE


STEPS = 5
CLOSE = 0.005
# Between these powers of the number of cases every width shrinks: a square root, or faster where a small-sample
# correction fades.
SLOWEST, FASTEST = 0.25, 2.0


def cases_factor(now: float, wanted: float, half_width: HalfWidth | None = None) -> float:
    """Return how many times as many cases an interval of half-width `now` needs to be `wanted`.

    Without the width at other sizes it shrinks with the square root of the number of cases.

    >>> cases_factor(0.04, 0.02)
    4.0
    >>> round(cases_factor(0.04, 0.02, lambda times: 0.01 / times + 0.03 / times**0.5), 3)
    3.198
    """
    root = (now / wanted) ** 2
    if half_width is None or not 0 < root < math.inf or root == 1:
        return root
    factor, (before, width_before) = root, (1.0, now)
    for _ in range(STEPS):
        width = half_width(factor)
        if not 0 < width < math.inf:
            return root
        if abs(math.log(width / wanted)) < CLOSE:
            break
        power = math.log(width_before / width) / math.log(factor / before) if factor != before else 0.5
        power = min(max(power, SLOWEST), FASTEST)
        (before, width_before), factor = (factor, width), factor * (width / wanted) ** (1 / power)
    return factor


def about(cases: float) -> int:
    """Return a number of cases in the two digits that such a forecast deserves.

    >>> about(1834.2), about(7.4), about(96.1)
    (1800, 7, 96)
    """
    return round(cases, 1 - math.floor(math.log10(cases)) if cases >= 1 else 0).__int__()


def no_stretch(gap: float) -> float:
    """Of mean losses the standard error grows too little with the difference to count."""
    return 1.0


def shares_stretch(half_width: float, z: float, cases: float) -> Stretch:
    """Return how the error of a difference of shares grows: who is worse alone errs on more cases.

    The share of cases that only one of them gets right is what the width tells of it, and grows by the difference.

    >>> round(shares_stretch(0.0392, 1.96, 400)(0.05), 3)
    1.146
    """
    discordant = max(cases * (half_width / z) ** 2, 1e-12)
    return lambda gap: math.sqrt((discordant + gap) / discordant)


def detectable_difference_of(
    half_width: float, error: float, reach: tuple[float, float], stretch: Stretch, most: float = MOST_DIFFERENCE
) -> float:
    """Return the smallest true difference that an interval this wide around it excludes 0 from so often.

    `reach` are the normal quantiles of the level and of the power. The part of the width that comes from the standard
    error is stretched by the difference; what small samples add to it is not. nan where there is none up to `most`.

    >>> round(detectable_difference_of(0.196, 0.1, (1.96, 0.8416), no_stretch), 4)
    0.2802
    """
    z, of_power = reach
    if not (0 < half_width < math.inf and 0 < error < math.inf):
        return math.nan

    def beyond(gap: float) -> float:
        return gap - (half_width - z * error) - (z + of_power) * error * stretch(gap)

    end = 2 * (half_width + of_power * error)
    while beyond(end) < 0 and end < most:
        end = 2 * end
    return float(brentq(beyond, 0.0, min(end, most))) if beyond(min(end, most)) >= 0 else math.nan
