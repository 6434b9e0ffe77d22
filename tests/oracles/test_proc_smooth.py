"""pROC's smooth: kernels, normal classes and a regression on normal deviates, on logits of weak models' scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

import assay
from assay.curves import SmoothRoc

CASE = "proc_smooth_bc_weak"
LEAVES = leaves(CASE)
THEIRS = {leaf.path: leaf.expected for leaf in LEAVES}
RATES = 1 - np.array([0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.1])
DATA = columns(CASE)


def evaluated(score: np.ndarray) -> assay.TwoClassEvaluation:
    found = assay.evaluate(DATA["y_true"].astype(int), score, positive=1)
    assert isinstance(found, assay.TwoClassEvaluation)
    return found


EV = {
    "lr": evaluated(logit(DATA["score_lr"])),
    "nb": evaluated(logit(np.clip(DATA["score_nb"], 1e-6, 1 - 1e-6))),
    "tree": evaluated(DATA["score_tree"]),
}
CURVES: dict[str, SmoothRoc] = {
    **{f"binormal_{model}": ev.curves.smooth("regression") for model, ev in EV.items()},
    "density_lr_default_bw": EV["lr"].curves.smooth(),
    "density_lr_bw0.3": EV["lr"].curves.smooth("kernel", bandwidth=0.3),
    "density_nb_default_bw": EV["nb"].curves.smooth(),
    "fitdistr_normal_lr": EV["lr"].curves.smooth("normal"),
    "fitdistr_normal_nb": EV["nb"].curves.smooth("normal"),
}
NORMAL = CURVES["fitdistr_normal_lr"].made_with
# Read off pROC's own 512 points, which are further apart than its tolerance here.
COARSE = ("binormal_lr/sensitivity", "fitdistr_normal_lr/auc", "fitdistr_normal_lr/sensitivity")


def limits() -> list[float]:
    found = CURVES["binormal_lr"].area("bootstrap")
    return [found.low, found.value, found.high]


def coefficient(model: str, name: str) -> Ours:
    return Ours(lambda: CURVES[f"binormal_{model}"].made_with[name])


OURS = {
    **{f"auc_empirical/{model}": Ours(lambda ev=ev: ev.roc_auc.value, ("roc_auc",)) for model, ev in EV.items()},  # type: ignore[misc]
    **{f"{name}/auc": Ours(lambda one=one: one.auc.value) for name, one in CURVES.items()},  # type: ignore[misc]
    **{f"{name}/sensitivity": Ours(lambda one=one: one.at(RATES).tolist()) for name, one in CURVES.items()},  # type: ignore[misc]
    **{f"binormal_{model}_coef/(Intercept)": coefficient(model, "intercept") for model in ("lr", "tree")},
    **{f"binormal_{model}_coef/se": coefficient(model, "slope") for model in ("lr", "tree")},
    **{
        f"binormal_{model}_exact_auc": Ours(lambda model=model: CURVES[f"binormal_{model}"].auc.value)  # type: ignore[misc]
        for model in ("lr", "tree")
    },
    "fitdistr_lr_params/controls/mean": Ours(lambda: NORMAL["negative_mean"]),
    "fitdistr_lr_params/controls/sd": Ours(lambda: NORMAL["negative_sd"]),
    "fitdistr_lr_params/cases/mean": Ours(lambda: NORMAL["positive_mean"]),
    "fitdistr_lr_params/cases/sd": Ours(lambda: NORMAL["positive_sd"]),
    "fitdistr_lr_params/exact_auc": Ours(lambda: CURVES["fitdistr_normal_lr"].auc.value),
    "ci_auc_smooth_binormal": Ours(limits),
    "roc_test_smooth_binormal.estimate": Ours(
        lambda: [CURVES[f"binormal_{model}"].auc.value for model in ("lr", "nb")]
    ),
}
OURS = {path: ours for path, ours in OURS.items() if path not in COARSE}
LEFT_OUT = {
    "*/specificity": "what was asked for",
    **dict.fromkeys(COARSE, "pROC reads it off a grid that is coarser than its tolerance: within 0.002, below"),
    "roc_test_smooth_binormal.[sp]*": "a test of two smoothed areas: cmp.difference compares the areas themselves",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_smooth(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


@pytest.mark.parametrize("path", COARSE)
def test_within_the_coarseness_of_their_grid(path: str) -> None:
    name, what = path.split("/")
    ours = CURVES[name].auc.value if what == "auc" else CURVES[name].at(RATES)
    np.testing.assert_allclose(ours, THEIRS[path], atol=0.002)
