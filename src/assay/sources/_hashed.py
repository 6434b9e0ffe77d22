"""Whole clusters put together by a hash that every engine computes alike: what rows that depend on one another need."""

from __future__ import annotations

from typing import Any

__all__ = ["GROUPS", "with_groups"]

# Groups of whole clusters are independent of one another as clusters are; so many tell a standard error to 3 %.
GROUPS = 512
# A Mersenne prime: squares of what is left of a division by it fit into 64 bits, and x^5 gives each number once.
PRIME = (1 << 31) - 1
LOW, HIGH, FIRST, SECOND = 48_271, 69_621, 1_013_904_223, 362_436_069


def with_groups(frame: Any, column: str) -> Any:
    """The frame with the group of each whole number in a column in its place.

    Engines' own hashes differ, and DuckDB's of several values are not independent. Two rounds of x^5 need nothing but
    multiplication and what is left of a division. Step by step, since not every engine sees what it computes twice.
    """
    import narwhals as nw

    x, low, square = nw.col(column), nw.col("hash_low"), nw.col("hash_square")
    frame = frame.with_columns(x.cast(nw.Int64)).with_columns(hash_low=_left(x))
    frame = frame.with_columns(_mixed(x, low).alias(column))
    for added in (0, SECOND):
        frame = frame.with_columns(((x + added) % PRIME).alias(column)) if added else frame
        frame = frame.with_columns(hash_square=x * x % PRIME)
        frame = frame.with_columns((square * square % PRIME * x % PRIME).alias(column))
    return frame.with_columns((x % GROUPS).alias(column)).drop("hash_low", "hash_square")


def _mixed(number: Any, low: Any) -> Any:
    import narwhals as nw

    # Divided without a rest, and as floating numbers: some engines do so anyway, and are far less than a half off.
    high = ((number - low) / PRIME).round().cast(nw.Int64)
    return (low * LOW + _left(high) * HIGH + FIRST) % PRIME


def _left(number: Any) -> Any:
    """What is left of a division, from 0 on: engines disagree about the sign of what is left of negative ones."""
    return (number % PRIME + PRIME) % PRIME
