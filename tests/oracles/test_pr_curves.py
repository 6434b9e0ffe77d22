"""Precision-recall curves: scikit-learn's points, and the area that PRROC and precrec find between them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.metrics import precision_recall_curve, roc_curve
from tests.oracles.foreign import columns, scores

from assay.curves import precision_at_recall, precision_recall, roc
from assay.evidence import ScoreTable
from assay.measures import pr_area

CASE = "rocr_tied_scores"
# "PRROC integral = precrec = mlr3" on the tree's 50 distinct scores, to five digits.
PRROC_TREE = 0.89356


@pytest.mark.parametrize("model", ["lr", "nb", "tree"])
def test_points_are_those_of_scikit_learn(model: str) -> None:
    data = columns(CASE)
    precisions, recalls, thresholds = precision_recall_curve(data["y_true"], data[f"score_{model}"])
    curve = precision_recall(scores(CASE, f"score_{model}"))
    # scikit-learn adds a point of recall 0 and precision 1, which no threshold reaches.
    np.testing.assert_allclose(curve.y[::-1], precisions[:-1], atol=1e-12)
    np.testing.assert_allclose(curve.x[::-1], recalls[:-1], atol=1e-12)
    np.testing.assert_array_equal(curve.threshold[::-1], thresholds)


@pytest.mark.parametrize("model", ["lr", "nb", "tree"])
def test_roc_points_are_those_of_scikit_learn(model: str) -> None:
    data = columns(CASE)
    across, up, thresholds = roc_curve(data["y_true"], data[f"score_{model}"], drop_intermediate=False)
    curve = roc(scores(CASE, f"score_{model}"))
    np.testing.assert_allclose(np.stack((curve.x, curve.y)), np.stack((across, up)), atol=1e-12)
    np.testing.assert_array_equal(curve.threshold, thresholds)


def area_between_points(table: ScoreTable) -> float:
    """The integral of precision over recall, tie block by tie block."""
    ends = np.unique(np.append(0.0, precision_recall(table).x))
    pieces = (
        quad(lambda r: float(precision_at_recall(table, r)), low + 1e-12, high, epsabs=1e-12, epsrel=1e-12)[0]
        for low, high in pairwise(ends)
    )
    return float(sum(pieces))


def test_between_points_the_curve_is_prrocs() -> None:
    table = scores(CASE, "score_tree")
    found = area_between_points(table)
    assert found == pytest.approx(PRROC_TREE, abs=5e-6)
    assert found == pytest.approx(float(pr_area(table)), abs=1e-9)


def test_drawn_through_bends_the_area_is_the_same() -> None:
    """The line that is drawn follows the hyperbolas, which straight ones between the points do not."""
    table = scores(CASE, "score_tree")
    trace = precision_recall(table).drawing().traces[-1]
    straight = precision_recall(table)
    drawn = np.trapezoid(np.append(trace.y[0], trace.y), np.append(0.0, trace.x))
    assert drawn == pytest.approx(float(pr_area(table)), abs=2e-5)
    by_lines = np.trapezoid(np.append(straight.y[0], straight.y), np.append(0.0, straight.x))
    assert abs(by_lines - float(pr_area(table))) > 1e-4
