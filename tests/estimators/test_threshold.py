"""The threshold is the best on held-out scores, by looking at all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from assay.errors import OptionError
from assay.estimators import ThresholdClassifier


def cases(seed: int = 0, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 3))
    return features, (features[:, 0] + rng.normal(size=n) > 0.5).astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_threshold_on_the_held_out_scores_costs_less(seed: int) -> None:
    features, y = cases(seed, 120)
    model = ThresholdClassifier(GaussianNB(), costs={"fp": 1, "fn": 7}, cv=4, random_state=3).fit(features, y)
    folds = StratifiedKFold(4, shuffle=True, random_state=np.random.RandomState(3))
    score = cross_val_predict(GaussianNB(), features, y, cv=folds, method="predict_proba")[:, 1]

    def cost(threshold: float) -> int:
        called = score >= threshold
        return int((called & (y == 0)).sum() + 7 * (~called & (y == 1)).sum())

    least = min(cost(threshold) for threshold in [*score, np.inf])
    assert cost(model.threshold_) == least
    assert model.choice_.apparent == pytest.approx(least / len(y))
    # The classifier itself was fitted to all cases in the end.
    assert (model.classifier_.theta_ == GaussianNB().fit(features, y).theta_).all()
    assert (model.predict(features) == (model.predict_proba(features)[:, 1] >= model.threshold_)).all()


def test_training_scores_have_no_say() -> None:
    """A neighbour classifier of one knows its training cases by heart: on them every threshold would look perfect."""
    features, y = cases(1)
    model = ThresholdClassifier(KNeighborsClassifier(1), costs={"fp": 1, "fn": 1}).fit(features, y)
    assert model.choice_.apparent > 0.15


def test_cases_may_be_held_out_in_four_ways() -> None:
    features, y = cases(2)
    first, second = slice(0, 200), slice(200, None)
    prefit = LogisticRegression().fit(features[first], y[first])
    ready = ThresholdClassifier(prefit, by="f1", cv="prefit").fit(features[second], y[second])
    assert ready.classifier_ is prefit
    assert ready.table_.total == 100
    assert ThresholdClassifier(LogisticRegression(), by="f1", cv=0.25).fit(features, y).table_.total == 75
    given = [(np.arange(200), np.arange(200, 300))]
    same = ThresholdClassifier(LogisticRegression(), by="f1", cv=given).fit(features, y)
    assert same.threshold_ == ready.threshold_
    with pytest.raises(OptionError, match="cv tests a case more than once"):
        ThresholdClassifier(LogisticRegression(), by="f1", cv=given * 2).fit(features, y)
    with pytest.raises(OptionError, match="cv is 1; needed: a whole number from 2 on"):
        ThresholdClassifier(LogisticRegression(), cv=1).fit(features, y)


def test_a_demand_with_confidence_holds_on_new_cases() -> None:
    """The share of samples whose threshold misses the demand on the population is at most 1 - confidence."""
    missed = 0
    fresh, truth = cases(999, 20_000)
    for seed in range(60):
        features, y = cases(seed, 150)
        demand = ThresholdClassifier(GaussianNB(), at_least={"recall": 0.8}, confidence=0.9, cv=0.5, random_state=seed)
        called = demand.fit(features, y).predict(fresh)
        missed += called[truth == 1].mean() < 0.8
    assert missed <= 60 * 0.1 + 3 * np.sqrt(60 * 0.1 * 0.9)


def test_what_cannot_be_met_or_meant_is_said() -> None:
    features, y = cases(3)
    with pytest.raises(OptionError, match="both costs and 'f1' are given"):
        ThresholdClassifier(GaussianNB(), costs={"fp": 1, "fn": 2}, by="f1").fit(features, y)
    with pytest.raises(ValueError, match="no threshold has"):
        ThresholdClassifier(GaussianNB(), at_least={"recall": 0.99, "specificity": 0.99}).fit(features, y)
    with pytest.raises(OptionError, match=r"at_least is 0.9; needed: bounds by measure"):
        ThresholdClassifier(GaussianNB(), at_least=0.9).fit(features, y)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"cv is 'x'.*needed: a number of folds"):
        ThresholdClassifier(GaussianNB(), cv="x").fit(features, y)
    with pytest.raises(OptionError, match="a training part of cv lacks a class"):
        ThresholdClassifier(GaussianNB(), cv=[(np.flatnonzero(y), np.flatnonzero(y == 0))]).fit(features, y)
    with pytest.warns(UserWarning, match="a class has 3 cases, so that there are 3 folds and not 5"):
        ThresholdClassifier(GaussianNB()).fit(features[:23], [1] * 3 + [0] * 20)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        ThresholdClassifier(GaussianNB()).fit(features, np.arange(300) % 3)


def test_it_shows_the_cost_against_the_threshold() -> None:
    model = ThresholdClassifier(GaussianNB(), costs={"fp": 1, "fn": 7}).fit(*cases(4))
    curve = model.picture()
    assert curve.y.min() == pytest.approx(model.choice_.apparent)
    assert curve.svg().startswith("<svg")


def test_a_confidence_without_a_demand_is_refused() -> None:
    features, y = np.arange(40.0).reshape(20, 2), [0, 1] * 10
    with pytest.raises(ValueError, match="confidence is given and no demand"):
        ThresholdClassifier(GaussianNB(), costs={"fp": 1, "fn": 5}, confidence=0.95).fit(features, y)


@pytest.mark.parametrize(
    ("share", "y", "words"),
    [
        (0.3, [0] * 19 + [1], "a class has 1 case, so none can be held out"),
        (0.01, [0, 1] * 10, "cv is 0.01, which parts 20 cases in 20 and 0"),
        (0.95, [0, 1] * 10, "which parts 20 cases in 1 and 19"),
    ],
)
def test_a_share_that_leaves_a_class_nowhere_is_one_sentence(share: float, y: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        ThresholdClassifier(GaussianNB(), cv=share).fit(np.arange(40.0).reshape(20, 2), y)
    assert "\n" not in str(caught.value)
