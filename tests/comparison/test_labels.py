"""Tests of who was right: over every small table an interval and the p-value beside it never contradict.

Omnibus tests of several classifiers and of labels, and the pairs behind them.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtri

from assay.comparison import (
    bowker,
    class_shares,
    clustered_mcnemar,
    cochran_q,
    compare_correctness,
    difference_interval,
    discordant_odds,
    label_pairs,
    mcnemar,
    mcnemar_of,
    right_pairs,
    stuart_maxwell,
    unpaired_test,
)
from assay.comparison.labels import (
    DIFFERENCE_METHODS,
    MCNEMAR_FORMS,
    clustered_test,
    null_error,
    score_test,
    tango_limits,
)
from assay.comparison.rates import UNPAIRED_METHODS, unpaired_interval
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import JointCorrectness, PairedCorrectness, PairedDecisions
from assay.results import Interval

LEVELS = (0.8, 0.9, 0.95, 0.99)
cells = st.integers(0, 40)


def tables(n: int) -> list[tuple[int, int]]:
    return [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]


def agree(p_value: float, interval: Interval, level: float, null: float = 0.0) -> bool:
    """Whether the interval leaves the null value out exactly where the test rejects it."""
    return (interval.low <= null <= interval.high) == (p_value > 1 - level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [8, 9, 10, 13, 20])
def test_score_test_and_tango_never_contradict(n: int, level: float) -> None:
    for b, c in tables(n):
        test, interval = score_test(b, c, n, level)
        assert agree(test.p_value, interval, level), (b, c, n)
        assert -1 <= interval.low <= (b - c) / n <= interval.high <= 1
        assert interval.low < interval.high


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [31, 64, 120])
def test_neither_do_they_over_every_larger_table_at_once(n: int, level: float) -> None:
    b, c = (np.array(counts, dtype=float) for counts in zip(*tables(n), strict=True))
    low, high = tango_limits(b, c, float(n), level)
    z = (b - c) / np.sqrt(np.maximum(b + c, 1))
    np.testing.assert_array_equal((low > 0) | (high < 0), np.abs(z) > ndtri(0.5 + level / 2))


@pytest.mark.parametrize("form", ["exact", "mid-p"])
def test_exact_forms_and_their_odds_never_contradict(form: str) -> None:
    for b, c in tables(24):
        if b + c > 0:
            found = discordant_odds(b, c, form=form)
            interval = Interval(found.low, found.high, form)
            assert agree(mcnemar(b, c, form).p_value, interval, 0.95, null=1.0), (b, c)
            assert found.low <= found.value <= found.high


@pytest.mark.parametrize(("n1", "n2"), [(10, 10), (12, 25)])
def test_unpaired_test_and_interval_never_contradict(n1: int, n2: int) -> None:
    for x1 in range(n1 + 1):
        for x2 in range(n2 + 1):
            test, interval = unpaired_test(x1, n1, x2, n2)
            assert agree(test.p_value, interval, 0.95), (x1, x2)
            assert -1 <= interval.low <= x1 / n1 - x2 / n2 <= interval.high <= 1


@given(b=cells, c=cells, rest=st.integers(8, 200))
def test_exchanging_the_classifiers_turns_everything_round(b: int, c: int, rest: int) -> None:
    n = b + c + rest
    (one, first), (other, second) = score_test(b, c, n), score_test(c, b, n)
    assert one.p_value == other.p_value
    assert (first.low, first.high) == pytest.approx((-second.high, -second.low), abs=1e-12)
    for form in MCNEMAR_FORMS:
        assert mcnemar(b, c, form).p_value == mcnemar(c, b, form).p_value


@given(b=cells, c=cells)
def test_the_forms_stand_in_their_known_order(b: int, c: int) -> None:
    p = {form: mcnemar(b, c, form).p_value for form in MCNEMAR_FORMS}
    assert p["mid-p"] <= p["exact"] <= 1
    assert p["uncorrected"] <= p["corrected"]
    if b == c:
        assert set(p.values()) == {1.0}


def test_where_no_case_tells_them_apart_there_is_no_evidence() -> None:
    test, interval = score_test(0, 0, 50)
    assert test.p_value == 1
    assert interval.low == -interval.high < 0
    assert [mcnemar(0, 0, form).p_value for form in MCNEMAR_FORMS] == [1.0] * 4
    assert discordant_odds(0, 0).undefined == "the classifiers do not differ on any case"


def test_one_classifier_alone_right_about_everything() -> None:
    _, interval = score_test(12, 0, 12)
    assert interval.high == 1
    assert interval.low > 0


@pytest.mark.parametrize("n", [12, 25, 40])
def test_sizes_summed_exactly(n: int) -> None:
    """The exact form never exceeds its level; mid-p does not either, at these sizes."""
    for share in (0.1, 0.3, 0.6, 0.9):
        size = dict.fromkeys(MCNEMAR_FORMS, 0.0)
        for b, c in tables(n):
            weight = (
                math.comb(n, b + c) * math.comb(b + c, b) * share ** (b + c) * (1 - share) ** (n - b - c) / 2 ** (b + c)
            )
            for form in size:
                size[form] += weight * (mcnemar(b, c, form).p_value < 0.05)
        assert size["exact"] <= 0.05
        assert size["corrected"] <= 0.05
        assert size["mid-p"] <= 0.0505
        assert size["uncorrected"] <= 0.06


def test_tango_limits_of_a_batch_are_those_of_each() -> None:
    b, c = (np.array(counts, dtype=float) for counts in zip(*tables(9), strict=True))
    low, high = tango_limits(b, c, 9.0, 0.95)
    each = [score_test(x, y, 9)[1] for x, y in tables(9)]
    np.testing.assert_allclose(low, [one.low for one in each], atol=1e-14)
    np.testing.assert_allclose(high, [one.high for one in each], atol=1e-14)


def test_tango_limits_are_where_the_statistic_reaches_its_quantile() -> None:
    for b, c, n in ((13.0, 6.0, 569.0), (0.0, 3.0, 20.0), (5.0, 5.0, 30.0)):
        for level, z in ((0.95, 1.959963984540054), (0.9, 1.6448536269514722)):
            low, high = tango_limits(b, c, n, level)
            for limit, distance in ((low, z), (high, -z)):
                assert (b - c - n * limit) / null_error(b, c, n, limit) == pytest.approx(distance, abs=1e-6)


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
def test_named_intervals_hold_the_estimate_and_stay_in_range(method: str) -> None:
    for b, c in tables(10):
        found = difference_interval(
            PairedCorrectness.named(both=10 - b - c, only_first=b, only_second=c, neither=0), method=method
        )
        assert -1 <= found.low <= found.high <= 1, (b, c)
        if "Bonett" not in method and "Agresti" not in method:  # these are centred on a shrunken difference
            assert found.low - 1e-12 <= (b - c) / 10 <= found.high + 1e-12


@pytest.mark.parametrize("method", UNPAIRED_METHODS)
def test_named_unpaired_intervals_stay_in_range(method: str) -> None:
    for x1, x2 in ((0, 0), (10, 10), (0, 10), (10, 0), (7, 2)):
        found = unpaired_interval(x1, 10, x2, 10, method=method)
        assert -1 <= found.low <= found.high <= 1


def test_too_few_cases_have_a_p_value_and_no_interval() -> None:
    test, interval = score_test(3, 0, 7)
    assert test.p_value < 1
    assert math.isnan(interval.low)
    assert interval.undefined == "7 cases: at least 8 needed"
    assert "9 cases in a sample" in str(unpaired_test(5, 9, 5, 20)[1].undefined)
    assert score_test(0, 0, 0)[0].undefined == "there are no cases"


# Weights.


def right(seed: int, n: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    return rng.random(n) < 0.8, rng.random(n) < 0.7


@given(seed=st.integers(0, 1000), factor=st.sampled_from([0.25, 7.0]))
def test_equal_weights_change_nothing_but_the_method(seed: int, factor: float) -> None:
    first, second = right(seed, 60)
    plain = compare_correctness(PairedCorrectness.of(first, second))
    test, interval = compare_correctness(PairedCorrectness.of(first, second, weight=np.full(60, factor)))
    assert test.p_value == pytest.approx(plain[0].p_value)
    assert (interval.low, interval.high) == pytest.approx((plain[1].low, plain[1].high))
    assert interval.method == "Tango, effective n 60"


@given(seed=st.integers(0, 1000))
def test_counts_are_repeated_rows(seed: int) -> None:
    first, second = right(seed, 30)
    count = np.random.default_rng(seed).integers(0, 4, 30).astype(float)
    times = count.astype(int)
    repeated = PairedCorrectness.of(np.repeat(first, times), np.repeat(second, times))
    assert PairedCorrectness.of(first, second, count=count) == repeated


@given(seed=st.integers(0, 1000))
def test_weighted_test_and_interval_never_contradict(seed: int) -> None:
    first, second = right(seed, 80)
    weight = np.exp(np.random.default_rng(seed).standard_normal(80))
    test, interval = compare_correctness(PairedCorrectness.of(first, second, weight=weight))
    if not math.isnan(interval.low):
        assert agree(test.p_value, interval, 0.95)
        assert interval.low <= np.average(first.astype(float) - second, weights=weight) <= interval.high
        difference = np.average(first.astype(float) - second, weights=weight)
        differ = first != second
        own = (weight**2)[differ].sum() / weight[differ].sum()
        # Never less than what weights as unequal as all of these would give the cases that differ.
        null_error = math.sqrt(weight[differ].sum() * max(own, (weight**2).sum() / weight.sum())) / weight.sum()
        assert test.statistic == pytest.approx(difference / null_error)


def test_what_counts_cases_refuses_weights_and_clusters_and_names_what_does_not() -> None:
    first, second = right(1, 40)
    weighted = PairedCorrectness.of(first, second, weight=np.linspace(1, 2, 40))
    clustered = PairedCorrectness.of(first, second, cluster=np.arange(40) // 4)
    for paired, word in ((weighted, "weights"), (clustered, "clusters")):
        for found in (mcnemar_of(paired).undefined, difference_interval(paired).undefined):
            assert found is not None
            assert word in found
            assert "compare_correctness" in found
        assert math.isfinite(compare_correctness(paired)[0].p_value)
    with pytest.raises(OptionError, match=r"1\.5 and 2 are no whole cases, .*; needed: form='uncorrected'"):
        mcnemar(1.5, 2, "exact")


# Clusters.


def clusters_of(seed: int, groups: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).integers(0, 6, (groups, 2, 2)).astype(float)


@given(seed=st.integers(0, 1000), groups=st.integers(3, 30), level=st.sampled_from(LEVELS))
def test_clustered_test_and_interval_never_contradict(seed: int, groups: int, level: float) -> None:
    clusters = clusters_of(seed, groups)
    test, interval = clustered_test(clusters, level)
    if not math.isnan(interval.low):
        assert agree(test.p_value, interval, level)
        wins = (clusters[:, 1, 0] - clusters[:, 0, 1]).sum()
        assert interval.low <= wins / clusters.sum() <= interval.high


def test_clusters_of_equal_size_are_a_t_test_of_their_wins() -> None:
    from scipy.stats import ttest_1samp

    rng = np.random.default_rng(3)
    clusters = rng.multinomial(6, [0.1, 0.2, 0.3, 0.4], size=15).reshape(15, 2, 2).astype(float)
    share = (clusters[:, 1, 0] - clusters[:, 0, 1]) / 6
    theirs = ttest_1samp(share, 0)
    test, interval = clustered_test(clusters)
    assert test.p_value == pytest.approx(theirs.pvalue)
    limits = theirs.confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((limits.low, limits.high))


def test_clusters_of_one_case_are_nearly_the_score_test() -> None:
    first, second = right(5, 400)
    paired = PairedCorrectness.of(first, second, cluster=np.arange(400))
    plain = compare_correctness(PairedCorrectness.of(first, second))
    test, interval = compare_correctness(paired)
    assert test.p_value == pytest.approx(plain[0].p_value, abs=0.01)
    assert interval.low == pytest.approx(plain[1].low, abs=0.005)
    uncorrected = mcnemar_of(PairedCorrectness.of(first, second), "uncorrected").statistic
    assert clustered_mcnemar(paired).statistic == pytest.approx(uncorrected * 399 / 400)
    assert clustered_mcnemar(paired, "Durkalski").statistic == pytest.approx(uncorrected)


def test_clusters_that_cannot_tell_say_why() -> None:
    assert "2 clusters" in str(clustered_test(clusters_of(1, 2))[0].undefined)
    nothing = np.array([[[1.0, 0.0], [0.0, 3.0]]] * 5)
    test, interval = clustered_test(nothing)
    assert test.p_value == 1
    assert interval.undefined == "the classifiers do not differ in any cluster"
    same = np.array([[[1.0, 0.0], [2.0, 3.0]]] * 5)
    assert "same net wins" in str(clustered_test(same)[0].undefined)
    assert "use mcnemar" in str(clustered_mcnemar(PairedCorrectness(nothing.sum(0))).undefined)
    with pytest.raises(ValueError, match="Durkalski"):
        clustered_mcnemar(PairedCorrectness(nothing.sum(0), clusters=nothing), "Eliasziw")


# Evidence.

rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), max_size=25)
CLASSES, DECISIONS = ("a", "b", "c"), ("a", "b", "c", "?")


def decisions_of(cases: list[tuple[int, int, int]]) -> PairedDecisions:
    truth, first, second = (np.array([case[i] for case in cases], dtype=np.int64) for i in range(3))
    return PairedDecisions.of(truth, first, second, CLASSES, DECISIONS)


@given(a=rows, b=rows)
def test_paired_decisions_add(a: list[tuple[int, int, int]], b: list[tuple[int, int, int]]) -> None:
    together = decisions_of(a) + decisions_of(b)
    assert together == decisions_of(a + b)
    assert together.correctness() == decisions_of(a).correctness() + decisions_of(b).correctness()
    assert together.first == decisions_of(a).first + decisions_of(b).first
    assert together.labels() == decisions_of(a).labels() + decisions_of(b).labels()


@given(a=rows)
def test_all_views_of_the_same_cases_agree(a: list[tuple[int, int, int]]) -> None:
    paired = decisions_of(a)
    truth, first, second = (np.array([case[i] for case in a], dtype=np.int64) for i in range(3))
    who = PairedCorrectness.of(first == truth, second == truth)
    assert paired.correctness() == who
    assert sum(float(paired.correctness(within=k).total) for k in range(3)) == who.total
    assert paired.first.correct == who.both + who.only_first
    joint = JointCorrectness.of(np.stack((first == truth, second == truth), axis=1), ("first", "second"))
    assert joint.pair(0, 1) == who
    assert np.array_equal((joint + joint).counts, 2 * joint.counts)


@given(seed=st.integers(0, 200))
def test_weights_and_clusters_go_the_same_way_as_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, first, second = rng.integers(0, 3, (3, 50))
    weight, cluster = rng.random(50), rng.integers(0, 6, 50)
    paired = PairedDecisions.of(truth, first, second, CLASSES, weight=weight, cluster=cluster)
    who = PairedCorrectness.of(first == truth, second == truth, weight=weight, cluster=cluster)
    joint = JointCorrectness.of(
        np.stack((first == truth, second == truth), axis=1), ("a", "b"), weight=weight, cluster=cluster
    )
    for found in (paired.correctness(), joint.pair(0, 1)):
        for part in ("counts", "squares", "clusters"):
            np.testing.assert_allclose(getattr(found, part), getattr(who, part), atol=1e-12)
    assert who.clusters is not None
    np.testing.assert_allclose(who.clusters.sum(0), who.counts)


def test_a_batch_is_a_stack() -> None:
    counts = np.random.default_rng(0).integers(0, 9, (5, 2, 3, 3)).astype(float)
    batch = PairedDecisions(counts, ("a", "b"), ("a", "b", "?"))
    each = [PairedDecisions(one, ("a", "b"), ("a", "b", "?")).correctness().counts for one in counts]
    np.testing.assert_array_equal(batch.correctness().counts, np.stack(each))
    assert "a batch" in repr(batch)
    assert "a batch" in repr(batch.correctness())


def test_evidence_that_cannot_be_added_says_so() -> None:
    one = PairedDecisions(np.zeros((2, 2, 2)), ("a", "b"), ("a", "b"))
    with pytest.raises(
        OptionError,
        match="the matrices have different classes or labels; needed: the same classes and labels, in the same order",
    ):
        one + PairedDecisions(np.zeros((2, 2, 2)), ("a", "c"), ("a", "c"))
    clustered = PairedCorrectness(np.zeros((2, 2)), clusters=np.zeros((1, 2, 2)))
    with pytest.raises(
        OptionError, match="these cases come in clusters; needed: all rows at once: a cluster may be in both parts"
    ):
        clustered + clustered


NAMES = ("a", "b", "c", "d")
seeds = st.integers(0, 500)


def marginal_right(seed: int, n: int = 40, k: int = 4) -> NDArray[np.bool_]:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.random((n, k)) < np.linspace(0.6, 0.9, k))


def labels(seed: int, k: int = 3, n: int = 80) -> ConfusionMatrix:
    rng = np.random.default_rng(seed)
    return ConfusionMatrix(rng.multinomial(n, rng.dirichlet(np.ones(k * k))).reshape(k, k).astype(float))


@given(seed=seeds)
def test_of_two_classifiers_it_is_mcnemar(seed: int) -> None:
    joint = JointCorrectness.of(marginal_right(seed, k=2), ("a", "b"))
    pair = joint.pair(0, 1)
    uncorrected = mcnemar(float(pair.only_first), float(pair.only_second), "uncorrected")
    assert cochran_q(joint).statistic == pytest.approx(uncorrected.statistic)
    assert cochran_q(joint).p_value == pytest.approx(uncorrected.p_value)


@given(seed=seeds)
def test_cochran_from_rows(seed: int) -> None:
    """The textbook's sums over cases and classifiers, without the joint sums."""
    x = marginal_right(seed).astype(float)
    k, columns, rows = x.shape[1], x.sum(0), x.sum(1)
    q = (k - 1) * (k * (columns**2).sum() - columns.sum() ** 2) / (k * rows.sum() - (rows**2).sum())
    assert cochran_q(JointCorrectness.of(marginal_right(seed), NAMES)).statistic == pytest.approx(q)


