"""A mixture decides at the point of the hull that was asked for."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from assay.errors import OptionError
from assay.estimators import HullMixtureClassifier

PAIR = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]


def cases(seed: int = 0, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    return features, (features[:, 0] * features[:, 1] + rng.normal(size=n) > 0.3).astype(int)


@pytest.mark.parametrize("wanted", [{"fpr": 0.0}, {"fpr": 0.13}, {"fpr": 0.5}, {"recall": 0.35}, {"recall": 0.9}])
@pytest.mark.parametrize("classifiers", [GaussianNB(), PAIR], ids=["one", "two"])
def test_no_mixture_of_any_two_rules_is_better(wanted: dict[str, float], classifiers: Any) -> None:
    """All rules of all classifiers on the held-out scores, mixed in pairs: the best recall at this fpr, and back."""
    features, y = cases(1, 60)
    model = HullMixtureClassifier(classifiers, cv=3, **wanted).fit(features, y)
    points = {(0.0, 0.0), (1.0, 1.0)}
    for table in model.tables_.values():
        swept = table.swept()
        points |= set(zip((swept.fp / table.negatives).tolist(), (swept.tp / table.positives).tolist(), strict=True))
    ((name, value),) = wanted.items()
    here, there = (0, 1) if name == "fpr" else (1, 0)
    reached = []
    for a, b in product(points, points):
        if a[here] <= value <= b[here]:
            share = 0.0 if b[here] == a[here] else (value - a[here]) / (b[here] - a[here])
            ends = (a, b) if share or a[here] == b[here] else (a, a)
            reached.append(max(e[there] for e in ends) if b[here] == a[here] and name == "fpr" else
                           min(e[there] for e in ends) if b[here] == a[here] else
                           (1 - share) * a[there] + share * b[there])  # fmt: skip
    best = max(reached) if name == "fpr" else min(reached)
    assert (model.mixture_.recall if name == "fpr" else model.mixture_.fpr) == pytest.approx(best)


def test_decisions_are_drawn_with_the_chances_it_tells() -> None:
    features, y = cases(2)
    model = HullMixtureClassifier(PAIR, fpr=0.2, random_state=5).fit(features, y)
    chances = model.chances(features)
    assert 0 < model.mixture_.share < 1
    drawn = np.mean([model.predict(features) for _ in range(400)], axis=0)
    assert np.abs(drawn - chances).max() < 5 * np.sqrt(0.25 / 400)
    assert set(np.round(chances, 9)) <= {0.0, 1.0, *np.round([model.mixture_.share, 1 - model.mixture_.share], 9)}


def test_the_point_is_reached_on_new_cases() -> None:
    features, y = cases(3, 2000)
    model = HullMixtureClassifier(LogisticRegression(), fpr=0.25, cv="prefit", random_state=0)
    model.classifiers = GaussianNB().fit(features[:500], y[:500])
    model.fit(features[500:1500], y[500:1500])
    fresh, truth = cases(4, 20_000)
    assert model.predict(fresh)[truth == 0].mean() == pytest.approx(0.25, abs=0.04)


def test_the_same_seed_decides_alike_and_goes_on() -> None:
    features, y = cases(5)
    first, second = (HullMixtureClassifier(GaussianNB(), fpr=0.2, random_state=1).fit(features, y) for _ in range(2))
    assert (first.predict(features) == second.predict(features)).all()
    # Case by case the random numbers go on: they must not start again with each.
    model = HullMixtureClassifier(GaussianNB(), fpr=0.2, random_state=1).fit(features, y)
    undecided = features[(model.chances(features) > 0) & (model.chances(features) < 1)]
    assert len(undecided) > 0
    assert len({int(model.predict(undecided[:1])[0]) for _ in range(200)}) == 2


def test_it_has_no_score_and_says_so() -> None:
    model = HullMixtureClassifier(GaussianNB(), fpr=0.2).fit(*cases(6))
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "decision_function")
    assert model.picture().svg().startswith("<svg")
    assert len(model.picture().table().columns["best"]) == len(model.hull_)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({}, "neither fpr nor recall is given"),
        ({"fpr": 0.1, "recall": 0.9}, "both fpr and recall are given"),
        ({"fpr": 1.2}, "fpr is 1.2"),
        ({"fpr": 0.1, "classifiers": [("a", GaussianNB()), ("a", GaussianNB())]}, "two classifiers are called 'a'"),
        ({"fpr": 0.1, "classifiers": "nb"}, "classifiers is 'nb'"),
    ],
)
def test_what_makes_no_point_is_refused(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        HullMixtureClassifier(**{"classifiers": GaussianNB(), **asked}).fit(*cases(7))
