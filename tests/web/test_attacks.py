"""Attacks over the wire: paths, links, uploads, slow and many clients, names that want to be markup."""

from __future__ import annotations

import ast
import contextlib
import html
import io
import json
import os
import re
import signal
import socket
import sqlite3
import threading
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.web.asking import Bench
from tests.web.samples import eights
from tests.web.serving import Said, Server, serving, started

import assay
from assay.web import Workbench
from assay.web.workbench import LIBRARY

BOUNDARY = "frontier"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PARTED = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
CAP = 2_000_000


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that takes little."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "eights.csv").write_text(eights())
    with serving(folder, "--upload", "2MB") as running:
        yield running


def parted(name: str, data: bytes) -> bytes:
    """A file as a browser sends it."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()


def post(server: Server, path: str, **form: str) -> Said:
    return server.ask(path, "POST", urlencode(form).encode(), FORM)


def left_over(server: Server) -> list[str]:
    """What lies in the folder that nobody opened."""
    return [path.name for path in server.folder.iterdir() if path.name.startswith(".assay")]


def raw(server: Server, sent: bytes, seconds: float = 20.0) -> bytes:
    """What comes back for bytes as they are."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as line:
        line.sendall(sent)
        found = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while chunk := line.recv(65536):
                found += chunk
                if b"\r\n\r\n" in found:
                    break
        return found


def head(server: Server, method: str, path: str, **headers: str) -> bytes:
    own = {"Host": f"127.0.0.1:{server.port}", "Cookie": server.cookie, "Origin": server.root, **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in own.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


# Paths and links.


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv", "../../../../etc/passwd", "/etc/passwd", "uploads/../../secret.csv", "..\\secret.csv",
        "link.csv", "linked/secret.csv", "self", ".", "", "eights.csv\0.png", "a" * 5000,
        "assay-workbench.sqlite", ".hidden.csv", "pipe", "file:///etc/passwd", "http://127.0.0.1/x.csv", "*.csv", "-",
    ],
)  # fmt: skip
def test_only_files_of_the_folder_open(server: Server, name: str) -> None:
    folder = server.folder
    secret = folder.parent / "secret.csv"
    secret.write_text("target,score\n1,0.5\n0,0.2\n")
    (folder / ".hidden.csv").write_text("target,score\n1,0.5\n")
    for link, target in (("link.csv", secret), ("linked", folder.parent), ("self", folder)):
        if not (folder / link).is_symlink():
            (folder / link).symlink_to(target)
    if not (folder / "pipe").exists():
        os.mkfifo(folder / "pipe")
    said = post(server, "/open", name=name)
    assert said.status == 422
    assert "not in the served folder" in said.text
    assert "internal error" not in said.text
    assert "secret" not in server.ask("/").text


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/result/..%2f..%2fetc", "/columns/%00",
        "/session.py/../x", "/.git/config", "/api/result/%ff/rows", "/%", "/result//page", "/static/../../x",
    ],
)  # fmt: skip
def test_addresses_lead_nowhere_else(server: Server, path: str) -> None:
    said = server.ask(path)
    assert said.status in (400, 404)
    assert b"root:" not in said.body


def test_a_link_made_after_opening_leads_nowhere(server: Server) -> None:
    (server.folder / "turned.csv").write_text(eights())
    own = post(server, "/open", name="turned.csv").headers["location"].rsplit("/", 1)[-1]
    secret = server.folder.parent / "turned-secret.csv"
    secret.write_text("target,score\n1,0.5\n0,0.2\n")
    (server.folder / "turned.csv").unlink()
    (server.folder / "turned.csv").symlink_to(secret)
    for path in (f"/columns/{own}", f"/result/{own}", f"/result/{own}/page"):
        said = server.ask(path)
        assert said.status == 422
        assert "not in the served folder" in said.text


# Uploads.


def test_ten_gigabytes_are_refused_before_they_come(small: Server) -> None:
    began = time.monotonic()
    said = raw(
        small, head(small, "POST", "/upload", Content_Length=str(10**10), **{"Content-Type": PARTED["Content-Type"]})
    )
    assert b" 413 " in said.split(b"\r\n")[0]
    assert time.monotonic() - began < 5
    assert left_over(small) == []


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "٣"])
def test_lengths_that_are_none_are_refused(small: Server, length: str) -> None:
    said = raw(small, head(small, "POST", "/upload", Content_Length=length, **PARTED))
    assert said.split(b" ")[1] in (b"400", b"413")


