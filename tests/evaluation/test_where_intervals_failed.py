"""Samples on which default intervals were once too sure of themselves, or refused without need."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import assay
from assay.comparison import percentile_p, posterior_differences
from assay.measures import find
from assay.uncertainty.clusters import between_clusters, between_shares, larger_cluster_shift, unseen_share


def codes(ev: Any) -> set[str]:
    return {caution.code for caution in ev.cautions}


def test_rare_hard_calls_are_not_certain() -> None:
    rng = np.random.default_rng(4)
    truth = np.arange(30_000) < 70
    for _ in range(20):
        ev: Any = assay.evaluate(truth, (rng.random(30_000) < 0.002).astype(float), positive=True)
        assert ev.roc_auc.low < 0.5 < ev.roc_auc.high
        assert ev.roc_auc.high - ev.roc_auc.low > 0.02
        assert "A302" not in codes(ev)


@pytest.mark.parametrize("name", ["brier", "log_loss", "average_precision", "brier_skill", "log_loss_skill"])
def test_a_nearly_perfect_model_may_have_errors_that_were_not_seen(name: str) -> None:
    """One in fifty labels is turned; a sample of 80 often holds none of them."""
    rng = np.random.default_rng(9)
    truth = rng.random(400_000) < 0.3
    score = np.where(truth, 0.97, 0.02) + rng.uniform(-0.01, 0.01, 400_000)
    truth ^= rng.random(400_000) < 0.02
    whole: Any = assay.evaluate(truth, score, positive=True)
    true_value, held = whole.estimate(name).value, 0
    for start in range(0, 80 * 150, 80):
        part = slice(start, start + 80)
        found = assay.evaluate(truth[part], score[part], positive=True).estimate(name)
        held += found.low <= true_value <= found.high
    assert held / 150 > 0.9


def test_few_positives_are_no_reason_to_refuse() -> None:
    rng = np.random.default_rng(2)
    truth = np.arange(400) < 8
    ev: Any = assay.evaluate(truth, np.clip(0.1 + 0.3 * truth + rng.normal(0, 0.1, 400), 0.01, 0.99), positive=True)
    for name in ("roc_auc", "average_precision", "brier", "log_loss", "brier_skill", "log_loss_skill"):
        assert ev.estimate(name).undefined is None


def test_clusters_of_unequal_size_know_less() -> None:
    rng = np.random.default_rng(5)
    equal, unequal = np.repeat(np.arange(20), 20), np.repeat(np.arange(20), [210, *[10] * 19])
    truth = rng.random(400) < 0.4
    score = 1 / (1 + np.exp(-(truth + rng.normal(size=400))))
    widths = [
        (found := assay.evaluate(truth, score, cluster=cluster, positive=True).estimate("accuracy")).high - found.low
        for cluster in (equal, unequal)
    ]
    assert widths[1] > 1.5 * widths[0]


def test_a_class_in_one_giant_cluster_is_refused_with_its_worth() -> None:
    truth = np.repeat([1, 0], [100, 300])
    cluster = np.concatenate((np.repeat([0, 1, 2], [96, 2, 2]), 3 + np.arange(300) // 10))
    score = np.where(truth == 1, 0.6, 0.4) + np.random.default_rng(1).normal(0, 0.2, 400)
    ev: Any = assay.evaluate(truth, score, cluster=cluster, positive=1)
    assert "effectively 1.1 clusters" in str(ev.roc_auc.undefined)


def test_an_auc_of_one_with_weights_is_one() -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        truth = rng.random(60) < 0.2
        if truth.any():
            ev: Any = assay.evaluate(truth, truth + rng.random(60) / 2, weight=rng.lognormal(0, 1, 60), positive=True)
            assert ev.roc_auc.high == 1.0


def test_weights_that_leave_hardly_a_false_alarm_stop_no_table() -> None:
    truth, score = np.repeat([1, 0], [20, 60]), np.repeat([0.9, 0.1, 0.9, 0.1], [15, 5, 1, 59])
    weight = np.where(np.arange(80) == 20, 1e-12, 1.0)
    ev: Any = assay.evaluate(truth, score, weight=weight, positive=1)
    assert ev.likelihood_ratio_positive.value > 1e9
    assert len(ev.table()) > 20


@pytest.mark.parametrize("rate", [0.002, 0.01])
def test_rare_calls_at_random_do_not_accuse_anyone_of_swapped_labels(rate: float) -> None:
    """Seventy positives among 30,000 cases, and calls that know nothing: often none of them is called."""
    truth = np.arange(30_000) < 70
    for seed in range(12):
        calls = np.random.default_rng(seed).random(30_000) < rate
        for ev in (assay.evaluate(truth, calls * 1.0), assay.evaluate(truth, y_pred=calls, positive=True)):
            assert "A302" not in [caution.code for caution in ev.cautions]
            if ev.scores is not None:
                assert ev.roc_auc.low < 0.5 < ev.roc_auc.high
    # Where positives really score lower the caution still speaks.
    turned = assay.evaluate(truth, np.random.default_rng(0).random(30_000) - 0.3 * truth)
    assert "A302" in [caution.code for caution in turned.cautions]


def test_seven_equal_models_and_28_positives_are_told_apart_one_time_in_twenty() -> None:
    """By chi-squared it was one in seven."""
    rng, truth = np.random.default_rng(28), np.arange(300) < 28
    rejected = []
    for _ in range(150):
        shared = rng.normal(size=300)
        scores = {str(k): truth + shared + rng.normal(size=300) for k in range(7)}
        rejected.append(assay.compare(truth, scores, positive=True).test("roc_auc").p_value < 0.05)
    assert np.mean(rejected) < 0.1


def test_eight_positives_have_an_interval_of_a_difference() -> None:
    rng, truth = np.random.default_rng(3), np.arange(400) < 8
    scores = {name: 1 / (1 + np.exp(3 - gap * truth - rng.normal(size=400))) for name, gap in (("a", 3), ("b", 1))}
    found: Any = assay.compare(truth, scores, positive=True)
    for name in ("roc_auc", "average_precision", "brier", "log_loss"):
        difference = found.difference(name, "a", "b")
        assert difference.low < difference.value < difference.high
        assert (difference.p_value < 0.05) == (not difference.low <= 0 <= difference.high)


def test_two_models_that_agree_on_every_case_may_still_differ_elsewhere() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(100) < 0.3
    score = np.clip(0.3 + 0.4 * truth + rng.normal(0, 0.1, 100), 0.01, 0.99)
    found: Any = assay.compare(truth, {"a": score, "b": score.copy()}, positive=True)
    brier = found.difference("brier", "a", "b")
    assert brier.p_value == 1.0
    assert brier.low < 0 < brier.high
    assert "alike" in str(found.difference("roc_auc", "a", "b").undefined)


def test_no_false_alarm_makes_a_ratio_infinite_with_a_lower_limit() -> None:
    truth, score = np.repeat([1, 0], [20, 60]), np.repeat([0.9, 0.1], [15, 65])
    ev: Any = assay.evaluate(truth, score, positive=1)
    for name in ("likelihood_ratio_positive", "diagnostic_odds_ratio"):
        found = ev.estimate(name)
        assert (found.value, found.high) == (np.inf, np.inf)
        assert 1 < found.low < 100
        assert str(found).startswith("inf [")
    assert ev.likelihood_ratio_negative.high < 1


def test_a_narrow_band_of_few_cases_beside_it_has_an_interval() -> None:
    rng = np.random.default_rng(6)
    truth = np.arange(120) < 12
    ev: Any = assay.evaluate(truth, truth * 4 + rng.normal(size=120), positive=True)
    assert ev.estimate("partial_auc(0, 0.2)").undefined is None


def test_models_of_folds_have_wider_intervals_than_one_model_and_say_of_whom() -> None:
    rng = np.random.default_rng(7)
    truth = rng.random(300) < 0.4
    score = np.clip(0.3 + 0.3 * truth + rng.normal(0, 0.2, 300), 0.01, 0.99)
    one: Any = assay.evaluate(truth, score, positive=True)
    folds: Any = assay.evaluate(truth, score, positive=True, fold=np.arange(300) % 5)
    for name in ("accuracy", "recall", "f1", "brier", "average_precision", "mcc"):
        alone, pooled = one.estimate(name), folds.estimate(name)
        assert alone.value == pooled.value
        assert 1.2 < (pooled.high - pooled.low) / (alone.high - alone.low) < 2
        assert pooled.target == "the models of these folds"
        assert pooled.method.endswith("widened for folds")
    assert folds.per_class[folds.positive]["recall"].low == folds.estimate("recall").low
    assert folds.estimate("accuracy", method="Wilson").low == one.accuracy.low


def test_differences_of_folds_keep_interval_and_p_value_together() -> None:
    rng = np.random.default_rng(8)
    truth = rng.random(300) < 0.4
    scores = {name: truth * gap + rng.normal(size=300) for name, gap in (("a", 1.4), ("b", 1.0), ("c", 0.6))}
    with_folds: Any = assay.compare(truth, scores, positive=True, fold=np.arange(300) % 5, threshold=0.5)
    without: Any = assay.compare(truth, scores, positive=True, threshold=0.5)
    for name in ("roc_auc", "accuracy", "f1"):
        for one, alone in zip(with_folds.differences(name), without.differences(name), strict=True):
            assert (one.p_value < 0.05) == (not one.low <= 0 <= one.high)
            assert one.high - one.low > 1.1 * (alone.high - alone.low)
    assert with_folds.test("roc_auc").p_value > without.test("roc_auc").p_value


def test_two_infinite_ratios_have_no_difference_and_no_warning() -> None:
    truth = np.repeat([1, 0], [20, 60])
    calls = {name: np.repeat([1, 0], [called, 80 - called]) for name, called in (("a", 15), ("b", 12))}
    found: Any = assay.compare(truth, y_pred=calls, positive=1)
    difference = found.difference("likelihood_ratio_positive", "a", "b")
    assert np.isnan(difference.value)
    assert "infinite" in str(difference.undefined)


@pytest.mark.parametrize("measure", ["roc_auc", "brier", "log_loss", "average_precision"])
@pytest.mark.parametrize("clustered", [False, True])
def test_two_models_are_alike_by_the_test_of_their_difference(measure: str, clustered: bool) -> None:
    rng = np.random.default_rng(3)
    y, group = rng.random(300) < 0.4, np.repeat(np.arange(50), 6)
    scores = {name: expit(gap * y + rng.normal(size=300)) for name, gap in (("a", 1.2), ("b", 0.5))}
    compared = assay.compare(y.astype(int), scores, cluster=group if clustered else None)
    assert compared.test(measure).p_value == pytest.approx(compared.difference(measure, "a", "b").p_value, rel=1e-9)


def test_cells_of_cross_validated_predictions_are_widened_like_their_measures() -> None:
    y = np.tile([0, 1, 1, 0, 1], 40)
    label = np.where(np.arange(200) % 7 == 0, 1 - y, y)
    plain, folded = assay.evaluate(y, label), assay.evaluate(y, label, fold=np.arange(200) % 5)
    of = {name: ev.cells().columns for name, ev in (("plain", plain), ("folded", folded))}
    assert of["folded"]["low"][-1] < of["plain"]["low"][-1]
    assert of["folded"]["low"][-1] == pytest.approx(folded.recall.low)


def test_a_middle_at_the_end_of_the_range_has_an_interval() -> None:
    """Found by the certificate at its full size: clusters whose plus-four middle rounds to 1."""
    found = between_shares(np.array([8.0, 7, 9, 5]), np.full(4, 10.0), np.full((4, 2), 5.0))
    for middle in (0.0, 1.0, 1.5):
        interval = between_clusters(0.725, replace(found, centre=middle), (0.0, 1.0), 0.95, "cluster-robust")
        assert 0 < interval.low < 0.725 < interval.high < 1


@pytest.mark.parametrize("measure", ["f1", "precision", "balanced_accuracy", "kappa"])
def test_weighted_decisions_that_are_alike_here_may_differ_elsewhere(measure: str) -> None:
    """Found by the certificate: a difference of the rounding of sums, with limits that were as wide as that."""
    rng = np.random.default_rng(4)
    y = rng.random(120) < 0.3
    score, weight = rng.normal(y), np.exp(rng.normal(size=120))
    models = {"a": score > 0.4, "b": score > 0.4}
    cmp = assay.compare(y, y_pred=models, weight=weight)
    found = cmp.difference(measure, "a", "b")
    assert found.value == 0
    assert found.low < -0.005 < 0.005 < found.high
    assert found.p_value == 1


def clusters_of_rows(
    rng: np.random.Generator, count: int, slope: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Truth, scores of two models and the clusters of rows: sizes with a heavy tail, the first model worse in large."""
    sizes = np.minimum(5 * (1 - rng.random(count)) ** (-1 / 1.3), 400).astype(int)
    cluster = np.repeat(np.arange(count), sizes)
    truth, shared = rng.random(len(cluster)) < 0.3, rng.standard_normal(len(cluster))
    own = 0.3 * rng.standard_normal(count)[cluster]
    scores = []
    for apart, harder in ((2.2, slope), (1.6, slope / 4)):
        gap = np.maximum(apart - harder * np.log(sizes / 5), 0)[cluster]
        scores.append(expit(gap * (truth - 0.5) + own + 0.7 * shared + 0.6 * rng.standard_normal(len(cluster))))
    return truth, *scores, cluster