@given(seed=seeds)
def test_two_classes_are_mcnemar_of_the_labels(seed: int) -> None:
    matrix = labels(seed, k=2)
    b, c = matrix.counts[0, 1], matrix.counts[1, 0]
    wanted = mcnemar(b, c, "uncorrected").p_value
    assert bowker(matrix).p_value == pytest.approx(wanted)
    assert stuart_maxwell(matrix).p_value == pytest.approx(wanted)


@given(seed=seeds)
def test_symmetry_implies_equal_shares(seed: int) -> None:
    counts = labels(seed).counts
    even = ConfusionMatrix(counts + counts.T)
    for test in (bowker, stuart_maxwell):
        assert test(even).statistic == pytest.approx(0, abs=1e-9)
        assert test(ConfusionMatrix(counts)).statistic == pytest.approx(test(ConfusionMatrix(counts.T)).statistic)


def test_equal_shares_do_not_imply_symmetry() -> None:
    cycle = ConfusionMatrix(np.array([[30, 20, 0], [0, 30, 20], [20, 0, 30]]))
    assert stuart_maxwell(cycle).p_value == pytest.approx(1)
    assert bowker(cycle).p_value < 1e-6


def test_classes_that_never_occur_take_no_degree_of_freedom() -> None:
    counts = np.zeros((4, 4))
    counts[:3, :3] = labels(3).counts
    for test in (bowker, stuart_maxwell):
        whole, part = test(ConfusionMatrix(counts)), test(ConfusionMatrix(counts[:3, :3]))
        assert whole.statistic == pytest.approx(part.statistic)
        assert whole.p_value == pytest.approx(part.p_value)


