"""Estimates about an algorithm: by their definitions, with their refusals, and what choosing and overfitting do.

How far each case moves a mean over splits: the least variance it gives, and where even that does not tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from assay.errors import OptionError
from assay.evaluation import evaluate
from assay.evidence import ScoreTable
from assay.experiments import experiment, kfold
from assay.experiments.algorithm_tests import corrected_t, correlated_t
from assay.experiments.estimates import (
    BootstrapError,
    CaseLosses,
    FoldScores,
    Judged,
    bootstrap_error,
    estimates_table,
    fold_auc,
    fold_average,
    leave_pair_out_auc,
    optimism,
    pooled_loss,
    scored_folds,
    which_model,
)
from assay.experiments.model_validation import nested_cross_validation
from assay.experiments.optimism import winner
from assay.experiments.plans import Plan, bootstrap, grouped_kfold, leave_pair_out, repeated_kfold, shuffle
from assay.experiments.splitting import Split
from assay.measures import find, roc_auc
from assay.predictions import Predictions
from assay.uncertainty import AucMoments, delong_logit, standard_error

Floats = NDArray[np.float64]
values = st.lists(st.floats(0, 1).map(lambda v: round(v, 3)), min_size=5, max_size=20)


def scores(found: list[float], share: float = 0.1, n: float = 100) -> FoldScores:
    ones = np.ones(len(found))
    return FoldScores("accuracy", np.array(found), n * (1 - share) * ones, n * share * ones)


@given(values, st.floats(0.05, 0.5))
def test_the_corrected_interval_by_its_definition(found: list[float], share: float) -> None:
    estimate = fold_average(scores(found, share), bounds=None)
    assert estimate.value == pytest.approx(np.mean(found))
    spread = np.var(found, ddof=1)
    if spread > 1e-12:
        error = math.sqrt((1 / len(found) + share / (1 - share)) * spread)
        low, high = stats.t.interval(0.95, len(found) - 1, np.mean(found), error)
        assert (estimate.low, estimate.high) == pytest.approx((low, high))
        cut = fold_average(scores(found, share))
        crowded = min(np.mean(found), 1 - np.mean(found)) < 0.02 - 1e-9 and bool({0.0, 1.0} & set(found))
        assert math.isnan(cut.low) if crowded else 0 <= cut.low <= cut.value <= cut.high <= 1


def test_no_interval_rests_on_a_single_wrong_case() -> None:
    one, two = [1.0] * 9 + [0.9], [1.0] * 8 + [0.9] * 2
    assert "too close to 1 (fewer than 2 cases away)" in str(fold_average(scores(one)).undefined)
    assert "too close to 0" in str(fold_average(scores([1 - value for value in one])).undefined)
    assert fold_average(scores(two)).high == 1
    # A value that never lies on the end itself, and differences, which have no ends, are no such case.
    small = replace(scores([0.01, 0.012, 0.009, 0.011, 0.008]), name="error_rate", moved=np.full(50, 1e-4))
    assert fold_average(small).low > 0
    assert fold_average(scores(one), bounds=None).low < 0.99


@pytest.mark.parametrize("name", ["brier", "log_loss", "brier_skill", "log_loss_skill", "bayes_error"])
def test_the_values_of_a_mean_loss_alone_give_no_interval(name: str) -> None:
    """Of a constant probability it hardly moves over folds, and yet it does from sample to sample."""
    found = fold_average(replace(scores([0.21, 0.22, 0.20, 0.21, 0.23]), name=name))
    assert math.isnan(found.low)
    assert "hide its variance" in str(found.undefined)


def test_an_accuracy_varies_at_least_as_a_share_of_its_cases() -> None:
    """Stratified folds make a constant answer look steady: its accuracy in each is the share of the commonest class."""
    steady = scores([0.6, 0.6, 0.6, 0.6, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6], n=100)
    half = stats.t.ppf(0.975, 9) * math.sqrt(0.61 * 0.39 / 100)
    found = fold_average(steady)
    assert (found.low, found.high) == pytest.approx((0.61 - half, 0.61 + half))
    narrower = fold_average(replace(steady, name="roc_auc", moved=np.full(100, 1e-5)))
    assert narrower.high - narrower.low < found.high - found.low


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (scores([0.5, 0.6, 0.7]), "3 splits: at least 5 needed"),
        (scores([0.5] * 10), "every split gives the same value"),
        (scores([0.5, 0.6] * 5, n=20), "20 cases: at least 30 needed"),
        (scores([0.5, math.nan] * 5), "a split has no value"),
    ],
)
def test_no_interval_without_ground(found: FoldScores, why: str) -> None:
    estimate = fold_average(found)
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert why in (estimate.undefined or "")


def test_splits_give_the_sizes() -> None:
    splits = kfold(3).splits([0, 1] * 10)
    found = FoldScores.of("accuracy", [0.1, 0.2, 0.3], splits)
    assert found.train.tolist() == [len(split.train) for split in splits]
    assert found.ratio == pytest.approx(20 / 40)


def test_pooled_and_averaged_differ_where_folds_differ_in_size() -> None:
    losses = CaseLosses("error_rate", np.array([1.0, 0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 0, 1, 1]))
    assert pooled_loss(losses).value == pytest.approx(3 / 5)
    assert losses.fold_means.mean() == pytest.approx((1 / 3 + 1) / 2)


def test_bayle_by_its_definition() -> None:
    rng = np.random.default_rng(0)
    loss, fold = (rng.random(600) < 0.3).astype(float), np.arange(600) % 10
    losses = CaseLosses("error_rate", loss, fold)
    outer, inner = pooled_loss(losses), pooled_loss(losses, within_folds=True)
    within = np.mean([loss[fold == k].var(ddof=1) for k in range(10)])
    for found, variance in ((outer, loss.var()), (inner, within)):
        half = stats.norm.ppf(0.975) * math.sqrt(variance / 600)
        assert (found.low, found.high) == pytest.approx((loss.mean() - half, loss.mean() + half))


def test_bayle_is_refused_where_it_fell_short() -> None:
    few = CaseLosses("error_rate", np.tile([0.0, 1.0], 50), np.arange(100) % 10)
    assert "100 cases: at least 500 needed" in (pooled_loss(few).undefined or "")
    perfect = CaseLosses("error_rate", np.zeros(600), np.arange(600) % 10)
    assert "at least 10" in (pooled_loss(perfect).undefined or "")
    alone = CaseLosses("error_rate", np.tile([0.0, 1.0], 300), np.arange(600))
    assert "single case" in (pooled_loss(alone, within_folds=True).undefined or "")
    assert math.isfinite(pooled_loss(alone).low)
    flat = CaseLosses("log_loss", np.full(600, 0.7), np.arange(600) % 10)
    assert "the same" in (pooled_loss(flat).undefined or "")


def test_optimism_is_test_less_train() -> None:
    seen, unseen = scores([1.0, 0.9, 0.95, 1.0, 0.9]), scores([0.8, 0.8, 0.7, 0.9, 0.6])
    found = optimism(seen, unseen)
    assert found.value == pytest.approx(0.76 - 0.95)
    assert found.high < 0


def test_the_auc_of_folds_is_the_mean_of_their_own() -> None:
    rng = np.random.default_rng(1)
    folds = [ScoreTable.of(rng.normal(size=40) + np.arange(40) % 2, np.arange(40) % 2 == 1) for _ in range(5)]
    found = fold_auc(folds)
    assert found.value == pytest.approx(np.mean([float(roc_auc(fold)) for fold in folds]))
    assert found.low < found.value < found.high
    assert "average of the models of these folds" in which_model(found)


def test_every_estimate_says_of_which_model_it_speaks() -> None:
    losses = CaseLosses("error_rate", np.tile([0.0, 1.0, 0.0], 100), np.arange(300) % 10)
    table = estimates_table([fold_average(scores([0.5, 0.6, 0.7, 0.6, 0.5])), pooled_loss(losses)])
    assert table.columns["describes"][0].startswith("no single model")
    assert table.columns["estimates"] == (
        ["the algorithm, learning from 90 cases", "the models of 10 folds, learning from 270 cases"]
    )


def threshold_losses(x: Floats, y: NDArray[np.bool_], train: NDArray[np.intp], test: NDArray[np.intp]) -> Floats:
    cut = (x[train][y[train]].mean() + x[train][~y[train]].mean()) / 2
    losses: Floats = ((x[test] > cut) != y[test]).astype(np.float64)
    return losses


def nested_by_the_book(x: Floats, y: NDArray[np.bool_], folds: int, repeats: int, seed: int) -> tuple[float, float]:
    """Bates, Hastie & Tibshirani's algorithm step by step: the estimate and its standard error."""
    every, outer_means, gaps, variances = [], [], [], []
    for own in np.random.SeedSequence(seed).generate_state(repeats):
        parts = [split.test for split in kfold(folds).splits(y, seed=int(own))]
        outer = []
        for k in range(folds):
            rest = [part for j, part in enumerate(parts) if j != k]
            out = threshold_losses(x, y, np.concatenate(rest), parts[k])
            inner = [
                threshold_losses(x, y, np.concatenate([p for i, p in enumerate(rest) if i != j]), rest[j])
                for j in range(folds - 1)
            ]
            within = np.concatenate(inner)
            gaps.append((within.mean() - out.mean()) ** 2 - out.var(ddof=1) / len(out))
            every.append(within)
            outer_means.append(out.mean())
            outer.append(out)
        variances.append(np.concatenate(outer).var(ddof=1))
    nested, plain = np.concatenate(every).mean(), np.mean(outer_means)
    naive = math.sqrt(np.mean(variances) / len(y))
    error = math.sqrt(max((folds - 1) / folds * float(np.mean(gaps)), 0))
    return nested - (1 + (folds - 2) / folds) * (nested - plain), min(max(error, naive), math.sqrt(folds) * naive)


