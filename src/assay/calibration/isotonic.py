"""The isotonic reading of probabilities (CORP): no bins to choose, and a score that splits into three parts.

Dimitriadis, Gneiting & Jordan (2021): the rates of the event that never fall as the probability rises and lie nearest
to the outcomes, found by pooling adjacent violators. They depend on the order of the scores alone.

Bands about the isotonic calibration curve.

The *consistency* band is where the curve would lie if every probability were right: it judges the curve as drawn. The
*confidence* band holds the true curve, whatever it is: it alone says where the probabilities are wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from assay.curves import whole
from assay.evidence import ScoreTable, arrangements, binomials, draw_key, isotonic_rows, redrawn_sums, upper_hull
from assay.measures import find
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_numbers, checked_seed
from assay.results import Estimate, Table, TestResult
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
        table.cache["isotonic fit"] = _isotonic_fit(table)
    fit: IsotonicFit = table.cache["isotonic fit"]
    return fit


def _isotonic_fit(table: ScoreTable) -> IsotonicFit:
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
    n, recalibrated = float(table.total), _recalibrated_loss(table, spread)
    constant = float(spread(np.float64(table.positives / n)))
    open_ = _decomposition_bounds(table, whole, spread)

    def part(name: str, value: float) -> Estimate:
        nan = float("nan")
        # Rounding must not make a part that is 0 negative.
        value = max(value, 0.0)
        bounds = None if open_ is None else (min(value, *open_[name]), max(value, *open_[name]))
        found = Estimate(f"{rule}_{name}", value, nan, nan, level, "isotonic", n, undefined=FITTED_HERE)
        return replace(found, bounds=bounds)

    rest = _uncertainty_component(table, rule, spread, level)
    if open_ is not None:
        rest = replace(rest, bounds=(min(rest.value, *open_["uncertainty"]), max(rest.value, *open_["uncertainty"])))
    return CorpParts(
        rule,
        whole,
        part("miscalibration", whole.value - recalibrated),
        part("discrimination", constant - recalibrated),
        rest,
    )


def _recalibrated_loss(table: ScoreTable, spread: Callable[[Any], Any]) -> float:
    """The mean loss of the isotonic curve: a block's cases all get its rate, so theirs is the spread of that rate."""
    fit = isotonic_fit(table)
    return float((fit.negative + fit.positive) @ spread(fit.rate)) / float(table.total)


def _decomposition_bounds(
    table: ScoreTable, whole: Estimate, spread: Callable[[Any], Any]
) -> dict[str, tuple[float, float]] | None:
    """The ends of the parts, wherever the scores lie in their cells: None where there are no cells.

    The curve fits best where the scores part the classes inside each cell, and worst where they turn them round: then
    it joins them, which it may do with any scores.
    """
    if table.reach is None:
        return None
    ends = arrangements(table)[:2] or (table, table)
    best, worst = (_recalibrated_loss(each, spread) for each in ends)
    constant = float(spread(np.float64(ends[0].positives / ends[0].total)))
    low, high = whole.bounds or (whole.value, whole.value)
    return {
        "miscalibration": (max(low - worst, 0.0), high - best),
        "discrimination": (max(constant - worst, 0.0), constant - best),
        "uncertainty": (constant, constant),
    }


def _uncertainty_component(table: ScoreTable, rule: str, spread: Callable[[Any], Any], level: float) -> Estimate:
    """The score of always predicting the prevalence; its limits are those of every prevalence in Wilson's interval."""
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
    reason = "Wilson's interval assumes independent rows, and the rows come in clusters"
    if table.rows is not None:
        return Estimate(f"{rule}_uncertainty", value, np.nan, np.nan, level, "Wilson", whole, undefined=reason)
    return Estimate(f"{rule}_uncertainty", value, min(*ends, value), max(top, value), level, "Wilson", whole)


# More cells than this change neither band visibly: of 10^6 cases the curve itself has about a hundred steps.
MOST_CELLS = 256
# Cases in a cell of the confidence band: of fewer, no share can be told from another.
FEWEST_IN_CELL = 4
# Samples redrawn under calibration.
REDRAWN = 1000

NO_WEIGHTS = "cases have sampling weights, and the band counts whole cases; smooth_curve takes weights"
NO_CLUSTERS = (
    "the band assumes independent rows, and the rows come in clusters; use smooth_curve, which is cluster-robust"
)
FALLS = "no increasing curve fits: the event becomes rarer as the score rises; check the positive class of the scores"


