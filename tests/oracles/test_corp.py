"""The isotonic decomposition as R's isoreg gives it, lowess and its distances as val.prob does, and the thesis."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, check, columns, leaves

from assay.calibration import SmoothCurve, corp_parts, fit_tilt, isotonic_fit, smooth_curve
from assay.evidence import ScoreTable

CORP, RMS = "ece_corp_calibration", "rms_valprob_synthetic"


def table(case: str, file: str, column: str) -> ScoreTable:
    data = columns(case, file)
    return ScoreTable.of(data[column], data["y_true"] == 1)


def group_a() -> ScoreTable:
    with (DATA / RMS / "predictions.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["group"] == "A"]
    return ScoreTable.of([float(row["score_a"]) for row in rows], [row["y_true"] == "1" for row in rows])


MODELS = {
    "a": table(CORP, "predictions.csv", "score_a"),
    "b": table(CORP, "predictions.csv", "score_b"),
    "lr": table(CORP, "breast_cancer.csv", "score_lr"),
    "tree": table(CORP, "breast_cancer.csv", "score_tree"),
}
PARTS = {"brier": "mean", "MCB": "miscalibration", "DSC": "discrimination", "UNC": "uncertainty"}


def part(model: str, name: str) -> Ours:
    return Ours(lambda: float(getattr(corp_parts(MODELS[model]), name).value))


def levels(model: str) -> Ours:
    return Ours(lambda: len(isotonic_fit(MODELS[model])))


def first_fits() -> list[float]:
    scores = columns(CORP, "breast_cancer.csv")["score_tree"][:20]
    found: list[float] = isotonic_fit(MODELS["tree"])(scores).tolist()
    return found


CORP_OURS = {
    **{f"corp_{m}/{theirs}": part(m, ours) for m in MODELS for theirs, ours in PARTS.items()},
    **{f"corp_{m}/n_distinct_pav_levels": levels(m) for m in MODELS},
    "pav_tree_first20": Ours(first_fits),
}
CORP_LEFT_OUT = {
    "ece_*": "expected calibration error: matched in test_ece.py",
    "mce_calibratr_a": "known defect: the largest gap is multiplied by its bin's weight",
}

LOWESS: dict[str, SmoothCurve] = {
    name: smooth_curve(each, smoother="lowess")
    for name, each in {
        "a": table(RMS, "predictions.csv", "score_a"),
        "b": table(RMS, "predictions.csv", "score_b"),
        "a_group_A": group_a(),
    }.items()
}
DISTANCES = {"Emax": "emax", "E90": "e90", "Eavg": "ici"}


def distance(model: str, name: str) -> Ours:
    return Ours(lambda: float(getattr(LOWESS[model], name).value))


def lowess_at() -> list[float]:
    found: list[float] = np.interp([0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9], LOWESS["a"].score, LOWESS["a"].rate).tolist()
    return found


RMS_OURS = {
    **{f"{m}/{theirs}": distance(m, ours) for m in LOWESS for theirs, ours in DISTANCES.items()},
    "lowess_a_at": Ours(lowess_at),
}


@pytest.mark.parametrize("leaf", leaves(CORP), ids=lambda leaf: leaf.path)
def test_isoreg(leaf: Leaf) -> None:
    check(leaf, CORP_OURS, CORP_LEFT_OUT)


# The other figures of this case are matched in test_rms.py.
@pytest.mark.parametrize("leaf", [leaf for leaf in leaves(RMS) if leaf.path in RMS_OURS], ids=lambda leaf: leaf.path)
def test_lowess_of_val_prob(leaf: Leaf) -> None:
    check(leaf, RMS_OURS, {})


def test_every_distance_is_there() -> None:
    assert {leaf.path for leaf in leaves(RMS)} >= set(RMS_OURS)
    assert {leaf.path for leaf in leaves(CORP)} >= set(CORP_OURS)


def test_the_tilt_of_the_thesis() -> None:
    outcome = [0, 0, 0, 1, 0, 0, 1, 1, 1, 1]
    tilt = fit_tilt(ScoreTable.of([0.04, 0.21, 0.41, 0.46, 0.51, 0.59, 0.61, 0.75, 0.8, 0.92], outcome), groups=3)
    assert tilt.parameters["slope"] == pytest.approx(1.794872, abs=5e-7)
    assert tilt.parameters["intercept"] == pytest.approx(-0.458974, abs=5e-7)
