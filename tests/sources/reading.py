"""Arrays and classifiers read as users say it: by keywords."""

from __future__ import annotations

from typing import Any

from assay.request import Request
from assay.sources import Reading, arrays, estimators


def from_arrays(y_true: Any, y_score: Any = None, **said: Any) -> Reading:
    """The predictions in arrays."""
    return arrays.from_arrays(y_true, Request(y_score=y_score, **said))


def from_estimator(estimator: Any, features: Any, y: Any, **said: Any) -> Reading:
    """What a fitted classifier predicts."""
    return estimators.from_estimator(estimator, Request(y_score=features, y=y, **said))
