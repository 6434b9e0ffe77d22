"""Who was right, where cases come in clusters (patients, sites, documents) and depend on one another inside them."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtr, stdtrit

from assay.comparison._tables import Compared, chi_square, refused
from assay.evidence.paired import PairedCorrectness
from assay.request import checked_choice, checked_level
from assay.results import Interval, TestResult, counted_of
from assay.types import Floats
from assay.uncertainty import larger_cluster_shift

EQUAL = "both classifiers are right equally often"
# Below this many clusters nothing tells how they vary.
FEWEST_CLUSTERS = 3


def clustered_test(clusters: Floats, level: float = 0.95) -> Compared:
    """Whether two classifiers are right equally often about clustered cases, and the interval of the difference.

    The test is Obuchowski's contrast (1998): each cluster's cases only the first got right less those only the second
    did, referred to t with one degree fewer than clusters. The interval holds every difference D for which the
    clusters' wins less D times their sizes pass the same test (Fieller). Both also allow for a cluster larger than any
    in the sample (`larger_cluster_shift`): the test rejects only what it would also reject with one. `clusters` has who
    was right in each.

    >>> tables = np.array([[[1, 1], [2, 6]], [[0, 2], [4, 4]], [[2, 1], [3, 4]], [[1, 0], [0, 9]]])
    >>> test, interval = clustered_test(tables)
    >>> round(test.p_value, 4), round(interval.low, 4), round(interval.high, 4)
    (0.0796, -0.0273, 0.2773)
    """
    level = checked_level(level)
    sizes = clusters.sum((-2, -1))
    # Those without a case of the class that a rate is about take no part.
    of = len(sizes)
    clusters, sizes = clusters[sizes > 0], sizes[sizes > 0]
    wins, groups = clusters[:, 1, 0] - clusters[:, 0, 1], len(sizes)
    said = counted_of(groups, of, "cluster")
    name, label = "clustered difference", f"Obuchowski's contrast, t, {said}"
    if groups < FEWEST_CLUSTERS:
        why = f"{said}: below {FEWEST_CLUSTERS} nothing tells how they vary"
        return refused(name, EQUAL, why), Interval.missing(label, why)
    if not wins.any():
        why = "no cluster tells the classifiers apart"
        return TestResult(name, EQUAL, 0.0, 1.0, label), Interval.missing(label, why)
    spread = float(np.var(wins, ddof=1))
    if spread == 0:
        why = "every cluster has the same net wins, so they cannot tell how these vary"
        return refused(name, EQUAL, why), Interval.missing(label, why)
    won, more = float(wins.sum()), _won_with_larger(wins, sizes)
    # The same sign with and without a larger cluster, or nothing is significant.
    nearer = min(won, more, key=abs) if won * more > 0 else 0.0
    t = nearer / math.sqrt(spread * groups)
    test = TestResult(name, EQUAL, t, float(2 * stdtr(groups - 1, -abs(t))), label)
    label = f"Fieller, t, {said}"
    first, second = (_fieller(wins, sizes, net, level, label) for net in (won, more))
    if first.undefined is not None or second.undefined is not None:
        return test, first
    return test, Interval(min(first.low, second.low), max(first.high, second.high), label)


def _won_with_larger(wins: Floats, sizes: Floats) -> float:
    """The net wins of as many cases, were there a cluster larger than any in the sample."""
    total, won = float(sizes.sum()), float(wins.sum())
    return won + total * larger_cluster_shift((wins - won / total * sizes) / total, sizes / total)


def _fieller(wins: Floats, sizes: Floats, won: float, level: float, label: str) -> Interval:
    """Where the t test of wins - D sizes is not significant, of so many net wins: between the roots of a parabola."""
    groups = len(sizes)
    reach = float(stdtrit(groups - 1, 0.5 + level / 2)) ** 2 * groups
    ww, wn, _, nn = (float(x) for x in np.cov(wins, sizes).ravel())
    total = float(sizes.sum())
    curve = total**2 - reach * nn
    if curve <= 0:
        return Interval.missing(label, "so few clusters hold so many of the cases that the difference has no bound")
    middle, end = won * total - reach * wn, won**2 - reach * ww
    half = math.sqrt(max(middle**2 - curve * end, 0.0))
    return Interval(max(-1.0, (middle - half) / curve), min(1.0, (middle + half) / curve), label)


def clustered_mcnemar(paired: PairedCorrectness, form: str = "Obuchowski") -> TestResult:
    """McNemar's test adjusted for clusters, by the name of its author, referred to chi-square as published.

    "Obuchowski" (1998) counts every case alike, "Durkalski" (2003) every cluster alike, whatever its size.

    >>> tables = np.array([[[1, 1], [2, 6]], [[0, 2], [4, 4]], [[2, 1], [3, 4]], [[1, 0], [0, 9]]])
    >>> paired = PairedCorrectness(tables.sum(0), clusters=tables)
    >>> [round(clustered_mcnemar(paired, form).p_value, 4) for form in ("Obuchowski", "Durkalski")]
    [0.1489, 0.0956]
    """
    checked_choice(form, ("Obuchowski", "Durkalski"), "form")
    name = "McNemar for clustered pairs"
    if paired.clusters is None:
        return refused(name, EQUAL, "these cases have no clusters; use mcnemar")
    sizes = paired.clusters.sum((-2, -1))
    clusters, sizes = paired.clusters[sizes > 0], sizes[sizes > 0]
    wins = clusters[:, 1, 0] - clusters[:, 0, 1]
    if len(sizes) < FEWEST_CLUSTERS:
        said = counted_of(len(sizes), len(paired.clusters), "cluster")
        return refused(name, EQUAL, f"{said}: below {FEWEST_CLUSTERS} nothing tells how they vary")
    if not wins.any():
        return chi_square(name, EQUAL, 0.0, 0, form)
    each = wins if form == "Obuchowski" else wins / sizes
    bessel = (len(sizes) - 1) / len(sizes) if form == "Obuchowski" else 1.0
    return chi_square(name, EQUAL, bessel * float(each.sum() ** 2 / (each @ each)), 1, form)
