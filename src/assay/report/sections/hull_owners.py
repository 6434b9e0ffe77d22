"""Hull owners: which classifier is the cheapest one under which costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import groupby

from assay.curves import Hull, roc_hull
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections._compared import Compared
from assay.report.words import listed, number, shortened, threshold_words

__all__ = ["hull_owners"]

OPTIMISTIC = (
    "The hull was found on these very cases and so flatters its owners; a classifier that owns none of it is the best "
    "one for no costs here."
)


def hull_owners(compared: Compared) -> list[Block] | None:
    """For each stretch of the joint hull, who owns it, at which thresholds, and for which costs it is the cheapest."""
    models: Mapping[str, Evaluation] = compared.comparison.models
    of_two = {key: ev for key, ev in models.items() if isinstance(ev, TwoClassEvaluation)}
    found = {key: ev.matrix if ev.scores is None else ev.scores for key, ev in of_two.items()}
    evidence = {compared.names[key]: each for key, each in found.items() if each is not None}
    if len(evidence) < 2 or not all(all(ev.class_sizes.values()) for ev in models.values()):
        return None
    hull = roc_hull(evidence)
    stretches = _stretches(hull)
    grid = Grid(
        corner="Cheapest",
        columns=("Thresholds", "Miss costs, in false alarms", "False-positive rate", "Recall"),
        rows=tuple((Cell(shortened(owner, 24)), cells) for owner, cells in stretches),
        is_plain=True,
    )
    never = [f"{listed(map(shortened, hull.never_optimal))} is never cheapest."] if hull.never_optimal else []
    said = " ".join([f"At a prevalence of {number(hull.prevalence)}.", *never, OPTIMISTIC])
    return [Heading("Which is cheapest for which costs"), grid, Sentence(said)]


def _stretches(hull: Hull) -> list[tuple[str, tuple[Cell, ...]]]:
    """Neighbouring corners of one owner told as one, from dear misses to dear false alarms."""
    table = hull.table().columns
    corners = [i for i in reversed(range(len(hull))) if table["ratio_low"][i] < table["ratio_high"][i]]
    told: list[tuple[str, tuple[Cell, ...]]] = []
    for owner, group in groupby(corners, key=lambda i: " or ".join(one.classifier for one in hull.owners[i])):
        held = list(group)
        thresholds = [hull.owners[i][0].threshold for i in held]
        ratios = table["ratio_low"][held[-1]], table["ratio_high"][held[0]]
        rates = [(float(hull.fpr[i]), float(hull.recall[i])) for i in (held[-1], held[0])]
        cells = (
            Cell(_thresholds(thresholds)),
            Cell(_span(*ratios)),
            Cell(_rates(rates[0][0], rates[1][0])),
            Cell(_rates(rates[0][1], rates[1][1])),
        )
        told.append((owner, cells))
    return told


def _thresholds(values: list[float]) -> str:
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return "-"
    low, high = threshold_words(min(finite)), threshold_words(max(finite))
    return low if low == high else f"{low} to {high}"


def _span(low: float, high: float) -> str:
    if math.isinf(high):
        return f"{low:.3g} or more"
    return f"{high:.3g} or less" if low == 0 else f"{low:.3g} to {high:.3g}"


def _rates(low: float, high: float) -> str:
    return number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"
