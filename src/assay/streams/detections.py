"""How good is a detector of changes, where the true moments are known? Delay, missed changes, false alarms.

Definitions as in Gama, Zliobaite, Bifet, Pechenizkiy & Bouchachia, A survey on concept drift adaptation, ACM Computing
Surveys 46, 2014, and Bifet, Classifier concept drift detection and the illusion of progress, ICAISC 2017.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from scipy.special import gammaincinv

from assay.errors import OptionError
from assay.request import checked_level, checked_whole
from assay.results import Estimate, Table
from assay.uncertainty import PROPORTION_METHODS

__all__ = ["Detections", "detections", "table_of_detectors"]


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
        why = "delays are skewed, and no interval of their mean was verified" if found else "no change was found"
        mean = sum(found) / len(found) if found else math.nan
        return Estimate("delay", mean, math.nan, math.nan, self.level, "mean", len(found), undefined=why)

    def found_share(self) -> Estimate:
        """The share of true changes that were found, with Wilson's interval."""
        of, found = len(self.moments), len(self.moments) - self.missed
        if not of:
            why = "there was no true change"
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
            f"{found} of {len(self.moments)} changes found{delay}, {false} false alarm{'' if false == 1 else 's'} "
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
    1 of 3 changes found after 30 events on average, 3 false alarms in 4,000 events
    >>> print(found.table())
    change at  alarm at  delay  outcome
        1,000     1,030     30  found
        2,000         -      -  missed
        3,000         -      -  missed
    """
    n, level = checked_whole(n, "n"), checked_level(level)
    true, rung = _places(moments, "moments", n), _places(alarms, "alarms", n)
    within = n if tolerance is None else checked_whole(tolerance, "tolerance")
    delays, finders = [], set()
    for moment, following in pairwise((*true, n)):
        last = min(following, moment + within + 1)
        finder = next((alarm for alarm in rung if moment <= alarm < last), None)
        delays.append(math.nan if finder is None else float(finder - moment))
        finders.add(finder)
    false = tuple(alarm for alarm in rung if alarm not in finders)
    return Detections(true, tuple(delays), false, n, tolerance, level)


def _places(given: Iterable[int], name: str, n: int) -> tuple[int, ...]:
    """Places in a stream, in order; refused where they are not."""
    places = tuple(checked_whole(each, name, 0, n - 1) for each in given)
    if any(one >= other for one, other in pairwise(places)):
        raise OptionError(f"{name} are not in order, or one is there twice", "each place once, in order", about=name)
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
