"""Learners that know what errors cost: decide by it, weigh the cases by it, hand cases on, or learn other labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.costs import Costs
from assay.decisions import bayes_decisions, reject_thresholds
from assay.errors import OptionError
from assay.estimators._learning import (
    FOLDS,
    CostsLike,
    LabelledCases,
    WrappedClassifier,
    costs_of,
    fitted,
    held_out,
    probabilities_of,
    score_of,
)
from assay.estimators._pictures import ScoreCuts
from assay.evidence import ScoreTable
from assay.predictions import REJECTED
from assay.request import checked_choice
from assay.types import Codes, Floats

WAYS = ("decide", "reweight")
BY = ("probability", "score")


class CostSensitiveClassifier(WrappedClassifier):
    """Any classifier made to mind what its errors cost, for any number of classes.

    `method` "decide" calls each case what costs least by the classifier's probabilities, which must be calibrated for
    that; "reweight" fits the classifier to cases weighted by what errors on their class cost together, and decides as
    it does.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> costs = [[0, 1, 2], [1, 0, 1], [3, 2, 0]]
    >>> wary = CostSensitiveClassifier(GaussianNB(), costs=costs).fit(X[:, :2], y)
    >>> np.bincount(wary.predict(X[:, :2])), np.bincount(wary.classifier_.predict(X[:, :2]))
    (array([49, 39, 62]), array([49, 57, 44]))

    References: Elkan (2001); Ting (1998).
    """

    def __init__(self, classifier: Any, *, costs: CostsLike | None = None, method: str = "decide") -> None:
        self.classifier = classifier
        self.costs = costs
        self.method = method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CostSensitiveClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the classifier, to weighted cases where it is to be so."""
        checked_choice(self.method, WAYS, "method")
        cases = self._cases(X, y, sample_weight)
        self.costs_: Costs = costs_of(self.costs, self.classes_)
        self.shares_ = cases.shares(len(self.classes_))
        if self.method == "reweight":
            cases = LabelledCases(cases.features, cases.labels, cases.codes, cost_weights(cases, self.costs_))
        self.classifier_ = fitted(self.classifier, cases)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class that costs least."""
        asked = self._asked(X)
        if self.method == "reweight":
            found: NDArray[Any] = self.classifier_.predict(asked)
            return found
        said = probabilities_of(self.classifier_, asked)
        labels: NDArray[Any] = self.classes_[bayes_decisions(said, self.costs_, calibrated_at=self.shares_)]
        return labels


def cost_weights(cases: LabelledCases, costs: Costs) -> Floats:
    """A weight for each case: what errors on its class cost together, all weights summing to what they did before.

    >>> cases = LabelledCases(None, np.array([]), np.array([0, 0, 0, 1]))
    >>> cost_weights(cases, Costs(fp=1, fn=5))
    array([0.5, 0.5, 0.5, 2.5])
    """
    loss = costs.loss
    dear = (loss - np.diagonal(loss)[:, None]).sum(axis=1)[cases.codes]
    before = np.ones(len(cases.codes)) if cases.weight is None else cases.weight
    return np.asarray(before * dear * (before.sum() / (before @ dear)))


class RejectClassifier(WrappedClassifier):
    """A classifier that hands cases on where that costs less than deciding them (Chow 1970), under any costs.

    The costs say what handing on costs: {"fp": 1, "fn": 5, "reject": 0.2}. By "probability" (calibrated, of any number
    of classes) each case gets the cheapest answer; by "score" (of two classes) the zone between two thresholds is found
    on held-out scores, calibrated or not (Tortorella 2000). `predict` gives `abstention_` for a case handed on: -1, or
    "rejected" where classes are texts. `assay.evaluate(model, X, y)` and experiments count those in a column of their
    own. Where neither `fp` and `fn` nor a matrix is given, an error costs 1. `cv` says how scores are held out; by
    probability nothing is, and only "prefit" makes a difference.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(400, flip_y=0.2, random_state=0)
    >>> careful = RejectClassifier(GaussianNB(), costs={"fp": 1, "fn": 1, "reject": 0.2}).fit(X[:200], y[:200])
    >>> np.unique(careful.predict(X[200:])).tolist()
    [-1, 0, 1]
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_classifiers_train": "a case that is handed on has no class, and the likeliest one all the same",
    }

    def __init__(
        self,
        classifier: Any,
        *,
        costs: CostsLike | None = None,
        by: str = "probability",
        abstention: Any = None,
        cv: Any = FOLDS,
        random_state: Any = None,
    ) -> None:
        self.classifier = classifier
        self.costs = costs
        self.by = by
        self.abstention = abstention
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RejectClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the classifier and, by score, find the zone in which cases are handed on."""
        checked_choice(self.by, BY, "by")
        cases = self._cases(X, y, sample_weight)
        self.costs_: Costs = costs_of(self.costs, self.classes_, may_reject=True)
        if self.costs_.reject is None:
            raise OptionError("the costs do not say what rejecting costs", "costs={'reject': 0.2}, errors costing 1")
        self.shares_ = cases.shares(len(self.classes_))
        self.abstention_ = abstention_among(self.classes_, self.abstention)
        if self.by == "probability":
            self.classifier_ = self.classifier if self.cv == "prefit" else fitted(self.classifier, cases)
            return self
        if len(self.classes_) != 2:
            raise OptionError(
                f"there are {len(self.classes_)} classes, and a zone of scores is of two", "by='probability'"
            )
        tested = held_out(self.classifier, cases, score_of, self.cv, self.random_state)
        self.classifier_, self.table_ = tested.classifier, tested.cases.table(tested.answers)
        self.zone_ = reject_thresholds(self.table_, self.costs_) or _no_zone(self.table_, self.costs_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class of each case, or `abstention_` for one that is handed on."""
        asked = self._asked(X)
        return with_abstention(self.classes_, self.abstention_)[self._decisions(asked)]

    def picture(self) -> ScoreCuts:
        """The held-out scores of either class, and the zone in which cases are handed on; to plot."""
        if self.by != "score":
            raise OptionError("the zone was not found on scores", "by='score'")
        low, high = self.zone_
        cuts = {"negative below": low, "positive from": high} if low < high else {"positive from": high}
        return ScoreCuts(self.table_, {name: cut for name, cut in cuts.items() if np.isfinite(cut)}, "Reject zone")

    def _decisions(self, features: Any) -> Codes:
        if self.by == "probability":
            said = probabilities_of(self.classifier_, features)
            return bayes_decisions(said, self.costs_, calibrated_at=self.shares_)
        low, high = self.zone_
        score = score_of(self.classifier_, features)
        return np.where(score >= high, 1, np.where(score < low, 0, 2)).astype(np.intp)


