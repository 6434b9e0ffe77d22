"""Groups of cases against the rest, all at once: how often groups that do not differ are said to, and coverages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from assay.evaluation import Gaps
from assay.evaluation.groups import Parting, gaps_of
from assay.evidence import DecidedRows
from assay.measures import find
from assay.predictions import Predictions
from verification._coverage import generator
from verification._row import Row

__all__ = ["SAID", "jobs", "run"]

SAID = """A measure in each group minus that of all other cases, the intervals of all groups at once. A row counts
samples, not groups: it is covered where every gap shown holds its true value. Where no group differs, one minus the
coverage is the share of samples in which some group is said to differ: the family-wise error of that sentence.

Designs are drawn at random: 2 to 12 groups of 20 to 2,000 cases, 5 to 50 % positive (in half of the designs not the
same share everywhere), classifiers from poor to nearly perfect, scores with normal or heavy tails or on six levels,
probabilities from timid to overconfident. Scores of the two classes mirror each other, so that groups that do not
differ have gaps of 0 whatever their shares. Rows with weights or clusters (of eight rows, each in one group) have
groups of 80 cases and more.

The rules were chosen on even seeds, this page is made from odd ones, and the bar of .925 was fixed beforehand. On even
seeds the score test of two proportions (Miettinen-Nurminen) at the adjusted level, and limits recovered from Wilson's,
called a group different in up to .27 of samples in which none was, where errors are rare and groups unequal: one error
in a small group is then taken for far too much. Limits recovered from Jeffreys' intervals kept to .073 with 20 cases
and more in the smallest group, to .090 with 11. Correlations of the gaps taken from how cases
err, in place of how many cases gaps share, made it .18 where hardly any did. One rule was made after an odd seed: mean
losses of clustered rows held in .79 of samples only (Brier score of a nearly perfect classifier), so that they are
refused. "no interval" is the share of samples in which no group was large enough, or in which nothing is tested."""

Floats = NDArray[np.float64]
Job = tuple[Any, ...]
LEVEL, BAR = 0.95, 0.925
MEASURES = ("roc_auc", "accuracy", "recall", "brier")
# Weighted sums over these points are means over a standard normal.
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class Design:
    """Groups to draw samples of: how large, how many positives, and how far apart each has its classes."""

    sizes: NDArray[np.int64]
    shares: Floats
    apart: Floats
    noise: str
    steepness: float

    @classmethod
    def drawn(cls, seed: int, *, differ: bool) -> Design:
        """A design by its seed."""
        rng = generator("groups", seed)
        count = int(rng.integers(2, 13))
        sizes = np.exp(rng.uniform(math.log(20), math.log(2000), count)).round().astype(np.int64)
        share = math.exp(rng.uniform(math.log(0.05), math.log(0.5)))
        spread = rng.uniform(-0.7, 0.7, count) * (rng.random() < 0.5)
        apart = rng.uniform(0.5, 2.5) if rng.random() < 0.5 else rng.uniform(2.5, 6)
        moved = np.exp(rng.uniform(-0.4, 0.4, count)) if differ else np.ones(count)
        noise = "normal" if differ else str(rng.choice(["normal", "heavy", "six levels"]))
        shares = np.clip(share * np.exp(spread), 0.05, 0.5)
        return cls(sizes, shares, apart * moved, noise, rng.uniform(0.5, 4))

    @property
    def words(self) -> str:
        """The design in words."""
        strengths = sorted({f"{float(ndtr(apart / math.sqrt(2))):.3f}" for apart in self.apart})
        areas = strengths[0] if len(strengths) == 1 else f"{strengths[0]} to {strengths[-1]}"
        shares = sorted({f"{share:.0%}" for share in self.shares}, key=lambda text: int(text[:-1]))
        positive = shares[0] if len(shares) == 1 else f"{shares[0]} to {shares[-1]}"
        sizes = f"{self.sizes.min()} to {self.sizes.max():,}"
        return f"{len(self.sizes)} groups of {sizes}, {positive} positive, normal AUC {areas}, {self.noise}"

    @property
    def codes(self) -> NDArray[np.intp]:
        """The group of each case."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def sample(self, rng: Any, shared: Floats | float = 0.0) -> tuple[NDArray[np.intp], Floats]:
        """Truth and probabilities; `shared` is what rows of a cluster have in common."""
        codes = self.codes
        truth = (rng.random(len(codes)) < self.shares[codes]).astype(np.intp)
        noise = rng.standard_t(3, len(codes)) if self.noise == "heavy" else rng.standard_normal(len(codes))
        score = (2 * truth - 1) * (self.apart[codes] / 2 + shared) + noise
        if self.noise == "six levels":
            score = np.clip(np.floor(score) + 0.5, -2.5, 2.5)
        return truth, expit(self.steepness * score)

    def gap(self, measure: str, group: int) -> float:
        """The true gap of a group, of normal scores."""
        others = np.arange(len(self.sizes)) != group
        return self._value(measure, ~others) - self._value(measure, others)

    def _value(self, measure: str, here: NDArray[np.bool_]) -> float:
        sizes, shares, apart = self.sizes[here], self.shares[here], self.apart[here]
        if measure == "roc_auc":
            pairs = np.outer(sizes * shares, sizes * (1 - shares))
            return float((pairs * ndtr(np.add.outer(apart, apart) / 2 / math.sqrt(2))).sum() / pairs.sum())
        weights = sizes * shares if measure == "recall" else sizes
        if measure == "brier":
            losses = (1 - expit(self.steepness * (apart[:, None] / 2 + POINTS))) ** 2 @ WEIGHTS / WEIGHTS.sum()
            return float(np.average(losses, weights=weights))
        return float(np.average(ndtr(apart / 2), weights=weights))


