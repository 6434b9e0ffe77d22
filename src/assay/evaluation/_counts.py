"""An evaluation from a confusion matrix that someone printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError
from assay.evaluation._kinds import AnyEvaluation, of_any_kind
from assay.evaluation._many_classes import ManyClassEvaluation
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.request import checked_level, checked_names, checked_seed, front_door
from assay.sources import Source

__all__ = ["from_counts"]


@front_door
def from_counts(
    counts: ArrayLike | None = None,
    *,
    tp: float | None = None,
    fn: float | None = None,
    fp: float | None = None,
    tn: float | None = None,
    classes: Sequence[str] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> AnyEvaluation:
    """An evaluation from a confusion matrix someone printed: four named cells, or a matrix whose rows are the truth.

    >>> from_counts(tp=154, fn=29, fp=5, tn=1202, classes=["ham", "spam"]).kappa
    0.887 [0.843, 0.919]
    >>> from_counts([[49, 1, 0], [0, 47, 3], [0, 2, 48]], classes=["setosa", "versicolor", "virginica"]).accuracy
    0.960 [0.915, 0.982]
    """
    matrix = _matrix(counts, {"tp": tp, "fn": fn, "fp": fp, "tn": tn})
    size = len(matrix)
    names = checked_names(classes if classes is not None else range(size), "classes")
    if len(set(names)) != size or len(names) != size:
        found = f"the class names are {', '.join(map(repr, names[:10]))}"
        two = "two different ones: the negative class, then the positive one"
        raise InputError(found, two if size == 2 else f"{size} different ones, in the order of the rows")
    source = Source("counts", "counts", rows=round(float(matrix.sum())))
    kind = TwoClassEvaluation if size == 2 else ManyClassEvaluation
    counted, level, seed = ConfusionMatrix(matrix, names), checked_level(level), checked_seed(seed)
    return of_any_kind(kind(source=source, matrix=counted, level=level, seed=seed))


def _matrix(counts: ArrayLike | None, cells: Mapping[str, float | None]) -> Any:
    named = {name: value for name, value in cells.items() if value is not None}
    if (counts is None) == (not named):
        raise InputError("there are no counts, or two kinds of them", "either tp, fn, fp and tn, or a matrix")
    if counts is None and len(named) < 4:
        raise InputError(f"only {', '.join(named)} given", "all of tp, fn, fp and tn")
    given = [[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]] if counts is None else counts
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except OverflowError:
        raise InputError("some counts are too large to be numbers of cases", "whole numbers below 1e15") from None
    except (TypeError, ValueError):
        raise InputError(
            "the counts are no matrix of numbers", "a row for each true class, of a count a label"
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise InputError(f"the matrix has shape {matrix.shape}", "as many rows (truth) as columns, two at least")
    if not (
        np.isfinite(matrix).all() and (matrix >= 0).all() and (matrix == matrix.round()).all() and matrix.sum() > 0
    ):
        raise InputError("some counts are negative, fractional or all are zero", "whole numbers of cases")
    return matrix