class Mass(NamedTuple):
    """Neighbouring scores put together: the first and last position in the table, sums, and the mean score."""

    first: NDArray[np.intp]
    last: NDArray[np.intp]
    cases: Floats
    positive: Floats
    score: Floats

    @property
    def words(self) -> str:
        """What to add to a method's name where several scores share a cell; nothing where none do."""
        return f", {len(self.first)} equal-mass cells" if (self.last > self.first).any() else ""


def equal_mass(table: ScoreTable, most: int) -> Mass:
    """At most `most` cells of about as many cases each; equal scores stay together, and few scores stay as they are.

    >>> equal_mass(ScoreTable.of([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]), 2).score.round(6)
    array([0.15, 0.35])
    """
    key = ("equal mass", most)
    if key not in table.cache:
        table.cache[key] = _equal_mass_bins(table, most)
    cells: Mass = table.cache[key]
    return cells


def _equal_mass_bins(table: ScoreTable, most: int) -> Mass:
    cases = table.cases
    if len(table) <= most:
        position = np.arange(len(table))
        return Mass(position, position, cases, table.positive, table.score)
    reached = np.cumsum(cases)
    # A cell begins with the first score that a further share of the cases lies below.
    shares = np.arange(1, most) * (float(table.total) / most)
    at = np.append(0, np.searchsorted(reached[:-1], shares) + 1)
    first = at[np.diff(at, append=len(table)) > 0]
    total, positive, weighted = (np.add.reduceat(x, first) for x in (cases, table.positive, cases * table.score))
    return Mass(first, np.append(first[1:], len(table)) - 1, total, positive, weighted / total)


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationBand:
    """Limits of a calibration curve at some scores; `at` gives them anywhere.

    A simultaneous band holds the whole curve with probability `level`, a pointwise one each single point. Where there
    is none the limits are nan and `undefined` says why.
    """

    kind: Literal["consistency", "confidence"]
    score: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    is_simultaneous: bool
    n: float
    undefined: str | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        what = self.undefined or f"{'simultaneous' if self.is_simultaneous else 'pointwise'}, {self.method}"
        return f"<{self.level:.0%} {self.kind} band: {what}>"

    def at(self, scores: Any) -> tuple[Floats, Floats]:
        """The limits at any scores.

        The confidence band moves in steps: what is known of the rate at one score bounds all higher ones from below and
        all lower ones from above. The consistency band is joined by straight lines.
        """
        x = np.asarray(scores, dtype=np.float64)
        if self.kind == "consistency" or self.undefined is not None:
            return np.interp(x, self.score, self.low), np.interp(x, self.score, self.high)
        low = np.concatenate(([0.0], self.low))[np.searchsorted(self.score, x, side="right")]
        high = np.append(self.high, 1.0)[np.searchsorted(self.score, x, side="left")]
        return low, high

    def table(self) -> Table:
        """The limits at every score where one of them moves."""
        columns = {"score": self.score.tolist(), "low": self.low.tolist(), "high": self.high.tolist()}
        return Table(columns, title=f"{self.level:.0%} {self.kind} band")