def test_larger_clusters_may_be_harder() -> None:
    """The samples that miss lack the large clusters: their limits were too high, and caution A111 was absent."""
    rng = np.random.default_rng(11)
    truth, first, second, _ = clusters_of_rows(rng, 20_000, 0.4)
    names = ("roc_auc", "brier", "accuracy")
    true_values = {name: assay.evaluate(truth, first, positive=True).estimate(name).value for name in names}
    beside = assay.evaluate(truth, second, positive=True).estimate("accuracy").value
    held, alone, stands = dict.fromkeys((*names, "difference"), 0), 0, []
    for _ in range(120):
        truth, first, second, cluster = clusters_of_rows(rng, 40, 0.4)
        ev: Any = assay.evaluate(truth, first, cluster=cluster, positive=True)
        for name in names:
            found = ev.estimate(name)
            held[name] += found.low <= true_values[name] <= found.high
        usual = ev.estimate("roc_auc", method="normal")
        alone += usual.low <= true_values["roc_auc"] <= usual.high
        cmp = assay.compare(truth, {"a": first, "b": second}, cluster=cluster, positive=True)
        found = cmp.difference("accuracy", "a", "b")
        held["difference"] += found.low <= true_values["accuracy"] - beside <= found.high
        stands.append("A116" in codes(ev))
    assert alone < 0.9 * 120
    assert {name: count for name, count in held.items() if count < 0.9 * 120} == {}
    assert sum(stands) > 0.9 * 120


