"""The committed tables meet their bars: a table with a row that misses must not be committed."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "verification"
TABLES = (
    "proportions",
    "matrices",
    "auc",
    "average_precision",
    "areas",
    "probabilities",
    "raters",
    "folds",
    "forecasts",
    "many_classes",
    "surface",
    "smooth_curves",
    "designs",
    "thresholds",
    "algorithms",
    "studies",
    "bands",
    "ranks",
    "label_tests",
    "calibration",
    "calibration_bands",
    "score_tests",
    "groups",
    "sites",
    "streams",
)


@pytest.mark.parametrize("name", TABLES)
def test_no_row_misses_its_bar(name: str) -> None:
    lines = (FOLDER / f"{name}.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| measure")]
    assert rows
    assert [line for line in rows if line.endswith("| MISS |")] == []
