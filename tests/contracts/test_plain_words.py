"""Phrases that had to be read twice appear on no screen: the strings of modules, templates and scripts are searched."""

from __future__ import annotations

import re

import pytest
from docs.generate import pages
from docs.strings import shown_strings

# What was shown, and stays away; what is shown instead stands in the glossary (docs/words.md).
PHRASES = (
    "nobody chose the threshold",
    "is called as the truth is",
    "there is neither a score nor",
    "it is not said what",
    "as many of one as of the other",
    "not what to ask it",
    "no threshold parts",
    "called certain",
    "excludes what they say",
    "did not keep its level",
    "no misfit",
    "shown to be cheaper",
    "what has no range",
    "asks nothing of the network",
    "flatters?",
    "hand(ed|ing) on",
    "mean surprise",
    "coin of any bias",
    "called in columns",
    "held the truth",
    "what it says of",
    "uses it up",
    "put several sites together",
    "would be taken for what",
    "how many cases would tell",
    "misfits?",
    "rejection zone",
    "reject zone",
    "caseload",
    "dumb",
    "commonest",
    "these very cases",
    "for want of",
    "truth holds",
    "(was|is|are|were) called (positive|negative)",
    "without a word",
    "decided rightly",
    "surprise at",
    "always saying",
    "decided class",
    "knowing nothing",
    "were called negative",
    "cases called (negative|positive)",
)
SHOWN = [(place, text) for place, texts in shown_strings().items() for text in texts]
# What `explain` and `help()` show of measures, options, words and cautions is made of docstrings: their pages hold it.
SHOWN += [
    (name, line)
    for name in ("measures.md", "options.md", "words.md", "cautions.md")
    for line in pages()[name].splitlines()
]


def test_there_are_strings_to_search() -> None:
    assert len(SHOWN) > 5_000
    assert {"report", "cli", "web", "sources", "frontend"} <= {place.split("/")[0] for place, _ in SHOWN}


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_that_was_replaced_is_not_shown(phrase: str) -> None:
    pattern = re.compile(rf"\b{phrase}\b", re.IGNORECASE)
    assert [(place, text) for place, text in SHOWN if pattern.search(text)] == []
