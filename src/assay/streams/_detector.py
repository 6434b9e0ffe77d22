"""What every drift detector has in common: events in, one by one or in chunks, and the places of changes out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import OptionError
from assay.request import checked_between, checked_choice

__all__ = ["LIKE", "Detector"]

# Whose conventions a detector keeps, where two programs differ.
LIKE = ("river", "moa")


@dataclass
class Detector:
    """Watches the errors of a classifier and says when they have changed; after a change it begins anew.

    `changed_at` is the place in the stream, from 0, of the event after which the last change was found.
    """

    # Between what its options must lie, and whether it takes errors alone or any numbers.
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}
    errors_only: ClassVar[bool] = True

    n: int = field(default=0, init=False)
    changed: bool = field(default=False, init=False)
    warning: bool = field(default=False, init=False)
    changed_at: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if hasattr(self, "like"):
            checked_choice(self.like, LIKE, "like")
        for name, (low, high) in self.ranges.items():
            checked_between(getattr(self, name), name, low, high)
        self._begin()

    def _begin(self) -> None:
        """Forget what was seen."""
        raise NotImplementedError

    def _step(self, x: float) -> bool:
        """Take one event in; whether it shows a change."""
        raise NotImplementedError

    def update(self, error: float) -> bool:
        """Whether a change shows after this event."""
        x = self._checked(float(error))
        self.n += 1
        self.changed = self._step(x)
        if self.changed:
            self.changed_at = self.n - 1
        return self.changed

    def extend(self, errors: ArrayLike) -> list[int]:
        """The places in the stream, from 0, after which these events show changes."""
        # All are looked at before any is taken in: a chunk that is refused leaves the detector as it was.
        values = [self._checked(each) for each in np.atleast_1d(np.asarray(errors, dtype=np.float64)).tolist()]
        return [self.n - 1 for value in values if self.update(value)]

    def _checked(self, x: float) -> float:
        if not (x in (0.0, 1.0) or (not self.errors_only and math.isfinite(x))):
            needed = "0 for right and 1 for wrong" if self.errors_only else "a finite number"
            raise OptionError(f"an error is {x:g}", needed, about="error")
        return x

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as numbers and lists of numbers."""
        return {each.name: _copied(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> Self:
        """As if there had been no interruption."""
        made = cls(**{each.name: state[each.name] for each in fields(cls) if each.init})
        for each in fields(cls):
            setattr(made, each.name, _copied(state[each.name]))
        return made


def _copied(value: Any) -> Any:
    return [_copied(each) for each in value] if isinstance(value, list | tuple) else value
