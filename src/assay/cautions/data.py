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


@rule("A101", "Only one class among the true labels")
def single_class(facts: ClassFacts) -> str | None:
    """All true labels are the same, so discrimination cannot be measured.

    Ranking measures, the rates of the missing class, balanced accuracy and correlations are undefined; accuracy and the
    probability scores remain valid. Evaluate on cases of both classes.
    """
    if len(facts.present) != 1:
        return None
    ((name, size),) = facts.cases.items()
    return (
        f"The true label is '{name}' in all {counted(size, 'case')}: discrimination between classes cannot be measured."
    )


@rule("A102", "A class has few cases")
def tiny_class(facts: ClassFacts) -> str | None:
    """A class has fewer than 20 cases, so every measure that depends on it is imprecise, however large n is.

    Look at the width of the intervals of recall, precision and AUC, and collect more cases of that class.
    """
    small = {name: size for name, size in facts.cases.items() if size < TINY_CLASS}
    if len(facts.present) < 2 or not small:
        return None
    fewest_first = sorted(small.items(), key=lambda item: item[1]) if facts.has_many_classes else list(small.items())
    counted = _and_more([f"{size:,.0f} of '{name}'" for name, size in fewest_first])
    return f"Few cases: {counted}. Measures of these classes are imprecise, however many other cases there are."


