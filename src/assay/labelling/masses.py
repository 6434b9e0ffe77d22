"""Label masses: how much each row counts as a positive where only some rows are labelled, with known chances.

A labelled row counts m + f w (y - m), a row without a label m: the working model m decides how narrow the limits are,
and the weighted residuals correct it wherever it is wrong (the difference estimator of survey sampling).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from assay.types import Codes, Floats

# Probabilities of the working model stay this far from 0 and 1, and so do the scores that it starts from.
CLIP = 1e-6
# What the working model pays for leaving the scores as they are: a slope of 1, an intercept of 0, no use of a proxy.
SLOPE_PENALTY, INTERCEPT_PENALTY, PROXY_PENALTY = 1.0, 0.25, 0.1
MOST_STEPS, SMALLEST_STEP = 60, 1e-10


class RowOrder(NamedTuple):
    """Rows from the lowest score up: their places, where each distinct score starts, and which one each row has."""

    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    position: NDArray[np.intp]

    @classmethod
    def of(cls, score: Floats) -> RowOrder:
        """Return the ranking of some scores.

        >>> RowOrder.of(np.array([0.7, 0.2, 0.7])).position.tolist()
        [1, 0, 1]
        """
        order = np.argsort(score, kind="stable")
        ordered = score[order]
        is_new = np.append(True, ordered[1:] != ordered[:-1])
        position = np.empty(len(score), np.intp)
        position[order] = np.cumsum(is_new) - 1
        return cls(order, np.flatnonzero(is_new), position)

    def sums(self, values: Floats) -> Floats:
        """Return the sum of some values at each distinct score."""
        return np.asarray(np.add.reduceat(values[self.order], self.starts))

    def of_rows(self, at_scores: Floats) -> Floats:
        """Return for each row what stands at its score."""
        return np.asarray(at_scores[self.position])


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows of which some have a label: 1, 0, or nan where there is none, with the chance each had of getting one.

    `score` orders the rows, `called` says which are predicted positive, `model` is the chance that a row is positive
    as far as is known; without one it is fitted to the labels. `proxy` is a cheap label of every row.

    >>> rows = LabelledRows(
    ...     np.array([1, 0, np.nan, np.nan]), np.full(4, 0.5), called=np.array([True, False, True, False])
    ... )
    >>> rows.labels, rows.weight.tolist()
    (2, [2.0, 2.0, 2.0, 2.0])
    """

    label: Floats
    inclusion: Floats
    score: Floats | None = None
    called: NDArray[np.bool_] | None = None
    model: Floats | None = None
    proxy: Floats | None = None
    # The score of a second model, where two are compared: then the working model reads both.
    other_score: Floats | None = None
    # Whether the scores are probabilities, which the working model starts from; else it starts from their ranks.
    has_probabilities: bool = True
    # What was estimated from these rows, by name.
    known: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.label)

    @cached_property
    def drawn(self) -> Codes:
        """Which rows are labelled."""
        return np.flatnonzero(~np.isnan(self.label))

    @cached_property
    def weight(self) -> Floats:
        """How many rows each row stands for, were it drawn."""
        return np.asarray(1 / self.inclusion)

    @property
    def labels(self) -> int:
        """How many rows are labelled."""
        return len(self.drawn)

    @cached_property
    def positives(self) -> int:
        """How many labelled rows are positive."""
        return int(np.count_nonzero(self.label[self.drawn] == 1))

    @property
    def negatives(self) -> int:
        """How many labelled rows are negative."""
        return self.labels - self.positives

    @cached_property
    def working(self) -> Floats:
        """The chance that each row is positive, as the working model has it."""
        return fitted_model(self) if self.model is None else self.model

    @property
    def trusts_model(self) -> bool:
        """Whether limits of rates use the variance of the working model itself: with a proxy, in a simple sample.

        Other samples with a proxy were not simulated.
        """
        return self.proxy is not None and bool(self.inclusion.min() == self.inclusion.max())

    @cached_property
    def spread(self) -> Floats:
        """The variance of each label under the working model."""
        return np.asarray(self.working * (1 - self.working))

    @cached_property
    def extra(self) -> Floats:
        """By how much each row's weight exceeds 1: what it adds to a variance."""
        return np.asarray(self.weight - 1)

    @cached_property
    def residual(self) -> Floats:
        """How far the label of each labelled row lies from the working model, in their order."""
        return np.asarray(self.label[self.drawn] - self.working[self.drawn])

    @cached_property
    def ranking(self) -> RowOrder:
        """The rows in the order of their scores."""
        assert self.score is not None
        return RowOrder.of(self.score)

    @cached_property
    def mass(self) -> Floats:
        """How much each row counts as a positive; it may lie outside 0 to 1, its sums are what matters."""
        if not self.labels:
            return self.working
        found = self.working.copy()
        weights = self.weight[self.drawn]
        found[self.drawn] += len(self) / weights.sum() * weights * self.residual
        return found

    def only(self, rows: NDArray[np.bool_]) -> LabelledRows:
        """Return some of the rows, under the same working model."""
        values = {
            name: None if (each := getattr(self, name)) is None else each[rows]
            for name in ("label", "inclusion", "score", "called", "proxy", "other_score")
        }
        return replace(self, **values, model=self.working[rows])  # type: ignore[arg-type]


