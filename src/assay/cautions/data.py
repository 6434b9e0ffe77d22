"""Cautions about the data (A1xx): what is in it, and what it cannot tell."""

from __future__ import annotations

from assay.cautions.caution import ClassFacts, ComparisonFacts, EvaluationFacts, rule
from assay.predictions import REJECTED
from assay.results import counted, percent

TINY_CLASS = 20
RARE_SHARE = 0.1
FEW_CLUSTERS = 10
FEW_DEGREES = 4
LARGE_CLUSTER = 0.3
UNSEEN_CLUSTER = 0.15
MOST_NAMED = 5
# What cells leave open of the AUC is told of where it is more than this share of its standard error.
WIDE_BOUNDS = 0.1
MANY_TIES = 0.1
ENOUGH_TO_DOUBT = 100
DESIGN = ("weight", "count", "cluster", "fold", "score", "pred")


@rule("A101", "Truth holds a single class")
def single_class(facts: ClassFacts) -> str | None:
    """Every case has the same true class, so nothing can be said about telling classes apart.

    Ranking measures, the rates of the missing class, balanced accuracy and correlations are undefined; accuracy and the
    probability scores still are what they say. Evaluate on cases of both classes.
    """
    if len(facts.present) != 1:
        return None
    ((name, size),) = facts.cases.items()
    return (
        f"Truth is '{name}' in all of {counted(size, 'case')}: nothing here tells how well the classes are told apart."
    )


@rule("A102", "A class has few cases")
def tiny_class(facts: ClassFacts) -> str | None:
    """A class has fewer than 20 cases, so every number that rests on it is uncertain, whatever n is.

    Look at the width of the intervals of recall, precision and AUC, and collect more cases of that class.
    """
    small = {name: size for name, size in facts.cases.items() if size < TINY_CLASS}
    if len(facts.present) < 2 or not small:
        return None
    fewest_first = sorted(small.items(), key=lambda item: item[1]) if facts.has_many_classes else list(small.items())
    counted = _and_more([f"{size:,.0f} of '{name}'" for name, size in fewest_first])
    return f"Few cases: {counted}. What rests on them is uncertain however many others there are."


@rule("A103", "The classes are far from equally common")
def imbalance(facts: ClassFacts) -> str | None:
    """Fewer than a tenth of the cases belong to one of two classes (of many: fewer than a fifth of what would be its
    even share), so accuracy rewards ignoring it.

    Judge by measures that look at all classes (recall and precision together, balanced accuracy, macro F1, average
    precision beside the prevalence) and compare accuracy with that of the commonest answer.
    """
    if len(facts.present) < 2:
        return None
    name, size = min(facts.present.items(), key=lambda item: item[1])
    share = size / facts.n
    if share >= RARE_SHARE * 2 / len(facts.present):
        return None
    common = max(facts.present, key=lambda other: facts.present[other])
    if facts.has_many_classes:
        return (
            f"Only {percent(share, 2)} of the cases are '{name}', but {percent(facts.present[common] / facts.n)} are "
            f"'{common}': accuracy hides how rare classes fare; read balanced accuracy, macro F1 and the classes."
        )
    return (
        f"Only {percent(share)} of the cases are '{name}': accuracy rewards always answering '{common}'; "
        "read recall, precision and average precision."
    )


@rule("A104", "Scores are not probabilities")
def not_probabilities(facts: EvaluationFacts) -> str | None:
    """Some scores lie outside 0 to 1, or those of many classes do not sum to 1, so they are no probabilities.

    Ranking measures use only their order and are unaffected. Brier score and log loss are not computed, and there is no
    default threshold. If the scores are logits, apply the logistic function; if they are percentages, divide by 100.
    """
    if facts.score_range is None:
        return None
    low, high = facts.score_range
    if low >= 0 and high <= 1:
        return None if facts.scores_sum_to_one else "The scores of a case do not sum to 1: only their order is used."
    guess = (
        "logits"
        if low < 0 < high and low > -60 and high < 60
        else "percentages"
        if low >= 0 and 50 < high <= 100
        else ""
    )
    looks = f" They look like {guess}." if guess else ""
    return f"Scores run from {low:.4g} to {high:.4g}, so they are no probabilities: only their order is used.{looks}"


@rule("A105", "Labels that truth never holds were predicted")
def unseen_labels(facts: EvaluationFacts) -> str | None:
    """Some cases were given a label that is no class of the truth.

    They count as wrong, and (of two classes) as neither positive nor negative. If the label means "no answer", say so
    in your report; if it is a spelling of a class, mend the file. Cases that a classifier handed on are called
    "rejected": rates count them as not decided right, and only costs that say what rejecting costs are fair to them.
    """
    if not facts.unseen_labels:
        return None
    if set(facts.unseen_labels) == {REJECTED}:
        handed_on = counted(round(facts.unseen_labels[REJECTED]), "case")
        return f"Handed on and not decided: {handed_on}, which rates count as not right. Judge by what rejecting costs."
    named = _and_more([f"'{name}' ({size:,.0f})" for name, size in facts.unseen_labels.items()])
    return f"Predicted labels that never occur in truth: {named}. They count as wrong."


