"""Rules chosen on nine tenths of the cases and judged on the tenth: what the best of many rules is truly worth.

The best rule found looks at least as good as the best rule there is, on average, and one judged on other cases than
those that chose it looks no better. Limits of a value that was chosen as the best lie between the two.

Cross-validated predictions: what several folds' models, each trained on the others' cases, add to uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri, stdtrit

from assay.evidence import ScoreTable
from assay.results import Interval, counted
from assay.types import Floats
from assay.uncertainty.delong import AucMoments, with_ends

__all__ = [
    "CROSS_FITTED",
    "Blocks",
    "Decided",
    "best_and_judged",
    "cross_validated_auc",
    "cross_validated_error",
    "every_rule",
    "hull_blocks",
    "judged_rule",
    "judged_rules",
    "mean_of_cells",
    "mean_of_losses",
    "p_of_folds",
    "pair_share",
    "pair_variance",
    "stretch_of_folds",
    "widened_level",
]


CROSS_FITTED = "cross-fitted"
FOLDS = 10
# The mean over so many partings: one parting of 200 cases moves the limit by half a standard error of KS, of many
# cases by a fifth of one, and that of the others by less than a tenth, so that one parting will do.
REPEATS, MANY_CASES = 5, 20_000


class Decided(NamedTuple):
    """How many of each class a rule calls positive, of how many; or every rule of a list of them."""

    hits: Floats
    alarms: Floats
    positives: float
    negatives: float

    def variances(self) -> tuple[Floats, Floats]:
        """Of the recall and of the false-positive rate, with one pseudo-case that is called and one that is not."""
        shares = [(called + 1) / (n + 2) for called, n in ((self.hits, self.positives), (self.alarms, self.negatives))]
        recall, fpr = (
            share * (1 - share) / n for share, n in zip(shares, (self.positives, self.negatives), strict=True)
        )
        return recall, fpr


class Blocks(NamedTuple):
    """Tie blocks of an isotonic fit from the highest score down: what it was fitted to, and what it is judged on."""

    share: Floats
    negative: Floats
    positive: Floats


def best_and_judged(
    found: tuple[Floats, Floats], judged: tuple[float, float], smaller: float, level: float, *, higher: bool
) -> Interval:
    """Limits from the values of rules on the cases that chose among them, and from that of rules judged on others.

    Each comes with its variance. The flattering limit is the most flattering that any of the rules bears: the best
    there is is one of them. The other limit has Student's t, since the smaller class decides how well its variance is
    known.

    >>> found = best_and_judged((np.array([0.5]), np.array([0.01])), (0.4, 0.01), 1000, 0.95, higher=True)
    >>> round(found.low, 4), round(found.high, 4)
    (0.2038, 0.696)
    """
    sign = 1.0 if higher else -1.0
    good = sign * float((sign * found[0] + float(ndtri(0.5 + level / 2)) * np.sqrt(found[1])).max())
    bad = judged[0] - sign * float(stdtrit(smaller - 1, 0.5 + level / 2)) * math.sqrt(judged[1])
    return Interval(min(good, bad), max(good, bad), CROSS_FITTED)


def every_rule(table: ScoreTable) -> Decided:
    """What each threshold calls, from none to all."""
    hits, alarms = (_predicted_positive_counts(side) for side in (table.positive, table.negative))
    return Decided(hits, alarms, float(table.positives), float(table.negatives))


def judged_rule(table: ScoreTable, gain: float, loss: float, seed: int, *, either_way: bool = False) -> Decided:
    """What the threshold that gains most calls among cases that did not choose it: the mean over partings.

    A positive that is called gains `gain`, a negative that is called loses `loss`; `either_way` also looks at calling
    low scores positive.

    >>> table = ScoreTable.of(np.arange(40) % 20, np.arange(40) >= 15)
    >>> every, judged = every_rule(table), judged_rule(table, 1 / 25, 1 / 15, 0)
    >>> [round(float((one.hits / 25 - one.alarms / 15).max()), 3) for one in (every, judged)]
    [0.4, 0.28]
    """
    return judged_rules(table, [(gain, loss)], seed, either_way=either_way)[0]


def judged_rules(
    table: ScoreTable, worths: Sequence[tuple[float, float]], seed: int, *, either_way: bool = False
) -> list[Decided]:
    """The same for several pairs of a gain and a loss, all from the same partings."""
    every = every_rule(table)
    judged, partings = np.zeros((len(worths), 2)), 0
    for folds in _fold_splits(table, seed):
        partings += 1
        for negative, positive in folds:
            held = _predicted_positive_counts(positive), _predicted_positive_counts(negative)
            others = every.hits - held[0], every.alarms - held[1]
            judged += [_best_threshold_value(*others, *held, gain, loss, either_way) for gain, loss in worths]
    sizes = every.positives, every.negatives
    return [Decided(hits, alarms, *sizes) for hits, alarms in judged / partings]


def _best_threshold_value(
    hits: Floats, alarms: Floats, held_hits: Floats, held_alarms: Floats, gain: float, loss: float, either_way: bool
) -> tuple[float, float]:
    """What the best threshold of some counts calls among others, the cases held out from choosing it."""
    worth = gain * hits - loss * alarms
    top = int(np.argmax(worth))
    bottom = int(np.argmin(worth)) if either_way else 0
    if either_way and worth[-1] - worth[bottom] > worth[top]:
        return held_hits[-1] - held_hits[bottom], held_alarms[-1] - held_alarms[bottom]
    return held_hits[top], held_alarms[top]


def hull_blocks(table: ScoreTable, seed: int) -> tuple[Blocks, list[list[Blocks]]]:
    """The blocks of the isotonic fit to all cases, and for each parting and fold those of the fit to the others."""
    key = ("isotonic folds", seed)
    if key not in table.cache:
        folds = [
            [
                _isotonic_blocks(ScoreTable(table.score, table.negative - n, table.positive - p), n, p)
                for n, p in parting
            ]
            for parting in _fold_splits(table, seed)
        ]
        table.cache[key] = _isotonic_blocks(table, table.negative, table.positive), folds
    found: tuple[Blocks, list[list[Blocks]]] = table.cache[key]
    return found


def _isotonic_blocks(fitted: ScoreTable, negative: Floats, positive: Floats) -> Blocks:
    starts = fitted.hull_corners[:-1]
    own, others, *held = (
        np.add.reduceat(side[::-1], starts) for side in (fitted.positive, fitted.negative, negative, positive)
    )
    return Blocks(own / (own + others), *held)


def mean_of_cells(cells: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """The mean loss of confusion matrices and its variance, with one pseudo-error of each class.

    >>> [part.round(4).item() for part in mean_of_cells(np.array([[8.0, 2.0], [1.0, 9.0]]), np.array([[0, 1], [4, 0]]))]
    [0.3, 0.067]
    """
    total = cells.sum((-2, -1))
    more = cells + np.array([[0.0, 1.0], [1.0, 0.0]])
    mean, square = ((more * power).sum((-2, -1)) / (total + 2) for power in (losses, losses**2))
    return (cells * losses).sum((-2, -1)) / total, np.maximum(square - mean**2, 0.0) / total


def mean_of_losses(loss: Floats, cases: Floats, worst: float) -> tuple[float, float]:
    """The mean of losses that so many cases have, and their variance when a case of the worst loss is added."""
    total = float(cases.sum())
    mean = (float(cases @ loss) + worst) / (total + 1)
    spread = float(cases @ (loss - mean) ** 2) + (worst - mean) ** 2
    return float(cases @ loss) / total, spread / (total + 1)


def pair_share(blocks: Blocks) -> float:
    """The share of pairs that blocks put in the right order, ties counted half."""
    above = np.cumsum(blocks.positive) - 0.5 * blocks.positive
    return float(blocks.negative @ above) / float(blocks.negative.sum() * blocks.positive.sum())


def pair_variance(blocks: list[Blocks]) -> float:
    """DeLong's variance of such a share, all blocks pooled, with a pseudo-case of each class at either end."""
    share, negative, positive = (np.concatenate([one[i] for one in blocks]) for i in range(3))
    whole = ScoreTable.of(
        np.concatenate((share, share)),
        np.arange(2 * len(share)) >= len(share),
        count=np.concatenate((negative, positive)),
    )
    return float(AucMoments.of(with_ends(whole, 1.0)).variance)


