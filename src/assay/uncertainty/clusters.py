"""Standard errors where rows come in clusters (patients, sites, documents) and depend on one another inside them.

A cluster pulls the estimate towards itself, so what it deviates is divided by what it leaves to the others (the
jackknife that leaves out a cluster). With clusters of unequal size the variance rests on a few of them: the degrees of
freedom are those of so many, not of all. Where sizes have a heavy tail, clusters larger than any in the sample may hold
much of the population, so limits also allow for one of them, as hard as the trend over the sizes predicts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from assay.evidence import ScoreTable
from assay.results import Interval, counted_of
from assay.types import Floats
from assay.uncertainty.influence import Scale, scale_of

__all__ = [
    "Between",
    "between_classes",
    "between_clusters",
    "between_rows",
    "between_shares",
    "class_sizes",
    "design_freedom",
    "larger_cluster_shift",
    "spread_freedom",
    "tail_step",
    "unseen_share",
]

# Below this many clusters, or with fewer than so many clusters' worth of a class, nothing tells how they vary.
FEW_CLUSTERS, FEWEST_WORTH = 3, 2.0

# By how many steps of the sizes' tail a cluster that the sample lacks exceeds its largest (chosen on even seeds: where
# larger clusters were harder the interval of the AUC fell to .87 with one step, to .91 with two).
STEPS_BEYOND = 2
# A tail is long where the larger half of the sizes are 1.4 times the median and more.
LONG_TAIL = math.log(1.4)
# Logarithms of equal sizes differ by no more than this.
ROUNDING = 1e-12

NOTHING_VARIES = "it does not vary between these clusters, so its standard error is 0"


@dataclass(frozen=True)
class Between:
    """What clusters tell of an estimate: its standard error, and from how many of them that is known.

    `moved` is what each cluster moves the estimate by, `pull` its share of the denominator. `worth` is how many equal
    clusters would tell as much (Kish), by what they are counted in.
    """

    moved: Floats
    pull: Floats
    error: float
    freedom: float
    worth: tuple[float, str]
    # Where the value itself is biased: what stands in the middle of its interval.
    centre: float | None = None
    # Its share of the rows, where that is not its share of the denominator: how large it is.
    size: Floats | None = None
    # All clusters there are; where none of a cluster's cases are in the denominator it takes no part.
    of: int | None = None

    @property
    def clusters(self) -> int:
        """How many clusters take part."""
        return len(self.moved)

    @property
    def said(self) -> str:
        """How many clusters take part, of how many."""
        return counted_of(self.clusters, self.clusters if self.of is None else self.of, "cluster")

    @property
    def too_few(self) -> str | None:
        """Why so few clusters, or so unequal ones, tell nothing; or None."""
        if self.clusters < FEW_CLUSTERS:
            return f"{self.said}: at least {FEW_CLUSTERS} needed"
        worth, what = self.worth
        if worth < FEWEST_WORTH:
            return f"{what} sit in effectively {worth:.1f} clusters: at least {FEWEST_WORTH:g} needed"
        return None

    @property
    def why_not(self) -> str | None:
        """Why there is no interval, or None."""
        return self.too_few or (None if self.error > 0 else NOTHING_VARIES)


def between_shares(parts: Floats, wholes: Floats, sizes: Floats) -> Between:
    """Of a share A / B, from both in each cluster; `sizes` are its cases of each class, by rows.

    >>> found = between_shares(np.array([8.0, 7, 9, 5]), np.full(4, 10.0), np.full((4, 2), 5.0))
    >>> round(found.error, 4), found.freedom
    (0.0854, 3.0)
    >>> between_shares(np.array([8.0, 7, 9, 5, 0]), np.array([10.0, 10, 10, 10, 0]), np.full((5, 2), 5.0)).said
    '4 of 5 clusters'
    """
    takes_part = wholes > 0
    parts, wholes = (np.asarray(each, dtype=np.float64)[takes_part] for each in (parts, wholes))
    share = parts.sum() / wholes.sum()
    pull = wholes / wholes.sum()
    is_of_rows = np.array_equal(wholes, sizes[takes_part].sum(1))
    counted_in = _cluster_sizes_by_class(sizes) if is_of_rows else [(wholes, "its cases")]
    found = _between_clusters(
        (parts - share * wholes) / wholes.sum(), [pull], counted_in, _satterthwaite_freedom([pull**2])
    )
    # By its errors a cluster is large in the denominator of an F1 score: how large it is must not depend on them.
    rows = sizes[takes_part].sum(1)
    return replace(found, of=len(takes_part), size=rows / rows.sum())


def between_rows(moved: Floats, sizes: Floats) -> Between:
    """Of a mean over rows, from the sum in each cluster of what each row moves it by (rows counted as one)."""
    pull = sizes.sum(1) / sizes.sum()
    return _between_clusters(
        moved / sizes.sum(), [pull], _cluster_sizes_by_class(sizes), _satterthwaite_freedom([pull**2])
    )


def between_classes(of_negatives: Floats, of_positives: Floats, sizes: Floats, *, mixed: bool) -> Between:
    """Of what weighs the two classes apart, from what the negatives and the positives of each cluster move it by.

    `mixed` where the share of positives matters too, as to precision: then the class that is known worse decides.
    """
    pulls = [side / side.sum() for side in sizes.T]
    sides = [of_negatives, of_positives]
    squares = [pull**2 for pull in pulls]
    together = sum(float(side @ side) * square / square.sum() for side, square in zip(sides, squares, strict=True))
    freedom = _satterthwaite_freedom(squares) if mixed else _satterthwaite_freedom([np.asarray(together)])
    return _between_clusters(sides, pulls, _cluster_sizes_by_class(sizes), freedom)


def between_clusters(
    value: float, found: Between, bounds: tuple[float, float], level: float, name: str, *, skewed: bool = False
) -> Interval:
    """The value plus or minus t standard errors on a scale that keeps it in its range.

    `skewed` moves the upper end of a mean loss, which a rare bad cluster outside the sample would raise (Hall 1992).

    >>> found = between_shares(np.array([8.0, 7, 9, 5]), np.full(4, 10.0), np.full((4, 2), 5.0))
    >>> between_clusters(0.725, found, (0.0, 1.0), 0.95, "cluster-robust").method
    'cluster-robust, logit, 4 clusters'
    """
    scale = scale_of(bounds)
    label = f"{name}, {scale.name}, {found.said}"
    reason = found.why_not or (None if math.isfinite(scale.forward(value)) else NOTHING_VARIES)
    if reason is not None:
        return Interval.missing(label, reason)
    t = float(stdtrit(found.freedom, 0.5 + level / 2))
    # With hardly an error the middle may lie at the very end of the range, where there is no scale.
    has_middle = found.centre is not None and math.isfinite(scale.forward(found.centre))
    middle = found.centre if found.centre is not None and has_middle else value
    reach = found.error * max(scale.slope(value), scale.slope(middle))
    ends = [scale.backward(scale.forward(middle) - t * reach), scale.backward(scale.forward(middle) + t * reach)]
    if skewed:
        ends.append(_skewness_adjusted_limit(value, found, scale, t, reach))
    ends += _limits_with_larger_cluster(value, found, scale, t)
    return Interval(min(ends), max(ends), label, se=found.error)


def _skewness_adjusted_limit(value: float, found: Between, scale: Scale, t: float, reach: float) -> float:
    """Hall's upper limit, with the skewness of the clusters, the pull of each and the bend of the scale."""
    spread = math.sqrt(float(found.moved @ found.moved))
    skew = float((found.moved**3).sum()) / spread**3
    bend = -found.error * ((1 - 2 * value) * scale.slope(value) if scale.name == "logit" else 1 / value)
    a = skew / 3 - float(found.moved @ found.pull) / spread + bend / 2
    moved = -t - skew / 6
    quantile = moved if abs(a) < 1e-6 else (math.copysign(abs(1 + 3 * a * moved) ** (1 / 3), 1 + 3 * a * moved) - 1) / a
    return scale.backward(scale.forward(value) - reach * quantile)


