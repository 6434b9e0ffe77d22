"""One fixed model on cases: how often do the limits of an importance by permutation hold the true one?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.experiments.datasets import Dataset
from assay.experiments.model_description import METHOD, permutation_importances
from verification._coverage import generator
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """A model that is given beforehand decides cases of three columns, the first two of which are correlated. "all
cases" leans most on the first and hardly on the last; "few cases" looks at the first two in one case of fifty only. The
true importance is that on very many cases. n is the number of held-out cases, "positives" the number of shuffles.

The limits treat the mean as one over pairs of a case and a donor, and add two pseudo-cases, one that rises and one that
falls. Limits from the cases that receive a value alone held a rare column's importance in half of the samples only (50
cases); without the pseudo-cases 100 shuffles held it in three quarters (Brier score, 60 cases). The spread over
shuffles says nothing at all of other cases. With fewer than 30 cases the tool shows none."""

LEVEL = 0.95
REPLICATES, TRUE_CASES = 200, 100_000
LOSSES = {"error_rate": "labels", "brier": "probabilities"}
COLUMNS = ("first", "second", "third")
SIZES, SHUFFLES, MANY_SHUFFLES = (30, 60, 200), 20, 100
Job = tuple[str, str, int, int]
Numbers = NDArray[np.float64]


class Fixed:
    """A model that was fitted long ago."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.classes_ = np.array([0, 1])

    def chance(self, cases: Numbers) -> Numbers:
        """How likely it takes the second class for."""
        if self.kind == "all cases":
            return 1 / (1 + np.exp(-(1.5 * cases[:, 0] + 0.7 * cases[:, 1] + 0.1 * cases[:, 2])))
        usual = 1 / (1 + np.exp(-1.5 * cases[:, 2]))
        return np.where(cases[:, 0] > 2, 0.1 + 0.8 * (cases[:, 1] > 0), usual)

    def predict_proba(self, cases: Numbers) -> Numbers:
        """Both chances."""
        return np.column_stack([1 - self.chance(cases), self.chance(cases)])

    def predict(self, cases: Numbers) -> NDArray[np.int64]:
        """The likelier class."""
        return (self.chance(cases) >= 0.5).astype(np.int64)


def jobs(*, quick: bool) -> list[Job]:
    """Every model, loss and number of cases, and many shuffles where they matter most; with `quick` one number."""
    sizes = SIZES if not quick else SIZES[1:2]
    found = [(kind, loss, n, SHUFFLES) for kind in ("all cases", "few cases") for loss in LOSSES for n in sizes]
    return found if quick else [*found, *(("few cases", loss, 60, MANY_SHUFFLES) for loss in LOSSES)]


def run(job: Job) -> list[Row]:
    """A row for each column."""
    kind, loss, n, shuffles = job
    rng = generator("importances", *job)
    model = Fixed(kind)
    truth = _importances(model, _cases(kind, TRUE_CASES, generator("importances", kind, loss)), loss, 10, 1)["value"]
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in COLUMNS}
    for sample in range(REPLICATES):
        table = _importances(model, _cases(kind, n, rng), loss, shuffles, sample)
        for name in COLUMNS:
            found[name].append((table["low"][name], table["high"][name]))
    return [_row(job, name, truth[name], np.array(found[name])) for name in COLUMNS]


def _row(job: Job, name: str, truth: float, limits: Numbers) -> Row:
    kind, loss, n, shuffles = job
    coverage = float(((limits[:, 0] <= truth) & (truth <= limits[:, 1])).mean())
    return Row(
        measure=f"importance, {loss}",
        method=METHOD,
        design=f"{kind}, {name} column",
        n=n,
        positives=shuffles,
        truth=truth,
        level=LEVEL,
        coverage=coverage,
        error=math.sqrt(max(coverage * (1 - coverage), 0.25 / REPLICATES) / REPLICATES),
        width=float((limits[:, 1] - limits[:, 0]).mean()),
        missing=0.0,
        bar=lowest_allowed(LEVEL),
    )


def _cases(kind: str, n: int, rng: np.random.Generator) -> Dataset:
    cases = rng.standard_normal((n, 3))
    cases[:, 1] = 0.6 * cases[:, 0] + 0.8 * cases[:, 1]
    score = 1.5 * cases[:, 0] + 0.7 * cases[:, 1]
    if kind == "few cases":
        score = 1.5 * cases[:, 2] + 2 * (cases[:, 0] > 2) * cases[:, 1]
    target = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(np.int64)
    return Dataset("drawn", cases, target, ("no", "yes"), COLUMNS)


def _importances(model: Fixed, data: Dataset, loss: str, shuffles: int, seed: int) -> dict[str, dict[str, Any]]:
    table = permutation_importances(
        model, data, np.arange(len(data)), LOSSES[loss], repeats=shuffles, seed=seed
    ).table()
    return {
        name: dict(zip(table.columns["column"], table.columns[name], strict=True)) for name in ("value", "low", "high")
    }
