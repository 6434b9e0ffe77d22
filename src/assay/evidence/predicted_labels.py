"""Decided rows: what each case is and what it was called. How a row becomes a decision is said here alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.multiclass import highest_class
from assay.predictions import Predictions
from assay.types import Codes, Floats, Texts


@dataclass(frozen=True, eq=False, repr=False)
class DecidedRows:
    """Every case with its truth, its score, and the label it was given, as a code into `decisions`.

    A threshold calls positive what scores at least as much. Without one the labels that were given count; without
    labels the class with the highest score of many, the first of them in a tie. Scores of two classes decide nothing by
    themselves, so that there `decision` is None.

    Codes are made when they are first asked for and kept: at a million rows a confusion matrix comes faster from the
    sorted scores (`ScoreTable.at`), and shows the same.

    >>> score = np.array([0.2, 0.7, 0.6])
    >>> rows = DecidedRows(Predictions(("no", "yes"), np.array([0, 1, 0]), score=score), threshold=0.6)
    >>> rows
    DecidedRows(3 cases, by threshold 0.6)
    >>> rows.decision.tolist(), rows.decisions
    ([0, 1, 1], ('no', 'yes'))
    """

    predictions: Predictions
    threshold: float | None = None
    # Where one of many classes stands against the rest: the rows of all of them, decided first, and its code there.
    within: tuple[DecidedRows, int] | None = None

    def __len__(self) -> int:
        return len(self.predictions)

    def __repr__(self) -> str:
        cases = "1 case" if len(self) == 1 else f"{len(self):,} cases"
        how = f"by threshold {self.threshold:g}" if self.threshold is not None else f"by {self.decided_by}"
        return f"DecidedRows({cases}, {how if self.decided_by else 'undecided'})"

    @property
    def decided_by(self) -> Literal["threshold", "labels", "highest score"] | None:
        """What made the decisions; None where nothing did."""
        if self.threshold is not None:
            return "threshold"
        if self.within is not None:
            return self.within[0].decided_by
        if self.predictions.decision is not None:
            return "labels"
        return "highest score" if len(self.classes) > 2 and self.predictions.probability is not None else None

    @cached_property
    def decision(self) -> Codes | None:
        """The label of every case as a code into `decisions`; None where nothing decided."""
        if self.threshold is not None:
            assert self.score is not None
            return (self.score >= self.threshold).astype(np.intp)
        if self.within is not None:
            rows, code = self.within
            return None if rows.decision is None else (rows.decision == code).astype(np.intp)
        if self.predictions.decision is None and self.decided_by is not None:
            assert self.predictions.probability is not None
            return highest_class(self.predictions.probability, self.classes)
        return self.predictions.decision

    @property
    def decisions(self) -> tuple[str, ...]:
        """What the codes stand for: the classes, and where labels were given any that truth never holds."""
        is_given = self.threshold is None and self.within is None
        return self.predictions.decisions if is_given else self.classes

    def matrix(self) -> ConfusionMatrix | None:
        """The confusion matrix counted case by case; None where nothing decided."""
        if self.decision is None:
            return None
        return ConfusionMatrix.of(self.truth, self.decision, self.classes, self.decisions, **self.design)

    def at(self, threshold: float) -> DecidedRows:
        """The same cases, called positive from a threshold on."""
        return DecidedRows(self.predictions, threshold, self.within)

    def only(self, rows: NDArray[np.bool_]) -> DecidedRows:
        """Some of the cases, decided as all of them are; clusters and folds are numbered anew."""
        within = None if self.within is None else (self.within[0].only(rows), self.within[1])
        return DecidedRows(self.predictions.only(rows), self.threshold, within)

    def against(self, code: int, classes: tuple[str, str]) -> DecidedRows:
        """One of many classes against the rest; folds are left out, as they are in the measures of one class.

        >>> p = Predictions(tuple("abc"), np.array([0, 1]), probability=np.array([[0.5, 0.3, 0.2], [0.4, 0.3, 0.3]]))
        >>> rows = DecidedRows(p).against(0, ("rest", "a"))
        >>> rows.decision.tolist(), rows.at(0.5).decision.tolist(), rows.decided_by
        ([1, 1], [1, 0], 'highest score')
        """
        rows = self.predictions
        truth = (rows.truth == code).astype(np.intp)
        score = None if rows.probability is None else rows.probability[:, code]
        given = None if rows.decision is None else (rows.decision == code).astype(np.intp)
        kept = {role: getattr(rows, role) for role in ("weight", "count", "cluster", "id")}
        return DecidedRows(Predictions(classes, truth, score, given, **kept), within=(self, code))

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names, the positive one of two last."""
        return self.predictions.classes

    @property
    def truth(self) -> Codes:
        """The true class of every case."""
        return self.predictions.truth

    @property
    def score(self) -> Floats | None:
        """How strongly each case was taken for the positive class of two, where there are scores."""
        return self.predictions.score

    @property
    def design(self) -> dict[str, Any]:
        """Weights, counts and clusters, by name: what evidence takes into account."""
        return {"weight": self.weight, "count": self.count, "cluster": self.cluster}

    @property
    def weight(self) -> Floats | None:
        """How much of the population each case stands for."""
        return self.predictions.weight

    @property
    def count(self) -> Floats | None:
        """How many equal cases each row is."""
        return self.predictions.count

    @property
    def cluster(self) -> Codes | None:
        """Which rows depend on one another."""
        return self.predictions.cluster

    @property
    def fold(self) -> Codes | None:
        """Which of several fitted models predicted each case."""
        return self.predictions.fold

    @property
    def amount(self) -> Floats | None:
        """What is at stake in each case, which the risk chart alone asks for."""
        return self.predictions.amount

    @property
    def id(self) -> Texts | None:
        """What each row is called where it is shown."""
        return self.predictions.id
