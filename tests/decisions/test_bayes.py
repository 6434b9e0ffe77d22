"""The Bayes rule against trying every decision, reject zones against trying every probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.costs import Costs
from assay.decisions import bayes_decisions, matrix_with_rejection, reject_thresholds, rejection_region, risks
from assay.errors import InputError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures.decision import expected_cost

prices = st.integers(1, 20).map(float)


@given(seed=st.integers(0, 10_000), k=st.integers(2, 5))
def test_no_decision_is_cheaper(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    loss = rng.integers(1, 9, (k, k)).astype(float)
    np.fill_diagonal(loss, 0)
    costs, share = Costs(loss), rng.dirichlet(np.ones(k), 20)
    decision = bayes_decisions(share, costs)
    for p, chosen in zip(share, decision, strict=True):
        expected = [sum(p[truth] * loss[truth, made] for truth in range(k)) for made in range(k)]
        assert expected[chosen] == pytest.approx(min(expected))


def test_equal_costs_choose_the_likeliest_class() -> None:
    """The catalogue's erratum: the minimum is over decisions, the sum over classes."""
    share = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    assert (bayes_decisions(share, Costs(1.0 - np.eye(4))) == share.argmax(1)).all()


def test_ties_go_to_the_positive_of_two_and_to_the_first_of_many() -> None:
    assert bayes_decisions([0.5, 0.2], Costs(fp=1, fn=1)).tolist() == [1, 0]
    assert bayes_decisions([0.2, 0.1999999], Costs(fp=1, fn=4)).tolist() == [1, 0]
    assert bayes_decisions([[1 / 3] * 3], Costs(1.0 - np.eye(3))).tolist() == [0]


@given(fp=prices, fn=prices, p=st.floats(0, 1))
def test_two_classes_are_parted_at_elkans_threshold(fp: float, fn: float, p: float) -> None:
    costs = Costs(fp=fp, fn=fn)
    assume(abs(p - costs.threshold) > 1e-9)
    assert bayes_decisions([p], costs).item() == int(p > costs.threshold)


@given(fp=prices, fn=prices, share=st.floats(0.05, 0.95), there=st.floats(0.05, 0.95))
def test_probabilities_are_carried_over_to_the_prevalence_of_use(
    fp: float, fn: float, share: float, there: float
) -> None:
    p = np.linspace(0.01, 0.99, 33)
    odds = p / (1 - p) * (there / (1 - there)) / (share / (1 - share))
    moved = odds / (1 + odds)
    costs = Costs(fp=fp, fn=fn)
    assume(np.abs(moved - costs.threshold).min() > 1e-9)
    found = bayes_decisions(p, costs.at(there), calibrated_at=share)
    assert (found == bayes_decisions(moved, costs)).all()


def test_a_prevalence_without_the_shares_behind_the_probabilities_is_refused() -> None:
    with pytest.raises(InputError, match="calibrated_at"):
        bayes_decisions([0.5], Costs(fp=1, fn=1, prevalence=0.1))


@pytest.mark.parametrize("wrong", [[[0.5, 0.6]], [[0.2, 0.3, 0.5]], [1.2], [[-0.1, 1.1]]])
def test_what_is_no_probability_is_refused(wrong: list[float]) -> None:
    with pytest.raises(InputError):
        bayes_decisions(wrong, Costs(fp=1, fn=1))


@given(fp=prices, fn=prices, reject=st.floats(0.01, 12), tp=st.integers(-3, 0), tn=st.integers(-3, 0))
def test_the_rejection_region_is_where_rejecting_is_the_cheapest(
    fp: float, fn: float, reject: float, tp: int, tn: int
) -> None:
    costs = Costs(fp=fp, fn=fn, tp=tp, tn=tn, reject=reject)
    p = np.linspace(0, 1, 401)
    is_cheapest = reject < np.minimum(p * fn + (1 - p) * tn, p * tp + (1 - p) * fp) - 1e-9
    zone = rejection_region(costs)
    inside = np.zeros(401, dtype=bool) if zone is None else (p > zone[0] + 1e-9) & (p < zone[1] - 1e-9)
    differ = inside != is_cheapest
    edges = [] if zone is None else [np.abs(p - end) < 1e-6 for end in zone]
    assert not (differ & ~np.any([*edges, np.zeros(401, dtype=bool)], axis=0)).any()
    assert ((bayes_decisions(p, costs) == 2) == is_cheapest)[~differ].all()


