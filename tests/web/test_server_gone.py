"""A server that goes away, is silent or comes back, and other windows, as a browser sees them."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

from tests.web.desks import Desk
from tests.web.samples import eights
from tests.web.serving import serving, started

SECONDS = 5.0


def notice(page: Any) -> str:
    return str(page.locator("[data-away]").inner_text())


def test_a_server_that_goes_away_is_shown_within_five_seconds_and_the_page_goes_on(
    browser: Any, tmp_path: Path
) -> None:
    (tmp_path / "eights.csv").write_text(eights())
    server = started(tmp_path)
    server.come_in()
    desk = Desk(browser, server)
    page = desk.home()
    page.get_by_label("A confusion matrix").fill("50 3 4 43")
    server.process.send_signal(signal.SIGKILL)
    server.process.communicate()
    began = time.monotonic()
    page.locator("[data-away]:not([hidden])").wait_for()
    assert time.monotonic() - began < SECONDS
    assert "does not respond. Start it again with: assay serve" in notice(page)
    again = started(tmp_path)
    assert again.port == server.port, "where it was, so that pages find it again"
    try:
        page.get_by_text("The workbench was started again. Open the link that it printed").wait_for()
        other = desk.window()
        other.goto(again.link)
        page.locator("[data-away][hidden]").wait_for(state="attached")
        assert page.get_by_label("A confusion matrix").input_value() == "50 3 4 43"
        page.get_by_role("button", name="eights.csv", exact=True).click()
        page.wait_for_url("**/columns/*")
    finally:
        desk.context.close()
        again.stop()


def test_a_server_that_is_silent_is_shown_too(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        desk = Desk(browser, server)
        page = desk.home()
        server.process.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            page.locator("[data-away]:not([hidden])").wait_for()
            assert time.monotonic() - began < SECONDS
        finally:
            server.process.send_signal(signal.SIGCONT)
        page.locator("[data-away][hidden]").wait_for(state="attached")
        desk.context.close()


def test_what_another_window_opens_appears_without_a_reload(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "eights.csv").write_text(eights())
    with serving(tmp_path) as server:
        desk = Desk(browser, server)
        page = desk.home()
        assert page.locator(".hist a").count() == 0
        other = desk.window()
        other.goto(server.root)
        other.get_by_role("button", name="eights.csv", exact=True).click()
        other.wait_for_url("**/columns/*")
        page.locator(".hist a", has_text="eights.csv").wait_for()
        desk.close()
