"""Predictions from arrays: numpy, lists, Series and tensors.

What Series and frames bring beside their values: an index of rows, and names of columns. No library is imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evidence import span, zero_one
from assay.predictions import Predictions
from assay.request import Request
from assay.sources.assembly import assemble, sizes_of
from assay.sources.column_data import Loaded, Origin, ProbabilityTable, named, repeated
from assay.sources.column_roles import ONLY_MODEL, ModelColumns, Roles, class_key, class_of
from assay.sources.column_values import LARGEST_SCORE, SMALLEST_SCORE
from assay.sources.labels import (
    EXACT,
    MOST_VALUES,
    Classes,
    Coded,
    Numbers,
    class_names,
    code,
    id_texts,
    in_order,
    number,
    settle,
)
from assay.sources.probabilities import first_other_sum
from assay.sources.quoting import listed, shown
from assay.sources.source_record import Reading, Source
from assay.types import Texts

__all__ = ["class_order", "from_arrays", "index_of", "refuse_other_index"]


def index_of(values: Any) -> Any:
    """The index of a Series or frame as pandas has it; nothing for what has none. A list's is a method."""
    index = getattr(values, "index", None)
    return None if index is None or callable(index) or not hasattr(index, "equals") else index


def refuse_other_index(column: str, values: Any, truth: str, ours: Any) -> None:
    """Refuse values whose index is not that of the truth: they may be other cases, or the same in another order."""
    if ours is None:
        return
    theirs = index_of(values)
    if theirs is None or theirs is ours or len(theirs) != len(ours) or ours.equals(theirs):
        return
    row = next((row for row, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other), 0)
    raise InputError(
        f"the index of {shown(column)} is not that of {shown(truth)}: row {row + 1:,} is {shown(theirs[row])} in one "
        f"and {shown(ours[row])} in the other",
        "the same cases in the same order; use .reset_index(drop=True) where the index has no meaning",
    )


def class_order(values: Any, column: str, present: Sequence[str], declared: Sequence[str]) -> list[tuple[str, int]]:
    """The class and the place of each column of a frame that is called after the classes; nothing where none is named.

    The classes stand in sorted order, or as `declared`.
    """
    names = _column_names(values)
    if len(names) < 2:
        return []
    known = {class_key(name): name for name in reversed([*declared, *present])}
    labels = [class_of(name) or name for name in names]
    found = {known.get(class_key(label), label): place for place, label in enumerate(labels)}
    if not {*present} <= found.keys() or (declared and {*declared} != found.keys()):
        if _are_generated_names(names):
            return []
        raise InputError(
            f"the columns of {shown(column)} are named {listed(names)}, but the classes are "
            f"{listed(declared or present)}",
            "one column per class with the name of the class, or an array without column names",
        )
    if declared and list(found) != list(declared):
        raise InputError(
            f"the columns of {shown(column)} are named {listed(names)}, but classes is {listed(declared)}",
            "the same order in both, or classes omitted",
        )
    return [(name, found[name]) for name in declared or in_order(list(found))]


def _column_names(values: Any) -> list[str]:
    names = getattr(values, "column_names", None)
    if names is None:
        names = getattr(values, "columns", None)
    return [] if names is None or callable(names) else [str(name) for name in names]


def _are_generated_names(names: Sequence[str]) -> bool:
    """Whether a library made the names up: running numbers, as pandas does, or polars' column_0."""
    plain = [str(place) for place in range(len(names))]
    return list(names) in (plain, [f"column_{place}" for place in plain])


TRUTH, SCORE, PRED, PROBA = "y_true", "y_score", "y_pred", "y_proba"
# What may be said of plain arrays without a question about them.
UNASKED = frozenset({"y_score", "threshold", "level", "seed"})
ARROW_TEXTS = ("string", "large_string")
DESIGN = ("weight", "count", "cluster", "fold", "amount", "inclusion", "proxy", "by", "id")
POSITIVE = "positive= for the class that higher scores indicate"
SAYABLE = ("positive", "missing", "default_class")  # what an array's user can be told to pass


