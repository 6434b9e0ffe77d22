"""Laws of many classes: against the rest, permuted, two as many, batches, sums, scikit-learn, coverage."""

from __future__ import annotations

import math
import pickle
import warnings
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics

import assay
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures import (
    averaged,
    f1,
    find_for_many,
    registry,
    registry_of_many,
    roc_auc,
    volume_under_surface,
)
from assay.predictions import Predictions

OF_MATRIX = [name for name, measure in registry_of_many.items() if measure.needs is ConfusionMatrix]
OF_SCORES = [name for name in registry_of_many if name not in OF_MATRIX]
NAMES = "abcdefgh"


def drawn(classes: int, cases: int, seed: int, strength: float = 1.0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Codes (every class occurs) and probabilities rounded so that ties occur."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate((np.arange(classes), rng.integers(0, classes, max(cases - classes, 0))))
    logit = rng.normal(size=(len(truth), classes))
    logit[np.arange(len(truth)), truth] += strength
    odds = np.exp(logit).round(1) + 0.1
    return truth, odds / odds.sum(1, keepdims=True)


def evaluation(truth: NDArray[Any], probability: NDArray[Any], **more: Any) -> assay.Evaluation:
    classes = tuple(NAMES[: probability.shape[1]])
    return assay.evaluate(Predictions(classes, truth, probability=probability, **more))


def evidence_for(name: str, truth: NDArray[Any], probability: NDArray[Any]) -> Any:
    classes = NAMES[: probability.shape[1]]
    scores = ClassScores.of(probability, truth, classes)
    if name in OF_SCORES:
        return scores
    return ConfusionMatrix.of(truth, scores.decided(), classes)


samples = st.tuples(st.integers(3, 6), st.integers(6, 80), st.integers(0, 10**6))


@pytest.mark.parametrize("name", registry_of_many)
@settings(max_examples=15)
@given(sample=samples)
def test_estimates_are_sound(name: str, sample: tuple[int, int, int]) -> None:
    measure = registry_of_many[name]
    estimate = measure.estimate(evidence_for(name, *drawn(*sample)))
    if math.isnan(estimate.value) or math.isnan(estimate.low):
        assert estimate.undefined
        return
    assert measure.bounds[0] <= estimate.low <= estimate.value <= estimate.high <= measure.bounds[1]


@settings(max_examples=25)
@given(sample=samples)
def test_one_against_the_rest_is_the_two_class_case(sample: tuple[int, int, int]) -> None:
    truth, probability = drawn(*sample)
    ev = evaluation(truth, probability)
    decided = probability.argmax(1)
    for k, name in enumerate(ev.classes):
        two = assay.evaluate((truth == k).astype(int), probability[:, k], y_pred=(decided == k).astype(int), positive=1)
        for measure, estimate in ev.per_class[name].items():
            if measure in two.registry:
                assert repr(estimate.to_dict()) == repr(two.estimate(measure).to_dict()), measure


@pytest.mark.parametrize("name", registry_of_many)
@settings(max_examples=10)
@given(sample=samples, data=st.data())
def test_the_order_of_classes_is_irrelevant(name: str, sample: tuple[int, int, int], data: st.DataObject) -> None:
    truth, probability = drawn(*sample)
    # Distinct scores, because ties are decided for the first class.
    probability = probability + 1e-6 * np.arange(probability.shape[1]) * (1 + np.arange(len(truth)))[:, None]
    order = np.array(data.draw(st.permutations(range(probability.shape[1]))))
    place = np.argsort(order)
    first = registry_of_many[name](evidence_for(name, truth, probability))
    second = registry_of_many[name](evidence_for(name, place[truth], probability[:, order]))
    np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12)


def test_permuting_classes_permutes_per_class() -> None:
    truth, probability = drawn(4, 200, 3)
    order = [2, 0, 3, 1]
    place = np.argsort(order)
    classes = tuple(NAMES[k] for k in order)
    ev = evaluation(truth, probability)
    moved = assay.evaluate(Predictions(classes, place[truth], probability=probability[:, order]))
    for name in ev.classes:
        assert ev.per_class[name]["roc_auc"].to_dict() == moved.per_class[name]["roc_auc"].to_dict()


