"""Which of two classifiers is better, a family at a time: ranking, probabilities, decisions, all adjusted together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from assay.comparison import Difference, bonferroni, bonferroni_level, judge
from assay.evaluation import Comparison, TwoClassEvaluation

__all__ = ["LEVELS", "Family", "families_of", "outcome"]

# Levels that a reader may ask for.
LEVELS = (0.9, 0.95, 0.99, 0.999)
# The one key measure that decides for each family, of two classes and of many.
KEYS: Mapping[str, tuple[str, str]] = {
    "ranking": ("roc_auc", "hand_till"),
    "probabilities": ("brier", "brier"),
    "decisions": ("accuracy", "accuracy"),
}
Outcome = Literal["first", "second", "same", "open"]


@dataclass(frozen=True)
class Family:
    """The difference of one key measure, at each level, with limits and p that hold for all families together."""

    name: str
    title: str
    better: str
    by_level: Mapping[float, Difference]


def families_of(comparison: Comparison, first: str, second: str, asked: tuple[str, ...] = ()) -> list[Family]:
    """The families that can be judged of two models; measures `asked` for take their place.

    Adjusted by Bonferroni for as many as there are: intervals alike, before a word is chosen.
    """
    place = 0 if isinstance(comparison.models[first], TwoClassEvaluation) else 1
    wanted = {name: keys[place] for name, keys in KEYS.items()}
    if asked:
        wanted = {comparison.find(measure).title: measure for measure in asked}
    kept = {name: measure for name, measure in wanted.items() if comparison.applies(measure)}
    levels = sorted({*LEVELS, comparison.level})
    found = []
    for name, measure in kept.items():
        named = comparison.find(measure)
        by_level = {level: _adjusted(comparison, measure, first, second, level, len(kept)) for level in levels}
        found.append(Family(name, named.title, named.better, by_level))
    return found


def _adjusted(comparison: Comparison, measure: str, first: str, second: str, level: float, count: int) -> Difference:
    one = comparison.difference(measure, first, second, level=bonferroni_level(level, count))
    words = f"{count} measures at once" if count > 1 else None
    return replace(one, level=level, p_value=bonferroni(one.p_value, count), adjusted=words)


def outcome(family: Family, level: float, margin: float | None) -> Outcome:
    """Who is better by it, whether they are practically the same, or that it cannot be told."""
    found = family.by_level[level]
    judged = judge(found, family.title, family.better, margin=margin)
    if judged.winner is not None:
        return "first" if judged.winner == found.first else "second"
    return "same" if judged.outcome == "practically the same" else "open"
