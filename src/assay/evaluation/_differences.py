"""Which test and which interval a difference of two classifiers' measures has, and what it is computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.comparison import (
    DIFFERENCE_METHODS,
    TANGO,
    Alternative,
    Difference,
    Joint,
    Rows,
    bonferroni,
    bonferroni_level,
    joint_losses,
    one_sided,
    score_influence,
    two_sided_level,
)
from assay.costs import Costs, checked_costs
from assay.errors import OptionError, UnknownName
from assay.evaluation._difference_names import TOGETHER, Wanted, difference_method, doubt_about
from assay.evaluation._each_difference import bootstrapped, empty, hanley_mcneil, posterior, right, share
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._folds import OF_FOLDS, WIDENED
from assay.evaluation._forecast import forecast
from assay.evaluation._jointly import MOST_CELLS, jointly
from assay.evaluation._planned import MANY_CASES
from assay.evaluation._shared import Shared
from assay.evidence import ClassScores, ConfusionMatrix, DecidedRows, ScoreTable, is_scalable, multiplied
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure, matrix_influence
from assay.types import Floats
from assay.uncertainty import p_of_folds, widened_level

Pair = tuple[int, int]

NO_SPREAD = "nothing tells how it varies from sample to sample, so no interval of a difference is honest"
NOT_TOGETHER = "how two of it vary together on the same cases is not known, so no interval of a difference is honest"


class JointEstimator(Protocol):
    """What estimates a measure of several classifiers and how far the estimates differ, with the exact joint evidence.

    `PairedRows` does so from the rows of the same cases (or of those that each two share), `PairedSums` from sums over
    them or over their clusters, `IndependentSamples` from cases that only one of them was tested on.
    """

    @property
    def n(self) -> int:
        """How many cases there are."""

    @property
    def assumptions(self) -> str:
        """What every difference takes for granted."""

    @property
    def shared(self) -> Shared | None:
        """How many cases each has and each two share, where not all have all of them."""

    def has_test(self, measure: Measure) -> bool:
        """Whether a difference of the measure has a test where all of them have the measure."""

    def why_not(self, measure: Measure) -> str | None:
        """Why the measure cannot be compared, or None."""

    def differences(
        self,
        measure: Measure,
        pairs: Sequence[Pair],
        level: float,
        method: str | None = None,
        *,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
        among: Sequence[Pair] = (),
    ) -> list[Difference]:
        """Differences of a measure; of several at once, or chosen `among` others, adjusted so that all hold."""


@dataclass(frozen=True, eq=False)
class PairedRows:
    """Evaluations of several classifiers, and where the rows of each stand among all cases."""

    models: Mapping[str, Evaluation]
    places: Mapping[str, NDArray[np.intp]] | None
    seed: int = 0
    # What has been worked out: a page asks for the same differences in several places.
    _found: dict[tuple[Any, ...], list[Difference]] = field(default_factory=dict, init=False, repr=False)
    _joint: dict[tuple[Measure, str], Joint] = field(default_factory=dict, init=False, repr=False)
    _paired: dict[Pair, PairedDecisions] = field(default_factory=dict, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers, in order."""
        return tuple(self.models)

    def place(self, name: str) -> int:
        """Where a classifier stands among them."""
        if name not in self.models:
            raise UnknownName(f"there is no model {name!r}", f"one of {', '.join(map(repr, self.names))}")
        return self.names.index(name)

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
        if self.places is None:
            return np.stack([np.asarray(values, dtype=np.float64) for values in each])
        found = np.full((len(each), self.size), np.nan)
        for name, row, values in zip(self.names, found, each, strict=True):
            row[self.places[name]] = values
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

    @property
    def n(self) -> int:
        """How many cases there are."""
        return round(float(self.kept.any(0) @ self.rows.times))

    @cached_property
    def shared(self) -> Shared | None:
        """How many cases each classifier has and each two share, where not all have all of them."""
        return None if self.places is None else Shared.of(self.names, self.kept, self.rows.times)

    @property
    def assumptions(self) -> str:
        """What every comparison takes for granted, and what it cannot see."""
        units = "rows" if self.rows.cluster is None else "clusters"
        same = "the same test set" if self.shared is None else f"answers missing at random: {self.shared.words}"
        seen = "Not measured: retraining." if self.rows.fold is None else "Measured on one partition into folds only."
        return f"Assumes independent {units} and {same}. {seen}"

    def has_test(self, measure: Measure) -> bool:
        """Whether a difference of the measure has a test: of the same cases, of every measure that has a spread."""
        return True

    def why_not(self, measure: Measure) -> str | None:
        """Why the measure cannot be compared, or None."""
        return next((why for ev in self.evaluations if (why := ev.applies(measure))), None)

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
        self,
        measure: Measure,
        pairs: Sequence[Pair],
        level: float,
        method: str | None = None,
        *,
        alternative: Alternative = "two-sided",
        null: float = 0.0,
        among: Sequence[Pair] = (),
    ) -> list[Difference]:
        """Differences of a measure; of several at once, adjusted so that all hold together. Each is found once.

        Those that were chosen by their values `among` others hold together with all of these.
        """
        # By the measure itself: two of one name, made with other settings, are two measures.
        key = (measure, tuple(pairs), level, None if method is None else str(method), alternative, null, len(among))
        if key not in self._found:
            find = self._one_sided if alternative != "two-sided" else self._of_folds
            wanted = Wanted(level, difference_method(measure, method), null, tuple(among))
            found = find(measure, pairs, wanted, alternative)
            if not wanted.method:
                asked = (measure, tuple(pairs), level, alternative, null, tuple(among))
                widths = [partial(self._half_width_at, place, *asked) for place in range(len(found))]
                found = forecast(self, measure, pairs, found, widths if self._knows_more_cases(measure) else None)
            self._found[key] = found
        return list(self._found[key])

    def _knows_more_cases(self, measure: Measure) -> bool:
        """Whether a difference by the default method can be worked out for more cases like these."""
        if self.places is not None or not all(is_scalable(self.evidence(measure, k)) for k in range(len(self.names))):
            return False
        return self.rows.cluster is None and self.rows.fold is None and self.size <= MANY_CASES

    def _half_width_at(
        self,
        place: int,
        measure: Measure,
        pairs: Sequence[Pair],
        level: float,
        alternative: Alternative,
        null: float,
        among: Sequence[Pair],
        times: float,
    ) -> float:
        """Half the width of the interval of one of the pairs' differences on so many times as many cases."""
        more = MoreCases(self.models, None, self.seed, times)
        return more.differences(measure, pairs, level, alternative=alternative, null=null, among=among)[
            place
        ].half_width

    def _one_sided(
        self, measure: Measure, pairs: Sequence[Pair], wanted: Wanted, alternative: Alternative
    ) -> list[Difference]:
        """One-sided limits and p-values, each pair by itself and Bonferroni over them."""

        def one(pair: Pair, level: float) -> Difference:
            inner = replace(wanted, level=two_sided_level(level, alternative), among=())
            return one_sided(self._of_folds(measure, [pair], inner)[0], level, alternative)

        return held_together(pairs, wanted.level, wanted.among, one)

    def _of_folds(
        self, measure: Measure, pairs: Sequence[Pair], wanted: Wanted, alternative: Alternative = "two-sided"
    ) -> list[Difference]:
        """Differences; of models of several folds with the intervals and p-values they need."""
        folds = self.fold_count
        if folds is None or wanted.method:
            return self._differences(measure, pairs, wanted)
        found = self._differences(measure, pairs, replace(wanted, level=widened_level(wanted.level, folds)))
        return [
            replace(
                one, level=wanted.level, p_value=p_of_folds(one.p_value, folds), target=OF_FOLDS, statistic=None,
                freedom=None, method=one.method if math.isnan(one.low) else f"{one.method}, {WIDENED}",
            )
            for one in found
        ]  # fmt: skip

    @property
    def fold_count(self) -> int | None:
        """How many folds' models made these predictions; None where one classifier each did."""
        return None if self.rows.fold is None else int(self.rows.fold.max()) + 1

    def _differences(self, measure: Measure, pairs: Sequence[Pair], wanted: Wanted) -> list[Difference]:
        self._refuse_without(measure)
        test = self._by_itself(measure, pairs, wanted.method)
        if test is not None:
            return self._each(pairs, wanted, lambda pair, one: test(self, measure, pair, one))
        if _moves_unknown(measure):
            return [self._without_interval(measure, pair, wanted.level) for pair in pairs]
        if wanted.method == "DeLong" and self.rows.cluster is not None:
            raise OptionError("DeLong's test takes cases as independent, and these come in clusters", "'Obuchowski'")
        joint = self.joint(measure, wanted.method)
        found = joint.differences(pairs, wanted.level, self.seed, wanted.null, among=wanted.among)
        return [replace(one, caution=one.caution or doubt_about(wanted.method)) for one in found]

    def _refuse_without(self, measure: Measure) -> None:
        obstacle = self.why_not(measure)
        if obstacle is not None:
            raise OptionError(f"{measure.title} cannot be compared: {obstacle}", "a measure that every model has")

    def _by_itself(
        self, measure: Measure, pairs: Sequence[Pair], method: str
    ) -> Callable[[PairedRows, Measure, Pair, Wanted], Difference] | None:
        """What finds each pair's difference by itself; None where several vary together."""
        if method in ("bootstrap", "bootstrap, normal"):
            return bootstrapped
        if method.startswith("Hanley"):
            return hanley_mcneil
        if method in DIFFERENCE_METHODS:
            return right if method == TANGO else share
        if method == "Dirichlet":
            return posterior
        if measure.needs is not ConfusionMatrix or method:
            return None
        if self._is_right(measure):
            return right
        return posterior if self.can_draw(pairs) else None

    def _without_interval(self, measure: Measure, pair: Pair, level: float) -> Difference:
        """The plain difference of a measure whose spread nobody knows."""
        first, second = (float(measure(self.evidence(measure, k))) for k in pair)
        found = empty(self, measure, pair, Wanted(level), float(self.rows.times.sum()), "none")
        reason = NO_SPREAD if "none" in measure.intervals.methods else NOT_TOGETHER
        return replace(found, value=first - second, undefined=reason)

    def _each(
        self, pairs: Sequence[Pair], wanted: Wanted, one: Callable[[Pair, Wanted], Difference]
    ) -> list[Difference]:
        """Bonferroni over pairs that are tested each by itself."""

        def found(pair: Pair, level: float) -> Difference:
            d = one(pair, replace(wanted, level=level))
            return d if self.places is None else replace(d, method=f"{d.method}, shared cases")

        return held_together(pairs, wanted.level, wanted.among, found)

    def joint(self, measure: Measure, method: str = "") -> Joint:
        """Estimates of a measure and how they vary together, from how much each case moves them."""
        if (measure, method) not in self._joint:
            # The last one alone is kept: it holds a number for every case and classifier.
            self._joint.clear()
            self._joint[measure, method] = jointly(self, measure, method)
        return self._joint[measure, method]

    def jointly_by_name(self, measure: Measure, method: str | None) -> Joint:
        """The same by a method that was asked for by name, of those that know how several vary together."""
        self._refuse_without(measure)
        chosen = difference_method(measure, method)
        if chosen not in ("", *TOGETHER) or (chosen == "DeLong" and self.rows.cluster is not None):
            raise OptionError(f"method is {method!r}, and no test of all at once", f"one of {', '.join(TOGETHER)}")
        return self.joint(measure, chosen)

    def evidence(self, measure: Measure, k: int) -> Any:
        """What a measure needs of one classifier."""
        return self.evaluations[k].evidence_for(measure)

    @cached_property
    def worth(self) -> float:
        """How many equally weighted cases the classifier with the fewest has."""
        return float(np.diag(self.rows.kish(self.kept)).min())

    def moves(self, measure: Measure) -> Floats:
        """How much each row (column) moves the measure of each classifier (row); nan where it has none for it."""
        return self.spread([self._moves(measure, k) for k in range(len(self.names))])

    def _moves(self, measure: Measure, k: int) -> Floats:
        evidence, truth = self.evidence(measure, k), self.decided(k).truth
        if measure.needs is ScoreTable:
            return score_influence(measure, evidence, self.score(k) + 0.0, truth == 1)
        if isinstance(evidence, ClassScores):
            assert measure.influence is not None
            return np.asarray(measure.influence(evidence), dtype=np.float64)
        moved: Floats = matrix_influence(measure, evidence)[truth, self.decision(k)[0]]
        return moved

    def _is_right(self, measure: Measure) -> bool:
        has_foreign = any(len(self.decision(k)[1]) > len(ev.classes) for k, ev in enumerate(self.evaluations))
        return measure.answers is not None and not (has_foreign and measure.answers.only_of_classes)

    def can_draw(self, pairs: Sequence[Pair]) -> bool:
        """Whether the cells of the joint table can be drawn: equal, independent cases, and not too many cells."""
        is_plain = self.rows.weight is None and self.rows.cluster is None
        return is_plain and all(self.paired(*pair).counts.size <= MOST_CELLS for pair in pairs)


