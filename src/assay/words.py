"""How numbers and names are written, the same wherever they appear: nothing hidden, nothing without an end."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

__all__ = ["bracketed", "number", "shortened", "threshold_words", "visible"]

# Marks that turn the direction of the text after them.
DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Control characters, line and paragraph separators, halves of surrogate pairs, code points that are no characters.
HIDDEN_KINDS = frozenset(("Cc", "Zl", "Zp", "Cs", "Cn"))


def visible(text: str) -> str:
    r"""The text with everything a reader cannot see, and that may do harm, written as an escape.

    >>> visible("spam\x1b[31m\u202e\n")
    'spam\\x1b[31m\\u202e\\n'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(letter) for letter in text)


def _seen(letter: str) -> str:
    if letter in DIRECTION_MARKS or unicodedata.category(letter) in HIDDEN_KINDS:
        return letter.encode("unicode_escape").decode("ascii")
    return letter


def shortened(text: str, most: int = 40) -> str:
    """A name that fits, its middle left out where it is too long.

    >>> shortened("a" * 100, 9), shortened("spam", 9)
    ('aaaa…aaaa', 'spam')
    """
    seen = visible(text)
    if len(seen) <= most:
        return seen
    tail = (most - 1) // 2
    return f"{seen[: most - 1 - tail]}…{seen[-tail:]}" if tail else seen[:most]


def number(value: float) -> str:
    """A number to three decimals; one that would read as zero and is not keeps its first digit.

    >>> number(0.9064), number(1234.5), number(-0.0), number(0.00004), number(float("nan"))
    ('0.906', '1,234.500', '0.000', '4e-05', '-')
    """
    if math.isnan(value):
        return "-"
    if 0 < abs(value) < 0.0005:
        return f"{value:.1g}"
    return f"{value + 0.0:,.3f}"


def bracketed(found: Any) -> str:
    """The limits of an estimate or a difference in brackets, or nothing where there are none.

    >>> from assay.results import Interval
    >>> bracketed(Interval(0.4, 0.6, "Wilson"))
    '[0.400, 0.600]'
    """
    return "" if math.isnan(found.low) else f"[{number(found.low)}, {number(found.high)}]"


def threshold_words(threshold: float) -> str:
    """A threshold with as many digits as it needs, four at most.

    >>> threshold_words(0.5), threshold_words(0.1234567), threshold_words(-2.0)
    ('0.50', '0.1235', '-2.00')
    """
    return f"{threshold:.2f}" if math.isclose(threshold, round(threshold, 2)) else f"{threshold:.4g}"
