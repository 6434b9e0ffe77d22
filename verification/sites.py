"""Coverage of the mean of several sites and of what a new site may show, on designs drawn at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from assay.cautions.sites import LITTLE, MANY_SITES
from assay.comparison import pooled
from assay.evaluation import value_of_evidence
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import find
from verification._coverage import generator
from verification._learning import Floats, monte_carlo_error
from verification._row import Row, lowest_allowed

__all__ = ["Design", "design", "jobs", "run"]

SAID = """Sites are drawn: their true values on the logit scale are normal with standard deviation tau, their sizes are
lognormal (spread 0: all alike; 1.5: the largest of ten some hundred times the smallest). "normal" rows draw a value
with a known error, "auc" rows scores of two normal classes (a tenth, three tenths or half of the cases positive),
"recall" rows the answers to the positives of a site. "n" is the median size of a site (of "recall" its positives),
"positives" the size of the rarer class in the smallest site. A row of "the mean" asks whether the limits hold the
mean of all sites there could be, one of "a new site" whether they hold the true value of a site that was not drawn.
The methods were chosen on other designs of this kind, drawn beforehand with other seeds; where caution A606 begins
was set after a look at the first 90 of these, odd and even alike, so that its rows are no independent test of it.
Rows without a bar are of methods that are computed by name only: Hartung and Knapp's limits, and a new site by t of
k - 2. A design of ten sites and more whose median site holds fewer than five cases' worth has no bar either: there
errors go with values and what that biases adds up, and the tool says so (caution A606)."""

# Numbers of sites, standard deviations between them (0 counts double) and spreads of their sizes.
SITES, TAUS, SPREADS = (2, 3, 4, 5, 7, 10, 20, 30), (0.0, 0.0, 0.1, 0.2, 0.4, 0.8), (0.0, 0.5, 1.0, 1.5)
KINDS = ("normal", "auc", "recall")
FEWEST = 6
# What is asked about, the limits of the mean, the way to a new site, and whether it is the default.
WAYS = (
    ("the mean", "q-profile", "q-profile", True),
    ("a new site", "q-profile", "q-profile", True),
    ("the mean", "hartung-knapp", "k-2", False),
    ("a new site", "hartung-knapp", "k-2", False),
)


@dataclass(frozen=True)
class Design:
    """Sites of some sizes, and what their values are."""

    kind: str
    sizes: tuple[int, ...]
    tau: float
    mean: float
    share: float
    spread: float

    @property
    def rarer(self) -> Floats:
        """The size of the rarer class at each site."""
        share = self.share if self.kind == "auc" else 1.0
        return np.maximum(np.round(share * np.array(self.sizes)), 3)

    def __str__(self) -> str:
        about = f"{self.kind} {self.mean:g}, {len(self.sizes)} sites, tau {self.tau:g}, spread {self.spread:g}"
        return f"{about}, {self.share:g} positive" if self.kind == "auc" else about


def design(number: int) -> Design:
    """The design of a number, the same one always."""
    rng = generator("sites", number)
    k, tau, spread = int(rng.choice(SITES)), float(rng.choice(TAUS)), float(rng.choice(SPREADS))
    median = math.exp(rng.uniform(math.log(30), math.log(1000)))
    sizes = np.maximum(FEWEST, median * np.exp(spread * rng.normal(size=k))).astype(int)
    mean, share = float(rng.choice((0.65, 0.8, 0.9, 0.95))), float(rng.choice((0.1, 0.3, 0.5)))
    return Design(KINDS[number % 6 // 2], tuple(sizes.tolist()), tau, mean, share, spread)


def jobs(*, quick: bool) -> list[int]:
    """Numbers of designs: those of a quick run are the first of all."""
    return list(range(24 if quick else 120))


def run(job: int, replicates: int = 300) -> list[Row]:
    """One design, every way."""
    drawn, rng = design(job), generator("sites", job, "samples")
    made: Callable[..., tuple[Floats, Floats]] = {"normal": _normal, "auc": _auc, "recall": _recall}[drawn.kind]
    centre = float(logit(drawn.mean))
    held, told = np.empty((replicates, len(WAYS), 2)), np.empty(replicates)
    for sample in range(replicates):
        truths = centre + drawn.tau * rng.normal(size=len(drawn.sizes))
        new = centre + drawn.tau * float(rng.normal())
        values, variances = made(drawn, truths, rng)
        told[sample] = 1 / np.median(variances)
        made_by = {
            limits: pooled(values, variances, limits=limits, prediction=prediction) for _, limits, prediction, _ in WAYS
        }
        for way, (what, limits, _, _) in enumerate(WAYS):
            found = made_by[limits]
            ends = (found.low, found.high) if what == "the mean" else found.predicted or (math.nan, math.nan)
            wanted = centre if what == "the mean" else new
            # Without limits nobody is misled.
            held[sample, way] = ends[0] <= wanted <= ends[1] or math.isnan(ends[0]), ends[1] - ends[0]
    is_warned = len(drawn.sizes) >= MANY_SITES and float(np.median(told)) < LITTLE
    return [_row(job, drawn, way, held[:, k], has_bar=way[3] and not is_warned) for k, way in enumerate(WAYS)]


def _normal(drawn: Design, truths: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    variances = 1 / (np.array(drawn.sizes) * drawn.mean * (1 - drawn.mean))
    return truths + np.sqrt(variances) * rng.normal(size=len(truths)), variances


def _auc(drawn: Design, truths: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    measure, found = find("roc_auc"), []
    for size, positives, truth in zip(drawn.sizes, drawn.rarer.astype(int), truths, strict=True):
        negatives = max(size - positives, 3)
        gap = math.sqrt(2) * float(ndtri(expit(truth)))
        scores = np.concatenate((rng.normal(gap, 1.0, positives), rng.normal(0.0, 1.0, negatives)))
        found.append(value_of_evidence(measure, ScoreTable.of(scores, np.arange(len(scores)) < positives)))
    return _numbers(found)


def _recall(drawn: Design, truths: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    measure, right = find("recall"), rng.binomial(drawn.sizes, expit(truths))
    cells = [ConfusionMatrix.binary(tp=r, fn=n - r, fp=0, tn=1) for r, n in zip(right, drawn.sizes, strict=True)]
    return _numbers([value_of_evidence(measure, matrix) for matrix in cells])


def _numbers(found: Sequence[object]) -> tuple[Floats, Floats]:
    kept = np.array([[one.value, one.variance] for one in found if one is not None])  # type: ignore[attr-defined]
    return kept[:, 0], kept[:, 1]


def _row(job: int, drawn: Design, way: tuple[str, str, str, bool], held: Floats, *, has_bar: bool) -> Row:
    what, limits, prediction, _ = way
    missed, shown = float(1 - held[:, 0].mean()), np.isfinite(held[:, 1])
    share = float(shown.mean())
    return Row(
        measure=what,
        method=f"REML, {limits if what == 'the mean' else prediction}",
        design=f"{'odd' if job % 2 else 'even'}: {drawn}",
        n=float(np.median(drawn.sizes)),
        positives=float(drawn.rarer.min()),
        truth=drawn.mean,
        level=0.95,
        coverage=1 - missed / share if share else math.nan,
        error=monte_carlo_error(missed, len(held)),
        width=float(np.median(held[shown, 1])) if share else math.nan,
        missing=1 - share,
        bar=lowest_allowed(0.95) if has_bar else 0.0,
    )
