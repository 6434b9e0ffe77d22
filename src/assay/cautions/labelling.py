"""Cautions about labels of a sample (A7xx): what few labels, or very unequal weights, leave unknown."""

from __future__ import annotations

from assay.cautions.caution import DesignFacts, SampledFacts, rule
from assay.results import counted, percent

ENOUGH_FOR_PRECISION = 50
# Measures on which only labels of predicted positives tell.
OF_CALLED = {"precision", "fdr"}


@rule("A701", "One label weighs more than all others together")
def heavy_label(facts: SampledFacts) -> str | None:
    """One labelled row had so small a chance of being drawn that it stands for more than half of all rows.

    Every number hangs on that one label. Check it by hand; draw more labels with a higher floor.
    """
    name, share = facts.heaviest
    if share <= 0.5:
        return None
    return f"One label carries {percent(share)} of the weight ({name}): check it, and draw more labels."


@rule("A702", "Average precision from few labelled positives")
def few_for_average_precision(facts: SampledFacts) -> str | None:
    """Below 50 labelled positives the limits of average precision covered as little as 84 % in the worst simulation.

    Read recall and precision at the threshold in use, whose limits held, or label more positives: a sample drawn for
    recall finds them.
    """
    if not facts.has_scores or not facts.has_limits or facts.positives >= ENOUGH_FOR_PRECISION:
        return None
    return f"Average precision rests on {facts.positives} labelled positives; below 50 its limits may be too narrow."


@rule("A703", "Few labels of one kind among the predicted positives or negatives")
def few_of_a_side(facts: SampledFacts) -> str | None:
    """Among the predicted positives, or the predicted negatives, fewer than 5 labelled rows are of one class.

    Precision and specificity covered as little as 87 % there in the worst simulation. More labels near the threshold
    tell most.
    """
    if not facts.few_of_a_side or not facts.has_limits:
        return None
    count, side, what = min(facts.few_of_a_side)
    return f"Among the {side} only {count} labelled rows are {what}: limits that rest on them may be too narrow."


@rule("A704", "A sample for precision alone")
def precision_alone(facts: DesignFacts) -> str | None:
    """A sample drawn for precision alone spends nearly all labels on the predicted positives.

    Recall, F1, accuracy and AUC from such labels are much less certain than from a simple random sample. Aim at recall
    too: precision loses little by it.
    """
    if not set(facts.aim) <= OF_CALLED or facts.kind == "simple":
        return None
    return "A sample for precision alone tells little of any other measure: aim at recall too."


@rule("A705", "Some drawn rows have no label")
def unanswered(facts: SampledFacts) -> str | None:
    """Some rows of the sample were not labelled, and the others stand for them.

    That is right if whoever labelled left rows out by chance, such as the last of the file, which is in random order.
    If hard or doubtful rows were left out, every number is biased: label them too.
    """
    if not facts.unanswered:
        return None
    return f"No label in {counted(facts.unanswered, 'drawn row')}: taken as left out by chance. If not, label them too."
