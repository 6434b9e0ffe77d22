"""The workbench in a real browser, with hands on it and an ear for whatever goes wrong or leaves this machine."""

from __future__ import annotations

from typing import Any

from tests.web.serving import Server

COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; }"
DROP = """([name, text]) => { const held = new DataTransfer(); held.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true })); }"""
WAIT = 30_000


class Desk:
    """A window of the workbench, let in by the cookie that a link gave."""

    def __init__(self, browser: Any, server: Server, width: int = 1440, height: int = 900, **context: Any) -> None:
        self.server = server
        self.context = browser.new_context(viewport={"width": width, "height": height}, **context)
        name, value = server.cookie.split("=", 1)
        self.context.add_cookies([{"name": name, "value": value, "url": server.root}])
        self.complaints: list[str] = []
        self.page = self.window()

    def window(self) -> Any:
        """Another window of the same browser."""
        page, complain = self.context.new_page(), self.complaints.append
        page.on("console", lambda message: complain(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complain(f"error: {error}"))
        page.on("dialog", lambda dialog: complain(f"dialog: {dialog.message}"))
        page.on("request", lambda asked: None if self._is_own(asked.url) else complain(f"request: {asked.url}"))
        page.add_init_script(COPIES)
        page.set_default_timeout(WAIT)
        return page

    def _is_own(self, url: str) -> bool:
        return url.startswith((f"{self.server.root}/", "data:,", "blob:"))

    def home(self) -> Any:
        self.page.goto(f"{self.server.root}/")
        return self.page

    def drop(self, name: str, text: str) -> None:
        """Drop a file on the first screen, and wait for its columns."""
        self.home().evaluate(DROP, [name, text])
        self.page.wait_for_url("**/columns/*")
        self.page.wait_for_selector("table.cols")

    def report(self) -> Any:
        """The report in its frame, once it is alive."""
        self.page.wait_for_selector("iframe")
        frame = self.page.frame_locator("iframe")
        frame.locator("#controls").wait_for()
        return frame

    def open(self, name: str) -> Any:
        """The report of a file of the folder."""
        self.home().get_by_role("button", name=name, exact=True).click()
        self.page.wait_for_selector("table.cols")
        self.page.get_by_role("button", name="Evaluate").click()
        return self.report()

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []
