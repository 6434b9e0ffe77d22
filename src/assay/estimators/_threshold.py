"""A classifier with a threshold that was chosen on scores of cases it had not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.curves import Curve, against_threshold
from assay.decisions import Constraint, ThresholdChoice, at_least, at_most, choose_threshold
from assay.errors import OptionError
from assay.estimators._learning import FOLDS, CostsLike, WrappedClassifier, costs_of, held_out, score_of
from assay.evidence import ScoreTable

# Enough to know how optimistic the choice is; more would only be slower.
DRAWS = 200


class ThresholdClassifier(WrappedClassifier):
    """Calls the second class of two from the score on that is best for costs, a measure or under demands.

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
    'call scores of at least 0.00151881 positive'
    """

    only_two_classes = True
    expected_failed_checks: Mapping[str, str] = {
        "check_classifiers_train": "what is decided follows the threshold, and not the largest probability",
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
        """Fit the classifier, and choose the threshold on cases held out from it."""
        if not isinstance(self.by, str | None):
            raise OptionError(f"by is {self.by!r}", "what to make as good as possible by its name: by='f1'")
        demands = self._demands()
        if self.confidence is not None and not demands:
            raise OptionError("confidence is given and no demand", "at_least={'recall': 0.9}, to be kept with it")
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
        """The second class from the threshold on."""
        asked = self._asked(X)
        is_positive = score_of(self.classifier_, asked) >= self.threshold_
        labels: NDArray[Any] = self.classes_[is_positive.astype(np.intp)]
        return labels

    def picture(self) -> Curve:
        """What was made as good as possible, against the threshold, on the cases that were held out; to plot."""
        return against_threshold(self.choice_.criterion)(self.table_)

    def _demands(self) -> list[Constraint]:
        """The demands in one list."""
        for name in ("at_least", "at_most"):
            if not isinstance(getattr(self, name) or {}, Mapping):
                raise OptionError(f"{name} is {getattr(self, name)!r}", f"bounds by measure: {name}={{'recall': 0.9}}")
        least = [at_least(name, bound, confidence=self.confidence) for name, bound in (self.at_least or {}).items()]
        most = [at_most(name, bound, confidence=self.confidence) for name, bound in (self.at_most or {}).items()]
        return [*least, *most]