def test_what_claims_nothing_is_counted_as_it_comes(small: Server) -> None:
    """In pieces without a length, far over the cap: it is refused on the way, and nothing stays."""
    start = parted("big.csv", b"")[: -len(f"\r\n--{BOUNDARY}--\r\n")]
    begin = head(small, "POST", "/upload", Transfer_Encoding="chunked", **PARTED)
    sent = 0
    with socket.create_connection(("127.0.0.1", small.port), timeout=20) as line:
        line.sendall(begin + f"{len(start):x}\r\n".encode() + start + b"\r\n")
        piece = b"1,0.5\n" * 50_000
        with contextlib.suppress(ConnectionError):
            for _ in range(200):
                line.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                sent += len(piece)
        answer = b""
        with contextlib.suppress(ConnectionError):
            answer = line.recv(4096)
    assert answer == b"" or b" 413 " in answer.split(b"\r\n")[0]
    assert sent < 200 * len(piece) or b" 413 " in answer
    assert left_over(small) == []
    assert not any(path.name.startswith("big") for path in small.folder.rglob("*"))
    assert small.ask("/").status == 200


def test_a_file_just_under_the_cap_is_taken_and_one_over_it_not(small: Server) -> None:
    rows = "target,score\n" + "1,0.5\n0,0.25\n" * 200_000
    whole = len(parted("fits.csv", b""))
    for size, status in ((CAP - whole, 303), (CAP - whole + 1, 413)):
        assert small.ask("/upload", "POST", parted("fits.csv", rows.encode()[:size]), PARTED).status == status


@pytest.mark.parametrize(
    "body",
    [
        b"", b"--frontier", parted("a.csv", b"y,p\n")[:-10], b"--frontier\r\n\r\nnameless\r\n--frontier--\r\n",
        b'--frontier\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' * 500 + b"--frontier--\r\n",
        parted("a.csv", b"y").replace(b'name="file"', b'name="\xff"'), parted("", b"y,p\n1,0.5\n"),
    ],
)  # fmt: skip
def test_forms_that_are_none_are_refused(small: Server, body: bytes) -> None:
    said = small.ask("/upload", "POST", body, PARTED)
    assert said.status in (400, 422)
    assert b"bug" not in said.body
    assert left_over(small) == []


def test_a_form_without_an_end_holds_no_memory(small: Server) -> None:
    field = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n'.encode() + b"x" * (CAP - 200)
    assert small.ask("/upload", "POST", field, PARTED).status in (400, 413)
    assert small.ask("/open", "POST", b"name=" + b"x" * 9_000_000, FORM).status == 413
    assert (
        small.ask("/api/result/x/threshold", "POST", b"[" * 200_000, {"Content-Type": "application/json"}).status == 400
    )
    assert small.ask("/open", "POST", b"{}", {"Content-Type": "text/plain"}).status == 415


def test_an_archive_that_unpacks_without_end_is_refused(server: Server) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("bomb.csv", "w") as file:
        file.write(b"target,score\n")
        for _ in range(2_000):
            file.write(b"0" * 1_000_000)
    assert len(packed.getvalue()) < 5_000_000
    said = server.ask("/upload", "POST", parted("bomb.zip", packed.getvalue()), PARTED)
    assert 400 <= said.status < 500
    assert "unpacks to more than" in said.text
    assert "bug" not in said.text
    assert not list(server.folder.rglob("bomb*"))
    with Path(f"/proc/{server.process.pid}/status").open() as facts:
        peak = next(int(line.split()[1]) for line in facts if line.startswith("VmHWM"))
    assert peak < 2_000_000  # kB


def test_a_pickle_is_never_read(server: Server) -> None:
    data = b"\x80\x04\x95\x1e\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."
    said = server.ask("/upload", "POST", parted("model.pkl", data), PARTED)
    assert 400 <= said.status < 500
    assert "pickle" in said.text
    assert not list(server.folder.rglob("model*"))


# Clients that are slow, or many.


def test_slow_clients_keep_nobody_waiting(server: Server) -> None:
    with contextlib.ExitStack() as lines:
        for k in range(60):
            line = lines.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            if k % 2:
                line.sendall(b"GET / HTTP/1.1\r\nHost: 127")
            else:
                line.sendall(head(server, "POST", "/upload", Content_Length="1000000", **PARTED) + b"--front")
        began = time.monotonic()
        assert server.ask("/").status == 200
        assert time.monotonic() - began < 5


