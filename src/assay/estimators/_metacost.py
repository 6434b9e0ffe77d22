"""MetaCost: any classifier made to mind costs by learning the labels that would have been cheapest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.costs import Costs
from assay.decisions import bayes_decisions
from assay.errors import UnknownAttribute
from assay.estimators._learning import CostsLike, LabelledCases, WrappedClassifier, costs_of, fitted, seeded
from assay.estimators._sklearn import DummyClassifier, check_random_state
from assay.request import checked_between, checked_whole
from assay.types import Codes, Floats

# Samples that lost a class are drawn again so often before the data are taken as they are.
REDRAWS = 50


class MetaCostClassifier(WrappedClassifier):
    """A classifier fitted to relabelled cases: each gets the class that costs least by what a bag of its kind says.

    `n_estimators` copies are fitted to samples drawn with replacement, each of `sample_share` as many cases as there
    are. Their answers about a case (probabilities, or votes without `use_probabilities`), of all of them or only of
    those that did not see it (`out_of_bag`), are averaged; the class with the least expected cost becomes its label,
    and one more copy learns the relabelled cases. `relabelled_` counts them.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(300, flip_y=0.2, weights=[0.7], random_state=0)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> wary = MetaCostClassifier(tree, costs={"fp": 1, "fn": 5}, random_state=0).fit(X, y)
    >>> bool(wary.relabelled_ > 0), bool(wary.predict(X).mean() > tree.fit(X, y).predict(X).mean())
    (True, True)

    References: Domingos (1999).
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_sample_weight_equivalence_on_dense_data": "which cases a sample holds depends on how many there are",
    }

    def __init__(
        self,
        classifier: Any,
        *,
        costs: CostsLike | None = None,
        n_estimators: int = 10,
        sample_share: float = 1.0,
        use_probabilities: bool = True,
        out_of_bag: bool = False,
        random_state: Any = None,
    ) -> None:
        self.classifier = classifier
        self.costs = costs
        self.n_estimators = n_estimators
        self.sample_share = sample_share
        self.use_probabilities = use_probabilities
        self.out_of_bag = out_of_bag
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MetaCostClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the bag, relabel the cases, and fit one classifier to them."""
        cases = self._cases(X, y, sample_weight)
        self.costs_: Costs = costs_of(self.costs, self.classes_)
        classes = len(self.classes_)
        self.bagged_ = self._bagged(cases)
        cheapest = bayes_decisions(self.bagged_, self.costs_, calibrated_at=cases.shares(classes))
        self.relabelled_ = int((cheapest != cases.codes).sum())
        learned = cases.labelled(cheapest, self.classes_)
        alone = len(np.flatnonzero(np.bincount(cheapest))) == 1
        self.classifier_ = fitted(DummyClassifier(strategy="most_frequent") if alone else self.classifier, learned)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """What the classifier says of the relabelled classes: no probabilities of the true ones."""
        asked = self._asked(X)
        known = self.classifier_.classes_.tolist()
        said = np.asarray(self.classifier_.predict_proba(asked), dtype=np.float64)
        return _spread(said, [self.classes_.tolist().index(name) for name in known], len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class the classifier of the relabelled cases gives."""
        asked = self._asked(X)
        labels: NDArray[Any] = np.asarray(self.classifier_.predict(asked))
        return labels

    @property
    def decision_function(self) -> Any:
        """Nothing: scores of relabelled classes would be taken for scores of the classes."""
        raise UnknownAttribute("MetaCost has learned other labels, which scores would be of", "predict")

    def _bagged(self, cases: LabelledCases) -> Floats:
        """What the bag says of each case, averaged."""
        checked_whole(self.n_estimators, "n_estimators", 1)
        checked_between(self.sample_share, "sample_share", closed=True)
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        n, classes = len(cases.codes), len(self.classes_)
        every, unseen = np.zeros((n, classes)), np.zeros((n, classes))
        copies = seeded([("", self.classifier)] * self.n_estimators, int(rng.randint(2**31 - 1)))
        for _, copy in copies:
            rows = _drawn(cases, max(2, round(self.sample_share * n)), rng)
            said = self._said(fitted(copy, cases.only(rows)), cases)
            every += said
            was_out = np.bincount(rows, minlength=n) == 0
            unseen[was_out] += said[was_out]
        # A case that every member saw has only those to ask.
        total = np.where(unseen.any(axis=1, keepdims=True), unseen, every) if self.out_of_bag else every
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def _said(self, member: Any, cases: LabelledCases) -> Floats:
        known = [self.classes_.tolist().index(name) for name in member.classes_.tolist()]
        if self.use_probabilities and hasattr(member, "predict_proba"):
            said = np.asarray(member.predict_proba(cases.features), dtype=np.float64)
            return _spread(said, known, len(self.classes_))
        votes = np.asarray(member.predict(cases.features))
        return np.asarray(votes[:, None] == self.classes_, dtype=np.float64)


def _drawn(cases: LabelledCases, size: int, rng: np.random.RandomState) -> Codes:
    """A sample of rows with replacement that holds two classes at least."""
    for _ in range(REDRAWS):
        rows: Codes = rng.randint(len(cases.codes), size=size)
        if (cases.codes[rows] != cases.codes[rows[0]]).any():
            return rows
    return np.arange(len(cases.codes))


def _spread(said: Floats, columns: list[int], classes: int) -> Floats:
    """Columns of some classes among those of all."""
    found = np.zeros((len(said), classes))
    found[:, columns] = said
    return found
