"""Verdicts: which classifier is better, in words, and what that takes for granted."""

from __future__ import annotations

from assay.comparison import FRESH_CASES
from assay.report.blocks import Block, Heading, Sentence
from assay.report.sections._compared import Compared
from assay.report.words import tamed

__all__ = ["verdicts"]

# More pairs than this are read off the win matrix.
MOST_PAIRS = 10


def verdicts(compared: Compared) -> list[Block] | None:
    """A verdict for each pair, then once what all of them assume."""
    shown = compared.verdicts[:MOST_PAIRS]
    said = [Sentence(tamed(_in_one(verdict.words)), out=f"verdict-{k}") for k, verdict in enumerate(shown)]
    more = len(compared.verdicts) - len(shown)
    rest = [Sentence(f"And {more:,} more pairs: see who beats whom.")] if more else []
    assumed = Sentence(f"{compared.comparison.assumptions} {FRESH_CASES}")
    return [Heading("Which is better"), *said, *rest, assumed]


def _in_one(words: str) -> str:
    """The lines of a verdict as sentences in a row; that about fresh cases is said once for all.

    >>> _in_one(f"a is better than b.  Difference 0.1\\n{FRESH_CASES}")
    'a is better than b.  Difference 0.1.'
    """
    lines = [line for line in words.split("\n") if line != FRESH_CASES]
    return " ".join(line if line.endswith(".") else f"{line}." for line in lines)
