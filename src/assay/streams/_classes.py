"""The classes of a stream: said at the start, or met one after the other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from assay.errors import InputError, OptionError
from assay.sources import aligned, in_order, known_pair, label_name, labels_of, listed, settle, shown
from assay.types import Codes

__all__ = ["StreamClasses"]

MOST_CLASSES = 1000
AT_LEAST_TWO = "two different classes at least"


class StreamClasses:
    """Names behind class codes. With two the positive one has code 1; those met as they come are in that order.

    What is read may hold classes that were not met before: these wait (`pending`) until the whole event or chunk has
    been found good, and are forgotten otherwise.

    >>> classes = StreamClasses(None, None)
    >>> classes.find("b", "truth"), classes.find("a", "truth"), classes.names
    (0, 1, [])
    >>> classes.commit()
    >>> classes.names, classes.order()
    (['b', 'a'], [1, 0])
    """

    def __init__(self, classes: Sequence[Any] | None, positive: Any) -> None:
        self.names: list[str] = []
        self.pending: list[str] = []
        self.has_news = False  # whether something was met that was not known before
        self.is_open = classes is None
        # Whether the other of two classes has not been met, and what it is called as soon as it has been.
        self._is_unnamed, self._name = False, ""
        self._is_completed = False  # from what is being read
        # A positive class means that there are two.
        self.positive = None if positive is None else label_name(positive)
        if positive is not None and self.positive is None:
            raise OptionError(f"positive is {shown(positive)}, which means a missing value", "a class")
        self.known: dict[type, dict[Any, int]] = {}
        self.said: list[int] = []  # where each class stood among those that were said, as scores of classes do
        if classes is not None:
            self._say(classes)
        elif self.positive is not None:
            self.names = list(settle([self.positive], [], self.positive, column="positive", rows=1).names)
            self._is_unnamed = True

    def _say(self, classes: Sequence[Any]) -> None:
        names = [label_name(value) for value in classes]
        kept = [name for name in names if name is not None]
        if len(kept) < len(names) or len(set(kept)) < len(kept) or len(kept) < 2:
            raise OptionError(f"the classes are {listed(list(classes))}", AT_LEAST_TWO)
        if len(kept) > MOST_CLASSES:
            raise OptionError(f"there are {len(kept):,} classes", f"at most {MOST_CLASSES:,}")
        if self.positive is not None and len(kept) > 2:
            found = f"positive is {shown(self.positive)} and there are {len(kept)} classes"
            raise OptionError(found, "two classes, or no positive one")
        # Said by hand, each once: no column of ids or measurements.
        self.names = list(settle(kept, [], self.positive, column="classes", rows=2 * len(kept)).names)
        self.said = [kept.index(name) for name in self.names]

    def complete(self, first: Sequence[str]) -> None:
        """Settle which two classes a stream of scores has, from the first that is met: scores point to one of them."""
        if self.is_open and not self.names:
            settled = settle(list(first)[:1], [], None, column="truth", rows=1)
            self.names, self.is_open = list(settled.names), False
            self._is_completed = self.has_news = True

    def as_said(self) -> tuple[str, ...]:
        """The names in the order in which they were said, which is that of scores of classes."""
        return tuple(sorted(self.names, key=dict(zip(self.names, self.said, strict=True)).__getitem__))

    def order(self) -> list[int]:
        """The codes in the order in which classes are shown, the positive one of two last."""
        if not self.is_open or self.positive is not None:
            return list(range(len(self.names)))
        shown_as = (known_pair(self.names) if len(self.names) == 2 else None) or in_order(self.names)
        return [self.names.index(name) for name in shown_as]

    @property
    def is_undecided(self) -> bool:
        """Whether there are two classes of which nobody said which one is positive."""
        is_pair = self.is_open and self.positive is None and len(self.names) == 2
        return is_pair and known_pair(self.names) is None

    def which_is_positive(self) -> InputError:
        """What to say where it matters."""
        ways = [({"positive": name}, "") for name in self.names]
        return InputError(f"the classes are {listed(self.names)}", "which one is positive", ways=ways)

    def find(self, value: Any, role: str) -> int:
        """The code of one label."""
        if np.ndim(value) or not isinstance(value, Hashable):
            raise InputError(f"the {role} is a compound value, {shown(value)}", "one plain value for each event")
        name = label_name(value)
        if name is None:
            raise InputError(f"the {role} is {shown(value)}, a missing value", "a class for every event")
        code = self._code(name, role)
        if not self.has_news:
            self.known.setdefault(type(value), {})[value] = code
        return code

    def find_many(self, values: Any, role: str) -> Codes:
        """The codes of a chunk of labels."""
        names, places = labels_of(values, role)
        codes: Codes = np.array([self._code(name, role) for name in names], dtype=np.int64)
        return codes[places] if len(codes) else np.zeros(0, np.int64)

    def _code(self, name: str, role: str) -> int:
        known = [*self.names, *self.pending]
        (spelt,) = aligned([name], known) if known else (name,)
        if self._is_unnamed and spelt != self.positive and self._name in ("", spelt):
            return self._other_of_two(spelt)
        if spelt in known and not (self._name and spelt == self.names[0]):
            return known.index(spelt)
        if not self.is_open or self.positive is not None:
            raise self._unknown(spelt, role)
        if len(known) >= MOST_CLASSES:
            raise InputError(f"there are more than {MOST_CLASSES:,} different labels", "classes, not ids")
        self.pending.append(spelt)
        self.has_news = True
        return len(known)

    def _other_of_two(self, name: str) -> int:
        """The first label that is not the positive one names the other class; until then it has a likely name."""
        self._name, self.has_news = name, True
        return 0

    def _unknown(self, name: str, role: str) -> InputError:
        known = [self._name or self.names[0], *self.names[1:], *self.pending] if self.names else []
        found = f"the {role} is {shown(name)}, which is none of the classes {listed(known)}"
        return InputError(found, "one of them, or all classes said at the start", {"classes": (*known, name)})

    def in_order_met(self, truth: Codes, decision: Codes) -> tuple[Codes, Codes]:
        """Codes of a chunk as if its events had come one by one: new classes are numbered by where they are first met.

        >>> classes = StreamClasses(None, None)
        >>> truth, decision = classes.find_many(["a", "b"], "truth"), classes.find_many(["c", "a"], "prediction")
        >>> [each.tolist() for each in classes.in_order_met(truth, decision)], classes.pending
        ([[0, 2], [1, 0]], ['a', 'c', 'b'])
        """
        known, fresh = len(self.names), len(self.pending)
        places = np.full(known + fresh, 2 * len(truth))
        np.minimum.at(places, truth, 2 * np.arange(len(truth)))
        np.minimum.at(places, decision, 2 * np.arange(len(truth)) + 1)
        met = sorted(range(known, known + fresh), key=places.__getitem__)
        code = np.arange(known + fresh)
        code[met] = known + np.arange(fresh)
        self.pending = [self.pending[old - known] for old in met]
        return code[truth], code[decision]

    def commit(self, most: int | None = None) -> None:
        """Keep the classes that were met for the first time, or as many as `most` in all."""
        if most is not None and self.pending and most < len(self.names) + len(self.pending):
            count = max(most - len(self.names), 0)
            self.names += self.pending[:count]
            del self.pending[:count]
            return
        self.names += self.pending
        if self._is_unnamed and self._name:
            self.names[0], self._is_unnamed = self._name, False
        self._is_completed = False
        self.rollback()

    def rollback(self) -> None:
        """Forget them: what they came with was refused."""
        if self._is_completed:
            self.names, self.is_open, self._is_completed = [], True, False
        self.pending.clear()
        self._name, self.has_news = "", False

    def state(self) -> dict[str, Any]:
        """The classes that were met, as plain values."""
        return {"names": list(self.names), "is_open": self.is_open, "is_unnamed": self._is_unnamed}

    def restore(self, state: dict[str, Any]) -> None:
        """Know what another one knew."""
        self.names, self.is_open = list(state["names"]), bool(state["is_open"])
        self._is_unnamed = bool(state["is_unnamed"])
