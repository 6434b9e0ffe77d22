"""What every evaluation of a classifier has, of two classes or of more.

The cells of a confusion matrix one by one: counts, shares of row, column and all, and their intervals.

Bootstrap intervals by name where cases have weights or come in clusters: rows, or whole clusters, are redrawn.

Baselines: what answers that look at no case at all would score on the same data.

Both kinds of evaluation as a type checker may see them where it cannot know which one there is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from assay.cautions import Caution, EvaluationFacts, check
from assay.comparison import Placed, Rows, SamplePlan, bootstrap
from assay.deprecated import with_old_names
from assay.errors import OptionError
from assay.evaluation.attributes import unknown_attribute
from assay.evaluation.calibration import Calibration, ClassCalibration
from assay.evaluation.curves import ClassCurves, Curves, widened
from assay.evaluation.groups import Gaps, Parting, asked_partings, gaps_of
from assay.evaluation.sample_size import plan_width
from assay.evaluation.topics import EVALUATION, evaluation_help, shown_names
from assay.evidence import ClassScores, ConfusionMatrix, DecidedRows, ScoreTable, SummedClasses
from assay.evidence.probability_losses import ErrorSums
from assay.help_tree import HelpTree, public_names
from assay.measures import Measure, chance_matrix, ratio, registry, registry_of_many
from assay.measures.interval_methods import BOOTSTRAP, bootstrap_caution, from_replicates, is_bootstrap
from assay.predictions import Predictions
from assay.renderers import in_notebook, render
from assay.request import Card, checked_level
from assay.results import Estimate, Table, counted
from assay.sources import Source
from assay.text import bounds_words
from assay.uncertainty import PROPORTION_METHODS, widened_level

if TYPE_CHECKING:
    from assay.calibration import RecalibrationEffect
    from assay.evaluation.binary import TwoClassEvaluation
    from assay.evaluation.multiclass import ManyClassEvaluation
    from assay.evaluation.sampled import Labelled, SampledEvaluation

__all__ = [
    "AnyEvaluation",
    "Baselines",
    "Evaluation",
    "cells_of",
    "is_clustered",
    "of_any_kind",
    "placed_rows",
    "resampled_estimate",
]


# Beyond so many classes most cells are empty and are left out.
MOST_FOR_EMPTY_CELLS = 30


def cells_of(matrix: ConfusionMatrix, level: float) -> Table:
    """A row a cell: how many cases, and what share of their true class, of their label and of all cases.

    The limits are Wilson's, one cell at a time: of the chance of this label given this true class (`low`, `high`), and
    of this true class given this label. With more than 30 classes, cells without a case are left out.
    """
    shown = (
        np.argwhere(matrix.counts > 0)
        if len(matrix.classes) > MOST_FOR_EMPTY_CELLS
        else np.argwhere(matrix.counts >= 0)
    )
    rows, columns = matrix.counts.sum(1), matrix.counts.sum(0)
    counts = [float(matrix.counts[i, j]) for i, j in shown]
    effective = float(ratio(matrix.kish, matrix.total))
    of_row = [_class_share_limits(c, float(rows[i]), effective, level) for c, (i, _) in zip(counts, shown, strict=True)]
    of_column = [
        _class_share_limits(c, float(columns[j]), effective, level) for c, (_, j) in zip(counts, shown, strict=True)
    ]
    found: dict[str, Any] = {
        "true": [matrix.classes[i] for i, _ in shown],
        "called": [matrix.decisions[j] for _, j in shown],
        "cases": [int(c) if c == int(c) else c for c in counts],
        "of_true": [share for share, _, _ in of_row],
        "low": [low for _, low, _ in of_row],
        "high": [high for _, _, high in of_row],
        "of_called": [share for share, _, _ in of_column],
        "of_called_low": [low for _, low, _ in of_column],
        "of_called_high": [high for _, _, high in of_column],
        "of_all": [float(ratio(c, matrix.total)) for c in counts],
    }
    return Table(found, title=f"Cells with {100 * level:g} % intervals (Wilson)")


def _class_share_limits(part: float, whole: float, effective: float, level: float) -> tuple[float, float, float]:
    if not whole:
        return float("nan"), float("nan"), float("nan")
    low, high = PROPORTION_METHODS["Wilson"](part * effective, whole * effective, level)
    return part / whole, low, high


def resampled_estimate(ev: Evaluation, measure: Measure, level: float) -> Estimate:
    """The bootstrap interval of a measure of weighted or clustered rows; classes keep their size in neither."""
    evidence = ev.evidence_for(measure)
    value, n = float(measure(evidence)), measure.cases(evidence)  # type: ignore[arg-type]
    if math.isnan(value):
        return Estimate(measure.name, value, value, value, level, "none", n, undefined=measure.undefined)
    drawn_rows, placed = _resampling_units(ev, measure, evidence)
    drawn = bootstrap([[placed]], [measure], drawn_rows, seed=ev.seed)
    of_what = "" if drawn_rows.cluster is None else f", {counted(drawn_rows.units, 'cluster')}"
    found = from_replicates(drawn.values[0, 0], value, level, BOOTSTRAP + of_what)
    if found.undefined is not None:
        return Estimate(measure.name, value, math.nan, math.nan, level, found.method, n, undefined=found.undefined)
    low, high = min(found.low, value), max(found.high, value)
    caution = bootstrap_caution(measure)
    return Estimate(measure.name, value, low, high, level, found.method, n, se=found.se, caution=caution)


def is_clustered(evidence: Any) -> bool:
    """Whether evidence says what each cluster adds to it, so that clusters can be redrawn without rows."""
    held = evidence.rows if isinstance(evidence, ScoreTable) else getattr(evidence, "clusters", None)
    return held is not None


def _resampling_units(ev: Evaluation, measure: Measure, evidence: Any) -> tuple[Rows, Placed]:
    """What is redrawn: the rows, or without them what each cluster has in each cell."""
    rows = ev.rows
    if rows is not None:
        drawn = Rows(rows.truth == 1, rows.weight, rows.count, rows.cluster)
        return drawn, placed_rows(measure, evidence, rows)
    if isinstance(evidence, ScoreTable):
        held = evidence.rows
        assert held is not None
        cell = held.position + held.is_positive * len(evidence)
        return Rows(held.is_positive, None, held.weight, held.cluster), Placed(evidence, cell)
    cluster, truth, decision = np.nonzero(evidence.clusters)
    counts = evidence.clusters[cluster, truth, decision]
    return Rows(truth == 1, None, counts, cluster), Placed.of_decisions(evidence, truth, decision)


def placed_rows(measure: Measure, evidence: Any, rows: DecidedRows) -> Placed:
    """Which cell of its evidence each row falls into."""
    if measure.needs is ScoreTable and rows.score is not None:
        return Placed.of_scores(evidence, rows.score + 0.0, rows.truth == 1)
    if measure.needs is ConfusionMatrix and rows.decision is not None:
        return Placed.of_decisions(evidence, rows.truth, rows.decision)
    raise OptionError(f"the bootstrap of {measure.title} takes one score or label a case", "another method")


ROUNDING = 1e-12


@dataclass(frozen=True)
class Baselines:
    """The four dumb answers, scored by the same formulas as the classifier.

    `majority` always answers the commonest class, `always_positive` the positive one, `prior_random` draws an answer
    with the classes' own frequencies (its expected matrix is scored), `constant_probability` says the prevalence, or
    the share of each of many classes. Of many classes none is positive.

    >>> baselines = Baselines.of({"no": 9700.0, "yes": 300.0})
    >>> baselines.majority_class, round(baselines.value("majority", "accuracy"), 3)
    ('no', 0.97)
    >>> round(baselines.value("always_positive", "f1"), 5)
    0.05825
    """

    class_sizes: dict[str, float]
    majority: ConfusionMatrix
    always_positive: ConfusionMatrix | None
    prior_random: ConfusionMatrix
    constant_probability: ScoreTable | ClassScores | None

    _repr_html_ = in_notebook

    @classmethod
    def of(cls, class_sizes: dict[str, float]) -> Baselines:
        """Baselines for classes of these sizes, the positive one of two last."""
        sizes = np.array(list(class_sizes.values()))
        names = tuple(class_sizes)
        is_binary = len(names) == 2
        return cls(
            class_sizes,
            majority=_constant_matrix(sizes, int(sizes.argmax()), names),
            always_positive=_constant_matrix(sizes, len(names) - 1, names) if is_binary else None,
            prior_random=chance_matrix(ConfusionMatrix(np.diag(sizes), names)),
            constant_probability=_constant_prevalence_scores(sizes, names)
            if is_binary
            else _constant_share_scores(sizes, names),
        )

    @property
    def _registry(self) -> Mapping[str, Measure]:
        return registry if len(self.class_sizes) == 2 else registry_of_many

    @property
    def majority_class(self) -> str:
        """The commonest class (the first of them, if several are)."""
        return max(self.class_sizes, key=lambda name: self.class_sizes[name])

    def value(self, baseline: str, measure: str) -> float:
        """What a measure gives for a baseline; nan where it is undefined or does not apply."""
        evidence, asked = getattr(self, baseline), self._registry[measure]
        return _value_of(asked, evidence) if isinstance(evidence, asked.needs) else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Every baseline with every measure it has, undefined ones as None."""
        answers: dict[str, dict[str, Any]] = {
            "majority": {"answer": self.majority_class},
            "always_positive": {"answer": list(self.class_sizes)[-1]},
            "prior_random": {},
            "constant_probability": {},
        }
        if isinstance(self.constant_probability, ScoreTable):
            answers["constant_probability"]["answer"] = float(self.constant_probability.score[0])
        return {
            name: {**answer, "measures": self._scores(name)}
            for name, answer in answers.items()
            if getattr(self, name) is not None
        }

    def _scores(self, baseline: str) -> dict[str, float | None]:
        evidence = getattr(self, baseline)
        needs = type(evidence)
        kept = ((name, measure) for name, measure in self._registry.items() if measure.needs is needs)
        values = {name: _value_of(measure, evidence) for name, measure in kept}
        return {name: None if math.isnan(value) else value for name, value in values.items()}


