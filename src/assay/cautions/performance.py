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


@rule("A201", "Probabilities are worse than a constant")
def worse_than_constant(facts: EvaluationFacts) -> str | None:
    """Always saying the share of positives (of many classes, the share of each) would have a better Brier score: the
    skill is below zero, even at the upper end of its 99 % interval.

    The ranking may still be good; recalibrate the scores on other data before using them as probabilities.
    """
    if not facts.brier_skill_high < 0:
        return None
    shares = "the shares of the classes" if facts.has_many_classes else "the share of positives"
    return f"As probabilities these scores do worse than always saying {shares}: recalibrate them."


@rule("A202", "Certain and wrong")
def certain_and_wrong(facts: EvaluationFacts) -> str | None:
    """Some cases were given probability 0 or 1 and turned out otherwise, which makes log loss infinite.

    The value shown holds probabilities 2.2e-16 away from 0 and 1; it depends on that choice and has no interval.
    """
    if not facts.certain_and_wrong:
        return None
    return (
        f"Called certain (0 or 1) and wrong: {counted(facts.certain_and_wrong, 'case')}. "
        "Log loss is infinite; the value shown is clipped."
    )


@rule("A203", "Probabilities are shown to be wrong")
def misfit(facts: EvaluationFacts | CalibrationFacts) -> str | None:
    """In some range what occurred is not what the probabilities say, by more than chance.

    The range comes from a band that holds the whole reliability curve at once, so looking along the curve is paid for.
    Over-confident probabilities are too far from one half, under-confident ones too near. Recalibrate on other cases.
    """
    if not facts.misfits:
        return None
    first, *others = facts.misfits
    more = f"; and {counted(len(others), 'more range')}" if others else ""
    return f"{first[0].upper()}{first[1:]}{more}. The band of the whole curve excludes what they say."


@rule("A205", "A calibration error that calibrated probabilities show too")
def error_by_chance(facts: CalibrationFacts) -> str | None:
    """The expected calibration error is never 0: on so many cases right probabilities show one as well.

    Read it beside that figure, or use a measure that is 0 for right probabilities on average (the debiased one).
    """
    if facts.calibration_error is None:
        return None
    value, usual, p_value = facts.calibration_error
    if not p_value > NOT_UNUSUAL:
        return None
    shown = f"An ECE of {number(value)} is what calibrated probabilities show too"
    return f"{shown}: {number(usual)} on average with so many cases."


@rule("A206", "Hosmer-Lemeshow rests on thin groups")
def thin_groups(facts: CalibrationFacts) -> str | None:
    """Its chi-squared needs about five expected cases of either class in each group, and outputs that are not extreme.

    Where that fails its p-value is too small too often; how groups are cut changes it too. Prefer Cox's line and the
    isotonic test.
    """
    if not facts.hosmer_lemeshow:
        return None
    return f"The Hosmer-Lemeshow test is doubtful here: {'; '.join(facts.hosmer_lemeshow)}."


@rule("A204", "Saturated probabilities")
def saturated(facts: EvaluationFacts) -> str | None:
    """At least a twentieth of the probabilities are exactly 0 or 1, as rounding, votes and overfitted models make them;
    of many classes, at least a twentieth of the cases have one at exactly 1.

    They cannot be ranked among each other, and one that is wrong makes log loss infinite. Keep more digits, or smooth
    the counts behind them.
    """
    if facts.saturated < MANY_SATURATED:
        return None
    if facts.has_many_classes:
        return f"{percent(facts.saturated)} of the cases have a class at exactly 1, which claims certainty: votes?"
    share = "All probabilities" if facts.saturated == 1 else f"{percent(facts.saturated)} of the probabilities"
    return f"{share} are exactly 0 or 1, which claims certainty: labels, votes or rounding rather than probabilities?"


@rule("A301", "Less often right than the commonest answer")
def worse_than_majority(facts: EvaluationFacts) -> str | None:
    """On these cases the classifier is right less often than always answering the commonest class would be, by more
    than chance explains (a one-sided sign test on the cases where the two differ, p below 0.01; weighted cases count
    as so many equal ones as tell as much, and clusters are tested as wholes).

    Another threshold, or the costs of the two errors, may still make it useful.
    """
    if not facts.p_below_majority < RARELY_BY_CHANCE:
        return None
    name, size = max(facts.class_sizes.items(), key=lambda item: item[1])
    shares = f"{percent(size / facts.n)} against {percent(facts.accuracy)}"
    return f"Always answering '{name}' is right more often: {shares}."


