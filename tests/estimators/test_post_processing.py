"""The threshold is the best on held-out scores, by looking at all of them.

The recalibrated classifier behaves as scikit-learn's do.

A mixture decides at the point of the hull that was asked for.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from assay.calibration import RECALIBRATIONS
from assay.errors import OptionError, UnknownName
from assay.estimators import HullMixtureClassifier, RecalibratedClassifier, ThresholdClassifier
from assay.evidence import ScoreTable
from assay.measures import brier


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
    with pytest.raises(OptionError, match="cv is 1; needed: an integer of at least 2"):
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
    with pytest.raises(OptionError, match="a training part of cv has no case of a class"):
        ThresholdClassifier(GaussianNB(), cv=[(np.flatnonzero(y), np.flatnonzero(y == 0))]).fit(features, y)
    with pytest.warns(UserWarning, match="a class has only 3 cases: using 3 folds, not 5"):
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
    with pytest.raises(ValueError, match="confidence needs a constraint"):
        ThresholdClassifier(GaussianNB(), costs={"fp": 1, "fn": 5}, confidence=0.95).fit(features, y)


@pytest.mark.parametrize(
    ("share", "y", "words"),
    [
        (0.3, [0] * 19 + [1], "a class has only 1 case, which cannot be held out"),
        (0.01, [0, 1] * 10, "cv is 0.01, which splits 20 cases into 20 and 0"),
        (0.95, [0, 1] * 10, "which splits 20 cases into 1 and 19"),
    ],
)
def test_a_share_that_leaves_a_class_nowhere_is_one_sentence(share: float, y: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        ThresholdClassifier(GaussianNB(), cv=share).fit(np.arange(40.0).reshape(20, 2), y)
    assert "\n" not in str(caught.value)


METHODS = list(RECALIBRATIONS)


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, Any]:
    """Cases to fit, to recalibrate and to judge by, with redundant features that make naive Bayes overconfident."""
    features, y = make_classification(1800, 20, n_informative=3, n_redundant=15, flip_y=0.2, random_state=1)
    labels = np.array(["no", "yes"])[y]
    return (features[:600], labels[:600]), (features[600:1200], labels[600:1200]), (features[1200:], labels[1200:])


@pytest.fixture(scope="module")
def bayes(data: Any) -> GaussianNB:
    return GaussianNB().fit(*data[0])


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_get_better_and_the_classifier_stays(method: str, data: Any, bayes: GaussianNB) -> None:
    means = bayes.theta_.copy()
    repaired = RecalibratedClassifier(bayes, method).fit(*data[1])
    features, y = data[2]
    before, after = (
        float(brier(ScoreTable.of(model.predict_proba(features)[:, 1], y == "yes"))) for model in (bayes, repaired)
    )
    assert after < before
    assert repaired.predict_proba(features).sum(axis=1) == pytest.approx(np.ones(len(features)))
    assert set(repaired.predict(features)) <= {"no", "yes"}
    assert repaired.score(features, y) > 0.7
    assert (bayes.theta_ == means).all()


@pytest.mark.parametrize("method", ["beta", "temperature", "tilt"])
def test_it_is_the_recalibration_of_its_probabilities(method: str, data: Any, bayes: GaussianNB) -> None:
    features, y = data[1]
    repaired = RecalibratedClassifier(bayes, method).fit(features, y)
    fitted = RECALIBRATIONS[method](ScoreTable.of(bayes.predict_proba(features)[:, 1], y == "yes"))
    other = data[2][0]
    assert repaired.predict_proba(other)[:, 1] == pytest.approx(fitted(bayes.predict_proba(other)[:, 1]))


@pytest.mark.parametrize(("method", "name"), [("platt", "sigmoid"), ("isotonic", "isotonic")])
def test_scikit_learn_does_what_it_can_do(method: str, name: str, data: Any, bayes: GaussianNB) -> None:
    ours = RecalibratedClassifier(bayes, method).fit(*data[1])
    theirs = CalibratedClassifierCV(FrozenEstimator(bayes), method=name, ensemble=False).fit(*data[1])
    assert (ours.predict_proba(data[2][0]) == theirs.predict_proba(data[2][0])).all()


def test_many_classes_where_scikit_learn_has_them() -> None:
    features, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(features[::2], y[::2])
    assert RecalibratedClassifier(model, "platt").fit(features[1::2], y[1::2]).predict_proba(features).shape == (150, 3)
    with pytest.raises(OptionError, match=r"nothing was fitted to class '0'.*needed: 'isotonic' or 'venn_abers'"):
        RecalibratedClassifier(model, "beta").fit(features, y)


def test_weights_are_used(data: Any, bayes: GaussianNB) -> None:
    features, y = data[1]
    weight = np.where(y == "yes", 5.0, 1.0)
    for method in METHODS:
        plain, weighted = (
            RecalibratedClassifier(bayes, method).fit(features, y, sample_weight=w).predict_proba(features)[:, 1].mean()
            for w in (None, weight)
        )
        # A temperature has no way to shift the mean much.
        assert weighted > plain + 0.1 or (method == "temperature" and weighted != plain)


def test_it_can_be_cloned_kept_and_asked_for_its_parameters(data: Any, bayes: GaussianNB) -> None:
    repaired = RecalibratedClassifier(bayes, "beta")
    assert clone(repaired).get_params()["method"] == "beta"
    kept = pickle.loads(pickle.dumps(repaired.fit(*data[1])))
    assert (kept.predict(data[2][0]) == repaired.predict(data[2][0])).all()


def test_what_cannot_be_done_is_said(data: Any, bayes: GaussianNB) -> None:
    with pytest.raises(UnknownName, match="method is 'magic'; needed: 'tilt', 'platt'"):
        RecalibratedClassifier(bayes, "magic").fit(*data[1])
    with pytest.raises(NotFittedError):
        RecalibratedClassifier(bayes).predict(data[2][0])
    with pytest.raises(NotFittedError):
        RecalibratedClassifier(GaussianNB()).fit(*data[1])
    features, y = data[1]
    with pytest.raises(ValueError, match="of one class"):
        RecalibratedClassifier(bayes, "beta").fit(features[y == "yes"], y[y == "yes"])


def test_without_scikit_learn_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import assay.estimators"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "'scikit-learn>=1.6'" in done.stderr


@pytest.mark.parametrize("method", ["platt", "isotonic", "beta", "venn_abers"])
def test_every_method_takes_the_same_folds(method: str, data: Any) -> None:
    """A splitter or a seed is used by all of them, whoever does the work."""
    from sklearn.model_selection import StratifiedKFold

    features, y = data[0]

    def said(**asked: Any) -> Any:
        return RecalibratedClassifier(GaussianNB(), method, **asked).fit(features, y).predict_proba(features[:50])

    first = said(cv=4, random_state=1)
    assert (said(cv=4, random_state=1) == first).all()
    assert not (said(cv=4, random_state=2) == first).all()
    by_hand = StratifiedKFold(4, shuffle=True, random_state=np.random.RandomState(1))
    assert (said(cv=by_hand) == first).all()
    with pytest.raises(OptionError, match="cv is 'many'"):
        said(cv="many")


PAIR = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]


def mixture_cases(seed: int = 0, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    return features, (features[:, 0] * features[:, 1] + rng.normal(size=n) > 0.3).astype(int)


@pytest.mark.parametrize("wanted", [{"fpr": 0.0}, {"fpr": 0.13}, {"fpr": 0.5}, {"recall": 0.35}, {"recall": 0.9}])
@pytest.mark.parametrize("classifiers", [GaussianNB(), PAIR], ids=["one", "two"])
def test_no_mixture_of_any_two_rules_is_better(wanted: dict[str, float], classifiers: Any) -> None:
    """All rules of all classifiers on the held-out scores, mixed in pairs: the best recall at this fpr, and back."""
    features, y = mixture_cases(1, 60)
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
    features, y = mixture_cases(2)
    model = HullMixtureClassifier(PAIR, fpr=0.2, random_state=5).fit(features, y)
    chances = model.chances(features)
    assert 0 < model.mixture_.share < 1
    drawn = np.mean([model.predict(features) for _ in range(400)], axis=0)
    assert np.abs(drawn - chances).max() < 5 * np.sqrt(0.25 / 400)
    assert set(np.round(chances, 9)) <= {0.0, 1.0, *np.round([model.mixture_.share, 1 - model.mixture_.share], 9)}


def test_the_point_is_reached_on_new_cases() -> None:
    features, y = mixture_cases(3, 2000)
    model = HullMixtureClassifier(LogisticRegression(), fpr=0.25, cv="prefit", random_state=0)
    model.classifiers = GaussianNB().fit(features[:500], y[:500])
    model.fit(features[500:1500], y[500:1500])
    fresh, truth = mixture_cases(4, 20_000)
    assert model.predict(fresh)[truth == 0].mean() == pytest.approx(0.25, abs=0.04)


def test_the_same_seed_decides_alike_and_goes_on() -> None:
    features, y = mixture_cases(5)
    first, second = (HullMixtureClassifier(GaussianNB(), fpr=0.2, random_state=1).fit(features, y) for _ in range(2))
    assert (first.predict(features) == second.predict(features)).all()
    # Case by case the random numbers go on: they must not start again with each.
    model = HullMixtureClassifier(GaussianNB(), fpr=0.2, random_state=1).fit(features, y)
    undecided = features[(model.chances(features) > 0) & (model.chances(features) < 1)]
    assert len(undecided) > 0
    assert len({int(model.predict(undecided[:1])[0]) for _ in range(200)}) == 2


def test_it_has_no_score_and_says_so() -> None:
    model = HullMixtureClassifier(GaussianNB(), fpr=0.2).fit(*mixture_cases(6))
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
        ({"fpr": 0.1, "classifiers": [("a", GaussianNB()), ("a", GaussianNB())]}, "duplicate classifier name 'a'"),
        ({"fpr": 0.1, "classifiers": "nb"}, "classifiers is 'nb'"),
    ],
)
def test_what_makes_no_point_is_refused(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        HullMixtureClassifier(**{"classifiers": GaussianNB(), **asked}).fit(*mixture_cases(7))
