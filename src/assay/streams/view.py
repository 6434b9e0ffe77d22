"""What a run holds under one view: evidence, and every measure of it.

Intervals of what a view holds that respect how events depend on those before them; at one look.

Measures of a stream alone: how much better than an answer that knows no features but has seen the labels so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from assay.comparison import score_influence
from assay.errors import OptionError, UnknownName
from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation, evaluate
from assay.evidence import ClassScores, ConfusionMatrix, FourCells, PairTally, ScoreTable
from assay.measures import Measure, find, find_for_many, matrix_influence, ratio
from assay.predictions import Predictions
from assay.results import Estimate, Interval
from assay.sources import Source
from assay.streams.history import Memory, Rounding
from assay.streams.windows import Moments, ViewSpec, Window, unpacked
from assay.types import Codes, Floats
from assay.uncertainty import ONE_LOOK, dependent_interval, dependent_mean

if TYPE_CHECKING:
    from assay.streams.prequential import Prequential

__all__ = ["BASELINES", "BaselineKappa", "View", "dependent_estimate"]


# A share of the events that rounding of fading sums may leave where there are none.
ROUNDING = 1e-12


@dataclass(frozen=True)
class BaselineKappa:
    """How much of what a baseline gets wrong the classifier gets right: 0 is no better than it, 1 is perfection.

    `hits` says whose right answers it is held against: those of `same`, which repeats the true class of the event
    before, or of `majority`, which answers the commonest class of the view.

    >>> kappa_m = BASELINES["kappa_m"]
    >>> kappa_m(80.0, 62.4, 100.0)
    0.46808510638297873
    """

    name: str
    title: str
    hits: Literal["same", "majority"]
    undefined: str
    reference: str
    aliases: tuple[str, ...] = ()

    def __call__(self, correct: Any, hits: Any, total: Any) -> Any:
        """(p - p_baseline) / (1 - p_baseline), of right answers, the baseline's, and events."""
        missed = total - hits
        if type(missed) is float:
            missed = missed if missed > ROUNDING * total else 0.0
        else:
            missed = np.where(missed > ROUNDING * total, missed, 0.0)
        gained = correct - hits
        # Where the baseline is never wrong there is nothing to gain on it, whatever the sign.
        return ratio(gained, missed) if type(missed) is float else np.where(missed > 0, ratio(gained, missed), np.nan)

    def of(self, matrix: ConfusionMatrix, hits: Any) -> Any:
        """The same, of one matrix or of a batch of them."""
        return self(matrix.correct, hits, matrix.total)


_ALL = (
    BaselineKappa(
        "kappa_temporal",
        "Kappa temporal",
        "same",
        "the baseline (the previous class) is always correct",
        "Zliobaite, Bifet, Read, Pfahringer & Holmes (2015)",
        ("kappa_t", "kappa_per"),
    ),
    BaselineKappa(
        "kappa_m",
        "Kappa M",
        "majority",
        "the baseline (the majority class) is always correct",
        "Bifet, de Francisci Morales, Read, Holmes & Pfahringer (2015)",
        ("kappa_majority",),
    ),
)
# By name and by alias.
BASELINES = {name: each for each in _ALL for name in (each.name, *each.aliases)}


FADES = "not available for fading events under dependence; use a window or the cumulative view"
NO_ORDER = "the cumulative view stores sums, without the order of the scores; use a window"
NO_MOVES = "no influence function for it"


def dependent_estimate(view: View, measure: Measure | BaselineKappa, value: float, level: float) -> Estimate:
    """A measure of a view with limits by the long-run variance of how much each event moves it."""
    tally, n = view.tally, float(len(view))
    if isinstance(tally, Window):
        moves = _influence_values(view, tally, measure, value)
    elif tally is None or tally.is_fading:
        moves = FADES
    elif tally.batches is None:
        moves = NO_ORDER
    elif isinstance(measure, Measure) and measure.needs is ConfusionMatrix:
        moves = _batch_influence(view, tally, measure)
    else:
        moves = NO_ORDER
    found = (
        Interval.missing("none", moves) if isinstance(moves, str) else _measure_interval(value, moves, level, measure)
    )
    if found.undefined is not None:
        return Estimate(measure.name, value, math.nan, math.nan, level, found.method, n, undefined=found.undefined)
    low, high = min(found.low, value), max(found.high, value)
    return Estimate(measure.name, value, low, high, level, found.method, n)


