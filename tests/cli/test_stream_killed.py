"""`assay stream` in processes of its own: stopped, killed again and again, on a terminal, and for a long time."""

from __future__ import annotations

import os
import pty
import random
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.cli.test_stream import HOSTILE, csv_of, events

ROWS = events(3000, 4)
SAID = ("--every", "50", "--window", "200", "--reference", "0.15", "--json", "--detector", "ddm")
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]}
# One program that has imported everything, and becomes another stream for every line it reads.
PROGRAM = """
import os, signal, sys
import assay.streams.session, assay.report.stream_lines, assay.cli.stream, assay.cli._stream_output
from assay.cli import main
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while line := sys.stdin.readline():
    child = os.fork()
    if child == 0:
        sys.argv = ["assay", *line.split()]
        main()
        os._exit(0)
    print(child, flush=True)
"""


def started(folder: Path, *said: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "assay", "stream", *said]
    return subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, stdout=subprocess.PIPE)


def until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def has_grown(path: Path, size: int) -> bool:
    return path.exists() and path.stat().st_size > size


def uninterrupted(folder: Path) -> bytes:
    (folder / "whole.csv").write_text(csv_of(ROWS))
    done = started(folder, "whole.csv", *SAID, "--output", "whole.jsonl")
    assert done.wait() == 0
    done.communicate()
    return (folder / "whole.jsonl").read_bytes()


@pytest.mark.engines
def test_stopped_by_a_signal_it_says_how_to_go_on_and_does(tmp_path: Path) -> None:
    text, out = csv_of(ROWS), tmp_path / "out.jsonl"
    file = tmp_path / "a.csv"
    kept = ("--checkpoint", "s.state", "--output", "out.jsonl")
    for number, end in ((signal.SIGINT, 20_000), (signal.SIGTERM, 40_001)):
        file.write_text(text[:end])
        before = out.stat().st_size if out.exists() else 0
        stream = started(tmp_path, "a.csv", *SAID, *kept, "--follow")
        until(partial(has_grown, out, before))
        stream.send_signal(number)
        _, said = stream.communicate(timeout=30)
        assert stream.returncode == 128 + number
        assert b"events. To resume: assay stream a.csv --every 50" in said
        assert b"--checkpoint s.state" in said
    file.write_text(text)
    last = started(tmp_path, "a.csv", *SAID, *kept)
    _, said = last.communicate(timeout=30)
    assert last.returncode == 0, said
    assert out.read_bytes() == uninterrupted(tmp_path)


def test_without_a_checkpoint_ctrl_c_says_what_would_have_kept_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_of(ROWS))
    stream = started(tmp_path, "a.csv", *SAID, "--follow")
    assert stream.stdout is not None
    stream.stdout.readline()
    stream.send_signal(signal.SIGINT)
    _, said = stream.communicate(timeout=30)
    assert stream.returncode == 130
    assert b"with --checkpoint stream.state it can be resumed." in said


def killed_again_and_again(folder: Path, kills: int, seed: int) -> bytes:
    """What is written by streams that are all killed but the last, while a file grows in pieces cut anywhere."""
    rng, text = random.Random(seed), csv_of(ROWS).encode()
    file, is_written = folder / "a.csv", threading.Event()

    def write() -> None:
        at = 0
        with file.open("ab", buffering=0) as stream:
            while at < len(text):
                step = rng.randrange(1, 3 * len(text) // max(kills, 1))
                stream.write(text[at : at + step])
                at += step
                time.sleep(0.02)
        is_written.set()

    writing = threading.Thread(target=write)
    maker = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=folder, env=ENVIRONMENT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert maker.stdin is not None
    assert maker.stdout is not None
    line = " ".join(["stream", "a.csv", *SAID, "--checkpoint", "s.state", "--output", "out.jsonl", "--quiet"])
    writing.start()
    for _ in range(kills):
        maker.stdin.write(f"{line} --follow\n")
        maker.stdin.flush()
        child = int(maker.stdout.readline())
        time.sleep(rng.choice([0.0, 0.05, 0.2, 0.6]) * rng.random())
        os.kill(child, signal.SIGKILL)
        time.sleep(0.01)
    maker.stdin.close()
    maker.wait()
    maker.stdout.close()
    writing.join()
    assert is_written.is_set()
    last = started(folder, *line.split()[1:])
    _, said = last.communicate(timeout=60)
    assert last.returncode == 0, said
    return (folder / "out.jsonl").read_bytes()


def test_killed_a_few_times_the_output_is_that_of_no_interruption(tmp_path: Path) -> None:
    assert killed_again_and_again(tmp_path, 5, 0) == uninterrupted(tmp_path)


@pytest.mark.engines
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_a_hundred_times_the_output_is_that_of_no_interruption(tmp_path: Path, seed: int) -> None:
    assert killed_again_and_again(tmp_path, 100, seed) == uninterrupted(tmp_path)


def test_on_a_terminal_it_is_a_picture_and_hostile_names_are_text(tmp_path: Path) -> None:
    name = f"a{HOSTILE}.csv"
    quoted = HOSTILE.replace('"', '""')
    rows = "".join(f'"{row[1]}{quoted}",{row[2]}\n' for row in ROWS)
    (tmp_path / name).write_text("y_true,score\n" + rows, encoding="utf-8")
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "assay", "stream", name, "--positive", f"yes{HOSTILE}", "--reference", "0.15"]
    env = ENVIRONMENT | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    shown = subprocess.Popen(command, cwd=tmp_path, env=env, stdin=inner, stdout=inner, stderr=inner)
    os.close(inner)
    seen = b""
    while True:
        if select.select([outer], [], [], 30)[0]:
            try:
                seen += os.read(outer, 1 << 16)
                continue
            except OSError:  # closed by the other side
                pass
        break
    os.close(outer)
    assert shown.wait() == 0, seen[-2000:]
    text = seen.decode("utf-8", "replace")
    assert "3,000 events" in text
    assert "Balanced accuracy" in text
    assert "ALARM: after" in text
    assert not [part for part in ("\x1b]0;owned", "\x07", "\x9b", "\u202e", "\u2066", "\x7f", "\b") if part in text]


@pytest.mark.engines
def test_ten_times_as_many_lines_need_no_more_memory(tmp_path: Path) -> None:
    peaks = []
    for count in (100_000, 1_000_000):
        with (tmp_path / "a.csv").open("w") as file:
            file.write("id,y_true,score\n")
            file.writelines(f"e{k},{k % 3 == 0},{(k * 37 % 1000) / 1000}\n" for k in range(count))
        before = time.monotonic()
        done = started(tmp_path, "a.csv", "--every", "2000", "--quiet", "--checkpoint", "s.state", "--output", "o.txt")
        _, _, usage = os.wait4(done.pid, 0)
        print(f"{count:,} lines: {count / (time.monotonic() - before):,.0f} a second, {usage.ru_maxrss / 1024:.0f} MiB")
        done.communicate()
        peaks.append(usage.ru_maxrss)
        for path in ("s.state", "o.txt"):
            (tmp_path / path).unlink()
    assert peaks[1] < 1.1 * peaks[0] + 8 * 1024
