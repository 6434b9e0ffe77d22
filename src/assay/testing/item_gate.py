"""Gates on the logs of language-model evaluations: a mean score, or its difference from another log, and their power.

Limits are one-sided: at level .95 a lower limit is that of the two-sided interval at .90.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, stdtrit

from assay.errors import OptionError
from assay.items import ItemEvaluation, ItemLine, ItemPair, compare_items, difference_limits, evaluate_items, spread_of
from assay.results import counted
from assay.sources import Source
from assay.testing.gates import FAIL, INCONCLUSIVE, PASS, UNJUDGED, Finding, Outcome, judge, status_at
from assay.testing.language import Demand, Requirement, parse
from assay.text import share_words

__all__ = ["ItemGate", "parse_of_items"]

SCORE = "score"
SPLITS = 200
# A true drop that power is shown for, where the bound itself gives none.
USUAL_DROP = 0.05


def parse_of_items(text: str) -> Requirement:
    """The requirement of a text whose measure is the score of a log.

    >>> print(parse_of_items("delta(score, old.eval) >= -0.02"))
    delta(score, "old.eval") >= -0.02
    """
    requirement = parse(text, (SCORE,))
    for demand in requirement.demands:
        asked = demand.quantity
        if asked.measure != SCORE:
            raise requirement.misfit(asked, "the measure of a log is score; write a requirement such as score >= 0.8")
        if asked.of_class is not None or asked.group is not None:
            raise requirement.misfit(asked, "a score of a log has no classes or subgroups; write score >= 0.8")
    return requirement


@dataclass(frozen=True, eq=False)
class ItemGate:
    """One model of a log, one scorer and one task, ready for requirements to be checked.

    `choice` are the options by which they were chosen, which hold for the log of a base too.

    >>> answers = {"item": list(range(200)), "score": [int(k % 8 > 0) for k in range(200)]}
    >>> print(ItemGate.of(answers).check("score >= 0.7").status)
    pass
    """

    found: ItemEvaluation
    data: Any
    level: float
    choice: Mapping[str, Any]
    worse: float | None = None
    has_splits: bool = False

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        level: float = 0.95,
        worse: float | None = None,
        aa: bool = False,
        missing: str = "refuse",
        **choice: Any,
    ) -> ItemGate:
        """From whatever `assay.evaluate_items` takes."""
        if not 0.5 < level < 1:
            raise OptionError(f"level is {level:g}", "a number between 0.5 and 1: limits are one-sided", about="level")
        found = evaluate_items(data, level=_two_sided_level(level), **choice)
        _ = found.only
        return cls(found, data, level, {**choice, "missing": missing}, worse, aa)

    @property
    def source(self) -> Source:
        """What was read."""
        scores = self.found.only.scores
        return Source(scores.source, scores.tool, rows=sum(scores.states.values()), notes=self.found.notes)

    def check(self, requirement: str | Requirement) -> Outcome:
        """Return the outcome of a requirement."""
        asked = parse_of_items(requirement) if isinstance(requirement, str) else requirement
        return Outcome(asked, tuple(self._finding(demand) for demand in asked.demands))

    def _finding(self, demand: Demand) -> Finding:
        if demand.quantity.base is None:
            return self._mean_finding(demand, self.found.only)
        pair = self._paired_with_base(demand.quantity.base)
        title = f"Mean score minus that of {demand.quantity.base}"
        finding = judge(demand, pair.difference, title, rows=pair.spread.n, clustered=pair.spread.clusters is not None)
        if pair.withheld is not None:
            return replace(finding, status=UNJUDGED, sentence=f"{finding.sentence} {pair.withheld}")
        more = [self._power(demand, pair), *(self._split_half_verdicts(demand) if self.has_splits else [])]
        return replace(finding, sentence=" ".join([finding.sentence, *(part for part in more if part)]))

    def _mean_finding(self, demand: Demand, line: ItemLine) -> Finding:
        spread = line.spread
        finding = judge(
            demand, line.estimate, "Mean score", rows=spread.n, clustered=spread.clusters is not None
        )  # fmt: skip
        other = line.with_errors
        if other is not None and line.depends_on_errors:
            words = f"With errors counted as incorrect it is {other.value:.3f}: no verdict while it depends on them."
            return replace(finding, status=UNJUDGED, sentence=f"{finding.sentence} {words}")
        return finding

    def _paired_with_base(self, base: str) -> ItemPair:
        """The log beside that of a base, at the two-sided level whose limits are one-sided ones."""
        found = compare_items(self.data, Path(base), level=_two_sided_level(self.level), **self.choice)
        if len(found.pairs) > 1:
            raise OptionError(f"{base!r} holds several models", "a log of one model")
        return found.pairs[0]

    def _power(self, demand: Demand, pair: ItemPair) -> str:
        """How often a true difference beyond the bound would pass, and a model as good; new items like these."""
        spread, sign = pair.spread, 1.0 if demand.operator in (">=", ">") else -1.0
        if spread.undefined is not None or spread.variance == 0 or demand.quantity.limit is not None:
            return ""
        worse = self.worse if self.worse is not None else abs(demand.bound) or USUAL_DROP
        low, high = pair.first.scores.bounds
        t = float(stdtrit(spread.df, self.level))

        def passes(truth: float) -> float:
            return float(ndtr(sign * (truth - demand.bound) / ((high - low) * spread.se) - t))

        truth = demand.bound - sign * worse
        return (
            f"With {counted(spread.n, 'item')} and repeats like these a true difference of {truth:+.3g} would pass in "
            f"{share_words(passes(truth))} of runs, and an equally good model in {share_words(passes(0.0))}."
        )

    def _split_half_verdicts(self, demand: Demand) -> list[str]:
        """A/A: the verdict between random halves of the repeats of this one log."""
        line = self.found.only
        if line.scores.repeats[0] < 2 or line.measure != "mean":
            raise OptionError(
                "aa splits repeats, but some items have a single answer", "a log with repeats", about="aa"
            )
        seen = dict.fromkeys((PASS, INCONCLUSIVE, FAIL), 0)
        rng = np.random.default_rng(0)
        half = line.scores.repeats[0] // 2
        low, high = line.scores.bounds
        for _ in range(SPLITS):
            values = np.array([_half_difference(each, half, rng) for each in line.scores.scores])
            spread = spread_of(values, line.scores.clusters)
            if spread.undefined is not None:
                return [f"A/A: no verdict ({spread.undefined})."]
            limits = difference_limits(spread, _two_sided_level(self.level))
            lower, value, upper = ((high - low) * number for number in (limits[0], spread.mean, limits[1]))
            seen[status_at(demand, lower, value, upper)] += 1
        shares = ", ".join(f"{status} in {share_words(count / SPLITS)}" for status, count in seen.items())
        repeats = counted(half, "answer")
        return [f"A/A, this log against itself by {SPLITS} random splits of its repeats ({repeats} a side): {shares}."]


def _half_difference(scores: Any, half: int, rng: np.random.Generator) -> float:
    """The difference of the means of two random halves of the answers to an item."""
    drawn = rng.permutation(scores)
    return float(drawn[:half].mean() - drawn[half : 2 * half].mean())


def _two_sided_level(level: float) -> float:
    """The level of the two-sided interval whose ends are one-sided limits at a level."""
    return 2 * level - 1
