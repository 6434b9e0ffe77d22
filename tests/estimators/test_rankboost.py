"""RankBoost against the pairs themselves, against its bound, and against AdaBoost."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import assay
from assay.estimators import RankBoostClassifier


def cases(seed: int = 0, n: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = np.round(rng.normal(size=(n, 3)), 1)
    return features, features[:, 0] + features[:, 1] ** 2 + rng.normal(size=n) > 1


@pytest.mark.parametrize("seed", range(4))
def test_every_round_is_the_best_over_all_pairs(seed: int) -> None:
    """The weight of each pair, kept for every pair: the stump taken lowers their sum as much as any could."""
    features, y = cases(seed)
    model = RankBoostClassifier(6).fit(features, y)
    up, down = features[y], features[~y]
    pairs = np.full((len(up), len(down)), 1 / (len(up) * len(down)))
    bound = 1.0
    for stump, told in zip(model.stumps_, model.bounds_, strict=True):

        def sums(feature: int, cut: float, weights: Any = pairs) -> tuple[float, float, float]:
            ahead = (up[:, None, feature] > cut).astype(int) - (down[None, :, feature] > cut)
            return tuple(float(weights[ahead == k].sum()) for k in (1, -1, 0))  # type: ignore[return-value]

        least = min(
            zero + 2 * np.sqrt(right * wrong)
            for feature in range(3)
            for cut in features[:, feature]
            for right, wrong, zero in [sums(feature, cut)]
        )
        right, wrong, zero = sums(stump.feature, stump.cut)
        assert zero + 2 * np.sqrt(right * wrong) == pytest.approx(least, abs=1e-9)
        ahead = (up[:, None, stump.feature] > stump.cut).astype(int) - (down[None, :, stump.feature] > stump.cut)
        pairs = pairs * np.exp(-stump.say * ahead)
        bound *= pairs.sum()
        pairs /= pairs.sum()
        assert told == pytest.approx(bound)


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_falls_and_the_loss_stays_below_it(seed: int) -> None:
    features, y = cases(seed, 400)
    model = RankBoostClassifier(60).fit(features, y)
    bounds, losses = np.array(model.bounds_), np.array(model.losses_)
    assert (np.diff(bounds) <= 1e-12).all()
    assert (losses <= bounds + 1e-12).all()
    assert bounds[-1] < 0.8 * bounds[0]
    # It is the share of pairs in the wrong order, ties counted half, that every stage leaves.
    for loss, score in zip(losses, model.staged_decision_function(features), strict=True):
        ahead = score[y][:, None] - score[~y]
        assert loss == pytest.approx(((ahead < 0) + 0.5 * (ahead == 0)).mean())
    assert model.picture().svg().startswith("<svg")
    assert model.picture().table().columns["loss"] == model.losses_


def test_where_a_ranking_is_perfect_the_loss_is_zero() -> None:
    model = RankBoostClassifier(20).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert model.losses_[-1] == 0
    assert np.isfinite(model.decision_function([[-9.0], [9.0]])).all()
    assert model.predict([[0.4], [2.6]]).tolist() == [0, 1]


def test_where_nothing_tells_the_classes_apart_there_is_no_round() -> None:
    model = RankBoostClassifier(5).fit([[1.0]] * 6, [0, 1] * 3)
    assert model.stumps_ == []
    assert model.decision_function([[1.0], [2.0]]).tolist() == [0.0, 0.0]


SETS = {
    "breast_cancer": load_breast_cancer(return_X_y=True),
    "wine": (load_wine().data, (load_wine().target == 1).astype(int)),
    "digits": (load_digits().data[::2], (load_digits().target[::2] == 8).astype(int)),
    "diabetes": (load_diabetes().data, (load_diabetes().target > 200).astype(int)),
}


@pytest.mark.parametrize("name", SETS)
def test_it_ranks_at_least_as_well_as_adaboost(name: str) -> None:
    """Cases not seen, paired: no difference is shown to be below 0, and none can be much below it."""
    features, y = SETS[name]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    rivals = {"rankboost": RankBoostClassifier(50), "adaboost": AdaBoostClassifier(n_estimators=50, random_state=0)}
    said = {k: cross_val_predict(m, features, y, cv=folds, method="decision_function") for k, m in rivals.items()}
    verdict = assay.compare(y, said).verdict("roc_auc", "rankboost", "adaboost")
    assert verdict.high >= 0
    assert verdict.low > -0.05


def test_a_round_takes_time_in_proportion_to_the_cases_and_not_to_the_pairs() -> None:
    """Sixteen times the cases have 256 times the pairs; a round may take at most about 16 times as long, with room."""

    def seconds(n: int) -> float:
        features, y = cases(0, n)
        start = time.perf_counter()
        RankBoostClassifier(10).fit(features, y)
        return time.perf_counter() - start

    seconds(1000)
    small, large = (min(seconds(n) for _ in range(3)) for n in (5_000, 80_000))
    assert large < 64 * small
