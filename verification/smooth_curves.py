"""Binormal curves, tests of whole ROC curves and of points on them, and the calibration belt."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import expit, ndtr, ndtri

from assay.calibration import calibration_belt
from assay.comparison import fixed_rate_test, venkatraman_paired, venkatraman_unpaired
from assay.curves import binormal_roc
from assay.evidence import ScoreTable
from assay.measures import ordinal_hand_till
from assay.types import Bools
from verification._coverage import generator
from verification._learning import Floats, monte_carlo_error
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """Binormal: negatives are normal, positives normal with the a and b named, all scores or five ratings of them;
the band is looked at where 10 % of negatives are called, or everywhere at once. Tests: both classifiers have the same
curve, so that "coverage" is the share of samples in which no difference is called at 5 %; two classifiers' scores of a
case correlate by 0.5. The belt: probabilities that are right; "coverage" is whether it holds the diagonal everywhere,
or whether its test calls nothing at 5 %. Hand-Till: one normal score and three classes, their means a step of 1 apart;
"positives" is the size of each class."""

LEVEL = 0.95
WHERE = 0.1
GRID = np.linspace(0.01, 0.99, 99)

# What, cases in each class, a, b; of others the numbers they need.
Job = tuple[str, int, float, float]


def jobs(*, quick: bool) -> list[Job]:
    """Designs."""
    if quick:
        return [("binormal", 50, 1.5, 0.7), ("venkatraman paired", 50, 1.5, 1.0), ("belt", 200, 0.0, 1.0)]
    binormal = [
        (kind, n, a, b)
        for kind in ("binormal", "ratings")
        for n in (20, 50, 200)
        for a, b in ((0.5, 1.0), (1.5, 0.7), (2.0, 1.2))
    ]
    tests = [
        (kind, n, a, 1.0)
        for kind in ("venkatraman paired", "venkatraman unpaired", "fixed rate")
        for n in (20, 50, 200)
        for a in (0.5, 1.5)
    ]
    belts = [("belt", n, 0.0, spread) for n in (100, 300, 1000) for spread in (1.0, 2.0)]
    return [*binormal, *tests, *belts, *(("ordinal", n, 1.0, 1.0) for n in (10, 20, 50))]


def run(job: Job, replicates: int = 200) -> list[Row]:
    """One design."""
    kind = job[0]
    rng = generator("smooth curves", *job)
    found = [WAYS[kind](rng, *job[1:]) for _ in range(replicates)]
    return [_row(name, job, np.array([one[name] for one in found])) for name in found[0]]


Held = dict[str, tuple[float, float]]


def _binormal(rng: np.random.Generator, n: int, a: float, b: float, *, rated: bool = False) -> Held:
    """Whether the area's interval and both bands held, with their widths; nan where none was shown."""
    score = np.concatenate((rng.normal(size=n), (rng.normal(size=n) + a) / b))
    if rated:
        score = np.digitize(score, [-0.5, 0.3, 1.0, 1.8]).astype(np.float64)
    curve = binormal_roc(ScoreTable.of(score, np.arange(2 * n) >= n))
    area = float(ndtr(a / math.sqrt(1 + b * b)))
    at, over = curve.band([WHERE]), curve.band(GRID, kind="simultaneous")
    truth, everywhere = float(ndtr(a + b * ndtri(WHERE))), ndtr(a + b * ndtri(GRID))
    inside = np.nan if np.isnan(over.low).any() else float(((over.low <= everywhere) & (everywhere <= over.high)).all())
    return {
        "binormal_auc": (_held(curve.auc.low, area, curve.auc.high), curve.auc.high - curve.auc.low),
        "binormal band": (_held(float(at.low[0]), truth, float(at.high[0])), float(at.high[0] - at.low[0])),
        "binormal band, simultaneous": (inside, float((over.high - over.low).mean())),
    }


def _held(low: float, truth: float, high: float) -> float:
    return math.nan if math.isnan(low) else float(low <= truth <= high)


