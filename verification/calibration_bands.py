"""Whether bands about calibration curves hold whole curves, and how often right probabilities are called wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from assay.calibration import (
    RECALIBRATIONS,
    confidence_band,
    consistency_band,
    isotonic_fit,
    miscalibrated_ranges,
    miscalibration_test,
    murphy_difference,
    recalibration_effect,
    smooth_curve,
)
from assay.calibration.isotonic import MOST_CELLS, equal_mass
from assay.evidence import ScoreTable
from verification._coverage import generator
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """Probabilities are Beta distributed; forecasts are them with logits multiplied by a factor (1: calibrated,
above: overconfident), rounded where that is said, or the truth is waved about them (logit x + sin(x) / 2). The true
value shown is the factor. Coverage is the share of samples whose whole curve lies in a simultaneous band, the mean
share of points in a pointwise one, and for tests and ranges the share of calibrated samples left alone.

- The confidence band is exact by the union bound, so it holds more than it says. `misfit_ranges` goes by it alone and
  has its level for a bar: right probabilities may be called wrong in 5 % of samples, and are in fewer.
- The consistency band is for calibrated probabilities: it holds their isotonic curve.
- The smooth curve's band knows the spread of its coefficients, not what a curve of so few cannot follow. The waved rows
  show what that costs; they have no bar.
- Murphy's difference is at one theta fixed beforehand, the change of the Brier score by a curve fitted to
  500 other cases.
- Rows by resampling rest on 150 samples each: one row tells little, all twelve of a kind together do (both .95).
- That the smooth band needs 30 cases in a class and the change 50, and how the spline takes probabilities of 0 and 1,
  was settled after earlier runs of much the same designs."""

Floats = NDArray[np.float64]
Checker = Callable[["Population", int, np.random.Generator], "Outcome"]


class Outcome(NamedTuple):
    """What one sample gave: how much of the truth was held (nan: no interval was shown) and how wide it was."""

    held: float
    width: float = math.nan


@dataclass(frozen=True)
class Population:
    """Beta distributed true probabilities and how forecasts distort them."""

    a: float
    b: float
    factor: float = 1.0
    decimals: int | None = None
    is_waved: bool = False

    def __str__(self) -> str:
        rounded = "" if self.decimals is None else f", {self.decimals} decimals"
        bent = "waved" if self.is_waved else f"logits x {self.factor:g}"
        return f"Beta({self.a:g}, {self.b:g}), {bent}{rounded}"

    def said(self, n: int, rng: np.random.Generator) -> Floats:
        """Forecasts."""
        p = np.clip(rng.beta(self.a, self.b, n), 1e-6, 1 - 1e-6)
        said: Floats = expit(self.factor * logit(p))
        return said if self.decimals is None else np.clip(np.round(said, self.decimals), 0.005, 0.995)

    def truth(self, score: Floats) -> Floats:
        """How often the event happens where this is said."""
        x = logit(np.clip(score, 1e-9, 1 - 1e-9))
        true: Floats = expit(x + np.sin(x) / 2 if self.is_waved else x / self.factor)
        return true

    def sample(self, n: int, rng: np.random.Generator) -> ScoreTable:
        """Cases."""
        said = self.said(n, rng)
        return ScoreTable.of(said, rng.random(n) < self.truth(said))


FLAT, SKEWED = Population(1, 1), Population(0.5, 5)
CALIBRATED = (FLAT, SKEWED, Population(2, 2, decimals=1), Population(1, 4, decimals=2))
BENT = (Population(1, 1, 2.0), Population(0.5, 5, 2.0), Population(1, 1, 0.5), Population(1, 3, 1.5, decimals=2))
WAVED = (Population(1, 1, is_waved=True), Population(0.5, 5, is_waved=True))


def confidence(population: Population, n: int, rng: np.random.Generator) -> Outcome:
    """The confidence band against the true curve, at every score."""
    table = population.sample(n, rng)
    low, high = confidence_band(table).at(table.score)
    truth = population.truth(table.score)
    held = ((low <= truth + 1e-12) & (truth <= high + 1e-12)).all() if np.isfinite(low).all() else False
    return Outcome(float(held), float(np.mean(high - low)))


def left_alone(population: Population, n: int, rng: np.random.Generator) -> Outcome:
    """Whether no range of right probabilities is called wrong."""
    found = miscalibrated_ranges(population.sample(n, rng))
    return Outcome(float(len(found) == 0 and found.undefined is None))


def consistency(population: Population, n: int, rng: np.random.Generator) -> Outcome:
    """The consistency band against the curve of a calibrated sample."""
    low, high, curve = _consistency(population.sample(n, rng), simultaneous=True, level=0.95)
    return Outcome(float(((low <= curve + 1e-9) & (curve <= high + 1e-9)).all()), float(np.mean(high - low)))


def consistency_points(population: Population, n: int, rng: np.random.Generator) -> Outcome:
    """Bars at single points, at 90 %."""
    low, high, curve = _consistency(population.sample(n, rng), simultaneous=False, level=0.9)
    return Outcome(float(((low <= curve + 1e-9) & (curve <= high + 1e-9)).mean()), float(np.mean(high - low)))


def _consistency(table: ScoreTable, *, simultaneous: bool, level: float) -> tuple[Floats, Floats, Floats]:
    cells = equal_mass(table, MOST_CELLS)
    band = consistency_band(table, simultaneous=simultaneous, level=level)
    curve = isotonic_fit(ScoreTable(cells.score, cells.cases - cells.positive, cells.positive)).at_scores()
    return band.low, band.high, curve


def not_rejected(population: Population, n: int, rng: np.random.Generator) -> Outcome:
    """Whether the test of miscalibration leaves a calibrated sample alone at .05."""
    return Outcome(float(miscalibration_test(population.sample(n, rng)).p_value > 0.05))


def smooth(population: Population, n: int, rng: np.random.Generator) -> Outcome:
    """The smooth curve's simultaneous band against the true curve."""
    curve = smooth_curve(population.sample(n, rng))
    truth = population.truth(curve.score)
    if np.isnan(curve.low).any():
        return Outcome(math.nan)
    return Outcome(float(((curve.low <= truth) & (truth <= curve.high)).all()), float(np.mean(curve.high - curve.low)))


