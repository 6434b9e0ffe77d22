"""Laws that join measures: relabelling, complements, monotone transforms, constant scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.samples import LEVELS, SCORE_NAMES, binary_matrices, matrices, rows, table_of

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from assay.results import Estimate


def same(value: float) -> float:
    return value


def complement(value: float) -> float:
    return 1 - value


def inverse(value: float) -> float:
    return 1 / value if value else math.nan


# Naming the other class positive turns the first measure into the second.
RELABELLED: dict[str, tuple[str, Callable[[float], float]]] = {
    "accuracy": ("accuracy", same),
    "error_rate": ("error_rate", same),
    "recall": ("specificity", same),
    "specificity": ("recall", same),
    "precision": ("npv", same),
    "npv": ("precision", same),
    "fpr": ("fnr", same),
    "fnr": ("fpr", same),
    "fdr": ("false_omission_rate", same),
    "false_omission_rate": ("fdr", same),
    "markedness": ("markedness", same),
    "gini": ("gini", same),
    "bayes_error": ("bayes_error", same),
    "balanced_accuracy": ("balanced_accuracy", same),
    "averaged_class_error": ("averaged_class_error", same),
    "g_mean": ("g_mean", same),
    "kappa": ("kappa", same),
    "mcc": ("mcc", same),
    "informedness": ("informedness", same),
    "diagnostic_odds_ratio": ("diagnostic_odds_ratio", same),
    "prevalence": ("prevalence", complement),
    "predicted_prevalence": ("predicted_prevalence", complement),
    "roc_auc": ("roc_auc", same),
    "brier": ("brier", same),
    "brier_skill": ("brier_skill", same),
    "log_loss": ("log_loss", same),
    "log_loss_skill": ("log_loss_skill", same),
}

# Pairs that sum to one on the same evidence, their limits mirrored.
COMPLEMENTS = [
    ("accuracy", "error_rate"),
    ("recall", "fnr"),
    ("specificity", "fpr"),
    ("precision", "fdr"),
    ("npv", "false_omission_rate"),
    ("balanced_accuracy", "averaged_class_error"),
]


def swapped_matrix(matrix: ConfusionMatrix) -> ConfusionMatrix:
    return ConfusionMatrix(matrix.counts[::-1, ::-1])


def swapped_table(table: ScoreTable) -> ScoreTable:
    return ScoreTable(1 - table.score[::-1], table.positive[::-1], table.negative[::-1])


@pytest.mark.parametrize("name", RELABELLED)
@given(data=st.data())
def test_relabelling(name: str, data: st.DataObject) -> None:
    other, change = RELABELLED[name]
    if registry[name].needs is ConfusionMatrix:
        matrix = data.draw(binary_matrices())
        mine, theirs = registry[name](matrix), registry[other](swapped_matrix(matrix))
    else:
        table = data.draw(rows.map(table_of))
        mine, theirs = registry[name](table), registry[other](swapped_table(table))
    np.testing.assert_allclose(mine, change(float(theirs)), rtol=1e-11, atol=1e-12)


@given(matrix=binary_matrices())
def test_relabelling_inverts_likelihood_ratios(matrix: ConfusionMatrix) -> None:
    positive = float(registry["likelihood_ratio_positive"](matrix))
    negative = float(registry["likelihood_ratio_negative"](swapped_matrix(matrix)))
    assume(positive > 0 and negative > 0)
    assert positive == pytest.approx(inverse(negative), rel=1e-12)


@pytest.mark.parametrize(("first", "second"), COMPLEMENTS)
@given(data=st.data())
def test_complements_have_mirrored_limits(first: str, second: str, data: st.DataObject) -> None:
    always = first in ("accuracy", "recall", "balanced_accuracy")
    matrix = data.draw(matrices() if always else binary_matrices())
    level = data.draw(st.sampled_from(LEVELS))
    # Blaker's limits come from a slow search; their mirror is looked at in tests/uncertainty.
    for method in set(registry[first].intervals.methods) - {"Blaker"}:
        mine, theirs = (registry[name].estimate(matrix, level=level, method=method) for name in (first, second))
        np.testing.assert_allclose(limits(mine), 1 - limits(theirs)[[0, 2, 1]], rtol=0, atol=1e-9, err_msg=method)


@given(matrix=binary_matrices())
def test_identities_of_the_two_class_matrix(matrix: ConfusionMatrix) -> None:
    value = {name: float(m(matrix)) for name, m in registry.items() if m.needs is ConfusionMatrix}
    check = np.testing.assert_allclose
    check(value["informedness"], 2 * value["balanced_accuracy"] - 1, atol=1e-12)
    check(value["g_mean"] ** 2, value["recall"] * value["specificity"], atol=1e-12)
    check(value["g_measure"] ** 2, value["precision"] * value["recall"], atol=1e-12)
    check(value["markedness"], value["precision"] + value["npv"] - 1, atol=1e-12)
    check(value["jaccard"], value["f1"] / (2 - value["f1"]), atol=1e-12)
    if value["prevalence"] > 0:
        check(value["lift"], value["precision"] / value["prevalence"], atol=1e-12)
    check(value["detection_rate"], float(matrix.tp / matrix.total), atol=1e-12)
    if value["precision"] + value["recall"] > 0:
        p, r = value["precision"], value["recall"]
        for name, beta in {"f1": 1.0, "f2": 2.0, "f05": 0.5}.items():
            check(value[name], (1 + beta**2) * p * r / (beta**2 * p + r), rtol=1e-12)
    if value["fpr"] > 0:
        check(value["likelihood_ratio_positive"], value["recall"] / value["fpr"], rtol=1e-12)
    if value["specificity"] > 0:
        check(value["likelihood_ratio_negative"], value["fnr"] / value["specificity"], rtol=1e-12)
    if value["likelihood_ratio_negative"] > 0:
        ratio = value["likelihood_ratio_positive"] / value["likelihood_ratio_negative"]
        check(value["diagnostic_odds_ratio"], ratio, rtol=1e-12)


RANKING = [name for name in SCORE_NAMES if not registry[name].needs_probability]
INCREASING: list[Callable[[Any], Any]] = [
    lambda s: 3 * s - 7,
    np.exp,
    lambda s: s**3,
    lambda s: np.log(s + 2**-20),
    lambda s: np.floor(64 * s),
]


@pytest.mark.parametrize("name", RANKING)
@given(table=rows.map(table_of), level=st.sampled_from(LEVELS))
def test_increasing_transforms_leave_ranking_alone(name: str, table: ScoreTable, level: float) -> None:
    expected = repr(registry[name].estimate(table, level=level).to_dict())
    for transform in INCREASING:
        moved = ScoreTable(transform(table.score), table.negative, table.positive)
        assert repr(registry[name].estimate(moved, level=level).to_dict()) == expected


@given(table=rows.map(table_of))
def test_negated_scores_give_the_complement_of_the_auc(table: ScoreTable) -> None:
    negated = ScoreTable(-table.score[::-1], table.negative[::-1], table.positive[::-1])
    np.testing.assert_allclose(registry["roc_auc"](negated), 1 - registry["roc_auc"](table), rtol=1e-12, atol=1e-15)
    # Hanley and McNeil's variance supposes exponential scores, so it has no such mirror.
    for method in set(registry["roc_auc"].intervals.methods) - {"Hanley-McNeil"}:
        mine, theirs = (registry["roc_auc"].estimate(t, method=method) for t in (negated, table))
        np.testing.assert_allclose(limits(mine), 1 - limits(theirs)[[0, 2, 1]], atol=1e-9, err_msg=method)


@given(n0=st.integers(1, 500), n1=st.integers(1, 500), score=st.floats(-1e6, 1e6))
def test_constant_scores_have_an_auc_of_exactly_one_half(n0: int, n1: int, score: float) -> None:
    table = ScoreTable.of(np.full(n0 + n1, score), np.arange(n0 + n1) < n1)
    assert registry["roc_auc"](table) == 0.5
    estimate = registry["roc_auc"].estimate(table)
    assert math.isnan(estimate.low)
    assert estimate.undefined


@given(table=rows.map(table_of))
def test_skill_is_what_is_left_of_the_baseline(table: ScoreTable) -> None:
    share = float(table.positives / table.total)
    assume(0 < share < 1)
    constant = ScoreTable(np.array([share]), table.negatives[None], table.positives[None])
    for name in ("brier", "log_loss"):
        skill = 1 - registry[name](table) / registry[name](constant)
        assert registry[f"{name}_skill"](table) == pytest.approx(float(skill), rel=1e-9, abs=1e-12)
        assert registry[f"{name}_skill"](constant) == pytest.approx(0, abs=1e-12)


def limits(estimate: Estimate) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([estimate.value, estimate.low, estimate.high])
