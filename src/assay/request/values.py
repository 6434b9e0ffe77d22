"""What an option's value may be: each kind is checked here alone, so that a fault reads the same everywhere.

How much memory may be used: a text with a unit, and what it comes to.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError, UnknownName
from assay.number import Number

__all__ = [
    "DEFAULT_MEMORY",
    "checked_between",
    "checked_choice",
    "checked_classes",
    "checked_encoding",
    "checked_flag",
    "checked_level",
    "checked_memory",
    "checked_names",
    "checked_number",
    "checked_numbers",
    "checked_positive",
    "checked_seed",
    "checked_text",
    "checked_threshold",
    "checked_whole",
    "doubled",
    "memory_bytes",
]


# How near to 0 and to 1 a level may be; p-values are looked for by levels from 1e-3 to 1 - 1e-12.
LOWEST, HIGHEST = 1e-6, 1 - 1e-13
LEAST_SHARE = 1e-12
# Whole numbers beyond this are no floating ones.
LARGEST = int(np.finfo(np.float64).max)


def checked_level(level: Any, name: str = "level") -> float:
    """The level of an interval, a share strictly between 0 and 1.

    >>> checked_level(0.9)
    0.9
    >>> checked_level(5)
    Traceback (most recent call last):
    assay.errors.OptionError: level is 5; needed: a number between 0 and 1, such as 0.95
    """
    # Nearer to an end than that, limits are further out than any number.
    if not (_is_real(level) and LOWEST <= level <= HIGHEST):
        share = share_of(level) if isinstance(level, str) or (_is_real(level) and level >= 50) else None
        fix = {name: share} if share is not None and LOWEST <= share <= HIGHEST else None
        raise OptionError(f"{name} is {_shown(level)}", "a number between 0 and 1, such as 0.95", fix, about=name)
    return float(level)


def share_of(value: Any) -> float | None:
    """The share that a percentage was probably meant to be; None where it was not.

    >>> share_of(95), share_of("95 %"), share_of("0,95"), share_of("high")
    (0.95, 0.95, 0.95, None)
    """
    text = str(value).strip().removesuffix("%").strip().replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        return None
    share = number / 100 if number > 1 or str(value).strip().endswith("%") else number
    return round(share, 12) if 0 < share < 1 else None


def checked_between(
    value: Any, name: str, low: float = 0.0, high: float = 1.0, *, closed: bool = False, clear: bool = False
) -> float:
    """A number between two others, themselves allowed if `closed`; if `clear`, not all but one of them.

    >>> checked_between(1.2, "prevalence")
    Traceback (most recent call last):
    assay.errors.OptionError: prevalence is 1.2; needed: a number between 0 and 1
    """
    fits = _is_real(value) and (low <= value <= high if closed else low < value < high)
    # A class that hardly occurs is beyond what sums of shares can tell from none.
    if fits and clear and 0 < min(value, 1 - value) < LEAST_SHARE:
        raise OptionError(
            f"{name} is {_shown(value)}", f"a number at least {LEAST_SHARE:g} away from 0 and 1", about=name
        )
    if not fits:
        least = f"from {low:g} to {high:g}" if closed else f"between {low:g} and {high:g}"
        raise OptionError(f"{name} is {_shown(value)}", f"a number {least}", about=name)
    return float(value)


def checked_threshold(threshold: Any, name: str = "threshold") -> float:
    """A threshold: a finite number. What finds one is another question.

    >>> checked_threshold("youden")
    Traceback (most recent call last):
    assay.errors.OptionError: threshold is 'youden'; needed: a finite number, or ev.threshold('youden') to choose one
    """
    if not (_is_real(threshold) and math.isfinite(threshold)):
        share = share_of(threshold) if isinstance(threshold, str) else None
        finds = (
            f", or ev.threshold({threshold!r}) to choose one" if isinstance(threshold, str) and share is None else ""
        )
        fix = None if share is None else {name: share}
        raise OptionError(f"{name} is {_shown(threshold)}", f"a finite number{finds}", fix, about=name)
    return float(threshold)


def checked_number(value: Any, name: str) -> float:
    """A finite number."""
    if not (_is_real(value) and math.isfinite(value)):
        raise OptionError(f"{name} is {_shown(value)}", "a finite number", about=name)
    return float(value)


def checked_positive(value: Any, name: str, what: str = "a number above 0") -> float:
    """A finite number above 0.

    >>> checked_positive(0, "margin", "a difference above 0 that does not matter")
    Traceback (most recent call last):
    assay.errors.OptionError: margin is 0; needed: a difference above 0 that does not matter
    """
    if not (_is_real(value) and math.isfinite(value) and value > 0):
        raise OptionError(f"{name} is {_shown(value)}", what, about=name)
    return float(value)


def checked_seed(seed: Any, name: str = "seed") -> int:
    """A seed: a whole number that is not negative.

    >>> checked_seed(-1)
    Traceback (most recent call last):
    assay.errors.OptionError: seed is -1; needed: an integer of at least 0
    """
    return checked_whole(seed, name, 0)


def checked_whole(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number of at least so many, and at most so many where that is said.

    >>> checked_whole(10**12, "repeats", most=1_000_000)
    Traceback (most recent call last):
    assay.errors.OptionError: repeats is 1000000000000; needed: at most 1,000,000
    """
    is_whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
    if not is_whole or value < least or (most is not None and value > most):
        needed = f"at most {most:,}" if is_whole and value >= least else f"an integer of at least {least}"
        raise OptionError(f"{name} is {_shown(value)}", needed, about=name)
    return int(value)


