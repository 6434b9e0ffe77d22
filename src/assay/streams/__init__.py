"""Streams: events judged as they come, limits that hold at every look, alarms that stay honest, and drift."""

from assay.streams import drift
from assay.streams.alarms import Alarm, ArrivingPairs, ChangeAlarm, FadedMcNemar
from assay.streams.comparison import Rivals, rivals
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
    "Prequential",
    "Rivals",
    "StreamWatch",
    "View",
    "ViewSpec",
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
    "rivals",
    "sliding",
    "tumbling",
    "watch",
]
