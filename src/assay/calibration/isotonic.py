"""The isotonic reading of probabilities (CORP): no bins to choose, and a score that splits into three parts.

Dimitriadis, Gneiting & Jordan (2021): the rates of the event that never fall as the probability rises and lie nearest
to the outcomes, found by pooling adjacent violators. They depend on the order of the scores alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.curves import whole
from assay.evidence import ScoreTable, arrangements, upper_hull
from assay.measures import find
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_numbers
from assay.results import Estimate, Table
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS, weighted_proportion

ScoringRule = Literal["brier", "log_loss"]

FITTED_HERE = "the curve was fitted to these same cases, so it is biased upward; miscalibration_test judges it"


def isotonic_means(value: Floats, weight: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """The rising sequence nearest to `value` in weighted squares, and where each of its steps begins.

    >>> fitted, first = isotonic_means(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))
    >>> fitted, first
    (array([0. , 0.5, 0.5, 1. ]), array([0, 1, 3]))
    """
    # The steps are the sides of the hull below the cumulative sums: turned over, of the one above.
    x, y = (np.concatenate(([0.0], np.cumsum(part))) for part in (weight, value * weight))
    first = upper_hull(x, -y)[:-1]
    size = np.diff(first, append=len(value))
    mean = np.add.reduceat(value * weight, first) / np.add.reduceat(weight, first)
    return np.repeat(mean, size), first


@dataclass(frozen=True, eq=False, repr=False)
class IsotonicFit:
    """How often the event happened against what was said: steps over neighbouring scores, each a block of cases.

    Block i holds the scores from `low[i]` to `high[i]`, `mean[i]` on average; of its cases `rate[i]` are positive.
    """

    low: Floats
    high: Floats
    mean: Floats
    rate: Floats
    negative: Floats
    positive: Floats
    # The position in the score table at which each block begins.
    first: NDArray[np.intp]
    scores: int

    _repr_html_ = in_notebook

    def __len__(self) -> int:
        return len(self.rate)

    def __repr__(self) -> str:
        return f"<isotonic calibration curve: {len(self):,} blocks of {self.scores:,} scores>"

    def at_scores(self) -> Floats:
        """The rate at every distinct score of the table."""
        return np.repeat(self.rate, np.diff(self.first, append=self.scores))

    def __call__(self, scores: Any) -> Floats:
        """The rate at any scores: straight lines between blocks, flat beyond the ends."""
        knots = np.column_stack((self.low, self.high)).ravel()
        return np.interp(checked_numbers(scores, "scores"), knots, np.repeat(self.rate, 2))

    def table(self) -> Table:
        """One row a block.

        >>> print(isotonic_fit(ScoreTable.of([0.1, 0.2, 0.6, 0.9], [False, True, False, True])).table())
          from     to   mean   rate  cases  positives
         0.100  0.100  0.100  0.000      1          0
         0.200  0.600  0.400  0.500      2          1
         0.900  0.900  0.900  1.000      1          1
        """
        return Table(
            {
                "from": self.low.tolist(),
                "to": self.high.tolist(),
                "mean": self.mean.tolist(),
                "rate": self.rate.tolist(),
                "cases": whole(self.negative + self.positive),
                "positives": whole(self.positive),
            },
            title="Isotonic calibration curve",
        )


def isotonic_fit(table: ScoreTable) -> IsotonicFit:
    """How often the event happened, as a curve that never falls as the score rises: no bins, no bandwidth.

    >>> isotonic_fit(ScoreTable.of([0.1, 0.4, 0.4, 0.9], [False, False, True, True])).rate
    array([0. , 0.5, 1. ])
    """
    if "isotonic fit" not in table.cache:
        table.cache["isotonic fit"] = _fitted(table)
    fit: IsotonicFit = table.cache["isotonic fit"]
    return fit


def _fitted(table: ScoreTable) -> IsotonicFit:
    cases = table.negative + table.positive
    # Sums of positives over sums of cases have the corners of the ROC curve, met from the other end.
    first = len(table) - table.hull_corners[:0:-1]
    negative, positive, total = (np.add.reduceat(part, first) for part in (table.negative, table.positive, cases))
    return IsotonicFit(
        low=table.score[first],
        high=table.score[np.append(first[1:], len(table)) - 1],
        mean=np.add.reduceat(cases * table.score, first) / total,
        rate=positive / total,
        negative=negative,
        positive=positive,
        first=first,
        scores=len(table),
    )


@dataclass(frozen=True)
class CorpParts:
    """A mean score as miscalibration - discrimination + uncertainty, each part at least 0.

    Miscalibration is what recalibrating would save, discrimination what the recalibrated probabilities save over always
    saying the prevalence, uncertainty what that would cost.

    >>> print(corp_parts(ScoreTable.of([0.1, 0.2, 0.6, 0.9], [False, True, False, True])).table())
    part              value    low   high
    mean              0.255      -      -
    miscalibration    0.130      -      -
    discrimination    0.125      -      -
    uncertainty       0.250  0.128  0.250
    """

    rule: ScoringRule
    mean: Estimate
    miscalibration: Estimate
    discrimination: Estimate
    uncertainty: Estimate

    _repr_html_ = in_notebook

    def table(self) -> Table:
        """One row a part."""
        parts = (self.mean, self.miscalibration, self.discrimination, self.uncertainty)
        names = ["mean", "miscalibration", "discrimination", "uncertainty"]
        columns = {key: [getattr(part, key) for part in parts] for key in ("value", "low", "high")}
        return Table({"part": names, **columns}, title=f"Isotonic decomposition of {self.mean.name}")


def corp_parts(table: ScoreTable, rule: ScoringRule = "brier", *, level: float = 0.95) -> CorpParts:
    """What is miscalibration in a Brier score or log loss, what discrimination, and what lies in the data.

    Log loss holds probabilities at least 2.2e-16 away from 0 and 1, as the measure of that name does.
    """
    measure = find(checked_choice(rule, get_args(ScoringRule), "rule"))
    whole, spread = measure.estimate(table, level=level), measure.entropy
    assert spread is not None
    n, recalibrated = float(table.total), _recalibrated(table, spread)
    constant = float(spread(np.float64(table.positives / n)))
    open_ = _in_cells(table, whole, spread)

    def part(name: str, value: float) -> Estimate:
        nan = float("nan")
        # Rounding must not make a part that is 0 negative.
        value = max(value, 0.0)
        bounds = None if open_ is None else (min(value, *open_[name]), max(value, *open_[name]))
        found = Estimate(f"{rule}_{name}", value, nan, nan, level, "isotonic", n, undefined=FITTED_HERE)
        return replace(found, bounds=bounds)

    rest = _uncertainty(table, rule, spread, level)
    if open_ is not None:
        rest = replace(rest, bounds=(min(rest.value, *open_["uncertainty"]), max(rest.value, *open_["uncertainty"])))
    return CorpParts(
        rule,
        whole,
        part("miscalibration", whole.value - recalibrated),
        part("discrimination", constant - recalibrated),
        rest,
    )


def _recalibrated(table: ScoreTable, spread: Callable[[Any], Any]) -> float:
    """The mean loss of the isotonic curve: a block's cases all get its rate, so theirs is the spread of that rate."""
    fit = isotonic_fit(table)
    return float((fit.negative + fit.positive) @ spread(fit.rate)) / float(table.total)