@dataclass(frozen=True, eq=False)
class MoreCases(PairedRows):
    """The same classifiers on so many times as many cases like these: each counts for more than one."""

    times: float = 1.0

    def merged(self, role: str) -> NDArray[Any] | None:
        """What is known of every case; each counts several times."""
        found = super().merged(role)
        if role != "count":
            return found
        return self.times * (np.ones(self.size) if found is None else found)

    def evidence(self, measure: Measure, k: int) -> Any:
        """What a measure needs of one classifier, of so many times as many cases."""
        return multiplied(super().evidence(measure, k), self.times)

    def _knows_more_cases(self, measure: Measure) -> bool:
        return False


def held_together(
    pairs: Sequence[Pair], level: float, among: Sequence[Pair], one: Callable[[Pair, float], Difference]
) -> list[Difference]:
    """Return differences that are found each by itself at a level further out, Bonferroni over all of them."""
    count = len(among or pairs)
    found = [one(pair, bonferroni_level(level, count)) for pair in pairs]
    if count == 1:
        return found
    words = f"Bonferroni over {count:,} comparisons"
    return [replace(d, level=level, p_value=bonferroni(d.p_value, count), adjusted=words) for d in found]


def _moves_unknown(measure: Measure) -> bool:
    """Whether nothing says how a case moves a measure of scores."""
    return measure.needs is not ConfusionMatrix and measure.moved_by is None and measure.pairs is None