def _limits_with_larger_cluster(value: float, found: Between, scale: Scale, t: float) -> list[float]:
    """Return the limits around the value shifted by a larger cluster; only that value where the scale ends before."""
    moved = value + larger_cluster_shift(found.moved, found.pull if found.size is None else found.size)
    if not math.isfinite(scale.forward(moved)):
        return [moved]
    reach = t * found.error * scale.slope(moved)
    return [scale.backward(scale.forward(moved) - reach), scale.backward(scale.forward(moved) + reach)]


def larger_cluster_shift(moved: Floats, pull: Floats) -> float:
    """Return by how much a cluster larger than any in the sample would shift the estimate.

    `moved` is each cluster's sum of influence values and `pull` its share of the cases. The influence per case of
    the larger cluster is the straight line over the logarithms of the sizes, continued to its size.

    >>> sizes = np.array([10.0, 10, 20, 20, 40, 80]) / 180
    >>> per_case = -np.log(sizes)
    >>> moved = sizes * (per_case - (sizes * per_case).sum())
    >>> round(larger_cluster_shift(moved, sizes), 4)
    -1.3308
    >>> larger_cluster_shift(np.array([0.1, -0.1]), np.array([0.5, 0.5]))
    0.0
    """
    takes_part = pull > 0
    if not takes_part.any():
        return 0.0
    moved, pull = moved[takes_part], pull[takes_part]
    size, each, weight = np.log(pull), moved / pull, np.sqrt(pull)
    middle = float(weight @ size) / float(weight.sum())
    spread = float(weight @ np.square(size - middle))
    if spread < ROUNDING:
        return 0.0
    usual = float(weight @ each) / float(weight.sum())
    slope = float(weight @ ((size - middle) * (each - usual))) / spread
    larger = float(pull.max()) * math.exp(STEPS_BEYOND * tail_step(pull))
    return larger * (usual + slope * (math.log(larger) - middle)) / (1 + larger)


