"""The asymmetric margins, against the optimisation they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from assay.errors import OptionError
from assay.estimators import AsymmetricMarginSVC
from assay.evidence import ScoreTable
from assay.measures import roc_auc


def cases(seed: int = 0, n: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    return features, features[:, 0] + 0.7 * rng.normal(size=n) > 0


@pytest.mark.parametrize(("above", "below", "c"), [(1.0, 1.0, 1.0), (3.0, 1.0, 1.0), (1.0, 5.0, 0.3), (0.5, 0.1, 2.0)])
def test_it_solves_the_problem_that_it_states(above: float, below: float, c: float) -> None:
    """min |w|^2 / 2 + C sum xi, w.x + b >= above - xi for positives, <= -below + xi for negatives, by general means."""
    features, y = cases()
    sign, margin = np.where(y, 1.0, -1.0), np.where(y, above, below)

    def cost(w: Any, b: float) -> float:
        return float(w @ w / 2 + c * np.maximum(0, margin - sign * (features @ w + b)).sum())

    model = AsymmetricMarginSVC(positive_margin=above, negative_margin=below, C=c).fit(features, y)
    ours = cost(model.coef_[0], float(model.intercept_[0]))
    n = len(y)
    solve: Any = minimize
    solved = solve(
        lambda v: v[:2] @ v[:2] / 2 + c * v[3:].sum(),
        np.append(np.zeros(3), margin),
        jac=lambda v: np.concatenate((v[:2], [0.0], np.full(n, c))),
        constraints={
            "type": "ineq",
            "fun": lambda v: sign * (features @ v[:2] + v[2]) - margin + v[3:],
            "jac": lambda v: np.column_stack((sign[:, None] * features, sign, np.eye(n))),
        },
        bounds=[(None, None)] * 3 + [(0, None)] * n,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert solved.success
    assert ours == pytest.approx(solved.fun, rel=1e-5)


def test_equal_margins_of_one_are_the_ordinary_machine() -> None:
    features, y = cases(1)
    theirs = SVC(kernel="linear").fit(features, y)
    ours = AsymmetricMarginSVC().fit(features, y)
    assert ours.decision_function(features) == pytest.approx(theirs.decision_function(features), abs=1e-2)


def test_a_wide_margin_of_positives_calls_more_cases_positive() -> None:
    features, y = cases(2, 200)
    called = [AsymmetricMarginSVC(positive_margin=r).fit(features, y).predict(features).sum() for r in (0.2, 1.0, 5.0)]
    assert called[0] < called[1] < called[2]


def test_its_roc_curves_and_its_picture() -> None:
    features, y = cases(3, 200)
    model = AsymmetricMarginSVC(positive_margin=2.0).fit(features[:100], y[:100])
    others = (features[100:], y[100:])
    table = ScoreTable.of(model.decision_function(features[100:]), y[100:])
    curve = model.roc(*others)
    assert float(np.trapezoid(curve.y, curve.x)) == pytest.approx(float(roc_auc(table)))
    points = model.roc_of_margins(features[:100], y[:100], others, [1, 0.1, 10])
    assert list(points.fpr) == ["0.1", "1", "10"]
    rates = [points.fpr[name].value for name in points.fpr]
    assert rates == sorted(rates)
    picture = model.picture(*others)
    assert picture.table().columns["score"] == [-1.0, 0.0, 2.0]
    assert picture.table().columns["negatives_above"][1] == (model.predict(features[100:])[~y[100:]]).sum()
    assert "margin +" in picture.svg()
    picture.plot()


def test_what_makes_no_margin_is_refused() -> None:
    features, y = cases()
    with pytest.raises(OptionError, match="positive_margin is 0"):
        AsymmetricMarginSVC(positive_margin=0).fit(features, y)
    with pytest.raises(OptionError, match="C is -1"):
        AsymmetricMarginSVC(C=-1).fit(features, y)
    model = AsymmetricMarginSVC().fit(features, y)
    with pytest.raises(OptionError, match="y has the unknown class 2"):
        model.picture(features, [2] * 30)
    with pytest.raises(OptionError, match="ratios is empty"):
        model.roc_of_margins(features, y, (features, y), [])
