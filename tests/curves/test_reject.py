"""Rejecting what is least sure: curves and areas against brute force over cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.samples import rows, table_of

from assay.curves import augrc, aurc, confidence, excess_aurc, margin_curve, reject_curve
from assay.errors import OptionError
from assay.evidence import ClassScores, ScoreTable
from assay.measures import roc_auc


@st.composite
def many_classes(draw: st.DrawFn) -> ClassScores:
    """A few cases of three classes whose probabilities are sixteenths, so that many tie."""
    parts = draw(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 2)), min_size=1, max_size=12))
    probability = [[a / 16, b / 16, 1 - (a + b) / 16] for a, b, _ in parts]
    return ClassScores.of(probability, [truth for *_, truth in parts], "abc")


def brute_force(sure: list[float], right: list[bool]) -> list[tuple[float, float]]:
    """Share rejected and accuracy of the rest for every place to stop, the fewest accepted first."""
    found = [(1.0, math.nan)]
    for least in sorted(set(sure), reverse=True):
        kept = [ok for s, ok in zip(sure, right, strict=True) if s >= least]
        found.append((1 - len(kept) / len(sure), sum(kept) / len(kept)))
    return found


@given(scores=many_classes(), by=st.sampled_from(["margin", "top"]))
def test_many_classes_by_brute_force(scores: ClassScores, by: str) -> None:
    ordered = [sorted(row, reverse=True) for row in scores.probability.tolist()]
    sure = [row[0] - row[1] if by == "margin" else row[0] for row in ordered]
    right = [row.index(max(row)) == truth for row, truth in zip(scores.probability.tolist(), scores.truth, strict=True)]
    curve = reject_curve(scores, by)  # type: ignore[arg-type]
    np.testing.assert_allclose(np.column_stack((curve.x, curve.y)), brute_force(sure, right), atol=1e-12)


@given(cases=rows)
def test_two_classes_by_brute_force(cases: list[tuple[float, bool]]) -> None:
    sure = [max(p, 1 - p) for p, _ in cases]
    right = [(p >= 0.5) == positive for p, positive in cases]
    wanted = brute_force(sure, right)
    for by in ("margin", "top"):
        curve = reject_curve(table_of(cases), by)
        np.testing.assert_allclose(np.column_stack((curve.x, curve.y)), wanted, atol=1e-12)


def test_mirrored_probabilities_are_equally_sure() -> None:
    found = confidence(ScoreTable.of([0.3, 0.7, 0.1, 0.9], [False, True, True, True]))
    assert len(found) == 2
    assert found.total == 4


def test_with_everything_rejected_there_is_no_accuracy() -> None:
    curve = reject_curve(ScoreTable.of([0.2, 0.8], [False, True]))
    assert (curve.x[0], curve.threshold[0]) == (1.0, np.inf)
    assert math.isnan(curve.y[0])


def test_rejecting_at_random_keeps_the_accuracy() -> None:
    table = ScoreTable.of([0.1, 0.4, 0.6, 0.9], [False, True, True, True])
    reference = reject_curve(table).drawing().traces[0]
    assert (reference.name, reference.y.tolist()) == ("reject at random", [0.75, 0.75])


@given(cases=rows, more=rows)
def test_confidence_adds(cases: list[tuple[float, bool]], more: list[tuple[float, bool]]) -> None:
    assert confidence(table_of(cases)) + confidence(table_of(more)) == confidence(table_of(cases + more))


def test_weights_travel_with_the_cases() -> None:
    weight = np.array([1.0, 2.0, 0.5, 4.0])
    found = confidence(ScoreTable.of([0.1, 0.4, 0.6, 0.9], [False, True, True, True], weight=weight))
    assert found.is_weighted
    assert found.total == weight.sum()
    assert found.squared_weights[0].sum() == 4.0


@given(cases=rows)
def test_areas_by_brute_force(cases: list[tuple[float, bool]]) -> None:
    curve = reject_curve(table_of(cases))
    sure = [max(p, 1 - p) for p, _ in cases]
    wrong = [(p >= 0.5) != positive for p, positive in cases]
    n, errors = len(cases), sum(wrong)
    risks = [np.mean([w for t, w in zip(sure, wrong, strict=True) if t >= s]) for s in sure]
    assert aurc(curve) == pytest.approx(float(np.mean(risks)), abs=1e-12)
    best = sum(max(k - (n - errors), 0) / k for k in range(1, n + 1)) / n
    assert excess_aurc(curve) == pytest.approx(aurc(curve) - best, abs=1e-9)
    assert excess_aurc(curve) >= 0
    share = errors / n
    separated = float(roc_auc(confidence(table_of(cases)))) if 0 < errors < n else 0.5
    traub = (1 - separated) * share * (1 - share) + share**2 / 2
    assert augrc(curve) == pytest.approx(traub, abs=1e-12)


def test_no_cases_have_no_areas() -> None:
    curve = reject_curve(ScoreTable.of([], []))
    assert all(math.isnan(area(curve)) for area in (aurc, excess_aurc))


def test_scores_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(OptionError, match=r"from -1 to 3; needed: probabilities, .*calibrate them first"):
        reject_curve(ScoreTable.of([-1.0, 3.0], [False, True]))


@given(scores=many_classes())
def test_margins_by_brute_force(scores: ClassScores) -> None:
    margins = [
        row[truth] - max(p for k, p in enumerate(row) if k != truth)
        for row, truth in zip(scores.probability.tolist(), scores.truth, strict=True)
    ]
    curve = margin_curve(scores)
    assert curve.margin.tolist() == sorted(set(margins))
    assert curve.cumulative.tolist() == [sum(m <= at for m in margins) for at in curve.margin]


@given(cases=rows)
def test_two_classes_have_the_margins_of_their_two_columns(cases: list[tuple[float, bool]]) -> None:
    both = ClassScores.of([[1 - p, p] for p, _ in cases], [int(positive) for _, positive in cases], "01")
    one, other = margin_curve(table_of(cases)), margin_curve(both)
    np.testing.assert_allclose(one.margin, other.margin, atol=1e-15)
    np.testing.assert_array_equal(one.cases, other.cases)
