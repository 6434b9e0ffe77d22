"""Choosing a threshold: the best one for a cost or a measure, what it is worth elsewhere, how sure its place is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.costs import Costs, checked_costs
from assay.curves.hull import Tangents, roc_hull
from assay.decisions._cuts import Run, Task, ends, runs_of, threshold_of
from assay.decisions._optimism import Optimism, optimisms_of, why_not
from assay.decisions._words import rule_of, sentences
from assay.decisions.constraints import Constraint, checked_constraints, counterpart
from assay.decisions.criteria import ROUNDING, best_of, criterion_of, reweighted
from assay.decisions.demands import DemandOutlook, outlook
from assay.decisions.implied import ImpliedCosts, implied_costs
from assay.decisions.place import not_worse
from assay.errors import InputError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, predicted_prevalence
from assay.renderers import in_notebook
from assay.request import checked_between, checked_level, checked_seed, checked_whole
from assay.results import Estimate, Table, counted

__all__ = ["Aim", "ThresholdChoice", "best_by_ratio", "choose_threshold", "choose_thresholds"]

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
            "threshold": _ends((self.threshold,))[0],
            "rule": self.rule,
            "criterion": {"name": self.criterion.name, "title": self.criterion.title, "better": self.criterion.better},
            "apparent": self.apparent,
            "optimism": None if math.isnan(self.optimism) else self.optimism,
            "value": self.value.to_dict(),
            "place": self.place.to_dict(),
            "equally_good": [_ends(run) for run in self.equally_good],
            "good": [_ends(run) for run in self.good],
            "tolerance": None if math.isnan(self.tolerance) else self.tolerance,
            "flagged": self.flagged,
            "prevalence": self.prevalence,
            "constraints": [repr(one) for one in self.constraints],
            "demands": [one.to_dict() for one in self.demands],
            "counts": counts,
            "implied": self.implied.to_dict(),
            "notes": list(self.notes),
            **({} if self.bounds is None else {"bounds": _ends(self.bounds)}),
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
    'call scores of at least 0.75 positive'
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
    asked = [_asked(table, aim, level, draws, seed) for aim in aims]
    reason = why_not(table)
    tasks = [(one.task, one.threshold) for one in asked]
    found = [None] * len(asked) if reason is not None else optimisms_of(table, tasks, draws, seed)
    return [_choice(table, *each, reason, level) for each in zip(asked, found, strict=True)]


@dataclass(frozen=True, eq=False)
class _Asked:
    """An aim as a task, and which cuts of the table are the best for it."""

    task: Task
    gains: Any
    runs: tuple[Run, ...]
    threshold: float
    costs: Costs | None
    tolerance: float | None


def _asked(table: ScoreTable, aim: Aim, level: float, draws: int, seed: int) -> _Asked:
    _check(table, aim.prevalence, level, draws, seed)
    constraints = checked_constraints(aim.constraint)
    costs = None if aim.costs is None else checked_costs(aim.costs).of_classes(table.classes)
    wanted = aim.prevalence if aim.prevalence is not None or costs is None else costs.positive_share
    by = counterpart(constraints) if aim.by is None and costs is None and constraints else aim.by
    task = Task(criterion_of(by, costs, wanted), constraints, wanted)
    _check_constraints(task, table)
    gains = task.gains(table)
    if not np.isfinite(gains).any():
        raise InputError(f"no threshold has {' and '.join(map(repr, constraints))}", "demands that can be met together")
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


def _choice(
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
        value=_value(table, task, matrix, sign * top, optimism, reason, level),
        place=_place(table, asked, found, reason, level),
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
        notes=_notes(task, threshold, found, table),
        bounds=task.criterion.measure.of_cells(matrix, sign * top),
    )


def _value(
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
    why = _too_few(table) or fixed.undefined
    if why is not None:
        return Estimate(measure.name, value, NAN, NAN, level, BOOTSTRAP, n, undefined=why)
    reach = -task.criterion.sign * STRETCH * optimism
    low, high = fixed.low + min(reach, 0.0), fixed.high + max(reach, 0.0)
    low, high = (float(np.clip(end, *measure.bounds)) for end in (min(low, value), max(high, value)))
    return Estimate(measure.name, value, low, high, level, f"{fixed.method}, stretched by optimism", n)


def _place(table: ScoreTable, asked: _Asked, found: Optimism | None, reason: str | None, level: float) -> Estimate:
    """The threshold with those not shown to be worse; under demands, with the middle of those chosen anew."""
    threshold, why = asked.threshold, reason or _too_few(table)
    n = float(table.total)
    if why is None and not asked.task.constraints:
        return not_worse(table, asked.task, asked.gains, threshold, level)
    why = why or _too_thin(table.at(threshold))
    if found is None or why is not None or not len(found.thresholds):
        why = why or NONE_MEETS
        return Estimate("threshold", threshold, NAN, NAN, level, BOOTSTRAP, n, undefined=why)
    tail = (1 - level) / 2
    low, high = np.quantile(found.thresholds, [tail, 1 - tail], method="inverted_cdf")
    return Estimate("threshold", threshold, min(low, threshold), max(high, threshold), level, BOOTSTRAP, n)


def _too_thin(matrix: ConfusionMatrix) -> str | None:
    cells = {
        "misses": matrix.fn,
        "false alarms": matrix.fp,
        "positives found": matrix.tp,
        "negatives let go": matrix.tn,
    }
    what, fewest = min(cells.items(), key=lambda item: float(item[1]))
    if fewest >= FEWEST_IN_A_CELL:
        return None
    return (
        f"only {float(fewest):g} {what} at the threshold: below {FEWEST_IN_A_CELL} the interval did not keep its level"
    )


def _too_few(table: ScoreTable) -> str | None:
    smaller = min(table.kish)
    if smaller >= FEWEST_OF_A_CLASS:
        return None
    return f"{counted(round(smaller), 'case')} in a class: below {FEWEST_OF_A_CLASS} no interval was shown to hold"


def _notes(task: Task, threshold: float, found: Optimism | None, table: ScoreTable) -> tuple[str, ...]:
    """What else has to be said about the choice."""
    notes = []
    if table.reach is not None and table.reach.hidden:
        notes.append(f"{counted(table.reach.hidden, 'case')} in cells too small to be shown had no part in the choice")
    if math.isinf(threshold):
        notes.append("no threshold is worth using: deciding without the score is as good on these cases")
    if found is not None and found.dropped:
        notes.append(f"in {counted(found.dropped, 'bootstrap sample')} no threshold met the demands")
    if found is not None and found.bin_error:
        notes.append(f"resampled on bins of at most {100 * found.bin_error:.2g} % of a class")
    if task.sure > 1:
        notes.append(f"the confidence is shared among {task.sure} demands, so that it holds for all of them together")
    return tuple(notes)


def _check(table: ScoreTable, prevalence: float | None, level: float, draws: int, seed: int) -> None:
    _check_classes(table)
    if prevalence is not None:
        checked_between(prevalence, "prevalence", clear=True)
    checked_level(level)
    checked_seed(seed)
    checked_whole(draws, "draws", FEWEST_DRAWS)


def _check_classes(table: ScoreTable) -> None:
    if not table.negatives or not table.positives:
        raise InputError("truth holds a single class", "cases of both, to tell a good threshold from a bad one")


def _check_constraints(task: Task, table: ScoreTable) -> None:
    for one in task.constraints:
        why = one.refuses(table, task.prevalence)
        if why is not None:
            raise InputError(why, "a demand on these cases themselves: leave the confidence out")


def _ends(run: tuple[float, ...]) -> list[float | str]:
    """Numbers as JSON can hold them: what has no end is said in words."""
    return [end if math.isfinite(end) else "Infinity" if end > 0 else "-Infinity" for end in run]
