"""Whether the probabilities of an evaluation mean what they say, each answer made when it is asked for.

What the probabilities of an evaluation miss the truth by, beside what class shares alone would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NoReturn

import numpy as np

from assay import calibration
from assay.calibration import Groups, MiscalibratedRanges
from assay.cautions import CalibrationFacts, Caution, check
from assay.comparison.adjustment import p_text
from assay.deprecated import with_old_names
from assay.errors import OptionError, UnknownAttribute, UnknownName
from assay.evaluation.attributes import misspelt
from assay.evidence import ClassScores, ScoreTable, SummedClasses, arrangements
from assay.evidence.confusion import case_weights
from assay.evidence.probability_losses import ErrorSums, laplace_priors
from assay.predictions import Predictions
from assay.renderers import in_notebook
from assay.request import checked_choice
from assay.results import Estimate, Table, TestResult
from assay.text import bounds_words

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation

__all__ = ["Calibration", "ClassCalibration", "error_sums", "rows_of_scores"]


BINS = 15


@with_old_names
@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """Do eight of ten cases that were given 0.8 turn out so? Statistics, tests, curves and what recalibrating would do.

    >>> import assay
    >>> import numpy as np
    >>> rng = np.random.default_rng(5)
    >>> p = rng.random(1000)
    >>> ev = assay.evaluate(rng.random(1000) < p**2, p)
    >>> ev.calibration.observed_to_expected
    0.681 [0.633, 0.731]
    >>> {found.direction for found in ev.calibration.miscalibration}
    {'too high'}
    """

    scores: ScoreTable
    level: float = 0.95
    seed: int = 0
    # Whether the scores are how sure the classifier was of its answers.
    is_of_answers: bool = False

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(self.table())

    @property
    def overall(self) -> Calibration:
        """What a report speaks of: of two classes these probabilities themselves."""
        return self

    @property
    def is_defined(self) -> bool:
        """Whether there are cases of both outcomes, so that there is something to calibrate."""
        return bool(self.scores.negatives and self.scores.positives)

    @property
    def bias(self) -> Estimate:
        """Mean probability less the share of positives."""
        return calibration.bias(self.scores, level=self.level)

    @property
    def observed_to_expected(self) -> Estimate:
        """Positives over how many the probabilities promise."""
        return calibration.observed_to_expected(self.scores, level=self.level)

    @cached_property
    def cox(self) -> calibration.CoxLine:
        """Intercept and slope of the line that would recalibrate, and the joint test of 0 and 1."""
        return calibration.cox(self.scores, level=self.level)

    @property
    def calibration_in_the_large_test(self) -> TestResult:
        """Whether as many positives occurred as the probabilities promise."""
        return calibration.calibration_in_the_large_test(self.scores)

    @property
    def bias_test(self) -> TestResult:
        """Whether the mean probability differs from the share of positives by more than chance."""
        return calibration.bias_test(self.scores)

    @property
    def spherical_score(self) -> Estimate:
        """Mean of the probability given to what happened over the length of (p, 1 - p)."""
        return calibration.spherical_score(self.scores, level=self.level)

    @property
    def brier_test(self) -> calibration.BrierTest:
        """Spiegelhalter's test."""
        return calibration.brier_test(self.scores)

    @cached_property
    def test(self) -> TestResult:
        """Whether the isotonic curve leaves the diagonal by more than chance: no groups, no shape supposed."""
        return calibration.miscalibration_test(self.scores, seed=self.seed)

    @cached_property
    def numbers(self) -> dict[str, Estimate]:
        """What every report says of calibration: observed over expected, Cox's slope and shift, miscalibration.

        The last has no limits; how often calibrated probabilities show as much stands in their place.
        """
        part = calibration.corp_parts(self.scores, level=self.level).miscalibration
        ends = [p_text(end) for end in self.test.bounds or ()]
        open_ = f" (binned: {ends[0]} to {ends[1]})" if len({*ends}) > 1 else ""
        judged = self.test.undefined or f"test of calibration {p_text(self.test.p_value)}{open_}"
        return {
            "observed_to_expected": self.observed_to_expected,
            "slope": self.cox.slope,
            "in_the_large": self.cox.in_the_large,
            "miscalibration": replace(part, undefined=judged),
        }

    def groups(self, groups: int | Sequence[int] = 10, *, by: Literal["size", "width", "quantiles"] = "size") -> Groups:
        """Cases in groups of equal size or width, or cut at R's quantiles: what was expected and occurred in each.

        `groups` is their number, or the sizes of all of them: `groups([3, 3, 4])`.
        """
        checked_choice(by, ("size", "width", "quantiles"), "by")
        if not isinstance(groups, int | np.integer):
            if by != "size":
                raise OptionError(f"groups are sizes and by is {by!r}", "by='size', or a number of groups", about="by")
            if not isinstance(groups, Iterable):
                raise OptionError(f"groups is {groups!r}"[:80], "a number of groups, or their sizes", about="groups")
            return calibration.of_sizes(self.scores, list(groups))
        if by == "quantiles":
            return calibration.cut_at(self.scores, calibration.quantile_cuts(self.scores, groups))
        return (calibration.equal_size if by == "size" else calibration.equal_width)(self.scores, groups)

    def hosmer_lemeshow(self, groups: int | Sequence[int] = 10, *, fitted: bool = False) -> calibration.HosmerLemeshow:
        """Hosmer and Lemeshow's test over groups of equal size."""
        return calibration.hosmer_lemeshow(self.groups(groups), fitted=fitted)

    @cached_property
    def ece(self) -> calibration.CalibrationError:
        """Expected calibration error, beside what calibrated probabilities would have on so many cases."""
        groups = calibration.equal_width(self.scores, BINS)
        found = calibration.ece(groups, level=self.level, seed=self.seed)
        return calibration.ece_in_cells(found, self.scores, BINS)

    @cached_property
    def mce(self) -> calibration.CalibrationError:
        """The largest distance in any of the same groups; that the worst was picked is in what chance would show."""
        groups = calibration.equal_width(self.scores, BINS)
        return calibration.mce(groups, level=self.level, seed=self.seed)

    @cached_property
    def debiased_error(self) -> calibration.CalibrationError:
        """The mean squared distance less what chance adds to it."""
        groups = calibration.equal_width(self.scores, BINS)
        return calibration.debiased_error(groups, level=self.level, seed=self.seed)

    @cached_property
    def ece_sweep(self) -> calibration.CalibrationError:
        """The ECE over as many groups of equal size as keep their rates in the order of their probabilities."""
        return calibration.ece_sweep(self.scores)

    def parts(self, rule: Literal["brier", "log_loss"] = "brier") -> calibration.CorpParts:
        """Miscalibration, discrimination and uncertainty in a mean score."""
        return calibration.corp_parts(self.scores, rule, level=self.level)

    def murphy_parts(
        self, groups: int | Sequence[int] | None = None, *, corrected: bool = False
    ) -> calibration.BrierParts:
        """Murphy's decomposition over groups of equal size, or over the distinct probabilities."""
        cut = calibration.by_score(self.scores) if groups is None else self.groups(groups)
        return calibration.murphy_parts(cut, corrected=corrected)

    def murphy_part_errors(
        self, groups: int | Sequence[int] | None = None, *, corrected: bool = False
    ) -> calibration.PartErrors:
        """Standard errors of the parts of Murphy's decomposition."""
        cut = calibration.by_score(self.scores) if groups is None else self.groups(groups)
        return calibration.murphy_part_errors(cut, corrected=corrected)

    @property
    def covariance(self) -> calibration.CovarianceParts:
        """Yates's decomposition, and the points of its graph."""
        return calibration.covariance_parts(self.scores)

    @cached_property
    def curve(self) -> calibration.IsotonicFit:
        """The isotonic reliability curve."""
        return calibration.isotonic_fit(self.scores)

    @property
    def diagram(self) -> calibration.ReliabilityDiagram:
        """The reliability diagram: curve, band, groups and the spread of the probabilities, to plot."""
        return calibration.reliability_diagram(self.scores, level=self.level, are_of_answers=self.is_of_answers)

    @property
    def covariance_graph(self) -> calibration.CovarianceGraph:
        """Yates's graph: probabilities by outcome, the means joined."""
        return calibration.covariance_graph(self.scores)

    @property
    def murphy_diagram(self) -> calibration.MurphyCurve:
        """What these probabilities cost at every threshold on them, to plot."""
        return calibration.murphy_curve(self.scores)

    @cached_property
    def band(self) -> calibration.CalibrationBand:
        """Where the true curve lies, everywhere at once."""
        return calibration.confidence_band(self.scores, level=self.level)

    def consistency_band(self, *, simultaneous: bool = True) -> calibration.CalibrationBand:
        """Where the curve would lie if the probabilities were right."""
        return calibration.consistency_band(self.scores, level=self.level, simultaneous=simultaneous, seed=self.seed)

    @cached_property
    def miscalibration(self) -> MiscalibratedRanges:
        """The ranges of probability that are shown to be too high or too low, all of them together."""
        return calibration.miscalibrated_ranges(self.scores, level=self.level, are_of_answers=self.is_of_answers)

    @cached_property
    def smooth(self) -> calibration.SmoothCurve:
        """A smooth curve with ICI, E50, E90 and Emax."""
        return calibration.smooth_curve(self.scores, level=self.level)

    @cached_property
    def lowess(self) -> calibration.SmoothCurve:
        """The same by lowess, as rms draws it: Emax, E50 and E90 are its val.prob's; it has no band."""
        return calibration.smooth_curve(self.scores, smoother="lowess", level=self.level)

    @cached_property
    def belt(self) -> calibration.CalibrationBelt:
        """The GiViTI calibration belt: a polynomial of the log odds, where it may lie, and the test beside it."""
        return calibration.calibration_belt(self.scores, level=self.level)

    @property
    def murphy(self) -> calibration.MurphyCurve:
        """What these probabilities cost at every threshold on them."""
        return calibration.murphy_curve(self.scores)

    def recalibrated(self, method: str = "isotonic", *, folds: int = 5) -> calibration.RecalibrationEffect:
        """What recalibrating would do to cases it was not fitted to, and to the ROC curve."""
        return calibration.cross_fitted_effect(self.scores, method, folds=folds, level=self.level, seed=self.seed)

    def recalibration(self, method: str = "isotonic") -> calibration.Recalibration:
        """What these cases would make of every probability: `.apply`, and `effect_of` on cases it was not fitted to."""
        return calibration.RECALIBRATIONS[checked_choice(method, calibration.RECALIBRATIONS, "method")](self.scores)

    def recalibration_function(self, method: str = "isotonic") -> calibration.CalibrationFunction:
        """The same as a drawing: what becomes of every probability from 0 to 1."""
        return calibration.calibration_function(self.recalibration(method))

    def recalibration_effect(self, fitted: calibration.Recalibration) -> calibration.RecalibrationEffect:
        """What a recalibration that was fitted to other cases does to these."""
        return calibration.recalibration_effect(fitted, self.scores, level=self.level)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about with these statistics."""
        # An error that cells allow to be more than chance shows is not called what chance shows.
        is_open = self.ece.bounds is not None and self.ece.bounds[1] > self.ece.high
        return check(
            CalibrationFacts(
                misfits=tuple(map(str, self.miscalibration.by_cases())),
                calibration_error=None if is_open else (self.ece.value, self.ece.usual, self.ece.p_value),
                hosmer_lemeshow=self.hosmer_lemeshow().cautions,
            )
        )

    def table(self) -> Table:
        """The statistics in rows: value and limits, or a p-value."""
        nan = float("nan")
        rows = [
            ("bias", self.bias, self.calibration_in_the_large_test.p_value),
            ("observed / expected", self.observed_to_expected, nan),
            ("Cox intercept", self.cox.intercept, nan),
            ("Cox slope", self.cox.slope, self.cox.test.p_value),
            ("miscalibration (Brier)", self.parts().miscalibration, self.test.p_value),
            ("ICI", self.smooth.ici, nan),
        ]
        shown = [(name, found.value, found.low, found.high, p_value) for name, found, p_value in rows]
        table = _statistics_table([*shown, ("ECE", self.ece.value, nan, nan, self.ece.p_value)])
        if self.scores.reach is None or self.scores.reach.is_exact:
            return table
        # P-values are of the middle of the cells; so is what has no bounds.
        open_ = ["needs rows" if one.bounds is None else bounds_words(one) for _, one, _ in rows]
        columns = {**table.columns, "in cells": [*open_, bounds_words(_estimate_without_limits(self.ece))]}
        return Table(columns, title=f"{table.title}, p of the middle of the cells")


@with_old_names
@dataclass(frozen=True, eq=False, repr=False)
class ClassCalibration:
    """The same of more than two classes, where many things can be meant by it.

    The probability of the likeliest class is read as that of being right (`confidence`), or that of each class as its
    own against the rest (`against_rest(name)`).
    """

    class_scores: ClassScores | SummedClasses
    level: float = 0.95
    seed: int = 0

    _repr_html_ = in_notebook

    if not TYPE_CHECKING:  # a type checker knows every attribute there is

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_") or not hasattr(Calibration, name):
                raise misspelt(self, name, "there is no calibration attribute named")
            instead = f"calibration.confidence.{name}, or calibration.against_rest({self.class_scores.classes[-1]!r})"
            raise UnknownAttribute(f"there are {len(self.class_scores.classes)} classes and {name} is of two", instead)

    def __repr__(self) -> str:
        return str(self.table())

    def against_rest(self, name: str) -> Calibration:
        """The calibration of one of many classes against the rest."""
        known = self.class_scores.classes
        if name not in known:
            raise UnknownName(f"there is no class {name!r}", f"one of {', '.join(map(repr, known))}")
        return Calibration(self.class_scores.against_rest(known.index(name)), self.level, self.seed)

    @cached_property
    def confidence(self) -> Calibration:
        """The calibration of how sure the classifier was, against whether it was right."""
        table = calibration.confidence_table(self.class_scores)
        return Calibration(table, self.level, self.seed, is_of_answers=True)

    @property
    def overall(self) -> Calibration:
        """What a report speaks of: how sure the classifier was."""
        return self.confidence

    @cached_property
    def ece(self) -> calibration.CalibrationError:
        """Expected calibration error of the highest probability, beside what right ones would show on so many cases."""
        return calibration.confidence_ece(self.class_scores, BINS, level=self.level, seed=self.seed)

    @property
    def classwise_ece(self) -> calibration.CalibrationError:
        """The mean over the classes of each one's error against the rest."""
        return calibration.classwise_ece(self._cases("the classwise ECE"), BINS, level=self.level, seed=self.seed)

    @property
    def top_label_ece(self) -> calibration.CalibrationError:
        """The error among the cases given each class."""
        return calibration.top_label_ece(self._cases("the top-label ECE"), BINS, level=self.level, seed=self.seed)

    def recalibrated(self, method: str = "isotonic", *, folds: int = 5) -> calibration.RecalibrationEffect:
        """What recalibrating all classes would do to cases it was not fitted to."""
        return calibration.cross_fitted_of_many(
            self._cases("recalibration"), method, folds=folds, level=self.level, seed=self.seed
        )

    def recalibration(self, method: str = "isotonic") -> calibration.ClassRecalibration:
        """What these cases would make of rows of probabilities: call it, or see `effect_of` on other cases."""
        return calibration.fit_many(self._cases("recalibration"), method)

    def recalibration_effect(self, fitted: calibration.ClassRecalibration) -> calibration.RecalibrationEffect:
        """What a recalibration that was fitted to other cases does to these."""
        return calibration.effect_on_many(fitted, self._cases("recalibration"), level=self.level)

    def _cases(self, what: str) -> ClassScores:
        if isinstance(self.class_scores, SummedClasses):
            found = f"{what} looks at all scores of each case, and evidence has those of each class by itself"
            raise OptionError(found, "the rows; calibration.confidence or calibration.against_rest(name) need none")
        return self.class_scores

    def table(self) -> Table:
        """The errors in rows, each with its p-value."""
        names = ("ece",) if isinstance(self.class_scores, SummedClasses) else ("ece", "classwise_ece", "top_label_ece")
        nan, found = float("nan"), {name: getattr(self, name) for name in names}
        return _statistics_table([(name, error.value, nan, nan, error.p_value) for name, error in found.items()])


