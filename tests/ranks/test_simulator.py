"""The simulator behind the table of sizes: its rows are the committed ones, and they can fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from verification._pages import page

from verification import ranks

TABLE = Path(__file__).parents[2] / "docs" / "verification" / "ranks.md"


def test_the_committed_table_has_every_row_and_none_misses() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert text.count("| size |") == len(ranks.jobs(quick=False))
    assert "MISS" not in text
    assert ranks.SAID in text


def test_a_row_is_made_again_as_it_was_committed() -> None:
    for job in (("Nemenyi", 5, 10, False), ("Friedman", 3, 6, False)):
        (line,) = page("", "", ranks.run(job)).splitlines()[-1:]
        assert line in TABLE.read_text(encoding="utf-8")


def test_a_row_misses_where_the_catalogue_says_otherwise() -> None:
    (row,) = ranks.run(("Iman-Davenport", 5, 10, False))
    assert row.passes
    assert not replace(row, expected=0.9).passes
    assert not replace(row, coverage=0.9).passes
