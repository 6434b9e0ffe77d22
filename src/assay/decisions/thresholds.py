"""Choosing a threshold: the best one for a cost or a measure, what it is worth elsewhere, how sure its place is.

The cuts a score table offers: between any two of its scores all thresholds make the same decisions.

What choosing on the same cases does: how much too good the chosen threshold looks, and how far it may move.

Where the best threshold lies: all those that these cases do not show to be worse than the one they choose.

A choice of threshold in sentences.

The costs a threshold in use implies: whoever uses it acts as if a miss were worth so many false alarms.

What becomes of a demand on new cases, once a threshold was chosen to meet it on these.

A threshold as it is asked for in words: costs, a measure to make the best of, demands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc, betaincinv, ndtri

from assay.costs import Costs, checked_costs
from assay.curves.hull import Tangents, roc_hull
from assay.decisions.constraints import (
    Constraint,
    at_least,
    at_most,
    at_most_flagged,
    checked_constraints,
    counterpart,
    least_that_passes,
)
from assay.decisions.criteria import ROUNDING, Criterion, best_of, criterion_of, reweighted
from assay.errors import InputError, OptionError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, matrix_influence, predicted_prevalence
from assay.renderers import in_notebook
from assay.request import Request, checked_between, checked_level, checked_seed, checked_whole
from assay.results import Estimate, Table, counted, percent
from assay.text import bracketed, number, value_words
from assay.types import Floats
from assay.uncertainty.bootstrap import in_cells, replicates

__all__ = [
    "HELD",
    "MOST_LISTED",
    "NOT_WORSE",
    "SHOWN_BY_BOOTSTRAP",
    "Aim",
    "DemandOutlook",
    "ImpliedCosts",
    "Optimism",
    "Run",
    "Task",
    "ThresholdChoice",
    "best_by_ratio",
    "choose_threshold",
    "choose_thresholds",
    "chooser",
    "demands",
    "ends",
    "implied_costs",
    "in_parts",
    "not_worse",
    "optimisms_of",
    "outlook",
    "rule_of",
    "runs_of",
    "sentences",
    "threshold_of",
    "thresholds_of",
    "why_not",
]


# Thresholds above the first number and up to the second one.
Run = tuple[float, float]
# Matrices held at a time while replicates are worked through.
HELD = 1 << 17


@dataclass(frozen=True)
class Task:
    """What a threshold is asked for: a criterion, the demands it has to meet, and the prevalence it is meant for."""

    criterion: Criterion
    constraints: tuple[Constraint, ...]
    prevalence: float | None

    @property
    def sure(self) -> int:
        """Among how many demands a confidence is shared."""
        return max(1, sum(one.confidence is not None for one in self.constraints))

    def gains(self, table: ScoreTable) -> Any:
        """How good each cut is, from nobody to everybody positive; -inf where a demand is not met."""
        swept = table.swept()
        gains = self.criterion.gains(swept)
        if not self.constraints:
            return gains
        seen = swept if self.prevalence is None else reweighted(swept, self.prevalence)
        for one in self.constraints:
            gains = np.where(one.passes(swept if one.confidence is not None else seen, self.sure), gains, -np.inf)
        return gains

    def best(self, batch: ScoreTable) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """For each replicate the first best cut, the last of those that follow it without a gap, and its value.

        A replicate has scores it did not draw, between which nothing changes; so its best cut is a run of ours.
        """
        gains = self.gains(batch)
        tied = best_of(gains)
        first = tied.argmax(-1)
        last = np.array([_end_of_run(row, start) for row, start in zip(tied, first.tolist(), strict=True)])
        value = np.take_along_axis(gains, first[..., None], -1)[..., 0]
        return first, last, self.criterion.sign * value


def _end_of_run(is_in: NDArray[np.bool_], start: int) -> int:
    """The last place of the run that begins at `start`."""
    run = is_in[start:]
    length = int(run.argmin())
    return start + (len(run) if run[length] else length) - 1


def in_parts(batch: ScoreTable) -> Iterator[ScoreTable]:
    """The replicates of a batch, so few at a time that their matrices stay small."""
    step = max(1, HELD // len(batch))
    for i in range(0, len(batch.negative), step):
        yield ScoreTable(batch.score, batch.negative[i : i + step], batch.positive[i : i + step], batch.classes)


def runs_of(is_in: NDArray[np.bool_], table: ScoreTable, *, widest: bool = False) -> tuple[Run, ...]:
    """The thresholds of the cuts marked, as runs from the highest down; `widest` with those that may be of them.

    >>> table = ScoreTable.of([0.2, 0.4, 0.6], [0, 1, 1])
    >>> runs_of(np.array([False, True, True, False]), table)
    ((0.2, 0.6),)
    """
    edges = np.diff(is_in.astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    upper, lower = ends(table, widest=widest)
    return tuple(zip(lower[last].tolist(), upper[first].tolist(), strict=True))


def ends(table: ScoreTable, *, widest: bool = False) -> tuple[Floats, Floats]:
    """For each cut the highest threshold that makes it, and the one that is just too low.

    Of scores in cells they are those that split no cell, wherever in it the scores lie; or, the `widest` way, that
    split none but the cells next to the cut.
    """
    low, high = (table.score, table.score) if table.reach is None else (table.reach.low, table.reach.high)
    if widest:
        low, high = high, low
    return np.append(np.inf, low[::-1]), np.append(high[::-1], -np.inf)


def threshold_of(run: Run) -> float:
    """The middle of a run; infinite where nobody or everybody is positive.

    >>> threshold_of((0.2, 0.6)), threshold_of((0.9, np.inf)), threshold_of((-np.inf, 0.1))
    (0.4, inf, -inf)
    """
    low, high = run
    return float(thresholds_of(np.array(low), np.array(high)))


def thresholds_of(low: Floats, high: Floats) -> Floats:
    """The same for the ends of many runs."""
    is_bounded = np.isfinite(low) & np.isfinite(high)
    below, above = np.where(is_bounded, low, 0.0), np.where(is_bounded, high, 0.0)
    middle = below + (above - below) / 2
    # Between neighbouring numbers there is no middle: the lower one would already decide otherwise.
    inside = np.where(middle > below, middle, above)
    return np.where(is_bounded, inside, np.where(np.isinf(high), high, low))


# Near a smooth optimum the noise of n cases lifts the best value by an amount that goes with noise to the power 4/3.
# A bootstrap sample has the noise of its own drawing on top of that of the cases: twice the variance, so 2^(2/3) times
# the lift, of which half is its own. It shows 2^(-1/3) of what is wanted (by the limits of Kim & Pollard 1990).
SHOWN_BY_BOOTSTRAP = 2 ** (-1 / 3)


@dataclass(frozen=True)
class Optimism:
    """From bootstrap samples in each of which the threshold was chosen anew.

    `mean` is how much better, on average, the chosen threshold looks on the cases it was chosen on than it is: what it
    gains on a sample over the cases the sample was drawn from, times 1.26, because resampling shows that much less. The
    luck that the threshold chosen here has on the same sample is taken off: it is nothing on average, and most of the
    noise, so that 500 samples tell about as much as 2,000 would without.
    `thresholds` are the chosen ones, `error` the standard error of the criterion at the threshold chosen here,
    `dropped` the samples in which no threshold meets the demands, `bin_error` the largest share of a class whose scores
    were not told apart.
    """

    mean: float
    thresholds: Floats
    error: float
    dropped: int
    bin_error: float


def optimisms_of(table: ScoreTable, asked: Sequence[tuple[Task, float]], draws: int, seed: int) -> list[Optimism]:
    """Choose anew in each of `draws` bootstrap samples of the table's cells, and see what it is worth on the table.

    `asked` are tasks with the threshold chosen for each; tasks that take the same samples share them.

    References: Efron (1983); Kim & Pollard (1990).
    """
    cells, bin_error = in_cells(table)
    every = [_Anew(task, chosen, cells) for task, chosen in asked]
    for stratified in (True, False):
        alike = [one for one in every if one.task.criterion.is_of_each_class is stratified]
        for batch in replicates(table, draws, seed, stratified=stratified) if alike else ():
            for part in in_parts(batch):
                for one in alike:
                    one.choose(part)
    return [one.optimism(draws, bin_error) for one in every]


class _Anew:
    """What a task finds in one sample after the other."""

    def __init__(self, task: Task, chosen: float, cells: ScoreTable) -> None:
        self.task = task
        self._upper, self._lower = ends(cells)
        self._worth: Floats = np.asarray(task.criterion.measure(cells.swept()), dtype=np.float64)
        self._cut = len(cells) - int(np.searchsorted(cells.score, chosen))
        self._gains: list[Floats] = []
        self._thresholds: list[Floats] = []
        self._here: list[Floats] = []

    def choose(self, samples: ScoreTable) -> None:
        """Choose in each of some samples, and keep what the choice gains over its worth on the table."""
        first, last, value = self.task.best(samples)
        found, criterion = np.isfinite(value), self.task.criterion
        swept = samples.swept()
        here = np.asarray(criterion.measure(ConfusionMatrix(swept.counts[:, self._cut], swept.classes)))
        gain = criterion.sign * (value - self._worth[first] - (here - self._worth[self._cut]))
        self._gains.append(gain[found & np.isfinite(gain)])
        self._thresholds.append(thresholds_of(self._lower[last[found]], self._upper[first[found]]))
        self._here.append(here)

    def optimism(self, draws: int, bin_error: float) -> Optimism:
        """What all samples say together."""
        gains, thresholds, values = (np.concatenate(each) for each in (self._gains, self._thresholds, self._here))
        values = values[np.isfinite(values)]
        mean = float(gains.mean()) / SHOWN_BY_BOOTSTRAP if len(gains) else float("nan")
        error = float(values.std()) if len(values) else float("nan")
        return Optimism(mean, thresholds, error, draws - len(thresholds), bin_error)


def why_not(table: ScoreTable) -> str | None:
    """Why there are no bootstrap samples of a table, or None."""
    if table.is_weighted:
        return (
            "cases have weights, and the bootstrap draws whole cases; choose on one half of them, evaluate on the other"
        )
    if table.rows is not None:
        return (
            "cases come in clusters, and the bootstrap draws single ones; choose on some clusters, evaluate on others"
        )
    return None


NOT_WORSE = "not shown to be worse"


def not_worse(table: ScoreTable, task: Task, gains: Floats, threshold: float, level: float) -> Estimate:
    """The threshold, with the lowest and the highest that would be worse by no more than chance explains.

    Two thresholds differ by the cases between them alone: by what it gains to call the positives among these, and
    loses to call the negatives. Thresholds whose difference from the best stays within so many standard errors, one
    pseudo-case of each class added, held the best threshold of the population in at least 95 % of samples of nearly
    all populations drawn at random, though the best here was chosen (verification/thresholds.py).
    """
    swept = table.swept()
    best = int(np.argmax(gains))
    gain, loss = _gain_and_loss(task, swept, best)
    n = float(table.total)
    called = [np.abs(side - side[best]) for side in (np.asarray(swept.tp), np.asarray(swept.fp))]
    squares = (gain**2 * (called[0] + 1) + loss**2 * (called[1] + 1)) / n
    variance = squares - ((gain * called[0] - loss * called[1]) / n) ** 2
    reach = float(ndtri(0.5 + level / 2)) * np.sqrt(np.maximum(variance, 0.0) / n)
    runs = runs_of(gains >= gains[best] - reach, table, widest=True)
    low, high = min(runs[-1][0], threshold), max(runs[0][1], threshold)
    return Estimate("threshold", threshold, low, high, level, NOT_WORSE, n)


def _gain_and_loss(task: Task, swept: ConfusionMatrix, best: int) -> tuple[float, float]:
    """What it gains to call a positive, and loses to call a negative, near the best threshold."""
    here = ConfusionMatrix(swept.counts[best], swept.classes)
    moved = matrix_influence(task.criterion.measure, here)
    sign = task.criterion.sign
    return sign * float(moved[1, 1] - moved[1, 0]), sign * float(moved[0, 0] - moved[0, 1])


# More stretches of good thresholds than this are not listed one by one.
MOST_LISTED = 3


def rule_of(threshold: float) -> str:
    """What to do with a score.

    >>> rule_of(0.25), rule_of(math.inf)
    ('predict scores of at least 0.25 as positive', 'predict no case as positive')
    """
    if math.isinf(threshold):
        return f"predict {'no case' if threshold > 0 else 'every case'} as positive"
    return f"predict scores of at least {threshold:.6g} as positive"


def sentences(choice: ThresholdChoice) -> Iterator[str]:
    """What a user is told, a line each: the rule, its worth, its place, its neighbours, what it does and implies."""
    demands = f", with {' and '.join(map(repr, choice.constraints))}" if choice.constraints else ""
    aim = "Lowest" if choice.criterion.better == "lower" else "Highest"
    yield f"{choice.rule.capitalize()}.  {aim} {_lowercase_title(choice.criterion.title)}{demands}."
    here = f"{number(choice.apparent)} on these cases{_bounds_words(choice)}"
    yield f"{choice.criterion.title}: {here}, {_worth_sentence(choice.value)} on new ones."
    yield from map(str, choice.demands)
    yield _place_sentence(choice.place)
    yield f"As good on these cases: thresholds {_threshold_ranges_words(choice.equally_good)}."
    if not math.isnan(choice.tolerance):
        yield f"Worse by no more than {choice.tolerance:.3g}: thresholds {_threshold_ranges_words(choice.good)}."
    cells = {name: f"{float(getattr(choice.matrix, name)):,.6g}" for name in ("tp", "fn", "fp", "tn")}
    yield (
        f"Here: {cells['tp']} true positives, {cells['fn']} false negatives, {cells['fp']} false positives, "
        f"{cells['tn']} true negatives."
    )
    where = "" if choice.prevalence is None else f" where {percent(choice.prevalence)} are positive"
    yield f"Predicted positive: {percent(choice.flagged)} of the cases{where}."
    yield f"It is {choice.implied}."
    for note in choice.notes:
        yield f"Note: {note}."


def _lowercase_title(title: str) -> str:
    """A title inside a sentence; abbreviations stay as they are."""
    return title if title[:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]


def _bounds_words(choice: ThresholdChoice) -> str:
    """What cells leave open of the value here, where that shows."""
    if choice.bounds is None:
        return ""
    low, here, high = (number(one) for one in (choice.bounds[0], choice.apparent, choice.bounds[1]))
    return "" if low == here == high else f" (binned: {low} to {high})"


def _worth_sentence(value: Estimate) -> str:
    if value.undefined is not None:
        return f"{number(value.value)} (no interval: {value.undefined})"
    return f"{value_words(value)} {bracketed(value)} ({value.method})"


def _place_sentence(place: Estimate) -> str:
    if place.undefined is not None:
        return f"No interval for the best threshold ({place.undefined})."
    between = f"between {_threshold_words(place.low)} and {_threshold_words(place.high)}"
    if place.method == NOT_WORSE:
        sure = f"{100 * place.level:g} % confidence"
        return f"The best threshold of all such cases lies {between} ({sure}): none there is shown to be worse."
    return f"Chosen anew in other samples, the threshold lies {between} in {100 * place.level:g} % of them."


def _threshold_ranges_words(runs: tuple[tuple[float, float], ...]) -> str:
    if len(runs) > MOST_LISTED:
        return f"above {_threshold_words(runs[-1][0])} up to {_threshold_words(runs[0][1])}, with {len(runs) - 1} gaps"
    return ", and ".join(_threshold_range_words(_threshold_words(low), _threshold_words(high)) for low, high in runs)


def _threshold_range_words(low: str, high: str) -> str:
    # Between two cells without a gap there is one threshold that splits neither.
    return f"of {high}" if low == high else f"above {low} up to {high}"


def _threshold_words(number: float) -> str:
    if math.isinf(number):
        return "any score" if number > 0 else "none"
    return f"{number:.6g}"


@dataclass(frozen=True, slots=True)
class ImpliedCosts:
    """For which cost ratios (how many false alarms a miss is worth) a threshold is the best one.

    `low` to `high` is read off the ROC hull of the cases and needs no calibration; both are nan where the threshold is
    the best for no costs at all, because others are better whatever a miss costs. `if_calibrated` is the ratio for
    which it would be the best one if scores were calibrated probabilities; nan where they cannot be.
    """

    threshold: float
    prevalence: float
    low: float
    high: float
    if_calibrated: float

    _repr_html_ = in_notebook

    @property
    def is_optimal(self) -> bool:
        """Whether some costs make it the best threshold of these cases."""
        return not math.isnan(self.low)

    def __str__(self) -> str:
        if not self.is_optimal:
            return "the best for no costs: whatever a miss costs, another threshold is cheaper on these cases"
        span = f"{self.low:.4g} or more" if math.isinf(self.high) else f"{self.low:.4g} to {self.high:.4g}"
        where = f"where {100 * self.prevalence:.3g} % of cases are positive"
        return f"the best while a miss costs {span} false alarms, {where}"

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it; an open end is null."""
        numbers = {"low": self.low, "high": self.high, "if_calibrated": self.if_calibrated}
        plain = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        return {"is_optimal": self.is_optimal, "prevalence": self.prevalence, **plain}


