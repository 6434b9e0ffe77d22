"""Comparing AUCs: DeLong against its definition, identical and degenerate scores, missing scores, clusters, folds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import f as f_law

from assay.comparison import Rows, joint_auc, joint_influence, score_influence, unpaired_auc
from assay.comparison.small_sample_limits import recovered
from assay.evidence import ScoreTable
from assay.measures import partial_auc_between, roc_auc
from assay.uncertainty import AucMoments

Floats = NDArray[np.float64]
TRUTH = np.arange(60) % 3 == 0


def scores(seed: int, gap: float = 1.0) -> Floats:
    return np.asarray(np.random.default_rng(seed).normal(gap * TRUTH).round(1))


def by_definition(truth: NDArray[np.bool_], models: list[Floats]) -> tuple[Floats, Floats]:
    """DeLong's estimates and covariance from every pair, as the paper writes them."""
    wins = [(m[truth][:, None] > m[~truth]) + 0.5 * (m[truth][:, None] == m[~truth]) for m in models]
    tens, ones = np.array([w.mean(1) for w in wins]), np.array([w.mean(0) for w in wins])
    return tens.mean(1), np.cov(tens) / truth.sum() + np.cov(ones) / (~truth).sum()


def test_delong_is_what_the_paper_writes() -> None:
    models = [scores(seed) for seed in range(3)]
    areas, covariance = by_definition(TRUTH, models)
    joint = joint_auc(TRUTH, dict(zip("abc", models, strict=True)))
    np.testing.assert_allclose(joint.values, areas, rtol=1e-12)
    np.testing.assert_allclose(joint.covariance, covariance, rtol=1e-10)
    contrast = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]])
    d = contrast @ areas
    chi2 = float(d @ np.linalg.inv(contrast @ covariance @ contrast.T) @ d)
    paper = joint_auc(TRUTH, dict(zip("abc", models, strict=True)), distribution="normal")
    assert paper.test().statistic == pytest.approx(chi2, rel=1e-9)
    assert paper.test(contrast[:1]).statistic == pytest.approx(d[0] ** 2 / (contrast[0] @ covariance @ contrast[0]))


def test_the_joint_test_is_nel_and_van_der_merwes_f() -> None:
    """Against the formula of the paper, written with contrasts of its own."""
    truth, rng = np.arange(90) % 3 == 0, np.random.default_rng(4)
    models = [rng.normal(truth) for _ in range(3)]
    wins = [(m[truth][:, None] > m[~truth]) + 0.5 * (m[truth][:, None] == m[~truth]) for m in models]
    contrast = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    parts = [contrast @ np.cov(np.array([w.mean(1 - side) for w in wins])) @ contrast.T for side in (0, 1)]
    sizes = [truth.sum(), (~truth).sum()]
    parts = [part / size for part, size in zip(parts, sizes, strict=True)]
    whole, d = parts[0] + parts[1], contrast @ np.array([w.mean() for w in wins])

    def size_of(matrix: NDArray[np.float64]) -> float:
        return float(np.trace(matrix @ matrix) + np.trace(matrix) ** 2)

    nu = size_of(whole) / sum(size_of(p) / (n - 1) for p, n in zip(parts, sizes, strict=True))
    f = float(d @ np.linalg.inv(whole) @ d) * (nu - 1) / (2 * nu)
    found = joint_auc(truth, dict(zip("abc", models, strict=True))).test()
    assert found.statistic == pytest.approx(f, rel=1e-9)
    assert found.p_value == pytest.approx(float(f_law.sf(f, 2, nu - 1)), rel=1e-9)


@given(st.permutations(range(4)))
def test_the_order_of_the_classifiers_does_not_move_the_joint_test(order: list[int]) -> None:
    models = {str(seed): scores(seed) for seed in range(4)}
    shuffled = {str(seed): models[str(seed)] for seed in order}
    assert joint_auc(TRUTH, shuffled).test().p_value == pytest.approx(joint_auc(TRUTH, models).test().p_value)


def test_small_classes_are_tested_jointly_without_inverting_and_the_smallest_not_at_all() -> None:
    rng = np.random.default_rng(1)
    for positives, method in ((25, "F, "), (15, "ANOVA-type F"), (8, "none")):
        truth = np.arange(200) < positives
        found = joint_auc(truth, {name: rng.normal(truth) for name in "abcd"}).test()
        assert found.method.startswith(method)
        assert math.isnan(found.p_value) == (method == "none")


@given(arrays(np.int64, (2, 60), elements=st.integers(0, 8)))
def test_interval_and_p_value_never_contradict_one_another(drawn: NDArray[np.int64]) -> None:
    found = joint_auc(TRUTH, {"a": drawn[0], "b": drawn[1]}).difference(0, 1)
    if not math.isnan(found.low):
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)
        assert found.low <= found.value <= found.high


