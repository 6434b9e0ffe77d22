"""Threshold sweeps: exact points, degenerate tables, and the laws they obey."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.samples import degenerate_tables, rows, table_of
from tests.oracles.foreign import DATA

from assay.curves import (
    against_threshold,
    cumulative_gain,
    det,
    fp_fn,
    lift_curve,
    precision_at_recall,
    precision_recall,
    precision_recall_gain,
    roc,
    sweep,
)
from assay.curves.curve import Sweep
from assay.curves.threshold import against_rest
from assay.errors import OptionError
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures import precision, registry

KINDS = [roc, precision_recall, precision_recall_gain, det, fp_fn, cumulative_gain, lift_curve]
MATRIX_MEASURES = [name for name, measure in registry.items() if measure.needs is ConfusionMatrix]
TRANSFORMS: list[Callable[[float], float]] = [
    lambda s: s**3,
    lambda s: np.exp(5 * s) - 7,
    lambda s: np.arctan(9 * s - 4),
]
both = rows.filter(lambda cases: len({positive for _, positive in cases}) == 2)


def ids(kind: Sweep) -> str:
    return kind.name


@pytest.mark.parametrize("kind", KINDS, ids=ids)
@given(cases=both, transform=st.sampled_from(TRANSFORMS))
def test_only_the_order_of_scores_matters(
    kind: Sweep, cases: list[tuple[float, bool]], transform: Callable[[float], float]
) -> None:
    before = kind(table_of(cases))
    after = kind(table_of([(float(transform(score)), positive) for score, positive in cases]))
    np.testing.assert_array_equal(before.x, after.x)
    np.testing.assert_array_equal(before.y, after.y)


@pytest.mark.parametrize("kind", KINDS, ids=ids)
@given(first=both, second=both)
def test_the_curve_of_a_sum_is_that_of_all_cases(
    kind: Sweep, first: list[tuple[float, bool]], second: list[tuple[float, bool]]
) -> None:
    apart, together = kind(table_of(first) + table_of(second)), kind(table_of(first + second))
    np.testing.assert_array_equal(apart.x, together.x)
    np.testing.assert_array_equal(apart.y, together.y)
    np.testing.assert_array_equal(apart.counts, together.counts)


@pytest.mark.parametrize("name", MATRIX_MEASURES)
@given(cases=rows)
def test_a_curve_says_what_the_measure_says_at_each_threshold(name: str, cases: list[tuple[float, bool]]) -> None:
    table = table_of(cases)
    curve = against_threshold(name)(table)
    for threshold, value in zip(curve.threshold, curve.y, strict=True):
        np.testing.assert_allclose(value, registry[name](table.at(threshold)), rtol=1e-12)


@given(cases=both)
def test_any_measure_stands_on_either_axis(cases: list[tuple[float, bool]]) -> None:
    table = table_of(cases)
    one, other = sweep("npv", "kappa")(table), sweep("kappa", "npv")(table)
    np.testing.assert_array_equal(one.x, other.y)
    np.testing.assert_array_equal(one.y, other.x)


@pytest.mark.parametrize("kind", [*KINDS, against_threshold("f1"), sweep("precision", "mcc")], ids=ids)
@pytest.mark.parametrize("table", degenerate_tables(), ids=str)
def test_degenerate_tables_make_a_curve_or_say_there_is_none(kind: Sweep, table: ScoreTable) -> None:
    curve = kind(table)
    assert len(curve.table()) == len(curve) == len(table) + 1 - kind.starts_at_first_block
    if curve.is_defined:
        assert curve.svg().startswith("<svg")
    else:
        with pytest.raises(ValueError, match="no curve"):
            curve.svg()


def test_the_step_table_of_the_textbook() -> None:
    examples = json.loads((DATA / "seed_examples.json").read_text())["examples"]
    example = next(e for e in examples if e["id"] == "han_roc.table")
    found = roc(ScoreTable.of(example["inputs"]["score"], example["inputs"]["y"])).table().columns
    names = ("threshold", "TP", "FP", "TN", "FN", "recall", "fpr")
    printed = [list(row) for row in zip(*(found[name] for name in names), strict=True)][1:]
    np.testing.assert_allclose(printed, example["expected"], atol=example["tolerance"])


def test_precision_recall_starts_at_the_first_tie_block() -> None:
    table = ScoreTable.of([0.9, 0.9, 0.1], [True, False, True])
    curve = precision_recall(table)
    assert curve.threshold.tolist() == [0.9, 0.1]
    assert np.isfinite(curve.y).all()
    references = curve.drawing().traces[0]
    assert (references.name, references.y.tolist()) == ("prevalence", [pytest.approx(2 / 3)] * 2)


def test_a_constant_score_has_one_precision() -> None:
    curve = precision_recall(ScoreTable.of([0.5] * 4, [True, False, False, False]))
    assert (curve.x.tolist(), curve.y.tolist()) == ([1.0], [0.25])


@given(cases=both, recall=st.floats(0.01, 1.0))
def test_precision_at_a_recall_lies_between_its_neighbours(cases: list[tuple[float, bool]], recall: float) -> None:
    table = table_of(cases)
    curve = precision_recall(table)
    after = int(np.argmax(curve.x >= recall - 1e-12))
    found = float(precision_at_recall(table, recall))
    near = curve.y[max(after - 1, 0) : after + 1]
    assert near.min() - 1e-9 <= found <= near.max() + 1e-9


@given(cases=both)
def test_at_its_own_points_precision_is_that_of_the_first_threshold_that_reaches_them(
    cases: list[tuple[float, bool]],
) -> None:
    table = table_of(cases)
    curve = precision_recall(table)
    is_first = np.concatenate(([True], np.diff(curve.x) > 0)) & (curve.x > 0)
    np.testing.assert_allclose(precision_at_recall(table, curve.x[is_first]), curve.y[is_first], rtol=1e-9)


def test_inside_a_tie_block_precision_is_the_mean_over_its_orders_of_calling_in_proportion() -> None:
    table = ScoreTable.of([0.9] + [0.5] * 4, [True, True, True, False, False])
    # Half of the block's positives come with half of the block: 2 of 3 positives among 3 called.
    assert float(precision_at_recall(table, 2 / 3)) == pytest.approx(2 / 3)
    drawn = precision_recall(table).drawing().traces[-1]
    middle = int(np.argmin(np.abs(drawn.x - 2 / 3)))
    assert (drawn.x[middle], drawn.y[middle]) == pytest.approx((2 / 3, 2 / 3))


@pytest.mark.parametrize("recall", [-0.1, 1.1])
def test_no_recall_lies_outside_its_range(recall: float) -> None:
    with pytest.raises(OptionError, match=f"recall is {recall}; needed: a number from 0 to 1"):
        precision_at_recall(ScoreTable.of([0.1], [True]), recall)


def test_a_measure_of_all_thresholds_has_no_place_on_an_axis() -> None:
    with pytest.raises(ValueError, match="roc_auc is one number"):
        against_threshold("roc_auc")


def test_gain_is_the_published_transformation_and_straight_lines_are_exact() -> None:
    table = ScoreTable.of([0.9] + [0.5] * 4 + [0.1] * 5, [True, True, True, False, False, True] + [False] * 4)
    prevalence, curve, plain = 0.4, precision_recall_gain(table), precision_recall(table)
    for gained, share in ((curve.x, plain.x), (curve.y, plain.y)):
        np.testing.assert_allclose(gained, (share - prevalence) / ((1 - prevalence) * share))
    halfway = precision_at_recall(table, 0.5)
    gain = [(share - prevalence) / ((1 - prevalence) * share) for share in (0.5, float(halfway))]
    assert np.interp(gain[0], curve.x, curve.y) == pytest.approx(gain[1])


def test_each_class_of_many_has_a_curve() -> None:
    rng = np.random.default_rng(0)
    scores = ClassScores.of(rng.dirichlet(np.ones(3), 60), rng.integers(0, 3, 60), "abc")
    found = against_rest(precision_recall, scores)
    assert list(found) == ["a", "b", "c"]
    np.testing.assert_array_equal(found["b"].y, precision_recall(scores.against_rest(1)).y)


def test_weights_move_the_points() -> None:
    score, truth = [0.9, 0.6, 0.4, 0.2], [True, False, True, False]
    curve = roc(ScoreTable.of(score, truth, weight=np.array([3.0, 1.0, 1.0, 3.0])))
    assert curve.y.tolist() == [0, 0.75, 0.75, 1, 1]
    assert curve.x.tolist() == [0, 0, 0.25, 0.25, 1]


def test_a_batch_of_tables_is_swept_at_once() -> None:
    table = ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])
    batch = ScoreTable(table.score, np.stack([table.negative] * 2), np.stack([table.positive, 2 * table.positive]))
    found = precision_recall(batch)
    np.testing.assert_allclose(found.y[0], precision_recall(table).y)
    np.testing.assert_allclose(found.y[1], precision(batch.swept())[1, 1:])
