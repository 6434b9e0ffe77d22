"""The isotonic curve and what it makes of a score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from tests.laws.samples import degenerate_tables, tables

from assay.calibration import corp_parts, isotonic_fit
from assay.calibration.isotonic import ScoringRule
from assay.evidence import ScoreTable
from assay.measures import brier, log_loss

RULES: tuple[ScoringRule, ...] = ("brier", "log_loss")


def sample(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(2)
    return p, rng.random(n) < p


@given(tables, st.sampled_from(RULES))
def test_the_parts_add_up_and_none_is_negative(table: ScoreTable, rule: ScoringRule) -> None:
    parts = corp_parts(table, rule)
    whole = parts.miscalibration.value - parts.discrimination.value + parts.uncertainty.value
    assert whole == pytest.approx(parts.mean.value, abs=1e-12, rel=1e-12)
    assert min(parts.miscalibration.value, parts.discrimination.value, parts.uncertainty.value) >= 0
    assert parts.mean.value == float({"brier": brier, "log_loss": log_loss}[rule](table))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("table", degenerate_tables(), ids=repr)
def test_degenerate_tables_have_parts(table: ScoreTable, rule: ScoringRule) -> None:
    parts = corp_parts(table, rule)
    assert math.isfinite(parts.miscalibration.value)
    assert parts.uncertainty.low <= parts.uncertainty.value <= parts.uncertainty.high


def test_miscalibration_is_what_recalibrating_saves() -> None:
    p, y = sample(300)
    table = ScoreTable.of(p, y)
    fitted = isotonic_fit(table)(p)
    parts = corp_parts(table)
    assert parts.miscalibration.value == pytest.approx(np.mean((p - y) ** 2) - np.mean((fitted - y) ** 2), abs=1e-12)
    assert parts.discrimination.value == pytest.approx(
        y.mean() * (1 - y.mean()) - np.mean((fitted - y) ** 2), abs=1e-12
    )
    assert parts.miscalibration.undefined is not None
    assert math.isnan(parts.miscalibration.low)


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_fits_the_same_curve(seed: int) -> None:
    p, y = sample(200, seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(p)).astype(float)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=weight)
    at = np.linspace(-0.1, 1.1, 57)
    ours = isotonic_fit(ScoreTable.of(p, y, weight=weight))
    assert ours(at) == pytest.approx(theirs.predict(at), abs=1e-12)


@given(tables)
def test_the_curve_rises_in_steps_that_hold_all_cases(table: ScoreTable) -> None:
    fit = isotonic_fit(table)
    assert (np.diff(fit.rate) > 0).all()
    assert (fit.low <= fit.mean + 1e-12).all()
    assert (fit.mean <= fit.high + 1e-12).all()
    assert fit.negative.sum() == table.negatives
    assert fit.positive.sum() == table.positives
    assert len(fit.at_scores()) == len(table)
    assert fit.at_scores() == pytest.approx(fit(table.score), abs=1e-12)


@given(tables)
def test_only_the_order_of_the_scores_matters(table: ScoreTable) -> None:
    bent = ScoreTable(table.score**3, table.negative, table.positive)
    assert (isotonic_fit(bent).rate == isotonic_fit(table).rate).all()


def test_weights_count_and_widen() -> None:
    p, y = sample(100)
    plain, twice = ScoreTable.of(p, y), ScoreTable.of(p, y, weight=np.full(100, 2.0))
    assert corp_parts(twice).miscalibration.value == pytest.approx(corp_parts(plain).miscalibration.value, abs=1e-12)
    assert corp_parts(twice).uncertainty.low == pytest.approx(corp_parts(plain).uncertainty.low, abs=1e-9)


def test_clusters_take_the_limits_of_the_uncertainty() -> None:
    p, y = sample(100)
    part = corp_parts(ScoreTable.of(p, y, cluster=np.arange(100) // 4)).uncertainty
    assert math.isnan(part.low)
    assert "clusters" in (part.undefined or "")