@rule("A302", "The labels may be swapped")
def swapped(facts: EvaluationFacts) -> str | None:
    """Positives score reliably lower than negatives, or cases reliably lower for their own class than others do, which
    hardly any classifier does on purpose.

    The usual causes: the score is that of the other class, the wrong class was named positive, or the columns of many
    classes stand in another order. Nothing is flipped here; the numbers are reported as they are.
    """
    if not (facts.auc_high < 0.5 or facts.informedness_high < 0):
        return None
    if facts.has_many_classes:
        return "Classes are ranked below chance: their scores may stand in another order. Nothing was rearranged."
    other = next((name for name in facts.class_sizes if name != facts.positive), "")
    return (
        f"'{facts.positive}' is ranked below chance: the scores may be those of '{other}', "
        "or the labels swapped. Nothing was flipped."
    )


@rule("A305", "The threshold was not chosen by anyone")
def default_threshold(facts: EvaluationFacts) -> str | None:
    """The decisions call a case positive from 0.5 on, because no other threshold was given.

    It is the cheapest threshold where a miss costs as much as a false alarm and the probabilities are right; else
    another one is. Say what a miss costs (`assay threshold`), or move the slider of the page.
    """
    if facts.threshold is None or facts.threshold_was_given:
        return None
    return f"Nobody chose the threshold {facts.threshold:.2f}: which one is cheapest depends on what a miss costs."


@rule("A308", "The threshold lies outside the scores")
def threshold_outside(facts: EvaluationFacts) -> str | None:
    """The threshold that was given is above every score, or below every score, so that all cases are predicted to be of
    one class: precision, recall and what is made of them say nothing about the scores.

    The usual cause is a threshold in percent for probabilities between 0 and 1, or the other way round.
    """
    if facts.threshold is None or facts.score_range is None or not facts.threshold_was_given:
        return None
    low, high = facts.score_range
    if low <= facts.threshold <= high or math.isinf(facts.threshold):
        return None
    side, predicted = ("above", "No case is") if facts.threshold > high else ("below", "Every case is")
    return (
        f"The threshold {facts.threshold:.4g} is {side} every score ({low:.4g} to {high:.4g}). {predicted} predicted "
        "positive."
    )


@rule("A303", "ROC curves cross")
def crossing_curves(facts: ComparisonFacts) -> str | None:
    """Each of two classifiers is better than the other somewhere: the band of the difference of their ROC curves, which
    holds everywhere at once, lies above zero in one place and below it in another.

    One number such as the AUC hides that. Which to use depends on costs and prevalence: read the table of the hull.
    """
    if facts.crossing is None:
        return None
    first, second = facts.crossing
    return f"The ROC curves of '{first}' and '{second}' cross: which is better depends on costs, not on the AUC."


@rule("A304", "Whether ROC curves cross was not tested")
def crossing_untested(facts: ComparisonFacts) -> str | None:
    """Of two ROC curves each may be the higher one somewhere, which the AUC hides; here that was not tested.

    The test is a band of their difference that holds everywhere at once. It takes equal, independent cases that both
    models have, thirty of a class at least, and four models at most: of more, compare two. In Python
    `tests.roc_difference(first, second)` of a comparison is that band, and `tests.dominance` says where two curves
    cross as they are drawn, chance or not.
    """
    if facts.crossing_untested is None:
        return None
    return f"Whether the ROC curves cross was not tested: {facts.crossing_untested}."


@rule("A306", "The threshold was chosen on these cases")
def chosen_here(facts: ThresholdFacts) -> str | None:
    """The best threshold of some cases looks better on them than it is: it was chosen for doing well there.

    The value on new cases has that optimism taken off by resampling, where cases have no weights and no clusters.
    Choose on one set of cases and evaluate on another where you can.
    """
    if facts.chosen_for is None:
        return None
    return f"The threshold was chosen on these very cases ({facts.chosen_for}), where it looks better than it is."


@rule("A307", "The prevalence is not that of the cases")
def other_prevalence(facts: ThresholdFacts) -> str | None:
    """Figures are asked for where positives are at least twice as common, or as rare, as among these cases.

    They are computed from recall and specificity here. That is right only if positives there look like positives here
    and negatives like negatives: milder cases, other devices or other referrals break it, and nothing here shows it.
    """
    here, share = facts.prevalence, facts.prevalence_elsewhere
    if share is None or not 0 < here < 1:
        return None
    odds = (share / (1 - share)) / (here / (1 - here))
    if MUCH_RARER < odds < 1 / MUCH_RARER:
        return None
    return f"Carried from {percent(here)} positives to {percent(share)}: right only if each class looks the same there."
