"""Saving and resuming: what an object needs to go on as if nothing had happened, by one table of its attributes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from operator import attrgetter, is_
from typing import Any, ClassVar, Self

import numpy as np

from assay.errors import InputError

__all__ = ["Resumable", "Saved", "Stateful", "as_list", "finite_or_none"]


@dataclass(frozen=True)
class Saved:
    """An entry of a state: its name, the attribute behind it (with dots), and how that is written and read back.

    With `by` the entry is computed from the object and not read back by itself: `Stateful._restored` does that.
    """

    name: str
    attribute: str = ""
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None
    by: Callable[[Any], Any] | None = None

    def get(self, owner: Any) -> Any:
        """Return what the state of this object holds under the name."""
        value = (self.by or attrgetter(self.attribute or self.name))(owner)
        return self.write(value) if self.write else _state_value(value)

    def put(self, owner: Any, value: Any) -> None:
        """Set the attribute from what a state holds; an object that is there already is restored in its place."""
        if self.by:
            return
        *path, last = (self.attribute or self.name).split(".")
        holder = attrgetter(".".join(path))(owner) if path else owner
        current = getattr(holder, last)
        new = self.read(value) if self.read else _restored_value(current, value)
        if new is not current:
            setattr(holder, last, new)


def as_list(name: str, attribute: str = "") -> Saved:
    """Return the entry of an array that is written as a list of numbers."""
    return Saved(name, attribute, np.ndarray.tolist, np.array)


def finite_or_none(name: str, *, absent: float) -> Saved:
    """Return the entry of a number that is written as None while there is none: it is then nan or infinite."""
    return Saved(
        name,
        write=lambda value: value if math.isfinite(value) else None,
        read=lambda value: absent if value is None else float(value),
    )


class Stateful:
    """What can save its state and be restored from it, by the table `_saved`; the fields, where it is a dataclass.

    A state holds plain values, lists, mappings and arrays, and no code.

    >>> class Counter(Stateful):
    ...     _saved = (Saved("count"), Saved("seen", "_seen"))
    ...
    ...     def __init__(self) -> None:
    ...         self.count, self._seen = 0, np.zeros(2)
    >>> counter, other = Counter(), Counter()
    >>> counter.count, counter._seen = 3, np.array([1.0, 2.0])
    >>> other.restore(counter.state())
    >>> other.count, other._seen
    (3, array([1., 2.]))
    """

    _saved: ClassVar[Sequence[Saved]] = ()

    @classmethod
    def _entries(cls) -> Sequence[Saved]:
        return cls._saved or tuple(Saved(each.name) for each in fields(cls))  # type: ignore[arg-type]

    def state(self) -> dict[str, Any]:
        """Return everything needed to go on as if nothing had happened: plain values and arrays, no code."""
        return {each.name: each.get(self) for each in self._entries()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the state of another object made with the same options."""
        for each in self._entries():
            each.put(self, state[each.name])
        self._restored(state)

    def _restored(self, state: Mapping[str, Any]) -> None:
        """Make again what depends on several entries of a state."""


class Resumable(Stateful):
    """What can be made again from its state alone: the state holds the options of the constructor too.

    >>> @dataclass
    ... class Counter(Resumable):
    ...     step: int
    ...     count: int = 0
    >>> again = Counter.resume({"step": 2, "count": 6})
    >>> again.step, again.count
    (2, 6)
    """

    _options: ClassVar[Sequence[str]] = ()

    @classmethod
    def _made(cls, state: Mapping[str, Any]) -> Self:
        """Return a new object with the options of a state."""
        names = cls._options or [each.name for each in fields(cls) if each.init]  # type: ignore[arg-type]
        return cls(**{name: state[name] for name in names})

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> Self:
        """Return the object that a state was taken from, as if there had been no interruption."""
        made = cls._made(state)
        made.restore(state)
        return made


def _state_value(value: Any) -> Any:
    """Return a value as a state holds it."""
    if isinstance(value, Stateful):
        return value.state()
    if isinstance(value, array):
        return np.array(value)
    if isinstance(value, Mapping):
        return {key: _state_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_state_value(each) for each in value]
    if is_dataclass(value):
        return {each.name: _state_value(getattr(value, each.name)) for each in fields(value)}
    return value


def _restored_value(current: Any, value: Any) -> Any:
    """Return the value that a state holds; the kind of what is there now says how it was written."""
    if isinstance(current, Resumable):
        return current.resume(value)
    if isinstance(current, Stateful):
        if value is None:
            return None
        current.restore(value)
        return current
    if isinstance(current, np.ndarray):
        return np.array(value, current.dtype)
    if isinstance(current, array):
        return array(current.typecode, np.asarray(value, current.typecode).tobytes())
    if isinstance(current, Mapping):
        return {key: _restored_value(each, value[key]) for key, each in current.items()}
    if isinstance(current, list | tuple):
        return _restored_list(current, value)
    if is_dataclass(current) and not isinstance(current, type):
        return type(current)(**value)
    if isinstance(current, int | float) and not isinstance(value, int | float | np.generic | None):
        raise InputError(f"the state has a {type(value).__name__} for a number", "a state that `state()` returned")
    return value


def _restored_list(current: list[Any] | tuple[Any, ...], value: Any) -> Any:
    if current and all(isinstance(each, Stateful) for each in current):
        values = [_restored_value(*pair) for pair in zip(current, value, strict=True)]
        if all(map(is_, values, current)):
            return current  # each was restored in its place
    else:
        values = [_restored_value([], each) if isinstance(each, list | tuple) else each for each in value]
    return type(current)(values)
