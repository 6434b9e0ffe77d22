"""Truth and decisions as two raters of the same cases: classes in order, or mere groups. To be asked for by name.

They stand in no default table: the weighted kappas suppose that the classes are in order, which only the user knows,
and the Rand indices forget which class is which.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from assay.evidence import ConfusionMatrix, quantiles
from assay.measures._kinds import FEWEST_FOR_MATRIX, dirichlet, function_of_matrix, too_few_cases
from assay.measures._measure import IntervalFamily, Measure, ratio
from assay.results import Interval, counted
from assay.uncertainty import FISHER, PROPORTION_METHODS, kappa_error, posterior_matrices

# Where the intervals of weighted kappas were simulated (verification/raters.py).
MOST_ORDERED_CLASSES = 10
FEWEST_ORDERED = 30
FEWEST_APART = 3
FOR_TWO_CLASSES = "its interval was checked for two classes and two decisions only"
ONE_AND_THE_SAME = "truth and decisions hold one and the same class, so chance alone agrees always"


def disagreement(matrix: ConfusionMatrix, power: int) -> NDArray[np.float64]:
    """How far apart each pair of true class and decision is, from 0 to 1; labels outside the classes are at 1.

    >>> disagreement(ConfusionMatrix(np.eye(3)), 2)
    array([[0.  , 0.25, 1.  ],
           [0.25, 0.  , 0.25],
           [1.  , 0.25, 0.  ]])
    """
    rows, columns = matrix.counts.shape[-2:]
    steps = np.abs(np.arange(rows)[:, None] - np.arange(columns)[None, :])
    apart = ratio(steps, rows - 1) ** power if power else (steps > 0).astype(np.float64)
    apart[:, rows:] = 1.0
    return np.asarray(apart, dtype=np.float64)


def kappa_intervals(power: int) -> IntervalFamily:
    """The intervals of a kappa whose disagreement grows with this power of the distance (0: all count the same)."""

    def errors(matrix: ConfusionMatrix) -> float:
        return kappa_error(matrix.effective().counts, 1 - disagreement(matrix, power))

    def fleiss(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        name = "Fleiss-Cohen-Everitt"
        error = errors(matrix)
        if not error > 0:
            return Interval.missing(name, "agreement is perfect or a cell too empty: the standard error is 0")
        value, half = float(measure(matrix)), float(ndtri(0.5 + level / 2)) * error
        return Interval(value - half, value + half, name, se=error)

    def on_z_scale(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        name = "Fleiss-Cohen-Everitt, z"

        def limits() -> Interval:
            value, error = float(measure(matrix)), errors(matrix)
            half = float(stdtrit(matrix.kish - 1, 0.5 + level / 2)) * error * FISHER.slope(value)
            low, high = (FISHER.backward(FISHER.forward(value) + sign * half) for sign in (-1, 1))
            return Interval(low, high, name, se=error)

        refusal = _ordered_refusal(matrix)
        return limits() if refusal is None else Interval.missing(name, refusal, limits)

    usual = {"Fleiss-Cohen-Everitt, z": on_z_scale} if power else {"Dirichlet": dirichlet}
    return IntervalFamily({**usual, "Fleiss-Cohen-Everitt": fleiss})


def _ordered_refusal(matrix: ConfusionMatrix) -> str | None:
    """Why a weighted kappa has no interval. The posterior of K x K cells was no help: .51 to .72 with ten classes."""
    classes, apart = len(matrix.classes), float(matrix.effective().total - matrix.effective().correct)
    if classes > MOST_ORDERED_CLASSES:
        return f"{classes} classes: above {MOST_ORDERED_CLASSES} no interval was shown to hold"
    if matrix.kish < FEWEST_ORDERED:
        return too_few_cases(matrix, FEWEST_ORDERED)
    if apart < FEWEST_APART:
        return f"{counted(round(apart), 'error')}: below {FEWEST_APART} the interval did not keep its level"
    return None


def _weighted_kappa(matrix: ConfusionMatrix, power: int) -> Any:
    apart = disagreement(matrix, power)
    rows, columns = matrix.counts.sum(-1), matrix.counts.sum(-2)
    by_chance = ((rows[..., :, None] * columns[..., None, :]) * apart).sum((-2, -1))
    return 1 - ratio(matrix.total * (matrix.counts * apart).sum((-2, -1)), by_chance)


@function_of_matrix(
    kappa_intervals(1),
    family="agreement",
    title="Linear weighted kappa",
    notation="1 - (mean distance between truth and decision) / (the same by chance)",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=ONE_AND_THE_SAME,
    aliases=("kappa_linear", "weighted_kappa", "linear_weighted_kappa"),
    reference="Cohen (1968); Cicchetti & Allison (1971); Fleiss, Cohen & Everitt (1969)",
)
def linear_kappa(matrix: ConfusionMatrix) -> Any:
    """Cohen's kappa where an error counts by how many classes it is off. Only for classes listed in their order.

    With two classes it is Cohen's kappa.

    >>> linear_kappa(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.663748
    """
    return _weighted_kappa(matrix, 1)


@function_of_matrix(
    kappa_intervals(2),
    family="agreement",
    title="Quadratic weighted kappa",
    notation="1 - (mean squared distance between truth and decision) / (the same by chance)",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=ONE_AND_THE_SAME,
    aliases=("kappa_quadratic", "quadratic_weighted_kappa", "qwk"),
    reference="Cohen (1968); Fleiss & Cohen (1973)",
)
def quadratic_kappa(matrix: ConfusionMatrix) -> Any:
    """Cohen's kappa where an error counts by the square of how many classes it is off. Only for classes in order.

    >>> quadratic_kappa(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.75842
    """
    return _weighted_kappa(matrix, 2)


def _pairs(counts: Any, squares: Any) -> Any:
    """Twice the weight of pairs of different cases within cells."""
    return np.square(counts) - squares


def _paired(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    """Twice the weight of pairs in one cell, in one class of truth, in one decision, and of all pairs."""
    counts, squares = matrix.counts, matrix.squared_weights
    cell = _pairs(counts, squares).sum((-2, -1))
    truth, decided = (_pairs(counts.sum(axis), squares.sum(axis)).sum(-1) for axis in (-1, -2))
    return cell, truth, decided, _pairs(matrix.total, squares.sum((-2, -1)))


def _of_accuracy(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    """With two classes a pair is agreed on when both cases are right or both wrong: a function of the accuracy.

    The image of Wilson's interval for the accuracy; it falls to a half where that interval holds a half.
    """
    name = "Wilson, accuracy"
    if matrix.counts.shape[-2:] != (2, 2):
        return Interval.missing(name, FOR_TWO_CLASSES)
    ends = PROPORTION_METHODS["Wilson"](float(matrix.effective().correct), matrix.kish, level)
    reached = [share * share + (1 - share) * (1 - share) for share in ends]
    return Interval(0.5 if ends[0] <= 0.5 <= ends[1] else min(reached), max(reached), name)


@function_of_matrix(
    IntervalFamily({"Wilson, accuracy": _of_accuracy}),
    family="agreement",
    is_open_in_cells=True,
    title="Rand index",
    notation="pairs of cases that truth and decisions both join or both part / all pairs",
    bounds=(0.0, 1.0),
    better="higher",
    undefined="there are fewer than two cases",
    aliases=("rand",),
    reference="Rand (1971)",
)
def rand_index(matrix: ConfusionMatrix) -> Any:
    """Share of pairs of cases that decisions join or part as truth does, whatever the groups are called.

    With two classes a classifier that is always wrong reaches 1.

    >>> rand_index(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.712658
    """
    cell, truth, decided, every = _paired(matrix)
    return 1 - ratio(truth + decided - 2 * cell, every)


def _adjusted_interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    """The posterior of the population's index, down to the least there is where truth and decisions may come to that.

    As they are joined more or less than by chance the index falls and rises again, so that all draws lie above its
    least value though the truth may be there.
    """
    name = "Dirichlet"
    if matrix.counts.shape[-2:] != (2, 2):
        return Interval.missing(name, FOR_TWO_CLASSES)

    def limits() -> Interval:
        draws, tail = posterior_matrices(matrix.effective().counts, seed), (1 - level) / 2
        # So many cases that a pair of the same case twice does not matter.
        index = measure(ConfusionMatrix(draws * 1e12, matrix.classes, matrix.decisions))
        low, high = (float(end) for end in quantiles(index, [tail, 1 - tail]))
        away, least = _from_least(draws)
        first, last = quantiles(away, [tail, 1 - tail])
        if first <= 0 <= last:
            low = min(low, float(quantiles(least, [tail])[0]))
        return Interval(low, high, name)

    return limits() if matrix.kish >= FEWEST_FOR_MATRIX else Interval.missing(name, too_few_cases(matrix), limits)


def _from_least(draws: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much more truth and decisions are joined than where the index is least for their shares, and that least."""
    truth, decided = draws.sum(-1)[..., 1], draws.sum(-2)[..., 1]
    lopsided = (1 - 2 * truth) * (1 - 2 * decided)
    same = [share * share + (1 - share) * (1 - share) for share in (truth, decided)]
    joined = draws[..., 1, 1] - truth * decided
    return joined + lopsided / 4, -ratio(np.square(lopsided) / 4, 0.5 * (same[0] + same[1]) - same[0] * same[1])


@function_of_matrix(
    IntervalFamily({"Dirichlet": _adjusted_interval}),
    family="agreement",
    is_open_in_cells=True,
    title="Adjusted Rand index",
    notation="(Rand - Rand by chance) / (1 - Rand by chance)",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined="there are fewer than two cases, or truth and decisions put all of them, or none, together",
    aliases=("adjusted_rand_index", "ari", "crand"),
    reference="Hubert & Arabie (1985)",
)
def adjusted_rand(matrix: ConfusionMatrix) -> Any:
    """The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups under any names.

    >>> adjusted_rand(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.346732
    """
    cell, truth, decided, every = _paired(matrix)
    by_chance = ratio(truth * decided, every)
    most = 0.5 * (truth + decided)
    return ratio(cell - by_chance, np.where(np.isclose(most, by_chance, rtol=1e-14, atol=0), 0.0, most - by_chance))
