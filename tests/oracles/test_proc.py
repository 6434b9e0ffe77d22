"""pROC: AUC, DeLong's variance and interval; and what it does, and we do not, when everything is degenerate."""

from __future__ import annotations

import math

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, estimate, leaves, scores, value

from assay.evidence import ScoreTable
from assay.measures import partial_auc_between, partial_auc_recall, registry, roc_auc
from assay.uncertainty import AucMoments

THREE, DEGENERATE = "proc_breastcancer_three_models", "proc_degenerate"
LEAVES = {case: leaves(case) for case in (THREE, DEGENERATE)}
MODELS = {name: scores(THREE, f"score_{name}") for name in ("lr", "nb", "tree")}
EDGES = {name: scores(DEGENERATE, name) for name in ("perfect", "constant", "reversed", "onetie")}


def variance(table: ScoreTable) -> Ours:
    return Ours(lambda: AucMoments.of(table).variance, ("roc_auc",))


def limits(table: ScoreTable) -> Ours:
    """pROC's interval: lower limit, AUC, upper limit, on the plain scale."""

    def compute() -> list[float]:
        found = estimate("roc_auc", table, "DeLong")
        return [found.low, found.value, found.high]

    return Ours(compute, ("roc_auc",))


def at(model: str, threshold: float, measure: str) -> Ours:
    """A measure at a threshold someone chose, as pROC's coords gives it."""
    return Ours(lambda: [float(registry[measure](MODELS[model].at(threshold)))], (measure,))


def count(model: str, threshold: float, cell: str) -> Ours:
    return Ours(lambda: [float(getattr(MODELS[model].at(threshold), cell))])


def raw_partial_area(table: ScoreTable) -> Ours:
    return Ours(lambda: float(partial_auc_between(0, 0.1, standardised=False)(table)), ("partial_auc",))


def recall_partial_area(table: ScoreTable) -> Ours:
    return Ours(lambda: float(partial_auc_recall(table)), ("partial_auc_recall",))


def youden(model: str, threshold: float) -> Ours:
    """pROC's coordinate is recall + specificity, without the - 1."""
    return Ours(lambda: [float(registry["informedness"](MODELS[model].at(threshold))) + 1], ("informedness",))


def to_the_corner(model: str, threshold: float) -> Ours:
    """The squared distance of a point of the curve to where every case is right."""
    matrix = MODELS[model].at(threshold)
    return Ours(lambda: [sum(float(registry[name](matrix)) ** 2 for name in ("fnr", "fpr"))], ("fnr", "fpr"))


CHOSEN = {"lr": 0.382882, "tree": 0.37980749999999996}
COORDINATES = {
    "specificity": "specificity",
    "sensitivity": "recall",
    "accuracy": "accuracy",
    "npv": "npv",
    "ppv": "precision",
    "fpr": "fpr",
    "fdr": "fdr",
    "tpr": "recall",
    "tnr": "specificity",
    "fnr": "fnr",
    "precision": "precision",
    "recall": "recall",
}
OURS = {
    THREE: {
        **{f"auc/{name}": value("roc_auc", table) for name, table in MODELS.items()},
        **{f"var/{name}": variance(table) for name, table in MODELS.items()},
        **{f"ci_{name}": limits(table) for name, table in MODELS.items()},
        **{f"pauc_sp_1_09_raw/{name}": raw_partial_area(table) for name, table in MODELS.items()},
        **{f"pauc_sp_1_09_corr/{name}": value("partial_auc", table) for name, table in MODELS.items()},
        **{f"pauc_se_1_09_corr/{name}": recall_partial_area(table) for name, table in MODELS.items()},
        **{f"best_youden_{m}/youden": youden(m, cut) for m, cut in CHOSEN.items()},
        **{f"best_youden_{m}/closest.topleft": to_the_corner(m, cut) for m, cut in CHOSEN.items()},
        # The distinct scores and one threshold that calls nothing positive.
        "n_distinct_thresholds": Ours(lambda: [len(table.thresholds()) for table in MODELS.values()]),
        **{f"best_youden_{m}/{k}": at(m, cut, ours) for m, cut in CHOSEN.items() for k, ours in COORDINATES.items()},
        **{f"best_youden_{m}/{k}": count(m, cut, k) for m, cut in CHOSEN.items() for k in ("tn", "tp", "fn", "fp")},
    },
    DEGENERATE: {
        "perfect_auc": value("roc_auc", EDGES["perfect"]),
        "constant_auc": value("roc_auc", EDGES["constant"]),
        "reversed_auc_forced": value("roc_auc", EDGES["reversed"]),
        "onetie_auc": value("roc_auc", EDGES["onetie"]),
        "onetie_var": variance(EDGES["onetie"]),
        "onetie_ci": limits(EDGES["onetie"]),
    },
}
LEFT_OUT = {
    THREE: {
        "lr_nb/*": "matched in test_proc_paired.py",
        "lr_tree/*": "matched in test_proc_paired.py",
        "nb_tree/*": "matched in test_proc_paired.py",
        "best_youden_*/threshold": "matched in test_proc_thresholds.py and test_thresholds.py; here pROC's is given",
    },
    DEGENERATE: {
        "perfect_ci": "[1, 1] is misleading, as pROC itself warns; ours is below",
        "constant_ci": "[.5, .5] without a word; ours is nan with a reason, below",
        "reversed_auc_auto": "pROC flips the direction by itself; an AUC below one half is reported as it is",
    },
}
PAIRS = [(case, leaf) for case, found in LEAVES.items() for leaf in found]


@pytest.mark.parametrize(("case", "leaf"), PAIRS, ids=lambda part: getattr(part, "path", part))
def test_proc(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LEFT_OUT[case])


@pytest.mark.parametrize("case", LEAVES)
def test_lists_hold_nothing_stale(case: str) -> None:
    check_lists(LEAVES[case], OURS[case], LEFT_OUT[case])


def test_perfect_separation_has_an_honest_interval() -> None:
    found = roc_auc.estimate(EDGES["perfect"])
    assert found.method == "DeLong, small-sample adjusted"
    assert 0.4 < found.low < 0.9
    assert found.high == 1.0


def test_reversed_separation_mirrors_it_and_is_not_flipped() -> None:
    found, mirrored = roc_auc.estimate(EDGES["reversed"]), roc_auc.estimate(EDGES["perfect"])
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(1 - mirrored.low, abs=1e-9)


def test_a_constant_score_has_no_interval_and_says_why() -> None:
    found = roc_auc.estimate(EDGES["constant"])
    assert found.value == 0.5
    assert math.isnan(found.low)
    assert found.undefined


@pytest.mark.parametrize("name", ["perfect", "constant"])
def test_the_plain_interval_refuses_a_variance_of_zero(name: str) -> None:
    found = roc_auc.estimate(EDGES[name], method="DeLong")
    assert math.isnan(found.low)
    assert found.undefined