def test_clusters_of_equal_size_have_no_larger_one() -> None:
    sizes, rng = np.full(30, 12.0), np.random.default_rng(3)
    moved = rng.standard_normal(30)
    assert larger_cluster_shift(moved - moved.mean(), sizes / 360) == 0
    assert unseen_share(sizes) == 0


def test_heavy_cases_may_be_hard_ones() -> None:
    """Weights that rise with the loss: the log loss was held in 90 % of samples, missed on the optimistic side."""
    rng = np.random.default_rng(12)

    def sample(n: int) -> tuple[Any, Any, Any]:
        truth = rng.random(n) < 0.3
        score = expit(1.5 * (rng.normal(1.5 * truth) - 0.75) - 0.85)
        harder = (np.where(truth, 1 - score, score) - 0.2) / 0.25
        return truth, score, np.exp(1.3 * (rng.standard_normal(n) + harder) / np.sqrt(2))

    truth, score, weight = sample(1_000_000)
    whole: Any = assay.evaluate(truth, score, weight=weight, positive=True)
    held = {"brier": 0, "log_loss": 0}
    for _ in range(300):
        truth, score, weight = sample(400)
        ev: Any = assay.evaluate(truth, score, weight=weight, positive=True)
        for name in held:
            found = ev.estimate(name)
            held[name] += found.low <= whole.estimate(name).value <= found.high
        assert "A107" in codes(ev)
    assert {name: count for name, count in held.items() if count < 0.925 * 300} == {}


