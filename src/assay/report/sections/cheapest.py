"""Who is cheapest where: the difference of what two models cost at every cost ratio, each at its cheapest threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.comparison import Difference
from assay.plots import Figure
from assay.plots.figure import Area, Axis, Line
from assay.report.blocks import Block, Heading, Picture
from assay.report.knots import RATIOS
from assay.report.live import ratio_words
from assay.report.sections._compared import Compared
from assay.results import Table
from assay.types import Floats

__all__ = ["cheapest"]

ALONG = Axis("a miss costs so many false alarms", (0.01, 0.1, 1.0, 10.0, 100.0), "log")
# Differences beyond this are off the plot: where a constant answer costs next to nothing, little is much.
FURTHEST = 1.0
STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def cheapest(compared: Compared) -> list[Block] | None:
    """The difference over cost ratios with its interval at each by itself; of two models only."""
    grid, _ = compared.cheapest
    if len(compared.names) != 2 or not grid:
        return None
    first, second = compared.names.values()
    own = compared.comparison.names[0]
    values = np.array([_of_first(one.differences[0], own) for one in grid])
    figure = _figure(values, first, second)
    found = {first: values[:, 2] < 0, second: values[:, 1] > 0}
    said = "; ".join(_where(name, is_cheaper) for name, is_cheaper in found.items())
    table = Table(
        {
            "a miss : a false alarm": [ratio_words(ratio) for ratio in RATIOS],
            "difference": values[:, 0].tolist(),
            "low": values[:, 1].tolist(),
            "high": values[:, 2].tolist(),
        }
    )
    level = f"{100 * compared.comparison.level:g} %"
    subtitle = f"{first} minus {second}, best constant answer = 1; grey: {level} at each ratio by itself"
    caption = f"Shown to be cheaper: {said}. Thresholds are judged on cases that did not choose them."
    return [Heading("Who is cheapest where"), Picture(figure, caption, subtitle, table)]


def _of_first(d: Difference, own: str) -> tuple[float, float, float]:
    """A difference and its limits as the first model minus the second."""
    return (d.value, d.low, d.high) if d.first == own else (-d.value, -d.high, -d.low)


def _figure(values: Floats, first: str, second: str) -> Figure:
    shown = np.clip(values, -FURTHEST, FURTHEST)
    reach = next((step for step in STEPS if step >= np.abs(shown[:, 0]).max() * 1.5), FURTHEST)
    ratios, (middle, low, high) = np.array(RATIOS), np.clip(shown, -reach, reach).T
    up = Axis(f"below 0 {first} is cheaper", (-reach, 0.0, reach))
    lines = (
        Line(np.array([RATIOS[0], RATIOS[-1]]), np.zeros(2), "reference", "zero"),
        Line(ratios, middle, "mark", "difference"),
    )
    title = f"What {first} costs more than {second}, by cost ratio"
    band = Area(ratios, low, high, "negatives-area")
    return Figure("cheapest", title, ALONG, up, lines, (), (), (), len(ratios), len(ratios), areas=(band,))


def _where(name: str, is_cheaper: NDArray[np.bool_]) -> str:
    """From which cost ratio to which a model is shown to be cheaper."""
    places = np.flatnonzero(is_cheaper)
    if not len(places):
        return f"{name} nowhere"
    first, last = (ratio_words(RATIOS[place]) for place in (places[0], places[-1]))
    if first == last:
        return f"{name} at {first}"
    whole = "" if len(places) == places[-1] - places[0] + 1 else ", with gaps"
    return f"{name} from {first} to {last}{whole}"
