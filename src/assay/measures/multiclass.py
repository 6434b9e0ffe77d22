"""Probabilities of many classes: how good they are as probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from assay.evidence import ClassScores
from assay.measures._many import Influence, fewer_cases_than, of_class_scores
from assay.measures._measure import ratio
from assay.measures.probability import SMALLEST_PROBABILITY, brier, brier_skill, log_loss, log_loss_skill
from assay.results import counted
from assay.uncertainty import LOG, LOG_OF_REST

# A mean loss over fewer cases than this is too far from normal (simulated: .91 with 45).
# From there on it was covered in .91 to .98 of samples, mean .95; the limit was set after seeing that row.
FEWEST_CASES = 50
ALREADY_PERFECT = "truth holds a single class, so always saying the class shares is already perfect"


def certain_and_wrong_classes(scores: ClassScores) -> float:
    """Cases given probability 0 of the class they are of: log loss is infinite unless they are clipped.

    >>> certain_and_wrong_classes(ClassScores.of([[0.5, 0.5, 0.0], [0.0, 0.9, 0.1]], [2, 1], "abc"))
    1.0
    """
    return float(scores.each[scores.given_to_truth <= 0].sum())


def _unless_certain_and_wrong(scores: ClassScores) -> str | None:
    count = certain_and_wrong_classes(scores)
    if count:
        return f"{counted(count, 'case')} called certain and wrong: unclipped it is infinite, so no limits are honest"
    return fewer_cases_than(FEWEST_CASES)(scores)


def _surprise(scores: ClassScores) -> Any:
    clipped = np.clip(scores.given_to_truth, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return -np.log(clipped)


def _squared_errors(scores: ClassScores) -> Any:
    return scores.squared_errors


def _mean(losses: Influence, scores: ClassScores) -> Any:
    return ratio(scores.each @ losses(scores), scores.total)


def _centred(losses: Influence) -> Influence:
    return lambda scores: losses(scores) - _mean(losses, scores)


def _shares(scores: ClassScores) -> Any:
    return ratio(scores.sizes, scores.total)


def _spread_of_shares(scores: ClassScores) -> tuple[Any, Any]:
    """Brier score of always saying the class shares, and how a case of each class moves it."""
    shares = _shares(scores)
    together = (shares * shares).sum()
    return (shares * (1 - shares)).sum(), -2 * (shares - together)


def _entropy_of_shares(scores: ClassScores) -> tuple[Any, Any]:
    """Log loss of always saying the class shares, and how a case of each class moves it."""
    shares = _shares(scores)
    entropy = -xlogy(shares, shares).sum()
    return entropy, -np.log(np.where(shares > 0, shares, 1.0)) - entropy


def _skill(losses: Influence, baseline: Influence, scores: ClassScores) -> Any:
    reference, _ = baseline(scores)
    return 1 - ratio(_mean(losses, scores), reference)


def _skill_influence(losses: Influence, baseline: Influence) -> Influence:
    def influence(scores: ClassScores) -> Any:
        each, value = losses(scores), _mean(losses, scores)
        reference, moved = baseline(scores)
        return -ratio(each - value, reference) + ratio(value, reference**2) * moved[scores.truth]

    return influence


@of_class_scores(
    "brier",
    like=brier,
    influence=_centred(_squared_errors),
    scale=LOG,
    refuses=fewer_cases_than(FEWEST_CASES),
    notation="mean of the sum over classes of (p - y)**2",
    bounds=(0.0, 2.0),
    aliases=("brier_score", "mbrier"),
    reference="Brier (1950), in its original form: twice the one-class form that two classes have here",
)
def class_brier(scores: ClassScores) -> Any:
    """Mean over the cases of the squared distance between the probabilities and what happened, summed over classes.

    It runs from 0 to 2, as scikit-learn's does for more than two classes; two classes have half of it here.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> class_brier(scores).round(6).item()
    0.493333
    """
    return _mean(_squared_errors, scores)


@of_class_scores(
    "brier_skill",
    like=brier_skill,
    influence=_skill_influence(_squared_errors, _spread_of_shares),
    scale=LOG_OF_REST,
    refuses=fewer_cases_than(FEWEST_CASES),
    notation="1 - Brier / (Brier of always saying the class shares)",
    undefined=ALREADY_PERFECT,
    aliases=("brier_skill_score", "scaled_brier"),
    reference="Murphy (1973)",
)
def class_brier_skill(scores: ClassScores) -> Any:
    """Share of the Brier score of always saying the class shares that the classifier removes."""
    return _skill(_squared_errors, _spread_of_shares, scores)


@of_class_scores(
    "log_loss",
    like=log_loss,
    influence=_centred(_surprise),
    scale=LOG,
    refuses=_unless_certain_and_wrong,
)
def class_log_loss(scores: ClassScores) -> Any:
    """Mean surprise at what happened, in nats.

    Probabilities are held at least 2.2e-16 away from 0 and 1; cases of a class that was called impossible would
    otherwise make it infinite, and are counted.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> class_log_loss(scores).round(6).item()
    0.88642
    """
    return _mean(_surprise, scores)


@of_class_scores(
    "log_loss_skill",
    like=log_loss_skill,
    influence=_skill_influence(_surprise, _entropy_of_shares),
    scale=LOG_OF_REST,
    refuses=_unless_certain_and_wrong,
    notation="1 - log loss / (log loss of always saying the class shares)",
    undefined=ALREADY_PERFECT,
)
def class_log_loss_skill(scores: ClassScores) -> Any:
    """Share of the log loss of always saying the class shares that the classifier removes."""
    return _skill(_surprise, _entropy_of_shares, scores)


def _steps_missed(scores: ClassScores) -> Any:
    """For each case the squared distance between cumulated probabilities and what happened, a mean over the cuts."""
    cuts = len(scores.classes) - 1
    reached = scores.truth[:, None] <= np.arange(cuts)
    missed = np.cumsum(scores.probability[:, :cuts], axis=1) - reached
    return ratio(np.einsum("ij,ij->i", missed, missed), cuts)


def _steps_of_shares(scores: ClassScores) -> tuple[Any, Any]:
    """Ranked probability score of always saying the class shares, and how a case of each class moves it."""
    cuts = len(scores.classes) - 1
    below = np.cumsum(_shares(scores))[:cuts]
    reached = np.arange(cuts + 1)[:, None] <= np.arange(cuts)
    return ratio((below * (1 - below)).sum(), cuts), ratio(((1 - 2 * below) * (reached - below)).sum(1), cuts)


IN_ORDER = "Epstein (1969); Murphy (1971); divided by the number of cuts, as verification::rps does"


@of_class_scores(
    "ranked_probability_score",
    like=brier,
    influence=_centred(_steps_missed),
    scale=LOG,
    refuses=fewer_cases_than(FEWEST_CASES),
    title="Ranked probability score",
    notation="mean over cases and cuts between classes of (P(at most the cut) - reached)**2",
    over_folds=None,
    aliases=("rps",),
    reference=IN_ORDER,
)
def ranked_probability_score(scores: ClassScores) -> Any:
    """Mean squared distance of cumulated probabilities from what happened: being off by more classes costs more.

    Only for classes listed in their order. 0 is perfect; of two classes it is the Brier score.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> ranked_probability_score(scores).round(6).item()
    0.171667
    """
    return _mean(_steps_missed, scores)


@of_class_scores(
    "ranked_probability_skill",
    like=brier_skill,
    influence=_skill_influence(_steps_missed, _steps_of_shares),
    scale=LOG_OF_REST,
    refuses=fewer_cases_than(FEWEST_CASES),
    title="Ranked probability skill",
    notation="1 - RPS / (RPS of always saying the class shares)",
    undefined=ALREADY_PERFECT,
    over_folds=None,
    aliases=("rpss", "rps_skill"),
    reference=IN_ORDER,
)
def ranked_probability_skill(scores: ClassScores) -> Any:
    """Share of the ranked probability score of always saying the class shares that the classifier removes."""
    return _skill(_steps_missed, _steps_of_shares, scores)
