"""How numbers and names are written, the same wherever they appear: nothing hidden, nothing without an end."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

__all__ = [
    "InDigits",
    "bounds_words",
    "bracketed",
    "coloured",
    "decimals",
    "error_line",
    "exponent",
    "fitted",
    "in_digits",
    "in_sentence",
    "listed",
    "number",
    "p_words",
    "painted",
    "rounded",
    "share_words",
    "shortened",
    "signed",
    "threshold_words",
    "uncoloured",
    "value_words",
    "visible",
    "visible_on_screen",
]

# Below this, relative to the numbers themselves, a width is rounding and no width.
ROUNDING = 1e-12
# By so little a width or a distance may miss a power of ten and still be taken for one.
TIE = 1e-9
# Numbers below this are written with a power of ten.
SMALL = 1e-4

# Whose names titles of measures begin with.
PEOPLE = ("Brier", "Cohen", "Gini", "Hand-Till", "Jaccard", "Matthews")

# Marks that turn the direction of the text after them.
DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Control characters, line and paragraph separators, halves of surrogate pairs, code points that are no characters.
HIDDEN_KINDS = frozenset(("Cc", "Zl", "Zp", "Cs", "Cn"))

# The name of an exception at the beginning of a line, as tracebacks have it.
ERROR_LINE = re.compile(r"[\w.]*(Error|Exception|Exit|Interrupt|Warning|Killed\w*)(: |$)")


def visible(text: str) -> str:
    r"""The text with everything a reader cannot see, and that may do harm, written as an escape.

    >>> visible("spam\x1b[31m\u202e\n")
    'spam\\x1b[31m\\u202e\\n'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible_letter(letter) for letter in text)


Style = Literal["bold", "dim", "blue", "green", "cyan", "yellow", "red", "error"]
# What a terminal takes for the beginning of each style; none sets a background.
CODES: dict[Style, str] = {
    "bold": "1",
    "dim": "90",
    "blue": "34",
    "green": "32",
    "cyan": "36",
    "yellow": "33",
    "red": "31",
    "error": "1;31",
}
IS_COLOURED = ContextVar("IS_COLOURED", default=False)
PAINT = re.compile(rf"\x1b\[(?:0|{'|'.join(CODES.values())})m")


@contextmanager
def coloured(*, on: bool = True) -> Iterator[None]:
    """Make text with colours in the block, or without them."""
    token = IS_COLOURED.set(on)
    try:
        yield
    finally:
        IS_COLOURED.reset(token)


def painted(text: str, style: Style) -> str:
    r"""Return the text, already made visible, in a style where colours are on.

    >>> painted("0.898", "bold")
    '0.898'
    >>> with coloured():
    ...     painted("0.898", "bold")
    '\x1b[1m0.898\x1b[0m'
    """
    return f"\x1b[{CODES[style]}m{text}\x1b[0m" if IS_COLOURED.get() and text.strip() else text


def uncoloured(text: str) -> str:
    """Return the text without styles.

    >>> with coloured():
    ...     uncoloured(painted("0.898", "bold"))
    '0.898'
    """
    return PAINT.sub("", text) if "\x1b" in text else text


def visible_on_screen(text: str) -> str:
    r"""Return the text as `visible` does, but for the styles that `painted` makes where colours are on.

    >>> with coloured():
    ...     visible_on_screen(painted("spam\n", "bold"))
    '\x1b[1mspam\\n\x1b[0m'
    """
    if not IS_COLOURED.get() or "\x1b" not in text:
        return visible(text)
    styles = PAINT.findall(text)
    pieces = map(visible, PAINT.split(text))
    return "".join(piece + style for piece, style in zip(pieces, [*styles, ""], strict=True))


