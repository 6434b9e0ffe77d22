"""Measures from labels of a sample of the rows: coverage on populations and sampling designs drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.labelling import (
    COMPARED,
    SCORES,
    LabelledRows,
    Target,
    draw_rows,
    estimated,
    inclusion_probabilities,
    sampled_difference,
    unlabelled,
    verified_shares,
)
from assay.labelling.differences import SampledDifference
from assay.measures import Measure, registry
from assay.results import Estimate
from verification._coverage import generator
from verification._pages import HEAD, lines
from verification._row import Row, lowest_allowed

__all__ = ["SAID", "jobs", "page", "run", "summary"]

SAID = """A sample of the rows is labelled, with known inclusion probabilities; limits are for what labels of all rows
would show ("these rows"), or for new cases like them.

Designs are drawn at random: 3,000 to 20,000 rows (2,000 to 10,000 for new cases), 100 to 1,500 labels, at most a
quarter of the rows (half for new cases), .5 to 40 % positive, AUC .72 to .985, spreads of the classes equal or not;
half the populations have 1 to 12 % hidden positives, whose scores are those of negatives; half the scores are
miscalibrated (shift up to 1.2 logits, slope .5 to 2); .4 to 3 times as many are predicted positive as there are.
Samples are simple, Poisson or systematic in score order; probabilities are made for recall, accuracy, ROC AUC, average
precision, the Brier score or recall, precision and F1 together, with a floor of .1, .25 or .5. Each population is one
for all its samples where these rows are the target. The rules come from simulations outside this project, on seeds of
their own; this page is made from odd seeds. Populations are no larger than this because every sample fits a working
model to all rows. Differences are between two models whose scores share 30 to 95 %; "verified" has all or .7 of the
predicted positives and 2 to 30 % of the others verified, with chances estimated by predicted label. A design counts
in the summary where nine of ten samples show limits; "proxy" is a simple sample with a cheap label of every row, of
sensitivity .6 to .97 and specificity .7 to .99. Differences had no limits below 10 labelled rows of a class after
an even seed showed .76 for the Brier score with 3 to 10 labelled positives."""

Floats = NDArray[np.float64]
Job = tuple[Any, ...]
LEVEL, SAMPLES = 0.95, 200
# Complements and functions of another measure have its limits.
COMPLEMENTS = (
    *("error_rate", "fnr", "fpr", "fdr", "false_omission_rate"),
    *("jaccard", "averaged_class_error", "informedness"),
)
OF_CALLS = [one for one in registry.values() if one.from_sample is not None and one.name not in COMPLEMENTS]
OF_SCORES = [*SCORES]
AIMS = (("recall",), ("accuracy",), ("roc_auc",), ("average_precision",), ("brier",), ("recall", "precision", "f1"))


@dataclass(frozen=True)
class Population:
    """Rows to draw samples of, all of them with their labels, and how a sample of them is drawn."""

    words: str
    score: Floats
    truth: Floats
    called: NDArray[np.bool_]
    chance: Floats
    kind: str

    @classmethod
    def drawn(cls, seed: int, target: Target) -> Population:
        """A population by its seed."""
        rng = generator("few labels", target, seed)
        least, most, share = (3_000, 20_000, 0.25) if target == "rows" else (2_000, 10_000, 0.5)
        size = round(math.exp(rng.uniform(math.log(least), math.log(most))))
        labels = round(math.exp(rng.uniform(math.log(100), math.log(min(1_500, share * size)))))
        make = _Maker.drawn(rng)
        truth, score = make.sample(size, rng)
        cut = float(np.quantile(score, 1 - min(0.9, make.prevalence * math.exp(rng.uniform(*np.log([0.4, 3]))))))
        called = score >= cut
        kind = str(rng.choice(["simple", "poisson", "systematic", "systematic"]))
        floor, aim = float(rng.choice([0.1, 0.25, 0.5])), AIMS[rng.integers(len(AIMS))]
        if kind == "simple":
            chance = np.full(size, labels / size)
        else:
            aims = [registry[name] for name in aim]
            chance = inclusion_probabilities(unlabelled(score, called), aims, labels, floor)
        how = kind if kind == "simple" else f"{kind} for {', '.join(aim)}, floor {floor:g}"
        return cls(f"{labels:,} of {size:,} rows, {how}; {make.words}", score, truth, called, chance, kind)

    def sample(self, rng: np.random.Generator) -> LabelledRows:
        """The same rows of which a sample is labelled."""
        seed = int(rng.integers(2**31))
        picked = draw_rows(self.chance, np.argsort(self.score, kind="stable"), self.kind, seed)  # type: ignore[arg-type]
        label = np.full(len(self.truth), np.nan)
        label[picked] = self.truth[picked]
        return LabelledRows(label, self.chance, self.score, self.called)

    def value(self, name: str) -> float:
        """What labels of all rows show."""
        rows = LabelledRows(self.truth, np.ones(len(self.truth)), self.score, self.called)
        return estimated(rows, registry.get(name, name), LEVEL, "rows").value


@dataclass(frozen=True)
class _Maker:
    """What rows are drawn from: two normal scores, some positives hidden, probabilities right or wrong."""

    prevalence: float
    apart: float
    spread: float
    hidden: float
    shift: float
    slope: float

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> _Maker:
        """A maker at random."""
        prevalence = math.exp(rng.uniform(math.log(0.005), math.log(0.4)))
        apart = float(rng.uniform(0.82, 3.1))
        spread = 1.0 if rng.random() < 0.5 else float(rng.uniform(0.7, 1.4))
        hidden = float(rng.uniform(0.01, 0.12)) if rng.random() < 0.5 else 0.0
        is_wrong = rng.random() < 0.5
        shift = float(rng.uniform(-1.2, 1.2)) if is_wrong else 0.0
        slope = math.exp(rng.uniform(math.log(0.5), math.log(2))) if is_wrong else 1.0
        return cls(prevalence, apart * math.sqrt((1 + spread**2) / 2), spread, hidden, shift, slope)

    @property
    def words(self) -> str:
        """The maker in words."""
        hidden = f", {self.hidden:.0%} hidden" if self.hidden else ""
        wrong = f", logits {self.shift:+.1f}, slope {self.slope:.1f}" if self.slope != 1 else ""
        return f"{self.prevalence:.1%} positive, {self.apart:.1f} apart, spread {self.spread:.1f}{hidden}{wrong}"

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Truth and probabilities."""
        truth = (rng.random(size) < self.prevalence).astype(np.float64)
        shows = (truth == 1) & (rng.random(size) >= self.hidden)
        x = np.where(shows, self.apart + self.spread * rng.standard_normal(size), rng.standard_normal(size))
        odds = (
            logit(self.prevalence)
            + 0.5 * (x**2 - ((x - self.apart) / self.spread) ** 2)
            - math.log(self.spread)
        )  # fmt: skip
        return truth, np.clip(expit(self.shift + self.slope * odds), 1e-9, 1 - 1e-9)


