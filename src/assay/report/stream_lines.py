"""What is known of a stream at a moment: a line of text or of JSON, cells of a table, and metrics for Prometheus."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from assay.results import Estimate, counted
from assay.text import bracketed, in_sentence, value_words, visible

if TYPE_CHECKING:
    from assay.streams import Moment, StreamWatch

__all__ = ["estimate_words", "measure_title", "moment_line", "prometheus_text", "view_title", "watched_cells"]

NOTHING = "-"
SCHEMA = "assay.moment/1"
# Since the start, with limits that hold however often they are looked at.
ERROR_RATE = "Error rate, anytime-valid"


def estimate_words(found: Estimate) -> str:
    """A value and its limits, as short as they can be said.

    >>> estimate_words(Estimate("accuracy", 0.83, 0.804, 0.853, 0.95, "Wilson", 1000))
    '0.830 [0.804, 0.853]'
    >>> estimate_words(Estimate("recall", math.nan, math.nan, math.nan, 0.95, "Wilson", 0, undefined="no positives"))
    '-'
    """
    return NOTHING if math.isnan(found.value) else f"{value_words(found)} {bracketed(found)}".rstrip()


def measure_title(name: str) -> str:
    """The title of a measure of a stream.

    >>> measure_title("roc_auc"), measure_title("kappa_temporal"), measure_title("error")
    ('ROC AUC', 'Kappa temporal', 'error')
    """
    from assay.measures import registry, registry_of_many
    from assay.streams.view import BASELINES

    for known in (registry, registry_of_many, BASELINES):
        if name in known:
            return known[name].title
    return name


def view_title(name: str) -> str:
    """A view of a stream in words.

    >>> view_title("cumulative"), view_title("sliding 1000"), view_title("sliding 60 s"), view_title("fading 0.99")
    ('since the start', 'last 1,000 events', 'last 60 s', 'fading 0.99')
    """
    kind, *rest = name.split(" ", 1)
    size = "".join(rest)
    words = f"{int(size):,} events" if size.isdecimal() else size
    titles = {"cumulative": "since the start", "sliding": f"last {words}", "tumbling": f"latest window of {words}"}
    return titles.get(kind, name)


def moment_line(moment: Moment, main: str, form: str) -> str:
    """A moment as one line: all of it as JSON, or as text the measures of the main view and what happened."""
    if form == "json":
        return json.dumps({"schema": SCHEMA, **moment.to_dict()}, ensure_ascii=True, allow_nan=False)
    found = moment.estimates[main].items()
    each = [f"{in_sentence(measure_title(name))} {estimate_words(estimate)}" for name, estimate in found]
    said = [counted(moment.events, "event"), f"{view_title(main)}: {', '.join(each)}"]
    said.append(f"{in_sentence(ERROR_RATE)} {estimate_words(moment.error)}")
    said += [f"change after {change.events:,} ({change.detector})" for change in moment.changes]
    return visible("; ".join([*said, *(["ALARM"] if moment.alarms else [])]))


def watched_cells(moment: Moment) -> list[list[str]]:
    """A row for each measure and a column for each view, the heads first, for a screen."""
    views = list(moment.estimates)
    names = dict.fromkeys(name for each in moment.estimates.values() for name in each)
    rows = [[measure_title(name), *(estimate_words(moment.estimates[view][name]) for view in views)] for name in names]
    every = [ERROR_RATE, estimate_words(moment.error), *[""] * (len(views) - 1)]
    return [[visible(cell) for cell in row] for row in (["Measure", *map(view_title, views)], *rows, every)]


def prometheus_text(watch: StreamWatch, moment: Moment, lines_left_out: int) -> str:
    """A moment as Prometheus reads it: what cannot be computed is NaN, and every limit is a metric of its own.

    The format is that of version 0.0.4 of the text exposition.
    """
    parts: list[str] = []
    for name, kind, meaning, values in _prometheus_metrics(watch, moment, lines_left_out):
        parts += [f"# HELP assay_stream_{name} {meaning}", f"# TYPE assay_stream_{name} {kind}"]
        parts += [
            f"assay_stream_{name}{_prometheus_labels(labels)} {_formatted_number(value)}" for labels, value in values
        ]
    return "\n".join(parts) + "\n"


Samples = list[tuple[dict[str, str], float]]


def _prometheus_metrics(watch: StreamWatch, moment: Moment, left_out: int) -> Iterator[tuple[str, str, str, Samples]]:
    labels = watch.run.labels
    changes = Counter(change.detector for change in watch.changes)
    plain: dict[str, tuple[str, str, float]] = {
        "events_total": ("counter", "Labelled events evaluated.", moment.events),
        "lines_left_out_total": ("counter", "Lines left out as invalid.", left_out),
        "labels_waiting": ("gauge", "Predictions without a label yet.", labels.waiting),
        "labels_expired_total": ("counter", "Predictions whose label did not arrive in time.", labels.expired),
        "alarms_ringing": ("gauge", "Active alarms.", len(moment.alarms)),
    }
    for name, (kind, meaning, value) in plain.items():
        yield name, kind, meaning, [({}, float(value))]
    yield (
        "changes_total",
        "counter",
        "Changes detected.",
        [({"detector": name}, float(changes[name])) for name in watch.detectors],
    )
    limits = {"": "value", "_low": "low", "_high": "high"}
    for suffix, part in limits.items():
        words = "" if part == "value" else f", its {part}er limit" if part == "low" else ", its upper limit"
        yield (
            f"measure{suffix}",
            "gauge",
            f"A measure of a view{words}, valid at a single time point.",
            [
                ({"view": view, "measure": name}, float(getattr(found, part)))
                for view, each in moment.estimates.items()
                for name, found in each.items()
            ],
        )
        yield (
            f"error_rate{suffix}",
            "gauge",
            f"The error since the start{words}, anytime-valid.",
            [({}, float(getattr(moment.error, part)))],
        )


def _prometheus_labels(labels: Mapping[str, str]) -> str:
    """Labels as they stand beside a name, with what would end them escaped.

    >>> _prometheus_labels({"view": 'a"b\\\\c'}), _prometheus_labels({})
    ('{view="a\\\\"b\\\\\\\\c"}', '')
    """
    said = ",".join(f'{name}="{_escaped_label(value)}"' for name, value in labels.items())
    return f"{{{said}}}" if said else ""


def _escaped_label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _formatted_number(value: float) -> str:
    if math.isfinite(value):
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
