"""Rows that depend on one another where they lie: the intervals of rows, from clusters or from groups of whole ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars
import pytest
from tests.sources.engines_alike import TABLES_OF_ANY
from tests.sources.models_alike import groups_are_hashed_alike, hashed

import assay
from assay.errors import InputError, OptionError
from assay.sources.engine.tables import GROUPS, PRIME

MEASURES = ("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "f1", "recall", "mcc")


def of_patients(clusters: int, each: int, seed: int = 1) -> polars.DataFrame:
    """Rows of patients who differ, so that their rows are alike."""
    rng = np.random.default_rng(seed)
    n = clusters * each
    patient = rng.integers(0, clusters, n)
    own = rng.normal(size=clusters)[patient]
    truth = rng.random(n) < 1 / (1 + np.exp(1 - own))
    score = 1 / (1 + np.exp(-(rng.normal(size=n) + 0.6 * own + 1.2 * truth - 1)))
    return polars.DataFrame({"y_true": truth.astype(int), "y_score": score, "patient": patient * 7919 - 40})


@pytest.mark.parametrize("names", ["numbers", "texts"])
def test_few_clusters_have_the_intervals_of_rows(names: str) -> None:
    frame = of_patients(60, 100)
    if names == "texts":
        frame = frame.with_columns(patient=polars.format(" p{}", "patient"))
    ev = assay.evaluate(frame.lazy(), cluster="patient", threshold=0.37, memory="1MB")
    exact = assay.evaluate(frame, cluster="patient", threshold=0.37)
    for measure in MEASURES:
        found, known = ev.estimate(measure), exact.estimate(measure)
        assert found.method == known.method
        half = (known.high - known.low) / 2
        assert found.low == pytest.approx(known.low, abs=0.002 * half), measure
        assert found.high == pytest.approx(known.high, abs=0.002 * half), measure
    assert ev.matrix is not None
    assert exact.matrix is not None
    assert ev.matrix == exact.matrix
    assert np.array_equal(np.sort(ev.matrix.clusters, axis=0), np.sort(exact.matrix.clusters, axis=0))  # type: ignore[arg-type]
    assert {each.code for each in ev.cautions} == {each.code for each in exact.cautions}


def test_many_clusters_are_put_together_in_groups_that_vary_as_they_do() -> None:
    """Groups of whole clusters tell the standard error of all of them, as the root of their number allows."""
    frame = of_patients(6000, 8)
    ev = assay.evaluate(frame.lazy(), cluster="patient", memory="1MB")
    exact, alone = assay.evaluate(frame, cluster="patient"), assay.evaluate(frame, truth="y_true", score="y_score")
    assert f"put together by a hash in {GROUPS} groups of whole ones" in ev.source.remarks[0]
    for measure in MEASURES:
        width, known, naive = (each.estimate(measure).high - each.estimate(measure).low for each in (ev, exact, alone))
        assert width == pytest.approx(known, rel=0.12), measure
        if measure in ("roc_auc", "brier", "accuracy"):
            assert width > 1.02 * naive, measure


def test_the_cluster_bootstrap_is_that_of_rows_in_distribution() -> None:
    frame = of_patients(60, 100)
    ev = assay.evaluate(frame.lazy(), cluster="patient", memory="1MB")
    exact = assay.evaluate(frame, cluster="patient")
    for measure in ("roc_auc", "f1"):
        found, known = (each.estimate(measure, method="bootstrap") for each in (ev, exact))
        assert found.method == known.method
        assert found.low == pytest.approx(known.low, abs=0.1 * (known.high - known.low))
        assert found.high == pytest.approx(known.high, abs=0.1 * (known.high - known.low))


def test_a_comparison_of_clusters_is_that_of_rows() -> None:
    rng = np.random.default_rng(3)
    frame = of_patients(60, 100)
    other = 1 / (1 + np.exp(-(rng.normal(size=len(frame)) + 0.9 * frame["y_true"].to_numpy() - 0.7)))
    frame = frame.rename({"y_score": "score__a"}).with_columns(score__b=other)
    cmp = assay.compare(frame.lazy(), cluster="patient", memory="1MB")
    assert next(iter(cmp.models.values())).rows is None
    exact = assay.compare(frame, cluster="patient")
    for measure in ("roc_auc", "brier", "log_loss", "average_precision", "accuracy", "f1", "recall", "mcc"):
        for first, second in (("a", "b"), ("b", "a")):
            found, known = cmp.difference(measure, first, second), exact.difference(measure, first, second)
            assert found.method == known.method, measure
            half = (known.high - known.low) / 2
            for end in ("value", "low", "high"):
                assert getattr(found, end) == pytest.approx(getattr(known, end), abs=0.01 * half), measure
            assert found.p_value == pytest.approx(known.p_value, rel=0.05, abs=1e-9)
    assert cmp.joint_correctness("a", "b") == exact.joint_correctness("a", "b")
    with pytest.raises(OptionError, match="DeLong's test assumes independent cases"):
        cmp.difference("roc_auc", "a", "b", method="DeLong")


def test_labels_of_many_classes_and_clusters_are_compared() -> None:
    rng = np.random.default_rng(5)
    n = 4000
    patient, truth = rng.integers(0, 50, n), rng.integers(0, 3, n)
    labels = {
        f"pred__{name}": np.where(rng.random(n) < 0.4 + gap * (patient % 2), truth, rng.integers(0, 3, n))
        for name, gap in (("a", 0.5), ("b", 0.3))
    }
    frame = polars.DataFrame({"y_true": truth, **labels, "patient": patient})
    cmp = assay.compare(frame.lazy(), cluster="patient", memory="1kB")
    exact = assay.compare(frame, cluster="patient")
    for measure in ("accuracy", "macro_f1", "cohen_kappa"):
        assert str(cmp.difference(measure, "a", "b")) == str(exact.difference(measure, "a", "b"))


def test_labels_and_many_classes_of_clusters() -> None:
    rng = np.random.default_rng(5)
    n = 4000
    patient, truth = rng.integers(0, 50, n), rng.integers(0, 3, n)
    label = np.where(rng.random(n) < 0.4 + 0.5 * (patient % 2), truth, rng.integers(0, 3, n))
    frame = polars.DataFrame({"y_true": truth, "y_pred": label, "patient": patient})
    ev = assay.evaluate(frame.lazy(), cluster="patient", memory="1kB")
    exact = assay.evaluate(frame, cluster="patient")
    for measure in ("accuracy", "macro_f1", "cohen_kappa"):
        assert str(ev.estimate(measure)) == str(exact.estimate(measure))


@pytest.mark.parametrize("engine", TABLES_OF_ANY)
def test_every_engine_hashes_alike(engine: str) -> None:
    groups_are_hashed_alike(TABLES_OF_ANY[engine])


def test_the_hash_spreads_neighbours_evenly() -> None:
    for step in (1, 2, 1000, PRIME, 2**33):
        counts = np.bincount(hashed(np.arange(50_000) * step), minlength=GROUPS)
        unevenness = float(((counts - counts.mean()) ** 2 / counts.mean()).sum())
        assert 350 < unevenness < 690, step  # chi squared of 511, but once in 10^7


def test_what_cannot_be_grouped_is_said() -> None:
    frame = of_patients(2000, 4)
    texts = frame.with_columns(patient=polars.format("p{}", "patient"))
    assert "holds more than 1,000 different names" in refused(texts, cluster="patient")
    gaps = frame.with_columns(patient=polars.when(polars.col("y_score") > 0.9).then(None).otherwise("patient"))
    assert "'patient' is missing in" in refused(gaps, cluster="patient")
    assert assay.evaluate(gaps.lazy(), cluster="patient", missing="drop", memory="1MB").source.dropped > 0
    plain = refused(frame.rename({"patient": "patient_id"}))
    assert "may mark dependent rows" in plain
    assert "cluster='patient_id'" in plain


def refused(frame: polars.DataFrame, **said: Any) -> str:
    with pytest.raises(InputError) as error:
        assay.evaluate(frame.lazy(), memory="1MB", **said)
    return str(error.value)
