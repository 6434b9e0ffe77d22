"""Classifiers that give labels and no scores: one point each, and families of them as a curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.curves._curve import Drawable
from assay.curves._drawing import Drawing, Ruler, Spot, Trace
from assay.curves.threshold import line
from assay.evidence import ConfusionMatrix
from assay.measures import balanced_accuracy, fpr, recall
from assay.results import Estimate, Table


@dataclass(frozen=True, eq=False, repr=False)
class RocPoints(Drawable):
    """Where classifiers without scores stand in ROC space, each with the area under the two lines to the corners.

    That area is (recall + specificity) / 2; all points of equal area lie on a line parallel to the diagonal.
    """

    fpr: Mapping[str, Estimate]
    recall: Mapping[str, Estimate]
    area: Mapping[str, Estimate]
    is_family: bool

    def __repr__(self) -> str:
        return f"<ROC points of {len(self.fpr):,} classifiers>"

    @property
    def is_defined(self) -> bool:
        """Whether any of them has a point."""
        return any(np.isfinite([self.fpr[name].value, self.recall[name].value]).all() for name in self.fpr)

    def table(self) -> Table:
        """Each classifier's rates and area, with their intervals.

        >>> matrix = ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)
        >>> print(roc_points({"always wary": matrix}).table())
        classifier      fpr  fpr_low  fpr_high  recall  recall_low  recall_high   area  area_low  area_high
        always wary  0.0144   0.0122    0.0170   0.300       0.251        0.354  0.643     0.618      0.670
        """
        columns: dict[str, list[float | str]] = {"classifier": list(self.fpr)}
        for name, found in (("fpr", self.fpr), ("recall", self.recall), ("area", self.area)):
            columns[name] = [one.value for one in found.values()]
            columns[f"{name}_low"] = [one.low for one in found.values()]
            columns[f"{name}_high"] = [one.high for one in found.values()]
        return Table(columns, title="ROC points")

    def drawing(self) -> Drawing:
        """The points, for each a line of equal area and, for a family, the way from one setting to the next."""
        places = {name: (self.fpr[name].value, self.recall[name].value) for name in self.fpr}
        seen = {name: place for name, place in places.items() if np.isfinite(place).all()}
        equal = [_equal_area(self.area[name].value) for name in seen] if not self.is_family else []
        x, y = (np.array([0.0, *(place[k] for place in seen.values()), 1.0]) for k in (0, 1))
        way = (Trace(x, y),) if self.is_family else ()
        return Drawing(
            name="roc_points",
            title="ROC points",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(line((0, 0), (1, 1), "chance"), *equal, *way),
            points=len(seen),
            spots=tuple(Spot(*place, name) for name, place in seen.items()),
            is_square=True,
        )


def _equal_area(area: float) -> Trace:
    """All points of this area: recall - fpr = 2 area - 1."""
    lead = 2 * area - 1
    ends = ((0.0, lead), (1 - lead, 1.0)) if lead >= 0 else ((-lead, 0.0), (1.0, 1 + lead))
    return line(*ends, f"area {area:.3f}")


def roc_points(
    classifiers: Mapping[str, ConfusionMatrix], *, is_family: bool = False, level: float = 0.95
) -> RocPoints:
    """The ROC points of classifiers that give labels only.

    A family is one learner at several settings (costs, margins, votes needed), in their order: together they trace a
    curve, as a threshold does. Which settings are worth having, the convex hull says.
    """
    across, up, area = (
        {name: measure.estimate(matrix, level=level) for name, matrix in classifiers.items()}
        for measure in (fpr, recall, balanced_accuracy)
    )
    return RocPoints(across, up, area, is_family)
