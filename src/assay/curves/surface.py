"""The ROC surface of three ordered classes: how many of the middle one are kept apart from the other two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.curves._curve import Drawable
from assay.curves._drawing import Drawing, Ruler, Trace
from assay.evidence import ordered_table
from assay.measures import ratio, volume_under_surface
from assay.request import checked_whole
from assay.results import Estimate, Table
from assay.types import Floats

# The sections that are drawn: the share of the third class that is recognised along each.
SECTIONS = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, eq=False, repr=False)
class RocSurface(Drawable):
    """With two thresholds on one score: `middle[i, j]` of the second class are called so where `first[i]` of the first
    and `last[j]` of the third are.

    Its volume is the chance that one case of each class is put in order; 1/6 by chance.
    """

    first: Floats
    last: Floats
    middle: Floats
    volume: Estimate
    classes: tuple[str, str, str]

    def __repr__(self) -> str:
        return f"<ROC surface of {', '.join(self.classes)}: volume {self.volume}>"

    @property
    def is_defined(self) -> bool:
        """Whether all three classes occur."""
        return bool(np.isfinite(self.middle).all())

    def table(self) -> Table:
        """The share of the second class at every fifth share of the other two."""
        at = np.linspace(0, 1, 6)
        rows = [(u, w) for u in at for w in at]
        columns = {
            f"share of {self.classes[0]}": [u for u, _ in rows],
            f"share of {self.classes[2]}": [w for _, w in rows],
            f"share of {self.classes[1]}": [self.at(u, w) for u, w in rows],
        }
        return Table(columns, title="ROC surface")

    def at(self, first: float, last: float) -> float:
        """The share of the second class that is recognised where these shares of the first and the third are."""
        along = np.array([np.interp(last, self.last, row) for row in self.middle])
        return float(np.interp(first, self.first, along))

    def drawing(self) -> Drawing:
        """Sections through the surface, each where so much of the third class is recognised."""
        sections = [np.array([np.interp(share, self.last, row) for row in self.middle]) for share in SECTIONS]
        traces = [
            Trace(self.first, section, "model" if k == 0 else "faint", f"{share:g} of {self.classes[2]}")
            for k, (share, section) in enumerate(zip(SECTIONS, sections, strict=True))
        ]
        return Drawing(
            name="roc_surface",
            title="ROC surface, in sections",
            x=Ruler(f"Share of {self.classes[0]} called so"),
            y=Ruler(f"Share of {self.classes[1]} called so"),
            traces=tuple(traces),
            points=self.middle.size,
            is_square=True,
        )


def roc_surface(
    scores: ArrayLike,
    codes: ArrayLike,
    *,
    classes: tuple[str, str, str] = ("first", "second", "third"),
    level: float = 0.95,
    points: int = 51,
) -> RocSurface:
    """The ROC surface of one score that should rise with three classes (codes 0, 1, 2).

    >>> surface = roc_surface([1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2])
    >>> surface.at(0.5, 1.0), surface.volume.value
    (1.0, 0.875)

    References: Mossman (1999); Dreiseitl, Ohno-Machado & Binder (2000).
    """
    volume = volume_under_surface(scores, codes, level=level)
    at = np.linspace(0.0, 1.0, checked_whole(points, "points", least=2))
    code = np.asarray(codes).astype(np.intp)
    counts = ordered_table(np.asarray(scores, dtype=np.float64), code, 3)
    below = np.concatenate((np.zeros((3, 1)), ratio(np.cumsum(counts, -1), counts.sum(-1, keepdims=True))), axis=1)
    # Of equal places the lowest threshold that recognises so many of the first class, the highest for the third.
    lower = np.interp(-at, -below[0][::-1], below[1][::-1])
    upper = np.interp(1 - at, below[2], below[1])
    middle = np.maximum(upper[None, :] - lower[:, None], 0.0)
    return RocSurface(at, at, middle, volume, classes)
