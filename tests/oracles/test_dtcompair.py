"""Rates of two classifiers, each recomputed row by row from its definition in the paper that gave it.

The figures of DTComPair 1.2.2 on its own example (GPL, so it is not kept here) agreed to the digits printed when this
was written: McNemar, exact, Wald and Tango for recall and specificity, relative rates, the score and weighted score
tests and relative predictive values with their covariance, and the regression of likelihood ratios.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.oracles.foreign import columns

from assay.comparison import global_test, mcnemar_of, predictive_value_test, rate_ratio
from assay.comparison.labels import score_test
from assay.comparison.rates import RATES, rate_contrast
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import PairedDecisions
from assay.measures import registry

ROWS = columns("mcnemar_two_models")
TRUTH, FIRST, SECOND = (ROWS[name].astype(np.int64) for name in ("y_true", "pred_lr", "pred_tree"))
PAIRED = PairedDecisions.of(TRUTH, FIRST, SECOND, ("0", "1"))
Ints = NDArray[np.int64]


def generalised_score(truth: Ints, first: Ints, second: Ints) -> float:
    """Leisenring, Alonzo & Pepe (2000): a row for every call, the score of who called, clustered by case."""
    calls = [(case, z, truth[case]) for z, calls in enumerate((first, second)) for case in np.flatnonzero(calls)]
    z_mean, d_mean = (sum(call[i] for call in calls) / len(calls) for i in (1, 2))
    by_case = np.zeros(len(truth))
    for case, z, d in calls:
        by_case[case] += (z - z_mean) * (d - d_mean)
    return float(by_case.sum() ** 2 / (by_case**2).sum())


def weighted_score(truth: Ints, first: Ints, second: Ints) -> float:
    """Kosinski (2013): the squared difference over the pooled variance less what cases called by both share."""
    n1, n2 = int(first.sum()), int(second.sum())
    p1, p2 = truth[first == 1].mean(), truth[second == 1].mean()
    pooled = (n1 * p1 + n2 * p2) / (n1 + n2)
    twice = truth[(first == 1) & (second == 1)]
    shared = ((twice == 1).sum() * (1 - pooled) ** 2 + (twice == 0).sum() * pooled**2) / (n1 + n2)
    return float((p1 - p2) ** 2 / ((pooled * (1 - pooled) - 2 * shared) * (1 / n1 + 1 / n2)))


TURNED = {"precision": (TRUTH, FIRST, SECOND), "npv": (1 - TRUTH, 1 - FIRST, 1 - SECOND)}


@pytest.mark.parametrize("rate", TURNED)
def test_predictive_values(rate: str) -> None:
    score, weighted = (predictive_value_test(PAIRED, rate, form) for form in ("score", "weighted score"))
    assert score.statistic == pytest.approx(generalised_score(*TURNED[rate]), rel=1e-9)
    assert weighted.statistic == pytest.approx(weighted_score(*TURNED[rate]), rel=1e-9)
    assert score.p_value == pytest.approx(math.erfc(math.sqrt(score.statistic / 2)), rel=1e-9)


def log_ratio(rate: str, counts: NDArray[np.float64]) -> float:
    first, second = (registry[rate](ConfusionMatrix(counts.sum(axis))) for axis in (2, 1))
    return float(np.log(first / second))


def slopes(rate: str) -> NDArray[np.float64]:
    """By central differences, one cell of the table at a time."""
    step, found = 1e-4, np.zeros_like(PAIRED.counts)
    for cell in np.ndindex(found.shape):
        up, down = PAIRED.counts.copy(), PAIRED.counts.copy()
        up[cell] += step
        down[cell] -= step
        found[cell] = (log_ratio(rate, up) - log_ratio(rate, down)) / (2 * step)
    return found


@pytest.mark.parametrize("rate", RATES)
def test_ratios_follow_the_delta_method(rate: str) -> None:
    found = rate_ratio(PAIRED, rate)
    error = math.sqrt(float((PAIRED.counts * slopes(rate) ** 2).sum()))
    value = log_ratio(rate, PAIRED.counts)
    assert math.log(found.effect.value) == pytest.approx(value, abs=1e-12)
    assert found.test.statistic == pytest.approx(value / error, rel=1e-6)
    assert math.log(found.effect.high) == pytest.approx(value + 1.959963984540054 * error, rel=1e-6)
    matrices = {"first": PAIRED.first, "second": PAIRED.second}
    for side, matrix in matrices.items():
        assert getattr(found, side) == pytest.approx(float(registry[rate](matrix)))


@pytest.mark.parametrize("pair", [RATES[:2], RATES[2:4], RATES[4:]])
def test_global_tests_follow_the_delta_method(pair: tuple[str, str]) -> None:
    rows = np.stack([slopes(rate).ravel() for rate in pair])
    covariance = (rows * PAIRED.counts.ravel()) @ rows.T
    logs = np.array([log_ratio(rate, PAIRED.counts) for rate in pair])
    assert global_test(PAIRED, pair).statistic == pytest.approx(
        float(logs @ np.linalg.inv(covariance) @ logs), rel=1e-6
    )


@pytest.mark.parametrize(("rate", "positive"), [("recall", 1), ("specificity", 0)])
def test_rates_of_one_class_are_the_score_test_within_it(rate: str, positive: int) -> None:
    inside, first, second = (labels == positive for labels in (TRUTH, FIRST, SECOND))
    b, c = int((first & ~second)[inside].sum()), int((second & ~first)[inside].sum())
    test, interval = score_test(b, c, int(inside.sum()))
    found = rate_contrast(PAIRED, rate)
    assert found.test == test
    assert (found.effect.low, found.effect.high) == (interval.low, interval.high)
    assert mcnemar_of(PAIRED.correctness(within=positive), "uncorrected").p_value == pytest.approx(test.p_value)
