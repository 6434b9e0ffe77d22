"""Venn-Abers against isotonic regression itself, tried with the new case in either class; and many classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

import assay
from assay.calibration import RECALIBRATIONS, cross_fitted_of_many, effect_on_many, fit_many
from assay.errors import OptionError
from assay.evidence import ClassScores, ScoreTable

SCORES = st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=30)


@settings(max_examples=30, deadline=None)
@given(SCORES)
def test_both_rates_are_those_of_isotonic_regression_with_the_new_case(rows: list[tuple[int, bool]]) -> None:
    score, truth = np.array([s for s, _ in rows]) / 10, np.array([t for _, t in rows])
    fitted = RECALIBRATIONS["venn_abers"](ScoreTable.of(score, truth))
    asked = np.unique(np.concatenate((score, score - 0.05, score + 0.05)))
    for rates, label in zip(fitted.limits(asked), (0.0, 1.0), strict=True):
        theirs = [
            IsotonicRegression().fit(np.append(score, at), np.append(truth, label)).predict([at])[0] for at in asked
        ]
        assert rates == pytest.approx(theirs, abs=1e-12)
    low, high = fitted.limits(asked)
    assert (low <= high + 1e-12).all()
    assert fitted(asked) == pytest.approx(high / (1 - low + high))
    assert (np.diff(fitted(asked)) >= -1e-12).all()
    assert ((fitted(asked) > 0) & (fitted(asked) < 1)).all()


def test_counts_are_repeated_rows_and_weights_have_no_scale() -> None:
    rng = np.random.default_rng(0)
    score, truth = rng.integers(0, 20, 60) / 20, rng.random(60) < 0.4
    times = rng.integers(1, 4, 60)
    counted = RECALIBRATIONS["venn_abers"](ScoreTable.of(score, truth, count=times.astype(float)))
    repeated = RECALIBRATIONS["venn_abers"](ScoreTable.of(np.repeat(score, times), np.repeat(truth, times)))
    asked = np.linspace(0, 1, 50)
    assert counted(asked) == pytest.approx(repeated(asked))
    weighted = [
        RECALIBRATIONS["venn_abers"](ScoreTable.of(score, truth, weight=w * times.astype(np.float64)))(asked)
        for w in (1.0, 8.0)
    ]
    assert weighted[0] == pytest.approx(weighted[1])


def test_one_of_the_two_is_calibrated_and_the_merged_one_nearly() -> None:
    """Over many small samples, cases whose own class is put in come out as often as promised."""
    rng = np.random.default_rng(1)
    promised, merged, happened = [], [], []
    for _ in range(800):
        p = rng.random(21)
        truth = rng.random(21) < p**2
        fitted = RECALIBRATIONS["venn_abers"](ScoreTable.of(p[:20], truth[:20]))
        low, high = fitted.limits(p[20:])
        promised.append(float(high[0] if truth[20] else low[0]))
        merged.append(float(fitted(p[20:])[0]))
        happened.append(bool(truth[20]))
    error = 3 * np.sqrt(np.var(happened) / 800)
    assert np.mean(promised) == pytest.approx(np.mean(happened), abs=error)
    assert np.mean(merged) == pytest.approx(np.mean(happened), abs=error + 0.03)


def test_the_pair_is_of_venn_abers_alone() -> None:
    table = ScoreTable.of([0.1, 0.4, 0.6, 0.9], [False, True, False, True])
    with pytest.raises(OptionError, match="beta gives one probability, and no pair of them"):
        RECALIBRATIONS["beta"](table).limits([0.5])


def overconfident(seed: int, n: int, power: float = 3.0) -> ClassScores:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([2, 1, 1], n)
    truth = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return ClassScores.of(p**power / (p**power).sum(axis=1, keepdims=True), truth, "abc")


@pytest.mark.parametrize("method", RECALIBRATIONS)
def test_many_classes_get_better_probabilities(method: str) -> None:
    fitted = fit_many(overconfident(0, 2000), method)
    fresh = overconfident(1, 2000)
    moved = fitted(fresh.probability)
    assert moved.sum(axis=1) == pytest.approx(np.ones(2000))
    assert ((moved >= 0) & (moved <= 1)).all()
    effect = effect_on_many(fitted, fresh)
    # A straight line held at 0 and 1 is the crudest of them, and helps least.
    assert effect.change["brier"].high < (0.02 if method == "tilt" else 0)


def test_a_temperature_is_found_and_keeps_the_likeliest_class() -> None:
    fitted = fit_many(overconfident(2, 20_000), "temperature")
    assert fitted.temperature == pytest.approx(3.0, rel=0.03)
    rows = overconfident(3, 500).probability
    assert (fitted(rows).argmax(axis=1) == rows.argmax(axis=1)).all()


def test_evaluations_of_many_classes_offer_it_by_name() -> None:
    scores = overconfident(4, 900)
    ev = assay.evaluate(scores.truth, y_proba=scores.probability)
    effect = ev.calibration.recalibrated("venn_abers", folds=3)
    assert effect.fitted_to == "cross-fitted over 3 folds"
    assert effect.change["brier"].high < 0
    other = assay.evaluate(scores.truth[::-1], y_proba=scores.probability[::-1])
    assert other.calibration.effect_of(ev.calibration.recalibration("beta")).change["log_loss"].value < 0
    with pytest.raises(ValueError, match="method is 'magic'"):
        ev.calibration.recalibrated("magic")


def test_intervals_stay_away_where_nothing_was_shown() -> None:
    few = overconfident(5, 60)
    assert "below 50 no interval was shown to hold" in str(
        effect_on_many(fit_many(few, "beta"), few).change["brier"].undefined
    )
    isotonic = effect_on_many(fit_many(overconfident(6, 400), "isotonic"), overconfident(7, 900)).change["log_loss"]
    assert "ruled out" in str(isotonic.undefined)
    weighted = ClassScores.of(few.probability, few.truth, "abc", weight=np.full(60, 2.0))
    with pytest.raises(OptionError, match="whole, independent cases to deal out"):
        cross_fitted_of_many(weighted, "beta")
    with pytest.raises(OptionError, match="are no probabilities"):
        fit_many(ClassScores.of(few.probability * 2, few.truth, "abc"), "beta")


@pytest.mark.parametrize("method", ["beta", "temperature", "venn_abers"])
def test_the_interval_of_a_change_holds(method: str) -> None:
    """A recalibration held fixed, fresh cases of three classes, the smallest of about 60."""
    fitted = fit_many(overconfident(8, 400, 2.0), method)
    true = effect_on_many(fitted, overconfident(9, 200_000, 2.0))
    hits: dict[str, list[bool]] = {"brier": [], "log_loss": []}
    for seed in range(150):
        change = effect_on_many(fitted, overconfident(1000 + seed, 260, 2.0)).change
        for name, found in hits.items():
            if np.isfinite(change[name].low):
                found.append(change[name].low <= true.change[name].value <= change[name].high)
    for found in hits.values():
        assert len(found) > 100
        assert np.mean(found) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(found))
