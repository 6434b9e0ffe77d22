"""WEKA's error and information statistics, asked of an evaluation by name."""

from __future__ import annotations

import math

import numpy as np
import pytest

import assay
from assay.evidence.probability_losses import ErrorSums, laplace_priors
from assay.measures.information import ERROR_MEASURES

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 3, 200)
FOLD = np.arange(200) % 4
GIVEN = RNG.dirichlet(np.ones(3), 200) + 0.4 * np.eye(3)[TRUTH]
GIVEN /= GIVEN.sum(1, keepdims=True)


@pytest.mark.parametrize("fold", [None, FOLD])
@pytest.mark.parametrize("classes", [2, 3])
def test_an_evaluation_knows_them_all(classes: int, fold: np.ndarray | None) -> None:
    truth = np.minimum(TRUTH, classes - 1)
    given = np.stack((1 - GIVEN[:, 2], GIVEN[:, 2]), 1) if classes == 2 else GIVEN
    score, shares = (given[:, 1], None) if classes == 2 else (None, given)
    ev = assay.evaluate(truth, score, y_proba=shares, fold=fold)
    sums = ErrorSums.of(truth, given, priors=laplace_priors(truth, classes, fold=fold))
    for measure in ERROR_MEASURES:
        found = ev.estimate(measure.name)
        assert found.value == pytest.approx(float(measure(sums)), rel=1e-12)
        assert math.isnan(found.low)
        assert found.undefined == "no interval was simulated for it"
        assert getattr(ev, measure.name) is found
    assert ev.estimate("mae").value == pytest.approx(np.abs(given - np.eye(classes)[truth]).mean())


def test_without_probabilities_there_is_a_reason() -> None:
    two = TRUTH == 0
    for ev in (assay.evaluate(two, y_pred=two), assay.evaluate(two, 5 * GIVEN[:, 0])):
        assert ev.errors is None
        found = ev.estimate("mean_absolute_error")
        assert math.isnan(found.value)
        assert found.undefined


def test_a_difference_says_that_nothing_tells_how_it_varies() -> None:
    cmp = assay.compare(TRUTH == 0, {"a": GIVEN[:, 0], "b": 1 - GIVEN[:, 1]})
    found = cmp.difference("rmse", "a", "b")
    assert found.value == pytest.approx(cmp.models["a"].rmse.value - cmp.models["b"].rmse.value)
    assert "its sampling variance is unknown" in str(found.undefined)
