"""Started and ended: options, a missing extra, work that takes its time, clients that stop sending."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request as StarletteRequest
from tests.web.asking import Bench
from tests.web.samples import eights
from tests.web.serving import serving, started

from assay.errors import UnknownName
from assay.report import render_html
from assay.request import ServeRequest
from assay.web import Workbench, evaluations, startup
from assay.web import server as receiving
from assay.web.server import Refused, received
from assay.web.workbench import Jobs

ABSENT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] == {library!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from assay.cli import main
sys.argv = ['assay', 'serve', {folder!r}, '--no-browser']
main()
"""


@pytest.mark.parametrize("library", ["uvicorn", "starlette", "python_multipart"])
def test_a_missing_extra_is_named_and_exits_with_69(tmp_path: Path, library: str) -> None:
    code = ABSENT.format(library=library, folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 69, done.stderr
    assert "pip install" in done.stderr
    assert "starlette" in done.stderr


def test_every_option_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Port, browser, packages and the cap reach what is served."""
    seen: dict[str, Any] = {}
    browsed = threading.Event()

    class Stopped:
        def __init__(self, config: Any) -> None:
            seen["config"] = config

        def run(self, sockets: Any) -> None:
            seen["port"] = sockets[0].getsockname()

    def made(folder: Path, **given: Any) -> Workbench:
        seen.update(given)
        return Workbench(folder, **given)

    monkeypatch.setattr("uvicorn.Server", Stopped)
    monkeypatch.setattr(startup, "Workbench", made)
    monkeypatch.setattr(startup, "_warm_up", lambda: None)
    monkeypatch.setattr("webbrowser.open", lambda link: browsed.set())
    said: list[str] = []
    startup.run(tmp_path, ServeRequest(allow=("mine",), upload="5MB"), said.append)
    assert browsed.wait(10)
    assert seen["allow"] == ("mine",)
    assert seen["upload"] == 5_000_000
    assert seen["port"][0] == "127.0.0.1"
    port = seen["port"][1]
    browsed.clear()
    startup.run(tmp_path, ServeRequest(port=port, no_browser=True), said.append)
    assert seen["port"] == ("127.0.0.1", port)
    assert not browsed.wait(0.3)
    assert re.search(rf"http://127\.0\.0\.1:{port}/\?token=", said[-2])


def test_it_ends_on_ctrl_c_with_a_reader_still_listening(tmp_path: Path) -> None:
    import signal
    import socket

    (tmp_path / "eights.csv").write_text(eights())
    server = started(tmp_path)
    server.come_in()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        server.process.send_signal(signal.SIGINT)
        server.process.communicate(timeout=20)
    assert server.process.returncode in (0, 130)


def test_work_is_done_once_and_told_while_it_is_done() -> None:
    from assay.sources import LISTENER

    jobs, go, done = Jobs(), threading.Event(), []

    def work() -> int:
        LISTENER.get()("counting rows")
        go.wait(10)
        done.append(1)
        return 7

    job = jobs.of(("a",), work)
    assert jobs.of(("a",), work) is job
    assert jobs.find(job.id) is job
    told = job.told()
    while next(told) != {"stage": "counting rows"}:
        pass
    go.set()
    assert list(told)[-1] == {"done": True}
    assert job.result() == 7
    assert done == [1]


def test_of_one_owner_only_the_last_result_is_kept() -> None:
    jobs = Jobs()
    first = jobs.of(("a", 1), lambda: 1, "mine")
    other = jobs.of(("b", 1), lambda: 2, "yours")
    assert (first.result(), other.result()) == (1, 2)
    last = jobs.of(("a", 2), lambda: 3, "mine")
    assert jobs.find(last.id) is last
    assert jobs.find(other.id) is other
    with pytest.raises(UnknownName):
        jobs.find(first.id)


def test_what_fails_for_no_lasting_reason_is_tried_again() -> None:
    jobs, tries = Jobs(), []

    def work() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("the disk was away")
        return 3

    with pytest.raises(OSError, match="away"):
        jobs.of(("a",), work).result()
    assert jobs.of(("a",), work).result() == 3


def test_whoever_waits_sees_how_far_it_is(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.sources import LISTENER

    held, go = render_html, threading.Event()

    def slow(*given: Any, **more: Any) -> str:
        LISTENER.get()("drawing")
        go.wait(20)
        return held(*given, **more)

    monkeypatch.setattr(evaluations, "render_html", slow)
    own = bench.opened("eights.csv")
    page = bench.get(f"/result/{own}")
    assert page.status == 202
    job = re.search(r'data-job="([^"]+)"', page.text)
    assert job is not None
    events = bench.get(job[1]).body
    assert not isinstance(events, str | bytes)
    first = next(events)
    assert json.loads(first.removeprefix(b"data: "))["stage"]
    go.set()
    assert b'"done": true' in list(events)[-1]
    assert bench.get(f"/result/{own}").status == 200


def test_the_events_of_a_job_come_over_the_wire(tmp_path: Path) -> None:
    (tmp_path / "eights.csv").write_text(eights())
    with serving(tmp_path) as server:
        said = server.ask("/api/jobs/nothing")
        assert said.status == 404
        assert json.loads(said.text)["error"]


@pytest.mark.parametrize("name", ["large.csv", "large.jsonl"])
def test_of_a_large_file_columns_are_looked_at_in_its_beginning(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rows = [{"target": k % 2, "score": k * 37 % 1000 / 1000} for k in range(5000)]
    lines = ["target,score", *(f"{row['target']},{row['score']}" for row in rows)]
    text = "\n".join(lines if name.endswith("csv") else map(json.dumps, rows)) + "\n"
    (bench.folder / name).write_text(text)
    monkeypatch.setattr(evaluations, "LARGE", 10_000)
    monkeypatch.setattr(evaluations, "LOOKED_AT", 8_000)
    page = bench.shown(f"/columns/{bench.opened(name)}")
    assert "the first" in page
    assert "the whole file is evaluated" in page
    assert "5,000 cases" in page


def test_rows_that_do_not_fit_into_memory_are_evaluated_where_they_lie(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = evaluations.request_of
    monkeypatch.setattr(evaluations, "request_of", lambda opened: held(opened).replace({"memory": "128kB"}))
    own = bench.opened("eights.csv")
    assert "iframe" in bench.shown(f"/result/{own}")
    said = bench.get(f"/api/result/{own}/rows?model=logistic")
    assert said.status == 422
    assert "without rows" in said.text


def test_who_stops_sending_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(receiving, "SECONDS", 0.05)

    async def receive() -> Any:
        await asyncio.sleep(60)

    headers = [(b"content-type", b"multipart/form-data; boundary=B"), (b"content-length", b"1000")]
    request = StarletteRequest({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)
    began = time.monotonic()
    # A thread of its own: where a browser runs in this one, so does a loop.
    with ThreadPoolExecutor(1) as thread, pytest.raises(Refused) as refused:
        thread.submit(lambda: asyncio.run(received(request, 10_000, tmp_path))).result()
    assert refused.value.status == 408
    assert time.monotonic() - began < 10
