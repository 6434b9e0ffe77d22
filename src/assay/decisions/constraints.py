"""Demands that a threshold must meet before anything is made as good as possible."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import bdtrc

from assay.errors import OptionError, UnknownName
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, find, predicted_prevalence, recall, registry, specificity
from assay.request import checked_level, checked_number

__all__ = [
    "Constraint",
    "at_least",
    "at_most",
    "at_most_flagged",
    "checked_constraints",
    "counterpart",
    "least_that_passes",
]

Sense = Literal["at least", "at most"]

# Values closer to a bound than this are on it: they differ by rounding.
ROUNDING = 1e-12
# A demand in words, as the command line takes it.
DEMAND = re.compile(r"\s*(\w+)\s*(>=?|<=?)\s*([0-9.]+)\s*")


@dataclass(frozen=True)
class Constraint:
    """A measure of decisions that must be at least, or at most, so much.

    Without a confidence it must be so on these cases. With one, the one-sided Clopper-Pearson limit must be on the
    right side of the bound. That covers the choice of the threshold as well: the share moves one way as the threshold
    does, so every threshold up to the first that fails passes, and a wrong one can pass only if the one where the true
    share crosses the bound does, which happens in at most 1 - confidence of samples, whatever is then chosen.

    >>> at_least("specificity", 0.9, confidence=0.95)
    specificity at least 0.9 with 95 % confidence
    """

    measure: Measure
    bound: float
    sense: Sense
    confidence: float | None = None

    def __post_init__(self) -> None:
        if self.measure.needs is not ConfusionMatrix:
            raise OptionError(f"{self.measure.name} is of no threshold", "a measure of decisions, such as specificity")
        if self.confidence is None:
            return
        if self.measure.monotone is None:
            known = ", ".join(measure.name for measure in registry.values() if measure.monotone is not None)
            raise OptionError(
                f"{self.measure.name} is not monotone in the threshold, so passing at one threshold has no exact limit",
                f"one of {known}, or no confidence; then check the chosen threshold on fresh cases",
            )
        checked_level(self.confidence, "confidence")

    def __repr__(self) -> str:
        sure = "" if self.confidence is None else f" with {100 * self.confidence:g} % confidence"
        return f"{self.measure.name} {self.sense} {self.bound:g}{sure}"

    def passes(self, swept: ConfusionMatrix, shares: int = 1) -> Any:
        """At which thresholds of a sweep (the last axis) it holds; the confidence is shared among `shares` demands."""
        if self.confidence is None:
            value = np.asarray(self.measure(swept))
            return value >= self.bound - ROUNDING if self.sense == "at least" else value <= self.bound + ROUNDING
        assert self.measure.parts is not None
        assert self.measure.monotone is not None
        part, whole = (np.asarray(count) for count in self.measure.parts(swept))
        held = _is_confidently_beyond(part, whole, self.bound, self.sense, (1 - self.confidence) / shares)
        # Nobody and everybody positive: certain without any case.
        for end, certain in zip((0, -1), self.measure.monotone, strict=True):
            held[..., end] = certain >= self.bound if self.sense == "at least" else certain <= self.bound
        return held

    def refuses(self, table: ScoreTable, prevalence: float | None) -> str | None:
        """Why a table gives no such confidence, or None."""
        return None if self.confidence is None else self.why_unsure(table, prevalence)

    def why_unsure(self, table: ScoreTable, prevalence: float | None) -> str | None:
        """Why nothing exact can be said of the measure on new cases, or None."""
        if self.measure.monotone is None:
            return f"{self.measure.name} is not monotone in the threshold; check it on new cases"
        if table.is_weighted:
            return "an exact limit counts cases, but these have weights"
        if table.rows is not None:
            return "an exact limit assumes independent cases, and these come in clusters"
        if prevalence is not None and self.measure is predicted_prevalence:
            return "the share of predicted positives at another prevalence has no exact limit"
        return None


def checked_constraints(constraint: Any) -> tuple[Constraint, ...]:
    """One demand or several as a tuple.

    >>> checked_constraints("recall >= 0.9")
    Traceback (most recent call last):
    assay.errors.OptionError: constraint is 'recall >= 0.9'; needed: assay.decisions.at_least('recall', 0.9)
    """
    several = isinstance(constraint, Iterable) and not isinstance(constraint, str | bytes)
    found = tuple(constraint) if several else (constraint,)
    others = [one for one in found if not isinstance(one, Constraint)]
    if not others:
        return found
    odd = others[0]
    written = DEMAND.fullmatch(odd) if isinstance(odd, str) else None
    makes, measure, bound = ("at_least", "recall", "0.9")
    if written is not None:
        makes, measure, bound = ("at_least" if ">" in written[2] else "at_most", written[1], written[3])
    raise OptionError(
        f"constraint is {_short_number(odd)}", f"assay.decisions.{makes}({measure!r}, {bound})", about="constraint"
    )


def _short_number(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def at_least(measure: str | Measure, bound: float, *, confidence: float | None = None) -> Constraint:
    """Demand that a measure be at least so much: `at_least("recall", 0.9, confidence=0.95)`."""
    return Constraint(_find_rate(measure), checked_number(bound, "bound"), "at least", confidence)


def at_most(measure: str | Measure, bound: float, *, confidence: float | None = None) -> Constraint:
    """Demand that a measure be at most so much: `at_most("fpr", 0.05)`."""
    return Constraint(_find_rate(measure), checked_number(bound, "bound"), "at most", confidence)


def at_most_flagged(number: float, per: float, *, confidence: float | None = None) -> Constraint:
    """Demand that of `per` cases at most `number` be called positive: what those who look at them can do.

    >>> at_most_flagged(200, per=5000)
    predicted_prevalence at most 0.04
    """
    if not 0 <= number <= per or per <= 0:
        raise OptionError(f"{number:g} of {per:g} cases may be flagged", "no more than there are", {"per": 5000})
    return at_most(predicted_prevalence, number / per, confidence=confidence)


def least_that_passes(demand: Constraint, cases: int, shares: int = 1) -> int:
    """How many of so many cases a demand needs on its side: right ones of a recall, cases not flagged of a capacity.

    >>> [least_that_passes(at_least("recall", 0.9, confidence=sure), 105) for sure in (None, 0.95)]
    [95, 100]
    """
    bound = demand.bound if demand.sense == "at least" else 1 - demand.bound
    if demand.confidence is not None:
        return _critical_count(cases, bound, (1 - demand.confidence) / shares) if 0 < bound < 1 else 0
    return min(max(math.ceil((bound - ROUNDING) * cases), 0), cases)


def counterpart(constraints: tuple[Constraint, ...]) -> Measure:
    """What to make as good as possible where only demands are given: what they cost most."""
    asked = [one.measure.answers for one in constraints]
    return specificity if any(each is not None and each.within == 1 for each in asked) else recall


def _is_confidently_beyond(part: Any, whole: Any, bound: float, sense: Sense, alpha: float) -> Any:
    """Whether a count is so high (low) that shares at or beyond the bound would give it in at most `alpha` of samples.

    The smallest count that passes is looked up once for each number of cases, and counts are compared with it.
    """
    wanted, count = (bound, part) if sense == "at least" else (1 - bound, whole - part)
    if wanted <= 0 or wanted >= 1:
        return np.full(count.shape, wanted <= 0)
    return count >= _critical_counts(whole[..., :1], wanted, alpha)


def _critical_counts(sizes: Any, bound: float, alpha: float) -> Any:
    """The fewest successes of so many cases by which a share of at least `bound` is sure."""
    found = np.empty(np.shape(sizes))
    known: dict[int, int] = {}
    for place, size in np.ndenumerate(sizes):
        n = int(size)
        if n not in known:
            known[n] = _critical_count(n, bound, alpha)
        found[place] = known[n]
    return found


def _critical_count(n: int, bound: float, alpha: float) -> int:
    """The smallest k with P(Binomial(n, bound) >= k) <= alpha; n + 1 where there is none."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        # No successes at all are sure of nothing.
        if middle > 0 and (middle > n or float(bdtrc(middle - 1, n, bound)) <= alpha * (1 + ROUNDING)):
            high = middle
        else:
            low = middle + 1
    return low


def _find_rate(measure: str | Measure) -> Measure:
    if isinstance(measure, Measure):
        return measure
    try:
        return find(measure)
    except UnknownName as error:
        raise UnknownName(error.found, "a measure of decisions, such as specificity") from None
