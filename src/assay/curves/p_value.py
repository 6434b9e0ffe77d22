"""The picture of a p-value: what chance alone would show, what was seen, and the two ways to be wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from assay.curves.curve import Drawable, Drawing, Ruler, Trace
from assay.request import checked_level
from assay.results import Table
from assay.types import Floats

GRID = 401


@dataclass(frozen=True, eq=False, repr=False)
class PValuePicture(Drawable):
    """The normal distribution of an estimated difference if there is none, with both tails beyond what was seen.

    With a `true_difference` the distribution under it as well: what of it lies where no difference would be called is
    the chance of a type II error, to miss it.
    """

    value: float
    error: float
    level: float
    what: str = "difference"
    true_difference: float | None = None

    def __repr__(self) -> str:
        return f"<picture of a p-value of {self.p_value:.3g}>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a spread to draw."""
        return math.isfinite(self.value) and self.error > 0

    @property
    def p_value(self) -> float:
        """The chance of a difference at least as far from 0, either way, if there is none."""
        return 2 * float(ndtr(-abs(self.value) / self.error))

    @property
    def critical(self) -> float:
        """How far from 0 a difference must lie to be called one."""
        return self.error * float(ndtri(0.5 + self.level / 2))

    @property
    def type_one(self) -> float:
        """The chance to call a difference where there is none."""
        return 1 - self.level

    @property
    def type_two(self) -> float:
        """The chance to miss the true difference that was supposed; nan where none was."""
        if self.true_difference is None:
            return math.nan
        ends = (sign * self.critical - self.true_difference for sign in (-1, 1))
        low, high = (float(ndtr(end / self.error)) for end in ends)
        return high - low

    @property
    def sentences(self) -> list[str]:
        """What the picture shows, in words."""
        seen = f"one ({self.what}) at least as far from 0 as {abs(self.value):.3g}"
        false = f"finds one that is not there in {self.type_one:.3g} of samples"
        said = [
            f"Were there no difference, samples like this one would show {seen} with a chance of {self.p_value:.3g}.",
            "That is the p-value: not the probability that there is no difference, nor that reporting one is an error.",
            f"Type I error: calling differences beyond {self.critical:.3g} {false}.",
        ]
        if self.true_difference is not None:
            said.append(
                f"Type II error: if it truly were {self.true_difference:.3g}, it would be missed in "
                f"{self.type_two:.3g} of samples of this size; the power is {1 - self.type_two:.3g}."
            )
        return said

    def table(self) -> Table:
        """The numbers of the picture."""
        rows = {
            self.what: self.value,
            "standard error": self.error,
            "p-value": self.p_value,
            "called from": self.critical,
            "type I error": self.type_one,
            "true difference supposed": math.nan if self.true_difference is None else self.true_difference,
            "type II error": self.type_two,
            "power": 1 - self.type_two,
        }
        return Table({"what": list(rows), "value": list(rows.values())}, title="A p-value")

    def drawing(self) -> Drawing:
        """Both densities, the tails of the p-value filled, and where a difference is called."""
        reach = max(4 * self.error, 1.3 * abs(self.value), 1.3 * abs(self.true_difference or 0.0) + 3 * self.error)
        x = np.linspace(-reach, reach, GRID)
        null, seen = self._density(x, 0.0), abs(self.value)
        tails = [x[x <= -seen], x[x >= seen]]
        filled = [
            Trace(part, self._density(part, 0.0), "model", "", np.zeros(len(part))) for part in tails if len(part)
        ]
        top = float(null.max())
        marks = [
            Trace(
                np.full(2, sign * self.critical),
                np.array([0.0, 0.5 * top]),
                "mark",
                "threshold" if sign > 0 else "",
            )
            for sign in (-1, 1)
        ]
        other = [] if self.true_difference is None else self._missed(x)
        return Drawing(
            name="p_value",
            title=f"p-value {self.p_value:.2g}: both tails together",
            x=Ruler(f"Estimated {self.what}", None),
            y=Ruler("How often", (0.0, 1.1 * top), is_bare=True),
            traces=(*filled, *other, *marks, Trace(x, null, "model", "no difference")),
            points=GRID,
        )

    def _missed(self, x: Floats) -> list[Trace]:
        """The density under the true difference that was supposed, filled where it would be missed."""
        assert self.true_difference is not None
        inside = x[np.abs(x) <= self.critical]
        at = self._density(inside, self.true_difference)
        return [
            Trace(inside, at, "negatives", "", np.zeros(len(inside))),
            Trace(x, self._density(x, self.true_difference), "negatives", f"truly {self.true_difference:.3g}"),
        ]

    def _density(self, x: Floats, middle: float) -> Floats:
        return np.asarray(np.exp(-0.5 * ((x - middle) / self.error) ** 2) / (self.error * math.sqrt(2 * math.pi)))


def p_value_picture(
    value: float,
    error: float,
    *,
    level: float = 0.95,
    what: str = "difference",
    true_difference: float | None = None,
) -> PValuePicture:
    """The picture of the p-value of an estimated difference with a normal error.

    >>> picture = p_value_picture(0.03, 0.015, true_difference=0.05)
    >>> round(picture.p_value, 4), round(picture.type_two, 3)
    (0.0455, 0.085)
    """
    return PValuePicture(value, error, checked_level(level), what, true_difference)
