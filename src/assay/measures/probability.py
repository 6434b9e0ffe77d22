"""Probability: are the scores good as probabilities of the positive class?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy

from assay.evidence import ScoreTable
from assay.measures._facts import OverFolds
from assay.measures._kinds import first_of, mean_loss, smaller_class_below, smooth_function
from assay.measures._measure import Measure, ratio
from assay.results import counted
from assay.uncertainty import LOG_OF_REST, Moves

# As scikit-learn clips: the distance from 1 to the next double.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)

NOT_PROBABILITIES = "the scores are not probabilities"


def _spread(rate: Any) -> Any:
    """Brier score of saying the true rate."""
    return rate * (1 - rate)


def _entropy(rate: Any) -> Any:
    """Log loss of saying the true rate."""
    return -(xlogy(rate, rate) + xlog1py(1 - rate, -rate))


@mean_loss(
    refuses=smaller_class_below(3, weighted=2),
    family="probability",
    title="Brier score",
    notation="mean of (p - y)**2",
    bounds=(0.0, 1.0),
    better="lower",
    undefined=NOT_PROBABILITIES,
    aliases=("brier_score", "mean_squared_error"),
    reference="Brier (1950), in the one-class form of half the original sum",
    over_folds=OverFolds("loss"),
    entropy=_spread,
)
def brier(table: ScoreTable) -> tuple[Any, Any]:
    """Mean squared distance between the probability and what happened.

    0 is perfect; always saying the prevalence p gives p (1 - p).

    >>> brier(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.136667
    """
    return table.score**2, (1 - table.score) ** 2


def certain_and_wrong(table: ScoreTable) -> float:
    """Cases given probability 0 of what then happened: log loss is infinite unless they are clipped.

    >>> certain_and_wrong(ScoreTable.of([0.0, 0.0, 1.0], [False, True, True]))
    1.0
    """
    impossible = table.positive[table.score <= 0].sum() + table.negative[table.score >= 1].sum()
    return float(impossible)


def _clipped(table: ScoreTable) -> str | None:
    count = certain_and_wrong(table)
    if not count:
        return None
    return f"{counted(count, 'case')} called certain and wrong: unclipped it is infinite, so no limits are honest"


@mean_loss(
    refuses=first_of(_clipped, smaller_class_below(3, weighted=2)),
    family="probability",
    title="Log loss",
    notation="mean of -log(probability given to the true class)",
    bounds=(0.0, float("inf")),
    better="lower",
    undefined=NOT_PROBABILITIES,
    aliases=("cross_entropy", "logarithmic_loss"),
    reference="Good (1952)",
    over_folds=OverFolds("loss", is_clipped=True),
    entropy=_entropy,
)
def log_loss(table: ScoreTable) -> tuple[Any, Any]:
    """Mean surprise at what happened, in nats.

    Probabilities are held at least 2.2e-16 away from 0 and 1; cases called certain that turned out wrong would
    otherwise make it infinite, and are counted.

    >>> log_loss(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.414932
    """
    clipped = np.clip(table.score, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return -np.log1p(-clipped), -np.log(clipped)


def _expected_in_cells(table: ScoreTable) -> tuple[float, float]:
    """The least and the most that scores in their cells could expect of themselves, whatever the class."""
    reach = table.reach
    assert reach is not None
    at_ends = [np.minimum(end, 1 - end) for end in (reach.low, reach.high)]
    # Half way is the edge of a cell, so that no cell holds it inside.
    cases, total = table.negative + table.positive, table.total + reach.hidden
    least, most = (float(cases @ end(*at_ends)) for end in (np.minimum, np.maximum))
    return float(ratio(least, total)), float(ratio(most + 0.5 * reach.hidden, total))


@mean_loss(
    refuses=smaller_class_below(3, weighted=2),
    in_cells=_expected_in_cells,
    case_range=(0.0, 0.5),
    family="probability",
    title="Estimated Bayes error",
    notation="mean of min(p, 1 - p)",
    bounds=(0.0, 1.0),
    better="neither",
    undefined=NOT_PROBABILITIES,
    aliases=("estimated_bayes_error", "expected_error"),
    reference="Fukunaga & Hostetler (1975)",
    over_folds=OverFolds("loss"),
)
def bayes_error(table: ScoreTable) -> tuple[Any, Any]:
    """The error rate the classifier expects of itself if each case goes to its likelier class.

    No truth enters: it is the least error any classifier could reach from the same inputs only if the probabilities are
    right, and otherwise says how sure the classifier is. Far below the error rate means overconfident.

    >>> bayes_error(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.233333
    """
    expected = np.minimum(table.score, 1 - table.score)
    return expected, expected


def _prevalence_entropy(table: ScoreTable) -> tuple[Any, Any]:
    """Log loss of always saying the prevalence, and its derivative by the prevalence."""
    p = ratio(table.positives, table.total)
    with np.errstate(divide="ignore"):
        slope = np.log1p(-p) - np.log(p)
    return _entropy(p), slope


def _prevalence_spread(table: ScoreTable) -> tuple[Any, Any]:
    """Brier score of always saying the prevalence, and its derivative by the prevalence."""
    p = ratio(table.positives, table.total)
    return _spread(p), 1 - 2 * p


def _skill_moves(loss: Measure, baseline: Callable[[ScoreTable], tuple[Any, Any]]) -> Callable[[ScoreTable], Moves]:
    """How cases move 1 less the loss over a baseline's: by their losses, and by the prevalence that it rests on."""

    def moves(table: ScoreTable) -> Moves:
        assert loss.moves is not None
        value, (reference, slope), of_loss = loss(table), baseline(table), loss.moves(table)
        p = ratio(table.positives, table.total)
        scale, by_share = -ratio(1.0, reference), ratio(value * slope, reference**2)
        shifts = (scale * shift + by_share * (truth - p) for truth, shift in enumerate(of_loss.shifts))
        return replace(of_loss, scale=float(scale), shifts=(float(next(shifts)), float(next(shifts))))

    return moves


_brier_skill_moves = _skill_moves(brier, _prevalence_spread)


@smooth_function(
    influence=lambda table: _brier_skill_moves(table).at_scores,
    moves=_brier_skill_moves,
    counts_errors=True,
    scale=LOG_OF_REST,
    refuses=smaller_class_below(3),
    needs_probability=True,
    family="probability",
    title="Brier skill",
    notation="1 - Brier / (Brier of always saying the prevalence)",
    bounds=(float("-inf"), 1.0),
    better="higher",
    undefined="truth holds a single class, so always saying the prevalence is already perfect",
    aliases=("brier_skill_score", "scaled_brier", "ipa"),
    reference="Murphy (1973); Kattan & Gerds (2018)",
    over_folds=OverFolds("loss", against_shares=True),
)
def brier_skill(table: ScoreTable) -> Any:
    """Share of the Brier score of always saying the prevalence that the classifier removes.

    >>> brier_skill(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.385
    """
    reference, _ = _prevalence_spread(table)
    return 1 - ratio(brier(table), reference)


_log_skill_moves = _skill_moves(log_loss, _prevalence_entropy)


@smooth_function(
    influence=lambda table: _log_skill_moves(table).at_scores,
    moves=_log_skill_moves,
    counts_errors=True,
    scale=LOG_OF_REST,
    refuses=first_of(_clipped, smaller_class_below(3)),
    needs_probability=True,
    family="probability",
    title="Log-loss skill",
    notation="1 - log loss / (log loss of always saying the prevalence)",
    bounds=(float("-inf"), 1.0),
    better="higher",
    undefined="truth holds a single class, so always saying the prevalence is already perfect",
    aliases=("log_loss_skill_score", "mcfadden_r2", "relative_information_gain"),
    reference="McFadden (1974)",
    over_folds=OverFolds("loss", is_clipped=True, against_shares=True),
)
def log_loss_skill(table: ScoreTable) -> Any:
    """Share of the log loss of always saying the prevalence that the classifier removes.

    >>> log_loss_skill(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.348119
    """
    reference, _ = _prevalence_entropy(table)
    return 1 - ratio(log_loss(table), reference)
