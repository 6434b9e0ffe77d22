"""Agreement: one number for a whole confusion matrix, weighing its classes or correcting for chance.

Truth and decisions as two raters of the same cases: classes in order, or mere groups. To be asked for by name.

They stand in no default table: the weighted kappas suppose that the classes are in order, which only the user knows,
and the Rand indices forget which class is which.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from assay.evidence import ConfusionMatrix, quantiles
from assay.measures.interval_methods import each_cluster
from assay.measures.kinds import FEWEST_FOR_MATRIX, dirichlet, function_of_matrix, kish_note, proportion, too_few_cases
from assay.measures.measure import IntervalFamily, IntervalMethod, Measure, named, ratio, root, spelt
from assay.request import checked_positive
from assay.results import Interval, counted
from assay.uncertainty import FISHER, PROPORTION_METHODS, between_shares, f_limits, kappa_error, posterior_matrices

# Where the intervals of weighted kappas were simulated (verification/raters.py).
MOST_ORDERED_CLASSES = 10
FEWEST_ORDERED = 30
FEWEST_APART = 3
FOR_TWO_CLASSES = "its interval was checked for two classes and two decisions only"
ONE_AND_THE_SAME = "all true labels and predictions are of the same class, so that chance agreement is 1"


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
        return f"{classes} classes: above {MOST_ORDERED_CLASSES} no interval was validated"
    if matrix.kish < FEWEST_ORDERED:
        return too_few_cases(matrix, FEWEST_ORDERED)
    if apart < FEWEST_APART:
        return f"{counted(round(apart), 'error')}: at least {FEWEST_APART} needed"
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
    notation="1 - (mean distance between true and predicted label) / (the same by chance)",
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
    notation="1 - (mean squared distance between true and predicted label) / (the same by chance)",
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


def _pairs_within(counts: Any, squares: Any) -> Any:
    """Twice the weight of pairs of different cases within cells."""
    return np.square(counts) - squares


def _pair_weights(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    """Twice the weight of pairs in one cell, in one class of truth, in one decision, and of all pairs."""
    counts, squares = matrix.counts, matrix.squared_weights
    cell = _pairs_within(counts, squares).sum((-2, -1))
    truth, decided = (_pairs_within(counts.sum(axis), squares.sum(axis)).sum(-1) for axis in (-1, -2))
    return cell, truth, decided, _pairs_within(matrix.total, squares.sum((-2, -1)))


def _interval_from_accuracy(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
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
    IntervalFamily({"Wilson, accuracy": _interval_from_accuracy}),
    family="agreement",
    is_open_in_cells=True,
    title="Rand index",
    notation="pairs of cases that true and predicted labels both join or both separate / all pairs",
    bounds=(0.0, 1.0),
    better="higher",
    undefined="there are fewer than two cases",
    aliases=("rand",),
    reference="Rand (1971)",
)
def rand_index(matrix: ConfusionMatrix) -> Any:
    """Share of pairs of cases on which predicted and true labels agree about being in one class, whatever its name.

    With two classes a classifier that is always wrong reaches 1.

    >>> rand_index(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.712658
    """
    cell, truth, decided, every = _pair_weights(matrix)
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
        away, least = _index_draws(draws)
        first, last = quantiles(away, [tail, 1 - tail])
        if first <= 0 <= last:
            low = min(low, float(quantiles(least, [tail])[0]))
        return Interval(low, high, name)

    return limits() if matrix.kish >= FEWEST_FOR_MATRIX else Interval.missing(name, too_few_cases(matrix), limits)


def _index_draws(draws: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
    undefined="there are fewer than two cases, or the true and the predicted labels join all of them, or none",
    aliases=("adjusted_rand_index", "ari", "crand"),
    reference="Hubert & Arabie (1985)",
)
def adjusted_rand(matrix: ConfusionMatrix) -> Any:
    """The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups under any names.

    >>> adjusted_rand(ConfusionMatrix(np.array([[20, 5, 1], [4, 15, 6], [0, 7, 22]]))).round(6).item()
    0.346732
    """
    cell, truth, decided, every = _pair_weights(matrix)
    by_chance = ratio(truth * decided, every)
    most = 0.5 * (truth + decided)
    return ratio(cell - by_chance, np.where(np.isclose(most, by_chance, rtol=1e-14, atol=0), 0.0, most - by_chance))


A_CLASS_IS_MISSING = "a class has no true label"
NOTHING_POSITIVE = "no case is positive or predicted positive"


# Between these the default interval of F was simulated.
SIMULATED = (0.5, 2.0)
NOT_SIMULATED = (
    "the interval was simulated for a beta from {:g} to {:g}; name a method to have one all the same".format(*SIMULATED)
)


def f_beta(beta: float, name: str | None = None) -> Measure:
    """The F measure that holds recall `beta` times as important as precision.

    >>> f_beta(1)(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).round(6).item()
    0.339623
    >>> f_beta(1).estimate(ConfusionMatrix.binary(tp=0, fn=0, fp=0, tn=5))
    undefined: no case is positive or predicted positive
    """
    beta = checked_positive(beta, "beta")
    weight = beta * beta

    def weighed(matrix: ConfusionMatrix) -> tuple[Any, Any]:
        hits = (1 + weight) * matrix.tp
        return hits, hits + weight * matrix.fn + matrix.fp

    def formula(matrix: ConfusionMatrix) -> Any:
        part, whole = weighed(matrix)
        return ratio(part, whole)

    def jaccard_wilson(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        return _f_interval(matrix, weight, level)

    methods: dict[str, IntervalMethod] = {"Wilson, Jaccard": jaccard_wilson, "Dirichlet": dirichlet}
    if not SIMULATED[0] <= beta <= SIMULATED[1]:
        methods = {**IntervalFamily.none(NOT_SIMULATED).methods, **methods}
    times = "equally important" if beta == 1 else f"{beta:g} times as important"
    doc = f"Harmonic mean of precision and recall, with recall held {times}. It ignores the true negatives."
    named(formula, name or spelt("f_beta", beta), doc, __name__)
    return function_of_matrix(
        IntervalFamily(methods),
        family="agreement",
        title=f"F{beta:g}",
        notation="2 TP / (2 TP + FP + FN)"
        if beta == 1
        else f"{1 + weight:g} TP / ({1 + weight:g} TP + {weight:g} FN + FP)",
        bounds=(0.0, 1.0),
        better="higher",
        undefined=NOTHING_POSITIVE,
        of_one_class=True,
        aliases=_f_aliases(beta) if name else (),
        reference="van Rijsbergen (1979); Chinchor (1992)",
        parts=lambda matrix: (matrix.tp, matrix.tp + matrix.fn + matrix.fp),
        clustered=lambda matrix: between_shares(*weighed(each_cluster(matrix)), matrix.clusters.sum(-1)),
        best_constant="positive",
        from_sample="new" if beta == 1 else None,
        made_by=(f_beta, (beta, name)),
    )(formula)


def _f_aliases(beta: float) -> tuple[str, ...]:
    return (f"f{beta:g}", f"f{beta:g}_score", f"f_{beta:g}") + (("dice", "f_measure") if beta == 1 else ())


def _f_interval(matrix: ConfusionMatrix, weight: float, level: float) -> Interval:
    """Wilson's interval for the share of hits among hits and errors, carried over to F."""
    few = too_few_cases(matrix) if matrix.kish < FEWEST_FOR_MATRIX else None
    limits = partial(_f_limits, matrix, weight, level)
    return limits() if few is None else Interval.missing("Wilson, Jaccard", few, limits)


def _f_limits(matrix: ConfusionMatrix, weight: float, level: float) -> Interval:
    squares = ConfusionMatrix(matrix.squared_weights)
    cells, squared = ((float(each.tp), float(each.fn), float(each.fp)) for each in (matrix, squares))
    limits = f_limits(cells, squared, weight, level)
    if limits is None:
        return Interval.missing("Wilson, Jaccard", "no case is positive or predicted positive")
    return Interval(*limits, "Wilson, Jaccard" + kish_note(matrix))


f1 = f_beta(1, "f1")
f2 = f_beta(2, "f2")
f05 = f_beta(0.5, "f05")


@proportion(
    family="agreement",
    title="Jaccard index",
    notation="TP / (TP + FP + FN)",
    better="higher",
    undefined=NOTHING_POSITIVE,
    of_one_class=True,
    aliases=("threat_score", "critical_success_index", "csi", "intersection_over_union", "iou"),
    reference="Jaccard (1901); Gilbert (1884)",
    from_sample="new",
)
def jaccard(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """True positives among all cases that are positive or predicted positive: F1 / (2 - F1). It ignores true negatives.

    >>> jaccard(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.827434
    """
    return matrix.tp, matrix.tp + matrix.fn + matrix.fp


@function_of_matrix(
    family="agreement",
    title="G-measure",
    notation="sqrt(precision * recall)",
    bounds=(0.0, 1.0),
    better="higher",
    undefined="no true label is positive, or nothing was predicted positive",
    of_one_class=True,
    aliases=("fowlkes_mallows", "gpr", "cosine_similarity"),
    reference="Fowlkes & Mallows (1983), who apply it to pairs of cases",
)
def g_measure(matrix: ConfusionMatrix) -> Any:
    """Geometric mean of precision and recall.

    >>> g_measure(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.90589
    """
    return ratio(matrix.tp, root(matrix.tp + matrix.fp) * root(matrix.positives))


@function_of_matrix(
    family="agreement",
    title="Balanced accuracy",
    is_watched=True,
    notation="mean recall of the classes",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("bacc", "mean_recall", "point_auc", "hard_auc"),
    reference="Brodersen et al. (2010)",
    of_each_class=True,
    from_sample="rows",
)
def balanced_accuracy(matrix: ConfusionMatrix) -> Any:
    """Mean of the classes' recalls: the accuracy if all classes were equally common.

    With two classes it is also the area under the ROC curve of these decisions alone, which has one point.

    >>> balanced_accuracy(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.745925
    """
    return _mean_recall(matrix)


@function_of_matrix(
    family="agreement",
    title="Averaged class error",
    notation="1 - balanced accuracy",
    bounds=(0.0, 1.0),
    better="lower",
    undefined=A_CLASS_IS_MISSING,
    aliases=("balanced_error", "balanced_error_rate"),
    of_each_class=True,
    from_sample="rows",
)
def averaged_class_error(matrix: ConfusionMatrix) -> Any:
    """Mean over the classes of the share of each that was given another class.

    >>> averaged_class_error(ConfusionMatrix.binary(tp=5, fn=5, fp=6, tn=38)).round(6).item()
    0.318182
    """
    return 1 - _mean_recall(matrix)


@function_of_matrix(
    family="agreement",
    title="G-mean",
    notation="(product of the recalls of the K classes) ** (1 / K)",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("geometric_mean", "gmean"),
    reference="Kubat & Matwin (1997)",
    of_each_class=True,
)
def g_mean(matrix: ConfusionMatrix) -> Any:
    """Geometric mean of the classes' recalls: zero as soon as one class is always missed.

    >>> g_mean(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.729066
    """
    if len(matrix.classes) == 2:
        return root(ratio(matrix.tn, matrix.negatives) * ratio(matrix.tp, matrix.positives))
    recalls = _recalls(matrix)
    return np.prod(recalls, axis=-1) ** (1 / recalls.shape[-1])


def chance_matrix(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """What the counts would be if decisions were drawn with the same frequencies but regardless of the truth.

    >>> chance_matrix(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).counts
    array([[ 3.06, 13.94],
           [14.94, 68.06]])
    """
    rows, columns = matrix.counts.sum(-1)[..., :, None], matrix.counts.sum(-2)[..., None, :]
    return ConfusionMatrix(ratio(rows * columns, matrix.total[..., None, None]), matrix.classes, matrix.decisions)


@function_of_matrix(
    kappa_intervals(0),
    family="agreement",
    title="Cohen's kappa",
    is_watched=True,
    notation="(p_o - p_c) / (1 - p_c), p_c from the chance matrix",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined="all true labels and predictions are of the same class, so that chance agreement is 1",
    aliases=("cohen_kappa", "kap"),
    weighs_by_size=True,
    reference="Cohen (1960); Fleiss, Cohen & Everitt (1969)",
    from_sample="rows",
)
def kappa(matrix: ConfusionMatrix) -> Any:
    """Agreement beyond chance as a share of the largest possible: 0 at chance, 1 if perfect.

    >>> kappa(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.480609
    """
    return ratio(_covariance(matrix), matrix.left_open)


@function_of_matrix(
    family="agreement",
    title="Matthews correlation",
    notation="(TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined="all true labels or all predictions are of one class",
    aliases=("matthews_corrcoef", "phi"),
    weighs_by_size=True,
    reference="Matthews (1975); Gorodkin (2004) for more than two classes",
    from_sample="rows",
)
def mcc(matrix: ConfusionMatrix) -> Any:
    """Correlation between true and predicted class, for any number of classes.

    >>> mcc(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.480898
    """
    of_truth, of_decisions = matrix.spreads
    return ratio(_covariance(matrix), root(of_truth * of_decisions))


@function_of_matrix(
    family="agreement",
    title="Informedness",
    notation="recall + specificity - 1",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    of_one_class=True,
    aliases=("youden_j", "youden", "j_index", "bookmaker_informedness"),
    reference="Youden (1950); Powers (2011)",
    of_each_class=True,
    from_sample="rows",
)
def informedness(matrix: ConfusionMatrix) -> Any:
    """Recall plus specificity minus one (TPR - FPR); 0 for a random classifier and every constant answer.

    >>> informedness(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.84286
    """
    return ratio(matrix.tp, matrix.positives) + ratio(matrix.tn, matrix.negatives) - 1


@function_of_matrix(
    family="agreement",
    title="Markedness",
    notation="precision + negative predictive value - 1",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined="nothing was predicted positive, or nothing negative",
    of_one_class=True,
    aliases=("delta_p",),
    reference="Powers (2011)",
)
def markedness(matrix: ConfusionMatrix) -> Any:
    """Precision plus negative predictive value minus one: how much a call says about the truth, 0 if nothing.

    >>> markedness(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.862413
    """
    return ratio(matrix.tp, matrix.tp + matrix.fp) + ratio(matrix.tn, matrix.tn + matrix.missed) - 1


def _covariance(matrix: ConfusionMatrix) -> Any:
    """Correct answers beyond chance, times n squared.

    Equal to n * correct - sum(actual * predicted), but as differences of products of small numbers: with a handful of
    positives among a billion cases the other form loses every digit.
    """
    if len(matrix.decisions) == 2:
        # Both classes say the same: nothing need be built for either.
        return 2.0 * (matrix.tp * matrix.tn - matrix.fn * matrix.fp)
    each = matrix.one_vs_rest()
    return (each.tp * each.tn - each.fn * each.fp).sum(-1)


def _recalls(matrix: ConfusionMatrix) -> Any:
    return ratio(np.diagonal(matrix.counts, axis1=-2, axis2=-1), matrix.actual)


def _mean_recall(matrix: ConfusionMatrix) -> Any:
    if len(matrix.classes) == 2:
        return (ratio(matrix.tn, matrix.negatives) + ratio(matrix.tp, matrix.positives)) / 2
    return _recalls(matrix).mean(-1)
