"""Streams: false alarms over ten thousand looks, delays, coverage at all looks and under autocorrelation, detectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import streams
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from assay.streams import Alarm, ChangeAlarm, detections
from assay.streams.drift import DETECTORS, detector
from assay.uncertainty import (
    Asymptotic,
    Betting,
    Predictable,
    dependent_mean,
)
from verification._coverage import generator
from verification._stream_makers import STREAMS, autoregression, clinging

__all__ = ["jobs", "page", "run", "summary"]

SAID = """Errors of a classifier on a stream, 0 or 1 unless said otherwise. *Independent*: each with the same chance.
*Martingale differences*: the loss lies in [0, 1] and its mean given the past stays the same, but how it spreads depends
on what came before. *Clinging*: a two-state Markov chain, each event a copy of the one before with the probability
named, which is the autocorrelation. *Latent*: an error wherever a Gaussian autoregression of that coefficient is below
its quantile, so that correlation lasts longer than that of the chain with the same lag 1. Alarms: reference 0.10,
margin 0.02, and a stream that runs **at the bar**, 0.12, the worst that is no reason to ring. The constants of the
intervals under autocorrelation were chosen on other seeds. **se** is the Monte-Carlo error, and **MISS** marks a row
that breaks its promise by more than three of them."""

Floats = NDArray[np.float64]
Job = tuple[str, dict[str, Any], int]

REFERENCE, MARGIN = 0.10, 0.02
BAR = REFERENCE + MARGIN
LOOKS = 10_000
HEADS = {
    "false": "How often an alarm rings falsely within 10,000 looks",
    "delay": "How long a rise goes unnoticed",
    "every": "Whether limits hold at all 10,000 looks at once",
    "stretch": "Coverage of 95 % limits of one stretch under autocorrelation",
    "detector": "Drift detectors: false alarms in 10,000 quiet events, and delays",
}
COLUMNS = {
    "false": ("rang falsely", "promise"),
    "delay": ("found within 10,000", "promise"),
    "every": ("ever wrong", "promise"),
    "stretch": ("coverage", "bar"),
    "detector": ("share of changes found", "promise"),
}
NOTES = {
    "false": """Where the past predicts the error the promise is about the conditional mean, which these clinging
streams exceed after every error although their long-run mean is at the bar: the figures are as they are, and an alarm
says so first. Rows with mean 0.1 run at the reference, a margin below the bar. Means of 20 events put together depend
on one another far less.""",
    "delay": """Events from the rise to the alarm. A long good past hides a rise from the mean since the start, and does
not hide it from `ChangeAlarm`.""",
    "every": """Asymptotic limits are for losses without bounds, and may be wrong in 0.08 of streams as other
approximate ones may; on errors of 0 and 1 they have no promise, and betting is the default.""",
    "stretch": """The bar is 0.93: the default shows limits only where they were found within 0.02 of their level.
**none** is the share of stretches where it shows none and says why; coverage is that of the limits shown, and has no
bar where fewer than a fifth are. Other rows without a bar are methods that only come by their name.""",
    "detector": """They promise nothing, and this is what they do: the change is from an error of 0.10 to 0.30, and must
be found within 1,000 events.""",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One row: a share with its Monte-Carlo error, what it was promised to be, and what else is known."""

    table: str
    what: str
    design: str
    n: int
    share: float
    error: float
    bar: float
    more: str = ""
    # Whether the share may not be above its bar, or not below it.
    at_most: bool = True

    @property
    def passes(self) -> bool:
        """Whether the share keeps its promise, to three Monte-Carlo errors."""
        away = self.share - self.bar if self.at_most else self.bar - self.share
        return not away > 3 * self.error

    @property
    def cells(self) -> tuple[str, ...]:
        """As a row of a table."""
        verdict = "-" if math.isnan(self.bar) else "ok" if self.passes else "MISS"
        bar = "-" if math.isnan(self.bar) else f"{self.bar:g}"
        share = "-" if math.isnan(self.share) else f"{self.share:.3f}"
        return self.what, self.design, f"{self.n:,}", share, f"{self.error:.3f}", bar, self.more, verdict


