"""At what settings of the controls the parts of a page were computed, where its script cannot recompute them.

A part that depends on a control names it. Once that control moves, the part shows a note with the value that it was
computed at, and steps back. `frontend/src/computed.ts` holds the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from assay.evidence import ConfusionMatrix
from assay.report.live import Moved, Moving, ratio_words
from assay.report.said import plain, said
from assay.report.words import listed, percent, threshold_words

__all__ = ["FIGURES", "PARTS", "RECOMPUTED", "computed_at", "depends_on", "thresholds_words"]

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
        "cost": "ratio prevalence",
        **dict.fromkeys(
            ("pr", "gain", "lift", "net_benefit", "reject", "calibration", "murphy", "cheapest", "cost_weights"),
            "prevalence",
        ),
    }
)
# Measures that look at each class by itself, and so do not depend on the prevalence.
OF_EACH_CLASS = (
    *("roc_auc", "gini", "partial_auc", "recall", "specificity", "fpr", "fnr", "balanced_accuracy"),
    *("averaged_class_error", "g_mean", "informedness", "likelihood_ratio_positive", "likelihood_ratio_negative"),
    "diagnostic_odds_ratio",
)

# Measures whose differences a page's script recomputes.
RECOMPUTED = ("recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr")


def depends_on(measure: Any) -> str:
    """The controls that a measure depends on.

    >>> from assay.measures import find
    >>> [depends_on(find(name)) for name in ("roc_auc", "brier", "accuracy", "recall")]
    ['', 'prevalence', 'threshold prevalence', 'threshold']
    """
    controls = {
        "threshold": measure.needs is ConfusionMatrix,
        "prevalence": measure.name not in OF_EACH_CLASS,
    }
    return " ".join(name for name, is_one in controls.items() if is_one)


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
    values = []
    if "threshold" in controls and [one.at for one in moved] != used:
        values.append(plain(said("computed.threshold", threshold=thresholds_words(models, used))))
    if "prevalence" in controls and moved[0].prevalence is not None:
        values.append(plain(said("computed.prevalence", share=percent(first.share))))
    if "ratio" in controls and moved[0].ratio != RATIO:
        values.append(ratio_words(RATIO))
    if "level" in controls and levels[0] != levels[1]:
        values.append(plain(said("computed.level", level=f"{100 * levels[0]:g} %")))
    if "margin" in controls and margins[0] != margins[1]:
        values.append(plain(said("computed.margin", margin=f"{margins[0] or 0:g}")))
    return plain(said("computed.at", values=listed(values))) if values else ""