def smooth_points(population: Population, n: int, rng: np.random.Generator) -> Outcome:
    """The smooth curve's pointwise band."""
    curve = smooth_curve(population.sample(n, rng), simultaneous=False)
    truth = population.truth(curve.score)
    if np.isnan(curve.low).any():
        return Outcome(math.nan)
    return Outcome(float(((curve.low <= truth) & (truth <= curve.high)).mean()), float(np.mean(curve.high - curve.low)))


def murphy(theta: float) -> Checker:
    """The difference between the forecasts and the truth blurred, at one theta."""

    def differs(population: Population, n: int, rng: np.random.Generator) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        said = population.said(n, rng)
        truth = population.truth(said)
        blurred = expit(logit(truth) + 0.7 * rng.standard_normal(n))
        return said, blurred, rng.random(n) < truth

    known: dict[Population, float] = {}

    def check(population: Population, n: int, rng: np.random.Generator) -> Outcome:
        if population not in known:
            said, blurred, y = differs(population, 1_000_000, generator("murphy truth", population, theta))
            known[population] = float(murphy_difference(y, said, blurred)(theta))
        said, blurred, y = differs(population, n, rng)
        low, high = (float(limit) for limit in murphy_difference(y, said, blurred).limits(theta))
        return Outcome(math.nan if math.isnan(low) else float(low <= known[population] <= high), high - low)

    return check


def changed(method: str) -> Checker:
    """The change of the Brier score by a recalibration fitted to 500 other cases."""
    known: dict[Population, tuple[object, float]] = {}

    def check(population: Population, n: int, rng: np.random.Generator) -> Outcome:
        other = generator("recalibration", population, method)
        if population not in known:
            fitted = RECALIBRATIONS[method](population.sample(500, other))
            effect = recalibration_effect(fitted, population.sample(1_000_000, other))
            known[population] = fitted, effect.change["brier"].value
        fitted, truth = known[population]  # type: ignore[assignment]
        found = recalibration_effect(fitted, population.sample(n, rng)).change["brier"]
        return Outcome(
            math.nan if math.isnan(found.low) else float(found.low <= truth <= found.high), found.high - found.low
        )

    return check


