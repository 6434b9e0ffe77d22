"""Item scores, pass@k, majority@k, tied sets and judges with errors: coverage on designs drawn at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri
from scipy.stats import binom

from assay.evidence import ConfusionMatrix
from assay.items import (
    BattleEvaluation,
    Battles,
    KnownRates,
    agreement_estimates,
    difference_limits,
    fitted_strengths,
    labelled_share,
    majority_at,
    mean_limits,
    pass_at,
    rated_share,
    spread_of,
    tied_for_best,
)
from assay.items.judge import AGREEMENT
from verification._coverage import generator
from verification._pages import HEAD, lines
from verification._row import Row, lowest_allowed

__all__ = ["SAID", "jobs", "page", "run", "summary"]

SAID = """Items with one to sixteen answers each; the unit is the item. Designs are drawn at random: 20 to 300 items,
1 to 16 repeats, scores of 0 and 1 or graded in steps of a quarter, pass@k, majority@k; the difficulty of items is beta
distributed, constant, spiked at 0 and 1, at two points, or right but for a few items. In clusters, the difficulties of
the items of one cluster are correlated (0 to .9), 6 to 60 clusters, equal or not. Of two models on the same items the
difficulties are correlated (.3 to .98). The tied set is counted as right where it holds the best of 3 to 12 models. A
judge of 200 to 2,000 items has a sensitivity of .65 to .99, a specificity of .5 to .99 and 20 to 200 human labels, or
rates known from so many items of each kind; 30 to 98 % of the items pass. Battles: 3 to 8 models, 30 to 150 questions
with 1 to 4 battles, a fifth ties, strengths that differ between questions or not; every difference of two counts.