@pytest.mark.parametrize("data", [5, 6, 7])
def test_nested_cross_validation_by_the_book(data: int) -> None:
    rng = np.random.default_rng(data)
    y = np.arange(60) % 2 == 0
    x = y + 1.2 * rng.normal(size=60)
    value, error = nested_by_the_book(x, y, 6, 10, 3)
    found = nested_cross_validation(lambda a, b: threshold_losses(x, y, a, b), y, folds=6, repeats=10, seed=3)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert (found.high - found.low) / 2 == pytest.approx(stats.norm.ppf(0.975) * error)
    assert found.target == "the model fitted to all cases"


def test_nested_cross_validation_refuses() -> None:
    y = np.arange(20) % 2
    flat = nested_cross_validation(lambda a, b: np.zeros(len(b)), np.arange(60) % 2, folds=3, repeats=10)
    assert flat.value == 0
    assert "the same" in (flat.undefined or "")
    few = nested_cross_validation(lambda a, b: (np.arange(len(b)) % 2).astype(np.float64), y, folds=3, repeats=2)
    assert "20 cases and 2 repeats" in (few.undefined or "")
    with pytest.raises(OptionError, match="folds is 2; needed: an integer of at least 3"):
        nested_cross_validation(lambda a, b: np.zeros(len(b)), y, folds=2)


