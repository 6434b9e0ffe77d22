"""Drift detectors on the error of a classifier, as MOA and river have them: when has it changed?

They are heuristics: none promises how often it rings falsely (`assay.streams.detections` judges them where the true
moments are known; `ChangeAlarm` keeps a promise). Where the two programs differ, `like` chooses whose rule is kept.
Sources: Gama, Medas, Castillo & Rodrigues 2004 (DDM); Baena-Garcia et al. 2006 (EDDM); Page 1954 with Mouss et al. 2004
(Page-Hinkley); Frias-Blanco et al. 2015 (HDDM); Bifet & Gavalda 2007 (ADWIN, in `assay.streams.drift`).

What every drift detector has in common: events in, one by one or in chunks, and the places of changes out.

ADWIN: a window that grows while its mean stays the same, and lets its old end go when it does not.

Source: Bifet & Gavalda, Learning from time-changing data with adaptive windowing, SDM 2007.

How good is a detector of changes, where the true moments are known? Delay, missed changes, false alarms.

Definitions as in Gama, Zliobaite, Bifet, Pechenizkiy & Bouchachia, A survey on concept drift adaptation, ACM Computing
Surveys 46, 2014, and Bifet, Classifier concept drift detection and the illusion of progress, ICAISC 2017.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from assay.errors import MissingExtra, OptionError, UnknownOption
from assay.request import checked_between, checked_choice, checked_level, checked_whole
from assay.results import Estimate, Table
from assay.state import Resumable
from assay.uncertainty import PROPORTION_METHODS

__all__ = [
    "DETECTORS",
    "LIKE",
    "Adwin",
    "Ddm",
    "Detections",
    "Detector",
    "Eddm",
    "FromRiver",
    "HddmA",
    "HddmW",
    "PageHinkley",
    "detections",
    "detector",
    "river",
    "table_of_detectors",
]


# Whose conventions a detector keeps, where two programs differ.
LIKE = ("river", "moa")


@dataclass
class Detector(Resumable):
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
        self._clear_state()

    def _clear_state(self) -> None:
        """Forget what was seen."""
        raise NotImplementedError

    def _step(self, x: float) -> bool:
        """Take one event in; whether it shows a change."""
        raise NotImplementedError

    def update(self, error: float) -> bool:
        """Whether a change shows after this event."""
        x = self._checked_error(float(error))
        self.n += 1
        self.changed = self._step(x)
        if self.changed:
            self.changed_at = self.n - 1
        return self.changed

    def extend(self, errors: ArrayLike) -> list[int]:
        """The places in the stream, from 0, after which these events show changes."""
        # All are looked at before any is taken in: a chunk that is refused leaves the detector as it was.
        values = [self._checked_error(each) for each in np.atleast_1d(np.asarray(errors, dtype=np.float64)).tolist()]
        return [self.n - 1 for value in values if self.update(value)]

    def _checked_error(self, x: float) -> float:
        if not (x in (0.0, 1.0) or (not self.errors_only and math.isfinite(x))):
            needed = "0 for correct and 1 for misclassified" if self.errors_only else "a finite number"
            raise OptionError(f"an error is {x:g}", needed, about="error")
        return x


@dataclass
class Adwin(Detector):
    """ADWIN: two parts of the window have means further apart than chance (`delta`) allows; any numbers will do.

    The window is kept as sums over stretches of 1, 2, 4, ... events, `stretches` of each length, so memory grows with
    the logarithm of its width. It is looked at every `clock` events. River drops the whole window after a change and
    reports changes in both directions; MOA drops the old part only and reports rises only.

    >>> adwin = Adwin()
    >>> adwin.extend([0, 0, 0, 0, 1] * 100 + [0, 1] * 100), adwin.width
    ([607], 92)
    """

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "delta": (0, 1),
        "clock": (0, math.inf),
        "stretches": (1, math.inf),
        "shortest": (0, math.inf),
    }
    errors_only: ClassVar[bool] = False

    delta: float = 0.002
    clock: int = 32
    stretches: int = 5
    shortest: int = 5
    grace: int = 10
    like: str = "river"
    ticks: int = field(default=0, init=False)
    width: int = field(default=0, init=False)
    total: float = field(default=0.0, init=False)
    squares: float = field(default=0.0, init=False)
    # Of each length, the oldest first: the sum and the sum of squared departures from the mean of each stretch.
    rows: list[list[list[float]]] = field(default_factory=list, init=False)

    @property
    def mean(self) -> float:
        """The mean of the window; nan where it is empty."""
        return self.total / self.width if self.width else math.nan

    def _clear_state(self) -> None:
        self.ticks, self.width, self.total, self.squares, self.rows = 0, 0, 0.0, 0.0, [[]]

    def _step(self, x: float) -> bool:
        if self.changed and self.like == "river":
            self._clear_state()
        before = self.mean
        self._insert_value(x)
        self.ticks += 1
        cut = False
        if self.ticks % self.clock == 0 and self.width > self.grace:
            while self._has_change_point():
                self._drop_oldest_bucket()
                cut = True
        return cut and (self.like == "river" or self.mean > before)

    def _insert_value(self, x: float) -> None:
        if self.width:
            away = x - self.total / self.width
            self.squares += self.width * away * away / (self.width + 1)
        self.width += 1
        self.total += x
        self.rows[0].append([x, 0.0])
        row = 0
        while len(self.rows[row]) > self.stretches:
            self._merge_oldest_buckets(row)
            row += 1

    def _merge_oldest_buckets(self, row: int) -> None:
        """The two oldest stretches of a length become one of the next."""
        size = 2**row
        (first, of_first), (second, of_second) = self.rows[row][:2]
        del self.rows[row][:2]
        apart = first / size - second / size
        if row + 1 == len(self.rows):
            self.rows.append([])
        self.rows[row + 1].append([first + second, of_first + of_second + size * size * apart * apart / (2 * size)])

    def _drop_oldest_bucket(self) -> None:
        size = 2 ** (len(self.rows) - 1)
        total, squares = self.rows[-1].pop(0)
        self.width -= size
        self.total -= total
        away = total / size - self.total / self.width
        self.squares -= squares + size * self.width * away * away / (size + self.width)
        if not self.rows[-1]:
            self.rows.pop()

    def _has_change_point(self) -> bool:
        """Whether the window falls into an old and a new part with different means, at the end of some stretch."""
        old, of_old = 0, 0.0
        # What rounding leaves of nothing may lie below 0.
        spread = max(self.squares / self.width, 0.0)
        chance = math.log(2 * math.log(self.width) / self.delta)
        fewest = self.shortest + 2 if self.like == "moa" else self.shortest
        for row in range(len(self.rows) - 1, -1, -1):
            for total, _ in self.rows[row]:
                old += 2**row
                of_old += total
                new = self.width - old
                if new < fewest or old < fewest:
                    continue
                share = 1 / (old - self.shortest + 1) + 1 / (new - self.shortest + 1)
                bound = math.sqrt(2 * share * spread * chance) + 2 / 3 * chance * share
                if abs(of_old / old - (self.total - of_old) / new) > bound:
                    return True
        return False


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

    def _clear_state(self) -> None:
        self.rate, self.seen, self.lowest = 0.0, 0, []

    def _step(self, x: float) -> bool:
        if self.changed:
            self._clear_state()
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

    def _clear_state(self) -> None:
        self.seen, self.errors, self.last, self.mean, self.squares, self.largest = 0, 0, 0, 0.0, 0.0, 0.0

    def _step(self, x: float) -> bool:
        if self.changed:
            self._clear_state()
            self.warning = self.warning and self.like == "moa"
        self.seen += 1
        if x != 1:
            return False
        self.errors += 1
        distance, self.last, before = self.seen - self.last, self.seen, self.mean
        self.mean += (distance - self.mean) / self.errors
        self.squares += (distance - self.mean) * (distance - before)
        return self._detect_change()

    def _detect_change(self) -> bool:
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
            raise OptionError("MOA has no direction 'down'", "like='river'", about=("direction", "like"))
        super().__post_init__()

    def _clear_state(self) -> None:
        self.seen, self.mean, self.rise, self.fall, self.least, self.most = 0, 0.0, 0.0, 0.0, math.inf, -1.0

    def _step(self, x: float) -> bool:
        if self.changed:
            self._clear_state()
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

    def _clear_state(self) -> None:
        self.whole, self.low, self.high = [0, 0.0], [0, 0.0], [0, 0.0]

    def _step(self, x: float) -> bool:
        if self.changed:
            self._clear_state()
        n, mean = self.whole
        self.whole = [n + 1, mean + (x - mean) / (n + 1)]
        bound = self._deviation_bound(self.whole[0])
        if not self.low[0] or self.low[1] + self._deviation_bound(self.low[0]) >= self.whole[1] + bound:
            self.low = list(self.whole)
        if not self.high[0] or self.high[1] - self._deviation_bound(self.high[0]) <= self.whole[1] - bound:
            self.high = list(self.whole)
        changed = self._has_mean_increased(self.change) or (self.two_sided and self._has_mean_decreased(self.change))
        warned = self._has_mean_increased(self.warn) and not self._has_mean_increased(self.change)
        fell = self.two_sided and self._has_mean_decreased(self.warn) and not self._has_mean_decreased(self.change)
        self.warning = warned or fell
        return changed

    def _deviation_bound(self, n: float) -> float:
        return math.sqrt(math.log(1 / self.change) / (2 * n))

    def _has_mean_increased(self, chance: float) -> bool:
        return self.low[0] != self.whole[0] and self.whole[1] - self.low[1] >= self._mean_difference_bound(
            self.low, chance
        )

    def _has_mean_decreased(self, chance: float) -> bool:
        return self.high[0] != self.whole[0] and self.high[1] - self.whole[1] >= self._mean_difference_bound(
            self.high, chance
        )

    def _mean_difference_bound(self, part: list[float], chance: float) -> float:
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

    def _clear_state(self) -> None:
        empty = [0, 0.0, 1.0]
        self.whole, self.before_rise, self.after_rise = list(empty), list(empty), list(empty)
        self.before_fall, self.after_fall = list(empty), list(empty)
        self.lowest, self.highest = math.inf, -math.inf

    def _step(self, x: float) -> bool:
        if self.changed:
            self._clear_state()
        self.whole = self._update_moving_average(self.whole, x)
        bound = self._deviation_bound(self.whole[2], self.change)
        if self.whole[1] + bound < self.lowest:
            self.lowest, self.before_rise, self.after_rise = self.whole[1] + bound, list(self.whole), [0, 0.0, 1.0]
        else:
            self.after_rise = self._update_moving_average(self.after_rise, x)
        if self.whole[1] - bound > self.highest:
            self.highest, self.before_fall, self.after_fall = self.whole[1] - bound, list(self.whole), [0, 0.0, 1.0]
        else:
            self.after_fall = self._update_moving_average(self.after_fall, x)
        return self._detect_change()

    def _detect_change(self) -> bool:
        rose = self._exceeds_significantly(self.after_rise, self.before_rise, self.change)
        fell = self.two_sided and self._exceeds_significantly(self.before_fall, self.after_fall, self.change)
        warned = not rose and self._exceeds_significantly(self.after_rise, self.before_rise, self.warn)
        falling = (
            self.two_sided and not fell and self._exceeds_significantly(self.before_fall, self.after_fall, self.warn)
        )
        self.warning = warned or falling
        return rose or fell

    def _update_moving_average(self, part: list[float], x: float) -> list[float]:
        n, mean, squares = part
        mean = x if not n else self.weight * x + (1 - self.weight) * mean
        return [n + 1, mean, self.weight**2 + (1 - self.weight) ** 2 * squares]

    def _deviation_bound(self, squares: float, chance: float) -> float:
        return math.sqrt(squares * math.log(1 / chance) / 2)

    def _exceeds_significantly(self, one: list[float], other: list[float], chance: float) -> bool:
        if not (one[0] and other[0]):
            return False
        return one[1] - other[1] > self._deviation_bound(one[2] + other[2], chance)


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


@dataclass(frozen=True)
class Detections:
    """What alarms were worth: each true change with its first alarm in time, and every other alarm.

    `delays` has one entry for each true change, in events; nan where it was missed.
    """

    moments: tuple[int, ...]
    delays: tuple[float, ...]
    false_alarms: tuple[int, ...]
    n: int
    tolerance: int | None
    level: float = 0.95

    @property
    def missed(self) -> int:
        """How many true changes no alarm followed in time."""
        return sum(map(math.isnan, self.delays))

    def delay(self) -> Estimate:
        """Events from a true change to its alarm, on average over those found.

        Without an interval: delays are skewed, and none was found to hold for so few of them.
        """
        found = [delay for delay in self.delays if not math.isnan(delay)]
        why = (
            "delays are skewed; no interval of their mean has verified coverage" if found else "no change was detected"
        )
        mean = sum(found) / len(found) if found else math.nan
        return Estimate("delay", mean, math.nan, math.nan, self.level, "mean", len(found), undefined=why)

    def found_share(self) -> Estimate:
        """The share of true changes that were found, with Wilson's interval."""
        of, found = len(self.moments), len(self.moments) - self.missed
        if not of:
            why = "no true changes"
            return Estimate("found", math.nan, math.nan, math.nan, self.level, "Wilson", 0, undefined=why)
        low, high = PROPORTION_METHODS["Wilson"](found, of, self.level)
        return Estimate("found", found / of, low, high, self.level, "Wilson", of)

    def between_false_alarms(self) -> Estimate:
        """Events for each false alarm; the exact limits of a Poisson count, infinite where there was none.

        The limits suppose that false alarms come independently of one another.
        """
        count, tail = len(self.false_alarms), (1 - self.level) / 2
        fewest = float(gammaincinv(count, tail)) if count else 0.0
        most = float(gammaincinv(count + 1, 1 - tail))
        low, high = self.n / most, self.n / fewest if fewest else math.inf
        value = self.n / count if count else math.inf
        return Estimate("between_false_alarms", value, low, high, self.level, "Poisson, exact", self.n)

    def ratio(self) -> float:
        """Bifet's mean time ratio: events between false alarms over the mean delay, times the share found."""
        between, found, delay = (one.value for one in (self.between_false_alarms(), self.found_share(), self.delay()))
        return between / delay * found if delay else math.nan

    def table(self) -> Table:
        """Each true change with the alarm that found it."""
        alarms = [moment + delay for moment, delay in zip(self.moments, self.delays, strict=True)]
        words = ["missed" if math.isnan(delay) else "found" for delay in self.delays]
        columns = {"change at": self.moments, "alarm at": alarms, "delay": self.delays, "outcome": words}
        return Table(columns, title=self.words, digits=0)

    @property
    def words(self) -> str:
        """One sentence."""
        found = len(self.moments) - self.missed
        delay = f" after {self.delay().value:,.0f} events on average" if found else ""
        false = len(self.false_alarms)
        return (
            f"{found} of {len(self.moments)} changes detected{delay}, {false} false alarm{'' if false == 1 else 's'} "
            f"in {self.n:,} events"
        )


