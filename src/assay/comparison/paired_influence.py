"""The rows that classifiers are compared on, and how estimates vary together when each row moves them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from assay.comparison.joint import Joint, Limits
from assay.comparison.small_sample_limits import OfOne, careful_limits, recovered, widest
from assay.evidence import ScoreTable, class_products
from assay.results import counted
from assay.types import Bools, Floats
from assay.uncertainty import Between, between_classes, between_rows, larger_cluster_shift

# Which law clusters are held to: of a mean over rows, of what weighs the classes apart, or of what also depends on how
# many of each there are.
Weighs = Literal["rows", "classes", "mixed"]
# With so many clusters' worth of cases plus or minus t standard errors serve (chosen on even seeds of the certificate).
ENOUGH_CLUSTERS = 40


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
            # One by one: along an axis numpy makes numbers of them first.
            each = kept.reshape(-1, kept.shape[-1])
            found = np.array([np.count_nonzero(one) for one in each], dtype=np.float64)
            return found.reshape(kept.shape[:-1])
        return np.asarray(kept @ (self.each * self.times))

    def cases(self, kept: Bools) -> float:
        """How many cases any classifier has."""
        anywhere = kept.any(0)
        return float(np.count_nonzero(anywhere) if self.count is None else (anywhere * self.times).sum())

    def kish(self, kept: Bools) -> Floats:
        """For each two classifiers, how many equally weighted cases those that both have are worth."""
        if self.weight is None and self.count is None:
            found = np.empty((len(kept), len(kept)))
            for i, one in enumerate(kept):
                for j, other in enumerate(kept[: i + 1]):
                    found[i, j] = found[j, i] = np.count_nonzero(one & other)
            return found
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

    def products(self, moved: Floats) -> Floats:
        """The sums of products of what rows move each two estimates by, of negatives and of positives."""
        if self.cluster is None:
            return class_products(self.sums(moved), self.is_positive)
        return np.stack([np.einsum("ik,jk->ij", side, side) for side in self.by_class(moved)])

    def bessel(self, kept: Bools, worth: Floats | None = None) -> Floats:
        """For each two classifiers n / (n - 1), with n the (effective) cases or clusters that both have.

        `worth` is what `kish` says of them, where that is known.
        """
        found = self.kish(kept) if worth is None else worth
        if self.cluster is not None:
            held = np.stack([np.bincount(self.cluster, row, self.units) > 0 for row in kept.astype(np.float64)])
            found = held.astype(np.float64) @ held.T
        return np.divide(found, found - 1, out=np.full_like(found, np.nan), where=found > 1)

    def by_class(self, moved: Floats) -> tuple[Floats, Floats]:
        """What the negatives and the positives of each cluster move estimates by, added up."""
        return self.sums(moved * ~self.is_positive), self.sums(moved * self.is_positive)


def shared(factor: Floats, products: Floats) -> Floats:
    """Products corrected by a factor; where two classifiers share no case they are 0, whatever the factor.

    One shared case has none of its own: its product stands as it is.
    """
    together = np.where(products == 0, 0.0, np.where(np.isnan(factor), 1.0, factor) * products)
    np.fill_diagonal(together, np.diag(factor) * np.diag(products))
    return together


@dataclass(frozen=True)
class BetweenClusters:
    """How estimates vary together, with the degrees of freedom of each difference, and why it tells nothing.

    `shifts` is how far a cluster larger than any in the sample would move each difference.
    """

    covariance: Floats
    freedom: Floats
    shifts: Floats
    refusal: str | None
    # How many equal clusters would tell as much.
    worth: float

    def careful(self, values: Floats, of_one: OfOne | None) -> Limits | None:
        """Limits that allow for a larger cluster; of few clusters' worth also those recovered from either estimate."""
        if of_one is None:
            return None
        each = [self._with_larger(values)] if self.shifts.any() else []
        if self.worth < ENOUGH_CLUSTERS:
            each.append(recovered(values, self.covariance, of_one))
        return reduce(widest, each) if each else None

    def _with_larger(self, values: Floats) -> Limits:
        """The usual limits around the difference that a larger cluster would give."""

        def limits(first: int, second: int, level: float) -> tuple[float, float]:
            s = self.covariance
            error = float(np.sqrt(max(s[first, first] + s[second, second] - 2 * s[first, second], 0.0)))
            half = float(stdtrit(self.freedom[first, second], 0.5 + level / 2)) * error
            middle = float(values[first] - values[second] + self.shifts[first, second])
            return middle - half, middle + half

        return limits


def spread_between_clusters(rows: Rows, moved: Floats, kept: Bools, weighs: Weighs) -> BetweenClusters:
    """How estimates vary from one sample of clusters to another, when each row moves them so much.

    A covariance follows from the variances of two estimates and of their difference, each of which clusters tell.
    """
    negative, positive = rows.by_class(moved)
    there = np.asarray(kept.any(0), dtype=np.float64).reshape(1, -1)
    sizes = np.stack([side[0] for side in rows.by_class(there)], axis=-1)
    of = _cluster_method(sizes, weighs)
    count = len(moved)
    alone = [of(negative[k], positive[k]) for k in range(count)]
    variance = np.array([found.error**2 for found in alone])
    covariance, freedom = np.diag(variance), np.diag([found.freedom for found in alone])
    shifts = np.zeros_like(covariance)
    for i in range(count):
        for j in range(i):
            found = of(negative[i] - negative[j], positive[i] - positive[j])
            covariance[i, j] = covariance[j, i] = (variance[i] + variance[j] - found.error**2) / 2
            freedom[i, j] = freedom[j, i] = found.freedom
            shifts[i, j] = larger_cluster_shift(found.moved, found.pull)
            shifts[j, i] = -shifts[i, j]
    return BetweenClusters(covariance, freedom, shifts, alone[0].too_few, alone[0].worth[0])


def _cluster_method(sizes: Floats, weighs: Weighs) -> Callable[[Floats, Floats], Between]:
    total = float(sizes.sum())
    if weighs == "rows":
        return lambda negative, positive: between_rows((negative + positive) * total, sizes)
    return lambda negative, positive: between_classes(negative, positive, sizes, mixed=weighs == "mixed")


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
    weighs: Weighs = "rows",
    moves: Floats | None = None,
    of_one: OfOne | None = None,
    of_pair: Limits | None = None,
) -> Joint:
    """Estimates that are moved by each row as an influence function says, its mean over the rows being zero.

    Clusters are held against t with as many degrees of freedom as their sizes leave; single cases against as many as
    their unevenness leaves, unless `freedom` says otherwise. `moves` are what a usual case of each class moves each
    estimate by, with its label and with the other: then errors that the sample happens not to hold are counted on.
    `of_one` are the limits of one estimate, where those of a difference had better be recovered from them; `of_pair`
    others of a difference that it had better reach to.
    """
    share = 1.0 / rows.sizes(kept)
    each = moved * share[:, None]
    n = float((kept.any(0) * rows.times).sum())
    sums = rows.sums(each)
    if rows.cluster is not None:
        spread = spread_between_clusters(rows, each, kept, weighs)
        method, why = f"cluster-robust, {counted(rows.units, 'cluster')}", spread.refusal or refusal
        careful = spread.careful(values, of_one)
        return Joint(measure, names, values, spread.covariance, n, method, spread.freedom, sums, why, careful=careful)
    covariance = shared(rows.bessel(kept), sums @ sums.T)
    careful = careful_limits(values, covariance, rows.kish(kept), moves, of_one, of_pair)
    return Joint(measure, names, values, covariance, n, method, freedom, sums, refusal, careful=careful)
