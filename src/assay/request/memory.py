"""How much memory may be used: a text with a unit, and what it comes to."""

from __future__ import annotations

import re
from typing import Any

from assay.errors import OptionError

__all__ = ["DEFAULT_MEMORY", "checked_memory", "doubled", "memory_bytes"]

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
