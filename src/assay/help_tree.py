"""A tree of what an object offers, by topic: one line for each name, from docstrings."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["HelpEntry", "HelpTree", "entries_of", "public_names"]

WIDTH = 100
WIDEST_NAME = 30


@dataclass(frozen=True)
class HelpEntry:
    """A name, the line about it, and the names below it."""

    name: str
    line: str
    below: tuple[HelpEntry, ...] = ()


@dataclass(frozen=True)
class HelpTree:
    """What an object offers by topic: printed as a tree of at most 100 columns.

    >>> HelpTree("ev: evaluation", {"Curves": (HelpEntry("roc", "The ROC curve."), HelpEntry("lift", "Lift."))})
    ev: evaluation
    └─ Curves
       ├─ roc   The ROC curve.
       └─ lift  Lift.
    """

    title: str
    topics: Mapping[str, tuple[HelpEntry, ...]]

    def __repr__(self) -> str:
        topics = tuple(HelpEntry(topic, "", entries) for topic, entries in self.topics.items() if entries)
        return "\n".join([self.title, *_branches(topics, "")])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of every topic, without those below them."""
        return tuple(entry.name.split("(")[0] for entries in self.topics.values() for entry in entries)


def _branches(entries: tuple[HelpEntry, ...], margin: str) -> Iterator[str]:
    pad = min(WIDEST_NAME, max(len(entry.name) for entry in entries))
    for place, entry in enumerate(entries, 1):
        fork, beyond = ("└─ ", "   ") if place == len(entries) else ("├─ ", "│  ")
        name = f"{margin}{fork}{entry.name:{pad}}" if entry.line else f"{margin}{fork}{entry.name}"
        room = WIDTH - len(name) - 2
        yield f"{name}  {textwrap.shorten(entry.line, room, placeholder=' ...')}".rstrip()
        if entry.below:
            yield from _branches(entry.below, margin + beyond)


def public_names(kind: type) -> list[str]:
    """Return the public attributes of a class and the fields of its instances, in order.

    >>> public_names(HelpEntry)
    ['below', 'line', 'name']
    """
    fields = getattr(kind, "__dataclass_fields__", {})
    return sorted({name for name in (*dir(kind), *fields) if not name.startswith("_")})


def entries_of(
    kind: type,
    names: Iterable[str],
    fields: Mapping[str, str],
    below: Mapping[str, Callable[[], tuple[HelpEntry, ...]]] | None = None,
) -> tuple[HelpEntry, ...]:
    """Return an entry for each name that a class has; `fields` have the lines of those without a docstring."""
    known = {*public_names(kind)}
    return tuple(
        HelpEntry(
            name + _call(inspect.getattr_static(kind, name, None)),
            fields[name] if name in fields else _first_line(inspect.getattr_static(kind, name, None)),
            (below or {}).get(name, tuple)(),
        )
        for name in names
        if name in known
    )


def _call(member: Any) -> str:
    if isinstance(member, classmethod | staticmethod):
        member = member.__func__
    if not inspect.isfunction(member):
        return ""
    return "(...)" if len(inspect.signature(member).parameters) > 1 else "()"


def _first_line(member: Any) -> str:
    return str(getattr(member, "__doc__", None) or "").split("\n")[0]
