"""Counts, weights and clusters: what they must leave alone, and what they must change."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, registry

NAMES = ("no", "yes")
ROWS = 60


def data(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, ROWS)
    truth[:4] = [0, 1, 0, 1]
    return {
        "truth": truth,
        "score": np.round(np.clip(rng.normal(0.4 + 0.2 * truth, 0.2), 0.01, 0.99), 2),
        "count": rng.integers(0, 4, ROWS).astype(float) + (np.arange(ROWS) < 8),
        "cluster": rng.integers(0, 12, ROWS),
    }


def evidence(measure: Measure, rows: dict[str, np.ndarray], **design: np.ndarray) -> ConfusionMatrix | ScoreTable:
    truth, score = rows["truth"], rows["score"]
    if measure.needs is ScoreTable:
        return ScoreTable.of(score, truth == 1, NAMES, **design)
    return ConfusionMatrix.of(truth, (score >= 0.5).astype(int), NAMES, **design)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", registry)
@given(seed=st.integers(0, 2**20))
def test_a_count_is_the_same_as_repeating_the_row(name: str, seed: int) -> None:
    rows = data(seed)
    times = rows["count"].astype(int)
    repeated = {key: np.repeat(values, times) for key, values in rows.items()}
    measure = registry[name]
    counted = measure.estimate(evidence(measure, rows, count=rows["count"]))
    assert repr(counted) == repr(measure.estimate(evidence(measure, repeated)))
    assert counted.method == measure.estimate(evidence(measure, repeated)).method


@pytest.mark.parametrize("name", registry)
@given(seed=st.integers(0, 2**20), factor=st.floats(0.01, 100))
def test_a_weight_moves_the_estimate_as_repetition_does_and_its_unit_does_not_matter(
    name: str, seed: int, factor: float
) -> None:
    rows = data(seed)
    measure = registry[name]
    weighted = measure.estimate(evidence(measure, rows, weight=rows["count"]))
    repeated = measure.estimate(evidence(measure, rows, count=rows["count"]))
    assert weighted.value == pytest.approx(repeated.value, rel=1e-9, abs=1e-12, nan_ok=True)
    scaled = measure.estimate(evidence(measure, rows, weight=factor * rows["count"]))
    for mine, theirs in ((scaled.value, weighted.value), (scaled.low, weighted.low), (scaled.high, weighted.high)):
        assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", registry)
def test_equal_weights_are_no_weights(name: str) -> None:
    rows, measure = data(5), registry[name]
    plain = measure.estimate(evidence(measure, rows))
    equal = measure.estimate(evidence(measure, rows, weight=np.full(ROWS, 2.5)))
    assert equal.value == pytest.approx(plain.value, rel=1e-9, nan_ok=True)
    if equal.undefined is not None and "at least 100" in equal.undefined:
        return  # it asks more of weighted cases, and does not look whether the weights are equal
    # A posterior drawn row by row is the same one, with other draws.
    close = 0.05 * (plain.high - plain.low) if "Dirichlet" in plain.method else 1e-9
    assert equal.low == pytest.approx(plain.low, rel=1e-6, abs=close, nan_ok=True)
    assert equal.high == pytest.approx(plain.high, rel=1e-6, abs=close, nan_ok=True)


@pytest.mark.parametrize("name", registry)
def test_clusters_leave_the_estimate_alone_and_say_how_many_they_are(name: str) -> None:
    rows, measure = data(7), registry[name]
    plain = measure.estimate(evidence(measure, rows))
    clustered = measure.estimate(evidence(measure, rows, cluster=rows["cluster"]))
    assert clustered.value == pytest.approx(plain.value, rel=1e-12, nan_ok=True)
    if not math.isnan(clustered.value):
        assert "cluster" in clustered.method
    if not math.isnan(clustered.low):
        assert clustered.low <= clustered.value <= clustered.high


@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "brier", "mcc", "average_precision"])
def test_copies_of_a_case_in_one_cluster_add_nothing(name: str) -> None:
    """Eight copies of each case in one cluster are one case; taken as independent they would shrink the interval."""
    rows, measure = data(11), registry[name]
    eight = {key: np.repeat(values, 8) for key, values in rows.items()}
    single = measure.estimate(evidence(measure, rows, cluster=np.arange(ROWS)))
    copied = measure.estimate(evidence(measure, eight, cluster=np.repeat(np.arange(ROWS), 8)))
    naive = measure.estimate(evidence(measure, eight))
    assert copied.low == pytest.approx(single.low, rel=1e-3)
    assert copied.high == pytest.approx(single.high, rel=1e-3)
    assert naive.high - naive.low < 0.6 * (copied.high - copied.low)


def test_methods_that_cannot_take_a_design_refuse_and_name_one_that_can() -> None:
    rows, accuracy = data(3), registry["accuracy"]
    with pytest.raises(OptionError, match=r"these cases have weights, .*; needed: method='Wilson'"):
        accuracy.estimate(evidence(accuracy, rows, weight=rows["count"]), method="clopper-pearson")
    with pytest.raises(OptionError, match=r"these cases come in clusters, .*: leave method out"):
        accuracy.estimate(evidence(accuracy, rows, cluster=rows["cluster"]), method="wilson")


def test_two_clusters_are_too_few() -> None:
    rows, accuracy = data(3), registry["accuracy"]
    found = accuracy.estimate(evidence(accuracy, rows, cluster=rows["cluster"] % 2))
    assert math.isnan(found.low)
    assert found.undefined == "2 clusters: at least 3 needed"


def test_weighted_evidence_adds() -> None:
    rows = data(9)
    weight = rows["count"] + 0.5
    half = np.arange(ROWS) < 25
    for measure in (registry["accuracy"], registry["roc_auc"]):
        parts = [
            evidence(measure, {key: values[mask] for key, values in rows.items()}, weight=weight[mask])
            for mask in (half, ~half)
        ]
        whole = evidence(measure, rows, weight=weight)
        joined = parts[0] + parts[1]  # type: ignore[operator]
        assert measure.estimate(joined).to_dict() == pytest.approx(measure.estimate(whole).to_dict())


def test_the_clusters_of_a_denominator_are_not_taken_for_all() -> None:
    """Twelve patients, five of whom have a positive case: recall rests on five of twelve, accuracy on all."""
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(12), 20)
    truth = (unit < 5) & (rng.random(240) < 0.5)
    score, other = rng.standard_normal((2, 240)) + truth
    ev = assay.evaluate(truth, score, threshold=0.5, cluster=unit)
    assert ev.estimate("recall").method.endswith("5 of 12 clusters")
    assert ev.estimate("accuracy").method.endswith(", 12 clusters")
    cmp = assay.compare(truth, {"a": score, "b": other}, threshold=0.5, cluster=unit)
    assert "Fieller, t, 5 of 12 clusters" in cmp.difference("recall", "a", "b").method
    assert "Fieller, t, 12 clusters" in cmp.difference("accuracy", "a", "b").method


def test_clusters_are_cautioned_of_by_their_sizes_and_never_by_the_answers() -> None:
    rng = np.random.default_rng(6)

    def codes(unit: Any, truth: Any, score: Any) -> list[str]:
        ev = assay.evaluate(truth, score, threshold=0.5, cluster=unit)
        return [caution.code for caution in ev.cautions if caution.code == "A111"]

    even, truth = np.repeat(np.arange(30), 20), rng.random(600) < 0.4
    score = rng.random(600)
    big = np.where(np.arange(600) < 250, 0, even)
    rare = (even < 3) & (rng.random(600) < 0.5)
    # Forty clusters, but the positives sit in three of them; and one that holds 42 % of the rows.
    assert [codes(even, truth, score), codes(big, truth, score), codes(even, rare, score)] == [[], ["A111"], ["A111"]]
    for answers in (truth * 1.0, 1.0 - truth, rng.random(600)):
        assert codes(big, truth, answers) == ["A111"]
        assert codes(even, truth, answers) == []


def test_unequal_weights_are_cautioned_of_without_a_threshold_too() -> None:
    rng = np.random.default_rng(7)
    truth, weight = rng.random(300) < 0.4, rng.lognormal(0, 1.5, 300)
    for score in (rng.standard_normal(300), rng.random(300)):
        assert "A107" in [caution.code for caution in assay.evaluate(truth, score, weight=weight).cautions]
        assert "A107" not in [caution.code for caution in assay.evaluate(truth, score, weight=weight**0).cautions]


def test_less_often_right_than_the_commonest_answer_is_shown_by_independent_cases_only() -> None:
    """Each of 40 cases a thousand times over, by weight or as a cluster, shows no more than once."""
    rng = np.random.default_rng(9)
    for _ in range(30):
        truth = np.arange(40) < 24
        calls = rng.random(40) < 0.55
        plain = {one.code for one in assay.evaluate(truth, y_pred=calls, positive=True).cautions}
        heavy = assay.evaluate(truth, y_pred=calls, positive=True, weight=np.full(40, 1000.0))
        again = assay.evaluate(
            np.repeat(truth, 50), y_pred=np.repeat(calls, 50), positive=True, cluster=np.repeat(np.arange(40), 50)
        )
        assert ("A301" in plain) == ("A301" in {one.code for one in heavy.cautions})
        assert "A301" in plain or "A301" not in {one.code for one in again.cautions}
    bad = assay.evaluate(
        np.repeat(truth, 50), y_pred=~np.repeat(truth, 50), positive=True, cluster=np.repeat(range(40), 50)
    )
    assert "A301" in {one.code for one in bad.cautions}


def test_a_perfect_ranking_below_the_threshold_is_told_as_such() -> None:
    truth = np.repeat([0, 1], 100)
    ev = assay.evaluate(truth, 0.1 + 0.2 * truth + 0.001 * np.arange(200) / 200)
    (caution,) = (one for one in ev.cautions if one.code == "A130")
    assert "All predictions are correct" not in caution.message
