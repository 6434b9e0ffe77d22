"""dcurves: net benefit of three models, of acting on everyone and on no one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import Column, Leaf, Ours, check, check_lists, leaves, scores

from assay.curves import DecisionCurve, decision_curve

CASE = "decision_curve"
MODELS = ("score_lr", "score_nb", "score_tree")
LABELS = ("Treat All", "Treat None", *MODELS)
THRESHOLDS = np.array([0.01, 0.05, *(k / 10 for k in range(1, 10)), 0.95, 0.99])


def by_label(frame: dict[str, list[Any]]) -> dict[str, dict[str, list[Any]]]:
    return {
        label: {
            name: [value for value, of in zip(values, frame["label"], strict=True) if of == label]
            for name, values in frame.items()
            if name != "label"
        }
        for label in LABELS
    }


LEAVES = leaves(CASE, {"dca": by_label})


def curve_of(label: str) -> DecisionCurve:
    return decision_curve(scores(CASE, label if label in MODELS else "score_lr"), THRESHOLDS)


def net_benefit(label: str) -> Column:
    curve = curve_of(label)
    fixed = {"Treat All": curve.act_on_all, "Treat None": np.zeros(len(THRESHOLDS))}
    return fixed.get(label, curve.net_benefit)


def rows(label: str) -> dict[str, Ours]:
    """What dcurves prints beside each label, from ours."""
    curve, many = curve_of(label), len(THRESHOLDS)
    found = {
        "net_benefit": Ours(net_benefit(label).tolist),
        "threshold": Ours(THRESHOLDS.tolist),
        "n": Ours(lambda: [float(scores(CASE, "score_lr").total)] * many),
        "pos_rate": Ours(lambda: [curve.prevalence] * many),
    }
    if label in MODELS:
        found |= {"tp_rate": Ours(curve.acted_rightly.tolist), "fp_rate": Ours(curve.acted_needlessly.tolist)}
    return found


OURS = {f"dca/{label}/{name}": ours for label in LABELS for name, ours in rows(label).items()}
LEFT_OUT = {"dca/Treat *p_rate": "acting on everyone or no one: the prevalence, the rest, or nothing"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_decision_curve(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