def test_two_hundred_at_once_are_all_answered(server: Server) -> None:
    own = post(server, "/open", name="eights.csv").headers["location"].rsplit("/", 1)[-1]
    while server.ask(f"/result/{own}").status == 202:
        pass
    paths = ["/", f"/result/{own}", f"/api/result/{own}/rows?model=logistic&truth=1&called=0", "/session.py"] * 50

    def ask(path: str) -> int:
        for _ in range(20):
            said = server.ask(path).status
            if said != 202:
                return said
        return 0

    with ThreadPoolExecutor(200) as threads:
        assert set(threads.map(ask, paths)) == {200}


def test_two_windows_change_the_same_and_nothing_is_lost(server: Server) -> None:
    own = post(server, "/open", name="eights.csv").headers["location"].rsplit("/", 1)[-1]

    def change(k: int) -> int:
        return post(server, f"/result/{own}/by", by="ink" if k % 2 else "").status

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(change, range(24))) == {303}
    assert server.ask(f"/columns/{own}").status in (200, 202)
    post(server, f"/result/{own}/by", by="")


# Names that want to be something else.

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}",
    "</script><b>",
    "x' onload='y",
    "\u202egnp",
]


def test_hostile_names_are_text_everywhere(server: Server) -> None:
    name = f"a{HOSTILE[0].replace('/', '')}.csv"
    columns = ["target", *(f"score__{text.replace(',', '')}" for text in HOSTILE), HOSTILE[1]]
    lines = [f"{k % 2}" + f",{k * 37 % 100 / 100}" * len(HOSTILE) + f",{HOSTILE[k % 3]}" for k in range(120)]
    text = "\n".join([",".join(f'"{column.replace(chr(34), chr(34) * 2)}"' for column in columns), *(
        line.rsplit(",", 1)[0] + ',"' + line.rsplit(",", 1)[1].replace('"', '""') + '"' for line in lines
    ), ""])  # fmt: skip
    (server.folder / name).write_text(text)
    own = post(server, "/open", name=name).headers["location"].rsplit("/", 1)[-1]
    post(server, f"/result/{own}/by", by=HOSTILE[1])
    pages = []
    for path in ("/", f"/columns/{own}", f"/result/{own}", f"/result/{own}/page"):
        said = server.ask(path)
        while said.status == 202:
            said = server.ask(path)
        assert said.status == 200, re.findall(r'role="alert">(.*?)<', said.text)
        pages.append(said.text)
    for page in pages:
        body = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
        assert "<script" not in body
        assert "<img" not in body
        assert "onload='" not in body
        assert ">49<" not in body
        assert "\u202e" not in page or "&#" in page
    model = quote(f"{HOSTILE[0]}")
    found = json.loads(server.ask(f"/api/result/{own}/rows?model={model}&truth=1&called=0").text)
    assert found["total"] > 0
    (server.folder / name).unlink()


@pytest.mark.parametrize("name", ["a\r\nSet-Cookie: x=1.csv", "ü\u202e.csv", "con'\";.csv", "%0d%0aX: y.csv"])
def test_names_never_reach_headers(server: Server, name: str) -> None:
    (server.folder / name).write_text(eights())
    own = post(server, "/open", name=name).headers["location"].rsplit("/", 1)[-1]
    said = server.ask(f"/result/{own}/save/report.html")
    assert said.status == 200
    assert re.fullmatch(r'attachment; filename="[\w.-]+"', said.headers["content-disposition"])
    assert "x=1" not in str(said.headers)
    (server.folder / name).unlink()


