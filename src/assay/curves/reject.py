"""Rejecting what the classifier is least sure of: accuracy of the rest, areas under such curves, and margins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import digamma

from assay.curves.curve import Curve, Drawable, Drawing, Quantity, Ruler, Sweep, Trace, need_probabilities, whole
from assay.curves.threshold import line
from assay.errors import OptionError
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable, SummedClasses
from assay.measures import ratio
from assay.request import checked_threshold
from assay.results import Table
from assay.types import Floats

Sureness = Literal["margin", "top"]
ANSWERS = ("wrong", "right")


def _rejected_share(matrix: ConfusionMatrix) -> Any:
    return ratio(matrix.tn + matrix.fn, matrix.total)


def _accuracy_of_accepted(matrix: ConfusionMatrix) -> Any:
    return ratio(matrix.tp, matrix.tp + matrix.fp)


def _overall_accuracy_line(accuracy: float) -> tuple[Trace, ...]:
    return (line((0, accuracy), (1, accuracy), "reject at random"),)


_REJECT = Sweep(
    "reject_curve",
    "Reject curve",
    Quantity("rejected", "Share rejected", _rejected_share),
    Quantity("accuracy", "Accuracy of the rest", _accuracy_of_accepted),
    references=_overall_accuracy_line,
    cells=("accepted right", "accepted wrong", "rejected wrong", "rejected right"),
)


def confidence(
    scores: ScoreTable | ClassScores | SummedClasses, by: Sureness = "margin", *, threshold: float | None = None
) -> ScoreTable:
    """How sure the classifier was of each case, against whether it was right (the positive class): evidence that adds.

    Sure is who gives the best class much more than the second (`margin`), or much at all (`top`). With two classes
    both order cases alike. Scores of two classes are read as probabilities, with decisions at one half; with a
    `threshold` they may be anything, cases are predicted positive from it on, and sure is what lies far from it.

    >>> confidence(ScoreTable.of([0.1, 0.4, 0.6, 0.9], [False, True, True, True]))
    ScoreTable(2 distinct scores from 0.2 to 0.8; 1 negatives, 3 positives)
    """
    if threshold is not None:
        return _distance_table(scores, threshold)
    if isinstance(scores, ScoreTable) and scores.is_too_long_to_cache:
        return _confidence_table(scores, by)
    key = f"confidence by {by}"
    if key not in scores.cache:
        scores.cache[key] = _confidence_table(scores, by)
    found: ScoreTable = scores.cache[key]
    return found


def _confidence_table(scores: ScoreTable | ClassScores | SummedClasses, by: Sureness) -> ScoreTable:
    if isinstance(scores, SummedClasses):
        return scores.answers(by)
    if isinstance(scores, ClassScores):
        decided = scores.decided()
        best, second = _two_highest_probabilities(scores.probability, decided)
        return ScoreTable.of(
            best - second if by == "margin" else best,
            decided == scores.truth,
            ANSWERS,
            weight=scores.weight,
            count=scores.count,
        )
    need_probabilities(scores, "; or the threshold from which cases are predicted positive")
    cut = int(np.searchsorted(scores.score, 0.5))
    squares = scores.squared_weights if scores.is_weighted else ()
    # Called negative, a case is right if it is one; and the surest have the lowest scores.
    low = [side[:cut][::-1] for side in (scores.score, scores.positive, scores.negative, *squares[::-1])]
    high = [side[cut:] for side in (scores.score, scores.negative, scores.positive, *squares)]
    low[0] = 1 - low[0]
    low[0], high[0] = (2 * top - 1 if by == "margin" else top for top in (low[0], high[0]))
    return _correctness_table(*low) + _correctness_table(*high)


def _distance_table(scores: ScoreTable | ClassScores | SummedClasses, threshold: float) -> ScoreTable:
    """How far each score lies from the threshold, against whether the call was right."""
    if not isinstance(scores, ScoreTable):
        raise OptionError("a threshold separates two classes, and there are more", "no threshold")
    at = checked_threshold(threshold)
    cut = int(np.searchsorted(scores.score, at))
    squares = scores.squared_weights if scores.is_weighted else ()
    low = [side[:cut][::-1] for side in (at - scores.score, scores.positive, scores.negative, *squares[::-1])]
    high = [side[cut:] for side in (scores.score - at, scores.negative, scores.positive, *squares)]
    return _correctness_table(*low) + _correctness_table(*high)


def _correctness_table(
    sure: Floats, wrong: Floats, right: Floats, wrong_squares: Floats | None = None, right_squares: Floats | None = None
) -> ScoreTable:
    return ScoreTable(sure, wrong, right, ANSWERS, wrong_squares, right_squares)


def _two_highest_probabilities(probability: Floats, decided: Any) -> tuple[Floats, Floats]:
    rows = np.arange(len(decided))
    others = probability.copy()
    others[rows, decided] = -np.inf
    return probability[rows, decided], others.max(1)


def reject_curve(
    scores: ScoreTable | ClassScores | SummedClasses, by: Sureness = "margin", *, threshold: float | None = None
) -> Curve:
    """Accuracy among the cases that are left when those the classifier is least sure of are rejected.

    Equally sure cases are rejected together. With everything rejected there is no accuracy. Scores that are no
    probabilities need the `threshold` they are predicted positive from: those nearest to it are rejected first.

    >>> print(reject_curve(ScoreTable.of([0.1, 0.4, 0.6, 0.9], [False, True, True, True])).table())
    threshold  accepted right  accepted wrong  rejected wrong  rejected right  rejected  accuracy
          inf               0               0               1               3     1.000         -
        0.800               2               0               1               1     0.500     1.000
        0.200               3               1               0               0     0.000     0.750
    """
    return _REJECT(confidence(scores, by, threshold=threshold))


def _accepted_counts(curve: Curve) -> tuple[Floats, Floats]:
    """Accepted cases that are wrong, and all that are accepted, at each point."""
    wrong, right = curve.counts[:, 0, 1], curve.counts[:, 1, 1]
    return wrong, wrong + right


def aurc(curve: Curve) -> float:
    """Error rate among the accepted, averaged over all cases in the order of rejection: lower is better.

    Each case counts with the error rate of all that are at least as sure as it (Geifman, Uziel & El-Yaniv, 2019).

    >>> round(aurc(reject_curve(ScoreTable.of([0.1, 0.4, 0.7, 0.9], [False, True, True, True]))), 6)
    0.0625
    """
    wrong, accepted = _accepted_counts(curve)
    return float(ratio((np.diff(accepted) * ratio(wrong, accepted)[1:]).sum(), accepted[-1]))


def excess_aurc(curve: Curve) -> float:
    """By how much the area lies above that of a classifier which is least sure of exactly its errors; 0 is best.

    >>> excess_aurc(reject_curve(ScoreTable.of([0.1, 0.4, 0.7, 0.9], [False, True, True, True])))
    0.0
    """
    wrong, accepted = _accepted_counts(curve)
    n, errors = float(accepted[-1]), float(wrong[-1])
    if not n:
        return math.nan
    right = n - errors
    # The k-th case is accepted among k; of these, those beyond the right ones are errors.
    is_counted = (curve.counts == np.round(curve.counts)).all()
    harmonic = float(digamma(n + 1) - digamma(right + 1)) if is_counted else math.log(n / right) if right else 0.0
    best = (errors - right * harmonic) / n
    return max(aurc(curve) - best, 0.0)


def augrc(curve: Curve) -> float:
    """Chance that a case is accepted and wrong, averaged over all shares accepted: lower is better.

    Unlike the area above it does not let the few surest cases decide (Traub et al., 2024).

    >>> round(augrc(reject_curve(ScoreTable.of([0.1, 0.4, 0.7, 0.9], [False, True, True, True]))), 6)
    0.03125
    """
    wrong, accepted = _accepted_counts(curve)
    total = accepted[-1]
    return float(np.trapezoid(ratio(wrong, total), ratio(accepted, total)))


@dataclass(frozen=True, eq=False, repr=False)
class MarginCurve(Drawable):
    """How many cases have each margin, and how many at most that.

    The margin of a case is what its own class was given, less the most any other was: negative where it is wrong.
    """

    margin: Floats
    cases: Floats
    cumulative: Floats

    def __repr__(self) -> str:
        return f"<Margin curve: {len(self.margin):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there are cases."""
        return len(self.margin) > 0

    def table(self) -> Table:
        """Each margin, the cases that have it, and those that have at most it.

        >>> print(margin_curve(ScoreTable.of([0.25, 0.25, 0.75], [False, True, True])).table())
        margin  cases  cumulative
        -0.500      1           1
         0.500      2           3
        """
        columns = {"cases": whole(self.cases), "cumulative": whole(self.cumulative)}
        return Table({"margin": self.margin.tolist(), **columns}, title="Margin curve")

    def drawing(self) -> Drawing:
        """The share of cases with at most each margin, as steps; those left of zero are wrong."""
        share = np.concatenate(([0.0], self.cumulative / self.cumulative[-1]))
        x = np.concatenate(([-1.0], np.repeat(self.margin, 2), [1.0]))
        return Drawing(
            name="margin_curve",
            title="Margin curve",
            x=Ruler("Margin", (-1.0, 1.0)),
            y=Ruler("Share of cases up to it"),
            traces=(line((0, 0), (0, 1), "no margin"), Trace(x, np.repeat(share, 2))),
            points=len(self.margin),
        )


