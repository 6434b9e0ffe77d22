"""Recalibration: the curves fitted, what they do to evidence, and what they change on other cases.

Venn-Abers against isotonic regression itself, tried with the new case in either class; and many classes.
"""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.naive_bayes import GaussianNB
from tests.laws.samples import degenerate_tables, tables

import assay
from assay.calibration import (
    RECALIBRATIONS,
    Recalibration,
    cross_fitted_effect,
    cross_fitted_of_many,
    effect_on_many,
    fit_many,
    fit_tilt,
    recalibration_effect,
)
from assay.calibration.recalibration import fit_beta, fit_isotonic, fit_platt, fit_temperature, split_cases
from assay.errors import OptionError
from assay.evidence import ClassScores, ScoreTable
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
    assert "reversed" in fitted.effect_on_roc(turned)


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
    assert "at least 50" in (few.undefined or "")
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
    with pytest.raises(ValueError, match="of one class"):
        recalibration_effect(fit_platt(one_class), drawn(100, 21))


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
    assert other.calibration.recalibration_effect(ev.calibration.recalibration("beta")).change["log_loss"].value < 0
    with pytest.raises(ValueError, match="method is 'magic'"):
        ev.calibration.recalibrated("magic")


def test_intervals_stay_away_where_nothing_was_shown() -> None:
    few = overconfident(5, 60)
    assert "at least 50 needed" in str(effect_on_many(fit_many(few, "beta"), few).change["brier"].undefined)
    isotonic = effect_on_many(fit_many(overconfident(6, 400), "isotonic"), overconfident(7, 900)).change["log_loss"]
    assert "with a class of probability 0" in str(isotonic.undefined)
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
