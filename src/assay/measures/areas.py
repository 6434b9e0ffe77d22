"""Areas under part of the ROC curve, and under the precision-recall curve as it truly runs between its points.

Hand and Till's mean of pairwise areas from one score that should rise with the classes.

The volume under the ROC surface: does one score put cases of three ordered classes in their order?
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from assay.errors import OptionError
from assay.evidence import ScoreTable, area_moves, height_in_band, ordered_table, past_band
from assay.measures.kinds import function_of_scores, ordered_estimate, smaller_class_below
from assay.measures.measure import IntervalFamily, Measure, axis_shares, named, ratio, spelt
from assay.request import checked_choice, checked_level, checked_number
from assay.results import Estimate, Interval, counted
from assay.types import Floats
from assay.uncertainty import (
    LOGIT,
    band_interval,
    effective_cases,
    logit_between,
    pseudo_cases,
    standard_error,
    wider,
    with_ends,
)

Axis = Literal["fpr", "recall"]

# With fewer cases than these in the band, or of the other class, the standard error rests on too little
# (verification/areas.py).
FEWEST_IN_BAND = 8
FEWEST_BESIDE = 5
FEWEST_FOR_PR = 10
# Beyond this level pseudo-cases alone fall short where few cases decide (.96 at 99 %); t on the logit scale knows it.
ENOUGH_ALONE = 0.95
NOT_KEPT = "the interval had less than its nominal coverage in simulations"
A_CLASS_IS_MISSING = "all true labels are of one class, so there is no pair to rank"


@dataclass(frozen=True)
class _Band:
    """Part of the ROC curve: between two values of one axis, as shares of the class that axis counts.

    The recall axis is the other one with the classes exchanged and the scores turned round: there specificity is
    averaged over a range of recall.
    """

    low: float
    high: float
    axis: Axis

    @property
    def ends(self) -> tuple[float, float]:
        """The band from the corner where nothing is called, or for recall where everything is."""
        # Rounded, because 1 - 0.9 is not quite 0.1.
        return (self.low, self.high) if self.axis == "fpr" else (round(1 - self.high, 12), round(1 - self.low, 12))

    def sides(self, table: ScoreTable) -> tuple[Any, Any]:
        """The class counted along the band and the one averaged over it, in the order the curve meets them."""
        if self.axis == "fpr":
            return table.negative[..., ::-1], table.positive[..., ::-1]
        return table.positive, table.negative

    def _counts(self, table: ScoreTable) -> tuple[Any, Any]:
        """How many cases those two classes have."""
        return (table.negatives, table.positives) if self.axis == "fpr" else (table.positives, table.negatives)

    def share(self, table: ScoreTable) -> Any:
        """The mean of the averaged rate over the band: the partial area over the band's width."""
        up, size = self.sides(table)[1], self._counts(table)[1]
        beyond = self._beyond(table)
        return ratio((up[..., : beyond.shape[-1]] * beyond).sum(-1), size)

    def _reached(self, table: ScoreTable) -> Any:
        """Where the curve stands before and after each tie block, up to the first that ends past the band.

        Of a million blocks a narrow band holds few; all of a batch, or where a class is missing and nothing is defined.
        """
        key = (self, "reached")
        if key not in table.cache:
            table.cache[key] = self._find_reached(table)
        return table.cache[key]

    def _find_reached(self, table: ScoreTable) -> Any:
        across = self.sides(table)[0]
        whole = self._counts(table)[0] if across.ndim == 1 else 0.0
        if not whole > 0:
            return axis_shares(across)
        size, end = int(1.2 * self.ends[1] * len(across)) + 1, self.ends[1]
        while size < len(across) and float(across[:size].sum()) <= end * whole:
            size *= 2
        at = ratio(np.concatenate(([0.0], np.cumsum(across[:size]))), whole)
        return at[: int(np.searchsorted(at, end, side="right")) + 1]

    def _beyond(self, table: ScoreTable) -> Any:
        """For each block reached, the share of the band that lies past it, averaged over its own stretch."""
        key = (self, "beyond")
        if key not in table.cache:
            table.cache[key] = past_band(self._reached(table), *self.ends)
        return table.cache[key]

    def influence(self, table: ScoreTable) -> tuple[Any, Any]:
        """How much a negative and a positive at each score move the share."""
        across, _ = self.sides(table)
        (of_across, past_across), (of_up, past_up) = self._moves(table)
        moved = [np.full(len(across), past) for past in (past_across, past_up)]
        for whole, kept in zip(moved, (of_across, of_up), strict=True):
            whole[: len(kept)] = kept
        # Blocks without a case of the class have no stretch of their own and move nothing.
        moved[0][across == 0] = 0.0
        return (moved[0][::-1], moved[1][::-1]) if self.axis == "fpr" else (moved[1], moved[0])

    def error(self, table: ScoreTable) -> float:
        """The standard error of the share: past the band all cases of a class move it alike, and need not be asked."""
        sides = zip(self.sides(table), self._counts(table), self._moves(table), strict=True)
        if table.is_weighted:
            return standard_error(table, *self.influence(table))
        n = float(table.total)
        squares = 0.0
        for weights, size, (moved, past) in sides:
            kept = weights[: len(moved)]
            squares += float(np.einsum("i,i,i->", kept, moved, moved)) + float(size - kept.sum()) * past**2
        return math.sqrt(ratio(squares, n * (n - 1)))

    def _moves(self, table: ScoreTable) -> tuple[tuple[Any, float], tuple[Any, float]]:
        """The same up to the end of the band, and past it: for the class along the band and for the one averaged."""
        low, high = self.ends
        across, up = self.sides(table)
        sizes = self._counts(table)
        at = self._reached(table)
        kept = len(at) - 1
        height = ratio(np.concatenate(([0.0], np.cumsum(up[:kept]))), sizes[1])
        key = (self, "share")
        if key not in table.cache:
            table.cache[key] = self.share(table)
        n, share, width = table.total, table.cache[key], high - low
        first, last = (_curve_height_at(end, at, height) for end in (low, high))
        # Blocks past the band all move it alike: their mean is its height at the end. Of the class averaged over the
        # band there is nothing left of it.
        past, of_one = high * last - low * first - share * width, ratio(n, sizes[0] * width)
        moved = (past + height_in_band(at, height, low, high, first, last) - last) * of_one
        moved[across[:kept] == 0] = 0.0
        of_other = ratio(n, sizes[1])
        return (moved, float(past * of_one)), ((self._beyond(table) - share) * of_other, float(-share * of_other))


