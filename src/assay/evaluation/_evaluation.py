"""What every evaluation of a classifier has, of two classes or of more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from assay.cautions import Caution, EvaluationFacts, check
from assay.comparison import SamplePlan
from assay.errors import OptionError
from assay.evaluation._attributes import unknown_attribute
from assay.evaluation._baselines import Baselines
from assay.evaluation._calibration import Calibration, ClassCalibration
from assay.evaluation._cells import cells_of
from assay.evaluation._curves import ClassCurves, Curves
from assay.evaluation._folds import widened
from assay.evaluation._gap_words import Gaps
from assay.evaluation._gaps import Parting, asked_partings, gaps_of
from assay.evaluation._planned import plan_width
from assay.evaluation._resampled import is_clustered, resampled_estimate
from assay.evidence import ClassScores, ConfusionMatrix, DecidedRows, ScoreTable, SummedClasses
from assay.evidence.probability_losses import ErrorSums
from assay.measures import Measure, chance_matrix
from assay.measures.interval_methods import is_bootstrap
from assay.predictions import Predictions
from assay.renderers import in_notebook, render
from assay.request import Card, checked_level
from assay.results import Estimate, Table
from assay.sources import Source
from assay.text import bounds_words
from assay.uncertainty import widened_level

__all__ = ["Evaluation"]

NO_ROWS = "there are counts and no rows, so that nothing says who is in which group"


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
    parting: Parting | None = None
    # How many cases each class has, whatever they weigh, where evidence says so in place of rows.
    cases: tuple[int, ...] | None = None
    # What is said of the model beside what can be measured, by the names of fields.
    card: Card | None = None

    if not TYPE_CHECKING:  # a type checker knows every attribute there is, and must not be told that any name will do

        def __getattr__(self, name: str) -> NoReturn:
            raise unknown_attribute(self, name)

    def __repr__(self) -> str:
        return str(render("text", self))

    _repr_html_ = in_notebook

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
    def applies(self, name: str | Measure) -> str | None:
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
    def shares(self) -> dict[str, float]:
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
        obstacle = self.applies(measure)
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
    def against_rest(self) -> list[ConfusionMatrix]:
        """For each class, the two-class matrix of it against the rest."""
        return [] if self.matrix is None else self.matrix.by_class()

    def table(self, *, se: bool = False) -> Table:
        """Every measure that applies, with its interval and how it was made; with `se` also their standard errors."""
        shown = [(self.registry[name], e) for name, e in self.measures.items() if self.applies(name) is None]
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
        obstacle = NO_ROWS if self.rows is None else self.applies(named)
        if self.rows is None or obstacle is not None:
            raise OptionError(
                f"{named.title} cannot be compared between groups: {obstacle}", "what it is computed from"
            )
        found = gaps_of(self.rows, named, asked_partings(by, self.parting, len(self.rows)), level=level, seed=self.seed)
        if by is None:
            self._gaps[named, level] = found
        return found

    @property
    def gap_measure(self) -> str:
        """The measure that groups are compared by where none is named: the first of the usual ones that has a test."""
        usual = (name for name, one in self.registry.items() if one.planned in ("auc", "share"))
        return next(name for name in usual if self.applies(name) is None)

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