def _in_cells(
    table: ScoreTable, whole: Estimate, spread: Callable[[Any], Any]
) -> dict[str, tuple[float, float]] | None:
    """The ends of the parts, wherever the scores lie in their cells: None where there are no cells.

    The curve fits best where the scores part the classes inside each cell, and worst where they turn them round: then
    it joins them, which it may do with any scores.
    """
    if table.reach is None:
        return None
    ends = arrangements(table)[:2] or (table, table)
    best, worst = (_recalibrated(each, spread) for each in ends)
    constant = float(spread(np.float64(ends[0].positives / ends[0].total)))
    low, high = whole.bounds or (whole.value, whole.value)
    return {
        "miscalibration": (max(low - worst, 0.0), high - best),
        "discrimination": (max(constant - worst, 0.0), constant - best),
        "uncertainty": (constant, constant),
    }


def _uncertainty(table: ScoreTable, rule: str, spread: Callable[[Any], Any], level: float) -> Estimate:
    """The score of always saying the prevalence; its limits are those of every prevalence in Wilson's interval."""
    part, whole = float(table.positives), float(table.total)
    if table.is_weighted:
        squares = [float(side.sum()) for side in table.squared_weights]
        found = weighted_proportion("Wilson", part, whole, squares[1], sum(squares), level)
        low, high = found.low, found.high
    else:
        low, high = PROPORTION_METHODS["Wilson"](part, whole, level)
    ends = [float(spread(np.float64(end))) for end in (low, high)]
    top = float(spread(np.float64(0.5))) if low <= 0.5 <= high else max(ends)
    value = float(spread(np.float64(part / whole)))
    reason = "rows come in clusters, and Wilson's interval takes them as independent"
    if table.rows is not None:
        return Estimate(f"{rule}_uncertainty", value, np.nan, np.nan, level, "Wilson", whole, undefined=reason)
    return Estimate(f"{rule}_uncertainty", value, min(*ends, value), max(top, value), level, "Wilson", whole)
