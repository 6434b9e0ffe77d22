"""Learners that use a part set aside: a tree pruned on it, and boosting that stops when it no longer gains there."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import InputError, MissingExtra

try:
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier
except ImportError as error:
    raise MissingExtra("scikit-learn", extra="learn", purpose="learners that use a validation part") from error

__all__ = ["PrunedTree", "StoppedBoosting"]

# Trees tried at most: a large one has as many prunings as leaves, and neighbours hardly differ.
MOST_PRUNINGS = 100


class PrunedTree(DecisionTreeClassifier):  # type: ignore[misc]
    """scikit-learn's tree, grown on one part and cut back to the size that errs least on another.

    The prunings are those of cost and complexity (Breiman et al. 1984); of several that err as often on the validation
    part, the smallest tree is taken. `ccp_alpha_` is the price of a leaf that was chosen.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3)); y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    >>> tree = PrunedTree(random_state=0).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    >>> grown = DecisionTreeClassifier(random_state=0).fit(X[:200], y[:200])
    >>> int(tree.get_n_leaves()), int(grown.get_n_leaves()) > 20
    (2, True)
    """

    needs_validation = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> PrunedTree:  # noqa: N803 -- scikit-learn's names
        """Grow on X and prune on X_val."""
        _refuse_missing_validation(X_val, y_val, "PrunedTree prunes")
        given: float = self.get_params()["ccp_alpha"]
        grown = DecisionTreeClassifier(**self.get_params())
        prices = np.unique(np.clip(grown.cost_complexity_pruning_path(X, y, sample_weight).ccp_alphas, 0, None))
        if len(prices) > MOST_PRUNINGS:
            prices = prices[np.linspace(0, len(prices) - 1, MOST_PRUNINGS).astype(int)]
        fewest, chosen = np.inf, given
        try:
            for price in prices:
                self.ccp_alpha = float(price)
                super().fit(X, y, sample_weight)
                wrong = float((self.predict(X_val) != np.asarray(y_val)).mean())
                if wrong <= fewest:  # prices rise, so that the last one is the smallest tree
                    fewest, chosen = wrong, float(price)
            self.ccp_alpha = chosen
            super().fit(X, y, sample_weight)
        finally:
            self.ccp_alpha = given
        self.ccp_alpha_ = chosen
        return self


class StoppedBoosting(GradientBoostingClassifier):  # type: ignore[misc]
    """scikit-learn's gradient boosting, cut off after the stage whose log loss is lowest on the part set aside.

    `n_estimators` is how far it may go; `n_estimators_` how far it went.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3)); y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    >>> boosted = StoppedBoosting(random_state=0).fit(X[:150], y[:150], X_val=X[150:], y_val=y[150:])
    >>> 1 <= boosted.n_estimators_ < 100, len(boosted.estimators_) == boosted.n_estimators_
    (True, True)
    """

    needs_validation = True

    def fit(
        self,
        X: Any,  # noqa: N803 -- scikit-learn's names
        y: Any,
        sample_weight: Any = None,
        monitor: Any = None,
        *,
        X_val: Any = None,  # noqa: N803
        y_val: Any = None,
    ) -> StoppedBoosting:
        """Boost on X and stop by X_val."""
        _refuse_missing_validation(X_val, y_val, "StoppedBoosting stops")
        super().fit(X, y, sample_weight, monitor)
        column = np.searchsorted(self.classes_, np.asarray(y_val))
        known = (column < len(self.classes_)) & (self.classes_[np.minimum(column, len(self.classes_) - 1)] == y_val)
        if not known.all():
            raise InputError(
                "the validation part has a class that the training part does not have", "every class in both"
            )
        rows, tiny = np.arange(len(column)), np.finfo(np.float64).tiny
        losses = [
            -float(np.log(np.maximum(stage[rows, column], tiny)).mean()) for stage in self.staged_predict_proba(X_val)
        ]
        self.n_estimators_ = int(np.argmin(losses)) + 1
        for name in ("estimators_", "train_score_"):
            setattr(self, name, getattr(self, name)[: self.n_estimators_])
        return self


def _refuse_missing_validation(cases: Any, classes: Any, does: str) -> None:
    if cases is None or classes is None:
        raise InputError(f"{does} on a validation part, and the plan has none", "the plan train_validation_test()")
