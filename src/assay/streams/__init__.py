"""Streams: events judged as they come, limits that hold at every look, alarms that stay honest, and drift."""

from typing import TYPE_CHECKING

from assay.deprecated import renamed_names
from assay.streams import drift
from assay.streams.alarms import Alarm, ArrivingPairs, ChangeAlarm, FadedMcNemar
from assay.streams.comparison import PairedStream, compare
from assay.streams.delayed_labels import Labels
from assay.streams.drift import Detections, detections
from assay.streams.online_learning import Distributed, distributed, interleaved, periodic_holdout
from assay.streams.prequential import Prequential, prequential, resume
from assay.streams.view import View
from assay.streams.watch import Change, Moment, StreamWatch, resume_watch, watch
from assay.streams.windows import ViewSpec, cumulative, fading, sliding, tumbling

__all__ = [
    "Alarm",
    "ArrivingPairs",
    "Change",
    "ChangeAlarm",
    "Detections",
    "Distributed",
    "FadedMcNemar",
    "Labels",
    "Moment",
    "PairedStream",
    "Prequential",
    "StreamWatch",
    "View",
    "ViewSpec",
    "compare",
    "cumulative",
    "detections",
    "distributed",
    "drift",
    "fading",
    "interleaved",
    "periodic_holdout",
    "prequential",
    "resume",
    "resume_watch",
    "sliding",
    "tumbling",
    "watch",
]

if not TYPE_CHECKING:  # a type checker would take any name for a name of the package
    __getattr__ = renamed_names(__name__)
