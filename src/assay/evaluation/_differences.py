"""Which test and which interval a difference of two classifiers' measures has, and what it is computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.comparison import (
    Difference,
    Joint,
    Placed,
    Rows,
    bonferroni,
    bonferroni_level,
    bootstrap,
    compare_correctness,
    hanley_mcneil_difference,
    limits,
    percentile_p,
    posterior_differences,
)
from assay.costs import Costs
from assay.errors import OptionError, UnknownName
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._folds import OF_FOLDS, WIDENED
from assay.evaluation._jointly import FEWEST_CASES, jointly, too_few
from assay.evidence import ConfusionMatrix, DecidedRows, ScoreTable
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure
from assay.types import Floats
from assay.uncertainty import p_of_folds, widened_level

__all__ = ["METHODS", "Aligned", "losses_of"]

Pair = tuple[int, int]

METHODS = ("bootstrap", "influence", "Hanley-McNeil", "Hanley-McNeil table", "normal")
# The largest joint table whose draws stay small.
MOST_CELLS = 1_000
FEWEST_FOR_BOOTSTRAP = 50


NO_SPREAD = "nothing tells how it varies from sample to sample, so no interval of a difference is honest"
NOT_TOGETHER = "how two of it vary together on the same cases is not known, so no interval of a difference is honest"


@dataclass(frozen=True, eq=False)
class Aligned:
    """Evaluations of several classifiers, and where the rows of each stand among all cases."""

    models: Mapping[str, Evaluation]
    places: Mapping[str, NDArray[np.intp]] | None
    seed: int = 0
    # What has been worked out: a page asks for the same differences in several places.
    _found: dict[tuple[Measure, tuple[Pair, ...], float, str | None], list[Difference]] = field(
        default_factory=dict, init=False, repr=False
    )
    _joint: dict[tuple[Measure, str], Joint] = field(default_factory=dict, init=False, repr=False)
    _paired: dict[Pair, PairedDecisions] = field(default_factory=dict, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers, in order."""
        return tuple(self.models)

    @cached_property
    def evaluations(self) -> list[Evaluation]:
        """The same evaluations in a list."""
        return list(self.models.values())

    @cached_property
    def truth(self) -> NDArray[np.integer]:
        """The true class of every case."""
        codes = self.merged("truth")
        assert codes is not None
        return codes

    @cached_property
    def size(self) -> int:
        """How many cases there are, whoever has them."""
        if self.places is None:
            return len(self.decided(0))
        return 1 + max(int(place.max()) for place in self.places.values())

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which cases (columns) each classifier (row) has."""
        kept = np.ones((len(self.names), self.size), dtype=np.bool_)
        for row, place in zip(kept, (self.places or {}).values(), strict=False):
            row[:] = False
            row[place] = True
        return kept

    @cached_property
    def rows(self) -> Rows:
        """What the cases are."""
        design = {role: self.merged(role) for role in ("weight", "count")}
        if self.places is None:
            design |= {role: self.merged(role) for role in ("cluster", "fold")}
        return Rows(self.truth == 1, **design)

    def decided(self, k: int) -> DecidedRows:
        """The rows of one classifier; without them nothing can be paired."""
        found = self.evaluations[k].rows
        if found is None:
            raise OptionError(
                f"{self.names[k]!r} holds counts, no rows", "the rows, to compare classifiers case by case"
            )
        return found

    def spread(self, each: Sequence[NDArray[Any]]) -> Floats:
        """Values of each classifier's rows at their places among all cases, nan elsewhere."""
        found = np.full((len(each), self.size), np.nan)
        for name, row, values in zip(self.names, found, each, strict=True):
            row[slice(None) if self.places is None else self.places[name]] = values
        return found

    def merged(self, role: str) -> NDArray[Any] | None:
        """What is known of every case, from whichever classifier has it."""
        each = [getattr(self.decided(k), role) for k in range(len(self.names))]
        if self.places is None or each[0] is None:
            return None if each[0] is None else np.asarray(each[0])
        found = np.zeros(self.size, dtype=each[0].dtype)
        for name, values in zip(self.names, each, strict=True):
            found[self.places[name]] = values
        return found

    def score(self, k: int) -> Floats:
        """One classifier's scores."""
        return np.asarray(self.decided(k).score, dtype=np.float64)

    def decision(self, k: int) -> tuple[NDArray[Any], tuple[str, ...]]:
        """One classifier's decisions as codes, and what they stand for."""
        rows = self.decided(k)
        if rows.decision is None:
            raise OptionError("scores outside [0, 1] have no default threshold", "a threshold, to compare decisions")
        return rows.decision, rows.decisions

    def paired(self, first: int, second: int) -> PairedDecisions:
        """The joint table of truth and two classifiers' decisions, over the cases both have; made once."""
        if (first, second) not in self._paired:
            self._paired[first, second] = self._pair(first, second)
        return self._paired[first, second]

    def _pair(self, first: int, second: int) -> PairedDecisions:
        codes, names = zip(*(self.decision(k) for k in (first, second)), strict=True)
        classes = self.evaluations[0].classes
        foreign = [name for each in names for name in each if name not in classes]
        decisions = (*classes, *dict.fromkeys(foreign))
        both = self.kept[first] & self.kept[second]
        each = []
        for k, code, known in zip((first, second), codes, names, strict=True):
            lookup = np.array([decisions.index(name) for name in known], dtype=np.intp)
            placed = np.zeros(self.size, dtype=np.intp)
            placed[self.kept[k]] = lookup[code]
            each.append(placed[both])
        design = {role: getattr(self.rows, role) for role in ("weight", "count", "cluster")}
        cut = {role: None if values is None else values[both] for role, values in design.items()}
        return PairedDecisions.of(self.truth[both], each[0], each[1], classes, decisions, **cut)

    def differences(
        self, measure: Measure, pairs: Sequence[Pair], level: float, method: str | None
    ) -> list[Difference]:
        """Differences of a measure; of several at once, adjusted so that all hold together. Each is found once."""
        # By the measure itself: two of one name, made with other settings, are two measures.
        key = (measure, tuple(pairs), level, method)
        if key not in self._found:
            self._found[key] = self._of_folds(measure, pairs, level, method)
        return list(self._found[key])

    def _of_folds(self, measure: Measure, pairs: Sequence[Pair], level: float, method: str | None) -> list[Difference]:
        """Differences; of models of several folds with the intervals and p-values they need."""
        folds = self.fold_count
        if folds is None or method is not None:
            return self._differences(measure, pairs, level, method)
        found = self._differences(measure, pairs, widened_level(level, folds), method)
        return [
            replace(
                one, level=level, p_value=p_of_folds(one.p_value, folds), target=OF_FOLDS,
                method=one.method if math.isnan(one.low) else f"{one.method}, {WIDENED}",
            )
            for one in found
        ]  # fmt: skip

    @property
    def fold_count(self) -> int | None:
        """How many folds' models made these predictions; None where one classifier each did."""
        return None if self.rows.fold is None else int(self.rows.fold.max()) + 1

    def _differences(
        self, measure: Measure, pairs: Sequence[Pair], level: float, method: str | None
    ) -> list[Difference]:
        obstacle = next((why for ev in self.evaluations if (why := ev.applies(measure))), None)
        if obstacle is not None:
            raise OptionError(f"{measure.title} cannot be compared: {obstacle}", "a measure that every model has")
        chosen = _found(method)
        if chosen == "bootstrap":
            return self._each(pairs, level, lambda pair, one: self._bootstrap(measure, pair, one))
        if chosen.startswith("Hanley"):
            return self._each(pairs, level, lambda pair, one: self._hanley_mcneil(measure, pair, one, chosen))
        if measure.needs is ConfusionMatrix and chosen != "influence":
            test = self._right if self._is_right(measure) else self._posterior
            if test == self._right or self._can_draw(pairs):
                return self._each(pairs, level, lambda pair, one: test(measure, pair, one))
        if _moves_unknown(measure):
            return [self._without_interval(measure, pair, level) for pair in pairs]
        return self.joint(measure, chosen).differences(pairs, level, self.seed)

    def _without_interval(self, measure: Measure, pair: Pair, level: float) -> Difference:
        """The plain difference of a measure whose spread nobody knows."""
        first, second = (float(measure(self.evidence(measure, k))) for k in pair)
        found = self._empty(measure, pair, level, float(self.rows.times.sum()), "none")
        reason = NO_SPREAD if "none" in measure.intervals.methods else NOT_TOGETHER
        return replace(found, value=first - second, undefined=reason)

    def _each(self, pairs: Sequence[Pair], level: float, one: Callable[[Pair, float], Difference]) -> list[Difference]:
        """Bonferroni over pairs that are tested each by itself."""
        found = [one(pair, bonferroni_level(level, len(pairs))) for pair in pairs]
        if len(pairs) == 1:
            return found
        words = f"Bonferroni over {len(pairs)} comparisons"
        return [replace(d, level=level, p_value=bonferroni(d.p_value, len(pairs)), adjusted=words) for d in found]

    def joint(self, measure: Measure, method: str = "") -> Joint:
        """Estimates of a measure and how they vary together, from how much each case moves them."""
        if (measure, method) not in self._joint:
            # The last one alone is kept: it holds a number for every case and classifier.
            self._joint.clear()
            self._joint[measure, method] = jointly(self, measure, method)
        return self._joint[measure, method]

    def evidence(self, measure: Measure, k: int) -> Any:
        """What a measure needs of one classifier."""
        return self.evaluations[k].evidence_for(measure)

    def _is_right(self, measure: Measure) -> bool:
        has_foreign = any(len(self.decision(k)[1]) > len(ev.classes) for k, ev in enumerate(self.evaluations))
        return measure.answers is not None and not (has_foreign and measure.answers.only_of_classes)

    def _can_draw(self, pairs: Sequence[Pair]) -> bool:
        """Whether the cells of the joint table can be drawn: equal, independent cases, and not too many cells."""
        is_plain = self.rows.weight is None and self.rows.cluster is None
        return is_plain and all(self.paired(*pair).counts.size <= MOST_CELLS for pair in pairs)

    def _empty(self, measure: Measure, pair: Pair, level: float, n: float, method: str) -> Difference:
        values = [float(measure(self.evidence(measure, k))) for k in pair]
        first, second = (self.names[k] for k in pair)
        nan = math.nan
        return Difference(measure.name, first, second, values[0] - values[1], nan, nan, level, nan, method, n)

    def _right(self, measure: Measure, pair: Pair, level: float) -> Difference:
        assert measure.answers is not None
        sign = measure.answers.sign
        right = self.paired(*pair).correctness(measure.answers.within)
        test, interval = compare_correctness(right, level)
        n = float(right.total)
        value = sign * float(right.only_first - right.only_second) / n if n else math.nan
        empty = self._empty(measure, pair, level, n, f"score test ({interval.method})")
        if interval.undefined is not None or test.undefined is not None:
            p_value = math.nan if test.undefined else test.p_value
            return replace(empty, value=value, p_value=p_value, undefined=interval.undefined or test.undefined)
        low, high = (interval.low, interval.high) if sign > 0 else (0.0 - interval.high, 0.0 - interval.low)
        return replace(empty, value=value, low=low, high=high, p_value=test.p_value)

    def _posterior(self, measure: Measure, pair: Pair, level: float) -> Difference:
        paired = self.paired(*pair)
        n = float(paired.total)
        found = self._empty(measure, pair, level, n, "paired Dirichlet")
        values = [float(measure(one)) for one in (paired.first, paired.second)]
        found = replace(found, value=values[0] - values[1])
        if not math.isfinite(found.value):
            why = measure.undefined if any(map(math.isnan, values)) else "it is infinite for one of them, or for both"
            return replace(found, value=math.nan, undefined=why)
        if n < FEWEST_CASES:
            return replace(found, undefined=too_few(n, FEWEST_CASES))
        return _from_replicates(found, posterior_differences(paired, [measure], self.seed)[0])

    def _bootstrap(self, measure: Measure, pair: Pair, level: float) -> Difference:
        if self.places is not None or measure.needs not in (ConfusionMatrix, ScoreTable):
            raise OptionError(f"the bootstrap of {measure.title} takes one score a case", "use method='influence'")
        placed = []
        for k in pair:
            evidence, truth = self.evidence(measure, k), self.decided(k).truth
            if measure.needs is ScoreTable:
                placed.append([Placed.of_scores(evidence, self.score(k) + 0.0, truth == 1)])
            else:
                placed.append([Placed.of_decisions(evidence, truth, self.decision(k)[0])])
        n = float(self.rows.times.sum())
        found = self._empty(measure, pair, level, n, "paired bootstrap, percentile")
        if n < FEWEST_FOR_BOOTSTRAP or math.isnan(found.value):
            few = too_few(n, FEWEST_FOR_BOOTSTRAP)
            return replace(found, undefined=measure.undefined if math.isnan(found.value) else few)
        # What ranks cases is a matter of each class by itself; shares of decisions are redrawn with their margins.
        stratified = measure.of_each_class and measure.needs is ScoreTable
        drawn = bootstrap(placed, [measure], self.rows, seed=self.seed, stratified=stratified)
        return _from_replicates(found, drawn.values[0, 0] - drawn.values[0, 1])

    def _hanley_mcneil(self, measure: Measure, pair: Pair, level: float, method: str) -> Difference:
        if measure.pairs is None or measure.pairs.scale != 1:
            raise OptionError(f"Hanley-McNeil compares ROC AUCs, not {measure.title}", "leave method out")
        if self.places is not None or self.rows.weight is not None or self.rows.cluster is not None:
            raise OptionError("Hanley-McNeil takes equal, independent cases that both have scored", "leave method out")
        first, second = pair
        source: Literal["table", "formula"] = "table" if method.endswith("table") else "formula"
        return hanley_mcneil_difference(
            self.rows.is_positive, self.score(first), self.score(second),
            source=source, names=(self.names[first], self.names[second]), level=level,
        )  # fmt: skip