def margin_curve(scores: ScoreTable | ClassScores | SummedClasses) -> MarginCurve:
    """The margins of all cases. Scores of two classes are read as probabilities."""
    if isinstance(scores, SummedClasses):
        # Wrong answers fall short by what right ones lead by.
        lead = scores.answers("lead")
        held = [side > 0 for side in (lead.negative, lead.positive)]
        of_wrong = -lead.score[held[0]][::-1], lead.negative[held[0]][::-1]
        table = _margin_table(*of_wrong) + _margin_table(lead.score[held[1]], lead.positive[held[1]])
    elif isinstance(scores, ClassScores):
        given, others = _two_highest_probabilities(scores.probability, scores.truth)
        margin = given - others
        table = ScoreTable.of(margin, margin > 0, ANSWERS, weight=scores.weight, count=scores.count)
    else:
        need_probabilities(scores)
        held = [side > 0 for side in (scores.negative, scores.positive)]
        of_negatives = (1 - 2 * scores.score[held[0]])[::-1], scores.negative[held[0]][::-1]
        of_positives = 2 * scores.score[held[1]] - 1, scores.positive[held[1]]
        table = _margin_table(*of_negatives) + _margin_table(*of_positives)
    cases = table.negative + table.positive
    return MarginCurve(table.score, cases, np.cumsum(cases))


def _margin_table(margin: Floats, cases: Floats) -> ScoreTable:
    return ScoreTable(margin, cases, np.zeros(len(cases)), ANSWERS)
