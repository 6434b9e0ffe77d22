"""hmeasure's recall at a specificity of .95 and back; dcurves' net benefit under its band."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import columns, expected, scores

from assay.curves.roc_bands import net_benefit_band, sensitivity_at, specificity_at
from assay.evidence import ScoreTable

HMEASURE, DCA = "hmeasure_synthetic_breastcancer", "decision_curve"
TABLES = {
    "syn_a": ("predictions.csv", "score_a"),
    "bc_lr": ("breast_cancer.csv", "score_lr"),
    "bc_nb": ("breast_cancer.csv", "score_nb"),
}
# Here the point lies inside a block of ties. hmeasure gives each end of the block the other's weight.
TIED = {"syn_b": ("predictions.csv", "score_b"), "bc_tree": ("breast_cancer.csv", "score_tree")}


def table_of(file: str, column: str) -> ScoreTable:
    data = columns(HMEASURE, file)
    return ScoreTable.of(data[column], data["y_true"] == 1)


def theirs(name: str) -> dict[str, Any]:
    return next(result["value"] for result in expected(HMEASURE)["results"] if result["id"] == name)


@pytest.mark.parametrize("name", TABLES)
def test_hmeasure(name: str) -> None:
    table, figures = table_of(*TABLES[name]), theirs(name)
    for found, figure in (
        (sensitivity_at(table, 0.95), figures["Sens.Spec95"]),
        (specificity_at(table, 0.95), figures["Spec.Sens95"]),
    ):
        assert found.value == pytest.approx(figure, abs=1e-9)
        assert found.low < figure < found.high


@pytest.mark.parametrize("name", TIED)
def test_hmeasure_exchanges_the_weights_inside_a_block_of_ties(name: str) -> None:
    table, figures = table_of(*TIED[name]), theirs(name)
    found, ends = sensitivity_at(table, 0.95).value, block_around(table, 0.05)
    assert ends[0] < found < ends[1]
    assert sum(ends) - found == pytest.approx(figures["Sens.Spec95"], abs=1e-9)


def block_around(table: ScoreTable, rate: float) -> tuple[float, float]:
    """The recall before and after the block of ties in which a false-positive rate is reached."""
    negative, positive = (np.cumsum(side[::-1]) / side.sum() for side in (table.negative, table.positive))
    after = int(np.searchsorted(negative, rate))
    return float(positive[after - 1]), float(positive[after])


@pytest.mark.parametrize("model", ["score_lr", "score_nb", "score_tree"])
def test_dcurves(model: str) -> None:
    frame = expected(DCA)["results"][0]["value"]
    rows = [i for i, label in enumerate(frame["label"]) if label == model]
    assert len(rows) == 13
    thresholds, benefit = (np.array([frame[name][i] for i in rows]) for name in ("threshold", "net_benefit"))
    band = net_benefit_band(scores(DCA, model), at=thresholds)
    assert band.y == pytest.approx(benefit, abs=1e-9)
    assert ((band.low <= benefit) & (benefit <= band.high)).all()