def from_arrays(y_true: Any, request: Request) -> Reading:
    """The predictions in arrays, or in anything that numpy can take for one.

    Scores are one number for each case; probabilities, in `y_proba` or `y_score`, have a column for each class in
    sorted order, as scikit-learn's `predict_proba`, or in the order of `classes`. A mapping of model names to arrays
    holds several models.

    >>> from_arrays([0, 1, 1], Request(y_score=[0.2, 0.7, 0.4])).models["model"]
    Predictions(3 cases of '0', '1'; positive '1'; with score)
    >>> thirds = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0, 0, 1]]
    >>> from_arrays(["a", "b", "c"], Request(y_proba=thirds)).models["model"]
    Predictions(3 cases of 'a', 'b', 'c'; with probability)
    >>> list(from_arrays([0, 1], Request(y_score={"svm": [0.2, 0.7], "bayes": [0.1, 0.3]})).models)
    ['svm', 'bayes']
    """
    return _read_binary_arrays(y_true, request) or _read_with_options(y_true, request)


def _read_binary_arrays(y_true: Any, request: Request) -> Reading | None:
    """What is read where nothing need be asked: an array of 0 and 1 beside one of finite scores; else nothing.

    This is how folds, subgroups and resamples come, by the thousand.
    """
    score = request.y_score
    if type(y_true) is not np.ndarray or type(score) is not np.ndarray or not request.given.keys() <= UNASKED:
        return None
    if y_true.dtype.kind not in "iu" or score.dtype != np.float64 or not y_true.ndim == score.ndim == 1:
        return None
    if len(y_true) != len(score) or (truth := zero_one(y_true)) is None:
        return None
    low, high = span(score)
    if not (SMALLEST_SCORE <= max(-low, high) <= LARGEST_SCORE or low == high == 0):
        return None
    columns = {"truth": TRUTH, "score": SCORE}
    source = Source("arrays", "arrays", len(score), columns=columns, positive_inferred=True)
    return Reading({ONLY_MODEL: Predictions.checked(("0", "1"), truth, score)}, source)


def _read_with_options(y_true: Any, request: Request) -> Reading:
    given = _as_array(y_true, TRUTH)
    if len(given) == 0:
        raise InputError(f"{shown(TRUTH)} is empty", "at least one case")
    columns = _Columns(_coded_labels(given, TRUTH), len(given), _parse_class_names(request.classes), request)
    columns.index = index_of(y_true)
    models = columns.models(*map(_arrays_by_model, (request.y_score, request.y_pred, request.y_proba)))
    columns.refuse_idle_classes()
    for role in DESIGN:
        values = getattr(request, role)
        if values is not None:
            columns.add_design(role, values)
    used = {role: role for role in columns.design if role != "by"}
    roles = Roles(TRUTH, models, used=used, by="by" if "by" in columns.design else None, scores_are_said=True)
    return _assemble_arrays(columns.loaded(), roles, request, Origin("arrays", "arrays"))


