"""Cautions about comparisons (A4xx): what a difference between classifiers does not show."""

from __future__ import annotations

from assay.cautions.caution import ComparisonFacts, rule
from assay.results import counted
from assay.text import number

# From so many models on the best of them is likely to be the best by luck in part.
SEVERAL = 3


@rule("A401", "Several comparisons")
def several_comparisons(facts: ComparisonFacts) -> str | None:
    """With many pairs some differ by chance. The intervals and p-values here are adjusted to hold simultaneously.

    Comparing pairs one by one (or one measure after the other) and reporting those that differ is not valid.
    """
    if facts.comparisons < 2:
        return None
    return f"{facts.comparisons:,} comparisons: intervals and p-values are adjusted to hold simultaneously."


@rule("A402", "The best model was chosen on these cases")
def chosen_model(facts: ComparisonFacts) -> str | None:
    """The best of several models owes part of its lead to these cases.

    Its own interval does not allow for the selection. Evaluate the best model on cases that were not used to choose it.
    """
    if facts.compared_models < SEVERAL:
        return None
    return (
        f"The best of {facts.compared_models:,} models was chosen on these cases, so its performance here "
        "is optimistic: evaluate it on others."
    )


@rule("A403", "Cases without a counterpart")
def unmatched_cases(facts: ComparisonFacts) -> str | None:
    """Some rows of one model have no row of another for the same case, so they were left out.

    If a model has no prediction for difficult cases, its measures are optimistic.
    """
    if not facts.unmatched:
        return None
    return (
        f"Left out because the other model has no prediction: {counted(facts.unmatched, 'row')}. They may be "
        "difficult cases."
    )


@rule("A404", "Two models have nearly equal scores")
def nested_models(facts: ComparisonFacts) -> str | None:
    """The scores of two models are almost equal, as those of a model and of the same model with one more variable are.

    For nested models fitted to the same cases DeLong's test is invalid: it is too conservative. On cases that neither
    was fitted to it is valid. Test the added variable in the model instead.
    """
    if facts.nearly_equal is None:
        return None
    first, second = facts.nearly_equal
    return f"'{first}' and '{second}' have nearly equal scores: compare nested models on unseen cases only."


@rule("A405", "Too few cases for a conclusion")
def too_few_to_tell(facts: ComparisonFacts) -> str | None:
    """There is no significant difference, but a relevant one may exist: the interval contains 0 and other values too.

    Its half-width is about the smallest difference that is detected in half of all samples. A difference that is not
    significant is no evidence of equality: name a margin and see whether the interval lies within it.
    """
    if facts.unclear is None:
        return None
    measure, half_width = facts.unclear
    if not half_width > 0:
        return None
    return (
        f"No significant difference is no evidence of equality: a true difference of {number(half_width)} in {measure} "
        "would be missed in half of all samples of this size, and a smaller one more often."
    )
