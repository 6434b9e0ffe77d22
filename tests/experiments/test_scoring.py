"""How far each case moves a mean over splits: the least variance it gives, and where even that does not tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.evaluation import evaluate
from assay.evidence import ScoreTable
from assay.experiments import experiment, kfold
from assay.experiments._parting import Split
from assay.experiments.algorithms import corrected_t
from assay.experiments.estimates import FoldScores, fold_average
from assay.experiments.plans import Plan, grouped_kfold, repeated_kfold, shuffle
from assay.experiments.posterior import correlated_t
from assay.experiments.scoring import Judged, scored_folds
from assay.measures import find, roc_auc
from assay.predictions import Predictions
from assay.uncertainty import standard_error

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
    assert "nothing varies" in refusal(scored("brier", kfold(10), np.full(200, 0.5), even), "brier")
    nearly = 0.5 + 0.001 * RNG.normal(size=200)
    assert "too much alike" in refusal(scored("brier", kfold(10), nearly, even), "brier")
    assert "too much alike" in refusal(scored("log_loss", kfold(10), nearly, even), "log_loss")
    assert fold_average(scored("brier", kfold(10), np.full(200, 0.52), even)).low > 0


def test_no_interval_where_it_did_not_hold() -> None:
    few = (np.arange(200) < 19).astype(int)
    assert "19 cases in a class: below 20" in refusal(scored("brier", kfold(10), truth=few), "brier")
    assert fold_average(scored("accuracy", kfold(10), truth=few)).low > 0
    certain = PROBABILITY.copy()
    certain[4] = 0.0
    assert "certain and wrong" in refusal(scored("log_loss", kfold(10), certain), "log_loss")
    assert fold_average(scored("brier", kfold(10), certain)).low > 0
    assert "stratify the plan" in refusal(scored("brier_skill", kfold(5, stratified=False)), "brier_skill")
    assert "no truth enters" in refusal(scored("bayes_error", kfold(10)), "bayes_error")


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
    assert "too much alike" in str(found.difference.undefined)
    assert math.isnan(found.test.p_value)
    assert "too much alike" in str(correlated_t(one, other).undefined)
    # Beside a learner that looks at features, a constant can be judged.
    learned = scored("brier", kfold(10), np.where(even == 1, 0.7, 0.4) + 0.05 * RNG.normal(size=200), even)
    assert corrected_t(one, learned).difference.low > 0


def test_what_speaks_against_a_mean_speaks_against_a_difference() -> None:
    certain = PROBABILITY.copy()
    certain[4] = 0.0
    found = corrected_t(scored("log_loss", kfold(10), certain), scored("log_loss", kfold(10)))
    assert "certain and wrong" in str(found.test.undefined)
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
    assert "rows of a group depend" in str(grouped.estimate("data", "nb", "brier").undefined)
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
            assert "not shown to hold" in str(found.undefined)
        else:
            assert found.low < found.value < found.high
        assert study.fold_scores("data", "nb", name).moved is not None
    study.store.close()
