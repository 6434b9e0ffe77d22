"""The breast-cancer and wine predictions that several cases share, as users would evaluate them."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.oracles.foreign import Ours, columns

import assay

CASES = {"lr": "score_lr", "nb": "score_nb", "tree": "score_tree"}


@cache
def two(case: str, model: str) -> assay.TwoClassEvaluation:
    """One of the weak models of two classes."""
    data = columns(case)
    found = assay.evaluate(data["y_true"].astype(int), data[CASES[model]], positive=1)
    assert isinstance(found, assay.TwoClassEvaluation)
    return found


@cache
def many(case: str, model: str, file: str = "predictions.csv", *, rows: int | None = None) -> assay.ManyClassEvaluation:
    """One of the models of three classes: its labels (`pred_`) decide."""
    data = columns(case, file)
    proba = np.stack([data[f"{model}_{k}"] for k in range(3)], 1)[:rows]
    truth, pred = (data[name].astype(int)[:rows] for name in ("y_true", f"pred_{model}"))
    found = assay.evaluate(truth, y_proba=proba, y_pred=pred, classes=[0, 1, 2])
    assert isinstance(found, assay.ManyClassEvaluation)
    return found


def of(ev: assay.Evaluation, name: str) -> Ours:
    """A measure's value by its name."""
    return Ours(lambda: ev.estimate(name).value, (ev.find(name).name,))
