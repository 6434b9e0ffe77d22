"""Hanley & McNeil: the table of 1983 entry by entry, the formula beside it, and the textbook's standard errors."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest
from tests.oracles.foreign import DATA
from tests.oracles.foreign import columns as case_columns

from assay.comparison import hanley_mcneil_difference, joint_auc
from assay.comparison.roc_areas import area_correlation, both_below, tabulated_correlation
from assay.uncertainty.delong import hanley_mcneil_variance

TABLE = json.loads((files("assay") / "data" / "hanley_mcneil_r.json").read_text())
ROWS = case_columns("proc_breastcancer_three_models")
TRUTH = ROWS["y_true"] == 1


def test_every_printed_entry_is_found_at_its_place() -> None:
    """540 entries; on the grid itself nothing is divided by zero."""
    assert len(TABLE["r"]) == 45
    for within, row in zip(TABLE["correlation"], TABLE["r"], strict=True):
        for area, r in zip(TABLE["area"], row, strict=True):
            assert tabulated_correlation(within, area) == pytest.approx(r, abs=1e-12)


def test_known_entries() -> None:
    """Copied from the paper's table by eye: its corners, and the entry that looks like a misprint."""
    corners = {(0.02, 0.7): 0.02, (0.02, 0.975): 0.01, (0.9, 0.7): 0.88, (0.86, 0.975): 0.75}
    for (within, area), r in corners.items():
        assert tabulated_correlation(within, area) == pytest.approx(r)


def test_between_entries_and_outside() -> None:
    corner = [tabulated_correlation(w, a) for w in (0.5, 0.52) for a in (0.8, 0.825)]
    assert tabulated_correlation(0.51, 0.8125) == pytest.approx(np.mean(corner))
    assert math.isnan(tabulated_correlation(0.01, 0.8))
    assert math.isnan(tabulated_correlation(0.5, 0.99))
    assert tabulated_correlation(0.5, 0.2) == tabulated_correlation(0.5, 0.8)


def test_the_formula_is_the_table_for_fifty_cases_of_either_class() -> None:
    found = np.array(
        [[area_correlation((a, a), (w, w), (50, 50)) for a in TABLE["area"]] for w in TABLE["correlation"]]
    )
    printed = np.array(TABLE["r"])
    assert np.count_nonzero(found.round(2) == printed) == 522
    assert np.abs(found - printed).max() < 0.0067
    assert found[42, 11] == pytest.approx(0.7558, abs=1e-4)  # printed .75


def test_two_normals_below_two_limits() -> None:
    from scipy.stats import multivariate_normal

    for h, k, rho in ((0.3, -1.1, 0.4), (0.0, 0.0, -0.5), (1.2, 0.0, 0.9), (-0.4, -0.4, 0.0), (2.0, 1.0, 0.25)):
        exact = multivariate_normal.cdf([h, k], cov=[[1, rho], [rho, 1]])
        assert float(both_below(h, k, rho)) == pytest.approx(exact, abs=1e-7)
    assert float(both_below(0.5, 1.0, 1.0)) == pytest.approx(float(both_below(0.5, 1.0, 0.9999999)), abs=1e-3)


@pytest.mark.parametrize("name", ["T7.2.hm_se", "han_roc.hm_se"])
def test_the_standard_errors_of_the_documents(name: str) -> None:
    examples = json.loads((DATA / "seed_examples.json").read_text())["examples"]
    example = next(one for one in examples if one["id"] == name)
    given = example["inputs"]
    error = hanley_mcneil_variance(given["auc"], given["n_pos"], given["n_neg"]) ** 0.5
    assert error == pytest.approx(example["expected"], abs=example["tolerance"])


def test_equation_7_26_without_the_stray_half() -> None:
    found = hanley_mcneil_difference(TRUTH, ROWS["score_lr"], ROWS["score_tree"], source="table")
    areas = [float(v) for v in joint_auc(TRUTH, {k: ROWS[f"score_{k}"] for k in ("lr", "tree")}).values]
    errors = [hanley_mcneil_variance(a, TRUTH.sum(), (~TRUTH).sum()) ** 0.5 for a in areas]
    within = [np.corrcoef(ROWS["score_lr"][side], ROWS["score_tree"][side])[0, 1] for side in (TRUTH, ~TRUTH)]
    r = tabulated_correlation(float(np.mean(within)), sum(areas) / 2)
    error = math.sqrt(errors[0] ** 2 + errors[1] ** 2 - 2 * r * errors[0] * errors[1])
    assert found.half_width == pytest.approx(1.959963984540054 * error)
    assert "from the table" in found.method


def test_ratings_take_kendalls_correlation_and_outside_the_table_the_formula() -> None:
    by_rank = hanley_mcneil_difference(TRUTH, ROWS["score_lr"], ROWS["score_nb"], correlation="kendall", source="table")
    assert "outside the table" in by_rank.method
    assert by_rank.value == pytest.approx(
        joint_auc(TRUTH, {"a": ROWS["score_lr"], "b": ROWS["score_nb"]}).difference(0, 1).value
    )


def test_identical_and_constant_scores() -> None:
    same = hanley_mcneil_difference(TRUTH, ROWS["score_lr"], ROWS["score_lr"])
    assert same.p_value == 1.0
    constant = hanley_mcneil_difference(TRUTH, ROWS["score_lr"], np.zeros(len(TRUTH)))
    assert "same score" in str(constant.undefined)
    assert math.isnan(constant.p_value)
