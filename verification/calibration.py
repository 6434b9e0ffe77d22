"""Coverage of the intervals of calibration statistics, and how often the tests reject what is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaln, expit, logit

from assay.calibration import (
    bias,
    bias_test,
    brier_test,
    calibration_in_the_large_test,
    classwise_ece,
    confidence_ece,
    cox,
    debiased_error,
    ece,
    equal_size,
    hosmer_lemeshow,
    mce,
    observed_to_expected,
    spherical_score,
    top_label_ece,
)
from assay.evidence import ClassScores, ScoreTable
from assay.results import Estimate
from verification._coverage import Design, generator
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "population_values", "run"]

SAID = """Intervals: true probabilities are Beta distributed with the mass named; the probabilities shown are them with
logits multiplied, and in the rows called capped also bent so that no line fits them. The true intercept and slope are
those of the line nearest to the whole population.

Tests: **coverage** is the share of samples of right probabilities that a test at 5 % leaves alone, so 0.95 is the aim
and 0.9 means a size of 10 %. **expected** is one minus the size our catalogue measured; a Hosmer-Lemeshow test with two
degrees fewer than groups is shown on fresh cases, where it is wrong, and on the cases a logistic regression was fitted
to, where it belongs. Rows called power show what is *not* right, with logits multiplied by 1.3: there less is better,
and no bar applies. A test estimates nothing, so its true value is nan."""

Floats = NDArray[np.float64]
Job = tuple[Any, ...]

LARGE = ("bias", "observed_to_expected", "in_the_large", "intercept", "slope", "spherical_score")
# Mass of the Beta distribution, factor on the logits, and whether they are capped at 2.5.
FORECASTERS = ((2.0, 1.0, False), (2.0, 3.0, False), (2.0, 0.5, False), (20.0, 2.0, False), (2.0, 2.0, True))


def jobs(*, quick: bool) -> list[Job]:
    """Intervals, tests and errors, over designs."""
    sizes = (100,) if quick else (30, 100, 300, 1000)
    shares = (0.5,) if quick else (0.5, 0.1, 0.03)
    intervals = [("intervals", n, p, *f) for p in shares for f in FORECASTERS for n in sizes if n * p >= 6]
    designs = [("weights", 300), ("clusters", 20), ("clusters", 60), ("bars", 100), ("bars", 1000)]
    tests = [
        ("tests", n, shape) for shape in ("uniform", "rare", "V20") for n in ((100,) if quick else (100, 500, 5000))
    ]
    others = [("refitted", 500), ("power", 500), ("errors", 200), ("errors", 1000), ("classes", 300)]
    return [*intervals, *([] if quick else designs), *tests, *([] if quick else others)]


def run(job: Job, replicates: int | None = None) -> list[Row]:
    """One design."""
    kind, *rest = job
    return PARTS[kind](generator("calibration", *job), replicates, *rest)


def _intervals(
    rng: np.random.Generator,
    replicates: int | None,
    n: int,
    share: float,
    mass: float,
    factor: float,
    is_capped: bool,
) -> list[Row]:
    a, b = share * mass, (1 - share) * mass
    times = replicates or 600
    logits = logit(np.clip(rng.beta(a, b, (times, n)), 1e-15, 1 - 1e-15))
    happened = rng.random((times, n)) < expit(logits)
    shown = expit(_bent(logits, factor, is_capped))
    tables = [ScoreTable.of(p, y) for p, y in zip(shown, happened, strict=True)]
    words = f"prevalence {share:g}, Beta mass {mass:g}, logits x {factor:g}{', capped' if is_capped else ''}"
    design = Design(words, n, n * share)
    return _covered(LARGE, map(_of_large, tables), population_values(a, b, factor, is_capped=is_capped), design, times)


def _of_large(table: ScoreTable) -> list[Estimate]:
    line = cox(table)
    first = [bias(table), observed_to_expected(table), line.in_the_large]
    return [*first, line.intercept, line.slope, spherical_score(table)]


def population_values(a: float, b: float, factor: float, *, is_capped: bool) -> list[float]:
    """The statistics of the population, by the trapezium rule over logits, in the order of LARGE.

    >>> [round(value, 6) + 0.0 for value in population_values(1.0, 1.0, 2.0, is_capped=False)][3:5]
    [0.0, 0.5]
    """
    reach = 40 / min(a, b, 1.0)
    t = np.linspace(-reach, reach, 200_001)
    weight = np.exp(-a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b))
    weight /= weight.sum()
    p, x = expit(t), _bent(t, factor, is_capped)
    q = expit(x)
    shift = brentq(lambda s: float(weight @ (expit(x + s) - p)), -20, 20)
    spherical = float(weight @ ((p * q + (1 - p) * (1 - q)) / np.hypot(q, 1 - q)))
    moved = (float(weight @ (q - p)), float((weight @ p) / (weight @ q)), float(shift))
    return [*(round(each, 12) + 0.0 for each in moved), *_line(weight, p, x), spherical]


def _line(weight: Floats, p: Floats, x: Floats) -> list[float]:
    at = np.array([0.0, 0.5])
    for _ in range(200):
        q = expit(at[0] + at[1] * x)
        missed, spread = weight * (p - q), weight * q * (1 - q)
        across = float(spread @ x)
        information = np.array([[spread.sum(), across], [across, spread @ (x * x)]])
        step = np.linalg.solve(information, np.array([missed.sum(), missed @ x]))
        at += step / max(1.0, 2 * float(np.abs(step).max()))
        if float(np.abs(step).max()) < 1e-13:
            break
    return [round(float(each), 12) + 0.0 for each in at]


def _bent(logits: Floats, factor: float, is_capped: bool) -> Floats:
    return np.asarray(2.5 * np.tanh(factor * logits / 2.5) if is_capped else factor * logits)


def _weights(rng: np.random.Generator, replicates: int | None, n: int) -> list[Row]:
    times, tables = replicates or 600, []
    for _ in range(times):
        p = rng.beta(1.0, 2.0, n)
        tables.append(ScoreTable.of(p, rng.random(n) < p, weight=rng.gamma(1.0, 1.0, n)))
    truths = population_values(1.0, 2.0, 1.0, is_capped=False)
    return _covered(LARGE, map(_of_large, tables), truths, Design("weights of variance 1, calibrated", n, n / 3), times)


def _clusters(rng: np.random.Generator, replicates: int | None, clusters: int) -> list[Row]:
    """Eight rows a cluster with the same probability; an outcome is the cluster's own with probability 1/2."""
    times, tables, rows = replicates or 600, [], 8
    for _ in range(times):
        p = np.repeat(rng.beta(1.0, 2.0, clusters), rows)
        common = np.repeat(rng.random(clusters), rows)
        happened = np.where(rng.random(len(p)) < 0.5, common, rng.random(len(p))) < p
        tables.append(ScoreTable.of(p, happened, cluster=np.repeat(np.arange(clusters), rows)))
    truths = population_values(1.0, 2.0, 1.0, is_capped=False)
    design = Design(f"{clusters} clusters of 8 rows, calibrated", 8 * clusters, 8 * clusters / 3)
    return _covered(LARGE, map(_of_large, tables), truths, design, times)