def _pair(rng: np.random.Generator, n: int, a: float) -> tuple[Bools, Floats, Floats]:
    y = np.arange(2 * n) >= n
    shared = rng.normal(size=2 * n)
    first, second = (math.sqrt(0.5) * (shared + rng.normal(size=2 * n)) + a * y for _ in range(2))
    return y, first, second


def _paired(rng: np.random.Generator, n: int, a: float, b: float) -> Held:
    found = venkatraman_paired(*_pair(rng, n, a), times=199, seed=int(rng.integers(1 << 30)))
    return {"Venkatraman, paired": (float(found.p_value > 1 - LEVEL), math.nan)}


def _unpaired(rng: np.random.Generator, n: int, a: float, b: float) -> Held:
    # Twice as many negatives in the second sample, on another scale.
    first = ScoreTable.of(np.concatenate((rng.normal(size=n), rng.normal(size=n) + a)), np.arange(2 * n) >= n)
    other = np.concatenate((rng.normal(size=2 * n), rng.normal(size=n) + a))
    second = ScoreTable.of(expit(other), np.arange(3 * n) >= 2 * n)
    found = venkatraman_unpaired(first, second, times=199, seed=int(rng.integers(1 << 30)))
    return {"Venkatraman, unpaired": (float(found.p_value > 1 - LEVEL), math.nan)}


def _fixed(rng: np.random.Generator, n: int, a: float, b: float) -> Held:
    y, one, other = _pair(rng, n, a)
    found = fixed_rate_test(y, one, other, 0.8, times=300, seed=int(rng.integers(1 << 30)))
    held = math.nan if math.isnan(found.p_value) else float(found.p_value > 1 - LEVEL)
    return {"recall at fixed specificity": (held, math.nan)}


def _belt(rng: np.random.Generator, n: int, a: float, spread: float) -> Held:
    """Right probabilities whose log odds are normal; about n cases of each class."""
    p = expit(rng.normal(0.0, spread, 2 * n))
    belt = calibration_belt(ScoreTable.of(p, rng.random(2 * n) < p))
    called = math.nan if math.isnan(belt.test.p_value) else float(belt.test.p_value > 1 - LEVEL)
    inside = math.nan if np.isnan(belt.low).any() else float(not belt.outside)
    return {"calibration belt": (inside, float((belt.high - belt.low).mean())), "belt test": (called, math.nan)}


def _ordinal(rng: np.random.Generator, n: int, step: float, b: float) -> Held:
    codes = np.repeat(np.arange(3), n)
    found = ordinal_hand_till(rng.normal(step * codes), codes)
    truth = float(2 * ndtr(step / math.sqrt(2)) + ndtr(2 * step / math.sqrt(2))) / 3
    return {"ordinal_hand_till": (_held(found.low, truth, found.high), found.high - found.low)}


def _rated(rng: np.random.Generator, n: int, a: float, b: float) -> Held:
    return _binormal(rng, n, a, b, rated=True)


WAYS: dict[str, Callable[[np.random.Generator, int, float, float], Held]] = {
    "binormal": _binormal,
    "ratings": _rated,
    "venkatraman paired": _paired,
    "venkatraman unpaired": _unpaired,
    "fixed rate": _fixed,
    "belt": _belt,
    "ordinal": _ordinal,
}


def _row(name: str, job: Job, found: Floats) -> Row:
    kind, n, a, b = job
    held, width = found.T
    shown = ~np.isnan(held)
    share = float(shown.mean())
    missed = float((shown & (held == 0)).mean())
    design = {"belt": f"log odds with spread {b:g}", "ordinal": f"3 classes, step {a:g}"}.get(kind, f"a {a:g}, b {b:g}")
    return Row(
        measure=name,
        method="five ratings" if kind == "ratings" else "by name",
        design=design,
        n=(3 if kind == "ordinal" else 2) * n,
        positives=n,
        truth=math.nan,
        level=LEVEL,
        coverage=1 - missed / share if share else math.nan,
        error=monte_carlo_error(missed, len(found)),
        width=float(np.nanmean(width)) if np.isfinite(width).any() else math.nan,
        missing=1 - share,
        bar=lowest_allowed(LEVEL),
    )
