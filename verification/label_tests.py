"""Sizes of the tests of labels, and coverage of the intervals beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from assay.comparison import (
    bowker,
    clustered_mcnemar,
    cochran_q,
    compare_correctness,
    difference_interval,
    global_test,
    mcnemar,
    predictive_value_test,
    rate_ratio,
    stuart_maxwell,
    unpaired_test,
)
from assay.comparison.labels import DIFFERENCE_METHODS, MCNEMAR_FORMS, clustered_test
from assay.comparison.rates import RATES, unpaired_interval
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import JointCorrectness, PairedCorrectness, PairedDecisions
from assay.results import Interval
from verification._coverage import generator
from verification._label_rows import (
    DRAWS,
    NO_FLOOR,
    binomial,
    interval_row,
    joint_events,
    multinomial,
    one_row,
    size_row,
    summed_row,
)
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """Two kinds of rows. Intervals: **coverage** as elsewhere. Tests: under the null hypothesis **coverage** is
the share of samples in which the test says nothing, one less its size. McNemar's forms and the paired and unpaired
differences are summed exactly over all samples; the rest is drawn. McNemar's exact and corrected
forms must keep their level everywhere; Wald, with or without correction, is there to be asked for by name. The power of
plans stands on [a page of its own](forecasts.md).

Rates of two classifiers: recalls and specificities with the correlation named between right and right; at 0.8 one
classifier is almost never right where the other is not, which is the hardest case. Clusters: each has wins of its own,
spread as named. Weights: log-normal, unrelated to who is right, or greater where the first alone is."""

Floats = NDArray[np.float64]
Job = tuple[Any, ...]
# Two recalls, two specificities.
Classifiers = tuple[tuple[float, float], tuple[float, float]]

# STATISTICS.md V2: (n, share of discordant cases), then the size of each form.
SIZES = {
    (50, 0.3): {"uncorrected": 0.0474, "corrected": 0.0239, "exact": 0.0275, "mid-p": 0.0462},
    (200, 0.1): {"uncorrected": 0.0521, "corrected": 0.0266, "exact": 0.0294, "mid-p": 0.0457},
}
OTHER_SIZES = ((10, 0.3), (20, 0.2), (30, 0.5), (100, 0.05), (500, 0.02), (1000, 0.2))
# V3: cells (both, only first, only second, neither), then the coverage of each method.
COVERAGES = {
    (30, (0.70, 0.15, 0.05, 0.10)): {"Wald": 0.921, "Tango": 0.963, "Newcombe 10": 0.973, "Bonett-Price": 0.973},
    (100, (0.90, 0.06, 0.01, 0.03)): {"Wald": 0.926, "Tango": 0.955, "Newcombe 10": 0.979, "Bonett-Price": 0.969},
}
TRUSTED = ("Tango", "Newcombe 10", "Bonett-Price")
CLASSIFIERS: tuple[Classifiers, ...] = (
    ((0.85, 0.75), (0.7, 0.8)),
    ((0.95, 0.9), (0.97, 0.95)),
    ((0.9, 0.9), (0.9, 0.9)),
)
MANY = 1e9


def jobs(*, quick: bool) -> list[Job]:
    """What is simulated, and its design."""
    sizes: list[Job] = [("mcnemar", *design) for design in (*SIZES, *OTHER_SIZES)]
    paired: list[Job] = [("paired", n, cells, 0.95) for n, cells in COVERAGES]
    levels = (0.95,) if quick else (0.95, 0.9, 0.99)
    tango: list[Job] = [("tango", n, level) for n in ((10, 30) if quick else (8, 10, 20, 50, 100)) for level in levels]
    two: list[Job] = [("unpaired", *n) for n in (((10, 10),) if quick else ((10, 10), (20, 20), (30, 10), (60, 30)))]
    several: list[Job] = [("cochran", n, 4) for n in (20, 40, 150)]
    several += [("labels", n, k) for n in (50, 200) for k in (3, 5)]
    designs = [(prev, one, rho) for prev in (0.5, 0.2) for one in CLASSIFIERS for rho in (0.3, 0.8)]
    rates: list[Job] = [("rates", n, *design) for n in (100, 500) for design in (designs[:1] if quick else designs)]
    clusters: list[Job] = [("clusters", groups, spread) for groups in (3, 5, 10, 30, 100) for spread in (0.0, 0.3)]
    weights: list[Job] = [("weights", n, related) for n in (50, 200, 1000) for related in (False, True)]
    return sizes + paired + tango + two + several + rates + clusters + weights


def run(job: Job, replicates: int = DRAWS) -> list[Row]:
    """The rows of one design."""
    simulate: dict[str, Callable[..., list[Row]]] = {
        "mcnemar": _mcnemar,
        "paired": _paired,
        "tango": _tango,
        "unpaired": _unpaired,
        "cochran": _cochran,
        "labels": _labels,
        "rates": _rates,
        "clusters": _clusters,
        "weights": _weights,
    }
    kind, *design = job
    exact = ("mcnemar", "paired", "tango", "unpaired")
    return simulate[kind](*design) if kind in exact else simulate[kind](*design, replicates)


def _mcnemar(n: int, discordant: float) -> list[Row]:
    """The size of every form, summed over the number of discordant cases and who won them."""
    pairs, weight = multinomial(n, (discordant / 2, discordant / 2))
    rows = []
    for form in MCNEMAR_FORMS:
        p = _p_values(form, n)
        size = float(weight[p[pairs[:, 0], pairs[:, 1]] < 0.05].sum())
        wanted = SIZES.get((n, discordant), {}).get(form, math.nan)
        bar = {"exact": 0.95, "corrected": 0.95, "mid-p": 0.948}.get(form, lowest_allowed(0.95))
        words = f"null, {discordant:g} discordant"
        rows.append(
            one_row("equal accuracy", f"McNemar, {form}", words, n, 1 - size, bar=bar, expected=1 - wanted, slack=6e-5)
        )
    return rows


@cache
def _p_values(form: str, n: int) -> Floats:
    p = np.ones((n + 1, n + 1))
    # More than this many discordant cases have no weight in any design here.
    most = min(n, 400)
    for b in range(most + 1):
        for c in range(b, most + 1 - b):
            p[b, c] = p[c, b] = mcnemar(b, c, form).p_value
    return p


def _paired(n: int, cells: tuple[float, float, float, float], level: float) -> list[Row]:
    """Every paired interval over all tables of n cases with these four shares."""
    both, first, second, _ = cells
    tables, weight = multinomial(n, (both, first, second))
    kept = weight > 1e-9
    tables, weight = tables[kept], weight[kept] / weight[kept].sum()
    truth = first - second
    rows = []
    for method in DIFFERENCE_METHODS:
        found = [
            difference_interval(
                PairedCorrectness.named(both=a, only_first=b, only_second=c, neither=n - a - b - c), level, method
            )
            for a, b, c in tables.tolist()
        ]
        wanted = COVERAGES.get((n, cells), {}).get(method, math.nan) if level == 0.95 else math.nan
        bar = lowest_allowed(level) if method in TRUSTED else NO_FLOOR
        words = f"shares {both:g}, {first:g}, {second:g}"
        rows.append(summed_row("accuracy difference", method, words, n, truth, found, weight, level, bar, wanted))
    return rows


def _tango(n: int, level: float) -> list[Row]:
    """Tango's interval over all tables, for discordant shares from few to many, even and one-sided."""
    tables, _ = multinomial(n, (0.1, 0.1))
    found = [
        compare_correctness(PairedCorrectness.named(both=n - b - c, only_first=b, only_second=c, neither=0), level)[1]
        for b, c in tables.tolist()
    ]
    rows = []
    for discordant in (0.02, 0.1, 0.3, 0.7):
        for side in (0.5, 0.75, 1.0):
            cells = discordant * side, discordant * (1 - side)
            _, weight = multinomial(n, cells)
            words = f"{discordant:g} discordant, {side:g} of them the first's"
            bar = lowest_allowed(level)
            rows.append(
                summed_row(
                    "accuracy difference", "Tango", words, n, cells[0] - cells[1], found, weight, level, bar, math.nan
                )
            )
    return rows