The rules were chosen outside this project, on seeds of their own; this page is made from odd seeds, with fewer designs
and samples than those had. Known to fall short: few clusters (below 8) with scores graded and strongly
correlated, and few items that are always wrong in a few clusters; below 6 effective clusters Assay warns."""

Floats = NDArray[np.float64]
Job = tuple[str, int]
LEVEL, SAMPLES, TIED_SAMPLES = 0.95, 600, 150
KINDS = ("mean", "mean in clusters", "pass@k", "majority@k", "difference", "difference in clusters", "tied set")
BATTLES = ("battles", "battles: tied set")
OF_JUDGES = ("judge and human labels", "judge of known rates", "agreement")
GRID = (np.arange(20_000) + 0.5) / 20_000


@dataclass(frozen=True)
class Items:
    """Items by the distribution of their difficulty, the number of answers to each, and clusters of them."""

    words: str
    quantile: Callable[[Floats], Floats]
    n: int
    repeats: int
    steps: int
    sizes: tuple[int, ...] = ()
    correlation: float = 0.0

    @classmethod
    def drawn(cls, rng: np.random.Generator, *, clustered: bool = False) -> Items:
        """Items at random."""
        n = round(math.exp(rng.uniform(math.log(20), math.log(300))))
        repeats = int(rng.choice([1, 2, 4, 8, 16]))
        steps = int(rng.choice([1, 1, 4]))
        words, quantile = _difficulty(rng)
        sizes: tuple[int, ...] = ()
        correlation = 0.0
        if clustered:
            count = round(math.exp(rng.uniform(math.log(6), math.log(60))))
            shares = rng.dirichlet(np.full(count, 50.0 if rng.random() < 0.5 else 4.0))
            sizes = tuple(int(size) for size in np.maximum(1, np.round(shares * max(n, 2 * count))))
            n, correlation = sum(sizes), float(rng.choice([0.0, 0.2, 0.5, 0.9]))
        kind = "graded" if steps > 1 else "right or wrong"
        of_clusters = f", {len(sizes)} clusters, correlation {correlation:g}" if clustered else ""
        return cls(
            f"{n} items, {repeats} repeats, {kind}, {words}{of_clusters}",
            quantile,
            n,
            repeats,
            steps,
            sizes,
            correlation,
        )

    @property
    def clusters(self) -> list[str] | None:
        """The cluster of each item."""
        return [str(g) for g, size in enumerate(self.sizes) for _ in range(size)] if self.sizes else None

    def latent(self, rng: np.random.Generator) -> Floats:
        """The difficulty of the items before its distribution, normal and correlated within clusters."""
        own = rng.standard_normal(self.n)
        if not self.sizes:
            return own
        shared = np.repeat(rng.standard_normal(len(self.sizes)), self.sizes)
        return np.asarray(math.sqrt(self.correlation) * shared + math.sqrt(1 - self.correlation) * own)

    def answers(self, chance: Floats, rng: np.random.Generator) -> Floats:
        """The mean score of the answers to each item."""
        graded = rng.binomial(self.steps, chance[:, None], (len(chance), self.repeats)) / self.steps
        return np.asarray(graded.mean(1))


def _difficulty(rng: np.random.Generator) -> tuple[str, Callable[[Floats], Floats]]:
    """A distribution of the chance that an answer is right, by its quantiles."""
    kind = str(rng.choice(["beta", "constant", "spiked", "two points", "few wrong"]))
    if kind == "beta":
        a, b = np.exp(rng.uniform(math.log(0.3), math.log(6), 2))
        return f"beta({a:.1f}, {b:.1f})", lambda u: np.asarray(betaincinv(a, b, u))
    if kind == "constant":
        p = float(rng.choice([0.05, 0.3, 0.5, 0.8, 0.95]))
        return f"constant {p:g}", lambda u: np.full(len(u), p)
    if kind == "spiked":
        low, high = sorted(rng.uniform(0.1, 0.9, 2))
        return f"spikes at 0 and 1 from {low:.2f} to {high:.2f}", lambda u: np.where(
            u < low, 0.0, np.where(u > high, 1.0, (u - low) / max(high - low, 1e-9))
        )
    if kind == "two points":
        low, high, share = float(rng.uniform(0, 0.4)), float(rng.uniform(0.6, 1)), float(rng.uniform(0.1, 0.9))
        return f"{low:.2f} or {high:.2f} ({share:.0%})", lambda u: np.where(u < share, low, high)
    share = float(rng.uniform(0.02, 0.1))
    return f"{share:.0%} always wrong", lambda u: np.where(u < share, 0.0, 0.98)


def jobs(*, quick: bool) -> list[Job]:
    """What is simulated, by odd seeds."""
    most = dict.fromkeys(KINDS, 81) | dict.fromkeys(("tied set", *OF_JUDGES), 41) | {BATTLES[0]: 21}
    return [(kind, seed) for kind, last in most.items() for seed in range(1, 8 if quick else last, 2)]


def run(job: Job) -> list[Row]:
    """One design."""
    kind, seed = job
    rng = generator("items", kind, seed)
    if kind == "tied set":
        return [_tied(rng, generator("items", "samples", kind, seed))]
    if kind == BATTLES[0]:
        return _battles(rng, generator("items", "samples", kind, seed))
    if kind in OF_JUDGES:
        made_of = {OF_JUDGES[0]: _labelled, OF_JUDGES[1]: _rated, OF_JUDGES[2]: _agreement}[kind]
        return made_of(kind, rng, generator("items", "samples", kind, seed))
    items = Items.drawn(rng, clustered=kind.endswith("clusters"))
    samples = generator("items", "samples", kind, seed)
    made = _differences if kind.startswith("difference") else _at if "@" in kind else _means
    return [made(kind, items, rng, samples)]


def _means(kind: str, items: Items, rng: np.random.Generator, samples: np.random.Generator) -> Row:
    truth = float(items.quantile(GRID).mean())
    found = []
    for _ in range(SAMPLES):
        chance = items.quantile(ndtr(items.latent(samples)))
        spread = spread_of(items.answers(chance, samples), items.clusters)
        found.append((math.nan, math.nan) if spread.undefined else mean_limits(spread, LEVEL))
    return _row(kind, items, found, truth)


def _at(kind: str, items: Items, rng: np.random.Generator, samples: np.random.Generator) -> Row:
    repeats = max(2, items.repeats)
    k = int(rng.integers(1, repeats + 1))
    value = pass_at if kind == "pass@k" else majority_at
    of_right = np.array([value(right, repeats, k) for right in range(repeats + 1)])
    chances = binom.pmf(np.arange(repeats + 1)[:, None], repeats, items.quantile(GRID))
    truth = float((of_right[:, None] * chances).sum(0).mean())
    found = []
    for _ in range(SAMPLES):
        chance = items.quantile(ndtr(items.latent(samples)))
        found.append(mean_limits(spread_of(of_right[samples.binomial(repeats, chance)]), LEVEL))
    return _row(kind, items, found, truth, f", k = {k} of {repeats}")


def _differences(kind: str, items: Items, rng: np.random.Generator, samples: np.random.Generator) -> Row:
    alike, shift = float(rng.choice([0.3, 0.8, 0.98])), float(rng.choice([0.0, 0.0, 0.1, 0.3]))
    truth = float(items.quantile(GRID).mean() - items.quantile(ndtr(ndtri(GRID) - shift)).mean())
    found = []
    for _ in range(SAMPLES):
        first, other = items.latent(samples), items.latent(samples)
        second = alike * first + math.sqrt(1 - alike**2) * other - shift
        values = [items.answers(items.quantile(ndtr(each)), samples) for each in (first, second)]
        spread = spread_of(values[0] - values[1], items.clusters)
        found.append((math.nan, math.nan) if spread.undefined else difference_limits(spread, LEVEL))
    return _row(kind, items, found, truth, f", models correlated {alike:g}, shift {shift:g}")


def _tied(rng: np.random.Generator, samples: np.random.Generator) -> Row:
    items = Items.drawn(rng)
    count = int(rng.integers(3, 13))
    shifts = np.where(rng.random(count) < 0.5, 0.0, rng.uniform(0, 0.6, count))
    shifts[0] = 0.0
    alike, kept = float(rng.choice([0.5, 0.9])), []
    for _ in range(TIED_SAMPLES):
        shared = items.latent(samples)
        latent = [alike * shared + math.sqrt(1 - alike**2) * items.latent(samples) - shift for shift in shifts]
        values = [items.answers(items.quantile(ndtr(each)), samples) for each in latent]
        kept.append(tied_for_best(values, None, LEVEL, seed=int(samples.integers(2**31))))
    table = np.array(kept)
    found = [(0.0, 1.0) if row[0] else (2.0, 3.0) for row in table]
    words = f", {count} models, {int((shifts == 0).sum())} of them best"
    row = _row("tied set", items, found, 0.5, words)
    return Row(**{**_fields(row), "truth": math.nan, "width": float(table.sum(1).mean())})


@dataclass(frozen=True)
class Judge:
    """A judge of items: the share that truly passes, its sensitivity and specificity, items and human labels."""

    theta: float
    sensitivity: float
    specificity: float
    n: int
    labels: int

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Judge:
        """A judge at random."""
        theta = float(rng.choice([0.3, 0.5, 0.8, 0.9, 0.95, 0.98]))
        n = int(rng.integers(200, 2_000))
        return cls(theta, float(rng.uniform(0.65, 0.99)), float(rng.uniform(0.5, 0.99)), n, int(rng.integers(20, 200)))

    @property
    def words(self) -> str:
        """The judge in words."""
        rates = f"sensitivity {self.sensitivity:.2f}, specificity {self.specificity:.2f}"
        return f"{self.theta:.0%} pass, {rates}, {self.labels} human labels or items of known rates"

    def sample(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """True labels and the judge's."""
        truth = rng.random(self.n) < self.theta
        passed = rng.random(self.n) < np.where(truth, self.sensitivity, 1 - self.specificity)
        return truth.astype(np.float64), passed.astype(np.float64)


