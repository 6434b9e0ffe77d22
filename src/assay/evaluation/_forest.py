"""The forest plot: every site with its interval, the mean of all below them, and what a new site may show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.evaluation._sites_summary import SitesSummary
from assay.renderers import in_notebook, plot, render, svg
from assay.results import Estimate, Table

__all__ = ["SitesForest"]

# Sites drawn; a table has all.
MOST_DRAWN = 60
# What stands beside the rows below the sites.
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
    plot = plot
    svg = svg

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

    def figure(self) -> Any:
        """The plot as data for the drawing (`assay.plots.Figure`)."""
        return render("figure", self)
