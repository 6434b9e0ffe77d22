"""Rattle's risk chart. Its own audit data ships under another licence, so the figures here are worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assay.curves import RiskChart, amounts_at_stake, risk_chart
from assay.evidence import ScoreTable

SCORE = [0.9, 0.7, 0.7, 0.7, 0.4, 0.4, 0.1, 0.1, 0.1, 0.1]
AUDITED = [1, 1, 0, 1, 1, 0, 0, 0, 0, 0]
# One adjustment is in the client's favour.
DOLLARS = [500.0, 200.0, 0.0, -100.0, 400.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def chart() -> RiskChart:
    return risk_chart(ScoreTable.of(SCORE, AUDITED), amounts_at_stake(SCORE, AUDITED, DOLLARS))


def test_the_table_is_rattles() -> None:
    """Its rows begin with everyone; caseload, recall, risk and strike rate are shares from each score up."""
    found = chart()
    assert found.threshold[::-1].tolist() == [0.1, 0.4, 0.7, 0.9, np.inf]
    np.testing.assert_allclose(found.caseload[::-1], [1, 0.6, 0.4, 0.1, 0])
    np.testing.assert_allclose(found.recall[::-1], [1, 1, 0.75, 0.25, 0])
    np.testing.assert_allclose(found.risk[::-1] if found.risk is not None else [], [1, 1, 0.6, 0.5, 0])
    np.testing.assert_allclose(found.precision[::-1], [0.4, 4 / 6, 0.75, 1, np.nan])
    # Rattle's "Measure": how far both run ahead of the caseload.
    np.testing.assert_allclose(found.lead[::-1], [0, 0.8, 0.55, 0.55, 0], atol=1e-15)


def test_the_areas_are_trapezoids_over_the_caseload() -> None:
    found = chart()
    assert found.recall_area == pytest.approx(0.1 * 0.125 + 0.3 * 0.5 + 0.2 * 0.875 + 0.4)
    assert found.risk_area == pytest.approx(0.1 * 0.25 + 0.3 * 0.55 + 0.2 * 0.8 + 0.4)
    assert found.recall_of_best == pytest.approx(2 * found.recall_area / (2 - 0.4))


def test_a_perfect_ranking_is_all_of_the_best() -> None:
    assert risk_chart(ScoreTable.of(AUDITED, AUDITED)).recall_of_best == pytest.approx(1.0)


def test_without_amounts_there_is_no_risk_axis() -> None:
    found = risk_chart(ScoreTable.of(SCORE, AUDITED))
    assert found.risk is None
    assert np.isnan(found.risk_area)
    assert "risk" not in found.table().columns
    np.testing.assert_allclose(found.lead, found.recall - found.caseload)


def test_amounts_add() -> None:
    parts = [amounts_at_stake(SCORE[i::2], AUDITED[i::2], DOLLARS[i::2]) for i in (0, 1)]
    assert parts[0] + parts[1] == amounts_at_stake(SCORE, AUDITED, DOLLARS)


def test_an_amount_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        amounts_at_stake([0.1], [True], [np.nan])