def _no_zone(table: ScoreTable, costs: Costs) -> tuple[float, float]:
    """One threshold twice: nobody is handed on where that never pays."""
    from assay.decisions import choose_threshold

    threshold = choose_threshold(table, costs=costs, draws=100).threshold
    return threshold, threshold


def abstention_among(classes: NDArray[Any], given: Any) -> Any:
    """What stands for a case that is handed on: what was given, or something that is no class.

    >>> abstention_among(np.array([0, 1]), None), abstention_among(np.array([-1, 1]), None)
    (-1, -2)
    >>> abstention_among(np.array(["no", "yes"]), None)
    'rejected'
    """
    is_text = classes.dtype.kind in "OUT"
    chosen = given if given is not None else REJECTED if is_text else min(-1, int(classes.min()) - 1)
    if chosen in classes.tolist() or (given is not None and is_text != isinstance(given, str)):
        raise OptionError(
            f"abstention is {chosen!r}, and the classes are {', '.join(map(repr, classes.tolist()[:8]))}",
            "something else of their kind, as abstention=",
        )
    return chosen


def with_abstention(classes: NDArray[Any], abstention: Any) -> NDArray[Any]:
    """The classes and what stands for none of them, in one array."""
    kept = classes.astype(object) if classes.dtype.kind in "bO" else classes
    return np.append(kept, np.array([abstention], dtype=object if kept.dtype == object else None))
