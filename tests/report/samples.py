"""Evaluations to report on, built from evidence: no randomness, so that snapshots never move."""

from __future__ import annotations

import numpy as np

from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.evidence import ClassScores, ConfusionMatrix, DecidedRows, ScoreTable
from assay.predictions import Predictions
from assay.sources import Source

SHA256 = "ab12" * 16

# Names that try to be more than names.
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"; drop table models; --',
    "</script></style></title><script>alert(1)</script>",
    "{{7*7}}{% raw %}",
    "=cmd|' /C calc'!A0",
    "\u202egnp.exe\u202c\u200f",
    "\x1b[31mred\x00\x07\r\n\tname",
    "$\\frac{1}{0}$ \\input{/etc/passwd} % # & _ ^ ~",
    "| a | `b` | **c** | @everyone https://evil.example |",
    "\ud800lone",
    "x" * 5000,
    "many words " * 500,
    "",
)


def scored(
    *,
    cases: int = 200,
    strength: float = 2.0,
    classes: tuple[str, str] = ("0", "1"),
    threshold: float | None = 0.5,
    level: float = 0.95,
    name: str = "predictions.csv",
    as_logits: bool = False,
) -> TwoClassEvaluation:
    """A quarter of positives whose logits lie `strength` higher; no randomness, so that snapshots never move."""
    place = np.arange(cases)
    is_positive = place % 4 == 0
    logit = 4 * ((place * 37 % 101) / 101 - 0.5) + strength * is_positive - 1.5
    table = ScoreTable.of(logit if as_logits else (1 / (1 + np.exp(-logit))).round(6), is_positive, classes)
    matrix = None if threshold is None else table.at(threshold)
    columns = {"truth": "target", "score": "score"}
    source = Source(name, "csv", rows=cases, columns=columns, sha256=SHA256)
    return TwoClassEvaluation(source=source, matrix=matrix, scores=table, threshold_used=threshold, level=level)


def many(classes: int = 4, cases: int = 160, *, names: tuple[str, ...] = ()) -> ManyClassEvaluation:
    """Probabilities of several classes, each case leaning towards its own; no randomness here either."""
    place = np.arange(cases)
    truth = place * 7 // 3 % classes
    lean = (place[:, None] * 37 + 11 * np.arange(classes)[None, :] * (place[:, None] % 7)) % 101 / 25
    lean[place, truth] += 2.0
    odds = np.exp(lean)
    probability = (odds / odds.sum(1, keepdims=True)).round(6)
    found = names or tuple(f"class {k}" for k in range(classes))
    predictions = Predictions(found, truth, probability=probability)
    scores = ClassScores.of(probability, truth, found)
    matrix = ConfusionMatrix.of(truth, scores.decided(), found)
    source = Source("predictions.csv", "csv", rows=cases, columns={"truth": "target"}, sha256=SHA256)
    return ManyClassEvaluation(source=source, matrix=matrix, rows=DecidedRows(predictions), class_scores=scores)


def labelled(matrix: ConfusionMatrix, rows: Predictions | None = None) -> Evaluation:
    """An evaluation of labels alone, or of decisions that someone made from rows."""
    kind = TwoClassEvaluation if len(matrix.classes) == 2 else ManyClassEvaluation
    source = Source("counts", "counts", rows=int(matrix.total))
    return kind(source=source, matrix=matrix, rows=None if rows is None else DecidedRows(rows))


def single_class() -> TwoClassEvaluation:
    """Scores of cases that are all negative."""
    table = ScoreTable.of([0.1, 0.2, 0.7, 0.4], [False] * 4)
    source = Source("one.csv", "csv", rows=4)
    return TwoClassEvaluation(source=source, matrix=table.at(0.5), scores=table, threshold_used=0.5)
