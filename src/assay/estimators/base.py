"""What learners that hold another classifier share: cases as they came, answers held out, costs as they may be said.

What the learners take from scikit-learn, an extra: without it they say what to install.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.costs import Costs
from assay.errors import MissingExtra, OptionError
from assay.evidence import ScoreTable
from assay.request import checked_between, checked_whole
from assay.results import counted
from assay.types import Codes, Floats

__all__ = [
    "FOLDS",
    "PREFIT",
    "SVC",
    "Answer",
    "BaseEstimator",
    "CalibratedClassifierCV",
    "ClassifierMixin",
    "CostsLike",
    "DummyClassifier",
    "FrozenEstimator",
    "HeldOut",
    "LabelEncoder",
    "LabelledCases",
    "MetaEstimatorMixin",
    "StratifiedKFold",
    "WrappedClassifier",
    "available_if",
    "check_classification_targets",
    "check_cv",
    "check_is_fitted",
    "check_random_state",
    "clone",
    "column_or_1d",
    "costs_of",
    "fitted",
    "get_tags",
    "has_fit_parameter",
    "held_out",
    "is_classifier",
    "probabilities_of",
    "score_of",
    "seeded",
    "splits",
    "train_test_split",
    "validate_data",
    "weights_of",
]


try:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.dummy import DummyClassifier
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import StratifiedKFold, check_cv, train_test_split
    from sklearn.preprocessing import LabelEncoder
    from sklearn.svm import SVC
    from sklearn.utils import check_random_state, get_tags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        check_is_fitted,
        column_or_1d,
        has_fit_parameter,
        validate_data,
    )
except ImportError as error:
    raise MissingExtra("scikit-learn", extra="learn", purpose="wrapping classifiers") from error


PREFIT = "prefit"
FOLDS = 5
Answer = Callable[[Any, Any], Floats]
# What costs may be: the record, a table of its parts as a study file holds it, or a matrix with the truth in rows.
CostsLike = Costs | Mapping[str, Any] | ArrayLike


@dataclass(frozen=True, eq=False)
class LabelledCases:
    """LabelledCases to learn from: features, labels, the places of the labels among the classes, and weights if any."""

    features: Any
    labels: NDArray[Any]
    codes: Codes
    weight: Floats | None = None

    def only(self, rows: Codes) -> LabelledCases:
        """Some of them, which may be drawn several times."""
        features = self.features.iloc[rows] if hasattr(self.features, "iloc") else self.features[rows]
        weight = None if self.weight is None else self.weight[rows]
        return LabelledCases(features, self.labels[rows], self.codes[rows], weight)

    def labelled(self, codes: Codes, classes: NDArray[Any]) -> LabelledCases:
        """The same cases with other labels."""
        return replace(self, labels=classes[codes], codes=codes)

    def shares(self, classes: int) -> Floats:
        """The share of each class."""
        sizes = np.bincount(self.codes, self.weight, minlength=classes)
        return np.asarray(sizes / sizes.sum())

    def table(self, score: Floats) -> ScoreTable:
        """Their scores as evidence, the second class of two the positive one."""
        return ScoreTable.of(score, self.codes == 1, weight=self.weight)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A fitted classifier, cases, and what was said of each by a model that had not seen it."""

    classifier: Any
    cases: LabelledCases
    answers: Floats


def fitted(classifier: Any, cases: LabelledCases) -> Any:
    """A fresh copy fitted to cases; weights are used, or refused by name."""
    fresh = clone(classifier)
    if cases.weight is None:
        return fresh.fit(cases.features, cases.labels)
    if not has_fit_parameter(fresh, "sample_weight"):
        raise OptionError(
            f"sample_weight: {type(fresh).__name__} does not support it", "a classifier that supports weights"
        )
    return fresh.fit(cases.features, cases.labels, sample_weight=cases.weight)


def held_out(classifier: Any, cases: LabelledCases, answer: Answer, cv: Any, random_state: Any) -> HeldOut:
    """A classifier fitted to the cases, and answers about cases from models that did not see them.

    `cv` is a number of folds or a splitter (then every case is answered for, and the classifier is fitted to all of
    them in the end), a share of cases to hold out (then it is fitted to the others), or "prefit" for a classifier that
    has been fitted to other cases than these.
    """
    if isinstance(cv, str) and cv == PREFIT:
        check_is_fitted(classifier)
        return HeldOut(classifier, cases, answer(classifier, cases.features))
    if isinstance(cv, float):
        return _fit_with_holdout(classifier, cases, answer, cv, random_state)
    rows, answers = [], []
    for train, test in splits(cases, cv, random_state):
        if len(np.flatnonzero(np.bincount(cases.codes[train]))) <= int(cases.codes.max()):
            raise OptionError("a training part of cv has no case of a class", "parts with cases of every class")
        rows.append(np.asarray(test))
        answers.append(answer(fitted(classifier, cases.only(train)), cases.only(test).features))
    tested = np.concatenate(rows)
    if np.bincount(tested).max() > 1:
        raise OptionError("cv tests a case more than once", "splits that test each case at most once")
    return HeldOut(fitted(classifier, cases), cases.only(tested), np.concatenate(answers))


