"""Measures outside the tables: found by name, sound on anything, and equal to what they generalise."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk
from tests.laws.samples import degenerate_for, evidence_for, table_of
from tests.laws.samples import rows as score_rows
from tests.laws.test_intervals import check_sound

import assay
from assay.errors import OptionError, UnknownName
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import (
    Measure,
    find,
    find_for_many,
    linear_kappa,
    npv_at,
    on_request,
    partial_auc_between,
    ppv_at,
    quadratic_kappa,
    registry,
    roc_auc,
)
from assay.measures.agreement import _index_draws
from assay.uncertainty import label_bias_test, no_information_test, standard_error

MADE = [ppv_at(0.05), npv_at(0.3), partial_auc_between(0.2, 0.6, standardised=False), partial_auc_between(0, 0.5)]
ALL = [*on_request.values(), *MADE]

square = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k).filter(any).map(lambda c: (k, c))
)


def names(measure: Measure) -> str:
    return measure.name


@pytest.mark.parametrize("measure", ALL, ids=names)
@given(data=st.data())
def test_sound_on_random_evidence(measure: Measure, data: st.DataObject) -> None:
    check_sound(measure.estimate(data.draw(evidence_for(measure))), measure.bounds)


@pytest.mark.parametrize("measure", ALL, ids=names)
def test_sound_on_degenerate_evidence_by_every_method(measure: Measure) -> None:
    for method in measure.intervals.methods:
        for evidence in degenerate_for(measure):
            check_sound(measure.estimate(evidence, method=method), measure.bounds)


@pytest.mark.parametrize("measure", ALL, ids=names)
def test_pickles(measure: Measure) -> None:
    again = pickle.loads(pickle.dumps(measure))
    assert (again.name, again.title) == (measure.name, measure.title)


@pytest.mark.parametrize("name", on_request)
def test_found_by_any_name(name: str) -> None:
    measure = on_request[name]
    assert all(find(alias) is measure for alias in (name, *measure.aliases))
    if measure.needs is not ScoreTable:
        assert find_for_many(name) is measure


@given(drawn=square)
def test_matrices_of_many_classes_against_scikit_learn(drawn: tuple[int, list[int]]) -> None:
    k, cells = drawn
    matrix = ConfusionMatrix(np.array(cells, dtype=float).reshape(k, k))
    truth, decided = (np.repeat(codes.ravel(), cells) for codes in np.indices((k, k)))
    if len(truth) > 1:
        assert on_request["rand_index"](matrix) == pytest.approx(sk.rand_score(truth, decided), abs=1e-12)
        ours = float(on_request["adjusted_rand"](matrix))
        assert math.isnan(ours) or ours == pytest.approx(sk.adjusted_rand_score(truth, decided), abs=1e-12)
    for measure, weights in ((linear_kappa, "linear"), (quadratic_kappa, "quadratic")):
        value = float(measure(matrix))
        if not math.isnan(value):
            theirs = sk.cohen_kappa_score(truth, decided, weights=weights, labels=range(k))
            assert value == pytest.approx(theirs, abs=1e-12)


@given(data=st.data())
def test_with_two_classes_the_weighted_kappas_are_kappa(data: st.DataObject) -> None:
    matrix = data.draw(evidence_for(registry["kappa"]))
    for measure in (linear_kappa, quadratic_kappa):
        np.testing.assert_allclose(measure(matrix), registry["kappa"](matrix), atol=1e-12)


@given(truth=st.floats(0.05, 0.95), decided=st.floats(0.05, 0.95))
def test_the_adjusted_rand_index_is_nowhere_less_than_its_least(truth: float, decided: float) -> None:
    """Over every way to join shares of truth and decisions; joined so that it is least, it is that."""
    low, high = max(0.0, truth + decided - 1), min(truth, decided)
    both = np.linspace(low, high, 400)
    cells = np.stack([1 - truth - decided + both, decided - both, truth - both, both], -1).reshape(-1, 2, 2)
    index = on_request["adjusted_rand"](ConfusionMatrix(np.maximum(cells, 0) * 1e12))
    away, least = _index_draws(cells)
    assert (index >= least - 1e-6).all()
    if away[0] < 0 < away[-1]:
        assert index[np.abs(away).argmin()] == pytest.approx(least[0], abs=1e-3)


def test_the_adjusted_rand_index_of_unrelated_answers_has_an_interval_that_holds_nothing_at_all() -> None:
    found = on_request["adjusted_rand"].estimate(ConfusionMatrix(np.array([[30.0, 30], [20, 20]])))
    assert found.low <= 0 <= found.high
    clear = on_request["adjusted_rand"].estimate(ConfusionMatrix(np.array([[50.0, 3], [4, 43]])))
    assert 0.4 < clear.low < clear.value < clear.high


def test_a_batch_equals_a_loop() -> None:
    counts = np.random.default_rng(1).integers(1, 9, (4, 3, 3)).astype(float)
    for name in ("linear_kappa", "quadratic_kappa", "rand_index", "adjusted_rand"):
        alone = [on_request[name](ConfusionMatrix(one)) for one in counts]
        np.testing.assert_allclose(on_request[name](ConfusionMatrix(counts)), alone, rtol=1e-12)


@given(cases=score_rows, low=st.integers(0, 9), width=st.integers(1, 10))
def test_bands_of_the_roc_curve_add_up_to_the_auc(cases: list[tuple[float, bool]], low: int, width: int) -> None:
    table = table_of(cases)
    high = min(low + width, 10)
    ends = sorted({0, low, high, 10})
    axes: tuple[Literal["fpr", "recall"], ...] = ("fpr", "recall")
    for axis in axes:
        parts = [partial_auc_between(a / 10, b / 10, axis, standardised=False)(table) for a, b in pairwise(ends)]
        np.testing.assert_allclose(sum(parts), roc_auc(table), atol=1e-12)


@pytest.mark.parametrize("band", [(0, 0.1, "fpr"), (0.2, 0.7, "fpr"), (0.9, 1, "recall"), (0.3, 0.6, "recall")])
def test_partial_areas_have_the_jackknifes_standard_error(band: tuple[float, float, str]) -> None:
    rng = np.random.default_rng(8)
    positive = rng.random(600) < 0.4
    score = rng.normal(positive * 1.2, 1).round(1)
    measure = partial_auc_between(*band)  # type: ignore[arg-type]
    without = [float(measure(ScoreTable.of(np.delete(score, i), np.delete(positive, i)))) for i in range(600)]
    jackknife = math.sqrt(599 / 600 * np.square(np.array(without) - np.mean(without)).sum())
    table = ScoreTable.of(score, positive)
    assert measure.parts is not None
    assert standard_error(table, *measure.parts(table)) == pytest.approx(jackknife, rel=0.03)


@pytest.mark.parametrize("prevalence", [0.0, 1.0, -0.1, 5.0])
def test_a_prevalence_is_a_share(prevalence: float) -> None:
    with pytest.raises(OptionError, match=f"prevalence is {prevalence:g}; needed: a number between 0 and 1"):
        ppv_at(prevalence)


def test_at_their_own_prevalence_predictive_values_are_the_plain_ones() -> None:
    matrix = ConfusionMatrix.binary(tp=30, fn=20, fp=10, tn=140)
    assert ppv_at(0.25)(matrix) == pytest.approx(float(registry["precision"](matrix)), rel=1e-12)
    assert npv_at(0.25)(matrix) == pytest.approx(float(registry["npv"](matrix)), rel=1e-12)


def test_a_band_is_a_range_of_an_axis() -> None:
    for low, high in [(0.5, 0.5), (0.5, 0.2), (-0.1, 0.5)]:
        with pytest.raises(OptionError, match=f"the band runs from {low} to {high}; needed: two shares"):
            partial_auc_between(low, high)
    with pytest.raises(UnknownName, match="axis is 'precision'; needed: 'fpr' or 'recall'"):
        partial_auc_between(0, 0.1, "precision")  # type: ignore[arg-type]


def test_tests_of_labels_refuse_weights_and_empty_matrices() -> None:
    weighted = ConfusionMatrix(np.eye(2) * 5.5, squares=np.eye(2) * 9.0)
    for test in (no_information_test, label_bias_test):
        assert test(weighted).undefined == "the test counts cases, and these have weights"
        assert math.isnan(test(ConfusionMatrix(np.zeros((2, 2)))).p_value)


def test_bowkers_test_of_three_classes() -> None:
    """The statistic by hand: (4-6)^2/10 + (3-1)^2/4 + nothing for the pair that never errs, on 2 degrees."""
    found = label_bias_test(ConfusionMatrix(np.array([[9, 4, 3], [6, 9, 0], [1, 0, 9]])))
    assert found.statistic == pytest.approx(0.4 + 1.0)
    assert found.p_value == pytest.approx(math.exp(-0.7))
    assert found.method == "Bowker"


def test_an_f_of_a_beta_that_was_not_simulated_has_no_interval_of_its_own() -> None:
    ev = assay.from_counts(tp=90, fn=210, fp=140, tn=9560)
    assert ev.estimate("f_beta(1.5)").low < ev.estimate("f_beta(1.5)").high
    found = ev.estimate("f_beta(5)")
    assert found.undefined is not None
    assert "simulated for a beta from 0.5 to 2" in found.undefined
    assert ev.estimate("f_beta(5)", method="Dirichlet").low > 0