def _unpaired(n1: int, n2: int) -> list[Row]:
    """The intervals for two samples over all pairs of counts."""
    counts = [(x1, x2) for x1 in range(n1 + 1) for x2 in range(n2 + 1)]
    found = {
        "Miettinen-Nurminen": [unpaired_test(x1, n1, x2, n2)[1] for x1, x2 in counts],
        "Newcombe": [unpaired_interval(x1, n1, x2, n2) for x1, x2 in counts],
    }
    rows = []
    for p1, p2 in ((0.5, 0.5), (0.9, 0.9), (0.9, 0.7), (0.98, 0.9), (0.98, 0.98)):
        weight = np.outer(binomial(n1, p1), binomial(n2, p2)).ravel()
        for method, intervals in found.items():
            words, bar = f"shares {p1:g} and {p2:g}", lowest_allowed(0.95)
            row = summed_row(
                "unpaired difference", method, words, n1 + n2, p1 - p2, intervals, weight, 0.95, bar, math.nan
            )
            rows.append(row)
    return rows


def _cochran(n: int, k: int, replicates: int) -> list[Row]:
    """Several equally good classifiers whose errors go together: normal difficulty, correlation a half."""
    rng = generator("cochran", n, k)
    noise = rng.standard_normal((replicates, n, k)) + rng.standard_normal((replicates, n, 1))
    right = noise < math.sqrt(2) * float(ndtri(0.8))
    names = tuple("abcdefgh"[:k])
    p = [cochran_q(JointCorrectness.of(one, names)).p_value for one in right]
    wanted = {40: 0.041, 150: 0.047}.get(n, math.nan)
    words = f"{k} classifiers, accuracy 0.8, correlated"
    return [size_row("equal accuracy", "Cochran's Q", words, n, p, expected=1 - wanted)]


