"""A classifier with a threshold chosen on held-out scores.

A classifier whose probabilities are repaired, as scikit-learn's other classifiers are used.

A classifier for any point of the ROC hull: two rules, one of them used for a random share of cases.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.calibration import RECALIBRATIONS, ClassRecalibration, Recalibration, fit_many
from assay.curves import Curve, Hull, against_threshold, roc_hull
from assay.curves.hull import Mixture, Owner
from assay.decisions import Constraint, ThresholdChoice, at_least, at_most, choose_threshold
from assay.errors import OptionError, UnknownAttribute
from assay.estimators.base import (
    FOLDS,
    PREFIT,
    CalibratedClassifierCV,
    CostsLike,
    FrozenEstimator,
    LabelledCases,
    WrappedClassifier,
    check_is_fitted,
    check_random_state,
    costs_of,
    held_out,
    probabilities_of,
    score_of,
    seeded,
    splits,
)
from assay.estimators.pictures import MixturePicture, mixture_picture
from assay.evidence import ClassScores, ScoreTable
from assay.request import checked_choice
from assay.types import Floats

# Enough to know how optimistic the choice is; more would only be slower.
DRAWS = 200


class ThresholdClassifier(WrappedClassifier):
    """A classifier with the threshold that is optimal for costs, a measure or under constraints.

    The threshold is chosen on scores that no model gave to its own training cases: `cv` is a number of folds, a share
    of cases to hold out, or "prefit" for a classifier fitted to other cases. It is the best for `costs` ({"fp": 1,
    "fn": 5}, a matrix, or `Costs`), or for the measure `by` name, among those that meet the demands `at_least` and
    `at_most` ({"recall": 0.9}); with a `confidence` they are met on new cases too. Errors cost 1 where nothing is said.
    `choice_` tells everything about the choice.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(400, flip_y=0.2, random_state=0)
    >>> wary = ThresholdClassifier(GaussianNB(), costs={"fp": 1, "fn": 5}).fit(X, y)
    >>> wary.choice_.rule
    'predict scores of at least 0.00151881 as positive'
    """

    only_two_classes = True
    expected_failed_checks: Mapping[str, str] = {
        "check_classifiers_train": "predictions follow the threshold, not the largest probability",
    }

    def __init__(
        self,
        classifier: Any,
        *,
        costs: CostsLike | None = None,
        by: str | None = None,
        at_least: Mapping[str, float] | None = None,
        at_most: Mapping[str, float] | None = None,
        confidence: float | None = None,
        prevalence: float | None = None,
        cv: Any = FOLDS,
        random_state: Any = None,
    ) -> None:
        self.classifier = classifier
        self.costs = costs
        self.by = by
        self.at_least = at_least
        self.at_most = at_most
        self.confidence = confidence
        self.prevalence = prevalence
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ThresholdClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the classifier and choose the threshold on held-out cases."""
        if not isinstance(self.by, str | None):
            raise OptionError(f"by is {self.by!r}", "the name of a measure to optimize: by='f1'")
        demands = self._all_constraints()
        if self.confidence is not None and not demands:
            raise OptionError("confidence needs a constraint", "a constraint such as at_least={'recall': 0.9}")
        cases = self._cases(X, y, sample_weight)
        found = held_out(self.classifier, cases, score_of, self.cv, self.random_state)
        self.classifier_ = found.classifier
        self.table_: ScoreTable = found.cases.table(found.answers)
        are_costs_meant = self.costs is not None or not (self.by or demands)
        self.choice_: ThresholdChoice = choose_threshold(
            self.table_,
            self.by,
            costs=costs_of(self.costs, self.classes_) if are_costs_meant else None,
            prevalence=self.prevalence,
            constraint=demands,
            draws=DRAWS,
        )
        self.threshold_ = self.choice_.threshold
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the second class for scores from the threshold on."""
        asked = self._asked(X)
        is_positive = score_of(self.classifier_, asked) >= self.threshold_
        labels: NDArray[Any] = self.classes_[is_positive.astype(np.intp)]
        return labels

    def picture(self) -> Curve:
        """Return the optimized measure by threshold on the held-out cases, to plot."""
        return against_threshold(self.choice_.criterion)(self.table_)

    def _all_constraints(self) -> list[Constraint]:
        """The demands in one list."""
        for name in ("at_least", "at_most"):
            if not isinstance(getattr(self, name) or {}, Mapping):
                raise OptionError(f"{name} is {getattr(self, name)!r}", f"bounds by measure: {name}={{'recall': 0.9}}")
        least = [at_least(name, bound, confidence=self.confidence) for name, bound in (self.at_least or {}).items()]
        most = [at_most(name, bound, confidence=self.confidence) for name, bound in (self.at_most or {}).items()]
        return [*least, *most]


# What scikit-learn has of its own, under its own name.
SKLEARN = {"platt": "sigmoid", "isotonic": "isotonic"}


class RecalibratedClassifier(WrappedClassifier):
    """A classifier with recalibrated probabilities, the recalibration fitted to held-out cases.

    `method` is "platt" or "isotonic" (scikit-learn's CalibratedClassifierCV does the work), "beta", "temperature",
    "tilt" or "venn_abers". Of more than two classes each is repaired against the rest and the row scaled to sum to 1,
    but for a temperature, which is one for all of them. `cv` is "prefit" for a classifier that was fitted to other
    cases and is not fitted again, a number of folds, or a share of cases to hold out.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(600, random_state=0)
    >>> bayes = GaussianNB().fit(X[:200], y[:200])
    >>> repaired = RecalibratedClassifier(bayes, method="beta").fit(X[200:400], y[200:400])
    >>> repaired.predict_proba(X[400:402]).round(2).sum(axis=1)
    array([1., 1.])
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_sample_weight_equivalence_on_dense_data": "the new case of Venn-Abers has the mean weight of the others",
    }

    def __init__(self, classifier: Any, method: str = "platt", *, cv: Any = PREFIT, random_state: Any = None) -> None:
        self.classifier = classifier
        self.method = method
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RecalibratedClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the classifier, and the recalibration to its held-out predictions."""
        checked_choice(self.method, RECALIBRATIONS, "method")
        cases = self._cases(X, y, sample_weight)
        if self.method in SKLEARN:
            self._fit_with_sklearn(cases)
            return self
        found = held_out(self.classifier, cases, probabilities_of, self.cv, self.random_state)
        self.classifier_, self.recalibration_ = found.classifier, self._fit_recalibration(found.cases, found.answers)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the recalibrated probabilities, a column for each class."""
        asked = self._asked(X)
        if self.method in SKLEARN:
            return np.asarray(self.calibrated_.predict_proba(asked), dtype=np.float64)
        said = probabilities_of(self.classifier_, asked)
        if isinstance(self.recalibration_, ClassRecalibration):
            return self.recalibration_(said)
        positive = self.recalibration_(said[:, 1])
        return np.column_stack((1 - positive, positive))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the class with the largest recalibrated probability."""
        largest = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[largest]
        return labels

    @property
    def decision_function(self) -> Any:
        """Raise: the recalibrated classifier has only probabilities."""
        raise UnknownAttribute("a recalibrated classifier has only probabilities", "predict_proba")

    def _fit_recalibration(self, cases: LabelledCases, answers: Floats) -> Recalibration | ClassRecalibration:
        if len(self.classes_) > 2:
            names = [str(name) for name in self.classes_.tolist()]
            return fit_many(ClassScores.of(answers, cases.codes, names, weight=cases.weight), self.method)
        found = RECALIBRATIONS[self.method](cases.table(answers[:, 1]))
        found.refuse_unfitted()
        return found

    def _fit_with_sklearn(self, cases: LabelledCases) -> None:
        """Let scikit-learn do it: by folds, or on what a fitted classifier says of these cases."""
        method = SKLEARN[self.method]
        if not (isinstance(self.cv, str) and self.cv == PREFIT) and not isinstance(self.cv, float):
            folds = list(splits(cases, self.cv, self.random_state))
            self.calibrated_ = CalibratedClassifierCV(self.classifier, method=method, cv=folds, ensemble=False)
            self.calibrated_.fit(cases.features, cases.labels, sample_weight=cases.weight)
            return
        found = held_out(self.classifier, cases, _no_predictions, self.cv, self.random_state)
        check_is_fitted(found.classifier)
        self.classifier_ = found.classifier
        self.calibrated_ = CalibratedClassifierCV(FrozenEstimator(found.classifier), method=method, ensemble=False)
        with warnings.catch_warnings():
            # The frozen classifier takes no weights, and needs none: it is not fitted again.
            warnings.filterwarnings("ignore", message="Since FrozenEstimator does not appear to accept")
            self.calibrated_.fit(found.cases.features, found.cases.labels, sample_weight=found.cases.weight)


def _no_predictions(classifier: Any, features: Any) -> Floats:
    """No answer: scikit-learn asks for its own."""
    return np.empty(0)


TWICE = "a mixture draws its predictions at random"
ALONE = "model"


class HullMixtureClassifier(WrappedClassifier):
    """A classifier at any point of the ROC hull of one or more classifiers, randomized between two rules if needed.

    `classifiers` is a classifier or a list of (name, classifier). The hull is built on held-out scores (`cv` as
    everywhere), and the point wanted is said by its false-positive rate `fpr` or its `recall`. Between two corners of
    the hull no rule decides by itself: each case is decided by one or the other, by chance, from `random_state` on; the
    next call goes on with the next random numbers. `mixture_` says in words what is done.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(400, flip_y=0.2, random_state=0)
    >>> mixed = HullMixtureClassifier(GaussianNB(), fpr=0.1, random_state=0).fit(X, y)
    >>> print(mixed.mixture_)
    model from 0.828437 for a random 98.8 % of cases, model from 0.909356 for the others

    References: Provost & Fawcett (2001).
    """

    only_two_classes = True
    expected_failed_checks: Mapping[str, str] = {
        "check_methods_sample_order_invariance": TWICE,
        "check_methods_subset_invariance": TWICE,
        "check_pipeline_consistency": TWICE,
    }

    def __init__(
        self,
        classifiers: Any,
        *,
        fpr: float | None = None,
        recall: float | None = None,
        cv: Any = FOLDS,
        random_state: Any = None,
    ) -> None:
        self.classifiers = classifiers
        self.fpr = fpr
        self.recall = recall
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HullMixtureClassifier:  # noqa: N803 -- scikit-learn's
        """Fit every classifier, build the hull on held-out scores, and choose the two rules that give the point."""
        cases = self._cases(X, y, sample_weight)
        named = self._named()
        self.tables_: dict[str, ScoreTable] = {}
        self.classifiers_: dict[str, Any] = {}
        for name, classifier in named if self.cv == PREFIT else seeded(named, self.random_state):
            found = held_out(classifier, cases, score_of, self.cv, self.random_state)
            self.classifiers_[name], self.tables_[name] = found.classifier, found.cases.table(found.answers)
        self.hull_: Hull = roc_hull(self.tables_)
        self.mixture_: Mixture = self.hull_.mix(fpr=self.fpr, recall=self.recall)
        self.draws_ = check_random_state(0 if self.random_state is None else self.random_state)
        if self.draws_ is self.random_state:
            # The caller's own generator goes on by itself; what is drawn here must not depend on that.
            self.draws_ = np.random.RandomState(self.draws_.randint(2**31 - 1))
        return self

    def chances(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of a positive prediction: 0 or 1 where both rules agree, else their share."""
        asked = self._asked(X)
        first, second = (self._owner_predictions(owner, asked) for owner in (self.mixture_.first, self.mixture_.second))
        return np.asarray((1 - self.mixture_.share) * first + self.mixture_.share * second)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the predicted class of each case, at random where the two rules differ."""
        chances = self.chances(X)
        is_positive = self.draws_.random_sample(len(chances)) < chances
        labels: NDArray[Any] = self.classes_[is_positive.astype(np.intp)]
        return labels

    def picture(self) -> MixturePicture:
        """Return the held-out ROC curves, their hull and the operating point, to plot."""
        point = self.mixture_.fpr, self.mixture_.recall
        return mixture_picture(self.tables_, self.hull_, point, str(self.mixture_))

    @property
    def classifier(self) -> Any:
        """The first of the classifiers, for whoever asks what this one can take."""
        return self._named()[0][1]

    @property
    def predict_proba(self) -> Any:
        """Raise: the chance of a prediction is no class probability."""
        raise UnknownAttribute("a mixture predicts at random and has no class probabilities", "chances")

    @property
    def decision_function(self) -> Any:
        """Nothing, for the same reason."""
        raise UnknownAttribute("a mixture of two rules has no score", "chances")

    def _owner_predictions(self, owner: Owner, features: Any) -> Floats:
        """Which cases a rule calls positive; to call nobody or everybody so needs no classifier."""
        if np.isinf(owner.threshold):
            return np.full(features.shape[0], float(owner.threshold < 0))
        return np.asarray(score_of(self.classifiers_[owner.classifier], features) >= owner.threshold, dtype=np.float64)

    def _named(self) -> list[tuple[str, Any]]:
        given = self.classifiers
        if hasattr(given, "fit"):
            return [(ALONE, given)]
        pairs = [tuple(pair) for pair in given] if isinstance(given, Sequence) and not isinstance(given, str) else []
        if not pairs or any(len(pair) != 2 or not isinstance(pair[0], str) for pair in pairs):
            raise OptionError(
                f"classifiers is {str(given)[:80]!r}", "a classifier, or a list of pairs (name, classifier)"
            )
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise OptionError(
                f"duplicate classifier name {next(n for n in names if names.count(n) > 1)!r}", "unique names"
            )
        return [(name, classifier) for name, classifier in pairs]
