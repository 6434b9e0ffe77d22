"""Models to report on."""

from __future__ import annotations

import pytest
from tests.report.samples import many, scored

from assay.evaluation import Evaluation


@pytest.fixture
def one() -> dict[str, Evaluation]:
    """One model that nobody named."""
    return {"": scored()}


@pytest.fixture
def three() -> dict[str, Evaluation]:
    """Three models on the same cases."""
    return {"boosting": scored(strength=2.5), "logistic": scored(strength=1.5), "forest": scored(strength=0.5)}


@pytest.fixture
def four() -> dict[str, Evaluation]:
    """One model of four classes."""
    return {"": many()}
