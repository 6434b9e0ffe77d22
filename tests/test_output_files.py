"""What is written is whole or not there: every step of writing fails in turn."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError, OptionError
from assay.output_files import checked_target, refuse_shared, write_all

OLD, NEW = "old\n" * 5_000, "new\n" * 9_000
FAULTS = [
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EIO, "Input/output error"),
    InterruptedError(errno.EINTR, "Interrupted system call"),
    KeyboardInterrupt(),
]


class Faulty:
    """The system's calls, of which the n-th fails; writing gives half of what it was given before it does."""

    def __init__(self, patch: pytest.MonkeyPatch, fault: BaseException, at: int) -> None:
        self.fault, self.at, self.calls = fault, at, 0
        for name in ("open", "write", "fsync"):
            patch.setattr(os, name, self.failing(getattr(os, name), half=name == "write"))
        for name in ("replace", "chmod"):
            patch.setattr(Path, name, self.failing(getattr(Path, name)))

    def failing(self, real: Callable[..., Any], *, half: bool = False) -> Callable[..., Any]:
        def call(*args: Any, **said: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                if half:
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])
                raise self.fault
            return real(*args, **said)

        return call


@contextlib.contextmanager
def failing(fault: BaseException, at: int) -> Iterator[Faulty]:
    with pytest.MonkeyPatch.context() as patch:
        yield Faulty(patch, fault, at)


def held(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: getattr(fault, "strerror", None) or "Ctrl-C")
@pytest.mark.parametrize("exists", [True, False])
def test_each_step_of_writing_fails_in_turn(tmp_path: Path, fault: BaseException, exists: bool) -> None:
    before = {"a.html": OLD, "b.json": OLD} if exists else {}
    after = {"a.html": NEW, "b.json": NEW}
    for at in range(1, 99):
        for path in tmp_path.iterdir():
            path.unlink()
        for name, text in before.items():
            (tmp_path / name).write_text(text)
        with failing(fault, at) as faulty, contextlib.suppress(AssayError, KeyboardInterrupt):
            write_all({tmp_path / name: text for name, text in after.items()})
        found = held(tmp_path)
        assert all(text in (before.get(name), NEW) for name, text in found.items())
        assert {*found} <= {*after}
        if faulty.calls < at:
            assert found == after
            break
    assert at > 8


def test_where_one_of_two_cannot_be_written_neither_is(tmp_path: Path) -> None:
    good = tmp_path / "good.html"
    good.write_text("old")
    with pytest.raises(OSError, match=r"cannot write .*bad/no\.json: no such file or directory; needed: a file in a"):
        write_all({good: "new", tmp_path / "bad" / "no.json": "new"})
    assert held(tmp_path) == {"good.html": "old"}


def test_modes_links_and_what_else_a_file_has_stay(tmp_path: Path) -> None:
    secret, link = tmp_path / "secret.html", tmp_path / "link.html"
    secret.write_text("old")
    secret.chmod(0o600)
    link.symlink_to("secret.html")
    write_all({link: "new"})
    assert link.is_symlink()
    assert secret.read_text() == "new"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    dangling = tmp_path / "dangling.html"
    dangling.symlink_to("made.html")
    old = os.umask(0o027)
    try:
        write_all({dangling: "new"})
    finally:
        os.umask(old)
    assert dangling.is_symlink()
    assert stat.S_IMODE((tmp_path / "made.html").stat().st_mode) == 0o640
    assert {*held(tmp_path)} == {"secret.html", "link.html", "dangling.html", "made.html"}


def test_pipes_stay_what_they_are(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_all({pipe: NEW})
    reader.join(10)
    assert got == [NEW]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_device_is_said_and_the_file_beside_it_left(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    with pytest.raises(OSError, match="cannot write /dev/full: no space left on device"):
        write_all({file: NEW, Path("/dev/full"): NEW})
    assert not held(tmp_path)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "html is ''; needed: the path of a file"),
        (None, "html is 'None'; needed: the path of a file"),
        (7, "html is '7'; needed: the path of a file"),
        (b"x.html", "html is"),
        (".", "cannot write .: is a directory"),
        ("new/", "cannot write new: is a directory"),
        ("no/such/x.html", "cannot write no/such/x.html: no such file or directory"),
        ("file.txt/x.html", "cannot write file.txt/x.html: not a directory"),
        ("x" * 300, "file name too long"),
        ("a\0b", "cannot write a\\x00b: no such path"),
        ("loop", "cannot write loop: too many levels of symbolic links"),
    ],
)
def test_targets_that_cannot_be(value: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file.txt").write_text("")
    Path("loop").symlink_to("loop")
    with pytest.raises(OptionError) as error:
        checked_target(value, "html")
    assert said in str(error.value)


def test_places_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o500)
    # The superuser may write anywhere.
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: may(path, mode) and (os.geteuid() > 0 or not mode & os.W_OK))
    try:
        with pytest.raises(OptionError, match="permission denied"):
            checked_target(tmp_path / "x.html")
    finally:
        tmp_path.chmod(0o700)


def test_what_is_read_is_never_written(tmp_path: Path) -> None:
    read, link, hard = tmp_path / "a.csv", tmp_path / "link.csv", tmp_path / "hard.csv"
    read.write_text("x")
    link.symlink_to("a.csv")
    hard.hardlink_to(read)
    for target in (read, link, hard, tmp_path / "sub" / ".." / "a.csv"):
        (tmp_path / "sub").mkdir(exist_ok=True)
        with pytest.raises(OptionError, match=r"html is .*, which is read; needed: another file"):
            refuse_shared({"html": target}, [read])
    with pytest.raises(OptionError, match=r"html is .*new, and so is output; needed: a file for each of them"):
        refuse_shared({"output": tmp_path / "new", "html": tmp_path / "sub" / ".." / "new"}, [])
    refuse_shared({"output": Path(os.devnull), "html": Path(os.devnull)}, [read])


def test_a_report_says_where_it_cannot_be_before_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ev = assay.evaluate([0, 1] * 20, [k / 40 for k in range(40)])
    monkeypatch.setattr("assay.report.renderers.html.render_html", lambda *_, **__: pytest.fail("made for nothing"))
    with pytest.raises(AssayError, match="cannot write"):
        ev.report(tmp_path / "no" / "x.html")
    with pytest.raises(AssayError, match="needed: the path of a file"):
        ev.report("")