class _Columns:
    """The columns that arrays hold, as they are added."""

    def __init__(self, truth: Coded, rows: int, classes: tuple[str, ...], request: Request) -> None:
        self.rows, self.classes, self.request = rows, classes, request
        self.labels: dict[str, Coded] = {TRUTH: truth}
        self.numbers: dict[str, Numbers] = {}
        self.keys: dict[str, Coded] = {}
        self.tables: dict[str, ProbabilityTable] = {}
        self.design: list[str] = []
        self.ids: Texts | None = None
        self.order_used = False
        self.index: Any = None

    def loaded(self) -> Loaded:
        again = 0 if self.ids is None else repeated([key or None for key in self.ids.tolist()])
        columns = (self.labels, self.numbers, self.keys, self.tables)
        return Loaded(self.rows, *columns, repeats={"id": again}, declared=self.classes, ids=self.ids)

    def models(
        self, scores: Mapping[str, Any], preds: Mapping[str, Any], probas: Mapping[str, Any]
    ) -> tuple[ModelColumns, ...]:
        given = {SCORE: scores, PROBA: probas, PRED: preds}
        named_in = {role: values.keys() for role, values in given.items() if values}
        if not named_in:
            raise InputError("no scores or predicted labels are given", f"{SCORE} or {PRED}")
        if scores and probas:
            raise InputError(f"both {SCORE} and {PROBA} are given", "only one of them")
        first, *others = named_in
        for other in others:
            if named_in[other] != named_in[first]:
                raise InputError(f"{first} and {other} have different model names", "the same names in both")
        role, values = (PROBA, probas) if probas else (SCORE, scores)
        return tuple(self._add_model(name, role, values.get(name), preds.get(name)) for name in named_in[first])

    def _add_model(self, name: str, role: str, score: Any, pred: Any) -> ModelColumns:
        score_column, pred_column = _argument_name(role, name), _argument_name(PRED, name)
        if pred is not None:
            self.labels[pred_column] = _coded_labels(self._checked_length_array(pred, pred_column), pred_column)
        model = ModelColumns(name, pred=None if pred is None else pred_column)
        if score is None:
            return model
        values = self._checked_length_array(score, score_column)
        if values.ndim == 2:
            values = self._order_by_class_name(score, values, score_column)
        present = self.classes or tuple(in_order(named(self.labels[TRUTH]).names))
        if values.ndim == 2 and (len(present) > 2 or (role == PROBA and values.shape[1] > 2)):
            table = _probability_table(values, score_column, present)
            self.tables[score_column] = replace(table, may_be_logits=role == SCORE)
            return replace(model, table=score_column)
        self.numbers[score_column] = self._score_values(values, score_column)
        return replace(model, score=score_column)

    def _order_by_class_name(self, given: Any, values: NDArray[Any], column: str) -> NDArray[Any]:
        """The columns of a frame that are called as the classes are, in the order of the classes."""
        order = class_order(given, column, named(self.labels[TRUTH]).names, self.classes)
        if not order:
            return values
        self.classes = tuple(name for name, _ in order)
        self.order_used = True
        return values[:, [place for _, place in order]]

    def _checked_length_array(self, values: Any, column: str) -> NDArray[Any]:
        array = _as_array(values, column)
        if len(array) != self.rows:
            raise InputError(
                f"{shown(TRUTH)} and {shown(column)} must have the same length ({self.rows:,} and {len(array):,})",
                "one value of each per case",
            )
        refuse_other_index(column, values, TRUTH, self.index)
        return array

    def refuse_idle_classes(self) -> None:
        """Refuse an order of two classes that nothing follows; the one that stands anyway may be said of every site."""
        if len(self.classes) == 2 and not self.order_used and set(self.classes) == {*named(self.labels[TRUTH]).names}:
            settled = self._resolved_classes()
            if settled is not None and settled.names == self.classes:
                return
            found = f"classes is given in another order than the positive one last, and {shown(TRUTH)} holds both"
            raise OptionError(found, f"y_proba with a column for each, or {POSITIVE}", about="classes")

    def _score_values(self, values: NDArray[Any], column: str) -> Numbers:
        if values.ndim == 2 and values.shape[1] == 2:
            place, both = (
                self._positive_column_index(column),
                [_parse_floats(values[:, k], column).values for k in range(2)],
            )
            row = first_other_sum(both)
            # A decision function is sometimes given for either class, one the negative of the other.
            if row is not None and np.any(both[0] != -both[1]):
                found = f"row {row + 1:,}: the two columns of {shown(column)} sum to {both[0][row] + both[1][row]:.6g}"
                needed = f"probabilities that sum to 1 in every row, or one score for each case: {column}[:, {place}]"
                raise InputError(found, needed)
            values, self.order_used = values[:, place], True
        return _parse_floats(
            _refuse_other_dimensions(values, column, "one score for each case, or two columns as from predict_proba"),
            column,
        )

    def _positive_column_index(self, column: str) -> int:
        """The place of the positive class among two columns, which stand in the order of the sorted classes."""
        settled = self._resolved_classes()
        if settled is None or settled.names[0] == f"not {settled.positive}":
            raise InputError(
                f"{shown(TRUTH)} does not determine the class of each column of {shown(column)}",
                "only the scores of the positive class",
            )
        order = list(self.classes or in_order(settled.names))
        foreign = [name for name in named(self.labels[TRUTH]).names if name not in order]
        if foreign:
            found = f"{shown(TRUTH)} holds {listed(foreign)}, not among the classes {listed(order)}"
            raise InputError(found, "true labels among these classes")
        return order.index(settled.positive)

    def _resolved_classes(self) -> Classes | None:
        """The two classes as truth and the request tell them, the positive one last; None where truth holds none."""
        truth = self.labels[TRUTH]
        labels = named(truth)
        said: dict[str, Any] = {"column": TRUTH, "rows": len(truth.codes), "known": self.classes}
        if not labels.names:
            return None
        return settle(labels.names, (), self.request.positive, sizes=lambda: sizes_of(labels), **said)

    def add_design(self, role: str, values: Any) -> None:
        if role == "inclusion" and isinstance(values, float | int):
            values = np.full(self.rows, values)  # a simple random sample: one chance for all
        array = self._checked_length_array(values, role)
        if role in ("weight", "count", "amount", "inclusion", "proxy"):
            self.numbers[role] = _parse_floats(_refuse_other_dimensions(array, role, "one number for each case"), role)
        elif role == "by":
            self.labels[role] = _coded_labels(array, role)
        elif role == "id":
            self.ids = _id_values(array)
        else:
            self.keys[role] = _coded_labels(array, role, most=None)
        self.design.append(role)