@rule("A106", "Rows were dropped")
def dropped_rows(facts: EvaluationFacts | ComparisonFacts) -> str | None:
    """Rows with missing values were left out, as asked, or cases that no tree of an ensemble had left out of its
    sample. Where several models are read from one table, a row that lacks the score of one is left out for all.

    If they are missing for a reason that has to do with how hard a case is, the remaining ones flatter the classifier.
    """
    if not facts.dropped:
        return None
    return f"Left out, for want of a value: {counted(facts.dropped, 'row')}. The rest may be easier than they were."


@rule("A107", "Few weights dominate")
def dominating_weights(facts: EvaluationFacts) -> str | None:
    """The weights are so unequal that the cases are worth less than half as many equally weighted ones.

    Estimates rest on the few heavy cases. Intervals of shares count no more cases than that, those of areas and losses
    use the squared weights, and those of losses are corrected for skewness; but where weights are as unequal as here,
    some intervals held the truth clearly less often than they say (docs/verification/certificate.md, weighted rows).
    Look at the largest weights; consider trimming them.
    """
    if facts.kish_share >= 0.5:
        return None
    return (
        f"The weights are very unequal: as informative as {percent(facts.kish_share, 0)} of the cases with equal ones."
    )


@rule("A108", "Truth lacks some of the classes")
def absent_classes(facts: ClassFacts) -> str | None:
    """Some of many classes never occur in truth, so nothing is known about how they fare.

    Balanced accuracy and all averages over classes are over those that occur; cases called by the name of another class
    count as wrong. Name the classes you mean, or evaluate on cases of all of them.
    """
    absent = [name for name, size in facts.class_sizes.items() if not size]
    if not facts.has_many_classes or not absent:
        return None
    named = _and_more([f"'{name}'" for name in absent])
    occur = "one class that occurs" if len(facts.present) == 1 else f"{len(facts.present):,} classes that occur"
    return f"Truth lacks {named}: averages are over the {occur}."


@rule("A109", "Some cases were given the default class")
def defaulted_cases(facts: EvaluationFacts) -> str | None:
    """Cases without a predicted label or probability of their own were given the default class, as asked.

    They count as decisions like any other, right or wrong, and a missing probability counts as certainty of the default
    class. Without a default class what is missing is refused (or its row left out, if asked), and a label that is no
    class counts as wrong.
    """
    if not facts.defaulted:
        return None
    return f"Given the default class for want of an answer: {counted(facts.defaulted, 'case')}."


@rule("A110", "A column that says what rows are is not used")
def unused_design(facts: EvaluationFacts) -> str | None:
    """A column is called as weights, counts, clusters or folds are, or looks like a score or a label, but the columns
    were named and it was not.

    If it is what its name says, name it too: estimates or intervals would be others. If not, nothing is amiss.
    """
    unused = {role: column for role, column in facts.unused_columns.items() if role in DESIGN}
    if not unused:
        return None
    flags = " ".join(f"--{role} {column}" for role, column in unused.items())
    columns = _and_more([repr(column) for column in unused.values()])
    what = "say what rows are" if not {"score", "pred"} & unused.keys() else "be a score or a label"
    return f"Not used, though {columns} may {what}: type {flags} to use it."


@rule("A111", "Few clusters, or very unequal ones")
def few_clusters(facts: EvaluationFacts) -> str | None:
    """Clusters (patients, sites) are what intervals rest on, not rows. There are fewer than 10, or one of them holds
    over 30 % of the rows, or the rows or a class sit so unevenly in them that fewer than 4 degrees of freedom are left.

    Intervals are then wide, and still rest on the few clusters there are being like all others. With fewer than 3, or
    where they are worth fewer than 2 equal ones, none is shown. More rows of the same clusters do not help; more
    clusters do.
    """
    if facts.clusters is None:
        return None
    many, (freedom, what) = counted(facts.clusters, "cluster"), facts.cluster_freedom
    if facts.clusters < FEW_CLUSTERS:
        return f"The rows come from {many}: the intervals rest on so few, not on the rows."
    if facts.largest_cluster > LARGE_CLUSTER:
        return f"One of {many} holds {percent(facts.largest_cluster)} of the rows: the intervals rest mostly on it."
    if freedom < FEW_DEGREES:
        return (
            f"{what[0].upper()}{what[1:]} sit so unevenly in {many} that the intervals rest on as few as "
            f"{freedom + 1:.1f} equal ones would be."
        )
    return None


@rule("A112", "Duplicated ids")
def duplicated_ids(facts: EvaluationFacts) -> str | None:
    """Some ids occur more than once for the same model, so that cases may count twice.

    If they are repeated measurements, name the column with --cluster; if they are copies, drop them.
    """
    if not facts.duplicates:
        return None
    return f"Ids that came before: {counted(facts.duplicates, 'row')}. Copies count twice; repeats need --cluster."


