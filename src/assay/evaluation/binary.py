"""One classifier's evaluation on two classes: scores, a threshold on them, and the class they point to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.cautions import Caution, EvaluationFacts
from assay.costs import Costs, checked_costs
from assay.curves import Curve
from assay.errors import OptionError
from assay.evaluation.calibration import Calibration, error_sums
from assay.evaluation.curves import Curves, cross_validated, tables_of_folds, widened
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.facts import check_choice, facts_of_two, record_of
from assay.evaluation.measure_properties import TwoClassMeasures
from assay.evaluation.multiclass import EachClass
from assay.evidence import ClassScores, ConfusionMatrix, PairCounts, ScoreTable, SummedClasses
from assay.evidence.probability_losses import ErrorSums
from assay.measures import Measure, auc_grade, find, registry
from assay.request import (
    checked_between,
    checked_choice,
    checked_level,
    checked_positive,
    checked_seed,
    checked_threshold,
)
from assay.results import Estimate, TestResult
from assay.types import Codes, Floats
from assay.uncertainty import mann_whitney, widened_level

if TYPE_CHECKING:
    from assay.curves import Tangents
    from assay.decisions import Constraint, ThresholdChoice

__all__ = ["TwoClassEvaluation"]

NO_SCORES = "there are labels but no scores"
NO_THRESHOLD = "scores outside [0, 1] have no default threshold, and none was given"
NO_PROBABILITIES = "some scores are outside [0, 1], so they are no probabilities"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TwoClassEvaluation(Evaluation, TwoClassMeasures):
    """How good predictions of two classes are: `matrix` and `scores` are the evidence, either may be missing.

    `threshold_used` is the threshold that turned scores into decisions, or None where the labels were given.

    >>> import assay
    >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
    >>> ev.at(0.3).recall
    1.000 [0.796, 1.000]
    >>> ev.macro_f1
    Traceback (most recent call last):
    assay.errors.UnknownAttribute: there are two classes and macro_f1 is of more; needed: ev.f1, or ev.per_class
    """

    scores: ScoreTable | None = None
    threshold_used: float | None = None
    threshold_was_given: bool = False
    subgroups: Mapping[str, TwoClassEvaluation] = field(default_factory=dict)

    @property
    def _evidence(self) -> ConfusionMatrix | ScoreTable:
        evidence = self.matrix if self.matrix is not None else self.scores
        assert evidence is not None
        return evidence

    @property
    def registry(self) -> Mapping[str, Measure]:
        """The measures of two classes, by name."""
        return registry

    def find(self, name: str | Measure) -> Measure:
        """The measure called `name`, which may be an alias or hold parameters."""
        return find(name)

    def evidence_for(
        self, measure: Measure
    ) -> ConfusionMatrix | ScoreTable | ClassScores | SummedClasses | ErrorSums | None:
        """What a measure is computed from: the decisions, the scores or their errors, None where there are none."""
        if measure.needs is ErrorSums:
            return self.errors
        return self.matrix if measure.needs is ConfusionMatrix else self.scores

    @cached_property
    def errors(self) -> ErrorSums | None:
        """What the probabilities miss the truth by, summed; None without probabilities."""
        return error_sums(self, self.scores)

    def reason_unavailable(self, name: str | Measure) -> str | None:
        """None if a measure can be computed here, else why not."""
        measure = self.find(name)
        if (self.matrix if measure.needs is ConfusionMatrix else self.scores) is None:
            return NO_THRESHOLD if measure.needs is ConfusionMatrix else NO_SCORES
        return NO_PROBABILITIES if measure.needs_probability and not self.has_probabilities else None

    @property
    def classes(self) -> tuple[str, ...]:
        """The negative class, then the positive one."""
        return self._evidence.classes

    @property
    def positive(self) -> str:
        """The positive class."""
        return self.classes[-1]

    @property
    def class_sizes(self) -> dict[str, float]:
        """How many cases each class has, or with weights what they sum to."""
        sizes = (self._evidence.negatives, self._evidence.positives)
        return {name: float(size) for name, size in zip(self.classes, sizes, strict=True)}

    @property
    def has_probabilities(self) -> bool:
        """Whether the scores can be read as probabilities: all of them lie in [0, 1]."""
        return self.scores is not None and bool(self.scores.score[0] >= 0 and self.scores.score[-1] <= 1)

    def _estimate(self, measure: Measure, level: float, method: str | None = None) -> Estimate:
        if measure.ranks_folds_apart and method is None and self.folds:
            return widened(lambda at: cross_validated(measure, self.folds, self.n, at), level, len(self.folds))
        return super()._estimate(measure, level, method)

    @cached_property
    def folds(self) -> list[ScoreTable]:
        """The scores of each cross-validation fold by themselves; none without folds, or with clusters."""
        return [] if self.scores is None or self.rows is None else tables_of_folds(self.rows, self.scores)

    @cached_property
    def per_class(self) -> Mapping[str, Mapping[str, Estimate]]:
        """For each class as the positive one, the measures of one class; nothing where nothing was decided."""
        kept = [measure for measure in registry.values() if measure.of_one_class]

        def of(each: ConfusionMatrix) -> dict[str, Estimate]:
            # The positive class against the rest is the matrix itself, of which the estimates are known.
            return {m.name: self.estimate(m) if each is self.matrix else self.estimate_of(m, each) for m in kept}

        return EachClass((name, of(each)) for name, each in zip(self.classes, self.one_vs_rest_matrices, strict=False))

    def at(self, threshold: float) -> TwoClassEvaluation:
        """The same scores, called positive from another threshold on; from infinity on nobody is."""
        # The best threshold may be to call nobody, or everybody: what threshold() finds, this takes.
        is_end = isinstance(threshold, float) and math.isinf(threshold)
        at = float(threshold) if is_end else checked_threshold(threshold)
        matrix, rows = self._score_table("a threshold").at(at), None if self.rows is None else self.rows.at(at)
        parts = {name: part.at(at) for name, part in self.subgroups.items()}
        return replace(self, matrix=matrix, rows=rows, threshold_used=at, threshold_was_given=True, subgroups=parts)

    @cached_property
    def curves(self) -> Curves:
        """Every curve there is, as data: `ev.curves.lift.table()`, `ev.curves.cost.plot()`."""
        return Curves(self._score_table("a curve"), self.rows)

    @property
    def auc_grade(self) -> str:
        """The school grade some textbooks give the ROC AUC: a label, never a reason to decide."""
        return auc_grade(self.roc_auc.value)

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
        table = self._score_table("calibration")
        if not self.has_probabilities:
            raise OptionError(f"calibration is about probabilities: {NO_PROBABILITIES}", "scores from 0 to 1")
        return Calibration(table, self.level, self.seed)

    def threshold(
        self,
        by: str | Measure | None = None,
        *,
        costs: Costs | None = None,
        prevalence: float | None = None,
        constraint: Constraint | Iterable[Constraint] = (),
        tolerance: float | None = None,
        level: float | None = None,
        draws: int = 500,
        seed: int | None = None,
    ) -> ThresholdChoice:
        """The best threshold for costs or for a measure, what it is worth on new cases, and how sure its place is.

        `costs` and `prevalence` say what decisions cost where they are made; `by` names a measure to make the best of
        instead ("youden", "closest", "f1", ...); `constraint` demands something: `at_least("specificity", 0.9)`.
        `tolerance` says how much worse than the best is still good. `level` and `seed` are the evaluation's own.

        >>> import assay
        >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 5, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 5)
        >>> round(ev.threshold(costs=assay.Costs(fp=1, fn=10)).threshold, 6)
        0.3
        """
        from assay.decisions import choose_threshold

        return choose_threshold(
            self._score_table("a threshold"),
            by,
            costs=costs,
            prevalence=prevalence,
            constraint=constraint,
            tolerance=tolerance,
            level=self.level if level is None else checked_level(level),
            draws=draws,
            seed=self.seed if seed is None else checked_seed(seed),
        )

    def saving(self, ratio: float = 1.0, *, prevalence: float | None = None, cheapest: bool = False) -> Estimate:
        """What the decisions save of the cost of flagging everyone or no one, whichever is cheaper.

        A miss costs `ratio` false alarms. With `cheapest` it is what the cheapest threshold saves, judged on cases that
        did not choose it; without, the decisions count as made beforehand.

        >>> import assay
        >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0] * 20, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 20)
        >>> ev.saving()
        0.333 [0.155, 0.483]
        """
        from assay.decisions import cheapest_savings, saving_at

        share = self.class_shares[self.positive] if prevalence is None else checked_between(prevalence, "prevalence")
        weight = checked_positive(ratio, "ratio") * share / (1 - share)
        level = self.level if self.fold_count is None else widened_level(self.level, self.fold_count)
        if cheapest:
            found = cheapest_savings(
                self._score_table("a saving of the cheapest threshold"), [weight], level, self.seed
            )[0]
        elif self.matrix is None:
            raise OptionError(NO_THRESHOLD, "ev.at(threshold).saving(), or ev.saving(cheapest=True)")
        else:
            found = saving_at(self.matrix, weight, level)
        return replace(found, level=self.level)

    def thresholds(self, ratios: ArrayLike, *, prevalence: ArrayLike | None = None) -> Tangents:
        """The best threshold for each of many cost ratios (a miss in false alarms) at once, read off the ROC hull."""
        from assay.decisions import best_by_ratio

        return best_by_ratio(self._score_table("a threshold"), ratios, prevalence=prevalence)

    def bayes_decisions(self, costs: Costs, *, calibrated_at: ArrayLike | None = None) -> Codes:
        """The cheapest decision for each case by its probability; one past the classes where rejecting is cheaper."""
        from assay.decisions import bayes_decisions

        score = None if self.rows is None else self.rows.score
        if score is None or not self.has_probabilities:
            raise OptionError(
                "there is no probability for each case", "scores from 0 to 1, and the rows they belong to"
            )
        shares = np.column_stack([1 - score, score])
        return bayes_decisions(shares, checked_costs(costs).of_classes(self.classes), calibrated_at=calibrated_at)

    def rejection_region(
        self, costs: Costs, *, by: Literal["score", "probability"] = "score"
    ) -> tuple[float, float] | None:
        """The scores between which handing a case on is cheapest: on these cases, or if they are true probabilities."""
        from assay.decisions import reject_thresholds, rejection_region

        if checked_choice(by, ("score", "probability"), "by") == "probability":
            return rejection_region(checked_costs(costs))
        return reject_thresholds(self._score_table("rejecting"), checked_costs(costs))

    @property
    def pairs(self) -> PairCounts:
        """Pairs of a positive and a negative in order, tied and reversed: the parts of the c-index."""
        return self._score_table("a count of pairs").pairs

    @cached_property
    def misranked(self) -> Floats:
        """How many cases of the other class are on the wrong side of each case, in the order of the rows.

        For a positive these are the negatives that score higher, for a negative the positives that score lower; a tie
        counts half. With weights it is what they weigh. The positives' sum over all pairs is 1 - AUC.

        >>> import assay
        >>> assay.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.7]).misranked
        array([0. , 0.5, 1.5, 1. ])
        """
        table = self._score_table("ranking each case")
        if self.rows is None or self.rows.score is None:
            raise OptionError("there are counts and no rows, so no case to rank others by", "evaluate(truth, scores)")
        above, below = table.negatives - table.negatives_below, table.positives - table.positives_above
        return table.of_cases(self.rows.score, self.rows.truth == 1, below, above)

    def rank_test(self) -> TestResult:
        """The Mann-Whitney-Wilcoxon test that positives and negatives score alike."""
        return mann_whitney(self._score_table("a rank test"))

    def threshold_cautions(self, choice: ThresholdChoice) -> tuple[Caution, ...]:
        """What to be careful about with a threshold that was chosen on these cases."""
        return check_choice(self, choice)

    def to_dict(self) -> dict[str, Any]:
        """The record that `--format json` prints; its schema is published in the docs."""
        return record_of(self, self.positive, self.threshold_used)

    def _facts(self) -> EvaluationFacts:
        return facts_of_two(self)

    def _score_table(self, what: str) -> ScoreTable:
        if self.scores is None:
            raise OptionError(f"{what} needs scores, and there are only labels", "a score for each case")
        return self.scores
