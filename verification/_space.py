"""Populations drawn at random from one wide space, so that no design was picked because a method likes it.

Even seeds are for choosing rules, odd seeds for reporting them. A population is a finite list of cases, from which
samples are drawn with replacement: its measures are the true values, without any error of simulation.

What is drawn, in words: samples of 30 to 3,000 cases (one in twenty has 30,000), at least 5 of the rarer class
expected, 0.3 % to 50 % positives. Scores are normal or heavy-tailed (Student's t with 3 degrees of freedom), with
unequal spreads, an AUC of .5 to .995, continuous, or on 2 to 11 levels, or nearly perfect with up to 3 % of the labels
turned; where both classes are to be normal, continuous or on levels. Probabilities have a slope and a shift of their
own, so that most are miscalibrated. A second model's scores depend on the first's. Weights, where there are any, are
log-normal (sigma .2 to 1.3), and mostly tell of truth or score. Clusters, where there are any, number 10 to 200, with
equal to very unequal sizes, effects that are normal or heavy-tailed, and labels that vary inside a cluster or do not.
Clusters whose sizes matter (`sized`) have sizes with a heavy tail (Pareto with an exponent of 1.1 to 2.2, cut off at 20
to 150 times the smallest, or log-normal), and the classes of larger ones are nearer together, or in one of four
populations further apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from assay.types import Floats

__all__ = ["Kind", "Population", "Sample", "drawn"]

Kind = Literal["rows", "normal", "weights", "clusters", "sized", "classes", "ordered", "lacking", "alike"]
CASES = 40_000
SHAPES = {"continuous": 0.3, "heavy tails": 0.15, "levels": 0.2, "hard calls": 0.15, "gross errors": 0.2}
# Behind these scores both classes are normal, and there are two points of a curve at least.
NORMAL = {"continuous": 0.6, "levels": 0.4}
CLUSTERS = 4_000


@dataclass(frozen=True)
class Sample:
    """Cases drawn from a population: what `assay.evaluate` would be given."""

    truth: NDArray[np.bool_]
    score: Floats
    second: Floats
    weight: Floats | None = None
    cluster: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Population:
    """A finite population in words and numbers; a case is drawn with a chance in proportion to `chance`."""

    words: str
    n: int
    prevalence: float
    threshold: float
    whole: Sample
    chance: Floats
    clusters: int = 0

    @property
    def target(self) -> Floats:
        """How much each case counts in the population that estimates are about."""
        return self.chance if self.whole.weight is None else self.chance * self.whole.weight

    def samples(self, count: int, seed: int) -> Iterator[Sample]:
        """Samples that hold both classes; the same for the same seed."""
        rng = np.random.default_rng([seed, 1])
        found = 0
        while found < count:
            sample = self._clustered(rng) if self.clusters else self._independent(rng)
            if 0 < np.count_nonzero(sample.truth) < len(sample.truth):
                found += 1
                yield sample

    def _independent(self, rng: np.random.Generator) -> Sample:
        whole = self.whole
        places = np.searchsorted(np.cumsum(self.chance), rng.random(self.n) * self.chance.sum(), side="right")
        weight = None if whole.weight is None else whole.weight[places]
        return Sample(whole.truth[places], whole.score[places], whole.second[places], weight)

    def _clustered(self, rng: np.random.Generator) -> Sample:
        whole = self.whole
        assert whole.cluster is not None
        starts = np.searchsorted(whole.cluster, np.arange(CLUSTERS + 1))
        chosen = rng.integers(CLUSTERS, size=self.clusters)
        sizes = np.diff(starts)[chosen]
        places = np.repeat(starts[chosen] - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes) + np.arange(
            sizes.sum()
        )
        cluster = np.repeat(np.arange(self.clusters), sizes)
        return Sample(whole.truth[places], whole.score[places], whole.second[places], None, cluster)


def drawn(seed: int, kind: Kind = "rows") -> Population:
    """The population of a seed.

    >>> drawn(5).words
    'n 1238, 5.29 % positive, continuous, AUC about 0.571, spreads 1 and 0.89'
    """
    rng = np.random.default_rng([seed, {"rows": 0, "weights": 1, "clusters": 2, "normal": 11, "sized": 39}[kind]])
    if kind == "sized":
        return _sized_clusters(rng)
    n = int(np.exp(rng.uniform(np.log(30), np.log(3000)))) if rng.random() > 0.05 else 30_000
    if kind == "clusters":
        return _clusters(rng, min(n, 2000))
    prevalence = float(np.exp(rng.uniform(np.log(max(0.003, 6 / n)), np.log(0.5))))
    shapes = NORMAL if kind == "normal" else SHAPES
    shape = str(rng.choice(list(shapes), p=list(shapes.values())))
    truth = np.arange(CASES) < CASES // 2
    latent, about = _latent(rng, truth, shape)
    if shape == "gross errors":
        truth = truth ^ (rng.random(CASES) < rng.uniform(0.002, 0.03))
    share = np.where(truth, prevalence / truth.mean(), (1 - prevalence) / (1 - truth.mean()))
    second = _correlated(rng, latent, truth)
    first, other = (_probability(rng, one, truth, prevalence, shape) for one in (latent, second))
    whole = Sample(truth, first, other)
    words = f"n {n}, {100 * prevalence:.3g} % positive, {shape}, {about}"
    chance = share / share.sum()
    if kind == "weights":
        return _weighted(rng, words, n, prevalence, whole, chance, latent)
    return Population(words, n, prevalence, _threshold(rng, whole.score, chance), whole, chance)


def _latent(rng: np.random.Generator, truth: NDArray[np.bool_], shape: str) -> tuple[Floats, str]:
    area = rng.uniform(0.97, 0.999) if shape == "gross errors" else float(expit(rng.uniform(0, logit(0.995))))
    spread = float(np.exp(rng.uniform(-0.5, 0.5)))
    noise = rng.standard_t(3, len(truth)) if shape == "heavy tails" else rng.standard_normal(len(truth))
    shift = float(ndtri(area)) * np.sqrt(1 + spread**2)
    return np.where(truth, shift + spread * noise, noise), f"AUC about {area:.3f}, spreads 1 and {spread:.2f}"


def _correlated(rng: np.random.Generator, latent: Floats, truth: NDArray[np.bool_]) -> Floats:
    """Another model's latent score: as good, better or worse, and more or less alike."""
    alike = rng.uniform(0.2, 0.95)
    own = rng.standard_normal(len(latent)) + rng.uniform(0, 2.5) * truth
    return alike * latent + (1 - alike) * own


