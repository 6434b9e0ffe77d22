"""Measures from labels of a sample: what they must equal where the answer is known, by enumeration and by loops."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from assay.evidence import ScoreTable
from assay.labelling import COMPARED, Calls, LabelledRows, estimated, sampled_difference
from assay.labelling.estimators import (
    ScoreEstimate,
    average_precision,
    brier,
    calibration_slope,
    log_loss,
    observed_over_expected,
    roc_auc,
    side_of,
    spread_of,
)
from assay.measures import registry
from assay.uncertainty import PROPORTION_METHODS

SCORES = {"roc_auc": roc_auc, "average_precision": average_precision, "brier": brier, "log_loss": log_loss}


def drawn(seed: int = 3, rows: int = 400, share: float = 0.3, **facts: Any) -> LabelledRows:
    """Rows of which some are labelled, all with the same chance; with share 1, all of them."""
    generator = np.random.default_rng(seed)
    score = generator.beta(0.6, 2, rows).round(2).clip(0.01, 0.99)
    label = np.where(generator.random(rows) < score, 1.0, 0.0)
    label[generator.random(rows) >= share] = np.nan
    return LabelledRows(label, np.full(rows, share), score, score >= 0.5, **facts)


def test_all_labels_give_what_labelled_rows_give() -> None:
    rows = drawn(share=1.0)
    assert rows.score is not None
    assert rows.called is not None
    table = ScoreTable.of(rows.score, rows.label == 1)
    for name, estimate in SCORES.items():
        assert estimate(rows).value == pytest.approx(float(registry[name](table)), abs=1e-12)
    matrix = Calls.of(rows).matrix
    assert matrix.counts == pytest.approx(table.at(0.5).counts)


def test_the_mean_over_all_samples_is_the_number_of_positives() -> None:
    """Every sample of 4 of the 6 called rows and of 3 of the 6 others, under a working model that is fixed."""
    generator = np.random.default_rng(8)
    truth, model = (generator.random(12) < 0.4).astype(float), generator.random(12)
    called = np.arange(12) < 6
    chances = np.where(called, 4 / 6, 3 / 6)
    totals = []
    for first, second in product(combinations(range(6), 4), combinations(range(6, 12), 3)):
        label = np.full(12, np.nan)
        label[[*first, *second]] = truth[[*first, *second]]
        rows = LabelledRows(label, chances, called=called, model=model)
        uncut = [
            model[side].sum() + (side.sum() / rows.weight[rows.drawn][side[rows.drawn]].sum())
            * (rows.weight[rows.drawn] * rows.residual)[side[rows.drawn]].sum()
            for side in (called, ~called)
        ]  # fmt: skip
        found = Calls.of(rows)
        assert [found.called.positives, found.rest.positives] == pytest.approx(np.clip(uncut, 0, 6))
        totals.append(sum(uncut))
    assert np.mean(totals) == pytest.approx(truth.sum(), abs=1e-12)


def test_a_constant_model_and_chance_give_wilson_of_a_finite_population() -> None:
    rows, labels, positives = 200, 50, 15
    label = np.full(rows, np.nan)
    label[:labels] = np.arange(labels) < positives
    sample = LabelledRows(label, np.full(rows, labels / rows), model=np.full(rows, 0.3))
    side = side_of(sample, np.ones(rows, bool))
    assert side.share == pytest.approx(0.3)
    cases = labels / (1 - labels / rows)
    assert side.cases == pytest.approx(cases * (labels - 1) / labels)
    low, high = PROPORTION_METHODS["Wilson"](0.3 * side.cases, side.cases, 0.95)
    assert side.limits(0.95) == pytest.approx((rows * low, rows * high))


@pytest.mark.parametrize("name", SCORES)
def test_slopes_are_derivatives_at_the_working_model(name: str) -> None:
    """With residuals of zero the masses are the model, so that a change of the model moves the value as slopes say."""
    rows = drawn(seed=5, rows=60, share=0.5)
    at = np.random.default_rng(1).uniform(0.1, 0.9, 60)

    def unlabelled(model: Any) -> ScoreEstimate:
        return SCORES[name](LabelledRows(np.full(60, np.nan), rows.inclusion, rows.score, model=model))

    with np.errstate(invalid="ignore", divide="ignore"):
        slopes = unlabelled(at).slopes
        for row in range(0, 60, 7):
            up, down = at.copy(), at.copy()
            up[row] += 1e-6
            down[row] -= 1e-6
            moved = (unlabelled(up).value - unlabelled(down).value) / 2e-6
            assert slopes[row] == pytest.approx(moved, rel=1e-5, abs=1e-9)


def test_average_precision_is_that_of_loops() -> None:
    rows = drawn(seed=6, rows=80, share=0.4)
    assert rows.score is not None
    total, mass = 0.0, rows.mass
    for i in range(80):
        above = rows.score >= rows.score[i]
        share, among = mass[above].sum() - mass[i], above.sum()
        total += mass[i] / among + mass[i] * share / among
    assert average_precision(rows).value == pytest.approx(total / mass.sum(), abs=1e-12)


def test_the_order_of_rows_changes_nothing() -> None:
    rows, order = drawn(), np.random.default_rng(2).permutation(400)
    assert rows.score is not None
    assert rows.called is not None
    other = LabelledRows(rows.label[order], rows.inclusion[order], rows.score[order], rows.called[order])
    for name in ("recall", "f1", "mcc", *SCORES):
        one, two = (estimated(each, registry[name], 0.95, "rows") for each in (rows, other))
        assert [one.value, one.low, one.high] == pytest.approx([two.value, two.low, two.high], abs=1e-9)


def test_the_level_is_held_where_no_miss_is_drawn() -> None:
    """Recall of 1 in the sample has a lower limit well below 1: unlabelled rows may hide misses."""
    rows = drawn()
    assert rows.called is not None
    label = np.where(~rows.called & ~np.isnan(rows.label), 0.0, rows.label)
    found = estimated(LabelledRows(label, rows.inclusion, rows.score, rows.called), registry["recall"], 0.95, "rows")
    assert found.low < 0.9 <= found.value
    assert found.high <= 1


def test_few_of_a_class_have_no_limits() -> None:
    rows = drawn(rows=200)
    assert rows.called is not None
    label = np.where(rows.label == 1, 0.0, rows.label)
    label[np.flatnonzero(~np.isnan(label))[:2]] = 1.0
    sample = LabelledRows(label, rows.inclusion, rows.score, rows.called)
    for name in ("recall", "roc_auc", "npv"):
        found = estimated(sample, registry[name], 0.95, "rows")
        assert np.isnan(found.low)
        assert "at least 3 of each class" in str(found.undefined)


def test_new_cases_have_wider_limits_than_these_rows() -> None:
    rows = drawn(rows=1000, share=0.5)
    for name in ("recall", "precision", "f1", "accuracy"):
        here, new = (estimated(rows, registry[name], 0.95, target) for target in ("rows", "new"))
        assert new.low < here.low <= here.value <= here.high < new.high
    assert np.isnan(estimated(rows, registry["roc_auc"], 0.95, "new").low)


def test_where_nothing_is_left_unlabelled_these_rows_are_known() -> None:
    rows = drawn(share=1.0)
    for name in ("recall", "brier"):
        found = estimated(rows, registry[name], 0.95, "rows")
        assert found.low == pytest.approx(found.value)
        assert found.high == pytest.approx(found.value)


def test_a_difference_is_that_of_all_labels() -> None:
    rows = drawn(share=1.0)
    assert rows.score is not None
    other = LabelledRows(rows.label, rows.inclusion, rows.score[::-1], rows.score[::-1] >= 0.5)
    for one in COMPARED:
        values = [estimated(each, one, 0.95, "rows").value for each in (rows, other)]
        found = sampled_difference(rows, other, one, 0.95)
        assert found.value == pytest.approx(values[0] - values[1], abs=1e-9)
        assert found.low == pytest.approx(found.high)


def test_equal_models_do_not_differ() -> None:
    rows = drawn()
    for one in COMPARED:
        found = sampled_difference(rows, LabelledRows(rows.label, rows.inclusion, rows.score, rows.called), one, 0.95)
        assert (found.value, found.p_value) == (0.0, 1.0)


def test_the_interval_and_the_p_value_are_of_one_test() -> None:
    rows = drawn(rows=2000)
    assert rows.score is not None
    noise = np.random.default_rng(4).normal(0, 0.15, 2000)
    score = (rows.score + noise).clip(0.01, 0.99)
    other = LabelledRows(rows.label, rows.inclusion, score, score >= 0.5)
    for one in COMPARED:
        p_value = sampled_difference(rows, other, one, 0.95).p_value
        found = sampled_difference(rows, other, one, 1 - p_value)
        assert min(abs(found.low), abs(found.high)) == pytest.approx(0, abs=1e-9)


def test_calibration_of_calibrated_scores_is_near_one() -> None:
    rows = drawn(seed=11, rows=20_000, share=0.2)
    assert observed_over_expected(rows).value == pytest.approx(1, abs=0.06)
    assert calibration_slope(rows).value == pytest.approx(1, abs=0.1)
    assert spread_of(rows, calibration_slope(rows).slopes).variance ** 0.5 < 0.05
