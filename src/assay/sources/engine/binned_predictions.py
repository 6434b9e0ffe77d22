"""What is known of predictions that were put together where they lie: the cells, and how closely they tell the AUC."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from assay.evidence import Binned, ClassSums, ConfusionMatrix, ModelSums, ScoreTable
from assay.evidence.score_table import ClusteredRows
from assay.sources.source_record import Source
from assay.types import Floats

__all__ = [
    "MOST_BITS",
    "MOST_CELLS",
    "Grouped",
    "Known",
    "Reduction",
    "first_bits",
    "how_closely",
    "known_of",
    "missing_bits",
    "width_of",
]

# A share of the standard error that nobody would see beside it.
NEGLIGIBLE = 0.01
# Bits of the finest grid, and cells of the largest table.
MOST_BITS, MOST_CELLS = 40, 6_000_000
# The AUC's standard error is about this, divided by the root of the smaller class, and so many cells of a halving of
# the distance to 0 or 1 hold as many scores as all of them would evenly: measured on scores of many shapes.
USUAL_ERROR, USUAL_HALVINGS = 0.3, 5.0


@dataclass(frozen=True, eq=False)
class Known:
    """Scores put together: the cells, how far the AUC of the rows may be from that of the cells, and its error.

    `cases` are how many negatives and positives there are, whatever they weigh.
    """

    binned: Binned
    # The score table of the cells, with what each cluster has in each, where rows depend on one another.
    table: ScoreTable
    width: float
    error: float
    cases: tuple[int, int]
    # Of one of many classes: what every true class weighs in cells as coarse as pairs of classes have them.
    by_truth: Floats | None = None


@dataclass(frozen=True, eq=False)
class Grouped:
    """One model's predictions, put together: how many cases each class has, whatever they weigh, and the cells.

    `scores` are of the positive class of two, or of each of many against the rest; none where there are labels alone.
    `matrix` is what was decided about the rows, by labels, by the highest of many scores, or by a threshold that was
    asked for and of which the cells do not tell.
    """

    cases: Mapping[str, int]
    scores: tuple[Known, ...] = ()
    matrix: ConfusionMatrix | None = None
    subgroups: Mapping[str, Grouped] = field(default_factory=dict)
    is_decided_by_labels: bool = False
    # What scores of many classes add up to beside the cells of each.
    sums: ClassSums | None = None

    @property
    def binned(self) -> Binned:
        """The cells of the first scores."""
        return self.scores[0].binned


@dataclass(frozen=True, eq=False)
class Reduction:
    """What is known of each model where rows stay where they lie, and where that is.

    `together` is what several models made of the same cases, where somebody asked for it.
    """

    models: Mapping[str, Grouped]
    source: Source
    by: str | None = None
    together: ModelSums | None = None


def _auc_bound_and_error(table: ScoreTable) -> tuple[float, float]:
    """How far the AUC of the rows may be from that of the cells on either side together, and its standard error."""
    _, of_positives, of_negatives = table.placement_sums
    pairs = float(table.positives) * float(table.negatives)
    if not pairs:
        return 0.0, math.nan
    if table.rows is None:
        return width_of(table), math.sqrt((of_positives + of_negatives) / pairs / pairs)
    # Clusters vary as wholes, so that the sum over each is squared.
    auc = float(table.pairs_in_order) / pairs
    lost = (table.positives_above / table.positives - auc) / table.negatives
    won = (table.negatives_below / table.negatives - auc) / table.positives
    return width_of(table), float(np.sqrt(np.square(sum(table.rows.sums(lost, won))).sum()))


def width_of(table: ScoreTable) -> float:
    """How wide the bounds of the AUC are: pairs in one cell could go either way, but where all have the same score."""
    reach = table.reach
    if reach is None or not float(table.positives) * float(table.negatives):
        return 0.0
    # Of millions of cells every pass over them counts. Sums of products of counts have no digits to lose.
    is_open = reach.low < reach.high
    return float((table.positive * is_open) @ table.negative / table.positives / table.negatives)


def first_bits(fewer: int, within: float | None) -> int:
    """How fine a grid to begin with, for so many cases of the smaller class."""
    goal = NEGLIGIBLE * USUAL_ERROR / math.sqrt(max(1, fewer)) if within is None else within
    return min(max(6, math.ceil(math.log2(1 / goal / USUAL_HALVINGS))), 20)


def missing_bits(found: Known, bits: int, within: float | None, most: int = MOST_CELLS) -> int:
    """By how many bits the grid has to be finer, for the AUC to be known as closely as it should; as far as it may."""
    goal = NEGLIGIBLE * found.error if within is None else within
    if not found.width > goal > 0:
        return 0
    held = len(found.binned) if found.table.rows is None else len(found.table.rows.cluster)
    room = int(math.log2(max(1.0, most / max(1, held))))
    return min(math.ceil(math.log2(found.width / goal)), MOST_BITS - bits, room)


def known_of(binned: Binned, cases: tuple[int, int], rows: ClusteredRows | None = None) -> Known:
    """What is known of scores in cells."""
    table = binned.table() if rows is None else replace(binned.table(), rows=rows)
    return Known(binned, table, *_auc_bound_and_error(table), cases)


def how_closely(model: Known) -> str:
    """Whether scores are exact, or how closely the AUC is known."""
    cells = f"{len(model.binned):,}"
    if (model.binned.least == model.binned.greatest).all():
        return f"exact: {cells} different scores"
    if model.table.knows_pairs:
        return f"scores counted in {cells} bins, after the ROC AUC and its error were computed exactly"
    share = f", {100 * model.width / model.error:.2g} % of its standard error" if model.error > 0 else ""
    return f"scores counted in {cells} cells: the ROC AUC is known to within {model.width:.2g}{share}"
