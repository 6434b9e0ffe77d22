"""What probabilities gain in likelihood, as rms's val.prob prints it: R2, D, U and Q. To be asked for by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import logit

from assay.evidence import ScoreTable
from assay.measures._kinds import function_of_scores
from assay.measures._measure import IntervalFamily, Measure, ratio
from assay.measures.probability import SMALLEST_PROBABILITY, log_loss, log_loss_skill
from assay.uncertainty.logistic import fit_logistic, log_likelihood

ONE_CLASS = "truth holds a single class, so always saying the prevalence is already perfect"
NO_LINE = "no line of log odds fits best: one class is missing, or the probabilities part the classes or are all alike"
WITHOUT = IntervalFamily.none("no interval was simulated for it; log_loss_skill says the same gain and has one")
WITHOUT_LINE = IntervalFamily.none("no interval was simulated for it; ev.calibration.cox tests what it sums up")
VAL_PROB = "Harrell (2015), section 10.9; Miller, Hui & Tierney (1991)"


def _of_likelihoods(
    title: str,
    notation: str,
    *,
    intervals: IntervalFamily = WITHOUT,
    undefined: str = ONE_CLASS,
    better: str = "higher",
    bounds: tuple[float, float] = (-math.inf, math.inf),
    aliases: tuple[str, ...] = (),
    reference: str = VAL_PROB,
    is_open_in_cells: bool = False,
) -> Callable[[Callable[[ScoreTable], Any]], Measure]:
    return function_of_scores(
        intervals,
        family="probability",
        title=title,
        notation=notation,
        bounds=bounds,
        better=better,
        undefined=undefined,
        aliases=aliases,
        reference=reference,
        needs_probability=True,
        is_open_in_cells=is_open_in_cells,
    )


def _deviances(table: ScoreTable) -> tuple[Any, Any]:
    """Twice the log likelihood lost per case: by always saying the prevalence, and by the probabilities."""
    given = 2 * log_loss(table)
    return ratio(given, 1 - log_loss_skill(table)), given


@_of_likelihoods(
    "Nagelkerke's R2",
    "(1 - exp(-2 gain)) / (1 - exp(-2 log loss of the prevalence)), gain in log loss",
    bounds=(-math.inf, 1.0),
    aliases=("nagelkerke", "r2_nagelkerke"),
    reference="Nagelkerke (1991); Cox & Snell (1989)",
)
def nagelkerke_r2(table: ScoreTable) -> Any:
    """Likelihood gained over always saying the prevalence, on a scale that ends at 1. Negative where it is lost.

    >>> nagelkerke_r2(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.497208
    """
    null, given = _deviances(table)
    return ratio(-np.expm1(given - null), -np.expm1(-null))


@_of_likelihoods("Discrimination index D", "(2 n gain in log loss - 1) / n", aliases=("rms_d",))
def discrimination_index(table: ScoreTable) -> Any:
    """Likelihood gained over always saying the prevalence, for each case, less what one coefficient would gain anyway.

    >>> discrimination_index(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.109832
    """
    null, given = _deviances(table)
    return null - given - ratio(1.0, table.total)


@_of_likelihoods(
    "Unreliability index U",
    "(chi-square of Cox's line against the identity - 2) / n",
    intervals=WITHOUT_LINE,
    undefined=NO_LINE,
    better="lower",
    aliases=("rms_u",),
    is_open_in_cells=True,
)
def unreliability_index(table: ScoreTable) -> Any:
    """Likelihood that a line through the log odds would add, for each case, less what two coefficients add anyway.

    Around 0 or below it for probabilities that mean what they say.

    >>> table = ScoreTable.of([0.2, 0.2, 0.5, 0.5, 0.8, 0.8], [0, 1, 0, 1, 0, 1])
    >>> unreliability_index(table).round(6).item()
    -0.035809
    """
    if table.negative.ndim == 1:
        return np.float64(_unreliability(table.score, table.negative, table.positive))
    sides = (side.reshape(-1, side.shape[-1]) for side in np.broadcast_arrays(table.negative, table.positive))
    each = [_unreliability(table.score, *one) for one in zip(*sides, strict=True)]
    return np.array(each).reshape(table.negative.shape[:-1])


def _unreliability(score: Any, negative: Any, positive: Any) -> float:
    cases = negative + positive
    n = float(cases.sum())
    if not (negative.sum() > 0 and positive.sum() > 0):
        return math.nan
    odds = logit(np.clip(score, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY))
    design = np.column_stack((np.ones_like(odds), odds))
    fitted = fit_logistic(design, negative, positive)
    if fitted.undefined is not None:
        return math.nan
    gained = log_likelihood(design @ fitted.coefficients, cases, positive) - log_likelihood(odds, cases, positive)
    return float(ratio(2 * gained - 2, n))


@_of_likelihoods(
    "Quality index Q",
    "D - U",
    intervals=WITHOUT_LINE,
    undefined=NO_LINE,
    aliases=("rms_q",),
    is_open_in_cells=True,
)
def quality_index(table: ScoreTable) -> Any:
    """Discrimination less unreliability: likelihood gained over the prevalence, less what a better scale would add.

    >>> table = ScoreTable.of([0.2, 0.2, 0.5, 0.5, 0.8, 0.8], [0, 1, 0, 1, 0, 1])
    >>> quality_index(table).round(6).item()
    -0.428383
    """
    return discrimination_index(table) - unreliability_index(table)
