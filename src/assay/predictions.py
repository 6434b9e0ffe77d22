"""Predictions of one classifier for cases with known true labels, checked once and immutable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.types import Texts

__all__ = ["PER_CASE", "REJECTED", "WEIGHTS_NEEDED", "Predictions", "beyond_weights", "in_order"]

# What a case is called that was handed on instead of decided.
REJECTED = "rejected"

SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-12, 1e12
WEIGHTS_NEEDED = "0, or a number from 1e-12 to 1e12; only ratios of weights matter, so all can be rescaled"

# What a row can hold, and what a message calls many of it.
PER_CASE = {
    "truth": "true labels",
    "score": "scores",
    "probability": "rows of probabilities",
    "decision": "predicted labels",
    "weight": "weights",
    "count": "counts",
    "cluster": "clusters",
    "fold": "folds",
    "amount": "amounts at stake",
    "inclusion": "inclusion probabilities",
    "proxy": "proxy labels",
    "id": "ids",
}

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")


def in_order(names: Sequence[str]) -> list[str]:
    """Return names in the order in which scikit-learn puts its classes: numbers by size, others by spelling.

    >>> in_order(["10", "9"]), in_order(["b", "a"]), in_order(["True", "False"])
    (['9', '10'], ['a', 'b'], ['False', 'True'])
    """
    numeric = all(WHOLE_NUMBER.fullmatch(name) for name in names)
    return sorted(names, key=int) if numeric else sorted(names)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Class codes with scores, probabilities or predicted labels of every case, checked and immutable.

    `classes` are the names behind the codes; with two, the positive one comes last. `truth[i]` is the class of case i,
    `score[i]` how strongly it was taken for the positive class of two, `probability[i, k]` how strongly for class k of
    many, `decision[i]` the label it was given: a code into `decisions`, the classes followed by any label that never
    occurs in truth. Probabilities of two classes hold the score of the positive one, which is then set.

    The design says what the rows are: `weight` how much of the population a case stands for, `count` how many equal
    cases a row is, `cluster` which rows depend on one another, `fold` which of several fitted models predicted it.
    `amount` is what is at stake in a case, which only the risk chart asks for; it may be negative. `inclusion` is the
    chance that a row had of being labelled; with it, a truth of -1 is a row without a label. `proxy` is a cheap label
    of every row. `id` is what a row is called where it is shown; ids may repeat, and no number depends on them.

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
    probability: NDArray[np.float64] | None = None
    weight: NDArray[np.float64] | None = None
    count: NDArray[np.float64] | None = None
    cluster: NDArray[np.integer] | None = None
    fold: NDArray[np.integer] | None = None
    amount: NDArray[np.float64] | None = None
    id: Texts | None = None
    inclusion: NDArray[np.float64] | None = None
    proxy: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if len(self.truth) == 0:
            raise InputError("there are no cases", "at least one row with a true label and a prediction")
        if self.score is None and self.decision is None and self.probability is None:
            raise InputError("no scores or predicted labels are given", "at least one of them")
        if not self.decisions:
            object.__setattr__(self, "decisions", self.classes)
        for name, what in PER_CASE.items():
            values = getattr(self, name)
            if values is not None:
                self._check_length(what, len(values))
                object.__setattr__(self, name, _read_only(values))
        checks = {
            "score": _check_finite,
            "probability": _check_finite,
            "amount": _check_finite,
            "weight": _check_weights,
            "count": _check_weights,
            "inclusion": _check_inclusion,
            "proxy": _check_proxy,
        }
        for name, check in {**checks, "id": _check_ids}.items():
            if getattr(self, name) is not None:
                check(getattr(self, name), name)
        if self.score is None and self.probability is not None and len(self.classes) == 2:
            # Whoever reads the positive class's score need not ask in which of two forms it came.
            object.__setattr__(self, "score", self.probability[:, 1])

    @classmethod
    def checked(cls, classes: tuple[str, str], truth: NDArray[np.integer], score: NDArray[np.float64]) -> Predictions:
        """Codes and scores of two classes of which a border has seen already that they are as they must be.

        >>> Predictions.checked(("no", "yes"), np.array([0, 1]), np.array([0.2, 0.7]))
        Predictions(2 cases of 'no', 'yes'; positive 'yes'; with score)
        """
        made = object.__new__(cls)
        made.__dict__.update(classes=classes, truth=_read_only(truth), score=_read_only(score), decisions=classes)
        return made

    def __len__(self) -> int:
        return len(self.truth)

    def __repr__(self) -> str:
        names = ", ".join(repr(name) for name in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        positive = f"; positive {self.positive!r}" if self.positive is not None else ""
        kinds = [name for name in PER_CASE if name != "truth" and getattr(self, name) is not None]
        cases = "1 case" if len(self) == 1 else f"{len(self):,} cases"
        return f"Predictions({cases} of {names}{positive}; with {' and '.join(kinds)})"

    @property
    def positive(self) -> str | None:
        """The positive class, where there are two classes."""
        return self.classes[-1] if len(self.classes) == 2 else None

    def only(self, rows: NDArray[np.bool_]) -> Predictions:
        """Return the predictions of some rows; clusters and folds are renumbered.

        >>> folds = np.array([0, 1, 2])
        >>> p = Predictions(("no", "yes"), np.array([0, 1, 1]), score=np.array([0.1, 0.4, 0.9]), fold=folds)
        >>> p.only(np.array([True, False, True])).fold
        array([0, 1])
        """
        kept = {name: getattr(self, name)[rows] for name in PER_CASE if getattr(self, name) is not None}
        kept |= {name: _consecutive_codes(kept[name]) for name in ("cluster", "fold") if name in kept}
        return replace(self, **kept)

    def _check_length(self, what: str, length: int) -> None:
        if length != len(self.truth):
            raise InputError(
                f"there are {len(self.truth):,} true labels but {length:,} {what}", "one value of each per case"
            )


def _check_finite(values: NDArray[np.float64], name: str) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    row = int(finite.reshape(len(values), -1).all(1).argmin())
    is_nan = bool(np.isnan(values[row]).any())
    found = f"row {row + 1:,}: the {name} is {'nan' if is_nan else 'infinite'}"
    raise InputError(found, "a finite number for every case", {"missing": "drop"} if is_nan else {})


def _check_weights(values: NDArray[np.float64], name: str) -> None:
    """Weights are finite and not negative, counts whole as well, and some of them positive."""
    fits = np.isfinite(values) & (values >= 0)
    if name == "count":
        fits &= values == np.round(values)
    if not fits.all():
        row = int(fits.argmin())
        needed = "a number that is not negative" if name == "weight" else "a whole number that is not negative"
        raise InputError(f"row {row + 1:,}: the {name} is {values[row]:g}", needed)
    if bool((beyond := beyond_weights(values)).any()):
        row = int(beyond.argmax())
        raise InputError(f"row {row + 1:,}: the {name} is {values[row]:g}", WEIGHTS_NEEDED)
    if not values.sum() > 0:
        raise InputError(f"every {name} is zero", f"at least one positive {name}")


def _check_inclusion(values: NDArray[np.float64], name: str) -> None:
    """Refuse inclusion probabilities that are none, or too small for their weights to be reckoned with."""
    fits = (values >= SMALLEST_WEIGHT) & (values <= 1)
    if not fits.all():
        row = int(fits.argmin())
        found = f"row {row + 1:,}: the {name} probability is {values[row]:g}"
        raise InputError(found, "the inclusion probability of the row, above 0 and at most 1")


def _check_proxy(values: NDArray[np.float64], name: str) -> None:
    """Refuse proxy labels that are neither 0 and 1 nor probabilities."""
    fits = (values >= 0) & (values <= 1)
    if not fits.all():
        row = int(fits.argmin())
        raise InputError(f"row {row + 1:,}: the {name} label is {values[row]:g}", "0, 1 or a probability in every row")


def beyond_weights(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which weights are so large or so small that their squares, or sums of them, leave the range of numbers."""
    beyond: NDArray[np.bool_] = (values > LARGEST_WEIGHT) | ((values < SMALLEST_WEIGHT) & (values > 0))
    return beyond


def _check_ids(values: Texts, name: str) -> None:
    if values.dtype.kind not in "TU":
        raise InputError(f"every {name} is a {values.dtype}", f"a string for every case, such as {name}.astype(str)")
    missing = values == ""
    if missing.any():
        raise InputError(f"row {int(missing.argmax()) + 1:,}: the {name} is missing", "a string for every case")


def _consecutive_codes(codes: NDArray[np.integer]) -> NDArray[np.integer]:
    """Codes without gaps, in the same order."""
    places: NDArray[np.intp] = np.cumsum(np.bincount(codes) > 0) - 1
    renumbered: NDArray[np.integer] = places[codes]
    return renumbered


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