def test_labels_no_row_has() -> None:
    matrix = ConfusionMatrix(np.array([[20, 3, 4], [2, 30, 5]]), ("a", "b"), ("a", "b", "?"))
    assert stuart_maxwell(matrix).method == "chi-square, 2 degrees"
    assert class_shares(matrix).columns["difference"][2] == pytest.approx(-9 / 64)


def test_where_nothing_differs_there_is_no_evidence() -> None:
    same = np.repeat(marginal_right(1, k=1), 3, axis=1)
    assert cochran_q(JointCorrectness.of(same, NAMES[:3])).p_value == 1
    agreed = ConfusionMatrix(np.diag([3.0, 4.0, 5.0]))
    assert (bowker(agreed).p_value, stuart_maxwell(agreed).p_value) == (1, 1)


@given(seed=seeds)
def test_pairs_are_adjusted_alike(seed: int) -> None:
    """Bonferroni on both sides: an adjusted interval leaves 0 out exactly where the adjusted p-value is small."""
    for table in (
        right_pairs(JointCorrectness.of(marginal_right(seed), NAMES)),
        label_pairs(labels(seed)),
        class_shares(labels(seed)),
    ):
        for low, high, p in zip(*(table.columns[name] for name in ("low", "high", "p_value")), strict=True):
            assert (low <= 0 <= high) == (p > 0.05)


