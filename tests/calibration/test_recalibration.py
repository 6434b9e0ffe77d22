"""Recalibration: the curves fitted, what they do to evidence, and what they change on other cases."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from tests.laws.samples import degenerate_tables, tables

from assay.calibration import RECALIBRATIONS, Recalibration, cross_fitted_effect, fit_tilt, recalibration_effect
from assay.calibration.effect import split_cases
from assay.calibration.recalibration import fit_beta, fit_isotonic, fit_platt, fit_temperature
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import brier, log_loss, roc_auc

METHODS = list(RECALIBRATIONS)
AT = np.linspace(0.02, 0.98, 25)


def drawn(n: int, seed: int, factor: float = 1.0, **design: np.ndarray) -> ScoreTable:
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 1.5, n)
    return ScoreTable.of(expit(factor * logit(p)), rng.random(n) < p, **design)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn_fits_the_same_curves(seed: int) -> None:
    features, y = make_classification(900, 8, n_redundant=4, flip_y=0.2, random_state=seed)
    bayes = GaussianNB().fit(features[:300], y[:300])
    fit_on, try_on = features[300:600], features[600:]
    table = ScoreTable.of(bayes.predict_proba(fit_on)[:, 1], y[300:600] == 1)
    at = bayes.predict_proba(try_on)[:, 1]
    for ours, name in ((fit_platt, "sigmoid"), (fit_isotonic, "isotonic"), (fit_temperature, "temperature")):
        theirs = CalibratedClassifierCV(FrozenEstimator(bayes), method=name, ensemble=False).fit(fit_on, y[300:600])
        assert ours(table)(at) == pytest.approx(theirs.predict_proba(try_on)[:, 1], abs=1e-4), name


def test_a_temperature_is_the_most_likely_one() -> None:
    table = drawn(500, 0, 2.0)
    best = fit_temperature(table).parameters["temperature"]

    def loss(temperature: float) -> float:
        moved = Recalibration("temperature", {"temperature": temperature}, 500).apply(table)
        return float(log_loss(moved))

    assert loss(best) < min(loss(best * 1.02), loss(best / 1.02))


def test_a_beta_curve_is_the_most_likely_one() -> None:
    table = drawn(500, 1, 2.0)
    best = fit_beta(table)
    least = float(log_loss(best.apply(table)))
    for name in ("a", "b", "c"):
        for move in (-0.05, 0.05):
            moved = Recalibration("beta", {**best.parameters, name: best.parameters[name] + move}, 500)
            assert float(log_loss(moved.apply(table))) > least


def test_beta_keeps_what_is_right() -> None:
    identity = Recalibration("beta", {"a": 1.0, "b": 1.0, "c": 0.0}, 1)
    assert identity(AT) == pytest.approx(AT)
    assert fit_beta(drawn(40_000, 2))(AT) == pytest.approx(AT, abs=0.02)


def test_beta_never_falls() -> None:
    """Scores that say nothing near 0 and the contrary near 1: a free fit would turn down."""
    rng = np.random.default_rng(3)
    p = rng.random(2000)
    fitted = fit_beta(
        ScoreTable.of(p, rng.random(2000) < 0.5 - 0.4 * np.clip(p - 0.5, 0, None) + 0.6 * np.clip(p, 0, 0.5))
    )
    assert fitted.undefined is None
    assert min(fitted.parameters.get("a", 0.0), fitted.parameters.get("b", 0.0)) >= 0
    assert (np.diff(fitted(AT)) >= 0).all()


@pytest.mark.parametrize("fit", [fit_beta, fit_temperature])
def test_scores_the_wrong_way_round_are_not_turned(fit: object) -> None:
    table = drawn(500, 4)
    turned = ScoreTable.of(1 - table.score, table.positive > 0)
    fitted = fit(turned)  # type: ignore[operator]
    assert "fit_platt can" in fitted.undefined
    assert np.isnan(fitted(AT)).all()
    with pytest.raises(ValueError, match="nothing was fitted"):
        fitted.apply(turned)


def test_platt_turns_them() -> None:
    table = drawn(500, 4)
    turned = ScoreTable.of(1 - table.score, table.positive > 0)
    fitted = fit_platt(turned)
    assert float(roc_auc(fitted.apply(turned))) == pytest.approx(1 - float(roc_auc(turned)))
    assert "turned round" in fitted.effect_on_roc(turned)


def test_platt_takes_any_scores_and_classes_without_overlap() -> None:
    fitted = fit_platt(ScoreTable.of(np.arange(-50.0, 50.0), np.arange(100) >= 50))
    assert fitted.undefined is None
    assert 0 < fitted(-50.0) < 0.05
    assert 0.95 < fitted(50.0) < 1


def test_the_tilt_shares_out_tied_cases() -> None:
    """Eight cases with one score and four with another, in three groups of four: the first two groups are alike."""
    table = ScoreTable(np.array([0.2, 0.8]), np.array([6.0, 1.0]), np.array([2.0, 3.0]))
    fitted = fit_tilt(table, groups=3)
    assert fitted([0.2, 0.8]) == pytest.approx([0.25, 0.75])
    with pytest.raises(OptionError, match="groups is 13 for 12 cases; needed: from 2 to as many as cases"):
        fit_tilt(table, groups=13)


@given(tables, st.sampled_from(METHODS))
def test_evidence_moves_as_rows_do(table: ScoreTable, method: str) -> None:
    if method == "tilt" and table.total < 10:
        return
    fitted = RECALIBRATIONS[method](table)
    if fitted.undefined:
        return
    score = np.concatenate([np.repeat(table.score, side.astype(int)) for side in (table.negative, table.positive)])
    truth = np.arange(len(score)) >= table.negatives
    assert fitted.apply(table) == ScoreTable.of(fitted(score), truth)


@pytest.mark.parametrize("method", METHODS)
def test_weights_and_clusters_travel(method: str) -> None:
    table = drawn(200, 5, weight=np.linspace(0.5, 2, 200), cluster=np.arange(200) // 4)
    moved = RECALIBRATIONS[method](table).apply(table)
    assert moved.is_weighted
    assert moved.rows is not None
    assert moved.total == pytest.approx(table.total)
    assert table.rows is not None
    fitted = RECALIBRATIONS[method](table)
    assert moved.score[moved.rows.position] == pytest.approx(fitted(table.score[table.rows.position]))
    assert math.isfinite(brier.estimate(moved).low)


@pytest.mark.parametrize(
    ("method", "keeps"), [("platt", True), ("beta", True), ("temperature", True), ("isotonic", False)]
)
def test_the_roc_curve_is_spoken_of(method: str, keeps: bool) -> None:
    table = drawn(300, 6)
    fitted = RECALIBRATIONS[method](table)
    assert ("stays as it is" in fitted.effect_on_roc(table)) is keeps
    same = float(roc_auc(fitted.apply(table))) == pytest.approx(float(roc_auc(table)), abs=1e-12)
    assert same is keeps


def test_a_clipped_tilt_makes_ties() -> None:
    table = drawn(300, 7, 0.3)
    fitted = fit_tilt(table)
    assert fitted.parameters["slope"] > 1.5
    assert "distinct scores become" in fitted.effect_on_roc(table)


@pytest.mark.parametrize("method", METHODS)
def test_a_recalibration_can_be_kept(method: str) -> None:
    fitted = RECALIBRATIONS[method](drawn(300, 8))
    assert (pickle.loads(pickle.dumps(fitted))(AT) == fitted(AT)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("table", degenerate_tables(), ids=repr)
def test_degenerate_tables_are_fitted_or_refused(table: ScoreTable, method: str) -> None:
    if method == "tilt" and table.total < 10:
        return
    fitted = RECALIBRATIONS[method](table)
    found = fitted(AT)
    assert np.isnan(found).all() if fitted.undefined else ((found >= 0) & (found <= 1)).all()


def test_cases_are_dealt_out_once() -> None:
    table = ScoreTable.of(np.arange(101) % 7 / 7, np.arange(101) % 3 == 0)
    parts = split_cases(table, 4, seed=1)
    together = parts[0] + parts[1] + parts[2] + parts[3]
    assert together == table
    assert max(float(part.positives) for part in parts) - min(float(part.positives) for part in parts) <= 1
    assert split_cases(table, 4, seed=2)[0] != parts[0]


def test_rows_that_belong_together_are_not_dealt_out() -> None:
    with pytest.raises(OptionError, match="come in clusters; needed: whole, independent cases to deal out"):
        split_cases(drawn(50, 9, cluster=np.arange(50) // 2), 2)
    with pytest.raises(OptionError, match="have weights; needed: whole, independent cases to deal out"):
        cross_fitted_effect(drawn(50, 9, weight=np.linspace(1, 2, 50)), "platt")


@pytest.mark.parametrize("method", METHODS)
def test_overconfident_probabilities_get_better_elsewhere(method: str) -> None:
    fitted = RECALIBRATIONS[method](drawn(2000, 10, 3.0))
    effect = recalibration_effect(fitted, drawn(2000, 11, 3.0))
    assert effect.change["brier"].high < 0
    assert effect.change["brier"].value == pytest.approx(effect.after["brier"].value - effect.before["brier"].value)
    assert effect.change["log_loss"].value == pytest.approx(
        effect.after["log_loss"].value - effect.before["log_loss"].value
    )
    assert "fitted to 2,000 other cases" in effect.fitted_to


def test_right_probabilities_do_not_get_better() -> None:
    effect = cross_fitted_effect(drawn(2000, 12), "isotonic")
    assert effect.change["brier"].high > 0
    assert "5 curves" in effect.roc


def test_a_cross_fitted_change_is_that_of_all_cases() -> None:
    table = drawn(600, 13, 2.0)
    effect = cross_fitted_effect(table, "beta", folds=3)
    assert effect.change["brier"].value == pytest.approx(effect.after["brier"].value - effect.before["brier"].value)
    assert effect.after["brier"].n == 600
    assert effect.change["brier"].low < effect.change["brier"].value < effect.change["brier"].high
    assert list(effect.table().columns) == ["measure", "before", "after", "change", "low", "high"]


def test_a_curve_that_says_never_has_no_interval_of_log_loss() -> None:
    effect = recalibration_effect(fit_isotonic(drawn(300, 14)), drawn(300, 15))
    change = effect.change["log_loss"]
    assert math.isnan(change.low)
    assert "infinite" in (change.undefined or "")


def test_small_classes_and_no_change_have_no_interval() -> None:
    few = recalibration_effect(fit_platt(drawn(300, 16)), drawn(60, 17)).change["brier"]
    assert "below 50" in (few.undefined or "")
    same = recalibration_effect(Recalibration("tilt", {"intercept": 0.0, "slope": 1.0}, 1), drawn(300, 18)).change[
        "brier"
    ]
    assert same.value == 0
    assert "no probability changes" in (same.undefined or "")


def test_clusters_make_the_change_less_certain() -> None:
    rng = np.random.default_rng(19)
    p = np.repeat(rng.random(150), 4)
    y = np.repeat(rng.random(150) < p[::4], 4)
    fitted = fit_platt(drawn(1000, 20, 2.0))
    alone, together = (
        recalibration_effect(fitted, ScoreTable.of(p, y, **design)).change["brier"]  # type: ignore[arg-type]
        for design in ({}, {"cluster": np.arange(600) // 4})
    )
    assert "cluster-robust" in together.method
    assert together.high - together.low > 1.7 * (alone.high - alone.low)


def test_what_was_not_fitted_has_no_effect() -> None:
    one_class = ScoreTable.of([0.2, 0.4], [True, True])
    with pytest.raises(ValueError, match="single class"):
        recalibration_effect(fit_platt(one_class), drawn(100, 21))
