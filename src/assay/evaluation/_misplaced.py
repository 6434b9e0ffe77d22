"""Arrays in one another's place: asked only about a call that failed, so that no sound one is ever refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.request import Request
from assay.text import visible

__all__ = ["misplaced"]

# Whole numbers spread as wide as this are scores, where what stands beside them has two values.
WIDE = 20
TEXT = "OUS"


def misplaced(truth: Any, request: Request) -> InputError | None:
    """The error about scores given for the truth, or labels for scores, if that is what it looks like."""
    given = {role: getattr(request, role) for role in ("y_score", "y_pred", "y_proba")}
    said = {role: values for role, values in given.items() if values is not None}
    if len(said) != 1:
        return None
    role, values = said.popitem()
    if isinstance(truth, Mapping) and isinstance(values, Mapping):
        return None
    second = _array(next(iter(values.values()), None) if isinstance(values, Mapping) else values)
    scores = "models by name" if isinstance(truth, Mapping) else _scores(_array(truth))
    labels = _labels(second)
    if scores and labels:
        found = f"y_true holds {scores} and {role} {labels}: they look swapped"
        return InputError(found, "the truth first, evaluate(labels, scores), or by name: y_true=labels, y_score=scores")
    if role == "y_score" and labels and second is not None and _holds_text(second):
        return InputError(f"y_score holds {labels}", "scores; labels are given by name: y_pred=labels")
    return None


def _array(values: Any) -> NDArray[Any] | None:
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # whatever it is, it is not what was swapped
        return None
    return array if array.ndim and len(array) else None


def _scores(array: NDArray[Any] | None) -> str:
    """What of an array looks like scores, in words; nothing if it may be labels."""
    if array is None or array.dtype.kind not in "fiu":
        return ""
    known = array[np.isfinite(array)]
    if array.ndim == 2 and array.shape[1] > 1:
        return f"a table of {array.shape[0]:,} by {array.shape[1]:,} numbers"
    broken = known[known != np.floor(known)]
    if len(broken):
        return f"numbers such as {broken[0]:.6g}"
    return f"numbers from {known.min()} to {known.max()}" if len(known) and np.ptp(known) > WIDE else ""


def _labels(array: NDArray[Any] | None) -> str:
    """What of an array looks like labels of classes, in words; nothing if it may be scores."""
    if array is None or array.ndim > 1:
        return ""
    first = array[0]
    others = array[array != first]
    if len(others) and (others == others[0]).all():
        return " and ".join(repr(visible(name)) for name in sorted((str(first), str(others[0])))) + " alone"
    is_whole = array.dtype.kind in "iu" and np.ptp(array) <= WIDE
    return (
        f"labels such as {visible(str(first))!r}" if is_whole or array.dtype.kind == "b" or _holds_text(array) else ""
    )


def _holds_text(array: NDArray[Any]) -> bool:
    """Whether an array holds texts, and not numbers that are Python objects."""
    return array.dtype.kind in TEXT and any(isinstance(value, str | bytes) for value in array.tolist())