def nearest(x: Floats, y: NDArray[np.intp], train: NDArray[np.intp], test: NDArray[np.intp]) -> NDArray[np.intp]:
    gaps = ((x[test][:, None] - x[train][None]) ** 2).sum(-1)
    found: NDArray[np.intp] = y[train][gaps.argmin(1)]
    return found


def test_632_is_optimistic_for_a_learner_by_heart_and_632_plus_is_not() -> None:
    """1-NN with random labels: the truth is .5, .632 says about .316."""
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(300, 2)), np.arange(300) % 2
        samples = [(split.test, nearest(x, y, split.train, split.test)) for split in bootstrap(25).splits(y, seed=seed)]
        found.append(bootstrap_error(y, nearest(x, y, np.arange(300), np.arange(300)), samples))
    assert all(one.apparent == 0 for one in found)
    assert np.mean([one.err632.value for one in found]) == pytest.approx(0.316, abs=0.02)
    assert np.mean([one.err632_plus.value for one in found]) == pytest.approx(0.5, abs=0.03)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1))
def test_632_plus_lies_between_what_it_mixes(apparent: float, left_out: float, none: float) -> None:
    found = BootstrapError(apparent, left_out, left_out, none, 100)
    assert 0 <= found.overfitting <= 1
    unseen = min(left_out, none)
    low, high = sorted((apparent, unseen))
    assert low - 1e-12 <= found.err632_plus.value <= high + 1e-12
    if apparent < unseen == left_out:
        assert found.err632_plus.value >= found.err632.value - 1e-12


