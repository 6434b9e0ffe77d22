"""Predictions from arrays: numpy, lists, Series and tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources._assemble import Loaded, Origin, assemble, named
from assay.sources._coding import Coded, Numbers, code, number
from assay.sources._columns import ONLY_MODEL, ModelColumns, Roles
from assay.sources._labels import in_order, settle
from assay.sources._records import Choices, Reading
from assay.sources._wording import shown

__all__ = ["from_arrays"]

TRUTH, SCORE, PRED = "y_true", "y_score", "y_pred"


def from_arrays(
    y_true: Any, y_score: Any = None, *, y_pred: Any = None, positive: Any = None, missing: str = "refuse"
) -> Reading:
    """The predictions in arrays, or in anything that numpy can take for one.

    Scores are one number for each case, or the two columns of scikit-learn's `predict_proba`. A mapping of model names
    to arrays holds several models.

    >>> from_arrays([0, 1, 1], [0.2, 0.7, 0.4]).models["model"]
    Predictions(3 cases of '0', '1'; positive '1'; with score)
    >>> list(from_arrays([0, 1], {"svm": [0.2, 0.7], "bayes": [0.1, 0.3]}).models)
    ['svm', 'bayes']
    """
    choices = Choices(positive=positive, missing=missing)
    scores, preds = _by_model(y_score), _by_model(y_pred)
    if not (scores or preds):
        raise InputError("there is neither a score nor a predicted label", f"{SCORE} or {PRED}")
    if scores and preds and scores.keys() != preds.keys():
        raise InputError(f"{SCORE} and {PRED} do not name the same models", "the same names in both")
    given = _array(y_true, TRUTH)
    if len(given) == 0:
        raise InputError(f"{shown(TRUTH)} is empty", "at least one case")
    truth, rows = _labels(given, TRUTH), len(given)
    labels, numbers, models = {TRUTH: truth}, dict[str, Numbers](), []
    for name in scores or preds:
        score = _column(SCORE, name) if name in scores else None
        pred = _column(PRED, name) if name in preds else None
        if pred is not None:
            labels[pred] = _labels(_as_long(preds[name], pred, rows), pred)
        if score is not None:
            numbers[score] = _numbers(_as_long(scores[name], score, rows), score, truth, choices)
        models.append(ModelColumns(name, score, pred))
    return _assembled(Loaded(rows, labels, numbers), Roles(TRUTH, tuple(models)), choices)


def _assembled(loaded: Loaded, roles: Roles, choices: Choices) -> Reading:
    try:
        return assemble(loaded, roles, choices, Origin("arrays", "arrays"))
    except InputError as error:
        # To name another column is no way out where there are none.
        options = {name: value for name, value in error.options.items() if name in ("positive", "missing")}
        raise InputError(error.found, error.needed, options) from None


def _by_model(values: Any) -> dict[str, Any]:
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return {str(name): array for name, array in values.items()}
    return {ONLY_MODEL: values}


def _column(role: str, name: str) -> str:
    return role if name == ONLY_MODEL else f"{role}[{name!r}]"


def _as_long(values: Any, column: str, rows: int) -> NDArray[Any]:
    array = _array(values, column)
    if len(array) != rows:
        raise InputError(
            f"{shown(TRUTH)} holds {rows:,} values but {shown(column)} {len(array):,}", "as many of one as of the other"
        )
    return array


def _array(values: Any, column: str) -> NDArray[Any]:
    """What was given as an array of at least one dimension; tensors on this machine are shared, not copied."""
    if isinstance(values, str | bytes | Mapping):
        raise InputError(f"{shown(column)} is no array", "one value for each case")
    if hasattr(values, "combine_chunks"):
        # numpy reads a chunked pyarrow column of dictionary type wrongly where it holds nulls; a single chunk rightly.
        values = values.combine_chunks()
    try:
        array: NDArray[Any] = np.asanyarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        array = _through_dlpack(values, column, error)
    if array.ndim == 0:
        raise InputError(f"{shown(column)} is a single value", "one value for each case")
    return array


def _through_dlpack(values: Any, column: str, error: Exception) -> NDArray[Any]:
    try:
        return np.from_dlpack(values)
    except Exception:  # whatever a foreign tensor raises, it cannot be read
        needed = "one value for each case (rows of one length; tensors detached and on the CPU)"
        raise InputError(f"{shown(column)} cannot be read as an array", needed) from error


def _labels(values: NDArray[Any], column: str) -> Coded:
    if values.dtype.kind in "cV":
        raise InputError(f"{shown(column)} holds complex or compound values", "one plain value for each case")
    return code(_plain(_one_dimensional(values, column, "one label for each case")), _mask(values))


def _numbers(values: NDArray[Any], column: str, truth: Coded, choices: Choices) -> Numbers:
    if values.ndim == 2 and values.shape[1] == 2:
        values = values[:, _positive_column(column, truth, choices)]
    values = _one_dimensional(values, column, "one score for each case, or two columns as from predict_proba")
    found, mask = number(_plain(values), column), _mask(values)
    return found if mask is None else Numbers(np.where(mask, np.nan, found.values), found.text)


def _positive_column(column: str, truth: Coded, choices: Choices) -> int:
    """The place of the positive class among two columns, which stand in the order of the sorted classes."""
    present = named(truth).names
    classes = settle(present, (), choices.positive, column=TRUTH, rows=len(truth.codes)) if present else None
    if classes is None or classes.names[0] == f"not {classes.positive}":
        raise InputError(
            f"{shown(TRUTH)} does not tell which class each column of {shown(column)} stands for",
            "the scores of the positive class alone",
        )
    return in_order(classes.names).index(classes.positive)


def _one_dimensional(values: NDArray[Any], column: str, needed: str) -> NDArray[Any]:
    if values.ndim != 1:
        raise InputError(f"{shown(column)} has shape {values.shape}", needed)
    return values


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(values)


def _mask(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    return np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
