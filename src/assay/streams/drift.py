"""Drift detectors on the error of a classifier, as MOA and river have them: when has it changed?

They are heuristics: none promises how often it rings falsely (`assay.streams.detections` judges them where the true
moments are known; `ChangeAlarm` keeps a promise). Where the two programs differ, `like` chooses whose rule is kept.
Sources: Gama, Medas, Castillo & Rodrigues 2004 (DDM); Baena-Garcia et al. 2006 (EDDM); Page 1954 with Mouss et al. 2004
(Page-Hinkley); Frias-Blanco et al. 2015 (HDDM); Bifet & Gavalda 2007 (ADWIN, in `assay.streams.adwin`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from assay.errors import MissingExtra, OptionError, UnknownOption
from assay.request import checked_choice
from assay.streams._detector import Detector
from assay.streams.adwin import Adwin

__all__ = ["DETECTORS", "Ddm", "Eddm", "FromRiver", "HddmA", "HddmW", "PageHinkley", "detector", "river"]


Ranges = Mapping[str, tuple[float, float]]


@dataclass
class Ddm(Detector):
    """DDM: the error rate has risen by `change` standard errors over its lowest; a warning at `warn`.

    MOA and river differ by one event in how many must come first (`fewest`).

    >>> ddm = Ddm()
    >>> ddm.extend([0, 0, 0, 0, 1] * 40 + [0, 1] * 40)
    [243]
    """

    ranges: ClassVar[Ranges] = {"fewest": (0, math.inf), "warn": (0, math.inf), "change": (0, math.inf)}

    fewest: int = 30
    warn: float = 2.0
    change: float = 3.0
    like: str = "river"
    rate: float = field(default=0.0, init=False)
    seen: int = field(default=0, init=False)
    lowest: list[float] = field(default_factory=list, init=False)

    def _begin(self) -> None:
        self.rate, self.seen, self.lowest = 0.0, 0, []

    def _step(self, x: float) -> bool:
        if self.changed:
            self._begin()
        self.seen += 1
        self.rate += (x - self.rate) / self.seen
        # Rounding must not make a rate of 1 one above it.
        error = math.sqrt(max(self.rate * (1 - self.rate), 0.0) / self.seen)
        is_moa = self.like == "moa"
        self.warning = self.warning and not is_moa
        if self.seen < (self.fewest - 1 if is_moa else self.fewest + 1):
            return False
        if not self.lowest or self.rate + error <= sum(self.lowest):
            self.lowest = [self.rate, error]
        risen = self.rate + error - self.lowest[0]
        changed = risen > self.change * self.lowest[1] and self.seen >= self.fewest
        self.warning = risen > self.warn * self.lowest[1] and not changed
        return changed


@dataclass
class Eddm(Detector):
    """EDDM: errors come closer together than they did: their mean distance plus two deviations has fallen.

    The change is at a share `change` of its largest, the warning at `warn`, both after `fewest` errors. River takes the
    sample variance of distances, MOA the plain one; and they begin one event apart.

    >>> Eddm().extend([0, 0, 0, 0, 1] * 40 + [1] * 60)
    [250]
    """

    ranges: ClassVar[Ranges] = {"fewest": (0, math.inf), "warn": (0, 1), "change": (0, 1)}

    fewest: int = 30
    warn: float = 0.95
    change: float = 0.9
    like: str = "river"
    seen: int = field(default=0, init=False)
    errors: int = field(default=0, init=False)
    last: int = field(default=0, init=False)
    mean: float = field(default=0.0, init=False)
    squares: float = field(default=0.0, init=False)
    largest: float = field(default=0.0, init=False)

    def _begin(self) -> None:
        self.seen, self.errors, self.last, self.mean, self.squares, self.largest = 0, 0, 0, 0.0, 0.0, 0.0

    def _step(self, x: float) -> bool:
        if self.changed:
            self._begin()
            self.warning = self.warning and self.like == "moa"
        self.seen += 1
        if x != 1:
            return False
        self.errors += 1
        distance, self.last, before = self.seen - self.last, self.seen, self.mean
        self.mean += (distance - self.mean) / self.errors
        self.squares += (distance - self.mean) * (distance - before)
        return self._judge()

    def _judge(self) -> bool:
        is_moa = self.like == "moa"
        freedom = self.errors if is_moa else self.errors - 1
        reach = self.mean + 2 * math.sqrt(self.squares / freedom if freedom else 0.0)
        late = self.seen + is_moa > self.fewest
        if is_moa:
            self.warning = False
        if reach > self.largest:
            self.largest = reach if late else self.largest
            return False
        if not late or self.errors <= self.fewest:
            return False
        share = reach / self.largest
        if share >= self.change or is_moa:
            self.warning = self.change <= share < self.warn
        return share < self.change


@dataclass
class PageHinkley(Detector):
    """Page-Hinkley: the sum of departures from the mean so far, less `slack` each, has gone beyond `threshold`.

    River holds the sum against its least value (and, in the direction "both", its greatest); MOA tests the sum itself,
    for rises only, so it needs longer where the stream was good before.

    >>> PageHinkley(threshold=10).extend([0, 0, 0, 0, 1] * 40 + [0, 1] * 40)
    [233]
    """

    ranges: ClassVar[Ranges] = {"fewest": (0, math.inf), "threshold": (0, math.inf), "fading": (0, 1 + 1e-12)}
    errors_only: ClassVar[bool] = False

    fewest: int = 30
    slack: float = 0.005
    threshold: float = 50.0
    fading: float = 1 - 0.0001
    direction: str = "both"
    like: str = "river"
    seen: int = field(default=0, init=False)
    mean: float = field(default=0.0, init=False)
    rise: float = field(default=0.0, init=False)
    fall: float = field(default=0.0, init=False)
    least: float = field(default=math.inf, init=False)
    most: float = field(default=-1.0, init=False)

    def __post_init__(self) -> None:
        checked_choice(self.direction, ("both", "up", "down"), "direction")
        if self.like == "moa" and self.direction == "down":
            raise OptionError("direction 'down' is not one of MOA's", "like='river'", about=("direction", "like"))
        super().__post_init__()

    def _begin(self) -> None:
        self.seen, self.mean, self.rise, self.fall, self.least, self.most = 0, 0.0, 0.0, 0.0, math.inf, -1.0

    def _step(self, x: float) -> bool:
        if self.changed:
            self._begin()
        self.seen += 1
        self.mean += (x - self.mean) / self.seen
        self.rise = self.fading * self.rise + (x - self.mean) - self.slack
        self.fall = self.fading * self.fall + (x - self.mean) + self.slack
        self.least, self.most = min(self.least, self.rise), max(self.most, self.fall)
        if self.like == "moa":
            return self.seen + 1 >= self.fewest and self.rise > self.threshold
        up = self.direction != "down" and self.rise - self.least > self.threshold
        down = self.direction != "up" and self.most - self.fall > self.threshold
        return self.seen >= self.fewest and (up or down)


@dataclass
class HddmA(Detector):
    """HDDM, averages: the mean of all events exceeds that of the best beginning by more than Hoeffding's bound allows.

    `change` and `warn` are chances, `two_sided` looks for falls too (as river has it, which follows MOA).

    >>> HddmA().extend([0, 0, 0, 0, 1] * 40 + [0, 1] * 40)
    [247]
    """

    ranges: ClassVar[Ranges] = {"warn": (0, 1), "change": (0, 1)}

    change: float = 0.001
    warn: float = 0.005
    two_sided: bool = False
    whole: list[float] = field(default_factory=list, init=False)  # events, their mean
    low: list[float] = field(default_factory=list, init=False)
    high: list[float] = field(default_factory=list, init=False)

    def _begin(self) -> None:
        self.whole, self.low, self.high = [0, 0.0], [0, 0.0], [0, 0.0]

    def _step(self, x: float) -> bool:
        if self.changed:
            self._begin()
        n, mean = self.whole
        self.whole = [n + 1, mean + (x - mean) / (n + 1)]
        bound = self._bound(self.whole[0])
        if not self.low[0] or self.low[1] + self._bound(self.low[0]) >= self.whole[1] + bound:
            self.low = list(self.whole)
        if not self.high[0] or self.high[1] - self._bound(self.high[0]) <= self.whole[1] - bound:
            self.high = list(self.whole)
        changed = self._risen(self.change) or (self.two_sided and self._fallen(self.change))
        warned = self._risen(self.warn) and not self._risen(self.change)
        fell = self.two_sided and self._fallen(self.warn) and not self._fallen(self.change)
        self.warning = warned or fell
        return changed

    def _bound(self, n: float) -> float:
        return math.sqrt(math.log(1 / self.change) / (2 * n))

    def _risen(self, chance: float) -> bool:
        return self.low[0] != self.whole[0] and self.whole[1] - self.low[1] >= self._cut(self.low, chance)

    def _fallen(self, chance: float) -> bool:
        return self.high[0] != self.whole[0] and self.high[1] - self.whole[1] >= self._cut(self.high, chance)

    def _cut(self, part: list[float], chance: float) -> float:
        share = (self.whole[0] - part[0]) / part[0] * (1.0 / self.whole[0])
        return math.sqrt(share / 2 * math.log(2.0 / chance))


@dataclass
class HddmW(Detector):
    """HDDM, weighted: the faded mean since the best moment exceeds the faded mean before it by McDiarmid's bound.

    `weight` is what the newest event counts, `change` and `warn` are chances; `two_sided` looks for falls too.

    >>> HddmW().extend([0, 0, 0, 0, 1] * 40 + [1] * 40)
    [212]
    """

    ranges: ClassVar[Ranges] = {"warn": (0, 1), "change": (0, 1), "weight": (0, 1)}

    change: float = 0.001
    warn: float = 0.005
    weight: float = 0.05
    two_sided: bool = False
    whole: list[float] = field(default_factory=list, init=False)  # events, faded mean, sum of squared weights
    before_rise: list[float] = field(default_factory=list, init=False)
    after_rise: list[float] = field(default_factory=list, init=False)
    before_fall: list[float] = field(default_factory=list, init=False)
    after_fall: list[float] = field(default_factory=list, init=False)
    lowest: float = field(default=math.inf, init=False)
    highest: float = field(default=-math.inf, init=False)

    def _begin(self) -> None:
        empty = [0, 0.0, 1.0]
        self.whole, self.before_rise, self.after_rise = list(empty), list(empty), list(empty)
        self.before_fall, self.after_fall = list(empty), list(empty)
        self.lowest, self.highest = math.inf, -math.inf

    def _step(self, x: float) -> bool:
        if self.changed:
            self._begin()
        self.whole = self._faded(self.whole, x)
        bound = self._bound(self.whole[2], self.change)
        if self.whole[1] + bound < self.lowest:
            self.lowest, self.before_rise, self.after_rise = self.whole[1] + bound, list(self.whole), [0, 0.0, 1.0]
        else:
            self.after_rise = self._faded(self.after_rise, x)
        if self.whole[1] - bound > self.highest:
            self.highest, self.before_fall, self.after_fall = self.whole[1] - bound, list(self.whole), [0, 0.0, 1.0]
        else:
            self.after_fall = self._faded(self.after_fall, x)
        return self._judge()

    def _judge(self) -> bool:
        rose = self._exceeds(self.after_rise, self.before_rise, self.change)
        fell = self.two_sided and self._exceeds(self.before_fall, self.after_fall, self.change)
        warned = not rose and self._exceeds(self.after_rise, self.before_rise, self.warn)
        falling = self.two_sided and not fell and self._exceeds(self.before_fall, self.after_fall, self.warn)
        self.warning = warned or falling
        return rose or fell

    def _faded(self, part: list[float], x: float) -> list[float]:
        n, mean, squares = part
        mean = x if not n else self.weight * x + (1 - self.weight) * mean
        return [n + 1, mean, self.weight**2 + (1 - self.weight) ** 2 * squares]

    def _bound(self, squares: float, chance: float) -> float:
        return math.sqrt(squares * math.log(1 / chance) / 2)

    def _exceeds(self, one: list[float], other: list[float], chance: float) -> bool:
        if not (one[0] and other[0]):
            return False
        return one[1] - other[1] > self._bound(one[2] + other[2], chance)


class FromRiver:
    """Any drift detector of river behind the same few names; it keeps its own rules and, unlike ours, no state."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.n = inner, 0
        self.changed_at: int | None = None

    @property
    def changed(self) -> bool:
        """Whether the last event showed a change."""
        return bool(self.inner.drift_detected)

    @property
    def warning(self) -> bool:
        """Whether it warns; those without warnings never do."""
        return bool(getattr(self.inner, "warning_detected", False))

    def update(self, error: float) -> bool:
        """Whether a change shows after this event."""
        self.inner.update(error)
        self.n += 1
        if self.changed:
            self.changed_at = self.n - 1
        return self.changed

    def extend(self, errors: Any) -> list[int]:
        """The places in the stream, from 0, after which these events show changes."""
        return [self.n - 1 for error in errors if self.update(error)]