def _probability(
    rng: np.random.Generator, latent: Floats, truth: NDArray[np.bool_], prevalence: float, shape: str
) -> Floats:
    """A probability that rises with the latent score, with a slope and a shift of its own."""
    gap = latent[truth].mean() - latent[~truth].mean()
    middle = (latent[truth].mean() + latent[~truth].mean()) / 2
    raw = gap / latent[~truth].var() * (latent - middle) + float(logit(prevalence))
    raw = np.exp(rng.uniform(-0.7, 0.7)) * raw + rng.normal(0, 0.7)
    if shape in ("levels", "hard calls"):
        levels = 2 if shape == "hard calls" else int(rng.integers(3, 12))
        cuts = np.sort(rng.choice(np.sort(latent)[len(latent) // 50 :: len(latent) // 50], levels - 1, replace=False))
        place = np.searchsorted(cuts, latent)
        raw = np.array([raw[place == k].mean() for k in range(levels)])[place]
    probability: Floats = np.clip(expit(raw), 1e-4, 1 - 1e-4)
    return probability


def _threshold(rng: np.random.Generator, score: Floats, chance: Floats) -> float:
    """A threshold that flags between a twentieth and nearly all of the population."""
    order = np.argsort(score)
    flagged = rng.uniform(0.05, 0.9)
    return float(score[order][np.searchsorted(np.cumsum(chance[order]), 1 - flagged)])


def _weighted(
    rng: np.random.Generator, words: str, n: int, prevalence: float, whole: Sample, chance: Floats, latent: Floats
) -> Population:
    """Cases that were left out of the sample the more often, the more they weigh."""
    sigma = float(rng.uniform(0.2, 1.3))
    of: dict[str, Any] = {
        "nothing": 0.0,
        "truth": whole.truth - whole.truth.mean(),
        "score": np.clip(latent / latent.std(), -3, 3),
    }
    tells = str(rng.choice(list(of), p=[0.25, 0.375, 0.375]))
    z = rng.standard_normal(len(latent)) + of[tells]
    weight = np.exp(sigma * z / np.std(z))
    sampled = Sample(whole.truth, whole.score, whole.second, weight)
    threshold = _threshold(rng, whole.score, chance)
    words = f"{words}, weights of sigma {sigma:.2f} that tell of {tells}"
    return Population(words, n, prevalence, threshold, sampled, chance / weight)


def _clusters(rng: np.random.Generator, n: int) -> Population:
    """A population of clusters that are drawn whole."""
    count = int(np.exp(rng.uniform(np.log(10), np.log(200))))
    mean = max(2.0, n / count)
    law = str(rng.choice(["equal", "Poisson", "geometric", "log-normal", "one giant"]))
    sizes = {
        "equal": np.full(CLUSTERS, round(mean)),
        "Poisson": 1 + rng.poisson(mean - 1, CLUSTERS),
        "geometric": rng.geometric(1 / mean, CLUSTERS),
        "log-normal": np.ceil(mean * np.exp(rng.uniform(0.5, 1.2) * rng.standard_normal(CLUSTERS))).astype(np.int64),
        # About one in as many clusters as a sample holds is as large as many others together.
        "one giant": np.where(
            rng.random(CLUSTERS) < 1 / count, round(mean * count * rng.uniform(0.15, 0.5)), round(mean)
        ),
    }[law]
    cluster = np.repeat(np.arange(CLUSTERS), sizes)
    correlation, prevalence = float(rng.uniform(0, 0.6)), float(np.exp(rng.uniform(np.log(0.05), np.log(0.5))))
    heavy, constant = bool(rng.random() < 0.5), bool(rng.random() < 0.3)
    effect = rng.standard_t(4, CLUSTERS) / np.sqrt(2) if heavy else rng.standard_normal(CLUSTERS)
    truth = (rng.random(CLUSTERS) < prevalence)[cluster] if constant else rng.random(len(cluster)) < prevalence
    noise = np.sqrt(correlation) * effect[cluster] + np.sqrt(1 - correlation) * rng.standard_normal(len(cluster))
    area = float(expit(rng.uniform(0, logit(0.97))))
    latent = noise + float(ndtri(area)) * np.sqrt(2) * truth
    second = _correlated(rng, latent, truth)
    first, other = (_probability(rng, one, truth, prevalence, "continuous") for one in (latent, second))
    whole = Sample(truth, first, other, None, cluster)
    chance = np.full(len(cluster), 1 / len(cluster))
    words = (
        f"{count} clusters of {mean:.3g} rows, {law} sizes, correlation {correlation:.2f},"
        f" {'heavy' if heavy else 'normal'} effects, {100 * prevalence:.3g} % positive,"
        f" labels {'of whole clusters' if constant else 'of rows'}, AUC about {area:.2f}"
    )
    return Population(words, n, prevalence, _threshold(rng, whole.score, chance), whole, chance, count)


def _sized_clusters(rng: np.random.Generator) -> Population:
    """A population of clusters drawn whole, of which the larger are harder, or easier."""
    count = int(np.exp(rng.uniform(np.log(10), np.log(200))))
    law, smallest = str(rng.choice(["Pareto", "log-normal"], p=[0.7, 0.3])), int(rng.integers(2, 11))
    exponent, most = float(rng.uniform(1.1, 2.2)), smallest * np.exp(rng.uniform(np.log(20), np.log(150)))
    spread, usual = float(rng.uniform(0.6, 1.3)), float(rng.uniform(5, 25))
    sizes = {
        "Pareto": np.minimum(smallest * (1 - rng.random(CLUSTERS)) ** (-1 / exponent), most).astype(np.int64),
        "log-normal": np.ceil(usual * np.exp(spread * rng.standard_normal(CLUSTERS))).astype(np.int64),
    }[law]
    cluster = np.repeat(np.arange(CLUSTERS), sizes)
    slope = float(rng.uniform(0.1, 0.4)) * (1 if rng.random() < 0.75 else -1)
    apart, own = float(rng.uniform(1.2, 3)), float(rng.uniform(0, 0.5))
    correlation, prevalence = float(rng.uniform(0, 0.5)), float(np.exp(rng.uniform(np.log(0.08), np.log(0.5))))
    constant = bool(rng.random() < 0.2)
    truth = (rng.random(CLUSTERS) < prevalence)[cluster] if constant else rng.random(len(cluster)) < prevalence
    effect, other = rng.standard_normal((2, CLUSTERS))
    noise = np.sqrt(correlation) * effect[cluster] + np.sqrt(1 - correlation) * rng.standard_normal(len(cluster))
    gap = np.maximum(apart - slope * np.log(sizes / np.median(sizes)) + own * other, 0)
    latent = noise + gap[cluster] * (truth - 0.5)
    second = _correlated(rng, latent, truth)
    first, beside = (_probability(rng, one, truth, prevalence, "continuous") for one in (latent, second))
    whole = Sample(truth, first, beside, None, cluster)
    chance = np.full(len(cluster), 1 / len(cluster))
    words = (
        f"{count} clusters of {int(np.median(sizes))} rows in the median and {sizes.max()} at most, {law} sizes"
        f"{f' with exponent {exponent:.2f}' if law == 'Pareto' else ''}, slope {slope:.2f}, correlation"
        f" {correlation:.2f}, {100 * prevalence:.3g} % positive,"
        f" labels {'of whole clusters' if constant else 'of rows'}"
    )
    return Population(words, count, prevalence, _threshold(rng, whole.score, chance), whole, chance, count)
