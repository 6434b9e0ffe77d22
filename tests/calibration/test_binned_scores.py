"""What calibration says of scores in cells where it has no bounds."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.calibration.groups import OF_THE_MIDDLE


@pytest.fixture(name="of_cells")
def given_cells() -> assay.Evaluation:
    rng = np.random.default_rng(2)
    p = rng.random(2_000)
    return assay.reduce(rng.random(2_000) < p, p, bits=6).evaluate()


@pytest.mark.parametrize("what", ["murphy_parts", "covariance", "recalibrated"])
def test_figures_without_bounds_say_so(of_cells: assay.Evaluation, what: str) -> None:
    about = of_cells.calibration.overall
    held = getattr(about, what)
    found = held if what == "covariance" else held()
    assert found.caution == OF_THE_MIDDLE


def test_scores_themselves_leave_nothing_to_doubt() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(500)
    about = assay.evaluate(rng.random(500) < p, p).calibration
    assert about.murphy_parts().caution is None
    assert about.covariance.caution is None