class Job(NamedTuple):
    """What is checked, on which population, with how many cases, and how often."""

    name: str
    population: Population
    n: int
    replicates: int


CHECKERS: dict[str, tuple[Checker, float]] = {
    "confidence_band": (confidence, 0.95),
    "misfit_ranges": (left_alone, 0.95),
    "consistency_band": (consistency, 0.95),
    "consistency_band, pointwise": (consistency_points, 0.9),
    "miscalibration_test": (not_rejected, 0.95),
    "smooth_curve": (smooth, 0.95),
    "smooth_curve, pointwise": (smooth_points, 0.95),
    **{f"murphy_difference at {theta:g}": (murphy(theta), 0.95) for theta in (0.05, 0.2, 0.5)},
    **{f"brier change by {method}": (changed(method), 0.95) for method in ("platt", "beta", "isotonic")},
}


def jobs(*, quick: bool) -> list[Job]:
    """Every check on the populations it speaks of."""
    return [Job(name, population, n, 100 if quick else many) for name, population, n, many in _all_jobs(quick)]


def _all_jobs(quick: bool) -> Iterator[tuple[str, Population, int, int]]:
    for n in (200,) if quick else (30, 200, 1000, 5000):
        yield from (("confidence_band", population, n, 1000) for population in CALIBRATED + BENT)
        yield from (("misfit_ranges", population, n, 1000) for population in CALIBRATED)
    for n in (100,) if quick else (50, 300, 2000):
        for name in ("consistency_band", "consistency_band, pointwise", "miscalibration_test"):
            yield from ((name, population, n, 150) for population in CALIBRATED)
    for n in (200,) if quick else (60, 200, 1000):
        for name in ("smooth_curve", "smooth_curve, pointwise"):
            yield from ((name, population, n, 500) for population in CALIBRATED + BENT + WAVED)
        for name in [name for name in CHECKERS if name.startswith(("murphy", "brier"))]:
            yield from ((name, population, n, 500) for population in (FLAT, SKEWED, *BENT[:2]))


def run(job: Job) -> list[Row]:
    """One row."""
    check, level = CHECKERS[job.name]
    rng = generator("calibration bands", job.name, str(job.population), job.n)
    outcomes = [check(job.population, job.n, rng) for _ in range(job.replicates)]
    held = np.array([outcome.held for outcome in outcomes])
    shown = ~np.isnan(held)
    coverage = float(held[shown].mean()) if shown.any() else math.nan
    missed = float((1 - held[shown]).sum()) / len(held)
    # Ranges found by looking must keep their level itself; a wave is more than a curve of few coefficients can follow.
    bar = level if job.name == "misfit_ranges" else 0.0 if job.population.is_waved else lowest_allowed(level)
    row = Row(
        measure=job.name,
        method=_method(job.name),
        design=str(job.population),
        n=job.n,
        positives=round(job.n * _share(job.population), 1),
        truth=job.population.factor,
        level=level,
        coverage=coverage,
        error=math.sqrt(max(missed * (1 - missed), 0.25 / len(held)) / len(held)),
        width=_mean([outcome.width for outcome in outcomes]),
        missing=float(1 - shown.mean()),
        bar=bar,
    )
    return [row]


def _share(population: Population) -> float:
    rng = generator("share", population)
    return float(population.truth(population.said(20_000, rng)).mean())


def _mean(widths: list[float]) -> float:
    shown = [width for width in widths if not math.isnan(width)]
    return float(np.mean(shown)) if shown else math.nan


def _method(name: str) -> str:
    first = name.split(",")[0].split(" ")[0]
    return {
        "confidence_band": "exact, union bound",
        "misfit_ranges": "exact, union bound",
        "consistency_band": "resampling",
        "miscalibration_test": "resampling",
        "smooth_curve": "spline",
        "murphy_difference": "Wald, +1/2",
    }.get(first, "paired")
