"""Calibration error in one number, beside what calibrated probabilities would have in as many cases.

A distance between rates and probabilities is above 0 even when every probability is right, the more so the fewer cases
there are. So no number here goes without its distribution under calibration, and none has an interval.

Calibration error of many classes: of the class each case was given, and of each class against the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.calibration.groups import Groups, equal_size, equal_width, of_the_middle, why_dependent
from assay.evidence import ClassScores, ScoreTable, SummedClasses
from assay.renderers import in_notebook
from assay.request import checked_level, checked_seed, checked_whole
from assay.results import counted
from assay.text import number
from assay.types import Floats

REPLICATES = 1_000
# Outcomes are drawn on at most this many pieces; neighbours beyond that are put together at their mean probability.
MOST_PIECES = 4_096
# From this variance on, a group's number of positives is as good as normal.
NORMAL_FROM = 100.0
OF_ITS_CHANCE = "the value expected of calibrated probabilities is computed at bin centers"
# The sweep stops here: by then its groups are fine enough for any curve.
MOST_SWEPT = 1_000


@dataclass(frozen=True, slots=True)
class CalibrationError:
    """A calibration error and where it stands among those of right probabilities for the same cases.

    `usual` is what they show on average, `high` what only 1 - `level` of such samples exceed, `p_value` how many are at
    least as large as this one. `undefined` says why one of them is nan.

    >>> CalibrationError("ece", 0.083, "10 bins of equal width, closed on the right", 1000, 0.031, 0.047, 0.001)
    ece 0.083; calibrated probabilities would have 0.031 on average and above 0.047 in 5 % of samples this size
    """

    name: str
    value: float
    rule: str
    n: float
    usual: float = math.nan
    high: float = math.nan
    p_value: float = math.nan
    level: float = 0.95
    undefined: str | None = None
    # Between what it lies whatever the scores are, where those are in cells.
    bounds: tuple[float, float] | None = None
    caution: str | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        if math.isnan(self.value) or math.isnan(self.usual):
            known = "" if math.isnan(self.value) else f" {number(self.value)}"
            return f"{self.name}{known}; unknown under calibration: {self.undefined}"
        share = f"{100 * (1 - self.level):.3g} % of samples this size"
        beside = (
            f"calibrated probabilities would have {number(self.usual)} on average and above "
            f"{number(self.high)} in {share}"
        )
        return f"{self.name} {number(self.value)}; {beside}"

    def to_dict(self) -> dict[str, Any]:
        """The record with nan as None."""
        known = {k: v for k, v in asdict(self).items() if k not in ("bounds", "caution") or v is not None}
        return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in known.items()}


def ece(
    groups: Groups, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = 0, name: str = "ece"
) -> CalibrationError:
    """Expected calibration error: the mean distance between a group's rate of positives and its mean probability.

    >>> from assay.calibration.groups import equal_size
    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> found = ece(equal_size(table, 3))
    >>> round(found.value, 6), round(found.usual, 2)
    (0.214, 0.2)

    References: Naeini, Cooper & Hauskrecht (2015).
    """
    return _error_with_null(name, groups, mean_distance, level, replicates, seed)


def ece_in_cells(found: CalibrationError, table: ScoreTable, bins: int) -> CalibrationError:
    """An ECE over bins of equal width with its bounds, where the scores of the table are in cells.

    It moves by no more than the scores do on average. A case whose cell an edge of the bins splits may be in either
    bin, and one that is not shown in any: each of them moves two bins by 1 at most.

    >>> from assay.calibration.groups import equal_width
    >>> from assay.evidence import Binned, ScoreGrid
    >>> table = Binned.of([0.1, 0.12, 0.8], [False, True, True], ("0", "1"), ScoreGrid("probability", 0)).table()
    >>> low, high = ece_in_cells(ece(equal_width(table, 2)), table, 2).bounds
    >>> round(low, 6), round(high, 6)
    (0.32, 0.333333)
    """
    reach = table.reach
    if reach is None or math.isnan(found.value):
        return found
    cases, edges = table.negative + table.positive, np.arange(1, bins) / bins
    low, high = np.searchsorted(edges, reach.low, side="left"), np.searchsorted(edges, reach.high, side="right")
    moved = np.maximum(reach.high - table.score, table.score - reach.low) + 2.0 * (high > low)
    total = float(table.total)
    far = float(cases @ np.where(reach.low == reach.high, 0.0, moved)) / total
    far += 2 * reach.hidden / (total + reach.hidden)
    bounds = (max(0.0, found.value - far), min(1.0, found.value + far))
    return replace(found, bounds=bounds, caution=found.caution and OF_ITS_CHANCE)


def mce(groups: Groups, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = 0) -> CalibrationError:
    """Maximum calibration error: the largest distance in any group. That the worst was picked is in its null too.

    >>> from assay.calibration.groups import equal_size
    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> round(mce(equal_size(table, 3)).value, 6)
    0.23

    References: Naeini, Cooper & Hauskrecht (2015).
    """
    return _error_with_null("mce", groups, _largest_distance, level, replicates, seed)


def debiased_error(
    groups: Groups, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = 0
) -> CalibrationError:
    """The mean squared distance less what chance adds to it: 0 on average where probabilities are right, often below.

    Its root, where positive, is on the scale of ece(). Every group needs two cases.

    >>> from assay.calibration.groups import equal_size
    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> round(debiased_error(equal_size(table, 3)).value, 6)
    0.0128

    References: Kumar, Liang & Ma (2019).
    """
    level = checked_level(level)
    single = int((groups.kish <= 1).sum())
    if single:
        reason = f"{counted(single, 'group')} of a single case: what chance adds needs two in each"
        n = float(groups.table.total)
        return CalibrationError("debiased_error", math.nan, groups.rule, n, level=level, undefined=reason)
    return _error_with_null("debiased_error", groups, _debiased_error, level, replicates, seed)


def ece_sweep(table: ScoreTable) -> CalibrationError:
    """The ECE over as many groups of equal size as keep their rates in the order of their probabilities.

    The number of groups is chosen by looking at the outcomes, so it comes alone: use ece() to compare with chance.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> ece_sweep(table)
    ece_sweep 0.136; unknown under calibration: the number of groups was chosen by looking at the outcomes

    References: Roelofs et al. (2022).
    """
    reason = "the number of groups was chosen by looking at the outcomes"
    best = equal_size(table, _most_monotone_groups(table))
    value = float(mean_distance(best, best.positive))
    found = CalibrationError("ece_sweep", value, best.rule, float(table.total), undefined=reason)
    return replace(found, caution=of_the_middle(table))


def _most_monotone_groups(table: ScoreTable) -> int:
    """How many groups equal_size() can make before a group's rate first falls below that of the group before it."""
    each = table.negative + table.positive
    cases, positives = (np.append(0.0, np.cumsum(side)) for side in (each, table.positive))
    middle = (cases[1:] + cases[:-1]) / 2
    most = int(min(sum(table.kish), MOST_SWEPT))
    for count in range(2, most + 1):
        ends = np.arange(1, count) * cases[-1] / count
        cut = np.searchsorted(middle, ends if table.is_weighted else np.floor(ends), side="right")
        bounds = np.concatenate(([0], cut, [len(each)]))
        bounds = bounds[np.append(True, np.diff(bounds) > 0)]
        if (np.diff(np.diff(positives[bounds]) / np.diff(cases[bounds])) < 0).any():
            return count - 1
    return most


