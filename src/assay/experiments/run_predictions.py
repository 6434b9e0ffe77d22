"""What a fitted model says of the cases it learned from, and of those set aside to choose on.

Of the training part a few figures are stored, and its predictions where the plan has one split: those of many splits
would be most of the store. Of a validation part the predictions are stored, since learners are chosen by them.

What a cell says of the cases it tested, beside what is true of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.evaluation import evaluate
from assay.evidence import ConfusionMatrix
from assay.experiments.containers import ADDRESS
from assay.experiments.database import CELL, PART, PredictedRows, as_held, checksum_of, sqlalchemy, tables
from assay.experiments.estimates import fold_value, measure_of
from assay.measures import Measure, registry, registry_of_many
from assay.predictions import REJECTED, Predictions


def rows_about(packed: bytes, classes: tuple[str, ...], target: NDArray[np.int64]) -> PredictedRows:
    """The predictions of a cell, if they can be about this data set."""
    rows = PredictedRows.unpacked(packed)
    if not rows.fits(len(target), len(classes)):
        found = "the predictions of a run in the store do not belong to its data set"
        raise InputError(found, "the study resumed, or run into a new store")
    return rows


def as_predictions(rows: PredictedRows, classes: tuple[str, ...], target: NDArray[np.int64]) -> Predictions:
    """The same as evaluations take it; two classes have one score, and what was handed on is a decision of its own."""
    score, probability = rows.score, rows.probability
    if probability is not None and len(classes) == 2:
        score, probability = probability[:, 1], None
    truth = target[rows.rows]
    decision = rows.label.astype(np.int64)
    decisions = (*classes, REJECTED) if (decision == len(classes)).any() else classes
    return Predictions(classes, truth, score=score, probability=probability, decision=decision, decisions=decisions)


def pooled_rows(parts: Sequence[Predictions]) -> Predictions:
    """What the models of several folds said, together; each fold is known as one where there are several."""
    together: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("truth", "score", "decision", "probability")
        if all(getattr(part, name) is not None for part in parts)
    }
    fold = np.repeat(np.arange(len(parts)), [len(part) for part in parts]) if len(parts) > 1 else None
    if "score" in together and _labels_match_default_threshold(together["decision"], together["score"]):
        del together["decision"]  # a threshold says as much, and can be moved
    decisions = max((part.decisions for part in parts), key=len) if "decision" in together else ()
    return Predictions(parts[0].classes, **together, decisions=decisions, fold=fold)


def _labels_match_default_threshold(decision: NDArray[np.integer], score: NDArray[np.float64]) -> bool:
    """Whether labels are simply those of probabilities of one half or more."""
    return bool(score.min() >= 0 and score.max() <= 1 and ((score >= 0.5) == decision).all())


TRAIN, VALIDATION, TEST = "train", "validation", "test"
CHUNK = 200


@dataclass(frozen=True)
class JudgedPart:
    """One part of a cell that is not tested on: how many cases, figures as JSON, predictions where they are kept."""

    part: str
    cases: int
    figures: str | None = None
    predictions: bytes | None = None


def training_part(
    said: PredictedRows,
    target: NDArray[np.int64],
    classes: int,
    *,
    with_predictions: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> JudgedPart:
    """Return the figures of a training part: its confusion matrix and measures of scores; on request the predictions.

    `settings` are those that a search chose there.

    >>> sure = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    >>> rows = PredictedRows(np.arange(4), np.array([0, 1, 1, 1]), probability=sure)
    >>> part = training_part(rows, np.array([0, 0, 1, 1]), 2)
    >>> training_value(part.figures, "accuracy", ("no", "yes")), training_value(part.figures, "roc_auc", ("no", "yes"))
    (0.75, 0.75)
    """
    # One column more where the learner handed cases on.
    matrix = np.zeros((classes, max(classes, int(said.label.max(initial=0)) + 1)), dtype=np.int64)
    np.add.at(matrix, (target[said.rows], said.label), 1)
    figures: dict[str, Any] = {"matrix": matrix.tolist()}
    names = tuple(str(code) for code in range(classes))
    # A sample that lost a class cannot be judged by scores, nor one in which every case is of one class.
    if (said.score is not None or said.probability is not None) and (matrix.sum(1) > 0).all():
        ev = evaluate(as_predictions(said, names, target))
        known = {name: fold_value(ev, name) for name in of_scores(classes)}
        figures |= {name: value for name, value in known.items() if math.isfinite(value)}
    if settings is not None:
        figures["settings"] = {name: _json_setting(value) for name, value in settings.items()}
    return JudgedPart(TRAIN, len(said.rows), json.dumps(figures), said.packed() if with_predictions else None)


def _json_setting(value: Any) -> Any:
    """A setting as JSON holds it: itself, or how it prints."""
    plain = value.item() if isinstance(value, np.generic) else value
    is_plain = plain is None or isinstance(plain, str | bool | int)
    return plain if is_plain or (isinstance(plain, float) and math.isfinite(plain)) else ADDRESS.sub("", repr(plain))


def settings_in(figures: str | None) -> dict[str, Any] | None:
    """The settings that a search chose in a cell, as they are kept; None where it was no search."""
    found = None if figures is None else json.loads(figures).get("settings")
    return found if isinstance(found, dict) else None


def validation_part(said: PredictedRows) -> JudgedPart:
    """The predictions of a validation part."""
    return JudgedPart(VALIDATION, len(said.rows), None, said.packed())


def training_value(figures: str | None, measure: str | Measure, classes: tuple[str, ...]) -> float:
    """A measure on a training part, by what is kept of it; nan where that does not tell."""
    if figures is None:
        return math.nan
    held, wanted = json.loads(figures), measure_of(measure, len(classes))
    if needs_scores(wanted):
        return float(held.get(wanted.name, math.nan))
    counts = np.asarray(held["matrix"], dtype=np.float64)
    decisions = classes if counts.shape[1] == len(classes) else (*classes, REJECTED)
    return float(wanted(ConfusionMatrix(counts, classes, decisions)))


def needs_scores(measure: Measure) -> bool:
    """Whether a confusion matrix is not enough for a measure."""
    return not issubclass(measure.needs, ConfusionMatrix)


def of_scores(classes: int) -> list[str]:
    """The measures for which a confusion matrix is not enough, as far as they are always computed."""
    known = registry if classes == 2 else registry_of_many
    return [name for name, measure in known.items() if needs_scores(measure)]


def keep_parts(connection: Any, study: str, key: str, parts: Iterable[JudgedPart]) -> None:
    """Write the parts of a cell in the place of whatever was kept of it before."""
    sa, held = sqlalchemy(), tables()["parts"]
    connection.execute(sa.delete(held).where(held.c.study == study, held.c.key == key))
    for part in parts:
        row = {"key": key, **vars(part)}
        connection.execute(sa.insert(held).values(study=study, **row, checksum=checksum_of(row)))


def kept_parts(
    connection: Any, study: str, part: str, most: int | None = None, **equal: Any
) -> Sequence[Mapping[str, Any]]:
    """What is kept of one part of the cells that are done; nothing in the store of an earlier release."""
    sa, held, cells = sqlalchemy(), tables()["parts"], tables()["cells"]
    of = [held.c.study == study, held.c.part == part, cells.c.study == study, cells.c.key == held.c.key]
    of += [sa.func.coalesce(cells.c.stale, sa.literal(False)) == sa.literal(False)]
    of += [cells.c[name] == value for name, value in {**equal, "status": "done"}.items()]
    query = sa.select(*(as_held(held.c[name]) for name in PART)).where(*of).limit(most)
    found: Sequence[Mapping[str, Any]] = (
        connection.execute(query).mappings().all() if _has_parts_table(connection) else []
    )
    return found


def of_damaged_parts(connection: Any, study: str, known: set[str]) -> list[Mapping[str, Any]]:
    """Cells, beside those known to be damaged, of which what was said of other parts is not as it was written."""
    if not _has_parts_table(connection):
        return []
    sa, cells, held = sqlalchemy(), tables()["cells"], tables()["parts"]
    query = sa.select(*map(as_held, (*(held.c[name] for name in PART), held.c.checksum))).where(held.c.study == study)
    rows = connection.execute(query, execution_options={"yield_per": CHUNK}).mappings()
    keys = {row["key"] for row in rows if row["checksum"] != checksum_of({name: row[name] for name in PART})} - known
    if not keys:
        return []
    columns = [cells.c[name] for name in ("key", *CELL[:4], "status", "finished", "checksum")]
    of_keys = sa.select(*map(as_held, columns)).where(cells.c.study == study, cells.c.key.in_(keys))
    return [dict(row) for row in connection.execute(of_keys).mappings()]


def _has_parts_table(connection: Any) -> bool:
    return bool(sqlalchemy().inspect(connection).has_table(tables()["parts"].name))
