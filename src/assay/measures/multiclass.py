"""Probabilities of many classes: how good they are as probabilities."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from assay.evidence import ClassScores, SummedClasses
from assay.measures.kinds import MovedSums, MulticlassInfluence, Scored, fewer_cases_than, of_class_scores
from assay.measures.measure import ratio
from assay.measures.probability import SMALLEST_PROBABILITY, brier, brier_skill, log_loss, log_loss_skill
from assay.results import counted
from assay.uncertainty import LOG, LOG_OF_REST

# A mean loss over fewer cases than this is too far from normal (simulated: .91 with 45).
# From there on it was covered in .91 to .98 of samples, mean .95; the limit was set after seeing that row.
FEWEST_CASES = 50
NOT_SHOWN = "the evidence holds no sums of what cases lose: a class has fewer cases than may be shown"
ALREADY_PERFECT = "all true labels are of one class, so predicting the class shares is already perfect"


class Loss(NamedTuple):
    """What each case loses, and what sums of it are called in evidence."""

    name: str
    of_cases: MulticlassInfluence


def certain_and_wrong_classes(scores: Scored) -> float:
    """Cases given probability 0 of the class they are of: log loss is infinite unless they are clipped.

    >>> certain_and_wrong_classes(ClassScores.of([[0.5, 0.5, 0.0], [0.0, 0.9, 0.1]], [2, 1], "abc"))
    1.0
    """
    if isinstance(scores, SummedClasses):
        return scores.sums.certain_and_wrong
    return float(scores.each[scores.given_to_truth <= 0].sum())


def _unless_certain_and_wrong(scores: Scored) -> str | None:
    count = certain_and_wrong_classes(scores)
    if count:
        return (
            f"{counted(count, 'case')} with a predicted probability of 0 for the true class: unclipped, the "
            "value is infinite and has no interval"
        )
    return fewer_cases_than(FEWEST_CASES)(scores)


def _negative_log_likelihoods(scores: ClassScores) -> Any:
    clipped = np.clip(scores.given_to_truth, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return -np.log(clipped)


def _squared_errors(scores: ClassScores) -> Any:
    return scores.squared_errors


SQUARED_ERRORS, SURPRISE = Loss("squared error", _squared_errors), Loss("surprise", _negative_log_likelihoods)


def _mean_loss(loss: Loss, scores: Scored) -> Any:
    if isinstance(scores, SummedClasses):
        return ratio(scores.sums.losses[loss.name][0, :, 1].sum(), scores.total)
    return ratio(scores.each @ loss.of_cases(scores), scores.total)


def _case_influence(loss: Loss, scores: Scored, times: Any, by_class: Any) -> Any:
    """How each case moves an estimate: so many times its loss, and so much for its class; of sums, their moments."""
    if not isinstance(scores, SummedClasses):
        return times * loss.of_cases(scores) + np.broadcast_to(by_class, len(scores.classes))[scores.truth]
    held, added = scores.sums.losses[loss.name], np.broadcast_to(by_class, len(scores.classes))
    clusters = scores.sums.clusters.get(loss.name)
    of_clusters = None if clusters is None else (clusters @ np.array([0.0, times]) + clusters[..., 0] * added).sum(1)

    def power(sums: Any, to: int) -> float:
        terms = [comb(to, k) * times**k * (added ** (to - k) @ sums[:, k]) for k in range(to + 1)]
        return max(0.0, float(sum(terms)))

    return MovedSums(power(held[min(1, len(held) - 1)], 2), power(held[-1], 4), of_clusters)


def _lacking_sums(loss: Loss) -> Callable[[SummedClasses], str | None]:
    return lambda summed: None if loss.name in summed.sums.losses else NOT_SHOWN


def _centered_influence(loss: Loss) -> MulticlassInfluence:
    return lambda scores: _case_influence(loss, scores, 1.0, -_mean_loss(loss, scores))


def _class_shares(scores: Scored) -> Any:
    return ratio(scores.sizes, scores.total)


def _brier_of_shares(scores: Scored) -> tuple[Any, Any]:
    """Brier score of always predicting the class shares, and how a case of each class moves it."""
    shares = _class_shares(scores)
    together = (shares * shares).sum()
    return (shares * (1 - shares)).sum(), -2 * (shares - together)


def _log_loss_of_shares(scores: Scored) -> tuple[Any, Any]:
    """Log loss of always predicting the class shares, and how a case of each class moves it."""
    shares = _class_shares(scores)
    entropy = -xlogy(shares, shares).sum()
    return entropy, -np.log(np.where(shares > 0, shares, 1.0)) - entropy


def _skill_score(loss: Loss, baseline: MulticlassInfluence, scores: Scored) -> Any:
    reference, _ = baseline(scores)
    return 1 - ratio(_mean_loss(loss, scores), reference)


def _skill_influence(loss: Loss, baseline: MulticlassInfluence) -> MulticlassInfluence:
    def influence(scores: Scored) -> Any:
        value = _mean_loss(loss, scores)
        reference, moved = baseline(scores)
        return _case_influence(
            loss, scores, -ratio(1.0, reference), ratio(value, reference) + ratio(value, reference**2) * moved
        )

    return influence


@of_class_scores(
    "brier",
    lacks=_lacking_sums(SQUARED_ERRORS),
    like=brier,
    influence=_centered_influence(SQUARED_ERRORS),
    scale=LOG,
    refuses=fewer_cases_than(FEWEST_CASES),
    notation="mean of the sum over classes of (p - y)**2",
    bounds=(0.0, 2.0),
    aliases=("brier_score", "mbrier"),
    reference="Brier (1950), in its original form: twice the one-class form that two classes have here",
)
def class_brier(scores: Scored) -> Any:
    """Mean over the cases of the squared distance between the probabilities and what happened, summed over classes.

    It runs from 0 to 2, as scikit-learn's does for more than two classes; two classes have half of it here.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> class_brier(scores).round(6).item()
    0.493333
    """
    return _mean_loss(SQUARED_ERRORS, scores)


@of_class_scores(
    "brier_skill",
    lacks=_lacking_sums(SQUARED_ERRORS),
    like=brier_skill,
    influence=_skill_influence(SQUARED_ERRORS, _brier_of_shares),
    scale=LOG_OF_REST,
    refuses=fewer_cases_than(FEWEST_CASES),
    notation="1 - Brier / (Brier of always predicting the class shares)",
    undefined=ALREADY_PERFECT,
    aliases=("brier_skill_score", "scaled_brier"),
    reference="Murphy (1973)",
)
def class_brier_skill(scores: Scored) -> Any:
    """Share of the Brier score of always predicting the class shares that the classifier removes."""
    return _skill_score(SQUARED_ERRORS, _brier_of_shares, scores)


@of_class_scores(
    "log_loss",
    lacks=_lacking_sums(SURPRISE),
    like=log_loss,
    influence=_centered_influence(SURPRISE),
    scale=LOG,
    refuses=_unless_certain_and_wrong,
)
def class_log_loss(scores: Scored) -> Any:
    """Mean negative log-likelihood, in nats.

    Probabilities are held at least 2.2e-16 away from 0 and 1; cases of a class that was called impossible would
    otherwise make it infinite, and are counted.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> class_log_loss(scores).round(6).item()
    0.88642
    """
    return _mean_loss(SURPRISE, scores)


@of_class_scores(
    "log_loss_skill",
    lacks=_lacking_sums(SURPRISE),
    like=log_loss_skill,
    influence=_skill_influence(SURPRISE, _log_loss_of_shares),
    scale=LOG_OF_REST,
    refuses=_unless_certain_and_wrong,
    notation="1 - log loss / (log loss of always predicting the class shares)",
    undefined=ALREADY_PERFECT,
)
def class_log_loss_skill(scores: Scored) -> Any:
    """Share of the log loss of always predicting the class shares that the classifier removes."""
    return _skill_score(SURPRISE, _log_loss_of_shares, scores)


def _ranked_probability_losses(scores: ClassScores) -> Any:
    """For each case the squared distance between cumulated probabilities and what happened, a mean over the cuts."""
    cuts = len(scores.classes) - 1
    reached = scores.truth[:, None] <= np.arange(cuts)
    missed = np.cumsum(scores.probability[:, :cuts], axis=1) - reached
    return ratio(np.einsum("ij,ij->i", missed, missed), cuts)


STEPS_MISSED = Loss("steps missed", _ranked_probability_losses)


def class_losses(scores: ClassScores) -> dict[str, Any]:
    """What each case loses, by what sums of it are called.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2]], [0, 1], "abc")
    >>> class_losses(scores)["squared error"].round(6)
    array([0.14, 0.38])
    """
    return {loss.name: loss.of_cases(scores) for loss in (SQUARED_ERRORS, SURPRISE, STEPS_MISSED)}


def _ranked_probability_of_shares(scores: Scored) -> tuple[Any, Any]:
    """Ranked probability score of always predicting the class shares, and how a case of each class moves it."""
    cuts = len(scores.classes) - 1
    below = np.cumsum(_class_shares(scores))[:cuts]
    reached = np.arange(cuts + 1)[:, None] <= np.arange(cuts)
    return ratio((below * (1 - below)).sum(), cuts), ratio(((1 - 2 * below) * (reached - below)).sum(1), cuts)


IN_ORDER = "Epstein (1969); Murphy (1971); divided by the number of cuts, as verification::rps does"


@of_class_scores(
    "ranked_probability_score",
    lacks=_lacking_sums(STEPS_MISSED),
    like=brier,
    influence=_centered_influence(STEPS_MISSED),
    scale=LOG,
    refuses=fewer_cases_than(FEWEST_CASES),
    title="Ranked probability score",
    notation="mean over cases and cuts between classes of (P(at most the cut) - reached)**2",
    over_folds=None,
    aliases=("rps",),
    reference=IN_ORDER,
)
def ranked_probability_score(scores: Scored) -> Any:
    """Mean squared distance of cumulated probabilities from what happened: being off by more classes costs more.

    Only for classes listed in their order. 0 is perfect; of two classes it is the Brier score.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> ranked_probability_score(scores).round(6).item()
    0.171667
    """
    return _mean_loss(STEPS_MISSED, scores)


@of_class_scores(
    "ranked_probability_skill",
    lacks=_lacking_sums(STEPS_MISSED),
    like=brier_skill,
    influence=_skill_influence(STEPS_MISSED, _ranked_probability_of_shares),
    scale=LOG_OF_REST,
    refuses=fewer_cases_than(FEWEST_CASES),
    title="Ranked probability skill",
    notation="1 - RPS / (RPS of always predicting the class shares)",
    undefined=ALREADY_PERFECT,
    over_folds=None,
    aliases=("rpss", "rps_skill"),
    reference=IN_ORDER,
)
def ranked_probability_skill(scores: Scored) -> Any:
    """Share of the ranked probability score of always predicting the class shares that the classifier removes."""
    return _skill_score(STEPS_MISSED, _ranked_probability_of_shares, scores)
