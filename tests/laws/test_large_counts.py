"""Nothing overflows and nothing is lost at ten million cases and beyond; exact rational arithmetic is the judge."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from assay.uncertainty import AucMoments, mann_whitney

Exact = Callable[[int, int, int, int], Fraction]


def _kappa(tp: int, fn: int, fp: int, tn: int) -> Fraction:
    n = tp + fn + fp + tn
    chance = Fraction((tp + fn) * (tp + fp) + (tn + fp) * (tn + fn), n)
    return (tp + tn - chance) / (n - chance)


EXACT: dict[str, Exact] = {
    "accuracy": lambda tp, fn, fp, tn: Fraction(tp + tn, tp + fn + fp + tn),
    "recall": lambda tp, fn, fp, tn: Fraction(tp, tp + fn),
    "precision": lambda tp, fn, fp, tn: Fraction(tp, tp + fp),
    "f1": lambda tp, fn, fp, tn: Fraction(2 * tp, 2 * tp + fp + fn),
    "f2": lambda tp, fn, fp, tn: Fraction(5 * tp, 5 * tp + 4 * fn + fp),
    "balanced_accuracy": lambda tp, fn, fp, tn: (Fraction(tp, tp + fn) + Fraction(tn, tn + fp)) / 2,
    "informedness": lambda tp, fn, fp, tn: Fraction(tp, tp + fn) + Fraction(tn, tn + fp) - 1,
    "kappa": _kappa,
    "diagnostic_odds_ratio": lambda tp, fn, fp, tn: Fraction(tp * tn, fp * fn),
    "likelihood_ratio_positive": lambda tp, fn, fp, tn: Fraction(tp * (fp + tn), fp * (tp + fn)),
}


def exact_mcc(tp: int, fn: int, fp: int, tn: int) -> float:
    with localcontext() as context:
        context.prec = 60
        spread = Decimal((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return float(Decimal(tp * tn - fp * fn) / spread.sqrt())


around = st.sampled_from([10**7, 10**9]).flatmap(lambda size: st.tuples(*[st.integers(size // 10, size)] * 4))


@pytest.mark.parametrize("name", EXACT)
@given(cells=around)
def test_values_are_exact_with_huge_cells(name: str, cells: tuple[int, int, int, int]) -> None:
    tp, fn, fp, tn = cells
    value = float(registry[name](ConfusionMatrix.binary(tp=tp, fn=fn, fp=fp, tn=tn)))
    assert value == pytest.approx(float(EXACT[name](*cells)), rel=1e-12, abs=1e-12)


@given(cells=around)
def test_matthews_correlation_is_exact_with_huge_cells(cells: tuple[int, int, int, int]) -> None:
    tp, fn, fp, tn = cells
    value = float(registry["mcc"](ConfusionMatrix.binary(tp=tp, fn=fn, fp=fp, tn=tn)))
    assert value == pytest.approx(exact_mcc(*cells), rel=1e-12, abs=1e-12)


rare = st.tuples(st.integers(1, 50), st.integers(1, 50), st.integers(1, 50), st.sampled_from([10**7, 10**9]))


@given(cells=rare)
def test_a_handful_of_positives_among_a_billion_keeps_its_digits(cells: tuple[int, int, int, int]) -> None:
    tp, fn, fp, tn = cells
    matrix = ConfusionMatrix.binary(tp=tp, fn=fn, fp=fp, tn=tn)
    assert float(registry["mcc"](matrix)) == pytest.approx(exact_mcc(*cells), rel=1e-9)
    assert float(registry["kappa"](matrix)) == pytest.approx(float(_kappa(*cells)), rel=1e-9)


@pytest.mark.parametrize("size", [10**7, 10**9])
def test_intervals_hold_at_huge_counts(size: int) -> None:
    matrix = ConfusionMatrix.binary(tp=size, fn=size // 7, fp=size // 9, tn=3 * size)
    for measure in registry.values():
        if measure.needs is ConfusionMatrix:
            estimate = measure.estimate(matrix)
            assert estimate.low < estimate.value < estimate.high, measure
            assert estimate.high - estimate.low < 0.01 * max(1.0, estimate.value), measure


@given(negative=st.lists(st.integers(0, 10**9), min_size=2, max_size=6), data=st.data())
def test_auc_is_exact_with_huge_counts(negative: list[int], data: st.DataObject) -> None:
    m = len(negative)
    positive = data.draw(st.lists(st.integers(0, 10**9), min_size=m, max_size=m))
    assume(sum(negative) and sum(positive))
    score = np.arange(m, dtype=float)
    table = ScoreTable(score, np.array(negative, dtype=float), np.array(positive, dtype=float))
    won = sum(Fraction(positive[i] * negative[j], 1 if i > j else 2) for i in range(m) for j in range(m) if i >= j)
    exact = float(won / (sum(negative) * sum(positive)))
    assert float(registry["roc_auc"](table)) == pytest.approx(exact, rel=1e-12, abs=1e-15)
    assert AucMoments.of(table).auc == pytest.approx(exact, rel=1e-12, abs=1e-15)


def test_rank_test_at_ten_million_is_finite() -> None:
    table = ScoreTable(np.array([0.0, 1.0]), np.array([6e6, 4e6]), np.array([4e6, 6e6]))
    result = mann_whitney(table)
    assert 0 <= result.p_value < 1e-12


def test_ten_million_labels_are_counted() -> None:
    n = 10**7
    truth = np.zeros(n, dtype=np.int8)
    truth[: n // 4] = 1
    decision = np.zeros(n, dtype=np.int8)
    decision[: n // 2] = 1
    matrix = ConfusionMatrix.of(truth, decision, ("no", "yes"))
    assert matrix.counts.tolist() == [[n // 2, n // 4], [0, n // 4]]
    assert registry["mcc"](matrix) == pytest.approx(exact_mcc(n // 4, 0, n // 4, n // 2), rel=1e-12)