def test_pairs_name_first_minus_second() -> None:
    joint = JointCorrectness.of(marginal_right(2), NAMES)
    table = right_pairs(joint)
    assert list(zip(table.columns["first"], table.columns["second"], strict=True)) == list(combinations("abcd", 2))
    pair = joint.pair(0, 3)
    test, interval = score_test(float(pair.only_first), float(pair.only_second), 40, 1 - 0.05 / 6)
    assert table.columns["low"][2] == interval.low
    assert table.columns["p_value"][2] == pytest.approx(min(1, 6 * test.p_value))
    assert table.columns["difference"][2] == pytest.approx(
        marginal_right(2)[:, 0].mean() - marginal_right(2)[:, 3].mean()
    )


def test_weights_and_clusters_are_refused_with_what_takes_them() -> None:
    weighted = JointCorrectness.of(marginal_right(1), NAMES, weight=np.linspace(1, 2, 40))
    clustered = JointCorrectness.of(marginal_right(1), NAMES, cluster=np.arange(40) // 5)
    for joint in (weighted, clustered):
        assert "right_pairs" in str(cochran_q(joint).undefined)
        assert all(math.isfinite(p) for p in right_pairs(joint).columns["p_value"])
    matrix = ConfusionMatrix(labels(1).counts, squares=2 * labels(1).counts)
    assert "weights" in str(bowker(matrix).undefined)
    assert "weights" in str(stuart_maxwell(matrix).undefined)