def _measure_interval(value: float, moves: Floats, level: float, measure: Measure | BaselineKappa) -> Interval:
    if not math.isfinite(value):
        return Interval.missing("none", f"at {value:g} its influence values are undefined")
    outcomes = moves + value
    rounded = np.rint(outcomes)
    # A share of all events: each is in it or not, which says more than how much it moves.
    if np.all(np.abs(outcomes - rounded) < 1e-9) and rounded.min() >= 0 and rounded.max() <= 1:
        found = dependent_mean(rounded, level, name=measure.name)
        return Interval(found.low, found.high, found.method, found.undefined)
    bounds = measure.bounds if isinstance(measure, Measure) else (-math.inf, 1.0)
    return dependent_interval(value, moves, level, bounds=bounds)


def _influence_values(view: View, window: Window, measure: Measure | BaselineKappa, value: float) -> Floats | str:
    """How much each event of a window moves a measure, in their order."""
    held = window.ring.held()
    truth, decision, same, majority = unpacked(held.codes)
    if isinstance(measure, BaselineKappa):
        return _kappa_influence(truth == decision, same if measure.hits == "same" else majority, value)
    if measure.needs is ConfusionMatrix:
        at = view.places()
        return np.asarray(matrix_influence(measure.formula, view.matrix)[at[truth], at[decision]])
    table = view.table
    if measure.needs is not ScoreTable or table is None or held.scores is None:
        return NO_MOVES
    if measure.pairs is None and measure.moved_by is None:
        return NO_MOVES
    return np.asarray(score_influence(measure, table, held.scores, truth == 1))


def _kappa_influence(right: Any, hits: Codes, value: float) -> Floats:
    """(p - q) / (1 - q) moves by how much its two shares move."""
    p, q = float(np.mean(right)), float(np.mean(hits))
    moved = (right - p) / (1 - q) - (hits - q) * (1 - p) / (1 - q) ** 2
    return np.asarray(moved, dtype=np.float64)


def _batch_influence(view: View, memory: Memory, measure: Measure) -> Floats:
    """How much the mean event of each stretch moves a measure."""
    assert memory.batches is not None
    at = view.places()
    per_cell = matrix_influence(measure.formula, view.matrix)[np.ix_(at, at)].ravel()
    return np.asarray(memory.batches.finished() @ per_cell / memory.batches.length)


MOST_KNOWN = 1024
NOTHING_YET = "no events yet"
ONE_CLASS = "only one class so far"
UNDECIDED = "unknown positive class: pass positive="
ROWS_LOST = "more events than are stored, and class averages need the rows of all events; use a window"


class Step(NamedTuple):
    """How one measure is read: from the cells, from pairs in order, against a baseline, or from all the evidence."""

    name: str
    kind: str
    formula: Callable[..., Any]
    measure: Measure | BaselineKappa | None


class ReadingPlan:
    """How several measures are read, those of the cells alone apart: they are asked for most, and need no question.

    What was read of some counts is remembered: in a window one event comes for one that leaves, so that the same counts
    are met again and again.
    """

    __slots__ = ("known", "names", "of_pairs", "others", "plain", "stage", "steps")

    def __init__(self, names: tuple[str, ...], stage: int, steps: tuple[Step, ...] = ()) -> None:
        self.names, self.steps, self.stage = names, steps, stage
        self.known: dict[tuple[float, ...], dict[str, float]] = {}
        self.plain = [(step.name, step.formula) for step in steps if step.kind == "cells"]
        self.of_pairs = [(step.name, step.formula) for step in steps if step.kind == "pairs"]
        self.others = [step for step in steps if step.kind not in ("cells", "pairs")]


