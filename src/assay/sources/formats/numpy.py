"""NumPy's own files: arrays by their names in .npz, structured and plain arrays in .npy. Pickles are never read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.request import Request
from assay.sources.assembly import assemble
from assay.sources.column_data import Loaded, Origin, named, repeated
from assay.sources.column_inference import Roles, infer
from assay.sources.column_names import NAMES, existing, folded, named_as
from assay.sources.column_roles import of_lists
from assay.sources.conversion import softmax
from assay.sources.formats.compression import UnpackingLimit
from assay.sources.formats.detection import Opened
from assay.sources.labels import Numbers, code, id_texts, in_order, label_name, number, number_objects
from assay.sources.quoting import listed, shown
from assay.sources.source_record import Reading

__all__ = ["read"]

CLASSES = "classes"
SAVED = "arrays saved together: numpy.savez('predictions.npz', y_true=..., y_score=...)"
# What a table of probabilities or logits is called; a Trainer's predictions are logits.
OF_CLASSES = ("probas", "probabilities", "probs", *NAMES["score"], "predictions", "preds", "ypred")
OF_TRAINER = ("labelids", "labels")  # what true labels are called beside predictions of a Trainer
Array = NDArray[Any]


def read(file: Opened, request: Request) -> Reading:
    """The predictions in arrays: by the names they were saved under, or by the fields of one structured array."""
    arrays = _load_arrays(file)
    labels = next((name for name in arrays if folded(name) in OF_TRAINER), None)
    if labels is not None and not named_as("truth", list(arrays)) and any(each.ndim == 2 for each in arrays.values()):
        arrays = {"y_true" if name == labels else name: values for name, values in arrays.items()}
        file = replace(file, notes=(*file.notes, f"{labels} as y_true"))
    declared: tuple[str, ...] = ()
    if file.format == "npy":
        arrays = _columns_of_array(file, arrays[""])
    else:
        arrays, declared = _split_class_columns(file, arrays, request)
    roles = infer(list(arrays), request, of_lists(lambda name: _one_dimensional_list(arrays[name])))
    loaded = _load_numpy_columns(file, arrays, roles, declared)
    return assemble(loaded, roles, request, Origin(file.name, "numpy", file.sha256, file.notes))


def _one_dimensional_list(array: Array) -> list[Any]:
    """The values of an array; of a table nothing, which is no column."""
    return array.tolist() if array.ndim < 2 else [None] * len(array)


def _load_arrays(file: Opened) -> dict[str, Array]:
    try:
        limit = UnpackingLimit.of(file.path, file.name)
        if file.format == "npy":
            return {"": _count_array_bytes(np.load(file.path, allow_pickle=False), limit)}
        with np.load(file.path, allow_pickle=False) as held:
            return {name: _count_array_bytes(held[name], limit) for name in held.files}
    except InputError:
        raise
    except Exception as error:
        # A header is a piece of Python to numpy, and what may go wrong with it has no end of kinds.
        if isinstance(error, ValueError) and "pickle" in str(error):
            found = f"{shown(file.name)} holds Python objects, which only a pickle keeps, and pickles may run anything"
            raise InputError(found, "arrays of numbers or text, such as y_true.astype(str)") from error
        raise _damaged_file_error(file) from error


def _count_array_bytes(array: Array, limit: UnpackingLimit) -> Array:
    """The array, with what its values take as numbers counted: there are types of no bytes, of which a file has any."""
    limit.count(max(array.nbytes, array.size * np.dtype(float).itemsize))
    return array


def _damaged_file_error(file: Opened) -> InputError:
    return InputError(f"{shown(file.name)} is a numpy file that is damaged or cut short", "the whole file")


def _columns_of_array(file: Opened, array: Array) -> dict[str, Array]:
    """The fields of a structured array, or the columns of a plain one by their places."""
    if array.dtype.names is not None:
        return {name: array[name].reshape(-1) for name in array.dtype.names}
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(f"{shown(file.name)} holds one array of shape {array.shape}", SAVED)
    return {f"column {place}": array[:, place - 1] for place in range(1, array.shape[1] + 1)}


def _split_class_columns(
    file: Opened, arrays: dict[str, Array], request: Request
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """A table of probabilities as a column for each class, and the classes in their order, where an array names them.

    Columns stand in the order of an array called classes, or in that of the sorted true ones.
    """
    tables = [name for name, values in arrays.items() if values.ndim == 2 and folded(name) in OF_CLASSES]
    if not tables:
        return arrays, ()
    if len(tables) > 1:
        found = f"{shown(file.name)} holds {listed(tables)}, each with a column for every class"
        raise InputError(found, "one of them", {"ignore": tables[1]})
    names = [name for name in arrays if name not in tables]
    truth = existing(names, "truth", request.truth) if request.truth else next(iter(named_as("truth", names)), None)
    if truth is None:
        return arrays, ()
    declared = tuple(label_name(value) or str(value) for value in arrays.get(CLASSES, np.zeros(0)).tolist())
    table = arrays[tables[0]]
    arrays = {**arrays, truth: _decode_one_hot_labels(arrays[truth])}
    classes = declared or tuple(in_order(named(code(arrays[truth])).names))
    numbers = arrays[truth].dtype.kind in "iu" and not declared
    if numbers and len(classes) < table.shape[1] and not set(arrays[truth].tolist()) - {*range(table.shape[1])}:
        # Labels that number the columns need not all occur.
        classes = tuple(map(str, range(table.shape[1])))
    if table.shape[1] != len(classes):
        found = (
            f"{shown(tables[0])} has shape {table.shape} but there are {len(classes)} classes ({listed(classes, 4)})"
        )
        raise InputError(found, "a column for each class, in sorted order or as an array called classes names them")
    others = {name: values for name, values in arrays.items() if name not in (tables[0], CLASSES)}
    is_share = table.dtype.kind != "f" or bool(np.all((table >= 0) & (table <= 1) | np.isnan(table)))
    if not is_share and len(classes) == 2:
        # Neither logit by itself orders the cases: their difference does, and so does its probability.
        table, is_share = softmax(table), True
    stem = "proba" if is_share else "logit"
    return others | {f"{stem}_{each}": table[:, place] for place, each in enumerate(classes)}, declared


def _decode_one_hot_labels(truth: Array) -> Array:
    """True labels: of one-hot ones the number of the column that holds 1."""
    is_hot = truth.ndim == 2 and truth.shape[1] > 1 and truth.dtype.kind in "biuf"
    if is_hot and bool(np.all((truth == 0) | (truth == 1)) and np.all(truth.sum(1) == 1)):
        return np.asarray(truth.argmax(1))
    return truth


def _load_numpy_columns(file: Opened, arrays: Mapping[str, Array], roles: Roles, declared: tuple[str, ...]) -> Loaded:
    rows = len(arrays[roles.truth]) if arrays[roles.truth].ndim else 0
    for column in roles.columns:
        if arrays[column].shape != (rows,):
            found = f"{shown(column)} in {shown(file.name)} has shape {arrays[column].shape}"
            raise InputError(f"{found}, {shown(roles.truth)} {arrays[roles.truth].shape}", "one value for each case")
    ids = id_texts(arrays[roles.id]) if roles.id is not None else None
    return Loaded(
        rows,
        {column: code(arrays[column]) for column in roles.labels},
        {column: _parse_numbers(arrays[column], column) for column in roles.numbers},
        {column: code(arrays[column], most=None) for column in roles.keys},
        repeats={c: repeated([key or None for key in id_texts(arrays[c]).tolist()]) for c in roles.telling},
        declared=declared,
        ids=ids if "id" in roles.used else None,
    )


def _parse_numbers(values: Array, column: str) -> Numbers:
    """Numbers, also where a table of mixed kinds made text of them."""
    return number_objects(values.tolist(), column, parse=True) if values.dtype.kind in "US" else number(values, column)
