"""What tests over splits share: the same splits for both, and differences that vary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.experiments.estimates import FoldScores, varies
from assay.results import counted

__all__ = ["NOTHING_VARIES", "check_paired", "why_not"]

NOTHING_VARIES = "every split gives the same difference, so there is nothing to measure it by"


def check_paired(first: FoldScores, second: FoldScores) -> None:
    """Refuse values that do not belong together."""
    if len(first.values) != len(second.values) or (first.test != second.test).any():
        raise ValueError("both algorithms must have been tried on the same splits")


def why_not(apart: NDArray[np.float64], fewest: int) -> str | None:
    """Why differences allow no test, if they do not."""
    if len(apart) < fewest:
        return f"{counted(len(apart), 'split')}: at least {fewest} are needed"
    if not np.isfinite(apart).all():
        return "a split has no value"
    return NOTHING_VARIES if not varies(apart) else None
