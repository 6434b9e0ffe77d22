"""Coverage of the interval of the volume under the ROC surface."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr

from assay.measures import volume_under_surface
from assay.results import Estimate
from verification._coverage import generator
from verification._learning import Floats, monte_carlo_error
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "population_value", "run"]

SAID = """One normal score and three classes in order, the means of neighbours as far apart as the step named;
"positives" is the size of each class. The true value is an integral: the chance that the middle case lies between the
other two. "plain" rows are the same standard error without the logit, which the tool does not show: the expected
figures of our catalogue are of that interval, from samples of their own whose error may be .02."""

# Coverage on the plain scale by cases in each class, the means being 0, 1 and 2; and how exact that is.
EXPECTED, SLACK = {20: 0.935, 50: 0.952}, 0.02

# Cases in each class, step from mean to mean.
Job = tuple[int, float]


def jobs(*, quick: bool) -> list[Job]:
    """Sizes and steps."""
    return [(n, step) for n in ((20,) if quick else (10, 20, 50, 200)) for step in (0.0, 1.0, 2.0)]


def run(job: Job, replicates: int = 1000) -> list[Row]:
    """One design."""
    n, step = job
    rng = generator("surface", *job)
    codes = np.repeat(np.arange(3), n)
    found = [volume_under_surface(rng.normal(step * codes), codes) for _ in range(replicates)]
    shown = "default", *(np.array([getattr(one, side) for one in found]) for side in ("low", "high"))
    ways = (shown, _plain(found)) if step == 1 and n in EXPECTED else (shown,)
    return [_row(n, step, *way) for way in ways]


def population_value(step: float) -> float:
    """The chance that one case of each class is in order: 1/6 where nothing sets them apart."""

    def middle(x: float) -> float:
        return math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * float(ndtr(x + step) * ndtr(step - x))

    return float(quad(middle, -10, 10)[0])


def _plain(found: list[Estimate]) -> tuple[str, Floats, Floats]:
    """The limits without the logit and without pseudo-cases."""
    value, error = (np.array([getattr(one, side) for one in found]) for side in ("value", "se"))
    half = 1.959964 * error
    return "components, plain", value - half, value + half


def _row(n: int, step: float, method: str, low: Floats, high: Floats) -> Row:
    truth, shown = population_value(step), ~np.isnan(low)
    missed, share = float((shown & ~((low <= truth) & (truth <= high))).mean()), float(shown.mean())
    return Row(
        measure="volume_under_surface",
        method=method,
        design=f"3 classes, step {step:g}",
        n=3 * n,
        positives=n,
        truth=truth,
        level=0.95,
        coverage=1 - missed / share,
        error=monte_carlo_error(missed, len(low)),
        width=float((high - low)[shown].mean()),
        missing=1 - share,
        bar=lowest_allowed(0.95),
        expected=EXPECTED[n] if method.endswith("plain") else math.nan,
        slack=SLACK,
    )