def _bars(rng: np.random.Generator, replicates: int | None, n: int) -> list[Row]:
    """Wilson's bars of ten groups: each against the mean true probability of the cases that fell into it."""
    times, inside, widths = replicates or 600, 0, 0.0
    for _ in range(times):
        p = rng.random(n)
        groups = equal_size(ScoreTable.of(p, rng.random(n) < p), 10)
        for bar, truth in zip(groups.estimates(), groups.mean, strict=True):
            inside += bar.low <= truth <= bar.high
            widths += bar.high - bar.low
    share, error = inside / (10 * times), math.sqrt(0.95 * 0.05 / (10 * times))
    words = "uniform probabilities, 10 groups of equal size, each with its own true mean"
    row = ("rate in a group", "Wilson", words, n, n / 2, math.nan, 0.95, share, error, widths / (10 * times), 0.0)
    return [Row(*row, bar=lowest_allowed(0.95))]


# What is expected, as sizes: V5 gives ranges, so their middle, and how far their ends lie from it.
EXPECTED_SIZES = {
    ("uniform", "Hosmer-Lemeshow, 8 degrees"): (0.1145, 0.015),
    ("rare", "Hosmer-Lemeshow, 8 degrees"): (0.1145, 0.04),
    ("uniform", "Hosmer-Lemeshow, 10 degrees"): (0.0485, 0.007),
    ("rare", "Hosmer-Lemeshow, 10 degrees"): (0.075, 0.02),
    ("uniform", "Spiegelhalter"): (0.051, 0.011),
    ("rare", "Spiegelhalter"): (0.051, 0.011),
    ("V20", "in the large, z"): (0.04, 0.012),
    ("V20", "Cox, likelihood ratio"): (0.046, 0.01),
}
SHAPES = {"uniform": (1.0, 1.0), "rare": (0.5, 5.0), "V20": (1.0, 2.0)}


