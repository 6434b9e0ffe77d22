"""The pictures of the workbench in the documents, beside what it looks like. ASSAY_SNAPSHOTS=write takes them anew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.report.test_looks import SCALE, Boxes, differences, grey
from tests.web.desks import Desk
from tests.web.samples import eights
from tests.web.serving import Server, serving

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
# What is another one every time: the folder, the port.
VARIES = (
    "() => document.querySelectorAll('.foot, #in-folder + .sub').forEach(one => { one.style.visibility = 'hidden'; })"
)


@pytest.fixture(scope="module")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server on a folder with one file."""
    folder = tmp_path_factory.mktemp("pictures")
    (folder / "eights.csv").write_text(eights())
    with serving(folder) as running:
        yield running


def taken(desk: Desk, name: str) -> bytes:
    """A screen, once it is there."""
    if name == "open":
        desk.home()
    elif name == "columns":
        desk.home().get_by_role("button", name="eights.csv", exact=True).click()
        desk.page.wait_for_selector("table.cols")
    else:
        report = desk.open("eights.csv")
        page = desk.page
        page.get_by_label("False positive").fill("1")
        page.get_by_label("False negative").fill("10")
        page.get_by_role("button", name="Find the threshold").click()
        report.locator("output[data-out=ratio]").get_by_text("10 : 1").wait_for()
        report.locator("#confusion .matrix").first.locator("button.to-rows").nth(1).click()
        page.locator(".rws td").first.wait_for()
        page.locator("[data-studio]").evaluate("studio => { studio.scrollTop = 0; }")
        page.wait_for_timeout(300)
    desk.page.evaluate(VARIES)
    picture: bytes = desk.page.screenshot()
    return picture


def test_the_documents_show_the_workbench(browser: Any, tidy: Server) -> None:
    desk = Desk(browser, tidy)
    whole: Boxes = {"page": [0.0, 0.0, 1440 / SCALE, 900 / SCALE]}
    for name in ("open", "columns", "result"):
        kept, seen = PICTURES / f"workbench-{name}.png", taken(desk, name)
        if os.environ.get("ASSAY_SNAPSHOTS") == "write":
            kept.write_bytes(seen)
        assert differences((grey(kept.read_bytes()), whole), (grey(seen), whole)) == [], name
    desk.page.evaluate("() => document.querySelector('.studio').remove()")
    assert differences((grey(kept.read_bytes()), whole), (grey(desk.page.screenshot()), whole)) != []
    desk.close()
