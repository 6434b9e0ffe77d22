"""Differences of two classifiers, and what makes several of them hold at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

from assay.comparison.forecasts import Forecast
from assay.errors import OptionError
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level
from assay.results import PairRow
from assay.text import bracketed, signed

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")

# What only differences of scores in cells have.
OF_CELLS = ("bounds", "se_within")
NOTHING_VARIES = "it does not vary between these cases, so its standard error is 0"


@dataclass(frozen=True, slots=True)
class Family:
    """Which comparisons an interval and its p-value were adjusted for together.

    The measure that is asked for is "primary" and not adjusted for other measures; those shown beside it are
    "secondary" and adjusted among themselves: `adjusted_for` names the measures of the family. Where several `pairs`
    of classifiers are compared, both are adjusted for them too.

    >>> Family("secondary", ("brier", "accuracy"), 3).words
    'adjusted for 2 secondary measures and 3 pairs'
    """

    role: Literal["primary", "secondary"]
    adjusted_for: tuple[str, ...]
    pairs: int = 1

    @property
    def words(self) -> str:
        """What was adjusted for; nothing of one difference by the primary measure."""
        count = len(self.adjusted_for)
        parts = [f"{count} secondary measure{'s' if count > 1 else ''}"] if self.role == "secondary" else []
        parts += [f"{self.pairs:,} pairs"] if self.pairs > 1 else []
        return f"adjusted for {' and '.join(parts)}" if parts else ""


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher the first classifier's value is than the second's, with its interval and the p-value beside it.

    Interval and p-value come from one test: `null`, 0 unless another difference was asked about, lies outside the
    interval exactly where p is below 1 - level. With the `alternative` "greater" or "less" both are one-sided, and the
    interval has no other end. `adjusted` says for how many comparisons at once they hold, where there were several.
    `family` says which measures and pairs these were, where the difference is part of an answer.
    `se` is the standard error, `statistic` and `freedom` those of the test (infinite: the normal distribution), where
    the method has them; `caution` is what is to be doubted about a method that was asked for by its name.
    Where scores are put together in cells, `bounds` hold the difference that any scores inside the cells would give,
    and the standard error of the cases themselves is off by no more than `se_within`. `forecast` is what is
    known of it on more cases, or were it larger.

    >>> Difference("roc_auc", "bayes", "svm", 0.021, 0.008, 0.034, 0.95, 0.002, "paired DeLong", 2500)
    bayes - svm: +0.021 [0.008, 0.034], p = 0.002 (paired DeLong)
    """

    measure: str
    first: str
    second: str
    value: float
    low: float
    high: float
    level: float
    p_value: float
    method: str
    n: float
    undefined: str | None = None
    adjusted: str | None = None
    target: str = "these classifiers"
    se: float | None = None
    statistic: float | None = None
    freedom: float | None = None
    alternative: Alternative = "two-sided"
    null: float = 0.0
    caution: str | None = None
    bounds: tuple[float, float] | None = None
    se_within: float | None = None
    family: Family | None = None
    forecast: Forecast | None = field(default=None, repr=False, compare=False)

    _repr_html_ = in_notebook

    def __getstate__(self) -> list[Any]:
        # What tells of larger samples holds the cases, which a stored difference does without.
        return [None if one.name == "forecast" else getattr(self, one.name) for one in fields(self)]

    def __repr__(self) -> str:
        what = f"{self.first} - {self.second}: "
        if math.isnan(self.value):
            return f"{what}undefined: {self.undefined}"
        if math.isnan(self.low):
            return f"{what}{signed(self)} [no interval: {self.undefined}]"
        shown = f"{what}{signed(self)} {bracketed(self)}, {p_text(self.p_value)}"
        return f"{shown} ({', '.join([self.method, *self.asides])})"

    @property
    def asides(self) -> list[str]:
        """What is to be said beside the method: which side was asked about, and for how many it holds."""
        sides = [] if self.alternative == "two-sided" else [self.alternative]
        return [*sides, *([self.adjusted] if self.adjusted else [])]

    @property
    def half_width(self) -> float:
        """Half the width of the interval; of a one-sided one how far it reaches."""
        if self.alternative == "two-sided":
            return (self.high - self.low) / 2
        return self.value - self.low if self.alternative == "greater" else self.high - self.value

    def flipped(self) -> Difference:
        """The second minus the first.

        >>> Difference("roc_auc", "a", "b", 0.021, 0.008, 0.034, 0.95, 0.002, "paired DeLong", 2500).flipped()
        b - a: -0.021 [-0.034, -0.008], p = 0.002 (paired DeLong)
        """
        sides: dict[Alternative, Alternative] = {"greater": "less", "less": "greater"}
        return replace(
            self, first=self.second, second=self.first, value=0.0 - self.value, low=0.0 - self.high,
            high=0.0 - self.low, null=0.0 - self.null, alternative=sides.get(self.alternative, "two-sided"),
            statistic=None if self.statistic is None else 0.0 - self.statistic,
            bounds=None if self.bounds is None else (0.0 - self.bounds[1], 0.0 - self.bounds[0]),
        )  # fmt: skip

    @property
    def details(self) -> str:
        """Standard error, statistic and degrees of freedom in words, as far as the method has them.

        >>> Difference("roc_auc", "a", "b", 0.02, 0.01, 0.03, 0.95, 0.002, "DeLong", 99, se=0.005, statistic=4.0,
        ...            freedom=math.inf).details
        'standard error 0.005, z = 4.000'
        """
        return details_of(self.se, self.statistic, self.freedom)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None, infinities by their name."""
        plain = in_record(self)
        return plain | {"n": int(self.n) if self.n == int(self.n) else self.n}

    def row(self, *, se: bool = False) -> PairRow:
        """Return the difference as a row of a table of pairs; with `se` also the numbers of its test.

        >>> Difference("roc_auc", "a", "b", 0.02, 0.01, 0.03, 0.95, 0.002, "paired DeLong", 99).row().p_value
        0.002
        """
        tested = (self.se, self.statistic, self.freedom) if se else (None, None, None)
        method = self.method + (f", {self.adjusted}" if self.adjusted else "")
        limits = (self.value, self.low, self.high)
        return PairRow(*limits, *tested, self.p_value, None, method, self.undefined or "", self.caution)


def in_family(
    found: Sequence[Difference], level: float, measures: Sequence[str] = (), pairs: int | None = None
) -> list[Difference]:
    """Differences of one measure as part of an answer: of a secondary one, found at a level further out, adjusted.

    `measures` are the secondary measures; without them the measure is the primary one. `pairs` is the number of pairs
    adjusted for, where those found were chosen from more.
    """
    count, of_pairs = max(1, len(measures)), len(found) if pairs is None else pairs
    adjusted = []
    for d in found:
        family = Family("secondary" if measures else "primary", tuple(measures) or (d.measure,), of_pairs)
        words = [d.adjusted, replace(family, pairs=1).words]
        said = ", ".join(part for part in words if part) or None
        adjusted.append(replace(d, level=level, p_value=bonferroni(d.p_value, count), adjusted=said, family=family))
    return adjusted


def details_of(se: float | None, statistic: float | None, freedom: float | None) -> str:
    """The standard error and the statistic of a test in words, as far as there are any."""
    said = [] if se is None else [f"standard error {se:.4g}"]
    if statistic is not None and freedom is not None:
        kind = "z" if math.isinf(freedom) else f"t with {freedom:.4g} degrees of freedom"
        said.append(f"{kind} = {statistic:.3f}")
    return ", ".join(said)


def in_record(found: Any) -> dict[str, Any]:
    """The fields of a difference or verdict as JSON holds them; those of cells where there are any."""
    facts = (one.name for one in fields(found) if one.name != "forecast")
    plain = {name: in_json(getattr(found, name)) for name in facts}
    return {name: value for name, value in plain.items() if value is not None or name not in OF_CELLS}


def in_json(value: Any) -> Any:
    """A value as JSON holds it: nan as None, infinities by their name."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {name: in_json(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [in_json(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def p_text(p_value: float) -> str:
    """A p-value in as many digits as it deserves.

    >>> p_text(0.0234), p_text(0.00001), p_text(1.0), p_text(math.nan)
    ('p = 0.023', 'p < 0.001', 'p = 1.000', 'no test')
    """
    if math.isnan(p_value):
        return "no test"
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def one_sided(found: Difference, level: float, alternative: Alternative) -> Difference:
    """The one-sided limit and p-value at a level, from the two-sided ones at twice the error.

    >>> two = Difference("roc_auc", "a", "b", 0.021, 0.008, 0.034, 0.90, 0.008, "paired DeLong", 2500)
    >>> one_sided(two, 0.95, "greater")
    a - b: +0.021 [0.008, inf], p = 0.004 (paired DeLong, greater)
    """
    if alternative == "two-sided":
        return found
    half = found.p_value / 2
    p_value = half if (found.value > found.null) == (alternative == "greater") else 1 - half
    low = found.low if alternative == "greater" or math.isnan(found.low) else -math.inf
    high = found.high if alternative == "less" or math.isnan(found.high) else math.inf
    return replace(found, low=low, high=high, level=level, p_value=p_value, alternative=alternative)


