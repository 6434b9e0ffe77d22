"""Notions of the sources that a line on the page can only print: each is shown here to do what its document asks."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

import assay
from assay import Costs, comparison, plans
from assay.errors import OptionError
from assay.evaluation import Evaluation
from assay.experiments import Study, algorithm_tests, experiment
from assay.ranks import nemenyi_quantile
from assay.report.answers import render
from assay.report.explanations import explained
from assay.results import NullDistribution, TestResult

TRUTH = [0, 0, 0, 1, 0, 0, 1, 1, 1, 1]
PHI = [0.04, 0.21, 0.41, 0.46, 0.51, 0.59, 0.61, 0.75, 0.80, 0.92]
RNG = np.random.default_rng(41)
Y = (RNG.random(300) < 0.3).astype(int)
SCORE = RNG.normal(1.2 * Y, 1)
LABELS = st.lists(st.integers(0, 1), min_size=20, max_size=20)


# Thesis, 7.4.3: Hilden's axes.
@given(fn=st.floats(0.2, 20), prevalence=st.floats(0.05, 0.9))
def test_on_hildens_axes_the_tangent_at_45_degrees_touches_the_cheapest_corner(fn: float, prevalence: float) -> None:
    hull = assay.evaluate(Y, SCORE).curves.hull
    picture = hull.scaled_picture(Costs(fp=1, fn=fn), prevalence)
    cost = prevalence * fn * (1 - hull.recall) + (1 - prevalence) * hull.fpr
    assert cost[picture.best] == pytest.approx(cost.min())
    assert picture.net.max() == pytest.approx(prevalence * fn - cost.min())  # what nobody positive costs, less this
    drawing = picture.drawing()
    equal_cost = next(trace for trace in drawing.traces if trace.role == "mark")
    (run,), (rise,) = np.diff(equal_cost.x), np.diff(equal_cost.y)
    assert run == pytest.approx(rise)
    above = picture.saved - picture.paid - float(equal_cost.y[0] - equal_cost.x[0])
    assert (above < 1e-12).all()  # no corner lies beyond the tangent
    assert drawing.spots[0].name == picture.names[picture.best]


def test_hildens_axes_are_drawn() -> None:
    picture = assay.evaluate(Y, SCORE).curves.hull.scaled_picture(Costs(fp=1, fn=4))
    assert "Costs saved by true positives per case" in picture.svg()
    assert picture.plot().get_xlabel() == "Costs of false positives per case"


# Thesis, table 7.2: groups of three, three and four cases.
def test_calibration_groups_have_the_sizes_that_are_chosen() -> None:
    calibration = assay.evaluate(TRUTH, PHI).calibration
    groups = calibration.groups([3, 3, 4])
    assert groups.total.tolist() == [3, 3, 4]
    assert groups.mean.round(2).tolist() == [0.22, 0.52, 0.77]
    assert groups.rate.round(2).tolist() == [0.0, 0.33, 1.0]
    other = calibration.groups([5, 5])
    assert other.mean.tolist() == pytest.approx([np.mean(PHI[:5]), np.mean(PHI[5:])])
    assert other.rate.tolist() == pytest.approx([0.2, 0.8])
    assert calibration.hosmer_lemeshow([3, 3, 4]).test.statistic == calibration.hosmer_lemeshow(3).test.statistic
    assert calibration.murphy_parts([3, 3, 4]) == calibration.murphy_parts(3)
    for sizes in ([3, 3], [3, 3, 5], [], [0, 10]):
        with pytest.raises(OptionError, match=r"sizes that sum to 10|an integer of at least 1"):
            calibration.groups(sizes)
    with pytest.raises(OptionError, match="by='size'"):
        calibration.groups([3, 3, 4], by="width")


# Slides on curves: false positives against false negatives, where the line of slope -R touches.
@given(ratio=st.floats(0.05, 50))
def test_the_line_of_slope_minus_r_touches_where_errors_cost_least(ratio: float) -> None:
    ev = assay.evaluate(Y, SCORE)
    picture = ev.curves.errors_picture(ratio)
    negatives, positives, threshold = picture.touched
    costs = [
        ((t <= SCORE) & (Y == 0)).sum() + ratio * ((t > SCORE) & (Y == 1)).sum() for t in [*np.unique(SCORE), np.inf]
    ]
    assert positives + ratio * negatives == pytest.approx(min(costs))
    assert ((threshold <= SCORE) & (Y == 0)).sum() == positives
    tangent = next(trace for trace in picture.drawing().traces if trace.role == "mark")
    assert np.diff(tangent.y)[0] == pytest.approx(-ratio * np.diff(tangent.x)[0])
    curve = ev.curves.fp_fn
    assert (curve.x + ratio * curve.y >= tangent.y[0] + ratio * tangent.x[0] - 1e-9).all()  # nothing below the line
    assert "False negatives" in picture.svg()


# Course notes, 2.3: the hull of deterministic classifiers, and the cost setting that it chooses.
@given(labels=st.lists(LABELS, min_size=1, max_size=6), ratio=st.floats(0.1, 10))
def test_the_hull_of_deterministic_classifiers_gives_the_cheapest_of_them_and_of_the_constants(
    labels: list[list[int]], ratio: float
) -> None:
    truth = np.arange(20) % 3 == 0
    models = {f"setting {k}": each for k, each in enumerate(labels)}
    if len(models) == 1:
        models["same"] = labels[0]
    found = assay.compare(truth.astype(int), y_pred=models).hull.at(ratio)
    decided = [*map(np.array, models.values()), np.zeros(20), np.ones(20)]
    costs = [float((each[~truth] == 1).sum() + ratio * (each[truth] == 0).sum()) / 20 for each in decided]
    assert float(found.cost) == pytest.approx(min(costs))


def test_a_cost_setting_of_a_deterministic_tree_is_chosen_on_the_validation_part_of_a_study() -> None:
    features = np.column_stack([SCORE, RNG.normal(size=300)])
    settings = {f"miss costs {cost}": estimators_of(cost) for cost in (1, 3, 10)}
    study = experiment(
        {"sample": (features, Y)}, settings, plans.train_validation_test(0.5, 0.25), jobs=1, allow="tests"
    )
    assert not study.has_scores("sample", "miss costs 1")
    validation = study.comparison("sample", part="validation")
    for ratio in (1, 3, 10):
        best = validation.hull.at(ratio).table().columns["best"][0]
        costs = {name: paid(ev, ratio) for name, ev in validation.models.items()}
        if best in costs:
            assert costs[best] == min(costs.values())
    recalls = [ev.recall.value for ev in validation.models.values()]
    assert recalls == sorted(recalls)


class DecidesOnly(DecisionTreeClassifier):  # type: ignore[misc]
    """A tree of the tests that gives labels and no probabilities."""

    @property
    def predict_proba(self) -> None:
        """Nothing of the kind."""
        raise AttributeError("predict_proba")


def estimators_of(cost: int) -> DecidesOnly:
    """A deterministic tree for which a missed positive counts so many times."""
    return DecidesOnly(max_depth=3, random_state=0, class_weight={0: 1, 1: cost})


def paid(ev: Evaluation, ratio: float) -> float:
    """What the decisions of an evaluation cost."""
    assert ev.matrix is not None
    return float(ev.matrix.fp + ratio * ev.matrix.fn)


# Critical values beside statistics.
@pytest.mark.parametrize(
    ("test", "level", "critical"),
    [
        (
            algorithm_tests.five_by_two_f(np.reshape([3, 5, 2, 4, 6, 1, 3, 3, 5, 2], (5, 2))),
            0.95,
            stats.f.ppf(0.95, 10, 5),
        ),
        (
            algorithm_tests.five_by_two_t(np.reshape([3, 5, 2, 4, 6, 1, 3, 3, 5, 2], (5, 2))),
            0.95,
            stats.t.ppf(0.975, 5),
        ),
        (algorithm_tests.paired_t(range(10), np.arange(10) ** 1.1).test, 0.99, stats.t.ppf(0.995, 9)),
        (
            algorithm_tests.paired_t(range(10), np.arange(10) ** 1.1, alternative="greater").test,
            0.95,
            stats.t.ppf(0.95, 9),
        ),
        (comparison.mcnemar(10, 25, "corrected"), 0.99, stats.chi2.ppf(0.99, 1)),
    ],
)
def test_a_result_has_the_critical_value_beside_its_statistic(test: TestResult, level: float, critical: float) -> None:
    assert test.critical_value(level) == pytest.approx(critical)
    beyond = (
        abs(test.statistic) > test.critical_value(level)
        if test.alternative == "two-sided"
        else test.statistic > critical
    )
    assert beyond == (test.p_value < 1 - level)
    assert pickle.loads(pickle.dumps(test)) == test
    assert "null_distribution" not in json.dumps(test.to_dict())


def test_the_printed_critical_values_are_those_of_the_documents() -> None:
    assert round(NullDistribution("F", (10, 5)).critical_value(), 3) == 4.735
    assert round(NullDistribution("t", (9,)).critical_value(0.99), 2) == 3.25
    assert round(nemenyi_quantile(4), 3) == 2.569
    ranked = assay.rank_algorithms(dict(zip("abcd", RNG.normal(0.8, 0.02, (4, 14)), strict=True)))
    assert ranked.critical_difference().critical_value == pytest.approx(nemenyi_quantile(4))
    assert ranked.omnibus()["iman_davenport"].critical_value() == pytest.approx(stats.f.ppf(0.95, 3, 39))
    assert math.isnan(comparison.mcnemar(10, 25, "exact").critical_value())


def test_a_result_pickled_by_an_earlier_release_is_read() -> None:
    old = TestResult("t", "none", 2.1, 0.04, "t with 9 df")
    new = object.__new__(TestResult)
    new.__setstate__(["t", "none", 2.1, 0.04, "t with 9 df", None, None, None])
    assert new == old
    assert math.isnan(new.critical_value())


@pytest.mark.parametrize(
    ("word", "printed"),
    [
        ("5 x 2 cv F", "4.735"),
        ("paired t", "3.250"),
        ("nemenyi", "2.569"),
        ("mcnemar", "6.635"),
        ("Bonferroni-Dunn", "2.394"),
    ],
)
def test_explain_prints_critical_values(word: str, printed: str) -> None:
    assert printed in render(explained(word), "table")
    assert "critical_values" in json.loads(render(explained(word), "json"))


def test_a_study_prints_them_beside_each_statistic() -> None:
    features = np.column_stack([SCORE, RNG.normal(size=300)])
    study = experiment({"sample": (features, Y)}, ["nb", "tree"], plans.five_by_two(), jobs=1)
    table = study.compare("sample", "nb", "tree").columns
    place = table["test"].index("5 x 2 cv F")
    assert round(table["critical"][place], 3) == 4.735
    assert (table["statistic"][place] > table["critical"][place]) == (table["p"][place] < 0.05)


# The laboratory: trees of four settings on three parts, as a study.
SETTINGS = {
    "1 1 50": (2, 1, 50),
    "20 7 30": (20, 7, 30),
    "8 4 30": (8, 4, 30),
    "15 5 30": (15, 5, 30),
    "13 3 30": (13, 3, 30),
}


@pytest.fixture(scope="module")
def laboratory() -> Study:
    trees = {
        name: {
            "preset": "tree",
            "params": {"min_samples_split": split, "min_samples_leaf": bucket, "max_depth": depth},
        }
        for name, (split, bucket, depth) in SETTINGS.items()
    }
    return experiment(["weather"], trees, plans.train_validation_test(0.70, 0.15), seed=42, jobs=1)


def test_the_laboratory_is_a_study_with_parts(laboratory: Study) -> None:
    training, validation, test = (
        {name: laboratory.evaluation("weather", name, part=part) for name in SETTINGS}
        for part in ("train", "validation", "test")
    )
    assert [ev["1 1 50"].n for ev in (training, validation, test)] == [256, 55, 55]
    assert training["1 1 50"].error_rate.value == 0  # a tree that knows its training cases by heart
    assert validation["1 1 50"].error_rate.value > 0.1
    sizes = {name: laboratory.model("weather", name, fold=0).estimator for name in ("1 1 50", "20 7 30")}
    leaves = {name: getattr(tree, "steps", [(None, tree)])[-1][1].get_n_leaves() for name, tree in sizes.items()}
    assert leaves["1 1 50"] > leaves["20 7 30"]
    for parts in (training, validation, test):
        for ev in parts.values():
            assert ev.matrix is not None
            (tn, fp), (fn, tp) = ev.matrix.counts
            assert ev.error_rate.value == pytest.approx((fp + fn) / ev.n)
            assert ev.averaged_class_error.value == pytest.approx((fp / (tn + fp) + fn / (fn + tp)) / 2)
            assert 0 <= ev.roc_auc.value <= 1


def test_the_laboratory_compares_trees_on_the_validation_part_and_reports_the_chosen_on_the_test_part(
    laboratory: Study,
) -> None:
    pair = laboratory.comparison("weather", "1 1 50", "8 4 30", part="validation")
    right = pair.joint_correctness("1 1 50", "8 4 30")
    assert right.both + right.only_first + right.only_second + right.neither == 55
    table = laboratory.compare("weather", "1 1 50", "8 4 30", "error_rate", part="validation").columns
    assert table["p"][0] == pair.difference("error_rate", "1 1 50", "8 4 30").p_value
    winner = laboratory.winner("weather", "error_rate")
    errors = {name: laboratory.evaluation("weather", name, part="validation").error_rate.value for name in SETTINGS}
    assert errors[winner.name] == winner.apparent == min(errors.values())
    assert winner.corrected.value == laboratory.evaluation("weather", winner.name, part="test").error_rate.value
    by_area = laboratory.winner("weather", "roc_auc")
    areas = {name: laboratory.evaluation("weather", name, part="validation").roc_auc.value for name in SETTINGS}
    assert areas[by_area.name] == max(areas.values())


# Course notes, 2.1: the accuracy of "cancer = no" is printed as .98 and is .97.
def test_the_accuracy_of_nobody_has_cancer() -> None:
    nobody = assay.from_counts(tp=0, fn=300, fp=0, tn=9700)
    assert nobody.accuracy.value == 0.97
    assert assay.from_counts(tp=90, fn=210, fp=140, tn=9560).baselines.majority.counts.tolist() == [[9700, 0], [300, 0]]
