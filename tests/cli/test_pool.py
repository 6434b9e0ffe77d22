"""`assay pool`: one file with a column of sites or a file a site, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run


@pytest.fixture
def site_files(tmp_path: Path) -> list[str]:
    """Four sites, each a file, and all of them in one."""
    rng = np.random.default_rng(8)
    lines = []
    for site in ("north", "south", "east", "west"):
        truth = (rng.random(90) < 0.4).astype(int)
        score = 1 / (1 + np.exp(-rng.normal(2 * truth - 1, 1)))
        own = [f"{y},{s:.6f}" for y, s in zip(truth, score, strict=True)]
        (tmp_path / f"{site}.csv").write_text("\n".join(["y_true,score", *own, ""]))
        lines += [f"{line},{site}" for line in own]
    (tmp_path / "all.csv").write_text("\n".join(["y_true,score,hospital", *lines, ""]))
    return [f"{site}.csv" for site in ("north", "south", "east", "west")]


def test_a_file_a_site_says_the_same_as_a_column(run: Run, site_files: list[str]) -> None:
    apart, together = run("pool", *site_files, "--json"), run("pool", "all.csv", "--by", "hospital", "--json")
    one, other = json.loads(apart.out), json.loads(together.out)
    # A column's sites come in the order of their names.
    assert one["summary"]["estimate"]["value"] == pytest.approx(other["summary"]["estimate"]["value"], rel=1e-12)
    assert one["summary"]["on_scale"] == pytest.approx(other["summary"]["on_scale"], rel=1e-9)
    assert {name: site["estimate"] for name, site in one["sites"].items()} == {
        name: site["estimate"] for name, site in other["sites"].items()
    }
    assert (one["by"], other["by"]) == (None, "hospital")
    assert apart.err.count("Read ") == 4


def test_the_sites_come_first_in_every_format(run: Run, site_files: list[str]) -> None:
    for form in ("table", "markdown", "latex", "csv"):
        out = run("pool", *site_files, "--format", form, "--quiet").out
        assert out.index("north") < out.index("mean of sites" if form != "table" else "Q-profile"), form
    rows = list(csv.reader(io.StringIO(out)))
    assert any("mean of sites" in row for row in rows)


def test_page_and_picture(run: Run, site_files: list[str], tmp_path: Path) -> None:
    outcome = run("pool", *site_files, "--html", "page.html", "--svg", "forest.svg", "--measure", "recall")
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "forest.svg").read_text().startswith("<svg")
    page = (tmp_path / "page.html").read_text()
    assert "assay pool north.csv south.csv east.csv west.csv" in page
    # No mean before the sites: not in the title either.
    title, sites = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL), page.index(">Site<")
    assert title is not None
    assert re.sub(r"\s+", " ", title[1]).startswith("Recall from 0.")
    assert sites < page.index("over 4")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("all.csv",), "type --by site"),
        (("north.csv", "south.csv", "--by", "hospital"), "--by does not apply to several files"),
        (("all.csv", "--by", "hospital", "--method", "fixed", "--limits", "hartung-knapp"), "all others are for sites"),
        (("all.csv", "--by", "hospital", "--measure", "recall", "--measure", "f1", "--svg", "x.svg"), "one measure"),
        (("all.csv", "--by", "hospital", "--measure", "ks"), "Smirnov"),
    ],
)
def test_what_is_refused(run: Run, site_files: list[str], arguments: tuple[str, ...], words: str) -> None:
    outcome = run("pool", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err


def test_merged_evidence_is_pooled_by_its_parts(run: Run, site_files: list[str]) -> None:
    for file in site_files:
        run("reduce", file, "-o", file.replace(".csv", ".evidence"))
    run("merge", *(file.replace(".csv", ".evidence") for file in site_files), "-o", "all.evidence")
    merged, rows = run("pool", "all.evidence", "--json"), run("pool", *site_files, "--json")
    found, known = json.loads(merged.out)["summary"], json.loads(rows.out)["summary"]
    assert set(found["sites"]) == {"north", "south", "east", "west"}
    assert found["on_scale"] == pytest.approx(known["on_scale"], rel=1e-3)
    assert "by does not apply to" in run("pool", "all.evidence", "--by", "hospital").err
    assert "only one file is given" in run("pool", "north.evidence").err


def test_what_cells_leave_open_stands_beside_each_site(run: Run, site_files: list[str], tmp_path: Path) -> None:
    for name in site_files:
        assert run("reduce", name, "--bits", "0", "-o", name.replace(".csv", ".evidence")).code == 0
    outcome = run("pool", *(name.replace(".csv", ".evidence") for name in site_files), "--html", "page.html")
    assert outcome.code == 0, outcome.err
    bounds = re.findall(r"\d\.\d+ to \d\.\d+", outcome.out[: outcome.out.index("west") + 200])
    page = re.sub(r"\u2060|&nbsp;|\u00a0", "", (tmp_path / "page.html").read_text())
    table = re.sub(r"<[^>]+>", " ", page[page.index(">Site<") : page.index("Forest plot</h2>")])
    assert "binned" in table
    assert len(bounds) >= 4
    assert all(re.search(r"\s*to\s*".join(words.split(" to ")), table) for words in bounds[:4])
