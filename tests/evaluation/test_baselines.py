"""Baselines against what they are known to score, and the facts that cautions read."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.evaluation import Baselines
from assay.measures import registry


@given(negatives=st.integers(1, 10_000), positives=st.integers(1, 10_000))
def test_baselines_score_what_theory_says(negatives: int, positives: int) -> None:
    baselines = Baselines.of({"no": float(negatives), "yes": float(positives)})
    p = positives / (negatives + positives)

    def found(baseline: str, measure: str) -> float:
        return baselines.value(baseline, measure)

    assert found("always_positive", "f1") == pytest.approx(2 * p / (1 + p), rel=1e-12)
    assert found("always_positive", "precision") == pytest.approx(p, rel=1e-12)
    assert found("always_positive", "recall") == 1.0
    assert found("majority", "accuracy") == pytest.approx(max(p, 1 - p), rel=1e-12)
    assert found("majority", "balanced_accuracy") == 0.5
    assert found("prior_random", "accuracy") == pytest.approx(p * p + (1 - p) ** 2, rel=1e-12)
    assert found("prior_random", "f1") == pytest.approx(p, rel=1e-9)
    assert found("prior_random", "kappa") == pytest.approx(0, abs=1e-9)
    assert found("constant_probability", "roc_auc") == 0.5
    assert found("constant_probability", "average_precision") == pytest.approx(p, rel=1e-12)
    assert found("constant_probability", "brier") == pytest.approx(p * (1 - p), rel=1e-9)
    assert found("constant_probability", "log_loss") == pytest.approx(
        -p * math.log(p) - (1 - p) * math.log(1 - p), rel=1e-9
    )
    assert found("constant_probability", "brier_skill") == pytest.approx(0, abs=1e-9)


def test_a_baseline_has_only_the_measures_of_its_kind() -> None:
    baselines = Baselines.of({"no": 7.0, "yes": 3.0})
    assert math.isnan(baselines.value("majority", "roc_auc"))
    assert math.isnan(baselines.value("constant_probability", "accuracy"))
    record = baselines.to_dict()
    assert record["majority"]["answer"] == "no"
    assert record["always_positive"]["answer"] == "yes"
    assert record["constant_probability"]["answer"] == 0.3
    assert record["majority"]["measures"]["precision"] is None
    both = {**record["majority"]["measures"], **record["constant_probability"]["measures"]}
    assert set(both) == set(registry)


def test_a_single_class_has_baselines_too() -> None:
    baselines = Baselines.of({"no": 5.0, "yes": 0.0})
    assert baselines.value("majority", "accuracy") == 1.0
    assert baselines.value("constant_probability", "brier") == 0.0
    assert baselines.value("constant_probability", "log_loss") == pytest.approx(0, abs=1e-12)


def codes(ev: assay.Evaluation) -> list[str]:
    return [caution.code for caution in ev.cautions]


def test_swapped_scores_are_noticed_and_not_flipped() -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(400) % 2
    score = rng.random(400) * 0.6 + 0.4 * truth
    assert "A302" not in codes(assay.evaluate(truth, score))
    swapped = assay.evaluate(truth, 1 - score)
    assert "A302" in codes(swapped)
    assert swapped.roc_auc.high < 0.5


def test_worse_than_the_commonest_answer_needs_more_than_bad_luck() -> None:
    worse, unlucky = assay.from_counts(tp=5, fn=15, fp=60, tn=120), assay.from_counts(tp=5, fn=5, fp=7, tn=183)
    assert "A301" in codes(worse)
    assert "A301" not in codes(unlucky)


def test_probabilities_worse_than_a_constant_are_noticed() -> None:
    truth = np.arange(400) % 4 == 0
    score = np.where(truth, 0.97, 0.9)  # ranks perfectly, says far too much
    ev = assay.evaluate(truth.astype(int), score)
    assert ev.roc_auc.value == 1.0
    assert "A201" in codes(ev)
    assert "A201" not in codes(assay.evaluate(truth.astype(int), np.where(truth, 0.9, 0.1)))


def test_chance_is_rarely_cautioned() -> None:
    """A blameless coin at 300 cases: rules that look at an interval should speak once in a hundred times or less."""
    spoken = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.random(300) < 0.5
        ev = assay.evaluate(truth.astype(int), np.where(rng.random(300) < 0.5, 0.45, 0.55))
        spoken += bool({"A302", "A301"} & set(codes(ev)))
    assert spoken <= 3


def test_labels_never_seen_in_truth_are_named() -> None:
    ev = assay.evaluate(["a", "b", "b", "a"], y_pred=["a", "b", "x", "x"], positive="b")
    (caution,) = (c for c in ev.cautions if c.code == "A105")
    assert "'x' (2)" in caution.message
    assert ev.accuracy.value == 0.5
