"""What is being done to rows that take their time: told to whoever listens."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

__all__ = ["LISTENER", "stage"]

# Nobody listens unless somebody says so: a library does not print.
LISTENER: ContextVar[Callable[[str], None]] = ContextVar("assay_progress", default=lambda said: None)


def stage(said: str) -> None:
    """Say what is done next; an empty text: nothing more."""
    LISTENER.get()(said)