def test_two_classes_through_the_formulas_of_many() -> None:
    truth, probability = drawn(2, 300, 7)
    positive = (64 * probability[:, 1]).round() / 64  # exact in binary, so that both columns tie alike
    probability = np.column_stack((1 - positive, positive))
    scores = ClassScores.of(probability, truth, "ab")
    table, matrix = ScoreTable.of(probability[:, 1], truth == 1), ConfusionMatrix.of(truth, scores.decided(), "ab")
    for name in ("hand_till", "macro_roc_auc", "weighted_roc_auc", "ovo_weighted_roc_auc"):
        assert registry_of_many[name](scores) == pytest.approx(float(roc_auc(table)), rel=1e-9)
    for name in ("log_loss", "log_loss_skill", "brier_skill"):
        assert float(registry_of_many[name](scores)) == pytest.approx(float(registry[name](table)), rel=1e-12)
    assert float(registry_of_many["brier"](scores)) == pytest.approx(2 * float(registry["brier"](table)), rel=1e-12)
    for name in ("accuracy", "balanced_accuracy", "g_mean", "kappa", "mcc"):
        assert float(registry_of_many[name](matrix)) == pytest.approx(float(registry[name](matrix)), rel=1e-12)


def test_standard_errors_agree_with_delong_for_two_classes() -> None:
    truth, probability = drawn(2, 2000, 11)
    mine = registry_of_many["hand_till"].estimate(ClassScores.of(probability, truth, "ab"))
    theirs = roc_auc.estimate(ScoreTable.of(probability[:, 1], truth == 1))
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=2e-4)


@pytest.mark.parametrize("name", OF_MATRIX)
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_a_batch_of_matrices_equals_a_loop(name: str, seed: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 4, (3, 2, 4, 5)).astype(float)
    measure = registry_of_many[name]

    def of(each: NDArray[Any]) -> Any:
        return measure(ConfusionMatrix(each, tuple("abcd"), tuple("abcd?")))

    np.testing.assert_allclose(of(counts), [[of(one) for one in row] for row in counts], rtol=1e-12, atol=1e-14)


@given(sample=samples, cut=st.integers(1, 5))
def test_evidence_adds(sample: tuple[int, int, int], cut: int) -> None:
    truth, probability = drawn(*sample)
    classes = NAMES[: probability.shape[1]]
    whole = ClassScores.of(probability, truth, classes)
    parts = [ClassScores.of(probability[rows], truth[rows], classes) for rows in (slice(cut), slice(cut, None))]
    assert parts[0] + parts[1] == parts[1] + parts[0] == whole


@pytest.mark.parametrize("name", OF_SCORES)
def test_counts_are_repetition_and_weights_give_the_same_value(name: str) -> None:
    truth, probability = drawn(3, 120, 5)
    times = np.random.default_rng(1).integers(1, 4, len(truth)).astype(float)
    measure = registry_of_many[name]
    rows = np.repeat(np.arange(len(truth)), times.astype(int))
    repeated = measure.estimate(ClassScores.of(probability[rows], truth[rows], "abc"))
    counted = measure.estimate(ClassScores.of(probability, truth, "abc", count=times))
    weighted = measure.estimate(ClassScores.of(probability, truth, "abc", weight=times))
    each = [counted.value, counted.low, counted.high]
    np.testing.assert_allclose(each, [repeated.value, repeated.low, repeated.high], rtol=1e-9)
    assert weighted.value == pytest.approx(repeated.value, rel=1e-9)
    assert weighted.high - weighted.low > counted.high - counted.low


@pytest.mark.parametrize("name", OF_SCORES)
def test_clusters_of_one_are_independent_rows_and_copies_widen(name: str) -> None:
    truth, probability = drawn(3, 150, 5)
    measure = registry_of_many[name]
    alone = measure.estimate(ClassScores.of(probability, truth, "abc"))
    alike = measure.estimate(ClassScores.of(probability, truth, "abc", cluster=np.arange(len(truth))))
    assert (alone.low, alone.high) == pytest.approx((alike.low, alike.high), abs=0.02)
    rows = np.repeat(np.arange(150), 2)
    twice = ClassScores.of(probability[rows], truth[rows], "abc", cluster=rows)
    copied = measure.estimate(twice)
    assert copied.value == pytest.approx(alone.value, rel=1e-9)
    assert copied.high - copied.low == pytest.approx(alike.high - alike.low, rel=0.05)