def _from_replicates(found: Difference, replicates: Floats) -> Difference:
    """Equal tails of the replicates, widened to hold the estimate, and the p-value that belongs to them."""
    known = replicates[~np.isnan(replicates)]
    low, high = limits(known, found.value, found.level)
    p_value = percentile_p(known, found.value)
    return replace(found, low=min(low, found.value), high=max(high, found.value), p_value=p_value)


def _moves_unknown(measure: Measure) -> bool:
    """Whether nothing says how a case moves a measure of scores."""
    return measure.needs is not ConfusionMatrix and measure.moved_by is None and measure.pairs is None


def _found(method: str | None) -> str:
    if method is None:
        return ""
    squeezed = "".join(letter for letter in method.lower() if letter.isalnum())
    for known in METHODS:
        if "".join(letter for letter in known.lower() if letter.isalnum()) == squeezed:
            return known
    raise UnknownName(f"method is {method!r}", f"one of {', '.join(map(repr, METHODS))}")


def losses_of(costs: Costs | None, paired: PairedDecisions) -> Floats:
    """What each decision costs, a row for each true class: every error 1 unless costs say otherwise."""
    classes, decisions = paired.classes, paired.decisions
    if costs is None:
        return np.array([[float(name != decision) for decision in decisions] for name in classes])
    if not isinstance(costs, Costs):
        raise OptionError(f"costs is {costs!r}", "assay.Costs(fp=1, fn=10), or a matrix in it", about="costs")
    if costs.prevalence is not None:
        raise OptionError("the costs have a prevalence", "none: the difference is of these very cases", about="costs")
    beyond = [name for name in decisions if name not in classes]
    if beyond:
        raise OptionError(f"some cases were decided {beyond[0]!r}", "decisions that costs are known of", about="costs")
    return costs.of_classes(classes).loss
