"""One tree of errors: whatever is raised on purpose is an AssayError, and one fault is one class and one sentence."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.contracts.code import FILES, called_name, name_of, nodes_of, refuse

from assay import calibration, comparison, curves, decisions, errors, experiments, ranks, streams, uncertainty
from assay.costs import Costs
from assay.errors import AssayError, InputError, OptionError, UnknownName
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.evidence.paired import JointCorrectness, PairedCorrectness, PairedDecisions
from assay.measures import find, find_for_many, ppv_at, registry, volume_under_surface

PLAIN = {"ValueError", "KeyError", "TypeError", "AttributeError", "RuntimeError", "Exception"}
EXEMPT = ("__init__.py", "measures/__init__.py", "moved.py")  # a module without an attribute is Python's own business

Call = Callable[..., Any]


def test_nothing_plain_is_raised() -> None:
    refuse(
        f"{name_of(path)}:{node.lineno} raises {called_name(node.exc)}"
        for path in FILES
        if not name_of(path).startswith(EXEMPT)
        for node in nodes_of(path)
        if isinstance(node, ast.Raise) and node.exc is not None and called_name(node.exc) in PLAIN
    )


def test_every_error_is_one_of_ours_and_of_pythons() -> None:
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, AssayError)
        assert kind is AssayError or any(base.__module__ == "builtins" for base in kind.__mro__[1:-3])


def test_an_error_keeps_its_sentence_on_the_way_between_processes() -> None:
    error = UnknownName("method is 'x'", "'a' or 'b'")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "method is 'x'; needed: 'a' or 'b'"


# The same fault through many doors.

RNG = np.random.default_rng(0)
TRUTH = np.arange(60) % 2 == 1
SCORE = np.clip(TRUTH * 0.3 + RNG.random(60) * 0.6, 0, 1)
TABLE = ScoreTable.of(SCORE, TRUTH)
MATRIX = ConfusionMatrix.binary(tp=40, fn=10, fp=8, tn=42)
THREE = ConfusionMatrix(np.array([[3, 1, 0], [0, 2, 2], [1, 0, 4]]))
MANY = ClassScores.of(RNG.dirichlet(np.ones(3), 60), RNG.integers(0, 3, 60), "abc")
PAIRED = PairedDecisions(np.full((2, 2, 2), 9.0), ("no", "yes"), ("no", "yes"))
RIGHT = PairedCorrectness.named(both=483, only_first=47, only_second=10, neither=29)
JOINT = JointCorrectness.of(RNG.random((30, 3)) < 0.8, ("a", "b", "c"))
FOLDS = experiments.estimates.FoldScores("accuracy", RNG.random(10), np.full(10, 90.0), np.full(10, 10.0))
GROUPS = calibration.equal_size(TABLE, 5)
AREAS = comparison.joint_auc(TRUTH, {"a": SCORE, "b": SCORE[::-1], "c": SCORE**2})


def fitted(cases: Any, y: Any) -> Any:
    return lambda other: np.ones(len(other), dtype=int)


WITH_LEVEL: dict[str, Call] = {
    "a measure of decisions": lambda level: registry["accuracy"].estimate(MATRIX, level=level),
    "a measure of scores": lambda level: registry["roc_auc"].estimate(TABLE, level=level),
    "an undefined measure": lambda level: registry["recall"].estimate(ConfusionMatrix(np.zeros((2, 2))), level=level),
    "ROC surface": lambda level: volume_under_surface([1, 2, 3], [0, 1, 2], level=level),
    "ROC points": lambda level: curves.roc_points({"a": MATRIX}, level=level),
    "ROC band": lambda level: curves.roc_band(TABLE, level),
    "ROC band, simultaneous": lambda level: curves.roc_band(TABLE, level, kind="simultaneous"),
    "area of the band": lambda level: curves.auc_bounds(TABLE, level),
    "rectangles": lambda level: curves.roc_rectangles(TABLE, level),
    "sensitivity at": lambda level: curves.sensitivity_at(TABLE, 0.9, level),
    "specificity at": lambda level: curves.specificity_at(TABLE, 0.9, level),
    "precision band": lambda level: curves.precision_band(TABLE, level),
    "reject band": lambda level: curves.reject_band(TABLE, level),
    "net-benefit band": lambda level: curves.net_benefit_band(TABLE, level),
    "bootstrap band": lambda level: curves.roc_bands.bootstrap_roc_band(TABLE, level, draws=10),
    "band of a difference": lambda level: curves.roc_difference_band(TRUTH, SCORE, SCORE, level, draws=10),
    "threshold": lambda level: decisions.choose_threshold(TABLE, "f1", level=level, draws=100),
    "risks": lambda level: decisions.risks(MATRIX, Costs(fp=1, fn=2), level=level),
    "bias": lambda level: calibration.bias(TABLE, level=level),
    "observed to expected": lambda level: calibration.observed_to_expected(TABLE, level=level),
    "Cox's line": lambda level: calibration.cox(TABLE, level=level),
    "bars": lambda level: GROUPS.estimates(level),
    "table of bars": lambda level: GROUPS.as_table(level=level),
    "ECE": lambda level: calibration.ece(GROUPS, level=level),
    "MCE": lambda level: calibration.mce(GROUPS, level=level),
    "debiased error": lambda level: calibration.debiased_error(GROUPS, level=level),
    "confidence ECE": lambda level: calibration.confidence_ece(MANY, level=level),
    "top-label ECE": lambda level: calibration.top_label_ece(MANY, level=level),
    "classwise ECE": lambda level: calibration.classwise_ece(MANY, level=level),
    "misfit": lambda level: calibration.miscalibrated_ranges(TABLE, level=level),
    "consistency band": lambda level: calibration.consistency_band(TABLE, level=level),
    "confidence band": lambda level: calibration.confidence_band(TABLE, level=level),
    "reliability diagram": lambda level: calibration.reliability_diagram(TABLE, with_band=False, level=level),
    "smooth curve": lambda level: calibration.smooth_curve(TABLE, level=level),
    "isotonic parts": lambda level: calibration.corp_parts(TABLE, level=level),
    "spherical score": lambda level: calibration.spherical_score(TABLE, level=level),
    "Murphy difference": lambda level: calibration.murphy_difference(TRUTH, SCORE, SCORE, level=level),
    "recalibration": lambda level: calibration.cross_fitted_effect(TABLE, "platt", level=level),
    "two areas": lambda level: AREAS.difference(0, 1, level),
    "all areas": lambda level: AREAS.differences([(0, 1), (0, 2)], level),
    "two areas, unpaired": lambda level: comparison.unpaired_auc(TABLE, TABLE, level=level),
    "Hanley-McNeil": lambda level: comparison.hanley_mcneil_difference(TRUTH, SCORE, SCORE**2, level=level),
    "paired losses": lambda level: comparison.paired_loss_test(SCORE, SCORE**2, level=level),
    "score test": lambda level: comparison.labels.score_test(3, 4, 50, level),
    "score test of no cases": lambda level: comparison.labels.score_test(0, 0, 0, level),
    "correctness": lambda level: comparison.compare_correctness(RIGHT, level),
    "clustered correctness": lambda level: comparison.labels.clustered_test(np.ones((4, 2, 2)), level),
    "difference interval": lambda level: comparison.difference_interval(RIGHT, level),
    "discordant odds": lambda level: comparison.discordant_odds(3, 4, level),
    "right pairs": lambda level: comparison.right_pairs(JOINT, level),
    "class shares": lambda level: comparison.class_shares(THREE, level),
    "label pairs": lambda level: comparison.label_pairs(THREE, level),
    "rates": lambda level: comparison.compare_rates(PAIRED, level),
    "rate ratio": lambda level: comparison.rate_ratio(PAIRED, "npv", level),
    "costs": lambda level: comparison.cost_difference(PAIRED, comparison.cost_matrix(), level=level),
    "net benefit": lambda level: comparison.net_benefit_difference(PAIRED, 0.2, level=level),
    "BDeltaCost": lambda level: comparison.bdeltacost(SCORE, SCORE**2, level=level),
    "unpaired interval": lambda level: comparison.unpaired_interval(1, 5, 2, 5, level),
    "Bonferroni": lambda level: comparison.bonferroni_level(level, 3),
    "Holm": lambda level: comparison.holm([0.01], level),
    "plan of a proportion": lambda level: comparison.power.plan_proportion(0.9, 0.02, level=level),
    "plan of an AUC": lambda level: comparison.power.plan_auc(0.9, 0.02, level=level),
    "plan of a paired difference": lambda level: comparison.power.plan_paired_difference(0.9, 0.8, level=level),
    "plan of a difference": lambda level: comparison.power.plan_unpaired_difference(0.9, 0.8, level=level),
    "plan of two AUCs": lambda level: comparison.power.plan_auc_difference(0.9, 0.8, level=level),
    "plan of two losses": lambda level: comparison.power.plan_brier_difference(0.1, 0.2, level=level),
    "detectable": lambda level: comparison.power.detectable_difference(-0.1, 0.1, level=level),
    "power": lambda level: comparison.power.score_test_power(50, 0.3, 0.1, level),
    "Connor": lambda level: comparison.power.connor_cases(0.3, 0.1, level=level),
    "corrected t": lambda level: experiments.algorithm_tests.corrected_t(FOLDS, FOLDS, level),
    "paired t": lambda level: experiments.algorithm_tests.paired_t([0.1], [0.2], level),
    "all tests": lambda level: experiments.algorithm_tests.compare_algorithms(FOLDS, FOLDS, level),
    "fold average": lambda level: experiments.estimates.fold_average(FOLDS, level),
    "fold AUC": lambda level: experiments.estimates.fold_auc([TABLE, TABLE], level),
    "winner": lambda level: experiments.optimism.winner(RNG.random((60, 3)), level=level),
    "nested": lambda level: experiments.model_validation.nested_cross_validation(
        lambda a, b: np.ones(len(b)), TRUTH, level=level
    ),
    "pairs left out": lambda level: experiments.estimates.leave_pair_out_auc([0], [1], [0.1], [0.2], level),
    "learning curve": lambda level: experiments.learning_curve(fitted, SCORE[:, None], TRUTH, level=level),
    "robustness": lambda level: experiments.curves.robustness_curve(
        fitted, SCORE[:, None], TRUTH, spoil="label noise", level=level
    ),
}
WITH_LEVEL |= {
    "betting": lambda level: uncertainty.Betting(level),
    "empirical Bernstein": lambda level: uncertainty.Predictable(level=level),
    "asymptotic": lambda level: uncertainty.Asymptotic(level),
    "a stretch of a stream": lambda level: uncertainty.dependent_mean([0, 1] * 100, level),
    "a measure of a stretch": lambda level: uncertainty.dependent_interval(0.5, [0, 1] * 200, level),
    "worth of alarms": lambda level: streams.detections([1], [2], 9, level=level),
}
BAD_LEVELS = [(5, "5"), (0, "0"), (1.0, "1"), (float("nan"), "nan"), ("95 %", "'95 %'"), (None, "None"), (True, "True")]


@pytest.mark.parametrize("name", WITH_LEVEL)
def test_a_bad_level_is_one_class_and_one_sentence(name: str) -> None:
    for level, shown in BAD_LEVELS:
        with pytest.raises(InputError) as caught:
            WITH_LEVEL[name](level)
        assert type(caught.value) is OptionError
        sentence = f"level is {shown}; needed: a number between 0 and 1, such as 0.95"
        assert str(caught.value).removesuffix("; pass level=0.95") == sentence


WITH_SEED: dict[str, Call] = {
    "a measure": lambda seed: registry["f1"].estimate(MATRIX, seed=seed),
    "threshold": lambda seed: decisions.choose_threshold(TABLE, "f1", draws=100, seed=seed),
    "consistency band": lambda seed: calibration.consistency_band(TABLE, seed=seed),
    "ECE": lambda seed: calibration.ece(GROUPS, seed=seed),
    "top-label ECE": lambda seed: calibration.top_label_ece(MANY, seed=seed),
    "dealt out": lambda seed: calibration.recalibration.split_cases(TABLE, 2, seed=seed),
    "bootstrap band": lambda seed: curves.roc_bands.bootstrap_roc_band(TABLE, draws=10, seed=seed),
    "all areas": lambda seed: AREAS.differences([(0, 1), (0, 2)], seed=seed),
    "costs": lambda seed: comparison.cost_difference(PAIRED, comparison.cost_matrix(), seed=seed),
    "splits": lambda seed: experiments.kfold(5).splits(TRUTH, seed=seed),
    "winner": lambda seed: experiments.optimism.winner(RNG.random((60, 3)), seed=seed),
    "signed ranks": lambda seed: ranks.bayesian.bayesian_signed_rank(np.ones(5), np.zeros(5), seed=seed),
}


@pytest.mark.parametrize("seed", [-1, 0.5, "1", None])
@pytest.mark.parametrize("name", WITH_SEED)
def test_a_bad_seed_is_one_class_and_one_sentence(name: str, seed: Any) -> None:
    with pytest.raises(OptionError) as caught:
        WITH_SEED[name](seed)
    assert str(caught.value) == f"seed is {seed!r}; needed: an integer of at least 0"


OF_OTHER_KINDS: dict[str, tuple[Call, str]] = {
    "prevalence of PPV": (lambda: ppv_at(1.5), "prevalence is 1.5; needed: a number between 0 and 1"),
    "prevalence of a threshold": (
        lambda: decisions.choose_threshold(TABLE, "f1", prevalence=1.5),
        "prevalence is 1.5; needed: a number between 0 and 1",
    ),
    "prevalence of a plan": (
        lambda: comparison.power.plan_auc(0.9, 0.02, prevalence=1.5),
        "prevalence is 1.5; needed: a number between 0 and 1",
    ),
    "prevalence of a band": (
        lambda: curves.precision_band(TABLE, prevalence=1.5),
        "prevalence is 1.5; needed: a number between 0 and 1",
    ),
    "prevalence of costs": (
        lambda: Costs(fp=1, fn=1, prevalence=1.5),
        "prevalence is 1.5; needed: a number from 0 to 1",
    ),
    "prevalence of a curve": (
        lambda: curves.decision_curve(TABLE, prevalence=1.5),
        "prevalence is 1.5; needed: a number from 0 to 1",
    ),
    "power": (
        lambda: comparison.power.plan_brier_difference(0.1, 0.2, power=80),
        "power is 80; needed: a number between 0 and 1",
    ),
    "alpha of ranks": (
        lambda: ranks.rank_algorithms([[0.9, 0.8]], alpha=5),
        "alpha is 5; needed: a number between 0 and 1",
    ),
    "alpha of a difference": (
        lambda: ranks.nemenyi_difference(4, 14, alpha=5),
        "alpha is 5; needed: a number between 0 and 1",
    ),
    "margin": (
        lambda: comparison.judge(AREAS.difference(0, 1), "AUC", "higher", margin=-1),
        "margin is -1; needed: a difference above 0 that does not matter",
    ),
    "confidence": (
        lambda: decisions.at_least("recall", 0.9, confidence=95),
        "confidence is 95; needed: a number between 0 and 1, such as 0.95; pass confidence=0.95",
    ),
    "k": (lambda: curves.ranking.expected_at_k(TABLE, 61), "k is 61; needed: a number from 0 to 60"),
    "folds": (lambda: experiments.kfold(1), "folds is 1; needed: an integer of at least 2"),
}


@pytest.mark.parametrize("name", OF_OTHER_KINDS)
def test_a_bad_value_says_what_it_is_and_what_is_needed(name: str) -> None:
    ask, sentence = OF_OTHER_KINDS[name]
    with pytest.raises(OptionError) as caught:
        ask()
    assert str(caught.value) == sentence


UNKNOWN: dict[str, Call] = {
    "measure": lambda: find("acuracy"),
    "measure of many": lambda: find_for_many("recall"),
    "interval method": lambda: registry["accuracy"].estimate(MATRIX, method="magic"),
    "criterion": lambda: decisions.choose_threshold(TABLE, "acuracy"),
    "constraint": lambda: decisions.at_least("acuracy", 0.9),
    "recalibration": lambda: calibration.cross_fitted_effect(TABLE, "magic"),
    "McNemar's form": lambda: comparison.mcnemar(1, 2, "magic"),
    "rate": lambda: comparison.rate_ratio(PAIRED, "f1"),
    "plan": lambda: experiments.plans.plan_of("k_fold"),
    "adjustment": lambda: ranks.rank_algorithms([[0.9, 0.8]]).compare(adjust="magic"),
    "library": lambda: GROUPS.as_table().to("excel"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_is_one_class(name: str) -> None:
    with pytest.raises(UnknownName) as caught:
        UNKNOWN[name]()
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, ValueError)


def test_an_experiment_with_a_bad_seed_makes_no_store(tmp_path: Any) -> None:
    with pytest.raises(OptionError, match="seed is -1; needed: an integer of at least 0"):
        experiments.experiment("iris", "nb", store=tmp_path / "study.db", seed=-1)
    assert list(tmp_path.iterdir()) == []


def test_a_study_never_speaks_of_500_percent(tmp_path: Any) -> None:
    study = experiments.experiment("iris", "nb", "swapped_halves", store=tmp_path / "study.db", run=False)
    one = ("iris", "nb")
    for ask in (
        study.table,
        lambda **said: study.estimate(*one, **said),
        lambda **said: study.estimates(*one, **said),
        lambda **said: study.compare("iris", "nb", "dummy", **said),
        lambda **said: study.roc(*one, **said),
        lambda **said: study.winner("iris", **said),
        lambda **said: study.report(tmp_path / "study.html", **said),
    ):
        with pytest.raises(OptionError) as caught:
            ask(level=5)
        assert str(caught.value) == "level is 5; needed: a number between 0 and 1, such as 0.95"
    study.store.close()
