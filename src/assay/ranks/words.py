"""Ranks in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.results import TestResult, counted
from assay.text import number

if TYPE_CHECKING:
    from assay.ranks.bayesian import SignedRankPosterior
    from assay.ranks.critical_difference import CriticalDifference
    from assay.ranks.posthoc import Comparisons, PairComparison
    from assay.ranks.ranks import Ranks

# With fewer data sets than this only large differences can be found.
FEW = 10
# Pairs that cannot be told apart are named up to here, pairs that can and algorithms in a row up to there, and counted
# beyond.
MOST_NAMED = 6
MOST_FOUND = 20
MOST_IN_A_ROW = 16
POOLED = ("Friedman ranks, z", "Nemenyi", "aligned ranks, z", "Quade, z")


def sentences(ranks: Ranks, comparisons: Comparisons) -> Iterator[str]:
    """What a user is told, a line each: the ranking, whether there is any difference, which, and what to mind."""
    yield from findings(ranks, comparisons)
    yield from reservations(ranks, comparisons).values()


def findings(ranks: Ranks, comparisons: Comparisons) -> Iterator[str]:
    """What was found: the ranking, whether there is any difference at all, and which."""
    count, k = ranks.results.values.shape
    listed = _some([f"{name} {ranks.mean_ranks[name]:.2f}" for name in ranks.order])
    yield (
        f"{counted(k, 'algorithm')} on {counted(count, 'data set')}, {ranks.results.better} values better. "
        f"Mean ranks (1 is best): {listed}."
    )
    if k > 2:
        yield _omnibus(ranks.omnibus(), ranks.alpha)
    yield from _pairs(comparisons, ranks.alpha)
    difference = ranks.critical_difference(control=comparisons.control)
    yield _difference(difference)
    yield from _disagreement(comparisons, difference, ranks.alpha)
    yield from _beside(ranks)


def reservations(ranks: Ranks, comparisons: Comparisons) -> dict[str, str]:
    """What to mind about it, each by a word for what it is about."""
    count, k = ranks.results.values.shape
    found = {}
    if ranks.results.dropped:
        found["missing"] = f"Left out {counted(ranks.results.dropped, 'data set')} with missing values."
    has_difference = ranks.critical_difference().undefined is None
    if k > 2 and (has_difference or comparisons.test in POOLED):
        found["pool"] = _about_pool(has_difference=has_difference, is_pooled=comparisons.test in POOLED)
    few = _few(comparisons, count, ranks.alpha)
    return found | ({"data sets": few} if few else {})


def _some(words: list[str], most: int = MOST_IN_A_ROW) -> str:
    more = len(words) - most
    return ", ".join([*words[:most], *([f"and {more:,} more"] if more > 0 else [])])


def _omnibus(tests: dict[str, TestResult], alpha: float) -> str:
    first, second = tests["iman_davenport"], tests["friedman"]
    if first.undefined is not None:
        return f"Whether they differ at all cannot be tested: {first.undefined}."
    shown = f"Iman-Davenport F = {first.statistic:.4g}, {p_words(first.p_value)}"
    beside = f"Friedman chi-square = {second.statistic:.4g}, {p_words(second.p_value)}"
    if first.p_value <= alpha:
        return f"Taken together they differ beyond chance: {shown} ({beside})."
    return f"Taken together they cannot be told apart: {shown} ({beside})."


def _pairs(comparisons: Comparisons, alpha: float) -> Iterator[str]:
    made = len(comparisons.pairs)
    how = f"{comparisons.test}, {_adjustment(comparisons.adjustment)} over {counted(made, 'comparison')}"
    found = [pair for pair in comparisons.pairs if pair.better(alpha) is not None]
    for pair in found[:MOST_FOUND]:
        yield _better(pair, alpha, how, comparisons.test in POOLED)
    if len(found) > MOST_FOUND:
        yield f"{counted(len(found) - MOST_FOUND, 'more pair')} differ beyond chance ({how})."
    unclear = [pair for pair in comparisons.pairs if pair.better(alpha) is None]
    if unclear:
        yield f"Cannot tell ({how}): {_named(unclear)}."


def _better(pair: PairComparison, alpha: float, how: str, is_ranked: bool) -> str:
    winner = pair.better(alpha)
    loser = pair.second if winner == pair.first else pair.first
    wins, losses = (pair.wins, pair.losses) if winner == pair.first else (pair.losses, pair.wins)
    verb = "ranks above" if is_ranked else "is better than"
    score = f"{counted(wins, 'win')}, {counted(pair.ties, 'tie')}, {losses} {'loss' if losses == 1 else 'losses'}"
    return f"{winner} {verb} {loser} beyond chance: {p_words(pair.adjusted)} ({how}); {score}."


def _adjustment(name: str) -> str:
    named = {"none": "unadjusted", "benjamini-hochberg": "false discovery rate", "all pairs at once": name}
    return named.get(name, name.title())


def _named(pairs: list[PairComparison]) -> str:
    named = [f"{pair.first} and {pair.second} ({p_words(pair.adjusted)})" for pair in pairs[:MOST_NAMED]]
    more = len(pairs) - len(named)
    return "; ".join([*named, *([f"and {more:,} more"] if more else [])])


def _difference(found: CriticalDifference) -> str:
    if found.undefined is not None:
        return f"There is no critical difference: {found.undefined}."
    groups = [_some(list(group)) for group in found.groups]
    more = f"; and {counted(len(groups) - MOST_NAMED, 'more group')}" if len(groups) > MOST_NAMED else ""
    apart = f"{found.method} does not tell apart: {'; '.join(groups[:MOST_NAMED])}{more}."
    shown = f"Critical difference of mean ranks ({found.method}, {found.alpha:g}): {found.difference:.3g}."
    return f"{shown} {apart if groups else f'{found.method} tells all of them apart.'}"


def _disagreement(comparisons: Comparisons, found: CriticalDifference, alpha: float) -> Iterator[str]:
    """Pairs that the test tells apart and the critical difference does not, or the other way round, with both named."""
    if found.undefined is not None or comparisons.test in POOLED:
        return
    place = dict(zip(found.algorithms, found.mean_ranks, strict=True))
    far = {pair: abs(place[pair.first] - place[pair.second]) > found.difference for pair in comparisons.pairs}
    for by_test, by_ranks, words in (
        (True, False, f"by {comparisons.test} and not by {found.method}"),
        (False, True, f"by {found.method} and not by {comparisons.test}"),
    ):
        named = [
            f"{pair.first} and {pair.second}"
            for pair, is_far in far.items()
            if (pair.better(alpha) is not None, is_far) == (by_test, by_ranks)
        ]
        if named:
            yield f"Told apart {words}: {_some(named, MOST_NAMED)}; the first looks at {_looks(by_test)}."


def _looks(is_test_first: bool) -> str:
    pair, pool = "the two alone", "ranks among all algorithms here"
    return f"{pair}, the second at {pool}" if is_test_first else f"{pool}, the second at {pair}"


def _beside(ranks: Ranks) -> Iterator[str]:
    """Those that stand beside, and how many algorithms have a better mean."""
    held = ranks.results.baseline_values
    if held is None:
        return
    sign = 1 if ranks.results.better == "higher" else -1
    for name, values in zip(ranks.results.baselines, held.T, strict=True):
        worse = [
            other
            for other, own in zip(ranks.results.algorithms, ranks.results.values.T, strict=True)
            if sign * own.mean() <= sign * values.mean()
        ]
        said = f"; not better on average: {_some(worse)}" if worse else ""
        mean = number(float(values.mean()))
        yield f"{name}, to be better than, has a mean of {mean}{said}. It is in no rank and no test."


def _about_pool(*, has_difference: bool, is_pooled: bool) -> str:
    """Aloud that the critical difference, like all tests of ranks, depends on the pool."""
    named = ["the critical difference"] * has_difference + ["the p-values of these comparisons"] * is_pooled
    return (
        f"Mind that for {' and '.join(named)} two algorithms are ranked among all others here: adding or removing one "
        "of those may turn the answer. The signed-rank test looks at the two alone."
    )


def could_not_pass(comparisons: Comparisons, count: int, alpha: float) -> bool:
    """Whether no difference, however large, could have passed: the smallest p possible is above alpha."""
    is_certain = comparisons.adjustment in ("none", "bonferroni", "holm", "shaffer", "bergmann-hommel")
    is_exact = comparisons.test in ("Wilcoxon signed-rank", "sign test")
    return is_exact and is_certain and _least(comparisons, count) > alpha


def _least(comparisons: Comparisons, count: int) -> float:
    return 2.0 ** (1 - count) * (1 if comparisons.adjustment == "none" else len(comparisons.pairs))


def _few(comparisons: Comparisons, count: int, alpha: float) -> str:
    made, least = len(comparisons.pairs), _least(comparisons, count)
    if could_not_pass(comparisons, count, alpha):
        return (
            f"With {counted(count, 'data set')} and {counted(made, 'comparison')} no difference, however large, could "
            f"have passed: the smallest p possible is {min(1.0, least):.2g}. More data sets, or fewer comparisons, are "
            "needed."
        )
    return f"With fewer than {FEW} data sets only large differences can be found." if count < FEW else ""


MOSTLY = (
    "Mostly: the mean of the differences on two data sets, drawn from where these came from, lies there more often "
    "than elsewhere. The probability is that of this being so, given these data sets, and not that of a win on the "
    "next one."
)


def about_posterior(posterior: SignedRankPosterior, sure: float = 0.95) -> str:
    """One pair's posterior in a sentence; `MOSTLY` says what is meant by it.

    >>> from assay.ranks.bayesian import SignedRankPosterior
    >>> about_posterior(SignedRankPosterior("tree", "knn", 0.97, 0.02, 0.01, 0.01, 0.001))
    'tree is mostly better than knn by more than 0.01: probability 0.970 (same 0.020, knn better 0.010).'
    """
    first, second, rope = posterior.first, posterior.second, posterior.rope
    beyond = f" by more than {rope:g}" if rope else ""
    same = f"same {number(posterior.same)}, " if rope else ""
    match posterior.likely(sure):
        case "first":
            shown, rest = posterior.first_better, f"{same}{second} better {number(posterior.second_better)}"
            return f"{first} is mostly better than {second}{beyond}: probability {number(shown)} ({rest})."
        case "second":
            shown, rest = posterior.second_better, f"{same}{first} better {number(posterior.first_better)}"
            return f"{second} is mostly better than {first}{beyond}: probability {number(shown)} ({rest})."
        case "same":
            return f"{first} and {second} are mostly the same within {rope:g}: probability {number(posterior.same)}."
    shares = f"{first} better {number(posterior.first_better)}, {same}{second} better {number(posterior.second_better)}"
    return f"Cannot tell {first} and {second} apart: {shares}."


def p_words(p_value: float) -> str:
    """A p-value as text.

    >>> p_words(0.01234), p_words(0.00001), p_words(float("nan"))
    ('p = 0.0123', 'p < 0.0001', 'equal on every data set')
    """
    if math.isnan(p_value):
        return "equal on every data set"
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.3g}"
