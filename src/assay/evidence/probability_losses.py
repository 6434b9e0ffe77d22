"""Error sums: what a probability for every class misses the truth by, beside what a prior that saw no case would.

These are the sums behind WEKA's error and information statistics. How many cases are right or wrong, and what they
cost, a confusion matrix already knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.evidence._kernels import tabulate_pairs
from assay.evidence.confusion import OTHER_CLASSES
from assay.types import Floats

# The probability a predicted region holds: the most probable classes until together they reach it.
REGION_LEVEL = 0.95
# The smallest positive double: a probability of zero costs its 1,074 bits, not infinitely many.
SMALLEST = 5e-324
# Rows are worked through in pieces of about so many numbers, so that no second copy of them all is made.
NUMBERS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class ErrorSums:
    """Weighted sums over cases of the errors of their probabilities and of their priors; they add.

    Errors are means over the classes: `absolute` sums |p - y| / K, `squared` (p - y)^2 / K, `prior_absolute` and
    `prior_squared` the same of the priors. `scheme_bits` and `prior_bits` are -log2 of what was given to the true
    class. `information` is what Kononenko and Bratko credit: bits gained where the true class was given at least its
    prior, bits lost where less. `covered` counts cases whose class is in their region, `regions` the shares of classes
    in it. A case with no probability at all is `unclassified` and in no other sum but `total`.

    >>> truth, given, even = np.array([0, 1]), np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([0.5, 0.5])
    >>> sums = ErrorSums.of(truth, given, priors=even)
    >>> sums.absolute, round(sums.squared, 3), round(sums.information, 3)
    (0.7, 0.29, 0.678)
    >>> sums + sums == ErrorSums.of(np.tile(truth, 2), np.tile(given, (2, 1)), priors=even)
    True
    """

    classes: int
    total: float = 0.0
    unclassified: float = 0.0
    absolute: float = 0.0
    squared: float = 0.0
    prior_absolute: float = 0.0
    prior_squared: float = 0.0
    information: float = 0.0
    scheme_bits: float = 0.0
    prior_bits: float = 0.0
    covered: float = 0.0
    regions: float = 0.0
    # The same at the ends of what the scores could be, where those are in cells.
    ends: tuple[ErrorSums, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    # Sums do not know which rows belong together, as other evidence may.
    clusters: ClassVar[None] = None

    @classmethod
    def of(
        cls, truth: NDArray[np.integer], probability: Floats, *, priors: Floats, weight: Floats | None = None
    ) -> ErrorSums:
        """The sums of class codes and a probability for each class; `priors` is one for all, or a row a case.

        >>> ErrorSums.of(np.array([1]), np.zeros((1, 2)), priors=np.full(2, 0.5)).unclassified
        1.0
        """
        cases, classes = probability.shape
        weights = np.ones(cases) if weight is None else weight
        rows = np.broadcast_to(priors, probability.shape)
        sums = cls(classes)
        step = max(NUMBERS_AT_ONCE // classes, 1)
        for start in range(0, cases, step):
            piece = slice(start, start + step)
            sums += _error_sums(truth[piece], probability[piece], rows[piece], weights[piece])
        return sums

    def __add__(self, other: ErrorSums) -> ErrorSums:
        if self.classes != other.classes:
            raise OptionError(*OTHER_CLASSES)
        return ErrorSums(self.classes, *(getattr(self, name) + getattr(other, name) for name in SUMS))

    @property
    def classified(self) -> float:
        """Weight of the cases that were given probabilities."""
        return self.total - self.unclassified


SUMS = tuple(each.name for each in fields(ErrorSums) if each.name not in ("classes", "ends"))


def laplace_priors(
    truth: NDArray[np.integer],
    classes: int,
    *,
    fold: NDArray[np.integer] | None = None,
    weight: Floats | None = None,
) -> Floats:
    """For each case the class shares a classifier that saw no attribute would answer, one case added to each class.

    With folds they are the shares outside the case's own fold, which its classifier was trained on. Without, they can
    only be those of the cases themselves.

    >>> laplace_priors(np.array([0, 0, 1]), 2)
    array([[0.6, 0.4],
           [0.6, 0.4],
           [0.6, 0.4]])
    >>> laplace_priors(np.array([0, 0, 1]), 2, fold=np.array([0, 1, 1]))[:2]
    array([[0.5       , 0.5       ],
           [0.66666667, 0.33333333]])
    """
    sizes = np.bincount(truth, weight, minlength=classes).astype(np.float64)
    if fold is None or (fold == fold[0]).all():
        return np.broadcast_to((sizes + 1) / (sizes.sum() + classes), (len(truth), classes))
    names, codes = np.unique(fold, return_inverse=True)
    trained = sizes - tabulate_pairs(codes, truth, len(names), classes, weight)
    shares = (trained + 1) / (trained.sum(1, keepdims=True) + classes)
    return np.asarray(shares[codes])


def _error_sums(truth: NDArray[np.integer], probability: Floats, priors: Floats, weight: Floats) -> ErrorSums:
    is_given = (probability > 0).any(1)
    total, unclassified = float(weight.sum()), float(weight[~is_given].sum())
    truth, probability, priors, weight = truth[is_given], probability[is_given], priors[is_given], weight[is_given]
    classes = probability.shape[1]
    own = np.arange(len(truth)), truth
    given, prior = (np.maximum(rows[own], SMALLEST) for rows in (probability, priors))
    given_bits, prior_bits = -np.log2(given), -np.log2(prior)
    covered, regions = _region_coverage_and_size(truth, probability)
    errors = []
    for rows in (probability, priors):
        missed = rows.copy()
        missed[own] -= 1
        errors += [np.abs(missed).sum(1) / classes, np.square(missed).sum(1) / classes]
    per_case = (*errors, _information_gain(given, prior), given_bits, prior_bits, covered, regions / classes)
    return ErrorSums(classes, total, unclassified, *(float(weight @ values) for values in per_case))


def _information_gain(given: Floats, prior: Floats) -> Floats:
    """Bits gained where the true class was given at least its prior, else those lost for all other classes."""
    is_gain = given >= prior
    # Each side is only looked at where it applies; 1/2 keeps the logarithms of the other one finite.
    lost = np.log2(np.where(is_gain, 0.5, 1 - given)) - np.log2(np.where(is_gain, 0.5, 1 - prior))
    return np.asarray(np.where(is_gain, np.log2(given) - np.log2(prior), -lost))


def _region_coverage_and_size(truth: NDArray[np.integer], probability: Floats) -> tuple[Floats, Floats]:
    """Whether the true class is in the case's region, and how many classes are; the last of equal ones comes first."""
    order = np.argsort(probability, axis=1, kind="stable")[:, ::-1]
    held = np.cumsum(np.take_along_axis(probability, order, 1), axis=1)
    is_in = np.concatenate((np.ones((len(truth), 1), dtype=np.bool_), held[:, :-1] < REGION_LEVEL), axis=1)
    covered = (is_in & (order == truth[:, None])).any(1)
    return covered.astype(np.float64), is_in.sum(1).astype(np.float64)