def test_632_plus_as_published() -> None:
    found = BootstrapError(0.1, 0.3, 0.31, 0.5, 100)
    r = (0.3 - 0.1) / (0.5 - 0.1)
    held = 1 - math.exp(-1)
    w = held / (1 - (1 - held) * r)
    assert found.overfitting == pytest.approx(r)
    assert found.err632_plus.value == pytest.approx((1 - w) * 0.1 + w * 0.3)
    assert found.optimism == pytest.approx(found.err632_plus.value - 0.1)
    assert "no interval" in repr(found.err632)
    assert found.table().columns["estimate"][-1] == ".632+"


def test_cases_never_left_out_are_not_counted() -> None:
    found = bootstrap_error(["a", "b", "b"], ["a", "a", "b"], [([0], ["b"]), ([], [])])
    assert found.never_left_out == 2
    assert found.left_out == 1.0
    nothing = bootstrap_error([0, 1], [0, 1], [])
    assert "no case was left out of any sample" in repr(nothing.err632)


def test_pairs_left_out_are_the_auc_where_scores_do_not_change() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(50) % 2
    score = np.round(rng.normal(size=50) + y, 1)
    pairs = np.array([split.test for split in leave_pair_out().splits(y)])
    found = leave_pair_out_auc(pairs[:, 0], pairs[:, 1], score[pairs[:, 0]], score[pairs[:, 1]])
    table = ScoreTable.of(score, y == 1)
    expected = delong_logit(AucMoments.of(table), 0.95)
    assert found.value == pytest.approx(float(roc_auc(table)))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    some = leave_pair_out_auc(pairs[:9, 0], pairs[:9, 1], score[pairs[:9, 0]], score[pairs[:9, 1]])
    assert math.isnan(some.low)


def test_pairs_of_few_cases_have_no_interval() -> None:
    found = leave_pair_out_auc([0, 0], [1, 2], [0.1, 0.2], [0.3, 0.1])
    assert found.value == 0.5
    assert "1 case in the smaller class" in (found.undefined or "")


def test_the_best_of_noise_is_noise() -> None:
    """Twenty guessing models on 54 cases: the winner looks better than chance, and the correction takes that off."""
    rng = np.random.default_rng(24)
    found = [winner(rng.integers(2, size=(54, 20)).astype(float), seed=k) for k in range(60)]
    apparent = np.array([one.apparent for one in found])
    corrected = np.array([one.corrected.value for one in found])
    assert apparent.mean() < 0.40
    assert corrected.mean() == pytest.approx(0.5, abs=3 * corrected.std() / math.sqrt(60) + 0.01)
    assert all(one.optimism > 0 for one in found)


def test_a_winner_on_few_cases_has_no_interval() -> None:
    found = winner(np.tile([[0.0, 1.0], [1.0, 0.0]], (20, 1))).corrected
    assert math.isnan(found.low)
    assert "40 cases: at least 50 needed" in (found.undefined or "")


def test_a_clear_winner_stays_what_it_is() -> None:
    losses = np.stack((np.arange(100) % 10 == 0, np.arange(100) % 2 == 0), axis=1).astype(float)
    found = winner(losses, ("good", "bad"))
    assert found.name == "good"
    assert found.corrected.value == pytest.approx(0.1, abs=0.005)
    assert found.corrected.low <= found.corrected.value <= found.corrected.high


