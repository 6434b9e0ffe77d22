"""The certificate: each default interval on populations drawn at random, one line a measure.

Rules may be chosen by looking at even seeds; this page is made from odd ones.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

import assay
from assay.costs import Costs
from assay.measures import Measure, find
from assay.measures.decision import minimum_cost
from assay.types import Floats
from verification._space import Kind, Population, Sample, drawn

__all__ = ["SAID", "Outcome", "jobs", "page", "run", "summary"]

SAID = """Each line is a default interval at 95 % on populations drawn at random (`verification/_space.py` says from
which space, by odd seeds; rules were chosen on even ones). "least", "5 %" and "median" are coverages over populations,
of the intervals shown. "too good" and "too bad" are the worst population's share of intervals that lie wholly on the
flattering and on the other side of the truth. "refused" is the share of samples without an interval, "width" the median
of the widths over 3.92 true standard deviations. A population fails where even the upper limit (99.9 %) of its
simulated coverage is below .92. KS, H, the hull's area and the least costs (of a false alarm : of a miss) have an
interval from ten cases of each class on, and none with weights or clusters."""

HEAD = "| measure | populations | least | 5 % | median | too good | too bad | refused | width | fail |\n"

LEVEL, BAR = 0.95, 0.92
CLOSED = (
    *("accuracy", "recall", "specificity", "precision", "npv", "f1", "likelihood_ratio_positive"),
    *("likelihood_ratio_negative", "diagnostic_odds_ratio", "roc_auc", "partial_auc(0, 0.2)", "average_precision"),
    *("brier", "log_loss", "brier_skill", "log_loss_skill"),
)
# Of the best rule of these very cases, between what it is worth here and what rules are worth on other cases.
CHOSEN: dict[str, Measure] = {
    "ks": find("ks"),
    "hull_area": find("hull_area"),
    "h_measure": find("h_measure"),
    "minimum_cost, 1 : 1": minimum_cost(Costs(fp=1, fn=1)),
    "minimum_cost, 1 : 5": minimum_cost(Costs(fp=1, fn=5)),
    "minimum_cost, 1 : 5 at 10 %": minimum_cost(Costs(fp=1, fn=5, prevalence=0.1)),
}
DRAWN = ("balanced_accuracy", "kappa", "mcc", "informedness")
# How many populations and samples of each: of what has a closed form, and of what is itself simulated.
FULL = {"closed": (60, 300), "drawn": (20, 150), "chosen": (40, 250)}
QUICK = {"closed": (24, 200), "drawn": (8, 100), "chosen": (8, 100)}

# Every kind of population, and how many of it there are for each of independent rows.
KINDS: dict[Kind, float] = {"rows": 1.0, "weights": 0.4, "clusters": 0.4}

Job = tuple[str, Kind, int, int]


@dataclass(frozen=True)
class Outcome:
    """What the intervals of one measure did on one population."""

    measure: str
    kind: Kind
    words: str
    n: int
    positives: float
    samples: int
    shown: int
    low_misses: int
    high_misses: int
    width: float
    better: str

    @property
    def coverage(self) -> float:
        """The share of intervals shown that hold the true value."""
        return 1 - (self.low_misses + self.high_misses) / self.shown if self.shown else math.nan

    @property
    def passes(self) -> bool:
        """Whether the level may be kept."""
        return not self.fails

    @property
    def fails(self) -> bool:
        """Whether the level is surely not kept: the upper limit of the coverage is below the bar."""
        held = self.shown - self.low_misses - self.high_misses
        return held < self.shown and float(betaincinv(held + 1, self.shown - held, 0.999)) < BAR


def summary(found: Sequence[Outcome]) -> str:
    """How many populations fail a measure."""
    return f"{len(found)} pairs of a measure and a population: {sum(one.fails for one in found)} fail."


def jobs(*, quick: bool, parity: int = 1) -> list[Job]:
    """Every kind of population, each seed by itself."""
    sizes = QUICK if quick else FULL
    return [
        (group, kind, 2 * k + parity, samples)
        for group, (populations, samples) in sizes.items()
        for kind, share in KINDS.items()
        # Of weights and clusters what was chosen as the best has no interval.
        if kind == "rows" or group != "chosen"
        for k in range(math.ceil(share * populations))
    ]


def run(job: Job) -> list[Outcome]:
    """One population: every measure of the group on every sample."""
    group, kind, seed, count = job
    population = drawn(seed, kind)
    measures = _measures(group)
    truths = _true_values(population, measures)
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for sample in population.samples(count, seed):
        ev = _evaluated(sample, population.threshold)
        for name, measure in measures.items():
            one = ev.estimate(measure)
            found[name].append((one.value, one.low, one.high))
    return [
        _outcome(name, measure.better, population, kind, np.array(found[name]), truths[name])
        for name, measure in measures.items()
    ]


def _measures(group: str) -> Mapping[str, Measure]:
    return CHOSEN if group == "chosen" else {name: find(name) for name in (CLOSED if group == "closed" else DRAWN)}


def _evaluated(sample: Sample, threshold: float) -> assay.TwoClassEvaluation:
    design = {name: value for name in ("weight", "cluster") if (value := getattr(sample, name)) is not None}
    ev = assay.evaluate(sample.truth, sample.score, threshold=threshold, positive=True, **design)
    assert isinstance(ev, assay.TwoClassEvaluation)
    return ev


def _true_values(population: Population, measures: Mapping[str, Measure]) -> dict[str, float]:
    whole = population.whole
    ev = assay.evaluate(whole.truth, whole.score, threshold=population.threshold, weight=population.target * 1e5)
    return {name: float(ev.estimate(measure)) for name, measure in measures.items()}


def _outcome(name: str, better: str, population: Population, kind: Kind, found: Floats, truth: float) -> Outcome:
    value, low, high = found.T
    shown = ~np.isnan(low) & ~np.isnan(high)
    spread = float(np.nanstd(np.where(np.isfinite(value), value, np.nan)))
    width = np.where(shown, high - low, np.nan)
    usual = float(np.nanmedian(width)) / (3.92 * spread) if shown.any() and spread > 0 else math.nan
    return Outcome(
        name, kind, population.words, population.n, population.n * population.prevalence, len(found), int(shown.sum()),
        int((shown & (low > truth)).sum()), int((shown & (high < truth)).sum()), usual, better,
    )  # fmt: skip


def page(title: str, said: str, found: Sequence[Outcome]) -> str:
    """A line for each measure and kind of population, then the populations that fail, by name."""
    lines = [f"# {title}\n\n{said}\n"]
    for kind, words in (("rows", "Independent rows"), ("weights", "Weighted rows"), ("clusters", "Clustered rows")):
        lines.append(f"\n## {words}\n\n{HEAD}|---|{'--:|' * 9}\n")
        by_name: dict[str, list[Outcome]] = defaultdict(list)
        for one in found:
            if one.kind == kind:
                by_name[one.measure].append(one)
        lines += [_line(name, each) for name, each in by_name.items()]
    failing = sorted((one for one in found if one.fails), key=lambda one: one.coverage)
    lines.append("\n## Populations that fail\n\n| measure | coverage | shown | population |\n|---|--:|--:|---|\n")
    lines += [f"| {o.measure} | {o.coverage:.3f} | {o.shown / o.samples:.2f} | {o.words} |\n" for o in failing]
    return "".join(lines)


def _line(name: str, each: Sequence[Outcome]) -> str:
    coverage = np.array([one.coverage for one in each if one.shown >= 30])
    good, bad = ("high_misses", "low_misses") if each[0].better == "lower" else ("low_misses", "high_misses")
    worst = [
        max((getattr(one, side) / one.shown for one in each if one.shown >= 30), default=math.nan)
        for side in (good, bad)
    ]
    refused = np.mean([1 - one.shown / one.samples for one in each])
    least, fifth, median = np.quantile(coverage, [0, 0.05, 0.5]) if len(coverage) else [math.nan] * 3
    width = np.nanmedian([one.width for one in each if math.isfinite(one.width)] or [math.nan])
    fails = sum(one.fails for one in each)
    return (
        f"| {name} | {len(each)} | {least:.3f} | {fifth:.3f} | {median:.3f} | {worst[0]:.3f} | {worst[1]:.3f} |"
        f" {refused:.3f} | {width:.2f} | {fails} |\n"
    )
