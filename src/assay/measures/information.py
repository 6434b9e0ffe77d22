"""Errors and information of probabilities as WEKA reports them, each against a prior that saw no case.

WEKA prints the relative ones, the coverage and the region size as percentages; here they are shares.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.evidence import ConfusionMatrix
from assay.evidence.probability_losses import ErrorSums
from assay.measures.measure import Direction, IntervalFamily, Measure, evidence_of, ratio

NO_PROBABILITY = "no case was given a probability"
NO_PRIOR_ERROR = "no case was given a probability, or the prior makes no error"
WEKA = "Witten, Frank & Hall (2011), section 5.8"
KB = "Kononenko & Bratko (1991)"


UNSIMULATED = IntervalFamily.none(
    "no interval was simulated for it",
    "nothing: it has none; the prior is that of the other folds or, without folds, of these same cases",
)


def _error_sum_measure(
    title: str,
    notation: str,
    *,
    better: Direction = "lower",
    bounds: tuple[float, float] = (0.0, math.inf),
    undefined: str = NO_PROBABILITY,
    reference: str = WEKA,
    aliases: tuple[str, ...] = (),
    is_open_in_cells: bool = False,
) -> Callable[[Callable[[ErrorSums], Any]], Measure]:
    def make(formula: Callable[[ErrorSums], Any]) -> Measure:
        return Measure(
            name=formula.__name__,
            title=title,
            formula=formula,
            needs=evidence_of(formula),
            family="errors beside a prior",
            notation=notation,
            bounds=bounds,
            better=better,
            undefined=undefined,
            intervals=UNSIMULATED,
            aliases=aliases,
            reference=reference,
            needs_probability=True,
            is_open_in_cells=is_open_in_cells,
        )

    return make


@_error_sum_measure(
    "Mean absolute error", "mean of |p - y| over cases and classes", bounds=(0.0, 1.0), aliases=("mae",)
)
def mean_absolute_error(sums: ErrorSums) -> Any:
    """How far the probabilities lie from 0 and 1 on average, over all classes. It rewards overstated confidence.

    >>> given = np.array([[0.8, 0.2], [0.5, 0.5]])
    >>> mean_absolute_error(ErrorSums.of(np.array([0, 1]), given, priors=np.full(2, 0.5)))
    0.35
    """
    return ratio(sums.absolute, sums.classified)


@_error_sum_measure("Root mean squared error", "sqrt(mean of (p - y)^2)", bounds=(0.0, 1.0), aliases=("rmse",))
def root_mean_squared_error(sums: ErrorSums) -> Any:
    """Square root of the mean squared distance of the probabilities from 0 and 1, over all classes."""
    return np.sqrt(ratio(sums.squared, sums.classified))


@_error_sum_measure("Relative absolute error", "MAE / MAE of the prior", undefined=NO_PRIOR_ERROR, aliases=("rae",))
def relative_absolute_error(sums: ErrorSums) -> Any:
    """Mean absolute error as a share of what the class shares of the training data would make: 1 is no better."""
    return ratio(sums.absolute, sums.prior_absolute)


@_error_sum_measure(
    "Root relative squared error", "RMSE / RMSE of the prior", undefined=NO_PRIOR_ERROR, aliases=("rrse",)
)
def root_relative_squared_error(sums: ErrorSums) -> Any:
    """Root mean squared error as a share of what the class shares of the training data would make: 1 is no better."""
    return np.sqrt(ratio(sums.squared, sums.prior_squared))


def _mean_bits(sums: ErrorSums, bits: float) -> float:
    return bits if sums.classified else math.nan


REAL = (-math.inf, math.inf)


@_error_sum_measure(
    "K&B information",
    "sum of log2(p / prior), or -log2((1 - p) / (1 - prior)) where p < prior",
    better="higher",
    bounds=REAL,
    reference=KB,
)
def kb_information(sums: ErrorSums) -> Any:
    """Bits that the probabilities of the true classes gain over their priors, those lost subtracted, in all.

    >>> given = np.array([[0.8, 0.2], [0.5, 0.5]])
    >>> kb_information(ErrorSums.of(np.array([0, 1]), given, priors=np.full(2, 0.5))).round(4).item()
    0.6781
    """
    return np.float64(_mean_bits(sums, sums.information))


@_error_sum_measure("K&B information per case", "K&B information / n", better="higher", bounds=REAL, reference=KB)
def kb_mean_information(sums: ErrorSums) -> Any:
    """Bits that the probability of the true class gains over its prior, on average."""
    return ratio(sums.information, sums.classified)


@_error_sum_measure(
    "K&B relative information",
    "K&B information / prior bits",
    better="higher",
    bounds=REAL,
    undefined=NO_PRIOR_ERROR,
    reference=f"{KB}, over the bits of the test cases as WEKA 3.8 has it",
)
def kb_relative_information(sums: ErrorSums) -> Any:
    """Bits gained over the priors as a share of all there were to gain: 1 is certainty about every true class."""
    return ratio(sums.information, sums.prior_bits)


@_error_sum_measure("Prior complexity", "sum of -log2 prior", better="neither")
def sf_prior_entropy(sums: ErrorSums) -> Any:
    """Bits needed to encode the true classes, given the class shares of the training data alone."""
    return np.float64(_mean_bits(sums, sums.prior_bits))


@_error_sum_measure("Prior complexity per case", "mean of -log2 prior", better="neither")
def sf_mean_prior_entropy(sums: ErrorSums) -> Any:
    """Bits needed on average to say a true class to someone who knows the class shares of the training data alone."""
    return ratio(sums.prior_bits, sums.classified)


@_error_sum_measure("Scheme complexity", "sum of -log2 p")
def sf_scheme_entropy(sums: ErrorSums) -> Any:
    """Bits needed to encode the true classes, given the probabilities; each true class of probability 0 costs 1,074."""
    return np.float64(_mean_bits(sums, sums.scheme_bits))


@_error_sum_measure("Scheme complexity per case", "mean of -log2 p")
def sf_mean_scheme_entropy(sums: ErrorSums) -> Any:
    """Bits needed on average to say a true class to someone who knows the probabilities: log loss in bits."""
    return ratio(sums.scheme_bits, sums.classified)


@_error_sum_measure("Complexity improvement", "prior bits - scheme bits", better="higher", bounds=REAL)
def sf_entropy_gain(sums: ErrorSums) -> Any:
    """Bits that the probabilities save, in all, over knowing the class shares of the training data alone."""
    return np.float64(_mean_bits(sums, sums.prior_bits - sums.scheme_bits))


@_error_sum_measure("Complexity improvement per case", "(prior bits - scheme bits) / n", better="higher", bounds=REAL)
def sf_mean_entropy_gain(sums: ErrorSums) -> Any:
    """Bits that the probabilities save, on average, over knowing the class shares of the training data alone."""
    return ratio(sums.prior_bits - sums.scheme_bits, sums.classified)


@_error_sum_measure(
    "Coverage of cases (0.95 level)",
    "share of cases whose class is in their region",
    better="higher",
    bounds=(0.0, 1.0),
)
def region_coverage(sums: ErrorSums) -> Any:
    """Share of cases whose class is among the most probable ones that together reach 0.95."""
    return ratio(sums.covered, sums.total)


@_error_sum_measure(
    "Mean rel. region size (0.95 level)",
    "mean share of classes in a region",
    bounds=(0.0, 1.0),
    is_open_in_cells=True,
)
def region_size(sums: ErrorSums) -> Any:
    """Share of the classes that it takes, on average, for the most probable ones to reach 0.95 together."""
    return ratio(sums.regions, sums.total)


def total_cost(matrix: ConfusionMatrix, costs: ArrayLike) -> Any:
    """What the decisions cost in all; `costs` has a row for each true class. No decision costs the worst there is.

    >>> total_cost(ConfusionMatrix.binary(tp=37, fn=48, fp=33, tn=168), [[0, 1], [4, 0]]).item()
    225.0
    """
    table = np.asarray(costs, dtype=np.float64)
    others = matrix.counts.shape[-1] - table.shape[-1]
    worst = np.repeat(table.max(-1, keepdims=True), others, axis=-1)
    return (matrix.counts * np.concatenate((table, worst), axis=-1)).sum((-2, -1))


def mean_cost(matrix: ConfusionMatrix, costs: ArrayLike) -> Any:
    """What a case costs on average.

    >>> mean_cost(ConfusionMatrix.binary(tp=37, fn=48, fp=33, tn=168), [[0, 1], [4, 0]]).round(4).item()
    0.7867
    """
    return ratio(total_cost(matrix, costs), matrix.total)


# All of these, in WEKA's order.
ERROR_MEASURES: tuple[Measure, ...] = (
    kb_relative_information,
    kb_information,
    kb_mean_information,
    sf_prior_entropy,
    sf_mean_prior_entropy,
    sf_scheme_entropy,
    sf_mean_scheme_entropy,
    sf_entropy_gain,
    sf_mean_entropy_gain,
    mean_absolute_error,
    root_mean_squared_error,
    relative_absolute_error,
    root_relative_squared_error,
    region_coverage,
    region_size,
)
