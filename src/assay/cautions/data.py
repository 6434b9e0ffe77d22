"""Cautions about the data (A1xx): what is in it, and what it cannot tell."""

from __future__ import annotations

from assay.cautions._caution import Facts, rule
from assay.results import counted, percent

TINY_CLASS = 20
RARE_SHARE = 0.1


@rule("A101", "Truth holds a single class")
def single_class(facts: Facts) -> str | None:
    """Every case has the same true class, so nothing can be said about telling classes apart.

    Ranking measures, the rates of the missing class, balanced accuracy and correlations are undefined; accuracy and the
    probability scores still are what they say. Evaluate on cases of both classes.
    """
    if len(facts.present) != 1:
        return None
    ((name, size),) = facts.present.items()
    return (
        f"Truth is '{name}' in all of {counted(size, 'case')}: nothing here tells how well the classes are told apart."
    )


@rule("A102", "A class has few cases")
def tiny_class(facts: Facts) -> str | None:
    """One class has fewer than 20 cases, so every number that rests on it is uncertain, whatever n is.

    Look at the width of the intervals of recall, precision and AUC, and collect more cases of that class.
    """
    small = {name: size for name, size in facts.present.items() if size < TINY_CLASS}
    if len(facts.present) < 2 or not small:
        return None
    counted = ", ".join(f"{size:,.0f} of '{name}'" for name, size in small.items())
    return f"Few cases: {counted}. What rests on them is uncertain however many others there are."


@rule("A103", "The classes are far from equally common")
def imbalance(facts: Facts) -> str | None:
    """Fewer than a tenth of the cases belong to one class, so accuracy rewards ignoring it.

    Judge by measures that look at both classes (recall and precision together, balanced accuracy, average precision
    beside the prevalence) and compare accuracy with that of the commonest answer.
    """
    if len(facts.present) < 2:
        return None
    name, size = min(facts.present.items(), key=lambda item: item[1])
    share = size / facts.n
    if share >= RARE_SHARE:
        return None
    common = max(facts.present, key=lambda other: facts.present[other])
    return (
        f"Only {percent(share)} of the cases are '{name}': accuracy rewards always answering '{common}'; "
        "read recall, precision and average precision."
    )


@rule("A104", "Scores are not probabilities")
def not_probabilities(facts: Facts) -> str | None:
    """Some scores lie outside 0 to 1, so they cannot be read as probabilities.

    Ranking measures use only their order and are unaffected. Brier score and log loss are not computed, and there is no
    default threshold. If the scores are logits, apply the logistic function; if they are percentages, divide by 100.
    """
    if facts.score_range is None:
        return None
    low, high = facts.score_range
    if low >= 0 and high <= 1:
        return None
    guess = (
        "logits" if low < 0 < high and low > -60 and high < 60 else "percentages" if low >= 0 and high <= 100 else ""
    )
    looks = f" They look like {guess}." if guess else ""
    return f"Scores run from {low:.4g} to {high:.4g}, so they are no probabilities: only their order is used.{looks}"


@rule("A105", "Labels that truth never holds were predicted")
def unseen_labels(facts: Facts) -> str | None:
    """Some cases were given a label that is no class of the truth.

    They count as wrong, and as neither positive nor negative. If the label means "no answer", say so in your report; if
    it is a spelling of a class, mend the file.
    """
    if not facts.unseen_labels:
        return None
    counted = ", ".join(f"'{name}' ({size:,.0f})" for name, size in list(facts.unseen_labels.items())[:5])
    return f"Predicted labels that never occur in truth: {counted}. They count as wrong."


@rule("A106", "Rows were dropped")
def dropped_rows(facts: Facts) -> str | None:
    """Rows with missing values were left out, as asked. If they are missing for a reason that has to do with how hard
    a case is, the remaining ones flatter the classifier.
    """
    if not facts.dropped:
        return None
    return f"Left out, for missing values: {counted(facts.dropped, 'row')}. The rest may be easier than they were."


@rule("A107", "Columns that would change the intervals are not used")
def unused_design(facts: Facts) -> str | None:
    """The file has columns that look like weights, counts or clusters, which are not used yet.

    Estimates treat every row as one case and intervals treat rows as independent. Rows of the same person or site make
    intervals too narrow.
    """
    names = [column for role, column in facts.unused_columns.items() if role in ("weight", "count", "cluster")]
    if not names:
        return None
    return f"Not used yet: {', '.join(names)}. Every row counts as one independent case."


@rule("A140", "Predictions come from several folds")
def folds(facts: Facts) -> str | None:
    """A fold column says that several fitted models made these predictions.

    The intervals describe one classifier on new cases; pooled folds mix scores of different models, and the variation
    of training is not measured.
    """
    column = facts.unused_columns.get("fold")
    if column is None:
        return None
    return f"Column '{column}' says several models made these scores; the intervals treat them as one classifier's."