def two_sided_level(level: float, alternative: Alternative) -> float:
    """The level of the two-sided interval that a one-sided limit is taken from.

    >>> round(two_sided_level(0.95, "greater"), 6)
    0.9
    """
    checked_choice(alternative, ALTERNATIVES, "alternative")
    level = checked_level(level)
    if alternative == "two-sided":
        return level
    if level <= 0.5:
        raise OptionError(f"level is {level:g} and the alternative one-sided", "a level above 0.5", about="level")
    return 2 * level - 1


def bonferroni(p_value: float, count: int) -> float:
    """Return a p-value that keeps its level among `count` of them; nan stays nan.

    >>> bonferroni(0.02, 3), bonferroni(0.4, 3), bonferroni(math.nan, 3)
    (0.06, 1.0, nan)
    """
    return p_value if math.isnan(p_value) else min(1.0, count * p_value)


def bonferroni_level(level: float, count: int) -> float:
    """The level of each of `count` intervals for all to hold at `level`.

    >>> round(bonferroni_level(0.95, 5), 6)
    0.99
    """
    return 1 - (1 - checked_level(level)) / count


def holm(p_values: Sequence[float], level: float = 0.95) -> list[bool]:
    """Which of several unadjusted p-values Holm's step-down procedure rejects: decisions, without intervals.

    >>> holm([0.04, 0.01, 0.02])
    [True, True, True]
    >>> holm([0.04, 0.03, 0.02])
    [False, False, False]
    """
    level = checked_level(level)
    left = {place: p for place, p in enumerate(p_values) if not math.isnan(p)}
    rejected: set[int] = set()
    while left:
        place = min(left, key=lambda k: left[k])
        if left.pop(place) * (len(left) + 1) > 1 - level:
            break
        rejected.add(place)
    return [place in rejected for place in range(len(p_values))]