def implied_costs(table: ScoreTable, threshold: float, *, prevalence: float | None = None) -> ImpliedCosts:
    """What someone who uses this threshold seems to think a miss is worth, in false alarms.

    >>> table = ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0])
    >>> print(implied_costs(table, 0.35))
    the best while a miss costs 1 or more false alarms, where 50 % of cases are positive
    >>> implied_costs(table, 0.5).is_optimal, implied_costs(table, 0.2, prevalence=0.2).if_calibrated
    (False, 16.0)
    """
    if prevalence is not None:
        checked_between(prevalence, "prevalence", closed=True)
    hull, matrix = roc_hull(table), table.at(threshold)
    share = hull.prevalence if prevalence is None else prevalence
    point = float(matrix.fp) / float(matrix.negatives), float(matrix.tp) / float(matrix.positives)
    at = np.flatnonzero(np.isclose(hull.fpr, point[0], atol=1e-12) & np.isclose(hull.recall, point[1], atol=1e-12))
    low = high = math.nan
    if len(at):
        columns = hull.table(share).columns
        low, high = (columns[name][int(at[0])] for name in ("ratio_low", "ratio_high"))
    if low == high:
        low = high = math.nan
    return ImpliedCosts(
        threshold, share, low, high, _cost_ratio_if_calibrated(table, threshold, hull.prevalence, share)
    )