def _p_values(table: ScoreTable) -> dict[str, float]:
    groups = equal_size(table, 10)
    return {
        "Hosmer-Lemeshow, 10 degrees": hosmer_lemeshow(groups).test.p_value,
        "Hosmer-Lemeshow, 8 degrees": hosmer_lemeshow(groups, fitted=True).test.p_value,
        "Spiegelhalter": brier_test(table).test.p_value,
        "in the large, z": calibration_in_the_large_test(table).p_value,
        "bias, t": bias_test(table).p_value,
        "Cox, likelihood ratio": cox(table).test.p_value,
    }


def _tests(rng: np.random.Generator, replicates: int | None, n: int, shape: str) -> list[Row]:
    times, (a, b) = replicates or (2000 if n < 1000 else 800), SHAPES[shape]
    found = []
    for _ in range(times):
        p = rng.beta(a, b, n)
        found.append(_p_values(ScoreTable.of(p, rng.random(n) < p)))
    design = Design(f"right probabilities, Beta({a:g}, {b:g})", n, n * a / (a + b))
    rows = []
    for name in found[0]:
        size, slack = EXPECTED_SIZES.get((shape, name), (math.nan, 0.0))
        # The eight degrees are wrong here, which is the point: the row shows by how much.
        bar = 0.0 if name.endswith("8 degrees") else None
        rows.append(_size(name, design, [each[name] for each in found], expected=1 - size, slack=slack, bar=bar))
    return rows


def _refitted(rng: np.random.Generator, replicates: int | None, n: int) -> list[Row]:
    """Logistic regression fitted to the very cases it is tested on: there two degrees are spent."""
    p_values = []
    for _ in range(replicates or 1000):
        x = rng.normal(0.0, 1.5, n)
        happened = rng.random(n) < expit(x)
        line = cox(ScoreTable.of(expit(x), happened))
        fitted = expit(line.intercept.value + line.slope.value * x)
        p_values.append(hosmer_lemeshow(equal_size(ScoreTable.of(fitted, happened), 10), fitted=True).test.p_value)
    design = Design("the cases a logistic regression was fitted to", n, n / 2)
    return [_size("Hosmer-Lemeshow, 8 degrees", design, p_values, expected=0.95, slack=0.015)]


def _power(rng: np.random.Generator, replicates: int | None, n: int) -> list[Row]:
    found = []
    for _ in range(replicates or 600):
        p = rng.random(n)
        found.append(_p_values(ScoreTable.of(expit(1.3 * logit(p)), rng.random(n) < p)))
    design = Design("power: uniform probabilities, logits x 1.3", n, n / 2)
    kept = [name for name in found[0] if not name.endswith("8 degrees")]
    return [_size(name, design, [each[name] for each in found], bar=0.0) for name in kept]


