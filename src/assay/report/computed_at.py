"""At what settings of the controls the parts of a page were computed, where its script cannot recompute them.

A part that depends on a control names it. Once that control moves, the part shows a note with the value that it was
computed at, and steps back. `frontend/src/computed.ts` holds the same rules.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.report.blocks import Block, Picture
from assay.report.live import Moved, Moving, ratio_words
from assay.report.said import plain, said
from assay.report.words import listed, percent, threshold_words

__all__ = [
    "CONTROLS",
    "FIGURES",
    "PARTS",
    "RECOMPUTED",
    "computed_at",
    "controls_of_figure",
    "depends_on",
    "thresholds_words",
]

# In the order in which a note names them.
CONTROLS = ("threshold", "prevalence", "ratio", "level", "margin")
# How many false positives a false negative is worth on the page as written.
RATIO = 1.0
# Sections of a page of two classes that its script does not recompute, and the controls they depend on.
PARTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("who-was-right", "subgroups", "measures", "per-class"), "threshold prevalence"),
        **dict.fromkeys(("calibration-numbers", "thresholds", "risk-chart"), "prevalence"),
    }
)
# The same of the tables behind figures.
FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "cost": "prevalence ratio",
        **dict.fromkeys(
            ("pr", "gain", "lift", "net_benefit", "reject", "calibration", "murphy", "cheapest", "cost_weights"),
            "prevalence",
        ),
    }
)
# Two samples that differ in nothing but how common positives are.
MATRICES = [ConfusionMatrix(np.array([[30.0, 10.0], [20.0 * k, 40.0 * k]])) for k in (1, 2)]
TABLES = [
    ScoreTable.of(np.array([0.1, 0.4, 0.3, *k * [0.2, 0.8]]), np.array([False, False, False, *k * [True, True]]))
    for k in (1, 2)
]
# Measures whose differences a page's script recomputes.
RECOMPUTED = ("recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr")


@cache
def depends_on(measure: Measure) -> str:
    """The controls that a measure of two classes depends on.

    >>> from assay.measures import find
    >>> [depends_on(find(name)) for name in ("roc_auc", "brier", "accuracy", "recall")]
    ['', 'prevalence', 'threshold prevalence', 'threshold']
    """
    is_of_labels = measure.needs is ConfusionMatrix
    samples: list[Any] = MATRICES if is_of_labels else TABLES if measure.needs is ScoreTable else []
    values = [float(measure(sample)) for sample in samples]
    is_of_each_class = bool(values) and math.isclose(values[0], values[1], rel_tol=1e-9)
    return " ".join(["threshold"] * is_of_labels + ["prevalence"] * (not is_of_each_class))


def controls_of_figure(block: Block) -> str:
    """The controls that the table behind a figure depends on."""
    name = block.figure.name if isinstance(block, Picture) and block.figure is not None else ""
    return FIGURES.get(re.sub(r"-\d+$", "", name), "")


def thresholds_words(models: Mapping[str, Moving], at: Sequence[int | None]) -> str:
    """The thresholds of several models: one for all of them, or each with its model.

    `at` are places among the thresholds that the page holds; without one given labels decide.
    """
    found = [_threshold(model, place) for model, place in zip(models.values(), at, strict=True)]
    if len(set(found)) == 1:
        return found[0]
    return ", ".join(f"{words} ({name})" for name, words in zip(models, found, strict=True))


def _threshold(model: Moving, at: int | None) -> str:
    return "as decided" if at is None else threshold_words(float(model.threshold[at]))


def computed_at(
    models: Mapping[str, Moving],
    moved: Sequence[Moved],
    controls: str,
    *,
    levels: tuple[float, float] = (0.0, 0.0),
    margins: tuple[float | None, float | None] = (None, None),
) -> str:
    """The note of a part that depends on these controls; nothing where none of them has moved.

    Of `levels` and `margins` the first is that of the page as written, the second where the control stands.
    """
    first = next(iter(models.values()))
    used = [model.used for model in models.values()]
    values = {
        "threshold": [one.at for one in moved] != used
        and said("computed.threshold", threshold=thresholds_words(models, used)),
        "prevalence": moved[0].prevalence is not None and said("computed.prevalence", share=percent(first.share)),
        "ratio": moved[0].ratio != RATIO and said("computed.ratio", ratio=ratio_words(RATIO)),
        "level": levels[0] != levels[1] and said("computed.level", level=f"{100 * levels[0]:g} %"),
        "margin": margins[0] != margins[1] and said("computed.margin", margin=f"{margins[0] or 0:g}"),
    }
    found = [plain(words) for control in controls.split() if (words := values[control])]
    return plain(said("computed.at", values=listed(found))) if found else ""