def jobs(*, quick: bool) -> list[Job]:
    """What is simulated, by odd seeds."""
    return [
        *(("rows", seed) for seed in range(1, 12 if quick else 200, 2)),
        *(("new", seed) for seed in range(1, 6 if quick else 60, 2)),
        *(("difference", seed) for seed in range(1, 6 if quick else 60, 2)),
        *(("verified", seed) for seed in range(1, 6 if quick else 60, 2)),
        *(("proxy", seed) for seed in range(1, 6 if quick else 60, 2)),
    ]


def run(job: Job) -> list[Row]:
    """One design."""
    target, seed = job
    if target == "difference":
        return _of_differences(seed)
    if target == "proxy":
        return _of_proxies(seed)
    if target == "verified":
        return _of_verified(seed)
    return _of_new_cases(seed) if target == "new" else _of_these_rows(seed)


def _of_these_rows(seed: int) -> list[Row]:
    population, rng = Population.drawn(seed, "rows"), generator("few labels", "samples", seed)
    named: dict[str, Measure | str] = {one.name: one for one in OF_CALLS} | {name: name for name in OF_SCORES}
    found: dict[str, list[Estimate]] = {name: [] for name in named}
    for _ in range(SAMPLES):
        rows = population.sample(rng)
        for name, measure in named.items():
            found[name].append(estimated(rows, measure, LEVEL, "rows"))
    return [_row(name, population.words, each, population.value(name), population) for name, each in found.items()]


