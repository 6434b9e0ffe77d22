"""What choosing on the same cases does: how much too good the chosen threshold looks, and how far it may move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions._cuts import Task, ends, in_parts, thresholds_of
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.types import Floats
from assay.uncertainty.bootstrap import in_cells, replicates

# Near a smooth optimum the noise of n cases lifts the best value by an amount that goes with noise to the power 4/3.
# A bootstrap sample has the noise of its own drawing on top of that of the cases: twice the variance, so 2^(2/3) times
# the lift, of which half is its own. It shows 2^(-1/3) of what is wanted (by the limits of Kim & Pollard 1990).
SHOWN_BY_BOOTSTRAP = 2 ** (-1 / 3)


@dataclass(frozen=True)
class Optimism:
    """From bootstrap samples in each of which the threshold was chosen anew.

    `mean` is how much better, on average, the chosen threshold looks on the cases it was chosen on than it is: what it
    gains on a sample over the cases the sample was drawn from, times 1.26, because resampling shows that much less. The
    luck that the threshold chosen here has on the same sample is taken off: it is nothing on average, and most of the
    noise, so that 500 samples tell about as much as 2,000 would without.
    `thresholds` are the chosen ones, `error` the standard error of the criterion at the threshold chosen here,
    `dropped` the samples in which no threshold meets the demands, `bin_error` the largest share of a class whose scores
    were not told apart.
    """

    mean: float
    thresholds: Floats
    error: float
    dropped: int
    bin_error: float


def optimisms_of(table: ScoreTable, asked: Sequence[tuple[Task, float]], draws: int, seed: int) -> list[Optimism]:
    """Choose anew in each of `draws` bootstrap samples of the table's cells, and see what it is worth on the table.

    `asked` are tasks with the threshold chosen for each; tasks that take the same samples share them.

    References: Efron (1983); Kim & Pollard (1990).
    """
    cells, bin_error = in_cells(table)
    every = [_Anew(task, chosen, cells) for task, chosen in asked]
    for stratified in (True, False):
        alike = [one for one in every if one.task.criterion.is_of_each_class is stratified]
        for batch in replicates(table, draws, seed, stratified=stratified) if alike else ():
            for part in in_parts(batch):
                for one in alike:
                    one.choose(part)
    return [one.optimism(draws, bin_error) for one in every]


class _Anew:
    """What a task finds in one sample after the other."""

    def __init__(self, task: Task, chosen: float, cells: ScoreTable) -> None:
        self.task = task
        self._upper, self._lower = ends(cells)
        self._worth: Floats = np.asarray(task.criterion.measure(cells.swept()), dtype=np.float64)
        self._cut = len(cells) - int(np.searchsorted(cells.score, chosen))
        self._gains: list[Floats] = []
        self._thresholds: list[Floats] = []
        self._here: list[Floats] = []

    def choose(self, samples: ScoreTable) -> None:
        """Choose in each of some samples, and keep what the choice gains over its worth on the table."""
        first, last, value = self.task.best(samples)
        found, criterion = np.isfinite(value), self.task.criterion
        swept = samples.swept()
        here = np.asarray(criterion.measure(ConfusionMatrix(swept.counts[:, self._cut], swept.classes)))
        gain = criterion.sign * (value - self._worth[first] - (here - self._worth[self._cut]))
        self._gains.append(gain[found & np.isfinite(gain)])
        self._thresholds.append(thresholds_of(self._lower[last[found]], self._upper[first[found]]))
        self._here.append(here)

    def optimism(self, draws: int, bin_error: float) -> Optimism:
        """What all samples say together."""
        gains, thresholds, values = (np.concatenate(each) for each in (self._gains, self._thresholds, self._here))
        values = values[np.isfinite(values)]
        mean = float(gains.mean()) / SHOWN_BY_BOOTSTRAP if len(gains) else float("nan")
        error = float(values.std()) if len(values) else float("nan")
        return Optimism(mean, thresholds, error, draws - len(thresholds), bin_error)


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
