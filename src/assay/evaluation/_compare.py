"""The way in to a comparison: from whatever holds several classifiers' predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.evaluation._comparison import Comparison
from assay.evaluation._evaluate import evaluate_models
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._make import evaluation_of
from assay.evaluation._several import Evaluations
from assay.sources import Choices
from assay.sources.joined import from_joined

__all__ = ["compare"]

JOINED_CHOICES = ("truth", "score", "pred", "positive", "model", "missing", "default_class", "ignore", "id", "keep_ids")
DESIGN = ("weight", "count", "cluster", "fold")


def compare(
    data: Any,
    y_score: Any = None,
    *,
    y_pred: Any = None,
    id: Any = None,  # noqa: A002 -- the column's own name
    keep_ids: bool | None = None,
    missing: str = "refuse",
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    **choices: Any,
) -> Comparison:
    """Several classifiers on the same cases, to be compared.

    `data` is the truth beside a mapping of names to scores (or to labels in `y_pred`); a DataFrame or file with several
    score columns or a column of model names; a list of files, joined by the column `id`; or evaluations by name. Where
    `id` is named, or `keep_ids` is true, rows are called by it where they are shown. With
    `missing="pairwise"` scores that are nan are left out model by model, and shared cases alone tie two together.

    >>> cmp = compare([0, 1] * 30, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
    >>> cmp.who_was_right("a", "b")
    both right 45 · only the first 15 · only the second 0 · both wrong 0
    """
    options: dict[str, Any] = {"threshold": threshold, "level": level, "seed": seed}
    choices |= {"id": id, "keep_ids": keep_ids}
    if isinstance(data, Mapping) and all(isinstance(ev, Evaluation) for ev in data.values()):
        return _checked(Comparison(Evaluations(data), level=level, seed=seed))
    if _are_files(data, y_score, y_pred):
        return _joined(data, {**choices, "missing": missing}, options)
    if missing == "pairwise":
        return _pairwise(data, y_score, choices, options)
    models = evaluate_models(data, y_score, y_pred=y_pred, missing=missing, **options, **choices)
    source = next(iter(models.values())).source
    if "model" not in source.columns:
        return _checked(Comparison(models, level=level, seed=seed))
    if isinstance(data, str | PathLike) and str(data) != "-" and (id or "id" in (*source.design, *source.columns)):
        return _joined([data], {**choices, "missing": missing}, options)
    return _checked(Comparison(models, matched_by="order of the rows", level=level, seed=seed))


def _are_files(data: Any, y_score: Any, y_pred: Any) -> bool:
    are_paths = isinstance(data, Sequence) and not isinstance(data, str | bytes) and len(data) > 0
    return are_paths and y_score is None and y_pred is None and all(isinstance(one, str | PathLike) for one in data)


def _joined(paths: Sequence[Any], chosen: Mapping[str, Any], options: Any) -> Comparison:
    if len(paths) == 1 and not isinstance(paths[0], str | PathLike):
        raise InputError("one file", "two at least, or one with several models")
    named = {k: v for k, v in chosen.items() if k in (*JOINED_CHOICES, *DESIGN) and v is not None}
    named["positive"] = None if named.get("positive") is None else str(named["positive"])
    found = from_joined(paths, Choices(**named))
    models = {
        name: evaluation_of(predictions, found.reading.source, **options)
        for name, predictions in found.reading.models.items()
    }
    cmp = Comparison(Evaluations(models), level=options["level"], seed=options["seed"])
    return _checked(replace(cmp, unmatched=found.unmatched, matched_by="id"))


def _pairwise(truth: Any, scores: Any, choices: Mapping[str, Any], options: Any) -> Comparison:
    """Each model on the cases it has scores for."""
    if not isinstance(scores, Mapping):
        raise InputError("missing is 'pairwise'", "arrays: the truth, and a mapping of names to scores")
    if any(choices.get(role) is not None for role in ("cluster", "fold")):
        raise InputError(
            "scores are missing pairwise, and rows have clusters or folds", "rows without them, or missing='drop'"
        )
    labels = np.asarray(truth)
    models: dict[str, Evaluation] = {}
    places = {}
    for name, values in scores.items():
        score = np.asarray(values, dtype=np.float64)
        if len(score) != len(labels):
            raise InputError(f"there are {len(labels):,} true classes but {len(score):,} scores", "as many of either")
        here = np.flatnonzero(~np.isnan(score))
        cut: dict[str, Any] = {
            role: np.asarray(values)[here]
            for role, values in choices.items()
            if role in ("weight", "count", "id") and values is not None
        }
        others = {role: value for role, value in choices.items() if role not in cut}
        models |= evaluate_models(labels[here], {name: score[here]}, **cut, **others, **options)
        places[str(name)] = here
    return _checked(Comparison(Evaluations(models), places, level=options["level"], seed=options["seed"]))


def _checked(cmp: Comparison) -> Comparison:
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
    truths = [ev.predictions.truth for ev in evaluations if ev.predictions is not None]
    if cmp.places is None and not all(np.array_equal(truths[0], truth) for truth in truths[1:]):
        raise InputError(
            "the models' rows do not hold the same true classes in the same order",
            "a column id that tells which rows are the same case, in a file, or one column of scores for each model",
        )
    return cmp