def _of_differences(seed: int) -> list[Row]:
    """A second model on the same rows, its scores correlated with the first's in either class."""
    population, rng = Population.drawn(seed, "rows"), generator("few labels", "differences", seed)
    shared = float(rng.uniform(0.3, 0.95))
    logits = logit(population.score)
    noise = logits.std() * rng.standard_normal(len(logits))
    second = np.clip(expit(shared * logits + (1 - shared) * (logits.mean() + noise)), 1e-9, 1 - 1e-9)
    called = second >= np.quantile(second, 1 - population.called.mean())
    full = (np.ones(len(logits)), population.score, population.called), (np.ones(len(logits)), second, called)
    whole = [LabelledRows(population.truth, *each) for each in full]
    found: dict[str, list[SampledDifference]] = {one.name: [] for one in COMPARED}
    for _ in range(SAMPLES):
        rows = population.sample(rng)
        other = LabelledRows(rows.label, rows.inclusion, second, called)
        for one in COMPARED:
            found[one.name].append(sampled_difference(rows, other, one, LEVEL))
    words = f"difference, {shared:.2f} shared: {population.words}"
    values = {one.name: sampled_difference(whole[0], whole[1], one, LEVEL).value for one in COMPARED}
    return [_row(name, words, each, values[name], population) for name, each in found.items()]


def _of_verified(seed: int) -> list[Row]:
    """All predicted positives, or most of them, and a few of the others were verified, with chances not known."""
    population, rng = Population.drawn(seed, "rows"), generator("few labels", "verified", seed)
    shares = np.where(population.called, rng.choice([1.0, 0.7]), math.exp(rng.uniform(math.log(0.02), math.log(0.3))))
    named: dict[str, Measure | str] = {one.name: one for one in OF_CALLS} | {"roc_auc": "roc_auc"}
    found: dict[str, list[Estimate]] = {name: [] for name in named}
    for _ in range(SAMPLES):
        label = np.where(rng.random(len(shares)) < shares, population.truth, np.nan)
        chance, unknown = verified_shares(label, population.called.astype(np.intp))
        rows = LabelledRows(label, np.where(unknown, 1.0, chance), population.score, population.called)
        for name, measure in named.items():
            found[name].append(estimated(rows, measure, LEVEL, "rows"))
    words = f"verified, {shares.min():.0%} of predicted negatives: {population.words}"
    return [_row(name, words, each, population.value(name), population) for name, each in found.items()]


def _of_proxies(seed: int) -> list[Row]:
    """A simple sample, with a cheap label of every row that errs in either class."""
    population, rng = Population.drawn(seed, "rows"), generator("few labels", "proxy", seed)
    size, labels = len(population.truth), round(float(population.chance.sum()))
    hit, correct = float(rng.uniform(0.6, 0.97)), float(rng.uniform(0.7, 0.99))
    proxy = (rng.random(size) < np.where(population.truth == 1, hit, 1 - correct)).astype(np.float64)
    found: dict[str, list[Estimate]] = {one.name: [] for one in OF_CALLS}
    for _ in range(SAMPLES):
        label = np.full(size, np.nan)
        picked = rng.permutation(size)[:labels]
        label[picked] = population.truth[picked]
        rows = LabelledRows(label, np.full(size, labels / size), population.score, population.called, proxy=proxy)
        for one in OF_CALLS:
            found[one.name].append(estimated(rows, one, LEVEL, "rows"))
    words = f"proxy, sensitivity {hit:.2f}, specificity {correct:.2f}: {population.words}"
    return [_row(name, words, each, population.value(name), population) for name, each in found.items()]


def _of_new_cases(seed: int) -> list[Row]:
    """Another population of the same kind for each sample; the truth is that of very many rows."""
    first = Population.drawn(seed, "new")
    rng = generator("few labels", "samples of new cases", seed)
    make, cut = _maker_of(seed), float(first.score[first.called].min())
    truth, score = make.sample(2_000_000, rng)
    whole = ConfusionMatrix.of(truth.astype(int), (score >= cut).astype(int), ("0", "1"))
    table = ScoreTable.of(score, truth == 1)
    named = {one.name: one for one in OF_CALLS if one.from_sample == "new"}
    values = {name: float(one(whole if one.needs is ConfusionMatrix else table)) for name, one in named.items()}
    found: dict[str, list[Estimate]] = {name: [] for name in named}
    for _ in range(SAMPLES):
        rows = _again(first, make, cut, rng).sample(rng)
        for name, measure in named.items():
            found[name].append(estimated(rows, measure, LEVEL, "new"))
    words = f"new cases: {first.words}"
    return [_row(name, words, each, values[name], first) for name, each in found.items()]


