"""Exceptions of Assay: each message states what is wrong, what is needed and what to type.

One hierarchy: every deliberate exception is an `AssayError` and also the built-in exception for such a fault
(`ValueError`, `KeyError`, `AttributeError`, `TypeError`, `ImportError`), so that code that catches either works.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "AssayError",
    "InputError",
    "LostInterval",
    "MissingExtra",
    "NotWritten",
    "OptionError",
    "UnknownAttribute",
    "UnknownName",
    "UnknownOption",
]


# What pip calls this package.
DISTRIBUTION = "assay-eval"
LONGEST_CHOICE = 300
# Costs are named by their entry of the matrix in Python alone.
COSTS = {"fp": "cost-fp", "fn": "cost-fn"}


class AssayError(Exception):
    """Base class of all exceptions that Assay raises deliberately."""


class InputError(AssayError, ValueError):
    """The data, or an option about them, cannot be used.

    `options` are the options that resolve the error; they are shown as keyword arguments here and as flags on the
    command line, ready to paste. If there are several ways to resolve it, `ways` has each with its meaning, and
    `options` is the first of them.

    >>> error = InputError("truth holds 'ham' and 'spam'", "which one is positive", {"positive": "spam"})
    >>> print(error)
    truth holds 'ham' and 'spam'; needed: which one is positive; pass positive='spam'
    >>> print(error.for_command_line())
    truth holds 'ham' and 'spam'; needed: which one is positive; type --positive spam
    >>> ways = [({"positive": "spam"}, "13.4 %"), ({"positive": "ham"}, "86.6 %")]
    >>> print(InputError("truth holds 'ham' and 'spam'", "which one is positive", ways=ways).for_command_line())
    truth holds 'ham' and 'spam'; needed: which one is positive; type one of:
      --positive spam   13.4 %
      --positive ham    86.6 %
    """

    def __init__(
        self,
        found: str,
        needed: str = "",
        options: Mapping[str, Any] | None = None,
        *,
        ways: Sequence[tuple[Mapping[str, Any], str]] = (),
    ) -> None:
        self.found = found
        self.needed = needed
        self.ways = tuple(ways) or (((dict(options), ""),) if options else ())
        self.options = dict(self.ways[0][0]) if self.ways else {}
        super().__init__(
            self._sentence("pass", [", ".join(map(_keyword_argument, way.items())) for way, _ in self.ways], found)
        )

    def __str__(self) -> str:
        # A KeyError, which some of these are too, would show the sentence in quotation marks.
        return str(self.args[0])

    def for_command_line(self) -> str:
        """The same sentence, with flags to paste instead of keyword arguments."""
        return self._sentence("type", [" ".join(_command_line_options(way)) for way, _ in self.ways], self._typed())

    def _typed(self) -> str:
        """What was found, as someone at a command line would say it."""
        return self.found

    def _sentence(self, verb: str, choices: list[str], found: str) -> str:
        parts = [found]
        if self.needed:
            parts.append(f"needed: {self.needed}")
        meant = list(zip(choices, (meaning for _, meaning in self.ways), strict=True))
        # What is longer than that nobody pastes, and it would hide the sentence.
        meant = [(choice, meaning) for choice, meaning in meant if len(choice) <= LONGEST_CHOICE]
        if len(meant) == 1 and not meant[0][1]:
            parts.append(f"{verb} {meant[0][0]}")
        if len(meant) == 0 or (len(meant) == 1 and not meant[0][1]):
            return "; ".join(parts)
        width = max(len(choice) for choice, _ in meant)
        lines = [f"  {choice:<{width}}   {meaning}".rstrip() for choice, meaning in meant]
        return "\n".join(["; ".join([*parts, f"{verb} one of:" if len(meant) > 1 else f"{verb}:"]), *lines])


class OptionError(InputError):
    """A request cannot be met, or not with these data; on the command line a usage error, not a data error.

    `about` names the options that the sentence is about; on the command line they are spelled as flags.

    >>> error = OptionError("per is given without cap", options={"cap": 10}, about=("per", "cap"))
    >>> print(error)
    per is given without cap; pass cap=10
    >>> print(error.for_command_line())
    --per is given without --cap; type --cap 10
    """

    def __init__(
        self,
        found: str,
        needed: str = "",
        options: Mapping[str, Any] | None = None,
        *,
        about: str | tuple[str, ...] = (),
        ways: Sequence[tuple[Mapping[str, Any], str]] = (),
    ) -> None:
        super().__init__(found, needed, options, ways=ways)
        self.about = (about,) if isinstance(about, str) else about

    def _typed(self) -> str:
        found = self.found
        for name in (each for each in self.about if each.isidentifier()):
            found = re.sub(rf"\b{re.escape(name)}\b", _command_line_option(name, True), found, count=1)
        return found


class UnknownOption(OptionError, TypeError):
    """No option has this name (Python: an unexpected keyword argument)."""


class UnknownName(OptionError, KeyError):
    """No measure, method, class, model or caution has this name.

    >>> try:
    ...     raise UnknownName("there is no measure 'rocauc'", "one of those in assay.measures")
    ... except KeyError as error:
    ...     print(error)
    there is no measure 'rocauc'; needed: one of those in assay.measures
    """


class NotWritten(OptionError, OSError):
    """A file could not be written and is unchanged."""


class LostInterval(OptionError, TypeError):
    """Two estimates were used as plain numbers, although the result would need a new interval."""


class UnknownAttribute(InputError, AttributeError):
    """The object has no such attribute, and the reason."""


class MissingExtra(AssayError, ImportError):
    """A library that only some users need is not installed.

    What to type are the libraries of the extra themselves: that holds however this package was installed.

    >>> print(MissingExtra("matplotlib", extra="plot", purpose="drawing with matplotlib"))
    drawing with matplotlib needs matplotlib, which is not installed; type: pip install 'matplotlib>=3.9'
    """

    def __init__(self, library: str, *, extra: str, purpose: str) -> None:
        wanted = " ".join(map(_shell_quoted, _libraries_of_extra(extra))) or library
        super().__init__(f"{purpose} needs {library}, which is not installed; type: pip install {wanted}")


def _libraries_of_extra(extra: str) -> list[str]:
    """What an extra of this package asks for, as pip takes it; nothing where the package runs without being installed.

    >>> _libraries_of_extra("arrow")
    ['pyarrow>=18']
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    return [text.split(";")[0].strip() for text in wanted if f"extra == '{extra}'" in text.replace('"', "'")]


def _keyword_argument(choice: tuple[str, Any]) -> str:
    name, value = choice
    return f"{name}={list(value) if isinstance(value, tuple) else value!r}"


def _command_line_options(way: Mapping[str, Any]) -> list[str]:
    """One flag for each choice, and one for each of several values of it."""
    each = ((name, value if isinstance(value, tuple) else (value,)) for name, value in way.items())
    return [_command_line_option(name, value) for name, values in each for value in values]


def _command_line_option(name: str, value: Any) -> str:
    flag = "--" + COSTS.get(name, name.replace("_", "-"))
    return flag if value is True else f"{flag} {_shell_quoted(str(value))}"


def _shell_quoted(value: str) -> str:
    plain = value.replace("-", "").replace("_", "").replace(".", "").replace("/", "")
    return value if plain.isalnum() else "'" + value.replace("'", "'\\''") + "'"
