"""rms lrm and validate: a logistic model's own indices, and the same corrected for optimism by bootstrap samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import chdtrc, expit
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.evidence import ScoreTable
from assay.experiments.model_validation import (
    INDICES,
    ModelValidation,
    bootstrap_validation,
    indices_of,
)
from assay.measures import log_loss_skill, roc_auc
from assay.uncertainty.logistic import fit_logistic, log_likelihood

CASE = "rms_validate_a"
DATA = columns(CASE, "data.csv")
X, Y = np.column_stack([DATA[f"x{k}"] for k in range(1, 7)]), DATA["y"].astype(int)
# As many as rms draws: its tolerances are for two such runs.
SAMPLES = 2000
COLUMNS = {
    "index.orig": "apparent",
    "training": "training",
    "test": "test",
    "optimism": "optimism",
    "index.corrected": "corrected",
}


def logistic_fit(cases: Any, classes: Any) -> Callable[[Any], NDArray[np.float64]]:
    """Logistic regression without a penalty, as R fits it."""
    found = fit_logistic(np.column_stack([np.ones(len(cases)), cases]), 1.0 - classes, classes.astype(float))
    return lambda others: np.asarray(expit(np.column_stack([np.ones(len(others)), others]) @ found.coefficients))


def by_index(value: Any) -> Any:
    return {
        row: dict(zip(value["cols"], cells, strict=True))
        for row, cells in zip(value["rows"], value["values"], strict=True)
    }


LEAVES = leaves(CASE, {"validate_boot2000": by_index})
DESIGN = np.column_stack([np.ones(len(Y)), X])
MODEL = fit_logistic(DESIGN, 1.0 - Y, Y.astype(float))
P = logistic_fit(X, Y)(X)
OWN = indices_of(P, Y)
TABLE = ScoreTable.of(P, Y == 1)
LIKELIHOOD = log_likelihood(DESIGN @ MODEL.coefficients, np.ones(len(Y)), Y.astype(float))
SHARE = float(Y.mean())
NULL = len(Y) * (SHARE * math.log(SHARE) + (1 - SHARE) * math.log(1 - SHARE))
RATIO = 2 * (LIKELIHOOD - NULL)


@cache
def validated() -> ModelValidation:
    return bootstrap_validation(logistic_fit, X, Y, replicates=SAMPLES, seed=0)


def cell(row: str, column: str) -> float:
    found = validated().table().columns
    return float(found[COLUMNS[column]][found["in_rms"].index(row)])


def optimism(fact: str) -> float:
    of = {"r2_corrected": "nagelkerke_r2", "brier_corrected": "brier_score", "slope_corrected": "calibration_slope"}
    found = validated()
    plain = {
        "apparent": found.apparent["c_index"],
        "optimism": found.optimism["c_index"],
        "corrected": found.corrected["c_index"],
    }
    return plain[fact] if fact in plain else found.corrected[of[fact]]


OURS: dict[str, Ours] = {
    **{
        f"coef/{name}": Ours(partial(float, MODEL.coefficients[place]))
        for place, name in enumerate(["Intercept", *(f"x{k}" for k in range(1, 7))])
    },
    "stats/Obs": Ours(lambda: len(Y)),
    "stats/Model L.R.": Ours(lambda: RATIO),
    "stats/d.f.": Ours(lambda: X.shape[1]),
    "stats/P": Ours(lambda: float(chdtrc(X.shape[1], RATIO))),
    "stats/Brier": Ours(lambda: OWN["brier_score"]),
    "stats/g": Ours(lambda: OWN["g_index"]),
    "stats/gp": Ours(lambda: OWN["gp_index"]),
    "somers2_exact/C": Ours(lambda: float(roc_auc(TABLE)), ("roc_auc",)),
    "somers2_exact/Dxy": Ours(lambda: OWN["dxy"]),
    "somers2_exact/n": Ours(lambda: len(Y)),
    "somers2_exact/Missing": Ours(lambda: 0),
    "nagelkerke_r2": Ours(lambda: OWN["nagelkerke_r2"]),
    "nagelkerke_r2_of_probabilities/loglik": Ours(lambda: LIKELIHOOD),
    "nagelkerke_r2_of_probabilities/null_loglik": Ours(lambda: NULL),
    "nagelkerke_r2_of_probabilities/cox_snell": Ours(lambda: OWN["nagelkerke_r2"] * -math.expm1(2 * NULL / len(Y))),
    "nagelkerke_r2_of_probabilities/nagelkerke": Ours(lambda: OWN["nagelkerke_r2"]),
    "nagelkerke_r2_of_probabilities/mcfadden": Ours(lambda: float(log_loss_skill(TABLE)), ("log_loss_skill",)),
    "nagelkerke_r2_of_probabilities/tjur": Ours(lambda: float(P[Y == 1].mean() - P[Y == 0].mean())),
    "nagelkerke_r2_of_probabilities/efron": Ours(lambda: 1 - OWN["brier_score"] / (SHARE * (1 - SHARE))),
    **{
        leaf.path: Ours(partial(cell, *leaf.path.split("/")[1:]))
        for leaf in LEAVES
        if leaf.path.startswith("validate_boot2000/") and not leaf.path.endswith("/n")
    },
    **{
        leaf.path: Ours(partial(optimism, leaf.path.split("/")[1]))
        for leaf in LEAVES
        if leaf.path.startswith("auc_optimism_boot2000/")
    },
}
LEFT_OUT = {
    "stats_rank_binned/*": "lrm ranks predictions that it binned at 0.002; the exact figures are matched",
    "validate_boot2000/*/n": "how many samples were drawn, which is asked for",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_rms_validate(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


@pytest.mark.parametrize("row", [row for row in INDICES.values() if row not in ("C", "Emax")])
def test_what_needs_no_random_number_is_exact(row: str) -> None:
    theirs = next(leaf for leaf in LEAVES if leaf.path == f"validate_boot2000/{row}/index.orig")
    assert cell(row, "index.orig") == pytest.approx(theirs.expected, abs=1e-9)


def test_corrected_is_apparent_less_optimism() -> None:
    found = validated()
    for name in INDICES:
        sign = -1 if name == "largest_miscalibration" else 1
        assert found.corrected[name] == pytest.approx(found.apparent[name] - sign * found.optimism[name])
    assert found.replicates == SAMPLES
    assert found.failed == 0
