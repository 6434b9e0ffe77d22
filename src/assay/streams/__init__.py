"""Streams: events judged as they come, limits that hold at every look, alarms that stay honest, and drift."""

from assay.streams import drift
from assay.streams.alarms import Alarm
from assay.streams.changes import ChangeAlarm, FadedMcNemar
from assay.streams.delayed import Labels
from assay.streams.detections import Detections, detections
from assay.streams.driving import Distributed, distributed, interleaved, periodic_holdout
from assay.streams.moment import Change, Moment
from assay.streams.pairs import ArrivingPairs
from assay.streams.prequential import prequential, resume
from assay.streams.rivals import Rivals, rivals
from assay.streams.run import Prequential
from assay.streams.view import View
from assay.streams.views import ViewSpec, cumulative, fading, sliding, tumbling
from assay.streams.watch import StreamWatch, resume_watch, watch

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
