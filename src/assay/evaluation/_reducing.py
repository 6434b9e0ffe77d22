"""From predictions to evidence that travels: of rows that were read, and of rows that were reduced where they lie."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from assay.errors import OptionError
from assay.evaluation._class_sums import class_sums
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._make import evaluation_of, evaluation_of_grouped
from assay.evaluation._many_classes import ManyClassEvaluation
from assay.evaluation._reduce import Evidence
from assay.evaluation._two_classes import TwoClassEvaluation
from assay.evaluation._without_rows import together_of
from assay.evidence import Binned, Contribution, JointCorrectness, Reduced, Shape
from assay.evidence.reduction import DEFAULT_BITS, DEFAULT_BITS_OF_SHOWN
from assay.predictions import Predictions
from assay.request import ReduceRequest, Request
from assay.sources import Grouped, Reading, Reduction, Source

__all__ = ["evidence_of", "evidence_of_reduction", "shape_of"]

# What depends on which rows belong together, which no sum knows.
BY = "{!r} parts the cases into subgroups"
DEPENDENT = {
    "cluster": "rows that depend on one another (clusters) cannot be told apart in evidence",
    "fold": "the folds of a cross-validation are judged one by one, and evidence puts them together",
    "amount": "amounts at stake belong to single cases, which evidence does not hold",
}


def evidence_of(reading: Reading, request: Request, asked: ReduceRequest) -> Evidence:
    """Predictions that were read, reduced as requested."""
    _refuse_what_cannot_travel(reading)
    shape = shape_of(asked)
    level, seed, models = request.level_used, request.seed_used, {}
    evaluations: dict[str, Evaluation] = {}
    for name, predictions in reading.models.items():
        ev = evaluations[name] = evaluation_of(predictions, reading.source, request.threshold, level, seed)
        models[name] = _reduced(ev, shape, is_threshold_given=request.threshold is not None)
    joint = _joint(reading, request.threshold) if len(models) > 1 else None
    digest = reading.source.sha256 or _digest(reading.models.values())
    # The cells of two models together are smaller still than those of either.
    are_same_rows = len(models) > 1 and "model" not in reading.source.columns
    both = together_of(evaluations) if are_same_rows and asked.least is None else None
    return Evidence((Contribution(asked.name or "", models, (digest,), joint, both),), reading.source.name)


def shape_of(asked: ReduceRequest) -> Shape:
    """How scores are to be put together."""
    bits = DEFAULT_BITS if asked.least is None else DEFAULT_BITS_OF_SHOWN
    kind: Any = asked.grid
    return Shape(bits if asked.bits is None else asked.bits, kind, asked.exact, asked.least or 1)


def evidence_of_reduction(found: Reduction, request: Request, asked: ReduceRequest) -> Evidence:
    """Predictions that were reduced where they lie, in cells of the shape that was asked for."""
    shape = shape_of(asked)
    if found.by is not None:
        raise OptionError(BY.format(found.by), "each subgroup reduced by itself")
    if "cluster" in found.source.columns:
        raise _cannot_travel("cluster", found.source)
    every = [known.binned for model in found.models.values() for known in model.scores]
    if shape.is_exact or any(binned.grid.bits != shape.bits for binned in every):
        said = f"exact is given, and the rows of {found.source.name!r} do not fit into memory"
        said = said if shape.is_exact else f"{found.source.name!r} is reduced on another grid where it lies"
        raise OptionError(said, "cells of scores, or memory for the rows", about="exact")
    models = {name: _of_grouped(model, found.source, shape, request) for name, model in found.models.items()}
    digest = found.source.sha256 or _digest_of_cells(every, found.models.values())
    return Evidence((Contribution(asked.name or "", models, (digest,)),), found.source.name)


def _of_grouped(model: Grouped, source: Source, shape: Shape, request: Request) -> Reduced:
    ev = evaluation_of_grouped(model, source, request.threshold, request.level_used, request.seed_used)
    used = ev.threshold_used if isinstance(ev, TwoClassEvaluation) else None
    matrix = None if ev.matrix is None else replace(ev.matrix, ends=None)
    scores = tuple(shape.shown(known.binned) for known in model.scores)
    cases, is_given = tuple(model.cases.values()), request.threshold is not None
    sums = None if model.sums is None else model.sums.shown(shape.fewest, cases)
    return Reduced(tuple(model.cases), cases, matrix, scores, used, is_given, sums)


def _digest_of_cells(every: Iterable[Binned], models: Iterable[Grouped]) -> str:
    """The hash of what rows of no single file were put together to."""
    digest = hashlib.sha256()
    for binned in every:
        for values in (binned.cell, binned.negative, binned.positive, binned.least, binned.greatest):
            digest.update(np.ascontiguousarray(values, dtype=np.float64).tobytes())
    for model in models:
        digest.update(repr(sorted(model.cases.items())).encode("utf-8", "backslashreplace"))
        if model.matrix is not None:
            digest.update(np.ascontiguousarray(model.matrix.counts).tobytes())
    return digest.hexdigest()


def _reduced(ev: Evaluation, shape: Shape, *, is_threshold_given: bool) -> Reduced:
    assert ev.rows is not None
    if isinstance(ev, TwoClassEvaluation):
        found = Reduced.of(ev.rows, () if ev.scores is None else (ev.scores,), ev.matrix, shape)
        return replace(found, is_threshold_given=is_threshold_given)
    scores = cast("ManyClassEvaluation", ev).class_scores
    if scores is None:
        return Reduced.of(ev.rows, (), ev.matrix, shape)
    tables = tuple(scores.against_rest(k) for k in range(len(ev.classes)))
    found = Reduced.of(ev.rows, tables, ev.matrix, shape)
    if shape.is_exact:
        return replace(found, sums=class_sums(scores, tables))
    grid = next(each.grid for each in found.scores if isinstance(each, Binned))
    sums = class_sums(scores, found.scores, lambda table: Binned.from_table(table, grid))
    return replace(found, sums=sums.shown(shape.fewest, found.cases))


def _joint(reading: Reading, threshold: float | None) -> JointCorrectness | None:
    """Who was right together, where every model has the same rows and decided about them."""
    if "model" in reading.source.columns:
        return None
    decided = [
        evaluation_of(predictions, reading.source, threshold, 0.95, 0).rows for predictions in reading.models.values()
    ]
    if any(rows is None or rows.decision is None for rows in decided):
        return None
    right = np.stack([rows.decision == rows.truth for rows in decided if rows is not None], axis=1)
    first = next(iter(reading.models.values()))
    return JointCorrectness.of(right, tuple(reading.models), weight=first.weight, count=first.count)


def _refuse_what_cannot_travel(reading: Reading) -> None:
    if reading.by is not None:
        raise OptionError(BY.format(reading.by.column), "each subgroup reduced by itself")
    for name in DEPENDENT:
        if any(getattr(predictions, name) is not None for predictions in reading.models.values()):
            raise _cannot_travel(name, reading.source)


def _cannot_travel(name: str, source: Source) -> OptionError:
    column = source.columns.get(name)
    options = {"ignore": column} if isinstance(column, str) else None
    return OptionError(DEPENDENT[name], "rows without it, or what is made of all rows at once: assay evaluate", options)


def _digest(models: Iterable[Predictions]) -> str:
    """The hash of rows that came from no file: the same rows make the same one."""
    digest = hashlib.sha256()
    for rows in models:
        digest.update("\0".join((*rows.classes, *rows.decisions)).encode("utf-8", "backslashreplace"))
        for values in (rows.truth, rows.score, rows.probability, rows.decision, rows.weight, rows.count):
            digest.update(b"\0" if values is None else np.ascontiguousarray(values, dtype=np.float64).tobytes())
    return digest.hexdigest()
