"""The first line of the page and the line above it: what was found, in what."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.evaluation import Evaluation
from assay.report.words import bracketed, count, model_names, number, percent, quoted, shortened
from assay.results import Estimate

__all__ = ["about", "verdict"]

# More models than this are counted, not named.
MOST_NAMED = 4


def verdict(models: Mapping[str, Evaluation]) -> str:
    """What was found, in one line, every word of it from the data."""
    if len(models) == 1:
        return _of_one(next(iter(models.values())))
    ev = next(iter(models.values()))
    areas = {key: _area(ev).value for key, ev in models.items()}
    defined = {key: area for key, area in areas.items() if not math.isnan(area)}
    if len(defined) < 2:
        return f"{len(models)} models on {count(ev.n)} cases"
    names = model_names(models)
    low, high = min(defined, key=lambda key: defined[key]), max(defined, key=lambda key: defined[key])
    return f"{_area_name(ev)} from {number(defined[low])} ({names[low]}) to {number(defined[high])} ({names[high]})"


def _of_one(ev: Evaluation) -> str:
    parts = []
    area = _area(ev)
    if not math.isnan(area.value):
        parts.append(f"{_area_name(ev)} {number(area.value)} {bracketed(area)}".strip())
    if ev.matrix is not None:
        right, constant = ev.estimate("accuracy").value, ev.baselines.value("majority", "accuracy")
        always = quoted(ev.baselines.majority_class, 16)
        parts.append(f"right {percent(right)} where always {always} is {percent(constant)}")
    words = "; ".join(parts) or f"{count(ev.n)} cases"
    return words[0].upper() + words[1:]


def _area(ev: Evaluation) -> Estimate:
    return ev.estimate("roc_auc" if ev.positive is not None else "hand_till")


def _area_name(ev: Evaluation) -> str:
    return "ROC AUC" if ev.positive is not None else "Hand-Till M"


def about(models: Mapping[str, Evaluation]) -> list[str]:
    """What was read: source, rows, positive class, hash."""
    ev = next(iter(models.values()))
    parts = [shortened(ev.source.name, 60), f"{count(ev.n)} cases"]
    if ev.positive is not None:
        share, size = ev.shares[ev.positive], ev.class_counts[ev.positive]
        weighted = " of the weight" if ev.is_weighted else ""
        parts.append(f"positive {quoted(ev.positive)} ({percent(share)}{weighted}, {count(size)} cases)")
    else:
        parts.append(f"{len(ev.classes):,} classes")
    names = [name for name in model_names(models).values() if name]
    parts.extend(names if len(names) <= MOST_NAMED else [f"{len(names)} models"])
    if ev.source.sha256 is not None:
        parts.append(f"sha256 {ev.source.sha256[:8]}…")
    return parts