@pytest.mark.parametrize("method", ["TRACE", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"])
def test_other_methods_mean_nothing(server: Server, method: str) -> None:
    assert server.ask("/", method).status in (400, 404, 405)


# This machine alone.


def sockets(pid: int) -> list[tuple[str, str, str]]:
    """The TCP sockets of a process: address here, address there, state, all in hexadecimal."""
    own = {str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            cells = line.split()
            if f"socket:[{cells[9]}]" in own:
                found.append((cells[1], cells[2], cells[3]))
    return found


def test_it_listens_on_loopback_alone_and_calls_nobody(server: Server) -> None:
    found = sockets(server.process.pid)
    here = "0100007F"
    assert [one for one in found if one[2] == "0A"] == [(f"{here}:{server.port:04X}", "00000000:0000", "0A")]
    assert {one[1].split(":")[0] for one in found if one[2] != "0A"} <= {here}


def test_a_port_that_is_taken_is_refused(server: Server) -> None:
    import subprocess
    import sys

    line = [sys.executable, "-m", "assay", "serve", str(server.folder), "--no-browser", "--port", str(server.port)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert f"--port {server.port} cannot be used" in done.stderr


# Killed.


@pytest.mark.engines
def test_killed_in_the_middle_of_an_upload_nothing_half_is_there(tmp_path: Path) -> None:
    (tmp_path / "eights.csv").write_text(eights())
    server = started(tmp_path)
    server.come_in()
    own = post(server, "/open", name="eights.csv").headers["location"]
    line = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    line.sendall(head(server, "POST", "/upload", Content_Length="50000000", **PARTED) + parted("half.csv", b"")[:90])
    pump = threading.Thread(target=_pumped, args=(line,), daemon=True)
    pump.start()
    while not list(tmp_path.glob(".assay-part-*/part-*")):
        time.sleep(0.01)
    server.process.send_signal(signal.SIGKILL)
    server.process.communicate(timeout=30)
    line.close()
    pump.join(30)
    assert not list(tmp_path.rglob("half*"))
    left = list(tmp_path.glob(".assay-part-*"))
    assert left
    for path in (*left, *(each for one in left for each in one.iterdir())):
        os.utime(path, (1, 1))  # long ago
    with serving(tmp_path) as again:
        assert not list(tmp_path.glob(".assay-part-*"))
        assert own.rsplit("/", 1)[-1] in again.ask("/").text
        assert again.ask(own).status in (200, 202)


def _pumped(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        for _ in range(200):
            line.sendall(b"1,0.5\n" * 10_000)


SMUGGLED = "__import__('pathlib').Path('owned').touch()"
ITEM: dict[str, Any] = {"kind": "file", "name": "eights.csv", "options": {}, "models": 1}


@pytest.mark.parametrize(
    ("opened", "kind", "said", "words"),
    [
        ("a" * 12, SMUGGLED, "{}", "unknown kind of step"),
        ("a" * 12, None, "{}", "unknown kind of step"),
        ("a" * 12, "read", SMUGGLED, "its contents are invalid"),
        ("a" * 12, "read", "[]", "its contents are invalid"),
        ("a" * 12, "read", b"\xff", "its contents are invalid"),
        ("a" * 12, "read", json.dumps({**ITEM, "models": SMUGGLED}), "its contents are invalid"),
        ("a" * 12, "read", json.dumps({**ITEM, "kind": SMUGGLED}), "unknown kind "),
        ("a" * 12, "read", json.dumps({**ITEM, "options": {f"truth=1) or {SMUGGLED} or (": 1}}), "unknown option "),
        ("a" * 12, "read", json.dumps({**ITEM, "options": {"level": float("nan")}}), "invalid number NaN"),
        (f"a;{SMUGGLED}", "read", json.dumps(ITEM), "unknown address"),
        ("a" * 12, "threshold", json.dumps({**ITEM, "model": "m", "asked": {"cost_fp": SMUGGLED}}), "a number"),
        (
            "a" * 12,
            "threshold",
            json.dumps({**ITEM, "model": "m", "asked": {SMUGGLED: 1}}),
            "is not an option of thresholds",
        ),
        ("a" * 12, "page", json.dumps({"file": "s", "measure": "f1"}), "its contents are invalid"),
    ],
)
def test_a_folder_from_elsewhere_puts_no_python_into_a_session(
    tmp_path: Path, opened: str, kind: str, said: str, words: str
) -> None:
    bench = Bench(Workbench(tmp_path))
    with bench.workbench.listing.changing() as connection:
        connection.execute("INSERT INTO steps (opened, kind, said) VALUES (?, ?, ?)", (opened, kind, said))
    answered = bench.get("/session.py")
    assert answered.status == 422
    assert "not written by this workbench" in html.unescape(answered.text)
    assert words in html.unescape(answered.text)


def test_hostile_values_of_a_session_are_literals(tmp_path: Path) -> None:
    (tmp_path / "eights.csv").write_text(eights())
    bench, own = Bench(Workbench(tmp_path)), "a" * 12
    named = f"x'); {SMUGGLED}\n{SMUGGLED} #\u2028\r{SMUGGLED}.csv"
    study = 'store = "s.db"\ndatasets = ["iris"]\n[[learners]]\npath = "subprocess.Popen"\nargs = "touch owned"\n'
    steps: dict[str, dict[str, Any]] = {
        "read": {**ITEM, "name": named, "options": {"truth": named, "score": [named, {named: [SMUGGLED]}]}},
        "threshold": {**ITEM, "name": named, "models": 2, "model": named, "asked": {"maximise": named}},
        "run": {"file": "s.toml", "text": study},
        "page": {"file": named, "text": study, "measure": named, "level": 0.9},
    }
    for kind, step in steps.items():
        bench.workbench.listing.note(own, kind, step)
    script = bench.get("/session.py").text
    # Nothing is called in it but what the workbench calls, and no study that it would not run.
    called = {ast.unparse(node.func) for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Call)}
    known = ("assay.evaluate", "assay.evaluate_models", "print")
    assert all(each in known or each.endswith((".threshold", ".words")) for each in called), called
    assert script.count("# Study left out: ") == 2
    with contextlib.chdir(tmp_path), pytest.raises(assay.AssayError):
        exec(compile(script, "session.py", "exec"), {"__name__": "__main__"})
    assert not (tmp_path / "owned").exists()


def test_steps_of_the_first_layout_are_left_out(tmp_path: Path) -> None:
    opened = "CREATE TABLE opened (id TEXT PRIMARY KEY, kind TEXT, name TEXT, options TEXT, line TEXT, at REAL)"
    with contextlib.closing(sqlite3.connect(tmp_path / LIBRARY)) as connection:
        connection.execute(opened)
        connection.execute("INSERT INTO opened VALUES ('0123456789ab', 'file', 'eights.csv', '{}', '', 1.0)")
        connection.execute("CREATE TABLE steps (number INTEGER PRIMARY KEY, opened TEXT, kind TEXT, python TEXT)")
        connection.execute("INSERT INTO steps (opened, kind, python) VALUES ('x', 'read', ?)", (SMUGGLED,))
        connection.execute("PRAGMA application_id=0x41535759")
        connection.execute("PRAGMA user_version=1")
        connection.commit()
    bench = Bench(Workbench(tmp_path))
    script = bench.get("/session.py").text
    assert "owned" not in script
    assert "Steps of an earlier version are not included" in script
    assert [one.name for one in bench.workbench.listing.all()] == ["eights.csv"]
    assert Bench(Workbench(tmp_path)).get("/session.py").text == script


@pytest.mark.parametrize(
    "row",
    [
        (f"a;{SMUGGLED}", "file", "eights.csv", "{}"),
        ("0123456789ab", "file", "eights.csv", json.dumps({f"truth=1) or {SMUGGLED} or (": 1})),
        ("0123456789ab", "file", "eights.csv", "[]"),
        ("0123456789ab", b"7", "eights.csv", "{}"),
    ],
)
def test_a_list_from_elsewhere_puts_no_python_into_code(tmp_path: Path, row: tuple[str, ...]) -> None:
    (tmp_path / "eights.csv").write_text(eights())
    bench = Bench(Workbench(tmp_path))
    with bench.workbench.listing.changing() as connection:
        connection.execute("INSERT INTO opened VALUES (?, ?, ?, ?, '', 1.0)", row)
    answered = bench.get(f"/result/{row[0][:12]}")
    assert answered.status == 422
    assert "has an invalid entry" in html.unescape(answered.text)
    with pytest.raises(assay.AssayError, match="has an invalid entry"):
        Workbench(tmp_path)


def test_rows_take_a_stated_number_of_bytes_in_the_server(tmp_path: Path) -> None:
    """As docs/promises.md states: beside 300 MB, 60 bytes for each row and model, its page included."""
    rows = 500_000
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, rows)
    table = pa.table({"y_true": truth, "y_score": np.round(0.6 * rng.random(rows) + 0.4 * truth, 6)})
    pq.write_table(table, tmp_path / "rows.parquet")
    with serving(tmp_path) as server:
        before = largest(server)
        own = post(server, "/open", name="rows.parquet").headers["location"].rsplit("/", 1)[-1]
        assert server.ask(f"/result/{own}/page").status == 200
        assert largest(server) - before < 300_000_000 + 60 * rows


def largest(server: Server) -> int:
    """The most memory that the server has taken, in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