@given(arrays(np.int64, (2, 60), elements=st.integers(0, 8)))
def test_the_order_of_classifiers_turns_the_sign_and_nothing_else(drawn: NDArray[np.int64]) -> None:
    one = joint_auc(TRUTH, {"a": drawn[0], "b": drawn[1]}).difference(0, 1)
    other = joint_auc(TRUTH, {"b": drawn[1], "a": drawn[0]}).difference(0, 1)
    assert other.value == pytest.approx(-one.value)
    assert other.p_value == pytest.approx(one.p_value, nan_ok=True)
    assert other.low == pytest.approx(-one.high, nan_ok=True, abs=1e-12)


def test_one_classifier_has_the_variance_of_its_own_interval() -> None:
    table = ScoreTable.of(scores(1), TRUTH)
    joint = joint_auc(TRUTH, {"a": scores(1), "b": scores(2)})
    assert joint.values[0] == float(roc_auc(table))
    assert joint.covariance[0, 0] == pytest.approx(AucMoments.of(table).variance, rel=1e-12)


def test_identical_scores_do_not_differ() -> None:
    joint = joint_auc(TRUTH, {"a": scores(1), "b": scores(1), "c": scores(2)})
    same = joint.difference(0, 1)
    assert (same.value, same.p_value) == (0.0, 1.0)
    assert "rank every pair of these cases alike" in str(same.undefined)
    assert joint.test().method.startswith("ANOVA-type F, 1 and")
    assert joint_auc(TRUTH, {"a": scores(1), "b": scores(1)}).test().p_value == 1.0


def test_two_perfect_classifiers_say_nothing_about_their_difference() -> None:
    found = joint_auc(TRUTH, {"a": TRUTH + 0.0, "b": TRUTH + 0.1 * np.arange(60) * TRUTH}).difference(0, 1)
    assert found.value == 0
    assert math.isnan(found.low)
    assert found.undefined


def test_too_few_cases_in_a_class_have_no_interval() -> None:
    truth = np.arange(200) < 4
    rng = np.random.default_rng(0)
    found = joint_auc(truth, {"a": rng.normal(truth), "b": rng.normal(truth)}).difference(0, 1)
    assert not math.isnan(found.value)
    assert math.isnan(found.low)
    assert "4 cases in a class" in str(found.undefined)


def test_small_classes_are_held_against_t_and_large_ones_against_the_normal() -> None:
    given_scores = {"a": scores(1), "b": scores(2)}
    small = joint_auc(TRUTH, given_scores).difference(0, 1)
    normal = joint_auc(TRUTH, given_scores, distribution="normal").difference(0, 1)
    assert (small.method, normal.method) == ("paired DeLong, with MOVER", "paired DeLong")
    assert small.high - small.low > normal.high - normal.low


def test_five_positives_have_an_interval_that_holds_what_either_auc_leaves_open() -> None:
    truth = np.arange(100) < 5
    rng = np.random.default_rng(2)
    found = joint_auc(truth, {"a": rng.normal(3 * truth), "b": rng.normal(truth)}).difference(0, 1)
    assert found.low < found.value < found.high
    assert found.low >= -1


def test_missing_scores_count_for_their_own_model_and_pairs_for_the_covariance() -> None:
    a, b = scores(1), scores(2)
    b_missing = b.copy()
    b_missing[:30] = np.nan
    joint = joint_auc(TRUTH, {"a": a, "b": b_missing})
    there = ~np.isnan(b_missing)
    assert joint.values[1] == float(roc_auc(ScoreTable.of(b[there], TRUTH[there])))
    assert joint.covariance[1, 1] == pytest.approx(AucMoments.of(ScoreTable.of(b[there], TRUTH[there])).variance)
    full = joint_auc(TRUTH, {"a": a, "b": b})
    none = a.copy()
    none[30:] = np.nan
    apart = joint_auc(TRUTH, {"a": none, "b": b_missing})
    assert apart.covariance[0, 1] == 0.0
    assert full.error(0, 1) < apart.error(0, 1)
    assert "partially" in apart.method


def test_no_shared_case_is_the_unpaired_test() -> None:
    truth = np.arange(240) % 2 == 0
    rng = np.random.default_rng(5)
    a, b = rng.normal(truth), rng.normal(0.5 * truth)
    a[:120], b[120:] = np.nan, np.nan
    joint = joint_auc(truth, {"a": a, "b": b})
    apart = unpaired_auc(ScoreTable.of(a[120:], truth[120:]), ScoreTable.of(b[:120], truth[:120]))
    assert joint.difference(0, 1).value == pytest.approx(apart.value)
    width = (apart.high - apart.low) / (2 * joint.error(0, 1))
    assert 1.95 < width < 2.0