def costs_by_row(models: PairedRows, pair: Mapping[str, int], matrix: Floats, level: float) -> Difference:
    """How much more the first's decisions cost a case, from what each row costs."""
    both = np.logical_and.reduce([models.kept[k] for k in pair.values()])
    design = [None if values is None else values[both] for values in _design_of(models.rows)]
    losses = {name: np.zeros(models.size) for name in pair}
    for name, k in pair.items():
        losses[name][models.kept[k]] = matrix[models.decided(k).truth, models.decision(k)[0]]
    by_row = Rows(models.rows.is_positive[both], *design)
    return joint_losses({n: each[both] for n, each in losses.items()}, by_row, measure="expected_cost").difference(
        0, 1, level
    )


def _design_of(rows: Rows) -> tuple[NDArray[Any] | None, ...]:
    return rows.weight, rows.count, rows.cluster


def losses_of(costs: Costs | None, paired: PairedDecisions) -> Floats:
    """What each decision costs, a row for each true class: every error 1 unless costs say otherwise."""
    classes, decisions = paired.classes, paired.decisions
    if costs is None:
        return np.array([[float(name != decision) for decision in decisions] for name in classes])
    if checked_costs(costs).prevalence is not None:
        raise OptionError("the costs have a prevalence", "none: the difference is of these very cases", about="costs")
    beyond = [name for name in decisions if name not in classes]
    if beyond:
        raise OptionError(f"some cases were decided {beyond[0]!r}", "decisions that costs are known of", about="costs")
    return costs.of_classes(classes).loss


# What this was called when comparisons were stored that hold one.
Aligned = PairedRows
