"""river's metrics over a window, where they are right; and where they are not, that they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from river import metrics, utils
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, roc_auc_score

from assay import streams

RNG = np.random.default_rng(8)
COUNT, WIDTH = 1500, 200
TRUTH = RNG.random(COUNT) < 0.3
SCORE = np.round(1 / (1 + np.exp(-RNG.normal(TRUTH * 1.2 - 1, 1))), 2)
SAME = {
    "Accuracy": "accuracy",
    "BalancedAccuracy": "balanced_accuracy",
    "CohenKappa": "kappa",
    "MCC": "mcc",
    "F1": "f1",
    "Precision": "precision",
    "Recall": "recall",
    "Jaccard": "jaccard",
    "GeometricMean": "g_mean",
}


@pytest.mark.parametrize("theirs", SAME)
def test_metrics_of_decisions_agree_over_a_window(theirs: str) -> None:
    run = streams.prequential(classes=(False, True), views=(streams.sliding(WIDTH),), record=(SAME[theirs],), every=50)
    run.update_many(TRUTH, score=SCORE)
    positions, values = run.series(f"sliding {WIDTH}", SAME[theirs])
    metric: Any = utils.Rolling(getattr(metrics, theirs), window_size=WIDTH)
    ours = dict(zip(positions.tolist(), values.tolist(), strict=True))
    for at, (truth, score) in enumerate(zip(TRUTH.tolist(), SCORE.tolist(), strict=True), 1):
        metric.update(truth, score >= 0.5)
        if at in ours:
            assert ours[at] == pytest.approx(metric.get(), abs=1e-9)


def rolling_areas(score: np.ndarray) -> tuple[np.ndarray, list[float], list[float]]:
    """Ours, river's and scikit-learn's AUC of the window, every hundred events."""
    run = streams.prequential(classes=(False, True), views=(streams.sliding(WIDTH),), record=("roc_auc",), every=100)
    run.update_many(TRUTH, score=score)
    rolling, theirs, exact = metrics.RollingROCAUC(window_size=WIDTH), [], []
    for at, event in enumerate(zip(TRUTH.tolist(), score.tolist(), strict=True), 1):
        rolling.update(*event)
        if at % 100 == 0:
            rows = slice(max(at - WIDTH, 0), at)
            theirs.append(rolling.get())
            exact.append(roc_auc_score(TRUTH[rows], score[rows]))
    return run.series(f"sliding {WIDTH}", "roc_auc")[1], theirs, exact


def test_the_rolling_auc_agrees_where_no_scores_tie() -> None:
    ours, theirs, exact = rolling_areas(SCORE + 1e-6 * RNG.permutation(COUNT) / COUNT)
    assert ours == pytest.approx(exact, abs=1e-12)
    assert theirs == pytest.approx(exact, abs=1e-9)


def test_the_rolling_auc_of_river_does_not_count_ties_half_and_ours_does() -> None:
    ours, theirs, exact = rolling_areas(SCORE)
    assert ours == pytest.approx(exact, abs=1e-12)
    assert max(abs(np.array(theirs) - exact)) > 1e-3


def test_the_cumulative_auc_of_river_is_of_ten_thresholds_and_ours_is_exact() -> None:
    run, binned = streams.prequential(classes=(False, True)), metrics.ROCAUC()
    run.update_many(TRUTH, score=SCORE)
    for truth, score in zip(TRUTH.tolist(), SCORE.tolist(), strict=True):
        binned.update(truth, score)
    exact = roc_auc_score(TRUTH, SCORE)
    assert run.view("cumulative").value("roc_auc") == pytest.approx(exact, abs=1e-12)
    assert abs(binned.get() - exact) > 1e-3


def test_words_for_classes_are_classes_to_us_and_to_some_metrics_of_river() -> None:
    """river's kappa of words is right (0.26); its two-class metrics are silently 0, unless told the positive word."""
    names = np.array(["no", "yes"])
    truth, called = names[TRUTH.astype(int)], names[(SCORE >= 0.5).astype(int)]
    run = streams.prequential(classes=("no", "yes"))
    run.update_many(truth, called)
    kappa, mcc, f1 = metrics.CohenKappa(), metrics.MCC(), metrics.F1()
    for each in zip(truth.tolist(), called.tolist(), strict=True):
        for metric in (kappa, mcc, f1):
            metric.update(*each)
    view = run.view("cumulative")
    assert view.value("kappa") == pytest.approx(cohen_kappa_score(truth, called), abs=1e-12)
    assert kappa.get() == pytest.approx(view.value("kappa"), abs=1e-9)
    assert view.value("mcc") == pytest.approx(matthews_corrcoef(truth, called), abs=1e-12)
    assert (mcc.get(), f1.get()) == (0.0, 0.0)