def fitted(line: str, width: int) -> list[str]:
    """Return a line in lines of at most so many columns, broken between words; styles take no room.

    >>> fitted("  Left out 3 rows with missing values.", 24)
    ['  Left out 3 rows with', '    missing values.']
    """
    if len(uncoloured(line)) <= width:
        return [line]
    lead = line[: len(line) - len(line.lstrip(" "))]
    words = iter(re.split(r"(?<=[^ ]) (?! )", line))
    lines = [next(words)]
    for word in words:
        if len(uncoloured(lines[-1])) + 1 + len(uncoloured(word)) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{lead}  {word.lstrip()}")
    return [each.rstrip() for each in lines]


def error_line(error: str) -> str:
    r"""The line of a traceback, or of any message, that states the error; no longer than 300 characters.

    >>> error_line("Traceback (most recent call last):\n  File ...\nValueError: Input X contains NaN.\nSee ...\n")
    'ValueError: Input X contains NaN.'
    """
    lines = error.strip().split("\n")
    named = (line for line in reversed(lines) if ERROR_LINE.match(line))
    return next(named, lines[-1])[:300]


def _visible_letter(letter: str) -> str:
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


class InDigits(NamedTuple):
    """A value and its limits as text, all three to the same decimals."""

    value: str
    low: str
    high: str


def in_digits(found: Any) -> InDigits:
    """An estimate or a difference in the digits its interval supports: half the width shows two of them.

    What lies between 0 and 1 keeps three decimals at least; whole digits are never rounded away. Value and limits are
    rounded alike, to the nearest: so the limits hold the value as they are printed, and do not fall together.

    >>> from types import SimpleNamespace as Found
    >>> in_digits(Found(value=0.9561, low=0.9558, high=0.9564))
    InDigits(value='0.95610', low='0.95580', high='0.95640')
    >>> in_digits(Found(value=209.329, low=93.921, high=466.55))
    InDigits(value='209', low='94', high='467')
    >>> in_digits(Found(value=0.667, low=0.208, high=0.939)).value
    '0.667'
    """
    value, low, high = getattr(found, "value", math.nan), found.low, found.high
    places = decimals(value, low, high)
    size = max((abs(one) for one in (value, low, high) if math.isfinite(one)), default=0.0)
    return InDigits(*(rounded(one, places, size) for one in (value, low, high)))


def number(value: float, fewest: int = 3) -> str:
    """A number without an interval: three decimals, or as many digits; one that would read as 0 or 1 and is not, more.

    >>> number(0.9064), number(-132.652), number(1234.5), number(-0.0), number(0.00004), number(float("nan"))
    ('0.906', '-132.7', '1,234', '0.000', '4e-05', '-')
    >>> number(0.99996)
    '0.99996'
    """
    return rounded(value, decimals(value, fewest=fewest), abs(value))


def value_words(found: Any) -> str:
    """The value of an estimate, in the digits its interval supports."""
    return in_digits(found).value


def bracketed(found: Any) -> str:
    """The limits of an estimate or a difference in brackets, or nothing where there are none.

    >>> from assay.results import Interval
    >>> bracketed(Interval(0.4, 0.6, "Wilson"))
    '[0.400, 0.600]'
    """
    return "" if math.isnan(found.low) else "[{}, {}]".format(*in_digits(found)[1:])


def bounds_words(found: Any) -> str:
    """Between what an estimate lies whatever scores its cells hold, where that shows in the digits it is written in.

    >>> from types import SimpleNamespace as Found
    >>> bounds_words(Found(value=0.9064, low=0.888, high=0.922, bounds=(0.9012, 0.9117)))
    '0.901 to 0.912'
    >>> bounds_words(Found(value=0.9064, low=0.888, high=0.922, bounds=(0.90639, 0.90641)))
    ''
    """
    bounds = getattr(found, "bounds", None)
    if bounds is None or math.isnan(found.value):
        return ""
    places = decimals(found.value, found.low, found.high)
    size = max((abs(one) for one in (found.value, *bounds) if math.isfinite(one)), default=0.0)
    value, low, high = (rounded(one, places, size) for one in (found.value, *bounds))
    return "" if low == value == high else f"{low} to {high}"


