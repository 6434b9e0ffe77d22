"""Which test and which interval a difference of two classifiers' measures has, and what it is computed from.

Differences of two classifiers' measures that are found each by itself: by a score test, a posterior, replicates.

How estimates of several classifiers vary together on the same cases, for any measure that cases move.

Who has which cases, where some of several classifiers lack some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import combinations
from typing import Any, Literal, Protocol

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
    bootstrap,
    compare_correctness,
    difference_interval,
    equivalent_normal_level,
    freedom_of_decisions,
    hanley_mcneil_difference,
    joint_auc,
    joint_binormal,
    joint_influence,
    joint_losses,
    one_sided,
    p_by_inversion,
    p_of_t,
    percentile_p,
    posterior_differences,
    quantile,
    score_influence,
    two_sided,
    two_sided_level,
)
from assay.comparison.joint import Limits
from assay.costs import Costs, checked_costs
from assay.errors import OptionError, UnknownName
from assay.evaluation.curves import OF_FOLDS, WIDENED
from assay.evaluation.evaluation import Evaluation, placed_rows
from assay.evaluation.sample_size import MANY_CASES, TOGETHER, Wanted, difference_method, doubt_about, forecast
from assay.evidence import ClassScores, ConfusionMatrix, DecidedRows, ScoreTable, is_scalable, multiplied, quantiles
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure, matrix_influence
from assay.measures.ranking import roc_auc
from assay.results import Table, counted
from assay.types import Bools, Floats
from assay.uncertainty import p_of_folds, percentile_limits, turned_moves, usual_moves, widened_level

__all__ = [
    "FEWEST_CASES",
    "LACKING",
    "MOST_CELLS",
    "NAMED",
    "NOT_TOGETHER",
    "NO_SPREAD",
    "SEEN_ENOUGH",
    "Aligned",
    "JointEstimator",
    "MoreCases",
    "Pair",
    "PairedRows",
    "Shared",
    "bootstrapped",
    "costs_by_row",
    "empty",
    "from_drawn",
    "hanley_mcneil",
    "held_together",
    "jointly",
    "limits_of",
    "losses_of",
    "moved_jointly",
    "posterior",
    "refusal_of",
    "refuse_partly_paired",
    "right",
    "share",
    "too_few",
    "usual_moves_of",
    "values_of",
    "weighs",
    "weighted_posterior",
]


# Methods that are computed as their authors do wherever they can be.
NAMED = ("DeLong", "Obuchowski", "normal", "t")
# The fewest cases whose differences were simulated.
FEWEST_CASES = 30
# The largest joint table whose draws stay small.
MOST_CELLS = 1_000
# Among more cases than this, pseudo-cases change no limit that anybody would see.
SEEN_ENOUGH = 100_000


def jointly(models: PairedRows, measure: Measure, method: str) -> Joint:
    """Estimates of a measure and their covariance, from how much each case moves them.

    By default ("") as simulated; by a name as its authors do, without a word against it but a doubt.
    """
    if measure.pairs is not None:
        areas = _joint_binormal_areas(models) if method == "Obuchowski" else _joint_areas(models, measure, method)
        joint = areas.scaled(measure.name, measure.pairs.scale, measure.pairs.shift)
    else:
        joint = _joint_by_influence(models, measure, method)
    return joint.asked_for() if method else joint


def _joint_by_influence(models: PairedRows, measure: Measure, method: str) -> Joint:
    how, freedom = ("paired t", models.worth - 1) if measure.is_mean_loss else ("paired influence", None)
    if method == "normal":
        how, freedom = "paired normal", math.inf
    how = how if models.places is None else f"partially {how}"
    return moved_jointly(models, measure, method, np.nan_to_num(models.moves(measure)), how, freedom)


def moved_jointly(
    models: PairedRows, measure: Measure, method: str, moved: Floats, how: str = "", freedom: float | None = None
) -> Joint:
    """Return estimates that each row, or the rows of a class in a cluster, moves by so much, with their covariance."""
    return joint_influence(
        measure.name, models.names, values_of(models, measure), moved, models.rows, models.kept,
        method=how, freedom=freedom, refusal=None if measure.pairs is not None else refusal_of(models, measure),
        weighs=weighs(measure), moves=None if method in NAMED else usual_moves_of(models, measure, models.worth),
        of_one=limits_of(models, measure, method),
        of_pair=None if method in NAMED else weighted_posterior(models, measure),
    )  # fmt: skip


def values_of(models: PairedRows, measure: Measure) -> Floats:
    """Return the value of a measure of each classifier."""
    return np.array([float(measure(models.evidence(measure, k))) for k in range(len(models.names))])


def refusal_of(models: PairedRows, measure: Measure) -> str | None:
    """Return why no interval of a difference is honest, or None."""
    undefined = next((e.undefined for ev in models.evaluations if (e := ev.estimate(measure)).undefined), None)
    return undefined or (too_few(round(models.worth), FEWEST_CASES) if models.worth < FEWEST_CASES else None)


def weighted_posterior(models: PairedRows, measure: Measure) -> Limits | None:
    """Limits of a difference of weighted decisions, from the posterior of as many cases as Kish's; None for others.

    Two that decide alike here may differ on cases that the sample lacks, and its influences know nothing of those.
    """
    rows = models.rows
    if measure.needs is not ConfusionMatrix or rows.weight is None or rows.cluster is not None:
        return None

    @cache
    def draws(first: int, second: int) -> Floats:
        paired = models.paired(first, second)
        assert paired.squares is not None
        worth = paired.counts * float(paired.total / paired.squares.sum())
        found: Floats = posterior_differences(replace(paired, counts=worth, squares=None), [measure], models.seed)[0]
        return np.asarray(found[np.isfinite(found)])

    def limits(first: int, second: int, level: float) -> tuple[float, float]:
        if models.paired(first, second).counts.size > MOST_CELLS or not len(draws(first, second)):
            return math.inf, -math.inf
        low, high = quantiles(draws(first, second), [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    return limits


def _joint_areas(models: PairedRows, measure: Measure, method: str) -> Joint:
    each = range(len(models.names))
    given = [models.score(k) for k in each]
    scores = dict(zip(models.names, given if models.places is None else models.spread(given), strict=True))
    tables = [table for k in each if isinstance(table := models.evidence(measure, k), ScoreTable)]
    return joint_auc(
        models.rows, scores, distribution="normal" if method == "DeLong" else None, tables=tables,
        of_one=limits_of(models, roc_auc, method) if len(tables) == len(models.names) else None,
    )  # fmt: skip


def _joint_binormal_areas(models: PairedRows) -> Joint:
    """AUCs that vary together as those of normal scores would (Obuchowski & McClish 1997)."""
    if models.rows.cluster is not None:
        # His covariance of AUCs of clusters (1997), which is the usual one there.
        return _joint_areas(models, roc_auc, "")
    refuse_partly_paired(models, "Obuchowski")
    scores = [models.score(k) for k in range(len(models.names))]
    tables = [models.evidence(roc_auc, k) for k in range(len(models.names))]
    values = np.array([float(roc_auc(table)) for table in tables])
    return joint_binormal(models.names, values, tables, scores, models.rows)


def refuse_partly_paired(models: PairedRows, method: str) -> None:
    """Refuse cases that only some have scored, or that count unequally, where a method knows none of that."""
    if models.places is not None or models.rows.weight is not None or models.rows.cluster is not None:
        raise OptionError(f"{method} takes equal, independent cases that both have scored", "leave method out")


def _uses_recovered_limits(models: PairedRows, measure: Measure, method: str) -> bool:
    """Whether limits of a difference had better be recovered from those of either estimate."""
    is_skewed = measure.counts_errors and not measure.is_mean_loss
    # Of weighted decisions a few heavy cases may tell how they vary; the limits of one know what they are worth.
    is_weighted = measure.needs is ConfusionMatrix and models.rows.weight is not None
    return method not in NAMED and (is_skewed or is_weighted or models.rows.cluster is not None)


def limits_of(
    models: PairedRows, measure: Measure, method: str = ""
) -> Callable[[int, float], tuple[float, float]] | None:
    """The limits of each classifier's own estimate, where those of a difference had better be recovered from them."""
    if not _uses_recovered_limits(models, measure, method):
        return None

    def of_one(k: int, level: float) -> tuple[float, float]:
        found = measure.estimate(models.evidence(measure, k), level=level, seed=models.seed)
        return found.low, found.high

    return of_one