def _curve_height_at(place: float, at: Any, height: Any) -> float:
    """The curve's height at a place; half-way up where it rises vertically just there."""
    here = height[at == place]
    return float(0.5 * (here[0] + here[-1])) if len(here) else float(np.interp(place, at, height))


def _band_intervals(band: _Band, top: float, reach: float) -> IntervalFamily:
    scale = logit_between(top - reach, top)

    def on_logit_scale(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        inside, other = _band_sizes(band, table)
        assert measure.parts is not None
        cases = (inside, other) if band.axis == "fpr" else (other, inside)
        return band_interval(table, float(measure(table)), measure.parts(table), cases, scale, level)

    def interval(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        refusal = _too_few_cases_reason(*_band_sizes(band, table))
        if refusal is None:
            return widest(measure, table, level, seed)
        return Interval.missing("influence function, plus four", refusal, lambda: widest(measure, table, level, seed))

    def plus_four_interval(measure: Measure, table: ScoreTable, level: float, cases: float) -> Interval:
        more = with_ends(table, cases)
        middle, error = float(measure(more)), reach * band.error(more)
        half = float(ndtri(0.5 + level / 2)) * error
        return Interval(middle - half, middle + half, "influence function, plus four", se=error)

    def widest(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        adjusted = plus_four_interval(measure, table, level, pseudo_cases(level))
        if level <= ENOUGH_ALONE:
            return adjusted
        # In the smallest classes more pseudo-cases narrow the interval, which no higher level may do.
        careful = wider(adjusted, plus_four_interval(measure, table, level, 1.0), adjusted.method)
        usual = on_logit_scale(measure, table, level, seed)
        if usual.undefined is not None:
            return careful
        return wider(careful, usual, "influence function, plus four or logit")

    return IntervalFamily({"influence function, plus four": interval, "influence function, logit": on_logit_scale})


def _band_sizes(band: _Band, table: ScoreTable) -> tuple[float, float]:
    """How many cases the band holds of the class along it, and how many there are of the other; of weights Kish's."""
    of_negatives, of_positives = table.kish
    along, other = (of_negatives, of_positives) if band.axis == "fpr" else (of_positives, of_negatives)
    return along * (band.high - band.low), other


def _too_few_cases_reason(inside: float, other: float) -> str | None:
    """Why so few cases in the band, or so few of the other class, give no interval."""
    if inside < FEWEST_IN_BAND:
        return f"{counted(round(inside, 1), 'case')} in the band: below {FEWEST_IN_BAND} {NOT_KEPT}"
    if other < FEWEST_BESIDE:
        return f"{counted(round(other, 1), 'case')} of the other class: below {FEWEST_BESIDE} {NOT_KEPT}"
    return None


def partial_auc_between(
    low: float, high: float, axis: Axis = "fpr", standardised: bool = True, name: str | None = None
) -> Measure:
    """The area under the ROC curve between two false-positive rates, or beside it between two recalls.

    Standardised as McClish (1989) does, it is 0.5 for chance and 1 for perfection whatever the band; raw, it is at most
    the band's width. Over the whole axis either is the AUC.

    >>> table = ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4], [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])
    >>> partial_auc_between(0, 0.4, standardised=False)(table).round(6).item()
    0.24
    >>> partial_auc_between(0.5, 1, "recall")(table).round(6).item()
    0.706667
    """
    checked_choice(axis, ("fpr", "recall"), "axis")
    if not isinstance(standardised, bool):
        raise OptionError(f"standardised is {standardised!r}", "true or false")
    if not 0 <= checked_number(low, "low") < checked_number(high, "high") <= 1:
        raise OptionError(f"the band runs from {low:g} to {high:g}", "two shares from 0 to 1, the lower one first")
    band = _Band(low, high, axis)
    top, reach = (1.0, _mcclish_slope(band)) if standardised else (high - low, high - low)

    def formula(table: ScoreTable) -> Any:
        return top - reach * (1 - band.share(table))

    def influence(table: ScoreTable) -> tuple[Any, Any]:
        of_negatives, of_positives = band.influence(table)
        return reach * of_negatives, reach * of_positives

    doc = _band_measure_title(band, standardised) + EXAMPLES.get(name or "", "")
    named(formula, name or _band_measure_name(band, standardised), doc, __name__)
    return function_of_scores(
        _band_intervals(band, top, reach),
        family="ranking",
        parts=influence,
        title=f"Partial AUC, {'FPR' if axis == 'fpr' else axis} {low:g} to {high:g}{'' if standardised else ', raw'}",
        notation="(1 + (area - chance area) / (width - chance area)) / 2" if standardised else "area under that part",
        # Over high rates a curve may lie further below the diagonal than perfection lies above it.
        bounds=(min(0.0, top - reach), top),
        better="higher",
        undefined=A_CLASS_IS_MISSING,
        of_each_class=True,
        aliases=ALIASES.get(name or "", ()),
        reference="McClish (1989); Dodd & Pepe (2003)",
        made_by=(partial_auc_between, (low, high, axis, standardised, name)),
    )(formula)


def _band_measure_name(band: _Band, standardised: bool) -> str:
    name = "partial_auc" if band.axis == "fpr" else "partial_auc_recall"
    return spelt(name, band.low, band.high, **{} if standardised else {"standardised": False})


def _mcclish_slope(band: _Band) -> float:
    """How much the standardised value moves when the mean height over the band moves by 1."""
    by_chance = 0.5 * sum(band.ends)
    return float(ratio(0.5, 1 - by_chance))


def _band_measure_title(band: _Band, standardised: bool) -> str:
    mean, over = ("recall", "false-positive rates") if band.axis == "fpr" else ("specificity", "recalls")
    how = "so that chance is 0.5 and perfection 1" if standardised else "times their range"
    return f"Mean {mean} over {over} from {band.low:g} to {band.high:g}, {how}."


EXAMPLES = {
    "partial_auc": """

    >>> partial_auc(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 1, 0, 1, 0, 0])).round(6).item()
    0.824561
    """,
    "partial_auc_recall": """

    >>> partial_auc_recall(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 1, 0, 1, 0, 0])).round(6).item()
    0.824561
    """,
}
ALIASES = {"partial_auc": ("pauc", "pauc_fpr"), "partial_auc_recall": ("pauc_recall", "pauc_sensitivity")}

partial_auc = partial_auc_between(0, 0.1, name="partial_auc")
partial_auc_recall = partial_auc_between(0.9, 1, "recall", name="partial_auc_recall")


def _area_and_influence(table: ScoreTable) -> tuple[float, tuple[Any, Any]]:
    if "area and moves" in table.cache:
        found: tuple[float, tuple[Any, Any]] = table.cache["area and moves"]
        return found
    positives = float(table.positives)
    found = area_moves(table.negative, table.positive, float(ratio(table.total, positives)), positives)
    if not table.is_too_long_to_cache:
        table.cache["area and moves"] = found
    return found


def _pr_influence(table: ScoreTable) -> tuple[Any, Any]:
    """How much a negative and a positive at each score move the area: its own block, then all blocks below it."""
    return _area_and_influence(table)[1]


def _pr_interval(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
    """On the logit scale, with as many degrees of freedom as there are cases that matter: a few near the top do."""

    def limits() -> Interval:
        influence = _pr_influence(table)
        return band_interval(table, float(measure(table)), influence, effective_cases(table, influence), LOGIT, level)

    few = smaller_class_below(FEWEST_FOR_PR)(table)
    return limits() if few is None else Interval.missing("influence function, logit", few, limits)


@function_of_scores(
    IntervalFamily({"influence function, logit": _pr_interval}),
    family="ranking",
    parts=_pr_influence,
    title="Area under precision-recall",
    notation="integral of precision over recall, false positives growing in step with true ones inside ties",
    bounds=(0.0, 1.0),
    better="higher",
    undefined="no true label is positive",
    aliases=("interpolated_pr_area", "davis_goadrich"),
    reference="Davis & Goadrich (2006); Boyd, Eng & Page (2013); Keilwagen, Grosse & Grau (2014)",
)
def pr_area(table: ScoreTable) -> Any:
    """Area under the precision-recall curve as it truly runs between its points: a hyperbola, not a straight line.

    Straight lines would be optimistic; average precision, a step sum, differs a little. A random ranking reaches the
    prevalence.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> pr_area(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).round(6).item()
    0.803608
    """
    key = "area under precision-recall"
    if key not in table.cache:
        table.cache[key] = _pr_area(table)
    return table.cache[key]


def _pr_area(table: ScoreTable) -> Any:
    if table.negative.ndim == 1 == table.positive.ndim and table.positives > 0:
        return np.float64(_area_and_influence(table)[0])
    blocks = table.positive_blocks
    growth = np.log1p(np.nan_to_num(ratio(blocks.cases, blocks.flags - blocks.cases), copy=False))
    share = np.where(blocks.cases > 0, ratio(blocks.positive, blocks.cases), 0.0)
    before, called = blocks.hits - blocks.positive, blocks.flags - blocks.cases
    area = share * blocks.positive - (called * share - before) * share * growth
    return ratio(area.sum(-1), table.positives)


NAME = "ordinal_hand_till"


def ordinal_hand_till(scores: ArrayLike, codes: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Chance that of cases of two classes the one of the higher class scores higher, a mean over all pairs of classes.

    Classes are codes 0, 1, 2, ... in their order, and ties count half. Every pair of classes counts the same. The
    interval is from the variances of each class's components, as DeLong's of an AUC, on the logit scale; where few
    cases tell how much it varies, the wider of it and of plus four.

    >>> ordinal_hand_till([1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2]).value
    0.9583333333333333

    References: Hand & Till (2001); pROC's multiclass.roc of one predictor.
    """
    level = checked_level(level)
    code = np.asarray(codes)
    if not (np.equal(np.mod(code, 1), 0).all() and code.min(initial=0) >= 0):
        raise OptionError("some classes have other codes", "whole numbers from 0 on, in the order of the classes")
    counts = ordered_table(np.asarray(scores, dtype=np.float64), code.astype(np.intp), int(code.max(initial=0)) + 1)
    counts = counts[counts.sum(-1) > 0]
    if len(counts) < 2:
        why, n = "fewer than two classes occur, so there is no pair to rank", float(counts.sum())
        return Estimate(NAME, math.nan, math.nan, math.nan, level, "none", n, undefined=why)
    return ordered_estimate(NAME, _pairwise_components, counts, level)


def _pairwise_components(counts: Floats) -> tuple[float, list[Floats]]:
    """The mean area over pairs, and what a case of each class at each score adds to it."""
    sizes = counts.sum(-1)
    pairs = list(combinations(range(len(counts)), 2))
    each = float(ratio(1.0, len(pairs)))
    below = np.cumsum(counts, axis=-1) - counts / 2
    components = [np.zeros(counts.shape[-1]) for _ in counts]
    value = 0.0
    for low, high in pairs:
        won, lost = ratio(below[low], sizes[low]), 1 - ratio(below[high], sizes[high])
        components[high] += each * won
        components[low] += each * lost
        value += each * float(ratio(counts[high] @ won, sizes[high]))
    return value, components


SURFACE_NAME = "volume_under_surface"


def volume_under_surface(scores: ArrayLike, codes: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Chance that one case of each of three ordered classes (codes 0, 1, 2) is scored in their order.

    A tie of two counts half, a tie of all three a sixth: chance is 1/6. The interval is from the variances of each
    class's components, as DeLong's of an AUC, on the logit scale; where few cases tell how much it varies, the wider of
    it and of plus four.

    >>> volume_under_surface([1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2]).value
    0.875

    References: Dreiseitl, Ohno-Machado & Binder (2000); Nakas & Yiannoutsos (2004).
    """
    level = checked_level(level)
    code = np.asarray(codes)
    if not np.isin(code, (0, 1, 2)).all():
        raise OptionError("some classes have other codes", "0, 1 and 2, in the order of the classes")
    counts = ordered_table(np.asarray(scores, dtype=np.float64), code.astype(np.intp), 3)
    if not (counts.sum(-1) > 0).all():
        why, n = "a class is missing, so there is no triple to rank", float(counts.sum())
        return Estimate(SURFACE_NAME, math.nan, math.nan, math.nan, level, "none", n, undefined=why)
    return ordered_estimate(SURFACE_NAME, _surface_components, counts, level)


def _surface_components(counts: Floats) -> tuple[float, list[Floats]]:
    """The volume, and the share of pairs of the two other classes that a case at each score is in order with."""
    first, second, third = counts
    sizes = counts.sum(-1)
    below = np.cumsum(first) - first
    above = third.sum() - np.cumsum(third)
    # A tie of all three is a sixth, where two halves would make it a quarter.
    of_second = (below + first / 2) * (above + third / 2) - first * third / 12
    pairs = second * (above + third / 2)
    of_first = pairs.sum() - np.cumsum(pairs) + second * (above / 2 + third / 6)
    pairs = second * (below + first / 2)
    of_third = np.cumsum(pairs) - pairs + second * (below / 2 + first / 6)
    placed = (of_first, of_second, of_third)
    components = [np.asarray(ratio(part, np.prod(np.delete(sizes, k)))) for k, part in enumerate(placed)]
    return float(ratio(second @ components[1], sizes[1])), components
