"""The tests of calibration: their statistics, what they leave out, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from tests.laws.samples import tables

from assay.calibration import (
    brier_test,
    calibration_in_the_large_test,
    cut_at,
    equal_size,
    equal_width,
    hosmer_lemeshow,
)
from assay.evidence import ScoreTable
from assay.measures import brier


def sampled(seed: int, n: int = 200, **design: np.ndarray) -> ScoreTable:
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return ScoreTable.of(p, rng.random(n) < p, **design)  # type: ignore[arg-type]


@given(tables)
def test_spiegelhalters_z_is_the_brier_score_less_its_expectation(table: ScoreTable) -> None:
    found = brier_test(table)
    p, each = table.score, table.negative + table.positive
    assert found.brier == pytest.approx(float(brier(table)), abs=1e-12)
    spread = math.sqrt(float(each @ ((1 - 2 * p) ** 2 * p * (1 - p))))
    if spread == 0:
        assert found.test.undefined is not None
    else:
        wanted = float(table.total) * (found.brier - found.expected) / spread
        assert found.test.statistic == pytest.approx(wanted, abs=1e-9)


def test_what_was_certain_and_did_not_happen_is_counted() -> None:
    found = brier_test(ScoreTable.of([0.0, 0.0, 1.0, 0.3], [0, 1, 0, 1]))
    assert found.contradicted == 2
    assert brier_test(ScoreTable.of([0.0, 1.0, 0.3], [0, 1, 1])).contradicted == 0
    assert math.isnan(brier_test(ScoreTable.of([0.0, 1.0], [1, 0])).test.p_value)


def test_the_z_in_the_large_by_hand() -> None:
    found = calibration_in_the_large_test(ScoreTable.of([0.2, 0.5, 0.5], [1, 1, 0]))
    assert found.statistic == pytest.approx((2 - 1.2) / math.sqrt(0.16 + 0.25 + 0.25))
    certain = calibration_in_the_large_test(ScoreTable.of([0.0, 1.0], [0, 1]))
    assert certain.undefined == "every probability is 0 or 1"


def test_hosmer_lemeshow_by_hand() -> None:
    table = ScoreTable.of([0.1] * 50 + [0.6] * 50, [1] * 8 + [0] * 42 + [1] * 25 + [0] * 25)
    found = hosmer_lemeshow(cut_at(table, [0.5]))
    assert found.test.statistic == pytest.approx((8 - 5) ** 2 / 4.5 + (25 - 30) ** 2 / 12)
    assert found.freedom == 2
    assert not any("fewer than 5" in caution for caution in found.cautions)


def test_groups_without_spread_are_left_out_by_name() -> None:
    table = ScoreTable.of([0.0] * 20 + [0.3] * 20 + [1.0] * 20, [1] * 2 + [0] * 18 + [1] * 6 + [0] * 14 + [1] * 20)
    found = hosmer_lemeshow(equal_width(table, 10, closed="left"))
    assert found.freedom == 1
    assert found.test.statistic == pytest.approx(0, abs=1e-12)
    assert any("group 1 is left out" in c and "yet 2 cases had the other label" in c for c in found.cautions)
    assert any(c.startswith("group 10 is left out") and "otherwise" not in c for c in found.cautions)
    assert any("10 groups asked, 3 made" in c for c in found.cautions)


def test_extreme_outputs_are_said() -> None:
    middle = ScoreTable.of(np.linspace(0.2, 0.8, 400), np.arange(400) % 2)
    assert hosmer_lemeshow(equal_size(middle, 10)).cautions == ()
    extreme = ScoreTable.of(np.linspace(0.01, 0.8, 200), np.arange(200) % 2)
    assert any("below 0.1" in caution for caution in hosmer_lemeshow(equal_size(extreme, 10)).cautions)


def test_fitted_cases_cost_two_degrees_and_need_three_groups() -> None:
    groups = equal_size(sampled(1), 10)
    assert hosmer_lemeshow(groups, fitted=True).freedom == hosmer_lemeshow(groups).freedom - 2 == 8
    two = hosmer_lemeshow(equal_size(sampled(1), 2), fitted=True)
    assert math.isnan(two.test.p_value)
    assert "no degree of freedom" in str(two.test.undefined)


def test_counts_only_where_only_counts_will_do() -> None:
    weighted, clustered = sampled(2, weight=np.linspace(1, 3, 200)), sampled(2, cluster=np.arange(200) // 4)
    for table, alternative in ((weighted, "brier_test()"), (clustered, "cox()")):
        found = hosmer_lemeshow(equal_size(table, 5)).test
        assert math.isnan(found.p_value)
        assert alternative in str(found.undefined)
    assert math.isnan(brier_test(clustered).test.p_value)
    assert math.isnan(calibration_in_the_large_test(clustered).p_value)


def test_weights_make_the_tests_less_sure() -> None:
    """Twice the weight for some is not twice the cases: the same departure is a smaller z than with counts."""
    rng = np.random.default_rng(5)
    p, times = rng.random(300), rng.integers(1, 5, 300).astype(float)
    happened = rng.random(300) < p * 0.8
    weighted, counted = ScoreTable.of(p, happened, weight=times), ScoreTable.of(p, happened, count=times)
    assert abs(calibration_in_the_large_test(weighted).statistic) < abs(
        calibration_in_the_large_test(counted).statistic
    )
    unit = calibration_in_the_large_test(ScoreTable.of(p, happened, weight=7 * times))
    assert unit.statistic == pytest.approx(calibration_in_the_large_test(weighted).statistic)