def _predicted_positive_counts(side: Floats) -> Floats:
    """How many are called at every threshold, from none to all."""
    return np.concatenate(([0.0], np.cumsum(side[::-1])))


def _fold_splits(table: ScoreTable, seed: int) -> Iterator[Iterator[tuple[Floats, Floats]]]:
    """The negatives and the positives of each of ten folds at every score, dealt out anew several times.

    Cases of one score are alike, so that a parting is one of the counts; it depends on the table and the seed alone.
    """
    rng = np.random.default_rng([seed, FOLDS])
    for _ in range(REPEATS if table.total <= MANY_CASES else 1):
        negative, positive = (_deal_into_folds(side, rng) for side in (table.negative, table.positive))
        yield zip(negative, positive, strict=True)


def _deal_into_folds(counts: Floats, rng: np.random.Generator) -> Iterator[Floats]:
    """Folds of equal size, one after the other: of many scores only one is held at a time."""
    places = np.repeat(np.arange(len(counts)), counts.astype(np.int64))
    rng.shuffle(places)
    for fold in range(FOLDS):
        yield np.bincount(places[fold::FOLDS], minlength=len(counts)).astype(np.float64)


METHOD = "LeDell, n - 1, logit"
# Of either class, over all folds: with fewer the interval was simulated to miss too often.
FEWEST_IN_A_CLASS = 20


