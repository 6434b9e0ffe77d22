"""Measures that live in a file of their own but belong to a family named after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assay.measures._measure import Measure


def in_family(family: str) -> Callable[[Measure], Measure]:
    """Puts a measure into the family it is listed under."""

    def put(measure: Measure) -> Measure:
        return replace(measure, family=family)

    return put
