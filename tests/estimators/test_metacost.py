"""MetaCost relabels by least expected cost, and costs less than the plain learner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.decisions import bayes_decisions
from assay.estimators import MetaCostClassifier

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
