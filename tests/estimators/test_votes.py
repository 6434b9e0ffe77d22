"""Votes as scores: K of n, members that abstain, and cases nobody votes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.errors import OptionError
from assay.estimators import ThresholdClassifier, VotesClassifier


def cases(seed: int = 0, n: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 4))
    return features, np.where(features[:, 0] + rng.normal(size=n) > 0, 7, 3)


ENSEMBLES = [
    BaggingClassifier(DecisionTreeClassifier(), n_estimators=11, max_features=2, random_state=0),
    RandomForestClassifier(11, random_state=0),
    VotingClassifier([("a", GaussianNB()), ("b", KNeighborsClassifier(3)), ("c", DecisionTreeClassifier(max_depth=2))]),
]


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda each: type(each).__name__)
def test_the_score_is_the_share_of_members_that_say_a_class(ensemble: Any) -> None:
    features, y = cases()
    model = VotesClassifier(ensemble, votes=2).fit(features[:100], y[:100])
    votes = model.count_votes(features[100:])
    members = model.classifier_.estimators_
    chosen = getattr(model.classifier_, "estimators_features_", [slice(None)] * len(members))
    by_hand = sum(m.predict(features[100:][:, c]) == 1 for m, c in zip(members, chosen, strict=True))
    assert (votes[:, 1] == by_hand).all()
    assert (votes.sum(axis=1) == len(members)).all()
    assert model.predict_proba(features[100:])[:, 1] == pytest.approx(by_hand / len(members))
    assert (model.predict(features[100:]) == np.where(by_hand >= 2, 7, 3)).all()


def test_the_number_of_votes_can_be_chosen_by_cost() -> None:
    features, y = cases(1)
    bag = VotesClassifier(BaggingClassifier(n_estimators=15, random_state=0))
    few = ThresholdClassifier(bag, costs={"fp": 1, "fn": 10}).fit(features, y)
    many = ThresholdClassifier(bag, costs={"fp": 10, "fn": 1}).fit(features, y)
    assert few.threshold_ < many.threshold_


class Rule(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Says a class where a feature is far out, and nothing else."""

    def __init__(self, feature: int = 0) -> None:
        self.feature = feature

    def fit(self, X: Any, y: Any) -> Rule:  # noqa: N803
        self.classes_ = np.unique(y)
        self.abstention_ = -1
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.where(X[:, self.feature] > 1, 1, np.where(X[:, self.feature] < -1, 0, -1))


class Rules(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A committee of rules."""

    def fit(self, X: Any, y: Any) -> Rules:  # noqa: N803
        self.classes_ = np.unique(y)
        self.estimators_ = [Rule(k).fit(X, y) for k in range(2)]
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.estimators_[0].predict(X)


def test_cases_that_no_rule_knows_take_the_default_class() -> None:
    features, y = cases(2)
    nobody = (np.abs(features[:, :2]) <= 1).all(axis=1)
    open_model = VotesClassifier(Rules()).fit(features, y)
    assert np.isnan(open_model.predict_proba(features)).any(axis=1).tolist() == nobody.tolist()
    assert (open_model.predict(features)[nobody] == open_model.abstention_).all()
    closed = VotesClassifier(Rules(), default_class=3).fit(features, y)
    assert (closed.predict(features)[nobody] == 3).all()
    assert closed.predict_proba(features)[nobody].tolist() == [[1.0, 0.0]] * int(nobody.sum())
    # An evaluation can give the default class as well, counts the cases and says so.
    with pytest.raises(ValueError, match="is missing"):
        assay.evaluate(open_model, features, y, positive=7)
    ev: Any = assay.evaluate(open_model, features, y, positive=7, default_class=3)
    assert ev.source.defaulted == nobody.sum()
    same: Any = assay.evaluate(closed, features, y, positive=7)
    assert (ev.matrix.counts == same.matrix.counts).all()
    assert "A109" in {each.code for each in ev.cautions}


def test_what_cannot_vote_is_refused() -> None:
    features, y = cases()
    with pytest.raises(OptionError, match="GaussianNB keeps no members that vote"):
        VotesClassifier(GaussianNB()).fit(features, y)
    with pytest.raises(OptionError, match="votes is 40"):
        VotesClassifier(RandomForestClassifier(11), votes=40).fit(features, y)
    with pytest.raises(OptionError, match="default_class is 5"):
        VotesClassifier(RandomForestClassifier(11), default_class=5).fit(features, y)
    with pytest.raises(OptionError, match="votes is given, and there are 3 classes"):
        VotesClassifier(RandomForestClassifier(11), votes=4).fit(features, np.arange(200) % 3)


def test_members_that_are_no_classifiers_do_not_vote() -> None:
    """Gradient boosting keeps regressions of what is left over: counted as votes they would all say nothing."""
    from sklearn.ensemble import GradientBoostingClassifier

    features, y = np.arange(40.0).reshape(20, 2), [0, 1] * 10
    with pytest.raises(ValueError, match="GradientBoostingClassifier keeps no members that vote"):
        VotesClassifier(GradientBoostingClassifier(n_estimators=3)).fit(features, y)