def jobs(*, quick: bool) -> list[Job]:
    """What is simulated, by odd seeds."""
    return [
        *(("size", seed) for seed in range(1, 9 if quick else 33, 2)),
        *(("coverage", seed) for seed in range(1, 5 if quick else 21, 2)),
        *(("design", kind, seed) for kind in ("weights", "clusters") for seed in range(1, 4 if quick else 7, 2)),
        *(("columns", seed) for seed in (1, 3)),
    ]  # fmt: skip


def run(job: Job, replicates: int = 400) -> list[Row]:
    """One design."""
    kind, *facts = job
    makers: dict[str, Callable[..., list[Row]]] = {
        "size": _size, "coverage": _coverage, "design": _with_design, "columns": _columns,
    }  # fmt: skip
    return makers[kind](generator("groups", *job), replicates, *facts)


def found_in(truth: Any, score: Floats, partings: Sequence[Parting], measure: str, **design: Any) -> Gaps:
    """The gaps as users get them."""
    rows = DecidedRows(Predictions(("0", "1"), truth, score=score, **design), 0.5)
    return gaps_of(rows, find(measure), partings, level=LEVEL)


def _size(rng: Any, times: int, seed: int) -> list[Row]:
    design = Design.drawn(seed, differ=False)
    samples = [design.sample(rng) for _ in range(times)]
    return [_row(design, name, "no group differs", [_gaps(design, one, name) for one in samples]) for name in MEASURES]


def _coverage(rng: Any, times: int, seed: int) -> list[Row]:
    design = Design.drawn(seed, differ=True)
    samples = [design.sample(rng) for _ in range(times)]
    return [_row(design, name, "groups differ", [_gaps(design, one, name) for one in samples]) for name in MEASURES]


def _with_design(rng: Any, times: int, kind: str, seed: int) -> list[Row]:
    """Log-normal weights, or clusters of about eight rows that lie in one group each."""
    drawn = Design.drawn(seed, differ=False)
    design = Design(np.maximum(drawn.sizes, 80), drawn.shares, drawn.apart, "normal", drawn.steepness)
    found: dict[str, list[Gaps]] = {name: [] for name in MEASURES}
    for _ in range(times // 2):
        if kind == "weights":
            one, roles = design.sample(rng), {"weight": np.exp(0.7 * rng.standard_normal(int(design.sizes.sum())))}
        else:
            starts = np.concatenate(([0], np.cumsum(-(-design.sizes // 8))))
            within = np.concatenate([np.arange(size) // 8 for size in design.sizes])
            cluster = starts[design.codes] + within
            one, roles = design.sample(rng, 0.5 * rng.standard_normal(int(starts[-1]))[cluster]), {"cluster": cluster}
        for name in MEASURES:
            found[name].append(_gaps(design, one, name, **roles))
    return [_row(design, name, f"no group differs, {kind}", found[name]) for name in MEASURES]


def _columns(rng: Any, times: int, seed: int) -> list[Row]:
    """Two more columns that part the same cases at random."""
    design = Design.drawn(seed, differ=False)
    found: dict[str, list[Gaps]] = {name: [] for name in MEASURES}
    for _ in range(times // 2):
        truth, score = design.sample(rng)
        others = [rng.integers(0, groups, len(truth)) for groups in (2, 4)]
        partings = [
            _parting(design.codes, "site"),
            *(_parting(codes, name) for codes, name in zip(others, "ab", strict=True)),
        ]
        for name in MEASURES:
            found[name].append(found_in(truth, score, partings, name))
    return [_row(design, name, "no group differs, three columns", found[name]) for name in MEASURES]


def _parting(codes: NDArray[np.intp], column: str) -> Parting:
    return Parting(column, tuple(f"g{code}" for code in range(int(codes.max()) + 1)), codes)


def _gaps(design: Design, sample: tuple[NDArray[np.intp], Floats], measure: str, **roles: Any) -> Gaps:
    return found_in(*sample, [_parting(design.codes, "site")], measure, **roles)


def _row(design: Design, measure: str, kind: str, found: Sequence[Gaps]) -> Row:
    """How often every gap that is shown holds its true value."""
    shown = [one for one in found if one.tested]
    held = [_holds(design, measure, one) for one in shown]
    share = len(shown) / len(found)
    coverage = sum(held) / len(held) if held else math.nan
    safe = 1.0 if not held else 1 - share * (1 - coverage)
    widths = [gap.difference.high - gap.difference.low for one in shown for gap in one.tested]
    methods = [gap.difference.method for one in shown for gap in one.tested]
    return Row(
        measure=measure,
        method=f"{max(sorted(set(methods)), key=methods.count, default='none')}, max-T",
        design=f"{kind}: {design.words}",
        n=int(design.sizes.sum()),
        positives=round(float(design.sizes @ design.shares)),
        truth=math.nan if "groups differ" in kind else 0.0,
        level=LEVEL,
        coverage=coverage,
        error=math.sqrt(max(safe * (1 - safe), 0.25 / len(found)) / len(found)),
        width=float(np.mean(widths)) if widths else math.nan,
        missing=1 - share,
        bar=BAR,
    )


def _holds(design: Design, measure: str, found: Gaps) -> bool:
    differ = len(set(design.apart)) > 1
    for gap in found.tested:
        truth = design.gap(measure, int(gap.group[1:])) if differ else 0.0
        if not gap.difference.low - 1e-12 <= truth <= gap.difference.high + 1e-12:
            return False
    return True
