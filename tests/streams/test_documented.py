"""What the documentation says of streams is what was found."""

from __future__ import annotations

import re
from pathlib import Path

from assay.streams import drift
from assay.streams.prequential import MOST_SCORES
from assay.streams.watch import MOST_MOMENTS

DOCS = Path(__file__).parents[2] / "docs"


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if line[:2] == "| "]


def test_rates_are_those_of_the_simulation() -> None:
    said = (DOCS / "streams.md").read_text(encoding="utf-8")
    named = rows(said[said.index("| alarm | stream |") : said.index("Where errors cling")])[1:]
    published = (DOCS / "verification" / "streams.md").read_text(encoding="utf-8")
    first = published[published.index("## How often an alarm rings falsely") :].split("\n## ")[0]
    found = {(row[0], row[1]): (row[3], row[5]) for row in rows(first)[2:]}
    assert len(named) == 9
    assert [found[alarm, stream] for alarm, stream, _, _ in named] == [(rate, bar) for _, _, rate, bar in named]


def test_sizes_and_names_are_those_of_the_code() -> None:
    said = (DOCS / "streams.md").read_text(encoding="utf-8")
    assert f"up to {MOST_SCORES:,} different scores" in said
    assert f"fewer than {MOST_MOMENTS} moments" in said
    listed = re.search(r"## Drift detectors\n\n(.*?), by name", said, re.S)
    assert listed is not None
    assert re.findall("`([^`]+)`", listed[1]) == list(drift.DETECTORS)
