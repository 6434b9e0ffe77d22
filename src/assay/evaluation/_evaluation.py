"""One classifier's evaluation: evidence, and everything that is read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.cautions import Caution, check
from assay.curves import Curve
from assay.evaluation._baselines import Baselines
from assay.evaluation._calibration import Calibration
from assay.evaluation._cells import cells_of
from assay.evaluation._curves import Curves
from assay.evaluation._facts import check_choice, facts_of
from assay.evaluation._folds import cross_validated, tables_of_folds
from assay.evaluation._per_class import PerClass, named_classes, one_class
from assay.evaluation._record import record_of
from assay.evidence import ClassScores, ConfusionMatrix, DecidedRows, PairCounts, ScoreTable
from assay.measures import Measure, chance_matrix, find, find_for_many, registry, registry_of_many
from assay.predictions import Predictions
from assay.results import Estimate, Table, TestResult
from assay.sources import Source
from assay.uncertainty import mann_whitney

if TYPE_CHECKING:
    from assay.decisions import ThresholdChoice

__all__ = ["Evaluation"]

NO_SHARES = "some rows of scores lie outside [0, 1] or do not sum to 1, so they are no probabilities"


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How good one classifier's predictions are, each number with its interval.

    Measures are attributes: `ev.roc_auc`, `ev.recall` (aliases work: `ev.sensitivity`). `matrix` and `scores` are the
    evidence; `cutoff` is the threshold that turned scores into decisions, or None where the labels were given.

    With more than two classes `class_scores` takes the place of `scores`, measures that concern one class are found in
    `per_class` and their averages among the attributes (`ev.macro_f1`).

    >>> import assay
    >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
    >>> ev.roc_auc
    0.889 [0.699, 0.963]
    >>> ev.at(0.3).recall
    1.000 [0.796, 1.000]
    """

    matrix: ConfusionMatrix | None
    scores: ScoreTable | None
    cutoff: float | None
    source: Source
    threshold_was_given: bool = False
    level: float = 0.95
    seed: int = 0
    # What each case is and what it was called; None where there are only counts.
    rows: DecidedRows | None = None
    class_scores: ClassScores | None = None
    # The column that parts the cases into subgroups, and each of them evaluated by itself.
    by: str | None = None
    subgroups: Mapping[str, Evaluation] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Estimate:
        hint = ""
        if not name.startswith("_"):
            try:
                return self.estimate(self.find(name).name)
            except KeyError as error:
                hint = f"; {error.args[0]}" if "per_class" in error.args[0] else ""
        raise AttributeError(f"an Evaluation has no attribute and no measure called {name!r}{hint}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.registry})

    def __repr__(self) -> str:
        from assay.report import render_text

        return render_text({"": self})

    def _repr_html_(self) -> str:
        from assay.report import render_notebook

        return render_notebook({"": self})

    @property
    def _evidence(self) -> ConfusionMatrix | ScoreTable:
        # Many classes always have a matrix: the highest score decides where no label was given.
        evidence = self.matrix if self.matrix is not None else self.scores
        assert evidence is not None
        return evidence

    @property
    def predictions(self) -> Predictions | None:
        """What was said about each case, whatever was decided from it; None where there are only counts."""
        return None if self.rows is None else self.rows.predictions

    @property
    def registry(self) -> Mapping[str, Measure]:
        """The measures there are for this many classes, by name."""
        return registry if len(self.classes) == 2 else registry_of_many

    def find(self, name: str) -> Measure:
        """The measure called `name`, which may be an alias, for this many classes."""
        return find(name) if len(self.classes) == 2 else find_for_many(name)

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names, the positive one last."""
        return self._evidence.classes

    @property
    def positive(self) -> str | None:
        """The positive class, where there are two."""
        return self.classes[-1] if len(self.classes) == 2 else None

    @property
    def class_sizes(self) -> dict[str, float]:
        """How many cases each class has, or with weights what they sum to."""
        evidence = self._evidence
        sizes = evidence.actual if isinstance(evidence, ConfusionMatrix) else (evidence.negatives, evidence.positives)
        return {name: float(size) for name, size in zip(self.classes, sizes, strict=True)}

    @cached_property
    def class_counts(self) -> dict[str, int]:
        """How many cases each class has, whatever they weigh."""
        rows = self.predictions
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
        return self.predictions is not None and self.predictions.weight is not None

    @property
    def has_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities: all of them lie in [0, 1] (and, of many, sum to 1)."""
        if self.class_scores is not None:
            return self.class_scores.are_probabilities
        return self.scores is not None and bool(self.scores.score[0] >= 0 and self.scores.score[-1] <= 1)

    def applies(self, name: str) -> str | None:
        """None if a measure can be computed here, else why not."""
        measure = self.find(name)
        if measure.needs is not ConfusionMatrix:
            if self.scores is None and self.class_scores is None:
                return "there are labels but no scores"
            if measure.needs_probability and not self.has_probabilities:
                return "some scores lie outside [0, 1], so they are no probabilities" if self.scores else NO_SHARES
        elif self.matrix is None:
            return "scores outside [0, 1] have no default threshold, and none was given"
        return None

    def estimate(self, name: str, *, level: float | None = None, method: str | None = None) -> Estimate:
        """A measure by name or alias, at another level or by another interval method if you like."""
        measure = self.find(name)
        level = self.level if level is None else level
        if not 0 < level < 1:
            raise ValueError(f"level must be a number between 0 and 1, got {level!r}")
        if (level, method) != (self.level, None):
            return self._estimate(measure, level, method)
        # Kept once computed: a user who wants one number waits for one number, and never twice.
        if measure.name not in self._estimates:
            self._estimates[measure.name] = self._estimate(measure, level)
        return self._estimates[measure.name]

    def _estimate(self, measure: Measure, level: float, method: str | None = None) -> Estimate:
        obstacle = self.applies(measure.name)
        if obstacle is not None:
            nan = float("nan")
            return Estimate(measure.name, nan, nan, nan, level, "none", self.n, undefined=obstacle)
        evidence = {ConfusionMatrix: self.matrix, ScoreTable: self.scores, ClassScores: self.class_scores}[
            measure.needs
        ]
        if measure.name == "roc_auc" and method is None and self.folds:
            return cross_validated(measure, self.folds, self.n, level)
        found = measure.estimate(evidence, level=level, method=method, seed=self.seed)
        return named_classes(found, measure, self.matrix) if self.matrix is not None else found

    @cached_property
    def folds(self) -> list[ScoreTable]:
        """The scores of each cross-validation fold by themselves; none without folds, or with clusters."""
        return [] if self.scores is None or self.predictions is None else tables_of_folds(self.predictions, self.scores)

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {}

    @property
    def measures(self) -> dict[str, Estimate]:
        """Every measure of the registry, those that do not apply with their reason."""
        return {name: self.estimate(name) for name in self.registry}

    @cached_property
    def against_rest(self) -> list[ConfusionMatrix]:
        """For each class, the two-class matrix of it against the rest."""
        return [] if self.matrix is None else self.matrix.by_class()

    @cached_property
    def per_class(self) -> Mapping[str, Mapping[str, Estimate]]:
        """For each class, the measures of one class against the rest."""
        if self.matrix is None:
            return {}
        if len(self.classes) > 2:
            return PerClass(self)
        kept = [measure for measure in registry.values() if measure.of_one_class]
        return {
            name: {m.name: m.estimate(each, level=self.level, seed=self.seed) for m in kept}
            for name, each in zip(self.classes, self.against_rest, strict=True)
        }

    def against(self, name: str) -> Evaluation:
        """One of many classes against the rest, as an evaluation of two classes: with curves, thresholds and costs.

        >>> import assay
        >>> truth, p = ["a", "b", "c"] * 10, [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]] * 10
        >>> ev = assay.evaluate(truth, y_proba=p)
        >>> ev.against("b").at(0.3).recall
        1.000 [0.722, 1.000]
        """
        return one_class(self, name)

    def table(self) -> Table:
        """Every measure that applies, with its interval and how it was made."""
        shown = [(self.registry[name], e) for name, e in self.measures.items() if self.applies(name) is None]
        return Table(
            {
                "measure": [measure.title for measure, _ in shown],
                "estimate": [e.value for _, e in shown],
                "low": [e.low for _, e in shown],
                "high": [e.high for _, e in shown],
                "method": [e.method for _, e in shown],
                "n": [round(e.n) for _, e in shown],
                "undefined": [e.undefined or "" for _, e in shown],
            },
            title=f"Measures with {100 * self.level:g} % intervals",
        )

    def cells(self) -> Table:
        """The confusion matrix cell by cell: counts, shares of true class, label and all, and Wilson's intervals."""
        if self.matrix is None:
            raise ValueError("there are no decisions, so there is no confusion matrix")
        return cells_of(self.matrix, self.level)

    def at(self, threshold: float) -> Evaluation:
        """The same scores, called positive from another threshold on."""
        if self.scores is None:
            raise ValueError(
                "a threshold parts two classes, and there are more"
                if len(self.classes) > 2
                else "there are labels but no scores, so no threshold can be moved"
            )
        matrix, rows = self.scores.at(threshold), None if self.rows is None else self.rows.at(float(threshold))
        return replace(self, matrix=matrix, rows=rows, cutoff=float(threshold), threshold_was_given=True)

    @cached_property
    def curves(self) -> Curves:
        """Every curve there is, as data: `ev.curves.lift.table()`, `ev.curves.cost.plot()`."""
        return Curves(self.scores, self.class_scores)

    @property
    def roc(self) -> Curve:
        """The ROC curve as data."""
        return self.curves.roc

    @property
    def precision_recall(self) -> Curve:
        """The precision-recall curve as data."""
        return self.curves.precision_recall

    @cached_property
    def calibration(self) -> Calibration:
        """Whether the probabilities mean what they say."""
        if not self.has_probabilities:
            found = "there are only labels" if self.scores is None and self.class_scores is None else NO_SHARES
            raise ValueError(f"calibration is about probabilities: {found}")
        return Calibration(self.scores, self.class_scores, self.level, self.seed)

    def threshold(self, by: str | Measure | None = None, **demands: Any) -> ThresholdChoice:
        """The best threshold for costs or for a measure, what it is worth on new cases, and how sure its place is.

        `costs` and `prevalence` say what decisions cost where they are made; `by` names a measure to make the best of
        instead ("youden", "closest", "f1", ...); `constraint` demands something: `at_least("specificity", 0.9)`.

        >>> import assay
        >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
        >>> round(ev.threshold(costs=assay.Costs(fp=1, fn=10)).threshold, 6)
        0.3
        """
        from assay.decisions import choose_threshold

        scores = self._needed_scores("a threshold")
        return choose_threshold(scores, by, **{"level": self.level, "seed": self.seed, **demands})

    @property
    def pairs(self) -> PairCounts:
        """Pairs of a positive and a negative in order, tied and reversed: the parts of the c-index."""
        return self._needed_scores("pair counts").pairs

    def rank_test(self) -> TestResult:
        """The Mann-Whitney-Wilcoxon test that positives and negatives score alike."""
        return mann_whitney(self._needed_scores("a rank test"))

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
        return check(facts_of(self))

    def cautions_about(self, choice: ThresholdChoice) -> tuple[Caution, ...]:
        """What to be careful about with a threshold that was chosen on these cases."""
        return check_choice(self, choice)

    def report(self, path: str | PathLike[str], *, embed_rows: bool = False) -> None:
        """Write a page anyone can open: one offline HTML file; with `embed_rows` it holds the rows behind each cell."""
        from assay.report import write_html

        write_html({"": self}, path, embed_rows=embed_rows)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""
        return record_of(self)

    def _needed_scores(self, what: str) -> ScoreTable:
        if self.scores is None:
            found = "there are more classes" if len(self.classes) > 2 else "there are only labels"
            raise ValueError(f"{what} needs scores of two classes, and {found}")
        return self.scores
