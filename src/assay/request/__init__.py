"""What a user asks for: every option once, checked once, used or refused by name."""

from assay.request.card import CARD_FIELDS, CARD_SAID, Card, checked_card
from assay.request.following import StreamRequest
from assay.request.front import front_door, usual_floats
from assay.request.memory import doubled, memory_bytes
from assay.request.models import ModelRequest, PredictionsRequest
from assay.request.option import Asked, Option, named_texts, option, unknown_option
from assay.request.others import CurveRequest, PlanRequest, RankRequest, StudyRequest
from assay.request.pooling import PoolRequest
from assay.request.reducing import MergeRequest, ReduceRequest
from assay.request.request import (
    DEFAULT_LEVEL,
    DEFAULT_SEED,
    SOURCES,
    ColumnsOptions,
    CompareOptions,
    EvaluateOptions,
    GateOptions,
    ReduceOptions,
    Request,
)
from assay.request.serving import ServeRequest
from assay.request.values import (
    checked_between,
    checked_choice,
    checked_flag,
    checked_level,
    checked_names,
    checked_number,
    checked_numbers,
    checked_positive,
    checked_seed,
    checked_text,
    checked_threshold,
    checked_whole,
)

__all__ = [
    "CARD_FIELDS",
    "CARD_SAID",
    "DEFAULT_LEVEL",
    "DEFAULT_SEED",
    "SOURCES",
    "Asked",
    "Card",
    "ColumnsOptions",
    "CompareOptions",
    "CurveRequest",
    "EvaluateOptions",
    "GateOptions",
    "MergeRequest",
    "ModelRequest",
    "Option",
    "PlanRequest",
    "PoolRequest",
    "PredictionsRequest",
    "RankRequest",
    "ReduceOptions",
    "ReduceRequest",
    "Request",
    "ServeRequest",
    "StreamRequest",
    "StudyRequest",
    "checked_between",
    "checked_card",
    "checked_choice",
    "checked_flag",
    "checked_level",
    "checked_names",
    "checked_number",
    "checked_numbers",
    "checked_positive",
    "checked_seed",
    "checked_text",
    "checked_threshold",
    "checked_whole",
    "doubled",
    "front_door",
    "memory_bytes",
    "named_texts",
    "option",
    "unknown_option",
    "usual_floats",
]
