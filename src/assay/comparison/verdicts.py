"""Verdicts: what a difference and its interval allow one to say, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtri

from assay.comparison.adjustment import Alternative, Difference, Family, details_of, in_record, p_text
from assay.comparison.forecasts import (
    MOST_DIFFERENCE,
    Forecast,
    about,
    cases_factor,
    detectable_difference_of,
    no_stretch,
)
from assay.errors import OptionError
from assay.renderers import in_notebook
from assay.request import checked_positive
from assay.results import counted
from assay.text import bracketed, in_sentence, number, shortened, signed

FRESH_CASES = "Decide on new cases; adding cases to these and testing again does not keep this level."
POWER = 0.8
# Letters of a class name inside a sentence.
LONGEST_CLASS = 24

BETTER, SAME, PERHAPS, UNKNOWN, NOT_WORSE = (
    "better",
    "practically the same",
    "better, perhaps by less than the margin",
    "cannot tell",
    "not worse by more than the margin",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be said about two classifiers and one measure: words first, the numbers behind them beside.

    `outcome` is "better", "practically the same", "better, perhaps by less than the margin" or "cannot tell"; where it
    was asked whether the first is no worse, "not worse by more than the margin". `winner` is the better one where there
    is one. `n_more` is about how many more cases would make the interval as narrow as the margin; without a margin
    `detectable` is the difference that this many cases would show 4 times in 5. Either comes from the interval's width,
    never from the difference that was seen. `bounds` and `se_within` are those of the difference, of scores in cells.
    `headline` is the first sentence alone, `family` says what the interval was adjusted for, and `cautions` are those
    about the pair.

    >>> seen = Difference("roc_auc", "bayes", "svm", 0.021, 0.008, 0.034, 0.95, 0.002, "paired DeLong", 2500)
    >>> verdict = judge(seen, "ROC AUC", "higher", margin=0.01)
    >>> verdict.outcome, verdict.winner, verdict.n_more
    ('better, perhaps by less than the margin', 'bayes', 1725)
    """

    words: str
    outcome: str
    winner: str | None
    measure: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    level: float
    p_value: float
    method: str
    n: float
    margin: float | None
    n_more: int | None
    detectable: float
    assumptions: str
    undefined: str | None = None
    se: float | None = None
    statistic: float | None = None
    freedom: float | None = None
    alternative: Alternative = "two-sided"
    null: float = 0.0
    caution: str | None = None
    bounds: tuple[float, float] | None = None
    se_within: float | None = None
    headline: str = ""
    family: Family | None = None
    cautions: tuple[str, ...] = ()

    _repr_html_ = in_notebook

    def __str__(self) -> str:
        return "\n".join([self.words, *self.cautions])

    __repr__ = __str__

    @property
    def brief(self) -> str:
        """The verdict among others: what it says, and what it says of the margin where there is one."""
        lines = self.words.split("\n")
        return "\n".join(lines[:1] if self.margin is None else lines[:-1])

    @property
    def details(self) -> str:
        """Standard error, statistic and degrees of freedom in words, as far as the method has them."""
        return details_of(self.se, self.statistic, self.freedom)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None, infinities by their name."""
        plain = in_record(self)
        return plain | {"n": int(self.n) if self.n == int(self.n) else self.n}


def judge(
    found: Difference,
    title: str,
    better: str,
    *,
    margin: float | None = None,
    assumptions: str = "",
    at: str = "",
) -> Verdict:
    """The verdict a difference allows; `better` says whether higher or lower values are, `at` is a threshold in words.

    >>> seen = Difference("log_loss", "a", "b", 0.002, -0.004, 0.008, 0.95, 0.51, "paired t", 500)
    >>> print(judge(seen, "Log loss", "lower"))
    No significant difference in log loss.  Log loss difference (a - b) +0.0020 [-0.0040, 0.0080], paired t p = 0.510
    A difference of 0.0086 would show in 4 of 5 samples of this size.
    Decide on new cases; adding cases to these and testing again does not keep this level.
    """
    if margin is not None:
        checked_positive(margin, "margin", "a difference above 0 that does not matter")
    with_margin = _outcome_of(found, margin)
    headline = _headline_of(found, f"{title} {at}".strip(), better, with_margin, margin)
    winner = _winner_of(found, better) if BETTER in with_margin else None
    n_more, detectable = _additional_cases_needed(found, with_margin, margin), _detectable_difference(found)
    lines = [
        f"{headline}  {numbers_of(found, title)}",
        _margin_clause(found, better, with_margin, margin),
        _sample_size_clause(with_margin, margin, n_more, detectable),
        f"{assumptions} {FRESH_CASES}".strip(),
    ]
    return Verdict(
        words="\n".join(line for line in lines if line),
        outcome=with_margin,
        winner=winner,
        measure=found.measure,
        first=found.first,
        second=found.second,
        difference=found.value,
        low=found.low,
        high=found.high,
        level=found.level,
        p_value=found.p_value,
        method=found.method + (f", {found.adjusted}" if found.adjusted else ""),
        n=found.n,
        margin=margin,
        n_more=n_more,
        detectable=detectable,
        assumptions=assumptions,
        undefined=found.undefined,
        se=found.se,
        statistic=found.statistic,
        freedom=found.freedom,
        alternative=found.alternative,
        null=found.null,
        caution=found.caution,
        bounds=found.bounds,
        se_within=found.se_within,
        headline=headline,
        family=found.family,
    )


def not_worse(title: str, better: str, margin: float) -> tuple[Alternative, float]:
    """Which side of which difference tells that the first is no worse than the second by more than a margin.

    >>> not_worse("ROC AUC", "higher", 0.02), not_worse("Brier score", "lower", 0.02)
    (('greater', -0.02), ('less', 0.02))
    """
    checked_positive(margin, "margin", "a difference above 0 that does not matter")
    if better == "neither":
        raise OptionError(f"neither high nor low values of {title} are better", "a measure that is better high or low")
    return ("greater", -margin) if better == "higher" else ("less", margin)


def _outcome_of(found: Difference, margin: float | None) -> str:
    if math.isnan(found.low):
        return UNKNOWN
    if found.null != 0:
        return NOT_WORSE if found.low > found.null or found.high < found.null else UNKNOWN
    m = margin or 0.0
    if margin is not None and -m <= found.low and found.high <= m:
        return SAME
    if found.low > m or found.high < -m:
        return BETTER
    if margin is not None and (found.low > 0 or found.high < 0):
        return PERHAPS
    return UNKNOWN


def _winner_of(found: Difference, better: str) -> str | None:
    if better == "neither":
        return None
    return found.first if (found.value > 0) == (better == "higher") else found.second


def _headline_of(found: Difference, title: str, better: str, outcome: str, margin: float | None) -> str:
    measure = in_sentence(title)
    if math.isnan(found.low):
        return f"The difference in {measure} was not tested."
    if found.null != 0:
        return _worse_clause(found, outcome)
    if outcome == SAME:
        return f"No relevant difference in {measure}: it is within ±{margin:g}."
    if outcome == UNKNOWN and found.alternative != "two-sided":
        side = "higher" if found.alternative == "greater" else "lower"
        return f"{found.first} does not have a significantly {side} {measure} than {found.second}."
    if outcome == UNKNOWN:
        return f"No significant difference in {measure}."
    direction = "lower" if better == "lower" else "higher"
    winner, loser = (
        (found.first, found.second) if (found.value > 0) == (direction == "higher") else (found.second, found.first)
    )
    return f"{winner} has a significantly {direction} {measure} than {loser}."


def _worse_clause(found: Difference, outcome: str) -> str:
    if outcome == UNKNOWN:
        return f"Cannot rule out that {found.first} is worse than {found.second} by more than {abs(found.null):g}."
    return f"{found.first} is not worse than {found.second} by more than {abs(found.null):g}."


def numbers_of(found: Difference, title: str) -> str:
    """A difference of a measure with its interval, method and p-value, and what it was adjusted for."""
    what = f"{title} difference ({found.first} - {found.second})"
    if math.isnan(found.value):
        return f"{what}: undefined, {found.undefined}"
    if math.isnan(found.low):
        return f"{what} {signed(found)}, no interval: {found.undefined}"
    tested = "" if found.null == 0 else f" for a difference of {found.null:+g}"
    side = "" if found.alternative == "two-sided" else f", {found.alternative}"
    test = f"{found.method}{side} {p_text(found.p_value)}{tested}" + (f", {found.adjusted}" if found.adjusted else "")
    return f"{what} {signed(found)} {bracketed(found)}, {test}"


def _margin_clause(found: Difference, better: str, outcome: str, margin: float | None) -> str:
    if margin is None or math.isnan(found.low) or found.null != 0:
        return ""
    said = outcome
    if better == "neither":
        said = outcome.replace("better", "different")
    if outcome == SAME and (found.low > 0 or found.high < 0):
        said = f"{SAME}, though not equal: 0 is excluded"
    return f"With a margin of {margin:g}: {said}"


def _additional_cases_needed(found: Difference, outcome: str, margin: float | None) -> int | None:
    if margin is None or math.isnan(found.low) or outcome not in (UNKNOWN, PERHAPS):
        return None
    known = found.forecast or Forecast()
    factor = cases_factor(found.half_width, margin, known.half_width)
    # Rounded first, so that a width that is the margin but for the last digit asks for no case.
    return max(0, math.ceil(round(found.n * factor - found.n, 6)))


def _detectable_difference(found: Difference) -> float:
    z = float(ndtri(0.5 + found.level / 2 if found.alternative == "two-sided" else found.level))
    known, error = found.forecast or Forecast(stretch=no_stretch), found.se
    # Of several at once the interval is wider than that of one, and its standard error the same.
    usual = found.half_width / z
    error = usual if not error or found.adjusted else min(error, usual)
    most = MOST_DIFFERENCE if found.forecast is None else found.forecast.most
    return detectable_difference_of(found.half_width, error, (z, float(ndtri(POWER))), known.stretch, most)


def _sample_size_clause(outcome: str, margin: float | None, n_more: int | None, detectable: float) -> str:
    if n_more:
        needed = "is" if n_more == 1 else "are"
        return f"About {counted(about(n_more), 'more case')} {needed} needed for an interval as narrow as the margin."
    if n_more == 0:
        return "The interval is already as narrow as the margin: the difference lies near it."
    if margin is None and outcome == UNKNOWN and math.isfinite(detectable):
        return f"A difference of {detectable:.2g} would show in 4 of 5 samples of this size."
    return ""


def constant_sentence(name: str, accuracy: float, classifiers: int) -> str:
    """That always answering a class has a higher accuracy than every classifier.

    >>> constant_sentence("no", 0.99, 2)
    'Always "no" has a higher accuracy (0.990) than both.'
    """
    beaten = "both" if classifiers == 2 else "all of them"
    return f'Always "{shortened(name, LONGEST_CLASS)}" has a higher accuracy ({number(accuracy)}) than {beaten}.'
