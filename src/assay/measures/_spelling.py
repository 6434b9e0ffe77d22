"""How a measure with parameters is written: `partial_auc(0, 0.2)`, `recall(specificity=0.9)`. Never by `eval`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from assay.errors import UnknownName

Value = float | bool | str

CALL = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_ -]*?)\s*\(([^()]*)\)\s*")
ARGUMENT = re.compile(r"\s*(?:([A-Za-z_]+)\s*=\s*)?([^\s=]+)\s*")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WORD = re.compile(r"[A-Za-z_]+")
TRUTHS = {"true": True, "false": False}


class Spelling(NamedTuple):
    """A name, the values that stand by their place and those that stand by a name."""

    name: str
    values: tuple[Value, ...]
    named: Mapping[str, Value]


def spelt(name: str, *values: Value, **named: Value) -> str:
    """The one way a measure with these parameters is written; what is not given is left out.

    >>> spelt("partial_auc", 0, 0.2), spelt("recall", specificity=0.9)
    ('partial_auc(0, 0.2)', 'recall(specificity=0.9)')
    """
    written = [_written(value) for value in values]
    return f"{name}({', '.join([*written, *(f'{key}={_written(value)}' for key, value in named.items())])})"


def read(text: str) -> Spelling:
    """What a text says.

    >>> read("Partial-AUC(0, .2, standardised=false)")
    Spelling(name='partial_auc', values=(0.0, 0.2), named={'standardised': False})
    >>> read("f_beta(2")
    Traceback (most recent call last):
    assay.errors.UnknownName: 'f_beta(2' cannot be read as a measure; needed: a name and its parameters, ...
    """
    call = CALL.fullmatch(text)
    given = [] if call is None or not call.group(2).strip() else call.group(2).split(",")
    arguments = [ARGUMENT.fullmatch(part) for part in given]
    values, named = list[Value](), dict[str, Value]()
    for argument in arguments:
        value = None if argument is None else _value(argument.group(2))
        key = "" if argument is None else (argument.group(1) or "").lower()
        if value is None or key in named or (named and not key):
            call = None
            break
        if key:
            named[key] = value
        else:
            values.append(value)
    if call is None:
        found = f"{text!r} cannot be read as a measure"
        raise UnknownName(found, "a name and its parameters, such as f_beta(2) or recall(specificity=0.9)")
    return Spelling(re.sub("[ -]", "_", call.group(1).lower()), tuple(values), named)


def _value(text: str) -> Value | None:
    if NUMBER.fullmatch(text):
        return float(text)
    return TRUTHS.get(text.lower(), text.lower()) if WORD.fullmatch(text) else None


def _written(value: Value) -> str:
    if isinstance(value, bool | str):
        return str(value).lower()
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))