def test_means_of_measures_that_fell_short_have_no_interval() -> None:
    """Of a ROC AUC it holds over one pass of folds; of F1, kappa and their like it was not shown to hold at all."""
    ten = scores([0.81, 0.79, 0.86, 0.77, 0.80, 0.84, 0.79, 0.83, 0.80, 0.81])
    by_case = replace(ten, name="roc_auc", moved=np.full(100, 1e-4))
    assert fold_average(by_case).low > 0.7
    assert "not for groups or means alone" in str(fold_average(replace(ten, name="roc_auc")).undefined)
    twice = replace(by_case, train=ten.train / 2)
    assert "tested more than once" in str(fold_average(twice).undefined)
    for name in ("f1", "kappa", "average_precision", "recall"):
        found = fold_average(replace(ten, name=name))
        assert math.isnan(found.low)
        assert "no verified coverage" in str(found.undefined)
        assert fold_average(replace(ten, name=name), bounds=None).low < found.value


RNG = np.random.default_rng(3)
Y = np.arange(200) % 5 // 4  # 40 of 200 are positive
PROBABILITY = np.clip(0.2 + 0.1 * RNG.normal(size=200) + 0.1 * Y, 0.01, 0.99)


def judged(splits: Sequence[Split], truth: Any, score: Any) -> list[Judged]:
    cells = []
    for split in splits:
        said, rows = score[split.test], split.test
        decision = (said >= 0.5).astype(np.intp)
        cell = evaluate(Predictions(("no", "yes"), truth[rows], score=said, decision=decision))
        cells.append(Judged(split.repeat, len(split.train), rows, cell))
    return cells


def scored(name: str, plan: Plan, score: Any = PROBABILITY, truth: Any = Y) -> FoldScores:
    return scored_folds(name, judged(plan.splits(truth), truth, score), truth)


@pytest.mark.parametrize("plan", [kfold(10), repeated_kfold(5, 3), kfold(8)])
def test_a_case_moves_a_mean_loss_by_its_own_loss(plan: Plan) -> None:
    """Every case is tested once a repeat and says the same each time: the least variance is that of a plain mean."""
    found = scored("brier", plan)
    loss = (PROBABILITY - Y) ** 2
    assert found.moved is not None
    np.testing.assert_allclose(found.moved, (loss - loss.mean()) / 200, atol=1e-15)
    assert found.least == pytest.approx(loss.var() / 200)
    assert found.one_case == pytest.approx(loss.mean() / 200)


def test_a_case_that_random_splits_test_more_often_moves_the_mean_more() -> None:
    plan = shuffle(6)
    loss, times = (PROBABILITY - Y) ** 2, np.zeros(200)
    for split in plan.splits(Y):
        times[split.test] += 1 / len(split.test) / 6
    found = scored("brier", plan)
    assert found.moved is not None
    np.testing.assert_allclose(found.moved, times * (loss - found.values.mean()), atol=1e-15)


@given(st.lists(st.booleans(), min_size=50, max_size=50).filter(lambda each: 5 < sum(each) < 45), st.integers(0, 99))
def test_one_rule_serves_shares_and_losses(right: list[bool], seed: int) -> None:
    """What the cases say of an accuracy is what its mean says: p (1 - p) / n."""
    truth = np.arange(50) % 2
    score = np.where(right, truth, 1 - truth).astype(np.float64)
    splits = kfold(5).splits(truth, seed=seed)
    by_case = scored_folds("accuracy", judged(splits, truth, score), truth)
    values = FoldScores("accuracy", by_case.values, by_case.train, by_case.test)
    assert by_case.moved is not None
    assert by_case.least == pytest.approx(values.least)
    one, other = fold_average(by_case), fold_average(values)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("name", ["log_loss", "brier_skill", "log_loss_skill", "average_precision"])
def test_of_a_single_split_it_is_the_plain_standard_error(name: str) -> None:
    split = Split(np.arange(0), np.arange(200))
    found = scored_folds(name, judged([split], Y, PROBABILITY), Y)
    table, measure = ScoreTable.of(PROBABILITY, Y == 1), find(name)
    assert measure.parts is not None
    assert found.least == pytest.approx(standard_error(table, *measure.parts(table)) ** 2 * 199 / 200)


