"""What choosing on the same cases does: how much too good the chosen threshold looks, and how far it may move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions._cuts import Task, ends, threshold_of, values_at
from assay.evidence import ScoreTable
from assay.types import Floats
from assay.uncertainty.resampling import in_cells, replicates

__all__ = ["Optimism", "optimism_of", "why_not"]

# Near a smooth optimum the noise of n cases lifts the best value by an amount that goes with noise to the power 4/3.
# A bootstrap sample has the noise of its own drawing on top of that of the cases: twice the variance, so 2^(2/3) times
# the lift, of which half is its own. It shows 2^(-1/3) of what is wanted (by the limits of Kim & Pollard 1990).
SHOWN_BY_BOOTSTRAP = 2 ** (-1 / 3)


@dataclass(frozen=True)
class Optimism:
    """From bootstrap samples in each of which the threshold was chosen anew.

    `mean` is how much better, on average, the chosen threshold looks on the cases it was chosen on than it is: what it
    gains on a sample over the cases the sample was drawn from, times 1.26, because resampling shows that much less.
    `thresholds` are the chosen ones, `error` the standard error of the criterion at the threshold chosen here,
    `dropped` the samples in which no threshold meets the demands, `bin_error` the largest share of a class whose scores
    were not told apart.
    """

    mean: float
    thresholds: Floats
    error: float
    dropped: int
    bin_error: float


def optimism_of(table: ScoreTable, task: Task, chosen: float, draws: int, seed: int) -> Optimism:
    """Choose anew in each of `draws` bootstrap samples of the table's cells, and see what it is worth on the table.

    References: Efron (1983); Kim & Pollard (1990).
    """
    cells, bin_error = in_cells(table)
    upper, lower = ends(cells)
    own = cells.swept()
    excess, thresholds, here = [], [], []
    for batch in replicates(table, draws, seed, stratified=task.criterion.is_of_each_class):
        first, last, value = task.best(batch)
        found = np.isfinite(value)
        gain = task.criterion.sign * (value - values_at(task.criterion, own, first))
        excess.append(gain[found & np.isfinite(gain)])
        thresholds += [threshold_of(run) for run in zip(lower[last[found]], upper[first[found]], strict=True)]
        here.append(np.asarray(task.criterion.measure(batch.at(chosen))))
    gains, values = np.concatenate(excess), np.concatenate(here)
    values = values[np.isfinite(values)]
    mean = float(gains.mean()) / SHOWN_BY_BOOTSTRAP if len(gains) else float("nan")
    error = float(values.std()) if len(values) else float("nan")
    return Optimism(mean, np.array(thresholds), error, draws - len(thresholds), bin_error)


def why_not(table: ScoreTable) -> str | None:
    """Why there are no bootstrap samples of a table, or None."""
    if table.is_weighted:
        return (
            "cases have weights, and the bootstrap draws whole cases; choose on one half of them, evaluate on the other"
        )
    if table.rows is not None:
        return (
            "cases come in clusters, and the bootstrap draws single ones; choose on some clusters, evaluate on others"
        )
    return None