def under_calibration(groups: Groups, *, replicates: int = REPLICATES, seed: int = 0) -> Floats:
    """Positives in each group, drawn as often as asked from the probabilities themselves: replicates by groups.

    >>> from assay.calibration.groups import equal_width
    >>> groups = equal_width(ScoreTable.of([0.2, 0.4, 0.9], [0, 1, 1]), 2)
    >>> under_calibration(groups, replicates=2000).mean(0).round(1)
    array([0.6, 0.9])
    """
    seed = checked_seed(seed)
    checked_whole(replicates, "replicates")
    rng = np.random.default_rng(seed)
    p = groups.probability
    each = groups.pieces(groups.table.negative + groups.table.positive)
    variance = groups.sums(each * p * (1 - p))
    drawn = rng.normal(groups.expected, np.sqrt(variance), (replicates, len(groups)))
    small = variance < NORMAL_FROM
    if not small.any():
        return np.clip(drawn, 0.0, groups.total)
    # Only the pieces of small groups need whole outcomes.
    is_small = small[groups.member]
    each, p, member = each[is_small], p[is_small], groups.member[is_small]
    is_first = np.diff(member, prepend=-1) > 0
    is_first[:: max(len(p) // MOST_PIECES, 1)] = True
    first = np.flatnonzero(is_first)
    cases = np.add.reduceat(each, first)
    mean = np.clip(np.add.reduceat(each * p, first) / cases, 0.0, 1.0)
    # A piece shared out over a cut may hold part of a case: that part happens wholly or not, as its case would.
    whole = np.floor(cases)
    happened = rng.binomial(whole.astype(np.int64), mean, (replicates, len(first))).astype(np.float64)
    part = cases - whole
    if part.any():
        happened += part * (rng.random(happened.shape) < mean)
    starts = np.flatnonzero(np.diff(member[first], prepend=-1) > 0)
    drawn[:, small] = np.add.reduceat(happened, starts, axis=-1)
    return drawn


def _error_with_null(
    name: str, groups: Groups, error: Callable[[Groups, Floats], Any], level: float, replicates: int, seed: int
) -> CalibrationError:
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_whole(replicates, "replicates")
    value, n = float(error(groups, groups.positive)), float(groups.table.total)
    refused = why_dependent(groups.table, "brier_test() or cox(), which take weights")
    if refused is not None:
        return CalibrationError(name, value, groups.rule, n, level=level, undefined=refused)
    key = f"positives under calibration, {groups.rule}, {len(groups)}, {replicates}, {seed}"
    if key not in groups.table.cache:
        groups.table.cache[key] = under_calibration(groups, replicates=replicates, seed=seed)
    drawn = groups.table.cache[key]
    found = beside(name, value, error(groups, drawn), groups.rule, n, level)
    return replace(found, caution=of_the_middle(groups.table))


def beside(name: str, value: float, null: Floats, rule: str, n: float, level: float) -> CalibrationError:
    """An error beside draws of it under calibration."""
    # A hair's breadth of rounding must not turn an equal error into a smaller one.
    p_value = float(1 + (null >= value - 1e-12).sum()) / (1 + len(null))
    return CalibrationError(name, value, rule, n, float(null.mean()), float(np.quantile(null, level)), p_value, level)


def mean_distance(groups: Groups, positive: Floats) -> Any:
    """The ECE of so many positives in each group."""
    return np.abs(positive - groups.expected).sum(-1) / groups.total.sum(-1)


def _largest_distance(groups: Groups, positive: Floats) -> Any:
    return np.abs((positive - groups.expected) / groups.total).max(-1)


def _debiased_error(groups: Groups, positive: Floats) -> Any:
    rate = positive / groups.total
    chance = rate * (1 - rate) / (groups.kish - 1)
    return (groups.total * ((rate - groups.mean) ** 2 - chance)).sum(-1) / groups.total.sum(-1)


TAKES_WEIGHTS = "brier_test() or cox() of each class against the rest, which take weights"
# Drawing a class for each row is the slow part: of very many rows, fewer replicates are drawn, but at least a hundred.
MOST_DRAWN, FEWEST_REPLICATES = 2_000_000_000, 100


def confidence_table(scores: ClassScores | SummedClasses) -> ScoreTable:
    """The probability each case was given for its likeliest class, and whether that was its class.

    >>> confidence_table(ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2]], [0, 2], "abc"))
    ScoreTable(2 distinct scores from 0.5 to 0.7; 1 negatives, 1 positives)
    """
    return scores.answers("top") if isinstance(scores, SummedClasses) else _confidence_table(scores, slice(None))


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
    found = [_confidence_table(scores, decided == k) for k in np.flatnonzero(np.bincount(decided))]
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
    drawn = _redrawn_classes(scores, cell, replicates, seed)
    null = np.array([np.abs(np.bincount(c, minlength=bins * classes) - expected).sum() for c in drawn]) / (n * classes)
    return beside("classwise_ece", value, null, rule, n, level)


def _redrawn_classes(
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


def _confidence_table(scores: ClassScores, kept: NDArray[np.bool_] | slice) -> ScoreTable:
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