def test_a_count_is_a_repeated_row_and_equal_weights_are_none() -> None:
    count = (np.arange(60) % 4 + 1).astype(float)
    models = {"a": scores(1), "b": scores(2)}
    times = count.astype(int)
    repeated = joint_auc(np.repeat(TRUTH, times), {k: np.repeat(v, times) for k, v in models.items()})
    counted = joint_auc(Rows(TRUTH, count=count), models)
    np.testing.assert_allclose(counted.covariance, repeated.covariance, rtol=1e-10)
    np.testing.assert_allclose(counted.values, repeated.values)
    plain = joint_auc(TRUTH, models)
    equal = joint_auc(Rows(TRUTH, weight=np.full(60, 2.5)), models)
    np.testing.assert_allclose(equal.covariance, plain.covariance, rtol=1e-10)


def test_copies_of_a_case_in_one_cluster_add_nothing() -> None:
    models = {"a": scores(1), "b": scores(2)}
    eight = {k: np.repeat(v, 8) for k, v in models.items()}
    single = joint_auc(Rows(TRUTH, cluster=np.arange(60)), models).difference(0, 1)
    copied = joint_auc(Rows(np.repeat(TRUTH, 8), cluster=np.repeat(np.arange(60), 8)), eight).difference(0, 1)
    naive = joint_auc(np.repeat(TRUTH, 8), eight).difference(0, 1)
    assert copied.low == pytest.approx(single.low, rel=1e-6)
    assert naive.high - naive.low < 0.5 * (copied.high - copied.low)
    assert "60 clusters" in single.method


def test_folds_are_ranked_apart() -> None:
    fold = np.arange(60) % 2
    # The second fold's scores are all higher: pooled ranks would mix what cannot be compared.
    shifted = {"a": scores(1) + 100 * fold, "b": scores(2)}
    apart = joint_auc(Rows(TRUTH, fold=fold), shifted)
    areas = [float(roc_auc(ScoreTable.of(scores(1)[fold == f], TRUTH[fold == f]))) for f in (0, 1)]
    assert apart.values[0] == pytest.approx(np.mean(areas))
    assert apart.target == "the models of these folds"


def test_the_whole_partial_area_is_the_auc() -> None:
    models = {"a": scores(1), "b": scores(2)}
    measure, tables = partial_auc_between(0, 1, standardised=False), [ScoreTable.of(s, TRUTH) for s in models.values()]
    values = np.array([float(measure(table)) for table in tables])
    moved = [score_influence(measure, *each, TRUTH) for each in zip(tables, models.values(), strict=True)]
    kept = np.ones((2, len(TRUTH)), dtype=np.bool_)
    whole = joint_influence("partial_auc", tuple(models), values, np.stack(moved), Rows.of(TRUTH), kept)
    auc = joint_auc(TRUTH, models)
    np.testing.assert_allclose(whole.values, auc.values)
    assert whole.error(0, 1) == pytest.approx(auc.error(0, 1), rel=0.02)


def test_placements_average_to_the_auc_in_either_class() -> None:
    table = ScoreTable.of(scores(3), TRUTH)
    standing = table.placements(scores(3), TRUTH)
    assert standing[TRUTH].mean() == pytest.approx(float(roc_auc(table)))
    assert standing[~TRUTH].mean() == pytest.approx(float(roc_auc(table)))


@given(
    st.lists(st.floats(0, math.inf), min_size=4, max_size=4),
    st.floats(-1, 1),
)
def test_recovered_limits_hold_the_difference_whatever_those_of_either_are(reach: list[float], alike: float) -> None:
    values, covariance = np.array([0.3, 0.2]), np.array([[1.0, alike], [alike, 1.0]])
    of_one = [
        (value - down, value + up) for value, down, up in zip(values.tolist(), reach[::2], reach[1::2], strict=True)
    ]
    low, high = recovered(values, covariance, lambda k, level: of_one[k])(0, 1, 0.95)
    assert low <= values[0] - values[1] <= high


def test_two_small_samples_have_an_interval_that_holds_what_either_auc_leaves_open() -> None:
    rng, truth = np.random.default_rng(9), np.arange(80) < 8
    one, two = (ScoreTable.of(rng.normal(gap * truth), truth) for gap in (2.5, 0.5))
    found = unpaired_auc(one, two)
    assert found.low < found.value < found.high
    assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)
    assert "MOVER" in found.method
    four = ScoreTable.of(rng.normal(size=80), np.arange(80) < 4)
    assert "4 cases in a class" in str(unpaired_auc(one, four).undefined)
