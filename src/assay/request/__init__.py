"""What a user asks for: every option once, checked once, used or refused by name."""

from assay.request.values import (
    checked_between,
    checked_choice,
    checked_level,
    checked_number,
    checked_positive,
    checked_seed,
    checked_threshold,
    checked_whole,
)

__all__ = [
    "checked_between",
    "checked_choice",
    "checked_level",
    "checked_number",
    "checked_positive",
    "checked_seed",
    "checked_threshold",
    "checked_whole",
]