@rule("A113", "Many scores tie")
def many_ties(facts: EvaluationFacts) -> str | None:
    """At least a tenth of all pairs of a positive and a negative have the same score.

    Each such pair counts half in the AUC, and no threshold can part it. Coarse scores (votes, ratings, rounded
    probabilities) do this; finer ones would show whether the cases can be told apart.
    """
    if facts.tied_pairs < MANY_TIES or facts.distinct_scores < 2:
        return None
    return (
        f"{percent(facts.tied_pairs)} of the pairs of a positive and a negative tie "
        f"({facts.distinct_scores:,} different scores): no threshold parts them, and each counts half in the AUC."
    )


@rule("A114", "Cells leave much open")
def open_cells(facts: EvaluationFacts) -> str | None:
    """The scores were put together in cells, and cells that are hidden or wide leave open more than a tenth of the
    standard error of the ROC AUC.

    Every figure of scores lies within its bounds for certain, and its interval speaks of chance alone: read the bounds
    first. Narrower cells (--bits), or showing small ones (no --least), leave less open.
    """
    if not facts.hidden and facts.bounds_width <= WIDE_BOUNDS:
        return None
    within = f": the ROC AUC is certain only from {facts.auc_bounds}" if facts.auc_bounds else ""
    if facts.hidden:
        return (
            f"In cells too small to be shown: {counted(facts.hidden, 'case')}. Figures of scores are of the "
            f"others{within}."
        )
    return f"The scores are in wide cells{within or ': what they leave open is in the bounds'}."


@rule("A115", "A subgroup has few cases of a class")
def small_subgroups(facts: EvaluationFacts) -> str | None:
    """A subgroup has fewer than 20 cases of a class, so its recall, precision and AUC are imprecise.

    A value of 0 or 1 there may be due to chance: read its interval, and whether the subgroups differ significantly.
    """
    if not facts.small_subgroups:
        return None
    named = _and_more(list(facts.small_subgroups))
    return f"Few cases in subgroups: {named}. Their measures are imprecise, and values of 0 or 1 may be due to chance."


@rule("A116", "Larger clusters may be missing")
def missing_clusters(facts: EvaluationFacts) -> str | None:
    """There are at least 10 clusters, and their sizes have so long a tail that a cluster larger than any here would
    hold more than 15 % of the rows.

    If large clusters are harder (or easier), a sample without the largest ones is optimistic (or pessimistic).
    Intervals allow for one larger cluster, as hard as the trend over the sizes predicts; where larger clusters are much
    harder they still held the true value less often than the level (docs/verification/certificate.md, larger clusters
    harder or easier). Sizes alone decide about this caution, because a trend may fail to show in just the samples that
    lack the large clusters. More clusters help; also compare the value of all rows with the mean over clusters.
    """
    if facts.clusters is None or facts.clusters < FEW_CLUSTERS or facts.unseen_cluster <= UNSEEN_CLUSTER:
        return None
    usual, largest = facts.cluster_sizes
    return (
        f"Cluster sizes have a long tail (median {usual:,.4g}, largest {largest:,.4g}): a larger cluster than any here "
        f"would hold about {percent(facts.unseen_cluster, 0)} of the rows. If large clusters are harder, the estimates "
        "are optimistic."
    )


@rule("A130", "These may be the training cases")
def training_cases(facts: EvaluationFacts) -> str | None:
    """Of at least 100 cases every answer is right, or every positive scores above every negative; or a column may tell
    training from test cases.

    On the cases it was fitted to a classifier looks better than it is; a lookup table is perfect there. Evaluate on
    cases it never saw.
    """
    column = facts.unused_columns.get("split")
    if column is not None:
        return f"Column '{column}' may mark training cases, where every classifier looks good: look at --by {column}."
    if facts.is_perfect and sum(facts.cases.values()) >= ENOUGH_TO_DOUBT:
        seen = "Not one case is wrong" if facts.every_answer_right else "Every positive scores above every negative"
        return f"{seen}. If these are the cases it was trained on, that says nothing about new ones."
    return None


@rule("A140", "Predictions come from several folds")
def folds(facts: EvaluationFacts) -> str | None:
    """A fold column says that several fitted models made these predictions.

    The AUC is the mean of the folds' (LeDell), and every other measure pools their cases: it describes the models of
    these very folds together, not one fitted to all cases. They learned from one another's test cases, so intervals and
    p-values are wider than those of one classifier's cases (Nadeau & Bengio 2003). Curves, bands, the parts of
    calibration and what a chosen threshold is worth are found as if one classifier had made all scores, without that.
    """
    if facts.fold_column is None:
        return None
    known = "intervals know it, bands and chosen thresholds do not"
    return f"Column '{facts.fold_column}' says several models made these scores: {known}."


def _and_more(words: list[str]) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(words) - MOST_NAMED:,} more" if len(words) > MOST_NAMED else ""
    return ", ".join(words[:MOST_NAMED]) + more
