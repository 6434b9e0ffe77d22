"""How good the winner is: the best of several settings looks better than it is on the cases it was chosen on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.renderers import in_notebook
from assay.request import checked_level, checked_seed
from assay.results import Estimate, Table, counted

METHOD = "BBC-CV"
REPLICATES = 1000
# Below this no interval was simulated.
FEWEST_CASES = 50
# Replicates gone through at once: the block of their counts stays small.
BLOCK = 250


@dataclass(frozen=True)
class Winner:
    """The setting with the lowest mean loss, what it seemed to lose, and what it is to be expected to lose.

    `apparent` is the figure it was chosen by, on `chosen_on` and as the best of so many `candidates`; `corrected` is
    free of the choice: made again on samples of the cases, or of cases that took no part in it. `optimism` is the gap.
    """

    name: str
    apparent: float
    corrected: Estimate
    candidates: int = 1
    chosen_on: str = "the cases tested"
    better: str = "lower"

    _repr_html_ = in_notebook

    @property
    def optimism(self) -> float:
        """By how much the winner looked better than it is to be expected."""
        gap = self.corrected.value - self.apparent
        return -gap if self.better == "higher" else gap


def winner(
    losses: ArrayLike, names: tuple[str, ...] = (), *, level: float = 0.95, seed: int = 0, name: str = "error_rate"
) -> Winner:
    """The best of several settings and its loss, corrected for having been chosen (BBC-CV, Tsamardinos et al. 2018).

    `losses[i, c]` is the loss of case i under setting c by a model that did not see it. The choice is made again on
    bootstrap samples of the cases, and each winner judged on the cases its sample left out; no model is fitted again.
    The limits are quantiles of those judgements.

    >>> noise = np.random.default_rng(3).integers(2, size=(60, 20)).astype(float)
    >>> found = winner(noise)
    >>> found.apparent, found.corrected
    (0.4, 0.529 [0.364, 0.700])
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    table = np.asarray(losses, dtype=np.float64)
    n, settings = table.shape
    called = names or tuple(str(k) for k in range(settings))
    best = int(table.mean(0).argmin())
    judged = _judged(table, np.random.default_rng(seed))
    value = float(judged.mean())
    low, high = (float(limit) for limit in np.quantile(judged, [0.5 - level / 2, 0.5 + level / 2]))
    limits, why = (min(low, value), max(high, value)), None
    if n < FEWEST_CASES:
        limits, why = (math.nan, math.nan), f"{counted(n, 'case')}: below {FEWEST_CASES} no interval was shown to hold"
    target = f"the winner of {settings} settings, chosen again from all cases"
    corrected = Estimate(name, value, *limits, level, METHOD, n, target, why)
    return Winner(called[best], float(table[:, best].mean()), corrected, settings)


def winners_table(winners: Mapping[str, Winner]) -> Table:
    """The winner on each data set: the error it was chosen by, and the one to expect of it."""
    found = list(winners.values())
    if any(one.corrected.method != METHOD for one in found):
        return _judged_apart(winners)
    columns: dict[str, list[str] | list[float]] = {
        "dataset": list(winners),
        "winner": [one.name for one in found],
        "apparent_error": [one.apparent for one in found],
        "corrected_error": [one.corrected.value for one in found],
        "low": [one.corrected.low for one in found],
        "high": [one.corrected.high for one in found],
        "optimism": [one.optimism for one in found],
        "estimates": [one.corrected.target for one in found],
        "no interval because": [one.corrected.undefined or "" for one in found],
    }
    return Table(columns, title=f"Winners, their error corrected for the choice ({METHOD})")


def _judged_apart(winners: Mapping[str, Winner]) -> Table:
    """Winners chosen on one part and judged on another."""
    found = list(winners.values())
    columns: dict[str, list[Any]] = {
        "dataset": list(winners),
        "winner": [one.name for one in found],
        "candidates": [one.candidates for one in found],
        "measure": [one.corrected.name for one in found],
        "validation": [one.apparent for one in found],
        "test": [one.corrected.value for one in found],
        "low": [one.corrected.low for one in found],
        "high": [one.corrected.high for one in found],
        "method": [one.corrected.method for one in found],
        "optimism": [one.optimism for one in found],
        "estimates": [one.corrected.target for one in found],
        "no interval because": [one.corrected.undefined or "" for one in found],
    }
    return Table(columns, title="Winners, chosen on the part to choose on and judged on the untouched test part")


def _judged(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The loss of each sample's winner on what the sample left out."""
    n = len(table)
    found = []
    for _ in range(0, REPLICATES, BLOCK):
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=BLOCK)
        out = drawn == 0
        best = (drawn @ table).argmin(1)
        losses = np.where(out, table[:, best].T, 0.0).sum(1)
        found.append(losses[out.any(1)] / out.sum(1)[out.any(1)])
    return np.concatenate(found)
