"""What Assay raises: each message says what was found, what is needed and what to type.

One tree: whatever is raised on purpose is an `AssayError`, and also what Python itself would raise for such a fault
(`ValueError`, `KeyError`, `AttributeError`, `TypeError`, `ImportError`), so that code written for either catches it.
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
    """Anything Assay raises on purpose."""


class InputError(AssayError, ValueError):
    """The data or a choice about it cannot be used as it is.

    `options` are the choices that would settle it; they read as keyword arguments here and as flags on the
    command line, so that either kind of user can paste what the sentence ends with. Where there are several ways to
    settle it, `ways` holds each with what it means, and `options` is the first of them.

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
        super().__init__(self._sentence("pass", [", ".join(map(_keyword, way.items())) for way, _ in self.ways], found))

    def __str__(self) -> str:
        # A KeyError, which some of these are too, would show the sentence in quotation marks.
        return str(self.args[0])

    def for_command_line(self) -> str:
        """The same sentence, with flags to paste instead of keyword arguments."""
        return self._sentence("type", [" ".join(_flags(way)) for way, _ in self.ways], self._typed())

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
    """What was asked for cannot be done, or not with this: on the command line a wrong use, not bad data.

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
            found = re.sub(rf"\b{re.escape(name)}\b", _flag(name, True), found, count=1)
        return found


class UnknownOption(OptionError, TypeError):
    """There is no option called so, as Python says it of an unexpected keyword argument."""


class UnknownName(OptionError, KeyError):
    """No measure, method, class, model or caution is called so.

    >>> try:
    ...     raise UnknownName("there is no measure 'rocauc'", "one of those in assay.measures")
    ... except KeyError as error:
    ...     print(error)
    there is no measure 'rocauc'; needed: one of those in assay.measures
    """


class NotWritten(OptionError, OSError):
    """A file that was to be written could not be, and is as it was before."""


class LostInterval(OptionError, TypeError):
    """Two estimates were taken for plain numbers; what they would make has an interval that neither of them has."""


class UnknownAttribute(InputError, AttributeError):
    """What is held here has nothing called so, and why."""


class MissingExtra(AssayError, ImportError):
    """A library that only some users need is not installed.

    What to type are the libraries of the extra themselves: that holds however this package was installed.

    >>> print(MissingExtra("matplotlib", extra="plot", purpose="drawing with matplotlib"))
    drawing with matplotlib needs matplotlib, which is not installed; type: pip install 'matplotlib>=3.9'
    """

    def __init__(self, library: str, *, extra: str, purpose: str) -> None:
        wanted = " ".join(map(_quoted, _libraries(extra))) or library
        super().__init__(f"{purpose} needs {library}, which is not installed; type: pip install {wanted}")


def _libraries(extra: str) -> list[str]:
    """What an extra of this package asks for, as pip takes it; nothing where the package runs without being installed.

    >>> _libraries("arrow")
    ['pyarrow>=18']
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    return [text.split(";")[0].strip() for text in wanted if f"extra == '{extra}'" in text.replace('"', "'")]


def _keyword(choice: tuple[str, Any]) -> str:
    name, value = choice
    return f"{name}={list(value) if isinstance(value, tuple) else value!r}"


def _flags(way: Mapping[str, Any]) -> list[str]:
    """One flag for each choice, and one for each of several values of it."""
    each = ((name, value if isinstance(value, tuple) else (value,)) for name, value in way.items())
    return [_flag(name, value) for name, values in each for value in values]


def _flag(name: str, value: Any) -> str:
    flag = "--" + COSTS.get(name, name.replace("_", "-"))
    return flag if value is True else f"{flag} {_quoted(str(value))}"


def _quoted(value: str) -> str:
    plain = value.replace("-", "").replace("_", "").replace(".", "").replace("/", "")
    return value if plain.isalnum() else "'" + value.replace("'", "'\\''") + "'"
