"""Comparing losses case by case: Brier scores, log losses, or any other mean of what each case costs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from assay.comparison.adjustment import Difference
from assay.comparison.joint import Joint
from assay.comparison.paired_influence import Rows, joint_influence
from assay.comparison.small_sample_limits import with_pseudo_errors_of_either
from assay.evidence import JointLosses
from assay.results import TestResult, counted
from assay.types import Floats

# With fewer cases than this the t test of a loss difference did not keep its level (docs/verification/score_tests.md).
FEWEST_CASES = 20
# As in the measure: the distance from 1 to the next double.
SMALLEST = float(np.finfo(np.float64).eps)


def brier_losses(probability: ArrayLike, is_positive: ArrayLike) -> Floats:
    """The squared distance between each probability and what happened.

    >>> brier_losses([0.1, 0.8], [0, 1]).round(2).tolist()
    [0.01, 0.04]
    """
    return np.square(np.asarray(probability, dtype=np.float64) - np.asarray(is_positive, dtype=np.bool_))


def joint_losses(
    losses: dict[str, Floats],
    rows: Rows | None = None,
    *,
    measure: str = "loss",
    distribution: Literal["t", "normal"] = "t",
) -> Joint:
    """Mean losses of several classifiers on the same cases, and how they vary together; nothing else is supposed.

    >>> joint_losses({"a": np.array([0.1, 0.2] * 15), "b": np.array([0.2, 0.4] * 15)}).difference(0, 1)
    a - b: -0.150 [-0.169, -0.131], p < 0.001 (paired t)
    """
    given = np.stack(list(losses.values()))
    kept = ~np.isnan(given)
    rows = rows or Rows(np.zeros(given.shape[1], dtype=np.bool_))
    weight = kept * (rows.each * rows.times)
    filled = np.where(kept, given, 0.0)
    values = (filled * weight).sum(1) / weight.sum(1)
    moved = np.where(kept, filled - values[:, None], 0.0)
    cases = float(np.diag(rows.kish(kept)).min())
    few = f"{counted(round(cases), 'case')}: at least {FEWEST_CASES} needed"
    return joint_influence(
        measure,
        tuple(losses),
        values,
        moved,
        rows,
        kept,
        method=f"paired {distribution}",
        freedom=cases - 1 if distribution == "t" else math.inf,
        refusal=few if cases < FEWEST_CASES else None,
    )


def joint_mean_losses(
    measure: str,
    losses: JointLosses,
    n: float,
    *,
    is_normal: bool = False,
    refusal: str | None = None,
    moves: Floats | None = None,
) -> Joint:
    """The same from sums over the cases, without their losses one by one; `moves` as `joint_influence` takes them.

    >>> losses = JointLosses.of([[0.1, 0.2] * 15, [0.2, 0.4] * 15], ("a", "b"))
    >>> joint_mean_losses("loss", losses, 30).difference(0, 1)
    a - b: -0.150 [-0.169, -0.131], p < 0.001 (paired t)
    """
    values, covariance, cases = losses.means, losses.covariance, losses.kish
    careful = None
    if moves is not None:
        careful = with_pseudo_errors_of_either(values, covariance, np.full_like(covariance, cases), moves)
    how, freedom = ("paired normal", math.inf) if is_normal else ("paired t", cases - 1)
    return Joint(measure, losses.names, values, covariance, n, how, freedom, refusal=refusal, careful=careful)


def paired_loss_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    distribution: Literal["t", "normal"] = "t",
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
) -> Difference:
    """The difference of two mean losses on the same independent cases: the paired t test (Diebold & Mariano 1995).

    Losses that are the same on every case give p = 1.

    >>> truth = [0, 1, 1, 0, 1] * 10
    >>> one, two = [0.2, 0.7, 0.8, 0.4, 0.6] * 10, [0.3, 0.7, 0.6, 0.4, 0.5] * 10
    >>> paired_loss_test(brier_losses(one, truth), brier_losses(two, truth))
    first - second: -0.052 [-0.066, -0.038], p < 0.001 (paired t)
    """
    losses = {name: np.asarray(values, dtype=np.float64) for name, values in zip("ab", (first, second), strict=True)}
    found = joint_losses(losses, distribution=distribution).difference(0, 1, level)
    return replace(found, first=names[0], second=names[1])


def redelmeier(first: ArrayLike, second: ArrayLike, is_positive: ArrayLike) -> TestResult:
    """Redelmeier, Bloch & Hickam's (1991) test that two probability forecasts have the same expected Brier score.

    It supposes that the true probability of each case is the mean of the two forecasts, so a forecast that is biased
    makes it reject too often or too seldom; the paired t test supposes nothing of the kind.

    >>> redelmeier([0.2, 0.7, 0.8, 0.4], [0.3, 0.7, 0.6, 0.4], [0, 1, 1, 0]).p_value.__round__(4)
    0.4017
    """
    p, q = (np.asarray(values, dtype=np.float64) for values in (first, second))
    d = np.asarray(is_positive, dtype=np.bool_)
    between = (p + q) / 2
    variance = float(4 * ((p - q) ** 2 * between * (1 - between)).sum())
    total = float(((p - q) * (p + q - 2 * d)).sum())
    name, null = "Redelmeier", "both forecasts have the same expected Brier score"
    method = "normal, if the true probabilities are the means of the two forecasts"
    if variance > 0:
        z = total / math.sqrt(variance)
        return TestResult(name, null, z, 2 * float(ndtr(-abs(z))), method)
    if np.array_equal(p, q):
        return TestResult(name, null, 0.0, 1.0, method)
    why = "the forecasts differ only where their mean is 0 or 1, which leaves no variance"
    return TestResult(name, null, math.nan, math.nan, method, why)