def widened_level(level: float, folds: int) -> float:
    """The level at which an interval of pooled folds is taken, so as to hold at `level`.

    The models of folds learned from one another's test cases, so their results vary together; intervals of pooled
    cases that do not know it were simulated to hold .86 to .94 (verification/folds.py). Nadeau & Bengio (2003) add to
    the variance of a mean over k folds as much again as k / (k - 1) of it: limits are taken further out by its root.

    >>> round(widened_level(0.95, 10), 4)
    0.9956
    """
    return float(2 * ndtr(float(ndtri(0.5 + level / 2)) * stretch_of_folds(folds)) - 1)


def p_of_folds(p_value: float, folds: int) -> float:
    """The p-value that belongs to an interval taken so far out.

    >>> round(p_of_folds(1 - widened_level(0.95, 10), 10), 6)
    0.05
    """
    return float(2 * ndtr(float(ndtri(p_value / 2)) / stretch_of_folds(folds)))


def stretch_of_folds(folds: int) -> float:
    """How many times further out limits of pooled folds are taken."""
    return math.sqrt(1 + folds / (folds - 1)) if folds > 1 else 1.0


def cross_validated_auc(folds: Sequence[ScoreTable], level: float) -> tuple[float, Interval]:
    """The mean of the folds' AUCs, with LeDell, Petersen & van der Laan's (2015) interval on the logit scale.

    Each fold's model ranks only its own test cases. A fold may hold few of a class, so its spread is divided by their
    number less one: as published (by their number) the interval covered .51 to .88 with two or fewer in a fold.

    >>> fold = ScoreTable.of([0.1, 0.4, 0.35, 0.8] * 10, [False, False, True, True] * 10)
    >>> value, interval = cross_validated_auc([fold, fold], 0.95)
    >>> value, interval.method
    (0.75, 'LeDell, n - 1, logit')
    """
    auc, error = cross_validated_error(folds, less_one=True)
    if math.isnan(auc):
        return auc, Interval.missing(METHOD, "a fold lacks a class, so it has no AUC")
    fewest = min(sum(sizes) for sizes in zip(*(fold.kish for fold in folds), strict=True))
    if fewest < FEWEST_IN_A_CLASS:
        found = f"{counted(round(fewest, 1), 'case')} in the smaller class"
        return auc, Interval.missing(METHOD, f"{found}: at least {FEWEST_IN_A_CLASS} needed")
    if math.isnan(error):
        return auc, Interval.missing(METHOD, "a fold holds a single case of a class, so its spread is unknown")
    if auc in (0.0, 1.0) or not error > 0:
        return auc, Interval.missing(METHOD, "every fold ranks perfectly or alike, so nothing varies")
    half = float(ndtri(0.5 + level / 2)) * error / (auc * (1 - auc))
    low, high = (float(expit(logit(auc) + sign * half)) for sign in (-1, 1))
    return auc, Interval(low, high, METHOD, se=error)


def cross_validated_error(folds: Sequence[ScoreTable], *, less_one: bool = False) -> tuple[float, float]:
    """The mean of the folds' AUCs and its standard error; nan where a fold lacks a class.

    The influence function of a fold's AUC is DeLong's placements, ties at half; the class shares are those of all cases
    together. `less_one` divides the spread of a class in a fold by its cases less one.
    """
    if any(min(fold.negatives, fold.positives) == 0 for fold in folds):
        return math.nan, math.nan
    n = sum(float(fold.total) for fold in folds)
    share = sum(float(fold.positives) for fold in folds) / n
    aucs, squares = zip(*(_fold_auc(fold, share, less_one) for fold in folds), strict=True)
    return float(np.mean(aucs)), math.sqrt(float(np.mean(squares)) / n)


def _fold_auc(fold: ScoreTable, share: float, less_one: bool) -> tuple[float, float]:
    """A fold's AUC and its mean squared influence."""
    of_positives, of_negatives = fold.negatives_below / fold.negatives, fold.positives_above / fold.positives
    auc = float(fold.positive @ of_positives) / float(fold.positives)
    negative, positive = fold.squared_weights
    spreads = [negative @ (of_negatives - auc) ** 2 / (1 - share) ** 2, positive @ (of_positives - auc) ** 2 / share**2]
    if less_one:
        factors = (size / (size - 1) if size > 1 else math.nan for size in fold.kish)
        spreads = [spread * factor for spread, factor in zip(spreads, factors, strict=True)]
    return auc, float(sum(spreads)) / float(fold.total)