def detections(
    moments: Iterable[int],
    alarms: Iterable[int],
    n: int,
    *,
    tolerance: int | None = None,
    level: float = 0.95,
) -> Detections:
    """What these alarms were worth, when the changes were at these true moments of a stream of `n` events.

    The first alarm at or after a true moment finds it, if it comes before the next one and within `tolerance` events
    (None: any time before the next one). Every other alarm is false: those before a change, later ones after it was
    found, and those too late. Moments are the places, from 0, of the first event after a change.

    >>> found = detections([1000, 2000, 3000], [400, 1030, 1060, 2900], 4000, tolerance=500)
    >>> print(found.words)
    1 of 3 changes detected after 30 events on average, 3 false alarms in 4,000 events
    >>> print(found.table())
    change at  alarm at  delay  outcome
        1,000     1,030     30  found
        2,000         -      -  missed
        3,000         -      -  missed
    """
    n, level = checked_whole(n, "n"), checked_level(level)
    true, rung = _checked_positions(moments, "moments", n), _checked_positions(alarms, "alarms", n)
    within = n if tolerance is None else checked_whole(tolerance, "tolerance")
    delays, finders = [], set()
    for moment, following in pairwise((*true, n)):
        last = min(following, moment + within + 1)
        finder = next((alarm for alarm in rung if moment <= alarm < last), None)
        delays.append(math.nan if finder is None else float(finder - moment))
        finders.add(finder)
    false = tuple(alarm for alarm in rung if alarm not in finders)
    return Detections(true, tuple(delays), false, n, tolerance, level)


def _checked_positions(given: Iterable[int], name: str, n: int) -> tuple[int, ...]:
    """Places in a stream, in order; refused where they are not."""
    places = tuple(checked_whole(each, name, 0, n - 1) for each in given)
    if any(one >= other for one, other in pairwise(places)):
        raise OptionError(f"{name} must be increasing", "each position once, in order", about=name)
    return places


def table_of_detectors(judged: Mapping[str, Detections]) -> Table:
    """A row for each detector: what it found of the true changes, how late, and how often it rang for nothing.

    >>> late, wild = detections([100], [180], 400), detections([100], [20, 110, 300], 400)
    >>> print(table_of_detectors({"late": late, "wild": wild}))
    detector  found  changes  delay  false alarms  events between  ratio
    late          1        1     80             0             inf    inf
    wild          1        1     10             2             200     20
    """
    each = list(judged.values())
    return Table(
        {
            "detector": list(judged),
            "found": [len(one.moments) - one.missed for one in each],
            "changes": [len(one.moments) for one in each],
            "delay": [one.delay().value for one in each],
            "false alarms": [len(one.false_alarms) for one in each],
            "events between": [one.between_false_alarms().value for one in each],
            "ratio": [one.ratio() for one in each],
        },
        title="Detectors",
    )
