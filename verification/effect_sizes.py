"""Two algorithms on data sets that are hard or easy for both: do the limits of Cliff's delta hold the true one?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from assay.ranks.effect_sizes import cliff_delta
from verification._coverage import generator
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """A value of an algorithm on a data set is how easy the data set is, plus how good the algorithm is, plus noise
of standard deviation 1; "shared" is the standard deviation of the first. With "opposed" what makes a data set easy for
one algorithm makes it as hard for the other. Tied rows round the values to whole numbers. n is the number of data sets,
the true value Cliff's delta between two data sets drawn by themselves.

A data set counts as one case, which holds the level and is wider than needed where data sets differ much. Below 5 data
sets the tool shows no limits. Akinshin's gamma has none anywhere."""

LEVEL = 0.95
REPLICATES = 2_000
DATASETS = (5, 8, 14, 30)
SHIFTS = (0.0, 0.5, 2.0, 5.0)
DESIGNS = ("shared 0", "shared 1", "shared 5", "opposed 1", "shared 1, tied")
TIED_TRUTH = 400_000
Job = tuple[str, float, int]


def jobs(*, quick: bool) -> list[Job]:
    """Every design, distance and number of data sets; with `quick` one number of data sets."""
    numbers = DATASETS if not quick else (14,)
    return [(design, shift, n) for design in DESIGNS for shift in SHIFTS for n in numbers]


def run(job: Job) -> list[Row]:
    """One row: the limits of one design."""
    design, shift, n = job
    rng = generator("effect sizes", *job)
    first, second = _drawn(design, shift, (REPLICATES, n), rng)
    truth = _truth(design, shift, rng)
    found = [cliff_delta(*each, LEVEL) for each in zip(first, second, strict=True)]
    held = np.array([one.low - 1e-9 <= truth <= one.high + 1e-9 for one in found])
    coverage = float(held.mean())
    return [
        Row(
            measure="Cliff's delta",
            method=found[0].method,
            design=f"{design}, {shift:g} apart",
            n=n,
            positives=n,
            truth=truth,
            level=LEVEL,
            coverage=coverage,
            error=math.sqrt(max(coverage * (1 - coverage), 0.25 / REPLICATES) / REPLICATES),
            width=float(np.mean([one.high - one.low for one in found])),
            missing=0.0,
            bar=lowest_allowed(LEVEL),
        )
    ]


def _drawn(design: str, shift: float, size: tuple[int, ...], rng: np.random.Generator) -> list[NDArray[np.float64]]:
    spread = float(design.split()[1].rstrip(","))
    easy = spread * rng.standard_normal(size)
    other = -easy if design.startswith("opposed") else easy
    values = [easy + shift + rng.standard_normal(size), other + rng.standard_normal(size)]
    return [np.round(each) for each in values] if design.endswith("tied") else values


def _truth(design: str, shift: float, rng: np.random.Generator) -> float:
    if not design.endswith("tied"):
        return float(2 * ndtr(shift / math.sqrt(2 * (float(design.split()[1]) ** 2 + 1))) - 1)
    (first, _), (_, second) = (_drawn(design, shift, (TIED_TRUTH,), rng) for _ in range(2))
    return float(np.sign(first - second).mean())
