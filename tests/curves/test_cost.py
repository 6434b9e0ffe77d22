"""Costs: envelopes against brute force over all thresholds, and areas that are known numbers.

Which costs the AUC averages over: Hand's identity, and the distribution of the H measure beside it.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from tests.laws.samples import rows, table_of

from assay.curves import brier_curve, cost_against_threshold, cost_curve, cost_weights, decision_curve
from assay.curves.cost import expected_cost
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import brier, hull_area

both = rows.filter(lambda cases: len({positive for _, positive in cases}) == 2)
shares = st.floats(0, 1)
PLACES = np.linspace(0, 1, 41)


@given(cases=both)
def test_the_envelope_is_the_least_of_all_lines(cases: list[tuple[float, bool]]) -> None:
    curve = cost_curve(table_of(cases))
    every = curve.fpr[:, None] * (1 - PLACES) + curve.fnr[:, None] * PLACES
    np.testing.assert_allclose(curve.at(PLACES), every.min(0), atol=1e-12)
    trivial = np.minimum(PLACES, 1 - PLACES)
    assert (curve.at(PLACES) <= trivial + 1e-12).all()
    x, cost = curve.envelope
    assert (np.diff(x) >= 0).all()
    np.testing.assert_allclose(cost, (curve.fpr[:, None] * (1 - x) + curve.fnr[:, None] * x).min(0), atol=1e-12)


@given(cases=both, fp=st.floats(0.1, 10), fn=st.floats(0.1, 10), prevalence=st.floats(0.01, 0.99))
def test_the_least_expected_cost_is_on_the_envelope(
    cases: list[tuple[float, bool]], fp: float, fn: float, prevalence: float
) -> None:
    table = table_of(cases)
    by_threshold = cost_against_threshold(table, fp=fp, fn=fn, prevalence=prevalence)
    most = prevalence * fn + (1 - prevalence) * fp
    assert by_threshold.y.min() == pytest.approx(most * float(cost_curve(table).at(prevalence * fn / most)))


def test_the_table_names_what_is_best_where() -> None:
    table = cost_curve(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])).table().columns
    assert table["threshold"] == [np.inf, 0.9, 0.4]
    assert table["best_to"][1] == pytest.approx(2 / 3)


def test_a_single_class_has_no_cost_curve() -> None:
    curve = cost_curve(ScoreTable.of([0.9, 0.8], [True, True]))
    assert not curve.is_defined
    with pytest.raises(ValueError, match="no curve"):
        curve.svg()


def test_gains_are_negative_costs_and_prevalence_reweighs() -> None:
    table = ScoreTable.of([0.9, 0.6, 0.4, 0.2], [True, False, True, False])
    matrix = table.at(0.5)
    assert expected_cost(fp=1, fn=4, tp=-2, tn=0)(matrix) == pytest.approx((1 + 4 - 2) / 4)
    assert expected_cost(fp=1, fn=4, prevalence=0.1)(matrix) == pytest.approx(0.9 * 0.5 * 1 + 0.1 * 0.5 * 4)
    # As sampled, half of the cases are positive.
    assert expected_cost(fp=1, fn=4)(matrix) == expected_cost(fp=1, fn=4, prevalence=0.5)(matrix)


@pytest.mark.parametrize("prevalence", [-0.1, 1.2])
def test_a_prevalence_is_a_share(prevalence: float) -> None:
    with pytest.raises(ValueError, match="prevalence"):
        expected_cost(fp=1, fn=1, prevalence=prevalence)


@given(cases=both)
def test_the_area_under_the_brier_curve_is_the_brier_score(cases: list[tuple[float, bool]]) -> None:
    curve = brier_curve(table_of(cases))
    assert curve.area == pytest.approx(float(brier(table_of(cases))), abs=1e-12)
    assert (curve.least <= curve.cost + 1e-12).all()


def test_the_brier_curve_at_another_prevalence_is_that_of_reweighted_cases() -> None:
    rng = np.random.default_rng(1)
    truth, score = rng.random(50) < 0.4, rng.random(50)
    there = np.where(truth, 0.1 / truth.sum(), 0.9 / (~truth).sum())
    reweighted = ScoreTable.of(score, truth, weight=there)
    assert brier_curve(ScoreTable.of(score, truth), prevalence=0.1).area == pytest.approx(float(brier(reweighted)))


@pytest.mark.parametrize("make", [brier_curve, decision_curve])
def test_scores_that_are_no_probabilities_are_refused(make: object) -> None:
    with pytest.raises(OptionError, match="from -1 to 2; needed: probabilities"):
        make(ScoreTable.of([-1.0, 2.0], [False, True]))  # type: ignore[operator]


@given(cases=both, threshold=st.floats(0.01, 0.98))
def test_net_benefit_is_what_the_matrix_at_the_threshold_says(
    cases: list[tuple[float, bool]], threshold: float
) -> None:
    table = table_of(cases)
    curve, matrix = decision_curve(table, threshold), table.at(threshold)
    n, odds = float(table.total), threshold / (1 - threshold)
    assert curve.net_benefit[0] == pytest.approx(float(matrix.tp - matrix.fp * odds) / n, abs=1e-12)
    assert curve.of_leaving[0] == pytest.approx(float(matrix.tn - matrix.fn / odds) / n, abs=1e-9)
    assert curve.standardised[0] == pytest.approx(curve.net_benefit[0] / curve.prevalence)
    # Both ways of counting tell the same difference to acting on everyone.
    assert curve.avoided[0] == pytest.approx(curve.of_leaving[0], abs=1e-9)


@given(cases=both, prevalence=st.floats(0.01, 0.99))
def test_at_threshold_zero_everyone_is_acted_on(cases: list[tuple[float, bool]], prevalence: float) -> None:
    curve = decision_curve(table_of(cases), [0.0], prevalence=prevalence)
    assert curve.net_benefit[0] == pytest.approx(prevalence)
    assert curve.act_on_all[0] == pytest.approx(prevalence)


def test_a_threshold_of_one_has_no_odds() -> None:
    with pytest.raises(ValueError, match="threshold is 1; needed: a probability below 1, whose odds are finite"):
        decision_curve(ScoreTable.of([0.1, 0.9], [False, True]), [1.0])


def test_without_thresholds_every_hundredth_is_taken() -> None:
    assert len(decision_curve(ScoreTable.of([0.1, 0.9], [False, True])).threshold) == 99


CASES = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=40).filter(
    lambda cases: len({is_positive for _, is_positive in cases}) == 2
)


@given(CASES)
def test_losses_averaged_with_these_weights_are_the_area(cases: list[tuple[int, bool]]) -> None:
    """Hand (2009): 1 - AUC of the hull is the mean least loss under the weights, over twice both class shares."""
    table = ScoreTable.of(*zip(*cases, strict=True))
    weights, share = cost_weights(table), float(table.positives / table.total)
    scale = (1 - weights.cost) * share + weights.cost * (1 - share)
    place = np.divide((1 - weights.cost) * share, scale, out=np.zeros_like(scale), where=scale > 0)
    loss = scale * cost_curve(table).at(place)
    assert 1 - float(weights.mass @ loss) / (2 * share * (1 - share)) == pytest.approx(float(hull_area(table)))


@given(CASES)
def test_both_weights_sum_to_one(cases: list[tuple[int, bool]]) -> None:
    weights = cost_weights(ScoreTable.of(*zip(*cases, strict=True)))
    columns = weights.table().columns
    assert columns["auc_below"][-1] == pytest.approx(1)
    assert columns["h_below"][-1] == pytest.approx(1)
    assert (np.diff(weights.cost) > 0).all()
    drawn = weights.drawing().traces
    for trace in drawn:
        assert np.trapezoid(trace.y, trace.x) == pytest.approx(1, abs=0.01)


def test_the_weight_of_h_is_the_beta_distribution() -> None:
    weights = cost_weights(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5], [1, 0, 1, 0, 0]))
    assert weights.beta == (1.4, 1.6)
    at = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(weights.below(at)[1], beta(1.4, 1.6).cdf(at))
    assert weights.medians[1] == pytest.approx(beta(1.4, 1.6).median())


def test_half_of_the_weight_lies_below_the_median() -> None:
    weights = cost_weights(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 0]))
    assert weights.medians[0] == 0.0
    assert weights.below(weights.medians[0])[0] == pytest.approx(0.5)


def test_a_single_class_has_no_weights() -> None:
    weights = cost_weights(ScoreTable.of([0.9, 0.8], [True, True]))
    assert not weights.is_defined
