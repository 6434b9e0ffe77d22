"""How sure answers by the scores of many classes are, row by row, as expressions that every engine can compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.evidence.multiclass import ANSWERS

__all__ = ["answer_column", "right_column", "with_answers", "with_given"]


def answer_column(scores: Sequence[str], answer: str) -> str:
    """What one of the answers of a model with such columns is called."""
    return f"{answer}_{scores[0]}"


def right_column(scores: Sequence[str]) -> str:
    """What is called 1 where the highest of such columns is that of the true class."""
    return f"right_{scores[0]}"


def with_answers(rows: Any, scores: Sequence[str]) -> Any:
    """The rows with how sure the answer by some columns was, and whether it was right; `code` is the true class."""
    import narwhals as nw

    col = nw.col
    rows = _with_best(with_given(rows, scores), scores)
    is_right = col("called") == col("code")
    lead = nw.when(is_right).then(col("best") - col("second")).otherwise(col("best") - col("given"))
    found = dict(zip(ANSWERS, (col("best"), col("best") - col("second"), lead), strict=True))
    right = nw.when(is_right).then(nw.lit(1, nw.Int64)).otherwise(nw.lit(0, nw.Int64))
    named = {answer_column(scores, answer): each for answer, each in found.items()}
    rows = rows.with_columns(**named, **{right_column(scores): right})
    return rows.drop("best", "second", "called", "given")


def with_given(rows: Any, scores: Sequence[str]) -> Any:
    """The rows with what each was given for its true class."""
    import narwhals as nw

    given: Any = nw.col(scores[0])
    for code, score in enumerate(scores[1:], 1):
        given = nw.when(nw.col("code") == code).then(nw.col(score)).otherwise(given)
    return rows.with_columns(given=given)


def _with_best(rows: Any, scores: Sequence[str]) -> Any:
    """The rows with their highest score, the second, and the class that is called: the first of them in a tie."""
    import narwhals as nw

    col, lit = nw.col, nw.lit
    first, second = col(scores[0]), col(scores[1])
    is_more = second > first
    rows = rows.with_columns(
        best=nw.when(is_more).then(second).otherwise(first),
        second=nw.when(is_more).then(first).otherwise(second),
        called=nw.when(is_more).then(lit(1, nw.Int64)).otherwise(lit(0, nw.Int64)),
    )
    for code, score in enumerate(scores[2:], 2):
        is_more, is_next = col(score) > col("best"), col(score) > col("second")
        runner = (
            nw.when(is_more).then(col("best")).otherwise(nw.when(is_next).then(col(score)).otherwise(col("second")))
        )
        rows = rows.with_columns(
            best=nw.when(is_more).then(col(score)).otherwise(col("best")),
            second=runner,
            called=nw.when(is_more).then(lit(code, nw.Int64)).otherwise(col("called")),
        )
    return rows