def fitted_model(rows: LabelledRows) -> Floats:
    """Return the chance of each row by a ridge logistic regression of the labels on the scores, and on the proxy.

    Without scores it is the share of each side of the calls, half a label of each class added.
    """
    drawn, weights = rows.drawn, rows.weight[rows.drawn]
    label = rows.label[drawn]
    weights = weights / weights.mean()
    if rows.score is None and rows.proxy is None:
        sides = np.zeros(len(rows), np.intp) if rows.called is None else rows.called.astype(np.intp)
        own = sides[drawn]
        total = np.bincount(own, weights, minlength=2) + 1.0
        positive = np.bincount(own, weights * label, minlength=2) + 0.5
        return np.asarray((positive / total)[sides])
    columns, target, penalty = _model_design(rows, float(weights @ label / weights.sum()))
    found = ridge_logistic(columns[drawn], label, weights, target, penalty)
    return np.asarray(np.clip(expit(columns @ found), CLIP, 1 - CLIP))


def _model_design(rows: LabelledRows, share: float) -> tuple[Floats, Floats, Floats]:
    """The columns of the working model, what the ridge pulls each coefficient to, and how strongly."""
    columns, target, penalty = [np.ones(len(rows))], [0.0], [INTERCEPT_PENALTY]
    if rows.score is not None:
        column = predictor(rows.score, has_probabilities=rows.has_probabilities)
        if rows.other_score is not None:
            other = predictor(rows.other_score, has_probabilities=rows.has_probabilities)
            columns.append((column - other) / 2)
            target.append(0.0)
            penalty.append(SLOPE_PENALTY)
            column = (column + other) / 2
        columns.append(column)
        target.append(1.0)
        penalty.append(SLOPE_PENALTY)
    if rows.score is None or not rows.has_probabilities:
        # Ranks say nothing of how common positives are.
        target[0] = float(logit(np.clip(share, 0.001, 0.999)))
    if rows.proxy is not None:
        columns.append(rows.proxy - 0.5)
        target.append(0.0)
        penalty.append(PROXY_PENALTY)
    return np.column_stack(columns), np.array(target), np.array(penalty)


def predictor(score: Floats, *, has_probabilities: bool) -> Floats:
    """Return what the working model reads of a score: its logit, or where it is no probability its normal score.

    >>> predictor(np.array([0.5, 0.9]), has_probabilities=True).round(3)
    array([0.   , 2.197])
    >>> predictor(np.array([-3.0, 7.0, 7.0]), has_probabilities=False).round(3)
    array([-0.674,  0.319,  0.319])
    """
    if has_probabilities:
        return np.asarray(logit(np.clip(score, CLIP, 1 - CLIP)))
    ranking = RowOrder.of(score)
    last = np.append(ranking.starts[1:], len(score))
    middle = (ranking.starts + last + 1) / 2
    return ranking.of_rows(np.asarray(ndtri(middle / (len(score) + 1))))


def ridge_logistic(columns: Floats, label: Floats, weights: Floats, target: Floats, penalty: Floats) -> Floats:
    """Return the coefficients of a weighted logistic regression that a ridge pulls to `target`, by Newton's method."""
    at = target.copy()

    def objective(coefficients: Floats) -> float:
        line = columns @ coefficients
        fit = weights @ (label * line - np.logaddexp(0.0, line))
        return float(fit - 0.5 * penalty @ (coefficients - target) ** 2)

    value = objective(at)
    for _ in range(MOST_STEPS):
        rate = expit(columns @ at)
        uphill = columns.T @ (weights * (label - rate)) - penalty * (at - target)
        information = (columns * (weights * rate * (1 - rate))[:, None]).T @ columns + np.diag(penalty)
        step = np.linalg.solve(information, uphill)
        while (after := objective(at + step)) < value - 1e-12 * abs(value) and np.abs(step).max() > SMALLEST_STEP:
            step = step / 2
        at, value = at + step, after
        if np.abs(step).max() < SMALLEST_STEP:
            break
    return at
