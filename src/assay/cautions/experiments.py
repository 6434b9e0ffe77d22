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


@rule("A501", "Tested on the cases learned from")
def resubstitution(facts: StudyFacts) -> str | None:
    """Every model is judged on the very cases it was fitted to, so a learner that only remembers them comes out best.

    The figures say how well learners fit, not how well they predict. Use folds or a part held out, and keep these
    figures for showing by how much they are too good.
    """
    if not facts.is_resubstitution:
        return None
    return "Every model is tested on the cases it learned from: this is no performance; plan folds or a hold-out."


@rule("A502", "The best of several was chosen on the test folds")
def chosen_on_test_folds(facts: StudyFacts) -> str | None:
    """The best of several learners, or of several settings of one, owes part of its lead to the cases it is tested on.

    The choice can be made again on samples of the cases, and each winner judged on what its sample left out (BBC-CV):
    that gives the error to expect of the winner. Or tune inside each training part: a learner with `tune`, a nested
    plan.
    """
    if facts.chosen is None:
        return None
    name, learners, apparent, corrected = facts.chosen
    if learners < SEVERAL:
        return None
    after = (
        "" if math.isnan(corrected) else f" of {number(apparent)} is about {number(corrected)} when that is allowed for"
    )
    return f"'{name}' is the best of {learners:,} on the cases that chose it: its error{after or ' looks too low'}."


@rule("A503", "Too few splits or cases to tell the best two apart")
def too_few_to_tell(facts: StudyFacts) -> str | None:
    """The interval of the difference between the two best learners holds 0 and differences that matter besides.

    Its half-width is about the smallest difference that could have been seen half of the time. More repeats lessen the
    luck of the partition and narrow it a little; only more cases narrow it much.
    """
    if facts.unclear is None:
        return None
    first, second, measure, half_width = facts.unclear
    splits = counted(facts.splits, "split")
    if math.isnan(half_width):
        return f"Whether '{first}' is better than '{second}' cannot be told from {splits}."
    if half_width <= MATTERS:
        return None
    return (
        f"'{first}' and '{second}' cannot be told apart by {splits}: a true difference of {measure} of "
        f"{number(half_width)} would go unseen about as often as not."
    )


@rule("A504", "Test cases that were learned from")
def repeated_rows(facts: StudyFacts) -> str | None:
    """Some cases tested have exactly the features of a case learned from, so remembering is enough to get them right.

    If they are copies of one case, keep one of each, or name what they share as the group. If there are so few
    different features that strangers look alike, they are no leak, but no learner can tell them apart either.
    """
    if facts.repeated is None:
        return None
    share, same_class = facts.repeated
    if share < MANY_REPEATED:
        return None
    return (
        f"{percent(share)} of the cases tested have the same features as one learned from, {percent(same_class)} of "
        "these its class too: copies, or too few features to tell cases apart?"
    )


@rule("A505", "Rows that may belong together are spread over the folds")
def spread_groups(facts: StudyFacts) -> str | None:
    """A column that seems to say whom or what a row is about is used as a feature, and its rows lie in several folds.

    A learner then recognises the patient, not the disease, and the estimate holds for patients already known. Name the
    column as the group and let the plan keep groups together, or leave it out if it says nothing of the kind.
    """
    if facts.id_like is None:
        return None
    name, values = facts.id_like
    return (
        f"'{name}' looks like whom a row is about, and its {values:,} values recur over the folds: "
        "name it as the group and use grouped_kfold, or ignore it."
    )


@rule("A506", "Features that look prepared on all rows")
def prepared_outside(facts: StudyFacts) -> str | None:
    """The features look as if they had been scaled or turned on all rows before they were parted into folds.

    Test cases then had a say in what is learned from. For scaling that is mostly harmless; for choosing features,
    components or oversampling it is not, and those leave no trace. Put every such step into the learner's pipeline.
    """
    if facts.prepared is None:
        return None
    return f"The features look as if {facts.prepared} on all rows: do that inside the folds, in a pipeline."


@rule("A507", "Learners that failed on some splits")
def failed_on_some(facts: StudyFacts) -> str | None:
    """A learner failed on some splits, so its mean rests on other splits than those of the rest.

    If it fails where the cases are hard, its mean flatters it. Compare two learners on the splits both finished, and
    look at why it failed.
    """
    if not facts.failed:
        return None
    first, *others = (f"'{name}' on {times:,}" for name, times in facts.failed.items())
    more = f" and {counted(len(others), 'other learner')} on some" if others else ""
    return f"Failed: {first}{more} of {counted(facts.splits, 'split')}. Means over different splits do not compare."


@rule("A508", "A class is too rare for the folds")
def too_rare_for_folds(facts: StudyFacts) -> str | None:
    """A part tested on holds fewer than three cases of some class, so what rests on them there says next to nothing.

    Recall of that class, AUC and balanced accuracy then jump from fold to fold, and have no value in a fold without the
    class. Use fewer folds, stratified ones, or measures of all folds together.
    """
    if facts.rarest is None:
        return None
    name, fewest = facts.rarest
    if fewest >= FEWEST_TESTED:
        return None
    return f"A part tested on holds {counted(fewest, 'case')} of '{name}': values by fold that rest on it say little."


@rule("A509", "The cases learned from flatter")
def flattered_by_training(facts: StudyFacts) -> str | None:
    """A learner errs far less on the cases it learned from than on others: at least ten of a hundred fewer.

    Its training figure says how well it remembers. That alone is no fault (a forest remembers everything and predicts
    well all the same), but nothing may be read from that figure, and a smaller tree, fewer features, a stronger penalty
    or stopping on a part set aside may do as well or better on others.
    """
    gaps = {name: other - own for name, (own, other) in facts.flattered.items() if other - own >= LARGE_GAP}
    if not gaps:
        return None
    worst = max(gaps, key=lambda name: gaps[name])
    own, other = facts.flattered[worst]
    more = f", and {counted(len(gaps) - 1, 'other learner')} alike" if len(gaps) > 1 else ""
    return (
        f"'{worst}' has {percent(own)} of the cases it learned from wrong and {percent(other)} of others{more}: "
        "what it says of its own cases is no performance."
    )
