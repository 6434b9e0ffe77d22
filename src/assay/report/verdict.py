"""The first line of the page and the line above it: what was found, in what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.comparison import judge
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.sections.calibration import can_be_calibrated, misfit_words
from assay.report.sections.verdicts import best_of_several
from assay.report.words import (
    bracketed,
    count,
    listed,
    model_names,
    number,
    percent,
    quoted,
    shortened,
    value_words,
)
from assay.results import Estimate

if TYPE_CHECKING:
    from assay.report.sections._compared import Compared

__all__ = ["about", "compared_verdict", "verdict"]

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
        parts.append(f"{_area_name(ev)} {value_words(area)} {bracketed(area)}".strip())
    if ev.matrix is not None:
        right, constant = ev.estimate("accuracy").value, ev.baselines.value("majority", "accuracy")
        always = quoted(ev.baselines.majority_class, 16)
        parts.append(f"right {percent(right)} where always {always} is {percent(constant)}")
    if can_be_calibrated(ev) and (misfit := misfit_words(ev, brief=True)):
        parts.append(misfit)
    words = "; ".join(parts) or f"{count(ev.n)} cases"
    return words[0].upper() + words[1:]


def compared_verdict(compared: Compared) -> str:
    """What a comparison found, in one line: the measure it is about, and measures that say otherwise."""
    names, measure = compared.names, compared.comparison.find(compared.measure)
    if len(names) > 2:
        return best_of_several(compared)
    (found,) = compared.verdicts
    first, second = (names[key] for key in (found.first, found.second))
    others: dict[str, list[str]] = {}
    for name in compared.shown[1:]:
        other, (difference, *_) = compared.comparison.find(name), compared.of(name)
        judged = judge(difference, other.title, other.better, margin=compared.margin)
        # What has no interval speaks for nobody, and not against anybody either.
        if judged.winner != found.winner and not math.isnan(difference.low):
            said = f"{names[judged.winner]} is better" if judged.winner else "they cannot be told apart"
            others.setdefault(said, []).append(other.title)
    if found.outcome == "practically the same":
        words = f"{first} and {second} are practically the same"
    elif found.winner is None:
        words = f"Cannot tell {first} and {second} apart"
    else:
        loser = second if found.winner == found.first else first
        words = f"{names[found.winner]} is {found.outcome.replace('better', f'better than {loser}', 1)}"
    return "; ".join([f"{words} by {measure.title}", *(f"{said} by {listed(t)}" for said, t in others.items())])


def _area(ev: Evaluation) -> Estimate:
    return ev.estimate("roc_auc" if isinstance(ev, TwoClassEvaluation) else "hand_till")


def _area_name(ev: Evaluation) -> str:
    return "ROC AUC" if isinstance(ev, TwoClassEvaluation) else "Hand-Till M"


def about(models: Mapping[str, Evaluation]) -> list[str]:
    """What was read: source, rows, positive class, hash."""
    ev = next(iter(models.values()))
    parts = [shortened(ev.source.name, 60), f"{count(ev.n)} cases"]
    if isinstance(ev, TwoClassEvaluation):
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
