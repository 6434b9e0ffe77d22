"""Probability: are the scores good as probabilities of the positive class?

What probabilities gain in likelihood, as rms's val.prob prints it: R2, D, U and Q. To be asked for by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import logit, xlog1py, xlogy

from assay.evidence import ScoreTable
from assay.measures.kinds import first_of, function_of_scores, mean_loss, smaller_class_below, smooth_function
from assay.measures.measure import IntervalFamily, Measure, OverFolds, ratio
from assay.results import counted
from assay.uncertainty import LOG_OF_REST, Moves
from assay.uncertainty.logistic import fit_logistic, log_likelihood

# As scikit-learn clips: the distance from 1 to the next double.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)

NOT_PROBABILITIES = "the scores are not probabilities"


def _brier_of_rate(rate: Any) -> Any:
    """Brier score of saying the true rate."""
    return rate * (1 - rate)


def _log_loss_of_rate(rate: Any) -> Any:
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
    entropy=_brier_of_rate,
    has_sampled_difference=True,
)
def brier(table: ScoreTable) -> tuple[Any, Any]:
    """Mean squared distance between the probability and what happened.

    0 is perfect; always predicting the prevalence p gives p (1 - p).

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


def _clipping_reason(table: ScoreTable) -> str | None:
    count = certain_and_wrong(table)
    if not count:
        return None
    return (
        f"{counted(count, 'case')} with a predicted probability of 0 for the true class: unclipped, the value "
        "is infinite and has no interval"
    )


