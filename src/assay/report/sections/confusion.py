"""The confusion matrix: who was called what."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.evaluation import Evaluation
from assay.evidence import ConfusionMatrix
from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections._rows import decisions_by
from assay.report.words import count, model_names, percent, shortened

__all__ = ["confusion"]

# What the four cells of two classes are called, by (is positive, was called positive).
NAMES = {(True, True): "hits", (True, False): "misses", (False, True): "false alarms", (False, False): "rightly passed"}


def confusion(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One matrix a model, the positive class first."""
    names = model_names(models)
    blocks: list[Block] = []
    for key, ev in models.items():
        if ev.matrix is None:
            continue
        if names[key]:
            blocks.append(Heading(names[key], 3))
        blocks.append(_grid(ev.matrix))
        if ev.positive is not None:
            blocks.append(Sentence(_finding(ev.matrix)))
    if not blocks:
        return None
    title, threshold = decisions_by(models)
    return [Heading(f"Confusion matrix {title[0].lower()}{title[1:]} {threshold}".strip()), *blocks]


def _grid(matrix: ConfusionMatrix) -> Grid:
    is_binary = len(matrix.classes) == 2
    # Two classes are shown as textbooks do, the positive one first; labels unknown to truth stay last.
    rows = [1, 0] if is_binary else list(range(len(matrix.classes)))
    columns = [*rows, *range(len(rows), len(matrix.decisions))]
    return Grid(
        corner="True class",
        across="Called",
        columns=tuple(shortened(matrix.decisions[j], 16) for j in columns),
        rows=tuple(
            (
                Cell(shortened(matrix.classes[i], 16), f"{count(float(matrix.actual[i]))} cases"),
                tuple(_cell(matrix, i, j, is_binary=is_binary) for j in columns),
            )
            for i in rows
        ),
        is_matrix=True,
    )


def _cell(matrix: ConfusionMatrix, i: int, j: int, *, is_binary: bool) -> Cell:
    cases, whole = float(matrix.counts[i, j]), float(matrix.actual[i])
    share = f"{percent(cases / whole)} of row" if whole else ""
    name = NAMES[i == 1, j == 1] if is_binary and j < 2 else ""
    return Cell(count(cases), ", ".join(word for word in (name, share) if word), is_match=i == j)


def _finding(matrix: ConfusionMatrix) -> str:
    positives, flagged = float(matrix.positives), float(np.sum(matrix.counts[:, 1]))
    missed = f"{count(float(matrix.fn))} of {count(positives)} positives are missed" if positives else "No positives"
    wrong = f"{count(float(matrix.fp))} of {count(flagged)} flags are wrong" if flagged else "nothing is flagged"
    return f"{missed}; {wrong}."
