"""What of a stream counts now: everything so far, the last events, the events of a block, or all of them fading."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from assay.errors import OptionError
from assay.request import checked_between, checked_positive, checked_whole

__all__ = ["ViewSpec", "cumulative", "fading", "sliding", "tumbling"]

MOST_HELD = 1 << 26


@dataclass(frozen=True)
class ViewSpec:
    """One way to look at a stream, by the name under which a run holds it.

    >>> sliding(1000).name, sliding(seconds=3600).name, fading(0.999).name
    ('sliding 1000', 'sliding 3600 s', 'fading 0.999')
    """

    kind: Literal["cumulative", "sliding", "tumbling", "fading"]
    events: int | None = None
    seconds: float | None = None
    factor: float = 1.0

    @property
    def name(self) -> str:
        """What it is called among the views of a run."""
        if self.events is not None:
            return f"{self.kind} {self.events}"
        if self.seconds is not None:
            return f"{self.kind} {self.seconds:.15g} s"
        return self.kind if self.kind == "cumulative" else f"{self.kind} {self.factor:.15g}"

    @property
    def is_window(self) -> bool:
        """Whether it holds rows and forgets them whole."""
        return self.kind in ("sliding", "tumbling")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, from which it can be made again."""
        return asdict(self)


def cumulative() -> ViewSpec:
    """Everything since the stream began: every event counts once, for ever.

    >>> cumulative().name
    'cumulative'
    """
    return ViewSpec("cumulative")


def sliding(events: int | None = None, *, seconds: float | None = None) -> ViewSpec:
    """The last so many events, or the events of the last so many seconds before the latest one, however many these are.

    >>> sliding(500) == sliding(events=500)
    True
    """
    return _windowed("sliding", events, seconds)


def tumbling(events: int | None = None, *, seconds: float | None = None) -> ViewSpec:
    """Blocks of so many events, or of so many seconds counted from time 0: a full block is followed by an empty one.

    >>> tumbling(seconds=60).name
    'tumbling 60 s'
    """
    return _windowed("tumbling", events, seconds)


def fading(factor: float) -> ViewSpec:
    """Every event weighs `factor` times as much as the one after it: the past fades and is never cut off.

    Sums and the number of events fade alike, so that their ratio is not biased at the start: the published correction
    S_i / N_i of Gama, Sebastiao & Rodrigues (2013). Scores that have faded below 2**-64 of an event are forgotten.

    >>> fading(1.0)
    Traceback (most recent call last):
    assay.errors.OptionError: factor is 1.0; needed: a number between 0 and 1
    """
    return ViewSpec("fading", factor=checked_between(factor, "factor"))


def _windowed(kind: Literal["sliding", "tumbling"], events: int | None, seconds: float | None) -> ViewSpec:
    if (events is None) == (seconds is None):
        which = "neither a number of events nor" if events is None else "both a number of events and"
        needed = f"either of them, as in {kind}(1000) or {kind}(seconds=3600)"
        raise OptionError(f"a {kind} window has {which} a time", needed)
    if events is not None:
        return ViewSpec(kind, events=checked_whole(events, "events", 1, MOST_HELD))
    span = checked_positive(seconds, "seconds")
    assert math.isfinite(span)
    return ViewSpec(kind, seconds=span)