def splits(cases: LabelledCases, cv: Any, random_state: Any) -> Iterator[tuple[Codes, Codes]]:
    """Which rows to learn from and which to ask about, fold by fold; folds or a splitter that were given are used."""
    if not isinstance(cv, int | np.integer) or isinstance(cv, bool):
        try:
            yield from check_cv(cv, cases.labels, classifier=True).split(cases.features, cases.labels)
        except (TypeError, ValueError) as error:  # whatever scikit-learn has against it
            found = f"cv is {str(cv)[:60]!r}: {str(error)[:120]}"
            raise OptionError(found, "a number of folds, a share, 'prefit', or a splitter") from None
        return
    folds = min(checked_whole(cv, "cv", 2), int(np.bincount(cases.codes).min()))
    if folds < 2:
        raise OptionError("a class has only one case, which cannot be held out", "at least two cases of each class")
    if folds < cv:
        warnings.warn(f"a class has only {folds} cases: using {folds} folds, not {cv}", stacklevel=2)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=_checked_random_state(random_state))
    yield from splitter.split(cases.codes, cases.codes)


def _fit_with_holdout(
    classifier: Any, cases: LabelledCases, answer: Answer, share: float, random_state: Any
) -> HeldOut:
    checked_between(share, "cv")
    if (smallest := int(np.bincount(cases.codes).min())) < 2:
        raise OptionError(
            f"a class has only {counted(smallest, 'case')}, which cannot be held out", "at least two of each class"
        )
    rows = np.arange(len(cases.codes))
    classes, out = len(np.unique(cases.codes)), round(share * len(rows))
    if min(out, len(rows) - out) < classes:
        found = f"cv is {share:g}, which splits {len(rows):,} cases into {len(rows) - out:,} and {out:,}"
        raise OptionError(found, f"a share with at least {classes} cases in both parts")
    train, test = train_test_split(
        rows, test_size=out, stratify=cases.codes, random_state=_checked_random_state(random_state)
    )
    model, others = fitted(classifier, cases.only(train)), cases.only(test)
    return HeldOut(model, others, answer(model, others.features))


def _checked_random_state(random_state: Any) -> Any:
    return check_random_state(random_state) if random_state is not None else 0


def score_of(classifier: Any, features: Any) -> Floats:
    """Return the scores of the second class of two: its probability, else its decision value, else its label."""
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(features), dtype=np.float64)[:, -1]
    if hasattr(classifier, "decision_function"):
        return np.asarray(classifier.decision_function(features), dtype=np.float64).reshape(-1)
    return np.asarray(np.asarray(classifier.predict(features)) == classifier.classes_[-1], dtype=np.float64)


def probabilities_of(classifier: Any, features: Any) -> Floats:
    """Return the probability of each class."""
    if not hasattr(classifier, "predict_proba"):
        raise OptionError(f"{type(classifier).__name__} has no probabilities", "a classifier with predict_proba")
    return np.asarray(classifier.predict_proba(features), dtype=np.float64)


def costs_of(given: CostsLike | None, classes: NDArray[Any], *, may_reject: bool = False) -> Costs:
    """Costs for these classes, however they were said; a matrix has the classes in sorted order, as labels are.

    Where neither `fp` and `fn` nor a matrix is given, every error costs 1.

    >>> costs_of({"fp": 1, "fn": 5}, np.array(["no", "yes"]))
    Costs(fp=1, fn=5)
    >>> costs_of([[0, 1, 2], [1, 0, 1], [3, 2, 0]], np.array([0, 1, 2])).matrix[2]
    (3.0, 2.0, 0.0)
    >>> costs_of({"reject": 0.3}, np.array([0, 1, 2]), may_reject=True).reject
    0.3
    """
    alike = 1 - np.eye(len(classes))
    if given is None:
        given = alike
    if isinstance(given, Mapping):
        known = ("matrix", "classes", "fp", "fn", "tp", "tn", "prevalence", "acquisition", "reject")
        unknown = next((name for name in given if name not in known), None)
        if unknown is not None:
            raise OptionError(f"unknown cost {unknown!r}", f"one of {', '.join(known)}")
        said = given if {"matrix", "fp", "fn"} & given.keys() else {"matrix": alike, **given}
        given = Costs(**said)
    costs = given if isinstance(given, Costs) else Costs(given)
    if costs.reject is not None and not may_reject:
        raise OptionError("costs has a cost of rejecting, and this learner never rejects", "RejectClassifier")
    return costs.of_classes([str(name) for name in classes.tolist()])


