"""The way in: from whatever a user has to an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Unpack

from assay.errors import InputError, OptionError
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._kinds import AnyEvaluation
from assay.evaluation._make import evaluation_of, evaluation_of_grouped, with_cards, with_subgroups
from assay.evaluation._misplaced import misplaced
from assay.evaluation._reduce import Evidence, evidence_at
from assay.evaluation._reducing import evidence_of, evidence_of_reduction, shape_of
from assay.evaluation._several import Evaluations
from assay.evidence import Shape, side_by_side
from assay.predictions import Predictions
from assay.request import (
    EvaluateOptions,
    ReduceOptions,
    ReduceRequest,
    Request,
    checked_choice,
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
)

__all__ = ["evaluate", "evaluate_models", "evaluated", "evaluations_of", "kind_of", "reduce", "reduced"]

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

    `weight`, `count`, `cluster` and `fold` (arrays, or the names of columns) say what the rows are, `by` parts them
    into subgroups, each evaluated by itself as well; `amount` is what is at stake in each case, for the risk chart;
    `ignore` names columns to leave alone, `default_class` the class of cases without a label of their own. `id` is what
    rows are called; `keep_ids=True` takes a column called id. `decimal`, `encoding`, `sheet` and `table` say how a file
    is read; what does not fit into `memory` is reduced where it lies, until the AUC is known `within` a width.

    >>> ev = evaluate(["ham", "ham", "spam"], y_pred=["ham", "spam", "spam"], positive="spam")
    >>> ev.accuracy
    0.667 [0.208, 0.939]
    """
    models = evaluated(y_true, Request.of({**options, "y_score": y_score, "y": y}))
    if len(models) != 1:
        names = ", ".join(repr(name) for name in models)
        raise InputError(f"there are {len(models)} models ({names})", "one; assay.evaluate_models takes them all")
    return next(iter(models.values()))


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
    found = _read(data, request, shape_of(shape))
    if isinstance(found, Reduction):
        return evidence_of_reduction(found, request, shape)
    return evidence_of(found, request, shape)


def evaluated(data: Any, request: Request, *, lacking: bool = False) -> Evaluations:
    """The evaluation of every model in a source, as requested; models to be compared may be `lacking` cases."""
    evidence = data if isinstance(data, Evidence) else evidence_at(data)
    if evidence is None:
        return evaluations_of(_read(data, request, lacking=lacking), request)
    if request.embed_rows:
        raise OptionError("embed_rows is given beside evidence", "rows: evidence holds none", about="embed_rows")
    request.refuse_unused("evidence")
    found = evidence.evaluations(threshold=request.threshold, level=request.level_used, seed=request.seed_used)
    return found if request.card is None else Evaluations(with_cards(dict(found), request.card), found.together)


def evaluations_of(reading: Reading | Reduction, request: Request) -> Evaluations:
    """The same from predictions that have been read, or from what is known of rows that stay where they lie."""
    threshold, level, seed = request.threshold, request.level_used, request.seed_used
    if isinstance(reading, Reduction):
        return _of_reduction(reading, request)
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


def _of_reduction(reduction: Reduction, request: Request) -> Evaluations:
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


def _read(data: Any, request: Request, shape: Shape | None = None, *, lacking: bool = False) -> Reading | Reduction:
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