@settings(max_examples=40)
@given(sample=samples)
def test_scikit_learn_agrees(sample: tuple[int, int, int]) -> None:
    truth, probability = drawn(*sample)
    ev = evaluation(truth, probability)
    decided = probability.argmax(1)
    one_hot = np.eye(probability.shape[1])[truth]
    same = {
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, decided),
        "mcc": metrics.matthews_corrcoef(truth, decided),
        "kappa": metrics.cohen_kappa_score(truth, decided),
        "log_loss": metrics.log_loss(truth, probability),
        "brier": metrics.brier_score_loss(truth, probability, scale_by_half=False),
        "hand_till": metrics.roc_auc_score(truth, probability, multi_class="ovo"),
        "ovo_weighted_roc_auc": metrics.roc_auc_score(truth, probability, multi_class="ovo", average="weighted"),
        "macro_roc_auc": metrics.roc_auc_score(truth, probability, multi_class="ovr"),
        "weighted_roc_auc": metrics.roc_auc_score(truth, probability, multi_class="ovr", average="weighted"),
        "macro_average_precision": metrics.average_precision_score(one_hot, probability),
        "weighted_average_precision": metrics.average_precision_score(one_hot, probability, average="weighted"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, (name, function) in product(
            ("macro", "micro", "weighted"),
            {"f1": metrics.f1_score, "precision": metrics.precision_score, "recall": metrics.recall_score}.items(),
        ):
            same[f"{kind}_{name}"] = function(truth, decided, average=kind)
    for name, wanted in same.items():
        found = ev.estimate(name).value
        if math.isnan(found) and "precision" in name:
            assert len(set(decided)) < len(ev.classes)  # theirs takes 0 for the class never predicted
            continue
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12), name


def test_an_undefined_class_makes_the_average_undefined_and_is_named() -> None:
    ev = assay.from_counts([[8, 2, 0], [1, 9, 0], [5, 5, 0]], classes=["ant", "bee", "cat"])
    assert math.isnan(ev.macro_precision.value)
    assert ev.macro_precision.undefined == "for a class that occurs nothing was predicted positive ('cat')"
    assert ev.macro_f1.value == pytest.approx((16 / 24 + 18 / 26 + 0) / 3)


def test_classes_that_do_not_occur_are_left_out_and_said() -> None:
    ev = assay.from_counts([[8, 2, 1], [1, 9, 0], [0, 0, 0]], classes=["ant", "bee", "cat"])
    assert ev.balanced_accuracy.value == pytest.approx((8 / 11 + 9 / 10) / 2)
    assert ev.macro_recall.value == ev.balanced_accuracy.value
    assert "A108" in [caution.code for caution in ev.cautions]
    assert math.isnan(ev.per_class["cat"]["recall"].value)


@pytest.mark.parametrize("name", registry_of_many)
def test_measures_of_many_pickle_and_answer_to_aliases(name: str) -> None:
    measure = registry_of_many[name]
    again = pickle.loads(pickle.dumps(measure))
    assert again.name == name
    truth, probability = drawn(3, 60, 1)
    evidence = evidence_for(name, truth, probability)
    np.testing.assert_array_equal(again(evidence), measure(evidence))
    for alias in (name, *measure.aliases):
        assert find_for_many(alias) is measure


def test_no_alias_of_many_means_two_measures() -> None:
    names = [alias for measure in registry_of_many.values() for alias in {measure.name, *measure.aliases}]
    assert len(names) == len(set(names))


def test_an_average_is_a_reduction_of_evidence() -> None:
    matrix = ConfusionMatrix(np.array([[5, 1, 0], [2, 6, 1], [0, 3, 9]]))
    assert averaged("macro", f1)(matrix) == pytest.approx(float(f1(matrix.one_vs_rest()).mean(-1)), rel=1e-15)