def _labelled(kind: str, rng: np.random.Generator, samples: np.random.Generator) -> list[Row]:
    judge = Judge.drawn(rng)
    found = []
    for _ in range(SAMPLES):
        truth, passed = judge.sample(samples)
        one, _weight = labelled_share(truth[: judge.labels], passed[: judge.labels], passed[judge.labels :], LEVEL)
        found.append((one.low, one.high))
    return [_row(kind, judge, found, judge.theta)]


def _rated(kind: str, rng: np.random.Generator, samples: np.random.Generator) -> list[Row]:
    judge = Judge.drawn(rng)
    found = []
    for _ in range(SAMPLES):
        _, passed = judge.sample(samples)
        right = (samples.binomial(judge.labels, rate) for rate in (judge.sensitivity, judge.specificity))
        right_passes, right_fails = (int(each) for each in right)
        rates = KnownRates(right_passes, judge.labels, right_fails, judge.labels)
        one = rated_share(int(passed.sum()), judge.n, rates, LEVEL)
        found.append((one.low, one.high))
    return [_row(kind, judge, found, judge.theta)]


def _agreement(kind: str, rng: np.random.Generator, samples: np.random.Generator) -> list[Row]:
    drawn = Judge.drawn(rng)
    judge = replace(drawn, n=int(rng.integers(30, 300)))
    cells = np.array([1 - judge.theta, judge.theta])[:, None] * np.array(
        [[judge.specificity, 1 - judge.specificity], [1 - judge.sensitivity, judge.sensitivity]]
    )
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in AGREEMENT}
    for _ in range(SAMPLES):
        truth, passed = judge.sample(samples)
        for name, one in agreement_estimates(truth, passed, LEVEL).items():
            found[name].append((one.low, one.high))
    many = ConfusionMatrix(cells * 1e12, ("0", "1"))
    return [_row(name, judge, limits, float(AGREEMENT[name](many))) for name, limits in found.items()]


