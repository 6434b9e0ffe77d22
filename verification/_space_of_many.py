"""Random populations of many classes, of three in their order, and of many models that are all alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, softmax

from assay.types import Floats

__all__ = ["Alike", "ManyClasses", "OrderedClasses"]

CASES = 40_000


@dataclass(frozen=True)
class ManyClasses:
    """A finite population of 3 to 10 classes, some rare, with probabilities that are mostly miscalibrated.

    Samples have 60 to 3,000 cases, with ten of the rarest class expected, and hold every class.

    >>> ManyClasses.drawn(1).words
    'n 63, 9 classes, the rarest 8.24 %'
    """

    words: str
    n: int
    classes: int
    truth: NDArray[np.intp]
    probability: Floats

    @property
    def prevalence(self) -> float:
        """The share of the rarest class."""
        return float(np.bincount(self.truth).min()) / len(self.truth)

    @classmethod
    def drawn(cls, seed: int) -> ManyClasses:
        """The population of a seed."""
        rng = np.random.default_rng([seed, 3])
        n, classes = int(np.exp(rng.uniform(np.log(60), np.log(3000)))), int(rng.integers(3, 11))
        share = rng.dirichlet(np.full(classes, rng.uniform(1, 10)))
        share = np.maximum(share, min(10 / n, 0.8 / classes))
        share /= share.sum()
        truth = rng.choice(classes, CASES, p=share)
        latent = rng.standard_normal((CASES, classes)) + rng.uniform(0.3, 3) * np.eye(classes)[truth]
        raw = latent * np.exp(rng.uniform(-0.5, 0.7)) + np.log(share) + rng.normal(0, 0.3, classes)
        words = f"n {n}, {classes} classes, the rarest {100 * share.min():.3g} %"
        return cls(words, n, classes, truth, np.asarray(softmax(raw, axis=1)))

    def samples(self, count: int, seed: int) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        """Truths and probabilities of cases drawn with replacement."""
        rng, found = np.random.default_rng([seed, 4]), 0
        while found < count:
            places = rng.integers(CASES, size=self.n)
            if len(np.unique(self.truth[places])) == self.classes:
                found += 1
                yield self.truth[places], self.probability[places]


@dataclass(frozen=True)
class OrderedClasses:
    """A finite population of three classes in their order, and one score that mostly rises with them.

    Samples have 30 to 3,000 cases, with ten of the rarest class expected. Neighbours' means lie 0 to 3.5 apart, scores
    are normal or heavy-tailed with unequal spreads, continuous or on 3 to 11 levels, and up to 3 % of the classes of
    some are wrong.

    >>> OrderedClasses.drawn(1).words
    'n 686, the rarest 27.8 %, levels, steps 0.80 and 3.47'
    """

    words: str
    n: int
    truth: NDArray[np.intp]
    score: Floats

    @property
    def prevalence(self) -> float:
        """The share of the rarest class."""
        return float(np.bincount(self.truth).min()) / len(self.truth)

    @classmethod
    def drawn(cls, seed: int) -> OrderedClasses:
        """The population of a seed."""
        rng = np.random.default_rng([seed, 9])
        n = int(np.exp(rng.uniform(np.log(30), np.log(3000))))
        share = np.maximum(rng.dirichlet(np.full(3, rng.uniform(1, 10))), min(10 / n, 0.8 / 3))
        share /= share.sum()
        truth = rng.choice(3, CASES, p=share)
        steps, spreads = rng.uniform(0, 3.5, 2), np.exp(rng.uniform(-0.5, 0.5, 3))
        shape = str(rng.choice(["continuous", "heavy tails", "levels", "gross errors"], p=[0.35, 0.15, 0.3, 0.2]))
        noise = rng.standard_t(3, CASES) if shape == "heavy tails" else rng.standard_normal(CASES)
        score = np.concatenate(([0.0], np.cumsum(steps)))[truth] + spreads[truth] * noise
        if shape == "levels":
            score = np.digitize(score, np.quantile(score, np.sort(rng.random(int(rng.integers(2, 11)))))).astype(float)
        if shape == "gross errors":
            truth = np.where(rng.random(CASES) < rng.uniform(0.002, 0.03), rng.integers(3, size=CASES), truth)
        words = f"n {n}, the rarest {100 * share.min():.3g} %, {shape}, steps {steps[0]:.2f} and {steps[1]:.2f}"
        return cls(words, n, truth, score)

    def samples(self, count: int, seed: int) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        """Classes and scores of cases drawn with replacement, of every class."""
        rng, found = np.random.default_rng([seed, 10]), 0
        while found < count:
            places = rng.integers(CASES, size=self.n)
            if len(np.unique(self.truth[places])) == 3:
                found += 1
                yield self.truth[places], self.score[places]


@dataclass(frozen=True)
class Alike:
    """3 to 10 models whose scores have the same law, so that no two of their AUCs differ.

    10 to 100 cases of the smaller class and as many to 600 of the other, AUC .55 to .95, scores that correlate 0 to .9,
    continuous or on 3 to 11 levels.
    """

    words: str
    smaller: int
    larger: int
    models: int
    auc: float
    alike: float
    spread: float
    levels: int

    @property
    def n(self) -> int:
        """All cases."""
        return self.smaller + self.larger

    @property
    def prevalence(self) -> float:
        """The share of the smaller class."""
        return self.smaller / self.n

    @classmethod
    def drawn(cls, seed: int) -> Alike:
        """The design of a seed."""
        rng = np.random.default_rng([seed, 5])
        smaller = int(np.exp(rng.uniform(np.log(10), np.log(100))))
        larger = int(np.exp(rng.uniform(np.log(smaller), np.log(600))))
        models, levels = int(rng.integers(3, 11)), int(rng.choice([0, 0, 3, 6, 11]))
        auc, alike, spread = rng.uniform(0.55, 0.95), rng.uniform(0, 0.9), float(np.exp(rng.uniform(-0.5, 0.5)))
        words = f"{models} models, {smaller} against {larger}, AUC {auc:.2f}, correlation {alike:.2f}"
        words += f", {levels} levels" if levels else ", continuous"
        return cls(words, smaller, larger, models, auc, alike, spread, levels)

    def samples(self, count: int, seed: int) -> Iterator[tuple[NDArray[np.bool_], Floats]]:
        """Truths, and the scores of each model by rows."""
        rng = np.random.default_rng([seed, 6])
        truth = np.arange(self.n) < self.smaller
        shift = float(ndtri(self.auc)) * np.sqrt(1 + self.spread**2)
        for _ in range(count):
            own = rng.standard_normal((self.models, self.n))
            noise = np.sqrt(self.alike) * rng.standard_normal(self.n) + np.sqrt(1 - self.alike) * own
            score = np.where(truth, shift + self.spread * noise, noise)
            if self.levels:
                score = np.clip(np.floor(1.2 * score), -self.levels // 2, self.levels // 2)
            yield truth, score
