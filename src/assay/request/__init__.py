"""What a user asks for: every option once, checked once, used or refused by name."""

from assay.request.following import StreamRequest
from assay.request.front import front_door
from assay.request.option import Asked, Option, named_texts, option, unknown_option
from assay.request.others import CurveRequest, PlanRequest, RankRequest, StudyRequest
from assay.request.request import DEFAULT_LEVEL, DEFAULT_SEED, SOURCES, Request
from assay.request.values import (
    checked_between,
    checked_choice,
    checked_flag,
    checked_level,
    checked_number,
    checked_positive,
    checked_seed,
    checked_text,
    checked_threshold,
    checked_whole,
)

__all__ = [
    "DEFAULT_LEVEL",
    "DEFAULT_SEED",
    "SOURCES",
    "Asked",
    "CurveRequest",
    "Option",
    "PlanRequest",
    "RankRequest",
    "Request",
    "StreamRequest",
    "StudyRequest",
    "checked_between",
    "checked_choice",
    "checked_flag",
    "checked_level",
    "checked_number",
    "checked_positive",
    "checked_seed",
    "checked_text",
    "checked_threshold",
    "checked_whole",
    "front_door",
    "named_texts",
    "option",
    "unknown_option",
]