class View:
    """One view of a run: `value` and `values` are plain numbers, `estimate` and `evaluation` all that is known of them.

    Values are exact, those of scores too: ties count half and no score is binned, where river's rolling AUC passes over
    ties and its AUC of the whole stream looks at ten thresholds. Two-class metrics of river take words for classes as
    neither class and are 0; here they are classes.

    >>> from assay import streams
    >>> run = streams.prequential(classes=("no", "yes"), views=(streams.cumulative(), streams.sliding(2)))
    >>> for truth, score in (("no", 0.2), ("yes", 0.7), ("yes", 0.4)):
    ...     run.update(truth, score=score)
    >>> run.view("sliding 2").values(("accuracy", "recall", "kappa_m"))
    {'accuracy': 0.5, 'recall': 0.5, 'kappa_m': 0.0}
    >>> run.view("cumulative").value("roc_auc")
    1.0
    """

    def __init__(self, run: Prequential, spec: ViewSpec) -> None:
        self.spec, self.name = spec, spec.name
        self._run = run
        # The sums behind it, which the run sets with its first event.
        self.tally: Window | Memory | None = None
        self._plans: dict[tuple[str, ...], ReadingPlan] = {}
        self._asked, self._in_order = ReadingPlan((), 0), PairTally(0.0, 0.0, 0.0)

    def __repr__(self) -> str:
        return f"<view {self.name}: {len(self):,} events>"

    def __len__(self) -> int:
        """How many events are held; a fading view holds all of them a little."""
        return 0 if self.tally is None else len(self.tally)

    def value(self, name: str) -> float:
        """One measure as a plain number, nan where it is undefined: `estimate` says why."""
        return self.values((name,))[name]

    def values(self, names: Sequence[str]) -> dict[str, float]:
        """Several measures as plain numbers, made for being asked after every event.

        Those of decisions, the baselines' kappas and the AUC of a window cost little; others of scores are computed
        from all the scores that are held, each time.
        """
        tally = self.tally
        if tally is None:
            return dict.fromkeys(names, math.nan)
        plan = self._asked
        if names is not plan.names or plan.stage != self._run.stage:
            plan = self._reading_plan(names)
        counts = tuple(tally.counts) if type(tally) is Window and tally.ring.length >= tally.settles_at else ()
        known = plan.known.get(counts)
        if known is None:
            cells = self._count_entries(tally)
            known = {name: formula(cells) for name, formula in plan.plain}
            self._cache_values(plan, counts, known)
        found = known.copy()
        if plan.of_pairs:
            pairs = self._pairs(tally)
            for name, formula in plan.of_pairs:
                found[name] = formula(pairs)
        if plan.others:
            cells = self._count_entries(tally)
            for step in plan.others:
                found[step.name] = float(step.formula(cells, tally) if step.kind == "baseline" else step.formula())
        return found

    def _cache_values(self, plan: ReadingPlan, counts: tuple[float, ...], known: dict[str, float]) -> None:
        """Keep what was read of the counts of a window of two classes; others are not likely to come again."""
        if len(counts) == 4:
            if len(plan.known) >= MOST_KNOWN:
                plan.known.clear()
            plan.known[counts] = known

    def _count_entries(self, tally: Window | Memory) -> Any:
        """The counts as four plain numbers, or where there are not two classes as a matrix."""
        counts = tally.counts if type(tally) is Window else tally.faded(tally.counts)  # type: ignore[union-attr]
        if len(counts) == 4:
            return FourCells(*counts) if self._run.order[0] == 0 else FourCells(*counts[::-1])
        return self._confusion_matrix(tally) if len(counts) > 4 else None

    def _pairs(self, tally: Any) -> PairTally:
        """Of a window of two classes the pairs in order, and how many each class has."""
        first, second = tally.sizes
        # The same one every time: it is asked for after every event, and nobody keeps it.
        pairs = self._in_order
        pairs.pairs_in_order = tally.in_order()
        pairs.negatives, pairs.positives = (first, second) if self._run.order[0] == 0 else (second, first)
        return pairs

    def steps(self, names: Sequence[str]) -> tuple[Step, ...]:
        """How each of some measures is read."""
        return self._reading_plan(names).steps

    def _reading_plan(self, names: Sequence[str]) -> ReadingPlan:
        stage = self._run.stage
        key = names if type(names) is tuple else tuple(names)
        plan = self._plans.get(key)
        if plan is None or plan.stage != stage:
            if isinstance(names, str):
                raise OptionError(f"the measures are {names!r}", "a list of names", options={"record": [names]})
            plan = self._plans[key] = ReadingPlan(key, stage, tuple(self._step(name) for name in key))
        self._asked = plan
        return plan

    def _step(self, name: str) -> Step:
        kappa = BASELINES.get(name)
        if kappa is not None:
            return Step(name, "baseline", lambda cells, tally: self._baseline_kappa_value(kappa, cells, tally), kappa)
        measure = self._find_measure(name)
        if measure is None or self._run.class_count < 2 or (measure.of_one_class and self._run.is_undecided):
            return Step(name, "nan", lambda: math.nan, measure)
        if measure.needs is ConfusionMatrix:
            if self._run.class_count > 2:
                return Step(name, "cells", lambda matrix: float(measure.formula(matrix)), measure)
            if measure.takes_plain:
                return Step(name, "cells", measure.formula, measure)
        if measure.pairs is not None and self.spec.is_window and self._run.has_score:
            return Step(name, "pairs", measure.formula, measure)
        return Step(name, "whole", lambda: self._measure_value(measure), measure)

    def _find_measure(self, name: str) -> Measure | None:
        """The measure of a name for as many classes as there are; None where more are needed, or fewer."""
        finders = (find_for_many, find) if self._run.class_count > 2 else (find, find_for_many)
        try:
            return finders[0](name)
        except UnknownName:
            if self._run.knows_how_many:
                raise
            finders[1](name)
            return None

    def _baseline_kappa_value(self, kappa: BaselineKappa, cells: Any, tally: Window | Memory) -> float:
        if cells is None:
            return math.nan
        hits = tally.same if kappa.hits == "same" else tally.majority
        if not isinstance(tally, Window):
            hits *= tally.scale
        return float(kappa(float(cells.correct), hits, float(cells.total)))

    def _measure_value(self, measure: Measure) -> float:
        if self._reason_unavailable(measure) is not None:
            return math.nan
        if measure.needs is ConfusionMatrix:
            return float(measure(self.matrix))
        ev = self.evaluation
        return math.nan if ev.reason_unavailable(measure) is not None else float(measure(ev.evidence_for(measure)))

    def _reason_unavailable(self, measure: Measure | BaselineKappa | None) -> str | None:
        """Why a measure cannot be computed from what is held; None where nothing here speaks against it."""
        if not len(self):
            return NOTHING_YET
        if self._run.class_count < 2:
            return ONE_CLASS
        if measure is None:
            return f"{self._run.class_count} classes so far"
        if isinstance(measure, BaselineKappa):
            return None
        if self._run.is_undecided and (measure.of_one_class or measure.needs is not ConfusionMatrix):
            return UNDECIDED
        is_lost = measure.needs is not ConfusionMatrix and self._has_lost_rows
        return ROWS_LOST if is_lost else None

    @property
    def _has_lost_rows(self) -> bool:
        rows = getattr(self.tally, "rows", None)
        return rows is not None and rows.is_lost

    def estimate(self, name: str) -> Estimate:
        """A measure with limits that respect how events depend on those before; what has none says why.

        The limits hold at one look. A classifier watched all the time needs those of `streams.watch`, which hold at
        every look at once.

        >>> from assay import streams
        >>> run = streams.prequential(classes=("no", "yes"))
        >>> run.update_many(["no", "yes", "no", "no"] * 100, ["no", "yes", "no", "yes"] * 100)
        >>> run.view("cumulative").estimate("accuracy")
        0.750 [0.701, 0.793]
        """
        (step,) = self.steps((name,))
        measure, level = step.measure, self._run.level
        reason = self._reason_unavailable(measure)
        value = self.value(name) if reason is None else math.nan
        if reason is None and math.isnan(value):
            assert measure is not None
            reason = measure.undefined
        if reason is not None:
            called, n = name if measure is None else measure.name, float(len(self))
            return Estimate(called, value, math.nan, math.nan, level, "none", n, undefined=reason)
        assert measure is not None
        return dependent_estimate(self, measure, value, level)

    def places(self) -> Codes:
        """Where the class of each code stands among those shown."""
        place = np.empty(self._run.class_count, np.int64)
        place[self._run.order] = np.arange(self._run.class_count)
        return place

    @property
    def matrix(self) -> ConfusionMatrix:
        """The confusion matrix of what is held; fading events weigh what is left of them."""
        return self._confusion_matrix(self._nonempty_tally())

    def _nonempty_tally(self) -> Window | Memory:
        tally = self.tally
        if tally is None or not len(tally):
            raise OptionError(NOTHING_YET, "run.update(truth, ...) first")
        if self._run.class_count < 2:
            raise OptionError(ONE_CLASS, "both classes listed at the start", {"classes": ("no", "yes")})
        return tally

    def _confusion_matrix(self, tally: Window | Memory) -> ConfusionMatrix:
        names, order, k = self._run.classes, self._run.order, self._run.class_count
        place = np.ix_(order, order)
        counts = tally.counts if isinstance(tally, Window) else tally.faded(tally.counts)
        squares = None
        if not isinstance(tally, Window) and tally.is_fading:
            squares = np.reshape(tally.faded(tally.squares, 2), (k, k))[place]
        return ConfusionMatrix(np.reshape(counts, (k, k))[place], names, names, squares)

    @property
    def table(self) -> ScoreTable | None:
        """The scores of two classes that are held; None where there are none."""
        tally = self._nonempty_tally()
        if not self._run.has_score:
            return None
        negative, positive = self._run.classes
        if isinstance(tally, Window):
            held = tally.ring.held()
            assert held.scores is not None
            return ScoreTable.of(held.scores, unpacked(held.codes)[0] == 1, (negative, positive))
        assert tally.table is not None
        return tally.table.table(tally.scale, (negative, positive))

    @property
    def class_scores(self) -> ClassScores | None:
        """The rows of scores of more than two classes; None where there are none, or more came than are kept."""
        rows = self._rows() if self._run.class_count > 2 else None
        if rows is None or rows.probability is None:
            return None
        return ClassScores.of(rows.probability, rows.truth, rows.classes, weight=rows.weight)

    @property
    def rounding(self) -> Rounding | None:
        """How scores were rounded and what that can have done to the AUC; None while they are exact."""
        table = getattr(self.tally, "table", None)
        return None if table is None else table.rounding()

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of what is held: whatever the registry has, with intervals that take events as independent."""
        run = self._run
        self._nonempty_tally()
        run.refuse_undecided()
        rows = self._rows()
        if rows is not None:
            by_threshold = run.threshold_used if rows.score is not None else None
            return evaluate(rows, threshold=by_threshold, level=run.level, seed=run.seed)
        source = Source("stream", "stream", rows=len(self))
        facts: dict[str, Any] = {"source": source, "matrix": self.matrix, "level": run.level, "seed": run.seed}
        if run.class_count > 2:
            return ManyClassEvaluation(**facts)
        used = run.threshold_used
        return TwoClassEvaluation(
            **facts, scores=self.table, threshold_used=used, threshold_was_given=run.threshold is not None
        )

    def _rows(self) -> Predictions | None:
        """The rows that are held, as predictions; None where there are only sums."""
        tally, run = self._nonempty_tally(), self._run
        weight: Floats | None = None
        if isinstance(tally, Window):
            held = tally.ring.held()
            scores, (truth, decision, _, _) = held.scores, unpacked(held.codes)
        elif tally.rows is not None and not tally.rows.is_lost:
            scores, truth, decision, weight = tally.rows.rows()
        else:
            return None
        place = self.places()
        many = {"probability": scores} if run.class_count > 2 else {"score": scores}
        return Predictions(run.classes, place[truth], decision=place[decision], weight=weight, **many)  # type: ignore[arg-type]

    def at(self, moments: Moments, step: Step) -> Floats:
        """One measure at many moments of a chunk."""
        order = self._run.order
        is_shown = order == list(range(len(order)))
        counts = moments.counts if is_shown else moments.counts[:, order][:, :, order]
        matrix = ConfusionMatrix(counts, self._run.classes)
        if isinstance(step.measure, BaselineKappa):
            hits = moments.same if step.measure.hits == "same" else moments.majority
            return np.asarray(step.measure.of(matrix, hits))
        assert step.measure is not None
        if step.kind == "pairs":
            sides: Any = PairTally(moments.pairs, matrix.negatives, matrix.positives)  # type: ignore[arg-type]
            return np.asarray(step.formula(sides))
        return np.asarray(step.measure.formula(matrix))

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to keep in mind about the numbers of this view."""
        rounding = self.rounding
        said = [ONE_LOOK, "" if rounding is None else str(rounding), ROWS_LOST if self._has_lost_rows else ""]
        return tuple(each for each in said if each)
