"""PRROC 1.4 and precrec 0.14.4: the exactly interpolated area under precision-recall, and ROC areas beside it.

The figures are theirs (`pr.curve(...)$auc.integral`, `roc.curve(...)$auc`, `part(...)`); the data are those of the
cases named, which hold the same rows.
"""

from __future__ import annotations

import pytest
from tests.oracles.foreign import columns, scores

from assay.evidence import ScoreTable
from assay.measures import partial_auc_between, pr_area, roc_auc

WDBC, SYNTHETIC = "rocr_tied_scores", "hmisc_concordance"


@pytest.mark.parametrize(
    ("case", "column", "integral"),
    [
        (WDBC, "score_lr", 0.973092898582731),
        (WDBC, "score_nb", 0.9693520715027572),
        (WDBC, "score_tree", 0.8935576219049397),
        (SYNTHETIC, "score_a", 0.6911880451815658),
        (SYNTHETIC, "score_b", 0.668882846887106),
    ],
)
def test_the_area_is_the_exact_integral(case: str, column: str, integral: float) -> None:
    assert pr_area(scores(case, column)) == pytest.approx(integral, rel=1e-9)


def test_weighted_areas() -> None:
    data = columns(SYNTHETIC)
    table = ScoreTable.of(data["score_b"], data["y_true"] == 1, weight=data["weight"])
    assert pr_area(table) == pytest.approx(0.6794816155845375, rel=1e-9)
    assert roc_auc(table) == pytest.approx(0.7409693201442039, rel=1e-9)


def test_partial_roc_area_of_tied_scores() -> None:
    """precrec's own tolerance is a thousandth: it inserts points."""
    found = partial_auc_between(0, 0.25, standardised=False)(scores(WDBC, "score_tree"))
    assert found == pytest.approx(0.20020744146715308, abs=1e-6)