def _errors(rng: np.random.Generator, replicates: int | None, n: int) -> list[Row]:
    """P-values of calibration errors among draws from the probabilities themselves."""
    kinds: dict[str, Callable[..., Any]] = {"ece": ece, "mce": mce, "debiased_error": debiased_error}
    found: dict[str, list[float]] = {name: [] for name in kinds}
    for i in range(replicates or 1000):
        p = rng.beta(1.0, 2.0, n)
        groups = equal_size(ScoreTable.of(p, rng.random(n) < p), 15)
        for name, error in kinds.items():
            found[name].append(error(groups, replicates=199, seed=i).p_value)
    design = Design("right probabilities, Beta(1, 2), 15 groups", n, n / 3)
    return [_size(name, design, values) for name, values in found.items()]


def _classes(rng: np.random.Generator, replicates: int | None, n: int) -> list[Row]:
    kinds: dict[str, Callable[..., Any]] = {
        "classwise_ece": classwise_ece,
        "confidence_ece": confidence_ece,
        "top_label_ece": top_label_ece,
    }
    found: dict[str, list[float]] = {name: [] for name in kinds}
    for i in range(replicates or 600):
        given = rng.dirichlet([1.0, 2.0, 0.7, 0.3], n)
        truth = (rng.random((n, 1)) > np.cumsum(given, axis=1)[:, :-1]).sum(1)
        scores = ClassScores.of(given, truth, "abcd")
        for name, error in kinds.items():
            found[name].append(error(scores, replicates=99, seed=i).p_value)
    design = Design("right probabilities of four classes, Dirichlet(1, 2, 0.7, 0.3)", n, n / 2)
    return [_size(name, design, values) for name, values in found.items()]


def _size(
    name: str,
    design: Design,
    p_values: Sequence[float],
    *,
    expected: float = math.nan,
    slack: float = 0.0,
    bar: float | None = None,
) -> Row:
    """One minus the size at 5 %, of the samples that have a p-value."""
    values = np.array(p_values)
    shown = ~np.isnan(values)
    left_alone = float((values[shown] > 0.05).mean()) if shown.any() else math.nan
    error = math.sqrt(max(left_alone * (1 - left_alone), 0.25 / len(values)) / len(values)) if shown.any() else 0.0
    row = (name, "test at 5 %", str(design), design.n, design.positives, math.nan, 0.95, left_alone, error, math.nan)
    missing = float(1 - shown.mean())
    return Row(*row, missing, lowest_allowed(0.95) if bar is None else bar, expected, slack)


def _covered(
    names: Sequence[str], samples: Iterable[Sequence[Estimate]], truths: Sequence[float], design: Design, times: int
) -> list[Row]:
    """A row for each statistic over all samples."""
    rows = []
    for name, truth, found in zip(names, truths, zip(*samples, strict=True), strict=True):
        low, high = (np.array([getattr(each, side) for each in found]) for side in ("low", "high"))
        shown = ~np.isnan(low)
        held = (low <= truth) & (truth <= high)
        missed = float((shown & ~held).mean())
        rows.append(
            Row(
                measure=name,
                method=found[0].method if shown[0] else next((e.method for e in found if e.low == e.low), "none"),
                design=str(design),
                n=design.n,
                positives=design.positives,
                truth=truth,
                level=0.95,
                coverage=float(held[shown].mean()) if shown.any() else math.nan,
                error=math.sqrt(max(missed * (1 - missed), 0.25 / times) / times),
                width=float((high - low)[shown].mean()) if shown.any() else math.nan,
                missing=float(1 - shown.mean()),
                bar=lowest_allowed(0.95),
            )
        )
    return rows


PARTS: dict[str, Callable[..., list[Row]]] = {
    "intervals": _intervals,
    "weights": _weights,
    "clusters": _clusters,
    "bars": _bars,
    "tests": _tests,
    "refitted": _refitted,
    "power": _power,
    "errors": _errors,
    "classes": _classes,
}