@rule("A103", "Class imbalance")
def imbalance(facts: ClassFacts) -> str | None:
    """Fewer than a tenth of the cases belong to one of two classes (of many classes: fewer than a fifth of an even
    share), so a classifier that ignores the class can have a high accuracy.

    Use measures of all classes (recall and precision together, balanced accuracy, macro F1, average precision beside
    the prevalence) and compare accuracy with that of always predicting the most frequent class.
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
            f"'{common}': accuracy hides errors in rare classes; see balanced accuracy, macro F1 and the classes."
        )
    return (
        f"Only {percent(share)} of the cases are '{name}': always predicting '{common}' has a high accuracy; "
        "see recall, precision and average precision."
    )


@rule("A104", "Scores are not probabilities")
def not_probabilities(facts: EvaluationFacts) -> str | None:
    """Some scores lie outside 0 to 1, or the scores of a case with many classes do not sum to 1, so they are not
    probabilities.

    Ranking measures use only the order of the scores and are unaffected. Brier score and log loss are not computed, and
    there is no default threshold. If the scores are logits, apply the logistic function; if they are percentages,
    divide by 100.
    """
    if facts.score_range is None:
        return None
    low, high = facts.score_range
    if low >= 0 and high <= 1:
        return (
            None
            if facts.scores_sum_to_one
            else "The scores of a case do not sum to 1, so they are not probabilities: only their order is used."
        )
    guess = (
        "logits"
        if low < 0 < high and low > -60 and high < 60
        else "percentages"
        if low >= 0 and 50 < high <= 100
        else ""
    )
    looks = f" They look like {guess}." if guess else ""
    return f"Scores range from {low:.4g} to {high:.4g}, so they are not probabilities: only their order is used.{looks}"


@rule("A105", "Predicted labels that do not occur among the true labels")
def unseen_labels(facts: EvaluationFacts) -> str | None:
    """Some predicted labels are not among the true labels.

    They count as errors, and with two classes as neither positive nor negative. If the label means "no prediction", say
    so when you report; if it is another spelling of a class, correct the file. Cases for which a classifier abstained
    have the label "rejected": rates count them as not correct; only costs that include a cost of rejection treat them
    fairly.
    """
    if not facts.unseen_labels:
        return None
    if set(facts.unseen_labels) == {REJECTED}:
        rejected = counted(round(facts.unseen_labels[REJECTED]), "case")
        return f"Rejected (no prediction): {rejected}. Rates count them as not correct; specify the cost of rejection."
    named = _and_more([f"'{name}' ({size:,.0f})" for name, size in facts.unseen_labels.items()])
    return f"Predicted labels that do not occur among the true labels: {named}. They count as errors."


@rule("A106", "Rows were dropped")
def dropped_rows(facts: EvaluationFacts | ComparisonFacts) -> str | None:
    """Rows with missing values were dropped, as requested, or cases that were in the sample of every tree of an
    ensemble. Where several models are read from one table, a row without the score of one model is dropped for all.

    If values are missing more often for difficult cases, the measures of the remaining rows are optimistic.
    """
    if not facts.dropped:
        return None
    return (
        f"Left out because of missing values: {counted(facts.dropped, 'row')}. If these are difficult cases, "
        "the measures are optimistic."
    )


@rule("A107", "A few weights dominate")
def dominating_weights(facts: EvaluationFacts) -> str | None:
    """The weights are so unequal that the effective number of cases is less than half of the number of cases.

    Estimates depend mostly on the few cases with large weights. Intervals of proportions use the effective number,
    those of areas and losses the squared weights, and those of losses are corrected for skewness; but with weights as
    unequal as these some intervals had clearly less than the nominal coverage in simulations
    (docs/verification/certificate.md, weighted rows). Look at the largest weights; consider trimming them.
    """
    if facts.kish_share >= 0.5:
        return None
    return (
        f"The weights are very unequal: the effective number of cases is {percent(facts.kish_share, 0)} of "
        "their number."
    )


@rule("A108", "Classes without true labels")
def absent_classes(facts: ClassFacts) -> str | None:
    """Some of many classes have no true label, so their recall cannot be estimated.

    Balanced accuracy and all averages over classes use the classes that occur; predictions of another class count as
    errors. Name the classes you mean, or evaluate on cases of all of them.
    """
    absent = [name for name, size in facts.class_sizes.items() if not size]
    if not facts.has_many_classes or not absent:
        return None
    named = _and_more([f"'{name}'" for name in absent])
    occur = "one class that occurs" if len(facts.present) == 1 else f"{len(facts.present):,} classes that occur"
    return f"No true label is {named}: averages are over the {occur}."


@rule("A109", "Some cases were given the default class")
def defaulted_cases(facts: EvaluationFacts) -> str | None:
    """Cases without a predicted label or probability were given the default class, as requested.

    They count as predictions like any other, and a missing probability counts as a probability of 1 for the default
    class. Without a default class missing predictions are refused (or their rows dropped, if requested), and a label
    that is no class counts as an error.
    """
    if not facts.defaulted:
        return None
    return f"Given the default class because the prediction is missing: {counted(facts.defaulted, 'case')}."


@rule("A110", "A column of the design is not used")
def unused_design(facts: EvaluationFacts) -> str | None:
    """The name of a column suggests weights, counts, clusters or folds, or the column looks like a score or a label,
    but columns were named and it was not among them.

    If it is what its name suggests, name it too: estimates or intervals would change. Otherwise ignore this caution.
    """
    unused = {role: column for role, column in facts.unused_columns.items() if role in DESIGN}
    if not unused:
        return None
    flags = " ".join(f"--{role} {column}" for role, column in unused.items())
    columns = _and_more([repr(column) for column in unused.values()])
    what = "weights, counts, clusters or folds" if not {"score", "pred"} & unused.keys() else "a score or a label"
    return f"Unused: {columns}, which may hold {what}. To use it: {flags}."


@rule("A111", "Few or very unequal clusters")
def few_clusters(facts: EvaluationFacts) -> str | None:
    """The intervals depend on the number of clusters (patients, sites), not of rows. There are fewer than 10 clusters,
    or one of them holds more than 30 % of the rows, or the rows or a class are so unevenly distributed over them that
    fewer than 4 degrees of freedom remain.

    The intervals are then wide, and they assume that these few clusters are representative. With fewer than 3 clusters,
    or an effective number below 2, no interval is shown. More rows of the same clusters do not help; more clusters do.
    """
    if facts.clusters is None:
        return None
    many, (freedom, what) = counted(facts.clusters, "cluster"), facts.cluster_freedom
    if facts.clusters < FEW_CLUSTERS:
        return f"The rows come from only {many}: the precision depends on the number of clusters, not of rows."
    if facts.largest_cluster > LARGE_CLUSTER:
        return f"One of {many} holds {percent(facts.largest_cluster)} of the rows: the estimates depend mostly on it."
    if freedom < FEW_DEGREES:
        return (
            f"{what[0].upper()}{what[1:]} are unevenly distributed over {many}: the effective number of clusters is "
            f"{freedom + 1:.1f}."
        )
    return None


@rule("A112", "Duplicated ids")
def duplicated_ids(facts: EvaluationFacts) -> str | None:
    """Some ids occur more than once for the same model, so cases may be counted twice.

    If they are repeated measurements, name the column with --cluster; if they are copies, drop them.
    """
    if not facts.duplicates:
        return None
    return f"Repeated ids: {counted(facts.duplicates, 'row')}. Drop copies; for repeated measurements use --cluster."


@rule("A113", "Many tied scores")
def many_ties(facts: EvaluationFacts) -> str | None:
    """At least a tenth of all pairs of a positive and a negative case have the same score.

    Each such pair counts as one half in the AUC, and no threshold separates it. Coarse scores (votes, ratings, rounded
    probabilities) cause this; scores with more digits may separate the cases.
    """
    if facts.tied_pairs < MANY_TIES or facts.distinct_scores < 2:
        return None
    return (
        f"The score takes only {facts.distinct_scores:,} distinct values; {percent(facts.tied_pairs)} of "
        "positive-negative pairs are tied. Each counts one half in the AUC."
    )


@rule("A114", "Binning leaves the measures uncertain")
def open_cells(facts: EvaluationFacts) -> str | None:
    """The scores were binned, and small hidden bins or wide bins leave more than a tenth of the standard error of the
    ROC AUC undetermined.

    The value of every measure from the unbinned scores lies within the bounds; the interval covers sampling error
    alone. Read the bounds first. Narrower bins (--bits), or showing small ones (no --least), make the bounds tighter.
    """
    if not facts.hidden and facts.bounds_width <= WIDE_BOUNDS:
        return None
    within = f": the exact ROC AUC lies within {facts.auc_bounds}" if facts.auc_bounds else ""
    if facts.hidden:
        return (
            f"{counted(facts.hidden, 'case')} in bins too small to be shown. Measures of the scores use the other "
            f"cases{within}."
        )
    return f"The bins of the scores are wide{within or ': see the bounds'}."


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
    """Of at least 100 cases every prediction is correct, or every positive scores above every negative; or a column may
    distinguish training from test cases.

    Performance on training cases is optimistic; a lookup table is perfect there. Evaluate on cases that were not used
    for training.
    """
    column = facts.unused_columns.get("split")
    if column is not None:
        return f"Column '{column}' may mark training cases, where performance is optimistic: see --by {column}."
    if facts.is_perfect and sum(facts.cases.values()) >= ENOUGH_TO_DOUBT:
        seen = (
            "All predictions are correct" if facts.every_answer_right else "Every positive scores above every negative"
        )
        return f"{seen}. If these are training cases, performance on new cases will be worse."
    return None


@rule("A140", "Predictions come from several folds")
def folds(facts: EvaluationFacts) -> str | None:
    """The fold column indicates that several fitted models made these predictions.

    The AUC is the mean of the folds' AUCs (LeDell), and every other measure pools their cases: it describes the models
    of these folds together, not one model fitted to all cases. The training sets of the folds overlap, so intervals and
    p-values are wider than those of a single classifier (Nadeau & Bengio 2003). Curves, bands, the decomposition of
    calibration and the performance at a chosen threshold are computed as if a single classifier had made all
    predictions, without that correction.
    """
    if facts.fold_column is None:
        return None
    scope = "the intervals allow for it; bands and chosen thresholds do not"
    return f"Column '{facts.fold_column}': several models made these predictions; {scope}."


def _and_more(words: list[str]) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(words) - MOST_NAMED:,} more" if len(words) > MOST_NAMED else ""
    return ", ".join(words[:MOST_NAMED]) + more
