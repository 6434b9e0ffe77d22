"""How values from a user's data are shown in a sentence: quoted, escaped and short."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["WIDTH", "joined", "listed", "shown"]

WIDTH = 40


def shown(value: object) -> str:
    r"""A value as it can safely stand in a message, whatever it holds.

    >>> print(shown("spam"), shown("a\x1b[2J" + "x" * 99))
    'spam' 'a\x1b[2Jxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'
    """
    text = value if isinstance(value, str) else str(value)
    return repr(text) if len(text) <= WIDTH else repr(text[:WIDTH] + "...")


def listed(values: Sequence[object], most: int = 8) -> str:
    """Values in a row, cut after `most` with a count of the others.

    >>> listed(["a", "b"]), listed(range(12), most=3)
    ("'a', 'b'", "'0', '1', '2' and 9 more")
    """
    text = ", ".join(shown(value) for value in values[:most])
    return f"{text} and {len(values) - most:,} more" if len(values) > most else text


def joined(values: Sequence[object], word: str = "and") -> str:
    """Two or more values as one would say them.

    >>> joined(["ham", "spam"])
    "'ham' and 'spam'"
    """
    *first, last = [shown(value) for value in values]
    return f"{', '.join(first)} {word} {last}" if first else last
