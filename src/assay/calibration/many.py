"""Calibration error of many classes: of the class each case was given, and of each class against the rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assay.calibration.errors import (
    REPLICATES,
    CalibrationError,
    beside,
    ece,
    mean_distance,
    under_calibration,
)
from assay.calibration.groups import equal_width, why_dependent
from assay.evidence import ClassScores, ScoreTable, SummedClasses
from assay.request import checked_level, checked_seed, checked_whole
from assay.results import counted
from assay.types import Floats

TAKES_WEIGHTS = "brier_test() or cox() of each class against the rest, which take weights"
# Drawing a class for each row is the slow part: of very many rows, fewer replicates are drawn, but at least a hundred.
MOST_DRAWN, FEWEST_REPLICATES = 2_000_000_000, 100


def confidence_table(scores: ClassScores | SummedClasses) -> ScoreTable:
    """The probability each case was given for its likeliest class, and whether that was its class.

    >>> confidence_table(ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2]], [0, 2], "abc"))
    ScoreTable(2 distinct scores from 0.5 to 0.7; 1 negatives, 1 positives)
    """
    return scores.answers("top") if isinstance(scores, SummedClasses) else _confidence(scores, slice(None))


def confidence_ece(
    scores: ClassScores | SummedClasses,
    bins: int = 15,
    *,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> CalibrationError:
    """The ECE of the likeliest class's probability, read as the probability of being right.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2]], [0, 2], "abc")
    >>> round(confidence_ece(scores).value, 6)
    0.4

    References: Guo et al. (2017).
    """
    groups = equal_width(confidence_table(scores), bins)
    return ece(groups, level=level, replicates=replicates, seed=seed, name="confidence_ece")


def top_label_ece(
    scores: ClassScores, bins: int = 15, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = 0
) -> CalibrationError:
    """The same among the cases given each class, averaged over them: classes may not make up for one another.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.1, 0.7, 0.2]], [0, 2], "abc")
    >>> round(top_label_ece(scores).value, 6), round(confidence_ece(scores).value, 6)
    (0.5, 0.2)

    References: Gupta & Ramdas (2022).
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    decided = scores.decided()
    found = [_confidence(scores, decided == k) for k in np.flatnonzero(np.bincount(decided))]
    each = [equal_width(table, bins) for table in found]
    shares = [float(groups.table.total / scores.total) for groups in each]

    def summed(positives: list[Floats]) -> Floats:
        parts = (s * mean_distance(g, p) for s, g, p in zip(shares, each, positives, strict=True))
        return np.asarray(sum(parts))

    rule, n = f"{each[0].rule}, by the class given", float(scores.total)
    value = float(summed([groups.positive for groups in each]))
    refused = why_dependent(found[0], TAKES_WEIGHTS)
    if refused is not None:
        return CalibrationError("top_label_ece", value, rule, n, level=level, undefined=refused)
    drawn = [under_calibration(g, replicates=replicates, seed=seed + i) for i, g in enumerate(each)]
    return beside("top_label_ece", value, summed(drawn), rule, n, level)


def classwise_ece(
    scores: ClassScores, bins: int = 15, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = 0
) -> CalibrationError:
    """The mean over the classes of the ECE of each against the rest; under calibration a class is drawn for each case.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2]], [0, 2], "abc")
    >>> round(classwise_ece(scores, 2).value, 6)
    0.333333

    References: Kull et al. (2019).
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_whole(bins, "bins")
    rule, n = f"{counted(bins, 'bin')} of equal width, closed on the right, a class each", float(scores.total)
    classes = len(scores.classes)
    # The cell of each case and class among all bins of all classes.
    cell = np.searchsorted(np.arange(1, bins) / bins, scores.probability, side="left") + np.arange(classes) * bins
    promised = scores.each[:, None] * scores.probability
    expected = np.bincount(cell.ravel(), promised.ravel(), minlength=bins * classes)
    own = cell[np.arange(len(scores)), scores.truth]
    happened = np.bincount(own, scores.each, minlength=bins * classes)
    value = float(np.abs(happened - expected).sum()) / (n * classes)
    refused = why_dependent(scores.against_rest(0), TAKES_WEIGHTS)
    if refused is not None:
        return CalibrationError("classwise_ece", value, rule, n, level=level, undefined=refused)
    drawn = _drawn_classes(scores, cell, replicates, seed)
    null = np.array([np.abs(np.bincount(c, minlength=bins * classes) - expected).sum() for c in drawn]) / (n * classes)
    return beside("classwise_ece", value, null, rule, n, level)


def _drawn_classes(
    scores: ClassScores, cell: NDArray[np.intp], replicates: int, seed: int
) -> Iterator[NDArray[np.intp]]:
    """For each replicate, the cells of classes drawn for the cases from their own probabilities."""
    times = scores.each.astype(np.intp)
    rows, cells = np.repeat(scores.probability, times, axis=0), np.repeat(cell, times, axis=0)
    reach = np.cumsum(rows, axis=1)
    ends = reach[:, :-1] / reach[:, -1:]
    rng, number = np.random.default_rng(seed), np.arange(len(rows))
    for _ in range(min(replicates, max(FEWEST_REPLICATES, MOST_DRAWN // rows.size))):
        drawn = (rng.random((len(rows), 1)) > ends).sum(1)
        yield cells[number, drawn]


def _confidence(scores: ClassScores, kept: NDArray[np.bool_] | slice) -> ScoreTable:
    decided = scores.decided()
    given, right = scores.probability[np.arange(len(scores)), decided], decided == scores.truth
    return ScoreTable.of(
        given[kept],
        right[kept],
        ("wrong", "right"),
        weight=None if scores.weight is None else scores.weight[kept],
        count=None if scores.count is None else scores.count[kept],
        cluster=None if scores.cluster is None else scores.cluster[kept],
    )