def usual_moves_of(models: PairedRows, measure: Measure, cases: float) -> Floats | None:
    """What a usual case of each class moves each classifier's estimate by, with its label and with the other.

    None where so many cases leave no need for it.
    """
    if cases > SEEN_ENOUGH or not measure.counts_errors or measure.moved_by is None:
        return None
    if not 0 < np.count_nonzero(models.truth == 1) < models.size:
        return None
    found = []
    for k in range(len(models.names)):
        table = models.evidence(measure, k)
        moves = measure.moved_by(table)
        found.append(list(zip(usual_moves(table, *moves), turned_moves(table, *moves), strict=True)))
    return np.array(found)


def weighs(measure: Measure) -> Literal["rows", "classes", "mixed"]:
    """What clusters are told by: rows, or the classes apart."""
    if measure.needs is not ScoreTable or measure.needs_probability:
        return "rows"
    return "classes" if measure.of_each_class else "mixed"


def too_few(cases: float, fewest: int) -> str:
    """Why so few cases have no interval of a difference."""
    return f"{counted(cases, 'case')}: at least {fewest} needed"


LACKING = "missing is 'pairwise', and some models lack cases that others have"

# The cases of more pairs than this are told by the fewest that any two share.
MOST_PAIRS = 3


@dataclass(frozen=True)
class Shared:
    """How many of all cases each classifier has an answer for, and how many each two have both.

    >>> import assay
    >>> scores = {"a": [0.1, 0.8, float("nan"), 0.9] * 15, "b": [0.4, float("nan"), 0.2, 0.9] * 15}
    >>> cmp = assay.compare([0, 1] * 30, scores, missing="pairwise")
    >>> cmp.shared_cases.words
    'of 60 cases a has 45 and b has 45; a and b share 30'
    """

    total: int
    cases: dict[str, int]
    pairs: dict[tuple[str, str], int]

    @classmethod
    def of(cls, names: Sequence[str], kept: Bools, times: Floats) -> Shared:
        """From which cases (columns) each classifier (row) has, and how often each case counts."""
        rows = dict(zip(names, kept, strict=True))
        return cls(
            round(float(kept.any(0) @ times)),
            {name: round(float(here @ times)) for name, here in rows.items()},
            {pair: round(float((rows[pair[0]] & rows[pair[1]]) @ times)) for pair in combinations(names, 2)},
        )

    @property
    def words(self) -> str:
        """The same in a few words."""
        each = _enumeration([f"{name} has {cases:,}" for name, cases in self.cases.items()])
        both = [f"{first} and {second} share {cases:,}" for (first, second), cases in self.pairs.items()]
        least = f"any two share {min(self.pairs.values()):,} at least"
        return f"of {counted(self.total, 'case')} {each}; {_enumeration(both) if len(both) <= MOST_PAIRS else least}"

    def table(self) -> Table:
        """A row a classifier: its cases, and those that it shares with each other one."""
        names = list(self.cases)
        known = self.pairs | {(second, first): cases for (first, second), cases in self.pairs.items()}
        shared = {f"shared with {one}": [known.get((name, one), self.cases[name]) for name in names] for one in names}
        return Table({"model": names, "cases": list(self.cases.values()), **shared}, title="Who has which cases")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        pairs = [{"first": one, "second": other, "cases": n} for (one, other), n in self.pairs.items()]
        return {"cases": dict(self.cases), "pairs": pairs}