ALARMS: dict[str, Callable[[], Any]] = {
    "Alarm": lambda: Alarm(REFERENCE, MARGIN, steps=1),
    "Alarm, no bounds": lambda: Alarm(REFERENCE, MARGIN, bounds=None),
    "ChangeAlarm": lambda: ChangeAlarm(REFERENCE, MARGIN),
    "Alarm, 20 together": lambda: Alarm(REFERENCE, MARGIN, steps=1, together=20),
    "ChangeAlarm, 20 together": lambda: ChangeAlarm(REFERENCE, MARGIN, together=20),
    "ChangeAlarm, run length 1,000": lambda: ChangeAlarm(REFERENCE, MARGIN, run_length=1000),
}
SEQUENCES: dict[str, Callable[[float], Any]] = {
    "betting": lambda truth: Betting(at=(truth,), steps=1),
    "empirical Bernstein": lambda truth: Predictable("empirical Bernstein"),
    "Hoeffding": lambda truth: Predictable("Hoeffding"),
    "asymptotic": lambda truth: Asymptotic(),
}


def jobs(*, quick: bool) -> list[Job]:
    """Which simulations, with what, and how many streams of each."""
    few = 5 if quick else 1
    quiet: list[Job] = [
        *(
            ("false", {"alarm": "Alarm", "stream": name, "stay": stay, "rate": rate}, 1000)
            for name, stay, rate in _quiet()
        ),
        *(
            ("false", {"alarm": "ChangeAlarm", "stream": name, "stay": stay, "rate": rate}, 250)
            for name, stay, rate in _quiet()
        ),
        ("false", {"alarm": "Alarm, no bounds", "stream": "independent", "stay": 0.0, "rate": BAR}, 250),
        ("false", {"alarm": "ChangeAlarm, run length 1,000", "stream": "independent", "stay": 0.0, "rate": BAR}, 250),
        *(
            ("false", {"alarm": f"{alarm}, 20 together", "stream": "clinging", "stay": stay, "rate": BAR}, 250)
            for alarm in ("Alarm", "ChangeAlarm")
            for stay in (0.2, 0.4, 0.6, 0.8)
        ),
        ("estimated", {}, 500),
        ("paired", {}, 500),
    ]
    rises: list[Job] = [
        ("delay", {"alarm": alarm, "good": good, "margin": margin, "rise": rise}, 60)
        for alarm in ("Alarm", "ChangeAlarm", "ChangeAlarm, 20 together", "ChangeAlarm, run length 10,000")
        for good in (0, 2000)
        for margin, rise in ((0.0, 0.02), (0.0, 0.05), (0.0, 0.1), (0.02, 0.05), (0.02, 0.1))
    ]
    every: list[Job] = [
        ("every", {"method": method, "stream": name, "rate": rate}, 200 if name.startswith("mart") else 400)
        for method in SEQUENCES
        for name, rate in (("independent", 0.02), ("independent", 0.3), ("martingale differences", 0.12))
    ]
    every += [
        ("every", {"method": "asymptotic", "stream": name, "rate": 1.0}, 400) for name in ("exponential", "normal")
    ]
    stretch: list[Job] = [
        ("stretch", {"stream": name, "stay": stay, "rate": rate, "n": n}, 1000)
        for name in ("clinging", "latent")
        for rate in (0.05, 0.1, 0.3)
        for n in (100, 300, 1000, 10_000)
        for stay in (0.0, 0.2, 0.4, 0.6, 0.8)
        if not (name == "latent" and stay == 0)
    ]
    measures: list[Job] = [
        ("measures", {"stay": stay, "n": n}, 300) for n in (200, 1000, 5000) for stay in (0.0, 0.4, 0.8)
    ]
    judged: list[Job] = [("detector", {"name": name, "like": like}, 20) for name, like in _detectors()]
    return [
        (kind, given, max(count // few, 10))
        for kind, given, count in (*quiet, *rises, *every, *stretch, *measures, *judged)
    ]


def _quiet() -> list[tuple[str, float, float]]:
    at_bar = [("independent", 0.0), ("martingale differences", 0.0), ("clinging", 0.2), ("clinging", 0.6)]
    return [(name, stay, BAR) for name, stay in at_bar] + [("clinging", 0.2, REFERENCE), ("clinging", 0.6, REFERENCE)]


def _detectors() -> list[tuple[str, str]]:
    both = [(name, like) for name in DETECTORS if not name.startswith("hddm") for like in ("river", "moa")]
    return both + [(name, "") for name in DETECTORS if name.startswith("hddm")]


def run(job: Job) -> list[Line]:
    """One simulation."""
    kind, given, count = job
    return RUNS[kind](given, count, generator("streams", kind, repr(sorted(given.items()))))


def _share(hits: float, count: int) -> tuple[float, float]:
    share = hits / count if count else math.nan
    # An error of 0 would be a figure too good to be true.
    return share, math.sqrt(max(share * (1 - share), 1 / max(count, 1)) / count) if count else math.nan


def _words(stream: str, stay: float, rate: float) -> str:
    return f"{stream}{f' {stay:g}' if stream in ('clinging', 'latent') else ''}, mean {rate:g}"


def _false(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    alarm, name, stay, rate = given["alarm"], given["stream"], given["stay"], given["rate"]
    rung = []
    for _ in range(count):
        made = ALARMS[alarm]()
        made.extend(STREAMS[name](rng, LOOKS, rate, stay))
        rung.append(made.rang_at)
    share, error = _share(sum(each is not None for each in rung), count)
    promised = math.nan if name == "clinging" or "run length" in alarm else 0.05
    more = f"{count} streams"
    if "run length" in alarm:
        runs = np.array([LOOKS if each is None else each + 1 for each in rung])
        more += f"; mean run {runs.mean():,.0f}, counted up to 10,000 (promised: 1,000)"
        promised = math.nan if runs.mean() + 3 * runs.std() / math.sqrt(count) >= 1000 else 0.0
    return [Line("false", alarm, _words(name, stay, rate), LOOKS, share, error, promised, more)]


def _estimated(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    """The reference is drawn too, and the stream runs a margin above its true value."""
    rung = 0
    for _ in range(count):
        cases = (rng.random(500) < REFERENCE).astype(float)
        made = Alarm(cases, MARGIN, steps=1)
        made.extend(rng.random(LOOKS) < BAR)
        rung += made.rings
    share, error = _share(rung, count)
    what = "Alarm, reference of 500 cases"
    return [Line("false", what, f"independent, mean {BAR:g}", LOOKS, share, error, 0.05, f"{count} streams")]


def _paired(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    """Two classifiers whose error rates differ by the margin, wrong together most of the time."""
    rung = 0
    for _ in range(count):
        made = Alarm.between(MARGIN)
        draws = rng.random(2000)
        made.extend(np.where(draws < 0.06, 1.0, np.where(draws < 0.10, -1.0, 0.0)))
        rung += made.rings
    share, error = _share(rung, count)
    return [
        Line("false", "Alarm.between", "independent, difference 0.02", 2000, share, error, 0.05, f"{count} streams")
    ]


def _delay(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    good, margin, rise = given["good"], given["margin"], given["rise"]
    kinds: dict[str, Callable[[], Any]] = {
        "Alarm": lambda: Alarm(REFERENCE, margin, steps=1),
        "ChangeAlarm": lambda: ChangeAlarm(REFERENCE, margin),
        "ChangeAlarm, 20 together": lambda: ChangeAlarm(REFERENCE, margin, together=20),
        "ChangeAlarm, run length 10,000": lambda: ChangeAlarm(REFERENCE, margin, run_length=10_000),
    }
    delays = []
    for _ in range(count):
        made, place = kinds[given["alarm"]](), None
        made.extend(rng.random(good) < REFERENCE - 0.02)
        if not made.rings:
            for start in range(0, LOOKS, 1000):
                place = made.extend(rng.random(1000) < REFERENCE + rise)
                if place is not None:
                    delays.append(start + place + 1)
                    break
    share, error = _share(len(delays), count)
    quarters = "-" if not delays else " / ".join(f"{each:,.0f}" for each in np.quantile(delays, [0.25, 0.5, 0.75]))
    past = f"after {good:,} events at 0.08" if good else "from the start"
    design = f"rise of {rise:g} over the reference, margin {margin:g}, {past}"
    more = f"delay (quartiles) {quarters}; {count} streams"
    return [Line("delay", given["alarm"], design, LOOKS, share, error, math.nan, more)]


def _every(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    rate, wrong, widths = given["rate"], 0, []
    for _ in range(count):
        made = SEQUENCES[given["method"]](rate)
        low, high = made.extend(STREAMS[given["stream"]](rng, LOOKS, rate, 0.0))
        # A limit equal to the true value holds it.
        wrong += bool(np.any(low > rate + 1e-9) or np.any(high < rate - 1e-9) or _refuted(made, rate))
        widths.append(high[-1] - low[-1])
    share, error = _share(wrong, count)
    more = f"{count} streams"
    more += "" if given["method"] == "betting" else f"; width at the end {np.mean(widths):.4f}"
    design = _words(given["stream"], 0.0, rate)
    # By the central limit theorem, so it may be wrong as much more often as other approximate limits may.
    promised = 0.05 if given["method"] != "asymptotic" else 0.08 if rate == 1 else math.nan
    return [Line("every", given["method"], design, LOOKS, share, error, promised, more)]


def _refuted(made: Any, truth: float) -> bool:
    """On a grid of the true value alone a limit that reaches it has refuted it."""
    return isinstance(made, Betting) and (made.low >= truth - 1e-12 or made.high <= truth + 1e-12)


def _stretch(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    name, stay, rate, n = given["stream"], given["stay"], given["rate"], given["n"]
    methods: dict[str, Callable[[Floats], Any]] = {"long-run variance, Wilson": dependent_mean}
    if name == "clinging" and n <= 1000:
        methods["block bootstrap"] = lambda errors: dependent_mean(errors, method="block bootstrap")
    samples = [STREAMS[name](rng, n, rate, stay) for _ in range(count)]
    found = []
    for method, limits in methods.items():
        tried = samples if method.startswith("long") else samples[:300]
        bar = 0.93 if method.startswith("long") else math.nan
        ends = [(one.low, one.high) for one in map(limits, tried)]
        found.append(_covered(f"error rate: {method}", _words(name, stay, rate), n, rate, ends, bar))
    return found


def _covered(what: str, design: str, n: int, truth: float, ends: Sequence[tuple[float, float]], bar: float) -> Line:
    shown = [(low, high) for low, high in ends if not math.isnan(low)]
    share, error = _share(sum(low <= truth <= high for low, high in shown), len(shown))
    width = float(np.mean([high - low for low, high in shown])) if shown else math.nan
    # A few that are shown where nearly all are refused are odd ones.
    bar = bar if len(shown) >= 0.2 * len(ends) else math.nan
    more = f"none {1 - len(shown) / len(ends):.3f}; mean width {width:.3f}; {len(ends)} stretches"
    return Line("stretch", what, design, n, share, error, bar, more, at_most=False)


def _measures(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    """Truths and errors cling alike; scores are an autoregression, higher for positives. As views give them."""
    stay, n = given["stay"], given["n"]
    cells = ConfusionMatrix(np.array([[0.56, 0.14], [0.06, 0.24]]) * 1e12)
    of_labels = [name for name, one in registry.items() if one.needs is ConfusionMatrix and one(cells) < np.inf]
    of_scores = [name for name, one in registry.items() if one.needs is ScoreTable and (one.pairs or one.moved_by)]
    truths = {name: float(registry[name](cells)) for name in of_labels}
    truths |= {name: float(registry[name](_population())) for name in of_scores}
    ends: dict[tuple[str, str], list[tuple[float, float]]] = {}
    window = streams.sliding(n)
    for _ in range(count):
        truth = clinging(rng, n, 0.3, stay).astype(np.int64)
        labels = streams.prequential(classes=(0, 1), views=(streams.cumulative(), window))
        labels.update_many(truth, truth ^ clinging(rng, n, 0.2, stay).astype(np.int64))
        scores = streams.prequential(classes=(0, 1), views=(window,))
        scores.update_many(truth, score=_probability(autoregression(rng, n, stay), truth))
        looks = [(labels.view(name), of_labels) for name in labels.views] + [(scores.view(window.name), of_scores)]
        for view, names in looks:
            for name in names:
                found = view.estimate(name)
                ends.setdefault((name, view.spec.kind), []).append((found.low, found.high))
    design = f"clinging {stay:g}"
    return [_covered(f"{name}, {kind}", design, n, truths[name], each, 0.92) for (name, kind), each in ends.items()]


def _probability(noise: NDArray[np.float64], truth: NDArray[np.int64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-(1.5 * truth - 1 + noise)))


@cache
def _population() -> ScoreTable:
    """So many independent cases that what they say is the truth."""
    rng = generator("streams", "population")
    truth = (rng.random(4_000_000) < 0.3).astype(np.int64)
    return ScoreTable.of(_probability(rng.standard_normal(len(truth)), truth), truth == 1)


def _detector(given: dict[str, Any], count: int, rng: np.random.Generator) -> list[Line]:
    options = {"like": given["like"]} if given["like"] else {}
    quiet, found, delays = 0, 0, []
    for _ in range(count):
        quiet += len(detector(given["name"], **options).extend(rng.random(LOOKS) < REFERENCE))
        stream = np.concatenate([rng.random(2000) < REFERENCE, rng.random(1000) < 0.3])
        alarms = detector(given["name"], **options).extend(stream)
        delay = detections([2000], alarms, 3000, tolerance=1000).delays[0]
        found += not math.isnan(delay)
        delays += [] if math.isnan(delay) else [delay]
    share, error = _share(found, count)
    median = f"{np.median(delays):,.0f}" if delays else "-"
    more = f"false alarms {quiet / count:.2f} in 10,000; median delay {median}; {count} streams"
    name = f"{given['name']}{', like ' + given['like'] if given['like'] else ''}"
    return [Line("detector", name, "independent, 0.1 to 0.3 after 2,000", 3000, share, error, math.nan, more)]


RUNS: dict[str, Callable[[dict[str, Any], int, np.random.Generator], list[Line]]] = {
    "false": _false,
    "estimated": _estimated,
    "paired": _paired,
    "delay": _delay,
    "every": _every,
    "stretch": _stretch,
    "measures": _measures,
    "detector": _detector,
}


def summary(lines: Sequence[Line]) -> str:
    """How many rows keep what they promise."""
    promised = [line for line in lines if not math.isnan(line.bar)]
    missed = sum(not line.passes for line in promised)
    kept, none = len(promised) - missed, len(lines) - len(promised)
    return f"{len(lines)} rows: {kept} keep their promise, {missed} do not, {none} make none."


def page(title: str, said: str, lines: Sequence[Line]) -> str:
    """One page with a table for each question."""
    return "\n".join([f"# {title}\n\n{said}\n\n{summary(lines)}\n", *(_table(table, lines) for table in HEADS)])


def _table(table: str, lines: Sequence[Line]) -> str:
    share, bar = COLUMNS[table]
    names = ("what", "stream", "n", share, "se", bar, "more", "verdict")
    rows = [names, tuple("--:" if name in ("n", share, "se", bar) else "---" for name in names)]
    rows += [line.cells for line in lines if line.table == table]
    body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    note = f"{NOTES[table]}\n\n" if table in NOTES else ""
    return f"## {HEADS[table]}\n\n{note}{body}\n"