def checked_text(value: Any, name: str) -> str:
    """A text that is not empty.

    >>> checked_text(3, "store")
    Traceback (most recent call last):
    assay.errors.OptionError: store is 3; needed: a non-empty string
    """
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise OptionError(f"{name} is {_shown(value)}", "a non-empty string", about=name)
    return value


def checked_names(values: Any, name: str) -> tuple[str, ...]:
    """Names, each as a text.

    >>> checked_names([0, "spam"], "classes")
    ('0', 'spam')
    >>> checked_names(3, "classes")
    Traceback (most recent call last):
    assay.errors.OptionError: classes is 3; needed: a list of names, such as ['no', 'yes']
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise OptionError(f"{name} is {_shown(values)}", "a list of names, such as ['no', 'yes']", about=name)
    return tuple(str(value) for value in values)


def checked_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """A number, or an array of them of any shape.

    >>> checked_numbers(["a"], "ratios")
    Traceback (most recent call last):
    assay.errors.OptionError: ratios is ['a']; needed: a number, or a list of numbers
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{name} is {_shown(values)}", "a number, or a list of numbers", about=name) from None


def checked_flag(value: Any, name: str) -> bool:
    """True or false, and nothing that would merely be taken for it.

    >>> checked_flag("no", "stratified")
    Traceback (most recent call last):
    assay.errors.OptionError: stratified is 'no'; needed: true or false
    """
    if type(value).__name__ not in ("bool", "bool_"):  # numpy's, too
        raise OptionError(f"{name} is {_shown(value)}", "true or false", about=name)
    return bool(value)


def checked_choice(value: Any, choices: Iterable[str], name: str) -> str:
    """One of a few names.

    >>> checked_choice("ignore", ("refuse", "drop"), "missing")
    Traceback (most recent call last):
    assay.errors.UnknownName: missing is 'ignore'; needed: 'refuse' or 'drop'
    """
    known = choices if isinstance(choices, tuple) else tuple(choices)
    if not isinstance(value, str) or value not in known:
        *most, last = map(repr, known)
        raise UnknownName(f"{name} is {_shown(value)}", f"{', '.join(most)} or {last}" if most else last, about=name)
    return value


def checked_classes(value: Any, name: str) -> Any:
    """Classes, of which each is one value of a list or an array.

    >>> checked_classes("ham", "classes")
    Traceback (most recent call last):
    assay.errors.OptionError: classes is 'ham'; needed: a list of at least two classes
    """
    if isinstance(value, str | bytes):
        raise OptionError(f"{name} is {str(value)[:80]!r}", "a list of at least two classes", about=name)
    return value


def checked_encoding(value: Any, name: str = "encoding") -> str:
    """An encoding of text that Python knows.

    >>> checked_encoding("cp1252")
    'cp1252'
    >>> checked_encoding("ansi-1252")
    Traceback (most recent call last):
    assay.errors.OptionError: encoding is 'ansi-1252'; needed: an encoding of Python, such as cp1252, latin-1 or utf-16
    """
    try:
        codecs.lookup(value)
        b"".decode(value)  # not every codec is one of text
    except (LookupError, TypeError, ValueError):
        needed = "an encoding of Python, such as cp1252, latin-1 or utf-16"
        raise OptionError(f"{name} is {_shown(value)}", needed, about=name) from None
    return str(value)


def _is_real(value: Any) -> bool:
    # Plain numbers first: asking an abstract class takes ten times as long.
    if type(value) is int:
        return -LARGEST <= value <= LARGEST
    return type(value) is float or (isinstance(value, Real | Number) and not isinstance(value, bool))


def _shown(value: Any) -> str:
    if type(value) is int and not -LARGEST <= value <= LARGEST:
        return f"a number of {value.bit_length():,} bits"  # Python refuses to write the longest of them
    return f"{value:.6g}" if isinstance(value, float) else repr(value)[:80]


DEFAULT_MEMORY = "4GB"
MEMORY = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([kKMGT])i?B?", re.ASCII)
THOUSANDS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
UNITS = {"GB": 1e9, "MB": 1e6, "kB": 1e3}
NEEDED = "a number with a unit, such as 2GB or 500MB"


def checked_memory(value: Any, name: str = "memory") -> str:
    """How much memory may be used, as a text with a unit.

    >>> checked_memory("2GB")
    '2GB'
    >>> checked_memory("lots")
    Traceback (most recent call last):
    assay.errors.OptionError: memory is 'lots'; needed: a number with a unit, such as 2GB or 500MB
    """
    text = value.strip() if isinstance(value, str) else ""
    if MEMORY.fullmatch(text) is None or memory_bytes(text) < 1:
        raise OptionError(f"{name} is {value!r}"[:120], NEEDED, about=name)
    return text


def memory_bytes(text: str) -> int:
    """How many bytes a checked text means; units are thousands, or with an i multiples of 1024.

    >>> memory_bytes("2GB"), memory_bytes("1.5 GiB")
    (2000000000, 1610612736)
    """
    found = MEMORY.fullmatch(text)
    assert found is not None
    number, unit = found.groups()
    return int(float(number) * float(1024 if "i" in text else 1000) ** THOUSANDS[unit])


def doubled(text: str) -> str:
    """Twice as much, as it would be said.

    >>> doubled("4GB")
    '8GB'
    """
    memory = memory_bytes(text)
    unit, size = next((unit, size) for unit, size in UNITS.items() if 2 * memory >= size or unit == "kB")
    return f"{2 * memory / size:g}{unit}"
