"""Cautions about comparisons (A4xx): what a difference between classifiers does not show."""

from __future__ import annotations

from assay.cautions.caution import ComparisonFacts, rule
from assay.results import counted
from assay.text import number

# From so many models on the best of them is likely to be the best by luck in part.
SEVERAL = 3


@rule("A401", "Several comparisons")
def several_comparisons(facts: ComparisonFacts) -> str | None:
    """Of many pairs some differ by chance. The intervals and p-values here are adjusted so that all hold together.

    Comparing pairs one by one (or one measure after the other) and reporting those that differ is not.
    """
    if facts.comparisons < 2:
        return None
    return (
        f"{facts.comparisons:,} comparisons: intervals and p-values hold all at once; single pairs or measures do not."
    )


@rule("A402", "The best of several was found on these cases")
def chosen_model(facts: ComparisonFacts) -> str | None:
    """The model that comes out best among several owes part of its lead to these very cases.

    Its own interval does not know that it was chosen. Evaluate the winner on cases that had no part in the choice.
    """
    if facts.compared_models < SEVERAL:
        return None
    return (
        f"The best of {facts.compared_models:,} models looks better on the cases that chose it: "
        "claim its performance on others."
    )


@rule("A403", "Cases without a counterpart")
def unmatched_cases(facts: ComparisonFacts) -> str | None:
    """Some rows of one model have no row of another for the same case, so they were left out.

    If a model gives no answer where a case is hard, what remains flatters it.
    """
    if not facts.unmatched:
        return None
    return f"Left out, for want of the other model's answer: {counted(facts.unmatched, 'row')}. They may be hard cases."


@rule("A404", "Two models score nearly alike")
def nested_models(facts: ComparisonFacts) -> str | None:
    """The scores of two models are almost the same, as those of a model and the same with a variable more are.

    For nested models fitted to the very cases they are compared on, DeLong's test does not hold: it finds too little.
    On cases that neither was fitted to it does. Test the added variable in the model instead.
    """
    if facts.nearly_equal is None:
        return None
    first, second = facts.nearly_equal
    return f"'{first}' and '{second}' score nearly alike: if one contains the other, compare them on unseen cases only."


@rule("A405", "Too few cases to tell")
def too_few_to_tell(facts: ComparisonFacts) -> str | None:
    """No difference was found, but one that matters may be there: the interval holds 0 and much besides.

    Its half-width is about the smallest difference that could have been seen half of the time. Not finding a difference
    is no sign that there is none: name a margin and see whether the interval lies inside it.
    """
    if facts.unclear is None:
        return None
    measure, half_width = facts.unclear
    if not half_width > 0:
        return None
    return (
        f"No significant difference is no evidence of equality: a true difference of {number(half_width)} in {measure} "
        "would go undetected in half of all samples of this size, and a smaller one more often."
    )