def _classifier_has(method: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "classifier_", self.classifier), method)


class WrappedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that holds another: its cases, its tags, and the inner one's scores are handled here alone."""

    classifier: Any
    only_two_classes = False
    # Checks of scikit-learn that a learner of this kind must fail by its nature, with the reason.
    expected_failed_checks: Mapping[str, str] = {}

    def __sklearn_tags__(self) -> Any:
        """What it can take: what the classifier in it can."""
        tags = super().__sklearn_tags__()
        held = self._tagged_classifier()
        if held is not None:
            inner = get_tags(held)
            tags.input_tags.sparse = inner.input_tags.sparse
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
            tags.input_tags.string = inner.input_tags.string
            tags.input_tags.categorical = inner.input_tags.categorical
        if self.only_two_classes:
            tags.classifier_tags.multi_class = False
        return tags

    def _tagged_classifier(self) -> Any:
        """The classifier whose tags count."""
        return self.classifier

    def _cases(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledCases:  # noqa: N803 -- scikit-learn's
        """The cases as they came, their classes known from now on as `classes_`."""
        features = _as_two_dimensional(X)
        validate_data(self, X, y, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        # A classifier that was fitted elsewhere knows its classes; these cases may lack one of them.
        is_fitted = getattr(self, "cv", None) == PREFIT
        if is_fitted:
            check_is_fitted(self.classifier)
        encoder = LabelEncoder().fit(self.classifier.classes_ if is_fitted else labels)
        self.classes_: NDArray[Any] = encoder.classes_
        if len(self.classes_) < 2:
            raise OptionError("y has only 1 class", "cases of at least two classes")
        if self.only_two_classes and len(self.classes_) > 2:
            # What scikit-learn looks for in the sentence stands first.
            raise OptionError(
                f"Only binary classification is supported. y holds {len(self.classes_)} classes",
                "two classes, or another learner",
            )
        codes = encoder.transform(labels)
        weight = None if sample_weight is None else weights_of(sample_weight, len(codes))
        return LabelledCases(features, labels, codes, weight)

    def _asked(self, X: Any) -> Any:  # noqa: N803
        """The features of cases to predict, once it is known that there is something fitted to ask."""
        check_is_fitted(self, "classes_")
        features = _as_two_dimensional(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return features

    @available_if(_classifier_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probabilities of the inner classifier; predictions do not follow the largest."""
        asked = self._asked(X)
        return probabilities_of(self.classifier_, asked)

    @available_if(_classifier_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return the scores of the inner classifier."""
        asked = self._asked(X)
        return np.asarray(self.classifier_.decision_function(asked), dtype=np.float64)


def _as_two_dimensional(features: Any) -> Any:
    """Features as they came, if they have rows that can be picked; what is no array yet becomes one."""
    found = features if hasattr(features, "shape") else np.asarray(features)
    if len(found.shape) == 1:
        raise OptionError("X has one dimension", "one row for each case. Reshape your data: X.reshape(-1, 1)")
    # Some sparse forms have no rows to pick.
    return found.tocsr() if hasattr(found, "tocsr") else found


def weights_of(given: Any, cases: int) -> Floats:
    """Weights of cases, checked."""
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape != (cases,) or not (weight >= 0).all():
        found = f"sample_weight has shape {weight.shape} for {cases} cases, or a negative weight"
        raise OptionError(found, "a weight of 0 or more for each case")
    if not weight.any():
        raise OptionError("every weight is zero", "at least one positive weight")
    return weight


def seeded(classifiers: list[tuple[str, Any]], random_state: Any) -> Iterator[tuple[str, Any]]:
    """Fresh copies, every random state that nobody set taken from one seed."""
    rng = check_random_state(0 if random_state is None else random_state)
    for name, classifier in classifiers:
        fresh = clone(classifier)
        free = {
            key: int(rng.randint(2**31 - 1))
            for key, value in fresh.get_params(deep=True).items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        }
        yield name, fresh.set_params(**free)
