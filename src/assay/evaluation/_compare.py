"""The way in to a comparison: from whatever holds several classifiers' predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

import numpy as np

from assay.errors import InputError, OptionError
from assay.evaluation._comparison import Comparison
from assay.evaluation._evaluate import evaluated, evaluations_of
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._reduce import Evidence, evidence_at
from assay.evaluation._several import Evaluations
from assay.request import CompareOptions, Request, front_door
from assay.sources.engines import refuse_beyond_memory
from assay.sources.model_join import from_joined

__all__ = ["compare", "compared", "paired"]


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
    >>> cmp.who_was_right("a", "b")
    both right 45 · only the first 15 · only the second 0 · both wrong 0
    """
    return compared(y_true, Request.of({**options, "y_score": y_score}))


def compared(data: Any, request: Request) -> Comparison:
    """The comparison of every model in a source, as requested."""
    if isinstance(data, Mapping) and data and all(isinstance(ev, Evaluation) for ev in data.values()):
        request.refuse_unused("evaluations")
        return _checked(_as_asked(Evaluations(data), request))
    evidence = data if isinstance(data, Evidence) else evidence_at(data)
    if evidence is not None:
        return _of_evidence(evidence, request)
    if _are_files(data, request):
        request.refuse_unused("files")
        return _joined(data, request)
    models = evaluated(data, request, lacking=True)
    source = next(iter(models.values())).source
    if next(iter(models.values())).rows is None:
        return _without_rows(models)
    cmp = Comparison(models, level=request.level_used, seed=request.seed_used)
    if "model" not in source.columns:
        return _checked(cmp)
    if _is_path(data) and str(data) != "-" and (request.id or "id" in (*source.design, *source.columns)):
        return _joined([data], request)
    if request.missing == "pairwise":
        found = "missing is 'pairwise', each row is of one model, and nothing tells which rows are the same case"
        raise OptionError(found, "a file with a column id, or a column of scores for each model", about="missing")
    return _checked(replace(cmp, matched_by="order of the rows"))


def _without_rows(models: Evaluations) -> Comparison:
    """The comparison of models whose rows stay where they lie, from sums over them."""
    if len(models) < 2:
        raise InputError(f"there is one model ({', '.join(map(repr, models))})", "two models at least to compare")
    if models.together is None:
        columns = next(iter(models.values())).source.columns
        why = "each model has rows of its own" if "model" in columns else f"there are {len(models)} models"
        found = f"{why}, and the rows do not fit into memory"
        raise InputError(found, "one column of scores for each of at most 10 models there")
    return paired(models)


def _of_evidence(evidence: Evidence, request: Request) -> Comparison:
    """The comparison of models whose rows are elsewhere."""
    models = evaluated(evidence, request)
    if len(models) < 2:
        raise InputError("the evidence is of one model", "that of two at least, reduced together from the same rows")
    if models.together is None:
        found = "the evidence does not say what its models made of the same cases"
        raise InputError(found, "models reduced together, without least: assay.reduce(y_true, {'a': ..., 'b': ...})")
    return paired(models)


def paired(models: Evaluations) -> Comparison:
    """The comparison of evaluations that came from one source, where their rows are the same cases."""
    first = next(iter(models.values()))
    source = first.source
    if models.together is not None:
        return Comparison(models, level=first.level, seed=first.seed, together=models.together)
    if "model" not in source.columns:
        return _checked(Comparison(models, level=first.level, seed=first.seed))
    if "id" in (*source.design, *source.columns):
        raise InputError("the rows of the models may stand in another order", "assay compare, which matches them by id")
    return _checked(Comparison(models, matched_by="order of the rows", level=first.level, seed=first.seed))


def _is_path(data: Any) -> bool:
    return isinstance(data, str | PathLike)


def _are_files(data: Any, request: Request) -> bool:
    are_many = isinstance(data, Sequence) and not isinstance(data, str | bytes) and len(data) > 0
    arrays = (request.y_score, request.y_pred, request.y_proba)
    return are_many and all(values is None for values in arrays) and all(map(_is_path, data))


def _as_asked(models: Evaluations, request: Request) -> Comparison:
    """Evaluations as they are, but for the threshold, level and seed that were asked for."""
    level, seed = (_one_for_all(models, name, getattr(request, name)) for name in ("level", "seed"))
    moved = {name: ev if request.threshold is None else ev.at(request.threshold) for name, ev in models.items()}
    # What is as it was asked for stays the same object, with whatever it has worked out.
    settled = {
        name: ev if (ev.level, ev.seed) == (level, seed) else replace(ev, level=level, seed=seed)
        for name, ev in moved.items()
    }
    return Comparison(Evaluations(settled), level=level, seed=seed)


def _one_for_all(models: Evaluations, name: str, asked: Any) -> Any:
    held = {getattr(ev, name) for ev in models.values()} if asked is None else {asked}
    if len(held) > 1:
        known = ", ".join(f"{value:g}" for value in held)
        raise InputError(f"the evaluations differ in their {name}: {known}", "one for all", {name: max(held)})
    return held.pop()


def _joined(paths: Sequence[Any], request: Request) -> Comparison:
    for path in paths:
        refuse_beyond_memory(str(path), request)
    found = from_joined(paths, request)
    models = evaluations_of(found.reading, request)
    cmp = Comparison(models, level=request.level_used, seed=request.seed_used)
    return _checked(replace(cmp, unmatched=found.unmatched, matched_by="id"))


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
    if cmp.places is not None:
        _refuse_dependent(cmp)
    truths = [ev.predictions.truth for ev in evaluations if ev.predictions is not None]
    if cmp.places is None and not all(np.array_equal(truths[0], truth) for truth in truths[1:]):
        raise InputError(
            "the models' rows do not hold the same true classes in the same order",
            "a column id that tells which rows are the same case, in a file, or one column of scores for each model",
        )
    return cmp


def _refuse_dependent(cmp: Comparison) -> None:
    """How models that lack other cases vary together is known of independent cases only."""
    for ev in cmp.models.values():
        for role in ("cluster", "fold"):
            if ev.rows is not None and getattr(ev.rows, role) is not None:
                found = f"missing is 'pairwise', and rows have {role}s"
                raise InputError(found, f"rows without {role}s, or those that every model has", {"missing": "drop"})