def test_the_auc_moves_as_delong_says() -> None:
    split = Split(np.arange(0), np.arange(200))
    found = scored_folds("roc_auc", judged([split], Y, PROBABILITY), Y)
    won = (PROBABILITY[Y == 1][:, None] > PROBABILITY[Y == 0]) + 0.5 * (
        PROBABILITY[Y == 1][:, None] == PROBABILITY[Y == 0]
    )
    assert found.values[0] == pytest.approx(float(roc_auc(ScoreTable.of(PROBABILITY, Y == 1))))
    assert found.least == pytest.approx(won.mean(1).var() / 40 + won.mean(0).var() / 160)


def test_stratified_folds_do_not_hide_how_a_constant_varies() -> None:
    found = scored("brier", kfold(10), np.full(200, 0.2))
    assert found.spread == 0
    estimate = fold_average(found)
    half = stats.t.ppf(0.975, 9) * (0.8**2 - 0.2**2) * math.sqrt(0.2 * 0.8 / 200)
    assert (estimate.low, estimate.high) == pytest.approx((0.16 - half, 0.16 + half))


def refusal(found: FoldScores, name: str) -> str:
    estimate = fold_average(found, bounds=find(name).bounds)
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert math.isfinite(estimate.value)
    return str(estimate.undefined)


def test_losses_that_are_all_alike_tell_nothing() -> None:
    """Of equal classes, always saying one half costs every case the same."""
    even = np.arange(200) % 2
    assert "the same" in refusal(scored("brier", kfold(10), np.full(200, 0.5), even), "brier")
    nearly = 0.5 + 0.001 * RNG.normal(size=200)
    assert "vary too little" in refusal(scored("brier", kfold(10), nearly, even), "brier")
    assert "vary too little" in refusal(scored("log_loss", kfold(10), nearly, even), "log_loss")
    assert fold_average(scored("brier", kfold(10), np.full(200, 0.52), even)).low > 0


def test_no_interval_where_it_did_not_hold() -> None:
    few = (np.arange(200) < 19).astype(int)
    assert "19 cases in a class: at least 20 needed" in refusal(scored("brier", kfold(10), truth=few), "brier")
    assert fold_average(scored("accuracy", kfold(10), truth=few)).low > 0
    certain = PROBABILITY.copy()
    certain[4] = 0.0
    assert "predicted probability of 0 or 1" in refusal(scored("log_loss", kfold(10), certain), "log_loss")
    assert fold_average(scored("brier", kfold(10), certain)).low > 0
    assert "stratify the plan" in refusal(scored("brier_skill", kfold(5, stratified=False)), "brier_skill")
    assert "does not use the true labels" in refusal(scored("bayes_error", kfold(10)), "bayes_error")


@pytest.mark.parametrize("plan", [kfold(10), kfold(7), repeated_kfold(10, 2), shuffle(10), shuffle(5, 0.3)])
def test_a_skill_has_an_interval_over_stratified_splits(plan: Plan) -> None:
    for name in ("brier_skill", "log_loss_skill"):
        found = fold_average(scored(name, plan), bounds=find(name).bounds)
        assert found.low < found.value < found.high


def test_a_measure_of_which_nobody_knows_how_it_moves_keeps_its_values() -> None:
    found = scored("h_measure", kfold(10))
    assert found.moved is None
    assert len(found.values) == 10


