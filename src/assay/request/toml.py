"""TOML that anybody may have written: a text too costly to read is refused before it is read."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from assay.errors import InputError

__all__ = ["toml_of"]

MOST_PARTS = 64
# Reading `a.b.c = 1` takes memory that grows with the square of its parts: 100 kB of them would take 20 GB.
PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"(?<![\w-]){PART}(?:[ \t]*+\.[ \t]*+{PART}){{{MOST_PARTS}}}")


def toml_of(text: str) -> dict[str, Any]:
    """What a text says; a ValueError says why it is no TOML.

    >>> toml_of('name = "mail"')
    {'name': 'mail'}
    """
    found = LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(f"a key has more than {MOST_PARTS} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("the values are nested too deeply") from None
