"""The calibration belt: right probabilities stay inside, wrong ones are named, and its law knows the degree chosen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtrc, chdtri, expit, logit

import assay
from assay.calibration.belt import beyond, calibration_belt
from assay.errors import OptionError
from assay.evidence import ScoreTable

RNG = np.random.default_rng(4)
P = expit(RNG.normal(0, 1.5, 1500))


def test_right_and_wrong_probabilities() -> None:
    right = calibration_belt(ScoreTable.of(P, RNG.random(1500) < P))
    assert right.test.p_value > 0.05
    assert right.outside == []
    wrong = calibration_belt(ScoreTable.of(expit(logit(P) * 2), RNG.random(1500) < P))
    assert wrong.test.p_value < 1e-6
    assert [side for *_, side in wrong.outside] == ["too low", "too high"]
    assert wrong.svg().startswith("<svg")
    assert (wrong.low <= wrong.rate).all()
    assert (wrong.rate <= wrong.high).all()


def test_bends_ask_for_a_higher_degree() -> None:
    bent = expit(-0.5 + logit(P) + 0.3 * logit(P) ** 2)
    assert calibration_belt(ScoreTable.of(P, RNG.random(1500) < bent)).degree > 1


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_the_law_given_the_degree_by_simulation(degree: int) -> None:
    rng = np.random.default_rng(degree)
    gains = np.sum([_tail(rng, 100_000) for _ in range(degree - 1)], axis=0) + rng.chisquare(2, 100_000)
    for share in (0.5, 0.9, 0.95):
        at = float(np.quantile(gains, share))
        assert beyond(at, degree) == pytest.approx(1 - share, abs=0.006)
    assert beyond(6.0, 1) == pytest.approx(float(chdtrc(2, 6.0)))


def _tail(rng: np.random.Generator, size: int) -> np.ndarray:
    """Squared normals beyond the entry of 3.84."""
    return chdtri(1, 0.05 * rng.random(size))


def test_what_it_cannot_use_says_why() -> None:
    few = calibration_belt(ScoreTable.of(P[:60], RNG.random(60) < P[:60]))
    assert "at least 50" in (few.undefined or "")
    assert np.isnan(few.low).all()
    assert few.svg()
    same = calibration_belt(ScoreTable.of(np.full(200, 0.3), np.arange(200) % 3 == 0))
    assert same.undefined
    with pytest.raises(OptionError, match="weights or clusters"):
        calibration_belt(ScoreTable.of(P, RNG.random(1500) < P, weight=RNG.exponential(1, 1500)))
    ev = assay.evaluate((RNG.random(1500) < P).astype(int), P)
    assert isinstance(ev, assay.TwoClassEvaluation)
    assert ev.calibration.belt is ev.calibration.belt


def test_a_spline_repairs_what_two_numbers_cannot() -> None:
    truth = np.clip(P**2 + 0.1 * P, 0.01, 0.99)
    y = RNG.random(1500) < truth
    ev = assay.evaluate(y.astype(int), P)
    assert isinstance(ev, assay.TwoClassEvaluation)
    fitted = ev.calibration.recalibration("spline")
    assert fitted.undefined is None
    moved = fitted(np.linspace(0, 1, 500))
    assert (np.diff(moved) >= 0).all()
    assert ev.calibration.recalibrated("spline").change["brier"].high < 0
    falling = assay.evaluate((RNG.random(1500) > P).astype(int), P)
    assert isinstance(falling, assay.TwoClassEvaluation)
    assert "higher scores go with fewer positives" in (falling.calibration.recalibration("spline").undefined or "")
    two_scores = assay.evaluate([0, 1] * 20, [0.2, 0.7] * 20)
    assert isinstance(two_scores, assay.TwoClassEvaluation)
    assert two_scores.calibration.recalibration("spline").undefined is not None
