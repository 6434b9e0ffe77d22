"""A curve of what happened against what was promised, with its limits, over the diagonal of right probabilities."""

from __future__ import annotations

import numpy as np

from assay.curves import Drawing, Ruler, Trace
from assay.curves.threshold import line
from assay.types import Floats


def over_diagonal(name: str, title: str, score: Floats, rate: Floats, low: Floats, high: Floats) -> Drawing:
    """What there is to draw; limits only where there are some everywhere."""
    has_limits = bool(np.isfinite(low).all() and np.isfinite(high).all())
    return Drawing(
        name=name,
        title=title,
        x=Ruler("Probability"),
        y=Ruler("Share of positives"),
        traces=(
            line((0, 0), (1, 1), "right"),
            *((Trace(score, high, "model", "", low),) if has_limits else ()),
            Trace(score, rate),
        ),
        points=len(score),
        is_square=True,
    )
