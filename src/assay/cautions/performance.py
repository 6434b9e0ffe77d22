"""Cautions about the classifier: probabilities (A2xx) and decisions (A3xx)."""

from __future__ import annotations

import math

from assay.cautions.caution import CalibrationFacts, ComparisonFacts, EvaluationFacts, ThresholdFacts, rule
from assay.results import counted, percent
from assay.text import number

# Statistical rules speak only where chance alone would make them speak once in a hundred times.
RARELY_BY_CHANCE = 0.01
MANY_SATURATED = 0.05
NOT_UNUSUAL = 0.05
# Odds of being positive, elsewhere over here, from which on the step is worth a word.
MUCH_RARER = 0.5
# So many scores do not all happen to lie on one side of the default threshold.
FEWEST_OF_ONE_SIDE = 20


@rule("A201", "Probabilities are worse than a constant")
def worse_than_constant(facts: EvaluationFacts) -> str | None:
    """A constant probability (the share of positives; of many classes, the share of each) has a better Brier score: the
    Brier skill score is negative, even at the upper end of its 99 % interval.

    The ranking may still be good; recalibrate the scores on other data before using them as probabilities.
    """
    if not facts.brier_skill_high < 0:
        return None
    shares = "the shares of the classes" if facts.has_many_classes else "the share of positives"
    return f"The Brier score is worse than that of always predicting {shares}: recalibrate the probabilities."


@rule("A202", "Misclassified with a probability of 0 or 1")
def certain_and_wrong(facts: EvaluationFacts) -> str | None:
    """Some cases have a predicted probability of exactly 0 or 1 and are misclassified, so log loss is infinite.

    The value shown clips probabilities at 2.2e-16 and 1 - 2.2e-16; it depends on that choice and has no interval.
    """
    if not facts.certain_and_wrong:
        return None
    return (
        f"{counted(facts.certain_and_wrong, 'case')} misclassified with a predicted probability of exactly 0 or 1. "
        "Log loss is infinite; the value shown is clipped."
    )


@rule("A203", "The probabilities are miscalibrated")
def misfit(facts: EvaluationFacts | CalibrationFacts) -> str | None:
    """In some range of probabilities the observed share of positives differs significantly from the predicted one.

    The range comes from a simultaneous confidence band of the calibration curve, so searching along the curve is
    allowed for. Over-confident probabilities are too far from 0.5, under-confident ones too close to it. Recalibrate on
    other cases.
    """
    if not facts.misfits:
        return None
    first, *others = facts.misfits
    more = f"; and {counted(len(others), 'more range')}" if others else ""
    return (
        f"{first[0].upper()}{first[1:]}{more}. The simultaneous band of the calibration curve excludes the "
        "diagonal there."
    )


@rule("A205", "This calibration error is usual for calibrated probabilities")
def error_by_chance(facts: CalibrationFacts) -> str | None:
    """The expected calibration error is never 0: perfectly calibrated probabilities have a positive one as well on a
    finite sample.

    Compare it with that value, or use the debiased calibration error, whose mean is 0 for calibrated probabilities.
    """
    if facts.calibration_error is None:
        return None
    value, usual, p_value = facts.calibration_error
    if not p_value > NOT_UNUSUAL:
        return None
    return (
        f"An ECE of {number(value)} is no evidence of miscalibration: calibrated probabilities have {number(usual)} on "
        "average with this many cases."
    )


@rule("A206", "The Hosmer-Lemeshow test has small groups")
def thin_groups(facts: CalibrationFacts) -> str | None:
    """The chi-squared distribution needs about five expected cases of either class in each group, and probabilities
    that are not extreme.

    Otherwise the p-value is too small too often; the choice of groups changes it too. Prefer the Cox calibration line
    and the isotonic test.
    """
    if not facts.hosmer_lemeshow:
        return None
    return f"The Hosmer-Lemeshow test is unreliable here: {'; '.join(facts.hosmer_lemeshow)}."


@rule("A204", "Many probabilities are exactly 0 or 1")
def saturated(facts: EvaluationFacts) -> str | None:
    """At least 5 % of the probabilities are exactly 0 or 1, usually because of rounding, votes or overfitted models;
    with many classes, at least 5 % of the cases have one at exactly 1.

    Such cases cannot be ranked among each other, and a single misclassified one makes log loss infinite. Store more
    digits, or smooth the counts.
    """
    if facts.saturated < MANY_SATURATED:
        return None
    if facts.has_many_classes:
        return f"{percent(facts.saturated)} of the cases have a class with probability exactly 1: are these votes?"
    share = "All probabilities" if facts.saturated == 1 else f"{percent(facts.saturated)} of the probabilities"
    return f"{share} are exactly 0 or 1: are these labels, votes or rounded probabilities?"


@rule("A301", "Accuracy is below that of always predicting the majority class")
def worse_than_majority(facts: EvaluationFacts) -> str | None:
    """On these cases accuracy is significantly lower than that of always predicting the most frequent class (a
    one-sided sign test on the cases where the two differ, p below 0.01; with weights, of the effective number of cases;
    with clusters, between clusters).

    The classifier may still be useful with another threshold or with unequal costs of the two errors.
    """
    if not facts.p_below_majority < RARELY_BY_CHANCE:
        return None
    name, size = max(facts.class_sizes.items(), key=lambda item: item[1])
    shares = f"{percent(size / facts.n)} against {percent(facts.accuracy)}"
    return f"Always predicting '{name}' has a higher accuracy: {shares}."


