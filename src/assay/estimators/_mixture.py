"""A classifier for any point of the ROC hull: two rules, one of them used for a random share of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.curves import Hull, roc_hull
from assay.curves.hull import Mixture, Owner
from assay.errors import OptionError, UnknownAttribute
from assay.estimators._learning import FOLDS, PREFIT, WrappedClassifier, held_out, score_of, seeded
from assay.estimators._pictures import MixturePicture, mixture_picture
from assay.estimators._sklearn import check_random_state
from assay.evidence import ScoreTable
from assay.types import Floats

TWICE = "what a mixture decides is drawn anew whenever it is asked"
ALONE = "model"


class HullMixtureClassifier(WrappedClassifier):
    """Decides at any point of the ROC hull of one or more classifiers, by chance between two rules where it must.

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
        """Fit every classifier, build the hull on held-out scores, and find the two rules that reach the point."""
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
        """The chance with which each case is called positive: 0 or 1 where both rules agree, else their share."""
        asked = self._asked(X)
        first, second = (self._calls(owner, asked) for owner in (self.mixture_.first, self.mixture_.second))
        return np.asarray((1 - self.mixture_.share) * first + self.mixture_.share * second)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class of each case, by chance where the two rules differ."""
        chances = self.chances(X)
        is_positive = self.draws_.random_sample(len(chances)) < chances
        labels: NDArray[Any] = self.classes_[is_positive.astype(np.intp)]
        return labels

    def picture(self) -> MixturePicture:
        """The held-out ROC curves, their hull, and the point that is decided at; to plot."""
        point = self.mixture_.fpr, self.mixture_.recall
        return mixture_picture(self.tables_, self.hull_, point, str(self.mixture_))

    @property
    def classifier(self) -> Any:
        """The first of the classifiers, for whoever asks what this one can take."""
        return self._named()[0][1]

    @property
    def predict_proba(self) -> Any:
        """Nothing: a mixture decides, and the chance of a decision is no probability of a class."""
        raise UnknownAttribute("a mixture decides by chance, and gives no probabilities of classes", "chances")

    @property
    def decision_function(self) -> Any:
        """Nothing, for the same reason."""
        raise UnknownAttribute("a mixture of two rules has no score", "chances")

    def _calls(self, owner: Owner, features: Any) -> Floats:
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
            raise OptionError(f"classifiers is {str(given)[:80]!r}", "a classifier, or a list of (name, classifier)")
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise OptionError(
                f"two classifiers are called {next(n for n in names if names.count(n) > 1)!r}", "a name each"
            )
        return [(name, classifier) for name, classifier in pairs]
