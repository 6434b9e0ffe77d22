"""Labels that come later, or never: who waits, and what those that never came may do to the numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.errors import InputError
from assay.results import Interval, counted, percent
from assay.sources import shown
from assay.state import Saved, Stateful

__all__ = ["ANY_LABEL", "Labels", "Waiting"]

# How bounds are made that hold whatever is missing.
ANY_LABEL = "worst and best case of the missing labels"


class Predicted(NamedTuple):
    """A prediction that waits for its label."""

    number: int
    decision: int
    value: Any
    has_label: bool


@dataclass(frozen=True)
class Labels:
    """What became of the predictions that were made before their label was known.

    `oldest` is the id that has waited longest and `expired` are those given up. `late` labels came for an id that does
    not wait once some were given up; before that, such a label is refused.

    >>> labels = Labels(predicted=10, waiting=2, oldest="a7", expired=1, late=0)
    >>> labels.missing, labels.accuracy_bounds(6, 7)
    (3, Interval(low=0.6, high=0.9, method='worst and best case of the missing labels', undefined=None))
    """

    predicted: int
    waiting: int
    oldest: Hashable | None
    expired: int
    late: int

    @property
    def missing(self) -> int:
        """Predictions without a label so far."""
        return self.waiting + self.expired

    def accuracy_bounds(self, correct: float, judged: float) -> Interval:
        """Between what the accuracy of all events lies, whatever the missing labels are."""
        total = judged + self.missing
        if not total:
            return Interval.missing(ANY_LABEL, "no events were predicted")
        return Interval(correct / total, (correct + self.missing) / total, ANY_LABEL)


class Waiting(Stateful):
    """Predictions by id until their label comes; with `expire_after`, at most until so many others were made."""

    _saved = (
        Saved(
            "held",
            "_held",
            lambda held: [[event_id, *one] for event_id, one in held.items()],
            lambda held: {event_id: Predicted(*one) for event_id, *one in held},
        ),
        *map(Saved, ("made", "expired", "late")),
    )

    def __init__(self, expire_after: int | None) -> None:
        self.expire_after = expire_after
        self._held: dict[Hashable, Predicted] = {}
        self.made = self.expired = self.late = 0

    def expect(self, event_id: Hashable, decision: int, value: Any, has_label: bool) -> None:
        """A prediction whose label may come."""
        if not isinstance(event_id, str | int) or isinstance(event_id, bool):
            raise InputError(
                f"the id is {shown(event_id)}", "a text or an integer that identifies the event when its label comes"
            )
        if event_id in self._held:
            raise InputError(
                f"duplicate id {shown(event_id)}: it is waiting for its label", "a unique id for each event"
            )
        self._held[event_id] = Predicted(self.made, decision, value, has_label)
        self.made += 1
        while self.expire_after is not None and self._oldest_prediction().number < self.made - self.expire_after:
            del self._held[next(iter(self._held))]
            self.expired += 1

    def _oldest_prediction(self) -> Predicted:
        # Ids stand in the order in which they were predicted.
        return next(iter(self._held.values()))

    def held(self, event_id: Hashable) -> Predicted | None:
        """The prediction that waits under an id, if any does."""
        return self._held.get(event_id)

    def find(self, event_id: Hashable) -> Predicted | None:
        """The prediction a label belongs to; None where it was given up, which is counted."""
        if event_id in self._held:
            return self._held[event_id]
        if self.expired:
            # Who was given up is not remembered: that would take room for ever.
            self.late += 1
            return None
        raise InputError(
            f"no prediction is waiting for a label under the id {shown(event_id)}",
            "one label for each predicted id",
        )

    def settle(self, event_id: Hashable) -> None:
        """The label has come."""
        del self._held[event_id]

    def labels(self) -> Labels:
        """How things stand."""
        oldest = next(iter(self._held), None)
        return Labels(self.made, len(self._held), oldest, self.expired, self.late)

    def cautions(self) -> list[str]:
        """What labels that did not come do to the numbers."""
        said = []
        if self.expired:
            share = percent(self.expired / self.made)
            said.append(
                f"{counted(self.expired, 'prediction')} ({share}) expired without a label: all results are for "
                "labelled events only, and unbiased only if labels are missing at random"
            )
        if self.late:
            said.append(f"{counted(self.late, 'label')} not counted: the ids had expired or were never predicted")
        return said