def test_differences_of_decisions_rest_on_few_positives() -> None:
    """Two models that are alike, 12 of 120 positive: balanced accuracies differed in 10 % of samples, not in 5 %."""
    rng = np.random.default_rng(13)
    truth = np.arange(120) < 12
    different = 0
    for _ in range(300):
        latent = np.sqrt(0.5) * rng.standard_normal(120) + np.sqrt(0.5) * rng.standard_normal((2, 120)) + 1.7 * truth
        one, other = np.digitize(latent, [0.0, 0.7, 1.28, 2.0]) / 4
        cmp = assay.compare(truth, {"a": one, "b": other}, positive=True, threshold=0.6)
        found = cmp.difference("balanced_accuracy", "a", "b")
        assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
        different += found.p_value < 0.05
    assert different < 0.065 * 300


@pytest.mark.parametrize("name", ["f1", "precision", "balanced_accuracy", "mcc", "kappa", "jaccard"])
def test_the_posterior_of_a_difference_knows_on_how_few_cases_it_rests(name: str) -> None:
    def compared(times: int) -> tuple[Any, float]:
        truth, one, other = np.repeat([[0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]], [92, 6, 10, 6, 6], 0).T
        tiled = [np.tile(each, times) for each in (truth, one, other)]
        cmp: Any = assay.compare(tiled[0], {"a": tiled[1], "b": tiled[2]}, positive=1)
        draws = posterior_differences(cmp.decisions("a", "b"), [find(name)])[0]
        found = cmp.difference(name, "a", "b")
        return found, percentile_p(draws, found.value)

    few, by_posterior = compared(1)
    assert few.p_value > 1.1 * by_posterior
    many, by_posterior = compared(10)
    assert many.p_value < 1e-3


def test_a_case_less_sure_than_any_may_be_missing() -> None:
    """Most probabilities are far from one half: the estimated Bayes error was held in 66 % of samples."""
    rng = np.random.default_rng(14)
    truth = rng.random(400_000) < 0.05
    score = np.where(rng.random(400_000) < 0.003, 0.4, 0.001 * rng.random(400_000))
    true_value, held = float(np.minimum(score, 1 - score).mean()), 0
    for start in range(0, 400 * 300, 400):
        part = slice(start, start + 400)
        found = assay.evaluate(truth[part], score[part], positive=True).estimate("bayes_error")
        held += found.low <= true_value <= found.high
    assert held > 0.925 * 300


def test_rounding_is_no_spread() -> None:
    """The same probability for all: an interval of width 1e-20 said that nothing was uncertain."""
    truth = np.arange(3000) % 30 == 0
    found: Any = assay.evaluate(truth, np.full(3000, 1e-4), positive=True).estimate("bayes_error")
    assert found.high > 4e-4