def _labels(n: int, k: int, replicates: int) -> list[Row]:
    """Two sets of labels with the same shares, exchanged alike either way: seven in ten stay as they are."""
    cells = np.full((k, k), 0.3 / (k * (k - 1)))
    np.fill_diagonal(cells, 0.7 / k)
    samples = generator("labels", n, k).multinomial(n, cells.ravel(), size=replicates)
    matrices = [ConfusionMatrix(one.reshape(k, k)) for one in samples]
    words = f"{k} classes, 0.3 exchanged"
    return [
        size_row("equal labels", name, words, n, [test(matrix).p_value for matrix in matrices])
        for name, test in (("Stuart-Maxwell", stuart_maxwell), ("Bowker", bowker))
    ]


def _rates(n: int, prevalence: float, classifiers: Classifiers, rho: float, replicates: int) -> list[Row]:
    """Ratios of six rates, and where both classifiers are alike the tests that they are."""
    recalls, specificities = classifiers
    cells = np.stack(
        (
            (1 - prevalence) * joint_events(1 - specificities[0], 1 - specificities[1], rho),
            prevalence * joint_events(recalls[0], recalls[1], rho),
        )
    )
    words = f"recall {recalls}, specificity {specificities}, prevalence {prevalence:g}, correlation {rho:g}"
    draws = generator("rates", n, words).multinomial(n, cells.ravel(), size=replicates)
    tables = [_decisions(one.reshape(2, 2, 2)) for one in draws]
    rows = []
    for rate in RATES:
        truth = rate_ratio(_decisions(cells * MANY), rate).effect.value
        found = [rate_ratio(table, rate).effect for table in tables]
        intervals = [Interval(one.low, one.high, "ratio on the log scale") for one in found]
        rows.append(interval_row(f"ratio of {rate}", words, n, truth, intervals, positives=n * prevalence))
    return rows + (_rate_tests(tables, words, n) if recalls[0] == recalls[1] else [])


def _rate_tests(tables: Sequence[PairedDecisions], words: str, n: int) -> list[Row]:
    rows = [
        size_row(
            f"equal {rate}", form, words, n, [predictive_value_test(table, rate, form).p_value for table in tables]
        )
        for rate in ("precision", "npv")
        for form in ("weighted score", "score")
    ]
    for pair in (RATES[:2], RATES[2:4], RATES[4:]):
        p = [global_test(table, pair).p_value for table in tables]
        rows.append(size_row(f"equal {' and '.join(pair)}", "global", words, n, p))
    return rows


def _clusters(groups: int, spread: float, replicates: int) -> list[Row]:
    """Clusters of 2 to 14 cases whose chance that the first alone is right varies between them."""
    rng = generator("clusters", groups, spread)
    tests, intervals, forms = [], [], {"Obuchowski": [], "Durkalski": []}  # type: ignore[var-annotated]
    for _ in range(replicates):
        sizes = rng.integers(2, 15, groups)
        tilt = 0.15 + np.clip(spread * rng.standard_normal(groups), -0.5, 0.5) * 0.3
        first, second = np.clip(tilt, 0, 0.3), np.clip(0.3 - tilt, 0, 0.3)
        draws = rng.multinomial(sizes, np.stack((np.full(groups, 0.1), second, first, 0.9 - first - second), axis=-1))
        clusters = draws.reshape(groups, 2, 2).astype(np.float64)
        paired = PairedCorrectness(clusters.sum(0), clusters=clusters)
        test, interval = clustered_test(clusters)
        tests.append(test.p_value)
        intervals.append(interval)
        for form, p in forms.items():
            p.append(clustered_mcnemar(paired, form).p_value)
    words, cases = f"{groups} clusters of 2 to 14, spread {spread:g}", 8.0 * groups
    rows = [interval_row("accuracy difference", words, cases, 0.0, intervals)]
    rows.append(size_row("equal accuracy", "clusters, t", words, cases, tests))
    rows += [size_row("equal accuracy", f"McNemar, {form}", words, cases, p) for form, p in forms.items()]
    return rows


def _weights(n: int, related: bool, replicates: int) -> list[Row]:
    """Weighted cases: the population is what the weights make of it, so the true difference is known."""
    rng = generator("weights", n, related)
    # One row of shares: neither, only the second, only the first, both; the first's wins weigh e**0.5 times as much.
    shares, lift = np.array([0.1, 0.1, 0.1, 0.7]), math.exp(0.5) if related else 1.0
    heavy = shares * np.array([1.0, 1.0, lift, 1.0])
    truth = float((heavy[2] - heavy[1]) / heavy.sum())
    intervals = []
    for _ in range(replicates):
        cell = rng.choice(4, size=n, p=shares)
        weight = np.exp(0.7 * rng.standard_normal(n)) * np.where(cell == 2, lift, 1.0)
        paired = PairedCorrectness.of(cell >= 2, cell % 2 == 1, weight=weight)
        intervals.append(compare_correctness(paired)[1])
    words = f"log-normal weights, {'greater for the first' if related else 'unrelated'}"
    return [interval_row("accuracy difference", words, n, truth, intervals)]


def _decisions(counts: NDArray[Any]) -> PairedDecisions:
    return PairedDecisions(counts.astype(np.float64), ("no", "yes"), ("no", "yes"))
