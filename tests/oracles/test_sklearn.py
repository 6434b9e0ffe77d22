"""Same-named measures equal scikit-learn's on random input: ties, rare classes and all.

Where they differ on purpose, docs/differences.md says so and test_differences shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics as sk

from assay.curves import roc
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry

Codes = NDArray[np.int64]
NAN = float("nan")


def _product(y: Codes, d: Codes) -> float:
    return float(sk.precision_score(y, d, zero_division=NAN) * sk.recall_score(y, d, zero_division=NAN))


LABELS: dict[str, Callable[[Codes, Codes], Any]] = {
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "recall": lambda y, d: sk.recall_score(y, d, zero_division=NAN),
    "specificity": lambda y, d: sk.recall_score(y, d, pos_label=0, zero_division=NAN),
    "precision": lambda y, d: sk.precision_score(y, d, zero_division=NAN),
    "npv": lambda y, d: sk.precision_score(y, d, pos_label=0, zero_division=NAN),
    "f1": lambda y, d: sk.f1_score(y, d, zero_division=NAN),
    "f2": lambda y, d: sk.fbeta_score(y, d, beta=2, zero_division=NAN),
    "f05": lambda y, d: sk.fbeta_score(y, d, beta=0.5, zero_division=NAN),
    "jaccard": lambda y, d: sk.jaccard_score(y, d) if (y | d).any() else NAN,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "informedness": lambda y, d: sk.balanced_accuracy_score(y, d, adjusted=True),
    "kappa": sk.cohen_kappa_score,
    "mcc": sk.matthews_corrcoef,
    "fdr": lambda y, d: 1 - sk.precision_score(y, d, zero_division=NAN),
    "false_omission_rate": lambda y, d: 1 - sk.precision_score(y, d, pos_label=0, zero_division=NAN),
    "markedness": lambda y, d: sum(sk.precision_score(y, d, pos_label=k, zero_division=NAN) for k in (0, 1)) - 1,
    "g_measure": lambda y, d: math.sqrt(_product(y, d)),
    "lift": lambda y, d: sk.precision_score(y, d, zero_division=NAN) / y.mean() if y.any() else NAN,
    "likelihood_ratio_positive": lambda y, d: sk.class_likelihood_ratios(y, d)[0],
    "likelihood_ratio_negative": lambda y, d: sk.class_likelihood_ratios(y, d)[1],
}
SCORES: dict[str, Callable[[Codes, Any], Any]] = {
    "roc_auc": sk.roc_auc_score,
    "gini": lambda y, s: 2 * sk.roc_auc_score(y, s) - 1,
    "partial_auc": lambda y, s: sk.roc_auc_score(y, s, max_fpr=0.1),
    "average_precision": sk.average_precision_score,
    "bayes_error": lambda y, s: np.minimum(s, 1 - s).mean(),
    "brier": sk.brier_score_loss,
    "log_loss": lambda y, s: sk.log_loss(y, s, labels=[0, 1]),
    "log_loss_skill": sk.d2_log_loss_score,
    "brier_skill": sk.d2_brier_score,
}
COVERED = [*LABELS, *SCORES]
# scikit-learn gives a number here where we say nan; each stands in docs/differences.md.
UNDEFINED_HERE = {"balanced_accuracy", "informedness", "kappa", "mcc"}

coin = st.integers(0, 1)
labels = st.lists(st.tuples(coin, coin), min_size=2, max_size=60)
# Few distinct scores, so that ties are the rule; weights of the classes from even to very rare.
scored = st.lists(
    st.tuples(st.one_of(st.just(0), st.just(0), st.just(0), coin), st.integers(0, 20)), min_size=2, max_size=80
)


@pytest.mark.parametrize("name", LABELS)
@settings(max_examples=40)
@given(cases=labels)
def test_labels(name: str, cases: list[tuple[int, int]]) -> None:
    truth, decision = (np.array(codes, dtype=np.int64) for codes in zip(*cases, strict=True))
    matrix = ConfusionMatrix.of(truth, decision, ("0", "1"))
    ours = float(registry[name](matrix))
    # Nothing to compare where scikit-learn has another rule or warns of one of its two ratios.
    assume(not (math.isnan(ours) and name in UNDEFINED_HERE))
    assume(not name.startswith("likelihood") or matrix.counts.all())
    np.testing.assert_allclose(ours, LABELS[name](truth, decision), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SCORES)
@settings(max_examples=40)
@given(cases=scored)
def test_scores(name: str, cases: list[tuple[int, int]]) -> None:
    truth = np.array([y for y, _ in cases], dtype=np.int64)
    assume(0 < truth.sum() < len(truth))
    score = np.array([s for _, s in cases]) / 20
    ours = float(registry[name](ScoreTable.of(score, truth == 1)))
    np.testing.assert_allclose(ours, SCORES[name](truth, score), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("share", [0.003, 0.3])
@pytest.mark.parametrize("digits", [1, 12])
def test_larger_samples_with_ties_and_rare_classes(name: str, share: float, digits: int) -> None:
    rng = np.random.default_rng(5)
    truth = (rng.random(5_000) < share).astype(np.int64)
    score = (1 / (1 + np.exp(-rng.normal(truth * 1.5 - 2, 1)))).round(digits).clip(0.01, 0.99)
    ours = float(registry[name](ScoreTable.of(score, truth == 1)))
    np.testing.assert_allclose(ours, SCORES[name](truth, score), rtol=1e-10)


@given(cases=scored)
def test_the_roc_curve_has_the_same_points(cases: list[tuple[int, int]]) -> None:
    truth = np.array([y for y, _ in cases], dtype=np.int64)
    assume(0 < truth.sum() < len(truth))
    score = np.array([s for _, s in cases]) / 20
    fpr, tpr, thresholds = sk.roc_curve(truth, score, drop_intermediate=False)
    curve = roc(ScoreTable.of(score, truth == 1))
    np.testing.assert_allclose(curve.x, fpr, rtol=1e-14)
    np.testing.assert_allclose(curve.y, tpr, rtol=1e-14)
    np.testing.assert_array_equal(curve.threshold, thresholds)
    assert sk.auc(curve.x, curve.y) == pytest.approx(float(registry["roc_auc"](ScoreTable.of(score, truth == 1))))


@given(cases=labels)
def test_the_confusion_matrix_has_the_same_layout(cases: list[tuple[int, int]]) -> None:
    truth, decision = (np.array(codes, dtype=np.int64) for codes in zip(*cases, strict=True))
    theirs = sk.confusion_matrix(truth, decision, labels=[0, 1])
    np.testing.assert_array_equal(ConfusionMatrix.of(truth, decision, ("0", "1")).counts, theirs)
