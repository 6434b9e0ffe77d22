"""riskRegression's contrasts of AUCs and Brier scores, the null model among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.comparison import Difference, brier_losses, joint_auc, paired_loss_test

CASE = "riskregression_score"
DATA = columns(CASE)
TRUTH = DATA["y_true"] == 1
JOINT = joint_auc(TRUTH, {"b": DATA["score_b"], "a": DATA["score_a"]}, distribution="normal")
FORECASTS = {
    "Null model": np.full(len(TRUTH), TRUTH.mean()),
    "a": DATA["score_a"],
    "b": DATA["score_b"],
}
Z = 1.959963984540054


def contrasts(frame: Any) -> Any:
    """One record for each contrast, as `model-reference`."""
    models, references = (x if isinstance(x, list) else [x] for x in (frame["model"], frame["reference"]))
    numbers = [name for name in frame if name not in ("model", "reference")]
    names = [f"{model}-{reference}" for model, reference in zip(models, references, strict=True)]
    return {name: {key: frame[key][i] for key in numbers} for i, name in enumerate(names)}


LEAVES = leaves(CASE, {"auc_contrasts": contrasts, "brier_contrasts": contrasts})


def record(path: str, delta: str, found: Difference) -> dict[str, Ours]:
    return {
        f"{path}/{delta}": Ours(lambda: found.value),
        f"{path}/se": Ours(lambda: found.half_width / Z),
        f"{path}/lower": Ours(lambda: found.low),
        f"{path}/upper": Ours(lambda: found.high),
        f"{path}/p": Ours(lambda: found.p_value),
    }


def brier(model: str, reference: str) -> dict[str, Ours]:
    losses = [brier_losses(FORECASTS[name], TRUTH) for name in (model, reference)]
    found = paired_loss_test(*losses, distribution="normal")
    return record(f"brier_contrasts/{model}-{reference}", "delta.Brier", found)


OURS = {
    **record("auc_contrasts/b-a", "delta.AUC", JOINT.difference(0, 1)),
    **brier("a", "Null model"),
    **brier("b", "Null model"),
    **brier("b", "a"),
}
LEFT_OUT = {
    "auc/*": "one classifier by itself: matched in test_synthetic.py",
    "brier/*": "one classifier by itself: matched in test_synthetic.py",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_contrasts(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
