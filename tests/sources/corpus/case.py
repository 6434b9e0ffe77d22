"""One file of the corpus: how it is written, what is typed, and the one right reading of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """A file that somebody hands over, and what has to come of it.

    `write` makes the file at a path, as the tool named in `by` writes it. `options` are typed beside the path. What is
    read rightly has `roles` (role to column, as the Read line names them; "not used" holds the columns left over) and
    `figures` (measure to value, worked out from the arrays and never by reading the file); what has to be refused has
    in `refused` a part of the sentence, and the paste test types the hint that follows it.
    """

    name: str
    by: str
    write: Callable[[Path], None]
    options: tuple[str, ...] = ()
    roles: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    refused: str | None = None
