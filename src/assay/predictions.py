"""Predictions: what one classifier said about cases whose truth is known, checked once and frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError

__all__ = ["Predictions"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Class codes with a score, a decision or both for every case; nothing behind this border checks again.

    `classes` are the names behind the codes, the positive class last. `truth[i]` is the class of case i, `score[i]` how
    strongly it was taken for the positive class, `decision[i]` the label it was given: a code into `decisions`, which
    are the classes followed by any label that never occurs in truth.

    >>> p = Predictions(("ham", "spam"), np.array([0, 1, 1]), score=np.array([0.1, 0.4, 0.9]))
    >>> p
    Predictions(3 cases of 'ham', 'spam'; positive 'spam'; with score)
    >>> Predictions(("ham", "spam"), np.array([0, 1]), score=np.array([0.1, np.nan]))
    Traceback (most recent call last):
    assay.errors.InputError: row 2: the score is nan; needed: a finite number for every case; pass missing='drop'
    """

    classes: tuple[str, ...]
    truth: NDArray[np.integer]
    score: NDArray[np.float64] | None = None
    decision: NDArray[np.integer] | None = None
    decisions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.truth) == 0:
            raise InputError("there are no cases", "at least one row with a truth and a prediction")
        if self.score is None and self.decision is None:
            raise InputError("there is neither a score nor a predicted label", "at least one of them")
        if not self.decisions:
            object.__setattr__(self, "decisions", self.classes)
        if self.score is not None:
            self._check_length("scores", len(self.score))
            _check_finite(self.score)
            object.__setattr__(self, "score", _frozen(self.score))
        if self.decision is not None:
            self._check_length("predicted labels", len(self.decision))
            object.__setattr__(self, "decision", _frozen(self.decision))
        object.__setattr__(self, "truth", _frozen(self.truth))

    def __len__(self) -> int:
        return len(self.truth)

    def __repr__(self) -> str:
        names = ", ".join(repr(name) for name in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        positive = f"; positive {self.positive!r}" if self.positive is not None else ""
        kinds = [k for k, v in {"score": self.score, "decision": self.decision}.items() if v is not None]
        cases = "1 case" if len(self) == 1 else f"{len(self):,} cases"
        return f"Predictions({cases} of {names}{positive}; with {' and '.join(kinds)})"

    @property
    def positive(self) -> str | None:
        """The class that scores point to, where there are two classes."""
        return self.classes[-1] if len(self.classes) == 2 else None

    def _check_length(self, what: str, length: int) -> None:
        if length != len(self.truth):
            raise InputError(
                f"there are {len(self.truth):,} true classes but {length:,} {what}", "as many of one as of the other"
            )


def _check_finite(score: NDArray[np.float64]) -> None:
    finite = np.isfinite(score)
    if finite.all():
        return
    row = int(finite.argmin())
    value = "nan" if np.isnan(score[row]) else "infinite"
    fix = {"missing": "drop"} if value == "nan" else {}
    raise InputError(f"row {row + 1:,}: the score is {value}", "a finite number for every case", fix)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
