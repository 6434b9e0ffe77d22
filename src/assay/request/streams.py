"""What may be asked of a stream that is read line by line: its columns, its views, its alarms, where it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import OptionError
from assay.request.option import Asked, named_texts, option, target
from assay.request.predictions import DEFAULT_LEVEL
from assay.request.values import (
    checked_between,
    checked_choice,
    checked_level,
    checked_positive,
    checked_seed,
    checked_text,
    checked_threshold,
    checked_whole,
)

__all__ = ["StreamRequest"]

STREAM = ("stream",)
FORMS = ("text", "json")
OF_ALARMS = {"reference": 0.1, "reference_file": "base.csv"}
MOST_WINDOW, MOST_EVENTS, MOST_TOGETHER = 1 << 26, 1 << 40, 1 << 16
LAST_PORT = 65_535
NO_DETECTOR = "none"
USUAL: dict[str, Any] = {
    "every": 100, "level": DEFAULT_LEVEL, "seed": 0, "margin": 0.02, "alpha": 0.05, "together": 1, "format": "text",
}  # fmt: skip
# What decides no number, and may be another when a stream is taken up again.
AT_WILL = ("follow", "skip_bad", "checkpoint", "output", "metrics", "port", "html", "fail_on_alarm", "quiet")


def _stream_option(help: str, default: Any = None, **facts: Any) -> Any:  # noqa: A002
    return option(help, default, commands=STREAM, **facts)


def _option_with_default(name: str, help: str, **facts: Any) -> Any:  # noqa: A002
    """What has a usual value, and may still be seen to have been said."""
    return _stream_option(help, stands_for=USUAL[name], **facts)


def _check_each(check: Any) -> Any:
    return lambda values, name: tuple(check(value, name) for value in values)


def _checked_window(value: Any, name: str) -> int:
    return checked_whole(value, name, 1, MOST_WINDOW)


def _checked_events(value: Any, name: str) -> int:
    return checked_whole(value, name, 1, MOST_EVENTS)


def _checked_batch(value: Any, name: str) -> int:
    return checked_whole(value, name, 1, MOST_TOGETHER)


def _checked_port(value: Any, name: str) -> int:
    return checked_whole(value, name, 0, LAST_PORT)


def _checked_share(value: Any, name: str) -> float:
    return checked_between(value, name, closed=True)


def _checked_format(value: Any, name: str) -> str:
    return checked_choice(value, FORMS, name)


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamRequest(Asked):
    """Every option about a stream that is read line by line, once.

    >>> StreamRequest(window=(500,), reference=0.1).given
    {'window': (500,), 'reference': 0.1}
    >>> StreamRequest(margin=0.05)
    Traceback (most recent call last):
    assay.errors.OptionError: margin is given without reference or reference_file; pass reference=0.1
    """

    # Which columns are what.
    truth: str | None = _stream_option("Column of true labels.", check=checked_text)
    score: str | None = _stream_option("Column of scores of the positive class.", check=checked_text)
    pred: str | None = _stream_option("Column of predicted labels.", check=checked_text)
    id: str | None = _stream_option(
        "Column of event identifiers: a later row with the same id can bring the true label of an earlier one.",
        check=checked_text, stands_for="id",
    )  # fmt: skip
    time: str | None = _stream_option(
        "Column of times, in seconds or as dates.", check=checked_text, needs={"seconds": 3600}, stands_for="time"
    )
    positive: str | None = _stream_option("The positive class of two.", check=checked_text)
    classes: tuple[str, ...] = _stream_option(
        "Name of a class, where all are known in advance; repeat for each.", (), many=True, check=named_texts
    )
    threshold: float | None = _stream_option(
        "Scores of at least this are predicted positive.", kind="number", check=checked_threshold,
        stands_for="0.5 for probabilities",
    )  # fmt: skip
    ignore: tuple[str, ...] = _stream_option("Column to ignore; repeat for several.", (), many=True, check=named_texts)
    skip_bad: bool = _stream_option("Skip and count invalid lines instead of stopping.", False, kind="flag")
    follow: bool = _stream_option("Keep reading as FILE grows, until stopped.", False, kind="flag")
    # How to look at it.
    window: tuple[int, ...] = _stream_option(
        "Window of the last N events; repeat for several.", (), kind="whole", many=True, metavar="N",
        check=_check_each(_checked_window), stands_for=1000,
    )  # fmt: skip
    seconds: tuple[float, ...] = _stream_option(
        "Window of the last S seconds; repeat for several.", (), kind="number", many=True, metavar="S",
        check=_check_each(checked_positive),
    )  # fmt: skip
    fading: tuple[float, ...] = _stream_option(
        "Exponential fading factor: weight of an event relative to the next, such as 0.999; repeat for "
        "several.", (), kind="number",
        many=True, metavar="FACTOR", check=_check_each(checked_between),
    )  # fmt: skip
    measure: tuple[str, ...] = _stream_option(
        "Measure to watch; repeat for several.", (), many=True, check=named_texts, stands_for="a few main ones"
    )
    every: int | None = _option_with_default(
        "every", "Report every this many events.", kind="whole", check=_checked_events
    )
    level: float | None = _option_with_default("level", "Level of the intervals.", kind="number", check=checked_level)
    seed: int | None = _option_with_default(
        "seed", "Random seed.", kind="whole", check=checked_seed,
        idle={"stream": "no effect unless the only interval of a measure is simulated"},
    )  # fmt: skip
    # When to ring, and what changed.
    reference: float | None = _stream_option("Reference error rate.", kind="number", check=_checked_share)
    reference_file: str | None = _stream_option(
        "File of earlier predictions, whose error rate is the reference.", check=checked_text, metavar="FILE"
    )
    margin: float | None = _option_with_default(
        "margin",
        "Largest rise of the error rate that does not matter.",
        kind="number",
        check=_checked_share,
        needs=OF_ALARMS,
    )
    alpha: float | None = _option_with_default(
        "alpha", "Probability of any false alarm in a stream, at whatever number of looks.", kind="number",
        check=checked_between, needs=OF_ALARMS,
    )  # fmt: skip
    together: int | None = _option_with_default(
        "together", "Batch size of the alarms, where errors of consecutive events are dependent.", kind="whole",
        check=_checked_batch, needs=OF_ALARMS,
    )  # fmt: skip
    detector: tuple[str, ...] = _stream_option(
        "Detector of changes (adwin, ddm, eddm, page-hinkley, hddm-a, hddm-w), or none; repeat for several.", (),
        many=True, check=named_texts, stands_for="adwin",
    )  # fmt: skip
    expire_after: int | None = _stream_option(
        "Number of further predictions after which a missing label is no longer awaited.", kind="whole",
        check=_checked_events,
        idle={"stream": "no effect where every row has its true label"},
    )  # fmt: skip
    # Where it is told.
    checkpoint: Path | None = target("File to save progress in and to resume from.", *STREAM)
    format: str | None = _option_with_default("format", "Format of the reports.", choices=FORMS, check=_checked_format)
    output: Path | None = target("File for the reports, one line each.", *STREAM)
    metrics: Path | None = target("File for the current measures, in Prometheus format.", *STREAM)
    port: int | None = _stream_option(
        "Serve the current measures at http://127.0.0.1:PORT/metrics; 0 picks a free port.",
        kind="whole",
        check=_checked_port,
    )
    html: Path | None = target("Also write a self-contained HTML page.", *STREAM)
    fail_on_alarm: bool = _stream_option(
        "Exit with status 1 after an alarm.", False, kind="flag", needs=OF_ALARMS,
        idle={"stream": "no effect without an alarm"},
    )  # fmt: skip
    quiet: bool = _stream_option("Do not report what was inferred.", False, kind="flag")

    def _refuse_contradictions(self) -> None:
        if self.reference is not None and self.reference_file is not None:
            raise OptionError(
                "reference and reference_file are both given", "only one of them", about=("reference", "reference_file")
            )
        if NO_DETECTOR in self.detector and len(self.detector) > 1:
            raise OptionError("detector names none and another detector", "only one of them", about="detector")

    @property
    def detectors_used(self) -> tuple[str, ...]:
        """The detectors by name, or the one that stands for them."""
        if not self.detector:
            return ("adwin",)
        return () if self.detector == (NO_DETECTOR,) else self.detector

    @property
    def settings(self) -> dict[str, Any]:
        """What decides numbers and how they are written: that stays what it was when a stream is taken up again."""
        return {name: value for name, value in self.given.items() if name not in AT_WILL}

    def used(self, name: str) -> Any:
        """The value of an option, or what stands for it."""
        value = getattr(self, name)
        return USUAL.get(name) if value is None else value

    def resumed(self, settings: Mapping[str, Any]) -> StreamRequest:
        """The same with the settings that a stream was left off with; another value of one of them is refused."""
        kept = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
        for name, value in self.settings.items():
            was = kept.get(name, USUAL.get(name, self.defaults()[name]))
            if value != was:
                found = f"{name} is {_shown(value)}, but the checkpoint was made with {_shown(was)}"
                raise OptionError(found, "the same value, or another checkpoint", about=name)
        return self.replace(kept)


def _shown(value: Any) -> str:
    return "none" if value in (None, ()) else ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