def _assemble_arrays(loaded: Loaded, roles: Roles, request: Request, origin: Origin) -> Reading:
    try:
        return assemble(loaded, roles, request, origin)
    except InputError as error:
        # To name another column is no way out where there are none.
        ways = [(way, meaning) for way, meaning in error.ways if way.keys() <= {*SAYABLE}]
        if isinstance(error, OptionError) or len(ways) == len(error.ways):
            raise
        raise InputError(error.found, error.needed, ways=ways) from None


def _parse_class_names(classes: Any) -> tuple[str, ...]:
    if classes is None:
        return ()
    values = _refuse_other_dimensions(_as_array(classes, "classes"), "classes", "one name for each class").tolist()
    return class_names(values)


def _probability_table(values: NDArray[Any], column: str, classes: tuple[str, ...]) -> ProbabilityTable:
    if values.shape[1] != len(classes):
        raise InputError(
            f"{shown(column)} has shape {values.shape} but there are {len(classes)} classes ({listed(classes, 4)})",
            "one column per class in sorted order, or classes= with their order",
        )
    numbers = _parse_floats(values.reshape(-1), column)
    if numbers.fault is not None:
        raise numbers.fault
    return ProbabilityTable(classes, numbers.values.reshape(values.shape))


def _arrays_by_model(values: Any) -> dict[str, Any]:
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return {str(name): array for name, array in values.items()}
    return {ONLY_MODEL: values}


def _argument_name(role: str, name: str) -> str:
    return role if name == ONLY_MODEL else f"{role}[{name!r}]"


def _as_array(values: Any, column: str) -> NDArray[Any]:
    """What was given as an array of at least one dimension; tensors on this machine are shared, not copied."""
    if isinstance(values, str | bytes | Mapping):
        raise InputError(f"{shown(column)} is not an array", "one value for each case")
    if hasattr(values, "combine_chunks"):
        # numpy reads a chunked pyarrow column of dictionary type wrongly where it holds nulls; a single chunk rightly.
        values = values.combine_chunks()
    if hasattr(values, "detach"):
        # What a training loop computes still knows how it was computed, and only its numbers are wanted.
        values = values.detach()
    if (texts := _decode_arrow_texts(values)) is not None:
        return texts
    if isinstance(values, list | tuple) and (dtype := _text_dtype(values)) is not None:
        return np.array(values, dtype)
    try:
        array: NDArray[Any] = np.asanyarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        array = _import_dlpack(values, column, error)
    if array.ndim == 0 and array.dtype == object and hasattr(values, "__dlpack__"):
        array = _import_dlpack(values, column, None)  # numpy took the tensor itself for a single value
    if array.ndim == 0:
        raise InputError(f"{shown(column)} is a single value", "one value for each case")
    if array.dtype.kind == "f" and array.ndim == 1 and values is not array:
        return _restore_whole_numbers(array, values)
    return array