def _cost_ratio_if_calibrated(table: ScoreTable, threshold: float, here: float, there: float) -> float:
    """The ratio by Elkan's rule; where the prevalence is another, probabilities are first carried over to it."""
    if not (0 < threshold < 1 and table.score[0] >= 0 and table.score[-1] <= 1 and 0 < there < 1):
        return math.nan
    odds = threshold / (1 - threshold)
    carried = odds * (there / (1 - there)) / (here / (1 - here))
    return 1 / carried


@dataclass(frozen=True, slots=True)
class DemandOutlook:
    """A demanded measure here, and how far it may be from it on new cases, the choice of the threshold included.

    `limit` is what it keeps to on new cases, with confidence `level`: at least so much, or at most, as was demanded.
    `missed` is the greatest chance that a threshold chosen so does not meet the demand there.
    """

    demand: Constraint
    here: float
    limit: float
    level: float
    missed: float
    undefined: str | None = None

    def __str__(self) -> str:
        title, bound, sense = self.demand.measure.title, f"{self.demand.bound:g}", self.demand.sense
        here = f"{title}: {number(self.here)} on these cases"
        if self.undefined is not None:
            return f"{here}; no limit for new cases ({self.undefined})."
        side = "Below" if sense == "at least" else "Above"
        chance = f"a chance of up to {percent(self.missed)}"
        asks = "" if self.demand.confidence is not None else "; --confidence 0.95 (confidence=0.95) adds a confidence"
        sure = f"{100 * self.level:g} % confidence"
        return (
            f"{here}, {sense} {number(self.limit)} on new ones with {sure}. {side} {bound} there with {chance}{asks}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        numbers = {"here": self.here, "limit": self.limit, "level": self.level, "missed": self.missed}
        plain = {name: None if math.isnan(value) else value for name, value in numbers.items()}
        return {"demand": repr(self.demand), "measure": self.demand.measure.name, **plain, "undefined": self.undefined}


def outlook(
    demand: Constraint, table: ScoreTable, matrix: ConfusionMatrix, prevalence: float | None, level: float, shares: int
) -> DemandOutlook:
    """What may be said of a demand that a threshold was chosen to meet.

    A share of a fixed number of cases moves one way as the threshold does. So whatever was chosen among the thresholds
    that meet the demand, one at which the true share is below r can have been chosen only if so many cases as the
    demand asks for lie beyond the threshold where it is exactly r: a binomial chance. The limit is the r at which that
    is 1 - level, the chance of a miss the same at the bound.
    """
    here, nan = float(demand.measure(matrix)), math.nan
    why = demand.why_unsure(table, prevalence)
    if why is not None:
        return DemandOutlook(demand, here, nan, level, nan, why)
    assert demand.measure.parts is not None
    cases = int(np.asarray(demand.measure.parts(matrix)[1]))
    fewest = least_that_passes(demand, cases, shares)
    is_least = demand.sense == "at least"
    bound = demand.bound if is_least else 1 - demand.bound
    kept = float(betaincinv(fewest, cases - fewest + 1, 1 - level)) if 0 < fewest <= cases else 0.0
    missed = float(bdtrc(fewest - 1, cases, bound)) if fewest > 0 and 0 < bound < 1 else float(bound > 0)
    return DemandOutlook(demand, here, kept if is_least else 1 - kept, level, missed)


DRAWS = 500
# With fewer bootstrap samples a quantile of them is a guess.
FEWEST_DRAWS = 100
NAN = float("nan")
# Fewer cases of a class than this were not simulated; with fewer right or wrong ones at the threshold the interval
# of its place did not keep its level (verification/thresholds.py).
FEWEST_OF_A_CLASS = 10
FEWEST_IN_A_CELL = 10
# The interval of the value reaches this many times the optimism beyond that of a threshold given beforehand.
STRETCH = 1.5
BOOTSTRAP = "bootstrap, chosen anew"
NONE_MEETS = "no bootstrap sample has a threshold that meets the demands"


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdChoice:
    """The threshold that is best for a criterion on these cases, with everything needed to distrust it.

    `threshold` is the middle of those that make the same decisions, the ones that call the fewest positive where others
    are as good. `equally_good` are all that are: each a pair, above the first number and up to the second. `good` are
    those within `tolerance` of the best. `apparent` is the criterion's value on the cases the threshold was chosen on,
    `value` the same with the optimism of choosing removed. `place` is the threshold with those that these cases do not
    show to be worse; under demands, with the interval in which it moved from sample to sample. `demands` says
    of every constraint what to expect of it on new cases.
    """

    threshold: float
    equally_good: tuple[Run, ...]
    good: tuple[Run, ...]
    tolerance: float
    criterion: Measure
    apparent: float
    optimism: float
    value: Estimate
    place: Estimate
    matrix: ConfusionMatrix
    flagged: float
    prevalence: float | None
    costs: Costs | None
    constraints: tuple[Constraint, ...]
    implied: ImpliedCosts
    demands: tuple[DemandOutlook, ...] = ()
    notes: tuple[str, ...] = field(default=())
    # Of scores in cells: between what the criterion lies here, whichever scores the cells hold.
    bounds: tuple[float, float] | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<threshold {self.threshold:.6g}: {self.criterion.title} {self.value!r}>"

    @property
    def rule(self) -> str:
        """What to do with a score, in words."""
        return rule_of(self.threshold)

    def words(self) -> str:
        """The choice in sentences, a line each."""
        return "\n".join(sentences(self))

    def table(self) -> Table:
        """The choice as rows of name and value."""
        rows = {
            "threshold": self.threshold,
            "threshold_low": self.place.low,
            "threshold_high": self.place.high,
            f"{self.criterion.name}_apparent": self.apparent,
            "optimism": self.optimism,
            self.criterion.name: self.value.value,
            f"{self.criterion.name}_low": self.value.low,
            f"{self.criterion.name}_high": self.value.high,
            "share_flagged": self.flagged,
            **{cell: float(getattr(self.matrix, cell)) for cell in ("tp", "fp", "fn", "tn")},
            **{
                f"{one.demand.measure.name}_{name}": getattr(one, name)
                for one in self.demands
                for name in ("here", "limit", "missed")
            },
        }
        return Table({"quantity": list(rows), "value": list(rows.values())}, title="Threshold")

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        counts = {cell: float(getattr(self.matrix, cell)) for cell in ("tp", "fp", "fn", "tn")}
        return {
            "threshold": _ends_as_json((self.threshold,))[0],
            "rule": self.rule,
            "criterion": {"name": self.criterion.name, "title": self.criterion.title, "better": self.criterion.better},
            "apparent": self.apparent,
            "optimism": None if math.isnan(self.optimism) else self.optimism,
            "value": self.value.to_dict(),
            "place": self.place.to_dict(),
            "equally_good": [_ends_as_json(run) for run in self.equally_good],
            "good": [_ends_as_json(run) for run in self.good],
            "tolerance": None if math.isnan(self.tolerance) else self.tolerance,
            "flagged": self.flagged,
            "prevalence": self.prevalence,
            "constraints": [repr(one) for one in self.constraints],
            "demands": [one.to_dict() for one in self.demands],
            "counts": counts,
            "implied": self.implied.to_dict(),
            "notes": list(self.notes),
            **({} if self.bounds is None else {"bounds": _ends_as_json(self.bounds)}),
        }


def choose_threshold(
    table: ScoreTable,
    by: str | Measure | None = None,
    *,
    costs: Costs | None = None,
    prevalence: float | None = None,
    constraint: Constraint | Iterable[Constraint] = (),
    tolerance: float | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> ThresholdChoice:
    """The best threshold for `costs`, or for a measure `by` name ("youden", "closest", "f1", ...), under constraints.

    `prevalence` is the share of positives where the threshold will be used, if it is not that of these cases.
    `tolerance` says how much worse than the best is still good; by default one standard error of the value.

    >>> scores, truth = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4], [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> choice = choose_threshold(ScoreTable.of(scores * 4, truth * 4), "youden")
    >>> choice.threshold, choice.equally_good, round(choice.apparent, 3)
    (0.545, ((0.54, 0.55),), 0.6)
    >>> choose_threshold(ScoreTable.of(scores, truth), costs=Costs(fp=1, fn=10, prevalence=0.02)).rule
    'predict scores of at least 0.75 as positive'
    """
    aim = Aim(by, costs, prevalence, constraint, tolerance)
    (choice,) = choose_thresholds(table, [aim], level=level, draws=draws, seed=seed)
    return choice


@dataclass(frozen=True)
class Aim:
    """What a threshold may be chosen for, as `choose_threshold` is told it."""

    by: str | Measure | None = None
    costs: Costs | None = None
    prevalence: float | None = None
    constraint: Constraint | Iterable[Constraint] = ()
    tolerance: float | None = None


def choose_thresholds(
    table: ScoreTable, aims: Iterable[Aim], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> list[ThresholdChoice]:
    """The best threshold for each of several aims, all judged on the same bootstrap samples.

    >>> table = ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.55, 0.54] * 4, [1, 1, 0, 1, 0, 0] * 4)
    >>> [choice.threshold for choice in choose_thresholds(table, [Aim("youden"), Aim(costs=Costs(fp=1, fn=5))])]
    [0.75, 0.575]
    """
    asked = [_search_request(table, aim, level, draws, seed) for aim in aims]
    reason = why_not(table)
    tasks = [(one.task, one.threshold) for one in asked]
    found = [None] * len(asked) if reason is not None else optimisms_of(table, tasks, draws, seed)
    return [_threshold_choice(table, *each, reason, level) for each in zip(asked, found, strict=True)]


@dataclass(frozen=True, eq=False)
class _Asked:
    """An aim as a task, and which cuts of the table are the best for it."""

    task: Task
    gains: Any
    runs: tuple[Run, ...]
    threshold: float
    costs: Costs | None
    tolerance: float | None


def _search_request(table: ScoreTable, aim: Aim, level: float, draws: int, seed: int) -> _Asked:
    _check_arguments(table, aim.prevalence, level, draws, seed)
    constraints = checked_constraints(aim.constraint)
    costs = None if aim.costs is None else checked_costs(aim.costs).of_classes(table.classes)
    wanted = aim.prevalence if aim.prevalence is not None or costs is None else costs.positive_share
    by = counterpart(constraints) if aim.by is None and costs is None and constraints else aim.by
    task = Task(criterion_of(by, costs, wanted), constraints, wanted)
    _check_constraints(task, table)
    gains = task.gains(table)
    if not np.isfinite(gains).any():
        raise InputError(f"no threshold has {' and '.join(map(repr, constraints))}", "demands that can all be met")
    tied = best_of(gains)
    upper, lower = ends(table)
    # Of equally good cuts the one that calls the fewest positive, whatever the scale of the score.
    threshold = threshold_of((float(lower[tied.argmax()]), float(upper[tied.argmax()])))
    return _Asked(task, gains, runs_of(tied, table), threshold, costs, aim.tolerance)


def best_by_ratio(table: ScoreTable, ratios: ArrayLike, *, prevalence: ArrayLike | None = None) -> Tangents:
    """The best threshold for each of many cost ratios (misses in false alarms) at once, read off the ROC hull.

    >>> table = ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0])
    >>> print(best_by_ratio(table, [0.5, 2, 8], prevalence=0.2))
    miss/false alarm  prevalence  best      threshold    fpr  recall   cost
               0.500       0.200  from 0.9      0.900  0.000   0.500  0.050
                   2       0.200  from 0.9      0.900  0.000   0.500  0.200
                   8       0.200  from 0.4      0.400  0.500   1.000  0.400
    """
    _check_classes(table)
    return roc_hull(table).at(ratios, prevalence)


def _threshold_choice(
    table: ScoreTable, asked: _Asked, found: Optimism | None, reason: str | None, level: float
) -> ThresholdChoice:
    task, gains, runs, threshold = asked.task, asked.gains, asked.runs, asked.threshold
    matrix, top, sign = table.at(threshold), float(gains.max()), task.criterion.sign
    near = asked.tolerance if asked.tolerance is not None else NAN if found is None else found.error
    good = runs if math.isnan(near) else runs_of(gains >= top - near - ROUNDING * max(1.0, abs(top)), table)
    seen = matrix if task.prevalence is None else reweighted(matrix, task.prevalence)
    optimism = NAN if found is None else found.mean
    return ThresholdChoice(
        threshold=threshold,
        equally_good=runs,
        good=good,
        tolerance=near,
        criterion=task.criterion.measure,
        apparent=sign * top,
        optimism=optimism,
        value=_corrected_value(table, task, matrix, sign * top, optimism, reason, level),
        place=_threshold_interval(table, asked, found, reason, level),
        matrix=matrix,
        flagged=float(predicted_prevalence(seen)),
        prevalence=task.prevalence,
        costs=asked.costs,
        constraints=task.constraints,
        implied=implied_costs(table, threshold, prevalence=task.prevalence),
        demands=tuple(
            outlook(one, table, seen if one.confidence is None else matrix, task.prevalence, level, task.sure)
            for one in task.constraints
        ),
        notes=_choice_notes(task, threshold, found, table),
        bounds=task.criterion.measure.of_cells(matrix, sign * top),
    )


def _corrected_value(
    table: ScoreTable,
    task: Task,
    matrix: ConfusionMatrix,
    apparent: float,
    optimism: float,
    reason: str | None,
    level: float,
) -> Estimate:
    """The criterion at the threshold on other cases: the apparent value less the optimism.

    Its interval is that of a threshold given beforehand, stretched to the worse side for having chosen this one.
    """
    measure, n = task.criterion.measure, float(table.total)
    if math.isnan(optimism):
        undefined = f"not corrected: {reason or NONE_MEETS}"
        return Estimate(measure.name, apparent, NAN, NAN, level, BOOTSTRAP, n, undefined=undefined)
    value = float(np.clip(apparent - task.criterion.sign * optimism, *measure.bounds))
    fixed = measure.estimate(matrix, level=level)
    why = _small_sample_reason(table) or fixed.undefined
    if why is not None:
        return Estimate(measure.name, value, NAN, NAN, level, BOOTSTRAP, n, undefined=why)
    reach = -task.criterion.sign * STRETCH * optimism
    low, high = fixed.low + min(reach, 0.0), fixed.high + max(reach, 0.0)
    low, high = (float(np.clip(end, *measure.bounds)) for end in (min(low, value), max(high, value)))
    return Estimate(measure.name, value, low, high, level, f"{fixed.method}, stretched by optimism", n)


def _threshold_interval(
    table: ScoreTable, asked: _Asked, found: Optimism | None, reason: str | None, level: float
) -> Estimate:
    """The threshold with those not shown to be worse; under demands, with the middle of those chosen anew."""
    threshold, why = asked.threshold, reason or _small_sample_reason(table)
    n = float(table.total)
    if why is None and not asked.task.constraints:
        return not_worse(table, asked.task, asked.gains, threshold, level)
    why = why or _small_matrix_reason(table.at(threshold))
    if found is None or why is not None or not len(found.thresholds):
        why = why or NONE_MEETS
        return Estimate("threshold", threshold, NAN, NAN, level, BOOTSTRAP, n, undefined=why)
    tail = (1 - level) / 2
    low, high = np.quantile(found.thresholds, [tail, 1 - tail], method="inverted_cdf")
    return Estimate("threshold", threshold, min(low, threshold), max(high, threshold), level, BOOTSTRAP, n)


def _small_matrix_reason(matrix: ConfusionMatrix) -> str | None:
    cells = {
        "misses": matrix.fn,
        "false alarms": matrix.fp,
        "true positives": matrix.tp,
        "negatives let go": matrix.tn,
    }
    what, fewest = min(cells.items(), key=lambda item: float(item[1]))
    if fewest >= FEWEST_IN_A_CELL:
        return None
    return f"only {float(fewest):g} {what} at the threshold: at least {FEWEST_IN_A_CELL} needed"


def _small_sample_reason(table: ScoreTable) -> str | None:
    smaller = min(table.kish)
    if smaller >= FEWEST_OF_A_CLASS:
        return None
    return f"{counted(round(smaller), 'case')} in a class: at least {FEWEST_OF_A_CLASS} needed"


def _choice_notes(task: Task, threshold: float, found: Optimism | None, table: ScoreTable) -> tuple[str, ...]:
    """What else has to be said about the choice."""
    notes = []
    if table.reach is not None and table.reach.hidden:
        notes.append(f"{counted(table.reach.hidden, 'case')} in bins below the disclosure limit were not used")
    if math.isinf(threshold):
        notes.append("no threshold is useful: predicting without the score costs as little on these cases")
    if found is not None and found.dropped:
        notes.append(f"in {counted(found.dropped, 'bootstrap sample')} no threshold met the demands")
    if found is not None and found.bin_error:
        notes.append(f"resampled on bins of at most {100 * found.bin_error:.2g} % of a class")
    if task.sure > 1:
        notes.append(f"the confidence is shared among {task.sure} demands, so that it holds for all of them")
    return tuple(notes)


def _check_arguments(table: ScoreTable, prevalence: float | None, level: float, draws: int, seed: int) -> None:
    _check_classes(table)
    if prevalence is not None:
        checked_between(prevalence, "prevalence", clear=True)
    checked_level(level)
    checked_seed(seed)
    checked_whole(draws, "draws", FEWEST_DRAWS)


def _check_classes(table: ScoreTable) -> None:
    if not table.negatives or not table.positives:
        raise InputError("all true labels are of one class", "cases of both classes")


def _check_constraints(task: Task, table: ScoreTable) -> None:
    for one in task.constraints:
        why = one.refuses(table, task.prevalence)
        if why is not None:
            raise InputError(why, "a demand on these cases themselves: leave the confidence out")


def _ends_as_json(run: tuple[float, ...]) -> list[float | str]:
    """Numbers as JSON can hold them: what has no end is said in words."""
    return [end if math.isfinite(end) else "Infinity" if end > 0 else "-Infinity" for end in run]


def chooser(request: Request) -> Callable[[ScoreTable], ThresholdChoice]:
    """What chooses the threshold that was asked for; what was asked is checked before any case is there.

    >>> table = ScoreTable.of([0.1, 0.6, 0.4, 0.9] * 10, [0, 0, 1, 1] * 10)
    >>> chooser(Request(cost_fp=1, cost_fn=10))(table).threshold
    0.25
    """
    constraints = tuple(demands(request))
    if not constraints and request.cost_fp is None and request.maximise is None:
        raise OptionError(
            "specify what to optimize",
            "--cost-fp 1 --cost-fn 10, or --maximise f1, or --at-least specificity=0.9",
        )
    costs = None
    if request.cost_fp is not None and request.cost_fn is not None:
        wrong, right = (request.cost_fp, request.cost_fn), (request.cost_tp, request.cost_tn)
        costs = Costs(fp=wrong[0], fn=wrong[1], tp=right[0], tn=right[1], acquisition=request.acquisition)
    if costs is not None or request.maximise is not None:
        criterion_of(request.maximise, costs, request.prevalence)
    return lambda table: choose_threshold(
        table,
        request.maximise,
        costs=costs,
        prevalence=request.prevalence,
        constraint=constraints,
        level=request.level_used,
        seed=request.seed_used,
    )


def demands(request: Request) -> list[Constraint]:
    """What the threshold must meet."""
    sure = request.confidence
    found = [at_least(*_parse_bound(text, "at_least"), confidence=sure) for text in request.at_least]
    found += [at_most(*_parse_bound(text, "at_most"), confidence=sure) for text in request.at_most]
    if request.at_most_flagged is not None and request.per is not None:
        found.append(at_most_flagged(request.at_most_flagged, request.per, confidence=sure))
    return found


def _parse_bound(text: str, option: str) -> tuple[str, float]:
    """A measure and its bound from `specificity=0.9`."""
    try:
        name, number = text.split("=")
        return name, float(number)
    except ValueError:
        found = f"{option} is {text!r}"
        raise OptionError(found, "a measure and its bound", {option: "specificity=0.9"}, about=option) from None
