"""How often a law is tried on damaged input: always the same examples, or with ASSAY_FUZZ=N others, N times as many."""

from __future__ import annotations

import os

from hypothesis import settings

__all__ = ["fuzzed"]

TIMES = int(os.environ.get("ASSAY_FUZZ") or 0)


def fuzzed(examples: int) -> settings:
    """Settings for so many examples in everyday tests."""
    return settings(max_examples=examples * (TIMES or 1), deadline=None, derandomize=not TIMES, database=None)
