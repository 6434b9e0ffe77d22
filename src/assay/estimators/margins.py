"""A linear support vector machine whose margins differ between the classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.curves import Curve, RocPoints, roc, roc_points
from assay.errors import OptionError
from assay.estimators.base import (
    SVC,
    BaseEstimator,
    ClassifierMixin,
    LabelEncoder,
    check_classification_targets,
    check_is_fitted,
    clone,
    column_or_1d,
    validate_data,
)
from assay.estimators.pictures import ScoreCuts
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.request import checked_positive
from assay.types import Floats

# How nearly the plane is the best one.
TOLERANCE = 1e-7


class AsymmetricMarginSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear support vector machine with margins `positive_margin` and `negative_margin`, softened by C.

    It minimises |w|^2 / 2 + C times the sum of what cases lack: w.x + b is to be at least `positive_margin` for
    positives and at most -`negative_margin` for negatives. A wide margin round a class whose errors are dear keeps the
    boundary away from it. With its intercept free this is the plane of an ordinary machine, moved towards the other
    class, with 2 C / (positive_margin + negative_margin) for C: that is how it is fitted, and why a threshold on the
    scores does nearly as much.

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> wary = AsymmetricMarginSVC(positive_margin=3.0, C=100.0).fit(X, y)
    >>> wary.coef_.round(3), wary.intercept_.round(3)
    (array([[4.]]), array([-5.]))
    """

    expected_failed_checks: Mapping[str, str] = {}

    def __init__(self, *, positive_margin: float = 1.0, negative_margin: float = 1.0, C: float = 1.0) -> None:  # noqa: N803
        self.positive_margin = positive_margin
        self.negative_margin = negative_margin
        self.C = C

    def __sklearn_tags__(self) -> Any:
        """Two classes, and every value there."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AsymmetricMarginSVC:  # noqa: N803 -- scikit-learn's
        """Fit the separating hyperplane."""
        above, below = (checked_positive(getattr(self, name), name) for name in ("positive_margin", "negative_margin"))
        features, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        encoder = LabelEncoder().fit(labels)
        self.classes_: NDArray[Any] = encoder.classes_
        if len(self.classes_) != 2:
            found = "1 class" if len(self.classes_) == 1 else f"{len(self.classes_)} classes"
            raise OptionError(f"Only binary classification is supported. y holds {found}", "cases of two classes")
        half = (above + below) / 2
        machine = SVC(kernel="linear", C=checked_positive(self.C, "C") / half, tol=TOLERANCE)
        machine.fit(features, encoder.transform(labels), sample_weight=sample_weight)
        self.coef_: Floats = half * np.asarray(machine.coef_)
        self.intercept_: Floats = half * np.asarray(machine.intercept_) + (above - below) / 2
        self.support_ = np.asarray(machine.support_)
        return self

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return w.x + b, the signed distance of each case in units of the margins."""
        check_is_fitted(self, "coef_")
        features = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(features @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the second class on the positive side of the hyperplane."""
        is_positive = self.decision_function(X) >= 0
        labels: NDArray[Any] = self.classes_[is_positive.astype(np.intp)]
        return labels

    def roc(self, X: Any, y: Any) -> Curve:  # noqa: N803
        """Return the ROC curve of these cases by the offset of the hyperplane."""
        return roc(self._decision_score_table(X, y))

    def roc_of_margins(self, X: Any, y: Any, others: tuple[Any, Any], ratios: Iterable[float]) -> RocPoints:  # noqa: N803
        """The ROC points on `others` (features and classes) of machines fitted to X and y, one for each ratio.

        A ratio is the margin of the positives over that of the negatives; each machine has its own plane.
        """
        found: dict[str, ConfusionMatrix] = {}
        for ratio in sorted(checked_positive(each, "a ratio") for each in ratios):
            machine = clone(self).set_params(positive_margin=ratio * self.negative_margin).fit(X, y)
            found[f"{ratio:g}"] = machine._decision_score_table(*others).at(0.0)
        if not found:
            raise OptionError("ratios is empty", "ratios of margins, such as [0.1, 1, 10]")
        return roc_points(found, is_family=True)

    def picture(self, X: Any, y: Any) -> ScoreCuts:  # noqa: N803
        """Return the signed distances by class, with the hyperplane and its margins, to plot."""
        cuts = {
            "margin -": -float(self.negative_margin),
            "plane": 0.0,
            "margin +": float(self.positive_margin),
        }
        return ScoreCuts(self._decision_score_table(X, y), cuts, "Margins on both sides of the hyperplane", "w.x + b")

    def _decision_score_table(self, X: Any, y: Any) -> ScoreTable:  # noqa: N803
        score = self.decision_function(X)
        labels = column_or_1d(y)
        strange = [name for name in dict.fromkeys(labels.tolist()) if name not in self.classes_.tolist()]
        if strange or len(labels) != len(score):
            raise OptionError(
                f"y has the unknown class {strange[0]!r}"
                if strange
                else f"y has {len(labels)} labels for {len(score)} cases",
                "the true label of each case, as in training",
            )
        return ScoreTable.of(score, labels == self.classes_[1])
