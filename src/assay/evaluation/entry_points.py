"""The way in: from whatever a user has to an evaluation.

The way in to a comparison: from whatever holds several classifiers' predictions.

An evaluation from a confusion matrix that someone printed.

Arrays in one another's place: asked only about a call that failed, so that no sound one is ever refused.

Measures as scorers: what cross_val_score, GridSearchCV and their kin take as `scoring`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import InputError, OptionError, UnknownName
from assay.evaluation.binary import TwoClassEvaluation
from assay.evaluation.comparison import Comparison
from assay.evaluation.construction import (
    evaluation_of,
    evaluation_of_grouped,
    sampled_calls,
    sampled_of,
    with_cards,
    with_subgroups,
)
from assay.evaluation.evaluation import AnyEvaluation, Evaluation, of_any_kind
from assay.evaluation.evaluations import Evaluations
from assay.evaluation.label_samples import SampleDesign, with_labels
from assay.evaluation.multiclass import ManyClassEvaluation
from assay.evaluation.reduction import Evidence, evidence_at, evidence_of, evidence_of_reduction, shape_of
from assay.evaluation.sampled import SampledComparison, SampledEvaluation
from assay.evidence import ConfusionMatrix, Shape, side_by_side
from assay.measures import Measure, find, find_for_many
from assay.predictions import Predictions
from assay.request import (
    SOURCES,
    CompareOptions,
    EvaluateOptions,
    ReduceOptions,
    ReduceRequest,
    Request,
    checked_choice,
    checked_level,
    checked_names,
    checked_seed,
    doubled,
    front_door,
)
from assay.sources import (
    Reading,
    Reduction,
    Source,
    from_arrays,
    from_engine,
    from_estimator,
    from_file,
    from_frame,
    from_tensors,
    read_label_file,
    read_scored,
)
from assay.sources.engines import refuse_beyond_memory
from assay.sources.model_join import from_joined
from assay.text import visible

__all__ = [
    "Scorer",
    "compare",
    "compared",
    "evaluate",
    "evaluate_models",
    "evaluated",
    "evaluations_of",
    "from_counts",
    "kind_of",
    "misplaced",
    "paired",
    "reduce",
    "reduced",
    "scorer",
]


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
    matrix = _matrix_of_cells(counts, {"tp": tp, "fn": fn, "fp": fp, "tn": tn})
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


# Beyond 2**53 doubles no longer hold every whole number, and a share's complement is lost: 1 - 1e-17 is 1.
MOST_COUNTED = 1e15
TOO_LARGE = "some counts are too large to be numbers of cases", "whole numbers, at most 1e15 in all"


def _matrix_of_cells(counts: ArrayLike | None, cells: Mapping[str, float | None]) -> Any:
    named = {name: value for name, value in cells.items() if value is not None}
    if (counts is None) == (not named):
        raise InputError("there are no counts, or two kinds of them", "either tp, fn, fp and tn, or a matrix")
    if counts is None and len(named) < 4:
        raise InputError(f"only {', '.join(named)} given", "all of tp, fn, fp and tn")
    given = [[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]] if counts is None else counts
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except OverflowError:
        raise InputError(*TOO_LARGE) from None
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
    if matrix.sum() > MOST_COUNTED:
        raise InputError(*TOO_LARGE)
    return matrix


# Whole numbers spread as wide as this are scores, where what stands beside them has two values.
WIDE = 20
TEXT = "OUS"
NUMBER_IN_TEXT = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*%?\s*")


def misplaced(truth: Any, request: Request) -> InputError | None:
    """The error about scores given for the truth, or labels for scores, if that is what it looks like."""
    given = {role: getattr(request, role) for role in ("y_score", "y_pred", "y_proba")}
    said = {role: values for role, values in given.items() if values is not None}
    if len(said) != 1:
        return None
    role, values = said.popitem()
    if isinstance(truth, Mapping) and isinstance(values, Mapping):
        return None
    second = _as_array(next(iter(values.values()), None) if isinstance(values, Mapping) else values)
    scores = "models by name" if isinstance(truth, Mapping) else _scores_description(_as_array(truth))
    labels = _labels_description(second)
    if scores and labels:
        found = f"y_true holds {scores} and {role} {labels}: they look swapped"
        return InputError(found, "the truth first, evaluate(labels, scores), or by name: y_true=labels, y_score=scores")
    if role == "y_score" and labels and second is not None and _holds_text(second):
        if NUMBER_IN_TEXT.fullmatch(str(second[0])):
            is_percent = str(second[0]).strip().endswith("%")
            fix = "[float(s.strip('% ')) / 100 for s in y_score]" if is_percent else "numpy.asarray(y_score, float)"
            return InputError(f"y_score holds text such as {visible(str(second[0]))!r}", f"numbers: {fix}")
        return InputError(f"y_score holds {labels}", "scores; labels are given by name: y_pred=labels")
    return None


def _as_array(values: Any) -> NDArray[Any] | None:
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # whatever it is, it is not what was swapped
        return None
    return array if array.ndim and len(array) else None


def _scores_description(array: NDArray[Any] | None) -> str:
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


def _labels_description(array: NDArray[Any] | None) -> str:
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


# With fewer rows of all models than this a second thread costs more than it saves.
WORTH_A_THREAD = 1 << 16

READERS: dict[str, Callable[[Any, Request], Reading]] = {
    "arrays": from_arrays,
    "frame": from_frame,
    "file": from_file,
    "estimator": from_estimator,
}


@front_door
def evaluate(y_true: Any, y_score: Any = None, y: Any = None, **options: Unpack[EvaluateOptions]) -> AnyEvaluation:
    """How good one classifier's predictions are.

    `y_true` is the truth beside `y_score` (scores of the positive class), `y_proba` (a column a class, in the order of
    `classes` or of their sorted names) and/or `y_pred` (labels); or, in its place, a DataFrame or the path of a file,
    whose columns `truth`, `score` and `pred` name where their names do not tell; or `Predictions`; or a fitted
    classifier, followed by the cases X and their true classes y: `evaluate(model, X, y)`; with `out_of_bag=True` an
    ensemble's answers about cases it was fitted to, from members that did not see them; or evidence, or a file of it.

    Where only a sample of the rows is labelled, `inclusion` is the probability with which each row was drawn (one
    number for a simple random sample), and rows without a truth are those that were not: the answer is a
    `SampledEvaluation` of all rows, or with `target="new"` of new cases like them. `labelled` is the file of labels
    that `assay.sample` wrote and somebody filled.

    `weight`, `count`, `cluster` and `fold` (arrays, or the names of columns) say what the rows are, `by` parts them
    into subgroups, each evaluated by itself as well; `amount` is what is at stake in each case, for the risk chart;
    `ignore` names columns to leave alone, `default_class` the class of cases without a label of their own. `id` is what
    rows are called; `keep_ids=True` takes a column called id. `decimal`, `encoding`, `sheet` and `table` say how a file
    is read; what does not fit into `memory` is reduced where it lies, until the AUC is known `within` a width.

    >>> ev = evaluate(["ham", "ham", "spam"], y_pred=["ham", "spam", "spam"], positive="spam")
    >>> ev.accuracy
    0.667 [0.208, 0.939]
    """
    request = Request.of({**options, "y_score": y_score, "y": y})
    if takes_sample(request):
        return of_any_kind(sampled(y_true, request))
    models = evaluated(y_true, request)
    if len(models) != 1:
        names = ", ".join(repr(name) for name in models)
        raise InputError(f"there are {len(models)} models ({names})", "one; assay.evaluate_models takes them all")
    return next(iter(models.values()))


def takes_sample(request: Request) -> bool:
    """Return whether only a sample of the rows is labelled."""
    return any(each is not None for each in (request.inclusion, request.labelled, request.verified_by))


def sampled(data: Any, request: Request) -> Evaluation | SampledEvaluation:
    """Return the evaluation of rows of which only a sample is labelled, as requested."""
    kind = kind_of(data, request)
    request.refuse_unused(kind)
    for name in ("card", "embed_rows"):
        if getattr(request, name):
            found = f"{name} is given beside inclusion"
            raise OptionError(found, f"it left out, or labels for every row without {name}", about=(name, "inclusion"))
    if request.labelled is not None:
        return _from_label_file(data, request.labelled, request)
    if kind not in READERS:
        raise OptionError(f"inclusion is given beside {SOURCES[kind]}", "the rows themselves", about="inclusion")
    if request.verified_by is not None:
        return _from_verified(READERS[kind], data, request)
    reading = READERS[kind](data, request)
    if len(reading.models) != 1:
        names = ", ".join(repr(name) for name in reading.models)
        found = f"inclusion is given, and there are {len(reading.models)} models ({names})"
        raise InputError(found, "one score or predicted label; the others by ignore=")
    return sampled_of(next(iter(reading.models.values())), reading.source, request)


# What is used of a file of predictions whose labels are in another file.
WITH_LABELS = frozenset(
    {"labelled", "target", "score", "pred", "id", "truth", "positive", "threshold", "level", "seed"}
)
OF_SCREEN = frozenset({"measure", "format", "full", "output", "html", "quiet", "style", "method", "costs"})


def _from_label_file(data: Any, path: str, request: Request) -> Evaluation | SampledEvaluation:
    """The evaluation of rows whose labels are in a file of their own, which tells how its rows were drawn."""
    request.only(WITH_LABELS | OF_SCREEN, "beside labelled")
    if len(request.score) > 1 or len(request.pred) > 1:
        raise OptionError("several models are given beside labelled", "one score column", about="labelled")
    if not Path(path).is_file():
        raise OptionError(
            f"labelled is {str(path)!r}, and there is no such file", "the path of a file", about="labelled"
        )
    scores, preds = (next(iter(each), None) for each in (request.score, request.pred))
    file = read_label_file(path, request.truth)
    # The probabilities were made from the scores that the sample was drawn by, whichever are evaluated.
    drawn_by = SampleDesign.of(file.design).score
    rows = read_scored(data, score=scores or drawn_by, pred=preds, id=request.id)
    base = rows if scores in (None, drawn_by) else read_scored(data, score=drawn_by, id=request.id)
    found = with_labels(base, file)
    said = {name: getattr(request, name) for name in ("positive", "threshold", "level", "seed", "target")}
    pred = None if rows.pred is None else rows.pred.astype(object)
    given = {"y_score": rows.score, "y_pred": pred, "id": rows.id, "inclusion": found.inclusion}
    reading = from_arrays(np.array(found.label, dtype=object), Request.of({**said, **given}))
    columns = {"truth": "y_true", **dict(rows.columns), "labelled": str(path)}
    source = replace(reading.source, name=rows.name, format=rows.format, columns=columns, sha256=rows.sha256)
    ev = sampled_of(next(iter(reading.models.values())), source, Request.of({**said, **given}))
    return replace(ev, unanswered=found.unanswered) if isinstance(ev, SampledEvaluation) else ev


# What verification depends on, where it is the predicted label and not a column of its own.
PREDICTION = "prediction"


def _from_verified(
    read: Callable[[Any, Request], Reading], data: Any, request: Request
) -> Evaluation | SampledEvaluation:
    """The evaluation of rows of which some were verified, as a column or the predicted label decided."""
    for name in ("inclusion", "by"):
        if getattr(request, name) is not None:
            raise OptionError(f"{name} is given beside verified_by", "one of them", about=(name, "verified_by"))
    column = request.verified_by
    is_text = isinstance(column, str)
    asked = request
    if is_text and column != PREDICTION and not (request.score or request.pred):
        # What decided about verification is what was predicted, unless another column is.
        asked = request.replace({"pred": (column,)})
    is_prediction = is_text and (column == PREDICTION or column in asked.pred)
    reading = read(data, asked if is_prediction else asked.replace({"by": column}))
    rows = next(iter(reading.models.values()))
    name = column if is_text else "verified_by"
    if is_prediction:
        groups = sampled_calls(rows, request.threshold)[0]
        if groups is None:
            found = "verified_by is the prediction, and there is no predicted label"
            raise InputError(found, "predicted labels, or a threshold", {"threshold": 0.5})
    else:
        assert reading.by is not None
        groups = next(iter(reading.by.codes.values()))
        if groups.min() < 0:
            raise InputError(f"some rows have no value of {name}", "one in every row")
    return sampled_of(rows, reading.source, request, verified=(name, groups.astype(np.intp)))


def compare_sampled(data: Any, request: Request) -> SampledComparison:
    """Return the comparison of two models of the same rows, of which a sample is labelled, as requested."""
    if len(request.score) != 2:
        found = f"labelled is given, and {len(request.score)} score columns"
        raise OptionError(found, "two", {"score": ("first", "second")}, about="labelled")
    plain = {
        name: value for name, value in request.given.items() if name not in ("score", "measure", "format", "output")
    }
    models = {}
    for name in request.score:
        ev = sampled(data, Request.of({**plain, "score": name}))
        if not isinstance(ev, SampledEvaluation):
            raise InputError("every row is labelled", "assay compare without labelled, on a file with the labels")
        models[name] = ev
    return SampledComparison(models, tuple(request.measure) or ("roc_auc",), request.level_used)


@front_door
def evaluate_models(y_true: Any, y_score: Any = None, y: Any = None, **options: Unpack[EvaluateOptions]) -> Evaluations:
    """How good several classifiers' predictions are, by name.

    Models come as several score columns (`score__<model>`), as a column `model` that names them, or as a mapping of
    names to scores in `y_score`. All else is said as to `evaluate`.

    >>> evaluations = evaluate_models([0, 1, 1, 0], {"a": [0.1, 0.9, 0.6, 0.3], "b": [0.5, 0.4, 0.6, 0.7]})
    >>> {name: ev.roc_auc.value for name, ev in evaluations.items()}
    {'a': 1.0, 'b': 0.25}
    """
    return evaluated(y_true, Request.of({**options, "y_score": y_score, "y": y}))


@front_door
def reduce(y_true: Any, y_score: Any = None, y: Any = None, **options: Unpack[ReduceOptions]) -> Evidence:
    """Predictions reduced to evidence that travels: no rows, and yet it adds and is judged as they are.

    The predictions are said as to `evaluate`. Scores are put together on one grid that is fixed before any data is
    seen, with 2^`bits` cells in each halving of the distance to 0 (and to 1, for probabilities); `grid` says whether
    they are "probability" or "real" where that does not show at every site. With `least`, cells of fewer cases are not
    shown, and bounds say what that leaves open. `exact` keeps every score, which is as good as the rows. `name` is what
    these cases are called beside others. What does not fit into `memory` is reduced where it lies.

    >>> reduce([0, 0, 1, 1] * 10, [0.1, 0.6, 0.4, 0.9] * 10).roc_auc
    0.750 [0.562, 0.882]
    """
    return reduced(y_true, Request.of({**options, "y_score": y_score, "y": y}), ReduceRequest.of(options))


def reduced(data: Any, request: Request, shape: ReduceRequest) -> Evidence:
    """The evidence of every model in a source, as requested."""
    if isinstance(data, Evidence) or evidence_at(data) is not None:
        raise InputError("this is evidence already", "rows to reduce; assay.merge puts evidence together")
    found = _read_predictions(data, request, shape_of(shape))
    if isinstance(found, Reduction):
        return evidence_of_reduction(found, request, shape)
    return evidence_of(found, request, shape)


def evaluated(data: Any, request: Request, *, lacking: bool = False) -> Evaluations:
    """The evaluation of every model in a source, as requested; models to be compared may be `lacking` cases."""
    if takes_sample(request):
        name = next(each for each in ("inclusion", "labelled", "verified_by") if getattr(request, each) is not None)
        needed = f"one model: assay.evaluate(..., {name}=...)"
        raise OptionError(f"{name} does not apply to several models", needed, about=name)
    evidence = data if isinstance(data, Evidence) else evidence_at(data)
    if evidence is None:
        return evaluations_of(_read_predictions(data, request, lacking=lacking), request)
    if request.embed_rows:
        raise OptionError(
            "embed_rows does not apply to evidence", "rows, which evidence does not have", about="embed_rows"
        )
    request.refuse_unused("evidence")
    found = evidence.evaluations(threshold=request.threshold, level=request.level_used, seed=request.seed_used)
    return found if request.card is None else Evaluations(with_cards(dict(found), request.card), found.joint_sums)


def evaluations_of(reading: Reading | Reduction, request: Request) -> Evaluations:
    """The same from predictions that have been read, or from what is known of rows that stay where they lie."""
    threshold, level, seed = request.threshold, request.level_used, request.seed_used
    if isinstance(reading, Reduction):
        return _evaluations_of_reduction(reading, request)
    models = reading.models

    def made(rows: Predictions) -> Evaluation:
        return evaluation_of(rows, reading.source, threshold, level, seed)

    # Putting the scores of a model in order is most of it, and lets other threads go on.
    spread = side_by_side if sum(map(len, models.values())) >= WORTH_A_THREAD else map
    found = dict(zip(models, spread(made, models.values()), strict=True))
    if reading.by is not None:
        found = {name: with_subgroups(ev, name, reading.by) for name, ev in found.items()}
    if request.card is not None:
        found = with_cards(found, request.card)
    return Evaluations(found, places=reading.places)


def _evaluations_of_reduction(reduction: Reduction, request: Request) -> Evaluations:
    if request.embed_rows:
        found = "embed_rows is given, and the rows do not fit into memory"
        raise OptionError(found, "more of it", {"memory": doubled(request.memory)}, about="embed_rows")
    threshold, level, seed = request.threshold, request.level_used, request.seed_used
    models: dict[str, Evaluation] = {
        name: evaluation_of_grouped(model, reduction.source, threshold, level, seed, reduction.by)
        for name, model in reduction.models.items()
    }
    return Evaluations(with_cards(models, request.card) if request.card is not None else models, reduction.together)


def kind_of(data: Any, request: Request) -> str:
    """Which kind of source this is: what can be said about it depends on that."""
    if isinstance(data, Evidence):
        return "evidence"
    if isinstance(data, Predictions):
        return "predictions"
    if isinstance(data, str | PathLike):
        return "file"
    if hasattr(data, "predict"):
        return "estimator"
    if not hasattr(type(data), "columns"):
        return "arrays"
    arrays = (request.y_score, request.y_pred, request.y_proba)
    # A frame of one column may hold the truth beside arrays.
    return "frame" if all(values is None for values in arrays) or len(data.columns) > 1 else "arrays"


def _read_predictions(
    data: Any, request: Request, shape: Shape | None = None, *, lacking: bool = False
) -> Reading | Reduction:
    kind = kind_of(data, request)
    request.refuse_unused(kind)
    checked_choice(request.missing, ("refuse", "drop", "pairwise") if lacking else ("refuse", "drop"), "missing")
    if kind == "predictions":
        return Reading({"": data}, Source("predictions", "arrays", rows=len(data)))
    if kind in ("file", "frame"):
        found = from_engine(data, request, shape=shape)
        if found is not None:
            return found
    if kind == "arrays" and request.missing != "pairwise" and (on_device := from_tensors(data, request)) is not None:
        return on_device
    try:
        return READERS[kind](data, request)
    except InputError as error:
        raise (misplaced(data, request) if kind == "arrays" else None) or error from None


@front_door
def compare(y_true: Any, y_score: Any = None, **options: Unpack[CompareOptions]) -> Comparison:
    """Several classifiers on the same cases, to be compared.

    `y_true` is the truth beside a mapping of names to scores (or to labels in `y_pred`, or to probabilities in
    `y_proba`); or, in its place, a DataFrame or file with several score columns or a column of model names; a list of
    files, joined by the column `id`; or evaluations by name, which keep their thresholds, level and seed unless others
    are given. The other options are those of `evaluate`; what does not fit into `memory` is compared from sums. With
    `missing="pairwise"` each model is judged by the cases it has an answer for, and those that two share tie them
    together; of files joined by `id` all cases are used then, not only those that are in all of them.

    >>> cmp = compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
    >>> cmp.joint_correctness("a", "b")
    both correct 45 · only the first 15 · only the second 0 · both misclassified 0
    """
    return compared(y_true, Request.of({**options, "y_score": y_score}))


def compared(data: Any, request: Request) -> Comparison:
    """The comparison of every model in a source, as requested."""
    if isinstance(data, Mapping) and data and all(isinstance(ev, Evaluation) for ev in data.values()):
        request.refuse_unused("evaluations")
        return _checked_comparison(_comparison_with_options(Evaluations(data), request))
    evidence = data if isinstance(data, Evidence) else evidence_at(data)
    if evidence is not None:
        return _comparison_of_evidence(evidence, request)
    if _are_files(data, request):
        request.refuse_unused("files")
        return _comparison_of_files(data, request)
    models = evaluated(data, request, lacking=True)
    source = next(iter(models.values())).source
    if next(iter(models.values())).rows is None:
        return _comparison_from_sums(models)
    cmp = Comparison(models, level=request.level_used, seed=request.seed_used)
    if "model" not in source.columns:
        return _checked_comparison(cmp)
    if _is_path(data) and str(data) != "-" and (request.id or "id" in (*source.design, *source.columns)):
        return _comparison_of_files([data], request)
    if request.missing == "pairwise":
        found = "missing is 'pairwise', each row is of one model, and no column identifies the same case"
        raise OptionError(found, "a file with a column id, or a column of scores for each model", about="missing")
    return _checked_comparison(replace(cmp, matched_by="order of the rows"))


def _comparison_from_sums(models: Evaluations) -> Comparison:
    """The comparison of models whose rows stay where they lie, from sums over them."""
    if len(models) < 2:
        raise InputError(f"there is one model ({', '.join(map(repr, models))})", "two models at least to compare")
    if models.joint_sums is None:
        columns = next(iter(models.values())).source.columns
        why = "each model has rows of its own" if "model" in columns else f"there are {len(models)} models"
        found = f"{why}, and the rows do not fit into memory"
        raise InputError(found, "one column of scores for each of at most 10 models there")
    return paired(models)


def _comparison_of_evidence(evidence: Evidence, request: Request) -> Comparison:
    """The comparison of models whose rows are elsewhere."""
    models = evaluated(evidence, request)
    if len(models) < 2:
        raise InputError("the evidence is of one model", "that of two at least, reduced together from the same rows")
    if models.joint_sums is None:
        found = "the evidence lacks the joint predictions of its models"
        raise InputError(found, "models reduced together, without least: assay.reduce(y_true, {'a': ..., 'b': ...})")
    return paired(models)


def paired(models: Evaluations) -> Comparison:
    """The comparison of evaluations that came from one source, where their rows are the same cases."""
    first = next(iter(models.values()))
    source = first.source
    if models.joint_sums is not None:
        return Comparison(models, level=first.level, seed=first.seed, joint_sums=models.joint_sums)
    if "model" not in source.columns:
        return _checked_comparison(Comparison(models, level=first.level, seed=first.seed))
    if "id" in (*source.design, *source.columns):
        raise InputError("the rows of the models may stand in another order", "assay compare, which matches them by id")
    return _checked_comparison(Comparison(models, matched_by="order of the rows", level=first.level, seed=first.seed))


def _is_path(data: Any) -> bool:
    return isinstance(data, str | PathLike)


def _are_files(data: Any, request: Request) -> bool:
    are_many = isinstance(data, Sequence) and not isinstance(data, str | bytes) and len(data) > 0
    arrays = (request.y_score, request.y_pred, request.y_proba)
    return are_many and all(values is None for values in arrays) and all(map(_is_path, data))


def _comparison_with_options(models: Evaluations, request: Request) -> Comparison:
    """Evaluations as they are, but for the threshold, level and seed that were asked for."""
    level, seed = (_common_value(models, name, getattr(request, name)) for name in ("level", "seed"))
    moved = {name: ev if request.threshold is None else ev.at(request.threshold) for name, ev in models.items()}
    # What is as it was asked for stays the same object, with whatever it has worked out.
    settled = {
        name: ev if (ev.level, ev.seed) == (level, seed) else replace(ev, level=level, seed=seed)
        for name, ev in moved.items()
    }
    return Comparison(Evaluations(settled), level=level, seed=seed)


def _common_value(models: Evaluations, name: str, asked: Any) -> Any:
    held = {getattr(ev, name) for ev in models.values()} if asked is None else {asked}
    if len(held) > 1:
        known = ", ".join(f"{value:g}" for value in held)
        raise InputError(f"the evaluations differ in their {name}: {known}", "one for all", {name: max(held)})
    return held.pop()


def _comparison_of_files(paths: Sequence[Any], request: Request) -> Comparison:
    for path in paths:
        refuse_beyond_memory(str(path), request)
    found = from_joined(paths, request)
    models = evaluations_of(found.reading, request)
    cmp = Comparison(models, level=request.level_used, seed=request.seed_used)
    return _checked_comparison(replace(cmp, unmatched=found.unmatched, matched_by="id"))


def _checked_comparison(cmp: Comparison) -> Comparison:
    if len(cmp.models) < 2:
        raise InputError(f"there is one model ({', '.join(map(repr, cmp.names))})", "two models at least to compare")
    evaluations = list(cmp.models.values())
    for name, ev in cmp.models.items():
        if ev.predictions is None:
            raise InputError(f"{name!r} holds counts, no rows", "the rows, to compare classifiers case by case")
        if ev.classes != evaluations[0].classes:
            raise InputError(
                f"{name!r} has the classes {ev.classes}, {cmp.names[0]!r} {evaluations[0].classes}", "the same"
            )
    if cmp.places is not None:
        _refuse_dependent(cmp)
    truths = [ev.predictions.truth for ev in evaluations if ev.predictions is not None]
    if cmp.places is None and not all(np.array_equal(truths[0], truth) for truth in truths[1:]):
        raise InputError(
            "the models' rows do not hold the same true classes in the same order",
            "a column id that identifies each case, in a file, or one column of scores for each model",
        )
    return cmp


def _refuse_dependent(cmp: Comparison) -> None:
    """How models that lack other cases vary together is known of independent cases only."""
    for ev in cmp.models.values():
        for role in ("cluster", "fold"):
            if ev.rows is not None and getattr(ev.rows, role) is not None:
                found = f"missing is 'pairwise', and rows have {role}s"
                raise InputError(found, f"rows without {role}s, or those that every model has", {"missing": "drop"})


@dataclass(frozen=True)
class Scorer:
    """A measure as scikit-learn's searches call it: of a fitted classifier, cases and their classes; higher is better.

    `sign` is -1 where lower values of the measure are better, so that a search for the highest finds the best.
    """

    measure: str
    positive: Any = None
    sign: int = 1

    def __repr__(self) -> str:
        said = "" if self.positive is None else f", positive={self.positive!r}"
        return f"assay.scorer({self.measure!r}{said})"

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803 -- scikit-learn's
        """The measure of what the classifier says of these cases, times the sign; nan where it is undefined."""
        ev = evaluate(estimator, X, y, positive=self.positive, weight=sample_weight)
        found = ev.find(self.measure)
        obstacle = ev.reason_unavailable(found)
        if obstacle is not None:
            raise OptionError(f"{found.name} of this {type(estimator).__name__}: {obstacle}", "a measure that applies")
        value = float(found(ev.evidence_for(found)))
        return math.nan if math.isnan(value) else self.sign * value


def scorer(measure: str | Measure, *, positive: Any = None) -> Scorer:
    """A measure as a scorer for scikit-learn: `cross_val_score(model, X, y, scoring=assay.scorer("h_measure"))`.

    Any name that `ev.estimate` takes will do, with parameters too. Measures that should be low come with their sign
    turned, as scikit-learn's own losses do. `positive` names the positive of two classes where it is not the second.

    >>> scorer("h_measure"), scorer("log_loss").sign
    (assay.scorer('h_measure'), -1)
    >>> scorer("prevalence")
    Traceback (most recent call last):
    assay.errors.OptionError: prevalence is not about a classifier; needed: a measure that should be high or low
    """
    found = measure if isinstance(measure, Measure) else _find_measure(measure)
    if found.better == "neither":
        raise OptionError(f"{found.name} is not about a classifier", "a measure that should be high or low")
    name = found.name if isinstance(measure, Measure) else measure
    return Scorer(name, positive, -1 if found.better == "lower" else 1)


def _find_measure(name: str) -> Measure:
    """The measure called so of two classes, else of many."""
    try:
        return find(name)
    except UnknownName:
        try:
            return find_for_many(name)
        except UnknownName:
            pass
        raise