def signed(found: Any) -> str:
    """The value of a difference with its sign before it; what reads as zero is not negative.

    >>> from types import SimpleNamespace as Found
    >>> signed(Found(value=0.0214, low=0.01, high=0.03)), signed(Found(value=-1e-17, low=-0.1, high=0.1))
    ('+0.021', '+0.000')
    """
    # Where nothing varies, sums in another order still differ in their last digit.
    text = number(0.0) if math.isnan(found.low) and abs(found.value) < ROUNDING else value_words(found)
    return text if text.startswith("-") or math.isnan(found.value) else f"+{text}"


def decimals(value: float, low: float = math.nan, high: float = math.nan, *, fewest: int = 3) -> int:
    """How many decimals a value and its limits deserve.

    >>> decimals(0.906, 0.888, 0.922), decimals(209.3, 93.9, 466.6), decimals(0.5), decimals(0.00012), decimals(132.7)
    (3, 0, 3, 4, 1)
    """
    size = max((abs(one) for one in (value, low, high) if math.isfinite(one)), default=0.0)
    width = (high - low) / 2 if math.isfinite(high - low) else min(value - low, high - value)
    if ROUNDING * size < width < math.inf:
        # The lower limit of a ratio keeps two digits of its own, as far as two decimals go.
        least = fewest if size <= 1 else min(2, 1 - exponent(low)) if low > 0 else 0
        places = max(0, least, 1 - exponent(width * (1 + TIE)))
    else:
        places = max(0, fewest - max(0, exponent(size)))
    is_share = 0 < value < 1 and not (low < 0 or high > 1)
    if is_share or (math.isnan(low) and 0 < abs(value) < 1):
        # The distance to an end of the range must not be rounded away; what is nearer to 1 than that is noise.
        near = min(abs(value), 1 - abs(value))
        gap = near if near > ROUNDING or abs(value) < 0.5 else 1.0
        places = max(places, -exponent(2 * gap * (1 - TIE)))
    return places


def rounded(value: float, places: int, size: float) -> str:
    """A number to so many decimals; among numbers of such a small size with a power of ten."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = f"{value:,.{places}f}"
    if 0 < size < SMALL:
        text = f"{float(text):.15g}"
    # Zero has no sign.
    return text.removeprefix("-") if not text.strip("-0.") else text


def exponent(value: float) -> int:
    """The power of ten of the first digit, exactly; a logarithm might fall on the wrong side."""
    return int(f"{value:.16e}".split("e")[1]) if value else 0


def share_words(share: float) -> str:
    """A share that is foretold, in the digits that a forecast deserves.

    >>> share_words(0.4321), share_words(0.99999), share_words(1e-7)
    ('43.2 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if share > 0.999:
        return "more than 99.9 %"
    return "less than 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"


def p_words(p_value: float) -> str:
    """A p-value as it is printed.

    >>> p_words(0.0002), p_words(0.0312), p_words(float("nan"))
    ('< 0.001', '0.031', '-')
    """
    if math.isnan(p_value):
        return "-"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def listed(words: Iterable[str], last_by: str = "and") -> str:
    """Words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a', 'a, b and c', 'a or b')
    """
    *most, last = words
    return f"{', '.join(most)} {last_by} {last}" if most else last


def in_sentence(title: str) -> str:
    """The title of a measure inside a sentence: abbreviations and names of people keep their capitals.

    >>> in_sentence("Accuracy"), in_sentence("ROC AUC"), in_sentence("F1"), in_sentence("Brier score")
    ('accuracy', 'ROC AUC', 'F1', 'Brier score')
    """
    is_lowered = title[1:2].islower() and not title.startswith(PEOPLE)
    return title[:1].lower() + title[1:] if is_lowered else title


def threshold_words(threshold: float) -> str:
    """A threshold with as many digits as it needs, four at most.

    >>> threshold_words(0.5), threshold_words(0.1234567), threshold_words(-2.0)
    ('0.50', '0.1235', '-2.00')
    """
    return f"{threshold:.2f}" if math.isclose(threshold, round(threshold, 2)) else f"{threshold:.4g}"
