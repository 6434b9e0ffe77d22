"""What a threshold curve is, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence import ScoreTable
from assay.measures import Measure
from assay.results import Table

__all__ = ["Curve", "Sweep"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sweep:
    """A kind of curve: which measure stands on which axis as the threshold moves."""

    name: str
    title: str
    x: Measure
    y: Measure
    # Where a classifier that knows nothing runs, as (x, y) ends of a line; None if it depends on the data.
    chance: tuple[tuple[float, float], tuple[float, float]] | None = None

    def __call__(self, table: ScoreTable) -> Curve:
        swept = table.swept()
        return Curve(self, self.x(swept), self.y(swept), table.thresholds(), swept.counts)


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """A curve as arrays: the point (x[i], y[i]) belongs to calling scores of at least threshold[i] positive.

    `counts` holds the confusion matrix behind each point, rows truth. Tied scores make one straight segment, never a
    staircase, because no threshold parts them.
    """

    kind: Sweep
    x: Floats
    y: Floats
    threshold: Floats
    counts: Floats

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"<{self.kind.title}: {len(self):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a curve at all (both classes are present)."""
        return bool(np.isfinite(self.x).all() and np.isfinite(self.y).all())

    def table(self) -> Table:
        """Threshold, the four counts and both measures at every point, as textbooks print it.

        >>> from assay.curves import roc
        >>> print(roc(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])).table())
        threshold  TP  FP  TN  FN    fpr  recall
              inf   0   0   1   2  0.000   0.000
            0.900   1   0   1   1  0.000   0.500
            0.800   1   1   0   1  1.000   0.500
            0.400   2   1   0   0  1.000   1.000
        """
        cells = {"TP": (1, 1), "FP": (0, 1), "TN": (0, 0), "FN": (1, 0)}
        return Table(
            {
                "threshold": self.threshold.tolist(),
                **{name: _whole(self.counts[:, i, j]) for name, (i, j) in cells.items()},
                self.kind.x.name: self.x.tolist(),
                self.kind.y.name: self.y.tolist(),
            },
            title=self.kind.title,
        )

    def corners(self) -> Curve:
        """The same curve without points that lie on a straight line between their neighbours."""
        if len(self) < 3:
            return self
        before, after = ((np.diff(self.x)[part], np.diff(self.y)[part]) for part in (slice(None, -1), slice(1, None)))
        turns = before[0] * after[1] != before[1] * after[0]
        keep = np.concatenate(([True], turns, [True]))
        return Curve(self.kind, self.x[keep], self.y[keep], self.threshold[keep], self.counts[keep])

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw with matplotlib, into `ax` if given; returns the axes."""
        from assay.plots import draw_curve, matplotlib_axes

        return matplotlib_axes(draw_curve({"": self}), ax, **style)

    def svg(self) -> str:
        """The curve as a standalone SVG picture."""
        from assay.plots import draw_curve, svg_document

        return svg_document(draw_curve({"": self}))


def _whole(counts: Floats) -> list[Any]:
    """Counts as integers where they are whole."""
    listed: list[Any] = (counts.astype(np.int64) if (counts == counts.round()).all() else counts).tolist()
    return listed
