"""What a Brier score is made of: how uncertain the outcome is, how well cases are told apart, how far rates are off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.calibration.groups import Groups, of_the_middle
from assay.calibration.mean_and_slope import as_estimate, in_cells, influence_interval
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.request import checked_level
from assay.results import Estimate, Table, counted
from assay.types import Floats
from assay.uncertainty import Moves, standard_error, summed_over


class PartErrors(NamedTuple):
    """Standard errors of the parts, for groups cut without looking at the outcomes; nan where clusters forbid them."""

    uncertainty: float
    reliability: float
    resolution: float

    def _repr_html_(self) -> str:
        return in_notebook(self)


@dataclass(frozen=True, slots=True)
class BrierParts:
    """Murphy's parts: Brier = uncertainty + reliability - resolution + within_variance - within_covariance.

    `uncertainty` is the Brier score of always predicting the prevalence, `resolution` what is gained by telling groups
    apart, `reliability` what is lost because the rates differ from the probabilities (0 is best). The last two are what
    groups leave out: they are 0 where a group has one probability.
    """

    uncertainty: Any
    reliability: Any
    resolution: Any
    within_variance: Any
    within_covariance: Any
    undefined: str | None = None
    # What to doubt where scores are in cells.
    caution: str | None = None

    _repr_html_ = in_notebook

    @property
    def brier(self) -> Any:
        """The Brier score the parts sum to."""
        within = self.within_variance - self.within_covariance
        return self.uncertainty + self.reliability - self.resolution + within


def murphy_parts(groups: Groups, *, corrected: bool = False) -> BrierParts:
    """Murphy's decomposition over groups; over by_score() the parts between groups are all there is.

    Reliability and resolution are both too large on average, the more so the smaller the groups. `corrected` takes off
    what calibrated probabilities would have by chance (Ferro & Fricker); the parts may then leave their range, and none
    is defined where a group has a single case.

    >>> from assay.calibration.groups import equal_size
    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> parts = murphy_parts(equal_size(table, 3))
    >>> [round(part, 6) for part in (parts.uncertainty, parts.reliability, parts.resolution)]
    [0.25, 0.046133, 0.183333]
    >>> round(parts.within_variance, 5), round(parts.within_covariance, 5), round(parts.brier, 5)
    (0.01266, -0.012, 0.13746)

    References: Murphy (1973); Stephenson, Coelho & Jolliffe (2008); Ferro & Fricker (2012).
    """
    n, weight = groups.table.total, groups.total
    prevalence = np.asarray(groups.table.positives / n)
    within_variance, within_covariance = _within_group_terms(groups)
    uncertainty = prevalence * (1 - prevalence)
    reliability = (weight * (groups.mean - groups.rate) ** 2).sum(-1) / n
    resolution = (weight * (groups.rate - prevalence[..., None]) ** 2).sum(-1) / n
    reason = None
    if corrected:
        chance, chance_of_all, reason = _chance_terms(groups, uncertainty)
        reliability, resolution = reliability - chance, resolution - chance + chance_of_all
        uncertainty = uncertainty + chance_of_all
    parts = (uncertainty, reliability, resolution, within_variance, within_covariance)
    first, second, third, fourth, fifth = (part if np.ndim(part) else float(part) for part in parts)
    return BrierParts(first, second, third, fourth, fifth, reason, of_the_middle(groups.table))


def murphy_part_errors(groups: Groups, *, corrected: bool = False) -> PartErrors:
    """Standard errors of uncertainty, reliability and resolution, by how much each case moves them.

    >>> from assay.calibration.groups import equal_width
    >>> rng = np.random.default_rng(1)
    >>> p = rng.random(1000)
    >>> [round(error, 5) for error in murphy_part_errors(equal_width(ScoreTable.of(p, rng.random(1000) < p), 10))]
    [0.00041, 0.00157, 0.00636]

    References: Siegert (2014).
    """
    table, n = groups.table, float(groups.table.total)
    if groups.cell is not None or table.rows is not None or (corrected and table.is_weighted):
        return PartErrors(math.nan, math.nan, math.nan)
    of_uncertainty, of_reliability, of_resolution = _component_influences(groups)
    if corrected:
        chance = _chance_influence(groups)
        of_reliability, of_resolution = of_reliability - chance, of_resolution - chance + of_uncertainty / (n - 1)
        of_uncertainty = of_uncertainty * n / (n - 1)

    def error(influence: Floats) -> float:
        middle = sum(summed_over(table, *influence)) / n
        return standard_error(table, *(influence - middle))

    return PartErrors(error(of_uncertainty), error(of_reliability), error(of_resolution))


def _within_group_terms(groups: Groups) -> tuple[Any, Any]:
    """What varies inside groups: the variance of the probabilities, and twice their covariance with the outcome."""
    n, p = groups.table.total, groups.probability
    negative, positive = (groups.pieces(side) for side in (groups.table.negative, groups.table.positive))
    away, rate = p - groups.mean[..., groups.member], groups.rate[..., groups.member]
    variance = ((negative + positive) * away**2).sum(-1) / n
    return variance, 2 * ((positive * (1 - rate) - negative * rate) * away).sum(-1) / n


def _chance_terms(groups: Groups, uncertainty: Any) -> tuple[Any, Any, str | None]:
    """What right probabilities add to reliability by chance, what chance takes from uncertainty, and why not."""
    squares = sum(side.sum(-1) for side in groups.table.squared_weights)
    single = int((groups.kish <= 1).sum())
    if single:
        return math.nan, math.nan, f"{counted(single, 'group')} of a single case: the correction needs two in each"
    chance = (groups.total * groups.rate * (1 - groups.rate) / (groups.kish - 1)).sum(-1) / groups.table.total
    return chance, uncertainty / (groups.table.total**2 / squares - 1), None


def _component_influences(groups: Groups) -> tuple[Floats, Floats, Floats]:
    """How much a negative and a positive at each score (rows) move uncertainty, reliability and resolution."""
    prevalence = float(groups.table.positives / groups.table.total)
    happened, p = np.array([[0.0], [1.0]]), groups.table.score
    gap, rate = (groups.mean - groups.rate)[groups.member], groups.rate[groups.member]
    return (
        (1 - 2 * prevalence) * (happened - prevalence) + 0 * p,
        2 * gap * (p - happened) - gap**2,
        2 * (rate - prevalence) * (happened - rate) + (rate - prevalence) ** 2,
    )


def _chance_influence(groups: Groups) -> Floats:
    """How much a case moves what chance adds to reliability: the slopes of b (a - b) / (a (a - 1)) by a and by b."""
    a, b = groups.total, groups.positive
    by_count = (b - b * (a - b) * (2 * a - 1) / (a * (a - 1))) / (a * (a - 1))
    by_positive = (a - 2 * b) / (a * (a - 1))
    return np.stack((by_count, by_count + by_positive))[:, groups.member]


@dataclass(frozen=True, slots=True)
class CovarianceParts:
    """Yates's parts: Brier = uncertainty + bias**2 + scatter + minimum_variance - 2 slope uncertainty.

    `slope` is how much higher positives are scored than negatives on average (1 is best), `scatter` how much the
    probabilities vary inside the classes without need, `minimum_variance` the least they must vary to have that slope.
    """

    bias: float
    slope: float
    scatter: float
    minimum_variance: float
    uncertainty: float
    graph: Table
    undefined: str | None = None
    # What to doubt where scores are in cells.
    caution: str | None = None

    _repr_html_ = in_notebook

    @property
    def brier(self) -> float:
        """The Brier score the parts sum to."""
        spread = self.scatter + self.minimum_variance - 2 * self.slope * self.uncertainty
        return self.uncertainty + self.bias**2 + spread


def covariance_parts(table: ScoreTable) -> CovarianceParts:
    """Yates's decomposition by class; `graph` holds the points of its graph, whose two means a line of `slope` joins.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> parts = covariance_parts(table)
    >>> round(parts.bias, 6), round(parts.slope, 6), round(parts.scatter, 6), round(parts.minimum_variance, 6)
    (0.03, 0.356, 0.032876, 0.031684)
    >>> print(parts.graph)
    outcome  cases   mean     sd
          0      5  0.352  0.201
          1      5  0.708  0.159

    References: Yates (1982); Arkes et al. (1995).
    """
    p, n = table.score, float(table.total)
    sizes, sides = (float(table.negatives), float(table.positives)), (table.negative, table.positive)
    means = [float(side @ p) / size if size else math.nan for side, size in zip(sides, sizes, strict=True)]
    sums = [
        float(side @ (p - mean) ** 2) if size else 0.0 for side, size, mean in zip(sides, sizes, means, strict=True)
    ]
    prevalence = sizes[1] / n
    uncertainty, slope = prevalence * (1 - prevalence), means[1] - means[0]
    spreads = [math.sqrt(total / size) if size else math.nan for total, size in zip(sums, sizes, strict=True)]
    graph = Table({"outcome": [0, 1], "cases": list(sizes), "mean": means, "sd": spreads}, "Covariance graph")
    reason = "all true labels are of one class, so there is no slope" if math.isnan(slope) else None
    bias = sum(summed_over(table, p, p)) / n - prevalence
    scatter, least, caution = sum(sums) / n, slope**2 * uncertainty, of_the_middle(table)
    return CovarianceParts(bias, slope, scatter, least, uncertainty, graph, reason, caution)


def spherical_score(table: ScoreTable, *, level: float = 0.95) -> Estimate:
    """Mean of the probability given to what happened over the length of (p, 1 - p): 1 is perfect, 0.707 is always 1/2.

    >>> round(spherical_score(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).value, 6)
    0.839575

    References: Good (1971); Gneiting & Raftery (2007).
    """
    level = checked_level(level)
    scores = _spherical_parts(table)
    value, n = sum(summed_over(table, *scores)) / float(table.total), float(table.total)
    interval = influence_interval(table, value, Moves(*scores, shifts=(-value, -value)), (0.0, 1.0), level)
    found = as_estimate("spherical_score", value, interval, level, n)
    return in_cells(found, table, lambda each: sum(summed_over(each, *_spherical_parts(each))) / float(each.total))


def _spherical_parts(table: ScoreTable) -> tuple[Floats, Floats]:
    length = np.hypot(table.score, 1 - table.score)
    return (1 - table.score) / length, table.score / length
