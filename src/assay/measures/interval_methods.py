"""Intervals by the names that documents and packages use, whatever a default would say against them.

What clusters tell of each kind of measure.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.errors import OptionError, UnknownName
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures.measure import IntervalMethod, Measure, is_clustered, matrix_influence, ratio
from assay.method_names import current_title, squeezed
from assay.results import Interval
from assay.uncertainty import (
    CROSS_FITTED,
    Between,
    between_classes,
    between_clusters,
    between_rows,
    between_shares,
    class_sizes,
    percentile_limits,
    resampled,
)

__all__ = [
    "BOOTSTRAP",
    "DOUBTS",
    "bootstrap_caution",
    "clustered_interval",
    "each_cluster",
    "from_replicates",
    "interval_by_name",
    "is_bootstrap",
    "method_called",
    "names_of",
    "replicates_of",
]


BOOTSTRAP, NORMAL = "bootstrap", "normal"
DRAWS = 2000
# What one method is called elsewhere: the first of these that a measure has is meant.
SAME: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "wald": ("Wald", "DeLong", NORMAL),
        "normal": (NORMAL, "Wald", "DeLong"),
        "asymptotic": ("Wald", "DeLong", NORMAL),
        "delonglogit": ("DeLong, logit",),
        "logit": ("DeLong, logit", "influence function, logit", "logit, Mercaldo"),
        "exact": ("Clopper-Pearson",),
        "score": ("Wilson", "Miettinen-Nurminen"),
        "newcombe": ("Newcombe 5",),
        "plusfour": ("plus four", "DeLong, small-sample adjusted"),
        "obuchowskimcclish": ("Obuchowski",),
        "agresticoull": ("Agresti-Coull",),
        "percentile": (BOOTSTRAP,),
        "influence": (
            "influence function",
            "influence function, logit",
            "influence function, log",
            "influence function, plus four",
        ),
    }
)
# What is to be doubted about each, whatever the data: shares of intervals at 95 % that held the truth in simulations.
DOUBTS: Mapping[str, str] = MappingProxyType(
    {
        "Wald": "Wald's interval is too narrow near 0 and 1: with 30 cases it covered a proportion of .05 in 78 % "
        "of simulated samples",
        "DeLong": "DeLong's interval without the logit scale is too narrow near 1: with 20 cases per class it "
        "covered an AUC "
        "of .95 in 84 % of simulated samples and one of .99 in 62 %",
        "Hanley-McNeil": "Hanley and McNeil's standard error assumes exponential scores: with 20 cases per class the "
        "interval "
        "covered an AUC of .95 in 89 % of simulated samples and one of .99 in 72 %",
        "Obuchowski": "Obuchowski's standard error assumes normal scores, and the interval without the logit scale is "
        "too narrow near 1",
        NORMAL: "a normal interval is too narrow where a few cases account for most of the variance",
        BOOTSTRAP: "percentile intervals ignore errors that are not in the sample, and are too narrow "
        "with few cases in a class",
    }
)
NO_ERROR = "its standard error is unknown or 0"


def is_bootstrap(name: str) -> bool:
    """Whether a name is the bootstrap's.

    >>> is_bootstrap("Bootstrap"), is_bootstrap("percentile"), is_bootstrap("DeLong")
    (True, True, False)
    """
    return BOOTSTRAP in (squeezed(str(name)), *SAME.get(squeezed(str(name)), ()))


def names_of(measure: Measure) -> list[str]:
    """Every name by which an interval of a measure can be asked for, its own methods first."""
    own = list(measure.intervals.methods)
    generic = [NORMAL] if _has_standard_error(measure) and not {"Wald", "DeLong"} & set(own) else []
    return [*own, *generic, *([BOOTSTRAP] if measure.needs in (ConfusionMatrix, ScoreTable) else [])]


def method_called(measure: Measure, name: str, evidence: Any) -> IntervalMethod:
    """The method that goes by a name, for a measure of some evidence; case and punctuation do not matter."""
    known = {squeezed(each): each for each in names_of(measure)}
    asked = squeezed(str(name))
    titles = map(squeezed, (current_title(str(name)), *SAME.get(asked, ())))
    meant = next((title for title in titles if title in known), None)
    if meant is None:
        near = difflib.get_close_matches(asked, known, n=1, cutoff=0.5)
        hint = f"; did you mean {known[near[0]]}?" if near else ""
        found = f"there is no method {name!r} for {measure.title}{hint}"
        raise UnknownName(found, f"one of {', '.join(map(repr, known.values()))}")
    found = known[meant]
    if found == BOOTSTRAP:
        return _bootstrap_interval
    if is_clustered(evidence) and asked == NORMAL:
        return _normal_interval
    if is_clustered(evidence) and found not in (NORMAL, "Obuchowski"):
        said = f"these cases come in clusters, and {name!r} takes them as independent"
        raise OptionError(said, "a cluster-robust interval: leave method out, or 'normal', or 'bootstrap'")
    if is_clustered(evidence) and found == "Obuchowski":
        # His error of an AUC of clusters (1997), which is the usual one there.
        return _cluster_interval
    return _normal_interval if found == NORMAL else measure.intervals.methods[found]


def interval_by_name(
    measure: Measure, evidence: Any, level: float, method: str, seed: int
) -> tuple[Interval, str | None]:
    """The interval that goes by a name, also where no default would show it, and what is to be doubted about it."""
    found = method_called(measure, method, evidence)(measure, evidence, level, seed)
    if found.undefined is None:
        name = found.method.split(",")[0]
        return found, bootstrap_caution(measure) if name == BOOTSTRAP else DOUBTS.get(name)
    if found.otherwise is None:
        return found, None
    limits = _undefaulted_interval(found)
    return limits, f"not shown by default: {found.undefined}" if limits.undefined is None else None


def _undefaulted_interval(refused: Interval) -> Interval:
    """The limits that no default shows; where arithmetic has none either, why there is no default."""
    assert refused.otherwise is not None
    try:
        with np.errstate(all="ignore"):
            limits = refused.otherwise()
    except ArithmeticError:
        return refused
    return refused if limits.undefined is not None or math.isnan(limits.low + limits.high) else limits


def bootstrap_caution(measure: Measure) -> str:
    """What is to be doubted about a bootstrap interval of a measure."""
    if CROSS_FITTED in measure.intervals.methods:
        return "the best threshold is chosen on the same cases: the bootstrap interval is optimistic"
    return DOUBTS[BOOTSTRAP]


def _cluster_interval(measure: Measure, evidence: Any, level: float, seed: int) -> Interval:

    return clustered_interval(measure, evidence, level)


def _has_standard_error(measure: Measure) -> bool:
    return measure.needs is ConfusionMatrix or measure.moved_by is not None or measure.influence is not None


def _normal_interval(measure: Measure, evidence: Any, level: float, seed: int) -> Interval:
    """Plus or minus so many standard errors, those of the usual interval or from what each cell moves it by."""
    value, error, label = float(measure(evidence)), _standard_error(measure, evidence, level, seed), NORMAL
    if not error > 0:
        return Interval.missing(NORMAL, NO_ERROR)
    half = float(ndtri(0.5 + level / 2)) * error
    if is_clustered(evidence):
        label = f"{NORMAL}, between clusters"
    return Interval(value - half, value + half, label, se=error)


def _standard_error(measure: Measure, evidence: Any, level: float, seed: int) -> float:
    if is_clustered(evidence):
        found = clustered_interval(measure, evidence, level)
    elif isinstance(evidence, ConfusionMatrix):
        return _delta_method_error(measure, evidence)
    else:
        found = measure.intervals.usual(measure, evidence, level, seed)
        found = found if found.otherwise is None else _undefaulted_interval(found)
    return math.nan if found.se is None else found.se


def _delta_method_error(measure: Measure, matrix: ConfusionMatrix) -> float:
    """By the delta method: the cells vary as those of a sample of so many cases do."""
    moved, shares = matrix_influence(measure, matrix), ratio(matrix.counts, matrix.total)
    spread = float((shares * np.square(moved)).sum() - (shares * moved).sum() ** 2)
    return math.sqrt(ratio(spread, matrix.kish)) if spread > 0 else math.nan


def _bootstrap_interval(measure: Measure, evidence: Any, level: float, seed: int) -> Interval:
    """Equal tails of replicates of independent, equal cases; classes keep their size where only they matter."""
    values = replicates_of(measure, evidence, seed)
    if values is None:
        return Interval.missing(BOOTSTRAP, "all true labels are of one class, and replicates are drawn of both")
    is_stratified = isinstance(evidence, ScoreTable) and measure.of_each_class
    said = f"{BOOTSTRAP}, stratified" if is_stratified else BOOTSTRAP
    return from_replicates(values, float(measure(evidence)), level, said)


def replicates_of(measure: Measure, evidence: Any, seed: int) -> Any:
    """A measure of many samples drawn from evidence of equal, independent cases; None where a class is missing."""
    is_matrix = isinstance(evidence, ConfusionMatrix)
    if is_clustered(evidence) or (evidence.squares is not None if is_matrix else evidence.is_weighted):
        raise OptionError("these cases have weights or come in clusters", "the rows, of which replicates are drawn")
    if is_matrix:
        return np.asarray(_replicates(measure, evidence, seed))
    if not (evidence.negatives and evidence.positives):
        return None
    return np.asarray(resampled(evidence, measure, DRAWS, seed, stratified=measure.of_each_class).values)


def from_replicates(values: Any, value: float, level: float, said: str) -> Interval:
    """Equal tails of replicates; those that are undefined are left out and counted."""
    known = values[np.isfinite(values)]
    if len(known) < 2 or not len(known) >= len(values) / 2:
        return Interval.missing(said, "it is undefined in most replicates")
    lost = f", {len(values) - len(known):,} undefined" if len(known) < len(values) else ""
    low, high = percentile_limits(known, value, level)
    return Interval(low, high, f"{said}, {len(values):,} draws{lost}", se=float(known.std(ddof=1)))


def _replicates(measure: Measure, matrix: ConfusionMatrix, seed: int) -> Any:
    counts = matrix.counts.ravel()
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(round(float(counts.sum())), ratio(counts, counts.sum()), size=DRAWS).astype(np.float64)
    cells = drawn.reshape(DRAWS, *matrix.counts.shape)
    return measure(replace(matrix, counts=cells))


def clustered_interval(measure: Measure, evidence: Any, level: float) -> Interval:
    """The interval when rows come in clusters: the value, from what each cluster moves it by."""
    found = _cluster_influence(measure, evidence)
    if found is None:
        return Interval.missing("cluster-robust", "no interval for clustered rows is known for this measure")
    value = float(measure(evidence))
    return between_clusters(value, found, measure.bounds, level, "cluster-robust", skewed=measure.is_mean_loss)


def _cluster_influence(measure: Measure, evidence: Any) -> Between | None:
    """What clusters tell; of scores it is kept, since no level changes it."""
    if isinstance(evidence, ConfusionMatrix):
        return (
            _matrix_cluster_influence(measure, evidence) if measure.clustered is None else measure.clustered(evidence)
        )
    key = ("between clusters", measure)
    if key not in evidence.cache:
        tell = measure.clustered
        evidence.cache[key] = _table_cluster_influence(measure, evidence) if tell is None else tell(evidence)
    found: Between | None = evidence.cache[key]
    return found


def _matrix_cluster_influence(measure: Measure, matrix: ConfusionMatrix) -> Between:
    assert matrix.clusters is not None
    sizes = matrix.clusters.sum(-1)
    if measure.parts is not None:
        part, whole = measure.parts(each_cluster(matrix))
        return between_shares(part, whole, sizes)
    cells = matrix.clusters.reshape(len(matrix.clusters), -1)
    return between_rows(cells @ matrix_influence(measure, matrix).ravel(), sizes)


def each_cluster(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The confusion matrices of the clusters, as a batch."""
    assert matrix.clusters is not None
    return ConfusionMatrix(matrix.clusters, matrix.classes, matrix.decisions)


def _table_cluster_influence(measure: Measure, table: ScoreTable) -> Between | None:
    assert table.rows is not None
    if measure.moved_by is None:
        return None
    negative, positive = table.rows.sums(*measure.moved_by(table))
    sizes = class_sizes(table)
    if measure.needs_probability:
        return between_rows(negative + positive, sizes)
    lost, won = (ratio(side, table.total) for side in (negative, positive))
    return between_classes(lost, won, sizes, mixed=not measure.of_each_class)
