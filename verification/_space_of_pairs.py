"""Random populations of which two models have scores of some cases only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verification._space import Population, Sample, drawn

__all__ = ["Lacking"]

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Lacking:
    """A population of `_space`, of which either model has no score for 2 to 60 % of the cases, by chance.

    Which case lacks one tells nothing of it. In half of the populations no case lacks both.

    >>> Lacking.drawn(5).words
    'n 1238, 5.29 % positive, continuous, AUC about 0.571, spreads 1 and 0.89, lacking 32 % and 19 %'
    """

    words: str
    of: Population
    shares: tuple[float, float]
    apart: bool

    @property
    def n(self) -> int:
        """All cases."""
        return self.of.n

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return self.of.prevalence

    @property
    def threshold(self) -> float:
        """Where decisions change."""
        return self.of.threshold

    @classmethod
    def drawn(cls, seed: int) -> Lacking:
        """The population of a seed, with what its models lack."""
        rng, of = np.random.default_rng([seed, 7]), drawn(seed)
        first, second = (float(share) for share in rng.uniform(0.02, 0.6, 2))
        apart = bool(rng.random() < 0.5) and first + second < 1
        words = f"{of.words}, lacking {100 * first:.0f} % and {100 * second:.0f} %{' of others' if apart else ''}"
        return cls(words, of, (first, second), apart)

    def samples(self, count: int, seed: int) -> Iterator[tuple[Sample, Places, Places]]:
        """Samples, and the cases that either model has a score for."""
        rng = np.random.default_rng([seed, 8])
        first, second = self.shares
        for sample in self.of.samples(count, seed):
            chance = rng.random(len(sample.truth))
            other = 1 - chance if self.apart else rng.random(len(sample.truth))
            yield sample, np.flatnonzero(chance >= first), np.flatnonzero(other >= second)