def _enumeration(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


FEWEST_FOR_BOOTSTRAP = 50


def empty(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted, n: float, method: str) -> Difference:
    """The plain difference of a measure, without limits yet."""
    values = [float(measure(models.evidence(measure, k))) for k in pair]
    first, second = (models.names[k] for k in pair)
    nan, level, null = math.nan, wanted.level, wanted.null
    return Difference(measure.name, first, second, values[0] - values[1], nan, nan, level, nan, method, n, null=null)


def right(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of shares of answers by the score test, with the interval that belongs to it."""
    assert measure.answers is not None
    sign = measure.answers.sign
    right = models.paired(*pair).correctness(measure.answers.within)
    test, interval = compare_correctness(right, wanted.level)
    n = float(right.total)
    value = sign * float(right.only_first - right.only_second) / n if n else math.nan
    found = replace(empty(models, measure, pair, wanted, n, f"score test ({interval.method})"), value=value)
    if wanted.method and interval.otherwise is not None:
        found, interval = replace(found, caution=interval.undefined), interval.otherwise()
    if interval.undefined is not None or test.undefined is not None:
        p_value = math.nan if test.undefined else test.p_value
        return replace(found, p_value=p_value, undefined=interval.undefined or test.undefined)
    low, high = (interval.low, interval.high) if sign > 0 else (0.0 - interval.high, 0.0 - interval.low)
    found = replace(found, low=low, high=high, p_value=test.p_value, statistic=sign * test.statistic)
    found = replace(found, freedom=math.inf if right.clusters is None else float(len(right.clusters)) - 1)
    if wanted.null == 0:
        return found

    def limits(level: float) -> tuple[float, float]:
        at = compare_correctness(right, level)[1]
        at = at if at.otherwise is None else at.otherwise()
        return (at.low, at.high) if sign > 0 else (0.0 - at.high, 0.0 - at.low)

    return replace(found, p_value=p_by_inversion(limits, value, wanted.null), statistic=None, freedom=None)


def share(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of shares by the interval that was named; of Wald's with the test that belongs to it."""
    assert measure.answers is not None
    sign = measure.answers.sign
    right = models.paired(*pair).correctness(measure.answers.within)
    interval = difference_interval(right, wanted.level, wanted.method)
    found = empty(models, measure, pair, wanted, float(right.total), f"paired {wanted.method}")
    caution = doubt_about(wanted.method)
    if interval.otherwise is not None:
        caution, interval = interval.undefined, interval.otherwise()
    if interval.undefined is not None:
        return replace(found, undefined=interval.undefined)
    low, high = (interval.low, interval.high) if sign > 0 else (0.0 - interval.high, 0.0 - interval.low)
    found = replace(found, low=low, high=high, caution=caution, se=interval.se)
    if not interval.se:
        return found
    z = (found.value - wanted.null) / interval.se
    return replace(found, statistic=z, freedom=math.inf, p_value=two_sided(z))


def posterior(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of any function of decisions, from the posterior of the joint table."""
    if wanted.method and not models.can_draw([pair]):
        raise OptionError("weights, clusters or too many cells leave no posterior to draw from", "'influence'")
    paired = models.paired(*pair)
    n = float(paired.total)
    found = empty(models, measure, pair, wanted, n, "paired Dirichlet")
    values = [float(measure(one)) for one in (paired.first, paired.second)]
    found = replace(found, value=values[0] - values[1])
    if not math.isfinite(found.value):
        why = measure.undefined if any(map(math.isnan, values)) else "it is infinite for one of them, or for both"
        return replace(found, value=math.nan, undefined=why)
    few = too_few(n, FEWEST_CASES) if n < FEWEST_CASES else None
    if few is not None and not wanted.method:
        return replace(found, undefined=few)
    draws = posterior_differences(paired, [measure], models.seed)[0]
    freedom = freedom_of_decisions(measure, paired)
    taken = from_drawn(replace(found, caution=few, level=equivalent_normal_level(wanted.level, freedom)), draws)
    # The spread of a posterior is no standard error.
    return replace(taken, level=wanted.level, p_value=p_of_t(taken.p_value, freedom), se=None)


def bootstrapped(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of replicates drawn of the same cases, or clusters, for both."""
    if models.places is not None:
        raise OptionError(LACKING, "cases that all have answered, to draw them", {"missing": "drop"}, about="missing")
    if measure.needs not in (ConfusionMatrix, ScoreTable):
        raise OptionError(f"the bootstrap of {measure.title} takes one score a case", "use method='influence'")
    placed = [[placed_rows(measure, models.evidence(measure, k), models.decided(k))] for k in pair]
    n = float(models.rows.times.sum())
    found = empty(models, measure, pair, wanted, n, "paired bootstrap, percentile")
    if math.isnan(found.value):
        return replace(found, undefined=measure.undefined)
    few = too_few(n, FEWEST_FOR_BOOTSTRAP) if n < FEWEST_FOR_BOOTSTRAP else None
    # What ranks cases is a matter of each class by itself; shares of decisions are redrawn with their margins.
    stratified = measure.of_each_class and measure.needs is ScoreTable
    drawn = bootstrap(placed, [measure], models.rows, seed=models.seed, stratified=stratified)
    found = replace(found, caution=few or doubt_about(wanted.method))
    differences = drawn.values[0, 0] - drawn.values[0, 1]
    return (_difference_from_replicates if wanted.method.endswith("normal") else from_drawn)(found, differences)


def hanley_mcneil(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of AUCs with Hanley and McNeil's (1983) standard error."""
    refuse_partly_paired(models, "Hanley-McNeil")
    first, second = pair
    source: Literal["table", "formula"] = "table" if wanted.method.endswith("table") else "formula"
    found = hanley_mcneil_difference(
        models.rows.is_positive, models.score(first), models.score(second), source=source,
        names=(models.names[first], models.names[second]), level=wanted.level, null=wanted.null,
    )  # fmt: skip
    return replace(found, caution=doubt_about("Hanley-McNeil"))


def from_drawn(found: Difference, replicates: Floats) -> Difference:
    """Equal tails of the replicates, widened to hold the estimate, and the p-value that belongs to them."""
    known = replicates[~np.isnan(replicates)]
    low, high = percentile_limits(known, found.value, found.level)
    p_value, se = percentile_p(known - found.null, found.value - found.null), float(known.std(ddof=1))
    return replace(found, low=min(low, found.value), high=max(high, found.value), p_value=p_value, se=se)


def _difference_from_replicates(found: Difference, replicates: Floats) -> Difference:
    """The normal distribution with the standard deviation of the replicates, as pROC tests by the bootstrap."""
    se = float(replicates[~np.isnan(replicates)].std(ddof=1))
    if not se > 0:
        return replace(found, undefined="the replicates do not vary")
    z, half = (found.value - found.null) / se, quantile(found.level) * se
    return replace(
        found, low=found.value - half, high=found.value + half, p_value=two_sided(z), se=se, statistic=z,
        freedom=math.inf, method="paired bootstrap, normal",
    )  # fmt: skip


Pair = tuple[int, int]

NO_SPREAD = "its sampling variance is unknown, so there is no interval of a difference"
NOT_TOGETHER = "the covariance of two values on the same cases is unknown, so there is no interval of a difference"


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
        return next((why for ev in self.evaluations if (why := ev.reason_unavailable(measure))), None)

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
        if _has_no_influence(measure):
            return [self._without_interval(measure, pair, wanted.level) for pair in pairs]
        if wanted.method == "DeLong" and self.rows.cluster is not None:
            raise OptionError("DeLong's test assumes independent cases, and these come in clusters", "'Obuchowski'")
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


def _has_no_influence(measure: Measure) -> bool:
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
        raise OptionError(
            "the costs have a prevalence", "none: the difference describes these cases only", about="costs"
        )
    beyond = [name for name in decisions if name not in classes]
    if beyond:
        raise OptionError(f"some cases were decided {beyond[0]!r}", "decisions that costs are known of", about="costs")
    return costs.of_classes(classes).loss


# What this was called when comparisons were stored that hold one.
Aligned = PairedRows
