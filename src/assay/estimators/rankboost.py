"""RankBoost for two classes: boosting that minimizes the share of misranked pairs, which is 1 - AUC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.estimators.base import (
    BaseEstimator,
    ClassifierMixin,
    LabelEncoder,
    check_classification_targets,
    check_is_fitted,
    validate_data,
    weights_of,
)
from assay.estimators.pictures import LearningRounds
from assay.evidence import ScoreTable
from assay.measures import roc_auc
from assay.request import checked_whole
from assay.types import Codes, Floats

# What is added to the weight of pairs on either side, relative to one pair, so that a perfect stump has a finite say.
SMOOTH = 0.5


@dataclass(frozen=True)
class Stump:
    """A weak ranking: cases whose feature lies above `cut` rank `say` higher than the others."""

    feature: int
    cut: float
    say: float


class RankBoostClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Boosted stumps that put positives above negatives: each round lowers a bound on the share of misranked pairs.

    The weights of all pairs of a positive and a negative factor into a weight for each case, so that a round takes time
    in proportion to cases times features, after one sort, and never looks at pairs. `decision_function` is the ranking;
    `predict` calls as many training cases positive as there are: for decisions choose a threshold with
    `ThresholdClassifier`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ranker = RankBoostClassifier(n_estimators=20).fit(X[::2], y[::2])
    >>> import assay
    >>> assay.evaluate(ranker, X[1::2], y[1::2]).roc_auc
    0.987 [0.950, 0.996]

    References: Freund, Iyer, Schapire & Singer (2003).
    """

    expected_failed_checks: Mapping[str, str] = {}

    def __init__(self, n_estimators: int = 50) -> None:
        self.n_estimators = n_estimators

    def __sklearn_tags__(self) -> Any:
        """Two classes, and every value there."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RankBoostClassifier:  # noqa: N803 -- scikit-learn's
        """Boost stumps for `n_estimators` rounds, or until none ranks better than chance."""
        checked_whole(self.n_estimators, "n_estimators", 1)
        features, is_positive, weight = self._validated_cases(X, y, sample_weight)
        v = np.where(is_positive, weight / weight[is_positive].sum(), weight / weight[~is_positive].sum())
        cuts = _Cuts(features, is_positive)
        smooth = SMOOTH / (float(weight[is_positive].sum()) * float(weight[~is_positive].sum()))
        self.stumps_: list[Stump] = []
        self.bounds_: list[float] = []
        bound = 1.0
        for _ in range(self.n_estimators):
            stump = cuts.best(v, smooth)
            if stump is None:
                break
            moved = np.where(features[:, stump.feature] > stump.cut, stump.say, 0.0)
            v = v * np.exp(np.where(is_positive, -moved, moved))
            of_positives, of_negatives = v[is_positive].sum(), v[~is_positive].sum()
            v = np.where(is_positive, v / of_positives, v / of_negatives)
            bound *= float(of_positives * of_negatives)
            self.stumps_.append(stump)
            self.bounds_.append(bound)
        self.threshold_ = _prevalence_matched_threshold(
            ScoreTable.of(self._ensemble_score(features), is_positive, weight=weight)
        )
        self.losses_ = [
            1 - float(roc_auc(ScoreTable.of(score, is_positive, weight=weight)))
            for score in self._staged_scores(features)
        ]
        return self

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return the ranking score of each case, above 0 if it is predicted positive."""
        check_is_fitted(self, "stumps_")
        return self._ensemble_score(validate_data(self, X, reset=False)) - self.threshold_

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:  # noqa: N803
        """Yield the ranking scores after each round."""
        check_is_fitted(self, "stumps_")
        yield from self._staged_scores(validate_data(self, X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the second class for the same share of cases as in training."""
        is_positive = self.decision_function(X) >= 0
        labels: NDArray[Any] = self.classes_[is_positive.astype(np.intp)]
        return labels

    def picture(self) -> LearningRounds:
        """The share of misranked training pairs round by round, below its bound; to plot."""
        return LearningRounds(np.array(self.losses_), np.array(self.bounds_))

    def _ensemble_score(self, features: Floats) -> Floats:
        score = np.zeros(len(features))
        for stump in self.stumps_:
            score += np.where(features[:, stump.feature] > stump.cut, stump.say, 0.0)
        return score

    def _staged_scores(self, features: Floats) -> Iterator[Floats]:
        score = np.zeros(len(features))
        for stump in self.stumps_:
            score = score + np.where(features[:, stump.feature] > stump.cut, stump.say, 0.0)
            yield score

    def _validated_cases(self, X: Any, y: Any, sample_weight: Any) -> tuple[Floats, NDArray[np.bool_], Floats]:  # noqa: N803
        features, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        encoder = LabelEncoder().fit(labels)
        self.classes_: NDArray[Any] = encoder.classes_
        if len(self.classes_) != 2:
            found = "1 class" if len(self.classes_) == 1 else f"{len(self.classes_)} classes"
            raise OptionError(f"Only binary classification is supported. y holds {found}", "cases of two classes")
        weight = np.ones(len(labels)) if sample_weight is None else weights_of(sample_weight, len(labels))
        # A case of no weight is no case: it must not even offer a place to cut.
        kept = weight > 0
        is_positive = encoder.transform(labels)[kept] == 1
        if is_positive.all() or not is_positive.any():
            raise OptionError("all cases of a class have weight 0", "positive weights in both classes")
        return features[kept], is_positive, weight[kept]


class _Cuts:
    """Every place at which a feature can be cut, the cases in its order found once."""

    def __init__(self, features: Floats, is_positive: NDArray[np.bool_]) -> None:
        self.order: Codes = np.argsort(features, axis=0, kind="stable")
        self.values = np.take_along_axis(features, self.order, axis=0)
        self.is_positive = is_positive[self.order]
        self.may_cut = self.values[1:] > self.values[:-1]

    def best(self, v: Floats, smooth: float) -> Stump | None:
        """The cut that lowers the bound the most, with its best say; None where no cut lowers it."""
        weights = v[self.order]
        # Of either class, what lies above each cut.
        up = 1 - np.cumsum(np.where(self.is_positive, weights, 0.0), axis=0)[:-1]
        down = 1 - np.cumsum(np.where(self.is_positive, 0.0, weights), axis=0)[:-1]
        right, wrong = (np.clip(part, 0.0, None) for part in (up * (1 - down), down * (1 - up)))
        gain = np.where(self.may_cut, np.abs(np.sqrt(right) - np.sqrt(wrong)), 0.0)
        if not gain.size or gain.max() <= 1e-9:
            return None
        place, feature = np.unravel_index(int(gain.argmax()), gain.shape)
        say = 0.5 * np.log((right[place, feature] + smooth) / (wrong[place, feature] + smooth))
        low, high = self.values[place, feature], self.values[place + 1, feature]
        middle = low + (high - low) / 2
        # Between neighbouring numbers there is no middle, and what is not above the cut is below it.
        return Stump(int(feature), float(middle if middle < high else low), float(say))


def _prevalence_matched_threshold(table: ScoreTable) -> float:
    """The threshold by which as large a share is called positive as is: the middle between two scores."""
    cases = table.negative + table.positive
    above = np.cumsum(cases[::-1])[::-1]
    place = int(np.abs(above - float(table.positives)).argmin())
    if place == 0:
        return float(table.score[0])
    return float(table.score[place - 1] + table.score[place]) / 2