@given(fp=prices, fn=prices, reject=st.floats(0.01, 12))
def test_there_is_a_zone_only_if_rejecting_is_cheap_enough(fp: float, fn: float, reject: float) -> None:
    bound = fp * fn / (fp + fn)
    assume(abs(reject - bound) > 1e-9)
    zone = rejection_region(Costs(fp=fp, fn=fn, reject=reject))
    assert (zone is not None) == (reject < bound)
    if zone is not None:
        assert zone == pytest.approx((reject / fn, 1 - reject / fp))


def test_chow_rejects_below_one_minus_the_cost_of_rejecting() -> None:
    share = np.random.default_rng(1).dirichlet(np.ones(3), 100)
    found = bayes_decisions(share, Costs(1.0 - np.eye(3), reject=0.4))
    assert ((found == 3) == (share.max(1) < 0.6)).all()


scores = st.integers(0, 9)
# Both classes are always there.
cases = st.tuples(st.lists(st.tuples(scores, st.booleans()), max_size=25), scores, scores).map(
    lambda drawn: [*drawn[0], (drawn[1], True), (drawn[2], False)]
)


@given(rows=cases, reject=st.sampled_from([0.05, 0.2, 0.35]), fn=st.sampled_from([1.0, 3.0]))
def test_no_pair_of_thresholds_is_cheaper_than_the_hulls(
    rows: list[tuple[int, bool]], reject: float, fn: float
) -> None:
    table = ScoreTable.of([score for score, _ in rows], [positive for _, positive in rows])
    costs = Costs(fp=1, fn=fn, reject=reject)
    cost = expected_cost(costs)
    ends = [*table.thresholds(), -np.inf]
    least = min(float(cost(matrix_with_rejection(table, (low, high)))) for low in ends for high in ends if low <= high)
    found = reject_thresholds(table, costs)
    if found is None:
        single = min(float(cost(matrix_with_rejection(table, (end, end)))) for end in ends)
        assert single == pytest.approx(least, abs=1e-12)
    else:
        assert float(cost(matrix_with_rejection(table, found))) == pytest.approx(least, abs=1e-12)


def test_rejecting_needs_a_cost() -> None:
    with pytest.raises(InputError, match="the cost of rejecting"):
        rejection_region(Costs(fp=1, fn=1))
    with pytest.raises(InputError, match="the cost of rejecting"):
        reject_thresholds(TABLE, Costs(fp=1, fn=1))
    with pytest.raises(InputError, match="lower one first"):
        matrix_with_rejection(TABLE, (2.0, 1.0))


TABLE = ScoreTable.of([1, 2, 3, 4], [0, 1, 0, 1])


def test_decided_keeps_every_case_and_every_squared_weight() -> None:
    weighted = ScoreTable.of([1, 2, 3, 4], [0, 1, 0, 1], weight=np.array([1.0, 2.0, 0.5, 3.0]))
    matrix = matrix_with_rejection(weighted, (2, 4))
    assert matrix.counts.tolist() == [[1.0, 0.0, 0.5], [0.0, 3.0, 2.0]]
    assert matrix.squares is not None
    assert matrix.squares.tolist() == [[1.0, 0.0, 0.25], [0.0, 9.0, 4.0]]
    batch = ScoreTable(TABLE.score, np.stack([TABLE.negative] * 3), np.stack([TABLE.positive] * 3))
    assert (matrix_with_rejection(batch, (2, 4)).counts == matrix_with_rejection(TABLE, (2, 4)).counts).all()


def test_risks_weighted_by_prevalence_are_the_expected_cost() -> None:
    matrix = ConfusionMatrix(np.array([[40, 6, 4], [3, 30, 7], [2, 2, 16]]), ("a", "b", "c"))
    costs = Costs([[0, 1, 2], [1, 0, 1], [3, 2, 0]], ("a", "b", "c"), prevalence=(0.5, 0.3, 0.2), acquisition=0.1)
    found = risks(matrix, costs)
    total = sum(share * found[name].value for share, name in zip((0.5, 0.3, 0.2), "abc", strict=True))
    assert total == pytest.approx(float(expected_cost(costs)(matrix)))
    assert all(one.low < one.value < one.high for one in found.values())