def consistency_band(
    table: ScoreTable, *, level: float = 0.95, simultaneous: bool = True, seed: int = 0
) -> CalibrationBand:
    """Where the isotonic curve of these scores would lie if every one of them were the true probability.

    Outcomes are drawn anew from the scores; pointwise limits are quantiles, simultaneous ones lie as much further out
    as it takes to hold the given share of whole curves.

    >>> table = ScoreTable.of(np.linspace(0.01, 0.99, 99), np.arange(99) % 3 == 0)
    >>> band = consistency_band(table)
    >>> band
    <95% consistency band: simultaneous, resampling>
    >>> [round(float(limit), 1) for limit in band.at(0.5)]
    [0.1, 0.9]
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    refusal = _too_few_cases_reason(table)
    if refusal is not None:
        return _empty_band("consistency", table, level, "resampling", simultaneous, refusal)
    cells, fits = _isotonic_replicates(table, seed)
    if simultaneous:
        low, high = _simultaneous_envelope(fits, level)
    else:
        low, high = np.quantile(fits, [(1 - level) / 2, (1 + level) / 2], axis=0)
    method = f"resampling{cells.words}"
    return CalibrationBand("consistency", cells.score, low, high, level, method, simultaneous, float(table.total))


def _isotonic_replicates(table: ScoreTable, seed: int) -> tuple[Mass, Floats]:
    """The cells, and the isotonic curve there of each sample drawn under calibration."""
    key = f"redrawn under calibration, seed {seed}"
    if key not in table.cache:
        cells = equal_mass(table, MOST_CELLS)
        rates = binomials(cells.cases.astype(np.int64), np.clip(cells.score, 0.0, 1.0), REDRAWN, draw_key(seed))
        rates /= cells.cases
        table.cache[key] = cells, isotonic_rows(rates, cells.cases)
    found: tuple[Mass, Floats] = table.cache[key]
    return found


def _simultaneous_envelope(fits: Floats, level: float) -> tuple[Floats, Floats]:
    """The middle 95 % at each point, moved out from the median by the one factor that lets `level` of the curves in.

    On the arcsine scale, where a rate's spread hardly depends on it. Where nearly all curves agree (at the ends, on 0
    or 1) the limits are set apart as elsewhere: a rare step there would otherwise stretch the whole band.
    """
    angle = np.arcsin(np.sqrt(fits))
    low, middle, high = np.quantile(angle, [0.025, 0.5, 0.975], axis=0)
    down, up = middle - low, high - middle
    least = float(np.median(np.concatenate((down, up)))) or 1.0
    down, up = np.maximum(down, least), np.maximum(up, least)
    distance = np.maximum((angle - middle) / up, (middle - angle) / down)
    factor = float(np.quantile(distance.max(-1), level, method="higher"))
    ends = np.clip(middle - factor * down, 0, None), np.clip(middle + factor * up, None, np.pi / 2)
    # A rising curve that stays above a limit stays above all that came before it.
    return np.maximum.accumulate(np.sin(ends[0]) ** 2), np.minimum.accumulate(np.sin(ends[1][::-1]) ** 2)[::-1]


def confidence_band(table: ScoreTable, *, level: float = 0.95) -> CalibrationBand:
    """A band that holds the whole true calibration curve with probability `level` or more, if that curve never falls.

    Exact (Clopper-Pearson) limits over runs of 1, 2, 4, ... cells, joined by the union bound: the share in a run bounds
    the rate at its lowest score from above, at its highest from below (Dimitriadis et al. 2023). No resampling, and no
    sample too small; it is wider than it need be.

    >>> table = ScoreTable.of(np.linspace(0.01, 0.99, 99), np.arange(99) >= 66)
    >>> band = confidence_band(table)
    >>> [round(float(limit), 3) for limit in band.at(0.9)]
    [0.612, 1.0]
    """
    level = checked_level(level)
    refusal, name = _too_few_cases_reason(table), "exact, union bound"
    if refusal is not None:
        return _empty_band("confidence", table, level, name, True, refusal)
    n = float(table.total)
    cells = equal_mass(table, max(1, min(MOST_CELLS, int(n) // FEWEST_IN_CELL)))
    high, low = _bin_limits(cells, 1 - level)
    if (low > high).any():
        return _empty_band("confidence", table, level, name, True, FALLS)
    # At a cell's last score its own lower limit holds, at its first its own upper one.
    single = cells.first == cells.last
    at_first = np.where(single, low, np.concatenate(([0.0], low[:-1])))
    at_last = np.where(single, high, np.append(high[1:], 1.0))
    score = table.score[np.column_stack((cells.first, cells.last)).ravel()]
    lows, highs = np.column_stack((at_first, low)).ravel(), np.column_stack((high, at_last)).ravel()
    kept = np.column_stack((np.ones(len(single), dtype=np.bool_), ~single)).ravel()
    method = f"{name}{cells.words}"
    return CalibrationBand("confidence", score[kept], lows[kept], highs[kept], level, method, True, n)


def _bin_limits(cells: Mass, alpha: float) -> tuple[Floats, Floats]:
    """For each cell the upper limit that holds at its first score, and the lower one that holds at its last."""
    ends, shares = _dyadic_runs(len(cells.cases), alpha)
    start, stop = ends
    before_cases, before_positive = (np.concatenate(([0.0], np.cumsum(x))) for x in (cells.cases, cells.positive))
    whole, part = before_cases[stop] - before_cases[start], before_positive[stop] - before_positive[start]
    rest = whole - part
    upper = np.where(rest > 0, betaincinv(part + 1, np.maximum(rest, 1.0), 1 - shares / 2), 1.0)
    lower = np.where(part > 0, betaincinv(np.maximum(part, 1.0), rest + 1, shares / 2), 0.0)
    high, low = np.ones(len(cells.cases)), np.zeros(len(cells.cases))
    np.minimum.at(high, start, upper)
    np.maximum.at(low, stop - 1, lower)
    return np.minimum.accumulate(high[::-1])[::-1], np.maximum.accumulate(low)


def _dyadic_runs(cells: int, alpha: float) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], Floats]:
    """Runs of 1, 2, 4, ... cells, each length beginning every quarter of itself, and the error each may make.

    Every length has the same share: few long runs see broad misfit, and the many short ones do not use up its error.
    """
    lengths = [2**k for k in range(cells.bit_length())]
    starts = [np.arange(0, cells - length + 1, max(1, length // 4)) for length in lengths]
    stops = [start + length for start, length in zip(starts, lengths, strict=True)]
    shares = [np.full(len(start), alpha / len(lengths) / len(start)) for start in starts]
    return (np.concatenate(starts), np.concatenate(stops)), np.concatenate(shares)


def miscalibration_test(table: ScoreTable, *, seed: int = 0) -> TestResult:
    """Whether calibrated probabilities of this many cases would show as much miscalibration as these do.

    The statistic is the Brier score's isotonic miscalibration, which is above 0 for every sample, however good the
    probabilities; it is judged against samples drawn from the scores.

    >>> table = ScoreTable.of(np.repeat([0.1, 0.9], 200), np.tile([True, False], 200))
    >>> round(miscalibration_test(table).p_value, 3)
    0.001
    """
    seed = checked_seed(seed)
    test, null, method = "isotonic miscalibration", "every score is the true probability", "resampling"
    refusal = _too_few_cases_reason(table)
    if refusal is not None:
        return TestResult(test, null, np.nan, np.nan, method, refusal)
    cells = equal_mass(table, MOST_CELLS)
    fitted, _ = isotonic_means(cells.positive / cells.cases, cells.cases)
    observed = _brier_reduction(cells, cells.positive @ cells.score, (fitted * fitted) @ cells.cases)
    cases, rates = cells.cases.astype(np.int64), np.clip(cells.score, 0.0, 1.0)
    redrawn = _brier_reduction(cells, *redrawn_sums(cases, rates, cells.score, REDRAWN, draw_key(seed)))
    # Rounding must not turn a tie into a win.
    beyond = int(np.count_nonzero(redrawn >= observed - 1e-12))
    p_value, bounds = (1 + beyond) / (1 + REDRAWN), _p_value_bounds(table, cells, fitted, seed)
    return TestResult(test, null, float(observed), p_value, f"{method}{cells.words}", bounds=bounds)


def _p_value_bounds(table: ScoreTable, cells: Mass, fitted: Floats, seed: int) -> tuple[float, float] | None:
    """Between what the p-value lies, wherever the scores lie in their cells; None where there are no cells.

    Cells stay in the same masses, and the isotonic curve as it is. Outcomes are drawn by inversion, so that those of
    higher probabilities are nowhere fewer, and so is their isotonic curve.
    """
    reach = table.reach
    if reach is None or reach.is_exact:
        return None
    if reach.hidden:
        return 0.0, 1.0
    cases = cells.cases
    ends = [np.add.reduceat(table.cases * end, cells.first) / cases for end in (reach.low, reach.high)]
    drawn = [binomials(cases.astype(np.int64), np.clip(end, 0.0, 1.0), REDRAWN, draw_key(seed)) for end in ends]
    squares = [isotonic_rows(counts / cases, cases) ** 2 @ cases - fitted**2 @ cases for counts in drawn]
    # What a sample saves more than these cases do: where the probabilities themselves count, they are the same in both.
    more = [counts - cells.positive for counts in drawn]
    least = squares[0] - 2 * np.maximum(more[1] * ends[0], more[1] * ends[1]).sum(-1)
    most = squares[1] - 2 * np.minimum(more[0] * ends[0], more[0] * ends[1]).sum(-1)
    # As much counts as more, and rounding is on the side of leaving more open.
    fewest, highest = (least >= -0.5e-12 * cases.sum()).sum(), (most >= -2e-12 * cases.sum()).sum()
    return float(1 + fewest) / (1 + REDRAWN), float(1 + highest) / (1 + REDRAWN)


def _brier_reduction(cells: Mass, promised: Any, fitted: Any) -> Any:
    """How much lower the Brier score is with the isotonic curve than with the scores.

    From the positives times their scores, and the squares of the curve at all cases: over each step the curve is the
    mean of the rates, so that its own products with them are its squares.
    """
    return (cells.cases @ cells.score**2 - 2 * promised + fitted) / cells.cases.sum()


def _too_few_cases_reason(table: ScoreTable) -> str | None:
    return NO_WEIGHTS if table.is_weighted else NO_CLUSTERS if table.rows is not None else None


def _empty_band(
    kind: Literal["consistency", "confidence"],
    table: ScoreTable,
    level: float,
    method: str,
    simultaneous: bool,
    reason: str,
) -> CalibrationBand:
    score = equal_mass(table, MOST_CELLS).score
    nothing = np.full(len(score), np.nan)
    return CalibrationBand(kind, score, nothing, nothing, level, method, simultaneous, float(table.total), reason)
