"""Cautions about experiments (A5xx): what a study of learners on one data set does not show."""

from __future__ import annotations

import math

from assay.cautions.caution import StudyFacts, rule
from assay.cautions.comparison import SEVERAL
from assay.results import counted, percent
from assay.text import number

# Differences up to this are taken not to matter, as in the comparison of two learners.
MATTERS = 0.01
# Of the cases tested, the share with the features of a training case from which on it is worth a word.
MANY_REPEATED = 0.02
# Cases of a class in a test part, below which what rests on them moves in steps of a third and more.
FEWEST_TESTED = 3
# Of the cases, the share that a learner has wrong among others beyond those it has wrong where it learned.
LARGE_GAP = 0.1


@rule("A501", "Tested on the training cases")
def resubstitution(facts: StudyFacts) -> str | None:
    """Every model is tested on the cases it was fitted to, so a learner that memorizes them comes out best.

    The measures show how well learners fit, not how well they predict. Use folds or a hold-out part, and use these
    measures only to show how optimistic they are.
    """
    if not facts.is_resubstitution:
        return None
    return "Every model is tested on its training cases, which is optimistic: use folds or a hold-out part."


@rule("A502", "The best of several was chosen on the test folds")
def chosen_on_test_folds(facts: StudyFacts) -> str | None:
    """The best of several learners, or of several settings of one, owes part of its lead to the cases it is tested on.

    The choice can be repeated on bootstrap samples of the cases, with each winner evaluated on the cases outside its
    sample (BBC-CV): that estimates the error to expect of the winner. Or tune within each training part: a learner with
    `tune`, a nested plan.
    """
    if facts.chosen is None:
        return None
    name, learners, apparent, corrected = facts.chosen
    if learners < SEVERAL:
        return None
    after = (
        " is optimistic"
        if math.isnan(corrected)
        else f" of {number(apparent)} is optimistic, about {number(corrected)} after correction"
    )
    return f"'{name}' was chosen as the best of {learners:,} on these cases: its error{after}."


@rule("A503", "Too few splits or cases to separate the two best")
def too_few_to_tell(facts: StudyFacts) -> str | None:
    """The interval of the difference between the two best learners contains 0 and relevant differences too.

    Its half-width is about the smallest difference that is detected in half of all repetitions. More repeats reduce the
    variance of the partition and narrow it a little; only more cases narrow it much.
    """
    if facts.unclear is None:
        return None
    first, second, measure, half_width = facts.unclear
    splits = counted(facts.splits, "split")
    if math.isnan(half_width):
        return f"Inconclusive: too few splits ({facts.splits:,}) to compare '{first}' and '{second}'."
    if half_width <= MATTERS:
        return None
    return (
        f"No significant difference between '{first}' and '{second}' in {splits}: a true difference in {measure} of "
        f"{number(half_width)} would be missed about half of the time."
    )


@rule("A504", "Test cases that occur in the training part")
def repeated_rows(facts: StudyFacts) -> str | None:
    """Some test cases have exactly the features of a training case, so memorizing is enough to predict them.

    If they are copies of one case, keep one of each, or name the group they belong to. If there are so few distinct
    features that different cases look alike, there is no leak, but no learner can separate them either.
    """
    if facts.repeated is None:
        return None
    share, same_class = facts.repeated
    if share < MANY_REPEATED:
        return None
    return (
        f"{percent(share)} of the test cases have the same features as a training case, {percent(same_class)} of these "
        "its class too: are they copies, or are there too few features?"
    )


@rule("A505", "Rows of one group lie in several folds")
def spread_groups(facts: StudyFacts) -> str | None:
    """A column that looks like an identifier of a person or object is used as a feature, and its rows lie in several
    folds.

    A learner may then recognise the patient, not the disease, and the estimate holds for known patients only. Name the
    column as the group and choose a plan that keeps groups together, or leave it out if it is no identifier.
    """
    if facts.id_like is None:
        return None
    name, values = facts.id_like
    return (
        f"'{name}' looks like an identifier whose {values:,} values occur in several folds: "
        "name it as the group and use grouped_kfold, or ignore it."
    )


@rule("A506", "Features that seem to be preprocessed on all rows")
def prepared_outside(facts: StudyFacts) -> str | None:
    """The features look as if they had been scaled or transformed on all rows before the split into folds.

    Test cases then influence what is learned. For scaling that is mostly harmless; for selecting features, components
    or oversampling it is not, and those leave no trace. Put every such step into the learner's pipeline.
    """
    if facts.prepared is None:
        return None
    return f"The features look as if {facts.prepared} on all rows: preprocess within the folds, in a pipeline."


@rule("A507", "Learners that failed on some splits")
def failed_on_some(facts: StudyFacts) -> str | None:
    """A learner failed on some splits, so its mean is over other splits than the means of the other learners.

    If it fails on difficult cases, its mean is optimistic. Compare two learners on the splits both finished, and look
    at why it failed.
    """
    if not facts.failed:
        return None
    first, *others = (f"'{name}' on {times:,}" for name, times in facts.failed.items())
    more = f" and {counted(len(others), 'other learner')} on some" if others else ""
    return f"Failed: {first}{more} of {counted(facts.splits, 'split')}. Means over different splits are not comparable."


@rule("A508", "A class is too rare for the folds")
def too_rare_for_folds(facts: StudyFacts) -> str | None:
    """A test part holds fewer than three cases of some class, so measures of that class are very imprecise there.

    Recall of that class, AUC and balanced accuracy then vary strongly between folds, and are undefined in a fold
    without the class. Use fewer folds, stratified ones, or measures of all folds together.
    """
    if facts.rarest is None:
        return None
    name, fewest = facts.rarest
    if fewest >= FEWEST_TESTED:
        return None
    return (
        f"A test part holds only {counted(fewest, 'case')} of '{name}': measures of this class by fold are imprecise."
    )


@rule("A509", "Training performance is optimistic")
def flattered_by_training(facts: StudyFacts) -> str | None:
    """The error of a learner on its training cases is at least 10 percentage points lower than on other cases.

    The training error shows how well it memorizes. That alone is no fault (a random forest memorizes everything and
    still predicts well), but the training error must not be reported as performance, and a smaller tree, fewer
    features, a stronger penalty or early stopping may do as well or better on other cases.
    """
    gaps = {name: other - own for name, (own, other) in facts.flattered.items() if other - own >= LARGE_GAP}
    if not gaps:
        return None
    worst = max(gaps, key=lambda name: gaps[name])
    own, other = facts.flattered[worst]
    more = f", and likewise {counted(len(gaps) - 1, 'other learner')}" if len(gaps) > 1 else ""
    return (
        f"'{worst}' misclassifies {percent(own)} of its training cases and {percent(other)} of other cases{more}: "
        "its training error is optimistic."
    )
