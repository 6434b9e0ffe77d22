"""Streams: evaluation that never stops, limits that hold at every look, alarms, and drift."""

from assay.streams import drift
from assay.streams.alarms import Alarm
from assay.streams.changes import ChangeAlarm, FadedMcNemar
from assay.streams.detections import Detections, detections
from assay.streams.pairs import ArrivingPairs

__all__ = [
    "Alarm",
    "ArrivingPairs",
    "ChangeAlarm",
    "Detections",
    "FadedMcNemar",
    "detections",
    "drift",
]
