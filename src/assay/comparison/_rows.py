"""The rows that classifiers are compared on, and how estimates vary together when each row moves them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.comparison.adjustment import Joint
from assay.evidence import ScoreTable
from assay.results import counted
from assay.types import Bools, Floats

FEW_CLUSTERS = 3


@dataclass(frozen=True, eq=False)
class Rows:
    """Which rows are positive, and what they are: their weights, counts, clusters and folds.

    >>> rows = Rows.of([0, 1, 1])
    >>> rows.each.tolist(), rows.units
    ([1.0, 1.0, 1.0], 3)
    """

    is_positive: Bools
    weight: Floats | None = None
    count: Floats | None = None
    cluster: NDArray[np.integer] | None = None
    fold: NDArray[np.integer] | None = None

    @classmethod
    def of(cls, is_positive: ArrayLike | Rows) -> Rows:
        """Rows from what says which are positive; rows as they are."""
        return is_positive if isinstance(is_positive, Rows) else cls(np.asarray(is_positive, dtype=np.bool_))

    @cached_property
    def each(self) -> Floats:
        """The weight of each row."""
        return np.ones(len(self.is_positive)) if self.weight is None else self.weight

    @cached_property
    def times(self) -> Floats:
        """How many equal, independent cases each row is."""
        return np.ones(len(self.is_positive)) if self.count is None else self.count

    @property
    def units(self) -> int:
        """How many rows, or clusters of them, vary independently."""
        return len(self.is_positive) if self.cluster is None else int(self.cluster.max()) + 1

    def table(self, score: Floats, kept: Bools) -> ScoreTable:
        """The score table of the rows that are kept."""
        weight = None if self.weight is None else self.weight[kept]
        count = None if self.count is None else self.count[kept]
        return ScoreTable.of(score[kept], self.is_positive[kept], weight=weight, count=count)

    def sizes(self, kept: Bools) -> Floats:
        """The weight of the rows that each classifier (row of `kept`) has."""
        if self.weight is None and self.count is None:
            return np.asarray(np.count_nonzero(kept, axis=-1), dtype=np.float64)
        return np.asarray(kept @ (self.each * self.times))

    def kish(self, kept: Bools) -> Floats:
        """For each two classifiers, how many equally weighted cases those that both have are worth."""
        if self.weight is None and self.count is None:
            return np.array([[np.count_nonzero(one & other) for other in kept] for one in kept], dtype=np.float64)
        sums, squares = ((kept * (w * self.times)) @ kept.T for w in (self.each, self.each**2))
        return np.divide(sums**2, squares, out=np.zeros_like(sums), where=squares > 0)

    def sums(self, moved: Floats) -> Floats:
        """What rows move estimates by, those of a cluster taken together.

        A row that is several cases moves them as often but independently, so its count enters a product once.
        """
        if self.cluster is None:
            plain = self.weight is None and self.count is None
            return moved if plain else moved * self.each * np.sqrt(self.times)
        return np.stack([np.bincount(self.cluster, row * self.each * self.times, self.units) for row in moved])

    def bessel(self, kept: Bools) -> Floats:
        """For each two classifiers n / (n - 1), with n the (effective) cases or clusters that both have."""
        found = self.kish(kept)
        if self.cluster is not None:
            held = np.stack([np.bincount(self.cluster, row, self.units) > 0 for row in kept.astype(np.float64)])
            found = held.astype(np.float64) @ held.T
        return np.divide(found, found - 1, out=np.full_like(found, np.nan), where=found > 1)

    def too_few_clusters(self) -> str | None:
        """Why so few clusters tell nothing, or None."""
        if self.cluster is None or self.units >= FEW_CLUSTERS:
            return None
        return f"{counted(self.units, 'cluster')}: below {FEW_CLUSTERS} nothing tells how they vary"


def shared(factor: Floats, products: Floats) -> Floats:
    """Products corrected by a factor; where two classifiers share no case they are 0, whatever the factor."""
    together = np.where(products == 0, 0.0, factor * products)
    np.fill_diagonal(together, np.diag(factor) * np.diag(products))
    return together


def joint_influence(
    measure: str,
    names: tuple[str, ...],
    values: Floats,
    moved: Floats,
    rows: Rows,
    kept: Bools,
    *,
    method: str = "paired influence",
    freedom: float | None = None,
    refusal: str | None = None,
) -> Joint:
    """Estimates that are moved by each row as an influence function says, its mean over the rows being zero.

    Clusters are held against t with clusters - 1 degrees of freedom; single cases against as many as their unevenness
    leaves, unless `freedom` says otherwise.
    """
    share = 1.0 / rows.sizes(kept)
    sums = rows.sums(moved * share[:, None])
    covariance = shared(rows.bessel(kept), sums @ sums.T)
    if rows.cluster is not None:
        method, freedom = f"cluster-robust, {counted(rows.units, 'cluster')}", max(rows.units - 1.0, 1.0)
    n = float((kept.any(0) * rows.times).sum())
    return Joint(measure, names, values, covariance, n, method, freedom, sums, rows.too_few_clusters() or refusal)