def tail_step(sizes: Floats) -> float:
    """Return the mean logarithm of the sizes of the larger half of the clusters over the median size.

    Of sizes with a Pareto tail this is one over its exponent (Hill 1975), and by as much as that the largest of a
    sample is exceeded by the next one to be larger.

    >>> tail_step(np.array([5.0, 5, 5, 5])), round(tail_step(np.array([1.0, 1, 2, 8])), 3)
    (0.0, 0.981)
    """
    # The other half add nothing.
    beyond = np.log(np.maximum(sizes / np.median(sizes), 1.0))
    return float(beyond.sum()) / max(1, len(sizes) // 2)


def unseen_share(sizes: Floats) -> float:
    """Return the share of all cases in a cluster larger than any in the sample; 0 where sizes have no long tail.

    Sizes alone decide: a trend in the results may fail to show in just the samples that lack the large clusters.

    >>> unseen_share(np.full(20, 8.0)), round(unseen_share(np.array([5.0] * 10 + [6, 8, 9, 12, 20, 25, 60])), 2)
    (0.0, 0.68)
    """
    sizes = sizes[sizes > 0]
    step = tail_step(sizes)
    if step < LONG_TAIL:
        return 0.0
    larger = float(sizes.max() / sizes.sum()) * math.exp(STEPS_BEYOND * step)
    return larger / (1 + larger)


def class_sizes(table: ScoreTable) -> Floats:
    """The negatives and the positives of each cluster, by rows."""
    assert table.rows is not None
    return np.stack(table.rows.sums(*np.ones((2, len(table)))), axis=-1)


def design_freedom(sizes: Floats) -> tuple[float, str]:
    """The degrees of freedom that the sizes of clusters leave, and of what they are fewest: the rows, or a class.

    `sizes` are each cluster's cases of each class. Nothing is looked at but how many there are: whether answers are
    right has no say, so that a caution by this number selects no lucky samples.

    >>> even = np.full((8, 2), 5.0)
    >>> design_freedom(even)
    (7.0, 'the rows')
    >>> even[0] = 100.0
    >>> round(design_freedom(even)[0], 2)
    0.79
    """
    every = ((side, what) for side, what in _cluster_sizes_by_class(np.asarray(sizes, dtype=np.float64)))
    known = (
        (min(_satterthwaite_freedom([(side / side.sum()) ** 2]), float(_kish_effective_size(side)) - 1), what)
        for side, what in every
    )
    return min(known, key=lambda each: each[0])


def spread_freedom(moved: Floats) -> float:
    """Degrees of freedom of a variance that rests on few cases more than on others.

    A variance from n values with kurtosis k is known as well as from 2 n / (k - 1) normal ones.

    >>> round(spread_freedom(np.random.default_rng(0).standard_normal(1000)))
    868
    """
    squares = np.square(moved[moved != 0])
    if len(squares) < 2:
        return 1.0
    share = float((squares * squares).sum()) / float(squares.sum()) ** 2 - 1 / len(squares)
    return max(1.0, 2 / share) if share > 0 else math.inf


def _between_clusters(
    moved: Floats | Sequence[Floats], pulls: Sequence[Floats], counted_in: Sequence[tuple[Floats, str]], freedom: float
) -> Between:
    sides = [moved] if isinstance(moved, np.ndarray) else moved
    whole = np.sum(sides, axis=0)
    # A cluster that is all there is of a class leaves nothing to tell by; its worth is below 2 and says so.
    left = sum(side / np.maximum(1 - pull, 1e-9) for side, pull in zip(sides, pulls, strict=True))
    count = len(whole)
    error = math.sqrt((count - 1) / count * float(np.square(left).sum()))
    worth = min(((float(_kish_effective_size(size)), what) for size, what in counted_in), key=lambda each: each[0])
    known = max(2.0, min(freedom, spread_freedom(whole), worth[0] - 1))
    return Between(whole, np.mean(pulls, axis=0), error, known, worth)


def _cluster_sizes_by_class(sizes: Floats) -> list[tuple[Floats, str]]:
    """The rows of each cluster, and those of every class that occurs."""
    classes = [(side, "the cases of a class") for side in sizes.T if side.sum() > 0]
    return [(sizes.sum(1), "the rows"), *classes]


def _satterthwaite_freedom(shares: Sequence[Floats]) -> float:
    """Satterthwaite's degrees of freedom of a variance to which clusters add in these shares."""
    known = (float(share.sum()) ** 2 / float(share @ share) for share in shares if share.any())
    return min([len(shares[0]) - 1.0, *known])


def _kish_effective_size(sizes: Floats) -> float:
    return float(sizes.sum()) ** 2 / float(sizes @ sizes)
