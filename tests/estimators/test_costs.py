"""Deciding, weighing and handing on by costs; what is handed on reaches the confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import assay
from assay.decisions import decided, reject_thresholds, reject_zone
from assay.errors import OptionError
from assay.estimators import CostSensitiveClassifier, RejectClassifier
from assay.measures import expected_cost


def cases(seed: int = 0, n: int = 400) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    return features, np.where(features[:, 0] + rng.normal(size=n) > 0, "yes", "no")


def test_chow_hands_on_between_two_probabilities() -> None:
    features, y = cases()
    costs: Any = {"fp": 1, "fn": 4, "reject": 0.2}
    model = RejectClassifier(GaussianNB(), costs=costs).fit(features, y)
    zone = reject_zone(assay.Costs(**costs))
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
    assert caution.startswith(f"Handed on and not decided: {(said == 'rejected').sum()} cases")
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
    least = min(float(cost(decided(model.table_, (a, b)))) for a in ends for b in ends if a <= b)
    assert float(cost(decided(model.table_, model.zone_))) == pytest.approx(least)
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
    with pytest.raises(OptionError, match="there are 3 classes, and a zone of scores is of two"):
        RejectClassifier(GaussianNB(), costs={"reject": 0.3}, by="score").fit(features, y)


def test_what_stands_for_a_case_handed_on_is_no_class() -> None:
    features, y = cases()
    swapped = np.where(y == "yes", -1, 1)
    model = RejectClassifier(GaussianNB(), costs={"reject": 0.2}).fit(features, swapped)
    assert model.abstention_ == -2
    with pytest.raises(OptionError, match="abstention is 'yes'"):
        RejectClassifier(GaussianNB(), costs={"reject": 0.2}, abstention="yes").fit(features, y)
    with pytest.raises(OptionError, match="the costs do not say what rejecting costs"):
        RejectClassifier(GaussianNB(), costs={"fp": 1, "fn": 2}).fit(features, y)
    named = np.where(y == "yes", "rejected", "no")
    handed = RejectClassifier(GaussianNB(), costs={"reject": 0.2}, abstention="?").fit(features, named)
    with pytest.raises(ValueError, match="a class is called 'rejected', as abstentions are"):
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
