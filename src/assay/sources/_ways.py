"""What names and contents leave open, and every way to settle it, made of the source's own columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import InputError
from assay.sources._names import MEANING
from assay.sources._wording import joined

__all__ = ["Open", "Way", "which"]

# Choices that together settle something, and what they mean for this data.
Way = tuple[Mapping[str, Any], str]


class Open(InputError):
    """Something is open; each of `choices` settles it, though more may be open after that."""

    def __init__(self, found: str, needed: str, choices: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(found, needed, ways=[(choice, "") for choice in choices])
        self.choices = list(choices)


def which(role: str, found: Sequence[str]) -> str | None:
    """The one column that could play a role, if there is any; more than one are asked about."""
    if len(found) > 1:
        raise Open(
            f"{joined(found)} could each be the {MEANING[role]}", "which one", [{role: column} for column in found]
        )
    return found[0] if found else None