def _maker_of(seed: int) -> _Maker:
    """What the first population of a seed was drawn from."""
    rng = generator("few labels", "new", seed)
    rng.uniform(), rng.uniform()
    return _Maker.drawn(rng)


def _again(first: Population, make: _Maker, cut: float, rng: np.random.Generator) -> Population:
    """Other rows of the same kind, whose chances depend on their scores as those of the first do."""
    truth, score = make.sample(len(first.truth), rng)
    order = np.argsort(first.score, kind="stable")
    place = np.searchsorted(first.score[order], score).clip(0, len(order) - 1)
    chance = first.chance[order][place]
    kind = "poisson" if first.kind == "poisson" else first.kind
    if kind != "poisson":
        chance = np.minimum(chance * round(float(first.chance.sum())) / chance.sum(), 1.0)
    return Population(first.words, score, truth, score >= cut, chance, kind)


def _row(
    name: str, words: str, found: Sequence[Estimate | SampledDifference], value: float, population: Population
) -> Row:
    low, high = (np.array([getattr(each, side) for each in found]) for side in ("low", "high"))
    shown = ~np.isnan(low)
    held = (low <= value + 1e-12) & (value - 1e-12 <= high)
    missed = float((shown & ~held).mean())
    methods = [each.method.split(" with ")[0] for each in found if isinstance(each, Estimate) and each.method != "none"]
    return Row(
        measure=name,
        method=max(sorted(set(methods)), key=methods.count, default="t, larger of two variances"),
        design=words,
        n=len(population.truth),
        positives=float(population.truth.sum()),
        truth=value,
        level=LEVEL,
        coverage=float(held[shown].mean()) if shown.any() else math.nan,
        error=math.sqrt(max(missed * (1 - missed), 0.25 / len(found)) / len(found)),
        width=float((high - low)[shown].mean()) if shown.any() else math.nan,
        missing=float((~shown).mean()),
        bar=lowest_allowed(LEVEL),
    )


def summary(rows: Sequence[Row]) -> str:
    """How many rows lie below .92 where most samples show limits."""
    shown = [row for row in rows if row.missing <= 0.1]
    low = sum(row.coverage < 0.92 for row in shown)
    return f"{len(shown)} rows with limits in nine of ten samples: {low} cover less than .92."


def page(title: str, said: str, rows: Sequence[Row]) -> str:
    """The summary by measure, then every design whose coverage is below .92."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        kind = next(
            (word for word in ("new cases", "difference", "verified", "proxy") if row.design.startswith(word)),
            "these rows",
        )
        groups.setdefault((kind, row.measure), []).append(row)
    head = (
        "| target | measure | designs | least | 5 % worst | median | share below .92 | samples without limits |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|\n"
    )
    table = "".join(_summed(kind, name, each) for (kind, name), each in groups.items())
    low = [row for row in rows if row.missing <= 0.1 and row.coverage < 0.92]
    listed = f"\n## Designs below .92\n\n{HEAD}{lines(low)}" if low else ""
    return f"# {title}\n\n{said}\n\n{summary(rows)}\n\n## By measure\n\n{head}{table}{listed}"


def _summed(kind: str, name: str, rows: Sequence[Row]) -> str:
    shown = np.array([row.coverage for row in rows if row.missing <= 0.1])
    missing = float(np.mean([row.missing for row in rows]))
    if not len(shown):
        return f"| {kind} | {name} | 0 | - | - | - | - | {missing:.2f} |\n"
    least, worst, middle = np.quantile(shown, [0, 0.05, 0.5])
    return (
        f"| {kind} | {name} | {len(shown)} | {least:.3f} | {worst:.3f} | {middle:.3f} | "
        f"{float((shown < 0.92).mean()):.1%} | {missing:.2f} |\n"
    )