@rule("A302", "The labels may be swapped")
def swapped(facts: EvaluationFacts) -> str | None:
    """Positives have significantly lower scores than negatives, or cases a lower score for their own class than other
    cases have.

    The usual causes: the score is that of the other class, the wrong class was named positive, or the columns of many
    classes are in another order. Nothing is reversed here; the measures are reported as they are.
    """
    if not (facts.auc_high < 0.5 or facts.informedness_high < 0):
        return None
    if facts.has_many_classes:
        return "The ranking is worse than chance: the score columns may be in another order. Nothing was rearranged."
    other = next((name for name in facts.class_sizes if name != facts.positive), "")
    return (
        f"The ranking of '{facts.positive}' is worse than chance: the scores may be those of '{other}', or the labels "
        "may be swapped. Nothing was reversed."
    )


@rule("A305", "The default threshold is used")
def default_threshold(facts: EvaluationFacts) -> str | None:
    """Cases with a score of 0.5 or more are predicted positive, because no other threshold was given.

    With calibrated probabilities 0.5 has the lowest expected cost if false negatives and false positives cost the same;
    with other costs another threshold does. Give the costs (`assay threshold`), or move the slider of the page.
    """
    if facts.threshold is None or facts.threshold_was_given:
        return None
    return (
        f"Using the default threshold {facts.threshold:.2f}. The best threshold depends on the costs of "
        "false negatives and false positives: `assay threshold`."
    )


@rule("A308", "The threshold lies outside the scores")
def threshold_outside(facts: EvaluationFacts) -> str | None:
    """The given threshold is above every score, or below every score, so all cases are predicted to be of one class:
    precision, recall and what is computed from them do not depend on the scores.

    The usual cause is a threshold in percent for probabilities between 0 and 1, or the reverse. Where no
    threshold was given and no score of 20 cases or more is below 0.5, the scores may be probabilities of whichever
    label was predicted.
    """
    if facts.threshold is None or facts.score_range is None:
        return None
    low, high = facts.score_range
    if not facts.threshold_was_given:
        if facts.n < FEWEST_OF_ONE_SIDE or not facts.threshold <= low:
            return None
        return (
            f"No score is below {low:.3g}: every case is predicted positive. Scores may be probabilities of whichever "
            "label was predicted; then name these labels as well."
        )
    if low <= facts.threshold <= high or math.isinf(facts.threshold):
        return None
    side, predicted = ("above", "No case is") if facts.threshold > high else ("below", "Every case is")
    return (
        f"The threshold {facts.threshold:.4g} is {side} every score ({low:.4g} to {high:.4g}). {predicted} predicted "
        "positive."
    )


@rule("A303", "ROC curves cross")
def crossing_curves(facts: ComparisonFacts) -> str | None:
    """Each of two classifiers is significantly better than the other somewhere: the simultaneous band of the difference
    of their ROC curves lies above zero in one place and below it in another.

    The AUC alone hides that. Which one to use depends on costs and prevalence: see the table of the convex hull.
    """
    if facts.crossing is None:
        return None
    first, second = facts.crossing
    return (
        f"The ROC curves of '{first}' and '{second}' cross: which one is better depends on the costs, not on "
        "the AUC alone."
    )


@rule("A304", "Crossing of the ROC curves was not tested")
def crossing_untested(facts: ComparisonFacts) -> str | None:
    """Either of two ROC curves may be the higher one somewhere, which the AUC hides; here that was not tested.

    The test is a simultaneous band of the difference of the curves. It needs independent, unweighted cases that both
    models scored, at least thirty of each class, and at most four models: of more, compare two. In Python
    `tests.roc_difference(first, second)` of a comparison is that band, and `tests.dominance` shows where the two
    empirical curves cross, significant or not.
    """
    if facts.crossing_untested is None:
        return None
    return f"No test of whether the ROC curves cross: {facts.crossing_untested}."


@rule("A306", "The threshold was chosen on these cases")
def chosen_here(facts: ThresholdFacts) -> str | None:
    """The best threshold on some cases looks better on them than it is: it was chosen for doing well there.

    The value on new cases is corrected for that optimism by resampling, where cases have no weights and no clusters.
    Choose on one set of cases and evaluate on another where you can.
    """
    if facts.chosen_for is None:
        return None
    return f"The threshold was chosen on these same cases ({facts.chosen_for}), so its performance here is optimistic."


@rule("A307", "Another prevalence than in the data")
def other_prevalence(facts: ThresholdFacts) -> str | None:
    """The requested prevalence has odds at least twice as high, or as low, as those of these cases.

    The measures are computed from recall and specificity here. That is correct only if positives there look like
    positives here, and negatives like negatives: milder cases, other devices or other referrals break it, and these
    data cannot show it.
    """
    here, share = facts.prevalence, facts.prevalence_elsewhere
    if share is None or not 0 < here < 1:
        return None
    odds = (share / (1 - share)) / (here / (1 - here))
    if MUCH_RARER < odds < 1 / MUCH_RARER:
        return None
    return (
        f"Computed for a prevalence of {percent(share)} from data with {percent(here)}: correct only if the scores "
        "within each class are distributed alike in both."
    )
