"""Wording that sections and renderers share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from assay.evaluation import Evaluation
from assay.results import Estimate, percent
from assay.text import bracketed, listed, number, p_words, shortened, signed, threshold_words, value_words, visible

__all__ = [
    "beats",
    "bracketed",
    "count",
    "listed",
    "model_names",
    "no_interval",
    "number",
    "p_equals",
    "p_words",
    "percent",
    "quoted",
    "share_limits",
    "short_names",
    "shortened",
    "signed",
    "takes_the_highest",
    "tamed",
    "threshold_words",
    "value_words",
    "visible",
]

# What a model is called when nobody named it.
UNNAMED = ("", "model")
LONGEST_WORD = 60


def model_names(models: Mapping[str, Evaluation]) -> dict[str, str]:
    """For each key the name to show: short and visible; nothing for a single model that nobody named."""
    if len(models) == 1 and next(iter(models)) in UNNAMED:
        return dict.fromkeys(models, "")
    return short_names(models)


def short_names(keys: Iterable[str], most: int = 20) -> dict[str, str]:
    """For each key a name that is short, visible and no other's.

    >>> list(short_names(["svm", "a" * 30 + "1", "a" * 30 + "2"], 9).values())
    ['svm', 'aaaa…aaa1', 'aaaa…aaa2']
    """
    names: dict[str, str] = {}
    for place, key in enumerate(keys, 1):
        name = shortened(key, most)
        names[key] = f"{name} ({place})" if name in names.values() else name
    return names


def quoted(name: str, most: int = 40) -> str:
    """A class name in quotes.

    >>> print(quoted("0"))
    "0"
    """
    return f'"{shortened(name, most)}"'


def count(cases: float) -> str:
    """A number of cases.

    >>> count(2500.0), count(2.5)
    ('2,500', '2.5')
    """
    return f"{cases:,.0f}" if cases == round(cases) else f"{cases:,.6g}"


def takes_the_highest(ev: Evaluation) -> bool:
    """Whether each case was given the class with the highest score, because no labels were given."""
    return ev.rows is not None and ev.rows.decided_by == "highest score"


def no_interval(estimate: Estimate) -> str:
    """Why an estimate has no value or no limits; nothing where it has both."""
    if math.isnan(estimate.value):
        return estimate.undefined or "undefined"
    if math.isnan(estimate.low):
        return f"no interval: {estimate.undefined or 'undefined'}"
    return ""


def share_limits(low: float, high: float) -> str:
    """Limits of a share as percentages in brackets; nothing where there are none.

    >>> share_limits(0.0371, 0.1893)
    '[3.7 %, 18.9 %]'
    """
    return "" if math.isnan(low) else f"[{percent(low)}, {percent(high)}]"


def p_equals(p_value: float) -> str:
    """A p-value with the sign that stands before it.

    >>> p_equals(0.0002), p_equals(0.0312)
    ('< 0.001', '= 0.031')
    """
    words = p_words(p_value)
    return words if words.startswith("<") else f"= {words}"


def tamed(text: str) -> str:
    """A sentence someone else wrote, names in it and all: nothing hidden, no word without an end.

    >>> tamed("Not used: " + "x" * 5000)
    'Not used: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
    """
    return " ".join(shortened(word, LONGEST_WORD) for word in visible(text).split(" "))


def beats(beaten: int, rivals: int) -> str:
    """Of how many others one is significantly better.

    >>> beats(0, 2), beats(1, 3)
    ('not significantly better than any other', 'significantly better than 1 of 3 others')
    >>> beats(2, 2), beats(1, 1)
    ('significantly better than both others', 'significantly better than the other')
    """
    if beaten == 0:
        return f"not significantly better than {'the other' if rivals == 1 else 'any other'}"
    if beaten < rivals:
        return f"significantly better than {beaten:,} of {rivals:,} others"
    all_of_them = {1: "the other", 2: "both others"}.get(rivals, f"all {rivals:,} others")
    return f"significantly better than {all_of_them}"
