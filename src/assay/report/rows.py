"""The rows behind the cells of a confusion matrix, for a page that was asked to hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evaluation import Evaluation
from assay.evidence import DecidedRows, rows_behind
from assay.report.sections._pictures import movable
from assay.report.sections.confusion import most_confused
from assay.report.words import count, shortened
from assay.types import Floats

__all__ = ["MOST_LETTERS", "MOST_ROWS", "about_rows", "embedded_rows", "sureness"]

# Rows of one model that a page may hold.
MOST_ROWS = 5_000
# Letters of an id that are shown.
MOST_LETTERS = 60


def embedded_rows(models: Mapping[str, Evaluation]) -> list[dict[str, Any] | None]:
    """For each model with a confusion matrix its rows, those most surely wrong first; None where there are no rows."""
    numbers = movable(models)
    return [_of_one(ev, numbers.get(key)) for key, ev in models.items() if ev.matrix is not None]


def about_rows(models: Mapping[str, Evaluation]) -> str:
    """How many rows of how many the page holds, or why it holds none."""
    having = [ev.rows for ev in models.values() if ev.matrix is not None and ev.rows is not None]
    if not having:
        return "The rows behind the matrix are not here: there are counts or saved evidence, and no predictions."
    held, whole = sum(min(len(rows), MOST_ROWS) for rows in having), sum(map(len, having))
    some = "all" if held == whole else f"{count(held)} of"
    dropped = max(ev.source.dropped for ev in models.values())
    numbered = f" They are numbered without the {count(dropped)} left out." if dropped else ""
    called = "each with its id, " if any(rows.id is not None for rows in having) else ""
    said = f"{called}the most surely wrong first; this page holds {some} {count(whole)}.{numbered}"
    return f"Choose a cell to see the rows behind it, {said}"


def _of_one(ev: Evaluation, place: int | None) -> dict[str, Any] | None:
    rows, matrix = ev.rows, ev.matrix
    if rows is None or rows.decision is None or matrix is None:
        return None
    called = rows.decision
    sure, columns = sureness(rows, called)
    cell = rows.truth * len(matrix.decisions) + called
    # Right answers begin with the least sure one, wrong answers with the surest.
    wrongness = np.zeros(len(rows)) if sure is None else np.where(rows.truth == called, -sure, sure)
    kept = rows_behind(cell, wrongness, MOST_ROWS)
    return {
        "model": place,
        "n": len(rows),
        "classes": list(matrix.classes),
        "decisions": list(matrix.decisions),
        "pairs": most_confused(matrix) if len(matrix.classes) > 2 else [],
        "row": (kept + 1).tolist(),
        **({} if rows.id is None else {"id": [shortened(name, MOST_LETTERS) for name in rows.id[kept].tolist()]}),
        "truth": rows.truth[kept].tolist(),
        "called": called[kept].tolist(),
        **{name: values[kept].tolist() for name, values in columns.items()},
    }


def sureness(rows: DecidedRows, called: NDArray[np.integer]) -> tuple[Floats | None, dict[str, Floats]]:
    """How sure each label was, None where there are labels alone; and the columns of scores to show beside it.

    Of two classes that is the score of the positive one, which a page's script holds against its threshold.
    """
    if rows.score is not None:
        return np.where(called == 1, rows.score, -rows.score), {"score": rows.score}
    probability = rows.predictions.probability
    if probability is None:
        return None, {}
    place, columns = np.arange(len(rows)), probability.shape[1]
    # A label that truth never holds has no score.
    found = np.where(called < columns, probability[place, np.minimum(called, columns - 1)], np.nan)
    sure = np.nan_to_num(found)
    return sure, {"score": sure, "own": probability[place, rows.truth]}