# Texts in an array of one width for all may take so many bytes: beyond it, each is stored as it is.
WIDEST = 100_000_000


def _text_dtype(texts: Sequence[Any]) -> type | None:
    """`object` for texts one of which is so long that an array of that width would take far more than they do.

    >>> _text_dtype(["a", "b"]), _text_dtype(["no"] * 1_000 + ["yes" * 10_000])
    (None, <class 'object'>)
    """
    if not texts or not isinstance(texts[0], str) or not all(isinstance(text, str) for text in texts):
        return None
    return object if 4 * len(texts) * max(map(len, texts)) > WIDEST else None


def _decode_arrow_texts(values: Any) -> NDArray[Any] | None:
    """An Arrow array of texts that are often the same, told apart by Arrow: a Python object for each takes long.

    None where it is no such array, where a text is missing, or where there are as many of them as ids have.
    """
    is_text = hasattr(values, "dictionary_encode") and str(getattr(values, "type", "")) in ARROW_TEXTS
    if not is_text or values.null_count or not len(values):
        return None
    coded = values.dictionary_encode()
    if len(coded.dictionary) > MOST_VALUES:
        return None
    names = coded.dictionary.to_pylist()
    widest = 4 * len(values) * max(map(len, names))
    texts: NDArray[Any] = np.array(names, object if widest > WIDEST else None)[coded.indices.to_numpy()]
    return texts


def _restore_whole_numbers(array: NDArray[Any], values: Any) -> NDArray[Any]:
    """Whole numbers that became floating on the way into numpy, so that neighbours are one, as they were."""
    if len(array) == 0 or not float(np.nanmax(np.abs(array), initial=0)) >= EXACT:
        return array
    plain = values if isinstance(values, list | tuple) else values.to_list() if hasattr(values, "to_list") else []
    return np.array(plain, dtype=object) if any(isinstance(value, int) for value in plain) else array


def _import_dlpack(values: Any, column: str, error: Exception | None) -> NDArray[Any]:
    try:
        return np.from_dlpack(values)
    except Exception:  # whatever a foreign tensor raises, it cannot be read
        tensors = "tensors detached, on the CPU and of a type numpy has: .float()"
        needed = f"one value for each case (rows of one length; {tensors})"
        raise InputError(f"{shown(column)} cannot be read as an array", needed) from error


def _coded_labels(values: NDArray[Any], column: str, most: int | None = MOST_VALUES) -> Coded:
    if values.dtype.kind in "cV":
        raise InputError(f"{shown(column)} holds complex or compound values", "one plain value for each case")
    return code(
        _without_mask(_refuse_other_dimensions(values, column, "one label for each case")), _missing_mask(values), most
    )


def _id_values(values: NDArray[Any]) -> Texts:
    texts, mask = (
        id_texts(_without_mask(_refuse_other_dimensions(values, "id", "one id for each case"))),
        _missing_mask(values),
    )
    return texts if mask is None else np.where(mask, "", texts)


def _parse_floats(values: NDArray[Any], column: str) -> Numbers:
    found, mask = number(_without_mask(values), column), _missing_mask(values)
    return found if mask is None else replace(found, values=np.where(mask, np.nan, found.values))


def _refuse_other_dimensions(values: NDArray[Any], column: str, needed: str) -> NDArray[Any]:
    if values.ndim != 1:
        raise InputError(f"{shown(column)} has shape {values.shape}", needed)
    return values


def _without_mask(values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(values)


def _missing_mask(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    return np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