def _value_of(measure: Measure, evidence: Any) -> float:
    value = float(measure(evidence))
    # A skill or a kappa of nothing is nothing, whatever the last digit says.
    return 0.0 if abs(value) < ROUNDING else value


def _constant_prevalence_scores(sizes: Any, names: tuple[str, ...]) -> ScoreTable:
    return ScoreTable(np.array([sizes[-1] / sizes.sum()]), sizes[:1], sizes[1:], (names[0], names[1]))


def _constant_share_scores(sizes: Any, names: tuple[str, ...]) -> ClassScores:
    """One row a class that occurs, as often as it has cases, each with the shares of all classes."""
    codes = np.flatnonzero(sizes)
    rows = np.broadcast_to(sizes / sizes.sum(), (len(codes), len(sizes)))
    return ClassScores(rows, codes, names, count=sizes[codes])


def _constant_matrix(sizes: Any, answer: int, names: tuple[str, ...]) -> ConfusionMatrix:
    counts = np.zeros((len(sizes), len(sizes)))
    counts[:, answer] = sizes
    return ConfusionMatrix(counts, names)


NO_ROWS = "there are counts and no rows, so the groups are unknown"


@with_old_names
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluation(ABC):
    """How good one classifier's predictions are, each number with its interval.

    Measures are attributes: `ev.roc_auc`, `ev.recall` (aliases work: `ev.sensitivity`). There are two kinds, and each
    has what its classes allow: `TwoClassEvaluation` thresholds, curves and a positive class, `ManyClassEvaluation`
    averages over classes and each class against the rest.

    >>> import assay
    >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
    >>> ev.roc_auc
    0.889 [0.672, 0.968]
    >>> isinstance(ev, assay.TwoClassEvaluation)
    True
    """

    source: Source
    # Who was called what; None only of two classes whose scores nothing turned into decisions.
    matrix: ConfusionMatrix | None
    level: float = 0.95
    seed: int = 0
    # What each case is and what it was called; None where there are only counts.
    rows: DecidedRows | None = None
    # The column that parts the cases into subgroups, and each of them evaluated by itself.
    by: str | None = None
    subgroups: Mapping[str, Evaluation] = field(default_factory=dict)
    # The same column case by case, which the rest of the cases beside a subgroup is made from.
    grouping: Parting | None = None
    # How many cases each class has, whatever they weigh, where evidence says so in place of rows.
    cases: tuple[int, ...] | None = None
    # What is said of the model beside what can be measured, by the names of fields.
    card: Card | None = None

    # The name of the measure that an alias stands for.
    _measure_aliases: ClassVar[Mapping[str, str]]

    if not TYPE_CHECKING:  # a type checker knows every attribute, and would take any name for one

        def __getattr__(self, name: str) -> Any:
            if name in self._measure_aliases:
                return self.estimate(self._measure_aliases[name])
            raise unknown_attribute(self, name)

    def __dir__(self) -> list[str]:
        hidden = {*public_names(type(self))} - shown_names(type(self), EVALUATION)
        return sorted({*super().__dir__()} - hidden)

    def __repr__(self) -> str:
        return str(render("text", self))

    _repr_html_ = in_notebook

    def help(self) -> HelpTree:
        """Return what this evaluation offers as a tree of topics, one line for each name.

        >>> import assay
        >>> print("\\n".join(str(assay.from_counts(tp=3, fn=1, fp=2, tn=4).help()).splitlines()[:3]))
        TwoClassEvaluation, here ev: ev.NAME, of measures with an interval
        ├─ Discrimination
        │  ├─ roc_auc              ROC AUC: Chance that a random positive scores higher than a random ...
        """
        return evaluation_help(type(self))

    @property
    @abstractmethod
    def registry(self) -> Mapping[str, Measure]:
        """The measures there are for this many classes, by name."""

    @abstractmethod
    def find(self, name: str | Measure) -> Measure:
        """The measure called `name`, which may be an alias or hold parameters, for this many classes."""

    @abstractmethod
    def evidence_for(
        self, measure: Measure
    ) -> ConfusionMatrix | ScoreTable | ClassScores | SummedClasses | ErrorSums | None:
        """What a measure is computed from; None where there is no such thing."""

    @property
    @abstractmethod
    def errors(self) -> ErrorSums | None:
        """What the probabilities miss the truth by, summed; None without probabilities."""

    @abstractmethod
    def reason_unavailable(self, name: str | Measure) -> str | None:
        """None if a measure can be computed here, else why not."""

    @property
    @abstractmethod
    def classes(self) -> tuple[str, ...]:
        """Class names, the positive one of two last."""

    @property
    @abstractmethod
    def class_sizes(self) -> dict[str, float]:
        """How many cases each class has, or with weights what they sum to."""

    @property
    @abstractmethod
    def has_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities: all of them lie in [0, 1] (and, of many, sum to 1)."""

    @property
    @abstractmethod
    def curves(self) -> Curves | ClassCurves:
        """Every curve there is, as data."""

    @property
    @abstractmethod
    def calibration(self) -> Calibration | ClassCalibration:
        """Whether the probabilities mean what they say."""

    @property
    @abstractmethod
    def per_class(self) -> Mapping[str, Mapping[str, Estimate]]:
        """For each class, the measures of one class against the rest."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""

    @abstractmethod
    def _facts(self) -> EvaluationFacts:
        """What cautions look at."""

    @property
    def predictions(self) -> Predictions | None:
        """What was said about each case, whatever was decided from it; None where there are only counts."""
        return None if self.rows is None else self.rows.predictions

    @cached_property
    def class_counts(self) -> dict[str, int]:
        """How many cases each class has, whatever they weigh."""
        rows = self.rows
        if rows is None and self.cases is not None:
            return dict(zip(self.classes, self.cases, strict=True))
        if rows is None or rows.weight is None:
            return {name: round(size) for name, size in self.class_sizes.items()}
        counts = np.bincount(rows.truth, rows.count, minlength=len(self.classes))
        return {name: round(float(size)) for name, size in zip(self.classes, counts, strict=True)}

    @property
    def n(self) -> int:
        """How many cases there are, whatever they weigh."""
        return sum(self.class_counts.values())

    @property
    def class_shares(self) -> dict[str, float]:
        """The share of each class, weights counted."""
        total = sum(self.class_sizes.values())
        return {name: size / total for name, size in self.class_sizes.items()}

    @property
    def is_weighted(self) -> bool:
        """Whether some cases stand for more of the population than others."""
        if self.rows is not None:
            return self.rows.weight is not None
        return self.matrix is not None and self.matrix.squares is not None

    def estimate(self, name: str | Measure, *, level: float | None = None, method: str | None = None) -> Estimate:
        """A measure, or that of a name or alias, at another level or by another interval method if you like.

        >>> import assay
        >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
        >>> ev.estimate("f_beta(2)")
        0.667 [0.444, 0.834]
        """
        measure = self.find(name)
        level = self.level if level is None else checked_level(level)
        if (level, method) != (self.level, None):
            return self._estimate(measure, level, method)
        # Kept once computed: a user who wants one number waits for one number, and never twice.
        if measure not in self._estimates:
            self._estimates[measure] = self._estimate(measure, level)
        return self._estimates[measure]

    def _estimate(self, measure: Measure, level: float, method: str | None = None) -> Estimate:
        obstacle = self.reason_unavailable(measure)
        if obstacle is not None:
            nan = float("nan")
            return Estimate(measure.name, nan, nan, nan, level, "none", self.n, undefined=obstacle)
        rows = self.rows
        if rows is None:
            needs_rows = method is not None and is_clustered(self.evidence_for(measure))
        else:
            needs_rows = rows.weight is not None or rows.cluster is not None
        if method is not None and needs_rows and is_bootstrap(method):
            return resampled_estimate(self, measure, level)
        return self.estimate_of(measure, self.evidence_for(measure), level, method)

    def estimate_of(
        self, measure: Measure, evidence: Any, level: float | None = None, method: str | None = None
    ) -> Estimate:
        """A measure of some evidence of this classifier; of models of several folds with the interval they need."""
        level = self.level if level is None else level

        def at(level: float) -> Estimate:
            return measure.estimate(evidence, level=level, method=method, seed=self.seed)

        return at(level) if self.fold_count is None or method is not None else widened(at, level, self.fold_count)

    @cached_property
    def fold_count(self) -> int | None:
        """How many folds' models made these predictions; None where one classifier did."""
        fold = None if self.rows is None else self.rows.fold
        return None if fold is None else int(fold.max()) + 1

    @cached_property
    def _estimates(self) -> dict[Measure, Estimate]:
        return {}

    @property
    def measures(self) -> dict[str, Estimate]:
        """Every measure of the registry, those that do not apply with their reason."""
        return {name: self.estimate(name) for name in self.registry}

    @cached_property
    def one_vs_rest_matrices(self) -> list[ConfusionMatrix]:
        """For each class, the two-class matrix of it against the rest."""
        return [] if self.matrix is None else self.matrix.by_class()

    def table(self, *, se: bool = False) -> Table:
        """Every measure that applies, with its interval and how it was made; with `se` also their standard errors."""
        shown = [(self.registry[name], e) for name, e in self.measures.items() if self.reason_unavailable(name) is None]
        found = [e for _, e in shown]
        return Table(
            {
                "measure": [measure.title for measure, _ in shown],
                "estimate": [e.value for _, e in shown],
                "low": [e.low for _, e in shown],
                "high": [e.high for _, e in shown],
                **({"se": [e.se for _, e in shown]} if se else {}),
                **({"in cells": list(map(bounds_words, found))} if any(e.bounds for e in found) else {}),
                "method": [e.method for _, e in shown],
                "n": [round(e.n) for _, e in shown],
                "undefined": [e.undefined or "" for _, e in shown],
            },
            title=f"Measures with {100 * self.level:g} % intervals",
        )

    def plan(
        self, name: str | Measure, *, half_width: float, level: float | None = None, method: str | None = None
    ) -> SamplePlan:
        """How many cases like these would make a measure's interval so narrow, by its own method or one named.

        >>> import assay
        >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
        >>> ev.plan("roc_auc", half_width=0.05, method="delong").cases
        154
        """
        asked = self.level if level is None else checked_level(level)
        return plan_width(self, self.find(name), half_width, asked, method)

    def cells(self) -> Table:
        """The confusion matrix cell by cell: counts, shares of true class, label and all, and Wilson's intervals."""
        if self.matrix is None:
            raise OptionError("there are no decisions, so there is no confusion matrix", "ev.at(threshold).cells()")
        folds = self.fold_count
        return cells_of(self.matrix, self.level if folds is None else widened_level(self.level, folds))

    def gaps(self, measure: str | Measure | None = None, by: Any = None, *, level: float | None = None) -> Gaps:
        """How far each subgroup is from the rest of the cases, with intervals and p-values that hold for all at once.

        `by` is the column that parted the cases, or values for each case, or several such by name: then the adjustment
        runs over all groups of all of them. Without a measure it is the ROC AUC, or the accuracy of labels.

        >>> import assay
        >>> site = ["north", "south"] * 60
        >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 20, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 20, by=site)
        >>> ev.gaps("roc_auc")
        ROC AUC differs between the groups of by: north is higher than south by 0.500 [0.309, 0.652] (p < 0.001; one ...
        """
        named = self.find(self.gap_measure if measure is None else measure)
        level = self.level if level is None else checked_level(level)
        if by is None and (named, level) in self._gaps:
            return self._gaps[named, level]
        obstacle = NO_ROWS if self.rows is None else self.reason_unavailable(named)
        if self.rows is None or obstacle is not None:
            raise OptionError(
                f"{named.title} cannot be compared between groups: {obstacle}", "what it is computed from"
            )
        found = gaps_of(
            self.rows, named, asked_partings(by, self.grouping, len(self.rows)), level=level, seed=self.seed
        )
        if by is None:
            self._gaps[named, level] = found
        return found

    @property
    def gap_measure(self) -> str:
        """The measure that groups are compared by where none is named: the first of the usual ones that has a test."""
        usual = (name for name, one in self.registry.items() if one.planned in ("auc", "share"))
        return next(name for name in usual if self.reason_unavailable(name) is None)

    @cached_property
    def _gaps(self) -> dict[tuple[Measure, float], Gaps]:
        return {}

    @property
    def chance(self) -> ConfusionMatrix | None:
        """The confusion matrix chance alone would give with these margins, which kappa measures against."""
        return None if self.matrix is None else chance_matrix(self.matrix)

    @cached_property
    def baselines(self) -> Baselines:
        """What answers that look at no case would score."""
        return Baselines.of(self.class_sizes)

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about."""
        return check(self._facts())

    def report(self, path: str | PathLike[str], *, embed_rows: bool = False) -> None:
        """Write a page anyone can open: one offline HTML file; with `embed_rows` it holds the rows behind each cell."""
        render("page", self, path, embed_rows=embed_rows)


if TYPE_CHECKING:

    class AnyCurves(Curves, ClassCurves):
        """The curves of either kind."""

    class AnyCalibration(Calibration, ClassCalibration):
        """The calibration of either kind."""

        recalibration: Callable[..., Any]
        recalibration_effect: Callable[..., RecalibrationEffect]

    class AnyEvaluation(TwoClassEvaluation, ManyClassEvaluation):
        """An evaluation of as many classes as the data hold, which only running shows.

        `assay.evaluate(y, s).roc_auc` and `assay.evaluate(y, y_proba=p).macro_f1` should both pass a type checker, and
        `assay.evaluate(y, s).rocauc` should not. So this type, which exists for type checkers alone, offers what either
        kind has; `isinstance` or an annotation with one of the two kinds says more.
        """

        matrix: ConfusionMatrix | None  # type: ignore[assignment]
        curves: AnyCurves
        calibration: AnyCalibration
        subgroups: Mapping[str, AnyEvaluation]
        # Of a sample of labels alone.
        labelled: Labelled
        target: str
        observed_to_expected: Estimate
        calibration_slope: Estimate
else:
    AnyEvaluation = Evaluation


def of_any_kind(ev: Evaluation | SampledEvaluation) -> AnyEvaluation:
    """The same evaluation, for a type checker that cannot know its kind."""
    return cast("AnyEvaluation", ev)
