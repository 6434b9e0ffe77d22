"""Votes as scores: each member of an ensemble says a class, and K votes of n are enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError, UnknownAttribute
from assay.estimators._costs import abstention_among, with_abstention
from assay.estimators._learning import LabelledCases, WrappedClassifier, fitted
from assay.estimators._sklearn import is_classifier
from assay.request import checked_whole
from assay.sources import abstention_of
from assay.types import Codes, Floats

DRAWN = "which samples an ensemble draws depends on how many cases there are"


class VotesClassifier(WrappedClassifier):
    """An ensemble whose score for a class is the share of its members' votes for it.

    `classifier` is whatever keeps its members as `estimators_`: bagging, a forest, a committee. Of two classes the
    second is decided where at least `votes` members say it, or without that where most do. Members may abstain; a case
    on which all of them do (0 : 0) is given the `default_class` with certainty, or without one is handed on:
    `abstention_` in place of a label, and nan in place of probabilities, which `assay.evaluate(..., default_class=...)`
    takes.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import BaggingClassifier
    >>> X, y = make_classification(200, flip_y=0.2, random_state=0)
    >>> wary = VotesClassifier(BaggingClassifier(n_estimators=30, random_state=0), votes=5).fit(X[:100], y[:100])
    >>> votes = wary.count_votes(X[100:])
    >>> bool((votes.sum(axis=1) == 30).all()), bool((wary.predict(X[100:]) == (votes[:, 1] >= 5)).all())
    (True, True)
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_sample_weight_equivalence_on_dense_data": DRAWN,
        "check_sample_weight_equivalence_on_sparse_data": DRAWN,
    }

    def __init__(self, classifier: Any, *, votes: int | None = None, default_class: Any = None) -> None:
        self.classifier = classifier
        self.votes = votes
        self.default_class = default_class

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VotesClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the ensemble; its members learn the places of the classes, so that their votes can be told apart."""
        cases = self._cases(X, y, sample_weight)
        self.classifier_ = fitted(
            self.classifier, LabelledCases(cases.features, cases.codes, cases.codes, cases.weight)
        )
        self.members_ = len(list(_members(self.classifier_)))
        self.abstention_ = abstention_among(self.classes_, None)
        if self.votes is not None:
            if len(self.classes_) != 2:
                raise OptionError(f"votes is given, and there are {len(self.classes_)} classes", "votes of two classes")
            checked_whole(self.votes, "votes", 1, self.members_)
        if self.default_class is not None and self.default_class not in self.classes_.tolist():
            known = ", ".join(map(repr, self.classes_.tolist()[:8]))
            raise OptionError(f"default_class is {self.default_class!r}, and the classes are {known}", "one of them")
        return self

    def count_votes(self, X: Any) -> Codes:  # noqa: N803
        """How many members say each class, a column a class; those that abstain say none."""
        features = self._asked(X)
        plain = features.to_numpy() if hasattr(features, "to_numpy") else features
        found = np.zeros((features.shape[0], len(self.classes_)), dtype=np.intp)
        for member, columns in _members(self.classifier_):
            # Members that learned from a frame know its names; ensembles that pick columns hand on arrays.
            asked = (
                features if hasattr(member, "feature_names_in_") else plain if columns is None else plain[:, columns]
            )
            said = np.asarray(member.predict(asked))
            handed_on = abstention_of(member)
            for k in range(len(self.classes_)):
                found[:, k] += (said == k) & (True if handed_on is None else said != handed_on)
        return found

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The share of the votes for each class; nan where nobody voted and there is no default class."""
        votes = self.count_votes(X).astype(np.float64)
        total = votes.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(votes, total, out=np.full(votes.shape, np.nan), where=total > 0)
        if self.default_class is not None:
            shares[total[:, 0] == 0] = self.classes_ == self.default_class
        return shares

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class with enough votes; the default class, or an abstention, where nobody voted."""
        votes = self.count_votes(X)
        decided = votes.argmax(axis=1) if self.votes is None else (votes[:, 1] >= self.votes).astype(np.intp)
        nobody = len(self.classes_)
        if self.default_class is not None:
            nobody = self.classes_.tolist().index(self.default_class)
        decided = np.where(votes.sum(axis=1) == 0, nobody, decided)
        if (decided < len(self.classes_)).all():
            labels: NDArray[Any] = self.classes_[decided]
            return labels
        return with_abstention(self.classes_, self.abstention_)[decided]

    @property
    def decision_function(self) -> Any:
        """Nothing: the votes are the score."""
        raise UnknownAttribute("the score of votes is their share", "predict_proba, or count_votes")


def _members(ensemble: Any) -> Iterator[tuple[Any, Any]]:
    """The fitted members of an ensemble, and which features each was given, where not all."""
    found = getattr(ensemble, "estimators_", None)
    members = None if found is None else list(np.asarray(found, dtype=object).ravel())
    # Of gradient boosting they are regressions of what is left over: their answers are no classes.
    if not members or not all(is_classifier(member) for member in members):
        raise OptionError(f"{type(ensemble).__name__} keeps no members that vote", "bagging, a forest or a committee")
    chosen = getattr(ensemble, "estimators_features_", None)
    every = [None] * len(members) if chosen is None else chosen
    yield from zip(members, every, strict=True)