@settings(max_examples=30)
@given(cases=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=3, max_size=24))
def test_volume_under_the_surface_by_brute_force(cases: list[tuple[int, int]]) -> None:
    groups: list[list[int]] = [[s for s, c in cases if c == k] for k in range(3)]
    assume(all(groups))
    credit = []
    for triple in product(*groups):
        orders = [order for order in permutations(range(3)) if all(triple[a] <= triple[b] for a, b in _steps(order))]
        credit.append((0, 1, 2) in orders and 1 / len(orders))
    found = volume_under_surface([s for s, _ in cases], [c for _, c in cases])
    assert found.value == pytest.approx(np.mean(credit), rel=1e-12)


def _steps(order: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(pairwise(order))


def test_volume_under_the_surface_covers() -> None:
    """Three normals, means 0, 1, 2: .935 with 20 a class and .952 with 50 were measured for this interval."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), 50)
    big = volume_under_surface(*(lambda c: (rng.normal(c), c))(np.repeat(np.arange(3), 200_000)))
    assert big.value == pytest.approx(0.536, abs=0.002)
    found = [volume_under_surface(rng.normal(codes), codes) for _ in range(300)]
    assert 0.91 <= np.mean([e.low <= 0.536 <= e.high for e in found]) <= 0.985
    assert volume_under_surface(rng.random(600), np.arange(600) % 3).value == pytest.approx(1 / 6, abs=0.03)
    with pytest.raises(ValueError, match="0, 1 and 2"):
        volume_under_surface([1, 2], [0, 3])


@pytest.mark.parametrize("name", ["hand_till", "macro_roc_auc", "macro_f1", "kappa", "brier", "log_loss_skill"])
def test_intervals_cover(name: str) -> None:
    """A rough look; the verification tables look closely."""
    truth, probability = drawn(3, 60_000, 2, 1.5)
    wanted = float(registry_of_many[name](evidence_for(name, truth, probability)))
    found = [registry_of_many[name].estimate(evidence_for(name, *drawn(3, 150, s, 1.5))) for s in range(200)]
    assert np.mean([e.low <= wanted <= e.high for e in found]) >= 0.89


@pytest.mark.parametrize("seed", range(6))
def test_tied_scores_are_decided_alike_from_every_source(tmp_path: Path, seed: int) -> None:
    """Neither the order of columns nor of `classes=` decides a tie: the first class in sorted order is predicted."""
    rng = np.random.default_rng(seed)
    names = np.array([list("gfedcba"), ["10", "9", "33", "4", "5", "0", "1"]][seed % 2])
    truth, shares = rng.integers(0, 7, 90), rng.integers(0, 3, (90, 7)) + 1.0
    shares[np.arange(90), truth] += rng.random(90) < 0.5
    shares /= shares.sum(1, keepdims=True)
    frame = pd.DataFrame(shares, columns=[f"proba_{name}" for name in names]).assign(truth=names[truth])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    acc = assay.Accumulator(classes=list(names), exact=True)
    acc.update(names[truth], shares)
    stream = assay.streams.watch(classes=list(names))
    stream.update_many(names[truth], scores=shares)
    known = {
        "arrays": assay.evaluate(names[truth], y_proba=shares, classes=list(names)),
        "frame": assay.evaluate(frame, truth="truth"),
        "csv": assay.evaluate(tmp_path / "rows.csv"),
        "parquet": assay.evaluate(tmp_path / "rows.parquet"),
        "past memory": assay.evaluate(tmp_path / "rows.parquet", memory="1kB"),
        "batches": acc.evaluate(),
    }
    expected = names[np.argsort(names.astype(int) if seed % 2 else names)]
    ordered = shares[:, [list(names).index(name) for name in expected]]
    right = float((expected[ordered.argmax(1)] == names[truth]).mean())
    assert {name: ev.accuracy.value for name, ev in known.items()} == dict.fromkeys(known, pytest.approx(right))
    assert {name: ev.mcc.value for name, ev in known.items()} == dict.fromkeys(
        known, pytest.approx(known["csv"].mcc.value)
    )
    assert stream.now().error.value == pytest.approx(1 - right)
