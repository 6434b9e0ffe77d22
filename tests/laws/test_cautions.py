"""Cautions that rest on a test must be rare where nothing is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from assay import evaluate

STATISTICAL = {"A201", "A203", "A301", "A302"}
DATA_SETS = 150


@pytest.mark.parametrize("prevalence", [0.5, 0.2])
@pytest.mark.parametrize("n", [120, 1000])
def test_blameless_data_raise_statistical_cautions_in_at_most_one_of_twenty(n: int, prevalence: float) -> None:
    """Calibrated probabilities that tell the classes apart a little; even a weak classifier is not to blame."""
    rng = np.random.default_rng(2026)
    alarms = 0
    for _ in range(DATA_SETS):
        probability = rng.beta(6 * prevalence, 6 * (1 - prevalence), n)
        happened = rng.random(n) < probability
        alarms += any(caution.code in STATISTICAL for caution in evaluate(happened, probability).cautions)
    assert alarms <= 0.05 * DATA_SETS