@mean_loss(
    refuses=first_of(_clipping_reason, smaller_class_below(3, weighted=2)),
    family="probability",
    title="Log loss",
    notation="mean of -log(probability given to the true class)",
    bounds=(0.0, float("inf")),
    better="lower",
    undefined=NOT_PROBABILITIES,
    aliases=("cross_entropy", "logarithmic_loss"),
    reference="Good (1952)",
    over_folds=OverFolds("loss", is_clipped=True),
    entropy=_log_loss_of_rate,
    has_sampled_difference=True,
)
def log_loss(table: ScoreTable) -> tuple[Any, Any]:
    """Mean negative log-likelihood, in nats.

    Probabilities are held at least 2.2e-16 away from 0 and 1; cases called certain that turned out wrong would
    otherwise make it infinite, and are counted.

    >>> log_loss(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.414932
    """
    clipped = np.clip(table.score, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return -np.log1p(-clipped), -np.log(clipped)


def _expected_loss_bounds(table: ScoreTable) -> tuple[float, float]:
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
    in_cells=_expected_loss_bounds,
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


def _prevalence_log_loss(table: ScoreTable) -> tuple[Any, Any]:
    """Log loss of always predicting the prevalence, and its derivative by the prevalence."""
    p = ratio(table.positives, table.total)
    with np.errstate(divide="ignore"):
        slope = np.log1p(-p) - np.log(p)
    return _log_loss_of_rate(p), slope


def _prevalence_brier(table: ScoreTable) -> tuple[Any, Any]:
    """Brier score of always predicting the prevalence, and its derivative by the prevalence."""
    p = ratio(table.positives, table.total)
    return _brier_of_rate(p), 1 - 2 * p


def _skill_influence(loss: Measure, baseline: Callable[[ScoreTable], tuple[Any, Any]]) -> Callable[[ScoreTable], Moves]:
    """How cases move 1 less the loss over a baseline's: by their losses, and by the prevalence that it rests on."""

    def moves(table: ScoreTable) -> Moves:
        assert loss.moves is not None
        value, (reference, slope), of_loss = loss(table), baseline(table), loss.moves(table)
        p = ratio(table.positives, table.total)
        scale, by_share = -ratio(1.0, reference), ratio(value * slope, reference**2)
        shifts = (scale * shift + by_share * (truth - p) for truth, shift in enumerate(of_loss.shifts))
        return replace(of_loss, scale=float(scale), shifts=(float(next(shifts)), float(next(shifts))))

    return moves


_brier_skill_moves = _skill_influence(brier, _prevalence_brier)


@smooth_function(
    influence=lambda table: _brier_skill_moves(table).at_scores,
    moves=_brier_skill_moves,
    counts_errors=True,
    scale=LOG_OF_REST,
    refuses=smaller_class_below(3),
    needs_probability=True,
    family="probability",
    title="Brier skill",
    notation="1 - Brier / (Brier of always predicting the prevalence)",
    bounds=(float("-inf"), 1.0),
    better="higher",
    undefined="all true labels are of one class, so predicting the prevalence is already perfect",
    aliases=("brier_skill_score", "scaled_brier", "ipa"),
    reference="Murphy (1973); Kattan & Gerds (2018)",
    over_folds=OverFolds("loss", against_shares=True),
)
def brier_skill(table: ScoreTable) -> Any:
    """Share of the Brier score of always predicting the prevalence that the classifier removes.

    >>> brier_skill(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.385
    """
    reference, _ = _prevalence_brier(table)
    return 1 - ratio(brier(table), reference)


_log_skill_moves = _skill_influence(log_loss, _prevalence_log_loss)


@smooth_function(
    influence=lambda table: _log_skill_moves(table).at_scores,
    moves=_log_skill_moves,
    counts_errors=True,
    scale=LOG_OF_REST,
    refuses=first_of(_clipping_reason, smaller_class_below(3)),
    needs_probability=True,
    family="probability",
    title="Log-loss skill",
    notation="1 - log loss / (log loss of always predicting the prevalence)",
    bounds=(float("-inf"), 1.0),
    better="higher",
    undefined="all true labels are of one class, so predicting the prevalence is already perfect",
    aliases=("log_loss_skill_score", "mcfadden_r2", "relative_information_gain"),
    reference="McFadden (1974)",
    over_folds=OverFolds("loss", is_clipped=True, against_shares=True),
)
def log_loss_skill(table: ScoreTable) -> Any:
    """Share of the log loss of always predicting the prevalence that the classifier removes.

    >>> log_loss_skill(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.348119
    """
    reference, _ = _prevalence_log_loss(table)
    return 1 - ratio(log_loss(table), reference)


ONE_CLASS = "all true labels are of one class, so predicting the prevalence is already perfect"
NO_LINE = "no line of log odds fits best: one class is missing, or the probabilities part the classes or are all alike"
WITHOUT = IntervalFamily.none("no interval was simulated for it; log_loss_skill expresses the same gain and has one")
WITHOUT_LINE = IntervalFamily.none("no interval was simulated for it; ev.calibration.cox tests what it sums up")
VAL_PROB = "Harrell (2015), section 10.9; Miller, Hui & Tierney (1991)"


def _likelihood_measure(
    title: str,
    notation: str,
    *,
    intervals: IntervalFamily = WITHOUT,
    undefined: str = ONE_CLASS,
    better: str = "higher",
    bounds: tuple[float, float] = (-math.inf, math.inf),
    aliases: tuple[str, ...] = (),
    reference: str = VAL_PROB,
    is_open_in_cells: bool = False,
) -> Callable[[Callable[[ScoreTable], Any]], Measure]:
    return function_of_scores(
        intervals,
        family="probability",
        title=title,
        notation=notation,
        bounds=bounds,
        better=better,
        undefined=undefined,
        aliases=aliases,
        reference=reference,
        needs_probability=True,
        is_open_in_cells=is_open_in_cells,
    )


def _deviances(table: ScoreTable) -> tuple[Any, Any]:
    """Twice the log likelihood lost per case: by always predicting the prevalence, and by the probabilities."""
    given = 2 * log_loss(table)
    return ratio(given, 1 - log_loss_skill(table)), given


@_likelihood_measure(
    "Nagelkerke's R2",
    "(1 - exp(-2 gain)) / (1 - exp(-2 log loss of the prevalence)), gain in log loss",
    bounds=(-math.inf, 1.0),
    aliases=("nagelkerke", "r2_nagelkerke"),
    reference="Nagelkerke (1991); Cox & Snell (1989)",
)
def nagelkerke_r2(table: ScoreTable) -> Any:
    """Likelihood gained over always predicting the prevalence, on a scale that ends at 1. Negative where it is lost.

    >>> nagelkerke_r2(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.497208
    """
    null, given = _deviances(table)
    return ratio(-np.expm1(given - null), -np.expm1(-null))


@_likelihood_measure("Discrimination index D", "(2 n gain in log loss - 1) / n", aliases=("rms_d",))
def discrimination_index(table: ScoreTable) -> Any:
    """Likelihood gained for each case over predicting the prevalence, less what one coefficient would gain anyway.

    >>> discrimination_index(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.109832
    """
    null, given = _deviances(table)
    return null - given - ratio(1.0, table.total)


@_likelihood_measure(
    "Unreliability index U",
    "(chi-square of Cox's line against the identity - 2) / n",
    intervals=WITHOUT_LINE,
    undefined=NO_LINE,
    better="lower",
    aliases=("rms_u",),
    is_open_in_cells=True,
)
def unreliability_index(table: ScoreTable) -> Any:
    """Likelihood that a line through the log odds would add, for each case, less what two coefficients add anyway.

    Around 0 or below it for probabilities that mean what they say.

    >>> table = ScoreTable.of([0.2, 0.2, 0.5, 0.5, 0.8, 0.8], [0, 1, 0, 1, 0, 1])
    >>> unreliability_index(table).round(6).item()
    -0.035809
    """
    if table.negative.ndim == 1:
        return np.float64(_unreliability(table.score, table.negative, table.positive))
    sides = (side.reshape(-1, side.shape[-1]) for side in np.broadcast_arrays(table.negative, table.positive))
    each = [_unreliability(table.score, *one) for one in zip(*sides, strict=True)]
    return np.array(each).reshape(table.negative.shape[:-1])


def _unreliability(score: Any, negative: Any, positive: Any) -> float:
    cases = negative + positive
    n = float(cases.sum())
    if not (negative.sum() > 0 and positive.sum() > 0):
        return math.nan
    odds = logit(np.clip(score, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY))
    design = np.column_stack((np.ones_like(odds), odds))
    fitted = fit_logistic(design, negative, positive)
    if fitted.undefined is not None:
        return math.nan
    gained = log_likelihood(design @ fitted.coefficients, cases, positive) - log_likelihood(odds, cases, positive)
    return float(ratio(2 * gained - 2, n))


@_likelihood_measure(
    "Quality index Q",
    "D - U",
    intervals=WITHOUT_LINE,
    undefined=NO_LINE,
    aliases=("rms_q",),
    is_open_in_cells=True,
)
def quality_index(table: ScoreTable) -> Any:
    """Discrimination less unreliability: likelihood gained over the prevalence, less what a better scale would add.

    >>> table = ScoreTable.of([0.2, 0.2, 0.5, 0.5, 0.8, 0.8], [0, 1, 0, 1, 0, 1])
    >>> quality_index(table).round(6).item()
    -0.428383
    """
    return discrimination_index(table) - unreliability_index(table)
