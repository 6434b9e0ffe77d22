"""Comparing by resampling: bootstrap replicates of the evidence's cells, posterior draws, and limits from either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.comparison.paired_influence import Rows
from assay.evidence import ConfusionMatrix, ScoreTable, cores, counted, draw_key, multiplicities
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure
from assay.request import checked_seed
from assay.types import Bools, Floats

# Cases times replicates worked through at once: about so many numbers stay near the processor.
AT_ONCE = 1 << 19
TIMES = 2_000
DRAWS, NUMBERS = 20_000, 2_000_000
# Every replicate may miss a class once in a while; if most do, there is nothing to resample.
MOST_REDRAWN = 10


@dataclass(frozen=True, eq=False)
class Placed:
    """Evidence, and which of its cells each row fell into: redrawing rows is counting cells again, without a sort.

    >>> table = ScoreTable.of([0.1, 0.4, 0.4], [False, False, True])
    >>> Placed.of_scores(table, np.array([0.1, 0.4, 0.4]), np.array([False, False, True])).cell.tolist()
    [0, 1, 3]
    """

    evidence: ScoreTable | ConfusionMatrix
    cell: NDArray[np.intp]

    @classmethod
    def of_scores(cls, table: ScoreTable, score: Floats, is_positive: Bools) -> Placed:
        """Rows in a score table: its negatives first, then its positives."""
        return cls(table, table.places(score) + is_positive * len(table))

    @classmethod
    def of_decisions(cls, matrix: ConfusionMatrix, truth: NDArray[Any], decision: NDArray[Any]) -> Placed:
        """Rows in a confusion matrix."""
        return cls(matrix, np.multiply(truth, matrix.counts.shape[-1], dtype=np.intp) + decision)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return 2 * len(self.evidence) if isinstance(self.evidence, ScoreTable) else self.evidence.counts.size

    def with_counts(self, counts: Floats) -> ScoreTable | ConfusionMatrix:
        """The same evidence with other counts in its cells, one set of them for each row of `counts`."""
        if isinstance(self.evidence, ScoreTable):
            negative, positive = np.split(counts, 2, axis=-1)
            # A replicate may leave the highest scores empty, where a precision would be 0 / 0; this makes it 0, and
            # is lost in any other sum.
            negative[..., -1] += np.finfo(np.float64).tiny
            return ScoreTable(self.evidence.score, negative, positive, self.evidence.classes)
        shape = (*counts.shape[:-1], *self.evidence.counts.shape)
        return ConfusionMatrix(counts.reshape(shape), self.evidence.classes, self.evidence.decisions)


@dataclass(frozen=True, eq=False)
class Replicates:
    """Values of measures (first axis) for classifiers (second) in every replicate (last), and how many were redrawn."""

    values: Floats
    redrawn: int


def bootstrap(
    classifiers: Sequence[Sequence[Placed]],
    measures: Sequence[Measure],
    rows: Rows,
    *,
    times: int = TIMES,
    seed: int = 0,
    stratified: bool = False,
) -> Replicates:
    """What measures would give if the same rows (or clusters) were drawn again and again, for all classifiers alike.

    `classifiers` holds, for each, the evidence every measure reads, in the order of the measures. A replicate in which
    a measure is undefined, as where a class is missing, is drawn anew and counted. `stratified` keeps the class sizes.
    """
    seed = checked_seed(seed)
    size = max(1, AT_ONCE // len(rows.is_positive))
    found: list[Floats] = []
    drawn, kept = 0, 0

    def some(numbers: range) -> Floats:
        values = _replicate_values(
            classifiers, measures, _draw_multiplicities(seed, rows, numbers, stratified=stratified), rows
        )
        return values[..., ~np.isnan(values).any((0, 1))]

    with ThreadPoolExecutor(cores()) as threads:
        while kept < times and drawn < MOST_REDRAWN * times:
            numbers = range(drawn, drawn + times - kept)
            parts = [numbers[first : first + size] for first in range(0, len(numbers), size)]
            # A replicate's draws depend on its number alone, so that it is the same whoever makes it.
            found += [some(parts[0])] if len(parts) == 1 else threads.map(some, parts)
            drawn, kept = drawn + len(numbers), sum(part.shape[-1] for part in found)
    return Replicates(np.concatenate(found, axis=-1), drawn - kept)


def _replicate_values(
    classifiers: Sequence[Sequence[Placed]], measures: Sequence[Measure], times: Floats, rows: Rows
) -> Floats:
    values = np.empty((len(measures), len(classifiers), len(times)))
    weighted = times if rows.weight is None and rows.count is None else times * (rows.each * rows.times)
    for k, evidence in enumerate(classifiers):
        batches: dict[int, Any] = {}
        for m, (measure, placed) in enumerate(zip(measures, evidence, strict=True)):
            if id(placed) not in batches:
                batches[id(placed)] = placed.with_counts(counted(placed.cell, weighted, placed.cells))
            values[m, k] = measure(batches[id(placed)])
    return values


def _draw_multiplicities(seed: int, rows: Rows, numbers: range, *, stratified: bool) -> Floats:
    """How many times each row is drawn, in each of the replicates with these numbers."""

    def drawn(size: int, stream: int = 0) -> Floats:
        return multiplicities(draw_key(seed, stream), numbers.start, len(numbers), size)

    if rows.cluster is not None:
        return drawn(rows.units)[:, rows.cluster]
    if not stratified:
        return drawn(len(rows.is_positive))
    times = np.empty((len(numbers), len(rows.is_positive)))
    for stream, side in enumerate((rows.is_positive, ~rows.is_positive), start=1):
        times[:, side] = drawn(int(np.count_nonzero(side)), stream)
    return times


def posterior_differences(paired: PairedDecisions, measures: Sequence[Measure], seed: int = 0) -> Floats:
    """Differences (first minus second) of measures under joint tables of cell probabilities the counts agree with.

    The prior spreads a total weight of two cases evenly over the cells, as for a single confusion matrix.

    >>> from assay.measures import accuracy
    >>> counts = np.array([[[40.0, 2], [1, 7]], [[3, 1], [6, 40]]])
    >>> paired = PairedDecisions(counts, ("no", "yes"), ("no", "yes"))
    >>> posterior_differences(paired, [accuracy]).mean().round(3).item()
    0.059
    """
    seed = checked_seed(seed)
    drawn = _posterior_draws(tuple(paired.counts.ravel().tolist()), seed).reshape(-1, *paired.counts.shape)
    cells = PairedDecisions(drawn, paired.classes, paired.decisions)
    first, second = cells.first, cells.second
    return np.stack([measure(first) - measure(second) for measure in measures])


@lru_cache(maxsize=4)
def _posterior_draws(cells: tuple[float, ...], seed: int) -> Floats:
    """Kept, because every measure of two classifiers reads the same draws."""
    times = max(2_000, min(DRAWS, NUMBERS // len(cells)))
    shape = np.asarray(cells) + 2.0 / len(cells)
    drawn: Floats = np.random.default_rng(seed).standard_gamma(shape, size=(times, len(cells)))
    drawn.flags.writeable = False
    return drawn


def percentile_p(replicates: Floats, value: float) -> float:
    """The p-value that belongs to percentile limits (widened to hold the value): `inverted_p` of them, at once.

    >>> values = np.linspace(-0.2, 1.8, 1999)
    >>> round(percentile_p(values, 0.8), 3)
    0.201
    """
    if value == 0:
        return 1.0
    towards = replicates if value > 0 else -replicates
    beyond = towards <= 0
    rank, count = int(np.count_nonzero(beyond)), len(replicates)
    if rank in (0, count):
        return 1.0 if rank else 2 / (count + 1)
    last, first = float(towards[beyond].max()), float(towards[~beyond].min())
    at, after = (float(ndtri(k / (count + 1))) for k in (rank, rank + 1))
    return min(1.0, 2 * float(ndtr(at - last / (first - last) * (after - at))))


def inverted_p(limits_at: Callable[[float], tuple[float, float]], replicates: int) -> float:
    """The p-value that belongs to an interval: 1 minus the level at which it just reaches 0.

    >>> values = np.linspace(-0.2, 1.8, 1999)
    >>> from assay.uncertainty import percentile_limits
    >>> round(inverted_p(lambda level: percentile_limits(values, 0.8, level), 1999), 3)
    0.201
    """

    def holds_zero(p: float) -> bool:
        low, high = limits_at(1 - p)
        return low <= 0 <= high

    smallest = 2 / (replicates + 1)
    if not holds_zero(smallest):
        return smallest
    inside, outside = smallest, 1.0
    if holds_zero(1 - 1e-9):
        return 1.0
    for _ in range(25):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds_zero(middle) else (inside, middle)
    return outside
