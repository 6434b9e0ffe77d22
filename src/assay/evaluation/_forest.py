"""The forest plot: every site with its interval, the mean of all below them, and what a new site may show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluation._sites_summary import SitesSummary
from assay.notebook import in_notebook
from assay.results import Estimate, Table
from assay.words import bracketed, number, shortened, value_words

if TYPE_CHECKING:
    from assay.plots.figure import Area, Axis, Dot, Figure, Label, Segment

__all__ = ["SitesForest"]

# Sites drawn; a table has all.
MOST_DRAWN = 60
# Units of the drawing: a row, the room for names and for figures, the plot, and what a letter takes.
ROW, WIDTH, LETTER, GAP = 22, 360, 6.6, 14
LONGEST_NAME = 24
# The dot of the site with the most weight, and the least there is.
LARGEST, SMALLEST = 7.0, 3.0
# Half the height of the diamond, in rows.
DIAMOND = 0.32
MEAN, NEW = "Mean of sites", "A new site"


@dataclass(frozen=True, repr=False, eq=False)
class SitesForest:
    """The forest plot of a measure over sites, as data: dots the larger the more a site weighs, a diamond for the mean.

    Sites without an interval of their own have no line; those left out of the mean have no dot.
    """

    summary: SitesSummary
    estimates: Mapping[str, Estimate]
    cases: Mapping[str, int]

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<forest plot of {self.summary.measure.title} over {len(self.estimates)} sites>"

    def table(self) -> Table:
        """The numbers of the plot: sites, their mean, a new site."""
        found, weights = self.summary, self.summary.weights
        mean, new = found.estimate, found.prediction
        return Table(
            {
                "site": [*self.estimates, MEAN, NEW],
                "cases": [*self.cases.values(), found.cases, None],
                "estimate": [*(one.value for one in self.estimates.values()), mean.value, None],
                "low": [*(one.low for one in self.estimates.values()), mean.low, new.low],
                "high": [*(one.high for one in self.estimates.values()), mean.high, new.high],
                "weight": [*(weights.get(name) for name in self.estimates), None, None],
            },
            title=f"{found.measure.title} over sites",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, nan as None."""
        return {"measure": self.summary.measure.name, **self.table().to_dict()}

    @property
    def shown(self) -> dict[str, Estimate]:
        """The sites that are drawn: of very many the first."""
        return dict(list(self.estimates.items())[:MOST_DRAWN])

    def figure(self) -> Figure:
        """The plot as data for the drawing."""
        from assay.plots.figure import Axis, Figure

        rows = len(self.shown) + 2
        names = [shortened(name, LONGEST_NAME) for name in self.shown]
        said = list(self._words())
        labels = tuple(reversed(["", *names, MEAN, NEW, ""]))
        margins = [GAP + LETTER * max(map(len, words)) for words in (labels, [label.text for label in said])]
        return Figure(
            name="sites_forest",
            title=f"{self.summary.measure.title} over sites",
            x=self._axis(),
            y=Axis("", tuple(float(at) for at in range(rows + 2)), words=labels),
            lines=(),
            dots=tuple(self._dots(rows)),
            labels=(),
            notes=(),
            drawn=rows,
            points=len(self.estimates) + 2,
            areas=tuple(self._diamond()),
            rules=tuple(self._rules(rows)),
            width=WIDTH,
            height=ROW * (rows + 1),
            margins=(round(margins[0]), round(margins[1])),
            beside=tuple(said),
        )

    def _axis(self) -> Axis:
        from assay.plots import linear_axis

        found = [*self.shown.values(), self.summary.estimate]
        values = [end for one in found for end in (one.value, one.low, one.high)]
        new = self.summary.prediction
        seen = [end for end in (*values, new.low, new.high) if math.isfinite(end)]
        return linear_axis(self.summary.measure.title, min(seen), max(seen))

    def _dots(self, rows: int) -> Iterator[Dot]:
        from assay.plots.figure import Dot

        weights = self.summary.weights
        most = max(weights.values())
        for place, (name, one) in enumerate(self.shown.items()):
            if name in weights and math.isfinite(one.value):
                size = max(SMALLEST, LARGEST * math.sqrt(weights[name] / most))
                yield Dot(one.value, float(rows - place), "model-0-dot", name, size=size)

    def _rules(self, rows: int) -> Iterator[Segment]:
        from assay.plots.figure import Segment

        mean = self.summary.estimate.value
        yield Segment((mean, 0.5), (mean, rows + 0.5), "reference")
        for place, one in enumerate(self.shown.values()):
            if math.isfinite(one.low) and math.isfinite(one.high):
                at = float(rows - place)
                yield Segment((one.low, at), (one.high, at), "interval")
        new = self.summary.prediction
        if new.undefined is None:
            yield Segment((new.low, 1.0), (new.high, 1.0), "mark")

    def _diamond(self) -> Iterator[Area]:
        from assay.plots.figure import Area

        mean = self.summary.estimate
        half = DIAMOND * np.array([0.0, 1.0, 0.0])
        yield Area(np.array([mean.low, mean.value, mean.high]), 2 - half, 2 + half, "diamond")

    def _words(self) -> Iterator[Label]:
        from assay.plots.figure import Label

        rows, weights = len(self.shown) + 2, self.summary.weights
        for place, (name, one) in enumerate(self.shown.items()):
            share = f"{100 * weights[name]:.0f} %" if name in weights else "left out"
            limits = bracketed(one) or "no interval"
            words = "undefined" if math.isnan(one.value) else f"{value_words(one)} {limits}"
            yield Label(0.0, float(rows - place), f"{words} · {share}", "muted-words")
        mean, new = self.summary.estimate, self.summary.prediction
        yield Label(0.0, 2.0, f"{value_words(mean)} {bracketed(mean)}", "words")
        told = "cannot be told" if new.undefined else f"{number(new.low)} to {number(new.high)}"
        yield Label(0.0, 1.0, told, "words")

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw with matplotlib, into `ax` if given; returns the axes."""
        from assay.plots import matplotlib_axes

        return matplotlib_axes(self.figure(), ax, **style)

    def svg(self) -> str:
        """The plot as a standalone SVG picture."""
        from assay.plots import svg_document

        return svg_document(self.figure())