def _battles(rng: np.random.Generator, samples: np.random.Generator) -> list[Row]:
    """The worst difference of two strengths, and how often the tied set holds the best."""
    count, questions = int(rng.integers(3, 9)), int(rng.integers(30, 151))
    strengths = rng.normal(0, float(rng.choice([0.3, 1.0, 2.0])), count)
    spread = float(rng.choice([0.0, 0.7]))
    names = tuple(f"m{place}" for place in range(count))
    whole = _played(names, strengths, spread, 40_000, samples, is_expected=True)
    truth = fitted_strengths(whole).values[:count]
    pairs = [(i, j) for i in range(count) for j in range(i)]
    found: dict[tuple[int, int], list[tuple[float, float]]] = {pair: [] for pair in pairs}
    kept = []
    for _ in range(TIED_SAMPLES):
        result = BattleEvaluation(_played(names, strengths, spread, questions, samples), LEVEL)
        kept.append(names[int(np.argmax(truth))] in result.best)
        for i, j in pairs:
            one = result.difference(names[i], names[j])
            found[i, j].append((one.low, one.high))
    words = f"{count} models, {questions} questions, spread of strengths over questions {spread:g}"
    rows = [_row(BATTLES[0], Named(words, questions), limits, truth[i] - truth[j]) for (i, j), limits in found.items()]
    in_set = [(0.0, 1.0) if each else (2.0, 3.0) for each in kept]
    tied = _row(BATTLES[1], Named(words, questions), in_set, 0.5)
    return [min(rows, key=lambda row: row.coverage), replace(tied, truth=math.nan, width=math.nan)]


@dataclass(frozen=True)
class Named:
    """A design by its words and its size."""

    words: str
    n: int


def _played(
    names: tuple[str, ...],
    strengths: Floats,
    spread: float,
    questions: int,
    rng: np.random.Generator,
    *,
    is_expected: bool = False,
) -> Battles:
    """Battles on questions; with `is_expected` one each, and their expected results."""
    each = np.ones(questions, dtype=int) if is_expected else rng.choice([1, 1, 2, 4], questions)
    question = np.repeat(np.arange(questions), each)
    own = strengths + spread * rng.standard_normal((questions, len(names)))
    first = rng.integers(0, len(names), len(question))
    second = (first + rng.integers(1, len(names), len(question))) % len(names)
    chance = 1 / (1 + np.exp(-(own[question, first] - own[question, second] + 0.3)))
    drawn = np.where(rng.random(len(question)) < 0.2, 0.5, rng.random(len(question)) < chance)
    result = 0.1 + 0.8 * chance if is_expected else drawn.astype(np.float64)
    return Battles(names, first, second, result, tuple(map(str, question)))


def _fields(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in Row.__slots__}


def _row(
    kind: str, items: Items | Judge | Named, found: Sequence[tuple[float, float]], truth: float, more: str = ""
) -> Row:
    low, high = np.array(found).T
    shown = ~np.isnan(low)
    held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    missed = float((shown & ~held).mean())
    return Row(
        measure=kind,
        method="max-T with half-items" if kind == "tied set" else "the wider of two",
        design=items.words + more,
        n=items.n,
        positives=math.nan,
        truth=truth,
        level=LEVEL,
        coverage=float(held[shown].mean()) if shown.any() else math.nan,
        error=math.sqrt(max(missed * (1 - missed), 0.25 / len(found)) / len(found)),
        width=float((high - low)[shown].mean()) if shown.any() else math.nan,
        missing=float((~shown).mean()),
        bar=lowest_allowed(LEVEL),
    )


def summary(rows: Sequence[Row]) -> str:
    """How many designs lie below .93 where most samples show limits."""
    shown = [row for row in rows if row.missing <= 0.1]
    low = sum(row.coverage < 0.93 for row in shown)
    return f"{len(shown)} designs with limits in nine of ten samples: {low} cover less than .93."


def page(title: str, said: str, rows: Sequence[Row]) -> str:
    """The summary by kind, then every design whose coverage is below .93."""
    head = "| what | designs | least | 5 % worst | median | samples without limits |\n|---|--:|--:|--:|--:|--:|\n"
    table = ""
    for kind in dict.fromkeys(row.measure for row in rows):
        each = [row for row in rows if row.measure == kind]
        shown = [row.coverage for row in each if row.missing <= 0.1]
        least, worst, middle = np.quantile(shown, [0, 0.05, 0.5]) if shown else (math.nan,) * 3
        missing = float(np.mean([row.missing for row in each]))
        table += f"| {kind} | {len(shown)} | {least:.3f} | {worst:.3f} | {middle:.3f} | {missing:.2f} |\n"
    low = [row for row in rows if row.missing <= 0.1 and row.coverage < 0.93]
    listed = f"\n## Designs below .93\n\n{HEAD}{lines(low)}" if low else ""
    return f"# {title}\n\n{said}\n\n{summary(rows)}\n\n## By kind\n\n{head}{table}{listed}"
