"""Deciding, weighing and handing on by costs; what is handed on reaches the confusion matrix.

MetaCost relabels by least expected cost, and costs less than the plain learner.

Votes as scores: K of n, members that abstain, and cases nobody votes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.decisions import bayes_decisions, matrix_with_rejection, reject_thresholds, rejection_region
from assay.errors import OptionError
from assay.estimators import (
    CostSensitiveClassifier,
    MetaCostClassifier,
    RejectClassifier,
    ThresholdClassifier,
    VotesClassifier,
)
from assay.measures import expected_cost


def cases(seed: int = 0, n: int = 400) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    return features, np.where(features[:, 0] + rng.normal(size=n) > 0, "yes", "no")


def test_chow_hands_on_between_two_probabilities() -> None:
    features, y = cases()
    costs: Any = {"fp": 1, "fn": 4, "reject": 0.2}
    model = RejectClassifier(GaussianNB(), costs=costs).fit(features, y)
    zone = rejection_region(assay.Costs(**costs))
    assert zone is not None
    low, high = zone
    p = model.predict_proba(features)[:, 1]
    assert (model.predict(features) == np.where(p >= high, "yes", np.where(p <= low, "no", "rejected"))).all()


def test_abstentions_are_a_column_of_the_matrix() -> None:
    features, y = cases()
    model = RejectClassifier(GaussianNB(), costs={"reject": 0.2}).fit(features[:200], y[:200])
    said = model.predict(features[200:])
    ev: Any = assay.evaluate(model, features[200:], y[200:])
    assert ev.matrix.decisions == ("no", "yes", "rejected")
    assert ev.matrix.counts[:, 2].sum() == (said == "rejected").sum() > 0
    assert ev.matrix.correct == (said == y[200:]).sum()
    (caution,) = [each.message for each in ev.cautions if each.code == "A105"]
    assert caution.startswith(f"Rejected (no prediction): {(said == 'rejected').sum()} cases")
    costs = assay.Costs(fp=1, fn=1, reject=0.2)
    by_hand = np.where(said == "rejected", 0.2, said != y[200:]).mean()
    assert float(expected_cost(costs)(ev.matrix)) == pytest.approx(by_hand)
    # A default class decides what was handed on, and says so.
    forced: Any = assay.evaluate(model, features[200:], y[200:], default_class="no")
    assert forced.matrix.decisions == ("no", "yes")
    assert forced.source.defaulted == (said == "rejected").sum()


@pytest.mark.parametrize("wrapped", ["pipeline", "search"])
def test_abstentions_are_known_through_what_holds_the_model(wrapped: str) -> None:
    features, y = cases()
    code = (y == "yes").astype(int)
    model: Any = RejectClassifier(GaussianNB(), costs={"reject": 0.2})
    held = (
        make_pipeline(StandardScaler(), model)
        if wrapped == "pipeline"
        else GridSearchCV(model, {"classifier__var_smoothing": [1e-9]}, cv=2)
    )
    ev: Any = assay.evaluate(held.fit(features, code), features, code)
    assert ev.matrix.decisions == ("0", "1", "rejected")


def test_one_that_hands_on_everything_is_evaluated_too() -> None:
    features, y = cases()
    model = RejectClassifier(GaussianNB(), costs={"reject": 0.0}).fit(features, y)
    matrix: Any = assay.evaluate(model, features, y).matrix
    assert matrix.counts[:, :2].sum() == 0
    assert matrix.counts[:, 2].tolist() == [(y == "no").sum(), (y == "yes").sum()]


def test_a_zone_of_scores_is_the_cheapest_of_all_zones() -> None:
    features, y = cases(3, 60)
    costs = assay.Costs(fp=1, fn=2, reject=0.25)
    model = RejectClassifier(GaussianNB(), costs=costs, by="score", cv=3).fit(features, y)
    assert model.zone_ == reject_thresholds(model.table_, costs)
    cost = expected_cost(costs)
    ends = [*model.table_.score.tolist(), np.inf]
    least = min(float(cost(matrix_with_rejection(model.table_, (a, b)))) for a in ends for b in ends if a <= b)
    assert float(cost(matrix_with_rejection(model.table_, model.zone_))) == pytest.approx(least)
    assert set(model.predict(features)) == {"no", "yes", "rejected"}
    assert model.picture().svg().startswith("<svg")


def test_handing_on_that_never_pays_leaves_one_threshold() -> None:
    features, y = cases(4)
    model = RejectClassifier(GaussianNB(), costs={"fp": 1, "fn": 1, "reject": 0.9}, by="score").fit(features, y)
    assert model.zone_[0] == model.zone_[1]
    assert set(model.predict(features)) == {"no", "yes"}


def test_three_classes_are_handed_on_where_none_is_likely_enough() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    features = np.eye(3)[y] + rng.normal(size=(300, 3))
    model = RejectClassifier(GaussianNB(), costs={"reject": 0.3}).fit(features, y)
    top = model.predict_proba(features).max(axis=1)
    assert ((model.predict(features) == -1) == (top < 0.7)).all()
    ev: Any = assay.evaluate(model, features, y)
    assert ev.matrix.decisions == ("0", "1", "2", "rejected")
    with pytest.raises(OptionError, match=r"by='score' needs two classes \(got 3\)"):
        RejectClassifier(GaussianNB(), costs={"reject": 0.3}, by="score").fit(features, y)


def test_what_stands_for_a_case_handed_on_is_no_class() -> None:
    features, y = cases()
    swapped = np.where(y == "yes", -1, 1)
    model = RejectClassifier(GaussianNB(), costs={"reject": 0.2}).fit(features, swapped)
    assert model.abstention_ == -2
    with pytest.raises(OptionError, match="abstention cannot be 'yes'"):
        RejectClassifier(GaussianNB(), costs={"reject": 0.2}, abstention="yes").fit(features, y)
    with pytest.raises(OptionError, match=r"costs has no cost of rejecting; needed: costs=\{'reject': 0.2\}"):
        RejectClassifier(GaussianNB(), costs={"fp": 1, "fn": 2}).fit(features, y)
    named = np.where(y == "yes", "rejected", "no")
    handed = RejectClassifier(GaussianNB(), costs={"reject": 0.2}, abstention="?").fit(features, named)
    with pytest.raises(ValueError, match="a class is named 'rejected', the label of abstentions"):
        assay.evaluate(handed, features, named)


def test_dear_classes_are_decided_more_often() -> None:
    features, y = cases()
    for method in ("decide", "reweight"):
        shares = [
            (CostSensitiveClassifier(GaussianNB(), costs={"fp": 1, "fn": fn}, method=method).fit(features, y))
            .predict(features)
            .tolist()
            .count("yes")
            for fn in (0.2, 1, 5)
        ]
        assert shares[0] < shares[1] < shares[2]


DATA = load_diabetes()
X, Y = DATA.data, (DATA.target > 200).astype(int)
COSTS: Any = {"fp": 1, "fn": 5}


def test_it_costs_less_than_the_plain_tree_on_cases_not_seen() -> None:
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    wary = MetaCostClassifier(tree, costs=COSTS, n_estimators=20, random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    said = {name: cross_val_predict(model, X, Y, cv=folds) for name, model in (("metacost", wary), ("plain", tree))}
    found = assay.compare(Y, y_pred=said, positive=1).cost_difference("metacost", "plain", costs=assay.Costs(**COSTS))
    # About a third of a false alarm less for each case: -0.34 [-0.49, -0.20].
    assert found.value < -0.2
    assert found.high < 0


@pytest.mark.parametrize("out_of_bag", [False, True])
@pytest.mark.parametrize("use_probabilities", [False, True])
def test_labels_are_those_of_least_expected_cost(out_of_bag: bool, use_probabilities: bool) -> None:
    model = MetaCostClassifier(
        GaussianNB(), costs=COSTS, n_estimators=5, out_of_bag=out_of_bag, use_probabilities=use_probabilities
    ).fit(X, Y)
    assert model.bagged_.sum(axis=1) == pytest.approx(np.ones(len(Y)))
    labels = bayes_decisions(model.bagged_, assay.Costs(**COSTS))
    assert model.relabelled_ == (labels != Y).sum() > 0
    assert (model.classifier_.theta_ == GaussianNB().fit(X, labels).theta_).all()
    if not use_probabilities:
        members = 5 if not out_of_bag else np.arange(1, 6)
        assert np.isclose((model.bagged_[:, :1] * members) % 1, 0).any(axis=1).all()


def test_no_cost_difference_and_a_perfect_bag_change_no_label() -> None:
    flat = MetaCostClassifier(DecisionTreeClassifier(random_state=0), n_estimators=1, sample_share=1.0).fit(X, Y)
    assert set(flat.predict(X)) == {0, 1}
    apart = MetaCostClassifier(GaussianNB(), costs=COSTS).fit(
        np.repeat([[0.0], [9.0]], 20, axis=0), [0] * 20 + [1] * 20
    )
    assert apart.relabelled_ == 0


def test_costs_so_high_that_one_class_is_left() -> None:
    model = MetaCostClassifier(GaussianNB(), costs={"fp": 1, "fn": 1e6}).fit(X, Y)
    assert set(model.predict(X)) == {1}
    assert model.predict_proba(X).tolist() == [[0.0, 1.0]] * len(Y)


def test_three_classes_and_learners_without_probabilities() -> None:
    three = np.digitize(DATA.target, [120, 200])
    costs = [[0, 1, 2], [1, 0, 1], [8, 4, 0]]
    model = MetaCostClassifier(LinearSVC(random_state=0), costs=costs, n_estimators=5).fit(X, three)
    assert (model.predict(X) == 2).mean() > (three == 2).mean()


@pytest.mark.parametrize(
    ("asked", "sentence"), [({"n_estimators": 0}, "n_estimators is 0"), ({"sample_share": 1.5}, "share is 1.5")]
)
def test_what_makes_no_bag_is_refused(asked: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        MetaCostClassifier(GaussianNB(), costs=COSTS, **asked).fit(X, Y)


def votes_cases(seed: int = 0, n: int = 200) -> tuple[Any, Any]:
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
    features, y = votes_cases()
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
    features, y = votes_cases(1)
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
    features, y = votes_cases(2)
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
    features, y = votes_cases()
    with pytest.raises(OptionError, match="GaussianNB has no voting members"):
        VotesClassifier(GaussianNB()).fit(features, y)
    with pytest.raises(OptionError, match="votes is 40"):
        VotesClassifier(RandomForestClassifier(11), votes=40).fit(features, y)
    with pytest.raises(OptionError, match="default_class is 5"):
        VotesClassifier(RandomForestClassifier(11), default_class=5).fit(features, y)
    with pytest.raises(OptionError, match=r"votes needs two classes \(got 3\)"):
        VotesClassifier(RandomForestClassifier(11), votes=4).fit(features, np.arange(200) % 3)


def test_members_that_are_no_classifiers_do_not_vote() -> None:
    """Gradient boosting keeps regressions of what is left over: counted as votes they would all say nothing."""
    from sklearn.ensemble import GradientBoostingClassifier

    features, y = np.arange(40.0).reshape(20, 2), [0, 1] * 10
    with pytest.raises(ValueError, match="GradientBoostingClassifier has no voting members"):
        VotesClassifier(GradientBoostingClassifier(n_estimators=3)).fit(features, y)