def river(inner: Any) -> FromRiver:
    """A drift detector of river, given as such or by its name: `river("KSWIN")`."""
    if not isinstance(inner, str):
        return FromRiver(inner)
    try:
        from river import drift
    except ImportError:
        raise MissingExtra("river", extra="stream", purpose="a drift detector of river") from None
    for place in (drift, drift.binary):
        if inner in place.__all__:
            return FromRiver(getattr(place, inner)())
    known = ", ".join(name for place in (drift, drift.binary) for name in place.__all__)
    raise OptionError(f"river has no drift detector {inner!r}", f"one of {known}", about="inner")


DETECTORS: dict[str, type[Detector]] = {
    "adwin": Adwin,
    "ddm": Ddm,
    "eddm": Eddm,
    "page-hinkley": PageHinkley,
    "hddm-a": HddmA,
    "hddm-w": HddmW,
}


def detector(name: str, **options: Any) -> Detector:
    """A drift detector by its name, with its options.

    >>> detector("ddm", like="moa").like
    'moa'
    """
    kind = DETECTORS[checked_choice(name, tuple(DETECTORS), "detector")]
    known = [each.name for each in fields(kind) if each.init]
    for given in options:
        if given not in known:
            raise UnknownOption(f"{name} has no option {given!r}", f"one of {', '.join(known)}", about=given)
    return kind(**options)