def _estimate_without_limits(error: calibration.CalibrationError) -> Estimate:
    nan = float("nan")
    return Estimate(error.name, error.value, nan, nan, error.level, "none", error.n, bounds=error.bounds)


def _statistics_table(rows: list[tuple[str, float, float, float, float]]) -> Table:
    columns = ("statistic", "value", "low", "high", "p if calibrated")
    return Table({name: [row[k] for row in rows] for k, name in enumerate(columns)}, title="Calibration")


def error_sums(ev: Evaluation, scores: ScoreTable | None = None) -> ErrorSums | None:
    """The error sums of cases with probabilities, from their rows or from a table of scores; None without either.

    Priors are the class shares outside a case's own fold; without folds they can only be those of the cases themselves.
    """
    if scores is not None and scores.reach is not None and ev.has_probabilities:
        at_ends = (_error_sums(ev, rows_of_scores(each)) for each in arrangements(scores))
        return replace(_error_sums(ev, rows_of_scores(scores)), ends=tuple(at_ends))
    rows = ev.predictions if scores is None or ev.predictions is not None else rows_of_scores(scores)
    if rows is None or not ev.has_probabilities:
        return None
    return _error_sums(ev, rows)


def _error_sums(ev: Evaluation, rows: Predictions) -> ErrorSums:
    if rows.probability is not None:
        probability = rows.probability
    else:
        assert rows.score is not None
        probability = np.stack((1 - rows.score, rows.score), 1)
    classes = len(ev.classes)
    if rows.decision is not None and len(rows.decisions) > classes:
        # Called by a name that is no class, a case has no probability in WEKA's sums.
        probability = np.where((rows.decision < classes)[:, None], probability, 0.0)
    weight, _ = case_weights(rows.weight, rows.count)
    priors = laplace_priors(rows.truth, classes, fold=rows.fold, weight=weight)
    return ErrorSums.of(rows.truth, probability, priors=priors, weight=weight)


def rows_of_scores(table: ScoreTable) -> Predictions:
    """Rows that make the same table of scores, where the rows themselves are not there."""
    truth, weight = np.repeat([0, 1], len(table)), np.concatenate((table.negative, table.positive))
    return Predictions(table.classes, truth, score=np.tile(table.score, 2), weight=weight)