def test_a_difference_varies_at_least_as_the_losses_of_its_cases_do() -> None:
    """A constant against one half: every stratified fold gives nearly the same, and yet the class shares vary."""
    shares = np.full(200, 0.2)
    shares[::50] = 0.201  # else every split would give the same difference
    constant, even = scored("brier", kfold(10), shares), scored("brier", kfold(10), np.full(200, 0.5))
    found = corrected_t(constant, even)
    apart = (shares - Y) ** 2 - 0.25
    error = math.sqrt(apart.var() / 200)
    assert found.difference.high - found.difference.low == pytest.approx(2 * stats.t.ppf(0.975, 9) * error, rel=1e-6)
    assert found.test.statistic == pytest.approx(apart.mean() / error, rel=1e-6)
    assert correlated_t(constant, even).scale == pytest.approx(error, rel=1e-6)
    values = [FoldScores("brier", each.values, each.train, each.test) for each in (constant, even)]
    narrower = corrected_t(values[0], values[1]).difference
    assert narrower.high - narrower.low < (found.difference.high - found.difference.low) / 100


def test_a_difference_of_losses_that_are_all_alike_is_refused() -> None:
    even = np.arange(200) % 2
    nearly = [0.5 + 0.001 * RNG.normal(size=200) for _ in range(2)]
    one, other = (scored("brier", kfold(10), each, even) for each in nearly)
    found = corrected_t(one, other)
    assert "vary too little" in str(found.difference.undefined)
    assert math.isnan(found.test.p_value)
    assert "vary too little" in str(correlated_t(one, other).undefined)
    # Beside a learner that looks at features, a constant can be judged.
    learned = scored("brier", kfold(10), np.where(even == 1, 0.7, 0.4) + 0.05 * RNG.normal(size=200), even)
    assert corrected_t(one, learned).difference.low > 0


def test_what_speaks_against_a_mean_speaks_against_a_difference() -> None:
    certain = PROBABILITY.copy()
    certain[4] = 0.0
    found = corrected_t(scored("log_loss", kfold(10), certain), scored("log_loss", kfold(10)))
    assert "predicted probability of 0 or 1" in str(found.test.undefined)
    assert math.isfinite(found.difference.value)
    few = (np.arange(200) < 19).astype(int)
    one, other = (scored("brier", kfold(10), score, few) for score in (PROBABILITY, np.full(200, 0.1)))
    assert math.isfinite(corrected_t(one, other).test.p_value)  # of few cases only the mean did not hold


def test_a_study_has_intervals_of_losses(tmp_path: Path) -> None:
    x = RNG.normal(size=(200, 3)) + 0.8 * Y[:, None]
    study = experiment((x, Y), ["nb"], kfold(10), store=tmp_path / "folds.db", jobs=1)
    for learner in ("dummy", "nb"):
        for name in ("brier", "log_loss"):
            found = study.estimate("data", learner, name)
            assert found.low < found.value < found.high
    predictions = study.evaluation("data", "nb").predictions
    assert predictions is not None
    loss = (np.asarray(predictions.score) - predictions.truth) ** 2
    assert study.fold_scores("data", "nb", "brier").least == pytest.approx(loss.var() / 200)
    assert study.compare("data", "dummy", "nb", "brier").columns["low"][0] > 0
    study.store.close()
    groups = np.repeat(np.arange(40), 5)
    grouped = experiment((x, Y, groups), ["nb"], grouped_kfold(5), store=tmp_path / "groups.db", jobs=1)
    assert "rows of a group are dependent" in str(grouped.estimate("data", "nb", "brier").undefined)
    assert "not for groups" in str(grouped.estimate("data", "nb", "roc_auc").undefined)
    assert grouped.fold_scores("data", "nb").moved is None
    assert grouped.estimate("data", "nb").low > 0
    grouped.store.close()


def test_three_classes_have_intervals_of_losses(tmp_path: Path) -> None:
    target = np.arange(180) % 3
    x = RNG.normal(size=(180, 3)) + np.eye(3)[target]
    study = experiment((x, target), ["nb"], kfold(5), store=tmp_path / "three.db", jobs=1)
    for name in ("brier", "log_loss", "brier_skill", "log_loss_skill", "macro_roc_auc", "kappa"):
        found = study.estimate("data", "nb", name)
        if name in ("macro_roc_auc", "kappa"):
            assert "no verified coverage" in str(found.undefined)
        else:
            assert found.low < found.value < found.high
        assert study.fold_scores("data", "nb", name).moved is not None
    study.store.close()
